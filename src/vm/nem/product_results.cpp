// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What becomes of the sums of products: C is added, results are quantized or rounded.

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

#include "products.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

constexpr std::int64_t int32_min = std::numeric_limits<std::int32_t>::min(),
                       int32_greatest = std::numeric_limits<std::int32_t>::max();

[[nodiscard]] bool fits_int32(std::int64_t x) noexcept {
  return x >= int32_min && x <= int32_greatest;
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

/// What is added to a number below 2^51 rounds it, where double has no more bits than its own.
constexpr double rounding = 0x1.8p52;
constexpr bool has_rounding = FLT_EVAL_METHOD == 0;
/// Factors up to which sums of 32 bits stay below that.
constexpr double max_factor = 0x1p19;

/// sums + offsets in units of Y, to the nearest integer plus a zero point, saturated; `backs` are
/// `rounding` less the zero points.
template <class T>
[[gnu::always_inline]] inline void quantize_as(const std::int32_t* sums,
                                               const std::int32_t* offsets, const double* factors,
                                               const double* backs, T* y, std::size_t n) noexcept {
  constexpr double least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
  for (std::size_t j = 0; j < n; ++j) {
    const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[j]) +
                                               static_cast<std::uint32_t>(offsets[j]));
    double x = (sum * factors[j] + rounding) - backs[j];
    x = x < least ? least : x;
    x = x > greatest ? greatest : x;
    y[j] = static_cast<T>(static_cast<std::int32_t>(x));
  }
}
#if defined(__x86_64__) && defined(__GNUC__)
template <class T>
[[gnu::target("avx2")]] void quantize_avx2(const std::int32_t* sums, const std::int32_t* offsets,
                                           const double* factors, const double* backs, T* y,
                                           std::size_t n) noexcept {
  quantize_as(sums, offsets, factors, backs, y, n);
}
#endif
template <class T>
void quantize_row(const std::int32_t* sums, const std::int32_t* offsets, const double* factors,
                  const double* backs, T* y, std::size_t n) noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has_avx2 = tensors::best_level() >= tensors::level::avx2;
  if (has_avx2) return quantize_avx2(sums, offsets, factors, backs, y, n);
#endif
  quantize_as(sums, offsets, factors, backs, y, n);
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
  backs_ = scratch_.doubles(slots::a, p_.n);
  scales_of(p_, row, 0, factors_);
  const bool is_integer = p_.y->is_integer();
  const descriptor& d = descriptor_of(*p_.y);
  is_plain_ = is_integer && has_rounding;
  for (std::size_t j = 0; j < p_.n; ++j) {
    const std::size_t pair = pair_of(d, p_.y_by_column, row.y_pair, p_.first_column + j);
    const std::int64_t zero = d.zero_point(pair);
    if (is_integer) factors_[j] /= d.scale(pair);
    backs_[j] = rounding - static_cast<double>(zero);
    is_plain_ = is_plain_ && factors_[j] < max_factor && fits_int32(zero);
  }
}

std::span<const std::int64_t> results::integers_of_c(const product_row& row) {
  if (has_c_ && row.c == c_first_) return c_;
  has_c_ = true;
  c_first_ = row.c;
  c_ = scratch_.wide_integers(slots::bias, p_.n);
  load(*p_.c, row.c, p_.c_step, c_.data(), p_.n);
  max_c_ = 0;
  for (const std::int64_t x : c_) max_c_ = std::max(max_c_, x < 0 ? -x : x);
  return c_;
}

bool results::fits(const product_row& row, std::int64_t max_sum) {
  if (p_.c == nullptr) return true;
  if (!has_integer_bias()) return false;
  (void)integers_of_c(row);
  return max_c_ <= int32_greatest - max_sum;
}

void results::finish(const product_row& row, std::int32_t* sums, const std::int32_t* columns,
                     std::int64_t a_zero) {
  if (!has_offsets_ || row.c != offsets_c_ || a_zero != offsets_zero_) {
    has_offsets_ = true;
    offsets_c_ = row.c, offsets_zero_ = a_zero;
    offsets_ = scratch_.integers(slots::bias, p_.n);
    const std::int64_t* const c = p_.c == nullptr ? nullptr : integers_of_c(row).data();
    for (std::size_t j = 0; j < p_.n; ++j) {
      const std::int64_t x = (c == nullptr ? 0 : c[j]) - (a_zero == 0 ? 0 : a_zero * columns[j]);
      offsets_[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(x));
    }
  }
  put_sums(row, sums, offsets_);
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
  if (p_.c == nullptr) return put_sums(row, sums, none());
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
  put_sums(row, sums, none());
}

void results::finish(const product_row& row, const std::uint64_t* sums, const double* about) {
  const std::size_t n = p_.n;
  const std::span<std::int32_t> out = scratch_.integers(slots::block, n);
  const std::int64_t* const c = has_integer_bias() ? integers_of_c(row).data() : nullptr;
  for (std::size_t j = 0; j < n; ++j)
    out[j] = wrapped(c == nullptr ? sums[j] : sums[j] + static_cast<std::uint64_t>(c[j]),
                     about == nullptr ? 0 : about[j]);
  if (p_.c == nullptr || c != nullptr) return put_sums(row, out.data(), none());
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

std::span<const std::int32_t> results::none() {
  if (none_.empty()) {
    none_ = scratch_.integers(slots::factor, p_.n);
    std::fill(none_.begin(), none_.end(), 0);
  }
  return none_;
}

/// Sums in units of sA * sB.
void results::put_sums(const product_row& row, const std::int32_t* sums,
                       std::span<const std::int32_t> offsets) {
  set(row);
  const tensor& y = *p_.y;
  const std::size_t n = p_.n;
  if (is_plain_ && p_.y_step == 1) {
    const double *factors = factors_.data(), *backs = backs_.data();
    const std::int32_t* const o = offsets.data();
    if (y.element == element::i8)
      return quantize_row(sums, o, factors, backs, in_place<std::int8_t>(y, row.y), n);
    if (y.element == element::i16 && is_in_place<std::int16_t>(y))
      return quantize_row(sums, o, factors, backs, in_place<std::int16_t>(y, row.y), n);
  }
  const std::span<double> reals = scratch_.doubles(slots::row, n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[j]) +
                                               static_cast<std::uint32_t>(offsets[j]));
    reals[j] = sum * factors_[j];
  }
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
