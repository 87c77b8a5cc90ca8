// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/ark/diff.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <utility>

#include "tessera/inspect/ark/describe.hpp"
#include "tessera/inspect/ark/flow.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using ark::none;

/// A hash that things are stirred into one after another.
class hash {
 public:
  explicit hash(std::uint64_t seed = 0) noexcept : state_(seed) {}
  hash& add(std::uint64_t v) noexcept {
    state_ = std::rotl(state_ ^ v, 27) * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
    state_ ^= state_ >> 29;
    return *this;
  }
  hash& add(std::string_view s) noexcept {
    for (const char c : s) add(static_cast<unsigned char>(c));
    return add(s.size());
  }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return (state_ ^ state_ >> 31) * 0xbf58476d1ce4e5b9u;
  }

 private:
  std::uint64_t state_;
};

[[nodiscard]] std::vector<ark::tag> sorted_tags(const ark::model& g, ark::range r) {
  std::vector<ark::tag> out(tags(g, r).begin(), tags(g, r).end());
  std::sort(out.begin(), out.end(), [](const ark::tag& a, const ark::tag& b) {
    return std::pair(a.rank, a.number) < std::pair(b.rank, b.number);
  });
  return out;
}

[[nodiscard]] std::string text_of_tags(const ark::model& g, ark::range r) {
  std::string out = "[";
  for (const ark::tag& t : sorted_tags(g, r))
    out.append(out.size() == 1 ? "[" : ", [")
        .append(std::to_string(t.rank))
        .append(", ")
        .append(std::to_string(t.number))
        .append("]");
  return out + ']';
}

[[nodiscard]] std::string text_of_rank(const ark::model& g, const ark::buffer& b) {
  return is_local(g, b) ? "own" : std::to_string(b.rank);
}

/// A graph with all that its operations are recognized by.
struct side {
  side(const ark::model& graph, bool views) : g(graph), f(graph) {
    for (const std::uint32_t op : f.order())
      if (views || !ark::is_virtual(g.ops[op].type)) order.push_back(op);
    const std::size_t count = g.ops.size();
    own.resize(count);
    forwards.resize(count);
    backwards.resize(count);
    refined.resize(count);
    partner.assign(count, none);
    storage_partner.assign(f.storages().size(), none);
    arguments.resize(count);
    for (const std::uint32_t op : order) {
      arguments[op] = text_of_arguments(g, g.ops[op]);
      own[op] = own_hash(op);
    }
    const std::vector<std::uint64_t> nothing(f.storages().size(), 0);
    flow_hashes(own, nothing, forwards, backwards);
    // Operations that look alike are distinguished by the other uses of their buffers.
    std::vector<std::uint64_t> before(count), after(count);
    for (std::size_t op = 0; op < count; ++op)
      refined[op] = hash(forwards[op]).add(backwards[op]).value();
    for (int round = 0; round < 2; ++round) {
      std::vector<std::uint64_t> buffers(f.storages().size(), 0);
      for (const std::uint32_t op : order) {
        const view<std::uint32_t> used = uses(g, g.ops[op]);
        for (std::size_t i = 0; i < used.size(); ++i)  // a sum, so that the order is of no account
          buffers[f.storage_of_tensor(used[i])] += hash(refined[op]).add(i).value();
      }
      flow_hashes(refined, buffers, before, after);
      for (std::size_t op = 0; op < count; ++op)
        refined[op] = hash(before[op]).add(after[op]).value();
    }
  }

  const ark::model& g;
  flow f;
  std::vector<std::uint32_t> order;  ///< operations that are compared
  std::vector<std::uint64_t> own, forwards, backwards, refined;
  std::vector<std::uint32_t> partner, storage_partner;
  std::vector<std::string> arguments;

