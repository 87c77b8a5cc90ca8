// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/tree.hpp"

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace {

using namespace tessera::genomics;

/// Numbers that look random, the same everywhere.
struct random_numbers {
  std::uint64_t state;
  std::uint32_t operator()(std::uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33) % below;
  }
};

distance_matrix matrix(std::vector<std::vector<double>> lower) {
  distance_matrix d;
  d.size = static_cast<std::uint32_t>(lower.size()) + 1;
  d.values.resize(std::size_t{d.size} * d.size);
  for (std::size_t a = 1; a < d.size; ++a)
    for (std::size_t b = 0; b < a; ++b)
      d.values[a * d.size + b] = d.values[b * d.size + a] = static_cast<float>(lower[a - 1][b]);
  return d;
}

using neighbours = std::vector<std::vector<std::pair<std::uint32_t, double>>>;

neighbours edges_of(const tree& t) {
  neighbours out(t.leaves + t.inner.size());
  for (std::size_t i = 0; i < t.inner.size(); ++i)
    for (const tree::child& c : t.inner[i]) {
      const auto up = static_cast<std::uint32_t>(t.leaves + i);
      out[up].push_back({c.node, c.length});
      out[c.node].push_back({up, c.length});
    }
  return out;
}

/// How far all nodes are from one of them, along the branches.
std::vector<double> paths(const neighbours& of, std::uint32_t start) {
  std::vector<double> out(of.size(), -1);
  std::vector<std::uint32_t> open{start};
  out[start] = 0;
  while (!open.empty()) {
    const std::uint32_t v = open.back();
    open.pop_back();
    for (const auto& [to, length] : of[v]) {
      if (out[to] >= 0) continue;
      out[to] = out[v] + length;
      open.push_back(to);
    }
  }
  return out;
}

/// A tree in which every inner node has three neighbours; lengths are sixteenths above 0.
neighbours random_tree(std::uint32_t leaves, random_numbers& random) {
  neighbours t(leaves);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    const double length = (1 + random(64)) / 16.0;
    t[a].push_back({b, length});
    t[b].push_back({a, length});
    edges.push_back({a, b});
  };
  const auto cut = [&](std::uint32_t a, std::uint32_t b) {
    std::erase_if(t[a], [b](const auto& e) { return e.first == b; });
    std::erase_if(t[b], [a](const auto& e) { return e.first == a; });
  };
  link(0, 1);
  for (std::uint32_t leaf = 2; leaf < leaves; ++leaf) {
    const std::uint32_t at = random(static_cast<std::uint32_t>(edges.size()));
    const auto [a, b] = edges[at];
    edges.erase(edges.begin() + at);
    cut(a, b);
    const auto middle = static_cast<std::uint32_t>(t.size());
    t.emplace_back();
    link(a, middle);
    link(b, middle);
    link(leaf, middle);
  }
  return t;
}

/// Newick, read again: names and lengths, children before their parents.
struct parsed {
  struct node {
    std::string name;
    double length = 0;
    int parent = -1;
    bool leaf = true;
  };
  std::vector<node> nodes;
  bool good = true;

  explicit parsed(std::string_view s) {
    int open = -1;
    std::size_t at = 0;
    const auto add = [&] {
      nodes.push_back({});
      nodes.back().parent = open;
      if (open >= 0) nodes[static_cast<std::size_t>(open)].leaf = false;
      return static_cast<int>(nodes.size()) - 1;
    };
    int last = -1;
    while (at < s.size() && s[at] != ';') {
      const char c = s[at];
      if (c == '(') {
        open = add();
        ++at;
      } else if (c == ')') {
        if (open < 0) {
          good = false;
          return;
        }
        last = open;
        open = nodes[static_cast<std::size_t>(open)].parent;
        ++at;
      } else if (c == ',') {
        ++at;
      } else if (c == ':') {
        char* end = nullptr;
        const std::string number(s.substr(at + 1, s.find_first_of(",);", at) - at - 1));
        nodes[static_cast<std::size_t>(last)].length = std::strtod(number.c_str(), &end);
        good = good && end == number.c_str() + number.size() && !number.empty();
        at += 1 + number.size();
      } else {
        last = add();
        std::string& name = nodes[static_cast<std::size_t>(last)].name;
        if (c == '\'') {
          for (++at; at < s.size(); ++at) {
            if (s[at] == '\'' && (at + 1 == s.size() || s[++at] != '\'')) break;
            name += s[at];
          }
        } else {
          const std::size_t end = s.find_first_of(":,();", at);
          name = s.substr(at, end - at);
          at = end;
        }
      }
    }
    good = good && open == -1 && s.substr(at) == ";\n";
  }

