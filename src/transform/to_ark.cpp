// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/to_ark.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "tessera/inspect/ark/flow.hpp"
#include "vm/nac/load.hpp"
#include "vm/nac/preload.hpp"
#include "vm/nac/schedule.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using nac::operation;

/// A pattern's letters, one for each place of a binding.
[[nodiscard]] std::string letters_of(operation o) {
  std::string out;
  for (const char c : nac::pattern(o))
    if (c != '?' && c != '*') out += c;
  return out;
}
/// Whether only the shape and type of an operand matter.
[[nodiscard]] bool looks_at_shapes(operation o) noexcept {
  constexpr operation all[] = {
      operation::zeros_like, operation::ones_like, operation::full_like,
      operation::new_zeros,  operation::new_ones,  operation::new_full,
      operation::sym_size,   operation::dim,       operation::is_same_size};
  return std::find(std::begin(all), std::end(all), o) != std::end(all);
}
/// The names of a program's inputs; those without one are numbered.
[[nodiscard]] std::vector<std::string> input_names(const nac::program& p) {
  std::vector<std::string> out;
  std::size_t lifted = 0;
  for (const nac::model_input& i : p.inputs())
    out.push_back(i.name.empty() ? "lifted#" + std::to_string(lifted++) : std::string(i.name));
  return out;
}
/// "v12 = aten.erf.default", "v3 (INPUT)".
[[nodiscard]] std::string name_of(const nac::program& p, std::uint32_t i) {
  const nac::step& s = p.code().steps[i];
  const std::string v = 'v' + std::to_string(i);
  if (s.a >= nac::first_regular_op) return v + " = " + std::string(p.model().operation_name(s.a));
  const std::string_view system = s.a == nac::op_input          ? "INPUT"
                                  : s.a == nac::op_output       ? "OUTPUT"
                                  : s.a == nac::op_control_flow ? "CONTROL_FLOW"
                                  : s.a == nac::op_convergence  ? "CONVERGENCE"
                                                                : "a system operation";
  return v + " (" + std::string(system) + ')';
}
/// "linear" of "aten.linear.default".
[[nodiscard]] std::string short_name(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.find('.') + 1));
  return std::string(name.substr(0, name.find('.')));
}

}  // namespace

ark_writer::ark_writer(const nac::program& p, const to_ark_options& options, report* found)
    : p_(p),
      options_(options),
      refused_(found, options.max_diagnostics),
      arena_(options.limit.max_memory),
      items_by_instruction_(p.size()),
      needed_(p.size()),
      input_names_(input_names(p)) {
  arena_.exchange(vm::meter(options.limit.max_steps));
}

result<ark_network> ark_writer::run() {
  find_needed();
  check_steps();
  if (refused_.any()) return refused_.first();
  for (std::uint32_t i = 0; i < p_.size(); ++i)
    if (needed_[i]) instruction(i);
  outputs();
  if (refused_.any()) return refused_.first();
  return finish();
}

// ---- what is refused

void ark_writer::refuse(std::uint32_t i, errc code, const std::string& why) {
  const nac::step& s = p_.code().steps[i];
  refused_.add({code, p_.model().instructions().offset() + s.offset},
               "instruction " + std::to_string(i),
               name_of(p_, i) + (why.empty() ? "" : ": ") + why);
}

/// What the outputs are computed from; nothing else is looked at.
void ark_writer::find_needed() {
  const nac::code& code = p_.code();
  std::uint32_t end = static_cast<std::uint32_t>(p_.size());
  for (std::uint32_t i = 0; i < end; ++i) {
    const nac::step& s = code.steps[i];
    if (s.a == nac::op_output && s.b == static_cast<std::uint8_t>(nac::output::model)) {
      for (const nac::argument a : code.arguments_of(s)) results_.push_back(a.index());
      end = i;
    }
  }
  if (end == p_.size() && end != 0) results_.push_back(end - 1);
  for (const std::uint32_t r : results_) needed_[r] = true;
  for (std::uint32_t i = end; i-- > 0;) {
    const nac::step& s = code.steps[i];
    if (!needed_[i] || s.a == nac::op_input) continue;
    const view<nac::argument> given = code.arguments_of(s);
    for (std::size_t k = 0; k < vn::operands_of(s); ++k)
      if (!given[k].is_constant()) needed_[given[k].index()] = true;
  }
}

