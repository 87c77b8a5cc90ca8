// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a device offers to a network: types, units and memories.
//
//   target t(catalog, device, nem::element::f32);
//   target q(catalog, device, nem::element::i8);        // floats are of the device's own type
//   if (!t.has("conv2d.float", "with_bias")) …          // for the type
//
// Lifetime:   borrows the catalog.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TRANSFORM_LOWER_TARGET_HPP
#define TESSERA_TRANSFORM_LOWER_TARGET_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/nem.hpp"
#include "tessera/vm/nem_timing.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

class target {
 public:
  target(const nem::catalog& c, const nem::device& d, nem::element type) noexcept
      : catalog_(c), device_(d), type_(type), is_quantized_(type == nem::element::i8) {
    if (is_quantized_) type_ = float_type();
  }

  [[nodiscard]] std::string name() const { return std::string(catalog_.text_of(device_.name)); }
  /// Of what isn't quantized.
  [[nodiscard]] nem::element type() const noexcept { return type_; }
  [[nodiscard]] bool is_quantized() const noexcept { return is_quantized_; }
  [[nodiscard]] std::int64_t l1_size() const noexcept { return device_.topology.l1_size; }
  [[nodiscard]] std::int64_t l2_size() const noexcept { return device_.topology.l2_size; }
  /// Units of one engine, or of the device; at least 1, as time passes as if there were one.
  [[nodiscard]] std::int64_t units(nem::unit u) const noexcept {
    return std::max<std::int64_t>(device_.topology.units[static_cast<std::size_t>(u)], 1);
  }
  [[nodiscard]] bool lacks(nem::unit u) const noexcept {
    return device_.topology.units[static_cast<std::size_t>(u)] == 0;
  }
  [[nodiscard]] std::int64_t max_tokens() const noexcept {
    return catalog_.characteristic(device_, nem::unit::seq, "max_active_tokens", 64);
  }
  [[nodiscard]] std::int64_t element_size() const noexcept { return nem::bitwidth(type_) / 8; }
  /// Integers up to this magnitude are exact in the type.
  [[nodiscard]] std::int64_t exact_integers() const noexcept {
    if (type_ == nem::element::f32) return 1 << 24;
    return type_ == nem::element::f16 ? 1 << 11 : 1 << 8;
  }
  /// Multiply-accumulates of an NMU in a cycle, as vm/nem_timing.hpp counts them.
  [[nodiscard]] std::int64_t macs(nem::element weights) const noexcept {
    return static_cast<std::int64_t>(vm::nem::macs_per_cycle({}, catalog_, &device_, weights));
  }
  /// Whether a variant of a built-in family may be used at the type.
  [[nodiscard]] bool has(std::string_view family, std::string_view variant) const noexcept;
  [[nodiscard]] bool has(std::string_view family, view<nem::element> types,
                         std::string_view variant) const noexcept;
  /// "eltwise<f32>.default"
  [[nodiscard]] std::string reference(std::string_view family, std::string_view variant) const {
    return reference(family, {&type_, 1}, variant);
  }
  [[nodiscard]] static std::string reference(std::string_view family, view<nem::element> types,
                                             std::string_view variant);
  /// Writes the device as the target of a program, by what it adds to the baseline.
  void write(nem::builder& to) const;

 private:
  /// f32 where it can be quantized, else f16.
  [[nodiscard]] nem::element float_type() const noexcept;
  void write_variants(nem::builder& to, std::uint32_t first, std::uint32_t count,
                      bool is_extended) const;

  const nem::catalog& catalog_;
  const nem::device& device_;
  nem::element type_;
  bool is_quantized_;
};

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_TARGET_HPP
