// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A file borrows its bytes, so a temporary owner, gone before the first record is looked at, is
// refused.
//
// expect: (use of deleted function|call to deleted function)

#include "tessera/core/pool.hpp"
#include "tessera/nac/read.hpp"

void twin();
void twin() {
  const tessera::pool<std::byte> owner;
  auto of_an_owner = tessera::nac::read({owner.data(), owner.size()});
  auto of_a_view = tessera::nac::read(tessera::bytes());
  static_cast<void>(of_an_owner);
  static_cast<void>(of_a_view);
#ifdef TESSERA_COMPILE_FAIL
  auto of_a_temporary = tessera::nac::read(tessera::pool<std::byte>());
#endif
}
