// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// An error has no truth value: `if (r.error())` would read as its own opposite.
//
// expect: (could not convert|is not contextually convertible)

#include "tessera/alir.hpp"

bool twin();
bool twin() {
  auto model = tessera::alir::read_json("[]");
#ifdef TESSERA_COMPILE_FAIL
  if (model.error()) return false;
#else
  if (!model) return false;
#endif
  return true;
}
