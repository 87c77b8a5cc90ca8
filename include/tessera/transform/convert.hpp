// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Networks of one format as networks of another, which compute the same: ARK's model graph to NAC, and
// NAC to ARK's model graph.
//
//   auto container = transform::to_nac(program, {}, &found);            // of ark::verify
//   if (container) auto bytes = nac::write(*container);
//
//   const transform::input_form x{"x", nac::data_type::float32, {1, 16, 64}};
//   auto network = transform::to_ark(program, {.inputs = {&x, 1}}, &found);   // of nac::verify
//   if (network) auto text = ark::write(network->model);
//
// ---- ARK to NAC: one rank, whose operations don't communicate
//
//   memory          becomes values. A write to a part of a buffer makes a new value of the whole; views
//                   with strides and offsets are reshapes and slices; another type over the same memory
//                   is aten.view.dtype. A buffer that was never written is zeros
//   inputs          tensors that are read before anything is written to them: ARK has no weights. Where
//                   a node Tensor or Placeholder makes all of a buffer, the input is that tensor and has
//                   the node's name; the name of others is t12, for Id 12
//   outputs         tensors that are written and not read afterwards, in that order, as they are at the end
//   operations      one instruction each, or a few: Rope, integer means, those newer than D3
//   not the same    what isn't finite: ARK's Relu and ReduceMax drop NaN, NAC keeps them. Contents that
//                   buffers keep from run to run: a container begins each run anew
//   refused         communication, KvCacheSlot, buffers of other ranks, unknown operations, UINT32 and FP8
//
// ---- NAC to ARK, dialect D3
//
//   inputs          need a shape, and a type where that isn't f32: containers have neither. Those of int64
//                   that are only indices become INT32, those of bool UINT8 of 0 and 1
//   weights         become inputs, for ARK files hold no values: tensors that a node Tensor of their name
//                   makes. `weights` has their values; nac::write_safetensors writes them
//   constants       what depends on no input is computed here, by NAC's machine, and becomes a weight
//   outputs         copies, which are called output_0, output_1, …
//   operations      of ARK, or compositions: linear, attention, norms, softmax, convolutions, activations
//   more than four  dimensions are merged where an operation treats neighbours alike
//   comparisons     exact, of floats and of integers; truth values are UINT8 of 0 and 1
//   rounding        float32 within 1e-5 of the largest magnitude; gelu without "tanh" and erf by an
//                   approximation whose relative error is 1.2e-7, tanh as 2 sigmoid(2x) - 1, within 2.4e-7
//                   of 1, logarithms by series; sin and cos up to 8192. float16 and bfloat16 are widened
//                   within compositions. clamp and its like add and subtract their bounds
//   refused         writes in place (`optimize` removes most of them), states, branches, random numbers,
//                   arithmetic of int64, operations without a composition
//   not the same    what isn't finite: where a mask is an input, -inf becomes -3e38 (-65504 of float16),
//                   of which softmax makes 0, too
//
// Link tessera::transform.
//
// Lifetime:   of to_nac: the parts own everything but the weights that are given. Of to_ark: the network owns everything.
// Errors:     ark_to_nac_* at nodes of the file, nac_to_ark_* at instructions; everything that has no
//             counterpart is reported. nac_convert_* where an older version can't hold the container.
// Limits:     those of the formats; max_comparisons; to_ark_options::limit.
// Allocation: linear in the graph and, of to_ark, in the weights.

#ifndef TESSERA_TRANSFORM_CONVERT_HPP
#define TESSERA_TRANSFORM_CONVERT_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../ark.hpp"
#include "../core/report.hpp"
#include "../core/result.hpp"
#include "../nac.hpp"
#include "../nac/parts.hpp"
#include "../nac/safetensors.hpp"
#include "../vm/outcome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// How to_nac() makes a container, and how much it reports.
struct to_nac_options {
  nac::header form = nac::header::v1_8;  ///< the version of the container
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps; all are counted
  /// Inputs that have the names of its tensors become parameters; null: none do. One of another type
  /// or number of elements is nac_weights_form.
  const nac::safetensors* weights = nullptr;
  /// Comparisons of tensors with others of their buffer, to find the inputs and outputs; more are
  /// ark_to_nac_limit.
  std::uint64_t max_comparisons = std::uint64_t{1} << 26;
};

/// Converts the model of one rank. The result carries the first refusal, `found` all of them.
[[nodiscard]] result<nac::parts> to_nac(const ark::program& p, const to_nac_options& options = {},
                                        report* found = nullptr);

/// What an input of a container is to be. Those without a name are lifted#0, lifted#1, …
struct input_form {
  std::string name;  ///< in the container; one that it doesn't have is nac_to_ark_input
  nac::data_type type = nac::data_type::float32;  ///< of its elements
  std::vector<std::int64_t> shape;                ///< at most four dimensions
};

/// What to_ark() has to know that a container doesn't hold, and how much it reports.
struct to_ark_options {
  std::span<const input_form> inputs = {};  ///< one for each input that is used, in any order
  std::uint64_t max_diagnostics = 1000;     ///< how many a report keeps; all are counted
  /// For what is computed here: constants, and what depends on weights only.
  budget limit = {};
};

/// The values of a tensor that ARK's files can't hold.
struct ark_weight {
  std::string name;  ///< of the node Tensor that makes it: the parameter's, or constant_12
  nac::data_type type = nac::data_type::float32;  ///< that of the tensor in the model
  std::vector<std::int64_t> shape;                ///< likewise: at most four dimensions
  std::vector<std::byte> data;                    ///< little-endian, in C order
};

/// A container as a model of ARK.
struct ark_network {
  ark::model model;                 ///< dialect D3, for ark::verify and ark::write
  std::vector<ark_weight> weights;  ///< each is an input of the model
};

/// Converts a program. The result carries the first refusal, `found` all of them.
[[nodiscard]] result<ark_network> to_ark(const nac::program& p, const to_ark_options& options = {},
                                         report* found = nullptr);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_CONVERT_HPP
