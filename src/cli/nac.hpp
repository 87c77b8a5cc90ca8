// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What each verb does with NAC containers.

#ifndef TESSERA_CLI_NAC_HPP
#define TESSERA_CLI_NAC_HPP

#include <optional>
#include <string>

#include "nac/lookup.hpp"
#include "tessera/nac.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// A container that was read; else what is wrong has been told. It borrows the source.
struct nac_outcome {
  std::optional<nac::file> file;
  exit_code code = success;
};
[[nodiscard]] nac_outcome read_nac(const source& from, const reporting& to);
/// Refuses more instructions than the format numbers, which a lookup would hold in memory.
[[nodiscard]] nac_outcome read_nac_for_lookup(const source& from, const reporting& to);

/// "1.6", "1.7" or "1.8".
[[nodiscard]] std::string_view version_of(nac::header h) noexcept;

struct nac_info_options {
  bool all = false;
};
[[nodiscard]] exit_code info_nac(const source& file, const reporting& to,
                                 const nac_info_options& options);

struct nac_diff_options {
  bool json = false, quiet = false, no_weights = false;
};
/// `before` and `after` are the paths as they stand on the command line.
[[nodiscard]] exit_code diff_nac(const source& a, const source& b, const reporting& before,
                                 const reporting& after, const nac_diff_options& options);

struct nac_graph_options {
  bool schedule = false, no_parameters = false;
};
[[nodiscard]] exit_code graph_nac(const source& file, const reporting& to,
                                  const std::string& output, const nac_graph_options& options);

/// There is no machine for it yet.
[[nodiscard]] exit_code refuse_to_run_nac(const source& file, const reporting& to);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_NAC_HPP
