// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "gene_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "columns.hpp"
#include "tessera/core/json_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

/// Labels of contiguous genes are kinds, those of others operations.
[[nodiscard]] std::uint32_t operation_of(const vocabulary& names, const gene& g, std::size_t node) {
  const std::uint32_t label = g.labels[node];
  return g.form == gene_form::contiguous ? names[label].operation : label;
}

[[nodiscard]] std::string node_name(const vocabulary& names, const gene& g, std::size_t node) {
  return printable(short_target(names.target(operation_of(names, g, node))));
}

/// Rounded down: 1 is all.
[[nodiscard]] double share_of(const search_coverage& c, double digits) noexcept {
  return std::floor(static_cast<double>(c.finished_nodes) / static_cast<double>(c.nodes) * digits) /
         digits;
}
void put_coverage(json::writer& w, const search_coverage& c) {
  w.key("examined").begin_object(true).key("share").number(share_of(c, 1e6));
  w.key("nodes").integer(c.nodes).key("finished_nodes").integer(c.finished_nodes);
  w.key("models").integer(c.models).key("finished_models").integer(c.finished_models);
  w.key("models_without_gaps").integer(c.models_without_gaps);
  w.key("uncounted_sets").integer(c.uncounted_sets).key("gapped_sets").integer(c.gapped_sets);
  w.key("ungrown_sets").integer(c.ungrown_sets).end();
}

/// "3 x " of a COPY.
[[nodiscard]] std::string repeated(const gene& g, std::size_t node) {
  const std::uint32_t repeats = node < g.repeats.size() ? g.repeats[node] : 0;
  return repeats == 0 ? std::string() : std::to_string(repeats) + " x ";
}

/// Edges in the order in which they are shown, as ways: nodes, the last of which ends the way.
struct way {
  std::vector<std::uint32_t> nodes;
  std::vector<bool> gaps;  // before each node but the first
};

[[nodiscard]] std::vector<way> ways_of(const gene& g) {
  std::vector<gene_edge> edges = g.edges;
  for (gene_edge& e : edges) e.input = 0;
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<bool> shown(edges.size(), false), placed(g.labels.size(), false);
  std::vector<way> ways;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (shown[i]) continue;
    way w;
    w.nodes.push_back(edges[i].from);
    placed[edges[i].from] = true;
    for (std::size_t at = i; at < edges.size();) {
      shown[at] = true;
      const std::uint32_t to = edges[at].to;
      const bool was_placed = placed[to];
      w.nodes.push_back(to);
      w.gaps.push_back(edges[at].gap);
      placed[to] = true;
      if (was_placed) break;
      at = 0;
      while (at < edges.size() && (shown[at] || edges[at].from != to)) ++at;
    }
    ways.push_back(std::move(w));
  }
  for (std::uint32_t v = 0; v < g.labels.size(); ++v)
    if (!placed[v]) ways.push_back({{v}, {}});
  return ways;
}

void put_names(json::writer& w, const vocabulary& names, const gene& g) {
  w.key("operations").begin_array(true);
  for (std::size_t i = 0; i < g.labels.size(); ++i)
    w.string(names.operations()[operation_of(names, g, i)]);
  w.end();
  if (std::any_of(g.repeats.begin(), g.repeats.end(), [](std::uint32_t n) { return n != 0; })) {
    w.key("repeats").begin_array(true);
    for (const std::uint32_t n : g.repeats) w.integer(n);
    w.end();
  }
}

[[nodiscard]] std::uint64_t total(const findings& found, const allele_group& group) {
  std::uint64_t sum = 0;
  for (const std::uint32_t i : group.genes) sum += found.genes[i].occurrences;
  return sum;
}

using cells = std::array<std::string, 5>;

void put_row(text& out, const cells& row, std::span<const std::size_t> widths,
             std::string_view line) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    put_right(out, row[i], widths[i]);
    out << "  ";
  }
  out << line << '\n';
}

}  // namespace

