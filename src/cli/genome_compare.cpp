// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome compare` and `tessera genome tree`: the distances between networks.

#include "genome/compare.hpp"

#include <algorithm>
#include <memory>

#include <tessera/core/json_write.hpp>

#include "genome.hpp"
#include "genome/clusters.hpp"
#include "genome/columns.hpp"
#include "genome/gene_text.hpp"
#include "genome/tree.hpp"
#include "genome_tables.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  genome_inputs in;
  comparison_options how;
  bool csv = false;
  std::string form, output = "-", families;
  std::optional<std::uint32_t> clusters;
};

[[nodiscard]] std::vector<std::string> names_of(const comparison& c) {
  std::vector<std::string> out;
  for (const std::uint32_t g : c.of) out.emplace_back(c.all.name(g));
  return out;
}

[[nodiscard]] exit_code compare_files(const options& o) {
  if (o.in.json && o.csv)
    return usage_error("genome compare", "--json and --csv exclude each other");
  const comparison m = compare(o.in, o.how, "genome compare");
  if (!m.in.complete) return m.in.code;
  const std::vector<std::string> names = names_of(m);
  const text out = o.in.json ? distance_json(m.distances, names)
                   : o.csv   ? distance_csv(m.distances, names)
                             : distance_table(m.distances, names);
  return finish(m.in, write_report(o.output, out));
}

/// The output format, by --format or the ending of the name.
[[nodiscard]] std::string form_of(const options& o) {
  if (!o.form.empty()) return o.form;
  const std::string_view name = io::without_codec(o.output);
  if (name.ends_with(".svg")) return "svg";
  if (name.ends_with(".dot") || name.ends_with(".gv")) return "dot";
  return "newick";
}

/// A tree that is cut, and the families that it is compared with.
struct clustering {
  std::vector<std::string> names;
  network_families families;
  std::vector<std::uint32_t> of;  ///< the cluster of each network
  std::uint32_t count = 0;

  [[nodiscard]] double agreement() const {
    return genomics::adjusted_rand_index(of, families.family);
  }
  [[nodiscard]] std::string family(std::size_t i) const {
    return families.family.empty() ? "" : families.names[families.family[i]];
  }
  /// "adjusted Rand index 0.912 of 30 clusters and 31 families".
  [[nodiscard]] std::string summary() const {
    const double v = agreement();
    return std::string("adjusted Rand index ") + (v < 0 ? "-" : "") +
           genomics::fixed(v < 0 ? -v : v, 3) + " of " + plural(count, "cluster") + " and " +
           (families.names.size() == 1 ? "1 family"
                                       : std::to_string(families.names.size()) + " families");
  }
};

[[nodiscard]] text clusters_table(const clustering& c) {
  text out;
  for (std::uint32_t k = 0; k < c.count; ++k) {
    out << "cluster " << k + 1 << '\n';
    for (std::size_t i = 0; i < c.of.size(); ++i) {
      if (c.of[i] != k) continue;
      out << "  " << c.names[i];
      if (!c.family(i).empty()) out << "  " << shown_text(c.family(i));
      out << '\n';
    }
  }
  if (!c.families.names.empty()) out << c.summary() << '\n';
  return out;
}

[[nodiscard]] text clusters_json(const clustering& c) {
  text out;
  json::writer w(out, json::indented);
  w.begin_object().key("networks").integer(c.names.size());
  if (!c.families.names.empty()) {
    w.key("families").integer(c.families.names.size());
    w.key("adjusted_rand_index")
        .number(c.agreement() < 0 ? -genomics::rounded(-c.agreement())
                                  : genomics::rounded(c.agreement()));
  }
  w.key("clusters").begin_array();
  for (std::uint32_t k = 0; k < c.count; ++k) {
    w.begin_array();
    for (std::size_t i = 0; i < c.of.size(); ++i) {
      if (c.of[i] != k) continue;
      w.begin_object(true).key("network").string(c.names[i]);
      if (!c.families.names.empty()) w.key("family").string(json_name(c.family(i)));
      w.end();
    }
    w.end();
  }
  w.end().end();
  out << '\n';
  return out;
}

