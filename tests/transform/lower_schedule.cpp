// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What lowered programs make of a device: loops, what is loaded ahead, slices of products, efforts, and
// the bound of the report.

#include "lowered.hpp"

using namespace tessera;
using nem::element;
using transform_tests::container;
using transform_tests::device;
using transform_tests::lowers;
using transform_tests::program_text;

namespace {

/// A 3 x 3 convolution of an image of 8 channels, channels last, for each number of results.
container convolutions(const std::vector<std::int64_t>& channels) {
  program_text text(3);
  std::string x = text.add("aten.permute.default(" + text.add("input") + ", [0, 3, 1, 2])");
  std::int64_t in = 8;
  for (const std::int64_t out : channels) {
    const std::string w = text.weight({out, in, 3, 3}), b = text.weight({out});
    x = text.add("aten.conv2d.default(" + x + ", " + w + ", " + b + ", [1, 1], [1, 1])");
    in = out;
  }
  x = text.add("aten.permute.default(" + x + ", [0, 2, 3, 1])");
  return container(std::string_view(text.with_output(x)));
}
/// Of an image, channels last.
container convolution(const std::vector<std::int64_t>& weights, const std::string& how) {
  program_text text(8);
  std::string x = text.add("aten.permute.default(" + text.add("input") + ", [0, 3, 1, 2])");
  x = text.add("aten.conv2d.default(" + x + ", " + text.weight(weights) + ", null, " + how + ")");
  x = text.add("aten.permute.default(" + x + ", [0, 2, 3, 1])");
  return container(std::string_view(text.with_output(x)));
}
/// x w, of `terms` terms.
container product(std::int64_t terms, std::int64_t columns, bool has_bias) {
  program_text text(4);
  const std::string x = text.add("input");
  const std::string w = text.weight({columns, terms});
  const std::string b = has_bias ? ", " + text.weight({columns}) : std::string();
  return container(std::string_view(
      text.with_output(text.add("aten.linear.default(" + x + ", " + w + b + ")"))));
}

std::size_t count_of(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++n;
  return n;
}

/// A lowered network, verified, and its report.
struct timed {
  nem::model model;
  std::optional<nem::program> program;
  transform::lower_report report;

  timed(const container& net, const device& on, const transform::lower_options& how) {
    auto made = transform::lower(net.program(), on.catalog(), *on, how);
    REQUIRE(made);
    auto verified = nem::verify(std::move(made->model));
    REQUIRE(verified);
    program.emplace(std::move(*verified));
    auto counted = transform::report_of(*program);
    REQUIRE(counted);
    report = std::move(*counted);
  }
};

}  // namespace

TEST_CASE("transform/lower: tiles at the edges of an image are in the loop of the others",
          "[transform]") {
  const container net = convolutions({64});
  for (const std::int64_t rows : {29, 40, 57}) {
    std::string text;
    CHECK(lowers(net.program(), device("npm_lite"), {{1, rows, 16, 8}}, element::f16, &text) == "");
    CHECK(count_of(text, "conv2d.async") <= 2);  // two where weights come by blocks
    // A row of padding above the first tile and one below the last.
    const std::size_t at = text.find("pads=[");
    INFO(text.substr(at, text.find(']', at) - at));
    CHECK(text.substr(at).starts_with("pads=[1 - ((i + "));
  }
}

TEST_CASE("transform/lower: the next step's weights are loaded before the loop of this one",
          "[transform]") {
  const container net = convolutions({8, 8});
  std::string text;
  CHECK(lowers(net.program(), device("large"), {{1, 16, 16, 8}}, element::f32, &text) == "");
  const std::size_t ahead = text.find("s1_1"), loop = text.find("\nloop i");
  REQUIRE(ahead != std::string::npos);
  CHECK(ahead < loop);
  CHECK(text.find("wait(s1_1") > text.find("endloop"));
  // Too little memory for both.
  CHECK(lowers(net.program(), device("large", 6144, 0), {{1, 16, 16, 8}}, element::f32, &text) ==
        "");
}

