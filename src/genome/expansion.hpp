// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How much the streams of one run may expand to: patterns of patterns double their expansion with
// every few bytes.
//
//   expansion_budget left;
//   result<genome::stream> flat = left.expand(program);     // and of the next program
//
// All streams together expand to 64 nodes and inputs for each that they and their registries hold,
// and to 2^17 more: what is made of a file is in proportion to it.
//
// Lifetime:   keeps addresses of libraries, only to count each once.
// Errors:     those of genome::expand; genome_expansion_size before anything is written out.
// Limits:     as above.
// Allocation: 48 bytes for each library.

#ifndef TESSERA_GENOME_EXPANSION_HPP
#define TESSERA_GENOME_EXPANSION_HPP

#include <algorithm>
#include <cstdint>
#include <set>

#include "tessera/genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

class expansion_budget {
 public:
  static constexpr std::uint64_t free_nodes = std::uint64_t{1} << 17, growth = 64;

  [[nodiscard]] result<genome::stream> expand(const genome::program& p,
                                              genome::expand_options how = {}) {
    if (libraries_.insert(&p.library()).second)
      given_ += size(p.library().registry().pattern_nodes);
    given_ += size(p.stream());
    const std::uint64_t max_items = free_nodes + growth * given_;
    how.limit.max_items = std::min(how.limit.max_items, max_items - std::min(max_items, made_));
    result<genome::stream> flat = genome::expand(p, how);
    if (flat) made_ += std::max(flat->nodes.size(), flat->inputs.size());
    return flat;
  }

 private:
  [[nodiscard]] static std::uint64_t size(const genome::stream& s) noexcept {
    return std::uint64_t{s.nodes.size()} + s.inputs.size();
  }

  std::uint64_t given_ = 0, made_ = 0;
  std::set<const genome::library*> libraries_;  // that were counted
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_EXPANSION_HPP
