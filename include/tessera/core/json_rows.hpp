// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rows of numbers in JSON, many bytes at a time: the fast path of readers whose files are mostly that.
//
//   struct { bool operator()(const json::row& r); } sink;
//   const auto read =
//       json::find_row_reader<json::row_form::flat, decltype(sink)>(is_spaced, json::row_path::best);
//   if (read != nullptr) at = read(at, end, is_spaced, sink);  // past the last row that it accepted
//
//   flat        [integer,integer,integer,integer,[number,number,number],number,number]
//   lists       [[integer,...],integer,[integer,...],[number,number,number],number,number],
//               with up to three integers in the first list, and two in the second
//   both        without white space, or with one space after each comma
//   integer     -?digits, in 32 bits; the fourth, or those of the second list, up to 18 digits
//   number      -?digits or -?digits.digits, of up to 18 digits
//
// It is optimistic: a row with anything else in it, or with more digits than a path supports, is
// left to json::reader, which also finds the error if there is one. With or without it the results
// are the same, bit for bit. Both paths first map a stretch of the text, one bit for each byte that
// is , . [ or ], so that no token of a row waits for the one before it to be read:
//
//   portable    the map and the numbers by integers of 64 bits, eight digits at a time
//   AVX2        the map by vectors, and the digits of all tokens of a row become numbers together.
//               Needs x86-64 with AVX2 and BMI, detected at run time; tokens that it leaves are
//               converted by the other path
//
// Lifetime:   borrows the text for the call.
// Errors:     none; it stops before an unsupported row.
// Limits:     16 bytes of text precede the first row; rows that start in the last 512 bytes
//             are left.
// Allocation: none.

#ifndef TESSERA_CORE_JSON_ROWS_HPP
#define TESSERA_CORE_JSON_ROWS_HPP

#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "bytes.hpp"
#include "number.hpp"

#if defined(__x86_64__) && defined(__clang__)
#if __clang_major__ < 20 || __has_builtin(__builtin_ia32_pmaddubsw256)  // 19 says no without -mavx2
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

/// What is before the numbers of a row: `i,i,i,i` or `[i,...],i,[i,...]`.
enum class row_form : std::uint8_t { flat, lists };

/// One row of either form: up to three integers, one, up to two, and [n,n,n],n,n.
struct row {
  const char* at;             ///< what follows the row's own bracket
  std::uint32_t first_at[3];  ///< bytes from there to each of the first integers
  /// Bytes from `at` to the second list, or its integer, and to [n,n,n].
  std::uint32_t second_at, group_at;
  /// How many integers are in the first and the second list; 2 and 1 in a flat row.
  std::uint32_t first_count, second_count;
  std::int32_t integers[4];  ///< two of the first, the one between, and the third of the first
  std::int64_t second[2];    ///< `second_count` of them
  double numbers[5];         ///< the three of the group, and the two that follow it
  std::uint32_t integral;    ///< bit k: numbers[k] has no fraction
};

namespace detail {

/// No row is read further than this from its start.
inline constexpr std::ptrdiff_t reach = 512;

/// Which bytes of a text from `base` on are one of , . [ ]
struct delimiter_map {
  static constexpr std::ptrdiff_t word = 64, most = 32 * word, row = 4 * word;

  const char* base;
  std::ptrdiff_t size = 0;
  char bits[most / 8];  // from the lowest of each byte on

  /// Whether a row at `at` is on the map as a whole.
  [[nodiscard]] bool holds(const char* at) const noexcept { return at - base <= size - row; }
  [[gnu::always_inline]] void add(std::uint64_t delimiters) noexcept {
    store_le(bits + size / 8, delimiters);
    size += word;
  }
};

/// The delimiters of 57 bytes, one after the other.
struct sight {
  const char* base;
  std::uint64_t left;

  [[gnu::always_inline]] sight(const char* at, const delimiter_map& map) noexcept : base(at) {
    const auto offset = static_cast<std::size_t>(at - map.base);
    left = load_le<std::uint64_t>(map.bits + offset / 8) >> offset % 8;
  }
  /// base + 64 when there is none: callers look at what they found.
  [[gnu::always_inline]] const char* next() noexcept {
    const char* const found = base + static_cast<unsigned>(std::countr_zero(left));
    left &= left - 1;
    return found;
  }
};

/// `size` bytes before `end`.
struct token {
  const char* end;
  std::size_t size;
};
struct number_tokens {
  token whole, fraction;
};
/// The tokens of a row, but for its brackets; those that a list has not are -1 and 0.
struct row_tokens {
  token first[3], between, second[2];
  number_tokens numbers[5];
  std::size_t sizes;  ///< of all but the second and the last, or'ed: the vectors convert up to 7
};
inline constexpr char absent[] = "000000000000000000000-1";
inline constexpr token minus_one{absent + sizeof absent - 1, 2},
    zero{absent + sizeof absent - 3, 1};

/// Where the tokens of a row are found one after the other. `Spaced` is bool, or std::bool_constant
/// for a finder of its own.
template <class Spaced>
struct token_finder {
  const char* at;
  sight s;
  const delimiter_map& map;
  Spaced is_spaced;