  [[nodiscard]] double between(const std::string& a, const std::string& b) const {
    std::map<int, double> above;  // of a
    double length = 0;
    for (int v = find(a); v >= 0; v = nodes[static_cast<std::size_t>(v)].parent) {
      above[v] = length;
      length += nodes[static_cast<std::size_t>(v)].length;
    }
    length = 0;
    for (int v = find(b); v >= 0; v = nodes[static_cast<std::size_t>(v)].parent) {
      if (above.count(v) != 0) return above[v] + length;
      length += nodes[static_cast<std::size_t>(v)].length;
    }
    return -1;
  }
  [[nodiscard]] int find(const std::string& name) const {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].leaf && nodes[i].name == name) return static_cast<int>(i);
    return -1;
  }
};

std::string newick_of(const distance_matrix& d) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < d.size; ++i)
    names.push_back(std::string(1, static_cast<char>('a' + static_cast<char>(i))));
  const tessera::text t = newick(neighbour_joining(d), names);
  return std::string(t.view());
}

}  // namespace

TEST_CASE("genome_tools/tree: the textbook's five", "[genome_tools]") {
  CHECK(newick_of(matrix({{5}, {9, 10}, {9, 10, 8}, {8, 9, 7, 3}})) ==
        "(((a:2.0,b:3.0):3.0,c:4.0):2.0,d:2.0,e:1.0);\n");
}

TEST_CASE("genome_tools/tree: few leaves", "[genome_tools]") {
  CHECK(newick_of({}) == ";\n");
  CHECK(newick_of(matrix({})) == "(a:0.0);\n");
  CHECK(newick_of(matrix({{0.75}})) == "(a:0.375,b:0.375);\n");
  CHECK(newick_of(matrix({{3}, {4, 5}})) == "(a:1.0,b:2.0,c:3.0);\n");
  CHECK(neighbour_joining({}).inner.empty());
}

TEST_CASE("genome_tools/tree: of equal pairs the first is joined", "[genome_tools]") {
  CHECK(newick_of(matrix({{1}, {1, 1}, {1, 1, 1}})) == "((a:0.5,b:0.5):0.0,c:0.5,d:0.5);\n");
  CHECK(newick_of(matrix({{0}, {0, 0}, {0, 0, 0}, {0, 0, 0, 0}})) ==
        "(((a:0.0,b:0.0):0.0,c:0.0):0.0,d:0.0,e:0.0);\n");
  // Pairs (a, d) and (b, c) are as good; a's is the first.
  CHECK(newick_of(matrix({{4}, {4, 2}, {2, 4, 4}})) == "((a:1.0,d:1.0):2.0,b:1.0,c:1.0);\n");
}

TEST_CASE("genome_tools/tree: branches below 0 become 0, their siblings take it",
          "[genome_tools]") {
  // a would get (1 + 1 - 3) / 2 = -0.5, b and c 1.5.
  CHECK(newick_of(matrix({{1}, {1, 3}})) == "(a:0.0,b:1.0,c:1.0);\n");
  CHECK(newick_of(matrix({{1}, {3, 1}})) == "(a:1.0,b:0.0,c:1.0);\n");
  CHECK(newick_of(matrix({{3}, {1, 1}})) == "(a:1.0,b:1.0,c:0.0);\n");
  // a and b: (1 + (10 - 4) / 2) / 2 = 2 for a, -1 for b.
  CHECK(newick_of(matrix({{1}, {5, 2}, {5, 2, 2}})) == "((a:1.0,b:0.0):2.0,c:1.0,d:1.0);\n");
  CHECK(newick_of(matrix({{1}, {2, 5}, {2, 5, 2}})) == "((a:0.0,b:1.0):2.0,c:1.0,d:1.0);\n");
}

TEST_CASE("genome_tools/tree: distances along a tree give that tree", "[genome_tools]") {
  random_numbers random{11};
  for (std::uint32_t leaves = 3; leaves <= 60; leaves += leaves < 12 ? 1 : 8) {
    const neighbours made = random_tree(leaves, random);
    distance_matrix d;
    d.size = leaves;
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < leaves; ++i) {
      const std::vector<double> row = paths(made, i);
      for (std::uint32_t k = 0; k < leaves; ++k) d.values.push_back(static_cast<float>(row[k]));
      names.push_back("leaf " + std::to_string(i));
    }
    const tree t = neighbour_joining(d);
    REQUIRE(t.leaves == leaves);
    REQUIRE(t.inner.size() == leaves - 2);
    for (std::size_t i = 0; i < t.inner.size(); ++i)
      REQUIRE(t.inner[i].size() == (i + 1 == t.inner.size() ? 3u : 2u));
    const neighbours found = edges_of(t);
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < leaves; ++i) {
      const std::vector<double> row = paths(found, i);
      for (std::uint32_t k = 0; k < leaves; ++k)
        wrong += row[k] != static_cast<double>(d(i, k)) ? 1u : 0u;
    }
    CHECK(wrong == 0);

    const tessera::text text = newick(t, names);
    const parsed again(text.view());
    REQUIRE(again.good);
    for (std::uint32_t k = 1; k < leaves; ++k)
      CHECK(again.between(names[0], names[k]) == static_cast<double>(d(0, k)));
  }
}

