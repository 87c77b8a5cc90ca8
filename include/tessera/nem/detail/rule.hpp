// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/rule.hpp.

#ifndef TESSERA_NEM_DETAIL_RULE_HPP
#define TESSERA_NEM_DETAIL_RULE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../rule.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

TESSERA_INLINE rule::rule(errc code) noexcept {
  const std::string_view name = error{code}.name();
  if (name.size() < 4 || name.substr(0, 4) != "nem_") return;
  const bool is_run = name.substr(4, 3) == "rt_";  // nothing but the id
  while (size_ < (is_run ? sizeof id_ : 7) && size_ + 4 < name.size()) {
    const char c = name[4 + size_];
    id_[size_++] = c == '_' ? '-' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
}

}  // namespace nem
namespace nem::detail {

[[gnu::cold]] TESSERA_INLINE auto findings::add(errc code, place where) -> writer {
  if (!first_time(code, where)) return writer(nullptr);
  return tessera::detail::findings::add(code, severity_of(code, profile_), where, rule(code).id());
}

TESSERA_INLINE void findings::mark_nodes() noexcept {
  for (diagnostic& d : to_->diagnostics)
    for (place* const p : {&d.where, &d.related, &d.fix})
      if (p->file == 0 && p->length != 0) p->index = error_index::node;
  if (failed()) first_.index = error_index::node;
}

TESSERA_INLINE bool findings::first_time(errc code, const place& where) {
  return seen_
      .find(where.offset << 32 | std::uint64_t{where.file} << 16 | static_cast<std::uint64_t>(code))
      .is_new;
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULE_HPP
