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
#include "tensor/elementwise.hpp"
#include "tensor/fold.hpp"
#include "tensor/formulas.hpp"

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
using tensors::element_type;
namespace formulas = tensors::formulas;

/// Elements that are converted at a time.
constexpr std::size_t chunk = 512;
using word = std::uint32_t;  ///< integers, which wrap

[[nodiscard]] bool is_float(element_type type) noexcept {
  return type == element_type::f32 || type == element_type::f16 || type == element_type::bf16;
}
[[nodiscard]] bool is_signed(element_type type) noexcept {
  return type == element_type::i32 || type == element_type::i8;
}
[[nodiscard]] std::size_t size_of(element_type type) noexcept {
  return tensors::visit(type, []<class T>(tensors::of<T>) { return sizeof(T); });
}

// ---- rows as numbers

/// Whether elements of the type are numbers of type A in memory.
template <class A>
[[nodiscard]] bool are(element_type type) noexcept {
  if constexpr (std::is_same_v<A, word>)
    return type == element_type::i32 || type == element_type::u32;
  else
    return type == tensors::type_of<A>;
}
/// A pointer to A. Memory of tensors is aligned for every type that lies in it.
template <class A>
[[nodiscard]] const A* as(const std::byte* p) noexcept {
  return static_cast<const A*>(static_cast<const void*>(p));
}
template <class A>
[[nodiscard]] A* as(std::byte* p) noexcept {
  return static_cast<A*>(static_cast<void*>(p));
}

/// Elements [first, first + n) of a row's operand.
template <class A>
void load(element_type type, const row& r, std::size_t which, std::size_t first, A* to,
          std::size_t n) noexcept {
  const std::ptrdiff_t step = r.in_step[which];
  tensors::load_row(type, r.in[which], static_cast<std::int64_t>(first) * step, step, to, n);
}
/// As elements of the type: cut off, rounded once; of integers their low bits.
template <class A>
void store(element_type type, std::byte* data, std::int64_t first, std::int64_t step, const A* from,
           std::size_t n) noexcept {
  using rules = std::conditional_t<std::is_integral_v<A>, tensors::round_and_saturate,
                                   tensors::ark_semantics>;
  tensors::store_row<rules>(type, data, first, step, from, n);
}
template <class A>
void store(element_type type, const row& r, std::size_t first, const A* from,
           std::size_t n) noexcept {
  store(type, r.out, static_cast<std::int64_t>(first) * r.out_step, r.out_step, from, n);
}

/// Cuts a row into parts and gives them as numbers, in[0] and in[1] if there are two, to
/// f(a, b, out, n); all at once where that is what they are in memory.
template <class A, class F>
void for_numbers(const row& r, element_type type, bool two, F&& f) noexcept {
  const auto is_dense = [&](std::ptrdiff_t step) { return step == 1 && are<A>(type); };
  const bool dense[] = {is_dense(r.in_step[0]), two && is_dense(r.in_step[1]),
                        is_dense(r.out_step)};
  if (dense[0] && (!two || dense[1]) && dense[2])
    return f(as<A>(r.in[0]), two ? as<A>(r.in[1]) : nullptr, as<A>(r.out), r.count);
  alignas(64) A a_copies[chunk], b_copies[chunk], results[chunk];
  for (std::size_t i = 0; i < r.count; i += chunk) {
    const std::size_t n = std::min(chunk, r.count - i);
    const A *a = a_copies, *b = b_copies;
    if (dense[0])
      a = as<A>(r.in[0]) + i;
    else
      load(type, r, 0, i, a_copies, n);
    if (dense[1])
      b = as<A>(r.in[1]) + i;
    else if (two)
      load(type, r, 1, i, b_copies, n);
    A* const out = dense[2] ? as<A>(r.out) + i : results;
    f(a, b, out, n);
    if (!dense[2]) store(type, r, i, results, n);
  }
}

// ---- element-wise functions

