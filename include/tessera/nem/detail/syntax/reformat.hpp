// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/reformat.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_REFORMAT_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_REFORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../../core/pool.hpp"
#include "../../../core/sort.hpp"
#include "../../../core/text.hpp"
#include "../../model.hpp"
#include "../../reformat.hpp"
#include "print_expression.hpp"
#include "print_lines.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// A comment, and what is around it.
struct comment {
  std::uint32_t offset, size;  ///< without blanks at its end
  std::uint32_t next;          ///< where the next token begins; no_offset at the end of the file
  bool is_own_line, has_blank;
};

/// What `reformat` has to know of a source besides its tree. Separators, `in`, `out` and what
/// canonical text leaves out don't count as tokens: a comment before one of those is before what
/// follows it.
class comment_scanner {
 public:
  explicit comment_scanner(std::string_view source) : source_(source) {
    const auto size = static_cast<std::uint32_t>(source.size());
    for (std::uint32_t i = source.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0; i < size;) {
      const char c = source[i];
      if (c == '\n') {
        lines_ = lines_ == 0 ? 1 : 2;
        is_own_line_ = true;
        ++i;
      } else if (is_blank(c)) {
        ++i;
      } else if (c == '#') {
        i = take_comment(i);
      } else {
        i = take_token(i);
      }
    }
  }

  [[nodiscard]] static bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }

  pool<comment> comments;
  pool<std::uint32_t> closers;   ///< where each endloop is, and each brace but those of attrs
  pool<std::uint32_t> headings;  ///< where "variants:" and "conformance:" are

 private:
  [[nodiscard]] static bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  std::uint32_t take_comment(std::uint32_t first) {
    std::uint32_t i = first;
    while (i < source_.size() && source_[i] != '\n') ++i;
    std::uint32_t end = i;
    while (is_blank(source_[end - 1])) --end;
    comments.push_back({first, end - first, no_offset, is_own_line_, lines_ == 2});
    lines_ = 0;
    return i;
  }

  std::uint32_t take_token(std::uint32_t first) {
    std::uint32_t i = first + 1;
    const char c = source_[first];
    lines_ = 0;
    if (c == '"') {
      while (i < source_.size() && source_[i] != '"' && source_[i] != '\n')
        i += source_[i] == '\\' && i + 1 < source_.size() ? 2u : 1u;
      if (i < source_.size()) ++i;
      token(first);
    } else if (is_letter(c)) {
      while (i < source_.size() && is_letter(source_[i])) ++i;
      take_word(first, source_.substr(first, i - first));
    } else if (c == ';' || c == ',' || c == '=') {
      if (c != ';') previous_ = c;
    } else if (c == '{' && previous_ == '=') {
      in_attributes_ = true;
      previous_ = c;
    } else if (c == '}' && in_attributes_) {
      in_attributes_ = false;
      previous_ = c;
    } else {
      if (c == ':' && heading_ != no_offset) headings.push_back(heading_);
      heading_ = no_offset;
      if (c == '}') closers.push_back(first);
      token(first);
    }
    return i;
  }
  void take_word(std::uint32_t first, std::string_view word) {
    const char before = previous_;
    heading_ = word == "variants" || word == "conformance" ? first : no_offset;
    if (before != '=' && before != '@') {
      if (word == "in" || word == "out" || word == "attrs") return;
      if (word == "endloop") closers.push_back(first);
    }
    token(first);
  }
  /// What comments before it are before.
  void token(std::uint32_t at) {
    while (waiting_ < comments.size()) comments[waiting_++].next = at;
    is_own_line_ = false;
    previous_ = source_[at];
  }

  std::string_view source_;
  std::size_t waiting_ = 0;  // the first comment whose next token isn't known
  std::uint32_t lines_ = 2, heading_ = no_offset;
  char previous_ = ' ';
  bool is_own_line_ = true, in_attributes_ = false;
};

