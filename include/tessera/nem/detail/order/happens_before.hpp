// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which tasks of a program are complete before another one starts.
//
//   nem::happens_before order;
//   order.issue(node, deps);                 // a task: the one that is asked about from now on
//   if (!order.is_before(earlier)) …         // the two may run in either order
//   order.issued(is_sync);                   // then waits, loops and iterations, as they come
//
//   deps          tasks named there, and all that is before them
//   wait          in one iteration or at the top level: before what follows there; so does .sync
//   iterations    those that @max_in_flight no longer lets overlap with the current one
//   endloop       all tasks of the loop
//
// Nothing else orders tasks. A mark on a task says that it is complete wherever the next one may
// be; an iteration takes its marks back when it ends, for the next iteration need not be after
// those tasks. Only tasks without a mark are searched for along deps, latest first, down to the one
// that is asked about. Tasks are numbered as they are issued, as nem::task::index is. Outside of
// loops marks are for good: the tasks up to the first one without a mark are forgotten from time to
// time.
//
// Lifetime:   owns what it knows; nodes are only remembered.
// Errors:     none.
// Limits:     the steps given to it; then is_exhausted(), and all counts as ordered.
// Allocation: 17 bytes a task that isn't forgotten, 4 for each of its deps, 24 an iteration; of the
//             loop that runs 40 more for each iteration, and 4 for each mark.

#ifndef TESSERA_NEM_DETAIL_ORDER_HAPPENS_BEFORE_HPP
#define TESSERA_NEM_DETAIL_ORDER_HAPPENS_BEFORE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../../core/pool.hpp"
#include "../../../version.hpp"
#include "../../visitor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

class happens_before {
 public:
  [[gnu::cold]] explicit happens_before(std::uint64_t steps = ~std::uint64_t{0})
      : left_(steps), steps_(steps) {
    frames_.push_back({});
    iterations_.push_back({});
  }

  /// Room for so many tasks, with a dependence each.
  void reserve(std::size_t tasks) {
    tasks_.reserve(tasks);
    done_.reserve(tasks);
    seen_.reserve(tasks);
    deps_.reserve(tasks);
  }

  // What a program does, in the order of its text and iteration after iteration.

  void loop(std::uint32_t node, std::int64_t in_flight) {
    frame f;
    f.node = node;
    f.in_flight = in_flight < 1 ? 1 : static_cast<std::uint64_t>(in_flight);
    f.iteration = frames_.back().iteration;
    f.first_window = f.oldest = windows_.size();
    f.first_carried = carried_.size();
    f.log = log_.size();
    f.open = open_.size();
    f.begin = size();
    frames_.push_back(f);
  }
  void iteration(std::int64_t value) {
    if (frames_.size() < 2) return;
    close_iteration();
    frame& f = frames_.back();
    for (; f.oldest < windows_.size() && distance(windows_[f.oldest].value, value) >= f.in_flight;
         ++f.oldest)
      retire(f, f.oldest);
    iteration_record i;
    i.value = value;
    i.parent = frames_[frames_.size() - 2].iteration;
    i.node = f.node;
    i.depth = static_cast<std::uint32_t>(frames_.size() - 1);
    f.iteration = static_cast<std::uint32_t>(iterations_.size());
    iterations_.push_back(i);
    f.is_open = true;
    f.first_task = size();
    f.log = log_.size();
    f.open = open_.size();
    f.live = f.peak = 0;
  }
  void end_loop() {
    if (frames_.size() < 2) return;
    close_iteration();
    frame& f = frames_.back();
    for (; f.oldest < windows_.size(); ++f.oldest) retire(f, f.oldest);
    windows_.resize(f.first_window);
    carried_.resize(f.first_carried);
    open_.resize(f.open);
    frames_.pop_back();
    if (frames_.size() == 1) log_.clear(), followed_ = 0;
  }
  void wait(view<std::uint32_t> tasks) {
    spend(tasks.size());
    for (const std::uint32_t t : tasks)
      if (t < size()) complete(t);
  }
  /// A wait for tokens that aren't known: it may be for all of them.
  void wait_for_all() {
    // Those outside of loops needn't be kept: they are all that were issued before.
    const std::uint32_t outside = frames_.size() > 1 ? frames_[1].begin : size();
    spend(outside + open_.size());
    for (std::uint32_t t = forgotten_; t < outside && !is_exhausted(); ++t) complete(t);
    for (std::size_t i = 0; i < open_.size() && !is_exhausted(); ++i) complete(open_[i]);
  }
  /// A task, which is_before() then speaks of. Deps on tasks that weren't issued count for nothing.
  [[gnu::cold]] void issue(std::uint32_t node, view<std::uint32_t> deps) {
    const std::uint32_t q = size();
    if (frames_.size() == 1) forget();
    tasks_.push_back({node, frames_.back().iteration,
                      forgotten_deps_ + static_cast<std::uint32_t>(deps_.size())});
    done_.push_back(0);
    seen_.push_back(0);
    frontier_.clear();
    for (const std::uint32_t d : deps) {
      spend(1);
      if (d >= q) continue;
      deps_.push_back(d);
      reach(d, q);
    }
    followed_ = log_.size();
  }
  /// What follows that task.
  [[gnu::cold]] void issued(bool is_sync) {
    if (frames_.size() > 1) open_.push_back(size() - 1);
    ++frames_.back().live;
    std::uint64_t live = 0;
    for (std::size_t i = frames_.size(); i-- != 0;) {
      frame& f = frames_[i];
      live += f.live;
      if (f.peak < live) f.peak = live;
      live += f.others;
    }
    spend(frames_.size());
    if (is_sync) complete(size() - 1);
  }

