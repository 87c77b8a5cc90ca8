// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tensor/element_rows.hpp"
#include "tensor/formulas.hpp"
#include "tensor/reductions.hpp"

// Input and output rows are identical or disjoint, so that the order of elements doesn't matter;
// compilers can't know that.
#if defined(__clang__)
#define TESSERA_ROW_LOOP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TESSERA_ROW_LOOP _Pragma("GCC ivdep")
#else
#define TESSERA_ROW_LOOP
#endif

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {
namespace {

using model::data_type;
using model::op_type;
namespace formulas = tensors::formulas;
namespace reductions = tensors::reductions;

/// Elements that are converted at a time.
constexpr std::size_t chunk = 512;

// ---- element types

using tensors::half, tensors::bfloat16, tensors::is_float, tensors::is_half;

/// Calls f with a T{} of the type; the result of FP8, which no compiled program has, is that of f(no_type{}).
struct no_type {};
template <class F>
auto with_type(data_type type, F&& f) noexcept {
  switch (type) {
    case data_type::fp32: return f(float{});
    case data_type::fp16: return f(half{});
    case data_type::bf16: return f(bfloat16{});
    case data_type::int32: return f(std::int32_t{});
    case data_type::uint32: return f(std::uint32_t{});
    case data_type::int8: return f(std::int8_t{});
    case data_type::uint8:
    case data_type::byte: return f(std::uint8_t{});
    case data_type::fp8_e4m3:
    case data_type::fp8_e5m2: break;
  }
  return f(no_type{});
}

template <class T>
[[nodiscard]] T read(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void write(std::byte* to, T value) noexcept {
  std::memcpy(to, &value, sizeof value);
}
/// Element i of a row.
template <class T, class Byte>
[[nodiscard]] Byte* at(Byte* base, std::ptrdiff_t step, std::size_t i) noexcept {
  return base + static_cast<std::ptrdiff_t>(i) * step * static_cast<std::ptrdiff_t>(sizeof(T));
}
/// A pointer to T. Memory of tensors is aligned for every type that lies in it.
template <class T>
[[nodiscard]] const T* as(const std::byte* p) noexcept {
  return static_cast<const T*>(static_cast<const void*>(p));
}
template <class T>
[[nodiscard]] T* as(std::byte* p) noexcept {
  return static_cast<T*>(static_cast<void*>(p));
}

/// As an element of the type: cut off, rounded once.
template <class T, class From>
[[nodiscard]] T stored(From value) noexcept {
  return tensors::convert<T, tensors::ark_semantics>(value);
}

// ---- rows as floats

/// The elements as floats: themselves, where they are floats in a row, and else copies.
template <class T>
[[nodiscard]] const float* load(const std::byte* from, std::ptrdiff_t step, std::size_t count,
                                float* copies) noexcept {
  if constexpr (std::is_same_v<T, float>)
    if (step == 1) return as<float>(from);
  tensors::load_row(tensors::type_of<T>, from, 0, step, copies, count);
  return copies;
}
/// Cuts a row into parts and gives them as floats, in[0] and in[1], to f(a, b, out, n).
template <class T, bool Two, class F>
void for_floats(const row& r, F&& f) noexcept {
  if constexpr (std::is_same_v<T, float>)
    if (r.in_step[0] == 1 && (!Two || r.in_step[1] == 1) && r.out_step == 1) {
      f(as<float>(r.in[0]), Two ? as<float>(r.in[1]) : nullptr, as<float>(r.out), r.count);
      return;
    }
  alignas(64) float a_copies[chunk], b_copies[chunk], results[chunk];
  for (std::size_t i = 0; i < r.count; i += chunk) {
    const std::size_t n = std::min(chunk, r.count - i);
    const float* const a = load<T>(at<T>(r.in[0], r.in_step[0], i), r.in_step[0], n, a_copies);
    const float* b = nullptr;
    if constexpr (Two) b = load<T>(at<T>(r.in[1], r.in_step[1], i), r.in_step[1], n, b_copies);
    std::byte* const out = at<T>(r.out, r.out_step, i);
    if constexpr (std::is_same_v<T, float>)
      if (r.out_step == 1) {
        f(a, b, as<float>(out), n);
        continue;
      }
    f(a, b, results, n);
    tensors::store_row<tensors::ark_semantics>(tensors::type_of<T>, out, 0, r.out_step, results, n);
  }
}

// ---- element-wise functions

template <class T, tensors::binary Op>
void binary_floats(const row& r) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    const float *const a = as<float>(r.in[0]), *const b = as<float>(r.in[1]);
    if (r.out_step == 1 && r.in_step[0] == 1 && r.in_step[1] == 0)
      return tensors::apply(Op, a, *b, as<float>(r.out), r.count);
    if (r.out_step == 1 && r.in_step[0] == 0 && r.in_step[1] == 1)
      return tensors::apply(Op, *a, b, as<float>(r.out), r.count);
  }
  for_floats<T, true>(r, [](const float* a, const float* b, float* out, std::size_t n) {
    tensors::apply(Op, a, b, out, n);
  });
}
template <class T, tensors::unary Op>
void unary_floats(const row& r) noexcept {
  for_floats<T, false>(r, [](const float* a, const float*, float* out, std::size_t n) {
    tensors::apply(Op, a, out, n);
  });
}
template <class T, tensors::binary Op>
void scalar_floats(const row& r) noexcept {
  for_floats<T, false>(r, [s = r.scalar](const float* a, const float*, float* out, std::size_t n) {
    tensors::apply(Op, a, s, out, n);
  });
}
template <class T>
void relu_floats(const row& r) noexcept {
  for_floats<T, false>(r, [](const float* a, const float*, float* out, std::size_t n) {
    TESSERA_ROW_LOOP
    for (std::size_t i = 0; i < n; ++i) out[i] = formulas::relu_of_numbers::of(a[i]);
  });
}

/// f(element of each input) for integers.
template <class T, class F>
void map_one(const row& r, F&& f) noexcept {
  if (r.in_step[0] == 1 && r.out_step == 1) {
    const T* const a = as<T>(r.in[0]);
    T* const out = as<T>(r.out);
    TESSERA_ROW_LOOP
    for (std::size_t i = 0; i < r.count; ++i) out[i] = f(a[i]);
    return;
  }
  for (std::size_t i = 0; i < r.count; ++i)
    write(at<T>(r.out, r.out_step, i), f(read<T>(at<T>(r.in[0], r.in_step[0], i))));
}
template <class T, class F>
void map_two(const row& r, F&& f) noexcept {
  if (r.in_step[0] == 1 && r.in_step[1] == 1 && r.out_step == 1) {
    const T *const a = as<T>(r.in[0]), *const b = as<T>(r.in[1]);
    T* const out = as<T>(r.out);
    TESSERA_ROW_LOOP
    for (std::size_t i = 0; i < r.count; ++i) out[i] = f(a[i], b[i]);
    return;
  }
  for (std::size_t i = 0; i < r.count; ++i)
    write(at<T>(r.out, r.out_step, i),
          f(read<T>(at<T>(r.in[0], r.in_step[0], i)), read<T>(at<T>(r.in[1], r.in_step[1], i))));
}
template <class T, class F>
void binary_integers(const row& r) noexcept {
  map_two<T>(r, [](T a, T b) { return F::of(a, b); });
}
template <class T, class F>
void scalar_integers(const row& r) noexcept {
  map_one<T>(r, [s = static_cast<T>(r.integer)](T a) { return F::of(a, s); });
}
template <class T>
void relu_integers(const row& r) noexcept {
  map_one<T>(r, [](T a) { return formulas::relu_of_numbers::of(a); });
}
template <class T>
void copy_elements(const row& r) noexcept {
  if (r.in_step[0] == 1 && r.out_step == 1) {
    std::memmove(r.out, r.in[0], r.count * sizeof(T));
    return;
  }
  if (r.in_step[0] == 0 && r.out_step == 1) {
    std::fill_n(as<T>(r.out), r.count, read<T>(r.in[0]));
    return;
  }
  for (std::size_t i = 0; i < r.count; ++i)
    write(at<T>(r.out, r.out_step, i), read<T>(at<T>(r.in[0], r.in_step[0], i)));
}
template <class T>
void fill(const row& r) noexcept {
  T value;
  if constexpr (is_float<T>)
    value = stored<T>(r.scalar);
  else
    value = static_cast<T>(r.integer);
  for (std::size_t i = 0; i < r.count; ++i) write(at<T>(r.out, r.out_step, i), value);
}

template <class T>
void rope(const row& r) noexcept {
  for (std::size_t i = 0; i + 1 < r.count; i += 2) {
    const T x[2] = {read<T>(at<T>(r.in[0], r.in_step[0], i)),
                    read<T>(at<T>(r.in[0], r.in_step[0], i + 1))};
    const T f[2] = {read<T>(at<T>(r.in[1], r.in_step[1], i)),
                    read<T>(at<T>(r.in[1], r.in_step[1], i + 1))};
    T y[2];
    if constexpr (is_float<T>) {
      const float x0 = static_cast<float>(x[0]), x1 = static_cast<float>(x[1]);
      const float f0 = static_cast<float>(f[0]), f1 = static_cast<float>(f[1]);
      y[0] = stored<T>(x0 * f0 - x1 * f1);
      y[1] = stored<T>(x0 * f1 + x1 * f0);
    } else {
      const auto x0 = static_cast<std::uint32_t>(x[0]), x1 = static_cast<std::uint32_t>(x[1]);
      const auto f0 = static_cast<std::uint32_t>(f[0]), f1 = static_cast<std::uint32_t>(f[1]);
      y[0] = static_cast<T>(x0 * f0 - x1 * f1);
      y[1] = static_cast<T>(x0 * f1 + x1 * f0);
    }
    write(at<T>(r.out, r.out_step, i), y[0]);
    write(at<T>(r.out, r.out_step, i + 1), y[1]);
  }
}

// ---- casts

template <class From, class To>
[[nodiscard]] To cast_one(From value) noexcept {
  if constexpr (is_half<From> && std::is_integral_v<To>)  // rounded, ties to even
    return stored<To>(std::nearbyint(static_cast<float>(value)));
  else if constexpr (std::is_integral_v<From> && is_float<To>)
    return stored<To>(static_cast<double>(value));
  else
    return stored<To>(value);
}
template <class From, class To>
void cast(const row& r) noexcept {
  if (r.in_step[0] == 1 && r.out_step == 1) {
    const From* const a = as<From>(r.in[0]);
    To* const out = as<To>(r.out);
    TESSERA_ROW_LOOP
    for (std::size_t i = 0; i < r.count; ++i) out[i] = cast_one<From, To>(a[i]);
    return;
  }
  for (std::size_t i = 0; i < r.count; ++i)
    write(at<To>(r.out, r.out_step, i),
          cast_one<From, To>(read<From>(at<From>(r.in[0], r.in_step[0], i))));
}

// ---- along an axis

template <class T>
void softmax(const row& r) noexcept {
  const auto in = [&r](std::size_t i) {
    return static_cast<double>(read<T>(at<T>(r.in[0], r.in_step[0], i)));
  };
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t i = 0; i < r.count; ++i) largest = in(i) > largest ? in(i) : largest;
  for (std::size_t i = 0; i < r.count; ++i) sum += std::exp(in(i)-largest);
  for (std::size_t i = 0; i < r.count; ++i)
    write(at<T>(r.out, r.out_step, i), stored<T>(std::exp(in(i)-largest) / sum));
}
template <class T>
void layer_norm(const row& r) noexcept {
  const auto in = [&r](std::size_t which, std::size_t i) {
    return static_cast<double>(read<T>(at<T>(r.in[which], r.in_step[which], i)));
  };
  const auto count = static_cast<double>(r.count);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < r.count; ++i) sum += in(0, i);
  const double mean = sum / count;
  for (std::size_t i = 0; i < r.count; ++i) squares += (in(0, i) - mean) * (in(0, i) - mean);
  const double scale = 1 / std::sqrt(squares / count + 1e-5);
  for (std::size_t i = 0; i < r.count; ++i)
    write(at<T>(r.out, r.out_step, i), stored<T>((in(0, i) - mean) * scale * in(1, i) + in(2, i)));
}

