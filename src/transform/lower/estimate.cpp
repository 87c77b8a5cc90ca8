// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "transform/lower/divide.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

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

}  // namespace

double estimated_cost(const plan& p, const target& device, const tiling& t) {
  return estimator(p, device).cost(t);
}
double estimated_ahead_cost(const plan& p, const target& device, const tiling& t) {
  return estimator(p, device).ahead_cost(t);
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
