// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writes a model: byte for byte the text of the format's own serializer.
//
//   auto text = ark::write(*model);                                      // D3, pretty
//   auto same = ark::write(*model, {.to = model->form, .pretty = false});  // its own dialect
//   if (!text) return fail(describe(text.error(), source));
//   std::cout << *text;
//
//   compact   no white space, no newline at the end
//   pretty    two spaces per level, "key": value, a newline at the end. A child is on one line,
//             compact, when it is a scalar or an array that begins with a number, and below the
//             levels of its dialect (format.hpp): tensors from D2 on, buffers always
//   order     members in the order of the dialect, unknown ones last; arguments by name
//   FLOAT     the token that was read, else the shortest digits of the value as a double, plain for
//             1e-4 <= |v| < 1e15
//
// Text from the format's own serializer survives read() and write() in its own dialect. Lists of
// edges stay in their order; canonicalise() sorts them. To change a FLOAT that was read, set its
// `token` to nothing, too.
//
// Lifetime:   the text owns itself.
// Errors:     what check() and convert() refuse; json_* for a kept value that is no JSON. The offset
//             is that of the node in the text that was read.
// Limits:     none.
// Allocation: the text, at most twice its length, and 8 bytes for each tensor, layout and buffer.

#ifndef TESSERA_ARK_WRITE_HPP
#define TESSERA_ARK_WRITE_HPP

#include "../core/result.hpp"
#include "../version.hpp"
#include "convert.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// What text to write.
struct write_options {
  dialect to = dialect::d3;  ///< converted to it if the model is of another dialect
  bool pretty = true;        ///< spread over lines, else one line
};

/// The text of a model, converted first if its dialect isn't `to`.
[[nodiscard]] result<text> write(const model& g, const write_options& options = {});

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/write.hpp"
#endif

#endif  // TESSERA_ARK_WRITE_HPP
