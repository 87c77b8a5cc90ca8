// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// PT2: the archives of torch.export.save, exported PyTorch programs with their weights.
//
//   auto model = tessera::pt2::read(mapped);
//   if (!model) return fail(describe(model.error(), mapped));
//   tessera::report found;
//   auto program = tessera::pt2::verify(std::move(*model), {}, &found);
//   const tessera::source_file file{"model.pt2", tessera::as_text(mapped), true};
//   if (!program) return fail(describe(found, {&file, 1}));
//   std::cout << tessera::pt2::print(program->model());
//
//   read             an archive, and one of its programs; weights stay in place   pt2/read.hpp
//   verify           references, payloads, signature: a report and a program      pt2/verify.hpp
//   print            a listing with types and shapes                              pt2/print.hpp
//   write            an archive that torch.export.load accepts                    pt2/write.hpp
//   read_expression  sizes as expressions of symbols; read_tree: nested arguments pt2/expression.hpp
//   find_operator    parameters, defaults and results of operators                pt2/operators.hpp
//   describe         an error with its member, path, offset and bytes             core/describe.hpp
//
// Lifetime:   models and programs borrow the bytes that were read; a temporary owner of bytes is
//             refused by the compiler.
// Errors:     values; codes and messages are listed in core/error_table_pt2.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: nothing for weights; about 3 × the JSON of the program.

#include "version.hpp"  // before the guard: a second version must not pass unseen

#ifndef TESSERA_PT2_HPP
#define TESSERA_PT2_HPP

#include "core/describe.hpp"
#include "core/report.hpp"
#include "pt2/expression.hpp"
#include "pt2/format.hpp"
#include "pt2/model.hpp"
#include "pt2/operators.hpp"
#include "pt2/pickle.hpp"
#include "pt2/print.hpp"
#include "pt2/read.hpp"
#include "pt2/verify.hpp"
#include "pt2/write.hpp"

#endif  // TESSERA_PT2_HPP
