// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "nem/dump.hpp"

#include "nem/verbs.hpp"

#include <cstdint>
#include <vector>

namespace tessera_tests {

std::string dump_node(const tessera::nem::model& d, const tessera::nem::node& n) {
  using tessera::nem::node_kind;
  const std::string kind(tessera::nem::name(n.kind));
  std::string text;
  switch (n.kind) {
    case node_kind::name: return std::string(d.name(n.value));
    case node_kind::string: return '"' + std::string(d.name(n.value)) + '"';
    case node_kind::integer:
    case node_kind::wide_integer: return std::to_string(d.integer(n));
    case node_kind::real: {
      std::string s = std::to_string(d.reals[n.value]);
      while (s.back() == '0') s.pop_back();
      return s.back() == '.' ? s + '0' : s;
    }
    case node_kind::element_type:
      return std::string(tessera::nem::name(static_cast<tessera::nem::element>(n.detail)));
    case node_kind::wait:
    case node_kind::transfer:
    case node_kind::store:
    case node_kind::compute:
      text =
          kind + ':' +
          std::string(n.value == tessera::nem::no_name ? std::string_view("-") : d.name(n.value));
      break;
    case node_kind::include:
    case node_kind::device_file:
    case node_kind::device_name:
    case node_kind::program:
    case node_kind::constant:
    case node_kind::let:
    case node_kind::buffer:
    case node_kind::loop:
    case node_kind::opcode:
    case node_kind::region:
    case node_kind::layout:
    case node_kind::attribute:
    case node_kind::decorator:
    case node_kind::unit_index:
    case node_kind::type_family:
    case node_kind::type_parameter:
    case node_kind::binding:
    case node_kind::condition:
    case node_kind::on:
    case node_kind::variant:
    case node_kind::device:
    case node_kind::extends:
    case node_kind::spec_version:
    case node_kind::unit:
    case node_kind::unit_group:
    case node_kind::characteristic:
    case node_kind::variant_ref: text = kind + ':' + std::string(d.name(n.value)); break;
    default: text = kind;
  }
  return n.detail != 0 ? text + '#' + std::to_string(n.detail) : text;
}

std::string dump(const tessera::nem::model& d) {
  std::string out;
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 0; i < d.nodes.size(); ++i) {
    while (!ends.empty() && ends.back() <= i) ends.pop_back(), out += ')';
    if (!out.empty() && out.back() != '(') out += ' ';
    out += dump_node(d, d.nodes[i]);
    if (d.nodes[i].next != i + 1) out += '(', ends.push_back(d.nodes[i].next);
  }
  return out.append(ends.size(), ')');
}

std::string tree(std::string_view source) {
  const auto d = nem_test::read(source);
  return d ? dump(*d) : "error";
}

std::string found(std::string_view source, const tessera::nem::read_options& options) {
  tessera::report r;
  (void)nem_test::read(source, options, &r);
  std::string out;
  for (const auto& d : r.diagnostics) {
    if (!out.empty()) out += ' ';
    out += std::string(tessera::nem::rule(d.code).id()) + '@' + std::to_string(d.where.offset) +
           '+' + std::to_string(d.where.length);
  }
  return out;
}

}  // namespace tessera_tests
