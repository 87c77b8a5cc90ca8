// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/trace.hpp"

#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "tests/alir/build.hpp"
#include "tests/vm/alir/naive.hpp"
#include "tests/vm/alir/random_program.hpp"

using namespace tessera;
using alir::opcode;
using build::bits;
using build::unsigned_bits;
using inspect::alir_recorder;

namespace {

/// x + x/2 in a type that is too small, whether that is 0, and a constant 0.
[[nodiscard]] build::sketch small() {
  build::sketch s;
  const auto x = s.input(bits(3));
  const auto sum = s.op({.id0 = x, .id1 = x, .code = opcode::add, .data = -1, .qint = bits(4, 1)});
  s.output(sum);
  s.output(s.op({.id0 = sum, .code = opcode::bit_unary, .data = 1, .qint = {0, 1, 1}}), 1);
  s.constant(0, {0, 0, 1});
  return s;
}

/// What a reader of a value change dump sees: the values of each signal after each time.
struct dump {
  std::map<std::string, std::string> names;               ///< by code: scope.name
  std::map<std::string, int> widths;                      ///< by name
  std::vector<std::map<std::string, std::string>> times;  ///< by name; the last time has none
  std::vector<std::string> wrong;

  explicit dump(const std::string& source) {
    std::istringstream in(source);
    std::vector<std::string> scopes;
    std::string word;
    bool is_header = true;
    std::map<std::string, std::string> now;
    const auto until_end = [&] {
      std::vector<std::string> out;
      for (std::string w; in >> w && w != "$end";) out.push_back(w);
      return out;
    };
    while (in >> word) {
      if (word == "$scope") {
        const auto rest = until_end();
        scopes.push_back(rest.at(1));
      } else if (word == "$upscope") {
        (void)until_end();
        scopes.pop_back();
      } else if (word == "$var") {
        const auto rest = until_end();
        const std::string name = scopes.back() + '.' + rest.at(3);
        if (!names.emplace(rest.at(2), name).second) wrong.push_back("code twice: " + rest.at(2));
        widths[name] = std::stoi(rest.at(1));
        if (rest.at(0) == "wire" && (rest.size() == 5) != (widths[name] > 1))
          wrong.push_back("range of " + name);
      } else if (word == "$enddefinitions") {
        (void)until_end();
        is_header = false;
        if (!scopes.empty()) wrong.push_back("open scope");
      } else if (word == "$comment" || word == "$timescale") {
        (void)until_end();
      } else if (word == "$dumpvars" || word == "$end") {
        if (is_header) wrong.push_back(word + " in the header");
      } else if (word[0] == '#') {
        if (word != '#' + std::to_string(times.size())) wrong.push_back("time " + word);
        times.push_back(now);
      } else {
        std::string value = word, code;
        if (word[0] == 'b' || word[0] == 'r') {
          value = word.substr(1);
          in >> code;
        } else {
          value = word.substr(0, 1), code = word.substr(1);
        }
        if (names.count(code) == 0) wrong.push_back("unknown code " + code);
        const std::string name = names[code];
        if (name.rfind("integer.", 0) == 0 && static_cast<int>(value.size()) != widths[name])
          wrong.push_back("width of " + name);
        now[name] = value;
        times.back()[name] = value;
      }
    }
  }
};

/// A wire's bits as a number.
[[nodiscard]] std::int64_t number(const std::string& digits, bool is_signed) {
  std::uint64_t v = 0;
  for (const char c : digits) v = v << 1 | (c == '1' ? 1u : 0u);
  if (is_signed && digits[0] == '1' && digits.size() < 64) v |= ~std::uint64_t{0} << digits.size();
  return static_cast<std::int64_t>(v);
}

}  // namespace

