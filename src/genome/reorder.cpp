// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "reorder.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "contiguous.hpp"
#include "less_by_element.hpp"
#include "tokens.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {
namespace {

/// A variation in which input i is called ranks[i]; empty where it doesn't name all of them.
std::string renamed(std::string_view variation, const std::vector<std::uint32_t>& ranks) {
  std::string out;
  std::vector<bool> named(ranks.size());
  genome::variation_inputs names(variation);
  for (std::uint32_t i = 0; names.next(i);) {
    if (i >= ranks.size()) return {};
    named[i] = true;
    out.append(out.empty() ? "in" : ",in").append(std::to_string(ranks[i]));
  }
  const bool all = std::find(named.begin(), named.end(), false) == named.end();
  return all && !names.failed() ? out : std::string();
}

/// Writes graphs in another order.
class graph_writer {
 public:
  graph_writer(const corpus& from, corpus& to) : from_(from), to_(to) {}

  /// `order` has each node once, and what it takes before it.
  void write(std::size_t graph, const std::vector<std::uint32_t>& order) {
    const corpus::graph g = from_[graph];
    places_.resize(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) places_[order[i]] = i;
    to_.begin(from_.name(graph));
    for (const std::uint32_t node : order) {
      const std::span<const std::uint32_t> inputs = g.inputs(node);
      inputs_.clear();
      for (const std::uint32_t input : inputs) inputs_.push_back(places_[input]);
      const bool were_ascending = std::is_sorted(inputs.begin(), inputs.end());
      const std::uint32_t kind = were_ascending ? kind_of(g.kinds[node]) : g.kinds[node];
      to_.add(kind, inputs_);  // which kind_of() may have sorted
    }
  }
  /// Where a node of the last graph is now.
  [[nodiscard]] std::uint32_t place(std::uint32_t node) const noexcept { return places_[node]; }

 private:
  /// The kind of a node with its inputs ascending; they stay where a variation doesn't name them all,
  /// as their order then says which is which.
  std::uint32_t kind_of(std::uint32_t kind) {
    if (std::is_sorted(inputs_.begin(), inputs_.end())) return kind;
    std::vector<std::uint32_t> sorted = inputs_, ranks;
    std::sort(sorted.begin(), sorted.end());
    for (const std::uint32_t input : inputs_)
      ranks.push_back(static_cast<std::uint32_t>(
          std::lower_bound(sorted.begin(), sorted.end(), input) - sorted.begin()));
    const auto [at, is_new] = kinds_.try_emplace({kind, ranks}, kind);
    if (is_new) {
      const vocabulary& names = from_.names();
      const vocabulary::kind_row as = names[kind];
      const std::string variation = renamed(names.variations()[as.variation], ranks);
      if (!variation.empty())
        at->second = to_.names().kind(names.operations()[as.operation], variation,
                                      names.arguments(as.constants));
    }
    if (at->second != kind) inputs_ = std::move(sorted);
    return at->second;
  }

  const corpus& from_;
  corpus& to_;
  std::vector<std::uint32_t> places_, inputs_;
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::uint32_t, less_by_element>
      kinds_;
};

/// A place of a gene in the reordered graphs.
struct moved_place {
  std::uint32_t gene, graph, first;  // its first node
};

/// Appends a gene's nodes after what is between them.
void add_place(const corpus::graph& g, const std::vector<std::uint32_t>& nodes,
               std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> between;
  bool movable = true;
  for (std::size_t k = 1; k < nodes.size(); ++k)
    for (std::uint32_t i = nodes[k - 1] + 1; i < nodes[k]; ++i) {
      between.push_back(i);
      movable = movable && g.inputs(i).empty();
    }
  if (movable) {
    order.insert(order.end(), between.begin(), between.end());
    order.insert(order.end(), nodes.begin(), nodes.end());
  } else {
    for (std::uint32_t i = nodes.front(); i <= nodes.back(); ++i) order.push_back(i);
  }
}

std::vector<moved_place> reorder(const corpus& of, const findings& found, corpus& to) {
  std::vector<moved_place> out;
  std::vector<const gene_place*> places;
  std::vector<std::uint32_t> order;
  graph_writer writer(of, to);
  auto next = found.places.begin();
  for (std::uint32_t graph = 0; graph < of.size(); ++graph) {
    places.clear();
    for (; next != found.places.end() && next->graph == graph; ++next) places.push_back(&*next);
    std::sort(places.begin(), places.end(), [](const gene_place* a, const gene_place* b) {
      return a->nodes.front() < b->nodes.front();
    });
    order.clear();
    std::uint32_t i = 0;
    for (const gene_place* const p : places) {
      for (; i < p->nodes.front(); ++i) order.push_back(i);
      add_place(of[graph], p->nodes, order);
      i = p->nodes.back() + 1;
    }
    for (; i < of[graph].size(); ++i) order.push_back(i);
    writer.write(graph, order);
    for (const gene_place* const p : places)
      out.push_back({p->gene, graph, writer.place(p->nodes.front())});
  }
  return out;
}

/// Whether a node is at a place of the text, and the first of as many as a gene has, without a gap.
bool is_contiguous(const token_text& text, const std::vector<std::uint32_t>& nodes,
                   std::uint32_t node, std::uint32_t at, std::size_t length) {
  if (length > nodes.size() - at) return false;
  for (const std::size_t end = at + length; at < end; ++at) {
    if (text.is_break(at) || nodes[at] != node) return false;
    node += std::max(text.repeats[text.symbols[at]], 1u);
  }
  return true;
}

/// The forms of genes at their places, by gene, the most frequent first, then the earliest.
findings forms_of(const corpus& graphs, const findings& found,
                  const std::vector<moved_place>& places) {
  struct form {
    gene what;
    std::uint32_t of = 0, last_graph = ~std::uint32_t{0};
  };
  std::vector<std::uint32_t> nodes;
  const token_text text(graphs, &nodes);
  std::vector<form> forms;
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> known;  // by code
  for (const moved_place& p : places) {
    const auto begin = nodes.begin() + text.starts[p.graph];
    const auto end =
        p.graph + 1 < text.starts.size() ? nodes.begin() + text.starts[p.graph + 1] : nodes.end();
    const auto at =
        static_cast<std::uint32_t>(std::lower_bound(begin, end, p.first) - nodes.begin());
    const auto length = static_cast<std::uint32_t>(found.genes[p.gene].labels.size());
    if (!is_contiguous(text, nodes, p.first, at, length)) continue;
    gene g = contiguous_gene(graphs, text, at, length);
    const auto [known_as, is_new] = known.try_emplace({p.gene, g.code}, forms.size());
    if (is_new) forms.push_back({std::move(g), p.gene});
    form& f = forms[known_as->second];
    ++f.what.occurrences;
    if (f.last_graph != p.graph) ++f.what.models;
    f.last_graph = p.graph;
  }
  std::stable_sort(forms.begin(), forms.end(), [](const form& a, const form& b) {
    return std::tuple(a.of, b.what.occurrences) < std::tuple(b.of, a.what.occurrences);
  });
  findings out;
  for (form& f : forms) {
    f.what.score = f.what.occurrences * f.what.labels.size();
    out.genes.push_back(std::move(f.what));
  }
  return out;
}

}  // namespace

reordered parameters_first(const corpus& of, const findings& found) {
  reordered out;
  out.graphs.names() = of.names();
  const std::vector<moved_place> places = reorder(of, found, out.graphs);
  out.genes = forms_of(out.graphs, found, places);
  return out;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
