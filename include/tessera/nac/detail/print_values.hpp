// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC assembly: how constants, numbers, shapes and payloads are printed.
//
//   nac::detail::print_float(out, 0.1f);          // 0.1
//   nac::detail::print_constant(out, constant);   // null true -7 1.5 "cpu" [1, -1] [0.5, 2.0]
//
//   float64   always with one of . e inf nan: 1.0  1e-05  -inf  nan
//   float32   the same, with as few digits as read back as the same float32
//   nan       with its bits, unless they are those of the default: nan 0x7ff8000000000001
//   list      [1, -1] of int32, [0.5, 2.0] of float32; floats [] where it is empty
//   payload   hex { 003c0040 … }, with its size after `hex` where the shape doesn't give it;
//             or file "NAME" OFFSET SIZE
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_NAC_DETAIL_PRINT_VALUES_HPP
#define TESSERA_NAC_DETAIL_PRINT_VALUES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/number.hpp"
#include "../../core/shortest.hpp"
#include "../../core/text.hpp"
#include "../model.hpp"
#include "../print.hpp"
#include "words.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

namespace detail {

inline void print_hex(text& out, std::uint64_t value, unsigned digits) {
  out << "0x";
  while (digits-- != 0) out << "0123456789abcdef"[value >> (4 * digits) & 15];
}

/// To nearest, as a cast does where the result is a float32; infinity beyond.
[[nodiscard]] inline float float_from_double(double value) noexcept {
  constexpr double largest = 0x1.fffffep127, tie = 0x1.ffffffp127;
  const double magnitude = value < 0 ? -value : value;
  if (magnitude <= largest) return static_cast<float>(value);
  const auto bound =
      magnitude < tie ? 0x1.fffffep127f : static_cast<float>(tessera::detail::infinity);
  return value < 0 ? -bound : bound;
}

/// The double nearest to a float32's shortest decimal, as the assembler reads that.
[[nodiscard]] inline double shortest_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto exact = static_cast<double>(value);
  if ((bits & 0x7fffffff) == 0 || (bits >> 23 & 255) == 255) return exact;
  const auto magnitude = static_cast<double>(std::bit_cast<float>(bits & 0x7fffffff));
  const tessera::detail::decimal_17 d = tessera::detail::shortest(magnitude);
  // Any 6 digits survive in a float32 with all its bits; 9 are always enough.
  for (unsigned digits = (bits >> 23 & 255) == 0 ? 1 : 6; digits <= 9; ++digits) {
    const std::uint64_t unit = tessera::detail::powers_of_ten[17 - digits];
    const std::uint64_t significand = (d.significand + unit / 2) / unit;
    char decimals[integer_capacity];
    const char* const end = put_integer(decimals, significand);
    const double near =
        decimal_to_double({std::string_view(decimals, static_cast<std::size_t>(end - decimals)),
                           d.point - static_cast<int>(digits)},
                          significand);
    if (static_cast<double>(float_from_double(near)) == magnitude) return exact < 0 ? -near : near;
  }
  return exact;  // unreachable: 9 digits are always enough
}

inline void print_double(text& out, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if ((bits & 0x7fffffffffffffff) == 0x7ff0000000000000) {
    out << (bits >> 63 != 0 ? word_minus_infinity : word_infinity);
  } else if ((bits & 0x7ff0000000000000) == 0x7ff0000000000000) {
    out << word_nan;
    if (bits != 0x7ff8000000000000) out << ' ', print_hex(out, bits, 16);
  } else {
    append_double(out, value, double_style::python);
  }
}

inline void print_float(text& out, std::uint32_t bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) {  // which a conversion to double might change
    out << word_nan;
    if (bits != 0x7fc00000) out << ' ', print_hex(out, bits, 8);
    return;
  }
  print_double(out, shortest_float(std::bit_cast<float>(bits)));
}

/// A list of `count` elements, of which `each(index)` prints those before `max`.
template <class Each>
inline void print_list(text& out, std::uint32_t count, std::uint32_t max, Each each) {
  out << '[';
  for (std::uint32_t i = 0; i < count && i < max; ++i) {
    if (i != 0) out << ", ";
    each(i);
  }
  out << (count > max ? ", ...]" : "]");
}
template <class T>
inline void print_integers(text& out, const packed<T>& values, std::uint32_t max = UINT32_MAX) {
  print_list(out, values.size(), max, [&](std::uint32_t i) { out << values[i]; });
}
inline void print_floats(text& out, const packed<float>& values, std::uint32_t max = UINT32_MAX) {
  print_list(out, values.size(), max, [&](std::uint32_t i) {
    print_float(out, load_le<std::uint32_t>(values.data() + std::size_t{i} * 4));
  });
}

inline void print_constant(text& out, const constant& c) {
  switch (c.type) {
    case constant_type::null: out << word_null; break;
    case constant_type::boolean: out << boolean_words[c.boolean() ? 1 : 0]; break;
    case constant_type::int64: out << c.int64(); break;
    case constant_type::float64: print_double(out, c.float64()); break;
    case constant_type::string: print_string(out, c.string()); break;
    case constant_type::int32_list: print_integers(out, c.int32_list()); break;
    case constant_type::float32_list:
      if (c.length == 0) out << word_floats << ' ';
      print_floats(out, c.float32_list());
      break;
  }
}

/// The letter of a constant in a signature that is derived from arguments.
[[nodiscard]] constexpr char code_of(constant_type type) noexcept {
  return "cbifsSS"[static_cast<unsigned>(type)];
}

inline constexpr std::size_t short_text = 32, short_list = 8;  ///< what may be repeated

/// Whether a constant takes little room wherever it is named.
[[nodiscard]] inline bool is_short(const constant& c) noexcept {
  if (c.type == constant_type::string) return c.length <= short_text;
  return c.type < constant_type::int32_list || c.length <= short_list;
}

/// The type, shape and quantization of a tensor, which precede its payload.
inline void print_tensor_type(text& out, const tensor& t) {
  out << name(t.type) << ' ';
  print_integers(out, t.shape);
  if (t.quantization == nac::quantization::none) return;
  out << ' ' << name(t.quantization);
  if (t.quantization == nac::quantization::fp16) return;
  if (t.quantization == nac::quantization::int8_tensor) {
    out << ' ' << word_scale << ' ';
    print_float(out, load_le<std::uint32_t>(t.scales.data()));
    return;
  }
  if (t.quantization == nac::quantization::int8_channel) {
    out << ' ' << word_axis << ' ' << t.axis;
  } else {
    out << ' ' << word_block << ' ' << t.block << ' ' << word_shape << ' ';
    print_integers(out, t.original_shape);
  }
  out << ' ' << word_scales << ' ';
  print_floats(out, t.scales);
}

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PRINT_VALUES_HPP
