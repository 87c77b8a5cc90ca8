// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Node streams from their bytes, and from the base64 that signatures are kept in.
//
//   tessera::result<genome::stream> s = genome::read(source);
//   tessera::result<genome::stream> t = genome::read_base64("AgEAAAFAQDUADQLAAACAAAAAQQBAAABAAI=");
//
//   all bytes                                                    encoding
//   characters of base64, and white space only around them       base64
//   anything else, and what has no character of base64           bytes
//
// The bytes of a stream are all such characters only where, apart from white space at its ends, its
// nodes are operations with 43 inputs or more: force the encoding where that can happen.
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

#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// How the nodes of a stream are stored.
enum class encoding : std::uint8_t { automatic, bytes, base64 };

/// `automatic`: what detect() says; of a registry the encoding doesn't matter.
struct read_options {
  genome::encoding encoding = genome::encoding::automatic;  ///< of the nodes
  limits limit = {};                                        ///< of bytes and nodes
};

/// The encoding that a source shows by the table above: bytes or base64.
[[nodiscard]] encoding detect(bytes source) noexcept;
[[nodiscard]] inline encoding detect(std::string_view source) noexcept {
  return detect(as_bytes(source));
}

/// Reads a stream. The error's offset is into the source; in base64, see read_base64.
[[nodiscard]] result<stream> read(bytes source, const read_options& options = {});
[[nodiscard]] inline result<stream> read(std::string_view source,
                                         const read_options& options = {}) {
  return read(as_bytes(source), options);
}

/// Reads a stream from base64, ignoring surrounding white space. The error's offset is into the text: for a
/// node, that of the group of 4 characters that it begins in.
[[nodiscard]] result<stream> read_base64(std::string_view source, const read_options& options = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/read.hpp"
#endif

#endif  // TESSERA_GENOME_READ_HPP
