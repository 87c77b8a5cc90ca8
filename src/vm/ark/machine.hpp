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
// Operations run in the order of the file. Where an operation would overwrite what it still reads,
// it runs as if all inputs had been read first. Ranks take turns: each runs until it waits. Every
// run begins without messages; buffers keep their contents.
//
// Lifetime:   a machine borrows the world and its programs. One machine serves one caller at a time.
// Errors:     made(): ark_unsupported, naming the operation; budget_memory. run(): those,
//             budget_steps before anything runs; ark_division and ark_index, before the operation
//             writes anything; ark_m08_deadlock, with the ranks that wait, and for what.
// Limits:     machine_options; max_steps.
// Allocation: on construction, without memory beyond the budget. Storages that nothing
//             touches are not touched. run() allocates nothing but texts.

#ifndef TESSERA_VM_ARK_MACHINE_HPP
#define TESSERA_VM_ARK_MACHINE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "execute.hpp"
#include "plan.hpp"
#include "tessera/ark.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

struct machine_options {
  bool fast = false;  ///< sums of products in FP32, as fast as the host can
  std::uint64_t max_memory = budget{}.max_memory;
};

/// Bytes of one storage or of scratch: 64-byte aligned, zero, and untouched as long as they are.
class memory_block {
 public:
  memory_block() = default;
  explicit memory_block(std::uint64_t bytes);
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  struct release {
    void operator()(void* p) const noexcept;
  };
  std::unique_ptr<void, release> owned_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

class machine {
 public:
  explicit machine(const model::world& w, const machine_options& how = {});
  machine(machine&&) noexcept;
  machine& operator=(machine&&) noexcept;
  ~machine();

  /// Whether it can run; if not, the error.
  [[nodiscard]] const outcome& made() const noexcept { return made_; }
  /// Bytes of memory that it has or would need.
  [[nodiscard]] std::uint64_t memory() const noexcept { return memory_; }
  /// outcome::steps of a whole run.
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

  /// The bytes of a buffer, by its index in the rank's model().buffers, as the host has them; none
  /// when another rank holds it.
  [[nodiscard]] std::span<std::byte> memory(std::size_t rank, std::uint32_t buffer) noexcept;
  /// Elements through a tensor's view, by its index in the rank's model().tensors: dense over its
  /// Shape, in C order, little-endian. False when there is no such tensor, when another rank holds
  /// it, or when the size is not that of its elements.
  bool write(std::size_t rank, std::uint32_t tensor, std::span<const std::byte> dense);
  bool read(std::size_t rank, std::uint32_t tensor, std::span<std::byte> dense) const;

  outcome run(std::uint64_t max_steps = budget{}.max_steps) { return run_watched(max_steps, {}); }
  /// The same, calling `observe(rank, node, op)` after every operation that does anything.
  template <class Observer>
  outcome run(std::uint64_t max_steps, Observer&& observe) {
    const auto call = [](void* self, std::uint32_t rank, std::uint32_t node, std::uint32_t op) {
      (*static_cast<std::remove_reference_t<Observer>*>(self))(rank, node, op);
    };
    // The observer may be constant; `call` restores its type.
    void* const self = const_cast<void*>(static_cast<const void*>(std::addressof(observe)));
    return run_watched(max_steps, {call, self});
  }
  /// Fills all storages with zeros.
  void reset() noexcept;

 protected:
  /// Plans for the ranks [first, last) only, and no memory yet.
  machine(const model::world& w, const machine_options& how, std::size_t first, std::size_t last);
  /// Places all storages and scratch. With an arena, of arena_size() zeros, the storages of the one
  /// rank lie in it; see arena_offset.
  void allocate(std::byte* arena = nullptr);
  [[nodiscard]] static std::uint64_t arena_size(const model::program& p);
  [[nodiscard]] static std::vector<std::uint64_t> arena_offsets(const model::program& p);
  [[nodiscard]] static std::string describe_left(const model::channel& c, std::uint64_t count);
  /// Whether a run of so many steps exceeds the budget: budget_steps, at the first operation beyond
  /// it.
  [[nodiscard]] outcome check(std::uint64_t steps, std::uint64_t max_steps) const;
  [[nodiscard]] runner& runner_of(std::size_t rank) noexcept { return runners_[rank - first_]; }

  outcome made_;

 private:
  class post;
  struct rank_memory {
    std::vector<memory_block> blocks;
    std::vector<std::byte*> storages;  // of each buffer that is one
  };

  outcome run_watched(std::uint64_t max_steps, const observer& watch);
  [[nodiscard]] bool find(std::size_t rank, std::uint32_t tensor, std::size_t bytes,
                          patch& out) const;
  [[nodiscard]] std::byte* storage(std::size_t rank, std::uint32_t index) const noexcept;

  const model::world* world_;
  machine_options how_;
  std::size_t first_ = 0;  // the ranks that it has, from here on
  std::uint64_t memory_ = 0, steps_ = 0, scratch_size_ = 0;
  bool multiplies_ = false;
  std::vector<plan> plans_;
  std::vector<rank_memory> ranks_;
  memory_block scratch_;
  std::unique_ptr<tensors::matmul_workspace> room_;
  std::unique_ptr<post> post_;
  std::vector<runner> runners_;
};

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ARK_MACHINE_HPP
