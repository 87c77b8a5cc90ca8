// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The JSON of a program and of its stored tensors, as PyTorch writes it: every member of every
// structure, in the order of the schema. Programs of schema 7 become ones of schema 8.

#ifndef TESSERA_PT2_DETAIL_WRITE_PROGRAM_HPP
#define TESSERA_PT2_DETAIL_WRITE_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/json_write.hpp"
#include "../expression.hpp"
#include "../model.hpp"
#include "read_program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// JSON with the escapes of Python's writer, which leaves nothing but printable ASCII.
[[nodiscard]] inline text in_ascii(std::string_view json) {
  text out;
  out.reserve(json.size());
  const auto escape = [&out](std::uint32_t unit) {
    out << "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out << "0123456789abcdef"[unit >> shift & 15];
  };
  std::size_t plain = 0;
  for (std::size_t i = 0; i < json.size();) {
    const auto lead = static_cast<unsigned char>(json[i]);
    if (lead < 0x7f) {
      ++i;
      continue;
    }
    out << json.substr(plain, i - plain);
    const auto tail = [&](std::size_t k) {
      return static_cast<unsigned char>(json[i + k]) & 0x3fu;
    };
    const unsigned length = utf8_length(json.data() + i, json.data() + json.size());
    std::uint32_t c = lead;
    if (length == 2) c = (lead & 0x1fu) << 6 | tail(1);
    if (length == 3) c = (lead & 0xfu) << 12 | tail(1) << 6 | tail(2);
    if (length == 4) c = (lead & 0x7u) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
    if (c >= 0x10000) {
      escape(0xd800 + ((c - 0x10000) >> 10));
      c = 0xdc00 + ((c - 0x10000) & 0x3ff);
    }
    escape(c);
    plain = i += length == 0 ? 1 : length;
  }
  out << json.substr(plain);
  return out;
}

class program_writer {
 public:
  program_writer(text& out, const model& m) : w_(out, json::spaced), m_(m) {}

  void program() {
    w_.begin_object().key("graph_module");
    graph_module();
    verbatim("opset_version", m_.opset_json);
    w_.key("range_constraints").begin_object();
    for (const range_constraint& c : m_.constraints) {
      key(c.symbol).begin_object();
      integer_or_null("min_val", c.has_min, c.min);
      integer_or_null("max_val", c.has_max, c.max);
      w_.end();
    }
    w_.end().key("schema_version").begin_object();
    const bool is_known = m_.schema_major == schema_major;
    w_.key("major").integer(schema_major);
    w_.key("minor").integer(is_known ? m_.schema_minor : schema_minor).end();
    strings("verifiers", m_.verifiers);
    text_member("torch_version", m_.torch_version);
    strings("guards_code", m_.guards);
    w_.end();
  }
  /// `numbers`: of the members with the payloads, whose names are the prefix and that; without them,
  /// names are those that were read.
  void config(range of, std::string_view prefix, view<std::uint32_t> numbers) {
    w_.begin_object().key("config").begin_object();
    for (const stored_tensor& t : stored(m_, of)) {
      key(t.name).begin_object();
      text path;
      if (numbers.empty())
        path << text_of(m_, t.path);
      else
        path << prefix << numbers[t.member];
      w_.key("path_name").string(path);
      w_.key("is_param").boolean(t.is_parameter).key("use_pickle").boolean(t.is_pickled);
      w_.key("tensor_meta");
      if (t.meta == none)
        w_.null();
      else
        tensor(m_.tensors[t.meta]);
      w_.end();
    }
    w_.end().end();
  }

 private:
  // ---- words and numbers

