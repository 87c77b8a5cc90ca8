// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rows of numbers in JSON, many bytes at a time: the fast path of readers whose files are mostly that.
//
//   struct { bool operator()(const json::number_row& r); } sink;
//   const auto read =
//       json::find_row_reader<json::number_row, decltype(sink)>(spaced, json::row_path::best);
//   if (read != nullptr) at = read(at, end, sink);   // past the last row that the sink accepted
//
//   number_row  [integer,integer,integer,integer,[number,number,number],number,number]
//   list_row    [[integer,...],integer,[integer,...],[number,number,number],number,number]
//   both        without white space, or with one space after each comma
//   integer     -?digits, in 32 bits; the fourth, or those of the second list, up to 18 digits
//   number      -?digits or -?digits.digits, of up to 18 digits
//
// It is optimistic: a row with anything else in it, or with more digits than a path supports, is
// left to json::reader, which also finds the error if there is one. With or without it the results
// are the same, bit for bit. There are two paths:
//
//   portable    eight digits at a time, as one integer of 64 bits
//   AVX2        for number_row: bitmaps of 64 bytes give the ends of tokens, so that none waits for
//               the one before; then the digits of all tokens become numbers together. Needs x86-64
//               with AVX2 and BMI, detected at run time; rows that it leaves go to the other path
//
// Lifetime:   borrows the text for the call.
// Errors:     none; it stops before an unsupported row.
// Limits:     16 bytes of text precede the first row; rows that start in the last 512 bytes
//             are left.
// Allocation: none.

#ifndef TESSERA_CORE_JSON_ROWS_HPP
#define TESSERA_CORE_JSON_ROWS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "bytes.hpp"
#include "number.hpp"

#if defined(__x86_64__) && defined(__clang__)
#if __has_builtin(__builtin_ia32_pmaddubsw256) && __has_builtin(__builtin_ia32_pmuludq256)
#define TESSERA_HAS_AVX2_PATH 1
#endif
#elif defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_HAS_AVX2_PATH 1
#endif
#ifdef TESSERA_HAS_AVX2_PATH
#define TESSERA_AVX2 [[gnu::target("avx2,bmi,bmi2")]]
#define TESSERA_AVX2_INLINE [[gnu::always_inline, gnu::target("avx2,bmi,bmi2")]] inline
#endif

namespace tessera::inline TESSERA_ABI {
namespace json {

/// How a row ends: [n,n,n],n,n].
struct row_numbers {
  double numbers[5];
  std::uint32_t integral;  ///< bit k: numbers[k] has no fraction
};

/// One row [i,i,i,i,[n,n,n],n,n].
struct number_row : row_numbers {
  const char* at;            ///< the first integer
  std::uint32_t places[5];   ///< bytes from there to each integer and to the inner bracket
  std::int32_t integers[4];  ///< the first three; the rest is meaningless
  std::int64_t wide;         ///< the fourth integer
};

/// One row [[i,...],i,[i,...],[n,n,n],n,n], with up to three and two integers in its lists.
struct list_row : row_numbers {
  const char* at;                           ///< the first list
  std::uint32_t second_list_at, group_at;   ///< bytes from there to the other brackets
  std::uint32_t first_at[3], second_at[2];  ///< and to each integer of the lists
  std::uint32_t first_count, second_count;
  std::int32_t first[3];
  std::int32_t between;
  std::int64_t second[2];
};

namespace detail {

/// Walks over one row, eight bytes at a time. Every step returns false at anything unusual.
template <bool Spaced>
class row_cursor {
 public:
  explicit row_cursor(const char* at) noexcept : at_(at) {}

  [[nodiscard]] const char* at() const noexcept { return at_; }
  bool skip(char c) noexcept { return *at_++ == c; }
  bool comma() noexcept { return *at_++ == ',' && (!Spaced || *at_++ == ' '); }

