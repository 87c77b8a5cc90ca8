// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Diagnostics in words, with the lines that they are about.
//
//   nem::source_file file{"tiles.nem", source};
//   nem::listing list(found, {&file, 1});
//   for (const nem::diagnostic& d : found.diagnostics) std::cerr << list.describe(d);
//
//   tiles.nem:4:32: error: expected ',' between type attributes [SYN-009]
//     let R = region(B, 0, 8) elem=i8 shape=[8], layout=C
//                                     ^~~~~
//                                    ,
//   tiles.nem:7:7: error: duplicate constant declaration N [CON-001]
//     const N = 8
//           ^
//   tiles.nem:2:7: note: declared here first
//     const N = 4
//           ^
//
// Below the caret stands what a fix would insert or put in place of what is underlined. Of a model
// that was built in code there is no line: "<input>: error: … [CON-001] at node 5".
//
// Lifetime:   a listing borrows the report and the sources.
// Errors:     none: any place can be shown.
// Limits:     at most 78 columns of a line are shown.
// Allocation: 4 bytes for each line of the sources, and the texts.

#ifndef TESSERA_NEM_DESCRIBE_HPP
#define TESSERA_NEM_DESCRIBE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "diagnostic.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// A file that diagnostics are about, with its name as it is to be shown.
struct source_file {
  std::string_view name;
  std::string_view text;
};

/// Shows the diagnostics of a report.
class listing {
 public:
  /// `sources` are the file that was read and those behind it in the order of report::files; files
  /// that it lacks are named without their lines.
  listing(const report& found, view<source_file> sources);
  listing(const report&&, view<source_file>) = delete;

  /// The line and column where a place begins; 1, 1 in files without a source.
  [[nodiscard]] line_column locate(place p) const noexcept;

  /// The name of the file that a place is in.
  [[nodiscard]] std::string_view file_name(place p) const noexcept;

  /// A diagnostic with its line, its note and its fix.
  [[nodiscard]] text describe(const diagnostic& d) const;

 private:
  [[nodiscard]] static bool is_line(std::string_view s) noexcept { return s.find('\n') == s.npos; }
  [[nodiscard]] bool is_built(place p) const noexcept { return found_.is_built && p.file == 0; }
  void append(text& out, place p, std::string_view severity, std::string_view message,
              std::string_view id, std::string_view inserted, std::size_t inserted_at) const;

  const report& found_;
  view<source_file> sources_;
  pool<std::uint32_t> lines_;      // where each line of each file begins
  pool<std::size_t> first_lines_;  // of each file, in lines_
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/describe.hpp"
#endif

#endif  // TESSERA_NEM_DESCRIBE_HPP
