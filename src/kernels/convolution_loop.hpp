// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The loops of a convolution, for one instruction set. convolution.cpp includes it once for each, in a
// namespace of its own, behind tile_loop.hpp.
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

inline constexpr std::size_t most_k = 256, most_rows = 24 * tile_rows;
inline constexpr std::size_t panel_width = tile_columns<float>;
inline constexpr std::size_t most_columns = 64 * panel_width;
/// Panels are packed in groups of so many columns.
inline constexpr std::size_t group_columns = 64;
static_assert(group_columns % panel_width == 0);
/// The room: weights, panels, and rows of the image.
inline constexpr std::size_t weights_room = 640 * 1024, panels_room = (most_k + 1) * most_columns;
inline constexpr std::size_t rows_room = 8192;
static_assert((weights_room + panels_room + rows_room) * sizeof(float) <=
              convolution_workspace::bytes);
static_assert(most_rows * most_k <= weights_room);

/// Places of the output that stand next to each other in one row.
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
/// stride-th value is behind the one before, and those between follow as further phases.
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
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  for (std::size_t i = 0; i + lanes < n; i += lanes) store(to + i, load(from + i));
  store(to + n - lanes, load(from + n - lanes));
}

/// Brings out what a run reads of a row of the image, which may be outside of it.
TESSERA_TARGET inline void stage(const convolution& s, const staging& how, const float* channel,
                                 std::size_t kernel_row, const run& r) {
  const auto row = static_cast<std::ptrdiff_t>(r.row * s.stride_h + kernel_row * s.dilation_h) -
                   static_cast<std::ptrdiff_t>(s.pad_h);
  const auto width = static_cast<std::ptrdiff_t>(s.in_w);
  const std::size_t each = r.count + how.reach;
  if (row < 0 || row >= static_cast<std::ptrdiff_t>(s.in_h)) {
    std::fill_n(r.staged, how.phases * each, 0.0f);
    return;
  }
  const float* const from = channel + static_cast<std::size_t>(row) * s.in_w;
  const std::ptrdiff_t first =
      static_cast<std::ptrdiff_t>(r.column * s.stride_w) - static_cast<std::ptrdiff_t>(s.pad_w);
  if (s.stride_w == 1) {
    const auto count = static_cast<std::ptrdiff_t>(each);
    const std::ptrdiff_t begin = std::clamp(-first, std::ptrdiff_t{0}, count);
    const std::ptrdiff_t end = std::clamp(width - first, begin, count);
    for (std::ptrdiff_t i = 0; i < begin; ++i) r.staged[i] = 0;
    if (begin < end)
      copy(from + (first + begin), r.staged + begin, static_cast<std::size_t>(end - begin));
    for (std::ptrdiff_t i = end; i < count; ++i) r.staged[i] = 0;
    return;
  }
  float* to = r.staged;
  for (std::size_t phase = 0; phase < how.phases; ++phase) {
    std::ptrdiff_t column = first + static_cast<std::ptrdiff_t>(phase);
    for (std::size_t i = 0; i < each; ++i) {
      *to++ = column >= 0 && column < width ? from[column] : 0;
      column += static_cast<std::ptrdiff_t>(s.stride_w);
    }
  }
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
  // Segments read to the end of a panel's width, so there is as much behind the last.
  if (how.phases > rows_room / 4 || how.reach > rows_room / 4 ||
      how.phases * (count + run_count * how.reach) > rows_room - panel_width)
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
    for (std::size_t r = 0; r < run_count; ++r) stage(s, how, channel, t.row, runs[r]);
    for (; t.column < s.kernel_w && q < k; ++t.column, ++q) {
      const std::size_t at = t.column * s.dilation_w;
      const std::size_t phase = s.stride_w == 1 ? 0 : at % s.stride_w;
      const std::size_t behind = s.stride_w == 1 ? at : at / s.stride_w;
      for (std::size_t i = 0; i < segment_count; ++i) {
        const segment& x = segments[i];
        const float* const from = x.from + phase * x.phase + behind;
        float* const row = x.to + q * panel_width;
        store(row, load(from));
        if (x.wide) store(row + lanes, load(from + lanes));
      }
    }
  }
}

