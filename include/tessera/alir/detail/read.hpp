// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of alir/read.hpp.

#ifndef TESSERA_ALIR_DETAIL_READ_HPP
#define TESSERA_ALIR_DETAIL_READ_HPP

#include <cstddef>

#include "../read.hpp"
#include "../read_bytecode.hpp"
#include "../read_json.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

TESSERA_INLINE encoding detect(bytes source) noexcept {
  if (as_text(source).substr(0, 4) == "ALIR") return encoding::bytecode;
  if (source.size() < 4) return encoding::json;
  for (std::size_t i = 0; i < 4; ++i)
    if (source[i] == std::byte{0}) return encoding::bytecode;
  return encoding::json;
}

TESSERA_INLINE result<model> read(bytes source, const read_options& options) {
  const encoding e = options.encoding == encoding::automatic ? detect(source) : options.encoding;
  return e == encoding::json ? read_json(as_text(source), options.limit)
                             : read_bytecode(source, options.limit);
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_READ_HPP
