// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "image.hpp"

#include <algorithm>
#include <cmath>
#include <tessera/core/bytes.hpp>
#include <vector>

#include "io/png.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

constexpr std::int64_t short_side = 256;
constexpr std::int64_t crop = 224;
constexpr int fraction_bits = 22;

void need_png() {
  if (!io::has_png()) fail(errc::nac_plan_unavailable, "images need libpng");
}

/// The samples of one axis that make one of the result, and how much of each.
struct window {
  std::int64_t first = 0;
  std::vector<std::int32_t> weights;
};

/// Of `crop` results from `start` on, of an axis that is resized from `from` to `to`.
[[nodiscard]] std::vector<window> windows(std::int64_t from, std::int64_t to, std::int64_t start) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double wide = std::max(scale, 1.0);
  std::vector<window> out(static_cast<std::size_t>(crop));
  std::vector<double> share;
  for (std::int64_t i = 0; i < crop; ++i) {
    const double centre = (static_cast<double>(start + i) + 0.5) * scale;
    const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(centre - wide + 0.5), 0);
    const auto end = std::min(static_cast<std::int64_t>(centre + wide + 0.5), from);
    share.clear();
    double sum = 0;
    for (std::int64_t k = first; k < end; ++k) {
      const double distance = std::fabs((static_cast<double>(k) - centre + 0.5) / wide);
      share.push_back(std::max(1.0 - distance, 0.0));
      sum += share.back();
    }
    window& w = out[static_cast<std::size_t>(i)];
    w.first = first;
    for (const double s : share)
      w.weights.push_back(
          static_cast<std::int32_t>((sum != 0 ? s / sum : s) * (1 << fraction_bits) + 0.5));
  }
  return out;
}

/// The weighted sum of samples that lie `stride` apart.
[[nodiscard]] std::uint8_t mixed(const window& w, const std::uint8_t* from, std::size_t stride) {
  std::int64_t sum = 1 << (fraction_bits - 1);
  for (const std::int32_t k : w.weights) {
    sum += std::int64_t{k} * *from;
    from += stride;
  }
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> fraction_bits, 0, 255));
}

/// Half of what is cut away, rounded to even.
[[nodiscard]] std::int64_t middle(std::int64_t side) noexcept {
  const std::int64_t twice = side - crop;
  return twice / 2 + (twice % 4 == 3 ? 1 : 0);
}

}  // namespace

tensor picture_for_model(memory& arena, bytes file) {
  need_png();
  if (!io::is_png(file)) fail(errc::nac_plan_image, "the file is not a PNG image");
  const std::uint64_t left = arena.limit() - arena.live();
  io::expected<io::image> read =
      io::read_png(file, std::min<std::uint64_t>(left / 7, std::uint64_t{1} << 28));
  if (!read) fail(errc::nac_plan_image, read.error().message());
  const io::image& in = *read;
  arena.charge(
      in.samples.size());  // the file said no more than how many bytes they are compressed to
  if (in.width == 0 || in.height == 0) fail(errc::nac_plan_image, "the image is empty");
  const std::int64_t w = in.width, h = in.height;
  const std::int64_t to_w = w <= h ? short_side : short_side * w / h;
  const std::int64_t to_h = w <= h ? short_side * h / w : short_side;
  const std::vector<window> across = windows(w, to_w, middle(to_w));
  const std::vector<window> down = windows(h, to_h, middle(to_h));

  // Across, the rows that the other direction needs.
  const std::int64_t top = down.front().first;
  const std::int64_t bottom =
      down.back().first + static_cast<std::int64_t>(down.back().weights.size());
  constexpr std::size_t row = static_cast<std::size_t>(crop) * 3;
  const storage owner = arena.take(static_cast<std::uint64_t>(bottom - top) * row);
  auto* const rows = static_cast<std::uint8_t*>(static_cast<void*>(owner.data()));
  for (std::int64_t y = top; y < bottom; ++y) {
    const std::uint8_t* const from = in.samples.data() + static_cast<std::size_t>(y) * in.width * 3;
    std::uint8_t* const to = rows + static_cast<std::size_t>(y - top) * row;
    for (std::size_t x = 0; x < across.size(); ++x)
      for (std::size_t c = 0; c < 3; ++c)
        to[x * 3 + c] =
            mixed(across[x], from + static_cast<std::size_t>(across[x].first) * 3 + c, 3);
  }

  static constexpr double mean[] = {0.485, 0.456, 0.406}, deviation[] = {0.229, 0.224, 0.225};
  tensor out = make_tensor(arena, data_type::float32, {1, 3, crop, crop});
  float* to = out.as<float>();
  for (std::size_t c = 0; c < 3; ++c)
    for (const window& d : down)
      for (std::size_t x = 0; x < across.size(); ++x) {
        const std::uint8_t v =
            mixed(d, rows + static_cast<std::size_t>(d.first - top) * row + x * 3 + c, row);
        *to++ = static_cast<float>((v / 255.0 - mean[c]) / deviation[c]);
      }
  return out;
}

std::string png_of(memory& arena, const tensor& picture) {
  need_png();
  const tensor& p = picture;
  const bool planes = p.rank() == 4 && p.dim(0) == 1;
  if (!planes && p.rank() != 3 && p.rank() != 2)
    fail(errc::nac_run_shape, "the picture has shape ", p.dims,
         "; expected [height, width], [height, width, channels] or [1, "
         "channels, height, width]");
  const std::size_t rows_at = planes ? 2 : 0;
  const std::int64_t channels = planes ? p.dim(1) : p.rank() == 3 ? p.dim(2) : 1;
  const std::int64_t h = p.dim(rows_at), w = p.dim(rows_at + 1);
  if ((channels != 1 && channels != 3) || h < 1 || w < 1 || h > 65535 || w > 65535)
    fail(errc::nac_run_shape, "the picture has shape ", p.dims,
         "; expected 1 or 3 channels, and height and width of 1 to 65535");
  const std::size_t n = p.size();
  constexpr std::uint64_t compression_steps = 64;
  arena.charge(product_of_steps(n, compression_steps));
  const storage charged = arena.take(n * 5);  // for the samples, and the file
  io::image out{static_cast<std::uint32_t>(channels), static_cast<std::uint32_t>(w),
                static_cast<std::uint32_t>(h), std::vector<std::uint8_t>(n)};
  const std::size_t pixels = n / static_cast<std::size_t>(channels);
  visit(p.type, [&]<class T>(of<T>) {
    const T* const from = p.as<T>();
    const bool shifted =
        is_float<T> && std::any_of(from, from + n, [](T v) { return v < compute<T>{}; });
    for (std::size_t i = 0; i < n; ++i) {
      compute<T> v = from[i];
      if constexpr (is_float<T>) {
        if (shifted) v = (v + 1) / 2;
        v *= 255;
        v = v > 0 ? std::min(v, compute<T>{255}) : 0;
      } else if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, std::uint8_t>) {
        if (v < 0 || static_cast<std::int64_t>(v) > 255)
          fail(errc::nac_run_argument, "a sample is ", v, "; expected 0 to 255");
      }
      const std::size_t at =
          planes ? i % pixels * static_cast<std::size_t>(channels) + i / pixels : i;
      out.samples[at] = static_cast<std::uint8_t>(v);
    }
  });
  const io::expected<std::vector<std::byte>> file = io::write_png(out);
  if (!file) fail(errc::nac_plan_image, file.error().message());
  return std::string(as_text({file->data(), file->size()}));
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
