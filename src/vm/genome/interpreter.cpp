// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "interpreter.hpp"

#include <algorithm>
#include <new>

#include "vm/nac/operations.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::genome {

using nac::value;

namespace {

[[nodiscard]] bool truth_of(const value& v) {
  const value& one = nac::decayed(v);
  if (!one.is_tensor()) nac::fail(errc::genome_run_condition, "the condition is not a tensor");
  const nac::tensor& t = one.as_tensor();
  if (t.size() != 1) nac::fail(errc::genome_run_condition, "the condition has shape ", t.dims);
  return nac::visit(t.type, [&]<class T>(nac::of<T>) { return nac::convert<bool>(*t.as<T>()); });
}

}  // namespace

bool interpreter::set_parameter(std::uint32_t id, value v) {
  if (id >= parameter_at_.size() || parameter_at_[id] == 0) return false;
  parameters_[parameter_at_[id] - 1] = std::move(v);
  return true;
}

bool interpreter::set_parameter(std::string_view name, value v) {
  for (const std::uint32_t id : parameter_ids_)
    if (library_.parameter(id) == name) return set_parameter(id, std::move(v));
  return false;
}

// ---- a run

outcome interpreter::run(const budget& limit, const observer_ref<event>& see) {
  outcome done = made_;
  if (!done) return done;
  outputs_.clear();
  work_.random = 0;
  const vm::meter outer = arena_.exchange(vm::meter(limit.max_steps));
  const std::uint64_t memory = arena_.exchange_limit(memory_of_run(limit, arena_.limit()));
  try {
    arena_.charge(results_.size());  // the end of a run goes over all of them
    execute(done, see);
  } catch (nac::fault& f) {
    done.code = f.code;
    done.text = std::move(f.text);
  } catch (const std::bad_alloc&) {
    done.code = errc::budget_memory;
  }
  done.steps = arena_.exchange(outer).used();
  arena_.exchange_limit(memory);
  if (!done) {
    set_place(done);
    outputs_.clear();
  }
  frames_.clear();
  for (value& v : results_)
    if (!v.is_none()) v.clear();
  return done;
}

event interpreter::place(std::uint32_t at) const {
  const auto stream_size = static_cast<std::uint32_t>(program_.stream().size());
  event out;
  out.node = at;
  if (at >= stream_size) {
    const auto in = std::find_if(calls_.begin(), calls_.end(),
                                 [&](const called& c) { return c.first <= at && at < c.end; });
    out.node = in == calls_.end() ? caller_ : in->caller;
    if (in != calls_.end()) {
      out.pattern = library_.registry().patterns[in->pattern].id;
      out.pattern_node = at - in->first;
    }
    const auto outermost = std::find_if(frames_.begin(), frames_.end(), [&](const frame& f) {
      return f.what == phase::code && f.end != stream_size;
    });
    if (outermost != frames_.end()) out.node = outermost->opener;
  }
  return out;
}

void interpreter::set_place(outcome& done) const {
  if (at_ == event::none) return;
  static_cast<event&>(done) = place(at_);
  done.offset = model::offset_of(program_.stream(), done.node);
}

void interpreter::execute(outcome& done, const observer_ref<event>& see) {
  const auto stream_size = static_cast<std::uint32_t>(code_.empty() ? 0 : program_.stream().size());
  frames_.clear();
  frames_.push_back({phase::code, stream_size, 0, 0, 0, {}, {}});
  std::uint32_t i = 0;
  bool returned = false;
  while (true) {
    const std::uint32_t end = frames_.back().end, base = frames_.back().base;
    if (i == end) {
      const std::size_t depth = frames_.size();
      if (depth == 1) break;
      i = leave();
      if (see && frames_.size() < depth) see.end(place(at_));
      continue;
    }
    const compiled_node& p = code_[i];
    at_ = i;
    arena_.charge(instruction_steps + p.count * operand_steps);
    ++done.nodes;
    if (see) see.begin(place(i));
    const std::uint32_t slot = base + p.slot;
    switch (p.what) {
      case kind::nothing: break;
      case kind::input: results_[slot] = input(slot); break;
      case kind::external: results_[slot] = slot_of(operands_[p.extra], base); break;
      case kind::variable: results_[slot] = frames_.back().variables[p.extra]; break;
      case kind::parameter: results_[slot] = parameter(p); break;
      case kind::unnamed_parameter: results_[slot] = unnamed_parameter(slot); break;
      case kind::output:
        for (const operand& o : operands_of(p)) give_output(slot_at(o, base));
        returned = true;
        break;
      case kind::block_output: results_[slot] = values_of(p, base); break;
      case kind::operation: results_[slot] = run_operation(p, base); break;
      case kind::call:
        frames_.push_back({phase::code, calls_[p.extra].end, slot, i, 0, {}, {}});
        i = calls_[p.extra].first;
        continue;
      case kind::if_else: {
        const bool holds = truth_of(slot_of(operands_[p.first], base));
        begin_block(i, base, !holds, phase::branch);
        i = holds ? i + 1 : controls_[p.extra].middle;
        continue;
      }
      case kind::while_loop: {
        begin_block(i, base, false, phase::condition);
        frame& f = frames_.back();
        for (const operand& o : operands_of(p)) f.outside.push_back(slot_of(o, base));
        f.variables = f.outside;
        ++i;
        continue;
      }
    }
    drop(slot);
    if (see) see.end(place(i));
    i = p.next;
  }
  if (returned || stream_size == 0) return;
  std::uint32_t last = 0;
  for (std::uint32_t k = 0; k < stream_size; k = code_[k].next) last = k;
  if (!results_[code_[last].result].is_none()) give_output(code_[last].result);
}

