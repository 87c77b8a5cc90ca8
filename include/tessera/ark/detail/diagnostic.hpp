// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/diagnostic.hpp.

#ifndef TESSERA_ARK_DETAIL_DIAGNOSTIC_HPP
#define TESSERA_ARK_DETAIL_DIAGNOSTIC_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../diagnostic.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE rule::rule(errc code) noexcept {
  const std::string_view name = error{code}.name();
  if (code == errc::json_duplicate_key) {
    set("S11");
  } else if (code == errc::json_expected_integer || code == errc::json_integer_range) {
    set("S13");
  } else if (name.size() > 8 && name.substr(0, 4) == "ark_" && name[7] == '_' && name[5] >= '0' &&
             name[5] <= '9') {
    const char id[] = {static_cast<char>(name[4] - 'a' + 'A'), name[5], name[6]};
    set({id, 3});
  }
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_DIAGNOSTIC_HPP
