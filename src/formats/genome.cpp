// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of NAC v1.2: the genome, compiled once.

#include "core.hpp"

#define TESSERA_IMPLEMENTATION
#include <tessera/genome.hpp>
