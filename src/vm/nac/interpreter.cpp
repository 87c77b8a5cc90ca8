// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "interpreter.hpp"

#include <algorithm>

#include "convergence.hpp"
#include "multiply.hpp"
#include "row_major.hpp"
#include "schedule.hpp"
#include "types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

/// Parameters below this size are loaded before a thread could be notified.
constexpr std::uint64_t worth_a_thread = 4096;

/// The entry of an id in a table that is as long as the largest id needs.
[[nodiscard]] std::uint32_t& entry_of(std::vector<std::uint32_t>& by_id, std::uint16_t id) {
  if (id >= by_id.size()) by_id.resize(std::size_t{id} + 1);
  return by_id[id];
}

[[nodiscard]] value first_state(memory& arena) {
  return make_tensor(arena, data_type::float32, {1, 12, 0, 64});
}

}  // namespace

unsupported_operations unsupported(const model::program& p) {
  unsupported_operations out;
  const view<model::step> steps = p.code().steps;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const model::step& s = steps[i];
    if (s.a < model::first_regular_op ||
        model::program::operation_of(s) != model::operation::unknown)
      continue;
    if (out.instructions++ == 0) out.first = i;
    out.names.emplace(p.model().operation_name(s.a));
  }
  return out;
}

// ---- making a machine

interpreter::interpreter(const model::program& p, const interpreter_options& how)
    : program_(p),
      own_(how.max_memory),
      arena_(how.arena != nullptr ? *how.arena : own_),
      how_(how) {
  try {
    compile();
  } catch (fault& f) {
    made_.code = f.code;
    made_.text = std::move(f.text);
  }
}

interpreter::~interpreter() = default;

const value* interpreter::constant_of(std::uint16_t id) {
  std::uint32_t& at = entry_of(constant_at_, id);
  if (at == 0) {
    constants_.push_back(load(arena_, program_.constant(id)));
    at = static_cast<std::uint32_t>(constants_.size());
  }
  return &constants_[at - 1];
}

/// Before anything is made for the run.
void interpreter::refuse_unsupported() {
  const unsupported_operations unknown = unsupported(program_);
  if (unknown.instructions == 0) return;
  std::string all;
  for (const std::string& name : unknown.names) all.append(all.empty() ? "" : ", ").append(name);
  made_.instruction = unknown.first;
  fail(errc::nac_operation_unsupported, std::move(all));
}

void interpreter::compile() {
  const model::program& p = program_;
  inputs_.resize(p.inputs().size());
  refuse_unsupported();
  check_strides(p, made_.instruction);
  changes_ = find_changes(p, made_.instruction);
  const model::code& code = p.code();
  const std::size_t n = p.size();
  results_.resize(n);
  ran_.resize(n);
  holds_.resize(n);
  code_.resize(n);
  bindings_.reserve(n);
  arguments_.reserve(code.arguments.size());
  constants_.reserve(p.model().constants().size());  // so that they stay in place
  std::vector<std::uint32_t> weight_at;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    code_[p.inputs()[i].instruction].slot = static_cast<std::uint32_t>(i);

  for (std::size_t i = 0; i < n; ++i) {
    const model::step& s = code.steps[i];
    compiled_instruction& to = code_[i];
    bindings_.push_back(p.binding_of(s));
    to.first = s.first;
    to.arguments = s.arguments;
    to.steps = static_cast<std::uint32_t>(instruction_steps + s.arguments * operand_steps);
    const view<model::argument> given = code.arguments_of(s);
    const std::size_t operands = operands_of(s);
    for (std::size_t k = 0; k < given.size(); ++k) {
      const value* from = nullptr;
      if (k < operands && !given[k].is_constant())
        from = &results_[changes_.source.empty() ? given[k].index() : changes_.source[s.first + k]];
      else if (k < operands)
        from = constant_of(given[k].id());
      arguments_.push_back(from);
    }
    if (s.a >= model::first_regular_op) {
      compile_operation(static_cast<std::uint32_t>(i));
    } else if (s.a == model::op_input) {
      compile_input(static_cast<std::uint32_t>(i), weight_at);
    } else if (s.a == model::op_output) {
      to.what = s.b == static_cast<std::uint8_t>(model::output::model) ? kind::output
                                                                       : kind::subgraph_output;
    } else if (s.a == model::op_control_flow) {
      to.what = kind::control_flow;
    } else if (s.a == model::op_convergence) {
      to.what = kind::convergence;
    }
  }
  for (const renewed& r : changes_.again) code_[r.instruction].flags |= tracked;
  states_.resize(state_ids_.size());
  reset_states();
  compile_blocks();
  compile_commands();
}

