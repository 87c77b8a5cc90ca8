// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC verification of ORCH: execution plans.
//
// Jumps are looked at where all instructions can be read; where a start or an end of a loop has no
// counterpart, which loop a jump is in is unknown, and only the instruction that it leads to is checked.
//
// Lifetime:   for the time of a call.
// Errors:     findings of nac_mep_*.
// Limits:     none; time n log n of the bytecode.
// Allocation: at most 32 × the bytecode, where it consists of starts of loops only, and 200 KiB.

#ifndef TESSERA_NAC_DETAIL_RULES_EXECUTION_PLAN_HPP
#define TESSERA_NAC_DETAIL_RULES_EXECUTION_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../execution_plan.hpp"
#include "../model.hpp"
#include "rules_report.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

template <class Out>
[[gnu::cold]] void put_plan_instruction(Out& to, std::uint32_t index, const plan_instruction& i,
                                        std::uint64_t offset_in_code) {
  to << "plan instruction " << index << " (" << i.row->name << ')';
  std::uint32_t k = 0;
  for (const plan_operand& o : i.operands()) {
    if (o.offset == offset_in_code) to << ", operand " << k;
    ++k;
  }
}

/// Finds all that is wrong with bytecode as a container holds it: below 4 GiB.
class plan_checker {
 public:
  /// `offset` is where the bytecode is in the container.
  plan_checker(bytes code, const constants& pool_of, findings& found, std::uint64_t offset)
      : code_(code), found_(found), offset_(offset) {
    for (const constant& c : pool_of) {
      if (c.id >= constant_.size()) constant_.resize(std::size_t{c.id} + 1);
      constant_[c.id] = static_cast<std::uint8_t>(
          known | (c.type == constant_type::string ? text : 0) | (is_model(c) ? model : 0));
    }
  }

  void check() {
    if (instructions()) jumps();
  }

 private:
  static constexpr std::uint32_t outside = 0xffffffff;
  static constexpr std::uint8_t known = 1, text = 2, model = 4;
  struct loop {
    std::uint32_t first;   // the instruction after its start
    std::uint32_t last;    // its end
    std::uint32_t around;  // the loop that it is in
    std::uint32_t number;  // the index of its start among the instructions
  };
  /// From here on the innermost loop is another.
  struct change {
    std::uint32_t offset;
    std::uint32_t inner;
  };

  [[nodiscard]] static bool is_model(const constant& c) noexcept {
    switch (c.type) {
      case constant_type::boolean: return true;
      case constant_type::int64: return c.int64() >= 0 && c.int64() <= 255;
      case constant_type::float64: {
        const double v = c.float64();
        return v >= 0 && v <= 255 && v == static_cast<double>(static_cast<int>(v));
      }
      default: return false;
    }
  }

  [[nodiscard, gnu::cold]] findings::writer error(errc code, std::uint64_t offset) {
    return found_.error(code, {.offset = offset_ + offset});
  }
  [[gnu::cold]] void put_path(findings::writer to, const plan_instruction& i,
                              std::uint64_t offset) const {
    put_plan_instruction(to.path(), count_, i, offset);
  }
  /// A value outside the choices of its operand: "FILE 5; expected 0 or 1".
  [[gnu::cold]] void choice(const plan_instruction& i, const plan_operand& o) {
    auto to = error(choice_error(o.kind), o.offset);
    to << i.row->name << ": " << o.value << " isn't one of ";
    bool first = true;
    for (const plan_choice& c : plan_choices) {
      if (c.set != o.kind) continue;
      if (!first) to << ", ";
      to << unsigned{c.value} << " (" << c.name << ')';
      first = false;
    }
    put_path(to, i, o.offset);
  }
  void operand(const plan_instruction& i, const plan_operand& o) {
    if (is_choice_operand(o.kind) && find_choice(o.kind, o.value) == nullptr) return choice(i, o);
    if (!is_constant_operand(o.kind) || (o.kind == 'w' && o.value == 0)) return;
    const auto id = static_cast<std::size_t>(o.value);
    const std::uint8_t is = id < constant_.size() ? constant_[id] : std::uint8_t{0};
    const auto wrong = [&](errc code, std::string_view what) {
      auto to = error(code, o.offset);
      to << i.row->name << ": constant " << id << what;
      put_path(to, i, o.offset);
    };
    if (is == 0) return wrong(errc::nac_mep_constant, " doesn't exist in the execution plan");
    if ((o.kind == 's' || o.kind == 'w') && (is & text) == 0)
      return wrong(errc::nac_mep_constant_string,
                   " of the execution plan isn't a string; expected one");
    if (o.kind == 'n' && (is & model) == 0)
      return wrong(errc::nac_mep_constant_model,
                   " of the execution plan isn't a model's number; expected 0 to 255");
  }

