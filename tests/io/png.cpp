// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "io/png.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace tessera;

namespace {

[[nodiscard]] std::vector<std::byte> from_hex(std::string_view s) {
  std::vector<std::byte> out;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i + 1 < s.size(); i += 2)
    out.push_back(static_cast<std::byte>(digit(s[i]) * 16 + digit(s[i + 1])));
  return out;
}

}  // namespace

TEST_CASE("io/png: images there and back", "[io]") {
  const io::image rgb{3, 2, 1, {1, 2, 3, 250, 251, 252}}, grey{1, 1, 2, {7, 8}};
  const auto file = io::write_png(rgb);
  if (!io::has_png()) {
    REQUIRE_FALSE(file);
    CHECK(file.error().kind == io::fault::system);
    return;
  }
  REQUIRE(file);
  CHECK(io::is_png({file->data(), file->size()}));
  const auto back = io::read_png({file->data(), file->size()}, 2);
  REQUIRE(back);
  CHECK(back->channels == 3);
  CHECK(back->width == 2);
  CHECK(back->height == 1);
  CHECK(back->samples == rgb.samples);
  const auto of_grey = io::write_png(grey);
  REQUIRE(of_grey);
  const auto thrice = io::read_png({of_grey->data(), of_grey->size()}, 2);
  REQUIRE(thrice);
  CHECK(thrice->samples == std::vector<std::uint8_t>{7, 7, 7, 8, 8, 8});
  CHECK_FALSE(io::write_png({2, 1, 1, {1, 2}}));
  CHECK_FALSE(io::write_png({3, 1, 1, {1, 2}}));
}

TEST_CASE("io/png: files of others", "[io]") {
  if (!io::has_png()) return;
  struct row {
    std::string_view hex;
    std::vector<std::uint8_t> samples;
  };
  const row rows[] = {
      // a palette of 1 bit, one colour transparent
      {"89504e470d0a1a0a0000000d4948445200000002000000010103000000ceecedc900000006504c54450a141e283"
       "23cd51bb4e90000000174524e530040e6d8660000000a4944415478da637000000042004184bf8e620000000049"
       "454e44ae426082",
       {10, 20, 30, 40, 50, 60}},
      // RGB with alpha
      {"89504e470d0a1a0a0000000d4948445200000002000000010806000000f4227f8a000000114944415478da63e01"
       "29163389162d4000006c9021b4d33ef540000000049454e44ae426082",
       {10, 20, 30, 200, 100, 50}},
      // grey of 16 bits
      {"89504e470d0a1a0a0000000d494844520000000200000001100000000081d9fc150000000d4944415478da63686"
       "81012020003bb0125b0a5ed410000000049454e44ae426082",
       {128, 128, 128, 18, 18, 18}},
      // grey of 2 bits
      {"89504e470d0a1a0a0000000d49484452000000020000000102000000009bf938f70000000a4944415478da63480"
       "000006200611c10037f0000000049454e44ae426082",
       {85, 85, 85, 170, 170, 170}},
      // grey with alpha
      {"89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da63f06"
       "50000009d004e475f1f290000000049454e44ae426082",
       {77, 77, 77}},
  };
  for (const row& r : rows) {
    const std::vector<std::byte> file = from_hex(r.hex);
    const auto image = io::read_png({file.data(), file.size()}, 2);
    INFO((image ? std::string() : image.error().message()));
    REQUIRE(image);
    CHECK(image->samples == r.samples);
  }
}

TEST_CASE("io/png: every prefix and every limit is refused", "[io]") {
  if (!io::has_png()) return;
  const auto file = io::write_png({3, 2, 2, std::vector<std::uint8_t>(12, 9)});
  REQUIRE(file);
  CHECK(io::read_png({file->data(), file->size()}, 4));
  const auto over = io::read_png({file->data(), file->size()}, 3);
  REQUIRE_FALSE(over);
  CHECK(over.error().message() == "2 × 2 pixels; the maximum is 3");
  std::size_t refused = 0;
  for (std::size_t n = 0; n < file->size() - 16; ++n)  // the last chunks may be missing
    if (!io::read_png({file->data(), n}, 4)) ++refused;
  CHECK(refused == file->size() - 16);
  CHECK_FALSE(io::is_png({file->data(), 7}));
}
