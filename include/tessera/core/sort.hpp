// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Sorting, stable, and searching, for plain values in a row.
//
//   tessera::sort(edges.data(), edges.size(), [](const edge& a, const edge& b) {
//     return a.from < b.from;
//   });
//
//   std::size_t i = tessera::first_not_below(edges.data(), edges.size(),
//                                            [&](const edge& e) { return e.from < wanted; });
//
// Sorting merges existing runs, so that values in order cost one pass. Both replace
// the standard algorithms, which cost more to include than all the rest.
//
// Lifetime:   nothing is kept.
// Errors:     std::bad_alloc where the host has exceptions.
// Limits:     none; no recursion, and never more than n log n comparisons to sort, log n to find.
// Allocation: to sort, the size of the values once more, unless they are in order.

#ifndef TESSERA_CORE_SORT_HPP
#define TESSERA_CORE_SORT_HPP

#include <cstddef>

#include "../version.hpp"
#include "pool.hpp"

namespace tessera::inline TESSERA_ABI {

/// Puts `count` values in ascending order; equal ones keep their order.
template <class T, class Less>
void sort(T* values, std::size_t count, Less less) {
  std::size_t ordered = 1;
  while (ordered < count && !less(values[ordered], values[ordered - 1])) ++ordered;
  if (ordered >= count) return;

  pool<T> other;
  other.append(values, count);
  T *from = values, *to = other.data();
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t first = 0; first < count; first += 2 * width) {
      const std::size_t middle = count - first > width ? first + width : count;
      const std::size_t last = count - first > 2 * width ? first + 2 * width : count;
      std::size_t a = first, b = middle;
      for (std::size_t i = first; i < last; ++i)
        to[i] = a < middle && (b == last || !less(from[b], from[a])) ? from[a++] : from[b++];
    }
    T* const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != values)
    for (std::size_t i = 0; i < count; ++i) values[i] = from[i];
}

/// The index of the first value that isn't below the one sought; `count` if all are. `below` is
/// true for a prefix of the values and false for the rest.
template <class T, class Below>
[[nodiscard]] constexpr std::size_t first_not_below(const T* values, std::size_t count,
                                                    Below below) {
  std::size_t first = 0;
  while (count != 0) {
    const std::size_t half = count / 2;
    if (below(values[first + half])) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_SORT_HPP
