// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Contiguous genes, checked against n-gram counting as defined, on corpora that are
// small enough for it; and the order of suffixes, against sorting them.

#include "src/genome/contiguous.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/genome/suffix_array.hpp"
#include "src/genome/tokens.hpp"
#include "src/io/random.hpp"
#include "support/catch.hpp"

namespace {

using namespace tessera;
using namespace tessera::genomics;

std::uint32_t below(std::uint64_t& state, std::uint32_t n) {
  return static_cast<std::uint32_t>(io::next_bits(state) % n);
}
std::uint32_t kind(corpus& c, const std::string& operation) {
  return c.names().kind("aten." + operation + ":node_args(1):kwargs()", "in0", {});
}
std::uint32_t command(corpus& c, const std::string& name) { return c.names().kind(name, "", {}); }
std::uint32_t control(corpus& c, const std::string& what, const std::string& blocks) {
  const argument a[] = {{"", "blocks", blocks}};
  return c.names().kind("<CONTROL_FLOW_PREFIX>", what, a);
}
/// Letters are operations on the node before; a space starts a new graph.
corpus letters(const std::string& graphs) {
  corpus c;
  std::uint32_t i = 0;
  c.begin("g");
  for (const char letter : graphs) {
    if (letter == ' ') {
      c.begin("g");
      i = 0;
      continue;
    }
    const std::uint32_t k = kind(c, std::string(1, letter));
    if (i == 0)
      c.add(k, {});
    else
      c.add(k, {i - 1});
    ++i;
  }
  return c;
}
/// A gene's operations as letters.
std::string spelled(const corpus& c, const gene& g) {
  std::string out;
  for (const std::uint32_t label : g.labels)
    out += c.names().target(c.names()[label].operation).substr(5);
  return out;
}

// ---- the definition

struct plain_gene {
  std::vector<std::string> tokens;
  std::uint64_t frequency = 0, score = 0;
  std::map<std::size_t, std::uint64_t> replaced;  // by graph
  bool operator==(const plain_gene&) const = default;
};
using sequence = std::vector<std::string>;  // empty: placeholder or break

sequence sequence_of(const corpus& c, std::size_t graph) {
  const corpus::graph g = c[graph];
  sequence out;
  std::vector<bool> boundary(g.size() + 100);
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const vocabulary::kind_row row = c.names()[g.kinds[i]];
    if (boundary[i]) out.emplace_back();
    if (row.operation == 8) {
      const std::string blocks(c.names().arguments(row.constants)[0].value);
      const unsigned long one = std::stoul(blocks);
      const unsigned long two = std::stoul(blocks.substr(blocks.find(',') + 1));
      boundary[i + 1 + one] = boundary[i + 1 + one + two] = true;
      out.emplace_back();
    }
    if (row.operation < 10) continue;
    std::string token = std::to_string(g.kinds[i]) + "(";
    for (const std::uint32_t input : g.inputs(i)) {
      if (token.back() != '(') token += ',';
      token += std::to_string(static_cast<int>(input) - static_cast<int>(i));
    }
    out.push_back(token + ")");
  }
  return out;
}

std::vector<plain_gene> count_ngrams(const corpus& c, const contiguous_options& how) {
  std::vector<sequence> graphs;
  for (std::size_t g = 0; g < c.size(); ++g) graphs.push_back(sequence_of(c, g));
  std::vector<plain_gene> found;
  while (found.size() < how.max_genes) {
    std::map<sequence, std::size_t> numbers;
    std::vector<std::pair<sequence, std::uint64_t>> counts;  // in the order in which they came
    for (const sequence& s : graphs)
      for (std::size_t length = how.min_length; length <= how.max_length; ++length)
        for (std::size_t p = 0; p + length <= s.size(); ++p) {
          const auto begin = s.begin() + static_cast<std::ptrdiff_t>(p);
          const sequence run(begin, begin + static_cast<std::ptrdiff_t>(length));
          if (std::find(run.begin(), run.end(), "") != run.end()) continue;
          const auto [at, fresh] = numbers.emplace(run, counts.size());
          if (fresh) counts.emplace_back(run, 0);
          ++counts[at->second].second;
        }
    plain_gene best;
    for (const auto& [run, count] : counts)
      if (count > 1 && count * run.size() > best.score) best = {run, count, count * run.size(), {}};
    if (best.score == 0 || best.score < how.min_score) break;
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      sequence left;
      for (std::size_t p = 0; p < graphs[g].size();) {
        const auto begin = graphs[g].begin() + static_cast<std::ptrdiff_t>(p);
        if (p + best.tokens.size() <= graphs[g].size() &&
            std::equal(best.tokens.begin(), best.tokens.end(), begin)) {
          left.emplace_back();
          ++best.replaced[g];
          p += best.tokens.size();
        } else {
          left.push_back(graphs[g][p++]);
        }
      }
      graphs[g] = std::move(left);
    }
    found.push_back(best);
  }
  return found;
}

