// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/search.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "transform/lower/estimate.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

/// Tasks that a tile issues.
[[nodiscard]] std::int64_t tasks_of_tile(const tiling& t) noexcept {
  std::int64_t n = 1 + static_cast<std::int64_t>(t.step.tasks.size());
  for (std::size_t r = 0; r < t.loads.size(); ++r)
    if (t.loads[r] == loading::by_tile || t.loads[r] == loading::whole)
      n += t.step.reads[r].is_converted() ? 2 : 1;
  return n;
}

class searcher {
 public:
  searcher(const plan& p, const step& s, const target& device, const limits& of)
      : plan_(p), step_(s), device_(device), limits_(of) {}

  /// The tilings that cost least, the best one first, each of another form; no_dimension where that is
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
      if (const std::size_t rows = follower(a, d); rows != no_dimension)
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
    t.cost = estimated_cost(plan_, device_, t);
    // Rows of fewer tiles are there sooner.
    if (const std::int64_t less = device_.units(nem::unit::nmu) + 2;
        less < t.depth && t.has_pieces()) {
      tiling other = t;
      set_depth(other, less);
      other.cost = estimated_cost(plan_, device_, other);
      if (other.cost < t.cost) t = std::move(other);
    }
    const std::int64_t blocks = s.dims.size() == step_.dims.size() ? 0 : s.dims[0];
    const form key{t.slices, blocks, d, t.may_be_whole, t.bands > 1, t.has_columns, t.is_pipelined};
    const auto at = best_.find(key);
    if (at != best_.end() && t.cost >= at->second.cost) return;
    t.ahead_cost = estimated_ahead_cost(plan_, device_, t);
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
    if (rows == no_dimension || a.stays || s.dims[d] == 1) return false;
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

  /// Whether the tiles of different indices write bytes that are apart: verification takes those from
  /// the first to the last that a tile writes as a whole.
  struct apart {
    bool rows = true, outer = true;  ///< of the tiled dimension, of those before it
  };
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
    plan_slots(t, written);
  }

  /// Whether tiles come one after another, and what a slot has: registers, then reads.
  void plan_slots(tiling& t, const apart& written) const {
    const step& s = t.step;
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
      return k != no_dimension && w.of.strides[k] * by >= extent;
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
  // Slices, blocks, dimension, whether reads may be whole, there are bands, slices are
  // columns, and tiles are pipelined.
  using form = std::tuple<std::int64_t, std::int64_t, std::uint32_t, bool, bool, bool, bool>;
  std::map<form, tiling> best_;
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  std::int64_t least_ = unlimited;   ///< bytes of L1
  std::int64_t fewest_ = unlimited;  ///< tiles that fit there
};

}  // namespace

void set_depth(tiling& t, std::int64_t depth) noexcept {
  t.tokens += (depth - t.depth) * tasks_of_tile(t);
  t.rest_bytes -= t.slots_bytes();
  t.depth = depth;
  t.rest_bytes += t.slots_bytes();
}

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

searched search(const plan& p, const step& s, const target& device, const limits& of,
                std::size_t count) {
  searcher from(p, s, device, of);
  searched out{from.best(count), {}};
  if (out.best.empty()) out.why = from.refused();
  return out;
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
