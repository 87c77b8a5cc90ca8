// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The loops of a convolution, for one instruction set. convolution.cpp includes it once for each, in a
// namespace of its own, after tile_loop.hpp.
//
// A convolution is a product: weights, a row for each output and a column for each term, times a
// matrix of the image that has a column for each place of the output. That matrix is never whole: its
// panels are packed from the image when they are needed, term by term. A term is a channel and a
// place in the kernel; those of one channel and one row of the kernel read the same rows of the
// image, which are brought out once, with their padding. See matmul_loop.hpp for the blocks.
//
// Lifetime:   a problem borrows everything.
// Errors:     none.
// Limits:     none.
// Allocation: none; some KiB of stack.

inline constexpr std::size_t max_k = 256, max_rows = 24 * tile_rows;
inline constexpr std::size_t panel_width = tile_columns<float>;
inline constexpr std::size_t max_columns = 64 * panel_width;
/// Panels are packed in groups of so many columns.
inline constexpr std::size_t group_columns = 64;
static_assert(group_columns % panel_width == 0);
/// The workspace: weights, panels, and rows of the image.
inline constexpr std::size_t weights_room = 640 * 1024, panels_room = (max_k + 1) * max_columns;
inline constexpr std::size_t rows_capacity = 8192;
static_assert((weights_room + panels_room + rows_capacity) * sizeof(float) <=
              convolution_workspace::bytes);
static_assert(max_rows * max_k <= weights_room);

/// Adjacent places of the output in one row.
struct run {
  std::size_t row, column, count;
  float* staged;  ///< what they read of one row of the image
};
/// Those of a run that are in one panel.
struct segment {
  const float* from;  ///< in the first phase of what the run reads
  std::size_t phase;  ///< how far the next phase is from there
  float* to;          ///< in the panel's first row
  bool wide;          ///< more than one vector
};

/// Places [first, first + count) of the output by rows; returns how many runs they are.
TESSERA_TARGET inline std::size_t find_runs(const convolution& s, std::size_t first,
                                            std::size_t count, run* runs) {
  std::size_t found = 0, row = first / s.out_w, column = first % s.out_w;
  while (count != 0) {
    const std::size_t n = std::min(count, s.out_w - column);
    runs[found++] = {row, column, n, nullptr};
    count -= n;
    column = 0;
    ++row;
  }
  return found;
}

/// What runs read of one row of the image, for all columns of the kernel. With a stride, every
/// stride-th value follows the one before, and the values between follow as further phases.
struct staging {
  std::size_t phases;  ///< as many as are read
  std::size_t reach;   ///< values of a phase that are read beyond those for the first kernel column

  TESSERA_TARGET explicit staging(const convolution& s)
      : phases(std::min(s.stride_w, (s.kernel_w - 1) * s.dilation_w + 1)),
        reach((s.kernel_w - 1) * s.dilation_w / s.stride_w) {}
  [[nodiscard]] TESSERA_TARGET std::size_t size(std::size_t count) const {
    return phases * (count + reach);
  }
};

TESSERA_TARGET [[gnu::always_inline]] inline void copy(const float* from, float* to,
                                                       std::size_t n) {
  if (n < lanes) {
    // Two parts that overlap, as large as they can be.
    const auto parts = [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
      if (n < Size || n > 2 * Size) return false;
      float first[Size], last[Size];
      std::memcpy(first, from, sizeof first);
      std::memcpy(last, from + n - Size, sizeof last);
      std::memcpy(to, first, sizeof first);
      std::memcpy(to + n - Size, last, sizeof last);
      return true;
    };
    if (parts(std::integral_constant<std::size_t, 8>()) ||
        parts(std::integral_constant<std::size_t, 4>()))
      return;
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  std::size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const vector first = load(from + i), second = load(from + i + lanes);
    store(to + i, first);
    store(to + i + lanes, second);
  }
  if (i + lanes < n) store(to + i, load(from + i));
  store(to + n - lanes, load(from + n - lanes));
}

