// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules S that reading doesn't enforce, and the state that all rules share.
//
//   context c(g, options, found);
//   if (indices_hold(g)) structure_rules(c);
//
//   S03  WorldSize is at least 1, and Rank below it           S08  Args is an object
//   S06  a node of one Op has one                             S12  no unknown members (strict)
//   S07  Ops is not empty                                     S13  Ids are not negative
//
// Lifetime:   a context borrows the model and the findings.
// Errors:     findings.
// Limits:     none.
// Allocation: 12 bytes for each operation, and the indices by Id.

#ifndef TESSERA_ARK_DETAIL_RULES_STRUCTURE_HPP
#define TESSERA_ARK_DETAIL_RULES_STRUCTURE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../../core/suggest.hpp"
#include "../../core/text.hpp"
#include "../../version.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "findings.hpp"
#include "index.hpp"
#include "member_message.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// Whether all indices and enumerators of a model are in range, and no operation is in two nodes.
[[nodiscard, gnu::cold]] inline bool indices_hold(const model& g) noexcept {
  const auto holds = [](range r, std::size_t size) {
    return r.count == 0 || (r.first < size && r.count <= size - r.first);
  };
  const auto text_holds = [&](string s) {
    return s.size == 0 ||
           (s.first < g.characters.size() && s.size <= g.characters.size() - s.first);
  };
  const auto member_holds = [&](std::uint32_t m) { return m == none || m < g.members.size(); };
  const auto in = [](auto value, std::size_t count) {
    return static_cast<std::size_t>(value) < count;
  };
  for (const std::size_t size :
       {g.nodes.size(), g.ops.size(), g.uses.size(), g.arguments.size(), g.tensors.size(),
        g.layouts.size(), g.buffers.size(), g.tags.size(), g.integers.size(), g.members.size()})
    if (size >= none) return false;
  if (!in(g.form, std::size(dialect_table)) || !member_holds(g.own_members)) return false;
  std::uint64_t ops = 0, uses = 0, edges = 0, arguments = 0;
  for (const node& n : g.nodes) {
    if (!holds(n.ops, g.ops.size()) || !holds(n.producers, g.integers.size()) ||
        !holds(n.consumers, g.integers.size()) || !member_holds(n.members))
      return false;
    ops += n.ops.count;
    edges += std::uint64_t{n.producers.count} + n.consumers.count;
  }
  for (const op& o : g.ops) {
    const std::uint64_t count = std::uint64_t{o.reads} + o.writes + o.results;
    if (!in(o.type, std::size(op_table)) || count > g.uses.size() ||
        !holds({o.first_use, static_cast<std::uint32_t>(count)}, g.uses.size()) ||
        !holds(o.arguments, g.arguments.size()) || !text_holds(o.name) ||
        !text_holds(o.unknown_type) || !in(o.args, 3) || !member_holds(o.members))
      return false;
    uses += count;
    arguments += o.arguments.count;
  }
  if (ops > g.ops.size() || uses >= none || edges >= none || arguments >= none) return false;
  for (const std::uint32_t t : g.uses)
    if (t >= g.tensors.size()) return false;
  for (const argument& a : g.arguments) {
    if (!in(a.name, std::size(argument_names)) || !in(a.type, std::size(argument_type_names)) ||
        !text_holds(a.other_name) || !text_holds(a.token) || !holds(a.integers, g.integers.size()))
      return false;
    if (a.type == argument_type::tensor &&
        (a.integer < 0 || static_cast<std::uint64_t>(a.integer) >= g.tensors.size()))
      return false;
  }
  for (const tensor& t : g.tensors)
    if (t.layout >= g.layouts.size() || t.buffer >= g.buffers.size() || !member_holds(t.members) ||
        !in(t.type, std::size(data_type_table)))
      return false;
  for (const layout& l : g.layouts) {
    if (l.pads == none) continue;
    if (!holds({l.pads, l.rank > max_rank ? 0 : l.rank}, g.integers.size())) return false;
  }
  for (const buffer& b : g.buffers)
    if (!holds(b.send_tags, g.tags.size()) || !holds(b.recv_tags, g.tags.size()) ||
        !member_holds(b.members) || !in(b.external, 3))
      return false;
  for (const member& m : g.members)
    if (!text_holds(m.key) || !text_holds(m.value) || !member_holds(m.next)) return false;
  return true;
}

/// An operation in its place.
struct op_place {
  std::uint32_t node, index;  // in model::nodes, and among the node's operations
  std::uint32_t op;           // in model::ops
};

/// The state that all rules share.
struct context {
  context(const ark::model& model, const verify_options& o, findings& f)
      : g(model),
        options(o),
        found(f),
        nodes(model.nodes.data(), model.nodes.size()),
        tensors(model.tensors.data(), model.tensors.size()),
        buffers(model.buffers.data(), model.buffers.size()) {
    ops.reserve(g.ops.size());
    for (std::uint32_t n = 0; n < g.nodes.size(); ++n)
      for (std::uint32_t i = 0; i < g.nodes[n].ops.count; ++i)
        ops.push_back({n, i, g.nodes[n].ops.first + i});
  }

  writer error(errc code, const location& at) { return found.add(code, severity::error, at); }
  writer warning(errc code, const location& at) { return found.add(code, severity::warning, at); }
  /// The first entry of a tensor's Id; of its buffer's Id.
  [[nodiscard]] std::uint32_t same_tensor(std::uint32_t t) const noexcept {
    return tensors.first_of(t);
  }
  [[nodiscard]] std::uint32_t storage_of(std::uint32_t t) const noexcept {
    return buffers.first_of(g.tensors[t].buffer);
  }
  [[nodiscard]] static location at(const op_place& p) noexcept { return at_op(p.node, p.index); }
  [[nodiscard]] static location at(const op_place& p, list l, std::uint32_t use) noexcept {
    return at_use(p.node, p.index, l, use);
  }
  [[nodiscard]] location at(const op_place& p, const argument& a) const noexcept {
    return at(p).in("Args").in(name(g, a));
  }

  const ark::model& g;
  const verify_options& options;
  findings& found;
  id_index nodes, tensors, buffers;
  pool<op_place> ops;  // in the order of execution
  pool<bool> unsound;  // by tensor: it violates a rule T, so that its shape is not used
};

/// What the writer of an unknown name may have meant, if anything is near.
inline void did_you_mean(writer out, std::string_view near) {
  if (!near.empty()) out << "; did you mean " << near << '?';
}

/// S12 for the members of one object.
[[gnu::cold]] inline void unknown_members(context& c, std::uint32_t members, const location& at,
                                          bool buffer) {
  if (!c.options.strict) return;
  std::size_t left = c.g.members.size();  // a list in a model built in code may be cyclic
  for (std::uint32_t m = members; m != none && left-- > 0; m = c.g.members[m].next) {
    const std::string_view key = text_of(c.g, c.g.members[m].key);
    if (buffer && (key == "ExternalDataSize" || key == "DeviceId")) continue;
    writer out = c.warning(errc::ark_s12_unknown_member, at.in(key));
    out << "unknown member " << quoted{key};
    if (const std::string_view near = nearest(key, member_rows); near != key)
      did_you_mean(out, near);
  }
}

/// The rules S of the root, nodes and operations; tensor_rules has those of tensors and buffers.
[[gnu::cold]] inline void structure_rules(context& c) {
  const model& g = c.g;
  if (g.world_size < 1)
    c.error(errc::ark_s03_world, at_root().in("WorldSize"))
        << "WorldSize is " << g.world_size << "; expected at least 1";
  if (g.rank < 0 || g.rank >= g.world_size)
    c.error(errc::ark_s03_world, at_root().in("Rank"))
        << "Rank is " << g.rank << "; expected 0 to " << std::int64_t{g.world_size} - 1;
  unknown_members(c, g.own_members, at_root(), false);
  const bool holds_ops = info(g.form).holds_ops;
  for (std::uint32_t n = 0; n < g.nodes.size(); ++n) {
    const node& v = g.nodes[n];
    if (v.id < 0)
      c.error(errc::ark_s13_integer, at_node(n).in("Id"))
          << "Id is " << v.id << "; expected at least 0";
    if (v.ops.count == 0)
      c.found.add(errc::ark_s07_no_ops, severity::error, at_node(n));
    else if (!holds_ops && v.ops.count != 1)
      c.error(errc::ark_s06_op_or_ops, at_node(n))
          << "the node has " << v.ops.count << " operations; expected 1 in " << info(g.form).name;
    unknown_members(c, v.members, at_node(n), false);
  }
  for (const op_place& p : c.ops) {
    const op& o = g.ops[p.op];
    if (o.args != args_form::object)
      c.warning(errc::ark_s08_op_member, c.at(p).in("Args"))
          << "Args is " << (o.args == args_form::null ? "null" : "an array")
          << "; expected an object";
    unknown_members(c, o.members, c.at(p), false);
  }
}

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RULES_STRUCTURE_HPP
