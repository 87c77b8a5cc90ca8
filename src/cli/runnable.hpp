// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What `tessera run` does with a program of any format: assign files to its inputs and outputs, run
// it, write outputs or a summary. An adapter for each format has the rest.
//
//   class ark_runnable final : public runnable { … };
//   return run_program(ark_runnable(…), options, to);
//
// Inputs and outputs are ports: numbers that only the adapter understands.
//
// Lifetime:   run_program() borrows all.
// Errors:     an exit_code; the error has been reported.

#ifndef TESSERA_CLI_RUNNABLE_HPP
#define TESSERA_CLI_RUNNABLE_HPP

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tessera/core/json_write.hpp>
#include <vector>

#include "run.hpp"
#include "values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

using port = std::uint64_t;

/// `[NAME=]WORD`, as an option has it.
struct bound_word {
  port of = 0;
  std::string word;
};
/// How names and words are assigned to ports.
struct port_names {
  /// The port of a NAME; without one, the string is the reason.
  std::function<std::optional<port>(const std::string& name, std::string& wrong)> find;
  /// The port of the next WORD without a NAME; without one, the string is the reason.
  std::function<std::optional<port>(const std::string& word, std::string& wrong)> next;
};
/// Splits each argument at its first '='. What precedes it is no NAME if no port is called so and it
/// has a '/' or '.', because paths may contain '=', too. `is_path`: whether words are paths; else any
/// unknown NAME is part of the word.
[[nodiscard]] exit_code bind_words(std::string_view verb, std::span<const std::string> arguments,
                                   const port_names& names, bool is_path,
                                   std::vector<bound_word>& out);
/// port_names::next for ports in order; `wrong` is the reason when none is left.
[[nodiscard]] std::function<std::optional<port>(const std::string&, std::string&)> in_order(
    std::vector<port> ports, std::string wrong);
/// Whether "-" is more than once among files, of the verb and of inputs.
[[nodiscard]] exit_code check_stdin(std::string_view verb, const run_options& o,
                                    std::span<const bound_word> inputs);

/// Elements of a port, dense.
struct port_values {
  element_shape what;
  std::vector<std::byte> owned = {};
  std::span<const std::byte> view = {};  ///< of `owned`, or of the machine

  port_values(element_shape w, std::vector<std::byte> values)
      : what(std::move(w)), owned(std::move(values)), view(owned) {}
  port_values(element_shape w, std::span<const std::byte> values)
      : what(std::move(w)), view(values) {}
};
/// "type [shape]: min …" and the first elements.
void show_values(text& out, const port_values& v);
/// The members "data_type" and "shape", and those of element_summary.
void write_values(json::writer& w, const port_values& v);

class runnable {
 public:
  virtual ~runnable() = default;

  /// Assigns the options to the inputs.
  [[nodiscard]] virtual exit_code bind_inputs() = 0;
  [[nodiscard]] virtual port_names outputs() = 0;
  /// The file of all outputs without --output and --json; empty: a summary is shown.
  [[nodiscard]] virtual std::string default_output() const { return {}; }
  /// Reads files and sets the inputs.
  [[nodiscard]] virtual exit_code set() = 0;

  [[nodiscard]] virtual exit_code run_once(bool last) = 0;
  /// After the runs, which had this exit code.
  [[nodiscard]] virtual exit_code finish(exit_code code) { return code; }

  /// Whether the user has ended the run: there are no outputs and no summary.
  [[nodiscard]] virtual bool was_ended() const { return false; }

  /// The ports of a summary without --output.
  [[nodiscard]] virtual std::vector<port> results() = 0;
  /// Whether this process has the values of a port.
  [[nodiscard]] virtual bool holds(port) const { return true; }
  /// The elements for a file of that format; without them, the error has been reported.
  [[nodiscard]] virtual std::optional<port_values> get(port p, io::array_format as) = 0;
  /// A port in a summary: lines, or the members of an object.
  virtual void show(text& out, port p) = 0;
  virtual void write(json::writer& w, port p) = 0;
  /// The members of a JSON summary before "outputs"; "seconds" is among them.
  virtual void write_figures(json::writer& w, double seconds) const = 0;
  /// Whether a summary has results() even if --output names ports.
  [[nodiscard]] virtual bool summarises_all() const { return false; }
  /// Whether a JSON summary has the array "outputs".
  [[nodiscard]] virtual bool lists_outputs() const { return true; }
  /// Noted if a summary is empty.
  [[nodiscard]] virtual std::string_view no_results() const = 0;
};

/// Runs --steps times; writes the outputs of --output, or else a summary.
[[nodiscard]] exit_code run_program(runnable& p, const run_options& o, const reporting& to,
                                    format what);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_RUNNABLE_HPP
