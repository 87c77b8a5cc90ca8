// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Regions: which bytes of a buffer, and which elements they are.
//
//   std::uint32_t i = detail::evaluate_region(c, node, declaration);   // index in values::regions
//   if (detail::overlaps_itself(c.v, c.v.regions[i], work)) …          // decides REG-010
//
//   region(buffer, offset, extent)                   "Regions": NAM-003, NAM-004, REG-001 … REG-003
//   elem=, shape=, layout= or strides=, quant=       "Region Types": REG-004 … REG-011, TYP-002
//
// Where a region has strides, they decide which bytes it needs (REG-005), not the number of its
// elements (REG-004): a stride of 0 repeats one element.
//
// Lifetime:   nothing is kept.
// Errors:     reported.
// Limits:     overlaps_itself() gives up, with no, when `work` is used up.
// Allocation: that of values::regions and numbers.

#ifndef TESSERA_NEM_DETAIL_RULES_REGION_HPP
#define TESSERA_NEM_DETAIL_RULES_REGION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/sort.hpp"
#include "../../../version.hpp"
#include "../../model.hpp"
#include "buffer.hpp"
#include "context.hpp"
#include "evaluate.hpp"
#include "quant.hpp"
#include "scope.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Bytes that `count` elements take; false where 64 bits don't hold them.
[[nodiscard]] inline bool bytes_of(std::int64_t count, element e, std::int64_t& to) noexcept {
  const std::int64_t bits = bitwidth(e);
  if (bits >= 8) return !__builtin_mul_overflow(count, bits / 8, &to);
  to = count / (8 / bits) + (count % (8 / bits) != 0);
  return true;
}

/// Finds the buffer of a region. False where it has none that is sound.
inline bool find_buffer(context& c, std::uint32_t at, region& r) {
  const std::uint32_t name_index = c[at].value;
  const binding& b = (*c.names)[name_index];
  if (b.kind == binding_kind::none) {
    place where = c.at(at);  // up to the name
    const auto size = static_cast<std::uint32_t>(7 + c.name(at).size());
    if (size < where.length) where.length = size;
    auto&& w = c.found.add(errc::nem_nam_003_buffer, where);
    w << "buffer " << c.d.name(name_index) << " isn't declared before this point";
    suggest(c, w, c.d.name(name_index), binding_kind::buffer);
    return false;
  }
  if (b.kind == binding_kind::buffer) {
    r.buffer = b.index;
    r.flags |= c.v.buffers[b.index].flags;
    return b.is_known && c.v.buffers[b.index].is_known;
  }
  if (b.is_known)
    (c.report(errc::nem_nam_004_not_buffer, at)
     << "expected a buffer in region(...), " << c.d.name(name_index) << " is a " << name(b.kind))
            .note(head(c, b.node))
        << c.d.name(name_index) << " is declared here";
  return false;
}

/// Evaluates the numbers of shape= or strides= from `first` on.
[[gnu::cold]] inline bool evaluate_dimensions(context& c, std::uint32_t at, const purpose& p,
                                              std::int64_t smallest, errc too_small,
                                              std::uint32_t& first, std::uint32_t& count) {
  bool is_sound = true;
  first = static_cast<std::uint32_t>(c.v.numbers.size());
  for (const std::uint32_t i : children(c.d, at)) {
    std::int64_t x = smallest;
    if (!evaluate_integer(c, i, p, x)) {
      is_sound = false;
    } else if (x < smallest) {
      is_sound = false;
      c.report(too_small, i) << "expected a " << (smallest == 0 ? "stride" : "shape dimension")
                             << " of at least " << smallest << ", found " << x;
    }
    c.v.numbers.push_back(x);
  }
  count = static_cast<std::uint32_t>(c.v.numbers.size() - first);
  return is_sound;
}

/// Whether the elements of a region lie inside of its extent.
[[gnu::cold]] inline bool check_elements(context& c, const region& r, std::uint32_t extent_at,
                                         std::uint32_t strides_at) {
  std::int64_t count = r.has_strides ? 0 : 1;
  bool overflow = false;
  const view<std::int64_t> shape = c.v.shape(r), strides = c.v.strides(r);
  for (std::size_t i = 0; i < shape.size() && !overflow; ++i) {
    std::int64_t term = 0;
    if (!r.has_strides)
      overflow = __builtin_mul_overflow(count, shape[i], &count);
    else
      overflow = __builtin_mul_overflow(shape[i] - 1, strides[i], &term) ||
                 __builtin_add_overflow(count, term, &count);
  }
  if (r.has_strides) overflow = overflow || __builtin_add_overflow(count, 1, &count);
  std::int64_t needed = 0;
  overflow = overflow || !bytes_of(count, r.element, needed);
  if (!overflow && needed <= r.extent) return true;
  auto w = r.has_strides ? c.report(errc::nem_reg_005_strides, strides_at)
                         : c.report(errc::nem_reg_004_too_small, extent_at);
  if (r.has_strides)
    w << "the strides reach ";
  else
    w << "the shape needs ";
  if (overflow)
    w << "more than 2^63 - 1 bytes";
  else
    w << needed << (needed == 1 ? " byte" : " bytes");
  w << "; the extent is " << r.extent;
  if (!overflow && !r.has_strides)
    w << " (" << count << (count == 1 ? " element of " : " elements of ") << name(r.element) << ')';
  return false;
}

