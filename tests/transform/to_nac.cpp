// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ARK's models as containers: every operation and every way to lie in memory, on both machines.

#include <functional>

#include "ark/verbs.hpp"
#include "converted.hpp"
#include "vm/ark/script.hpp"

using namespace convert_tests;
using ark::data_type;
using ark::op_type;
using ark::value;

namespace {

/// Builds a model, converts it, and compares both machines.
void same_in_nac(const std::function<void(ark::builder&)>& build, double slack = 1) {
  ark::builder b;
  build(b);
  auto model = b.finish();
  INFO((model ? "" : model.error().name()));
  REQUIRE(model);
  const ark_case from(std::move(*model));
  const transform_tests::container to = to_nac(from);
  INFO(transform_tests::lines_of(to.program()));
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const std::vector<array> in = from.random_inputs(seed);
    compare(from.run(in), run_nac(to.program(), in), slack);
  }
}
constexpr data_type floats[] = {data_type::fp32, data_type::fp16, data_type::bf16};
constexpr data_type integers[] = {data_type::int32, data_type::int8, data_type::uint8};
/// Types that both formats have.
[[nodiscard]] std::vector<data_type> all_types() {
  std::vector<data_type> out(std::begin(floats), std::end(floats));
  out.insert(out.end(), std::begin(integers), std::end(integers));
  return out;
}

/// The first error of a conversion that is refused: its path and text.
[[nodiscard]] std::string refused(const ark::program& p, errc code,
                                  const transform::to_nac_options& how = {}) {
  tessera::report found;
  const auto made = transform::to_nac(p, how, &found);
  REQUIRE(!made);
  CHECK(made.error().name() == error{code}.name());
  REQUIRE(!found.diagnostics.empty());
  const diagnostic& d = found.diagnostics[0];
  return std::string(found.text_of(d.path)) + ' ' + std::string(found.text_of(d.text));
}
[[nodiscard]] std::string refused(const run::script& s, errc code, bool fp8 = false) {
  const std::string text = s.text();
  auto g = ark_test::read(text);
  REQUIRE(g);
  auto p = ark_test::verify(std::move(*g), {.fp8 = fp8, .hazards = false});
  REQUIRE(p);
  const std::string out = refused(*p, code);
  // At the node of the path.
  const std::size_t node = out.starts_with("$.Nodes[") ? std::stoul(out.substr(8)) : 0;
  CHECK(transform::to_nac(*p).error().offset == p->model().nodes[node].offset);
  CHECK(text.substr(static_cast<std::size_t>(p->model().nodes[node].offset), 6) == "{\"Id\":");
  return out;
}

}  // namespace

TEST_CASE("transform/to_nac: operations of two tensors", "[transform]") {
  for (const data_type t : all_types())
    for (const op_type o : {op_type::add, op_type::sub, op_type::mul, op_type::div})
      same_in_nac([&](ark::builder& b) {
        INFO(info(t).name << ' ' << info(o).name);
        value y = b.tensor({3, 4}, t);
        // Nothing is divided by 0.
        if (o == op_type::div) y = b.scalar_add(y, 3);
        b.op(o, {b.tensor({2, 3, 4}, t), y});
        b.op(o, {b.tensor({3, 1}, t),
                 o == op_type::div ? b.scalar_add(b.tensor({4}, t), 5) : b.tensor({4}, t)});
      });
}

TEST_CASE("transform/to_nac: operations of one tensor", "[transform]") {
  for (const data_type t : all_types())
    for (const op_type o : {op_type::exp, op_type::sqrt, op_type::rsqrt, op_type::relu,
                            op_type::sigmoid, op_type::gelu, op_type::copy})
      same_in_nac([&](ark::builder& b) {
        INFO(info(t).name << ' ' << info(o).name);
        value x = b.tensor({2, 1, 5}, t);
        if (o == op_type::sqrt || o == op_type::rsqrt) x = b.scalar_add(x, 3);
        b.op(o, {x});
        b.op(o, {x}, {.to = b.tensor({2, 3, 5}, t)});  // broadcast
      });
}

