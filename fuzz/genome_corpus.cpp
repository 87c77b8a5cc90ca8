// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A corpus of foreign graphs: what is added has inputs that come before, what isn't leaves the corpus as it
// was; each graph is a valid stream over a registry of its own, and that is the same graph; profiles,
// genes, distances and trees keep to their bounds, and what is written as JSON is JSON.
//
// The input is a .nac container, an ARK file (a text that begins with a brace), or a stream over the names
// of genome_names.hpp; and after a zero byte, or a <PAD> of a stream, another graph of the same kind.

#include <algorithm>
#include <string>
#include <string_view>
#include <tessera/ark.hpp>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json.hpp>
#include <tessera/genome.hpp>
#include <tessera/nac/all.hpp>
#include <utility>
#include <vector>

#include "genome/compare.hpp"
#include "genome/contiguous.hpp"
#include "genome/convert.hpp"
#include "genome/difference.hpp"
#include "genome/gene_text.hpp"
#include "genome/profile.hpp"
#include "genome/subgraphs.hpp"
#include "genome/tree.hpp"
#include "genome_names.hpp"
#include "mutate_json.hpp"
#include "mutate_nac.hpp"
#include "require.hpp"

using namespace tessera;
using genomics::add_graph;
using genomics::corpus;
using genomics::findings;

namespace {

constexpr std::size_t max_graphs = 4;

// ---- graphs

void add_streams(corpus& to, bytes source) {
  const result<genome::stream> all = genome::read(source, {.encoding = genome::encoding::bytes});
  if (!all) return;
  static const result<genome::library> names = genome::verify(fuzz::genome_names());
  fuzz::require(static_cast<bool>(names), "the names are a valid registry");
  genome::stream one;
  for (std::size_t i = 0; i <= all->size() && to.size() < max_graphs; ++i) {
    if (i < all->size() && all->nodes[i].what() != genome::command::pad) {
      one.add(all->nodes[i], genome::stream_view(*all).inputs_of(i));
      continue;
    }
    const result<genome::program> p = genome::verify(std::exchange(one, {}), *names);
    if (p) (void)add_graph(to, "stream", *p);
  }
}

void add_container(corpus& to, bytes source) {
  const result<nac::model> file = nac::read(source);
  if (!file) return;
  const result<nac::program> p = nac::verify(*file);
  if (!p) return;
  const std::size_t before = to.size();
  const error e = add_graph(to, "container", *p, {.parameter_names = source.size() % 2 == 0});
  fuzz::require(to.size() == before + (e.code == errc::ok), "what isn't added isn't there");
  fuzz::require(e.code == errc::ok || e.offset <= source.size(), "an error is inside");
}

void add_texts(corpus& to, std::string_view rest) {
  for (bool more = true; more && to.size() < max_graphs;) {
    const std::size_t end = rest.find('\0');
    more = end != rest.npos;
    if (const result<ark::model> g = ark::read(rest.substr(0, end)))
      fuzz::require(add_graph(to, "text", *g).code == errc::ok, "any graph can be added");
    if (more) rest.remove_prefix(end + 1);
  }
}

// ---- laws

void check_graphs(const corpus& all) {
  std::uint64_t nodes = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const corpus::graph g = all[k];
    nodes += g.size();
    for (std::uint32_t i = 0; i < g.size(); ++i) {
      fuzz::require(g.kinds[i] < all.names().size(), "a kind is in the vocabulary");
      for (const std::uint32_t input : g.inputs(i)) fuzz::require(input < i, "inputs come before");
    }
  }
  fuzz::require(nodes == all.nodes(), "nodes are counted");
}

void check_signature(const corpus& all, std::size_t k) {
  result<genomics::signature> s = genomics::signature_of(all, k);
  if (!s) return fuzz::require_error(s.error(), all[k].size());
  const result<genome::library> names = genome::verify(std::move(s->registry));
  fuzz::require(static_cast<bool>(names), "a signature's registry is valid");
  const result<genome::program> p = genome::verify(std::move(s->stream), *names);
  fuzz::require(static_cast<bool>(p), "and so is its stream");
  corpus again;
  if (add_graph(again, "again", *p).code != errc::ok) return;  // more than an expansion may have
  fuzz::require(again[0].size() == all[k].size() &&
                    std::equal(again[0].all_inputs.begin(), again[0].all_inputs.end(),
                               all[k].all_inputs.begin(), all[k].all_inputs.end()),
                "a signature is the same graph");
}

