// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// An ignored result is an ignored error.
//
// expect: (nodiscard|warn_unused_result)

#include "tessera/alir.hpp"

void twin();
void twin() {
  auto model = tessera::alir::read_json("[]");
  static_cast<void>(model);
#ifdef TESSERA_COMPILE_FAIL
  tessera::alir::read_json("[]");
#endif
}
