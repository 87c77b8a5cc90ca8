// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/canonical.hpp.

#ifndef TESSERA_ARK_DETAIL_CANONICAL_HPP
#define TESSERA_ARK_DETAIL_CANONICAL_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../canonical.hpp"
#include "../check.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

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

TESSERA_INLINE model canonicalise(const model& g) {
  if (check(g).code != errc::ok) return g;
  return detail::canonicaliser(g).run();
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_CANONICAL_HPP
