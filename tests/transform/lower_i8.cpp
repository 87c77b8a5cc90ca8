// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Lowering to 8-bit integers: programs give exactly what an evaluation of the network does that knows
// the scales and nothing else of the lowering: integers, sums of 32 bits, rounding to the nearest even.

#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <tessera/core/float16.hpp>
#include <tessera/core/load_store.hpp>

#include "import/recorded.hpp"
#include "io/random.hpp"
#include "lowered.hpp"
#include "tessera/vm/nem.hpp"

using namespace import_tests;
using nem::element;
using transform_tests::container;
using transform_tests::device;
using transform_tests::shapes;

namespace {

using shape = std::vector<std::int64_t>;

std::int64_t size_of(const shape& s) {
  std::int64_t n = 1;
  for (const std::int64_t d : s) n *= d;
  return n;
}

std::string list_text(const shape& s) {
  std::string out = "[";
  for (std::size_t k = 0; k < s.size(); ++k)
    out.append(k == 0 ? "" : ", ").append(std::to_string(s[k]));
  return out + "]";
}

/// A tensor of the evaluation: integers with a scale, or floats of the device.
struct values {
  shape dims;
  std::vector<double> data;
  bool is_float = false;
  double scale = 1;
  std::int32_t zero = 0;

  [[nodiscard]] double real(std::size_t i) const {
    return is_float ? data[i] : scale * (data[i] - zero);
  }
};

double saturated(double q) { return std::min(std::max(q, -128.0), 127.0); }

/// A network in assembly, and how to compute it.
class small_network {
 public:
  explicit small_network(const shape& input) {
    add("input", input, [this] { return quantized_input(); });
  }

  std::size_t linear(std::size_t x, std::int64_t columns) {
    const std::int64_t depth = nodes_[x].dims.back();
    const auto w = weight({columns, depth}), b = weight({columns});
    return add("aten.linear.default(" + name(x) + ", " + name(w) + ", " + name(b) + ")",
               {nodes_[x].dims[0], columns}, [=, this] { return product(x, w, b); });
  }
  std::size_t convolve(std::size_t x, std::int64_t out, std::int64_t k, std::int64_t stride,
                       std::int64_t pad) {
    const shape d = nodes_[x].dims;
    const auto w = weight({out, d[1], k, k}), b = weight({out});
    const std::string rest =
        list_text({stride, stride}) + ", " + list_text({pad, pad}) + ", [1, 1], 1)";
    return add("aten.conv2d.default(" + name(x) + ", " + name(w) + ", " + name(b) + ", " + rest,
               {d[0], out, (d[2] + 2 * pad - k) / stride + 1, (d[3] + 2 * pad - k) / stride + 1},
               [=, this] { return convolution(x, w, b, stride, pad); });
  }
  std::size_t relu(std::size_t x) {
    return add("aten.relu.default(" + name(x) + ")", nodes_[x].dims, [=, this] {
      values y = like(nodes_[x].now);
      for (std::size_t i = 0; i < y.data.size(); ++i)
        y.data[i] = stored(std::max(nodes_[x].now.real(i), 0.0), y);
      return y;
    });
  }
  std::size_t sum(std::size_t a, std::size_t b) {
    return add("nac.add(" + name(a) + ", " + name(b) + ")", nodes_[a].dims, [=, this] {
      values y = like(nodes_[a].now);
      for (std::size_t i = 0; i < y.data.size(); ++i)
        y.data[i] = stored(nodes_[a].now.real(i) + nodes_[b].now.real(i), y);
      return y;
    });
  }
  std::size_t batch_norm(std::size_t x) {
    const std::int64_t c = nodes_[x].dims[1];
    const auto w = weight({c}), b = weight({c}), mean = weight({c});
    // A variance is positive.
    const auto v = weight({c}, true);
    return add("aten.batch_norm.default(" + name(x) + ", " + name(w) + ", " + name(b) + ", " +
                   name(mean) + ", " + name(v) + ", false, 0.1, 0.001, true)",
               nodes_[x].dims, [=, this] { return normalized(x, w, b, mean, v); });
  }
  std::size_t max_pool(std::size_t x) {
    const shape d = nodes_[x].dims;
    return add("aten.max_pool2d.default(" + name(x) + ", [2, 2])", {d[0], d[1], d[2] / 2, d[3] / 2},
               [=, this] { return pooled(x); });
  }
  std::size_t mean(std::size_t x) {
    const shape d = nodes_[x].dims;
    return add("aten.adaptive_avg_pool2d.default(" + name(x) + ", [1, 1])", {d[0], d[1], 1, 1},
               [=, this] { return averages(x); });
  }
  std::size_t flatten(std::size_t x) {
    const shape d = nodes_[x].dims;
    return add("aten.flatten.using_ints(" + name(x) + ", 1)", {d[0], size_of(d) / d[0]}, [=, this] {
      values y = nodes_[x].now;
      y.dims = nodes_[at_].dims;
      return y;
    });
  }
  std::size_t softmax(std::size_t x) {
    return add("aten.softmax.int(" + name(x) + ", -1)", nodes_[x].dims,
               [=, this] { return probabilities(x); });
  }

  [[nodiscard]] std::string text(std::size_t y) const {
    return "tensors:\n" + tensors_ + "code:\n" + code_ + "  output(" + name(y) + ")\n";
  }
  [[nodiscard]] const shape& input() const { return nodes_[0].dims; }

  /// What the device gives for an input: numbers of its float type.
  [[nodiscard]] std::vector<double> evaluate(std::size_t y, const transform::lowered& made,
                                             const std::vector<float>& input) {
    made_ = &made;
    input_ = &input;
    type_ = made.inputs[0].type;
    for (at_ = 0; at_ < nodes_.size(); ++at_)
      if (nodes_[at_].compute) nodes_[at_].now = nodes_[at_].compute();
    return to_float(nodes_[y].now).data;
  }

 private:
  struct node {
    shape dims;
    std::vector<float> weights = {};
    std::function<values()> compute = {};
    values now = {};
  };

  static std::string name(std::size_t k) { return "t" + std::to_string(k); }
  std::size_t add(const std::string& call, const shape& dims, std::function<values()> compute) {
    code_ += "  " + name(nodes_.size()) + " = " + call + "\n";
    nodes_.push_back({dims, {}, std::move(compute)});
    return nodes_.size() - 1;
  }
  std::size_t weight(const shape& dims, bool is_positive = false) {
    const std::string key = "\"w" + std::to_string(nodes_.size()) + "\"";
    node n{dims};
    std::string hex;
    for (std::int64_t i = 0; i < size_of(dims); ++i) {
      auto x = static_cast<float>(static_cast<double>(io::next_bits(random_) % 2001) / 1000 - 1);
      if (is_positive) x = x * x + 0.25f;
      n.weights.push_back(x);
      char word[16];
      std::snprintf(word, sizeof word, " %08x", __builtin_bswap32(std::bit_cast<std::uint32_t>(x)));
      hex += word;
    }
    tensors_ += "  " + key + " = f32 " + list_text(dims) + " hex {" + hex + " }\n";
    code_ += "  " + name(nodes_.size()) + " = parameter " + key + "\n";
    nodes_.push_back(std::move(n));
    return nodes_.size() - 1;
  }

  // ---- numbers

  /// A number of the device's float type.
  [[nodiscard]] double rounded(double x) const {
    const auto single = static_cast<float>(x);
    if (type_ == element::f32) return static_cast<double>(single);
    return static_cast<double>(float_from_half(half_from_float(single)));
  }
  [[nodiscard]] double stored(double real, const values& y) const {
    if (y.is_float) return rounded(real);
    return saturated(std::nearbyint(real / y.scale) + y.zero);
  }
  /// The tensor of this instruction: floats where x is, else integers.
  [[nodiscard]] values like(const values& x) const {
    if (!x.is_float) return quantized(at_);
    return {nodes_[at_].dims,
            std::vector<double>(static_cast<std::size_t>(size_of(nodes_[at_].dims))), true};
  }
  /// One of integers, with the scale that the program has for it.
  [[nodiscard]] values quantized(std::size_t at) const {
    const shape& dims = nodes_[at].dims;
    values y{dims, std::vector<double>(static_cast<std::size_t>(size_of(dims)))};
    bool is_known = false;
    for (const transform::quantized_result& r : made_->quantized) {
      if (r.instruction != at) continue;
      is_known = true;
      y.scale = r.scale;
      y.zero = r.zero_point;
    }
    REQUIRE(is_known);
    return y;
  }
  [[nodiscard]] values to_float(const values& x) const {
    if (x.is_float) return x;
    values y{x.dims, {}, true};
    for (std::size_t i = 0; i < x.data.size(); ++i) y.data.push_back(rounded(x.real(i)));
    return y;
  }
  /// As quantize rounds: the quotient is binary32.
  [[nodiscard]] values to_integers(const values& x, std::size_t at) const {
    if (!x.is_float) return x;
    values y = quantized(at);
    for (std::size_t i = 0; i < x.data.size(); ++i) {
      const float quotient = static_cast<float>(x.data[i]) / static_cast<float>(y.scale);
      y.data[i] = saturated(std::nearbyint(static_cast<double>(quotient)) + y.zero);
    }
    return y;
  }
  [[nodiscard]] values quantized_input() const {
    values x{nodes_[at_].dims, {}, true};
    for (const float e : *input_) x.data.push_back(rounded(static_cast<double>(e)));
    return to_integers(x, 0);
  }

  // ---- products

  /// A scale for each row of a weight, or one.
  [[nodiscard]] std::vector<double> scales_of(const values& x, const std::vector<float>& w,
                                              const std::vector<float>& b) const {
    bool by_tensor = false;
    for (const std::uint32_t i : made_->by_tensor) by_tensor = by_tensor || i == at_;
    std::vector<double> out(b.size());
    double all = 0;
    for (std::size_t n = 0; n < b.size(); ++n) {
      double largest = 0;
      for (std::size_t k = 0; k < w.size() / b.size(); ++k)
        largest =
            std::max(largest, std::abs(static_cast<double>(w[n * (w.size() / b.size()) + k])));
      const double least = std::abs(static_cast<double>(b[n])) / (x.scale * 0x1p30);
      out[n] = std::max(largest / 127, least);
      all = std::max(all, out[n]);
    }
    for (double& s : out) s = static_cast<double>(static_cast<float>(by_tensor ? all : s));
    return out;
  }
  /// sat(rint(sum * (sx * sw / sy)) + zero point)
  static double requantized(std::int32_t sum, double sx, double sw, const values& y) {
    return saturated(std::nearbyint(sum * (sx * sw / y.scale)) + y.zero);
  }
  static std::int32_t whole(double x, double scale) {
    return static_cast<std::int32_t>(std::nearbyint(x / scale));
  }

  [[nodiscard]] values product(std::size_t at, std::size_t w, std::size_t b) {
    const values x = to_integers(nodes_[at].now, at);
    const std::vector<float>&weights = nodes_[w].weights, &bias = nodes_[b].weights;
    const std::vector<double> scales = scales_of(x, weights, bias);
    const std::size_t columns = bias.size(), depth = weights.size() / columns;
    values y = quantized(at_);
    for (std::size_t i = 0; i < y.data.size(); ++i) {
      const std::size_t row = i / columns, n = i % columns;
      std::int32_t sum = whole(static_cast<double>(bias[n]), x.scale * scales[n]);
      for (std::size_t k = 0; k < depth; ++k)
        sum += (static_cast<std::int32_t>(x.data[row * depth + k]) - x.zero) *
               whole(static_cast<double>(weights[n * depth + k]), scales[n]);
      y.data[i] = requantized(sum, x.scale, scales[n], y);
    }
    return y;
  }
  [[nodiscard]] values convolution(std::size_t at, std::size_t w, std::size_t b,
                                   std::int64_t stride, std::int64_t pad) {
    const values x = to_integers(nodes_[at].now, at);
    const shape &in = x.dims, &k = nodes_[w].dims;
    const std::vector<float>&weights = nodes_[w].weights, &bias = nodes_[b].weights;
    const std::vector<double> scales = scales_of(x, weights, bias);
    values y = quantized(at_);
    const shape& out = y.dims;
    for (std::int64_t i = 0; i < size_of(out); ++i) {
      const std::int64_t column = i % out[3], row = i / out[3] % out[2],
                         o = i / (out[2] * out[3]) % out[1], n = i / (out[1] * out[2] * out[3]);
      const double scale = scales[static_cast<std::size_t>(o)];
      std::int32_t sum =
          whole(static_cast<double>(bias[static_cast<std::size_t>(o)]), x.scale * scale);
      for (std::int64_t t = 0; t < k[1] * k[2] * k[3]; ++t) {
        const std::int64_t c = t / (k[2] * k[3]), h = row * stride - pad + t / k[3] % k[2],
                           v = column * stride - pad + t % k[3];
        if (h < 0 || h >= in[2] || v < 0 || v >= in[3]) continue;
        const auto from = static_cast<std::size_t>(((n * in[1] + c) * in[2] + h) * in[3] + v);
        const auto by = static_cast<std::size_t>(o * k[1] * k[2] * k[3] + t);
        sum += (static_cast<std::int32_t>(x.data[from]) - x.zero) *
               whole(static_cast<double>(weights[by]), scale);
      }
      y.data[static_cast<std::size_t>(i)] = requantized(sum, x.scale, scale, y);
    }
    return y;
  }

  // ---- others

  [[nodiscard]] values pooled(std::size_t at) {
    const values& x = nodes_[at].now;
    values y = like(x);
    CHECK(x.scale == y.scale);
    CHECK(x.zero == y.zero);
    const std::int64_t h = x.dims[2], w = x.dims[3];
    for (std::int64_t i = 0; i < size_of(y.dims); ++i) {
      const std::int64_t plane = i / (h / 2 * (w / 2)), row = i / (w / 2) % (h / 2),
                         column = i % (w / 2);
      double most = -INFINITY;
      for (std::int64_t k = 0; k < 4; ++k)
        most = std::max(most, x.data[static_cast<std::size_t>((plane * h + 2 * row + k / 2) * w +
                                                              2 * column + k % 2)]);
      y.data[static_cast<std::size_t>(i)] = most;
    }
    return y;
  }
  [[nodiscard]] values averages(std::size_t at) {
    const values& x = nodes_[at].now;
    values y = like(x);
    const std::size_t n = x.data.size() / y.data.size();
    for (std::size_t i = 0; i < y.data.size(); ++i) {
      double total = 0;
      for (std::size_t k = 0; k < n; ++k) total += x.real(i * n + k);
      y.data[i] = stored(total / static_cast<double>(n), y);
    }
    return y;
  }
  /// In floats: a factor and a summand for each channel.
  [[nodiscard]] values normalized(std::size_t at, std::size_t w, std::size_t b, std::size_t mean,
                                  std::size_t variance) {
    values x = to_float(nodes_[at].now);
    const std::int64_t plane = x.dims[2] * x.dims[3];
    for (std::size_t i = 0; i < x.data.size(); ++i) {
      const auto c = static_cast<std::size_t>(static_cast<std::int64_t>(i) / plane % x.dims[1]);
      const auto of = [&](std::size_t k) { return static_cast<double>(nodes_[k].weights[c]); };
      const double factor = of(w) / std::sqrt(of(variance) + 0.001);
      const double summand = of(b) - factor * of(mean);
      x.data[i] = rounded(rounded(x.data[i] * rounded(factor)) + rounded(summand));
    }
    return x;
  }
  [[nodiscard]] values probabilities(std::size_t at) {
    values x = to_float(nodes_[at].now);
    const auto n = static_cast<std::size_t>(x.dims.back());
    for (std::size_t row = 0; row < x.data.size(); row += n) {
      double most = x.data[row], total = 0;
      for (std::size_t k = 0; k < n; ++k) most = std::max(most, x.data[row + k]);
      for (std::size_t k = 0; k < n; ++k) total += std::exp(x.data[row + k] - most);
      for (std::size_t k = 0; k < n; ++k)
        x.data[row + k] = rounded(std::exp(x.data[row + k] - most) / total);
    }
    return x;
  }

  std::vector<node> nodes_;
  std::string code_, tensors_;
  std::uint64_t random_ = 5;
  const transform::lowered* made_ = nullptr;
  const std::vector<float>* input_ = nullptr;
  element type_ = element::f32;
  std::size_t at_ = 0;
};

std::vector<std::byte> bytes_of(const std::vector<float>& x, element type) {
  std::vector<std::byte> out(x.size() * nem::bitwidth(type) / 8);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (type == element::f32)
      store_le(out.data() + 4 * i, std::bit_cast<std::uint32_t>(x[i]));
    else
      store_le(out.data() + 2 * i, half_from_float(x[i]));
  return out;
}

/// The numbers of the only output, for an input.
std::vector<double> outputs_of(const nem::program& p, const transform::lowered& made,
                               const std::vector<float>& input) {
  vm::nem::machine machine(p);
  const element in = made.inputs[0].type, out = made.outputs[0].type;
  const std::vector<std::byte> bytes = bytes_of(input, in);
  REQUIRE(machine.bind(*machine.find(made.inputs[0].buffer), bytes));
  REQUIRE(machine.bind(*machine.find("weights"), made.weights));
  report found;
  REQUIRE(machine.run(&found));
  CHECK(found.warnings == 0);
  const std::span<const std::byte> raw = machine.bytes(*machine.find(made.outputs[0].buffer));
  std::vector<double> numbers;
  for (std::size_t i = 0; i < raw.size(); i += nem::bitwidth(out) / 8)
    numbers.push_back(static_cast<double>(
        out == element::f32 ? std::bit_cast<float>(load_le<std::uint32_t>(raw.data() + i))
                            : float_from_half(load_le<std::uint16_t>(raw.data() + i))));
  return numbers;
}

/// Lowers a network to i8 and compares it with its evaluation, exactly. Returns the program.
std::string check_exact(small_network& net, std::size_t y, const device& on) {
  const container made_of{std::string_view(net.text(y))};
  transform::lower_options how;
  how.shapes = {net.input()};
  how.type = element::i8;
  report found;
  const auto made = transform::lower(made_of.program(), on.catalog(), *on, how, &found);
  INFO((found.diagnostics.empty() ? "" : found.text_of(found.diagnostics[0].text)));
  REQUIRE(made);
  const auto text = nem::write(made->model);
  REQUIRE(text);
  INFO(text->view());
  nem::model copy = made->model;
  report of_program;
  const auto program = nem::verify(std::move(copy), {}, &of_program);
  REQUIRE(program);
  CHECK(of_program.warnings == 0);
  CHECK(program->has_all_hazards());
  std::vector<float> input(static_cast<std::size_t>(size_of(net.input())));
  std::uint64_t random = 77;
  for (float& e : input)
    e = static_cast<float>(static_cast<double>(io::next_bits(random) % 2001) / 1000 - 1);
  CHECK(outputs_of(*program, *made, input) == net.evaluate(y, *made, input));
  const transform::agreement a = transform::compare(made_of.program(), *program, *made, how);
  CHECK(a.failure == "");
  REQUIRE(a.distances.size() == 1);
  CHECK(a.distances[0] < 0.1);
  return std::string(text->view());
}

/// On the devices with i8, and on one of them with memories that make many tiles.
void check_everywhere(const std::function<std::size_t(small_network&)>& build, const shape& input,
                      bool has_single = true) {
  const device devices[] = {device("small"), device("npm_lite"), device("small", 4096, 2048),
                            device("large")};
  for (const device& on : devices) {
    if (&on == &devices[3] && !has_single) continue;
    INFO(on.catalog().text_of((*on).name) << ", " << (*on).topology.l1_size << " bytes of L1");
    small_network net(input);
    const std::size_t y = build(net);
    (void)check_exact(net, y, on);
  }
}

}  // namespace

TEST_CASE("transform/lower i8: linear and relu", "[transform]") {
  check_everywhere([](small_network& n) { return n.relu(n.linear(0, 9)); }, {3, 17});
  check_everywhere(
      [](small_network& n) { return n.linear(n.relu(n.linear(n.relu(n.linear(0, 40)), 33)), 5); },
      {4, 24});
}

TEST_CASE("transform/lower i8: convolutions, batch norm, relu and pools", "[transform]") {
  check_everywhere([](small_network& n) { return n.relu(n.convolve(0, 5, 3, 1, 1)); },
                   {2, 3, 9, 7});
  check_everywhere(
      [](small_network& n) {
        // Floats from the norm to the next convolution.
        const std::size_t x = n.batch_norm(n.convolve(0, 6, 3, 1, 1));
        return n.convolve(n.max_pool(n.relu(x)), 3, 1, 1, 0);
      },
      {2, 3, 10, 8});
  check_everywhere(
      [](small_network& n) {
        const std::size_t x = n.max_pool(n.relu(n.convolve(0, 8, 3, 2, 1)));
        return n.linear(n.flatten(n.mean(n.relu(n.convolve(x, 12, 3, 1, 0)))), 7);
      },
      {1, 3, 20, 16});
}

TEST_CASE("transform/lower i8: residual sums", "[transform]") {
  check_everywhere(
      [](small_network& n) {
        const std::size_t x = n.relu(n.convolve(0, 6, 3, 1, 1));
        return n.relu(n.sum(x, n.convolve(n.relu(n.convolve(x, 6, 3, 1, 1)), 6, 1, 1, 0)));
      },
      {1, 4, 8, 9});
}

TEST_CASE("transform/lower i8: a softmax in floats", "[transform]") {
  check_everywhere(
      [](small_network& n) { return n.softmax(n.linear(n.relu(n.linear(0, 24)), 10)); }, {5, 12},
      false);
}

namespace {

/// The error of lowering to i8: the text, and its instruction.
std::pair<std::string, std::uint64_t> refusal_of(std::string_view code, const nem::catalog& catalog,
                                                 const nem::device& on,
                                                 const transform::lower_options& given) {
  const container net{code};
  transform::lower_options how = given;
  how.type = element::i8;
  report found;
  const auto made = transform::lower(net.program(), catalog, on, how, &found);
  REQUIRE_FALSE(made);
  REQUIRE(found.diagnostics.size() == 1);
  CHECK(found.diagnostics[0].where.offset == made.error().offset);
  return {std::string(found.text_of(found.diagnostics[0].text)), made.error().offset};
}

constexpr std::string_view matrix =
    "tensors:\n  \"w\" = f32 [2, 2] hex { 0000803f 00000040 0000803f 00000040 }\ncode:\n  x = "
    "input\n"
    "  w = parameter \"w\"\n";

}  // namespace

TEST_CASE("transform/lower i8: ranges that no scale fits", "[transform]") {
  const device small("small");
  transform::lower_options how;
  how.shapes = {{3, 2}};
  const auto check = [&](const std::string& code, const std::string& text, std::uint64_t at) {
    INFO(code);
    const auto [why, instruction] =
        refusal_of(std::string(matrix) + code, small.catalog(), *small, how);
    CHECK(why == text);
    CHECK(instruction == at);
  };
  check(
      "  a = aten.abs.default(x)\n  n = aten.neg.default(a)\n  r = aten.relu.default(n)\n"
      "  y = aten.linear.default(r, w)\n  output(y)\n",
      "v4 aten.relu.default on small: its results are 0 for all of the calibration's inputs", 4);
  check("  d = nac.div(x, 0.0)\n  y = aten.linear.default(d, w)\n  output(y)\n",
        "v3 aten.linear.default on small: its results are infinite or NaN for the calibration's "
        "inputs",
        3);
  how.calibration = {{{0, 0, 0, 0, 0, 0}}};
  check("  y = aten.relu.default(x)\n  output(y)\n",
        "v2 aten.relu.default on small: its results are 0 for all of the calibration's inputs", 2);
  how.calibration = {{{1, 2, 3, 4, 5, 6}}, {{1, 2, 3, 4, 5}}};
  check("  y = aten.relu.default(x)\n  output(y)\n",
        "v0 on small: run 1 of the calibration has 5 elements for input 0; expected 6", 0);
  how.calibration = {{}};
  check("  y = aten.relu.default(x)\n  output(y)\n",
        "v0 on small: run 0 of the calibration has 0 elements for input 0; expected 6", 0);
}

TEST_CASE("transform/lower i8: devices that lack a variant", "[transform]") {
  const device small("small");
  const nem::catalog& catalog = small.catalog();
  transform::lower_options how;
  how.shapes = {{3, 2}};
  const std::string code = std::string(matrix) + "  y = aten.linear.default(x, w)\n  output(y)\n";
  // No verified device lacks them: its variants are cut.
  nem::device cut = *small;
  cut.mandatory = 0;
  CHECK(refusal_of(code, catalog, cut, how).first ==
        "small has no i8: eltwise<i8>.default isn't one of its variants");
  const auto without_first = [&](std::string_view family, std::string_view variant) {
    for (std::uint32_t k = 0;; ++k) {
      REQUIRE(k < (*small).mandatory);
      const nem::instance& i =
          catalog.instances[catalog.device_instances[(*small).first_mandatory + k]];
      if (catalog.text_of(catalog.families[i.family].name) != family ||
          catalog.text_of(catalog.variants[i.variant].name) != variant)
        continue;
      cut = *small;
      cut.first_mandatory += k + 1;
      cut.mandatory -= k + 1;
      return;
    }
  };
  without_first("gemm.int8", "no_bias");
  const auto [why, at] = refusal_of(code, catalog, cut, how);
  CHECK(why == "v2 aten.linear.default on small: the device has no gemm.int8<i8>.no_bias");
  CHECK(at == 2);
}

TEST_CASE("transform/lower i8: ranges are those of the calibration's runs", "[transform]") {
  const device small("small");
  const container net{
      std::string_view("code:\n  x = input\n  y = aten.neg.default(x)\n  output(y)\n")};
  transform::lower_options how;
  how.shapes = {{4}};
  how.type = element::i8;
  how.calibration = {{{0.5f, 0, 0.25f, 1}}, {{-0.5f, 1.5f, 0, 2}}};
  const auto made = transform::lower(net.program(), small.catalog(), *small, how);
  REQUIRE(made);
  REQUIRE(made->quantized.size() == 2);
  CHECK(made->quantized[0].instruction == 0);
  CHECK(made->quantized[0].scale == static_cast<double>(2.5f / 255));
  CHECK(made->quantized[0].zero_point == -77);  // -128 + 0.5 / (2.5 / 255) = -77
  CHECK(made->quantized[1].instruction == 1);
  CHECK(made->quantized[1].scale == static_cast<double>(2.5f / 255));
  CHECK(made->quantized[1].zero_point == 76);
  CHECK(made->inputs[0].type == element::f16);
  CHECK(made->outputs[0].type == element::f16);
}

TEST_CASE("transform/lower i8: weights that L1 can't hold have one scale", "[transform]") {
  const auto build = [](small_network& n) { return n.linear(n.relu(n.linear(0, 192)), 160); };
  for (const std::int64_t l1 : {1 << 16, 12288}) {
    INFO(l1 << " bytes of L1");
    small_network net({2, 160});
    const std::size_t y = build(net);
    const std::string text = check_exact(net, y, device("small", l1, 0));
    CHECK((text.find("per_channel(") != text.npos) == (l1 == 1 << 16));
  }
}

TEST_CASE("transform/lower i8: products of floats have one order of sums", "[transform]") {
  transform_tests::program_text text(3);
  const std::string x = text.add("input");
  const std::string q = text.add("aten.linear.default(" + x + ", " + text.weight({48, 48}) + ")");
  const std::string y =
      text.add("aten.scaled_dot_product_attention.default(" + q + ", " + q + ", " + q + ")");
  const container net{std::string_view(text.with_output(y))};
  // With as few rows in a tile as L1 has room for, kernels would have others.
  for (const std::int64_t l1 : {1 << 20, 40960, 28672}) {
    INFO(l1 << " bytes of L1");
    CHECK(transform_tests::lowers(net.program(), device("large", l1, 0), {{1, 33, 48}},
                                  element::i8) == "");
  }
}
