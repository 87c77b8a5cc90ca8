// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <map>
#include <set>

#include "graphs.hpp"
#include "lossy_compress.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"

using namespace tessera;
using graphs::library_of;
using graphs::numbers;
using graphs::row;
using graphs::stream_of;
using graphs::text_of;

namespace {

const row input{2, 1, 0, {}};

std::string shown(const std::vector<row>& rows) {
  const genome::stream s = stream_of(rows);
  return text_of(s);
}
genome::program program_of(const genome::library& l, genome::stream s) {
  auto p = genome::verify(std::move(s), l);
  CAPTURE(p.error());
  REQUIRE(p);
  return *std::move(p);
}
/// Compressed, after the laws: it verifies and expands to what it was, and again to the same.
std::string compressed(const genome::library& l, const std::vector<row>& rows,
                       const genome::expand_options& how = {}) {
  const genome::program flat = program_of(l, stream_of(rows));
  auto s = genome::compress(flat, how);
  REQUIRE(s);
  const std::string out = text_of(*s);
  const genome::program p = program_of(l, *std::move(s));
  auto again = genome::expand(p, how);
  REQUIRE(again);
  CHECK(text_of(*again) == shown(rows));
  auto twice = genome::compress(program_of(l, *std::move(again)), how);
  REQUIRE(twice);
  CHECK(text_of(*twice) == out);
  return out;
}

/// Operation 20 of the node before, then 21 of that and the one before it.
const std::vector<row> pair = {{20, 1, 0, {-1}}, {21, 1, 0, {-1, -2}}};

// ---- a compressor that compares everything with everything

struct node_text {
  row node;
  std::vector<long> to;  // what it takes
  std::vector<long> block;
  bool canonical = true;
};
/// A flat graph without runs, taken apart.
std::vector<node_text> apart(const genome::stream_view& g) {
  std::vector<node_text> out(g.size());
  std::vector<graphs::flat_node> nodes(g.size());
  const std::vector<row> rows = graphs::rows_of(g);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    nodes[i].node = rows[i];
    if (rows[i].a == 8) nodes[i].node.d.resize(2);
  }
  graphs::naive_blocks(nodes, 0, nodes.size(), {});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out[i].block = nodes[i].block;
    out[i].node = rows[i];
    if (rows[i].a == 7) continue;
    for (std::size_t k = rows[i].a == 8 ? 2 : 0; k < rows[i].d.size(); ++k) {
      int& d = out[i].node.d[k];
      const long to = d < 0 ? static_cast<long>(i) + d : d;
      const std::vector<long>& block = nodes[static_cast<std::size_t>(to)].block;
      const bool same = !nodes[i].block.empty() && block == nodes[i].block;
      out[i].canonical = out[i].canonical && same == (d < 0);
      out[i].to.push_back(to);
      d = static_cast<int>(to - static_cast<long>(i));
    }
  }
  return out;
}
bool equal(const row& x, const row& y) {
  return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
}

