// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Passes over all graphs, one for each size of sets, and one that counts what is kept by graph.
// Graphs go in parts of a fixed size, whose results are merged in the order of the parts.

#include "subgraphs.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "dataflow_order.hpp"
#include "gene_code.hpp"
#include "parallel.hpp"
#include "subgraph_search.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

constexpr std::uint32_t none = key_table::none;
constexpr std::uint32_t looked_at_for_each = 8;  // genes, for each that is kept

[[nodiscard]] canonical_form without(const canonical_form& f, std::uint32_t node) {
  std::vector<std::uint32_t> labels = f.labels;
  labels.erase(labels.begin() + node);
  std::vector<gene_edge> edges;
  for (gene_edge e : f.edges) {
    if (e.from == node || e.to == node) continue;
    e.from -= e.from > node;
    e.to -= e.to > node;
    edges.push_back(e);
  }
  return canonicalise(labels, edges);
}

class miner {
 public:
  miner(const corpus& of, const subgraph_options& how)
      : corpus_(of), how_(how), labels_(of.names()), usable_(labels_.size(), true) {
    how_.max_nodes = std::clamp(how_.max_nodes, 2u, max_canonical_nodes);
    how_.min_nodes = std::clamp(how_.min_nodes, 2u, how_.max_nodes);
    how_.max_gapped_nodes = std::min(how_.max_gapped_nodes, how_.max_nodes);
    how_.max_gap = how_.max_gapped_nodes < how_.min_nodes ? 0 : std::min(how_.max_gap, 4u);
    how_.min_models = std::max(how_.min_models, 1u);
    how_.threads = thread_count(how_.threads);
    graphs_a_part_ = std::clamp<std::size_t>(of.size() / 64, 1, 16);
    for (unsigned t = 0; t < how_.threads; ++t) searches_.emplace_back(labels_, frequent_);
    const std::uint64_t forms = how_.max_gap != 0 ? 2 : 1;
    const std::uint64_t sizes = how_.max_nodes + (forms - 1) * (how_.max_gapped_nodes - 1);
    orders_.resize(of.size());
    is_cut_.resize(of.size());
    has_no_gaps_.resize(of.size());
    parallel(how_.threads, of.size(),
             [this](unsigned, std::size_t g) { orders_[g] = dataflow_order(corpus_[g], labels_); });
    steps_ = of.size() * (sizes + forms);
  }

  findings run() {
    std::uint64_t work = how_.max_work;
    for (std::uint32_t size = 1; size <= how_.max_nodes; ++size)
      work -= find({.gapped = false, .size = size}, work);
    for (std::uint32_t size = 2; how_.max_gap != 0 && size <= how_.max_gapped_nodes; ++size) {
      const bool prunes = size > 2 && min_score_ != 0;
      complete_ = complete_ && !prunes;
      needed_.clear();
      for (const totals& t : totals_) needed_.push_back(may_grow(t, how_.max_gapped_nodes));
      work -= find({.gapped = true, .size = size, .prunes = prunes, .needed = &needed_}, work);
    }
    choose();
    count({.gapped = false});
    if (how_.max_gap != 0) count({.gapped = true});
    return finish();
  }

 private:
  struct totals {
    std::uint32_t models = 0;
    std::uint64_t occurrences = 0, firsts = 0;
  };
  struct part_result {
    std::vector<std::uint32_t> words, ends;  // of the genes of candidates
    std::vector<totals> counts;
    std::vector<occurrence> occurrences;
    std::vector<gene_place> places;
    std::uint64_t work = 0;
    search_coverage examined;
  };

  /// One pass: all parts, a few at a time, each merged in its turn.
  template <class Merge>
  std::uint64_t go(subgraph_search::pass pass, std::uint64_t budget, Merge merge) {
    pass.max_gap = how_.max_gap;
    pass.max_candidates = how_.max_candidates;
    pass.max_nodes = pass.gapped ? how_.max_gapped_nodes : how_.max_nodes;
    for (subgraph_search& s : searches_) s.start(pass);
    const std::size_t parts = (corpus_.size() + graphs_a_part_ - 1) / graphs_a_part_;
    const std::size_t at_once = std::size_t{how_.threads} * 4;
    const std::uint64_t a_node = budget / std::max<std::uint64_t>(1, corpus_.nodes());
    std::uint64_t work = 0;
    for (std::size_t first = 0; first < parts; first += at_once) {
      const std::size_t count = std::min(at_once, parts - first);
      std::vector<part_result> results(count);
      parallel(how_.threads, count, [&](unsigned thread, std::size_t i) {
        look_at(searches_[thread], pass, (first + i) * graphs_a_part_, a_node, results[i]);
      });
      for (part_result& r : results) {
        work += r.work;
        examined_.nodes += r.examined.nodes;
        examined_.finished_nodes += r.examined.finished_nodes;
        examined_.uncounted_sets += r.examined.uncounted_sets;
        examined_.gapped_sets += r.examined.gapped_sets;
        examined_.ungrown_sets += r.examined.ungrown_sets;
        merge(r);
      }
      const std::size_t done = std::min(corpus_.size(), (first + count) * graphs_a_part_);
      if (how_.progress) how_.progress(steps_done_ + done, steps_);
    }
    steps_done_ += corpus_.size();
    return work;
  }

