// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Quantization descriptors of regions: their values, and whether they fit the shape.
//
//   bool sound = detail::evaluate_quant(c, node, region);   // sets region.quant
//
//   per_tensor(scale, zero_point)                            "Quantization Descriptor"
//   per_channel(axis, scales, zero_points)                   one for each element of the axis
//   per_group(axis, group_size, scales, zero_points)         one for each group of them
//
// QNT-001 … QNT-008. What tasks demand of descriptors is in rules/compute.hpp.
//
// Lifetime:   nothing is kept.
// Errors:     reported.
// Limits:     none.
// Allocation: that of values::quants, reals and numbers.

#ifndef TESSERA_NEM_DETAIL_RULES_QUANT_HPP
#define TESSERA_NEM_DETAIL_RULES_QUANT_HPP

#include <cstddef>
#include <cstdint>

#include "../../../core/shortest.hpp"
#include "../../../core/text.hpp"
#include "../../../version.hpp"
#include "../../model.hpp"
#include "context.hpp"
#include "evaluate.hpp"
#include "scope.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// A FLOAT as messages show it.
[[nodiscard, gnu::cold]] inline text spelled(double x) {
  text out;
  append_double(out, x, double_style::python);
  return out;
}

[[gnu::cold]] inline bool check_scale(context& c, std::uint32_t at, double x) {
  if (x > 0 && x <= 1.7976931348623157e308) return true;
  const text number = spelled(x);
  c.report(errc::nem_qnt_005_scale, at)
      << "expected a scale that is positive and finite, found " << number.view();
  return false;
}
[[gnu::cold]] inline bool report_fraction(context& c, std::uint32_t at, double x) {
  const text number = spelled(x);
  c.report(errc::nem_qnt_006_zero_point, at)
      << "expected an integer as zero point, found " << number.view();
  return false;
}
[[gnu::cold]] inline void check_zero_point(context& c, std::uint32_t at, std::int64_t x,
                                           element e) {
  if (!is_integer(e)) return;
  const bool is_unsigned = e == element::u8 || e == element::u16 || e == element::u32;
  const std::uint32_t bits = bitwidth(e) - (is_unsigned ? 0 : 1);
  const std::int64_t top = (std::int64_t{1} << bits) - 1, bottom = is_unsigned ? 0 : -top - 1;
  if (x < bottom || x > top)
    c.report(errc::nem_qnt_007_zero_range, at) << "zero point " << x << " isn't a value of "
                                               << name(e) << " (" << bottom << " to " << top << ')';
}

/// Scales in values::reals, or zero points in values::numbers.
struct quant_values {
  bool are_scales;
  element type;  ///< of the region
  std::uint32_t first = 0, count = 0;
};

/// One number, which is appended; where it is wrong, another one takes its place.
[[gnu::cold]] inline bool evaluate_quant_value(context& c, std::uint32_t at, quant_values& to) {
  ++to.count;
  number x = {};
  const bool is_known = evaluate(c, at, for_number, x);
  if (to.are_scales) {
    c.v.reals.push_back(is_known ? x.as_real() : 1);
    return is_known && check_scale(c, at, x.as_real());
  }
  const bool is_whole = !x.is_real || to_integer(x.real, x.integer);
  c.v.numbers.push_back(is_known && is_whole ? x.integer : 0);
  if (!is_known) return false;
  if (!is_whole) return report_fraction(c, at, x.real);
  check_zero_point(c, at, x.integer, to.type);
  return true;
}

/// Scales or zero points: a list or the name of one, which is not copied, or a number where the form
/// has just one.
[[gnu::cold]] inline bool evaluate_quant_values(context& c, std::uint32_t at, bool is_list,
                                                quant_values& to) {
  to.first = static_cast<std::uint32_t>(to.are_scales ? c.v.reals.size() : c.v.numbers.size());
  if (!is_list) return evaluate_quant_value(c, at, to);
  if (c[at].kind == node_kind::list) {
    bool is_sound = true;
    for (const std::uint32_t i : children(c.d, at))
      is_sound = evaluate_quant_value(c, i, to) && is_sound;
    return is_sound;
  }
  if (c[at].kind == node_kind::name) {
    const binding& b = (*c.names)[c[at].value];
    if (b.kind != binding_kind::none && !b.is_known) return false;
    if (b.kind == binding_kind::integers || b.kind == binding_kind::reals) {
      const named_numbers& l = c.names->list_of(b);
      to.first = to.are_scales ? l.first_real : l.first_number;
      to.count = l.count;
      if (l.count == 0) return true;
      if (to.are_scales) return check_scale(c, at, l.least) && check_scale(c, at, l.greatest);
      if (!l.are_integers) {
        std::int64_t ignored = 0;
        std::uint32_t i = 0;
        while (to_integer(c.v.reals[l.first_real + i], ignored)) ++i;
        return report_fraction(c, at, c.v.reals[l.first_real + i]);
      }
      check_zero_point(c, at, l.min_integer, to.type);
      check_zero_point(c, at, l.greatest_integer, to.type);
      return true;
    }
  }
  number x = {};
  if (evaluate(c, at, for_number, x))
    c.report(errc::nem_exp_005_kind, at) << "expected a list, found a number";
  return false;
}

