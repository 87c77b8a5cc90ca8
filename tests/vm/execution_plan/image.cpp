// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Pictures. What resizing gives was recorded from PyTorch 2.13: interpolate(mode="bilinear",
// antialias=True) in floats, cropped and normalised; 8 bits between both directions may differ by
// about one of 255 levels.

#include "vm/execution_plan/image.hpp"

#include <string>
#include <tessera/core/bytes.hpp>
#include <vector>

#include "io/png.hpp"
#include "support/catch.hpp"

using namespace tessera;
using vm::nac::tensor;

namespace {

[[nodiscard]] std::vector<std::byte> png(std::uint32_t w, std::uint32_t h) {
  io::image picture{3, w, h, {}};
  for (std::uint32_t y = 0; y < h; ++y)
    for (std::uint32_t x = 0; x < w; ++x)
      for (const std::uint32_t v : {x * 7 + y * 3, x * y, x + 2 * y * y})
        picture.samples.push_back(static_cast<std::uint8_t>(v % 256));
  auto file = io::write_png(picture);
  REQUIRE(file);
  return *std::move(file);
}

template <class F>
[[nodiscard]] errc code_of(F&& f) {
  try {
    f();
  } catch (const vm::nac::fault& e) {
    return e.code;
  }
  return errc::ok;
}

struct point {
  std::int64_t c, y, x;
  float value;
};
struct row {
  std::uint32_t w, h;
  std::vector<point> points;
  double mean;
};
const row rows[] = {
    {300,
     280,
     {{0, 0, 0, 2.0716f},
      {1, 10, 20, 0.1654f},
      {2, 100, 200, 2.5397f},
      {0, 223, 223, 0.0288f},
      {1, 223, 0, 0.5868f},
      {2, 0, 223, 0.2754f}},
     0.219189},
    {100,
     130,
     {{0, 0, 0, -0.3346f},
      {1, 10, 20, -0.5548f},
      {2, 100, 200, 0.2195f},
      {0, 223, 223, 1.4417f},
      {1, 223, 0, 0.2585f},
      {2, 0, 223, 1.5762f}},
     0.194862},
    {690,
     500,
     {{0, 0, 0, 1.4145f},
      {1, 10, 20, 0.2072f},
      {2, 100, 200, -0.2727f},
      {0, 223, 223, 1.5135f},
      {1, 223, 0, -0.0506f},
      {2, 0, 223, 0.1989f}},
     0.212879},
};

[[nodiscard]] tensor floats(vm::nac::memory& arena, const vm::nac::shape& dims,
                            const std::vector<float>& v) {
  tensor t = vm::nac::make_tensor(arena, nac::data_type::float32, dims);
  REQUIRE(t.size() == v.size());
  std::copy(v.begin(), v.end(), t.as<float>());
  return t;
}
/// The samples of a picture after it was a file.
[[nodiscard]] std::vector<int> samples(vm::nac::memory& arena, const tensor& t) {
  const std::string file = vm::nac::png_of(arena, t);
  const auto back = io::read_png(as_bytes(file), 1000);
  REQUIRE(back);
  return {back->samples.begin(), back->samples.end()};
}

}  // namespace

TEST_CASE("vm/execution_plan/image: pictures are resized, cropped and normalised",
          "[vm_execution_plan]") {
  vm::nac::memory arena(std::uint64_t{1} << 26);
  if (!io::has_png()) {
    CHECK(code_of([&] { (void)vm::nac::picture_for_model(arena, {}); }) ==
          errc::nac_plan_unavailable);
    return;
  }
  for (const row& r : rows) {
    CAPTURE(r.w, r.h);
    const std::vector<std::byte> file = png(r.w, r.h);
    const tensor t = vm::nac::picture_for_model(arena, {file.data(), file.size()});
    REQUIRE(t.dims == vm::nac::shape{1, 3, 224, 224});
    CHECK(t.type == nac::data_type::float32);
    double sum = 0;
    for (const float v : t.elements<float>()) sum += static_cast<double>(v);
    CHECK(sum / static_cast<double>(t.size()) == Approx(r.mean).margin(0.002));
    for (const point& p : r.points) {
      CAPTURE(p.c, p.y, p.x);
      const float v = t.as<float>()[(p.c * 224 + p.y) * 224 + p.x];
      CHECK(v == Approx(p.value).margin(0.03));
    }
  }
}

