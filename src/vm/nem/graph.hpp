// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The dependencies of each task, as a program is expanded and executed.
//
//   task_graph g;
//   const auto ready = [&](const task_graph::ready_task& t) { waiting.push_back(t); };
//   g.loop(2); g.iteration(ready);                         // as nem::visitor is called
//   g.issue(v.tasks_before(t), t.mode == mode::sync, ready);
//   g.complete(waiting.back(), end, ready);                // when it was executed
//
// A task waits for its deps and for its gate: what everything after a wait, a .sync task, an
// endloop or the start of an iteration follows. Gates complete by themselves, with the last of
// what they wait for.
//
//   start of iteration i   what the loop comes after, and the end of iteration i - N (max_in_flight)
//   end of iteration i     all its tasks, and the end of iteration i - 1: they retire in order
//   endloop                the end of the last iteration
//   wait                   its tokens, and the gate before it
//   issue of a task        its gate, and a token, where their number is limited
//
// Tasks are numbered as they are issued, as nem::task::index is.
//
// Lifetime:   owns its data.
// Errors:     none.
// Limits:     2^32 - 2 tasks and gates.
// Allocation: 20 bytes for each task and 16 for each gate; 40 for each incomplete one, and 12 for
//             each of its dependencies.

#ifndef TESSERA_VM_NEM_GRAPH_HPP
#define TESSERA_VM_NEM_GRAPH_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "tensor.hpp"
#include "tessera/vm/nem_timing.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

class task_graph {
 public:
  using ready_task = nem::ready_task;

  /// With a limit of tokens, grant() issues tasks; without one, they are issued as gates open.
  explicit task_graph(std::uint64_t max_tokens = 0) : max_tokens_(max_tokens) {
    frames_.emplace_back();
  }

  // The events of a program, in the order of its text. `ready` is called with tasks that may start.

  void loop(std::int64_t in_flight) {
    frame f;
    f.in_flight = in_flight < 1 ? 1 : static_cast<std::uint64_t>(in_flight);
    f.entry = f.gate = frames_.back().gate;
    frames_.push_back(std::move(f));
  }
  template <class Ready>
  void iteration(Ready&& ready) {
    frame& f = frames_.back();
    end_iteration(ready);
    const std::uint32_t start = add(none);
    after(start, f.entry, inherited, true);
    if (f.ends.size() == f.in_flight) {
      after(start, f.ends.front(), cause::window, true);
      f.ends.pop_front();
    }
    f.gate = start;
    f.is_open = true;
    close(start, ready);
  }
  template <class Ready>
  void end_loop(Ready&& ready) {
    end_iteration(ready);
    const std::uint32_t last = frames_.back().ends.empty() ? none : frames_.back().ends.back();
    frames_.pop_back();
    frame& f = frames_.back();
    const std::uint32_t end = add(none);
    after(end, f.gate, inherited, true);
    after(end, last, cause::loop_end, true);
    f.gate = end;
    if (frames_.size() > 1) f.members.push_back(end);
    close(end, ready);
  }
  template <class Ready>
  void wait(view<std::uint32_t> tasks, Ready&& ready) {
    frame& f = frames_.back();
    const std::uint32_t gate = add(none);
    after(gate, f.gate, inherited, true);
    for (const std::uint32_t t : tasks) after(gate, event_of_[t], cause::wait, true);
    f.gate = gate;
    close(gate, ready);
  }
  /// The next task; returns its index. `slot` is the caller's: where it keeps the task.
  template <class Ready>
  std::uint32_t issue(view<std::uint32_t> deps, bool is_sync, Ready&& ready,
                      std::uint32_t slot = 0) {
    frame& f = frames_.back();
    const auto task = static_cast<std::uint32_t>(event_of_.size());
    std::uint32_t gate = f.gate;
    if (max_tokens_ != 0) {
      gate = add(none);
      nodes_[events_[gate].node].token_of = task;
      after(gate, f.gate, inherited, true);
    }
    const std::uint32_t e = add(task, slot);
    event_of_.push_back(e);
    after(e, gate, inherited, true);
    if (max_tokens_ != 0) close(gate, ready);
    for (const std::uint32_t d : deps) after(e, event_of_[d], cause::deps, false);
    if (frames_.size() > 1) f.members.push_back(e);
    if (is_sync) {
      events_[e].why = cause::sync;
      f.gate = e;
    }
    close(e, ready);
    return task;
  }

