// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What becomes of the sums of products: C is added, results are quantized or rounded.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "products.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

constexpr std::int64_t int32_least = std::numeric_limits<std::int32_t>::min(),
                       int32_greatest = std::numeric_limits<std::int32_t>::max();

[[nodiscard]] bool fits_int32(std::int64_t x) noexcept {
  return x >= int32_least && x <= int32_greatest;
}

/// Which pair the descriptor has for a column of Y or C.
[[nodiscard]] std::size_t pair_of(const descriptor& d, bool by_column, std::size_t row_pair,
                                  std::size_t column) noexcept {
  return by_column ? d.pair(static_cast<std::int64_t>(column)) : row_pair;
}

/// x to the nearest integer plus a zero point, saturated; a NaN gives the zero point.
[[nodiscard]] std::int64_t quantized(double x, std::int64_t zero,
                                     const integer_range& to) noexcept {
  constexpr std::int64_t far = std::int64_t{1} << 62;
  const std::int64_t whole = saturate(x, {-far, far});
  std::int64_t sum = 0;
  if (__builtin_add_overflow(whole, zero, &sum)) return whole < 0 ? to.least : to.greatest;
  return std::clamp(sum, to.least, to.greatest);
}

/// To the nearest integer plus a zero point, saturated, without a branch: all is finite, zero points
/// have 32 bits.
template <class T>
void quantize_row(const std::int32_t* sums, const double* factors, const double* zeros,
                  const integer_range& to, T* y, std::size_t n) noexcept {
  constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52: what is added to it is rounded
  const auto least = static_cast<double>(to.least), greatest = static_cast<double>(to.greatest);
  for (std::size_t j = 0; j < n; ++j) {
    double x = sums[j] * factors[j];
    x = x < least - zeros[j] ? least - zeros[j] : x;
    x = x > greatest - zeros[j] ? greatest - zeros[j] : x;
    const double whole = (x + shift) - shift;
    y[j] = static_cast<T>(static_cast<std::int32_t>(whole + zeros[j]));
  }
}

/// A row of C as reals. Integers without a descriptor are in units of 1.
void load_reals_of_c(const product& p, const product_row& row, std::span<double> to) {
  load(*p.c, row.c, p.c_step, to.data(), to.size());
  if (!p.c->is_integer()) return;
  const descriptor& d = descriptor_of(*p.c);
  for (std::size_t j = 0; j < to.size(); ++j) {
    const std::size_t pair = pair_of(d, p.c_by_column, row.c_pair, p.first_column + j);
    to[j] = (to[j] - static_cast<double>(d.zero_point(pair))) * d.scale(pair);
  }
}

template <class T>
[[nodiscard]] T* in_place(const tensor& y, std::int64_t first) noexcept {
  return static_cast<T*>(static_cast<void*>(y.data)) + first;
}

}  // namespace

std::int32_t results::wrapped(std::uint64_t sum, double about) noexcept {
  const auto x = static_cast<std::int64_t>(sum);
  if (!fits_int32(x) || std::fabs(about) >= 0x1p62) found_.has_wrapped = true;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
}

/// Factors of sums and zero points for the pairs of a row.
void results::set(const product_row& row) {
  if (is_set_ && row.a_pair == a_pair_ && row.y_pair == y_pair_) return;
  is_set_ = true;
  a_pair_ = row.a_pair, y_pair_ = row.y_pair;
  factors_ = scratch_.doubles(slots::factor, p_.n);
  zeros_ = scratch_.doubles(slots::a, p_.n);
  scales_of(p_, row, 0, factors_);
  const bool is_integer = p_.y->is_integer();
  const descriptor& d = descriptor_of(*p_.y);
  is_plain_ = is_integer;
  for (std::size_t j = 0; j < p_.n; ++j) {
    const std::size_t pair = pair_of(d, p_.y_by_column, row.y_pair, p_.first_column + j);
    const std::int64_t zero = d.zero_point(pair);
    if (is_integer) factors_[j] /= d.scale(pair);
    zeros_[j] = static_cast<double>(zero);
    is_plain_ = is_plain_ && std::isfinite(factors_[j]) && fits_int32(zero);
  }
}

std::span<const std::int64_t> results::integers_of_c(const product_row& row) {
  if (has_c_ && row.c == c_first_) return c_;
  has_c_ = true;
  c_first_ = row.c;
  c_ = scratch_.wide_integers(slots::bias, p_.n);
  load(*p_.c, row.c, p_.c_step, c_.data(), p_.n);
  return c_;
}