  /// Each by itself, and which loops there are. False: jumps can't be looked at.
  [[nodiscard]] bool instructions() {
    starts_.resize(code_.size() / 8 + 1);
    std::uint32_t inner = outside;
    plan_reader in(code_);
    count_ = 0;
    for (plan_instruction i; in.next(i); ++count_) {
      starts_[to_size(i.offset / 8)] |= static_cast<std::uint8_t>(1u << i.offset % 8);
      const auto wrong = [&](errc code, std::string_view what) {
        auto to = error(code, i.offset);
        to << i.row->name << what;
        put_path(to, i, i.offset);
      };
      if (i.reserved()) {
        wrong(errc::nac_mep_reserved, " is a reserved opcode and can't run");
        continue;
      }
      for (const plan_operand& o : i.operands()) operand(i, o);
      const auto at = static_cast<std::uint32_t>(i.offset);
      const std::uint32_t after = at + i.size;
      if (i.op() == plan_op::flow_loop_start) {
        loops_.push_back({after, 0, inner, count_});
        inner = static_cast<std::uint32_t>(loops_.size() - 1);
        changes_.push_back({after, inner});
      } else if (i.op() == plan_op::flow_loop_end) {
        if (inner == outside) {
          wrong(errc::nac_mep_loop_end, " without a matching flow_loop_start");
          is_nested_ = false;
          continue;
        }
        loops_[inner].last = at;
        inner = loops_[inner].around;
        changes_.push_back({after, inner});
      } else if (i.op() == plan_op::flow_break_loop_if && inner == outside) {
        wrong(errc::nac_mep_break, " outside a loop");
      }
    }
    if (const tessera::error e = in.error(); e.code != errc::ok) {
      unreadable(e);
      return false;
    }
    for (; inner != outside; inner = loops_[inner].around) {
      is_nested_ = false;
      const loop& l = loops_[inner];
      auto to = error(errc::nac_mep_loop_open, l.first - 2);
      to << "flow_loop_start at offset " << l.first - 2
         << " of the execution plan has no flow_loop_end";
      to.path() << "plan instruction " << l.number << " (" << name(plan_op::flow_loop_start) << ')';
    }
    starts_[code_.size() / 8] |= static_cast<std::uint8_t>(1u << code_.size() % 8);
    return true;
  }
  [[gnu::cold]] void unreadable(const tessera::error& e) {
    auto to = error(e.code, e.offset);
    if (e.code == errc::nac_mep_opcode && e.offset < code_.size())
      to << "unknown opcode " << load_le<std::uint8_t>(code_.data() + e.offset);
    to.path() << "plan instruction " << count_;
  }

  [[nodiscard]] std::uint32_t innermost(std::uint64_t offset) const noexcept {
    const std::size_t count = first_not_below(
        changes_.data(), changes_.size(), [offset](const change& c) { return c.offset <= offset; });
    return count == 0 ? outside : changes_[count - 1].inner;
  }
  [[nodiscard]] bool is_in(const loop& l, std::uint64_t offset) const noexcept {
    return offset >= l.first && offset <= l.last;
  }

  void jumps() {
    plan_reader in(code_);
    count_ = 0;
    for (plan_instruction i; in.next(i); ++count_) {
      if (i.op() != plan_op::flow_loop_end && i.op() != plan_op::flow_branch_if &&
          i.op() != plan_op::flow_break_loop_if)
        continue;
      for (const plan_operand& o : i.operands())
        if (o.kind == 'j') jump(i, o);
    }
  }
  void jump(const plan_instruction& i, const plan_operand& o) {
    const std::int64_t target = o.target();
    const auto wrong = [&](errc code, std::string_view expected, std::uint64_t value) {
      auto to = error(code, o.offset);
      to << i.row->name << " jumps to offset " << target << " of the execution plan; expected "
         << expected << value;
      put_path(to, i, o.offset);
    };
    constexpr std::string_view on_instruction =
        "the start of an instruction, or the end of the execution plan at ";
    if (target < 0 || target > static_cast<std::int64_t>(code_.size()))
      return wrong(errc::nac_mep_jump, on_instruction, code_.size());
    const auto to = static_cast<std::uint64_t>(target);
    if ((starts_[to_size(to / 8)] >> to % 8 & 1) == 0)
      return wrong(errc::nac_mep_jump, on_instruction, code_.size());
    if (!is_nested_) return;
    const std::uint32_t here = innermost(i.offset), there = innermost(to);
    if (i.op() == plan_op::flow_loop_end && !is_in(loops_[here], to))
      return wrong(errc::nac_mep_loop_back, "a target in its loop, which begins at ",
                   loops_[here].first);
    if (i.op() == plan_op::flow_break_loop_if && here != outside && to <= loops_[here].last)
      return wrong(errc::nac_mep_break_target, "a target after the end of its loop at ",
                   loops_[here].last);
    if (there != outside && !is_in(loops_[there], i.offset))
      return wrong(errc::nac_mep_jump_into_loop, "a target outside the loop that begins at ",
                   loops_[there].first);
  }

  bytes code_;
  findings& found_;
  std::uint64_t offset_;
  std::uint32_t count_ = 0;      // the index of the instruction that is looked at
  pool<std::uint8_t> constant_;  // by id: what it can be used as
  pool<std::uint8_t> starts_;    // a bit for each byte of code, and for its end
  pool<loop> loops_;
  pool<change> changes_;
  bool is_nested_ = true;  // every start of a loop has its end
};

/// Where a container's plan begins.
[[nodiscard]] inline std::uint64_t plan_offset(const model& f) noexcept {
  return f.offset(section::orch) + 12;  // the tag, and both sizes
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_EXECUTION_PLAN_HPP
