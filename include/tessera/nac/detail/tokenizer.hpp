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

}  // namespace nac
namespace nac::detail {

template <class List, class Element>
[[nodiscard]] inline error check_list(const tokenizer_instruction& i) noexcept {
  List in(i);
  for (Element e; in.next(e);) {}
  if (in.error().code != errc::ok) return in.error();
  return in.at_end() ? error{} : error{errc::nac_tisa_payload_long, in.end_offset()};
}

/// Whether a payload has all fields of its form and nothing else.
[[nodiscard]] inline error check_form(const tokenizer_instruction& i) noexcept {
  payload_reader in = i.fields();
  switch (i.row->form) {
    case tokenizer_form::none: break;
    case tokenizer_form::short_text:
      if (i.op() != tokenizer_op::bpe_encode || !i.payload.empty()) (void)in.string<std::uint8_t>();
      break;
    case tokenizer_form::long_texts: (void)in.string<std::uint16_t>(); [[fallthrough]];
    case tokenizer_form::long_text: (void)in.string<std::uint16_t>(); break;
    case tokenizer_form::categories: return check_list<category_reader, std::string_view>(i);
    case tokenizer_form::rules: return check_list<rule_reader, partition_rule>(i);
    case tokenizer_form::items: return check_list<item_reader, compose_item>(i);
  }
  return in.failed()   ? error{errc::nac_tisa_payload_short, in.offset()}
         : in.at_end() ? error{}
                       : error{errc::nac_tisa_payload_long, in.offset()};
}

template <std::size_t Size>
[[nodiscard]] constexpr bool is_one_of(std::string_view s,
                                       const std::string_view (&names)[Size]) noexcept {
  for (const std::string_view name : names)
    if (s == name) return true;
  return false;
}

/// Whether strings of a payload, which has its form, can be used; where they stand is known from
/// where they point.
[[nodiscard]] inline error check_strings(const tokenizer_instruction& i) noexcept {
  const auto place = [&i](std::string_view s, errc code) {
    return error{code, i.payload_offset() +
                           static_cast<std::uint64_t>(s.data() - as_text(i.payload).data())};
  };
  tessera::error e;
  const auto utf8 = [&](std::string_view s) {
    for (std::size_t at = 0; at < s.size() && e.code == errc::ok;) {
      const unsigned length = utf8_length(s.data() + at, s.data() + s.size());
      if (length == 0) e = place(s.substr(at), errc::nac_tisa_utf8);
      at += length;
    }
    return e.code == errc::ok;
  };
  switch (i.row->form) {
    case tokenizer_form::none: break;
    case tokenizer_form::short_text:
      if (i.op() == tokenizer_op::unicode_norm) {
        const std::string_view form = i.first_string();
        if (!is_one_of(form, normal_forms)) return place(form, errc::nac_tisa_normal_form);
      }
      [[fallthrough]];
    case tokenizer_form::long_text: (void)utf8(i.first_string()); break;
    case tokenizer_form::long_texts:
      if (utf8(i.first_string())) (void)utf8(i.second_string());
      break;
    case tokenizer_form::categories: {
      category_reader in(i);
      for (std::string_view c; in.next(c);)
        if (!is_one_of(c, general_categories)) return place(c, errc::nac_tisa_category);
      break;
    }
    case tokenizer_form::rules: {
      rule_reader in(i);
      for (partition_rule r; in.next(r);)
        if (!utf8(r.expression) || !utf8(r.trim)) break;
      break;
    }
    case tokenizer_form::items: {
      item_reader in(i);
      for (compose_item c; in.next(c);)
        if (!utf8(c.token_text)) break;
      break;
    }
  }
  return e;
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE error verify_manifest(bytes manifest, std::uint64_t offset) noexcept {
  manifest_reader in(manifest);
  bool partitioned = false;
  const auto at = [offset](error e) { return error{e.code, e.offset + offset}; };
  for (tokenizer_instruction i; in.next(i);) {
    if (i.row == nullptr) return at({errc::nac_tisa_opcode, i.offset});
    if (const tessera::error e = detail::check_form(i); e.code != errc::ok) {
      const char first = i.payload.empty() ? '\0' : static_cast<char>(i.payload[0]);
      const bool json = first == '{' || first == '"' || first == '[';
      return at(json ? error{errc::nac_tisa_json, i.payload_offset()} : e);
    }
    if (const tessera::error e = detail::check_strings(i); e.code != errc::ok) return at(e);
    if (i.row->encodes && !partitioned) return at({errc::nac_tisa_partition, i.offset});
    partitioned = partitioned || i.op() == tokenizer_op::partition_rules;
  }
  return in.error().code == errc::ok ? error{} : at(in.error());
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
  const std::size_t size = out_.size() - payload;
  if (size > 0xffffffff) fail(errc::nac_tisa_string);
  store_le(out_.data() + payload - 4, static_cast<std::uint32_t>(size));
  ++count_;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_TOKENIZER_HPP
