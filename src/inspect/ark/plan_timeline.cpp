// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/ark/plan_timeline.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "inspect/chrome_trace.hpp"
#include "tessera/inspect/ark/cost.hpp"
#include "tessera/inspect/ark/flow.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

/// The first operation of each task in plan_model(), which has tasks by their Ids.
[[nodiscard]] std::vector<std::uint32_t> first_operations(const ark::plan& p) {
  std::vector<std::uint32_t> order(p.tasks.size()), out(p.tasks.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&p](std::uint32_t a, std::uint32_t b) {
    return p.tasks[a].id < p.tasks[b].id;
  });
  std::uint32_t next = 0;
  for (const std::uint32_t t : order) {
    out[t] = next;
    next += p.tasks[t].ops.count;
  }
  return out;
}

/// How long a tile of each task takes.
[[nodiscard]] std::vector<std::uint64_t> times_of_tiles(const ark::plan& p) {
  constexpr std::uint64_t longest = std::uint64_t{1} << 32;
  std::vector<std::uint64_t> out;
  for (const ark::plan_task& t : p.tasks) {
    const view<ark::op> ops = operations(p, t);
    const view<ark::plan_config> how = configs(p, t);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const cost c = cost_of(p.parts, ops[i]);
      const std::uint64_t work = saturating_add(c.flops, saturating_add(c.read, c.written));
      const std::uint64_t parts =
          saturating_mul(static_cast<std::uint64_t>(std::max<std::int64_t>(how[i].num_tasks, 1)),
                         static_cast<std::uint64_t>(std::max<std::int64_t>(t.num_warps, 1)));
      sum += std::clamp<std::uint64_t>(work / parts + (work % parts != 0 ? 1 : 0), 1, longest);
    }
    out.push_back(std::clamp<std::uint64_t>(sum, 1, longest));
  }
  return out;
}

}  // namespace

/// Time goes on by processor; within a processor group by warp.
class plan_timeline::scheduler {
 public:
  scheduler(plan_timeline& to, const ark::plan& p, std::uint64_t work)
      : to_(to), p_(p), left_(work), times_(times_of_tiles(p)) {
    for (std::uint32_t t = 0; t < p.tasks.size(); ++t) tasks_.try_emplace(p.tasks[t].id, t);
  }

  void run() {
    for (const ark::processor_group& g : p_.processor_groups) {
      if (g.processors.count() == 0) continue;
      wait_for_earlier(g.processors);
      slots warps;
      for (const ark::resource_group& r : resource_groups(p_, g)) resources(r, warps);
      for (const auto& [place, end] : warps)
        processors_[place.first] = std::max(moment_of(place.first), end);
      unsynced_.push_back(g.processors);
      if (!to_.complete_) break;
    }
    std::sort(to_.runs_.begin(), to_.runs_.end(), [](const plan_run& a, const plan_run& b) {
      return std::tie(a.start, a.processor, a.warp) < std::tie(b.start, b.processor, b.warp);
    });
    for (const plan_run& r : to_.runs_) to_.end_ = std::max(to_.end_, r.end);
  }

 private:
  /// A time, and what ended then.
  struct moment {
    std::uint64_t at = 0;
    std::uint32_t task = ark::none;
    std::int64_t processor = 0;
    [[nodiscard]] bool operator<(const moment& other) const noexcept { return at < other.at; }
  };
  using slots = std::map<std::pair<std::int64_t, std::int64_t>, moment>;  // processor and warp

  [[nodiscard]] bool spend(std::uint64_t work) {
    if (work > left_) to_.complete_ = false;
    left_ -= std::min(left_, work);
    return to_.complete_;
  }

  /// Waits on all processors of earlier groups that share some with this one, and on its own.
  void wait_for_earlier(const ark::plan_range& own) {
    bool waits = false;
    std::vector<ark::plan_range> left;
    for (const ark::plan_range& range : unsynced_) {
      const bool shares = range.begin < own.end && own.begin < range.end;
      if (!shares) {
        left.push_back(range);
        continue;
      }
      if (!range.inside(own)) wait_together(range);
      waits = waits || range.inside(own) || !own.inside(range);
    }
    unsynced_ = std::move(left);
    if (waits) wait_together(own);
  }
  void wait_together(const ark::plan_range& range) {
    if (!spend(static_cast<std::uint64_t>(range.count()))) return;
    moment last;
    const auto begin = processors_.lower_bound(range.begin);
    const auto end = processors_.lower_bound(range.end);
    for (auto at = begin; at != end; ++at) last = std::max(last, at->second);
    for (std::int64_t processor = range.begin; processor < range.end; ++processor)
      processors_[processor] = last;
  }
  [[nodiscard]] moment moment_of(std::int64_t processor) const {
    const auto at = processors_.find(processor);
    return at == processors_.end() ? moment{} : at->second;
  }

