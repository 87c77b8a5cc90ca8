// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The error value that every reader, verifier and writer returns, and its tables of messages.
//
//   tessera::error e{tessera::errc::json_depth, 64};
//   e.message();  // "containers are nested deeper than limits::max_depth"
//   e.name();     // "json_depth"
//
// One code per check: programs switch on the code, tests pin code and offset, and the same input
// gives the same pair on every platform. A message states what was expected; `describe` (see
// describe.hpp) adds values, line, column, path and a caret from the source.
//
//   range         owner
//      1 -   99   bytes, limits, files
//    100 -  199   JSON text
//   1000 - 1999   ALIR
//   2000 - 2999   ARK; most are its rules: ark_g06_cycle is rule G06
//   3000 - 3999   NAC
//   4000 - 4999   NEM; its rules: nem_con_001_duplicate is rule CON-001
//   5000 - 5999   NAC v1.2: genome
//   6000 - 6999   PT2
//
// The codes of all formats are here. Names and messages come with the format: a program that
// neither includes nor links nac.hpp doesn't contain NAC's, and reports its codes as "unknown".
//
// Lifetime:   messages and names are constants.

#ifndef TESSERA_CORE_ERROR_HPP
#define TESSERA_CORE_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../version.hpp"
#include "error_table.hpp"

namespace tessera::inline TESSERA_ABI {

/// The kind of error: one enumerator per check, stable within a version.
enum class errc : std::uint16_t {
#define TESSERA_X(name, value, ...) name = value,
  TESSERA_ERRORS(TESSERA_X)
#undef TESSERA_X
};

/// One row of a table of codes.
struct errc_row {
  errc code;                 ///< its value is 1000 · owner + a number
  std::string_view name;     ///< the enumerator's name
  std::string_view message;  ///< one sentence without the values
};
struct error;
class text;
/// The codes of one owner, in ascending order.
struct errc_table {
  const errc_row* rows = nullptr;  ///< `size` of them
  std::size_t size = 0;            ///< how many rows there are
  /// For binary formats: appends the place of an error's offset, such as "instruction 12,
  /// argument 2"; nothing if it is unknown.
  void (*append_place)(text& to, const error& e, const std::byte* source,
                       std::size_t size) = nullptr;
  /// For texts in JSON: appends the message of an error that the source decides, such as which
  /// member is missing; nothing where the code's own message says all. `path` leads to its place.
  void (*append_message)(text& to, const error& e, std::string_view source,
                         std::string_view path) = nullptr;
  /// Whether a binary source is of this format, which then appends the places of core's errors too.
  bool (*is_mine)(const std::byte* source, std::size_t size) = nullptr;

  /// The rows, in ascending order of codes.
  ///@{
  [[nodiscard]] const errc_row* begin() const noexcept { return rows; }
  [[nodiscard]] const errc_row* end() const noexcept { return rows + size; }
  ///@}
};

namespace detail {
/// Owners: core, then the formats.
inline constexpr std::size_t owners = 7;
/// The table of the codes from 1000 · owner on, which its format sets when the program starts.
[[nodiscard]] errc_table& table_of(std::size_t owner) noexcept;
}  // namespace detail

/// Calls `visitor(const errc_row&)` for each code that this program knows by name, in ascending order.
template <class Visitor>
void for_each_errc(Visitor&& visitor) {
  for (std::size_t i = 0; i < detail::owners; ++i)
    for (const errc_row& row : detail::table_of(i)) visitor(row);
}

// X(enumerator, its name in messages)
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
  X(rule, "rule")                                                                                  \
  X(block, "block")

/// The meaning of error::offset: bytes of a source or, without a source, the model as a whole or
/// the index of an element.
enum class error_index : std::uint8_t {
#define TESSERA_X(name, text) name,
  TESSERA_ERROR_INDICES(TESSERA_X)
#undef TESSERA_X
};
/// The name of an element in messages: "operation".
[[nodiscard]] constexpr std::string_view name(error_index i) noexcept {
  constexpr std::string_view names[] = {
#define TESSERA_X(name, text) text,
      TESSERA_ERROR_INDICES(TESSERA_X)
#undef TESSERA_X
  };
  return names[static_cast<std::size_t>(i)];
}
#undef TESSERA_ERROR_INDICES

/// An error: what and where. Not convertible to bool, so that it can't be read inverted.
struct error {
  errc code = errc::ok;                   ///< `ok`: no error
  error_index index = error_index::none;  ///< `none`: the offset counts bytes
  /// Byte offset into the source that was read, at most its length. For a model built in code,
  /// which has no source: the index of the wrong element, of the kind given by `index`.
  std::uint64_t offset = 0;

  /// No error.
  constexpr error() noexcept = default;
  /// At offset 0.
  constexpr explicit error(errc c) noexcept : code(c) {}
  /// At an offset, or at an element if `of` isn't `none`.
  constexpr error(errc c, std::uint64_t at, error_index of = error_index::none) noexcept
      : code(c), index(of), offset(at) {}

  /// This error located in an element of the given kind; unchanged if it is ok.
  [[nodiscard]] constexpr error in(error_index kind) const noexcept {
    return code == errc::ok ? *this : error(code, offset, kind);
  }

  /// The message of the code, as text.
  [[nodiscard]] std::string_view message() const noexcept;
  /// The enumerator's name.
  [[nodiscard]] std::string_view name() const noexcept;

  /// The same code at the same offset; comparable for one model.
  friend constexpr bool operator==(const error& a, const error& b) noexcept {
    return a.code == b.code && a.offset == b.offset;
  }
};

}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_ERRORS

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/error.hpp"
#endif

#endif  // TESSERA_CORE_ERROR_HPP
