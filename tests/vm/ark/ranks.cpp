// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Several ranks in one process: every operation that communicates, by models that add up vectors.

#include "ark/samples.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <string>
#include <vector>

#include "numbers.hpp"
#include "rank_models.hpp"
#include "script.hpp"
#include "support/catch.hpp"
#include "tessera/inspect/ark/flow.hpp"
#include "vm/ark/engine.hpp"

namespace {

using rank_models::part;
using tessera::errc;
using tessera::vm::ark::machine;
using tessera::vm::ark::outcome;
using list = std::vector<double>;

/// Writes numbers whose sums every type holds, runs twice, and looks at every rank's sum.
outcome check_sums(const std::vector<rank_models::rank>& all, const std::string& type) {
  const run::world w(rank_models::texts(all));
  machine vm(w.get());
  if (!vm.made()) FAIL(vm.made().text);
  const std::size_t count = part * all.size();
  outcome done;
  for (int round = 0; round < 2; ++round) {
    list sum(count);
    for (std::size_t r = 0; r < all.size(); ++r) {
      list x;
      for (std::size_t i = 0; i < count; ++i)
        x.push_back(static_cast<double>((i * 3 + r * 5 + static_cast<std::size_t>(round)) % 11));
      for (std::size_t i = 0; i < count; ++i) sum[i] += x[i];
      w.write(vm, all[r].x, numbers::bytes(type, x), r);
    }
    done = vm.run();
    CHECK(done.code == errc::ok);
    CHECK(done.steps == vm.steps());
    for (std::size_t r = 0; r < all.size(); ++r) {
      INFO(type << ", rank " << r << " of " << all.size());
      CHECK(numbers::values(type, w.read<std::byte>(vm, all[r].y, r)) == sum);
    }
  }
  return done;
}

}  // namespace

TEST_CASE("vm/ark: ranks that send to each other", "[vm_ark]") {
  for (const int world_size : {2, 3, 4})
    for (const std::string type : {"FP32", "BF16", "INT8"})
      CHECK(check_sums(rank_models::all_reduce(world_size, type), type).text.empty());
}

TEST_CASE("vm/ark: a model runs alike in every dialect", "[vm_ark]") {
  using tessera::ark::dialect;
  for (const dialect as : {dialect::d1b, dialect::d1c, dialect::d2, dialect::d2x, dialect::d3x}) {
    INFO(tessera::ark::info(as).name);
    for (std::vector<rank_models::rank> all :
         {rank_models::all_reduce(2, "FP16"), rank_models::packets(3, "FP32", 4)}) {
      for (rank_models::rank& r : all) {
        const auto other = tessera::ark::write(samples::model(r.text), {.to = as});
        REQUIRE(other);
        r.text = other->view();
      }
      CHECK(check_sums(all, all.size() == 2 ? "FP16" : "FP32").text.empty());
    }
  }
}

TEST_CASE("vm/ark: ranks that send packets", "[vm_ark]") {
  for (const int world_size : {2, 4})
    for (const std::string& type : numbers::all_types)
      CHECK(check_sums(
                rank_models::packets(world_size, type, static_cast<int>(numbers::size(type))), type)
                .text.empty());
}

TEST_CASE("vm/ark: ranks that meet, and messages that nobody receives", "[vm_ark]") {
  for (const int world_size : {2, 4})
    for (const std::string& type : numbers::all_types) {
      const outcome done = check_sums(rank_models::synced(world_size, type), type);
      CHECK(done.text.find("from rank 1 to rank 0 with tag 31") != std::string::npos);
    }
}

TEST_CASE("vm/ark: inputs and outputs of several ranks", "[vm_ark]") {
  for (const int kind : {0, 1, 2}) {
    const std::vector<rank_models::rank> all = kind == 0   ? rank_models::all_reduce(3, "FP32")
                                               : kind == 1 ? rank_models::packets(3, "FP32", 4)
                                                           : rank_models::synced(3, "FP32");
    const run::world w(rank_models::texts(all));
    for (const auto& in : tessera::inspect::inputs(w.get())) {
      const auto& g = w.get().rank(in.rank).model();
      CHECK(g.buffers[g.tensors[in.tensor].buffer].id == 0);  // that of x
    }
    std::vector<int> ranks(3);
    for (const auto& out : tessera::inspect::outputs(w.get())) {
      const auto& g = w.get().rank(out.rank).model();
      CHECK(w.get().rank(out.rank).storage(g.tensors[out.tensor].buffer) ==
            w.get().rank(out.rank).storage(g.tensors[w.tensor(out.rank, all[out.rank].y)].buffer));
      ++ranks[out.rank];
    }
    for (const int count : ranks) CHECK(count >= 1);
  }
}

TEST_CASE("vm/ark: a trap of one rank ends the run", "[vm_ark]") {
  std::vector<std::string> texts;
  for (int r = 0; r < 2; ++r) {
    run::script s(r, 2);
    const int a = s.tensor("INT32", {1}), b = s.tensor("INT32", {1});
    const int c = r == 1 ? s.op("Div", {a, b}, {a}) : a;
    s.op("DeviceSync", {c}, {c},
         R"({"Rank":{"INT":)" + std::to_string(r) + R"(},"PeerNum":{"INT":1}})");
    texts.push_back(s.text());
  }
  const run::world w(texts);
  machine vm(w.get());
  const outcome done = vm.run();
  CHECK(done.code == errc::ark_division);
  CHECK((done.rank == 1 && done.node == 0 && done.op == 0));
  CHECK(done.steps == 0);
}

namespace {

/// Nothing ever arrives.
class silence final : public tessera::vm::ark::transport {
 public:
  void put(std::uint32_t, std::uint32_t, std::uint64_t, const std::byte*, std::size_t) override {}
  void flush(std::uint32_t) override {}
  void signal(std::uint32_t channel) override { sent.push_back(channel); }
  bool take(std::span<const std::uint32_t>) override { return false; }
  bool sync(std::uint32_t, std::uint64_t) override { return false; }
  std::vector<std::uint32_t> sent;
};

}  // namespace

TEST_CASE("vm/ark: a rank that waits says where and for what", "[vm_ark]") {
  using namespace tessera::vm::ark;
  const std::vector<rank_models::rank> all = rank_models::all_reduce(2, "FP32");
  const run::world w(rank_models::texts(all));
  machine owner(w.get());  // not run; only so that the model is known to be one
  REQUIRE(owner.made());
  compiled_program p;
  REQUIRE(compile(w.get(), 0, p));
  std::vector<std::vector<std::byte>> memory(w.get().rank(0).model().buffers.size());
  std::vector<std::byte*> storages;
  for (std::uint32_t b = 0; b < memory.size(); ++b) {
    memory[b].resize(static_cast<std::size_t>(w.get().rank(0).bytes(b)));
    storages.push_back(memory[b].data());
  }
  std::vector<std::byte> scratch(static_cast<std::size_t>(p.scratch));
  p.place_at(storages, scratch.data());
  runner r(p, 0, false, nullptr);
  r.start();
  silence nobody;
  CHECK(r.advance(nobody, {}) == state::waiting);
  CHECK(r.advance(nobody, {}) == state::waiting);
  CHECK(nobody.sent.size() == 1);
  CHECK(w.get().rank(0).model().ops[r.waiting_step().op].type == tessera::ark::op_type::recv);
  REQUIRE(r.waiting_channels().size() == 1);
  const auto& channel = w.get().channels()[r.waiting_channels()[0]];
  CHECK((channel.source == 1 && channel.destination == 0 && channel.tag == 11));
}
