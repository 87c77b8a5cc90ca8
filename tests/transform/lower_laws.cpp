// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Lowering: random small programs over all operations that are mapped, on each device for the types that it
// has, compared with NAC's machine.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "lowered.hpp"
#include "tessera/vm/nac.hpp"
#include "transform/lower/map.hpp"

using namespace tessera;
using nac::operation;
using nem::element;
using transform_tests::container;
using transform_tests::device;
using transform_tests::lowers;
using transform_tests::program_text;

namespace {

/// Calls, the last of which has the operation. $ is what they are of, # another tensor of its shape, ! the
/// call before, %0 a dimension; W(2,3) is a weight, P(2,3) one of positive numbers.
struct row {
  operation what;
  std::size_t rank;  ///< of $; 0 for any
  const char* calls;
};

constexpr row rows[] = {
    {operation::relu, 0, "aten.relu.default($)"},
    {operation::sigmoid, 0, "aten.sigmoid.default($)"},
    {operation::tanh, 0, "aten.tanh.default($)"},
    {operation::exp, 0, "aten.clamp.default($, -3, 2); aten.exp.default(!)"},
    {operation::log, 0, "aten.abs.default($); nac.add(!, 0.5); aten.log.default(!)"},
    {operation::sqrt, 0, "aten.abs.default($); nac.add(!, 0.25); aten.sqrt.default(!)"},
    {operation::abs, 0, "aten.abs.default($)"},
    {operation::neg, 0, "aten.neg.default($)"},
    {operation::silu, 0, "aten.silu.default($)"},
    {operation::mul, 0, "nac.mul($, 0.75)"},
    {operation::mul, 0, "nac.mul($, #)"},
    {operation::mul, 4, "nac.mul($, W(%1,1,1))"},
    {operation::div, 0, "nac.div($, 3)"},
    {operation::div, 4, "nac.div($, P(%1,1,%3))"},
    {operation::minimum, 0, "aten.minimum.default($, #)"},
    {operation::maximum, 3, "aten.maximum.default($, W(%1,%2))"},
    {operation::add, 0, "nac.add($, #)"},
    {operation::add, 3, "nac.add($, W(%0,1,%2), 0.5)"},
    {operation::sub, 0, "nac.sub($, #, 2)"},
    {operation::sub, 2, "nac.sub($, W(%1))"},
    {operation::rsub, 0, "aten.rsub.Scalar($, 1.5, 2)"},
    {operation::pow, 0, "aten.pow.Tensor_Scalar($, 2)"},
    {operation::pow, 0, "aten.clamp.default($, -2, 2); aten.pow.Tensor_Scalar(!, 3)"},
    {operation::pow, 0, "aten.abs.default($); nac.add(!, 0.5); aten.pow.Tensor_Scalar(!, 1.5)"},
    {operation::square, 0, "aten.square.default($)"},
    {operation::reciprocal, 0, "aten.abs.default($); nac.add(!, 0.5); aten.reciprocal.default(!)"},
    {operation::rsqrt, 0, "aten.square.default($); nac.add(!, 0.5); aten.rsqrt.default(!)"},
    {operation::addcmul, 0, "aten.addcmul.default($, $, #, 0.5)"},
    {operation::addcdiv, 2, "aten.addcdiv.default($, $, P(%1), 0.5)"},
    {operation::clamp, 0, "aten.clamp.default($, -0.5, 0.5)"},
    {operation::clamp, 0, "aten.clamp.default($, null, 0.5)"},
    {operation::clamp_max, 0, "aten.clamp_max.default($, 0.5)"},
    {operation::hardtanh, 0, "aten.hardtanh.default($, -0.5, 0.25)"},
    {operation::relu6, 0, "aten.relu6.default($)"},
    {operation::hardsigmoid, 0, "aten.hardsigmoid.default($)"},
    {operation::hardswish, 0, "aten.hardswish.default($)"},
    {operation::leaky_relu, 0, "aten.leaky_relu.default($, 0.1)"},
    {operation::gelu, 0, "aten.gelu.default($)"},
    {operation::gelu, 0, "aten.gelu.default($, \"tanh\")"},
    {operation::elu, 0, "aten.elu.default($, 1.5)"},
    {operation::celu, 0, "aten.celu.default($, 0.5)"},
    {operation::selu, 0, "aten.selu.default($)"},
    {operation::softplus, 0, "aten.softplus.default($)"},
    {operation::mish, 0, "aten.mish.default($)"},
    {operation::log_sigmoid, 0, "aten.log_sigmoid.default($)"},
    {operation::masked_fill, 2, "nac.gt(W(%0,%1), 0); aten.masked_fill.Scalar($, !, 0.5)"},
    {operation::softmax, 0, "aten.softmax.int($, -1)"},
    {operation::softmax, 4, "aten.softmax.int($, 1)"},
    {operation::log_softmax, 3, "aten.log_softmax.int($, 1)"},
    {operation::layer_norm, 4, "aten.layer_norm.default($, [%2, %3], W(%2,%3), W(%2,%3), 0.1)"},
    {operation::layer_norm, 3, "aten.layer_norm.default($, [%2], W(%2), null, 0.1)"},
    {operation::layer_norm, 2, "aten.layer_norm.default($, [%1], null, null, 0.1)"},
    {operation::native_layer_norm, 3,
     "aten.native_layer_norm.default($, [%2], W(%2), W(%2), 0.1); getitem(!, 0)"},
    {operation::rms_norm, 3, "aten.rms_norm.default($, [%2], W(%2), 0.1)"},
    {operation::group_norm, 4, "aten.group_norm.default($, %1, W(%1), W(%1), 0.1)"},
    {operation::group_norm, 3, "aten.group_norm.default($, 1, null, null, 0.1)"},
    {operation::batch_norm, 4,
     "aten._native_batch_norm_legit_no_training.default($, W(%1), W(%1), W(%1), P(%1), 0.1, "
     "0.001); getitem(!, 0)"},
    {operation::batch_norm_by_mode, 4,
     "aten.batch_norm.default($, W(%1), W(%1), W(%1), P(%1), false, 0.1, 0.001, true)"},
    {operation::attention, 4, "aten.scaled_dot_product_attention.default($, #, $)"},
    {operation::attention, 3,
     "aten.scaled_dot_product_attention.default($, $, #, null, 0.0, true)"},
    {operation::attention, 3,
     "aten.scaled_dot_product_attention.default($, $, $, W(%1,%1), 0.0, false, 0.5)"},
    {operation::linear, 0, "nac.view($, [%0, -1]); aten.linear.default(!, W(9,%), W(9))"},
    {operation::linear, 3, "aten.linear.default($, W(17,%2), W(17))"},
    {operation::linear, 4, "aten.linear.default($, W(5,%3))"},
    {operation::addmm, 2, "aten.addmm.default(W(6), $, W(%1,6))"},
    {operation::matmul, 3, "nac.matmul($, W(%2,5))"},
    {operation::matmul, 4, "nac.transpose($, 2, 3); nac.matmul($, !)"},
    {operation::matmul, 2, "nac.transpose(#, 0, 1); nac.matmul($, !)"},
    {operation::conv1d, 3, "aten.conv1d.default($, W(4,%1,3), W(4), [2], [1])"},
    {operation::conv2d, 4, "aten.conv2d.default($, W(6,%1,3,3), W(6), [1, 1], [1, 1])"},
    {operation::conv2d, 4, "aten.conv2d.default($, W(5,%1,3,2), null, [2, 1], [1, 0], [2, 1])"},
    {operation::conv2d, 4,
     "aten.conv2d.default($, W(%1,1,3,3), W(%1), [1, 1], [1, 1], [1, 1], %1)"},
    {operation::conv2d, 4, "aten.conv2d.default($, W(20,%1,1,1), W(20))"},
    {operation::convolution, 4,
     "aten.convolution.default($, W(3,%1,2,2), W(3), [1, 2], [0, 1], [1, 1], false, [0, 0], 1)"},
    {operation::max_pool2d, 4, "aten.max_pool2d.default($, [3, 2], [2, 2], [1, 1])"},
    {operation::max_pool2d_with_indices, 4,
     "aten.max_pool2d_with_indices.default($, [2, 2], [1, 2]); getitem(!, 0)"},
    {operation::avg_pool2d, 4, "aten.avg_pool2d.default($, [2, 3], [1, 2])"},
    {operation::adaptive_avg_pool2d, 4, "aten.adaptive_avg_pool2d.default($, [%2, 1])"},
    {operation::mean, 4, "aten.mean.dim($, [2, 3], true)"},
    {operation::mean, 4, "aten.mean.dim($, [1])"},
    {operation::mean, 3, "aten.mean.dim($, [-1], true)"},
    {operation::cat, 4, "aten.cat.default($, #, W(%0,%1,1,%3), 2)"},
    {operation::cat, 0, "aten.cat.default($, #, 0)"},
    {operation::stack, 2, "aten.stack.default($, #, 1)"},
    {operation::stack, 3, "aten.stack.default(#, $, 3)"},
    {operation::dropout, 0, "aten.dropout.default($, 0.5, false)"},
    {operation::pass, 0, "nac.pass($)"},
    {operation::clone, 0, "nac.clone($)"},
    {operation::view, 4, "nac.view($, [%0, -1, %3])"},
    {operation::view, 3, "nac.view($, [-1, %2])"},
    {operation::transpose, 0, "nac.transpose($, 0, -1)"},
    {operation::permute, 4, "aten.permute.default($, [0, 2, 3, 1])"},
    {operation::permute, 3, "aten.permute.default($, [2, 0, 1])"},
    {operation::expand, 2, "nac.view($, [%0, 1, %1]); aten.expand.default(!, [%0, 3, %1])"},
    {operation::expand_as, 3, "aten.slice.Tensor($, 1, 0, 1); aten.expand_as.default(!, $)"},
    {operation::reshape_as, 2, "nac.transpose($, 0, 1); aten.reshape_as.default(!, $)"},
    {operation::select, 4, "aten.select.int($, 1, -1)"},
    {operation::select, 3, "aten.select.int($, 1, 0)"},
    {operation::slice, 4, "aten.slice.Tensor($, 2, 1, 8, 2)"},
    {operation::slice, 0, "aten.slice.Tensor($, -1, 1, 100)"},
    {operation::narrow, 0, "aten.narrow.default($, 1, 0, 2)"},
    {operation::unsqueeze, 3, "aten.unsqueeze.default($, 1)"},
    {operation::unsqueeze, 2, "aten.unsqueeze.default($, 0)"},
    {operation::squeeze, 4, "aten.mean.dim($, [3], true); aten.squeeze.dim(!, 3)"},
    {operation::flatten, 4, "aten.flatten.using_ints($, 1)"},
    {operation::unflatten, 2, "aten.unflatten.int($, 0, [1, %0])"},
    {operation::split, 4, "aten.split.Tensor($, 2, 1); getitem(!, 1)"},
    {operation::split_with_sizes, 0,
     "aten.cat.default($, #, 0); aten.split_with_sizes.default(!, [%0, %0], 0); getitem(!, 1)"},
    {operation::chunk, 0, "aten.chunk.default($, 2, -1); getitem(!, 0)"},
    {operation::unbind, 3, "aten.unbind.int($, 1); getitem(!, 1)"},
    {operation::movedim, 4, "aten.movedim.int($, 1, 3)"},
    {operation::repeat, 2, "aten.repeat.default($, [2, 1])"},
    {operation::tile, 3, "aten.tile.default($, [1, 1, 2])"},
    {operation::roll, 2, "aten.roll.default($, [1], [0])"},
    {operation::transpose_matrices, 3, "aten.mT.default($)"},
};

using dimensions = std::vector<std::int64_t>;

/// The shape of a program's output; none where it can't run.
std::optional<dimensions> shape_of_output(const std::string& code, const dimensions& input) {
  const container net{std::string_view(code)};
  vm::nac::machine machine(net.program());
  std::int64_t n = 1;
  for (const std::int64_t d : input) n *= d;
  const std::vector<float> x(static_cast<std::size_t>(n), 0.5f);
  if (!machine.set_input(0, {input, std::span(x)}) || !machine.run()) return std::nullopt;
  const vm::array_view y = machine.output(0);
  return dimensions(y.shape.begin(), y.shape.end());
}

/// Rows applied to results before them.
class random_program {
 public:
  explicit random_program(std::uint64_t seed) : text_(seed) {
    const dimensions shapes[] = {{2, 4, 9, 7}, {2, 5, 8}, {6, 12}, {1, 6, 4, 4}};
    input_ = shapes[seed % 4];
    all_.push_back({text_.add("input"), input_});
  }

  /// Whether a row fits what there is; false leaves the program as it was.
  bool add(const row& r) {
    const value of =
        r.rank == 0 || text_.below(3) == 0 ? all_[text_.below(all_.size())] : all_.back();
    if (r.rank != 0 && of.shape.size() != r.rank) return false;
    const program_text before = text_;
    const std::string y = write(r.calls, of);
    const std::optional<dimensions> shape = shape_of_output(text_.with_output(y), input_);
    std::int64_t elements = shape ? 1 : 0;
    if (shape)
      for (const std::int64_t d : *shape) elements *= d;
    if (elements == 0 || elements > 3000) {
      text_ = before;
      return false;
    }
    all_.push_back({y, *shape});
    return true;
  }
  /// Rows of any operation.
  void add_some(std::size_t count) {
    for (std::size_t k = 0; k < 20 * count && all_.size() <= count; ++k)
      (void)add(rows[text_.below(std::size(rows))]);
  }
  [[nodiscard]] std::size_t size() const { return all_.size() - 1; }
  [[nodiscard]] const dimensions& input() const { return input_; }
  [[nodiscard]] std::string code() const { return text_.with_output(all_.back().name); }

 private:
  struct value {
    std::string name;
    dimensions shape;
  };

  [[nodiscard]] std::string other_of(const value& of) {
    std::vector<std::string> out;
    for (const value& v : all_)
      if (v.shape == of.shape) out.push_back(v.name);
    return out[text_.below(out.size())];
  }
  /// %1 as a number; % the number of elements but for the first dimension.
  static std::string with_dimensions(const char* calls, const dimensions& shape) {
    std::string out;
    for (const char* c = calls; *c != 0; ++c) {
      if (*c != '%') {
        out += *c;
      } else if (c[1] >= '0' && c[1] <= '9') {
        const auto d = static_cast<std::size_t>(*++c - '0');
        out += std::to_string(d < shape.size() ? shape[d] : 1);
      } else {
        std::int64_t n = 1;
        for (std::size_t d = 1; d < shape.size(); ++d) n *= shape[d];
        out += std::to_string(n);
      }
    }
    return out;
  }
  std::string write(const char* calls, const value& of) {
    std::string left = with_dimensions(calls, of.shape), last;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find("; "), left.size());
      std::string call = left.substr(0, end);
      left.erase(0, std::min(end + 2, left.size()));
      for (std::size_t at; (at = call.find_first_of("$#!")) != call.npos;)
        call.replace(at, 1, call[at] == '$' ? of.name : call[at] == '#' ? other_of(of) : last);
      for (std::size_t at; (at = call.find_first_of("WP")) != call.npos;) {
        const std::size_t close = call.find(')', at);
        dimensions shape;
        for (std::size_t k = at + 2; k < close; k = call.find_first_of(",)", k) + 1)
          shape.push_back(std::stoll(call.substr(k)));
        std::string weight = text_.weight(shape);
        if (call[at] == 'P') weight = text_.add("aten.exp.default(" + weight + ")");
        call.replace(at, close + 1 - at, weight);
      }
      last = text_.add(call);
    }
    return last;
  }

  program_text text_;
  dimensions input_;
  std::vector<value> all_;
};

/// Of a type or of memory a device may lack something, and regions have strides that aren't negative.
bool may_refuse(const std::string& why) {
  return why.find("the smallest tile takes") != why.npos ||
         why.find("the device has no ") != why.npos ||
         why.find(" for all of the calibration's inputs") != why.npos ||
         why.find(" for the calibration's inputs") != why.npos ||
         why.find("strides can't say where its elements are") != why.npos;
}

struct counts {
  std::size_t lowered = 0, refused = 0;
  void add(const std::string& why) {
    INFO(why);
    CHECK((why.empty() || may_refuse(why)));
    ++(why.empty() ? lowered : refused);
  }
};

}  // namespace

TEST_CASE("transform/lower_laws: all mapped operations are in random programs", "[transform]") {
  for (std::size_t k = 1; k < nac::operation_count; ++k) {
    const auto o = static_cast<operation>(k);
    INFO(nac::operations[k].names);
    const bool is_mapped = transform::lowering::find_mapping(o) != nullptr;
    CHECK(is_mapped ==
          std::any_of(std::begin(rows), std::end(rows), [&](const row& r) { return r.what == o; }));
  }
}

namespace {

/// A program with a row in it, after `before` others at most; the first seed that makes one.
random_program program_with(std::size_t k, std::uint64_t& seed, std::size_t before) {
  for (const std::uint64_t end = seed + 64; seed != end; ++seed) {
    random_program out(seed);
    out.add_some(before == 0 ? 0 : seed % before);
    if (out.add(rows[k])) return out;
  }
  FAIL("no program has " << rows[k].calls);
  return random_program(0);
}

}  // namespace

TEST_CASE("transform/lower_laws: random programs in float32", "[transform]") {
  constexpr std::int64_t l1[] = {4 << 20, 1 << 16, 1 << 13, 1 << 12};
  constexpr std::int64_t l2[] = {16 << 20, 1 << 12};
  counts all;
  for (std::size_t k = 0; k < 3 * std::size(rows); ++k) {
    std::uint64_t seed = k * 64;
    random_program net = program_with(k % std::size(rows), seed, 3);
    net.add_some(net.size() + seed % 3);
    const std::string code = net.code();
    INFO("seed " << seed << '\n' << code);
    const container c{std::string_view(code)};
    all.add(lowers(c.program(), device("large", l1[k % 4], l2[k % 2]), {net.input()}));
  }
  CHECK(all.refused <= all.lowered / 10);
}

TEST_CASE("transform/lower_laws: random programs in 16 bits", "[transform]") {
  counts halves, brains;
  for (std::size_t k = 0; k < std::size(rows); ++k) {
    std::uint64_t seed = k * 64;
    const random_program net = program_with(k, seed, 0);
    const std::string code = net.code();
    INFO("seed " << seed << '\n' << code);
    const container c{std::string_view(code)};
    for (const char* const name : {"small", "npm_lite"})
      halves.add(lowers(c.program(), device(name), {net.input()}, element::f16));
    // Its eltwise, view and gemm.
    brains.add(lowers(c.program(), device("npm_lite"), {net.input()}, element::bf16));
  }
  CHECK(halves.refused <= halves.lowered / 20);
  CHECK(brains.refused <= brains.lowered / 2);
}

TEST_CASE("transform/lower_laws: random programs in 8 bits", "[transform]") {
  constexpr std::int64_t l1[] = {1 << 16, 1 << 13, 1 << 12};
  counts all;
  for (std::size_t k = 0; k < 2 * std::size(rows); ++k) {
    std::uint64_t seed = k * 64 + 7;
    random_program net = program_with(k % std::size(rows), seed, 3);
    net.add_some(net.size() + seed % 3);
    const std::string code = net.code();
    INFO("seed " << seed << '\n' << code);
    const container c{std::string_view(code)};
    const std::string on = k % 2 == 0 ? "small" : "large";
    all.add(lowers(c.program(), device(on, l1[k % 3], 1 << 14), {net.input()}, element::i8));
  }
  CHECK(all.refused <= all.lowered / 10);
}