void interpreter::compile_operation(std::uint32_t i) {
  const model::code& code = program_.code();
  const model::step& s = code.steps[i];
  compiled_instruction& to = code_[i];
  to.what = kind::regular;
  to.operation = model::program::operation_of(s);
  if (!changes_.of.empty() && changes_.of[i] != changes::none) {
    to.what = kind::change;
    to.slot = changes_.of[i];
    return;
  }
  const view<model::argument> given = code.arguments_of(s);
  if (to.operation != model::operation::copy || given[0].is_constant()) return;
  const model::step& first = code.steps[given[0].index()];
  if (first.a == model::op_input && first.b == static_cast<std::uint8_t>(model::input::state)) {
    to.what = kind::copy_to_state;
    to.slot = code_[given[0].index()].slot;
  }
}

/// `weight_at` has the places of weights, from 1 on, by their parameters' ids.
void interpreter::compile_input(std::uint32_t i, std::vector<std::uint32_t>& weight_at) {
  const model::step& s = program_.code().steps[i];
  const view<model::argument> given = program_.code().arguments_of(s);
  compiled_instruction& to = code_[i];
  switch (static_cast<model::input>(s.b)) {
    case model::input::user: to.what = kind::input; break;
    case model::input::parameter: {
      to.what = kind::parameter;
      std::uint32_t& at = entry_of(weight_at, given[0].id());
      if (at == 0) {
        weights_.emplace_back().id = given[0].id();
        at = static_cast<std::uint32_t>(weights_.size());
      }
      to.slot = at - 1;
      break;
    }
    case model::input::state: {
      to.what = kind::state;
      const auto at = std::find(state_ids_.begin(), state_ids_.end(), given[0].id());
      to.slot = static_cast<std::uint32_t>(at - state_ids_.begin());
      if (at == state_ids_.end()) state_ids_.push_back(given[0].id());
      break;
    }
    case model::input::lifted_constant:
      to.what = kind::constant;
      arguments_[s.first] = constant_of(given[0].id());
      break;
    case model::input::saved_result:
    case model::input::target: break;  // of training
  }
}

/// Which instructions end a block, and which take results that may be absent.
void interpreter::compile_blocks() {
  const blocks in(program_);
  for (std::uint32_t b = 0; b < in.size(); ++b)
    if (in[b].end != in[b].first) code_[in[b].end - 1].flags |= ends_block;
  for (std::uint32_t i = 0; i < code_.size(); ++i) {
    const model::step& s = program_.code().steps[i];
    const view<model::argument> given = program_.code().arguments_of(s);
    for (std::size_t k = 0; k < operands_of(s); ++k) {
      if (given[k].is_constant()) continue;
      const std::uint32_t from = given[k].index();
      const kind what = code_[from].what;
      const bool opens = what == kind::control_flow || what == kind::convergence;
      if (in.contains(in.of(from), i) && !(opens && i < end_of_branches(program_, from))) continue;
      code_[i].flags |= checks_absent;
      code_[from].flags |= tracked;
    }
  }
}

/// The schedule, by when its commands are executed.
void interpreter::compile_commands() {
  const auto n = static_cast<std::uint32_t>(code_.size());
  std::vector<scheduled> all;
  if (how_.frees == freeing::computed ||
      (how_.frees == freeing::as_filed && program_.schedule().empty())) {
    all = make_schedule(program_);
  } else {
    for (const model::scheduled_command& c : program_.schedule())
      all.push_back({c.tick, c.target, c.what});
  }
  std::vector<bool> saved(n);
  for (const scheduled& s : all)
    if (s.what == model::action::save_result) saved[s.tick] = true;

  // After which instruction each result is dropped; a FREE of what instruction t doesn't use is
  // executed after the one before it, which is equivalent.
  std::vector<scheduled> drops_of;
  for (const scheduled& s : all) {
    if (s.what == model::action::preload) {
      if (!how_.preload) continue;
      preloads_.push_back({s.tick, s.target});
      code_[s.tick].flags |= preloads;
    } else if (how_.frees == freeing::never) {
      continue;
    } else if (s.what == model::action::free) {
      if (!changes_.kept.empty() && changes_.kept[s.target]) continue;
      const bool takes = program_.last_use(s.target) == s.tick;
      drops_of.push_back({takes ? s.tick : s.tick - 1, s.target, s.what});
    } else if (s.what == model::action::forward && !saved[s.tick] &&
               (changes_.kept.empty() || !changes_.kept[s.tick])) {
      drops_of.push_back({s.target, s.tick, s.what});
    }
  }
  const auto by_tick = [](const auto& a, const auto& b) { return a.tick < b.tick; };
  std::stable_sort(preloads_.begin(), preloads_.end(), by_tick);
  std::stable_sort(drops_of.begin(), drops_of.end(), by_tick);
  commands_.reserve(drops_of.size());
  for (std::uint32_t i = 0; i < n; ++i) {
    code_[i].command = static_cast<std::uint32_t>(commands_.size());
    for (; commands_.size() < drops_of.size() && drops_of[commands_.size()].tick == i;
         code_[i].flags |= drops)
      commands_.push_back({drops_of[commands_.size()].target, drops_of[commands_.size()].what});
  }
}

