// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Compute tasks for tests: {f16 2 4 MK} in a source becomes a region of its own with this element
// type, shape and layout; a 'q' at the end adds a descriptor. '^' marks the place of a finding.

#ifndef TESSERA_TESTS_NEM_TASKS_HPP
#define TESSERA_TESTS_NEM_TASKS_HPP

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include <tessera/nem/format.hpp>

#include "nem/verified.hpp"

namespace nem_test {

inline std::string expand_tasks(std::string_view tasks, std::string head = {}) {
  std::string out = head + "buffer M : L2 (size=1048576)\n";
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < tasks.size();) {
    if (tasks[i] != '{') {
      out += tasks[i++];
      continue;
    }
    const std::size_t end = tasks.find('}', i);
    std::istringstream words{std::string(tasks.substr(i + 1, end - i - 1))};
    std::string element, word, shape, layout;
    words >> element;
    bool is_quantized = false;
    std::uint64_t count = 1;
    while (words >> word) {
      if (word == "q")
        is_quantized = true;
      else if (word[0] >= '0' && word[0] <= '9')
        shape += (shape.empty() ? "" : ", ") + word, count *= std::stoull(word);
      else
        layout = word;
    }
    const std::uint64_t bytes = (count * nem::bitwidth(nem::find_element(element)) + 7) / 8;
    out += "region(M, " + std::to_string(offset) + ", " + std::to_string(bytes) +
           ") elem=" + element + ", shape=[" + shape + "]";
    if (!layout.empty()) out += ", layout=" + layout;
    if (is_quantized) out += ", quant=per_tensor(scale=0.5, zero_point=0)";
    offset += (bytes + 63) / 64 * 64;
    i = end + 1;
  }
  return out + "\n";
}

/// The errors, and what else has a rule of `also`: "SHP-004 FAM-001".
inline std::string errors_of(const outcome& o, std::string_view also = {}) {
  std::string rules;
  for (const tessera::diagnostic& d : o.report.diagnostics) {
    const std::string id(nem::rule(d.code).id());
    if (d.severity == tessera::severity::error || also.find(id) != std::string_view::npos)
      rules += (rules.empty() ? "" : " ") + id;
  }
  return rules;
}

/// Checks that a task gives no error.
inline void accepts(std::string_view tasks, const std::string& head = {},
                    nem::verify_options options = {}) {
  const std::string source = expand_tasks(tasks, head);
  const outcome o = verified(source, options);
  CAPTURE(source, o.lines);
  CHECK(o.is_valid);
  CHECK(errors_of(o).empty());
}

/// Checks that a task gives one finding of this rule at '^', no other error, and such a text.
inline outcome refuses(std::string_view rule, std::string_view tasks, std::string_view text,
                       const std::string& head = {}, nem::verify_options options = {}) {
  const marked m(expand_tasks(tasks, head));
  outcome o = verified(m.source, options);
  CAPTURE(m.source, m.offset, o.lines);
  CHECK(errors_of(o, rule) == rule);
  bool is_found = false;
  for (const tessera::diagnostic& d : o.report.diagnostics) {
    if (nem::rule(d.code).id() != rule) continue;
    CHECK(d.where.offset == m.offset);
    is_found = std::string(o.report.text_of(d.text)).find(text) != std::string::npos;
    CHECK(is_found);
  }
  CHECK(is_found);
  return o;
}

/// The note of the first finding of a rule.
inline std::string note_of(const outcome& o, std::string_view rule) {
  for (const tessera::diagnostic& d : o.report.diagnostics)
    if (nem::rule(d.code).id() == rule && d.has_note) return std::string(o.report.text_of(d.note));
  return {};
}

}  // namespace nem_test

#endif  // TESSERA_TESTS_NEM_TASKS_HPP