  void look_at(subgraph_search& search, const subgraph_search::pass& pass, std::size_t first,
               std::uint64_t a_node, part_result& to) {
    search.begin_part();
    const std::size_t end = std::min(corpus_.size(), first + graphs_a_part_);
    for (std::size_t g = first; g < end; ++g) {
      const corpus::graph graph = corpus_[g];
      to.work += search.look_at(graph, orders_[g], usable_, a_node * graph.size());
      if (search.cut()) is_cut_[g] = 1;
      if (search.gaps_cut()) has_no_gaps_[g] = 1;
      if (pass.size == 0)
        for (const disjoint_counter::count& c : search.counts())
          to.occurrences.push_back({static_cast<std::uint32_t>(g), c.gene, c.occurrences});
      for (const disjoint_counter::occurrence_set& s : search.sets()) {
        gene_place place{static_cast<std::uint32_t>(g), s.gene, {}};
        for (const std::uint32_t v : s.nodes) place.nodes.push_back(orders_[g][v]);
        std::sort(place.nodes.begin(), place.nodes.end());
        to.places.push_back(std::move(place));
      }
    }
    to.examined = search.examined();
    for (const subgraph_search::candidate& c : search.candidates()) {
      const key_table::key words = search.words(c);
      to.words.insert(to.words.end(), words.begin(), words.end());
      to.ends.push_back(static_cast<std::uint32_t>(to.words.size()));
      to.counts.push_back({c.models, c.occurrences, c.firsts});
    }
  }

  /// Adds the frequent genes of one size.
  std::uint64_t find(const subgraph_search::pass& pass, std::uint64_t budget) {
    key_table codes;
    std::vector<totals> counts;
    const std::uint64_t work = go(pass, budget, [&](const part_result& r) {
      for (std::size_t i = 0; i < r.ends.size(); ++i) {
        const std::size_t begin = i == 0 ? 0 : r.ends[i - 1];
        const key_table::key words = std::span(r.words).subspan(begin, r.ends[i] - begin);
        std::uint32_t code = codes.find(words);
        if (code == none) {
          if (codes.size() == how_.max_candidates) {
            examined_.uncounted_sets += r.counts[i].occurrences;
            complete_ = false;
            continue;
          }
          code = codes.add(words).first;
          counts.emplace_back();
        }
        counts[code].models += r.counts[i].models;
        counts[code].occurrences += r.counts[i].occurrences;
        counts[code].firsts += r.counts[i].firsts;
      }
    });
    if (pass.size == 1) usable_.assign(labels_.size(), false);
    for (std::uint32_t i = 0; i < codes.size(); ++i)
      if (pass.size >= how_.min_nodes && counts[i].models >= how_.min_models)
        scores_.push_back(counts[i].occurrences * (pass.size - 1));
    find_min_score();
    for (std::uint32_t i = 0; i < codes.size(); ++i) {
      const totals& t = counts[i];
      if (t.models < how_.min_models) continue;
      if (!may_grow(t, pass.gapped ? how_.max_gapped_nodes : how_.max_nodes)) continue;
      (void)frequent_.add(codes[i]);
      totals_.push_back(t);
      if (pass.size == 1) usable_[codes[i][0]] = true;
    }
    return work;
  }

  /// What the last of the genes looked at has at least: those of a lower score have no part in it.
  void find_min_score() {
    const std::uint64_t count = std::uint64_t{how_.max_genes} * looked_at_for_each;
    if (scores_.size() < count || count == 0) return;
    const auto last = scores_.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(scores_.begin(), last, scores_.end(), std::greater<>());
    min_score_ = *last;
    scores_.resize(static_cast<std::size_t>(count));
  }

  /// Whether a gene of so many nodes that holds this one can have a score that is looked at.
  [[nodiscard]] bool may_grow(const totals& t, std::uint32_t nodes) const {
    return t.firsts * (nodes - 1) >= min_score_;
  }

