// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/tiling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "transform/lower/simulate.hpp"

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

/// The terms of the product in slices: a dimension of slices before all others of what is multiplied.
[[nodiscard]] step by_slices(const step& from, std::int64_t slices) {
  step s = from;
  for (std::size_t r = 0; r < 2; ++r) {
    access& a = s.reads[from.tasks[0].in[r].index];
    const std::size_t k = a.of.rank() - 1 - r;
    a.of.shape[k] /= slices;
    a.of.strides.insert(a.of.strides.begin(), a.of.strides[k] * a.of.shape[k]);
    a.of.shape.insert(a.of.shape.begin(), slices);
    a.follows.insert(a.follows.begin(), slice_dimension);
  }
  return s;
}
[[nodiscard]] bool is_product(nem::opcode op) noexcept {
  return op == nem::opcode::conv2d || op == nem::opcode::gemm;
}
/// The columns in slices: a dimension of slices before all others of what has columns.
[[nodiscard]] step by_columns(const step& from, std::int64_t slices) {
  step s = from;
  const std::size_t last = s.dims.size() - 1;
  s.dims.back() /= slices;
  each_access(s, [&](access& a) {
    const std::size_t k = follower(a, last);
    if (k == none) return;
    a.of.shape[k] /= slices;
    a.of.strides.insert(a.of.strides.begin(), a.of.strides[k] * a.of.shape[k]);
    a.of.shape.insert(a.of.shape.begin(), slices);
    a.follows.insert(a.follows.begin(), slice_dimension);
  });
  return s;
}
/// Whether slices of a step's columns are products of what all of them have in common.
[[nodiscard]] bool has_product_of_columns(const step& s) noexcept {
  if (!s.can_split || s.dims.size() < 2 || s.tasks.empty()) return false;
  const tile_task& t = s.tasks[0];
  return (t.op == nem::opcode::conv2d || t.op == nem::opcode::gemm) &&
         t.in[0].what == task_operand::kind::read &&
         follower(s.reads[t.in[0].index], s.dims.size() - 1) == none;
}
/// The terms of the product that a step begins with, if they can be in slices; else 1.
[[nodiscard]] std::int64_t terms_of(const step& s, const target& device) {
  if (s.tasks.empty() || !s.can_split) return 1;
  const tile_task& t = s.tasks[0];
  const bool is_image = t.op == nem::opcode::conv2d;
  if ((!is_image && t.op != nem::opcode::gemm) || t.in[0].what != task_operand::kind::read ||
      t.in[1].what != task_operand::kind::read || t.in[0].index == t.in[1].index)
    return 1;
  // Sums of slices are other sums than those of all terms at once.
  const nem::element type = form_of(s, t.in[1]).type;
  if (t.is_deterministic || !nem::is_floating(type) || form_of(s, t.out).type != type ||
      !device.has(is_image ? "conv2d.float" : "gemm.float", {&type, 1}, "no_bias") ||
      !device.has("eltwise", {&type, 1}, "default") || !device.has("view", {&type, 1}, "default"))
    return 1;
  const access &x = s.reads[t.in[0].index], &w = s.reads[t.in[1].index];
  const std::size_t a = x.of.rank() - 1, b = w.of.rank() - 2;
  const bool is_apart = x.follows[a] == -1 && w.follows[b] == -1;
  return is_apart && x.of.shape[a] == w.of.shape[b] ? x.of.shape[a] : 1;
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

/// Segments as loops: where those at the ends are one tile each, all are one loop.
[[nodiscard]] std::vector<tile_run> runs_of(const std::vector<segment>& all) {
  const std::size_t n = all.size();
  std::int64_t tiles = 0;
  for (const segment& g : all) tiles += g.count;
  if (n == 1) return {{0, 0, 0, tiles}};
  if (n == 2 && all[0].count == 1) return {{0, 1, 1, tiles}};
  if (n == 2 && all[1].count == 1) return {{0, 0, 1, tiles}};
  if (n == 3 && all[0].count == 1 && all[2].count == 1) return {{0, 1, 2, tiles}};
  std::vector<tile_run> out;
  for (std::size_t k = 0; k < n; ++k) out.push_back({k, k, k, all[k].count});
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
    if (t.bands > 1) return cost_by_bands(t);
    if (t.has_columns) return cost_by_columns(t);
    return t.slices > 1 ? cost_by_slices(t) : cost_of_tiles(t);
  }
  /// Cycles of what a tiling loads ahead.
  [[nodiscard]] double ahead_cost(const tiling& t) const {
    double out = 0;
    for (std::size_t r = 0; r < t.loads.size(); ++r) {
      load_on_units all;
      if (!t.is_ahead[r]) continue;
      out +=
          move(t.step.reads[r], t.first_shape(r), 1, all, false) / static_cast<double>(t.parts[r]);
    }
    return out;
  }

 private:
  /// One tile after another: a slice is loaded while another one is multiplied.
  [[nodiscard]] double cost_by_slices(const tiling& t) const {
    const segment& g = t.segments[t.runs.front().middle];
    load_on_units slice, kept, other;
    double before = 0;
    for (std::size_t r = 0; r < t.loads.size(); ++r) {
      if (t.loads[r] == loading::never) continue;
      const double cycles =
          move(t.step.reads[r], t.read_shape(r, g), 1 / static_cast<double>(t.parts[r]),
               !t.is_sliced(r)                      ? other
               : t.loads[r] == loading::slices_once ? kept
                                                    : slice,
               false);
      if (t.loads[r] == loading::by_tile) before = std::max(before, cycles);
    }
    const dimensions elements = t.tile_shape(g);
    const double load = std::max({slice.cstl, slice.dma, slice.sdma});
    const double first =
        std::max({slice.cstl + kept.cstl, slice.dma + kept.dma, slice.sdma + kept.sdma});
    const double product = compute(t, t.step.tasks[0], g, transform::lowering::product(elements));
    const double sum =
        static_cast<double>(ceil_div(transform::lowering::product(elements), 256) + 1);
    double after = move(t.step.write, t.write_shape(g), 1, other, true);
    for (std::size_t k = 1; k < t.step.tasks.size(); ++k)
      after += compute(t, t.step.tasks[k], g, transform::lowering::product(elements));
    const auto tile = [&](double loads) {
      return std::max({loads, product, before}) +
             static_cast<double>(t.slices - 1) * std::max(loads, product + sum) + after;
    };
    return first + tile(first) + static_cast<double>(t.tiles() - 1) * tile(load);
  }
  /// Slices of columns: one is loaded while another one is computed and stored.
  [[nodiscard]] double cost_by_columns(const tiling& t) const {
    const segment& g = t.segments[t.runs.front().middle];
    load_on_units slice, other;
    double before = 0, once = 0;
    for (std::size_t r = 0; r < t.loads.size(); ++r) {
      if (t.loads[r] == loading::never) continue;
      const double cycles =
          move(t.step.reads[r], t.read_shape(r, g), 1 / static_cast<double>(t.parts[r]),
               t.is_sliced(r) ? slice : other, false) /
          static_cast<double>(t.parts[r]);
      if (t.loads[r] == loading::by_tile) before += cycles;
      if (t.loads[r] == loading::once) once += cycles * (t.is_ahead[r] ? 0.5 : 1);
    }
    const std::int64_t elements = product(t.tile_shape(g));
    const double load = std::max({slice.cstl, slice.dma, slice.sdma});
    double work = move(t.step.write, t.write_shape(g), 1, other, true);
    for (const tile_task& task : t.step.tasks) work += compute(t, task, g, elements);
    return once + load +
           static_cast<double>(t.tiles()) *
               (before + static_cast<double>(t.slices) * std::max(load, work));
  }
  /// The same, where units work on bands of a tile side by side: those of its last slice are stored
  /// while others are multiplied.
  [[nodiscard]] double cost_by_bands(const tiling& t) const {
    const segment& band = t.band();
    const std::int64_t elements = transform::lowering::product(t.tile_shape(band));
    const auto on = [&](nem::unit u, double cycles) {
      return cycles * std::ceil(static_cast<double>(t.bands) / units(u));
    };
    const auto sum = static_cast<double>(ceil_div(elements, 256) + 1);
    const double product = compute(t, t.step.tasks[0], band, elements);
    load_on_units other;
    double after = move(t.step.write, t.write_shape(band), 1, other, true);
    for (std::size_t k = 1; k < t.step.tasks.size(); ++k)
      after += compute(t, t.step.tasks[k], band, elements);
    const slice_loads first = loads_of_slice(t, true), rest = loads_of_slice(t, false);
    const double products = on(nem::unit::nmu, product);
    const double by_lanes = std::ceil(static_cast<double>(t.bands) / static_cast<double>(t.lanes));
    const auto of_slice = [&](const slice_loads& next) {
      return std::max({next.load, products + sum, next.gathers + on(nem::unit::cstl, sum)});
    };
    // With the first slice of the next tile, if there is one.
    const slice_loads next = t.tiles() == 1 ? slice_loads{} : rest;
    const double last =
        std::max({next.load, products + sum + after, by_lanes * (product + sum + after),
                  next.gathers + on(nem::unit::cstl, sum + after)});
    const auto slices = static_cast<double>(t.slices - 1), tiles = static_cast<double>(t.tiles());
    return first.load + slices * (of_slice(first) + (tiles - 1) * of_slice(rest)) + tiles * last;
  }
  /// Cycles that a slice's loads take, and those of CSTLs by band.
  struct slice_loads {
    double load = 0, gathers = 0;
  };
  [[nodiscard]] slice_loads loads_of_slice(const tiling& t, bool is_first_tile) const {
    load_on_units slice, common;
    for (std::size_t r = 0; r < t.loads.size(); ++r)
      if (t.loads[r] == loading::by_slice || (is_first_tile && t.is_sliced(r)))
        (void)move(t.step.reads[r], t.read_shape(r, t.segments[0]),
                   1 / static_cast<double>(t.parts[r]), t.is_banded(r) ? slice : common, false);
    const double gathers = slice.cstl / units(nem::unit::cstl);
    return {std::max({slice.dma + common.dma, slice.sdma + common.sdma, gathers + common.cstl}),
            gathers};
  }
  [[nodiscard]] double cost_of_tiles(const tiling& t) const {
    load_on_units all;
    double once = 0;
    const segment& g = t.segments[t.runs.front().middle];
    const auto tiles = static_cast<double>(t.tiles());
    double first = 0;
    for (std::size_t r = 0; r < t.step.reads.size(); ++r) {
      if (t.loads[r] == loading::never) continue;
      // The first ones come before the tiles.
      const double times = t.loads[r] == loading::by_tile    ? tiles
                           : t.loads[r] == loading::by_outer ? static_cast<double>(t.outer - 1)
                                                             : 0;
      const bool is_tile = t.loads[r] == loading::by_tile;
      const access& a = t.step.reads[r];
      const double cycles =
          move(a, is_tile ? t.read_shape(r, g) : t.first_shape(r), times, all, false);
      if (is_tile)
        first = std::max(first, cycles);
      else
        once += cycles / static_cast<double>(t.parts[r]) * (t.is_ahead[r] ? 0.5 : 1);
      if (const pieces p = t.pieces_of(r); p.count != 0)
        (void)move(a, t.piece_shape(r, p), static_cast<double>(p.count), all, false);
    }
    all.serial = first;
    const dimensions tile = t.tile_shape(g);
    const std::int64_t elements = product(tile);
    double head = 0;
    for (const tile_task& task : t.step.tasks) {
      const double cycles = compute(t, task, g, elements);
      if (&task == t.step.tasks.data()) head = cycles;
      (is_product(task.op) ? all.nmu : all.cstl) +=
          cycles * (is_product(task.op) ? rounds(t) : tiles);
      all.serial += cycles;
    }
    all.serial += move(t.step.write, t.write_shape(g), tiles, all, true);
    const double of_tile = t.is_pipelined ? std::max({first, head, all.serial - first - head})
                                          : all.serial / static_cast<double>(t.depth);
    const double busy =
        std::max({all.nmu, all.cstl / units(nem::unit::cstl), all.dma / units(nem::unit::dma),
                  all.sdma / units(nem::unit::sdma), tiles * of_tile});
    const double joins =
        static_cast<double>(t.runs.size()) * (t.is_nested ? static_cast<double>(t.outer) : 1);
    return busy + once + all.serial * joins;
  }
  /// Tiles that each NMU has, one after another.
  [[nodiscard]] double rounds(const tiling& t) const noexcept {
    const std::int64_t outer = t.is_nested ? t.outer : 1;
    const std::int64_t nmus = std::max<std::int64_t>(device_.units(nem::unit::nmu), 1);
    return static_cast<double>(outer * ceil_div(t.tiles() / outer, nmus));
  }
  /// 1 for a unit that the device lacks: nothing is done there.
  [[nodiscard]] double units(nem::unit u) const noexcept {
    return static_cast<double>(std::max<std::int64_t>(device_.units(u), 1));
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
    const bool is_transfer = is_packed || is_contiguous(box, a.of.strides);
    // A layout operation counts elements, not the bytes that it moves through memory. Here both do:
    // what a transfer can move isn't gathered because that seems to be cheaper.
    const double cycles = static_cast<double>(ceil_div(product(box) * a.far().size(), 32) + 4);
    (is_store || !is_transfer     ? to.cstl
     : h.level == nem::level::ddr ? to.sdma
                                  : to.dma) += cycles * times;
    if (!a.is_converted()) return cycles;
    const auto conversion = static_cast<double>(ceil_div(product(box), 256) + 1);
    to.cstl += conversion * times;
    return cycles + conversion;
  }

  const plan& plan_;
  const target& device_;
};

