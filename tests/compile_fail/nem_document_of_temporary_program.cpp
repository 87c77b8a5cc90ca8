// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A program owns its model, so looking into a temporary program would dangle.
//
// expect: (use of deleted function|to deleted member function)

#include "tessera/nem/verify.hpp"

tessera::nem::program make();
const tessera::nem::model& twin(const tessera::nem::program& kept);
const tessera::nem::model& twin(const tessera::nem::program& kept) {
#ifdef TESSERA_COMPILE_FAIL
  return make().model();
#else
  return kept.model();
#endif
}
