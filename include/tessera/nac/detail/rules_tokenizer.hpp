// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC verification of PROC: the tokenizer's manifest.
//
// Lifetime:   for the time of a call.
// Errors:     findings of nac_tisa_*.
// Limits:     none.
// Allocation: the report's.

#ifndef TESSERA_NAC_DETAIL_RULES_TOKENIZER_HPP
#define TESSERA_NAC_DETAIL_RULES_TOKENIZER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/findings.hpp"
#include "../../core/text.hpp"
#include "../tokenizer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

using tessera::detail::findings;

template <class Out>
[[gnu::cold]] void put_tokenizer_instruction(Out& to, std::uint32_t index,
                                             const tokenizer_instruction& i) {
  to << "tokenizer instruction " << index;
  if (i.row != nullptr) to << " (" << i.row->name << ')';
}

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

/// Checks the strings of a payload that has its form. Their pointers give their offsets.
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

/// Finds all that is wrong with a manifest; `offset` is where it is in its container.
inline void check_manifest(bytes manifest, std::uint64_t offset, findings& found) {
  manifest_reader in(manifest);
  bool partitioned = false;
  std::uint32_t index = 0;
  for (tokenizer_instruction i; in.next(i); ++index) {
    const auto wrong = [&](const error& e) {
      auto to = found.error(e.code, {.offset = e.offset + offset});
      if (e.code == errc::nac_tisa_opcode)
        to << "unknown instruction " << unsigned{i.opcode} << " of the tokenizer";
      else
        to << i.row->name << ": " << error{e.code}.message();
      put_tokenizer_instruction(to.path(), index, i);
    };
    if (i.row == nullptr) {
      wrong({errc::nac_tisa_opcode, i.offset});
      continue;
    }
    if (const error e = check_form(i); e.code != errc::ok) {
      const char first = i.payload.empty() ? '\0' : static_cast<char>(i.payload[0]);
      const bool json = first == '{' || first == '"' || first == '[';
      wrong(json ? error{errc::nac_tisa_json, i.payload_offset()} : e);
    } else if (const error s = check_strings(i); s.code != errc::ok) {
      wrong(s);
    } else if (i.row->encodes && !partitioned) {
      wrong({errc::nac_tisa_partition, i.offset});
    }
    partitioned = partitioned || i.op() == tokenizer_op::partition_rules;
  }
  const error e = in.error();
  if (e.code == errc::ok) return;
  auto to = found.error(e.code, {.offset = e.offset + offset});
  if (e.code == errc::nac_tisa_magic)
    to.path() << "start of the manifest";
  else
    to.path() << "tokenizer instruction " << index;
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_TOKENIZER_HPP
