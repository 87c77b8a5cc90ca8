// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Conversions of one vector of floats and 16-bit floats, and the loops around them, for one
// instruction set. convert.cpp includes it once for each, in a namespace of its own.
//
// Floats are handled as integers. The one sum and the one difference of floats have normal operands,
// so that flushing subnormals to zero doesn't matter.
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: none.

inline constexpr std::size_t lanes = TESSERA_VECTOR_BYTES / 4;
typedef float floats [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
typedef std::uint32_t words [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
typedef std::int32_t signed_words [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
typedef std::uint16_t patterns [[gnu::vector_size(TESSERA_VECTOR_BYTES / 2)]];

/// a < b, both below 2^31: SSE2 and AVX2 compare numbers with a sign.
TESSERA_TARGET [[gnu::always_inline]] inline signed_words less(words a, words b) {
  return reinterpret_cast<signed_words>(a) < reinterpret_cast<signed_words>(b);
}

struct half_to_float {
  using source = std::uint16_t;
  using target = float;
  static float one(std::uint16_t h) { return float_from_half(h); }
  TESSERA_TARGET [[gnu::always_inline]] static words all(patterns h) {
    const words wide = __builtin_convertvector(h, words);
    const words sign = (wide & 0x8000u) << 16;
    const words magnitude = (wide & 0x7fffu) << 13;
    const words normal = magnitude + (112u << 23);
    // With the exponent of 2^-14 a subnormal's fraction is too large by just that.
    const words raised = magnitude + (113u << 23);
    const words small = reinterpret_cast<words>(reinterpret_cast<floats>(raised) - 0x1p-14f);
    const words large = magnitude + (224u << 23);
    words result = less(magnitude, words{} + (1u << 23)) ? small : normal;
    result = less(magnitude, words{} + (31u << 23)) ? result : large;
    return result | sign;
  }
};

struct bfloat16_to_float {
  using source = std::uint16_t;
  using target = float;
  static float one(std::uint16_t h) { return float_from_bfloat16(h); }
  TESSERA_TARGET [[gnu::always_inline]] static words all(patterns h) {
    return __builtin_convertvector(h, words) << 16;
  }
};

struct float_to_half {
  using source = float;
  using target = std::uint16_t;
  static std::uint16_t one(float f) { return half_from_float(f); }
  TESSERA_TARGET [[gnu::always_inline]] static patterns all(words bits) {
#if TESSERA_VECTOR_BYTES == 32
    typedef short pattern_type [[gnu::vector_size(16)]];
    const pattern_type rounded = __builtin_ia32_vcvtps2ph256(reinterpret_cast<floats>(bits), 0);
    return reinterpret_cast<patterns>(rounded);
#else
    const words sign = (bits >> 16) & 0x8000u;
    const words magnitude = bits & 0x7fffffffu;
    const words normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    // The last bit of 0.5 has the weight of the smallest subnormal, so the sum is rounded there.
    const words small =
        reinterpret_cast<words>(reinterpret_cast<floats>(magnitude) + 0.5f) - (126u << 23);
    const words infinite = words{} + 0x7c00u;
    const words nan = ((magnitude >> 13) & 0x1ffu) | 0x7e00u;
    words result = less(magnitude, words{} + (113u << 23)) ? small : normal;
    result = less(magnitude, words{} + (143u << 23)) ? result : infinite;
    result = less(words{} + (255u << 23), magnitude) ? nan : result;
    return __builtin_convertvector(result | sign, patterns);
#endif
  }
};

struct float_to_bfloat16 {
  using source = float;
  using target = std::uint16_t;
  static std::uint16_t one(float f) { return bfloat16_from_float(f); }
  TESSERA_TARGET [[gnu::always_inline]] static patterns all(words bits) {
    const words rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const words nan = (bits >> 16) | 0x40u;
    const words result = less(words{} + (255u << 23), bits & 0x7fffffffu) ? nan : rounded;
    return __builtin_convertvector(result, patterns);
  }
};

template <class Conversion>
TESSERA_TARGET [[gnu::always_inline]] inline void convert_vector(
    const typename Conversion::source* from, typename Conversion::target* to) {
  std::conditional_t<sizeof(typename Conversion::source) == 2, patterns, words> in;
  std::memcpy(&in, from, sizeof in);
  const auto out = Conversion::all(in);
  std::memcpy(to, &out, sizeof out);
}

template <class Conversion>
TESSERA_TARGET void convert(const typename Conversion::source* from,
                            typename Conversion::target* to, std::size_t n) {
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    convert_vector<Conversion>(from + i, to + i);
    convert_vector<Conversion>(from + i + lanes, to + i + lanes);
    convert_vector<Conversion>(from + i + 2 * lanes, to + i + 2 * lanes);
    convert_vector<Conversion>(from + i + 3 * lanes, to + i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) convert_vector<Conversion>(from + i, to + i);
  for (; i < n; ++i) to[i] = Conversion::one(from[i]);
}

#if TESSERA_VECTOR_BYTES == 32
typedef short numbers [[gnu::vector_size(16)]];
TESSERA_TARGET [[gnu::always_inline]] inline numbers read_halves(const std::uint16_t* from) {
  numbers v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
TESSERA_TARGET [[gnu::always_inline]] inline void write_floats(float* to, numbers halves) {
  const floats v = __builtin_ia32_vcvtph2ps256(halves);
  std::memcpy(to, &v, sizeof v);
}

/// By the processor's instruction, except near NaNs: it would make signaling ones quiet.
TESSERA_TARGET void convert_halves(const std::uint16_t* from, float* to, std::size_t n) {
  typedef long long longs [[gnu::vector_size(16)]];
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const numbers a = read_halves(from + i), b = read_halves(from + i + lanes);
    const numbers c = read_halves(from + i + 2 * lanes), d = read_halves(from + i + 3 * lanes);
    const auto nans = reinterpret_cast<longs>(((a & 0x7fff) > 0x7c00) | ((b & 0x7fff) > 0x7c00) |
                                              ((c & 0x7fff) > 0x7c00) | ((d & 0x7fff) > 0x7c00));
    if (__builtin_ia32_ptestz128(nans, nans) == 0) {
      convert<half_to_float>(from + i, to + i, 4 * lanes);
      continue;
    }
    write_floats(to + i, a);
    write_floats(to + i + lanes, b);
    write_floats(to + i + 2 * lanes, c);
    write_floats(to + i + 3 * lanes, d);
  }
  convert<half_to_float>(from + i, to + i, n - i);
}
#else
inline constexpr auto convert_halves = convert<half_to_float>;
#endif

inline constexpr engine functions = {convert_halves, convert<bfloat16_to_float>,
                                     convert<float_to_half>, convert<float_to_bfloat16>};
