// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <limits>
#include <utility>

#include "transform/lower/tiling.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

constexpr std::size_t never = ~std::size_t{0};

/// Bytes that are in use for some steps.
struct lifetime {
  std::uint32_t home = 0;
  std::size_t first = 0, last = 0;
  std::int64_t size = 0, at = 0;
};

/// The lowest place that nothing else has at that time; of no more than `limit` bytes.
[[nodiscard]] bool find_place(lifetime& of, const std::vector<lifetime>& placed,
                              std::int64_t limit) {
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (const lifetime& l : placed)
    if (l.first <= of.last && of.first <= l.last) taken.emplace_back(l.at, l.at + l.size);
  std::sort(taken.begin(), taken.end());
  of.at = 0;
  for (const auto& [first, end] : taken) {
    if (first >= of.at + of.size) break;
    of.at = std::max(of.at, end);
  }
  return of.at + of.size <= limit;
}

}  // namespace

placement place(plan& p, const target& device) {
  std::vector<lifetime> lives(p.homes.size());
  for (std::uint32_t h = 0; h < p.homes.size(); ++h)
    lives[h] = {h, never, 0, aligned(p.homes[h].size * nem::bitwidth(p.homes[h].type) / 8), 0};
  const auto use = [&](const access& a, std::size_t s) {
    lifetime& l = lives[a.of.home];
    l.first = std::min(l.first, s);
    l.last = std::max(l.last, s);
  };
  for (std::size_t s = 0; s < p.steps.size(); ++s) {
    for (const access& a : p.steps[s].reads) use(a, s);
    use(p.steps[s].write, s);
  }
  std::vector<lifetime> order;
  for (const lifetime& l : lives)
    if (l.first != never && p.homes[l.home].what == home::kind::computed) order.push_back(l);
  std::stable_sort(order.begin(), order.end(),
                   [](const lifetime& a, const lifetime& b) { return a.first < b.first; });
  std::vector<lifetime> near, far;
  placement out;
  for (lifetime& l : order) {
    home& h = p.homes[l.home];
    const bool fits = !device.lacks(nem::unit::dma) && find_place(l, near, device.l2_size());
    if (!fits) (void)find_place(l, far, std::numeric_limits<std::int64_t>::max());
    h.level = fits ? nem::level::l2 : nem::level::ddr;
    h.offset = l.at;
    (fits ? near : far).push_back(l);
    std::int64_t& end = fits ? out.l2 : out.spill;
    end = std::max(end, l.at + l.size);
  }
  return out;
}

placement used_by(const plan& p) noexcept {
  placement out;
  for (const home& h : p.homes) {
    if (h.what != home::kind::computed) continue;
    std::int64_t& end = h.level == nem::level::l2 ? out.l2 : out.spill;
    end = std::max(end, h.offset + aligned(h.size * nem::bitwidth(h.type) / 8));
  }
  return out;
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
