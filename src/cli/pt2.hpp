// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The verbs' actions for PT2 archives.

#ifndef TESSERA_CLI_PT2_HPP
#define TESSERA_CLI_PT2_HPP

#include <optional>
#include <string>

#include "tessera/pt2.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// An archive with one of its programs; without one, the error has been reported. It borrows the
/// source.
struct pt2_outcome {
  std::optional<pt2::model> model = {};
  exit_code code = success;
};
/// `program` is the name given by --program, or empty.
[[nodiscard]] pt2_outcome read_pt2(const source& from, const reporting& to,
                                   const std::string& program, bool checksums = false);
/// --program, for verbs of all formats.
void add_pt2_options(const command& verb, std::string& program);

struct pt2_check_options {
  std::string program;
  bool checksums = false, all = false;
};
[[nodiscard]] exit_code check_pt2(const source& file, const reporting& to,
                                  const pt2_check_options& options);
[[nodiscard]] exit_code info_pt2(const source& file, const reporting& to,
                                 const std::string& program);

struct pt2_print_options {
  std::string program;
  bool modules = false, stack_traces = false;
};
[[nodiscard]] exit_code print_pt2(const source& file, const reporting& to,
                                  const pt2_print_options& options);
[[nodiscard]] exit_code convert_pt2(const source& file, const reporting& to,
                                    const std::string& output);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_PT2_HPP
