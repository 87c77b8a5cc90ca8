// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Graphs built in code: shapes, views, names, edges, tags, and what is refused.

#include "ark/verbs.hpp"
#include "samples.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <string>

namespace {

namespace ark = tessera::ark;
using ark::builder;
using ark::data_type;
using ark::value;
using tessera::errc;
using tessera::error;

constexpr data_type fp32 = data_type::fp32, fp16 = data_type::fp16, int32 = data_type::int32;

/// The listing of what was built, which verify() takes, too.
std::string listing(builder& b) {
  auto g = b.finish();
  if (!g) FAIL("finish: " << std::string(g.error().name()) << " at " << g.error().offset);
  const std::string text = samples::json(*g);
  CHECK(samples::json(samples::model(text)) == text);
  const tessera::text lines = ark::print(*g);
  const std::string out(lines.view());
  tessera::report found;
  const auto p = ark_test::verify(std::move(*g), {}, &found);
  for (const tessera::diagnostic& d : found.diagnostics)
    if (d.severity == tessera::severity::error)
      FAIL_CHECK(std::string(found.text_of(d.path)) << ": " << std::string(found.text_of(d.text)));
  CHECK(p.error() == error{});
  return out.substr(out.find('\n') + 1);
}
/// The shape that an operation on tensors of these shapes writes, as the listing has it.
template <class Build>
std::string shape(Build build) {
  builder b;
  build(b);
  if (b.error().code != errc::ok) return std::string(b.error().name());
  const std::string out = listing(b);
  const std::size_t arrow = out.rfind(" -> %");
  const std::size_t first = out.find(' ', arrow + 4) + 1;
  return out.substr(first, out.find(" @", first) - first);
}

}  // namespace

TEST_CASE("ark/build: the example of the header", "[ark]") {
  builder b;
  const value x = b.tensor({4, 8}, fp32);
  const value w = b.tensor({16, 8}, fp32);
  const value y = b.relu(b.matmul(x, w, {.transpose_other = true}));
  b.reduce_sum(y, -1, {.name = "total", .keep_dim = true});
  CHECK(listing(b) ==
        "%3 = Matmul(%0 FP32[4,8] @0, %1 FP32[16,8] @1) -> %2 FP32[4,16] @2 "
        "{TransposeInput=false, TransposeOther=true}  # node 0 \"matmul\" -> 1\n"
        "%5 = Relu(%3 FP32[4,16] @2) -> %4 FP32[4,16] @3  # node 1 \"relu\" <- 0 -> 2\n"
        "%7 = ReduceSum(%5 FP32[4,16] @3) -> %6 FP32[4,1] @4 {Axis=1, KeepDim=true}"
        "  # node 2 \"total\" <- 1\n");
}

