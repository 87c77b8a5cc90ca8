// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Makes MMAP, the memory schedule of a NAC program.
//
//   nac::parts p = nac::parts_of(program->file());
//   if (const error e = schedule(*program, p); e.code != errc::ok) …
//   auto bytes = nac::write(p);                       // verification accepts the schedule
//
//   FREE x        at the instruction after the last one that uses the result of x
//   FORWARD x     at an operation whose result only the next instruction, x, uses
//   SAVE_RESULT   at the other operations whose results are used
//   PRELOAD x     of a parameter's INPUT: up to two operations, and 64 instructions, before it
//
// Not for what a model returns. In branches, nothing is freed that was made outside of them, or that
// something outside may still use, the value of the branch included: that is freed after all
// branches of the CONTROL_FLOW or CONVERGENCE. Parameters are loaded by the branch that uses them.
//
// Lifetime:   nothing is kept.
// Errors:     nac_no_instructions where the parts have other instructions than the program.
// Limits:     of a file: instructions up to 65535, 255 commands for each; what is beyond is left to
//             the end of the run, or done later where that is in the same branch.
// Allocation: 28 bytes for an instruction, 28 for a branch, and the commands.

#ifndef TESSERA_VM_NAC_SCHEDULE_HPP
#define TESSERA_VM_NAC_SCHEDULE_HPP

#include <cstdint>
#include <vector>

#include "tessera/nac/all.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace model = tessera::nac;

/// A command of a schedule, whatever the size of the program.
struct scheduled {
  std::uint32_t tick = 0, target = 0;
  model::action what = model::action::free;
};
/// The commands for a program; ticks ascend.
[[nodiscard]] std::vector<scheduled> make_schedule(const model::program& p);
/// Replaces the schedule of `to`, which are the parts of the program's file.
[[nodiscard]] error schedule(const model::program& p, model::parts& to);

/// The branches of a program, and the program itself as the first one.
class blocks {
 public:
  struct block {
    std::uint32_t first = 0, end = 0;  ///< its instructions
    std::uint32_t after = 0;           ///< the end of the last branch beside it
    std::uint32_t parent = 0;
    std::uint32_t far = 0, depth = 0;  ///< one of the blocks around it; how many those are
  };
  explicit blocks(const model::program& p);

  /// The innermost block that contains an instruction.
  [[nodiscard]] std::uint32_t of(std::uint32_t i) const noexcept { return of_[i]; }
  [[nodiscard]] const block& operator[](std::uint32_t b) const noexcept { return all_[b]; }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] bool contains(std::uint32_t b, std::uint32_t i) const noexcept {
    return all_[b].first <= i && i < all_[b].end;
  }

  /// The innermost block, `b` or one around it, that contains instruction `i`; `after` becomes the
  /// end of the branches inside of it that contain `b`. Logarithmic in the depth.
  [[nodiscard]] std::uint32_t around(std::uint32_t b, std::uint32_t i,
                                     std::uint32_t& after) const noexcept;

 private:
  std::vector<block> all_;
  std::vector<std::uint32_t> of_;
};

/// How many arguments of an instruction are results, which come first.
[[nodiscard]] inline std::size_t operands_of(const model::step& s) noexcept {
  if (s.a == model::op_control_flow || s.a == model::op_convergence) return 1;
  return s.a >= model::first_regular_op || s.a == model::op_output ? s.arguments : 0;
}
/// The index after the branches of a CONTROL_FLOW or CONVERGENCE at `i`.
[[nodiscard]] inline std::uint32_t end_of_branches(const model::program& p, std::uint32_t i) {
  const model::step& s = p.code().steps[i];
  const view<model::argument> given = p.code().arguments_of(s);
  return s.a == model::op_control_flow ? i + 1 + given[1].index() + given[2].index()
                                       : given[1].index();
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_SCHEDULE_HPP
