// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/convert.hpp.

#ifndef TESSERA_ARK_DETAIL_CONVERT_HPP
#define TESSERA_ARK_DETAIL_CONVERT_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../check.hpp"
#include "../convert.hpp"
#include "../format.hpp"
#include "index.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE bool in_dialect(const model& g) noexcept {
  if (!info(g.form).holds_ops)
    for (const node& n : g.nodes)
      if (n.ops.count != 1) return false;
  if (info(g.form).pads)
    for (const tensor& t : g.tensors)
      for (std::size_t d = 0; d < max_rank; ++d)
        if (g.layouts[t.layout].padded_shape[d] != g.layouts[t.layout].shape[d]) return false;
  return true;
}

}  // namespace ark
namespace ark::detail {

/// Gives each node the edges of a list, ascending and once, as places.
inline void set_edges(model& g, pool<edge>& edges) {
  const auto fill = [&](range node::*list, std::uint32_t edge::*owner, std::uint32_t edge::*other) {
    sort(edges.data(), edges.size(), [=](const edge& a, const edge& b) {
      return a.*owner != b.*owner ? a.*owner < b.*owner : a.*other < b.*other;
    });
    std::size_t at = 0;
    for (std::uint32_t n = 0; n < g.nodes.size(); ++n) {
      const std::size_t first = g.integers.size();
      for (; at < edges.size() && edges[at].*owner == n; ++at)
        if (g.integers.size() == first || g.integers.back() != edges[at].*other)
          g.integers.push_back(edges[at].*other);
      g.nodes[n].*list = {static_cast<std::uint32_t>(first),
                          static_cast<std::uint32_t>(g.integers.size() - first)};
    }
  };
  fill(&node::producers, &edge::to, &edge::from);
  fill(&node::consumers, &edge::from, &edge::to);
}

class converter {
 public:
  converter(model& g, dialect to) : g_(g), from_(info(g.form)), to_(info(to)) {}

  [[nodiscard]] error run() {
    if (const error e = check(g_); e.code != errc::ok) return e;
    if (const error e = losses(); e.code != errc::ok) return e;
    if (!to_.holds_ops)
      if (const error e = split(); e.code != errc::ok) return e;
    for (const node& n : g_.nodes)
      for (std::uint32_t i = 0; i < n.ops.count; ++i)
        if (const errc code = spelling(g_.ops[n.ops.first + i]); code != errc::ok)
          return error_in(g_.nodes, n, code, error_index::node);
    for (buffer& b : g_.buffers)
      if (to_.external)
        b.external = b.external == external::yes ? external::yes : external::no;
      else
        b.external = external::absent;
    if (!to_.pads)
      for (layout& l : g_.layouts) l.pads = none;
    if (g_.integers.size() >= none || g_.arguments.size() >= none || g_.nodes.size() >= none)
      return {errc::ark_too_large, 0, error_index::whole};
    g_.form = to_.which;
    return {};
  }

 private:
  /// What the dialect can't hold.
  [[nodiscard]] error losses() const {
    for (const node& n : g_.nodes)
      for (const op& o : operations(g_, n)) {
        bool lost = false;
        for (const std::uint32_t t : uses(g_, o)) lost = lost || loses(t);
        for (const argument& a : arguments(g_, o))
          if (a.type == argument_type::tensor)
            lost = lost || loses(static_cast<std::uint32_t>(a.integer));
        if (lost) return error_in(g_.nodes, n, errc::ark_dialect, error_index::node);
      }
    return {};
  }
  [[nodiscard]] bool loses(std::uint32_t t) const noexcept {
    bool lost = !to_.external && buffer_of(g_, t).external == external::yes;
    const layout& l = layout_of(g_, t);
    for (std::size_t d = 0; d < max_rank && to_.pads; ++d)
      lost = lost || l.padded_shape[d] != l.shape[d];
    return lost;
  }

