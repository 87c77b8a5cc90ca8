// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "vm/nac/in_place.hpp"

#include <fstream>
#include <sstream>

#include "vm/nac/build.hpp"
#include "vm/nac/types.hpp"

using namespace vm_nac_tests;
using nac::data_type;
using tessera::errc;

namespace {

using list = std::vector<double>;

[[nodiscard]] list numbers(const vm::value& v) {
  REQUIRE(v.is_tensor());
  const vm::tensor& t = v.as_tensor();
  list out(t.size());
  vm::cast(t.type, t.data, data_type::float64,
           static_cast<std::byte*>(static_cast<void*>(out.data())), out.size());
  return out;
}
[[nodiscard]] vm::tensor floats(vm::interpreter& m, const vm::shape& dims, const list& values) {
  vm::tensor t = vm::make_tensor(m.arena(), data_type::float32, dims);
  REQUIRE(t.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) t.as<float>()[i] = static_cast<float>(values[i]);
  return t;
}
/// The outputs, one after another, or the error.
[[nodiscard]] std::vector<list> outputs_of(vm::interpreter& m, std::string& why) {
  const vm::outcome done = m.run();
  why = done ? "" : std::string(tessera::error{done.code, 0}.name()) + ": " + done.text;
  std::vector<list> out;
  for (const vm::value& v : m.outputs()) out.push_back(numbers(v));
  return out;
}
/// The same with one input of floats.
[[nodiscard]] std::vector<list> outputs_of(const builder& b, const vm::shape& dims, const list& x,
                                           std::string& why) {
  const built made = b.build();
  vm::interpreter m(*made.program);
  m.set_input(0, floats(m, dims, x));
  return outputs_of(m, why);
}
[[nodiscard]] std::vector<list> outputs_of(const builder& b, const vm::shape& dims, const list& x) {
  std::string why;
  std::vector<list> out = outputs_of(b, dims, x, why);
  INFO(why);
  CHECK(why.empty());
  return out;
}
[[nodiscard]] std::string error_of(const builder& b, const vm::shape& dims, const list& x) {
  std::string why;
  CHECK(outputs_of(b, dims, x, why).empty());
  return why;
}

struct recorded {
  std::string text;
  std::vector<vm::shape> dims;
  std::vector<list> outputs;
};
[[nodiscard]] std::vector<recorded> read_recorded() {
  std::ifstream in(TESSERA_TESTS_DATA_DIR "/nac/in_place.txt");
  REQUIRE(in);
  std::vector<recorded> out;
  for (std::string line; std::getline(in, line);) {
    if (line[0] == '#') continue;
    if (line.substr(0, 8) == "program ") {
      out.emplace_back();
    } else if (line[0] == '=') {
      std::istringstream dims(line.substr(1, line.find(':') - 1)),
          values(line.substr(line.find(':') + 1));
      out.back().dims.emplace_back();
      for (std::int64_t d = 0; dims >> d;) out.back().dims.back().push_back(d);
      out.back().outputs.emplace_back();
      for (double v = 0; values >> v;) out.back().outputs.back().push_back(v);
    } else {
      out.back().text += line + '\n';
    }
  }
  return out;
}

}  // namespace