template <tensors::binary Op>
void binary_floats(const row& r, const row_operation& o) noexcept {
  if (o.to == element_type::f32) {
    const float *const a = as<float>(r.in[0]), *const b = as<float>(r.in[1]);
    if (r.out_step == 1 && r.in_step[0] == 1 && r.in_step[1] == 0)
      return tensors::apply(Op, a, *b, as<float>(r.out), r.count);
    if (r.out_step == 1 && r.in_step[0] == 0 && r.in_step[1] == 1)
      return tensors::apply(Op, *a, b, as<float>(r.out), r.count);
  }
  for_numbers<float>(r, o.to, true, [](const float* a, const float* b, float* out, std::size_t n) {
    tensors::apply(Op, a, b, out, n);
  });
}
template <tensors::unary Op>
void unary_floats(const row& r, const row_operation& o) noexcept {
  for_numbers<float>(r, o.to, false, [](const float* a, const float*, float* out, std::size_t n) {
    tensors::apply(Op, a, out, n);
  });
}
template <tensors::binary Op>
void scalar_floats(const row& r, const row_operation& o) noexcept {
  for_numbers<float>(r, o.to, false,
                     [s = r.scalar](const float* a, const float*, float* out, std::size_t n) {
                       tensors::apply(Op, a, s, out, n);
                     });
}
template <class F>
void binary_integers(const row& r, const row_operation& o) noexcept {
  for_numbers<word>(r, o.to, true, [&o](const word* a, const word* b, word* out, std::size_t n) {
    if (is_signed(o.to)) {
      TESSERA_ROW_LOOP
      for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<word>(
            F::of(static_cast<std::int32_t>(a[i]), static_cast<std::int32_t>(b[i])));
    } else {
      TESSERA_ROW_LOOP
      for (std::size_t i = 0; i < n; ++i) out[i] = F::of(a[i], b[i]);
    }
  });
}
template <class F>
void scalar_integers(const row& r, const row_operation& o) noexcept {
  for_numbers<word>(r, o.to, false,
                    [s = r.integer](const word* a, const word*, word* out, std::size_t n) {
                      TESSERA_ROW_LOOP
                      for (std::size_t i = 0; i < n; ++i) out[i] = F::of(a[i], s);
                    });
}
void relu_floats(const row& r, const row_operation& o) noexcept {
  for_numbers<float>(r, o.to, false, [](const float* a, const float*, float* out, std::size_t n) {
    TESSERA_ROW_LOOP
    for (std::size_t i = 0; i < n; ++i) out[i] = formulas::relu_of_numbers::of(a[i]);
  });
}
void relu_integers(const row& r, const row_operation& o) noexcept {
  const bool has_sign = is_signed(o.to);
  for_numbers<word>(r, o.to, false,
                    [has_sign](const word* a, const word*, word* out, std::size_t n) {
                      TESSERA_ROW_LOOP
                      for (std::size_t i = 0; i < n; ++i)
                        out[i] = has_sign && a[i] >> 31 != 0 ? 0 : a[i];
                    });
}
void copy_elements(const row& r, const row_operation& o) noexcept {
  tensors::with_word(size_of(o.to), [&r]<class T>(tensors::of<T>) {
    if (r.in_step[0] == 1 && r.out_step == 1) {
      std::memmove(r.out, r.in[0], r.count * sizeof(T));
      return;
    }
    const auto count = static_cast<std::ptrdiff_t>(r.count);
    constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      T bits;
      std::memcpy(&bits, r.in[0] + i * r.in_step[0] * size, sizeof bits);
      std::memcpy(r.out + i * r.out_step * size, &bits, sizeof bits);
    }
  });
}
void fill(const row& r, const row_operation& o) noexcept {
  const auto with = [&]<class A>(A value) {
    A values[chunk];
    std::fill_n(values, std::min(chunk, r.count), value);
    for (std::size_t i = 0; i < r.count; i += chunk)
      store(o.to, r, i, values, std::min(chunk, r.count - i));
  };
  is_float(o.to) ? with(r.scalar) : with(r.integer);
}

