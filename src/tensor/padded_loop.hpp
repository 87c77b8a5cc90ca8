// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The loops of convolutions whose channels are brought out whole, with their padding: of one channel
// to one, and of few channels to few. There, packing panels would take as long as multiplying them.
// convolution_loop.hpp includes it for each instruction set.
//
// Lifetime:   a problem borrows everything.
// Errors:     none.
// Limits:     none.
// Allocation: none; some KiB of stack.

/// How the padded rows of a channel lie in memory: for each stride-th column, those from the first,
/// then those from the second on. The image begins at a whole vector, after `lead` columns and the
/// padding.
struct padded_channel {
  std::size_t rows, phases, lead, width;  ///< width of a phase, with what vectors read beyond it

  TESSERA_TARGET explicit padded_channel(const convolution& s)
      : rows((s.out_h - 1) * s.stride_h + (s.kernel_h - 1) * s.dilation_h + 1),
        phases(s.stride_w),
        lead(round_up(s.pad_w, phases * lanes) - s.pad_w),
        width(round_up(
            round_up(s.out_w, lanes) + (lead + (s.kernel_w - 1) * s.dilation_w) / s.stride_w,
            lanes)) {}
  [[nodiscard]] TESSERA_TARGET std::size_t row_size() const { return phases * width; }
  [[nodiscard]] TESSERA_TARGET std::size_t size() const { return rows * row_size(); }
  /// Where what a column of the kernel reads begins in a row.
  [[nodiscard]] TESSERA_TARGET std::size_t offset(const convolution& s, std::size_t column) const {
    const std::size_t at = lead + column * s.dilation_w;
    return at % phases * width + at / phases;
  }
};

/// False where it takes too much memory.
TESSERA_TARGET bool can_be_padded(const convolution& s, std::size_t channels, std::size_t room) {
  if (s.stride_w > 2 || s.pad_w > room || s.pad_h > room) return false;
  const padded_channel how(s);
  return how.row_size() <= room && how.rows <= room / how.row_size() &&
         channels <= room / how.size();
}

/// Values of a row to two places, turn by turn. The last vectors overlap those before.
template <std::size_t... Lane>
TESSERA_TARGET inline void deal(const float* from, std::size_t count, float* even, float* odd,
                                std::index_sequence<Lane...>) {
  constexpr std::size_t size = sizeof...(Lane);
  typedef float part [[gnu::vector_size(size * sizeof(float))]];
  if (count >= 2 * size) {
    for (std::size_t next = 0; next + 1 < count; next += 2 * size) {
      const std::size_t i = std::min(next, (count - 2 * size) / 2 * 2);
      part first, second;
      std::memcpy(&first, from + i, sizeof first);
      std::memcpy(&second, from + i + size, sizeof second);
      const part evens = __builtin_shufflevector(first, second, (2 * Lane)...);
      const part odds = __builtin_shufflevector(first, second, (2 * Lane + 1)...);
      std::memcpy(even + i / 2, &evens, sizeof evens);
      std::memcpy(odd + i / 2, &odds, sizeof odds);
    }
    if (count % 2 == 1) even[count / 2] = from[count - 1];
  } else if constexpr (size > 2) {
    deal(from, count, even, odd, std::make_index_sequence<size / 2>());
  } else {
    for (std::size_t i = 0; i < count; ++i) (i % 2 == 0 ? even : odd)[i / 2] = from[i];
  }
}

/// Brings a channel out, between its padding, which is there already.
TESSERA_TARGET inline void bring_out(const convolution& s, const padded_channel& how,
                                     const float* channel, float* to) {
  const std::size_t rows = std::min(s.in_h, how.rows > s.pad_h ? how.rows - s.pad_h : 0);
  const std::size_t read = (s.out_w - 1) * s.stride_w + (s.kernel_w - 1) * s.dilation_w + 1;
  const std::size_t columns = std::min(s.in_w, read > s.pad_w ? read - s.pad_w : 0);
  float* row = to + s.pad_h * how.row_size() + (how.lead + s.pad_w) / how.phases;
  for (std::size_t y = 0; y < rows; ++y, channel += s.in_w, row += how.row_size())
    if (how.phases == 1)
      copy(channel, row, columns);
    else
      deal(channel, columns, row, row + how.width, std::make_index_sequence<lanes>());
}