  void resources(const ark::resource_group& r, slots& warps) {
    std::int64_t first_processor = 0;  // of the next task group, from the range's begin on
    for (const ark::task_group& t : task_groups(p_, r)) {
      const auto task = tasks_.find(t.task_id);
      if (task == tasks_.end() || r.processors.count() == 0 || t.granularity < 1) continue;
      tiles(r, t, task->second, first_processor, warps);
      const std::int64_t chunks = (t.tasks.count() - 1) / t.granularity + 1;
      if (t.tasks.count() > 0)
        first_processor = (first_processor + chunks % r.processors.count()) % r.processors.count();
      if (!to_.complete_) break;
    }
  }

  void tiles(const ark::resource_group& r, const ark::task_group& t, std::uint32_t task,
             std::int64_t first_processor, slots& warps) {
    const ark::plan_task& what = p_.tasks[task];
    const std::int64_t width = std::max<std::int64_t>(what.num_warps, 1);
    std::int64_t at_once = std::max<std::int64_t>(r.warps.count() / width, 1);
    if (what.sram_bytes > 0)
      at_once = std::max<std::int64_t>(std::min(at_once, r.sram.count() / what.sram_bytes), 1);
    const std::int64_t processors = r.processors.count();
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> open;  // the runs of this group
    for (std::int64_t i = 0; i < t.tasks.count(); ++i) {
      if (!spend(1 + static_cast<std::uint64_t>(width))) return;
      const std::int64_t chunk = i / t.granularity;
      const std::int64_t sequence = chunk / processors * t.granularity + i % t.granularity;
      const std::int64_t processor =
          r.processors.begin + (first_processor + chunk % processors) % processors;
      const std::int64_t warp = r.warps.begin + sequence % at_once * width;
      const auto [run, is_first] = open.try_emplace({processor, warp}, to_.runs_.size());
      if (is_first) begin(task, processor, warp, t.tasks.begin + i, warps);
      plan_run& of = to_.runs_[run->second];
      ++of.tiles;
      of.end += times_[task];
    }
    for (const auto& [place, run] : open)
      for (std::int64_t w = 0; w < width; ++w) {
        const std::pair warp{place.first, place.second + w};
        warps[warp] = {to_.runs_[run].end, task, place.first};
        last_ends_[warp] = to_.runs_[run].end;
      }
  }
  void begin(std::uint32_t task, std::int64_t processor, std::int64_t warp, std::int64_t tile,
             const slots& warps) {
    const auto end_of = [&](std::int64_t w) {
      const auto at = warps.find({processor, w});
      return at == warps.end() ? moment_of(processor) : at->second;
    };
    moment start = end_of(warp);
    for (std::int64_t w = 1; w < p_.tasks[task].num_warps; ++w)
      start = std::max(start, end_of(warp + w));
    plan_run r;
    r.task = task;
    r.processor = processor;
    r.warp = warp;
    r.first_tile = tile;
    r.start = r.end = start.at;
    const auto last = last_ends_.find({processor, warp});
    r.waited = start.at - (last == last_ends_.end() ? 0 : last->second);
    if (r.waited != 0) {
      r.waited_task = start.task;
      r.waited_processor = start.processor;
    }
    to_.runs_.push_back(r);
  }

  plan_timeline& to_;
  const ark::plan& p_;
  std::uint64_t left_;
  std::vector<std::uint64_t> times_;             // by task
  std::map<std::int64_t, std::uint32_t> tasks_;  // by Id
  std::map<std::int64_t, moment> processors_;    // when each is free
  std::vector<ark::plan_range> unsynced_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> last_ends_;
};

plan_timeline::plan_timeline(const ark::plan& p, std::uint64_t max_work) {
  scheduler(*this, p, max_work).run();
}

namespace {

/// One rank of a trace.
class plan_trace {
 public:
  plan_trace(chrome_trace& out, const ark::plan& p, std::uint32_t place, std::uint64_t work)
      : out_(out),
        p_(p),
        process_(place + 1),
        node_prefix_('r' + std::to_string(place) + "_op"),
        has_lines_(place == 0),
        first_(first_operations(p)),
        timeline_(p, work) {}

  /// Whether all of it was written.
  [[nodiscard]] bool write() {
    out_.name_process(process_, "rank " + std::to_string(p_.parts.rank));
    name_rows();
    for (const plan_run& r : timeline_.runs()) run(r);
    tile_memory();
    buffers();
    return timeline_.complete();
  }

