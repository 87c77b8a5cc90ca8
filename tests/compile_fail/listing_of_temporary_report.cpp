// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A listing borrows the report that it shows.
//
// expect: (use of deleted function|call to deleted constructor)

#include "tessera/core/report.hpp"

tessera::report make();
tessera::text twin(const tessera::report& kept);
tessera::text twin(const tessera::report& kept) {
#ifdef TESSERA_COMPILE_FAIL
  const tessera::listing list(make(), {});
#else
  const tessera::listing list(kept, {});
#endif
  return list.describe(kept.diagnostics[0]);
}
