// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Verifies a plan by itself.

#ifndef TESSERA_ARK_DETAIL_PLAN_VERIFY_HPP
#define TESSERA_ARK_DETAIL_PLAN_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/findings.hpp"
#include "../../core/json.hpp"
#include "../../core/pool.hpp"
#include "../../core/report.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../plan.hpp"
#include "../verify.hpp"
#include "findings.hpp"
#include "index.hpp"
#include "plan_model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// Adds diagnostics with their paths to a report; the offsets come at the end.
class plan_findings {
 public:
  plan_findings(const plan_options& options, report* found)
      : options_(options),
        found_(found),
        base_(found, options.max_diagnostics),
        first_(found == nullptr ? 0 : found->diagnostics.size()) {}

  [[nodiscard]] const plan_options& options() const noexcept { return options_; }
  /// Where the plan as a whole is.
  [[nodiscard]] tessera::place root() const noexcept {
    return {.index = options_.source.empty() ? error_index::whole : error_index::none};
  }

  writer add(errc code, severity how, const tessera::place& where, std::string_view path) {
    if (how == severity::error && !base_.failed()) first_path_ << path;
    return base_.add(code, how, where, rule(code).id(), path);
  }
  /// Those that another report counted and didn't keep.
  void add_unkept(std::uint64_t errors, std::uint64_t warnings, std::uint64_t notes,
                  const tessera::error& first) noexcept {
    if (found_ != nullptr) {
      found_->errors += errors;
      found_->warnings += warnings;
      found_->notes += notes;
    }
    if (errors != 0 && !base_.failed()) unkept_ = first;
  }
  /// Looks up the offsets. Returns the first error.
  [[nodiscard]] tessera::error finish() {
    base_.close();
    const std::size_t count = found_ == nullptr ? first_ : found_->diagnostics.size();
    pool<std::string_view> paths;
    for (std::size_t i = first_; i < count; ++i)
      paths.push_back(found_->text_of(found_->diagnostics[i].path));
    paths.push_back(first_path_);
    pool<std::uint64_t> offsets;
    offsets.resize(paths.size());
    for (std::uint64_t& o : offsets) o = json::no_offset;
    if (!options_.source.empty() && (base_.failed() || paths.size() > 1))
      json::find(options_.source, paths, offsets.data(),
                 {.max_bytes = UINT64_MAX, .max_items = UINT64_MAX, .max_depth = UINT32_MAX});
    for (std::size_t i = first_; i < count; ++i)
      if (offsets[i - first_] != json::no_offset)
        found_->diagnostics[i].where.offset = offsets[i - first_];
    if (!base_.failed()) return unkept_;
    tessera::error e = base_.first_error();
    if (offsets.back() != json::no_offset) e.offset = offsets.back();
    return e;
  }

 private:
  const plan_options& options_;
  report* found_;
  tessera::detail::findings base_;
  std::size_t first_;
  text first_path_;
  tessera::error unkept_;
};

/// a * b, or -1 when that is too large or a or b is.
[[nodiscard]] constexpr std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  if (a < 0 || b < 0) return -1;
  return b == 0 || a <= INT64_MAX / b ? a * b : -1;
}

class plan_lint {
 public:
  /// `made`: plan_model(p).
  plan_lint(const plan& p, const model& made, plan_findings& found)
      : p_(p), made_(made), found_(found), ids_(p.tasks.data(), p.tasks.size()) {}

  void all() {
    if (p_.place != architecture_place::absent) architecture();
    tasks();
    pool<share> shares;
    for (std::size_t i = 0; i < p_.processor_groups.size(); ++i) {
      path_.clear();
      path_ << "$.ProcessorGroups[" << i << ']';
      set_outer(p_.processor_groups, p_.processor_groups[i], error_index::processor_group);
      group(p_.processor_groups[i], static_cast<std::uint32_t>(i), shares);
    }
    coverage(shares);
    operations();
  }

 private:
  static constexpr severity error = severity::error, warning = severity::warning;
  /// Tiles of a task that a task group covers.
  struct share {
    std::uint32_t task;
    std::uint32_t group, resource, member;  // its indices in the plan
    std::int64_t begin, end;
  };

