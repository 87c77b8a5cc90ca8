// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Overlap and rule G14, checked against byte sets and transitive closures.

#include "ark/verbs.hpp"
#include "findings.hpp"
// Keeps the line above where it is.
#include <algorithm>
#include <random>
#include <set>

using namespace findings;

namespace {

std::set<std::uint64_t> bytes_of(const ark::layout& l, std::uint64_t size) {
  std::set<std::uint64_t> bytes;
  for (std::int64_t a = 0; a < l.shape[0]; ++a)
    for (std::int64_t b = 0; b < l.shape[1]; ++b)
      for (std::int64_t c = 0; c < l.shape[2]; ++c)
        for (std::int64_t d = 0; d < l.shape[3]; ++d) {
          const std::int64_t i[] = {a, b, c, d};
          std::int64_t index = 0;
          for (std::size_t k = 0; k < 4; ++k) index = index * l.strides[k] + l.offsets[k] + i[k];
          for (std::uint64_t k = 0; k < size; ++k)
            bytes.insert(static_cast<std::uint64_t>(index) * size + k);
        }
  return bytes;
}
bool share(const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint64_t x) { return b.count(x) != 0; });
}

using generator = std::mt19937;
std::int64_t draw(generator& r, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(r() % static_cast<std::uint32_t>(high - low + 1));
}
ark::layout any_layout(generator& r) {
  ark::layout l;
  l.rank = static_cast<std::uint32_t>(draw(r, 1, 4));
  for (std::size_t d = 0; d < l.rank; ++d) {
    l.strides[d] = draw(r, 1, 5);
    l.offsets[d] = draw(r, 0, l.strides[d] - 1);
    l.shape[d] = draw(r, 1, l.strides[d] - l.offsets[d]);
    l.padded_shape[d] = l.shape[d];
  }
  return l;
}

}  // namespace

TEST_CASE("ark/overlap: tensors share bytes when their sets of bytes do", "[ark][hazards]") {
  generator r(1);
  int shared = 0;
  for (int i = 0; i < 4000; ++i) {
    const ark::layout a = any_layout(r), b = any_layout(r);
    const std::uint64_t sizes[] = {1, 2, 4};
    const std::uint64_t sa = sizes[r() % 3], sb = sizes[r() % 3];
    const auto x = bytes_of(a, sa), y = bytes_of(b, sb);
    const ark::footprint fa(a, sa), fb(b, sb);
    const bool expected = share(x, y);
    shared += expected ? 1 : 0;
    REQUIRE(ark::overlap(a, sa, b, sb) == expected);
    REQUIRE(overlap(fa, fb) == expected);
    REQUIRE(fa.first() == *x.begin());
    REQUIRE(fa.end() == *x.rbegin() + 1);
    if (fa.covers(fb)) REQUIRE(std::includes(x.begin(), x.end(), y.begin(), y.end()));
    const std::uint64_t low = r() % 600, high = low + 1 + r() % 20;
    REQUIRE(fa.touches(low, high) ==
            std::any_of(x.begin(), x.end(), [&](std::uint64_t v) { return v >= low && v < high; }));
  }
  CHECK((shared > 400 && shared < 3600));
}

TEST_CASE("ark/overlap: rows beyond counting are taken to overlap", "[ark][hazards]") {
  ark::layout a, b;
  a.rank = b.rank = 2;
  a.strides[0] = b.strides[0] = 1 << 20;
  a.strides[1] = 7, b.strides[1] = 14;
  a.shape[0] = b.shape[0] = static_cast<std::int64_t>(ark::footprint::max_rows);
  b.offsets[1] = 1;
  CHECK_FALSE(ark::overlap(a, 4, b, 4));
  ++a.shape[0], ++b.shape[0];
  CHECK(ark::overlap(a, 4, b, 4));
}

