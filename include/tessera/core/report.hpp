// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What reading or verifying found: a list of diagnostics, of one type for all formats.
//
//   tessera::report found;
//   auto program = nem::verify(std::move(*model), {}, &found);
//   const tessera::source_file file{"tiles.nem", source};
//   std::cerr << describe(found, {&file, 1});
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
//   rank0.json:1:812: error: consumer 99 does not exist; expected the Id of a node in this file
//     [G03] at $.Nodes[3].ConsumerNodeIds[0], offset 811
//     …
//
//   net.nac: error: v12 = aten.linear.default: 4 arguments; expected 2 or 3
//     [nac_argument_count] at instruction 12, offset 780 (0x30c)
//     00000300: 00 00 00 00 04 00 00 00 01 00 00 00
//                                                   ^
//
// Below the caret is the text that a fix would insert, or replace the underlined text with. A model
// that was built in code has no source: "<input>: error: … [CON-001] at node 5".
//
// Lifetime:   a report owns its texts; a listing borrows the report and the sources.
// Errors:     none: any place can be shown.
// Limits:     a report keeps the first `max_diagnostics` of the options, and counts all; at most 78
//             columns of a line are shown.
// Allocation: 128 bytes and the texts for each diagnostic that is kept.

#ifndef TESSERA_CORE_REPORT_HPP
#define TESSERA_CORE_REPORT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../version.hpp"
#include "error.hpp"
#include "pool.hpp"
#include "text.hpp"

namespace tessera::inline TESSERA_ABI {

/// How bad a finding is; only errors make a file invalid.
enum class severity : std::uint8_t { error, warning, note };
/// How many severities there are.
inline constexpr std::size_t severity_count = static_cast<std::size_t>(severity::note) + 1;
/// Of a severity, in messages: "error".
[[nodiscard]] constexpr std::string_view name(severity s) noexcept {
  return s == severity::error ? "error" : s == severity::warning ? "warning" : "note";
}

/// A range of a source: of file 0, which was read or verified, or of another one.
struct place {
  std::uint32_t file = 0;    ///< 0, or 1 + the index in report::files
  std::uint64_t offset = 0;  ///< in bytes, or the number of an element where `index` isn't `none`
  std::uint32_t length = 0;  ///< in bytes
  error_index index = error_index::none;  ///< `none`: the offset counts bytes
};

/// A range of report::characters.
struct text_range {
  std::uint32_t first = 0, size = 0;  ///< in bytes
  friend bool operator==(const text_range&, const text_range&) = default;
};

/// One finding.
struct diagnostic {
  errc code = errc::ok;                                   ///< the check that found it
  tessera::severity severity = tessera::severity::error;  ///< how bad it is
  bool has_note = false, has_fix = false;                 ///< whether `note` or `fix` is meant
  place where;                                            ///< what is wrong
  text_range rule;  ///< "CON-001", "G06"; empty where the code's name is the rule
  text_range path;  ///< "$.Nodes[3].Op", or in a binary "instruction 12, argument 2"; where it and
                    ///< `rule` are empty, descriptions look for it in JSON sources
  text_range text;  ///< one sentence
  place related;    ///< what the note is about; length 0 for a note about no place
  text_range note;  ///< a second sentence, about `related`
  place fix;        ///< the part that `replacement` replaces, empty where it is inserted
  text_range replacement;  ///< the text to put there
};

/// What was found, in the order in which it was found.
struct report {
  pool<diagnostic> diagnostics;  ///< in the order in which they were found
  text characters;               ///< all texts of the diagnostics
  pool<text_range> files;        ///< the names of the files after file 0, where the format has them
  std::uint64_t errors = 0, warnings = 0, notes = 0;  ///< also those that were not kept
  bool is_bounded = false;  ///< a search stopped at the limit that the options set

  /// The characters of a range. Borrows from the report.
  [[nodiscard]] std::string_view text_of(text_range r) const& noexcept {
    return {characters.data() + r.first, r.size};
  }
  std::string_view text_of(text_range) const&& = delete;
  /// The rule of a finding, or the name of its code. Borrows from the report.
  [[nodiscard]] std::string_view rule_of(const diagnostic& d) const& noexcept {
    return d.rule.size != 0 ? text_of(d.rule) : tessera::error{d.code}.name();
  }
  std::string_view rule_of(const diagnostic&) const&& = delete;
};

/// A file that diagnostics are about, with its name as it is to be shown.
struct source_file {
  std::string_view name;   ///< as it is to be shown
  std::string_view text;   ///< all of its bytes
  bool is_binary = false;  ///< shown by path, not by line
};

/// Shows the diagnostics of a report, one by one.
class listing {
 public:
  /// `sources` are file 0 and those that it includes, in the order of report::files; files that are
  /// missing there are named without their lines.
  listing(const report& found, view<source_file> sources);
  listing(const report&&, view<source_file>) = delete;

  /// The line and column where a place begins; 1, 1 in files without a source.
  [[nodiscard]] line_column locate(const place& p) const noexcept;
  /// The name of the file that a place is in.
  [[nodiscard]] std::string_view file_name(const place& p) const noexcept;
  /// The path of a diagnostic of the report, looked up in JSON sources; empty where there is none.
  [[nodiscard]] std::string_view path_of(const diagnostic& d) const noexcept;
  /// A diagnostic of the report with its line, its note and its fix.
  [[nodiscard]] text describe(const diagnostic& d) const;

 private:
  [[nodiscard]] bool has_source(const place& p) const noexcept {
    return p.index == error_index::none && p.file < sources_.size();
  }

  void find_paths();

  const report& found_;
  view<source_file> sources_;
  pool<std::uint64_t> lines_;      // where each line of each file begins
  pool<std::size_t> first_lines_;  // of each file, in lines_
  text characters_;                // paths that the report lacks
  pool<text_range> paths_;         // of each diagnostic, in characters_
};

/// All diagnostics of a report.
[[nodiscard]] text describe(const report& found, view<source_file> sources);

}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/report.hpp"
#endif

#endif  // TESSERA_CORE_REPORT_HPP