TEST_CASE("transform/to_nac: scalars are rounded as the type has them", "[transform]") {
  for (const data_type t : all_types())
    for (const float f : {0.1f, 2.9f, -2.9f, 1000.5f})
      same_in_nac([&](ark::builder& b) {
        INFO(info(t).name << ' ' << f);
        const value x = b.tensor({7}, t);
        b.scalar_add(x, f);
        b.scalar_mul(x, f);
        b.scalar_assign(b.tensor({2, 2}, t), f);
      });
}

TEST_CASE("transform/to_nac: casts", "[transform]") {
  for (const data_type from : all_types())
    for (const data_type to : all_types())
      same_in_nac([&](ark::builder& b) {
        INFO(info(from).name << " to " << info(to).name);
        value x = b.tensor({40}, from);
        // Halves, and what is negative.
        x = b.scalar_mul(x, 3);
        if (info(from).kind == ark::data_kind::floating && info(to).kind != info(from).kind)
          x = b.relu(x);
        b.cast(x, to);
      });
}

TEST_CASE("transform/to_nac: reductions", "[transform]") {
  for (const data_type t : all_types())
    for (const bool keep : {false, true})
      same_in_nac([&](ark::builder& b) {
        INFO(info(t).name << ' ' << keep);
        const value x = b.tensor({2, 3, 4}, t), line = b.tensor({9}, t);
        for (const std::int32_t axis : {0, 1, 2, -1}) {
          b.reduce_sum(x, axis, {.keep_dim = keep});
          b.reduce_max(x, axis, {.keep_dim = keep});
          b.reduce_mean(x, axis, {.keep_dim = keep});
        }
        b.reduce_sum(line, 0, {.keep_dim = keep});
        b.reduce_mean(line, 0, {.keep_dim = keep});
      });
}

TEST_CASE("transform/to_nac: products", "[transform]") {
  for (const data_type t : all_types())
    for (const bool first : {false, true})
      for (const bool second : {false, true})
        same_in_nac(
            [&](ark::builder& b) {
              INFO(info(t).name << ' ' << first << ' ' << second);
              const auto matrix = [&](ark::dims lead, std::int64_t m, std::int64_t n, bool turned) {
                lead.at[lead.count++] = turned ? n : m;
                lead.at[lead.count++] = turned ? m : n;
                return b.tensor(lead, t);
              };
              const ark::matmul_options how{.transpose_input = first, .transpose_other = second};
              b.matmul(matrix({}, 3, 4, first), matrix({}, 4, 5, second), how);
              b.matmul(matrix({2}, 3, 4, first), matrix({}, 4, 5, second), how);
              b.matmul(matrix({1}, 3, 4, first), matrix({2, 3}, 4, 5, second), how);
              b.matmul(b.tensor({4}, t), matrix({}, first ? 1 : 4, 5, second), how);
              b.matmul(matrix({}, 3, second ? 1 : 4, first), b.tensor({4}, t), how);
            },
            4);
}

TEST_CASE("transform/to_nac: transpositions, lookups and Rope", "[transform]") {
  for (const data_type t : all_types())
    same_in_nac([&](ark::builder& b) {
      INFO(info(t).name);
      const value x = b.tensor({2, 3, 4}, t);
      b.transpose(x, {2, 0, 1});
      b.transpose(b.tensor({2, 3}, t), {1, 0});
      // Rows are counted from the end, too.
      const value rows = b.tensor({2, 5}, data_type::int32), table = b.tensor({3, 4}, t);
      b.embedding(rows, table);
      b.embedding(b.scalar_add(rows, -3), table);
      b.rope(x, b.tensor({2, 3, 4}, t));
      b.rope(b.tensor({2, 3, 6}, t), b.tensor({3, 6}, t));
    });
}

TEST_CASE("transform/to_nac: operations newer than D3", "[transform]") {
  for (const data_type t : floats)
    same_in_nac(
        [&](ark::builder& b) {
          INFO(info(t).name);
          const value x = b.tensor({2, 3, 4}, t), w = b.tensor({4, 5}, t);
          const ark::setting flags[] = {
              {.name = ark::argument_name::transpose_input, .type = ark::argument_type::boolean},
              {.name = ark::argument_name::transpose_other, .type = ark::argument_type::boolean},
              {.name = ark::argument_name::scale,
               .type = ark::argument_type::float32,
               .real = 0.3f}};
          const view<ark::setting> two{flags, 2}, three{flags, 3};
          b.op(op_type::softmax, {x});
          b.op(op_type::store, {x});
          b.op(op_type::layer_norm, {x, b.tensor({4}, t), b.tensor({4}, t)});
          b.op(op_type::mma, {x, w}, {.args = two});
          b.op(op_type::matmul_gelu, {x, w}, {.args = two});
          b.op(op_type::matmul_scale, {x, w}, {.args = three});
          b.op(op_type::matmul_add, {x, w, b.tensor({2, 3, 5}, t)}, {.args = two});
        },
        4);
}

