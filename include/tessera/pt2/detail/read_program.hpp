// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Reads the JSON of a program, and that of the weights and constants. Each function reads as the
// schema does: the members of one structure, which are required, and what the others default to.

#ifndef TESSERA_PT2_DETAIL_READ_PROGRAM_HPP
#define TESSERA_PT2_DETAIL_READ_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/json_read.hpp"
#include "../../core/limits.hpp"
#include "../../core/number.hpp"
#include "../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// The member of the union for a constant symbol of this kind.
[[nodiscard]] constexpr std::string_view constant_variant(argument_kind k) noexcept {
  return k == argument_kind::sym_int    ? "as_int"
         : k == argument_kind::sym_bool ? "as_bool"
                                        : "as_float";
}

class program_reader {
 public:
  /// `base` is the offset of the JSON in the archive; `is_inflated`: all offsets are the base.
  program_reader(std::string_view json, const limits& limit, std::uint64_t base, bool is_inflated,
                 model& out)
      : limit_(limit),
        base_(base),
        is_inflated_(is_inflated),
        expected_major_(out.schema_major),
        has_bare_reals_(out.schema_major < schema_major || out.schema_minor <= 2),
        in_(json, limit),
        m_(out) {
    if (json.substr(0, 1) == "\xEF") fail(errc::json_expected_object, 0);  // a byte order mark
  }

  [[nodiscard]] error read() {
    program();
    return finish();
  }

  /// Appends to model::stored.
  [[nodiscard]] error read_config(range& out) {
    out.first = count(m_.stored);
    config();
    out.count = count(m_.stored) - out.first;
    return finish();
  }

 private:
  /// Which of an object's required members were there.
  struct required {
    required(program_reader& r, unsigned mask) : reader(r), at(r.offset()), wanted(mask) {}
    ~required() {
      if ((seen & wanted) != wanted) reader.fail(errc::pt2_missing, at);
    }
    required(const required&) = delete;
    required& operator=(const required&) = delete;
    program_reader& reader;
    std::uint64_t at;
    unsigned wanted, seen = 0;
  };

  // What is called at many places, and would take long to compile at each.
  [[gnu::noinline]] void object() { in_.object(); }
  [[gnu::noinline]] void array() { in_.array(); }
  [[nodiscard, gnu::noinline]] bool next(std::string_view& key) { return in_.key(key); }
  [[nodiscard, gnu::noinline]] bool element() { return in_.element(); }
  [[nodiscard, gnu::noinline]] json::kind peek() { return in_.peek(); }
  [[nodiscard, gnu::noinline]] std::uint64_t offset() { return in_.offset(); }
  [[nodiscard, gnu::noinline]] std::int64_t integer() { return in_.int64(); }
  [[nodiscard, gnu::noinline]] bool boolean() { return in_.boolean(); }
  [[nodiscard, gnu::noinline]] string text() { return add(in_.string()); }
  [[gnu::noinline]] std::string_view skip() { return in_.skip(); }
  [[gnu::cold, gnu::noinline]] void fail(errc code, std::uint64_t at) { in_.fail(code, at); }

