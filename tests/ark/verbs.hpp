// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ark::read, verify and verify_ranks, compiled once: each takes a compiler longer than most files of
// tests.

#ifndef TESSERA_TESTS_ARK_VERBS_HPP
#define TESSERA_TESTS_ARK_VERBS_HPP

#include "ark/ark.hpp"

#include <string_view>

namespace ark_test {

[[nodiscard]] tessera::result<tessera::ark::model> read(
    std::string_view source, const tessera::ark::read_options& options = {});
[[nodiscard]] tessera::result<tessera::ark::program> verify(
    tessera::ark::model m, const tessera::ark::verify_options& options = {},
    tessera::report* found = nullptr);
[[nodiscard]] tessera::result<tessera::ark::world> verify_ranks(
    tessera::view<const tessera::ark::program*> ranks,
    const tessera::ark::ranks_options& options = {}, tessera::report* found = nullptr);

}  // namespace ark_test

#endif  // TESSERA_TESTS_ARK_VERBS_HPP
