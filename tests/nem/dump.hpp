// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Trees and diagnostics of NEM as short text, for tests.
//
//   tree("const A = 1 + b");     // "constant:A(expression(1 b add))"
//   found("const A = 1 ! 2");    // "LEX-001@12+1"
//
// A node is its kind, `:` and its name where it has one, `#` and its detail where that isn't 0, and
// its children in parentheses. Names, numbers and strings stand for themselves.

#ifndef TESSERA_TESTS_NEM_DUMP_HPP
#define TESSERA_TESTS_NEM_DUMP_HPP

#include <string>
#include <string_view>
#include <tessera/nem/read.hpp>

namespace tessera_tests {

[[nodiscard]] std::string dump_node(const tessera::nem::model& d, const tessera::nem::node& n);
/// The tree of a model, top level nodes with blanks between.
[[nodiscard]] std::string dump(const tessera::nem::model& d);
/// The tree of a source, or "error".
[[nodiscard]] std::string tree(std::string_view source);
/// What reading finds: rules with offset and length, blanks between.
[[nodiscard]] std::string found(std::string_view source,
                                const tessera::nem::read_options& options = {});

}  // namespace tessera_tests

#endif  // TESSERA_TESTS_NEM_DUMP_HPP
