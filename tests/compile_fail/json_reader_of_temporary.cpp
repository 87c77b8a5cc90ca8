// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A reader borrows its text, so a temporary string, gone before the first value is read, is
// refused.
//
// expect: (use of deleted function|call to deleted constructor)

#include <string>

#include "tessera/core/json.hpp"

void twin();
void twin() {
  const std::string source = "[1]";
  tessera::json::reader of_a_variable(source);
  tessera::json::reader of_a_literal("[1]");
#ifdef TESSERA_COMPILE_FAIL
  tessera::json::reader of_a_temporary(std::string("[1]"));
#endif
}
