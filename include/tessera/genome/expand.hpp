// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#ifndef TESSERA_GENOME_EXPAND_HPP
#define TESSERA_GENOME_EXPAND_HPP

#include "program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// Which node of a pattern's expansion its consumers take; without one, the last.
struct pattern_result {
  std::uint32_t pattern_id = 0;
  std::uint32_t node = 0;
};

struct expand_options {
  bool copies = true;  ///< a COPY becomes as many nodes as it says; else it stays one
  view<pattern_result> results = {};
  limits limit = {};
};

/// A program as a flat graph.
[[nodiscard]] result<stream> expand(const program& p, const expand_options& how = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_EXPAND_HPP
