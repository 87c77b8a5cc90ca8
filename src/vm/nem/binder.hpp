// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tasks as nem::for_each_task() evaluates them, bound to memory.
//
//   binder to(program, bases);                    // the first byte of each buffer
//   bound_task& t = to.bind(values, task);        // valid until the next one is bound
//   kept_task later;
//   later.keep(t, memory);                        // or kept, with all that it points to
//   restored_task r;
//   bound_task& again = later.restore(r);
//
//   scales                 rounded to binary32
//   axes of descriptors    counted from 0
//   strides                where there are none: those of the shape
//   transfers and stores   only bytes
//
// Lifetime:   borrows the program and the buffers.
// Errors:     none: regions are sound.
// Limits:     none.
// Allocation: what the largest task needs; a kept_task at most three times what the largest one that it
//             kept needs.

#ifndef TESSERA_VM_NEM_BINDER_HPP
#define TESSERA_VM_NEM_BINDER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tessera/vm/nem_timing.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// One execution of a task, and what the machine needs beyond it.
struct bound_task : instance {
  std::span<tensor> operands;            ///< what.inputs, then what.outputs
  std::span<const std::uint32_t> loops;  ///< nodes of the loops around it, the outermost first
};

class binder {
 public:
  binder(const model::program& p, std::span<std::byte* const> bases)
      : document_(p.model()), bases_(bases) {}
  /// Loops, and whether the task is @deterministic, are left to the caller.
  [[nodiscard]] bound_task& bind(const model::values& v, const model::task& t);

 private:
  void bind_type(const model::values& v, const model::region& r, std::size_t i);

  const model::model& document_;
  std::span<std::byte* const> bases_;
  bound_task bound_;
  std::vector<tensor> tensors_;
  std::vector<touched_buffer> buffers_;
  std::vector<descriptor> descriptors_;
  std::vector<std::int64_t> strides_;
  std::vector<float> scales_;
};

/// The dense strides of a shape, in elements.
void make_strides(shape_view shape, std::int64_t* to) noexcept;

/// Memory of kept tasks, which is given back all at once.
class kept_memory {
 public:
  /// Aligned to 16.
  [[nodiscard]] std::byte* get(std::size_t bytes);

 private:
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* at_ = nullptr;
  std::size_t left_ = 0;  ///< in the last chunk
};

/// Where a kept task is put together again.
struct restored_task {
  bound_task move, compute;
  std::array<tensor, 2> operands;  ///< of the move
};

/// A bound task with all that it points to, but for the buffers' bytes. Tens of thousands may be kept
/// at once: of transfers and stores, which have neither shapes nor attributes, only what they have, and
/// of others attributes only where one isn't its default.
class kept_task {
 public:
  void keep(const bound_task& t, kept_memory& memory);
  /// The task, until another one is kept here or restored to the same place.
  [[nodiscard]] bound_task& restore(restored_task& to) const;
  [[nodiscard]] std::uint32_t node() const noexcept { return node_; }

 private:
  void reserve(std::size_t bytes, kept_memory& memory);
  void keep_move(const bound_task& t, kept_memory& memory);
  void keep_compute(const bound_task& t, kept_memory& memory);
  [[nodiscard]] bound_task& restore_move(restored_task& to) const;
  [[nodiscard]] bound_task& restore_compute(restored_task& to) const;

  std::byte* memory_ = nullptr;
  std::size_t capacity_ = 0;  ///< bytes
  std::uint32_t node_ = 0;
  bool is_move_ = false;
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_BINDER_HPP
