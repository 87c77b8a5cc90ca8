// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What operations do with one row of elements: a function for each operation, chosen once, when a
// compiled program is made.
//
//   const row_operation add = row_of(model::op_type::add, model::data_type::fp16);
//   add({.in = {a, b}, .in_step = {1, 0}, .out = c, .out_step = 1, .count = n});
//
//   FP32          computed in place
//   FP16, BF16    some hundred elements at a time: to FP32, computed, rounded once
//   integers      in 32 bits, where they wrap around; functions of real numbers by way of FP32, cut off
//
// Lifetime:   functions; they keep nothing.
// Errors:     none. Divisors are looked at beforehand (has_zero), and indices are.
// Limits:     none.
// Allocation: none; some KiB of stack.

#ifndef TESSERA_VM_ARK_ROWS_HPP
#define TESSERA_VM_ARK_ROWS_HPP

#include <cstddef>
#include <cstdint>

#include "tensor/element_type.hpp"
#include "tessera/ark.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

namespace model = tessera::ark;

/// A row: where its elements lie, the distances between them in elements, and how many there are.
struct row {
  const std::byte* in[3] = {};
  std::ptrdiff_t in_step[3] = {};
  std::byte* out = nullptr;
  std::ptrdiff_t out_step = 1;
  std::size_t count = 0;
  float scalar = 0;           ///< Factor or Value, rounded to the type
  std::uint32_t integer = 0;  ///< the same, of integers
};

/// Computes a row. `in` may be the same row as `out`; where they overlap otherwise, it isn't called.
struct row_operation {
  using function = void (*)(const row&, const row_operation&) noexcept;
  function f = nullptr;
  tensors::element_type from = {}, to = {};  ///< of the first operand, of the result
  void operator()(const row& r) const noexcept { f(r, *this); }
};

/// What an operation does to rows that are as long as each other: element-wise ones, but Cast, and
/// Rope, Transpose, Softmax and LayerNorm, whose inputs are x, gamma and beta. Without a function for
/// others.
[[nodiscard]] row_operation row_of(model::op_type op, model::data_type type) noexcept;
[[nodiscard]] row_operation cast_row(model::data_type from, model::data_type to) noexcept;
/// What Factor and Value become before they are used.
void round_scalar(model::data_type type, float value, row& to) noexcept;

/// Whether any of a row of divisors is 0.
[[nodiscard]] bool has_zero(model::data_type type, const row& r) noexcept;

/// `count` sums, maxima or means, each of `depth` elements. `step` is from one of those to the next,
/// in elements; row::in_step[0] from one sum's to the next one's.
void reduce(model::op_type op, model::data_type type, const row& r, std::size_t depth,
            std::ptrdiff_t step) noexcept;

/// out = in + the sum of segments of contiguous elements at `segments`, `distance` bytes apart. With
/// `packets`, the bytes come in packets (see packet_bytes), and `first` is the first element.
struct segment_list {
  const std::byte* data = nullptr;
  std::size_t count = 0;
  std::uint64_t distance = 0;
  bool packets = false;
};
void sum_segments(model::data_type type, const row& r, const segment_list& from,
                  std::uint64_t first) noexcept;

/// The type of elements; compiled programs have none of FP8, which is given as u8.
[[nodiscard]] tensors::element_type type_of(model::data_type type) noexcept;

/// A matrix of integers; steps in elements.
struct matrix_view {
  const std::byte* data = nullptr;
  std::ptrdiff_t row_step = 0, column_step = 0;
};
/// c[m,n] = a[m,k] b[k,n] modulo 2^32, cut to the type.
void multiply_integers(model::data_type type, std::size_t m, std::size_t n, std::size_t k,
                       const matrix_view& a, const matrix_view& b, std::byte* c,
                       std::ptrdiff_t c_step) noexcept;
/// Whether the type's rounding of a number may differ from that of its nearest float, which `value`
/// is: at the middle between two numbers of the type.
[[nodiscard]] bool rounds_twice(model::data_type type, float value) noexcept;

/// A packet of eight bytes is four of the payload and then four of the flag; the last one of a
/// payload may be shorter. The position of byte `offset` of a payload:
[[nodiscard]] constexpr std::uint64_t packet_offset(std::uint64_t offset) noexcept {
  return offset / 4 * 8 + offset % 4;
}
void to_packets(const std::byte* from, std::uint64_t bytes, std::uint32_t flag,
                std::byte* to) noexcept;
/// Bytes [first, first + bytes) of a payload.
void from_packets(const std::byte* packets, std::uint64_t first, std::uint64_t bytes,
                  std::byte* to) noexcept;

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ARK_ROWS_HPP
