// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Windows over images: the largest, the mean, and the nearest pixel of larger or smaller ones.

#include <cmath>
#include <limits>

#include "multiply.hpp"
#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

/// Height and width.
struct pair {
  std::int64_t of[2];
};

[[nodiscard]] pair pair_or(call& c, std::size_t letter, pair otherwise, const char* what,
                           std::int64_t min_value) {
  const std::span<const std::int64_t> given = c.int_list(letter);
  if (given.empty()) return otherwise;
  if (given.size() > 2)
    fail(errc::nac_run_argument, std::string(what) + " with " + std::to_string(given.size()) +
                                     " elements; expected 1 or 2");
  const pair p = {{given.front(), given.back()}};
  for (const std::int64_t v : p.of)
    if (v < min_value || v > max_size)
      fail(errc::nac_run_argument, std::string(what) + " of " + std::to_string(v) + "; expected " +
                                       std::to_string(min_value) + " to " +
                                       std::to_string(max_size));
  return p;
}

/// Channels of images, and what to make of them: [images, height, width] to [images, out …].
struct images {
  std::size_t count = 0;
  std::int64_t in[2] = {}, out[2] = {};
  shape result;
};

/// The last two dimensions are those of images.
[[nodiscard]] images images_of(const tensor& x) {
  const std::size_t rank = x.rank();
  if (rank < 2 || x.dim(rank - 1) > max_size || x.dim(rank - 2) > max_size)
    fail(errc::nac_run_shape, "shape is " + x.dims.text() +
                                  "; expected rank 2 or more, and at most " +
                                  std::to_string(max_size) + " rows and columns");
  images i;
  i.count = count_of(x.dims.product(0, rank - 2));
  i.in[0] = x.dim(rank - 2);
  i.in[1] = x.dim(rank - 1);
  i.result = x.dims;
  return i;
}
/// Refuses all but [N, C, H, W] and [C, H, W], which have elements but for N, or channels.
[[nodiscard]] images expect_images(const tensor& x, bool empty_channels) {
  const std::size_t rank = x.rank();
  const bool fits = (rank == 3 || rank == 4) && x.dim(rank - 1) != 0 && x.dim(rank - 2) != 0 &&
                    (empty_channels || x.dim(rank - 3) != 0);
  if (!fits)
    fail(errc::nac_run_shape,
         "shape is " + x.dims.text() +
             "; expected [batch,] channels, height, width, none of them empty" +
             (empty_channels ? " but channels" : ""));
  return images_of(x);
}

/// The result, for the sizes in `i.out`.
[[nodiscard]] tensor make_result(call& c, images& i, data_type type) {
  for (std::size_t a = 0; a < 2; ++a) i.result[i.result.rank() - 2 + a] = i.out[a];
  return make_tensor(c.arena, type, i.result);
}