TEST_CASE("ark/build: shapes", "[ark]") {
  const auto unary = [](builder& b) { b.exp(b.tensor({3, 5}, fp16)); };
  CHECK(shape(unary) == "FP16[3,5]");
  const auto add = [](const ark::dims& x, const ark::dims& y) {
    return shape([&](builder& b) { b.add(b.tensor(x, fp32), b.tensor(y, fp32)); });
  };
  CHECK(add({4, 8}, {8}) == "FP32[4,8]");
  CHECK(add({4, 1}, {3, 1, 8}) == "FP32[3,4,8]");
  CHECK(add({4, 4}, {3}) == "ark_o07_shape");
  CHECK(add({std::int64_t{1} << 31, 1}, {1, std::int64_t{1} << 30}) == "ark_t07_size");
  const auto reduce = [](const ark::dims& x, std::int32_t axis, bool keep) {
    return shape([&](builder& b) { b.reduce_max(b.tensor(x, fp32), axis, {.keep_dim = keep}); });
  };
  CHECK(reduce({4, 8, 2}, 1, true) == "FP32[4,1,2]");
  CHECK(reduce({4, 8, 2}, -3, false) == "FP32[8,2]");
  CHECK(reduce({4}, 0, false) == "FP32[1]");
  CHECK(reduce({4, 8}, 2, false) == "ark_o10_reduction");
  CHECK(reduce({4, 8}, -3, false) == "ark_o10_reduction");
  const auto transpose = [](const ark::dims& x, const ark::dims& p) {
    return shape([&](builder& b) { b.transpose(b.tensor(x, fp32), p); });
  };
  CHECK(transpose({2, 3, 4}, {2, 0, 1}) == "FP32[4,2,3]");
  CHECK(transpose({2, 3, 4}, {2, 0, 0}) == "ark_o11_permutation");
  CHECK(transpose({2, 3, 4}, {0, 1}) == "ark_o11_permutation");
  CHECK(transpose({2, 3, 4}, {0, 1, 3}) == "ark_o11_permutation");
  const auto matmul = [](const ark::dims& x, const ark::dims& y, bool tx = false, bool ty = false) {
    return shape([&](builder& b) {
      b.matmul(b.tensor(x, fp32), b.tensor(y, fp32),
               {.transpose_input = tx, .transpose_other = ty});
    });
  };
  CHECK(matmul({4, 8}, {8, 6}) == "FP32[4,6]");
  CHECK(matmul({8, 4}, {6, 8}, true, true) == "FP32[4,6]");
  CHECK(matmul({8}, {8, 6}) == "FP32[1,6]");
  CHECK(matmul({4, 8}, {8}) == "FP32[4,1]");
  CHECK(matmul({8}, {8}) == "FP32[1,1]");
  CHECK(matmul({3, 4, 8}, {8, 6}) == "FP32[3,4,6]");
  CHECK(matmul({2, 1, 4, 8}, {3, 8, 6}) == "FP32[2,3,4,6]");
  CHECK(matmul({4, 8}, {7, 6}) == "ark_o12_matmul");
  CHECK(matmul({2, 4, 8}, {3, 8, 6}) == "ark_o12_matmul");
  CHECK(shape([](builder& b) {
          b.matmul(b.tensor({3, 5}, fp32, {.padded_shape = {4, 8}}),
                   b.tensor({5, 6}, fp32, {.padded_shape = {8, 8}}));
        }) == "FP32[3,6] of [4,8] padded [4,8]");
  CHECK(shape([](builder& b) {
          b.matmul(b.tensor({3, 5}, fp32, {.padded_shape = {4, 8}}), b.tensor({5, 6}, fp32));
        }) == "ark_o12_matmul");
  const auto embedding = [](const ark::dims& rows, data_type of = int32) {
    return shape([&](builder& b) { b.embedding(b.tensor(rows, of), b.tensor({10, 6}, fp16)); });
  };
  CHECK(embedding({5}) == "FP16[1,1,5,6]");
  CHECK(embedding({2, 3, 5}) == "FP16[2,3,5,6]");
  CHECK(embedding({1, 2, 3, 5}) == "ark_o13_embedding");
  CHECK(embedding({5}, fp32) == "ark_o06_data_types");
  CHECK(shape([](builder& b) { b.cast(b.tensor({5}, int32), fp16); }) == "FP16[5]");
  CHECK(shape([](builder& b) { b.add(b.tensor({5}, int32), b.tensor({5}, fp16)); }) ==
        "ark_o06_data_types");
}

TEST_CASE("ark/build: what is written may be given", "[ark]") {
  builder b;
  const value x = b.tensor({4, 8}, fp32), y = b.tensor({1, 8}, fp32), half = b.tensor({4, 8}, fp16);
  const value in_place = b.relu(x, {.to = x});
  b.copy(y, {.to = in_place});
  b.cast(x, fp32, {.to = half});
  CHECK(b.scalar_assign(half, 0.5f, {.name = "fill"}).index != ark::none);
  CHECK(listing(b) ==
        "%3 = Relu(%0 FP32[4,8] @0) -> %0 FP32[4,8] @0  # node 0 \"relu\" -> 1\n"
        "%4 = Copy(%1 FP32[1,8] @1) -> %3 FP32[4,8] @0  # node 1 \"copy\" <- 0\n"
        "%5 = Cast(%0 FP32[4,8] @0) -> %2 FP16[4,8] @2  # node 2 \"cast\"\n"
        "%6 = ScalarAssign() -> %2 FP16[4,8] @2 {Value=0.5}  # node 3 \"fill\"\n");
  const auto refused = [](auto build) {
    builder r;
    const value a = r.tensor({4, 8}, fp32), small = r.tensor({2, 8}, fp32);
    build(r, a, small, r.tensor({4, 8}, fp16));
    return r.error().code;
  };
  CHECK(refused([](builder& r, value a, value small, value) { r.relu(a, {.to = small}); }) ==
        errc::ark_o07_shape);
  CHECK(refused([](builder& r, value a, value, value other) { r.relu(a, {.to = other}); }) ==
        errc::ark_o06_data_types);
  CHECK(refused([](builder& r, value a, value small, value) { r.add(small, small, {.to = a}); }) ==
        errc::ark_o07_shape);
  CHECK(refused([](builder& r, value a, value, value) {
          r.matmul(a, a, {.to = a, .transpose_other = true});
        }) == errc::ark_o12_matmul);
}

