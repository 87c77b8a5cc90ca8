// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of pt2/model.hpp.

#ifndef TESSERA_PT2_DETAIL_MODEL_HPP
#define TESSERA_PT2_DETAIL_MODEL_HPP

#include "../../core/sort.hpp"
#include "../model.hpp"
#include "checksum.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

TESSERA_INLINE std::string_view metadata(const model& m, const node& n,
                                         std::string_view key) noexcept {
  for (const text_entry& e : rows(m.metadata, n.metadata))
    if (text_of(m, e.key) == key) return text_of(m, e.value);
  return {};
}

TESSERA_INLINE std::string_view short_target(const model& m, const node& n) noexcept {
  const std::string_view target = text_of(m, n.target);
  constexpr std::string_view prefix = "torch.ops.";
  return target.substr(0, prefix.size()) == prefix ? target.substr(prefix.size()) : target;
}

TESSERA_INLINE std::uint32_t find_member(const model& m, std::string_view path) noexcept {
  const std::string_view root = text_of(m, m.root);
  const auto order = [&](std::uint32_t i) {
    const std::string_view name = text_of(m, m.members[i].name);
    const int of_root = name.substr(0, root.size()).compare(root);
    return of_root != 0 ? of_root : name.substr(root.size()).compare(path);
  };
  const std::size_t count = m.members_by_name.size();
  const std::size_t at = first_not_below(m.members_by_name.data(), count,
                                         [&](std::uint32_t i) { return order(i) < 0; });
  return at < count && order(m.members_by_name[at]) == 0 ? m.members_by_name[at] : none;
}

TESSERA_INLINE bytes content(const model& m, const member& of) noexcept {
  if (of.owned != member::no_data) return {m.contents.data() + of.owned, to_size(of.size)};
  if (of.is_deflated) return {};
  return m.source.subspan(to_size(of.data_offset), to_size(of.size));
}

TESSERA_INLINE void set_content(model& m, std::uint32_t member, bytes content) {
  pt2::member& of = m.members[member];
  of.owned = m.contents.size();
  of.size = content.size();
  of.crc = detail::crc32(content);
  m.contents.append(content.data(), content.size());
}

TESSERA_INLINE bool has_valid_checksum(const model& m, const member& of) noexcept {
  return detail::crc32(content(m, of)) == of.crc;
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_MODEL_HPP
