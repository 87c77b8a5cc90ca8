// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Only verify() makes a program.
//
// expect: (is private within this context|calling a private constructor)

#include <utility>

#include "tessera/nem/verify.hpp"

void twin();
void twin() {
  tessera::nem::model document;
  auto program = tessera::nem::verify(std::move(document));
  static_cast<void>(program);
#ifdef TESSERA_COMPILE_FAIL
  tessera::nem::program unproven;
#endif
}
