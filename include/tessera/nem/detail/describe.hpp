// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/describe.hpp.

#ifndef TESSERA_NEM_DETAIL_DESCRIBE_HPP
#define TESSERA_NEM_DETAIL_DESCRIBE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/caret.hpp"
#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../describe.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

TESSERA_INLINE listing::listing(const report& found, view<source_file> sources)
    : found_(found), sources_(sources) {
  for (const source_file& s : sources) {
    first_lines_.push_back(lines_.size());
    lines_.push_back(0);
    for (std::size_t i = s.text.find('\n'); i != s.text.npos; i = s.text.find('\n', i + 1))
      lines_.push_back(static_cast<std::uint32_t>(i + 1));
  }
  first_lines_.push_back(lines_.size());
}

TESSERA_INLINE line_column listing::locate(place p) const noexcept {
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

TESSERA_INLINE std::string_view listing::file_name(place p) const noexcept {
  if (p.file < sources_.size()) return sources_[p.file].name;
  return p.file == 0 ? std::string_view("<input>") : found_.text_of(found_.files[p.file - 1]);
}

TESSERA_INLINE text listing::describe(const diagnostic& d) const {
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

TESSERA_INLINE void listing::append(text& out, place p, std::string_view severity,
                                    std::string_view message, std::string_view id,
                                    std::string_view inserted, std::size_t inserted_at) const {
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

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DESCRIBE_HPP
