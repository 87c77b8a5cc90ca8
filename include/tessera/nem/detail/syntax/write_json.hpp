// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/write.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_WRITE_JSON_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_WRITE_JSON_HPP

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/json_write.hpp"
#include "../../../core/pool.hpp"
#include "../../../core/text.hpp"
#include "../../format.hpp"
#include "../../print.hpp"
#include "../../write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

class tree_writer {
 public:
  tree_writer(const model& d, text& out) noexcept : d_(d), json_(out, json::indented) {}

  void write() {
    json_.begin_object();
    json_.key("format").string("nem-ast").key("version").integer(1).key("nodes").begin_array();
    const auto count = static_cast<std::uint32_t>(d_.nodes.size());
    for (std::uint32_t i = 0;;) {
      while (!open_.empty() && open_.back() == i) {
        open_.pop_back();
        json_.end().end();
      }
      if (i >= count) break;
      const node& n = d_.nodes[i];
      if (n.kind == node_kind::expression) {
        write_expression(i);
        i = n.next;
        continue;
      }
      const bool is_leaf = n.next == i + 1;
      begin(n, n, is_leaf);
      if (is_leaf) {
        json_.end();
      } else {
        json_.key("children").begin_array();
        open_.push_back(n.next);
      }
      ++i;
    }
    json_.end().end();
  }

 private:
  /// The fields of a node; the range is that of another, or its own.
  void begin(const node& n, const node& range, bool one_line) {
    json_.begin_object(one_line).key("kind").string(nem::name(n.kind));
    json_.key("range").begin_array(true).integer(range.offset).integer(range.length).end();
    switch (n.kind) {
      case node_kind::include:
      case node_kind::device_file: return field("path", d_.name(n.value));
      case node_kind::spec_version:
      case node_kind::string: return field("value", d_.name(n.value));
      case node_kind::integer:
      case node_kind::wide_integer: json_.key("value").integer(d_.integer(n)); return;
      case node_kind::real: return real(d_.reals[n.value]);
      case node_kind::buffer:
        named(n);
        return field("level", nem::name(static_cast<level>(n.detail)));
      case node_kind::transfer:
      case node_kind::store:
      case node_kind::compute:
        if (n.value != no_name) named(n);
        return field("mode", nem::name(static_cast<mode>(n.detail)));
      case node_kind::wait:
        if (n.value != no_name) named(n);
        return;
      case node_kind::elem:
      case node_kind::element_type:
        return field("element", nem::name(static_cast<element>(n.detail)));
      case node_kind::quant: return field("form", nem::name(static_cast<quantization>(n.detail)));
      case node_kind::quant_field:
        if (n.detail < 6) field("field", quant_field_names[n.detail]);
        return;
      case node_kind::conformance: return field("conformance", n.detail != 0 ? "MUST" : "MAY");
      default:
        if (has_name(n.kind)) named(n);
    }
  }
  void named(const node& n) { field("name", d_.name(n.value)); }
  void field(std::string_view key, std::string_view value) { json_.key(key).string(value); }
  void real(double v) {
    json_.key("value");
    if (v <= DBL_MAX)
      json_.number(v);
    else
      json_.raw("1e999");
  }

  /// Its operators as objects, each with its operands; on one line, as it can be deep.
  void write_expression(std::uint32_t expression) {
    index_.assign(d_, expression);
    const std::uint32_t root = d_.nodes[expression].next - 1;
    parts_.clear();
    parts_.push_back({root, {}});
    while (!parts_.empty()) {
      const pending p = parts_.back();
      parts_.pop_back();
      if (p.at == no_node) {
        json_.end();
        continue;
      }
      if (!p.key.empty()) json_.key(p.key);
      const node& n = d_.nodes[p.at];
      begin(n, p.at == root ? d_.nodes[expression] : n, true);
      parts_.push_back({no_node, {}});
      if (n.kind == node_kind::negate) {
        parts_.push_back({p.at - 1, "operand"});
      } else if (is_operator(n.kind)) {
        parts_.push_back({p.at - 1, "right"});
        parts_.push_back({index_.left(p.at), "left"});
      }
    }
  }

  struct pending {
    std::uint32_t at;  ///< no_node closes an object
    std::string_view key;
  };

  const model& d_;
  json::writer json_;
  pool<std::uint32_t> open_;  // the ends of the nodes whose children are being written
  expression_index index_;
  pool<pending> parts_;
};

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE text write_json(const model& d) {
  text out;
  detail::tree_writer(d, out).write();
  out << '\n';
  return out;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_WRITE_JSON_HPP
