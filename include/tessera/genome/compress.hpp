// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#ifndef TESSERA_GENOME_COMPRESS_HPP
#define TESSERA_GENOME_COMPRESS_HPP

#include "expand.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// A flat graph in the patterns of its library. expand() gives the same graph back, node by node.
[[nodiscard]] result<stream> compress(const program& flat, const expand_options& how = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_COMPRESS_HPP