/// What a step may use.
struct limits {
  std::int64_t l1 = 0, tokens = 0;
  std::size_t written_before =
      none;  ///< the home that the step before writes; none: there is no step
  bool may_load_ahead = false;
};

/// Tasks that a tile issues.
[[nodiscard]] std::int64_t tasks_of_tile(const tiling& t) noexcept {
  std::int64_t n = 1 + static_cast<std::int64_t>(t.step.tasks.size());
  for (std::size_t r = 0; r < t.loads.size(); ++r)
    if (t.loads[r] == loading::by_tile || t.loads[r] == loading::whole)
      n += t.step.reads[r].is_converted() ? 2 : 1;
  return n;
}
/// Another number of tiles at once.
void set_depth(tiling& t, std::int64_t depth) noexcept {
  t.tokens += (depth - t.depth) * tasks_of_tile(t);
  t.rest_bytes -= t.slots_bytes();
  t.depth = depth;
  t.rest_bytes += t.slots_bytes();
}

/// Where in L1 everything is, from where what is loaded ahead and the rest begin.
void lay_out(tiling& t) {
  const std::size_t reads = t.loads.size();
  t.read_at.assign(reads, 0);
  t.other_at.assign(reads, 0);
  t.ahead_bytes = t.rest_bytes = 0;
  for (std::size_t r = 0; r < reads; ++r) {
    if (t.loads[r] == loading::by_tile || t.loads[r] == loading::never) continue;
    std::int64_t& end = t.is_ahead[r] ? t.ahead_bytes : t.rest_bytes;
    t.read_at[r] = end;
    end += t.read_size[r] * (t.loads[r] == loading::slices_once ? t.slices : 1);
    if (!t.has_two(r)) continue;
    t.other_at[r] = t.rest_bytes;
    t.rest_bytes += t.read_size[r];
  }
  t.slots_at = t.rest_bytes;
  std::int64_t at = t.slot_size;
  for (std::size_t r = reads; r-- != 0;)
    if (t.loads[r] == loading::by_tile) t.read_at[r] = at -= t.read_size[r];
  at = t.slots_at;
  for (std::size_t r = 0; r < reads; ++r)
    if (t.loads[r] == loading::whole) t.other_at[r] = std::exchange(at, at + least_piece);
}

