// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A NEM file in its canonical layout, with its comments: what a formatter writes.
//
//   tessera::text formatted = nem::reformat(model, source);     // read from this source
//
//   let   a=(1+2)   # a note          let a = 1 + 2  # a note
//                                ->
//                                     # about b
//   # about b                         let b = a
//   let b = a;
//
// Lines are those of print(), except:
//
//   constructs      in the order of the file
//   blank lines     one is kept between statements, and between lines of families and devices
//   own lines       a comment on a line of its own stays before the same line, at its indent
//   after a line    stays at its end, two spaces before the '#'
//   within a line   goes before that line: no line is broken for a comment
//   parts           keep the order of the file in a compute task, family or device that has a
//                   comment between them, so that it stays with what it describes
//
// All comments stay, in their order; blanks at their ends go. The result is read as the same
// model, and formatted as itself.
//
// Lifetime:   the text owns itself.
// Errors:     none. With another source than the model's, comments are misplaced.
// Limits:     none; no recursion.
// Allocation: the text, 16 bytes per comment, and 4 per closing brace or endloop.

#ifndef TESSERA_NEM_REFORMAT_HPP
#define TESSERA_NEM_REFORMAT_HPP

#include <string_view>

#include "../core/text.hpp"
#include "../version.hpp"
#include "print.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// The text of a model that was read from `source`, in canonical layout, with its comments.
[[nodiscard]] text reformat(const model& d, std::string_view source,
                            const print_options& options = {});

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/syntax/reformat.hpp"
#endif

#endif  // TESSERA_NEM_REFORMAT_HPP
