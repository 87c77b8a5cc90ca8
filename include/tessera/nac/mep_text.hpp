// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
#ifndef TESSERA_NAC_MEP_TEXT_HPP
#define TESSERA_NAC_MEP_TEXT_HPP

#include "../core/text.hpp"
#include "file.hpp"
#include "lexer.hpp"
#include "mep.hpp"
#include "parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// Prints bytecode, each line behind two spaces; constants' values stand in comments.
void print_plan(text& out, bytes code, const constants& pool_of);
/// Reads lines of a plan up to the word `end`, which it leaves, into p.plan.
bool parse_plan(detail::lexer& in, parts& p);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_MEP_TEXT_HPP
