// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/plan.hpp.

#ifndef TESSERA_ARK_DETAIL_PLAN_HPP
#define TESSERA_ARK_DETAIL_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/json.hpp"
#include "../../core/report.hpp"
#include "../../core/result.hpp"
#include "../../core/text.hpp"
#include "../model.hpp"
#include "../plan.hpp"
#include "plan_check.hpp"
#include "plan_match.hpp"
#include "plan_model.hpp"
#include "plan_read.hpp"
#include "plan_verify.hpp"
#include "plan_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE std::size_t plan::memory() const noexcept {
  return parts.memory() + configs.size() * sizeof(plan_config) + tasks.size() * sizeof(plan_task) +
         processor_groups.size() * sizeof(processor_group) +
         resource_groups.size() * sizeof(resource_group) + task_groups.size() * sizeof(task_group);
}

TESSERA_INLINE result<plan> read_plan(std::string_view source, const read_options& options) {
  plan p;
  json::reader in(source, options.limit);
  detail::plan_reader(p, source, options.limit).all(in);
  if (const error e = in.finish(); e.code != errc::ok) return e;
  return p;
}

TESSERA_INLINE error check(const plan& p) { return detail::plan_check(p).all(); }

TESSERA_INLINE result<text> write_plan(const plan& p, const write_options& options) {
  if (const error e = check(p); e.code != errc::ok) return e;
  text out;
  detail::plan_writer writer(out, p, options.pretty);
  writer.all();
  errc code = writer.failed();
  if (code == errc::ok && !p.parts.members.empty()) {
    // Kept members may repeat a key, in a plan that was filled by hand.
    json::reader in(out, detail::no_limits);
    (void)in.skip();
    code = in.finish().code;
  }
  if (code != errc::ok) return error{code, 0};
  return out;
}

TESSERA_INLINE text print(const plan& p, const print_options&) {
  text out;
  detail::plan_printer(out, p).all();
  return out;
}

TESSERA_INLINE model plan_model(const plan& p) {
  model g = p.parts;
  g.own_members = none;
  g.form =
      p.parts.form == dialect::d2x || p.parts.form == dialect::d3x ? dialect::d3x : dialect::d3;
  for (layout& l : g.layouts) l.pads = none;
  g.ops.clear();
  g.nodes.clear();
  for (const detail::plan_place at : detail::plan_order(p)) {
    const std::uint32_t from = p.tasks[at.task].ops.first + at.op;
    node n;
    n.id = static_cast<std::int64_t>(g.nodes.size());
    n.offset = p.configs[from].offset;
    n.ops = {static_cast<std::uint32_t>(g.nodes.size()), 1};
    g.ops.push_back(p.parts.ops[from]);
    g.nodes.push_back(n);
  }
  detail::add_edges(g);
  return g;
}

TESSERA_INLINE error verify_plan(const plan& p, const plan_options& options, report* found) {
  detail::plan_findings findings(options, found);
  if (const error e = check(p); e.code != errc::ok) {
    findings.add(e.code, severity::error, {.offset = e.offset, .index = e.index}, "$");
  } else {
    const model made = plan_model(p);
    detail::plan_lint(p, made, findings).all();
    if (options.model != nullptr)
      detail::plan_matcher(p, made, options.model->model(), findings).all();
  }
  return findings.finish();
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_HPP