  /// Looks at the bytes from here on.
  [[gnu::always_inline]] void look() noexcept { s = sight(at, map); }
  /// Moves past the delimiter at `end`, which must be a comma, and a space.
  [[gnu::always_inline]] bool comma(const char* end) noexcept {
    at = end + 1 + (is_spaced ? 1 : 0);
    return *end == ',' && at[-1] == (is_spaced ? ' ' : ',');
  }
  [[gnu::always_inline]] bool close(const char* end, char c) noexcept {
    if (c == ',') return comma(end);
    at = end + 1;
    return *end == c;
  }
  /// An integer and the comma after it.
  [[gnu::always_inline]] bool integer(token& t) noexcept {
    const char* const end = s.next();
    t = {end, static_cast<std::size_t>(end - at)};
    return comma(end);
  }
  /// A number and what ends it.
  [[gnu::always_inline]] bool number(char end_of_it, row& r, row_tokens& t,
                                     unsigned index) noexcept {
    number_tokens& n = t.numbers[index];
    const char* const start = at;
    const char* end = s.next();
    n.whole = {end, static_cast<std::size_t>(end - start)};
    n.fraction = {end, 0};
    if (*end == '.') {
      end = s.next();
      n.fraction = {end, static_cast<std::size_t>(end - n.whole.end) - 1};
      if (n.fraction.size - 1 > 15) {
        if (n.fraction.size - 1 > 17) return false;
        t.sizes |= 8;
      }
    } else {
      r.integral |= 1u << index;
      if (*start == '-' && start[1] == '0') --n.whole.size;  // an integer has no -0
    }
    t.sizes |= n.whole.size;
    return close(end, end_of_it);
  }
  /// A list of integers and the comma after it.
  template <unsigned Most>
  [[gnu::always_inline]] bool list(token (&tokens)[Most], std::uint32_t (&distances)[Most],
                                   std::uint32_t& count, const char* start) noexcept {
    if (*at != '[' || s.next() != at++) return false;
    for (count = 0;;) {
      const char* const end = s.next();
      const auto size = static_cast<std::size_t>(end - at);
      if (size == 0) {
        if (count != 0 || *end != ']') return false;
      } else {
        if (count == Most) return false;
        distances[count] = static_cast<std::uint32_t>(at - start);
        tokens[count++] = {end, size};
      }
      at = end + 1;
      if (*end == ']') break;
      if (!comma(end)) return false;
    }
    return s.next() == at && comma(at);
  }
  /// What is before [n,n,n].
  template <row_form Form>
  [[gnu::always_inline]] bool integers(row& r, row_tokens& t) noexcept {
    const auto here = [&] { return static_cast<std::uint32_t>(at - r.at); };
    if constexpr (Form == row_form::flat) {
      r.first_at[0] = 0;
      r.first_count = 2;
      r.second_count = 1;
      if (!integer(t.first[0])) return false;
      r.first_at[1] = here();
      if (!integer(t.first[1]) || !integer(t.between)) return false;
      r.second_at = here();
      if (!integer(t.second[0])) return false;
    } else {
      std::uint32_t second_at[2];
      t.first[0] = t.first[1] = minus_one;
      t.second[0] = zero;
      if (!list(t.first, r.first_at, r.first_count, r.at) || !integer(t.between)) return false;
      r.second_at = here();
      if (!list(t.second, second_at, r.second_count, r.at)) return false;
    }
    t.sizes = t.first[0].size | t.first[1].size | t.between.size;
    r.group_at = here();
    return *at++ == '[';
  }
};

/// Finds the tokens of the row whose bracket is at `at`. Returns what follows the closing one, or null.
template <row_form Form, class Spaced>
[[gnu::always_inline]] inline const char* find_row(const char* at, Spaced is_spaced,
                                                   const delimiter_map& map, row& r,
                                                   row_tokens& t) noexcept {
  if (*at != '[') return nullptr;
  r.at = ++at;
  r.integral = 0;
  token_finder<Spaced> f{at, sight(at, map), map, is_spaced};
  if (!f.template integers<Form>(r, t)) return nullptr;
  const char* const group = f.at;
  f.look();
  if (!f.number(',', r, t, 0) || !f.number(',', r, t, 1)) return nullptr;
  if (f.at - group > 32) f.look();  // a long row
  if (!f.number(']', r, t, 2) || !f.comma(f.at)) return nullptr;
  f.look();
  return f.number(',', r, t, 3) && f.number(']', r, t, 4) ? f.at : nullptr;
}

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

/// Makes numbers of tokens, eight digits at a time, and keeps what tells whether they are digits.
class token_reader {
 public:
  /// Whether as many digits are 1 to `most`, and don't begin with 0 and something like a digit.
  [[gnu::always_inline]] static bool is_whole(const char* end, std::size_t size,
                                              std::size_t most) noexcept {
    return size - 1 < most && (load_le<std::uint16_t>(end - size) & 0xf0ff) != 0x3030;
  }
  [[nodiscard]] bool good() const noexcept { return (others_ & 0x8080808080808080u) == 0; }

