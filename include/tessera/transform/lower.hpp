// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Lowers a network to an accelerator: a NAC program with known shapes becomes a NEM program for a
// device, tile by tile, and a file of weights.
//
//   transform::lower_options how;
//   how.shapes = {{1, 3, 224, 224}};                                  // of each input
//   auto made = transform::lower(program, catalog, device, how, &found);
//   if (!made) return fail(describe(found, …));
//   auto text = nem::write(made->model);                              // model.nem
//   use(text, made->weights);                                         // model.weights
//
//   buffers       DDR: the inputs, by their names or input_0 …, output_0 …, weights; and spill, where
//                 l2, the intermediate results, overflows. l1: the tiles. Integers are i32, truth
//                 values u8; inside, both are the network's floats, which must hold them exactly
//   layouts       images are NHWC, whatever the network says; weights are HWIO, or KN by blocks
//   steps         element by element operations, norms and softmax follow what computes their operand
//                 in the same tile. Everything that only moves elements is a region with strides, or a
//                 layout operation that gathers one
//   tiles         for each step the dimension and size of least cost, by a formula and, as far as
//                 `effort` allows, by running the step in abstract time (vm/nem_timing.hpp). As many at
//                 once as L1 and the tokens of SEQ allow, so that loads, products and stores of several
//                 overlap, on all units of a type. Tiles at the edges of an image are in the same loop
//   weights       stay in L1 where they fit. Otherwise they come by blocks of columns, the next one loaded
//                 while one is used; by slices of columns, one after another for each tile of rows; or
//                 they and what they are multiplied with by slices of the sum (floats only: partial sums
//                 are rounded to the type, and added), of which the first tile keeps what all have
//   order         each task names those that it depends on; each step is a loop, @debug has the
//                 instructions of the network that it computes. What a step needs that the one before
//                 doesn't write, such as its first weights, is loaded while that one computes. Where SEQ
//                 has tokens for one tile only, a product is beside what follows the one before it
//   constants     what doesn't depend on inputs is computed here, and conditions of branches are known
//   compositions  opcodes that hardware is to have later, and those that the device lacks for the type,
//                 are made of others: sums are pools, comparisons powers of 0, recurrent networks
//                 unrolled
//   i8            products, pools and most operations on elements are done on 8-bit integers, whose
//                 scales and zero points come from runs of the network and are in the program. Norms,
//                 softmax, compositions and what needs more digits are done in the device's float
//                 type, f32 where it can be quantized and f16 elsewhere, as inputs and outputs are:
//                 a caller needs no scales, and quantizing costs little: what one step reads is quantized
//                 by it, tile by tile, where that costs less. Sums of products have 32 bits;
//                 weights one scale for each output channel where L1 holds all of them
//
// Link tessera::transform.
//
// Lifetime:   owns all that it returns.
// Errors:     nac_lower_operation, nac_lower_shape, nac_lower_device, nac_lower_memory, with the
//             instruction: what isn't mapped, and why. Those of a run of the program at the shapes.
//             Never half of a program.
// Limits:     lower_options::limit, of that run.
// Allocation: all results of the network at once, and the weights.

#ifndef TESSERA_TRANSFORM_LOWER_HPP
#define TESSERA_TRANSFORM_LOWER_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../core/report.hpp"
#include "../core/result.hpp"
#include "../nac/verify.hpp"
#include "../nem.hpp"
#include "../vm/outcome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// Which shapes and types a network is lowered for, and with how much effort.
struct lower_options {
  /// The shape of each input, in the order of program.inputs().
  std::vector<std::vector<std::int64_t>> shapes;
  /// The type of each input; those that the list doesn't reach are float32.
  std::vector<nac::data_type> types;
  nem::element type = nem::element::f32;  ///< of all floats: f32, f16, bf16 or i8
  std::uint64_t seed = 0;                 ///< of the inputs of the run that finds shapes
  /// For i8: runs that ranges are taken from, each with the elements of all inputs; without any, 4
  /// to 64 runs with random inputs.
  std::vector<std::vector<std::vector<float>>> calibration;
  budget limit;  ///< of each run of the network, for shapes, constants and ranges
  /// How much is tried for each step: 0 the tiles of least cost by a formula, 1 also those of the largest
  /// steps in abstract time, 2 more of them, and for all steps. The result is the same each time.
  unsigned effort = 1;
  std::string program = "network";  ///< the name of the program
};

