// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The options of `tessera run`, for all formats.

#ifndef TESSERA_CLI_RUN_HPP
#define TESSERA_CLI_RUN_HPP

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/arrays.hpp"
#include "nem.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// Options for NAC containers; --schedule is for NEM, too.
struct nac_run_options {
  std::vector<std::string> shapes, texts, answers;
  std::string weights, folder, schedule, mode;
  bool no_plan = false, any_path = false, raw = false;

  /// Whether any of add_nac_options is given.
  [[nodiscard]] bool any() const noexcept {
    return !shapes.empty() || !texts.empty() || !weights.empty() || !schedule.empty();
  }
};
/// Binds --shape, --text, --weights and --schedule.
void add_nac_options(const command& verb, nac_run_options& o);

/// Options for NEM programs.
struct nem_run_options {
  nem_options reading;
  bool keep_going = false, races = false, allow_races = false;
  bool step = false;   ///< by commands, which are read from
  std::string script;  ///< this file, or standard input
};

/// Options for NAC v1.2.
struct genome_run_options {
  std::string registry, stream;
};

struct run_options {
  std::vector<std::string> files;
  std::vector<std::string> inputs, outputs;
  std::string input_format, output_format;
  std::string model;  ///< ARK: the model that gives the same outputs
  std::optional<std::uint64_t> seed, samples, steps, max_memory, max_steps;
  std::uint64_t seed_of_operations = 0;
  std::optional<unsigned> threads;
  bool fast = false, json = false, mpi = false;
  nac_run_options nac;
  nem_run_options nem;
  genome_run_options genome;
};

/// --max-steps and --max-memory.
[[nodiscard]] inline budget budget_of(const run_options& o) noexcept {
  return {o.max_steps.value_or(budget{}.max_steps), o.max_memory.value_or(budget{}.max_memory)};
}
/// Names the option that raises the limit, after a run that exceeded it.
void note_limit(errc code, const reporting& to);

[[nodiscard]] io::array_format format_of(const std::string& option, const std::string& path);

/// The output files of a run: refuses those that can't be written together.
class output_paths {
 public:
  explicit output_paths(const run_options& o) : options_(o), to_stdout_(o.json ? 1 : 0) {}
  [[nodiscard]] exit_code add(const std::string& path);

 private:
  const run_options& options_;
  unsigned to_stdout_;
  std::set<std::string> paths_;
};

/// Runs an ALIR program.
[[nodiscard]] exit_code run_alir(const run_options& o, const source& file);
[[nodiscard]] exit_code run_alir_pipeline(const run_options& o, const source& file);

/// Runs the ranks of an ARK model; `first` is the first of the files.
[[nodiscard]] exit_code run_ark(const run_options& o, source first);

/// Runs a NAC container: its program if inputs or outputs are given, else its execution plan if it
/// has one.
[[nodiscard]] exit_code run_nac(const run_options& o, const source& file);

/// Runs a stream of NAC v1.2.
[[nodiscard]] exit_code run_genome(const run_options& o, const source& file);

/// Runs a NEM program.
[[nodiscard]] exit_code run_nem(const run_options& o, const source& file);

/// Options for traces of NEM programs.
struct nem_trace_options {
  std::vector<std::string> timing;  ///< NAME=VALUE
  std::string report;               ///< the file for the report
  std::string format;               ///< of the trace; empty: by the file's name
};
/// Executes a NEM program in abstract time; the output, if any, is the file for the trace.
[[nodiscard]] exit_code trace_nem(const run_options& o, const nem_trace_options& more,
                                  const source& file);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_RUN_HPP