TEST_CASE("ark/build: views", "[ark]") {
  builder b;
  const value x = b.relu(b.tensor({4, 8}, fp32));
  const tessera::pool<value> parts = b.shard(x, -1, 4);
  REQUIRE(parts.size() == 2);
  b.exp(parts[1]);
  b.exp(b.refer(x, {2, 2}, {.offsets = {1, 3}}));
  b.exp(b.reshape(x, {2, 16}));
  CHECK(listing(b) ==
        "%2 = Relu(%0 FP32[4,8] @0) -> %1 FP32[4,8] @1  # node 0 \"relu\" -> 1, 2, 3\n"
        "%6 = Exp(%4 FP32[4,4] of [4,8] at [0,4] @1) -> %5 FP32[4,4] @2  # node 1 \"exp\" <- 0\n"
        "%9 = Exp(%7 FP32[2,2] of [4,8] at [1,3] @1) -> %8 FP32[2,2] @3  # node 2 \"exp_1\" <- 0\n"
        "%12 = Exp(%10 FP32[2,16] @1) -> %11 FP32[2,16] @4  # node 3 \"exp_2\" <- 0\n");
  const auto refused = [](auto build) {
    builder r;
    build(r, r.tensor({4, 8}, fp32));
    return r.error().code;
  };
  CHECK(refused([](builder& r, value a) { r.shard(a, 1, 3); }) == errc::ark_t02_dimension);
  CHECK(refused([](builder& r, value a) { r.shard(a, 2, 4); }) == errc::ark_o10_reduction);
  CHECK(refused([](builder& r, value a) { r.reshape(a, {5, 6}); }) == errc::ark_o07_shape);
  CHECK(refused([](builder& r, value a) {
          r.reshape(r.refer(a, {2, 8}), {16});
        }) == errc::ark_o07_shape);
  CHECK(refused([](builder& r, value a) {
          r.refer(a, {4, 8}, {.offsets = {1, 0}});
        }) == errc::ark_t05_strides);
  CHECK(refused([](builder& r, value) { r.refer({99}, {4, 8}); }) == errc::ark_o03_arity);
}

TEST_CASE("ark/build: send and receive", "[ark]") {
  builder b(0, 2);
  const value x = b.copy(b.tensor({4}, fp32));
  const value sent = b.send(x, 1, 5);
  b.send_done(sent);
  const value got = b.recv(b.tensor({4}, fp32), 1, -6);
  b.add(x, got, {.to = x});
  b.device_sync(got);
  CHECK(listing(b) ==
        "%2 = Copy(%0 FP32[4] @0) -> %1 FP32[4] @1  # node 0 \"copy\" -> 1, 4\n"
        "%4 = Send(%2 FP32[4] @1) -> %3 FP32[4] @2:rank1  # node 1 \"send\" <- 0 -> 2\n"
        "%5 FP32[4] @2:rank1 = SendDone(%4 FP32[4] @2:rank1)  # node 2 \"send_done\" <- 1\n"
        "%8 = Recv(%7 FP32[4] @4:rank1) -> %6 FP32[4] @3  # node 3 \"recv\" -> 4, 5\n"
        "%9 = Add(%2 FP32[4] @1, %8 FP32[4] @3) -> %2 FP32[4] @1  # node 4 \"add\" <- 0, 3\n"
        "%11 = DeviceSync(%8 FP32[4] @3) -> %10 FP32[4] @3 {Rank=0, PeerNum=1}"
        "  # node 5 \"device_sync\" <- 3\n"
        "@1: sends [1,5]\n"
        "@2: rank 1, receives [-1,5]\n"
        "@3: receives [1,-6]\n"
        "@4: rank 1, sends [-1,-6]\n");
  const auto refused = [](auto build) {
    builder r(0, 2);
    const value a = r.tensor({4}, fp32);
    build(r, a, r.tensor({4}, fp32, {.rank = 1}));
    return r.error().code;
  };
  CHECK(refused([](builder& r, value a, value) { r.send(a, 0, 1); }) == errc::ark_b02_buffer_rank);
  CHECK(refused([](builder& r, value a, value) { r.send(a, 2, 1); }) == errc::ark_b02_buffer_rank);
  CHECK(refused([](builder& r, value, value remote) { r.send(remote, 1, 1); }) ==
        errc::ark_c01_send);
  CHECK(refused([](builder& r, value a, value) { r.send(a, 1, 1, {.to = a}); }) ==
        errc::ark_c01_send);
  CHECK(refused([](builder& r, value, value remote) { r.recv(remote, 1, 1); }) ==
        errc::ark_c02_recv);
  CHECK(refused([](builder& r, value, value remote) { r.relu(remote); }) == errc::ark_c07_remote);
}

