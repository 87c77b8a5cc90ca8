// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a device offers to a network: types, units and memories.
//
//   target t(catalog, device, nem::element::f32);
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

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

class target {
 public:
  target(const nem::catalog& c, const nem::device& d, nem::element type) noexcept
      : catalog_(c), device_(d), type_(type) {}

  [[nodiscard]] std::string name() const { return std::string(catalog_.text_of(device_.name)); }
  [[nodiscard]] nem::element type() const noexcept { return type_; }
  [[nodiscard]] std::int64_t element_size() const noexcept { return nem::bitwidth(type_) / 8; }
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
  /// Multiply-accumulates of an NMU in a cycle, as vm/nem_timing.hpp counts them.
  [[nodiscard]] std::int64_t macs() const noexcept {
    constexpr std::int64_t otherwise = 4096;
    if (nem::bitwidth(type_) != 16) return otherwise;
    return std::max<std::int64_t>(
        catalog_.characteristic(device_, nem::unit::nmu, "fp16_macs", otherwise), 1);
  }
  /// Whether a variant of a built-in family may be used at the type.
  [[nodiscard]] bool has(std::string_view family, std::string_view variant) const noexcept;
  /// "eltwise<f32>.default"
  [[nodiscard]] std::string reference(std::string_view family, std::string_view variant) const {
    return std::string(family) + '<' + std::string(nem::name(type_)) + ">." + std::string(variant);
  }
  /// Writes the device as the target of a program, by what it adds to the baseline.
  void write(nem::builder& to) const;

 private:
  void write_variants(nem::builder& to, std::uint32_t first, std::uint32_t count,
                      bool is_extended) const;

  const nem::catalog& catalog_;
  const nem::device& device_;
  nem::element type_;
};

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_TARGET_HPP
