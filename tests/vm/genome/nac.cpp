// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// .nac programs as v1.2 streams: the NAC machine and that of v1.2 give the same bits.

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <tessera/core/bytes.hpp>

#include "bench/nac_networks.hpp"
#include "genome/convert.hpp"
#include "vm/genome/interpreter.hpp"
#include "vm/nac/load.hpp"
#include "vm/nac/rows.hpp"

using namespace vm_nac_tests;
namespace genome = tessera::genome;
namespace genomics = tessera::genomics;
namespace vg = tessera::vm::genome;

namespace {

template <class T>
[[nodiscard]] T take(tessera::result<T> r) {
  if (!r) FAIL(r.error().name() << " at " << r.error().offset);
  return *std::move(r);
}

/// A .nac program converted, with its parameters and its machine.
class converted {
 public:
  explicit converted(const nac::program& p) {
    genomics::corpus graphs;
    REQUIRE(genomics::add_graph(graphs, "", p, {.parameter_names = true}).code ==
            tessera::errc::ok);
    genomics::signature s = take(genomics::signature_of(graphs, 0));
    library_ = std::make_unique<genome::library>(take(genome::verify(std::move(s.registry))));
    program_ =
        std::make_unique<genome::program>(take(genome::verify(std::move(s.stream), *library_)));
    machine_ = std::make_unique<vg::interpreter>(*program_);
    for (const nac::parameter& one : p.parameters())
      CHECK(machine_->set_parameter(one.name, vm::load(arena(), one.value)));
  }
  [[nodiscard]] vm::memory& arena() { return machine_->arena(); }
  [[nodiscard]] vg::interpreter& operator*() { return *machine_; }
  [[nodiscard]] vg::interpreter* operator->() { return machine_.get(); }

 private:
  std::unique_ptr<genome::library> library_;
  std::unique_ptr<genome::program> program_;
  std::unique_ptr<vg::interpreter> machine_;
};

/// Values with their types and shapes, to the last bit; lists in braces.
void add_bits(const vm::value& v, std::string& to) {
  if (v.is_list()) {
    to += '{';
    for (const vm::value& one : v.as_list()) add_bits(one, to);
    to += '}';
    return;
  }
  if (!v.is_tensor()) {
    to += v.is_none() ? "none" : "no tensor";
    return;
  }
  const vm::tensor& t = v.as_tensor();
  to.append(nac::name(t.type)).append(t.dims.text()).append(t.is_number ? " number " : " ");
  std::vector<std::byte> elements(t.bytes());
  vm::store(t, elements.data());
  for (const std::byte b : elements) to += static_cast<char>(b);
}
template <class Values>
[[nodiscard]] std::string bits_of(const Values& values) {
  std::string out;
  for (const vm::value& v : values) add_bits(v, out);
  return out;
}
[[nodiscard]] std::string summary(const vg::outcome& done) {
  std::string out(tessera::error{done.code, 0}.name());
  return done ? out : out + " at " + std::to_string(done.node) + ": " + done.text;
}

/// What is wrong with rows that run as one program; empty: nothing.
[[nodiscard]] std::string difference(const row* first, const row* last) {
  program_of_rows rows(first, last);
  std::string text;
  if (rows.run(text) != tessera::errc::ok) return "doesn't run: " + text;
  converted other(rows.program());
  rows.set_inputs(*other);
  const vg::outcome done = other->run();
  if (!done) return summary(done);
  return bits_of(other->outputs()) == bits_of(rows.results()) ? "" : "other results";
}

void check(const std::string& group) {
  std::vector<row> rows = rows_of(group);
  rows.erase(std::remove_if(rows.begin(), rows.end(), [](const row& r) { return r.fails; }),
             rows.end());
  std::string wrong;
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    last = std::min(rows.size(), first + 50);
    if (difference(&rows[first], &rows[0] + last).empty()) continue;
    for (std::size_t i = first; i < last; ++i) {
      const std::string what = difference(&rows[i], &rows[i] + 1);
      if (!what.empty())
        wrong += "\n" + std::to_string(rows[i].line) + ": " + rows[i].name + ": " + what;
    }
  }
  INFO(group << wrong);
  CHECK(wrong.empty());
}

}  // namespace

TEST_CASE("vm/genome/nac: every call of an operation", "[vm_genome]") {
  for (const char* const group : {"elementwise", "create", "layout", "indexing", "reduce",
                                  "products", "convolution", "normalise", "pooling"})
    check(group);
}

TEST_CASE("vm/genome/nac: networks", "[vm_genome]") {
  const auto check_network = [](const ::bench::network& net) {
    vm::interpreter machine(net.program());
    net.set_inputs(machine);
    REQUIRE(machine.run());
    converted other(net.program());
    net.set_inputs(*other);
    CHECK(summary(other->run()) == "ok");
    REQUIRE(other->outputs().size() == 1);
    CHECK(bits_of(other->outputs()) == bits_of(machine.outputs()));
  };
  check_network(
      ::bench::network(::bench::residual{.size = 32, .classes = 10, .widths = {8, 16, 32, 64}}));
  check_network(::bench::network(::bench::encoder{
      .layers = 2, .width = 32, .heads = 4, .sequence = 16, .feed_forward = 64, .vocabulary = 50}));
}

