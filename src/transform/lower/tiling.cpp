// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/tiling.hpp"

#include <algorithm>
#include <limits>

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

constexpr std::size_t none = ~std::size_t{0};

[[nodiscard]] std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept {
  return (a + b - 1) / b;
}

/// The dimension of a view that follows one of the step.
[[nodiscard]] std::size_t follower(const access& a, std::size_t dimension) noexcept {
  for (std::size_t k = 0; k < a.follows.size(); ++k)
    if (a.follows[k] == static_cast<std::int32_t>(dimension)) return k;
  return none;
}

template <class F>
void each_access(step& s, F&& f) {
  for (access& a : s.reads) f(a);
  f(s.write);
}

void drop_dimension(step& s, std::size_t d) {
  s.dims.erase(s.dims.begin() + static_cast<std::ptrdiff_t>(d));
  each_access(s, [d](access& a) {
    if (const std::size_t k = follower(a, d); k != none) {
      a.of = without(a.of, k);
      a.follows.erase(a.follows.begin() + static_cast<std::ptrdiff_t>(k));
    }
    for (std::int32_t& f : a.follows)
      if (f > static_cast<std::int32_t>(d)) --f;
  });
}

/// Whether dimensions d and d + 1 are one for an access.
[[nodiscard]] bool is_one(const access& a, std::size_t d) noexcept {
  const std::size_t k = follower(a, d), n = follower(a, d + 1);
  if (k == none && n == none) return true;
  return k != none && n == k + 1 && a.of.strides[k] == a.of.strides[n] * a.of.shape[n];
}

/// Merges dimensions that all accesses go through alike.
void merge_dimensions(step& s) {
  for (std::size_t d = s.dims.size(); d-- != 0;)
    if (s.dims[d] == 1 && s.dims.size() > 1) drop_dimension(s, d);
  for (std::size_t d = s.dims.size() - 1; d-- != 0;) {
    bool all = is_one(s.write, d);
    for (const access& a : s.reads) all = all && is_one(a, d);
    if (!all) continue;
    each_access(s, [d](access& a) {
      if (const std::size_t k = follower(a, d); k != none) a.of.shape[k + 1] *= a.of.shape[k];
    });
    s.dims[d + 1] *= s.dims[d];
    drop_dimension(s, d);
  }
}

/// A dimension of 1 before all others.
void add_dimension(step& s) {
  s.dims.insert(s.dims.begin(), 1);
  each_access(s, [](access& a) {
    for (std::int32_t& f : a.follows)
      if (f >= 0) ++f;
  });
  s.window.dimension += 1;
}

/// The columns in blocks of `size`: a dimension of blocks before all others.
[[nodiscard]] step by_blocks(const step& from, std::int64_t size) {
  step s = from;
  const auto last = static_cast<std::int32_t>(s.dims.size());
  const std::int64_t blocks = s.dims.back() / size;
  add_dimension(s);
  s.dims.front() = blocks;
  s.dims.back() = size;
  each_access(s, [&](access& a) {
    const std::size_t k = follower(a, static_cast<std::size_t>(last));
    if (k == none) return;
    const std::int64_t stride = a.of.strides[k];
    a.of.shape[k] = size;
    a.of.shape.insert(a.of.shape.begin(), blocks);
    a.of.strides.insert(a.of.strides.begin(), stride * size);
    a.follows.insert(a.follows.begin(), 0);
  });
  return s;
}

