// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/ranks.hpp.

#ifndef TESSERA_ARK_DETAIL_RANKS_HPP
#define TESSERA_ARK_DETAIL_RANKS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../../core/report.hpp"
#include "../../core/result.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../ranks.hpp"
#include "../shapes.hpp"
#include "../verify.hpp"
#include "findings.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

class ranks_checker {
 public:
  ranks_checker(view<const program*> given, view<const model*> models, const ranks_options& options,
                report* found)
      : given_(given), found_(models, options.sources, options.max_diagnostics, found) {}

  result<world> run() {
    // The rules below index ranks by number, which takes a file for each.
    if (ranks()) {
      index();
      owners();
      partners();
      traffic();
      counts();
      syncs();
      // Messages that are never sent, which were reported above, keep ranks waiting too.
      if (!found_.failed()) deadlock();
    }
    found_.finish();
    if (found_.failed()) return found_.error();
    return static_cast<world&&>(world_);
  }

 private:
  struct local_tag {
    std::uint32_t holder, remote;  // ranks
    std::int32_t number;
    std::uint32_t storage;
  };
  struct use_place {
    std::uint32_t node = none, op = 0, use = 0;
  };
  /// A message that an operation sends or receives.
  struct event {
    channel on;
    std::uint32_t rank, node, op;  // op: in model::ops
    bool send;
  };

