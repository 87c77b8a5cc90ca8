// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC operations: one table of all that run, with their names and the arguments that they take; its
// rows are in nac/detail/operation_rows.hpp.
//
//   nac::operation o = nac::find_operation("aten.lt.Scalar");   // operation::lt
//   nac::pattern(o);                                            // "xx"
//
// A file gives arguments by position, without names and without trailing defaults. A pattern has a
// letter for each argument; every letter but s also accepts a result, because any argument may be
// computed at run time:
//
//   t  a result                              l  a list of integers, or one integer
//   x  a tensor: a result or a number        v  such a list, or consecutive integers and results
//   n  a number                              r  a list of numbers, or one number
//   i  an integer                            s  a string
//   b  a boolean: a number                   d  anything: a data type, a device, a layout …
//
//   A capital also accepts null. After '?' all letters are optional: an argument that one of them
//   doesn't accept is tried with the next. '*' repeats the letter before it.
//
// Constants are interchangeable as far as their values allow: 1, 1.0 and true are one constant in
// files of the original compiler, so an integer may be given as a float64. "v" leaves
// enough arguments for the mandatory letters after it: "vn" gives the last number to n.
//
// The form in place of an operation has no row: aten.add_.Tensor is aten.add.Tensor, whose first
// operand has the result from then on. is_in_place() distinguishes them. Only where the overloads
// differ, its name is one of the row's: aten.transpose_.default, aten.transpose.int.
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     patterns of at most 10 letters.
// Allocation: none.

#ifndef TESSERA_NAC_OPERATIONS_HPP
#define TESSERA_NAC_OPERATIONS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/pool.hpp"
#include "../version.hpp"
#include "detail/operation_rows.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The operations that run, whatever their ids are in a file.
enum class operation : std::uint16_t {
  unknown,
#define TESSERA_X(name, ...) name,
  TESSERA_NAC_OPERATIONS(TESSERA_X)
#undef TESSERA_X
};
/// What an operation does for each element, as far as its cost depends on it.
enum class work : std::uint8_t {
  part,      ///< nothing: a shape, or a part of what is there; or one value for all
  parts,     ///< the same for a list of parts
  pick,      ///< takes rows of a table, or counts
  each,      ///< little: sums, products, comparisons
  move,      ///< copies it to or from any place
  root,      ///< a square root, a division, some comparisons
  function,  ///< an exponential function and the like
  fold,      ///< takes it into a sum, a mean, a maximum
  product,   ///< multiplies it with many
  passes,    ///< reads it several times
  compare,   ///< as many comparisons, or divisions, as a count has bits
  uniform,   ///< a random number
  normal,    ///< a random number of a distribution that takes longer
  draw,      ///< reads it and takes a random number
};
/// The order of a result's elements in PyTorch's memory.
enum class order : std::uint8_t {
  kept,       ///< row-major where the operands are
  row_major,  ///< always row-major
  unknown,    ///< it depends on more: views, and what is made by libraries
};
/// A row of the table of operations.
struct operation_row {
  nac::work work = {};          ///< what it does for each element
  nac::order order = {};        ///< how its result's elements are ordered
  std::string_view pattern;     ///< which arguments it takes; the letters are explained above
  std::string_view parameters;  ///< what PyTorch calls the pattern's letters
  std::string_view names;       ///< blanks between them
};
/// By operation; row 0 is that of `unknown`.
inline constexpr operation_row operations[] = {{},
#define TESSERA_X(name, does, lies, ...) {work::does, order::lies, __VA_ARGS__},
                                               TESSERA_NAC_OPERATIONS(TESSERA_X)
#undef TESSERA_X
};
/// How many rows the table has, with that of `unknown`.
inline constexpr std::size_t operation_count = sizeof operations / sizeof operations[0];

/// What arguments an operation takes; the letters are explained above.
[[nodiscard]] constexpr std::string_view pattern(operation o) noexcept {
  return operations[static_cast<std::size_t>(o)].pattern;
}
/// What it does for each element.
[[nodiscard]] constexpr work work_of(operation o) noexcept {
  return operations[static_cast<std::size_t>(o)].work;
}
/// Whether equal operands may give other results.
[[nodiscard]] constexpr bool is_random(operation o) noexcept {
  const work does = work_of(o);
  return does == work::uniform || does == work::normal || does == work::draw ||
         o == operation::multinomial;
}
/// How its result's elements are ordered in PyTorch's memory.
[[nodiscard]] constexpr order order_of(operation o) noexcept {
  return operations[static_cast<std::size_t>(o)].order;
}
/// The first of an operation's names.
[[nodiscard]] constexpr std::string_view name(operation o) noexcept {
  const std::string_view names = operations[static_cast<std::size_t>(o)].names;
  return names.substr(0, names.find(' '));
}
/// The operation that a file means by a name; linear in the table, so call it once for each id. Of
/// a form in place, the operation that gives its result.
[[nodiscard]] operation find_operation(std::string_view wanted) noexcept;
/// Whether a name is that of a form in place: "aten.relu_.default", "aten.__iand__.Tensor".
[[nodiscard]] bool is_in_place(std::string_view name) noexcept;

/// The kinds of arguments that patterns distinguish. `integer`: a number without a fraction, of any
/// type; `int_list`: a list of such numbers.
enum class argument_form : std::uint8_t {
  result,
  null,
  integer,
  number,
  string,
  int_list,
  number_list
};
/// How many forms there are.
inline constexpr std::size_t argument_form_count =
    static_cast<std::size_t>(argument_form::number_list) + 1;

/// What `view` is under one of its names, with arguments of these forms: compilers write squeeze
/// and squeeze.dim as nac.view too. aten.view never has their arguments, no shape or only one
/// number.
[[nodiscard]] operation view_or_squeeze(std::string_view name, view<argument_form> given) noexcept;

/// The form of a constant; linear in its elements, so call it once for each.
[[nodiscard]] argument_form form_of(const constant& c) noexcept;

/// Whether a pattern's letter takes one argument of that form.
[[nodiscard]] bool takes(char letter, argument_form form) noexcept;

/// How many letters a pattern has at most; '?' and '*' don't count.
inline constexpr std::size_t max_letters = 10;

/// Which arguments each letter of a pattern has received.
struct binding {
  std::uint8_t first[max_letters] = {};  ///< index of the letter's first argument, where it has one
  std::uint8_t count[max_letters] = {};  ///< 0: the letter's argument is missing
};

/// How arguments match a pattern.
struct match {
  /// `fits`: each argument has a letter. `count`: there are too few or too many. `form`: no letter
  /// takes one of them.
  enum class kind : std::uint8_t { fits, count, form };
  kind what = kind::fits;    ///< whether they match, or why not
  std::size_t argument = 0;  ///< for `form`: which one no letter takes
};

/// Gives the letters of a pattern their arguments, from left to right; at most 255 of them. Linear
/// but for patterns with a 'v' that others must follow, of which there are few.
[[nodiscard]] match bind(std::string_view letters, view<argument_form> arguments,
                         binding& out) noexcept;

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/operations.hpp"
#endif

#endif  // TESSERA_NAC_OPERATIONS_HPP
