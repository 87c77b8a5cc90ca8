// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Contiguous genes as patterns of a registry.
//
//   result<signatures> s = signatures_of(all);                          // convert.hpp
//   const std::vector<std::uint32_t> ids = add_patterns(*s, all, mine_contiguous(all));
//   // verify s->registry, then each of s->streams over it; genome::compress() takes the patterns
//
// Ids continue after the highest existing one, from 10 on, in the order of the genes. A gene that is a
// pattern of the registry already keeps that id. One gets none, 0, where the registry can't hold it
// (a reference below -32768, no id left up to 65535), where it isn't contiguous, and where no node
// of the corpus is like one of its own.
//
// A gene skips inputs and parameters as if they weren't there, but a pattern is contiguous, so a
// stream can have fewer places for the pattern than its gene had.
//
// Where other nodes take inner results of a pattern, compress() needs patterns of one node for them:
//
//   missing_pattern_table missing;                      // over verified streams, without the patterns
//   for (const genome::program& p : flat) missing.add(*compressor.missing(p));
//   missing.add_to(registry);                           // verify it again, and compress
//   drop_unused_patterns(registry, first, compressed);  // `first`: how many there were before
//
// One pays where the matches that need it save more bytes of streams than the registry grows by, which
// is taken to be the node and 16 bytes for its row.
//
// Lifetime:   nothing is kept.
// Errors:     std::bad_alloc; ids of 0 otherwise.
// Limits:     65,526 patterns.
// Allocation: what the patterns take, twice; 24 bytes for each kind.

#ifndef TESSERA_GENOME_PATTERNS_HPP
#define TESSERA_GENOME_PATTERNS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "convert.hpp"
#include "corpus.hpp"
#include "gene.hpp"
#include "key_table.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// `to` is of all graphs of `from`, node by node. Gives the pattern's id of each gene.
std::vector<std::uint32_t> add_patterns(signatures& to, const corpus& from, const findings& found);

/// The patterns of one node that compress() lacks in many graphs, and what they would save there.
class missing_pattern_table {
 public:
  void add(const genome::missing_patterns& of_graph);
  /// Adds those that pay, in the order in which they came, as far as there are ids.
  void add_to(genome::registry& r) const;

 private:
  struct row {
    genome::node node;
    std::vector<std::int32_t> inputs;
    std::uint64_t saved = 0;
  };
  key_table keys_;
  std::vector<row> rows_;  // by number of the key
};

/// Takes away the patterns from index `first` on that no stream has.
void drop_unused_patterns(genome::registry& r, std::size_t first,
                          const std::vector<genome::stream>& streams);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_PATTERNS_HPP
