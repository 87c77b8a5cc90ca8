// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `if (f())` on a result<bool> would ask whether there is an answer, and look like asking for it.
//
// expect: a result<bool> would be read as its own truth value

#include "tessera/core/result.hpp"

enum class answer { no, yes };
tessera::result<answer> twin();
tessera::result<answer> twin() { return answer::yes; }

#ifdef TESSERA_COMPILE_FAIL
tessera::result<bool> misleading();
tessera::result<bool> misleading() { return true; }
#endif
