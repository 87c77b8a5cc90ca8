// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What holds for every file: the laws of the format, and the limits of its readers. linear.cpp
// counts instructions; read_write.cpp has the law of bytes.

#include "samples.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <span>

#include "../support/allocations.hpp"
#include "../support/guard_page.hpp"
#include "tessera/vm/alir.hpp"
#include "worst.hpp"

namespace {

using samples::alir::model;
using samples::alir::program;
using tessera::errc;
using tessera::error;
using tessera::limits;

/// Runs every verb that a file gets to. True when it could run.
bool survive(std::string_view content, bool is_bytecode) {
  auto m = samples::read(content, is_bytecode);
  if (!m) {
    if (m.error().offset > content.size())
      FAIL("offset " << m.error().offset << " of " << content.size());
    return false;
  }
  if (samples::alir::print(*m).empty()) FAIL("nothing printed");
  for (const int version : {2, 3, 4}) (void)samples::alir::write_json(*m, version);
  auto p = samples::alir::verify(std::move(*m));
  if (!p) {
    if (p.error().offset > content.size())
      FAIL("offset " << p.error().offset << " of " << content.size());
    return false;
  }
  for (const int version : {2, 3, 4})
    (void)samples::alir::write(p->model(),
                               {.encoding = samples::alir::encoding::bytecode, .version = version});
  tessera::vm::alir::machine vm(*p);
  if (vm.inputs() > 1000 || vm.outputs() > 1000) return true;
  const std::vector<double> in(vm.inputs() * 3, -1.5);
  std::vector<double> out(vm.outputs() * 3);
  const auto done = vm.run(in, out, 3, {.max_steps = 3 * vm.size()});
  if (done.code == errc::budget_steps) FAIL("a run takes more steps than it says");
  return true;
}

/// Every `stride`-th proper prefix, ending where nothing may be read.
void check_prefixes(const samples::file& f, std::size_t stride) {
  tessera_tests::guard_page memory(f.content.size());
  for (std::size_t n = 0; n < f.content.size(); n += stride) {
    const auto m =
        samples::read(memory.place(std::string_view(f.content).substr(0, n)), f.is_bytecode());
    if (m || m.error().offset > n)
      FAIL(f.name << '.' << f.form << " cut to " << n << ": " << std::string(m.error().name())
                  << " at " << m.error().offset);
  }
}

/// Changes every `stride`-th byte.
void check_flips(const samples::file& f, std::size_t stride, unsigned seed) {
  std::mt19937 draw(seed);
  std::string content = f.content;
  for (std::size_t at = draw() % stride; at < content.size(); at += stride) {
    const char old = content[at];
    content[at] = static_cast<char>(old ^ static_cast<char>(1 + draw() % 255));
    INFO(f.name << '.' << f.form << " byte " << at << " is " << static_cast<int>(content[at]));
    (void)survive(content, f.is_bytecode());
    content[at] = static_cast<char>('0' + draw() % 10);  // in JSON, more often a number still
    (void)survive(content, f.is_bytecode());
    content[at] = old;
  }
}

/// All outputs for some samples, as bits.
std::optional<std::vector<std::uint64_t>> outputs(const program& p) {
  tessera::vm::alir::machine vm(p);
  std::mt19937 draw(7);
  constexpr std::size_t count = 5;
  std::vector<double> in(vm.inputs() * count), out(vm.outputs() * count);
  for (double& x : in) x = static_cast<double>(static_cast<int>(draw() % 64) - 32) / 4;
  const auto done = vm.run(in, out, count);
  std::vector<std::uint64_t> bits(out.size());
  if (!out.empty()) std::memcpy(bits.data(), out.data(), out.size() * sizeof(double));
  if (!done) bits = {static_cast<std::uint64_t>(done.operation), done.sample};
  return bits;
}

}  // namespace

TEST_CASE("alir/laws: prefix", "[alir]") {
  for (const samples::file& f : samples::good())
    check_prefixes(f, f.content.size() < 1200 ? 1 : 1 + f.content.size() / 97);
  SUCCEED();
}
TEST_CASE("alir/laws: every prefix", "[.long]") {
  for (const samples::file& f : samples::good()) check_prefixes(f, 1);
  SUCCEED();
}

TEST_CASE("alir/laws: white space is the only thing that may follow", "[alir]") {
  for (const samples::file& f : samples::good()) {
    INFO(f.name << '.' << f.form);
    const bool is_bytecode = f.is_bytecode();
    const auto more = [&](std::string_view tail) {
      return samples::read(f.content + std::string(tail), is_bytecode).error();
    };
    CHECK(more(" \t\r\n") ==
          (is_bytecode ? error{errc::alir_bytecode_trailing, f.content.size()} : error{}));
    CHECK(more("    ").code == (is_bytecode ? errc::alir_bytecode_trailing : errc::ok));
    if (!is_bytecode) CHECK(more(" x") == error{errc::json_trailing_bytes, f.content.size() + 1});
  }
}