  // What is known.

  /// Whether an earlier task is complete before the one that was issued last starts.
  [[nodiscard]] bool is_before(std::uint32_t p) {
    if (is_complete(p)) return true;
    const std::uint32_t q = size() - 1;
    while (seen(p) != q && !frontier_.empty() && frontier_[0] > p) {
      const std::uint32_t t = take_latest();
      for (std::uint32_t i = of(t).first_dep; i < of(t + 1).first_dep; ++i) {
        spend(1);
        reach(dep(i), q);
      }
      spend(1);
    }
    return seen(p) == q || is_exhausted();
  }
  /// Takes an earlier task as one of the last task's deps, in what is_before() says of that one.
  void assume(std::uint32_t p) { reach(p, size() - 1); }
  /// Whether that is known without a search.
  [[nodiscard]] bool is_plainly_before(std::uint32_t p) const noexcept {
    return is_complete(p) || seen(p) == size() - 1;
  }
  /// Whether a task is complete, whatever follows in the iterations that run.
  [[nodiscard]] bool is_complete(std::uint32_t p) const noexcept {
    return p < forgotten_ || done_[p - forgotten_] != 0;
  }
  /// Tasks that were issued.
  [[nodiscard]] std::uint32_t size() const noexcept {
    return forgotten_ + static_cast<std::uint32_t>(tasks_.size());
  }
  /// Of a task that isn't complete, or in a loop that runs.
  [[nodiscard]] std::uint32_t node_of(std::uint32_t task) const noexcept { return of(task).node; }
  /// An upper bound of the tasks that were at one time issued and not complete.
  [[nodiscard]] std::uint64_t max_live() const noexcept { return frames_[0].peak; }

  /// How the iteration of an earlier task, of which the same holds, is related to that of the last
  /// one.
  struct relation {
    bool is_same_path = true;  ///< the earlier task's iteration still runs
    bool is_same_scope = false;
    std::uint32_t loop = no_node;  ///< the loop whose iterations differ
    std::int64_t earlier = 0, later = 0;
    std::uint64_t in_flight = 1;
  };
  [[nodiscard]] relation relate(std::uint32_t p) const noexcept {
    relation r;
    std::uint32_t i = of(p).iteration;
    r.is_same_scope = i == frames_.back().iteration;
    for (; !is_running(i); i = iterations_[i].parent) {
      const iteration_record& x = iterations_[i];
      r.is_same_path = false;
      r.loop = x.node;
      r.earlier = x.value;
      if (x.depth >= frames_.size()) continue;
      r.later = iterations_[frames_[x.depth].iteration].value;
      r.in_flight = frames_[x.depth].in_flight;
    }
    return r;
  }
  /// Whether that relation is one of different iterations: the short answer.
  [[nodiscard]] bool is_same_path(std::uint32_t p) const noexcept {
    return is_running(of(p).iteration);
  }

