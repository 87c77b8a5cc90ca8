// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Networks in both formats: run on the same random inputs, converted, and compared.
//
//   const ark_network_case from(model);            // verified; FAILs if it isn't
//   const std::vector<array> in = from.random_inputs(seed);
//   compare(from.run(in), nac_case(from).run(in));

#ifndef TESSERA_TESTS_TRANSFORM_CONVERTED_HPP
#define TESSERA_TESTS_TRANSFORM_CONVERTED_HPP

#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "optimized.hpp"
#include "tessera/ark.hpp"
#include "tessera/inspect/ark/flow.hpp"
#include "tessera/transform/convert.hpp"
#include "tessera/vm/ark.hpp"
#include "tessera/vm/nac.hpp"
#include "transform/agreement.hpp"
#include "vm/nac/interpreter.hpp"
#include "vm/nac/load.hpp"

namespace convert_tests {

using namespace tessera;
namespace vn = tessera::vm::nac;

/// Elements in C order, little-endian.
struct array {
  nac::data_type type = nac::data_type::float32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;
};

/// Numbers that are the same everywhere.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  [[nodiscard]] std::size_t below(std::size_t end) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>((state_ >> 20) % end);
  }
  /// From -2 to 2; whole ones from 0 to 2, which are rows of every table.
  [[nodiscard]] double next(bool is_whole) {
    return is_whole ? static_cast<double>(below(3))
                    : static_cast<double>(below(1 << 16)) / (1 << 14) - 2;
  }

 private:
  std::uint64_t state_;
};

[[nodiscard]] inline array random_array(nac::data_type type, std::vector<std::int64_t> shape,
                                        random_numbers& from) {
  vn::memory arena(std::uint64_t{1} << 30);
  vn::tensor t = vn::make_tensor(arena, nac::data_type::float64, vn::shape(std::span(shape)));
  for (double& v : t.elements<double>()) v = from.next(!nac::is_floating(type));
  const vn::tensor as = vn::cast(arena, t, type);
  array out{type, std::move(shape), std::vector<std::byte>(as.bytes())};
  vn::store(as, out.data.data());
  return out;
}

[[nodiscard]] inline array as_int32(const array& x) {
  array out{nac::data_type::int32, x.shape, {}};
  for (std::size_t i = 0; i < x.data.size(); i += 8)
    out.data.insert(out.data.end(), x.data.begin() + static_cast<std::ptrdiff_t>(i),
                    x.data.begin() + static_cast<std::ptrdiff_t>(i) + 4);
  return out;
}

[[nodiscard]] inline nac::data_type type_of(ark::data_type t) {
  switch (t) {
    case ark::data_type::fp32: return nac::data_type::float32;
    case ark::data_type::fp16: return nac::data_type::float16;
    case ark::data_type::bf16: return nac::data_type::bfloat16;
    case ark::data_type::int32: return nac::data_type::int32;
    case ark::data_type::int8: return nac::data_type::int8;
    default: return nac::data_type::uint8;
  }
}

/// A verified model of one rank.
class ark_case {
 public:
  explicit ark_case(ark::model g, std::string_view source = {}) {
    tessera::report found;
    auto p = ark::verify(std::move(g), {.hazards = false, .source = source}, &found);
    const source_file file{"model.json", source};
    const text shown = describe(found, {&file, 1});
    INFO(shown.view());
    REQUIRE(p);
    program_ = std::make_unique<ark::program>(std::move(*p));
    const ark::program* const one = program_.get();
    auto w = ark::verify_ranks({&one, 1});
    REQUIRE(w);
    world_.emplace(std::move(*w));
    flow_.emplace(program_->model());
  }
  [[nodiscard]] const ark::program& program() const { return *program_; }
  [[nodiscard]] const inspect::flow& ends() const { return *flow_; }

