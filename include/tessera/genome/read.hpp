// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#ifndef TESSERA_GENOME_READ_HPP
#define TESSERA_GENOME_READ_HPP

#include <string_view>

#include "../core/bytes.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// Reads the bytes of a stream. The error's offset is into them.
[[nodiscard]] result<stream> read(bytes source, const limits& limit = {});
/// The same from base64, white space around it aside. The error's offset is into the text: of the
/// group of four characters that the byte stands in.
[[nodiscard]] result<stream> read_base64(std::string_view source, const limits& limit = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_READ_HPP
