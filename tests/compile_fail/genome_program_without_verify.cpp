// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Only verify() makes a library or a program.
//
// expect: (is private within this context|calling a private constructor)

#include <utility>

#include "tessera/genome.hpp"

void twin(const tessera::genome::library& proven);
void twin(const tessera::genome::library& proven) {
  tessera::genome::stream stream;
  auto program = tessera::genome::verify(std::move(stream), proven);
  static_cast<void>(program);
#ifdef TESSERA_COMPILE_FAIL
  tessera::genome::library unproven;
  tessera::genome::program forced(tessera::genome::stream{}, proven);
#endif
}
