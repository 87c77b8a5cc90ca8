// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations on each element.
//
//   how                 floats                               integers
//   rows of float       what is rounded correctly there;     -
//                       what the kernels have
//   rows of double      the other functions                  quantized values; functions that need
//                                                            rounding
//   rows of int64       -                                    division, powers, comparisons
//   rows of patterns    -                                    what wraps
//   a table             -                                    one operand of bytes, where there are
//                                                            more elements than patterns
//
// + - * / and the root of 16-bit floats are computed in float: its 24 bits are enough for the second
// rounding to do no harm.

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "elements.hpp"
#include "operations.hpp"
#include "pairs.hpp"
#include "tensor/convert.hpp"
#include "tensor/elementwise.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

// NaNs pass, and -0 is less than +0. By masks, so that loops need no branch.
template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T>
[[nodiscard]] T chosen(T a, T b, bool is_a, bool is_b, bits_of<T> equal) noexcept {
  using bits = bits_of<T>;
  const auto mask = [](bool x) { return bits{0} - static_cast<bits>(x); };
  const bits left = mask(is_a), right = mask(is_b), same = mask(a == b);
  constexpr auto nan = std::bit_cast<bits>(std::numeric_limits<T>::quiet_NaN());
  return std::bit_cast<T>((std::bit_cast<bits>(a) & left) | (std::bit_cast<bits>(b) & right) |
                          (equal & same) | (nan & ~(left | right | same)));
}
template <class T>
[[nodiscard]] T lesser(T a, T b) noexcept {
  return chosen(a, b, a < b, b < a, std::bit_cast<bits_of<T>>(a) | std::bit_cast<bits_of<T>>(b));
}
template <class T>
[[nodiscard]] T greater(T a, T b) noexcept {
  return chosen(a, b, a > b, b > a, std::bit_cast<bits_of<T>>(a) & std::bit_cast<bits_of<T>>(b));
}

/// The value that a number has as an element.
[[nodiscard]] float as_element(element type, double x) {
  std::byte memory[4];
  tensor one;
  one.data = memory;
  one.element = type;
  float value = 0;
  store(one, 0, 1, &x, 1);
  load(one, 0, 1, &value, 1);
  return value;
}

// One operand.

/// Has a function of its own, so that what that holds is known not to be in the row.
template <class T, class F>
void change(T* row, std::size_t n, F f) {
  for (std::size_t i = 0; i < n; ++i) row[i] = f(row[i]);
}
template <class T, class F>
void each(const tensor& x, const tensor& y, F f) {
  each_row<T>(x, y, [&](T* row, std::size_t n) { change(row, n, f); });
}
template <class F>
void each_real(const tensor& x, const tensor& y, bool quantized, F f) {
  if (!quantized) return each<double>(x, y, f);
  double row[part_size];
  pairs of_x(x), of_y(y);
  const rows<4> r(y.shape, {x.strides, y.strides, of_x.strides(), of_y.strides()});
  each_part(r, [&](const auto& at, std::size_t n) {
    of_x.find(at[2], r.steps()[2], n);
    of_y.find(at[3], r.steps()[3], n);
    load(x, at[0], r.steps()[0], row, n);
    of_x.to_real(row, n);
    change(row, n, f);
    of_y.from_real(row, n);
    store(y, at[1], r.steps()[1], row, n);
  });
}

/// Calls f with the function of real numbers.
template <class F>
void with_function(opcode op, double alpha, F&& f) {
  switch (op) {
    case opcode::relu: return f([](double x) { return x > 0 || x != x ? x : 0.0; });
    case opcode::leaky_relu: return f([alpha](double x) { return x * (x >= 0 ? 1 : alpha); });
    case opcode::sigmoid: return f([](double x) { return 1 / (1 + std::exp(-x)); });
    case opcode::tanh: return f([](double x) { return std::tanh(x); });
    case opcode::exp: return f([](double x) { return std::exp(x); });
    case opcode::log: return f([](double x) { return std::log(x); });
    case opcode::sqrt: return f([](double x) { return std::sqrt(x); });
    case opcode::abs: return f([](double x) { return std::fabs(x); });
    case opcode::neg: return f([](double x) { return -x; });
    case opcode::gelu:  // 1 + erf(z) is erfc(-z), which keeps its digits where it is small
      return f([](double x) { return 0.5 * x * std::erfc(x * -0.70710678118654752440); });
    case opcode::silu: return f([](double x) { return x / (1 + std::exp(-x)); });
    default: return;
  }
}

