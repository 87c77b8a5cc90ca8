// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a run finds, as diagnostics: rules RT, each once for a task of the text.
//
//   run_findings f(program, report);
//   f.set(task);                              // what the next ones are about
//   if (!v) f.failed(task, v);
//   return f.code();                          // of the first error
//
// Texts end with the iteration: "where i is 3 and j is 0".
//
// Lifetime:   borrows the program, the report and the task that was set.
// Errors:     none.
// Limits:     1,000 diagnostics are kept.
// Allocation: that of the report.

#ifndef TESSERA_VM_NEM_RUN_FINDINGS_HPP
#define TESSERA_VM_NEM_RUN_FINDINGS_HPP

#include <cstdint>
#include <span>
#include <string_view>

#include "binder.hpp"
#include "memory.hpp"
#include "tessera/nem.hpp"
#include "tessera/nem/execution.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// The loops around the reported task, and the values of their variables.
struct loop_values {
  std::span<const std::uint32_t> nodes;
  std::span<const std::int64_t> values;
};

class run_findings {
 public:
  run_findings(const model::program& p, tessera::report* to)
      : document_(p.model()), found_(to, p.profile(), max_findings) {
    found_.end_with({write_iteration, this});
  }

  /// What the following findings are about.
  void set(const bound_task& t) noexcept { at_ = {t.loops, t.iteration}; }
  void set(const loop_values& at) noexcept { at_ = at; }
  /// The first error, or ok.
  [[nodiscard]] errc code() const noexcept { return code_; }

  /// RT-DIV0, RT-INDEX, RT-UNSUPPORTED, RT-MEM: how executing a task ended.
  void failed(const bound_task& t, const verdict& v);
  /// RT-UNSUPPORTED, by the type of an operand.
  void unsupported(const bound_task& t, element e);
  /// RT-ACC.
  void wrapped(const bound_task& t);
  /// RT-UNINIT.
  void unwritten(const bound_task& t, std::string_view buffer, const byte_range& bytes);
  /// RT-MEM: the buffer with which all are too large.
  void too_large(std::uint32_t node, std::string_view buffer, std::uint64_t all,
                 std::uint64_t room);
  /// Ends the run with budget_steps.
  void over_budget(std::uint32_t node, std::string_view needs);
  /// RT-RACE and warnings of a search for races: what its report has from `first` on. Whether there
  /// is a race.
  bool races(const tessera::report& from, std::size_t first);
  /// A rule that an iteration breaks which wasn't verified; RT-UNSUPPORTED where the profile lets that
  /// through.
  void unsound(const tessera::report& from, const tessera::diagnostic& d);

  /// Writes an iteration: the ending of a text.
  static void write(const model::model& d, const loop_values& at, text& to);

 private:
  static constexpr std::uint32_t max_findings = 1000;

  using writer = model::findings::writer;
  [[nodiscard]] tessera::place place_of(std::uint32_t node) const noexcept {
    return model::place_of(document_.nodes[node]);
  }
  [[nodiscard]] writer add(errc code, std::uint32_t node) {
    if (code_ == errc::ok && model::severity_of(code, found_.profile()) == tessera::severity::error)
      code_ = code;
    return found_.add(code, place_of(node));
  }
  void name(writer& out, const bound_task& t) const;
  void copy(errc code, const tessera::report& from, const tessera::diagnostic& d);
  static void write_iteration(const void* self, const tessera::diagnostic& d, text& to);

  const model::model& document_;
  model::findings found_;
  loop_values at_;
  errc code_ = errc::ok;
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_RUN_FINDINGS_HPP