  [[nodiscard]] std::vector<std::int64_t> shape_of(std::uint32_t tensor) const {
    const ark::layout& l = layout_of(program_->model(), tensor);
    return {l.shape, l.shape + l.rank};
  }
  [[nodiscard]] std::vector<array> random_inputs(std::uint64_t seed) const {
    random_numbers from(seed);
    std::vector<array> out;
    for (const std::uint32_t t : flow_->inputs())
      out.push_back(random_array(type_of(program_->model().tensors[t].type), shape_of(t), from));
    return out;
  }
  /// In the order of the flow.
  [[nodiscard]] std::vector<array> run(const std::vector<array>& in) const {
    REQUIRE(in.size() == flow_->inputs().size());
    return run([&](vm::ark::machine& machine) {
      for (std::size_t i = 0; i < in.size(); ++i)
        REQUIRE(machine.write(0, flow_->inputs()[i], in[i].data));
    });
  }
  template <std::invocable<vm::ark::machine&> Set>
  [[nodiscard]] std::vector<array> run(const Set& set) const {
    vm::ark::machine machine(*world_);
    INFO(machine.made().text);
    REQUIRE(machine.made());
    set(machine);
    const auto done = machine.run();
    INFO(done.text);
    REQUIRE(done);
    std::vector<array> out;
    for (const std::uint32_t t : flow_->outputs()) {
      array a{type_of(program_->model().tensors[t].type), shape_of(t), {}};
      std::size_t count = nac::size_of(a.type);
      for (const std::int64_t d : a.shape) count *= static_cast<std::size_t>(d);
      a.data.resize(count);
      REQUIRE(machine.read(0, t, a.data));
      out.push_back(std::move(a));
    }
    return out;
  }
  /// The same, of inputs by the names of their nodes; those that the model lacks are left out.
  [[nodiscard]] std::vector<array> run(const std::map<std::string, array>& in) const {
    const auto set = [&](vm::ark::machine& machine) {
      const ark::model& g = program_->model();
      for (const ark::op& o : g.ops)
        if (const auto a = in.find(std::string(ark::name(g, o))); a != in.end())
          REQUIRE(machine.write(0, results(g, o)[0], a->second.data));
    };
    return run(set);
  }

 private:
  std::unique_ptr<ark::program> program_;
  std::optional<ark::world> world_;
  std::optional<inspect::flow> flow_;
};

[[nodiscard]] inline std::vector<array> run_nac(const nac::program& p,
                                                const std::vector<array>& in) {
  vn::interpreter machine(p);
  REQUIRE(machine.made());
  REQUIRE(in.size() == p.inputs().size());
  for (std::size_t i = 0; i < in.size(); ++i)
    machine.set_input(i, vn::load(machine.arena(), in[i].type, vn::shape(std::span(in[i].shape)),
                                  bytes(in[i].data.data(), in[i].data.size())));
  const vn::outcome done = machine.run();
  INFO("v" << done.instruction << ": " << done.text);
  REQUIRE(done);
  std::vector<array> out;
  for (const vn::value& v : machine.outputs()) {
    REQUIRE(v.is_tensor());
    const vn::tensor& t = v.as_tensor();
    array a{t.type, {t.dims.begin(), t.dims.end()}, std::vector<std::byte>(t.bytes())};
    vn::store(t, a.data.data());
    out.push_back(std::move(a));
  }
  return out;
}

/// Same shapes and types; floats within the rounding of their type, integers exactly.
inline void compare(const std::vector<array>& expected, const std::vector<array>& found,
                    double slack = 1) {
  REQUIRE(found.size() == expected.size());
  vn::memory arena(std::uint64_t{1} << 30);
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("output " << i << " of " << found.size());
    const array& b = found[i];
    // ARK has integers of 32 bits.
    const bool is_narrowed =
        expected[i].type == nac::data_type::int64 && b.type == nac::data_type::int32;
    array a = is_narrowed ? as_int32(expected[i]) : expected[i];
    if (a.type == nac::data_type::boolean && b.type == nac::data_type::uint8) a.type = b.type;
    CHECK(a.type == b.type);
    CHECK((a.shape == b.shape || (a.shape.empty() && b.shape == std::vector<std::int64_t>{1})));
    REQUIRE(a.data.size() == b.data.size());
    const auto tensor_of = [&](const array& x) {
      return vn::load(arena, x.type, vn::shape(std::span(a.shape)),
                      bytes(x.data.data(), x.data.size()));
    };
    const double by = transform::distance(tensor_of(a), tensor_of(b));
    CHECK(by <= slack * transform::rounding_of(a.type));
  }
}