/// compress() of a graph whose runs are COPYs already.
genome::stream naive_compress(const genome::library& l, const genome::stream_view& g) {
  const std::vector<node_text> nodes = apart(g);
  const long size = static_cast<long>(nodes.size());
  const auto at = [&](long i) -> const node_text& { return nodes[static_cast<std::size_t>(i)]; };
  struct match {
    long first, size, result;
    std::uint32_t id;
  };
  std::vector<std::vector<graphs::flat_node>> texts;
  for (std::uint32_t p = 0; p < l.registry().patterns.size(); ++p)
    texts.push_back(graphs::naive_pattern(l, p));
  const auto id_of = [&](std::size_t p) { return l.registry().patterns[p].id; };
  const auto fits = [&](long i, const std::vector<graphs::flat_node>& text) {
    bool fit = i + static_cast<long>(text.size()) <= size;
    for (std::size_t j = 0; j < text.size() && fit; ++j) {
      row r = text[j].node;
      for (const long d : text[j].refs) r.d.push_back(static_cast<int>(d));
      const node_text& n = at(i + static_cast<long>(j));
      const std::vector<long>& outer = at(i).block;
      fit = n.canonical && equal(r, n.node) && n.block.size() >= outer.size() &&
            std::equal(outer.begin(), outer.end(), n.block.begin());
    }
    return fit;
  };
  std::map<long, std::uint32_t> singles;  // patterns of one node
  for (long i = 0; i < size; ++i)
    for (std::size_t p = texts.size(); p-- != 0;)
      if (texts[p].size() == 1 && fits(i, texts[p])) singles[i] = id_of(p);
  std::vector<match> matches;
  for (long i = 0; i < size;) {
    match best{i, 0, 0, 0};
    for (std::uint32_t p = 0; p < l.registry().patterns.size(); ++p) {
      const std::vector<graphs::flat_node>& text = texts[p];
      const long count = static_cast<long>(text.size());
      if (count <= best.size || count == 1) continue;
      if (fits(i, text)) best = {i, count, i + graphs::naive_result(text), id_of(p)};
    }
    if (best.size != 0) matches.push_back(best);
    i += best.size != 0 ? best.size : 1;
  }
  // Drop one that can't be until none is left.
  for (bool changed = true; changed;) {
    changed = false;
    std::map<long, const match*> owner;
    for (const match& m : matches)
      for (long i = m.first; i < m.first + m.size; ++i) owner[i] = &m;
    std::set<long> wrong;
    for (long i = 0; i < size; ++i)
      for (const long to : at(i).to)
        if (owner.count(i) == 0 && singles.count(i) == 0 && owner.count(to) != 0 &&
            owner[to]->result != to)
          wrong.insert(owner[to]->first);
    for (const match& m : matches) {
      std::set<long> taken;
      for (long i = m.first; i < m.first + m.size; ++i)
        for (const long to : at(i).to)
          if (to < m.first) taken.insert(to);
      if (taken.size() > 255) wrong.insert(m.first);
    }
    changed = !wrong.empty();
    matches.erase(std::remove_if(matches.begin(), matches.end(),
                                 [&](const match& m) { return wrong.count(m.first) != 0; }),
                  matches.end());
  }
  std::set<long> inner, covered;
  for (const match& m : matches)
    for (long i = m.first; i < m.first + m.size; ++i) {
      covered.insert(i);
      if (i != m.result) inner.insert(i);
    }
  for (const auto& [i, single] : singles)
    if (covered.count(i) == 0 && std::any_of(at(i).to.begin(), at(i).to.end(),
                                             [&](long to) { return inner.count(to) != 0; }))
      matches.push_back({i, 1, i, single});
  std::map<long, match> starts;
  std::map<long, int> ids;
  int id = 0;
  for (const match& m : matches) starts[m.first] = m;
  for (long i = 0; i < size; ++id) {
    const long end = i + (starts.count(i) != 0 ? starts[i].size : 1);
    for (; i < end; ++i) ids[i] = id;
  }
  ids[size] = id;
  const std::vector<row> rows = graphs::rows_of(g);
  std::vector<row> out;
  for (long i = 0; i < size;) {
    const node_text& n = at(i);
    const auto entry = [&](long to) {
      const bool same = !n.block.empty() && at(to).block == n.block;
      return ids[to] - (same ? ids[i] : 0);
    };
    if (starts.count(i) != 0) {
      const match m = starts[i];
      std::map<int, int> taken;
      for (; i < m.first + m.size; ++i)
        for (const long to : at(i).to)
          if (to < m.first) taken[ids[to]] = static_cast<int>(to);
      row macro{6, static_cast<int>(m.id & 0xff), static_cast<int>(m.id & 0xff00), {}};
      const long first = i;
      i = m.first;
      for (const auto& [new_id, to] : taken) macro.d.push_back(entry(to));
      i = first;
      out.push_back(macro);
      continue;
    }
    row r = rows[static_cast<std::size_t>(i)];
    std::size_t k = r.a == 8 ? 2 : r.d.size();
    if (r.a == 8) {
      const long middle = i + 1 + r.d[0], end = middle + r.d[1];
      r.d[0] = ids[middle] - ids[i + 1];
      r.d[1] = ids[end] - ids[middle];
    } else if (r.a != 7) {
      k = 0;
    }
    for (const long to : n.to) {
      r.d[k] = ids[to] - (r.d[k] < 0 ? ids[i] : 0);
      ++k;
    }
    out.push_back(r);
    ++i;
  }
  return stream_of(out);
}

