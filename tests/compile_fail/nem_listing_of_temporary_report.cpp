// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A listing borrows the report that it shows.
//
// expect: (use of deleted function|call to deleted constructor)

#include "tessera/nem/describe.hpp"

tessera::nem::report make();
tessera::text twin(const tessera::nem::report& kept);
tessera::text twin(const tessera::nem::report& kept) {
#ifdef TESSERA_COMPILE_FAIL
  const tessera::nem::listing list(make(), {});
#else
  const tessera::nem::listing list(kept, {});
#endif
  return list.describe(kept.diagnostics[0]);
}
