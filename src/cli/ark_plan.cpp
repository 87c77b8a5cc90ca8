// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The verbs' actions for ARK plans.

#include <algorithm>
#include <map>
#include <string>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json.hpp>

#include "ark.hpp"
#include "tessera/inspect/ark/cost.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

[[nodiscard]] plan_outcome read_plan(const source& file, const reporting& to) {
  result<ark::plan> p = ark::read_plan(file.characters());
  if (p) return {std::move(*p), success};
  return {std::nullopt, to.fail(diagnose_ark(p.error(), file), bad_input, file.what)};
}

}  // namespace

plan_outcome verify_plan(const source& file, const reporting& to) {
  plan_outcome in = read_plan(file, to);
  if (!in.plan) return in;
  tessera::report found;
  const error e = ark::verify_plan(*in.plan, {.source = file.characters()}, &found);
  if (e.code != errc::ok) return {std::nullopt, to.fail(diagnose(found, file), file.what)};
  return in;
}

exit_code check_plan(const source& file, const reporting& to, const shown_findings& how,
                     const ark::program* model) {
  const plan_outcome in = read_plan(file, to);
  if (!in.plan) return in.code;
  tessera::report report;
  const error e =
      ark::verify_plan(*in.plan, {.model = model, .source = file.characters()}, &report);
  const bool ok = e.code == errc::ok;
  const std::vector<diagnostic> found = diagnose(report, file);
  if (to.as_json) {
    const text line = file_report(to.path, file.what, found);
    return print_result(line, ok ? success : bad_input);
  }
  show_findings(found, how, &report);
  if (!ok) return bad_input;
  std::string more = model != nullptr ? ", matches its model" : "";
  if (report.warnings != 0) more += ", " + plural(report.warnings, "warning");
  return print_ok(file, to, more);
}

namespace {

void write_range(json::writer& w, std::string_view key, const ark::plan_range& r) {
  w.key(key).begin_array().integer(r.begin).integer(r.end);
  if (r.has_step) w.integer(r.step);
  w.end();
}

void write_ids(json::writer& w, std::string_view key, const ark::model& g,
               view<std::uint32_t> tensors) {
  w.key(key).begin_array();
  for (const std::uint32_t t : tensors) w.integer(g.tensors[t].id);
  w.end();
}

void write_json(json::writer& w, const ark::plan& p) {
  const ark::model& g = p.parts;
  w.begin_object().key("format").string("ark").key("form").string("plan");
  w.key("rank").integer(g.rank).key("world_size").integer(g.world_size).key("architecture");
  w.string(text_of(g, p.architecture)).key("processors").integer(p.num_processors);
  w.key("warps_per_processor").integer(p.num_warps_per_processor).key("tasks").begin_array();
  for (const ark::plan_task& t : p.tasks) {
    w.begin_object().key("id").integer(t.id).key("warps").integer(t.num_warps).key("sram_bytes");
    w.integer(t.sram_bytes).key("operations").begin_array();
    const view<ark::op> ops = operations(p, t);
    const view<ark::plan_config> how = configs(p, t);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      w.begin_object().key("type").string(type_name(g, ops[i])).key("name").string(name(g, ops[i]));
      write_ids(w, "reads", g, reads(g, ops[i]));
      write_ids(w, "writes", g, writes(g, ops[i]));
      write_ids(w, "results", g, results(g, ops[i]));
      json::reader config(text_of(g, how[i].text));
      w.key("config");
      json::copy(config, w);
      w.end();
    }
    w.end().end();
  }
  w.end().key("processor_groups").begin_array();
  for (const ark::processor_group& group : p.processor_groups) {
    w.begin_object();
    write_range(w, "processors", group.processors);
    w.key("resource_groups").begin_array();
    for (const ark::resource_group& r : resource_groups(p, group)) {
      w.begin_object();
      write_range(w, "processors", r.processors);
      write_range(w, "warps", r.warps);
      write_range(w, "sram", r.sram);
      w.key("task_groups").begin_array();
      for (const ark::task_group& t : task_groups(p, r)) {
        w.begin_object().key("task").integer(t.task_id);
        write_range(w, "tasks", t.tasks);
        w.key("granularity").integer(t.granularity).end();
      }
      w.end().end();
    }
    w.end().end();
  }
  w.end().end();
}

