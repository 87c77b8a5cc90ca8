// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of core/describe.hpp.

#ifndef TESSERA_CORE_DETAIL_DESCRIBE_HPP
#define TESSERA_CORE_DETAIL_DESCRIBE_HPP

#include "../caret.hpp"
#include "../describe.hpp"
#include "../json_path.hpp"
#include "hex.hpp"

namespace tessera::inline TESSERA_ABI {

namespace detail {

inline void append_message(text& out, error e) {
  out << ": error: " << e.message() << "\n  [" << e.name() << ']';
}
/// An error of a model built in code.
[[nodiscard]] inline text describe_element(error e, std::string_view name) {
  text out(name);
  append_message(out, e);
  if (e.index == error_index::whole)
    out << '\n';
  else
    out << " at " << tessera::name(e.index) << ' ' << e.offset << '\n';
  return out;
}

}  // namespace detail

TESSERA_INLINE text describe(error e, std::string_view source, std::string_view name,
                             const limits& limit) {
  if (e.index != error_index::none) return detail::describe_element(e, name);
  const std::size_t offset = e.offset < source.size() ? to_size(e.offset) : source.size();
  const line_column at = locate(source, offset);
  text out(name);
  out << ':' << at.line << ':' << at.column;
  detail::append_message(out, e);
  if (json::detail::is_json(source)) {
    const text path = json::path(source, offset, limit);
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
  detail::append_message(out, e);
  out << " at ";
  const std::size_t owner = static_cast<std::size_t>(e.code) / 1000;
  if (owner < detail::owners)
    if (const auto append_place = detail::table_of(owner).append_place; append_place != nullptr) {
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
