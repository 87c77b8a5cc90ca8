// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// External weights borrow their bytes, so a temporary owner of them is refused.
//
// expect: (use of deleted function|call to deleted function)

#include "tessera/nac/safetensors.hpp"

void twin();
void twin() {
  const tessera::pool<std::byte> owner;
  auto of_an_owner = tessera::nac::read_safetensors({owner.data(), owner.size()});
  static_cast<void>(of_an_owner);
#ifdef TESSERA_COMPILE_FAIL
  auto of_a_temporary = tessera::nac::read_safetensors(tessera::pool<std::byte>());
#endif
}