// ---- nodes

value interpreter::run_operation(const compiled_node& p, std::uint32_t base) {
  arguments_.clear();
  for (const operand& o : operands_of(p))
    arguments_.push_back(o.constant != nullptr ? o.constant : &slot_of(o, base));
  nac::call c(arena_, work_, p.operation, p.binding, arguments_);
  return nac::run(c);
}

value interpreter::parameter(const compiled_node& p) const {
  const value& v = parameters_[p.extra];
  if (v.is_none()) {
    const std::uint32_t id = parameter_ids_[p.extra];
    nac::fail(errc::genome_run_parameter, "parameter ", id, " (", library_.parameter(id),
              ") isn't set");
  }
  return v;
}

std::uint32_t interpreter::index_of(const std::vector<given_place>& places, std::uint32_t slot) {
  return std::lower_bound(
             places.begin(), places.end(), slot,
             [](const given_place& place, std::uint32_t wanted) { return place.slot < wanted; })
      ->index;
}

const value& interpreter::input(std::uint32_t slot) const {
  const std::uint32_t i = index_of(inputs_at_, slot);
  if (inputs_[i].is_none()) nac::fail(errc::nac_run_input, "input ", i, " isn't set");
  return inputs_[i];
}

const value& interpreter::unnamed_parameter(std::uint32_t slot) const {
  const std::uint32_t i = index_of(unnamed_at_, slot);
  if (unnamed_[i].is_none())
    nac::fail(errc::genome_run_parameter, "unnamed parameter ", i, " isn't set");
  return unnamed_[i];
}

/// Of an operation with several results the first one; of a WHILE all variables.
void interpreter::give_output(std::size_t slot) {
  const value& v = results_[slot];
  outputs_.push_back(is_loop_[slot] ? v : nac::decayed(v));
  if (outputs_.back().is_complex())
    nac::fail(errc::nac_run_kind, "a complex output; expected a real one");
}

/// What an OUTPUT of a block gives: one value, or a list.
value interpreter::values_of(const compiled_node& p, std::uint32_t base) {
  if (p.count == 1) return slot_of(operands_[p.first], base);
  std::vector<value> all;
  for (const operand& o : operands_of(p)) all.push_back(slot_of(o, base));
  return value(std::move(all));
}

// ---- blocks

void interpreter::begin_block(std::uint32_t opener, std::uint32_t base, bool second, phase what) {
  const compiled_node& p = code_[opener];
  const control& c = controls_[p.extra];
  frames_.push_back(
      {what, second ? p.next : c.middle, base, opener, base + c.results[second ? 1 : 0], {}, {}});
}

/// Binds the initial states to the variables; of two that are one node it is the first.
void interpreter::begin_round(frame& f) {
  const std::span<const operand> states = operands_of(code_[f.opener]);
  arena_.charge(states.size() * operand_steps);
  for (std::size_t k = states.size(); k-- > 0;) slot_of(states[k], f.base) = f.variables[k];
}

std::uint32_t interpreter::leave() {
  frame& f = frames_.back();
  const compiled_node& p = code_[f.opener];
  at_ = f.opener;
  const std::uint32_t next = p.next, slot = f.base + p.slot;
  value v;
  switch (f.what) {
    case phase::code: frames_.pop_back(); return next;
    case phase::branch:
      v = std::move(results_[f.value]);
      results_[f.value].clear();
      break;
    case phase::condition: {
      const control& c = controls_[p.extra];
      const bool holds = truth_of(results_[f.value]);
      results_[f.value].clear();
      if (holds) {
        f.what = phase::body;
        f.end = next;
        f.value = f.base + c.results[1];
        return c.middle;
      }
      v = f.variables.size() == 1 ? std::move(f.variables[0]) : value(std::move(f.variables));
      is_loop_[slot] = true;
      f.variables = std::move(f.outside);
      begin_round(f);  // the states are themselves again
      break;
    }
    case phase::body: {
      value round = std::move(results_[f.value]);
      results_[f.value].clear();
      if (f.variables.size() == 1) {
        f.variables[0] = std::move(round);
      } else if (!f.variables.empty()) {
        if (!round.is_list() || round.as_list().size() != f.variables.size())
          nac::fail(errc::nac_run_kind, "the loop body gives ",
                    round.is_list() ? std::to_string(round.as_list().size()) + " values"
                                    : std::string("1 value"),
                    "; expected ", f.variables.size(), ", one per loop variable");
        std::copy(round.as_list().begin(), round.as_list().end(), f.variables.begin());
      }
      begin_round(f);
      const control& c = controls_[p.extra];
      f.what = phase::condition;
      f.end = c.middle;
      f.value = f.base + c.results[0];
      return f.opener + 1;
    }
  }
  results_[slot] = std::move(v);
  frames_.pop_back();
  drop(slot);
  return next;
}

/// Drops what nodes took for the last time.
void interpreter::drop(std::uint32_t slot) {
  for (std::uint32_t k = first_drop_[slot]; k < first_drop_[slot + 1]; ++k)
    results_[drops_[k]].clear();
}

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI
