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
#include "pickle.hpp"

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

/// Appends " (STACK_GLOBAL)", or " (os system)": what a pickle has that is refused.
[[gnu::cold]] inline void append_refused(text& to, errc code, std::string_view pickle) {
  if (pickle.empty()) return;
  if (code == errc::pt2_pickle_opcode)
    for (const pickle_opcode_row& row : pickle_opcodes)
      if (row.byte == static_cast<std::uint8_t>(pickle[0])) to << " (" << row.name << ')';
  if (code != errc::pt2_pickle_global) return;
  constexpr std::size_t max_shown = 100;
  const std::size_t end = pickle.find('\n');
  const std::string_view module = pickle.substr(1, end - 1), name = pickle.substr(end + 1);
  append_shown(to << " (", module.substr(0, max_shown));
  append_shown(to << ' ', name.substr(0, name.find('\n')).substr(0, max_shown));
  to << ')';
}

/// Appends "member m/models/model.json, $.graph_module.graph": the member that an offset is in and,
/// in JSON, the path; in an archive within the archive, its member. Nothing where the archive has no
/// directory.
[[gnu::cold]] inline void append_member_place(text& to, errc code, bytes source,
                                              std::uint64_t offset, bool is_inner = false) {
  model m;
  m.source = source;
  // Whatever is wrong with one member, the others are found.
  (void)archive_reader(source, limits(), m).read();
  for (const member& of : m.members) {
    if (of.data_offset == 0 || offset < of.offset || offset > of.data_offset + of.stored_size ||
        (offset == of.data_offset + of.stored_size && of.size != 0))
      continue;
    const std::string_view name = text_of(m, of.name);
    append_shown(to << (is_inner ? ", " : "member "), name);
    if (of.is_deflated || offset < of.data_offset) return;
    const auto ends_with = [name](std::string_view ending) {
      return name.size() >= ending.size() && name.substr(name.size() - ending.size()) == ending;
    };
    const bytes data = content(m, of);
    const std::uint64_t in_data = offset - of.data_offset;
    if (is_inner) return append_refused(to, code, as_text(data.subspan(to_size(in_data))));
    if (ends_with(".pt")) return append_member_place(to, code, data, in_data, true);
    if (!ends_with(".json")) return;
    const std::string_view json = as_text(data);
    const text path = json::path(json, in_data, {.max_depth = 1024});
    append_shown(to << ", ", path);
    if (code == errc::pt2_missing) append_members(to, json.substr(to_size(in_data)));
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