/// A function of 16-bit floats in float: where not all numbers around the result have the same
/// pattern, it is computed again in double.
template <class F>
void each_short(const tensor& x, const tensor& y, tensors::unary k, F f) {
  const auto narrow =
      y.element == element::f16 ? tensors::halves_from_floats : tensors::bfloat16s_from_floats;
  each_row<float>(x, y, [&](float* row, std::size_t n) {
    float value[part_size], nearer[part_size], farther[part_size];
    std::uint16_t low[part_size], high[part_size];
    tensors::apply(k, row, value, n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(value[i]);
      nearer[i] = std::bit_cast<float>(bits - ((bits & 0x7fffffffu) != 0 ? 1u : 0u));
      farther[i] = std::bit_cast<float>(bits + 1);
    }
    narrow(nearer, low, n, tensors::best_level());
    narrow(farther, high, n, tensors::best_level());
    for (std::size_t i = 0; i < n; ++i)
      row[i] = low[i] == high[i] ? value[i] : as_element(y.element, f(double{row[i]}));
  });
}

/// The function of the kernels; they may err in the last place of a float.
[[nodiscard]] std::optional<tensors::unary> kernel_of(opcode op) noexcept {
  switch (op) {
    case opcode::sigmoid: return tensors::unary::sigmoid;
    case opcode::tanh: return tensors::unary::tanh;
    case opcode::exp: return tensors::unary::exp;
    case opcode::gelu: return tensors::unary::gelu_erf;
    case opcode::silu: return tensors::unary::silu;
    default: return {};
  }
}
/// In float. False where that isn't enough.
[[nodiscard]] bool apply_to_floats(opcode op, float alpha, const tensor& x, const tensor& y) {
  const auto by_kernel = [&](tensors::unary k) {
    each_row<float>(x, y, [k](float* row, std::size_t n) { tensors::apply(k, row, row, n); });
  };
  const bool is_f32 = x.element == element::f32;
  switch (op) {
    case opcode::relu:
      each<float>(x, y, [](float v) { return v > 0 || v != v ? v : 0.0f; });
      return true;
    case opcode::abs: each<float>(x, y, [](float v) { return std::fabs(v); }); return true;
    case opcode::neg: each<float>(x, y, [](float v) { return -v; }); return true;
    case opcode::sqrt: by_kernel(tensors::unary::sqrt); return true;
    case opcode::leaky_relu:
      if (is_f32) each<float>(x, y, [alpha](float v) { return v * (v >= 0 ? 1 : alpha); });
      return is_f32;
    default: break;
  }
  const std::optional<tensors::unary> k = kernel_of(op);
  if (!k) return false;
  if (is_f32)
    by_kernel(*k);
  else
    with_function(op, alpha, [&](auto f) { each_short(x, y, *k, f); });
  return true;
}
/// Integers that stay such. False where a function has to be rounded.
[[nodiscard]] bool apply_to_integers(opcode op, float alpha, const tensor& x, const tensor& y) {
  using number = std::int64_t;
  switch (op) {
    case opcode::relu: each<number>(x, y, [](number v) { return v > 0 ? v : 0; }); return true;
    case opcode::abs: each<number>(x, y, [](number v) { return v < 0 ? -v : v; }); return true;
    case opcode::neg: each<std::uint32_t>(x, y, [](std::uint32_t v) { return 0 - v; }); return true;
    case opcode::leaky_relu: {
      const integer_range range = range_of(y.element);
      each<number>(x, y, [&](number v) {
        return v >= 0 ? v : saturate(double{alpha} * static_cast<double>(v), range);
      });
      return true;
    }
    default: return false;
  }
}

