// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/graph.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tessera/core/bytes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

[[nodiscard]] std::string text_of_bytes(const std::byte* data, std::size_t size) {
  const std::string_view s = as_text(bytes(data, size));
  return std::string(s);
}

[[nodiscard]] std::string payload_of(const nac::constant& c) {
  switch (c.type) {
    case nac::constant_type::null: return {};
    case nac::constant_type::boolean: return std::string(1, c.boolean() ? '\1' : '\0');
    case nac::constant_type::int64:
    case nac::constant_type::float64: return text_of_bytes(c.payload, 8);
    case nac::constant_type::string: return std::string(c.string());
    case nac::constant_type::int32_list:
    case nac::constant_type::float32_list:
      return text_of_bytes(c.payload, std::size_t{4} * c.length);
  }
  return {};
}

[[nodiscard]] bool is_system(const graph::node& n, std::uint8_t a, std::uint8_t b) noexcept {
  return n.what == graph::role::system && n.a == a && n.b == b;
}

}  // namespace

// ---- from a program

graph::graph(const nac::program& p) : rest_(nac::parts_of(p.model())) {
  const std::size_t count = p.size();
  nodes_.reserve(count);
  std::map<std::uint16_t, std::uint32_t> tensor_of;
  for (std::uint32_t t = 0; t < rest_.tensors.size(); ++t) tensor_of[rest_.tensors[t].id] = t;
  std::map<std::uint16_t, std::uint32_t> parameter_of;
  for (const nac::parameter& of : p.parameters()) {
    if (!of.has_name) continue;  // and so nothing asks for it
    const auto t = tensor_of.find(of.id);
    parameter_of[of.id] = static_cast<std::uint32_t>(parameters_.size());
    parameters_.push_back({std::string(of.name), t == tensor_of.end() ? none : t->second});
  }
  std::map<std::uint32_t, std::string_view> names;
  for (const nac::model_input& i : p.inputs()) names[i.instruction] = i.name;

  struct open {
    std::uint32_t opener;
    std::vector<std::uint32_t> at;  // where branches begin, and where they end
    std::size_t next = 0;
  };
  std::vector<open> around;
  std::vector<std::uint32_t> of(count);  // by instruction: its node
  const auto mark = [&](role what, std::uint32_t opener, std::uint32_t block) {
    node m;
    m.what = what;
    m.opener = opener;
    m.block = block;
    m.depth = block == none ? 0 : nodes_[block].depth + 1;
    nodes_.push_back(m);
    append(size() - 1);
    return size() - 1;
  };
  std::uint32_t block = none;
  for (std::uint32_t i = 0; i <= count; ++i) {
    while (!around.empty() && around.back().at[around.back().next] == i) {
      open& o = around.back();
      const std::uint32_t outer = nodes_[o.opener].block;
      const bool is_end = ++o.next == o.at.size();
      const std::uint32_t m = mark(is_end ? role::end : role::branch, o.opener, outer);
      nodes_[o.opener].opener = m;  // in the end, the last one
      block = is_end ? outer : m;
      if (is_end) around.pop_back();
    }
    if (i == count) break;
    const nac::step& s = p.code().steps[i];
    const view<nac::argument> given = p.code().arguments_of(s);
    of[i] = size();
    decode_step(p, i);
    node& n = nodes_.back();
    n.block = block;
    for (operand& o : n.operands)
      if (o.node != none) o.node = of[o.node];
    append(of[i]);
    if (is_parameter(of[i])) n.name = parameter_of.at(given[0].id());
    if (const auto named = names.find(i); named != names.end() && !named->second.empty())
      input_names_[of[i]] = named->second;
    if (s.a == nac::op_control_flow) {
      const std::uint32_t second = i + 1 + given[1].index();
      around.push_back({of[i], {i + 1, second, second + given[2].index()}});
    } else if (s.a == nac::op_convergence && given.size() > 2) {
      open o{of[i], {}};
      for (std::size_t k = 2; k < given.size(); ++k) o.at.push_back(given[k].index());
      o.at.push_back(given[1].index());
      around.push_back(std::move(o));
    }
  }
  forwards_.assign(nodes_.size(), none);
}

/// Operands name instructions until the caller knows their nodes.
void graph::decode_step(const nac::program& p, std::uint32_t i) {
  const nac::step& s = p.code().steps[i];
  const view<nac::argument> given = p.code().arguments_of(s);
  node n;
  n.origin = i;
  n.a = s.a;
  n.b = s.b;
  if (s.a >= nac::first_regular_op) {
    const std::string_view letters = p.model().signature(s.b);
    n.op = nac::program::operation_of(s);
    n.is_in_place = p.is_in_place(s);
    n.name = intern_name(p.model().operation_name(s.a));
    for (std::size_t k = 0; k < given.size(); ++k) {
      operand o{letters[k]};
      if (given[k].is_constant()) {
        const nac::constant& c = p.constant(given[k].id());
        o.value = intern(c.type, c.length, payload_of(c));
      } else {
        o.node = given[k].index();
      }
      n.operands.push_back(o);
    }
  } else if (s.a == nac::op_control_flow || s.a == nac::op_convergence) {
    n.what = role::opener;
    n.operands.push_back({'T', given[0].index()});
  } else {
    n.what = role::system;
    if (s.a == nac::op_output)
      for (const nac::argument a : given) n.operands.push_back({'T', a.index()});
    if (s.a == nac::op_input && s.b != 0) n.id = given[0].id();
    if (is_system(n, nac::op_input, static_cast<std::uint8_t>(nac::input::lifted_constant))) {
      const nac::constant& c = p.constant(n.id);
      n.operands.push_back({'c', none, intern(c.type, c.length, payload_of(c))});
    }
  }
  nodes_.push_back(std::move(n));
}

std::uint32_t graph::intern(nac::constant_type type, std::uint16_t length, std::string payload) {
  const std::string key = std::string(nac::name(type)) + ' ' + payload;
  const auto [at, is_new] = value_of_.emplace(key, static_cast<std::uint32_t>(values_.size()));
  if (is_new) values_.push_back({type, length, std::move(payload)});
  return at->second;
}

std::uint32_t graph::intern_name(std::string_view name) {
  const auto [at, is_new] =
      name_of_.emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return at->second;
}

// ---- questions

bool graph::is_last(std::uint32_t n) const noexcept {
  if (nodes_[n].what == role::opener && nodes_[n].opener != none) n = nodes_[n].opener;
  const std::uint32_t after = nodes_[n].next;
  return after == none || nodes_[after].what == role::branch || nodes_[after].what == role::end;
}

bool graph::contains(std::uint32_t outer, std::uint32_t inner) const noexcept {
  if (outer == none) return true;
  while (inner != none && nodes_[inner].depth > nodes_[outer].depth)
    inner = nodes_[nodes_[inner].opener].block;
  return inner == outer;
}

std::vector<std::uint32_t> graph::uses() const {
  std::vector<std::uint32_t> out(nodes_.size(), 0);
  for (std::uint32_t n = first_; n != none; n = nodes_[n].next)
    for (const operand& o : nodes_[n].operands)
      if (o.node != none) ++out[o.node];
  return out;
}

std::vector<std::uint32_t> graph::places() const {
  std::vector<std::uint32_t> out(nodes_.size(), 0);
  std::uint32_t place = 0;
  for (std::uint32_t n = first_; n != none; n = nodes_[n].next) out[n] = place++;
  return out;
}

std::optional<nac::binding> graph::bind(std::uint32_t n) const {
  std::vector<nac::argument_form> forms;
  for (const operand& o : nodes_[n].operands)
    forms.push_back(o.node != none ? nac::argument_form::result : nac::form_of(constant(o.value)));
  nac::binding b;
  const nac::match m = nac::bind(nac::pattern(nodes_[n].op), {forms.data(), forms.size()}, b);
  if (m.what != nac::match::kind::fits) return std::nullopt;
  return b;
}

const graph::operand* graph::argument(std::uint32_t n, const nac::binding& b,
                                      std::size_t letter) const noexcept {
  return b.count[letter] == 1 ? &nodes_[n].operands[b.first[letter]] : nullptr;
}

nac::constant graph::constant(std::uint32_t v) const noexcept {
  nac::constant c;
  c.type = values_[v].type;
  c.length = values_[v].length;
  c.payload = as_bytes(std::string_view(values_[v].payload)).data();
  return c;
}

std::optional<double> graph::number(const operand* o) const noexcept {
  if (o == nullptr || o->value == none) return std::nullopt;
  const nac::constant c = constant(o->value);
  switch (c.type) {
    case nac::constant_type::boolean: return c.boolean() ? 1 : 0;
    case nac::constant_type::int64: return static_cast<double>(c.int64());
    case nac::constant_type::float64: return c.float64();
    case nac::constant_type::null:
    case nac::constant_type::string:
    case nac::constant_type::int32_list:
    case nac::constant_type::float32_list: break;
  }
  return std::nullopt;
}

bool graph::is_null(const operand* o) const noexcept {
  return o != nullptr && o->value != none && values_[o->value].type == nac::constant_type::null;
}

std::string_view graph::string(const operand* o) const noexcept {
  if (o == nullptr || o->value == none || values_[o->value].type != nac::constant_type::string)
    return {};
  return values_[o->value].payload;
}

std::optional<std::vector<std::int64_t>> graph::integers(std::uint32_t n, const nac::binding& b,
                                                         std::size_t letter) const {
  std::vector<std::int64_t> out;
  for (std::size_t k = 0; k < b.count[letter]; ++k) {
    const operand& o = nodes_[n].operands[b.first[letter] + k];
    if (o.value == none) return std::nullopt;
    const nac::constant c = constant(o.value);
    if (c.type == nac::constant_type::int32_list) {
      for (std::uint32_t i = 0; i < c.length; ++i) out.push_back(c.int32_list()[i]);
    } else if (c.type == nac::constant_type::int64) {
      out.push_back(c.int64());
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::uint32_t graph::integer_list(const std::vector<std::int64_t>& values) {
  std::string payload(values.size() * 4, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto v = static_cast<std::uint32_t>(values[i]);
    for (std::size_t k = 0; k < 4; ++k)
      payload[4 * i + k] = static_cast<char>(static_cast<unsigned char>(v >> (8 * k)));
  }
  return intern(nac::constant_type::int32_list, static_cast<std::uint16_t>(values.size()),
                std::move(payload));
}

// ---- parameters

const nac::tensor_part* graph::tensor_of(std::uint32_t n) const noexcept {
  const std::uint32_t t = parameter_of(n).tensor;
  return t == none ? nullptr : &rest_.tensors[t];
}

std::uint32_t graph::add_parameter(std::string_view name, nac::data_type type,
                                   const std::vector<std::uint32_t>& shape, bytes data) {
  std::string wanted(name);
  const auto is_taken = [&] {
    return std::any_of(parameters_.begin(), parameters_.end(),
                       [&](const parameter& p) { return p.name == wanted; });
  };
  for (std::size_t k = 2; is_taken(); ++k) wanted = std::string(name) + '.' + std::to_string(k);
  parameters_.push_back({wanted});
  const auto p = static_cast<std::uint32_t>(parameters_.size() - 1);
  set_tensor(p, type, shape, data);
  return p;
}

void graph::set_tensor(std::uint32_t of_parameter, nac::data_type type,
                       const std::vector<std::uint32_t>& shape, bytes data) {
  nac::tensor_part t;
  t.type = type;
  t.shape = rest_.add_numbers({shape.data(), shape.size()});
  t.data = rest_.keep(data);
  parameters_[of_parameter].tensor = static_cast<std::uint32_t>(rest_.tensors.size());
  rest_.tensors.push_back(t);
}

// ---- changes

void graph::append(std::uint32_t n) {
  nodes_[n].previous = last_;
  nodes_[n].next = none;
  (last_ == none ? first_ : nodes_[last_].next) = n;
  last_ = n;
}

void graph::erase(std::uint32_t n) noexcept {
  node& of = nodes_[n];
  (of.previous == none ? first_ : nodes_[of.previous].next) = of.next;
  (of.next == none ? last_ : nodes_[of.next].previous) = of.previous;
  of.is_alive = false;
}

void graph::forward(std::uint32_t n, std::uint32_t to) {
  forwards_[n] = to;
  erase(n);
}

std::uint32_t graph::target(std::uint32_t n) noexcept {
  while (forwards_[n] != none) {
    const std::uint32_t to = forwards_[n];
    if (forwards_[to] != none) forwards_[n] = forwards_[to];
    n = to;
  }
  return n;
}

void graph::resolve(std::uint32_t n) noexcept {
  for (operand& o : nodes_[n].operands)
    if (o.node != none) o.node = target(o.node);
}

void graph::resolve() noexcept {
  for (std::uint32_t n = first_; n != none; n = nodes_[n].next) resolve(n);
}

void graph::move_before(std::uint32_t n, std::uint32_t place) noexcept {
  if (nodes_[n].is_alive) erase(n);
  node& of = nodes_[n];
  of.is_alive = true;
  of.block = nodes_[place].block;
  of.next = place;
  of.previous = nodes_[place].previous;
  (of.previous == none ? first_ : nodes_[of.previous].next) = n;
  nodes_[place].previous = n;
}

std::uint32_t graph::add_input(std::uint32_t of_parameter, std::uint32_t origin) {
  node n;
  n.what = role::system;
  n.a = nac::op_input;
  n.b = static_cast<std::uint8_t>(nac::input::parameter);
  n.is_alive = false;
  n.name = of_parameter;
  n.origin = origin;
  nodes_.push_back(std::move(n));
  forwards_.push_back(none);
  return size() - 1;
}

std::size_t graph::drop_parameters() {
  std::vector<bool> used(parameters_.size());
  for (std::uint32_t n = first_; n != none; n = nodes_[n].next)
    if (is_parameter(n)) used[nodes_[n].name] = true;
  std::size_t count = 0;
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    count += !used[p] && !std::exchange(parameters_[p].is_dropped, true) ? 1u : 0u;
  return count;
}

void graph::rename(std::uint32_t n, std::string_view name) {
  nodes_[n].name = intern_name(name);
  nodes_[n].op = nac::find_operation(name);
  nodes_[n].is_in_place = nac::is_in_place(name);
}

void graph::become_parameter(std::uint32_t n, std::uint32_t of_parameter) {
  node& of = nodes_[n];
  of.what = role::system;
  of.a = nac::op_input;
  of.b = static_cast<std::uint8_t>(nac::input::parameter);
  of.op = nac::operation::unknown;
  of.name = of_parameter;
  of.operands.clear();
}

// ---- to a container

std::uint16_t graph::add_constant(container_builder& to, std::uint32_t v) const {
  const nac::constant c = constant(v);
  switch (c.type) {
    case nac::constant_type::null: return to.null();
    case nac::constant_type::boolean: return to.boolean(c.boolean());
    case nac::constant_type::int64:
    case nac::constant_type::float64: return to.number(c.type, load_le<std::uint64_t>(c.payload));
    case nac::constant_type::string: return to.string(c.string());
    case nac::constant_type::int32_list:
    case nac::constant_type::float32_list: break;
  }
  std::vector<std::uint32_t> words;
  for (std::size_t k = 0; k < c.length; ++k)
    words.push_back(load_le<std::uint32_t>(c.payload + 4 * k));
  return to.list(c.type, words);
}

class graph::encoder {
 public:
  explicit encoder(graph& g) : g_(g), to_(g.rest_.form, std::move(g.rest_)) {
    to_.parts.schedule.clear();
    to_.parts.commands.clear();
    tensors_ = to_.parts.tensors;
    to_.parts.tensors.clear();
    to_.parts.parameters.clear();
    to_.parts.input_names.clear();
    at_.assign(g.nodes_.size(), none);
  }

  [[nodiscard]] result<nac::parts> run() {
    parameters();
    for (std::uint32_t n = g_.first_; n != none; n = g_.nodes_[n].next) {
      add(n);
      if (to_.exceeds().most != 0 || to_.parts.parameters.size() > nac::max_id)
        return error{errc::nac_write_range, g_.nodes_[n].origin};
    }
    return to_.finish();
  }

 private:
  void add(std::uint32_t n) {
    const node& of = g_.nodes_[n];
    switch (of.what) {
      case role::operation:
        at_[n] = g_.add_call(to_, n, [&](std::uint32_t m) { return at_[m]; });
        break;
      case role::system: at_[n] = system(n); break;
      case role::opener:
        at_[n] = of.a == nac::op_control_flow
                     ? to_.add(of.a, of.b, {0, 0}, {to_.back_to(at_[of.operands[0].node])})
                     : to_.add(of.a, of.b, {to_.back_to(at_[of.operands[0].node])}, {0});
        break;
      case role::branch: begins_[of.opener].push_back(to_.next()); break;
      case role::end: end(of.opener); break;
    }
  }

  [[nodiscard]] std::uint32_t system(std::uint32_t n) {
    const node& of = g_.nodes_[n];
    if (of.a == nac::op_output) {
      std::vector<std::uint16_t> d;
      for (const operand& o : of.operands) d.push_back(to_.back_to(at_[o.node]));
      return to_.add(of.a, of.b, std::vector<std::uint16_t>(d.size(), 0), d);
    }
    if (of.a != nac::op_input || of.b == 0) {
      if (const auto named = g_.input_names_.find(n); named != g_.input_names_.end())
        to_.parts.add_name(to_.parts.input_names, static_cast<std::uint16_t>(to_.next()),
                           named->second);
      return to_.add(of.a, of.b);
    }
    std::uint16_t id = of.id;
    if (g_.is_parameter(n)) id = parameter_id_[of.name];
    if (g_.is_input(n, nac::input::lifted_constant))
      id = g_.add_constant(to_, of.operands[0].value);
    return to_.add(of.a, of.b, {id});
  }

  void parameters() {
    for (const graph::parameter& p : g_.parameters_) {
      const auto id = static_cast<std::uint16_t>(to_.parts.parameters.size() + 1);
      parameter_id_.push_back(id);
      if (p.is_dropped) continue;
      to_.parts.add_name(to_.parts.parameters, id, p.name);
      if (p.tensor == none) continue;
      nac::tensor_part copy = tensors_[p.tensor];
      copy.id = id;
      to_.parts.tensors.push_back(copy);
    }
  }

  void end(std::uint32_t opener) {
    const std::uint32_t at = at_[opener], end = to_.next();
    const std::vector<std::uint32_t>& begins = begins_[opener];
    nac::instruction_part& i = to_.parts.instructions[at];
    if (i.a == nac::op_control_flow) {
      to_.parts.words[i.c.first] = static_cast<std::uint16_t>(begins[1] - begins[0]);
      to_.parts.words[i.c.first + 1] = static_cast<std::uint16_t>(end - begins[1]);
      return;
    }
    std::vector<std::uint16_t> d{static_cast<std::uint16_t>(end - at),
                                 static_cast<std::uint16_t>(begins.size())};
    for (const std::uint32_t b : begins) d.push_back(static_cast<std::uint16_t>(b - at));
    i.d = to_.parts.add_words({d.data(), d.size()});
  }

  const graph& g_;
  container_builder to_;
  pool<nac::tensor_part> tensors_;
  std::vector<std::uint32_t> at_;  // by node: its instruction
  std::vector<std::uint16_t> parameter_id_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> begins_;  // of openers: their branches
};

result<nac::parts> graph::encode() && { return encoder(*this).run(); }

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