/// Runs over `depth` for parts of a row of results: f(sums, index in the row, how many, element of
/// depth).  Elements that are neighbours in memory are read one after another.
template <class T, class Sum, class Add, class Put>
void reduce_rows(const row& r, std::size_t depth, std::ptrdiff_t step, Sum first, Add&& add,
                 Put&& put) noexcept {
  if (std::abs(step) <= std::abs(r.in_step[0]) || r.count == 1) {
    for (std::size_t i = 0; i < r.count; ++i) {
      const std::byte* const in = at<T>(r.in[0], r.in_step[0], i);
      Sum sum = first;
      if (step == 1) {
        const T* const values = as<T>(in);
        for (std::size_t p = 0; p < depth; ++p) sum = add(sum, values[p]);
      } else {
        for (std::size_t p = 0; p < depth; ++p) sum = add(sum, read<T>(at<T>(in, step, p)));
      }
      write(at<T>(r.out, r.out_step, i), put(sum));
    }
    return;
  }
  Sum sums[chunk];
  for (std::size_t i = 0; i < r.count; i += chunk) {
    const std::size_t n = std::min(chunk, r.count - i);
    std::fill_n(sums, n, first);
    for (std::size_t p = 0; p < depth; ++p) {
      const std::byte* const in = at<T>(at<T>(r.in[0], r.in_step[0], i), step, p);
      if (r.in_step[0] == 1) {
        const T* const values = as<T>(in);
        for (std::size_t j = 0; j < n; ++j) sums[j] = add(sums[j], values[j]);
      } else {
        for (std::size_t j = 0; j < n; ++j)
          sums[j] = add(sums[j], read<T>(at<T>(in, r.in_step[0], j)));
      }
    }
    for (std::size_t j = 0; j < n; ++j) write(at<T>(r.out, r.out_step, i + j), put(sums[j]));
  }
}

