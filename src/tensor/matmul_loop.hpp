// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The loops of a matrix product, for one instruction set. matmul.cpp includes it once for each, in a
// namespace of its own, after tile_loop.hpp.
//
//   blocks of B, 256 rows by 64 panels   in L3      for each, blocks of A, 256 columns by 24 panels
//   blocks of A                          in L2      for each, panels of B
//   panels of B, two vectors wide        in L1      for each, panels of A
//   panels of A, as many rows as a tile             one tile of C, which stays in registers
//
// Panels are packed: copied to the workspace in the order in which a tile reads them. Small products
// aren't: their factors stay where they are.
//
// Lifetime:   a problem borrows everything.
// Errors:     none.
// Limits:     none.
// Allocation: none; some KiB of stack.

inline constexpr std::size_t max_k = 256, max_rows = 24 * tile_rows;
inline constexpr std::size_t max_columns = 64 * tile_columns<float>;
static_assert((max_k * max_columns + max_rows * max_k) * sizeof(float) <= matmul_workspace::bytes);

/// Packs rows of A, panel by panel.
template <class Real>
TESSERA_TARGET void pack_rows(const problem& x, std::size_t row, std::size_t rows, std::size_t p,
                              std::size_t k, Real* to) {
  for (std::size_t i = 0; i < rows; i += tile_rows)
    pack<tile_rows>(x.a + (row + i) * x.a_row + p * x.a_k, x.a_k, x.a_row, k,
                    std::min(tile_rows, rows - i), to + i * k);
}

/// Packs `columns` columns of B, panel by panel. Rows are read some panels at a time: one panel's part
/// of a row is a single line of the cache, and rows are often a page apart.
TESSERA_TARGET void pack_columns(const problem& x, std::size_t p, std::size_t k, std::size_t column,
                                 std::size_t columns, float* to) {
  constexpr std::size_t width = tile_columns<float>;
  const float* const from = x.b + p * x.b_k + column * x.b_column;
  std::size_t packed = 0;
  if (x.b_column == 1) {
    packed = columns / width * width;
    for (std::size_t q = 0; q < k; ++q)
      for (std::size_t j = 0; j < packed; j += width) {
        const float* const row = from + q * x.b_k + j;
        __builtin_prefetch(from + std::min(q + 8, k - 1) * x.b_k + j);
        const vector left = load(row), right = load(row + lanes);
        store(to + j * k + q * width, left);
        store(to + j * k + q * width + lanes, right);
      }
  }
  for (std::size_t j = packed; j < columns; j += width)
    pack<width>(from + j * x.b_column, x.b_k, x.b_column, k, std::min(width, columns - j),
                to + j * k);
}

/// Packed rows of A times packed columns of B.
TESSERA_TARGET [[gnu::always_inline]] inline void multiply_group(std::size_t rows,
                                                                 std::size_t columns, std::size_t k,
                                                                 const float* a,
                                                                 const float* panels, float* c,
                                                                 std::size_t c_row, bool add) {
  constexpr std::size_t width = tile_columns<float>;
  for (std::size_t j = 0; j < columns; j += width)
    for (std::size_t i = 0; i < rows; i += tile_rows) {
      float* const to = c + i * c_row + j;
      if (rows - i >= tile_rows && columns - j >= width)
        multiply_tile(k, a + i * k, panels + j * k, to, c_row, add);
      else
        multiply_edge(k, a + i * k, panels + j * k, to, c_row, add, std::min(tile_rows, rows - i),
                      std::min(width, columns - j));
    }
}

/// A tile of C of factors that aren't packed. Rows of B are b_k apart.
struct unpacked_tile {
  const float* a;
  const float* b;
  float* c;
  std::size_t b_k, c_row;
  bool add;
};

