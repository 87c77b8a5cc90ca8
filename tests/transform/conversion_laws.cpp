// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Random networks of both formats, converted and back: all compute the same. Those of ARK read and
// write parts of a few buffers, in place and in other shapes.

#include <array>

#include "converted.hpp"

using namespace convert_tests;

namespace {

/// Assembly of a program whose values are 4x6 floats, one line after another.
class program_writer {
 public:
  explicit program_writer(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::string program() {
    text_ = "nac 1.8\ncode:\n";
    for (const char* const name : {"a", "b"}) {
      text_ += std::string("  ") + name + " = input\n";
      values_.emplace_back(name);
    }
    for (const auto& [name, what] : std::initializer_list<std::pair<std::string, std::string>>{
             {"row", "aten.linspace.default(-1, 1, 6)"},
             {"table", "aten.linspace.default(-0.5, 0.5, 36)"},
             {"matrix", "nac.view(table, [6, 6])"},
             {"filters", "nac.view(table, [4, 1, 3, 3])"}})
      text_ += "  " + name + " = " + what + '\n';
    const std::size_t steps = 4 + random_.below(14);
    for (std::size_t k = 0; k < steps; ++k) step();
    text_ += "  output(" + any() + ", " + values_.back() + ")\n";
    return text_;
  }

 private:
  [[nodiscard]] const std::string& any() { return values_[random_.below(values_.size())]; }
  /// Lines with values of their own, which end with ';', and the last one, which is a value.
  void step() {
    static constexpr std::array steps{
        "nac.add(X, Y)",
        "nac.sub(X, Y, 2)",
        "s = aten.sigmoid.default(X); nac.mul(s, Y)",
        "d = aten.square.default(Y); e = nac.add(d, 1); nac.div(X, e)",
        "nac.mul(X, 0.5)",
        "aten.rsub.Scalar(X, 1)",
        "aten.relu.default(X)",
        "aten.tanh.default(X)",
        "aten.silu.default(X)",
        "aten.gelu.default(X)",
        "aten.gelu.default(X, \"tanh\")",
        "aten.hardtanh.default(X)",
        "aten.leaky_relu.default(X)",
        "aten.elu.default(X)",
        "aten.linear.default(X, matrix, row)",
        "nac.matmul(X, matrix)",
        "aten.softmax.int(X, 1)",
        "aten.softmax.int(X, 0)",
        "aten.layer_norm.default(X, [6], row)",
        "aten.rms_norm.default(X, [6], row, 0.001)",
        "m = aten.mean.dim(X, [0], true); nac.sub(X, m)",
        "m = aten.amax.default(X, [1]); n = aten.unsqueeze.default(m, 1); nac.sub(X, n)",
        "m = aten.sum.dim_IntList(X, [0, 1]); nac.add(Y, m)",
        "t = nac.transpose(X, 0, 1); u = aten.relu.default(t); nac.transpose(u, 0, 1)",
        "p = aten.slice.Tensor(X, 1, 0, 2); q = aten.slice.Tensor(Y, 1, 2, 6); aten.cat.default(q, "
        "p, 1)",
        "p = aten.slice.Tensor(X, 1, 1, 9223372036854775807, 2); q = aten.slice.Tensor(Y, 1, 0, "
        "9223372036854775807, 2); z = aten.stack.default(p, q, -1); nac.view(z, [4, 6])",
        "p = aten.select.int(X, 0, 2); aten.expand.default(p, [4, 6])",
        "p = aten.split.Tensor(X, 2, 0); q = getitem(p, 0); r = getitem(p, 1); aten.cat.default(r, "
        "q)",
        "p = nac.view(X, [2, 2, 3, 2]); q = aten.permute.default(p, [3, 0, 2, 1]); nac.view(q, [4, "
        "6])",
        "p = nac.view(X, [1, 4, 2, 3]); q = aten.conv2d.default(p, filters, null, [1, 1], [1, 1], "
        "[1, "
        "1], 4); nac.view(q, [4, 6])",
        "p = nac.view(X, [1, 2, 3, 4]); q = aten.max_pool2d.default(p, [2, 2], [1, 1]); r = "
        "aten.pad.default(q, [0, 1, 1, 0]); nac.view(r, [4, 6])",
        "p = nac.view(X, [2, 2, 6]); q = nac.view(Y, [2, 2, 6]); r = "
        "aten.scaled_dot_product_attention.default(p, q, q); nac.view(r, [4, 6])",
        "i = aten.arange.default(24); j = nac.view(i, [4, 6]); m = nac.le(j, 11); nac.where(m, X, "
        "Y)",
        "h = aten.to.dtype(X, \"float32\"); nac.clone(h)"};
    std::string_view left = steps[random_.below(steps.size())];
    const std::string mark = std::to_string(count_++), x = any(), y = any();
    for (bool is_last = false; !is_last;) {
      const std::size_t end = left.find("; ");
      is_last = end == left.npos;
      std::string line(left.substr(0, end));
      left.remove_prefix(is_last ? left.size() : end + 2);
      text_ += "  " + (is_last ? "v" + mark + " = " : "") + named(line, mark, x, y) + '\n';
    }
    values_.push_back("v" + mark);
  }
  /// A line with operands in place of X and Y, and a number after names of one letter.
  [[nodiscard]] static std::string named(const std::string& line, const std::string& mark,
                                         const std::string& x, const std::string& y) {
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    std::string out;
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      is_quoted = is_quoted != (c == '"');
      const bool is_name = !is_quoted && std::isalpha(static_cast<unsigned char>(c)) &&
                           (i == 0 || (!is_word(line[i - 1]) && line[i - 1] != '.')) &&
                           (i + 1 == line.size() || !(is_word(line[i + 1]) || line[i + 1] == '.'));
      if (!is_name)
        out += c;
      else
        out += c == 'X' ? x : c == 'Y' ? y : c + mark;
    }
    return out;
  }

