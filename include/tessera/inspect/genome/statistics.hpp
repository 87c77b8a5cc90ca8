// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Counts of NAC v1.2: the nodes of a stream, and the entries of a registry.
//
//   const tessera::inspect::stream_statistics s(program);
//   std::cout << s.nodes << " nodes, " << s.expanded << " with all patterns expanded\n";
//
// Lifetime:   names live as long as the library of patterns.
// Errors:     none.
// Limits:     none.
// Allocation: a row for each operation.

#ifndef TESSERA_INSPECT_GENOME_STATISTICS_HPP
#define TESSERA_INSPECT_GENOME_STATISTICS_HPP

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../../genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Counts of a stream's nodes.
struct stream_statistics {
  /// Counts the nodes of a verified stream.
  explicit stream_statistics(const genome::program& p);

  /// An operation and how often it occurs.
  struct count {
    std::string_view name;  ///< as in the registry
    std::uint64_t value;    ///< nodes
  };
  std::uint64_t nodes = 0;     ///< of the stream; a PATTERN and a COPY are one each
  std::uint64_t expanded = 0;  ///< nodes, where those of patterns and copies are counted
  std::uint64_t bytes = 0;     ///< of the stream
  std::array<std::uint64_t, genome::command_count> commands = {};  ///< nodes by command
  std::vector<count> operations;                                   ///< the most frequent first
};

/// Counts of a registry's entries.
struct registry_statistics {
  /// Counts the entries of a library's registry.
  explicit registry_statistics(const genome::library& of);

  std::uint64_t operations = 0;  ///< the reserved ids aren't counted
  /// Entries of the other maps; see genome::registry.
  std::uint64_t variations = 0, constants = 0, groups = 0, parameters = 0, patterns = 0;
  std::uint64_t transitions = 0, compositions = 0, structures = 0;  ///< rules
  std::uint64_t longest_pattern = 0;                                ///< in nodes, expanded
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_GENOME_STATISTICS_HPP
