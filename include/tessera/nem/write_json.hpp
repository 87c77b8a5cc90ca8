// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The syntax tree of a NEM model as JSON, for tools.
//
//   tessera::text json = nem::write_json(model);
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
//   kind       as in syntax.hpp; an expression is its outermost operator
//   range      offset and length in bytes; a length of 65,535 means that or more
//   name       of what has one; of a task its token, if it has one
//   path       of include and device_file
//   value      of integer, real, string and spec_version
//   level, mode, element, form, field, conformance     by kind
//   left and right, operand                            of operators
//   children   all else, in the order of syntax.hpp; missing if there are none
//
// Expressions, and nodes without children, are on one line. What tools don't know they can skip: a
// later version 1 may add fields, and a change of these is a version 2.
//
// Lifetime:   the text owns itself.
// Errors:     none.
// Limits:     none; no recursion. Objects are as deep as the model, or an expression, is.
// Allocation: the text, and 16 bytes an operand of the largest expression.

#ifndef TESSERA_NEM_WRITE_JSON_HPP
#define TESSERA_NEM_WRITE_JSON_HPP

#include "../core/text.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// The tree of a model as JSON, with a newline at its end.
[[nodiscard]] text write_json(const model& d);

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/syntax/write_json.hpp"
#endif

#endif  // TESSERA_NEM_WRITE_JSON_HPP