class searcher {
 public:
  searcher(const plan& p, const step& s, const target& device, const limits& of)
      : plan_(p), step_(s), device_(device), limits_(of), costs_(p, device) {}

  /// The tilings that cost least, the best one first, each of another form; none where that is
  /// `refused()`.
  [[nodiscard]] std::vector<tiling> best(std::size_t count) {
    step whole = step_;
    if (whole.is_plain) merge_dimensions(whole);
    if (whole.fixed >= whole.dims.size()) add_dimension(whole);
    try_slices(whole, 0);
    const std::int64_t columns = whole.dims.back();
    for (std::int64_t blocks = 2; blocks <= max_blocks && whole.can_split; ++blocks)
      if (columns % blocks == 0 && whole.dims.size() > 1)
        try_slices(by_blocks(whole, columns / blocks), 1);
    for (std::int64_t slices = 2; slices <= max_slices && has_product_of_columns(whole); ++slices)
      if (columns % slices == 0) try_step(by_columns(whole, slices), 0, slices, true);
    std::vector<tiling> all;
    for (auto& [key, t] : best_) all.push_back(std::move(t));
    std::stable_sort(all.begin(), all.end(),
                     [](const tiling& a, const tiling& b) { return a.cost < b.cost; });
    // Few that have slices of columns: there are many alike.
    std::size_t sliced = 0;
    const auto is_too_many = [&](const tiling& t) {
      return t.has_columns && ++sliced > (count + 3) / 4;
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_too_many), all.end());
    if (all.size() > count) all.erase(all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
    return all;
  }
  /// Why there are none.
  [[nodiscard]] refusal refused() const {
    const std::string name = step_.name + " on " + device_.name();
    const std::string l1 = std::to_string(device_.l1_size());
    return {errc::nac_lower_memory, step_.instruction,
            fewest_ != unlimited
                ? name + ": it takes " + std::to_string(fewest_) + " tiles that fit its L1 of " +
                      l1 + " bytes; expected at most " + std::to_string(max_tiles)
                : name + ": the smallest tile takes " + std::to_string(least_) +
                      " bytes of L1; it has " + l1};
  }