TEST_CASE("transform/to_nac: parts of memory", "[transform]") {
  same_in_nac([](ark::builder& b) {  // shards are read
    const value x = b.tensor({4, 6}, data_type::fp32);
    const pool<value> parts = b.shard(x, 1, 2);
    b.add(parts[0], b.mul(parts[1], parts[2]));
  });
  same_in_nac([](ark::builder& b) {  // and written, then read as one, and in another shape
    const value x = b.tensor({4, 6}, data_type::fp32);
    const pool<value> parts = b.shard(x, 0, 2);
    const value in = b.tensor({2, 6}, data_type::fp32);
    b.relu(in, {.to = parts[1]});
    const value last = b.exp(in, {.to = parts[0]});
    b.scalar_mul(b.reshape(b.refer(last, {4, 6}), {3, 8}), 2);
  });
  same_in_nac([](ark::builder& b) {  // a box of three cut dimensions
    const value x = b.tensor({4, 5, 6}, data_type::fp32);
    const value box = b.refer(x, {2, 3, 4}, {.offsets = {1, 2, 1}});
    const value y = b.relu(x);
    b.copy(b.tensor({2, 3, 4}, data_type::fp32),
           {.to = b.refer(y, {2, 3, 4}, {.offsets = {2, 0, 2}})});
    b.add(box, box);
  });
  same_in_nac([](ark::builder& b) {  // padding, which nothing reads and nothing writes
    const value x = b.tensor({3, 5}, data_type::fp32, {.strides = {4, 8}, .padded_shape = {4, 8}});
    const value w = b.tensor({5, 7}, data_type::fp32, {.strides = {8, 8}, .padded_shape = {8, 8}});
    b.matmul(x, w);
  });
  same_in_nac([](ark::builder& b) {  // unwritten memory is zeros; inputs are what is read first
    const value x = b.tensor({6}, data_type::int32);
    b.copy(b.tensor({2}, data_type::int32), {.to = b.refer(x, {2}, {.offsets = {2}})});
    b.scalar_add(x, 1);
  });
  same_in_nac([](ark::builder& b) {  // in place
    const value x = b.tensor({2, 3}, data_type::fp32);
    const value y = b.exp(x, {.to = x});
    b.div(y, b.reduce_sum(y, -1), {.to = y});
  });
}

TEST_CASE("transform/to_nac: other types and shorter views of the same memory", "[transform]") {
  run::script s;
  const int buffer = s.buffer();
  const int x = s.tensor("FP32", {2, 4}, buffer), bytes_of_x = s.tensor("UINT8", {2, 16}, buffer),
            start = s.tensor("FP32", {3}, buffer);
  s.op("Relu", {s.tensor("FP32", {2, 4})}, {x});
  s.op("Copy", {bytes_of_x}, {s.tensor("UINT8", {2, 16})});
  s.op("Exp", {s.tensor("FP32", {3})}, {start});
  s.op("ScalarAdd", {x}, {s.tensor("FP32", {2, 4})}, R"({"Factor":{"FLOAT":1.0}})");
  s.op("Copy", {s.tensor("BYTE", {2, 16})}, {s.tensor("BYTE", {2, 16}, buffer)});
  auto g = ark_test::read(s.text());
  REQUIRE(g);
  const ark_case from(std::move(*g));
  const transform_tests::container to = to_nac(from);
  const std::vector<array> in = from.random_inputs(5);
  compare(from.run(in), run_nac(to.program(), in));
}

