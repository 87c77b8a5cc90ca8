// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rules about shapes: what each opcode takes, and what it makes of it.
//
//   shape_rules(c, t, a).check();       // operands are typed, attributes in range
//
//   SHP-001    rank                     gemm, matmul, convolutions, pools
//   SHP-002    shapes are identical     element-wise, normalization, softmax, conversions
//   SHP-003    inner sizes, channels    gemm, matmul, convolutions
//   SHP-004    the output               whatever derives a shape
//   SHP-005    bias and scale           gemm, convolutions, normalization
//   SHP-006    layout                   conv2d, depthwise_conv2d, pools
//   SHP-007    number of elements       reshape
//   SHP-008    parts                    concat, split
//   SHP-009    groups                   convolutions
//   SHP-010    padding                  pools
//   OPC-009    axes within the rank     whatever has an axis
//
// Where one of these fails, those that build upon it are left out.
//
// Lifetime:   nothing is kept.
// Errors:     those above.
// Limits:     operands of up to 32 dimensions (SHP-001).
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_SHAPE_HPP
#define TESSERA_NEM_DETAIL_RULES_SHAPE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/text.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "../../visitor.hpp"
#include "attribute.hpp"
#include "attributes.hpp"
#include "context.hpp"
#include "evaluate_attributes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// A shape that is derived.
class derived_shape {
 public:
  /// More dimensions than any operand has are counted, not kept.
  void push_back(std::int64_t size) noexcept {
    if (rank_ < max_rank) sizes_[rank_] = size;
    ++rank_;
  }
  void append(view<std::int64_t> sizes) noexcept {
    for (const std::int64_t s : sizes) push_back(s);
  }
  [[nodiscard]] std::int64_t& operator[](std::size_t i) noexcept { return sizes_[i]; }
  [[nodiscard]] view<std::int64_t> sizes() const noexcept {
    return {sizes_, rank_ < max_rank ? rank_ : max_rank};
  }
  [[nodiscard]] bool equals(view<std::int64_t> other) const noexcept {
    return rank_ == other.size() && are_equal(sizes(), other);
  }

 private:
  std::int64_t sizes_[max_rank];
  std::size_t rank_ = 0;
};

/// How many positions a window has along one axis, 0 for none: its size is 1 + dilation * (kernel -
/// 1), it moves by `stride`, and the input is padded on both sides.
[[nodiscard, gnu::cold]] inline std::int64_t window_count(std::int64_t size, std::int64_t before,
                                                          std::int64_t after, std::int64_t kernel,
                                                          std::int64_t dilation,
                                                          std::int64_t stride) noexcept {
  std::int64_t padded = 0, span = 0;
  if (__builtin_add_overflow(size, before, &padded) ||
      __builtin_add_overflow(padded, after, &padded) ||
      __builtin_mul_overflow(dilation, kernel - 1, &span) || span >= padded)
    return 0;
  return (padded - span - 1) / stride + 1;
}

/// How many elements one axis of a slice keeps, with bounds as ONNX clamps them.
[[nodiscard, gnu::cold]] inline std::int64_t slice_count(std::int64_t size, std::int64_t start,
                                                         std::int64_t end,
                                                         std::int64_t step) noexcept {
  const auto clamp = [](std::int64_t x, std::int64_t low, std::int64_t high) {
    return x < low ? low : x > high ? high : x;
  };
  if (start < 0) start += size;
  if (end < 0) end += size;
  if (step > 0) {
    start = clamp(start, 0, size), end = clamp(end, 0, size);
    return end <= start ? 0 : (end - start - 1) / step + 1;
  }
  start = clamp(start, 0, size - 1), end = clamp(end, -1, size - 1);
  if (start <= end) return 0;
  const auto span = static_cast<std::uint64_t>(start - end - 1);
  return static_cast<std::int64_t>(span / (0 - static_cast<std::uint64_t>(step))) + 1;
}

class shape_rules {
 public:
  shape_rules(context& c, const task& t, const attributes& a) noexcept
      : c_(c), t_(t), a_(a), inputs_(c.v.inputs(t)), outputs_(c.v.outputs(t)) {}