  template <class Int>
  [[gnu::always_inline]] bool integer(Int& value) noexcept {
    const bool negative = *at_ == '-';
    at_ += negative ? 1 : 0;
    if (leading_zero()) return false;
    std::uint64_t v = 0;
    unsigned size = digits(v);
    if (size - 1 > 7) return false;
    if (size == 8) [[unlikely]] {  // up to 18
      for (unsigned more = 1; more != 0; size += more)
        if ((more = digits(v)) > 8 || size + more > 18) return false;
      if (v >> (8 * sizeof(Int) - 1) != 0) return false;
    }
    value = static_cast<Int>(negative ? 0 - v : v);
    return true;
  }

  /// Up to `max_count` integers in brackets, and their distances from `start`.
  template <class Int>
  bool list(Int* values, std::uint32_t* places, std::uint32_t& count, std::uint32_t max_count,
            const char* start) noexcept {
    count = 0;
    if (!skip('[')) return false;
    if (*at_ == ']') return skip(']');
    for (;;) {
      if (count == max_count) return false;
      places[count] = static_cast<std::uint32_t>(at_ - start);
      if (!integer(values[count++])) return false;
      if (*at_ == ']') return skip(']');
      if (!comma()) return false;
    }
  }

  /// [n,n,n],n,n] at `at`. Returns what follows, or null. Not inlined: both kinds of row end so.
  [[gnu::noinline]] static const char* tail(const char* at, row_numbers& r) noexcept {
    row_cursor c(at);
    r.integral = 0;
    const bool good = c.skip('[') && c.number(r.numbers[0], r.integral, 0) && c.comma() &&
                      c.number(r.numbers[1], r.integral, 1) && c.comma() &&
                      c.number(r.numbers[2], r.integral, 2) && c.skip(']') && c.comma() &&
                      c.number(r.numbers[3], r.integral, 3) && c.comma() &&
                      c.number(r.numbers[4], r.integral, 4) && c.skip(']');
    return good ? c.at() : nullptr;
  }

 private:
  [[gnu::always_inline]] bool number(double& value, std::uint32_t& integral,
                                     unsigned index) noexcept {
    const auto negative = static_cast<std::uint64_t>(*at_ == '-');
    at_ += negative;
    if (leading_zero()) return false;
    std::uint64_t m = 0;
    const unsigned before = digits(m);
    if (before - 1 > 6) return false;
    if (*at_ != '.') {
      value = static_cast<double>(static_cast<std::int64_t>(negative != 0 ? 0 - m : m));
      integral |= 1u << index;
      return true;
    }
    ++at_;
    unsigned size = digits(m);
    if (size == 8)
      for (unsigned more = 8; more == 8 && size < 24;) size += more = digits(m);
    if (size == 0 || before + size > 18) return false;
    const double v = tessera::detail::quotient_by_power_of_ten(m, size);
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) | negative << 63);
    return true;
  }

  /// 0 and another digit.
  [[nodiscard]] bool leading_zero() const noexcept {
    return (load_le<std::uint16_t>(at_) & 0xf0ff) == 0x3030;
  }
  /// Appends up to 8 digits to `value`. Returns how many.
  [[gnu::always_inline]] unsigned digits(std::uint64_t& value) noexcept {
    const std::uint64_t w = load_le<std::uint64_t>(at_) ^ 0x3030303030303030u;
    // The lowest byte that is above 9 sets its top bit; its carry goes up.
    const std::uint64_t others = (w | (w + 0x7676767676767676u)) & 0x8080808080808080u;
    const auto bits = static_cast<unsigned>(std::countr_zero(others)) & 0x78u;
    if (bits == 0) return 0;
    value = value * tessera::detail::powers_of_ten[bits / 8] + eight_digits(w << (64 - bits));
    at_ += bits / 8;
    return bits / 8;
  }
  /// Of digits from 0, the first in the lowest byte.
  [[nodiscard]] static std::uint64_t eight_digits(std::uint64_t w) noexcept {
    w = w * (10 * 256 + 1) >> 8;
    w = (w & 0x00ff00ff00ff00ffu) * (100 * 65536 + 1) >> 16;
    return (w & 0x0000ffff0000ffffu) * (10000 * 4294967296 + 1) >> 32;
  }

