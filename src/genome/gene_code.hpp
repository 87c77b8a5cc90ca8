// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The text of a gene: JSON without white space, the same in every corpus.
//
//   gene_code(names, g);   // {"labels":["conv2d","relu"],"edges":[[0,1,0]]}
//   skeleton_code(g);      // {"form":"connected","nodes":2,"edges":[[0,1]]}
//
// An edge is [from, to, argument], a gap [from, to] in a list "gaps" of its own, which is there
// when it isn't empty.
//
// Lifetime:   values.
// Errors:     std::bad_alloc.
// Limits:     none; the skeleton of a connected or gapped gene of over 16 nodes is not canonical.
// Allocation: the text.

#ifndef TESSERA_GENOME_GENE_CODE_HPP
#define TESSERA_GENOME_GENE_CODE_HPP

#include <string>

#include "corpus.hpp"
#include "gene.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// Of a connected or gapped gene, whose nodes are in canonical order.
[[nodiscard]] std::string gene_code(const vocabulary& names, const gene& g);
/// Of a gene of any form: equal where everything but operations and arguments is.
[[nodiscard]] std::string skeleton_code(const gene& g);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_GENE_CODE_HPP
