// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What verifying a program finds, for tests of rules. A ` in the source marks where: it is taken
// out, and findings of the rule that is asked for must stand there.

#ifndef TESSERA_TESTS_NEM_RULE_CHECK_HPP
#define TESSERA_TESTS_NEM_RULE_CHECK_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <tessera/nem/read.hpp>
#include <tessera/nem/verify.hpp>

namespace rule_check {

namespace nem = tessera::nem;

struct checked {
  std::string source;
  std::size_t mark = std::string::npos;
  tessera::report found;

  /// The rules that were found, in order, with blanks between.
  [[nodiscard]] std::string rules() const {
    std::string all;
    for (const tessera::diagnostic& d : found.diagnostics)
      all += (all.empty() ? "" : " ") + std::string(nem::rule(d.code).id());
    return all;
  }
  [[nodiscard]] const tessera::diagnostic* first(std::string_view rule) const {
    for (const tessera::diagnostic& d : found.diagnostics)
      if (nem::rule(d.code).id() == rule) return &d;
    return nullptr;
  }
  /// The characters that a finding is about.
  [[nodiscard]] std::string_view at(tessera::place p) const {
    return std::string_view(source).substr(p.offset, p.length);
  }
  [[nodiscard]] std::string_view text(std::string_view rule) const {
    const tessera::diagnostic* const d = first(rule);
    return d == nullptr ? std::string_view() : found.text_of(d->text);
  }
  [[nodiscard]] std::string_view note(std::string_view rule) const {
    const tessera::diagnostic* const d = first(rule);
    return d == nullptr || !d->has_note ? std::string_view() : found.text_of(d->note);
  }
  /// What the note points to.
  [[nodiscard]] std::string_view related(std::string_view rule) const {
    const tessera::diagnostic* const d = first(rule);
    return d == nullptr || !d->has_note ? std::string_view() : at(d->related);
  }
  /// The source with a finding's fix.
  [[nodiscard]] std::string fixed(std::string_view rule) const {
    const tessera::diagnostic* const d = first(rule);
    if (d == nullptr || !d->has_fix) return {};
    std::string s = source;
    return s.replace(d->fix.offset, d->fix.length, found.text_of(d->replacement));
  }
};

[[nodiscard]] checked check(std::string_view marked, nem::profile profile = nem::profile::standard);

/// Empty where the rules are found, no others, and all of them at the mark; else what was found.
inline std::string finds(std::string_view rules, std::string_view marked) {
  const checked c = check(marked);
  std::string wrong;
  if (c.rules() != rules) wrong = "found [" + c.rules() + "]";
  for (const tessera::diagnostic& d : c.found.diagnostics)
    if (c.rules() != rules || (c.mark != std::string::npos && d.where.offset != c.mark))
      wrong += "\n" + std::string(nem::rule(d.code).id()) + " at " +
               std::to_string(d.where.offset) + ", mark " + std::to_string(c.mark) + ": " +
               std::string(c.found.text_of(d.text));
  return wrong;
}

/// Empty where nothing is found.
inline std::string passes(std::string_view source) { return finds("", source); }

/// Two buffers; X and Y are regions of an L1, and X is written.
inline constexpr std::string_view head =
    "buffer G : L2 (size=64)\n"
    "buffer B : L1 (size=64)\n"
    "let S = region(G, 0, 8) elem=f16, shape=[4], layout=C\n"
    "let X = region(B, 0, 8) elem=f16, shape=[4], layout=C\n"
    "let Y = region(B, 8, 8) elem=f16, shape=[4], layout=C\n"
    "transfer.sync(dst=X, src=S)\n";

/// A device with one engine, in front of a program.
inline std::string on_device(std::string_view units = "NMU = 1 CSTL = 2 DMA = 2 VPU = 1 SEQ = 1",
                             std::string_view device_units = "device_units { sDMA = 1 WDM = 0 }") {
  return "include \"npm_baseline_1.0.nem\"\n"
         "device small extends npm_baseline_1_0 {\n"
         "  topology { num_engines = 2 l2_size_bytes = 65536 " +
         std::string(device_units) + "\n    per_engine { " + std::string(units) +
         " l1_size_bytes = 32768 } }\n"
         "  unit_characteristics { SEQ { max_active_tokens = 4 } }\n"
         "}\n"
         "program p:\n";
}

}  // namespace rule_check

#endif  // TESSERA_TESTS_NEM_RULE_CHECK_HPP