  [[nodiscard]] error finish() {
    error e = in_.finish();
    if (e.code != errc::ok) e.offset = is_inflated_ ? base_ : base_ + e.offset;
    return e;
  }
  [[nodiscard]] std::uint64_t here() { return is_inflated_ ? base_ : base_ + offset(); }
  template <class T>
  [[nodiscard]] static std::uint32_t count(const pool<T>& of) noexcept {
    return static_cast<std::uint32_t>(of.size());
  }
  /// A new entry of a pool, of a list that begins at `first`.
  template <class T>
  void append(pool<T>& to, const T& row, std::size_t first) {
    if (to.size() - first >= limit_.max_items || to.size() >= none - 1)
      fail(errc::too_many_items, offset());
    else
      to.push_back(row);
  }
  /// A new entry that isn't of a list.
  template <class T>
  [[nodiscard]] std::uint32_t append(pool<T>& to, const T& row) {
    append(to, row, to.size());
    return count(to) - 1;
  }
  [[nodiscard]] string add(std::string_view s) {
    const std::size_t first = m_.characters.size();
    if (s.size() >= none - first) return fail(errc::too_many_items, offset()), string();
    m_.characters << s;
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(s.size())};
  }
  [[nodiscard]] bool accept_null() {
    if (peek() != json::kind::null) return false;
    in_.null();
    return true;
  }
  /// The text of an object, which nothing here looks into.
  [[nodiscard]] string verbatim_object() {
    if (peek() != json::kind::object) fail(errc::json_expected_object, offset());
    return add(skip());
  }
  [[nodiscard]] range strings() {
    range r{count(m_.strings), 0};
    for (array(); element();) append(m_.strings, text(), r.first);
    r.count = count(m_.strings) - r.first;
    return r;
  }
  [[nodiscard]] double real() {
    constexpr double infinity = tessera::detail::infinity;
    struct named_real {
      std::string_view name;
      double value;
    };
    const named_real reals[] = {
        {"Infinity", infinity}, {"-Infinity", -infinity}, {"NaN", infinity - infinity}};
    if (peek() == json::kind::string) {
      const std::uint64_t at = offset();
      const std::string_view s = in_.string();
      for (const named_real& r : reals)
        if (s == r.name) return r.value;
      fail(errc::pt2_real, at);
    } else if (has_bare_reals_) {
      const std::string_view rest = in_.rest();
      for (const named_real& r : reals)
        if (rest.substr(0, r.name.size()) == r.name)
          return in_.resume(rest.data() + r.name.size()), r.value;
    }
    return in_.number().value;
  }
  /// The value of as_none.
  void no_value() {
    const std::uint64_t at = offset();
    if (expected_major_ == schema_major && !boolean()) fail(errc::pt2_none, at);
    if (expected_major_ == schema_major) return;
    array();
    if (element()) fail(errc::pt2_none, at);
  }
  /// Enters a union. True: its variant is in `key`, and the value is to be read; then leave().
  [[nodiscard]] bool enter(std::string_view& key) {
    const std::uint64_t at = offset();
    object();
    if (next(key)) return true;
    fail(errc::pt2_union, at);
    return false;
  }
  void leave(std::uint64_t at) {
    std::string_view key;
    if (next(key)) fail(errc::pt2_union, at);
  }

  // ---- values

  /// A SymInt, SymFloat or SymBool.
  [[nodiscard]] scalar symbolic(scalar_kind kind) {
    scalar s;
    s.kind = kind;
    s.offset = here();
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return s;
    if (key == "as_expr") {
      s.is_symbolic = true;
      symbolic_expression(s);
    } else {
      number(s, key, at);
    }
    leave(at);
    return s;
  }
  void symbolic_expression(scalar& s) {
    required all(*this, 1);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "expr_str") {
        all.seen |= 1;
        s.expression = text();
      } else if (key == "hint") {
        if (accept_null()) continue;
        const std::uint64_t at = offset();
        if (!enter(key)) return;
        s.has_hint = true;
        number(s, key, at);
        leave(at);
      } else {
        skip();
      }
    }
  }
  /// The value of as_int, as_float or as_bool.
  void number(scalar& s, std::string_view variant, std::uint64_t at) {
    if (s.kind == scalar_kind::integer && variant == "as_int")
      s.integer = integer();
    else if (s.kind == scalar_kind::real && variant == "as_float")
      s.real = real();
    else if (s.kind == scalar_kind::boolean && variant == "as_bool")
      s.integer = boolean() ? 1 : 0;
    else
      fail(errc::pt2_variant, at);
  }
  [[nodiscard]] range dimensions() {
    range r{count(m_.scalars), 0};
    for (array(); element();) append(m_.scalars, symbolic(scalar_kind::integer), r.first);
    r.count = count(m_.scalars) - r.first;
    return r;
  }
  void device(string& type, bool& has_index, std::int64_t& index) {
    required all(*this, 1);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "type") {
        all.seen |= 1;
        type = text();
      } else if (key == "index") {
        has_index = !accept_null();
        if (has_index) index = integer();
      } else {
        skip();
      }
    }
  }
  [[nodiscard]] std::uint32_t tensor() {
    tensor_meta t;
    t.offset = here();
    required all(*this, 127);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "dtype") {
        all.seen |= 1;
        const std::uint64_t at = offset();
        t.type = info_of_element(integer()).type;
        if (t.type == element_type::unknown) fail(errc::pt2_element_type, at);
      } else if (key == "sizes") {
        all.seen |= 2;
        t.sizes = dimensions();
      } else if (key == "requires_grad") {
        all.seen |= 4;
        t.requires_grad = boolean();
      } else if (key == "device") {
        all.seen |= 8;
        device(t.device, t.has_device_index, t.device_index);
      } else if (key == "strides") {
        all.seen |= 16;
        t.strides = dimensions();
      } else if (key == "storage_offset") {
        all.seen |= 32;
        t.storage_offset = append(m_.scalars, symbolic(scalar_kind::integer));
      } else if (key == "layout") {
        all.seen |= 64;
        t.layout = in_.integer<std::uint8_t>(0, 255);
      } else {
        skip();
      }
    }
    return append(m_.tensors, t);
  }

  // ---- arguments

  /// A union of one of the kinds.
  [[nodiscard]] argument read_argument() {
    argument a;
    a.offset = here();
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return a;
    const argument_row* row = nullptr;
    for (const argument_row& r : argument_kinds)
      if (r.variant == key) row = &r;
    if (row == nullptr) return fail(errc::pt2_variant, at), a;
    a.kind = row->kind;
    argument_value(a);
    leave(at);
    return a;
  }
  /// What is written for an argument of a known kind.
  void argument_value(argument& a) {
    switch (info(a.kind).form) {
      case argument_form::none: no_value(); break;
      case argument_form::boolean: a.boolean = boolean(); break;
      case argument_form::integer: a.integer = integer(); break;
      case argument_form::real: a.real = real(); break;
      case argument_form::text: a.text = text(); break;
      case argument_form::value:
      case argument_form::object: value_name(a); break;
      case argument_form::symbol: symbol(a); break;
      case argument_form::optional: optional(a); break;
      case argument_form::device: device(a.text, a.boolean, a.integer); break;
      case argument_form::graph: body(a); break;
      case argument_form::complex: complex(a); break;
      case argument_form::integers:
        a.items.first = count(m_.integers);
        for (array(); element();) append(m_.integers, integer(), a.items.first);
        a.items.count = count(m_.integers) - a.items.first;
        break;
      case argument_form::reals:
        a.items.first = count(m_.reals);
        for (array(); element();) append(m_.reals, real(), a.items.first);
        a.items.count = count(m_.reals) - a.items.first;
        break;
      case argument_form::list: elements(a); break;
      case argument_form::named: named(a); break;
    }
  }
  /// {"name": …}, and "class_fqn" of objects.
  void value_name(argument& a) {
    const bool is_object = a.kind == argument_kind::custom_object;
    a.is_named = true;
    required all(*this, is_object ? 3 : 1);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "name")
        all.seen |= 1, a.text = text();
      else if (key == "class_fqn" && is_object)
        all.seen |= 2, a.class_name = text();
      else
        skip();
    }
  }
  void symbol(argument& a) {
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return;
    if (key == "as_name") {
      a.is_named = true;
      a.text = text();
    } else if (key != constant_variant(a.kind)) {
      return fail(errc::pt2_variant, at);
    } else if (a.kind == argument_kind::sym_int) {
      a.integer = integer();
    } else if (a.kind == argument_kind::sym_bool) {
      a.boolean = boolean();
    } else {
      a.real = real();
    }
    leave(at);
  }
  void optional(argument& a) {
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return;
    if (key == "as_tensor") {
      a.boolean = true;
      value_name(a);
    } else if (key == "as_none") {
      no_value();
    } else {
      return fail(errc::pt2_variant, at);
    }
    leave(at);
  }
  void complex(argument& a) {
    double parts[2] = {};
    required all(*this, 3);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "real")
        all.seen |= 1, parts[0] = real();
      else if (key == "imag")
        all.seen |= 2, parts[1] = real();
      else
        skip();
    }
    a.items = {count(m_.reals), 2};
    for (const double part : parts) append(m_.reals, part, a.items.first);
  }
  /// A list of values of one kind. Where these have parts of their own, they wait until all are read.
  void elements(argument& a) {
    argument e;
    e.kind = info(a.kind).element;
    const std::size_t waiting = waiting_.size();
    for (array(); element();) {
      argument one = e;
      one.offset = here();
      argument_value(one);
      append(waiting_, one, waiting);
    }
    a.items = settle(waiting);
  }
  void named(argument& a) {
    const std::size_t waiting = waiting_.size();
    std::string_view key;
    for (object(); next(key);) {
      const string name = add(key);
      argument one = read_argument();
      one.name = name;
      append(waiting_, one, waiting);
    }
    a.items = settle(waiting);
  }
  /// Moves the arguments that wait to the model, where they are a range.
  [[nodiscard]] range settle(std::size_t first) {
    const range r{count(m_.arguments), static_cast<std::uint32_t>(waiting_.size() - first)};
    if (m_.arguments.size() >= none - r.count) return fail(errc::too_many_items, offset()), range();
    m_.arguments.append(waiting_.data() + first, r.count);
    waiting_.shrink(first);
    return r;
  }
  [[nodiscard]] range argument_list() {
    const std::size_t waiting = waiting_.size();
    for (array(); element();) append(waiting_, read_argument(), waiting);
    return settle(waiting);
  }
  /// The body of a higher-order operator.
  void body(argument& a) {
    required all(*this, 3);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "name")
        all.seen |= 1, a.text = text();
      else if (key == "graph")
        all.seen |= 2, a.integer = graph();
      else
        skip();
    }
  }

  // ---- graphs

  [[nodiscard]] std::uint32_t graph() {
    const std::uint32_t index = append(m_.graphs, pt2::graph());
    pt2::graph g;
    g.offset = here();
    required all(*this, 63);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "inputs")
        all.seen |= 1, g.inputs = argument_list();
      else if (key == "outputs")
        all.seen |= 2, g.outputs = argument_list();
      else if (key == "nodes")
        all.seen |= 4, g.nodes = node_list();
      else if (key == "tensor_values")
        all.seen |= 8, g.tensors = values(value_kind::tensor);
      else if (key == "sym_int_values")
        all.seen |= 16, g.sym_ints = values(value_kind::sym_int);
      else if (key == "sym_bool_values")
        all.seen |= 32, g.sym_bools = values(value_kind::sym_bool);
      else if (key == "sym_float_values")
        g.sym_floats = values(value_kind::sym_float);
      else if (key == "custom_obj_values")
        g.objects = values(value_kind::custom_object);
      else if (key == "is_single_tensor_return")
        g.is_single_tensor_return = boolean();
      else
        skip();
    }
    if (!in_.failed()) m_.graphs[index] = g;
    return index;
  }
  [[nodiscard]] range values(value_kind kind) {
    range r{count(m_.values), 0};
    std::string_view key;
    for (object(); next(key);) {
      value v;
      v.name = add(key);
      v.kind = kind;
      v.offset = here();
      switch (kind) {
        case value_kind::tensor: v.meta = tensor(); break;
        case value_kind::sym_int: v.meta = one_scalar(scalar_kind::integer); break;
        case value_kind::sym_bool: v.meta = one_scalar(scalar_kind::boolean); break;
        case value_kind::sym_float: v.meta = one_scalar(scalar_kind::real); break;
        case value_kind::custom_object: {
          argument a;
          a.kind = argument_kind::custom_object;
          value_name(a);
          v.class_name = a.class_name;
          break;
        }
      }
      append(m_.values, v, r.first);
    }
    r.count = count(m_.values) - r.first;
    return r;
  }
  [[nodiscard]] std::uint32_t one_scalar(scalar_kind kind) {
    return append(m_.scalars, symbolic(kind));
  }
  [[nodiscard]] range node_list() {
    const std::size_t waiting = waiting_nodes_.size();
    for (array(); element();) append(waiting_nodes_, read_node(), waiting);
    const range r{count(m_.nodes), static_cast<std::uint32_t>(waiting_nodes_.size() - waiting)};
    m_.nodes.append(waiting_nodes_.data() + waiting, r.count);
    waiting_nodes_.shrink(waiting);
    return r;
  }
  [[nodiscard]] node read_node() {
    node n;
    n.offset = here();
    required all(*this, 15);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "target") {
        all.seen |= 1;
        n.target = text();
      } else if (key == "inputs") {
        all.seen |= 2;
        const std::size_t waiting = waiting_.size();
        for (array(); element();) append(waiting_, node_input(), waiting);
        n.inputs = settle(waiting);
      } else if (key == "outputs") {
        all.seen |= 4;
        n.outputs = argument_list();
      } else if (key == "metadata") {
        all.seen |= 8;
        n.metadata.first = count(m_.metadata);
        for (object(); next(key);) {
          const string name = add(key);
          append(m_.metadata, {name, text()}, n.metadata.first);
        }
        n.metadata.count = count(m_.metadata) - n.metadata.first;
      } else if (key == "is_hop_single_tensor_return") {
        if (!accept_null()) n.is_single_tensor_return = boolean() ? 1 : 0;
      } else if (key == "name") {
        n.has_name = !accept_null();
        if (n.has_name) n.name = text();
      } else {
        skip();
      }
    }
    return n;
  }
  [[nodiscard]] argument node_input() {
    argument a;
    string name;
    passing how = passing::absent;
    required all(*this, 3);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "name") {
        all.seen |= 1;
        name = text();
      } else if (key == "arg") {
        all.seen |= 2;
        a = read_argument();
      } else if (key == "kind") {
        if (accept_null()) continue;
        const std::int64_t code = integer();
        how = code == 1 ? passing::positional : code == 2 ? passing::keyword : passing::unknown;
      } else {
        skip();
      }
    }
    a.name = name;
    a.how = how;
    return a;
  }

  // ---- the program

  void program() {
    required all(*this, 15);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "graph_module")
        all.seen |= 1, graph_module();
      else if (key == "opset_version")
        all.seen |= 2, m_.opset_json = verbatim_object();
      else if (key == "range_constraints")
        all.seen |= 4, range_constraints();
      else if (key == "schema_version")
        all.seen |= 8, schema_version();
      else if (key == "verifiers")
        m_.verifiers = strings();
      else if (key == "torch_version")
        m_.torch_version = text();
      else if (key == "guards_code")
        m_.guards = strings();
      else
        skip();
    }
  }
  void config() {
    required all(*this, 1);
    std::string_view key;
    for (object(); next(key);) {
      if (key != "config") {
        skip();
        continue;
      }
      all.seen |= 1;
      for (object(); next(key);) stored(key);
    }
  }
  void graph_module() {
    required all(*this, 7);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "graph") {
        all.seen |= 1;
        (void)graph();
      } else if (key == "signature") {
        all.seen |= 2;
        signature();
      } else if (key == "module_call_graph") {
        all.seen |= 4;
        for (array(); element();) module_call();
      } else if (key == "metadata") {
        m_.metadata_json = verbatim_object();
      } else if (key == "treespec_namedtuple_fields") {
        m_.namedtuples_json = verbatim_object();
      } else {
        skip();
      }
    }
  }
  void signature() {
    required all(*this, 3);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "input_specs") {
        all.seen |= 1;
        for (array(); element();) append(m_.inputs, read_input_spec(), 0);
      } else if (key == "output_specs") {
        all.seen |= 2;
        for (array(); element();) append(m_.outputs, read_output_spec(), 0);
      } else {
        skip();
      }
    }
  }
  /// The row of a variant; the number of rows where there is none.
  template <std::size_t Size>
  [[nodiscard]] static std::size_t row_of(const spec_row (&rows)[Size],
                                          std::string_view variant) noexcept {
    std::size_t i = 0;
    while (i < Size && rows[i].variant != variant) ++i;
    return i;
  }
  [[nodiscard]] input_spec read_input_spec() {
    input_spec s;
    s.offset = here();
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return s;
    const std::size_t row = row_of(input_kinds, key);
    if (row == sizeof input_kinds / sizeof input_kinds[0]) return fail(errc::pt2_variant, at), s;
    s.kind = static_cast<input_kind>(row);
    argument a;
    if (s.kind == input_kind::constant_input) {
      required all(*this, 3);
      for (object(); next(key);) {
        if (key == "name")
          all.seen |= 1, s.target = text();
        else if (key == "value")
          all.seen |= 2, a = read_argument();
        else
          skip();
      }
    } else {
      a = bound(info(s.kind), s.kind == input_kind::user_input, s.kind == input_kind::custom_object,
                s.target, s.kind == input_kind::buffer ? &s.is_persistent : nullptr);
    }
    s.argument = append(m_.arguments, a);
    leave(at);
    return s;
  }
  [[nodiscard]] output_spec read_output_spec() {
    output_spec s;
    s.offset = here();
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return s;
    const std::size_t row = row_of(output_kinds, key);
    if (row == sizeof output_kinds / sizeof output_kinds[0]) return fail(errc::pt2_variant, at), s;
    s.kind = static_cast<output_kind>(row);
    s.argument = append(m_.arguments, bound(info(s.kind), s.kind == output_kind::user_output, false,
                                            s.target, nullptr));
    leave(at);
    return s;
  }
  /// {"arg": …, TARGET: …, "persistent": …}; the argument is any, or the name of a tensor or object.
  [[nodiscard]] argument bound(const spec_row& row, bool any, bool is_object, string& target,
                               bool* persistent) {
    argument a;
    required all(*this, 1u | (row.target.empty() ? 0u : 2u) | (persistent == nullptr ? 0u : 4u));
    std::string_view key;
    for (object(); next(key);) {
      if (key == "arg") {
        all.seen |= 1;
        if (any) {
          a = read_argument();
        } else {
          a.kind = is_object ? argument_kind::custom_object : argument_kind::tensor;
          a.offset = here();
          value_name(a);
        }
      } else if (!row.target.empty() && key == row.target) {
        all.seen |= 2;
        target = text();
      } else if (persistent != nullptr && key == "persistent") {
        all.seen |= 4;
        *persistent = boolean();
      } else {
        skip();
      }
    }
    return a;
  }
  void module_call() {
    pt2::module_call c;
    c.offset = here();
    {
      required all(*this, 1);
      std::string_view key;
      for (object(); next(key);) {
        if (key == "fqn")
          all.seen |= 1, c.path = text();
        else if (key == "signature" && !accept_null())
          call_signature(c);
        else if (key != "signature")
          skip();
      }
    }
    append(m_.calls, c, 0);
  }
  void call_signature(pt2::module_call& c) {
    c.has_signature = true;
    required all(*this, 15);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "inputs") {
        all.seen |= 1;
        c.inputs = argument_list();
      } else if (key == "outputs") {
        all.seen |= 2;
        c.outputs = argument_list();
      } else if (key == "in_spec") {
        all.seen |= 4;
        c.in_spec = text();
      } else if (key == "out_spec") {
        all.seen |= 8;
        c.out_spec = text();
      } else if (key == "forward_arg_names") {
        c.has_argument_names = !accept_null();
        if (c.has_argument_names) c.argument_names = strings();
      } else {
        skip();
      }
    }
  }
  void range_constraints() {
    std::string_view key;
    for (object(); next(key);) {
      range_constraint c;
      c.symbol = add(key);
      c.offset = here();
      {
        required all(*this, 3);
        for (object(); next(key);) {
          if (key == "min_val")
            all.seen |= 1, bound_of_range(c.has_min, c.min);
          else if (key == "max_val")
            all.seen |= 2, bound_of_range(c.has_max, c.max);
          else
            skip();
        }
      }
      append(m_.constraints, c, 0);
    }
  }
  void bound_of_range(bool& has, std::int64_t& value) {
    has = !accept_null();
    if (has) value = integer();
  }
  void schema_version() {
    m_.schema_offset = here();
    required all(*this, 3);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "major") {
        all.seen |= 1;
        const std::uint64_t at = offset();
        m_.schema_major = integer();
        if (m_.schema_major != expected_major_) fail(errc::pt2_schema_major, at);
      } else if (key == "minor") {
        all.seen |= 2;
        m_.schema_minor = integer();
      } else {
        skip();
      }
    }
  }

  void stored(std::string_view name) {
    stored_tensor t;
    t.name = add(name);
    t.offset = here();
    {
      required all(*this, 15);
      std::string_view key;
      for (object(); next(key);) {
        if (key == "path_name") {
          all.seen |= 1;
          t.path = text();
        } else if (key == "is_param") {
          all.seen |= 2;
          t.is_parameter = boolean();
        } else if (key == "use_pickle") {
          all.seen |= 4;
          t.is_pickled = boolean();
        } else if (key == "tensor_meta") {
          all.seen |= 8;
          if (!accept_null()) t.meta = tensor();
        } else {
          skip();
        }
      }
    }
    append(m_.stored, t, 0);
  }

  limits limit_;
  std::uint64_t base_;
  bool is_inflated_;
  std::int64_t expected_major_;
  bool has_bare_reals_;  ///< infinities and NaN without quotes
  json::reader in_;
  model& m_;
  pool<argument> waiting_;    // of lists that are open
  pool<node> waiting_nodes_;  // of graphs that are open
};

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_READ_PROGRAM_HPP