// ---- states

errc interpreter::set_state(std::uint16_t id, value v) {
  const auto at = std::find(state_ids_.begin(), state_ids_.end(), id);
  if (at == state_ids_.end()) return errc::nac_run_state;
  if (!v.is_tensor()) return errc::nac_run_kind;
  states_[static_cast<std::size_t>(at - state_ids_.begin())] = std::move(v);
  return errc::ok;
}

const value* interpreter::state(std::uint16_t id) const noexcept {
  const auto at = std::find(state_ids_.begin(), state_ids_.end(), id);
  return at == state_ids_.end() ? nullptr
                                : &states_[static_cast<std::size_t>(at - state_ids_.begin())];
}

void interpreter::reset_states() {
  for (value& v : states_) v = first_state(arena_);
}

// ---- a run

outcome interpreter::run(const budget& limit) { return run(limit, no_observer()); }

void interpreter::begin_run() {
  outputs_.clear();
  intermediate_.clear();
  frames_.clear();
  frame& whole = frames_.emplace_back();
  whole.instruction = outcome::none;
  whole.end = whole.after = static_cast<std::uint32_t>(code_.size());
  next_states_.assign(states_.size(), {});
  for (weight& w : weights_) w.counted = w.dropped = false;
  if (++run_ == 0) {  // all numbers were used: begin again
    std::fill(ran_.begin(), ran_.end(), 0);
    run_ = 1;
  }
  figures_ = {};
  dropped_ = 0;
  work_.random = how_.seed;
  arena_.reset_peak();
  arena_.charge(code_.size());  // what begins and ends a run goes over all instructions
}

void interpreter::end_run_well() {
  if (const std::size_t wanted = program_.model().outputs(); outputs_.size() != wanted)
    fail(errc::nac_run_outputs, "found ", outputs_.size(), "; expected ", wanted);
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (!next_states_[i].is_none()) states_[i] = std::move(next_states_[i]);
}

void interpreter::end_run(outcome& done) noexcept {
  figures_.peak = std::max(figures_.peak, arena_.peak());
  figures_.peak_unfreed = std::max(figures_.peak_unfreed, arena_.peak() + dropped_);
  if (!done) {
    outputs_.clear();
    intermediate_.clear();
  }
  frames_.clear();
  next_states_.clear();
  for (value& v : results_)
    if (!v.is_none()) v.clear();
  if (preloader_ != nullptr) preloader_->forget_waiting();
  for (weight& w : weights_) {
    if (w.loading && !preloader_->forget(static_cast<std::uint32_t>(&w - weights_.data())))
      w.value = {};
    w.loading = false;
    w.uses = 0;
    if (!how_.keep_parameters) w.value = {};
  }
  if (!how_.keep_parameters) std::fill(holds_.begin(), holds_.end(), false);
}

// ---- instructions

void interpreter::check_absent(std::uint32_t i) const {
  const model::step& s = program_.code().steps[i];
  const view<model::argument> given = program_.code().arguments_of(s);
  for (std::size_t k = 0; k < operands_of(s); ++k) {
    if (given[k].is_constant()) continue;
    const std::uint32_t from = given[k].index();
    if ((code_[from].flags & tracked) != 0 && ran_[from] != run_)
      fail(errc::nac_run_absent, "v", from, " is in a branch that didn't run");
  }
}

