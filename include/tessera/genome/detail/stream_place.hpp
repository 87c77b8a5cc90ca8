// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The place of an offset into the bytes of a node stream, for describe().

#ifndef TESSERA_GENOME_DETAIL_STREAM_PLACE_HPP
#define TESSERA_GENOME_DETAIL_STREAM_PLACE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/text.hpp"
#include "base64.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

/// Appends "node 3" or, in the inputs of a node, "node 3, input 1". Nothing for base64 and for the
/// JSON of a registry, which have no nodes at these offsets.
inline void append_stream_place(text& to, const error& e, const std::byte* source,
                                std::size_t size) {
  const std::string_view characters = as_text({source, size});
  if (e.offset >= size || characters[0] == '{' || is_base64(characters)) return;
  constexpr std::size_t head = 5;
  std::size_t at = 0;
  for (std::uint64_t i = 0; at < size; ++i) {
    const std::size_t left = size - at;
    const std::size_t inputs = left < head ? 0 : std::to_integer<std::size_t>(source[at + 4]);
    const std::size_t length = head + 2 * inputs;
    if (e.offset < at + length) {
      to << "node " << i;
      if (e.offset >= at + head) to << ", input " << (e.offset - at - head) / 2;
      return;
    }
    if (length > left) return;
    at += length;
  }
}

}  // namespace genome::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_STREAM_PLACE_HPP
