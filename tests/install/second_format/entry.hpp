// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A substitute for another format's facade: it shares core/json with ALIR, so its single header
// brings along the same core a second time.

#include "../../../include/tessera/version.hpp"

#ifndef TESSERA_SECOND_FORMAT_HPP
#define TESSERA_SECOND_FORMAT_HPP

#include <cstdint>
#include <string_view>

#include "../../../include/tessera/core/json.hpp"

namespace tessera::inline TESSERA_ABI {
namespace second_format {

/// The sum of a JSON array of integers, or -1 when it isn't one.
[[nodiscard]] inline std::int64_t sum(std::string_view source) {
  json::reader in(source);
  std::int64_t total = 0;
  for (in.array(); in.element();) total += in.int64();
  return in.finish().code == errc::ok ? total : -1;
}

}  // namespace second_format
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_SECOND_FORMAT_HPP