TEST_CASE("transform/to_nac: names of inputs, and the form of the container", "[transform]") {
  run::script s;
  const int x = s.tensor("FP32", {3}), y = s.tensor("FP32", {3});
  s.op("Add", {x, y}, {s.tensor("FP32", {3})});
  std::string text = s.text();
  // A node that names x.
  auto g = ark_test::read(text);
  REQUIRE(g);
  const ark_case from(std::move(*g));
  const auto made = transform::to_nac(from.program(), {.form = nac::header::v1_6});
  REQUIRE(made);
  CHECK(made->form == nac::header::v1_6);
  REQUIRE(made->input_names.size() == 2);
  CHECK(made->string(made->input_names[0].text) == "t" + std::to_string(x));
  CHECK(made->string(made->input_names[1].text) == "t" + std::to_string(y));
}

namespace {

/// A safetensors file of tensors of zeros.
struct weight_file {
  struct row {
    const char* name;
    nac::data_type type;
    std::vector<std::uint32_t> shape;
  };
  std::vector<std::byte> zeros = std::vector<std::byte>(256);
  pool<std::byte> written;
  std::optional<nac::safetensors> file;

  explicit weight_file(const std::vector<row>& rows) {
    nac::external_parts parts;
    for (const row& r : rows) {
      std::size_t bytes = nac::size_of(r.type);
      for (const std::uint32_t d : r.shape) bytes *= d;
      const view<std::uint32_t> shape(r.shape.data(), r.shape.size());
      parts.add(r.name, r.type, shape, nac::parts::borrow({zeros.data(), bytes}));
    }
    auto made = nac::write_safetensors(parts);
    REQUIRE(made);
    written = std::move(*made);
    auto back = nac::read_safetensors(bytes(written.data(), written.size()));
    REQUIRE(back);
    file.emplace(std::move(*back));
  }
};

}  // namespace

TEST_CASE("transform/to_nac: weights become parameters, by the names of inputs", "[transform]") {
  run::script s;
  const int x = s.tensor("FP32", {2, 3}), w = s.tensor("FP32", {2, 3});
  s.op("Add", {x, w}, {s.tensor("FP32", {2, 3})});
  REQUIRE((x == 0 && w == 1));
  auto g = ark_test::read(s.text());
  REQUIRE(g);
  const ark_case from(std::move(*g));
  using nac::data_type;
  struct row {
    std::vector<weight_file::row> tensors;
    std::size_t inputs, parameters;
    const char* refusal;  // "" for none
  };
  const row rows[] = {
      {{{"t1", data_type::float32, {2, 3}}}, 1, 1, ""},
      // A model may have merged dimensions: only the number of elements counts.
      {{{"t1", data_type::float32, {6}}}, 1, 1, ""},
      {{{"t0", data_type::float32, {2, 3}}, {"t1", data_type::float32, {2, 3}}}, 0, 2, ""},
      // Names that the model doesn't have, and none of its own.
      {{{"t2", data_type::float32, {2, 3}}, {"T1", data_type::float32, {2, 3}}}, 2, 0, ""},
      {{{"t1", data_type::float32, {2, 3}}, {"u", data_type::int64, {1}}}, 1, 1, ""},
      {{}, 2, 0, ""},
      {{{"t1", data_type::float32, {5}}},
       0,
       0,
       " weight \"t1\" doesn't fit t1; expected FP32 of 6 elements"},
      {{{"t1", data_type::float32, {7}}},
       0,
       0,
       " weight \"t1\" doesn't fit t1; expected FP32 of 6 elements"},
      {{{"t0", data_type::float16, {2, 3}}},
       0,
       0,
       " weight \"t0\" doesn't fit t0; expected FP32 of 6 elements"},
      {{{"t0", data_type::int32, {2, 3}}},
       0,
       0,
       " weight \"t0\" doesn't fit t0; expected FP32 of 6 elements"}};
  for (const row& r : rows) {
    const weight_file weights(r.tensors);
    const transform::to_nac_options how{.weights = &*weights.file};
    if (r.refusal[0] != 0) {
      CHECK(refused(from.program(), errc::nac_weights_form, how) == r.refusal);
      continue;
    }
    const auto made = transform::to_nac(from.program(), how);
    REQUIRE(made);
    CHECK(made->input_names.size() == r.inputs);
    CHECK(made->parameters.size() == r.parameters);
    CHECK(made->tensors.size() == r.parameters);
    for (const auto& p : made->parameters) {
      const std::string name(made->string(p.text));
      CHECK((name == "t0" || name == "t1"));
    }
  }
  // All that don't fit are reported.
  const weight_file both({{"t0", data_type::float32, {1}}, {"t1", data_type::int8, {6}}});
  tessera::report found;
  CHECK_FALSE(transform::to_nac(from.program(), {.weights = &*both.file}, &found));
  CHECK(found.errors == 2);
}

