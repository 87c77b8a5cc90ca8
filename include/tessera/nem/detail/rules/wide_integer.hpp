// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A signed integer of 128 bits, where the compiler has none: what affine.hpp does with one.
//
//   detail::wide_integer a = slope;
//   if (a * variable + rest > limit) …
//
// Lifetime:   values.
// Errors:     none: results that exceed 128 bits wrap around; a quotient is rounded to 0, one by 0 is 0.
// Limits:     128 bits.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_WIDE_INTEGER_HPP
#define TESSERA_NEM_DETAIL_RULES_WIDE_INTEGER_HPP

#include <cstdint>
#include <type_traits>

#include "../../../core/keyed_hash.hpp"  // products of 64 bits
#include "../../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class wide_integer {
 public:
  constexpr wide_integer() noexcept = default;
  template <class Int>
    requires(std::is_integral_v<Int>)
  constexpr wide_integer(Int x) noexcept : low_(static_cast<std::uint64_t>(x)) {
    if constexpr (std::is_signed_v<Int>) high_ = x < 0 ? ~std::uint64_t{0} : 0;
  }
  [[nodiscard]] explicit constexpr operator std::int64_t() const noexcept {
    return static_cast<std::int64_t>(low_);
  }

  friend wide_integer operator-(wide_integer a) noexcept {
    return {~a.low_ + 1, ~a.high_ + (a.low_ == 0 ? 1u : 0u)};
  }
  friend wide_integer operator+(wide_integer a, wide_integer b) noexcept {
    const std::uint64_t low = a.low_ + b.low_;
    return {low, a.high_ + b.high_ + (low < a.low_ ? 1u : 0u)};
  }
  friend wide_integer operator-(wide_integer a, wide_integer b) noexcept { return a + -b; }
  friend wide_integer operator*(wide_integer a, wide_integer b) noexcept {
    const tessera::detail::wide_product p = tessera::detail::multiplied(a.low_, b.low_);
    return {p.low, p.high + a.low_ * b.high_ + a.high_ * b.low_};
  }
  friend wide_integer operator/(wide_integer a, wide_integer b) noexcept {
    const bool is_negative = (a < 0) != (b < 0);
    const wide_integer divisor = b < 0 ? -b : b;
    wide_integer rest, quotient;
    if (a < 0) a = -a;
    for (int bit = 128; bit-- != 0 && divisor != 0;) {
      rest = {rest.low_ << 1 | a.bit(bit), rest.high_ << 1 | rest.low_ >> 63};
      quotient = {quotient.low_ << 1, quotient.high_ << 1 | quotient.low_ >> 63};
      if (rest < divisor) continue;
      rest = rest - divisor;
      quotient.low_ |= 1;
    }
    return is_negative ? -quotient : quotient;
  }
  wide_integer& operator+=(wide_integer b) noexcept { return *this = *this + b; }
  wide_integer& operator--() noexcept { return *this = *this - 1; }

  friend bool operator==(wide_integer a, wide_integer b) noexcept {
    return a.low_ == b.low_ && a.high_ == b.high_;
  }
  friend bool operator<(wide_integer a, wide_integer b) noexcept {
    const auto x = static_cast<std::int64_t>(a.high_), y = static_cast<std::int64_t>(b.high_);
    return x != y ? x < y : a.low_ < b.low_;
  }
  friend bool operator>(wide_integer a, wide_integer b) noexcept { return b < a; }
  friend bool operator<=(wide_integer a, wide_integer b) noexcept { return !(b < a); }
  friend bool operator>=(wide_integer a, wide_integer b) noexcept { return !(a < b); }

 private:
  wide_integer(std::uint64_t low, std::uint64_t high) noexcept : low_(low), high_(high) {}
  [[nodiscard]] std::uint64_t bit(int at) const noexcept {
    return (at < 64 ? low_ >> at : high_ >> (at - 64)) & 1;
  }

  std::uint64_t low_ = 0, high_ = 0;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_WIDE_INTEGER_HPP
