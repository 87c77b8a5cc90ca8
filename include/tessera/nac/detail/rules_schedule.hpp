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
//   free         of t or an earlier instruction, once, when no instruction behind t takes its result
//   preload      of an INPUT of variant 1, not before it but at the latest where it stands
//   save_for_grad, free_after_trng   of any instruction
//
// The specification frees at the tick behind the last use, compilers at that of the last use: both
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
#include "../diagnostic.hpp"
#include "../model.hpp"
#include "../program.hpp"
#include "../resolve.hpp"
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

  void check(const command& c, std::uint32_t tick) {
    if (const errc fault = fault_of(c, tick); fault != errc::ok) {
      const std::uint64_t target_offset = c.offset + 1;
      return found.warning(fault, fault == errc::nac_action ? c.offset : target_offset, tick);
    }
    if (c.what == action::free) seen[c.target] |= 2;
    usable.push_back({static_cast<std::uint16_t>(tick), c.target, c.what});
  }

  void check() {
    seen.resize(program.steps.size());
    for (const tick& t : f.schedule()) {
      if (t.instruction >= program.steps.size()) {
        found.warning(errc::nac_tick, t.offset);
        continue;
      }
      if ((seen[t.instruction] & 1u) != 0)
        found.warning(errc::nac_tick_repeated, t.offset, t.instruction);
      seen[t.instruction] |= 1;
      for (const command& c : t.commands) check(c, t.instruction);
    }
  }
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_SCHEDULE_HPP
