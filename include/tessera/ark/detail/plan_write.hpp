// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writes and prints plans.

#ifndef TESSERA_ARK_DETAIL_PLAN_WRITE_HPP
#define TESSERA_ARK_DETAIL_PLAN_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/json.hpp"
#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../plan.hpp"
#include "../write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// Appends a plan that has passed check(). Operations are graph_writer's.
class plan_writer {
 public:
  plan_writer(text& out, const plan& p, bool pretty)
      : out_(out), p_(p), pretty_(pretty), ops_(out, p.parts, p.parts.form, pretty) {
    if (pretty) ops_.levels(levels);
  }

  void all() {
    open('{');
    member("Rank", p_.parts.rank);
    member("WorldSize", p_.parts.world_size);
    if (p_.place == architecture_place::after_world_size) architecture();
    member("NumProcessors", p_.num_processors);
    member("NumWarpsPerProcessor", p_.num_warps_per_processor);
    if (p_.place == architecture_place::after_num_warps) architecture();
    if (list("TaskInfos", p_.null_tasks))
      for (const plan_task& t : p_.tasks) task(t);
    end_list(p_.null_tasks);
    if (list("ProcessorGroups", p_.null_groups))
      for (const processor_group& g : p_.processor_groups) group(g);
    end_list(p_.null_groups);
    members(p_.parts.own_members);
    close('}');
    if (pretty_) out_ << '\n';
  }
  [[nodiscard]] errc failed() const noexcept { return ops_.failed(); }

 private:
  static constexpr int levels = 5;

  void task(const plan_task& t) {
    separate();
    open('{');
    member("Id", t.id);
    member("NumWarps", t.num_warps);
    member("SramBytes", t.sram_bytes);
    list("Ops");
    for (std::uint32_t i = t.ops.first; i < t.ops.first + t.ops.count; ++i) {
      separate();
      ops_.done(ops_.operation(ops_.begin(), p_.parts.ops[i], depth_,
                               text_of(p_.parts, p_.configs[i].text)));
      empty_ = false;
    }
    close(']');
    members(t.members);
    close('}');
  }
  void group(const processor_group& g) {
    separate();
    open('{');
    member("ProcessorRange", g.processors);
    list("ResourceGroups");
    for (const resource_group& r : resource_groups(p_, g)) {
      separate();
      open('{');
      member("ProcessorRange", r.processors);
      member("WarpRange", r.warps);
      member("SramRange", r.sram);
      list("TaskGroups");
      for (const task_group& t : task_groups(p_, r)) {
        separate();
        open('{');
        member("TaskId", t.task_id);
        member("TaskRange", t.tasks);
        member("Granularity", t.granularity);
        members(t.members);
        close('}');
      }
      close(']');
      members(r.members);
      close('}');
    }
    close(']');
    members(g.members);
    close('}');
  }

  // depth_ is how many containers are open; the innermost one is at depth_ - 1.
  [[nodiscard]] bool spread() const noexcept { return pretty_ && depth_ <= unsigned{levels} + 1; }
  void new_line() {
    out_ << '\n';
    for (unsigned i = 0; i < depth_; ++i) out_ << "  ";
  }
  void open(char bracket) {
    out_ << bracket;
    ++depth_;
    empty_ = true;
  }
  void close(char bracket) {
    const bool lines = spread() && !empty_;
    --depth_;
    if (lines) new_line();
    out_ << bracket;
    empty_ = false;
  }
  /// In front of a member or element.
  void separate() {
    if (!empty_) out_ << ',';
    if (spread()) new_line();
    empty_ = false;
  }
  void key(std::string_view name) {
    separate();
    json::append_quoted(out_, name);
    out_ << (spread() ? std::string_view(": ") : ":");
  }
  void member(std::string_view name, std::int64_t value) {
    key(name);
    out_ << value;
  }
  void member(std::string_view name, const plan_range& r) {
    key(name);
    out_ << '[' << r.begin << ',' << r.end;
    if (r.has_step) out_ << ',' << r.step;
    out_ << ']';
  }
  void architecture() {
    key("Architecture");
    json::append_quoted(out_, text_of(p_.parts, p_.architecture));
  }
  bool list(std::string_view name, bool null = false) {
    key(name);
    if (null)
      out_ << "null";
    else
      open('[');
    return !null;
  }
  void end_list(bool null) {
    if (!null) close(']');
  }
  void members(std::uint32_t first) {
    for (std::uint32_t i = first; i != none; i = p_.parts.members[i].next) {
      key(text_of(p_.parts, p_.parts.members[i].key));
      ops_.value(text_of(p_.parts, p_.parts.members[i].value), depth_);
    }
  }

