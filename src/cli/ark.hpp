// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the verbs share for ARK models: reading and verifying, with diagnostics for all findings.

#ifndef TESSERA_CLI_ARK_HPP
#define TESSERA_CLI_ARK_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/ark.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// The error of a reader, with the id of its rule.
[[nodiscard]] diagnostic diagnose_ark(error e, const source& from);
/// The findings of several ranks, one list per file.
[[nodiscard]] std::vector<std::vector<diagnostic>> diagnose_ranks(
    const tessera::report& found, std::span<const source_file> files);

/// How findings are shown.
struct shown_findings {
  bool all = false;  ///< every warning and note, not only the first 3 of each rule
};
/// Shows findings, and of `counts` how many more there are.
void show_findings(const std::vector<diagnostic>& found, const shown_findings& how,
                   const tessera::report* counts = nullptr);
/// Ends `check` of a file: shows what was found, and that the file is valid, if it is.
[[nodiscard]] exit_code conclude_check(const source& file, const reporting& to,
                                       const tessera::report& found, bool is_valid, bool all,
                                       std::string details);

/// The model of a file; without one, the error has been reported.
struct read_outcome {
  std::optional<ark::model> graph;
  exit_code code = success;
};
[[nodiscard]] read_outcome read_ark(const source& from, const reporting& to);

/// The verified program of a file; without one, the errors have been reported.
struct verify_outcome {
  std::optional<ark::program> program;
  exit_code code = success;
};
[[nodiscard]] verify_outcome verify_ark(const source& from, const reporting& to,
                                        const ark::verify_options& options);

/// The plan of a file, which was verified; without one, the errors have been reported.
struct plan_outcome {
  std::optional<ark::plan> plan;
  exit_code code = success;
};
[[nodiscard]] plan_outcome verify_plan(const source& file, const reporting& to);

/// Summarises a model and its costs.
[[nodiscard]] exit_code info_model(const source& file, const reporting& to);

/// The verbs' actions for plans.
[[nodiscard]] exit_code check_plan(const source& file, const reporting& to,
                                   const shown_findings& how, const ark::program* model);
[[nodiscard]] exit_code info_plan(const source& file, const reporting& to);
[[nodiscard]] exit_code print_plan(const source& file, const reporting& to);
[[nodiscard]] exit_code convert_plan(const source& file, const reporting& to,
                                     const std::string& output, bool pretty);

/// "rank 0 of 2", or empty for a model of one rank.
[[nodiscard]] std::string rank_of(const ark::model& g);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_ARK_HPP