TEST_CASE("transform/to_nac: what is refused, and where", "[transform]") {
  {
    run::script s(0, 2);
    const int remote = s.tensor("FP32", {4}, s.buffer(1, "[]", "[[-1,7]]"));
    s.op("Send", {s.tensor("FP32", {4}, s.buffer(-1, "[[1,7]]", "[]"))}, {remote});
    CHECK(refused(s, errc::ark_to_nac_operation) ==
          "$.Nodes[0].Op Send: a container is one rank; expected no communication");
  }
  {
    run::script s;
    const int x = s.tensor("UINT32", {4}), y = s.tensor("UINT32", {4});
    s.op("Relu", {x}, {y});
    CHECK(refused(s, errc::ark_to_nac_type) ==
          "$.Nodes[0].Op.ReadTensors[0] Relu: t0 is UINT32, which NAC has no code for");
  }
  {
    run::script s;
    const int x = s.tensor("FP32", {4}), y = s.tensor("FP32", {4});
    const int z = s.tensor("FP8_E4M3", {4}), w = s.tensor("FP8_E4M3", {4});
    s.op("Copy", {x}, {y});
    s.op("Copy", {z}, {w});
    CHECK(refused(s, errc::ark_to_nac_type, true) ==
          "$.Nodes[1].Op.ReadTensors[0] Copy: t2 is FP8_E4M3, which NAC has no code for");
  }
  {
    run::script s;
    const int buffer = s.buffer();
    const int x = s.tensor("UINT8", {7}, buffer), y = s.tensor("UINT8", {7});
    const int z = s.tensor("FP32", {1}, buffer), w = s.tensor("FP32", {1});
    s.op("Copy", {x}, {y});
    s.op("Copy", {z}, {w});
    CHECK(
        refused(s, errc::ark_to_nac_memory) ==
        "$.Nodes[1].Op.ReadTensors[0] Copy: t2: its buffer has 7 bytes; expected a multiple of 4");
  }
  {
    run::script s;
    s.op("ReLU6", {s.tensor("FP32", {4})}, {s.tensor("FP32", {4})});
    CHECK(refused(s, errc::ark_to_nac_operation) ==
          "$.Nodes[0].Op ReLU6: its meaning is unknown; expected a known Type");
  }
  {
    run::script s;
    s.op("Softmax", {s.tensor("INT32", {4})}, {s.tensor("INT32", {4})});
    CHECK(refused(s, errc::ark_to_nac_operation) ==
          "$.Nodes[0].Op Softmax: of INT32; NAC has it for floats only");
  }
}

TEST_CASE("transform/to_nac: limits", "[transform]") {
  ark::builder b;
  value x = b.tensor({1}, data_type::fp32);
  for (int k = 0; k < 4; ++k) x = b.relu(x);
  auto model = b.finish();
  REQUIRE(model);
  const ark_case from(std::move(*model));
  CHECK(transform::to_nac(from.program(), {.max_comparisons = 1000}));
  CHECK(refused(from.program(), errc::ark_to_nac_limit, {.max_comparisons = 1}) ==
        "$ more views of the same memory than max_comparisons compares");

  ark::builder many;  // one instruction each, an INPUT and an OUTPUT
  for (const std::uint32_t count : {nac::max_instructions - 2, nac::max_instructions - 1}) {
    ark::builder c;
    value y = c.tensor({1}, data_type::fp32);
    for (std::uint32_t k = 0; k < count; ++k) y = c.relu(y);
    auto long_model = c.finish();
    REQUIRE(long_model);
    auto p = ark::verify(std::move(*long_model), {.hazards = false});
    REQUIRE(p);
    if (count == nac::max_instructions - 2)
      CHECK(transform::to_nac(*p));
    else
      CHECK(refused(*p, errc::ark_to_nac_limit) ==
            " more than 65535 instructions; expected at most that many");
  }
}
