// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// JSON files that the genome verbs take beside networks.

#ifndef TESSERA_CLI_GENOME_TABLES_HPP
#define TESSERA_CLI_GENOME_TABLES_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "genome/gene_text.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// Names of genes by their canonical codes: {"multilayer perceptron": [CODE, …], …}, CODE as
/// `genome mine --json` has it, or with white space.
struct gene_names {
  genomics::names_by_code of = {};
  exit_code code = success;  ///< else the error has been reported
};
[[nodiscard]] gene_names read_gene_names(const std::string& path);

/// The families of networks: {"resnet18": "resnet", …}.
struct network_families {
  std::vector<std::string> names = {};     ///< of families, in the order of their first networks
  std::vector<std::uint32_t> family = {};  ///< in `names`, of each network that was asked for
  exit_code code = success;                ///< else the error has been reported
};
/// Each of the networks must have a family; the file may hold others.
[[nodiscard]] network_families read_families(const std::string& path,
                                             const std::vector<std::string>& networks);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_GENOME_TABLES_HPP
