// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/map.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "transform/lower/chain.hpp"
#include "vm/nac/operations.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace vn = vm::nac;

namespace {

[[nodiscard]] dimensions dims_of(const vn::tensor& t) { return {t.dims.begin(), t.dims.end()}; }

[[nodiscard]] std::vector<float> elements_of(const vn::tensor& t) {
  std::vector<float> out(t.size());
  vn::visit(t.type, [&]<class T>(vn::of<T>) {
    for (std::size_t e = 0; e < out.size(); ++e) out[e] = vn::convert<float>(t.as<T>()[e]);
  });
  return out;
}

/// The steps' access to a view with their own dimensions.
[[nodiscard]] access following(const tensor_view& v) {
  access a{v, {}};
  for (std::size_t k = 0; k < v.rank(); ++k) a.follows.push_back(static_cast<std::int32_t>(k));
  return a;
}

/// Names that the program's own buffers, tasks and loops have or may have: l1, x0, s2_1, i; and those
/// that other readers of NEM don't take.
[[nodiscard]] bool is_taken_name(std::string_view name) noexcept {
  const bool is_numbered = name.size() > 1 && name[1] >= '0' && name[1] <= '9';
  const auto& words = nem::upstream_reserved_words;
  return is_numbered || name == "i" || name == "o" || name == "weights" || name == "spill" ||
         std::find(std::begin(words), std::end(words), name) != std::end(words);
}

/// A buffer's name: that of the input where it is a name of the language, else one with a number.
[[nodiscard]] std::string port_name(std::string_view given, std::string_view kind, std::size_t k,
                                    std::set<std::string>& taken) {
  nem::builder b;
  std::string name(given);
  const bool is_name =
      b.constant(name, 1).finish().has_value() && !is_taken_name(name) && !taken.contains(name);
  if (!is_name) name = std::string(kind) + '_' + std::to_string(k);
  while (taken.contains(name)) name += '_';
  taken.insert(name);
  return name;
}

/// Of a buffer that a caller binds or reads; none: the network's.
[[nodiscard]] nem::element port_type(nac::data_type t) noexcept {
  if (is_floating(t)) return nem::element::none;
  return t == nac::data_type::boolean ? nem::element::u8 : nem::element::i32;
}

}  // namespace

plan mapper::run() {
  results_.resize(net_.size());
  make_inputs();
  for (at_ = 0; at_ < net_.size(); ++at_) {
    const nac::step& s = net_.at(at_);
    if (s.a == nac::op_output && s.b == static_cast<std::uint8_t>(nac::output::model)) {
      std::vector<std::uint32_t> from;
      for (std::size_t k = 0; k < net_.program().code().arguments_of(s).size(); ++k)
        from.push_back(net_.argument_of(at_, k));
      return finished(std::move(from));
    }
    map_instruction(at_);
  }
  // Of a program that says nothing of outputs, the last result is the only one.
  if (at_ == 0) throw refusal{errc::nac_lower_operation, 0, "the program has no instructions"};
  return finished({--at_});
}

plan mapper::finished(std::vector<std::uint32_t> outputs) {
  give_outputs(outputs);
  plan_.results = std::move(results_);
  return std::move(plan_);
}

void mapper::make_inputs() {
  std::set<std::string> taken;
  const view<nac::model_input> inputs = net_.program().inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const std::uint32_t i = inputs[k].instruction;
    const vn::tensor& x = net_.result(i).as_tensor();
    const dimensions shape = dims_of(x);
    home h{home::kind::input, product(shape), port_name(inputs[k].name, "input", k, taken), shape};
    h.type = port_type(x.type);
    if (h.type == nem::element::i32) h.end = net_.index_end(i);
    results_[i] = {
        {static_cast<std::uint32_t>(plan_.homes.size()), 0, shape, dense_strides(shape)}};
    plan_.homes.push_back(std::move(h));
    at_ = i;
    if (product(shape) == 0) refuse("the input has no elements", errc::nac_lower_shape);
  }
}