  /// -?digits, up to 18.
  template <class Int>
  [[gnu::always_inline]] bool integer(const token& t, Int& value) noexcept {
    const std::uint64_t negative = *(t.end - t.size) == '-' ? 1 : 0;
    const std::size_t size = t.size - static_cast<std::size_t>(negative);
    if (!is_whole(t.end, size, 18)) return false;
    std::uint64_t v = 0;
    if (size <= 8) [[likely]] {
      v = number_of(digits(t.end, size));
    } else {
      v = long_number(t.end, size);
    }
    if (v >> (8 * sizeof(Int) - 1) != 0) return false;
    value = static_cast<Int>((v ^ (0 - negative)) + negative);
    return true;
  }
  [[gnu::always_inline]] bool number(const number_tokens& n, row& r, unsigned index) noexcept {
    const std::uint64_t negative = *(n.whole.end - n.whole.size) == '-' ? 1 : 0;
    const std::size_t size = n.whole.size - static_cast<std::size_t>(negative),
                      after = n.fraction.size;
    if (!is_whole(n.whole.end, size, 7)) return false;
    const std::uint64_t whole = digits(n.whole.end, size);
    if (size + after <= 8) {
      // Without the point between them they are one number.
      const std::uint64_t both = whole >> (8 * after) | digits(n.fraction.end, after);
      if (!good()) return false;
      const std::uint64_t m = number_of(both);
      // Below 2^53: one operation rounds it, where the host computes in doubles.
      const auto power = static_cast<unsigned>(after);
      double v = static_cast<double>(static_cast<std::int64_t>(m)) /
                 tessera::detail::exact_powers_of_ten[power];
      if constexpr (FLT_EVAL_METHOD != 0)
        v = tessera::detail::quotient_by_power_of_ten(m, power);  // unreachable: with SSE2
      r.numbers[index] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) | negative << 63);
      return true;
    }
    // Of other bytes than digits, numbers would be beyond what can be divided.
    const std::uint64_t fraction = long_number(n.fraction.end, after);
    return good() && assemble(n, number_of(whole), fraction, negative != 0, r.numbers[index]);
  }
  /// whole.fraction. False beyond 18 digits.
  [[gnu::always_inline]] static bool assemble(const number_tokens& n, std::uint64_t whole,
                                              std::uint64_t fraction, bool negative,
                                              double& value) noexcept {
    if (n.whole.size + n.fraction.size > 18 + (negative ? 1u : 0u)) return false;
    const std::uint64_t m = whole * tessera::detail::powers_of_ten[n.fraction.size] + fraction;
    const double v =
        tessera::detail::quotient_by_power_of_ten(m, static_cast<unsigned>(n.fraction.size));
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) | std::uint64_t{negative} << 63);
    return true;
  }

 private:
  /// The last `size`, up to 8, before `end`: from 0, the last in the highest byte.
  [[gnu::always_inline]] std::uint64_t digits(const char* end, std::size_t size) noexcept {
    const std::uint64_t w = (load_le<std::uint64_t>(end - 8) ^ 0x3030303030303030u) &
                            load_le<std::uint64_t>(last.of_8 + size);
    others_ |= w | (w + 0x7676767676767676u);  // above 9 sets a top bit; a carry only goes up
    return w;
  }
  [[gnu::always_inline]] static std::uint64_t number_of(std::uint64_t w) noexcept {
    w = w * (10 * 256 + 1) >> 8;
    w = (w & 0x00ff00ff00ff00ffu) * (100 * 65536 + 1) >> 16;
    return (w & 0x0000ffff0000ffffu) * (10000 * 4294967296 + 1) >> 32;
  }
  [[gnu::always_inline]] std::uint64_t long_number(const char* end, std::size_t size) noexcept {
    const std::size_t more = (size - 1) / 8;  // groups of eight that follow the first
    const char* at = end - 8 * more;
    std::uint64_t v = number_of(digits(at, size - 8 * more));
    while (at != end) v = v * 100000000 + number_of(digits(at += 8, 8));
    return v;
  }

  std::uint64_t others_ = 0;
};