  [[nodiscard]] const model& graph_of(std::uint32_t rank) const noexcept {
    return world_.rank(rank).model();
  }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(world_.size());
  }
  writer add(std::uint32_t rank, errc code, severity s, location at) {
    at.file = files_[rank];
    return found_.add(code, s, at);
  }
  [[nodiscard]] static location place_of(const model& g, const event& e) noexcept {
    return at_op(e.node, e.op - g.nodes[e.node].ops.first);
  }

  /// M01, and the world's programs.
  [[nodiscard]] bool ranks() {
    if (given_.empty()) {
      found_.add(errc::ark_m01_ranks, severity::error, at_root());
      return false;
    }
    const std::int32_t world_size = given_[0]->model().world_size;
    for (std::uint32_t f = 0; f < given_.size(); ++f) {
      const model& g = given_[f]->model();
      if (g.world_size == world_size) continue;
      location at = at_root().in("WorldSize");
      at.file = f;
      found_.add(errc::ark_m01_ranks, severity::error, at)
          << "WorldSize is " << g.world_size << "; the first file has " << world_size;
    }
    if (found_.failed()) return false;
    struct entry {
      std::int32_t rank;
      std::uint32_t file;
    };
    pool<entry> order;
    for (std::uint32_t f = 0; f < given_.size(); ++f) order.push_back({given_[f]->model().rank, f});
    sort(order.data(), order.size(),
         [](const entry& a, const entry& b) { return a.rank < b.rank; });
    std::int64_t expected = 0, missing = 0;
    text names;
    const auto miss = [&](std::int64_t end) {
      for (; expected < end && missing < 8; ++expected, ++missing)
        names << (missing == 0 ? "" : ", ") << expected;
      missing += end > expected ? end - expected : 0;
      expected = end > expected ? end : expected;
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && order[i].rank == order[i - 1].rank) {
        location at = at_root().in("Rank");
        at.file = order[i].file;
        found_.add(errc::ark_m01_ranks, severity::error, at)
            << "Rank is " << order[i].rank << ", as in another file; expected each rank once";
        continue;
      }
      miss(order[i].rank);
      expected = std::int64_t{order[i].rank} + 1;
    }
    miss(world_size);
    if (missing > 0) {
      writer out = found_.add(errc::ark_m01_ranks, severity::error, at_root().in("WorldSize"));
      if (missing == 1)
        out << "no file for rank " << names.view() << " of " << world_size;
      else
        out << "no files for " << missing << " of " << world_size << " ranks: " << names.view()
            << (missing > 8 ? ", ..." : "");
    }
    if (found_.failed()) return false;
    for (const entry& e : order) {
      world_.programs_.push_back(given_[e.file]);
      files_.push_back(e.file);
    }
    return true;
  }

  /// Where things of each rank start in the world's pools, and the tags of buffers that a rank holds.
  void index() {
    std::size_t buffers = 0, ops = 0;
    for (std::uint32_t r = 0; r < size(); ++r) {
      const model& g = graph_of(r);
      world_.first_buffer_.push_back(buffers);
      world_.first_op_.push_back(ops);
      buffers += g.buffers.size();
      ops += g.ops.size();
      for (std::uint32_t b = 0; b < g.buffers.size(); ++b) {
        if (world_.rank(r).storage(b) != b || !is_local(g, g.buffers[b])) continue;
        for (std::size_t kind = 0; kind < 2; ++kind)
          for (const tag& t : tags(g, kind == 0 ? g.buffers[b].recv_tags : g.buffers[b].send_tags))
            local_[kind].push_back({r, static_cast<std::uint32_t>(t.rank), t.number, b});
      }
    }
    for (pool<local_tag>& all : local_) sort(all.data(), all.size(), before);
    world_.owners_.resize(buffers);
    for (std::uint32_t& o : world_.owners_) o = none;
    world_.traffic_.resize(ops);
    first_use_.resize(buffers);
    for (std::uint32_t r = 0; r < size(); ++r) {
      const model& g = graph_of(r);
      for (std::uint32_t n = 0; n < g.nodes.size(); ++n)
        for (std::uint32_t i = 0; i < g.nodes[n].ops.count; ++i) {
          const auto used = uses(g, g.ops[g.nodes[n].ops.first + i]);
          for (std::uint32_t u = 0; u < used.size(); ++u) {
            use_place& p = first_use_[world_.first_buffer_[r] + g.tensors[used[u]].buffer];
            if (p.node == none) p = {n, i, u};
          }
        }
    }
  }
  [[nodiscard]] static bool before(const local_tag& a, const local_tag& b) noexcept {
    if (a.holder != b.holder) return a.holder < b.holder;
    if (a.remote != b.remote) return a.remote < b.remote;
    return a.number < b.number;
  }
  /// Whether `holder` holds a buffer with a tag, and which. By rule B05 there is one at most.
  [[nodiscard]] bool holds(std::size_t kind, std::uint32_t holder, std::uint32_t remote,
                           std::int32_t number, std::uint32_t& storage) const noexcept {
    const pool<local_tag>& all = local_[kind];
    const local_tag wanted{holder, remote, number, 0};
    std::size_t first = 0, last = all.size();
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (before(all[middle], wanted))
        first = middle + 1;
      else
        last = middle;
    }
    if (first == all.size() || before(wanted, all[first])) return false;
    storage = all[first].storage;
    return true;
  }
  /// A member of a buffer at its first use; the root for one that nothing uses.
  [[nodiscard]] location buffer_place(std::uint32_t r, std::uint32_t b, std::string_view member,
                                      std::uint32_t index) const noexcept {
    const model& g = graph_of(r);
    const use_place& p = first_use_[world_.first_buffer_[r] + b];
    if (p.node == none) return at_root();
    return at_use(p.node, p.op, g.ops[g.nodes[p.node].ops.first + p.op], p.use)
        .in("Buffer")
        .in(member, index);
  }

  /// M02, M03, M05: the owners of remote buffers.
  void owners() {
    for (std::uint32_t r = 0; r < size(); ++r) {
      const model& g = graph_of(r);
      for (std::uint32_t b = 0; b < g.buffers.size(); ++b) {
        const buffer& s = g.buffers[b];
        if (world_.rank(r).storage(b) != b || is_local(g, s)) continue;
        std::uint32_t& owner = world_.owners_[world_.first_buffer_[r] + b];
        const auto holder = static_cast<std::uint32_t>(s.rank);
        const auto resolve = [&](std::size_t kind, range list, auto&& report_tag) {
          for (std::uint32_t i = 0; i < list.count; ++i) {
            const std::int32_t number = g.tags[list.first + i].number;
            std::uint32_t storage = none;
            const bool held = holds(kind, holder, r, number, storage);
            const bool other = held && owner != none && owner != storage;
            if (owner == none) owner = storage;
            if (!held || other) report_tag(i, number, held);
          }
        };
        resolve(0, s.recv_tags, [&](std::uint32_t i, std::int32_t number, bool held) {
          add(r, errc::ark_m02_owner, severity::error, buffer_place(r, b, "RecvTags", i))
              << (held ? "a different buffer than for the previous tags" : "no buffer")
              << " of rank " << holder << " has [" << r << ',' << number << "] in its RecvTags";
        });
        if (owner != none) {
          const std::uint64_t here = world_.rank(r).bytes(b);
          const std::uint64_t there = world_.rank(holder).bytes(owner);
          if (here > there)
            add(r, errc::ark_m05_size, severity::error, buffer_place(r, b, "Id", none))
                << "the buffer takes " << here << " bytes; buffer "
                << graph_of(holder).buffers[owner].id << " of rank " << holder << " has " << there;
        }
        const std::uint32_t by_data = owner;
        owner = none;
        resolve(1, s.send_tags, [&](std::uint32_t i, std::int32_t number, bool held) {
          if (held) return;  // a label may match several sends
          add(r, errc::ark_m03_label, severity::warning, buffer_place(r, b, "SendTags", i))
              << "no buffer of rank " << holder << " has [" << r << ',' << number
              << "] in its SendTags";
        });
        if (by_data != none) owner = by_data;
      }
    }
  }

  /// M04: tags of buffers that a rank holds.
  void partners() {
    for (std::uint32_t r = 0; r < size(); ++r) {
      const model& g = graph_of(r);
      for (std::uint32_t b = 0; b < g.buffers.size(); ++b) {
        const buffer& s = g.buffers[b];
        if (world_.rank(r).storage(b) != b || !is_local(g, s)) continue;
        for (std::size_t kind = 0; kind < 2; ++kind) {
          const range list = kind == 0 ? s.send_tags : s.recv_tags;
          for (std::uint32_t i = 0; i < list.count; ++i) {
            const tag t = g.tags[list.first + i];
            std::uint32_t storage = none;
            if (holds(kind, static_cast<std::uint32_t>(t.rank), r, t.number, storage)) continue;
            add(r, errc::ark_m04_partner, severity::note,
                buffer_place(r, b, kind == 0 ? "SendTags" : "RecvTags", i))
                << "no buffer of rank " << t.rank << " has [" << r << ',' << t.number << "] in its "
                << (kind == 0 ? "RecvTags" : "SendTags");
          }
        }
      }
    }
  }

  /// The messages of all operations.
  void traffic() {
    for (std::uint32_t r = 0; r < size(); ++r) {
      const model& g = graph_of(r);
      for (std::uint32_t n = 0; n < g.nodes.size(); ++n)
        for (std::uint32_t i = 0; i < g.nodes[n].ops.count; ++i) events_of(g, r, n, i);
    }
    pool<std::uint32_t> order, numbers;
    for (std::uint32_t i = 0; i < events_.size(); ++i) order.push_back(i);
    numbers.resize(events_.size());
    sort(order.data(), order.size(), [this](std::uint32_t a, std::uint32_t b) {
      const channel &x = events_[a].on, &y = events_[b].on;
      if (x.source != y.source) return x.source < y.source;
      if (x.destination != y.destination) return x.destination < y.destination;
      return x.tag < y.tag;
    });
    for (const std::uint32_t i : order) {
      if (world_.channels_.empty() || !(world_.channels_.back() == events_[i].on)) {
        world_.channels_.push_back(events_[i].on);
        by_channel_first_.push_back(by_channel_.size());
      }
      by_channel_.push_back(i);
      numbers[i] = static_cast<std::uint32_t>(world_.channels_.size() - 1);
    }
    by_channel_first_.push_back(by_channel_.size());
    // Events are ordered by operation, its sends first.
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const event& e = events_[i];
      world::traffic& t = world_.traffic_[world_.first_op_[e.rank] + e.op];
      if (t.sends + t.receives == 0) t.first = i;
      ++(e.send ? t.sends : t.receives);
    }
    world_.uses_ = static_cast<pool<std::uint32_t>&&>(numbers);
  }
  void events_of(const model& g, std::uint32_t r, std::uint32_t n, std::uint32_t i) {
    const std::uint32_t index = g.nodes[n].ops.first + i;
    const op& o = g.ops[index];
    const auto read = [&](std::uint32_t u) -> const buffer& {
      return buffer_of(g, reads(g, o)[u]);
    };
    const auto send = [&](std::uint32_t w) {
      const buffer& s = buffer_of(g, writes(g, o)[w]);
      for (const tag& t : tags(g, s.recv_tags))
        events_.push_back({{r, static_cast<std::uint32_t>(s.rank), t.number}, r, n, index, true});
    };
    const auto receive = [&](std::uint32_t source, std::int32_t number) {
      events_.push_back({{source, r, number}, r, n, index, false});
    };
    switch (o.type) {
      case op_type::send:
      case op_type::send_packet: send(0); break;
      case op_type::recv:
        for (const tag& t : tags(g, read(0).send_tags))
          receive(static_cast<std::uint32_t>(read(0).rank), t.number);
        break;
      case op_type::recv_packet:
        for (const tag& t : tags(g, read(1).recv_tags))
          if (t.rank == read(0).rank) receive(static_cast<std::uint32_t>(t.rank), t.number);
        break;
      case op_type::recv_reduce_send:
      case op_type::recv_reduce_send_packet:
        for (std::uint32_t w = 1; w < o.writes; ++w) send(w);
        for (const tag& t : tags(g, read(1).recv_tags))
          receive(static_cast<std::uint32_t>(t.rank), t.number);
        break;
      default: break;
    }
  }

  /// M06, M07: sends and receives match one to one.
  void counts() {
    pool<std::uint32_t> lists[2];  // sends, receives
    for (std::size_t c = 0; c < world_.channels_.size(); ++c) {
      lists[0].clear(), lists[1].clear();
      for (std::size_t i = by_channel_first_[c]; i < by_channel_first_[c + 1]; ++i)
        lists[events_[by_channel_[i]].send ? 0 : 1].push_back(by_channel_[i]);
      const std::size_t sends = lists[0].size(), receives = lists[1].size();
      for (std::size_t i = 0; i < sends && i < receives; ++i)
        transfer(events_[lists[0][i]], events_[lists[1][i]]);
      if (sends == receives) continue;
      const event& e = sends > receives ? events_[lists[0][receives]] : events_[lists[1][sends]];
      add(e.rank, errc::ark_m07_count, sends > receives ? severity::warning : severity::error,
          place_of(graph_of(e.rank), e))
          << "messages from rank " << e.on.source << " to rank " << e.on.destination << " with tag "
          << e.on.tag << " are sent " << sends << " times and received " << receives << " times";
    }
  }
  void transfer(const event& from, const event& to) {
    const model &a = graph_of(from.rank), &b = graph_of(to.rank);
    const op &send = a.ops[from.op], &receive = b.ops[to.op];
    if (send.type != op_type::send || receive.type != op_type::recv) return;
    const std::uint32_t x = reads(a, send)[0], y = writes(b, receive)[0];
    const data_type tx = a.tensors[x].type, ty = b.tensors[y].type;
    const std::uint64_t nx = elements(layout_of(a, x)), ny = elements(layout_of(b, y));
    if (tx == ty && nx == ny) return;
    add(to.rank, errc::ark_m06_transfer, severity::warning, place_of(b, to))
        << "rank " << from.rank << " sends " << nx << ' ' << info(tx).name << " with tag "
        << from.on.tag << "; rank " << to.rank << " receives " << ny << ' ' << info(ty).name;
  }
  /// M09.
  void syncs() {
    pool<std::uint64_t> all;
    std::uint32_t max = 0;
    for (std::uint32_t r = 0; r < size(); ++r) {
      std::uint64_t count = 0;
      for (const op& o : graph_of(r).ops) count += o.type == op_type::device_sync ? 1 : 0;
      all.push_back(count);
      if (count > all[max]) max = r;
    }
    for (std::uint32_t r = 0; r < size(); ++r)
      if (all[r] != all[max])
        add(r, errc::ark_m09_syncs, severity::error, at_root().in("Nodes"))
            << "rank " << r << " has " << all[r] << " DeviceSyncs; rank " << max << " has "
            << all[max];
  }

  /// M08.
  void deadlock() {
    schedule order(world_);
    for (schedule::step s; order.next(s);) continue;
    if (order.unfinished() == 0) return;
    schedule::wait w;
    std::uint32_t first = 0;
    while (!order.waits(first, w)) ++first;
    const model& g = graph_of(first);
    text waits;
    describe_waits(world_, order, waits);
    add(first, errc::ark_m08_deadlock, severity::error,
        at_op(w.at.node, w.at.op - g.nodes[w.at.node].ops.first))
        << verbatim{waits};
  }

  view<const program*> given_;
  findings found_;
  world world_;
  pool<std::uint32_t> files_;  // by rank: its location among those given
  pool<local_tag> local_[2];   // RecvTags, SendTags; sorted
  pool<use_place> first_use_;  // of all buffers
  pool<event> events_;         // by rank, node and operation
  pool<std::uint32_t> by_channel_;
  pool<std::size_t> by_channel_first_;
};

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE view<std::uint32_t> world::sends(std::size_t r, std::size_t op) const noexcept {
  const traffic& t = traffic_[first_op_[r] + op];
  return {uses_.data() + t.first, t.sends};
}