TEST_CASE("transform/lower: rows that tiles have in common are loaded once", "[transform]") {
  // Convolutions of 3 rows and of 5, dilated ones, and every other row of them.
  std::size_t pieces = 0;
  for (const char* const of : {"[1, 1], [1, 1]", "[2, 2], [1, 1]", "[1, 1], [2, 2], [2, 2]"})
    for (const std::int64_t extent : {3, 5})
      for (const std::int64_t rows : {24, 37}) {
        INFO(of << ' ' << extent << ' ' << rows);
        const container net = convolution({16, 16, extent, extent}, of);
        std::string written;
        CHECK(lowers(net.program(), device("large"), {{1, rows, 24, 16}}, element::f16, &written) ==
              "");
        pieces += count_of(written, "transfer.async(dst=region(l1, (1 - (i / ");
      }
  CHECK(pieces > 2);
}

TEST_CASE("transform/lower: an image is loaded once for all blocks of weights", "[transform]") {
  transform::lower_options how;
  how.shapes = {{1, 14, 14, 128}};
  how.type = element::f16;
  const container net = convolution({128, 128, 3, 3}, "[1, 1], [1, 1]");
  std::string text;
  CHECK(lowers(net.program(), device("large"), how.shapes, element::f16, &text) == "");
  CHECK(count_of(text, "loop o") == 1);
  const timed run(net, device("large"), how);
  CHECK(run.report.all.bytes <= 14 * 14 * 256 * 2 + 9 * 128 * 128 * 2 + 1280);
  CHECK(run.report.all.roofline * 100 > run.report.all.cycles * 75);
}

TEST_CASE("transform/lower: products by slices of their terms", "[transform]") {
  for (const bool has_bias : {false, true}) {
    const container net = product(512, 96, has_bias);
    std::string text;
    CHECK(lowers(net.program(), device("large", 12288, 0), {{48, 512}}, element::f32, &text) == "");
    CHECK(text.find("p0 = ") != std::string::npos);
    CHECK(lowers(net.program(), device("small", 12288, 0), {{48, 512}}, element::f16, &text) == "");
    CHECK(text.find("p0 = gemm.async") != std::string::npos);
  }
  std::string text;
  const container images = convolutions({64, 32});
  CHECK(lowers(images.program(), device("small", 16384, 0), {{1, 12, 12, 8}}, element::f16,
               &text) == "");
  CHECK(text.find("p0 = conv2d.async") != std::string::npos);
}

TEST_CASE("transform/lower: units multiply bands of a slice side by side", "[transform]") {
  std::string text;
  std::size_t images = 0;
  for (const element type : {element::f16, element::f32}) {
    const container net = product(256, 96, false);
    CHECK(lowers(net.program(), device("large"), {{64, 256}}, type, &text) == "");
    CHECK(text.find("loop b0 in [0..") != std::string::npos);
    // Images: padded rows, and those of a kernel that has none; every other row.
    for (const char* const how : {"[1, 1], [1, 1]", "[1, 1], [0, 0]", "[2, 2], [1, 1]"}) {
      INFO(how);
      const container image = convolution({32, 64, 3, 3}, how);
      for (const std::int64_t rows : {16, 18}) {
        CHECK(lowers(image.program(), device("large"), {{1, rows, 24, 64}}, type, &text) == "");
        images += count_of(text, "loop b0 in [0..");
      }
    }
  }
  CHECK(images >= 6);
  // What is added to a product is there as a whole, too.
  program_text sum(5);
  const std::string h = sum.add("aten.gelu.default(" + sum.add("input") + ")");
  const std::string x = sum.add("aten.softmax.int(" + h + ", -1)");
  const std::string w = sum.weight({32, 32}), b = sum.weight({32});
  const std::string y = sum.add("aten.linear.default(" + x + ", " + w + ", " + b + ")");
  const container residual(
      std::string_view(sum.with_output(sum.add("aten.add.Tensor(" + h + ", " + y + ")"))));
  CHECK(lowers(residual.program(), device("large"), {{1, 40, 32}}, element::f32, &text) == "");
  CHECK(text.find("loop b0") != std::string::npos);
  // One unit has nothing to share.
  const container net = product(512, 96, false);
  CHECK(lowers(net.program(), device("small", 12288, 0), {{48, 512}}, element::f16, &text) == "");
  CHECK(text.find("loop b0") == std::string::npos);
}

TEST_CASE("transform/lower: slices that tiles have in common are loaded once", "[transform]") {
  std::size_t kept = 0;
  const auto check = [&](const container& net, const std::vector<std::int64_t>& shape,
                         const device& on, element type) {
    std::string text;
    CHECK(lowers(net.program(), on, {shape}, type, &text) == "");
    // The first tile, and all others.
    if (count_of(text, "loop i in [0..0] @debug") != 0 && count_of(text, "loop i in [1..") != 0 &&
        count_of(text, "p0 = ") != 0)
      ++kept;
  };
  // Bands of four units, with a bias and without; an image; one unit.
  for (const element type : {element::f16, element::f32}) {
    for (const bool has_bias : {false, true})
      check(product(256, 256, has_bias), {192, 256}, device("large"), type);
    check(convolution({64, 64, 3, 3}, "[1, 1], [1, 1]"), {1, 28, 28, 64}, device("large"), type);
  }
  CHECK(kept >= 4);
  kept = 0;
  for (const std::int64_t l1 : {32768, 65536, 131072})
    check(product(512, 16, true), {64, 512}, device("npm_lite", l1, 0), element::f16);
  CHECK(kept > 0);
}

TEST_CASE("transform/lower: rows stay for all slices of columns", "[transform]") {
  std::size_t sliced = 0;
  const auto check = [&](const container& net, const std::vector<std::int64_t>& shape,
                         const device& on, element type) {
    std::string text;
    CHECK(lowers(net.program(), on, {shape}, type, &text) == "");
    const std::size_t tiles = text.find("loop i in [0.."), columns = text.find("  loop o in [0..");
    sliced += columns != std::string::npos && tiles < columns ? 1u : 0u;
  };
  // Sums of 8-bit products are in one piece: with a bias and without, tiles of several sizes, an image.
  for (const std::int64_t l1 : {12288, 20480})
    for (const std::int64_t rows : {32, 45}) {
      for (const bool has_bias : {false, true})
        check(product(320, 96, has_bias), {rows, 320}, device("small", l1, 0), element::i8);
      check(convolution({64, 32, 3, 3}, "[1, 1], [1, 1]"), {1, rows / 2, 12, 32},
            device("small", l1, 0), element::i8);
      check(convolution({64, 32, 3, 3}, "[2, 2], [1, 1]"), {2, rows / 2, 12, 32},
            device("npm_lite", l1, 0), element::i8);
    }
  CHECK(sliced >= 8);
  // What is added, column by column, to what a product gives.
  program_text sum(5);
  const std::string x = sum.add("aten.relu.default(" + sum.add("input") + ")");
  const std::string y = sum.add("aten.linear.default(" + x + ", " + sum.weight({256, 256}) + ")");
  const container residual(
      std::string_view(sum.with_output(sum.add("aten.add.Tensor(" + x + ", " + y + ")"))));
  for (const element type : {element::i8, element::f16})
    for (const std::int64_t l1 : {12288, 24576})
      check(residual, {24, 256}, device("small", l1, 0), type);
}

TEST_CASE("transform/lower: what one step reads is quantized by it, tile by tile", "[transform]") {
  std::size_t folded = 0, pieces = 0;
  const auto check = [&](const container& net, const std::vector<std::int64_t>& shape,
                         const device& on) {
    std::string text;
    CHECK(lowers(net.program(), on, {shape}, element::i8, &text) == "");
    const std::size_t name = text.find("\"quantize input_0, ");
    const bool is_folded = name != std::string::npos;
    folded += is_folded ? 1u : 0u;
    CHECK(count_of(text, "\"quantize input_0\"") == (is_folded ? 0 : 1));
    pieces += count_of(text, "q0 = transfer.async");
  };
  for (const char* const how : {"[1, 1], [1, 1]", "[2, 2], [1, 1]"})
    for (const std::int64_t rows : {24, 37}) {
      const container net = convolution({16, 16, 3, 3}, how);
      check(net, {1, rows, 24, 16}, device("large"));
      check(net, {1, rows, 24, 16}, device("npm_lite", 40960, 0));
      check(net, {2, rows, 24, 16}, device("small", 20480, 0));
    }
  for (const std::int64_t l1 : {12288, 24576, 65536, 1 << 20})
    for (const bool has_bias : {false, true})
      check(product(256, 48, has_bias), {40, 256}, device("npm_lite", l1, 0));
  CHECK(folded >= 12);
  CHECK(pieces > 0);
  // Matrices of a batch, of which one is loaded while another one is used.
  const container batches(std::string_view(
      "code:\n  a = input\n  b = input\n  y = aten.bmm.default(a, b)\n  output(y)\n"));
  for (const std::int64_t l1 : {4096, 8192, 1 << 16})
    for (const char* const on : {"small", "large"})
      CHECK(lowers(batches.program(), device(on, l1, 0), {{3, 20, 16}, {3, 16, 24}}, element::i8) ==
            "");
  // What two steps read is quantized once.
  program_text text(4);
  const std::string x = text.add("input");
  const std::string a = text.add("aten.linear.default(" + x + ", " + text.weight({8, 16}) + ")");
  const std::string b = text.add("aten.linear.default(" + x + ", " + text.weight({8, 16}) + ")");
  const container both(
      std::string_view(text.with_output(text.add("aten.add.Tensor(" + a + ", " + b + ")"))));
  folded = 0;
  check(both, {4, 16}, device("large"));
  CHECK(folded == 0);
}

TEST_CASE("transform/lower: what follows a product is beside the next one", "[transform]") {
  // Of 16 tokens, a tile takes more than a third: a product, and what is done to it.
  std::size_t pipelined = 0;
  const auto check = [&](const container& net, const std::vector<std::int64_t>& shape,
                         const device& on, element type) {
    std::string text;
    CHECK(lowers(net.program(), on, {shape}, type, &text) == "");
    // The first product, the others, and what follows the last one.
    std::size_t at = text.find("loop i in [0..0]");
    if (at == std::string::npos || text.find("loop i in [1..", at) == std::string::npos) return;
    const std::size_t first = text.find("endloop", at);
    if (text.substr(at, first - at).find("store.async") == std::string::npos) ++pipelined;
  };
  const auto layer = [](bool is_image, bool has_residual) {
    program_text text(9);
    const std::string x = text.add("input");
    std::string y = is_image ? text.add("aten.permute.default(" + x + ", [0, 3, 1, 2])") : x;
    const std::string by = text.weight(is_image ? std::vector<std::int64_t>{16, 16, 3, 3}
                                                : std::vector<std::int64_t>{16, 16});
    y = is_image ? text.add("aten.conv2d.default(" + y + ", " + by + ", null, [1, 1], [1, 1])")
                 : text.add("aten.linear.default(" + y + ", " + by + ")");
    if (is_image) y = text.add("aten.permute.default(" + y + ", [0, 2, 3, 1])");
    for (const char* const op : {"aten.gelu.default", "aten.tanh.default", "aten.sigmoid.default"})
      y = text.add(std::string(op) + "(" + y + ")");
    if (has_residual) y = text.add("aten.add.Tensor(" + y + ", " + x + ")");
    return container(std::string_view(text.with_output(y)));
  };
  for (const bool has_residual : {false, true})
    for (const element type : {element::f16, element::i8})
      for (const char* const on : {"npm_lite", "small"}) {
        for (const std::int64_t rows : {33, 64})
          check(layer(true, has_residual), {1, rows, 24, 16}, device(on), type);
        check(layer(true, has_residual), {3, 24, 20, 16}, device(on, 12288, 0), type);
        for (const std::int64_t rows : {500, 2048})
          check(layer(false, has_residual), {rows, 16}, device(on, 16384, 0), type);
      }
  CHECK(pipelined >= 8);
}

TEST_CASE("transform/lower: large layers keep four units busy", "[transform]") {
  const struct {
    container net;
    std::vector<std::int64_t> shape;
    std::uint64_t least;  // percent of the bound
  } layers[] = {{convolution({128, 128, 3, 3}, "[1, 1], [1, 1]"), {1, 28, 28, 128}, 85},
                {convolution({64, 64, 3, 3}, "[1, 1], [1, 1]"), {1, 56, 56, 64}, 58},
                {product(256, 256, false), {256, 256}, 85},
                {product(512, 512, false), {512, 512}, 80}};
  for (const auto& layer : layers)
    for (const element type : {element::f16, element::f32}) {
      transform::lower_options how;
      how.shapes = {layer.shape};
      how.type = type;
      const timed run(layer.net, device("large"), how);
      CHECK(run.report.all.roofline * 100 > run.report.all.cycles * layer.least);
      CHECK(run.report.all.roofline <= run.report.all.cycles);
    }
}

TEST_CASE("transform/lower: efforts agree with the network, and take the same tiles each time",
          "[transform]") {
  const container net = convolutions({24, 16});
  const device on("npm_lite", 32768, 0);
  std::uint64_t least = ~std::uint64_t{0};
  for (const unsigned effort : {0u, 1u, 2u}) {
    INFO(effort);
    transform::lower_options how;
    how.shapes = {{1, 28, 28, 8}};
    how.type = element::f16;
    how.effort = effort;
    const auto first = transform::lower(net.program(), on.catalog(), *on, how);
    const auto second = transform::lower(net.program(), on.catalog(), *on, how);
    REQUIRE(first);
    REQUIRE(second);
    const auto one = nem::write(first->model), other = nem::write(second->model);
    REQUIRE(one);
    REQUIRE(other);
    CHECK(one->view() == other->view());
    const timed run(net, on, how);
    const transform::agreement a = transform::compare(net.program(), *run.program, *first, how);
    CHECK(a.failure == "");
    REQUIRE(a.distances.size() == 1);
    CHECK(a.distances[0] <= 5e-3);
    // More effort isn't worth less here.
    CHECK(run.report.all.cycles <= least);
    least = run.report.all.cycles;
  }
}

TEST_CASE("transform/lower: the bound of a device", "[transform]") {
  transform::lower_options how;
  how.shapes = {{1, 16, 16, 8}};
  const timed large(convolutions({8}), device("large"), how);
  // 16 x 16 x 8 x 72 multiply-accumulates on four NMUs of 4096; a byte a cycle for each of 64 from DDR:
  // the image, the weights and the bias. Stores: 32 bytes on each of four CSTLs.
  CHECK(large.report.all.macs == 16 * 16 * 8 * 72);
  CHECK(large.report.all.roofline == (16 * 16 * 8 * 4 + 8 * 72 * 4 + 8 * 4 + 63) / 64);
  CHECK(large.report.all.roofline == large.report.steps[0].roofline);
  how.type = element::f16;
  const timed small(convolutions({8}), device("small"), how);
  CHECK(small.report.all.roofline == 16 * 16 * 8 * 72 / 512);
  how.shapes = {{1, 64, 64, 8}};
  const timed longer(convolutions({8}), device("small"), how);
  CHECK(longer.report.all.roofline == 16 * small.report.all.roofline);
  CHECK(longer.report.all.roofline * 10 > longer.report.all.cycles * 9);  // at least 90 %
}

TEST_CASE("transform/lower: a network of several steps keeps a device busy", "[transform]") {
  transform::lower_options how;
  how.shapes = {{1, 28, 28, 8}};
  how.type = element::f16;
  const timed run(convolutions({32, 32, 32, 32}), device("npm_lite"), how);
  CHECK(run.report.steps.size() == 4);
  CHECK(run.report.all.roofline * 100 > run.report.all.cycles * 80);
}

TEST_CASE("transform/lower: inputs don't have the names of tokens or variables", "[transform]") {
  for (const char* const name : {"x0", "y1", "i", "o", "s1_0", "z0", "p0", "b0"}) {
    INFO(name);
    const container net(std::string_view("code:\n  " + std::string(name) +
                                         " = input\n  r = aten.relu.default(" + name +
                                         ")\n  output(r)\n"));
    std::string text;
    CHECK(lowers(net.program(), device("large"), {{2, 3}}, element::f32, &text) == "");
  }
}
