// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC assembly as tokens: what assemble and its parts read from, and how strings are printed.
//
//   nac::detail::lexer in(source);
//   if (in.accept("schedule")) in.expect(':');
//   const std::int64_t tick = in.integer(0, 65535);
//   in.end_line();
//   if (in.failed()) return in.error();
//
//   word      a letter, '_' or '<', then letters, digits and _ . < >      nac.add  <INPUT>
//   number    a digit or '-', then letters, digits and + - . _            -1  1e-5  0x1f  -inf
//   string    "…" with \" \\ \n \r \t \xHH                                "fc.weight"
//   mark      any other character by itself                               ( ) [ ] { } = : , #
//   line end  ends a statement, but for those inside of brackets
//   comment   from ';' to the end of the line
//
// The first error stays, and everything after it is refused without effect.
//
// Lifetime:   borrows the source.
// Errors:     nac_text_*, at the token that is wrong.
// Limits:     none.
// Allocation: what is asked for: decoded strings.

#ifndef TESSERA_NAC_LEXER_HPP
#define TESSERA_NAC_LEXER_HPP

#include <string_view>

#include "../core/text.hpp"
#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// A string in quotes, as the lexer reads it; what may not reach a terminal is escaped byte by byte.
void print_string(text& out, std::string_view s);

}  // namespace detail

using detail::print_string;

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/lexer.hpp"
#endif

#endif  // TESSERA_NAC_LEXER_HPP