/// What changes values, or chooses among instructions, wherever it is.
void ark_writer::check_steps() {
  const nac::code& code = p_.code();
  for (std::uint32_t i = 0; i < p_.size(); ++i) {
    const nac::step& s = code.steps[i];
    if (s.a == nac::op_output && s.b == static_cast<std::uint8_t>(nac::output::model)) break;
    if (s.a == nac::op_control_flow || s.a == nac::op_convergence)
      refuse(i, errc::nac_to_ark_operation, "an ARK model has no branches");
    else if (s.a == nac::op_output)
      refuse(i, errc::nac_to_ark_operation, "an ARK model has no results of branches");
    else if (s.a == nac::op_input && s.b == static_cast<std::uint8_t>(nac::input::state))
      refuse(i, errc::nac_to_ark_operation, "an ARK model keeps no state between runs");
    else if (s.a >= nac::first_regular_op && p_.is_in_place(s) &&
             nac::program::operation_of(s) != operation::pass)
      refuse(i, errc::nac_to_ark_operation,
             "it writes in place; `tessera optimize` makes results of such writes where it can");
  }
  if (const std::size_t wanted = p_.model().outputs(); results_.size() != wanted)
    refused_.add(
        {errc::nac_run_outputs, 0, error_index::whole}, "",
        "found " + std::to_string(results_.size()) + "; expected " + std::to_string(wanted));
  for (const input_form& f : options_.inputs) {
    if (std::find(input_names_.begin(), input_names_.end(), f.name) == input_names_.end())
      refused_.add({errc::nac_to_ark_input, 0, error_index::whole}, "",
                   "the program has no input \"" + f.name + "\"");
  }
}

// ---- values of ARK

ark::data_type ark_writer::code_of(nac::data_type t) {
  switch (t) {
    case nac::data_type::float32: return ark::data_type::fp32;
    case nac::data_type::float16: return ark::data_type::fp16;
    case nac::data_type::bfloat16: return ark::data_type::bf16;
    case nac::data_type::int32:
    case nac::data_type::int64: return ark::data_type::int32;  // what only moves, and indices
    case nac::data_type::int8: return ark::data_type::int8;
    case nac::data_type::uint8:
    case nac::data_type::boolean: return ark::data_type::uint8;  // of 0 and 1
    case nac::data_type::float64:
    case nac::data_type::int16: break;
  }
  vn::fail(errc::nac_to_ark_type, "elements are ", nac::name(t), ", which ARK has no type for");
}

ark_item ark_writer::made(ark::value v, nac::data_type type, const vn::shape& dims) const {
  ark_item out;
  out.what = ark_item::form::tensor;
  out.at = v;
  out.type = type;
  out.dims = dims;
  return out;
}

namespace {

[[nodiscard]] ark::dims dims_from(const std::vector<std::int64_t>& sizes) {
  ark::dims out;
  for (const std::int64_t d : sizes) {
    if (out.count < ark::max_rank) out.at[out.count] = d;
    ++out.count;
  }
  return out;
}
[[nodiscard]] std::vector<std::int64_t> list_of(const vn::shape& s) {
  std::vector<std::int64_t> out(s.begin(), s.end());
  if (out.empty()) out.push_back(1);
  return out;
}

/// What of many dimensions fits into four; throws for those of size 0.
[[nodiscard]] std::vector<std::int64_t> stored_dims(const vn::shape& s) {
  std::vector<std::int64_t> out = list_of(s);
  for (const std::int64_t d : out)
    if (d == 0)
      vn::fail(errc::nac_to_ark_shape, "shape ", s, " has no elements; expected 1 or more");
  for (; out.size() > ark::max_rank; out.erase(out.begin())) out[1] *= out[0];
  return out;
}

}  // namespace

ark::value ark_writer::shaped(ark::value v, const sizes& dims) {
  const auto known = dims_.find(v.index);
  if (known != dims_.end() && known->second == dims) return v;
  const ark::value out = to_.reshape(v, dims_from(dims));
  dims_[out.index] = dims;
  return out;
}

ark::value ark_writer::fresh(const sizes& dims, nac::data_type type) {
  const ark::value out = to_.tensor(dims_from(dims), code_of(type));
  dims_[out.index] = dims;
  return out;
}

