// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations of an ALIR program that have the value of an earlier one, for all inputs.
//
//   const inspect::alir_duplicates same(program);
//   if (same.is_needless(i)) use(same.with_value(i));
//
// Two operations have one value where they compute the same from the same, whatever their ids and
// intervals: x + y and y + x. Most operations take only the scale from the interval of what they read;
// a mux takes its condition's width, a bit_unary its operand's, a lookup where its table starts.
//
// Lifetime:   keeps nothing of the program.
// Errors:     none.
// Limits:     2^32 - 1 operations.
// Allocation: some 200 bytes for each operation while it is made, 17 after.

#ifndef TESSERA_INSPECT_ALIR_DUPLICATES_HPP
#define TESSERA_INSPECT_ALIR_DUPLICATES_HPP

#include <cstddef>
#include <vector>

#include "../../alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Whether operation i takes more of the interval of its operand x than the scale.
[[nodiscard]] bool depends_on_interval(const alir::program& p, std::size_t i,
                                       std::size_t x) noexcept;

/// Which operations of a program have the value of an earlier one.
class alir_duplicates {
 public:
  /// Numbers the values of all operations.
  explicit alir_duplicates(const alir::program& p);
  /// The first operation with the value of operation i; i itself where no earlier one has it.
  [[nodiscard]] std::size_t with_value(std::size_t i) const noexcept { return with_value_[i]; }
  /// The first operation with the value and the interval of operation i; i itself where no earlier one
  /// has both.
  [[nodiscard]] std::size_t with_interval(std::size_t i) const noexcept {
    return with_interval_[i];
  }
  /// Whether all that read operation i can read an earlier one instead. Outputs keep their interval.
  [[nodiscard]] bool is_needless(std::size_t i) const noexcept {
    return with_interval_[i] != i || (with_value_[i] != i && !is_read_with_interval_[i]);
  }

 private:
  std::vector<std::size_t> with_value_, with_interval_;
  std::vector<bool> is_read_with_interval_;
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_DUPLICATES_HPP