  /// One operation a node.
  [[nodiscard]] error split() {
    bool split = from_.holds_ops;
    for (const node& n : g_.nodes) split = split || n.ops.count != 1;
    if (!split) return {};
    const pool<node> old = std::move(g_.nodes);
    g_.nodes = {};
    // Where each old node's operations went: from first[i] to before first[i + 1].
    pool<std::uint32_t> first;
    std::uint64_t count = 0;
    for (const node& n : old) count += n.ops.count;
    if (count >= none) return {errc::ark_too_large, 0, error_index::whole};
    pool<std::uint32_t> owner;  // the old node of each new one
    pool<std::uint32_t> maker;  // the new node that makes each tensor
    for (std::size_t t = 0; t < g_.tensors.size(); ++t) maker.push_back(none);
    for (std::uint32_t i = 0; i < old.size(); ++i) {
      first.push_back(static_cast<std::uint32_t>(g_.nodes.size()));
      for (std::uint32_t k = 0; k < old[i].ops.count; ++k) {
        node piece = old[i];
        piece.id = static_cast<std::int64_t>(g_.nodes.size());
        piece.ops = {old[i].ops.first + k, 1};
        if (k != 0) piece.members = none;
        for (const std::uint32_t t : results(g_, g_.ops[piece.ops.first]))
          if (maker[t] == none) maker[t] = static_cast<std::uint32_t>(g_.nodes.size());
        g_.nodes.push_back(piece);
        owner.push_back(i);
      }
    }
    first.push_back(static_cast<std::uint32_t>(g_.nodes.size()));

    pool<edge> outer;
    if (const error e = old_edges(old, outer); e.code != errc::ok) return e;
    // Edges into one old node stand together. `wanted` says which nodes have one to the node at hand,
    // and `found` for which of them a shared tensor says where it goes.
    pool<edge> edges;
    pool<std::uint32_t> wanted, found;
    wanted.resize(old.size());
    found.resize(old.size());
    std::size_t at = 0;
    for (std::uint32_t to = 0; to < old.size(); ++to) {
      const std::size_t begin = at;
      for (; at < outer.size() && outer[at].to == to; ++at) wanted[outer[at].from] = to + 1;
      for (std::uint32_t piece = first[to]; piece < first[to + 1]; ++piece) {
        if (piece != first[to]) edges.push_back({piece - 1, piece});
        const op& o = g_.ops[g_.nodes[piece].ops.first];
        for (std::uint32_t u = 0; u < o.reads + o.writes; ++u) {
          const std::uint32_t made = maker[g_.uses[o.first_use + u]];
          if (made == none) continue;
          if (wanted[owner[made]] == to + 1) found[owner[made]] = to + 1;
          if (owner[made] == to ? made < piece : wanted[owner[made]] == to + 1)
            edges.push_back({made, piece});
        }
      }
      for (std::size_t i = begin; i < at; ++i)
        if (const std::uint32_t from = outer[i].from; found[from] != to + 1)
          edges.push_back({first[from + 1] - 1, first[to]});
    }
    set_edges(g_, edges);
    return {};
  }
  /// The edges among the nodes of the file, from either side, those into one node together.
  [[nodiscard]] error old_edges(const pool<node>& old, pool<edge>& out) {
    const id_index index(old.data(), old.size());
    const auto at = [&old](errc code, std::uint32_t i) {
      return error_in(old, old[i], code, error_index::node);
    };
    for (std::uint32_t i = 0; i < old.size(); ++i)
      if (index.first_of(i) != i) return at(errc::ark_g01_node_id, i);
    for (std::uint32_t i = 0; i < old.size(); ++i)
      for (const bool producers : {true, false})
        for (const std::int64_t id :
             integers(g_, producers ? old[i].producers : old[i].consumers)) {
          const std::uint32_t other = index.first(id);
          if (other == none) return at(errc::ark_g03_edge_target, i);
          if (other == i) return at(errc::ark_g05_self_edge, i);
          out.push_back(producers ? edge{other, i} : edge{i, other});
        }
    sort(out.data(), out.size(),
         [](const edge& a, const edge& b) { return a.to != b.to ? a.to < b.to : a.from < b.from; });
    return {};
  }

