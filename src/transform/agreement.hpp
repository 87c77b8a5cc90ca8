// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whether two programs computed the same.
//
//   const std::string why = difference(before.outputs(), after.outputs());   // "" or "output 1 is …"
//
// Types, shapes, and elements that aren't floats are equal. Floats differ by at most the rounding of
// their type, against the largest magnitude of their tensor; infinities and NaN are at the same places.

#ifndef TESSERA_TRANSFORM_AGREEMENT_HPP
#define TESSERA_TRANSFORM_AGREEMENT_HPP

#include <span>
#include <string>

#include "vm/nac/tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// 1e-5 of float32, 1e-10 of float64; 0 of other types than floats.
[[nodiscard]] double rounding_of(vm::nac::data_type t) noexcept;
/// The largest difference against the largest finite magnitude; infinite where only one of two
/// elements is a number. Both have one shape and type.
[[nodiscard]] double distance(const vm::nac::tensor& a, const vm::nac::tensor& b);
/// Empty where outputs agree.
[[nodiscard]] std::string difference(std::span<const vm::nac::value> before,
                                     std::span<const vm::nac::value> after);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_AGREEMENT_HPP