/// What was found, in the form of the definition.
std::vector<plain_gene> plain(const findings& f) {
  std::vector<plain_gene> out;
  for (const gene& g : f.genes) {
    plain_gene& p = out.emplace_back();
    for (std::size_t i = 0; i < g.labels.size(); ++i) {
      std::string token = std::to_string(g.labels[i]) + "(";
      for (const std::int32_t d : g.inputs[i]) {
        if (token.back() != '(') token += ',';
        token += std::to_string(d);
      }
      p.tokens.push_back(token + ")");
    }
    p.frequency = g.occurrences;
    p.score = g.score;
  }
  for (const occurrence& o : f.occurrences) out[o.gene].replaced[o.graph] = o.count;
  return out;
}

void require_same(const corpus& c, const contiguous_options& how) {
  const findings found = mine_contiguous(c, how);
  const std::vector<plain_gene> expected = count_ngrams(c, how);
  REQUIRE(plain(found) == expected);
  for (std::size_t i = 0; i < expected.size(); ++i)
    REQUIRE(found.genes[i].models == expected[i].replaced.size());
}

}  // namespace

TEST_CASE("genomics/suffix_array: the same as sorting suffixes", "[genome_tools]") {
  std::uint64_t state = 1;
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t symbols = 1 + below(state, 5), depth = 1 + below(state, 12);
    // Groups of equal suffixes are sorted in other ways when they are large.
    std::vector<std::uint32_t> text(below(state, round % 10 == 0 ? 600 : 60));
    const std::uint32_t period = round % 3 == 0 ? 1 + below(state, 6) : 1000;
    const std::uint32_t changes = round % 4 == 0 ? 1 + below(state, 100) : 1000;
    for (std::size_t i = 0; i < text.size(); ++i)
      text[i] = i < period || below(state, changes) == 1 ? below(state, symbols) : text[i - period];
    const auto prefix = [&](std::uint32_t i) {
      const auto from = text.begin() + static_cast<std::ptrdiff_t>(i);
      return std::vector<std::uint32_t>(
          from, from + static_cast<std::ptrdiff_t>(std::min<std::size_t>(depth, text.size() - i)));
    };
    std::vector<std::uint32_t> expected(text.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
      return less_by_element()(prefix(a), prefix(b));
    });
    const std::vector<std::uint32_t> order = suffix_array(text, symbols, depth);
    REQUIRE(order == expected);
    const auto shared = common_prefixes(text, order, static_cast<std::uint8_t>(depth));
    REQUIRE(shared.size() == text.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i == 0) {
        REQUIRE(shared[i] == 0);
        continue;
      }
      const auto a = prefix(order[i - 1]), b = prefix(order[i]);
      std::size_t same = 0;
      while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
      REQUIRE(shared[i] == same);
    }
  }
}

TEST_CASE("genomics/suffix_array: banana", "[genome_tools]") {
  const std::uint32_t banana[] = {1, 0, 2, 0, 2, 0};
  const auto order = suffix_array(banana, 3, 40);
  CHECK(order == std::vector<std::uint32_t>{5, 3, 1, 0, 4, 2});
  CHECK(common_prefixes(banana, order, 40) == std::vector<std::uint8_t>{0, 1, 3, 0, 0, 2});
}