void results::finish(const product_row& row, float* sums) {
  const tensor& y = *p_.y;
  const std::size_t n = p_.n;
  if (p_.c != nullptr) {
    if (!has_c_ || row.c != c_first_ || p_.c->is_integer()) {
      c_floats_ = scratch_.floats(slots::bias, n);
      if (p_.c->is_integer()) {
        const std::span<double> reals = scratch_.doubles(slots::bias, n);
        load_reals_of_c(p_, row, reals);
        for (std::size_t j = 0; j < n; ++j) c_floats_[j] = static_cast<float>(reals[j]);
      } else {
        load(*p_.c, row.c, p_.c_step, c_floats_.data(), n);
      }
      has_c_ = true;
      c_first_ = row.c;
    }
    for (std::size_t j = 0; j < n; ++j) sums[j] += c_floats_[j];
  }
  if (is_in_place<float>(y) && sums == in_place<float>(y, row.y) && p_.y_step == 1) {
    const float none = std::bit_cast<float>(0x7fc00000u);
    for (std::size_t j = 0; j < n; ++j) sums[j] = sums[j] == sums[j] ? sums[j] : none;
    return;
  }
  if (!y.is_integer()) return store(y, row.y, p_.y_step, sums, n);
  const std::span<double> reals = scratch_.doubles(slots::row, n);
  const descriptor& d = descriptor_of(y);
  for (std::size_t j = 0; j < n; ++j)
    reals[j] =
        double{sums[j]} / d.scale(pair_of(d, p_.y_by_column, row.y_pair, p_.first_column + j));
  put_reals(row, reals.data());
}

void results::finish(const product_row& row, std::int32_t* sums) {
  if (p_.c == nullptr) return put_sums(row, sums);
  if (!has_integer_bias()) {
    const std::span<double> reals = scratch_.doubles(slots::row, p_.n);
    scales_of(p_, row, 0, reals);
    for (std::size_t j = 0; j < p_.n; ++j) reals[j] *= sums[j];
    return finish(row, reals.data());
  }
  const std::int64_t* const c = integers_of_c(row).data();
  std::uint64_t outside = 0;
  for (std::size_t j = 0; j < p_.n; ++j) {
    const auto sum = static_cast<std::uint64_t>(sums[j] + c[j]);
    outside |= (sum + 0x80000000u) >> 32;
    sums[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
  }
  if (outside != 0) found_.has_wrapped = true;
  put_sums(row, sums);
}

void results::finish(const product_row& row, const std::uint64_t* sums, const double* about) {
  const std::size_t n = p_.n;
  const std::span<std::int32_t> out = scratch_.integers(slots::block, n);
  const std::int64_t* const c = has_integer_bias() ? integers_of_c(row).data() : nullptr;
  for (std::size_t j = 0; j < n; ++j)
    out[j] = wrapped(c == nullptr ? sums[j] : sums[j] + static_cast<std::uint64_t>(c[j]),
                     about == nullptr ? 0 : about[j]);
  if (p_.c == nullptr || c != nullptr) return put_sums(row, out.data());
  finish(row, out.data());
}

void results::finish(const product_row& row, double* sums) {
  const std::size_t n = p_.n;
  if (p_.c != nullptr) {
    const std::span<double> c = scratch_.doubles(slots::bias, n);
    load_reals_of_c(p_, row, c);
    for (std::size_t j = 0; j < n; ++j) sums[j] += c[j];
  }
  if (p_.y->is_integer()) {
    const descriptor& d = descriptor_of(*p_.y);
    for (std::size_t j = 0; j < n; ++j)
      sums[j] /= d.scale(pair_of(d, p_.y_by_column, row.y_pair, p_.first_column + j));
  }
  put_reals(row, sums);
}

/// Sums in units of sA * sB.
void results::put_sums(const product_row& row, const std::int32_t* sums) {
  set(row);
  const tensor& y = *p_.y;
  const std::size_t n = p_.n;
  if (is_plain_ && p_.y_step == 1) {
    const integer_range range = range_of(y.element);
    const double *factors = factors_.data(), *zeros = zeros_.data();
    if (y.element == element::i8)
      return quantize_row(sums, factors, zeros, range, in_place<std::int8_t>(y, row.y), n);
    if (y.element == element::i16 && is_in_place<std::int16_t>(y))
      return quantize_row(sums, factors, zeros, range, in_place<std::int16_t>(y, row.y), n);
  }
  const std::span<double> reals = scratch_.doubles(slots::row, n);
  for (std::size_t j = 0; j < n; ++j) reals[j] = sums[j] * factors_[j];
  put_reals(row, reals.data());
}

/// Reals that are in units of Y's scale already.
void results::put_reals(const product_row& row, double* reals) {
  const tensor& y = *p_.y;
  if (!y.is_integer()) return store(y, row.y, p_.y_step, reals, p_.n);
  const descriptor& d = descriptor_of(y);
  const integer_range range = range_of(y.element);
  const std::span<std::int64_t> out = scratch_.wide_integers(slots::row, p_.n);
  for (std::size_t j = 0; j < p_.n; ++j)
    out[j] = quantized(
        reals[j], d.zero_point(pair_of(d, p_.y_by_column, row.y_pair, p_.first_column + j)), range);
  wrap(y, row.y, p_.y_step, out.data(), p_.n);
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