template <std::size_t Vectors, std::size_t... Row>
TESSERA_TARGET [[gnu::always_inline]] inline void multiply_unpacked_rows(
    const problem& x, const unpacked_tile& t, std::index_sequence<Row...>) {
  constexpr std::size_t last = (Vectors - 1) * lanes;
  constexpr bool two = Vectors == 2;
  const std::size_t k = x.k, a_row = x.a_row, a_k = x.a_k;
  const float* b = t.b;
  const float* rows[(sizeof...(Row) + 3) / 4];  // every fourth: the others are near enough to it
  for (std::size_t i = 0; i < std::size(rows); ++i) rows[i] = t.a + 4 * i * a_row;
  vector left[sizeof...(Row)] = {}, right[sizeof...(Row)] = {};
  for (std::size_t p = 0; p < k; ++p) {
    const vector y = load(b), z = load(b + last);
    ((left[Row] += rows[Row / 4][Row % 4 * a_row] * y), ...);
    if constexpr (two) ((right[Row] += rows[Row / 4][Row % 4 * a_row] * z), ...);
    for (const float*& row : rows) row += a_k;
    b += t.b_k;
  }
  if (t.add) {
    ((left[Row] += load(t.c + Row * t.c_row)), ...);
    if constexpr (two) ((right[Row] += load(t.c + Row * t.c_row + last)), ...);
  }
  (store(t.c + Row * t.c_row, left[Row]), ...);
  if constexpr (two) (store(t.c + Row * t.c_row + last, right[Row]), ...);
}

/// Sums that are in flight: enough for the units that add, and no more than there are registers.
template <std::size_t Vectors>
inline constexpr std::size_t unpacked_rows = Vectors == 2 && lanes < 16 ? 4 : 8;

/// Columns of C from `column` on, `Vectors` wide; the first of them were computed before. As no tile
/// is smaller than others, the last one begins in rows that were computed before: the same sums.
template <std::size_t Vectors>
TESSERA_TARGET void multiply_unpacked_columns(const problem& x, std::size_t column,
                                              std::size_t before, const float* b, std::size_t b_k) {
  constexpr std::size_t height = unpacked_rows<Vectors>, width = Vectors * lanes;
  constexpr auto all = std::make_index_sequence<height>();
  for (std::size_t next = 0; next < x.m; next += height) {
    const std::size_t i = std::min(next, x.m - height);
    const float* const a = x.a + i * x.a_row;
    float* const c = x.c + i * x.c_row + column;
    if (!x.accumulate || (i == next && before == 0)) {
      multiply_unpacked_rows<Vectors>(x, {a, b, c, b_k, x.c_row, x.accumulate}, all);
      continue;
    }
    alignas(64) float tile[height * width];
    multiply_unpacked_rows<Vectors>(x, {a, b, tile, b_k, width, false}, all);
    for (std::size_t row = next - i; row < height; ++row)
      for (std::size_t j = before; j < width; ++j) c[row * x.c_row + j] += tile[row * width + j];
  }
}

template <std::size_t Vectors>
TESSERA_TARGET void multiply_small_columns(const problem& x, std::size_t column, std::size_t before,
                                           float* panel) {
  constexpr std::size_t width = Vectors * lanes;
  const float* const b = x.b + column * x.b_column;
  if (x.b_column == 1) return multiply_unpacked_columns<Vectors>(x, column, before, b, x.b_k);
  pack<width>(b, x.b_k, x.b_column, x.k, width, panel);
  multiply_unpacked_columns<Vectors>(x, column, before, panel, width);
}

/// Whether packing would take longer than it saves: A fits in L2, and B, with what is between its
/// rows, about in L1, where rows a page apart would displace each other.
TESSERA_TARGET bool is_small(const problem& x) {
  const std::size_t b_span = x.b_column == 1 ? x.k * x.b_k : x.n * x.b_column;
  return x.k <= max_k && x.m >= unpacked_rows<1> && x.n >= lanes && x.m <= max_small_a / x.k &&
         b_span <= max_small_b;
}

/// A is read where it is, and B too unless it is transposed.
TESSERA_TARGET void multiply_small(const problem& x, float* panel) {
  std::size_t column = 0;
  for (; x.n - column >= 2 * lanes; column += 2 * lanes)
    multiply_small_columns<2>(x, column, 0, panel);
  for (; column < x.n; column += lanes) {
    const std::size_t begin = std::min(column, x.n - lanes);
    multiply_small_columns<1>(x, begin, column - begin, panel);
  }
}

