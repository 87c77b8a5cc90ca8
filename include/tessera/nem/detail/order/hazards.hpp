// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rules HAZ and CAP-003: tasks that touch the same bytes are ordered, and not too many are live.
//
//   detail::hazards h(c);
//   detail::walker<detail::hazards, true>(c, h, most).run();
//   h.finish();
//
//   HAZ-001   two tasks touch the same bytes, one writes, neither is before the other
//   HAZ-002   likewise, in iterations that are in flight together
//   HAZ-003   likewise, but all writers copy the same bytes to there: a warning
//   HAZ-004   a compute task writes what it reads, elsewhere than in the same place
//   HAZ-005   the search was ended by verify_options::hazard_steps
//   HAZ-006   bytes of an L1 are read that no earlier task wrote
//   CAP-003   more tasks issued and not complete than the target's SEQ.max_active_tokens
//
// Each segment of a buffer has the accesses that a later one may race with. A write forgets those
// that are before it: what isn't ordered with one of them isn't ordered with the write. A read
// forgets reads before it for the same reason. So a race is reported at the task that comes later
// in the file; pairs with a write between them are found by way of that write.
//
// HAZ-003: both copies are of one statement, with the same source and destination and no write to
// the source between them; a reader sees only such copies, one of which is before it. It is
// reported at the copy, not at its readers.
//
// Lifetime:   borrows the context.
// Errors:     findings.
// Limits:     verify_options::hazard_steps, in tasks, deps, segments and accesses that are looked
//             at; of accesses that are known to race, each segment keeps 64; HAZ-001 looks at 1024
//             earlier tasks, names 8 and suggests up to 64 deps.
// Allocation: that of happens_before and byte_map; 16 bytes an access and 12 for each of its
//             segments, of those that a later one may race with, and up to as much again; 52 a task
//             in iterations that overlap. None for buffers that are only read.

