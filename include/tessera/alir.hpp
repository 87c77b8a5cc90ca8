// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR, alkaid's low-level IR: fixed-point dataflow programs as JSON and as bytecode.
//
//   auto model = tessera::alir::read(source);                      // JSON or bytecode
//   if (!model) return fail(describe(model.error(), source));
//   std::cout << tessera::alir::print(*model);
//   auto program = tessera::alir::verify(std::move(*model));       // what a VM takes
//   auto json = tessera::alir::write_json(program->model());       // or write
//
//   read            any encoding, or a forced one                 alir/read.hpp
//   read_json       versions 2, 3 and 4 of the JSON form          alir/read_json.hpp
//   read_bytecode   int32 words (2) and bytes (3 and 4)           alir/read_bytecode.hpp
//   verify          proves that a model can run                   alir/verify.hpp
//   write           versions 2, 3 and 4 in both encodings         alir/write.hpp
//   to_version      the same program in another version           alir/versions.hpp
//   print           a human-readable listing                      alir/print.hpp
//   read_pipeline, write_pipeline   programs with registers       alir/pipeline.hpp
//   describe        an error with line, column, path and caret    core/describe.hpp
//
// Lifetime:   models and programs own themselves; no view outlives its owner unnoticed.
// Errors:     values; codes, with their offsets and messages, are in core/error_table_alir.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: at most 24 × input + 64 KiB to read.

#include "version.hpp"  // before the guard: a second version must not pass unseen

#ifndef TESSERA_ALIR_HPP
#define TESSERA_ALIR_HPP

#include "alir/format.hpp"
#include "alir/pipeline.hpp"
#include "alir/print.hpp"
#include "alir/read.hpp"
#include "alir/read_bytecode.hpp"
#include "alir/read_json.hpp"
#include "alir/verify.hpp"
#include "alir/versions.hpp"
#include "alir/write.hpp"
#include "core/describe.hpp"

#endif  // TESSERA_ALIR_HPP
