// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "png.hpp"

#include <cstring>
#include <string>

#ifdef TESSERA_HAS_PNG
#include <png.h>
#endif

namespace tessera::inline TESSERA_ABI {
namespace io {

bool is_png(bytes data) noexcept {
  constexpr unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  return data.size() >= sizeof signature &&
         std::memcmp(data.data(), signature, sizeof signature) == 0;
}

#ifdef TESSERA_HAS_PNG

bool has_png() noexcept { return true; }

namespace {

/// libpng's image, which gives back what it holds.
struct control {
  png_image image = {};
  control() noexcept { image.version = PNG_IMAGE_VERSION; }
  control(const control&) = delete;
  control& operator=(const control&) = delete;
  ~control() { png_image_free(&image); }
  [[nodiscard]] failure wrong() const { return {fault::content, std::string(image.message)}; }
};

}  // namespace

expected<image> read_png(bytes data, std::uint64_t max_pixels) {
  control c;
  if (png_image_begin_read_from_memory(&c.image, data.data(), data.size()) == 0) return c.wrong();
  const std::uint64_t pixels = std::uint64_t{c.image.width} * c.image.height;
  if (pixels > max_pixels)
    return failure{fault::content, std::to_string(c.image.width) + " × " +
                                       std::to_string(c.image.height) + " pixels; the maximum is " +
                                       std::to_string(max_pixels)};
  c.image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // samples as they are, not as light
  c.image.format = PNG_FORMAT_RGBA;            // so that nothing is blended
  std::vector<std::uint8_t> with_alpha(static_cast<std::size_t>(pixels * 4));
  if (png_image_finish_read(&c.image, nullptr, with_alpha.data(), 0, nullptr) == 0)
    return c.wrong();
  image out{3, c.image.width, c.image.height, {}};
  out.samples.resize(static_cast<std::size_t>(pixels * 3));
  for (std::size_t i = 0; i < pixels; ++i)
    std::memcpy(out.samples.data() + i * 3, with_alpha.data() + i * 4, 3);
  return out;
}

expected<std::vector<std::byte>> write_png(const image& from) {
  if ((from.channels != 1 && from.channels != 3) ||
      from.samples.size() != std::uint64_t{from.width} * from.height * from.channels)
    return failure{fault::content, "expected one or three samples for each pixel"};
  control c;
  c.image.width = from.width;
  c.image.height = from.height;
  c.image.format = from.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(c.image);
  std::vector<std::byte> out(size);
  if (png_image_write_to_memory(&c.image, out.data(), &size, 0, from.samples.data(), 0, nullptr) ==
      0)
    return c.wrong();
  out.resize(size);
  return out;
}

#else

bool has_png() noexcept { return false; }

namespace {
[[nodiscard]] failure without() {
  return {fault::system, "this build does not support PNG images: it was built without libpng"};
}
}  // namespace

expected<image> read_png(bytes, std::uint64_t) { return without(); }
expected<std::vector<std::byte>> write_png(const image&) { return without(); }

#endif

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI
