// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/print.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_PRINT_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "../../../core/pool.hpp"
#include "../../../core/sort.hpp"
#include "../../../core/text.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "../../print.hpp"
#include "print_config.hpp"
#include "print_expression.hpp"
#include "print_lines.hpp"
#include "print_resolved.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// Decorators that readers take from the last output to its task (policy G-40).
[[nodiscard]] constexpr bool is_task_level(decorator d) noexcept {
  return d == decorator::resource || d == decorator::deterministic || d == decorator::memmove ||
         d == decorator::seq_engine || d == decorator::debug || d == decorator::profile;
}

template <class Lines>
class construct_printer {
 public:
  construct_printer(const model& d, Lines& lines, const print_options& options) noexcept
      : d_(d), lines_(lines), values_(d, options), config_(d, lines, values_) {}

  /// The constructs of the top level from one to another, in their order.
  void print(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t i = first;;) {
      while (!loops_.empty() && loops_.back() == i) {
        loops_.pop_back();
        lines_.close(indent()) << "endloop";
      }
      if (i >= end) return;
      if (kind(i) == node_kind::loop) {
        print_loop_header(i);
        loops_.push_back(d_.nodes[i].next);
        i = child(d_, i, node_kind::body) + 1;
      } else {
        print_construct(i);
        i = d_.nodes[i].next;
      }
    }
  }

 private:
  [[nodiscard]] node_kind kind(std::uint32_t i) const noexcept { return d_.nodes[i].kind; }
  [[nodiscard]] std::string_view name(std::uint32_t i) const noexcept {
    return d_.name(d_.nodes[i].value);
  }
  [[nodiscard]] std::uint32_t indent() const noexcept {
    return static_cast<std::uint32_t>(2 * loops_.size());
  }
  text& begin(std::uint32_t i) {
    return lines_.begin(d_.nodes[i].offset, indent(), line_role::item);
  }
  text& continued(std::uint32_t i) {
    return lines_.begin(d_.nodes[i].offset, indent() + 4, line_role::continuation);
  }

  void print_construct(std::uint32_t i) {
    const node& n = d_.nodes[i];
    switch (n.kind) {
      case node_kind::type_family: return config_.print_family(i);
      case node_kind::device: return config_.print_device(i);
      case node_kind::include:
      case node_kind::device_file: {
        text& out = begin(i);
        out << (n.kind == node_kind::include ? "include " : "device ");
        return append_string(out, name(i));
      }
      case node_kind::device_name: begin(i) << "device " << name(i); return;
      case node_kind::program: begin(i) << "program " << name(i) << ':'; return;
      case node_kind::constant: {
        text& out = begin(i);
        out << "const " << name(i) << " = ";
        return values_.print(out, i + 1);
      }
      case node_kind::let: return print_let(i);
      case node_kind::buffer: return print_buffer(i);
      case node_kind::transfer:
      case node_kind::store: return print_transfer(i);
      case node_kind::compute: return print_compute(i);
      case node_kind::wait: {
        text& out = begin(i);
        print_token(out, i);
        out << "wait(";
        values_.print_children(out, i);
        out << ')';
        return print_decorators(out, i);
      }
      default: return;  // unreachable: no other constructs
    }
  }

  void print_token(text& out, std::uint32_t task) const {
    if (d_.nodes[task].value != no_name) out << name(task) << " = ";
  }

  void print_let(std::uint32_t i) {
    text& out = begin(i);
    out << "let " << name(i) << " = ";
    if (kind(i + 1) != node_kind::region) return values_.print(out, i + 1);
    print_place(out, i + 1);
    std::uint32_t first_type = no_node;  // as the source has it: what a comment can precede
    for (const std::uint32_t c : children(d_, i + 1))
      if (is_type_attribute(c) && first_type == no_node) first_type = c;
    if (first_type != no_node) print_types(continued(first_type), i + 1);
    print_decorator_lines(i);
  }

  void print_buffer(std::uint32_t i) {
    text& out = begin(i);
    out << "buffer " << name(i) << " : " << nem::name(static_cast<level>(d_.nodes[i].detail));
    const std::uint32_t index = child(d_, i, node_kind::level_index);
    if (index != no_node) {
      out << '[';
      values_.print_children(out, index);
      out << ']';
    }
    out << " (";
    std::string_view comma;
    for (const node_kind k : {node_kind::size, node_kind::align}) {
      const std::uint32_t c = child(d_, i, k);
      if (c == no_node) continue;
      out << comma << (k == node_kind::size ? "size=" : "align=");
      values_.print_children(out, c);
      comma = ", ";
    }
    out << ')';
    print_decorators(out, i);
  }

  void print_loop_header(std::uint32_t i) {
    text& out = begin(i);
    out << "loop " << name(i) << " in [";
    values_.print(out, i + 1);
    out << "..";
    values_.print(out, d_.nodes[i + 1].next);
    out << ']';
    print_decorators(out, i);
    out << ':';
    lines_.opened();
  }

  void print_transfer(std::uint32_t i) {
    text& out = begin(i);
    print_token(out, i);
    out << (kind(i) == node_kind::transfer ? "transfer." : "store.")
        << nem::name(static_cast<mode>(d_.nodes[i].detail)) << "(";
    std::string_view comma;
    for (const node_kind k : {node_kind::destination, node_kind::source}) {
      const std::uint32_t c = child(d_, i, k);
      if (c == no_node) continue;
      out << comma << (k == node_kind::destination ? "dst=" : "src=");
      print_operand(out, c);
      comma = ", ";
    }
    const std::uint32_t deps = child(d_, i, node_kind::deps);
    if (deps != no_node && !is_empty(deps)) {
      out << comma;
      print_deps(out, deps);
    }
    out << ')';
    print_decorator_lines(i);
  }

  void print_compute(std::uint32_t i) {
    {
      text& out = begin(i);
      print_token(out, i);
      const std::uint32_t op = child(d_, i, node_kind::opcode);
      out << name(op) << '.' << nem::name(static_cast<mode>(d_.nodes[i].detail));
    }
    text* line = nullptr;
    attributes_.clear();
    for (const std::uint32_t c : children(d_, i))
      if (kind(c) == node_kind::input) line = operand(c, line, "in  ");
    std::uint32_t last_output = no_node;
    for (const std::uint32_t c : children(d_, i)) {
      const node_kind k = kind(c);
      if (k == node_kind::output) {
        line = operand(c, last_output == no_node ? nullptr : line, "out ");
        last_output = c;
      } else if (k == node_kind::attribute || (k == node_kind::deps && !is_empty(c))) {
        attributes_.push_back({c, rank(i, c)});
      }
    }
    if (!lines_.has_comment(d_.nodes[i + 2].offset, d_.nodes[d_.nodes[i].next - 1].offset))
      sort(attributes_.data(), attributes_.size(), [this](const ranked& a, const ranked& b) {
        return a.rank != b.rank ? a.rank < b.rank
                                : a.rank == unregistered && name(a.at) < name(b.at);
      });
    for (const ranked& a : attributes_) {
      text& out = continued(a.at);
      if (kind(a.at) == node_kind::deps) {
        print_deps(out, a.at);
      } else {
        out << name(a.at) << '=';
        values_.print_children(out, a.at);
      }
    }
    if (attributes_.empty() && needs_separator(i, last_output)) {
      const std::uint32_t deps = child(d_, i, node_kind::deps);
      continued(deps != no_node ? deps : last_output) << "deps=[]";
    }
    print_decorator_lines(i);
  }
  /// Whether a decorator would go from the last output to the task, or the other way, if nothing
  /// were between them.
  [[nodiscard]] bool needs_separator(std::uint32_t task, std::uint32_t output) const noexcept {
    if (output == no_node) return false;
    const auto has = [this](std::uint32_t parent, bool task_level) {
      for (const std::uint32_t c : children(d_, parent))
        if (kind(c) == node_kind::decorator &&
            is_task_level(static_cast<decorator>(d_.nodes[c].detail)) == task_level)
          return true;
      return false;
    };
    return has(output, true) || has(task, false);
  }

  struct ranked {
    std::uint32_t at, rank;
  };
  static constexpr std::uint32_t unregistered = 0xffffffff;
  /// 0 for deps, then the place in the opcode's row.
  [[nodiscard]] std::uint32_t rank(std::uint32_t task, std::uint32_t i) const noexcept {
    if (kind(i) == node_kind::deps) return 0;
    const auto op = static_cast<opcode>(d_.nodes[child(d_, task, node_kind::opcode)].detail);
    if (op == opcode::unknown) return unregistered;
    std::uint32_t place = 1;
    for (std::string_view list = row(op).attributes; !list.empty(); ++place) {
      std::string_view word = next_word(list);
      if (word.back() == '?') word.remove_suffix(1);
      if (word == name(i)) return place;
    }
    return unregistered;
  }
  /// One more operand, on a line of its own if it is the first.
  text* operand(std::uint32_t i, text* line, std::string_view word) {
    if (line == nullptr)
      *(line = &continued(i)) << word;
    else
      *line << ", ";
    print_operand(*line, i);
    return line;
  }

  // --- parts of statements ---

  [[nodiscard]] bool is_empty(std::uint32_t i) const noexcept { return d_.nodes[i].next == i + 1; }
  [[nodiscard]] bool is_type_attribute(std::uint32_t i) const noexcept {
    const node_kind k = kind(i);
    return k == node_kind::elem || k == node_kind::shape || k == node_kind::layout ||
           k == node_kind::strides || k == node_kind::quant;
  }

  void print_deps(text& out, std::uint32_t deps) {
    out << "deps=[";
    values_.print_children(out, deps);
    out << ']';
  }

  /// A name or a region, and its decorators.
  void print_operand(text& out, std::uint32_t operand) {
    const std::uint32_t what = operand + 1;
    if (kind(what) != node_kind::region) {
      out << name(what);
    } else {
      print_place(out, what);
      bool has_types = false;
      for (const std::uint32_t c : children(d_, what))
        has_types = has_types || is_type_attribute(c);
      if (has_types) print_types(out << ' ', what);
    }
    print_decorators(out, operand);
  }

  /// A region without its type.
  void print_place(text& out, std::uint32_t region) {
    out << "region(" << name(region) << ", ";
    values_.print(out, region + 1);
    out << ", ";
    values_.print(out, d_.nodes[region + 1].next);
    out << ')';
  }
  void print_types(text& out, std::uint32_t region) {
    std::string_view comma;
    for (const node_kind k : {node_kind::elem, node_kind::shape, node_kind::layout,
                              node_kind::strides, node_kind::quant}) {
      for (const std::uint32_t c : children(d_, region)) {
        if (kind(c) != k) continue;
        out << comma << nem::name(k) << '=';
        comma = ", ";
        if (k == node_kind::elem) {
          out << nem::name(static_cast<element>(d_.nodes[c].detail));
        } else if (k == node_kind::layout) {
          out << name(c);
        } else if (k == node_kind::quant) {
          print_quant(out, c);
        } else {
          out << '[';
          values_.print_children(out, c);
          out << ']';
        }
      }
    }
  }
  void print_quant(text& out, std::uint32_t quant) {
    out << nem::name(static_cast<quantization>(d_.nodes[quant].detail));
    std::string_view between = "(";
    for (std::uint8_t field = 0; field < 6; ++field) {
      for (const std::uint32_t c : children(d_, quant)) {
        if (d_.nodes[c].detail != field) continue;
        out << between << quant_field_names[field] << '=';
        values_.print_children(out, c);
        between = ", ";
      }
    }
    out << ')';
  }

  void print_decorator(text& out, std::uint32_t i) {
    out << '@' << name(i);
    if (is_empty(i)) return;
    out << '(';
    if (kind(i + 1) == node_kind::unit_index) {
      out << name(i + 1) << '[';
      values_.print_children(out, i + 1);
      out << ']';
    } else {
      values_.print_children(out, i);
    }
    out << ')';
  }
  void print_decorators(text& out, std::uint32_t parent) {
    for (const std::uint32_t c : children(d_, parent))
      if (kind(c) == node_kind::decorator) print_decorator(out << ' ', c);
  }
  void print_decorator_lines(std::uint32_t parent) {
    for (const std::uint32_t c : children(d_, parent))
      if (kind(c) == node_kind::decorator) print_decorator(continued(c), c);
  }

  const model& d_;
  Lines& lines_;
  value_printer values_;
  config_printer<Lines> config_;
  pool<std::uint32_t> loops_;  // the nodes after the open loops
  pool<ranked> attributes_;
};

/// The place of a construct of the top level among others.
[[nodiscard]] constexpr std::uint32_t canonical_place(node_kind k) noexcept {
  switch (k) {
    case node_kind::include: return 0;
    case node_kind::type_family: return 1;
    case node_kind::device: return 2;
    case node_kind::device_file:
    case node_kind::device_name: return 3;
    case node_kind::program: return 4;
    default: return 5;  // unreachable: the others are statements
  }
}

}  // namespace nem::detail
namespace nem::detail {

/// All constructs of a model, in the canonical order.
template <class Lines>
text print_all(const model& d, Lines&& lines, const print_options& options) {
  construct_printer<std::remove_reference_t<Lines>> printer(d, lines, options);
  const auto count = static_cast<std::uint32_t>(d.nodes.size());
  std::uint32_t statements = 0;  // where they begin; nothing else may follow them
  while (statements < count && !is_statement(d.nodes[statements].kind))
    statements = d.nodes[statements].next;
  for (std::uint32_t place = 0; place < 5; ++place)
    for (std::uint32_t i = 0; i < statements; i = d.nodes[i].next)
      if (canonical_place(d.nodes[i].kind) == place) printer.print(i, d.nodes[i].next);
  printer.print(statements, count);
  return lines.finish();
}

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE text print(const model& d, const print_options& options) {
  return detail::print_all(d, detail::plain_lines(), options);
}

TESSERA_INLINE text print(const program& p, const print_options& options) {
  detail::resolved comments(p.model());
  for_each_task(p, comments, 1);
  return detail::print_all(p.model(), detail::resolved_lines(comments), options);
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_PRINT_HPP
