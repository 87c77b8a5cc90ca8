// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/plan_verify.hpp.

#ifndef TESSERA_ARK_DETAIL_PLAN_VERIFY_HPP
#define TESSERA_ARK_DETAIL_PLAN_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/describe.hpp"
#include "../../core/json.hpp"
#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../diagnostic.hpp"
#include "../findings.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../plan.hpp"
#include "../plan_check.hpp"
#include "../plan_verify.hpp"
#include "index.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// Gives diagnostics, from number `first` on, the offsets of their paths in a JSON text. One whose
/// path isn't there keeps what it has.
inline void locate_paths(report& found, std::size_t first, std::string_view source) {
  pool<std::string_view> paths;
  for (std::size_t i = first; i < found.diagnostics.size(); ++i)
    paths.push_back(found.text_of(found.diagnostics[i].path));
  if (paths.empty()) return;
  pool<std::uint64_t> offsets;
  offsets.resize(paths.size());
  json::find(source, paths, offsets.data(),
             {.max_bytes = UINT64_MAX, .max_items = UINT64_MAX, .max_depth = UINT32_MAX});
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (offsets[i] != json::no_offset) found.diagnostics[first + i].offset = offsets[i];
}

/// Adds diagnostics to a report.
class plan_findings {
 public:
  plan_findings(report& found, std::string_view source)
      : found_(found), source_(source), first_(found.diagnostics.size()), errors_(found.errors) {}

  /// `what` follows the code's message, behind a colon.
  void add(errc code, severity how, std::uint64_t offset, std::string_view path,
           std::string_view what = {}) {
    count(how);
    if (found_.diagnostics.size() >= verify_options{}.max_diagnostics) return;
    diagnostic d;
    d.code = code;
    d.severity = how;
    d.offset = offset;
    d.path = append(path);
    d.text = append(error{code}.message());
    if (!what.empty()) d.text.size += append(": ").size + append(what).size;
    found_.diagnostics.push_back(d);
  }
  /// A diagnostic of another report, under another path.
  void add(const report& other, const diagnostic& from, std::uint64_t offset,
           std::string_view path) {
    count(from.severity);
    if (found_.diagnostics.size() >= verify_options{}.max_diagnostics) return;
    diagnostic d = from;
    d.offset = offset;
    d.path = append(path);
    d.text = append(other.text_of(from.text));
    found_.diagnostics.push_back(d);
  }
  /// Those that another report counted and didn't keep.
  void add_unkept(std::uint64_t errors, std::uint64_t warnings, std::uint64_t notes) noexcept {
    found_.errors += errors;
    found_.warnings += warnings;
    found_.notes += notes;
  }
  /// Looks up the offsets. Returns whether no error was added.
  [[nodiscard]] bool finish() {
    if (!source_.empty()) locate_paths(found_, first_, source_);
    return found_.errors == errors_;
  }

 private:
  void count(severity how) noexcept {
    ++(how == severity::error     ? found_.errors
       : how == severity::warning ? found_.warnings
                                  : found_.notes);
  }
  string append(std::string_view s) {
    const string out{static_cast<std::uint32_t>(found_.characters.size()),
                     static_cast<std::uint32_t>(s.size())};
    found_.characters << s;
    return out;
  }

  report& found_;
  std::string_view source_;
  std::size_t first_;
  std::uint64_t errors_;
};

/// a * b, or -1 when that is too large or a or b is.
[[nodiscard]] constexpr std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  if (a < 0 || b < 0) return -1;
  return b == 0 || a <= INT64_MAX / b ? a * b : -1;
}

class plan_lint {
 public:
  plan_lint(const plan& p, plan_findings& found)
      : p_(p), found_(found), ids_(p.tasks.data(), p.tasks.size()) {}

  void all() {
    if (p_.place != architecture_place::absent) architecture();
    tasks();
    pool<share> shares;
    for (std::size_t i = 0; i < p_.processor_groups.size(); ++i) {
      path_.clear();
      path_ << "$.ProcessorGroups[" << i << ']';
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
    std::uint32_t group, resource, member;  // where it stands
    std::int64_t begin, end;
  };

  /// At the current path and `tail`.
  void at(errc code, severity how, std::uint64_t offset, std::string_view tail,
          std::string_view what = {}) {
    const std::size_t size = path_.size();
    path_ << tail;
    found_.add(code, how, offset, path_, what);
    path_.truncate(size);
  }

  void architecture() {
    constexpr std::string_view known[] = {"ANY",     "CUDA", "CUDA_70",  "CUDA_80",
                                          "CUDA_90", "ROCM", "ROCM_90A", "ROCM_942"};
    const std::string_view name = text_of(p_.parts, p_.architecture);
    for (const std::string_view k : known)
      if (name == k) return;
    text what;
    quote(what, name);
    found_.add(errc::ark_plan_architecture, error, 0, "$.Architecture", what);
  }

  /// Each task by itself.
  void tasks() {
    for (std::size_t i = 0; i < p_.tasks.size(); ++i) {
      const plan_task& t = p_.tasks[i];
      path_.clear();
      path_ << "$.TaskInfos[" << i << ']';
      if (ids_.first_of(i) != i) at(errc::ark_plan_task, error, t.offset, ".Id", number(t.id));
      if (t.ops.count == 0) at(errc::ark_s07_no_ops, error, t.offset, ".Ops");
      for (std::uint32_t k = 0; k < t.ops.count; ++k) {
        const std::size_t size = path_.size();
        path_ << ".Ops[" << k << "].Config";
        config(t, k);
        path_.truncate(size);
      }
    }
  }
  /// How many tiles a task has; -1 when its operations don't say.
  [[nodiscard]] std::int64_t tiles(const plan_task& t) const noexcept {
    std::int64_t most = -1;
    for (const plan_config& c : configs(p_, t)) most = c.num_tasks > most ? c.num_tasks : most;
    return most;
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
      at(errc::ark_plan_resources, error, c.offset, ".NumWarps", number(c.num_warps));
    if (c.sram_bytes > t.sram_bytes)
      at(errc::ark_plan_resources, error, c.offset, ".SramBytes", number(c.sram_bytes));
    if (k != 0 && c.num_tasks >= 0 && c.num_tasks != configs(p_, t)[0].num_tasks)
      at(errc::ark_plan_tiles, warning, c.offset, ".NumTasks",
         "other operations of the task have other NumTasks");
    name(c, c.impl_type, ".ImplType", {"WarpWise", "ElementWise", ""});
    name(c, c.channel_type, ".ChannelType", {"Proxy", "SecondaryProxy", "Sm"});
    if (info(o.type).kind == op_kind::matmul)
      matmul_tile(o, c);
    else if (is_tiled(o.type))
      tile(o, c);
  }
  /// At the member when it stands there in the wrong form, else at the Config.
  void missing(const plan_config& c, std::string_view key) {
    bool there = false;
    std::string_view k;
    json::reader in(text_of(p_.parts, c.text));
    for (in.object(); in.key(k); in.skip()) there = there || k == key;
    const std::size_t size = path_.size();
    if (there) path_ << '.' << key;
    text what(key);
    what << (there ? " has another form" : " is missing");
    found_.add(errc::ark_plan_config, error, c.offset, path_, what);
    path_.truncate(size);
  }
  void name(const plan_config& c, string value, std::string_view tail,
            const std::string_view (&known)[3]) {
    if (value.size == 0) return;
    const std::string_view s = text_of(p_.parts, value);
    for (const std::string_view n : known)
      if (s == n) return;
    text what;
    quote(what, s);
    what << " isn't known";
    at(errc::ark_plan_config, warning, c.offset, tail, what);
  }

  /// Operations whose Tile cuts up what they write, one task a tile.
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
    if (n >= 0 && n != c.num_tasks) {
      text what("the padded shape has ");
      what << n << (n == 1 ? " tile" : " tiles");
      at(errc::ark_plan_config, warning, c.offset, ".NumTasks", what);
    }
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
    text what;
    what << size << " is no multiple of " << tile;
    at(errc::ark_plan_config, error, c.offset, tail, what);
  }
  [[nodiscard]] bool is_true(const op& o, argument_name name) const noexcept {
    const argument* const a = find_argument(p_.parts, o, name);
    return a != nullptr && a->type == argument_type::boolean && a->integer != 0;
  }

  void bounds(const plan_range& r, std::uint64_t offset, std::string_view tail) {
    if (r.end < r.begin || r.step == 0)
      at(errc::ark_plan_range, error, offset, tail);
    else if (r.step != 1)
      at(errc::ark_plan_range, warning, offset, tail, "generated code steps by 1");
  }
  void inside(const plan_range& r, const plan_range& outer, std::uint64_t offset,
              std::string_view tail) {
    if (r.end < r.begin || r.inside(outer)) return;
    text what;
    what << outer.begin << " to " << outer.end;
    at(errc::ark_plan_parent, error, offset, tail, what);
  }