TEST_CASE("alir/trace: a table", "[inspect_alir]") {
  const alir::program p = small().verified();
  alir_recorder seen(p, {3, -0.5, 0}, 3);
  REQUIRE(seen.run());
  text out;
  seen.append_table(out);
  CHECK(out.view() ==
        "sample 0: inputs 3.0\n"
        "  %0 input  3  3.0\n"
        "  %1 add    9  4.5  outside of [-4.0, 3.5]\n"
        "  %2 any    1  1.0\n"
        "  %3 const  0  0.0\n"
        "  outputs 4.5, 2.0\n"
        "\n"
        "sample 1: inputs -0.5\n"
        "  %0 input  -1  -1.0\n"
        "  %1 add    -3  -1.5\n"
        "  %2 any     1   1.0\n"
        "  %3 const   0   0.0\n"
        "  outputs -1.5, 2.0\n"
        "\n"
        "sample 2: inputs 0.0\n"
        "  %0 input  0  0.0\n"
        "  %1 add    0  0.0\n"
        "  %2 any    0  0.0\n"
        "  %3 const  0  0.0\n"
        "  outputs 0.0, 0.0\n");
}

TEST_CASE("alir/trace: CSV and JSON", "[inspect_alir]") {
  const alir::program p = small().verified();
  alir_recorder seen(p, {3}, 1);
  REQUIRE(seen.run());
  text csv, json;
  seen.append_csv(csv);
  CHECK(csv.view() ==
        "sample,operation,opcode,integer,real,outside\n"
        "0,0,input,3,3.0,0\n"
        "0,1,add,9,4.5,1\n"
        "0,2,any,1,1.0,0\n"
        "0,3,const,0,0.0,0\n");
  seen.append_json(json);
  CHECK(json.view() ==
        R"({"samples":[{"inputs":[3.0],"values":[)"
        R"({"operation":0,"opcode":"input","integer":3,"real":3.0,"outside":false},)"
        R"({"operation":1,"opcode":"add","integer":9,"real":4.5,"outside":true},)"
        R"({"operation":2,"opcode":"any","integer":1,"real":1.0,"outside":false},)"
        R"({"operation":3,"opcode":"const","integer":0,"real":0.0,"outside":false}],)"
        R"("outputs":[4.5,2.0]}]})"
        "\n");
}

TEST_CASE("alir/trace: integers that JSON readers would round are strings", "[inspect_alir]") {
  for (const std::int64_t v : {std::int64_t{1} << 53, (std::int64_t{1} << 53) + 1}) {
    build::sketch s;
    s.output(s.constant(v, bits(64)));
    const alir::program p = s.verified();
    alir_recorder seen(p, {}, 1);
    REQUIRE(seen.run());
    text out;
    seen.append_json(out);
    const bool quoted =
        out.view().find("\"integer\":\"" + std::to_string(v) + '"') != std::string_view::npos;
    CHECK(quoted == (v % 2 == 1));
  }
}

TEST_CASE("alir/trace: a value change dump has all values", "[inspect_alir]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const result<alir::program> p =
        alir::verify(random_program::make({.seed = seed, .max_ops = 120}));
    REQUIRE(p);
    const auto n = static_cast<std::size_t>(p->model().n_inputs);
    const std::vector<double> in = random_program::inputs(p->model(), seed, 5);
    alir_recorder seen(*p, in, 5);
    REQUIRE(seen.run());
    text out;
    seen.append_vcd(out);
    const dump d{std::string(out.view())};
    INFO("seed " << seed);
    for (const std::string& w : d.wrong) FAIL_CHECK(w);
    REQUIRE(d.times.size() == 6);
    CHECK(d.names.size() == 2 * p->size() + n + p->model().out_idxs.size());
    for (std::size_t s = 0; s < 5; ++s) {
      const naive::evaluation e = naive::evaluate(p->model(), std::span(in).subspan(s * n, n));
      for (const auto& [name, value] : d.times[s]) {
        if (name.rfind("port.output_", 0) == 0) {
          const double v = e.outputs[static_cast<std::size_t>(std::stoi(name.substr(12)))];
          if (std::isfinite(v)) CHECK(std::strtod(value.c_str(), nullptr) == v);
          continue;
        }
        if (name.rfind("port.", 0) == 0) continue;
        const std::size_t at = name.find("op_") + 3;
        const auto i = static_cast<std::size_t>(std::stoi(name.substr(at)));
        const bool negative = e.values[i] < 0;
        if (name.rfind("integer.", 0) == 0)
          CHECK(number(value, negative || p->type(i).k) == e.values[i]);
        else
          CHECK(std::strtod(value.c_str(), nullptr) ==
                std::ldexp(static_cast<double>(e.values[i]), -p->type(i).f));
      }
    }
  }
}