TEST_CASE("vm/nac/in_place: names of forms in place are those of operations", "[vm_nac]") {
  using nac::operation;
  CHECK(nac::find_operation("aten.relu_.default") == operation::relu);
  CHECK(nac::find_operation("aten.add_.Scalar") == operation::add);
  CHECK(nac::find_operation("aten.transpose_.default") == operation::transpose);
  CHECK(nac::find_operation("aten.__iand__.Tensor") == operation::bitwise_and);
  CHECK(nac::find_operation("aten.zero_.default") == operation::zeros_like);
  CHECK(nac::find_operation("aten.resize_.default") == operation::resize);
  CHECK(nac::find_operation("aten.__iadd__.Tensor") == operation::unknown);
  CHECK(nac::is_in_place("aten.relu_.default"));
  CHECK(nac::is_in_place("aten.__ior__.Scalar"));
  for (const char* const name :
       {"aten.relu.default", "aten.__and__.Tensor", "_", "__", ".", "", "_.default", "_.",
        "__.default", "._.", "___", "aten._to_copy.default", "mul", "aten.__invert__.default"})
    CHECK_FALSE(nac::is_in_place(name));
  for (const char* const name :
       {"aten.silu_.default",        "aten.hardswish_.default",   "aten.hardtanh_.default",
        "aten.leaky_relu_.default",  "aten.sub_.Tensor",          "aten.mul_.Tensor",
        "aten.mul_.Scalar",          "aten.div_.Tensor",          "aten.div_.Scalar",
        "aten.clamp_.default",       "aten.fill_.Scalar",         "aten.fill_.Tensor",
        "aten.copy_.default",        "aten.masked_fill_.Scalar",  "aten.masked_fill_.Tensor",
        "aten.scatter_.src",         "aten.scatter_.value",       "aten.scatter_add_.default",
        "aten.dropout_.default",     "aten.detach_.default",      "aten.squeeze_.dim",
        "aten.unsqueeze_.default",   "aten.t_.default",           "aten.exp_.default",
        "aten.sigmoid_.default",     "aten.tanh_.default",        "aten.sqrt_.default",
        "aten.neg_.default",         "aten.floor_divide_.Tensor", "aten.pow_.Scalar",
        "aten.bitwise_not_.default", "aten.cumsum_.default",      "aten.addcmul_.default"}) {
    INFO(name);
    CHECK(nac::find_operation(name) != operation::unknown);
  }
}

TEST_CASE("vm/nac/in_place: resize_ changes the shape of what is used after it", "[vm_nac]") {
  builder b;
  const operand x = b.op("aten.relu.default", {b.input()});
  (void)b.op("aten.resize_.default", {x, b.int_list({3, 2})});
  b.output({b.op("aten.select.int", {x, b.whole(0), b.whole(1)})});
  CHECK(outputs_of(b, {2, 3}, {1, 2, 3, 4, 5, 6}) == std::vector<list>{{3, 4}});

  builder more;
  const operand y = more.op("aten.relu.default", {more.input()});
  more.output({more.op("aten.resize_.default", {y, more.int_list({7})})});
  CHECK(error_of(more, {2, 3}, {1, 2, 3, 4, 5, 6}).find("nac_run_shape") == 0);
}

TEST_CASE("vm/nac/in_place: random programs give what PyTorch does", "[vm_nac]") {
  std::size_t right = 0, refused = 0;
  for (const recorded& r : read_recorded()) {
    INFO(r.text);
    const auto parts = nac::assemble(r.text);
    REQUIRE(parts);
    const auto bytes = nac::write(*parts);
    REQUIRE(bytes);
    const auto file = nac::read(tessera::bytes(bytes->data(), bytes->size()));
    REQUIRE(file);
    const auto program = nac::verify(*file);
    REQUIRE(program);
    for (const vm::freeing frees : {vm::freeing::never, vm::freeing::computed}) {
      vm::interpreter m(*program, {.frees = frees});
      if (!m.made()) {
        // Only what may be a view.
        CHECK(m.made().code == errc::nac_run_in_place);
        CHECK(m.made().text.find("depends on strides") != std::string::npos);
        ++refused;
        continue;
      }
      list x(24);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) - 11.5;
      m.set_input(0, floats(m, {2, 3, 4}, x));
      for (int again = 0; again < 2; ++again) {
        std::string why;
        const std::vector<list> got = outputs_of(m, why);
        INFO(why);
        REQUIRE(why.empty());
        CHECK(got == r.outputs);
        for (std::size_t i = 0; i < got.size() && i < r.dims.size(); ++i)
          CHECK(m.outputs()[i].as_tensor().dims == r.dims[i]);
        ++right;
      }
    }
  }
  CHECK(right > 5 * refused);
}

TEST_CASE("vm/nac/in_place: what is written into a part is in the whole", "[vm_nac]") {
  builder b;
  const operand x = b.input();
  const operand part = b.op("aten.select.int", {x, b.whole(1), b.whole(0)});
  const operand rows = b.op("aten.split.Tensor", {x, b.whole(1)});
  const operand last = b.op("operator.getitem", {rows, b.whole(1)});
  b.op("aten.copy_.default", {part, b.op("aten.neg.default", {part})});
  b.op("aten.zero_.default", {last});
  b.output({x, part, b.op("operator.getitem", {rows, b.whole(0)}), last});
  CHECK(outputs_of(b, {2, 2}, {1, 2, 3, 4}) ==
        std::vector<list>{{-1, 2, 0, 0}, {-1, 0}, {-1, 2}, {0, 0}});
}