/// Packs rows of weights, panel by panel.
TESSERA_TARGET void pack_weights(const problem& x, std::size_t row, std::size_t rows, std::size_t p,
                                 std::size_t k, float* to) {
  for (std::size_t i = 0; i < rows; i += tile_rows)
    pack<tile_rows>(x.w + (row + i) * x.k + p, 1, x.k, k, std::min(tile_rows, rows - i),
                    to + i * k);
}

/// Some places of one image, from all terms. `weights` are all of them, packed, or room for a block.
TESSERA_TARGET void convolve_places(const problem& x, const float* image, float* y,
                                    std::size_t place, std::size_t count, float* weights,
                                    bool weights_packed, float* panels, float* rows_of_image) {
  if (x.bias != nullptr)
    for (std::size_t i = 0; i < x.m; ++i) std::fill_n(y + i * x.n + place, count, x.bias[i]);
  const std::size_t k_part = even_part(x.k, most_k, 1);
  const std::size_t row_part = even_part(x.m, most_rows, tile_rows);
  const bool once = x.m <= most_rows;
  for (std::size_t p = 0; p < x.k; p += k_part) {
    const std::size_t k = std::min(k_part, x.k - p);
    const bool add = x.bias != nullptr || p != 0;
    for (std::size_t row = 0; row < x.m; row += row_part) {
      const std::size_t rows = std::min(row_part, x.m - row);
      const float* block = weights;
      if (weights_packed)
        block += p * round_up(x.m, tile_rows) + row * k;
      else
        pack_weights(x, row, rows, p, k, weights);
      for (std::size_t next = 0; next < count; next += group_columns) {
        const std::size_t columns = std::min(group_columns, count - next);
        float* const group = panels + (once ? 0 : next * (k + 1));
        if (row == 0)
          pack_places(x.sizes, image, p, k, place + next, columns, group, rows_of_image);
        for (std::size_t j = 0; j < columns; j += panel_width)
          for (std::size_t i = 0; i < rows; i += tile_rows) {
            float* const c = y + (row + i) * x.n + place + next + j;
            const float* const panel = group + j * (k + 1);
            if (rows - i >= tile_rows && columns - j >= panel_width)
              multiply_tile(k, block + i * k, panel, c, x.n, add);
            else
              multiply_edge(k, block + i * k, panel, c, x.n, add, std::min(tile_rows, rows - i),
                            std::min(panel_width, columns - j));
          }
      }
    }
  }
}

TESSERA_TARGET void convolve_group(const problem& x, void* scratch) {
  float* const weights = static_cast<float*>(scratch);
  float* const panels = weights + weights_room;
  float* const rows = panels + panels_room;
  const convolution& s = x.sizes;
  if (x.k == 0) {
    for (std::size_t i = 0; i < s.batch; ++i)
      for (std::size_t o = 0; o < x.m; ++o)
        std::fill_n(x.y + (i * s.out_channels + o) * x.n, x.n,
                    x.bias == nullptr ? 0.0f : x.bias[o]);
    return;
  }
  const bool packed = x.k <= weights_room / round_up(x.m, tile_rows);
  if (packed) {
    const std::size_t k_part = even_part(x.k, most_k, 1);
    for (std::size_t p = 0; p < x.k; p += k_part)
      pack_weights(x, 0, x.m, p, std::min(k_part, x.k - p), weights + p * round_up(x.m, tile_rows));
  }
  for (std::size_t i = 0; i < s.batch; ++i) {
    const float* const image = x.x + i * s.in_channels * s.in_h * s.in_w;
    float* const y = x.y + i * s.out_channels * x.n;
    for (std::size_t place = 0; place < x.n; place += most_columns)
      convolve_places(x, image, y, place, std::min(most_columns, x.n - place), weights, packed,
                      panels, rows);
  }
}
