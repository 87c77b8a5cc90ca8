// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC assembly: how constants, numbers, shapes and payloads are read.
//
//   nac::detail::value_reader read{in, out, resolver};
//   const nac::constant_part c = read.constant();     // null true -7 1.5 "cpu" [1, -1] [0.5, 2.0]
//
//   constant  null | true | false | INTEGER | FLOAT | STRING | [ints | floats] LIST
//   FLOAT     a number with one of . e, or inf, -inf, nan, nan 0xBITS
//   LIST      [1, -1], of int32; of float32 where one element is a FLOAT
//   payload   hex [SIZE] { DIGITS … }        DIGITS in pairs, in groups of any length
//             values [NUMBER, …]             of the type before it; true and false are 1 and 0
//             file STRING OFFSET SIZE        which the resolver finds
//
// Lifetime:   borrows what the resolver gives.
// Errors:     nac_text_*, at the token that is wrong.
// Limits:     those of the fields.
// Allocation: what is read.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLE_VALUES_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLE_VALUES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/float16.hpp"
#include "../../core/number.hpp"
#include "../../core/text.hpp"
#include "../assembly.hpp"
#include "../parts.hpp"
#include "../print.hpp"
#include "lexer.hpp"
#include "print_values.hpp"
#include "words.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

namespace detail {

/// A decimal number of the text. False where it isn't one; infinity beyond doubles.
[[nodiscard]] inline bool parse_double(std::string_view s, double& out) noexcept {
  const bool negative = !s.empty() && s[0] == '-';
  if (negative) s.remove_prefix(1);
  std::size_t end = 0, digits = 0, fraction = 0;
  bool point = false;
  for (; end < s.size() && (is_decimal(s[end]) || (s[end] == '.' && !point)); ++end) {
    if (s[end] == '.') {
      point = true;
    } else {
      ++digits;
      fraction += point ? 1 : 0;
    }
  }
  if (digits == 0 || s[0] == '.') return false;
  std::int64_t exponent = 0;
  if (end < s.size()) {
    if (s[end] != 'e' && s[end] != 'E') return false;
    std::size_t i = end + 1;
    const bool below = i < s.size() && s[i] == '-';
    if (i < s.size() && (s[i] == '-' || s[i] == '+')) ++i;
    if (i == s.size()) return false;
    constexpr std::int64_t enough = std::int64_t{1} << 50;  // beyond it nothing changes
    for (; i < s.size(); ++i) {
      if (!is_decimal(s[i])) return false;
      if (exponent < enough) exponent = exponent * 10 + (s[i] - '0');
    }
    if (below) exponent = -exponent;
  }
  const double magnitude =
      decimal_to_double({s.substr(0, end), exponent - static_cast<std::int64_t>(fraction)});
  out = negative ? -magnitude : magnitude;
  return true;
}

/// Whether a token begins a FLOAT.
[[nodiscard]] inline bool is_float(const token& t) noexcept {
  if (t.kind == token_kind::word) return t.text == word_nan || t.text == word_infinity;
  if (t.kind != token_kind::number) return false;
  if (t.text == word_minus_infinity) return true;
  const std::string_view magnitude = t.text.substr(t.text[0] == '-' ? 1 : 0);
  return magnitude.substr(0, 2) != "0x" && magnitude.find_first_of(".eE") != std::string_view::npos;
}

/// Reads values into parts.
struct value_reader {
  lexer& in;
  parts& out;
  const nac::resolver& resolver;

  /// A string of at most `max` bytes.
  [[nodiscard]] range string(std::size_t max) const {
    const std::uint64_t offset = in.offset();
    const std::size_t first = out.characters.size();
    in.string(out.characters);
    const std::size_t size = out.characters.size() - first;
    if (size > max) in.fail(errc::nac_text_length, offset);
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(size)};
  }

  /// Elements in brackets, which `each` reads; at most `max`.
  template <class Each>
  void list(std::size_t max, errc too_many, Each&& each) const {
    if (!in.expect('[')) return;
    if (in.accept(']')) return;
    for (std::size_t count = 1; !in.failed(); ++count) {
      if (count > max) return in.fail(too_many);
      each();
      if (in.accept(']')) return;
      in.expect(',');
    }
  }
  [[nodiscard]] range integers(std::int64_t min, std::int64_t greatest, std::size_t max,
                               errc too_many) const {
    const std::size_t first = out.numbers.size();
    list(max, too_many,
         [&] { out.numbers.push_back(static_cast<std::uint32_t>(in.integer(min, greatest))); });
    return {static_cast<std::uint32_t>(first),
            static_cast<std::uint32_t>(out.numbers.size() - first)};
  }
  [[nodiscard]] range shape() const { return integers(0, 0xffffffff, 255, errc::nac_text_rank); }
  [[nodiscard]] range floats(std::size_t max, errc too_many) const {
    const std::size_t first = out.numbers.size();
    list(max, too_many, [&] { out.numbers.push_back(float32()); });
    return {static_cast<std::uint32_t>(first),
            static_cast<std::uint32_t>(out.numbers.size() - first)};
  }

