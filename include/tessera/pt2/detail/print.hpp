// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of pt2/print.hpp.

#ifndef TESSERA_PT2_DETAIL_PRINT_HPP
#define TESSERA_PT2_DETAIL_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/json_write.hpp"
#include "../../core/shortest.hpp"
#include "../expression.hpp"
#include "../print.hpp"
#include "../verify.hpp"
#include "name_table.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// What needs no more than the model.
class value_printer {
 public:
  value_printer(text& out, const model& m) : out_(out), m_(m) {}

  void tensor(const tensor_meta& t) {
    out_ << info(t.type).name;
    sizes(t.sizes);
    const scalar& offset = m_.scalars[t.storage_offset];
    if (is_contiguous(t) && !offset.is_symbolic && offset.integer == 0) return;
    sizes(t.strides, " strides [");
    number(offset, " offset ");
  }
  void value_of_argument(const argument& a) {
    switch (info(a.kind).form) {
      case argument_form::none: out_ << "None"; break;
      case argument_form::boolean: boolean(a.boolean); break;
      case argument_form::integer:
        if (a.kind == argument_kind::scalar_type)
          out_ << info_of_element(a.integer).name;
        else if (a.kind == argument_kind::integer)
          out_ << a.integer;
        else
          out_ << name_of_code(a);
        break;
      case argument_form::real: real(a.real); break;
      case argument_form::text: quoted(a.text); break;
      case argument_form::value:
      case argument_form::object: shown(a.text); break;
      case argument_form::symbol: symbol(a); break;
      case argument_form::optional:
        if (a.boolean)
          shown(a.text);
        else
          out_ << "None";
        break;
      case argument_form::device:
        shown(a.text);
        if (a.boolean) out_ << ':' << a.integer;
        break;
      case argument_form::graph: out_ << '{', shown(a.text), out_ << '}'; break;
      case argument_form::complex:
        out_ << "complex(", real(m_.reals[a.items.first]), out_ << ", ";
        real(m_.reals[a.items.first + 1]), out_ << ')';
        break;
      case argument_form::integers:
        list(a.items.count, [&](std::uint32_t i) { out_ << m_.integers[a.items.first + i]; });
        break;
      case argument_form::reals:
        list(a.items.count, [&](std::uint32_t i) { real(m_.reals[a.items.first + i]); });
        break;
      case argument_form::list:
      case argument_form::named:
        list(a.items.count, [&](std::uint32_t i) {
          const argument& e = m_.arguments[a.items.first + i];
          if (a.kind == argument_kind::named_arguments) shown(e.name), out_ << '=';
          value_of_argument(e);
        });
        break;
    }
  }

 protected:
  // ---- words and numbers

  void shown(string s) { append_shown(out_, text_of(m_, s)); }
  void quoted(string s) {
    text json;
    json::append_quoted(json, text_of(m_, s));
    append_shown(out_, json);
  }
  void boolean(bool v) { out_ << (v ? "True" : "False"); }
  void real(double v) {
    if (v != v)
      out_ << "nan";
    else if (v - v != 0)
      out_ << (v < 0 ? "-inf" : "inf");
    else
      append_double(out_, v, double_style::python);
  }
  template <class Element>
  void list(std::uint32_t count, Element element) {
    out_ << '[';
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i != 0) out_ << ", ";
      element(i);
    }
    out_ << ']';
  }
  void symbol(const argument& a) {
    if (a.is_named)
      shown(a.text);
    else if (a.kind == argument_kind::sym_int)
      out_ << a.integer;
    else if (a.kind == argument_kind::sym_bool)
      boolean(a.boolean);
    else
      real(a.real);
  }
  [[nodiscard]] static std::string_view name_of_code(const argument& a) noexcept {
    constexpr std::string_view layouts[] = {"unknown",    "sparse_coo", "sparse_csr", "sparse_csc",
                                            "sparse_bsr", "sparse_bsc", "mkldnn",     "strided"};
    constexpr std::string_view formats[] = {"unknown", "contiguous_format", "channels_last",
                                            "channels_last_3d", "preserve_format"};
    const bool is_layout = a.kind == argument_kind::layout;
    if (a.integer < 0 || a.integer >= (is_layout ? 8 : 5)) return "?";
    return is_layout ? layouts[a.integer] : formats[a.integer];
  }
  void number(const scalar& s, std::string_view before = {}) {
    out_ << before;
    if (s.is_symbolic) {
      const result<expression> e =
          read_expression(text_of(m_, s.expression), notation_of(m_.schema_major));
      if (e) print_term(out_, *e, 0, 0);
      if (!e) quoted(s.expression);
    } else if (s.kind == scalar_kind::integer) {
      out_ << s.integer;
    } else if (s.kind == scalar_kind::boolean) {
      boolean(s.integer != 0);
    } else {
      real(s.real);
    }
  }
  void sizes(range r, std::string_view open = "[") {
    out_ << open;
    for (std::uint32_t i = 0; i < r.count; ++i) number(m_.scalars[r.first + i], i == 0 ? "" : ",");
    out_ << ']';
  }
  /// As far as the numbers are known; a dimension of 1 may have any stride.
  [[nodiscard]] bool is_contiguous(const tensor_meta& t) const {
    if (t.sizes.count != t.strides.count) return false;
    std::int64_t expected = 1;
    for (std::uint32_t d = t.sizes.count; d-- > 0;) {
      const scalar &size = m_.scalars[t.sizes.first + d], &stride = m_.scalars[t.strides.first + d];
      if (size.is_symbolic || stride.is_symbolic) return true;
      if (size.integer != 1 && stride.integer != expected) return size.integer == 0;
      if (!checked_mul(expected, size.integer, expected)) return true;
    }
    return true;
  }

  text& out_;
  const model& m_;
};

class program_printer : value_printer {
 public:
  program_printer(text& out, const model& m, const print_options& options)
      : value_printer(out, m),
        options_(options),
        weights_(m, m.weights.count),
        constants_(m, m.constants.count) {
    for (std::uint32_t i = 0; i < m.weights.count; ++i)
      weights_.insert(m.stored[m.weights.first + i].name, m.weights.first + i);
    for (std::uint32_t i = 0; i < m.constants.count; ++i)
      constants_.insert(m.stored[m.constants.first + i].name, m.constants.first + i);
  }

  void print() {
    header();
    for (const range_constraint& c : m_.constraints) constraint(c);
    graph(0, 0);
    for (const output_spec& s : m_.outputs) {
      if (info(s.kind).target.empty()) continue;
      out_ << info(s.kind).variant << ' ';
      quoted(s.target);
      out_ << " = ";
      value_of_argument(m_.arguments[s.argument]);
      out_ << '\n';
    }
  }

 private:
  void counted(std::uint64_t count, std::string_view noun) {
    out_ << ", " << count << ' ' << noun << (count == 1 ? "" : "s");
  }

  // ---- lines

  void header() {
    out_ << "pt2 " << m_.schema_major << '.' << m_.schema_minor << ": ";
    quoted(m_.name);
    if (m_.torch_version.size != 0) out_ << " of PyTorch ", shown(m_.torch_version);
    counted(m_.graphs[0].nodes.count, "node");
    counted(m_.weights.count, "weight");
    counted(m_.constants.count, "constant");
    if (m_.programs > 1) counted(m_.programs, "program");
    out_ << '\n';
  }
  void constraint(const range_constraint& c) {
    shown(c.symbol);
    out_ << " = ";
    if (c.has_min) out_ << c.min;
    out_ << "..";
    if (c.has_max) out_ << c.max;
    out_ << '\n';
  }
  void indent(std::uint32_t depth) {
    for (std::uint32_t i = 0; i < depth && i < 32; ++i) out_ << "  ";
  }

  void graph(std::uint32_t index, std::uint32_t depth) {
    const pt2::graph& g = m_.graphs[index];
    const range kinds[] = {g.tensors, g.sym_ints, g.sym_bools, g.sym_floats, g.objects};
    std::size_t count = 0;
    for (const range r : kinds) count += r.count;
    name_table names(m_, count);
    for (const range r : kinds)
      for (std::uint32_t i = r.first; i < r.first + r.count; ++i)
        names.insert(m_.values[i].name, i);
    names_ = &names;
    for (std::uint32_t i = 0; i < g.inputs.count; ++i) {
      indent(depth);
      defined(m_.arguments[g.inputs.first + i]);
      out_ << " = ";
      if (index == 0 && i < m_.inputs.size())
        input(m_.inputs[i]);
      else
        out_ << "input";
      out_ << '\n';
    }
    for (const pt2::node& n : nodes(m_, g)) {
      node(n, depth);
      for (const argument& a : arguments(m_, n.inputs)) {
        if (a.kind != argument_kind::graph) continue;
        indent(depth + 1);
        shown(a.text);
        out_ << ":\n";
        graph(static_cast<std::uint32_t>(a.integer), depth + 2);
        names_ = &names;
      }
    }
    indent(depth);
    out_ << "return ";
    values(g.outputs, false);
    out_ << '\n';
  }
  /// A name with its type, or its value.
  void defined(const argument& a) {
    value_of_argument(a);
    if (!a.is_named) return;
    const std::uint32_t v = names_->find(text_of(m_, a.text));
    if (v == none) return;
    const value& of = m_.values[v];
    switch (of.kind) {
      case value_kind::tensor: out_ << ": ", tensor(m_.tensors[of.meta]); break;
      case value_kind::sym_int: number(m_.scalars[of.meta], ": int "); break;
      case value_kind::sym_bool: number(m_.scalars[of.meta], ": bool "); break;
      case value_kind::sym_float: number(m_.scalars[of.meta], ": float "); break;
      case value_kind::custom_object: out_ << ": ", shown(of.class_name); break;
    }
  }
  void values(range r, bool with_types) {
    for (std::uint32_t i = 0; i < r.count; ++i) {
      const argument& a = m_.arguments[r.first + i];
      if (i != 0) out_ << ", ";
      if (a.kind == argument_kind::tensors && with_types)
        out_ << '[', values(a.items, true), out_ << ']';
      else if (with_types)
        defined(a);
      else
        value_of_argument(a);
    }
  }
  void input(const input_spec& s) {
    switch (s.kind) {
      case input_kind::user_input: out_ << "input"; return;
      case input_kind::constant_input: out_ << "constant input ", shown(s.target); return;
      case input_kind::token: out_ << "token"; return;
      case input_kind::parameter: out_ << "parameter "; break;
      case input_kind::buffer:
        out_ << (s.is_persistent ? "buffer " : "non-persistent buffer ");
        break;
      case input_kind::tensor_constant: out_ << "constant "; break;
      case input_kind::custom_object: out_ << "object "; break;
    }
    quoted(s.target);
    const bool is_weight =
        s.kind == input_kind::parameter || (s.kind == input_kind::buffer && s.is_persistent);
    const std::uint32_t i = (is_weight ? weights_ : constants_).find(text_of(m_, s.target));
    if (i == none) return;
    const stored_tensor& t = m_.stored[i];
    out_ << " (", shown(t.path);
    out_ << ", " << m_.members[t.member].size << " bytes" << (t.is_pickled ? ", pickled)" : ")");
  }

  void node(const pt2::node& n, std::uint32_t depth) {
    indent(depth);
    if (n.outputs.count != 0) values(n.outputs, true), out_ << " = ";
    append_shown(out_, short_target(m_, n));
    out_ << '(';
    std::string_view between;
    for (const argument& a : arguments(m_, n.inputs)) {
      out_ << between;
      between = ", ";
      if (a.how == passing::keyword) shown(a.name), out_ << '=';
      value_of_argument(a);
    }
    out_ << ')';
    if (options_.modules) comment(module_path(metadata(m_, n, "nn_module_stack")));
    out_ << '\n';
    if (!options_.stack_traces) return;
    std::string_view trace = metadata(m_, n, "stack_trace");
    while (!trace.empty()) {
      const std::size_t end = trace.find('\n');
      indent(depth + 1);
      append_shown(out_ << "# ", trace.substr(0, end));
      out_ << '\n';
      trace.remove_prefix(end == trace.npos ? trace.size() : end + 1);
    }
  }
  void comment(std::string_view s) {
    if (!s.empty()) append_shown(out_ << "  # ", s);
  }
  /// The path of the innermost module: the second field of the last "key,path,type;…".
  [[nodiscard]] static std::string_view module_path(std::string_view stack) noexcept {
    const std::size_t last = stack.rfind(';');
    if (last != stack.npos) stack.remove_prefix(last + 1);
    const std::size_t first = stack.find(',');
    if (first == stack.npos) return {};
    stack.remove_prefix(first + 1);
    return stack.substr(0, stack.find(','));
  }

  print_options options_;
  name_table weights_, constants_;
  const name_table* names_ = nullptr;
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE text print(const model& m, const print_options& options) {
  text out;
  if (const error e = check(m); e.code != errc::ok)
    out << "pt2: " << e.name() << '\n';
  else
    detail::program_printer(out, m, options).print();
  return out;
}
TESSERA_INLINE void print(text& out, const model& m, const tensor_meta& t) {
  detail::value_printer(out, m).tensor(t);
}
TESSERA_INLINE void print(text& out, const model& m, const argument& a) {
  detail::value_printer(out, m).value_of_argument(a);
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_PRINT_HPP
