// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The dialect of a file, which has no version number, from the members that a reader meets.
//
//   signs.holds_ops = true;                       // at a node's "Ops"
//   if (o.type == op_type::matmul) signs.matmul(g, o);
//   g.form = signs.form();
//
//   holds_ops      nodes have "Ops": D1, D2        pads      tensors have "Pads": D1a
//   buffer_third   "Buffer" before "Shape": D1     external  buffers have "IsExternal": D2x, D3x
//
// Lifetime:   a value.
// Errors:     none; readers refuse a mixture of "Op" and "Ops".
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_ARK_DETAIL_DIALECT_SIGNS_HPP
#define TESSERA_ARK_DETAIL_DIALECT_SIGNS_HPP

#include <cstdint>

#include "../../version.hpp"
#include "../format.hpp"
#include "../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// A flag that is unknown until it is set.
class maybe {
 public:
  maybe& operator=(bool v) noexcept { return value_ = v ? 1 : 0, *this; }
  [[nodiscard]] bool operator==(bool v) const noexcept { return value_ == (v ? 1 : 0); }
  [[nodiscard]] bool known() const noexcept { return value_ >= 0; }

 private:
  std::int8_t value_ = -1;
};

/// The evidence of the members so far.
struct dialect_signs {
  maybe holds_ops, buffer_third;
  bool pads = false, external = false, external_last = false;
  bool long_matmul = false, short_matmul = false;

  void matmul(const model& g, const op& o) noexcept {
    (find_argument(g, o, argument_name::shape_mnk) != nullptr ? long_matmul : short_matmul) = true;
  }
  [[nodiscard]] dialect form() const noexcept {
    if (holds_ops != true) return external ? dialect::d3x : dialect::d3;
    if (pads) return dialect::d1a;
    if (buffer_third == true) return short_matmul && !long_matmul ? dialect::d1c : dialect::d1b;
    return external ? dialect::d2x : dialect::d2;
  }
  /// The same for a plan, which has no nodes: whatever its operations show.
  [[nodiscard]] dialect plan_form() const noexcept {
    if (pads) return dialect::d1a;
    if (buffer_third == true) return short_matmul && !long_matmul ? dialect::d1c : dialect::d1b;
    return !external ? dialect::d3 : external_last ? dialect::d2x : dialect::d3x;
  }
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_DIALECT_SIGNS_HPP
