// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Plans: how a machine runs a model. Operations cut into tiles, and who computes them.
//
//   auto plan = ark::read_plan(source);
//   if (!plan) return fail(describe(plan.error(), source));
//   for (const ark::plan_task& t : plan->tasks)
//     for (std::uint32_t i = 0; i < t.ops.count; ++i)
//       use(t.id, plan->parts.ops[t.ops.first + i], plan->configs[t.ops.first + i].num_tasks);
//
//   plan             Rank WorldSize [Architecture] NumProcessors NumWarpsPerProcessor TaskInfos
//                    ProcessorGroups
//   task             Id NumWarps SramBytes Ops: operations of the model, each with its Config
//   Config           NumWarps SramBytes NumTasks [Tile TileShapeMNK ImplType ChannelType …]
//   processor group  ProcessorRange ResourceGroups
//   resource group   ProcessorRange WarpRange SramRange TaskGroups
//   task group       TaskId TaskRange Granularity
//   range            [begin, end] or [begin, end, step]; `end` is behind the last
//
// Architecture is absent in older files and stands behind NumWarpsPerProcessor in some that were
// edited by hand; that is kept, and so are unknown members of every object, and null in place of the
// lists that older planners wrote for an empty model. A Config is kept whole, as compact JSON; what
// is known of it is read from there, and values in another form than expected are as if absent.
//
// Lifetime:   a plan owns itself.
// Errors:     those of read() for operations; ark_plan_member, ark_plan_range and ark_plan_config at
//             the value that is wrong, or at the object that lacks a member.
// Limits:     max_bytes; max_items for every list; max_depth.
// Allocation: at most 16 × input + 64 KiB, for hostile text; about the input for real files.

#ifndef TESSERA_ARK_PLAN_HPP
#define TESSERA_ARK_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/json.hpp"
#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../version.hpp"
#include "graph.hpp"
#include "read.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// begin, begin + step, … below end. The format's own code generator takes every step for 1.
struct plan_range {
  std::int64_t begin = 0, end = 0, step = 1;
  bool has_step = false;  ///< the step stood in the file

  /// How many there are when the step is 1.
  [[nodiscard]] constexpr std::int64_t count() const noexcept {
    return end > begin ? end - begin : 0;
  }
  /// Whether all of it lies in `outer`. An empty range does where its ends do.
  [[nodiscard]] constexpr bool inside(const plan_range& outer) const noexcept {
    return begin >= outer.begin && end <= outer.end;
  }
};

enum class flag : std::uint8_t { absent, no, yes };

/// How one operation is computed. Numbers are -1, texts and lists empty when absent.
struct plan_config {
  std::uint64_t offset = 0;      ///< of its operation in the file
  string text;                   ///< all of it, JSON, compact
  std::int64_t num_warps = -1;   ///< of one tile
  std::int64_t sram_bytes = -1;  ///< of one tile
  std::int64_t num_tasks = -1;   ///< how many tiles there are
  std::int64_t granularity = -1;
  range tile, tile_shape_mnk, tile_pad_mnk;  ///< in parts.integers
  string impl_type, channel_type, packet_type;
  flag signal = flag::absent, wait = flag::absent;
};

/// One of TaskInfos: operations whose tiles are computed together.
struct plan_task {
  std::int64_t id = 0;
  std::int64_t num_warps = 0, sram_bytes = 0;  ///< what one tile needs
  std::uint64_t offset = 0;                    ///< of its text in the file
  range ops;                                   ///< in parts.ops and in configs
  std::uint32_t members = none;                ///< unknown members, as in graph
};

/// Tiles of one task.
struct task_group {
  std::int64_t task_id = 0;
  plan_range tasks;
  std::int64_t granularity = 1;
  std::uint64_t offset = 0;  ///< of its text in the file
  std::uint32_t members = none;
};

/// Warps and memory of some processors. Those of one processor group run side by side.
struct resource_group {
  plan_range processors, warps, sram;
  range task_groups;         ///< in plan::task_groups
  std::uint64_t offset = 0;  ///< of its text in the file
  std::uint32_t members = none;
};

/// Groups run one behind the other where they share processors.
struct processor_group {
  plan_range processors;
  range resource_groups;     ///< in plan::resource_groups
  std::uint64_t offset = 0;  ///< of its text in the file
  std::uint32_t members = none;
};

/// Where Architecture stood.
enum class architecture_place : std::uint8_t { absent, behind_world_size, behind_num_warps };

struct plan {
  /// Rank, WorldSize, operations and what they hold; no nodes. own_members are the plan's. `form`
  /// tells how tensors and buffers were laid out; plans of D2 and D3 don't differ, and are d3.
  graph parts;
  string architecture;
  architecture_place place = architecture_place::absent;
  bool null_tasks = false, null_groups = false;  ///< null stood in place of an empty list
  std::int64_t num_processors = 0, num_warps_per_processor = 0;

  pool<plan_config> configs;  ///< one for each of parts.ops
  pool<plan_task> tasks;
  pool<processor_group> processor_groups;
  pool<resource_group> resource_groups;
  pool<task_group> task_groups;

  /// Bytes that its pools hold.
  [[nodiscard]] std::size_t memory() const noexcept {
    return parts.memory() + configs.size() * sizeof(plan_config) +
           tasks.size() * sizeof(plan_task) + processor_groups.size() * sizeof(processor_group) +
           resource_groups.size() * sizeof(resource_group) +
           task_groups.size() * sizeof(task_group);
  }
};

[[nodiscard]] inline view<op> operations(const plan& p, const plan_task& t) noexcept {
  return {p.parts.ops.data() + t.ops.first, t.ops.count};
}
[[nodiscard]] inline view<plan_config> configs(const plan& p, const plan_task& t) noexcept {
  return {p.configs.data() + t.ops.first, t.ops.count};
}
[[nodiscard]] inline view<resource_group> resource_groups(const plan& p,
                                                          const processor_group& g) noexcept {
  return {p.resource_groups.data() + g.resource_groups.first, g.resource_groups.count};
}
[[nodiscard]] inline view<task_group> task_groups(const plan& p, const resource_group& g) noexcept {
  return {p.task_groups.data() + g.task_groups.first, g.task_groups.count};
}

namespace detail {

/// Reads a plan. Operations are graph_reader's.
class plan_reader {
 public:
  plan_reader(plan& p, std::string_view source, const limits& limit)
      : plan_(p), ops_(p.parts, limit), source_(source.data()), limit_(limit) {}