TESSERA_TARGET void multiply_blocked(const problem& x, void* scratch) {
  if (is_small(x)) return multiply_small(x, static_cast<float*>(scratch));
  constexpr std::size_t group = 4 * tile_columns<float>;
  float* const packed_b = static_cast<float*>(scratch);
  float* const packed_a = packed_b + max_k * max_columns;
  const std::size_t k_part = even_part(x.k, max_k, 1);
  const std::size_t row_part = even_part(x.m, max_rows, tile_rows);
  // With all of A in one block, panels of B are used once: they can share one place, in L1.
  const bool once = x.m <= max_rows;
  const std::size_t column_part = once ? x.n : max_columns;
  for (std::size_t column = 0; column < x.n; column += column_part) {
    const std::size_t column_end = std::min(x.n, column + column_part);
    for (std::size_t p = 0; p < x.k; p += k_part) {
      const std::size_t k = std::min(k_part, x.k - p);
      const bool add = x.accumulate || p != 0;
      for (std::size_t row = 0; row < x.m; row += row_part) {
        const std::size_t rows = std::min(row_part, x.m - row);
        pack_rows(x, row, rows, p, k, packed_a);
        for (std::size_t next = column; next < column_end; next += group) {
          const std::size_t columns = std::min(group, column_end - next);
          float* const panels = packed_b + (once ? 0 : (next - column) * k);
          if (row == 0) pack_columns(x, p, k, next, columns, panels);
          multiply_group(rows, columns, k, packed_a, panels, x.c + row * x.c_row + next, x.c_row,
                         add);
        }
      }
    }
  }
}

/// Sums stay in FP64 in the workspace until they are complete.
TESSERA_TARGET void multiply_reference(const problem& x, void* scratch) {
  constexpr std::size_t width = tile_columns<double>;
  constexpr std::size_t block = 16 * width;
  double* const packed_a = static_cast<double*>(scratch);
  double* const packed_b = packed_a + max_rows * max_k;
  double* const sums = packed_b + max_k * width;
  static_assert((max_rows * max_k + max_k * width + max_rows * block) * sizeof(double) <=
                matmul_workspace::bytes);
  for (std::size_t row = 0; row < x.m; row += max_rows) {
    const std::size_t rows = std::min(max_rows, x.m - row);
    for (std::size_t column = 0; column < x.n; column += block) {
      const std::size_t columns = std::min(block, x.n - column);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
          sums[i * block + j] =
              x.accumulate ? static_cast<double>(x.c[(row + i) * x.c_row + column + j]) : 0.0;
      for (std::size_t p = 0; p < x.k; p += max_k) {
        const std::size_t k = std::min(max_k, x.k - p);
        pack_rows(x, row, rows, p, k, packed_a);
        for (std::size_t j = 0; j < columns; j += width) {
          pack<width>(x.b + p * x.b_k + (column + j) * x.b_column, x.b_k, x.b_column, k,
                      std::min(width, columns - j), packed_b);
          for (std::size_t i = 0; i < rows; i += tile_rows)
            multiply_tile(k, packed_a + i * k, packed_b, sums + i * block + j, block, true);
        }
      }
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
          x.c[(row + i) * x.c_row + column + j] = static_cast<float>(sums[i * block + j]);
    }
  }
}

TESSERA_TARGET [[gnu::always_inline]] inline void put(const problem& x, std::size_t i,
                                                      std::size_t j, bool add, float sum) {
  float& c = x.c[i * x.c_row + j * x.c_column];
  c = add ? c + sum : sum;
}

