// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "genome/less_by_element.hpp"
#include "support/catch.hpp"

namespace {

using namespace tessera::genomics;
using partition = std::vector<std::uint32_t>;

struct random_numbers {
  std::uint64_t state;
  std::uint32_t operator()(std::uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33) % below;
  }
};

distance_matrix random_matrix(std::uint32_t size, std::uint64_t seed) {
  random_numbers next{seed};
  distance_matrix d;
  d.size = size;
  d.values.resize(std::size_t{size} * size);
  for (std::size_t a = 1; a < size; ++a)
    for (std::size_t b = 0; b < a; ++b)
      d.values[a * size + b] = d.values[b * size + a] =
          static_cast<float>(1 + next(1000)) / 1000.0f;
  return d;
}

/// Groups of four leaves: 0.1 from each other, 0.8 from the others.
distance_matrix groups(std::uint32_t count) {
  distance_matrix d;
  d.size = count * 4;
  d.values.resize(std::size_t{d.size} * d.size);
  for (std::size_t a = 0; a < d.size; ++a)
    for (std::size_t b = 0; b < d.size; ++b)
      d.values[a * d.size + b] = a == b ? 0.0f : a % count == b % count ? 0.1f : 0.8f;
  return d;
}

/// Of each cluster, the squares of the distances of its pairs, over its leaves.
double scatter(const distance_matrix& d, const partition& of) {
  double sum = 0;
  for (const std::uint32_t k : std::set<std::uint32_t>(of.begin(), of.end())) {
    double pairs = 0, leaves = 0;
    for (std::uint32_t a = 0; a < of.size(); ++a) {
      if (of[a] != k) continue;
      ++leaves;
      for (std::uint32_t b = 0; b < a; ++b)
        if (of[b] == k) pairs += static_cast<double>(d(a, b)) * static_cast<double>(d(a, b));
    }
    sum += pairs / leaves;
  }
  return sum;
}

/// The same partition, numbered in the order of its first leaves.
partition by_first(const partition& of) {
  std::vector<std::uint32_t> seen;
  partition out;
  for (const std::uint32_t k : of) {
    const auto at = std::find(seen.begin(), seen.end(), k);
    out.push_back(static_cast<std::uint32_t>(at - seen.begin()));
    if (at == seen.end()) seen.push_back(k);
  }
  return out;
}

/// All partitions that one more removed branch makes of one.
std::set<partition, less_by_element> refinements(const tree& t, const partition& of) {
  std::vector<std::uint32_t> parent(t.leaves + t.inner.size(), ~0u);
  for (std::uint32_t i = 0; i < t.inner.size(); ++i)
    for (const tree::child& c : t.inner[i]) parent[c.node] = t.leaves + i;
  const auto is_below = [&](std::uint32_t v, std::uint32_t top) {
    while (v != top && parent[v] != ~0u) v = parent[v];
    return v == top;
  };
  std::set<partition, less_by_element> out;
  const std::uint32_t fresh = *std::max_element(of.begin(), of.end()) + 1;
  for (std::uint32_t top = 0; top < parent.size(); ++top)
    for (std::uint32_t k = 0; k < fresh; ++k) {
      partition p = of;
      for (std::uint32_t v = 0; v < t.leaves; ++v)
        if (of[v] == k && is_below(v, top)) p[v] = fresh;
      p = by_first(p);
      if (p != of) out.insert(std::move(p));
    }
  return out;
}

double naive_index(const partition& a, const partition& b) {
  double both = 0, in_a = 0, in_b = 0, all = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      all += 1;
      both += a[i] == a[k] && b[i] == b[k] ? 1 : 0;
      in_a += a[i] == a[k] ? 1 : 0;
      in_b += b[i] == b[k] ? 1 : 0;
    }
  const double expected = in_a * in_b / all;
  return (both - expected) / ((in_a + in_b) / 2 - expected);
}

}  // namespace

TEST_CASE("genome_tools/clusters: groups that lie apart are found", "[genome_tools]") {
  for (const std::uint32_t count : {2u, 3u, 7u}) {
    const distance_matrix d = groups(count);
    const partition found = cut(neighbour_joining(d), d, count);
    for (std::uint32_t v = 0; v < d.size; ++v) CHECK(found[v] == v % count);
  }
}

TEST_CASE("genome_tools/clusters: each branch is the one that lowers the scatter most",
          "[genome_tools]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::uint32_t size = 4 + static_cast<std::uint32_t>(seed % 9);
    const distance_matrix d = random_matrix(size, seed);
    const tree t = neighbour_joining(d);
    partition of = cut(t, d, 1);
    CHECK(of == partition(size, 0));
    for (std::uint32_t k = 2; k <= size; ++k) {
      const partition next = cut(t, d, k);
      CHECK(next == by_first(next));
      const std::set<partition, less_by_element> ways = refinements(t, of);
      CHECK(ways.count(next) == 1);
      double lowest = scatter(d, of);
      for (const partition& p : ways) lowest = std::min(lowest, scatter(d, p));
      CHECK(std::fabs(scatter(d, next) - lowest) < 1e-9);
      of = next;
    }
    partition single(size);
    for (std::uint32_t v = 0; v < size; ++v) single[v] = v;
    CHECK(of == single);
    CHECK(cut(t, d, size + 5) == single);
  }
}

TEST_CASE("genome_tools/clusters: trees of few leaves", "[genome_tools]") {
  CHECK(cut({}, {}, 3).empty());
  for (const std::uint32_t size : {1u, 2u, 3u}) {
    const distance_matrix d = random_matrix(size, 7);
    CHECK(cut(neighbour_joining(d), d, 1) == partition(size, 0));
    CHECK(cut(neighbour_joining(d), d, 3).back() == size - 1);
  }
  distance_matrix same;
  same.size = 5;
  same.values.resize(25);
  const partition found = cut(neighbour_joining(same), same, 2);
  CHECK(*std::max_element(found.begin(), found.end()) == 1);
}

TEST_CASE("genome_tools/clusters: the adjusted Rand index", "[genome_tools]") {
  const partition a{0, 0, 0, 1, 1, 1}, b{0, 0, 1, 1, 2, 2};
  CHECK(std::fabs(adjusted_rand_index(a, b) - 8.0 / 33) <
        1e-12);  // 2 of 15 pairs together in both, 6 and 3 in one
  CHECK(adjusted_rand_index(a, a) == 1.0);
  CHECK(adjusted_rand_index(a, partition{5, 5, 5, 2, 2, 2}) == 1.0);
  CHECK(std::fabs(adjusted_rand_index(partition{0, 0, 1, 1}, partition{0, 1, 0, 1}) + 0.5) < 1e-12);
  CHECK(adjusted_rand_index(a, partition(6, 0)) == 0.0);
  CHECK(adjusted_rand_index(partition(3, 0), partition(3, 4)) == 1.0);
  CHECK(adjusted_rand_index({}, {}) == 1.0);
  random_numbers next{3};
  double sum = 0;
  for (int round = 0; round < 200; ++round) {
    partition x, y;
    for (int i = 0; i < 24; ++i) x.push_back(next(4)), y.push_back(next(3));
    const double v = adjusted_rand_index(x, y);
    CHECK(std::fabs(v - naive_index(x, y)) < 1e-9);
    CHECK(v == adjusted_rand_index(y, x));
    sum += v;
  }
  CHECK(std::fabs(sum / 200) < 0.02);  // of random partitions, 0 on average
}