  /// A task is complete, at a time not before its start.
  template <class Ready>
  void complete(std::uint32_t task, std::uint64_t end, Ready&& ready) {
    if (max_tokens_ != 0) ends_.push(end);
    finish(event_of_[task], end);
    open_finished(ready);
  }
  /// Issues the next task that waits for a token; false where that isn't known before `until`, when
  /// the first of the tasks that may start does.
  template <class Ready>
  bool grant(std::uint64_t until, Ready&& ready) {
    if (waiting_.empty() || waiting_.top().time > until) return false;
    const turn t = waiting_.top();
    for (; !ends_.empty() && ends_.top() <= t.time; ends_.pop()) --live_;
    std::uint64_t time = t.time;
    if (live_ >= max_tokens_) {
      if (ends_.empty() || ends_.top() > until) return false;
      time = ends_.top();
      ends_.pop();
      --live_;
    }
    waiting_.pop();
    ++live_;
    event& issue = events_[t.event];
    issue.why = time > t.time ? cause::tokens : nodes_[issue.node].why;
    nodes_[events_[event_of_[t.task]].node].held = time - t.time;
    finish(t.event, time);
    open_finished(ready);
    return true;
  }
  /// Tasks that were issued, and those that are complete.
  [[nodiscard]] std::uint32_t issued() const noexcept {
    return static_cast<std::uint32_t>(event_of_.size());
  }
  [[nodiscard]] std::uint32_t completed() const noexcept { return completed_; }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  /// Of an edge: the cause that its origin waited for.
  static constexpr cause inherited = cause::none;
  static constexpr std::uint64_t pending = ~std::uint64_t{0};

  /// A task or a gate.
  struct event {
    std::uint64_t end = pending;
    std::uint32_t node = none;  ///< until it is complete
    cause why = cause::none;    ///< what the tasks after it wait for
  };
  /// An incomplete task or gate.
  struct node {
    std::uint32_t event, task;
    std::uint32_t waits_for;   ///< how many
    std::uint32_t first_edge;  ///< to those that wait for it
    std::uint64_t issued, time;
    std::uint32_t slot;
    cause why;
    std::uint32_t token_of;  ///< the task that it issues, where tokens are limited
    std::uint64_t held;      ///< how long a task waited for a token
  };
  /// A task that waits for a token, in the order in which they are issued.
  struct turn {
    std::uint64_t time;  ///< when its gate opened
    std::uint32_t task, event;
    friend bool operator>(const turn& a, const turn& b) noexcept {
      return std::tie(a.time, a.task) > std::tie(b.time, b.task);
    }
  };
  struct edge {
    std::uint32_t to, next;
    cause why;
    bool is_gate;
  };
  /// The program, or a loop and its current iteration.
  struct frame {
    std::uint64_t in_flight = 1;
    std::uint32_t entry = none, gate = none;
    bool is_open = false;
    std::vector<std::uint32_t> members;  ///< tasks and inner loops of the iteration
    std::deque<std::uint32_t> ends;      ///< of the last `in_flight` iterations
  };

