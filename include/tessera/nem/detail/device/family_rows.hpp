// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rows of nem/families.hpp.

#ifndef TESSERA_NEM_DETAIL_DEVICE_FAMILY_ROWS_HPP
#define TESSERA_NEM_DETAIL_DEVICE_FAMILY_ROWS_HPP

#include <cstdint>
#include <string_view>

#include "../../../version.hpp"
#include "../../catalog.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// An operand's type in the table; `operand` is empty where there is none.
struct operand_row {
  std::string_view operand;
  type_form form = type_form::element;
  nem::element element = nem::element::none;
  std::uint32_t parameter = 0;
};
/// A type parameter in the table.
struct parameter_row {
  std::string_view name;  ///< empty where there is none
  std::uint16_t domain = 0;
};
/// An instance of a variant; `types` are as many as the family has parameters.
struct instance_row {
  enum class level : std::uint8_t { none, must, may } conformance = level::none;
  element types[2] = {element::none, element::none};
};
/// A variant in the table.
struct variant_row {
  std::string_view name;  ///< empty where there is none
  operand_row operand;    ///< besides those of the family
  instance_row instances[6];
};
/// A family in the table; rows without a name fill up its arrays.
struct family_row {
  std::string_view name;
  parameter_row parameters[2];
  operand_row operands[3];
  element accum;
  quant_condition quant;
  std::string_view quant_operand;
  variant_row variants[2];
};

namespace detail {

/// What the rows are written with.
struct family_words {
  using enum element;
  static constexpr quant_condition any = quant_condition::any,
                                   unquantized = quant_condition::absent,
                                   required = quant_condition::required,
                                   required_on = quant_condition::required_on;
  /// The set of some types.
  template <class... Element>
  static consteval std::uint16_t set(Element... e) noexcept {
    return static_cast<std::uint16_t>(((1u << static_cast<unsigned>(e)) | ...));
  }
  static consteval operand_row is(std::string_view operand, element e) noexcept {
    return {operand, type_form::element, e, 0};
  }
  /// The type that a parameter means.
  static consteval operand_row like(std::string_view operand, std::uint32_t parameter) noexcept {
    return {operand, type_form::parameter, none, parameter};
  }
  static consteval operand_row absent(std::string_view operand) noexcept {
    return {operand, type_form::absent, none, 0};
  }
  static consteval operand_row any_supported(std::string_view operand) noexcept {
    return {operand, type_form::any_supported, none, 0};
  }
  static consteval instance_row must(element a = none, element b = none) noexcept {
    return {instance_row::level::must, {a, b}};
  }
  static consteval instance_row may(element a = none, element b = none) noexcept {
    return {instance_row::level::may, {a, b}};
  }
};

/// The table. Instances are in the order of their types, as in every catalog.
struct families : family_words {
  static constexpr std::uint16_t floats = set(f16, bf16, f32);
  static constexpr std::uint16_t numbers = set(i8, i16, i32, f16, bf16, f32);
  // clang-format off
  static constexpr family_row rows[] = {
    {"conv2d.float", {{"T", floats}}, {like("X", 0), like("W", 0), like("Y", 0)}, f32, unquantized, {},
     {{"no_bias", absent("B"), {must(f16), may(bf16), may(f32)}},
      {"with_bias", like("B", 0), {must(f16), may(bf16), may(f32)}}}},
    {"conv2d.int8", {{"T_out", set(i8, i16)}}, {is("X", i8), is("W", i8), like("Y", 0)}, i32, required, {},
     {{"no_bias", absent("B"), {must(i8)}},
      {"with_bias", is("B", i32), {must(i8), may(i16)}}}},
    {"conv2d.int4", {}, {is("X", i8), is("W", i4), is("Y", i8)}, i32, required, {},
     {{"no_bias", absent("B"), {may()}},
      {"with_bias", is("B", i32), {may()}}}},
    {"gemm.float", {{"T", floats}}, {like("A", 0), like("B", 0), like("Y", 0)}, f32, unquantized, {},
     {{"no_bias", absent("C"), {must(f16), may(bf16), may(f32)}},
      {"with_bias", like("C", 0), {must(f16)}}}},
    {"gemm.int8", {{"T_out", set(i8, i16)}}, {is("A", i8), is("B", i8), like("Y", 0)}, i32, required, {},
     {{"no_bias", absent("C"), {must(i8)}},
      {"with_bias", is("C", i32), {must(i8), may(i16)}}}},
    {"gemm.int4", {}, {is("A", i8), is("B", i4), is("Y", i8)}, i32, required, {},
     {{"no_bias", absent("C"), {may()}},
      {"with_bias", is("C", i32), {may()}}}},
    {"eltwise", {{"T", numbers}}, {like("input", 0), like("output", 0)}, none, any, {},
     {{"default", {}, {must(i8), may(i16), may(i32), must(f16), may(bf16), may(f32)}}}},
    {"view", {{"T", numbers}}, {like("input", 0), like("output", 0)}, none, any, {},
     {{"default", {}, {must(i8), may(i16), may(i32), must(f16), may(bf16), may(f32)}}}},
    {"norm", {{"T", floats}}, {like("input", 0), like("output", 0)}, none, any, {},
     {{"default", {}, {must(f16), may(bf16), may(f32)}}}},
    {"softmax", {{"T", floats}}, {like("input", 0), like("output", 0)}, none, any, {},
     {{"default", {}, {must(f16), may(bf16), may(f32)}}}},
    {"cast", {}, {any_supported("src"), any_supported("dst")}, none, any, {},
     {{"default", {}, {must()}}}},
    {"quantize", {{"T_src", set(f16, f32)}, {"T_dst", set(i8)}}, {like("src", 0), like("dst", 1)}, none,
     required_on, "dst",
     {{"default", {}, {must(f16, i8), may(f32, i8)}}}},
    {"dequantize", {{"T_src", set(i8)}, {"T_dst", set(f16, f32)}}, {like("src", 0), like("dst", 1)}, none,
     required_on, "src",
     {{"default", {}, {must(i8, f16), may(i8, f32)}}}},
  };
  // clang-format on
};
[[nodiscard]] consteval std::uint32_t count_instances(instance_row::level l) noexcept {
  std::uint32_t count = 0;
  for (const family_row& f : families::rows)
    for (const variant_row& v : f.variants)
      for (const instance_row& i : v.instances) count += i.conformance == l ? 1u : 0u;
  return count;
}

}  // namespace detail

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_FAMILY_ROWS_HPP
