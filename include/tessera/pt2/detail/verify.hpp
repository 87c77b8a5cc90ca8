// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of pt2/verify.hpp.

#ifndef TESSERA_PT2_DETAIL_VERIFY_HPP
#define TESSERA_PT2_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/findings.hpp"
#include "../expression.hpp"
#include "../verify.hpp"
#include "check.hpp"
#include "errors.hpp"
#include "name_table.hpp"
#include "verify_operators.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

using tessera::detail::findings;

/// The kind of the values that an argument names, if it names one.
[[nodiscard]] constexpr value_kind kind_of_value(argument_kind k) noexcept {
  return k == argument_kind::sym_int         ? value_kind::sym_int
         : k == argument_kind::sym_bool      ? value_kind::sym_bool
         : k == argument_kind::sym_float     ? value_kind::sym_float
         : k == argument_kind::custom_object ? value_kind::custom_object
                                             : value_kind::tensor;
}

/// The bytes that a view needs of its storage, for integer sizes that are not negative; false where
/// that doesn't fit into 64 bits.
[[nodiscard]] inline bool view_bytes(const model& m, const tensor_meta& t, std::uint64_t& out) {
  std::int64_t last = m.scalars[t.storage_offset].integer;
  for (std::uint32_t d = 0; d < t.sizes.count; ++d) {
    const std::int64_t size = m.scalars[t.sizes.first + d].integer;
    if (size == 0) return out = 0, true;
    std::int64_t step = 0;
    if (!checked_mul(size - 1, m.scalars[t.strides.first + d].integer, step) ||
        !checked_add(last, step, last))
      return false;
  }
  const auto elements = static_cast<std::uint64_t>(last) + 1;
  return checked_mul(elements, std::uint64_t{info(t.type).bytes}, out);
}

class verifier {
 public:
  verifier(const model& m, findings& found, pool<std::uint32_t>& values,
           pool<definition>& definitions, pool<std::uint32_t>& stored)
      : m_(m), found_(found), values_(values), definitions_(definitions), stored_(stored) {}

  void run() {
    values_.reserve(m_.arguments.size());
    for (std::size_t i = 0; i < m_.arguments.size(); ++i) values_.push_back(none);
    definitions_.resize(m_.values.size());
    about_archive();
    for (const value& v : m_.values) check_value(v);
    for (std::uint32_t i = 0; i < m_.graphs.size(); ++i) check_graph(i);
    check_signature();
    check_stored();
    check_calls();
    check_constraints();
  }

 private:
  [[nodiscard]] std::string_view text(string s) const noexcept { return text_of(m_, s); }
  findings::writer error(errc code, std::uint64_t offset) {
    return found_.error(code, {.offset = offset});
  }

  void about_archive() {
    if (m_.schema_minor > pt2::schema_minor)
      found_.note(errc::pt2_note_minor, {.offset = m_.schema_offset});
    if (m_.source.empty()) return;
    if (m_.prefix_size != 0) found_.warning(errc::pt2_note_prefix, {.offset = 0});
    if (m_.root.size == 0 && m_.container != container_kind::flat)
      found_.warning(errc::pt2_note_root, {.offset = m_.directory_offset});
    if (!m_.has_byte_order) found_.note(errc::pt2_note_byte_order, {.offset = m_.directory_offset});
  }

  // ---- tensors

  void check_value(const value& v) {
    if (v.kind == value_kind::tensor)
      check_tensor(m_.tensors[v.meta], v.name);
    else if (v.kind != value_kind::custom_object)
      check_scalar(m_.scalars[v.meta], v.name);
  }
  bool check_tensor(const tensor_meta& t, string name) {
    const auto is_wrong = [&](errc code, std::uint64_t offset) {
      error(code, offset).path() << "tensor " << text(name);
      return false;
    };
    if (t.type == element_type::unknown) return is_wrong(errc::pt2_element_type, t.offset);
    if (t.layout != strided_layout) return is_wrong(errc::pt2_layout, t.offset);
    if (t.sizes.count != t.strides.count) return is_wrong(errc::pt2_rank, t.offset);
    bool ok = true;
    for (const range r : {t.sizes, t.strides, range{t.storage_offset, 1}})
      for (const scalar& s : scalars(m_, r)) {
        ok = check_scalar(s, name) && ok;
        if (!s.is_symbolic && s.integer < 0) return is_wrong(errc::pt2_extent, s.offset);
      }
    return ok;
  }
  bool check_scalar(const scalar& s, string name) {
    if (!s.is_symbolic || read_expression(text(s.expression), notation_of(m_.schema_major)))
      return true;
    error(errc::pt2_expression, s.offset).path() << "value " << text(name);
    return false;
  }