  const char* at_;
};

/// Reads the row whose bracket is at `at`. Returns what follows the closing one, or null.
template <bool Spaced>
[[gnu::always_inline]] inline const char* read_row(const char* at, number_row& r) noexcept {
  row_cursor<Spaced> c(at);
  if (!c.skip('[')) return nullptr;
  r.at = c.at();
  const auto here = [&] { return static_cast<std::uint32_t>(c.at() - r.at); };
  r.places[0] = 0;
  if (!c.integer(r.integers[0]) || !c.comma()) return nullptr;
  r.places[1] = here();
  if (!c.integer(r.integers[1]) || !c.comma()) return nullptr;
  r.places[2] = here();
  if (!c.integer(r.integers[2]) || !c.comma()) return nullptr;
  r.places[3] = here();
  if (!c.integer(r.wide) || !c.comma()) return nullptr;
  r.places[4] = here();
  return c.tail(c.at(), r);
}
template <bool Spaced>
[[gnu::always_inline]] inline const char* read_row(const char* at, list_row& r) noexcept {
  row_cursor<Spaced> c(at);
  if (!c.skip('[')) return nullptr;
  r.at = c.at();
  if (!c.list(r.first, r.first_at, r.first_count, 3, r.at) || !c.comma() || !c.integer(r.between) ||
      !c.comma())
    return nullptr;
  r.second_list_at = static_cast<std::uint32_t>(c.at() - r.at);
  if (!c.list(r.second, r.second_at, r.second_count, 2, r.at) || !c.comma()) return nullptr;
  r.group_at = static_cast<std::uint32_t>(c.at() - r.at);
  return c.tail(c.at(), r);
}

/// No row is read further than this from its start.
inline constexpr std::ptrdiff_t reach = 512;

template <bool Spaced, class Row, class Sink>
const char* read_rows(const char* at, const char* end, Sink& sink) {
  const char* done = at;
  Row r;
  while (end - at >= reach) {
    const char* const next = read_row<Spaced>(at, r);
    if (next == nullptr || !sink(r)) break;
    done = next;
    if (*next != ',' || (Spaced && next[1] != ' ')) break;
    at = next + (Spaced ? 2 : 1);
  }
  return done;
}

}  // namespace detail

#ifdef TESSERA_HAS_AVX2_PATH
namespace detail::avx2 {

// Vectors by their lanes. The builtins need signed ones, and `chars` for bytes.
using bytes [[gnu::vector_size(32)]] = unsigned char;
using chars [[gnu::vector_size(32)]] = char;
using shorts [[gnu::vector_size(32)]] = short;
using ints [[gnu::vector_size(32)]] = int;
using longs [[gnu::vector_size(32)]] = long long;
using doubles [[gnu::vector_size(32)]] = double;
using bytes_16 [[gnu::vector_size(16)]] = unsigned char;
using ints_16 [[gnu::vector_size(16)]] = int;

template <class Value>
TESSERA_AVX2_INLINE Value load(const void* from) noexcept {
  Value v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

/// The top bits of all bytes.
TESSERA_AVX2_INLINE std::uint32_t top_bits(bytes b) noexcept {
  return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb256(__builtin_bit_cast(chars, b)));
}
TESSERA_AVX2_INLINE std::uint32_t sign_bits(longs v) noexcept {
  return static_cast<std::uint32_t>(__builtin_ia32_movmskpd256(__builtin_bit_cast(doubles, v)));
}
/// All ones where two bytes are equal.
TESSERA_AVX2_INLINE bytes is(bytes a, bytes b) noexcept {
  return __builtin_bit_cast(bytes, a == b);
}

/// Bit n is set when byte n is one of , . [ ]
TESSERA_AVX2_INLINE std::uint64_t delimiters(const char* p) noexcept {
  // By the low half of a byte, the one delimiter that it can be; or one that it can't be.
  constexpr chars known = {',', ',', ',', ',', ',', ',', ',', ',', ',', ',', ',',
                           '[', ',', ']', '.', ',', ',', ',', ',', ',', ',', ',',
                           ',', ',', ',', ',', ',', '[', ',', ']', '.', ','};
  const auto low = load<chars>(p), high = load<chars>(p + 32);
  const auto low_known = __builtin_ia32_pshufb256(known, low);
  const auto high_known = __builtin_ia32_pshufb256(known, high);
  return top_bits(__builtin_bit_cast(bytes, low_known == low)) |
         std::uint64_t{top_bits(__builtin_bit_cast(bytes, high_known == high))} << 32;
}

/// The delimiters of 64 bytes, one after the other.
struct sight {
  const char* base;
  std::uint64_t left;

