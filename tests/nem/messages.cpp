// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What rules say of values that are something else than they should be, and where.

#include <string>
#include <string_view>
#include <tessera/nem/builder.hpp>
#include <tessera/nem/read.hpp>

#include "nem/verified.hpp"
#include "support/catch.hpp"

namespace nem = tessera::nem;
using nem_test::verified;

namespace {

/// Regions, values of each kind, and a statement.
[[nodiscard]] std::string with(std::string_view statement) {
  return "buffer B : DDR (size=64)\n"
         "let X = region(B, 0, 8) elem=f16, shape=[2, 2], layout=NC\n"
         "let Y = region(B, 8, 8) elem=f16, shape=[2, 2], layout=NC\n"
         "let s = \"a\"\nlet l = [1, 2]\nlet r = 0.5\nconst c = 2\n" +
         std::string(statement) + "\n";
}

}  // namespace

TEST_CASE("nem/messages: values of another kind", "[nem]") {
  struct row {
    std::string_view statement;  ///< what is wrong begins at ^
    std::string_view rule, text;
  };
  const row rows[] = {
      {"softmax.sync in X out Y axis=^s", "OPC-008", "axis takes an integer, not s"},
      {"softmax.sync in X out Y axis=^l", "OPC-008", "axis takes an integer, not l"},
      {"softmax.sync in X out Y axis=^[0]", "OPC-008", "axis takes an integer, not a list"},
      {"softmax.sync in X out Y axis=^r", "EXP-001", "axis must be integer"},
      {"softmax.sync in X out Y axis=^0.5", "EXP-001", "axis must be integer"},
      {"softmax.sync in X out Y axis=^zz", "EXP-002", "zz isn't declared before this point"},
      {"leaky_relu.sync in X out Y alpha=^[1]", "OPC-008", "alpha takes a number, not a list"},
      {"leaky_relu.sync in X out Y alpha=^1.0e308 * 10", "OPC-009", "alpha must be finite"},
      {"conv2d.sync in X, X out Y pads=^3", "OPC-008", "pads takes a list of integers, not 3"},
      {"conv2d.sync in X, X out Y pads=^1 + 1", "OPC-008",
       "pads takes a list of integers, not an expression"},
      {"conv2d.sync in X, X out Y pads=^r", "EXP-001", "pads must be integer"},
      {"conv2d.sync in X, X out Y pads=^zz", "EXP-002", "zz isn't declared before this point"},
      {"pad.sync in X out Y mode=^3", "OPC-008", "mode takes a name, not 3"},
      {"reduce_sum.sync in X out Y keepdims=^1", "OPC-008", "keepdims takes true or false, not 1"},
      {"let q = ^s + 1", "EXP-005", "the string s isn't a number"},
      {"let q = 1 + ^l", "EXP-005", "the list l isn't a number"},
      {"let q = region(B, 0, 6) elem=u8, shape=[3, 2], layout=MK, quant=per_channel(axis=0, "
       "scales=^3, zero_points=[0, 0, 0])",
       "EXP-005", "expected a list, found a number"},
      {"let q = region(B, 0, 1) elem=u8, shape=[], quant=per_channel(axis=^0, scales=[1], "
       "zero_points=[0])",
       "QNT-004", "quantization axis 0 of a shape without dimensions"},
      {"device d { } ^device d { }", "DEV-015", "device d is already defined"},
  };
  for (const row& r : rows) {
    CAPTURE(r.statement);
    std::string statement(r.statement);
    const std::size_t caret = statement.find('^');
    statement.erase(caret, 1);
    const bool is_device = statement.find("device") == 0;
    const std::string source = is_device ? statement : with(statement);
    const nem_test::outcome o = verified(source);
    CAPTURE(o.lines);
    const std::size_t at = (is_device ? 0 : source.size() - 1 - statement.size()) + caret;
    bool is_found = false;
    for (const tessera::diagnostic& d : o.report.diagnostics)
      is_found = is_found || (nem::rule(d.code).id() == r.rule && d.where.offset == at &&
                              o.report.text_of(d.text) == r.text);
    CHECK(is_found);
  }
}

TEST_CASE("nem/messages: reading reports how far it is", "[nem]") {
  std::string source;
  while (source.size() < (3u << 20)) source += "let a = 1  # a comment that makes the line long\n";
  struct steps {
    std::uint64_t last = 0;
    int count = 0;
  } seen;
  nem::read_options options;
  options.progress.self = &seen;
  options.progress.passed = [](void* self, std::uint64_t bytes) {
    auto& s = *static_cast<steps*>(self);
    CHECK(bytes >= s.last);
    s.last = bytes;
    ++s.count;
  };
  REQUIRE(nem::read(source, options));
  CHECK(seen.count >= 3);
  CHECK(seen.last <= source.size());
  CHECK(seen.last > source.size() / 2);
}