TESSERA_INLINE view<std::uint32_t> world::receives(std::size_t r, std::size_t op) const noexcept {
  const traffic& t = traffic_[first_op_[r] + op];
  return {uses_.data() + t.first + t.sends, t.receives};
}

TESSERA_INLINE schedule::schedule(const world& w) : world_(w) {
  ranks_.resize(w.size());
  queue_.resize(w.size());
  messages_.resize(w.channels().size());
  waiting_.resize(w.channels().size());
  for (std::size_t r = 0; r < w.size(); ++r) queue_[r] = static_cast<std::uint32_t>(r);
  queued_ = w.size();
}

TESSERA_INLINE bool schedule::next(step& out) {
  for (;;) {
    if (!running_) {
      if (queued_ == 0) return false;
      current_ = queue_[first_];
      first_ = first_ + 1 == queue_.size() ? 0 : first_ + 1;
      --queued_;
      running_ = true;
    }
    running_ = advance(out);
    if (running_) return true;
  }
}

TESSERA_INLINE std::size_t schedule::unfinished() const noexcept {
  std::size_t count = 0;
  for (const state& s : ranks_) count += s.ended ? 0 : 1;
  return count;
}

TESSERA_INLINE bool schedule::waits(std::size_t r, wait& out) const noexcept {
  const state& s = ranks_[r];
  if (s.ended) return false;
  const model& g = world_.rank(r).model();
  const std::uint32_t op = g.nodes[s.node].ops.first + s.op;
  out.at = {static_cast<std::uint32_t>(r), s.node, op};
  out.sync = g.ops[op].type == op_type::device_sync;
  out.message = {};
  if (const auto list = world_.receives(r, op); s.received < list.size())
    out.message = world_.channels()[list[s.received]];
  return true;
}