TEST_CASE("alir/laws: flip", "[alir]") {
  unsigned seed = 0;
  for (const samples::file& f : samples::good()) check_flips(f, 1 + f.content.size() / 23, ++seed);
  SUCCEED();
}
TEST_CASE("alir/laws: every byte flipped", "[.long]") {
  unsigned seed = 0;
  for (const samples::file& f : samples::good()) check_flips(f, 1, ++seed);
  SUCCEED();
}

TEST_CASE("alir/laws: twin", "[alir]") {
  for (const samples::file& f : samples::good()) {
    if (f.form == "v2.json") continue;
    INFO(f.name << '.' << f.form);
    const auto one = samples::alir::verify(samples::model(samples::good(f.name, "v2.json")));
    const auto two = samples::alir::verify(samples::model(f.content, f.is_bytecode()));
    REQUIRE(one.error() == error{});
    REQUIRE(two.error() == error{});
    REQUIRE(one->size() == two->size());
    for (std::size_t i = 0; i < one->size(); ++i) {
      if (!(one->type(i) == two->type(i))) FAIL("type of operation " << i);
      if (one->op(i).code == samples::alir::opcode::lookup && one->base(i) != two->base(i))
        FAIL("base of operation " << i);
    }
    CHECK(outputs(*one) == outputs(*two));
  }
}

TEST_CASE("alir/laws: total, on bytes that are no file", "[alir]") {
  std::mt19937 draw(3);
  for (int round = 0; round < 2000; ++round) {
    std::string content(draw() % 200, '\0');
    for (char& c : content) c = static_cast<char>(draw() % (round % 2 == 0 ? 256 : 3));
    if (round % 3 == 0) content.insert(0, "ALIR\4\0\0\0", 8);
    if (round % 3 == 1) content.insert(0, "\2\0\0\0", 4);
    INFO("round " << round);
    (void)survive(content, true);
    constexpr std::string_view alphabet = "[]{},:\"0123456789.-eE truefalsn\\u";
    for (char& c : content) c = alphabet[static_cast<unsigned char>(c) % alphabet.size()];
    (void)survive(content, false);
  }
  SUCCEED();
}

TEST_CASE("alir/laws: memory is a multiple of the input", "[alir]") {
  constexpr double stated = 24, constant = 64 << 10;
  for (const worst::generator& g : worst::generators) {
    // Vectors double: what comes just after a power of two costs the most.
    for (const std::size_t n : {1024u, 16385u}) {
      const std::string content = g.make(n);
      errc code = errc::ok;
      double peak = 0;
      {
        const tessera_tests::allocations used;
        code = samples::read(content, g.is_bytecode).error().code;
        peak = static_cast<double>(used.peak());
      }
      INFO(std::string(g.name) << ' ' << n << ", " << content.size() << " bytes, "
                               << std::string(error{code, 0}.name()));
      CHECK(peak <= stated * static_cast<double>(content.size()) + constant);
    }
  }
}

TEST_CASE("alir/laws: nothing is kept of what was refused", "[alir]") {
  const std::string& json = samples::good("all_ops", "v4.json");
  const std::string& raw = samples::good("all_ops", "v4.bc");
  for (const std::size_t n : {json.size() - 1, json.size() / 2}) {
    const tessera_tests::allocations used;
    REQUIRE_FALSE(samples::alir::read_json(std::string_view(json).substr(0, n)));
    CHECK(used.live() == 0);
  }
  const tessera_tests::allocations used;
  REQUIRE_FALSE(samples::read(std::string_view(raw).substr(0, raw.size() - 1), true));
  CHECK(used.live() == 0);
}

TEST_CASE("alir/limits: max_bytes", "[alir]") {
  for (const char* const form : {"v2.json", "v4.json", "v2.bc", "v4.bc"}) {
    INFO(form);
    const std::string& content = samples::good("all_ops", form);
    const bool is_bytecode = std::string_view(form).ends_with("bc");
    CHECK(samples::read(content, is_bytecode, {.max_bytes = content.size()}).error() == error{});
    CHECK(samples::read(content, is_bytecode, {.max_bytes = content.size() - 1}).error() ==
          error{errc::input_too_large, content.size() - 1});
  }
}

