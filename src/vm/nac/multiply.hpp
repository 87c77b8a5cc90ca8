// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What products, convolutions, normalisation and pooling of the NAC machine share: matrices of any
// type multiplied.
//
//   multiply(m, n, k, factor<double>{a, k}, factor<double>{b, k, true}, c, n, false, work);
//
//   float          by tensors::matmul
//   double         sums in ascending order of k
//   int8, uint8    by tensors::matmul_int8: of its sums of 32 bits the low ones
//   integers       as double, wrapping
//
// Lifetime:   nothing is kept.
// Errors:     none of their own.
// Limits:     those of tensors.
// Allocation: the machine's workspaces.

#ifndef TESSERA_VM_NAC_MULTIPLY_HPP
#define TESSERA_VM_NAC_MULTIPLY_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "call.hpp"
#include "tensor.hpp"
#include "tensor/windows.hpp"
#include "types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// A factor as it is in memory, like tensors::matrix.
template <class T>
struct factor {
  const T* data = nullptr;
  std::size_t stride = 0;
  bool transposed = false;
};

/// a + b c of one type.
template <class T>
[[nodiscard]] inline T sum_of(T a, T b, T c) noexcept {
  using U = wrapping<T>;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b) * static_cast<U>(c));
}

/// The same of bytes, by the kernel: as many rows of C at a time as there is memory for sums. The
/// low 8 bits of a sum are those of bytes that wrap, whatever the signs.
template <class T>
void multiply_bytes(std::size_t m, std::size_t n, std::size_t k, const factor<T>& a,
                    const factor<T>& b, T* c, std::size_t stride, bool accumulate,
                    workspaces::byte_products& work) {
  const auto* const by = static_cast<const std::int8_t*>(static_cast<const void*>(b.data));
  const std::size_t columns = std::min(n, work.sum_count);
  const std::size_t rows = columns == 0 ? 0 : work.sum_count / columns;
  for (std::size_t j = 0; j < n; j += columns)
    for (std::size_t i = 0; i < m; i += rows) {
      const std::size_t height = std::min(rows, m - i), width = std::min(columns, n - j);
      tensors::matmul_int8(height, width, k,
                           {a.data + (a.transposed ? i : i * a.stride), a.stride, a.transposed},
                           {by + (b.transposed ? j * b.stride : j), b.stride, b.transposed},
                           {work.sums, width}, work.kernel);
      for (std::size_t row = 0; row < height; ++row) {
        T* const to = c + (i + row) * stride + j;
        const std::int32_t* const from = work.sums + row * width;
        for (std::size_t x = 0; x < width; ++x)
          to[x] = static_cast<T>(static_cast<std::uint32_t>(from[x]) +
                                 (accumulate ? static_cast<std::uint32_t>(to[x]) : 0u));
      }
    }
}

/// Charges so many products of matrices that are computed in a type. float32 has a kernel for each
/// instruction set, the others have loops that take some two nanoseconds for a multiply-add.
inline void charge_products(memory& arena, data_type type, std::uint64_t count, std::uint64_t m,
                            std::uint64_t n, std::uint64_t k) {
  const bool has_kernel = type == data_type::float32;
  const std::uint64_t each = product_steps(m, n, k, has_kernel ? products_a_step : 1);
  arena.charge(product_of_steps(has_kernel ? count : product_of_steps(count, 2), each));
}

/// C[m,n] += A[m,k] B[k,n].
template <class T>
void add_products(std::size_t m, std::size_t n, std::size_t k, const factor<T>& a,
                  const factor<T>& b, T* c, std::size_t stride) {
  // A part of B at a time, by rows, so that it stays in the cache for all rows of A.
  constexpr std::size_t rows = 64, columns = 64;
  T part[rows * columns];
  for (std::size_t j0 = 0; j0 < n; j0 += columns) {
    const std::size_t nj = std::min(columns, n - j0);
    for (std::size_t p0 = 0; p0 < k; p0 += rows) {
      const std::size_t np = std::min(rows, k - p0);
      for (std::size_t p = 0; p < np; ++p)
        for (std::size_t j = 0; j < nj; ++j)
          part[p * columns + j] = b.transposed ? b.data[(j0 + j) * b.stride + p0 + p]
                                               : b.data[(p0 + p) * b.stride + j0 + j];
      for (std::size_t i = 0; i < m; ++i) {
        T* const to = c + i * stride + j0;
        for (std::size_t p = 0; p < np; ++p) {
          const T by =
              a.transposed ? a.data[(p0 + p) * a.stride + i] : a.data[i * a.stride + p0 + p];
          for (std::size_t j = 0; j < nj; ++j) to[j] = sum_of(to[j], by, part[p * columns + j]);
        }
      }
    }
  }
}

