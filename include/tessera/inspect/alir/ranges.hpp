// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which values each operation of an ALIR program can have.
//
//   const tessera::inspect::alir_ranges r(program, inspect::alir_assumption::intervals);
//   if (!r[i].within(r.declared(i))) warn(i);
//
// A forward pass of interval arithmetic on the integers of the machine, with the grid on which they
// lie. It is exact where an operation's operands depend on different inputs: then both ends are
// values for some inputs, and `is_reached` says so. Where they depend on the same input an interval
// may be too large; these cases are exact too, or nearly so:
//
//   the same operand twice    x - x·2^-3, x·x, x & x
//   sums of sums              (x + y) - x, where the plain interval exceeds what is declared
//   a mux and its condition   x < 0 ? -x : x, a - b < 0 ? b : a, likewise
//
// `alir_assumption::nothing` holds for all inputs: what emitted code may rely on.
// `alir_assumption::intervals` takes the file at its word: inputs lie within the intervals of the
// operations that read them, and so do the operands of each operation. So a program exceeds an
// interval where that begins, and not in all that follows. Only this one looks closer at sums and
// muxes, those that seem to exceed their interval.
//
// Lifetime:   borrows the program.
// Errors:     none.
// Limits:     what may pass 64 bits wraps around, and can be anything. Closer looks end after 1024
//             terms for each operation on average; the plain intervals remain.
// Allocation: 24 bytes for each operation; 32 more while it is made.

#ifndef TESSERA_INSPECT_ALIR_RANGES_HPP
#define TESSERA_INSPECT_ALIR_RANGES_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// What inputs and operands are taken to be.
enum class alir_assumption : std::uint8_t {
  nothing,    ///< any numbers
  intervals,  ///< within the interval of their operation, and its type
};

/// Integers v with low <= v <= high, at the scale of their operation: v means v * 2^-f.
struct alir_range {
  std::int64_t low = 0, high = 0;  ///< both ends included
  /// Both ends are values for some input.
  bool is_reached = false;
  /// The exact result may need more than 64 bits: the range is that of all integers then.
  bool may_wrap = false;

  /// Whether the operation may have the value v.
  [[nodiscard]] bool contains(std::int64_t v) const noexcept { return v >= low && v <= high; }
  /// Whether all of it lies in `other`, at the same scale.
  [[nodiscard]] bool within(const alir_range& other) const noexcept {
    return low >= other.low && high <= other.high;
  }
};

/// The integers of operation i's interval that its type holds. The bounds are rounded to the grid
/// of the step, as the format does to find the type.
[[nodiscard]] alir_range declared_range(const alir::program& p, std::size_t i) noexcept;

/// The ranges of all operations of a program.
class alir_ranges {
 public:
  /// Computes the ranges under an assumption about inputs and operands.
  explicit alir_ranges(const alir::program& p, alir_assumption assumed = alir_assumption::nothing);

  /// How many operations the program has.
  [[nodiscard]] std::size_t size() const noexcept { return reach_.size(); }
  /// All values of operation i lie here.
  [[nodiscard]] const alir_range& operator[](std::size_t i) const noexcept { return reach_[i]; }
  /// declared_range() of operation i.
  [[nodiscard]] alir_range declared(std::size_t i) const noexcept {
    return declared_range(*program_, i);
  }

 private:
  const alir::program* program_;
  std::vector<alir_range> reach_;
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_RANGES_HPP
