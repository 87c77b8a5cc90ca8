// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A task reads all that it reads before it writes: inputs that share bytes with an output are copied.
//
//   const separate apart(c, scratch);
//   for (const tensor& x : apart.inputs()) …             // none of them changes while outputs do
//
//   outputs lie apart         the inputs of the call
//   one overlaps an input     a copy of that input's bytes; the others as they are
//   the output is the input   as it is, for operations that may be in place
//
// Verification knows one as HAZ-004, but has not seen every iteration of a long loop.
//
// Lifetime:   borrows the call, and slot 0 of the workspace's bytes.
// Errors:     std::bad_alloc.
// Limits:     none.
// Allocation: the bytes of such inputs, and a list of the inputs; none where outputs lie apart.

#ifndef TESSERA_VM_NEM_SEPARATE_HPP
#define TESSERA_VM_NEM_SEPARATE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "tensor.hpp"
#include "workspace.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

class separate {
 public:
  separate(const call& c, workspace& scratch, bool may_be_in_place = false) : inputs_(c.inputs) {
    // Outputs are many in split alone, inputs in concat alone: this is linear in the operands.
    const auto is_copied = [&](const tensor& x) {
      return overlaps(x, c.outputs) && !(may_be_in_place && are_same(x, c.outputs[0]));
    };
    std::size_t bytes = 0;
    for (const tensor& x : c.inputs)
      if (is_copied(x)) bytes += static_cast<std::size_t>(x.extent);
    if (bytes == 0) return;
    copies_.assign(c.inputs.begin(), c.inputs.end());
    std::int8_t* room = scratch.bytes(0, bytes).data();
    for (tensor& x : copies_) {
      if (!is_copied(x)) continue;
      const auto n = static_cast<std::size_t>(x.extent);
      std::memcpy(room, x.data, n);
      x.data = reinterpret_cast<std::byte*>(room);
      room += n;
    }
    inputs_ = copies_;
  }
  separate(const separate&) = delete;
  separate& operator=(const separate&) = delete;

  [[nodiscard]] std::span<const tensor> inputs() const noexcept { return inputs_; }

 private:
  [[nodiscard]] static bool overlaps(const tensor& x, std::span<const tensor> outputs) noexcept {
    const auto begin = [](const tensor& t) { return reinterpret_cast<std::uintptr_t>(t.data); };
    const auto end = [&](const tensor& t) {
      return begin(t) + static_cast<std::uintptr_t>(t.extent);
    };
    return std::any_of(outputs.begin(), outputs.end(),
                       [&](const tensor& y) { return begin(x) < end(y) && begin(y) < end(x); });
  }

  /// Whether each element of one is that of the other.
  [[nodiscard]] static bool are_same(const tensor& x, const tensor& y) noexcept {
    return x.data == y.data && x.element == y.element && std::ranges::equal(x.shape, y.shape) &&
           std::ranges::equal(x.strides, y.strides);
  }

  std::span<const tensor> inputs_;
  std::vector<tensor> copies_;
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_SEPARATE_HPP