TEST_CASE("genome_tools/tree: joins are those of the plain definition", "[genome_tools]") {
  random_numbers random{5};
  for (std::uint32_t round = 0; round < 20; ++round) {
    const std::uint32_t leaves = 4 + random(24);
    distance_matrix f;
    f.size = leaves;
    f.values.resize(std::size_t{leaves} * leaves);
    for (std::uint32_t a = 0; a < leaves; ++a)
      for (std::uint32_t b = 0; b < a; ++b)
        f.values[a * leaves + b] = f.values[b * leaves + a] = static_cast<float>(8 + random(9));
    // Distances by node, all in fractions of powers of two, so that nothing is rounded.
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> d;
    std::vector<std::uint32_t> left;
    for (std::uint32_t a = 0; a < leaves; ++a) {
      left.push_back(a);
      for (std::uint32_t b = 0; b < leaves; ++b) d[{a, b}] = static_cast<double>(f(a, b));
    }
    const tree t = neighbour_joining(f);
    for (std::uint32_t joined = 0; left.size() > 3; ++joined) {
      std::size_t x = 0, y = 0;
      double least = 1e300;
      for (std::size_t i = 0; i < left.size(); ++i)
        for (std::size_t k = i + 1; k < left.size(); ++k) {
          double q = static_cast<double>(left.size() - 2) * d[{left[i], left[k]}];
          for (const std::uint32_t m : left) q -= d[{left[i], m}] + d[{left[k], m}];
          if (q < least) {
            least = q;
            x = i;
            y = k;
          }
        }
      REQUIRE(t.inner[joined].size() == 2);
      CHECK(t.inner[joined][0].node == left[x]);
      CHECK(t.inner[joined][1].node == left[y]);
      CHECK(t.inner[joined][0].length + t.inner[joined][1].length == d[{left[x], left[y]}]);
      const std::uint32_t made = leaves + joined;
      for (const std::uint32_t m : left) {
        const double v = (d[{left[x], m}] + d[{left[y], m}] - d[{left[x], left[y]}]) / 2;
        d[{made, m}] = d[{m, made}] = v;
      }
      d[{made, made}] = 0;
      left[x] = made;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(y));
    }
    for (std::size_t k = 0; k < 3; ++k) CHECK(t.inner.back()[k].node == left[k]);
  }
}

TEST_CASE("genome_tools/tree: names in Newick", "[genome_tools]") {
  const std::vector<std::string> names = {"plain.1", "it's", "a b", "x_y", "", "(1,2):3;", "n\nl"};
  tree t;
  t.leaves = static_cast<std::uint32_t>(names.size());
  t.inner.emplace_back();
  for (std::uint32_t i = 0; i < t.leaves; ++i) t.inner[0].push_back({i, i / 8.0});
  const tessera::text text = newick(t, names);
  CHECK(text ==
        "(plain.1:0.0,'it''s':0.125,'a b':0.25,'x_y':0.375,'':0.5,'(1,2):3;':0.625,"
        "'n\\nl':0.75);\n");
  const parsed again(text.view());
  REQUIRE(again.good);
  for (std::size_t i = 0; i + 1 < names.size(); ++i) CHECK(again.find(names[i]) >= 0);
}

TEST_CASE("genome_tools/tree: progress", "[genome_tools]") {
  distance_matrix d;
  d.size = 64;
  d.values.assign(64 * 64, 0);
  std::uint64_t last = 0, all = 1;
  bool ascending = true;
  (void)neighbour_joining(d, [&](std::uint64_t done, std::uint64_t total) {
    ascending = ascending && done > last && done <= total;
    last = done;
    all = total;
  });
  CHECK(ascending);
  CHECK(last == all);
}

TEST_CASE("genome_tools/tree: samples", "[genome_tools]") {
  CHECK(sample(3, 5, 1) == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(sample(3, 3, 1) == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(sample(3, 0, 1).empty());
  CHECK(sample(0, 3, 1).empty());
  const std::vector<std::uint32_t> one = sample(10000, 2000, 7);
  REQUIRE(one.size() == 2000);
  for (std::size_t i = 1; i < one.size(); ++i) REQUIRE(one[i - 1] < one[i]);
  CHECK(one.back() < 10000);
  CHECK(sample(10000, 2000, 7) == one);
  CHECK(sample(10000, 2000, 8) != one);
  std::uint32_t times[8] = {};
  for (std::uint64_t seed = 0; seed < 4000; ++seed)
    for (const std::uint32_t i : sample(8, 2, seed)) ++times[i];
  for (const std::uint32_t n : times) {
    CHECK(n > 900);  // 1000 on average; the deviation is 27
    CHECK(n < 1100);
  }
}