/// Converts the integers that few rows have.
[[gnu::always_inline]] inline bool convert_rest(token_reader& in, const row_tokens& t,
                                                row& r) noexcept {
  return (r.first_count < 3 || in.integer(t.first[2], r.integers[3])) &&
         (r.second_count < 2 || in.integer(t.second[1], r.second[1])) && in.good();
}

/// Converts all tokens of a row. Not inlined: all readers share it.
[[gnu::noinline]] inline bool convert(const row_tokens& t, row& r) noexcept {
  token_reader in;
  if (!in.integer(t.first[0], r.integers[0]) || !in.integer(t.first[1], r.integers[1]) ||
      !in.integer(t.between, r.integers[2]) || !in.integer(t.second[0], r.second[0]))
    return false;
#pragma GCC unroll 1
  for (unsigned k = 0; k < 5; ++k)
    if (!in.number(t.numbers[k], r, k)) return false;
  return convert_rest(in, t, r);
}

/// Of 64 bytes: those with bit 6, or bit 3 without 4 and 0; never a digit, a minus or a space.
[[nodiscard, gnu::always_inline]] inline std::uint64_t delimiters(const char* p) noexcept {
  std::uint64_t bits = 0;
  for (unsigned k = 0; k < 8; ++k) {
    const auto w = load_le<std::uint64_t>(p + 8 * k);
    const std::uint64_t found = ((w << 3 & ~(w << 2 | w << 6)) | w) & 0x4040404040404040u;
    bits |= found * 0x0004081020408102u >> 56 << (8 * k);
  }
  return bits;
}

/// Maps the text from `at` on.
inline void draw(delimiter_map& map, const char* at, const char* end) noexcept {
  map.base = at;
  for (map.size = 0; map.size < map.most && end - at >= map.word; at += map.word)
    map.add(delimiters(at));
}

