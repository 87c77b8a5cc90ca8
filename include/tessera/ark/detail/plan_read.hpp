// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Reads plans. Operations are graph_reader's.

#ifndef TESSERA_ARK_DETAIL_PLAN_READ_HPP
#define TESSERA_ARK_DETAIL_PLAN_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/json.hpp"
#include "../../core/limits.hpp"
#include "../../core/pool.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../plan.hpp"
#include "../read.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

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
        plan_.place = seen[warps] ? architecture_place::after_num_warps
                                  : architecture_place::after_world_size;
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
  /// The known members of a Config.
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
    std::int64_t values[4] = {0, 0, 1, 0};  // the last one for what is too much
    std::size_t count = 0;
    const std::uint64_t at = in.offset();
    if (!graph_reader::expect(in, json::kind::array, errc::ark_plan_range)) return out;
    for (in.array(); in.element(); ++count) {
      values[count < 3 ? count : 3] = graph_reader::integer(in, errc::ark_plan_range);
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

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_READ_HPP
