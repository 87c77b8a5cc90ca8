// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Only verify() makes a program.
//
// expect: (is private within this context|calling a private constructor|private constructor)

#include "tessera/pt2/verify.hpp"

void twin();
void twin() {
  auto program = tessera::pt2::verify(tessera::pt2::model());
  static_cast<void>(program);
#ifdef TESSERA_COMPILE_FAIL
  tessera::pt2::program unproven;
#endif
}
