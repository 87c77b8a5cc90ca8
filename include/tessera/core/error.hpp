// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The error value that every reader, verifier and writer returns, and the table behind it.
//
//   tessera::error e{tessera::errc::json_depth, 64};
//   e.message();  // "containers are nested deeper than limits::max_depth"
//   e.name();     // "json_depth"
//
// One code per check; programs switch on the code, tests pin code and offset, and the same input
// gives the same pair on every platform. A message states what was expected; `describe` (see
// describe.hpp) adds line, column, path and a caret by looking at the source again.
//
//   range         owner
//      1 -   99   bytes, limits, files
//    100 -  199   JSON text
//   1000 - 1999   ALIR
//   2000 - 2999   ARK; most are its rules: ark_g06_cycle is rule G06
//   3000 - 3999   NAC
//   4000 - 4999   NEM; its rules: nem_con_001_duplicate is rule CON-001
//   5000 - 5999   NAC v1.2: genome
//
// Lifetime:   messages and names are constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_ERROR_HPP
#define TESSERA_CORE_ERROR_HPP

#include <cstdint>
#include <string_view>

#include "../version.hpp"
#include "error_table.hpp"

namespace tessera::inline TESSERA_ABI {

/// What was wrong: one enumerator per check, stable within a version.
enum class errc : std::uint16_t {
#define TESSERA_X(name, value, ...) name = value,
  TESSERA_ERRORS(TESSERA_X)
#undef TESSERA_X
};

/// One row of the table of all codes.
struct errc_row {
  errc code;
  std::string_view name;
  std::string_view message;
};

/// All codes in ascending order, for tools and tests that enumerate them.
inline constexpr errc_row errc_table[] = {
#define TESSERA_X(name, value, text, ...) {errc::name, #name, text},
    TESSERA_ERRORS(TESSERA_X)
#undef TESSERA_X
};

namespace detail {
inline constexpr errc_row unknown_code{errc::ok, "unknown", "unknown error"};
}

/// An error: what and where. Has no truth value of its own, so that it can't be read inverted.
struct error {
  errc code = errc::ok;
  /// Byte offset into the source that was read, at most its length. For a noun that was built in
  /// code and has no source: the index of the operation, output or table that is wrong.
  std::uint64_t offset = 0;

  /// What was expected, in words.
  [[nodiscard]] constexpr std::string_view message() const noexcept { return row().message; }
  /// The enumerator's name.
  [[nodiscard]] constexpr std::string_view name() const noexcept { return row().name; }

  friend constexpr bool operator==(const error&, const error&) = default;

 private:
  [[nodiscard]] constexpr const errc_row& row() const noexcept {
    for (const errc_row& r : errc_table)
      if (r.code == code) return r;
    return detail::unknown_code;
  }
};

}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_ERRORS

#endif  // TESSERA_CORE_ERROR_HPP
