// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "support.hpp"
#include "tensor/element_rows.hpp"
#include "tensor/fold.hpp"
#include "tensor/softmax.hpp"
#include "tensor/sort.hpp"

using namespace tessera::tensors;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<groups> all_groups = {{1, 1, 1},   {3, 1, 1},   {1, 0, 2},
                                        {2, 3, 1},   {2, 3, 4},   {1, 1100, 1},
                                        {1, 3, 700}, {5, 520, 2}, {3, 9, 5}};

template <class A>
[[nodiscard]] std::vector<A> elements_of(const groups& g) {
  tessera_tests::random_numbers next;
  std::vector<A> x(static_cast<std::size_t>(g.outer * g.count * g.inner));
  for (A& v : x) v = static_cast<A>(static_cast<int>(next() % 7) - 3);
  return x;
}
template <class A>
[[nodiscard]] auto loader(const std::vector<A>& x) {
  return [&x](const row_place& at, A* to, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      to[i] = x[static_cast<std::size_t>(at.first + static_cast<std::int64_t>(i) * at.step)];
  };
}
template <class A>
[[nodiscard]] std::vector<A> folded(reduction r, const groups& g, const std::vector<A>& x) {
  std::vector<A> to(static_cast<std::size_t>(g.results()));
  fold<A>(r, fold_rows(g), loader(x), [&](const row_place& at, A* results, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      to[static_cast<std::size_t>(at.first + static_cast<std::int64_t>(i) * at.step)] = results[i];
  });
  return to;
}
/// f(result, element j of it) for all, in order.
template <class F>
void each(const groups& g, F&& f) {
  for (std::int64_t i = 0; i < g.results(); ++i)
    for (std::int64_t j = 0; j < g.count; ++j)
      f(static_cast<std::size_t>(i),
        static_cast<std::size_t>((i / g.inner * g.count + j) * g.inner + i % g.inner));
}

}  // namespace

TEST_CASE("tensor/fold: along any axis, as one element after another gives it", "[tensor]") {
  for (const groups& g : all_groups) {
    const auto x = elements_of<double>(g);
    const auto whole = elements_of<std::int64_t>(g);
    std::vector<double> sums(static_cast<std::size_t>(g.results())),
        greatest(sums.size(), -infinity);
    std::vector<std::int64_t> products(sums.size(), 1);
    each(g, [&](std::size_t i, std::size_t at) {
      sums[i] += x[at];
      greatest[i] = std::max(greatest[i], x[at]);
      products[i] *= whole[at];
    });
    CHECK(folded(reduction::sum, g, x) == sums);
    CHECK(folded(reduction::sum_in_lanes, g, x) == sums);
    CHECK(folded(reduction::max, g, x) == greatest);
    CHECK(folded(reduction::ordered_max, g, x) == greatest);
    CHECK(folded(reduction::prod, g, whole) == products);
  }
}

TEST_CASE("tensor/fold: elements in memory and loaded rows give the same bits", "[tensor]") {
  for (const groups& g : all_groups) {
    tessera_tests::random_numbers next;
    std::vector<float> x(static_cast<std::size_t>(g.outer * g.count * g.inner));
    for (float& v : x) v = next.real();
    const std::vector<double> wide(x.begin(), x.end());
    const elements in_memory{element_type::f32,
                             static_cast<const std::byte*>(static_cast<const void*>(x.data()))};
    const auto put = [](std::vector<double>& to) {
      return [&to](const row_place& at, const double* sums, std::size_t n) {
        std::copy_n(sums, n, to.data() + at.first);
      };
    };
    const std::size_t count = static_cast<std::size_t>(g.results());
    std::vector<double> means(count), sums(count), squares(count), expected(count);
    fold<double>(reduction::sum_in_lanes, fold_rows(g), in_memory, put(sums));
    fold<double>(reduction::sum_in_lanes, fold_rows(g), loader(wide), put(expected));
    CHECK(sums == expected);
    for (std::size_t i = 0; i < count; ++i)
      means[i] = g.count == 0 ? 0 : sums[i] / static_cast<double>(g.count);
    fold_squares(fold_rows(g), in_memory, means.data(), put(squares));
    fold<double>(
        reduction::sum_in_lanes, fold_rows(g),
        [&](const row_place& at, double* to, std::size_t n) {
          loader(wide)(at, to, n);
          for (std::size_t i = 0; i < n; ++i) {
            to[i] -= means[static_cast<std::size_t>(at.index +
                                                    static_cast<std::int64_t>(i) * at.index_step)];
            to[i] *= to[i];
          }
        },
        put(expected));
    CHECK(squares == expected);
  }
}

