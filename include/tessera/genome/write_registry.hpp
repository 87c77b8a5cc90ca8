// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A registry to registry.json, in one form.
//
//   tessera::result<tessera::text> json = genome::write_registry(registry);
//
//   {
//     "canonical_to_index": {
//       "<NONE>": 0,
//       "aten.relu.default:node_args(1):kwargs()": 10
//     },
//     …
//     "constants": {
//       "10": {"type":"int","value":1}
//     },
//
// All members of the specification in its order, empty ones too; index_to_constant after constants
// if there is one; ids ascending, rules in their order; "exceptions" if there are any. Two spaces
// per level, a constant on one line, no line end after the last brace.
//
// Lifetime:   the text owns itself.
// Errors:     what no registry.json can say: json_bad_utf8 in names, genome_name_repeated and
//             genome_id_repeated for keys, genome_registry_id above 65535, genome_constant_value
//             that isn't JSON, genome_rule_probability, genome_node_inputs and
//             genome_reference_range in streams; the offset is the row's. Nothing is written then.
// Limits:     max_depth for constants, in the containers around them.
// Allocation: the text, at most twice; 8 bytes for each member of a map.

#ifndef TESSERA_GENOME_WRITE_REGISTRY_HPP
#define TESSERA_GENOME_WRITE_REGISTRY_HPP

#include "../core/result.hpp"
#include "registry.hpp"
#include "write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// The text of a registry.json.
[[nodiscard]] result<text> write_registry(const registry& r, const write_options& options = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/write_registry.hpp"
#endif

#endif  // TESSERA_GENOME_WRITE_REGISTRY_HPP
