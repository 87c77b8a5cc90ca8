// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Node streams to their bytes and to base64.
//
//   tessera::result<tessera::pool<std::byte>> file = genome::write(stream);
//   tessera::result<tessera::text> line = genome::write_base64(stream);
//
// The format has one form for a stream: a stream that is read and written again is the same, byte
// for byte, and base64 too, except for surrounding white space.
//
// Lifetime:   what is returned owns itself.
// Errors:     genome_reference_range, genome_node_inputs: before the first byte, with the index of
//             the node.
// Limits:     those of the format: 255 inputs of 16 bits.
// Allocation: the bytes; for base64 those and the text.

#ifndef TESSERA_GENOME_WRITE_HPP
#define TESSERA_GENOME_WRITE_HPP

#include <cstddef>

#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "format.hpp"
#include "read.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// How to write, and how much.
struct write_options {
  genome::encoding encoding = genome::encoding::bytes;  ///< of a stream; automatic: bytes
  limits limit = {};                                    ///< max_depth: of a registry's constants
};

/// The bytes of a stream, or with that encoding the characters of its base64. The error's offset is
/// the node's index.
[[nodiscard]] result<pool<std::byte>> write(const stream_view& s,
                                            const write_options& options = {});

/// The base64 of a stream as text, without a line end.
[[nodiscard]] result<text> write_base64(const stream_view& s);

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/write.hpp"
#endif

#endif  // TESSERA_GENOME_WRITE_HPP