void mapper::map_instruction(std::uint32_t i) {
  const nac::step& s = net_.at(i);
  if (!net_.is_skipped(i)) {
    if (s.a >= nac::first_regular_op && !net_.is_constant(i)) map_operation(i);
    // What uses a branch comes after both.
    if (s.a == nac::op_control_flow) branches_.emplace(net_.end_of_branches(i), i);
  }
  end_branches(i);
}

void mapper::map_operation(std::uint32_t i) {
  const nac::operation o = nac::program::operation_of(net_.at(i));
  if (o == nac::operation::getitem && net_.result(net_.argument_of(i, 0)).is_list())
    return take_item(i);
  constexpr mapping part{nac::operation::getitem};  // of a tensor, along its first dimension
  const mapping* const m = o == nac::operation::getitem ? &part : find_mapping(o);
  if (m == nullptr) refuse("no operation of NEM computes it, and no composition of several");
  check_type(i);
  call_.emplace(net_.call_of(i));
  result_.clear();
  if (m->how == nullptr)
    move_elements();
  else
    m->how(*this, m->op);
  call_.reset();
  results_[i] = std::move(result_);
  check_integers(i);
}

/// The branches that end with an instruction, the inner ones first.
void mapper::end_branches(std::uint32_t i) {
  std::vector<std::uint32_t> opened_by;
  for (auto [at, end] = branches_.equal_range(i); at != end; ++at) opened_by.push_back(at->second);
  std::sort(opened_by.rbegin(), opened_by.rend());
  for (const std::uint32_t by : opened_by) {
    at_ = by;
    if (net_.is_decided(by)) {
      results_[by] = results_of_branch(by, net_.holds(by));
      continue;
    }
    const std::vector<tensor_view> a = results_of_branch(by, true),
                                   b = results_of_branch(by, false);
    if (a.size() != b.size()) refuse("its branches give different numbers of results");
    for (std::size_t k = 0; k < a.size(); ++k) results_[by].push_back(chosen(by, a[k], b[k]));
  }
  at_ = i;
}

std::vector<tensor_view> mapper::results_of_branch(std::uint32_t i, bool is_first) {
  std::vector<tensor_view> out;
  for (const std::uint32_t from : net_.results_of_branch(i, is_first)) {
    if (!net_.is_constant(from)) {
      out.insert(out.end(), results_[from].begin(), results_[from].end());
      continue;
    }
    const vn::value& v = vn::decayed(net_.result(from));
    if (!v.is_tensor()) refuse("a branch gives no tensor");
    out.push_back(constant(elements_of(v.as_tensor()), dims_of(v.as_tensor())));
  }
  return out;
}

/// Both branches are computed; a to the power of 1 times b to that of 0, or the other way round.
tensor_view mapper::chosen(std::uint32_t i, const tensor_view& a, const tensor_view& b) {
  if (a.shape != b.shape) refuse("its branches give results of different shapes");
  const std::uint32_t from = net_.argument_of(i, 0);
  const vn::tensor& t = vn::decayed(net_.result(from)).as_tensor();
  tensor_view condition = as_numbers(results_[from][0], true);
  if (t.type != nac::data_type::boolean) refuse("its condition is no truth value");
  condition = reshape(condition, {});
  chain c(*this, a.shape);
  const chain::value holds = c.input(condition);
  const chain::value fails = c.apply(nem::opcode::sub, {c.number(1), holds});
  const chain::value first = c.apply(nem::opcode::pow, {c.input(as_numbers(a)), holds});
  return c.result(c.mul(first, c.apply(nem::opcode::pow, {c.input(as_numbers(b)), fails})));
}

void mapper::take_item(std::uint32_t i) {
  call_.emplace(net_.call_of(i));
  const std::vector<tensor_view>& all = results_[argument(0, 0)];
  const auto index = static_cast<std::size_t>(call_->whole(1));
  if (index >= all.size()) refuse("NEM computes no such result of the operation");
  if (product(all[index].shape) == 0) refuse("its result has no elements", errc::nac_lower_shape);
  results_[i] = {all[index]};
  call_.reset();
}