TEST_CASE("alir/limits: max_depth", "[alir]") {
  // The interval of an operation: object, model, operations, row, interval.
  const std::string rows = samples::with_rows("[0,-1,-1,0,[-8,7,1],0,0]");
  const std::uint64_t interval = rows.find("[-8");
  CHECK(samples::alir::read_json(rows, {.max_depth = 5}).error() == error{});
  CHECK(samples::alir::read_json(rows, {.max_depth = 4}).error() ==
        error{errc::json_depth, interval});
  const auto nested = [](std::size_t depth) {
    return R"({"x":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  CHECK(samples::alir::read_json(nested(63)).error() == error{errc::alir_missing_model, 0});
  CHECK(samples::alir::read_json(nested(64)).error() == error{errc::json_depth, 5 + 63});
  // tests/data/alir/bad has no deep_nest.json: it is this.
  CHECK(samples::alir::read_json(std::string(100000, '[')).error() == error{errc::json_depth, 64});
}

TEST_CASE("alir/limits: max_items, of any one list", "[alir]") {
  // Three of everything, and a table of two entries twice.
  const std::string json =
      R"({"model":[[3,3],[0,0,0],[0,1,2],[0,0,0],[false,true,false],[)"
      R"([[],-1,[0],[-8,7,1],0,0],[[],-1,[1],[-8,7,1],0,0],[[],-1,[2],[-8,7,1],0,0]],)"
      R"(-1,-1,[{"table":[1,2]},{"table":[3,4]},{"table":[5]}]],"meta":"ALIRModel","spec_version":4})";
  const limits three{.max_items = 3};
  const auto at = [&](std::string_view from, std::string_view to, std::string_view where) {
    const std::string more = samples::with(json, from, to);
    return std::pair(samples::alir::read_json(more, three).error(),
                     error{errc::too_many_items, more.find(where) + where.size()});
  };
  CHECK(samples::alir::read_json(json, three).error() == error{});
  const std::tuple<const char*, const char*, const char*> lists[] = {
      {"[0,0,0],[0,1,2]", "[0,0,0,7],[0,1,2]", "[0,0,0,"},
      {"[0,1,2]", "[0,1,2,7]", "[0,1,2,"},
      {"[0,0,0],[false", "[0,0,0,7],[false", "[0,1,2],[0,0,0,"},
      {"[false,true,false]", "[false,true,false,true]", "[false,true,false,"},
      {"[-8,7,1],0,0]],", "[-8,7,1],0,0],[[],5,[0],[-8,7,1],0,0]],", "[2],[-8,7,1],0,0],"},
      {"{\"table\":[5]}", "{\"table\":[5]},{\"table\":[6]}", "{\"table\":[5]},"},
      {"[3,4]", "[3,4,5,6]", "[3,4,5,"},
      {"[[],-1,[2]", "[[0,0,0,7],-1,[2]", "[[0,0,0,"},
      {"-1,[2]", "-1,[2,0,0,7]", "-1,[2,0,0,"},
  };
  for (const auto& [from, to, where] : lists) {
    INFO(to);
    const auto [got, expected] = at(from, to, where);
    CHECK(got == expected);
  }

  // The same counts in bytecode, at their words.
  const std::string raw = samples::bytecode(samples::model(json));
  CHECK(samples::read(raw, true, three).error() == error{});
  const auto count_at = [&](std::uint64_t items, std::uint64_t word) {
    INFO(items);
    CHECK(samples::read(raw, true, {.max_items = items}).error() ==
          error{errc::too_many_items, 4 * word});
  };
  count_at(2, 2);
  const std::string two_outputs = worst::words({2, 0, 0, 2, 0, 0}) + std::string(24, '\0');
  CHECK(samples::read(two_outputs, true, {.max_items = 2}).error() == error{});
  CHECK(samples::read(two_outputs, true, {.max_items = 1}).error() ==
        error{errc::too_many_items, 12});
  const std::string table = worst::words({2, 0, 0, 0, 0, 1, 2, 0, 0});
  CHECK(samples::read(table, true, {.max_items = 2}).error() == error{});
  CHECK(samples::read(table, true, {.max_items = 1}).error() == error{errc::too_many_items, 24});
  const std::string constants = samples::bytecode(
      samples::model(samples::with_rows("[-1,-1,5,0,[0,1,1],0,0],[-1,-1,5,0,[0,1,1],0,0]")));
  CHECK(samples::read(constants, true, {.max_items = 4}).error() == error{});
  CHECK(samples::read(constants, true, {.max_items = 1}).error() ==
        error{errc::too_many_items, 16});
  // The addresses of one operation, in the form that has lists of them: a sum of three inputs.
  using namespace std::string_literals;
  const std::string bytes_form = "ALIR"s + worst::words({4, 0, 0, 1, 0}) + "\x0b\0\x01\0"s +
                                 "\x03\0\x06\0"s + std::string(60, '\0');
  CHECK(samples::read(bytes_form, true, {.max_items = 5}).error() ==
        error{errc::too_many_items, 28});
  const std::string tables = worst::words({2, 0, 0, 0, 0, 2, 1, 1, 0, 0});
  CHECK(samples::read(tables, true, {.max_items = 2}).error() == error{});
  CHECK(samples::read(tables, true, {.max_items = 1}).error() == error{errc::too_many_items, 20});
}
