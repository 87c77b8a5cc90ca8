// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a container can't express, with its place.

#include "imported.hpp"

namespace {
using namespace import_tests;

/// The first thing that is refused of an archive.
void check_refusal(const std::string& name, errc code, std::string_view message) {
  const imported made(data(name));
  REQUIRE_FALSE(made);
  REQUIRE(made.found.diagnostics.size() >= 1);
  const diagnostic& d = made.found.diagnostics[0];
  CHECK(error{d.code}.name() == error{code}.name());
  const std::string text(made.found.text_of(d.text));
  INFO(text);
  CHECK(text.find(message) != std::string::npos);
  // The place is that of a node in the archive.
  bool is_node = false;
  const pt2::model& m = made.exported().model();
  for (const pt2::node& n : m.nodes) is_node = is_node || n.offset == d.where.offset;
  CHECK(is_node);
}
}  // namespace

TEST_CASE("import/refusals: control flow that NAC has no form for", "[import]") {
  check_refusal("refused/loop.pt2", errc::pt2_import_control, "higher_order.while_loop");
  check_refusal("refused/loop.pt2", errc::pt2_import_control, "the number of steps isn't known");
}

TEST_CASE("import/refusals: element types that NAC has no code for", "[import]") {
  const imported made(data("refused/unsigned.pt2"));
  REQUIRE_FALSE(made);
  REQUIRE(made.found.diagnostics.size() == 2);
  CHECK(made.found.diagnostics[0].code == errc::pt2_import_type);
  // So is what takes it.
  CHECK(made.found.diagnostics[1].code == errc::pt2_import_argument);
  CHECK(made.found.text_of(made.found.diagnostics[1].text).find("aten.to.dtype") !=
        std::string_view::npos);
}