ark::value ark_writer::weight(const vn::value& v, nac::data_type type, std::string_view name) {
  if (!v.is_tensor()) vn::fail(errc::nac_to_ark_argument, "expected a tensor");
  const vn::tensor& t = v.as_tensor();
  const std::vector<std::int64_t> dims = stored_dims(t.dims);
  for (const copied& c : weights_)
    if (c.data == t.data && c.from == t.type && c.to == type && c.count == t.size())
      return shaped(c.at, dims);
  const bool is_whole = type == nac::data_type::int64;
  vn::tensor as = vn::cast(arena_, t, type);
  if (is_whole) {
    for (const std::int64_t e : as.elements<std::int64_t>())
      if (e < std::numeric_limits<std::int32_t>::min() ||
          e > std::numeric_limits<std::int32_t>::max())
        vn::fail(errc::nac_to_ark_type, "a constant is ", e, "; ARK's integers have 32 bits");
    as = vn::cast(arena_, as, nac::data_type::int32);
  }
  if (type == nac::data_type::boolean) as.type = nac::data_type::uint8;
  source s;
  s.at = fresh(dims, type);
  const auto known = parameter_names_.find(t.data);
  s.name = !name.empty()                     ? std::string(name)
           : known != parameter_names_.end() ? std::string(known->second)
                                             : "constant_" + std::to_string(instruction_);
  s.values = ark_weight{{}, as.type, dims, std::vector<std::byte>(as.bytes())};
  vn::store(as, s.values->data.data());
  weights_.push_back({t.data, t.type, type, t.size(), t.owner, s.at});
  sources_.push_back(std::move(s));
  return sources_.back().at;
}

ark::value ark_writer::tensor_of(const ark_item& x, nac::data_type type) {
  if (x.is_known()) return weight(vn::decayed(x.known), type, {});
  return cast(x.at, x.type, type);
}

ark::value ark_writer::cast(ark::value v, nac::data_type from, nac::data_type to) {
  if (code_of(from) == code_of(to)) return v;
  return to_.cast(v, code_of(to), {.name = name_});
}

/// A number of an operation as ARK's FLOAT, which is finite.
float ark_writer::argument(double v) {
  if (!std::isfinite(static_cast<float>(v)))
    vn::fail(errc::nac_to_ark_argument, "one of its numbers isn't finite in 32 bits");
  return static_cast<float>(v);
}

ark::value ark_writer::filled(double v, nac::data_type type) {
  return to_.scalar_assign(fresh({1}, type), argument(v), {.name = name_});
}

std::optional<double> ark_writer::number_of(std::size_t letter) const {
  if (!has(letter) || !at(letter).is_known()) return std::nullopt;
  const vn::value& v = vn::decayed(at(letter).known);
  if (!v.is_tensor() || v.as_tensor().size() != 1) return std::nullopt;
  return vn::call::number_of(v).real;
}

// ---- the walk

ark_item ark_writer::input(std::uint32_t i) {
  const nac::step& s = p_.code().steps[i];
  ark_item out;
  switch (static_cast<nac::input>(s.b)) {
    case nac::input::parameter: return parameter(i);
    case nac::input::lifted_constant:
      out.what = ark_item::form::known;
      out.known = vn::load(arena_, p_.constant(p_.code().arguments_of(s)[0].id()));
      return out;
    case nac::input::user: break;
    case nac::input::state:
    case nac::input::saved_result:
    case nac::input::target: vn::fail(errc::nac_to_ark_operation, "it has no form in ARK");
  }
  std::size_t k = 0;
  while (p_.inputs()[k].instruction != i) ++k;
  const std::string& name = input_names_[k];
  const auto form = std::find_if(options_.inputs.begin(), options_.inputs.end(),
                                 [&](const input_form& f) { return f.name == name; });
  if (form == options_.inputs.end())
    vn::fail(errc::nac_to_ark_input, "input \"", name, "\" has no shape, which ARK needs (--shape ",
             name, "=1x16)");
  const vn::shape dims{std::span(form->shape)};
  if (dims.rank() > ark::max_rank)
    vn::fail(errc::nac_to_ark_shape, "input \"", name, "\" has shape ", dims,
             "; expected at most 4 dimensions");
  source from;
  from.at = fresh(stored_dims(dims), form->type);
  from.name = name;
  sources_.push_back(from);
  return made(from.at, form->type, dims);
}

ark_item ark_writer::parameter(std::uint32_t i) {
  const std::uint16_t id = p_.code().arguments_of(p_.code().steps[i])[0].id();
  if (!p_.has_parameter(id) || !p_.parameter(id).has_value) vn::fail(errc::nac_run_weights);
  const nac::parameter& from = p_.parameter(id);
  ark_item& loaded = parameters_[id];
  if (!loaded.is_known()) {
    vn::filling fill;
    const bool widen = p_.model().quantization() == nac::quantization::fp16;
    loaded.known = vn::prepare(arena_, from.value, widen, fill);
    fill();
    loaded.what = ark_item::form::known;
    if (loaded.known.as_tensor().data != nullptr)
      parameter_names_.emplace(loaded.known.as_tensor().data, from.name);
  }
  return loaded;
}

const ark_item* ark_writer::operand_of(nac::argument a) {
  if (!a.is_constant()) {
    const ark_item* x = &items_by_instruction_[a.index()];
    return x;
  }
  ark_item& c = constants_[a.id()];
  if (!c.is_known()) {
    c.what = ark_item::form::known;
    c.known = vn::load(arena_, p_.constant(a.id()));
  }
  return &c;
}

/// Refuses inputs' elements where a number or a list is expected.
void ark_writer::check_arguments(std::string_view letters) {
  const nac::binding& b = call_->binding();
  for (std::size_t k = 0; k < letters.size(); ++k)
    for (std::size_t n = 0; n < b.count[k]; ++n)
      if (std::string_view("tTxX").find(letters[k]) == std::string_view::npos)
        check_known(b.first[k] + n);
}

void ark_writer::check_known(std::size_t argument) const {
  if (items_[argument]->is_tensor())
    vn::fail(errc::nac_to_ark_argument, "argument ", argument,
             " is computed from inputs; expected what is known before a run");
}

ark_item ark_writer::computed() {
  ark_item out;
  out.known = vn::run(*call_);
  out.what = ark_item::form::known;
  if (out.known.is_complex())
    vn::fail(errc::nac_to_ark_type, "the result is complex, which ARK has no type for");
  return out;
}

ark_item ark_writer::regular(std::uint32_t i) {
  const nac::step& s = p_.code().steps[i];
  const operation o = nac::program::operation_of(s);
  if (o == operation::unknown) vn::fail(errc::nac_to_ark_operation, "its meaning is unknown");
  items_.clear();
  bool is_known = true;
  for (const nac::argument a : p_.code().arguments_of(s)) {
    const ark_item* x = operand_of(a);
    if (x->what == ark_item::form::list && o != operation::getitem && !x->list.empty())
      x = &x->list[0];
    if (x->what == ark_item::form::refused) return *x;
    if (x->what == ark_item::form::absent)
      vn::fail(errc::nac_to_ark_argument, "an operand is a result that ARK has no operation for");
    is_known = is_known && x->is_known();
    items_.push_back(x);
  }
  // Of tensors of ARK, the machine's functions see shape and type.
  std::vector<vn::value> shapes(items_.size());
  std::vector<const vn::value*> arguments;
  for (std::size_t k = 0; k < items_.size(); ++k) {
    if (items_[k]->is_tensor()) {
      vn::tensor t;
      t.type = items_[k]->type;
      t.dims = items_[k]->dims;
      shapes[k] = std::move(t);
    }
    arguments.push_back(items_[k]->is_known() ? &items_[k]->known : &shapes[k]);
  }
  const nac::binding b = p_.binding_of(s);
  vn::call c(arena_, work_, o, b, arguments);
  call_ = &c;
  name_ = short_name(p_.model().operation_name(s.a));
  if (is_known && !nac::is_random(o)) return computed();
  if (o == operation::getitem) {
    check_known(b.first[1]);
    const std::int64_t k = c.whole(1);
    const std::vector<ark_item>& all = items_[0]->list;
    if (items_[0]->what != ark_item::form::list) return *items_[0];
    if (k < 0 || k >= static_cast<std::int64_t>(all.size()))
      vn::fail(errc::nac_run_index, k, " of ", all.size(), " results");
    return all[static_cast<std::size_t>(k)];
  }
  check_arguments(letters_of(o));
  return looks_at_shapes(o) ? computed() : translated(o);
}

/// The builder keeps its first error only: who caused it is known right after.
void ark_writer::check_builder() {
  const error e = to_.error();
  if (e.code == errc::ok || is_broken_) return;
  is_broken_ = true;
  vn::fail(errc::nac_to_ark_shape, e.message());
}

void ark_writer::instruction(std::uint32_t i) {
  const nac::step& s = p_.code().steps[i];
  instruction_ = i;
  ark_item& out = items_by_instruction_[i];
  try {
    arena_.charge(vm::instruction_steps + s.arguments * vm::operand_steps);
    if (s.a >= nac::first_regular_op)
      out = regular(i);
    else if (s.a == nac::op_input)
      out = input(i);
    check_builder();
  } catch (const vn::fault& f) {
    out = {};
    out.what = ark_item::form::refused;
    const bool is_limit = f.code == errc::budget_memory || f.code == errc::budget_steps;
    refuse(i, is_limit ? errc::nac_to_ark_limit : f.code,
           f.text.empty() ? std::string(error{f.code}.message()) : f.text);
  }
  call_ = nullptr;
}

void ark_writer::outputs() {
  for (std::size_t k = 0; k < results_.size(); ++k) {
    const ark_item* x = &items_by_instruction_[results_[k]];
    if (x->what == ark_item::form::list && !x->list.empty()) x = &x->list[0];
    if (x->what == ark_item::form::refused) continue;
    instruction_ = results_[k];
    try {
      if (x->what == ark_item::form::absent || x->what == ark_item::form::list)
        vn::fail(errc::nac_to_ark_operation, "it is an output, but has no form in ARK");
      if (x->is_known() && !vn::decayed(x->known).is_tensor())
        vn::fail(errc::nac_to_ark_argument, "it is an output, but no tensor");
      const vn::shape& dims = x->is_known() ? vn::decayed(x->known).as_tensor().dims : x->dims;
      if (dims.rank() > ark::max_rank)
        vn::fail(errc::nac_to_ark_shape, "an output has shape ", dims,
                 "; expected at most 4 dimensions");
      const nac::data_type type = x->is_known() ? vn::decayed(x->known).as_tensor().type : x->type;
      const ark::value v = shaped(tensor_of(*x, type), stored_dims(dims));
      const std::string name = "output_" + std::to_string(k);
      copies_.push_back(to_.copy(v, {.name = name}));
      check_builder();
    } catch (const vn::fault& f) {
      refuse(results_[k], f.code, f.text);
    }
  }
}

// ---- the model: what outputs need, and nodes that name its inputs

namespace {

/// The nodes of a built model that something needs, with others before them.
class pruned {
 public:
  pruned(ark::model from, std::span<const ark::value> wanted) : g_(std::move(from)) {
    live_.resize(g_.buffers.size());
    kept_.resize(g_.nodes.size());
    std::set<std::uint32_t> outputs;
    for (const ark::value v : wanted) outputs.insert(v.index);
    const inspect::flow memory(g_);
    for (std::size_t n = g_.nodes.size(); n-- > 0;) {
      const std::uint32_t op = g_.nodes[n].ops.first;
      const ark::op& o = g_.ops[op];
      for (const std::uint32_t t : results(g_, o)) kept_[n] = kept_[n] || outputs.count(t) != 0;
      // Where the flow doesn't compare all parts of buffers, what writes any part is kept.
      for (const std::uint32_t t : writes(g_, o))
        kept_[n] = kept_[n] || (memory.bounded() && live_[buffer_of(t)]);
      if (!kept_[n]) continue;
      for (const std::uint32_t t : reads(g_, o)) live_[buffer_of(t)] = true;
      for (const inspect::dependency& d : memory.before(op))
        if (d.kind == inspect::conflict::reads_written) kept_[memory.node_of(d.from)] = true;
    }
  }
  [[nodiscard]] bool needs(ark::value v) const { return live_[buffer_of(v.index)]; }

  /// A node that makes a tensor. Operations of that name get another one.
  void add(ark::value tensor, std::string_view name) {
    ark::op o;
    o.type = ark::op_type::tensor;
    o.is_virtual = true;
    o.name = characters(name);
    o.first_use = static_cast<std::uint32_t>(g_.uses.size());
    o.results = 1;
    g_.uses.push_back(tensor.index);
    maker_[buffer_of(tensor.index)] = static_cast<std::uint32_t>(ops_.size());
    ops_.push_back(o);
    producers_.emplace_back();
    names_.insert(std::string(name));
  }