/// Pairs of elements as complex numbers, times those of in[1].
template <class A>
void rope(const row& r, const row_operation& o) noexcept {
  row pairs = r;
  pairs.count -= pairs.count % 2;
  for_numbers<A>(pairs, o.to, true, [](const A* x, const A* f, A* out, std::size_t n) {
    for (std::size_t i = 0; i < n; i += 2) {
      const A x0 = x[i], x1 = x[i + 1], f0 = f[i], f1 = f[i + 1];
      out[i] = x0 * f0 - x1 * f1;
      out[i + 1] = x0 * f1 + x1 * f0;
    }
  });
}

void cast(const row& r, const row_operation& o) noexcept {
  const auto by_way_of = [&]<class A>(A, auto&& change) {
    A part[chunk];
    for (std::size_t i = 0; i < r.count; i += chunk) {
      const std::size_t n = std::min(chunk, r.count - i);
      load(o.from, r, 0, i, part, n);
      change(part, n);
      store(o.to, r, i, part, n);
    }
  };
  const auto keep = [](auto*, std::size_t) {};
  const bool is_half = is_float(o.from) && o.from != element_type::f32;
  if (is_half && !is_float(o.to))
    by_way_of(float{}, [](float* x, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) x[i] = std::nearbyint(x[i]);
    });
  else if (is_float(o.from))
    by_way_of(float{}, keep);
  else if (is_float(o.to))
    by_way_of(double{}, keep);
  else
    by_way_of(word{}, keep);
}

// ---- along an axis

/// Calls f(elements in FP64, how many, number of the first) for parts of a row.
template <class F>
void for_reals(const row& r, element_type type, F&& f) noexcept {
  double part[chunk];
  for (std::size_t i = 0; i < r.count; i += chunk) {
    const std::size_t n = std::min(chunk, r.count - i);
    load(type, r, 0, i, part, n);
    f(part, n, i);
  }
}
/// As tensors::softmax does it, but for exponentials that are computed again where no row of them is
/// kept.
void softmax(const row& r, const row_operation& o) noexcept {
  double greatest = -std::numeric_limits<double>::infinity(), sum = 0;
  for_reals(r, o.to, [&](const double* x, std::size_t n, std::size_t) {
    for (std::size_t i = 0; i < n; ++i) greatest = x[i] > greatest ? x[i] : greatest;
  });
  const auto powers = [&](double* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = std::exp(x[i] - greatest);
  };
  for_reals(r, o.to, [&](double* x, std::size_t n, std::size_t) {
    powers(x, n);
    for (std::size_t i = 0; i < n; ++i) sum += x[i];
  });
  for_reals(r, o.to, [&](double* x, std::size_t n, std::size_t first) {
    powers(x, n);
    for (std::size_t i = 0; i < n; ++i) x[i] /= sum;
    store(o.to, r, first, x, n);
  });
}
void layer_norm(const row& r, const row_operation& o) noexcept {
  const auto count = static_cast<double>(r.count);
  double sum = 0, squares = 0;
  for_reals(r, o.to, [&](const double* x, std::size_t n, std::size_t) {
    for (std::size_t i = 0; i < n; ++i) sum += x[i];
  });
  const double mean = sum / count;
  for_reals(r, o.to, [&](const double* x, std::size_t n, std::size_t) {
    for (std::size_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
  });
  const double scale = 1 / std::sqrt(squares / count + 1e-5);
  for_reals(r, o.to, [&](double* x, std::size_t n, std::size_t first) {
    double gamma[chunk], beta[chunk];
    load(o.to, r, 1, first, gamma, n);
    load(o.to, r, 2, first, beta, n);
    for (std::size_t i = 0; i < n; ++i) x[i] = (x[i] - mean) * scale * gamma[i] + beta[i];
    store(o.to, r, first, x, n);
  });
}

/// finish(results, n) changes them before they are stored.
template <class A, class F>
void reduce_by(tensors::reduction by, element_type type, const row& r, std::size_t depth,
               std::ptrdiff_t step, F&& finish) noexcept {
  using numbers = const std::int64_t[1];
  const tensors::fold_rows rows{
      {numbers{static_cast<std::int64_t>(r.count)},
       {numbers{r.in_step[0]}, numbers{0}, numbers{r.out_step}, numbers{0}}},
      {numbers{static_cast<std::int64_t>(depth)}, {numbers{step}, numbers{0}}}};
  tensors::fold<A>(by, rows, tensors::elements{type, r.in[0]},
                   [&](const tensors::row_place& at, A* results, std::size_t n) {
                     finish(results, n);
                     store(type, r.out, at.first, at.step, results, n);
                   });
}

// ---- choosing

/// One function for types that are floats, and one for integers.
[[nodiscard]] row_operation chosen(data_type type, row_operation::function floats,
                                   row_operation::function integers) noexcept {
  const element_type t = type_of(type);
  return {is_float(t) ? floats : integers, t, t};
}
template <tensors::unary Op>
[[nodiscard]] row_operation through_floats(data_type type) noexcept {
  return chosen(type, unary_floats<Op>, unary_floats<Op>);
}
template <class F, class OfIntegers = F>
[[nodiscard]] row_operation arithmetic(data_type type) noexcept {
  return chosen(type, binary_floats<F::kernel>, binary_integers<OfIntegers>);
}
template <class F>
[[nodiscard]] row_operation with_scalar(data_type type) noexcept {
  return chosen(type, scalar_floats<F::kernel>, scalar_integers<F>);
}

}  // namespace

