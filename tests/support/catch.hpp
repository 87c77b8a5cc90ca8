// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Catch2, and how it prints our types when a check fails.

#ifndef TESSERA_TESTS_SUPPORT_CATCH_HPP
#define TESSERA_TESTS_SUPPORT_CATCH_HPP

#include <string>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

#include "catch2.hpp"

namespace Catch {

template <>
struct StringMaker<tessera::errc> {
  static std::string convert(tessera::errc code) {
    return std::string(tessera::error{code, 0}.name());
  }
};
template <>
struct StringMaker<tessera::error> {
  static std::string convert(const tessera::error& e) {
    return std::string(e.name()) + " at " + std::to_string(e.offset);
  }
};
template <>
struct StringMaker<tessera::text> {
  static std::string convert(const tessera::text& t) {
    return StringMaker<std::string>::convert(std::string(t.view()));
  }
};

}  // namespace Catch

#endif  // TESSERA_TESTS_SUPPORT_CATCH_HPP
