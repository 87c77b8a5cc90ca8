// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC v1.2: networks as streams of nodes, the registry that gives their ids a meaning, and the
// patterns (genes) that compress them.
//
//   auto registry = tessera::genome::read_registry(json);          // registry.json
//   if (!registry) return fail(describe(registry.error(), json));
//   auto library = tessera::genome::verify(std::move(*registry));  // what patterns expand to
//   auto stream = tessera::genome::read_base64(text);              // or read, of bytes
//   auto program = tessera::genome::verify(std::move(*stream), *library);
//   auto flat = tessera::genome::expand(*program);                 // without patterns and copies
//   std::cout << tessera::genome::print(*program);
//
//   read, read_base64      node streams                            genome/read.hpp
//   read_registry          registry.json                           genome/read_registry.hpp
//   verify                 a registry, then streams over it        genome/verify.hpp
//   expand, compress       to a flat graph and back                genome/expand.hpp, compress.hpp
//   write, write_base64, write_registry                            genome/write.hpp, write_registry.hpp
//   print                  a human-readable listing                genome/print.hpp
//   describe               an error with its place                 core/describe.hpp
//
// Lifetime:   streams and registries own themselves; a program borrows its library.
// Errors:     values; codes, with their offsets and messages, are in core/error_table_genome.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: stated in each header.

#include "version.hpp"  // before the guard: a second version must not pass unseen

#ifndef TESSERA_GENOME_HPP
#define TESSERA_GENOME_HPP

#include "core/describe.hpp"
#include "genome/compress.hpp"
#include "genome/expand.hpp"
#include "genome/format.hpp"
#include "genome/print.hpp"
#include "genome/program.hpp"
#include "genome/read.hpp"
#include "genome/read_registry.hpp"
#include "genome/registry.hpp"
#include "genome/signature.hpp"
#include "genome/verify.hpp"
#include "genome/write.hpp"
#include "genome/write_registry.hpp"

#endif  // TESSERA_GENOME_HPP
