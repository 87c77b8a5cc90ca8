// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/resolver.hpp.

#ifndef TESSERA_NEM_DETAIL_DEVICE_RESOLVER_HPP
#define TESSERA_NEM_DETAIL_DEVICE_RESOLVER_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "../../../core/text.hpp"
#include "../../../version.hpp"
#include "../../resolver.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

[[nodiscard]] constexpr bool is_separator(char c) noexcept { return c == '/' || c == '\\'; }

/// Appends the parts of a path to one that has none of "." and "..". False above the top.
[[nodiscard]] inline bool append_path(text& to, std::string_view path) {
  while (!path.empty()) {
    std::size_t size = 0;
    while (size < path.size() && !is_separator(path[size])) ++size;
    const std::string_view part = path.substr(0, size);
    path.remove_prefix(size < path.size() ? size + 1 : size);
    if (part == "..") {
      if (to.empty()) return false;
      const std::size_t slash = to.view().rfind('/');
      to.truncate(slash == std::string_view::npos ? 0 : slash);
    } else if (!part.empty() && part != ".") {
      if (!to.empty()) to << '/';
      to << part;
    }
  }
  return true;
}

/// Calls `find`, which returns whether it has the file of the path in `id`, with where `path` leads
/// from the folder of `from`, and then from the top.
template <class Find>
[[nodiscard]] bool find_included(text& id, std::string_view from, std::string_view path,
                                 std::string_view& why, Find find) {
  if (!path.empty() && (is_separator(path[0]) || (path.size() > 1 && path[1] == ':'))) {
    why = "it is an absolute path";
    return false;
  }
  std::size_t folder = from.size();
  while (folder != 0 && !is_separator(from[folder - 1])) --folder;
  for (const std::string_view beside : {from.substr(0, folder), std::string_view()}) {
    id.clear();
    if (!append_path(id, beside) || !append_path(id, path))
      why = "it is above the top folder";
    else if (!id.empty() && find())
      return true;
    if (folder == 0 || !why.empty()) return false;
  }
  return false;
}

}  // namespace detail

TESSERA_INLINE bool text_files::open(void* self, std::string_view from, std::string_view path,
                                     nem::resolver::file& to) {
  auto& files = *static_cast<text_files*>(self);
  return detail::find_included(files.id_, from, path, to.why, [&files, &to] {
    for (const named_text& t : files.texts_) {
      if (files.id_ != t.path) continue;
      to.id = t.path;
      to.text = t.text;
      return true;
    }
    return false;
  });
}

TESSERA_INLINE folder_files::~folder_files() {
  while (last_ != nullptr) {
    const loaded* const l = last_;
    last_ = l->before;
    delete l;
  }
}

TESSERA_INLINE std::string_view folder_files::text_of(std::string_view id) const noexcept {
  for (const loaded* l = last_; l != nullptr; l = l->before)
    if (l->id == id) return l->content.view();
  return {};
}

TESSERA_INLINE bool folder_files::open(void* self, std::string_view from, std::string_view path,
                                       nem::resolver::file& to) {
  auto& files = *static_cast<folder_files*>(self);
  return detail::find_included(files.id_, from, path, to.why, [&files, &to] {
    const loaded* found = files.last_;
    while (found != nullptr && !(found->id == files.id_.view())) found = found->before;
    if (found == nullptr) found = files.load(to.why);
    if (found == nullptr) return false;
    to.id = found->id.view();
    to.text = found->content.view();
    return true;
  });
}

TESSERA_INLINE auto folder_files::load(std::string_view& why) -> const loaded* {
  text path(folder_.view());
  if (!path.empty() && !detail::is_separator(path.data()[path.size() - 1])) path << '/';
  path << id_.view() << '\0';
  if (path.view().find('\0') != path.size() - 1) return nullptr;
  std::FILE* const file = std::fopen(path.data(), "rb");
  if (file == nullptr) {
    if (errno != ENOENT && errno != ENOTDIR) why = "it can't be opened";
    return nullptr;
  }
  auto* const l = new loaded;
  l->id << id_.view();
  std::size_t count = 1;
  while (count != 0 && l->content.size() <= max_bytes_) {
    constexpr std::size_t step = 65536;
    count = std::fread(l->content.prepare(step), 1, step, file);
    l->content.advance(count);
  }
  if (std::ferror(file) != 0)
    why = "it can't be read";
  else if (l->content.size() > max_bytes_)
    why = "it is too large";
  (void)std::fclose(file);
  if (!why.empty()) {
    delete l;
    return nullptr;
  }
  l->before = last_;
  return last_ = l;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_RESOLVER_HPP