  /// The arguments that the dialect wants, under their names of today.
  [[nodiscard]] errc spelling(op& o) {
    bool repeats = false;
    for (std::uint32_t i = 0; i < o.arguments.count; ++i) {
      argument& a = g_.arguments[o.arguments.first + i];
      argument_name today = a.name;
      bool redundant = false;
      for (const argument_row& row : argument_table)
        if (row.op == o.type && row.name == a.name && row.type == a.type) {
          redundant = row.use == argument_use::redundant;
          if (row.use == argument_use::alias) today = spelled_today(a.name);
        }
      repeats = repeats || redundant;
      if (find_argument(g_, o, today) == nullptr) a.name = today;
    }
    const bool wanted =
        o.type == op_type::matmul && (to_.which == dialect::d1a || to_.which == dialect::d1b);
    if (!repeats && !wanted) return errc::ok;
    range kept{static_cast<std::uint32_t>(g_.arguments.size()), 0};
    for (std::uint32_t i = 0; i < o.arguments.count; ++i) {
      const argument a = g_.arguments[o.arguments.first + i];
      bool redundant = false;
      for (const argument_row& row : argument_table)
        redundant = redundant ||
                    (row.op == o.type && row.name == a.name && row.use == argument_use::redundant);
      if (!redundant) g_.arguments.push_back(a);
    }
    if (wanted)
      if (const errc code = repeat_shapes(o); code != errc::ok) return code;
    kept.count = static_cast<std::uint32_t>(g_.arguments.size() - kept.first);
    sort(g_.arguments.data() + kept.first, kept.count,
         [&](const argument& a, const argument& b) { return name(g_, a) < name(g_, b); });
    o.arguments = kept;
    return errc::ok;
  }
  [[nodiscard]] static argument_name spelled_today(argument_name n) noexcept {
    switch (n) {
      case argument_name::is_input_column_major: return argument_name::transpose_input;
      case argument_name::is_other_column_major: return argument_name::transpose_other;
      case argument_name::value: return argument_name::factor;
      case argument_name::factor: return argument_name::value;
      default: return n;
    }
  }

  /// The arguments of Matmul that say again what its tensors say.
  [[nodiscard]] errc repeat_shapes(const op& o) {
    if (o.reads < 2 || o.writes < 1) return errc::ark_o03_arity;
    const layout& a = layout_of(g_, reads(g_, o)[0]);
    const layout& b = layout_of(g_, reads(g_, o)[1]);
    const layout& c = layout_of(g_, writes(g_, o)[0]);
    if (a.rank == 0 || b.rank == 0 || c.rank == 0) return errc::ark_o12_matmul;
    const auto flag = [&](argument_name n) {
      const argument* const found = find_argument(g_, o, n);
      return found != nullptr && found->type == argument_type::boolean && found->integer != 0;
    };
    const bool transpose_a = flag(argument_name::transpose_input);
    const bool transpose_b = flag(argument_name::transpose_other);
    // One dimension acts as [1,K] on the left and as [K,1] on the right.
    const auto from_end = [](const std::int64_t* d, std::uint32_t rank, std::uint32_t back) {
      return back < rank ? d[rank - 1 - back] : 1;
    };
    const auto mnk = [&](const std::int64_t* x, const std::int64_t* y, std::int64_t* out) {
      out[0] = from_end(x, a.rank, transpose_a ? 0 : 1);
      out[2] = from_end(x, a.rank, transpose_a ? 1 : 0);
      out[1] = b.rank == 1 ? (transpose_b ? y[0] : 1) : from_end(y, b.rank, transpose_b ? 1 : 0);
    };
    std::int64_t shape[3], padded[3];
    mnk(a.shape, b.shape, shape);
    mnk(a.padded_shape, b.padded_shape, padded);
    const std::int64_t input[] = {from_end(a.shape, a.rank, 3), from_end(a.shape, a.rank, 2)};
    const std::int64_t other[] = {from_end(b.shape, b.rank, 3), from_end(b.shape, b.rank, 2)};
    const std::int64_t last_c = c.strides[c.rank - 1];
    const std::int64_t strides[] = {a.strides[a.rank - 1], last_c, last_c, b.strides[b.rank - 1]};
    dims(argument_name::input_dim_nc, input, 2);
    dims(argument_name::other_dim_nc, other, 2);
    if (to_.which == dialect::d1b) dims(argument_name::padded_shape_mnk, padded, 3);
    dims(argument_name::shape_mnk, shape, 3);
    dims(argument_name::strides_acdb, strides, 4);
    return errc::ok;
  }
  void dims(argument_name name, const std::int64_t* values, std::uint32_t count) {
    argument a;
    a.name = name;
    a.type = argument_type::dims;
    a.integers = {static_cast<std::uint32_t>(g_.integers.size()), count};
    g_.integers.append(values, count);
    g_.arguments.push_back(a);
  }

  ark::model& g_;
  const dialect_row& from_;
  const dialect_row& to_;
};

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE result<model> convert(model g, dialect to) {
  if (static_cast<std::size_t>(to) >= std::size(dialect_table)) return error{errc::ark_dialect, 0};
  if (const error e = check(g); e.code != errc::ok) return e;
  if (to == g.form && in_dialect(g)) return g;
  detail::converter c(g, to);
  if (const error e = c.run(); e.code != errc::ok) return e;
  return g;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_CONVERT_HPP
