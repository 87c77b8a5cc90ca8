// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NEM, a text language for accelerators with explicitly scheduled tasks and memories.
//
//   tessera::report found;
//   auto model = tessera::nem::read(source, {}, &found);          // the syntax tree
//   if (!model) return show(found);                              // up to 16 errors
//   auto text = tessera::nem::write(*model);                     // canonical text
//   auto program = tessera::nem::verify(std::move(*model), {}, &found);
//   const tessera::source_file file{"tiles.nem", source};
//   std::cerr << describe(found, {&file, 1});                    // each finding with its line
//
//   read        programs, devices and type families               nem/read.hpp
//   verify      178 rules over every iteration of every loop      nem/verify.hpp
//   write       canonical text                                    nem/write.hpp
//   print       the same, with comments: resolved types and bytes nem/print.hpp
//   write_json  the syntax tree, for tools                        nem/write.hpp
//   builder     documents from C++                                nem/builder.hpp
//   reformat    canonical layout with the comments                nem/reformat.hpp
//   for_each_task  a verified program, task by task               nem/verify.hpp
//   describe    findings with line, caret, note and fix           core/report.hpp
//   the tables  opcodes, types, units, decorators; families       nem/format.hpp, nem/families.hpp
//
// What the specification leaves open, as it is here:
//
//   / and mod      / truncates toward zero; mod has the sign of the divisor: -7 mod 3 is 2
//   pads           of images [top, left, bottom, right]; of pad and others all begins, then all ends
//   order          only deps, wait and .sync order tasks, not their place in the text; endloop waits
//                  for all tasks of its loop, the beginning of a loop for none
//   tokens         belong to one iteration; no task can depend on another iteration's
//   integers       sums, products, casts and 32-bit accumulators wrap around, a quotient is
//                  truncated; exp and the like, and what has a quantization descriptor, saturate
//   floats         round to nearest, ties to even; NaN goes through minimum, maximum and pools
//   i4             two in a byte, the element of the even index in the low half
//   ranges         [first, last) in every message, [first..last) in pictures; a loop includes its last
//
// Files that a program includes come from where verify_options::resolver finds them: a folder, a table
// of texts or what the caller makes (nem/resolver.hpp); without one, none is opened. Both baseline
// devices are built in.
//
// Lifetime:   models, reports and programs own themselves.
// Errors:     values; every code is a rule: nem::rule(code).id() is "CON-001".
// Limits:     core/limits.hpp to read, verify_options to verify; on by default.
// Allocation: stated in nem/read.hpp and nem/verify.hpp.

#include "version.hpp"  // before the guard: a second version must not pass unseen

#ifndef TESSERA_NEM_HPP
#define TESSERA_NEM_HPP

#include "nem/builder.hpp"
#include "nem/catalog.hpp"
#include "nem/families.hpp"
#include "nem/format.hpp"
#include "nem/model.hpp"
#include "nem/print.hpp"
#include "nem/read.hpp"
#include "nem/reformat.hpp"
#include "nem/resolver.hpp"
#include "nem/verify.hpp"
#include "nem/visitor.hpp"
#include "nem/write.hpp"

#endif  // TESSERA_NEM_HPP