  // ---- graphs

  void check_graph(std::uint32_t index) {
    const graph& g = m_.graphs[index];
    const range kinds[] = {g.tensors, g.sym_ints, g.sym_bools, g.sym_floats, g.objects};
    std::size_t count = 0;
    for (const range r : kinds) count += r.count;
    name_table names(m_, count);
    for (const range r : kinds)
      for (std::uint32_t i = r.first; i < r.first + r.count; ++i)
        if (!names.insert(m_.values[i].name, i)) repeated(m_.values[i].name, m_.values[i].offset);
    names_ = &names;
    graph_ = index;
    node_ = none;
    for (std::uint32_t i = 0; i < g.inputs.count; ++i) define(g.inputs.first + i, i, none);
    for (std::uint32_t i = 0; i < g.nodes.count; ++i) {
      node_ = g.nodes.first + i;
      check_node(m_.nodes[node_]);
    }
    node_ = none;
    for (std::uint32_t i = 0; i < g.outputs.count; ++i) use(g.outputs.first + i);
  }
  void repeated(string name, std::uint64_t offset) {
    place_of_node(error(errc::pt2_value_repeated, offset)
                  << "the value " << text(name) << " is defined twice");
  }

  void check_node(const node& n) {
    if (n.target.size == 0) place_of_node(error(errc::pt2_target, n.offset));
    for (std::uint32_t i = 0; i < n.inputs.count; ++i) use(n.inputs.first + i);
    for (std::uint32_t i = 0; i < n.outputs.count; ++i) {
      const argument& a = m_.arguments[n.outputs.first + i];
      switch (a.kind) {
        case argument_kind::none: break;
        case argument_kind::tensor:
        case argument_kind::sym_int:
        case argument_kind::sym_bool:
        case argument_kind::sym_float:
        case argument_kind::custom_object: define(n.outputs.first + i, i, none); break;
        case argument_kind::tensors:
          for (std::uint32_t k = 0; k < a.items.count; ++k) define(a.items.first + k, i, k);
          break;
        case argument_kind::integer:
        case argument_kind::integers:
        case argument_kind::real:
        case argument_kind::reals:
        case argument_kind::string:
        case argument_kind::strings:
        case argument_kind::sym_ints:
        case argument_kind::scalar_type:
        case argument_kind::memory_format:
        case argument_kind::layout:
        case argument_kind::device:
        case argument_kind::boolean:
        case argument_kind::booleans:
        case argument_kind::sym_bools:
        case argument_kind::graph:
        case argument_kind::optional_tensors:
        case argument_kind::operation:
        case argument_kind::sym_floats:
        case argument_kind::optional_tensor:
        case argument_kind::complex:
        case argument_kind::nested_tensors:
        case argument_kind::integer_lists:
        case argument_kind::named_arguments:
        case argument_kind::real_lists:
          place_of_node(error(errc::pt2_result_kind, a.offset));
          break;
      }
    }
    check_bodies(n);
    if (const operator_row* row = find_operator(short_target(m_, n)); row != nullptr)
      check_operator(n, *row);
  }

