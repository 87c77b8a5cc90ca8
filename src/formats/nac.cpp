// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of NAC, compiled once.

#include "core.hpp"

#define TESSERA_IMPLEMENTATION
#include <tessera/nac/all.hpp>
