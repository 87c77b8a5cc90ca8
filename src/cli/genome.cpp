// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome`: networks as sequences, their recurring pieces as genes.

#include "genome.hpp"

#include <memory>
#include <utility>

#include "genome/canonical.hpp"
#include "genome/contiguous.hpp"
#include "genome/subgraphs.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

void gene_options::add_options(const command& verb) {
  verb.add_flag("--connected", connected,
                "Genes that are connected subgraphs, whatever their nodes' order");
  verb.add_option("--gapped", gap, "The same, with up to N foreign nodes between two of a gene")
      ->type_name("N")
      ->between(1u, 4u);
  verb.add_option("--min-nodes", min_nodes, "The fewest nodes of a gene (8; subgraphs 3)")
      ->type_name("N")
      ->between(2u, 255u);
  verb.add_option("--max-nodes", max_nodes,
                  "The most nodes of a gene (40; subgraphs 6, with gaps 4)")
      ->type_name("N")
      ->between(2u, 255u);
  verb.add_option("--min-score", min_score,
                  "Contiguous genes: the least frequency times length (100)")
      ->type_name("N");
  verb.add_option("--min-models", min_models, "Subgraphs: the fewest models that hold a gene (2)")
      ->type_name("N")
      ->between(0u, ~0u);
  verb.add_option("--max-genes", max_genes, "The most genes (65526; subgraphs 1000)")
      ->type_name("N")
      ->between(0u, ~0u);
  verb.add_option("--threads", threads, "Threads (0: one for each processor)")
      ->type_name("COUNT")
      ->between(0u, 1024u);
}

bool gene_options::is_wrong(std::string_view verb) const {
  constexpr std::uint32_t max_subgraph = genomics::max_canonical_nodes;
  const bool subgraphs = connected || gap != 0;
  std::string why;
  if (connected && gap != 0)
    why = "--connected or --gapped, not both";
  else if (subgraphs && min_score)
    why = "--min-score is for contiguous genes, and these are subgraphs";
  else if (!subgraphs && min_models)
    why = "--min-models is for subgraphs: say --connected or --gapped too";
  else if (min_nodes && max_nodes && *min_nodes > *max_nodes)
    why = "--min-nodes is more than --max-nodes";
  else if (subgraphs && std::max(min_nodes.value_or(0), max_nodes.value_or(0)) > max_subgraph)
    why = "subgraphs have " + std::to_string(max_subgraph) + " nodes or fewer";
  if (why.empty()) return false;
  (void)usage_error(verb, why);
  return true;
}

genomics::findings gene_options::mine(const genomics::corpus& of) const {
  // The bound that wasn't given gives way to the one that was.
  const auto limit = [this](std::uint32_t& least, std::uint32_t& most) {
    least = min_nodes.value_or(std::min(least, max_nodes.value_or(least)));
    most = max_nodes.value_or(std::max(most, least));
  };
  if (!connected && gap == 0) {
    genomics::contiguous_options how;
    limit(how.min_length, how.max_length);
    how.min_score = min_score.value_or(how.min_score);
    how.max_genes = max_genes.value_or(how.max_genes);
    how.threads = threads;
    how.progress = shown_progress();
    return mine_contiguous(of, how);
  }
  genomics::subgraph_options how;
  limit(how.min_nodes, how.max_nodes);
  how.max_gapped_nodes = max_nodes.value_or(std::max(how.max_gapped_nodes, how.min_nodes));
  how.min_models = min_models.value_or(how.min_models);
  how.max_gap = gap;
  how.max_genes = max_genes.value_or(how.max_genes);
  how.threads = threads;
  how.progress = shown_progress();
  return mine_subgraphs(of, how);
}

genomics::progress_function shown_progress() {
  struct state {
    std::uint64_t total = 0, done = 0;
    std::optional<progress> shown;
  };
  return [s = std::make_shared<state>()](std::uint64_t done, std::uint64_t total) {
    if (!s->shown || total != s->total || done < s->done) {
      s->shown.emplace(total);
      s->total = total;
      s->done = 0;
    }
    s->shown->advance(done - s->done);
    s->done = done;
    if (done >= total) s->shown->clear();
  };
}

void add_genome(const command& app, action& run) {
  const command verb =
      app.add_subcommand("genome", "Find the genes of networks, and what they tell");
  verb.require_subcommand();
  verb.footer(
      std::string(
          "A network is a sequence of operations, as a genome is one of letters; pieces that recur "
          "are\n"
          "its genes. They compress networks (NAC v1.2: streams of nodes, a registry of patterns), "
          "say\n"
          "what architectures are built from, and how near to each other they are.\n\n"
          "FILE is a NAC container, an ARK model, a stream of v1.2 (.b64 or bytes), a JSON object "
          "of\n"
          "streams by name (compressed_signatures.json), or a folder of such files. Streams need "
          "their\n"
          "registry: --registry, else registry.json beside FILE. What other verbs do with v1.2: "
          "check,\n"
          "info, print and run take streams, the first three registries too.\n\n"
          "Examples:\n"
          "  tessera genome mine models/ -o registry.json\n"
          "  tessera genome compress resnet.b64 --registry registry.json -o small.b64\n"
          "  tessera genome profile models/ --json\n"
          "  tessera genome tree models/ -o family.svg\n\n") +
      exit_codes_help);
  add_genome_mine(verb, run);
  add_genome_compress(verb, run);
  add_genome_expand(verb, run);
  add_genome_rules(verb, run);
  add_genome_profile(verb, run);
  add_genome_compare(verb, run);
  add_genome_tree(verb, run);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