/// Charges the elements under all windows, which may be more than the images have.
void charge_windows(call& c, const images& i, std::int64_t height, std::int64_t width) {
  const auto product = [](std::int64_t a, std::int64_t b) {
    return product_of_steps(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
  };
  const std::uint64_t all = product_of_steps(i.count, product(i.out[0], i.out[1]));
  c.arena.charge(product_of_steps(all, 8 + 2 * product(height, width)));
}

struct windows {
  pair kernel, stride, padding, dilation;
  bool ceil_mode;
};

/// How many windows there are along each axis, as PyTorch counts them: with ceil_mode one more that
/// starts inside of the image or what is in front of it.
void count_windows(const windows& w, images& i) {
  for (std::size_t a = 0; a < 2; ++a) {
    const std::int64_t kernel = w.kernel.of[a], stride = w.stride.of[a], padding = w.padding.of[a];
    if (padding > kernel / 2)
      fail(errc::nac_run_argument, "padding is " + std::to_string(padding) + "; expected at most " +
                                       std::to_string(kernel / 2) + ", half the kernel");
    const std::int64_t span = i.in[a] + 2 * padding - w.dilation.of[a] * (kernel - 1) - 1 +
                              (w.ceil_mode ? stride - 1 : 0);
    i.out[a] = span < 0 ? 0 : span / stride + 1;
    if (w.ceil_mode && (i.out[a] - 1) * stride >= i.in[a] + padding) --i.out[a];
    if (i.out[a] <= 0)
      fail(errc::nac_run_shape, "kernel " + std::to_string(kernel) + " with dilation " +
                                    std::to_string(w.dilation.of[a]) +
                                    " doesn't fit into an axis of " + std::to_string(i.in[a]) +
                                    " elements with padding " + std::to_string(padding));
  }
}

/// Where a window meets the image: the first element, and the end.
struct window {
  std::int64_t first, end;
};
[[nodiscard]] window window_at(const windows& w, const images& i, std::size_t axis,
                               std::int64_t at) noexcept {
  const std::int64_t dilation = w.dilation.of[axis];
  std::int64_t first = at * w.stride.of[axis] - w.padding.of[axis];
  const std::int64_t end = std::min(first + (w.kernel.of[axis] - 1) * dilation + 1, i.in[axis]);
  if (first < 0) first += (-first + dilation - 1) / dilation * dilation;
  return {first, end};
}

/// The elements of a window along an axis; padding after the image counts, but not what ceil_mode
/// added.
[[nodiscard]] std::int64_t padded_size(const windows& w, const images& i, std::size_t axis,
                                       std::int64_t at) noexcept {
  const std::int64_t start = at * w.stride.of[axis] - w.padding.of[axis];
  return std::min(start + w.kernel.of[axis], i.in[axis] + w.padding.of[axis]) - start;
}

template <class T>
[[nodiscard]] constexpr T least_of() noexcept {
  if constexpr (std::is_floating_point_v<T>)
    return -std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::lowest();
}
/// A NaN stays.
template <class T>
[[nodiscard]] inline T larger(T a, T b) noexcept {
  return b > a || b != b ? b : a;
}

/// The largest of each window of a line, row by row of all windows beside each other: for narrow
/// kernels.
template <class T>
void largest_by_row(const windows& w, const images& i, const T* from, const window& rows,
                    T* to) noexcept {
  const std::int64_t stride = w.stride.of[1], width = i.in[1];
  std::fill_n(to, i.out[1], least_of<T>());
  for (std::int64_t r = rows.first; r < rows.end; r += w.dilation.of[0])
    for (std::int64_t k = 0; k < w.kernel.of[1]; ++k) {
      const std::int64_t shift = k * w.dilation.of[1] - w.padding.of[1];  // of the first window
      const std::int64_t first = shift < 0 ? (-shift + stride - 1) / stride : 0;
      const std::int64_t end =
          shift >= width ? 0 : std::min(i.out[1], (width - 1 - shift) / stride + 1);
      const T* const row = from + r * width;
      if (stride == 1)
        for (std::int64_t x = first; x < end; ++x) to[x] = larger(to[x], row[x + shift]);
      else
        for (std::int64_t x = first; x < end; ++x) to[x] = larger(to[x], row[x * stride + shift]);
    }
}
/// The same, one window after the other.
template <class T>
void largest_by_window(const windows& w, const images& i, const T* from, const window& rows,
                       T* to) noexcept {
  for (std::int64_t x = 0; x < i.out[1]; ++x) {
    const window columns = window_at(w, i, 1, x);
    T best = least_of<T>();
    for (std::int64_t r = rows.first; r < rows.end; r += w.dilation.of[0])
      for (std::int64_t k = columns.first; k < columns.end; k += w.dilation.of[1])
        best = larger(best, from[r * i.in[1] + k]);
    to[x] = best;
  }
}

template <class T>
void largest_of(const windows& w, const images& i, const T* from, T* to) noexcept {
  const bool narrow = w.kernel.of[1] <= 16;
  for (std::size_t n = 0; n < i.count; ++n, from += i.in[0] * i.in[1])
    for (std::int64_t y = 0; y < i.out[0]; ++y, to += i.out[1]) {
      const window rows = window_at(w, i, 0, y);
      narrow ? largest_by_row(w, i, from, rows, to) : largest_by_window(w, i, from, rows, to);
    }
}

template <class T>
using sum_type = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

template <class T>
[[nodiscard]] sum_type<T> sum_in(const T* image, std::int64_t width, const window& rows,
                                 const window& columns) noexcept {
  sum_type<T> sum{};
  for (std::int64_t r = rows.first; r < rows.end; ++r)
    for (std::int64_t k = columns.first; k < columns.end; ++k)
      sum += static_cast<sum_type<T>>(image[r * width + k]);
  return sum;
}

/// The operand in the type it is computed in, the result, and code for both.
template <class F>
[[nodiscard]] tensor in_wide(call& c, images& i, const tensor& x, F&& f) {
  const tensor out = make_result(c, i, widened(x.type));
  if (out.size() != 0) {
    const tensor wide = cast(c.arena, x, widened(x.type));
    visit(wide.type, [&]<class T>(of<T>) {
      if constexpr (!is_half<T> && !std::is_same_v<T, bool>) f(wide.as<T>(), out.as<T>());
    });
  }
  return cast(c.arena, out, x.type);
}

}  // namespace

