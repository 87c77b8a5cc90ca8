// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A result doesn't turn into a number or a bool by itself: `int n = f();` would drop the error.
//
// expect: (cannot convert|no viable conversion)

#include "tessera/alir.hpp"

bool twin();
bool twin() {
  auto model = tessera::alir::read_json("[]");
#ifdef TESSERA_COMPILE_FAIL
  const bool read = model;
#else
  const bool read = static_cast<bool>(model);
#endif
  return read;
}