/// C[m,n] = A[m,k] B[k,n], or added to C, whose rows are `stride` apart.
template <class T>
void multiply(std::size_t m, std::size_t n, std::size_t k, const factor<T>& a, const factor<T>& b,
              T* c, std::size_t stride, bool accumulate, workspaces& work) {
  if constexpr (std::is_same_v<T, float>) {
    tensors::matmul(m, n, k, {a.data, a.stride, a.transposed}, {b.data, b.stride, b.transposed},
                    {c, stride, accumulate}, work.products());
  } else if constexpr (std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>) {
    multiply_bytes(m, n, k, a, b, c, stride, accumulate, work.bytes());
  } else {
    if (!accumulate)
      for (std::size_t i = 0; i < m; ++i) std::fill_n(c + i * stride, n, T{});
    if (m == 0) return;
    add_products(m, n, k, a, b, c, stride);
  }
}

/// Calls f with float or double, what floats of the type are computed in.
template <class F>
void visit_wide(data_type type, F&& f) {
  if (type == data_type::float64)
    f(of<double>{});
  else
    f(of<float>{});
}

/// Calls f with what products of a type are made in. Sums of bytes wrap alike whatever their signs.
template <class F>
void visit_product(data_type type, F&& f) {
  switch (type) {
    case data_type::float16:
    case data_type::bfloat16:
    case data_type::float32: return f(of<float>{});
    case data_type::float64: return f(of<double>{});
    case data_type::int16: return f(of<std::int16_t>{});
    case data_type::int32: return f(of<std::int32_t>{});
    case data_type::int64: return f(of<std::int64_t>{});
    case data_type::int8:
    case data_type::uint8: return f(of<std::int8_t>{});
    case data_type::boolean: break;
  }
  fail(errc::nac_run_type, "an operand is ", type);
}

/// Sizes and steps beyond this are refused, so that their sums and products can't overflow.
inline constexpr std::int64_t max_size = std::int64_t{1} << 30;

[[nodiscard]] inline std::size_t count_of(std::int64_t n) noexcept {
  return static_cast<std::size_t>(n);
}

/// A number for each of the last `rank` axes, or one for all of them; those before are as otherwise.
[[nodiscard]] inline tensors::triple sizes_of(std::span<const std::int64_t> given, std::size_t rank,
                                              tensors::triple otherwise, std::int64_t least,
                                              const char* what) {
  if (given.size() != 1 && given.size() != rank)
    fail(errc::nac_run_argument, what, " with ", given.size(), " elements; expected 1 or ", rank);
  for (std::size_t a = 0; a < rank; ++a) {
    const std::int64_t v = given[given.size() == 1 ? 0 : a];
    if (v < least || v > max_size)
      fail(errc::nac_run_argument, what, " of ", v, "; expected ", least, " to ", max_size);
    otherwise[otherwise.size() - rank + a] = v;
  }
  return otherwise;
}

/// Refuses operands of other types than the first one's.
inline void expect_type(const tensor& t, data_type type) {
  if (t.type != type)
    fail(errc::nac_run_type, "an operand is ", t.type, "; expected ", type, ", as the others are");
}
[[noreturn]] inline void refuse_type(data_type type, std::string_view expected) {
  fail(errc::nac_run_type, "an operand is ", type, "; expected ", expected);
}
[[noreturn]] inline void refuse_shapes(const tensor& a, const tensor& b) {
  fail(errc::nac_run_shape, a.dims, " and ", b.dims, " don't match");
}

/// Refuses a shape that doesn't broadcast to another one without changing that.
inline void expect_broadcasts(const shape& from, const shape& to) {
  if (from.rank() > to.rank() || !(broadcast(from, to) == to))
    fail(errc::nac_run_shape, "shape ", from, " doesn't broadcast to ", to);
}

/// The leading dimensions, without the last `without`.
[[nodiscard]] inline shape leading(const shape& s, std::size_t without) {
  return shape(s.dims().first(s.rank() - without));
}

/// Matrices of two tensors: A is [a_batch …, m, k], B [b_batch …, k, n], or [n, k] if transposed.
struct matrices {
  shape a_batch, b_batch;
  std::size_t m = 0, n = 0, k = 0;
  bool transposed = false;  ///< B's
};
/// beta * addend + alpha * A B, rounded once; without an addend the product. `result` has the elements
/// of [batch …, m, n], and is what the addend broadcasts to.
[[nodiscard]] tensor matrix_product(call& c, const matrices& by, const shape& batch,
                                    const shape& result, const tensor& a, const tensor& b,
                                    const tensor* addend = nullptr, const scalar* beta = nullptr,
                                    const scalar* alpha = nullptr);
/// x W' + b, without a bias x W', as aten.linear.
[[nodiscard]] tensor linear_of(call& c, const tensor& x, const tensor& w, const tensor* bias);

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_MULTIPLY_HPP
