// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/calibrate.hpp"

#include <algorithm>
#include <cmath>

#include "io/random.hpp"
#include "transform/lower/steps.hpp"

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

std::vector<std::vector<float>> calibration_inputs(const lower_options& options, std::size_t k) {
  if (!options.calibration.empty()) return options.calibration[k % options.calibration.size()];
  std::vector<std::vector<float>> out;
  std::uint64_t random = options.seed + (k << 32);
  for (const std::vector<std::int64_t>& shape : options.shapes) {
    std::vector<float>& x = out.emplace_back(static_cast<std::size_t>(product(shape)));
    for (float& e : x)
      e = static_cast<float>(static_cast<double>(io::next_bits(random) >> 11) * 0x1p-52 - 1);
  }
  return out;
}

calibration::calibration(const nac::program& p, const lower_options& options,
                         const std::string& device)
    : ranges_(p.code().steps.size()) {
  vm::nac::interpreter machine(p, {.max_memory = options.limit.max_memory});
  const std::size_t runs =
      options.calibration.empty() ? random_runs(options) : options.calibration.size();
  for (std::size_t k = 0; k < runs; ++k) {
    const std::vector<std::vector<float>> inputs = calibration_inputs(options, k);
    for (std::size_t i = 0; i < p.inputs().size(); ++i) {
      const std::uint32_t at = p.inputs()[i].instruction;
      vm::nac::tensor x = vm::nac::make_tensor(machine.arena(), nac::data_type::float32,
                                               vm::nac::shape(options.shapes[i]));
      if (i >= inputs.size() || inputs[i].size() != x.size())
        throw refusal{errc::nac_lower_shape, at,
                      "v" + std::to_string(at) + " on " + device + ": run " + std::to_string(k) +
                          " of the calibration has " +
                          std::to_string(i < inputs.size() ? inputs[i].size() : 0) +
                          " elements for input " + std::to_string(i) + "; expected " +
                          std::to_string(x.size())};
      std::copy(inputs[i].begin(), inputs[i].end(), x.elements<float>().begin());
      machine.set_input(i, std::move(x));
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
