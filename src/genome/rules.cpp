// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "rules.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace genomics {

using genome::command;

rule_miner::rule_miner(const genome::library& of, const rule_options& how)
    : library_(&of), options_(how), heads_(256) {
  (void)lists_.add({});
  const auto& patterns = of.registry().patterns;
  patterns_.resize(patterns.size());
  struct named {
    std::string name;
    std::uint32_t* place;
  };
  std::vector<named> all;
  for (std::uint32_t a = 0; a < heads_.size(); ++a) {
    std::string_view name = of.operation(a);
    if (name.empty() && a < genome::first_id) name = genome::command_names[a];
    if (!name.empty()) all.push_back({std::string(name), &heads_[a]});
  }
  for (std::size_t i = 0; i < patterns.size(); ++i)
    all.push_back({"<PATTERN ID=" + std::to_string(patterns[i].id) + '>', &patterns_[i]});
  std::sort(all.begin(), all.end(), [](const named& x, const named& y) { return x.name < y.name; });
  for (named& n : all) {
    if (names_.empty() || names_.back() != n.name) names_.push_back(std::move(n.name));
    *n.place = static_cast<std::uint32_t>(names_.size()) - 1;
  }
}

rule_miner::head rule_miner::head_of(const genome::stream_view& s, std::size_t i) noexcept {
  const genome::node& n = s.nodes[i];
  if (n.what() != command::copy) return {n.a, n.b, n.c};
  const auto of = s.inputs_of(i);
  return {n.b, static_cast<std::uint8_t>(of[0]), static_cast<std::int16_t>(of[1])};
}

std::uint32_t rule_miner::name_of(head h) const noexcept {
  const genome::node n{.a = h.a, .b = h.b, .c = h.c};
  if (n.what() != command::pattern) return heads_[h.a];
  const std::uint32_t index = library_->find_pattern(n.pattern_id());
  return index == genome::library::none ? heads_[h.a] : patterns_[index];
}

rule_miner::transition_count& rule_miner::count_of(const transition& t) {
  const std::uint32_t i = transitions_.add(t);
  if (i == transition_counts_.size()) transition_counts_.emplace_back();
  return transition_counts_[i];
}

void rule_miner::add(const genome::program& p) {
  const auto add_to = [](std::vector<std::uint64_t>& counts, std::uint32_t i, std::uint64_t more) {
    if (i == counts.size()) counts.push_back(0);
    counts[i] += more;
  };
  const genome::stream_view s = p.stream();
  struct parent {
    std::uint32_t name;
    std::int32_t distance;
    auto operator<=>(const parent&) const = default;
  };
  std::vector<parent> parents;
  std::vector<head> sources;
  std::vector<std::uint32_t> before;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const head own = head_of(s, i);
    if (own.a >= genome::first_id) {
      const genome::node& n = s.nodes[i];
      add_to(composition_counts_, compositions_.add(own),
             n.what() == command::copy ? static_cast<std::uint64_t>(n.c) : 1);
    }
    const auto references = s.references(i);
    if (references.empty()) continue;
    if (std::uint64_t{lists_.size()} + transitions_.size() > options_.max_kinds) {
      complete_ = false;
      continue;
    }

    const std::uint32_t name = name_of(own);
    parents.clear();
    sources.clear();
    before.assign(1, 0);
    for (const std::int32_t d : references) {
      const std::int64_t index = static_cast<std::int64_t>(i);
      const std::int64_t source = d < 0 ? index + d : d;
      const head h = head_of(s, static_cast<std::size_t>(source));
      const auto distance = static_cast<std::int32_t>(source - index);
      sources.push_back(h);
      parents.push_back({name_of(h), distance});
      before.push_back(lists_.add({before.back(), 0, distance}));
    }
    std::uint32_t after = 0;
    for (std::size_t k = parents.size(); k-- > 0;) {
      transition_count& t = count_of({parents[k].name, name, before[k], after});
      if (t.count++ == 0) {
        t.from = sources[k];
        t.to = own;
      }
      after = lists_.add({after, 0, parents[k].distance});
    }

    std::sort(parents.begin(), parents.end());
    parents.erase(std::unique(parents.begin(), parents.end(),
                              [](const parent& x, const parent& y) {
                                return x.name == y.name && x.distance == y.distance;
                              }),
                  parents.end());
    if (parents.size() < 2) continue;
    std::uint32_t all = 0;
    for (const parent& x : parents) all = lists_.add({all, x.name, x.distance});
    add_to(structure_counts_, structures_.add({name, all}), 1);
  }
}