TEST_CASE("genomics/suffix_array: split over threads", "[genome_tools]") {
  std::uint64_t state = 5;
  std::vector<std::uint32_t> text(70000);
  for (std::size_t i = 0; i < text.size(); ++i)
    text[i] = i >= 20000 && i % 500 != 0 ? text[i - 20000] : below(state, 6);
  const std::uint32_t depth = 10;
  const auto order = suffix_array(text, 6, depth, 3);
  const auto shared = common_prefixes(text, order, depth, 3);
  std::vector<bool> seen(text.size());
  bool right = order.size() == text.size();
  for (std::size_t i = 0; right && i < order.size(); ++i) {
    right = order[i] < text.size() && !seen[order[i]];
    if (!right) break;
    seen[order[i]] = true;
    if (i == 0) continue;
    const std::size_t a = order[i - 1], b = order[i];
    std::size_t same = 0;
    while (same < depth && a + same < text.size() && b + same < text.size() &&
           text[a + same] == text[b + same])
      ++same;
    const bool less = same == depth             ? a < b
                      : a + same == text.size() ? true
                      : b + same == text.size() ? false
                                                : text[a + same] < text[b + same];
    right = less && shared[i] == same;
  }
  CHECK(right);
}

TEST_CASE("genomics/contiguous: a gene and all that is said of it", "[genome_tools]") {
  // The first node of a graph takes nothing: the runs start after it.
  const corpus c = letters("xabcdyabcdz uabcdv qq");
  const findings f = mine_contiguous(c, {.min_length = 3, .max_length = 10, .min_score = 2});
  REQUIRE(f.genes.size() == 1);
  const gene& g = f.genes[0];
  CHECK(g.form == gene_form::contiguous);
  CHECK(spelled(c, g) == "abcd");
  CHECK(g.occurrences == 3);
  CHECK(g.score == 12);
  CHECK(g.models == 2);
  CHECK(g.inputs == std::vector<std::vector<std::int32_t>>(4, {-1}));
  CHECK(g.edges == std::vector<gene_edge>{{0, 1, 0, false}, {1, 2, 0, false}, {2, 3, 0, false}});
  std::string code;
  for (const std::uint32_t label : g.labels)
    code += (code.empty() ? "" : " ") + std::to_string(label) + "(-1)";
  CHECK(g.code == code);
  REQUIRE(f.occurrences.size() == 2);
  CHECK(f.occurrences[0].graph == 0);
  CHECK(f.occurrences[0].count == 2);
  CHECK(f.occurrences[1].graph == 1);
  CHECK(f.occurrences[1].count == 1);
  CHECK(f.complete);
}

TEST_CASE("genomics/contiguous: places that overlap count, and are taken out without",
          "[genome_tools]") {
  // After the first: aaaaaaa. 6 × aa, 5 × aaa, 4 × aaaa: 12, 15, 16; aaaaa has 15.
  const corpus c = letters("aaaaaaaa");
  const findings f = mine_contiguous(c, {.min_length = 2, .max_length = 8, .min_score = 1});
  REQUIRE(f.genes.size() == 2);
  CHECK(spelled(c, f.genes[0]) == "aaaa");
  CHECK(f.genes[0].occurrences == 4);
  CHECK(f.occurrences[0].count == 1);
  // aaa is left: aa twice.
  CHECK(spelled(c, f.genes[1]) == "aa");
  CHECK(f.genes[1].occurrences == 2);
  CHECK(f.occurrences[1].count == 1);
}

TEST_CASE("genomics/contiguous: equal scores", "[genome_tools]") {
  const contiguous_options how{.min_length = 2, .max_length = 6, .min_score = 12};
  const auto first = [&](const corpus& c) {
    return spelled(c, mine_contiguous(c, how).genes.at(0));
  };
  // 3 × abcd, 4 × efg, 6 × hi, 2 × jklmno: all 12.
  CHECK(first(letters("xabcdyabcd xefgyefgzefgyyefg xabcd xhiyhizhixxhiyyhizzhi")) == "abcd");
  CHECK(first(letters("xefg xabcdyabcdzabcd xefgyefgzefg")) == "efg");     // graph
  CHECK(first(letters("xabcdyefg xabcdyabcd zefguefgvefg")) == "efg");     // length
  CHECK(first(letters("xhjkyefg xefgvefg zefg xhjkvhjk zhjk")) == "hjk");  // position
}

