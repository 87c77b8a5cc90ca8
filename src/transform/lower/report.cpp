// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

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

/// Of "s12_0", which the emitter calls what step 12 loads before its loops.
[[nodiscard]] std::optional<std::size_t> step_of_token(std::string_view name) noexcept {
  std::size_t step = 0;
  if (!name.starts_with('s')) return std::nullopt;
  const auto [end, failed] = std::from_chars(name.data() + 1, name.data() + name.size(), step);
  if (failed != std::errc() || end == name.data() + name.size() || *end != '_') return std::nullopt;
  return step;
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
  /// What is loaded before a loop belongs to its step, or to the one that the token's name says.
  [[nodiscard]] std::size_t of(const nem::model& d, const nem::task& t) const {
    if (t.token != nem::no_name)
      if (const std::optional<std::size_t> step = step_of_token(d.name(t.token))) return *step;
    const auto at = std::upper_bound(ends_.begin(), ends_.end(), t.node);
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

/// Bytes of a buffer, each counted once.
class byte_set {
 public:
  void add(std::uint64_t first, std::uint64_t size) { all_.emplace_back(first, first + size); }
  [[nodiscard]] std::uint64_t count() {
    std::sort(all_.begin(), all_.end());
    std::uint64_t n = 0, end = 0;
    for (const auto& [first, last] : all_) {
      n += std::max(last, end) - std::max(first, end);
      end = std::max(last, end);
    }
    return n;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all_;
};

/// What a step, or a program, has to do on any schedule.
struct demand {
  std::uint64_t macs = 0, mac_cycles = 0;  ///< of one NMU at its peak
  std::uint64_t elements = 0;              ///< of CSTL
  std::uint64_t ddr = 0, l2 = 0;           ///< bytes that are loaded from there
  std::uint64_t stored = 0;                ///< bytes
};

class collector {
 public:
  explicit collector(const nem::program& p, const nem_vm::machine& machine)
      : program_(p), machine_(machine), map_(p.model()) {
    for (const std::string& name : map_.names) {
      out.steps.emplace_back().name = name;
      ends_.push_back(0);
    }
    demands_.resize(map_.names.size());
    moved_.resize(map_.names.size());
    for (std::size_t u = 0; u < nem::unit_count; ++u) out.units[u] = p.target()->topology.units[u];
    out.all.name = "all";
  }

  void add(const nem_vm::instance& t, const nem_vm::placement& at) {
    const std::size_t k = map_.of(program_.model(), t.task);
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
    note(k, t, w);
  }

  void finish() {
    std::uint64_t last = 0;
    demand all;
    for (std::size_t k = 0; k < out.steps.size(); ++k) {
      step_report& s = out.steps[k];
      s.cycles = ends_[k] - std::min(last, ends_[k]);
      last = std::max(last, ends_[k]);
      count_bytes(k);
      s.roofline = bound_of(demands_[k]);
      out.all.tiles += s.tiles;
      out.all.cycles += s.cycles;
      out.all.macs += s.macs;
      out.all.bytes += s.bytes;
      all.mac_cycles += demands_[k].mac_cycles;
      all.elements += demands_[k].elements;
      for (std::size_t u = 0; u < nem::unit_count; ++u) out.all.busy[u] += s.busy[u];
    }
    // Of the program as a whole, what is between its steps need not be moved.
    for (auto& [buffer, bytes] : ported_) {
      const bool is_output = (machine_.buffers()[buffer].flags & nem::flag_writeonly) != 0;
      (is_output ? all.stored : all.ddr) += bytes.count();
    }
    out.all.roofline = bound_of(all);
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

  void note(std::size_t k, const nem_vm::instance& t, const nem_vm::work& w) {
    demand& d = demands_[k];
    const nem::opcode_category c =
        nem::opcode_table[static_cast<std::size_t>(t.task.opcode)].category;
    if (c == nem::opcode_category::data_movement) return note_move(k, t);
    if (c == nem::opcode_category::linear_algebra || c == nem::opcode_category::convolution) {
      d.macs += w.macs;
      d.mac_cycles +=
          ceil_div(w.macs, nem_vm::macs_per_cycle({}, program_.catalog(), program_.target(),
                                                  t.what.inputs[1].element));
    } else if (c != nem::opcode_category::layout) {
      d.elements += w.elements;
    }
  }
  /// A transfer to L1 or a store from there, of bytes that may have been moved before.
  void note_move(std::size_t k, const nem_vm::instance& t) {
    const bool is_load = t.task.opcode == nem::opcode::transfer;
    const nem_vm::tensor& far = is_load ? t.what.inputs[0] : t.what.outputs[0];
    const nem_vm::touched_buffer& b = is_load ? t.buffers.front() : t.buffers.back();
    const nem_vm::place& whole = machine_.buffers()[b.index];
    const auto first =
        static_cast<std::uint64_t>(far.data - std::as_const(machine_).bytes(whole).data());
    const auto size = static_cast<std::uint64_t>(far.extent);
    moved_[k][{b.index, is_load}].add(first, size);
    if (whole.level == nem::level::ddr &&
        (whole.flags & (nem::flag_readonly | nem::flag_writeonly)) != 0)
      ported_[b.index].add(first, size);
  }
  void count_bytes(std::size_t k) {
    demand& d = demands_[k];
    for (auto& [what, bytes] : moved_[k]) {
      const auto& [buffer, is_load] = what;
      const bool is_far = machine_.buffers()[buffer].level == nem::level::ddr;
      (!is_load ? d.stored : is_far ? d.ddr : d.l2) += bytes.count();
    }
  }

  [[nodiscard]] static std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) noexcept {
    return a / b + (a % b != 0 ? 1 : 0);
  }
  /// The most that units of one type have to do, were all of them busy all the time.
  [[nodiscard]] std::uint64_t bound_of(const demand& d) const {
    const nem_vm::timing_profile costs;
    const auto on = [&](nem::unit u, std::uint64_t cycles) {
      const std::int64_t count = out.units[static_cast<std::size_t>(u)];
      return ceil_div(cycles, static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1)));
    };
    return std::max({on(nem::unit::nmu, d.mac_cycles),
                     on(nem::unit::sdma, ceil_div(d.ddr, costs.bandwidth)),
                     on(nem::unit::dma, ceil_div(d.l2, costs.bandwidth)),
                     on(nem::unit::cstl, ceil_div(d.elements, costs.elements) +
                                             ceil_div(d.stored, costs.bandwidth))});
  }

  const nem::program& program_;
  const nem_vm::machine& machine_;
  step_map map_;
  std::vector<std::uint64_t> ends_;
  std::vector<demand> demands_;
  std::vector<std::map<std::pair<std::uint32_t, bool>, byte_set>> moved_;  // by step
  std::map<std::uint32_t, byte_set> ported_;  // of inputs, weights and outputs
};

}  // namespace

result<lower_report> report_of(const nem::program& p, const budget& limit) {
  nem_vm::machine machine(p, {.max_memory = limit.max_memory, .is_dry = true});
  collector to(p, machine);
  auto see = [&](const nem_vm::instance& t, const nem_vm::placement& at) { to.add(t, at); };
  nem_vm::timeline when(p, {}, see);
  const nem_vm::outcome done = machine.run(nullptr, &when, limit);
  if (!done) return error{done.code};
  to.finish();
  return std::move(to.out);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
