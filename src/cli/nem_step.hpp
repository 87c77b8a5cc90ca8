// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run --step` for NEM programs: an observer that stops before tasks and obeys commands.
//
//   nem_stepper steps(machine, file, values);
//   if (const exit_code code = steps.open(script); code != success) return code;
//   const vn::outcome done = machine.run(&found, nullptr, limit, steps);
//   steps.finish(done, true);                    // commands after the end
//
// The run stops before its first task. Commands are lines; `help` lists them. A terminal gets a
// prompt, and its errors are only shown; in a script, an error ends the run. Where the commands end,
// the run ends.
//
// Lifetime:   borrows all that it gets.
// Errors:     an exit_code; the error has been reported.

#ifndef TESSERA_CLI_NEM_STEP_HPP
#define TESSERA_CLI_NEM_STEP_HPP

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/inspect/nem/statements.hpp"
#include "tessera/vm/nem.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// What `print` and `write` do with a buffer or region; false with the reason in `wrong`.
struct step_values {
  std::function<bool(const std::string& name, text& to, std::string& wrong)> show;
  std::function<bool(const std::string& name, const std::string& path, std::string& wrong)> write;
};

class nem_stepper {
 public:
  using arguments = std::span<const std::string>;

  nem_stepper(vm::nem::machine& machine, const source& file, step_values values);
  /// Takes the commands from a file, or from standard input if it is empty or "-".
  [[nodiscard]] exit_code open(const std::string& script);

  // What the machine calls.
  void begin(const vm::nem::event& at);
  void end(const vm::nem::event& at);
  /// After a run: reports how it ended, and obeys further commands. Those that continue begin the
  /// next run, if there is one.
  void finish(const vm::nem::outcome& done, bool is_last);

  /// Whether `quit`, the end of the commands or an error ended a run before its last task.
  [[nodiscard]] bool has_quit() const noexcept { return has_quit_; }
  /// That of an error in a script.
  [[nodiscard]] exit_code code() const noexcept { return code_; }

 private:
  /// An iteration of a loop: VARIABLE=VALUE.
  struct iteration {
    std::string variable;
    std::int64_t value = 0;
  };
  enum class break_kind : std::uint8_t { iteration, task, line, token, access };
  struct breakpoint {
    std::uint32_t number = 0;
    std::string words;  ///< as it was given
    break_kind kind = break_kind::iteration;
    std::uint64_t value = 0;       ///< a task or a line
    std::string name;              ///< of a token, a buffer or a region
    std::vector<iteration> where;  ///< all must match
    bool was_inside = false;       ///< whether the task before matched
    [[nodiscard]] bool is_entry() const noexcept { return kind == break_kind::iteration; }
  };
  /// What lets the run continue.
  enum class mode : std::uint8_t { steps, iteration, token, free };
  struct command_row {
    std::string_view name, operands, about;
    void (nem_stepper::*act)(arguments);
  };
  struct position {
    std::uint32_t task = 0, node = 0;
    std::vector<std::int64_t> iteration;
    std::vector<vm::nem::tensor> inputs, outputs;
  };
  static const command_row commands[];

  void watch_regions();
  void obey();
  [[nodiscard]] bool read_line(std::string& line);
  void execute(const std::string& line);
  void fail(const std::string& message);
  void say(const text& words) const;

  // Commands.
  void step(arguments w);
  void next(arguments w);
  void resume(arguments w);
  void until(arguments w);
  void set_break(arguments w);
  void remove_break(arguments w);
  void where(arguments w);
  void list(arguments w);
  void print(arguments w);
  void show_bytes(arguments w);
  void write(arguments w);
  void show_map(arguments w);
  void tokens(arguments w);
  void tasks(arguments w);
  void help(arguments w);
  void quit(arguments w);

  [[nodiscard]] bool can_continue();
  [[nodiscard]] bool parse_break(arguments w, breakpoint& to);
  [[nodiscard]] std::string reason_to_stop(const vm::nem::event& at);
  [[nodiscard]] bool matches(const breakpoint& b, const vm::nem::event& at) const;
  [[nodiscard]] bool touches(const vm::nem::event& at, const std::string& name) const;
  [[nodiscard]] std::string loops_of(std::uint32_t node, std::span<const std::int64_t> values,
                                     std::string_view before) const;
  [[nodiscard]] std::string place_of(std::uint32_t task, std::uint32_t node,
                                     std::span<const std::int64_t> values) const;
  void append_statement(text& to, std::uint32_t node) const;
  void append_operands(text& to, std::string_view title,
                       std::span<const vm::nem::tensor> all) const;
  void show_position(const std::string& why);

  vm::nem::machine& machine_;
  const source& file_;
  step_values values_;
  inspect::task_statements statements_;
  std::vector<std::string_view> lines_;  ///< of the text
  std::string script_ = "<stdin>";       ///< its name, for messages
  std::deque<std::string> pending_;      ///< lines of a script
  bool is_script_ = false, has_prompt_ = false;
  std::uint64_t line_ = 0;  ///< of the commands
  std::string last_;        ///< the last command, which an empty line of a terminal repeats

  std::vector<breakpoint> breakpoints_;
  std::uint32_t next_number_ = 1;
  mode mode_ = mode::steps;
  std::uint64_t steps_ = 1;              ///< tasks until the next stop, of mode::steps
  std::vector<std::int64_t> iteration_;  ///< in which mode::iteration began
  std::uint32_t token_ = nem::no_name;   ///< that mode::token waits for
  bool is_token_done_ = false;
  std::optional<position> at_;                 ///< the task before which the run is stopped
  std::map<std::uint32_t, std::string> done_;  ///< of tokens: their last complete task
  std::uint64_t tasks_ = 0;
  bool is_resumed_ = false, has_quit_ = false, is_ended_ = false, is_last_ = true;
  exit_code code_ = success;
};

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_NEM_STEP_HPP
