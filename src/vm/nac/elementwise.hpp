// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The one loop around all operations that treat elements alike: broadcasting, conversions, blocks.
//
//   const source in[] = {{&a, common, widened(common)}, {&b, common, widened(common)}};
//   return elementwise(arena, broadcast(a.dims, b.dims), in, lane, common, add_loop);
//
// A `loop` sees arrays of one length and of the types that it was written for, the lanes: there are
// none of half and bfloat, whose lanes are floats. Operands of another type, and elements that a
// dimension repeats, are brought into that form a block at a time, on the stack. Dimensions that lie
// next to each other in all operands are merged, so that runs are as long as possible.
//
// Lifetime:   for one operation.
// Errors:     faults: budget_memory, what the loop throws; fits: nac_run_argument.
// Limits:     3 operands.
// Allocation: the result.

#ifndef TESSERA_VM_NAC_ELEMENTWISE_HPP
#define TESSERA_VM_NAC_ELEMENTWISE_HPP

#include <cstddef>
#include <span>
#include <string_view>

#include "call.hpp"
#include "tensor.hpp"
#include "types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// Does something to n elements; `with` is what the operation passes on.
using loop = void (*)(const std::byte* const* in, std::byte* to, std::size_t n, const void* with);

/// An operand.
struct source {
  const tensor* of = nullptr;
  data_type common = data_type::float32;  ///< elements are rounded to it,
  data_type lane = data_type::float32;    ///< and computed in this
};

/// The type that a number or tensor has by itself: float64 numbers are float32.
[[nodiscard]] inline data_type type_of(const tensor& x) noexcept {
  return x.is_number && is_floating(x.type) ? data_type::float32 : x.type;
}

/// Runs a loop over all elements of `dims`, to which the operands broadcast. The loop gives elements
/// of type `lane`, the result has `type`.
[[nodiscard]] tensor elementwise(memory& arena, const shape& dims, std::span<const source> in,
                                 data_type lane, data_type type, loop f,
                                 const void* with = nullptr);

/// The same for operands that are lanes already, all of the result's shape.
template <std::size_t Count>
[[nodiscard]] inline tensor elementwise(memory& arena, const shape& dims,
                                        const std::byte* const (&in)[Count], data_type type, loop f,
                                        const void* with = nullptr) {
  tensor out = make_tensor(arena, type, dims);
  f(in, out.data, out.size(), with);
  return out;
}

/// Sets all elements to that value, as their type has it.
void fill(const tensor& out, const scalar& v);
/// A tensor of that one value, as `type` has it.
[[nodiscard]] tensor filled(memory& arena, data_type type, const shape& dims, const scalar& v);

/// Throws nac_run_argument unless PyTorch takes the number for an element of that type: whole parts
/// of those that are too great aren't dropped silently. Integers below 0 count as what they wrap to
/// in uint8.
void fits(const scalar& v, data_type type);

/// Throws nac_run_type: "aten.relu.default of type bool".
[[noreturn]] void refuse(const call& c, data_type a);
[[noreturn]] void refuse(const call& c, data_type a, data_type b);

template <class T>
[[nodiscard]] inline const T* lanes(const std::byte* from) noexcept {
  return static_cast<const T*>(static_cast<const void*>(from));
}
template <class T>
[[nodiscard]] inline T* lanes(std::byte* from) noexcept {
  return static_cast<T*>(static_cast<void*>(from));
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_ELEMENTWISE_HPP