/// Whether the shape of a region has the axis of a descriptor.
[[gnu::cold]] inline bool check_axis(context& c, std::uint32_t at, const quant& q,
                                     const region& r) {
  if (q.axis >= 0 && q.axis < static_cast<std::int64_t>(r.rank)) return true;
  auto w = c.report(errc::nem_qnt_004_axis, at);
  if (r.rank == 0)
    w << "quantization axis " << q.axis << " of a shape without dimensions";
  else
    w << "quantization axis " << q.axis << " isn't one of 0 to " << r.rank - 1;
  return false;
}

/// Evaluates a descriptor of a region whose type and shape are evaluated.
[[gnu::cold]] inline bool evaluate_quant(context& c, std::uint32_t at, region& r,
                                         bool has_sound_shape) {
  quant q;
  q.form = static_cast<quantization>(c[at].detail);
  quant_values scales = {true, r.element}, zero_points = {false, r.element};
  const bool is_list = q.form != quantization::per_tensor;
  bool is_sound = true, has_axis = false, has_group = false;
  bool has_scales = false, has_zero_points = false;
  std::uint32_t axis_at = at, scales_at = at, zero_points_at = at;
  for (const std::uint32_t i : children(c.d, at)) {
    if (c[i].kind != node_kind::quant_field) continue;
    const std::uint32_t value = i + 1;
    switch (static_cast<quant_field>(c[i].detail)) {
      case quant_field::axis:
        has_axis = evaluate_integer(c, value, {"quantization axes must be integers"}, q.axis);
        is_sound = is_sound && has_axis;
        axis_at = value;
        break;
      case quant_field::group_size:
        has_group = evaluate_integer(c, value, {"group sizes must be integers"}, q.group_size);
        if (has_group && q.group_size <= 0) {
          has_group = false;
          c.report(errc::nem_qnt_003_group_size, value)
              << "group_size must be positive, found " << q.group_size;
        }
        is_sound = is_sound && has_group;
        break;
      case quant_field::scale:
      case quant_field::scales:
        scales_at = value;
        has_scales = evaluate_quant_values(c, value, is_list, scales);
        is_sound = is_sound && has_scales;
        break;
      case quant_field::zero_point:
      case quant_field::zero_points:
        zero_points_at = value;
        has_zero_points = evaluate_quant_values(c, value, is_list, zero_points);
        is_sound = is_sound && has_zero_points;
        break;
    }
  }
  q.first_scale = scales.first;
  q.scales = scales.count;
  q.first_zero_point = zero_points.first;
  q.zero_points = zero_points.count;
  if (is_floating(r.element))
    c.report(errc::nem_qnt_008_float, at)
        << name(r.element) << " values carry a quantization descriptor";

  if (is_list && has_axis && r.has_shape && has_sound_shape) {
    if (!check_axis(c, axis_at, q, r)) {
      is_sound = false;
    } else {
      const std::int64_t dimension =
          c.v.numbers[r.first_dimension + static_cast<std::size_t>(q.axis)];
      const bool is_grouped = q.form == quantization::per_group;
      if (!is_grouped || has_group) {
        const std::int64_t expected =
            is_grouped ? dimension / q.group_size + (dimension % q.group_size != 0) : dimension;
        const auto check = [&](bool is_known, std::uint32_t where, std::uint32_t count,
                               const char* what) {
          if (!is_known || count == expected) return;
          is_sound = false;
          auto w =
              c.report(is_grouped ? errc::nem_qnt_002_groups : errc::nem_qnt_001_channels, where);
          w << "expected " << expected << ' ' << what << ", found " << count << ": axis " << q.axis
            << " has " << dimension << (dimension == 1 ? " element" : " elements");
          if (is_grouped) w << ", " << q.group_size << " to a group";
        };
        check(has_scales, scales_at, q.scales, "scales");
        check(has_zero_points, zero_points_at, q.zero_points, "zero points");
      }
    }
  }
  r.quant = static_cast<std::uint32_t>(c.v.quants.size());
  c.v.quants.push_back(q);
  return is_sound;
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_QUANT_HPP