TEST_CASE("genomics/contiguous: inputs are relative, whatever is left out", "[genome_tools]") {
  corpus c;
  const std::uint32_t in = command(c, "<DATA_INPUT>"), parameter = command(c, "<CONST_REF>"),
                      out = command(c, "<OUTPUT>"), a = kind(c, "a"), b = kind(c, "b");
  for (int copy = 0; copy < 2; ++copy) {
    c.begin("g");
    c.add(in, {});
    c.add(a, {0});
    c.add(parameter, {});
    c.add(b, {1, 2});
    c.add(out, {3});
    c.add(a, {3});
  }
  const contiguous_options how{.min_length = 2, .max_length = 5, .min_score = 1};
  const findings f = mine_contiguous(c, how);
  REQUIRE(f.genes.size() == 1);
  const gene& g = f.genes[0];
  CHECK(g.labels == std::vector<std::uint32_t>{a, b, a});
  CHECK(g.inputs == std::vector<std::vector<std::int32_t>>{{-1}, {-2, -1}, {-2}});
  CHECK(g.edges == std::vector<gene_edge>{{0, 1, 1, false}, {0, 2, 0, false}});
  CHECK(g.code ==
        std::to_string(a) + "(-1) " + std::to_string(b) + "(-2,-1) " + std::to_string(a) + "(-2)");
  require_same(c, how);
}

TEST_CASE("genomics/contiguous: what becomes a COPY is one node", "[genome_tools]") {
  corpus c;
  const std::uint32_t in = command(c, "<DATA_INPUT>"), full = kind(c, "full"), a = kind(c, "a"),
                      b = kind(c, "b"), d = kind(c, "d");
  const auto graph = [&](std::uint32_t inputs, std::uint32_t used) {
    c.begin("g");
    c.add(a, {});
    for (std::uint32_t i = 0; i < inputs; ++i) c.add(in, {});
    c.add(b, {0});
    c.add(a, {used});
    c.add(b, {inputs + 2});
  };
  const contiguous_options how{.min_length = 3, .max_length = 3, .min_score = 1};
  const auto genes = [&] { return mine_contiguous(c, how).genes; };
  // Of 3 inputs and of 5 the first is used at most: one node before b(0), but not the same.
  graph(3, 1), graph(5, 1);
  REQUIRE(genes().size() == 1);
  CHECK(genes()[0].labels == std::vector<std::uint32_t>{b, a, b});
  CHECK(genes()[0].inputs == std::vector<std::vector<std::int32_t>>{{-2}, {-2}, {-1}});
  graph(5, 1);
  REQUIRE(genes().size() == 1);
  CHECK(genes()[0].occurrences == 3);
  c = corpus();
  (void)command(c, "<DATA_INPUT>"), (void)kind(c, "full"), (void)kind(c, "a"), (void)kind(c, "b");
  graph(3, 1), graph(3, 1);
  REQUIRE(genes().size() == 1);
  CHECK(genes()[0].labels == std::vector<std::uint32_t>{a, in, b});
  CHECK(genes()[0].repeats == std::vector<std::uint32_t>{0, 3, 0});
  CHECK(genes()[0].inputs == std::vector<std::vector<std::int32_t>>{{}, {}, {-2}});
  CHECK(genes()[0].code ==
        std::to_string(a) + "() 3x" + std::to_string(in) + "() " + std::to_string(b) + "(-2)");
  // Two are two, and a run ends before an input that is used.
  c = corpus();
  (void)command(c, "<DATA_INPUT>"), (void)kind(c, "full"), (void)kind(c, "a"), (void)kind(c, "b");
  graph(2, 0), graph(3, 0);
  CHECK(genes().empty());
  graph(4, 3);  // 2 and 3 stay apart: the nodes 1 and 2 are too few, 3 and 4 as well
  CHECK(genes().empty());
  // Of operations too, and no gene has a part of one.
  c = corpus();
  (void)command(c, "<DATA_INPUT>"), (void)kind(c, "full"), (void)kind(c, "a"), (void)kind(c, "b");
  (void)kind(c, "d");
  for (int copy = 0; copy < 2; ++copy) {
    c.begin("g");
    c.add(d, {});
    for (int i = 0; i < 4; ++i) c.add(full, {});
    c.add(a, {0});
    c.add(b, {1});
    c.add(d, {5});
  }
  REQUIRE(genes().size() == 1);
  CHECK(genes()[0].labels == std::vector<std::uint32_t>{d, full, a});
  CHECK(genes()[0].repeats == std::vector<std::uint32_t>{0, 4, 0});
  CHECK(genes()[0].inputs == std::vector<std::vector<std::int32_t>>{{}, {}, {-2}});
}