/// Patterns cut out of a graph, earlier ones inside of them.
std::vector<graphs::pattern_rows> cut(const genome::stream_view& g, numbers& any, int count) {
  const std::vector<node_text> nodes = apart(g);
  std::vector<graphs::pattern_rows> out;
  std::vector<std::vector<row>> texts;
  while (count-- > 0) {
    const std::size_t first = static_cast<std::size_t>(any.below(static_cast<int>(nodes.size())));
    std::size_t end = first;
    const auto same_block = [&](std::size_t i) {
      return i < nodes.size() && nodes[i].block == nodes[first].block;
    };
    bool fits = true;
    for (int k = 1 + any.below(9); k > 0 && same_block(end); --k) {
      const row& n = nodes[end].node;
      fits = fits && n.a != 2 && n.a != 4 && nodes[end].canonical;
      end += 1 + (n.a == 8 ? static_cast<std::size_t>(n.d[0] + n.d[1]) : 0);
    }
    if (!fits || nodes[first].node.a == 7) continue;
    std::vector<row> rows, text;
    std::vector<int> ids;
    for (std::size_t i = first; i < end; ++i) text.push_back(nodes[i].node);
    for (std::size_t i = first; i < end;) {
      std::size_t inside = texts.size();
      if (any.one_in(2))
        for (std::size_t t = 0; t < texts.size() && inside == texts.size(); ++t) {
          bool there = i + texts[t].size() <= end;
          for (std::size_t j = 0; j < texts[t].size() && there; ++j)
            there = equal(texts[t][j], nodes[i + j].node) &&
                    nodes[i + j].block.size() >= nodes[i].block.size() &&
                    std::equal(nodes[i].block.begin(), nodes[i].block.end(),
                               nodes[i + j].block.begin());
          if (there) inside = t;
        }
      const std::size_t length = inside < texts.size() ? texts[inside].size() : 1;
      const int id = static_cast<int>(rows.size());
      for (std::size_t j = 0; j < length; ++j) ids.push_back(id);
      if (inside < texts.size())
        rows.push_back({6, static_cast<int>(out[inside].first), 0, {}});
      else
        rows.push_back(nodes[i].node);
      i += length;
    }
    ids.push_back(static_cast<int>(rows.size()));
    for (std::size_t i = first; i < end; ++i) {
      row& r = rows[static_cast<std::size_t>(ids[i - first])];
      if (r.a != 8) continue;
      const std::size_t at = i - first,
                        middle = at + 1 + static_cast<std::size_t>(nodes[i].node.d[0]);
      const std::size_t last = middle + static_cast<std::size_t>(nodes[i].node.d[1]);
      r.d[0] = ids[middle] - ids[at + 1];
      r.d[1] = ids[last] - ids[middle];
    }
    out.emplace_back(10 + out.size(), rows);
    texts.push_back(text);
  }
  return out;
}

}  // namespace

TEST_CASE("genome/compress: runs become copies", "[genome]") {
  const genome::library l = library_of({});
  const row p{5, 1, 10, {}};
  // 4 inputs of which the first is used; 2 parameters are too few; the third of 5 is used.
  CHECK(compressed(l, {input,
                       input,
                       input,
                       input,
                       p,
                       p,
                       {5, 1, 11, {}},
                       {5, 1, 12, {}},
                       p,
                       p,
                       p,
                       p,
                       p,
                       {20, 1, 0, {0, 10}},
                       {4, 1, 0, {13}}}) == shown({{7, 2, 4, {1, 0}},
                                                   p,
                                                   p,
                                                   {5, 1, 11, {}},
                                                   {5, 1, 12, {}},
                                                   p,
                                                   p,
                                                   {7, 5, 3, {1, 10}},
                                                   {20, 1, 0, {0, 7}},
                                                   {4, 1, 0, {8}}}));
  CHECK(compressed(l, {input, input, input}, {.copies = false}) == shown({input, input, input}));
  // Outputs and padding aren't copied.
  const std::vector<row> others = {{4, 1, 0, {}}, {4, 1, 0, {}}, {4, 1, 0, {}},
                                   {1, 1, 0, {}}, {1, 1, 0, {}}, {1, 1, 0, {}}};
  CHECK(compressed(l, others) == shown(others));
  // Operations without inputs are; the last of a block, which is its value, isn't.
  const row any{20, 1, -11, {}};
  CHECK(compressed(l, {input, {8, 1, 0, {5, 1, 0}}, any, any, any, any, any, p}) ==
        shown({input, {8, 1, 0, {2, 1, 0}}, {7, 20, 4, {1, -11}}, any, p}));
}

TEST_CASE("genome/compress: a COPY has 32767 nodes at most", "[genome]") {
  const genome::library l = library_of({});
  const row p{5, 1, 10, {}};
  const auto run = [&](std::size_t count) { return compressed(l, std::vector<row>(count, p)); };
  CHECK(run(32767) == shown({{7, 5, 32767, {1, 10}}}));
  CHECK(run(32768) == shown({{7, 5, 32767, {1, 10}}, p}));
  CHECK(run(32770) == shown({{7, 5, 32767, {1, 10}}, {7, 5, 3, {1, 10}}}));
}

