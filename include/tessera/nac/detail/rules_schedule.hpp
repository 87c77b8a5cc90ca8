// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC verification of MMAP: which commands of the schedule change no result.
//
// A schedule is advice: compilers preload what is no parameter, and free early. No command makes a
// program invalid; one that isn't like those below gets a warning, and program::schedule() leaves it
// out. Only bytes of MMAP that can't be read are an error, of `read`: nobody knows what they advise,
// and writing the container again would lose them.
//
//   tick t, an instruction of OPS; its commands:
//   save_result  of t itself
//   forward      to the one instruction that takes the result of t
//   free         of t or an earlier instruction, once, when no instruction after t uses its result
//   preload      of an INPUT of variant 1, at that INPUT or before it
//   save_for_grad, free_after_trng   of any instruction
//
// The specification frees at the tick after the last use, compilers at that of the last use: both
// are right.
//
// Lifetime:   for the time of a call.
// Errors:     warnings of nac_tick … nac_free_twice; the offset is that of the tick, of the action
//             or of its target.
// Limits:     none of its own.
// Allocation: 1 byte for each instruction, and the program's commands.

#ifndef TESSERA_NAC_DETAIL_RULES_SCHEDULE_HPP
#define TESSERA_NAC_DETAIL_RULES_SCHEDULE_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/pool.hpp"
#include "../model.hpp"
#include "../verify.hpp"
#include "places.hpp"
#include "rules_code.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

struct schedule_rules {
  const model& f;
  findings& found;
  const code& program;  // as many steps as OPS has instructions
  const uses& used;
  pool<scheduled_command>& usable;

  pool<std::uint8_t> seen = {};  // by instruction: bit 0 it was a tick, bit 1 it was freed

  [[nodiscard]] bool is_parameter(std::uint32_t i) const noexcept {
    const step& s = program.steps[i];
    return s.a == op_input && s.b == static_cast<std::uint8_t>(input::parameter);
  }

  /// What is wrong with a command of an instruction's tick, if anything.
  [[nodiscard]] errc fault_of(const command& c, std::uint32_t tick) const noexcept {
    if (name(c.what).empty()) return errc::nac_action;
    if (c.target >= program.steps.size()) return errc::nac_target;
    switch (c.what) {
      case action::save_result:
        if (c.target != tick) return errc::nac_save_target;
        break;
      case action::forward:
        if (used.first[tick] != c.target || used.last[tick] != c.target)
          return errc::nac_forward_target;
        break;
      case action::preload:
        if (!is_parameter(c.target)) return errc::nac_preload_target;
        if (c.target < tick) return errc::nac_preload_late;
        break;
      case action::free:
        if (c.target > tick) return errc::nac_free_early;
        if (used.last[c.target] > tick) return errc::nac_free_needed;
        if ((seen[c.target] & 2u) != 0) return errc::nac_free_twice;
        break;
      case action::save_for_grad:
      case action::free_after_trng: break;
    }
    return errc::ok;
  }

  [[gnu::cold]] void fault(errc code, const command& c, const tick& t, std::uint32_t index) {
    const std::uint64_t at = code == errc::nac_action ? c.offset : c.offset + 1;
    auto to = found.warning(code, {.offset = at});
    const std::string_view action_name = name(c.what);
    if (!action_name.empty())
      to << action_name << " of instruction " << c.target << " at tick " << t.instruction << ": ";
    switch (code) {
      case errc::nac_action:
        to << "action " << static_cast<unsigned>(c.what) << "; expected 10, 15, 20, 25, 30 or 40";
        break;
      case errc::nac_target:
        to << "OPS has ";
        put_count(to, program.steps.size(), "instruction");
        break;
      case errc::nac_save_target: to << "expected the tick's own instruction"; break;
      case errc::nac_forward_target:
        if (used.first[t.instruction] == no_index)
          to << "no instruction uses the result";
        else if (used.first[t.instruction] != used.last[t.instruction])
          to << "several instructions use the result";
        else
          to << "expected instruction " << used.last[t.instruction] << ", which uses the result";
        break;
      case errc::nac_preload_target: to << "expected an INPUT of variant 1"; break;
      case errc::nac_preload_late:
        to << "the INPUT has already run; expected a later target";
        break;
      case errc::nac_free_early: to << "the result doesn't exist yet"; break;
      case errc::nac_free_needed:
        to << "instruction " << used.last[c.target] << " still needs the result";
        break;
      case errc::nac_free_twice: to << "the result is already freed"; break;
      default: break;  // unreachable: no other findings
    }
    put_tick(to.path(), index, t, at);
  }

  void check(const command& c, const tick& t, std::uint32_t index) {
    if (const errc code = fault_of(c, t.instruction); code != errc::ok)
      return fault(code, c, t, index);
    if (c.what == action::free) seen[c.target] |= 2;
    usable.push_back({t.instruction, c.target, c.what});
  }

  void check() {
    seen.resize(program.steps.size());
    std::uint32_t index = 0;
    for (const tick& t : f.schedule()) {
      const std::uint32_t number = index++;
      if (t.instruction >= program.steps.size()) {
        auto to = found.warning(errc::nac_tick, {.offset = t.offset});
        to << "tick for instruction " << t.instruction << "; OPS has ";
        put_count(to, program.steps.size(), "instruction");
        put_tick(to.path(), number, t, t.offset);
        continue;
      }
      if ((seen[t.instruction] & 1u) != 0) {
        auto to = found.warning(errc::nac_tick_repeated, {.offset = t.offset});
        to << "duplicate record for tick " << t.instruction;
        put_tick(to.path(), number, t, t.offset);
      }
      seen[t.instruction] |= 1;
      for (const command& c : t.commands) check(c, t, number);
    }
  }
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_SCHEDULE_HPP
