// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ARK models: JSON, one file for each rank of a model.
//
//   auto model = tessera::ark::read(source);
//   if (!model) return fail(describe(model.error(), source));
//   std::cout << tessera::ark::print(*model);
//   tessera::report found;
//   auto program = tessera::ark::verify(std::move(*model), {.source = source}, &found);
//   if (!program) return fail(describe(found, {&file, 1}));
//   auto json = tessera::ark::write(program->model(), {.to = tessera::ark::dialect::d2});
//
//   read            every dialect                                      ark/read.hpp
//   verify          the rules of one file: a report and a program      ark/verify.hpp
//   verify_ranks    the rules of all ranks together: a world           ark/ranks.hpp
//   schedule        the order in which one process runs all ranks      ark/ranks.hpp
//   write           byte for byte as the format's own serializer       ark/write.hpp
//   convert         from one dialect to another                        ark/convert.hpp
//   canonicalise    one form for all models that differ only in Ids    ark/convert.hpp
//   print           a listing, one operation per line                  ark/print.hpp
//   builder         models built in code                               ark/build.hpp
//   read_plan       a plan: how a machine runs a model; also           ark/plan.hpp
//                   verify_plan, write_plan, print, plan_model
//   describe        errors and reports with line, path and caret       core/describe.hpp
//
// Lifetime:   models own themselves; views don't convert from temporary owners.
// Errors:     values; codes and messages are listed in core/error_table_ark.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: at most 24 × input + 64 KiB to read.

#include "version.hpp"  // before the guard: a second version must not pass unseen

#ifndef TESSERA_ARK_HPP
#define TESSERA_ARK_HPP

#include "ark/build.hpp"
#include "ark/check.hpp"
#include "ark/convert.hpp"
#include "ark/format.hpp"
#include "ark/model.hpp"
#include "ark/plan.hpp"
#include "ark/print.hpp"
#include "ark/ranks.hpp"
#include "ark/read.hpp"
#include "ark/shapes.hpp"
#include "ark/verify.hpp"
#include "ark/write.hpp"
#include "core/describe.hpp"
#include "core/report.hpp"

#endif  // TESSERA_ARK_HPP
