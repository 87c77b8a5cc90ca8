// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tensor/windows.hpp"

#include <cstdint>
#include <vector>

#include "../support/catch.hpp"
#include "support.hpp"

using namespace tessera::tensors;

namespace {

[[nodiscard]] windows random_windows(tessera_tests::random_numbers& next) {
  windows w;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto below = [&](unsigned n) { return static_cast<std::int64_t>(next() % n); };
    w.kernel[d] = 1 + below(3);
    w.stride[d] = 1 + below(3);
    w.dilation[d] = 1 + below(2);
    w.padding[d] = below(3);
    const std::int64_t under = w.dilation[d] * (w.kernel[d] - 1) + 1;
    w.in[d] = under + below(4);
    w.out[d] = (w.in[d] + 2 * w.padding[d] - under) / w.stride[d] + 1;
  }
  return w;
}
[[nodiscard]] std::size_t size_of(const triple& s) { return static_cast<std::size_t>(volume(s)); }

}  // namespace

TEST_CASE("tensor/windows: columns are the taps of each window, and add up to the image",
          "[tensor]") {
  tessera_tests::random_numbers next;
  for (int round = 0; round < 50; ++round) {
    const windows w = random_windows(next);
    std::vector<std::int32_t> image(size_of(w.in));
    for (std::int32_t& v : image) v = static_cast<std::int32_t>(next() % 1000) + 1;
    const std::size_t taps = size_of(w.kernel), count = size_of(w.out);
    std::vector<std::int32_t> expected(taps * count), sums(image.size());
    const triple strides = {w.in[1] * w.in[2], w.in[2], 1};
    bool has_padding = false;
    for (std::size_t i = 0; i < count; ++i) {
      const auto n = static_cast<std::int64_t>(i);
      const triple at = {n / w.out[2] / w.out[1], n / w.out[2] % w.out[1], n % w.out[2]};
      std::size_t found = 0;
      w.each_tap(at, [&](std::size_t tap, const triple& place) {
        const auto from = static_cast<std::size_t>(index_at(strides, place));
        expected[tap * count + i] = image[from];
        sums[from] += image[from];
        ++found;
      });
      CHECK(w.is_inside(at) == (found == taps));
      has_padding = has_padding || found != taps;
    }
    CHECK(w.has_padding() == (has_padding || w.padding != triple{}));

    // All windows at once, and some at a time.
    std::vector<std::int32_t> columns(expected.size(), -1), back(image.size());
    gather_columns(w, image.data(), 1, 0, static_cast<std::int64_t>(count), columns.data());
    CHECK(columns == expected);
    const auto half = static_cast<std::int64_t>(count / 2);
    for (const auto& [first, n] : {std::pair(std::int64_t{0}, half),
                                   std::pair(half, static_cast<std::int64_t>(count) - half)}) {
      std::vector<std::int32_t> some(taps * static_cast<std::size_t>(n));
      gather_columns(w, image.data(), 1, first, n, some.data());
      add_columns(w, back.data(), 1, first, n, some.data());
    }
    CHECK(back == sums);
  }
}