std::string_view short_target(std::string_view target) noexcept {
  constexpr std::string_view prefix = "aten.", suffix = ".default";
  if (target.size() > prefix.size() && target.substr(0, prefix.size()) == prefix)
    target.remove_prefix(prefix.size());
  if (target.size() > suffix.size() && target.substr(target.size() - suffix.size()) == suffix)
    target.remove_suffix(suffix.size());
  return target;
}

std::string_view form_name(gene_form form) noexcept {
  switch (form) {
    case gene_form::contiguous: return "contiguous";
    case gene_form::connected: return "connected";
    case gene_form::gapped: break;
  }
  return "gapped";
}

std::string gene_line(const vocabulary& names, const gene& g) {
  std::string out;
  if (g.form == gene_form::contiguous) {
    for (std::size_t i = 0; i < g.labels.size(); ++i)
      out += (i == 0 ? "" : ", ") + repeated(g, i) + node_name(names, g, i);
    return out;
  }
  const std::vector<way> ways = ways_of(g);
  std::vector<std::uint32_t> times(g.labels.size(), 0), numbers(g.labels.size(), 0);
  for (const way& w : ways)
    for (const std::uint32_t v : w.nodes) ++times[v];
  std::uint32_t last = 0;
  for (const way& w : ways) {
    if (!out.empty()) out += "; ";
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
      const std::uint32_t v = w.nodes[i];
      if (i > 0) out += w.gaps[i - 1] ? " ~> " : " > ";
      if (numbers[v] == 0) {
        out += node_name(names, g, v);
        if (times[v] == 1) continue;
        numbers[v] = ++last;
      }
      out += '#' + std::to_string(numbers[v]);
    }
  }
  return out;
}

std::string coverage_line(const findings& found) {
  const search_coverage& c = found.examined;
  if (c.nodes == 0) return "it reached a limit";
  const auto of = [](std::uint64_t part, std::uint64_t all) {
    return std::to_string(part) + " of " + std::to_string(all);
  };
  std::string out = "finished from " + of(c.finished_nodes, c.nodes) + " nodes in all passes (" +
                    fixed(100 * share_of(c, 1e3), 1) + " %), and in " +
                    of(c.finished_models, c.models) + " models without reaching a limit";
  std::string left;
  const auto add = [&left](std::uint64_t count, const std::string& what) {
    if (count != 0) left.append(left.empty() ? "; left: " : ", ").append(what);
  };
  add(c.models_without_gaps,
      "all gaps of " + std::to_string(c.models_without_gaps) + " models, which have too many");
  add(c.uncounted_sets, std::to_string(c.uncounted_sets) + " sets or more of too many genes");
  add(c.ungrown_sets,
      of(c.ungrown_sets, c.gapped_sets) + " sets with gaps, which didn't grow further");
  return out + left;
}

text genes_table(const corpus& of, const findings& found, std::size_t max_genes,
                 const names_by_code& known) {
  const std::size_t shown = std::min(max_genes, found.genes.size());
  const cells head{"rank", "score", "models", "occurrences", "nodes"};
  std::vector<cells> rows;
  std::array<std::size_t, 5> widths{};
  for (std::size_t i = 0; i < shown; ++i) {
    const gene& g = found.genes[i];
    rows.push_back({std::to_string(i + 1), std::to_string(g.score), std::to_string(g.models),
                    std::to_string(g.occurrences), std::to_string(g.labels.size())});
  }
  for (std::size_t k = 0; k < head.size(); ++k) {
    widths[k] = head[k].size();
    for (const cells& row : rows) widths[k] = std::max(widths[k], row[k].size());
  }
  text out;
  put_row(out, head, widths, "gene");
  for (std::size_t i = 0; i < shown; ++i) {
    const auto name = known.find(found.genes[i].code);
    const std::string named = name == known.end() ? "" : printable(name->second) + ": ";
    put_row(out, rows[i], widths, named + gene_line(of.names(), found.genes[i]));
  }
  if (shown < found.genes.size()) out << found.genes.size() - shown << " more\n";
  if (!found.complete) out << "the search reached its limits: there may be more\n";
  if (!found.complete && found.examined.nodes != 0) out << coverage_line(found) << '\n';
  return out;
}

