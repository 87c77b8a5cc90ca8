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

[[nodiscard]] tessera::result<tessera::ark::model> read(std::string_view source,
                                                        const tessera::limits& limit = {});
[[nodiscard]] tessera::result<tessera::ark::program> verify(
    tessera::ark::model g, const tessera::ark::verify_options& options = {},
    tessera::ark::report* found = nullptr, std::string_view source = {});
[[nodiscard]] tessera::result<tessera::ark::world> verify_ranks(
    tessera::view<const tessera::ark::program*> ranks,
    const tessera::ark::verify_options& options = {}, tessera::ark::report* found = nullptr,
    tessera::view<std::string_view> sources = {});

}  // namespace ark_test

#endif  // TESSERA_TESTS_ARK_VERBS_HPP
