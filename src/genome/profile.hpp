// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#ifndef TESSERA_GENOME_PROFILE_HPP
#define TESSERA_GENOME_PROFILE_HPP

#include <vector>

#include "corpus.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// How often each operation is called: what a chip would have to provide.
struct operation_profile {
  struct row {
    std::uint32_t operation = 0;  ///< in the vocabulary
    std::uint64_t count = 0;      ///< in all graphs
    std::uint32_t models = 0;     ///< graphs that have it
    std::uint64_t most = 0;       ///< in one graph
  };
  std::vector<row> rows;  ///< the most frequent first, then by name
  std::vector<std::vector<std::pair<std::uint32_t, std::uint64_t>>> by_model;  ///< operation, count
};
[[nodiscard]] operation_profile profile(const corpus& of);

[[nodiscard]] text profile_table(const corpus& of, const operation_profile& p, bool by_model);
[[nodiscard]] text profile_json(const corpus& of, const operation_profile& p);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_PROFILE_HPP