TEST_CASE("tensor/fold: a row is as long as its dimension, or those that it joins", "[tensor]") {
  const std::int64_t shape[] = {2, 3, 5}, dense[] = {15, 5, 1}, apart[] = {30, 10, 1};
  const rows<1, 3> joined(shape, {std::span(dense)}), last(shape, {std::span(apart)});
  CHECK(joined.is_one());
  CHECK(joined.length() == 30);
  CHECK_FALSE(last.is_one());
  CHECK(last.length() == 5);
  CHECK(last.steps()[0] == 1);
}

TEST_CASE("tensor/fold: rows lie in memory where their elements are neighbours", "[tensor]") {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7};
  const row_source<float> from(elements{
      element_type::f32, static_cast<const std::byte*>(static_cast<const void*>(x.data()))});
  CHECK(from.in_memory<float>(1) == x.data());
  CHECK(from.in_memory<float>(2) == nullptr);
  CHECK(from.in_memory<double>(1) == nullptr);
  float to[3] = {};
  CHECK(from.row({2, 1, 0, 0}, to, 3) == x.data() + 2);
  CHECK(from.row({1, 2, 0, 0}, to, 3) == to);
  CHECK((to[0] == 2 && to[1] == 4 && to[2] == 6));
}

TEST_CASE("tensor/fold: reductions differ in NaNs, zeros and overflow as their table says",
          "[tensor]") {
  const groups g{1, 3, 1};
  const std::vector<double> x = {1, no_number, -2};
  CHECK(std::isnan(folded(reduction::max, g, x)[0]));
  CHECK(std::isnan(folded(reduction::ordered_min, g, x)[0]));
  CHECK(folded<float>(reduction::max_of_numbers, g, {1, std::nanf(""), -2})[0] == 1);
  CHECK_FALSE(std::signbit(folded<double>(reduction::ordered_max, {1, 2, 1}, {-0.0, 0.0})[0]));
  CHECK(std::signbit(folded<double>(reduction::ordered_min, {1, 2, 1}, {0.0, -0.0})[0]));
  CHECK(folded<std::int64_t>(reduction::sum, {1, 2, 1}, {INT64_MAX, 1})[0] == INT64_MIN);
  // The place of a rounding error tells the order.
  std::vector<double> y(16, 0);
  y[0] = 0x1p53;
  y[1] = y[9] = 1;
  CHECK(folded(reduction::sum, {1, 16, 1}, y)[0] == 0x1p53);
  CHECK(folded(reduction::sum_in_lanes, {1, 16, 1}, y)[0] == 0x1p53 + 2);
}