/// Every second value of two vectors, from the first or from the second on.
template <std::size_t First = 0, std::size_t... Lane>
TESSERA_TARGET [[gnu::always_inline]] inline vector every_second(vector a, vector b,
                                                                 std::index_sequence<Lane...>) {
  return __builtin_shufflevector(a, b, (2 * Lane + First)...);
}

/// `count` values, every stride-th of a row from column `first` on, which may be outside.
TESSERA_TARGET inline void stage_phase(const float* from, std::ptrdiff_t width,
                                       std::ptrdiff_t first, std::ptrdiff_t stride,
                                       std::ptrdiff_t count, float* to) {
  std::ptrdiff_t i = 0, column = first;
  for (; i < count && column < 0; ++i, column += stride) to[i] = 0;
  constexpr std::ptrdiff_t step = lanes;
  if (stride == 2 && count - i >= step)
    while (i < count) {
      // The last vector overlaps the one before.
      const std::ptrdiff_t at = std::min(i, count - step), source = first + 2 * at;
      if (source < 0 || source + 2 * step > width) break;
      store(to + at, every_second(load(from + source), load(from + source + step),
                                  std::make_index_sequence<lanes>()));
      i = at + step;
      column = source + 2 * step;
    }
  for (; i < count && column < width; ++i, column += stride) to[i] = from[column];
  for (; i < count; ++i) to[i] = 0;
}

/// Brings out what a run reads of a row of the image, counted from the first of the padding.
TESSERA_TARGET inline void stage(const convolution& s, const staging& how, const float* channel,
                                 std::size_t padded_row, const run& r, float* to) {
  const std::size_t row = padded_row - s.pad_h;
  const auto width = static_cast<std::ptrdiff_t>(s.in_w);
  const std::size_t each = r.count + how.reach;
  const auto count = static_cast<std::ptrdiff_t>(each);
  // Before the image, it has wrapped to more than any size.
  if (row >= s.in_h) {
    std::fill_n(to, how.phases * each, 0.0f);
    return;
  }
  const float* const from = channel + row * s.in_w;
  const std::ptrdiff_t first =
      static_cast<std::ptrdiff_t>(r.column * s.stride_w) - static_cast<std::ptrdiff_t>(s.pad_w);
  if (s.stride_w == 1) {
    const std::ptrdiff_t begin = std::clamp(-first, std::ptrdiff_t{0}, count);
    const std::ptrdiff_t end = std::clamp(width - first, begin, count);
    for (std::ptrdiff_t i = 0; i < begin; ++i) to[i] = 0;
    if (begin < end)
      copy(from + (first + begin), to + begin, static_cast<std::size_t>(end - begin));
    for (std::ptrdiff_t i = end; i < count; ++i) to[i] = 0;
    return;
  }
  for (std::size_t phase = 0; phase < how.phases; ++phase, to += each)
    stage_phase(from, width, first + static_cast<std::ptrdiff_t>(phase),
                static_cast<std::ptrdiff_t>(s.stride_w), count, to);
}

/// A term: a channel and a place in the kernel.
struct term {
  std::size_t channel, row, column;

  TESSERA_TARGET term(const convolution& s, std::size_t p)
      : channel(p / (s.kernel_h * s.kernel_w)),
        row(p / s.kernel_w % s.kernel_h),
        column(p % s.kernel_w) {}
  /// On to the next row of a kernel.
  TESSERA_TARGET void next_row(const convolution& s) {
    column = 0;
    if (++row < s.kernel_h) return;
    row = 0;
    ++channel;
  }
};