  /// Arguments are bound by name; those that equal the default aren't in files.
  void check_operator(const node& n, const operator_row& row) {
    std::uint32_t known = 0;
    signature s(row);
    for (parameter p; s.next(p);) {
      const argument* found = nullptr;
      for (const argument& a : arguments(m_, n.inputs)) {
        if (text(a.name) != p.name) continue;
        ++known;
        if (found != nullptr)
          place_of_argument(error(errc::pt2_argument_repeated, a.offset)
                                << "the argument " << p.name << " is given twice",
                            a);
        else if (!fits(a, p))
          place_of_argument(error(errc::pt2_argument_kind, a.offset)
                                << info(a.kind).variant << " can't be the argument " << p.name
                                << " of " << row.name << '(' << row.signature << ')',
                            a);
        found = &a;
      }
      if (found == nullptr && !p.has_default)
        place_of_node(error(errc::pt2_argument_missing, n.offset)
                      << "the argument " << p.name << " of " << row.name << " is missing");
    }
    if (known != n.inputs.count) unknown_arguments(n, row);
    check_results(n, row, s);
  }
  void unknown_arguments(const node& n, const operator_row& row) {
    for (const argument& a : arguments(m_, n.inputs)) {
      bool is_known = false;
      signature s(row);
      for (parameter p; s.next(p);) is_known = is_known || p.name == text(a.name);
      if (!is_known)
        place_of_argument(error(errc::pt2_argument_unknown, a.offset)
                              << row.name << " has no argument " << text(a.name),
                          a);
    }
  }
  void check_results(const node& n, const operator_row& row, signature& s) {
    std::uint32_t count = 0;
    bool ok = true;
    for (parameter p; s.next_result(p); ++count)
      ok = ok && count < n.outputs.count && result_fits(m_.arguments[n.outputs.first + count], p);
    if (!ok || count != n.outputs.count)
      place_of_node(error(errc::pt2_result, n.offset)
                    << "the results aren't those of " << row.name << '(' << row.signature << ')');
  }

  /// A result or an input of the graph.
  void define(std::uint32_t index, std::uint32_t position, std::uint32_t element) {
    const argument& a = m_.arguments[index];
    if (!a.is_named) return;
    const std::uint32_t v = names_->find(text(a.text));
    if (v == none) {
      place_of_node(error(errc::pt2_value_no_meta, a.offset)
                    << "the value " << text(a.text) << " has no metadata in this graph");
      return;
    }
    if (m_.values[v].kind != kind_of_value(a.kind)) wrong_kind(a);
    if (definitions_[v].graph != none) return repeated(a.text, a.offset);
    definitions_[v] = {graph_, node_, position, element, 0};
    values_[index] = v;
  }
  void wrong_kind(const argument& a) {
    place_of_node(error(errc::pt2_value_kind, a.offset)
                  << "the value " << text(a.text) << " isn't of the kind " << info(a.kind).variant);
  }
  /// An argument, or an output of the graph.
  void use(std::uint32_t index) {
    const argument& a = m_.arguments[index];
    const argument_form form = info(a.kind).form;
    if (form == argument_form::list || form == argument_form::named)
      for (std::uint32_t i = 0; i < a.items.count; ++i) use(a.items.first + i);
    if (a.kind == argument_kind::scalar_type &&
        info_of_element(a.integer).type == element_type::unknown)
      place_of_argument(error(errc::pt2_code, a.offset), a);
    if ((a.kind == argument_kind::layout && (a.integer < 0 || a.integer > strided_layout)) ||
        (a.kind == argument_kind::memory_format && (a.integer < 0 || a.integer > 4)))
      place_of_argument(error(errc::pt2_code, a.offset), a);
    if (!a.is_named) return;
    const std::uint32_t v = names_->find(text(a.text));
    if (v == none || definitions_[v].graph != graph_) {
      const errc code = v == none ? errc::pt2_value_unknown : errc::pt2_value_late;
      place_of_argument(error(code, a.offset)
                            << "the value " << text(a.text)
                            << (v == none ? " doesn't exist in this graph"
                                          : " is used before the node that defines it: a cycle, or "
                                            "a wrong order"),
                        a);
      return;
    }
    if (m_.values[v].kind != kind_of_value(a.kind)) wrong_kind(a);
    ++definitions_[v].uses;
    values_[index] = v;
  }