/// What `info` shows of a plan.
struct plan_facts {
  explicit plan_facts(const ark::plan& p) {
    std::map<std::string_view, std::uint64_t> types;
    for (const ark::op& o : p.parts.ops) {
      total.add(inspect::cost_of(p.parts, o));
      ++types[type_name(p.parts, o)];
    }
    for (const auto& [name, count] : types) ops.emplace_back(name, count);
    for (const ark::plan_config& c : p.configs)
      if (c.num_tasks > 0)
        tiles = inspect::saturating_add(tiles, static_cast<std::uint64_t>(c.num_tasks));
    for (const ark::plan_task& t : p.tasks) {
      max_warps = std::max(max_warps, t.num_warps);
      max_sram = std::max(max_sram, t.sram_bytes);
    }
  }
  inspect::cost total;
  std::uint64_t tiles = 0;
  std::int64_t max_warps = 0, max_sram = 0;
  std::vector<std::pair<std::string, std::uint64_t>> ops;
};

}  // namespace

exit_code info_plan(const source& file, const reporting& to) {
  const plan_outcome in = read_plan(file, to);
  if (!in.plan) return in.code;
  const ark::plan& p = *in.plan;
  const ark::model& g = p.parts;
  const plan_facts facts(p);
  text out;
  if (to.as_json) {
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to.path)).key("format").string("ark");
    w.key("form").string("plan").key("bytes").integer(file.data().size());
    w.key("rank").integer(g.rank).key("world_size").integer(g.world_size).key("architecture");
    w.string(text_of(g, p.architecture)).key("processors").integer(p.num_processors);
    w.key("warps_per_processor").integer(p.num_warps_per_processor);
    w.key("tasks").integer(p.tasks.size()).key("operations").integer(g.ops.size());
    w.key("types").begin_object();
    for (const auto& [name, count] : facts.ops) w.key(name).integer(count);
    w.end().key("tiles").integer(facts.tiles).key("most_warps").integer(facts.max_warps);
    w.key("most_sram_bytes").integer(facts.max_sram);
    w.key("processor_groups").integer(p.processor_groups.size());
    w.key("resource_groups").integer(p.resource_groups.size());
    w.key("task_groups").integer(p.task_groups.size()).key("flops").integer(facts.total.flops);
    w.key("bytes_read").integer(facts.total.read);
    w.key("bytes_written").integer(facts.total.written).end();
    out << '\n';
    return print_result(out);
  }
  out << file.name << ": ARK plan, rank " << g.rank << " of " << g.world_size << ", "
      << file.data().size() << " bytes\n";
  if (!text_of(g, p.architecture).empty())
    out << "  architecture " << shown_name(text_of(g, p.architecture)) << '\n';
  out << "  processors  " << p.num_processors << " with " << p.num_warps_per_processor
      << " warps each\n  tasks       " << p.tasks.size() << " of " << g.ops.size()
      << " operations and " << facts.tiles << " tiles\n";
  out << "  operations";
  std::string_view between = "  ";
  for (const auto& [name, count] : facts.ops) {
    out << between << count << ' ' << shown_name(name);
    between = ", ";
  }
  out << "\n  a tile has  at most " << facts.max_warps << " warps and " << facts.max_sram
      << " bytes of SRAM\n  groups      " << p.processor_groups.size() << " of processors, "
      << p.resource_groups.size() << " of resources, " << p.task_groups.size() << " of tasks\n";
  return print_result(out);
}

exit_code print_plan(const source& file, const reporting& to) {
  const plan_outcome in = read_plan(file, to);
  if (!in.plan) return in.code;
  text out;
  if (!to.as_json) {
    out = ark::print(*in.plan);
  } else {
    json::writer w(out);
    write_json(w, *in.plan);
    out << '\n';
  }
  return print_result(out);
}

exit_code convert_plan(const source& file, const reporting& to, const std::string& output,
                       bool pretty) {
  const plan_outcome in = read_plan(file, to);
  if (!in.plan) return in.code;
  const result<text> out = ark::write_plan(*in.plan, {.pretty = pretty});
  if (!out) return to.fail(diagnose_ark(out.error(), file), bad_input, file.what);
  return write_result(output, as_bytes(*out));
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
