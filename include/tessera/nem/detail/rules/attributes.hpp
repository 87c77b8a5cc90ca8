// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The attributes of a compute task, evaluated: what rules and machines ask for.
//
//   void task(const nem::values& v, const nem::task& t) {
//     const nem::attributes& a = v.attributes;
//     if (a.has(nem::attribute::strides)) use(a.strides[0]);
//   }
//
//   integer            axis, groups
//   real               alpha, min_val, max_val, constant_value, epsilon
//   list of integers   pads strides dilations kernel_shape perm target_shape starts ends axes steps
//                      split_sizes
//   other              accum_type, keepdims, mode, op
//
// Those that aren't given have their defaults; has() says which are given.
//
// Lifetime:   lists borrow; in `values` they last until the next statement is visited.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_ATTRIBUTES_HPP
#define TESSERA_NEM_DETAIL_RULES_ATTRIBUTES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

inline constexpr std::uint32_t max_rank = 32;  ///< dimensions of an operand of a compute task

/// What `pad` puts around a tensor.
enum class pad_mode : std::uint8_t { constant, reflect, edge, wrap, unknown };
inline constexpr std::string_view pad_mode_names[] = {"constant", "reflect", "edge", "wrap"};

/// The attributes of one task. What `given` lacks has its default.
struct attributes {
  std::uint32_t given = 0;  ///< bit n is attribute n
  nem::element accum_type = nem::element::none;
  pad_mode mode = pad_mode::constant;
  bool keepdims = false;
  std::uint32_t op = no_name;  ///< in model::names
  std::int64_t axis = 0, groups = 1;
  double alpha = 0, min_val = 0, max_val = 0, constant_value = 0, epsilon = 0;
  view<std::int64_t> pads, strides, dilations, kernel_shape, perm, target_shape, starts, ends, axes,
      steps, split_sizes;

  [[nodiscard]] static constexpr std::uint32_t bit(attribute a) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(a);
  }
  [[nodiscard]] bool has(attribute a) const noexcept { return (given & bit(a)) != 0; }
  /// The list that an attribute of kind `integers` fills.
  [[nodiscard]] view<std::int64_t>& list(attribute a) & noexcept {
    switch (a) {
      case attribute::strides: return strides;
      case attribute::dilations: return dilations;
      case attribute::kernel_shape: return kernel_shape;
      case attribute::perm: return perm;
      case attribute::target_shape: return target_shape;
      case attribute::starts: return starts;
      case attribute::ends: return ends;
      case attribute::axes: return axes;
      case attribute::steps: return steps;
      case attribute::split_sizes: return split_sizes;
      default: return pads;
    }
  }
  /// The number that an attribute of kind `real` fills.
  [[nodiscard]] double& real(attribute a) & noexcept {
    switch (a) {
      case attribute::alpha: return alpha;
      case attribute::min_val: return min_val;
      case attribute::max_val: return max_val;
      case attribute::constant_value: return constant_value;
      default: return epsilon;
    }
  }
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_ATTRIBUTES_HPP