  /// Control flow whose arguments are bound to the inputs of its bodies, one by one.
  void check_bodies(const node& n) {
    constexpr std::string_view family = "higher_order.";
    constexpr std::string_view known[] = {"cond",
                                          "while_loop",
                                          "map_impl",
                                          "scan",
                                          "wrap_with_set_grad_enabled",
                                          "wrap_with_autocast"};
    std::string_view target = short_target(m_, n);
    if (target.substr(0, family.size()) != family) return;
    target.remove_prefix(family.size());
    bool is_known = false;
    for (const std::string_view name : known) is_known = is_known || name == target;
    if (!is_known) return;
    std::uint64_t operands = 0;
    for (const argument& a : arguments(m_, n.inputs))
      operands = a.kind == argument_kind::graph     ? 0
                 : a.kind == argument_kind::tensors ? operands + a.items.count
                                                    : operands + 1;
    for (const argument& a : arguments(m_, n.inputs)) {
      if (a.kind != argument_kind::graph) continue;
      const std::uint32_t inputs = m_.graphs[static_cast<std::size_t>(a.integer)].inputs.count;
      if (inputs == operands) continue;
      place_of_node(error(errc::pt2_body, a.offset)
                    << "the body " << text(a.text) << " has " << inputs << " inputs; got "
                    << operands << " arguments");
    }
  }

  /// The path of a finding: "node 12 (relu: aten.relu.default)".
  void place_of_node(findings::writer w) const { (void)node_path(w); }
  void place_of_argument(findings::writer w, const argument& a) const {
    node_path(w);
    if (a.name.size != 0 && node_ != none) w << ", argument " << text(a.name);
  }
  findings::writer node_path(findings::writer w) const {
    w.path();
    if (graph_ != 0) w << "graph " << graph_ << ", ";
    if (node_ == none) return w << "inputs and outputs";
    const node& n = m_.nodes[node_];
    return w << "node " << node_ - m_.graphs[graph_].nodes.first << " (" << text(n.name) << ": "
             << short_target(m_, n) << ')';
  }

  // ---- the signature

  void check_signature() {
    const graph& g = m_.graphs[0];
    stored_.reserve(m_.inputs.size());
    for (std::size_t i = 0; i < m_.inputs.size(); ++i) stored_.push_back(none);
    if (g.inputs.count != m_.inputs.size())
      error(errc::pt2_spec_count, g.offset)
          << "the signature has " << m_.inputs.size() << " inputs, the graph " << g.inputs.count;
    if (g.outputs.count != m_.outputs.size())
      error(errc::pt2_spec_count, g.offset)
          << "the signature has " << m_.outputs.size() << " outputs, the graph " << g.outputs.count;
    for (std::uint32_t i = 0; i < m_.inputs.size() && i < g.inputs.count; ++i) {
      const input_spec& s = m_.inputs[i];
      if (s.kind == input_kind::constant_input) continue;
      bind(s.argument, g.inputs.first + i, s.offset, "input", i);
    }
    for (std::uint32_t i = 0; i < m_.outputs.size() && i < g.outputs.count; ++i)
      bind(m_.outputs[i].argument, g.outputs.first + i, m_.outputs[i].offset, "output", i);
    check_targets();
  }
  /// The argument of a specification is that of the graph.
  void bind(std::uint32_t of_spec, std::uint32_t of_graph, std::uint64_t offset,
            std::string_view what, std::uint32_t i) {
    const argument &a = m_.arguments[of_spec], &b = m_.arguments[of_graph];
    values_[of_spec] = values_[of_graph];
    if (a.is_named == b.is_named && text(a.text) == text(b.text)) return;
    error(errc::pt2_spec_name, offset)
        << what << ' ' << i << " is " << text(a.text) << " in the signature and " << text(b.text)
        << " in the graph";
  }