TEST_CASE("alir/trace: signals are as wide as their types, or as their values", "[inspect_alir]") {
  const alir::program p = small().verified();
  alir_recorder seen(p, {3, -4}, 2);
  REQUIRE(seen.run());
  text out;
  seen.append_vcd(out);
  const dump d{std::string(out.view())};
  CHECK(d.widths.at("integer.op_0_input") == 3);
  CHECK(d.widths.at("integer.op_1_add") == 5);  // 9 and -12, in a type of 4 bits
  CHECK(d.widths.at("integer.op_2_any") == 1);
  CHECK(d.widths.at("integer.op_3_const") == 1);  // of no bits
  CHECK(d.times[0].at("integer.op_1_add") == "01001");
  CHECK(d.times[1].at("integer.op_1_add") == "10100");
  CHECK(d.times[1].at("real.op_1_add") == "-6.0");
  CHECK(d.times[1].at("port.output_1") == "2.0");
}

TEST_CASE("alir/trace: up to a trap", "[inspect_alir]") {
  build::sketch s;
  const auto x = s.input(unsigned_bits(3));
  const auto n = s.op({.id0 = x, .code = opcode::negate, .qint = bits(4)});
  s.output(s.lookup(x, s.table({5, 6, 7})));
  s.output(n);
  const alir::program p = s.verified();
  alir_recorder seen(p, {1, 3, 0}, 3);
  const vm::alir::outcome done = seen.run();
  CHECK(done.code == errc::alir_lookup_range);
  CHECK((done.sample == 1 && done.operation == 2));
  text out;
  seen.append_csv(out);
  CHECK(out.view() ==
        "sample,operation,opcode,integer,real,outside\n"
        "0,0,input,1,1.0,0\n"
        "0,1,neg,-1,-1.0,0\n"
        "0,2,lookup,6,6.0,0\n"
        "1,0,input,3,3.0,0\n"
        "1,1,neg,-3,-3.0,0\n");
  SECTION("a budget that is too small leaves nothing") {
    CHECK(seen.run({.max_steps = 8}).code == errc::budget_steps);
    text table;
    seen.append_table(table);
    CHECK(table.empty());
  }
}

TEST_CASE("alir/trace: text is passed on in pieces", "[inspect_alir]") {
  const result<alir::program> p = alir::verify(random_program::make({.seed = 8, .max_ops = 400}));
  REQUIRE(p);
  constexpr std::size_t samples = 3000;
  alir_recorder seen(*p, random_program::inputs(p->model(), 8, samples), samples);
  REQUIRE(seen.run());
  for (const auto append : {&alir_recorder::append_table, &alir_recorder::append_csv,
                            &alir_recorder::append_json, &alir_recorder::append_vcd}) {
    text whole, piece;
    (seen.*append)(whole, {});
    std::string joined;
    std::size_t calls = 0;
    const auto take = [&](text& t) {
      joined += t.view();
      t.clear();
      ++calls;
      return true;
    };
    (seen.*append)(piece, take);
    joined += piece.view();
    CHECK(calls > 1);
    CHECK(joined == whole.view());
    text stopped;
    const auto stop = [](text&) { return false; };
    (seen.*append)(stopped, stop);
    CHECK(stopped.size() < whole.size());
  }
}
