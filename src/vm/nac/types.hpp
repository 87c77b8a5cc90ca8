// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Data types of the NAC machine: which one results, conversions, code for each of them.
//
//   const data_type t = promote(a, b);                          // as PyTorch does
//   visit(t, [&]<class T>(of<T>) { add<T>(a, b); });            // T: float, half, std::int64_t, bool …
//   const tensor f = cast(arena, x, data_type::float32);
//
//   promotion     booleans < integers < floats: the highest kind among tensors with dimensions wins;
//                 tensors of rank 0 count where those don't reach that kind, numbers where neither do
//   numbers       as results: float32, int64, boolean
//   arithmetic    of half and bfloat in float, rounded once (compute<T>)
//
// Lifetime:   nothing is kept.
// Errors:     cast: budget_memory.
// Limits:     none.
// Allocation: results.

#ifndef TESSERA_VM_NAC_TYPES_HPP
#define TESSERA_VM_NAC_TYPES_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

using tensors::compute;
using tensors::convert;
using tensors::is_float;
using tensors::is_half;
using tensors::of;
using tensors::wrapping;

/// As the core names it.
[[nodiscard]] constexpr tensors::element_type element_of(data_type type) noexcept {
  using enum tensors::element_type;
  switch (type) {
    case data_type::float32: return f32;
    case data_type::float64: return f64;
    case data_type::float16: return f16;
    case data_type::bfloat16: return bf16;
    case data_type::int32: return i32;
    case data_type::int64: return i64;
    case data_type::int16: return i16;
    case data_type::int8: return i8;
    case data_type::uint8: return u8;
    case data_type::boolean: break;
  }
  return boolean;
}
/// Calls f(of<T>{}) with the T of a data type.
template <class F>
decltype(auto) visit(data_type type, F&& f) {
  switch (type) {
    case data_type::float32: return f(of<float>{});
    case data_type::float64: return f(of<double>{});
    case data_type::float16: return f(of<half>{});
    case data_type::bfloat16: return f(of<bfloat>{});
    case data_type::int32: return f(of<std::int32_t>{});
    case data_type::int64: return f(of<std::int64_t>{});
    case data_type::int16: return f(of<std::int16_t>{});
    case data_type::int8: return f(of<std::int8_t>{});
    case data_type::uint8: return f(of<std::uint8_t>{});
    case data_type::boolean: break;
  }
  return f(of<bool>{});
}
/// The same for floats only; other types never come here.
template <class F>
decltype(auto) visit_float(data_type type, F&& f) {
  if (type == data_type::float64) return f(of<double>{});
  if (type == data_type::float16) return f(of<half>{});
  if (type == data_type::bfloat16) return f(of<bfloat>{});
  return f(of<float>{});
}

/// Calls f(of<T>{}) with float, double or std::int64_t: the T of as_numbers() elements of the type.
template <class F>
decltype(auto) visit_numbers(data_type type, F&& f) {
  if (type == data_type::float64) return f(of<double>{});
  if (model::is_floating(type)) return f(of<float>{});
  return f(of<std::int64_t>{});
}

/// What elements of a type are computed in: float32 for those with 16 bits.
[[nodiscard]] constexpr data_type widened(data_type t) noexcept {
  return t == data_type::float16 || t == data_type::bfloat16 ? data_type::float32 : t;
}
using model::is_floating;
[[nodiscard]] constexpr bool is_integral(data_type t) noexcept {
  return !is_floating(t) && t != data_type::boolean;
}

/// The type of what operations on both give.
[[nodiscard]] data_type promote(data_type a, data_type b) noexcept;
/// The type of what operations on all of these give.
[[nodiscard]] data_type promote(std::span<const tensor* const> operands) noexcept;
[[nodiscard]] inline data_type promote(const tensor& a, const tensor& b) noexcept {
  if (a.is_number == b.is_number) {
    if (a.type == b.type && !a.is_number) return a.type;
  } else {  // a number gives way, but where it is of a higher kind
    const data_type t = a.is_number ? b.type : a.type, n = a.is_number ? a.type : b.type;
    if (is_floating(t) || (is_integral(t) && !is_floating(n))) return t;
  }
  const tensor* const both[] = {&a, &b};
  return promote(both);
}
/// The same, float32 for other than floats: for operations whose results are floats.
[[nodiscard]] inline data_type as_float(data_type t) noexcept {
  return is_floating(t) ? t : data_type::float32;
}

/// The elements as another type; `x` itself where it has that type. Never a number.
[[nodiscard]] tensor cast(memory& arena, const tensor& x, data_type to);
/// As float64, float32 of other floats, and int64 of all else: for what isn't worth a loop of each type.
[[nodiscard]] inline tensor as_numbers(memory& arena, const tensor& x) {
  return cast(arena, x, !is_floating(x.type) ? data_type::int64 : widened(x.type));
}
/// Elements of one type as another; `from` and `to` are the same or don't overlap.
void cast(data_type from_type, const std::byte* from, data_type to_type, std::byte* to,
          std::size_t count) noexcept;

/// The shape that both broadcast to. Throws nac_run_shape.
[[nodiscard]] shape broadcast(const shape& a, const shape& b);
[[noreturn]] void refuse_axis(std::int64_t axis, std::size_t rank);
/// An axis as an index below `rank` (at least 1); negative ones count from the end. Throws
/// nac_run_axis.
[[nodiscard]] inline std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  const auto n = static_cast<std::int64_t>(rank == 0 ? 1 : rank);
  if (axis < -n || axis >= n) refuse_axis(axis, rank);
  return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_TYPES_HPP
