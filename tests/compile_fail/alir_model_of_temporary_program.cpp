// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A program owns its model, so looking into a temporary program would dangle.
//
// expect: (use of deleted function|to deleted member function)

#include <utility>

#include "tessera/alir.hpp"

tessera::alir::program make();
const tessera::alir::model& twin(const tessera::alir::program& kept);
const tessera::alir::model& twin(const tessera::alir::program& kept) {
#ifdef TESSERA_COMPILE_FAIL
  return make().model();
#else
  return kept.model();
#endif
}
