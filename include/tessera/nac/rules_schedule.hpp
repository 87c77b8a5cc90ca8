// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC verification of MMAP: the schedule never frees what is still needed.
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
// Errors:     findings of nac_tick … nac_free_twice; the offset is that of the tick, of the action
//             or of its target.
// Limits:     none of its own.
// Allocation: 1 byte for each instruction.

#ifndef TESSERA_NAC_RULES_SCHEDULE_HPP
#define TESSERA_NAC_RULES_SCHEDULE_HPP

#include <cstddef>
#include <cstdint>

#include "../core/pool.hpp"
#include "diagnostic.hpp"
#include "file.hpp"
#include "resolve.hpp"
#include "rules_code.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

struct schedule_rules {
  const file& f;
  findings& found;
  const code& program;  // as many steps as OPS has instructions
  const uses& used;

  pool<std::uint8_t> seen;  // by instruction: bit 0 it was a tick, bit 1 it was freed

  [[nodiscard]] bool is_parameter(std::uint32_t i) const noexcept {
    const step& s = program.steps[i];
    return s.a == op_input && s.b == static_cast<std::uint8_t>(input::parameter);
  }

  void check(const command& c, std::uint32_t tick) {
    const std::uint64_t target_offset = c.offset + 1;
    if (name(c.what).empty()) return found.error(errc::nac_action, c.offset, tick);
    if (c.target >= program.steps.size()) return found.error(errc::nac_target, target_offset, tick);
    switch (c.what) {
      case action::save_result:
        if (c.target != tick) found.error(errc::nac_save_target, target_offset, tick);
        break;
      case action::forward:
        if (used.first[tick] != c.target || used.last[tick] != c.target)
          found.error(errc::nac_forward_target, target_offset, tick);
        break;
      case action::preload:
        if (!is_parameter(c.target))
          found.error(errc::nac_preload_target, target_offset, tick);
        else if (c.target < tick)
          found.error(errc::nac_preload_late, target_offset, tick);
        break;
      case action::free:
        if (c.target > tick)
          found.error(errc::nac_free_early, target_offset, tick);
        else if (used.last[c.target] > tick)
          found.error(errc::nac_free_needed, target_offset, tick);
        else if ((seen[c.target] & 2u) != 0)
          found.error(errc::nac_free_twice, target_offset, tick);
        seen[c.target] |= 2;
        break;
      case action::save_for_grad:
      case action::free_after_trng: break;
    }
  }

  void check() {
    seen.resize(program.steps.size());
    for (const tick& t : f.schedule()) {
      if (t.instruction >= program.steps.size()) {
        found.error(errc::nac_tick, t.offset);
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

#endif  // TESSERA_NAC_RULES_SCHEDULE_HPP
