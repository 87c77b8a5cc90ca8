// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whether two NEM models mean the same, whatever their spelling: for tests of printers. Ignores
// what canonical text merges (facts on canonical text): the order of attributes, of the parts of
// devices and of what comes before the statements, parentheses, empty deps, how numbers are spelled
// and where anything is.

#ifndef TESSERA_TESTS_NEM_SAME_HPP
#define TESSERA_TESTS_NEM_SAME_HPP

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <tessera/nem/model.hpp>
#include <vector>

namespace tests {

/// One node with its children, as text in which equal means the same.
inline std::string meaning(const tessera::nem::model& d, std::uint32_t i) {
  using tessera::nem::node_kind;
  const tessera::nem::node& n = d.nodes[i];
  std::string s = std::string(name(n.kind)) + "." + std::to_string(n.detail);
  switch (n.kind) {
    case node_kind::integer:
    case node_kind::wide_integer: return "int " + std::to_string(d.integer(n));
    case node_kind::real:
      return "real " + std::to_string(std::bit_cast<std::uint64_t>(d.reals[n.value]));
    case node_kind::body:
    case node_kind::level_index:
    case node_kind::size:
    case node_kind::align:
    case node_kind::input:
    case node_kind::output:
    case node_kind::destination:
    case node_kind::source:
    case node_kind::deps:
    case node_kind::list:
    case node_kind::expression:
    case node_kind::add:
    case node_kind::subtract:
    case node_kind::multiply:
    case node_kind::divide:
    case node_kind::modulo:
    case node_kind::negate:
    case node_kind::elem:
    case node_kind::shape:
    case node_kind::strides:
    case node_kind::quant:
    case node_kind::quant_field:
    case node_kind::conformance:
    case node_kind::element_type:
    case node_kind::topology:
    case node_kind::num_engines:
    case node_kind::l2_size:
    case node_kind::l1_size:
    case node_kind::device_units:
    case node_kind::per_engine:
    case node_kind::unit_characteristics:
    case node_kind::mandatory:
    case node_kind::extended: break;
    default:
      if (n.value == tessera::nem::no_name)
        s += " -";
      else
        s += " " + std::to_string(d.name(n.value).size()) + ":" + std::string(d.name(n.value));
  }
  std::vector<std::string> parts, sorted;
  for (const std::uint32_t c : tessera::nem::children(d, i)) {
    const tessera::nem::node& child = d.nodes[c];
    if (child.kind == node_kind::deps && child.next == c + 1) continue;
    bool any_order = false;
    switch (n.kind) {
      case node_kind::buffer:
        any_order = child.kind == node_kind::size || child.kind == node_kind::align;
        break;
      case node_kind::compute:
        any_order = child.kind == node_kind::attribute || child.kind == node_kind::deps;
        break;
      case node_kind::transfer:
      case node_kind::store: any_order = child.kind != node_kind::decorator; break;
      case node_kind::region:
        any_order = child.kind >= node_kind::elem && child.kind <= node_kind::quant;
        break;
      case node_kind::type_family:
        any_order = child.kind == node_kind::binding || child.kind == node_kind::condition;
        break;
      case node_kind::quant:
      case node_kind::device:
      case node_kind::topology:
      case node_kind::per_engine: any_order = true; break;
      default: break;
    }
    (any_order ? sorted : parts).push_back(meaning(d, c));
  }
  std::sort(sorted.begin(), sorted.end());
  s += "(";
  for (const std::string& p : parts) s += p + " ";
  s += "|";
  for (const std::string& p : sorted) s += p + " ";
  return s + ")";
}

inline std::vector<std::string> meaning(const tessera::nem::model& d) {
  using tessera::nem::node_kind;
  std::vector<std::string> all;
  const auto place = [](node_kind k) {
    return k == node_kind::include                                      ? 0
           : k == node_kind::type_family                                ? 1
           : k == node_kind::device                                     ? 2
           : k == node_kind::device_file || k == node_kind::device_name ? 3
           : k == node_kind::program                                    ? 4
                                                                        : 5;
  };
  for (int p = 0; p < 6; ++p)
    for (std::uint32_t i = 0; i < d.nodes.size(); i = d.nodes[i].next)
      if (place(d.nodes[i].kind) == p) all.push_back(meaning(d, i));
  return all;
}

inline bool same(const tessera::nem::model& a, const tessera::nem::model& b) {
  return meaning(a) == meaning(b);
}

}  // namespace tests

#endif  // TESSERA_TESTS_NEM_SAME_HPP
