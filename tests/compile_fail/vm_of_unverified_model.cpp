// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A VM takes a program and nothing else: running what nobody verified doesn't compile.
//
// expect: (no matching function for call|no matching constructor)

#include "tessera/alir.hpp"
#include "tessera/vm/alir.hpp"

void twin(const tessera::alir::model& unverified, const tessera::alir::program& verified);
void twin(const tessera::alir::model& unverified, const tessera::alir::program& verified) {
  tessera::vm::alir::machine good(verified);
  static_cast<void>(unverified);
#ifdef TESSERA_COMPILE_FAIL
  tessera::vm::alir::machine bad(unverified);
#endif
}
