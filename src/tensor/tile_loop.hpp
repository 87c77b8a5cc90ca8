// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tiles of a product of float matrices that stay in registers, and the panels that they read, for
// one instruction set. Files that multiply include it once for each, in a namespace of its own; see
// src/vm/alir/loop.hpp for why every function here has the attribute.
//
//   pack<tile_rows>(a, 1, a_stride, k, rows, panel_a);                     // rows of A, from memory
//   multiply_tile(k, panel_a, panel_b, c, c_stride, false);                // a tile of C
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: none; a tile of stack.

template <class Real>
struct vector_of {
  static constexpr std::size_t lanes = TESSERA_VECTOR_BYTES / sizeof(Real);
  typedef Real type [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
  typedef Real unaligned
      [[gnu::vector_size(TESSERA_VECTOR_BYTES), gnu::aligned(alignof(Real)), gnu::may_alias]];
};
using vector = vector_of<float>::type;
inline constexpr std::size_t lanes = vector_of<float>::lanes;

template <class Real>
TESSERA_TARGET [[gnu::always_inline]] inline typename vector_of<Real>::type load(const Real* from) {
  return *reinterpret_cast<const typename vector_of<Real>::unaligned*>(from);
}
template <class Real>
TESSERA_TARGET [[gnu::always_inline]] inline void store(Real* to,
                                                        typename vector_of<Real>::type v) {
  *reinterpret_cast<typename vector_of<Real>::unaligned*>(to) = v;
}

inline constexpr std::size_t tile_rows = TESSERA_TILE_ROWS;
template <class Real>
inline constexpr std::size_t tile_columns = 2 * vector_of<Real>::lanes;

/// What a tile does is written out for each of its rows: as loops, GCC would keep it in memory. The
/// panel of A has `Height` rows, and the tile may have fewer.
template <std::size_t Height = tile_rows, class Real, std::size_t... Row>
TESSERA_TARGET [[gnu::always_inline]] inline void multiply_rows(std::size_t k, const Real* a,
                                                                const Real* b, Real* c,
                                                                std::size_t stride, bool add,
                                                                std::index_sequence<Row...>) {
  using vec = typename vector_of<Real>::type;
  constexpr std::size_t width = vector_of<Real>::lanes;
  // FP64 goes on with the sum; FP32 adds a shorter one to it, which loses less.
  constexpr bool continues = sizeof(Real) == sizeof(double);
  vec left[sizeof...(Row)] = {}, right[sizeof...(Row)] = {};
  if (continues && add)
    ((left[Row] = load(c + Row * stride), right[Row] = load(c + Row * stride + width)), ...);
  if (!continues) (__builtin_prefetch(c + Row * stride), ...);
  for (std::size_t p = 0; p < k; ++p) {
    const vec x = load(b), y = load(b + width);
    ((left[Row] += a[Row] * x, right[Row] += a[Row] * y), ...);
    a += Height;
    b += 2 * width;
  }
  if (!continues && add)
    ((left[Row] += load(c + Row * stride), right[Row] += load(c + Row * stride + width)), ...);
  ((store(c + Row * stride, left[Row]), store(c + Row * stride + width, right[Row])), ...);
}

/// One tile of C from a panel of A and one of B.
template <std::size_t Height = tile_rows, class Real>
TESSERA_TARGET void multiply_tile(std::size_t k, const Real* a, const Real* b, Real* c,
                                  std::size_t stride, bool add) {
  multiply_rows<Height>(k, a, b, c, stride, add, std::make_index_sequence<Height>());
}

/// A tile that C has only a part of. With few rows, it is computed no higher than this.
inline constexpr std::size_t low_rows = tile_rows / 2 + 1;
template <std::size_t Height = tile_rows>
TESSERA_TARGET void multiply_edge(std::size_t k, const float* a, const float* b, float* c,
                                  std::size_t stride, bool add, std::size_t rows,
                                  std::size_t columns) {
  constexpr std::size_t width = tile_columns<float>;
  alignas(64) float tile[tile_rows * width];
  if (rows <= low_rows)
    multiply_rows<Height>(k, a, b, tile, width, false, std::make_index_sequence<low_rows>());
  else
    multiply_tile<Height>(k, a, b, tile, width, false);
  for (std::size_t i = 0; i < rows; ++i) {
    const float* const from = tile + i * width;
    float* const to = c + i * stride;
    if (columns == width) {
      const vector left = load(from), right = load(from + lanes);
      store(to, add ? load(to) + left : left);
      store(to + lanes, add ? load(to + lanes) + right : right);
      continue;
    }
    for (std::size_t j = 0; j < columns; ++j) to[j] = add ? to[j] + from[j] : from[j];
  }
}

/// Packs a panel: for each of k values of p, Width elements, the last of them 0 where there are only
/// `count`. Element (p, w) is from[p * along_k + w * along_width], and one of the steps is 1.
template <std::size_t Width, class Real>
TESSERA_TARGET void pack(const float* from, std::size_t along_k, std::size_t along_width,
                         std::size_t k, std::size_t count, Real* to) {
  if (count < Width) {
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t w = 0; w < Width; ++w)
        to[p * Width + w] =
            w < count ? static_cast<Real>(from[p * along_k + w * along_width]) : Real{};
    return;
  }
  if (along_width == 1) {
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t w = 0; w < Width; ++w)
        to[p * Width + w] = static_cast<Real>(from[p * along_k + w]);
    return;
  }
  // Four by four; the last four of a width overlap those before.
  typedef float four [[gnu::vector_size(16)]];
  typedef float four_of_float [[gnu::vector_size(16), gnu::aligned(4), gnu::may_alias]];
  typedef Real four_to
      [[gnu::vector_size(4 * sizeof(Real)), gnu::aligned(alignof(Real)), gnu::may_alias]];
  std::size_t p = 0;
  for (; p + 4 <= k; p += 4)
    for (std::size_t next = 0; next < Width; next += 4) {
      const std::size_t w = next + 4 <= Width ? next : Width - 4;
      const float* const at = from + p + w * along_width;
      const four r0 = *reinterpret_cast<const four_of_float*>(at);
      const four r1 = *reinterpret_cast<const four_of_float*>(at + along_width);
      const four r2 = *reinterpret_cast<const four_of_float*>(at + 2 * along_width);
      const four r3 = *reinterpret_cast<const four_of_float*>(at + 3 * along_width);
      const four low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
      const four low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
      const four high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
      const four high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
      const four columns[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                               __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                               __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                               __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
      for (std::size_t q = 0; q < 4; ++q)
        *reinterpret_cast<four_to*>(to + (p + q) * Width + w) =
            __builtin_convertvector(columns[q], four_to);
    }
  for (; p < k; ++p)
    for (std::size_t w = 0; w < Width; ++w)
      to[p * Width + w] = static_cast<Real>(from[p + w * along_width]);
}