text genes_json(const corpus& of, const findings& found, const names_by_code& known) {
  text out;
  json::writer w(out, json::indented);
  w.begin_object().key("complete").boolean(found.complete);
  if (!found.complete && found.examined.nodes != 0) put_coverage(w, found.examined);
  w.key("models").integer(of.size()).key("genes").begin_array();
  // Occurrences come by graph; here they are wanted by gene.
  std::vector<std::vector<const occurrence*>> by_gene(found.genes.size());
  for (const occurrence& o : found.occurrences) by_gene[o.gene].push_back(&o);
  for (std::size_t i = 0; i < found.genes.size(); ++i) {
    const gene& g = found.genes[i];
    w.begin_object().key("rank").integer(i + 1);
    if (const auto name = known.find(g.code); name != known.end())
      w.key("name").string(printable(name->second));
    w.key("form").string(form_name(g.form));
    w.key("score").integer(g.score).key("models").integer(g.models);
    w.key("occurrences").integer(g.occurrences);
    put_names(w, of.names(), g);
    w.key("edges").begin_array(true);
    for (const gene_edge& e : g.edges)
      if (!e.gap) w.begin_array().integer(e.from).integer(e.to).integer(e.input).end();
    w.end();
    if (g.form == gene_form::gapped) {
      w.key("gaps").begin_array(true);
      for (const gene_edge& e : g.edges)
        if (e.gap) w.begin_array().integer(e.from).integer(e.to).end();
      w.end();
    }
    w.key("code").string(g.code).key("by_model").begin_array();
    for (const occurrence* const o : by_gene[i])
      w.begin_object(true)
          .key("model")
          .string(of.name(o->graph))
          .key("count")
          .integer(o->count)
          .end();
    w.end().end();
  }
  w.end().end();
  out << '\n';
  return out;
}

text alleles_table(const corpus& of, const findings& found, std::span<const allele_group> groups) {
  text out;
  for (const allele_group& group : groups) {
    std::size_t widest = 4, widest_count = 11;
    for (const std::uint32_t i : group.genes) {
      widest = std::max(widest, std::to_string(i + 1).size());
      widest_count = std::max(widest_count, std::to_string(found.genes[i].occurrences).size());
    }
    if (!out.empty()) out << '\n';
    out << group.genes.size() << " genes, " << total(found, group) << " occurrences of "
        << group.skeleton << '\n';
    put_right(out, "rank", widest);
    out << "  ";
    put_right(out, "occurrences", widest_count);
    out << "  gene\n";
    for (const std::uint32_t i : group.genes) {
      put_right(out, std::to_string(i + 1), widest);
      out << "  ";
      put_right(out, std::to_string(found.genes[i].occurrences), widest_count);
      out << "  " << gene_line(of.names(), found.genes[i]) << '\n';
    }
  }
  return out;
}

text alleles_json(const corpus& of, const findings& found, std::span<const allele_group> groups) {
  text out;
  json::writer w(out, json::indented);
  w.begin_object().key("groups").begin_array();
  for (const allele_group& group : groups) {
    w.begin_object().key("skeleton").string(group.skeleton);
    w.key("occurrences").integer(total(found, group)).key("genes").begin_array();
    for (const std::uint32_t i : group.genes) {
      const gene& g = found.genes[i];
      w.begin_object().key("rank").integer(i + 1).key("occurrences").integer(g.occurrences);
      w.key("models").integer(g.models);
      put_names(w, of.names(), g);
      w.end();
    }
    w.end().end();
  }
  w.end().end();
  out << '\n';
  return out;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
