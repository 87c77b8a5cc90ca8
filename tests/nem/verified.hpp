// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What verification finds in a text, for tests: sources mark the place of a finding by '^'.

#ifndef TESSERA_TESTS_NEM_VERIFIED_HPP
#define TESSERA_TESTS_NEM_VERIFIED_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <tessera/nem/read.hpp>
#include <tessera/nem/verify.hpp>

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
  tessera::report report;
  std::size_t tasks = 0, iterations = 0;
  bool is_partial = false;

  [[nodiscard]] bool has(std::string_view rule) const {
    return ("\n" + lines).find("\n" + std::string(rule) + " ") != std::string::npos;
  }
};

[[nodiscard]] outcome verified(std::string_view source, nem::verify_options options = {});

/// A rule, a source that breaks it at '^', what must be said, and one that keeps it.
struct example {
  std::string_view rule, bad, text, good;
};

void check(const example& e, nem::verify_options options = {});

}  // namespace nem_test

#endif  // TESSERA_TESTS_NEM_VERIFIED_HPP
