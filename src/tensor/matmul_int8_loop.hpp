// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The loops of a product of bytes, for one instruction set. matmul_int8.cpp includes it once for each,
// in a namespace of its own; see src/vm/alir/loop.hpp for why every function here has the attribute.
//
// Blocks, panels and tiles are those of matmul_loop.hpp, but what a panel holds for each row or
// column are units: words of some values along k, which one instruction multiplies and adds up. The
// last unit is filled up with zeros. A method says what is in a unit:
//
//   pairs   two numbers of 16 bits. Sums of two such products fit, whatever the bytes were.
//   quads   four bytes: those of A without a sign, those of B with one. Signed bytes of A are moved
//           up by 128, and 128 times the sums of B's columns are taken off again.
//
// Lifetime:   a problem borrows everything.
// Errors:     none.
// Limits:     none.
// Allocation: none; some KiB of stack.

typedef std::uint32_t words [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
typedef std::int32_t signed_words [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
typedef std::uint32_t unaligned_words
    [[gnu::vector_size(TESSERA_VECTOR_BYTES), gnu::aligned(4), gnu::may_alias]];
inline constexpr std::size_t lanes = TESSERA_VECTOR_BYTES / 4;

inline constexpr std::size_t tile_rows = TESSERA_TILE_ROWS, tile_columns = 2 * lanes;
/// In units, rows and columns.
inline constexpr std::size_t max_k = 256, max_rows = 24 * tile_rows;
inline constexpr std::size_t max_columns = 64 * tile_columns;
static_assert((max_k * max_columns + max_rows * max_k + max_columns) * 4 <=
              matmul_int8_workspace::bytes);

template <class Word>
TESSERA_TARGET [[gnu::always_inline]] inline words load(const Word* from) {
  return *static_cast<const unaligned_words*>(static_cast<const void*>(from));
}
template <class Word>
TESSERA_TARGET [[gnu::always_inline]] inline void store(Word* to, words v) {
  *static_cast<unaligned_words*>(static_cast<void*>(to)) = v;
}

// What packing looks at: sixteen bytes as such, or as other numbers.
typedef std::uint8_t bytes16 [[gnu::vector_size(16)]];
typedef std::uint8_t bytes8 [[gnu::vector_size(8)]];
typedef std::int8_t signed_bytes8 [[gnu::vector_size(8)]];
typedef std::uint16_t shorts8 [[gnu::vector_size(16)]];
typedef std::int16_t signed_shorts8 [[gnu::vector_size(16)]];
typedef std::uint32_t words4 [[gnu::vector_size(16)]];
template <class Vector>
TESSERA_TARGET [[gnu::always_inline]] inline Vector read(const void* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

#ifndef TESSERA_VNNI
struct pairs {
  static constexpr std::size_t unit = 2;
  static constexpr bool moves_signs = false;

  TESSERA_TARGET [[gnu::always_inline]] static inline words add(words sum, words a, words b) {
#if defined(__SSE2__) && TESSERA_VECTOR_BYTES == 32
    typedef short numbers [[gnu::vector_size(32)]];
    return sum + reinterpret_cast<words>(__builtin_ia32_pmaddwd256(reinterpret_cast<numbers>(a),
                                                                   reinterpret_cast<numbers>(b)));
#elif defined(__SSE2__) && TESSERA_VECTOR_BYTES == 16
    typedef short numbers [[gnu::vector_size(16)]];
    return sum + reinterpret_cast<words>(__builtin_ia32_pmaddwd128(reinterpret_cast<numbers>(a),
                                                                   reinterpret_cast<numbers>(b)));
#else
    const auto low_a = reinterpret_cast<signed_words>(a << 16) >> 16;
    const auto low_b = reinterpret_cast<signed_words>(b << 16) >> 16;
    const auto high_a = reinterpret_cast<signed_words>(a) >> 16;
    const auto high_b = reinterpret_cast<signed_words>(b) >> 16;
    return sum + reinterpret_cast<words>(low_a) * reinterpret_cast<words>(low_b) +
           reinterpret_cast<words>(high_a) * reinterpret_cast<words>(high_b);
#endif
  }

  template <bool Signed>
  TESSERA_TARGET static std::uint32_t widen(std::uint32_t byte) {
    return Signed ? (byte ^ 0x80u) - 0x80u : byte;
  }
  /// One unit, of bytes in the low half of a word.
  template <bool Signed>
  TESSERA_TARGET static std::uint32_t make_unit(std::uint32_t bytes) {
    return (widen<Signed>(bytes & 0xffu) & 0xffffu) | widen<Signed>(bytes >> 8) << 16;
  }
  template <bool Signed>
  TESSERA_TARGET [[gnu::always_inline]] static inline void put(std::uint32_t* to, bytes8 v) {
    if constexpr (Signed) {
      const auto wide = __builtin_convertvector(reinterpret_cast<signed_bytes8>(v), signed_shorts8);
      std::memcpy(to, &wide, sizeof wide);
    } else {
      const auto wide = __builtin_convertvector(v, shorts8);
      std::memcpy(to, &wide, sizeof wide);
    }
  }
  /// Sixteen bytes that are four along k for each of four rows or columns.
  template <bool Signed>
  TESSERA_TARGET [[gnu::always_inline]] static inline void put_along_k(std::uint32_t* to,
                                                                       std::size_t next,
                                                                       words4 four) {
    const auto v = reinterpret_cast<bytes16>(four);
    put<Signed>(to, __builtin_shufflevector(v, v, 0, 1, 4, 5, 8, 9, 12, 13));
    put<Signed>(to + next, __builtin_shufflevector(v, v, 2, 3, 6, 7, 10, 11, 14, 15));
  }
  /// Two rows of sixteen columns: one unit for each column.
  TESSERA_TARGET [[gnu::always_inline]] static inline void put_rows(std::uint32_t* to,
                                                                    const std::uint8_t* from,
                                                                    std::size_t along_k) {
    const auto r0 = read<bytes16>(from), r1 = read<bytes16>(from + along_k);
    put<true>(to, __builtin_shufflevector(r0, r1, 0, 16, 1, 17, 2, 18, 3, 19));
    put<true>(to + 4, __builtin_shufflevector(r0, r1, 4, 20, 5, 21, 6, 22, 7, 23));
    put<true>(to + 8, __builtin_shufflevector(r0, r1, 8, 24, 9, 25, 10, 26, 11, 27));
    put<true>(to + 12, __builtin_shufflevector(r0, r1, 12, 28, 13, 29, 14, 30, 15, 31));
  }
};
#endif

struct quads {
  static constexpr std::size_t unit = 4;
  static constexpr bool moves_signs = true;

  TESSERA_TARGET [[gnu::always_inline]] static inline words add(words sum, words a, words b) {
#ifdef TESSERA_VNNI
    // With the compiler's own function for it, GCC 12 keeps sums in memory.
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
#else
    for (unsigned i = 0; i < 32; i += 8)
      sum += (a >> i & 0xffu) *
             reinterpret_cast<words>(reinterpret_cast<signed_words>(b << (24 - i)) >> 24);
    return sum;
#endif
  }

  /// Signed here says whether signs are moved, which is done only for A.
  template <bool Moved>
  TESSERA_TARGET static std::uint32_t make_unit(std::uint32_t bytes) {
    return Moved ? bytes ^ 0x80808080u : bytes;
  }
  template <bool Moved>
  TESSERA_TARGET [[gnu::always_inline]] static inline void put_along_k(std::uint32_t* to,
                                                                       std::size_t, words4 four) {
    if (Moved) four ^= 0x80808080u;
    std::memcpy(to, &four, sizeof four);
  }
  TESSERA_TARGET [[gnu::always_inline]] static inline void put_rows(std::uint32_t* to,
                                                                    const std::uint8_t* from,
                                                                    std::size_t along_k) {
    const auto r0 = read<bytes16>(from), r1 = read<bytes16>(from + along_k);
    const auto r2 = read<bytes16>(from + 2 * along_k), r3 = read<bytes16>(from + 3 * along_k);
    const auto low01 = reinterpret_cast<shorts8>(
        __builtin_shufflevector(r0, r1, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    const auto low23 = reinterpret_cast<shorts8>(
        __builtin_shufflevector(r2, r3, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    const auto high01 = reinterpret_cast<shorts8>(__builtin_shufflevector(
        r0, r1, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
    const auto high23 = reinterpret_cast<shorts8>(__builtin_shufflevector(
        r2, r3, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
    const shorts8 all[4] = {__builtin_shufflevector(low01, low23, 0, 8, 1, 9, 2, 10, 3, 11),
                            __builtin_shufflevector(low01, low23, 4, 12, 5, 13, 6, 14, 7, 15),
                            __builtin_shufflevector(high01, high23, 0, 8, 1, 9, 2, 10, 3, 11),
                            __builtin_shufflevector(high01, high23, 4, 12, 5, 13, 6, 14, 7, 15)};
    std::memcpy(to, all, sizeof all);
  }
};

/// Packs a panel: for each unit of k values of p, Width words, of which `count` are there. Byte
/// (p, w) is from[p * along_k + w * along_width], and one of the steps is 1.
template <class Method, std::size_t Width, bool Signed>
TESSERA_TARGET void pack(const std::uint8_t* from, std::size_t along_k, std::size_t along_width,
                         std::size_t k, std::size_t count, std::uint32_t* to) {
  constexpr std::size_t unit = Method::unit;
  std::size_t p = 0;
  if (count == Width && along_k == 1) {
    p = k / 16 * 16;
    // Sixteen along k of four at a time, whose lines are read to the end before others; the last
    // four of a width overlap those before.
    for (std::size_t next = 0; next < Width; next += 4) {
      const std::size_t w = next + 4 <= Width ? next : Width - 4;
      for (std::size_t i = 0; i < p; i += 16) {
        const std::uint8_t* const at = from + i + w * along_width;
        const auto r0 = read<words4>(at), r1 = read<words4>(at + along_width);
        const auto r2 = read<words4>(at + 2 * along_width), r3 = read<words4>(at + 3 * along_width);
        const words4 low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
        const words4 low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
        const words4 high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
        const words4 high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
        const words4 columns[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                                   __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                                   __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                                   __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
        for (std::size_t q = 0; q < 4; ++q)
          Method::template put_along_k<Signed>(to + (i + 4 * q) / unit * Width + w, Width,
                                               columns[q]);
      }
    }
  }
  for (; p < k; p += unit)
    for (std::size_t w = 0; w < Width; ++w) {
      std::uint32_t bytes = 0;
      // As vectors bring them: in the order of memory.
      constexpr bool little = std::endian::native == std::endian::little;
      if (w < count)
        for (std::size_t q = 0; q < std::min(unit, k - p); ++q)
          bytes |= std::uint32_t{from[(p + q) * along_k + w * along_width]}
                   << 8 * (little ? q : unit - 1 - q);
      to[p / unit * Width + w] = Method::template make_unit<Signed>(bytes);
    }
}

/// What a tile does is written out for each of its rows: as loops, GCC would keep it in memory.
template <class Method, std::size_t... Row>
TESSERA_TARGET [[gnu::always_inline]] inline void multiply_rows(
    std::size_t units, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* start,
    std::int32_t* c, std::size_t stride, bool add, std::index_sequence<Row...>) {
  words left[sizeof...(Row)], right[sizeof...(Row)];
  ((left[Row] = load(start), right[Row] = load(start + lanes)), ...);
  (__builtin_prefetch(c + Row * stride), ...);
  for (std::size_t p = 0; p < units; ++p) {
    const words x = load(b), y = load(b + lanes);
    ((left[Row] = Method::add(left[Row], words{} + a[Row], x),
      right[Row] = Method::add(right[Row], words{} + a[Row], y)),
     ...);
    a += tile_rows;
    b += tile_columns;
  }
  if (add)
    ((left[Row] += load(c + Row * stride), right[Row] += load(c + Row * stride + lanes)), ...);
  ((store(c + Row * stride, left[Row]), store(c + Row * stride + lanes, right[Row])), ...);
}

/// One tile of C from a panel of A, one of B, and what sums of the columns begin with.
template <class Method>
TESSERA_TARGET void multiply_tile(std::size_t units, const std::uint32_t* a, const std::uint32_t* b,
                                  const std::uint32_t* start, std::int32_t* c, std::size_t stride,
                                  bool add) {
  multiply_rows<Method>(units, a, b, start, c, stride, add, std::make_index_sequence<tile_rows>());
}

/// A tile that C has only a part of.
template <class Method>
TESSERA_TARGET void multiply_edge(std::size_t units, const std::uint32_t* a, const std::uint32_t* b,
                                  const std::uint32_t* start, std::int32_t* c, std::size_t stride,
                                  bool add, std::size_t rows, std::size_t columns) {
  alignas(64) std::int32_t tile[tile_rows * tile_columns];
  if (rows <= 2)
    multiply_rows<Method>(units, a, b, start, tile, tile_columns, false,
                          std::make_index_sequence<2>());
  else
    multiply_tile<Method>(units, a, b, start, tile, tile_columns, false);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const auto sum = static_cast<std::uint32_t>(tile[i * tile_columns + j]);
      const auto before = add ? static_cast<std::uint32_t>(c[i * stride + j]) : 0u;
      c[i * stride + j] = static_cast<std::int32_t>(before + sum);
    }
}

/// What sums of a panel's columns begin with: what moving the signs of A has added to them.
template <class Method>
TESSERA_TARGET void find_start(std::size_t units, const std::uint32_t* b, std::uint32_t* start) {
  words left{}, right{};
  for (std::size_t p = 0; p < units; ++p, b += tile_columns) {
    left = Method::add(left, words{} + 0x01010101u, load(b));
    right = Method::add(right, words{} + 0x01010101u, load(b + lanes));
  }
  store(start, left * -128u);
  store(start + lanes, right * -128u);
}

/// Packs rows of A, panel by panel.
template <class Method>
TESSERA_TARGET void pack_rows(const problem& x, std::size_t row, std::size_t rows, std::size_t p,
                              std::size_t k, std::uint32_t* to) {
  const std::size_t units = (k + Method::unit - 1) / Method::unit;
  const auto pack_panel =
      x.a_signed ? pack<Method, tile_rows, true> : pack<Method, tile_rows, false>;
  for (std::size_t i = 0; i < rows; i += tile_rows)
    pack_panel(x.a + (row + i) * x.a_row + p * x.a_k, x.a_k, x.a_row, k,
               std::min(tile_rows, rows - i), to + i * units);
}

/// Packs columns of B, panel by panel. Rows are read some panels at a time: one panel's part of a row
/// is less than a line of the cache, and rows are often a page apart.
template <class Method>
TESSERA_TARGET void pack_columns(const problem& x, std::size_t p, std::size_t k, std::size_t column,
                                 std::size_t columns, std::uint32_t* to, std::uint32_t* start) {
  constexpr std::size_t unit = Method::unit, width = tile_columns;
  const std::size_t units = (k + unit - 1) / unit;
  const std::uint8_t* const from = x.b + p * x.b_k + column * x.b_column;
  const bool by_rows = width % 16 == 0 && x.b_column == 1;
  const std::size_t whole = columns / width * width, whole_k = k / unit * unit;
  if (by_rows)
    for (std::size_t q = 0; q < whole_k; q += unit)
      for (std::size_t j = 0; j < whole; j += 16) {
        const std::uint8_t* const rows = from + q * x.b_k + j;
        for (std::size_t r = 0; r < unit; ++r)
          __builtin_prefetch(from + std::min(q + 4 * unit + r, k - 1) * x.b_k + j);
        Method::put_rows(to + j / width * width * units + q / unit * width + j % width, rows,
                         x.b_k);
      }
  for (std::size_t j = 0; j < columns; j += width) {
    std::uint32_t* const panel = to + j * units;
    const std::size_t packed = by_rows && j < whole ? whole_k : 0;
    pack<Method, width, !Method::moves_signs>(from + packed * x.b_k + j * x.b_column, x.b_k,
                                              x.b_column, k - packed, std::min(width, columns - j),
                                              panel + packed / unit * width);
    if (Method::moves_signs && x.a_signed)
      find_start<Method>(units, panel, start + j);
    else
      std::fill_n(start + j, width, 0u);
  }
}

/// Packed rows of A times packed columns of B, whose sums begin with `start`.
template <class Method>
TESSERA_TARGET [[gnu::always_inline]] inline void multiply_group(
    std::size_t rows, std::size_t columns, std::size_t units, const std::uint32_t* a,
    const std::uint32_t* panels, const std::uint32_t* start, std::int32_t* c, std::size_t c_row,
    bool add) {
  constexpr std::size_t width = tile_columns;
  for (std::size_t j = 0; j < columns; j += width)
    for (std::size_t i = 0; i < rows; i += tile_rows) {
      std::int32_t* const to = c + i * c_row + j;
      if (rows - i >= tile_rows && columns - j >= width)
        multiply_tile<Method>(units, a + i * units, panels + j * units, start + j, to, c_row, add);
      else
        multiply_edge<Method>(units, a + i * units, panels + j * units, start + j, to, c_row, add,
                              std::min(tile_rows, rows - i), std::min(width, columns - j));
    }
}

template <class Method>
TESSERA_TARGET void multiply_blocked(const problem& x, void* scratch) {
  // A group of columns is a line of the cache.
  constexpr std::size_t group = 64;
  static_assert(group % tile_columns == 0);
  std::uint32_t* const packed_b = static_cast<std::uint32_t*>(scratch);
  std::uint32_t* const packed_a = packed_b + max_k * max_columns;
  std::uint32_t* const starts = packed_a + max_rows * max_k;
  const std::size_t k_part = even_part(x.k, max_k * Method::unit, Method::unit);
  const std::size_t row_part = even_part(x.m, max_rows, tile_rows);
  for (std::size_t column = 0; column < x.n; column += max_columns) {
    const std::size_t column_end = std::min(x.n, column + max_columns);
    for (std::size_t p = 0; p < x.k; p += k_part) {
      const std::size_t k = std::min(k_part, x.k - p);
      const std::size_t units = (k + Method::unit - 1) / Method::unit;
      const bool add = x.accumulate || p != 0;
      for (std::size_t row = 0; row < x.m; row += row_part) {
        const std::size_t rows = std::min(row_part, x.m - row);
        pack_rows<Method>(x, row, rows, p, k, packed_a);
        for (std::size_t next = column; next < column_end; next += group) {
          const std::size_t columns = std::min(group, column_end - next);
          std::uint32_t* const panels = packed_b + (next - column) * units;
          std::uint32_t* const start = starts + (next - column);
          if (row == 0) pack_columns<Method>(x, p, k, next, columns, panels, start);
          multiply_group<Method>(rows, columns, units, packed_a, panels, start,
                                 x.c + row * x.c_row + next, x.c_row, add);
        }
      }
    }
  }
}

#if defined(TESSERA_FEW_ROWS)
typedef std::uint8_t bytes_of_lanes [[gnu::vector_size(lanes)]];
typedef std::int8_t signed_bytes [[gnu::vector_size(2 * lanes)]];
typedef std::int16_t signed_shorts [[gnu::vector_size(4 * lanes)]];

TESSERA_TARGET [[gnu::always_inline]] inline words widen(signed_bytes v) {
  return reinterpret_cast<words>(__builtin_convertvector(v, signed_shorts));
}
/// Units of pairs, for one row below another.
TESSERA_TARGET [[gnu::always_inline]] inline words pairs_of_rows(const std::uint8_t* from,
                                                                 std::size_t along_k) {
  const auto a = read<bytes_of_lanes>(from), b = read<bytes_of_lanes>(from + along_k);
  return widen(reinterpret_cast<signed_bytes>(
      __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)));
}
TESSERA_TARGET [[gnu::always_inline]] inline std::uint32_t widened(const problem& x, std::size_t i,
                                                                   std::size_t p) {
  const std::uint32_t byte = x.a[i * x.a_row + p * x.a_k];
  return x.a_signed ? (byte ^ 0x80u) - 0x80u : byte;
}
TESSERA_TARGET [[gnu::always_inline]] inline void put(const problem& x, std::size_t i,
                                                      std::size_t j, bool add, std::uint32_t sum) {
  std::int32_t& c = x.c[i * x.c_row + j];
  c = static_cast<std::int32_t>(add ? static_cast<std::uint32_t>(c) + sum : sum);
}

/// Few rows of A, and rows of B that are contiguous: those are read once, in the order of memory.
template <std::size_t Rows>
TESSERA_TARGET void multiply_few_by_rows(const problem& x, std::uint32_t* sums) {
  constexpr std::size_t block = 2048, together = 4;
  for (std::size_t column = 0; column < x.n; column += block) {
    const std::size_t columns = std::min(block, x.n - column);
    for (std::size_t i = 0; i < Rows; ++i) std::fill_n(sums + i * block, columns, 0u);
    std::size_t p = 0;
    for (; p + together <= x.k; p += together) {
      const std::uint8_t* const b = x.b + p * x.b_k + column;
      std::uint32_t a[Rows][together];
      words first[Rows], second[Rows];
      for (std::size_t i = 0; i < Rows; ++i) {
        for (std::size_t q = 0; q < together; ++q) a[i][q] = widened(x, i, p + q);
        first[i] = words{} + ((a[i][0] & 0xffffu) | a[i][1] << 16);
        second[i] = words{} + ((a[i][2] & 0xffffu) | a[i][3] << 16);
      }
      std::size_t j = 0;
      for (; j + lanes <= columns; j += lanes) {
        const words b0 = pairs_of_rows(b + j, x.b_k), b1 = pairs_of_rows(b + 2 * x.b_k + j, x.b_k);
        for (std::size_t i = 0; i < Rows; ++i) {
          const words sum = pairs::add(load(sums + i * block + j), first[i], b0);
          store(sums + i * block + j, pairs::add(sum, second[i], b1));
        }
      }
      for (; j < columns; ++j)
        for (std::size_t i = 0; i < Rows; ++i)
          for (std::size_t q = 0; q < together; ++q)
            sums[i * block + j] += a[i][q] * pairs::widen<true>(b[q * x.b_k + j]);
    }
    for (; p < x.k; ++p)
      for (std::size_t i = 0; i < Rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
          sums[i * block + j] += widened(x, i, p) * pairs::widen<true>(x.b[p * x.b_k + column + j]);
    for (std::size_t i = 0; i < Rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        put(x, i, column + j, x.accumulate, sums[i * block + j]);
  }
}

/// Dot products of rows of A, widened, with Columns columns of B, which are contiguous.
template <std::size_t Rows, std::size_t Columns>
TESSERA_TARGET void dot_products(const problem& x, const std::int16_t* a, std::size_t a_row,
                                 std::size_t p, std::size_t k, std::size_t column) {
  const std::uint8_t* const b = x.b + p + column * x.b_column;
  words sums[Rows][Columns] = {};
  std::size_t q = 0;
  for (; q + 2 * lanes <= k; q += 2 * lanes) {
    words rows[Rows];
    for (std::size_t i = 0; i < Rows; ++i) rows[i] = load(a + i * a_row + q);
    for (std::size_t j = 0; j < Columns; ++j) {
      const words y = widen(read<signed_bytes>(b + j * x.b_column + q));
      for (std::size_t i = 0; i < Rows; ++i) sums[i][j] = pairs::add(sums[i][j], rows[i], y);
    }
  }
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < Columns; ++j) {
      std::uint32_t sum = 0;
      for (std::size_t l = 0; l < lanes; ++l) sum += sums[i][j][l];
      for (std::size_t r = q; r < k; ++r)
        sum += static_cast<std::uint32_t>(a[i * a_row + r]) *
               pairs::widen<true>(b[j * x.b_column + r]);
      put(x, i, column + j, x.accumulate || p != 0, sum);
    }
}

/// Few rows of A, and columns of B that are contiguous.
template <std::size_t Rows>
TESSERA_TARGET void multiply_few_by_columns(const problem& x, std::int16_t* a) {
  constexpr std::size_t block = 4096, together = Rows <= 2 ? 4 : 2;
  for (std::size_t p = 0; p < x.k; p += block) {
    const std::size_t k = std::min(block, x.k - p);
    for (std::size_t i = 0; i < Rows; ++i)
      for (std::size_t q = 0; q < k; ++q)
        a[i * block + q] = static_cast<std::int16_t>(widened(x, i, p + q));
    std::size_t j = 0;
    for (; j + together <= x.n; j += together) dot_products<Rows, together>(x, a, block, p, k, j);
    for (; j < x.n; ++j) dot_products<Rows, 1>(x, a, block, p, k, j);
  }
}

template <std::size_t Rows>
TESSERA_TARGET void multiply_few(const problem& x, void* scratch) {
  if (x.b_column == 1)
    multiply_few_by_rows<Rows>(x, static_cast<std::uint32_t*>(scratch));
  else
    multiply_few_by_columns<Rows>(x, static_cast<std::int16_t*>(scratch));
}
/// For 1 to 4 rows of A, nothing of B packed.
inline constexpr multiply_function few[4] = {multiply_few<1>, multiply_few<2>, multiply_few<3>,
                                             multiply_few<4>};
#endif