// ---- One channel to one channel

/// One channel that was brought out.
struct single_channel {
  const convolution& s;
  padded_channel how;
  std::size_t offsets[7];  ///< of the kernel's columns
  const float* weights;
  float bias;
};

template <std::size_t Kernel>
TESSERA_TARGET [[gnu::always_inline]] inline vector add_products(vector sum, const vector* read,
                                                                 const float* weights) {
  for (std::size_t i = 0; i < Kernel; ++i) sum += weights[i] * read[i];
  return sum;
}
template <std::size_t Kernel>
TESSERA_TARGET [[gnu::always_inline]] inline vector add_kernel_row(vector sum, const float* from,
                                                                   const std::size_t* offsets,
                                                                   const float* weights) {
  for (std::size_t i = 0; i < Kernel; ++i) sum += weights[i] * load(from + offsets[i]);
  return sum;
}

/// Row Y of the image, to the rows of the output that it belongs to, for a square kernel with stride
/// 1: it is read once.
template <std::size_t Kernel, std::size_t Y, std::size_t... Row>
TESSERA_TARGET [[gnu::always_inline]] inline void add_image_row(const single_channel& x,
                                                                const float* from, vector* sums) {
  vector read[Kernel];
  for (std::size_t i = 0; i < Kernel; ++i) read[i] = load(from + x.offsets[i]);
  // Above the kernel, its row has wrapped to more than any size.
  ((sums[Row] = Y - Row < Kernel
                    ? add_products<Kernel>(sums[Row], read, x.weights + (Y - Row) * Kernel)
                    : sums[Row]),
   ...);
}
template <std::size_t Kernel, std::size_t... Row, std::size_t... Y>
TESSERA_TARGET [[gnu::always_inline]] inline void add_image_rows(const single_channel& x,
                                                                 const float* from, vector* sums,
                                                                 std::index_sequence<Row...>,
                                                                 std::index_sequence<Y...>) {
  const std::size_t row_size = x.how.row_size();
  (add_image_row<Kernel, Y, Row...>(x, from + Y * row_size, sums), ...);
}

/// A vector of some rows of the output, from what lies at `from`. Written out, the kernel is square
/// and the stride 1. There is room for so many values; a vector may reach into the next row, which is
/// stored later.
template <std::size_t Kernel, bool WrittenOut, std::size_t... Row>
TESSERA_TARGET void convolve_rows(const single_channel& x, const float* from, float* to,
                                  std::size_t room, std::index_sequence<Row...> all) {
  const convolution& s = x.s;
  constexpr std::size_t rows = sizeof...(Row);
  vector sums[rows];
  ((sums[Row] = vector{} + x.bias), ...);
  if constexpr (WrittenOut) {
    add_image_rows<Kernel>(x, from, sums, all, std::make_index_sequence<rows - 1 + Kernel>());
  } else {
    const std::size_t row_size = x.how.row_size(), step = s.stride_h * row_size;
    for (std::size_t y = 0; y < s.kernel_h; ++y)
      ((sums[Row] = add_kernel_row<Kernel>(sums[Row], from + y * row_size + Row * step, x.offsets,
                                           x.weights + y * Kernel)),
       ...);
  }
  if (room >= (rows - 1) * s.out_w + lanes) {
    (store(to + Row * s.out_w, sums[Row]), ...);
    return;
  }
  float copies[rows][lanes];
  (store(copies[Row], sums[Row]), ...);
  for (std::size_t row = 0; row < rows; ++row)
    std::copy_n(copies[row], std::min(lanes, room - row * s.out_w), to + row * s.out_w);
}

