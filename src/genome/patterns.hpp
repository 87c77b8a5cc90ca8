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
// Lifetime:   nothing is kept.
// Errors:     std::bad_alloc; ids of 0 otherwise.
// Limits:     65,526 patterns.
// Allocation: what the patterns take, twice; 24 bytes for each kind.

#ifndef TESSERA_GENOME_PATTERNS_HPP
#define TESSERA_GENOME_PATTERNS_HPP

#include <cstdint>
#include <vector>

#include "convert.hpp"
#include "corpus.hpp"
#include "gene.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// `to` is of all graphs of `from`, node by node. Gives the pattern's id of each gene.
std::vector<std::uint32_t> add_patterns(signatures& to, const corpus& from, const findings& found);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_PATTERNS_HPP
