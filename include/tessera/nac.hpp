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
//   auto bytes = tessera::nac::write(tessera::nac::parts_of(*file));
//
//   read        a view of a container                              nac/read.hpp
//   verify      the proof that it can run: a report and a program  nac/verify.hpp
//   print       everything that it holds, as text                  nac/print.hpp
//   parts_of    everything that it holds, to be changed            nac/parts.hpp
//   write       a container from its parts                         nac/write.hpp
//   decode      instructions as records of one size                nac/decode.hpp
//   resolve     the same, with absolute references                 nac/resolve.hpp
//   describe    an error with its offset and bytes                 core/describe.hpp
//
// What is not part of the four verbs has headers of its own; nac/all.hpp has them all:
//
//   assemble           parts from the text that print writes         nac/assembly.hpp
//   text_map           where in the text a finding of verify is      nac/text_map.hpp
//   check              whether a container can hold its parts        nac/check.hpp
//   layout_of          how files of the same parts differ            nac/layout.hpp
//   convert            parts in another version of the format        nac/conversion.hpp
//   index_tensors      the tensors of a file, read in small pieces   nac/tensor_index.hpp
//   dequantize         a tensor's values; quantize: the way back     nac/quantization.hpp
//   read_safetensors   external weights                              nac/safetensors.hpp
//   write_safetensors  such a file                                   nac/safetensors_write.hpp
//   externalise        moves weights out of a container, and in      nac/weights.hpp
//   plan_reader        execution plans: reading and writing          nac/execution_plan.hpp
//   verify_plan        what is wrong with one                        nac/execution_plan_verify.hpp
//   print_plan         its text                                      nac/execution_plan_text.hpp
//   manifest_reader    the tokenizer's manifest; verify_manifest     nac/tokenizer.hpp
//   print_manifest     its text                                      nac/tokenizer_text.hpp
//
// Lifetime:   files and programs borrow the bytes that were read, parts their payloads; a temporary
//             owner of bytes is refused by the compiler.
// Errors:     values; every code, its offset and message stand in core/error.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: none to read; what anything else takes stands in its header.

#include "version.hpp"  // before the guard: a second version must not pass unseen

#ifndef TESSERA_NAC_HPP
#define TESSERA_NAC_HPP

#include "core/describe.hpp"
#include "nac/decode.hpp"
#include "nac/format.hpp"
#include "nac/model.hpp"
#include "nac/operations.hpp"
#include "nac/parts.hpp"
#include "nac/print.hpp"
#include "nac/program.hpp"
#include "nac/read.hpp"
#include "nac/records.hpp"
#include "nac/resolve.hpp"
#include "nac/verify.hpp"
#include "nac/write.hpp"

#endif  // TESSERA_NAC_HPP