/// A buffer that a caller binds or reads.
struct lowered_port {
  std::string buffer;               ///< its name in the program
  std::vector<std::int64_t> shape;  ///< row-major
  /// Of its elements: that of the program for floats, i32 for integers, u8 for truth values.
  nem::element type = nem::element::f32;
  std::int64_t end = 0;  ///< of integers that index a table: its rows; else 0
};

/// The first result of an instruction that is kept as 8-bit integers q: scale * (q - zero_point).
struct quantized_result {
  std::uint32_t instruction = 0;  ///< of the network
  double scale = 1;               ///< a binary32
  std::int32_t zero_point = 0;    ///< the q that means 0
};

/// A network as a program for a device, with what a caller has to know to run it.
struct lowered {
  nem::model model;                ///< for nem::verify and nem::write
  std::vector<std::byte> weights;  ///< of the buffer `weights`, which there is unless this is empty
  std::vector<lowered_port> inputs, outputs;  ///< in the order of the network's
  std::uint64_t steps = 0;                    ///< that the program has, one after another
  std::vector<quantized_result> quantized;    ///< in the order of instructions
  /// Products, by instruction, with weights of one scale, as those of all channels at once don't fit L1.
  std::vector<std::uint32_t> by_tensor;
};

/// Lowers a network. `device` is resolved and has a topology, as a target of nem::verify has; `found`
/// receives the instruction that isn't mapped, and why.
[[nodiscard]] result<lowered> lower(const nac::program& p, const nem::catalog& catalog,
                                    const nem::device& device, const lower_options& options = {},
                                    report* found = nullptr);

/// How far a lowered program's outputs are from the network's.
struct agreement {
  std::vector<double> distances;  ///< of each output, against its largest magnitude
  /// Of each: 1e-5 for float32, 5e-3 for float16, 4e-2 for bfloat16, by the coarsest one that the
  /// network or the lowered program computes with, 0.5 for i8; 0 for integers and truth values.
  std::vector<double> tolerances;
  std::string failure;  ///< why there are none, or what schedules differ in; else empty
};

/// Runs both on random inputs (for i8 on the first of the calibration's, if there are any), the lowered
/// program under three schedules, which must agree to the last bit. That of i8 must also agree to the
/// last bit with the network's quantized form, which is computed without tiles. `source` is what was
/// lowered, if that isn't `p`.
[[nodiscard]] agreement compare(const nac::program& p, const nem::program& lowered_program,
                                const lowered& made, const lower_options& options,
                                const nac::program* source = nullptr);

/// What a step of a lowered program costs on its device, in the abstract time of vm/nem_timing.hpp.
struct step_report {
  std::string name;         ///< the instructions that it computes
  std::string tile;         ///< the shape of its first result's tile, "1x8x32x64"
  std::uint64_t tiles = 0;  ///< that are stored
  /// From the end of the step before to its own. What it loads ahead is in `busy` and the bound, but
  /// happens before, so that both can be more than this.
  std::uint64_t cycles = 0;
  std::uint64_t macs = 0;                    ///< multiply-accumulates
  std::uint64_t bytes = 0;                   ///< that are moved, by layout operations too
  std::uint64_t busy[nem::unit_count] = {};  ///< cycles of all units of a type, by nem::unit
  /// The bound of the device: the largest of the cycles of products and of other tasks at the peak of all
  /// units, and those of its loads from DDR, its loads from L2 and its stores, each byte moved once at the
  /// bandwidth of all units. Of a program: what is between steps isn't counted. Layout operations don't
  /// count.
  std::uint64_t roofline = 0;
};
/// What a lowered program costs, step by step.
struct lower_report {
  std::vector<step_report> steps;  ///< in the order of the program
  step_report all;                 ///< of the whole program
  /// Units of each type, by nem::unit: of an engine, or of the device.
  std::int64_t units[nem::unit_count] = {};
};

/// Runs a lowered program in abstract time, on zeros.
[[nodiscard]] result<lower_report> report_of(const nem::program& lowered_program,
                                             const budget& limit = {});

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_HPP