  std::uint32_t add(std::uint32_t task, std::uint32_t slot = 0) {
    const auto e = static_cast<std::uint32_t>(events_.size());
    std::uint32_t n = free_node_;
    if (n == none) {
      n = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
    } else {
      free_node_ = nodes_[n].first_edge;
    }
    nodes_[n] = {e, task, 1, none, 0, 0, slot, cause::none, none, 0};
    events_.push_back({pending, n, cause::none});
    return e;
  }
  void after(std::uint32_t e, std::uint32_t before, cause why, bool is_gate) {
    if (before == none) return;
    const event& b = events_[before];
    const std::uint32_t n = events_[e].node;
    if (b.end != pending) {
      arrive(nodes_[n], b, why, is_gate);
      return;
    }
    std::uint32_t i = free_edge_;
    if (i == none) {
      i = static_cast<std::uint32_t>(edges_.size());
      edges_.emplace_back();
    } else {
      free_edge_ = edges_[i].next;
    }
    edges_[i] = {n, nodes_[b.node].first_edge, why, is_gate};
    nodes_[b.node].first_edge = i;
    ++nodes_[n].waits_for;
  }
  static void arrive(node& n, const event& from, cause why, bool is_gate) noexcept {
    if (from.end > n.time) {
      n.time = from.end;
      n.why = why == inherited ? from.why : why;
    }
    if (is_gate && from.end > n.issued) n.issued = from.end;
  }
  template <class Ready>
  void close(std::uint32_t e, Ready&& ready) {
    const std::uint32_t n = events_[e].node;
    if (--nodes_[n].waits_for == 0) open(n, ready);
    open_finished(ready);
  }
  template <class Ready>
  void open_finished(Ready&& ready) {
    while (!finished_.empty()) {
      const std::uint32_t n = finished_.back();
      finished_.pop_back();
      open(n, ready);
    }
  }
  /// A node has no dependency left.
  template <class Ready>
  void open(std::uint32_t n, Ready&& ready) {
    const node& x = nodes_[n];
    if (x.task != none) {
      ready(ready_task{x.task, x.issued, x.time, x.why, x.slot, x.held});
      return;
    }
    if (x.token_of != none) {
      waiting_.push({x.time, x.token_of, x.event});
      return;
    }
    events_[x.event].why = x.why;
    finish(x.event, x.time);
  }
  void finish(std::uint32_t e, std::uint64_t end) {
    event& x = events_[e];
    x.end = end;
    const std::uint32_t n = x.node;
    x.node = none;
    completed_ += nodes_[n].task != none;
    std::uint32_t last = none;
    for (std::uint32_t i = nodes_[n].first_edge; i != none; i = edges_[i].next) {
      node& to = nodes_[edges_[i].to];
      arrive(to, x, edges_[i].why, edges_[i].is_gate);
      if (--to.waits_for == 0) finished_.push_back(edges_[i].to);
      last = i;
    }
    if (last != none) {
      edges_[last].next = free_edge_;
      free_edge_ = nodes_[n].first_edge;
    }
    nodes_[n].first_edge = free_node_;
    free_node_ = n;
  }
  template <class Ready>
  void end_iteration(Ready&& ready) {
    frame& f = frames_.back();
    if (!f.is_open) return;
    f.is_open = false;
    const std::uint32_t end = add(none);
    after(end, f.gate, inherited, true);
    if (!f.ends.empty()) after(end, f.ends.back(), cause::loop_end, true);
    for (const std::uint32_t m : f.members) after(end, m, cause::loop_end, true);
    f.members.clear();
    f.ends.push_back(end);
    close(end, ready);
  }

  std::vector<event> events_;
  std::vector<std::uint32_t> event_of_;  ///< of tasks
  std::vector<node> nodes_;
  std::vector<edge> edges_;
  std::vector<frame> frames_;
  std::vector<std::uint32_t> finished_;  ///< nodes that wait for nothing any more
  std::uint32_t free_node_ = none, free_edge_ = none;
  std::uint32_t completed_ = 0;

  template <class T>
  using earliest_first = std::priority_queue<T, std::vector<T>, std::greater<T>>;
  std::uint64_t max_tokens_;
  std::uint64_t live_ = 0;              ///< tokens of issued tasks, without those that were freed
  earliest_first<std::uint64_t> ends_;  ///< of complete tasks whose tokens count as live
  earliest_first<turn> waiting_;
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_GRAPH_HPP