TESSERA_INLINE std::uint64_t schedule::left_over() const noexcept {
  std::uint64_t count = 0;
  for (const std::uint64_t m : messages_) count += m;
  return count;
}

TESSERA_INLINE bool schedule::advance(step& out) {
  state& s = ranks_[current_];
  const model& g = world_.rank(current_).model();
  while (s.node < g.nodes.size() && s.op >= g.nodes[s.node].ops.count) {
    ++s.node;
    s.op = 0;
  }
  if (s.node == g.nodes.size()) {
    s.ended = true;
    return false;
  }
  const std::uint32_t op = g.nodes[s.node].ops.first + s.op;
  const auto wanted = world_.receives(current_, op);
  for (; s.received < wanted.size(); ++s.received) {
    const std::uint32_t c = wanted[s.received];
    if (messages_[c] == 0) {
      waiting_[c] = current_ + 1;
      return false;
    }
    --messages_[c];
  }
  if (g.ops[op].type == op_type::device_sync && !s.synced) {
    if (++arrived_ < ranks_.size()) return false;
    arrived_ = 0;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].synced = true;
      if (r != current_) wake(r);
    }
  }
  for (const std::uint32_t c : world_.sends(current_, op)) {
    ++messages_[c];
    if (waiting_[c] != 0) wake(waiting_[c] - 1);
    waiting_[c] = 0;
  }
  out = {current_, s.node, op};
  ++s.op;
  s.received = 0;
  s.synced = false;
  return true;
}