TEST_CASE("vm/execution_plan/image: a picture of one colour stays so, however long it is",
          "[vm_execution_plan]") {
  if (!io::has_png()) return;
  vm::nac::memory arena(std::uint64_t{1} << 24);
  for (const auto& [w, h] :
       {std::pair<std::uint32_t, std::uint32_t>{1, 1}, {1, 60000}, {60000, 2}}) {
    io::image grey{1, w, h, std::vector<std::uint8_t>(std::size_t{w} * h, 51)};
    const auto file = io::write_png(grey);
    REQUIRE(file);
    const tensor t = vm::nac::picture_for_model(arena, {file->data(), file->size()});
    bool same = true;
    for (std::size_t i = 0; i < 224 * 224; ++i)
      same = same && t.as<float>()[i] == static_cast<float>((0.2 - 0.485) / 0.229);
    CHECK(same);
  }
}

TEST_CASE("vm/execution_plan/image: what isn't a picture that is read here",
          "[vm_execution_plan]") {
  if (!io::has_png()) return;
  vm::nac::memory arena(std::uint64_t{1} << 26), small(7 * 299 * 280);
  const auto read = [](vm::nac::memory& in, bytes file) {
    return code_of([&] { (void)vm::nac::picture_for_model(in, file); });
  };
  const std::vector<std::byte> file = png(300, 280);
  CHECK(read(arena, as_bytes(std::string_view("\xff\xd8\xff\xe0 JFIF"))) == errc::nac_plan_image);
  CHECK(read(arena, {}) == errc::nac_plan_image);
  CHECK(read(arena, {file.data(), file.size() / 2}) == errc::nac_plan_image);
  CHECK(read(small, {file.data(), file.size()}) == errc::nac_plan_image);
}

TEST_CASE("vm/execution_plan/image: tensors become PNG files", "[vm_execution_plan]") {
  vm::nac::memory arena(1 << 20);
  if (!io::has_png()) {
    CHECK(code_of([&] {
            (void)vm::nac::png_of(arena, floats(arena, {1, 1}, {0}));
          }) == errc::nac_plan_unavailable);
    return;
  }
  using row = std::vector<int>;
  // Planes become pixels: 0.5 × 255 = 127.5, cut; above 1 and NaN are clipped.
  CHECK(samples(arena, floats(arena, {1, 3, 1, 2}, {0, 1, 0.5f, 2, 0.25f, NAN})) ==
        row{0, 127, 63, 255, 255, 0});
  // Below 0: from -1 to 1.
  CHECK(samples(arena, floats(arena, {1, 1, 1, 3}, {-1, 0, 1})) ==
        row{0, 0, 0, 127, 127, 127, 255, 255, 255});
  CHECK(samples(arena, floats(arena, {1, 2, 3}, {0, 0.1f, 0.2f, 0.3f, 0.4f, 1})) ==
        row{0, 25, 51, 76, 102, 255});
  CHECK(samples(arena, floats(arena, {1, 2}, {0, 1})) == row{0, 0, 0, 255, 255, 255});
  tensor whole = vm::nac::make_tensor(arena, nac::data_type::int64, {1, 2});
  whole.as<std::int64_t>()[0] = 7;
  whole.as<std::int64_t>()[1] = 255;
  CHECK(samples(arena, whole) == row{7, 7, 7, 255, 255, 255});
  const auto fails = [&](const tensor& t) {
    return code_of([&] { (void)vm::nac::png_of(arena, t); });
  };
  whole.as<std::int64_t>()[0] = 256;
  CHECK(fails(whole) == errc::nac_run_argument);
  whole.as<std::int64_t>()[0] = -1;
  CHECK(fails(whole) == errc::nac_run_argument);
  CHECK(fails(floats(arena, {2}, {0, 0})) == errc::nac_run_shape);
  CHECK(fails(floats(arena, {1, 2, 1, 1}, {0, 0})) == errc::nac_run_shape);
  CHECK(fails(floats(arena, {2, 1, 1, 1}, {0, 0})) == errc::nac_run_shape);
  CHECK(fails(floats(arena, {1, 1, 2}, {0, 0})) == errc::nac_run_shape);
  CHECK(fails(floats(arena, {0, 2}, {})) == errc::nac_run_shape);
}