TEST_CASE("ark/hazards: each pair that no path orders, and no other", "[ark][hazards]") {
  generator r(2);
  int pairs = 0;
  for (int round = 0; round < 400; ++round) {
    // Copies among parts of a few buffers, with some edges of a random order.
    const std::size_t count = 2 + r() % 9;
    std::vector<std::vector<bool>> path(count, std::vector<bool>(count));
    std::vector<std::vector<std::int64_t>> producers(count), consumers(count);
    const bool shuffled = r() % 4 == 0;
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    if (shuffled) std::shuffle(order.begin(), order.end(), r);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i + 1; j < count; ++j)
        if (r() % 4 == 0) {
          path[order[i]][order[j]] = true;
          consumers[order[i]].push_back(static_cast<std::int64_t>(order[j]));
          producers[order[j]].push_back(static_cast<std::int64_t>(order[i]));
        }
    struct use {
      patch p;
      bool write;
    };
    std::vector<std::vector<use>> accesses(count);
    std::vector<std::string> nodes;
    std::int64_t id = 0;
    for (std::size_t n = 0; n < count; ++n) {
      const auto part = [&](std::int64_t buffer) {
        patch p{id++, buffer, {2, 2}, {2, 4}, {0, draw(r, 0, 2)}};
        if (r() % 3 == 0) p = {p.id, buffer, {2}, {8}, {draw(r, 0, 6)}};
        return p;
      };
      const patch from = part(draw(r, 0, 2)), to = part(draw(r, 0, 2));
      patch result = to;
      result.id = id++;
      accesses[n] = {{from, false}, {to, true}};
      nodes.push_back(node(static_cast<std::int64_t>(n), producers[n], consumers[n],
                           op("Copy", {from}, {to}, {result})));
    }
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j)
          if (path[i][k] && path[k][j]) path[i][j] = true;

    std::set<std::pair<std::size_t, std::size_t>> expected, found;
    const auto bytes = [](const patch& p) {
      ark::layout l;
      for (std::size_t d = 0; d < p.shape.size(); ++d)
        l.shape[d] = p.shape[d], l.strides[d] = p.strides[d], l.offsets[d] = p.offsets[d];
      return bytes_of(l, 4);
    };
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i + 1; j < count; ++j)
        for (const use& a : accesses[i])
          for (const use& b : accesses[j])
            if ((a.write || b.write) && a.p.buffer == b.p.buffer && !path[i][j] && !path[j][i] &&
                share(bytes(a.p), bytes(b.p)))
              expected.insert({i, j});
    const std::string text = file(nodes);
    for (const finding& f : of({text})) {
      if (f.rule != "G14") continue;
      const auto number = [](const std::string& s, std::size_t at) {
        return static_cast<std::size_t>(std::stoul(s.substr(at)));
      };
      const std::size_t later = number(f.path, 8), earlier = number(f.text, 5);
      found.insert({std::min(earlier, later), std::max(earlier, later)});
    }
    INFO(text);
    REQUIRE(found == expected);
    pairs += static_cast<int>(expected.size());
  }
  CHECK(pairs > 500);
}

TEST_CASE("ark/hazards: what is no access", "[ark][hazards]") {
  // Noop, views and DeviceSync move nothing; a label is read by nobody.
  const std::string fill = op("ScalarAssign", {}, {{1, 0}}, {{2, 0}}, R"({"Value":{"FLOAT":1}})");
  CHECK(summary(of({file({node(0, {}, {}, fill), node(1, {}, {}, op("Noop", {{5, 0}}, {}, {})),
                          node(2, {}, {}, op("Tensor", {{5, 0}}, {}, {{6, 0}}))})}))
            .empty());
  CHECK(rules(of({file({node(0, {}, {}, fill),
                        node(1, {}, {}, op("Relu", {{5, 0}}, {{6, 1}}, {{7, 1}}))})})) == "W G14");
  // Two that read are fine, and so is what an operation does to its own tensors.
  CHECK(summary(of({file({node(0, {}, {}, op("Relu", {{5, 0}}, {{6, 1}}, {{7, 1}})),
                          node(1, {}, {}, op("Relu", {{5, 0}}, {{8, 2}}, {{9, 2}}))})}))
            .empty());
  CHECK(summary(of({single(op("Relu", {{5, 0}}, {{5, 0}}, {{6, 0}}))})).empty());
}

TEST_CASE("ark/hazards: a chain in one buffer, looked at within its bounds", "[ark][hazards]") {
  constexpr std::int64_t count = 2000;
  std::vector<std::string> nodes;
  for (std::int64_t n = 0; n < count; ++n) {
    std::vector<std::int64_t> before, after;
    if (n > 0) before = {n - 1};
    if (n + 1 < count) after = {n + 1};
    nodes.push_back(node(n, before, after, op("Relu", {{n, 0}}, {{n, 0}}, {{n + 1, 0}})));
  }
  const std::string chain = file(nodes);
  // Each access looks only at the last write.
  const auto steps = [](const std::string& text, std::uint64_t most, tessera::report& r) {
    r = {};
    return static_cast<bool>(ark_test::verify(graph(text), {.hazard_steps = most}, &r));
  };
  tessera::report r;
  CHECK(steps(chain, 30 * count, r));
  CHECK((r.warnings == 0 && !r.is_bounded));
  CHECK(steps(chain, count, r));
  CHECK(r.is_bounded);
  CHECK(ark_test::verify(graph(chain), {.hazards = false, .hazard_steps = 0}, &(r = {})));
  CHECK_FALSE(r.is_bounded);

  // Without edges every pair is one, and the bound keeps that from being looked at.
  nodes.clear();
  for (std::int64_t n = 0; n < count; ++n)
    nodes.push_back(node(n, {}, {}, op("Relu", {{3 * n, 0}}, {{3 * n + 1, 0}}, {{3 * n + 2, 0}})));
  CHECK(steps(file(nodes), 100000, r));
  CHECK(r.is_bounded);
  CHECK((r.warnings > 1000 && r.warnings < 100000));
}
