// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>

#include "tessera/transform/lower.hpp"
#include "tessera/vm/nem_timing.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

namespace nem_vm = vm::nem;

/// The value of a loop's @debug: what the step computes.
[[nodiscard]] std::string_view debug_of(const nem::model& d, std::uint32_t loop) {
  for (const std::uint32_t c : nem::children(d, loop)) {
    if (d.nodes[c].kind != nem::node_kind::decorator || d.name(d.nodes[c].value) != "debug")
      continue;
    return nem::name_of(d, c + 1);
  }
  return {};
}

/// The steps of a program by the loops that they are: which one a node belongs to.
class step_map {
 public:
  explicit step_map(const nem::model& d) {
    for (std::uint32_t i = 0; i < d.nodes.size(); i = d.nodes[i].next) {
      if (d.nodes[i].kind != nem::node_kind::loop) continue;
      const std::string_view name = debug_of(d, i);
      if (names.empty() || names.back() != name) {
        names.emplace_back(name);
        ends_.push_back(0);
      }
      ends_.back() = d.nodes[i].next;
    }
  }
  /// What is loaded before a loop belongs to its step.
  [[nodiscard]] std::size_t of(std::uint32_t node) const {
    const auto at = std::upper_bound(ends_.begin(), ends_.end(), node);
    return static_cast<std::size_t>(at - ends_.begin());
  }

  std::vector<std::string> names;

 private:
  std::vector<std::uint32_t> ends_;
};

[[nodiscard]] std::string shape_text(nem_vm::shape_view shape) {
  std::string out;
  for (const std::int64_t d : shape) out.append(out.empty() ? "" : "x").append(std::to_string(d));
  return out;
}

class collector {
 public:
  explicit collector(const nem::program& p) : map_(p.model()) {
    for (const std::string& name : map_.names) {
      out.steps.emplace_back().name = name;
      ends_.push_back(0);
    }
    for (std::size_t u = 0; u < nem::unit_count; ++u) out.units[u] = p.target()->topology.units[u];
    out.all.name = "all";
  }

  void add(const nem_vm::instance& t, const nem_vm::placement& at) {
    const std::size_t k = map_.of(t.task.node);
    if (k >= out.steps.size()) return;
    step_report& s = out.steps[k];
    const nem_vm::work w = nem_vm::work_of(t.what);
    const bool is_store = !t.buffers.empty() && t.buffers.back().level != nem::level::l1;
    s.tiles += is_store ? 1 : 0;
    s.macs += w.macs;
    s.bytes += w.bytes + gathered(t);
    s.busy[static_cast<std::size_t>(at.unit)] += at.end - at.start;
    ends_[k] = std::max(ends_[k], at.end);
    if (s.tile.empty() && !t.what.outputs.empty() && !t.what.outputs[0].shape.empty())
      s.tile = shape_text(t.what.outputs[0].shape);
  }

  void finish() {
    std::uint64_t last = 0;
    for (std::size_t k = 0; k < out.steps.size(); ++k) {
      step_report& s = out.steps[k];
      s.cycles = ends_[k] - std::min(last, ends_[k]);
      last = std::max(last, ends_[k]);
      s.roofline = least_cycles(s);
      out.all.tiles += s.tiles;
      out.all.cycles += s.cycles;
      out.all.macs += s.macs;
      out.all.bytes += s.bytes;
      out.all.roofline += s.roofline;
      for (std::size_t u = 0; u < nem::unit_count; ++u) out.all.busy[u] += s.busy[u];
    }
  }

  lower_report out;

 private:
  /// Bytes that a layout operation moves.
  [[nodiscard]] static std::uint64_t gathered(const nem_vm::instance& t) noexcept {
    if (nem::opcode_table[static_cast<std::size_t>(t.task.opcode)].category !=
        nem::opcode_category::layout)
      return 0;
    const nem_vm::tensor& y = t.what.outputs[0];
    return static_cast<std::uint64_t>(y.count()) * nem::bitwidth(y.element) / 8;
  }
  /// The unit type that has the most to do, were all of its units busy all the time.
  [[nodiscard]] std::uint64_t least_cycles(const step_report& s) const {
    std::uint64_t least = 0;
    for (std::size_t u = 0; u < nem::unit_count; ++u) {
      const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(out.units[u], 1));
      least = std::max(least, (s.busy[u] + count - 1) / count);
    }
    return least;
  }

  step_map map_;
  std::vector<std::uint64_t> ends_;
};

}  // namespace

result<lower_report> report_of(const nem::program& p, const budget& limit) {
  collector to(p);
  auto see = [&](const nem_vm::instance& t, const nem_vm::placement& at) { to.add(t, at); };
  nem_vm::timeline when(p, {}, see);
  nem_vm::machine machine(p, {.max_memory = limit.max_memory});
  for (const nem_vm::place& b : machine.buffers()) machine.mark_bound(b);
  const nem_vm::outcome done = machine.run(nullptr, &when, limit);
  if (!done) return error{done.code};
  to.finish();
  return std::move(to.out);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
