// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Type families and devices of NEM as canonical text.
//
//   type_family cast<T: {f16, f32}> {         device d extends e {
//     src: T                                    spec_version = "1.0"
//     quant = absent                            topology {
//     variants:                                   num_engines = 1
//       default: { B: absent }                    l2_size_bytes = 64
//         conformance: { MUST <f16> MAY }         device_units {
//   }                                               sDMA = 1
//                                                 }
//                                                 per_engine {
//                                                   …
//
// Each binding, variant, conformance, number and reference has a line of its own, and so has each
// brace that closes. Operands come before other bindings, the parts of a device in the order of
// the grammar. A template for what takes the lines, as those of construct_printer.
//
// Lifetime:   borrows the model and the lines.
// Errors:     none.
// Limits:     none; no recursion.
// Allocation: the text.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_PRINT_CONFIG_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_PRINT_CONFIG_HPP

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "../../../core/text.hpp"
#include "../../../version.hpp"
#include "../../model.hpp"
#include "print_expression.hpp"
#include "print_lines.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

template <class Lines>
class config_printer {
 public:
  config_printer(const model& d, Lines& lines, value_printer& values) noexcept
      : d_(d), lines_(lines), values_(values) {}

  void print_family(std::uint32_t family) {
    keeps_ = keeps_order(family);
    text& head = lines_.begin(d_.nodes[family].offset, 0, line_role::item);
    head << "type_family " << name(family);
    std::string_view between = "<";
    for (const std::uint32_t c : children(d_, family)) {
      if (kind(c) != node_kind::type_parameter) continue;
      head << between << name(c) << ": {";
      print_list(head, c);
      head << '}';
      lines_.pass_closer();
      between = ", ";
    }
    head << (between == ", " ? "> {" : " {");
    lines_.opened();
    std::uint32_t last = d_.nodes[family].offset;  // where the last part before the variants begins
    in_order(family, {node_kind::binding, node_kind::condition}, [&](std::uint32_t c) {
      text& out = lines_.begin(d_.nodes[c].offset, 2, line_role::item);
      print_binding(out, c);
      if (d_.nodes[c].offset > last) last = d_.nodes[c].offset;
    });
    lines_.begin_heading(last, 2, line_role::item) << "variants:";
    lines_.opened();
    in_order(family, {node_kind::variant}, [this](std::uint32_t c) { print_variant(c); });
    lines_.close(0) << '}';
  }

  void print_device(std::uint32_t device) {
    keeps_ = keeps_order(device);
    text& head = lines_.begin(d_.nodes[device].offset, 0, line_role::item);
    head << "device " << name(device);
    const std::uint32_t parent = child(d_, device, node_kind::extends);
    if (parent != no_node) head << " extends " << name(parent);
    head << " {";
    lines_.opened();
    in_order(device,
             {node_kind::spec_version, node_kind::topology, node_kind::unit_characteristics,
              node_kind::mandatory, node_kind::extended},
             [this](std::uint32_t c) { print_block(c); });
    lines_.close(0) << '}';
  }

 private:
  [[nodiscard]] node_kind kind(std::uint32_t i) const noexcept { return d_.nodes[i].kind; }
  [[nodiscard]] std::string_view name(std::uint32_t i) const noexcept {
    return d_.name(d_.nodes[i].value);
  }
  /// Whether there is a comment between the braces, so that parts stay where they are.
  [[nodiscard]] bool keeps_order(std::uint32_t construct) const noexcept {
    for (const std::uint32_t c : children(d_, construct)) {
      if (kind(c) == node_kind::type_parameter || kind(c) == node_kind::extends) continue;
      const std::uint32_t next = d_.nodes[construct].next;
      return lines_.has_comment(d_.nodes[c].offset,
                                next < d_.nodes.size() ? d_.nodes[next].offset - 1 : no_offset - 1);
    }
    return false;
  }
  /// The children of these kinds, in this order or in that of the file.
  template <class Print>
  void in_order(std::uint32_t parent, std::initializer_list<node_kind> order, Print print) {
    if (keeps_) {
      for (const std::uint32_t c : children(d_, parent))
        for (const node_kind k : order)
          if (kind(c) == k) print(c);
      return;
    }
    for (const node_kind k : order)
      for (const std::uint32_t c : children(d_, parent))
        if (kind(c) == k) print(c);
  }

  /// Element types with commas.
  void print_list(text& out, std::uint32_t parent) const {
    std::string_view comma;
    for (const std::uint32_t c : children(d_, parent)) {
      if (kind(c) != node_kind::element_type) continue;
      out << comma << nem::name(static_cast<element>(d_.nodes[c].detail));
      comma = ", ";
    }
  }
  /// An element type or a name.
  void print_type(text& out, std::uint32_t i) const {
    if (kind(i) == node_kind::element_type)
      out << nem::name(static_cast<element>(d_.nodes[i].detail));
    else
      out << name(i);
  }
  /// X: T, or quant = required on W.
  void print_binding(text& out, std::uint32_t i) const {
    out << name(i) << (kind(i) == node_kind::binding ? ": " : " = ");
    for (const std::uint32_t c : children(d_, i)) {
      if (kind(c) == node_kind::on)
        out << " on " << name(c);
      else
        print_type(out, c);
    }
  }
  void print_variant(std::uint32_t variant) {
    text& head = lines_.begin(d_.nodes[variant].offset, 4, line_role::item);
    head << name(variant) << ": {";
    std::string_view blank = " ";
    std::uint32_t last = d_.nodes[variant].offset;
    for (const std::uint32_t c : children(d_, variant)) {
      if (kind(c) != node_kind::binding) continue;
      head << ' ';
      print_binding(head, c);
      last = d_.nodes[c].offset;
      blank = "";
    }
    head << (blank.empty() ? " }" : "}");
    lines_.pass_closer();
    text& out = lines_.begin_heading(last, 6, line_role::continuation);
    out << "conformance: {";
    blank = "";
    for (const std::uint32_t c : children(d_, variant)) {
      if (kind(c) != node_kind::conformance) continue;
      blank = " ";
      out << (d_.nodes[c].detail != 0 ? " MUST" : " MAY");
      if (d_.nodes[c].next == c + 1) continue;
      out << " <";
      print_list(out, c);
      out << '>';
    }
    out << blank << '}';
    lines_.pass_closer();
  }

  void print_block(std::uint32_t block) {
    if (kind(block) == node_kind::spec_version) {
      text& out = lines_.begin(d_.nodes[block].offset, 2, line_role::item);
      out << "spec_version = ";
      append_string(out, name(block));
      return;
    }
    const node_kind k = kind(block);
    open(block, 2,
         k == node_kind::topology               ? "topology"
         : k == node_kind::unit_characteristics ? "unit_characteristics"
         : k == node_kind::mandatory            ? "opcode.mandatory"
                                                : "opcode.extended");
    if (k == node_kind::topology) {
      in_order(block,
               {node_kind::num_engines, node_kind::l2_size, node_kind::device_units,
                node_kind::per_engine},
               [this](std::uint32_t c) { print_topology_part(c); });
    } else if (k == node_kind::unit_characteristics) {
      for (const std::uint32_t group : children(d_, block)) {
        open(group, 4, name(group));
        for (const std::uint32_t c : children(d_, group)) print_number(c, 6, name(c));
        lines_.close(4) << '}';
      }
    } else {
      for (const std::uint32_t c : children(d_, block)) print_reference(c);
    }
    lines_.close(2) << '}';
  }
  void print_topology_part(std::uint32_t i) {
    const node_kind k = kind(i);
    if (k == node_kind::num_engines) return print_number(i, 4, "num_engines");
    if (k == node_kind::l2_size) return print_number(i, 4, "l2_size_bytes");
    open(i, 4, k == node_kind::device_units ? "device_units" : "per_engine");
    in_order(i, {node_kind::unit, node_kind::l1_size}, [this](std::uint32_t c) {
      print_number(c, 6, kind(c) == node_kind::unit ? name(c) : "l1_size_bytes");
    });
    lines_.close(4) << '}';
  }
  void open(std::uint32_t block, std::uint32_t indent, std::string_view word) {
    lines_.begin(d_.nodes[block].offset, indent, line_role::item) << word << " {";
    lines_.opened();
  }
  void print_number(std::uint32_t i, std::uint32_t indent, std::string_view word) {
    text& out = lines_.begin(d_.nodes[i].offset, indent, line_role::item);
    out << word << " = ";
    values_.print_children(out, i);
  }
  /// quantize<f16, i8>.default
  void print_reference(std::uint32_t i) {
    text& out = lines_.begin(d_.nodes[i].offset, 4, line_role::item);
    out << name(i);
    bool has_types = false;
    for (const std::uint32_t c : children(d_, i))
      has_types = has_types || kind(c) == node_kind::element_type;
    if (has_types) {
      out << '<';
      print_list(out, i);
      out << '>';
    }
    for (const std::uint32_t c : children(d_, i))
      if (kind(c) == node_kind::name) out << '.' << name(c);
  }

  const model& d_;
  Lines& lines_;
  value_printer& values_;
  bool keeps_ = false;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_PRINT_CONFIG_HPP