TEST_CASE("genomics/contiguous: IF and WHILE separate the nodes around and inside them",
          "[genome_tools]") {
  const auto mined = [](const std::string& what, const std::string& blocks) {
    corpus c;
    const std::uint32_t flow = control(c, what, blocks);
    for (int copy = 0; copy < 2; ++copy) {
      c.begin("g");
      for (const char* k : {"a", "b"}) c.add(kind(c, k), {});
      c.add(flow, {0});
      for (const char* k : {"c", "d", "e", "f", "g", "h"}) c.add(kind(c, k), {});
    }
    const contiguous_options how{.min_length = 1, .max_length = 9, .min_score = 1};
    require_same(c, how);
    std::string out;
    for (const gene& g : mine_contiguous(c, how).genes) out += spelled(c, g) + " ";
    return out;
  };
  CHECK(mined("IF", "3,1") == "cde ab gh f ");
  CHECK(mined("WHILE", "1,4") == "defg ab c h ");
}

TEST_CASE("genomics/contiguous: limits", "[genome_tools]") {
  const corpus c = letters("xabcdyabcdz uefgvefgw");
  contiguous_options how{.min_length = 2, .max_length = 8, .min_score = 1};
  CHECK(mine_contiguous(c, how).genes.size() == 2);
  CHECK(mine_contiguous(c, how).complete);
  how.max_genes = 1;
  CHECK(mine_contiguous(c, how).genes.size() == 1);
  CHECK_FALSE(mine_contiguous(c, how).complete);
  how.max_genes = 2;
  CHECK(mine_contiguous(c, how).complete);
  how.min_score = 7;
  CHECK(mine_contiguous(c, how).genes.size() == 1);
  how.min_score = 8;
  CHECK(mine_contiguous(c, how).genes.size() == 1);
  how.min_score = 9;
  CHECK(mine_contiguous(c, how).genes.empty());
  how.min_score = 0;
  how.min_length = 9;
  CHECK(mine_contiguous(c, how).genes.empty());
  how.min_length = 0;
  how.max_length = ~0u;
  CHECK(spelled(c, mine_contiguous(c, how).genes.at(0)) == "abcd");
  CHECK(mine_contiguous(corpus(), {}).genes.empty());
  corpus hollow;
  hollow.begin("nothing");
  hollow.begin("no operation");
  hollow.add(command(hollow, "<DATA_INPUT>"), {});
  CHECK(mine_contiguous(hollow, how).genes.empty());
  // 300 nodes, twice: genes end at 255.
  const std::string line = "x" + std::string(300, 'a') + "y";
  how.min_length = 250;
  const findings longest = mine_contiguous(letters(line), how);
  REQUIRE_FALSE(longest.genes.empty());
  CHECK(longest.genes[0].labels.size() == 250);
  how.min_length = 255;
  CHECK(mine_contiguous(letters(line), how).genes.at(0).labels.size() == 255);
  how.min_length = 256;
  CHECK(mine_contiguous(letters(line), how).genes.empty());
}

TEST_CASE("genomics/contiguous: progress is reported to the end", "[genome_tools]") {
  std::vector<std::uint64_t> seen;
  contiguous_options how{.min_length = 2, .max_length = 8, .min_score = 1};
  how.progress = [&](std::uint64_t done, std::uint64_t total) {
    REQUIRE(done <= total);
    seen.push_back(done);
    if (seen.size() == 3) REQUIRE(done == total);
  };
  (void)mine_contiguous(letters("xabcdyabcdz uefgvefgw"), how);
  REQUIRE(seen.size() == 3);
  CHECK(seen[0] == 8);
  CHECK(seen[1] == 14);
}

TEST_CASE("genomics/contiguous: the same as counting, on small corpora", "[genome_tools]") {
  std::uint64_t state = 7;
  for (int round = 0; round < 400; ++round) {
    corpus c;
    const std::uint32_t operations = 1 + below(state, 4), graphs = 1 + below(state, 4);
    const std::uint32_t reach = 1 + below(state, 2);
    std::vector<std::uint32_t> kinds;
    for (std::uint32_t k = 0; k < operations; ++k)
      kinds.push_back(kind(c, std::string(1, static_cast<char>('a' + k))));
    const std::uint32_t hidden = command(c, "<CONST_REF>");
    const std::uint32_t flow = control(c, "IF", "2,3");
    for (std::uint32_t g = 0; g < graphs; ++g) {
      c.begin("g");
      const std::uint32_t size = below(state, 26);
      const std::uint32_t period = below(state, 3) == 0 ? 1 + below(state, 7) : 1000;
      std::vector<std::pair<std::uint32_t, std::uint32_t>> made;
      for (std::uint32_t i = 0; i < size; ++i) {
        const std::uint32_t what = below(state, 24);
        std::pair<std::uint32_t, std::uint32_t> node{kinds[below(state, operations)],
                                                     1 + below(state, reach)};
        if (i >= period)
          node = made[i - period];
        else if (what == 0)
          node.first = hidden;
        else if (what == 1 && round % 2 == 0)
          node.first = flow;
        made.push_back(node);
        if (node.first != hidden && i >= node.second)
          c.add(node.first, {i - node.second});
        else
          c.add(node.first, {});
      }
    }
    contiguous_options how;
    how.min_length = 1 + below(state, 4);
    how.max_length = how.min_length + below(state, 8);
    how.min_score = 1 + below(state, 8);
    how.max_genes = below(state, 5) == 0 ? below(state, 4) : 1000;
    how.threads = round < 20 ? 3 : 1;
    CAPTURE(round);
    require_same(c, how);
  }
}