  TESSERA_AVX2_INLINE explicit sight(const char* p) noexcept : base(p), left(delimiters(p)) {}
  /// base + 64 when there is none.
  TESSERA_AVX2_INLINE const char* next() noexcept {
    const char* const found = base + __builtin_ia32_tzcnt_u64(left);
    left &= left - 1;
    return found;
  }
  /// Whether the result of next(), and all before it, exist.
  [[nodiscard]] TESSERA_AVX2_INLINE bool saw(const char* found) const noexcept {
    return found != base + 64;
  }
  /// Continues at `at`, at most 63 bytes further, where `more` are the delimiters of the next 64
  /// bytes.
  TESSERA_AVX2_INLINE void move_to(const char* at, std::uint64_t more) noexcept {
    const auto distance = static_cast<unsigned>(at - base);
    left = left >> distance | more << 1 << (63 - distance);
    base = at;
  }
};

/// `size` bytes before `end`.
struct token {
  const char* end;
  std::size_t size;
};

// Zeros, then ones: loaded from + n on, they keep the last n bytes.
struct masks {
  unsigned char of_8[8 + 8], of_16[16 + 16];
};
inline constexpr masks last = [] {
  masks m{};
  for (unsigned i = 8; i < sizeof m.of_8; ++i) m.of_8[i] = 255;
  for (unsigned i = 16; i < sizeof m.of_16; ++i) m.of_16[i] = 255;
  return m;
}();

TESSERA_AVX2_INLINE long long text_8(const token& t) noexcept { return load<long long>(t.end - 8); }
TESSERA_AVX2_INLINE long long mask_8(const token& t) noexcept {
  return load<long long>(last.of_8 + t.size);
}

/// Four tokens -?digits of up to 7 bytes.
struct signed_tokens {
  bytes digits;    // from 0, with zeros before them
  bytes negative;  // ones where there is a minus sign
  bytes wrong;     // not zero for an invalid token, except for bytes that aren't digits

