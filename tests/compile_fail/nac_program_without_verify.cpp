// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Only verify() makes a program.
//
// expect: (is private within this context|calling a private constructor)

#include "tessera/nac/verify.hpp"

void twin();
void twin() {
  const tessera::nac::model file;
  auto program = tessera::nac::verify(file);
  static_cast<void>(program);
#ifdef TESSERA_COMPILE_FAIL
  tessera::nac::program unproven(file);
#endif
}
