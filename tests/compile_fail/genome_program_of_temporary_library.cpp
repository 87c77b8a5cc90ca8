// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A program borrows its library, so one over a temporary library would dangle.
//
// expect: (use of deleted function|call to deleted function)

#include <utility>

#include "tessera/genome.hpp"

tessera::genome::library make();
void twin(const tessera::genome::library& kept);
void twin(const tessera::genome::library& kept) {
  tessera::genome::stream stream;
#ifdef TESSERA_COMPILE_FAIL
  auto program = tessera::genome::verify(std::move(stream), make());
#else
  auto program = tessera::genome::verify(std::move(stream), kept);
#endif
  static_cast<void>(program);
}
