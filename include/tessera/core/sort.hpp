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
#include <cstring>

#include "../version.hpp"
#include "pool.hpp"

namespace tessera::inline TESSERA_ABI {

namespace detail {

/// Sorts `count` elements of `size` bytes. One function for all types: each of its own costs the
/// compiler more than it gains.
[[gnu::noinline]] inline void sort_bytes(void* values, std::size_t count, std::size_t size,
                                         bool (*less)(const void* context, const void* a,
                                                      const void* b),
                                         const void* context) {
  block other;
  other.append(values, count * size);
  char *from = static_cast<char*>(values), *to = static_cast<char*>(other.data());
  const std::size_t end = count * size;
  for (std::size_t width = size; width < end; width *= 2) {
    for (std::size_t first = 0; first < end; first += 2 * width) {
      const std::size_t middle = end - first > width ? first + width : end;
      const std::size_t last = end - first > 2 * width ? first + 2 * width : end;
      std::size_t a = first, b = middle;
      for (std::size_t i = first; i < last; i += size) {
        const bool is_a = a < middle && (b == last || !less(context, from + b, from + a));
        std::memcpy(to + i, from + (is_a ? a : b), size);
        (is_a ? a : b) += size;
      }
    }
    char* const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != values) std::memcpy(values, from, end);
}

}  // namespace detail

/// Puts `count` values in ascending order; equal ones keep their order.
template <class T, class Less>
void sort(T* values, std::size_t count, Less less) {
  std::size_t ordered = 1;
  while (ordered < count && !less(values[ordered], values[ordered - 1])) ++ordered;
  if (ordered >= count) return;

  detail::sort_bytes(
      values, count, sizeof(T),
      [](const void* context, const void* a, const void* b) {
        return static_cast<bool>((*static_cast<const Less*>(context))(*static_cast<const T*>(a),
                                                                      *static_cast<const T*>(b)));
      },
      &less);
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