TEST_CASE("genome/compress: macros", "[genome]") {
  // Pattern 12 of 256 × 1 + 12: both bytes of the id.
  const genome::library l = library_of({{268, pair}});
  CHECK(compressed(l, {input,
                       {5, 1, 10, {}},
                       {20, 1, 0, {1}},
                       {21, 1, 0, {2, 1}},
                       {20, 1, 0, {3}},
                       {21, 1, 0, {4, 3}},
                       {4, 1, 0, {5}}}) ==
        shown({input, {5, 1, 10, {}}, {6, 12, 256, {1}}, {6, 12, 256, {2}}, {4, 1, 0, {3}}}));
  // Others take what isn't the result: no macro, and so none before it either, which it takes from.
  CHECK(compressed(l, {input,
                       {20, 1, 0, {0}},
                       {21, 1, 0, {1, 0}},
                       {20, 1, 0, {2}},
                       {21, 1, 0, {3, 2}},
                       {4, 1, 0, {3}}}) ==
        shown({input, {6, 12, 256, {0}}, {20, 1, 0, {1}}, {21, 1, 0, {2, 1}}, {4, 1, 0, {2}}}));
  // With another result, that is what others may take.
  const genome::pattern_result first[] = {{268, 0}};
  CHECK(compressed(l, {input, {20, 1, 0, {0}}, {21, 1, 0, {1, 0}}, {4, 1, 0, {1}}},
                   {.results = {first, 1}}) == shown({input, {6, 12, 256, {0}}, {4, 1, 0, {1}}}));
  const genome::pattern_result wrong[] = {{268, 2}};
  const auto s = genome::compress(program_of(l, stream_of({input})), {.results = {wrong, 1}});
  CHECK(s.error() == error{errc::genome_pattern_result, 0});
}

TEST_CASE("genome/compress: dropping one match may drop others", "[genome]") {
  // 10 is taken apart by the OUTPUT; its nodes then take the middle of 11.
  const genome::library l = library_of(
      {{10, {{20, 1, 0, {-2}}, {20, 1, 0, {-1}}}}, {11, {{22, 1, 0, {-1}}, {23, 1, 0, {-1}}}}});
  const std::vector<row> rows = {input,           {22, 1, 0, {0}}, {23, 1, 0, {1}},
                                 {20, 1, 0, {1}}, {20, 1, 0, {3}}, {4, 1, 0, {3}}};
  CHECK(compressed(l, rows) == shown(rows));
  std::vector<row> fits = rows;
  fits[5].d[0] = 4;
  CHECK(compressed(l, fits) == shown({input, {6, 11, 0, {0}}, {6, 10, 0, {1}}, {4, 1, 0, {2}}}));
}

TEST_CASE("genome/compress: the longest pattern, then the first", "[genome]") {
  const row a{20, 1, 0, {-1}};
  const genome::library l = library_of(
      {{10, {a}}, {12, {a, a, a}}, {13, {{6, 12, 0, {}}}}, {11, {a, a, a}}, {14, {a, a, a, a, a}}});
  std::vector<row> rows = {input};
  for (int i = 0; i < 9; ++i) rows.push_back({20, 1, 0, {i}});
  CHECK(compressed(l, rows) == shown({input, {6, 14, 0, {0}}, {6, 12, 0, {1}}, {20, 1, 0, {2}}}));
}

TEST_CASE("genome/compress: a match lies in one block", "[genome]") {
  const row a{20, 1, 0, {-1}};
  const genome::library l = library_of(
      {{10, {a, a, a, a}},
       {11, {a, a}},
       {12, {a, {8, 1, 0, {1, 1, -1}}, {5, 1, 10, {}}, {5, 1, 10, {}}, {6, 11, 0, {}}}}});
  // Three in the first block, and three after the second.
  CHECK(compressed(l, {input,
                       {8, 1, 0, {4, 1, 0}},
                       {5, 1, 10, {}},
                       a,
                       a,
                       a,
                       {5, 1, 10, {}},
                       {21, 1, 0, {1}},
                       {20, 1, 0, {7}},
                       {20, 1, 0, {8}},
                       {20, 1, 0, {9}},
                       {20, 1, 0, {10}}}) == shown({input,
                                                    {8, 1, 0, {3, 1, 0}},
                                                    {5, 1, 10, {}},
                                                    {6, 11, 0, {-1}},
                                                    a,
                                                    {5, 1, 10, {}},
                                                    {21, 1, 0, {1}},
                                                    {6, 10, 0, {6}}}));
  // Ids instead of offsets stay, and match nothing.
  const std::vector<row> ids = {input,           {8, 1, 0, {3, 1, 0}}, {5, 1, 10, {}},
                                {20, 1, 0, {2}}, {20, 1, 0, {3}},      {5, 1, 10, {}}};
  CHECK(compressed(l, ids) == shown(ids));
}

