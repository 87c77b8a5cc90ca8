// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The 13 built-in type families as a table, and the baseline device that lists what each must have.
//
//   nem::catalog c;
//   nem::add_builtin(c);                                     // families[0] is conv2d.float
//   std::uint32_t f = nem::builtin_family("gemm.int8");      // its row, and its index in a catalog
//
//   family_table     parameters, operands, accum, quant, variants    "Type Families and Matching"
//   variant_row      what it adds, its instances: MUST or MAY        "Classification"
//   baseline_files   the two spellings of the baseline's name
//
// An instantiation that no row lists is neither: gemm.float<f32>.with_bias is illegal everywhere.
// The baseline is a file that always can be included; nothing opens it (nem/baseline_text.hpp is its
// text).
//
// Lifetime:   the table is constant; what is made of it owns itself.
// Errors:     none.
// Limits:     none.
// Allocation: a catalog's pools.

#ifndef TESSERA_NEM_FAMILIES_HPP
#define TESSERA_NEM_FAMILIES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../version.hpp"
#include "catalog.hpp"

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
  static constexpr std::uint16_t set(Element... e) noexcept {
    return static_cast<std::uint16_t>(((1u << static_cast<unsigned>(e)) | ...));
  }
  static constexpr operand_row is(std::string_view operand, element e) noexcept {
    return {operand, type_form::element, e, 0};
  }
  /// The type that a parameter means.
  static constexpr operand_row like(std::string_view operand, std::uint32_t parameter) noexcept {
    return {operand, type_form::parameter, none, parameter};
  }
  static constexpr operand_row absent(std::string_view operand) noexcept {
    return {operand, type_form::absent, none, 0};
  }
  static constexpr operand_row any_supported(std::string_view operand) noexcept {
    return {operand, type_form::any_supported, none, 0};
  }
  static constexpr instance_row must(element a = none, element b = none) noexcept {
    return {instance_row::level::must, {a, b}};
  }
  static constexpr instance_row may(element a = none, element b = none) noexcept {
    return {instance_row::level::may, {a, b}};
  }
};

/// The table. Instances stand in the order of their types, as in every catalog.
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
[[nodiscard]] constexpr std::uint32_t count_instances(instance_row::level l) noexcept {
  std::uint32_t count = 0;
  for (const family_row& f : families::rows)
    for (const variant_row& v : f.variants)
      for (const instance_row& i : v.instances) count += i.conformance == l ? 1u : 0u;
  return count;
}

}  // namespace detail

inline constexpr const auto& family_table = detail::families::rows;
inline constexpr std::uint32_t builtin_families = sizeof family_table / sizeof family_table[0];
inline constexpr std::uint32_t must_count = detail::count_instances(instance_row::level::must);
inline constexpr std::uint32_t may_count = detail::count_instances(instance_row::level::may);

/// The names of the baseline: of its file and of its device.
struct baseline_row {
  std::string_view file, device;
};
inline constexpr baseline_row baseline_files[] = {{"npm_baseline_1.0.nem", "npm_baseline_1_0"},
                                                  {"nem_baseline_1.0.nem", "nem_baseline_1_0"}};
/// The only known value of spec_version.
inline constexpr std::string_view known_spec_version = "NEM-1.0";

/// A path after its last slash of either kind.
[[nodiscard]] constexpr std::string_view base_name(std::string_view path) noexcept {
  for (std::size_t i = path.size(); i > 0; --i)
    if (path[i - 1] == '/' || path[i - 1] == '\\') return path.substr(i);
  return path;
}
/// Which baseline file a path names by its base name: an index, or 2 for none.
[[nodiscard]] constexpr std::uint32_t find_baseline(std::string_view path) noexcept {
  const std::string_view name = base_name(path);
  return name == baseline_files[0].file ? 0 : name == baseline_files[1].file ? 1 : 2;
}
/// The row of a built-in family, which also is its index in each catalog; builtin_families for none.
[[nodiscard]] constexpr std::uint32_t builtin_family(std::string_view name) noexcept {
  std::uint32_t i = 0;
  while (i < builtin_families && family_table[i].name != name) ++i;
  return i;
}

/// Adds the built-in families to a catalog, which must be empty: so they have the indices of their
/// rows, and their MUST instances are the first `must_count` that have is_must.
void add_builtin(catalog& c);

/// Adds the baseline device under one of its names: abstract, with the MUST instances of a catalog
/// that begins with the built-in families.
void add_baseline_device(catalog& c, const baseline_row& names);

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/device/families.hpp"
#endif

#endif  // TESSERA_NEM_FAMILIES_HPP
