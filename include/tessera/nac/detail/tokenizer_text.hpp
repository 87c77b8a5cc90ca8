// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/tokenizer.hpp.

#ifndef TESSERA_NAC_DETAIL_TOKENIZER_TEXT_HPP
#define TESSERA_NAC_DETAIL_TOKENIZER_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../print.hpp"
#include "../tokenizer.hpp"
#include "hex.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct manifest_printer {
  text& out;

  void string(std::string_view separator, std::string_view s) const {
    out << separator;
    print_string(out, s);
  }
  void rules(const tokenizer_instruction& i) const {
    rule_reader in(i);
    for (partition_rule r; in.next(r);) {
      string("\n    rule ", r.expression);
      if ((r.flags & partition_rule::protects) != 0) out << " protected";
      if ((r.flags & partition_rule::has_behaviour) != 0) {
        if (r.behaviour == partition_rule::remove)
          out << " remove";
        else if (r.behaviour == partition_rule::isolate)
          out << " isolate";
        else
          out << " behaviour " << r.behaviour;
      }
      if ((r.flags & partition_rule::has_trim) != 0) string(" trim ", r.trim);
    }
  }
  void items(const tokenizer_instruction& i) const {
    item_reader in(i);
    std::string_view separator = " ";
    for (compose_item c; in.next(c); separator = ", ") {
      if (c.kind == compose_item::token)
        string(separator, c.token_text);
      else if (c.kind == compose_item::id)
        out << separator << c.number;
      else
        out << separator << "ids";
    }
  }
  void instruction(const tokenizer_instruction& i) const {
    out << "  ";
    if (i.row == nullptr || check_form(i).code != errc::ok) {
      out << "op " << i.opcode;
      if (!i.payload.empty()) print_bytes(out << ' ', i.payload);
      out << '\n';
      return;
    }
    out << i.row->name;
    switch (i.row->form) {
      case tokenizer_form::none: break;
      case tokenizer_form::short_text:
        if (!i.payload.empty()) string(" ", i.first_string());
        break;
      case tokenizer_form::long_text: string(" ", i.first_string()); break;
      case tokenizer_form::long_texts:
        string(" ", i.first_string());
        string(", ", i.second_string());
        break;
      case tokenizer_form::categories: {
        category_reader in(i);
        std::string_view separator = " ";
        for (std::string_view c; in.next(c); separator = ", ") string(separator, c);
        break;
      }
      case tokenizer_form::rules: rules(i); break;
      case tokenizer_form::items: items(i); break;
    }
    out << '\n';
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE void print_manifest(text& out, bytes manifest) {
  manifest_reader in(manifest);
  if (in.offset() != 0) out << "  version " << in.version() << '\n';
  for (tokenizer_instruction i; in.next(i);) detail::manifest_printer{out}.instruction(i);
  detail::print_byte_lines(out, manifest.subspan(to_size(in.offset())), "  ");
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_TOKENIZER_TEXT_HPP