  json::writer& key(string s) { return w_.key(text_of(m_, s)); }
  void text_member(std::string_view name, string s) { w_.key(name).string(text_of(m_, s)); }
  void verbatim(std::string_view name, string json) {
    w_.key(name).raw(json.size == 0 ? std::string_view("{}") : text_of(m_, json));
  }
  void integer_or_null(std::string_view name, bool has, std::int64_t value) {
    w_.key(name);
    if (has)
      w_.integer(value);
    else
      w_.null();
  }
  void strings(std::string_view name, range of) {
    w_.key(name).begin_array();
    for (const string s : rows(m_.strings, of)) w_.string(text_of(m_, s));
    w_.end();
  }
  void real(double v) {
    if (v - v == 0)
      w_.number(v);
    else
      w_.string(v != v ? "NaN" : v < 0 ? "-Infinity" : "Infinity");
  }
  void number(const scalar& s) {
    w_.begin_object();
    switch (s.kind) {
      case scalar_kind::integer: w_.key("as_int").integer(s.integer); break;
      case scalar_kind::boolean: w_.key("as_bool").boolean(s.integer != 0); break;
      case scalar_kind::real: w_.key("as_float"), real(s.real); break;
    }
    w_.end();
  }
  void symbolic(const scalar& s) {
    if (!s.is_symbolic) return number(s);
    w_.begin_object().key("as_expr").begin_object();
    tessera::text expression;
    if (m_.schema_major != schema_major)
      if (const auto infix =
              read_expression(text_of(m_, s.expression), notation_of(m_.schema_major)))
        expression = write_expression(*infix);
    if (expression.size() == 0) expression << text_of(m_, s.expression);
    w_.key("expr_str").string(expression);
    if (s.kind != scalar_kind::boolean || s.has_hint) {
      w_.key("hint");
      if (s.has_hint)
        number(s);
      else
        w_.null();
    }
    w_.end().end();
  }
  void device(string type, bool has_index, std::int64_t index) {
    w_.begin_object();
    text_member("type", type);
    integer_or_null("index", has_index, index);
    w_.end();
  }
  void dimensions(std::string_view name, range of) {
    w_.key(name).begin_array();
    for (const scalar& s : scalars(m_, of)) symbolic(s);
    w_.end();
  }
  void tensor(const tensor_meta& t) {
    w_.begin_object().key("dtype").integer(static_cast<unsigned>(t.type));
    dimensions("sizes", t.sizes);
    w_.key("requires_grad").boolean(t.requires_grad).key("device");
    device(t.device, t.has_device_index, t.device_index);
    dimensions("strides", t.strides);
    w_.key("storage_offset");
    symbolic(m_.scalars[t.storage_offset]);
    w_.key("layout").integer(t.layout).end();
  }

  // ---- arguments

  void argument_union(const argument& a) {
    w_.begin_object().key(info(a.kind).variant);
    argument_value(a);
    w_.end();
  }
  void argument_value(const argument& a) {
    switch (info(a.kind).form) {
      case argument_form::none: w_.boolean(true); break;
      case argument_form::boolean: w_.boolean(a.boolean); break;
      case argument_form::integer: w_.integer(a.integer); break;
      case argument_form::real: real(a.real); break;
      case argument_form::text: w_.string(text_of(m_, a.text)); break;
      case argument_form::value:
      case argument_form::object: value_name(a); break;
      case argument_form::symbol: symbol(a); break;
      case argument_form::optional:
        w_.begin_object().key(a.boolean ? "as_tensor" : "as_none");
        if (a.boolean)
          value_name(a);
        else
          w_.boolean(true);
        w_.end();
        break;
      case argument_form::device: device(a.text, a.boolean, a.integer); break;
      case argument_form::graph:
        w_.begin_object();
        text_member("name", a.text);
        w_.key("graph");
        graph(m_.graphs[static_cast<std::size_t>(a.integer)]);
        w_.end();
        break;
      case argument_form::complex:
        w_.begin_object().key("real"), real(m_.reals[a.items.first]);
        w_.key("imag"), real(m_.reals[a.items.first + 1]);
        w_.end();
        break;
      case argument_form::integers:
        w_.begin_array();
        for (const std::int64_t v : rows(m_.integers, a.items)) w_.integer(v);
        w_.end();
        break;
      case argument_form::reals:
        w_.begin_array();
        for (const double v : rows(m_.reals, a.items)) real(v);
        w_.end();
        break;
      case argument_form::list:
        w_.begin_array();
        for (const argument& e : arguments(m_, a.items)) argument_value(e);
        w_.end();
        break;
      case argument_form::named:
        w_.begin_object();
        for (const argument& e : arguments(m_, a.items)) key(e.name), argument_union(e);
        w_.end();
        break;
    }
  }
  void value_name(const argument& a) {
    w_.begin_object();
    text_member("name", a.text);
    if (a.kind == argument_kind::custom_object) text_member("class_fqn", a.class_name);
    w_.end();
  }
  void symbol(const argument& a) {
    w_.begin_object();
    if (a.is_named) {
      text_member("as_name", a.text);
    } else {
      w_.key(constant_variant(a.kind));
      if (a.kind == argument_kind::sym_int)
        w_.integer(a.integer);
      else if (a.kind == argument_kind::sym_bool)
        w_.boolean(a.boolean);
      else
        real(a.real);
    }
    w_.end();
  }
  void argument_list(std::string_view name, range of) {
    w_.key(name).begin_array();
    for (const argument& a : arguments(m_, of)) argument_union(a);
    w_.end();
  }

  // ---- graphs