/// Terms [p, p + k) of places that are too far apart to be staged, one by one.
TESSERA_TARGET void pack_apart(const convolution& s, const float* image, std::size_t p,
                               std::size_t k, std::size_t place, std::size_t count, float* to) {
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t row = (place + j) / s.out_w, column = (place + j) % s.out_w;
    float* const panel = to + j / panel_width * panel_width * (k + 1) + j % panel_width;
    for (std::size_t q = 0; q < k; ++q) {
      const term t(s, p + q);
      // Before the image, these wrap to more than any size.
      const std::size_t y = row * s.stride_h + t.row * s.dilation_h - s.pad_h;
      const std::size_t x = column * s.stride_w + t.column * s.dilation_w - s.pad_w;
      panel[q * panel_width] =
          y < s.in_h && x < s.in_w ? image[(t.channel * s.in_h + y) * s.in_w + x] : 0;
    }
  }
}

/// Packs terms [p, p + k) of some places, at most group_columns, panel by panel. A panel has room for
/// one row more, because what is copied is always as wide as a panel: the next row covers the rest.
TESSERA_TARGET void pack_places(const convolution& s, const float* image, std::size_t p,
                                std::size_t k, std::size_t place, std::size_t count, float* to,
                                float* rows) {
  const staging how(s);
  run runs[group_columns];
  const std::size_t run_count = find_runs(s, place, count, runs);
  // Segments read to the end of a panel's width, so there is as much memory after the last.
  if (how.phases > rows_capacity / 4 || how.reach > rows_capacity / 4 ||
      how.phases * (count + run_count * how.reach) > rows_capacity - panel_width)
    return pack_apart(s, image, p, k, place, count, to);
  segment segments[2 * group_columns];
  std::size_t segment_count = 0, j = 0;
  for (std::size_t r = 0; r < run_count; ++r) {
    runs[r].staged = rows;
    rows += how.size(runs[r].count);
    for (std::size_t i = 0; i < runs[r].count;) {
      const std::size_t at = j % panel_width;
      const std::size_t n = std::min(runs[r].count - i, panel_width - at);
      segments[segment_count++] = {runs[r].staged + i, runs[r].count + how.reach,
                                   to + (j - at) * (k + 1) + at, n > lanes};
      i += n;
      j += n;
    }
  }
  term t(s, p);
  for (std::size_t q = 0; q < k; t.next_row(s)) {
    const float* const channel = image + t.channel * s.in_h * s.in_w;
    for (std::size_t r = 0; r < run_count; ++r)
      stage(s, how, channel, runs[r].row * s.stride_h + t.row * s.dilation_h, runs[r],
            runs[r].staged);
    for (; t.column < s.kernel_w && q < k; ++t.column, ++q) {
      const std::size_t at = t.column * s.dilation_w;
      const std::size_t phase = s.stride_w == 1 ? 0 : at % s.stride_w;
      const std::size_t distance = s.stride_w == 1 ? at : at / s.stride_w;
      for (std::size_t i = 0; i < segment_count; ++i) {
        const segment& x = segments[i];
        const float* const from = x.from + phase * x.phase + distance;
        float* const row = x.to + q * panel_width;
        store(row, load(from));
        if (x.wide) store(row + lanes, load(from + lanes));
      }
    }
  }
}

/// How high tiles of m outputs are: as high as they can be, unless low ones have far fewer rows that
/// don't exist, as of 16 with AVX-512.
TESSERA_TARGET inline std::size_t tile_height(std::size_t m) {
  const std::size_t rest = m % tile_rows;
  const std::size_t rows = m - rest + (rest == 0 ? 0 : rest <= low_rows ? low_rows : tile_rows);
  return round_up(m, low_rows) * 10 <= rows * 9 ? low_rows : tile_rows;
}

/// Packs rows of weights, panel by panel.
template <std::size_t Height = tile_rows>
TESSERA_TARGET void pack_weights(const problem& x, std::size_t row, std::size_t rows, std::size_t p,
                                 std::size_t k, float* to) {
  for (std::size_t i = 0; i < rows; i += Height)
    pack<Height>(x.w + (row + i) * x.k + p, 1, x.k, k, std::min(Height, rows - i), to + i * k);
}