  /// At the current path and `tail`; `offset` is that of the object, in a plan that was read.
  writer at(errc code, severity how, std::uint64_t offset, std::string_view tail) {
    place_.clear();
    place_ << path_.view() << tail;
    tessera::place where = outer_;
    if (where.index == error_index::none) where.offset = offset;
    return found_.add(code, how, where, place_);
  }
  template <class Row>
  void set_outer(const pool<Row>& rows, const Row& row, error_index kind) noexcept {
    const tessera::error e = error_in(rows, row, errc::ok, kind);
    outer_ = {.offset = e.offset, .index = e.index};
  }
  void set_task(std::size_t t) {
    set_outer(p_.tasks, p_.tasks[t], error_index::task);
    path_.clear();
    path_ << "$.TaskInfos[" << t << ']';
  }

  void architecture() {
    constexpr std::string_view known[] = {"ANY",     "CUDA", "CUDA_70",  "CUDA_80",
                                          "CUDA_90", "ROCM", "ROCM_90A", "ROCM_942"};
    const std::string_view name = text_of(p_.parts, p_.architecture);
    for (const std::string_view k : known)
      if (name == k) return;
    found_.add(errc::ark_plan_architecture, error, found_.root(), "$.Architecture")
        << "unknown Architecture " << quoted{name}
        << "; expected ANY, CUDA, CUDA_70, CUDA_80, CUDA_90, ROCM, ROCM_90A or ROCM_942";
  }

  /// Each task by itself.
  void tasks() {
    for (std::size_t i = 0; i < p_.tasks.size(); ++i) {
      const plan_task& t = p_.tasks[i];
      set_task(i);
      if (const std::uint32_t first = ids_.first_of(i); first != i)
        at(errc::ark_plan_task, error, t.offset, ".Id")
            << "duplicate task Id " << t.id << ", also of $.TaskInfos[" << first << ']';
      if (t.ops.count == 0) at(errc::ark_s07_no_ops, error, t.offset, ".Ops");
      for (std::uint32_t k = 0; k < t.ops.count; ++k) {
        const std::size_t size = path_.size();
        path_ << ".Ops[" << k << "].Config";
        config(t, k);
        path_.truncate(size);
      }
    }
  }
  /// How many tiles a task has; -1 if no operation has NumTasks.
  [[nodiscard]] std::int64_t tiles(const plan_task& t) const noexcept {
    std::int64_t max = -1;
    for (const plan_config& c : configs(p_, t)) max = c.num_tasks > max ? c.num_tasks : max;
    return max;
  }
  void config(const plan_task& t, std::uint32_t k) {
    const plan_config& c = configs(p_, t)[k];
    const op& o = ark::operations(p_, t)[k];
    const struct {
      std::string_view key;
      std::int64_t value;
    } required[] = {
        {"NumWarps", c.num_warps}, {"SramBytes", c.sram_bytes}, {"NumTasks", c.num_tasks}};
    for (const auto& r : required)
      if (r.value < 0) missing(c, r.key);
    if (c.num_warps > t.num_warps)
      at(errc::ark_plan_resources, error, c.offset, ".NumWarps")
          << "the operation needs " << c.num_warps << " warps; its task has " << t.num_warps;
    if (c.sram_bytes > t.sram_bytes)
      at(errc::ark_plan_resources, error, c.offset, ".SramBytes")
          << "the operation needs " << c.sram_bytes << " bytes of SRAM; its task has "
          << t.sram_bytes;
    if (const std::int64_t first = configs(p_, t)[0].num_tasks;
        k != 0 && c.num_tasks >= 0 && c.num_tasks != first)
      at(errc::ark_plan_tiles, warning, c.offset, ".NumTasks")
          << "NumTasks is " << c.num_tasks << "; the task's first operation has " << first;
    name(c, c.impl_type, ".ImplType", {"WarpWise", "ElementWise", ""});
    name(c, c.channel_type, ".ChannelType", {"Proxy", "SecondaryProxy", "Sm"});
    if (info(o.type).kind == op_kind::matmul)
      matmul_tile(o, c);
    else if (is_tiled(o.type))
      tile(o, c);
  }
  /// At the member if there is one, in another form; else at the Config.
  void missing(const plan_config& c, std::string_view key) {
    std::string_view k, value;
    json::reader in(text_of(p_.parts, c.text));
    for (in.object(); in.key(k);)
      if (const std::string_view v = in.skip(); k == key) value = v;
    const std::size_t size = path_.size();
    if (value.empty()) {
      at(errc::ark_plan_config, error, c.offset, "")
          << "Config has no " << key << "; expected NumWarps, SramBytes and NumTasks";
    } else {
      path_ << '.';
      at(errc::ark_plan_config, error, c.offset, key)
          << key << " is " << excerpt{value} << "; expected a non-negative integer";
    }
    path_.truncate(size);
  }
  void name(const plan_config& c, string value, std::string_view tail,
            const std::string_view (&known)[3]) {
    if (value.size == 0) return;
    const std::string_view s = text_of(p_.parts, value);
    for (const std::string_view n : known)
      if (s == n) return;
    writer out = at(errc::ark_plan_config, warning, c.offset, tail);
    out << "unknown " << tail.substr(1) << ' ' << quoted{s} << "; expected ";
    for (std::size_t i = 0; i < 3 && !known[i].empty(); ++i)
      out << (i == 0 ? "" : i == 2 || known[i + 1].empty() ? " or " : ", ") << known[i];
  }

