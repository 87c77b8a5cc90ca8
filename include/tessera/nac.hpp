// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC: the .nac container and its instruction set, versions 1.6, 1.7 and 1.8.
//
//   auto file = tessera::nac::read(mapped);
//   if (!file) return fail(describe(file.error(), mapped));
//   tessera::report found;
//   auto program = tessera::nac::verify(*file, {}, &found);
//   std::cout << tessera::nac::print(*file);
//   auto bytes = tessera::nac::write(*file);
//
//   read        a view of a container                              nac/read.hpp
//   verify      the proof that it can run: a report and a program  nac/verify.hpp
//   print       everything that it holds, as text                  nac/print.hpp
//   write       a container, from a model or from parts            nac/write.hpp
//   parts_of    everything that it holds, to be changed            nac/parts.hpp
//   convert     parts in another version of the format             nac/parts.hpp
//   describe    an error with its place, offset and bytes          core/describe.hpp
//
// What is not part of the four verbs has headers of its own; nac/all.hpp has them all:
//
//   assemble           parts from the text that print writes         nac/assembly.hpp
//   read_safetensors   external weights; write_safetensors           nac/safetensors.hpp
//   externalise        moves weights out of a container, and in      nac/weights.hpp
//   index_tensors      the tensors of a file, read in small pieces   nac/weights.hpp
//   dequantize         a tensor's values; quantize: the way back     nac/quantization.hpp
//   plan_reader        execution plans: read, write, print, verify   nac/execution_plan.hpp
//   manifest_reader    the tokenizer's manifest: the same            nac/tokenizer.hpp
//
// Lifetime:   files and programs borrow the bytes that were read, parts their payloads; a temporary
//             owner of bytes is refused by the compiler.
// Errors:     values; every code and message is in core/error_table_nac.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: none to read; what everything else needs is in its header.

#include "version.hpp"  // before the guard: a second version must not pass unseen

#ifndef TESSERA_NAC_HPP
#define TESSERA_NAC_HPP

#include "core/describe.hpp"
#include "nac/format.hpp"
#include "nac/model.hpp"
#include "nac/operations.hpp"
#include "nac/parts.hpp"
#include "nac/print.hpp"
#include "nac/read.hpp"
#include "nac/verify.hpp"
#include "nac/write.hpp"

#endif  // TESSERA_NAC_HPP
