// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a model costs: arithmetic, traffic, memory.
//
//   const tessera::inspect::flow f(graph);
//   const auto s = tessera::inspect::summarise(graph, f);
//   s.total.flops / double(s.total.read + s.total.written);    // arithmetic intensity
//
// Arithmetic counts the primitive operations (additions, multiplications, divisions, comparisons,
// exp, tanh, sqrt, each one) that the definition of an operation has, of any element type. n is the
// elements that are written, m those that are read, K the inner dimension:
//
//   Add Sub Mul Div, ScalarAdd ScalarMul, Exp Sqrt Relu    n
//   Rsqrt                            2n        sqrt, division
//   Rope                             3n        4 products and 2 sums for each pair
//   Sigmoid                          4n        negation, exp, sum, division
//   Gelu                             9n        the tanh form
//   ReduceSum, ReduceMax             m - n
//   ReduceMean                       m         m - n sums, n divisions
//   Matmul, Mma                      2nK       as usual, though the first sum is none
//   MatmulGelu, MatmulScale, MatmulAdd         2nK + 9n, + n, + n
//   Softmax                          5n        maximum, difference, exp, sum, division
//   LayerNorm                        7n        mean, difference, square, mean, product, gamma, beta
//   RecvReduceSend, RecvReduceSendPacket       n for each peer
//   all others                       0
//
// Bytes moved are those of the elements (Shape, not PaddedShape) that are read and written once each,
// as if nothing were kept in between:
//
//   views, Noop, SendDone, DeviceSync, Recv        nothing; Recv only waits
//   Embedding                        of the table only the rows that are looked up
//   KvCacheSlot                      of the cache only one slot
//   RecvPacket                       the scratch buffer read, the tensor written
//   all others                       every tensor read and written
//
// Lifetime:   values.
// Errors:     none: any model that was read is accepted.
// Limits:     numbers that don't fit 64 bits are 2^64 - 1.
// Allocation: linear in the graph.

#ifndef TESSERA_INSPECT_ARK_COST_HPP
#define TESSERA_INSPECT_ARK_COST_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "../../ark.hpp"
#include "flow.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Arithmetic and bytes moved, of one operation or of several.
struct cost {
  std::uint64_t flops = 0;              ///< primitive operations, of any element type
  std::uint64_t read = 0, written = 0;  ///< bytes

  /// Adds another cost to this one; sums that don't fit are 2^64 - 1.
  void add(const cost& other) noexcept;
};
/// What one execution of an operation costs.
[[nodiscard]] cost cost_of(const ark::model& g, const ark::op& o);

/// All operations of one Type.
struct type_cost {
  std::string type;         ///< "Matmul", as files spell it
  std::uint64_t count = 0;  ///< how many operations
  cost total;               ///< of all of them
};

/// What is sent from one rank to another; packets with their flags.
struct traffic {
  std::int32_t from = 0, to = 0;           ///< ranks
  std::uint64_t transfers = 0, bytes = 0;  ///< how many tensors are sent, and their size
};

/// Memory of this rank. A buffer is live from the first operation that touches it to the last, and
/// throughout when it holds an input or an output, is external, or is filled by other ranks.
struct memory_use {
  std::uint64_t buffers = 0;          ///< that this rank holds
  std::uint64_t bytes = 0;            ///< of them all
  std::uint64_t peak = 0;             ///< maximum of bytes that are live at once
  std::uint32_t peak_op = ark::none;  ///< where that is first so, in model::ops
  std::uint64_t remote = 0;           ///< buffers of other ranks that the file names
  /// Of `bytes`, what lies between Shape and PaddedShape, and outside of any PaddedShape. Views of
  /// a buffer with the same Strides count together.
  std::uint64_t padding = 0, unused = 0;
};

/// What a model costs.
struct summary {
  cost total;                      ///< of all operations
  std::vector<type_cost> types;    ///< the costliest first: by flops, then by bytes
  std::vector<traffic> transfers;  ///< from this rank, by the rank that receives
  memory_use memory;               ///< of this rank
};
/// Adds up what the operations of one rank cost; `f` is the flow of the graph.
[[nodiscard]] summary summarise(const ark::model& g, const flow& f);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ARK_COST_HPP