  [[nodiscard]] ark::model release() && {
    std::vector<std::uint32_t> at(g_.nodes.size());
    for (std::size_t n = 0; n < g_.nodes.size(); ++n) {
      if (!kept_[n]) continue;
      at[n] = static_cast<std::uint32_t>(ops_.size());
      ark::op o = g_.ops[g_.nodes[n].ops.first];
      if (names_.count(std::string(ark::name(g_, o))) != 0)
        o.name = characters(std::string(ark::name(g_, o)) + "_op");
      std::set<std::uint32_t> before;
      for (const std::int64_t id : integers(g_, g_.nodes[n].producers))
        before.insert(at[static_cast<std::size_t>(id)]);
      for (const std::uint32_t t : reads(g_, o))
        if (const auto m = maker_.find(buffer_of(t)); m != maker_.end()) before.insert(m->second);
      ops_.push_back(o);
      producers_.push_back(std::move(before));
    }
    write_nodes();
    return std::move(g_);
  }

 private:
  [[nodiscard]] std::uint32_t buffer_of(std::uint32_t tensor) const {
    return g_.tensors[tensor].buffer;
  }
  [[nodiscard]] ark::string characters(std::string_view s) {
    const ark::string out{static_cast<std::uint32_t>(g_.characters.size()),
                          static_cast<std::uint32_t>(s.size())};
    g_.characters << s;
    return out;
  }
  template <class List>
  [[nodiscard]] ark::range numbers(const List& list) {
    const ark::range out{static_cast<std::uint32_t>(g_.integers.size()),
                         static_cast<std::uint32_t>(list.size())};
    for (const std::uint32_t v : list) g_.integers.push_back(v);
    return out;
  }
  void write_nodes() {
    std::vector<std::vector<std::uint32_t>> consumers(ops_.size());
    for (std::uint32_t n = 0; n < producers_.size(); ++n)
      for (const std::uint32_t p : producers_[n]) consumers[p].push_back(n);
    g_.nodes.clear();
    g_.ops.clear();
    for (std::uint32_t n = 0; n < ops_.size(); ++n) {
      ark::node made;
      made.id = n;
      made.ops = {n, 1};
      made.producers = numbers(producers_[n]);
      made.consumers = numbers(consumers[n]);
      g_.ops.push_back(ops_[n]);
      g_.nodes.push_back(made);
    }
  }

  ark::model g_;
  std::vector<bool> live_, kept_;  // by buffer, by node
  std::vector<ark::op> ops_;
  std::vector<std::set<std::uint32_t>> producers_;
  std::map<std::uint32_t, std::uint32_t> maker_;  // by buffer
  std::set<std::string> names_;
};

}  // namespace

namespace {

/// A name that JSON can have: bytes that aren't UTF-8 become '_'.
[[nodiscard]] std::string as_utf8(const std::string& name) {
  std::string out;
  const char* const end = name.data() + name.size();
  for (const char* at = name.data(); at != end;) {
    const unsigned length = utf8_length(at, end);
    out.append(length == 0 ? "_" : std::string_view(at, length));
    at += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace

result<ark_network> ark_writer::finish() {
  result<ark::model> built = to_.finish();
  if (!built) {
    refused_.add({built.error().code, 0, error_index::whole}, "", "as a model of ARK");
    return refused_.first();
  }
  pruned model(std::move(*built), copies_);
  ark_network out;
  std::set<std::string> names;
  // Inputs first: their names are never changed.
  std::stable_partition(sources_.begin(), sources_.end(),
                        [](const source& s) { return !s.values; });
  for (source& s : sources_) {
    if (!model.needs(s.at)) continue;
    const std::string wanted = as_utf8(s.name);
    std::string name = wanted;
    for (std::uint32_t k = 1; !names.insert(name).second; ++k)
      name = wanted + '_' + std::to_string(k);
    model.add(s.at, name);
    if (!s.values) continue;
    s.values->name = name;
    out.weights.push_back(std::move(*s.values));
  }
  out.model = std::move(model).release();
  return out;
}

result<ark_network> to_ark(const nac::program& p, const to_ark_options& options, report* found) {
  return ark_writer(p, options, found).run();
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