/// From the last vectors of rows to the first, so that what reaches into the next row is replaced.
/// The last rows overlap those before: the same sums.
template <std::size_t Kernel, bool WrittenOut>
TESSERA_TARGET void convolve_channel(const single_channel& x, const float* padded, float* y,
                                     std::size_t room) {
  const convolution& s = x.s;
  for (std::size_t column = round_up(s.out_w, lanes); column != 0;) {
    column -= lanes;
    for (std::size_t done = 0; done < s.out_h;) {
      const std::size_t rows = s.out_h >= 8 && s.out_h - done > 4 ? 8 : s.out_h >= 4 ? 4 : 1;
      const std::size_t row = std::min(done, s.out_h - rows);
      const float* const from = padded + row * s.stride_h * x.how.row_size() + column;
      const std::size_t at = row * s.out_w + column;
      if (rows == 8)
        convolve_rows<Kernel, WrittenOut>(x, from, y + at, room - at,
                                          std::make_index_sequence<8>());
      else if (rows == 4)
        convolve_rows<Kernel, WrittenOut>(x, from, y + at, room - at,
                                          std::make_index_sequence<4>());
      else
        convolve_rows<Kernel, false>(x, from, y + at, room - at, std::make_index_sequence<1>());
      done = row + rows;
    }
  }
}

/// Each channel by itself, where kernels are of usual sizes and a channel has room; false elsewhere.
TESSERA_TARGET bool convolve_channels(const convolution& s, const float* x, const float* w,
                                      const float* bias, float* y, void* scratch) {
  if (stream_channels(s, x, w, bias, y, static_cast<float*>(scratch))) return true;
  const bool written_out = s.kernel_h == 7 && s.stride_h == 1;
  const auto go = s.kernel_w == 3   ? convolve_channel<3, false>
                  : s.kernel_w == 5 ? convolve_channel<5, false>
                  : s.kernel_w != 7 ? nullptr
                  : written_out     ? convolve_channel<7, true>
                                    : convolve_channel<7, false>;
  if (s.groups != s.in_channels || s.groups != s.out_channels || go == nullptr ||
      s.dilation_h != 1 || !can_be_padded(s, 1, weights_room))
    return false;
  float* const padded = static_cast<float*>(scratch);
  const float* const end = y + s.batch * s.groups * s.out_h * s.out_w;
  single_channel c{s, padded_channel(s), {}, nullptr, 0};
  for (std::size_t i = 0; i < s.kernel_w; ++i) c.offsets[i] = c.how.offset(s, i);
  std::fill_n(padded, c.how.size(), 0.0f);
  for (std::size_t image = 0; image < s.batch; ++image)
    for (std::size_t channel = 0; channel < s.groups; ++channel) {
      c.weights = w + channel * s.kernel_h * s.kernel_w;
      c.bias = bias == nullptr ? 0.0f : bias[channel];
      bring_out(s, c.how, x, padded);
      go(c, padded, y, static_cast<std::size_t>(end - y));
      x += s.in_h * s.in_w;
      y += s.out_h * s.out_w;
    }
  return true;
}

// ---- Few channels to few

/// What one or two vectors of the output read and where they are, for each of some outputs. One
/// vector is computed twice.
struct two_vectors {
  const float *left, *right;
  float *to_left, *to_right;
  std::size_t room_left, room_right;  ///< values of an output from there on; right has no more
};

TESSERA_TARGET inline void store_outputs(const vector* sums, std::size_t outputs, std::size_t room,
                                         float* to, std::size_t stride) {
  for (std::size_t i = 0; i < outputs; ++i)
    std::memcpy(to + i * stride, sums + i, std::min(room, lanes) * sizeof(float));
}

/// Packed weights times a matrix of the image whose rows lie where the offsets say. A vector may reach
/// into the next row of the output, which is stored later.
template <std::size_t Height, std::size_t... Row>
TESSERA_TARGET void multiply_in_place(const problem& x, std::size_t first, const float* weights,
                                      const std::size_t* offsets, const two_vectors& at,
                                      std::index_sequence<Row...>) {
  vector left[Height] = {}, right[Height] = {};
  for (std::size_t p = 0; p < x.k; ++p, weights += Height) {
    const vector a = load(at.left + offsets[p]), b = load(at.right + offsets[p]);
    ((left[Row] += weights[Row] * a, right[Row] += weights[Row] * b), ...);
  }
  const std::size_t outputs = std::min(Height, x.m - first);
  if (x.bias != nullptr) {
    float bias[Height] = {};
    std::copy_n(x.bias + first, outputs, bias);
    ((left[Row] += bias[Row], right[Row] += bias[Row]), ...);
  }
  if (outputs == Height && at.room_right >= lanes) {
    ((store(at.to_left + Row * x.n, left[Row]), store(at.to_right + Row * x.n, right[Row])), ...);
    return;
  }
  vector copies[2][Height];
  ((copies[0][Row] = left[Row], copies[1][Row] = right[Row]), ...);
  store_outputs(copies[0], outputs, at.room_left, at.to_left, x.n);
  store_outputs(copies[1], outputs, at.room_right, at.to_right, x.n);
}