void mapper::check_type(std::uint32_t i) const {
  const vn::value& v = vn::decayed(net_.result(i));
  if (!v.is_tensor()) refuse(v.is_complex() ? "its result is complex" : "its result is no tensor");
  if (v.as_tensor().size() == 0) refuse("its result has no elements", errc::nac_lower_shape);
}

/// Integers are computed in the network's type: those of the run have to be exact in it.
void mapper::check_integers(std::uint32_t i) const {
  const vn::tensor& t = vn::decayed(net_.result(i)).as_tensor();
  if (is_floating(t.type) || results_[i].empty() || type_of(results_[i][0]) != nem::element::none)
    return;
  const auto limit = static_cast<double>(device_.exact_integers());
  vn::visit(t.type, [&]<class T>(vn::of<T>) {
    for (const T e : t.elements<T>())
      if (std::abs(vn::convert<double>(e)) > limit)
        refuse("its integers aren't exact in " + std::string(nem::name(device_.type())));
  });
}

// ---- operands

std::uint32_t mapper::argument(std::size_t letter, std::size_t k) const {
  return net_.argument_of(at_, call_->binding().first[letter] + k);
}

bool mapper::is_constant(std::size_t letter, std::size_t k) const {
  const std::uint32_t i = argument(letter, k);
  return i == ~std::uint32_t{0} || net_.is_constant(i);
}

std::vector<float> mapper::elements(std::size_t letter, std::size_t k) const {
  if (!is_constant(letter, k)) refuse("an operand that it needs the elements of depends on inputs");
  const vn::tensor& t = call_->tensor_at(letter, k);
  return elements_of(t);
}

tensor_view mapper::operand(std::size_t letter, std::size_t k) {
  return as_numbers(raw_operand(letter, k));
}

tensor_view mapper::raw_operand(std::size_t letter, std::size_t k) {
  if (!is_constant(letter, k)) {
    const std::vector<tensor_view>& all = results_[argument(letter, k)];
    if (all.empty()) refuse("it uses a result that isn't a tensor");
    return all[0];
  }
  return constant(elements(letter, k), dims_of(call_->tensor_at(letter, k)));
}

tensor_view mapper::index_operand(std::size_t letter, std::size_t k) {
  if (!is_constant(letter, k)) return as_indices(raw_operand(letter, k));
  return index_constant(elements(letter, k), dims_of(call_->tensor_at(letter, k)));
}

tensor_view mapper::as_numbers(const tensor_view& v, bool is_compared) {
  if (type_of(v) == nem::element::none) return v;
  if (!is_compared && plan_.homes[v.home].end > device_.exact_integers())
    refuse("indices up to " + std::to_string(plan_.homes[v.home].end) + " aren't exact in " +
           std::string(nem::name(device_.type())));
  return cast(v, nem::element::none);
}

tensor_view mapper::as_indices(const tensor_view& v) {
  return type_of(v) == nem::element::i32 ? v : cast(as_numbers(v), nem::element::i32);
}

tensor_view mapper::cast(const tensor_view& v, nem::element to) {
  for (const auto& [from, made] : casts_)
    if (from == v && type_of(made) == to) return made;
  need("cast", "default");
  step s;
  const tensor_view whole = v.rank() == 0 ? of_rank(v, 1) : v;
  s.dims = whole.shape;
  s.is_plain = true;
  s.is_tail = true;
  s.reads = {following(whole)};
  // Where it is: of these types, no layout operation gathers elements.
  s.reads[0].stays = true;
  s.tasks = {{nem::opcode::cast, {of_read(0)}, of_register(0)}};
  s.registers = 1;
  s.forms.resize(1);
  s.forms[0].type = to;
  s.result = of_register(0);
  const tensor_view y = make(whole.shape, to);
  s.write = following(y);
  add(std::move(s));
  casts_.emplace_back(v, v.rank() == 0 ? without(y, 0) : y);
  return casts_.back().second;
}

