// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR programs as source text of other languages: C++20 for hosts that emulate a design, Verilog-2001
// for the design itself.
//
//   const text header = transform::to_cpp(program, "trigger");     // of alir::verify
//
//   #include "trigger.hpp"
//   trigger::run(in, out);              // one sample: double[trigger::inputs], double[trigger::outputs]
//   trigger::run(in, out, samples);     // row-major [samples][n]; returns how many samples ran
//
// ---- C++
//
//   needs         a C++20 compiler and its standard library's <bit>, <cfloat>, <cstddef>, <cstdint>,
//                 <limits>; no other file. No warnings of -Wall -Wextra -Wpedantic -Wconversion
//                 -Wsign-conversion -Wshadow -Wold-style-cast
//   results       those of vm::alir::machine, bit for bit, for every double; -ffast-math is refused
//   one sample    constexpr
//   batches       blocks of samples in loops that compilers vectorise: give -O3 and -march
//   traps         a lookup outside its table: `run` returns false, or the index of the first sample with
//                 one; outputs of earlier samples are written. `can_trap` says whether there may be any
//   memory        on the stack, at most 256 KiB unless so many values are alive at once; stated in the text
//
// ---- Verilog
//
//   module        combinational, one signed wire for each operation, with as many bits as its values need
//                 whatever its interval claims: v7 is operation 7
//   ports         x0, x1 … (x0_v3 where several operations read an input) and y0, y1 …: integers, whose
//                 scales a comment says. Inputs and outputs without bits have no port, or one bit
//   lookups       functions with a case; outside its table a value is x, where the machine traps
//   pipelines     a module for each block, and one with the input clk and the registers, as wide as the
//                 ports of the block after them. No reset: outputs are x until the first sample is there
//   test bench    module NAME_tb in a file of its own: corners and random samples with what the machine
//                 gives. Prints PASS, or FAIL and calls $stop, which `vvp -N` and Verilator make a status.
//                 Of a pipeline, a sample at each edge. Those of which a block hands on more than the
//                 53 bits of the machine's doubles are left out
//
// Nothing of the file but numbers gets into the text. The same program gives the same text everywhere.
//
// Link tessera::transform.
//
// Lifetime:   a text owns itself.
// Errors:     none: every verified program has a text.
// Limits:     none.
// Allocation: some 200 bytes for each operation, and the text.

#ifndef TESSERA_TRANSFORM_EMIT_HPP
#define TESSERA_TRANSFORM_EMIT_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "../alir.hpp"
#include "../core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// An identifier of C++ and Verilog made of any text: other characters become underscores, and
/// keywords get one. Of a path, give the file's name without its ending.
[[nodiscard]] std::string identifier_of(std::string_view name);

/// A header whose namespace has that name; see identifier_of. Of a pipeline: to_program, in
/// pipeline_alir.hpp.
[[nodiscard]] text to_cpp(const alir::program& p, std::string_view name);

/// A module of that name; see identifier_of.
[[nodiscard]] text to_verilog(const alir::program& p, std::string_view name);

/// The modules of a pipeline; the last one has that name.
[[nodiscard]] text to_verilog(const alir::staged& p, std::string_view name);

/// The test bench of that module, with at most `vectors` samples: those with a lookup outside its table
/// are left out.
[[nodiscard]] text to_verilog_test_bench(const alir::program& p, std::string_view name,
                                         std::size_t vectors = 256);
[[nodiscard]] text to_verilog_test_bench(const alir::staged& p, std::string_view name,
                                         std::size_t vectors = 256);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_EMIT_HPP
