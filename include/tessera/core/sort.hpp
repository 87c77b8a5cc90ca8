// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Sorting plain values: heap sort, in place, without recursion, never quadratic.
//
//   std::int64_t ids[] = {3, 1, 2};
//   tessera::sort(ids, 3, [](std::int64_t a, std::int64_t b) { return a < b; });
//
// Not stable. What is sorted already costs one comparison an element.
//
// Lifetime:   borrows for the call.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_SORT_HPP
#define TESSERA_CORE_SORT_HPP

#include <cstddef>

#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {

/// Orders `count` values so that none is `before` the one in front of it.
template <class T, class Before>
constexpr void sort(T* values, std::size_t count, Before before) {
  std::size_t sorted = 1;
  while (sorted < count && !before(values[sorted], values[sorted - 1])) ++sorted;
  if (sorted >= count) return;
  const auto swap = [](T& a, T& b) {
    const T c = a;
    a = b;
    b = c;
  };
  const auto sift = [&](std::size_t root, std::size_t size) {
    for (std::size_t child; (child = 2 * root + 1) < size; root = child) {
      if (child + 1 < size && before(values[child], values[child + 1])) ++child;
      if (!before(values[root], values[child])) return;
      swap(values[root], values[child]);
    }
  };
  for (std::size_t i = count / 2; i-- > 0;) sift(i, count);
  for (std::size_t size = count; size > 1;) {
    swap(values[0], values[--size]);
    sift(0, size);
  }
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_SORT_HPP
