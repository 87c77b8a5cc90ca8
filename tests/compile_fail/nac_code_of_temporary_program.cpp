// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A program owns its code, so looking into a temporary program would dangle.
//
// expect: (use of deleted function|to deleted member function)

#include "tessera/nac/verify.hpp"

tessera::nac::program make();
const tessera::nac::code& twin(const tessera::nac::program& kept);
const tessera::nac::code& twin(const tessera::nac::program& kept) {
#ifdef TESSERA_COMPILE_FAIL
  return make().code();
#else
  return kept.code();
#endif
}
