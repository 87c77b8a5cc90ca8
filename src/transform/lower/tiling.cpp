// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/tiling.hpp"

#include <algorithm>

#include "transform/lower/divide.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

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
  return bands > 1 && is_sliced(read) && has_parts &&
         follower(step.reads[read], dimension) != no_dimension;
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

void place_at(tiling& t, std::int64_t ahead, std::int64_t rest) noexcept {
  t.slots_at += rest;
  for (std::size_t r = 0; r < t.loads.size(); ++r) {
    t.other_at[r] += rest;
    if (t.loads[r] != loading::by_tile) t.read_at[r] += t.is_ahead[r] ? ahead : rest;
  }
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
