// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#ifndef TESSERA_GENOME_RULES_HPP
#define TESSERA_GENOME_RULES_HPP

#include <span>

#include "tessera/genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct rule_options {
  double min_probability = 0.8;         ///< transitions: more than that
  std::uint64_t min_transitions = 5;    ///< edges from the source: more than that
  std::uint64_t min_compositions = 20;  ///< more than that
  std::uint64_t min_structures = 10;    ///< more than that
};

/// Rules of streams of one registry, written into `to`, which has the same maps.
[[nodiscard]] error mine_rules(std::span<const genome::program* const> streams,
                               genome::registry& to, const rule_options& how = {});

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_RULES_HPP