  [[gnu::cold]] void check() {
    if (!check_ranks()) return;
    switch (row(t_.opcode).category) {
      case opcode_category::data_movement:  // unreachable: these aren't computed
      case opcode_category::generic: break;
      case opcode_category::linear_algebra: gemm(); break;
      case opcode_category::convolution: convolution(); break;
      case opcode_category::pooling: pool_shape(); break;
      case opcode_category::layout: layout(); break;
      case opcode_category::reduction: reduction(); break;
      case opcode_category::normalization: normalization(); break;
      case opcode_category::softmax: softmax(); break;
      case opcode_category::elementwise_unary:
      case opcode_category::elementwise_binary:
      case opcode_category::elementwise_other:
      case opcode_category::type_conversion: (void)identical(t_.inputs); break;
    }
  }

 private:
  [[nodiscard]] const region& of(const operand& o) const noexcept { return c_.v.regions[o.region]; }
  [[nodiscard]] view<std::int64_t> shape(const operand& o) const noexcept {
    return c_.v.shape(of(o));
  }
  [[nodiscard]] std::string_view input_name(std::size_t i) const noexcept {
    return registry_name(t_.opcode, false, i);
  }
  findings::writer fail(errc code, const operand& o) { return c_.report(code, o.node); }
  findings::writer fail(errc code, attribute a) {
    const std::uint32_t value = attribute_value(c_.d, t_.node, a);
    return c_.report(code, value == no_node ? opcode_node(c_, t_) : value);
  }
  findings::writer fail(errc code, attribute a, std::size_t index) {
    return c_.report(code, attribute_element(c_.d, t_.node, a, index));
  }

  [[nodiscard, gnu::cold]] bool check_ranks() {
    for (const view<operand> all : {inputs_, outputs_})
      for (const operand& o : all)
        if (of(o).rank > max_rank) {
          fail(errc::nem_shp_001_rank, o) << "operands of compute tasks have at most " << max_rank
                                          << " dimensions, not " << of(o).rank;
          return false;
        }
    return true;
  }
  /// SHP-001 for an operand of exactly, or of at least, so many dimensions.
  [[nodiscard, gnu::cold]] bool has_rank(std::size_t i, std::size_t rank, bool at_least = false) {
    const std::size_t found = shape(inputs_[i]).size();
    if (found == rank || (at_least && found > rank)) return true;
    fail(errc::nem_shp_001_rank, inputs_[i])
        << input_name(i) << " of " << name(t_.opcode) << " must have "
        << (at_least ? "at least " : "") << rank << " dimensions, not " << found << ": "
        << number_list{shape(inputs_[i])};
    return false;
  }
  /// SHP-006; regions without a layout are as the shape says.
  [[nodiscard, gnu::cold]] bool has_layout(const operand& o, std::string_view operand,
                                           std::string_view wanted) {
    const std::uint32_t layout = of(o).layout;
    if (layout == no_name || c_.d.name(layout) == wanted) return true;
    auto&& w = fail(errc::nem_shp_006_layout, o);
    w << operand << " of " << name(t_.opcode) << " must have layout " << wanted << ", not "
      << c_.d.name(layout);
    declared(w, o);
    return false;
  }
  /// SHP-004.
  [[gnu::cold]] void derives(const derived_shape& y, const operand& o) {
    if (y.equals(shape(o))) return;
    for (const std::int64_t size : y.sizes())
      if (size <= 0) {
        fail(errc::nem_shp_004_output, o)
            << name(t_.opcode) << " gives no elements here: its output would be "
            << number_list{y.sizes()};
        return;
      }
    auto&& w = fail(errc::nem_shp_004_output, o);
    w << "the output of " << name(t_.opcode) << " has shape " << number_list{shape(o)}
      << "; expected " << number_list{y.sizes()};
    declared(w, o);
  }
  /// A note that points to the `let` of an operand's region.
  void declared(findings::writer w, const operand& o) {
    const region& r = of(o);
    if (r.declaration != no_node) w.note(c_.at(r.node)) << "declared here";
  }

