// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// PNG images of 8 bits a sample.
//
//   auto picture = tessera::io::read_png(file->view(), 1 << 24);       // pixels at most
//   auto bytes = tessera::io::write_png({3, 640, 480, samples});       // 1: grey, 3: RGB
//
// Any image is read as RGB: grey three times, palettes as their colours, 16 bits as 8; transparent
// pixels as the colour that they have.
//
// Lifetime:   image owns.
// Errors:     io::failure; of kind `system` where this build is without libpng.
// Limits:     the pixels, checked before memory is taken for them.
// Allocation: to read, 7 bytes for a pixel, and libpng's memory for a few rows; to write, the size
//             of the file.

#ifndef TESSERA_IO_PNG_HPP
#define TESSERA_IO_PNG_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "failure.hpp"
#include "tessera/core/bytes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {

/// Whether this build reads and writes them.
[[nodiscard]] bool has_png() noexcept;
/// Whether bytes begin like a PNG file.
[[nodiscard]] bool is_png(bytes data) noexcept;

/// Rows from the top, pixels from the left, samples of a pixel adjacent.
struct image {
  std::uint32_t channels = 3, width = 0, height = 0;
  std::vector<std::uint8_t> samples;
};

[[nodiscard]] expected<image> read_png(bytes data, std::uint64_t max_pixels);
[[nodiscard]] expected<std::vector<std::byte>> write_png(const image& from);

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IO_PNG_HPP
