// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// From an exported program to a container: one walk over the nodes.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/container.hpp"
#include "import/views.hpp"
#include "tessera/core/findings.hpp"
#include "tessera/nac/operations.hpp"
#include "tessera/transform/import.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using pt2::argument_kind;

/// What a node of the archive is to a container.
enum class role : std::uint8_t { operation, assertion, inlined, conditional, inexpressible };

[[nodiscard]] role role_of(std::string_view target) noexcept {
  constexpr std::string_view hop = "higher_order.";
  if (target.starts_with(hop)) {
    const std::string_view name = target.substr(hop.size());
    if (name == "cond") return role::conditional;
    if (name == "wrap_with_set_grad_enabled") return role::inlined;
    return role::inexpressible;
  }
  for (const std::string_view name :
       {"aten._assert_tensor_metadata.", "aten._assert_scalar.", "aten._assert_async.",
        "aten.sym_constrain_range.", "aten.sym_constrain_range_for_size."})
    if (target.starts_with(name)) return role::assertion;
  return role::operation;
}

/// PyTorch's name of an element type, of its short one: "float32".
[[nodiscard]] std::string torch_name(pt2::element_type t) {
  const std::string_view s = info(t).name;
  if (s == "bool") return "bool";
  if (s.starts_with("bf")) return "bfloat" + std::string(s.substr(2));
  if (s.starts_with("f8")) return "float8_" + std::string(s.substr(2));
  const std::string_view kind = s[0] == 'u'   ? "uint"
                                : s[0] == 'i' ? "int"
                                : s[0] == 'c' ? "complex"
                                              : "float";
  return std::string(kind) + std::string(s.substr(1));
}
[[nodiscard]] std::string_view memory_format_name(std::int64_t code) noexcept {
  constexpr std::string_view names[] = {"", "contiguous_format", "channels_last",
                                        "channels_last_3d", "preserve_format"};
  return code >= 1 && code <= 4 ? names[code] : names[0];
}
[[nodiscard]] std::string_view layout_name(std::int64_t code) noexcept {
  constexpr std::string_view names[] = {"",           "sparse_coo", "sparse_csr", "sparse_csc",
                                        "sparse_bsr", "sparse_bsc", "_mkldnn",    "strided"};
  return code >= 1 && code <= 7 ? names[code] : names[0];
}

/// The operation that a container calls nac.add or the like, under that name: where PyTorch's means
/// the same, results and views included.
[[nodiscard]] std::string canonical(std::string_view target) {
  const nac::operation o = nac::find_operation(target);
  if (o == nac::operation::unknown || nac::is_in_place(target)) return std::string(target);
  const std::string_view name = nac::name(o);
  if (!name.starts_with("nac.")) return std::string(target);
  std::string_view base = target;
  base.remove_prefix(std::min(base.size(), std::string_view("aten.").size()));
  base = base.substr(0, base.find('.'));
  const bool is_product = base == "mm" || base == "bmm";
  if (base == name.substr(4) || (is_product && name == "nac.matmul")) return std::string(name);
  return std::string(target);
}

class importer : container_builder {
 public:
  importer(const pt2::program& p, const import_options& options, report* found)
      : container_builder(options.form),
        p_(p),
        m_(p.model()),
        options_(options),
        found_(found, options.max_diagnostics),
        views_(std::make_shared<gathered_views>(m_)) {
    at_.assign(m_.values.size(), none);
  }

  [[nodiscard]] result<imported> run() {
    for (const pt2::output_spec& o : m_.outputs) user_outputs_ += is_operand(o) ? 1u : 0u;
    find_changed_buffers();
    inputs();
    nodes_of(m_.graphs[0]);
    keep_states();
    outputs();
    if (found_.failed()) return found_.first_error();
    result<nac::parts> made = finish();
    if (!made) return made.error();
    return imported{std::move(*made), views_};
  }

 private:
  // ---- what is refused