  /// Operations whose Tile divides the output, one task a tile.
  [[nodiscard]] static bool is_tiled(op_type t) noexcept {
    const op_kind kind = info(t).kind;
    return t != op_type::softmax && (kind == op_kind::unary || kind == op_kind::binary ||
                                     kind == op_kind::fill || kind == op_kind::transpose);
  }
  [[nodiscard]] const layout* written(const op& o) const noexcept {
    return o.writes == 0 ? nullptr : &layout_of(p_.parts, writes(p_.parts, o)[0]);
  }
  /// Tiles of the last dimensions times all others; parts of a tile count.
  [[nodiscard]] static std::int64_t count(const layout& l, view<std::int64_t> tile) noexcept {
    std::int64_t n = 1;
    const std::size_t rank = l.rank > tile.size() ? l.rank : tile.size();
    for (std::size_t back = 1; back <= rank; ++back) {
      const std::int64_t d = back <= l.rank ? l.padded_shape[l.rank - back] : 1;
      const std::int64_t t = back <= tile.size() ? tile[tile.size() - back] : 1;
      n = product(n, d < 1 ? -1 : d / t + (d % t != 0 ? 1 : 0));
    }
    return n;
  }
  void tile(const op& o, const plan_config& c) {
    const layout* const l = written(o);
    if (l == nullptr || c.tile.count == 0 || c.num_tasks < 0) return;
    count_is(c, count(*l, integers(p_.parts, c.tile)));
  }
  void count_is(const plan_config& c, std::int64_t n) {
    if (n >= 0 && n != c.num_tasks)
      at(errc::ark_plan_config, warning, c.offset, ".NumTasks")
          << "NumTasks is " << c.num_tasks << "; the padded shape has " << n
          << (n == 1 ? " tile" : " tiles");
  }
  void matmul_tile(const op& o, const plan_config& c) {
    const bool mnk = c.tile_shape_mnk.count == 3;
    const view<std::int64_t> tile = integers(p_.parts, mnk ? c.tile_shape_mnk : c.tile);
    const layout* const l = written(o);
    if (l == nullptr || o.reads < 2 || tile.size() < 2) return;
    const auto dimension = [](const layout& of, std::size_t back) {
      return back <= of.rank ? of.padded_shape[of.rank - back] : 1;
    };
    if (mnk) {
      const layout& a = layout_of(p_.parts, reads(p_.parts, o)[0]);
      const bool swapped = is_true(o, argument_name::transpose_input) ||
                           is_true(o, argument_name::is_input_column_major);
      const std::int64_t sizes[] = {dimension(*l, 2), dimension(*l, 1),
                                    dimension(a, swapped && a.rank > 1 ? 2 : 1)};
      for (std::size_t d = 0; d < 3; ++d)
        if (sizes[d] % tile[d] != 0) return undivided(c, ".TileShapeMNK", sizes[d], tile[d]);
    } else {
      for (std::size_t back = 1; back <= tile.size(); ++back)
        if (dimension(*l, back) % tile[tile.size() - back] != 0)
          return undivided(c, ".Tile", dimension(*l, back), tile[tile.size() - back]);
    }
    const bool is_none = tile[0] == 1 && tile[1] == 1 && tile[tile.size() - 1] == 1;
    if (!is_none && c.num_tasks >= 0) count_is(c, count(*l, {tile.data(), mnk ? 2 : tile.size()}));
  }
  void undivided(const plan_config& c, std::string_view tail, std::int64_t size,
                 std::int64_t tile) {
    at(errc::ark_plan_config, error, c.offset, tail)
        << "the tile size " << tile << " does not divide the padded dimension " << size;
  }
  [[nodiscard]] bool is_true(const op& o, argument_name name) const noexcept {
    const argument* const a = find_argument(p_.parts, o, name);
    return a != nullptr && a->type == argument_type::boolean && a->integer != 0;
  }