/// Whether a layout id names one dimension by each of its letters.
[[nodiscard]] constexpr bool names_dimensions(std::string_view layout) noexcept {
  for (const char c : layout)
    if (c < 'A' || c > 'Z') return false;
  return true;
}

[[gnu::cold]] inline void check_layout(context& c, std::uint32_t at, const region& r) {
  const std::string_view layout = c.d.name(r.layout);
  if (layout.size() == r.rank || !names_dimensions(layout)) return;
  c.report(errc::nem_reg_007_layout, at) << "layout " << layout << " has " << layout.size()
                                         << (layout.size() == 1 ? " letter" : " letters")
                                         << "; expected " << r.rank << ", one for each dimension";
}

/// Whether the bytes of a region, of which there is at least one, are in its buffer.
inline bool check_bounds(context& c, std::uint32_t at, const region& r) {
  const buffer& b = c.v.buffers[r.buffer];
  if (r.offset <= b.size && r.extent <= b.size - r.offset) return true;
  (c.report(errc::nem_reg_003_bounds, at)
   << r.extent << (r.extent == 1 ? " byte" : " bytes") << " from " << r.offset
   << " on extend past the end of buffer " << c.d.name(b.name) << " of " << b.size << " bytes")
          .note(head(c, b.node))
      << c.d.name(b.name) << " is declared here";
  return false;
}

inline constexpr purpose for_offset = {"region offsets must be integers"};
inline constexpr purpose for_extent = {"region extents must be integers"};
inline constexpr purpose for_dimension = {"shape dimensions must be integers"};
inline constexpr purpose for_stride = {"strides must be integers"};

/// Appends the region of a node_kind::region. `declaration` is its `let`, or no_node.
inline std::uint32_t evaluate_region(context& c, std::uint32_t at, std::uint32_t declaration) {
  region r;
  r.node = at;
  r.declaration = declaration;
  bool is_sound = find_buffer(c, at, r);
  bool has_offset = false, has_extent = false, has_shape = true, has_strides = true;
  std::uint32_t offset_at = no_node, extent_at = no_node, shape_at = no_node, layout_at = no_node,
                strides_at = no_node, quant_at = no_node;
  for (const std::uint32_t i : children(c.d, at)) {
    switch (c[i].kind) {
      case node_kind::elem:
        r.element = static_cast<element>(c[i].detail);
        if (is_extension(r.element))
          c.report(errc::nem_typ_002_extension, i)
              << "element type " << name(r.element) << " is an extension: no type family knows it";
        break;
      case node_kind::shape: shape_at = i; break;
      case node_kind::layout:
        layout_at = i;
        r.layout = c[i].value;
        break;
      case node_kind::strides: strides_at = i; break;
      case node_kind::quant: quant_at = i; break;
      default:
        if (offset_at == no_node) {
          offset_at = i;
          has_offset = evaluate_integer(c, i, for_offset, r.offset);
        } else {
          extent_at = i;
          has_extent = evaluate_integer(c, i, for_extent, r.extent);
        }
    }
  }
  if (has_offset && r.offset < 0) {
    has_offset = false;
    c.report(errc::nem_reg_001_offset, offset_at)
        << "expected an offset of at least 0, found " << r.offset;
  }
  if (has_extent && r.extent <= 0) {
    has_extent = false;
    c.report(errc::nem_reg_002_extent, extent_at)
        << "expected an extent of at least 1 byte, found " << r.extent;
  }
  is_sound = is_sound && has_offset && has_extent && check_bounds(c, at, r);

  if (shape_at != no_node) {
    r.has_shape = true;
    has_shape = evaluate_dimensions(c, shape_at, for_dimension, 1, errc::nem_reg_008_dimension,
                                    r.first_dimension, r.rank);
  }
  if (strides_at != no_node) {
    r.has_strides = true;
    has_strides = evaluate_dimensions(c, strides_at, for_stride, 0,
                                      errc::nem_reg_009_negative_stride, r.first_stride, r.strides);
    if (r.has_shape && r.strides != r.rank) {
      has_strides = false;
      c.report(errc::nem_reg_006_stride_count, strides_at)
          << "expected " << r.rank << (r.rank == 1 ? " stride" : " strides")
          << ", one for each dimension, found " << r.strides;
    }
  }
  if (layout_at != no_node && r.has_shape) check_layout(c, layout_at, r);
  is_sound = is_sound && has_shape && has_strides;
  if (r.element != element::none) {
    const std::int64_t bytes = bitwidth(r.element) / 8;
    if (has_offset && bytes > 1 && r.offset % bytes != 0)
      c.report(errc::nem_reg_011_unaligned, offset_at)
          << "offset " << r.offset << " isn't a multiple of the " << bytes << " bytes of "
          << name(r.element);
    if (has_extent && r.has_shape && has_shape && has_strides)
      is_sound = check_elements(c, r, extent_at, strides_at) && is_sound;
  }
  if (quant_at != no_node) is_sound = evaluate_quant(c, quant_at, r, has_shape) && is_sound;
  r.is_sound = is_sound;
  c.v.regions.push_back(r);
  return static_cast<std::uint32_t>(c.v.regions.size() - 1);
}

