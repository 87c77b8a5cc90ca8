// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Many elements to one, along any axes and of any element type: rows of them are loaded as numbers of
// type A, brought together, and given back as rows of results.
//
//   const fold_rows rows(1, 3, 4);                            // the middle axis of [1, 3, 4]
//   fold<double>(reduction::sum, rows, elements{type, x},
//                [&](const row_place& at, double* sums, std::size_t n) { … });
//
// In place of elements in memory, a function may load rows of them and change them on the way: a row's
// place has the index of an element, by strides of the caller's, beside the place of the element itself.
//
//   reduction       order of elements           NaN
//   sum             as they come                as a sum has it
//   sum_in_lanes    eight sums, then their sum  as a sum has it
//   prod            in eight lanes              as a product has it
//   max, min        in eight lanes              NaN, if any is
//   ordered_max …   as they come                NaN, if any is; -0 is less than +0
//   max_of_numbers  as they come                left out
//
// Lanes are used where elements of one result are neighbours. Sums and products of int64 wrap.
//
// Lifetime:   nothing is kept.
// Errors:     none but those of what is called.
// Limits:     32 dimensions.
// Allocation: none; some KiB of stack.

#ifndef TESSERA_TENSOR_FOLD_HPP
#define TESSERA_TENSOR_FOLD_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "tensor/element_rows.hpp"
#include "tensor/function_ref.hpp"
#include "tensor/strided_rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

/// Where a row of elements is: its first element, and the index of that.
struct row_place {
  std::int64_t first = 0, step = 0, index = 0, index_step = 0;
};

/// Elements as [outer, count, inner], of which those along the middle belong together.
struct groups {
  std::int64_t outer = 1, count = 1, inner = 1;
  [[nodiscard]] std::int64_t results() const noexcept { return outer * inner; }
};

/// The elements of a fold: those that are kept, by the strides of operand and result, and for each of
/// them those that become one. There is at least one result.
struct fold_rows {
  static constexpr std::size_t max_rank = 32;
  rows<4, max_rank> kept;     ///< operand, its index, result, its index
  rows<2, max_rank> reduced;  ///< operand, its index

  fold_rows(const rows<4, max_rank>& to, const rows<2, max_rank>& from) noexcept
      : kept(to), reduced(from) {}
  /// Of a dense operand; the index of an element is that of its result, or 0.
  explicit fold_rows(const groups& g, bool has_index = true) noexcept;
};

#define TESSERA_REDUCTIONS(X)                                                                      \
  X(sum)                                                                                           \
  X(sum_in_lanes)                                                                                  \
  X(prod)                                                                                          \
  X(max)                                                                                           \
  X(min)                                                                                           \
  X(ordered_max)                                                                                   \
  X(ordered_min)                                                                                   \
  X(max_of_numbers)

enum class reduction : std::uint8_t {
#define TESSERA_X(name) name,
  TESSERA_REDUCTIONS(TESSERA_X)
#undef TESSERA_X
};

/// Loads n elements, or takes n results, which it may change.
template <class A>
using row_function = function_ref<void(const row_place& at, A* row, std::size_t n)>;

/// Elements in memory.
struct elements {
  element_type type;
  const std::byte* data;
};
/// Where a loop's elements come from: memory, or a function that loads rows of them.
template <class A>
class row_source {
 public:
  row_source(const elements& x) noexcept : x_(x) {}
  template <class F>
    requires std::invocable<F&, const row_place&, A*, std::size_t> row_source(F&& load)
  noexcept : load_(load) {}

  void load(const row_place& at, A* to, std::size_t n) const {
    if (x_.data == nullptr) return load_(at, to, n);
    load_row(x_.type, x_.data, at.first, at.step, to, n);
  }
  /// All elements, where they are neighbours in memory and have that type; else null.
  template <class T>
  [[nodiscard]] const T* in_memory(std::int64_t step) const noexcept {
    const bool is_there = x_.data != nullptr && x_.type == type_of<T> && step == 1;
    return is_there ? static_cast<const T*>(static_cast<const void*>(x_.data)) : nullptr;
  }
  /// A row in `to`, or in memory.
  [[nodiscard]] const A* row(const row_place& at, A* to, std::size_t n) const {
    if (const A* const all = in_memory<A>(at.step); all != nullptr) return all + at.first;
    load(at, to, n);
    return to;
  }

 private:
  elements x_ = {};
  row_function<A> load_ = {};
};

/// Defined for double, float (max, min, max_of_numbers) and std::int64_t.
template <class A>
void fold(reduction r, const fold_rows& rows, const row_source<A>& from, row_function<A> finish);
/// The sums, in eight lanes, of squares of distances: from center[index].
void fold_squares(const fold_rows& rows, const row_source<double>& from, const double* center,
                  row_function<double> finish);

/// Takes n elements, and how many came before each of them.
template <class A>
using best_function =
    function_ref<void(const row_place& at, A* values, std::int64_t* indices, std::size_t n)>;
/// The first one of the greatest or the smallest elements; NaN is greater, and smaller, than others.
/// Defined for float, double and std::int64_t.
template <class A>
void fold_best(bool greatest, const fold_rows& rows, const row_source<A>& from,
               best_function<A> finish);

/// What the elements up to each one along the middle axis give, in their order.
enum class running : std::uint8_t { sum, prod, logaddexp };
/// `finish` takes rows of results, by the indices of their elements. Defined for double and
/// std::int64_t, which has no logaddexp.
template <class A>
void scan(running r, const groups& g, const row_source<A>& from, row_function<const A> finish);
/// The greatest or the smallest element so far, the last one of equals.
template <class A>
void scan_best(bool greatest, const groups& g, const row_source<A>& from, best_function<A> finish);

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_FOLD_HPP