/// Does an operation on elements of a byte by a table, where that pays; f(x, y) is the operation.
template <class F>
void apply_by_table(const tensor& x, const tensor& y, F&& f) {
  constexpr std::int64_t count = 256, step = 1;
  const auto has_one_pair = [](const tensor& t) {
    return t.quant == nullptr || t.quant->form == model::quantization::per_tensor;
  };
  if (model::bitwidth(x.element) != 8 || !has_one_pair(x) || !has_one_pair(y) ||
      y.count() < 2 * count)
    return f(x, y);
  std::byte memory[count];
  for (std::size_t i = 0; i < count; ++i) memory[i] = static_cast<std::byte>(i);
  tensor from = x;
  from.data = memory;
  from.extent = count;
  from.shape = {&count, 1};
  from.strides = {&step, 1};
  tensor to = from;
  to.quant = y.quant;
  f(from, to);
  std::uint32_t table[count];
  load_bits(to, 0, step, table, count);
  each<std::uint32_t>(x, y, [&](std::uint32_t v) { return table[v]; });
}
void apply_unary_to(opcode op, double exact_alpha, bool quantized, const tensor& x,
                    const tensor& y) {
  const auto alpha = static_cast<float>(exact_alpha);
  if (!x.is_integer()) {
    if (apply_to_floats(op, alpha, x, y)) return;
  } else if (!quantized && apply_to_integers(op, alpha, x, y)) {
    return;
  }
  with_function(op, alpha, [&](auto f) { each_real(x, y, quantized, f); });
}

// Two operands.

template <class T, class F>
void combine(T* left, const T* right, std::size_t n, F f) {
  for (std::size_t i = 0; i < n; ++i) left[i] = f(left[i], right[i]);
}
/// f(left, right, n, index) changes the left row; `index` is that of its first element in the order
/// of the shape.
template <class T, class F>
void each_row(const tensor& a, const tensor& b, const tensor& y, F f) {
  T left[part_size], right[part_size];
  std::int64_t index = 0;
  const rows<3> r(y.shape, {a.strides, b.strides, y.strides});
  each_part(r, [&](const auto& at, std::size_t n) {
    read_row(a, at[0], r.steps()[0], left, n);
    read_row(b, at[1], r.steps()[1], right, n);
    f(left, right, n, index);
    write_row(y, at[2], r.steps()[2], left, n);
    index += static_cast<std::int64_t>(n);
  });
}
template <class T, class F>
void each(const tensor& a, const tensor& b, const tensor& y, F f) {
  each_row<T>(a, b, y, [&](T* left, const T* right, std::size_t n, std::int64_t) {
    combine(left, right, n, f);
  });
}
template <class F>
void each_real(const tensor& a, const tensor& b, const tensor& y, bool quantized, F f) {
  if (!quantized) return each<double>(a, b, y, f);
  double left[part_size], right[part_size];
  pairs of_a(a), of_b(b), of_y(y);
  const rows<6> r(
      y.shape, {a.strides, b.strides, y.strides, of_a.strides(), of_b.strides(), of_y.strides()});
  each_part(r, [&](const auto& at, std::size_t n) {
    of_a.find(at[3], r.steps()[3], n);
    of_b.find(at[4], r.steps()[4], n);
    of_y.find(at[5], r.steps()[5], n);
    load(a, at[0], r.steps()[0], left, n);
    load(b, at[1], r.steps()[1], right, n);
    of_a.to_real(left, n);
    of_b.to_real(right, n);
    combine(left, right, n, f);
    of_y.from_real(left, n);
    store(y, at[2], r.steps()[2], left, n);
  });
}
/// f(a, b, to) is false where there is no value.
template <class F>
[[nodiscard]] verdict each_partial(const tensor& a, const tensor& b, const tensor& y, F f) {
  verdict found;
  each_row<std::int64_t>(
      a, b, y,
      [&](std::int64_t* left, const std::int64_t* right, std::size_t n, std::int64_t index) {
        for (std::size_t i = 0; i < n; ++i) {
          std::int64_t value = 0;
          if (!f(left[i], right[i], value) && found) {
            found.code = errc::nem_rt_div0;
            found.element = index + static_cast<std::int64_t>(i);
          }
          left[i] = value;
        }
      });
  return found;
}

/// The low bits of a power. False for 0 to a negative one.
[[nodiscard]] bool power(std::int64_t base, std::int64_t exponent, std::int64_t& to) noexcept {
  if (exponent < 0) {
    const bool is_odd = exponent % 2 != 0;
    to = base == 1 ? 1 : base == -1 ? (is_odd ? -1 : 1) : 0;
    return base != 0;
  }
  std::uint64_t product = 1, factor = static_cast<std::uint64_t>(base);
  for (; exponent != 0; exponent >>= 1, factor *= factor)
    if ((exponent & 1) != 0) product *= factor;
  to = static_cast<std::int64_t>(product);
  return true;
}

[[nodiscard]] verdict combine_integers(opcode op, const tensor& a, const tensor& b,
                                       const tensor& y) {
  using number = std::int64_t;
  using pattern = std::uint32_t;
  switch (op) {
    case opcode::add: each<pattern>(a, b, y, [](pattern p, pattern q) { return p + q; }); break;
    case opcode::sub: each<pattern>(a, b, y, [](pattern p, pattern q) { return p - q; }); break;
    case opcode::mul: each<pattern>(a, b, y, [](pattern p, pattern q) { return p * q; }); break;
    case opcode::min:
      each<number>(a, b, y, [](number p, number q) { return q < p ? q : p; });
      break;
    case opcode::max:
      each<number>(a, b, y, [](number p, number q) { return p < q ? q : p; });
      break;
    case opcode::div:
      return each_partial(a, b, y, [](number p, number q, number& to) {
        if (q != 0) to = p / q;
        return q != 0;
      });
    case opcode::pow: return each_partial(a, b, y, power);
    default: break;
  }
  return {};
}
void combine_floats(opcode op, const tensor& a, const tensor& b, const tensor& y) {
  const auto by_kernel = [&](tensors::binary k) {
    each_row<float>(a, b, y, [k](float* left, const float* right, std::size_t n, std::int64_t) {
      tensors::apply(k, left, right, left, n);
    });
  };
  switch (op) {
    case opcode::add: return by_kernel(tensors::binary::add);
    case opcode::sub: return by_kernel(tensors::binary::sub);
    case opcode::mul: return by_kernel(tensors::binary::mul);
    case opcode::div: return by_kernel(tensors::binary::div);
    case opcode::min: return each<float>(a, b, y, [](float p, float q) { return lesser(p, q); });
    case opcode::max: return each<float>(a, b, y, [](float p, float q) { return greater(p, q); });
    default: return each_real(a, b, y, false, [](double p, double q) { return std::pow(p, q); });
  }
}
void combine_quantized(opcode op, const tensor& a, const tensor& b, const tensor& y) {
  const auto run = [&](auto f) { each_real(a, b, y, true, f); };
  switch (op) {
    case opcode::add: return run([](double p, double q) { return p + q; });
    case opcode::sub: return run([](double p, double q) { return p - q; });
    case opcode::mul: return run([](double p, double q) { return p * q; });
    case opcode::div: return run([](double p, double q) { return p / q; });
    case opcode::min: return run([](double p, double q) { return lesser(p, q); });
    case opcode::max: return run([](double p, double q) { return greater(p, q); });
    default: return run([](double p, double q) { return std::pow(p, q); });
  }
}

// clamp.

void clamp_to(double lower, double upper, bool quantized, const tensor& x, const tensor& y) {
  if (!x.is_integer()) {
    // Rounding keeps the order of numbers, so that bounds may be rounded before.
    const float low = as_element(x.element, lower), high = as_element(x.element, upper);
    each<float>(x, y, [=](float v) { return lesser(greater(v, low), high); });
  } else if (quantized) {
    each_real(x, y, true, [=](double v) { return lesser(greater(v, lower), upper); });
  } else {
    const integer_range range = range_of(x.element);
    const std::int64_t low = saturate(std::ceil(lower), range);
    const std::int64_t high = saturate(std::floor(upper), range);
    each<std::int64_t>(x, y, [=](std::int64_t v) {
      const std::int64_t raised = v < low ? low : v;
      return raised > high ? high : raised;
    });
  }
}

}  // namespace

verdict apply_unary(const call& c, workspace&) {
  const bool quantized = c.inputs[0].is_integer() && is_quantized(c);
  apply_by_table(c.inputs[0], c.outputs[0], [&](const tensor& x, const tensor& y) {
    apply_unary_to(c.opcode, c.attributes.alpha, quantized, x, y);
  });
  return {};
}

verdict apply_binary(const call& c, workspace&) {
  const tensor &a = c.inputs[0], &b = c.inputs[1], &y = c.outputs[0];
  if (!a.is_integer())
    combine_floats(c.opcode, a, b, y);
  else if (is_quantized(c))
    combine_quantized(c.opcode, a, b, y);
  else
    return combine_integers(c.opcode, a, b, y);
  return {};
}

verdict clamp(const call& c, workspace&) {
  const bool quantized = c.inputs[0].is_integer() && is_quantized(c);
  apply_by_table(c.inputs[0], c.outputs[0], [&](const tensor& x, const tensor& y) {
    clamp_to(c.attributes.min_val, c.attributes.max_val, quantized, x, y);
  });
  return {};
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
