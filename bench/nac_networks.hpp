// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Two networks as NAC programs, with random weights: a residual CNN of 18 layers and the encoder of a
// transformer, in the operations that torch.export gives for them; and single layers.
//
//   bench::network net(bench::residual{.size = 32, .classes = 10, .widths = {8, 16, 32, 64}});
//   vm::nac::machine vm(net.program());               // the file has a schedule
//   net.set_inputs(vm);
//   vm.run();
//   const bench::recorded expected(path, "residual_narrow");      // what PyTorch gives
//   double off = expected.difference(vm.outputs()[0].as_tensor());
//
// tests/data/nac/networks.py makes the same networks. Weights are whole numbers times powers of two,
// so that both have the same bits; the number of a tensor, in the order of the program, is the seed
// of its own random numbers.

#ifndef TESSERA_BENCH_NAC_NETWORKS_HPP
#define TESSERA_BENCH_NAC_NETWORKS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tessera/core/bytes.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/nac/all.hpp"
#include "tests/vm/nac/part_builder.hpp"
#include "vm/nac/interpreter.hpp"
#include "vm/nac/schedule.hpp"

namespace bench {

/// A picture of size x size in three colours, to classes; channels by stage.
struct residual {
  std::int32_t size = 224, classes = 1000;
  std::int32_t widths[4] = {64, 128, 256, 512};
};
/// `sequence` words, the last quarter of them masked, to as many rows of `width`.
struct encoder {
  std::int32_t layers = 6, width = 256, heads = 4, sequence = 128, feed_forward = 1024;
  std::int32_t vocabulary = 1000;
  bool has_words = true;  ///< else its input are rows of `width`, and nothing is masked
};
/// A convolution of 3 x 3 that keeps a picture's size; in and out, channels are its last dimension.
struct convolution_layer {
  std::int32_t size = 56, channels = 64;
};
/// A matrix of size x size times weights of the same size.
struct product_layer {
  std::int32_t size = 256;
};

/// A product of matrices that a part of a network comes down to, m x k by k x n.
struct product {
  std::size_t m = 0, k = 0, n = 0;
  bool transposed = false;    ///< the second one is there as n x k
  std::size_t how_often = 1;  ///< on matrices of their own
};

/// Splitmix64 from a seed for each tensor; its 11 upper bits are what is used.
class random_tensors {
 public:
  /// As weights for `inputs` terms that keep their variance times `gain` (for `inputs` = 1, values of
  /// that variance).
  [[nodiscard]] std::vector<float> weights(std::size_t count, std::uint32_t inputs,
                                           std::uint32_t gain = 1) {
    const std::uint32_t wanted = (3u << 24) * gain / inputs;
    std::uint32_t scale = 0;  // the whole part of the root
    while ((scale + 1) * (scale + 1) <= wanted) ++scale;
    return make<float>(count, [&](std::int32_t v) {
      return static_cast<float>(v * static_cast<std::int32_t>(scale)) * 0x1p-22f;
    });
  }
  /// Between centre - spread and centre + spread.
  [[nodiscard]] std::vector<float> around(std::size_t count, float centre, float spread) {
    return make<float>(
        count, [&](std::int32_t v) { return centre + static_cast<float>(v) * 0x1p-10f * spread; });
  }
  /// Below `end`.
  [[nodiscard]] std::vector<std::int64_t> integers(std::size_t count, std::int32_t end) {
    return make<std::int64_t>(count,
                              [&](std::int32_t v) { return std::int64_t{v + 1024} * end / 2048; });
  }

 private:
  template <class T, class F>
  [[nodiscard]] std::vector<T> make(std::size_t count, F&& of) {
    std::vector<T> out(count);
    std::uint64_t state = ++tensors_ << 40;
    for (T& v : out) {
      std::uint64_t z = state += 0x9e3779b97f4a7c15;
      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
      z = (z ^ z >> 27) * 0x94d049bb133111eb;
      v = of(static_cast<std::int32_t>((z ^ z >> 31) >> 53) - 1024);
    }
    return out;
  }

  std::uint64_t tensors_ = 0;
};

/// A verified program with its schedule, and what goes in.
class network {
 public:
  explicit network(const residual& of) { build(of); }
  explicit network(const encoder& of) { build(of); }
  explicit network(const convolution_layer& of) { build(of); }
  explicit network(const product_layer& of) { build(of); }

  [[nodiscard]] const tessera::nac::program& program() const noexcept { return *program_; }
  template <class Machine>
  void set_inputs(Machine& m) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      m.set_input(i, tessera::vm::nac::load(
                         m.arena(), inputs_[i].type, inputs_[i].dims,
                         tessera::bytes(inputs_[i].bytes.data(), inputs_[i].bytes.size())));
  }
  /// Of each input.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> shapes() const {
    std::vector<std::vector<std::int64_t>> out;
    for (const input& in : inputs_) out.emplace_back(in.dims.begin(), in.dims.end());
    return out;
  }
  /// Convolutions, linear layers and attention.
  [[nodiscard]] const std::vector<product>& products() const noexcept { return products_; }
  /// Of those: an addition and a multiplication for each term.
  [[nodiscard]] double operations() const noexcept {
    double n = 0;
    for (const product& p : products_)
      n += 2 * static_cast<double>(p.m * p.k) * static_cast<double>(p.n * p.how_often);
    return n;
  }
  /// "2 aten.linear.default(T, T, T)": the operations with their constants and how often each is
  /// there, sorted.
  [[nodiscard]] std::vector<std::string> operation_lines() const {
    std::map<std::string, int> counts;
    for (const tessera::nac::instruction_part& i : code_.parts.instructions)
      if (i.a >= tessera::nac::first_regular_op) ++counts[line(i)];
    std::vector<std::string> out;
    for (const auto& [text, count] : counts) out.push_back(std::to_string(count) + " " + text);
    return out;
  }

 private:
  using operand = vm_nac_tests::operand;
  struct input {
    tessera::nac::data_type type;
    tessera::vm::nac::shape dims;
    std::vector<std::byte> bytes;
  };

  // ---- the residual network

  [[nodiscard]] operand convolve(operand x, std::int32_t in, std::int32_t out, std::int32_t kernel,
                                 std::int32_t stride, std::int32_t& size) {
    const std::int32_t terms = in * kernel * kernel, pad = kernel / 2;
    size = (size + 2 * pad - kernel) / stride + 1;
    products_.push_back({count(out), count(terms), count(size) * count(size)});
    const operand w = code_.parameter({whole(out), whole(in), whole(kernel), whole(kernel)},
                                      random_.weights(count(out) * count(terms), whole(terms), 2));
    std::vector<operand> arguments = {x, w, code_.null(), code_.int_list({stride, stride})};
    if (pad != 0) arguments.push_back(code_.int_list({pad, pad}));
    return code_.op("aten.conv2d.default", arguments);
  }
  [[nodiscard]] operand normalise(operand x, std::int32_t channels, float centre) {
    const std::vector<std::uint32_t> dims = {whole(channels)};
    const std::size_t n = count(channels);
    const operand scale = code_.parameter(dims, random_.around(n, centre, 0.25f));
    const operand shift = code_.parameter(dims, random_.around(n, 0.0f, 0.125f));
    const operand mean = code_.parameter(dims, random_.around(n, 0.0f, 0.125f));
    const operand variance = code_.parameter(dims, random_.around(n, 1.0f, 0.25f));
    const operand all =
        code_.op("aten._native_batch_norm_legit_no_training.default",
                 {x, scale, shift, mean, variance, code_.real(0.1), code_.real(1e-5)});
    return code_.op("getitem", {all, code_.whole(0)});
  }
  [[nodiscard]] operand relu(operand x) { return code_.op("aten.relu.default", {x}); }
  [[nodiscard]] operand residual_block(operand x, std::int32_t in, std::int32_t out,
                                       std::int32_t stride, std::int32_t& size) {
    std::int32_t before = size;
    operand y = relu(normalise(convolve(x, in, out, 3, stride, size), out, 1.0f));
    // What is added to x is smaller, so that values stay as they are in size.
    y = normalise(convolve(y, out, out, 3, 1, size), out, 0.5f);
    if (stride != 1) x = normalise(convolve(x, in, out, 1, stride, before), out, 0.75f);
    return relu(code_.op("aten.add.Tensor", {y, x}));
  }
  void build(const residual& of) {
    using tessera::nac::data_type;
    std::int32_t size = of.size, channels = of.widths[0];
    operand x = code_.input();
    inputs_.push_back({data_type::float32,
                       {1, 3, size, size},
                       bytes_of(random_.weights(3 * count(size) * count(size), 1))});
    x = relu(normalise(convolve(x, 3, channels, 7, 2, size), channels, 1.0f));
    x = code_.op("aten.max_pool2d.default",
                 {x, code_.int_list({3, 3}), code_.int_list({2, 2}), code_.int_list({1, 1})});
    size = (size - 1) / 2 + 1;
    for (std::int32_t stage = 0; stage < 4; ++stage)
      for (std::int32_t block = 0; block < 2; ++block) {
        const std::int32_t width = of.widths[stage];
        x = residual_block(x, channels, width, stage != 0 && block == 0 ? 2 : 1, size);
        channels = width;
      }
    x = code_.op("aten.adaptive_avg_pool2d.default", {x, code_.int_list({1, 1})});
    x = code_.op("aten.view.default", {x, code_.int_list({1, channels})});
    code_.output({linear(x, 1, channels, of.classes)});
    finish();
  }

  // ---- the encoder

  [[nodiscard]] operand linear(operand x, std::int32_t rows, std::int32_t in, std::int32_t out) {
    products_.push_back({count(rows), count(in), count(out), true});
    const operand w = code_.parameter({whole(out), whole(in)},
                                      random_.weights(count(out) * count(in), whole(in)));
    const operand bias = code_.parameter({whole(out)}, random_.around(count(out), 0.0f, 0.125f));
    return code_.op("aten.linear.default", {x, w, bias});
  }
  [[nodiscard]] operand normalise_rows(operand x, std::int32_t width) {
    const operand scale =
        code_.parameter({whole(width)}, random_.around(count(width), 1.0f, 0.25f));
    const operand shift =
        code_.parameter({whole(width)}, random_.around(count(width), 0.0f, 0.125f));
    return code_.op("aten.layer_norm.default", {x, code_.int_list({width}), scale, shift,
                                                code_.real(1e-5), code_.truth(false)});
  }
  [[nodiscard]] operand encode(operand x, operand mask, const encoder& of) {
    const std::int32_t n = of.sequence, width = of.width, depth = width / of.heads;
    operand parts[3];
    for (operand& part : parts) part = linear(x, n, width, width);
    for (operand& part : parts) {
      part = code_.op("aten.view.default", {part, code_.int_list({1, n, of.heads, depth})});
      part = code_.op("aten.transpose.int", {part, code_.whole(1), code_.whole(2)});
    }
    const std::size_t heads = count(of.heads);
    products_.push_back({count(n), count(depth), count(n), true, heads});
    products_.push_back({count(n), count(n), count(depth), false, heads});
    operand y =
        code_.op("aten.scaled_dot_product_attention.default", {parts[0], parts[1], parts[2], mask});
    y = code_.op("aten.transpose.int", {y, code_.whole(1), code_.whole(2)});
    y = code_.op("aten.view.default", {y, code_.int_list({1, n, width})});
    y = linear(y, n, width, width);
    x = normalise_rows(code_.op("aten.add.Tensor", {x, y}), width);
    y = code_.op("aten.gelu.default", {linear(x, n, width, of.feed_forward)});
    y = linear(y, n, of.feed_forward, width);
    return normalise_rows(code_.op("aten.add.Tensor", {x, y}), width);
  }
  /// The encoder's words and their mask, and the rows of the words.
  [[nodiscard]] std::pair<operand, operand> embed(const encoder& of) {
    using tessera::nac::data_type;
    const operand ids = code_.input(), mask = code_.input();
    const std::size_t n = count(of.sequence), width = count(of.width);
    inputs_.push_back(
        {data_type::int64, {1, of.sequence}, bytes_of(random_.integers(n, of.vocabulary))});
    std::vector<std::byte> seen(n, std::byte{1});
    std::fill(seen.end() - static_cast<std::ptrdiff_t>(n / 4), seen.end(), std::byte{0});
    inputs_.push_back({data_type::boolean, {1, 1, 1, of.sequence}, std::move(seen)});
    const operand words = code_.parameter({whole(of.vocabulary), whole(of.width)},
                                          random_.weights(count(of.vocabulary) * width, 1));
    const operand x = code_.op("aten.embedding.default", {words, ids});
    const operand positions =
        code_.parameter({whole(of.sequence), whole(of.width)}, random_.weights(n * width, 1));
    return {code_.op("aten.add.Tensor", {x, positions}), mask};
  }
  void build(const encoder& of) {
    operand x, mask;
    if (of.has_words) {
      std::tie(x, mask) = embed(of);
    } else {
      x = input_of({1, of.sequence, of.width});
      mask = code_.null();
    }
    for (std::int32_t layer = 0; layer < of.layers; ++layer) x = encode(x, mask, of);
    code_.output({x});
    finish();
  }

  // ---- single layers

  [[nodiscard]] operand input_of(const std::vector<std::int64_t>& dims) {
    std::size_t n = 1;
    for (const std::int64_t d : dims) n *= static_cast<std::size_t>(d);
    inputs_.push_back({tessera::nac::data_type::float32,
                       tessera::vm::nac::shape(std::span<const std::int64_t>(dims)),
                       bytes_of(random_.weights(n, 1))});
    return code_.input();
  }
  void build(const convolution_layer& of) {
    const operand x =
        code_.op("aten.permute.default",
                 {input_of({1, of.size, of.size, of.channels}), code_.int_list({0, 3, 1, 2})});
    std::int32_t size = of.size;
    const operand y = convolve(x, of.channels, of.channels, 3, 1, size);
    code_.output({code_.op("aten.permute.default", {y, code_.int_list({0, 2, 3, 1})})});
    finish();
  }
  void build(const product_layer& of) {
    const operand x = input_of({of.size, of.size});
    const operand w =
        code_.parameter({whole(of.size), whole(of.size)},
                        random_.weights(count(of.size) * count(of.size), whole(of.size)));
    products_.push_back({count(of.size), count(of.size), count(of.size)});
    code_.output({code_.op("aten.matmul.default", {x, w})});
    finish();
  }

  // ---- files

  [[nodiscard]] static std::size_t count(std::int32_t n) noexcept {
    return static_cast<std::size_t>(n);
  }
  [[nodiscard]] static std::uint32_t whole(std::int32_t n) noexcept {
    return static_cast<std::uint32_t>(n);
  }
  [[nodiscard]] static std::vector<std::byte> bytes_of(const std::vector<float>& values) {
    std::vector<std::byte> out(values.size() * 4);
    for (std::size_t i = 0; i < values.size(); ++i)
      tessera::store_le(out.data() + i * 4, std::bit_cast<std::uint32_t>(values[i]));
    return out;
  }
  [[nodiscard]] static std::vector<std::byte> bytes_of(const std::vector<std::int64_t>& values) {
    std::vector<std::byte> out(values.size() * 8);
    for (std::size_t i = 0; i < values.size(); ++i)
      tessera::store_le(out.data() + i * 8, static_cast<std::uint64_t>(values[i]));
    return out;
  }
  [[noreturn]] static void refuse(const tessera::error& e) {
    throw std::runtime_error("the network: " + std::string(e.message()));
  }
  void verify() {
    auto written = code_.bytes();
    if (!written) refuse(written.error());
    bytes_ = *std::move(written);
    const auto file = tessera::nac::read(tessera::bytes(bytes_.data(), bytes_.size()));
    if (!file) refuse(file.error());
    auto verified = tessera::nac::verify(*file);
    if (!verified) refuse(verified.error());
    program_ = std::make_unique<tessera::nac::program>(*std::move(verified));
  }
  void finish() {
    verify();
    const tessera::error e = tessera::vm::nac::schedule(*program_, code_.parts);
    if (e.code != tessera::errc::ok) refuse(e);
    verify();
    code_.parts.own_bytes.clear();  // which the file has now
    for (tessera::nac::tensor_part& t : code_.parts.tensors) t.data = {};
  }

  [[nodiscard]] std::string text(const tessera::nac::constant_part& c) const {
    using tessera::nac::constant_type;
    if (c.type == constant_type::null) return "None";
    if (c.type == constant_type::boolean) return c.bits != 0 ? "True" : "False";
    if (c.type == constant_type::int64) return std::to_string(c.int64());
    if (c.type == constant_type::float64) {
      char out[32];
      std::snprintf(out, sizeof out, "%g", c.float64());
      return out;
    }
    std::string out;
    for (const std::uint32_t bits : code_.parts.numbers_of(c.values))
      out += (out.empty() ? "[" : ", ") + std::to_string(static_cast<std::int32_t>(bits));
    return out + "]";
  }
  [[nodiscard]] std::string line(const tessera::nac::instruction_part& i) const {
    const tessera::nac::parts& p = code_.parts;
    const auto named = [&](const auto& rows, std::uint8_t id) {
      for (const tessera::nac::named_part& row : rows)
        if (row.id == id) return std::string(p.string(row.text));
      return std::string(tessera::nac::predefined_operation(id, 2));
    };
    std::string out = named(p.operations, i.a);
    std::size_t constant = 0;
    const char* between = "(";
    for (const char letter : named(p.signatures, i.b)) {
      out += between;
      between = ", ";
      out += letter == 'T' ? "T" : text(p.constants[p.words_of(i.c)[constant++]]);
    }
    return out + ")";
  }

  vm_nac_tests::part_builder code_;
  random_tensors random_;
  std::vector<input> inputs_;
  std::vector<product> products_;
  tessera::pool<std::byte> bytes_;
  std::unique_ptr<tessera::nac::program> program_;
};

/// What networks.txt has of a network.
struct recorded {
  std::vector<std::int64_t> dims;
  std::vector<std::string> operations;  ///< as operation_lines()
  double own_difference = 0;            ///< of what PyTorch computes in float32
  std::size_t step = 1;                 ///< every so many elements are there
  std::vector<double> values;           ///< computed in float64

  recorded(const std::string& path, const std::string& name) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("no " + path);
    bool wanted = false;
    for (std::string text; std::getline(in, text);) {
      std::istringstream line(text);
      std::string key;
      line >> key >> std::ws;
      if (key == "network") {
        std::string which;
        line >> which;
        wanted = which == name;
      } else if (!wanted) {
        continue;
      } else if (key == "operation") {
        operations.push_back(text.substr(static_cast<std::size_t>(line.tellg())));
      } else if (key == "dims") {
        for (std::int64_t dim; line >> dim;) dims.push_back(dim);
      } else if (key == "difference") {
        line >> own_difference;
      } else if (key == "step") {
        line >> step;
      } else if (key == "values") {
        for (double v; line >> v;) values.push_back(v);
      }
    }
    if (values.empty()) throw std::runtime_error("no " + name + " in " + path);
  }
  /// The largest one, relative to the largest value; infinite where the shape or the type is
  /// another, or an element isn't a number.
  [[nodiscard]] double difference(const tessera::vm::nac::tensor& t) const {
    const tessera::vm::nac::shape expected{std::span<const std::int64_t>(dims)};
    if (!(t.dims == expected) || t.type != tessera::nac::data_type::float32 ||
        (t.size() - 1) / step + 1 != values.size())
      return HUGE_VAL;
    double most = 0, largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double off = std::fabs(static_cast<double>(t.as<float>()[i * step]) - values[i]);
      if (std::isnan(off)) return HUGE_VAL;
      most = std::max(most, off);
      largest = std::max(largest, std::fabs(values[i]));
    }
    return most / largest;
  }
};

}  // namespace bench

#endif  // TESSERA_BENCH_NAC_NETWORKS_HPP
