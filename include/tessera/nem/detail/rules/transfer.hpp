// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules of data movement: what a transfer or a store copies, and to where.
//
//   check_transfer(c, task);              // once the operands are evaluated; others are ignored
//
//   XFR-001  the destination is smaller           XFR-005  bytes keep their order, layouts differ
//   XFR-002  the destination is larger            XFR-006  both sides overlap
//   XFR-003  different element types              XFR-007  different quantization descriptors
//   XFR-004  different shapes                     XFR-008  a store to a nearer level
//
// What isn't typed is bytes: types are compared where both sides have them. Shapes, strides and
// descriptors are the same where their values are, however they are written.
//
// Lifetime:   borrows for the call.
// Errors:     findings, at the destination; notes point to the source.
// Limits:     none.
// Allocation: that of findings.

#ifndef TESSERA_NEM_DETAIL_RULES_TRANSFER_HPP
#define TESSERA_NEM_DETAIL_RULES_TRANSFER_HPP

#include <cstddef>
#include <cstdint>

#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "context.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The name or the region of an operand.
[[nodiscard]] inline place place_of_operand(const context& c, const operand& o) noexcept {
  return c.at(o.node + 1);
}
/// What texts call an operand: its name, or "region of B" after an article.
struct operand_name {
  const context& c;
  const operand& o;
  bool has_article = false;
};
inline text& operator<<(text& out, const operand_name& n) {
  const std::uint32_t i = n.o.node + 1;
  if (n.c[i].kind == node_kind::region) out << (n.has_article ? "region of " : "a region of ");
  return out << n.c.name(i);
}
/// Whether two descriptors, or their absence, mean the same.
[[nodiscard, gnu::cold]] inline bool is_same_quant(const values& v, std::uint32_t a,
                                                   std::uint32_t b) noexcept {
  if (a == b) return true;
  if (a == no_index || b == no_index) return false;
  const quant &x = v.quants[a], &y = v.quants[b];
  return x.form == y.form && x.axis == y.axis && x.group_size == y.group_size &&
         are_equal(v.scales(x), v.scales(y)) && are_equal(v.zero_points(x), v.zero_points(y));
}
/// Whether elements of two regions of the same shape lie at the same distances. Without strides
/// they are contiguous, the last dimension next to one another.
[[nodiscard, gnu::cold]] inline bool is_same_strides(const values& v, const region& a,
                                                     const region& b) noexcept {
  if (a.has_strides && b.has_strides) return are_equal(v.strides(a), v.strides(b));
  if (!a.has_strides && !b.has_strides) return true;
  const region& strided = a.has_strides ? a : b;
  const view<std::int64_t> shape = v.shape(strided), strides = v.strides(strided);
  if (shape.size() != strides.size()) return false;
  std::int64_t contiguous = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != contiguous) return false;
    if (__builtin_mul_overflow(contiguous, shape[i], &contiguous)) return false;
  }
  return true;
}

/// Compares what both sides say of their elements.
[[gnu::cold]] inline void check_transfer_types(context& c, const operand& to, const operand& from) {
  const region &dst = c.v.regions[to.region], &src = c.v.regions[from.region];
  if (dst.element == element::none || src.element == element::none) return;
  const place where = place_of_operand(c, to), related = place_of_operand(c, from);
  const operand_name dst_name{c, to, true}, src_name{c, from, true};
  if (dst.element != src.element) {
    const findings::writer w = c.found.add(errc::nem_xfr_003_element, where);
    w << "the destination " << dst_name << " is of " << name(dst.element) << ", the source "
      << src_name << " of " << name(src.element) << ": bytes are copied, not converted";
    w.note(related) << "the source is of " << name(src.element);
    return;  // what else differs follows from it
  }
  const bool have_shapes = dst.has_shape && src.has_shape;
  if (have_shapes && !are_equal(c.v.shape(dst), c.v.shape(src))) {
    const findings::writer w = c.found.add(errc::nem_xfr_004_shape, where);
    w << "the destination " << dst_name << " has shape " << number_list{c.v.shape(dst)}
      << ", the source " << src_name << ' ' << number_list{c.v.shape(src)};
    w.note(related) << "the source has shape " << number_list{c.v.shape(src)};
  } else if (have_shapes && dst.layout != src.layout && dst.layout != no_name &&
             src.layout != no_name) {
    const findings::writer w = c.found.add(errc::nem_xfr_005_layout, where);
    w << "the destination " << dst_name << " has layout " << c.d.name(dst.layout) << ", the source "
      << src_name << ' ' << c.d.name(src.layout)
      << ": bytes are copied in order, without rearranging elements";
    w.note(related) << "the source has layout " << c.d.name(src.layout);
  } else if (have_shapes && !is_same_strides(c.v, dst, src)) {
    const findings::writer w = c.found.add(errc::nem_xfr_005_layout, where);
    w << "the destination " << dst_name << " and the source " << src_name
      << " have different strides: bytes are copied in order, without rearranging elements";
    const findings::writer n = w.note(related);
    if (src.has_strides)
      n << "the source has strides " << number_list{c.v.strides(src)};
    else
      n << "the source is contiguous";
  }
  if (!is_same_quant(c.v, dst.quant, src.quant)) {
    const findings::writer w = c.found.add(errc::nem_xfr_007_quant, where);
    w << "the destination " << dst_name << " and the source " << src_name
      << " have different quantization descriptors: values are copied as they are";
    w.note(related) << (src.quant == no_index ? "the source has no descriptor"
                                              : "the source has another descriptor");
  }
}

