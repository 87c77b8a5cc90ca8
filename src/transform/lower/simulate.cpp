// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/simulate.hpp"

#include <algorithm>

#include "tessera/vm/nem_timing.hpp"
#include "transform/lower/emit.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

void declare_buffers(nem::builder& to, const plan& p, const placement& used, std::int64_t weights,
                     std::int64_t l1) {
  for (const home& h : p.homes) {
    if (h.buffer.empty()) continue;
    to.buffer(h.buffer, nem::level::ddr, h.size * nem::bitwidth(h.type) / 8, alignment);
    to.decorate(h.what == home::kind::input ? nem::decorator::readonly : nem::decorator::writeonly);
  }
  if (weights != 0)
    to.buffer("weights", nem::level::ddr, weights, alignment).decorate(nem::decorator::readonly);
  if (used.spill != 0) to.buffer("spill", nem::level::ddr, used.spill, alignment);
  if (used.l2 != 0) to.buffer("l2", nem::level::l2, used.l2, alignment);
  if (l1 != 0) to.buffer("l1", nem::level::l1, l1, alignment);
}

namespace {

/// Tasks of a tiling, about.
[[nodiscard]] std::int64_t tasks_of(const tiling& t) noexcept {
  const auto of_tile = static_cast<std::int64_t>(t.step.reads.size() + t.step.tasks.size());
  return t.tiles() * (t.has_columns ? of_tile * t.slices : of_tile + 4 * (t.slices - 1));
}

/// What CSTLs do, were layout operations as slow as transfers of as many bytes: a tiling isn't better for
/// gathering what it could transfer.
class gathering {
 public:
  void add(const vm::nem::instance& t, const vm::nem::placement& at) {
    if (at.unit != nem::unit::cstl) return;
    std::uint64_t cycles = at.end - at.start;
    if (nem::opcode_table[static_cast<std::size_t>(t.task.opcode)].category ==
        nem::opcode_category::layout) {
      const vm::nem::tensor& y = t.what.outputs[0];
      const vm::nem::timing_profile costs;
      const auto bytes = static_cast<std::uint64_t>(y.count()) * nem::bitwidth(y.element) / 8;
      cycles = std::max(cycles, bytes / costs.bandwidth + costs.transfer_latency);
    }
    busy_ += cycles;
  }
  [[nodiscard]] double busy() const noexcept { return static_cast<double>(busy_); }

 private:
  std::uint64_t busy_ = 0;
};

}  // namespace

std::optional<double> cycles_of(const plan& p, const tiling& t, const target& device,
                                std::int64_t most_tasks) {
  if (tasks_of(t) > most_tasks) return std::nullopt;
  tiling alone = t;
  place_at(alone, 0, t.ahead_bytes);
  weight_file weights(p);
  for (const access& a : alone.step.reads)
    if (p.homes[a.of.home].what == home::kind::constant) (void)weights.place_of(a);
  nem::builder all;
  device.write(all);
  all.program("step");
  const placement used = used_by(p);
  declare_buffers(all, p, used, weights.size(), t.ahead_bytes + t.rest_bytes);
  emitter(all, p, weights, device.max_tokens()).write(alone, nullptr);
  result<nem::model> model = all.finish();
  if (!model) return std::nullopt;
  nem::verify_options how;
  how.hazard_steps = 0;
  const result<nem::program> program = nem::verify(std::move(*model), how);
  if (!program) return std::nullopt;
  vm::nem::machine machine(*program, {.races = vm::nem::race_search::never, .is_dry = true});
  gathering moves;
  auto see = [&](const vm::nem::instance& i, const vm::nem::placement& at) { moves.add(i, at); };
  vm::nem::timeline when(*program, {}, see);
  if (!machine.run(nullptr, &when)) return std::nullopt;
  return std::max(static_cast<double>(when.report().cycles),
                  moves.busy() / static_cast<double>(device.units(nem::unit::cstl)));
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