TEST_CASE("genome/compress: inputs of blocks are no pattern's", "[genome]") {
  const row copy{7, 2, 3, {1, 0}}, a{20, 1, 0, {-1}};
  const genome::library l = library_of({{10, {copy, a}}});
  CHECK(compressed(l, {input, input, input, {20, 1, 0, {0}}}) == shown({{6, 10, 0, {}}}));
  CHECK(compressed(l, {input,
                       {8, 1, 0, {4, 1, 0, 0, 0, 0}},
                       input,
                       input,
                       input,
                       {20, 1, 0, {-3}},
                       {5, 1, 10, {}}}) ==
        shown({input, {8, 1, 0, {2, 1, 0, 0, 0, 0}}, copy, a, {5, 1, 10, {}}}));
}

TEST_CASE("genome/compress: the longest that a block has room for", "[genome]") {
  // A pattern of each number of nodes, and a block of each number of nodes, which go on after it.
  const row any{20, 1, 0, {}}, p{5, 1, 10, {}};
  std::vector<graphs::pattern_rows> patterns;
  for (std::uint32_t k = 1; k <= 40; ++k) patterns.emplace_back(10 + k, std::vector<row>(k, any));
  const genome::library l = library_of(patterns);
  for (int k = 1; k <= 40; ++k) {
    std::vector<row> rows = {input, {8, 1, 0, {1, k, 0}}, p};
    rows.insert(rows.end(), static_cast<std::size_t>(k) + 44, any);
    const row one = k == 1 ? any : row{6, 10 + k, 0, {}};
    CHECK(compressed(l, rows, {.copies = false}) ==
          shown({input, {8, 1, 0, {1, 1, 0}}, p, one, {6, 50, 0, {}}, {6, 14, 0, {}}}));
  }
}

TEST_CASE("genome/compress: blocks inside of patterns", "[genome]") {
  const genome::library l = library_of(
      {{10, {{20, 1, 0, {-1}}, {8, 1, 0, {1, 1, -1, -2}}, {21, 1, 0, {-3}}, {6, 11, 0, {}}}},
       {11, {{22, 1, 0, {-4}}, {22, 1, 0, {-1}}}}});
  std::vector<row> rows = {input,           {20, 1, 0, {0}}, {8, 1, 0, {1, 2, 1, 0}},
                           {21, 1, 0, {0}}, {22, 1, 0, {0}}, {22, 1, 0, {-1}},
                           {4, 1, 0, {2}}};
  CHECK(compressed(l, rows) == shown({input, {6, 10, 0, {0}}, {4, 1, 0, {1}}}));
  rows[2].d = {2, 1, 1, 0};  // other lengths: another IF
  rows[5].d = {0};
  CHECK(compressed(l, rows) == shown(rows));
}

TEST_CASE("genome/compress: the last of a block is its value", "[genome]") {
  const genome::library l = library_of({{10, pair}});
  const genome::pattern_result first[] = {{10, 0}};
  const std::vector<row> rows = {
      input,         {8, 1, 0, {3, 1, 0}}, {5, 1, 10, {}}, {20, 1, 0, {-1}}, {21, 1, 0, {-1, -2}},
      {5, 1, 11, {}}};
  CHECK(compressed(l, rows) ==
        shown({input, {8, 1, 0, {2, 1, 0}}, {5, 1, 10, {}}, {6, 10, 0, {-1}}, {5, 1, 11, {}}}));
  CHECK(compressed(l, rows, {.results = {first, 1}}) == shown(rows));
}

TEST_CASE("genome/compress: a macro takes 255 nodes at most", "[genome]") {
  for (const int count : {255, 256}) {
    std::vector<row> pattern, rows;
    for (int i = 0; i < count; ++i) rows.push_back({5, 1, 10 + i % 2, {}});
    for (int i = 0; i < count; i += 2) {
      const int self = static_cast<int>(rows.size()), other = i + 1 < count ? i + 1 : i;
      rows.push_back({20, 1, 0, {i, other}});
      pattern.push_back({20, 1, 0, {i - self, other - self}});
    }
    const genome::library l = library_of({{10, pattern}});
    const std::string out = compressed(l, rows);
    if (count == 256) {
      CHECK(out == shown(rows));
      continue;
    }
    rows.resize(255);
    row macro{6, 10, 0, {}};
    for (int i = 0; i < count; ++i) macro.d.push_back(i);
    rows.push_back(macro);
    CHECK(out == shown(rows));
  }
}

TEST_CASE("genome/compress: what has patterns is expanded first", "[genome]") {
  const genome::library l = library_of({{10, pair}, {11, {{6, 10, 0, {}}, {6, 10, 0, {}}}}});
  const auto s = genome::compress(program_of(
      l, stream_of({input, {6, 10, 0, {0}}, {6, 10, 0, {1}}, {7, 5, 2, {1, 10}}, {4, 1, 0, {2}}})));
  REQUIRE(s);
  CHECK(text_of(*s) == shown({input, {6, 11, 0, {0}}, {7, 5, 2, {1, 10}}, {4, 1, 0, {1}}}));
  const auto e = genome::compress(program_of(l, stream_of({input, {6, 11, 0, {0}}})),
                                  {.limit = {.max_items = 4}});
  CHECK(e.error() == error{errc::genome_expansion_size, 5});
}

