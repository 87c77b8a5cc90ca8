// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

// Only here, so that not every file of tests compiles all of verification.

#include "nem/verified.hpp"
#include "nem/verbs.hpp"

#include <utility>

#include "support/catch.hpp"

namespace nem_test {

outcome verified(std::string_view source, nem::verify_options options) {
  outcome o;
  nem::read_options reading;
  reading.profile = options.profile;
  auto d = nem_test::read(source, reading, &o.report);
  if (d) {
    auto p = nem_test::verify(std::move(*d), options, &o.report);
    o.is_valid = bool(p);
    if (p) o.tasks = p->tasks(), o.iterations = p->iterations(), o.is_partial = p->is_partial();
  }
  for (const tessera::diagnostic& f : o.report.diagnostics)
    o.lines += std::string(nem::rule(f.code).id()) + " " + std::to_string(f.where.offset) + " " +
               std::string(o.report.text_of(f.text)) + "\n";
  return o;
}

void check(const example& e, nem::verify_options options) {
  const marked bad(e.bad);
  CAPTURE(e.rule, bad.source);
  const outcome wrong = verified(bad.source, options);
  CAPTURE(wrong.lines, bad.offset);
  bool is_found = false;
  for (const tessera::diagnostic& f : wrong.report.diagnostics) {
    if (nem::rule(f.code).id() != e.rule || f.where.offset != bad.offset) continue;
    is_found = wrong.report.text_of(f.text).find(e.text) != std::string_view::npos;
    CHECK(wrong.is_valid == (wrong.report.errors == 0));
    if (f.severity == tessera::severity::error) CHECK_FALSE(wrong.is_valid);
  }
  CHECK(is_found);
  const outcome right = verified(e.good, options);
  CAPTURE(e.good, right.lines);
  CHECK(right.is_valid);
  CHECK_FALSE(right.has(e.rule));
}

}  // namespace nem_test
