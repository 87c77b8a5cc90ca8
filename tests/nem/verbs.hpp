// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// nem::read and nem::verify, compiled once: each takes a compiler longer than most files of tests.

#ifndef TESSERA_TESTS_NEM_VERBS_HPP
#define TESSERA_TESTS_NEM_VERBS_HPP

#include <string_view>

#include <tessera/nem/read.hpp>
#include <tessera/nem/verify.hpp>

namespace nem_test {

[[nodiscard]] tessera::result<tessera::nem::model> read(
    std::string_view source, const tessera::nem::read_options& options = {},
    tessera::report* found = nullptr);
[[nodiscard]] tessera::result<tessera::nem::program> verify(
    tessera::nem::model d, const tessera::nem::verify_options& options = {},
    tessera::report* found = nullptr);

}  // namespace nem_test

#endif  // TESSERA_TESTS_NEM_VERBS_HPP
