// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Retiming. The bits of registers are a sum over values: bits times (stage of the last reader - own
// stage). All that binds stages are differences of two: an operand's is no later, and the end of a path
// that is too slow is in a later one than its start. For such sums there is always a set of operations
// that move on by one stage and save bits, unless none can be saved; the best set is a minimum cut. From
// the earliest stages on, as many such steps as there are stages are enough. Paths that are too slow are
// found when a step would make one.

#include "transform/alir_stages.hpp"

#include <algorithm>
#include <cmath>

#include "transform/alir_node.hpp"
#include "transform/minimum_cut.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

alir_timing::alir_timing(const alir::program& p, const std::vector<bool>& is_needed)
    : delay_(p.size()),
      first_operand_(p.size() + 1),
      is_placed_(p.size()),
      is_input_(p.size()),
      is_output_(p.size()) {
  std::vector<double> delay(p.size()), ready(p.size());
  double total = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const alir::opcode code = p.op(i).code;
    is_input_[i] = code == alir::opcode::input;
    is_placed_[i] = is_needed[i] && code != alir::opcode::constant;
    double latest = 0;
    bool has_operands = false;
    alir_node(p.model(), i).each_operand([&](std::int32_t& x) {
      const auto o = static_cast<std::size_t>(x);
      latest = has_operands ? std::max(latest, p.op(o).latency) : p.op(o).latency;
      has_operands = true;
      if (!is_placed_[i] || !is_placed_[o]) return;
      operands_.push_back(static_cast<std::uint32_t>(o));
      ready[i] = std::max(ready[i], ready[o]);
    });
    first_operand_[i + 1] = operands_.size();
    if (!is_placed_[i]) continue;
    if (has_operands) delay[i] = std::max(0.0, p.op(i).latency - latest);
    ready[i] += delay[i];
    total = std::max(total, ready[i]);
    is_finite_ = is_finite_ && std::isfinite(ready[i]);
  }
  for (const std::int32_t x : p.model().out_idxs)
    if (x >= 0) is_output_[static_cast<std::size_t>(x)] = true;
  if (!is_finite_) return;
  (void)std::frexp(total, &exponent_);
  exponent_ -= 48;
  for (std::size_t i = 0; i < p.size(); ++i) {
    delay_[i] = std::llround(std::ldexp(delay[i], -exponent_));
    if (delay_[i] > delay_[slowest_]) slowest_ = i;
  }
  total_ = visit_slow(std::vector<std::uint32_t>(size()), INT64_MAX, [](auto, auto) {});
}

std::int64_t alir_timing::ticks(double latency) const noexcept {
  const double all = std::ldexp(latency, -exponent_);
  if (all >= 0x1p60) return std::int64_t{1} << 60;
  // What is too much by rounding only is not too much.
  const std::int64_t whole = std::llround(all);
  return whole + (whole >> 30) + 8;
}
double alir_timing::latency(std::int64_t ticks) const noexcept {
  return std::ldexp(static_cast<double>(ticks), exponent_);
}

std::vector<std::uint32_t> alir_timing::earliest(std::int64_t cutoff) const {
  std::vector<std::uint32_t> stage(size(), none);
  std::vector<std::int64_t> ready(size());
  for (std::size_t i = 0; i < size(); ++i) {
    if (!is_placed_[i]) continue;
    stage[i] = 0;
    for (const std::uint32_t o : operands(i)) {
      if (stage[o] > stage[i]) stage[i] = stage[o], ready[i] = 0;
      if (stage[o] == stage[i]) ready[i] = std::max(ready[i], ready[o]);
    }
    if (ready[i] + delay_[i] > cutoff) ++stage[i], ready[i] = 0;
    ready[i] += delay_[i];
  }
  return stage;
}

std::uint32_t alir_timing::count(const std::vector<std::uint32_t>& stage) noexcept {
  std::uint32_t last = 0;
  for (const std::uint32_t s : stage)
    if (s != none) last = std::max(last, s);
  return last + 1;
}