  /// SHP-002 for the first `inputs` inputs and the output. Of three operands, the odd one is named.
  [[nodiscard, gnu::cold]] bool identical(std::size_t inputs) {
    const operand &first = inputs_[0], &y = outputs_[0];
    const std::string_view y_name = registry_name(t_.opcode, true, 0);
    if (inputs > 1) {
      const operand& second = inputs_[1];
      if (!are_equal(shape(first), shape(second))) {
        const bool first_is_odd = are_equal(shape(second), shape(y));
        differ(first_is_odd ? first : second, input_name(first_is_odd ? 0 : 1),
               first_is_odd ? second : first, input_name(first_is_odd ? 1 : 0));
        return false;
      }
    }
    if (are_equal(shape(first), shape(y))) return true;
    differ(y, y_name, first, input_name(0));
    return false;
  }
  [[gnu::cold]] void differ(const operand& odd, std::string_view odd_name, const operand& other,
                            std::string_view other_name) {
    auto&& w = fail(errc::nem_shp_002_identical, odd);
    w << "shapes must be identical: " << odd_name << " is " << number_list{shape(odd)} << ", "
      << other_name << " is " << number_list{shape(other)};
    w.note(c_.at(other.node)) << other_name << " is here";
  }

  /// Takes an axis to 0 … rank - 1. OPC-009, once for each place.
  [[nodiscard, gnu::cold]] bool axis_of(attribute a, std::size_t index, std::int64_t axis,
                                        std::size_t rank, std::size_t& to) {
    const auto limit = static_cast<std::int64_t>(rank);
    if (axis >= -limit && axis < limit) {
      to = static_cast<std::size_t>(axis < 0 ? axis + limit : axis);
      return true;
    }
    auto&& w = a == attribute::axis ? fail(errc::nem_opc_009_range, a)
                                    : fail(errc::nem_opc_009_range, a, index);
    if (rank == 0)
      w << "an operand of rank 0 has no axis " << axis;
    else
      w << "axis must be from " << -limit << " to " << limit - 1 << " where the rank is " << rank
        << ", not " << axis;
    return false;
  }
  [[nodiscard]] bool axis_of(std::size_t rank, std::size_t& to) {
    return a_.has(attribute::axis) && axis_of(attribute::axis, 0, a_.axis, rank, to);
  }
  /// The axes that a list names, as bits; OPC-009 for a duplicate.
  [[nodiscard, gnu::cold]] bool axes_of(std::size_t rank, std::uint64_t& to) {
    for (std::size_t i = 0; i < a_.axes.size(); ++i) {
      std::size_t axis = 0;
      if (!axis_of(attribute::axes, i, a_.axes[i], rank, axis)) return false;
      if ((to >> axis & 1) != 0) {
        fail(errc::nem_opc_009_range, attribute::axes, i) << "duplicate axis " << a_.axes[i];
        return false;
      }
      to |= std::uint64_t{1} << axis;
    }
    return true;
  }