TEST_CASE("genome/compress: patterns are prepared once for many graphs", "[genome]") {
  const genome::library l = library_of({{10, pair},
                                        {11, {{6, 10, 0, {}}, {6, 10, 0, {}}}},
                                        {12, {{22, 1, 0, {-1}}, {22, 1, 0, {-1}}}}});
  const genome::compressor many(l);
  const std::vector<std::vector<row>> graphs = {
      {input, {20, 1, 0, {0}}, {21, 1, 0, {0, 1}}},
      {input, {20, 1, 0, {0}}, {21, 1, 0, {1, 0}}, {20, 1, 0, {2}}, {21, 1, 0, {3, 2}}},
      {input},
      {input, {22, 1, 0, {0}}, {22, 1, 0, {1}}, {20, 1, 0, {2}}, {21, 1, 0, {3, 2}}}};
  const std::vector<std::vector<row>> expected = {
      graphs[0], {input, {6, 11, 0, {0}}}, {input}, {input, {6, 12, 0, {0}}, {6, 10, 0, {1}}}};
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const auto s = many.run(program_of(l, stream_of(graphs[i])));
      REQUIRE(s);
      CHECK(text_of(*s) == shown(expected[i]));
    }
  const genome::pattern_result wrong[] = {{10, 2}};
  const genome::compressor none(l, {.results = {wrong, 1}});
  CHECK(none.run(program_of(l, stream_of({input}))).error() ==
        error{errc::genome_pattern_result, 0});
}

TEST_CASE("genome/compress: patterns too large to be written out don't matter", "[genome]") {
  // 2000 patterns of 2000 to 4000 nodes that all fit the graph, then 26 of up to 2^26 nodes.
  genome::registry r = graphs::names();
  const row a{20, 1, 0, {-1}};
  const auto call = [](int i) { return row{6, i & 0xff, i & 0xff00, {}}; };
  graphs::add_pattern(r, 10, std::vector<row>(2000, a));
  for (int i = 11; i < 2011; ++i)
    graphs::add_pattern(r, static_cast<std::uint32_t>(i), {call(i - 1), a});
  graphs::add_pattern(r, 3000, {a});
  for (int i = 3001; i <= 3026; ++i)
    graphs::add_pattern(r, static_cast<std::uint32_t>(i), {call(i - 1), call(i - 1)});
  const genome::library l = *genome::verify(std::move(r));
  std::vector<row> rows = {input};
  for (int i = 0; i < 4100; ++i) rows.push_back({20, 1, 0, {i}});
  const genome::program p = program_of(l, stream_of(rows));
  const tessera_tests::allocations used;
  const auto s = genome::compress(p);
  // Patterns that are no longer than the graph have 2000 + 2 × 2000 + 2 × 12 nodes here.
  CHECK(used.peak() <= 1500 * (rows.size() + 6100) + (5 << 20));
  REQUIRE(s);
  CHECK(s->size() < 20);
  const auto flat = genome::expand(program_of(l, *s));
  REQUIRE(flat);
  CHECK(text_of(*flat) == shown(rows));
}

TEST_CASE("genome/compress: as a rule memory is 200 bytes a node", "[genome]") {
  const genome::library l = library_of({{10, pair}, {11, {{6, 10, 0, {}}, {6, 10, 0, {}}}}});
  std::vector<row> rows = {input, input};
  for (int i = 1; i < 10000; ++i) rows.push_back({20 + i % 2, 1, 0, {i, i - i % 2}});
  for (row& r : rows)
    if (r.a == 20) r.d.pop_back();
  const genome::program p = program_of(l, stream_of(rows));
  const std::uint64_t inputs = p.stream().inputs.size();
  const tessera_tests::allocations used;
  const auto s = genome::compress(p);
  REQUIRE(s);
  CHECK(used.peak() <= 200 * (rows.size() + 4) + 12 * inputs + 4096);
  CHECK(s->size() < rows.size() / 2);
}

TEST_CASE("genome/compress: random graphs in patterns of their own", "[genome]") {
  std::size_t macros = 0, before = 0, after = 0, nested = 0, with_blocks = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    numbers any(seed);
    const genome::stream flat = graphs::graph_maker(seed).make(60 + any.below(100));
    const genome::library none = library_of({});
    auto runs = genome::compress(program_of(none, flat));
    REQUIRE(runs);
    const auto patterns = cut(*runs, any, 4 + any.below(12));
    for (const auto& [id, rows] : patterns)
      for (const row& n : rows) {
        nested += n.a == 6;
        with_blocks += n.a == 8;
      }
    genome::registry r = graphs::names();
    for (const auto& [id, rows] : patterns) graphs::add_pattern(r, id, rows);
    auto l = genome::verify(std::move(r));
    CAPTURE(seed, text_of(flat), l.error());
    REQUIRE(l);
    const std::string out = compressed(*l, graphs::rows_of(flat));
    CHECK(out == [&] {
      const genome::stream s = naive_compress(*l, *runs);
      return text_of(s);
    }());
    before += static_cast<std::size_t>(runs->size());
    for (const char c : out) after += c == '\n';
    for (std::size_t i = out.find("(6 "); i != std::string::npos; i = out.find("(6 ", i + 1))
      ++macros;
  }
  CHECK(macros > 150);
  CHECK(after < before);
  CHECK(nested > 40);
  CHECK(with_blocks > 10);
}

TEST_CASE("genome/compress: a pattern of one node is for inner results only", "[genome]") {
  const genome::library l = library_of({{10, pair}, {11, {{22, 1, 0, {-2}}}}});
  // The first 22 takes the first node of the pair, the second its result, the third an input.
  CHECK(compressed(l, {input,
                       {20, 1, 0, {0}},
                       {21, 1, 0, {1, 0}},
                       {22, 1, 0, {1}},
                       {22, 1, 0, {2}},
                       {22, 1, 0, {3}}}) ==
        shown({input, {6, 10, 0, {0}}, {6, 11, 0, {1}}, {22, 1, 0, {1}}, {22, 1, 0, {2}}}));
  // Where one of several has no pattern, they stay plain.
  const std::vector<row> rows = {
      input, {20, 1, 0, {0}}, {21, 1, 0, {1, 0}}, {22, 1, 0, {1}}, {23, 1, 0, {1}}};
  CHECK(compressed(l, rows) == shown(rows));
  // In a wrapper, in a block, and with another result.
  const genome::library wrapped =
      library_of({{10, pair}, {12, {{6, 11, 0, {}}}}, {11, {{22, 1, 0, {-2}}}}});
  CHECK(compressed(wrapped, {{5, 1, 10, {}},
                             {8, 1, 0, {4, 1, 0}},
                             {5, 1, 10, {}},
                             {20, 1, 0, {-1}},
                             {21, 1, 0, {-1, -2}},
                             {22, 1, 0, {-2}},
                             {5, 1, 10, {}}}) == shown({{5, 1, 10, {}},
                                                        {8, 1, 0, {3, 1, 0}},
                                                        {5, 1, 10, {}},
                                                        {6, 10, 0, {-1}},
                                                        {6, 12, 0, {-1}},
                                                        {5, 1, 10, {}}}));
  const genome::pattern_result first[] = {{10, 0}};
  CHECK(compressed(l, {input, {20, 1, 0, {0}}, {21, 1, 0, {1, 0}}, {22, 1, 0, {1}}},
                   {.results = {first, 1}}) == shown({input, {6, 10, 0, {0}}, {22, 1, 0, {1}}}));
}

TEST_CASE("genome/compress: which patterns of one node are missing", "[genome]") {
  const genome::library l = library_of({{10, pair}, {11, {{24, 1, 0, {-1}}, {25, 1, 0, {-1}}}}});
  const genome::compressor many(l);
  const auto missing = [&](const std::vector<row>& rows) {
    auto m = many.missing(program_of(l, stream_of(rows)));
    REQUIRE(m);
    std::string out = text_of(m->nodes);
    for (const std::uint64_t bytes : m->saved) out += std::to_string(bytes) + ' ';
    return out;
  };
  const std::vector<row> start = {
      input, {20, 1, 0, {0}}, {21, 1, 0, {1, 0}}, {24, 1, 0, {2}}, {25, 1, 0, {3}}};
  const auto with = [&](std::vector<row> more) {
    more.insert(more.begin(), start.begin(), start.end());
    return more;
  };
  CHECK(missing(start) == "");
  CHECK(missing(with({{22, 1, 0, {2}}, {22, 1, 0, {4}}})) == "");
  // 5 + 2 and 5 + 4 bytes, less 5 + 2 of a macro.
  CHECK(missing(with({{22, 1, 0, {1}}})) == shown({{22, 1, 0, {-4}}}) + "9 ");
  // Both matches, the first of them once; then the second, 7 + 7 - 7.
  CHECK(missing(with({{22, 1, 10, {1, 3, 0}}, {23, 1, 0, {3, 4}}})) ==
        shown({{22, 1, 10, {-4, -2, -5}}, {23, 1, 0, {-3, -2}}}) + "16 7 ");
  // An OUTPUT can't be in a pattern, so nothing would help.
  CHECK(missing(with({{22, 1, 0, {1}}, {4, 1, 0, {1}}})) == "");
  const genome::pattern_result wrong[] = {{10, 2}};
  const auto failed = genome::compressor(l, {.results = {wrong, 1}});
  CHECK(failed.missing(program_of(l, stream_of({input}))).error() ==
        error{errc::genome_pattern_result, 0});
}