TEST_CASE("ark/build: any operation", "[ark]") {
  builder b(0, 2);
  const value data = b.tensor({4}, fp32);
  const value scratch = b.tensor({32}, data_type::uint8), out = b.tensor({4}, fp32);
  const value peer = b.tensor({32}, data_type::uint8, {.rank = 1});
  b.recv_tag(scratch, 1, 3);
  b.recv_tag(peer, -1, 4);
  b.recv_tag(peer, -1, 4);
  const value writes[] = {out, peer};
  const ark::setting args[] = {
      {.name = ark::argument_name::flag, .type = ark::argument_type::uint32, .integer = 1},
      {.name = ark::argument_name::n_peers, .type = ark::argument_type::uint32, .integer = 1},
      {.name = ark::argument_name::rank, .integer = 0}};
  b.op(ark::op_type::recv_reduce_send_packet, {data, scratch},
       {.writes = {writes, 2}, .args = {args, 3}});
  CHECK(listing(b) ==
        "%4 = RecvReduceSendPacket(%0 FP32[4] @0, %1 UINT8[32] @1) -> %2 FP32[4] @2, "
        "%3 UINT8[32] @3:rank1 {Flag=1, NPeers=1, Rank=0}  # node 0 \"recv_reduce_send_packet\"\n"
        "@1: receives [1,3]\n"
        "@3: rank 1, receives [-1,4]\n");
  const auto refused = [&](auto build) {
    builder r;
    build(r, r.tensor({4}, fp32));
    return r.error().code;
  };
  using type = ark::op_type;
  CHECK(refused([](builder& r, value a) { r.op(type::add, {a}); }) == errc::ark_o03_arity);
  CHECK(refused([](builder& r, value a) { r.op(type::tensor, {a}); }) == errc::ark_o01_type);
  CHECK(refused([](builder& r, value) { r.op(type::unknown, {}); }) == errc::ark_o01_type);
  CHECK(refused([](builder& r, value a) { r.op(type::scalar_add, {a}); }) ==
        errc::ark_o04_argument);
  CHECK(refused([](builder& r, value a) { r.op(type::reduce_sum, {a}); }) ==
        errc::ark_o04_argument);
  CHECK(refused([](builder& r, value) { r.op(type::scalar_assign, {}); }) == errc::ark_o03_arity);
  CHECK(refused([](builder& r, value) { r.relu({}); }) == errc::ark_o03_arity);
}

TEST_CASE("ark/build: a Noop keeps a tensor", "[ark]") {
  builder b;
  b.noop(b.tensor({4}, fp32));
  CHECK(listing(b) == "Noop(%0 FP32[4] @0)  # node 0 \"noop\"\n");
}

TEST_CASE("ark/build: ids far above the others, and then many more", "[ark]") {
  builder b;
  const value first = b.relu(b.tensor({4}, fp32));
  value x = first;
  for (int i = 0; i < 1000; ++i) x = b.relu(x);
  b.add(x, first);
  auto g = b.finish();
  REQUIRE(g);
  g->tensors[first.index].id = 4000;
  const std::string text = samples::json(*g);
  const ark::model again = samples::model(text);
  CHECK(again.tensors.size() == g->tensors.size());
  CHECK(samples::json(again) == text);
}

