// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Graphs of all formats into a corpus, and out of one again as a v1.2 stream with its registry.
//
//   corpus all;
//   std::optional<problem> why = add_graph(all, "resnet18", program);  // v1.2, a .nac or ARK model
//   result<signature> s = signature_of(all, 0);
//
// Lifetime:   nothing is kept of what is given.
// Errors:     genome_operations_full, genome_ids_full, genome_reference_range, genome_node_inputs:
//             what a registry or stream can't hold.

#ifndef TESSERA_GENOME_CONVERT_HPP
#define TESSERA_GENOME_CONVERT_HPP

#include <cstdint>
#include <string_view>

#include "corpus.hpp"
#include "tessera/ark.hpp"
#include "tessera/nac.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct conversion_options {
  bool parameter_names = false;  ///< CONST_REFs keep the names of their parameters
};

/// Adds one graph. The error is of the source that was given; then nothing was added.
[[nodiscard]] error add_graph(corpus& to, std::string_view name, const genome::program& from,
                              const conversion_options& how = {});
[[nodiscard]] error add_graph(corpus& to, std::string_view name, const nac::program& from,
                              const conversion_options& how = {});
[[nodiscard]] error add_graph(corpus& to, std::string_view name, const ark::graph& from,
                              const conversion_options& how = {});

/// A stream and the registry that it means something in.
struct signature {
  genome::stream stream;
  genome::registry registry;
};
/// A graph of a corpus on its own. The error's offset is the node's index.
[[nodiscard]] result<signature> signature_of(const corpus& from, std::size_t graph);
/// All graphs of a corpus, in one registry.
struct signatures {
  std::vector<genome::stream> streams;
  genome::registry registry;
};
[[nodiscard]] result<signatures> signatures_of(const corpus& from);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_CONVERT_HPP
