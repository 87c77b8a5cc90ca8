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

/// Gives each node the edges of a list, ascending and without repetitions, as indices.
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
      return {errc::ark_too_large, 0, error_index::whole};  // unreachable: in less than 16 GiB
    g_.form = to_.which;
    return {};
  }

 private:
  /// Refuses what the dialect can't express.
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
    // Edges into one old node are adjacent. `wanted`: which nodes have one to the current node;
    // `found`: for which of them a shared tensor determines the target.
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
      default: return n;  // unreachable: no other aliases
    }
  }

  /// The arguments of Matmul that repeat what follows from its tensors.
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

/// Numbers for Ids, in the order in which they are asked for.
class renumbering {
 public:
  /// Every Id that there is, before any is asked for.
  void add(std::int64_t id) { entries_.push_back({id, none}); }
  void finish() {
    sort(entries_.data(), entries_.size(),
         [](const entry& a, const entry& b) { return a.id < b.id; });
    std::size_t kept = 0;
    for (const entry& e : entries_)
      if (kept == 0 || entries_[kept - 1].id != e.id) entries_[kept++] = e;
    entries_.resize(kept);
  }
  [[nodiscard]] std::int64_t operator()(std::int64_t id) noexcept {
    std::size_t low = 0, high = entries_.size();
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (entries_[middle].id <= id ? low : high) = middle;
    }
    std::uint32_t& number = entries_[low].number;
    if (number == none) number = next_++;
    return number;
  }

 private:
  struct entry {
    std::int64_t id;
    std::uint32_t number;
  };
  pool<entry> entries_;  // by Id
  std::uint32_t next_ = 0;
};

class canonicaliser {
 public:
  explicit canonicaliser(const model& g) : g_(g), names_(out_) {
    for (const node& n : g.nodes) {
      node_ids_.add(n.id);
      for (const range r : {n.producers, n.consumers})
        for (const std::int64_t id : integers(g, r)) node_ids_.add(id);
    }
    for (const tensor& t : g.tensors) {
      tensor_ids_.add(t.id);
      made_.push_back(none);
    }
    for (const buffer& b : g.buffers) {
      buffer_ids_.add(b.id);
      stored_.push_back(none);
    }
    for (const argument& a : g.arguments)
      if (a.type == argument_type::offset && a.integers.count == 2 &&
          a.integers.first < g.integers.size())
        buffer_ids_.add(g.integers[a.integers.first]);
    node_ids_.finish();
    tensor_ids_.finish();
    buffer_ids_.finish();
  }

  [[nodiscard]] model run() {
    out_.rank = g_.rank;
    out_.world_size = g_.world_size;
    out_.form = g_.form;
    for (const node& n : g_.nodes) (void)node_ids_(n.id);
    for (const node& n : g_.nodes) {
      node made = n;
      made.id = static_cast<std::int64_t>(out_.nodes.size());
      made.producers = edges(n.producers);
      made.consumers = edges(n.consumers);
      made.ops.first = names_.index(out_.ops.size());
      for (const op& o : operations(g_, n)) operation(o);
      made.members = members(n.members);
      out_.nodes.push_back(made);
    }
    out_.own_members = members(g_.own_members);
    return static_cast<model&&>(out_);
  }

 private:
  [[nodiscard]] range edges(range r) {
    const range out{names_.index(out_.integers.size()), r.count};
    for (const std::int64_t id : integers(g_, r)) out_.integers.push_back(node_ids_(id));
    sort(out_.integers.data() + out.first, out.count,
         [](std::int64_t a, std::int64_t b) { return a < b; });
    return out;
  }
  [[nodiscard]] string characters(string s) { return names_.characters(text_of(g_, s)); }
  [[nodiscard]] std::uint32_t members(std::uint32_t first) {
    std::uint32_t made = none, last = none;
    for (std::uint32_t i = first; i != none; i = g_.members[i].next) {
      const std::uint32_t at = names_.index(out_.members.size());
      (last == none ? made : out_.members[last].next) = at;
      last = at;
      member m;
      m.key = characters(g_.members[i].key);
      m.value = characters(g_.members[i].value);
      out_.members.push_back(m);
    }
    return made;
  }

