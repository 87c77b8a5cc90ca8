// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/execution_plan_verify.hpp.

#ifndef TESSERA_NAC_DETAIL_EXECUTION_PLAN_VERIFY_HPP
#define TESSERA_NAC_DETAIL_EXECUTION_PLAN_VERIFY_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../execution_plan_verify.hpp"
#include "../model.hpp"
#include "../records.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Of bytecode as a file holds it: below 4 GiB.
class plan_checker {
 public:
  plan_checker(bytes code, const constants& pool_of) : code_(code) {
    for (const constant& c : pool_of) {
      if (c.id >= constant_.size()) constant_.resize(std::size_t{c.id} + 1);
      constant_[c.id] = static_cast<std::uint8_t>(
          known | (c.type == constant_type::string ? text : 0) | (is_model(c) ? model : 0));
    }
  }

  [[nodiscard]] error check() {
    if (error e = instructions(); e.code != errc::ok) return e;
    return jumps();
  }

 private:
  static constexpr std::uint32_t outside = 0xffffffff;
  static constexpr std::uint8_t known = 1, text = 2, model = 4;
  struct loop {
    std::uint32_t first;  // behind its start
    std::uint32_t last;   // its end
    std::uint32_t around;
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

  [[nodiscard]] error operand(const plan_operand& o) const noexcept {
    if (is_choice_operand(o.kind) && find_choice(o.kind, o.value) == nullptr)
      return {choice_error(o.kind), o.offset};
    if (!is_constant_operand(o.kind) || (o.kind == 'w' && o.value == 0)) return {};
    const auto id = static_cast<std::size_t>(o.value);
    const std::uint8_t is = id < constant_.size() ? constant_[id] : std::uint8_t{0};
    if (is == 0) return {errc::nac_mep_constant, o.offset};
    if ((o.kind == 's' || o.kind == 'w') && (is & text) == 0)
      return {errc::nac_mep_constant_string, o.offset};
    if (o.kind == 'n' && (is & model) == 0) return {errc::nac_mep_constant_model, o.offset};
    return {};
  }

  /// Each by itself, and which loops there are.
  [[nodiscard]] error instructions() {
    starts_.resize(code_.size() / 8 + 1);
    std::uint32_t inner = outside;
    plan_reader in(code_);
    for (plan_instruction i; in.next(i);) {
      starts_[to_size(i.offset / 8)] |= static_cast<std::uint8_t>(1u << i.offset % 8);
      if (i.reserved()) return {errc::nac_mep_reserved, i.offset};
      for (const plan_operand& o : i.operands())
        if (const error e = operand(o); e.code != errc::ok) return e;
      const auto at = static_cast<std::uint32_t>(i.offset);
      const std::uint32_t behind = at + i.size;
      if (i.op() == plan_op::flow_loop_start) {
        loops_.push_back({behind, 0, inner});
        inner = static_cast<std::uint32_t>(loops_.size() - 1);
        changes_.push_back({behind, inner});
      } else if (i.op() == plan_op::flow_loop_end) {
        if (inner == outside) return {errc::nac_mep_loop_end, i.offset};
        loops_[inner].last = at;
        inner = loops_[inner].around;
        changes_.push_back({behind, inner});
      } else if (i.op() == plan_op::flow_break_loop_if && inner == outside) {
        return {errc::nac_mep_break, i.offset};
      }
    }
    if (in.error().code != errc::ok) return in.error();
    if (inner != outside) return {errc::nac_mep_loop_open, loops_[inner].first - 2};
    starts_[code_.size() / 8] |= static_cast<std::uint8_t>(1u << code_.size() % 8);
    return {};
  }

  [[nodiscard]] std::uint32_t innermost(std::uint64_t offset) const noexcept {
    const std::size_t behind = first_not_below(
        changes_.data(), changes_.size(), [offset](const change& c) { return c.offset <= offset; });
    return behind == 0 ? outside : changes_[behind - 1].inner;
  }
  [[nodiscard]] bool is_in(const loop& l, std::uint64_t offset) const noexcept {
    return offset >= l.first && offset <= l.last;
  }

  [[nodiscard]] error jumps() const noexcept {
    plan_reader in(code_);
    for (plan_instruction i; in.next(i);) {
      if (i.op() != plan_op::flow_loop_end && i.op() != plan_op::flow_branch_if &&
          i.op() != plan_op::flow_break_loop_if)
        continue;
      for (const plan_operand& o : i.operands()) {
        if (o.kind != 'j') continue;
        const std::int64_t target = o.target();
        if (target < 0 || target > static_cast<std::int64_t>(code_.size()))
          return {errc::nac_mep_jump, o.offset};
        const auto to = static_cast<std::uint64_t>(target);
        if ((starts_[to_size(to / 8)] >> to % 8 & 1) == 0) return {errc::nac_mep_jump, o.offset};
        const std::uint32_t here = innermost(i.offset), there = innermost(to);
        if (i.op() == plan_op::flow_loop_end && !is_in(loops_[here], to))
          return {errc::nac_mep_loop_back, o.offset};
        if (i.op() == plan_op::flow_break_loop_if && to <= loops_[here].last)
          return {errc::nac_mep_break_target, o.offset};
        if (there != outside && !is_in(loops_[there], i.offset))
          return {errc::nac_mep_jump_into_loop, o.offset};
      }
    }
    return {};
  }

  bytes code_;
  pool<std::uint8_t> constant_;  // by id: what it can be used as
  pool<std::uint8_t> starts_;    // a bit for each byte of code, and for its end
  pool<loop> loops_;
  pool<change> changes_;
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE error verify_plan(const model& f) {
  if (f.plan().empty()) return {};
  error e = detail::plan_checker(f.plan(), f.plan_constants()).check();
  if (e.code != errc::ok) e.offset += f.offset(section::orch) + 12;  // the tag, and both sizes
  return e;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_EXECUTION_PLAN_VERIFY_HPP
