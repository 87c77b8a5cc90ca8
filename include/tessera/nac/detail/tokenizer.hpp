// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/tokenizer.hpp.

#ifndef TESSERA_NAC_DETAIL_TOKENIZER_HPP
#define TESSERA_NAC_DETAIL_TOKENIZER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../tokenizer.hpp"
#include "rules_tokenizer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE std::string_view tokenizer_instruction::first_string() const noexcept {
  detail::payload_reader in = fields();
  return row != nullptr && row->form == tokenizer_form::short_text ? in.string<std::uint8_t>()
                                                                   : in.string<std::uint16_t>();
}

TESSERA_INLINE std::string_view tokenizer_instruction::second_string() const noexcept {
  detail::payload_reader in = fields();
  (void)in.string<std::uint16_t>();
  return in.string<std::uint16_t>();
}

}  // namespace nac
namespace nac::detail {

TESSERA_INLINE bool read_category(payload_reader& in, std::string_view& out, errc&) noexcept {
  out = in.string<std::uint8_t>();
  return !in.failed();
}

TESSERA_INLINE bool read_rule(payload_reader& in, partition_rule& out, errc& code) noexcept {
  out = {};
  out.flags = in.number<std::uint8_t>();
  if (out.flags > 7) return code = errc::nac_tisa_rule_flags, false;
  out.expression = in.string<std::uint16_t>();
  if ((out.flags & partition_rule::has_behaviour) != 0) out.behaviour = in.number<std::uint8_t>();
  if ((out.flags & partition_rule::has_trim) != 0) out.trim = in.string<std::uint8_t>();
  return !in.failed();
}

TESSERA_INLINE bool read_item(payload_reader& in, compose_item& out, errc& code) noexcept {
  out = {};
  const auto fixed = in.number<std::uint8_t>();
  const std::uint8_t number = fixed == 1 ? in.number<std::uint8_t>() : std::uint8_t{0};
  if (fixed > 1 || number > 1) return code = errc::nac_tisa_item_kind, false;
  if (fixed == 1 && number == 1) {
    out.kind = compose_item::id;
    out.number = in.number<std::int32_t>();
  } else if (fixed == 1) {
    out.kind = compose_item::token;
    out.token_text = in.string<std::uint8_t>();
  }
  return !in.failed();
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE manifest_reader::manifest_reader(bytes manifest) noexcept : in_(manifest) {
  if (in_.size() < 5 || as_text(in_.subspan(0, 4)) != "TISA")
    error_ = {errc::nac_tisa_magic, 0};
  else
    at_ = 5;
}

TESSERA_INLINE bool manifest_reader::next(tokenizer_instruction& out) noexcept {
  if (error_.code != errc::ok || at_ == in_.size()) return false;
  if (in_.size() - at_ < 5) return fail(at_ + 1);
  const auto size = load_le<std::uint32_t>(in_.data() + at_ + 1);
  if (in_.size() - at_ - 5 < size) return fail(at_ + 1);
  const auto opcode = load_le<std::uint8_t>(in_.data() + at_);
  out = {at_, opcode, tokenizer_row(opcode), in_.subspan(at_ + 5, size)};
  at_ += 5 + std::size_t{size};
  return true;
}

TESSERA_INLINE bool manifest_reader::fail(std::size_t offset) noexcept {
  error_ = {errc::nac_tisa_truncated, offset};
  return false;
}

TESSERA_INLINE error verify_manifest(bytes manifest, std::uint64_t offset, report* found) {
  detail::findings all(found, 1000);
  detail::check_manifest(manifest, offset, all);
  return all.first_error();
}

TESSERA_INLINE manifest_writer::manifest_writer(std::uint8_t version) {
  out_.append(as_bytes("TISA").data(), 4);
  number(version);
}

TESSERA_INLINE void manifest_writer::replace(std::string_view pattern, std::string_view value) {
  const std::size_t at = begin(tokenizer_op::replace);
  string<std::uint16_t>(pattern);
  string<std::uint16_t>(value);
  end(at);
}

TESSERA_INLINE void manifest_writer::filter_category(tessera::view<std::string_view> categories) {
  const std::size_t at = begin(tokenizer_op::filter_category);
  count<std::uint8_t>(categories.size());
  for (const std::string_view c : categories) string<std::uint8_t>(c);
  end(at);
}

TESSERA_INLINE void manifest_writer::partition_rules(tessera::view<partition_rule> rules) {
  const std::size_t at = begin(tokenizer_op::partition_rules);
  count<std::uint16_t>(rules.size());
  for (const partition_rule& r : rules) {
    if (r.flags > 7) fail(errc::nac_tisa_rule_flags);
    number(r.flags);
    string<std::uint16_t>(r.expression);
    if ((r.flags & partition_rule::has_behaviour) != 0) number(r.behaviour);
    if ((r.flags & partition_rule::has_trim) != 0) string<std::uint8_t>(r.trim);
  }
  end(at);
}

TESSERA_INLINE void manifest_writer::compose(tessera::view<compose_item> items) {
  const std::size_t at = begin(tokenizer_op::compose);
  count<std::uint8_t>(items.size());
  for (const compose_item& c : items) {
    number(static_cast<std::uint8_t>(c.kind == compose_item::ids ? 0 : 1));
    if (c.kind == compose_item::ids) continue;
    number(static_cast<std::uint8_t>(c.kind == compose_item::id ? 1 : 0));
    if (c.kind == compose_item::id)
      number(c.number);
    else
      string<std::uint8_t>(c.token_text);
  }
  end(at);
}

TESSERA_INLINE void manifest_writer::raw(std::uint8_t opcode, bytes payload) {
  const std::size_t at = begin(static_cast<tokenizer_op>(opcode));
  out_.append(payload.data(), payload.size());
  end(at);
}

TESSERA_INLINE std::size_t manifest_writer::begin(tokenizer_op op) {
  number(static_cast<std::uint8_t>(op));
  number(std::uint32_t{0});
  return out_.size();
}

TESSERA_INLINE void manifest_writer::end(std::size_t payload) {
  const std::uint64_t size = out_.size() - payload;
  if (size > 0xffffffff) fail(errc::nac_tisa_string);
  store_le(out_.data() + payload - 4, static_cast<std::uint32_t>(size));
  ++count_;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_TOKENIZER_HPP