/// Whether two elements of a sound region have the same place, by its strides. Each step of the
/// search takes one off `work`, and each of more than 32 dimensions takes 64; without any left the
/// answer is no.
[[nodiscard, gnu::cold]] inline bool overlaps_itself(const values& v, const region& r,
                                                     std::uint64_t& work) {
  struct dimension {
    std::int64_t stride, most;  ///< the greatest difference of two indices
    std::int64_t reach;         ///< how far all dimensions of smaller strides lead
  };
  if (!r.has_strides || !r.has_shape || r.strides != r.rank) return false;
  constexpr std::uint32_t few = 8;
  dimension in_place[few];
  pool<dimension> many;
  if (r.rank > max_rank) {  // of no use to computing: 2^16 such dimensions are looked at
    const std::uint64_t steps = std::uint64_t{r.rank} * 64;
    work -= work < steps ? work : steps;
    if (work == 0) return false;
  }
  if (r.rank > few) many.resize(r.rank);
  dimension* const all = r.rank > few ? many.data() : in_place;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < r.rank; ++i) {
    const std::int64_t size = v.shape(r)[i], stride = v.strides(r)[i];
    if (size <= 1) continue;
    if (stride == 0) return true;
    all[count++] = {stride, size - 1, 0};
  }
  sort(all, count, [](const dimension& a, const dimension& b) { return a.stride < b.stride; });

  // Two elements have one place where differences d of their indices, not all 0, give
  // sum(d * stride) == 0. While each stride is greater than all that the smaller ones reach
  // together, there are none.
  bool are_apart = true;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    are_apart = are_apart && all[i].stride > sum;
    all[i].reach = sum;
    sum += all[i].stride * all[i].most;  // has room: it lies inside of the extent
  }
  if (are_apart || sum > std::int64_t{1} << 61) return false;

  // Else try them, from the greatest stride down, but only those that the smaller strides can make
  // up for. The first that isn't 0 may be taken as positive.
  struct choice {
    std::int64_t rest;  ///< what this stride and the smaller ones must add up to
    std::int64_t next, last;
    bool is_zero;  ///< whether all greater ones are 0
  };
  pool<choice> open;
  const auto enter = [&](std::int64_t rest, bool is_zero) {
    const dimension& d = all[count - 1 - open.size()];
    const std::int64_t low = rest - d.reach, high = rest + d.reach;
    std::int64_t first = low / d.stride + (low % d.stride > 0);
    std::int64_t last = high / d.stride - (high % d.stride < 0);
    if (first < -d.most) first = -d.most;
    if (is_zero && first < 0) first = 0;
    if (last > d.most) last = d.most;
    open.push_back({rest, first, last, is_zero});
  };
  enter(0, true);
  while (!open.empty() && work != 0) {
    --work;
    choice& at = open.back();
    if (at.next > at.last) {
      open.pop_back();
      continue;
    }
    const std::int64_t x = at.next++;
    const std::int64_t rest = at.rest - x * all[count - open.size()].stride;
    const bool is_zero = at.is_zero && x == 0;
    if (rest == 0 && !is_zero) return true;
    if (open.size() < count) enter(rest, is_zero);
  }
  return false;
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_REGION_HPP