  text& out_;
  const ark::plan& p_;
  bool pretty_;
  graph_writer ops_;
  unsigned depth_ = 0;
  bool empty_ = true;  // the innermost container has no elements yet
};

/// A plan for people.
class plan_printer {
 public:
  plan_printer(text& out, const plan& p) noexcept : out_(out), p_(p) {}

  void all() {
    out_ << "plan of rank " << p_.parts.rank << " of " << p_.parts.world_size;
    if (p_.place != architecture_place::absent) {
      out_ << ", ";
      plain(text_of(p_.parts, p_.architecture));
    }
    out_ << ", ";
    count(p_.num_processors, "processor");
    out_ << " of ";
    count(p_.num_warps_per_processor, "warp");
    out_ << ", ";
    count(static_cast<std::int64_t>(p_.tasks.size()), "task");
    out_ << '\n';
    for (const plan_task& t : p_.tasks) task(t);
    for (const processor_group& g : p_.processor_groups) group(g);
  }

 private:
  void task(const plan_task& t) {
    out_ << "task " << t.id << ", ";
    count(t.num_warps, "warp");
    out_ << ", ";
    count(t.sram_bytes, "byte");
    for (std::uint32_t i = t.ops.first; i < t.ops.first + t.ops.count; ++i) {
      const op& o = p_.parts.ops[i];
      const plan_config& c = p_.configs[i];
      out_ << (i == t.ops.first ? ": " : "; ");
      plain(type_name(p_.parts, o));
      out_ << ' ';
      json::append_quoted(out_, name(p_.parts, o));
      for (const std::uint32_t u : reads(p_.parts, o)) tensor(u);
      // The results name the outputs, if there are any.
      out_ << " ->";
      for (const std::uint32_t u : o.results != 0 ? results(p_.parts, o) : writes(p_.parts, o))
        tensor(u);
      if (c.num_tasks >= 0) {
        out_ << ", ";
        count(c.num_tasks, "tile");
        const range tile = c.tile_shape_mnk.count != 0 ? c.tile_shape_mnk : c.tile;
        for (std::uint32_t d = 0; d < tile.count; ++d)
          out_ << (d == 0 ? " of " : "x") << p_.parts.integers[tile.first + d];
      }
      for (const string s : {c.impl_type, c.channel_type, c.packet_type}) {
        if (s.size == 0) continue;
        out_ << ", ";
        plain(text_of(p_.parts, s));
      }
    }
    out_ << '\n';
  }
  void group(const processor_group& g) {
    out_ << "group on processors ";
    bounds(g.processors);
    out_ << '\n';
    for (const resource_group& r : resource_groups(p_, g)) {
      out_ << "  ";
      if (r.processors.begin != g.processors.begin || r.processors.end != g.processors.end) {
        out_ << "processors ";
        bounds(r.processors);
        out_ << ", ";
      }
      out_ << "warps ";
      bounds(r.warps);
      out_ << ", memory ";
      bounds(r.sram);
      out_ << ':';
      bool first = true;
      for (const task_group& t : task_groups(p_, r)) {
        out_ << (first ? " task " : ", task ") << t.task_id << " tiles ";
        bounds(t.tasks);
        if (t.granularity != 1) out_ << " by " << t.granularity;
        first = false;
      }
      out_ << '\n';
    }
  }
  void tensor(std::uint32_t index) {
    const ark::tensor& t = p_.parts.tensors[index];
    const layout& l = p_.parts.layouts[t.layout];
    out_ << ' ' << t.id << ':' << info(t.type).name << '[';
    for (std::uint32_t d = 0; d < l.rank; ++d) out_ << (d == 0 ? "" : ",") << l.shape[d];
    out_ << ']';
  }
  void bounds(const plan_range& r) {
    out_ << r.begin << ".." << r.end;
    if (r.has_step) out_ << " step " << r.step;
  }
  void count(std::int64_t n, std::string_view what) {
    out_ << n << ' ' << what << (n == 1 ? "" : "s");
  }
  /// A text of the file, in quotes unless it is an identifier.
  void plain(std::string_view s) {
    bool letters = !s.empty();
    for (const char c : s)
      letters = letters && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '_' || c == ':' || c == '-');
    if (letters)
      out_ << s;
    else
      json::append_quoted(out_, s);
  }

  text& out_;
  const ark::plan& p_;
};

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_WRITE_HPP
