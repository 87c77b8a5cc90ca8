// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A text owns its characters, so a view of a temporary one would dangle.
//
// expect: (use of deleted function|invokes a deleted function|to deleted member function)

#include <string_view>

#include "tessera/core/text.hpp"

std::string_view twin(const tessera::text& kept);
std::string_view twin(const tessera::text& kept) {
#ifdef TESSERA_COMPILE_FAIL
  std::string_view dangling = tessera::text("gone").view();
  return dangling;
#else
  return kept.view();
#endif
}
