// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Between which values the results of a network are, for some inputs.
//
//   calibration seen(program, options, ends, "small");    // NAC's machine is run
//   seen.of(12)[0].least                      // of the first result of instruction 12
//
// Lifetime:   the program is needed to make it only.
// Errors:     throws a refusal: of a run.
// Limits:     those of a run.
// Allocation: that of a run; a range for each result.

#ifndef TESSERA_TRANSFORM_LOWER_CALIBRATE_HPP
#define TESSERA_TRANSFORM_LOWER_CALIBRATE_HPP

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tessera/transform/lower.hpp"
#include "vm/nac/interpreter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

/// Of nothing: the least is greater than the greatest. One with a NaN is infinite.
struct value_range {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();

  [[nodiscard]] bool exists() const noexcept { return least <= greatest; }
  [[nodiscard]] bool is_finite() const noexcept;
  void include(const value_range& other) noexcept;
  void include(double x) noexcept;
};

class calibration {
 public:
  /// `ends` are those of the inputs, as lowered_port has them; `device` is named where what a run is
  /// given doesn't fit.
  calibration(const nac::program& p, const lower_options& options,
              const std::vector<std::int64_t>& ends, const std::string& device);
  /// Of each tensor of float32 that an instruction gives; another is empty.
  [[nodiscard]] const std::vector<value_range>& of(std::uint32_t instruction) const noexcept {
    return ranges_[instruction];
  }

 private:
  void see(std::uint32_t instruction, const vm::nac::value& v);

  std::vector<std::vector<value_range>> ranges_;
};

/// The type of an input.
[[nodiscard]] inline nac::data_type type_of(const lower_options& options, std::size_t input) {
  return input < options.types.size() ? options.types[input] : nac::data_type::float32;
}
/// The elements of the inputs of run `k`: given ones, or random ones: floats between -1 and 1, truth
/// values, integers below their end.
[[nodiscard]] std::vector<std::vector<float>> calibration_inputs(
    const lower_options& options, const std::vector<std::int64_t>& ends, std::size_t k);
/// They as a tensor of its type.
[[nodiscard]] vm::nac::tensor input_of(vm::nac::memory& arena, const lower_options& options,
                                       std::size_t input, const std::vector<float>& elements);

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_CALIBRATE_HPP