  /// What inputs are bound to, and what outputs change.
  void check_targets() {
    name_table weights(m_, m_.weights.count), constants(m_, m_.constants.count);
    for (std::uint32_t i = m_.weights.first; i < m_.weights.first + m_.weights.count; ++i)
      weights.insert(m_.stored[i].name, i);
    for (std::uint32_t i = m_.constants.first; i < m_.constants.first + m_.constants.count; ++i)
      constants.insert(m_.stored[i].name, i);
    is_bound_.resize(m_.stored.size());
    name_table parameters(m_, m_.inputs.size()), buffers(m_, m_.inputs.size()),
        users(m_, m_.inputs.size());
    for (std::uint32_t i = 0; i < m_.inputs.size(); ++i) {
      const input_spec& s = m_.inputs[i];
      const name_table* from = &constants;
      bool is_new = true;
      switch (s.kind) {
        case input_kind::user_input: users.insert(m_.arguments[s.argument].text, i); continue;
        case input_kind::token:
        case input_kind::constant_input: continue;
        case input_kind::parameter:
          from = &weights;
          is_new = parameters.insert(s.target, i);
          break;
        case input_kind::buffer:
          if (s.is_persistent) from = &weights;
          is_new = buffers.insert(s.target, i);
          break;
        case input_kind::tensor_constant:
        case input_kind::custom_object: break;
      }
      if (!is_new)
        error(errc::pt2_spec_repeated, s.offset) << "two inputs are bound to " << text(s.target);
      bind_stored(i, from->find(text(s.target)));
    }
    for (const output_spec& s : m_.outputs) {
      const name_table* among = nullptr;
      switch (s.kind) {
        case output_kind::user_output:
        case output_kind::loss_output:
        case output_kind::token: continue;
        case output_kind::buffer_mutation: among = &buffers; break;
        case output_kind::gradient_to_parameter:
        case output_kind::parameter_mutation: among = &parameters; break;
        case output_kind::gradient_to_user_input:
        case output_kind::user_input_mutation: among = &users; break;
      }
      if (among->find(text(s.target)) == none)
        error(errc::pt2_spec_target, s.offset)
            << "no " << info(s.kind).target << " is " << text(s.target);
    }
  }
  void bind_stored(std::uint32_t input, std::uint32_t stored) {
    const input_spec& s = m_.inputs[input];
    stored_[input] = stored;
    if (stored == none) {
      error(errc::pt2_weight_unknown, s.offset)
          << "the archive has no weight or constant " << text(s.target);
      return;
    }
    is_bound_[stored] = true;
    const stored_tensor& t = m_.stored[stored];
    const std::uint32_t v = values_[s.argument];
    if (t.is_pickled || t.meta == none) {
      const bool is_used = v == none || definitions_[v].uses != 0;
      (is_used ? error(errc::pt2_pickled, t.offset)
               : found_.warning(errc::pt2_pickled, {.offset = t.offset}))
          << text(t.name)
          << (is_used ? " is pickled, which is never opened; the program uses it"
                      : " is pickled; nothing uses it");
      return;
    }
    if (v == none || m_.values[v].kind != value_kind::tensor) return;
    const tensor_meta &a = m_.tensors[t.meta], &b = m_.tensors[m_.values[v].meta];
    if (a.type != b.type || !same(a.sizes, b.sizes))
      error(errc::pt2_weight_differs, t.offset)
          << text(t.name) << " differs in type or size from the input " << text(m_.values[v].name);
    else if (!same(a.strides, b.strides))
      found_.warning(errc::pt2_weight_strides, {.offset = t.offset})
          << text(t.name) << " differs in strides from the input " << text(m_.values[v].name);
  }
  [[nodiscard]] bool same(range a, range b) const noexcept {
    if (a.count != b.count) return false;
    for (std::uint32_t i = 0; i < a.count; ++i) {
      const scalar &x = m_.scalars[a.first + i], &y = m_.scalars[b.first + i];
      if (x.is_symbolic || y.is_symbolic || x.integer != y.integer) return false;
    }
    return true;
  }

  // ---- weights and constants

