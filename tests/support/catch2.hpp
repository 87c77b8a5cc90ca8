// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Catch2, 2.13 or 3, and nothing of ours: what the test programs precompile.

#ifndef TESSERA_TESTS_SUPPORT_CATCH2_HPP
#define TESSERA_TESTS_SUPPORT_CATCH2_HPP

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#endif  // TESSERA_TESTS_SUPPORT_CATCH2_HPP
