// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome compare` and `tessera genome tree`: how near networks are to each other.

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
    verb.add_flag("--genes-only", genes_only, "Operations by themselves don't count");
    verb.add_option("--sample", sample, "The most models; of more, so many are drawn (2000)")
        ->type_name("N")
        ->between(2u, genomics::max_tree_size);
    verb.add_option("--seed", seed, "Which models a sample draws (1)")->type_name("S");
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
    show_note("from a sample of " + std::to_string(of.size()) + " of " + std::to_string(size) +
              " models, seed " + std::to_string(o.seed));
  const genomics::findings found = o.genes.mine(all);
  if (!found.complete) show_note("a limit ended the search for genes: there may be others");
  genomics::distance_options how;
  how.operations = !o.genes_only;
  how.threads = o.genes.threads;
  how.progress = shown_progress();
  out.distances = genomics::distances(all, found, of, how);
  for (const std::uint32_t g : of) out.names.emplace_back(all.name(g));
  return out;
}

[[nodiscard]] exit_code compare_files(const options& o) {
  if (o.in.json && o.csv) return usage_error("genome compare", "--json or --csv, not both");
  const measured m = measure(o, "compare");
  if (!m.in.complete) return m.in.code;
  const text out = o.in.json ? distance_json(m.distances, m.names)
                   : o.csv   ? distance_csv(m.distances, m.names)
                             : distance_table(m.distances, m.names);
  return finish(m.in, write_report(o.output, out));
}

/// By the ending of a file's name.
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
  const command verb =
      genome.add_subcommand("compare", "Measure how far networks are from each other");
  o->in.add_options(verb, "The distances as one JSON object");
  verb.add_flag("--csv", o->csv, "The distances as a matrix of comma-separated values");
  verb.add_option("-o,--output", o->output, "The file to write; - is standard output")
      ->type_name("FILE");
  o->add_options(verb);
  verb.footer(
      std::string(
          "Networks that are built from the same genes are related. The distance of two is 0 where "
          "they\n"
          "hold the same genes equally often, and 1 where they have nothing in common; an "
          "operation "
          "is\n"
          "a gene of one node.\n\n"
          "A table shows up to 12 models; of more it lists the nearest of each.\n\n"
          "Examples:\n"
          "  tessera genome compare models/\n"
          "  tessera genome compare a.nac b.nac c.nac --csv -o distances.csv\n"
          "  tessera genome compare models/ --connected --json | jq .distances\n\n") +
      exit_codes_help);
  verb.callback([o, &run] { run = [o] { return compare_files(*o); }; });
}

void add_genome_tree(const command& genome, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = genome.add_subcommand("tree", "Draw the family tree of networks");
  o->in.add_options(verb, nullptr);
  verb.add_option("-o,--output", o->output, "The file to write; - is standard output")
      ->type_name("FILE");
  verb.add_option("--format", o->form, "newick, dot or svg; else by the ending of --output")
      ->one_of({"newick", "dot", "svg"});
  o->add_options(verb);
  verb.footer(
      std::string(
          "The two networks that are nearest by their genes become neighbours, then the next two, "
          "until\n"
          "one tree is left (neighbour joining): architectures that were derived from each other "
          "share\n"
          "a branch, whose length says how much changed.\n\n"
          "More than 2,000 models are drawn from a sample, and a note says so.\n\n"
          "Examples:\n"
          "  tessera genome tree models/ -o family.svg\n"
          "  tessera genome tree models/ --format dot | neato -Tpng > family.png\n"
          "  tessera genome tree corpus/ --sample 500 --seed 7 > family.newick\n\n") +
      exit_codes_help);
  verb.callback([o, &run] { run = [o] { return draw_tree(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