TEST_CASE("genome/compress: a missing pattern reaches 32768 nodes back", "[genome]") {
  const genome::library l = library_of({{10, pair}});
  const genome::compressor many(l, {.copies = false});
  for (const std::size_t distance : {32768u, 32769u}) {
    std::vector<row> rows = {input, {20, 1, 0, {0}}, {21, 1, 0, {1, 0}}};
    rows.resize(distance + 1, {5, 1, 10, {}});
    rows.push_back({22, 1, 0, {1}});
    const auto missing = many.missing(program_of(l, stream_of(rows)));
    REQUIRE(missing);
    CHECK(missing->nodes.size() == (distance == 32768 ? 1 : 0));
  }
}

TEST_CASE("genome/compress: random graphs with the patterns of one node that they lack",
          "[genome]") {
  std::size_t without = 0, with = 0, added = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    numbers any(seed + 1000);
    const genome::stream flat = graphs::graph_maker(seed).make(60 + any.below(100));
    auto runs = genome::compress(program_of(library_of({}), flat));
    REQUIRE(runs);
    genome::registry r = graphs::names();
    for (const auto& [id, rows] : cut(*runs, any, 4 + any.below(12)))
      graphs::add_pattern(r, id, rows);
    const auto macros = [](const std::string& s) {
      std::size_t count = 0;
      for (std::size_t i = s.find("(6 "); i != std::string::npos; i = s.find("(6 ", i + 1)) ++count;
      return count;
    };
    auto l = genome::verify(genome::registry(r));
    CAPTURE(seed, text_of(flat), l.error());
    REQUIRE(l);
    without += macros(compressed(*l, graphs::rows_of(flat)));
    const auto missing = genome::compressor(*l).missing(program_of(*l, flat));
    REQUIRE(missing);
    std::uint32_t id = 100;
    for (const row& n : graphs::rows_of(missing->nodes)) graphs::add_pattern(r, id++, {n});
    added += missing->nodes.size();
    auto grown = genome::verify(std::move(r));
    REQUIRE(grown);
    const std::string out = compressed(*grown, graphs::rows_of(flat));
    CHECK(out == [&] {
      const genome::stream s = naive_compress(*grown, *runs);
      return text_of(s);
    }());
    const std::size_t now = macros(out);
    CHECK(now >= missing->nodes.size());
    with += now - missing->nodes.size();
    const auto again = genome::compressor(*grown).missing(program_of(*grown, flat));
    REQUIRE(again);
    CHECK(again->nodes.size() == 0);
  }
  CHECK(added > 20);
  CHECK(with > without);
}

TEST_CASE("genome/compress: the lossy compressor that others are measured by", "[genome]") {
  const genome::library l = library_of({{10, pair}, {11, {{20, 1, 0, {-1}}, {20, 1, 0, {-1}}}}});
  graphs::lossy_compressor lossy(l);
  const auto of = [&](const std::vector<row>& rows) {
    const genome::stream flat = stream_of(rows);
    const graphs::lossy out = lossy.run(flat);
    CHECK(rows.size() == out.rows.size() + out.saved);
    return std::pair(out.macros, shown(out.rows));
  };
  const auto nodes_of = [&](const std::vector<row>& rows) {
    const auto s = genome::compress(program_of(l, stream_of(rows)));
    REQUIRE(s);
    return s->size();
  };
  // Where nothing is lost, it gives what the exact one gives.
  std::vector<row> rows = {
      input, {7, 5, 3, {1, 10}}, {20, 1, 0, {0}}, {21, 1, 0, {2, 1}}, {4, 1, 0, {3}}};
  rows[2].d = {1};
  CHECK(of(rows) ==
        std::pair(std::size_t{1}, shown({input, rows[1], {6, 10, 0, {1}}, {4, 1, 0, {2}}})));
  CHECK(nodes_of(rows) == 4);
  // Two results of a pair are one, and D is ascending, each entry once.
  rows[4].d = {3, 2, 0};
  CHECK(of(rows) ==
        std::pair(std::size_t{1}, shown({input, rows[1], {6, 10, 0, {1}}, {4, 1, 0, {0, 2}}})));
  CHECK(nodes_of(rows) == 5);
}