/// Writes rules, as long as their texts fit.
struct rule_miner::writer {
  const rule_miner& from;
  genome::registry& to;
  std::uint64_t room;
  bool complete;

  struct rule {
    std::uint64_t count;
    std::string text;
    std::size_t index;  // in what the caller knows of it
  };
  [[nodiscard]] static bool first(const rule& x, const rule& y) noexcept {
    return x.count != y.count ? x.count > y.count : x.text < y.text;
  }

  [[nodiscard]] bool take(std::uint64_t size) noexcept {
    if (size > room) return complete = false;
    room -= size;
    return true;
  }

  /// The entries of a list, the first one first.
  [[nodiscard]] std::vector<link> entries(std::uint32_t list) const {
    std::vector<link> out;
    for (; list != 0; list = from.lists_[list].before) out.push_back(from.lists_[list]);
    std::reverse(out.begin(), out.end());
    return out;
  }
  [[nodiscard]] std::string connection(const transition& t) const {
    std::string out;
    std::size_t k = 0;
    const auto input = [&] {
      out += (k == 0 ? "in" : ",in") + std::to_string(k) + '=';
      ++k;
    };
    for (const link& l : entries(t.before)) {
      input();
      out += "rel_" + std::to_string(l.distance);
    }
    input();
    out += "SOURCE";
    for (std::uint32_t at = t.after; at != 0; at = from.lists_[at].before) {
      input();
      out += "rel_" + std::to_string(from.lists_[at].distance);
    }
    return out;
  }
  [[nodiscard]] std::string_view name(std::uint32_t n) const noexcept { return from.names_[n]; }

  /// The share of `count` with two digits.
  [[nodiscard]] static std::string probability(std::uint64_t count, std::uint64_t total) {
    char digits[16];
    const double share = static_cast<double>(count) / static_cast<double>(total);
    return {digits,
            std::to_chars(digits, digits + sizeof digits, share, std::chars_format::fixed, 2).ptr};
  }

  void transitions();
  void compositions();
  void structures();
  void put(std::vector<rule>& rules, pool<genome::counted_rule>& into) {
    std::sort(rules.begin(), rules.end(), first);
    for (const rule& r : rules) into.push_back({to.add_characters(r.text), r.count, into.size()});
  }
};