/// By a reduction in type A, whose results finish(a) changes.
template <class R, class A, class T, class Finish>
void reduce_by(const row& r, std::size_t depth, std::ptrdiff_t step, A first,
               Finish&& finish) noexcept {
  reduce_rows<T>(
      r, depth, step, first, [](A a, T x) { return R::template step<A>(a, static_cast<A>(x)); },
      [&](A a) {
        if constexpr (is_float<T>)
          return stored<T>(finish(a));
        else
          return static_cast<T>(finish(a));
      });
}
template <class T>
void reduce_sum(const row& r, std::size_t depth, std::ptrdiff_t step) noexcept {
  using A = std::conditional_t<is_float<T>, double, std::uint32_t>;
  reduce_by<reductions::sum, A, T>(r, depth, step, A{}, [](A a) { return a; });
}
template <class T>
void reduce_mean(const row& r, std::size_t depth, std::ptrdiff_t step) noexcept {
  using A = std::conditional_t<is_float<T>, double, std::int64_t>;
  reduce_by<reductions::sum, A, T>(r, depth, step, A{},
                                   [depth](A a) { return a / static_cast<A>(depth); });
}
template <class T>
void reduce_max(const row& r, std::size_t depth, std::ptrdiff_t step) noexcept {
  // NaNs are dropped, and values below the smallest finite one become that.
  using A = std::conditional_t<is_float<T>, float, T>;
  A lowest = std::numeric_limits<A>::lowest();
  if constexpr (std::is_same_v<T, half>) lowest = -65504.0f;
  if constexpr (std::is_same_v<T, bfloat16>) lowest = -0x1.fep127f;
  reduce_by<reductions::max_of_numbers, A, T>(r, depth, step, lowest, [](A a) { return a; });
}

