// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A program owns its document, so looking into a temporary program would dangle.
//
// expect: (use of deleted function|to deleted member function)

#include "tessera/nem/verify.hpp"

tessera::nem::program make();
const tessera::nem::document& twin(const tessera::nem::program& kept);
const tessera::nem::document& twin(const tessera::nem::program& kept) {
#ifdef TESSERA_COMPILE_FAIL
  return make().document();
#else
  return kept.document();
#endif
}