 private:
  void try_slices(const step& s, std::uint32_t first_dimension) {
    try_step(s, first_dimension, 1, false);
    const std::int64_t terms = terms_of(s, device_);
    for (std::int64_t slices = 2; terms / slices >= least_terms; ++slices)
      if (terms % slices == 0) try_step(by_slices(s, slices), first_dimension, slices, false);
  }
  void try_step(const step& s, std::uint32_t first_dimension, std::int64_t slices,
                bool has_columns) {
    const auto end = static_cast<std::uint32_t>(s.dims.size()) - s.fixed;
    for (std::uint32_t d = first_dimension; d < std::max(end, first_dimension + 1); ++d)
      for (const std::int64_t size : tile_sizes(s.dims[d])) {
        if (has_columns)
          try_loads(s, d, size, {slices, true});
        else
          try_tiles(s, d, size, slices);
      }
  }

  void try_tiles(const step& s, std::uint32_t d, std::int64_t size, std::int64_t slices) {
    const bool may_be_whole = slices == 1 ? shares_rows(s, d) : shares_slices(s, d, size);
    try_bands(s, d, size, slices, false);
    if (may_be_whole) try_bands(s, d, size, slices, true);
    if (slices != 1 || s.tasks.size() < 2 || !is_product(s.tasks[0].op)) return;
    try_loads(s, d, size, {1, false, false, 1, 1, true});
    if (may_be_whole) try_loads(s, d, size, {1, false, true, 1, 1, true});
  }
  void try_bands(const step& s, std::uint32_t d, std::int64_t size, std::int64_t slices,
                 bool may_be_whole) {
    try_loads(s, d, size, {slices, false, may_be_whole});
    const std::int64_t nmus = device_.units(nem::unit::nmu);
    for (std::int64_t bands = nmus; slices > 1 && nmus > 1 && bands <= 16 * nmus; bands += nmus) {
      if (!can_be_banded(s, d, size, bands)) continue;
      // A band that is stored has no NMU: the longer that takes, the more of them.
      for (std::int64_t lanes = nmus + nmus / 2; lanes <= 4 * nmus; lanes += nmus / 2) {
        try_loads(s, d, size, {slices, false, may_be_whole, bands, std::min(bands, lanes)});
        if (lanes >= bands) break;
      }
    }
  }
  /// Whether all tiles have as many rows, of which all units can have as many; of an image there is one.
  [[nodiscard]] static bool can_be_banded(const step& s, std::uint32_t d, std::int64_t size,
                                          std::int64_t bands) {
    if (s.dims[d] % size != 0 || size % bands != 0) return false;
    if (s.window.exists && (s.window.dimension != d || s.dims[d] != size)) return false;
    for (const access& a : s.reads)
      if (const std::size_t rows = follower(a, d); rows != none)
        for (std::size_t k = 0; k < rows; ++k)
          if (a.follows[k] == -1 && a.of.shape[k] != 1) return false;
    return true;
  }
  /// Whether a tile has no row of what it is computed from.
  [[nodiscard]] bool has_padding_only(const std::vector<segment>& all) const noexcept {
    return step_.window.exists &&
           std::any_of(all.begin(), all.end(), [](const segment& g) { return g.in_rows <= 0; });
  }
  /// False where bands take more than one loop.
  [[nodiscard]] static bool set_bands(tiling& t, std::int64_t bands) {
    t.bands = bands;
    const std::int64_t rows = t.segments[0].rows / bands;
    t.band_segments = bands == 1             ? t.segments
                      : t.step.window.exists ? segments_of(t.step, t.dimension, rows)
                                             : std::vector<segment>{{0, bands, rows, 0, 0, 0, 0}};
    const std::vector<tile_run> runs = runs_of(t.band_segments);
    t.band_run = bands == 1 ? tile_run{} : runs[0];
    return bands == 1 || runs.size() == 1;
  }
  /// How a tile is divided.
  struct division {
    std::int64_t slices = 1;
    bool has_columns = false, may_be_whole = false;
    std::int64_t bands = 1, lanes = 1;
    bool is_pipelined = false;
  };
  void try_loads(const step& s, std::uint32_t d, std::int64_t size, const division& by) {
    tiling t;
    t.may_be_whole = by.may_be_whole;
    t.slices = by.slices;
    t.has_columns = by.has_columns;
    t.is_pipelined = by.is_pipelined;
    t.lanes = by.lanes;
    t.dimension = d;
    t.size = size;
    t.outer = product(std::span(s.dims).first(d));
    t.segments = segments_of(s, d, size);
    t.runs = runs_of(t.segments);
    t.step = s;
    if (t.slices > 1 && t.runs.size() > 1) return;
    if (!set_bands(t, by.bands) || has_padding_only(t.segments) ||
        has_padding_only(t.band_segments))
      return;
    plan_loads(t);
    if (!can_convert(t) || (t.is_pipelined && !can_be_pipelined(t))) return;
    lay_out(t);
    const std::int64_t most = t.is_pipelined ? 2 : most_depth(t);
    const std::int64_t outside = t.ahead_bytes + t.rest_bytes;
    const std::int64_t fit = t.slot_size == 0 ? most : (limits_.l1 - outside) / t.slot_size;
    least_ = std::min(least_, outside + t.slot_size);
    if (most < 1 || fit < (t.is_pipelined ? 2 : 1) || outside > limits_.l1) return;
    fewest_ = std::min(fewest_, t.tiles());
    if (t.tiles() > max_tiles || t.tiles() * t.slices > max_parts) return;
    t.depth = t.most_depth = std::min(most, fit);
    t.tokens = tokens_of(t);
    t.rest_bytes += t.slots_bytes();
    if (t.rest_bytes + t.ahead_bytes > limits_.l1) return;
    t.cost = costs_.cost(t);
    // Rows of fewer tiles are there sooner.
    if (const std::int64_t less = device_.units(nem::unit::nmu) + 2;
        less < t.depth && t.has_pieces()) {
      tiling other = t;
      set_depth(other, less);
      other.cost = costs_.cost(other);
      if (other.cost < t.cost) t = std::move(other);
    }
    const std::int64_t blocks = s.dims.size() == step_.dims.size() ? 0 : s.dims[0];
    const form key{t.slices, blocks, d, t.may_be_whole, t.bands > 1, t.has_columns, t.is_pipelined};
    const auto at = best_.find(key);
    if (at != best_.end() && t.cost >= at->second.cost) return;
    t.ahead_cost = costs_.ahead_cost(t);
    best_.insert_or_assign(key, std::move(t));
  }

  /// Whether tiles are few at once for want of tokens, and follow each other in one loop. What a product
  /// reads is loaded before it; so nothing after it reads that.
  [[nodiscard]] bool can_be_pipelined(const tiling& t) const {
    if (t.is_nested || t.runs.size() != 1 || t.tiles() < least_pipelined) return false;
    if (tasks_of_tile(t) > limits_.tokens || limits_.tokens >= 3 * tasks_of_tile(t)) return false;
    for (std::size_t k = 1; k < t.step.tasks.size(); ++k)
      for (const task_operand& o : t.step.tasks[k].in)
        if (o.what != task_operand::kind::reg && t.loads[o.index] == loading::by_tile &&
            is_read_by(t.step.tasks[0], o.index))
          return false;
    return t.step.result.what == task_operand::kind::reg;
  }
  /// What is converted is loaded tile by tile, or before all tiles.
  [[nodiscard]] static bool can_convert(const tiling& t) {
    for (std::size_t r = 0; r < t.loads.size(); ++r)
      if (t.step.reads[r].is_converted() && t.loads[r] != loading::by_tile &&
          t.loads[r] != loading::once && t.loads[r] != loading::whole)
        return false;
    return true;
  }
  /// Whether tiles have rows of a read in common, or those before the tiled dimension do: it can be
  /// loaded once as a whole.
  [[nodiscard]] bool shares_rows(const step& s, std::uint32_t d) const {
    for (std::size_t r = 0; r < s.reads.size(); ++r)
      if (is_shared(s, d, r)) return true;
    return false;
  }
  /// Whether all tiles have the slices of a read in common.
  [[nodiscard]] static bool shares_slices(const step& s, std::uint32_t d, std::int64_t size) {
    if (product(std::span(s.dims).first(d)) == 1 && s.dims[d] == size) return false;
    return std::any_of(s.reads.begin(), s.reads.end(),
                       [&](const access& a) { return has_same_slices(s, d, size, a); });
  }
  [[nodiscard]] static bool has_same_slices(const step& s, std::uint32_t d, std::int64_t size,
                                            const access& a) {
    bool has_slices = false;
    for (const std::int32_t f : a.follows) {
      has_slices = has_slices || f == slice_dimension;
      if (f < 0) continue;
      const auto k = static_cast<std::uint32_t>(f);
      if ((k < d && s.dims[k] > 1) || (k == d && s.dims[d] != size)) return false;
    }
    return has_slices;
  }
  [[nodiscard]] bool is_shared(const step& s, std::uint32_t d, std::size_t r) const {
    const access& a = s.reads[r];
    const std::size_t rows = follower(a, d);
    if (rows == none || a.stays || s.dims[d] == 1) return false;
    for (std::size_t k = 0; k < a.follows.size(); ++k) {
      const std::int32_t f = a.follows[k];
      const bool is_outer = f >= 0 && f < static_cast<std::int32_t>(d);
      if (is_outer && s.dims[static_cast<std::size_t>(f)] > 1) return false;
      if (k < rows && a.of.shape[k] != 1) return false;
    }
    const window& w = s.window;
    const bool has_halo = w.exists && w.read == r && w.dimension == d && w.extent > w.stride;
    if (!has_halo && product(std::span(s.dims).first(d)) == 1) return false;
    return plan_.homes[a.of.home].what == home::kind::constant ||
           is_contiguous(a.of.shape, a.of.strides);
  }