#ifndef TESSERA_NEM_DETAIL_ORDER_HAZARDS_HPP
#define TESSERA_NEM_DETAIL_ORDER_HAZARDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/sort.hpp"
#include "../../../version.hpp"
#include "../../catalog.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "../../rule.hpp"
#include "../../verify_options.hpp"
#include "../../visitor.hpp"
#include "../rules/context.hpp"
#include "../rules/loop_proof.hpp"
#include "byte_map.hpp"
#include "happens_before.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class hazards {
 public:
  [[gnu::cold]] explicit hazards(context& c) : c_(c), order_(c.options.hazard_steps) {
    links_.push_back({});  // so that link 0 is none
    find_written();
    if (c.target != nullptr)
      max_tokens_ = c.types.characteristic(*c.target, unit::seq, "max_active_tokens", -1);
  }

  void loop(const values&, std::uint32_t node, std::int64_t, std::int64_t last,
            std::int64_t in_flight) {
    loops_.push_back({last, 0, false, false, in_flight > 1});
    overlapping_ += in_flight > 1;
    order_.loop(node, in_flight);
  }
  void iteration(std::uint32_t, std::int64_t value) {
    loop_state& l = loops_.back();
    is_partial_ = is_partial_ || (l.has_begun && !l.is_skipping && l.value != value - 1);
    l.value = value;
    l.has_begun = true;
    l.is_skipping = false;
    if (!has_ended_) order_.iteration(value);
  }
  void end_loop(std::uint32_t) {
    is_partial_ = is_partial_ || loops_.back().value != loops_.back().last;
    overlapping_ -= loops_.back().overlaps;
    loops_.pop_back();
    if (!has_ended_) order_.end_loop();
  }
  void wait(std::uint32_t node, view<std::uint32_t> tasks) {
    if (has_ended_) return;
    order_.wait(tasks);
    if (misses_tokens(node, tasks.size())) order_.wait_for_all();
  }
  void task(const values& v, const nem::task& t) {
    check_in_place(v, t);
    if (has_ended_) return;
    if (links_.size() >= max_links_) forget();
    order_.issue(t.node, v.tasks_before(t));
    is_unknown_ = misses_deps(t);
    reported_ = 0;
    unordered_.clear();
    std::uint32_t version = 0;
    for (const operand& o : v.inputs(t)) access(v, t, o, false, version);
    if (overlapping_ != 0) remember_copy(v, t, version);
    for (const operand& o : v.outputs(t)) access(v, t, o, true, version);
    if (!unordered_.empty()) report_unordered(t.node);
    order_.issued(t.mode == mode::sync);
    if (max_tokens_ >= 0 && first_beyond_ == no_node &&
        order_.max_live() > static_cast<std::uint64_t>(max_tokens_))
      first_beyond_ = t.node;
    if (order_.is_exhausted()) end(t);
  }
  /// All was visited.
  void finish() {
    if (first_beyond_ == no_node) return;
    c_.report(errc::nem_cap_003_tokens, first_beyond_)
        << "up to " << order_.max_live() << " tokens can be live at once, "
        << c_.types.text_of(c_.target->name) << " has SEQ.max_active_tokens = " << max_tokens_;
  }

  // Loops that are proven: loop_proof.hpp.

  /// Whether an access to these bytes, with nothing before it, may race with an earlier one.
  [[nodiscard, gnu::cold]] bool may_race(const values& v, const byte_range& bytes, bool is_write) {
    bool may = has_ended_;
    const auto is_open = [&](std::uint32_t list) {
      for (std::uint32_t i = list; i != 0 && !may; i = links_[i].next) {
        order_.spend(1);
        may = !order_.is_complete(accesses_[links_[i].access].task);
      }
    };
    order_.spend(
        map_.look(v.buffers[bytes.buffer].node, bytes.first, bytes.last, [&](const segment& s) {
          is_open(s.writes);
          if (is_write) is_open(s.reads);
          may = may || order_.is_exhausted();
          return !may;
        }));
    return may;
  }
  /// Whether earlier tasks have written all of these bytes.
  [[nodiscard, gnu::cold]] bool is_written(const values& v, const byte_range& bytes) {
    std::int64_t end = bytes.first;
    if (has_ended_) return false;
    order_.spend(
        map_.look(v.buffers[bytes.buffer].node, bytes.first, bytes.last, [&](const segment& s) {
          if (s.writes == 0 || s.first > end || order_.is_exhausted()) return false;
          end = s.last;
          return true;
        }));
    return end >= bytes.last;
  }
  /// The loop's next iteration is a later one; end_skip() follows the loop, if there were any.
  void begin_skip(bool is_first) {
    loops_.back().is_skipping = true;
    if (is_first) ++skips_;
  }
  /// What the iterations that were left out wrote counts as written.
  [[gnu::cold]] void end_skip(const values& v, view<byte_range> written) {
    --skips_;
    if (has_ended_ || order_.size() == 0) return;
    for (const byte_range& w : written) {
      const buffer& b = v.buffers[w.buffer];
      const std::uint32_t task = order_.size() - 1;  // of the loop, or after it
      remember_access({w.first, w.last, task, b.name});
      const std::uint32_t mark =
          add_link({static_cast<std::uint32_t>(accesses_.size() - 1), 0, no_index});
      order_.spend(map_.visit(b.node, w.first, w.last, [&](segment& s) {
        if (s.writes != 0) return false;
        s.writes = mark;
        s.version = task + 1;
        return s.reads == 0;
      }));
    }
  }

  [[nodiscard]] const happens_before& order() const noexcept { return order_; }
  /// Whether the search ended before the last task.
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

 private:
  static constexpr std::size_t max_kept = 64, max_unordered = 1024, max_listed = 8;
  static constexpr std::size_t min_links = 256;
  static constexpr std::uint8_t reported_iterations = 1, reported_rewritten = 2;

  struct loop_state {
    std::int64_t last, value;
    bool has_begun;
    bool is_skipping;  ///< whether the next iteration needn't be the following one
    bool overlaps;     ///< whether its iterations may
  };
  /// Bytes that a task reads or writes.
  struct access_record {
    std::int64_t first, last;
    std::uint32_t task, buffer_name;
  };
  /// The same as it is kept: its buffer is that of the segments that know of it.
  struct packed_access {
    std::int64_t first;
    std::uint32_t extent;  ///< wide: in wide_
    std::uint32_t task;
  };
  struct wide_access {
    std::uint32_t access;
    std::int64_t last;
  };
  static constexpr std::uint32_t wide = 0xffffffff;
  /// An access in the list of a segment.
  struct link {
    std::uint32_t access = 0, next = 0;
    std::uint32_t fed =
        no_index;  ///< of a read: the copy that it sees, when it sees no other write
  };
  /// What a transfer or a store does, when its regions are known.
  struct copy {
    std::int64_t from_first, from_last, to_first, to_last;
    std::uint32_t from, to;       ///< buffers
    std::uint32_t version, node;  ///< of the source: the last task that wrote to it, + 1
  };
  /// Two accesses to the same bytes, the earlier one first.
  struct pair {
    access_record p, q;
    bool p_writes, q_writes;
  };
  /// The access that is being checked.
  struct current {
    const nem::task& t;
    const region& r;
    access_record a;
    std::uint32_t index;
    nem::level level;
    bool is_write;
  };

  // Accesses -------------------------------------------------------------------------------------

  void access(const values& v, const nem::task& t, const operand& o, bool is_write,
              std::uint32_t& version) {
    if (o.region == no_index) return;
    const region& r = v.regions[o.region];
    if (!is_sound(v, r)) return;
    const buffer& b = v.buffers[r.buffer];
    const std::uint32_t task = order_.size() - 1;
    const std::uint32_t index = static_cast<std::uint32_t>(accesses_.size());
    current q{t, r, {r.offset, r.offset + r.extent, task, b.name}, index, b.level, is_write};
    has_unwritten_ = false;
    if (!is_written_[b.name]) {
      if (b.level == level::l1) unwritten(q, q.a.first);
      return;
    }
    remember_access(q.a);
    order_.spend(map_.visit(b.node, q.a.first, q.a.last, [&](segment& s) {
      if (order_.is_exhausted()) return false;
      if (version < s.version) version = s.version;
      if (is_write) return write(q, s);
      read(q, s);
      return false;
    }));
  }
  [[nodiscard]] static bool is_sound(const values& v, const region& r) noexcept {
    std::int64_t last = 0;
    return r.is_sound && r.buffer != no_index && v.buffers[r.buffer].is_known && r.offset >= 0 &&
           r.extent > 0 && !__builtin_add_overflow(r.offset, r.extent, &last);
  }

  void remember_access(const access_record& a) {
    const std::int64_t extent = a.last - a.first;
    const bool is_wide = extent >= std::int64_t{wide};
    if (is_wide) wide_.push_back({static_cast<std::uint32_t>(accesses_.size()), a.last});
    accesses_.push_back({a.first, is_wide ? wide : static_cast<std::uint32_t>(extent), a.task});
  }
  [[nodiscard]] access_record recall(std::uint32_t index,
                                     std::uint32_t buffer_name) const noexcept {
    const packed_access& p = accesses_[index];
    if (p.extent != wide) return {p.first, p.first + p.extent, p.task, buffer_name};
    const std::size_t i = first_not_below(wide_.data(), wide_.size(),
                                          [&](const wide_access& w) { return w.access < index; });
    return {p.first, wide_[i].last, p.task, buffer_name};
  }
  /// Finds the names of buffers that a task may write: others are only read. Names are declared
  /// before they are used, so that lets are followed from the end.
  [[gnu::cold]] void find_written() {
    is_written_.resize(c_.d.names.size());
    std::size_t tasks = 0;
    for (std::uint32_t i = static_cast<std::uint32_t>(c_.d.nodes.size()); i-- != 0;) {
      const nem::node& n = c_.d.nodes[i];
      tasks += n.kind == node_kind::transfer || n.kind == node_kind::store ||
               n.kind == node_kind::compute;
      const bool is_output = n.kind == node_kind::output || n.kind == node_kind::destination;
      if (!is_output && (n.kind != node_kind::let || !is_written_[n.value])) continue;
      const nem::node& value = c_.d.nodes[i + 1];
      if (value.kind == node_kind::region || value.kind == node_kind::name)
        is_written_[value.value] = true;
    }
    order_.reserve(tasks);
    accesses_.reserve(tasks);
    links_.reserve(tasks);
  }

  /// Whether an earlier access is before the current task.
  [[nodiscard, gnu::cold]] bool is_before(std::uint32_t p) {
    return is_unknown_ || order_.is_before(p);
  }

  [[gnu::cold]] void read(const current& q, segment& s) {
    bool is_fed = s.writes != 0, has_ordered = false;
    std::uint32_t feeder = no_index;
    for (std::uint32_t i = s.writes; i != 0; i = links_[i].next) {
      const std::uint32_t p = accesses_[links_[i].access].task;
      if (p == q.a.task) continue;
      order_.spend(1);
      has_ordered = is_before(p) || has_ordered;
      if (feeder == no_index) feeder = p;
      is_fed = is_fed && is_same_copy(feeder, p);
    }
    if (!is_fed || !has_ordered) feeder = no_index;
    for (std::uint32_t i = s.writes; i != 0; i = links_[i].next) {
      const std::uint32_t task = accesses_[links_[i].access].task;
      if (task == q.a.task || is_before(task)) continue;
      const access_record p = recall(links_[i].access, q.a.buffer_name);
      if (feeder == no_index || order_.is_same_path(p.task)) race(p, true, q, false);
    }
    if (s.writes == 0 && q.level == level::l1) unwritten(q, s.first);
    while (s.reads != 0) {
      const link& l = links_[s.reads];
      const std::uint32_t p = accesses_[l.access].task;
      if (p != q.a.task && !order_.is_plainly_before(p)) break;
      if (l.fed != feeder && feeder != no_index) break;
      s.reads = l.next;
      order_.spend(1);
    }
    s.reads = add_link({q.index, s.reads, feeder});
  }

  /// Returns whether no other access is left to know of.
  bool write(const current& q, segment& s) {
    s.writes = keep_racing(q, s.writes, true);
    s.reads = keep_racing(q, s.reads, false);
    const bool is_alone = s.writes == 0 && s.reads == 0;
    s.writes = is_alone ? own_link(q) : add_link({q.index, s.writes, no_index});
    s.version = q.a.task + 1;
    return is_alone;
  }
  /// Segments that only this access is known of share its link.
  [[nodiscard]] std::uint32_t own_link(const current& q) {
    if (links_.back().access == q.index && links_.back().next == 0 && links_.size() > 1)
      return static_cast<std::uint32_t>(links_.size() - 1);
    return add_link({q.index, 0, no_index});
  }
  [[nodiscard]] std::uint32_t add_link(const link& l) {
    links_.push_back(l);
    return static_cast<std::uint32_t>(links_.size() - 1);
  }

  /// The accesses of a list that aren't before the current write.
  [[nodiscard, gnu::cold]] std::uint32_t keep_racing(const current& q, std::uint32_t list,
                                                     bool are_writes) {
    kept_.clear();
    bool all = true;
    for (std::uint32_t i = list; i != 0; i = links_[i].next) {
      const std::uint32_t task = accesses_[links_[i].access].task;
      order_.spend(1);
      if (task == q.a.task || is_before(task)) {
        all = false;
        continue;
      }
      const access_record p = recall(links_[i].access, q.a.buffer_name);
      const std::uint32_t writer = are_writes ? p.task : links_[i].fed;
      if (writer != no_index && !order_.is_same_path(p.task) && is_same_copy(writer, q.a.task)) {
        rewrite(p, q);
      } else {
        race(p, are_writes, q, true);
        if (kept_.size() >= max_kept) {  // what follows it has been reported
          all = false;
          continue;
        }
      }
      kept_.push_back(i);
    }
    if (all) return list;
    std::uint32_t head = 0;
    for (std::size_t k = kept_.size(); k-- != 0;) {
      link l = links_[kept_[k]];
      l.next = head;
      head = add_link(l);
    }
    return head;
  }

  /// Forgets accesses that no segment knows of any more, in time for as many new ones as there are
  /// then segments or accesses.
  [[gnu::cold]] void forget() {
    // Lists share their ends, which are always older: from the newest link on, each is met after
    // all that lead to it.
    pool<std::uint32_t> links_to, accesses_to;  // by index: whether it is used, then where it moves
    links_to.resize(links_.size());
    accesses_to.resize(accesses_.size());
    map_.each([&](segment& s) { links_to[s.writes] = links_to[s.reads] = 1; });
    for (std::size_t i = links_.size(); i-- != 0;) {
      if (links_to[i] == 0 && i != 0) continue;
      links_to[links_[i].next] = 1;
      accesses_to[links_[i].access] = 1;
    }
    move_used(accesses_, accesses_to, [](const packed_access&) {});
    move_used(links_, links_to, [&](link& l) {
      l.access = accesses_to[l.access];
      l.next = links_to[l.next];
    });
    map_.each([&](segment& s) {
      s.writes = links_to[s.writes];
      s.reads = links_to[s.reads];
    });
    std::size_t kept = 0;
    for (const wide_access& w : wide_)
      if (accesses_to[w.access] != no_index) wide_[kept++] = {accesses_to[w.access], w.last};
    wide_.shrink(kept);
    const std::size_t known = links_.size() > map_.size() ? links_.size() : map_.size();
    max_links_ = 2 * (known > min_links ? known : min_links);
  }
  /// Closes the gaps between elements that are used, in their order; `to` has the new index of
  /// each.
  template <class T, class Change>
  [[gnu::cold]] static void move_used(pool<T>& all, pool<std::uint32_t>& to, Change change) {
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (to[i] == 0) {
        to[i] = no_index;
        continue;
      }
      to[i] = kept;
      all[kept] = all[i];
      change(all[kept++]);
    }
    all.shrink(kept);
  }

  // Copies ---------------------------------------------------------------------------------------

  [[gnu::cold]] void remember_copy(const values& v, const nem::task& t, std::uint32_t version) {
    if ((t.opcode != opcode::transfer && t.opcode != opcode::store) || t.inputs != 1 ||
        t.outputs != 1)
      return;
    const std::uint32_t from = v.inputs(t)[0].region, to = v.outputs(t)[0].region;
    if (from == no_index || to == no_index) return;
    const region &a = v.regions[from], &b = v.regions[to];
    if (!is_sound(v, a) || !is_sound(v, b)) return;
    copy_of_.resize(order_.size());
    copy_of_.back() = static_cast<std::uint32_t>(copies_.size() + 1);
    copies_.push_back({a.offset, a.offset + a.extent, b.offset, b.offset + b.extent,
                       v.buffers[a.buffer].node, v.buffers[b.buffer].node, version, t.node});
  }
  /// Whether two tasks are copies of one statement that copy the same.
  [[nodiscard]] bool is_same_copy(std::uint32_t p, std::uint32_t q) const noexcept {
    if (p >= copy_of_.size() || q >= copy_of_.size() || copy_of_[p] == 0 || copy_of_[q] == 0)
      return false;
    const copy &a = copies_[copy_of_[p] - 1], &b = copies_[copy_of_[q] - 1];
    return a.node == b.node && a.version == b.version && a.from == b.from && a.to == b.to &&
           a.from_first == b.from_first && a.from_last == b.from_last && a.to_first == b.to_first &&
           a.to_last == b.to_last;
  }

  // Findings -------------------------------------------------------------------------------------

  /// What to call a task: its token, or what it is.
  template <class Out>
  Out& name(Out& out, std::uint32_t node) const {
    const nem::node& n = c_[node];
    if (n.value != no_name) return out << c_.d.name(n.value), out;
    out << "the ";
    if (n.kind != node_kind::compute) return out << nem::name(n.kind), out;
    const std::uint32_t op = child(c_.d, node, node_kind::opcode);
    if (op != no_node) out << c_.name(op) << ' ';
    return out << "task", out;
  }
  template <class Out>
  void bytes(Out& out, std::int64_t first, std::int64_t last, std::uint32_t buffer_name) const {
    if (first + 1 == last)
      out << "byte " << first;
    else
      out << "bytes [" << first << ", " << last << ')';
    out << " of " << c_.d.name(buffer_name);
  }
  template <class Out>
  void overlap(Out& out, const access_record& p, const access_record& q) const {
    bytes(out, p.first > q.first ? p.first : q.first, p.last < q.last ? p.last : q.last,
          q.buffer_name);
  }
  [[nodiscard]] static std::string_view verb(bool is_write) noexcept {
    return is_write ? "writes" : "reads";
  }

  /// Whether this rule has reported the current task; then it has.
  [[nodiscard]] bool was_reported(std::uint8_t rule) noexcept {
    const bool was = (reported_ & rule) != 0;
    reported_ = static_cast<std::uint8_t>(reported_ | rule);
    return was;
  }

  [[gnu::cold]] void race(const access_record& p, bool p_writes, const current& q, bool q_writes) {
    if (order_.is_same_path(p.task)) {
      if (unordered_.empty()) first_pair_ = {p, q.a, p_writes, q_writes};
      if (unordered_.size() < max_unordered) unordered_.push_back(p.task);
      return;
    }
    if (was_reported(reported_iterations)) return;
    const std::uint32_t earlier = order_.node_of(p.task);
    auto&& out = c_.report(errc::nem_haz_002_iterations, q.t.node);
    const happens_before::relation r = order_.relate(p.task);
    const std::uint64_t apart =
        static_cast<std::uint64_t>(r.later) - static_cast<std::uint64_t>(r.earlier);
    const std::string_view variable = c_.name(r.loop);
    name(out, q.t.node) << ' ' << verb(q_writes) << ' ';
    overlap(out, p, q.a);
    out << " where " << variable << " is " << r.later << ", and ";
    name(out, earlier) << ' ' << verb(p_writes) << " the same where " << variable << " is "
                       << r.earlier << "; @max_in_flight(" << r.in_flight
                       << ") lets these iterations overlap";
    out.note(c_.at(earlier));
    name(out, earlier) << ' ' << verb(p_writes) << ' ';
    bytes(out, p.first, p.last, p.buffer_name);
    out << "; use @max_in_flight(" << apart << "), or " << r.in_flight << " regions chosen by "
        << variable << " mod " << r.in_flight;
  }

  /// HAZ-001: the task at `node` races with all tasks in `unordered_`.
  [[gnu::cold]] void report_unordered(std::uint32_t node) {
    const pair& r = first_pair_;
    const std::size_t before = c_.found.report().diagnostics.size();
    auto&& out = c_.report(errc::nem_haz_001_unordered, node);
    if (c_.found.report().diagnostics.size() == before) return;  // what isn't kept isn't made
    choose_deps();
    const std::uint32_t earlier = order_.node_of(r.p.task);
    name(out, node) << ' ' << verb(r.q_writes) << ' ';
    overlap(out, r.p, r.q);
    out << ", which ";
    name(out, earlier) << ' ' << verb(r.p_writes) << "; nothing orders the two";
    if (unordered_.size() > 1) {
      out << "; ";
      name(out, node) << " also conflicts with ";
      list_tasks(out, view<std::uint32_t>(unordered_), r.p.task);
    }
    out.note(c_.at(earlier));
    name(out, earlier) << ' ' << verb(r.p_writes) << ' ';
    bytes(out, r.p.first, r.p.last, r.p.buffer_name);
    suggest_order(out, node);
  }
  /// Sorts `unordered_`, each once, and chooses its last tasks, without those that are before
  /// others.
  [[gnu::cold]] void choose_deps() {
    order_.spend(unordered_.size());
    sort(unordered_.data(), unordered_.size(),
         [](std::uint32_t a, std::uint32_t b) { return a < b; });
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < unordered_.size(); ++i)
      if (unordered_[i] != unordered_[i - 1]) unordered_[distinct++] = unordered_[i];
    unordered_.resize(distinct);
    chosen_.clear();
    for (std::size_t i = distinct; i-- != 0;) {
      if (!chosen_.empty() && order_.is_before(unordered_[i])) continue;
      chosen_.push_back(unordered_[i]);
      order_.assume(unordered_[i]);
    }
    for (std::size_t i = 0, k = chosen_.size() - 1; i < k; ++i, --k) {
      const std::uint32_t later = chosen_[i];
      chosen_[i] = chosen_[k];
      chosen_[k] = later;
    }
  }
  /// The note's end, and the fix.
  template <class Out>
  [[gnu::cold]] void suggest_order(Out& out, std::uint32_t node) const {
    std::size_t named = 0;
    bool is_same_scope = chosen_.size() <= max_kept;
    for (const std::uint32_t t : chosen_) {
      if (token_of(t) != no_name) ++named;
      is_same_scope = is_same_scope && order_.relate(t).is_same_scope;
    }
    if (named == 0) {
      out << (chosen_.size() == 1 ? "; give it a token and wait for it"
                                  : "; give each of them a token and wait for it");
      return;
    }
    out << "; deps=[";
    list_tokens(out, max_listed);
    if (unordered_.size() == 1) {
      out << "] or wait(" << c_.d.name(token_of(chosen_[0])) << ") orders the two";
    } else {
      out << (named == chosen_.size() ? "] orders "
                                      : "], and a token for each of the others, order ");
      name(out, node) << " after all of them";
    }
    if (is_same_scope && named == chosen_.size()) fix(out, node);
  }
  [[nodiscard]] std::uint32_t token_of(std::uint32_t task) const noexcept {
    return c_[order_.node_of(task)].value;
  }
  /// The tokens of the chosen tasks.
  template <class Out>
  void list_tokens(Out& out, std::size_t max) const {
    std::size_t listed = 0;
    for (const std::uint32_t t : chosen_) {
      if (token_of(t) == no_name) continue;
      if (listed == max) {
        out << ", ...";
        return;
      }
      out << (listed++ == 0 ? "" : ", ") << c_.d.name(token_of(t));
    }
  }
  /// The tasks of a list but one: their tokens, and how many others there are.
  template <class Out>
  void list_tasks(Out& out, view<std::uint32_t> tasks, std::uint32_t without) const {
    std::size_t listed = 0, others = 0;
    for (const std::uint32_t t : tasks) {
      if (t == without) continue;
      if (token_of(t) == no_name || listed == max_listed) {
        ++others;
        continue;
      }
      out << (listed++ == 0 ? "" : ", ") << c_.d.name(token_of(t));
    }
    if (others == 0) return;
    if (listed != 0) out << " and ";
    out << others << (listed == max_listed ? " more task" : " task") << (others == 1 ? "" : "s");
    if (listed != max_listed) out << " without a token";
  }

  [[gnu::cold]] void rewrite(const access_record& p, const current& q) {
    if (was_reported(reported_rewritten)) return;
    auto&& out = c_.report(errc::nem_haz_003_rewritten, q.t.node);
    const happens_before::relation r = order_.relate(p.task);
    const copy& k = copies_[copy_of_[q.a.task] - 1];
    name(out, q.t.node) << " writes the same data to ";
    bytes(out, k.to_first, k.to_last, q.a.buffer_name);
    out << " in iterations that overlap";
    out.note(c_.at(r.loop)) << "the data doesn't change in the loop over " << c_.name(r.loop)
                            << "; copy it once before the loop";
  }

  void unwritten(const current& q, std::int64_t byte) {
    if (is_partial_ || skips_ != 0 || has_unwritten_ || is_unknown_) return;
    has_unwritten_ = true;
    auto&& out = c_.report(errc::nem_haz_006_unwritten, q.t.node);
    name(out, q.t.node) << " reads ";
    bytes(out, q.a.first, q.a.last, q.a.buffer_name);
    out << ", and no earlier task writes byte " << byte;
  }

  [[gnu::cold]] void check_in_place(const values& v, const nem::task& t) {
    if (t.opcode == opcode::transfer || t.opcode == opcode::store || t.opcode == opcode::unknown)
      return;
    const opcode_category k = row(t.opcode).category;
    const bool in_place =
        k == opcode_category::elementwise_unary || k == opcode_category::elementwise_binary ||
        k == opcode_category::elementwise_other || k == opcode_category::normalization ||
        k == opcode_category::softmax || t.opcode == opcode::reshape;
    for (const operand& o : v.outputs(t)) {
      if (&o != v.outputs(t).begin()) {  // the first is looked at in any case
        order_.spend(t.inputs);
        if (order_.is_exhausted()) return;
      }
      if (o.region == no_index || !is_sound(v, v.regions[o.region])) continue;
      const region& y = v.regions[o.region];
      for (const operand& i : v.inputs(t)) {
        if (i.region == no_index || !is_sound(v, v.regions[i.region])) continue;
        const region& x = v.regions[i.region];
        if (v.buffers[x.buffer].node != v.buffers[y.buffer].node ||
            x.offset >= y.offset + y.extent || y.offset >= x.offset + x.extent)
          continue;
        if (in_place && is_same_place(v, x, y)) continue;
        const access_record a{x.offset, x.offset + x.extent, 0, v.buffers[x.buffer].name};
        const access_record b{y.offset, y.offset + y.extent, 0, a.buffer_name};
        auto&& out = c_.report(errc::nem_haz_004_in_place, o.node);
        out << "the output overlaps an input of its task: ";
        overlap(out, a, b);
        if (in_place) out << "; " << nem::name(t.opcode) << " may only write all of it in place";
        out.note(c_.at(i.node)) << "the input is ";
        bytes(out, a.first, a.last, a.buffer_name);
        return;
      }
    }
  }
  [[nodiscard]] static bool is_same_place(const values& v, const region& x,
                                          const region& y) noexcept {
    if (x.offset != y.offset || x.extent != y.extent || x.has_strides != y.has_strides)
      return false;
    const view<std::int64_t> a = v.strides(x), b = v.strides(y);
    if (a.size() != b.size()) return false;
    if (a.size() > max_rank) return true;  // such operands are refused
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

  /// Whether deps names tokens that aren't known: then the task may be after any other.
  [[nodiscard, gnu::cold]] bool misses_deps(const nem::task& t) {
    for (const std::uint32_t i : children(c_.d, t.node))
      if (c_[i].kind == node_kind::deps) return misses_tokens(i, t.deps);
    return false;
  }
  /// Whether a list names more tokens than are known. Those that it repeats count once.
  [[nodiscard, gnu::cold]] bool misses_tokens(std::uint32_t list, std::size_t known) {
    named_.clear();
    for (const std::uint32_t i : children(c_.d, list))
      if (c_[i].kind == node_kind::name) named_.push_back(c_[i].value);
    if (named_.size() <= known) return false;
    order_.spend(named_.size());
    sort(named_.data(), named_.size(), [](std::uint32_t a, std::uint32_t b) { return a < b; });
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < named_.size(); ++i) distinct += named_[i] != named_[i - 1];
    return distinct > known;
  }

  /// Suggests the chosen tokens in the task's deps: where they are, or after its last operand.
  template <class Out>
  void fix(Out& out, std::uint32_t task) const {
    const bool is_compute = c_[task].kind == node_kind::compute;
    std::uint32_t end = 0;
    bool has_attributes = false, has_decorators = false, is_long = false;
    for (const std::uint32_t i : children(c_.d, task)) {
      const nem::node& n = c_[i];
      switch (n.kind) {
        case node_kind::deps:
          if (n.length < 2 || n.length == 0xffff) return;
          out.fix({0, n.offset + n.length - 1, 0}) << (n.next == i + 1 ? "" : ", ");
          list_tokens(out, max_kept);
          return;
        case node_kind::output:
        case node_kind::destination:
        case node_kind::source:
          for (std::uint32_t k = i; k < n.next; ++k) {
            const std::uint32_t last = c_[k].offset + c_[k].length;
            if (end < last) end = last;
            is_long = is_long || c_[k].length == 0xffff;
          }
          break;
        case node_kind::attribute: has_attributes = true; break;
        case node_kind::decorator: has_decorators = true; break;
        default: break;
      }
    }
    // Decorators after the last operand are the task's only where neither attributes nor deps are.
    if (is_long || (is_compute && has_decorators && !has_attributes)) return;
    out.fix({0, end, 0}) << (is_compute ? " deps=[" : ", deps=[");
    list_tokens(out, max_kept);
    out << ']';
  }

  void end(const nem::task& t) {
    has_ended_ = true;
    c_.report(errc::nem_haz_005_partial, t.node)
        << "the search for hazards stops here, after " << order_.size() << " tasks and "
        << order_.spent() << " steps (verify_options::hazard_steps)";
  }

  context& c_;
  happens_before order_;
  byte_map map_;
  pool<bool> is_written_;  ///< by name of a buffer: whether any task may write it
  pool<packed_access> accesses_;
  pool<wide_access> wide_;
  pool<link> links_;
  std::size_t max_links_ =
      2 * min_links;             ///< at which those that no segment knows of are forgotten
  pool<std::uint32_t> copy_of_;  ///< of each task in iterations that overlap: its copy + 1, or 0
  pool<copy> copies_;
  pool<std::uint32_t> kept_, named_;
  pair first_pair_ = {};           ///< the current task's first race with one of the same path
  pool<std::uint32_t> unordered_;  ///< the tasks of all of them
  pool<std::uint32_t> chosen_;     ///< those that the finding suggests as deps
  pool<loop_state> loops_;
  std::int64_t max_tokens_ = -1;
  std::uint32_t first_beyond_ = no_node;
  std::uint8_t reported_ = 0;      ///< rules that have reported the current task
  bool is_unknown_ = false;        ///< whether the current task may be after any other
  bool is_partial_ = false;        ///< whether iterations were left out
  std::uint32_t overlapping_ = 0;  ///< loops that run whose iterations may overlap
  std::uint32_t skips_ = 0;        ///< loops that run, of which iterations were left out
  bool has_unwritten_ = false;     ///< whether the current access was reported
  bool has_ended_ = false;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_ORDER_HAZARDS_HPP
