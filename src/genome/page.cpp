// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "page.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "gene_text.hpp"
#include "tessera/core/shortest.hpp"
#include "tessera/genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

using inspect::page;
using inspect::picture;

/// Of a node or a gene where there are more: a click shows no more either.
constexpr std::size_t most_genes_of_node = 8;

[[nodiscard]] bool is_command(std::uint32_t operation, genome::command c) noexcept {
  return operation == static_cast<std::uint32_t>(c);
}

[[nodiscard]] std::string name_of(const vocabulary& names, std::uint32_t operation) {
  return std::string(short_target(names.target(operation)));
}

/// The colours of an operation, the same in all graphs of a page.
struct paint {
  std::string_view fill, border;
};
[[nodiscard]] paint paint_of(std::uint32_t operation) noexcept {
  constexpr paint all[] = {{"#c9ddf2", "#2f6ba8"}, {"#fdf1cb", "#b08a1e"}, {"#d5ecd0", "#4b8b3b"},
                           {"#e9dcf3", "#7a4fa3"}, {"#fbd9c4", "#c4622d"}, {"#d3eeee", "#2b8080"},
                           {"#f3d9e5", "#a04070"}};
  return all[operation % std::size(all)];
}

/// One graph of the corpus as a picture.
class graph_view {
 public:
  graph_view(const corpus& all, std::uint32_t graph)
      : names_(all.names()), of_(all[graph]), place_(of_.size(), page::none) {
    out_.name = all.name(graph);
    out_.drawn.title = "network";
  }

  [[nodiscard]] page::graph take() { return std::move(out_); }
  /// Where a node of the graph is in the picture, or none.
  [[nodiscard]] std::uint32_t place(std::uint32_t node) const noexcept { return place_[node]; }

  void draw() {
    for (std::uint32_t i = 0; i < of_.size(); ++i) {
      const std::uint32_t operation = names_[of_.kinds[i]].operation;
      if (!is_command(operation, genome::command::const_ref)) node(i, operation);
    }
    for (std::uint32_t i = 0; i < of_.size(); ++i)
      for (const std::uint32_t input : of_.inputs(i))
        if (place_[i] != page::none && place_[input] != page::none)
          out_.drawn.edges.push_back({place_[input], place_[i]});
  }

  void add_gene(std::uint32_t node, std::uint32_t gene) {
    if (place_[node] == page::none) return;
    std::vector<std::uint32_t>& genes = out_.nodes[place_[node]].genes;
    if (genes.size() < most_genes_of_node) genes.push_back(gene);
  }

 private:
  void node(std::uint32_t i, std::uint32_t operation) {
    place_[i] = static_cast<std::uint32_t>(out_.nodes.size());
    const bool is_input = is_command(operation, genome::command::data_input);
    const bool is_output = is_command(operation, genome::command::output);
    picture::node n;
    n.id = "n" + std::to_string(i);
    const vocabulary::kind_row& kind = names_[of_.kinds[i]];
    n.lines = {{is_input                       ? "input"
                : is_output                    ? "output"
                : operation < genome::first_id ? std::string(names_.variations()[kind.variation])
                                               : name_of(names_, operation),
                "#1a1a1a", true}};
    if (is_input || is_output) n.form = inspect::shape::ellipse;
    if (operation >= genome::first_id) {
      n.fill = paint_of(operation).fill;
      n.border = paint_of(operation).border;
    }
    out_.nodes.push_back(more(i, kind));
    out_.drawn.nodes.push_back(std::move(n));
  }
  [[nodiscard]] page::node more(std::uint32_t i, const vocabulary::kind_row& kind) const {
    page::node out;
    std::size_t position = 0;
    for (const std::uint32_t input : of_.inputs(i)) {
      const vocabulary::kind_row& from = names_[of_.kinds[input]];
      std::string value = 'n' + std::to_string(input);
      if (is_command(from.operation, genome::command::const_ref)) {
        const std::vector<argument> name = names_.arguments(from.constants);
        value = name.empty() ? "parameter" : "parameter " + std::string(name[0].value);
      }
      out.rows.push_back({std::to_string(++position), std::move(value)});
    }
    for (const argument& a : names_.arguments(kind.constants))
      out.rows.push_back({a.key.empty() ? "constant" : std::string(a.key), std::string(a.value)});
    return out;
  }

