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
// Below the caret stands what a fix would insert or put in place of what is underlined. Of a document
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

#include "../core/caret.hpp"
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
  listing(const report& found, view<source_file> sources) : found_(found), sources_(sources) {
    for (const source_file& s : sources) {
      first_lines_.push_back(lines_.size());
      lines_.push_back(0);
      for (std::size_t i = s.text.find('\n'); i != s.text.npos; i = s.text.find('\n', i + 1))
        lines_.push_back(static_cast<std::uint32_t>(i + 1));
    }
    first_lines_.push_back(lines_.size());
  }
  listing(const report&&, view<source_file>) = delete;

  /// The line and column where a place begins; 1, 1 in files without a source.
  [[nodiscard]] line_column locate(place p) const noexcept {
    if (p.file >= sources_.size()) return {};
    std::size_t first = first_lines_[p.file], last = first_lines_[p.file + 1];
    const std::size_t begin = first;
    while (last - first > 1) {  // the last line that begins at or before the place
      const std::size_t middle = first + (last - first) / 2;
      if (lines_[middle] <= p.offset)
        first = middle;
      else
        last = middle;
    }
    return {first - begin + 1, std::uint64_t{p.offset} - lines_[first] + 1};
  }

  /// The name of the file that a place is in.
  [[nodiscard]] std::string_view file_name(place p) const noexcept {
    if (p.file < sources_.size()) return sources_[p.file].name;
    return p.file == 0 ? std::string_view("<input>") : found_.text_of(found_.files[p.file - 1]);
  }

  /// A diagnostic with its line, its note and its fix.
  [[nodiscard]] text describe(const diagnostic& d) const {
    text out;
    const bool beside = d.has_fix && d.fix.file == d.where.file && d.replacement.size != 0 &&
                        is_line(found_.text_of(d.replacement));
    append(out, d.where, name(d.severity), found_.text_of(d.text), rule(d.code).id(),
           beside ? found_.text_of(d.replacement) : std::string_view(), d.fix.offset);
    if (d.has_note) {
      if (d.related.length == 0)
        out << "  note: " << found_.text_of(d.note) << '\n';
      else
        append(out, d.related, "note", found_.text_of(d.note), {}, {}, 0);
    }
    return out;
  }

 private:
  [[nodiscard]] static bool is_line(std::string_view s) noexcept { return s.find('\n') == s.npos; }
  [[nodiscard]] bool is_built(place p) const noexcept { return found_.is_built && p.file == 0; }
  void append(text& out, place p, std::string_view severity, std::string_view message,
              std::string_view id, std::string_view inserted, std::size_t inserted_at) const {
    const line_column at = locate(p);
    out << file_name(p);
    if (p.file < sources_.size() && !is_built(p)) out << ':' << at.line << ':' << at.column;
    out << ": " << severity << ": " << message;
    if (!id.empty()) out << " [" << id << ']';
    if (is_built(p)) out << " at node " << p.offset;
    out << '\n';
    if (is_built(p) || p.file >= sources_.size()) return;
    const std::string_view source = sources_[p.file].text;
    const std::size_t offset = p.offset < source.size() ? p.offset : source.size();
    tessera::detail::append_caret(out, source, offset, p.length, inserted, inserted_at);
  }

  const report& found_;
  view<source_file> sources_;
  pool<std::uint32_t> lines_;      // where each line of each file begins
  pool<std::size_t> first_lines_;  // of each file, in lines_
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DESCRIBE_HPP