  /// What is loaded when.
  void plan_loads(tiling& t) const {
    const step& s = t.step;
    const bool has_tiles = t.segments.size() > 1 || t.segments[0].count > 1;
    const apart written = writes_apart(t, has_tiles);
    t.read_size.resize(s.reads.size());
    for (std::size_t r = 0; r < s.reads.size(); ++r) {
      bool by_outer = false, by_tile = false, by_slice = false;
      for (const std::int32_t f : s.reads[r].follows) {
        by_slice = by_slice || f == slice_dimension;
        if (f < 0) continue;
        const auto k = static_cast<std::uint32_t>(f);
        by_outer = by_outer || (k < t.dimension && s.dims[k] > 1);
        by_tile = by_tile || (k == t.dimension && has_tiles);
      }
      // Without tiles, outer indices are the tiles, unless they come one after another.
      const bool is_tile = by_tile || (by_outer && (t.slices > 1 || (!has_tiles && written.outer)));
      t.loads.push_back(s.reads[r].stays ? loading::never
                        : by_slice && t.may_be_whole &&
                                has_same_slices(s, t.dimension, t.size, s.reads[r])
                            ? loading::slices_once
                        : by_slice ? loading::by_slice
                        : by_tile && t.may_be_whole && is_shared(s, t.dimension, r) ? loading::whole
                        : is_tile  ? loading::by_tile
                        : by_outer ? loading::by_outer
                                   : loading::once);
      t.parts.push_back(parts_of(t, r));
      t.is_ahead.push_back(limits_.may_load_ahead && !s.reads[r].is_converted() &&
                           t.loads[r] != loading::by_tile && t.loads[r] != loading::never &&
                           s.reads[r].of.home != limits_.written_before);
      t.ahead_tokens += t.is_ahead[r] ? t.parts[r] : 0;
      if (t.loads[r] == loading::never) continue;
      if (t.loads[r] == loading::whole) {
        t.read_size[r] = aligned(product(t.apart_shape(r)) * s.reads[r].form.size());
        t.slot_size += least_piece;
        continue;
      }
      for (const segment& g : t.segments)
        t.read_size[r] =
            std::max(t.read_size[r], aligned(product(t.read_shape(r, g)) * s.reads[r].form.size()));
    }
    for (const loading l : t.loads) t.is_nested = t.is_nested || l == loading::by_outer;
    t.is_nested = t.slices == 1 && (t.is_nested || (!written.outer && written.rows && t.outer > 1));
    t.is_serial = t.slices > 1 || !written.rows || (!written.outer && !t.is_nested);
    for (std::uint32_t k = 0; k < s.registers + (t.has_sums() ? 1 : 0); ++k) {
      t.register_at.push_back(t.slot_size);
      if (k < s.registers) {
        t.slot_size += aligned(product(t.tile_shape(t.segments[0])) * s.register_sizes[k]);
        continue;
      }
      t.slot_size +=
          aligned(product(t.tile_shape(t.band())) * t.lanes * form_of(s, s.tasks[0].out).size());
    }
    t.stage_at.resize(s.reads.size());
    for (std::size_t r = 0; r < s.reads.size(); ++r) {
      t.stage_at[r] = t.slot_size;
      t.slot_size += stage_size(t, r);
    }
    for (std::size_t r = 0; r < s.reads.size(); ++r)
      if (t.loads[r] == loading::by_tile) t.slot_size += t.read_size[r];
  }
  /// Bytes of what a tile loads of a converted read, as it is stored.
  [[nodiscard]] static std::int64_t stage_size(const tiling& t, std::size_t r) {
    const access& a = t.step.reads[r];
    if (!a.is_converted()) return 0;
    if (t.loads[r] == loading::by_tile) return t.read_size[r] / a.form.size() * a.stored.size();
    if (t.loads[r] != loading::whole) return 0;
    dimensions box = t.apart_shape(r);
    const window& w = t.step.window;
    const bool has_window = w.exists && w.read == r && w.dimension == t.dimension;
    std::int64_t& rows = box[follower(a, t.dimension)];
    rows = std::min(rows, t.size * (has_window ? w.stride : 1));
    return aligned(product(box) * a.stored.size());
  }

