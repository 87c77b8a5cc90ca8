// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of core/findings.hpp.

#ifndef TESSERA_CORE_DETAIL_FINDINGS_HPP
#define TESSERA_CORE_DETAIL_FINDINGS_HPP

#include "../findings.hpp"

namespace tessera::inline TESSERA_ABI {
namespace detail {

TESSERA_INLINE auto findings::add(errc code, severity s, place where, std::string_view rule,
                                  std::string_view path) -> writer {
  if (s == severity::error) {
    ++errors_;
    if (first_.code == errc::ok) first_ = {code, where.offset, where.index};
  }
  if (to_ == nullptr) return writer();
  close();
  ++(s == severity::error ? to_->errors : s == severity::warning ? to_->warnings : to_->notes);
  constexpr std::size_t max_characters = std::size_t{1} << 30;
  if (to_->diagnostics.size() >= max_ || to_->characters.size() > max_characters) return writer();
  to_->diagnostics.push_back({});
  diagnostic& d = last();
  d.code = code;
  d.severity = s;
  d.where = where;
  d.rule = {static_cast<std::uint32_t>(to_->characters.size()),
            static_cast<std::uint32_t>(rule.size())};
  to_->characters << rule;
  if (ending_.append != nullptr) ending_.append(ending_.context, d, end_);
  path_ << path;
  open(d.text);
  return writer(this);
}

TESSERA_INLINE void findings::writer::start_path() const {
  if (to_ == nullptr) return;
  to_->close();
  to_->open(to_->last().path);
  to_->is_verbatim_ = true;
}

TESSERA_INLINE void findings::writer::start_note(const place& related) const {
  if (to_ == nullptr) return;
  to_->close();
  diagnostic& d = to_->last();
  d.has_note = true;
  d.related = related;
  to_->open(d.note);
}

TESSERA_INLINE void findings::writer::start_fix(const place& range) const {
  if (to_ == nullptr) return;
  to_->close();
  diagnostic& d = to_->last();
  d.has_fix = true;
  d.fix = range;
  to_->open(d.replacement);
  to_->is_verbatim_ = true;
}

TESSERA_INLINE auto findings::writer::put_signed(std::int64_t part) const -> writer {
  if (to_ != nullptr) characters() << part;
  return *this;
}

TESSERA_INLINE auto findings::writer::put_unsigned(std::uint64_t part) const -> writer {
  if (to_ != nullptr) characters() << part;
  return *this;
}

TESSERA_INLINE auto findings::writer::put(std::string_view part) const -> writer {
  if (to_ == nullptr) return *this;
  constexpr std::size_t max_shown = 200;
  text& out = characters();
  if (to_->is_verbatim_) {
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

TESSERA_INLINE void findings::open(text_range& range) noexcept {
  range_ = &range;
  range_->first = static_cast<std::uint32_t>(to_->characters.size());
  is_verbatim_ = false;
}

TESSERA_INLINE void findings::close() {
  if (range_ == nullptr) return;
  text& out = to_->characters;
  if (range_ == &last().text) {
    if (out.size() == range_->first) out << tessera::error{last().code}.message();
    out << end_;
    end_.clear();
  }
  const auto end = static_cast<std::uint32_t>(out.size());
  range_->size = end - range_->first;
  range_ = nullptr;
  if (path_.empty()) return;
  out << path_;
  last().path = {end, static_cast<std::uint32_t>(path_.size())};
  path_.clear();
}

TESSERA_INLINE void findings::close_or_cut() noexcept {
  if (range_ == nullptr) return;
  text& out = to_->characters;
  const std::size_t message = tessera::error{last().code}.message().size();
  if (!out.try_reserve(out.size() + message + end_.size() + path_.size())) {
    end_.clear();
    path_.clear();
    if (out.size() == range_->first) range_ = nullptr;  // not even a message
  }
  close();
}

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_FINDINGS_HPP
