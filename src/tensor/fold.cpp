// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "fold.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <utility>

#include "tensor/formulas.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {
namespace {

constexpr std::int64_t block = 512;  ///< elements at once
constexpr std::size_t lane_count = 8;

// ---- elements to one

/// Of integers, sums and products wrap.
template <class A>
using arithmetic = typename std::conditional_t<std::is_integral_v<A>, std::make_unsigned<A>,
                                               std::type_identity<A>>::type;

template <class A, bool Greatest>
constexpr A worst = std::is_floating_point_v<A>
                        ? (Greatest ? -1 : 1) * std::numeric_limits<A>::infinity()
                        : (Greatest ? std::numeric_limits<A>::min()
                                    : std::numeric_limits<A>::max());
/// The better of two without a branch; a NaN may give way to another.
template <bool Greatest, class A>
[[nodiscard]] inline A better(A a, A v) noexcept {
  const bool is_better = Greatest ? v > a : v < a;
  return is_better || v != v ? v : a;
}
/// Whether v takes the place of a; a NaN takes that of any number.
template <class A>
[[nodiscard]] inline bool beats(bool greatest, A v, A a) noexcept {
  return a == a && !(greatest ? v <= a : v >= a);
}

// How a reduction begins, a step, and whether it is made in lanes.
#define TESSERA_X(name, begin, next, in_lanes)                                                     \
  struct name {                                                                                    \
    static constexpr bool has_lanes = in_lanes, has_center = false;                                \
    template <class A>                                                                             \
    static constexpr A start = begin;                                                              \
    template <class A>                                                                             \
    [[nodiscard]] static A step(A a, A v, A = {}) noexcept {                                       \
      using U [[maybe_unused]] = arithmetic<A>;                                                    \
      return next;                                                                                 \
    }                                                                                              \
    template <class A>                                                                             \
    [[nodiscard]] static A join(A a, A b) noexcept {                                               \
      return step(a, b);                                                                           \
    }                                                                                              \
  };
TESSERA_X(sum, A{}, static_cast<A>(static_cast<U>(a) + static_cast<U>(v)), false)
TESSERA_X(sum_in_lanes, A{}, sum::step(a, v), true)
TESSERA_X(prod, A{1}, static_cast<A>(static_cast<U>(a) * static_cast<U>(v)), true)
TESSERA_X(max, (worst<A, true>), better<true>(a, v), true)
TESSERA_X(min, (worst<A, false>), better<false>(a, v), true)
TESSERA_X(ordered_max, (worst<A, true>), formulas::ordered_greatest(a, v), false)
TESSERA_X(ordered_min, (worst<A, false>), formulas::ordered_least(a, v), false)
TESSERA_X(max_of_numbers, std::numeric_limits<A>::lowest(), v > a ? v : a, false)
#undef TESSERA_X
struct squared_distances : sum_in_lanes {
  static constexpr bool has_center = true;
  [[nodiscard]] static double step(double a, double v, double center) noexcept {
    return a + (v - center) * (v - center);
  }
};

/// Rows of elements of type T in memory, `stride` apart.
template <class T>
struct row_block {
  const T* first;
  std::int64_t stride, count;
};
/// What is done to rows of A, of which the first element has the index `at`.
template <class A, class Sum = A>
struct steps {
  Sum start = {};
  /// All of a row to one; `sums` are lane_count, of which others than the first may stay as they are.
  void (*along)(Sum* sums, const A* row, std::size_t n, std::int64_t at, const A* center) = nullptr;
  /// Each element of rows of n to one of its own.
  void (*across)(Sum* sums, row_block<A> rows, std::size_t n, std::int64_t at,
                 const A* center) = nullptr;
  /// The same of floats; null where there is no such loop.
  void (*across_floats)(Sum* sums, row_block<float> rows, std::size_t n, std::int64_t at,
                        const A* center) = nullptr;
  /// The lanes to one.
  void (*join)(Sum* sums) = nullptr;
  const A* center = nullptr;  ///< by the index of a result
};

template <class R, class A>
void add_along(A* to, const A* row, std::size_t n, std::int64_t, const A* center) {
  [[maybe_unused]] const A about = R::has_center ? *center : A{};
  if constexpr (R::has_lanes) {
    A sums[lane_count];
    std::copy_n(to, lane_count, sums);
    std::size_t i = 0;
    for (; i + lane_count <= n; i += lane_count)
      for (std::size_t k = 0; k < lane_count; ++k) sums[k] = R::step(sums[k], row[i + k], about);
    for (; i < n; ++i) sums[0] = R::step(sums[0], row[i], about);
    std::copy_n(sums, lane_count, to);
  } else {
    A sum = *to;
    for (std::size_t i = 0; i < n; ++i) sum = R::step(sum, row[i]);
    *to = sum;
  }
}
/// Four rows at a time, so that sums are loaded and stored for each fourth element only.
template <class R, class A, class T>
void add_across(A* __restrict sums, row_block<T> rows, std::size_t n, std::int64_t,
                const A* center) {
  const auto about = [center](std::size_t i) { return R::has_center ? center[i] : A{}; };
  const T* row = rows.first;
  std::int64_t left = rows.count;
  for (; left >= 4; left -= 4, row += 4 * rows.stride) {
    const T *const b = row + rows.stride, *const c = b + rows.stride, *const d = c + rows.stride;
    for (std::size_t i = 0; i < n; ++i) {
      A sum = R::step(sums[i], static_cast<A>(row[i]), about(i));
      sum = R::step(sum, static_cast<A>(b[i]), about(i));
      sum = R::step(sum, static_cast<A>(c[i]), about(i));
      sums[i] = R::step(sum, static_cast<A>(d[i]), about(i));
    }
  }
  for (; left > 0; --left, row += rows.stride)
    for (std::size_t i = 0; i < n; ++i)
      sums[i] = R::step(sums[i], static_cast<A>(row[i]), about(i));
}
template <class R, class A>
void add_lanes(A* sums) {
  if constexpr (R::has_lanes)
    for (std::size_t half = lane_count / 2; half != 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k) sums[k] = R::join(sums[k], sums[k + half]);
}
template <class A, class R>
[[nodiscard]] steps<A> steps_by(R, const A* center = nullptr) noexcept {
  steps<A> by{R::template start<A>, add_along<R, A>, add_across<R, A, A>, nullptr,
              add_lanes<R, A>,      center};
  if constexpr (std::is_same_v<A, double>) by.across_floats = add_across<R, A, float>;
  return by;
}
template <class A>
[[nodiscard]] steps<A> steps_of(reduction r) noexcept {
  switch (r) {
#define TESSERA_X(name)                                                                            \
  case reduction::name: return steps_by<A>(name{});
    TESSERA_REDUCTIONS(TESSERA_X)
#undef TESSERA_X
  }
  return {};
}

/// An element and how many come before it.
template <class A>
struct indexed {
  A value = {};
  std::int64_t index = 0;
};
template <class A, bool Greatest>
void find_along(indexed<A>* best, const A* row, std::size_t n, std::int64_t at, const A*) {
  indexed<A> a = at == 0 && n != 0 ? indexed<A>{row[0], 0} : *best;
  for (std::size_t i = at == 0 ? 1 : 0; i < n; ++i)
    if (beats(Greatest, row[i], a.value)) [[unlikely]]
      a = {row[i], at + static_cast<std::int64_t>(i)};
  *best = a;
}
template <class A, bool Greatest>
void find_across(indexed<A>* best, row_block<A> rows, std::size_t n, std::int64_t at, const A*) {
  for (const std::int64_t end = at + rows.count; at < end; ++at, rows.first += rows.stride)
    for (std::size_t i = 0; i < n; ++i)
      if (at == 0 || beats(Greatest, rows.first[i], best[i].value)) best[i] = {rows.first[i], at};
}

/// Gives elements and indices apart.
template <class A>
[[nodiscard]] auto in_two(const best_function<A>& finish) noexcept {
  return [&finish](const row_place& at, const indexed<A>* best, std::size_t n) {
    A values[block];
    std::int64_t indices[block];
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = best[i].value;
      indices[i] = best[i].index;
    }
    finish(at, values, indices, n);
  };
}

