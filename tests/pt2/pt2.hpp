// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// PT2 as the tests see it: the header tree, or the single header when the same tests are built once
// more for it. Comes first in every file, so that what is included later finds its guards set.

#ifndef TESSERA_TESTS_PT2_PT2_HPP
#define TESSERA_TESTS_PT2_PT2_HPP

#ifdef TESSERA_SINGLE_HEADER
#include "include/single/tessera_pt2.hpp"
#else
#include "tessera/pt2.hpp"
#endif

#endif  // TESSERA_TESTS_PT2_PT2_HPP
