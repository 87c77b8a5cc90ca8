// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/print.hpp.

#ifndef TESSERA_GENOME_DETAIL_PRINT_HPP
#define TESSERA_GENOME_DETAIL_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/json_write.hpp"
#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../print.hpp"
#include "../signature.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

class printer {
 public:
  printer(text& out, const library& l) noexcept : out_(out), library_(l) {}

  /// Nodes that are indented by `margin` spaces. In a pattern, ids count nodes of its expansion.
  void nodes(const stream_view& s, std::size_t margin, bool is_pattern) {
    pool<block> blocks;   // that are open, the innermost last
    std::int64_t id = 0;  // of the node
    const auto indent = [&](std::size_t depth) {
      for (std::size_t k = 0; k < margin + 2 * (depth < 32 ? depth : 32); ++k) out_ << ' ';
    };
    for (std::size_t i = 0; i < s.size(); ++i) {
      while (!blocks.empty() && blocks.back().end == i) blocks.pop_back();
      if (!blocks.empty() && blocks.back().second == i) {
        indent(blocks.size() - 1);
        out_ << (blocks.back().is_if ? "else\n" : "do\n");
      }
      indent(blocks.size());
      node_line(s, i, id);
      const node& n = s.nodes[i];
      if (n.what() == command::control_flow) {
        const view<std::int32_t> d = s.inputs_of(i);
        const std::size_t second = i + 1 + static_cast<std::size_t>(d[0]);
        blocks.push_back({second, second + static_cast<std::size_t>(d[1]), n.b == if_else});
      }
      id += is_pattern && n.what() == command::pattern ? flat_size(n.pattern_id()) : 1;
    }
  }

  void constants_and_names() {
    const registry& r = library_.registry();
    out_ << "; ";
    count(r.operation_ids.size(), "operation");
    out_ << ", ";
    count(r.variations.size(), "variation");
    out_ << ", ";
    count(r.constants.size(), "constant");
    out_ << ", ";
    count(r.group_ids.size(), "constant group");
    out_ << ", ";
    count(r.parameter_ids.size(), "parameter");
    out_ << ", ";
    count(r.patterns.size(), "pattern");
    out_ << '\n';
  }
  void patterns() {
    const registry& r = library_.registry();
    for (std::size_t i = 0; i < r.patterns.size(); ++i) {
      out_ << "\npattern " << r.patterns[i].id << "  ; ";
      count(library_.flat_size(static_cast<std::uint32_t>(i)), "node");
      out_ << '\n';
      nodes(r.nodes_of(r.patterns[i]), 2, true);
    }
  }
  void rules() {
    const registry& r = library_.registry();
    if (!r.transitions.empty()) out_ << "\ntransition rules\n";
    for (const transition_rule& t : r.transitions) {
      out_ << "  ";
      whole(r.name_of(t.text));
      out_ << "  ; probability ";
      whole(r.name_of(t.probability));
      out_ << ", " << t.count << " times\n";
      for (std::uint32_t k = 0; k < t.exceptions; ++k) {
        out_ << "    but ";
        whole(r.name_of(r.exceptions[t.first_exception + k]));
        out_ << '\n';
      }
    }
    counted("composition rules", r.compositions);
    counted("structural rules", r.structures);
  }

  void count(std::uint64_t n, std::string_view noun) {
    out_ << n << ' ' << noun << (n == 1 ? "" : "s");
  }

 private:
  /// The two blocks of an IF or WHILE: where the second begins, and where it ends.
  struct block {
    std::size_t second, end;
    bool is_if;
  };

  void counted(std::string_view title, const pool<counted_rule>& rules) {
    if (!rules.empty()) out_ << '\n' << title << '\n';
    for (const counted_rule& c : rules) {
      out_ << "  ";
      whole(library_.registry().name_of(c.text));
      out_ << "  ; " << c.count << " times\n";
    }
  }
  [[nodiscard]] std::int64_t flat_size(std::uint32_t pattern_id) const noexcept {
    return library_.flat_size(library_.find_pattern(pattern_id));
  }

  /// What a line shows of a text that many lines may show: its first 96 bytes.
  [[nodiscard]] static std::string_view shown(std::string_view s) noexcept {
    if (s.size() <= 96) return s;
    std::size_t size = 96;
    while ((static_cast<unsigned char>(s[size]) & 0xc0u) == 0x80u && size > 92) --size;
    return s.substr(0, size);
  }
  /// A name as it is, or in quotes where it holds what would move a terminal's cursor.
  void whole(std::string_view name) {
    bool plain = true;
    for (const char c : name) plain = plain && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    if (plain)
      out_ << name;
    else
      json::append_quoted(out_, name);
  }
  void words(std::string_view name) {
    whole(shown(name));
    if (shown(name).size() < name.size()) out_ << "...";
  }
  void quoted(std::string_view name) {
    const std::string_view some = shown(name);
    json::append_quoted(out_, some);
    if (some.size() < name.size()) out_ << "...";
  }

  void node_line(const stream_view& s, std::size_t i, std::int64_t id) {
    const node& n = s.nodes[i];
    if (n.what() != command::output && n.what() != command::pad) out_ << '%' << id << " = ";
    switch (n.what()) {
      case command::none:             // unreachable: verified streams have none
      case command::reserved: break;  // unreachable: nor of these
      case command::pad: out_ << "pad"; break;
      case command::data_input: out_ << "input"; break;
      case command::param_input: out_ << "parameter"; break;
      case command::output:
        out_ << "output(";
        references(s, i, id);
        out_ << ')';
        break;
      case command::const_ref:
        out_ << "parameter ";
        quoted(library_.parameter(static_cast<std::uint16_t>(n.c)));
        break;
      case command::pattern:
        out_ << "pattern " << n.pattern_id() << '(';
        references(s, i, id);
        out_ << ")  ; ";
        count(static_cast<std::uint64_t>(flat_size(n.pattern_id())), "node");
        break;
      case command::copy: {
        const view<std::int32_t> d = s.inputs_of(i);
        const node copied{
            .a = n.b, .b = static_cast<std::uint8_t>(d[0]), .c = static_cast<std::int16_t>(d[1])};
        out_ << n.c << " x ";
        template_of(copied);
        break;
      }
      case command::control_flow: {
        out_ << (n.b == if_else ? "if(" : "while(");
        references(s, i, id);
        out_ << ')';
        break;
      }
      case command::operation: operation(s, i, id); break;
    }
    out_ << '\n';
  }
  void template_of(const node& n) {
    switch (n.what()) {
      case command::data_input: out_ << "input"; break;
      case command::param_input: out_ << "parameter"; break;
      case command::const_ref:
        out_ << "parameter ";
        quoted(library_.parameter(static_cast<std::uint16_t>(n.c)));
        break;
      default:
        words(library_.target(n.a));
        out_ << '(';
        constants(n, true);
        out_ << ')';
    }
  }

  void reference(std::int32_t d, std::int64_t id) {
    out_ << '%' << (d < 0 ? id + d : std::int64_t{d});
  }
  void references(const stream_view& s, std::size_t i, std::int64_t id) {
    bool first = true;
    for (const std::int32_t d : s.references(i)) {
      if (!first) out_ << ", ";
      first = false;
      reference(d, id);
    }
  }
  /// The tensors in the order of the variation, where that names inputs that are there.
  void operation(const stream_view& s, std::size_t i, std::int64_t id) {
    const node& n = s.nodes[i];
    const view<std::int32_t> d = s.inputs_of(i);
    words(library_.target(n.a));
    out_ << '(';
    std::uint8_t in_order[max_node_inputs] = {};
    std::size_t size = 0;
    bool ordered = true;
    std::uint32_t input = 0;
    variation_inputs order(library_.variation(n.b));
    while (ordered && order.next(input)) {
      ordered = input < d.size() && size < max_node_inputs;
      if (ordered) in_order[size++] = static_cast<std::uint8_t>(input);
    }
    if (ordered && size != 0) {
      for (std::size_t k = 0; k < size; ++k) {
        if (k != 0) out_ << ", ";
        reference(d[in_order[k]], id);
      }
    } else {
      references(s, i, id);
    }
    constants(n, d.empty());
    out_ << ')';
  }
  void constants(const node& n, bool first) {
    if (n.c == 0) return;
    if (!first) out_ << "; ";
    if (!n.has_group()) return constant_value(static_cast<std::uint32_t>(n.c));
    group_part part;
    std::size_t shown_parts = 0;
    std::string_view group = library_.group(n.group_id());
    const bool cut = group.size() > 4096;  // many nodes may name a long one
    if (cut) {
      const std::size_t end = group.substr(0, 4096).rfind(';');
      group = group.substr(0, end == std::string_view::npos ? 0 : end);
    }
    for (group_parts parts(group); parts.next(part); ++shown_parts) {
      if (shown_parts != 0) out_ << ", ";
      if (shown_parts == 16) {
        out_ << "...";
        return;
      }
      words(part.key);
      out_ << " = ";
      constant_value(part.constant);
    }
    if (cut) out_ << (shown_parts != 0 ? ", ..." : "...");
  }
  /// The value in JSON; data types, devices and the like without quotes.
  void constant_value(std::uint32_t id) {
    const constant* const c = library_.constant(id);
    if (c == nullptr) return;  // verified libraries have all that is named
    const std::string_view type = library_.registry().name_of(c->type);
    const std::string_view value = library_.registry().name_of(c->value);
    const bool plain = type.substr(0, 6) == "torch." && value.size() > 2 && value.size() < 98 &&
                       value[0] == '"' && value.find('\\') == std::string_view::npos;
    words(plain ? value.substr(1, value.size() - 2) : value);
  }

  text& out_;
  const library& library_;
};

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE text print(const program& p, const print_options& /*options*/) {
  text out;
  detail::printer to(out, p.library());
  out << "; ";
  to.count(p.stream().size(), "node");
  out << ", ";
  to.count(p.stream().inputs.size(), "input");
  out << '\n';
  to.nodes(p.stream(), 0, false);
  return out;
}

TESSERA_INLINE text print(const library& l, const print_options& /*options*/) {
  text out;
  detail::printer to(out, l);
  to.constants_and_names();
  to.patterns();
  to.rules();
  return out;
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_PRINT_HPP
