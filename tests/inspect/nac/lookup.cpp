// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nac/lookup.hpp"
#include <tessera/core/bytes.hpp>

#include "containers.hpp"

namespace {

using namespace nac_tools_tests;
using kind = tessera::inspect::nac_argument::kind;

}  // namespace

TEST_CASE("nac/lookup: arguments of every kind", "[inspect_nac]") {
  const container c(with(layers, "  v8 = output(v7)",
                         "  v8 = raw 40 1 d [0, -100]\n"
                         "  v9 = state 3\n"
                         "  v10 = lifted 1.5\n"
                         "  v11 = input\n"
                         "  v12 = control_flow(v0, 1, 0)\n"
                         "  v13 = output(v7, @0)"));
  const auto texts = [&](std::size_t i) {
    std::string out;
    for (const auto& a : c->arguments(c->instructions()[i])) out += c->text_of(a) + ' ';
    return c->operation(c->instructions()[i]) + ": " + out;
  };
  CHECK(texts(0) == "input: ");
  CHECK(texts(1) == "parameter: w ");
  CHECK(texts(2) == "nac.mul: v0 v1 ");
  CHECK(texts(7) == "nac.view: v6 [1, -1] ");
  CHECK(texts(8) == "nac.mul: missing 0 missing -92 ");
  CHECK(texts(9) == "state: state 3 ");
  CHECK(texts(10) == "lifted: 1.5 ");
  CHECK(texts(12) == "control_flow: v0 1 0 ");
  CHECK(texts(13) == "output: v7 nothing ");
  const auto arguments = c->arguments(c->instructions()[7]);
  REQUIRE(arguments.size() == 2);
  CHECK(arguments[0].what == kind::result);
  CHECK(arguments[0].code == 'T');
  CHECK(arguments[1].what == kind::constant);
  CHECK(arguments[1].code == 'S');
  CHECK(arguments[1].value == 4);
}

TEST_CASE("nac/lookup: ids, names, lifted inputs", "[inspect_nac]") {
  const container c(with(layers, "code:\n", "input_names:\n  0 = \"tokens\"\ncode:\n"));
  CHECK(c->parameter(1) == "w");
  CHECK(c->has_parameter(2));
  CHECK_FALSE(c->has_parameter(3));
  CHECK(c->parameter(3).empty());
  CHECK(c->input(0) == "tokens");
  CHECK_FALSE(c->has_input(1));
  REQUIRE(c->tensor(2) != nullptr);
  CHECK(c->tensor(2)->data.size() == 8);
  CHECK(c->tensor(0) == nullptr);
  CHECK(c->constant(99) == nullptr);
  for (std::uint32_t id = 0; id < 99; ++id)
    if (const tessera::nac::constant* const known = c->constant(id)) CHECK(known->id == id);

  // One above the largest is of nothing, whatever the number of rows.
  std::string rows = "constants:\n";
  for (std::uint32_t id = 0; id < 12; ++id) {
    rows += "  " + std::to_string(id) + " = 7\n";
    const container some(rows + "code:\n  x = input\n  output(x)\n");
    REQUIRE(some->constant(id) != nullptr);
    CHECK(some->constant(id)->id == id);
    CHECK(some->constant(id + 1) == nullptr);
  }

  const container lifted(
      "input_names:\n  1 = \"x\"\ncode:\n  a = input\n  x = input\n  b = input\n  output(a)\n");
  CHECK(lifted->lifted(0) == 0);
  CHECK(lifted->has_input(1));
  CHECK(lifted->lifted(2) == 1);
}

TEST_CASE("nac/lookup: texts of values and shapes", "[inspect_nac]") {
  const container c(R"(constants:
  1 = null
  2 = true
  3 = -7
  4 = 0.1
  5 = "a\n"
  6 = [0.5, -inf, nan]
  7 = inf
code:
  x = input
  output(x)
)");
  const auto text = [&](std::uint32_t id) {
    REQUIRE(c->constant(id) != nullptr);
    return tessera::inspect::text_of(*c->constant(id));
  };
  CHECK(text(1) == "null");
  CHECK(text(2) == "true");
  CHECK(text(3) == "-7");
  CHECK(text(4) == "0.1");
  CHECK(text(5) == "\"a\\n\"");
  CHECK(text(6) == "[0.5, -inf, nan]");
  CHECK(text(7) == "inf");
  CHECK(tessera::inspect::shortened("abc", 3) == "abc");
  CHECK(tessera::inspect::shortened("abcd", 3) == "abc\xE2\x80\xA6");
  CHECK(tessera::inspect::shortened("\xC3\xA4\xC3\xA4", 1) == "\xC3\xA4\xE2\x80\xA6");

  std::byte raw[12];
  for (std::size_t i = 0; i < 3; ++i)
    tessera::store_le(raw + 4 * i, std::uint32_t{i == 2 ? 0xffffffffu : 0x10000u});
  CHECK(tessera::inspect::elements_of({raw, 0}) == 1);
  CHECK(tessera::inspect::elements_of({raw, 2}) == std::uint64_t{1} << 32);
  CHECK(tessera::inspect::elements_of({raw, 3}) == 0xffffffff00000000u);
  tessera::store_le(raw, std::uint32_t{0xffffffff});
  tessera::store_le(raw + 4, std::uint32_t{0xffffffff});
  CHECK(tessera::inspect::elements_of({raw, 3}) == ~std::uint64_t{0});
  tessera::store_le(raw, std::uint32_t{0});
  CHECK(tessera::inspect::elements_of({raw, 3}) == 0);
}