  [[gnu::cold]] void gemm() {
    if (!has_rank(0, 2, true) || !has_rank(1, 2, true)) return;
    const view<std::int64_t> a = shape(inputs_[0]), b = shape(inputs_[1]);
    const std::size_t ra = a.size(), rb = b.size();
    // Operands of layout …KM and …NK are stored transposed.
    const bool a_is_turned = c_.layout_ends_in(of(inputs_[0]), "KM"),
               b_is_turned = c_.layout_ends_in(of(inputs_[1]), "NK");
    const std::int64_t m = a[ra - (a_is_turned ? 1 : 2)], k = a[ra - (a_is_turned ? 2 : 1)],
                       kb = b[rb - (b_is_turned ? 1 : 2)], n = b[rb - (b_is_turned ? 2 : 1)];
    const view<std::int64_t> batch(a.data(), ra - 2);
    if (k != kb) {
      auto&& w = fail(errc::nem_shp_003_inner, inputs_[1]);
      w << "inner dimensions differ: A is " << number_list{a} << " with K = " << k << ", B is "
        << number_list{b} << " with K = " << kb;
      w.note(c_.at(inputs_[0].node)) << "A is here";
      return;
    }
    if (rb != 2 && !are_equal(batch, view<std::int64_t>(b.data(), rb - 2))) {
      auto&& w = fail(errc::nem_shp_003_inner, inputs_[1]);
      w << "batch dimensions differ: A is " << number_list{a} << ", B is " << number_list{b};
      w.note(c_.at(inputs_[0].node)) << "A is here";
      return;
    }
    derived_shape y;
    y.append(batch);
    y.push_back(m);
    y.push_back(n);
    if (inputs_.size() > 2 && !broadcasts(shape(inputs_[2]), y.sizes()))
      fail(errc::nem_shp_005_bias, inputs_[2])
          << "C is " << number_list{shape(inputs_[2])} << ", which can't be broadcast to "
          << number_list{y.sizes()};
    derives(y, outputs_[0]);
  }
  [[nodiscard, gnu::cold]] static bool broadcasts(view<std::int64_t> from,
                                                  view<std::int64_t> to) noexcept {
    if (from.size() > to.size()) return false;
    const std::size_t skipped = to.size() - from.size();
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] != 1 && from[i] != to[i + skipped]) return false;
    return true;
  }

  [[gnu::cold]] void convolution() {
    const std::size_t axes = t_.opcode == opcode::conv1d ? 1 : t_.opcode == opcode::conv3d ? 3 : 2;
    const bool is_depthwise = t_.opcode == opcode::depthwise_conv2d;
    const bool x_fits = has_rank(0, axes + 2), w_fits = has_rank(1, axes + 2);
    if (!x_fits || !w_fits) return;
    if (axes == 2) {
      const bool x = has_layout(inputs_[0], "X", "NHWC"), w = has_layout(inputs_[1], "W", "HWIO"),
                 y = has_layout(outputs_[0], "Y", "NHWC");
      if (!x || !w || !y) return;
    }
    const view<std::int64_t> x = shape(inputs_[0]), w = shape(inputs_[1]);
    const std::int64_t channels = x[axes + 1], made = w[axes + 1], taken = w[axes];
    const std::int64_t groups = is_depthwise ? channels : a_.groups;
    if (channels < 1 || groups < 1) return;
    if (!is_depthwise && !a_.has(attribute::groups) && (made < 1 || taken != channels) &&
        attribute_value(c_.d, t_.node, attribute::groups) != no_node)
      return;  // they are given, and wrong themselves
    if (channels % groups != 0 || made % groups != 0) {
      auto&& e = is_depthwise ? fail(errc::nem_shp_009_groups, inputs_[1])
                              : fail(errc::nem_shp_009_groups, attribute::groups);
      if (is_depthwise)
        e << "W has " << made << " output channels; expected a multiple of the " << groups
          << " of X";
      else
        e << "groups is " << groups << "; expected a divisor of the channels of input and output, "
          << channels << " and " << made;
      return;
    }
    if (taken != channels / groups) {
      auto&& e = fail(errc::nem_shp_003_inner, inputs_[1]);
      e << "input channels differ: W is " << number_list{w} << " and takes " << taken
        << " of each group, X is " << number_list{x} << " and has " << channels / groups;
      e.note(c_.at(inputs_[0].node)) << "X is here";
      return;
    }
    if (inputs_.size() > 2) {
      const view<std::int64_t> b = shape(inputs_[2]);
      if (b.size() != 1 || b[0] != made)
        fail(errc::nem_shp_005_bias, inputs_[2])
            << "B must be [" << made << "], the output channels of W, not " << number_list{b};
    }
    if (!a_.has(attribute::pads) || !a_.has(attribute::strides) || !a_.has(attribute::dilations))
      return;
    derived_shape y;
    y.push_back(x[0]);
    for (std::size_t i = 0; i < axes; ++i)
      y.push_back(window_count(x[i + 1], a_.pads[i], a_.pads[axes + i], w[i], a_.dilations[i],
                               a_.strides[i]));
    y.push_back(made);
    derives(y, outputs_[0]);
  }

  [[gnu::cold]] void pool_shape() {
    if (!has_rank(0, 4) || !has_layout(inputs_[0], "X", "NHWC")) return;
    if (!a_.has(attribute::kernel_shape) || !a_.has(attribute::pads)) return;
    for (std::size_t i = 0; i < 4; ++i)
      if (a_.pads[i] >= a_.kernel_shape[i & 1]) {
        fail(errc::nem_shp_010_padding, attribute::pads, i)
            << "the padding is " << a_.pads[i] << "; expected less than the kernel size, "
            << a_.kernel_shape[i & 1];
        return;
      }
    if (!a_.has(attribute::strides)) return;
    const view<std::int64_t> x = shape(inputs_[0]);
    derived_shape y;
    y.push_back(x[0]);
    for (std::size_t i = 0; i < 2; ++i)
      y.push_back(
          window_count(x[i + 1], a_.pads[i], a_.pads[2 + i], a_.kernel_shape[i], 1, a_.strides[i]));
    y.push_back(x[3]);
    derives(y, outputs_[0]);
  }

  [[gnu::cold]] void layout() {
    switch (t_.opcode) {
      case opcode::transpose: return transpose();
      case opcode::reshape: return reshape();
      case opcode::slice: return slice();
      case opcode::concat: return concat();
      case opcode::split: return split();
      case opcode::pad: return pad();
      default: return gather();
    }
  }
  /// OPC-009 for a list that needs so many numbers.
  [[nodiscard, gnu::cold]] bool has_size(attribute a, std::size_t size, std::size_t wanted) {
    if (!a_.has(a)) return false;
    if (size == wanted) return true;
    fail(errc::nem_opc_009_range, a)
        << name(a) << " has " << size << " numbers, " << name(t_.opcode) << " of rank "
        << shape(inputs_[0]).size() << " takes " << wanted;
    return false;
  }
  [[gnu::cold]] void transpose() {
    const view<std::int64_t> x = shape(inputs_[0]);
    if (!has_size(attribute::perm, a_.perm.size(), x.size())) return;
    derived_shape y;
    for (const std::int64_t p : a_.perm) y.push_back(x[static_cast<std::size_t>(p)]);
    derives(y, outputs_[0]);
  }
  /// The product of sizes above 0; -1 where it is too large.
  [[nodiscard]] static std::int64_t count_of(view<std::int64_t> sizes) noexcept {
    std::int64_t count = 1;
    for (const std::int64_t s : sizes)
      if (s > 0 && __builtin_mul_overflow(count, s, &count)) return -1;
    return count;
  }
  [[gnu::cold]] void reshape() {
    if (!a_.has(attribute::target_shape)) return;
    const view<std::int64_t> x = shape(inputs_[0]), target = a_.target_shape;
    const std::int64_t count = count_of(x), given = count_of(target);
    std::size_t inferred = target.size();
    for (std::size_t i = 0; i < target.size(); ++i)
      if (target[i] < 0) inferred = i;
    const bool is_inferred = inferred < target.size();
    if (count < 0 || given < 0 || (is_inferred ? count % given != 0 : count != given)) {
      auto&& w = fail(errc::nem_shp_007_count, attribute::target_shape);
      w << "reshape must preserve the number of elements: X is " << number_list{x}
        << ", target_shape is " << number_list{target};
      w.note(c_.at(inputs_[0].node)) << "X has " << count << " elements";
      return;
    }
    derived_shape y;
    for (const std::int64_t size : target) y.push_back(size < 0 ? count / given : size);
    derives(y, outputs_[0]);
  }
  [[gnu::cold]] void slice() {
    std::uint64_t named = 0;
    derived_shape y;
    y.append(shape(inputs_[0]));
    if (!a_.has(attribute::axes) || !axes_of(y.sizes().size(), named)) return;
    if (!a_.has(attribute::starts) || !a_.has(attribute::ends) || !a_.has(attribute::steps)) return;
    for (std::size_t i = 0; i < a_.axes.size(); ++i) {
      const std::int64_t axis = a_.axes[i];
      const std::size_t at =
          static_cast<std::size_t>(axis) + (axis < 0 ? y.sizes().size() : std::size_t{0});
      y[at] = slice_count(y[at], a_.starts[i], a_.ends[i], a_.steps[i]);
    }
    derives(y, outputs_[0]);
  }
  [[gnu::cold]] void concat() {
    derived_shape y;
    y.append(shape(inputs_[0]));
    std::size_t axis = 0;
    if (!axis_of(y.sizes().size(), axis)) return;
    for (std::size_t i = 1; i < inputs_.size(); ++i) {
      const view<std::int64_t> x = shape(inputs_[i]), first = shape(inputs_[0]);
      bool fits = x.size() == first.size();
      for (std::size_t k = 0; fits && k < x.size(); ++k) fits = k == axis || x[k] == first[k];
      fits = fits && !__builtin_add_overflow(y[axis], x[axis], &y[axis]);
      if (fits) continue;
      auto&& w = fail(errc::nem_shp_008_parts, inputs_[i]);
      w << "inputs of concat may differ along axis " << axis << " only: this one is "
        << number_list{x} << ", the first is " << number_list{first};
      w.note(c_.at(inputs_[0].node)) << "the first is here";
      return;
    }
    derives(y, outputs_[0]);
  }
  [[gnu::cold]] void split() {
    const view<std::int64_t> x = shape(inputs_[0]), sizes = a_.split_sizes;
    std::size_t axis = 0;
    if (!axis_of(x.size(), axis) || !a_.has(attribute::split_sizes)) return;
    if (sizes.size() != outputs_.size()) {
      fail(errc::nem_shp_008_parts, attribute::split_sizes)
          << "split_sizes has " << sizes.size() << " numbers; expected " << outputs_.size()
          << ", one for each output";
      return;
    }
    std::int64_t sum = 0;
    bool fits = true;
    for (const std::int64_t s : sizes) fits = fits && !__builtin_add_overflow(sum, s, &sum);
    if (!fits || sum != x[axis]) {
      auto&& w = fail(errc::nem_shp_008_parts, attribute::split_sizes);
      w << "split_sizes must add up to " << x[axis] << ", the size of axis " << axis;
      if (fits) w << ", not to " << sum;
      return;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      derived_shape y;
      y.append(x);
      y[axis] = sizes[i];
      derives(y, outputs_[i]);
    }
  }
  [[gnu::cold]] void pad() {
    const view<std::int64_t> x = shape(inputs_[0]);
    if (!has_size(attribute::pads, a_.pads.size(), 2 * x.size())) return;
    derived_shape y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::int64_t size = 0;
      if (__builtin_add_overflow(x[i], a_.pads[i], &size) ||
          __builtin_add_overflow(size, a_.pads[x.size() + i], &size)) {
        fail(errc::nem_opc_009_range, attribute::pads, i)
            << "pads is too large: the size of axis " << i << " exceeds 2^63 - 1";
        return;
      }
      y.push_back(size);
    }
    derives(y, outputs_[0]);
  }
  [[gnu::cold]] void gather() {
    const view<std::int64_t> x = shape(inputs_[0]), indices = shape(inputs_[1]);
    std::size_t axis = 0;
    if (!axis_of(x.size(), axis)) return;
    derived_shape y;
    y.append({x.data(), axis});
    y.append(indices);
    y.append({x.data() + axis + 1, x.size() - axis - 1});
    derives(y, outputs_[0]);
  }

  [[gnu::cold]] void reduction() {
    const view<std::int64_t> x = shape(inputs_[0]);
    const bool has_axis = t_.opcode == opcode::argmax || t_.opcode == opcode::argmin;
    std::uint64_t reduced = 0;
    if (has_axis) {
      std::size_t axis = 0;
      if (!axis_of(x.size(), axis)) return;
      reduced = std::uint64_t{1} << axis;
    } else {
      if (!a_.has(attribute::axes) || !axes_of(x.size(), reduced)) return;
      if (a_.axes.empty()) reduced = ~std::uint64_t{0};
    }
    if (!a_.has(attribute::keepdims)) return;
    derived_shape y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool is_reduced = (reduced >> i & 1) != 0;
      if (is_reduced && !a_.keepdims) continue;
      y.push_back(is_reduced ? 1 : x[i]);
    }
    // A single number is [1], or of rank 0.
    if (y.sizes().empty() && shape(outputs_[0]).size() == 1) y.push_back(1);
    derives(y, outputs_[0]);
  }

  [[gnu::cold]] void normalization() {
    const view<std::int64_t> x = shape(inputs_[0]);
    std::size_t axis = 0;
    const bool has_axis = axis_of(x.size(), axis);
    (void)identical(1);
    for (std::size_t i = 1; has_axis && i < inputs_.size(); ++i) {
      const view<std::int64_t> s = shape(inputs_[i]);
      if (s.size() == 1 && s[0] == x[axis]) continue;
      fail(errc::nem_shp_005_bias, inputs_[i])
          << input_name(i) << " must be [" << x[axis] << "], the size of axis " << axis << ", not "
          << number_list{s};
    }
  }
  void softmax() {
    std::size_t axis = 0;
    (void)axis_of(shape(inputs_[0]).size(), axis);
    (void)identical(1);
  }

  context& c_;
  const task& t_;
  const attributes& a_;
  view<operand> inputs_, outputs_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_SHAPE_HPP
