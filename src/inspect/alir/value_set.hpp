// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Sets of int64 that hold the values of an operation: an interval, a grid, and what is known to be
// reached. All functions are those of the machine, which wraps around at 64 bits.
//
//   value_set sum = add(shifted(a, 3), b);
//   if (sum.full) ...   // each of its numbers is a value for some inputs
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_INSPECT_ALIR_VALUE_SET_HPP
#define TESSERA_INSPECT_ALIR_VALUE_SET_HPP

#include <cstdint>

#include "vm/alir/range.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// The numbers r.low + k·2^grid up to r.high: the values are among them.
struct value_set {
  vm::alir::range r;
  std::uint8_t grid = 0;
  bool ends = true;          ///< r.low and r.high are values
  bool full = true;          ///< all of them are values
  bool wraps = false;        ///< 64 bits may not have been enough
  std::uint64_t inputs = 0;  ///< the inputs that decide: bit j % 64 for input j

  [[nodiscard]] bool is_single() const noexcept { return r.low == r.high; }
  /// The same for all inputs.
  [[nodiscard]] bool is_constant() const noexcept { return is_single() && inputs == 0; }
  /// The distance of the ends.
  [[nodiscard]] std::uint64_t span() const noexcept {
    return static_cast<std::uint64_t>(r.high) - static_cast<std::uint64_t>(r.low);
  }
  [[nodiscard]] bool on_grid(std::int64_t v) const noexcept {
    return ((static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(r.low)) &
            ((std::uint64_t{1} << grid) - 1)) == 0;
  }
  [[nodiscard]] bool holds(std::int64_t v) const noexcept {
    return v >= r.low && v <= r.high && on_grid(v);
  }
};

[[nodiscard]] value_set single(std::int64_t v) noexcept;
/// Any values of that range.
[[nodiscard]] value_set somewhere(const vm::alir::range& r, std::uint64_t inputs) noexcept;
/// Whether the values of one say nothing about those of the other.
[[nodiscard]] bool independent(const value_set& a, const value_set& b) noexcept;

/// The part within `limits`; `limits` if there is none.
[[nodiscard]] value_set clipped(const value_set& x, const vm::alir::range& limits) noexcept;
[[nodiscard]] value_set either(const value_set& a, const value_set& b) noexcept;

[[nodiscard]] value_set negated(const value_set& x) noexcept;
[[nodiscard]] value_set add(const value_set& a, const value_set& b) noexcept;
[[nodiscard]] value_set subtract(const value_set& a, const value_set& b) noexcept;
[[nodiscard]] value_set multiply(const value_set& a, const value_set& b) noexcept;
/// x times a constant.
[[nodiscard]] value_set scaled(const value_set& x, std::int64_t by) noexcept;
[[nodiscard]] value_set square(const value_set& x) noexcept;
/// To the left, or to the right when `by` is negative; by at most 63 bits.
[[nodiscard]] value_set shifted(const value_set& x, std::int64_t by) noexcept;
[[nodiscard]] value_set not_negative(const value_set& x) noexcept;
[[nodiscard]] value_set wrapped(const value_set& x, tessera::alir::fixed_type t) noexcept;
[[nodiscard]] value_set bitwise(tessera::alir::binary_bits what, const value_set& a,
                                const value_set& b) noexcept;

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_VALUE_SET_HPP
