// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Findings as one SARIF 2.1.0 run, the form that code scanning services and editors read.
//
//   sarif_log log;
//   log.add("model.json", findings, omitted, unsupported);
//   print_result(log.write());
//
// A place in text is a line and a column in bytes, one in a binary file an offset in bytes. Artifacts
// are all files, also those without findings.
//
// Lifetime:   owns what is added.
// Errors:     none.

#ifndef TESSERA_CLI_SARIF_HPP
#define TESSERA_CLI_SARIF_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

class sarif_log {
 public:
  void add(std::string_view file, std::span<const diagnostic> found, std::uint64_t omitted,
           const operation_names& unsupported);
  [[nodiscard]] text write() const;

 private:
  struct finding {
    std::string file;
    diagnostic what;
  };
  std::vector<std::string> files_;
  std::vector<finding> findings_;
  std::uint64_t omitted_ = 0;
};

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_SARIF_HPP
