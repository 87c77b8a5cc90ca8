// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations on complex tensors, made of those on their real and imaginary parts: what moves or adds
// elements is done to each part, products are four real ones, and a few functions have formulas.

#include "complex.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace operations {

tensor part_of(call& c, const tensor& pairs, std::int64_t part) {
  return tensor_of(c, model::operation::select,
                   {pairs, make_number(c.arena, std::int64_t{-1}), make_number(c.arena, part)});
}
tensor paired(call& c, const tensor& real, const tensor& imaginary) {
  return tensor_of(
      c, model::operation::stack,
      {value(std::vector<value>{real, imaginary}), make_number(c.arena, std::int64_t{-1})});
}

}  // namespace operations

namespace {

using model::operation;
using operations::dims_of;
using operations::paired;
using operations::part_of;

/// What is done to each part. The letters are those of operands with elements of the result, of
/// which real ones have imaginary parts of zero; all others are the same for both.
struct part_wise {
  operation what;
  std::string_view letters = "0";
};
constexpr part_wise by_parts[] = {{operation::add, "01"},
                                  {operation::sub, "01"},
                                  {operation::rsub, "01"},
                                  {operation::where, "12"},
                                  {operation::cat},
                                  {operation::stack},
                                  {operation::hstack},
                                  {operation::vstack},
                                  {operation::neg},
                                  {operation::positive},
                                  {operation::sum},
                                  {operation::mean},
                                  {operation::cumsum},
                                  {operation::view},
                                  {operation::reshape_as},
                                  {operation::flatten},
                                  {operation::unflatten},
                                  {operation::unsqueeze},
                                  {operation::squeeze},
                                  {operation::transpose},
                                  {operation::permute},
                                  {operation::movedim},
                                  {operation::expand},
                                  {operation::expand_as},
                                  {operation::repeat},
                                  {operation::tile},
                                  {operation::flip},
                                  {operation::roll},
                                  {operation::slice},
                                  {operation::select},
                                  {operation::narrow},
                                  {operation::index},
                                  {operation::index_select},
                                  {operation::gather},
                                  {operation::split},
                                  {operation::split_with_sizes},
                                  {operation::chunk},
                                  {operation::unbind},
                                  {operation::diagonal},
                                  {operation::triu},
                                  {operation::tril},
                                  {operation::zeros_like},
                                  {operation::reverse_axes},
                                  {operation::unfold},
                                  {operation::masked_select},
                                  {operation::take_along_dim},
                                  {operation::full_like, "01"},
                                  {operation::copy, "01"},
                                  {operation::masked_fill, "02"},
                                  {operation::scatter, "03"},
                                  {operation::scatter_add, "03"},
                                  {operation::index_add, "03"},
                                  {operation::index_copy, "03"},
                                  {operation::slice_scatter, "01"},
                                  {operation::select_scatter, "01"}};
/// Those whose result is linear in each of two operands, the first of which is this argument.
struct bilinear {
  operation what;
  std::size_t first = 0;
};
constexpr bilinear products[] = {{operation::mul},
                                 {operation::matmul},
                                 {operation::outer},
                                 {operation::kron},
                                 {operation::einsum, 1}};

/// Made of operations that take complex tensors.
constexpr operation made_of_others[] = {operation::transpose_matrices, operation::adjoint,
                                        operation::linalg_diagonal, operation::vecdot};

/// The operation on other arguments, in the same order.
[[nodiscard]] value run_with(call& c, std::span<const value> arguments) {
  std::vector<const value*> all;
  for (const value& v : arguments) all.push_back(&v);
  call inner(c.arena, c.work, c.operation, c.binding(), all);
  return run(inner);
}
[[nodiscard]] value complex_of(call& c, const value& real, const value& imaginary) {
  if (!real.is_list()) return value::complex(paired(c, real.as_tensor(), imaginary.as_tensor()));
  std::vector<value> all;
  for (std::size_t i = 0; i < real.as_list().size(); ++i)
    all.push_back(complex_of(c, real.as_list()[i], imaginary.as_list()[i]));
  return value(std::move(all));
}

/// A part of an operand with elements of the result.
[[nodiscard]] value operand_part(call& c, const value& v, std::int64_t part) {
  if (v.is_complex()) return part_of(c, v.as_tensor(), part);
  if (part == 0 || !v.is_tensor()) return v;
  if (v.as_tensor().is_number) return make_number(c.arena, std::int64_t{0});
  return result_of(c, operation::zeros_like, {v});
}
[[nodiscard]] value in_parts(call& c, std::string_view letters) {
  value results[2];
  for (std::int64_t part = 0; part < 2; ++part) {
    std::vector<value> given;
    for (const value* const v : c.arguments())
      given.push_back(v->is_complex() ? value(part_of(c, v->as_tensor(), part)) : *v);
    for (const char letter : letters) {
      const auto at = static_cast<std::size_t>(letter - '0');
      for (std::size_t k = 0; k < c.count(at); ++k)
        given[c.binding().first[at] + k] = operand_part(c, c.at(at, k), part);
    }
    results[part] = run_with(c, given);
  }
  return complex_of(c, results[0], results[1]);
}
// The last of its tensors are the elements; those before are indices.
[[nodiscard]] value index_put_of(call& c) {
  value results[2];
  for (std::int64_t part = 0; part < 2; ++part) {
    std::vector<value> given;
    for (const value* const v : c.arguments()) given.push_back(*v);
    for (const std::size_t at : {std::size_t{0}, c.binding().first[1] + c.count(1) - 1})
      given[at] = operand_part(c, given[at], part);
    results[part] = run_with(c, given);
  }
  return complex_of(c, results[0], results[1]);
}

/// (a + bi)(c + di); a real operand has one part only.
[[nodiscard]] value product_of(call& c, std::size_t first) {
  const std::span<const value* const> given = c.arguments();
  if (given.size() < first + 2 || (first != 0 && given.size() != first + 2))
    fail(errc::nac_run_kind, "complex operands, but not two; expected two");
  const auto of = [&](std::int64_t left, std::int64_t right) -> value {
    std::vector<value> all;
    for (const value* const v : given) all.push_back(*v);
    const std::int64_t parts[] = {left, right};
    for (std::size_t k = 0; k < 2; ++k) {
      value& v = all[first + k];
      if (v.is_complex())
        v = part_of(c, v.as_tensor(), parts[k]);
      else if (parts[k] != 0)
        return {};
    }
    return run_with(c, all);
  };
  const auto either = [&](operation o, const value& a, const value& b) {
    if (a.is_none()) return o == operation::sub ? result_of(c, operation::neg, {b}) : b;
    return b.is_none() ? a : result_of(c, o, {a, b});
  };
  const value real = either(operation::sub, of(0, 0), of(1, 1));
  return complex_of(c, real, either(operation::add, of(0, 1), of(1, 0)));
}

[[nodiscard]] value conjugate(call& c, const tensor& pairs) {
  return value::complex(
      paired(c, part_of(c, pairs, 0), tensor_of(c, operation::neg, {part_of(c, pairs, 1)})));
}
/// size (cos angle + i sin angle).
[[nodiscard]] value by_angle(call& c, const tensor& size, const tensor& angle) {
  const auto part = [&](operation o) {
    return tensor_of(c, operation::mul, {size, tensor_of(c, o, {angle})});
  };
  return value::complex(paired(c, part(operation::cos), part(operation::sin)));
}
[[nodiscard]] value quotient_of(call& c) {
  const value &a = c.at(0), &b = c.at(1);
  if (!b.is_complex()) {
    const auto part = [&](std::int64_t k) {
      return tensor_of(c, operation::div, {part_of(c, a.as_tensor(), k), b});
    };
    return value::complex(paired(c, part(0), part(1)));
  }
  const tensor re = part_of(c, b.as_tensor(), 0), im = part_of(c, b.as_tensor(), 1);
  const tensor size =
      tensor_of(c, operation::add,
                {tensor_of(c, operation::square, {re}), tensor_of(c, operation::square, {im})});
  const value turned = conjugate(c, b.as_tensor());
  const value top = result_of(c, operation::mul, {a, turned});
  return result_of(c, operation::div, {top, size});
}

/// The elements in another type: of a complex one, or without their imaginary parts.
[[nodiscard]] value converted(call& c, const tensor& pairs) {
  for (std::size_t k = 0; k < c.count(1); ++k) {
    const value& to = c.at(1, k);
    if (to.is_complex()) return value::complex(cast(c.arena, pairs, to.as_tensor().type));
    if (to.is_tensor()) return cast(c.arena, part_of(c, pairs, 0), to.as_tensor().type);
    if (to.what() != value::form::string) continue;
    if (const std::optional<data_type> t = parts_named(to.as_string()))
      return value::complex(cast(c.arena, pairs, *t));
    if (const std::optional<data_type> t = type_named(to.as_string()))
      return cast(c.arena, part_of(c, pairs, 0), *t);
  }
  return c.at(0);
}
/// The root with a real part that isn't negative.
[[nodiscard]] value root_of(call& c, const tensor& re, const tensor& im) {
  const auto of = [&](operation o, const value& a, const value& b) {
    return tensor_of(c, o, {a, b});
  };
  const tensor size = tensor_of(c, operation::hypot, {re, im});
  const value half = make_number(c.arena, 0.5);
  const auto root =
      [&](operation o) {  // of (size + re) / 2 or (size - re) / 2, which is not below 0
        const tensor sum =
            tensor_of(c, operation::relu, {of(operation::mul, of(o, size, re), half)});
        return tensor_of(c, operation::sqrt, {sum});
      };
  return value::complex(
      paired(c, root(operation::add), of(operation::copysign, root(operation::sub), im)));
}
/// A power: by products for a small whole exponent, else by logarithms.
[[nodiscard]] value power_of(call& c) {
  const value &base = c.at(0), &exponent = c.at(1);
  if (base.is_complex() && exponent.is_tensor() && exponent.as_tensor().is_number) {
    const double n = call::number_of(exponent).real;
    if (n == 0.5) return result_of(c, operation::sqrt, {base});
    if (n == 0) return result_of(c, operation::ones_like, {base});
    value product = base;
    for (double k = 1; k < n && n <= 8 && n == static_cast<int>(n); ++k)
      product = result_of(c, operation::mul, {product, base});
    if (n >= 1 && n <= 8 && n == static_cast<int>(n)) return product;
  }
  const value logarithm = result_of(c, operation::log, {base});
  return result_of(c, operation::exp, {result_of(c, operation::mul, {logarithm, exponent})});
}
/// Letters input weight bias, or self mat1 mat2 beta alpha.
[[nodiscard]] value sum_of_products(call& c) {
  const bool is_linear = c.operation == operation::linear;
  const auto scaled = [&](const value& v, std::size_t letter) {
    return is_linear || !c.has(letter) ? v : result_of(c, operation::mul, {v, c.at(letter)});
  };
  const value weight = is_linear ? result_of(c, operation::transpose,
                                             {c.at(1), make_number(c.arena, std::int64_t{-2}),
                                              make_number(c.arena, std::int64_t{-1})})
                                 : c.at(2);
  const value product =
      scaled(result_of(c, operation::matmul, {c.at(is_linear ? 0 : 1), weight}), 4);
  if (is_linear && !c.has(2)) return product;
  return result_of(c, operation::add, {scaled(c.at(is_linear ? 2 : 0), 3), product});
}
[[nodiscard]] value equality_of(call& c) {
  const auto part = [&](std::int64_t k) {
    return result_of(c, c.operation, {operand_part(c, c.at(0), k), operand_part(c, c.at(1), k)});
  };
  return result_of(c, c.operation == operation::eq ? operation::logical_and : operation::logical_or,
                   {part(0), part(1)});
}

/// Functions of one complex tensor; none for others.
[[nodiscard]] value function_of(call& c, const tensor& pairs) {
  const tensor re = part_of(c, pairs, 0), im = part_of(c, pairs, 1);
  const operation o = c.operation;
  if (o == operation::real) return re;
  if (o == operation::imag) return im;
  if (o == operation::conj) return conjugate(c, pairs);
  if (o == operation::abs) return tensor_of(c, operation::hypot, {re, im});
  if (o == operation::angle) return tensor_of(c, operation::atan2, {im, re});
  if (o == operation::norm) {
    std::vector<value> given;
    for (const value* const v : c.arguments()) given.push_back(*v);
    given[0] = tensor_of(c, operation::hypot, {re, im});
    return run_with(c, given);
  }
  if (o == operation::isnan || o == operation::isinf)
    return result_of(c, operation::logical_or, {result_of(c, o, {re}), result_of(c, o, {im})});
  if (o == operation::square) return result_of(c, operation::mul, {c.at(0), c.at(0)});
  if (o == operation::exp) return by_angle(c, tensor_of(c, operation::exp, {re}), im);
  if (o == operation::ones_like) return without_imaginary(c, tensor_of(c, o, {re}));
  if (o == operation::sqrt) return root_of(c, re, im);
  if (o == operation::reciprocal)
    return result_of(c, operation::div, {tensor_of(c, operation::ones_like, {re}), c.at(0)});
  if (o == operation::to_copy || o == operation::type_as) return converted(c, pairs);
  if (o == operation::log)
    return value::complex(
        paired(c, tensor_of(c, operation::log, {tensor_of(c, operation::hypot, {re, im})}),
               tensor_of(c, operation::atan2, {im, re})));
  return {};
}

}  // namespace