void require_json(const text& source) {
  json::reader in(source);
  (void)in.skip();
  fuzz::require(in.finish().code == errc::ok, "what is written as JSON is JSON");
}

void check_profile(const corpus& all) {
  const genomics::operation_profile p = genomics::profile(all);
  std::uint64_t calls = 0;
  for (const auto& row : p.rows) {
    calls += row.count;
    fuzz::require(row.models >= 1 && row.models <= all.size() && row.most <= row.count,
                  "an operation is in some of the graphs");
  }
  fuzz::require(calls == p.calls, "calls are counted");
  require_json(genomics::profile_json(all, p));
  (void)genomics::profile_table(all, p, true);
  (void)genomics::demand_table(all, genomics::demand(all, p));
}

void check_findings(const corpus& all, const findings& found) {
  for (const genomics::gene& g : found.genes)
    fuzz::require(g.models >= 1 && g.models <= all.size() && g.occurrences >= g.models,
                  "a gene occurs in each of its graphs");
  for (const genomics::occurrence& o : found.occurrences)
    fuzz::require(o.graph < all.size() && o.gene < found.genes.size() && o.count != 0,
                  "an occurrence is of a gene, in a graph");
  for (const genomics::gene_place& p : found.places)
    for (const std::uint32_t node : p.nodes)
      fuzz::require(node < all[p.graph].size(), "a place is in its graph");
  require_json(genomics::genes_json(all, found));
  (void)genomics::genes_table(all, found);
  const std::vector<genomics::allele_group> groups = genomics::alleles(found);
  require_json(genomics::alleles_json(all, found, groups));
}

void check_distances(const corpus& all, const findings& found, bool presence) {
  std::vector<std::uint32_t> rows;
  std::vector<std::string> names;
  for (std::uint32_t k = 0; k < all.size(); ++k) {
    rows.push_back(k);
    names.emplace_back(all.name(k));
  }
  const genomics::distance_matrix d =
      genomics::distances(all, found, rows, {.presence = presence, .threads = 1});
  for (const std::uint32_t a : rows) {
    fuzz::require(d(a, a) == 0, "a graph is itself");
    for (const std::uint32_t b : rows)
      fuzz::require(d(a, b) >= 0 && d(a, b) <= 1 && d(a, b) == d(b, a), "distances are shares");
  }
  require_json(genomics::distance_json(d, names));
  const genomics::tree t = genomics::neighbour_joining(d);
  fuzz::require(t.leaves == all.size(), "a tree has all leaves");
  (void)genomics::newick(t, names);
}

void check_difference(const corpus& all, std::size_t a, std::size_t b) {
  const genomics::graph_difference d = genomics::difference(all, a, b);
  fuzz::require(a != b || d.same(), "a graph doesn't differ from itself");
  fuzz::require(d.unchanged + d.changed + d.removed == all[a].size() &&
                    d.unchanged + d.changed + d.added == all[b].size(),
                "each node is in one of the lists");
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(all[a].size(), 8); ++i)
    fuzz::require(!genomics::node_text(all, a, i).empty(), "a node has a text");
}

[[nodiscard]] bool mutate_graph(std::string& source, fuzz::generator& draw) {
  if (source.starts_with("NAC")) return fuzz::mutate_nac(source, draw);
  return source.starts_with('{') ? fuzz::mutate_json(source, draw)
                                 : fuzz::mutate_genome(source, draw);
}

}  // namespace

TESSERA_FUZZ_MUTATOR(mutate_graph)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact memory(fuzz::as_text(data, size));
  const std::string_view source = memory.text();
  corpus all;
  if (source.starts_with("NAC"))
    add_container(all, memory.bytes());
  else if (source.starts_with('{'))
    add_texts(all, source);
  else
    add_streams(all, memory.bytes());
  if (all.size() == 0) return 0;
  check_graphs(all);
  fuzz::turns turn(source);
  if (turn.one_in(4)) check_signature(all, all.size() - 1);
  if (turn.one_in(8)) check_profile(all);
  if (turn.one_in(8)) check_difference(all, 0, all.size() - 1);
  if (all.nodes() > 200) return 0;
  if (turn.one_in(16))
    check_findings(all, genomics::mine_contiguous(
                            all, {.min_length = 2, .min_score = 4, .places = true, .threads = 1}));
  if (!turn.one_in(16)) return 0;
  const findings found = genomics::mine_subgraphs(
      all, {.min_models = 1, .max_gap = 2, .max_work = 1 << 12, .places = true, .threads = 1});
  check_findings(all, found);
  check_distances(all, found, size % 2 == 0);
  return 0;
}
