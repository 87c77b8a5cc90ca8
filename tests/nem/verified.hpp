// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What verification finds in a text, for tests: sources mark the place of a finding by '^'.

#ifndef TESSERA_TESTS_NEM_VERIFIED_HPP
#define TESSERA_TESTS_NEM_VERIFIED_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/nem/read.hpp>
#include <tessera/nem/verify.hpp>

#include "support/catch.hpp"

namespace nem_test {

namespace nem = tessera::nem;

/// A source without its mark, and where that stood.
struct marked {
  explicit marked(std::string_view text) : source(text) {
    const std::size_t at = source.find('^');
    if (at == std::string::npos) return;
    offset = at;
    source.erase(at, 1);
  }
  std::string source;
  std::size_t offset = std::string::npos;
};

/// What was found, one "RULE offset text" a line.
struct outcome {
  bool is_valid = false;
  std::string lines;
  nem::report report;
  std::size_t tasks = 0, iterations = 0;
  bool is_partial = false;

  [[nodiscard]] bool has(std::string_view rule) const {
    return ("\n" + lines).find("\n" + std::string(rule) + " ") != std::string::npos;
  }
};

inline outcome verified(std::string_view source, nem::verify_options options = {}) {
  outcome o;
  nem::read_options reading;
  reading.profile = options.profile;
  auto d = nem::read(source, reading, &o.report);
  if (d) {
    auto p = nem::verify(std::move(*d), options, &o.report);
    o.is_valid = bool(p);
    if (p) o.tasks = p->tasks(), o.iterations = p->iterations(), o.is_partial = p->is_partial();
  }
  for (const nem::diagnostic& f : o.report.diagnostics)
    o.lines += std::string(nem::rule(f.code).id()) + " " + std::to_string(f.where.offset) + " " +
               std::string(o.report.text_of(f.text)) + "\n";
  return o;
}

/// A rule, a source that breaks it at '^', what must be said, and one that keeps it.
struct example {
  std::string_view rule, bad, text, good;
};

inline void check(const example& e, nem::verify_options options = {}) {
  const marked bad(e.bad);
  CAPTURE(e.rule, bad.source);
  const outcome wrong = verified(bad.source, options);
  CAPTURE(wrong.lines, bad.offset);
  bool is_found = false;
  for (const nem::diagnostic& f : wrong.report.diagnostics) {
    if (nem::rule(f.code).id() != e.rule || f.where.offset != bad.offset) continue;
    is_found = wrong.report.text_of(f.text).find(e.text) != std::string_view::npos;
    CHECK(wrong.is_valid == (wrong.report.errors == 0));
    if (f.severity == nem::severity::error) CHECK_FALSE(wrong.is_valid);
  }
  CHECK(is_found);
  const outcome right = verified(e.good, options);
  CAPTURE(e.good, right.lines);
  CHECK(right.is_valid);
  CHECK_FALSE(right.has(e.rule));
}

}  // namespace nem_test

#endif  // TESSERA_TESTS_NEM_VERIFIED_HPP