value interpreter::copy_to_state(std::uint32_t i) {
  const compiled_instruction& p = code_[i];
  call c(arena_, work_, p.operation, bindings_[i], arguments_of(p));
  const tensor &into = c.tensor_at(0), &from = c.tensor_at(1);
  value out;
  if (from.rank() == into.rank() && !(from.dims == into.dims))
    out = cast(arena_, from, into.type);
  else
    out = nac::run(c);
  next_states_[p.slot] = out;
  return out;
}

/// The base with the elements that the target has now: which of them a view has is what the view
/// gives of their indices.
tensor interpreter::write_base(const change& c, const tensor& from) {
  const value& old = results_[c.base];
  if (!old.is_tensor() && !old.is_complex())
    fail(errc::nac_run_kind, "v", c.base, ", a list, would change in place; expected a tensor");
  const tensor base = old.as_tensor();
  const std::size_t unit = old.is_complex() ? 2 : 1;  // numbers of an element
  tensor indices = make_tensor(arena_, data_type::int64, leading(base.dims, unit - 1));
  for (std::size_t k = 0; k < indices.size(); ++k)
    indices.as<std::int64_t>()[k] = static_cast<std::int64_t>(k);
  std::size_t count = indices.size();
  value at = std::move(indices);
  for (std::uint32_t k = c.first_step; k < c.first_step + c.steps; ++k) {
    const std::uint32_t m = changes_.path[k];
    if (code_[m].what == kind::change) continue;
    arena_.charge(code_[m].steps);
    std::vector<const value*> arguments(arguments_.begin() + code_[m].first,
                                        arguments_.begin() + code_[m].first + code_[m].arguments);
    const value whole = std::move(at);
    arguments[0] = &whole;
    call again(arena_, work_, code_[m].operation, bindings_[m], arguments);
    at = nac::run(again);
    if (!at.is_tensor()) continue;
    if (at.as_tensor().size() > count)
      fail(errc::nac_run_in_place, "the target has several elements for one element of v", c.base,
           "; expected at most one");
    count = at.as_tensor().size();
  }
  const value& target = decayed(at);
  if (!target.is_tensor() || unit * target.as_tensor().size() != from.size() ||
      target.as_tensor().type != data_type::int64 || from.type != base.type)
    fail(errc::nac_run_in_place, "the target, ", from.size(), " elements of type ", name(from.type),
         ", doesn't match its view of v", c.base, ", of type ", name(base.type));
  tensor out = make_tensor(arena_, base.type, base.dims);
  out.is_number = base.is_number;
  std::copy_n(base.data, base.bytes(), out.data);
  arena_.charge(product_of_steps(base.size() + 4 * std::uint64_t{from.size()}, 1));
  const std::int64_t* const places = target.as_tensor().as<std::int64_t>();
  visit(base.type, [&]<class T>(of<T>) {
    for (std::size_t k = 0; k < from.size(); ++k)
      out.as<T>()[static_cast<std::size_t>(places[k / unit]) * unit + k % unit] = from.as<T>()[k];
  });
  return out;
}

