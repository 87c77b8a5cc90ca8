// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Node streams from their bytes, and from the base64 that signatures are kept in.
//
//   tessera::result<genome::stream> s = genome::read(bytes);
//   tessera::result<genome::stream> t = genome::read_base64("AgEAAAFAQDUADQLAAACAAAAAQQBAAABAAI=");
//
//   byte    0   1   2 3   4   5 …
//   node    A   B   C     n   n × D        big-endian; C and D are signed
//
// A stream has neither header nor count: nodes follow one another to the end. So a prefix of one
// that ends after a node is a stream too, and an empty stream has no nodes.
//
// Lifetime:   the stream owns itself; the source may go.
// Errors:     genome_node_truncated, at the node that isn't whole; genome_base64_*; too_many_items,
//             at the node.
// Limits:     max_bytes, and max_items nodes and inputs, of each 2^32 - 1 at most.
// Allocation: 12 bytes for each node and 4 for each input, at most 2.4 × input; from base64 also the
//             bytes: at most 2.6 × input in all.

#ifndef TESSERA_GENOME_READ_HPP
#define TESSERA_GENOME_READ_HPP

#include <string_view>

#include "../core/bytes.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

struct read_options {
  limits limit = {};
};

/// Reads the bytes of a stream. The error's offset is into them.
[[nodiscard]] result<stream> read(bytes source, const read_options& options = {});
[[nodiscard]] inline result<stream> read(std::string_view source,
                                         const read_options& options = {}) {
  return read(as_bytes(source), options);
}

/// The same from base64, white space around it aside. The error's offset is into the text: for a
/// node, that of the group of 4 characters that it begins in.
[[nodiscard]] result<stream> read_base64(std::string_view source, const read_options& options = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/read.hpp"
#endif

#endif  // TESSERA_GENOME_READ_HPP