/// The tiles of a dimension, those of one form together.
[[nodiscard]] std::vector<segment> segments_of(const step& s, std::uint32_t d, std::int64_t size) {
  const std::int64_t rows = s.dims[d];
  const window& w = s.window;
  std::int64_t in = 0;
  if (w.exists) in = s.reads[w.read].of.shape[follower(s.reads[w.read], w.dimension)];
  std::vector<segment> out;
  for (std::int64_t j = 0; j < ceil_div(rows, size); ++j) {
    segment g{j, 1, std::min(size, rows - j * size), 0, 0, 0, 0};
    if (w.exists && w.dimension == d) {
      const std::int64_t first = j * size * w.stride - w.before;
      const std::int64_t end = first + (g.rows - 1) * w.stride + w.extent;
      g.in_first = std::max<std::int64_t>(first, 0);
      g.in_rows = std::min(end, in) - g.in_first;
      g.top = g.in_first - first;
      g.bottom = std::max<std::int64_t>(end - in, 0);
    } else if (w.exists) {
      g.in_rows = in;
      g.top = w.before;
      // What the last window doesn't reach is no padding.
      g.bottom = (s.dims[w.dimension] - 1) * w.stride + w.extent - w.before - in;
      if (g.bottom < 0) {
        g.in_rows += g.bottom;
        g.bottom = 0;
      }
    }
    const bool same = !out.empty() && out.back().rows == g.rows &&
                      out.back().in_rows == g.in_rows && out.back().top == g.top &&
                      out.back().bottom == g.bottom && g.top == 0;
    if (same)
      ++out.back().count;
    else
      out.push_back(g);
  }
  return out;
}

/// Elements of the first tiles to try: all, halves, thirds …
[[nodiscard]] std::vector<std::int64_t> tile_sizes(std::int64_t n) {
  std::vector<std::int64_t> out;
  for (std::int64_t parts = 1; parts <= n;) {
    const std::int64_t size = ceil_div(n, parts);
    if (out.empty() || out.back() != size) out.push_back(size);
    parts += std::max<std::int64_t>(1, parts / 4);
  }
  if (out.back() != 1) out.push_back(1);
  return out;
}

// ---- costs, as vm/nem_timing.hpp counts them

struct load_on_units {
  double nmu = 0, cstl = 0, dma = 0, sdma = 0;
  double serial = 0;  ///< of one tile: from its first load to its store
};

class estimator {
 public:
  estimator(const plan& p, const target& device) : plan_(p), device_(device) {}

  [[nodiscard]] double cost(const tiling& t) const {
    load_on_units all;
    double once = 0;
    const segment& g = t.segments.front();
    const auto tiles = static_cast<double>(t.tiles());
    double first = 0;
    for (std::size_t r = 0; r < t.step.reads.size(); ++r) {
      if (t.loads[r] == loading::never) continue;
      const double times = t.loads[r] == loading::once       ? 1
                           : t.loads[r] == loading::by_outer ? static_cast<double>(t.outer)
                                                             : tiles;
      const double cycles = move(t.step.reads[r], t.read_shape(r, g), times, all, false);
      if (t.loads[r] == loading::by_tile)
        first = std::max(first, cycles);
      else
        once += cycles / static_cast<double>(t.parts[r]);
    }
    all.serial = first;
    const dimensions tile = t.tile_shape(g);
    const std::int64_t elements = product(tile);
    for (const tile_task& task : t.step.tasks) {
      const double cycles = compute(t, task, g, elements);
      (is_product(task.op) ? all.nmu : all.cstl) += cycles * tiles;
      all.serial += cycles;
    }
    all.serial += move(t.step.write, tile, tiles, all, true);
    const double busy =
        std::max({all.nmu / units(nem::unit::nmu), all.cstl / units(nem::unit::cstl),
                  all.dma / units(nem::unit::dma), all.sdma / units(nem::unit::sdma),
                  tiles * all.serial / static_cast<double>(t.depth)});
    return busy + once + all.serial * static_cast<double>(t.segments.size());
  }

