// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Contiguous genes of a corpus: against counting all runs of nodes for each gene, as the patterns
// of NAC v1.2 were found. And corpora of more and more graphs, with the exponent e of
// time ~ graphs^e. All on one thread, in CPU time.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "genome/contiguous.hpp"
#include "genome/tokens.hpp"
#include "genome_generate.hpp"
#include "ratios.hpp"

namespace {

using namespace tessera::genomics;

findings mine(const corpus& of) {
  contiguous_options how;
  how.threads = 1;
  return mine_contiguous(of, how);
}

struct counted_gene {
  std::u32string tokens;
  std::uint64_t frequency = 0, score = 0;
  std::vector<occurrence> replaced;  // by graph
};

/// Counts all runs without placeholder, takes the best, replaces it, and again.
std::vector<counted_gene> count_runs(const corpus& of, const contiguous_options& how) {
  constexpr char32_t placeholder = 0xffffffff;
  const token_text text(of);
  std::vector<std::u32string> graphs(of.size());
  for (std::uint32_t p = 0; p < text.symbols.size(); ++p)
    graphs[text.graph_at(p)] +=
        text.is_break(p) ? placeholder : static_cast<char32_t>(text.symbols[p]);

  std::vector<counted_gene> found;
  struct count {
    std::u32string_view run;
    std::uint64_t frequency;
  };
  std::vector<count> counts;  // in the order in which they came
  std::unordered_map<std::u32string_view, std::size_t> index;
  for (;;) {
    counts.clear();
    index.clear();
    for (const std::u32string& s : graphs)
      for (std::size_t length = how.min_length; length <= how.max_length; ++length)
        for (std::size_t p = 0, clean = 0; p < s.size(); ++p) {
          clean = s[p] == placeholder ? 0 : clean + 1;
          if (clean < length) continue;
          const std::u32string_view run(s.data() + (p + 1 - length), length);
          const auto [at, is_new] = index.emplace(run, counts.size());
          if (is_new) counts.push_back({run, 0});
          ++counts[at->second].frequency;
        }
    const count* best = nullptr;
    for (const count& c : counts)
      if (c.frequency > 1 &&
          (best == nullptr || c.frequency * c.run.size() > best->frequency * best->run.size()))
        best = &c;
    if (best == nullptr || best->frequency * best->run.size() < how.min_score) return found;
    counted_gene g{
        std::u32string(best->run), best->frequency, best->frequency * best->run.size(), {}};
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      std::u32string& s = graphs[i];
      std::uint64_t replaced = 0;
      for (std::size_t p = s.find(g.tokens); p != s.npos; p = s.find(g.tokens, p + 1), ++replaced)
        s.replace(p, g.tokens.size(), 1, placeholder);
      if (replaced != 0) g.replaced.push_back({static_cast<std::uint32_t>(i), 0, replaced});
    }
    found.push_back(std::move(g));
  }
}

bool same(const corpus& of, const findings& ours, const std::vector<counted_gene>& theirs) {
  if (ours.genes.size() != theirs.size()) return false;
  const token_text text(of);
  std::vector<std::vector<occurrence>> replaced(theirs.size());
  for (const occurrence& o : ours.occurrences) replaced[o.gene].push_back(o);
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const gene& g = ours.genes[i];
    const counted_gene& t = theirs[i];
    if (g.occurrences != t.frequency || g.score != t.score || g.labels.size() != t.tokens.size() ||
        replaced[i].size() != t.replaced.size() || g.models != t.replaced.size())
      return false;
    for (std::size_t k = 0; k < replaced[i].size(); ++k)
      if (replaced[i][k].graph != t.replaced[k].graph ||
          replaced[i][k].count != t.replaced[k].count)
        return false;
    for (std::size_t k = 0; k < t.tokens.size(); ++k) {
      const token_text::place at = text.tokens[t.tokens[k]];
      const corpus::graph graph = of[at.graph];
      const auto inputs = graph.inputs(at.node);
      if (g.labels[k] != graph.kinds[at.node] || g.inputs[k].size() != inputs.size()) return false;
      for (std::size_t d = 0; d < inputs.size(); ++d)
        if (g.inputs[k][d] + static_cast<std::int64_t>(at.node) != inputs[d]) return false;
    }
  }
  return true;
}

void add_case(std::uint32_t graphs, std::uint32_t nodes) {
  const std::string name = "genome_" + std::to_string(graphs) + "x" + std::to_string(nodes);
  const auto all = std::make_shared<corpus>(bench::genome_corpus(graphs, nodes));
  const findings found = mine(*all);
  bench::require(!found.genes.empty(), name + ": no genes");
  bench::require(same(*all, found, count_runs(*all, {})), name + ": the genes differ");
  const auto count = static_cast<double>(all->nodes());
  bench::add_contender(name + "/tessera", all, "nodes", count,
                       [](const corpus& c) { benchmark::DoNotOptimize(mine(c)); });
  bench::add_contender(name + "/counting", all, "nodes", count,
                       [](const corpus& c) { benchmark::DoNotOptimize(count_runs(c, {})); });
}

/// Time against graphs, both as logarithms: the slope of the line through all sizes.
void add_growth(std::initializer_list<std::uint32_t> sizes) {
  for (const std::uint32_t graphs : sizes) {
    const auto all = std::make_shared<corpus>(bench::genome_corpus(graphs));
    bench::add_contender("growth_" + std::to_string(graphs) + "/tessera", all, "nodes",
                         static_cast<double>(all->nodes()),
                         [](const corpus& c) { benchmark::DoNotOptimize(mine(c)); });
  }
}

void print_exponent(std::initializer_list<std::uint32_t> sizes) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const std::uint32_t graphs : sizes) {
    const corpus all = bench::genome_corpus(graphs);
    double best = 1e9;
    std::size_t genes = 0;
    for (int round = 0; round < 3; ++round) {
      const std::clock_t start = std::clock();
      genes = mine(all).genes.size();
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    std::printf("%u graphs: %zu genes in %.2f s\n", graphs, genes, best);
    const double u = std::log(graphs), v = std::log(best);
    n += 1, x += u, y += v, xx += u * u, xy += u * v;
  }
  std::printf("time ~ graphs^%.2f\n", (n * xy - x * y) / (n * xx - x * x));
}

}  // namespace

void bench::add_cases(bool quick) {
  if (quick) return add_case(3, 500);
  add_case(5, 2000);
  add_growth({250, 500, 1000});
}

int main(int count, char** arguments) {
  const int status = bench::main(count, arguments);
  const bool quick = count == 2 && std::string_view(arguments[1]) == "--check";
  if (status == 0 && !quick) print_exponent({250, 500, 1000});
  return status;
}