/// What becomes of a rank.
[[nodiscard]] inline transform_tests::container to_nac(const ark_case& from) {
  tessera::report found;
  const auto made = transform::to_nac(from.program(), {}, &found);
  const text shown = describe(found, {});
  INFO(shown.view());
  REQUIRE(made);
  auto written = nac::write(*made);
  INFO((written ? "" : written.error().name()));
  REQUIRE(written);
  return transform_tests::container(std::move(*written));
}

/// What becomes of a container, and its weights.
struct network {
  ark_case model;
  std::vector<transform::ark_weight> weights;
};
[[nodiscard]] inline network to_ark(const nac::program& p,
                                    const std::vector<transform::input_form>& forms) {
  tessera::report found;
  auto made = transform::to_ark(p, {.inputs = forms}, &found);
  const text shown = describe(found, {});
  INFO(shown.view());
  REQUIRE(made);
  // Through a file, as users have it.
  const auto written = ark::write(made->model, {.to = ark::dialect::d3});
  INFO((written ? "" : written.error().name()));
  REQUIRE(written);
  auto read = ark::read(written->view());
  REQUIRE(read);
  return {ark_case(std::move(*read), written->view()), std::move(made->weights)};
}
/// The first error of a conversion that must be refused: "v2 = aten.erf.default: …".
[[nodiscard]] inline std::string refusal(const nac::program& p,
                                         const std::vector<transform::input_form>& forms,
                                         errc code) {
  tessera::report found;
  const auto made = transform::to_ark(p, {.inputs = forms}, &found);
  REQUIRE(!made);
  CHECK(made.error().name() == error{code}.name());
  REQUIRE(!found.diagnostics.empty());
  const diagnostic& d = found.diagnostics[0];
  CHECK(made.error().offset == d.where.offset);
  const std::string_view path = found.text_of(d.path), instruction = "instruction ";
  if (path.starts_with(instruction)) {  // at its first byte
    const std::size_t i = std::stoul(std::string(path.substr(instruction.size())));
    CHECK(d.where.offset == p.model().instructions().offset() + p.code().steps[i].offset);
  }
  return std::string(found.text_of(d.text));
}

/// A container, what ARK makes of it, and what a container makes of that, on the same inputs.
inline void round_trip(const nac::program& p, const std::vector<transform::input_form>& forms,
                       const std::vector<array>& in, double slack) {
  std::map<std::string, array> named;
  // ARK has int64 of what only moves, and of rows of tables, as INT32.
  for (std::size_t i = 0; i < in.size(); ++i) {
    named[forms[i].name] = in[i].type == nac::data_type::int64 ? as_int32(in[i]) : in[i];
    if (in[i].type == nac::data_type::boolean) named[forms[i].name].type = nac::data_type::uint8;
  }
  const std::vector<array> expected = run_nac(p, in);
  const network there = to_ark(p, forms);
  for (const transform::ark_weight& w : there.weights) named[w.name] = {w.type, w.shape, w.data};
  compare(expected, there.model.run(named), slack);
  const transform_tests::container back = to_nac(there.model);
  std::vector<array> given;
  for (const nac::model_input& i : back.program().inputs()) {
    INFO(i.name);
    REQUIRE(named.count(std::string(i.name)) == 1);
    given.push_back(named[std::string(i.name)]);
  }
  compare(expected, run_nac(back.program(), given), slack);
}

/// The same on random inputs.
inline void round_trip(const nac::program& p, const std::vector<transform::input_form>& forms,
                       std::uint64_t seed, double slack = 1) {
  random_numbers from(seed);
  std::vector<array> in;
  for (const transform::input_form& f : forms) in.push_back(random_array(f.type, f.shape, from));
  round_trip(p, forms, in, slack);
}

}  // namespace convert_tests

#endif  // TESSERA_TESTS_TRANSFORM_CONVERTED_HPP