  /// What isn't loaded tile by tile is loaded by all engines at once, if its bytes are in a row.
  [[nodiscard]] std::int64_t parts_of(const tiling& t, std::size_t r) const {
    if (t.loads[r] == loading::by_tile || t.loads[r] == loading::never) return 1;
    for (const std::int32_t f : t.step.reads[r].follows)
      if (f == static_cast<std::int32_t>(t.dimension) && t.segments.size() > 1 &&
          t.loads[r] != loading::whole)
        return 1;
    const home& h = plan_.homes[t.step.reads[r].of.home];
    const dimensions box = t.apart_shape(r);
    if (h.what != home::kind::constant && !is_contiguous(box, t.step.reads[r].of.strides)) return 1;
    const std::int64_t bytes = product(box) * t.step.reads[r].far().size();
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
      if (w.follows[k] >= 0)
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

  /// Tasks that are issued at once.
  [[nodiscard]] static std::int64_t tokens_of(const tiling& t) noexcept {
    std::int64_t others = 2;
    for (std::size_t r = 0; r < t.loads.size(); ++r)
      if (t.has_two(r) || t.is_sliced(r)) others += t.parts[r];
    const std::int64_t tiles = t.is_pipelined ? 1 : t.depth;
    return (t.bands > 1 ? tasks_of_bands(t) : tiles * tasks_of_tile(t)) + others;
  }

  /// Of the last slice, which its sum and the store follow.
  [[nodiscard]] static std::int64_t tasks_of_bands(const tiling& t) noexcept {
    auto of_band = static_cast<std::int64_t>(t.step.tasks.size()) + 2;
    for (std::size_t r = 0; r < t.loads.size(); ++r) of_band += t.is_banded(r) ? t.parts[r] : 0;
    return t.lanes * of_band;
  }

  /// As many tiles at once as units can use and SEQ has tokens for; 0: not one.
  [[nodiscard]] std::int64_t most_depth(const tiling& t) const {
    const std::int64_t tasks = tasks_of_tile(t);
    std::int64_t tokens = limits_.tokens, slices = 0, longest = 1;
    for (std::size_t r = 0; r < t.loads.size(); ++r) {
      if (t.loads[r] == loading::by_tile) ++slices;
      if (t.is_sliced(r)) slices += t.parts[r];
      // Loads for the next outer index have tokens, too.
      if (t.loads[r] == loading::by_outer) tokens -= t.parts[r];
    }
    if (t.bands > 1) return slices + tasks_of_bands(t) <= tokens ? 1 : 0;
    if (t.has_columns) return slices + tasks <= tokens ? 1 : 0;
    if (t.slices > 1) return slices + 2 <= tokens ? 1 : 0;
    // Where the next step has tokens, too, there may be too few.
    if (limits_.tokens < device_.max_tokens() && tokens < least_tokens) return 0;
    if (t.is_serial) return 1;
    for (const tile_run& r : t.runs)
      longest = std::max(longest, r.count * (t.is_nested ? 1 : t.outer));
    const std::int64_t useful =
        2 * std::max(device_.units(nem::unit::nmu), device_.units(nem::unit::dma)) + 2;
    return std::max<std::int64_t>(std::min({longest, useful, tokens / tasks}), 1);
  }

  static constexpr std::int64_t max_tiles = 1 << 14;
  static constexpr std::int64_t least_pipelined = 4;  ///< tiles
  static constexpr std::int64_t least_terms = 8;      ///< of a slice
  static constexpr std::int64_t max_blocks = 1 << 10, max_slices = 1 << 12;
  static constexpr std::int64_t max_parts = 1 << 18;  ///< slices of all tiles
  static constexpr std::int64_t least_part = 1024;    ///< bytes, of a transfer

  const plan& plan_;
  const step& step_;
  const target& device_;
  const limits limits_;
  const estimator costs_;
  // Slices, blocks, dimension, whether reads may be whole, there are bands, slices are
  // columns, and tiles are pipelined.
  using form = std::tuple<std::int64_t, std::int64_t, std::uint32_t, bool, bool, bool, bool>;
  std::map<form, tiling> best_;
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  std::int64_t least_ = unlimited;   ///< bytes of L1
  std::int64_t fewest_ = unlimited;  ///< tiles that fit there
};

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
    limits of{device_.l1_size(), device_.max_tokens(), none, k != 0};
    if (k != 0) of.written_before = plan_.steps[k - 1].write.of.home;
    searcher whole(plan_, plan_.steps[k], device_, of);
    std::optional<tiling> best = best_of(whole, k);
    if (!best) throw whole.refused();
    if (k + 1 == all_.size() || all_[k + 1].ahead_bytes == 0) return std::move(*best);
    tiling& next = all_[k + 1];
    if (best->ahead_bytes + best->rest_bytes + next.ahead_bytes <= of.l1 &&
        best->tokens + next.ahead_tokens <= of.tokens)
      return std::move(*best);
    of.l1 -= next.ahead_bytes;
    of.tokens -= next.ahead_tokens;
    searcher rest(plan_, plan_.steps[k], device_, of);
    std::optional<tiling> less = best_of(rest, k);
    if (less && less->cost <= best->cost + next.ahead_cost / 2) return std::move(*less);
    next.is_ahead.assign(next.is_ahead.size(), false);
    next.ahead_tokens = 0;
    const std::int64_t bytes = next.ahead_bytes + next.rest_bytes;
    lay_out(next);
    next.rest_bytes = bytes;
    return std::move(*best);
  }
  /// By the timeline, as far as the effort allows; otherwise by the formula.
  [[nodiscard]] std::optional<tiling> best_of(searcher& from, std::size_t k) const {
    const bool is_large = work_of(plan_.steps[k]) * 64 >= all_work_;
    const std::size_t count = effort_ == 0 || (effort_ == 1 && !is_large) ? 1
                              : effort_ == 1                              ? 4
                                                                          : 16;
    std::vector<tiling> all = from.best(count);
    if (all.empty()) return std::nullopt;
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
    if (a.follows[k] == slice_dimension) out[k] = 1;
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

bool tiling::is_banded(std::size_t read) const noexcept {
  const window& w = step.window;
  const bool has_window = w.exists && w.read == read;
  // Rows that a band multiplies may be those that another one loads.
  const bool has_parts = !has_window || (w.stride == 1 && segments[0].in_rows == segments[0].rows);
  return bands > 1 && is_sliced(read) && has_parts && follower(step.reads[read], dimension) != none;
}
bool tiling::keeps_slices() const noexcept {
  return std::find(loads.begin(), loads.end(), loading::slices_once) != loads.end();
}
segment tiling::band_part() const noexcept {
  const std::int64_t rows = band().rows;
  return {0, bands, rows, 0, rows, 0, 0};
}

dimensions tiling::apart_shape(std::size_t read) const {
  dimensions out = read_shape(read, segments[0]);
  if (loads[read] != loading::whole) return out;
  const std::size_t k = follower(step.reads[read], dimension);
  out[k] = step.reads[read].of.shape[k];
  return out;
}

dimensions tiling::first_shape(std::size_t read) const {
  dimensions out = apart_shape(read);
  if (const pieces p = pieces_of(read); p.count != 0)
    out[follower(step.reads[read], dimension)] = p.first;
  return out;
}

dimensions tiling::piece_shape(std::size_t read, const pieces& p) const {
  dimensions out = apart_shape(read);
  out[follower(step.reads[read], dimension)] = p.rows;
  return out;
}

pieces tiling::pieces_of(std::size_t read) const {
  const bool is_flat = !is_nested && outer == 1 && slices == 1 && runs.size() == 1 && depth > 1;
  if (loads[read] != loading::whole || is_ahead[read] || !is_flat) return {};
  const window& w = step.window;
  const bool has_window = w.exists && w.read == read && w.dimension == dimension;
  const std::int64_t all = step.reads[read].of.shape[follower(step.reads[read], dimension)];
  // The first tiles' rows end there, but for those of padding.
  const std::int64_t stride = has_window ? w.stride : 1;
  const std::int64_t beyond = has_window ? w.extent - w.stride - w.before : 0;
  pieces out;
  out.rows = size * stride;
  out.first = std::min(depth * out.rows + beyond, all);
  out.count = (all - out.first) / out.rows;
  out.first = all - out.count * out.rows;
  // Of the tiles that have no piece, there are no more than of the others.
  return tiles() <= 2 * out.count ? out : pieces{};
}

bool tiling::has_pieces() const {
  for (std::size_t r = 0; r < loads.size(); ++r)
    if (pieces_of(r).count != 0) return true;
  return false;
}

std::int64_t tiling::stage_of(std::size_t read) const {
  std::int64_t at = 0;
  for (std::size_t r = 0; r < read; ++r) {
    const access& a = step.reads[r];
    if (a.is_converted() && loads[r] != loading::by_tile)
      at += aligned(product(first_shape(r)) * a.stored.size());
  }
  return at;
}

std::int64_t tiling::slots_bytes() const {
  return std::max(depth * slot_size, stage_of(loads.size()));
}

dimensions tiling::write_shape(const segment& s) const {
  const dimensions tile = tile_shape(s);
  dimensions out;
  for (const std::int32_t f : step.write.follows)
    out.push_back(f == slice_dimension ? 1 : tile[static_cast<std::size_t>(f)]);
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

std::vector<tiling> best_tilings(const plan& p, const target& device, unsigned effort) {
  return planner(p, device, effort).run();
}

void place_at(tiling& t, std::int64_t ahead, std::int64_t rest) noexcept {
  t.slots_at += rest;
  for (std::size_t r = 0; r < t.loads.size(); ++r) {
    t.other_at[r] += rest;
    if (t.loads[r] != loading::by_tile) t.read_at[r] += t.is_ahead[r] ? ahead : rest;
  }
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

std::optional<double> cost_of(const plan& p, const step& s, const target& device) {
  const limits whole{device.l1_size(), device.max_tokens(), none, false};
  const std::vector<tiling> best = searcher(p, s, device, whole).best(1);
  return best.empty() ? std::nullopt : std::optional(best[0].cost);
}

bool fits_l1(const plan& p, const step& s, const target& device) {
  const limits whole{device.l1_size(), device.max_tokens(), none, false};
  return !searcher(p, s, device, whole).best(1).empty();
}

std::int64_t least_l1(const step& s) {
  tiling t;
  step one = s;
  if (one.fixed >= one.dims.size()) add_dimension(one);
  t.dimension = static_cast<std::uint32_t>(one.dims.size()) - one.fixed - 1;
  t.segments = segments_of(one, t.dimension, 1);
  t.step = std::move(one);
  const segment& g = t.segments[t.segments.size() / 2];
  std::int64_t bytes = 0;
  for (const number_form& f : s.forms) bytes += product(t.tile_shape(g)) * f.size();
  for (std::size_t r = 0; r < s.reads.size(); ++r)
    bytes += product(t.read_shape(r, g)) * s.reads[r].form.size();
  return bytes;
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