  void check_stored() {
    for (std::size_t i = 0; i < m_.stored.size(); ++i) {
      const stored_tensor& t = m_.stored[i];
      if (!is_bound_[i])
        found_.note(errc::pt2_weight_unused, {.offset = t.offset})
            << "no input uses " << text(t.name);
      if (!t.is_pickled && t.meta != none) check_payload(t, m_.tensors[t.meta]);
    }
  }
  void check_payload(const stored_tensor& t, const tensor_meta& meta) {
    for (const range r : {meta.sizes, meta.strides, range{meta.storage_offset, 1}})
      for (const scalar& s : scalars(m_, r))
        if (s.is_symbolic) {
          error(errc::pt2_config_symbolic, s.offset).path() << "tensor " << text(t.name);
          return;
        }
    if (!check_tensor(meta, t.name)) return;
    std::uint64_t needed = 0;
    if (!view_bytes(m_, meta, needed)) {
      error(errc::pt2_extent, meta.offset).path() << "tensor " << text(t.name);
      return;
    }
    const std::uint64_t size = m_.members[t.member].size;
    if (size == 0 && needed != 0)
      error(errc::pt2_payload_empty, t.offset)
          << "the payload of " << text(t.name)
          << " is empty: weights were not saved (fake tensors)";
    else if (size < needed)
      error(errc::pt2_payload_short, t.offset)
          << text(t.name) << " needs " << needed << " bytes; its payload has " << size;
    else if (size % info(meta.type).bytes != 0)
      error(errc::pt2_payload_units, t.offset)
          << "the payload of " << text(t.name) << " has " << size
          << " bytes; expected a multiple of " << unsigned{info(meta.type).bytes};
  }

  // ---- calls and ranges

  void check_calls() {
    if (m_.calls.empty() || m_.calls[0].path.size != 0 || !m_.calls[0].has_signature) {
      error(errc::pt2_no_call, m_.calls.empty() ? m_.graphs[0].offset : m_.calls[0].offset);
      return;
    }
    std::uint64_t inputs = 0, outputs = 0;
    for (const input_spec& s : m_.inputs)
      inputs += s.kind == input_kind::user_input || s.kind == input_kind::constant_input ? 1 : 0;
    for (const output_spec& s : m_.outputs)
      outputs += s.kind == output_kind::user_output || s.kind == output_kind::loss_output ? 1 : 0;
    for (const module_call& c : m_.calls) {
      if (!c.has_signature) continue;
      const bool is_program = &c == m_.calls.data();
      check_tree(c, c.in_spec, is_program, inputs, "inputs");
      check_tree(c, c.out_spec, is_program, outputs, "outputs");
    }
  }
  void check_tree(const module_call& c, string spec, bool is_program, std::uint64_t leaves,
                  std::string_view what) {
    const result<tree> t = read_tree(text(spec));
    if (!t)
      error(errc::pt2_tree, c.offset)
          << "malformed tree of " << what << ", at byte " << t.error().offset;
    else if (is_program && t->leaves != leaves)
      error(errc::pt2_tree_leaves, c.offset)
          << "the tree of " << what << " has " << t->leaves << " leaves, the signature " << leaves;
  }
  void check_constraints() {
    for (const range_constraint& c : m_.constraints)
      if (c.has_min && c.has_max && c.min > c.max)
        error(errc::pt2_range, c.offset)
            << "the range of " << text(c.symbol) << " is empty: " << c.min << " to " << c.max;
  }

  const model& m_;
  findings& found_;
  pool<std::uint32_t>& values_;
  pool<definition>& definitions_;
  pool<std::uint32_t>& stored_;
  pool<bool> is_bound_;                // of model::stored
  const name_table* names_ = nullptr;  // of the graph that is checked
  std::uint32_t graph_ = 0, node_ = none;
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE result<program> verify(model m, const verify_options& options, report* found) {
  detail::findings findings(found, options.max_diagnostics);
  program p;
  p.model_ = std::move(m);
  if (const error e = check(p.model_); e.code != errc::ok) {
    findings.error(e);
    return e;
  }
  detail::verifier(p.model_, findings, p.values_, p.definitions_, p.stored_).run();
  if (findings.failed()) return findings.first_error();
  return p;
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_VERIFY_HPP