  /// The bits after `nan`; `standard` where there are none. `magnitude` is all but the sign, and above
  /// `infinity` in a NaN.
  [[nodiscard]] std::uint64_t nan_bits(std::uint64_t standard, std::uint64_t infinity,
                                       std::uint64_t magnitude) const noexcept {
    const token t = in.peek();
    if (t.kind != token_kind::number || t.text.substr(0, 2) != "0x") return standard;
    std::uint64_t bits = 0;
    for (const char c : t.text.substr(2)) {
      if (hex_digit(c) > 15 || bits >> 60 != 0) return in.fail(errc::nac_text_nan), standard;
      bits = bits << 4 | hex_digit(c);
    }
    if ((bits & magnitude) <= infinity || bits > (magnitude << 1 | 1))
      return in.fail(errc::nac_text_nan), standard;
    in.next();
    return bits;
  }
  /// A FLOAT or an integer, as a double that isn't a NaN. False: a NaN, whose bits follow.
  [[nodiscard]] bool number(double& value) const noexcept {
    value = 0;
    if (in.accept(word_nan)) return false;
    const token t = in.peek();
    if (in.accept(word_infinity)) return value = tessera::detail::infinity, true;
    if (t.kind != token_kind::number) return in.fail(errc::nac_text_float), true;
    if (t.text == word_minus_infinity) return in.next(), value = -tessera::detail::infinity, true;
    if (!parse_double(t.text, value)) return in.fail(errc::nac_text_float), true;
    if (value == tessera::detail::infinity || value == -tessera::detail::infinity)
      return in.fail(errc::nac_text_float_range), true;
    in.next();
    return true;
  }
  [[nodiscard]] std::uint64_t float64() const noexcept {
    double value = 0;
    if (!number(value)) return nan_bits(0x7ff8000000000000, 0x7ff0000000000000, 0x7fffffffffffffff);
    return std::bit_cast<std::uint64_t>(value);
  }
  [[nodiscard]] std::uint32_t float32() const noexcept {
    const token t = in.peek();
    double value = 0;
    if (!number(value))
      return static_cast<std::uint32_t>(nan_bits(0x7fc00000, 0x7f800000, 0x7fffffff));
    const float nearest = float_from_double(value);
    const auto bits = std::bit_cast<std::uint32_t>(nearest);
    if ((bits & 0x7fffffff) == 0x7f800000 && t.text != word_infinity &&
        t.text != word_minus_infinity)
      in.fail(errc::nac_text_float_range, t.offset);
    return bits;
  }

  /// Whether a list in brackets holds a FLOAT.
  [[nodiscard]] bool holds_float() const noexcept {
    for (lexer ahead = in; !ahead.failed() && ahead.peek().kind != token_kind::end; ahead.next()) {
      if (is_float(ahead.peek())) return true;
      if (ahead.peek().kind == token_kind::mark && ahead.peek().text == "]") return false;
    }
    return false;
  }
  [[nodiscard]] constant_part constant() const {
    constant_part c;
    const token t = in.peek();
    if (t.kind == token_kind::string) {
      c.type = constant_type::string;
      c.values = string(0xffff);
    } else if (is_float(t)) {
      c.type = constant_type::float64;
      c.bits = float64();
    } else if (t.kind == token_kind::number) {
      c.type = constant_type::int64;
      constexpr std::int64_t max = 0x7fffffffffffffff;
      c.bits = static_cast<std::uint64_t>(in.integer(-max - 1, max));
    } else if (in.accept(word_null)) {
      c.type = constant_type::null;
    } else if (in.accept(boolean_words[0]) || in.accept(boolean_words[1])) {
      c.type = constant_type::boolean;
      c.bits = t.text == boolean_words[1] ? 1 : 0;
    } else if (in.accept(word_floats) || (t.text == "[" && holds_float())) {
      c.type = constant_type::float32_list;
      c.values = floats(0xffff, errc::nac_text_list);
    } else if (in.accept(word_ints) || t.text == "[") {
      c.type = constant_type::int32_list;
      c.values = integers(-0x80000000ll, 0x7fffffff, 0xffff, errc::nac_text_list);
    } else {
      in.fail(errc::nac_text_constant);
    }
    return c;
  }

  /// What a payload's size must be is unknown.
  static constexpr std::uint64_t any_size = ~std::uint64_t{0} - 1;

  /// A payload of `expected` bytes, or of the size that the text gives.
  [[nodiscard]] payload data(std::uint64_t expected) const {
    const std::uint64_t offset = in.offset();
    if (in.accept(word_file)) return reference(offset);
    if (!in.accept(word_hex)) return in.fail(errc::nac_text_payload), payload();
    if (in.peek().kind == token_kind::number)
      expected = static_cast<std::uint64_t>(in.integer(0, 0x7fffffffffffffff));
    if (!in.expect('{')) return {};
    payload p{nullptr, out.own_bytes.size(), 0};
    while (!in.failed() && !in.accept('}')) {
      const token t = in.peek();
      if (t.kind != token_kind::number && t.kind != token_kind::word)
        return in.fail(errc::nac_text_hex), p;
      for (std::size_t i = 0; i < t.text.size(); ++i)
        if (hex_digit(t.text[i]) > 15) return in.fail(errc::nac_text_hex, t.offset + i), p;
      if (t.text.size() % 2 != 0) return in.fail(errc::nac_text_hex), p;
      for (std::size_t i = 0; i < t.text.size(); i += 2)
        out.own_bytes.push_back(
            static_cast<std::byte>(hex_digit(t.text[i]) << 4 | hex_digit(t.text[i + 1])));
      in.next();
    }
    p.size = out.own_bytes.size() - p.first;
    if (expected != any_size && p.size != expected) in.fail(errc::nac_text_hex_size, offset);
    return p;
  }

  /// The same for elements of a type, which may be given as values too.
  [[nodiscard]] payload elements(data_type type, const range& dimensions) const {
    const std::uint64_t expected = shape_bytes(type, out.numbers_of(dimensions));
    const std::uint64_t offset = in.offset();
    if (!in.accept(word_values)) return data(expected);
    payload p{nullptr, out.own_bytes.size(), 0};
    list(~std::size_t{0}, errc::nac_text_list, [&] {
      std::byte b[8];
      store_le(b, element(type));
      out.own_bytes.append(b, size_of(type));
    });
    p.size = out.own_bytes.size() - p.first;
    if (p.size != expected) in.fail(errc::nac_text_values, offset);
    return p;
  }

  /// A tensor's type, shape and quantization.
  void tensor_type(tensor_part& t) const {
    t.type = type();
    t.shape = shape();
    const token q = in.peek();
    if (q.kind != token_kind::word) return;
    const std::size_t method = word_of(quantization_names, q.text);
    if (method == not_a_word) return;
    in.next();
    t.quantization = static_cast<quantization>(method);
    switch (t.quantization) {
      case quantization::none:
      case quantization::fp16: break;
      case quantization::int8_tensor:
        field(word_scale);
        t.scales = {static_cast<std::uint32_t>(out.numbers.size()), 1};
        out.numbers.push_back(float32());
        break;
      case quantization::int8_channel:
        field(word_axis);
        t.axis = static_cast<std::uint8_t>(in.integer(0, 255));
        field(word_scales);
        t.scales = floats(0xffffffff, errc::nac_text_list);
        break;
      case quantization::block_fp8:
        field(word_block);
        t.block = static_cast<std::uint16_t>(in.integer(1, 0xffff));
        field(word_shape);
        t.original_shape = shape();
        field(word_scales);
        t.scales = floats(0xffffffff, errc::nac_text_list);
        break;
    }
  }
  [[nodiscard]] data_type type() const noexcept {
    std::size_t i = 0;
    while (i < data_type_count && data_types[i].name != in.peek().text) ++i;
    if (i == data_type_count) return in.fail(errc::nac_text_data_type), data_type::float32;
    in.next();
    return static_cast<data_type>(i);
  }

 private:
  /// The bits of an element, in as many bytes as its type has.
  [[nodiscard]] std::uint64_t element(data_type type) const noexcept {
    const auto integer = [this](std::int64_t min, std::int64_t max) {
      return static_cast<std::uint64_t>(in.integer(min, max));
    };
    constexpr std::int64_t max = 0x7fffffffffffffff;
    switch (type) {
      case data_type::float32: return float32();
      case data_type::float64: return float64();
      case data_type::float16: return half_from_float(std::bit_cast<float>(float32()));
      case data_type::bfloat16: return bfloat16_from_float(std::bit_cast<float>(float32()));
      case data_type::int32: return integer(-0x80000000ll, 0x7fffffff);
      case data_type::int64: return integer(-max - 1, max);
      case data_type::int16: return integer(-0x8000, 0x7fff);
      case data_type::int8: return integer(-0x80, 0x7f);
      case data_type::uint8: return integer(0, 0xff);
      case data_type::boolean:
        if (in.accept(boolean_words[1])) return 1;
        return in.accept(boolean_words[0]) ? 0 : integer(0, 1);
    }
    return 0;  // unreachable: all types are above
  }
  void field(std::string_view word) const noexcept {
    if (!in.accept(word)) in.fail(errc::nac_text_quantization_field);
  }
  [[nodiscard]] payload reference(std::uint64_t where) const {
    text name;
    in.string(name);
    constexpr std::int64_t max = 0x7fffffffffffffff;
    const auto offset = static_cast<std::uint64_t>(in.integer(0, max));
    const auto size = static_cast<std::uint64_t>(in.integer(0, max));
    bytes found;
    if (in.failed()) return {};
    if (resolver.resolve == nullptr ||
        !resolver.resolve(resolver.context, {name.view(), offset, size}, found))
      return in.fail(errc::nac_text_payload_unresolved, where), payload();
    if (found.size() != size) return in.fail(errc::nac_text_payload_size, where), payload();
    return parts::borrow(found);
  }
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLE_VALUES_HPP