 private:
  [[nodiscard]] double units(nem::unit u) const noexcept {
    return static_cast<double>(device_.units(u));
  }
  [[nodiscard]] static bool is_product(nem::opcode op) noexcept {
    return op == nem::opcode::conv2d || op == nem::opcode::gemm;
  }
  [[nodiscard]] double compute(const tiling& t, const tile_task& task, const segment& g,
                               std::int64_t elements) const {
    if (!is_product(task.op)) {
      const std::int64_t read = task.in[0].what == task_operand::kind::read
                                    ? product(t.read_shape(task.in[0].index, g))
                                    : 0;
      return static_cast<double>(ceil_div(std::max(elements, read), 256) + 1);
    }
    const dimensions x = t.read_shape(task.in[0].index, g);
    std::int64_t depth = x.back();
    if (t.step.window.exists) {
      const dimensions w = t.read_shape(task.in[1].index, g);
      depth = product(w) / w.back();
    }
    const nem::element type = form_of(t.step, task.in[1]).type;
    return static_cast<double>(ceil_div(elements * depth, device_.macs(type)) + 2);
  }
  /// Cycles of one move; `times` of them are added to the units.
  double move(const access& a, const dimensions& box, double times, load_on_units& to,
              bool is_store) const {
    const home& h = plan_.homes[a.of.home];
    const bool is_packed = h.what == home::kind::constant;
    if (is_packed || is_contiguous(box, a.of.strides)) {
      const double cycles = static_cast<double>(ceil_div(product(box) * a.form.size(), 32) + 4);
      (is_store ? to.cstl : h.level == nem::level::ddr ? to.sdma : to.dma) += cycles * times;
      return cycles;
    }
    const double cycles = static_cast<double>(ceil_div(product(box), 256) + 1);
    to.cstl += cycles * times;
    return cycles;
  }

  const plan& plan_;
  const target& device_;
};

class searcher {
 public:
  searcher(const plan& p, const step& s, const target& device)
      : plan_(p), step_(s), device_(device), costs_(p, device) {}

  [[nodiscard]] tiling best() {
    step whole = step_;
    if (whole.is_plain) merge_dimensions(whole);
    if (whole.fixed >= whole.dims.size()) add_dimension(whole);
    try_step(whole, 0);
    const std::int64_t columns = whole.dims.back();
    for (std::int64_t blocks = 2; blocks <= 256 && whole.can_split; ++blocks)
      if (columns % blocks == 0 && whole.dims.size() > 1)
        try_step(by_blocks(whole, columns / blocks), 1);
    if (!found_ && fewest_ != unlimited)
      throw refusal{errc::nac_lower_memory, step_.instruction,
                    step_.name + " on " + device_.name() + ": it takes " + std::to_string(fewest_) +
                        " tiles that fit its L1 of " + std::to_string(device_.l1_size()) +
                        " bytes; expected at most " + std::to_string(max_tiles)};
    if (!found_)
      throw refusal{errc::nac_lower_memory, step_.instruction,
                    step_.name + " on " + device_.name() + ": the smallest tile takes " +
                        std::to_string(least_) + " bytes of L1; it has " +
                        std::to_string(device_.l1_size())};
    return std::move(best_);
  }

 private:
  void try_step(const step& s, std::uint32_t first_dimension) {
    const auto end = static_cast<std::uint32_t>(s.dims.size()) - s.fixed;
    for (std::uint32_t d = first_dimension; d < std::max(end, first_dimension + 1); ++d)
      for (const std::int64_t size : tile_sizes(s.dims[d])) try_tiles(s, d, size);
  }

  void try_tiles(const step& s, std::uint32_t d, std::int64_t size) {
    tiling t;
    t.dimension = d;
    t.size = size;
    t.outer = product(std::span(s.dims).first(d));
    t.segments = segments_of(s, d, size);
    t.step = s;
    for (const segment& g : t.segments)
      if (s.window.exists && g.in_rows <= 0) return;  // a tile of padding only
    lay_out(t);
    const std::int64_t most = most_depth(t);
    const std::int64_t left = device_.l1_size() - t.slots_at;
    const std::int64_t fit = left < 0 ? 0 : t.slot_size == 0 ? most : left / t.slot_size;
    least_ = std::min(least_, t.slots_at + t.slot_size);
    if (fit < 1) return;
    fewest_ = std::min(fewest_, t.tiles());
    if (t.tiles() > max_tiles) return;
    t.depth = std::min(most, fit);
    t.l1_bytes = t.slots_at + t.depth * t.slot_size;
    t.cost = costs_.cost(t);
    if (found_ && t.cost >= best_.cost) return;
    found_ = true;
    best_ = std::move(t);
  }

