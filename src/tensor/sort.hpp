// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Elements of any type as integers in the same order, so that one sort is enough for all of them.
//
//   read_keys(element_type::f16, x, 0, 1, keys, n);
//   sort_keys(keys, n, true);                       // keys[0].index: the greatest
//
// -0 is equal to +0; NaNs are greater than all numbers, and equal to each other.
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TENSOR_SORT_HPP
#define TESSERA_TENSOR_SORT_HPP

#include <cstddef>
#include <cstdint>

#include "tensor/element_type.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

struct sort_key {
  static constexpr std::uint64_t nan = ~std::uint64_t{0};
  std::uint64_t key;
  std::int64_t index;
  /// Of equals, the one that came first.
  [[nodiscard]] friend bool operator<(const sort_key& a, const sort_key& b) noexcept {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  }
};

/// The keys of n elements, each `step` after the one before.
void read_keys(element_type type, const std::byte* data, std::int64_t first, std::int64_t step,
               sort_key* to, std::size_t n) noexcept;
/// Brings n keys in order.
void sort_keys(sort_key* keys, std::size_t n, bool descending) noexcept;
/// Brings the first `taken` of n keys to the front, in order if `sorted`. Which ones of equals are
/// taken, and their order, is what PyTorch's topk makes of them where its standard library is ours.
void select_keys(sort_key* keys, std::size_t n, std::size_t taken, bool descending,
                 bool sorted) noexcept;

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_SORT_HPP