 private:
  void name_rows() {
    for (const plan_run& r : timeline_.runs()) rows_.try_emplace({r.processor, r.warp}, 0);
    std::uint32_t next = 0;
    for (auto& [place, thread] : rows_) {
      thread = ++next;
      out_.name_thread(process_, thread,
                       "processor " + std::to_string(place.first) +
                           (place.second == 0 ? "" : ", warp " + std::to_string(place.second)));
    }
  }

  void run(const plan_run& r) {
    const ark::plan_task& task = p_.tasks[r.task];
    std::string name = "task " + std::to_string(task.id);
    for (const ark::op& o : operations(p_, task)) {
      name.append(" ").append(type_name(p_.parts, o));
      if (name.size() > 40) break;
    }
    const std::string node = node_prefix_ + std::to_string(first_[r.task]);
    const std::string cause = r.waited_task == ark::none
                                  ? "none"
                                  : "task " + std::to_string(p_.tasks[r.waited_task].id) +
                                        " on processor " + std::to_string(r.waited_processor);
    std::vector<chrome_trace::argument> more{{"task", task.id}, {"node", node}};
    if (has_lines_) more.push_back({"line", std::uint64_t{r.task} + 2});  // after the title, from 1
    const chrome_trace::argument last[] = {
        {"first tile", r.first_tile}, {"tiles", r.tiles},    {"warps", task.num_warps},
        {"memory", task.sram_bytes},  {"waited for", cause}, {"waited", r.waited}};
    for (const chrome_trace::argument& a : last) more.push_back(a);
    out_.span_with(process_, rows_.at({r.processor, r.warp}), static_cast<double>(r.start),
                   static_cast<double>(r.end - r.start), {name, "task"}, more);
  }

  /// Changes of a sum, by time.
  using changes = std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>>;  // more, less
  void counter(const changes& all, std::string_view name, std::uint64_t value) {
    for (const auto& [at, change] : all) {
      value = saturating_add(value - std::min(value, change.second), change.first);
      out_.counter(process_, static_cast<double>(at), name, "bytes", value);
    }
  }
  static void add(changes& to, std::uint64_t from, std::uint64_t until, std::uint64_t bytes) {
    to[from].first = saturating_add(to[from].first, bytes);
    to[until].second = saturating_add(to[until].second, bytes);
  }
  void tile_memory() {
    changes all;
    for (const plan_run& r : timeline_.runs())
      if (const std::int64_t bytes = p_.tasks[r.task].sram_bytes; bytes > 0)
        add(all, r.start, r.end, static_cast<std::uint64_t>(bytes));
    counter(all, "memory of tiles", 0);
  }

  void buffers() {
    const ark::model g = plan_model(p_);
    const flow f(g);
    struct life {
      std::uint64_t first = UINT64_MAX, last = 0;
    };
    std::vector<life> tasks(p_.tasks.size()), lives(f.storages().size());
    for (const plan_run& r : timeline_.runs()) {
      tasks[r.task].first = std::min(tasks[r.task].first, r.start);
      tasks[r.task].last = std::max(tasks[r.task].last, r.end);
    }
    for (std::size_t t = 0; t < tasks.size(); ++t)
      for (std::uint32_t i = 0; i < p_.tasks[t].ops.count; ++i)
        for (const std::uint32_t tensor : uses(g, g.ops[first_[t] + i])) {
          life& of = lives[f.storage_of_tensor(tensor)];
          of.first = std::min(of.first, tasks[t].first);
          of.last = std::max(of.last, tasks[t].last);
        }
    for (const auto* ends : {&f.inputs(), &f.outputs()})
      for (const std::uint32_t tensor : *ends)
        lives[f.storage_of_tensor(tensor)] = {0, timeline_.end()};
    changes all;
    for (std::size_t s = 0; s < lives.size(); ++s) {
      const storage& of = f.storages()[s];
      if (!of.is_local) continue;
      if (of.is_external || of.filled_by_peers) lives[s] = {0, timeline_.end()};
      if (lives[s].first < lives[s].last) add(all, lives[s].first, lives[s].last, of.bytes);
    }
    counter(all, "live bytes of buffers", 0);
  }

  chrome_trace& out_;
  const ark::plan& p_;
  std::uint32_t process_;
  std::string node_prefix_;
  bool has_lines_;
  std::vector<std::uint32_t> first_;
  plan_timeline timeline_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> rows_;
};

}  // namespace

void append_trace(text& out, std::span<const ark::plan* const> ranks, std::uint64_t max_work) {
  chrome_trace trace(out);
  bool is_complete = true;
  for (std::uint32_t r = 0; r < ranks.size(); ++r)
    is_complete = plan_trace(trace, *ranks[r], r, max_work).write() && is_complete;
  trace.finish({{"time", std::string_view("1 us is an operation or a byte of one warp; ranks don't "
                                          "wait for each other")},
                {"complete", std::string_view(is_complete ? "yes" : "no")}});
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
