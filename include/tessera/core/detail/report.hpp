// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of core/report.hpp.

#ifndef TESSERA_CORE_DETAIL_REPORT_HPP
#define TESSERA_CORE_DETAIL_REPORT_HPP

#include "../json_path.hpp"
#include "../report.hpp"
#include "../sort.hpp"
#include "caret.hpp"
#include "hex.hpp"

namespace tessera::inline TESSERA_ABI {

TESSERA_INLINE listing::listing(const report& found, view<source_file> sources)
    : found_(found), sources_(sources) {
  for (const source_file& s : sources) {
    first_lines_.push_back(lines_.size());
    lines_.push_back(0);
    if (s.is_binary) continue;
    for (std::size_t i = s.text.find('\n'); i != s.text.npos; i = s.text.find('\n', i + 1))
      lines_.push_back(i + 1);
  }
  first_lines_.push_back(lines_.size());
  find_paths();
}

TESSERA_INLINE void listing::find_paths() {
  pool<std::uint32_t> order;
  for (std::size_t i = 0; i < found_.diagnostics.size(); ++i) {
    const diagnostic& d = found_.diagnostics[i];
    paths_.push_back(d.path);
    if (d.path.size == 0 && d.rule.size == 0 && has_source(d.where))
      order.push_back(static_cast<std::uint32_t>(i));
  }
  const auto where = [&](std::uint32_t i) -> const place& { return found_.diagnostics[i].where; };
  sort(order.data(), order.size(), [&](std::uint32_t a, std::uint32_t b) {
    const place &p = where(a), &q = where(b);
    return p.file != q.file ? p.file < q.file : p.offset < q.offset;
  });
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    const std::uint32_t file = where(order[first]).file;
    while (last < order.size() && where(order[last]).file == file) ++last;
    const source_file& s = sources_[file];
    if (s.is_binary || !json::detail::is_json(s.text)) continue;
    json::detail::path_finder finder(s.text, {});
    for (std::size_t i = first; i < last; ++i) {
      text_range& path = paths_[order[i]];
      path.first = static_cast<std::uint32_t>(characters_.size());
      finder.append(characters_, where(order[i]).offset);
      path.size = static_cast<std::uint32_t>(characters_.size()) - path.first;
    }
  }
}

TESSERA_INLINE std::string_view listing::path_of(const diagnostic& d) const noexcept {
  if (d.path.size != 0) return found_.text_of(d.path);
  const auto i = static_cast<std::size_t>(&d - found_.diagnostics.data());
  return {characters_.data() + paths_[i].first, paths_[i].size};
}

TESSERA_INLINE line_column listing::locate(const place& p) const noexcept {
  if (!has_source(p)) return {};
  std::size_t first = first_lines_[p.file], last = first_lines_[p.file + 1];
  const std::size_t begin = first;
  while (last - first > 1) {  // the last line that begins at or before the place
    const std::size_t middle = first + (last - first) / 2;
    if (lines_[middle] <= p.offset)
      first = middle;
    else
      last = middle;
  }
  return {first - begin + 1, p.offset - lines_[first] + 1};
}

TESSERA_INLINE std::string_view listing::file_name(const place& p) const noexcept {
  if (p.file < sources_.size()) return sources_[p.file].name;
  if (p.file == 0 || p.file > found_.files.size()) return "<input>";
  return found_.text_of(found_.files[p.file - 1]);
}

TESSERA_INLINE text listing::describe(const diagnostic& d) const {
  text out;
  const auto begin = [&](const place& p, std::string_view severity, std::string_view message) {
    out << file_name(p);
    if (has_source(p) && !sources_[p.file].is_binary) {
      const line_column at = locate(p);
      out << ':' << at.line << ':' << at.column;
    }
    out << ": " << severity << ": " << message;
  };
  const auto end = [&out](const place& p) {
    if (p.index != error_index::none && p.index != error_index::whole)
      out << " at " << tessera::name(p.index) << ' ' << p.offset;
  };
  const auto excerpt = [&](const place& p, std::string_view inserted, std::uint64_t inserted_at) {
    if (!has_source(p)) return;
    const source_file& s = sources_[p.file];
    const std::size_t offset = p.offset < s.text.size() ? to_size(p.offset) : s.text.size();
    if (s.is_binary)
      detail::append_hex_line(out, as_bytes(s.text), offset);
    else
      detail::append_caret(out, s.text, offset, p.length, inserted, to_size(inserted_at));
  };

  begin(d.where, tessera::name(d.severity), found_.text_of(d.text));
  const bool is_element = d.where.index != error_index::none;
  const bool is_binary = has_source(d.where) && sources_[d.where.file].is_binary;
  const std::string_view path = path_of(d);
  if (path.empty() && !is_binary) {
    out << " [" << found_.rule_of(d) << ']';
    end(d.where);
    out << '\n';
  } else {
    out << "\n  [" << found_.rule_of(d) << "] at ";
    append_shown(out, path);
    if (!is_element) {
      out << (!path.empty() ? ", offset " : "offset ") << d.where.offset;
      if (is_binary) detail::append_offset_in_hex(out, d.where.offset);
    }
    out << '\n';
  }
  const std::string_view replacement = found_.text_of(d.replacement);
  const bool is_shown = d.has_fix && d.fix.file == d.where.file && !replacement.empty() &&
                        replacement.find('\n') == replacement.npos;
  excerpt(d.where, is_shown ? replacement : std::string_view(), d.fix.offset);
  if (d.has_note) {
    if (d.related.length == 0) {
      out << "  note: " << found_.text_of(d.note) << '\n';
    } else {
      begin(d.related, "note", found_.text_of(d.note));
      end(d.related);
      out << '\n';
      excerpt(d.related, {}, 0);
    }
  }
  return out;
}

TESSERA_INLINE text describe(const report& found, view<source_file> sources) {
  const listing list(found, sources);
  text out;
  for (const diagnostic& d : found.diagnostics) {
    const text one = list.describe(d);
    out << one.view();
  }
  return out;
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_REPORT_HPP
