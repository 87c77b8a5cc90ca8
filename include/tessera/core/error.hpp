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

#include <cstddef>
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

// X(enumerator, how messages call it)
#define TESSERA_ERROR_INDICES(X)                                                                   \
  X(none, "offset")                                                                                \
  X(whole, "the whole")                                                                            \
  X(operation, "operation")                                                                        \
  X(output, "output")                                                                              \
  X(table, "table")                                                                                \
  X(node, "node")                                                                                  \
  X(task, "task")                                                                                  \
  X(processor_group, "processor group")                                                            \
  X(instruction, "instruction")                                                                    \
  X(training_instruction, "training instruction")                                                  \
  X(tick, "tick")                                                                                  \
  X(signature, "signature")                                                                        \
  X(variation, "variation")                                                                        \
  X(parameter, "parameter")                                                                        \
  X(input_name, "input name")                                                                      \
  X(constant, "constant")                                                                          \
  X(plan_constant, "plan constant")                                                                \
  X(group, "group")                                                                                \
  X(tensor, "tensor")                                                                              \
  X(record, "record")                                                                              \
  X(metadata, "metadata entry")                                                                    \
  X(resource, "resource")                                                                          \
  X(array, "array")                                                                                \
  X(pattern, "pattern")                                                                            \
  X(rule, "rule")

/// What error::offset counts: bytes of a source, or what has no source is wrong as a whole or in the
/// element of that index.
enum class error_index : std::uint8_t {
#define TESSERA_X(name, text) name,
  TESSERA_ERROR_INDICES(TESSERA_X)
#undef TESSERA_X
};
/// How messages call an element: "operation".
[[nodiscard]] constexpr std::string_view name(error_index i) noexcept {
  constexpr std::string_view names[] = {
#define TESSERA_X(name, text) text,
      TESSERA_ERROR_INDICES(TESSERA_X)
#undef TESSERA_X
  };
  return names[static_cast<std::size_t>(i)];
}
#undef TESSERA_ERROR_INDICES

/// An error: what and where. Has no truth value of its own, so that it can't be read inverted.
struct error {
  errc code = errc::ok;
  error_index index = error_index::none;
  /// Byte offset into the source that was read, at most its length. For a noun that was built in
  /// code and has no source: the index of the element that is wrong, of the kind that `index` says.
  std::uint64_t offset = 0;

  constexpr error() noexcept = default;
  constexpr explicit error(errc c) noexcept : code(c) {}
  constexpr error(errc c, std::uint64_t at, error_index of = error_index::none) noexcept
      : code(c), index(of), offset(at) {}

  /// The same, if it is one, in an element of a kind.
  [[nodiscard]] constexpr error in(error_index kind) const noexcept {
    return code == errc::ok ? *this : error(code, offset, kind);
  }

  /// What was expected, in words.
  [[nodiscard]] constexpr std::string_view message() const noexcept { return row().message; }
  /// The enumerator's name.
  [[nodiscard]] constexpr std::string_view name() const noexcept { return row().name; }

  /// The same code at the same offset; of one noun, both count the same.
  friend constexpr bool operator==(const error& a, const error& b) noexcept {
    return a.code == b.code && a.offset == b.offset;
  }

 private:
  [[nodiscard]] constexpr const errc_row& row() const noexcept {
    for (const errc_row& r : errc_table)
      if (r.code == code) return r;
    return detail::unknown_code;
  }
};

}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_ERRORS
#undef TESSERA_ALIR_ERRORS
#undef TESSERA_ARK_ERRORS
#undef TESSERA_NAC_ERRORS

#endif  // TESSERA_CORE_ERROR_HPP