/// A tile of the output at `c`, or the part of it that exists.
template <std::size_t Height = tile_rows>
TESSERA_TARGET [[gnu::always_inline]] inline void multiply_part(std::size_t k, const float* weights,
                                                                const float* panel, float* c,
                                                                std::size_t stride, bool add,
                                                                std::size_t rows,
                                                                std::size_t columns) {
  if (rows >= Height && columns >= panel_width)
    multiply_tile<Height>(k, weights, panel, c, stride, add);
  else
    multiply_edge<Height>(k, weights, panel, c, stride, add, std::min(Height, rows),
                          std::min(panel_width, columns));
}

/// All tiles of some rows and columns, from packed weights and panels.
template <std::size_t Height>
TESSERA_TARGET void multiply_parts(std::size_t k, const float* weights, const float* panels,
                                   float* c, std::size_t stride, bool add, std::size_t rows,
                                   std::size_t columns) {
  for (std::size_t j = 0; j < columns; j += panel_width)
    for (std::size_t i = 0; i < rows; i += Height)
      multiply_part<Height>(k, weights + i * k, panels + j * (k + 1), c + i * stride + j, stride,
                            add, rows - i, columns - j);
}

/// Adds rows of weights times one column of the image, lying along k, to one column of the output.
template <std::size_t... Row>
TESSERA_TARGET inline void multiply_column(const float* weights, std::size_t along, std::size_t k,
                                           const float* column, float* c, std::size_t stride,
                                           bool add, std::index_sequence<Row...>) {
  vector sums[sizeof...(Row)] = {};
  std::size_t p = 0;
  for (; p + lanes <= k; p += lanes) {
    const vector v = load(column + p);
    ((sums[Row] += load(weights + Row * along + p) * v), ...);
  }
  float totals[sizeof...(Row)] = {};
  for (std::size_t lane = 0; lane < lanes; ++lane) ((totals[Row] += sums[Row][lane]), ...);
  for (; p < k; ++p) ((totals[Row] += weights[Row * along + p] * column[p]), ...);
  ((c[Row * stride] = add ? c[Row * stride] + totals[Row] : totals[Row]), ...);
}

/// Weights that are used only once, for so few places, are packed a tile at a time: they don't leave
/// the first cache again, and the next ones come meanwhile. All panels stay in the second one. The
/// last columns would leave most of a panel empty, as the one of 7 x 7 places: they are turned, to
/// be multiplied along k.
inline constexpr std::size_t few_places = 256, max_turned = lanes / 2;
static_assert((tile_rows + max_turned) * max_k <= weights_room);
TESSERA_TARGET void convolve_few_places(const problem& x, std::size_t p, std::size_t k,
                                        std::size_t count, bool add, const float* panels,
                                        float* weights, float* y) {
  constexpr std::size_t line = 64 / sizeof(float);
  const std::size_t rest = count % panel_width, turned = rest <= max_turned ? rest : 0;
  const std::size_t whole = count - turned;
  float* const columns = weights + tile_rows * k;
  for (std::size_t j = 0; j < turned; ++j)
    for (std::size_t q = 0; q < k; ++q)
      columns[j * k + q] = panels[whole * (k + 1) + q * panel_width + j];
  for (std::size_t i = 0; i < x.m; i += tile_rows) {
    const float* const from = x.w + i * x.k + p;
    const std::size_t rows = std::min(tile_rows, x.m - i);
    pack_weights(x, i, rows, p, k, weights);
    for (std::size_t next = rows; next < std::min(x.m - i, 2 * tile_rows); ++next)
      for (std::size_t q = 0; q < k; q += line) __builtin_prefetch(from + next * x.k + q);
    float* const to = y + i * x.n;
    for (std::size_t j = 0; j < whole; j += panel_width)
      multiply_part(k, weights, panels + j * (k + 1), to + j, x.n, add, rows, whole - j);
    for (std::size_t j = 0; j < turned; ++j) {
      const float* const column = columns + j * k;
      float* const c = to + whole + j;
      if (rows == tile_rows)
        multiply_column(from, x.k, k, column, c, x.n, add, std::make_index_sequence<tile_rows>());
      else
        for (std::size_t row = 0; row < rows; ++row)
          multiply_column(from + row * x.k, x.k, k, column, c + row * x.n, x.n, add,
                          std::index_sequence<0>());
    }
  }
}

