// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC as the tests see it: the header tree, or the single header when the same tests are built
// once more for it. Comes first in every file, so that what is included later finds its guards set.

#ifndef TESSERA_TESTS_NAC_NAC_HPP
#define TESSERA_TESTS_NAC_NAC_HPP

#ifdef TESSERA_SINGLE_HEADER
#include "include/single/tessera_nac.hpp"
#else
#include "tessera/nac/all.hpp"
#endif

#endif  // TESSERA_TESTS_NAC_NAC_HPP