  [[nodiscard]] static bool is_gapped(const canonical_form& f) {
    return std::any_of(f.edges.begin(), f.edges.end(), [](const gene_edge& e) { return e.gap; });
  }

  /// Marks what a larger gene says as well.
  void drop_parts(std::uint32_t larger, std::vector<bool>& dropped) const {
    const canonical_form f = form_of(frequent_[larger]);
    const bool gapped = is_gapped(f);
    for (std::uint32_t k = 0; k < f.labels.size(); ++k) {
      const canonical_form part = without(f, k);
      const std::uint32_t at = frequent_.find(words_of(part));
      if (at != none && is_gapped(part) == gapped && totals_[at].models == totals_[larger].models &&
          totals_[at].occurrences == totals_[larger].occurrences)
        dropped[at] = true;
    }
  }

  /// Takes the best, as far as they may be of those that are kept. A larger gene that says as much
  /// has the higher score: what drops a gene comes before it.
  void choose() {
    struct place {
      std::uint64_t score;
      std::uint32_t gene;
    };
    std::vector<place> places;
    for (std::uint32_t i = 0; i < frequent_.size(); ++i)
      if (const std::size_t nodes = nodes_of(i);
          nodes >= how_.min_nodes && totals_[i].occurrences * (nodes - 1) >= min_score_)
        places.push_back({totals_[i].occurrences * (nodes - 1), i});
    std::sort(places.begin(), places.end(), [](const place& a, const place& b) {
      return a.score != b.score ? a.score > b.score : a.gene < b.gene;
    });
    std::vector<bool> dropped(frequent_.size(), false);
    std::vector<std::uint32_t> taken;
    std::uint64_t last = 0;
    for (const place& p : places) {
      if (chosen_.size() >= how_.max_genes && p.score < last) break;
      if (nodes_of(p.gene) > how_.min_nodes) drop_parts(p.gene, dropped);
      if (dropped[p.gene]) continue;
      last = p.score;
      taken.push_back(p.gene);
      chosen_.push_back(make_gene(form_of(frequent_[p.gene]), totals_[p.gene]));
    }
    std::vector<std::uint32_t> order(taken.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [this](std::uint32_t a, std::uint32_t b) { return before(chosen_[a], chosen_[b]); });
    order.resize(std::min<std::size_t>(order.size(), how_.max_genes));
    wanted_.assign(frequent_.size(), none);
    std::vector<gene> kept;
    for (const std::uint32_t i : order) {
      wanted_[taken[i]] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(chosen_[i]));
    }
    chosen_ = std::move(kept);
    find_needed();
  }

  /// Nodes of a frequent gene: its words before those that are edges.
  [[nodiscard]] std::size_t nodes_of(std::uint32_t i) const {
    const key_table::key words = frequent_[i];
    return static_cast<std::size_t>(std::find_if(words.begin(), words.end(), is_edge_word) -
                                    words.begin());
  }

  /// Genes that are connected parts of those wanted, by direct edges: sets of others need not grow.
  void find_needed() {
    needed_.assign(frequent_.size(), false);
    std::vector<std::uint32_t> left;
    const auto need = [&](const canonical_form& f) {
      for (const canonical_form& part : connected_parts(f.labels, f.edges))
        if (const std::uint32_t at = frequent_.find(words_of(part)); at != none && !needed_[at]) {
          needed_[at] = true;
          left.push_back(at);
        }
    };
    for (std::uint32_t i = 0; i < wanted_.size(); ++i)
      if (wanted_[i] != none) need(form_of(frequent_[i]));
    while (!left.empty()) {
      const canonical_form f = form_of(frequent_[left.back()]);
      left.pop_back();
      for (std::uint32_t k = 0; k < f.labels.size(); ++k) need(without(f, k));
    }
  }

  [[nodiscard]] static bool before(const gene& a, const gene& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.labels.size() != b.labels.size()) return a.labels.size() > b.labels.size();
    return a.code < b.code;
  }

  [[nodiscard]] gene make_gene(const canonical_form& f, const totals& t) const {
    gene g;
    g.form = is_gapped(f) ? gene_form::gapped : gene_form::connected;
    for (const std::uint32_t l : f.labels) g.labels.push_back(labels_.operation(l));
    g.edges = f.edges;
    g.occurrences = t.occurrences;
    g.models = t.models;
    g.score = t.occurrences * (f.labels.size() - 1);
    g.code = gene_code(corpus_.names(), g);
    return g;
  }

  void count(subgraph_search::pass pass) {
    pass.wanted = &wanted_;
    pass.needed = &needed_;
    pass.keeps_sets = how_.places;
    (void)go(pass, how_.max_work, [this](part_result& r) {
      occurrences_.insert(occurrences_.end(), r.occurrences.begin(), r.occurrences.end());
      std::move(r.places.begin(), r.places.end(), std::back_inserter(places_));
    });
  }

  /// Where the search was cut short, sizes were searched to different depths: what was counted in
  /// the end is what holds.
  findings finish() {
    for (gene& g : chosen_) g.occurrences = g.models = 0;
    for (const occurrence& o : occurrences_) {
      chosen_[o.gene].occurrences += o.count;
      ++chosen_[o.gene].models;
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < chosen_.size(); ++i) {
      gene& g = chosen_[i];
      g.score = g.occurrences * (g.labels.size() - 1);
      if (g.models >= how_.min_models) order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [this](std::uint32_t a, std::uint32_t b) { return before(chosen_[a], chosen_[b]); });
    std::vector<std::uint32_t> places(chosen_.size(), none);
    findings out;
    for (const std::uint32_t i : order) {
      places[i] = static_cast<std::uint32_t>(out.genes.size());
      out.genes.push_back(std::move(chosen_[i]));
    }
    for (occurrence o : occurrences_) {
      o.gene = places[o.gene];
      if (o.gene != none) out.occurrences.push_back(o);
    }
    std::sort(out.occurrences.begin(), out.occurrences.end(),
              [](const occurrence& a, const occurrence& b) {
                return a.graph != b.graph ? a.graph < b.graph : a.gene < b.gene;
              });
    for (gene_place& p : places_) {
      p.gene = places[p.gene];
      if (p.gene != none) out.places.push_back(std::move(p));
    }
    std::sort(out.places.begin(), out.places.end());
    const auto cut = static_cast<std::size_t>(std::count(is_cut_.begin(), is_cut_.end(), 1));
    examined_.models = corpus_.size();
    examined_.finished_models = corpus_.size() - cut;
    examined_.models_without_gaps =
        static_cast<std::uint64_t>(std::count(has_no_gaps_.begin(), has_no_gaps_.end(), 1));
    out.complete = complete_ && cut == 0;
    out.examined = examined_;
    return out;
  }

  const corpus& corpus_;
  subgraph_options how_;
  operation_labels labels_;
  std::vector<bool> usable_;                        // labels that are frequent
  std::vector<std::vector<std::uint32_t>> orders_;  // of the graphs
  key_table frequent_;
  std::vector<totals> totals_;         // of frequent_
  std::vector<std::uint64_t> scores_;  // of what was found: the best
  std::uint64_t min_score_ = 0;
  std::vector<subgraph_search> searches_;
  std::vector<gene> chosen_;
  std::vector<std::uint32_t> wanted_;  // of frequent_: in chosen_
  std::vector<bool> needed_;           // of frequent_: part of what is wanted
  std::vector<occurrence> occurrences_;
  std::vector<gene_place> places_;
  std::size_t graphs_a_part_ = 1;
  std::uint64_t steps_ = 0, steps_done_ = 0;
  std::vector<unsigned char> is_cut_, has_no_gaps_;  // by graph
  search_coverage examined_;
  bool complete_ = true;
};

}  // namespace