/// Rows of elements that are kept: the place of the first row, and from each to the next.
struct kept_rows {
  row_place first;
  std::int64_t step, index_step, count;
};
/// Adds rows of n elements, of which the first is the one at `k`.
template <class A, class Sum>
void add_rows(const steps<A, Sum>& by, const row_source<A>& from, const kept_rows& rows,
              std::size_t n, std::int64_t k, Sum* sums, const A* center) {
  const std::int64_t first = rows.first.first, step = rows.first.step;
  if (const A* const x = from.template in_memory<A>(step); x != nullptr)
    return by.across(sums, {x + first, rows.step, rows.count}, n, k, center);
  if (by.across_floats != nullptr)
    if (const float* const x = from.template in_memory<float>(step); x != nullptr)
      return by.across_floats(sums, {x + first, rows.step, rows.count}, n, k, center);
  // Rows that follow each other are loaded together.
  std::array<A, 4 * block> loaded;
  const auto width = static_cast<std::int64_t>(n);
  const bool are_joined =
      rows.step == width * step && rows.index_step == 0 && rows.first.index_step == 0;
  const std::int64_t once = are_joined ? 4 * block / width : 4;
  for (std::int64_t j = 0; j < rows.count; j += once) {
    const std::int64_t some = std::min(once, rows.count - j);
    row_place at = rows.first;
    at.first += j * rows.step;
    at.index += j * rows.index_step;
    if (are_joined) {
      from.load(at, loaded.data(), n * static_cast<std::size_t>(some));
    } else {
      for (std::int64_t i = 0; i < some; ++i, at.first += rows.step, at.index += rows.index_step)
        from.load(at, loaded.data() + i * width, n);
    }
    by.across(sums, {loaded.data(), width, some}, n, k + j, center);
  }
}