/// One image: two vectors beside each other, or of two rows if one is as wide as the output. The last
/// two rows may overlap those before.
template <std::size_t Height>
TESSERA_TARGET void convolve_in_place(const problem& x, const padded_channel& how,
                                      const float* weights, const std::size_t* offsets,
                                      const float* padded, float* y) {
  const convolution& s = x.sizes;
  const bool narrow = s.out_w <= lanes;
  const std::size_t rows = narrow ? 2 : 1, width = narrow ? lanes : 2 * lanes;
  const std::size_t row_step = s.stride_h * how.row_size();
  for (std::size_t next = 0; next < s.out_h; next += rows) {
    const std::size_t row = std::min(next, s.out_h - rows);
    for (std::size_t column = round_up(s.out_w, width); column != 0;) {
      column -= width;
      const std::size_t beside = s.out_w - column > lanes ? lanes : 0;
      const std::size_t at = row * s.out_w + column, second = at + (narrow ? s.out_w : beside);
      const float* const from = padded + row * row_step + column;
      for (std::size_t i = 0; i < x.m; i += Height) {
        float* const to = y + i * x.n;
        multiply_in_place<Height>(x, i, weights + i * x.k, offsets,
                                  {from, from + (narrow ? row_step : beside), to + at, to + second,
                                   x.n - at, x.n - second},
                                  std::make_index_sequence<Height>());
      }
    }
  }
}

/// Where packing panels would take about as long as multiplying them: with few outputs. False
/// elsewhere, and where vectors would be empty for the most part or channels take too much memory.
TESSERA_TARGET bool convolve_padded(const problem& x, float* scratch) {
  constexpr std::size_t room = 1 << 17;
  static_assert(4 * tile_rows * max_k <= room && 2 * room <= weights_room);
  const convolution& s = x.sizes;
  const std::size_t inputs = s.in_channels / s.groups;
  const std::size_t computed = round_up(s.out_w, s.out_w > lanes ? 2 * lanes : lanes);
  if (x.k > max_k || x.m > 4 * tile_rows || x.m < few_outputs ||
      (x.m == few_outputs && inputs == 1) || s.kernel_h * s.kernel_w == 1 || s.out_h < 2 ||
      3 * computed > 4 * s.out_w || !can_be_padded(s, inputs, room))
    return false;
  const padded_channel how(s);
  std::size_t offsets[max_k];
  for (std::size_t p = 0; p < x.k; ++p) {
    const term t(s, p);
    offsets[p] =
        (t.channel * how.rows + t.row * s.dilation_h) * how.row_size() + how.offset(s, t.column);
  }
  // Here a tile is always whole.
  const bool low = 8 * round_up(x.m, low_rows) <= 7 * round_up(x.m, tile_rows);
  float* const weights = scratch;
  float* const padded = scratch + room;
  (low ? pack_weights<low_rows> : pack_weights<tile_rows>)(x, 0, x.m, 0, x.k, weights);
  std::fill_n(padded, inputs * how.size(), 0.0f);
  for (std::size_t image = 0; image < s.batch; ++image) {
    for (std::size_t i = 0; i < inputs; ++i)
      bring_out(s, how, x.x + (image * s.in_channels + i) * s.in_h * s.in_w,
                padded + i * how.size());
    (low ? convolve_in_place<low_rows>
         : convolve_in_place<tile_rows>)(x, how, weights, offsets, padded,
                                         x.y + image * s.out_channels * x.n);
  }
  return true;
}