findings mine_subgraphs(const corpus& of, const subgraph_options& how) {
  return miner(of, how).run();
}

std::vector<allele_group> alleles(const findings& of) {
  std::vector<std::pair<std::string, std::uint32_t>> all;
  for (std::uint32_t i = 0; i < of.genes.size(); ++i)
    all.emplace_back(skeleton_code(of.genes[i]), i);
  std::sort(all.begin(), all.end());
  std::vector<allele_group> groups;
  std::vector<std::uint64_t> totals;
  for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
    std::uint64_t total = 0;
    allele_group g;
    for (end = i; end < all.size() && all[end].first == all[i].first; ++end) {
      g.genes.push_back(all[end].second);
      total += of.genes[all[end].second].occurrences;
    }
    if (g.genes.size() < 2) continue;
    g.skeleton = all[i].first;
    std::stable_sort(g.genes.begin(), g.genes.end(), [&of](std::uint32_t a, std::uint32_t b) {
      return of.genes[a].occurrences > of.genes[b].occurrences;
    });
    groups.push_back(std::move(g));
    totals.push_back(total);
  }
  std::vector<std::uint32_t> order(groups.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&totals](std::uint32_t a, std::uint32_t b) { return totals[a] > totals[b]; });
  std::vector<allele_group> out;
  for (const std::uint32_t i : order) out.push_back(std::move(groups[i]));
  return out;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