  const vocabulary& names_;
  corpus::graph of_;
  std::vector<std::uint32_t> place_;
  page::graph out_;
};

[[nodiscard]] page::graph draw_gene(const vocabulary& names, const gene& g, std::size_t rank) {
  page::graph out;
  out.name = "gene " + std::to_string(rank);
  out.drawn.title = "gene";
  out.nodes.resize(g.labels.size());
  for (std::size_t i = 0; i < g.labels.size(); ++i) {
    const std::uint32_t operation =
        g.form == gene_form::contiguous ? names[g.labels[i]].operation : g.labels[i];
    picture::node n;
    n.id = "g" + std::to_string(i);
    n.lines = {{name_of(names, operation), "#1a1a1a", true}};
    if (i < g.repeats.size() && g.repeats[i] != 0)
      n.lines.push_back({std::to_string(g.repeats[i]) + " times", "#606060"});
    n.fill = paint_of(operation).fill;
    n.border = paint_of(operation).border;
    out.drawn.nodes.push_back(std::move(n));
  }
  for (const gene_edge& e : g.edges) {
    picture::edge drawn{e.from, e.to};
    if (e.gap) drawn.style = inspect::stroke::dashed;
    out.drawn.edges.push_back(std::move(drawn));
  }
  return out;
}

class corpus_view {
 public:
  corpus_view(const corpus& all, const findings& found, std::span<const std::uint32_t> of,
              const corpus_page_limits& limits)
      : all_(all), found_(found), of_(of), limits_(limits), member_(all.size(), page::none) {
    for (std::uint32_t m = 0; m < of.size(); ++m) member_[of[m]] = m;
  }

  [[nodiscard]] page run(const tree& family) {
    choose_genes();
    std::size_t nodes = 0, drawn = 0;
    for (const std::uint32_t graph : of_) {
      page::member m;
      m.name = all_.name(graph);
      m.rows = {{"nodes", std::to_string(all_[graph].size())}};
      if (nodes + all_[graph].size() <= limits_.graph_nodes) {
        nodes += all_[graph].size();
        ++drawn;
        m.graph = add_graph(graph);
      }
      out_.members.push_back(std::move(m));
    }
    add_genes();
    if (of_.size() > 1) add_tree(family);
    out_.facts = {{"graphs", std::to_string(of_.size())},
                  {"nodes", std::to_string(all_.nodes())},
                  {"genes", std::to_string(found_.genes.size())}};
    const auto cut = [this](std::size_t shown, std::size_t all, const char* what) {
      if (shown < all)
        out_.facts.push_back(
            {"shown", std::to_string(shown) + " of " + std::to_string(all) + what});
    };
    cut(of_.size(), all_.size(), " graphs");
    cut(drawn, of_.size(), " graphs as graphs");
    cut(genes_, found_.genes.size(), " genes");
    return std::move(out_);
  }

 private:
  /// The first genes, as many as there is room for.
  void choose_genes() {
    std::size_t nodes = 0, holders = 0;
    for (const gene& g : found_.genes) {
      nodes += g.labels.size();
      holders += g.models;
      if (nodes > limits_.gene_nodes || holders > limits_.holders) break;
      ++genes_;
    }
  }

  [[nodiscard]] std::span<const gene_place> places_in(std::uint32_t graph) const {
    const auto order = [](const gene_place& p, std::uint32_t g) { return p.graph < g; };
    const auto& all = found_.places;
    const auto first = std::lower_bound(all.begin(), all.end(), graph, order);
    const auto last = std::lower_bound(first, all.end(), graph + 1, order);
    return std::span(all).subspan(static_cast<std::size_t>(first - all.begin()),
                                  static_cast<std::size_t>(last - first));
  }

