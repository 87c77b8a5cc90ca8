// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Files of numbers, in the format given by the file extension.
//
//   auto in = tessera::io::read_matrix("in.csv.gz", 16);
//   auto wrote = tessera::io::write_matrix("out.npy", result);
//
//   .npy           NumPy (npy.hpp)
//   .csv           commas (csv.hpp)
//   anything else  raw: little-endian doubles, row after row
//
// A .gz or .zst extension is removed first. Compressed .npy and .csv are recognized by content,
// whatever their name; raw numbers can begin with any bytes, so they need the extension too.
//
// Lifetime:   matrix owns.
// Errors:     io::failure with the path and the place in the file.
// Limits:     limits::max_bytes for the bytes, limits::max_items for the numbers.
// Allocation: the values, and what load() and store() need.

#ifndef TESSERA_IO_ARRAYS_HPP
#define TESSERA_IO_ARRAYS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "failure.hpp"
#include "matrix.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/limits.hpp"
#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {

enum class array_format : std::uint8_t { npy, csv, raw };

[[nodiscard]] array_format array_format_of_name(std::string_view path) noexcept;

/// Uncompressed bytes to numbers and back.
[[nodiscard]] expected<matrix> decode_matrix(bytes data, array_format format, std::uint64_t columns,
                                             const limits& limit = {});
[[nodiscard]] text encode_matrix(const matrix& m, array_format format);

/// A file, or standard input for "-", as rows of `columns` numbers, in the format of its extension
/// or in another.
[[nodiscard]] expected<matrix> read_matrix(const std::string& path, std::uint64_t columns,
                                           const limits& limit = {});
[[nodiscard]] expected<matrix> read_matrix(const std::string& path, array_format format,
                                           std::uint64_t columns, const limits& limit = {});
/// A file, or standard output for "-".
[[nodiscard]] expected<done> write_matrix(const std::string& path, const matrix& m);

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IO_ARRAYS_HPP
