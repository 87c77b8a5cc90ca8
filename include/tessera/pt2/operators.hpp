// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What is known of PyTorch's operators: their parameters with defaults, and their results.
//
//   const pt2::operator_row* add = pt2::find_operator("aten.add.Tensor");
//   add->signature;                            // T self, T other, S alpha=1 -> T
//   pt2::signature s(*add);
//   for (pt2::parameter p; s.next(p);)
//     use(p.name, p.type, p.has_default, p.default_value);
//   for (pt2::parameter r; s.next_result(r);) use(r.type);
//
//   T tensor   i integer   f float   b bool   s string   S any number   dtype layout device format
//   T?         may be None                    T[]   a list       T?[]  of which some may be None
//   T!         is written to (in place)       T&    the result is a view of it, or it itself
//
// Arguments that equal the default are not in files. The rows are those of core ATen, of what 217
// architectures use as exported and decomposed, of operators with several optional keywords, and of
// their forms in place.
//
// Lifetime:   constants; parameters borrow from them.
// Errors:     none: an unknown operator has no row.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_PT2_OPERATORS_HPP
#define TESSERA_PT2_OPERATORS_HPP

#include <cstdint>
#include <string_view>

#include "../core/pool.hpp"
#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

/// A row of the table of operators.
struct operator_row {
  std::string_view name;       ///< "aten.add.Tensor"
  std::string_view signature;  ///< "T self, T other, S alpha=1 -> T"
};

/// The types of parameters, by their words in signatures.
enum class parameter_type : std::uint8_t {
  tensor,         ///< T
  integer,        ///< i
  real,           ///< f
  boolean,        ///< b
  string,         ///< s
  number,         ///< S
  scalar_type,    ///< dtype
  layout,         ///< layout
  device,         ///< device
  memory_format,  ///< format
  other,          ///< any other word
};

/// A parameter or, without a name, a result.
struct parameter {
  parameter_type type = parameter_type::other;  ///< of a list, that of its elements
  bool is_list = false, is_optional = false;    ///< T[]; T? or T[]?
  bool has_optional_elements = false;           ///< T?[]: elements may be None
  bool is_written = false, is_aliased = false;  ///< T!; T& and T!
  bool has_default = false;                     ///< `default_value`, which isn't in files
  std::string_view name, default_value;  ///< the default: "None", "True", "1", "[0,1]", "none"
};

/// The parts of a signature, one by one.
class signature {
 public:
  /// Begins with the first parameter and the first result.
  explicit signature(const operator_row& of) noexcept;
  /// The next parameter; false after the last one.
  [[nodiscard]] bool next(parameter& out) noexcept;
  /// The next result; false after the last one.
  [[nodiscard]] bool next_result(parameter& out) noexcept;

 private:
  std::string_view parameters_, results_;
};

/// All rows, by name.
[[nodiscard]] view<operator_row> operators() noexcept;
/// The row of "aten.add.Tensor"; null for an unknown operator.
[[nodiscard]] const operator_row* find_operator(std::string_view name) noexcept;

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/operators.hpp"
#endif

#endif  // TESSERA_PT2_OPERATORS_HPP