 private:
  [[nodiscard]] std::uint64_t own_hash(std::uint32_t op) const {
    const ark::op& o = g.ops[op];
    hash h;
    h.add(type_name(g, o)).add(arguments[op]).add(o.is_virtual ? 1 : 0);
    h.add(o.reads).add(o.writes).add(o.results);
    for (const std::uint32_t t : uses(g, o)) {
      const ark::layout& l = layout_of(g, t);
      h.add(static_cast<std::uint64_t>(g.tensors[t].type)).add(l.rank);
      for (std::size_t d = 0; d < l.rank; ++d)
        for (const std::int64_t v : {l.shape[d], l.strides[d], l.offsets[d], l.padded_shape[d]})
          h.add(static_cast<std::uint64_t>(v));
      const ark::buffer& b = buffer_of(g, t);
      h.add(is_local(g, b) ? UINT64_MAX : static_cast<std::uint64_t>(b.rank));
      h.add(b.external == ark::external::yes ? 1 : 0);
      for (const ark::range r : {b.send_tags, b.recv_tags}) {
        h.add(r.count);
        for (const ark::tag& tag : sorted_tags(g, r))
          h.add(static_cast<std::uint64_t>(tag.rank)).add(static_cast<std::uint64_t>(tag.number));
      }
    }
    return h.value();
  }

  void flow_hashes(const std::vector<std::uint64_t>& start,
                   const std::vector<std::uint64_t>& buffers, std::vector<std::uint64_t>& before,
                   std::vector<std::uint64_t>& after) const {
    std::vector<std::uint64_t> consumers(g.ops.size(), 0);
    for (const std::uint32_t op : order) {
      std::uint64_t sum = 0;
      for (const dependency& d : f.before(op))
        sum += hash(before[d.from]).add(d.use).add(static_cast<std::uint64_t>(d.kind)).value();
      hash h(start[op]);
      for (const std::uint32_t t : uses(g, g.ops[op])) h.add(buffers[f.storage_of_tensor(t)]);
      before[op] = h.add(sum).value();
    }
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      after[*at] = hash(start[*at]).add(consumers[*at]).value();
      for (const dependency& d : f.before(*at))
        consumers[d.from] +=
            hash(after[*at]).add(d.use).add(static_cast<std::uint64_t>(d.kind)).value();
    }
  }
};

class comparison {
 public:
  comparison(const ark::model& before, const ark::model& after, const diff_options& options)
      : options_(options), a_(before, options.views), b_(after, options.views) {}