TEST_CASE("ark/build: names", "[ark]") {
  builder b;
  const value x = b.tensor({4}, fp32);
  for (int i = 0; i < 100; ++i) b.relu(x, {.name = i % 2 == 0 ? "" : "mine"});
  for (int i = 0; i < 100; ++i) b.exp(x, {.name = "n" + std::to_string(i)});
  auto g = b.finish();
  REQUIRE(g);
  CHECK(ark::name(*g, g->ops[0]) == "relu");
  CHECK(ark::name(*g, g->ops[1]) == "mine");
  CHECK(ark::name(*g, g->ops[98]) == "relu_49");
  CHECK(ark::name(*g, g->ops[99]) == "mine_49");
  CHECK(ark::name(*g, g->ops[199]) == "n99");
}

TEST_CASE("ark/build: the first error stays", "[ark]") {
  builder b;
  const value x = b.relu(b.tensor({4}, fp32));
  CHECK(b.add(x, b.tensor({3}, fp32)).index == ark::none);
  CHECK(b.relu(x).index == ark::none);
  CHECK(b.tensor({0}, fp32).index == ark::none);
  CHECK(b.error() == error{errc::ark_o07_shape, 1});
  CHECK(b.finish().error() == error{errc::ark_o07_shape, 1});
  const auto refused = [](const ark::dims& shape, const ark::tensor_options& o = {}) {
    builder r;
    r.tensor(shape, fp32, o);
    return r.error().code;
  };
  CHECK(refused({}) == errc::ark_t01_rank);
  CHECK(refused({1, 1, 1, 1, 1}) == errc::ark_t01_rank);
  CHECK(refused({2}, {.strides = {2, 2}}) == errc::ark_t01_rank);
  CHECK(refused({2, 0}) == errc::ark_t02_dimension);
  CHECK(refused({2}, {.strides = {4}, .offsets = {-1}}) == errc::ark_t03_offset);
  CHECK(refused({2}, {.padded_shape = {1}}) == errc::ark_t04_padding);
  CHECK(refused({2}, {.strides = {1}}) == errc::ark_t05_strides);
  CHECK(refused({2}, {.strides = {INT64_MAX}, .offsets = {INT64_MAX}}) == errc::ark_t05_strides);
  CHECK(refused({std::int64_t{1} << 31, std::int64_t{1} << 30}) == errc::ark_t07_size);
  CHECK(refused({(std::int64_t{1} << 31) - 1, std::int64_t{1} << 30}) == errc::ok);
  builder other;
  other.tensor({2}, static_cast<data_type>(99));
  CHECK(other.error().code == errc::ark_t06_data_type);
  builder done;
  CHECK(done.finish().error() == error{});
  CHECK(done.tensor({4}, fp32).index == ark::none);
  builder wrong(1, 1);
  CHECK(wrong.finish().error().code == errc::ark_s03_world);
}

TEST_CASE("ark/build: errors name the element of a graph that has no source", "[ark]") {
  const auto shown = [](const error& e) {
    const tessera::text t = tessera::describe(e, "", "m");
    return std::string(t.view().substr(t.view().find('[')));
  };
  builder b;
  const value x = b.relu(b.tensor({4}, fp32));
  b.add(x, b.tensor({3}, fp32));
  CHECK(shown(b.error()) == "[ark_o07_shape] at operation 1\n");
  builder sound;
  sound.relu(sound.relu(sound.relu(sound.tensor({4}, fp32))));
  auto g = sound.finish();
  REQUIRE(g);
  ark::model broken = *g;
  broken.nodes[1].id = 7;
  tessera::report found;
  CHECK(shown(ark_test::verify(broken, {}, &found).error()) == "[ark_g03_edge_target] at node 2\n");
  broken = *g;
  broken.ops[2].reads = 0;
  CHECK(shown(ark_test::verify(broken, {}, &found).error()) == "[ark_o03_arity] at node 2\n");
  CHECK(found.diagnostics.back().where.offset == 2);
  broken = *g;
  broken.nodes[2].ops.count = 0;
  CHECK(shown(ark::check(broken)) == "[ark_s07_no_ops] at node 2\n");
  CHECK(shown(ark::write(broken).error()) == "[ark_s07_no_ops] at node 2\n");
  broken = *g;
  broken.rank = 1;
  CHECK(shown(ark::check(broken)) == "[ark_s03_world]\n");
  CHECK(shown(ark_test::verify(broken).error()) == "[ark_s03_world]\n");
  // One that was read has places in its source.
  ark::model read = samples::model(samples::json(*g));
  read.nodes[1].id = 7;
  CHECK(ark_test::verify(std::move(read)).error().index == tessera::error_index::none);
}
