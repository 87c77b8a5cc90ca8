// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of PT2, compiled once.

#include "core.hpp"

#define TESSERA_IMPLEMENTATION
#include <tessera/pt2.hpp>