  /// What is loaded when, and where in L1.
  void lay_out(tiling& t) const {
    const step& s = t.step;
    const bool has_tiles = t.segments.size() > 1 || t.segments[0].count > 1;
    const apart written = writes_apart(t, has_tiles);
    t.read_at.resize(s.reads.size());
    t.read_size.resize(s.reads.size());
    for (std::size_t r = 0; r < s.reads.size(); ++r) {
      bool by_outer = false, by_tile = false;
      for (const std::int32_t f : s.reads[r].follows) {
        if (f < 0) continue;
        const auto k = static_cast<std::uint32_t>(f);
        by_outer = by_outer || (k < t.dimension && s.dims[k] > 1);
        by_tile = by_tile || (k == t.dimension && has_tiles);
      }
      // Without tiles, outer indices are the tiles, unless they come one after another.
      const bool is_tile = by_tile || (by_outer && !has_tiles && written.outer);
      t.loads.push_back(s.reads[r].stays ? loading::never
                        : is_tile        ? loading::by_tile
                        : by_outer       ? loading::by_outer
                                         : loading::once);
      t.parts.push_back(parts_of(t, r));
      if (s.reads[r].stays) continue;
      for (const segment& g : t.segments)
        t.read_size[r] =
            std::max(t.read_size[r], aligned(product(t.read_shape(r, g)) * s.reads[r].form.size()));
    }
    for (const loading l : t.loads) t.is_nested = t.is_nested || l == loading::by_outer;
    t.is_nested = t.is_nested || (!written.outer && written.rows && t.outer > 1);
    t.is_serial = !written.rows || (!written.outer && !t.is_nested);
    std::int64_t at = 0;
    for (const loading when : {loading::once, loading::by_outer})
      for (std::size_t r = 0; r < s.reads.size(); ++r) {
        if (t.loads[r] != when) continue;
        t.read_at[r] = at;
        at += t.read_size[r] * (when == loading::by_outer ? 2 : 1);
      }
    t.slots_at = at;
    for (std::size_t r = 0; r < s.reads.size(); ++r) {
      if (t.loads[r] != loading::by_tile) continue;
      t.read_at[r] = t.slot_size;
      t.slot_size += t.read_size[r];
    }
    for (std::uint32_t k = 0; k < s.registers; ++k) {
      t.register_at.push_back(t.slot_size);
      t.slot_size += aligned(product(t.tile_shape(t.segments[0])) * s.register_sizes[k]);
    }
  }

  /// What isn't loaded tile by tile is loaded by all engines at once, if its bytes are in a row.
  [[nodiscard]] std::int64_t parts_of(const tiling& t, std::size_t r) const {
    if (t.loads[r] == loading::by_tile || t.loads[r] == loading::never) return 1;
    const home& h = plan_.homes[t.step.reads[r].of.home];
    const dimensions box = t.read_shape(r, t.segments[0]);
    if (h.what != home::kind::constant && !is_contiguous(box, t.step.reads[r].of.strides)) return 1;
    const std::int64_t bytes = product(box) * t.step.reads[r].form.size();
    const std::int64_t engines =
        device_.units(h.level == nem::level::l2 ? nem::unit::dma : nem::unit::sdma);
    return std::clamp<std::int64_t>(bytes / least_part, 1, engines);
  }

