// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What flows through a model graph: which operation wrote what another reads, in the order of the
// file, which is the order of execution.
//
//   const tessera::inspect::flow f(graph);
//   for (const auto& d : f.before(op))              // what this operation has to wait for
//     if (d.kind == conflict::reads_written) draw(d.from, op);
//   for (const std::uint32_t t : f.inputs()) ask_for(graph.tensors[t].id);
//
// Files don't list a model's inputs and outputs. Here an input is a tensor of this rank
// that is read before anything wrote to any of its bytes, in a buffer that no peer fills; an output
// is a tensor that is written and of which nothing is read later.
//
// Operations that only name memory or only keep order (views, Noop, SendDone, DeviceSync) touch
// nothing, and neither do the labels that Recv and RecvPacket carry as tensors they read.
//
// Lifetime:   a flow borrows its graph.
// Errors:     none: any model that was read is accepted, verified or not.
// Limits:     `max_comparisons` of tensors with tensors; beyond that, a tensor is compared with the
//             latest access of its buffer only, and bounded() reports it.
// Allocation: linear in the graph and in the conflicts found.

#ifndef TESSERA_INSPECT_ARK_FLOW_HPP
#define TESSERA_INSPECT_ARK_FLOW_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "../../ark.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// A sum of what a file says; 2^64 - 1 where it doesn't fit.
[[nodiscard]] std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept;
/// A product of what a file says; 2^64 - 1 where it doesn't fit.
[[nodiscard]] std::uint64_t saturating_mul(std::uint64_t a, std::uint64_t b) noexcept;
/// Elements in a box of a layout's first `rank` dimensions; a negative dimension counts as 0.
[[nodiscard]] std::uint64_t volume(const std::int64_t (&dims)[ark::max_rank],
                                   std::uint32_t rank) noexcept;
/// Bytes of a tensor's elements: its Shape without padding. `tensor` is an index in model::tensors.
[[nodiscard]] std::uint64_t data_bytes(const ark::model& g, std::uint32_t tensor) noexcept;

/// The memory that the buffers of one Id share.
struct storage {
  std::int64_t id = 0;           ///< the Id of the buffers
  std::uint32_t buffer = 0;      ///< the first entry in model::buffers
  bool is_local = true;          ///< this rank holds it
  bool is_external = false;      ///< the caller provides it
  bool filled_by_peers = false;  ///< local, and other ranks send into it
  std::uint64_t bytes = 0;       ///< what its largest tensor needs
};

/// What the later one of two operations does with memory: it reads what the earlier one wrote,
/// overwrites that, or overwrites what the earlier one read.
enum class conflict : std::uint8_t { reads_written, overwrites_written, overwrites_read };

/// An operation that has to come earlier, and why.
struct dependency {
  std::uint32_t from;  ///< its index in model::ops
  std::uint32_t use;   ///< which tensor of the later operation: reads first, then writes
  conflict kind;       ///< why it has to
};

/// Whether operations of the type read and write the bytes of their tensors.
[[nodiscard]] bool touches_memory(ark::op_type type) noexcept;
/// How many of the tensors an operation reads are labels, whose bytes it doesn't look at.
[[nodiscard]] std::uint32_t labels(ark::op_type type) noexcept;

/// The flow through the model graph of one rank. Operations, buffers and tensors are indices in the
/// model's pools.
class flow {
 public:
  /// How many comparisons of tensors are made if nothing else is asked for.
  static constexpr std::uint64_t max_comparisons = std::uint64_t{1} << 26;

  /// Follows the operations in the order of the file. With 0 comparisons left it is bounded().
  explicit flow(const ark::model& g, std::uint64_t comparisons = max_comparisons);

  /// One for each Id of buffers, in the order of model::buffers.
  [[nodiscard]] const std::vector<storage>& storages() const noexcept { return storages_; }
  /// The index in storages() of a buffer's memory.
  [[nodiscard]] std::uint32_t storage_of_buffer(std::uint32_t buffer) const noexcept {
    return storage_of_[buffer];
  }
  /// The index in storages() of a tensor's memory.
  [[nodiscard]] std::uint32_t storage_of_tensor(std::uint32_t tensor) const noexcept {
    return storage_of_[graph_->tensors[tensor].buffer];
  }

  /// Indices in model::ops in the order of execution.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const noexcept { return order_; }
  /// The node of an operation, in model::nodes.
  [[nodiscard]] std::uint32_t node_of(std::uint32_t op) const noexcept { return node_of_[op]; }
  /// What an operation depends on by memory, also one that only names it. Reads come first, each in the
  /// order of execution.
  [[nodiscard]] std::span<const dependency> before(std::uint32_t op) const noexcept {
    return {dependencies_.data() + first_[op], last_[op] - first_[op]};
  }
  /// Tensors, by index, in the order of their first use.
  [[nodiscard]] const std::vector<std::uint32_t>& inputs() const noexcept { return inputs_; }
  /// Tensors, by index, in the order in which they are written; the result rather than the tensor
  /// written where an operation has both.
  [[nodiscard]] const std::vector<std::uint32_t>& outputs() const noexcept { return outputs_; }
  /// The operation that wrote outputs()[i].
  [[nodiscard]] std::uint32_t writer_of_output(std::size_t i) const noexcept {
    return output_writers_[i];
  }
  /// Whether comparisons ran out.
  [[nodiscard]] bool bounded() const noexcept { return left_ == 0; }

 private:
  /// A tensor as a box in its storage.
  struct region {
    const ark::layout* where = nullptr;
    std::uint64_t element_bytes = 1;
    std::uint64_t first = 0, last = 0;  ///< bytes, `last` belongs to it
    bool is_run = false;                ///< it has all bytes from first to last
  };
  struct access {
    region what;
    std::uint32_t op = 0;
    std::uint32_t tensor = 0;
    bool was_read = false;
  };
  struct history {
    std::vector<access> writes, reads;  ///< those that no later write covers
    std::vector<region> inputs;
  };

  void find_storages();
  void visit(std::uint32_t op);
  [[nodiscard]] region region_of(std::uint32_t tensor) const noexcept;
  [[nodiscard]] static bool same_family(const region& a, const region& b) noexcept;
  [[nodiscard]] static bool overlap(const region& a, const region& b) noexcept;
  [[nodiscard]] static bool covers(const region& a, const region& b) noexcept;
  /// Where to begin in a list: at its start, or at its end when comparisons have run out.
  [[nodiscard]] std::size_t start(std::size_t size) noexcept;

  const ark::model* graph_;
  std::uint64_t left_;
  std::vector<storage> storages_;
  std::vector<std::uint32_t> storage_of_;  // of each buffer
  std::vector<std::uint32_t> order_, node_of_;
  std::vector<dependency> dependencies_;
  std::vector<std::size_t> first_, last_;  // of each op in dependencies_
  std::vector<history> histories_;         // of each storage
  std::vector<std::uint32_t> inputs_, outputs_, output_writers_;
};

/// A tensor of one rank of a model.
struct end_point {
  std::uint32_t rank = 0;    ///< of the world
  std::uint32_t tensor = 0;  ///< in the rank's model().tensors
  friend bool operator==(const end_point&, const end_point&) = default;
};
/// The inputs of all ranks, by rank, in the order of flow::inputs().
[[nodiscard]] std::vector<end_point> inputs(const ark::world& w);
/// The outputs of all ranks, by rank, in the order of flow::outputs().
[[nodiscard]] std::vector<end_point> outputs(const ark::world& w);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ARK_FLOW_HPP