  /// Begins a finding about a node: its name, its operation, its module, its line of Python.
  detail::findings::writer refuse(errc code, const pt2::node& n) {
    const std::string_view modules = metadata(m_, n, "nn_module_stack");
    const std::string_view trace = metadata(m_, n, "stack_trace");
    auto out = found_.error(code, {0, n.offset});
    out << short_target(m_, n);
    if (n.has_name) out << " (" << text_of(m_, n.name) << ')';
    if (const std::string module = module_path(modules); !module.empty())
      out << " in " << std::string_view(module);
    if (const std::size_t file = trace.rfind("File \""); file != trace.npos)
      out << ", " << trace.substr(file, trace.find('\n', file) - file);
    return out << ": ";
  }
  /// The path of the innermost module: key,path,type joined by ';'.
  [[nodiscard]] static std::string module_path(std::string_view stack) {
    const std::string_view last = stack.substr(stack.rfind(';') + 1);
    const std::size_t first = last.find(','), second = last.rfind(',');
    if (first == last.npos || first == second) return {};
    return std::string(last.substr(first + 1, second - first - 1));
  }

  std::uint32_t take(std::uint32_t list, std::size_t element) {
    return call("getitem",
                {{'T', list, 0}, {'i', none, integer(static_cast<std::int64_t>(element))}});
  }

  // ---- inputs and parameters

  void find_changed_buffers() {
    for (const pt2::output_spec& o : m_.outputs)
      if (o.kind == pt2::output_kind::buffer_mutation) changed_.emplace(text_of(m_, o.target));
    // In programs with in-place forms: what one of them writes to, or to views of.
    std::vector<std::uint32_t> base(m_.values.size());
    std::iota(base.begin(), base.end(), 0u);
    for (const pt2::node& n : nodes(m_, m_.graphs[0])) {
      const view<pt2::argument> in = arguments(m_, n.inputs), out = arguments(m_, n.outputs);
      const std::uint32_t from = in.empty() ? none : p_.value_of(in[0]);
      if (from == none) continue;
      const bool writes = nac::is_in_place(short_target(m_, n));
      if (writes || is_view(short_target(m_, n)))
        for (const pt2::argument& o : out) share_base(o, base[from], base);
      const pt2::definition& of = p_.definition_of(base[from]);
      if (!writes || of.node != none || of.position >= m_.inputs.size()) continue;
      const pt2::input_spec& s = m_.inputs[of.position];
      if (s.kind == pt2::input_kind::buffer) changed_.emplace(text_of(m_, s.target));
    }
  }
  void share_base(const pt2::argument& o, std::uint32_t of,
                  std::vector<std::uint32_t>& base) const {
    if (const std::uint32_t v = p_.value_of(o); v != none) base[v] = of;
    if (info(o.kind).form == pt2::argument_form::list)
      for (const pt2::argument& item : arguments(m_, o.items)) share_base(item, of, base);
  }
  /// Whether an operation's results may be views of its first argument.
  [[nodiscard]] static bool is_view(std::string_view target) {
    for (const std::string_view name :
         {"aten.select.", "aten.slice.", "aten.narrow.", "aten.view.", "aten.reshape.",
          "aten.transpose.", "aten.permute.", "aten.t.", "aten.unsqueeze.", "aten.squeeze.",
          "aten.expand.", "aten.alias.", "aten.detach.", "aten.split.", "aten.split_with_sizes.",
          "aten.chunk.", "aten.unbind.", "aten.diagonal."})
      if (target.starts_with(name)) return true;
    return false;
  }

  void inputs() {
    for (std::uint32_t i = 0; i < m_.inputs.size(); ++i) {
      const pt2::input_spec& s = m_.inputs[i];
      const std::uint32_t v = p_.value_of(s.argument);
      switch (s.kind) {
        case pt2::input_kind::user_input:
          if (v != none) user_input(v);
          break;
        case pt2::input_kind::parameter:
        case pt2::input_kind::buffer:
        case pt2::input_kind::tensor_constant:
          if (v != none && is_used(v)) parameter(i, s, v);
          break;
        case pt2::input_kind::custom_object:
        case pt2::input_kind::token:
        case pt2::input_kind::constant_input: break;  // refused where a node takes one
      }
    }
  }
  [[nodiscard]] bool is_used(std::uint32_t v) const { return p_.definition_of(v).uses != 0; }

  void user_input(std::uint32_t v) {
    at_[v] = add(nac::op_input, 0);
    ++parts.inputs;
    parts.add_name(parts.input_names, static_cast<std::uint16_t>(at_[v]),
                   text_of(m_, m_.values[v].name));
  }

  void parameter(std::uint32_t input, const pt2::input_spec& s, std::uint32_t v) {
    const std::uint32_t index = p_.stored_of(input);
    if (index == none) return;
    const pt2::stored_tensor& stored = m_.stored[index];
    // Tied weights are one parameter, and one tensor where a program changes them.
    const std::string key = views_->key(stored);
    if (const auto same = parameters_.find(key); same != parameters_.end()) {
      at_[v] = same->second;
      return;
    }
    const pt2::tensor_meta& meta = m_.tensors[stored.meta];
    nac::tensor_part t;
    if (!type_of(meta.type, t.type)) {
      found_.error(errc::pt2_import_type, {0, stored.offset})
          << text_of(m_, stored.name) << " is " << info(meta.type).name
          << ", which NAC has no code for";
      return;
    }
    if (parts.parameters.size() >= nac::max_id) {
      refuse_count("parameters", nac::max_id);
      return;
    }
    t.id = static_cast<std::uint16_t>(parts.parameters.size() + 1);
    std::vector<std::uint32_t> shape;
    if (!shape_of(stored, shape)) return;
    t.shape = parts.add_numbers({shape.data(), shape.size()});
    t.data = views_->payload_of(stored);
    parts.tensors.push_back(t);
    parts.add_name(parts.parameters, t.id, text_of(m_, stored.name));
    at_[v] = add(nac::op_input, static_cast<std::uint8_t>(nac::input::parameter), {t.id});
    parameters_.emplace(key, at_[v]);
    if (options_.states && s.kind == pt2::input_kind::buffer &&
        changed_.count(text_of(m_, s.target)) != 0 && !shape.empty() &&
        std::find(shape.begin(), shape.end(), 0u) == shape.end())
      state(v, text_of(m_, s.target), meta, shape);
  }

  // ---- states: 32-bit floats of shape [1, 1, n, 1], for all that NAC says about one before the first
  // run is that it is empty in dimension 2

  struct changed_state {
    std::uint32_t value;        ///< of the program's input
    std::uint32_t instruction;  ///< INPUT 2
    std::string_view buffer;
    pt2::element_type type;
    std::uint32_t length;
  };

  /// Gives a buffer the value of the run before or, in the first one, of the archive.
  void state(std::uint32_t v, std::string_view buffer, const pt2::tensor_meta& meta,
             const std::vector<std::uint32_t>& shape) {
    std::uint64_t count = 1;
    for (const std::uint32_t size : shape) count *= size;
    const std::uint64_t length = info(meta.type).bytes == 8 ? 2 * count : count;
    if (length > 0x7fffffff) return refuse_count("elements of a state", 0x7fffffff);
    const std::uint32_t initial = at_[v];
    const std::uint32_t kept =
        add(nac::op_input, static_cast<std::uint8_t>(nac::input::state), {++last_state_});
    const std::uint32_t size = call("aten.sym_size.int", {{'T', kept, 0}, {'i', none, integer(2)}});
    const std::uint32_t is_first =
        call("aten.eq.Scalar", {{'T', size, 0}, {'i', none, integer(0)}});
    const std::uint16_t to_predicate = back_to(is_first);
    const std::uint32_t chosen = add(nac::op_control_flow, 0, {1, 0}, {to_predicate});
    call("nac.pass", {{'T', initial, 0}});
    std::uint32_t value = kept;
    if (info(meta.type).bytes >= 4 && meta.type != pt2::element_type::float32) {
      value = call("nac.view", {{'T', value, 0}, list_of({static_cast<std::uint32_t>(length)})});
      value = call("aten.view.dtype", {{'T', value, 0}, name_of(meta.type)});
    } else if (meta.type != pt2::element_type::float32) {
      value = call("aten.to.dtype", {{'T', value, 0}, name_of(meta.type)});
    }
    call("nac.view", {{'T', value, 0}, list_of(shape)});
    parts.words[parts.instructions[chosen].c.first + 1] =
        static_cast<std::uint16_t>(next() - chosen - 2);
    at_[v] = call("nac.clone", {{'T', chosen, 0}});
    states_.push_back({v, kept, buffer, meta.type, static_cast<std::uint32_t>(length)});
  }
  /// Keeps what the buffers hold at the end of a run.
  void keep_states() {
    std::map<std::string_view, std::uint32_t> last;  // by buffer, where the signature says so
    for (const pt2::output_spec& o : m_.outputs)
      if (const std::uint32_t v = p_.value_of(o.argument);
          o.kind == pt2::output_kind::buffer_mutation && v != none && at_[v] != none)
        last[text_of(m_, o.target)] = at_[v];
    for (const changed_state& s : states_) {
      const auto said = last.find(s.buffer);
      std::uint32_t value = said != last.end() ? said->second : at_[s.value];
      const bool has_bits = info(s.type).bytes >= 4;
      if (!has_bits)
        value = call("aten.to.dtype", {{'T', value, 0}, name_of(pt2::element_type::float32)});
      if (has_bits && s.type != pt2::element_type::float32) {
        const std::uint32_t count = info(s.type).bytes == 8 ? s.length / 2 : s.length;
        value = call("nac.view", {{'T', value, 0}, list_of({count})});
        value = call("aten.view.dtype", {{'T', value, 0}, name_of(pt2::element_type::float32)});
      }
      value = call("nac.view", {{'T', value, 0}, list_of({1, 1, s.length, 1})});
      call("aten.copy.default", {{'T', s.instruction, 0}, {'T', value, 0}});
    }
  }
  [[nodiscard]] operand list_of(const std::vector<std::uint32_t>& values) {
    return {'S', none, list(nac::constant_type::int32_list, values)};
  }
  [[nodiscard]] operand name_of(pt2::element_type t) { return {'c', none, string(torch_name(t))}; }

  /// The shape of a weight. A view may repeat its storage, but not without end: false, reported.
  [[nodiscard]] bool shape_of(const pt2::stored_tensor& stored, std::vector<std::uint32_t>& shape) {
    const pt2::tensor_meta& meta = m_.tensors[stored.meta];
    const std::uint64_t most =
        std::max<std::uint64_t>(limits{}.max_bytes, payload(m_, stored).size()) /
        std::max<std::uint64_t>(info(meta.type).bytes, 1);
    std::uint64_t count = 1;
    bool is_empty = false, fits = true;
    for (const pt2::scalar& s : scalars(m_, meta.sizes)) {
      const auto size = static_cast<std::uint64_t>(s.integer);
      is_empty = is_empty || size == 0;
      fits = fits && size <= most && (count <= most / std::max<std::uint64_t>(size, 1));
      count *= std::max<std::uint64_t>(size, 1);
      shape.push_back(static_cast<std::uint32_t>(size));
      fits = fits && size <= 0xffffffff;
    }
    if (fits || (is_empty && count <= most)) return true;
    found_.error(errc::pt2_import_limit, {0, stored.offset})
        << text_of(m_, stored.name) << " repeats its storage to more than " << most << " elements";
    return false;
  }
  [[nodiscard]] static bool type_of(pt2::element_type from, nac::data_type& to) noexcept {
    for (std::size_t i = 0; i < nac::data_type_count; ++i)
      if (nac::data_types[i].name == info(from).name) {
        to = static_cast<nac::data_type>(i);
        return true;
      }
    return false;
  }
  void refuse_count(std::string_view what, std::uint64_t most) {
    if (!std::exchange(has_refused_count_, true))
      found_.error(errc::pt2_import_limit, {})
          << "more than " << most << ' ' << what << ", which a container can't number";
  }

  // ---- nodes

  void nodes_of(const pt2::graph& g) {
    for (const pt2::node& n : nodes(m_, g)) {
      switch (role_of(short_target(m_, n))) {
        case role::operation: ordinary(n); break;
        case role::assertion: break;
        case role::inlined: inlined(n); break;
        case role::conditional: conditional(n); break;
        case role::inexpressible:
          refuse(errc::pt2_import_control, n)
              << "NAC has no form for this control flow; expected cond, or to be unrolled";
          // What follows is translated as if it gave its results.
          for (const pt2::argument& o : arguments(m_, n.outputs)) bind_all(o, 0);
      }
      if (const excess e = exceeds(); e.most != 0) return refuse_count(e.what, e.most);
    }
  }
  void bind_all(const pt2::argument& o, std::uint32_t instruction) {
    if (const std::uint32_t v = p_.value_of(o); v != none) at_[v] = instruction;
    if (info(o.kind).form == pt2::argument_form::list)
      for (const pt2::argument& item : arguments(m_, o.items)) bind_all(item, instruction);
  }

  void ordinary(const pt2::node& n) {
    operands of;
    for (const pt2::argument& a : arguments(m_, n.inputs)) {
      // It says nothing about values, and could be taken for the end of a list of sizes.
      if (text_of(m_, a.name) == "pin_memory") continue;
      if (!append(n, a, of)) return bind_outputs(n, 0);
    }
    bind_outputs(n, call(canonical(short_target(m_, n)), of));
  }

  /// The results of an instruction: one, or elements of a list.
  void bind_outputs(const pt2::node& n, std::uint32_t instruction) {
    const view<pt2::argument> out = arguments(m_, n.outputs);
    if (out.size() == 1 && info(out[0].kind).form != pt2::argument_form::list) {
      if (const std::uint32_t v = p_.value_of(out[0]); v != none) at_[v] = instruction;
      return;
    }
    const view<pt2::argument> items = out.size() == 1 ? arguments(m_, out[0].items) : out;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::uint32_t v = p_.value_of(items[i]);
      if (v != none && is_used(v)) at_[v] = take(instruction, i);
      if (info(items[i].kind).form == pt2::argument_form::list)
        refuse(errc::pt2_import_control, n) << "a list among several results has no form in NAC";
    }
  }

  [[nodiscard]] bool append_result(const pt2::node& n, const pt2::argument& a, operands& to) {
    const std::uint32_t v = p_.value_of(a);
    if (v != none && at_[v] != none) {
      to.push_back({'T', at_[v], 0});
      return true;
    }
    refuse(errc::pt2_import_argument, n)
        << text_of(m_, a.text) << " is no tensor or number that a container can hold";
    return false;
  }

  /// Appends what an argument is in a container: one operand, or one for each element of a list of
  /// results. False: reported.
  [[nodiscard]] bool append(const pt2::node& n, const pt2::argument& a, operands& to) {
    const auto put = [&to](char letter, std::uint16_t id) {
      to.push_back({letter, none, id});
      return true;
    };
    const auto put_name = [&](std::string_view name) {
      return name.empty() ? cannot(n, a) : put('c', string(name));
    };
    switch (a.kind) {
      case argument_kind::none: return put('c', null());
      case argument_kind::tensor: return append_result(n, a, to);
      case argument_kind::integer: return put('i', integer(a.integer));
      case argument_kind::real: return put('f', real(a.real));
      case argument_kind::boolean: return put('b', boolean(a.boolean));
      case argument_kind::string: return put('s', string(text_of(m_, a.text)));
      case argument_kind::integers: return append_integers(n, a, to);
      case argument_kind::reals: return append_reals(a, to);
      case argument_kind::booleans: return append_booleans(a, to);
      case argument_kind::scalar_type:
        return put('c', string(torch_name(pt2::info_of_element(a.integer).type)));
      case argument_kind::memory_format: return put_name(memory_format_name(a.integer));
      case argument_kind::layout: return put_name(layout_name(a.integer));
      case argument_kind::device: return put('c', string(text_of(m_, a.text)));
      case argument_kind::sym_int:
        return a.is_named ? append_result(n, a, to) : put('i', integer(a.integer));
      case argument_kind::sym_float:
        return a.is_named ? append_result(n, a, to) : put('f', real(a.real));
      case argument_kind::sym_bool:
        return a.is_named ? append_result(n, a, to) : put('b', boolean(a.boolean));
      case argument_kind::optional_tensor:
        return a.is_named ? append_result(n, a, to) : put('c', null());
      case argument_kind::tensors:
      case argument_kind::optional_tensors:
      case argument_kind::sym_ints:
      case argument_kind::sym_floats:
      case argument_kind::sym_bools:
        for (const pt2::argument& item : arguments(m_, a.items))
          if (!append(n, item, to)) return false;
        return true;
      case argument_kind::strings:
      case argument_kind::graph:
      case argument_kind::custom_object:
      case argument_kind::operation:
      case argument_kind::complex:
      case argument_kind::nested_tensors:
      case argument_kind::integer_lists:
      case argument_kind::named_arguments:
      case argument_kind::real_lists: return cannot(n, a);
    }
    return cannot(n, a);
  }
  [[nodiscard]] bool cannot(const pt2::node& n, const pt2::argument& a) {
    refuse(errc::pt2_import_argument, n) << "argument " << text_of(m_, a.name) << " is "
                                         << info(a.kind).variant << ", which NAC has no form for";
    return false;
  }

  [[nodiscard]] bool append_integers(const pt2::node& n, const pt2::argument& a, operands& to) {
    std::vector<std::uint32_t> words;
    for (const std::int64_t v : rows(m_.integers, a.items)) {
      if (v != static_cast<std::int32_t>(v)) {
        refuse(errc::pt2_import_argument, n) << "argument " << text_of(m_, a.name) << " holds " << v
                                             << "; expected numbers of 32 bits in a list";
        return false;
      }
      words.push_back(static_cast<std::uint32_t>(v));
    }
    to.push_back({'S', none, list(nac::constant_type::int32_list, words)});
    return true;
  }
  [[nodiscard]] bool append_reals(const pt2::argument& a, operands& to) {
    std::vector<std::uint32_t> words;
    for (const double v : rows(m_.reals, a.items))
      words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(v)));
    to.push_back({'S', none, list(nac::constant_type::float32_list, words)});
    return true;
  }
  [[nodiscard]] bool append_booleans(const pt2::argument& a, operands& to) {
    std::vector<std::uint32_t> words;
    for (const pt2::argument& item : arguments(m_, a.items)) words.push_back(item.boolean ? 1 : 0);
    to.push_back({'S', none, list(nac::constant_type::int32_list, words)});
    return true;
  }

  // ---- control flow

  [[nodiscard]] const pt2::graph& body(const pt2::argument& a) const {
    return m_.graphs[static_cast<std::size_t>(a.integer)];
  }
  /// Gives the inputs of a body the values of operands.
  [[nodiscard]] bool enter(const pt2::node& n, const pt2::graph& g,
                           const std::vector<const pt2::argument*>& given) {
    const view<pt2::argument> in = arguments(m_, g.inputs);
    for (std::size_t i = 0; i < in.size() && i < given.size(); ++i) {
      operands one;
      if (!append_result(n, *given[i], one)) return false;
      if (const std::uint32_t v = p_.value_of(in[i]); v != none) at_[v] = one[0].result;
    }
    return true;
  }
  /// The instructions that give a body's outputs.
  [[nodiscard]] std::vector<std::uint32_t> leave(const pt2::node& n, const pt2::graph& g) {
    operands of;
    for (const pt2::argument& o : arguments(m_, g.outputs))
      if (!append_result(n, o, of)) return {};
    std::vector<std::uint32_t> out;
    for (const operand& o : of) out.push_back(o.result);
    return out;
  }
  void bind(const pt2::node& n, const std::vector<std::uint32_t>& results) {
    const view<pt2::argument> out = arguments(m_, n.outputs);
    const view<pt2::argument> items =
        out.size() == 1 && info(out[0].kind).form == pt2::argument_form::list
            ? arguments(m_, out[0].items)
            : out;
    for (std::size_t i = 0; i < items.size() && i < results.size(); ++i)
      if (const std::uint32_t v = p_.value_of(items[i]); v != none) at_[v] = results[i];
  }

  /// A body without conditions: its nodes, here.
  void inlined(const pt2::node& n) {
    const pt2::graph* g = nullptr;
    std::vector<const pt2::argument*> given;
    for (const pt2::argument& a : arguments(m_, n.inputs)) {
      if (a.kind == argument_kind::graph)
        g = &body(a);
      else if (g != nullptr)
        given.push_back(&a);
    }
    if (g == nullptr || !enter(n, *g, given)) return;
    nodes_of(*g);
    bind(n, leave(n, *g));
  }

  void conditional(const pt2::node& n) {
    const view<pt2::argument> in = arguments(m_, n.inputs);
    operands predicate;
    if (in.size() < 4 || in[1].kind != argument_kind::graph || in[2].kind != argument_kind::graph ||
        in[3].kind != argument_kind::tensors) {
      refuse(errc::pt2_import_control, n)
          << "expected a predicate, two bodies and a list of operands";
      return;
    }
    if (!append(n, in[0], predicate) || predicate.size() != 1) return;
    const pt2::graph &yes = body(in[1]), &no = body(in[2]);
    const std::size_t results = arguments(m_, yes.outputs).size();
    std::vector<const pt2::argument*> given;
    for (const pt2::argument& a : arguments(m_, in[3].items)) given.push_back(&a);
    if (results != arguments(m_, no.outputs).size()) {
      refuse(errc::pt2_import_control, n)
          << "the branches have " << results << " and " << arguments(m_, no.outputs).size()
          << " results; expected equally many";
      return;
    }
    if (predicate[0].result == none)  // nothing to choose at run time
      predicate[0].result = call("aten.scalar_tensor.default", predicate);
    if (results != 1 && results != user_outputs_) {
      refuse(errc::pt2_import_control, n)
          << "the branches have " << results << " results; a container of " << user_outputs_
          << " outputs expects 1" << (user_outputs_ == 1 ? "" : " or that many");
      for (const pt2::argument& o : arguments(m_, n.outputs)) bind_all(o, 0);
      return;
    }
    const std::uint16_t to_predicate = back_to(predicate[0].result);
    const std::uint32_t at = add(nac::op_control_flow, 0, {0, 0}, {to_predicate});
    const std::uint32_t lengths = parts.instructions[at].c.first;
    const std::uint32_t first = next();
    branch(n, yes, given, results);
    const std::uint32_t second = next();
    branch(n, no, given, results);
    parts.words[lengths] = static_cast<std::uint16_t>(second - first);
    parts.words[lengths + 1] = static_cast<std::uint16_t>(next() - second);
    std::vector<std::uint32_t> made;
    for (std::size_t i = 0; i < results; ++i) made.push_back(results == 1 ? at : take(at, i));
    bind(n, made);
  }
  /// Its last instruction gives the value.
  void branch(const pt2::node& n, const pt2::graph& g,
              const std::vector<const pt2::argument*>& given, std::size_t results) {
    if (!enter(n, g, given)) return;
    const std::uint32_t before = next();
    nodes_of(g);
    const std::vector<std::uint32_t> out = leave(n, g);
    if (out.size() != results) return;
    if (results == 1) {
      if (out[0] + 1 != next() || next() == before) call("nac.pass", {{'T', out[0], 0}});
    } else {
      output(1, out);
    }
  }

  // ---- outputs

  /// Whether OUTPUT has an operand for it: for tensors and numbers, not for None.
  [[nodiscard]] bool is_operand(const pt2::output_spec& o) const {
    return o.kind == pt2::output_kind::user_output &&
           m_.arguments[o.argument].kind != argument_kind::none;
  }
  void output(std::uint8_t variant, const std::vector<std::uint32_t>& results) {
    std::vector<std::uint16_t> d;
    for (const std::uint32_t r : results) d.push_back(back_to(r));
    add(nac::op_output, variant, std::vector<std::uint16_t>(results.size(), 0), d);
  }
  void outputs() {
    std::vector<std::uint32_t> results;
    for (const pt2::output_spec& o : m_.outputs) {
      if (!is_operand(o)) continue;
      const pt2::argument& a = m_.arguments[o.argument];
      const std::uint32_t v = p_.value_of(o.argument);
      if (v != none && at_[v] != none) {
        results.push_back(at_[v]);
      } else if (a.kind == argument_kind::integer || a.kind == argument_kind::sym_int) {
        results.push_back(call("aten.scalar_tensor.default", {{'i', none, integer(a.integer)}}));
      } else {
        found_.error(errc::pt2_import_output, {0, o.offset})
            << "output " << text_of(m_, a.text) << " is " << info(a.kind).variant
            << "; expected a tensor or a number";
        return;
      }
    }
    if (results.size() > nac::max_id) return refuse_count("outputs", nac::max_id);
    parts.outputs = static_cast<std::uint16_t>(results.size());
    output(0, results);
  }

  const pt2::program& p_;
  const pt2::model& m_;
  const import_options& options_;
  detail::findings found_;
  std::shared_ptr<gathered_views> views_;
  std::vector<std::uint32_t> at_;  // by value: the instruction that gives it
  std::map<std::string, std::uint32_t> parameters_;
  std::set<std::string_view> changed_;  // names of buffers
  std::vector<changed_state> states_;
  std::size_t user_outputs_ = 0;  // operands of OUTPUT
  std::uint16_t last_state_ = 0;
  bool has_refused_count_ = false;
};

}  // namespace

result<imported> import(const pt2::program& p, const import_options& options, report* found) {
  return importer(p, options, found).run();
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