/// Checks a transfer or a store.
[[gnu::cold]] inline void check_transfer(context& c, const task& t) {
  if (t.opcode != opcode::transfer && t.opcode != opcode::store) return;
  if (t.inputs != 1 || t.outputs != 1) return;
  const operand &from = c.v.inputs(t)[0], &to = c.v.outputs(t)[0];
  if (from.region == no_index || to.region == no_index) return;
  const region &dst = c.v.regions[to.region], &src = c.v.regions[from.region];
  if (dst.buffer == no_index || src.buffer == no_index) return;
  const place where = place_of_operand(c, to), related = place_of_operand(c, from);
  const operand_name dst_name{c, to, true}, src_name{c, from, true};

  const level near = c.v.buffers[dst.buffer].level, far = c.v.buffers[src.buffer].level;
  if (t.opcode == opcode::store && near > far) {
    const findings::writer w = c.found.add(errc::nem_xfr_008_nearer, where);
    w << "store moves " << operand_name{c, from} << " from " << name(far) << " to "
      << operand_name{c, to} << " in " << name(near) << ", a nearer level; use transfer for that";
    w.note(c.at(c.v.buffers[src.buffer].node)) << "the source is in " << name(far);
  }
  if (!dst.is_sound || !src.is_sound) return;

  if (dst.extent < src.extent) {
    const findings::writer w = c.found.add(errc::nem_xfr_001_small, where);
    w << "the destination " << dst_name << " has " << dst.extent << " bytes, the source "
      << src_name << ' ' << src.extent;
    w.note(related) << "the source has " << src.extent << " bytes";
  } else if (dst.extent > src.extent) {
    const findings::writer w = c.found.add(errc::nem_xfr_002_large, where);
    w << "the destination " << dst_name << " has " << dst.extent << " bytes, the source "
      << src_name << ' ' << src.extent << ": the last " << dst.extent - src.extent
      << " aren't written";
    w.note(related) << "the source has " << src.extent << " bytes";
  }
  // Both lie within the buffer, so that neither end overflows.
  if (dst.buffer == src.buffer && !t.is_memmove && dst.offset < src.offset + src.extent &&
      src.offset < dst.offset + dst.extent) {
    const std::int64_t first = dst.offset > src.offset ? dst.offset : src.offset;
    const std::int64_t a = dst.offset + dst.extent, b = src.offset + src.extent;
    const findings::writer w = c.found.add(errc::nem_xfr_006_overlap, where);
    w << "the destination " << dst_name << " and the source " << src_name << " share bytes ["
      << first << ", " << (a < b ? a : b) << ") of " << c.d.name(c.v.buffers[dst.buffer].name)
      << " without @memmove";
    w.note(related) << "the source is bytes [" << src.offset << ", " << b << ')';
    const node& n = c[t.node];
    if (n.length != 0xffff) w.fix({0, n.offset + n.length, 0}) << " @memmove";
  }
  check_transfer_types(c, to, from);
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_TRANSFER_HPP
