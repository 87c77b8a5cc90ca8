// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of core/findings.hpp.

#ifndef TESSERA_CORE_DETAIL_FINDINGS_HPP
#define TESSERA_CORE_DETAIL_FINDINGS_HPP

#include "../findings.hpp"

namespace tessera::inline TESSERA_ABI {
namespace detail {

TESSERA_INLINE auto findings::add(errc code, severity s, place where, std::string_view rule)
    -> writer {
  if (s == severity::error) {
    ++errors_;
    if (first_.code == errc::ok) first_ = {code, where.offset, where.index};
  }
  if (to_ == nullptr) return writer(nullptr);
  ++(s == severity::error ? to_->errors : s == severity::warning ? to_->warnings : to_->notes);
  constexpr std::size_t max_characters = std::size_t{1} << 30;
  if (to_->diagnostics.size() >= max_ || to_->characters.size() > max_characters)
    return writer(nullptr);
  to_->diagnostics.push_back({});
  diagnostic& d = to_->diagnostics.back();
  d.code = code;
  d.severity = s;
  d.where = where;
  d.rule = {static_cast<std::uint32_t>(to_->characters.size()),
            static_cast<std::uint32_t>(rule.size())};
  to_->characters << rule;
  return writer(to_, &ending_);
}

TESSERA_INLINE auto findings::writer::path() -> writer& {
  if (to_ == nullptr) return *this;
  close();
  open(last().path);
  is_verbatim_ = true;
  return *this;
}

TESSERA_INLINE auto findings::writer::note(place related) -> writer& {
  if (to_ == nullptr) return *this;
  close();
  last().has_note = true;
  last().related = related;
  open(last().note);
  return *this;
}

TESSERA_INLINE auto findings::writer::fix(place range) -> writer& {
  if (to_ == nullptr) return *this;
  close();
  last().has_fix = true;
  last().fix = range;
  open(last().replacement);
  is_verbatim_ = true;
  return *this;
}

TESSERA_INLINE findings::writer::~writer() {
  if (to_ != nullptr) close();
}

TESSERA_INLINE auto findings::writer::operator<<(std::string_view part) -> writer& {
  if (to_ == nullptr) return *this;
  constexpr std::size_t max_shown = 200;
  text& out = to_->characters;
  if (is_verbatim_) {
    out << part;
    return *this;
  }
  std::size_t size = part.size();
  if (size > max_shown)  // cut between characters of UTF-8
    for (size = max_shown; size > 0 && (static_cast<unsigned char>(part[size]) & 0xc0u) == 0x80u;)
      --size;
  append_shown(out, part.substr(0, size));
  if (size < part.size()) out << "...";
  return *this;
}

TESSERA_INLINE auto findings::writer::operator<<(char part) -> writer& {
  return *this << std::string_view(&part, 1);
}

TESSERA_INLINE auto findings::writer::put_signed(std::int64_t part) -> writer& {
  if (to_ != nullptr) to_->characters << part;
  return *this;
}

TESSERA_INLINE auto findings::writer::put_unsigned(std::uint64_t part) -> writer& {
  if (to_ != nullptr) to_->characters << part;
  return *this;
}

TESSERA_INLINE void findings::writer::open(text_range& range) noexcept {
  range_ = &range;
  range_->first = static_cast<std::uint32_t>(to_->characters.size());
  is_verbatim_ = false;
}

TESSERA_INLINE void findings::writer::close() {
  if (range_ == nullptr) return;
  text& out = to_->characters;
  if (range_ == &last().text) {
    if (out.size() == range_->first) out << tessera::error{last().code}.message();
    if (ending_ != nullptr && ending_->append != nullptr)
      ending_->append(ending_->context, last(), out);
  }
  range_->size = static_cast<std::uint32_t>(out.size()) - range_->first;
}

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_FINDINGS_HPP
