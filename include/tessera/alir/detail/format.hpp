// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of alir/format.hpp.

#ifndef TESSERA_ALIR_DETAIL_FORMAT_HPP
#define TESSERA_ALIR_DETAIL_FORMAT_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

TESSERA_INLINE bool operator==(const model& a, const model& b) {
  return a.n_inputs == b.n_inputs && a.n_outputs == b.n_outputs && a.inp_shifts == b.inp_shifts &&
         a.out_idxs == b.out_idxs && a.out_shifts == b.out_shifts && a.out_negs == b.out_negs &&
         a.ops == b.ops && a.carry_size == b.carry_size && a.adder_size == b.adder_size &&
         a.tables == b.tables && a.table_data == b.table_data &&
         a.hashes.view() == b.hashes.view() && a.terms == b.terms;
}

TESSERA_INLINE std::string_view hash(const model& m, const lookup_table& t) noexcept {
  return m.hashes.view().substr(static_cast<std::size_t>(t.hash_first),
                                static_cast<std::size_t>(t.hash_size));
}

}  // namespace alir
namespace alir::detail {

/// ceil(log2(v)) of the float nearest to v > 0. That it goes by way of float is what the format's
/// compiler does: a range of 2^24 + 1 codes gets 24 bits, and rounding here keeps types equal.
[[nodiscard]] inline int ceil_log2(double v) noexcept {
  if (!(v <= 0x1p127)) return 128;  // wider than any type, and beyond float
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(v));
  return static_cast<int>(bits >> 23 & 255) - 127 + ((bits & 0x7fffff) != 0 ? 1 : 0);
}

/// v rounded to an integer, halves away from zero; |v| < 2^63 is not required.
[[nodiscard]] inline double round_half_away(double v) noexcept {
  if (!(v < 4503599627370496.0 && v > -4503599627370496.0)) return v;  // 2^52: an integer already
  const double whole = static_cast<double>(static_cast<std::int64_t>(v));
  const double rest = v - whole;
  return whole + (rest >= 0.5 ? 1.0 : rest <= -0.5 ? -1.0 : 0.0);
}

[[nodiscard]] inline bool is_finite(double v) noexcept { return v - v == 0.0; }

/// A power of two that a float holds as a normal number.
[[nodiscard]] inline bool is_step(double v) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const std::uint64_t exponent = bits >> 52;  // with the sign bit, which must be 0
  return (bits & 0xfffffffffffffu) == 0 && exponent >= 1023 - 126 && exponent <= 1023 + 127;
}

/// v rounded to a double also where the host computes wider (x87), so that types are the same on
/// every platform.
[[nodiscard]] inline double stored(double v) noexcept {
  const volatile double s = v;
  return s;
}

/// 2^exponent for -1022 <= exponent <= 1023.
[[nodiscard]] inline double power_of_two(int exponent) noexcept {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE fixed_type type_of(const interval& q) noexcept {
  if (q.min == 0.0 && q.max == 0.0) return {};
  const double low = detail::round_half_away(q.min / q.step);
  double high = detail::round_half_away(q.max / q.step);
  if (high < 0x1p53) high += 1;  // beyond, one more doesn't change what rounding to float gives
  const double codes = (low < 0 ? -low : low) > high ? (low < 0 ? -low : low) : high;
  const int f = -detail::ceil_log2(q.step);
  const int bits = codes > 0 ? detail::ceil_log2(codes) : 0;
  return {q.min < 0, static_cast<std::int16_t>(bits - f), static_cast<std::int16_t>(f)};
}

TESSERA_INLINE double table_pad(const interval& q, fixed_type t) noexcept {
  if (t.width() == 0) return 0;
  const double from = detail::stored(q.min + (t.k ? detail::power_of_two(t.i) : 0.0));
  return detail::round_half_away(from / q.step);
}

TESSERA_INLINE std::int64_t table_base(const interval& q, fixed_type t) noexcept {
  const auto pad = static_cast<std::int64_t>(table_pad(q, t));
  const std::uint64_t lowest = t.k && t.width() > 0 ? std::uint64_t{1} << (t.width() - 1) : 0;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(pad) - lowest);
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_FORMAT_HPP