  void bounds(const plan_range& r, std::uint64_t offset, std::string_view tail) {
    if (r.end < r.begin)
      at(errc::ark_plan_range, error, offset, tail)
          << "the range ends at " << r.end << ", before it begins at " << r.begin;
    else if (r.step == 0)
      at(errc::ark_plan_range, error, offset, tail)
          << "the range steps by 0; expected a step of at least 1";
    else if (r.step != 1)
      at(errc::ark_plan_range, warning, offset, tail)
          << "the range steps by " << r.step << "; generated code steps by 1";
  }
  void inside(const plan_range& r, const plan_range& outer, std::uint64_t offset,
              std::string_view tail, std::string_view of) {
    if (r.end < r.begin || r.inside(outer)) return;
    at(errc::ark_plan_parent, error, offset, tail)
        << '[' << r.begin << ',' << r.end << "] is not within the " << of << ", [" << outer.begin
        << ',' << outer.end << ']';
  }

  void group(const processor_group& g, std::uint32_t index, pool<share>& shares) {
    bounds(g.processors, g.offset, ".ProcessorRange");
    inside(g.processors, {0, p_.num_processors}, g.offset, ".ProcessorRange", "processors");
    const std::size_t size = path_.size();
    for (std::uint32_t i = 0; i < g.resource_groups.count; ++i) {
      const resource_group& r = resource_groups(p_, g)[i];
      path_ << ".ResourceGroups[" << i << ']';
      bounds(r.processors, r.offset, ".ProcessorRange");
      inside(r.processors, g.processors, r.offset, ".ProcessorRange",
             "processors of the processor group");
      bounds(r.warps, r.offset, ".WarpRange");
      inside(r.warps, {0, p_.num_warps_per_processor}, r.offset, ".WarpRange",
             "warps of a processor");
      bounds(r.sram, r.offset, ".SramRange");
      const std::size_t inner = path_.size();
      for (std::uint32_t k = 0; k < r.task_groups.count; ++k) {
        path_ << ".TaskGroups[" << k << ']';
        task_group_of(r, task_groups(p_, r)[k], {0, index, i, k, 0, 0}, shares);
        path_.truncate(inner);
      }
      path_.truncate(size);
    }
  }
  void task_group_of(const resource_group& r, const task_group& g, share s, pool<share>& shares) {
    bounds(g.tasks, g.offset, ".TaskRange");
    if (g.granularity == 0)
      at(errc::ark_plan_member, error, g.offset, ".Granularity")
          << "Granularity is 0; expected at least 1";
    const std::uint32_t index = ids_.first(g.task_id);
    if (index == none) {
      at(errc::ark_plan_task, error, g.offset, ".TaskId")
          << "TaskId is " << g.task_id << "; expected the Id of a task of this plan";
      return;
    }
    const plan_task& t = p_.tasks[index];
    if (const std::int64_t n = tiles(t); n >= 0)
      inside(g.tasks, {0, n}, g.offset, ".TaskRange", "tiles of the task");
    if (g.tasks.count() == 0) return;
    if (t.num_warps > r.warps.count())
      at(errc::ark_plan_resources, error, g.offset, ".TaskId")
          << "task " << t.id << " needs " << t.num_warps << " warps; its resource group has "
          << r.warps.count();
    if (t.sram_bytes > r.sram.count())
      at(errc::ark_plan_resources, error, g.offset, ".TaskId")
          << "task " << t.id << " needs " << t.sram_bytes
          << " bytes of SRAM; its resource group has " << r.sram.count();
    if (r.processors.count() == 0)
      at(errc::ark_plan_resources, error, g.offset, ".TaskId")
          << "task " << t.id << " needs a processor; its resource group has none";
    s.task = index;
    s.begin = g.tasks.begin;
    s.end = g.tasks.end;
    shares.push_back(s);
  }
  /// Each tile once: shares of a task, side by side, leave no gap and don't overlap.
  void coverage(pool<share>& shares) {
    sort(shares.data(), shares.size(), [](const share& a, const share& b) {
      if (a.task != b.task) return a.task < b.task;
      if (a.begin != b.begin) return a.begin < b.begin;
      if (a.group != b.group) return a.group < b.group;
      return a.resource != b.resource ? a.resource < b.resource : a.member < b.member;
    });
    std::size_t next = 0;
    for (std::uint32_t t = 0; t < p_.tasks.size(); ++t) {
      if (ids_.first_of(t) != t) continue;  // a second one of its Id, which is an error already
      const std::int64_t n = tiles(p_.tasks[t]);
      std::int64_t covered = 0;
      bool gap = false;
      if (next == shares.size() || shares[next].task != t) {
        if (n > 0) unscheduled(t);
        continue;
      }
      for (; next < shares.size() && shares[next].task == t; ++next) {
        const share& s = shares[next];
        if (s.begin < covered) twice(s, covered);
        if (s.begin > covered && !gap) uncovered(t, covered, s.begin);
        gap = gap || s.begin > covered;
        covered = s.end > covered ? s.end : covered;
      }
      if (covered < n && !gap) uncovered(t, covered, n);
    }
  }
  /// Planners leave out what needs no processor, and nothing requires all tasks.
  void unscheduled(std::uint32_t t) {
    set_task(t);
    at(errc::ark_plan_tiles, warning, p_.tasks[t].offset, "")
        << "no task group runs task " << p_.tasks[t].id;
  }
  void uncovered(std::uint32_t t, std::int64_t begin, std::int64_t end) {
    set_task(t);
    at(errc::ark_plan_tiles, error, p_.tasks[t].offset, "")
        << "no task group covers tiles " << begin << " to " << end << " of task " << p_.tasks[t].id;
  }
  void twice(const share& s, std::int64_t covered) {
    const processor_group& g = p_.processor_groups[s.group];
    const resource_group& r = resource_groups(p_, g)[s.resource];
    set_outer(p_.processor_groups, g, error_index::processor_group);
    path_.clear();
    path_ << "$.ProcessorGroups[" << s.group << "].ResourceGroups[" << s.resource << "].TaskGroups["
          << s.member << ']';
    at(errc::ark_plan_tiles, error, task_groups(p_, r)[s.member].offset, ".TaskRange")
        << "tiles " << s.begin << " to " << (s.end < covered ? s.end : covered)
        << " are already covered by another task group; expected each tile once";
  }