/// Some places of one image, from all terms. `weights` are all of them, packed, or room for a block.
TESSERA_TARGET void convolve_places(const problem& x, const float* image, float* y,
                                    std::size_t place, std::size_t count, float* weights,
                                    bool weights_packed, float* panels, float* rows_of_image) {
  if (x.bias != nullptr)
    for (std::size_t i = 0; i < x.m; ++i) std::fill_n(y + i * x.n + place, count, x.bias[i]);
  const std::size_t k_part = even_part(x.k, max_k, 1);
  const std::size_t row_part = even_part(x.m, max_rows, tile_rows);
  const bool few = !weights_packed && count <= few_places;
  const bool once = !few && x.m <= max_rows;
  const bool low = tile_height(x.m) == low_rows;
  const auto pack = low ? pack_weights<low_rows> : pack_weights<tile_rows>;
  const auto multiply = low ? multiply_parts<low_rows> : multiply_parts<tile_rows>;
  for (std::size_t p = 0; p < x.k; p += k_part) {
    const std::size_t k = std::min(k_part, x.k - p);
    const bool add = x.bias != nullptr || p != 0;
    if (few) {
      for (std::size_t next = 0; next < count; next += group_columns)
        pack_places(x.sizes, image, p, k, place + next, std::min(group_columns, count - next),
                    panels + next * (k + 1), rows_of_image);
      convolve_few_places(x, p, k, count, add, panels, weights, y + place);
      continue;
    }
    for (std::size_t row = 0; row < x.m; row += row_part) {
      const std::size_t rows = std::min(row_part, x.m - row);
      const float* block = weights;
      if (weights_packed)
        block += p * round_up(x.m, tile_rows) + row * k;
      else
        pack(x, row, rows, p, k, weights);
      for (std::size_t next = 0; next < count; next += group_columns) {
        const std::size_t columns = std::min(group_columns, count - next);
        float* const group = panels + (once ? 0 : next * (k + 1));
        if (row == 0)
          pack_places(x.sizes, image, p, k, place + next, columns, group, rows_of_image);
        multiply(k, block, group, y + row * x.n + place + next, x.n, add, rows, columns);
      }
    }
  }
}

/// With few outputs, panels aren't worth packing: rows that were brought out are added up in place.
inline constexpr std::size_t few_outputs = 4, few_columns = 256, few_kernel_columns = 64;

/// What of a row of the image belongs to one row of the kernel, weighted.
TESSERA_TARGET inline void add_row(const float* row, const std::size_t* offsets,
                                   const float* weights, std::size_t kernel_columns, float* sums,
                                   std::size_t count) {
  for (std::size_t j = 0; j < count; j += 2 * lanes) {
    vector left = load(sums + j), right = load(sums + j + lanes);
    for (std::size_t i = 0; i < kernel_columns; ++i) {
      const float* const from = row + offsets[i] + j;
      left += weights[i] * load(from);
      right += weights[i] * load(from + lanes);
    }
    store(sums + j, left);
    store(sums + j + lanes, right);
  }
}

