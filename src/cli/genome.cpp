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
  verb.bind("--connected", connected);
  verb.bind("--gapped", gap);
  verb.bind("--min-nodes", min_nodes);
  verb.bind("--max-nodes", max_nodes);
  verb.bind("--min-score", min_score);
  verb.bind("--min-models", min_models);
  verb.bind("--max-genes", max_genes);
  verb.bind("--threads", threads);
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

genomics::findings gene_options::mine(const genomics::corpus& of, bool places) const {
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
    how.places = places;
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
  how.places = places;
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
  const command verb = app.verb("genome");
  verb.require_subcommand();
  add_genome_mine(verb, run);
  add_genome_compress(verb, run);
  add_genome_expand(verb, run);
  add_genome_rules(verb, run);
  add_genome_profile(verb, run);
  add_genome_compare(verb, run);
  add_genome_tree(verb, run);
  add_genome_transplant(verb, run);
  add_genome_synthesize(verb, run);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