  void operation(const op& o) {
    op made = o;
    made.unknown_type = o.type == op_type::unknown ? characters(o.unknown_type) : string{};
    made.name = characters(o.name);
    made.first_use = names_.index(out_.uses.size());
    for (const std::uint32_t t : uses(g_, o)) {
      const std::uint32_t mapped = tensor_of(t);
      out_.uses.push_back(mapped);
    }
    const view<argument> all = arguments(g_, o);
    order_.clear();
    for (std::uint32_t i = 0; i < all.size(); ++i) order_.push_back(i);
    sort(order_.data(), order_.size(),
         [&](std::uint32_t a, std::uint32_t b) { return name(g_, all[a]) < name(g_, all[b]); });
    made.arguments.first = names_.index(out_.arguments.size());
    for (const std::uint32_t i : order_) out_.arguments.push_back(one_argument(all[i]));
    made.members = members(o.members);
    out_.ops.push_back(made);
  }
  [[nodiscard]] argument one_argument(const argument& a) {
    argument made = a;
    made.other_name = a.name == argument_name::other ? characters(a.other_name) : string{};
    made.token = characters(a.token);
    made.integers = {names_.index(out_.integers.size()), 0};
    if (a.type == argument_type::tensor)
      made.integer = tensor_of(static_cast<std::uint32_t>(a.integer));
    if (a.type != argument_type::dims && a.type != argument_type::offset) return made;
    made.integers.count = a.integers.count;
    for (const std::int64_t v : integers(g_, a.integers)) out_.integers.push_back(v);
    if (a.type == argument_type::offset && a.integers.count == 2)
      out_.integers[made.integers.first] = buffer_ids_(out_.integers[made.integers.first]);
    return made;
  }

  [[nodiscard]] std::uint32_t tensor_of(std::uint32_t t) {
    if (made_[t] != none) return made_[t];
    tensor made = g_.tensors[t];
    made.id = tensor_ids_(made.id);
    layout l = g_.layouts[made.layout];
    if (l.pads != none) {
      const std::uint32_t first = names_.index(out_.integers.size());
      for (const std::int64_t v : integers(g_, {l.pads, l.rank})) out_.integers.push_back(v);
      l.pads = first;
    }
    made.layout = names_.layout(l);
    made.buffer = buffer_of(made.buffer);
    made.members = members(made.members);
    made_[t] = names_.index(out_.tensors.size());
    out_.tensors.push_back(made);
    return made_[t];
  }
  [[nodiscard]] std::uint32_t buffer_of(std::uint32_t b) {
    if (stored_[b] != none) return stored_[b];
    buffer made = g_.buffers[b];
    made.id = buffer_ids_(made.id);
    made.send_tags = sorted_tags(made.send_tags);
    made.recv_tags = sorted_tags(made.recv_tags);
    made.members = members(made.members);
    stored_[b] = names_.index(out_.buffers.size());
    out_.buffers.push_back(made);
    return stored_[b];
  }
  [[nodiscard]] range sorted_tags(range r) {
    const range out{names_.index(out_.tags.size()), r.count};
    for (const tag& t : tags(g_, r)) out_.tags.push_back(t);
    sort(out_.tags.data() + out.first, out.count, [](const tag& a, const tag& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
    });
    return out;
  }

  const ark::model& g_;
  model out_;
  interner names_;
  renumbering node_ids_, tensor_ids_, buffer_ids_;
  pool<std::uint32_t> made_, stored_;  // the new place of each tensor and buffer
  pool<std::uint32_t> order_;
};

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE result<model> convert(model m, dialect to) {
  if (static_cast<std::size_t>(to) >= std::size(dialect_table)) return error{errc::ark_dialect, 0};
  if (const error e = check(m); e.code != errc::ok) return e;
  if (to == m.form && in_dialect(m)) return m;
  detail::converter c(m, to);
  if (const error e = c.run(); e.code != errc::ok) return e;
  return m;
}

TESSERA_INLINE model canonicalise(const model& m) {
  if (check(m).code != errc::ok) return m;
  return detail::canonicaliser(m).run();
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_CONVERT_HPP
