// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of core/json_path.hpp.

#ifndef TESSERA_CORE_DETAIL_JSON_PATH_HPP
#define TESSERA_CORE_DETAIL_JSON_PATH_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../json.hpp"
#include "../json_path.hpp"
#include "../sort.hpp"

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
[[nodiscard, gnu::cold]] constexpr int compare_components(std::string_view a,
                                                          std::string_view b) noexcept {
  const auto is_index = [](std::string_view c) {
    return c.size() > 1 && c[0] == '[' && c[1] >= '0' && c[1] <= '9';
  };
  if (is_index(a) && is_index(b) && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}
/// Some order of paths, in which those to one container are neighbours and it is before them.
[[nodiscard, gnu::cold]] constexpr int compare_paths(std::string_view a,
                                                     std::string_view b) noexcept {
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

namespace detail {

/// Finds the paths of values, at ascending offsets, in one walk.
class path_finder {
 public:
  path_finder(std::string_view source, const limits& limit) : in_(source, limit) {}

  /// Appends the path of the innermost value that starts at `offset` or contains it.
  void append(text& out, std::uint64_t offset) {
    advance(offset);
    out << '$';
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const step& s = steps_[i];
      if (s.count == 0) break;  // after the opening bracket, before the first value
      if (!s.is_object) {
        out << '[' << s.count - 1 << ']';
        continue;
      }
      const std::size_t end = i + 1 < steps_.size() ? steps_[i + 1].key_first : keys_.size();
      append_key(out, keys_.view().substr(s.key_first, end - s.key_first));
    }
  }

 private:
  struct step {
    bool is_object;
    std::uint64_t count;    // members or elements that were entered; the last is the current one
    std::size_t key_first;  // in `keys_`, up to the next step's
  };

  void advance(std::uint64_t offset) {
    bool found = has_ended_ || (is_at_value_ ? in_.offset() >= offset : in_.offset() > offset);
    while (!found) {
      if (is_at_value_) {
        is_at_value_ = false;
        switch (in_.peek()) {
          case kind::object: in_.object(), steps_.push_back({true, 0, keys_.size()}); break;
          case kind::array: in_.array(), steps_.push_back({false, 0, keys_.size()}); break;
          default: in_.skip(), found = in_.offset() > offset;
        }
      }
      // On to the next value; containers that end on the way are left.
      while (!found && !is_at_value_ && !steps_.empty()) {
        std::string_view name;
        is_at_value_ = steps_.back().is_object ? in_.key(name) : in_.element();
        if (in_.failed()) {
          found = has_ended_ = true;
        } else if (is_at_value_) {
          ++steps_.back().count;
          keys_.truncate(steps_.back().key_first);
          keys_ << name;
          found = in_.offset() >= offset;
        } else {
          found = in_.offset() > offset;
          keys_.truncate(steps_.back().key_first);
          steps_.pop_back();
        }
      }
      if (steps_.empty()) found = has_ended_ = true;
    }
  }

  reader in_;
  pool<step> steps_;
  text keys_;
  bool is_at_value_ = true, has_ended_ = false;
};

/// Whether a text may be JSON, for which paths mean something.
[[nodiscard]] inline bool is_json(std::string_view source) noexcept {
  const std::size_t start = source.find_first_not_of(" \n\r\t\xEF\xBB\xBF");
  return start != source.npos && (source[start] == '{' || source[start] == '[');
}

}  // namespace detail

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
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_JSON_PATH_HPP
