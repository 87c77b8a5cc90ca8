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
  comparison_options how;
  bool csv = false;
  std::string form, output = "-";
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

[[nodiscard]] exit_code draw_tree(const options& o) {
  const comparison m = compare(o.in, o.how, "genome tree");
  if (!m.in.complete) return m.in.code;
  const genomics::tree t = neighbour_joining(m.distances, shown_progress());
  const std::string form = form_of(o);
  const std::vector<std::string> names = names_of(m);
  const text out = form == "svg" ? svg(t, names) : form == "dot" ? dot(t, names) : newick(t, names);
  return finish(m.in, write_report(o.output, out));
}

}  // namespace

void comparison_options::add_options(const command& verb) {
  genes.add_options(verb);
  verb.bind("--genes-only", genes_only);
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
  if (!out.found.complete) show_note("the search for genes is incomplete: it reached a limit");
  genomics::distance_options distances;
  distances.operations = !how.genes_only;
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
  o->how.add_options(verb);
  verb.callback([o, &run] { run = [o] { return draw_tree(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
