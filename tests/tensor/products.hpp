// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What tests of matrix products share: sizes, and how matrices stand in memory.
//
//   for (const unsigned which : all_layouts()) run(shape{2, 3, 4}, layout(which));

#ifndef TESSERA_TESTS_KERNELS_PRODUCTS_HPP
#define TESSERA_TESTS_KERNELS_PRODUCTS_HPP

#include <cstddef>
#include <numeric>
#include <vector>

namespace tessera_tests::products {

struct shape {
  std::size_t m, n, k;
};

struct layout {
  bool a_transposed, b_transposed, accumulate;
  std::size_t gap;  ///< elements between two rows, of all three
  bool at_start;    ///< the guarded page is before the matrices, and not after

  explicit layout(unsigned which)
      : a_transposed((which & 1) != 0),
        b_transposed((which & 2) != 0),
        accumulate((which & 4) != 0),
        gap((which & 8) != 0 ? 3 : 0),
        at_start((which & 1) != 0) {}
};

[[nodiscard]] inline std::vector<unsigned> all_layouts() {
  std::vector<unsigned> all(16);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}
/// Each transposed or not, with each of the others once: for large matrices.
inline const std::vector<unsigned> some_layouts = {0, 6, 9, 15};

}  // namespace tessera_tests::products

#endif  // TESSERA_TESTS_KERNELS_PRODUCTS_HPP
