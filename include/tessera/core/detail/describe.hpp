// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of core/describe.hpp.

#ifndef TESSERA_CORE_DETAIL_DESCRIBE_HPP
#define TESSERA_CORE_DETAIL_DESCRIBE_HPP

#include "../caret.hpp"
#include "../describe.hpp"
#include "../json.hpp"
#include "../sort.hpp"
#include "hex.hpp"
#include "json_path.hpp"

namespace tessera::inline TESSERA_ABI {
namespace json {
namespace detail {

/// Where the component of a path that starts at `at` ends.
[[nodiscard]] constexpr std::size_t component_end(std::string_view path, std::size_t at) noexcept {
  std::size_t i = at + 1;
  if (path.substr(at, 2) == "[\"") {
    for (++i; i < path.size() && path[i] != '"'; ++i)
      if (path[i] == '\\') ++i;
    ++i;
  }
  if (path.substr(at, 1) == "[") {
    while (i < path.size() && path[i] != ']') ++i;
    ++i;
  } else {
    while (i < path.size() && path[i] != '.' && path[i] != '[') ++i;
  }
  return i < path.size() ? i : path.size();
}
/// Some order of components, in which indices ascend.
[[nodiscard]] constexpr int compare_components(std::string_view a, std::string_view b) noexcept {
  const auto is_index = [](std::string_view c) {
    return c.size() > 1 && c[0] == '[' && c[1] >= '0' && c[1] <= '9';
  };
  if (is_index(a) && is_index(b) && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}
/// Some order of paths, in which those to one container are neighbours and it is before them.
[[nodiscard]] constexpr int compare_paths(std::string_view a, std::string_view b) noexcept {
  std::size_t at = 0;
  while (at < a.size() && at < b.size()) {
    const std::size_t end_a = component_end(a, at), end_b = component_end(b, at);
    const int order = compare_components(a.substr(at, end_a - at), b.substr(at, end_b - at));
    if (order != 0) return order;
    at = end_a;
  }
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

}  // namespace detail

TESSERA_INLINE void append_key(text& out, std::string_view key) {
  bool plain = !key.empty();
  for (const char c : key)
    plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                      (c >= '0' && c <= '9'));
  if (plain) {
    out << '.' << key;
  } else {
    out << '[';
    append_quoted(out, key);
    out << ']';
  }
}

TESSERA_INLINE text path(std::string_view source, std::uint64_t offset, const limits& limit) {
  text out;
  detail::path_finder(source, limit).append(out, offset);
  return out;
}

TESSERA_INLINE void find(std::string_view source, tessera::view<std::string_view> paths,
                         std::uint64_t* offsets, const limits& limit) {
  // Sorted, the paths that a container holds are neighbours, by the members or elements they go to.
  pool<std::uint32_t> order;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    offsets[i] = no_offset;
    order.push_back(static_cast<std::uint32_t>(i));
  }
  sort(order.data(), order.size(), [&](std::uint32_t a, std::uint32_t b) {
    return detail::compare_paths(paths[a], paths[b]) < 0;
  });

  struct level {
    bool is_object;
    std::uint64_t count;      // elements that were entered
    std::size_t first, last;  // the paths into this container
    std::size_t prefix;       // how much of these paths leads here
  };
  pool<level> levels;
  text component;
  reader in(source, limit);
  std::size_t found = 0;
  const auto value = [&](std::size_t first, std::size_t last, std::size_t prefix) {
    const std::uint64_t at = in.offset();
    for (; first < last && paths[order[first]].size() == prefix; ++first, ++found)
      offsets[order[first]] = at;
    const kind k = in.peek();
    if (first == last || (k != kind::object && k != kind::array)) {
      in.skip();
      return;
    }
    if (k == kind::object)
      in.object();
    else
      in.array();
    levels.push_back({k == kind::object, 0, first, last, prefix});
  };
  const auto leads = [&](std::size_t i) {  // others than those that start with '$' lead nowhere
    const std::string_view path = paths[order[i]];
    return path.substr(0, 1) == "$" && detail::component_end(path, 0) == 1;
  };
  std::size_t first_path = 0, last_path = order.size();
  while (first_path < last_path && !leads(first_path)) ++first_path;
  while (first_path < last_path && !leads(last_path - 1)) --last_path;
  value(first_path, last_path, 1);

  std::string_view name;
  while (!levels.empty() && !in.failed() && found < order.size()) {
    level& l = levels.back();
    if (l.is_object ? !in.key(name) : !in.element()) {
      levels.pop_back();
      continue;
    }
    component.clear();
    if (l.is_object)
      append_key(component, name);
    else
      component << '[' << l.count++ << ']';
    const auto order_of = [&](std::size_t i) {
      const std::string_view path = paths[order[i]];
      const std::size_t end = detail::component_end(path, l.prefix);
      return detail::compare_components(path.substr(l.prefix, end - l.prefix), component);
    };
    std::size_t first = l.first, last = l.last;
    while (first < last) {  // to the first that is not before the component
      const std::size_t middle = first + (last - first) / 2;
      if (order_of(middle) < 0)
        first = middle + 1;
      else
        last = middle;
    }
    while (last < l.last && order_of(last) == 0) ++last;
    value(first, last, l.prefix + component.size());
  }
}
TESSERA_INLINE std::uint64_t find(std::string_view source, std::string_view path,
                                  const limits& limit) {
  std::uint64_t offset = no_offset;
  find(source, {&path, 1}, &offset, limit);
  return offset;
}

}  // namespace json

namespace detail {

inline void append_message(text& out, error e) {
  out << ": error: " << e.message() << "\n  [" << e.name() << ']';
}
/// An error of what was built in code.
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