row_operation row_of(op_type op, data_type type) noexcept {
  switch (op) {
    case op_type::add: return arithmetic<formulas::add>(type);
    case op_type::sub: return arithmetic<formulas::sub>(type);
    case op_type::mul: return arithmetic<formulas::mul>(type);
    case op_type::div: return arithmetic<formulas::div, formulas::trunc_divide>(type);
    case op_type::rope: return chosen(type, rope<float>, rope<word>);
    case op_type::scalar_add: return with_scalar<formulas::add>(type);
    case op_type::scalar_mul: return with_scalar<formulas::mul>(type);
    case op_type::scalar_assign: return chosen(type, fill, fill);
    case op_type::copy:
    case op_type::store:
    case op_type::transpose: return chosen(type, copy_elements, copy_elements);
    case op_type::exp: return through_floats<tensors::unary::exp>(type);
    case op_type::sqrt: return through_floats<tensors::unary::sqrt>(type);
    case op_type::rsqrt: return through_floats<tensors::unary::rsqrt>(type);
    case op_type::sigmoid: return through_floats<tensors::unary::sigmoid>(type);
    case op_type::gelu: return through_floats<tensors::unary::gelu>(type);
    case op_type::relu: return chosen(type, relu_floats, relu_integers);
    case op_type::softmax: return chosen(type, softmax, softmax);
    case op_type::layer_norm: return chosen(type, layer_norm, layer_norm);
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
  return {};
}

row_operation cast_row(data_type from, data_type to) noexcept {
  return {cast, type_of(from), type_of(to)};
}

static_assert(std::ranges::count(model::op_table, model::op_kind::reduce, &model::op_row::kind) ==
                  3,
              "sum, mean and max");
void reduce(op_type op, data_type type, const row& r, std::size_t depth,
            std::ptrdiff_t step) noexcept {
  using enum tensors::reduction;
  const element_type t = type_of(type);
  const auto keep = [](auto*, std::size_t) {};
  const auto divide = [depth]<class A>(A* sums, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) sums[i] /= static_cast<A>(depth);
  };
  if (op == op_type::reduce_sum)
    return is_float(t) ? reduce_by<double>(sum, t, r, depth, step, keep)
                       : reduce_by<std::int64_t>(sum, t, r, depth, step, keep);
  if (op == op_type::reduce_mean)
    return is_float(t) ? reduce_by<double>(sum, t, r, depth, step, divide)
                       : reduce_by<std::int64_t>(sum, t, r, depth, step, divide);
  if (!is_float(t)) return reduce_by<std::int64_t>(max_of_numbers, t, r, depth, step, keep);
  // Values below the smallest finite one become that.
  const float lowest = t == element_type::f16    ? -65504.0f
                       : t == element_type::bf16 ? -0x1.fep127f
                                                 : std::numeric_limits<float>::lowest();
  reduce_by<float>(max_of_numbers, t, r, depth, step, [lowest](float* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = std::max(x[i], lowest);
  });
}

