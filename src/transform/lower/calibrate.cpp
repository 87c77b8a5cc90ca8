// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/calibrate.hpp"

#include <algorithm>
#include <cmath>

#include "io/random.hpp"
#include "transform/lower/steps.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

/// Runs on random inputs: as many as give each input about so many elements.
constexpr std::size_t random_elements = 4096, min_runs = 4, max_runs = 64;

[[nodiscard]] std::size_t random_runs(const lower_options& options) {
  std::size_t least = random_elements;
  for (const std::vector<std::int64_t>& shape : options.shapes)
    least = std::min(least, static_cast<std::size_t>(product(shape)));
  return std::clamp(random_elements / std::max<std::size_t>(least, 1), min_runs, max_runs);
}

/// Calls see(instruction, value) with what each instruction gives.
template <class F>
struct result_observer : vm::nac::no_observer {
  const vm::nac::interpreter& machine;
  F see;

  result_observer(const vm::nac::interpreter& m, F f) : machine(m), see(std::move(f)) {}
  void end(const vm::nac::event& e) { see(e.instruction, machine.result(e.instruction)); }
};

}  // namespace

bool value_range::is_finite() const noexcept {
  return exists() && std::isfinite(least) && std::isfinite(greatest);
}

void value_range::include(const value_range& other) noexcept {
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
}

void value_range::include(double x) noexcept {
  if (std::isnan(x)) x = std::numeric_limits<double>::infinity();
  least = std::min(least, x);
  greatest = std::max(greatest, x);
}

std::vector<std::vector<float>> calibration_inputs(const lower_options& options,
                                                   const std::vector<std::int64_t>& ends,
                                                   std::size_t k) {
  if (!options.calibration.empty()) return options.calibration[k % options.calibration.size()];
  std::vector<std::vector<float>> out;
  std::uint64_t random = options.seed + (std::uint64_t{k} << 32);
  for (std::size_t i = 0; i < options.shapes.size(); ++i) {
    const nac::data_type type = type_of(options, i);
    // Integers that index nothing may count something: few of them are sure to be anywhere.
    const bool has_end = type != nac::data_type::boolean && i < ends.size() && ends[i] != 0;
    const double end = has_end ? static_cast<double>(ends[i]) : 2;
    for (std::int64_t n = product(options.shapes[i]); n != 0; --n) {
      if (out.size() == i) out.emplace_back();
      const double fraction = static_cast<double>(io::next_bits(random) >> 11) * 0x1p-53;
      const double x = is_floating(type) ? 2 * fraction - 1 : std::floor(fraction * end);
      out[i].push_back(static_cast<float>(x));
    }
    out.resize(i + 1);
  }
  return out;
}

vm::nac::tensor input_of(vm::nac::memory& arena, const lower_options& options, std::size_t input,
                         const std::vector<float>& elements) {
  vm::nac::tensor x =
      vm::nac::make_tensor(arena, type_of(options, input), vm::nac::shape(options.shapes[input]));
  vm::nac::visit(x.type, [&]<class T>(vm::nac::of<T>) {
    for (std::size_t e = 0; e < elements.size(); ++e)
      x.as<T>()[e] = vm::nac::convert<T>(elements[e]);
  });
  return x;
}

calibration::calibration(const nac::program& p, const lower_options& options,
                         const std::vector<std::int64_t>& ends, const std::string& device)
    : ranges_(p.code().steps.size()) {
  vm::nac::interpreter machine(p, {.max_memory = options.limit.max_memory});
  const std::size_t runs =
      options.calibration.empty() ? random_runs(options) : options.calibration.size();
  for (std::size_t k = 0; k < runs; ++k) {
    const std::vector<std::vector<float>> inputs = calibration_inputs(options, ends, k);
    for (std::size_t i = 0; i < p.inputs().size(); ++i) {
      const std::uint32_t at = p.inputs()[i].instruction;
      const auto size = static_cast<std::size_t>(product(options.shapes[i]));
      if (i >= inputs.size() || inputs[i].size() != size)
        throw refusal{errc::nac_lower_shape, at,
                      "v" + std::to_string(at) + " on " + device + ": run " + std::to_string(k) +
                          " of the calibration has " +
                          std::to_string(i < inputs.size() ? inputs[i].size() : 0) +
                          " elements for input " + std::to_string(i) + "; expected " +
                          std::to_string(size)};
      machine.set_input(i, input_of(machine.arena(), options, i, inputs[i]));
    }
    const auto note = [&](std::uint32_t at, const vm::nac::value& v) {
      const nac::step& s = p.code().steps[at];
      const bool is_input =
          s.a == nac::op_input && s.b == static_cast<std::uint8_t>(nac::input::user);
      if (is_input || s.a >= nac::first_regular_op) see(at, v);
    };
    const vm::nac::outcome done = machine.run(options.limit, result_observer(machine, note));
    if (!done) throw refusal{done.code, done.instruction, done.text};
  }
}

void calibration::see(std::uint32_t instruction, const vm::nac::value& v) {
  const std::size_t count = v.is_tensor() ? 1 : v.is_list() ? v.as_list().size() : std::size_t{0};
  std::vector<value_range>& to = ranges_[instruction];
  to.resize(std::max(to.size(), count));
  for (std::size_t k = 0; k < count; ++k) {
    const vm::nac::value& one = v.is_tensor() ? v : v.as_list()[k];
    if (!one.is_tensor() || one.as_tensor().type != nac::data_type::float32) continue;
    for (const float x : one.as_tensor().elements<const float>()) to[k].include(double{x});
  }
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