TEST_CASE("genomics/contiguous: the same as counting, on a larger corpus", "[genome_tools]") {
  std::uint64_t state = 3;
  std::vector<std::string> blocks(6);
  for (std::string& b : blocks)
    for (std::uint32_t i = 10 + below(state, 12); i != 0; --i)
      b += static_cast<char>('a' + below(state, 5));
  std::string all;
  for (int g = 0; g < 5; ++g) {
    for (int k = 0; k < 5; ++k) {
      std::string b = blocks[below(state, 6)];
      if (below(state, 3) == 0) b[below(state, static_cast<std::uint32_t>(b.size()))] = 'z';
      all += b;
    }
    all += ' ';
  }
  require_same(letters(all), {.min_length = 8, .max_length = 20, .min_score = 16});
}

TEST_CASE("genomics/contiguous: places are the nodes that were taken out", "[genome_tools]") {
  std::uint64_t state = 11;
  std::string graphs;
  for (int i = 0; i < 600; ++i)
    graphs += below(state, 40) == 0 ? ' ' : static_cast<char>('a' + below(state, 3));
  const corpus c = letters(graphs);
  const contiguous_options how{.min_length = 3, .max_length = 6, .min_score = 6, .places = true};
  const findings found = mine_contiguous(c, how);
  REQUIRE(found.genes.size() > 4);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> counts;
  std::map<std::uint32_t, std::vector<std::uint32_t>> taken;
  for (const gene_place& p : found.places) {
    ++counts[{p.graph, p.gene}];
    const gene& g = found.genes[p.gene];
    REQUIRE(p.nodes.size() == g.labels.size());
    for (std::size_t i = 0; i < p.nodes.size(); ++i)
      CHECK(c[p.graph].kinds[p.nodes[i]] == g.labels[i]);
    taken[p.graph].insert(taken[p.graph].end(), p.nodes.begin(), p.nodes.end());
  }
  for (auto& [graph, nodes] : taken) {
    std::sort(nodes.begin(), nodes.end());
    CHECK(std::adjacent_find(nodes.begin(), nodes.end()) == nodes.end());
  }
  for (const occurrence& o : found.occurrences) CHECK(counts[{o.graph, o.gene}] == o.count);
  CHECK(mine_contiguous(c, {.min_length = 3, .max_length = 6, .min_score = 6}).places.empty());
}

TEST_CASE("genomics/contiguous: places go over inputs, and have all nodes of a COPY",
          "[genome_tools]") {
  corpus c;
  for (int graph = 0; graph < 2; ++graph) {
    c.begin("g");
    for (int i = 0; i < graph; ++i) c.add(command(c, "<OUTPUT>"), {});
    const auto first = static_cast<std::uint32_t>(graph);
    for (int i = 0; i < 3; ++i) c.add(kind(c, "rand"), {});
    c.add(command(c, "<DATA_INPUT>"), {});
    c.add(kind(c, "relu"), {first});
    c.add(kind(c, "exp"), {first + 4});
  }
  const findings found =
      mine_contiguous(c, {.min_length = 3, .max_length = 9, .min_score = 6, .places = true});
  REQUIRE(found.genes.size() == 1);
  REQUIRE(found.places.size() == 2);
  CHECK(found.places[0].nodes == std::vector<std::uint32_t>{0, 1, 2, 4, 5});
  CHECK(found.places[1].nodes == std::vector<std::uint32_t>{1, 2, 3, 5, 6});
}
