// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Where the lines of canonical text go: what the printer of constructs says of each line.
//
//   nem::detail::plain_lines lines;
//   lines.begin(node.offset, 2, line_role::item) << "let a = 1";
//   lines.close(0) << "endloop";
//   text out = lines.finish();
//
//   begin          a line for what begins at an offset of the source
//   begin_heading  a line for a word without a node, the first after an offset
//   close          a line for what closes a block: endloop or a brace
//   opened         the line opens a block
//   pass_closer    the line holds a brace that closes
//   has_comment    whether a comment's next token begins between two offsets
//
// Plain lines need none of this but the text; those of `reformat` put comments between them.
//
// Lifetime:   what begin returns is for that line only.
// Errors:     none.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_PRINT_LINES_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_PRINT_LINES_HPP

#include <cstdint>
#include <cstring>
#include <utility>

#include "../../../core/text.hpp"
#include "../../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Items may have a blank line before them; other lines continue one.
enum class line_role : std::uint8_t { item, continuation };
inline constexpr std::uint32_t no_offset = 0xffffffff;

inline void append_indent(text& out, std::uint32_t indent) {
  if (indent == 0) return;  // there may be no memory yet
  std::memset(out.prepare(indent), ' ', indent);
  out.advance(indent);
}

class plain_lines {
 public:
  text& begin(std::uint32_t, std::uint32_t indent, line_role) {
    if (!out_.empty()) out_ << '\n';
    append_indent(out_, indent);
    return out_;
  }
  text& begin_heading(std::uint32_t, std::uint32_t indent, line_role role) {
    return begin(0, indent, role);
  }
  text& close(std::uint32_t indent) { return begin(0, indent, line_role::item); }
  void opened() noexcept {}
  void pass_closer() noexcept {}
  [[nodiscard]] bool has_comment(std::uint32_t, std::uint32_t) const noexcept { return false; }
  [[nodiscard]] text finish() {
    if (!out_.empty()) out_ << '\n';
    return std::move(out_);
  }

 protected:
  text out_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_PRINT_LINES_HPP