  /// Work is counted here, that of who asks too.
  void spend(std::uint64_t steps) noexcept { left_ = left_ > steps ? left_ - steps : 0; }
  [[nodiscard]] bool is_exhausted() const noexcept { return left_ == 0; }
  [[nodiscard]] std::uint64_t spent() const noexcept { return steps_ - left_; }

 private:
  struct task_record {
    std::uint32_t node, iteration, first_dep;
  };
  struct iteration_record {
    std::int64_t value = 0;
    std::uint32_t parent = 0, node = no_node, depth = 0;
  };
  /// An iteration that ended, and may still run.
  struct window {
    std::int64_t value;
    std::uint32_t first_task, last_task;
    std::size_t first_carried, last_carried;  ///< tasks of outer iterations before one of its tasks
    std::uint64_t peak;
  };
  /// The program, or a loop that runs and its current iteration.
  struct frame {
    std::uint32_t node = no_node;
    std::uint32_t iteration = 0;
    std::uint32_t first_task = 0;  ///< of the iteration
    std::uint32_t begin = 0;       ///< how many tasks were issued before the loop
    bool is_open = false;
    std::uint64_t in_flight = 1;
    std::size_t first_window = 0, oldest = 0, first_carried = 0;
    std::size_t log = 0, open = 0;     ///< where those of the iteration begin
    std::uint64_t live = 0, peak = 0;  ///< of the iteration
    std::uint64_t others = 0;          ///< peaks of the iterations that may still run
  };

  // Of tasks and deps that aren't forgotten.
  [[nodiscard]] const task_record& of(std::uint32_t task) const noexcept {
    return tasks_[task - forgotten_];
  }
  [[nodiscard]] std::uint32_t seen(std::uint32_t task) const noexcept {
    return seen_[task - forgotten_];
  }
  [[nodiscard]] std::uint32_t dep(std::uint32_t i) const noexcept {
    return deps_[i - forgotten_deps_];
  }
  template <class T>
  static void drop(pool<T>& from, std::uint32_t count) noexcept {
    std::memmove(from.data(), from.data() + count, (from.size() - count) * sizeof(T));
    from.shrink(from.size() - count);
  }
  static constexpr std::uint32_t min_forgotten = 64;
  /// Forgets complete tasks, once they are most: what is kept is moved no more often than that.
  void forget() {
    while (complete_ < size() && is_complete(complete_)) ++complete_;
    const std::uint32_t tasks = complete_ - forgotten_;
    if (tasks < min_forgotten || tasks < tasks_.size() / 2) return;
    const std::uint32_t deps = complete_ < size() ? of(complete_).first_dep - forgotten_deps_
                                                  : static_cast<std::uint32_t>(deps_.size());
    drop(tasks_, tasks);
    drop(done_, tasks);
    drop(seen_, tasks);
    drop(deps_, deps);
    forgotten_ += tasks;
    forgotten_deps_ += deps;
  }

  [[nodiscard]] static std::uint64_t distance(std::int64_t from, std::int64_t to) noexcept {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  }
  [[nodiscard]] bool is_running(std::uint32_t iteration) const noexcept {
    const std::uint32_t depth = iterations_[iteration].depth;
    return depth < frames_.size() && frames_[depth].iteration == iteration;
  }
  /// Where the task counts as live, or null.
  [[nodiscard]] frame* home(std::uint32_t task) noexcept {
    const std::uint32_t i = of(task).iteration;
    return is_running(i) ? &frames_[iterations_[i].depth] : nullptr;
  }

  /// Marks a task and all before it.
  [[gnu::cold]] void complete(std::uint32_t task) {
    if (is_complete(task)) return;
    mark(task);
    for (stack_.push_back(task); !stack_.empty();) {
      const std::uint32_t t = stack_.back();
      stack_.pop_back();
      const std::uint32_t last = t + 1 < size()
                                     ? of(t + 1).first_dep
                                     : forgotten_deps_ + static_cast<std::uint32_t>(deps_.size());
      for (std::uint32_t i = of(t).first_dep; i < last; ++i) {
        const std::uint32_t d = dep(i);
        spend(1);
        if (is_complete(d)) continue;
        mark(d);
        stack_.push_back(d);
      }
    }
  }
  void mark(std::uint32_t t) {
    spend(1);
    done_[t - forgotten_] = 1;
    if (frames_.size() > 1) log_.push_back(t);
    if (frame* const f = home(t); f != nullptr) --f->live;
  }
  void unmark(std::uint32_t t) noexcept {
    spend(1);
    done_[t - forgotten_] = 0;
    if (frame* const f = home(t); f != nullptr) ++f->live;
  }
  /// All of an iteration that ended precedes what follows in its loop, and after it.
  void retire(frame& f, std::size_t index) {
    const window w = windows_[index];
    const std::size_t marks = log_.size();
    for (std::uint32_t t = w.first_task; t < w.last_task && !is_exhausted(); ++t) complete(t);
    for (std::size_t i = w.first_carried; i < w.last_carried; ++i) complete(carried_[i]);
    spend(w.last_task - w.first_task);
    f.others -= w.peak;
    if (log_.size() != marks) followed_ = log_.size();
  }
  [[gnu::cold]] void close_iteration() {
    frame& f = frames_.back();
    if (!f.is_open) return;
    f.is_open = false;
    if (f.in_flight == 1) {
      // Its tasks are before all that follows. So are marks that one of them follows; the others
      // are those of a wait at its end, which orders nothing but what follows in the iteration.
      const std::size_t kept = followed_ > f.log ? followed_ : f.log;
      for (std::size_t i = kept; i < log_.size(); ++i) unmark(log_[i]);
      log_.resize(kept);
      for (std::size_t i = f.open; i < open_.size(); ++i) complete(open_[i]);
      if (size() != f.first_task) followed_ = log_.size();
    } else {
      window w{iterations_[f.iteration].value, f.first_task, size(), carried_.size(), 0, f.peak};
      for (std::size_t i = f.log; i < log_.size(); ++i) {
        if (i < followed_ && log_[i] < f.first_task) carried_.push_back(log_[i]);
        unmark(log_[i]);
      }
      log_.resize(f.log);
      if (followed_ > f.log) followed_ = f.log;
      w.last_carried = carried_.size();
      f.others += f.peak;
      windows_.push_back(w);
    }
    open_.resize(f.open);
  }

  /// `d` is before the last task, as is what is before `d`.
  void reach(std::uint32_t d, std::uint32_t q) {
    if (is_plainly_before(d)) return;
    seen_[d - forgotten_] = q;
    std::size_t i = frontier_.size();
    frontier_.push_back(d);
    for (; i != 0 && frontier_[(i - 1) / 2] < d; i = (i - 1) / 2)
      frontier_[i] = frontier_[(i - 1) / 2];
    frontier_[i] = d;
  }
  /// Takes the latest task off the frontier, a heap.
  [[nodiscard]] std::uint32_t take_latest() noexcept {
    const std::uint32_t top = frontier_[0], moved = frontier_.back();
    frontier_.pop_back();
    const std::size_t count = frontier_.size();
    std::size_t i = 0;
    for (std::size_t c = 1; c < count; c = 2 * i + 1) {
      if (c + 1 < count && frontier_[c + 1] > frontier_[c]) ++c;
      if (frontier_[c] <= moved) break;
      frontier_[i] = frontier_[c];
      i = c;
    }
    if (count != 0) frontier_[i] = moved;
    return top;
  }

  pool<task_record> tasks_;
  pool<std::uint8_t> done_;
  pool<std::uint32_t> seen_;  ///< the last task that is known to follow it; 0: none
  pool<std::uint32_t> deps_;
  std::uint32_t forgotten_ = 0, forgotten_deps_ = 0;  ///< those before the first of the pools
  std::uint32_t complete_ = 0;  ///< tasks, from the first on, that are complete for good
  pool<iteration_record> iterations_;
  pool<frame> frames_;
  pool<window> windows_;
  pool<std::uint32_t> carried_;
  pool<std::uint32_t> log_;   ///< tasks that were marked inside of loops, to be unmarked
  std::size_t followed_ = 0;  ///< those of `log_` that a task followed
  pool<std::uint32_t> open_;  ///< tasks of iterations that run, without those of inner loops
  pool<std::uint32_t> frontier_, stack_;
  std::uint64_t left_, steps_;
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_ORDER_HAPPENS_BEFORE_HPP
