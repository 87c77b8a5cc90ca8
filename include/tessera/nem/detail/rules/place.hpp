// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules of where a task may run, and of what it may access there.
//
//   bind(c, task);                 // the task's unit, engine and access flags, from its decorators
//   check_place(c, task);          // then its rules
//
//   DEC-007  writes what is @readonly               PLC-001  L1 memories of several engines
//   DEC-008  reads what is @writeonly               PLC-002  pinned to another engine than its L1
//   RES-004  the unit can't execute the operation   PLC-003  pinned to no engine
//   RES-005  another unit of the type is used
//   RES-006  another type of unit is used
//   RES-007  DMA where a transfer touches DDR
//   RES-008  DDR without sDMA
//
// Rules about the device need a target with a topology; without one, a program is for any device.
//
// Lifetime:   borrows for the call.
// Errors:     findings.
// Limits:     none.
// Allocation: that of findings.

#ifndef TESSERA_NEM_DETAIL_RULES_PLACE_HPP
#define TESSERA_NEM_DETAIL_RULES_PLACE_HPP

#include <cstddef>
#include <cstdint>

#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "context.hpp"
#include "decorator.hpp"
#include "transfer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The buffer of an operand, or null where it isn't known.
[[nodiscard]] inline const buffer* buffer_of(const context& c, const operand& o) noexcept {
  if (o.region == no_index) return nullptr;
  const std::uint32_t b = c.v.regions[o.region].buffer;
  return b == no_index ? nullptr : &c.v.buffers[b];
}
/// All operands of a task, inputs first.
[[nodiscard]] inline view<operand> operands_of(const context& c, const task& t) noexcept {
  return {c.v.operands.data() + t.first_operand, std::size_t{t.inputs} + t.outputs};
}

/// Sets what decorators and operands say of a task: its unit, its engine, the operands' flags.
inline void bind(context& c, task& t) {
  t.unit = unit::none;
  t.unit_index = 0;
  t.engine = -1;
  t.is_memmove = false;
  const std::size_t operands = std::size_t{t.inputs} + t.outputs;
  for (std::size_t i = 0; i < operands; ++i) {
    operand& o = c.v.operands[t.first_operand + i];
    const buffer* const b = buffer_of(c, o);
    unsigned flags = decorated_access(c.d, o.node);
    if (o.region != no_index) flags |= c.v.regions[o.region].flags;
    if (b != nullptr) flags |= b->flags;
    o.flags = static_cast<std::uint8_t>(flags);
    if (b != nullptr && b->level == level::l1 && b->is_known && t.engine < 0) t.engine = b->engine;
  }
  bool has_resource = false, has_engine = false;  // of repeated decorators the first one counts
  for (const std::uint32_t i : children(c.d, t.node)) {
    if (c[i].kind != node_kind::decorator) continue;
    switch (static_cast<decorator>(c[i].detail)) {
      case decorator::memmove: t.is_memmove = true; break;
      case decorator::resource: {
        if (has_resource) break;
        has_resource = true;
        const bound_unit u = resource_argument(c, i);
        t.unit = u.unit;
        t.unit_index = u.index;
        break;
      }
      case decorator::seq_engine: {
        std::int64_t engine = 0;
        if (!has_engine && integer_argument(c, i, engine) && t.engine < 0 && engine >= 0)
          t.engine = engine;
        has_engine = true;
        break;
      }
      default: break;
    }
  }
}

/// Reports an access that a decorator of the operand, of its region or of its buffer forbids.
[[gnu::cold]] inline void report_access(context& c, const operand& o, bool is_write) {
  const decorator which = is_write ? decorator::readonly : decorator::writeonly;
  const std::uint32_t declaration =
      o.region == no_index ? no_node : c.v.regions[o.region].declaration;
  const buffer* const b = buffer_of(c, o);
  const std::uint32_t nodes[] = {o.node, declaration, b == nullptr ? no_node : b->node};
  std::uint32_t where = no_node;
  for (const std::uint32_t n : nodes) {
    if (n == no_node) continue;
    bool has_readonly = false, has_writeonly = false;
    std::uint32_t left = 32;  // where there are more, they repeat: many tasks may use one buffer
    for (const std::uint32_t i : children(c.d, n)) {
      if (left-- == 0) break;
      if (c[i].kind != node_kind::decorator) continue;
      const decorator d = static_cast<decorator>(c[i].detail);
      has_readonly = has_readonly || d == decorator::readonly;
      has_writeonly = has_writeonly || d == decorator::writeonly;
      if (d == which && where == no_node) where = i;
    }
    if (has_readonly && has_writeonly) return;  // DEC-005 has reported it
    if (where != no_node) break;
  }
  auto w = c.found.add(is_write ? errc::nem_dec_007_readonly : errc::nem_dec_008_writeonly,
                       place_of_operand(c, o));
  w << "the task " << (is_write ? "writes " : "reads ") << operand_name{c, o}
    << ", which is marked @" << (is_write ? "readonly" : "writeonly");
  if (where != no_node) w.note(c.at(where)) << "it is marked here";
}

