// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The tasks that may start, and which of them is next.
//
//   ready_tasks ready(order::random, seed);
//   ready.push(task, node);                          // as task_graph calls its `ready`
//   while (!ready.empty()) execute(ready.pop());
//
//   last_of_text    the largest node, of its executions the largest index
//   random          any one, by the seed: the same everywhere
//   earliest        the smallest time, of those the smallest node, then the smallest index
//
// Lifetime:   owns what it knows.
// Errors:     none.
// Limits:     none.
// Allocation: 32 bytes for each task.

#ifndef TESSERA_VM_NEM_READY_TASKS_HPP
#define TESSERA_VM_NEM_READY_TASKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "graph.hpp"
#include "io/random.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

class ready_tasks {
 public:
  enum class order : std::uint8_t { last_of_text, random, earliest };

  explicit ready_tasks(order by, std::uint64_t seed = 0) noexcept : order_(by), state_(seed) {}

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  /// The time of the next one, where that is the earliest.
  [[nodiscard]] std::uint64_t first_time() const noexcept { return entries_.front().task.time; }
  void push(const task_graph::ready_task& t, std::uint32_t node) {
    entries_.push_back({t, node});
    if (order_ != order::random) std::push_heap(entries_.begin(), entries_.end(), compare());
  }
  template <class F>
  void each(F&& f) const {
    for (const entry& e : entries_) f(e.task);
  }
  [[nodiscard]] task_graph::ready_task pop() {
    if (order_ == order::random)
      std::swap(entries_[static_cast<std::size_t>(io::next_bits(state_) % entries_.size())],
                entries_.back());
    else
      std::pop_heap(entries_.begin(), entries_.end(), compare());
    const task_graph::ready_task t = entries_.back().task;
    entries_.pop_back();
    return t;
  }

 private:
  struct entry {
    task_graph::ready_task task;
    std::uint32_t node;
  };
  /// Whether a comes later than b.
  struct comes_after {
    order by;
    [[nodiscard]] bool operator()(const entry& a, const entry& b) const noexcept {
      if (by == order::last_of_text)
        return std::tie(a.node, a.task.task) < std::tie(b.node, b.task.task);
      return std::tie(a.task.time, a.node, a.task.task) >
             std::tie(b.task.time, b.node, b.task.task);
    }
  };
  [[nodiscard]] comes_after compare() const noexcept { return {order_}; }

  order order_;
  std::uint64_t state_;
  std::vector<entry> entries_;
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_READY_TASKS_HPP
