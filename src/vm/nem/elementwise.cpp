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
#include <type_traits>

#include "elements.hpp"
#include "opcodes.hpp"
#include "operations.hpp"
#include "pairs.hpp"
#include "tensor/convert.hpp"
#include "tensor/formulas.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

namespace formulas = tensors::formulas;

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

/// Functions with their formula and their kernel, which may err in the last place of a float.
#define TESSERA_NEM_FUNCTIONS(X)                                                                   \
  X(sigmoid, sigmoid, unary::sigmoid)                                                              \
  X(tanh, tanh, unary::tanh)                                                                       \
  X(exp, exp, unary::exp)                                                                          \
  X(gelu, gelu_erfc, unary::gelu_erf)                                                              \
  X(silu, silu, unary::silu)                                                                       \
  X(relu, relu_of_zeros, none)                                                                     \
  X(log, log, none)                                                                                \
  X(sqrt, sqrt, none)                                                                              \
  X(abs, abs, none)                                                                                \
  X(neg, neg, none)

/// Calls f with the function of real numbers and its kernel.
template <class F>
void with_function(unary_opcode op, double alpha, F&& f) {
  using tensors::unary, formulas::none;
  switch (op) {
#define TESSERA_X(name, formula, kernel)                                                           \
  case unary_opcode::name: return f([](double x) { return formulas::formula::of(x); }, kernel);
    TESSERA_NEM_FUNCTIONS(TESSERA_X)
#undef TESSERA_X
    case unary_opcode::leaky_relu:
      return f([alpha](double x) { return formulas::scaled_leaky_relu<double>{alpha}.of(x); },
               none);
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

/// In float. False where that isn't enough.
[[nodiscard]] bool apply_to_floats(unary_opcode op, float alpha, const tensor& x, const tensor& y) {
  const auto by_kernel = [&](tensors::unary k) {
    each_row<float>(x, y, [k](float* row, std::size_t n) { tensors::apply(k, row, row, n); });
  };
  const auto by_formula = [&]<class F>(F f) {
    each<float>(x, y, [f](float v) { return f.of(v); });
    return true;
  };
  const bool is_f32 = x.element == element::f32;
  switch (op) {
    case unary_opcode::relu: return by_formula(formulas::relu_of_zeros{});
    case unary_opcode::abs: return by_formula(formulas::abs{});
    case unary_opcode::neg: return by_formula(formulas::neg{});
    case unary_opcode::sqrt: by_kernel(tensors::unary::sqrt); return true;
    case unary_opcode::leaky_relu:
      return is_f32 && by_formula(formulas::scaled_leaky_relu<float>{alpha});
    case unary_opcode::sigmoid:
    case unary_opcode::tanh:
    case unary_opcode::exp:
    case unary_opcode::log:
    case unary_opcode::gelu:
    case unary_opcode::silu: break;
  }
  bool done = false;
  with_function(op, alpha, [&]<class K>(auto f, K kernel) {
    if constexpr (std::is_same_v<K, tensors::unary>) {
      if (is_f32)
        by_kernel(kernel);
      else
        each_short(x, y, kernel, f);
      done = true;
    }
  });
  return done;
}
/// Integers that stay such. False where a function has to be rounded.
[[nodiscard]] bool apply_to_integers(unary_opcode op, float alpha, const tensor& x,
                                     const tensor& y) {
  using number = std::int64_t;
  const auto by_formula = [&]<class T, class F>(T, F) {
    each<T>(x, y, [](T v) { return F::of(v); });
    return true;
  };
  switch (op) {
    case unary_opcode::relu: return by_formula(number{}, formulas::relu_of_zeros{});
    case unary_opcode::abs: return by_formula(number{}, formulas::abs{});
    case unary_opcode::neg: return by_formula(std::uint32_t{}, formulas::neg{});
    case unary_opcode::leaky_relu: {
      const integer_range range = range_of(y.element);
      each<number>(x, y, [&](number v) {
        return v >= 0 ? v : saturate(double{alpha} * static_cast<double>(v), range);
      });
      return true;
    }
    case unary_opcode::sigmoid:
    case unary_opcode::tanh:
    case unary_opcode::exp:
    case unary_opcode::log:
    case unary_opcode::sqrt:
    case unary_opcode::gelu:
    case unary_opcode::silu: break;
  }
  return false;
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
void apply_unary_to(unary_opcode op, double exact_alpha, bool quantized, const tensor& x,
                    const tensor& y) {
  const auto alpha = static_cast<float>(exact_alpha);
  if (!x.is_integer()) {
    if (apply_to_floats(op, alpha, x, y)) return;
  } else if (!quantized && apply_to_integers(op, alpha, x, y)) {
    return;
  }
  with_function(op, alpha, [&](auto f, auto) { each_real(x, y, quantized, f); });
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

[[nodiscard]] verdict combine_integers(binary_opcode op, const tensor& a, const tensor& b,
                                       const tensor& y) {
  using number = std::int64_t;
  const auto by_formula = [&]<class T, class F>(T, F) {
    each<T>(a, b, y, [](T p, T q) { return F::of(p, q); });
    return verdict{};
  };
  switch (op) {
    case binary_opcode::add: return by_formula(std::uint32_t{}, formulas::add{});
    case binary_opcode::sub: return by_formula(std::uint32_t{}, formulas::sub{});
    case binary_opcode::mul: return by_formula(std::uint32_t{}, formulas::mul{});
    case binary_opcode::min: return by_formula(number{}, formulas::minimum{});
    case binary_opcode::max: return by_formula(number{}, formulas::maximum{});
    case binary_opcode::div:
      return each_partial(a, b, y, [](number p, number q, number& to) {
        if (q != 0) to = formulas::trunc_divide::of(p, q);
        return q != 0;
      });
    case binary_opcode::pow:
      return each_partial(a, b, y, [](number p, number q, number& to) {
        to = formulas::pow::of(p, q);
        return p != 0 || q >= 0;
      });
  }
  return {};
}
/// Calls f with the formula of an operation on real numbers.
template <class F>
void with_formula(binary_opcode op, F&& f) {
  switch (op) {
    case binary_opcode::add: return f(formulas::add{});
    case binary_opcode::sub: return f(formulas::sub{});
    case binary_opcode::mul: return f(formulas::mul{});
    case binary_opcode::div: return f(formulas::div{});
    case binary_opcode::min: return f(formulas::ordered_min{});
    case binary_opcode::max: return f(formulas::ordered_max{});
    case binary_opcode::pow: return f(formulas::pow{});
  }
}
/// `quantized`: the integers' values; otherwise floats.
void combine_reals(binary_opcode op, bool quantized, const tensor& a, const tensor& b,
                   const tensor& y) {
  with_formula(op, [&]<class F>(F) {
    if constexpr (formulas::has_kernel<F>) {
      if (!quantized)
        return each_row<float>(a, b, y,
                               [](float* left, const float* right, std::size_t n, std::int64_t) {
                                 tensors::apply(F::kernel, left, right, left, n);
                               });
    } else if constexpr (!std::is_same_v<F, formulas::pow>) {
      if (!quantized) return each<float>(a, b, y, [](float p, float q) { return F::of(p, q); });
    }
    each_real(a, b, y, quantized, [](double p, double q) { return F::of(p, q); });
  });
}

// clamp.

void clamp_to(double lower, double upper, bool quantized, const tensor& x, const tensor& y) {
  using formulas::ordered_greatest, formulas::ordered_least;
  if (!x.is_integer()) {
    // Rounding keeps the order of numbers, so that bounds may be rounded before.
    const float low = as_element(x.element, lower), high = as_element(x.element, upper);
    each<float>(x, y, [=](float v) { return ordered_least(ordered_greatest(v, low), high); });
  } else if (quantized) {
    each_real(x, y, true,
              [=](double v) { return ordered_least(ordered_greatest(v, lower), upper); });
  } else {
    const integer_range range = range_of(x.element);
    const std::int64_t low = saturate(std::ceil(lower), range);
    const std::int64_t high = saturate(std::floor(upper), range);
    const formulas::clamp<std::int64_t> f{low, high};
    each<std::int64_t>(x, y, [f](std::int64_t v) { return f.of(v); });
  }
}

}  // namespace

verdict apply_unary(const call& c, workspace&) {
  const bool quantized = c.inputs[0].is_integer() && is_quantized(c);
  apply_by_table(c.inputs[0], c.outputs[0], [&](const tensor& x, const tensor& y) {
    apply_unary_to(as<unary_opcode>(c.opcode), c.attributes.alpha, quantized, x, y);
  });
  return {};
}

verdict apply_binary(const call& c, workspace&) {
  const tensor &a = c.inputs[0], &b = c.inputs[1], &y = c.outputs[0];
  const bool quantized = a.is_integer() && is_quantized(c);
  if (a.is_integer() && !quantized) return combine_integers(as<binary_opcode>(c.opcode), a, b, y);
  combine_reals(as<binary_opcode>(c.opcode), quantized, a, b, y);
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