[[nodiscard]] exit_code draw_tree(const options& o) {
  const std::string form = form_of(o);
  const bool lists = form == "clusters" || form == "json";
  const bool cuts = o.clusters || !o.families.empty();
  if (lists && !cuts)
    return usage_error("genome tree", "--format " + form + " needs --clusters or --families");
  if (!lists && o.clusters && o.families.empty())
    return usage_error("genome tree",
                       "--clusters applies to --format clusters or json, or with --families");
  const comparison m = compare(o.in, o.how, "genome tree");
  if (!m.in.complete) return m.in.code;
  clustering c{names_of(m), {}, {}, 0};
  if (!o.families.empty()) {
    c.families = read_families(o.families, c.names);
    if (c.families.code != success) return c.families.code;
  }
  const genomics::tree t = neighbour_joining(m.distances, shown_progress());
  if (cuts) {
    const auto families = static_cast<std::uint32_t>(c.families.names.size());
    c.of = genomics::cut(t, m.distances, o.clusters.value_or(families));
    for (const std::uint32_t k : c.of) c.count = std::max(c.count, k + 1);
  }
  if (!lists && !o.families.empty()) show_note(c.summary());
  std::vector<std::string> of_leaves;
  for (std::size_t i = 0; i < c.families.family.size(); ++i) of_leaves.push_back(c.family(i));
  const text out = form == "svg"        ? svg(t, c.names, of_leaves)
                   : form == "dot"      ? dot(t, c.names)
                   : form == "clusters" ? clusters_table(c)
                   : form == "json"     ? clusters_json(c)
                                        : newick(t, c.names);
  return finish(m.in, write_report(o.output, out));
}

}  // namespace

void comparison_options::add_options(const command& verb) {
  genes.add_options(verb);
  verb.bind("--genes-only", genes_only);
  verb.bind("--compositions", compositions);
  verb.bind("--presence", presence);
  verb.bind("--sample", sample);
  verb.bind("--seed", seed);
}

comparison compare(const genome_inputs& in, const comparison_options& how, std::string_view verb,
                   bool places) {
  comparison out;
  if (how.genes.is_wrong(verb)) {
    out.in = {wrong_usage, false};
    return out;
  }
  out.in = read_corpus(in, verb, out.all);
  if (!out.in.complete) return out;
  const auto size = static_cast<std::uint32_t>(out.all.size());
  out.of = genomics::sample(size, std::min(size, how.sample), how.seed);
  if (out.of.size() < size)
    show_note("sampled " + std::to_string(out.of.size()) + " of " + std::to_string(size) +
              " models, seed " + std::to_string(how.seed));
  out.found = how.genes.mine(out.all, places);
  if (!out.found.complete)
    show_note("the search for genes is incomplete: " + coverage_line(out.found));
  genomics::distance_options distances;
  distances.operations = !how.genes_only;
  distances.compositions = how.compositions;
  distances.presence = how.presence;
  distances.threads = how.genes.threads;
  distances.progress = shown_progress();
  out.distances = genomics::distances(out.all, out.found, out.of, distances);
  return out;
}

void add_genome_compare(const command& genome, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = genome.verb("compare");
  o->in.add_options(verb, true);
  verb.bind("--csv", o->csv);
  verb.bind("--output", o->output);
  o->how.add_options(verb);
  verb.callback([o, &run] { run = [o] { return compare_files(*o); }; });
}

void add_genome_tree(const command& genome, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = genome.verb("tree");
  o->in.add_options(verb, false);
  verb.bind("--output", o->output);
  verb.bind("--format", o->form);
  verb.bind("--clusters", o->clusters);
  verb.bind("--families", o->families);
  o->how.add_options(verb);
  verb.callback([o, &run] { run = [o] { return draw_tree(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
