// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tasks as nem::for_each_task() evaluates them, bound to memory.
//
//   binder to(program, bases);                    // the first byte of each buffer
//   bound_task& t = to.bind(values, task);        // valid until the next one is bound
//   kept_task later;
//   later.keep(t);                                // or kept: it owns all that it points to
//
//   scales                 rounded to binary32
//   axes of descriptors    counted from 0
//   strides                where there are none: those of the shape
//   transfers and stores   only bytes
//
// Lifetime:   borrows the program and the buffers.
// Errors:     none: regions are sound.
// Limits:     none.
// Allocation: what the largest task needs; a kept_task what the largest one that it
//             kept needs.

#ifndef TESSERA_VM_NEM_BINDER_HPP
#define TESSERA_VM_NEM_BINDER_HPP

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

/// A bound task that owns what it points to, but for the buffers' bytes.
class kept_task {
 public:
  void keep(const bound_task& t);
  [[nodiscard]] bound_task& operator*() noexcept { return task_; }

 private:
  template <class T>
  [[nodiscard]] std::span<T> copy(std::span<const T> from);

  bound_task task_;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0, capacity_ = 0;  ///< bytes
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_BINDER_HPP