  [[nodiscard]] graph_difference run() {
    pair_up([](const side& s, std::uint32_t op) { return s.refined[op]; }, true);
    pair_up([](const side& s,
               std::uint32_t op) { return hash(s.forwards[op]).add(s.backwards[op]).value(); },
            true);
    pair_up([](const side& s, std::uint32_t op) { return s.forwards[op]; }, true);
    pair_up([](const side& s, std::uint32_t op) { return s.backwards[op]; }, true);
    const auto own = [](const side& s, std::uint32_t op) { return s.own[op]; };
    pair_up(own, true);
    pair_up(own, false);
    // What is left has changed. Names mean nothing, but make good guesses.
    pair_up(
        [](const side& s, std::uint32_t op) {
          return hash().add(type_name(s.g, s.g.ops[op])).add(name(s.g, s.g.ops[op])).value();
        },
        false);
    pair_up([](const side& s,
               std::uint32_t op) { return hash().add(type_name(s.g, s.g.ops[op])).value(); },
            false);

    compare_model();
    pair_nodes();
    report();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t max_candidates = 64;
  static constexpr std::size_t max_parts = 256;

  /// Pairs operations of equal keys. `consistent`: only where their buffers and sources agree with
  /// the pairs there are.
  template <class Key>
  void pair_up(Key&& key, bool consistent) {
    std::map<std::uint64_t, std::vector<std::uint32_t>> candidates;
    for (const std::uint32_t op : b_.order)
      if (b_.partner[op] == none) candidates[key(b_, op)].push_back(op);
    for (auto& [k, list] : candidates) std::reverse(list.begin(), list.end());
    for (const std::uint32_t op : a_.order) {
      if (a_.partner[op] != none) continue;
      const auto found = candidates.find(key(a_, op));
      if (found == candidates.end()) continue;
      std::vector<std::uint32_t>& list = found->second;
      const std::size_t tried = std::min(list.size(), max_candidates);
      for (std::size_t i = 0; i < tried; ++i) {
        const std::size_t at = list.size() - 1 - i;
        if (consistent && !agree(op, list[at])) continue;
        pair(op, list[at]);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      }
    }
  }

  [[nodiscard]] bool agree(std::uint32_t x, std::uint32_t y) const {
    const view<std::uint32_t> of_x = uses(a_.g, a_.g.ops[x]), of_y = uses(b_.g, b_.g.ops[y]);
    for (std::size_t i = 0; i < of_x.size() && i < of_y.size(); ++i) {
      const std::uint32_t s = a_.f.storage_of_tensor(of_x[i]), t = b_.f.storage_of_tensor(of_y[i]);
      const std::uint32_t other = a_.storage_partner[s];
      if (other == none ? b_.storage_partner[t] != none : other != t) return false;
    }
    // A source that has a partner has to be the other's source.
    const auto from_x = a_.f.before(x), from_y = b_.f.before(y);
    for (std::size_t i = 0; i < from_x.size() && i < from_y.size() && i < max_candidates; ++i) {
      if (from_x.size() != from_y.size()) break;
      const std::uint32_t p = a_.partner[from_x[i].from];
      if (p == none) continue;
      bool any = false;
      for (std::size_t k = 0; k < from_y.size() && k < max_candidates && !any; ++k)
        any = from_y[k].from == p;
      if (!any) return false;
    }
    return true;
  }

  void pair(std::uint32_t x, std::uint32_t y) {
    a_.partner[x] = y;
    b_.partner[y] = x;
    const view<std::uint32_t> of_x = uses(a_.g, a_.g.ops[x]), of_y = uses(b_.g, b_.g.ops[y]);
    for (std::size_t i = 0; i < of_x.size() && i < of_y.size(); ++i) {
      const std::uint32_t s = a_.f.storage_of_tensor(of_x[i]), t = b_.f.storage_of_tensor(of_y[i]);
      if (a_.storage_partner[s] != none || b_.storage_partner[t] != none) continue;
      a_.storage_partner[s] = t;
      b_.storage_partner[t] = s;
    }
  }

  void compare_model() {
    const auto number = [this](std::string_view what, std::int64_t x, std::int64_t y) {
      if (x != y) out_.model.push_back({std::string(what), std::to_string(x), std::to_string(y)});
    };
    number("Rank", a_.g.rank, b_.g.rank);
    number("WorldSize", a_.g.world_size, b_.g.world_size);
  }

  /// Nodes that hold the same operations.
  void pair_nodes() {
    node_partner_.assign(a_.g.nodes.size(), none);
    paired_b_.assign(b_.g.nodes.size(), 0);
    for (std::uint32_t n = 0; n < a_.g.nodes.size(); ++n) {
      const ark::range ops = a_.g.nodes[n].ops;
      if (ops.count == 0 || a_.partner[ops.first] == none) continue;
      const std::uint32_t other = b_.f.node_of(a_.partner[ops.first]);
      bool same = b_.g.nodes[other].ops.count == ops.count;
      for (std::uint32_t i = 0; same && i < ops.count; ++i) {
        const std::uint32_t p = a_.partner[ops.first + i];
        same = p != none && b_.f.node_of(p) == other;
      }
      if (!same) continue;
      node_partner_[n] = other;
      paired_b_[other] = 1;
    }
    for (const side* s : {&a_, &b_}) {
      auto& ids = s == &a_ ? ids_a_ : ids_b_;
      for (std::uint32_t n = 0; n < s->g.nodes.size(); ++n) ids.try_emplace(s->g.nodes[n].id, n);
    }
  }

  void report() {
    std::vector<std::uint32_t> removed;
    for (const std::uint32_t op : a_.order)
      if (a_.partner[op] == none) removed.push_back(op);
    std::vector<std::uint32_t> place(a_.g.ops.size());
    for (std::uint32_t i = 0; i < a_.order.size(); ++i) place[a_.order[i]] = i;
    std::size_t next = 0;
    for (const std::uint32_t op : b_.order) {
      const std::uint32_t p = b_.partner[op];
      if (p == none) {
        ++out_.added;
        out_.ops.push_back({none, op, {}});
        continue;
      }
      for (; next < removed.size() && place[removed[next]] < place[p]; ++next)
        out_.ops.push_back({removed[next], none, {}});
      op_difference d{p, op, {}};
      compare_ops(p, op, d.parts);
      ++(d.parts.empty() ? out_.unchanged : out_.changed);
      if (!d.parts.empty()) out_.ops.push_back(std::move(d));
    }
    for (; next < removed.size(); ++next) out_.ops.push_back({removed[next], none, {}});
    out_.removed = removed.size();
  }

  void compare_ops(std::uint32_t x, std::uint32_t y, std::vector<difference>& parts) const {
    const ark::op& o = a_.g.ops[x];
    const ark::op& p = b_.g.ops[y];
    const auto part = [&parts](const std::string& what, const std::string& before,
                               const std::string& after) {
      if (before != after && parts.size() < max_parts) parts.push_back({what, before, after});
    };
    part("Args", a_.arguments[x], b_.arguments[y]);
    part("IsVirtual", o.is_virtual ? "true" : "false", p.is_virtual ? "true" : "false");
    const auto lists = [&](std::string_view list, view<std::uint32_t> s, view<std::uint32_t> t) {
      part(std::string(list), std::to_string(s.size()) + " tensors",
           std::to_string(t.size()) + " tensors");
      for (std::size_t i = 0; i < s.size() && i < t.size(); ++i)
        compare_tensors(std::string(list) + '[' + std::to_string(i) + ']', s[i], t[i], part);
    };
    lists("ReadTensors", reads(a_.g, o), reads(b_.g, p));
    lists("WriteTensors", writes(a_.g, o), writes(b_.g, p));
    lists("ResultTensors", results(a_.g, o), results(b_.g, p));
    compare_sources(x, y, parts);
    if (options_.views) compare_edges(x, y, parts);
  }

  template <class Part>
  void compare_tensors(const std::string& which, std::uint32_t s, std::uint32_t t,
                       Part&& part) const {
    const ark::tensor& x = a_.g.tensors[s];
    const ark::tensor& y = b_.g.tensors[t];
    part(which + ".DataType", std::string(ark::info(x.type).name),
         std::string(ark::info(y.type).name));
    const ark::layout& l = layout_of(a_.g, s);
    const ark::layout& m = layout_of(b_.g, t);
    const auto dims = [&](std::string_view name, const std::int64_t(&v)[ark::max_rank],
                          const std::int64_t(&w)[ark::max_rank]) {
      part(which + std::string(name), text_of_dimensions(v, l.rank), text_of_dimensions(w, m.rank));
    };
    dims(".Shape", l.shape, m.shape);
    dims(".Strides", l.strides, m.strides);
    dims(".Offsets", l.offsets, m.offsets);
    dims(".PaddedShape", l.padded_shape, m.padded_shape);
    const ark::buffer& c = buffer_of(a_.g, s);
    const ark::buffer& d = buffer_of(b_.g, t);
    part(which + ".Buffer.Rank", text_of_rank(a_.g, c), text_of_rank(b_.g, d));
    part(which + ".Buffer.SendTags", text_of_tags(a_.g, c.send_tags),
         text_of_tags(b_.g, d.send_tags));
    part(which + ".Buffer.RecvTags", text_of_tags(a_.g, c.recv_tags),
         text_of_tags(b_.g, d.recv_tags));
    part(which + ".Buffer.IsExternal", c.external == ark::external::yes ? "true" : "false",
         d.external == ark::external::yes ? "true" : "false");
    const std::uint32_t of_x = a_.f.storage_of_tensor(s), of_y = b_.f.storage_of_tensor(t);
    if (a_.storage_partner[of_x] != of_y || b_.storage_partner[of_y] != of_x)
      part(which + ".Buffer", "buffer " + std::to_string(c.id),
           "buffer " + std::to_string(d.id) + " (another one)");
  }

  [[nodiscard]] static std::string place_of(const side& s, std::uint32_t op) {
    return text_of_op(s.g, s.g.ops[op]) + " in node " +
           std::to_string(s.g.nodes[s.f.node_of(op)].id);
  }

  [[nodiscard]] static std::string use_of(const side& s, std::uint32_t op, const dependency& d) {
    const std::uint32_t count = s.g.ops[op].reads;
    const bool read = d.use < count;
    std::string out = (read ? "ReadTensors[" : "WriteTensors[") +
                      std::to_string(read ? d.use : d.use - count) + ']';
    switch (d.kind) {
      case conflict::reads_written: return out + " from";
      case conflict::overwrites_read: return out + " after a reader";
      case conflict::overwrites_written: break;
    }
    return out + " over";
  }

  /// Which operations wrote what is read, and which come before what is written.
  void compare_sources(std::uint32_t x, std::uint32_t y, std::vector<difference>& parts) const {
    using key = std::pair<std::uint32_t, std::uint32_t>;  // kind and use, operation of the later
    const auto kind_and_use = [](const dependency& d) {
      return d.use * 4 + static_cast<std::uint32_t>(d.kind);
    };
    std::vector<key> of_y;
    for (const dependency& d : b_.f.before(y)) of_y.emplace_back(kind_and_use(d), d.from);
    std::sort(of_y.begin(), of_y.end());
    std::vector<key> of_x;
    for (const dependency& d : a_.f.before(x)) {
      const std::uint32_t p = a_.partner[d.from];
      if (p != none) of_x.emplace_back(kind_and_use(d), p);
      if (p != none && std::binary_search(of_y.begin(), of_y.end(), key(kind_and_use(d), p)))
        continue;
      add_place(parts, use_of(a_, x, d), place_of(a_, d.from), true);
    }
    std::sort(of_x.begin(), of_x.end());
    for (const dependency& d : b_.f.before(y))
      if (!std::binary_search(of_x.begin(), of_x.end(), key(kind_and_use(d), d.from)))
        add_place(parts, use_of(b_, y, d), place_of(b_, d.from), false);
  }

  static void add_place(std::vector<difference>& parts, const std::string& what,
                        const std::string& place, bool is_before) {
    auto at = std::find_if(parts.begin(), parts.end(),
                           [&what](const difference& d) { return d.what == what; });
    if (at == parts.end() && parts.size() >= max_parts) return;
    if (at == parts.end()) at = parts.insert(parts.end(), {what, "", ""});
    std::string& to = is_before ? at->before : at->after;
    to.append(to.empty() ? "" : ", ").append(place);
  }

  /// Edges of the node that contains the two, once for each node: with its first operation.
  void compare_edges(std::uint32_t x, std::uint32_t y, std::vector<difference>& parts) const {
    const std::uint32_t n = a_.f.node_of(x), m = b_.f.node_of(y);
    if (node_partner_[n] != m || b_.g.nodes[m].ops.first != y) return;
    const auto compare = [&](const std::string& what, ark::range r, ark::range s) {
      std::vector<std::uint32_t> of_m, of_n;
      for (const std::int64_t id : integers(b_.g, s))
        if (const auto at = ids_b_.find(id); at != ids_b_.end()) of_m.push_back(at->second);
      std::sort(of_m.begin(), of_m.end());
      for (const std::int64_t id : integers(a_.g, r)) {
        const auto at = ids_a_.find(id);
        const std::uint32_t p = at == ids_a_.end() ? none : node_partner_[at->second];
        // Of a node that was removed, or taken apart for another dialect, that is said already.
        if (at != ids_a_.end() && p == none) continue;
        if (p != none) of_n.push_back(p);
        if (p == none || !std::binary_search(of_m.begin(), of_m.end(), p))
          add_place(parts, what, "node " + std::to_string(id), true);
      }
      std::sort(of_n.begin(), of_n.end());
      for (const std::uint32_t other : of_m)
        if (!std::binary_search(of_n.begin(), of_n.end(), other) && paired_b_[other] != 0)
          add_place(parts, what, "node " + std::to_string(b_.g.nodes[other].id), false);
    };
    compare("Producers", a_.g.nodes[n].producers, b_.g.nodes[m].producers);
    compare("Consumers", a_.g.nodes[n].consumers, b_.g.nodes[m].consumers);
  }
  diff_options options_;
  side a_, b_;
  std::vector<std::uint32_t> node_partner_;
  std::vector<char> paired_b_;  // nodes of the later file that have a partner
  std::map<std::int64_t, std::uint32_t> ids_a_, ids_b_;
  graph_difference out_;
};

}  // namespace

graph_difference diff(const ark::model& before, const ark::model& after,
                      const diff_options& options) {
  return comparison(before, after, options).run();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