TESSERA_INLINE void schedule::wake(std::uint32_t rank) {
  std::size_t i = first_ + queued_++;
  if (i >= queue_.size()) i -= queue_.size();
  queue_[i] = rank;
}

TESSERA_INLINE void describe_waits(const world& w, const schedule& order, text& out) {
  schedule::wait at;
  std::size_t count = 0;
  for (std::size_t r = 0; r < w.size(); ++r) {
    if (!order.waits(r, at)) continue;
    if (++count > 16) continue;
    const model& g = w.rank(r).model();
    out << (count == 1 ? "" : "; ") << "rank " << r << " waits at node " << g.nodes[at.at.node].id
        << " (" << type_name(g, g.ops[at.at.op]) << ") for ";
    if (at.sync)
      out << "all ranks";
    else
      out << "a message from rank " << at.message.source << " to rank " << at.message.destination
          << " with tag " << at.message.tag;
  }
  if (count > 16) out << "; and " << count - 16 << " more";
}

TESSERA_INLINE result<world> verify_ranks(view<const program*> ranks, const ranks_options& options,
                                          report* found) {
  pool<const model*> models;
  for (const program* const p : ranks) models.push_back(&p->model());
  return detail::ranks_checker(ranks, models, options, found).run();
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RANKS_HPP