  TESSERA_AVX2_INLINE signed_tokens(const token& a, const token& b, const token& c,
                                    const token& d) noexcept {
    const longs text = {text_8(a), text_8(b), text_8(c), text_8(d)};
    const longs mask = {mask_8(a), mask_8(b), mask_8(c), mask_8(d)};
    const auto first = __builtin_bit_cast(bytes, mask & ~(mask << 8));
    const auto all = (__builtin_bit_cast(bytes, text) - '0') & __builtin_bit_cast(bytes, mask);
    negative = is(all, bytes{} + static_cast<unsigned char>('-' - '0'));
    digits = all & ~negative;
    const auto first_digit =
        (first & ~negative) | __builtin_bit_cast(bytes, __builtin_bit_cast(longs, negative) << 8);
    constexpr unsigned char f = 255;  // a zero may come last, and a minus may not
    constexpr bytes but_last = {f, f, f, f, f, f, f, 0, f, f, f, f, f, f, f, 0,
                                f, f, f, f, f, f, f, 0, f, f, f, f, f, f, f, 0};
    wrong = (negative & ~(first & but_last)) | (is(digits, bytes{}) & first_digit & but_last) |
            __builtin_bit_cast(bytes, mask == 0);
  }
  /// All ones in the lane of each negative token.
  [[nodiscard]] TESSERA_AVX2_INLINE longs signs() const noexcept {
    return __builtin_bit_cast(longs, negative) != 0;
  }
};

TESSERA_AVX2_INLINE bytes join(bytes_16 low, bytes_16 high) noexcept {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}
/// The digits of two tokens of up to 16, from 0.
TESSERA_AVX2_INLINE bytes digits_of(const token& a, const token& b) noexcept {
  const bytes text = join(load<bytes_16>(a.end - 16), load<bytes_16>(b.end - 16));
  const bytes mask = join(load<bytes_16>(last.of_16 + a.size), load<bytes_16>(last.of_16 + b.size));
  return (text - '0') & mask;
}

/// The larger of two, byte for byte.
TESSERA_AVX2_INLINE bytes larger(bytes a, bytes b) noexcept { return a > b ? a : b; }

/// Groups of four digits to numbers below 10,000.
TESSERA_AVX2_INLINE ints fours(bytes digits) noexcept {
  constexpr chars tens = {10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1,
                          10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1};
  constexpr shorts hundreds = {100, 1, 100, 1, 100, 1, 100, 1, 100, 1, 100, 1, 100, 1, 100, 1};
  const shorts twos = __builtin_ia32_pmaddubsw256(__builtin_bit_cast(chars, digits), tens);
  return __builtin_ia32_pmaddwd256(twos, hundreds);
}
/// Groups of eight digits to numbers below 10^8: two of `a` and two of `b`, in each half.
TESSERA_AVX2_INLINE ints eights(ints a, ints b) noexcept {
  constexpr shorts ten_thousands = {10000, 1, 10000, 1, 10000, 1, 10000, 1,
                                    10000, 1, 10000, 1, 10000, 1, 10000, 1};
  return __builtin_ia32_pmaddwd256(__builtin_ia32_packusdw256(a, b), ten_thousands);
}
/// Groups of sixteen digits.
TESSERA_AVX2_INLINE longs sixteens(ints of_eight) noexcept {
  constexpr ints factor = {100000000, 0, 100000000, 0, 100000000, 0, 100000000, 0};
  using naturals [[gnu::vector_size(32)]] = unsigned long long;
  const naturals low = __builtin_bit_cast(naturals, of_eight) >> 32;
  return __builtin_ia32_pmuludq256(of_eight, factor) + __builtin_bit_cast(longs, low);
}

struct number_tokens {
  token whole, fraction;
  [[nodiscard]] TESSERA_AVX2_INLINE double scale() const noexcept {
    return tessera::detail::exact_powers_of_ten[fraction.size];
  }
};

/// Finds a number at `at` and moves past `close`, which ends it. False when the number is unusual.
template <bool Spaced>
TESSERA_AVX2_INLINE bool find(const char*& at, sight& s, char close, number_tokens& n) noexcept {
  const char* const point = s.next();
  n.whole = {point, static_cast<std::size_t>(point - at)};
  const char* end = point;
  n.fraction = {point, 0};
  if (*point == '.') {
    end = s.next();
    n.fraction = {end, static_cast<std::size_t>(end - point) - 1};
    if (n.fraction.size - 1 > 15) return false;
  } else if (*at == '-' && at[1] == '0') {
    return false;  // an integer, which has no -0
  }
  if (*end != close) return false;
  at = end + 1;
  return !Spaced || close != ',' || *at++ == ' ';
}

/// whole.fraction, whatever its length. False beyond 18 digits.
TESSERA_AVX2_INLINE bool assemble(const number_tokens& n, std::uint64_t whole,
                                  std::uint64_t fraction, bool negative, double& value) noexcept {
  if (n.whole.size + n.fraction.size > 18 + (negative ? 1u : 0u)) return false;
  const std::uint64_t m = whole * tessera::detail::powers_of_ten[n.fraction.size] + fraction;
  value = tessera::detail::quotient_by_power_of_ten(m, static_cast<unsigned>(n.fraction.size));
  if (negative) value = -value;
  return true;
}

/// The tokens of a row, but for the brackets of its array.
struct row_tokens {
  token integers[4];  ///< the last one, the wide one, begins at `wide`
  number_tokens numbers[5];
  const char* wide;
};

/// Finds the tokens of the row whose bracket is at `at`. Returns what follows the closing one, or null.
template <bool Spaced>
TESSERA_AVX2_INLINE const char* find_row(const char* at, number_row& r, row_tokens& t) noexcept {
  if (*at != '[') return nullptr;
  r.at = ++at;
  sight s(at);
  const std::uint64_t more = delimiters(at + 64);
  std::size_t sizes = 0;  // of all tokens of up to 7 bytes, or'ed
  t.wide = at;
#pragma GCC unroll 4
  for (unsigned k = 0; k < 4; ++k) {
    r.places[k] = static_cast<std::uint32_t>(at - r.at);
    t.wide = at;
    const char* const end = s.next();
    t.integers[k] = {end, static_cast<std::size_t>(end - at)};
    if (k < 3) sizes |= t.integers[k].size;
    if (*end != ',') return nullptr;
    at = end + 1;
    if (Spaced && *at++ != ' ') return nullptr;
  }
  if (at - s.base > 62 || *at != '[') return nullptr;
  r.places[4] = static_cast<std::uint32_t>(at - r.at);
  ++at;
  s.move_to(at, more);
  if (!find<Spaced>(at, s, ',', t.numbers[0]) || !find<Spaced>(at, s, ',', t.numbers[1]) ||
      !find<Spaced>(at, s, ']', t.numbers[2]) || !s.saw(at - 1) || *at != ',')
    return nullptr;
  (void)s.next();
  ++at;
  if (Spaced && *at++ != ' ') return nullptr;
  if (at - s.base > 32) s = sight(at);  // a long row
  if (!find<Spaced>(at, s, ',', t.numbers[3]) || !find<Spaced>(at, s, ']', t.numbers[4]) ||
      !s.saw(at - 1))
    return nullptr;
  for (const number_tokens& n : t.numbers) sizes |= n.whole.size;
  return sizes > 7 ? nullptr : at;
}

/// Reads the row whose bracket is at `at`. Returns what follows the closing one, or null.
template <bool Spaced>
TESSERA_AVX2_INLINE const char* read_row(const char* at, number_row& r) noexcept {
  row_tokens t;
  at = find_row<Spaced>(at, r, t);
  if (at == nullptr) return nullptr;
  const auto& numbers = t.numbers;
  const auto& integers = t.integers;
  token& wide = t.integers[3];
  const bool wide_negative = *t.wide == '-';
  const char* const wide_first = t.wide + (wide_negative ? 1 : 0);
  wide.size = static_cast<std::size_t>(wide.end - wide_first);
  const bool leading_zero = (load<std::uint16_t>(wide_first) & 0xf0ff) == 0x3030;
  if (wide.size - 1 > 17 || leading_zero) return nullptr;
  std::int64_t above = 0;  // its first digits, when there are more than 16
  if (wide.size > 16) [[unlikely]] {
    for (const char* p = wide_first; p != wide.end - 16; ++p) {
      if (*p < '0' || *p > '9') return nullptr;
      above = above * 10 + (*p - '0');
    }
    wide.size = 16;
  }

  const signed_tokens whole(numbers[0].whole, numbers[1].whole, numbers[2].whole, numbers[3].whole);
  const signed_tokens other(integers[0], integers[1], integers[2], numbers[4].whole);
  const bytes even_digits = digits_of(numbers[0].fraction, numbers[2].fraction);
  const bytes odd_digits = digits_of(numbers[1].fraction, numbers[3].fraction);
  const bytes last_digits = digits_of(wide, numbers[4].fraction);
  const bytes largest = larger(larger(whole.digits, other.digits),
                               larger(larger(even_digits, odd_digits), last_digits));
  const bytes nine = bytes{} + 9;
  if (top_bits(whole.wrong | other.wrong | ~is(larger(largest, nine), nine)) != 0) return nullptr;

  const ints eight = eights(fours(whole.digits), fours(other.digits));
  const ints_16 integral_parts = __builtin_shufflevector(eight, eight, 0, 1, 4, 5);
  const longs fraction = sixteens(eights(fours(even_digits), fours(odd_digits)));
  const ints last_fours = fours(last_digits);
  const longs last_two = sixteens(eights(last_fours, last_fours));

  // whole * 10^size + fraction is exact below 2^53, and so is a fraction below 2^52 whose bits
  // become those of 2^52 + fraction; then one division rounds.
  const doubles scale = {numbers[0].scale(), numbers[1].scale(), numbers[2].scale(),
                         numbers[3].scale()};
  constexpr longs two_to_52 = {0x4330000000000000, 0x4330000000000000, 0x4330000000000000,
                               0x4330000000000000};
  r.integral = sign_bits(scale == 1.0) | (numbers[4].fraction.size == 0 ? 16u : 0u);
  const doubles small = __builtin_bit_cast(doubles, fraction | two_to_52) - 0x1p52;
  const doubles sum = __builtin_convertvector(integral_parts, doubles) * scale + small;
  const longs signs = whole.signs();
  const auto value = __builtin_bit_cast(longs, sum / scale) ^ (signs << 63);
  std::memcpy(r.numbers, &value, sizeof value);
  const longs unusual = (sum >= 0x1p53) | (fraction >= (1LL << 52));
  if (sign_bits(unusual) != 0) {
    for (unsigned k = 0; k < 4; ++k)
      if (!assemble(numbers[k], static_cast<std::uint32_t>(integral_parts[k]),
                    static_cast<std::uint64_t>(fraction[k]), signs[k] != 0, r.numbers[k]))
        return nullptr;
  }
  const longs other_signs = other.signs();
  if (!assemble(numbers[4], static_cast<std::uint32_t>(eight[7]),
                static_cast<std::uint64_t>(last_two[2]), other_signs[3] != 0, r.numbers[4]))
    return nullptr;
  const ints_16 negative = __builtin_convertvector(other_signs, ints_16);
  const ints_16 values = (__builtin_shufflevector(eight, eight, 2, 3, 6, 7) ^ negative) - negative;
  std::memcpy(r.integers, &values, sizeof values);
  r.wide = above * 10000000000000000 + last_two[0];
  if (wide_negative) r.wide = -r.wide;
  return at;
}

/// The other path takes more digits.
template <bool Spaced>
[[gnu::noinline]] const char* read_longer_row(const char* at, number_row& r) noexcept {
  return json::detail::read_row<Spaced>(at, r);
}

template <bool Spaced, class Sink>
TESSERA_AVX2 const char* read_rows(const char* at, const char* end, Sink& sink) {
  const char* done = at;
  number_row r;
  while (end - at >= reach) {
    const char* next = read_row<Spaced>(at, r);
    if (next == nullptr) next = read_longer_row<Spaced>(at, r);
    if (next == nullptr || !sink(r)) break;
    done = next;
    if (*next != ',' || (Spaced && next[1] != ' ')) break;
    at = next + (Spaced ? 2 : 1);
  }
  return done;
}

}  // namespace detail::avx2
#endif

/// How rows are read: not at all, with plain integers, or with the processor's vectors. It only
/// affects speed.
enum class row_path : std::uint8_t { none, portable, best };

/// Reads rows from the bracket at `at` on, calling `sink(row)` for each, until one is unusual or the
/// sink returns false for it. Returns what follows the last row that was accepted, or `at`.
template <class Sink>
using row_reader = const char* (*)(const char* at, const char* end, Sink& sink);

/// A reader of rows with or without a space after each comma; null for `none`.
template <class Row, class Sink>
[[nodiscard]] row_reader<Sink> find_row_reader(bool is_spaced, row_path path) noexcept {
  if (path == row_path::none) return nullptr;
#ifdef TESSERA_HAS_AVX2_PATH
  if constexpr (std::is_same_v<Row, number_row>)
    if (path == row_path::best && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
      return is_spaced ? detail::avx2::read_rows<true, Sink> : detail::avx2::read_rows<false, Sink>;
#endif
  return is_spaced ? detail::read_rows<true, Row, Sink> : detail::read_rows<false, Row, Sink>;
}

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_HAS_AVX2_PATH
#undef TESSERA_AVX2
#undef TESSERA_AVX2_INLINE

#endif  // TESSERA_CORE_JSON_ROWS_HPP
