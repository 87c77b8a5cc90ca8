// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The baseline as a file: the built-in families and the baseline device in NEM's own words.
//
//   std::cout << tessera::nem::baseline_text("npm_baseline_1.0.nem");
//
// Programs that include it need no such file, see nem/families.hpp.
//
// Lifetime:   the text owns itself.
// Errors:     none; an empty text where a name isn't one of the baseline's.
// Limits:     none.
// Allocation: a text of 4 KB.

#ifndef TESSERA_NEM_DETAIL_DEVICE_BASELINE_TEXT_HPP
#define TESSERA_NEM_DETAIL_DEVICE_BASELINE_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/text.hpp"
#include "../../../version.hpp"
#include "../../catalog.hpp"
#include "../../families.hpp"
#include "../../format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

[[gnu::cold]] inline void print_operand(text& out, const family_row& f, const operand_row& o) {
  out << o.operand << ": ";
  switch (o.form) {
    case type_form::element: out << name(o.element); break;
    case type_form::parameter: out << f.parameters[o.parameter].name; break;
    case type_form::absent: out << "absent"; break;
    case type_form::any_supported: out << "any_supported"; break;
  }
}
[[gnu::cold]] inline void print_family(text& out, const family_row& f) {
  out << "type_family " << f.name;
  for (std::size_t k = 0; k < 2 && !f.parameters[k].name.empty(); ++k) {
    out << (k == 0 ? "<" : ", ") << f.parameters[k].name << ": {";
    append_domain(out, f.parameters[k].domain);
    out << "}";
  }
  out << (f.parameters[0].name.empty() ? " {\n" : "> {\n");
  for (const operand_row& o : f.operands) {
    if (o.operand.empty()) continue;
    out << "  ";
    print_operand(out, f, o);
    out << "\n";
  }
  if (f.accum != element::none) out << "  accum = " << name(f.accum) << "\n";
  if (f.quant == quant_condition::absent) out << "  quant = absent\n";
  if (f.quant == quant_condition::required) out << "  quant = required\n";
  if (f.quant == quant_condition::required_on)
    out << "  quant = required on " << f.quant_operand << "\n";
  out << "  variants:\n";
  for (const variant_row& v : f.variants) {
    if (v.name.empty()) continue;
    out << "    " << v.name << ": {";
    if (!v.operand.operand.empty()) {
      out << " ";
      print_operand(out, f, v.operand);
      out << " ";
    }
    out << "}\n      conformance: {";
    for (const instance_row& i : v.instances) {
      if (i.conformance == instance_row::level::none) break;
      out << (i.conformance == instance_row::level::must ? " MUST" : " MAY");
      if (i.types[0] != element::none) out << " ";
      append_types(out, types_of(i));
    }
    out << " }\n";
  }
  out << "}\n";
}

}  // namespace detail

/// The text of a baseline file, by the base name of a path; empty where it names none.
[[nodiscard, gnu::cold]] inline text baseline_text(std::string_view file_name) {
  text out;
  const std::uint32_t which = find_baseline(file_name);
  if (which == 2) return out;
  for (const family_row& f : family_table) detail::print_family(out, f);
  out << "device " << baseline_files[which].device << " {\n  spec_version = \""
      << known_spec_version << "\"\n  opcode.mandatory {\n";
  for (const family_row& f : family_table)
    for (const variant_row& v : f.variants)
      for (const instance_row& i : v.instances) {
        if (i.conformance != instance_row::level::must) continue;
        out << "    " << f.name;
        detail::append_types(out, detail::types_of(i));
        out << "." << v.name << "\n";
      }
  out << "  }\n}\n";
  return out;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_BASELINE_TEXT_HPP
