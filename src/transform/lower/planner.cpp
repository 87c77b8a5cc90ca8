// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <optional>
#include <utility>

#include "transform/lower/search.hpp"
#include "transform/lower/simulate.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

/// Tilings of the steps, the last one first: what a step loads ahead takes memory and tokens from the
/// one before.
class planner {
 public:
  planner(const plan& p, const target& device, unsigned effort)
      : plan_(p), device_(device), effort_(effort) {
    for (const step& s : p.steps) all_work_ += work_of(s);
  }

  [[nodiscard]] std::vector<tiling> run() {
    all_.resize(plan_.steps.size());
    for (std::size_t k = all_.size(); k-- != 0;) all_[k] = best(k);
    place_in_l1();
    return std::move(all_);
  }

 private:
  /// Multiply-accumulates and elements.
  [[nodiscard]] double work_of(const step& s) const {
    return static_cast<double>(product(s.dims)) *
           static_cast<double>(std::max<std::int64_t>(terms_of(s, device_), 1));
  }
  [[nodiscard]] tiling best(std::size_t k) {
    limits of{device_.l1_size(), device_.max_tokens(), no_dimension, k != 0};
    if (k != 0) of.written_before = plan_.steps[k - 1].write.of.home;
    refusal why;
    std::optional<tiling> best = best_of(of, k, why);
    if (!best) throw why;
    if (k + 1 == all_.size() || all_[k + 1].ahead_bytes == 0) return std::move(*best);
    tiling& next = all_[k + 1];
    if (best->ahead_bytes + best->rest_bytes + next.ahead_bytes <= of.l1 &&
        best->tokens + next.ahead_tokens <= of.tokens)
      return std::move(*best);
    of.l1 -= next.ahead_bytes;
    of.tokens -= next.ahead_tokens;
    std::optional<tiling> less = best_of(of, k, why);
    if (less && less->cost <= best->cost + next.ahead_cost / 2) return std::move(*less);
    next.is_ahead.assign(next.is_ahead.size(), false);
    next.ahead_tokens = 0;
    const std::int64_t bytes = next.ahead_bytes + next.rest_bytes;
    lay_out(next);
    next.rest_bytes = bytes;
    return std::move(*best);
  }
  /// By the timeline, as far as the effort allows; otherwise by the formula.
  [[nodiscard]] std::optional<tiling> best_of(const limits& of, std::size_t k, refusal& why) const {
    const bool is_large = work_of(plan_.steps[k]) * 64 >= all_work_;
    const std::size_t count = effort_ == 0 || (effort_ == 1 && !is_large) ? 1
                              : effort_ == 1                              ? 4
                                                                          : 16;
    searched found = search(plan_, plan_.steps[k], device_, of, count);
    std::vector<tiling>& all = found.best;
    if (all.empty()) {
      why = std::move(found.why);
      return std::nullopt;
    }
    std::size_t best = 0;
    for (std::size_t i = 0; i < all.size() && all.size() > 1; ++i) {
      const std::optional<double> cycles = cycles_of(plan_, all[i], device_, most_tasks);
      if (cycles) all[i].cost = *cycles + all[i].ahead_cost / 2;
      if (all[i].cost < all[best].cost) best = i;
    }
    if (all.size() > 1 && all[best].has_pieces()) try_depths(all[best]);
    return std::move(all[best]);
  }
  /// What is loaded in pieces is there sooner for fewer tiles at once, which are done later.
  void try_depths(tiling& t) const {
    tiling other = t;
    for (std::int64_t d = device_.units(nem::unit::nmu) + 1; d <= t.most_depth; ++d) {
      set_depth(other, d);
      const std::optional<double> cycles = cycles_of(plan_, other, device_, most_tasks);
      if (cycles && *cycles + t.ahead_cost / 2 < t.cost) {
        t = other;
        t.cost = *cycles + t.ahead_cost / 2;
      }
    }
  }

  /// What steps load ahead is at the lower end of L1 and at the upper end, by turns.
  void place_in_l1() {
    std::int64_t size = 0;
    for (std::size_t k = 0; k < all_.size(); ++k)
      size = std::max(size, all_[k].rest_bytes + all_[k].ahead_bytes + ahead_of(k + 1));
    for (std::size_t k = 0; k < all_.size(); ++k) {
      tiling& t = all_[k];
      const bool is_low = k % 2 == 0;
      const std::int64_t ahead = is_low ? 0 : size - t.ahead_bytes;
      const std::int64_t rest = is_low ? t.ahead_bytes : ahead_of(k + 1);
      place_at(t, ahead, rest);
      t.l1_bytes = size;
    }
  }
  [[nodiscard]] std::int64_t ahead_of(std::size_t k) const noexcept {
    return k < all_.size() ? all_[k].ahead_bytes : 0;
  }

  static constexpr std::int64_t most_tasks = 1 << 14;  ///< of a run in abstract time

  const plan& plan_;
  const target& device_;
  unsigned effort_;
  double all_work_ = 0;
  std::vector<tiling> all_;
};

}  // namespace

std::vector<tiling> best_tilings(const plan& p, const target& device, unsigned effort) {
  return planner(p, device, effort).run();
}

std::optional<double> cost_of(const plan& p, const step& s, const target& device) {
  const limits whole{device.l1_size(), device.max_tokens(), no_dimension, false};
  const std::vector<tiling> best = search(p, s, device, whole, 1).best;
  return best.empty() ? std::nullopt : std::optional(best[0].cost);
}

bool fits_l1(const plan& p, const step& s, const target& device) {
  const limits whole{device.l1_size(), device.max_tokens(), no_dimension, false};
  return !search(p, s, device, whole, 1).best.empty();
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