template <class T>
void sum_segments(const row& r, const segment_list& from, std::uint64_t first) noexcept {
  using sum_type = std::conditional_t<is_float<T>, float, std::uint32_t>;
  sum_type sums[chunk];
  std::byte part[chunk * sizeof(T)];
  for (std::size_t i = 0; i < r.count; i += chunk) {
    const std::size_t n = std::min(chunk, r.count - i);
    for (std::size_t j = 0; j < n; ++j)
      sums[j] = static_cast<sum_type>(read<T>(at<T>(r.in[0], r.in_step[0], i + j)));
    for (std::size_t s = 0; s < from.count; ++s) {
      const std::byte* const segment = from.data + s * from.distance;
      const std::uint64_t offset = (first + i) * sizeof(T);
      if (from.packets)
        from_packets(segment, offset, n * sizeof(T), part);
      else
        std::memcpy(part, segment + offset, n * sizeof(T));
      for (std::size_t j = 0; j < n; ++j)
        sums[j] += static_cast<sum_type>(read<T>(part + j * sizeof(T)));
    }
    for (std::size_t j = 0; j < n; ++j) write(at<T>(r.out, r.out_step, i + j), stored<T>(sums[j]));
  }
}

template <class T>
void multiply_integers(std::size_t m, std::size_t n, std::size_t k, const matrix_view& a,
                       const matrix_view& b, std::byte* c, std::ptrdiff_t c_step) noexcept {
  std::uint32_t sums[chunk];
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; j += chunk) {
      const std::size_t columns = std::min(chunk, n - j);
      std::fill_n(sums, columns, 0u);
      for (std::size_t p = 0; p < k; ++p) {
        const auto x = static_cast<std::uint32_t>(
            read<T>(at<T>(at<T>(a.data, a.row_step, i), a.column_step, p)));
        const std::byte* const from = at<T>(at<T>(b.data, b.row_step, p), b.column_step, j);
        if (b.column_step == 1) {
          const T* const values = as<T>(from);
          for (std::size_t q = 0; q < columns; ++q)
            sums[q] += x * static_cast<std::uint32_t>(values[q]);
        } else {
          for (std::size_t q = 0; q < columns; ++q)
            sums[q] += x * static_cast<std::uint32_t>(read<T>(at<T>(from, b.column_step, q)));
        }
      }
      for (std::size_t q = 0; q < columns; ++q)
        write(at<T>(at<T>(c, c_step, i), 1, j + q), static_cast<T>(sums[q]));
    }
}