TEST_CASE("vm/genome/nac: of several results OUTPUT gives the first", "[vm_genome]") {
  for (const bool returned : {true, false}) {
    vm_nac_tests::builder b;
    b.parts.outputs = 1;
    const operand x = b.input();
    const operand both = b.op("aten.max.dim", {x, b.whole(0)});
    if (returned) b.output({b.op("nac.add", {both, both}), both});
    const built made = b.build();
    vm::interpreter machine(*made.program);
    converted other(*made.program);
    vm::tensor t = vm::make_tensor(machine.arena(), data_type::float32, {2, 3});
    for (std::size_t i = 0; i < t.size(); ++i)
      t.as<float>()[i] = i == 1 ? 9 : static_cast<float>(i);
    machine.set_input(0, t);
    REQUIRE(other->set_input(0, t));
    REQUIRE(machine.run());
    CHECK(summary(other->run()) == "ok");
    CHECK(other->outputs().size() == (returned ? 2u : 1u));
    CHECK(bits_of(other->outputs()) == bits_of(machine.outputs()));
  }
}

TEST_CASE("vm/genome/nac: files of all versions", "[vm_genome]") {
  for (const std::string name : {"mini_v16", "mini_v17", "mini_v18", "two_outputs"}) {
    INFO(name);
    std::ifstream in(TESSERA_TESTS_DATA_DIR "/nac/" + name + ".nac", std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    const auto file = take(nac::read(std::as_bytes(std::span(content))));
    const nac::program program = take(nac::verify(file));
    vm::interpreter machine(program);
    converted other(program);
    vm::tensor x =
        vm::make_tensor(machine.arena(), data_type::float32, {2, name == "two_outputs" ? 2 : 3});
    for (std::size_t i = 0; i < x.size(); ++i) x.as<float>()[i] = 0.5f - static_cast<float>(i);
    machine.set_input(0, x);
    REQUIRE(other->set_input(0, x));
    REQUIRE(machine.run());
    CHECK(summary(other->run()) == "ok");
    CHECK(bits_of(other->outputs()) == bits_of(machine.outputs()));
  }
}

namespace {

/// A program of random operations and branches over 2 x 2 matrices; its first inputs choose branches.
class random_program {
 public:
  static constexpr std::size_t choices = 3, matrices = 2;

  explicit random_program(std::uint32_t seed) : random_(seed) {
    for (std::size_t i = 0; i < choices; ++i) choices_.push_back(builder_.input());
    for (std::size_t i = 0; i < matrices; ++i) known_.push_back(builder_.input());
    known_.push_back(builder_.parameter({2, 2}, {1, -2, 0.5, 3}));
    fill(30, 0);
    builder_.output({known_.back(), any()});
  }
  [[nodiscard]] built build() const { return builder_.build(); }

 private:
  [[nodiscard]] std::uint32_t below(std::size_t n) {
    return static_cast<std::uint32_t>(random_() % n);
  }
  [[nodiscard]] operand any() { return known_[below(known_.size())]; }

  /// So many instructions, of which the last one is an operation.
  void fill(std::uint32_t count, int depth) {
    while (count != 0) {
      if (count > 2 && depth < 4 && below(3) == 0) {
        count -= branch(count - 1, depth);
      } else {
        operation();
        --count;
      }
    }
  }
  /// A CONTROL_FLOW with its branches, of `room` instructions at most; how many they are.
  std::uint32_t branch(std::uint32_t room, int depth) {
    const std::uint32_t yes = below(room), no = below(room - yes);
    const auto here = static_cast<std::uint32_t>(builder_.parts.instructions.size());
    const operand value = builder_.instruction(
        nac::op_control_flow, 0, {static_cast<std::uint16_t>(yes), static_cast<std::uint16_t>(no)},
        {static_cast<std::uint16_t>(choices_[below(choices)].index - here)});
    const std::vector<operand> outside = known_;
    for (const std::uint32_t size : {yes, no}) {
      fill(size, depth + 1);
      known_ = outside;
    }
    if (yes != 0 && no != 0) known_.push_back(value);  // an empty branch has none
    return 1 + yes + no;
  }
  void operation() {
    const auto add = [&](const char* name, const std::vector<operand>& given) {
      known_.push_back(builder_.op(name, given));
    };
    const operand a = any(), b = any();
    switch (below(6)) {
      case 0: return add("nac.sub", {a, b});
      case 1: return add("nac.add", {a, b, builder_.whole(2)});
      case 2: return add("aten.rsub.Scalar", {a, builder_.real(0.5)});
      case 3: return add("aten.matmul.default", {a, b});
      case 4: return add("aten.maximum.default", {b, a});
      default: return add("aten.transpose.int", {a, builder_.whole(0), builder_.whole(1)});
    }
  }

  builder builder_;
  std::mt19937 random_;
  std::vector<operand> known_, choices_;
};

}  // namespace

TEST_CASE("vm/genome/nac: programs with branches", "[vm_genome]") {
  std::mt19937 random(5);
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    INFO(seed);
    const built made = random_program(seed).build();
    vm::interpreter machine(*made.program);
    converted other(*made.program);
    REQUIRE(other->inputs() == random_program::choices + random_program::matrices);
    for (int round = 0; round < 4; ++round) {
      for (std::size_t i = 0; i < other->inputs(); ++i) {
        const bool choice = i < random_program::choices;
        vm::tensor x = choice ? vm::make_tensor(machine.arena(), data_type::float32, {1})
                              : vm::make_tensor(machine.arena(), data_type::float32, {2, 2});
        for (std::size_t k = 0; k < x.size(); ++k)
          x.as<float>()[k] =
              choice ? static_cast<float>(random() % 2) : static_cast<float>(random() % 16) / 8 - 1;
        machine.set_input(i, x);
        other->set_input(i, x);
      }
      REQUIRE(machine.run());
      CHECK(summary(other->run()) == "ok");
      CHECK(bits_of(other->outputs()) == bits_of(machine.outputs()));
    }
  }
}
