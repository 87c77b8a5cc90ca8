// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC assembly: the text of the tokenizer's manifest, read back to the same bytes.
//
// Lifetime:   for the time of a call.
// Errors:     those of nac/tokenizer.hpp, at the token.
// Limits:     what the fields can hold.
// Allocation: what the parts own.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLE_TOKENIZER_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLE_TOKENIZER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../assembly.hpp"
#include "../print.hpp"
#include "../tokenizer.hpp"
#include "hex.hpp"
#include "lexer.hpp"
#include "words.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

class manifest_parser {
 public:
  explicit manifest_parser(lexer& in, text_map* map = nullptr) noexcept : in_(in), map_(map) {}

  [[nodiscard]] bool parse(parts& p) {
    for (in_.skip_lines(); in_.peek().kind != token_kind::end; in_.skip_lines()) {
      const token t = in_.peek();
      if (t.kind != token_kind::word) in_.fail(errc::nac_tisa_name);
      if (t.kind != token_kind::word || t.text == word_end) break;
      in_.next();
      if (map_ != nullptr) map_->add(text_section::tokenizer, out_.size(), t.offset);
      line(t);
      if (!in_.failed()) in_.end_line();
    }
    if (in_.failed()) return false;
    p.manifest = p.keep(bytes(out_.data(), out_.size()));
    p.has_manifest = true;
    return true;
  }

 private:
  template <class T>
  void number(T value) {
    append_le(out_, value);
  }
  /// A string from the text, with its length before it.
  template <class Length>
  void string() {
    const std::uint64_t at = in_.offset();
    scratch_.clear();
    in_.string(scratch_);
    if (scratch_.size() > static_cast<Length>(~Length{0})) in_.fail(errc::nac_tisa_string, at);
    number(static_cast<Length>(scratch_.size()));
    out_.append(as_bytes(scratch_.view()).data(), scratch_.size());
  }
  /// A list of strings or items up to the end of the line, with its count before it.
  void list(bool items) {
    const std::size_t count_at = out_.size();
    number(std::uint8_t{0});
    std::uint32_t count = 0;
    while (!in_.failed() && !in_.at_line_end()) {
      if (count != 0 && !in_.expect(',')) return;
      if (++count > 255) return in_.fail(errc::nac_tisa_list);
      if (items)
        item();
      else
        string<std::uint8_t>();
    }
    out_[count_at] = static_cast<std::byte>(count);
  }
  void item() {
    const token_kind kind = in_.peek().kind;
    if (in_.accept("ids")) return number(std::uint8_t{0});
    number(std::uint8_t{1});
    number(static_cast<std::uint8_t>(kind == token_kind::number ? 1 : 0));
    if (kind == token_kind::number)
      number(static_cast<std::int32_t>(in_.integer(-0x80000000LL, 0x7fffffff)));
    else if (kind == token_kind::string)
      string<std::uint8_t>();
    else
      in_.fail(errc::nac_tisa_item);
  }
  void rule() {
    const std::size_t flags_at = out_.size();
    number(std::uint8_t{0});
    string<std::uint16_t>();
    // In the order of the fields.
    std::uint8_t flags = in_.accept("protected") ? partition_rule::protects : std::uint8_t{0};
    std::int64_t behaviour = -1;
    if (in_.accept("remove"))
      behaviour = partition_rule::remove;
    else if (in_.accept("isolate"))
      behaviour = partition_rule::isolate;
    else if (in_.accept("behaviour"))
      behaviour = in_.integer(0, 255);
    if (behaviour >= 0) {
      flags |= partition_rule::has_behaviour;
      number(static_cast<std::uint8_t>(behaviour));
    }
    if (in_.accept("trim")) {
      flags |= partition_rule::has_trim;
      string<std::uint8_t>();
    }
    if (!in_.failed() && !in_.at_line_end()) in_.fail(errc::nac_tisa_rule);
    out_[flags_at] = static_cast<std::byte>(flags);
  }
  void rules() {
    const std::size_t count_at = out_.size();
    number(std::uint16_t{0});
    std::uint32_t count = 0;
    // The line's end is the caller's, but for those between rules.
    while (!in_.failed()) {
      lexer ahead = in_;
      ahead.skip_lines();
      const std::uint64_t at = ahead.offset();
      if (!in_.at_line_end() || !ahead.accept("rule")) return;
      in_ = ahead;
      if (++count > 0xffff) return in_.fail(errc::nac_tisa_list, at);
      rule();
      store_le(out_.data() + count_at, static_cast<std::uint16_t>(count));
    }
  }

  void line(const token& t) {
    if (t.text == "version") {
      out_.append(as_bytes("TISA").data(), 4);
      return number(static_cast<std::uint8_t>(in_.integer(0, 255)));
    }
    if (t.text == "bytes") return parse_bytes(in_, out_);
    const tokenizer_op_row* row = nullptr;
    for (const tokenizer_op_row& r : tokenizer_ops)
      if (r.name == t.text) row = &r;
    const bool by_number = t.text == "op";
    if (row == nullptr && !by_number) return in_.fail(errc::nac_tisa_name, t.offset);
    number(by_number ? static_cast<std::uint8_t>(in_.integer(0, 255))
                     : static_cast<std::uint8_t>(row->op));
    number(std::uint32_t{0});
    const std::size_t first = out_.size();
    if (by_number) {
      if (!in_.failed() && !in_.at_line_end()) parse_bytes(in_, out_);
    } else {
      payload(*row);
    }
    const std::uint64_t size = out_.size() - first;
    if (size > 0xffffffff) return in_.fail(errc::nac_tisa_string, t.offset);
    store_le(out_.data() + first - 4, static_cast<std::uint32_t>(size));
  }
  void payload(const tokenizer_op_row& row) {
    switch (row.form) {
      case tokenizer_form::none: break;
      case tokenizer_form::short_text:
        if (row.op != tokenizer_op::bpe_encode || !in_.at_line_end()) string<std::uint8_t>();
        break;
      case tokenizer_form::long_texts:
        string<std::uint16_t>();
        if (!in_.failed()) in_.expect(',');
        [[fallthrough]];
      case tokenizer_form::long_text: string<std::uint16_t>(); break;
      case tokenizer_form::categories: list(false); break;
      case tokenizer_form::rules: rules(); break;
      case tokenizer_form::items: list(true); break;
    }
  }

  lexer& in_;
  text_map* map_;
  pool<std::byte> out_;
  text scratch_;
};

/// Reads the lines of a manifest up to the word `end`, which it leaves, and puts the bytes into
/// parts. False after an error, which the lexer has.
[[nodiscard]] inline bool parse_manifest(lexer& in, parts& p, text_map* map = nullptr) {
  return manifest_parser(in, map).parse(p);
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLE_TOKENIZER_HPP
