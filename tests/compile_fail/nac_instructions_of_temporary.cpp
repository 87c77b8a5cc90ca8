// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A list of instructions looks into its file, so that of a temporary file would dangle.
//
// expect: (use of deleted function|to deleted member function)

#include "tessera/nac/read.hpp"

tessera::nac::model make();
tessera::nac::instructions twin(const tessera::nac::model& kept);
tessera::nac::instructions twin(const tessera::nac::model& kept) {
#ifdef TESSERA_COMPILE_FAIL
  return make().instructions();
#else
  return kept.instructions();
#endif
}
