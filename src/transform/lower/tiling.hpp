// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tiles of a step: which dimension is tiled and how, what each tile loads, and what that costs.
//
//   place(p, device);                                     // where intermediate results are
//   std::vector<tiling> all = best_tilings(p, device);     // of the steps of p
//   all[0].dimension, all[0].depth, all[0].runs …          // to be written
//
// Lifetime:   values.
// Errors:     throws a refusal where not even the smallest tiles fit L1.
// Limits:     none.
// Allocation: that of the vectors.

#ifndef TESSERA_TRANSFORM_LOWER_TILING_HPP
#define TESSERA_TRANSFORM_LOWER_TILING_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "transform/lower/steps.hpp"
#include "transform/lower/target.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

inline constexpr std::int64_t alignment = 64;  ///< bytes, of everything in L1 and of weights
[[nodiscard]] constexpr std::int64_t aligned(std::int64_t bytes) noexcept {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Tasks of a tile that have tokens, at least: others wait for them.
inline constexpr std::int64_t least_tokens = 4;
/// What a tile loads that has no piece of a read: bytes, no more than those of a piece.
inline constexpr std::int64_t least_piece = alignment;

/// Tiles of one form: `count` of them from tile `first` on.
struct segment {
  std::int64_t first = 0, count = 1;
  std::int64_t rows = 0;                   ///< of the tiled dimension
  std::int64_t in_first = 0, in_rows = 0;  ///< of the window's read, of the first tile
  std::int64_t top = 0, bottom = 0;        ///< rows of padding
};

/// Tiles that one loop goes through: those of a form, of which the first and the last may differ.
struct tile_run {
  std::size_t first = 0, middle = 0, last = 0;  ///< segments
  std::int64_t count = 1;                       ///< tiles
};

/// When a tile of a read is loaded.
enum class loading : std::uint8_t {
  once,      ///< it is the same for all tiles
  by_outer,  ///< for each index of the dimensions before the tiled one
  by_tile,
  never,        ///< tasks read it where it is
  by_slice,     ///< one slice of the terms of a product after another
  slices_once,  ///< the same for the first tile; all slices stay for the others
  whole         ///< all rows once, of which each tile takes some: see pieces
};

/// Rows of a read that are loaded while tiles are computed: those of the first tiles are there before,
/// and each of `count` tiles loads what the one `depth` after it needs.
struct pieces {
  std::int64_t first = 0;  ///< rows
  std::int64_t rows = 0;   ///< of a piece
  std::int64_t count = 0;  ///< 0: all rows are there before
};

struct tiling {
  transform::lowering::step step;  ///< with merged dimensions, or by blocks of columns
  std::uint32_t dimension = 0;     ///< that is tiled
  std::int64_t size = 1;           ///< of all tiles but the last
  std::int64_t outer = 1;          ///< indices of the dimensions before it
  std::int64_t depth = 1;          ///< tiles that are worked on at once
  std::int64_t most_depth = 1;     ///< for which there are memory and tokens
  bool is_nested = false;          ///< whether outer indices come one after another
  bool is_serial = false;          ///< whether all tiles do: they write between others' bytes
  bool may_be_whole = false;  ///< whether reads of which tiles have rows or slices in common are
  std::int64_t slices = 1;    ///< that a product's terms are in: what they give is added
  bool has_columns = false;   ///< whether they are columns instead, of which each is computed once
  bool is_pipelined = false;  ///< whether tasks after a tile's product are beside the next one's
  std::int64_t bands = 1;     ///< that a tile's rows are in, where its terms are in slices
  std::int64_t lanes = 1;     ///< bands that are worked on at once
  std::vector<segment> segments;
  std::vector<segment> band_segments;  ///< of a tile
  tile_run band_run;
  std::vector<tile_run> runs;
  std::vector<loading> loads;       ///< by read
  std::vector<bool> is_ahead;       ///< by read: loaded while the step before computes
  std::vector<std::int64_t> parts;  ///< by read: transfers side by side, where no tiles are
  // Bytes of L1: what is loaded ahead, which the step before leaves free, is at one of its ends. The
  // rest are reads that are loaded once, those by outer indices, and `depth` slots.
  std::vector<std::int64_t> read_at;   ///< by read: in L1, or in a slot
  std::vector<std::int64_t> other_at;  ///< by read by outer indices or slices: of odd ones; in
                                       ///< pieces: of what tiles load that have no piece, in a slot
  std::vector<std::int64_t> read_size;    ///< by read: bytes of its largest tile
  std::vector<std::int64_t> register_at;  ///< in a slot; the last one is a slice's product
  /// By read that is converted: in a slot, of what is loaded for a tile as it is stored. What is loaded
  /// before the tiles has the place of all slots for that.
  std::vector<std::int64_t> stage_at;
  std::int64_t slots_at = 0, slot_size = 0, l1_bytes = 0;
  std::int64_t ahead_bytes = 0, rest_bytes = 0;
  std::int64_t ahead_tokens = 0;  ///< tasks that load ahead
  std::int64_t tokens = 0;        ///< tasks that are issued at once, beside those that load ahead
  double cost = 0;                ///< cycles, about
  double ahead_cost = 0;          ///< of what is loaded ahead, were it not

  /// The shape of a read's tile, or of the written one, in a segment.
  [[nodiscard]] dimensions read_shape(std::size_t read, const segment& s) const;
  [[nodiscard]] dimensions tile_shape(const segment& s) const;
  /// A band, as a tile.
  [[nodiscard]] const segment& band() const noexcept { return band_segments[band_run.middle]; }
  /// Whether bands load parts of a read, and which rows.
  [[nodiscard]] bool is_banded(std::size_t read) const noexcept;
  [[nodiscard]] segment band_part() const noexcept;
  /// The shape of a read that no tile loads as it is in L1, and of what is loaded before the tiles.
  [[nodiscard]] dimensions apart_shape(std::size_t read) const;
  [[nodiscard]] dimensions first_shape(std::size_t read) const;
  [[nodiscard]] pieces pieces_of(std::size_t read) const;
  [[nodiscard]] bool has_pieces() const;
  /// From the first slot on: of a converted read that is loaded before the tiles, as it is stored; and
  /// after the last one of those.
  [[nodiscard]] std::int64_t stage_of(std::size_t read) const;
  /// Bytes of the slots, and of what else is there before the tiles.
  [[nodiscard]] std::int64_t slots_bytes() const;
  [[nodiscard]] dimensions piece_shape(std::size_t read, const pieces& p) const;
  /// Of what is written, which has the dimensions of the step in its own order.
  [[nodiscard]] dimensions write_shape(const segment& s) const;
  [[nodiscard]] std::int64_t tiles() const noexcept;
  [[nodiscard]] bool is_sliced(std::size_t read) const noexcept {
    return loads[read] == loading::by_slice || loads[read] == loading::slices_once;
  }
  [[nodiscard]] bool has_sums() const noexcept { return slices > 1 && !has_columns; }
  /// Whether the slices that the first tile loads stay for the others.
  [[nodiscard]] bool keeps_slices() const noexcept;
  /// Whether a read has two places, for one to be loaded while the other is used.
  [[nodiscard]] bool has_two(std::size_t read) const noexcept {
    return loads[read] == loading::by_outer || loads[read] == loading::by_slice;
  }
};

/// Gives intermediate results their places in L2, or in DDR where it is full. Returns the bytes that
/// are used of each, by level.
struct placement {
  std::int64_t l2 = 0, spill = 0;
};
[[nodiscard]] placement place(plan& p, const target& device);

/// How bytes in a row are divided for the engines that move them: all parts but the last are aligned.
[[nodiscard]] constexpr std::int64_t part_size(std::int64_t bytes, std::int64_t parts) noexcept {
  return aligned((bytes + parts - 1) / parts);
}

/// The bytes that a plan's places end at.
[[nodiscard]] placement used_by(const plan& p) noexcept;

/// Tilings of all steps, with their places in L1. Efforts: 0 counts cycles by a formula; 1 also runs the
/// best tilings of the largest steps in abstract time; 2 runs more of them, for all steps.
[[nodiscard]] std::vector<tiling> best_tilings(const plan& p, const target& device,
                                               unsigned effort);
/// Moves a tiling to where in L1 what it loads ahead and the rest begin.
void place_at(tiling& t, std::int64_t ahead, std::int64_t rest) noexcept;

/// Cycles of a step, about; none where no tiles of it fit L1.
[[nodiscard]] std::optional<double> cost_of(const plan& p, const step& s, const target& device);
/// Whether there are tiles of a step that fit L1.
[[nodiscard]] bool fits_l1(const plan& p, const step& s, const target& device);
/// Bytes of L1 that a tile of one row takes, about.
[[nodiscard]] std::int64_t least_l1(const step& s);

/// Whether the elements of a box of a view follow each other.
[[nodiscard]] bool is_contiguous(const dimensions& box, const dimensions& strides) noexcept;

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_TILING_HPP
