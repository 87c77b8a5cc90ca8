// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of core/describe.hpp.

#ifndef TESSERA_CORE_DETAIL_DESCRIBE_HPP
#define TESSERA_CORE_DETAIL_DESCRIBE_HPP

#include "../describe.hpp"
#include "../json_path.hpp"
#include "caret.hpp"
#include "hex.hpp"

namespace tessera::inline TESSERA_ABI {

namespace detail {

/// The table of the format that an error is of.
[[nodiscard]] inline errc_table table_of(error e) noexcept {
  const std::size_t owner = static_cast<std::size_t>(e.code) / 1000;
  return owner < owners ? table_of(owner) : errc_table();
}
/// Likewise for a binary source, where core's errors have their places from the source's format.
[[nodiscard]] inline errc_table table_of(error e, bytes source) noexcept {
  errc_table table = table_of(e);
  for (std::size_t i = 1; i < owners && table.append_place == nullptr; ++i)
    if (const errc_table& other = table_of(i);
        other.is_mine != nullptr && other.is_mine(source.data(), source.size()))
      table = other;
  return table;
}
inline void append_message(text& out, error e, std::string_view message) {
  out << ": error: " << message << "\n  [" << e.name() << ']';
}
/// Whether JSON was expected where a comment begins.
[[nodiscard]] inline bool is_comment(error e, std::string_view source) noexcept {
  if (e.code < errc::json_unexpected_end || e.code > errc::json_missing_element ||
      e.offset >= source.size())
    return false;
  const std::string_view at = source.substr(to_size(e.offset));
  return at.starts_with("//") || at.starts_with("/*") || at.starts_with('#');
}
/// An error of a model built in code.
[[nodiscard]] inline text describe_element(error e, std::string_view name) {
  text out(name);
  append_message(out, e, e.message());
  if (e.index == error_index::whole)
    out << '\n';
  else
    out << " at " << tessera::name(e.index) << ' ' << e.offset << '\n';
  return out;
}

}  // namespace detail

TESSERA_INLINE text message_of(error e, std::string_view source, std::string_view path,
                               const limits& limit) {
  text out;
  const auto append = detail::table_of(e).append_message;
  if (append != nullptr && e.index == error_index::none && json::detail::is_json(source)) {
    text looked_up;
    if (path.empty()) {
      looked_up = json::path(source, e.offset, limit);
      path = looked_up;
    }
    append(out, e, source, path);
  }
  if (out.size() == 0) out << e.message();
  if (detail::is_comment(e, source)) out << "; JSON has no comments";
  return out;
}

TESSERA_INLINE text describe(error e, std::string_view source, std::string_view name,
                             const limits& limit) {
  if (e.index != error_index::none) return detail::describe_element(e, name);
  // Binaries may come as characters, too; no text of a format has a zero byte.
  if (detail::table_of(e).append_place != nullptr && source.find('\0') != source.npos)
    return describe(e, as_bytes(source), name);
  const std::size_t offset = e.offset < source.size() ? to_size(e.offset) : source.size();
  const line_column at = locate(source, offset);
  text out(name);
  out << ':' << at.line << ':' << at.column;
  const bool is_json = json::detail::is_json(source);
  text path;
  if (is_json) path = json::path(source, offset, limit);
  const text message = message_of(e, source, path, limit);
  detail::append_message(out, e, message);
  if (is_json) {
    append_shown(out << " at ", path);
    out << ", offset ";
  } else {
    out << " at offset ";
  }
  out << offset << '\n';
  detail::append_caret(out, source, offset);
  return out;
}

TESSERA_INLINE text describe(error e, bytes source, std::string_view name) {
  if (e.index != error_index::none) return detail::describe_element(e, name);
  const std::size_t offset = e.offset < source.size() ? to_size(e.offset) : source.size();
  text out(name);
  detail::append_message(out, e, e.message());
  out << " at ";
  if (const auto append_place = detail::table_of(e, source).append_place; append_place != nullptr) {
    const std::size_t before = out.size();
    append_place(out, e, source.data(), source.size());
    if (out.size() != before) out << ", ";
  }
  out << "offset " << offset;
  detail::append_offset_in_hex(out, offset);
  out << '\n';
  detail::append_hex_line(out, source, offset);
  return out;
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_DESCRIBE_HPP