tensor_view mapper::pick(const tensor_view& x, std::size_t axis, const tensor_view& indices) {
  if (indices.rank() == 0) return without(pick(x, axis, of_rank(indices, 1)), axis);
  need("view", "default");
  step s;
  access from{x, {}}, at{indices, {}};
  from.stays = true;
  for (std::size_t k = 0; k < axis; ++k) {
    from.follows.push_back(static_cast<std::int32_t>(s.dims.size()));
    s.dims.push_back(x.shape[k]);
  }
  from.follows.push_back(-1);
  for (const std::int64_t d : indices.shape) {
    at.follows.push_back(static_cast<std::int32_t>(s.dims.size()));
    s.dims.push_back(d);
  }
  for (std::size_t k = axis + 1; k < x.rank(); ++k) {
    from.follows.push_back(static_cast<std::int32_t>(s.dims.size()));
    s.dims.push_back(x.shape[k]);
  }
  at.stays = !is_dense(indices);
  s.reads = {std::move(from), std::move(at)};
  s.tasks = {{nem::opcode::gather,
              {of_read(0), of_read(1)},
              of_register(0),
              {{nem::attribute::axis, static_cast<std::int64_t>(axis)}}}};
  s.registers = 1;
  s.forms.resize(1);
  s.forms[0].type = type_of(x);
  s.result = of_register(0);
  const tensor_view y = make(s.dims, type_of(x));
  s.write = following(y);
  add(std::move(s));
  return y;
}

tensor_view mapper::constant(std::vector<float> data, const dimensions& shape) {
  if (data.size() == 1) {
    const auto [at, is_new] = numbers_.try_emplace(std::bit_cast<std::uint32_t>(data[0]),
                                                   static_cast<std::uint32_t>(plan_.homes.size()));
    if (!is_new) return {at->second, 0, shape, dense_strides(shape)};
  }
  home h{home::kind::constant, static_cast<std::int64_t>(data.size()), {}, {}, std::move(data)};
  plan_.homes.push_back(std::move(h));
  return {static_cast<std::uint32_t>(plan_.homes.size() - 1), 0, shape, dense_strides(shape)};
}

tensor_view mapper::index_constant(std::vector<float> data, const dimensions& shape) {
  home h{home::kind::constant, static_cast<std::int64_t>(data.size()), {}, {}, std::move(data)};
  h.type = nem::element::i32;
  plan_.homes.push_back(std::move(h));
  return {static_cast<std::uint32_t>(plan_.homes.size() - 1), 0, shape, dense_strides(shape)};
}

dimensions mapper::result_shape() const {
  return dims_of(vn::decayed(net_.result(at_)).as_tensor());
}

bool mapper::gives_truth() const {
  return vn::decayed(net_.result(at_)).as_tensor().type == nac::data_type::boolean;
}

tensor_view mapper::make(const dimensions& shape, nem::element type) {
  plan_.homes.push_back({home::kind::computed, product(shape)});
  plan_.homes.back().type = type;
  return {static_cast<std::uint32_t>(plan_.homes.size() - 1), 0, shape, dense_strides(shape)};
}

// ---- steps

void mapper::add(step s) {
  if (s.name.empty()) s.name = net_.name_of(at_);
  s.instruction = at_;
  // Parts of rows of integers would need a layout operation of their type.
  s.can_split = s.can_split && has_layouts(type_of(s.write.of));
  for (access& a : s.reads) a.form.type = type_of(a.of);
  s.write.form.type = type_of(s.write.of);
  plan_.steps.push_back(std::move(s));
}

void mapper::copy(const tensor_view& from, const tensor_view& to) {
  step s;
  s.is_plain = true;
  const tensor_view whole = to.rank() == 0 ? of_rank(to, 1) : to;
  s.dims = whole.shape;
  s.reads = {following(of_rank(from, whole.rank()))};
  s.write = following(whole);
  s.result = of_read(0);
  add(std::move(s));
}

tensor_view mapper::dense(const tensor_view& v) {
  if (is_dense(v)) return v;
  need("view", "default");
  tensor_view out = make(v.shape);
  copy(v, out);
  return out;
}

tensor_view mapper::reshape(const tensor_view& v, const dimensions& shape) {
  if (const std::optional<tensor_view> out = reshaped(v, shape)) return *out;
  return *reshaped(dense(v), shape);
}

