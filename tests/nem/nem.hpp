// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NEM as the tests see it: the header tree, or the single header when the same tests are built
// once more for it. Comes first in every file, so that what is included later finds its guards set.

#ifndef TESSERA_TESTS_NEM_NEM_HPP
#define TESSERA_TESTS_NEM_NEM_HPP

#ifdef TESSERA_SINGLE_HEADER
#include "include/single/tessera_nem.hpp"
#else
#include "tessera/nem.hpp"
#endif

#endif  // TESSERA_TESTS_NEM_NEM_HPP