value interpreter::change_in_place(std::uint32_t i) {
  const compiled_instruction& p = code_[i];
  const change& c = changes_.all[p.slot];
  std::vector<const value*> arguments(arguments_.begin() + p.first,
                                      arguments_.begin() + p.first + p.arguments);
  const value& first = decayed(*arguments[0]);
  if (!first.is_tensor() && !first.is_complex())
    fail(errc::nac_run_kind, "the first operand changes in place; expected a tensor");
  const tensor target = first.as_tensor();
  // 1.0 is 1 in files of the original compiler; in place of integers it can be nothing else.
  std::vector<value> casts(is_floating(target.type) ? 0 : arguments.size());
  for (std::size_t k = 1; k < casts.size(); ++k) {
    if (!arguments[k]->is_tensor() || !arguments[k]->as_tensor().is_number) continue;
    const tensor& number = arguments[k]->as_tensor();
    if (number.type != data_type::float64) continue;
    const auto whole = convert<std::int64_t>(*number.as<double>());
    if (static_cast<double>(whole) != *number.as<double>()) continue;
    casts[k] = make_number(arena_, whole);
    arguments[k] = &casts[k];
  }
  call of(arena_, work_, p.operation, bindings_[i], arguments);
  value made = nac::run(of);
  if (!made.is_tensor() && !made.is_complex())
    fail(errc::nac_run_in_place, "the operation has several results; expected one tensor");
  if (made.is_complex() != first.is_complex())
    fail(errc::nac_run_kind, "only one of the result and the target is complex; expected both");
  if (!(made.as_tensor().dims == target.dims))
    fail(errc::nac_run_shape, "the result has shape ", made.as_tensor().dims, "; expected ",
         target.dims, ", that of the target");
  if (const data_type from = made.as_tensor().type; from != target.type) {
    const bool fits =
        is_floating(target.type) || (!is_floating(from) && target.type != data_type::boolean);
    if (!fits)
      fail(errc::nac_run_type, "the result has type ", name(from), "; expected ", name(target.type),
           ", that of the target");
    made.as_tensor() = cast(arena_, made.as_tensor(), target.type);
  }
  made.as_tensor().is_number = target.is_number;
  value base;
  if (c.writes) {
    tensor whole = write_base(c, made.as_tensor());
    base = made.is_complex() ? value::complex(std::move(whole)) : value(std::move(whole));
    results_[c.base] = base;
  }
  if (code_[c.base].what == kind::state) next_states_[code_[c.base].slot] = c.writes ? base : made;
  for (std::uint32_t k = c.first_again; k < c.first_again + c.again; ++k) {
    const renewed& r = changes_.again[k];
    if (ran_[r.instruction] != run_) continue;  // in a branch that wasn't run
    value& to = results_[r.instruction];
    switch (r.how) {
      case renewed::by::result:
        if (to.is_list() && r.is_used)
          fail(errc::nac_run_in_place, "v", r.instruction,
               " is a list, which an in-place change can't replace; expected a tensor");
        to = made;
        break;
      case renewed::by::parent: to = value(results_[r.parent]); break;
      case renewed::by::again: {
        const compiled_instruction& q = code_[r.instruction];
        arena_.charge(q.steps);
        call view(arena_, work_, q.operation, bindings_[r.instruction], arguments_of(q));
        to = nac::run(view);
        break;
      }
    }
  }
  return made;
}

value interpreter::input(const compiled_instruction& p) const {
  if (p.what == kind::state) return states_[p.slot];
  if (p.what == kind::constant) return operand(p);
  const value& v = inputs_[p.slot];
  if (v.is_none()) {
    const std::string_view name = program_.inputs()[p.slot].name;
    fail(errc::nac_run_input, "input ", p.slot,
         name.empty() ? std::string() : " (\"" + std::string(name) + "\")", " isn't set");
  }
  return v;
}

preloader::times interpreter::parameter(std::uint32_t i, const compiled_instruction& p) {
  weight& w = weights_[p.slot];
  preloader::times took;
  if (w.loading) {
    took = preloader_->finish(p.slot);
    w.loading = false;
    ++(took.ready ? figures_.preloads_ready : figures_.preloads_late);
  } else if (!w.value.owner) {
    filling fill;
    prepare_weight(w, fill);
    fill();
  }
  if (!w.counted) figures_.parameters += w.value.owner.size();
  w.counted = true;
  hold(i, w);
  results_[i] = w.value;
  return took;
}

void interpreter::prepare_weight(weight& w, filling& fill) {
  if (!program_.has_parameter(w.id) || !program_.parameter(w.id).has_value)
    fail(errc::nac_run_weights);
  // Compilers that narrow weights leave it to the header to say that they were float32.
  const bool widen = program_.model().quantization() == model::quantization::fp16;
  w.value = prepare(arena_, program_.parameter(w.id).value, widen, fill);
  // Had nothing been freed, it would still be there.
  if (w.dropped) dropped_ -= std::min<std::uint64_t>(dropped_, w.value.owner.size());
  w.dropped = false;
}

void interpreter::hold(std::uint32_t i, weight& w) {
  if (how_.keep_parameters || holds_[i]) return;
  holds_[i] = true;
  ++w.uses;
}

bool interpreter::begin_preload(std::uint32_t target) {
  weight& w = weights_[code_[target].slot];
  if (w.value.owner) {
    hold(target, w);
    return false;
  }
  const model::parameter* const from =
      program_.has_parameter(w.id) ? &program_.parameter(w.id) : nullptr;
  if (from == nullptr || !from->has_value || from->value.data.size() < worth_a_thread) return false;
  if (preloader_ == nullptr) preloader_ = std::make_unique<preloader>(weights_.size());
  filling fill;
  try {
    prepare_weight(w, fill);
  } catch (const fault&) {
    return false;  // its INPUT may find more memory, or reports it
  }
  w.instruction = target;
  try {
    w.loading = preloader_->begin(code_[target].slot, fill);
  } catch (const std::bad_alloc&) {
    w.loading = false;
  }
  if (!w.loading) fill();
  hold(target, w);
  return w.loading;
}

