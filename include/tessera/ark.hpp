// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ARK model graphs: JSON, one file for each rank of a model.
//
//   auto graph = tessera::ark::read(source);
//   if (!graph) return fail(describe(graph.error(), source));
//   std::cout << tessera::ark::print(*graph);
//   tessera::ark::report found;
//   auto program = tessera::ark::verify(std::move(*graph), {}, &found, source);
//   auto json = tessera::ark::write(program->graph(), {.to = tessera::ark::dialect::d2});
//
//   read            every dialect                                      ark/read.hpp
//   verify          the rules of one file: a report and a program      ark/verify.hpp
//   verify_ranks    the rules of all ranks together: a world           ark/ranks.hpp
//   write           byte for byte as the format's own serializer       ark/write.hpp
//   convert         from one dialect to another                        ark/convert.hpp
//   canonicalise    one form whatever the Ids were                     ark/canonical.hpp
//   print           a listing, one line an operation                   ark/print.hpp
//   builder         graphs made in code                                ark/build.hpp
//   schedule        the order in which one process runs all ranks      ark/world.hpp
//   read_plan       a plan: how a machine runs a model                 ark/plan.hpp
//   write_plan      its JSON; and print, for people                    ark/plan_write.hpp
//   verify_plan     what is wrong with it, alone or with its model     ark/plan_match.hpp
//   plan_model      its operations as a graph                          ark/plan_model.hpp
//   describe        an error with line, column, path and caret         core/describe.hpp
//
// Lifetime:   graphs own themselves; no view outlives its owner unnoticed.
// Errors:     values; every code, its offset and message stand in core/error.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: at most 24 × input + 64 KiB to read.

#include "version.hpp"  // before the guard: a second version must not pass unseen

#ifndef TESSERA_ARK_HPP
#define TESSERA_ARK_HPP

#include "ark/build.hpp"
#include "ark/canonical.hpp"
#include "ark/check.hpp"
#include "ark/convert.hpp"
#include "ark/diagnostic.hpp"
#include "ark/format.hpp"
#include "ark/model.hpp"
#include "ark/plan.hpp"
#include "ark/plan_check.hpp"
#include "ark/plan_match.hpp"
#include "ark/plan_model.hpp"
#include "ark/plan_verify.hpp"
#include "ark/plan_write.hpp"
#include "ark/print.hpp"
#include "ark/ranks.hpp"
#include "ark/read.hpp"
#include "ark/shapes.hpp"
#include "ark/verify.hpp"
#include "ark/world.hpp"
#include "ark/write.hpp"
#include "core/describe.hpp"

#endif  // TESSERA_ARK_HPP