/// All rows of some columns of one image. `rows` has room for `kept` rows of the image, one after
/// another, which stay until the kernel has passed; none with more than one channel.
TESSERA_TARGET void convolve_few_columns(const problem& x, const float* image, float* y,
                                         std::size_t column, std::size_t count, std::size_t kept,
                                         float* sums, float* rows) {
  constexpr std::size_t row_size = few_columns + 2 * lanes;
  const convolution& s = x.sizes;
  const staging how(s);
  std::size_t offsets[few_kernel_columns];
  for (std::size_t i = 0; i < s.kernel_w; ++i) {
    const std::size_t at = i * s.dilation_w;
    offsets[i] = at % s.stride_w * (count + how.reach) + at / s.stride_w;
  }
  const std::size_t inputs = x.k / (s.kernel_h * s.kernel_w), size = how.size(count);
  std::size_t next_row = 0;
  for (std::size_t row = 0; row < s.out_h; ++row) {
    const run r{row, column, count, nullptr};
    for (std::size_t o = 0; o < x.m; ++o)
      std::fill_n(sums + o * row_size, count + 2 * lanes, x.bias == nullptr ? 0.0f : x.bias[o]);
    for (std::size_t i = 0; i < inputs; ++i)
      for (std::size_t ky = 0; ky < s.kernel_h; ++ky) {
        const std::size_t at = row * s.stride_h + ky * s.dilation_h;
        const float* const channel = image + i * s.in_h * s.in_w;
        float* const staged = rows + (kept == 0 ? 0 : at % kept) * size;
        if (kept == 0 || at >= next_row) {
          stage(s, how, channel, at, r, staged);
          next_row = at + 1;
        }
        const float* const weights = x.w + (i * s.kernel_h + ky) * s.kernel_w;
        for (std::size_t o = 0; o < x.m; ++o)
          add_row(staged, offsets, weights + o * x.k, s.kernel_w, sums + o * row_size, count);
      }
    for (std::size_t o = 0; o < x.m; ++o)
      copy(sums + o * row_size, y + o * x.n + row * s.out_w + column, count);
  }
}

/// False where that takes too much memory.
TESSERA_TARGET bool convolve_few(const problem& x, float* scratch) {
  constexpr std::size_t room = weights_room;
  const convolution& s = x.sizes;
  const staging how(s);
  if (x.m > few_outputs || s.kernel_w > few_kernel_columns || how.reach > room / 8 ||
      how.phases > room / 8 / (few_columns + how.reach))
    return false;
  float* const sums = scratch;
  float* const rows = sums + few_outputs * (few_columns + 2 * lanes);
  const std::size_t size = how.phases * (few_columns + how.reach);
  // Rows come in order where they have no gaps.
  const bool keeps = x.k == s.kernel_h * s.kernel_w && s.dilation_h == 1 &&
                     s.stride_h <= s.kernel_h && s.kernel_h <= room / 2 / size;
  for (std::size_t i = 0; i < s.batch; ++i)
    for (std::size_t column = 0; column < s.out_w; column += few_columns)
      convolve_few_columns(
          x, x.x + i * s.in_channels * s.in_h * s.in_w, x.y + i * s.out_channels * x.n, column,
          std::min(few_columns, s.out_w - column), keeps ? s.kernel_h : 0, sums, rows);
  return true;
}

#include "streamed_loop.hpp"
//
#include "padded_loop.hpp"
//
TESSERA_TARGET void convolve_group(const problem& x, void* scratch) {
  if (convolve_padded(x, static_cast<float*>(scratch))) return;
  if (convolve_few(x, static_cast<float*>(scratch))) return;
  float* const weights = static_cast<float*>(scratch);
  float* const panels = weights + weights_room;
  float* const rows = panels + panels_room;
  const convolution& s = x.sizes;
  const bool used_once = s.batch == 1 && x.n <= max_columns;
  const bool packed = !used_once && x.k <= weights_room / round_up(x.m, tile_rows);
  if (packed) {
    const std::size_t k_part = even_part(x.k, max_k, 1);
    const auto pack =
        tile_height(x.m) == low_rows ? pack_weights<low_rows> : pack_weights<tile_rows>;
    for (std::size_t p = 0; p < x.k; p += k_part)
      pack(x, 0, x.m, p, std::min(k_part, x.k - p), weights + p * round_up(x.m, tile_rows));
  }
  for (std::size_t i = 0; i < s.batch; ++i) {
    const float* const image = x.x + i * s.in_channels * s.in_h * s.in_w;
    float* const y = x.y + i * s.out_channels * x.n;
    for (std::size_t place = 0; place < x.n; place += max_columns)
      convolve_places(x, image, y, place, std::min(max_columns, x.n - place), weights, packed,
                      panels, rows);
  }
}
