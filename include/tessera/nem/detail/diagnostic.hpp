// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/diagnostic.hpp.

#ifndef TESSERA_NEM_DETAIL_DIAGNOSTIC_HPP
#define TESSERA_NEM_DETAIL_DIAGNOSTIC_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../diagnostic.hpp"

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

inline constexpr std::size_t max_quoted = 200;  ///< bytes of a name in a text

TESSERA_INLINE auto findings::writer::note(place related) -> writer& {
  close();
  if (d_ != nullptr) d_->has_note = true, d_->related = related, open_ = &d_->note;
  return start();
}

TESSERA_INLINE auto findings::writer::fix(place range) -> writer& {
  close();
  if (d_ != nullptr) d_->has_fix = true, d_->fix = range, open_ = &d_->replacement;
  return start();
}

TESSERA_INLINE void findings::writer::put(std::string_view part) {
  std::size_t size = part.size();
  if (size > max_quoted && open_ != &d_->replacement)
    for (size = max_quoted; size > 0 && (static_cast<unsigned char>(part[size]) & 0xc0u) == 0x80u;)
      --size;
  // A replacement is text of the file; all else is shown to people.
  if (open_ == &d_->replacement)
    f_.to_->characters << part;
  else
    append_shown(f_.to_->characters, part.substr(0, size));
  if (size < part.size()) f_.to_->characters << "...";
}

TESSERA_INLINE auto findings::writer::start() -> writer& {
  if (d_ != nullptr) open_->first = f_.at();
  return *this;
}

TESSERA_INLINE void findings::writer::close() {
  if (d_ == nullptr) return;
  if (open_ == nullptr && f_.tail.write != nullptr)
    f_.tail.write(f_.tail.context, *d_, f_.to_->characters);
  string& s = open_ != nullptr ? *open_ : d_->text;
  s.size = f_.at() - s.first;
}

TESSERA_INLINE auto findings::add(errc code, place where) -> writer {
  const severity s = severity_of(code, profile_);
  if (!first_time(code, where)) return writer(*this, nullptr);
  if (s == severity::error && first_error_.code == errc::ok)
    first_error_ = {code, where.offset,
                    to_->is_built && where.file == 0 ? error_index::node : error_index::none};
  ++(s == severity::error ? to_->errors : s == severity::warning ? to_->warnings : to_->notes);
  if (to_->diagnostics.size() >= most_) return writer(*this, nullptr);
  to_->diagnostics.push_back({});
  diagnostic& d = to_->diagnostics.back();
  d.code = code;
  d.severity = s;
  d.where = where;
  return writer(*this, &d);
}

TESSERA_INLINE bool findings::first_time(errc code, place where) {
  return seen_
      .find(std::uint64_t{where.offset} << 32 | std::uint64_t{where.file} << 16 |
            static_cast<std::uint64_t>(code))
      .is_new;
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DIAGNOSTIC_HPP
