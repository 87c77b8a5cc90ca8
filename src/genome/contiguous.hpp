// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#ifndef TESSERA_GENOME_CONTIGUOUS_HPP
#define TESSERA_GENOME_CONTIGUOUS_HPP

#include "corpus.hpp"
#include "gene.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct contiguous_options {
  std::uint32_t min_length = 8, max_length = 40;  ///< nodes
  std::uint64_t min_score = 100;                  ///< frequency times length
  std::uint32_t max_genes = 65526;
  unsigned threads = 0;  ///< 0: as many as the machine has
  progress_function progress;
};

[[nodiscard]] findings mine_contiguous(const corpus& of, const contiguous_options& how = {});

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_CONTIGUOUS_HPP
