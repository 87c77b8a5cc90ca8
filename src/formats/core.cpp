// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of core, compiled once.

#define TESSERA_IMPLEMENTATION
#include "core.hpp"
