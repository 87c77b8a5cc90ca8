// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ALIR, compiled once.

#include "core.hpp"

#define TESSERA_IMPLEMENTATION
#include <tessera/alir.hpp>
