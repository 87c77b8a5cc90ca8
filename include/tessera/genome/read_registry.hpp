// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// registry.json into a registry, patterns decoded.
//
//   tessera::result<genome::registry> r = genome::read_registry(json);
//   if (!r) std::cerr << describe(r.error(), json, "registry.json");
//
//   {"canonical_to_index": {NAME: ID, …},      "index_to_canonical": {"ID": NAME, …},
//    "variation_to_index": {NAME: ID, …},
//    "constants": {"ID": {"type": TEXT, "value": any}, …},
//    "index_to_constant": {"ID": TEXT, …},
//    "constant_group_to_index": {NAME: ID, …}, "index_to_constant_group": {"ID": NAME, …},
//    "param_name_to_index": {NAME: ID, …},     "index_to_param_name": {"ID": NAME, …},
//    "patterns": {"ID": BASE64, …},
//    "rules": {"transition_rules": {TEXT: {"probability": P, "count": N, "b64_repr": BASE64,
//                                          "exceptions": [TEXT, …]}, …},
//              "composition_rules": {TEXT: {"count": N}, …},
//              "structural_rules": {TEXT: {"count": N}, …}}}
//
// Members come in any order and each may be missing, of a rule only "exceptions". P is a string or
// a number and kept verbatim. verify() checks what ids refer to.
//
// The original tools write floats that JSON has no number for as NaN, Infinity and -Infinity. In the
// values of constants, and only there, they are read as the strings "nan", "inf" and "-inf".
//
// Lifetime:   the registry owns itself; the source may go.
// Errors:     json_*, genome_registry_*, genome_constant_member, genome_rule_*, too_many_items, at the
//             value; genome_base64_* and genome_node_truncated at the group of four characters, or
//             the start of the string where it holds escapes.
// Limits:     max_bytes and 2^32 - 1, max_items for each map, list and stream, max_depth.
// Allocation: at most 20 × input + 64 KiB.

#ifndef TESSERA_GENOME_READ_REGISTRY_HPP
#define TESSERA_GENOME_READ_REGISTRY_HPP

#include <string_view>

#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "read.hpp"
#include "registry.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// Reads the text of a registry.json.
[[nodiscard]] result<registry> read_registry(std::string_view source,
                                             const read_options& options = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/read_registry.hpp"
#endif

#endif  // TESSERA_GENOME_READ_REGISTRY_HPP
