// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome`: networks as sequences of operations, and their recurring pieces, the genes.

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
                "Find connected subgraphs, whatever the order of their nodes");
  verb.add_option("--gapped", gap, "Find subgraphs with gaps of up to N nodes")
      ->type_name("N")
      ->between(1u, 4u);
  verb.add_option("--min-nodes", min_nodes, "The minimum number of nodes (8; subgraphs 3)")
      ->type_name("N")
      ->between(2u, 255u);
  verb.add_option("--max-nodes", max_nodes,
                  "The maximum number of nodes (40; subgraphs 6, with gaps 4)")
      ->type_name("N")
      ->between(2u, 255u);
  verb.add_option("--min-score", min_score,
                  "Contiguous genes: the minimum frequency times length (100)")
      ->type_name("N");
  verb.add_option("--min-models", min_models,
                  "Subgraphs: the minimum number of models with a gene (2)")
      ->type_name("N")
      ->between(0u, ~0u);
  verb.add_option("--max-genes", max_genes, "The maximum number of genes (65526; subgraphs 1000)")
      ->type_name("N")
      ->between(0u, ~0u);
  verb.add_option("--threads", threads, "The number of threads (0, one per processor)")
      ->type_name("COUNT")
      ->between(0u, 1024u);
}

bool gene_options::is_wrong(std::string_view verb) const {
  constexpr std::uint32_t max_subgraph = genomics::max_canonical_nodes;
  const bool subgraphs = connected || gap != 0;
  std::string why;
  if (connected && gap != 0)
    why = "--connected and --gapped exclude each other";
  else if (subgraphs && min_score)
    why = "--min-score applies only to contiguous genes, without --connected and --gapped";
  else if (!subgraphs && min_models)
    why = "--min-models applies only to subgraphs, with --connected or --gapped";
  else if (min_nodes && max_nodes && *min_nodes > *max_nodes)
    why = "--min-nodes is " + std::to_string(*min_nodes) + ", more than --max-nodes, " +
          std::to_string(*max_nodes);
  else if (subgraphs && std::max(min_nodes.value_or(0), max_nodes.value_or(0)) > max_subgraph)
    why = "the maximum number of nodes of a subgraph is " + std::to_string(max_subgraph);
  if (why.empty()) return false;
  (void)usage_error(verb, why);
  return true;
}

genomics::findings gene_options::mine(const genomics::corpus& of) const {
  // A default bound yields to the one that was given.
  const auto limit = [this](std::uint32_t& min, std::uint32_t& max) {
    min = min_nodes.value_or(std::min(min, max_nodes.value_or(min)));
    max = max_nodes.value_or(std::max(max, min));
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
      app.add_subcommand("genome", "Find, compare and compress the genes of networks");
  verb.require_subcommand();
  verb.footer({R"(
A network is a sequence of operations, as a genome is a sequence of letters; pieces that recur are
its genes. They compress networks (NAC v1.2: streams of nodes, a registry of patterns), and show what
architectures consist of and how closely related they are.

FILE is a NAC container, an ARK model, a stream of v1.2 (.b64 or bytes), a JSON object of streams by
name (compressed_signatures.json), or a folder of such files. Streams need their registry:
--registry, or registry.json in the folder of FILE. `tessera check`, `info`, `print` and `run` also
take streams, the first three also registries.

Examples:
  tessera genome mine models/ -o registry.json
  tessera genome compress resnet.b64 --registry registry.json -o small.b64
  tessera genome profile models/ --json
  tessera genome tree models/ -o family.svg

)",
               exit_codes_help});
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
