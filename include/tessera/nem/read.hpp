// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Reads NEM: the text of a program, a device or type families, to its syntax tree.
//
//   tessera::report found;
//   auto model = nem::read("const N = 8  buffer A : L2 (size=N * 2)", {}, &found);
//   if (!model) return show(found);           // up to 16 errors, each with place, note and fix
//   model->nodes[0].kind;                     // node_kind::constant
//   model->name(model->nodes[0].value);       // "N"
//
//   document     include* and then a program, or families and devices
//   program      [device directive] [program N :] statements
//
// One pass, no recursion. After an error whose meaning is clear (`shape[2]`, `progam p:`) reading
// goes on in the statement; else at the next one: after `;`, or at a line that begins with a
// keyword or isn't indented more than the wrong statement. Loops stay balanced, and one mistake
// gives one error.
//
// Lifetime:   the model owns itself.
// Errors:     the first one; the report has all, and the warnings.
// Limits:     limits::max_bytes, and at most 4 GiB; limits::max_items nodes; 256 nested loops,
//             lists and parentheses.
// Allocation: reading holds at most 32 times the source and 100 KB for diagnostics; the worst, a
//             sum of single digits, takes 29. Documents of real programs take 2.5 times the source.

#ifndef TESSERA_NEM_READ_HPP
#define TESSERA_NEM_READ_HPP

#include <cstdint>
#include <string_view>

#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../version.hpp"
#include "rule.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// Called about once a MiB with the bytes that were read: to show progress, or to release the pages
/// of a mapped file. Findings are looked up in all of the source.
struct read_progress {
  void (*passed)(void* self, std::uint64_t bytes) = nullptr;  ///< not called where it is null
  void* self = nullptr;                                       ///< passed to `passed`
};

/// How a file is read, and within which limits.
struct read_options {
  nem::profile profile = nem::profile::standard;  ///< decides how severe findings are
  limits limit;                                   ///< max_bytes of the source; max_items nodes
  std::uint32_t max_errors = 16;  ///< after which reading stops; at least 1, at most 1000
  read_progress progress = {};    ///< called while a large file is read
};

/// Reads one file. A model only where there is no error; `found` receives all errors and warnings.
[[nodiscard]] result<model> read(std::string_view source, const read_options& options = {},
                                 report* found = nullptr);

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/syntax/read.hpp"
#endif

#endif  // TESSERA_NEM_READ_HPP