std::int64_t alir_timing::cutoff_for(std::uint32_t stages) const {
  std::int64_t low = slowest(), high = std::max(total_, low);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (count(earliest(middle)) <= stages)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

std::int64_t alir_timing::latency_of(const std::vector<std::uint32_t>& stage) const {
  return visit_slow(stage, INT64_MAX, [](auto, auto) {});
}

namespace {

/// Steps of a retiming. Of the cut's nodes i < size() is operation i, size() + i the last reader of i.
class alir_retiming {
 public:
  alir_retiming(const alir_timing& t, std::int64_t cutoff, std::uint32_t stages,
                const std::vector<std::uint32_t>& bits, std::vector<std::uint32_t>& stage)
      : t_(t),
        cutoff_(cutoff),
        last_stage_(stages - 1),
        bits_(bits),
        stage_(stage),
        source_(static_cast<node>(2 * t.size())),
        sink_(source_ + 1) {}

  enum class step : std::uint8_t { moved, ended, no_work };

  [[nodiscard]] step next(std::uint64_t& work) {
    work -= std::min<std::uint64_t>(work, 8 * t_.size());
    minimum_cut cut(std::size_t{sink_} + 1, source_, sink_);
    find_last_readers();
    for (node i = 0; i < t_.size(); ++i)
      if (t_.is_placed(i)) add(cut, i);
    for (const auto& [start, end] : slow_) add_slow(cut, start, end);
    for (;;) {
      work -= std::min<std::uint64_t>(work, t_.size());
      if (!cut.run(work)) return step::no_work;
      std::vector<std::uint32_t> moved = stage_;
      bool any = false;
      for (node i = 0; i < t_.size(); ++i)
        if (can_move(i) && cut.is_source_side(i)) ++moved[i], any = true;
      if (!any) return step::ended;
      bool is_slow = false;
      t_.visit_slow(moved, cutoff_, [&](node start, node end) {
        is_slow = true;
        slow_.push_back({start, end});
        add_slow(cut, start, end);
      });
      if (is_slow) continue;
      stage_ = std::move(moved);
      return step::moved;
    }
  }

 private:
  using node = minimum_cut::node;

  [[nodiscard]] bool can_move(node i) const noexcept { return t_.is_placed(i) && !t_.is_input(i); }

  void find_last_readers() {
    last_.assign(t_.size(), 0);
    is_read_.assign(t_.size(), false);
    for (node i = 0; i < t_.size(); ++i) {
      if (!t_.is_placed(i)) continue;
      for (const node o : t_.operands(i)) {
        last_[o] = std::max(last_[o], stage_[i]);
        is_read_[o] = true;
      }
    }
  }
  void add(minimum_cut& cut, node i) const {
    constexpr std::int64_t always = minimum_cut::unlimited;
    const auto reader = static_cast<node>(t_.size() + i);
    const bool moves_last = !t_.is_output(i) && is_read_[i] && bits_[i] != 0;
    if (moves_last) cut.add_arc(reader, sink_, bits_[i]);
    if (can_move(i)) {
      if (stage_[i] == last_stage_) cut.add_arc(i, sink_, always);
      if (bits_[i] != 0 && (is_read_[i] || t_.is_output(i))) cut.add_arc(source_, i, bits_[i]);
    }
    for (const node o : t_.operands(i)) {
      if (!t_.is_output(o) && bits_[o] != 0 && last_[o] == stage_[i])
        cut.add_arc(i, static_cast<node>(t_.size() + o), always);
      if (can_move(o) && stage_[o] == stage_[i]) cut.add_arc(o, i, always);
    }
  }
  /// The start of a path that is too slow doesn't get to the stage of its end.
  void add_slow(minimum_cut& cut, node start, node end) const {
    if (can_move(start) && stage_[start] + 1 == stage_[end])
      cut.add_arc(start, end, minimum_cut::unlimited);
  }

  const alir_timing& t_;
  std::int64_t cutoff_;
  std::uint32_t last_stage_;
  const std::vector<std::uint32_t>& bits_;
  std::vector<std::uint32_t>& stage_;
  node source_, sink_;
  std::vector<std::uint32_t> last_;  ///< stage of the last reader
  std::vector<bool> is_read_;
  std::vector<std::pair<node, node>> slow_;
};

}  // namespace

bool retime(const alir_timing& t, std::int64_t cutoff, std::uint32_t stages,
            const std::vector<std::uint32_t>& bits, std::vector<std::uint32_t>& stage,
            std::uint64_t work) {
  alir_retiming steps(t, cutoff, stages, bits, stage);
  for (;;) {
    switch (steps.next(work)) {
      case alir_retiming::step::moved: break;
      case alir_retiming::step::ended: return true;
      case alir_retiming::step::no_work: return false;
    }
  }
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
