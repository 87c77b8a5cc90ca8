// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Random programs of what passes rewrite, and of what stops them: writes in place, views, branches,
// random numbers, states. Optimized ones compute the same.

#include <array>
#include <string>
#include <vector>

#include "optimized.hpp"
#include "transform/agreement.hpp"
#include "vm/nac/interpreter.hpp"

using namespace transform_tests;

namespace {

namespace vn = tessera::vm::nac;

/// Numbers that are the same everywhere.
class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  [[nodiscard]] std::size_t below(std::size_t end) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>((state_ >> 20) % end);
  }

 private:
  std::uint64_t state_;
};

/// Assembly of a program whose values are 2x3 floats, one line after another.
class writer {
 public:
  explicit writer(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::string program() {
    text_ = R"(tensors:
  "p" = f32 [2, 3] hex { 0000803f 00000040 000040c0 0000003f 000000bf 0000a040 }
  "q" = f32 [3] hex { 0000803f 00000000 00000040 }
  "r" = f32 [3, 3] hex {
    0000803f 00000040 00004040 0000803f 00000000 00004040 0000a03f 00000040 00004040
  }
code:
)";
    for (const char* const line : {"input", "input", "parameter \"p\"", "parameter \"p\""})
      values_.push_back(line_of(line));
    row_ = line_of("parameter \"q\"");
    matrix_ = line_of("parameter \"r\"");
    const std::size_t steps = 6 + random_.below(18);
    for (std::size_t k = 0; k < steps; ++k) {
      if (random_.below(12) == 0)
        branches();
      else
        step();
    }
    text_ += "  output(" + any() + ")\n";
    return text_;
  }

 private:
  std::string line_of(const std::string& what) {
    const std::string name = "a" + std::to_string(count_++);
    text_ += "  " + name + " = " + what + '\n';
    return name;
  }
  [[nodiscard]] const std::string& any() { return values_[random_.below(values_.size())]; }
  /// The later ones more often.
  [[nodiscard]] const std::string& late() {
    return values_[values_.size() - 1 - random_.below(std::min<std::size_t>(values_.size(), 4))];
  }
  void add(const std::string& what) { values_.push_back(line_of(what)); }

