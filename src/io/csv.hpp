// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Numbers separated by commas, one row per line.
//
//   auto m = tessera::io::read_csv("x,y\n1, 2.5\n-inf,nan\n", 2);
//   tessera::text out = tessera::io::write_csv(*m);    // 1.0,2.5\n-inf,nan\n
//
//   field    blanks, number, blanks; a blank is a space or a tab
//   number   [+-] then digits with at most one '.' and an exponent, or inf, infinity, nan; any case
//   line     fields separated by ',', ended by \n, \r\n or the end of the file
//
// Blank lines are skipped, and so are a byte order mark and the first line when its
// first field doesn't begin like a number. Numbers are rounded correctly, whatever the locale, and
// written with the shortest digits that read back as the same double.
//
// Lifetime:   matrix and text own.
// Errors:     io::failure with line and column, both from 1, the column in bytes.
// Limits:     limits::max_items for the numbers.
// Allocation: the values, at most eight bytes per byte of text.

#ifndef TESSERA_IO_CSV_HPP
#define TESSERA_IO_CSV_HPP

#include <cstdint>
#include <string_view>

#include "failure.hpp"
#include "matrix.hpp"
#include "tessera/core/limits.hpp"
#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {

[[nodiscard]] expected<matrix> read_csv(std::string_view source, std::uint64_t columns,
                                        const limits& limit = {});
/// Every NaN is written as "nan". Rows of no columns are empty lines, which reading skips.
[[nodiscard]] text write_csv(const matrix& m);

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IO_CSV_HPP