/// An operation that only moves elements says itself where each one comes from: it is run on their
/// indices, counted from `first` on.
std::vector<vn::value> mapper::moved_indices(std::int64_t first) {
  vn::tensor indices =
      vn::make_tensor(net_.arena(), nac::data_type::float64, call_->tensor_at(0).dims);
  std::iota(indices.elements<double>().begin(), indices.elements<double>().end(),
            static_cast<double>(first));
  const vn::value by(std::move(indices));
  vn::call again = net_.call_of(at_, call_->binding().first[0], &by);
  const vn::value done = vn::run(again);
  if (done.is_list()) return {done.as_list().begin(), done.as_list().end()};
  return {done};
}

namespace {

[[nodiscard]] std::vector<std::int64_t> wholes_of(const vn::tensor& t) {
  std::vector<std::int64_t> out;
  for (const double e : t.elements<double>()) out.push_back(static_cast<std::int64_t>(e));
  return out;
}

}  // namespace

void mapper::move_elements() {
  tensor_view x = raw_operand(0);
  for (const vn::value& v : moved_indices(0)) {
    const vn::tensor& t = v.as_tensor();
    if (t.size() == 0) {  // one of several; that of a getitem is refused
      result_.push_back({x.home, 0, dims_of(t), dimensions(t.rank())});
      continue;
    }
    std::vector<std::int64_t> from = wholes_of(t);
    if (std::optional<tensor_view> out = moved(x, dims_of(t), from)) {
      result_.push_back(std::move(*out));
      continue;
    }
    // Of a copy in row-major order, strides say more; the rest is gathered.
    x = as_numbers(x);
    const tensor_view rows = {x.home, 0, x.shape, dense_strides(x.shape)};
    if (!is_dense(x) && moved(rows, dims_of(t), from)) {
      x = dense(x);
      result_.push_back(*moved(x, dims_of(t), from));
      continue;
    }
    for (std::int64_t& e : from) e = element_at(x, e);
    result_.push_back(taken(x, dims_of(t), from));
  }
}

/// Indices count from 1 on; 0 is what is no element: it is gathered from what follows them.
void mapper::move_elements_or_zeros() {
  const tensor_view x = operand(0);
  const std::int64_t n = product(x.shape);
  const tensor_view all = make({n + 1});
  need("view", "default");
  copy(x, *reshaped(narrowed(all, 0, 0, n), x.shape));
  copy(constant({0}, {1}), narrowed(all, 0, n, 1));
  for (const vn::value& v : moved_indices(1)) {
    std::vector<std::int64_t> from = wholes_of(v.as_tensor());
    for (std::int64_t& e : from) e = e == 0 ? n : e - 1;
    result_.push_back(taken(all, dims_of(v.as_tensor()), from));
  }
}

tensor_view mapper::taken(const tensor_view& x, const dimensions& shape,
                          const std::vector<std::int64_t>& offsets) {
  const auto n = static_cast<std::int64_t>(offsets.size());
  // Dimensions at the front that repeat what the rest does, `by` elements on.
  std::int64_t outer = 1, by = 0;
  for (const std::int64_t d : shape) {
    const std::int64_t count = outer * d, part = n / count;
    const std::int64_t stride =
        count == 1 ? 0 : offsets[static_cast<std::size_t>(part)] - offsets[0];
    bool repeats = stride >= 0;
    for (std::int64_t i = part; i < n && repeats; ++i)
      repeats = offsets[static_cast<std::size_t>(i)] ==
                offsets[static_cast<std::size_t>(i - part)] + stride;
    if (!repeats) break;
    outer = count;
    by = stride;
  }
  const std::int64_t part = n / outer;
  const std::span<const std::int64_t> first =
      std::span(offsets).first(static_cast<std::size_t>(part));
  const std::int64_t low = *std::min_element(first.begin(), first.end());
  // Dimensions at the end that are elements in a row.
  std::int64_t inner = 1;
  for (std::size_t k = shape.size(); k-- != 0 && inner * shape[k] <= part;) {
    const std::int64_t size = inner * shape[k];
    bool is_row = true;
    for (std::int64_t i = 0; i < part && is_row; ++i)
      is_row = i % size == 0 ? (first[static_cast<std::size_t>(i)] - low) % size == 0
                             : first[static_cast<std::size_t>(i)] ==
                                   first[static_cast<std::size_t>(i - 1)] + 1;
    if (!is_row) break;
    inner = size;
  }
  std::vector<float> indices;
  float most = 0;
  for (std::int64_t i = 0; i < part; i += inner) {
    indices.push_back(static_cast<float>((first[static_cast<std::size_t>(i)] - low) / inner));
    most = std::max(most, indices.back());
  }
  if (most >= 0x1p24f) refuse("it takes elements of too many", errc::nac_lower_memory);
  const tensor_view table{
      x.home, low, {outer, static_cast<std::int64_t>(most) + 1, inner}, {by, inner, 1}};
  const auto count = static_cast<std::int64_t>(indices.size());
  return *reshaped(pick(table, 1, index_constant(std::move(indices), {count})), shape);
}

