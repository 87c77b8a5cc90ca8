// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a file is that the tool doesn't read: other formats of networks and what else is handed to
// it by mistake. By magic numbers and structure, never by the name.
//
// Lifetime:   nothing is kept.
// Errors:     none; what can't be named is "".
// Limits:     of JSON, only the first few keys are reported.
// Allocation: the text.

#ifndef TESSERA_CLI_FOREIGN_HPP
#define TESSERA_CLI_FOREIGN_HPP

#include <string>

#include "tessera/core/bytes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// "ONNX (protobuf)", "a PDF"; empty for what may be one of Tessera's formats.
[[nodiscard]] std::string foreign_format(bytes content);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_FOREIGN_HPP