  /// The diagnostics of the model that the operations make.
  void operations() {
    report inner;
    const result<program> made = verify(
        made_,
        {.of_plan = true, .hazards = false, .max_diagnostics = found_.options().max_diagnostics},
        &inner);
    const pool<plan_place> order = plan_order(p_);
    std::uint64_t kept[severity_count] = {};
    for (const diagnostic& d : inner.diagnostics) {
      ++kept[static_cast<std::size_t>(d.severity)];
      constexpr std::string_view nodes = "$.Nodes[";
      std::string_view path = inner.text_of(d.path);
      if (path.substr(0, nodes.size()) != nodes) {  // unreachable: plan_check looked at the root
        found_.add(d.code, d.severity, found_.root(), path) << verbatim{inner.text_of(d.text)};
        continue;
      }
      path.remove_prefix(nodes.size());
      std::size_t node = 0;
      while (!path.empty() && path[0] >= '0' && path[0] <= '9') {
        node = 10 * node + static_cast<std::size_t>(path[0] - '0');
        path.remove_prefix(1);
      }
      if (path.substr(0, 4) != "].Op" || node >= order.size()) continue;  // an edge that we made
      const plan_place from = order[node];
      set_task(from.task);
      path_ << ".Ops[" << from.op << ']';
      at(d.code, d.severity, p_.configs[p_.tasks[from.task].ops.first + from.op].offset,
         path.substr(4))
          << verbatim{inner.text_of(d.text)};
    }
    found_.add_unkept(inner.errors - kept[0], inner.warnings - kept[1], inner.notes - kept[2],
                      made ? tessera::error{} : made.error());
  }

  const plan& p_;
  const model& made_;
  plan_findings& found_;
  tessera::place outer_;  // the task or processor group at hand
  text path_, place_;
  id_index ids_;  // of tasks
};

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_VERIFY_HPP