value max_pool2d(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean) refuse_type(x.type);
  images i = expect_images(x, false);
  windows w{};
  w.kernel = pair_or(c, 1, {}, "a kernel", 1);
  if (w.kernel.of[0] == 0)
    fail(errc::nac_run_argument, "kernel_size is empty; expected 1 or 2 numbers");
  w.stride = pair_or(c, 2, w.kernel, "a stride", 1);
  w.padding = pair_or(c, 3, {{0, 0}}, "padding", 0);
  w.dilation = pair_or(c, 4, {{1, 1}}, "a dilation", 1);
  w.ceil_mode = c.truth_or(5, false);
  count_windows(w, i);
  return in_wide(c, i, x, [&]<class T>(const T* from, T* to) {
    charge_windows(c, i, std::min(w.kernel.of[0], i.in[0]), std::min(w.kernel.of[1], i.in[1]));
    largest_of<T>(w, i, from, to);
  });
}

value avg_pool2d(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type) && x.type != data_type::int64) refuse_type(x.type);
  images i = expect_images(x, false);
  windows w{};
  w.kernel = pair_or(c, 1, {}, "a kernel", 1);
  if (w.kernel.of[0] == 0)
    fail(errc::nac_run_argument, "kernel_size is empty; expected 1 or 2 numbers");
  w.stride = pair_or(c, 2, w.kernel, "a stride", 1);
  w.padding = pair_or(c, 3, {{0, 0}}, "padding", 0);
  w.dilation = {{1, 1}};
  w.ceil_mode = c.truth_or(4, false);
  const bool count_padding = c.truth_or(5, true);
  const bool overridden = c.has(6);
  const std::int64_t given = c.whole_or(6, 1);
  if (overridden && given == 0)
    fail(errc::nac_run_argument, "divisor_override is 0; expected another number");
  count_windows(w, i);
  return in_wide(c, i, x, [&]<class T>(const T* from, T* to) {
    charge_windows(c, i, std::min(w.kernel.of[0], i.in[0]), std::min(w.kernel.of[1], i.in[1]));
    for (std::size_t n = 0; n < i.count; ++n, from += i.in[0] * i.in[1])
      for (std::int64_t y = 0; y < i.out[0]; ++y)
        for (std::int64_t k = 0; k < i.out[1]; ++k) {
          const window rows = window_at(w, i, 0, y), columns = window_at(w, i, 1, k);
          std::int64_t divisor = given;
          if (!overridden && count_padding)
            divisor = padded_size(w, i, 0, y) * padded_size(w, i, 1, k);
          else if (!overridden)
            divisor = (rows.end - rows.first) * (columns.end - columns.first);
          if (rows.first >= rows.end || columns.first >= columns.end) {
            *to++ = T{};
            continue;
          }
          const auto sum = sum_in(from, i.in[1], rows, columns);
          if constexpr (std::is_floating_point_v<T>)
            *to++ = static_cast<T>(sum / static_cast<double>(divisor));
          else if (divisor == -1)
            *to++ = static_cast<T>(0 - sum);
          else
            *to++ = static_cast<T>(static_cast<std::int64_t>(sum) / divisor);
        }
  });
}

value adaptive_avg_pool2d(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type)) refuse_type(x.type);
  const std::span<const std::int64_t> size = c.int_list(1);
  if (size.size() != 2)
    fail(errc::nac_run_argument,
         "a size with " + std::to_string(size.size()) + " elements; expected 2");
  const pair out = pair_or(c, 1, {}, "a size", 0);
  // The mean of whole images is defined for others too.
  images i = out.of[0] == 1 && out.of[1] == 1 ? images_of(x) : expect_images(x, true);
  for (std::size_t a = 0; a < 2; ++a) i.out[a] = out.of[a];
  return in_wide(c, i, x, [&]<class T>(const T* from, T* to) {
    // A part has at most the image's share, and one more on each side.
    charge_windows(c, i, i.in[0] / i.out[0] + 2, i.in[1] / i.out[1] + 2);
    // The parts of the image overlap where it can't be cut evenly.
    const auto part = [&](std::size_t a, std::int64_t at) {
      return window{at * i.in[a] / i.out[a], ((at + 1) * i.in[a] + i.out[a] - 1) / i.out[a]};
    };
    if constexpr (std::is_floating_point_v<T>)
      for (std::size_t n = 0; n < i.count; ++n, from += i.in[0] * i.in[1])
        for (std::int64_t y = 0; y < i.out[0]; ++y)
          for (std::int64_t k = 0; k < i.out[1]; ++k) {
            const window rows = part(0, y), columns = part(1, k);
            const std::int64_t n_of = (rows.end - rows.first) * (columns.end - columns.first);
            *to++ =
                static_cast<T>(sum_in(from, i.in[1], rows, columns) / static_cast<double>(n_of));
          }
  });
}