  /// Whether the tiles of different indices write bytes that are apart: verification takes those from
  /// the first to the last that a tile writes as a whole.
  struct apart {
    bool rows = true, outer = true;  ///< of the tiled dimension, of those before it
  };
  [[nodiscard]] static apart writes_apart(const tiling& t, bool has_tiles) {
    const access& w = t.step.write;
    const dimensions tile = t.tile_shape(t.segments[0]);
    std::int64_t extent = 1;
    for (std::size_t k = 0; k < w.follows.size(); ++k)
      extent += (tile[static_cast<std::size_t>(w.follows[k])] - 1) * w.of.strides[k];
    const auto is_apart = [&](std::uint32_t d) {
      const std::size_t k = follower(w, d);
      const std::int64_t by = d == t.dimension ? t.size : 1;
      return k != none && w.of.strides[k] * by >= extent;
    };
    apart out;
    out.rows = !has_tiles || is_apart(t.dimension);
    for (std::uint32_t d = 0; d < t.dimension; ++d)
      out.outer = out.outer && (t.step.dims[d] == 1 || is_apart(d));
    return out;
  }

  /// As many tiles at once as units can use and SEQ has tokens for.
  [[nodiscard]] std::int64_t most_depth(const tiling& t) const {
    std::int64_t tasks = 1 + static_cast<std::int64_t>(t.step.tasks.size()), longest = 1;
    for (const loading l : t.loads) tasks += l == loading::by_tile ? 1 : 0;
    if (t.is_serial) return 1;
    for (const segment& g : t.segments)
      longest = std::max(longest, g.count * (t.is_nested ? 1 : t.outer));
    const std::int64_t useful =
        2 * std::max(device_.units(nem::unit::nmu), device_.units(nem::unit::dma)) + 2;
    // Loads for the next outer index have tokens, too.
    const std::int64_t tokens = device_.max_tokens() - static_cast<std::int64_t>(t.loads.size());
    return std::max<std::int64_t>(std::min({longest, useful, tokens / tasks}), 1);
  }

  static constexpr std::int64_t max_tiles = 1 << 14;
  static constexpr std::int64_t least_part = 1024;  ///< bytes, of a transfer

  const plan& plan_;
  const step& step_;
  const target& device_;
  const estimator costs_;
  tiling best_;
  bool found_ = false;
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  std::int64_t least_ = unlimited;   ///< bytes of L1
  std::int64_t fewest_ = unlimited;  ///< tiles that fit there
};

// ---- places

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

bool is_contiguous(const dimensions& box, const dimensions& strides) noexcept {
  std::int64_t n = 1;
  for (std::size_t k = box.size(); k-- != 0; n *= box[k])
    if (box[k] != 1 && strides[k] != n) return false;
  return true;
}

dimensions tiling::read_shape(std::size_t read, const segment& s) const {
  const access& a = step.reads[read];
  dimensions out = a.of.shape;
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (a.follows[k] < 0) continue;
    const auto d = static_cast<std::uint32_t>(a.follows[k]);
    if (step.window.exists && read == step.window.read && d == step.window.dimension)
      out[k] = s.in_rows;
    else if (d < dimension)
      out[k] = 1;
    else if (d == dimension)
      out[k] = s.rows;
  }
  return out;
}

dimensions tiling::tile_shape(const segment& s) const {
  dimensions out = step.dims;
  for (std::uint32_t d = 0; d < dimension; ++d) out[d] = 1;
  out[dimension] = s.rows;
  return out;
}

std::int64_t tiling::tiles() const noexcept {
  std::int64_t n = 0;
  for (const segment& g : segments) n += g.count;
  return n * outer;
}

placement place(plan& p, const target& device) {
  std::vector<lifetime> lives(p.homes.size());
  for (std::uint32_t h = 0; h < p.homes.size(); ++h)
    lives[h] = {h, none, 0, aligned(p.homes[h].size * nem::bitwidth(p.homes[h].type) / 8), 0};
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
    if (l.first != none && p.homes[l.home].what == home::kind::computed) order.push_back(l);
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

tiling best_tiling(const plan& p, const step& s, const target& device) {
  return searcher(p, s, device).best();
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
