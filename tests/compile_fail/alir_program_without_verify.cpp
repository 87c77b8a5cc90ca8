// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Only verify() makes a program.
//
// expect: (is private within this context|calling a private constructor)

#include <utility>

#include "tessera/alir.hpp"

void twin();
void twin() {
  tessera::alir::model model;
  auto program = tessera::alir::verify(std::move(model));
  static_cast<void>(program);
#ifdef TESSERA_COMPILE_FAIL
  tessera::alir::program unproven(tessera::alir::model{});
  tessera::alir::program forced{std::move(model)};
#endif
}