// ---- choosing

// One function template for types that are floats, and one for integers.
#define TESSERA_CHOOSE(function, type, floats, integers)                                           \
  with_type(type, []<class T>(T) noexcept -> function {                                            \
    if constexpr (std::is_same_v<T, no_type>)                                                      \
      return nullptr;                                                                              \
    else if constexpr (is_float<T>)                                                                \
      return floats;                                                                               \
    else                                                                                           \
      return integers;                                                                             \
  })

template <tensors::unary Op>
[[nodiscard]] row_function through_floats(data_type type) noexcept {
  return TESSERA_CHOOSE(row_function, type, (unary_floats<T, Op>), (unary_floats<T, Op>));
}
template <class F, class OfIntegers = F>
[[nodiscard]] row_function arithmetic(data_type type) noexcept {
  return TESSERA_CHOOSE(row_function, type, (binary_floats<T, F::kernel>),
                        (binary_integers<T, OfIntegers>));
}
template <class F>
[[nodiscard]] row_function with_scalar(data_type type) noexcept {
  return TESSERA_CHOOSE(row_function, type, (scalar_floats<T, F::kernel>), (scalar_integers<T, F>));
}

}  // namespace

row_function row_of(op_type op, data_type type) noexcept {
  switch (op) {
    case op_type::add: return arithmetic<formulas::add>(type);
    case op_type::sub: return arithmetic<formulas::sub>(type);
    case op_type::mul: return arithmetic<formulas::mul>(type);
    case op_type::div: return arithmetic<formulas::div, formulas::trunc_divide>(type);
    case op_type::rope: return TESSERA_CHOOSE(row_function, type, rope<T>, rope<T>);
    case op_type::scalar_add: return with_scalar<formulas::add>(type);
    case op_type::scalar_mul: return with_scalar<formulas::mul>(type);
    case op_type::scalar_assign: return TESSERA_CHOOSE(row_function, type, fill<T>, fill<T>);
    case op_type::copy:
    case op_type::store:
    case op_type::transpose:
      return TESSERA_CHOOSE(row_function, type, copy_elements<T>, copy_elements<T>);
    case op_type::exp: return through_floats<tensors::unary::exp>(type);
    case op_type::sqrt: return through_floats<tensors::unary::sqrt>(type);
    case op_type::rsqrt: return through_floats<tensors::unary::rsqrt>(type);
    case op_type::sigmoid: return through_floats<tensors::unary::sigmoid>(type);
    case op_type::gelu: return through_floats<tensors::unary::gelu>(type);
    case op_type::relu: return TESSERA_CHOOSE(row_function, type, relu_floats<T>, relu_integers<T>);
    case op_type::softmax: return TESSERA_CHOOSE(row_function, type, softmax<T>, softmax<T>);
    case op_type::layer_norm:
      return TESSERA_CHOOSE(row_function, type, layer_norm<T>, layer_norm<T>);
    case op_type::tensor:
    case op_type::placeholder:
    case op_type::reshape:
    case op_type::noop:
    case op_type::cast:
    case op_type::reduce_sum:
    case op_type::reduce_max:
    case op_type::reduce_mean:
    case op_type::matmul:
    case op_type::embedding:
    case op_type::send:
    case op_type::send_done:
    case op_type::recv:
    case op_type::send_packet:
    case op_type::recv_packet:
    case op_type::recv_reduce_send_packet:
    case op_type::recv_reduce_send:
    case op_type::device_sync:
    case op_type::matmul_gelu:
    case op_type::matmul_scale:
    case op_type::matmul_add:
    case op_type::mma:
    case op_type::kv_cache_slot:
    case op_type::unknown: break;
  }
  return nullptr;
}

row_function cast_row(data_type from, data_type to) noexcept {
  return with_type(from, [to]<class From>(From) noexcept -> row_function {
    return with_type(to, []<class To>(To) noexcept -> row_function {
      if constexpr (std::is_same_v<From, no_type> || std::is_same_v<To, no_type>)
        return nullptr;
      else
        return cast<From, To>;
    });
  });
}

static_assert(std::ranges::count(model::op_table, model::op_kind::reduce, &model::op_row::kind) ==
                  3,
              "sum, mean and max");
reduce_function reduction(op_type op, data_type type) noexcept {
  if (op == op_type::reduce_sum)
    return TESSERA_CHOOSE(reduce_function, type, reduce_sum<T>, reduce_sum<T>);
  if (op == op_type::reduce_mean)
    return TESSERA_CHOOSE(reduce_function, type, reduce_mean<T>, reduce_mean<T>);
  return TESSERA_CHOOSE(reduce_function, type, reduce_max<T>, reduce_max<T>);
}
sum_function segment_sum(data_type type) noexcept {
  return TESSERA_CHOOSE(sum_function, type, sum_segments<T>, sum_segments<T>);
}
integer_product integer_matmul(data_type type) noexcept {
  return TESSERA_CHOOSE(integer_product, type, nullptr, multiply_integers<T>);
}

#undef TESSERA_CHOOSE

tensors::element_type type_of(data_type type) noexcept {
  return with_type(type, []<class T>(T) noexcept { return tensors::type_of<T>; });
}

void round_scalar(data_type type, float value, row& to) noexcept {
  with_type(type, [value, &to]<class T>(T) noexcept {
    if constexpr (std::is_same_v<T, no_type>)
      return;
    else if constexpr (is_float<T>)
      to.scalar = static_cast<float>(stored<T>(value));
    else
      to.integer = static_cast<std::uint32_t>(stored<T>(value));
  });
}

bool has_zero(data_type type, const row& r) noexcept {
  return with_type(type, [&r]<class T>(T) noexcept {
    bool found = false;
    if constexpr (std::is_integral_v<T>)
      for (std::size_t i = 0; i < r.count; ++i)
        found = found || read<T>(at<T>(r.in[1], r.in_step[1], i)) == 0;
    return found;
  });
}

bool rounds_twice(data_type type, float value) noexcept {
  if (value == 0 || !std::isfinite(value)) return false;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return with_type(type, [bits]<class T>(T) noexcept {
    if constexpr (is_half<T>)
      return T(std::bit_cast<float>(bits - 1)).bits != T(std::bit_cast<float>(bits + 1)).bits;
    else
      return false;
  });
}

void to_packets(const std::byte* from, std::uint64_t bytes, std::uint32_t flag,
                std::byte* to) noexcept {
  for (std::uint64_t done = 0; done < bytes; done += 4) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(4, bytes - done));
    std::memcpy(to + packet_offset(done), from + done, size);
    std::memcpy(to + packet_offset(done) + size, &flag, size);
  }
}

void from_packets(const std::byte* packets, std::uint64_t first, std::uint64_t bytes,
                  std::byte* to) noexcept {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t offset = first + done;
    const std::uint64_t size = std::min(4 - offset % 4, bytes - done);
    std::memcpy(to + done, packets + packet_offset(offset), static_cast<std::size_t>(size));
    done += size;
  }
}

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI
