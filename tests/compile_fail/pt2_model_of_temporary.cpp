// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A model borrows its bytes, so a temporary owner, gone before the first weight is looked at, is
// refused.
//
// expect: (use of deleted function|call to deleted function)

#include "tessera/core/pool.hpp"
#include "tessera/pt2/read.hpp"

void twin();
void twin() {
  const tessera::pool<std::byte> owner;
  auto of_an_owner = tessera::pt2::read({owner.data(), owner.size()});
  auto of_a_view = tessera::pt2::read(tessera::bytes());
  static_cast<void>(of_an_owner);
  static_cast<void>(of_a_view);
#ifdef TESSERA_COMPILE_FAIL
  auto of_a_temporary = tessera::pt2::read(tessera::pool<std::byte>());
#endif
}