  void group(const processor_group& g, std::uint32_t index, pool<share>& shares) {
    bounds(g.processors, g.offset, ".ProcessorRange");
    inside(g.processors, {0, p_.num_processors}, g.offset, ".ProcessorRange");
    const std::size_t size = path_.size();
    for (std::uint32_t i = 0; i < g.resource_groups.count; ++i) {
      const resource_group& r = resource_groups(p_, g)[i];
      path_ << ".ResourceGroups[" << i << ']';
      bounds(r.processors, r.offset, ".ProcessorRange");
      inside(r.processors, g.processors, r.offset, ".ProcessorRange");
      bounds(r.warps, r.offset, ".WarpRange");
      inside(r.warps, {0, p_.num_warps_per_processor}, r.offset, ".WarpRange");
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
    if (g.granularity == 0) at(errc::ark_plan_member, error, g.offset, ".Granularity", "0");
    const std::uint32_t index = ids_.first(g.task_id);
    if (index == none)
      return at(errc::ark_plan_task, error, g.offset, ".TaskId", number(g.task_id));
    const plan_task& t = p_.tasks[index];
    if (const std::int64_t n = tiles(t); n >= 0) inside(g.tasks, {0, n}, g.offset, ".TaskRange");
    if (g.tasks.count() == 0) return;
    if (t.num_warps > r.warps.count())
      at(errc::ark_plan_resources, error, g.offset, ".TaskId", "warps");
    if (t.sram_bytes > r.sram.count())
      at(errc::ark_plan_resources, error, g.offset, ".TaskId", "memory");
    if (r.processors.count() == 0)
      at(errc::ark_plan_resources, error, g.offset, ".TaskId", "processors");
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
  /// Planners leave out what needs no processor, and nothing asks for all tasks.
  void unscheduled(std::uint32_t t) {
    path_.clear();
    path_ << "$.TaskInfos[" << t << ']';
    at(errc::ark_plan_tiles, warning, p_.tasks[t].offset, "", "none schedules it");
  }
  void uncovered(std::uint32_t t, std::int64_t begin, std::int64_t end) {
    path_.clear();
    path_ << "$.TaskInfos[" << t << ']';
    text what;
    what << "none covers " << begin << " to " << end;
    at(errc::ark_plan_tiles, error, p_.tasks[t].offset, "", what);
  }
  void twice(const share& s, std::int64_t covered) {
    path_.clear();
    path_ << "$.ProcessorGroups[" << s.group << "].ResourceGroups[" << s.resource << "].TaskGroups["
          << s.member << ']';
    const resource_group& r = resource_groups(p_, p_.processor_groups[s.group])[s.resource];
    text what;
    what << s.begin << " to " << (s.end < covered ? s.end : covered) << " a second time";
    at(errc::ark_plan_tiles, error, task_groups(p_, r)[s.member].offset, ".TaskRange", what);
  }

  /// What verify() says of the model that the operations make.
  void operations() {
    report inner;
    verify_options options;
    options.hazards = false;
    options.of_plan = true;
    (void)verify(plan_model(p_), options, &inner);
    const pool<plan_place> order = plan_order(p_);
    std::uint64_t kept[3] = {};
    for (const diagnostic& d : inner.diagnostics) {
      ++kept[static_cast<std::size_t>(d.severity)];
      constexpr std::string_view nodes = "$.Nodes[";
      std::string_view path = inner.text_of(d.path);
      if (path.substr(0, nodes.size()) != nodes) {
        found_.add(inner, d, 0, path);
        continue;
      }
      path.remove_prefix(nodes.size());
      std::size_t node = 0;
      while (!path.empty() && path[0] >= '0' && path[0] <= '9') {
        node = 10 * node + static_cast<std::size_t>(path[0] - '0');
        path.remove_prefix(1);
      }
      if (path.substr(0, 4) != "].Op" || node >= order.size()) continue;  // an edge, which is ours
      const plan_place at = order[node];
      path_.clear();
      path_ << "$.TaskInfos[" << at.task << "].Ops[" << at.op << ']' << path.substr(4);
      found_.add(inner, d, p_.configs[p_.tasks[at.task].ops.first + at.op].offset, path_);
    }
    found_.add_unkept(inner.errors - kept[0], inner.warnings - kept[1], inner.notes - kept[2]);
  }

  [[nodiscard]] std::string_view number(std::int64_t v) {
    number_.clear();
    number_ << v;
    return number_;
  }

  const plan& p_;
  plan_findings& found_;
  text path_, number_;
  id_index ids_;  // of tasks
};

/// Adds what is wrong with the plan by itself; whether it makes sense to look further.
inline bool lint_plan(const plan& p, plan_findings& found) {
  if (const tessera::error e = check(p); e.code != errc::ok) {
    found.add(e.code, severity::error, e.offset, "$");
    return false;
  }
  plan_lint(p, found).all();
  return true;
}

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE bool verify_plan(const plan& p, report& found, std::string_view source) {
  detail::plan_findings findings(found, source);
  (void)detail::lint_plan(p, findings);
  return findings.finish();
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_VERIFY_HPP
