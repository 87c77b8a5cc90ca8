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
// The baseline is a file that can always be included; no file is opened (its text is
// nem/detail/device/baseline_text.hpp).
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
#include "detail/device/family_rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// The table; a row is a family with its parameters, operands and variants.
inline constexpr const auto& family_table = detail::families::rows;
/// How many families are built in.
inline constexpr std::uint32_t builtin_families = sizeof family_table / sizeof family_table[0];
/// How many instances of built-in families are MUST.
inline constexpr std::uint32_t must_count = detail::count_instances(instance_row::level::must);
/// How many instances of built-in families are MAY.
inline constexpr std::uint32_t may_count = detail::count_instances(instance_row::level::may);

/// The names of the baseline: of its file and of its device.
struct baseline_row {
  std::string_view file, device;  ///< such as "npm_baseline_1.0.nem" and "npm_baseline_1_0"
};
/// The baseline under its two names.
inline constexpr baseline_row baseline_files[] = {{"npm_baseline_1.0.nem", "npm_baseline_1_0"},
                                                  {"nem_baseline_1.0.nem", "nem_baseline_1_0"}};
/// The only known value of spec_version.
inline constexpr std::string_view known_spec_version = "NEM-1.0";

/// A path after its last slash of either kind.
[[nodiscard]] std::string_view base_name(std::string_view path) noexcept;
/// Which baseline file a path names by its base name: an index, or 2 for none.
[[nodiscard]] std::uint32_t find_baseline(std::string_view path) noexcept;
/// The row of a built-in family, which also is its index in each catalog; builtin_families for
/// none.
[[nodiscard]] std::uint32_t builtin_family(std::string_view name) noexcept;

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
