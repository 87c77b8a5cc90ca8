// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The verbs' actions for ALIR programs, and the samples that they run.

#ifndef TESSERA_CLI_ALIR_HPP
#define TESSERA_CLI_ALIR_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/matrix.hpp"
#include "runnable.hpp"
#include "tessera/transform/pipeline_alir.hpp"
#include "tessera/vm/alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// The inputs of samples, from files or random: a row for each sample, a column for each input.
class alir_samples {
 public:
  alir_samples(std::string_view verb, const run_options& o, const reporting& to,
               const alir::program& p)
      : verb_(verb), options_(o), to_(to), program_(p) {}

  /// Assigns the options to the inputs.
  [[nodiscard]] exit_code bind();
  /// The whole matrix from a file or random, then files for single columns.
  [[nodiscard]] exit_code set();
  [[nodiscard]] const io::matrix& values() const noexcept { return inputs_; }

  /// Refuses more samples or values than one run supports.
  [[nodiscard]] exit_code check_size(std::string_view what, std::uint64_t columns) const;
  /// Ports by their number, and `count` for all of them.
  [[nodiscard]] static port_names names(std::string_view what, std::uint64_t count);

 private:
  [[nodiscard]] exit_code usage(std::string_view message) const {
    return usage_error(verb_, message);
  }
  [[nodiscard]] exit_code make(std::optional<std::uint64_t> rows, const std::vector<char>& given);
  [[nodiscard]] std::uint64_t columns() const noexcept {
    return program_.model().inp_shifts.size();
  }

  std::string_view verb_;
  const run_options& options_;
  reporting to_;
  const alir::program& program_;
  std::vector<bound_word> files_;
  char all_given_ = 0;
  io::matrix inputs_;
};

/// Reports why a run ended; `first` is the number of its first sample, `block` names the block of a
/// pipeline: "block 1, ".
[[nodiscard]] exit_code fail_run(const vm::alir::outcome& done, std::uint64_t first,
                                 const source& file, const reporting& to,
                                 std::string_view block = "");

struct alir_trace_options {
  std::string form;  ///< table, csv, json or vcd; empty: by the name of the output
};
[[nodiscard]] exit_code trace_alir(const run_options& o, const alir_trace_options& more,
                                   const source& file);
[[nodiscard]] exit_code info_alir(const source& file, const reporting& to);

/// Pipelines.
[[nodiscard]] result<alir::staged> verify_pipeline(const source& from, report* found = nullptr,
                                                   const alir::verify_options& options = {});
[[nodiscard]] exit_code check_alir_pipeline(const source& file, const reporting& to, bool all);
[[nodiscard]] exit_code info_alir_pipeline(const source& file, const reporting& to);
/// `version` is that of alir::write_pipeline.
[[nodiscard]] exit_code convert_alir_pipeline(const source& file, const reporting& to,
                                              const std::string& output, std::int32_t version);

struct alir_optimize_verb_options {
  std::string output;
  std::optional<std::uint32_t> passes;  ///< bits of transform::alir_pass
  std::optional<double> latency_cutoff;
  transform::alir_pipeline_options pipeline;
  bool no_retiming = false, no_input_register = false, no_output_register = false;
};
[[nodiscard]] exit_code optimize_alir(const source& file, const reporting& to,
                                      const alir_optimize_verb_options& o);

[[nodiscard]] exit_code diff_alir(const source& a, const source& b, const reporting& before,
                                  const reporting& after, bool quiet);
[[nodiscard]] exit_code graph_alir(const source& file, const reporting& to,
                                   const picture_output& output, bool fold);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_ALIR_HPP
