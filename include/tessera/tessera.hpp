// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Every format of Tessera. Include one facade instead when you need one format: you pay for what
// you include.

#include "version.hpp"  // before the guard: a second version must not pass unseen

#ifndef TESSERA_TESSERA_HPP
#define TESSERA_TESSERA_HPP

#include "alir.hpp"
#include "ark.hpp"
#include "genome.hpp"
#include "nac.hpp"
#include "nem.hpp"
#include "pt2.hpp"

#endif  // TESSERA_TESSERA_HPP