  void all(json::reader& in) {
    const std::uint64_t at = in.offset();
    if (!object(in)) return;
    enum { rank, world, processors, warps, tasks, groups, count };
    bool seen[count] = {};
    std::uint64_t rank_at = at;
    list unknown{plan_.parts.own_members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Rank") {
        seen[rank] = true;
        rank_at = in.offset();
        plan_.parts.rank = graph_reader::small_integer(in, errc::ark_s03_world);
      } else if (key == "WorldSize") {
        seen[world] = true;
        plan_.parts.world_size = graph_reader::small_integer(in, errc::ark_s03_world);
      } else if (key == "Architecture") {
        plan_.place = seen[warps] ? architecture_place::behind_num_warps
                                  : architecture_place::behind_world_size;
        if (!graph_reader::expect(in, json::kind::string, errc::ark_plan_member)) return;
        plan_.architecture = names().characters(in.string());
      } else if (key == "NumProcessors") {
        seen[processors] = true;
        plan_.num_processors = integer(in);
      } else if (key == "NumWarpsPerProcessor") {
        seen[warps] = true;
        plan_.num_warps_per_processor = integer(in);
      } else if (key == "TaskInfos") {
        seen[tasks] = true;
        if (list_or_null(in, plan_.null_tasks))
          for (in.array(); in.element();) task(in);
        ops_.too_many(in, plan_.tasks.size());
      } else if (key == "ProcessorGroups") {
        seen[groups] = true;
        if (list_or_null(in, plan_.null_groups))
          for (in.array(); in.element();) processor_group(in);
        ops_.too_many(in, plan_.processor_groups.size());
      } else {
        ops_.member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    for (const bool s : seen)
      if (!s) return in.fail(errc::ark_plan_member, at);
    if (plan_.parts.rank >= plan_.parts.world_size) in.fail(errc::ark_s03_world, rank_at);
    plan_.parts.form = ops_.plan_form();
    ops_.finish(in);
  }

 private:
  using list = graph_reader::member_list;

  void task(json::reader& in) {
    plan_task t;
    t.offset = in.offset();
    if (!object(in)) return;
    bool id = false, warps = false, sram = false, ops = false;
    list unknown{t.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Id") {
        id = true;
        t.id = integer(in);
      } else if (key == "NumWarps") {
        warps = true;
        t.num_warps = integer(in);
      } else if (key == "SramBytes") {
        sram = true;
        t.sram_bytes = integer(in);
      } else if (key == "Ops") {
        ops = true;
        if (!graph_reader::expect(in, json::kind::array, errc::ark_plan_member)) return;
        t.ops.first = names().index(plan_.parts.ops.size());
        for (in.array(); in.element();) operation(in);
        t.ops.count = names().index(plan_.parts.ops.size() - t.ops.first);
        ops_.too_many(in, t.ops.count);
      } else {
        ops_.member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(id && warps && sram && ops)) return in.fail(errc::ark_plan_member, t.offset);
    plan_.tasks.push_back(t);
  }

  void operation(json::reader& in) {
    plan_config c;
    c.offset = in.offset();
    std::string_view text;
    ops_.operation(in, &text);
    if (in.failed()) return;
    if (text.empty()) return in.fail(errc::ark_plan_config, c.offset);
    if (text[0] != '{')
      return in.fail(errc::ark_plan_config, static_cast<std::uint64_t>(text.data() - source_));
    json::reader again(text, limit_);
    c.text = ops_.compact(again);
    config(text, c);
    plan_.configs.push_back(c);
  }
  /// What is known of a Config.
  void config(std::string_view text, plan_config& c) {
    json::reader in(text, limit_);
    std::string_view key;
    for (in.object(); in.key(key);) {
      const std::size_t known = find_text(config_keys, key);
      json::reader value(in.skip(), limit_);
      switch (known) {
        case 0: number(value, c.num_warps); break;
        case 1: number(value, c.sram_bytes); break;
        case 2: number(value, c.num_tasks); break;
        case 3: number(value, c.granularity); break;
        case 4: c.tile = numbers(value); break;
        case 5: c.tile_shape_mnk = numbers(value); break;
        case 6: c.tile_pad_mnk = numbers(value); break;
        case 7: words(value, c.impl_type); break;
        case 8: words(value, c.channel_type); break;
        case 9: words(value, c.packet_type); break;
        case 10: truth(value, c.signal); break;
        case 11: truth(value, c.wait); break;
        default: break;
      }
    }
  }
  static constexpr std::string_view config_keys[] = {
      "NumWarps",     "SramBytes",  "NumTasks",        "Granularity", "Tile",
      "TileShapeMNK", "TilePadMNK", "ImplType",        "ChannelType", "PacketType",
      "Signal",       "Wait",       std::string_view()};
  static void number(json::reader& in, std::int64_t& to) {
    const std::int64_t v = in.integer<std::int64_t>(0, INT64_MAX);
    if (!in.failed()) to = v;
  }
  /// One to four numbers of at least 1.
  range numbers(json::reader& in) {
    std::int64_t values[max_rank] = {};
    std::size_t count = 0;
    for (in.array(); in.element(); ++count) {
      const std::int64_t v = in.integer<std::int64_t>(1, INT64_MAX);
      if (count < max_rank) values[count] = v;
    }
    if (in.failed() || count == 0 || count > max_rank) return {};
    const range out{names().index(plan_.parts.integers.size()), static_cast<std::uint32_t>(count)};
    plan_.parts.integers.append(values, count);
    return out;
  }
  void words(json::reader& in, string& to) {
    if (in.peek() == json::kind::string) to = names().characters(in.string());
  }
  static void truth(json::reader& in, flag& to) {
    if (in.peek() == json::kind::boolean) to = in.boolean() ? flag::yes : flag::no;
  }

  void processor_group(json::reader& in) {
    ark::processor_group g;
    g.offset = in.offset();
    if (!object(in)) return;
    bool processors = false, groups = false;
    list unknown{g.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "ProcessorRange") {
        processors = true;
        g.processors = bounds(in);
      } else if (key == "ResourceGroups") {
        groups = true;
        if (!graph_reader::expect(in, json::kind::array, errc::ark_plan_member)) return;
        g.resource_groups.first = names().index(plan_.resource_groups.size());
        for (in.array(); in.element();) resource_group(in);
        g.resource_groups.count =
            names().index(plan_.resource_groups.size() - g.resource_groups.first);
        ops_.too_many(in, g.resource_groups.count);
      } else {
        ops_.member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(processors && groups)) return in.fail(errc::ark_plan_member, g.offset);
    plan_.processor_groups.push_back(g);
  }

  void resource_group(json::reader& in) {
    ark::resource_group g;
    g.offset = in.offset();
    if (!object(in)) return;
    bool processors = false, warps = false, sram = false, groups = false;
    list unknown{g.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "ProcessorRange") {
        processors = true;
        g.processors = bounds(in);
      } else if (key == "WarpRange") {
        warps = true;
        g.warps = bounds(in);
      } else if (key == "SramRange") {
        sram = true;
        g.sram = bounds(in);
      } else if (key == "TaskGroups") {
        groups = true;
        if (!graph_reader::expect(in, json::kind::array, errc::ark_plan_member)) return;
        g.task_groups.first = names().index(plan_.task_groups.size());
        for (in.array(); in.element();) task_group(in);
        g.task_groups.count = names().index(plan_.task_groups.size() - g.task_groups.first);
        ops_.too_many(in, g.task_groups.count);
      } else {
        ops_.member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(processors && warps && sram && groups)) return in.fail(errc::ark_plan_member, g.offset);
    plan_.resource_groups.push_back(g);
  }

  void task_group(json::reader& in) {
    ark::task_group g;
    g.offset = in.offset();
    if (!object(in)) return;
    bool id = false, tasks = false, granularity = false;
    list unknown{g.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "TaskId") {
        id = true;
        g.task_id = integer(in);
      } else if (key == "TaskRange") {
        tasks = true;
        g.tasks = bounds(in);
      } else if (key == "Granularity") {
        granularity = true;
        g.granularity = integer(in);
      } else {
        ops_.member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(id && tasks && granularity)) return in.fail(errc::ark_plan_member, g.offset);
    plan_.task_groups.push_back(g);
  }

  /// [begin, end] or [begin, end, step].
  plan_range bounds(json::reader& in) {
    plan_range out;
    std::int64_t values[3] = {0, 0, 1};
    std::size_t count = 0;
    const std::uint64_t at = in.offset();
    if (!graph_reader::expect(in, json::kind::array, errc::ark_plan_range)) return out;
    for (in.array(); in.element(); ++count) {
      const std::int64_t v = graph_reader::integer(in, errc::ark_plan_range);
      if (count < 3) values[count] = v;
    }
    if (!in.failed() && (count < 2 || count > 3)) in.fail(errc::ark_plan_range, at);
    out.begin = values[0];
    out.end = values[1];
    out.step = values[2];
    out.has_step = count == 3;
    return out;
  }
  static bool object(json::reader& in) {
    return graph_reader::expect(in, json::kind::object, errc::ark_plan_member);
  }
  static std::int64_t integer(json::reader& in) {
    return graph_reader::integer(in, errc::ark_plan_member);
  }
  /// Whether an array comes next; null is read and noted.
  static bool list_or_null(json::reader& in, bool& null) {
    if (in.peek() == json::kind::null) {
      in.null();
      return null = true, false;
    }
    return graph_reader::expect(in, json::kind::array, errc::ark_plan_member);
  }
  interner& names() noexcept { return ops_.names(); }

  ark::plan& plan_;
  graph_reader ops_;
  const char* source_;
  limits limit_;
};

}  // namespace detail

/// Reads a plan file.
[[nodiscard]] inline result<plan> read_plan(std::string_view source, const limits& limit = {}) {
  plan p;
  json::reader in(source, limit);
  detail::plan_reader(p, source, limit).all(in);
  if (const error e = in.finish(); e.code != errc::ok) return e;
  return p;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_PLAN_HPP