TEST_CASE("vm/nac/in_place: a base that nothing used for a while is written", "[vm_nac]") {
  builder b;
  const operand x = b.input();
  const operand y = b.op("aten.relu_.default", {x});  // the last use of x by its own name
  const operand part = b.op("aten.select.int", {y, b.whole(0), b.whole(0)});
  b.op("aten.fill_.Scalar", {part, b.real(7)});
  b.output({y});
  CHECK(outputs_of(b, {3}, {-1, -2, 3}) == std::vector<list>{{7, 0, 3}});
}

TEST_CASE("vm/nac/in_place: the caller's tensors and parameters stay as they are", "[vm_nac]") {
  builder b;
  const operand x = b.input(), p = b.parameter({2}, {1, 2});
  b.op("aten.add_.Tensor", {p, x});
  b.op("aten.mul_.Scalar", {x, b.real(2)});
  b.output({x, p});
  const built made = b.build();
  for (const bool keep : {true, false}) {
    vm::interpreter m(*made.program, {.keep_parameters = keep});
    const vm::tensor given = floats(m, {2}, {3, 4});
    m.set_input(0, given);
    for (int run = 0; run < 3; ++run) {
      std::string why;
      CHECK(outputs_of(m, why) == std::vector<list>{{6, 8}, {4, 6}});
      CHECK(numbers(given) == list{3, 4});
    }
  }
}

TEST_CASE("vm/nac/in_place: what a state becomes is its value for later runs", "[vm_nac]") {
  builder b;
  const operand x = b.input(), s = b.state(0);
  b.op("aten.fill_.Scalar", {b.op("aten.select.int", {s, b.whole(0), b.whole(1)}), b.real(5)});
  const operand sum = b.op("aten.add_.Tensor", {s, x});
  b.output({sum});
  const built made = b.build();
  vm::interpreter m(*made.program);
  m.set_input(0, floats(m, {2}, {1, 1}));
  REQUIRE(m.set_state(0, floats(m, {2}, {10, 20})) == errc::ok);
  std::string why;
  CHECK(outputs_of(m, why) == std::vector<list>{{11, 6}});
  CHECK(outputs_of(m, why) == std::vector<list>{{12, 6}});
  CHECK(numbers(*m.state(0)) == list{12, 6});
  m.set_input(0, floats(m, {3}, {1, 1, 1}));  // a run with a fault leaves it
  CHECK(outputs_of(m, why).empty());
  CHECK(numbers(*m.state(0)) == list{12, 6});
}

TEST_CASE("vm/nac/in_place: results have the type and shape of what they replace", "[vm_nac]") {
  const auto type_of = [](const char* type, const char* name, double number) {
    builder b;
    const operand x = b.input();
    const operand y = b.op("aten._to_copy.default", {x, b.string(type)});
    b.op(name, {y, b.real(number)});
    b.output({y});
    const built made = b.build();
    vm::interpreter m(*made.program);
    m.set_input(0, floats(m, {2}, {1, 2}));
    const vm::outcome done = m.run();
    return done ? std::string(nac::name(m.outputs()[0].as_tensor().type)) : done.text;
  };
  CHECK(type_of("float16", "aten.add_.Scalar", 0.5) == "f16");
  CHECK(type_of("int32", "aten.add_.Scalar", 2) == "i32");
  CHECK(type_of("int32", "aten.gt_.Scalar", 1) == "i32");
  CHECK(type_of("float64", "aten.gt_.Scalar", 1) == "f64");
  CHECK(type_of("int64", "aten.div_.Scalar", 2) ==
        "the result has type f32; expected i64, that of the target");
  CHECK(type_of("bool", "aten.mul_.Scalar", 2) ==
        "the result has type i64; expected bool, that of the target");
  CHECK(type_of("int32", "aten.add_.Scalar", 0.5) ==
        "the result has type f32; expected i32, that of the target");
  builder b;
  const operand x = b.input();
  const operand row = b.op("aten.select.int", {x, b.whole(0), b.whole(0)});
  b.op("aten.add_.Tensor", {row, x});
  b.output({row});
  CHECK(error_of(b, {2, 2}, {1, 2, 3, 4}) ==
        "nac_run_shape: the result has shape [2, 2]; expected [2], that of the target");
}

TEST_CASE("vm/nac/in_place: what can't be followed is refused before it runs", "[vm_nac]") {
  const auto refused = [](const auto& make) {
    builder b;
    make(b, b.input());
    const built made = b.build();
    const vm::interpreter m(*made.program);
    CHECK(m.made().code == errc::nac_run_in_place);
    return m.made().text;
  };
  CHECK(refused([](builder& b, operand x) {
          const operand flat = b.op("aten.reshape.default", {x, b.int_list({-1})});
          b.op("aten.relu_.default", {x});
          b.output({flat});
        }) ==
        "aten.relu_.default: whether v1, aten.reshape.default, changes with it depends on strides, "
        "which NAC doesn't store");
  CHECK(refused([](builder& b, operand x) {
          b.parameter({1}, {2});
          b.op("aten.add_.Tensor", {x, b.whole(1)});
          const auto again = b.instruction(nac::op_input, 1, {0}, {});
          b.op("aten.relu_.default", {again});
          b.output({again});
        }) ==
        "aten.relu_.default: v3 and another INPUT have the same contents; only one of them would "
        "change");
  CHECK(refused([](builder& b, operand x) {
          const operand both = b.op("aten.max.dim", {x, b.whole(0)});
          const operand first = b.op("operator.getitem", {both, b.whole(0)});
          b.op("aten.relu_.default", {first});
          b.output({both, first});
        }) ==
        "aten.relu_.default: whether v1, aten.max.dim, changes with it depends on strides, "
        "which NAC doesn't store");
  CHECK(refused([](builder& b, operand x) {
          b.op("aten.add_.Tensor", {b.whole(1), x});
          b.output({x});
        }).find("the target is a constant") != std::string::npos);
  // Other elements of the list aren't changed with it.
  builder b;
  const operand both = b.op("aten.max.dim", {b.input(), b.whole(1)});
  const operand first = b.op("operator.getitem", {both, b.whole(0)});
  b.op("aten.neg_.default", {first});
  b.output({first, b.op("operator.getitem", {both, b.whole(1)})});
  CHECK(outputs_of(b, {1, 3}, {1, 3, 2}) == std::vector<list>{{-3}, {1}});
}

TEST_CASE("vm/nac/in_place: a branch changes what it runs", "[vm_nac]") {
  for (const bool holds : {true, false}) {
    builder b;
    const operand x = b.input(), yes = b.input();
    const operand part = b.op("aten.select.int", {x, b.whole(0), b.whole(0)});
    const auto here = static_cast<std::uint32_t>(b.parts.instructions.size());
    b.instruction(nac::op_control_flow, 0, {1, 1}, {static_cast<std::uint16_t>(yes.index - here)});
    b.op("aten.neg_.default", {part});
    b.op("aten.mul_.Scalar", {x, b.real(10)});
    b.output({x, part});
    const built made = b.build();
    vm::interpreter m(*made.program);
    m.set_input(0, floats(m, {2}, {1, 2}));
    m.set_input(1, floats(m, {1}, {holds ? 1.0 : 0.0}));
    std::string why;
    CHECK(outputs_of(m, why) ==
          (holds ? std::vector<list>{{-1, 2}, {-1}} : std::vector<list>{{10, 20}, {10}}));
  }
}

TEST_CASE("vm/nac/in_place: elements written by index show in what is a part of them", "[vm_nac]") {
  builder b;
  const operand x = b.input();
  const operand row = b.op("aten.select.int", {x, b.whole(0), b.whole(0)});
  const operand at = b.op("aten.arange.start_step", {b.whole(0), b.whole(4), b.whole(2)});
  const operand ones = b.op("aten.ones_like.default", {row});
  const operand two = b.op("aten.slice.Tensor", {ones, b.whole(0), b.whole(0), b.whole(2)});
  b.op("aten.index_put_.default", {row, at, two});              // {1, 7, 1, 9}
  b.op("aten.index_add_.default", {row, b.whole(0), at, two});  // {2, 7, 2, 9}
  b.op("aten.index_copy_.default",
       {b.op("aten.select.int", {x, b.whole(0), b.whole(1)}), b.whole(0), at, two});
  b.output({x, row});
  CHECK(outputs_of(b, {2, 4}, {6, 7, 8, 9, 10, 11, 12, 13}) ==
        std::vector<list>{{2, 7, 2, 9, 1, 11, 1, 13}, {2, 7, 2, 9}});
}
