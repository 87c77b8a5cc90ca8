// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/map.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "vm/nac/operations.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace vn = vm::nac;

namespace {

[[nodiscard]] dimensions dims_of(const vn::tensor& t) { return {t.dims.begin(), t.dims.end()}; }

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

}  // namespace

plan mapper::run() {
  results_.resize(net_.size());
  std::set<std::string> taken;
  const view<nac::model_input> inputs = net_.program().inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const std::uint32_t i = inputs[k].instruction;
    const dimensions shape = dims_of(net_.result(i).as_tensor());
    home h{home::kind::input, product(shape), port_name(inputs[k].name, "input", k, taken), shape};
    results_[i] = {
        {static_cast<std::uint32_t>(plan_.homes.size()), 0, shape, dense_strides(shape)}};
    plan_.homes.push_back(std::move(h));
    at_ = i;
    if (product(shape) == 0) refuse("the input has no elements", errc::nac_lower_shape);
  }
  for (at_ = 0; at_ < net_.size(); ++at_) {
    const nac::step& s = net_.at(at_);
    if (s.a >= nac::first_regular_op && !net_.is_constant(at_)) map_operation(at_);
    if (s.a == nac::op_output && s.b == static_cast<std::uint8_t>(nac::output::model)) {
      give_outputs(net_.program().code().arguments_of(s));
      plan_.results = std::move(results_);
      return std::move(plan_);
    }
  }
  // Of a program that says nothing of outputs, the last result is the only one.
  if (at_ == 0) throw refusal{errc::nac_lower_operation, 0, "the program has no instructions"};
  const nac::argument last{--at_};
  give_outputs({&last, 1});
  plan_.results = std::move(results_);
  return std::move(plan_);
}

void mapper::map_operation(std::uint32_t i) {
  const nac::operation o = nac::program::operation_of(net_.at(i));
  if (o == nac::operation::getitem) {
    const nac::argument from = net_.program().code().arguments_of(net_.at(i))[0];
    if (net_.result(from.index()).is_list()) return take_item(i);
  }
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
}

void mapper::take_item(std::uint32_t i) {
  call_.emplace(net_.call_of(i));
  const std::vector<tensor_view>& all = results_[argument(0, 0)];
  const auto index = static_cast<std::size_t>(call_->whole(1));
  if (index >= all.size()) refuse("NEM computes no such result of the operation");
  results_[i] = {all[index]};
  call_.reset();
}

/// The first result of an operation has the network's type; those of others are asked for when they
/// are used.
void mapper::check_type(std::uint32_t i) const {
  const vn::value& v = vn::decayed(net_.result(i));
  if (!v.is_tensor()) refuse("its result is no tensor");
  const vn::tensor& t = v.as_tensor();
  if (t.type != nac::data_type::float32)
    refuse("its result is " + std::string(nac::name(t.type)) + "; expected float32");
  if (t.size() == 0) refuse("its result has no elements", errc::nac_lower_shape);
}

// ---- operands

std::uint32_t mapper::argument(std::size_t letter, std::size_t k) const {
  const nac::argument a =
      net_.program().code().arguments_of(net_.at(at_))[call_->binding().first[letter] + k];
  return a.is_constant() ? ~std::uint32_t{0} : a.index();
}

bool mapper::is_constant(std::size_t letter, std::size_t k) const {
  const std::uint32_t i = argument(letter, k);
  return i == ~std::uint32_t{0} || net_.is_constant(i);
}

std::vector<float> mapper::elements(std::size_t letter, std::size_t k) const {
  const vn::tensor& t = call_->tensor_at(letter, k);
  std::vector<float> out(t.size());
  vn::visit(t.type, [&]<class T>(vn::of<T>) {
    for (std::size_t e = 0; e < out.size(); ++e) out[e] = vn::convert<float>(t.as<T>()[e]);
  });
  return out;
}

tensor_view mapper::operand(std::size_t letter, std::size_t k) {
  if (!is_constant(letter, k)) {
    const std::vector<tensor_view>& all = results_[argument(letter, k)];
    if (all.empty()) refuse("it uses a result that isn't float32");
    return all[0];
  }
  return constant(elements(letter, k), dims_of(call_->tensor_at(letter, k)));
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

dimensions mapper::result_shape() const {
  return dims_of(vn::decayed(net_.result(at_)).as_tensor());
}

tensor_view mapper::make(const dimensions& shape) {
  plan_.homes.push_back({home::kind::computed, product(shape)});
  return {static_cast<std::uint32_t>(plan_.homes.size() - 1), 0, shape, dense_strides(shape)};
}

// ---- steps

void mapper::add(step s) {
  if (s.name.empty()) s.name = net_.name_of(at_);
  s.instruction = at_;
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
/// indices.
void mapper::move_elements() {
  const tensor_view x = operand(0);
  vn::tensor indices =
      vn::make_tensor(net_.arena(), nac::data_type::int64, call_->tensor_at(0).dims);
  std::iota(indices.elements<std::int64_t>().begin(), indices.elements<std::int64_t>().end(),
            std::int64_t{0});
  const vn::value by(std::move(indices));
  vn::call again = net_.call_of(at_, call_->binding().first[0], &by);
  const vn::value done = vn::run(again);
  std::vector<vn::value> all;
  if (done.is_list())
    all.assign(done.as_list().begin(), done.as_list().end());
  else
    all.push_back(done);
  std::optional<tensor_view> source;
  for (const vn::value& v : all) {
    const vn::tensor& t = v.as_tensor();
    const std::span<const std::int64_t> from = t.elements<const std::int64_t>();
    std::optional<tensor_view> out = moved(source ? *source : x, dims_of(t), from);
    if (!out && !source) {
      source = dense(x);
      out = moved(*source, dims_of(t), from);
    }
    if (!out) refuse("strides can't say where its elements are");
    result_.push_back(std::move(*out));
  }
}

void mapper::give_outputs(view<nac::argument> given) {
  const std::size_t count = std::min<std::size_t>(given.size(), net_.program().model().outputs());
  std::set<std::string> taken;
  for (const home& h : plan_.homes)
    if (!h.buffer.empty()) taken.insert(h.buffer);
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t from = given[k].index();
    const vn::value& v = vn::decayed(net_.result(from));
    if (!v.is_tensor() || v.as_tensor().type != nac::data_type::float32)
      refuse("output " + std::to_string(k) + " isn't a tensor of float32");
    const dimensions shape = dims_of(v.as_tensor());
    if (product(shape) == 0) refuse("output " + std::to_string(k) + " has no elements");
    tensor_view x;
    if (net_.is_constant(from)) {
      std::vector<float> data(v.as_tensor().elements<float>().begin(),
                              v.as_tensor().elements<float>().end());
      x = constant(std::move(data), shape);
    } else {
      if (results_[from].empty()) refuse("output " + std::to_string(k) + " isn't float32");
      x = results_[from][0];
    }
    const tensor_view y = make(shape);
    home& h = plan_.homes[y.home];
    h.what = home::kind::output;
    h.buffer = port_name({}, "output", k, taken);
    h.shape = shape;
    copy(x, y);
    plan_.steps.back().is_tail = true;
    plan_.steps.back().name = "output " + std::to_string(k);
  }
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
