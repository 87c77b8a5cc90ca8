// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/execution_plan_text.hpp.

#ifndef TESSERA_NAC_DETAIL_EXECUTION_PLAN_TEXT_HPP
#define TESSERA_NAC_DETAIL_EXECUTION_PLAN_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../execution_plan.hpp"
#include "../execution_plan_text.hpp"
#include "../lexer.hpp"
#include "../records.hpp"
#include "../text_map.hpp"
#include "../words.hpp"
#include "hex.hpp"
#include "print_values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// A constant's value as a comment shows it: long ones are cut, so that a plan's text stays in
/// proportion to its bytes.
struct short_value {
  static constexpr std::uint32_t characters = 40, elements = 6;

  static void print(text& out, const constant& c) {
    if (c.type == constant_type::string && c.length > characters) {
      const std::string_view s = c.string();
      std::size_t end = characters;
      while (end != 0 && (static_cast<unsigned char>(s[end]) & 0xc0) == 0x80) --end;
      print_string(out, s.substr(0, end));
      out << "...";
    } else if (c.type == constant_type::int32_list) {
      print_integers(out, c.int32_list(), elements);
    } else if (c.type == constant_type::float32_list) {
      print_floats(out, c.float32_list(), elements);
    } else {
      print_constant(out, c);
    }
  }
};

class plan_printer {
 public:
  plan_printer(text& out, bytes code, const constants& pool_of) : out_(out), code_(code) {
    for (const constant& c : pool_of) constants_.push_back(c);
    sort(constants_.data(), constants_.size(),
         [](const constant& a, const constant& b) { return a.id < b.id; });
    find_labels();
  }

  void print() {
    plan_reader in(code_);
    for (plan_instruction i; in.next(i);) {
      label(i.offset);
      instruction(i);
    }
    if (in.offset() != code_.size()) {
      label(in.offset());
      print_byte_lines(out_, code_.subspan(to_size(in.offset())), "    ");
    }
    label(code_.size());
  }

 private:
  /// Where jumps go, of those that go to an instruction, to what is none, or to the end.
  void find_labels() {
    pool<std::uint8_t> starts;
    starts.resize(code_.size() / 8 + 1);
    const auto mark = [&starts](std::uint64_t at) {
      starts[to_size(at / 8)] |= static_cast<std::uint8_t>(1u << at % 8);
    };
    plan_reader all(code_);
    for (plan_instruction i; all.next(i);) mark(i.offset);
    mark(all.offset());
    mark(code_.size());
    plan_reader in(code_);
    for (plan_instruction i; in.next(i);) {
      for (const plan_operand& o : i.operands()) {
        if (o.kind != 'j' || o.target() < 0) continue;
        const auto to = static_cast<std::uint64_t>(o.target());
        if (to <= code_.size() && (starts[to_size(to / 8)] >> to % 8 & 1) != 0)
          labels_.push_back(static_cast<std::uint32_t>(to));
      }
    }
    sort(labels_.data(), labels_.size(), [](std::uint32_t a, std::uint32_t b) { return a < b; });
    std::size_t n = 0;
    for (const std::uint32_t to : labels_)
      if (n == 0 || labels_[n - 1] != to) labels_[n++] = to;
    labels_.resize(n);
  }
  /// The number of a label, or 0 where there is none.
  [[nodiscard]] std::size_t label_at(std::int64_t offset) const noexcept {
    const std::size_t i = first_not_below(labels_.data(), labels_.size(),
                                          [offset](std::uint32_t l) { return l < offset; });
    return i != labels_.size() && labels_[i] == offset ? i + 1 : 0;
  }
  void label(std::uint64_t offset) {
    if (next_label_ == labels_.size() || labels_[next_label_] != offset) return;
    out_ << "  L" << ++next_label_ << ":\n";
  }

  [[nodiscard]] const constant* find(std::int32_t id) const noexcept {
    const std::size_t behind = first_not_below(constants_.data(), constants_.size(),
                                               [id](const constant& c) { return c.id <= id; });
    return behind != 0 && constants_[behind - 1].id == id ? &constants_[behind - 1] : nullptr;
  }

  void operand(const plan_operand& o) {
    const bool none = (o.kind == 'z' || o.kind == 'w') && o.value == 0;
    const plan_choice* const choice =
        is_choice_operand(o.kind) ? find_choice(o.kind, o.value) : nullptr;
    const std::size_t to = o.kind == 'j' ? label_at(o.target()) : 0;
    if (none)
      out_ << "none";
    else if (choice != nullptr)
      out_ << choice->name;
    else if (to != 0)
      out_ << 'L' << to;
    else
      out_ << (is_slot_operand(o.kind) ? "$" : is_constant_operand(o.kind) ? "#" : "") << o.value;
  }

  void instruction(const plan_instruction& i) {
    out_ << "    " << i.row->name;
    bool first = true, in_list = false, first_slot = false;
    plan_layout layout(*i.row);
    for (const plan_operand& o : i.operands()) {
      const bool slot_of_list = layout.slots() != 0;
      if (in_list && !slot_of_list) {
        out_ << ']';
        in_list = false;
      }
      (void)layout.pass(o.value);
      out_ << (first ? " " : in_list && first_slot ? "" : ", ");
      first = first_slot = false;
      if (is_list_operand(o.kind)) {
        out_ << '[';
        in_list = first_slot = true;
      } else {
        operand(o);
      }
    }
    if (in_list) out_ << ']';
    bool commented = false;
    for (const plan_operand& o : i.operands()) {
      if (!is_constant_operand(o.kind) || (o.kind == 'w' && o.value == 0)) continue;
      const constant* const c = find(o.value);
      if (c == nullptr) continue;
      out_ << (commented ? ", " : " ; ");
      commented = true;
      short_value::print(out_, *c);
    }
    out_ << '\n';
  }

  text& out_;
  bytes code_;
  pool<constant> constants_;    // by id; of the same ids the last counts
  pool<std::uint32_t> labels_;  // in order
  std::size_t next_label_ = 0;
};

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
        while (layout.slots() != 0) (void)layout.pass(0);  // which stand there already
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
namespace nac {

TESSERA_INLINE void print_plan(text& out, bytes code, const constants& pool_of) {
  detail::plan_printer(out, code, pool_of).print();
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_EXECUTION_PLAN_TEXT_HPP