  [[nodiscard]] std::uint32_t add_graph(std::uint32_t graph) {
    graph_view view(all_, graph);
    view.draw();
    std::vector<inspect::block> blocks;
    std::vector<std::uint32_t> genes;  // of blocks
    for (const gene_place& p : places_in(graph)) {
      if (p.gene >= genes_) continue;
      for (const std::uint32_t n : p.nodes) view.add_gene(n, p.gene);
      if (found_.genes[p.gene].form != gene_form::contiguous || p.nodes.size() < 2) continue;
      const std::uint32_t first = view.place(p.nodes.front()), last = view.place(p.nodes.back());
      blocks.push_back({"gene " + std::to_string(p.gene + 1), first, last - first + 1});
    }
    std::sort(blocks.begin(), blocks.end(),
              [](const inspect::block& a, const inspect::block& b) { return a.first < b.first; });
    page::graph drawn = view.take();
    const bool is_of_genes = !blocks.empty();
    if (!is_of_genes && drawn.nodes.size() > 400)
      blocks = inspect::repeated_blocks(drawn.drawn, 400);
    const std::uint32_t made = out_.add(inspect::fold_blocks(std::move(drawn), blocks));
    if (is_of_genes) mark_blocks(made);
    out_.roots.push_back(made);
    return made;
  }
  /// A folded gene is of that gene, as its nodes are.
  void mark_blocks(std::uint32_t top) {
    for (page::node& n : out_.graphs[top].nodes)
      if (n.inner != page::none) n.genes = out_.graphs[n.inner].nodes[0].genes;
  }

  void add_genes() {
    out_.genes.reserve(genes_);
    for (std::uint32_t i = 0; i < genes_; ++i) {
      const gene& g = found_.genes[i];
      page::gene& to = out_.genes.emplace_back();
      to.name = gene_line(all_.names(), g);
      to.rows = {{"score", std::to_string(g.score)},
                 {"graphs", std::to_string(g.models)},
                 {"occurrences", std::to_string(g.occurrences)},
                 {"nodes", std::to_string(g.labels.size())}};
      std::vector<page::graph> drawn;
      drawn.push_back(draw_gene(all_.names(), g, i + std::size_t{1}));
      to.graph = out_.add(std::move(drawn));
      out_.roots.push_back(to.graph);
    }
    for (const occurrence& o : found_.occurrences)
      if (o.gene < genes_ && member_[o.graph] != page::none && o.count != 0)
        out_.genes[o.gene].holders.push_back({member_[o.graph], o.count});
  }

  void add_tree(const tree& family) {
    const tree_plot drawn = plot(family);
    const double scale = drawn.deepest > 0 ? 1 / drawn.deepest : 0;
    for (const tree_plot::line& l : drawn.lines)
      out_.family.lines.push_back({l.left * scale, l.top, l.right * scale, l.bottom});
    for (const tree_plot::end& e : drawn.ends)
      out_.family.leaves.push_back({e.leaf, e.length * scale, e.row});
    out_.family.unit = drawn.unit * scale;
    text unit;
    append_double(unit, drawn.unit, double_style::python);
    out_.family.unit_text = std::string(unit.view());
  }

  const corpus& all_;
  const findings& found_;
  std::span<const std::uint32_t> of_;
  const corpus_page_limits& limits_;
  std::vector<std::uint32_t> member_;  // of graphs
  std::uint32_t genes_ = 0;
  page out_;
};

}  // namespace

inspect::page page_of(const corpus& all, const findings& found, std::span<const std::uint32_t> of,
                      const tree& family, const corpus_page_limits& limits) {
  return corpus_view(all, found, of, limits).run(family);
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
