// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC assembly: the text of execution plans, read back to the same bytes.
//
// Lifetime:   for the time of a call.
// Errors:     those of nac/execution_plan.hpp, at the token.
// Limits:     what the fields can hold.
// Allocation: what the parts own.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLE_EXECUTION_PLAN_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLE_EXECUTION_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../assembly.hpp"
#include "../execution_plan.hpp"
#include "../model.hpp"
#include "../print.hpp"
#include "hex.hpp"
#include "lexer.hpp"
#include "print_values.hpp"
#include "words.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

class plan_parser {
 public:
  explicit plan_parser(lexer& in, text_map* map = nullptr) noexcept : in_(in), map_(map) {}

  [[nodiscard]] bool parse(parts& p) {
    for (in_.skip_lines(); in_.peek().kind != token_kind::end; in_.skip_lines()) {
      const token t = in_.peek();
      if (t.kind != token_kind::word) in_.fail(errc::nac_mep_mnemonic);
      if (t.kind != token_kind::word || t.text == word_end) break;
      in_.next();
      if (in_.accept(':')) {
        add(labels_, t);
        continue;
      }
      if (map_ != nullptr) map_->add(text_section::plan, code_.size(), t.offset);
      if (t.text == "bytes") {
        parse_bytes(in_, code_);
      } else if (const plan_op_row* const row = find(t.text); row != nullptr) {
        instruction(*row);
      } else {
        in_.fail(errc::nac_mep_mnemonic, t.offset);
      }
      if (!in_.failed()) in_.end_line();
    }
    if (!in_.failed()) resolve();
    if (in_.failed()) return false;
    p.plan = p.keep(bytes(code_.data(), code_.size()));
    return true;
  }

 private:
  /// A label, or a jump to one.
  struct place {
    std::uint32_t source, size, code;
  };

  [[nodiscard]] std::string_view name(const place& p) const noexcept {
    return in_.source().substr(p.source, p.size);
  }
  void add(pool<place>& to, const token& t) {
    if (t.offset > 0xffffffff) return in_.fail(errc::input_too_large, t.offset);
    to.push_back({static_cast<std::uint32_t>(t.offset), static_cast<std::uint32_t>(t.text.size()),
                  static_cast<std::uint32_t>(code_.size())});
  }

  [[nodiscard]] static const plan_op_row* find(std::string_view name) noexcept {
    for (const plan_op_row& row : plan_ops)
      if (row.name == name) return &row;
    return nullptr;
  }
  void put(std::uint32_t size, std::int64_t value) {
    if (size == 1)
      append_le(code_, static_cast<std::uint8_t>(value & 0xff));
    else
      append_le(code_, static_cast<std::uint16_t>(value & 0xffff));
  }

  void instruction(const plan_op_row& row) {
    code_.push_back(static_cast<std::byte>(row.op));
    bool first = true;
    for (plan_layout layout(row); layout.kind() != '\0' && !in_.failed(); first = false) {
      if (!first && !in_.accept(',')) return in_.fail(errc::nac_mep_operand_count);
      const char kind = layout.kind();
      const std::uint64_t at = in_.offset();
      const std::int64_t value = is_list_operand(kind) ? list(kind) : operand(kind);
      if (in_.failed()) return;
      if (!layout.pass(value)) return in_.fail(choice_error(kind), at);
      if (is_list_operand(kind))
        while (layout.slots() != 0) (void)layout.pass(0);  // which are there already
    }
  }
  std::int64_t list(char kind) {
    const std::uint64_t at = in_.offset();
    const std::size_t count_at = code_.size();
    put(1, 0);
    if (!in_.expect('[')) return 0;
    std::uint32_t count = 0;
    while (!in_.failed() && !in_.accept(']')) {
      if (count != 0 && !in_.expect(',')) return 0;
      if (++count > 255) return in_.fail(errc::nac_mep_list, at), 0;
      (void)operand(kind == 'v' ? 'i' : 'o');
    }
    code_[count_at] = static_cast<std::byte>(count);
    return count;
  }
  std::int64_t operand(char kind) {
    const std::uint32_t size = operand_size(kind);
    std::int64_t value = 0;
    if (kind == 'j') {
      const token t = in_.peek();
      if (t.kind == token_kind::word) {
        in_.next();
        add(jumps_, t);
      } else {
        value = in_.integer(-0x8000, 0x7fff);
      }
    } else if (is_choice_operand(kind) && in_.peek().kind == token_kind::word) {
      const plan_choice* choice = nullptr;
      for (const plan_choice& c : plan_choices)
        if (c.set == kind && c.name == in_.peek().text) choice = &c;
      if (choice == nullptr) return in_.fail(errc::nac_mep_choice), 0;
      value = choice->value;
      in_.next();
    } else if ((kind != 'z' && kind != 'w') || !in_.accept("none")) {
      if (is_slot_operand(kind) || is_constant_operand(kind))
        in_.expect(is_slot_operand(kind) ? '$' : '#');
      if (!in_.failed()) value = in_.integer(0, size == 1 ? 0xff : 0xffff);
    }
    put(size, value);
    return value;
  }

  void resolve() {
    sort(labels_.data(), labels_.size(),
         [this](const place& a, const place& b) { return name(a) < name(b); });
    for (std::size_t i = 1; i < labels_.size(); ++i)
      if (name(labels_[i]) == name(labels_[i - 1]))
        return in_.fail(errc::nac_mep_label_repeated, labels_[i].source);
    for (const place& j : jumps_) {
      const std::size_t to =
          first_not_below(labels_.data(), labels_.size(),
                          [&](const place& label) { return name(label) < name(j); });
      if (to == labels_.size() || name(labels_[to]) != name(j))
        return in_.fail(errc::nac_mep_label_unknown, j.source);
      const std::int64_t distance = std::int64_t{labels_[to].code} - j.code - 2;
      if (distance < -0x8000 || distance > 0x7fff)
        return in_.fail(errc::nac_mep_jump_range, j.source);
      store_le(code_.data() + j.code, static_cast<std::int16_t>(distance));
    }
  }

  lexer& in_;
  text_map* map_;
  pool<std::byte> code_;
  pool<place> labels_, jumps_;
};

/// Reads the lines of a plan up to the word `end`, which it leaves, and puts the bytecode into
/// parts. False after an error, which the lexer has.
[[nodiscard]] inline bool parse_plan(lexer& in, parts& p, text_map* map = nullptr) {
  return plan_parser(in, map).parse(p);
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLE_EXECUTION_PLAN_HPP
