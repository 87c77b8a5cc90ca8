// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/execution_plan.hpp.

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
#include "../model.hpp"
#include "../print.hpp"
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
    const std::size_t count = first_not_below(constants_.data(), constants_.size(),
                                              [id](const constant& c) { return c.id <= id; });
    return count != 0 && constants_[count - 1].id == id ? &constants_[count - 1] : nullptr;
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

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE void print_execution_plan(text& out, bytes code, const constants& pool_of) {
  detail::plan_printer(out, code, pool_of).print();
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_EXECUTION_PLAN_TEXT_HPP
