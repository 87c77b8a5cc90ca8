// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of NEM, compiled once.

#include "core.hpp"

#define TESSERA_IMPLEMENTATION
#include <tessera/nem.hpp>
