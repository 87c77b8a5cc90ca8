// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC: the .nac container and its instruction set, versions 1.6, 1.7 and 1.8.
//
//   auto file = tessera::nac::read(mapped);
//   if (!file) return fail(describe(file.error(), mapped));
//   tessera::nac::report found;
//   auto program = tessera::nac::verify(*file, {}, &found);
//   std::cout << tessera::nac::print(*file);
//   auto bytes = tessera::nac::write(tessera::nac::parts_of(*file));
//
//   read               a view of a container                              nac/read.hpp
//   verify             the proof that it can run: a report and a program  nac/verify.hpp
//   print              everything that it holds, as text                  nac/print.hpp
//   assemble           parts from such text, or from one written by hand  nac/assemble.hpp
//   text_map           where in the text a finding of verify is           nac/text_map.hpp
//   parts_of           everything that it holds, to be changed            nac/parts.hpp
//   check              whether a container can hold its parts             nac/check.hpp
//   write              a container from its parts                         nac/write.hpp
//   layout_of          what files of the same parts differ by             nac/layout.hpp
//   convert            its parts in another version of the format         nac/convert.hpp
//   decode             instructions as records of one size                nac/decode.hpp
//   resolve            the same, with absolute references                 nac/resolve.hpp
//   index_tensors      the tensors of a file, read in small pieces        nac/tensor_index.hpp
//   dequantize         a tensor's values; quantize: the way back          nac/quantize.hpp
//   read_safetensors   weights that stand outside                         nac/safetensors.hpp
//   write_safetensors  such a file                                        nac/safetensors_write.hpp
//   externalise        weights out of a container; internalise: in        nac/weights.hpp
//   plan_reader        the orchestrator's bytecode; plan_writer           nac/mep.hpp
//   verify_plan        what is wrong with it                              nac/mep_verify.hpp
//   print_plan         its text                                           nac/mep_text.hpp
//   manifest_reader    the tokenizer's manifest; manifest_writer          nac/tisa.hpp
//   verify_manifest    what is wrong with it                              nac/tisa.hpp
//   print_manifest     its text                                           nac/tisa_text.hpp
//   describe           an error with its offset and bytes                 core/describe.hpp
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
#include "nac/assemble.hpp"
#include "nac/check.hpp"
#include "nac/convert.hpp"
#include "nac/decode.hpp"
#include "nac/detail/errors.hpp"
#include "nac/diagnostic.hpp"
#include "nac/file.hpp"
#include "nac/format.hpp"
#include "nac/layout.hpp"
#include "nac/lexer.hpp"
#include "nac/mep.hpp"
#include "nac/mep_text.hpp"
#include "nac/mep_verify.hpp"
#include "nac/operations.hpp"
#include "nac/parts.hpp"
#include "nac/print.hpp"
#include "nac/program.hpp"
#include "nac/quantize.hpp"
#include "nac/read.hpp"
#include "nac/records.hpp"
#include "nac/resolve.hpp"
#include "nac/safetensors.hpp"
#include "nac/safetensors_write.hpp"
#include "nac/sink.hpp"
#include "nac/tensor_index.hpp"
#include "nac/text_map.hpp"
#include "nac/tisa.hpp"
#include "nac/tisa_text.hpp"
#include "nac/verify.hpp"
#include "nac/weights.hpp"
#include "nac/words.hpp"
#include "nac/write.hpp"

#endif  // TESSERA_NAC_HPP