void rule_miner::writer::transitions() {
  struct kept {
    std::size_t first, last, own;  // of `edges`: all from the source, and the rule's
    std::uint64_t total;
  };
  const std::vector<transition_count>& counts = from.transition_counts_;
  std::vector<std::uint32_t> edges(counts.size());  // by source, the most frequent first
  for (std::uint32_t i = 0; i < edges.size(); ++i) edges[i] = i;
  std::sort(edges.begin(), edges.end(), [&](std::uint32_t a, std::uint32_t b) {
    const transition &x = from.transitions_[a], &y = from.transitions_[b];
    if (x.from != y.from) return x.from < y.from;
    if (counts[a].count != counts[b].count) return counts[a].count > counts[b].count;
    return x < y;
  });
  std::vector<kept> all;
  for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
    const std::uint32_t source = from.transitions_[edges[first]].from;
    std::uint64_t total = 0;
    for (; last < edges.size() && from.transitions_[edges[last]].from == source; ++last)
      total += counts[edges[last]].count;
    if (total <= from.options_.min_transitions) continue;
    for (std::size_t i = first; i < last; ++i) {
      const double share = static_cast<double>(counts[edges[i]].count) / static_cast<double>(total);
      if (!(share > from.options_.min_probability)) break;
      all.push_back({first, last, i, total});
    }
  }
  std::stable_sort(all.begin(), all.end(), [&](const kept& x, const kept& y) {
    return counts[edges[x.own]].count > counts[edges[y.own]].count;
  });

  std::vector<rule> rules;
  for (const kept& k : all) {
    const transition& t = from.transitions_[edges[k.own]];
    const std::string how = connection(t);
    const std::string_view x = name(t.from), y = name(t.to);
    if (!take(x.size() + y.size() + how.size() + 40)) break;
    std::string text = "After '";
    text.append(x).append("' -> '").append(y).append("' with connection '").append(how) += '\'';
    rules.push_back(
        {counts[edges[k.own]].count, std::move(text), static_cast<std::size_t>(&k - all.data())});
  }
  std::sort(rules.begin(), rules.end(), first);

  std::vector<rule> others;
  for (const rule& r : rules) {
    const kept& k = all[r.index];
    const transition_count& t = counts[edges[k.own]];
    genome::transition_rule out;
    out.text = to.add_characters(r.text);
    out.probability = to.add_characters(probability(t.count, k.total));
    out.count = t.count;
    out.first = static_cast<std::uint32_t>(to.pattern_nodes.size());
    out.nodes = 2;
    to.pattern_nodes.add({.a = t.from.a, .b = t.from.b, .c = t.from.c}, {});
    to.pattern_nodes.add({.a = t.to.a, .b = t.to.b, .c = t.to.c}, {0});

    others.clear();
    for (std::size_t i = k.first; i < k.last && from.options_.max_exceptions != 0; ++i) {
      if (i == k.own) continue;
      if (others.size() == from.options_.max_exceptions) {
        complete = false;
        break;
      }
      const transition& edge = from.transitions_[edges[i]];
      const std::uint64_t count = counts[edges[i]].count;
      const std::string how = connection(edge);
      if (!take(name(edge.to).size() + how.size() + 48)) break;
      std::string text = "-> '";
      text.append(name(edge.to)).append("' with conn '").append(how).append("' (");
      text.append(std::to_string(count)).append(" times)");
      others.push_back({count, std::move(text), i});
    }
    std::sort(others.begin(), others.end(), first);
    out.first_exception = static_cast<std::uint32_t>(to.exceptions.size());
    out.exceptions = static_cast<std::uint32_t>(others.size());
    for (const rule& o : others) to.exceptions.push_back(to.add_characters(o.text));
    out.offset = to.transitions.size();
    to.transitions.push_back(out);
  }
}

void rule_miner::writer::compositions() {
  std::vector<rule> rules;
  for (std::uint32_t i = 0; i < from.compositions_.size(); ++i) {
    const head of = from.compositions_[i];
    const std::uint64_t count = from.composition_counts_[i];
    if (count <= from.options_.min_compositions) continue;
    const genome::node n{.a = of.a, .b = of.b, .c = of.c};
    const std::string_view operation = name(from.name_of(of));
    if (!take(operation.size() + 64)) break;
    std::string text = "Composition: Op='";
    text.append(operation).append("', Var=").append(std::to_string(of.b)).append(", Const='");
    if (n.has_group())
      text.append("g[").append(std::to_string(n.group_id())).append("]'");
    else if (n.c > 0)
      text.append("c[").append(std::to_string(n.c)).append("]'");
    else
      text.append("None'");
    rules.push_back({count, std::move(text), 0});
  }
  put(rules, to.compositions);
}

void rule_miner::writer::structures() {
  std::vector<std::pair<std::uint64_t, const structure*>> all;
  for (std::uint32_t i = 0; i < from.structures_.size(); ++i)
    if (from.structure_counts_[i] > from.options_.min_structures)
      all.push_back({from.structure_counts_[i], &from.structures_[i]});
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  std::vector<rule> rules;
  for (const auto& [count, of] : all) {
    const std::vector<link> parents = entries(of->parents);
    std::uint64_t size = name(of->name).size() + 48;
    for (const link& l : parents) size += name(l.name).size() + 24;
    if (!take(size)) break;
    std::string text = "Node '";
    text.append(name(of->name)).append("' is formed by inputs from [");
    for (const link& l : parents) {
      if (&l != parents.data()) text.append(", ");
      text.append("'").append(name(l.name)).append("' (at rel ");
      text.append(std::to_string(l.distance)).append(")");
    }
    text.append("]");
    rules.push_back({count, std::move(text), 0});
  }
  put(rules, to.structures);
}

bool rule_miner::finish(genome::registry& to) const {
  to.transitions.clear();
  to.exceptions.clear();
  to.compositions.clear();
  to.structures.clear();
  const std::uint64_t left = 0xffffffffu - to.characters.size();
  writer w{*this, to, std::min(options_.max_text, left), complete_};
  w.transitions();
  w.compositions();
  w.structures();
  return w.complete;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
