// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NumPy's .npy files of numbers.
//
//   auto m = tessera::io::read_npy(file->view(), 16);     // 16 columns, as doubles
//   tessera::text out = tessera::io::write_npy(*m);       // what np.save writes, byte for byte
//   auto a = tessera::io::read_npy_array(file->view());   // any shape, elements as they are
//
//   offset          field
//   0   6 bytes     93 'N' 'U' 'M' 'P' 'Y'
//   6   2 bytes     version: 1.0, 2.0 or 3.0
//   8   u16 or u32  length of the header; u16 in version 1
//   ..  header      {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } and blanks
//   ..  data        the elements, and nothing after them
//
// Read are f2, f4, f8, i1 to i8, u1 to u8 and b1, in both byte orders and both element orders. A
// matrix has shape (n, columns), or (n * columns,), which is taken as rows; an array any shape of up
// to 32 dimensions.
//
// Lifetime:   matrix and array own.
// Errors:     io::failure with the byte; also for an integer that no double is equal to.
// Limits:     limits::max_items for rows and for elements.
// Allocation: the values, once the bytes for them have been seen.

#ifndef TESSERA_IO_NPY_HPP
#define TESSERA_IO_NPY_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "failure.hpp"
#include "matrix.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/limits.hpp"
#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {

[[nodiscard]] expected<matrix> read_npy(bytes data, std::uint64_t columns,
                                        const limits& limit = {});
[[nodiscard]] text write_npy(const matrix& m);

inline constexpr std::size_t max_npy_rank = 32;

/// Elements of one type, as files of arrays name it: kind 'f', 'i', 'u' or 'b', and bytes.
struct element_kind {
  char kind = 'f';
  std::uint8_t size = 8;
  friend constexpr bool operator==(const element_kind&, const element_kind&) = default;
};
/// An array of any shape; `data` holds its elements in little-endian and C order.
struct array {
  element_kind type;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> data;
};
[[nodiscard]] expected<array> read_npy_array(bytes data, const limits& limit = {});
[[nodiscard]] text write_npy_array(const array& a);

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IO_NPY_HPP
