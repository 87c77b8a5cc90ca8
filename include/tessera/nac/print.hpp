// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC containers as text: everything that a file holds, in a form that assemble reads back.
//
//   tessera::text listing = nac::print(*file, {.source_name = "model.nac"});
//
//     nac 1.6
//     quantization none
//     weights internal
//     inputs 1
//     outputs 1
//     d_model 3
//     operations:
//       20 = "aten.linear.default"
//     constants:
//       2 = 1.5
//     tensors:
//       1 = f32 [2] hex { 0000003f 000000bf }
//     code:
//       v0 = input  ; "x"
//       v1 = nac.add(v0, 1.5)
//       v2 = output(v1)
//
// The grammar is in assembly.hpp. Information that can be derived is omitted only where assemble
// would find exactly the same, so only slack, reserved bytes, unknown sections and
// prefixes that follow no rule are lost. Comments name inputs, parameters and constants where those
// are short.
//
// Lifetime:   borrows the file while it runs.
// Errors:     none: any file that was read has a text.
// Limits:     none.
// Allocation: the text, and tables of ids; payloads by reference are never looked at.

#ifndef TESSERA_NAC_PRINT_HPP
#define TESSERA_NAC_PRINT_HPP

#include <cstdint>
#include <string_view>

#include "../core/text.hpp"
#include "../version.hpp"
#include "format.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// A string in quotes, as the lexer reads it; what may not reach a terminal is escaped byte by
/// byte.
void print_string(text& out, std::string_view s);

/// The assembly's word for a system instruction; empty where it has none of its own.
[[nodiscard]] std::string_view system_word(std::uint8_t a, std::uint8_t b) noexcept;

/// How a container is printed.
struct print_options {
  /// How payloads are printed.
  enum payloads : std::uint8_t {
    automatic,     ///< up to 64 bytes inline, more by reference if there is a source name
    inline_hex,    ///< all inline
    by_reference,  ///< none inline, unless there is no source name
  };
  std::string_view source_name = {};  ///< of the file, for references into it; none: all inline
  payloads payload = automatic;  ///< how the bytes of tensors, arrays and resources are printed
  bool schedule_beside = false;  ///< the schedule's commands as comments beside the code, too
};

/// The text of a container.
[[nodiscard]] text print(const model& f, const print_options& options = {});

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/print.hpp"
#endif

#endif  // TESSERA_NAC_PRINT_HPP