/// Lines with the comments of a source between them. The last line waits for the next one to begin:
/// only then it is known which comments are within it.
class commented_lines {
 public:
  explicit commented_lines(std::string_view source) : source_(source), scanned_(source) {}

  text& begin(std::uint32_t offset, std::uint32_t indent, line_role role) {
    end_line(offset, indent, role == line_role::item);
    if (role == line_role::item && has_blank(offset)) blank_line();
    return start(indent);
  }
  text& begin_heading(std::uint32_t after, std::uint32_t indent, line_role role) {
    const pool<std::uint32_t>& all = scanned_.headings;
    const std::size_t i =
        first_not_below(all.data(), all.size(), [after](std::uint32_t h) { return h <= after; });
    return begin(i < all.size() ? all[i] : after, indent, role);
  }
  text& close(std::uint32_t indent) {
    end_line(closer_ < scanned_.closers.size() ? scanned_.closers[closer_] : no_offset, indent + 2,
             true);
    ++closer_;
    return start(indent);
  }
  void opened() noexcept { opens_ = true; }
  void pass_closer() noexcept { ++closer_; }
  [[nodiscard]] bool has_comment(std::uint32_t first, std::uint32_t last) const noexcept {
    const pool<comment>& all = scanned_.comments;
    const std::size_t i = first_not_below(all.data(), all.size(),
                                          [first](const comment& c) { return c.next < first; });
    return i < all.size() && all[i].next <= last;
  }
  [[nodiscard]] text finish() {
    end_line(no_offset, 0, true);
    return std::move(out_);
  }

 private:
  text& start(std::uint32_t indent) {
    line_indent_ = indent;
    append_indent(line_, indent);
    return line_;
  }
  /// Writes the line that waits, and the comments before what begins at `offset`.
  void end_line(std::uint32_t offset, std::uint32_t indent, bool is_item) {
    const pool<comment>& all = scanned_.comments;
    if (!line_.empty()) {
      for (; next_ < all.size() && all[next_].next < offset; ++next_) put(all[next_], line_indent_);
      out_ << line_;
      if (next_ < all.size() && all[next_].offset < offset && !all[next_].is_own_line)
        out_ << "  " << written(all[next_++]);
      out_ << '\n';
      line_.clear();
      is_first_ = opens_;
      opens_ = false;
    }
    for (; next_ < all.size() && all[next_].offset < offset; ++next_) {
      if (is_item && all[next_].has_blank) blank_line();
      put(all[next_], indent);
    }
  }
  void put(const comment& c, std::uint32_t indent) {
    append_indent(out_, indent);
    out_ << written(c) << '\n';
    is_first_ = false;
  }
  void blank_line() {
    if (!is_first_) out_ << '\n';
    is_first_ = true;  // one is enough
  }
  [[nodiscard]] std::string_view written(const comment& c) const noexcept {
    return source_.substr(c.offset, c.size);
  }
  /// Whether an empty line precedes what begins at `offset`.
  [[nodiscard]] bool has_blank(std::uint32_t offset) const noexcept {
    unsigned lines = 0;
    while (offset > 0 && offset <= source_.size() &&
           comment_scanner::is_blank(source_[offset - 1])) {
      lines += source_[offset - 1] == '\n';
      --offset;
    }
    return lines >= 2;
  }

  std::string_view source_;
  comment_scanner scanned_;
  text out_, line_;
  std::uint32_t line_indent_ = 0;
  std::size_t next_ = 0, closer_ = 0;  // the first comment, and the first closer, that are to come
  bool opens_ = false, is_first_ = true;
};

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE text reformat(const model& d, std::string_view source,
                             const print_options& options) {
  detail::commented_lines lines(source);
  detail::construct_printer<detail::commented_lines> printer(d, lines, options);
  printer.print(0, static_cast<std::uint32_t>(d.nodes.size()));
  return lines.finish();
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_REFORMAT_HPP