template <row_form Form, class Sink>
const char* read_rows(const char* at, const char* end, bool is_spaced, Sink& sink) {
  const char* done = at;
  delimiter_map map;
  row r{};
  row_tokens t;
  while (end - at >= reach) {
    if (map.size == 0 || !map.holds(at)) draw(map, at, end);
    const char* const next = find_row<Form>(at, is_spaced, map, r, t);
    if (next == nullptr || !convert(t, r) || !sink(r)) break;
    done = next;
    if (*next != ',' || (is_spaced && next[1] != ' ')) break;
    at = next + (is_spaced ? 2 : 1);
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

TESSERA_AVX2_INLINE void draw(delimiter_map& map, const char* at, const char* end) noexcept {
  map.base = at;
  for (map.size = 0; map.size < map.most && end - at >= map.word; at += map.word)
    map.add(delimiters(at));
}

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

TESSERA_AVX2_INLINE double scale(const number_tokens& n) noexcept {
  return tessera::detail::exact_powers_of_ten[n.fraction.size];
}

/// Converts the tokens of a row. False for what it doesn't take. Not inlined, as above.
TESSERA_AVX2 [[gnu::noinline]] inline bool convert(const row_tokens& t, row& r) noexcept {
  const auto& numbers = t.numbers;
  const token& cost = numbers[4].whole;
  if (t.sizes > 7 || !token_reader::is_whole(cost.end, cost.size, 7)) return false;
  const bool is_long = t.second[0].size > 7;
  const signed_tokens whole(numbers[0].whole, numbers[1].whole, numbers[2].whole, numbers[3].whole);
  const signed_tokens other(t.first[0], t.first[1], t.between, is_long ? zero : t.second[0]);
  const bytes even_digits = digits_of(numbers[0].fraction, numbers[2].fraction);
  const bytes odd_digits = digits_of(numbers[1].fraction, numbers[3].fraction);
  const bytes last_digits = digits_of(cost, numbers[4].fraction);
  const bytes largest = larger(larger(whole.digits, other.digits),
                               larger(larger(even_digits, odd_digits), last_digits));
  const bytes nine = bytes{} + 9;
  if (top_bits(whole.wrong | other.wrong | ~is(larger(largest, nine), nine)) != 0) return false;

  const ints eight = eights(fours(whole.digits), fours(other.digits));
  const ints_16 integral_parts = __builtin_shufflevector(eight, eight, 0, 1, 4, 5);
  const longs fraction = sixteens(eights(fours(even_digits), fours(odd_digits)));
  const ints last_fours = fours(last_digits);
  const longs last_two = sixteens(eights(last_fours, last_fours));

  // whole * 10^size + fraction is exact below 2^53, and so is a fraction below 2^52 whose bits
  // become those of 2^52 + fraction; then one division rounds.
  const doubles scales = {scale(numbers[0]), scale(numbers[1]), scale(numbers[2]),
                          scale(numbers[3])};
  constexpr longs two_to_52 = {0x4330000000000000, 0x4330000000000000, 0x4330000000000000,
                               0x4330000000000000};
  const doubles small = __builtin_bit_cast(doubles, fraction | two_to_52) - 0x1p52;
  const doubles sum = __builtin_convertvector(integral_parts, doubles) * scales + small;
  const longs signs = whole.signs();
  const auto value = __builtin_bit_cast(longs, sum / scales) ^ (signs << 63);
  std::memcpy(r.numbers, &value, sizeof value);
  const longs unusual = (sum >= 0x1p53) | (fraction >= (1LL << 52));
  if (sign_bits(unusual) != 0) {
    for (unsigned k = 0; k < 4; ++k)
      if (!token_reader::assemble(numbers[k], static_cast<std::uint32_t>(integral_parts[k]),
                                  static_cast<std::uint64_t>(fraction[k]), signs[k] != 0,
                                  r.numbers[k]))
        return false;
  }
  if (!token_reader::assemble(numbers[4], static_cast<std::uint64_t>(last_two[0]),
                              static_cast<std::uint64_t>(last_two[2]), false, r.numbers[4]))
    return false;
  const ints_16 negative = __builtin_convertvector(other.signs(), ints_16);
  const ints_16 values = (__builtin_shufflevector(eight, eight, 2, 3, 6, 7) ^ negative) - negative;
  std::memcpy(r.integers, &values, sizeof values);
  r.second[0] = values[3];
  token_reader rest;
  return (!is_long || rest.integer(t.second[0], r.second[0])) && convert_rest(rest, t, r);
}

template <row_form Form, class Spaced, class Sink>
TESSERA_AVX2 const char* read_rows(const char* at, const char* end, bool, Sink& sink) {
  constexpr Spaced is_spaced;
  const char* done = at;
  delimiter_map map;
  row r{};
  row_tokens t;
  while (end - at >= reach) {
    if (map.size == 0 || !map.holds(at)) avx2::draw(map, at, end);
    const char* const next = find_row<Form>(at, is_spaced, map, r, t);
    if (next == nullptr || !(avx2::convert(t, r) || json::detail::convert(t, r)) || !sink(r)) break;
    done = next;
    if (*next != ',' || (is_spaced && next[1] != ' ')) break;
    at = next + (is_spaced ? 2 : 1);
  }
  return done;
}

}  // namespace detail::avx2
#endif

/// How rows are read: not at all, with plain integers, or with the processor's vectors. It only
/// affects speed.
enum class row_path : std::uint8_t { none, portable, best };

/// Reads rows from the bracket at `at` on, calling `sink(row)` for each, until one is unusual or the
/// sink returns false for it. Returns what follows the last row that was accepted, or `at`. `is_spaced`
/// is that of find_row_reader.
template <class Sink>
using row_reader = const char* (*)(const char* at, const char* end, bool is_spaced, Sink& sink);

/// A reader of rows with or without a space after each comma; null for `none`.
template <row_form Form, class Sink>
[[nodiscard]] row_reader<Sink> find_row_reader([[maybe_unused]] bool is_spaced,
                                               row_path path) noexcept {
  if (path == row_path::none) return nullptr;
#ifdef TESSERA_HAS_AVX2_PATH
  if (path == row_path::best && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2"))
    return is_spaced ? detail::avx2::read_rows<Form, std::true_type, Sink>
                     : detail::avx2::read_rows<Form, std::false_type, Sink>;
#endif
  return detail::read_rows<Form, Sink>;
}

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_HAS_AVX2_PATH
#undef TESSERA_AVX2
#undef TESSERA_AVX2_INLINE

#endif  // TESSERA_CORE_JSON_ROWS_HPP
