// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of core/error.hpp, and core's own messages.

#ifndef TESSERA_CORE_DETAIL_ERROR_HPP
#define TESSERA_CORE_DETAIL_ERROR_HPP

#include "../error.hpp"

namespace tessera::inline TESSERA_ABI {
namespace detail {

inline constexpr errc_row core_rows[] = {
#define TESSERA_X(name, value, text) {errc::name, #name, text},
    TESSERA_CORE_ERRORS(TESSERA_X)
#undef TESSERA_X
};
inline constexpr errc_row unknown_code{errc::ok, "unknown", "unknown error"};

TESSERA_INLINE errc_table& table_of(std::size_t owner) noexcept {
  static errc_table tables[owners] = {{core_rows, sizeof core_rows / sizeof core_rows[0]}};
  return tables[owner];
}

[[nodiscard]] inline const errc_row& row_of(errc code) noexcept {
  const std::size_t owner = static_cast<std::size_t>(code) / 1000;
  if (owner < owners)
    for (const errc_row& row : table_of(owner))
      if (row.code == code) return row;
  return unknown_code;
}

}  // namespace detail

TESSERA_INLINE std::string_view error::message() const noexcept {
  return detail::row_of(code).message;
}
TESSERA_INLINE std::string_view error::name() const noexcept { return detail::row_of(code).name; }

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_ERROR_HPP