value without_imaginary(call& c, const tensor& real) {
  return value::complex(paired(c, real, tensor_of(c, operation::zeros_like, {real})));
}

value run_complex(call& c) {
  constexpr operation transforms[] = {operation::fft,       operation::ifft,    operation::irfft,
                                      operation::fft2,      operation::ifft2,   operation::irfft2,
                                      operation::fftn,      operation::ifftn,   operation::irfftn,
                                      operation::fft_c2r,   operation::fft_c2c, operation::fftshift,
                                      operation::ifftshift, operation::hfft,    operation::hfft2,
                                      operation::hfftn,     operation::istft};
  const operation o = c.operation;
  for (const part_wise& row : by_parts)
    if (row.what == o) return in_parts(c, row.letters);
  for (const bilinear& row : products)
    if (row.what == o) return product_of(c, row.first);
  if (std::find(std::begin(made_of_others), std::end(made_of_others), o) !=
      std::end(made_of_others))
    return functions[static_cast<std::size_t>(o)](c);
  if (o == operation::div) return quotient_of(c);
  if (o == operation::pow) return power_of(c);
  if (o == operation::index_put) return index_put_of(c);
  if (o == operation::linear || o == operation::addmm || o == operation::baddbmm)
    return sum_of_products(c);
  if (o == operation::eq || o == operation::ne) return equality_of(c);
  if (!c.at(0).is_complex())
    fail(errc::nac_run_kind, "a complex tensor after a real one; expected real ones");
  const tensor& pairs = c.at(0).as_tensor();
  if (o == operation::view_as_real) return pairs;
  if (o == operation::is_complex) return make_number(c.arena, true);
  if (o == operation::clone || o == operation::pass) return c.at(0);
  if (std::find(std::begin(transforms), std::end(transforms), o) != std::end(transforms))
    return functions[static_cast<std::size_t>(o)](c);
  if (value v = function_of(c, pairs); !v.is_none()) return v;
  fail(errc::nac_run_kind, "a complex tensor of shape ", dims_of(pairs), "; expected a real one");
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
