// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference VM of ARK: runs one rank, or all ranks of a model together.
//
//   tessera::vm::ark::machine vm(world);            // world: of one program, or of all ranks
//   if (!vm.made()) report(vm.made());
//   vm.write(0, tensor, bytes);                     // dense, little-endian
//   const outcome done = vm.run();
//   if (!done) report(done.code, done.rank, done.node, done.op, done.text);
//   vm.read(0, tensor, bytes);
//
//   storage         bytes, zero at first; every tensor is a view of one
//   FP32            computed directly
//   FP16, BF16      computed in FP32, rounded once to nearest, ties to even
//   sums            of Matmul, ReduceSum and ReduceMean in FP64, rounded once; `fast`: Matmul in FP32,
//                   in another order
//   integers        wrap around; BYTE is UINT8
//   padding         never read, and never written
//
// Link tessera::vm.
//
// Operations run in the order of the file. Where an operation would overwrite what it still reads,
// it runs as if all inputs had been read first. Ranks take turns: each runs until it waits. Every
// run begins without messages; buffers keep their contents.
//
// Lifetime:   a machine borrows the world and its programs. One machine serves one caller at a time.
// Errors:     made(): ark_unsupported, naming the operation; budget_memory. run(): those,
//             budget_steps before anything runs; ark_division and ark_index, before the operation
//             writes anything; ark_m08_deadlock, with the ranks that wait, and for what.
// Limits:     machine_options; the budget.
// Allocation: on construction, without memory beyond the budget. Storages that nothing
//             touches are not touched. run() allocates nothing but texts.

#ifndef TESSERA_VM_ARK_HPP
#define TESSERA_VM_ARK_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "../ark.hpp"
#include "observer.hpp"
#include "outcome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

namespace model = tessera::ark;

/// An operation that does anything, of a rank.
struct event {
  std::uint32_t rank = 0;            ///< index in the world
  std::uint32_t node = model::none;  ///< index in model::nodes
  std::uint32_t op = model::none;    ///< index in model::ops
};

/// The result of compiling or running, and the operation where it failed; true on success. Steps:
/// elements computed, of results; of what is reduced; m n k for products; at least 1 for each
/// operation. The text: waiting ranks, messages that were never received.
struct outcome : vm::outcome, event {};

/// How a machine is made.
struct machine_options {
  bool fast = false;  ///< sums of products in FP32, as fast as the host can
  std::uint64_t max_memory = budget{}.max_memory;  ///< bytes, of all ranks together
};

/// One rank or all ranks of a model, with their memory.
class machine {
 public:
  /// Compiles the programs and allocates their storages; see made().
  explicit machine(const model::world& w, const machine_options& how = {});
  machine(machine&&) noexcept;             ///< the other may only be destroyed or assigned to
  machine& operator=(machine&&) noexcept;  ///< the other may only be destroyed or assigned to
  ~machine();

  /// Whether it can run; if not, the error.
  [[nodiscard]] const outcome& made() const noexcept;
  /// Bytes of memory that it has or would need.
  [[nodiscard]] std::uint64_t memory() const noexcept;
  /// outcome::steps of a whole run.
  [[nodiscard]] std::uint64_t steps() const noexcept;

  /// The bytes of a buffer, by its index in the rank's model().buffers, as the host has them; none
  /// when another rank holds it.
  [[nodiscard]] std::span<std::byte> memory(std::size_t rank, std::uint32_t buffer) noexcept;
  /// Sets a tensor's elements through its view, by its index in the rank's model().tensors: dense over its
  /// Shape, in C order, little-endian. False when there is no such tensor, when another rank holds
  /// it, or when the size is not that of its elements.
  bool write(std::size_t rank, std::uint32_t tensor, std::span<const std::byte> dense);
  /// Copies a tensor's elements to `dense`, as write() has them. False as there.
  bool read(std::size_t rank, std::uint32_t tensor, std::span<std::byte> dense) const;

  /// Runs all operations once, until the end, an error, or a deadlock.
  template <observer_of<event> Observer = no_observer>
  outcome run(const budget& limit = {}, Observer&& see = {}) {
    return run_observed(limit, observer_ref<event>(see));
  }
  /// Fills all storages with zeros.
  void reset() noexcept;

 private:
  outcome run_observed(const budget& limit, const observer_ref<event>& see);

  class ranks;
  std::unique_ptr<ranks> ranks_;
};

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ARK_HPP
