// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#ifndef TESSERA_GENOME_WRITE_HPP
#define TESSERA_GENOME_WRITE_HPP

#include "../core/result.hpp"
#include "../core/text.hpp"
#include "format.hpp"
#include "registry.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// The bytes of a stream. The error's offset is the node's index.
[[nodiscard]] result<pool<std::byte>> write(const stream_view& s);
/// The same in base64, without a line end.
[[nodiscard]] result<text> write_base64(const stream_view& s);

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_WRITE_HPP
