// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome mine`: the genes of networks, and the registry that compresses them.

#include <algorithm>
#include <memory>
#include <tessera/core/bytes.hpp>
#include <utility>

#include "genome.hpp"
#include "genome/convert.hpp"
#include "genome/gene_text.hpp"
#include "genome/patterns.hpp"
#include "genome/reorder.hpp"
#include "genome/subgraphs.hpp"
#include "genome_output.hpp"
#include "genome_tables.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  genome_inputs in;
  gene_options genes;
  bool alleles = false, parameter_names = false, reorder = false;
  std::string output, signatures, names;
};

/// Writes the registry with the genes as its patterns and, with --signatures, all inputs compressed by
/// them.
[[nodiscard]] exit_code write_registry(const options& o, const genomics::corpus& all,
                                       const genomics::findings& found, const reporting& to) {
  result<genomics::signatures> made = signatures_of(all);
  if (!made) return fail_made(made.error(), to);
  const std::vector<std::uint32_t> ids = add_patterns(*made, all, found);
  if (const auto left = std::count(ids.begin(), ids.end(), 0u); left != 0)
    show_note(plural(static_cast<std::uint64_t>(left), "gene") +
              " can't be stored: a registry has ids for 65526 patterns");
  stream_set set;
  set.registry = std::move(made->registry);
  set.streams = std::move(made->streams);
  for (std::size_t g = 0; g < all.size(); ++g) set.names.emplace_back(all.name(g));
  const exit_code code =
      compress_streams(set, {.threads = o.genes.threads, .extend = !o.output.empty()}, to);
  if (code != success) return code;
  text signatures;
  if (!o.signatures.empty()) {
    result<text> out = write_signatures(set);
    if (!out) return fail_made(out.error(), to);
    signatures = std::move(*out);
  }
  if (o.output.empty()) return write_result(o.signatures, as_bytes(signatures));
  const result<text> registry = genome::write_registry(set.registry);
  if (!registry) return fail_made(registry.error(), to);
  if (o.signatures.empty()) return write_result(o.output, as_bytes(*registry));
  return write_results({{o.output, as_bytes(*registry)}, {o.signatures, as_bytes(signatures)}});
}

[[nodiscard]] exit_code mine_files(const options& o) {
  const bool writes = !o.output.empty() || !o.signatures.empty();
  if (o.genes.is_wrong("genome mine")) return wrong_usage;
  if (writes && (o.genes.connected || o.genes.gap != 0))
    return usage_error("genome mine",
                       "registries have only contiguous genes: --output and --signatures exclude "
                       "--connected and --gapped");
  if (o.output == "-" || o.signatures == "-")
    return usage_error("genome mine",
                       "standard output is for the genes; give --output and --signatures a file");
  if (writes && o.output == o.signatures)
    return usage_error("genome mine", "--output and --signatures must be different files");
  if (o.reorder && !writes)
    return usage_error("genome mine", "--reorder applies only to --output and --signatures");
  const gene_names names = read_gene_names(o.names);
  if (names.code != success) return names.code;
  genomics::corpus all;
  const input_outcome in =
      read_corpus(o.in, "genome mine", all, {.parameter_names = o.parameter_names});
  if (!in.complete) return in.code;
  const genomics::findings found = o.genes.mine(all, o.reorder);
  if (!found.complete) show_note("the search for genes is incomplete: " + coverage_line(found));
  if (writes) {
    const reporting to{o.in.paths[0], o.in.json};
    const genomics::reordered first =
        o.reorder ? parameters_first(all, found) : genomics::reordered();
    const exit_code code = o.reorder ? write_registry(o, first.graphs, first.genes, to)
                                     : write_registry(o, all, found, to);
    if (code != success) return code;
  }
  if (!o.alleles) {
    const text out = o.in.json ? genes_json(all, found, names.of)
                               : genes_table(all, found, found.genes.size(), names.of);
    return finish(in, print_result(out));
  }
  const std::vector<genomics::allele_group> groups = genomics::alleles(found);
  if (groups.empty()) show_note("no two genes have the same shape");
  const text out = o.in.json ? alleles_json(all, found, groups) : alleles_table(all, found, groups);
  return finish(in, print_result(out));
}

}  // namespace

void add_genome_mine(const command& genome, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = genome.verb("mine");
  o->in.add_options(verb, true);
  o->genes.add_options(verb);
  verb.bind("--alleles", o->alleles);
  verb.bind("--names", o->names);
  verb.bind("--output", o->output);
  verb.bind("--signatures", o->signatures);
  verb.bind("--parameter-names", o->parameter_names);
  verb.bind("--reorder", o->reorder);
  verb.callback([o, &run] { run = [o] { return mine_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
