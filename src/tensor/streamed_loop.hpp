// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The loop of convolutions of one channel to one with small square kernels. It reads each row of the
// image once, from where it is: what the columns of the kernel need of it is shuffled from whole
// vectors, and the sums of the rows of the output that it belongs to are in registers.
// convolution_loop.hpp includes it for each instruction set.
//
// Lifetime:   a channel borrows everything.
// Errors:     none.
// Limits:     none.
// Allocation: none; some KiB of stack.

/// One channel of an image. Vectors may read outside of it.
struct streamed_channel {
  const convolution& s;
  const float* image;
  const float* zeros;  ///< 5 vectors
  const float* weights;
  float bias;
};

typedef std::int32_t lane_numbers [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
/// Not 0 in the lanes [begin, end), which may be any numbers.
template <std::size_t... Lane>
TESSERA_TARGET [[gnu::always_inline]] inline lane_numbers between(std::ptrdiff_t begin,
                                                                  std::ptrdiff_t end,
                                                                  std::index_sequence<Lane...>) {
  constexpr lane_numbers all = {static_cast<std::int32_t>(Lane)...};
  constexpr std::ptrdiff_t low = 0, high = lanes;
  return (all >= static_cast<std::int32_t>(std::clamp(begin, low, high))) &
         (all < static_cast<std::int32_t>(std::clamp(end, low, high)));
}

template <std::size_t By, std::size_t... Lane>
TESSERA_TARGET [[gnu::always_inline]] inline vector shift(vector a, vector b,
                                                          std::index_sequence<Lane...>) {
  return __builtin_shufflevector(a, b, (Lane + By)...);
}

/// What each column of the kernel reads of a row, for some vectors of the output.
template <std::size_t Stride, std::size_t Count, std::size_t... Column>
TESSERA_TARGET [[gnu::always_inline]] inline void read_row(const float* row,
                                                           const lane_numbers* inside,
                                                           vector (*read)[Count],
                                                           std::index_sequence<Column...>) {
  constexpr std::make_index_sequence<lanes> all;
  // Of the last vector, no more than its first half is read with a stride.
  static_assert(((Column / Stride <= lanes / Stride) && ...));
  vector phases[Stride][Count + 1];
  for (std::size_t i = 0; i <= Count; ++i) {
    const std::size_t part = i * Stride, next = i < Count ? part + 1 : part;
    const vector first = inside[part] != 0 ? load(row + part * lanes) : vector{};
    if constexpr (Stride == 1) {
      phases[0][i] = first;
    } else {
      const vector second = inside[next] != 0 ? load(row + next * lanes) : vector{};
      phases[0][i] = every_second(first, second, all);
      phases[1][i] = every_second<1>(first, second, all);
    }
  }
  for (std::size_t i = 0; i < Count; ++i)
    ((read[Column][i] =
          shift<Column / Stride>(phases[Column % Stride][i], phases[Column % Stride][i + 1], all)),
     ...);
}

/// The sums of each row become those of the next one, and the first row's begin. As a loop, Clang would
/// keep them in memory.
template <std::size_t Count, std::size_t... Row>
TESSERA_TARGET [[gnu::always_inline]] inline void move_rows(vector (*sums)[Count], vector bias,
                                                            std::index_sequence<Row...>) {
  constexpr std::size_t last = sizeof...(Row);
  for (std::size_t i = 0; i < Count; ++i) {
    ((sums[last - Row][i] = sums[last - Row - 1][i]), ...);
    sums[0][i] = bias;
  }
}

/// All rows of some vectors of the output, from a column on. There is room for so many values at y; a
/// vector may reach into the next row, which is stored later.
template <std::size_t Kernel, std::size_t Stride, std::size_t Count>
TESSERA_TARGET void stream_rows(const streamed_channel& x, std::size_t column, float* y,
                                std::size_t room) {
  constexpr std::size_t rows = (Kernel + Stride - 1) / Stride;  // that one of the image belongs to
  const convolution s = x.s;
  const auto first = static_cast<std::ptrdiff_t>(column * Stride - s.pad_w);
  lane_numbers inside[Count * Stride + 1];
  for (std::size_t i = 0; i <= Count * Stride; ++i) {
    const std::ptrdiff_t part = first + static_cast<std::ptrdiff_t>(i * lanes);
    inside[i] = between(-part, static_cast<std::ptrdiff_t>(s.in_w) - part,
                        std::make_index_sequence<lanes>());
  }
  vector weights[Kernel * Kernel], sums[rows][Count];
  for (std::size_t i = 0; i < Kernel * Kernel; ++i) weights[i] = vector{} + x.weights[i];
  const vector bias = vector{} + x.bias;
  for (auto& row : sums)
    for (vector& sum : row) sum = bias;
  std::size_t at = 0 - s.pad_h;
  for (std::size_t step = 0; step < s.out_h + rows - 1; ++step) {
    for (std::size_t next = 0; next < Stride; ++next, ++at) {
      const float* const row =
          at < s.in_h ? x.image + (static_cast<std::ptrdiff_t>(at * s.in_w) + first) : x.zeros;
      vector read[Kernel][Count];
      read_row<Stride>(row, inside, read, std::make_index_sequence<Kernel>());
      for (std::size_t ky = next; ky < Kernel; ky += Stride)
        for (std::size_t kx = 0; kx < Kernel; ++kx)
          for (std::size_t i = 0; i < Count; ++i)
            sums[ky / Stride][i] += weights[ky * Kernel + kx] * read[kx][i];
    }
    // The last one is complete. Those of the first steps are above the output.
    if (step + 1 >= rows) {
      float copies[Count * lanes];
      float* const to = room >= Count * lanes ? y : copies;
      for (std::size_t i = 0; i < Count; ++i) store(to + i * lanes, sums[rows - 1][i]);
      if (to == copies) std::copy_n(copies, room, y);
      y += s.out_w;
      room -= s.out_w;
    }
    move_rows<Count>(sums, bias, std::make_index_sequence<rows - 1>());
  }
}

template <std::size_t Kernel, std::size_t Stride>
TESSERA_TARGET void stream_channel(const streamed_channel& x, float* y, std::size_t room) {
  for (std::size_t column = round_up(x.s.out_w, 2 * lanes); column != 0;) {
    column -= 2 * lanes;
    if (x.s.out_w - column > lanes)
      stream_rows<Kernel, Stride, 2>(x, column, y + column, room - column);
    else
      stream_rows<Kernel, Stride, 1>(x, column, y + column, room - column);
  }
}

/// Null for other kernels, and for 7x7 with stride 1, which takes too many registers.
TESSERA_TARGET inline auto stream_function(const convolution& s)
    -> void (*)(const streamed_channel&, float*, std::size_t) {
  if (s.kernel_h != s.kernel_w || s.stride_h != s.stride_w || s.dilation_h != 1 ||
      s.dilation_w != 1 || s.stride_w > 2)
    return nullptr;
  if (s.kernel_w == 3) return s.stride_w == 1 ? stream_channel<3, 1> : stream_channel<3, 2>;
  if (s.kernel_w == 5) return s.stride_w == 1 ? stream_channel<5, 1> : stream_channel<5, 2>;
  if constexpr (lanes > 4)
    if (s.kernel_w == 7 && s.stride_w == 2) return stream_channel<7, 2>;
  return nullptr;
}

/// Each channel by itself; false for other kernels, and where a channel takes too much memory. Those
/// at the ends of x are copied, so that nothing outside of it is read.
TESSERA_TARGET bool stream_channels(const convolution& s, const float* x, const float* w,
                                    const float* bias, float* y, float* scratch) {
  constexpr std::size_t room = panels_room / 2 - 5 * lanes;
  const auto go = stream_function(s);
  const std::size_t channels = s.batch * s.groups, size = s.in_h * s.in_w;
  const std::size_t places = s.out_h * s.out_w;
  // What is read before a channel, and from the beginning of its last row on.
  const std::size_t before = s.pad_w, after = round_up(s.out_w, lanes) * s.stride_w + lanes;
  if (s.groups != s.in_channels || s.groups != s.out_channels || go == nullptr ||
      size > weights_room || before > room || after > room)
    return false;
  float* const copy = scratch + 5 * lanes + before;
  std::fill_n(scratch, 5 * lanes + before, 0.0f);
  std::fill_n(copy + size, after, 0.0f);
  for (std::size_t i = 0; i < channels; ++i, x += size) {
    const std::size_t channel = i % s.groups;
    const bool is_inside = i * size >= before && (channels - i) * size >= size - s.in_w + after;
    if (!is_inside) std::copy_n(x, size, copy);
    go({s, is_inside ? x : copy, scratch, w + channel * s.kernel_h * s.kernel_w,
        bias == nullptr ? 0.0f : bias[channel]},
       y + i * places, (channels - i) * places);
  }
  return true;
}
