// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "difference.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "columns.hpp"
#include "gene_text.hpp"
#include "inspect/sequence_match.hpp"
#include "key_table.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

class comparing {
 public:
  comparing(const corpus& of, std::size_t before, std::size_t after)
      : names_(of.names()),
        a_(of[before]),
        b_(of[after]),
        to_b_(a_.size(), node_difference::none),
        to_a_(b_.size(), node_difference::none) {}

  [[nodiscard]] graph_difference run() {
    pair_equal();
    pair_operations();
    std::uint32_t i = 0, j = 0;
    while (i < a_.size() || j < b_.size()) {
      if (i < a_.size() && to_b_[i] == node_difference::none)
        out_.nodes.push_back({i++, node_difference::none}), ++out_.removed;
      else if (j < b_.size() && to_a_[j] == node_difference::none)
        out_.nodes.push_back({node_difference::none, j++}), ++out_.added;
      else
        compare(i++, j++);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] static std::vector<std::uint32_t> tokens(const corpus::graph& g, key_table& all) {
    std::vector<std::uint32_t> out, words;
    for (std::uint32_t i = 0; i < g.size(); ++i) {
      words.assign(1, g.kinds[i]);
      for (const std::uint32_t from : g.inputs(i)) words.push_back(g.kinds[from]);
      out.push_back(all.add(words).first);
    }
    return out;
  }

  void pair_equal() {
    key_table all;
    const std::vector<std::uint32_t> a = tokens(a_, all), b = tokens(b_, all);
    using matcher = inspect::sequence_matcher<std::uint32_t>;
    const std::vector<std::size_t> partner = matcher(a, b).run();
    for (std::uint32_t i = 0; i < a_.size(); ++i)
      if (partner[i] != matcher::none) pair(i, static_cast<std::uint32_t>(partner[i]));
  }
  void pair(std::uint32_t a, std::uint32_t b) {
    to_b_[a] = b;
    to_a_[b] = a;
  }

  /// Between two pairs, the next node of the same operation.
  void pair_operations() {
    std::uint32_t next = 0;
    for (std::uint32_t first = 0; first <= a_.size();) {
      std::uint32_t end = first;
      while (end < a_.size() && to_b_[end] == node_difference::none) ++end;
      const std::uint32_t last = end < a_.size() ? to_b_[end] : b_.size();
      pair_gap(first, end, next, last);
      next = last + 1;
      first = end + 1;
    }
  }
  void pair_gap(std::uint32_t a, std::uint32_t a_end, std::uint32_t b, std::uint32_t b_end) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> places;  // by operation, the last first
    for (std::uint32_t j = b_end; j-- > b;) places[names_[b_.kinds[j]].operation].push_back(j);
    for (; a < a_end; ++a) {
      const auto at = places.find(names_[a_.kinds[a]].operation);
      if (at == places.end()) continue;
      while (!at->second.empty() && at->second.back() < b) at->second.pop_back();
      if (at->second.empty()) continue;
      b = at->second.back();
      pair(a, b++);
    }
  }

  void compare(std::uint32_t i, std::uint32_t j) {
    node_difference d{i, j};
    const vocabulary::kind_row &x = names_[a_.kinds[i]], &y = names_[b_.kinds[j]];
    d.operation = x.operation != y.operation;
    d.variation = x.variation != y.variation;
    d.constants = x.constants != y.constants;
    std::vector<std::uint32_t> from;
    for (const std::uint32_t v : a_.inputs(i)) from.push_back(to_b_[v]);
    d.inputs = !std::equal(from.begin(), from.end(), b_.inputs(j).begin(), b_.inputs(j).end());
    if (!d.operation && !d.variation && !d.constants && !d.inputs) {
      ++out_.unchanged;
      return;
    }
    ++out_.changed;
    out_.nodes.push_back(d);
  }

  const vocabulary& names_;
  corpus::graph a_, b_;
  std::vector<std::uint32_t> to_b_, to_a_;
  graph_difference out_;
};

}  // namespace

graph_difference difference(const corpus& of, std::size_t before, std::size_t after) {
  return comparing(of, before, after).run();
}

std::string node_text(const corpus& of, std::size_t graph, std::uint32_t node) {
  const corpus::graph g = of[graph];
  const vocabulary& names = of.names();
  const vocabulary::kind_row& row = names[g.kinds[node]];
  std::string out(short_target(names.target(row.operation)));
  std::string inside;
  const auto put = [&inside](const std::string& s) {
    inside.append(inside.empty() ? "" : ", ").append(s);
  };
  for (const std::uint32_t from : g.inputs(node)) put("%" + std::to_string(from));
  for (const argument& a : names.arguments(row.constants))
    put((a.key.empty() ? "" : std::string(a.key) + "=") + std::string(a.value));
  return printable(out + '(' + inside + ')');
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