/// The rules of @resource, with the target's units.
[[gnu::cold]] inline void check_resource(context& c, const task& t, bool touches_ddr) {
  const std::uint32_t i = find_decorator(c.d, t.node, decorator::resource);
  if (i == no_node) return;
  const place where = c.at(i + 1);
  const unit_set eligible = eligible_units(t.opcode);
  if ((eligible & units(t.unit)) == 0) {
    auto w = c.found.add(errc::nem_res_004_eligible, where);
    w << name(t.unit) << " can't execute " << name(t.opcode) << ": ";
    bool is_first = true;
    for (std::size_t u = 0; u < unit_count; ++u) {
      if ((eligible & 1u << u) == 0) continue;
      w << (is_first ? "expected " : " or ") << unit_names[u];
      is_first = false;
    }
    return;
  }
  if (t.opcode == opcode::transfer && t.unit == unit::dma && touches_ddr)
    c.found.add(errc::nem_res_007_system_dma, where)
        << "a transfer that touches DDR takes the device's sDMA, not an engine's DMA";
  if (c.target == nullptr || !c.target->has_topology) return;
  const topology& has = c.target->topology;
  const std::string_view device = c.types.text_of(c.target->name);
  const std::int64_t count = has.units[static_cast<std::size_t>(t.unit)];
  if (count > 0 && t.unit_index >= count) {
    c.report(errc::nem_res_005_remapped, i + 2)
        << "an engine of " << device << " has " << count << ' ' << name(t.unit) << ": "
        << name(t.unit) << '[' << t.unit_index << "] becomes " << name(t.unit) << '['
        << t.unit_index % count << ']';
  } else if (count <= 0) {
    unit other = unit::none;
    const unit preferred[] = {unit::vpu, default_unit(t.opcode), unit::cstl, unit::dma, unit::nmu};
    for (const unit u : preferred)
      if (other == unit::none && u != unit::none && (eligible & units(u)) != 0 &&
          has.units[static_cast<std::size_t>(u)] > 0)
        other = u;
    if (other == unit::none)
      c.found.add(errc::nem_res_004_eligible, where)
          << device << " has no " << name(t.unit) << ", and no other unit of it can execute "
          << name(t.opcode);
    else
      c.found.add(errc::nem_res_006_translated, where)
          << device << " has no " << name(t.unit) << ": " << name(other) << " executes "
          << name(t.opcode);
  }
}

/// The rules of @seq_engine and of L1 memories; `first` is the first operand in an L1, or null.
[[gnu::cold]] inline void check_engine(context& c, const task& t, const operand* first,
                                       bool is_one_engine) {
  const std::uint32_t i = find_decorator(c.d, t.node, decorator::seq_engine);
  std::int64_t engine = 0;
  if (i == no_node || !integer_argument(c, i, engine)) return;
  const bool has_engines = c.target != nullptr && c.target->has_topology;
  if (engine < 0 || (has_engines && engine >= c.target->topology.engines)) {
    auto w = c.report(errc::nem_plc_003_no_engine, i + 1);
    w << "engine " << engine << " doesn't exist";
    if (has_engines)
      w << "; " << c.types.text_of(c.target->name) << " has " << c.target->topology.engines
        << (c.target->topology.engines == 1 ? " engine" : " engines") << ", from 0 on";
    return;
  }
  if (first == nullptr || !is_one_engine || buffer_of(c, *first)->engine == engine) return;
  auto w = c.report(errc::nem_plc_002_pinned, i + 1);
  w << "the task is pinned to engine " << engine << ", but " << operand_name{c, *first}
    << " is in L1[" << buffer_of(c, *first)->engine << ']';
  w.note(place_of_operand(c, *first)) << "it is used here";
}

/// Checks what a task accesses and where it runs. Needs bind().
[[gnu::cold]] inline void check_place(context& c, const task& t) {
  const operand* first = nullptr;  // in an L1
  const buffer* far = nullptr;     // in DDR
  bool is_one_engine = true;
  const view<operand> all = operands_of(c, t);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const operand& o = all[i];
    const bool is_write = i >= t.inputs;
    if ((o.flags & (is_write ? flag_readonly : flag_writeonly)) != 0) report_access(c, o, is_write);
    const buffer* const b = buffer_of(c, o);
    if (b == nullptr) continue;
    if (b->level == level::ddr && far == nullptr) far = b;
    if (b->level != level::l1 || !b->is_known) continue;
    if (first == nullptr) first = &o;
    const std::int64_t engine = buffer_of(c, *first)->engine;
    if (b->engine == engine) continue;
    is_one_engine = false;
    auto w = c.found.add(errc::nem_plc_001_engines, place_of_operand(c, o));
    w << operand_name{c, o} << " is in L1[" << b->engine << "] and " << operand_name{c, *first}
      << " in L1[" << engine << "]; expected all L1 operands of a task on one engine";
    w.note(place_of_operand(c, *first)) << "the other operand is in L1[" << engine << ']';
  }
  if (t.unit != unit::none) check_resource(c, t, far != nullptr);
  check_engine(c, t, first, is_one_engine);
  const bool moves = t.opcode == opcode::transfer || t.opcode == opcode::store;
  if (moves && far != nullptr && c.target != nullptr && c.target->has_topology &&
      c.target->topology.units[static_cast<std::size_t>(unit::sdma)] <= 0) {
    auto w = c.report(errc::nem_res_008_no_system_dma, t.node);
    w << "the task moves data of " << c.d.name(far->name) << " in DDR, and "
      << c.types.text_of(c.target->name) << " declares no sDMA";
    w.note(c.at(far->node)) << "the buffer lies in DDR";
  }
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_PLACE_HPP