void sum_segments(data_type type, const row& r, const segment_list& from,
                  std::uint64_t first) noexcept {
  const element_type t = type_of(type);
  const std::size_t size = size_of(t);
  const auto with = [&]<class A>(A) {
    A sums[chunk], added[chunk];
    std::byte part[chunk * sizeof(word)];
    for (std::size_t i = 0; i < r.count; i += chunk) {
      const std::size_t n = std::min(chunk, r.count - i);
      load(t, r, 0, i, sums, n);
      for (std::size_t s = 0; s < from.count; ++s) {
        const std::byte* const segment = from.data + s * from.distance;
        const std::uint64_t offset = (first + i) * size;
        if (from.packets)
          from_packets(segment, offset, n * size, part);
        else
          std::memcpy(part, segment + offset, n * size);
        tensors::load_row(t, part, 0, 1, added, n);
        for (std::size_t j = 0; j < n; ++j) sums[j] += added[j];
      }
      store(t, r, i, sums, n);
    }
  };
  is_float(t) ? with(float{}) : with(word{});
}

void multiply_integers(data_type type, std::size_t m, std::size_t n, std::size_t k,
                       const matrix_view& a, const matrix_view& b, std::byte* c,
                       std::ptrdiff_t c_step) noexcept {
  const element_type t = type_of(type);
  const auto at = [](std::size_t i, std::ptrdiff_t step) {
    return static_cast<std::int64_t>(i) * step;
  };
  word sums[chunk], row[chunk], x[chunk];
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; j += chunk) {
      const std::size_t columns = std::min(chunk, n - j);
      std::fill_n(sums, columns, word{});
      for (std::size_t p = 0; p < k; ++p) {
        if (p % chunk == 0)
          tensors::load_row(t, a.data, at(i, a.row_step) + at(p, a.column_step), a.column_step, x,
                            std::min(chunk, k - p));
        tensors::load_row(t, b.data, at(p, b.row_step) + at(j, b.column_step), b.column_step, row,
                          columns);
        for (std::size_t q = 0; q < columns; ++q) sums[q] += x[p % chunk] * row[q];
      }
      store(t, c, at(i, c_step) + static_cast<std::int64_t>(j), 1, sums, columns);
    }
}

element_type type_of(data_type type) noexcept {
  switch (type) {
    case data_type::fp32: return element_type::f32;
    case data_type::fp16: return element_type::f16;
    case data_type::bf16: return element_type::bf16;
    case data_type::int32: return element_type::i32;
    case data_type::uint32: return element_type::u32;
    case data_type::int8: return element_type::i8;
    case data_type::uint8:
    case data_type::byte:
    case data_type::fp8_e4m3:
    case data_type::fp8_e5m2: break;
  }
  return element_type::u8;
}

void round_scalar(data_type type, float value, row& to) noexcept {
  const element_type t = type_of(type);
  std::byte element[sizeof value];
  tensors::store_row<tensors::ark_semantics>(t, element, 0, 1, &value, 1);
  if (is_float(t))
    tensors::load_row(t, element, 0, 1, &to.scalar, 1);
  else
    tensors::load_row(t, element, 0, 1, &to.integer, 1);
}

bool has_zero(data_type type, const row& r) noexcept {
  bool found = false;
  word part[chunk];
  for (std::size_t i = 0; i < r.count && !found; i += chunk) {
    const std::size_t n = std::min(chunk, r.count - i);
    load(type_of(type), r, 1, i, part, n);
    found = std::find(part, part + n, word{}) != part + n;
  }
  return found;
}

bool rounds_twice(data_type type, float value) noexcept {
  if (value == 0 || !std::isfinite(value)) return false;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto differ = [bits]<class Half>(tensors::of<Half>) {
    return Half(std::bit_cast<float>(bits - 1)).bits != Half(std::bit_cast<float>(bits + 1)).bits;
  };
  if (type == data_type::fp16) return differ(tensors::of<tensors::half>{});
  return type == data_type::bf16 && differ(tensors::of<tensors::bfloat16>{});
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