  random_numbers random_;
  std::vector<std::string> values_;
  std::string text_;
  std::size_t count_ = 0;
};

/// A model of a few buffers of 4x6 elements.
class model_maker {
 public:
  model_maker(std::uint64_t seed, ark::data_type type) : random_(seed), type_(type) {}

  [[nodiscard]] ark::model make() {
    for (int k = 0; k < 4; ++k) buffers_.push_back(b_.tensor({4, 6}, type_));
    const std::size_t steps = 3 + random_.below(12);
    for (std::size_t k = 0; k < steps; ++k) step();
    auto made = b_.finish();
    INFO((made ? "" : made.error().name()));
    REQUIRE(made);
    return std::move(*made);
  }

 private:
  struct box {
    std::int64_t row = 0, column = 0, rows = 4, columns = 6;
  };
  [[nodiscard]] box any_box() {
    if (random_.below(3) == 0) return {};
    box x;
    x.rows = 1 + static_cast<std::int64_t>(random_.below(4));
    x.columns = 1 + static_cast<std::int64_t>(random_.below(6));
    x.row = static_cast<std::int64_t>(random_.below(static_cast<std::size_t>(5 - x.rows)));
    x.column = static_cast<std::int64_t>(random_.below(static_cast<std::size_t>(7 - x.columns)));
    return x;
  }
  /// A part of some buffer that has the size of a box, at the same place or as far left as possible.
  [[nodiscard]] ark::value part(const box& x) {
    const ark::value of = buffers_[random_.below(buffers_.size())];
    const bool moves = random_.below(2) == 0;
    return b_.refer(of, {x.rows, x.columns},
                    {.strides = {4, 6}, .offsets = {moves ? 0 : x.row, moves ? 0 : x.column}});
  }
  void step() {
    const box x = any_box();
    const ark::value to = part(x);
    switch (random_.below(10)) {
      case 0: (void)b_.add(part(x), part(x), {.to = to}); break;
      case 1: (void)b_.sub(part(x), part({x.row, x.column, 1, x.columns}), {.to = to}); break;
      case 2: (void)b_.relu(part(x), {.to = to}); break;
      case 3: (void)b_.scalar_mul(part(x), 0.5f, {.to = to}); break;
      case 4: (void)b_.copy(part(x), {.to = to}); break;
      case 5: (void)b_.scalar_assign(to, 3); break;
      case 6: (void)b_.reduce_max(part({x.row, 0, x.rows, 6}), 1); break;
      case 7: {
        const ark::value y = b_.transpose(part(x), {1, 0});
        (void)b_.scalar_add(y, -1);
        break;
      }
      case 8: {  // the same memory in another shape
        const ark::value y =
            b_.refer(buffers_[random_.below(buffers_.size())], {3, 8}, {.strides = {3, 8}});
        buffers_.push_back(b_.refer(b_.scalar_add(y, 1, {.to = y}), {4, 6}, {.strides = {4, 6}}));
        break;
      }
      case 9:
        (void)b_.matmul(part({0, 0, 2, 3}), part({0, 0, 3, 2}));
        (void)b_.mul(part(x), part({x.row, x.column, x.rows, 1}), {.to = to});
        break;
    }
  }

  ark::builder b_;
  random_numbers random_;
  ark::data_type type_;
  std::vector<ark::value> buffers_;
};

}  // namespace

TEST_CASE("transform/conversion_laws: random programs become models, and back", "[transform]") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const std::string text = program_writer(seed).program();
    INFO(seed << '\n' << text);
    const transform_tests::container made(text);
    round_trip(made.program(),
               {{"a", nac::data_type::float32, {4, 6}}, {"b", nac::data_type::float32, {4, 6}}},
               seed);
  }
}

TEST_CASE("transform/conversion_laws: random models become programs", "[transform]") {
  for (const ark::data_type type :
       {ark::data_type::fp32, ark::data_type::int32, ark::data_type::int8})
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      INFO(seed << ' ' << info(type).name);
      const ark_case from(model_maker(seed, type).make());
      const transform_tests::container to = to_nac(from);
      INFO(transform_tests::lines_of(to.program()));
      const std::vector<array> in = from.random_inputs(seed);
      compare(from.run(in), run_nac(to.program(), in));
    }
}