/// Few rows of A, and rows of B that are contiguous: those are read once, in the order of memory.
template <std::size_t Rows>
TESSERA_TARGET void multiply_few_by_rows(const problem& x, float* sums) {
  constexpr std::size_t block = 4096, together = 4;
  static_assert(Rows * block * sizeof(float) <= matmul_workspace::bytes);
  for (std::size_t column = 0; column < x.n; column += block) {
    const std::size_t columns = std::min(block, x.n - column);
    for (std::size_t i = 0; i < Rows; ++i) std::fill_n(sums + i * block, columns, 0.0f);
    std::size_t p = 0;
    for (; p + together <= x.k; p += together) {
      const float* const b = x.b + p * x.b_k + column;
      float a[Rows][together];
      for (std::size_t i = 0; i < Rows; ++i)
        for (std::size_t q = 0; q < together; ++q) a[i][q] = x.a[i * x.a_row + (p + q) * x.a_k];
      std::size_t j = 0;
      for (; j + lanes <= columns; j += lanes) {
        const vector b0 = load(b + j), b1 = load(b + x.b_k + j);
        const vector b2 = load(b + 2 * x.b_k + j), b3 = load(b + 3 * x.b_k + j);
        for (std::size_t i = 0; i < Rows; ++i) {
          vector sum = load(sums + i * block + j);
          sum += a[i][0] * b0;
          sum += a[i][1] * b1;
          sum += a[i][2] * b2;
          sum += a[i][3] * b3;
          store(sums + i * block + j, sum);
        }
      }
      for (; j < columns; ++j)
        for (std::size_t i = 0; i < Rows; ++i)
          for (std::size_t q = 0; q < together; ++q)
            sums[i * block + j] += a[i][q] * b[q * x.b_k + j];
    }
    for (; p < x.k; ++p)
      for (std::size_t i = 0; i < Rows; ++i) {
        const float a = x.a[i * x.a_row + p * x.a_k];
        for (std::size_t j = 0; j < columns; ++j)
          sums[i * block + j] += a * x.b[p * x.b_k + column + j];
      }
    for (std::size_t i = 0; i < Rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        put(x, i, column + j, x.accumulate, sums[i * block + j]);
  }
}

TESSERA_TARGET [[gnu::always_inline]] inline float sum_of_lanes(vector v) {
  typedef float four [[gnu::vector_size(16)]];
  four parts[lanes / 4];
  std::memcpy(parts, &v, sizeof v);
  four sum = parts[0];
  for (std::size_t i = 1; i < lanes / 4; ++i) sum += parts[i];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/// Dot products of rows of A with Columns columns of B, which are contiguous.
template <std::size_t Rows, std::size_t Columns>
TESSERA_TARGET void dot_products(const problem& x, const float* a, std::size_t a_row, std::size_t p,
                                 std::size_t k, std::size_t column) {
  const float* const b = x.b + p + column * x.b_column;
  vector sums[Rows][Columns] = {};
  std::size_t q = 0;
  for (; q + lanes <= k; q += lanes) {
    vector rows[Rows];
    for (std::size_t i = 0; i < Rows; ++i) rows[i] = load(a + i * a_row + q);
    for (std::size_t j = 0; j < Columns; ++j) {
      const vector y = load(b + j * x.b_column + q);
      for (std::size_t i = 0; i < Rows; ++i) sums[i][j] += rows[i] * y;
    }
  }
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < Columns; ++j) {
      float sum = sum_of_lanes(sums[i][j]);
      for (std::size_t r = q; r < k; ++r) sum += a[i * a_row + r] * b[j * x.b_column + r];
      put(x, i, column + j, x.accumulate || p != 0, sum);
    }
}

/// Few rows of A, and columns of B that are contiguous.
template <std::size_t Rows>
TESSERA_TARGET void multiply_few_by_columns(const problem& x, float* packed_a) {
  constexpr std::size_t block = 4096, together = Rows <= 2 ? 4 : 2;
  for (std::size_t p = 0; p < x.k; p += block) {
    const std::size_t k = std::min(block, x.k - p);
    const float* a = x.a + p * x.a_k;
    std::size_t a_row = x.a_row;
    if (x.a_k != 1) {
      for (std::size_t i = 0; i < Rows; ++i)
        for (std::size_t q = 0; q < k; ++q) packed_a[i * block + q] = a[i * a_row + q * x.a_k];
      a = packed_a;
      a_row = block;
    }
    std::size_t j = 0;
    for (; j + together <= x.n; j += together) dot_products<Rows, together>(x, a, a_row, p, k, j);
    for (; j < x.n; ++j) dot_products<Rows, 1>(x, a, a_row, p, k, j);
  }
}

template <std::size_t Rows>
TESSERA_TARGET void multiply_few(const problem& x, void* scratch) {
  if (x.b_column == 1)
    multiply_few_by_rows<Rows>(x, static_cast<float*>(scratch));
  else
    multiply_few_by_columns<Rows>(x, static_cast<float*>(scratch));
}

inline constexpr engine functions = {
    multiply_blocked,
    {multiply_few<1>, multiply_few<2>, multiply_few<3>, multiply_few<4>},
    multiply_reference};
