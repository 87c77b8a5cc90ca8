// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome compare` and `tessera genome tree`: the distances between networks.

#include "genome/compare.hpp"

#include <algorithm>
#include <memory>

#include "genome.hpp"
#include "genome/tree.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  genome_inputs in;
  gene_options genes;
  bool csv = false, genes_only = false;
  std::uint32_t sample = genomics::max_tree_size;
  std::uint64_t seed = 1;
  std::string form, output = "-";

  void add_options(const command& verb) {
    genes.add_options(verb);
    verb.bind("--genes-only", genes_only);
    verb.bind("--sample", sample);
    verb.bind("--seed", seed);
  }
};

/// The distances of all models, or of a sample.
struct measured {
  input_outcome in;
  genomics::distance_matrix distances;
  std::vector<std::string> names;
};
[[nodiscard]] measured measure(const options& o, std::string_view verb) {
  measured out;
  if (o.genes.is_wrong("genome " + std::string(verb))) {
    out.in = {wrong_usage, false};
    return out;
  }
  genomics::corpus all;
  out.in = read_corpus(o.in, verb, all);
  if (!out.in.complete) return out;
  const auto size = static_cast<std::uint32_t>(all.size());
  const std::vector<std::uint32_t> of = genomics::sample(size, std::min(size, o.sample), o.seed);
  if (of.size() < size)
    show_note("sampled " + std::to_string(of.size()) + " of " + std::to_string(size) +
              " models, seed " + std::to_string(o.seed));
  const genomics::findings found = o.genes.mine(all);
  if (!found.complete) show_note("the search for genes is incomplete: it reached a limit");
  genomics::distance_options how;
  how.operations = !o.genes_only;
  how.threads = o.genes.threads;
  how.progress = shown_progress();
  out.distances = genomics::distances(all, found, of, how);
  for (const std::uint32_t g : of) out.names.emplace_back(all.name(g));
  return out;
}

[[nodiscard]] exit_code compare_files(const options& o) {
  if (o.in.json && o.csv)
    return usage_error("genome compare", "--json and --csv exclude each other");
  const measured m = measure(o, "compare");
  if (!m.in.complete) return m.in.code;
  const text out = o.in.json ? distance_json(m.distances, m.names)
                   : o.csv   ? distance_csv(m.distances, m.names)
                             : distance_table(m.distances, m.names);
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

[[nodiscard]] exit_code draw_tree(const options& o) {
  const measured m = measure(o, "tree");
  if (!m.in.complete) return m.in.code;
  const genomics::tree t = neighbour_joining(m.distances, shown_progress());
  const std::string form = form_of(o);
  const text out = form == "svg"   ? svg(t, m.names)
                   : form == "dot" ? dot(t, m.names)
                                   : newick(t, m.names);
  return finish(m.in, write_report(o.output, out));
}

}  // namespace

void add_genome_compare(const command& genome, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = genome.verb("compare");
  o->in.add_options(verb, true);
  verb.bind("--csv", o->csv);
  verb.bind("--output", o->output);
  o->add_options(verb);
  verb.callback([o, &run] { run = [o] { return compare_files(*o); }; });
}

void add_genome_tree(const command& genome, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = genome.verb("tree");
  o->in.add_options(verb, false);
  verb.bind("--output", o->output);
  verb.bind("--format", o->form);
  o->add_options(verb);
  verb.callback([o, &run] { run = [o] { return draw_tree(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