void interpreter::collect(std::uint32_t i, std::vector<value>& to) const {
  const model::step& s = program_.code().steps[i];
  for (std::size_t k = 0; k < s.arguments; ++k) to.push_back(*arguments_[s.first + k]);
}

void interpreter::give_output(const value& v, std::size_t k, std::vector<value>& to) {
  const value& one = decayed(v);
  if (one.is_complex()) fail(errc::nac_run_kind, "output ", k, " is complex; expected a real one");
  to.push_back(one);
}

/// What an OUTPUT gives to the caller.
void interpreter::give_outputs(std::uint32_t i, std::vector<value>& to) const {
  const model::step& s = program_.code().steps[i];
  for (std::size_t k = 0; k < s.arguments; ++k) give_output(*arguments_[s.first + k], k, to);
}

value interpreter::branch_value(std::uint32_t i) const {
  std::vector<value> all;
  collect(i, all);
  if (all.empty()) return {};
  return all.size() == 1 ? std::move(all[0]) : value(std::move(all));
}

// ---- branches

std::uint32_t interpreter::enter_control_flow(std::uint32_t i, const compiled_instruction& p) {
  const value& v = operand(p);
  const value& one = decayed(v);
  if (!one.is_tensor())
    fail(errc::nac_run_kind, "the predicate is not a tensor; expected one of one element");
  const tensor& t = one.as_tensor();
  if (t.size() != 1)
    fail(errc::nac_run_argument, "a predicate of shape ", t.dims, "; expected one element");
  const bool holds = visit(t.type, [&]<class T>(of<T>) { return convert<bool>(*t.as<T>()); });
  const view<model::argument> given = program_.code().arguments_of(program_.code().steps[i]);
  const std::uint32_t middle = i + 1 + given[1].index(), after = middle + given[2].index();
  frame& f = frames_.emplace_back();
  f.instruction = i;
  f.end = holds ? middle : after;
  f.after = after;
  return holds ? i + 1 : middle;
}

std::uint32_t interpreter::enter_convergence(std::uint32_t i, const compiled_instruction& p) {
  const view<model::argument> given = program_.code().arguments_of(program_.code().steps[i]);
  frame& f = frames_.emplace_back();
  f.instruction = i;
  f.after = given[1].index();
  f.end = given.size() > 3 ? given[3].index() : f.after;
  f.input = operand(p);
  return given.size() > 2 ? given[2].index() : f.after;
}

bool interpreter::leave(std::uint32_t& i) {
  frame& f = frames_.back();
  const std::uint32_t opened_by = f.instruction;
  value out;
  if (code_[opened_by].what == kind::convergence) {
    const model::step& s = program_.code().steps[opened_by];
    const view<model::argument> given = program_.code().arguments_of(s);
    const std::size_t count = given.size() - 2;
    if (count != 0) f.branches.push_back(std::move(f.result));
    f.result = {};
    ++f.branch;
    if (f.branch < count) {
      f.end = f.branch + 1 < count ? given[3 + f.branch].index() : f.after;
      return false;
    }
    out = converge(arena_, f.branches, f.input, s.b == 0 ? 0.5 : s.b / 100.0);
  } else {
    out = std::move(f.result);
  }
  i = f.after;
  results_[opened_by] = std::move(out);
  ran_[opened_by] = run_;
  const std::uint64_t live = arena_.live();
  frames_.pop_back();
  count_freed(live);
  return true;
}

// ---- memory

/// What was freed since `live_before` would still be there without a schedule.
void interpreter::count_freed(std::uint64_t live_before) noexcept {
  const std::uint64_t freed = live_before - arena_.live();
  if (freed == 0) return;
  figures_.peak = std::max(figures_.peak, arena_.peak());
  figures_.peak_unfreed = std::max(figures_.peak_unfreed, arena_.peak() + dropped_);
  arena_.reset_peak();
  dropped_ += freed;
}

void interpreter::drop(std::uint32_t target) {
  const std::uint64_t live = arena_.live();
  results_[target].clear();
  if (!how_.keep_parameters && holds_[target]) {
    holds_[target] = false;
    weight& w = weights_[code_[target].slot];
    if (--w.uses == 0) release(w);
  }
  count_freed(live);
}

void interpreter::release(weight& w) {
  if (w.loading) (void)preloader_->forget(static_cast<std::uint32_t>(&w - weights_.data()));
  w.loading = false;
  w.value = {};
  w.dropped = true;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
