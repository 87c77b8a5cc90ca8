// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// PNG images: an image has as many samples as pixels times three, at most as many as it may; it is
// read as it was written. What isn't read is refused with a message.

#include <string_view>
#include <tessera/core/bytes.hpp>
#include <vector>

#include "io/png.hpp"
#include "mutate.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

constexpr std::uint64_t max_pixels = 4096;

void check_round_trip(const io::image& from) {
  const auto written = io::write_png(from);
  fuzz::require(static_cast<bool>(written), "an image can be written");
  fuzz::require(io::is_png(*written), "and begins like one");
  const auto again = io::read_png(*written, max_pixels);
  fuzz::require(again && again->width == from.width && again->height == from.height,
                "an image is read as it was written");
  for (std::size_t i = 0; i < again->samples.size(); ++i)
    fuzz::require(again->samples[i] == from.samples[from.channels == 3 ? i : i / 3],
                  "with all of its samples");
}

/// CRC-32 of PNG and zip.
[[nodiscard]] std::uint32_t checksum(const std::uint8_t* data, std::size_t size) {
  std::uint32_t c = ~std::uint32_t{0};
  for (std::size_t i = 0; i < size; ++i) {
    c ^= data[i];
    for (int k = 0; k < 8; ++k) c = c >> 1 ^ ((c & 1) != 0 ? 0xedb88320u : 0u);
  }
  return ~c;
}

[[nodiscard]] std::uint32_t load_be(const std::uint8_t* from) {
  std::uint32_t v = 0;
  for (int i = 0; i < 4; ++i) v = v << 8 | from[i];
  return v;
}

/// Of all chunks: length, type, data and the checksum of both.
void correct_checksums(std::uint8_t* data, std::size_t size) {
  for (std::size_t at = 8; size >= 12 && at <= size - 12;) {
    const std::size_t length = load_be(data + at);
    if (length > size - at - 12) return;
    const std::uint32_t sum = checksum(data + at + 4, length + 4);
    for (int i = 0; i < 4; ++i)
      data[at + 8 + length + static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(sum >> (24 - 8 * i));
    at += 12 + length;
  }
}

}  // namespace

/// Any change, and the checksums of all chunks made right again.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 16 != 0) correct_checksums(data, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact memory(fuzz::as_text(data, size));
  if (!io::has_png()) return 0;
  const auto read = io::read_png(memory.bytes(), max_pixels);
  if (!read) {
    fuzz::require(!read.error().message().empty(), "a failure has a message");
    return 0;
  }
  fuzz::require(io::is_png(memory.bytes()), "only what begins like an image is one");
  const std::uint64_t pixels = std::uint64_t{read->width} * read->height;
  fuzz::require(pixels <= max_pixels && read->samples.size() == pixels * 3 && read->channels == 3,
                "an image has its samples, within the limit");
  fuzz::turns turn(memory.text());
  if (turn.one_in(4))
    fuzz::require(!io::read_png(memory.bytes(), pixels - 1), "a limit that is too small refuses");
  if (turn.one_in(16)) check_round_trip(*read);
  if (!turn.one_in(16)) return 0;
  io::image grey{1, read->width, read->height, read->samples};
  grey.samples.resize(static_cast<std::size_t>(pixels));
  check_round_trip(grey);
  return 0;
}