  void graph(const pt2::graph& g) {
    w_.begin_object();
    argument_list("inputs", g.inputs);
    argument_list("outputs", g.outputs);
    w_.key("nodes").begin_array();
    for (const pt2::node& n : nodes(m_, g)) node(n);
    w_.end();
    values("tensor_values", g.tensors);
    values("sym_int_values", g.sym_ints);
    values("sym_bool_values", g.sym_bools);
    w_.key("is_single_tensor_return").boolean(g.is_single_tensor_return);
    values("custom_obj_values", g.objects);
    values("sym_float_values", g.sym_floats);
    w_.end();
  }
  void values(std::string_view name, range of) {
    w_.key(name).begin_object();
    for (const value& v : rows(m_.values, of)) {
      key(v.name);
      if (v.kind == value_kind::tensor) {
        tensor(m_.tensors[v.meta]);
      } else if (v.kind != value_kind::custom_object) {
        symbolic(m_.scalars[v.meta]);
      } else {
        w_.begin_object();
        text_member("name", v.name);
        text_member("class_fqn", v.class_name);
        w_.end();
      }
    }
    w_.end();
  }
  /// Control flow of PyTorch 2.6 and earlier: the results are one list, and nothing says whether there
  /// is one.
  [[nodiscard]] bool is_earlier_control_flow(const pt2::node& n) const noexcept {
    constexpr std::string_view family = "torch.ops.higher_order.";
    return m_.container == container_kind::flat && n.is_single_tensor_return < 0 &&
           text_of(m_, n.target).substr(0, family.size()) == family;
  }
  void node(const pt2::node& n) {
    w_.begin_object();
    text_member("target", n.target);
    w_.key("inputs").begin_array();
    for (const argument& a : arguments(m_, n.inputs)) {
      w_.begin_object();
      text_member("name", a.name);
      w_.key("arg");
      argument_union(a);
      integer_or_null("kind", a.how != passing::absent, static_cast<std::int64_t>(a.how));
      w_.end();
    }
    w_.end();
    const bool is_earlier = is_earlier_control_flow(n);
    const bool is_list =
        n.outputs.count == 1 && m_.arguments[n.outputs.first].kind == argument_kind::tensors;
    argument_list("outputs",
                  is_earlier && is_list ? m_.arguments[n.outputs.first].items : n.outputs);
    w_.key("metadata").begin_object();
    for (const text_entry& e : rows(m_.metadata, n.metadata))
      key(e.key).string(text_of(m_, e.value));
    w_.end().key("is_hop_single_tensor_return");
    if (n.is_single_tensor_return >= 0 || is_earlier)
      w_.boolean(is_earlier ? !is_list : n.is_single_tensor_return != 0);
    else
      w_.null();
    w_.key("name");
    if (n.has_name)
      w_.string(text_of(m_, n.name));
    else
      w_.null();
    w_.end();
  }

  // ---- the program

  void graph_module() {
    w_.begin_object().key("graph");
    graph(m_.graphs[0]);
    w_.key("signature").begin_object().key("input_specs").begin_array();
    for (const input_spec& s : m_.inputs) input(s);
    w_.end().key("output_specs").begin_array();
    for (const output_spec& s : m_.outputs) {
      w_.begin_object().key(info(s.kind).variant).begin_object();
      bound(m_.arguments[s.argument], s.kind == output_kind::user_output, info(s.kind), s.target);
      w_.end().end();
    }
    w_.end().end().key("module_call_graph").begin_array();
    for (const module_call& c : m_.calls) call(c);
    w_.end();
    verbatim("metadata", m_.metadata_json);
    verbatim("treespec_namedtuple_fields", m_.namedtuples_json);
    w_.end();
  }
  void input(const input_spec& s) {
    const argument& a = m_.arguments[s.argument];
    w_.begin_object().key(info(s.kind).variant).begin_object();
    if (s.kind == input_kind::constant_input) {
      text_member("name", s.target);
      w_.key("value");
      argument_union(a);
    } else {
      bound(a, s.kind == input_kind::user_input, info(s.kind), s.target);
      if (s.kind == input_kind::buffer) w_.key("persistent").boolean(s.is_persistent);
    }
    w_.end().end();
  }
  void bound(const argument& a, bool any, const spec_row& row, string target) {
    w_.key("arg");
    if (any)
      argument_union(a);
    else
      value_name(a);
    if (!row.target.empty()) text_member(row.target, target);
  }
  void call(const module_call& c) {
    w_.begin_object();
    text_member("fqn", c.path);
    w_.key("signature");
    if (c.has_signature) {
      w_.begin_object();
      argument_list("inputs", c.inputs);
      argument_list("outputs", c.outputs);
      text_member("in_spec", c.in_spec);
      text_member("out_spec", c.out_spec);
      if (c.has_argument_names)
        strings("forward_arg_names", c.argument_names);
      else
        w_.key("forward_arg_names").null();
      w_.end();
    } else {
      w_.null();
    }
    w_.end();
  }

  json::writer w_;
  const model& m_;
};

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_WRITE_PROGRAM_HPP