/// Goes along what is kept where those elements lie closer to one another.
template <class A, class Sum>
void fold_by(const steps<A, Sum>& by, const fold_rows& rows, const row_source<A>& source,
             const row_function<Sum>& finish) {
  std::array<A, block> row;
  std::array<Sum, block> sums;
  const auto step = rows.kept.steps();
  const auto inner = rows.reduced.steps();
  const bool by_kept = rows.kept.length() > 1 &&
                       (rows.reduced.length() == 1 || std::abs(step[0]) < std::abs(inner[0]));
  const auto center_at = [&](std::int64_t index) {
    return by.center == nullptr ? nullptr : by.center + index;
  };
  // The sums of n elements that are kept, from those places on.
  const auto sum_by_kept = [&](std::int64_t x, std::int64_t index, std::int64_t n) {
    std::fill_n(sums.begin(), n, by.start);
    std::int64_t k = 0;
    rows.reduced.each([&](const auto& at, std::int64_t length) {
      add_rows(by, source,
               {{x + at[0], step[0], index + at[1], step[1]}, inner[0], inner[1], length},
               static_cast<std::size_t>(n), k, sums.data(), center_at(index));
      k += length;
    });
  };
  const auto add_one = [&](Sum* lanes, const A* from, std::size_t n, std::int64_t k,
                           std::int64_t index) { by.along(lanes, from, n, k, center_at(index)); };
  const auto sum_of_one = [&](std::int64_t x, std::int64_t index) {
    std::int64_t k = 0;
    std::array<Sum, lane_count> lanes;
    lanes.fill(by.start);
    rows.reduced.each([&](const auto& at, std::int64_t length) {
      for (std::int64_t j = 0; j < length; j += block) {
        const auto n = static_cast<std::size_t>(std::min(block, length - j));
        const row_place from{x + at[0] + j * inner[0], inner[0], index + at[1] + j * inner[1],
                             inner[1]};
        add_one(lanes.data(), source.row(from, row.data(), n), n, k, index);
        k += static_cast<std::int64_t>(n);
      }
    });
    if (by.join != nullptr) by.join(lanes.data());
    return lanes[0];
  };
  // Short neighbours are loaded together.
  const std::int64_t size = rows.reduced.length();
  const bool are_neighbours = !by_kept && rows.reduced.is_one() && size > 0 && size <= block / 2 &&
                              step[0] == size * inner[0] && step[1] == size * inner[1];
  const auto sum_neighbours = [&](std::int64_t x, std::int64_t index, std::int64_t n) {
    const std::int64_t once = block / size;
    for (std::int64_t i = 0; i < n; i += once) {
      const std::int64_t some = std::min(once, n - i);
      const A* from = source.row({x + i * step[0], inner[0], index + i * step[1], inner[1]},
                                 row.data(), static_cast<std::size_t>(some * size));
      for (std::int64_t k = 0; k < some; ++k, from += size) {
        std::array<Sum, lane_count> lanes;
        lanes.fill(by.start);
        add_one(lanes.data(), from, static_cast<std::size_t>(size), 0, index + (i + k) * step[1]);
        if (by.join != nullptr) by.join(lanes.data());
        sums[static_cast<std::size_t>(i + k)] = lanes[0];
      }
    }
  };
  rows.kept.each([&](const auto& first, std::int64_t all) {
    for (std::int64_t from = 0; from < all; from += block) {
      const std::int64_t n = std::min(block, all - from);
      const std::int64_t x = first[0] + from * step[0], index = first[1] + from * step[1];
      if (by_kept)
        sum_by_kept(x, index, n);
      else if (are_neighbours)
        sum_neighbours(x, index, n);
      else
        for (std::int64_t i = 0; i < n; ++i)
          sums[static_cast<std::size_t>(i)] = sum_of_one(x + i * step[0], index + i * step[1]);
      finish({first[2] + from * step[2], step[2], first[3] + from * step[3], step[3]}, sums.data(),
             static_cast<std::size_t>(n));
    }
  });
}

// ---- elements up to each one

