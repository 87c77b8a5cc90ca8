// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The names and messages of PT2's codes, made known to core, and the place of an offset.

#ifndef TESSERA_PT2_DETAIL_ERRORS_HPP
#define TESSERA_PT2_DETAIL_ERRORS_HPP

#include "../../core/error.hpp"
#include "../../core/json_path.hpp"
#include "../../core/json_read.hpp"
#include "archive.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// Appends " (with inputs, nodes)": what the object has that lacks something.
[[gnu::cold]] inline void append_members(text& to, std::string_view object) {
  constexpr int max_shown = 12;
  json::reader in(object, {.max_depth = 1024});
  std::string_view key, between = " (with ";
  int shown = 0;
  for (in.object(); shown < max_shown && in.key(key); in.skip(), ++shown) {
    append_shown(to << between, key.substr(0, 40));
    between = ", ";
  }
  if (shown != 0) to << (shown == max_shown ? ", ...)" : ")");
}

/// Appends "member m/models/model.json, $.graph_module.graph": the member that an offset is in and,
/// in JSON, the path. Nothing where the archive has no directory.
[[gnu::cold]] inline void append_member_place(text& to, errc code, bytes source,
                                              std::uint64_t offset) {
  model m;
  m.source = source;
  // Whatever is wrong with one member, the others are found.
  (void)archive_reader(source, limits(), m).read();
  for (const member& of : m.members) {
    if (of.data_offset == 0 || offset < of.offset || offset > of.data_offset + of.stored_size ||
        (offset == of.data_offset + of.stored_size && of.size != 0))
      continue;
    const std::string_view name = text_of(m, of.name);
    append_shown(to << "member ", name);
    if (of.is_deflated || offset < of.data_offset || name.size() < 5 ||
        name.substr(name.size() - 5) != ".json")
      return;
    const std::string_view json = as_text(content(m, of));
    const text path = json::path(json, offset - of.data_offset, {.max_depth = 1024});
    append_shown(to << ", ", path);
    if (code == errc::pt2_missing)
      append_members(to, json.substr(to_size(offset - of.data_offset)));
    return;
  }
}
[[gnu::cold]] inline void append_place(text& to, const error& e, const std::byte* source,
                                       std::size_t size) {
  append_member_place(to, e.code, {source, size}, e.offset);
}

[[nodiscard]] inline bool is_archive(const std::byte* source, std::size_t size) noexcept {
  return size >= 4 && load_le<std::uint32_t>(source) == local_signature;
}

inline constexpr errc_row error_rows[] = {
#define TESSERA_X(name, value, text) {errc::name, #name, text},
    TESSERA_PT2_ERRORS(TESSERA_X)
#undef TESSERA_X
};

// One store when the program starts: it is what lets a program without this format go without its
// messages. Nothing but names and messages depends on it, hence neither on the order of such stores.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
[[gnu::used]] inline const errc_table& known_errors = tessera::detail::table_of(6) = {
    error_rows, sizeof error_rows / sizeof error_rows[0], append_place, nullptr, is_archive};
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_ERRORS_HPP