/// In the type that its buffer has.
tensor_view mapper::output_of(std::uint32_t from, std::size_t k) {
  const vn::value& v = vn::decayed(net_.result(from));
  if (!v.is_tensor()) refuse("output " + std::to_string(k) + " isn't a tensor of real numbers");
  const vn::tensor& t = v.as_tensor();
  if (t.size() == 0) refuse("output " + std::to_string(k) + " has no elements");
  tensor_view x;
  if (net_.is_constant(from)) {
    x = constant(elements_of(t), dims_of(t));
  } else {
    if (results_[from].empty()) refuse("output " + std::to_string(k) + " isn't computed");
    x = results_[from][0];
  }
  const nem::element type = port_type(t.type);
  if (type == nem::element::none) return as_numbers(x);
  if (type_of(x) == type && is_dense(x)) return x;
  return cast(dense(as_numbers(x)), type);
}

void mapper::give_outputs(const std::vector<std::uint32_t>& from) {
  const std::size_t count = std::min<std::size_t>(from.size(), net_.program().model().outputs());
  std::set<std::string> taken;
  for (const home& h : plan_.homes)
    if (!h.buffer.empty()) taken.insert(h.buffer);
  for (std::size_t k = 0; k < count; ++k) {
    const tensor_view x = output_of(from[k], k);
    const dimensions& shape = x.shape;
    const tensor_view y = make(shape, type_of(x));
    home& h = plan_.homes[y.home];
    h.what = home::kind::output;
    h.buffer = port_name({}, "output", k, taken);
    h.shape = shape;
    copy(x, y);
    plan_.steps.back().is_tail = true;
    plan_.steps.back().name = "output " + std::to_string(k);
  }
}

const mapping* find_mapping(nac::operation wanted) noexcept {
  for (const std::span<const mapping> rows :
       {element_mappings(), product_mappings(), window_mappings(), norm_mappings(), fold_mappings(),
        logic_mappings(), function_mappings(), sequence_mappings()})
    for (const mapping& row : rows)
      if (row.from == wanted) return &row;
  return nullptr;
}

// ---- refusals

std::string_view mapper::name() const {
  const nac::step& s = net_.at(at_);
  return s.a >= nac::first_regular_op ? net_.program().model().operation_name(s.a)
                                      : std::string_view("OUTPUT");
}

void mapper::refuse(const std::string& why, errc code) const {
  throw refusal{code, at_, net_.name_of(at_) + " on " + device_.name() + ": " + why};
}

bool mapper::has_bias(std::string_view product, const tensor_view& bias) const {
  if (device_.is_quantized()) return plan_.homes[bias.home].what == home::kind::constant;
  return device_.has(std::string(product) + ".float", "with_bias");
}

void mapper::need_product(std::string_view product) const {
  if (!device_.is_quantized()) need(std::string(product) + ".float", "no_bias");
}

void mapper::need(std::string_view family, std::string_view variant) const {
  if (!device_.has(family, variant))
    refuse("the device has no " + device_.reference(family, variant), errc::nac_lower_device);
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