/// Along rows of the middle axis where its elements are neighbours, else along it by rows of others.
template <class A, class Sum, class Step>
void scan_by(const groups& g, const Sum& start, const row_source<A>& from,
             const row_function<const Sum>& finish, Step&& step) {
  std::array<A, block> row;
  std::array<Sum, block> sums, results;
  if (g.inner == 1) {
    for (std::int64_t o = 0; o < g.outer; ++o) {
      Sum sum = start;
      for (std::int64_t first = 0; first < g.count; first += block) {
        const auto n = static_cast<std::size_t>(std::min(block, g.count - first));
        const row_place at{o * g.count + first, 1, 0, 0};
        const A* const x = from.row(at, row.data(), n);
        for (std::size_t k = 0; k < n; ++k)
          results[k] = sum = step(sum, x[k], first + static_cast<std::int64_t>(k));
        finish(at, results.data(), n);
      }
    }
    return;
  }
  for (std::int64_t o = 0; o < g.outer; ++o)
    for (std::int64_t first = 0; first < g.inner; first += block) {
      const auto n = static_cast<std::size_t>(std::min(block, g.inner - first));
      std::fill_n(sums.begin(), n, start);
      for (std::int64_t r = 0; r < g.count; ++r) {
        const row_place at{(o * g.count + r) * g.inner + first, 1, 0, 0};
        const A* const x = from.row(at, row.data(), n);
        for (std::size_t k = 0; k < n; ++k) sums[k] = step(sums[k], x[k], r);
        finish(at, sums.data(), n);
      }
    }
}

}  // namespace

fold_rows::fold_rows(const groups& g, bool has_index) noexcept
    : kept([&] {
        const std::int64_t shape[] = {g.outer, g.inner}, x[] = {g.count * g.inner, 1},
                           to[] = {g.inner, 1}, none[] = {0, 0};
        return rows<4, max_rank>(shape, {x, has_index ? to : none, to, none});
      }()),
      reduced([&] {
        const std::int64_t shape[] = {g.count}, x[] = {g.inner}, none[] = {0};
        return rows<2, max_rank>(shape, {x, none});
      }()) {}

template <class A>
void fold(reduction r, const fold_rows& rows, const row_source<A>& from, row_function<A> finish) {
  fold_by<A, A>(steps_of<A>(r), rows, from, finish);
}
void fold_squares(const fold_rows& rows, const row_source<double>& from, const double* center,
                  row_function<double> finish) {
  fold_by<double, double>(steps_by<double>(squared_distances{}, center), rows, from, finish);
}
template <class A>
void fold_best(bool greatest, const fold_rows& rows, const row_source<A>& from,
               best_function<A> finish) {
  steps<A, indexed<A>> by;
  by.along = greatest ? find_along<A, true> : find_along<A, false>;
  by.across = greatest ? find_across<A, true> : find_across<A, false>;
  fold_by<A, indexed<A>>(by, rows, from, in_two(finish));
}
template <class A>
void scan(running r, const groups& g, const row_source<A>& from, row_function<const A> finish) {
  switch (r) {
    case running::sum:
      return scan_by<A, A>(g, A{}, from, finish,
                           [](A a, A v, std::int64_t) { return sum::step(a, v); });
    case running::prod:
      return scan_by<A, A>(g, A{1}, from, finish,
                           [](A a, A v, std::int64_t) { return prod::step(a, v); });
    case running::logaddexp:
      if constexpr (std::is_floating_point_v<A>)
        scan_by<A, A>(g, worst<A, true>, from, finish,
                      [](A a, A v, std::int64_t) { return formulas::logaddexp::of(a, v); });
  }
}
template <class A>
void scan_best(bool greatest, const groups& g, const row_source<A>& from, best_function<A> finish) {
  const auto by = [&]<bool Greatest>(std::bool_constant<Greatest>) {
    scan_by<A, indexed<A>>(
        g, {}, from, in_two(finish), [](const indexed<A>& a, A v, std::int64_t at) {
          const bool is_next = at == 0 || v == a.value ||
                               (formulas::is_nan(v) && formulas::is_nan(a.value)) ||
                               beats(Greatest, v, a.value);
          return is_next ? indexed<A>{v, at} : a;
        });
  };
  greatest ? by(std::true_type{}) : by(std::false_type{});
}

#define TESSERA_FOLD(A)                                                                            \
  template void fold(reduction, const fold_rows&, const row_source<A>&, row_function<A>);          \
  template void fold_best(bool, const fold_rows&, const row_source<A>&, best_function<A>)
#define TESSERA_SCAN(A)                                                                            \
  template void scan(running, const groups&, const row_source<A>&, row_function<const A>);         \
  template void scan_best(bool, const groups&, const row_source<A>&, best_function<A>)
TESSERA_FOLD(float);
TESSERA_FOLD(double);
TESSERA_FOLD(std::int64_t);
TESSERA_SCAN(double);
TESSERA_SCAN(std::int64_t);
#undef TESSERA_FOLD
#undef TESSERA_SCAN

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