  void step() {
    static constexpr std::array plain{"nac.neg(X)",
                                      "aten.relu.default(X)",
                                      "aten.sigmoid.default(X)",
                                      "nac.clone(X)",
                                      "aten.contiguous.default(X)",
                                      "nac.pass(X)",
                                      "aten.dropout.default(X, 0.5, false)",
                                      "aten.detach.default(X)",
                                      "aten.to.dtype(X, \"float32\")",
                                      "nac.add(X, 0)",
                                      "nac.add(0, X)",
                                      "nac.add(X, 0.0)",
                                      "nac.sub(X, 0)",
                                      "nac.mul(X, 1)",
                                      "nac.mul(1.0, X)",
                                      "nac.div(X, 1)",
                                      "nac.add(X, 1)",
                                      "nac.mul(X, 0.5)",
                                      "nac.sub(1, X)",
                                      "nac.add(X, Y)",
                                      "nac.sub(X, Y)",
                                      "nac.mul(X, Y)",
                                      "nac.add(X, Y, 2)",
                                      "aten.add.Tensor(X, ROW)",
                                      "aten.linear.default(X, MATRIX)",
                                      "aten.linear.default(X, MATRIX, ROW)",
                                      "aten.expand.default(X, [-1, -1])",
                                      "aten.expand.default(X, [2, 3])",
                                      "nac.view(X, [2, 3])",
                                      "nac.view(X, [-1, 3])",
                                      "aten.permute.default(X, [0, 1])",
                                      "aten.slice.Tensor(X, 0, 0, 9223372036854775807)",
                                      "aten.transpose.int(X, 0, 0)",
                                      "aten.rand_like.default(X)",
                                      "aten.dropout.default(X, 0.5, true)",
                                      "aten.relu_.default(X)",
                                      "aten.add_.Tensor(X, Y)",
                                      "aten.add_.Tensor(X, 1)",
                                      "aten.mul_.Tensor(X, 2)",
                                      "aten.neg_.default(X)",
                                      "aten.copy_.default(X, Y)"};
    const std::size_t kind = random_.below(plain.size() + 8);
    if (kind < plain.size()) return add(filled(plain[kind]));
    switch (kind - plain.size()) {
      case 0: return there_and_back("aten.transpose.int(X, 0, 1)", "aten.transpose.int(X, 1, 0)");
      case 1: return there_and_back("aten.permute.default(X, [1, 0])", "aten.t.default(X)");
      case 2: return there_and_back("aten.unsqueeze.default(X, 1)", "aten.squeeze.dim(X, 1)");
      case 3: return there_and_back("nac.view(X, [6])", "nac.view(X, [2, 3])");
      case 4:
        return there_and_back("aten.to.dtype(X, \"float64\")", "aten.to.dtype(X, \"float32\")");
      case 5:
        return there_and_back("aten.to.dtype(X, \"float16\")", "aten.to.dtype(X, \"float32\")");
      case 6: return there_and_back("aten.flatten.using_ints(X)", "nac.view(X, [2, -1])");
      default: return write_to_view();
    }
  }
  [[nodiscard]] std::string filled(std::string what) {
    const auto put = [&](const std::string& word, const std::string& by) {
      for (std::size_t at; (at = what.find(word)) != what.npos;) what.replace(at, word.size(), by);
    };
    put("MATRIX", matrix_);
    put("ROW", row_);
    put("X", late());
    put("Y", any());
    return what;
  }
  void there_and_back(const std::string& there, std::string back) {
    const std::string middle = line_of(filled(there));
    back.replace(back.find('X'), 1, middle);
    add(back);
  }
  void write_to_view() {
    const std::string view =
        line_of("aten.select.int(" + any() + ", 0, " + std::to_string(random_.below(2)) + ")");
    line_of(random_.below(2) == 0 ? "aten.zero_.default(" + view + ")"
                                  : "aten.add_.Tensor(" + view + ", " + row_ + ")");
  }
  /// Both branches have a few steps; what they make is used only in them.
  void branches() {
    const std::string sum = line_of("aten.sum.default(" + late() + ")");
    const std::string predicate = line_of("nac.gt(" + sum + ", 0)");
    const std::string name = "a" + std::to_string(count_++);
    const std::vector<std::string> outside = values_;
    std::string before = std::move(text_), both;
    std::size_t lengths[2] = {};
    for (std::size_t& length : lengths) {
      text_.clear();
      const std::size_t first = count_, steps = 1 + random_.below(3);
      for (std::size_t k = 0; k < steps; ++k) step();
      add("nac.neg(" + late() + ")");
      length = count_ - first;
      both += text_;
      values_ = outside;
    }
    text_ = before + "  " + name + " = control_flow(" + predicate + ", " +
            std::to_string(lengths[0]) + ", " + std::to_string(lengths[1]) + ")\n" + both;
    values_.push_back(name);
  }

  numbers random_;
  std::string text_, row_, matrix_;
  std::vector<std::string> values_;
  std::size_t count_ = 0;
};

struct ran {
  vn::outcome done;
  std::vector<vn::value> outputs;
};
[[nodiscard]] ran run(const nac::program& p, vn::memory& arena) {
  vn::interpreter machine(p, {.seed = 7, .arena = &arena});
  for (std::size_t i = 0; i < p.inputs().size(); ++i) {
    vn::tensor x = vn::make_tensor(arena, nac::data_type::float32, {2, 3});
    for (std::size_t k = 0; k < 6; ++k)
      x.as<float>()[k] = 0.25F * static_cast<float>(k * (i + 2) % 7) - 0.5F;
    machine.set_input(i, std::move(x));
  }
  ran out{machine.run(), {}};
  out.outputs.assign(machine.outputs().begin(), machine.outputs().end());
  return out;
}

}  // namespace

TEST_CASE("transform/laws: random programs compute the same", "[transform]") {
  std::size_t compared = 0, fewer = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const std::string code = writer(seed).program();
    const container before(code);
    vn::memory arena(std::uint64_t{1} << 26);
    const ran wanted = run(before.program(), arena);
    const container after = optimize(before.program());
    const container again = optimize(after.program());
    INFO(seed << '\n' << code << '\n' << lines_of(after.program()));
    REQUIRE(as_text(again.data()) == as_text(after.data()));
    fewer += after.program().size() < before.program().size() ? 1u : 0u;
    if (!wanted.done) continue;  // what NAC has no strides for
    ++compared;
    const ran found = run(after.program(), arena);
    INFO(found.done.text);
    REQUIRE(found.done);
    REQUIRE(transform::difference(wanted.outputs, found.outputs) == "");
  }
  CHECK(compared > 500);
  CHECK(fewer > 500);
}
