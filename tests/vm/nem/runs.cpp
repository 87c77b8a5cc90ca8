// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "vm/nem/runs.hpp"
#include "nem/verbs.hpp"

#include <stdexcept>
#include <utility>

namespace test {

std::string shown(const tessera::report& r, std::string_view source) {
  std::string out;
  for (const tessera::diagnostic& d : r.diagnostics) {
    const std::string_view at = source.substr(d.where.offset);
    out += std::string(nem::rule(d.code).id()) + " at '" +
           std::string(at.substr(0, at.find_first_of(" \n("))) +
           "': " + std::string(r.text_of(d.text));
    if (d.has_note) out += " | " + std::string(r.text_of(d.note));
    if (d.has_fix) out += " | fix" + std::string(r.text_of(d.replacement));
    out += '\n';
  }
  return out;
}

nem::program verified(std::string_view source, const nem::verify_options& options) {
  tessera::report found;
  auto d = nem_test::read(source, {}, &found);
  if (!d) throw std::runtime_error(shown(found, source));
  auto p = nem_test::verify(std::move(*d), options, &found);
  if (!p) throw std::runtime_error(shown(found, source));
  return std::move(*p);
}
}  // namespace test
