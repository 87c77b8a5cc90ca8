// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A NEM model as a file, in canonical text that is the same for all models that mean the same; and
// its syntax tree as JSON, for tools.
//
//   auto text = nem::write(model);
//   if (!text) return fail(describe(text.error(), …));
//   tessera::text json = nem::write_json(model);
//
// Canonical text is what nem/print.hpp prints of a model. A model that was built in code, without
// places, may have names that no text can have, or constructs where the grammar has none: its text
// is read again, and refused where that fails.
//
//   {
//     "format": "nem-ast",
//     "version": 1,
//     "nodes": [
//       {
//         "kind": "let",
//         "range": [0, 13],
//         "name": "a",
//         "children": [
//           {"kind":"add","range":[8,5],"left":{…},"right":{…}}
//
//   kind       as in nem/model.hpp; an expression is its outermost operator
//   range      offset and length in bytes; a length of 65,535 means that or more
//   name       of what has one; of a task its token, if it has one
//   path       of include and device_file
//   value      of integer, real, string and spec_version
//   level, mode, element, form, field, conformance     by kind
//   left and right, operand                            of operators
//   children   all else, in the order of nem/model.hpp; missing if there are none
//
// Expressions, and nodes without children, are on one line. What tools don't know they can skip: a
// later version 1 may add fields, and a change of these is a version 2.
//
// Lifetime:   the text owns itself.
// Errors:     of a model that was built in code: those of read; the offset counts in its text.
// Limits:     none; no recursion. Objects of JSON are as deep as the model, or an expression, is.
// Allocation: the text; of a model that was built in code, what reading it takes; for JSON 16 bytes
//             per operand of the largest expression.

#ifndef TESSERA_NEM_WRITE_HPP
#define TESSERA_NEM_WRITE_HPP

#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// Options for canonical text.
struct write_options {
  /// Writes (0 - 3) for -3, which the grammar of the specification can't derive.
  bool strict_ebnf = false;
};

/// The canonical text of a model; empty for an empty one.
[[nodiscard]] result<text> write(const model& d, const write_options& options = {});

/// The tree of a model as JSON, with a newline at its end.
[[nodiscard]] text write_json(const model& d);

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/syntax/write.hpp"
#include "detail/syntax/write_json.hpp"
#endif

#endif  // TESSERA_NEM_WRITE_HPP