namespace {

/// Pixels of [N, C, H, W] by the size in `out`; scales where they were given and mean something.
[[nodiscard]] tensor nearest(call& c, const tensor& x, const std::int64_t (&out)[2],
                             const double (&scales)[2]) {
  if (!is_floating(x.type) && x.type != data_type::uint8) refuse_type(x.type);
  if (x.rank() != 4)
    fail(errc::nac_run_shape,
         "shape is " + x.dims.text() + "; expected rank 4: batch, channels, height, width");
  images i = expect_images(x, false);
  for (std::size_t a = 0; a < 2; ++a) {
    if (out[a] <= 0)
      fail(errc::nac_run_argument,
           "the output size is " + std::to_string(out[a]) + "; expected at least 1");
    i.out[a] = out[a];
  }
  const tensor result = make_result(c, i, x.type);
  if (result.size() == 0) return result;
  // PyTorch's own rule, in float: sizes that are equal or double are exact.
  const auto source = [&](std::size_t a, std::int64_t at) {
    if (i.out[a] == i.in[a]) return at;
    if (i.out[a] == 2 * i.in[a]) return at / 2;
    const float step = scales[a] > 0 ? static_cast<float>(1 / scales[a])
                                     : static_cast<float>(i.in[a]) / static_cast<float>(i.out[a]);
    return std::min(convert<std::int64_t>(std::floor(static_cast<float>(at) * step)), i.in[a] - 1);
  };
  const storage held = c.arena.take(count_of(i.out[1]) * sizeof(std::int64_t));
  auto* const columns = static_cast<std::int64_t*>(static_cast<void*>(held.data()));
  for (std::int64_t k = 0; k < i.out[1]; ++k) columns[k] = source(1, k);
  visit(x.type, [&]<class T>(of<T>) {
    const T* image = x.as<T>();
    T* to = result.as<T>();
    for (std::size_t n = 0; n < i.count; ++n, image += i.in[0] * i.in[1])
      for (std::int64_t y = 0; y < i.out[0]; ++y) {
        const T* const row = image + source(0, y) * i.in[1];
        for (std::int64_t k = 0; k < i.out[1]; ++k) *to++ = row[columns[k]];
      }
  });
  return result;
}

}  // namespace

value upsample_nearest(call& c) {
  const tensor& x = c.tensor_at(0);
  const bool by_size = c.has(1), by_scale = c.has(2);
  if (by_size == by_scale)
    fail(errc::nac_run_argument,
         by_size ? "both output_size and scale_factors are given; expected one of them"
                 : "neither output_size nor scale_factors is given; expected one of them");
  std::int64_t out[2];
  double scales[2] = {};
  if (by_size) {
    const std::span<const std::int64_t> size = c.int_list(1);
    if (size.size() != 2)
      fail(errc::nac_run_argument,
           "a size with " + std::to_string(size.size()) + " elements; expected 2");
    std::copy_n(size.data(), 2, out);
  } else {
    const std::span<const double> given = c.numbers(2);
    // Files have one number for both too.
    if (given.empty() || given.size() > 2)
      fail(errc::nac_run_argument, std::to_string(given.size()) + " scales; expected 1 or 2");
    scales[0] = given.front();
    scales[1] = given.back();
    if (x.rank() != 4)
      fail(errc::nac_run_shape,
           "shape is " + x.dims.text() + "; expected rank 4: batch, channels, height, width");
    for (std::size_t a = 0; a < 2; ++a)
      out[a] = convert<std::int64_t>(static_cast<double>(x.dim(2 + a)) * scales[a]);
  }
  return nearest(c, x, out, scales);
}

value upsample_nearest_to(call& c) {
  const std::span<const std::int64_t> size = c.int_list(1);
  if (size.size() != 2)
    fail(errc::nac_run_argument,
         "a size with " + std::to_string(size.size()) + " elements; expected 2");
  return nearest(c, c.tensor_at(0), {size[0], size[1]}, {c.real_or(2, 0), c.real_or(3, 0)});
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