TEST_CASE("tensor/fold: the first of the best, and those so far", "[tensor]") {
  for (const groups& g : all_groups) {
    if (g.count == 0) continue;
    const auto x = elements_of<double>(g);
    std::vector<std::int64_t> best(static_cast<std::size_t>(g.results()));
    std::vector<std::size_t> place(best.size()), seen(best.size());
    std::vector<double> sums(best.size()), running_sums(x.size());
    std::vector<std::int64_t> running_best(x.size());
    each(g, [&](std::size_t i, std::size_t at) {
      const std::size_t j = seen[i]++;
      if (j == 0 || x[at] > x[place[i]]) {
        place[i] = at;
        best[i] = static_cast<std::int64_t>(j);
      }
      running_sums[at] = sums[i] += x[at];
    });
    std::vector<std::int64_t> found(best.size());
    fold_best<double>(true, fold_rows(g), loader(x),
                      [&](const row_place& at, const double*, std::int64_t* index, std::size_t n) {
                        std::copy_n(index, n, found.data() + at.first);
                      });
    CHECK(found == best);
    std::vector<double> to(x.size());
    scan<double>(running::sum, g, loader(x),
                 [&](const row_place& at, const double* row, std::size_t n) {
                   std::copy_n(row, n, to.data() + at.first);
                 });
    CHECK(to == running_sums);
  }
  // The last of equals, and the first NaN where that is the best.
  const std::vector<double> x = {1, 3, 3, 2, no_number, 4, no_number};
  std::vector<std::int64_t> index(x.size());
  scan_best<double>(true, {1, 7, 1}, loader(x),
                    [&](const row_place& at, const double*, std::int64_t* row, std::size_t n) {
                      std::copy_n(row, n, index.data() + at.first);
                    });
  CHECK(index == std::vector<std::int64_t>{0, 1, 2, 2, 4, 4, 6});
  fold_best<double>(
      false, fold_rows({1, 7, 1}), loader(x),
      [&](const row_place&, const double*, std::int64_t* row, std::size_t) { CHECK(*row == 4); });
}

TEST_CASE("tensor/softmax: columns and rows of any step agree", "[tensor]") {
  for (const bool logarithm : {false, true}) {
    const std::size_t rows = 5, columns = 300;
    std::vector<float> x(rows * columns), to(x.size());
    tessera_tests::random_numbers next;
    for (float& v : x) v = 4 * next.real();
    softmax_columns(x.data(), to.data(), rows, columns, logarithm);
    std::vector<double> wide(x.begin(), x.end());
    for (std::size_t k = 0; k < columns; ++k) softmax(wide.data() + k, rows, columns, logarithm);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, std::fabs(wide[i] - static_cast<double>(to[i])));
    CHECK(worst < 1e-6);
  }
  double infinite[] = {-infinity, -infinity};
  softmax(infinite, 2, 1, false);
  CHECK(std::isnan(infinite[0]));
}

TEST_CASE("tensor/sort: keys have the order of elements of any type", "[tensor]") {
  const auto order = [](element_type type, const auto& x, bool descending, std::size_t taken) {
    std::vector<sort_key> keys(std::size(x));
    read_keys(type, static_cast<const std::byte*>(static_cast<const void*>(std::data(x))), 0, 1,
              keys.data(), keys.size());
    if (taken == keys.size())
      sort_keys(keys.data(), keys.size(), descending);
    else
      select_keys(keys.data(), keys.size(), taken, descending, true);
    std::vector<std::int64_t> to;
    for (std::size_t i = 0; i < taken; ++i) to.push_back(keys[i].index);
    return to;
  };
  using indices = std::vector<std::int64_t>;
  const std::vector<double> x = {1, -no_number, 0.0, -0.0, -infinity, infinity, no_number, -1.5};
  CHECK(order(element_type::f64, x, false, 8) == indices{4, 7, 2, 3, 0, 5, 1, 6});
  CHECK(order(element_type::f64, x, true, 8) == indices{1, 6, 5, 0, 2, 3, 7, 4});
  CHECK(order(element_type::f64, x, true, 3) == indices{1, 6, 5});
  const std::vector<std::int64_t> whole = {0, INT64_MIN, INT64_MAX, -1, 0};
  CHECK(order(element_type::i64, whole, false, 5) == indices{1, 3, 0, 4, 2});
  CHECK(order(element_type::u8, std::vector<std::uint8_t>{200, 3, 100}, false, 3) ==
        indices{1, 2, 0});
  CHECK(order(element_type::f16, std::vector<std::uint16_t>{0x3c00, 0xbc00, 0}, false, 3) ==
        indices{1, 2, 0});
}
