// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "contiguous.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "parallel.hpp"
#include "suffix_array.hpp"
#include "tokens.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {
namespace {

constexpr std::uint32_t longest = 255;  // room and prefixes are bytes

/// Runs of `shorter` + 1 to `longer` nodes that occur in the same places at first: those of a range
/// of the order. `score` is that of the best of them, as it was when they were last counted.
struct candidate {
  std::uint64_t score = 0;
  std::uint32_t graph = 0, first = 0;  // the first place of the best
  std::uint32_t begin = 0, end = 0;    // the range
  std::uint8_t shorter = 0, longer = 0;
  std::uint8_t length = 0;  // of the best

  /// Whether this one is chosen later than `other`.
  [[nodiscard]] bool operator<(const candidate& other) const noexcept {
    if (score != other.score) return score < other.score;
    return std::tie(graph, length, first) > std::tie(other.graph, other.length, other.first);
  }
  [[nodiscard]] bool operator==(const candidate& other) const noexcept = default;
};

class search {
 public:
  search(const corpus& of, const contiguous_options& how, std::uint8_t min_length,
         std::uint8_t max_length)
      : corpus_(of),
        min_length_(min_length),
        max_length_(max_length),
        how_(how),
        text_(of, how.places ? &nodes_ : nullptr) {
    const auto symbols = static_cast<std::uint32_t>(text_.tokens.size() + text_.breaks);
    threads_ = thread_count(how.threads);
    order_ = suffix_array(text_.symbols, symbols, max_length, threads_);
    find_ranges();
    find_room();
  }

  findings run() {
    std::make_heap(heap_.begin(), heap_.end());
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      candidate c = heap_.back();
      heap_.pop_back();
      const candidate before = c;
      count(c);
      if (c.score < how_.min_score || c.score == 0) continue;
      if (c == before) {
        if (found_.genes.size() >= how_.max_genes) {
          found_.complete = false;
          break;
        }
        choose(c);
      }
      // A chosen one goes back as it was: shorter runs may be left of it.
      heap_.push_back(c);
      std::push_heap(heap_.begin(), heap_.end());
    }
    if (how_.progress) how_.progress(order_.size(), order_.size());
    std::sort(found_.occurrences.begin(), found_.occurrences.end(),
              [](const occurrence& a, const occurrence& b) {
                return std::tie(a.graph, a.gene) < std::tie(b.graph, b.gene);
              });
    std::sort(found_.places.begin(), found_.places.end());
    return std::move(found_);
  }

 private:
  static constexpr std::uint32_t gone = 0x80000000;

  /// All ranges of suffixes with a common prefix, from the prefixes of neighbours.
  void find_ranges() {
    const std::vector<std::uint8_t> shared =
        common_prefixes(text_.symbols, order_, max_length_, threads_);
    struct open_range {
      std::uint8_t length;
      std::uint32_t begin, first;
    };
    const auto size = static_cast<std::uint32_t>(order_.size());
    const auto too_short = static_cast<std::uint8_t>(min_length_ - 1);
    std::vector<open_range> open{{too_short, 0, ~std::uint32_t{0}}};
    for (std::uint32_t i = 1; i <= size; ++i) {
      const std::uint8_t length = std::max(i < size ? shared[i] : too_short, too_short);
      std::uint32_t begin = i - 1, first = order_[i - 1];
      while (open.back().length > length) {
        const open_range r = open.back();
        open.pop_back();
        begin = r.begin;
        first = std::min(first, r.first);
        add(r.begin, i, std::max(length, open.back().length), r.length, first);
      }
      if (open.back().length < length)
        open.push_back({length, begin, first});
      else
        open.back().first = std::min(open.back().first, first);
    }
  }
  void add(std::uint32_t begin, std::uint32_t end, std::uint8_t shorter, std::uint8_t longer,
           std::uint32_t first) {
    // At first the longest scores highest: they all occur in the same places.
    const std::uint64_t score = std::uint64_t{end - begin} * longer;
    if (score < how_.min_score) return;
    heap_.push_back({score, text_.graph_at(first), first, begin, end, shorter, longer, longer});
  }

  /// Nodes from each place to the next break.
  void find_room() {
    room_.resize(order_.size());
    std::uint8_t room = 0;
    for (std::size_t p = room_.size(); p-- != 0;) {
      if (text_.is_break(p))
        room = 0;
      else if (room < max_length_)
        ++room;
      room_[p] = room;
    }
  }

  /// Calls use(p) for all places of a range that can hold anything. An entry of the order that
  /// can't becomes the index after it and others like it, plus `gone`: it is then skipped.
  template <class Use>
  void each_place(std::uint32_t begin, std::uint32_t end, Use use) {
    for (std::uint32_t i = begin; i < end;) {
      const std::uint32_t from = i;
      while (i < end && ((order_[i] & gone) != 0 || room_[order_[i]] < min_length_))
        i = (order_[i] & gone) != 0 ? order_[i] & ~gone : i + 1;
      if (i != from) order_[from] = gone | i;
      if (i < end) use(order_[i++]);
    }
  }

  /// Score, length and first place as they are now.
  void count(candidate& c) {
    for (std::uint32_t l = c.shorter; l <= c.longer; ++l) counts_[l] = {0, ~std::uint32_t{0}};
    each_place(c.begin, c.end, [&](std::uint32_t p) {
      row& r = counts_[std::clamp(room_[p], c.shorter, c.longer)];
      ++r.count;
      r.first = std::min(r.first, p);
    });
    // Places with room for a run have room for a shorter one. Going down, the first place only
    // moves forward, so that what comes later wins when scores are equal.
    const std::uint32_t first = c.first;
    c.score = 0;
    row sum{0, ~std::uint32_t{0}};
    for (std::uint8_t l = c.longer; l > c.shorter; --l) {
      sum = {sum.count + counts_[l].count, std::min(sum.first, counts_[l].first)};
      const std::uint64_t score = std::uint64_t{sum.count} * l;
      if (sum.count < 2 || score < c.score) continue;
      c.score = score;
      c.length = l;
      c.first = sum.first;
    }
    if (c.score != 0 && c.first != first) c.graph = text_.graph_at(c.first);
  }

  void choose(const candidate& c) {
    places_.clear();
    each_place(c.begin, c.end, [&](std::uint32_t p) {
      if (room_[p] >= c.length) places_.push_back(p);
    });
    std::sort(places_.begin(), places_.end());

    const auto index = static_cast<std::uint32_t>(found_.genes.size());
    gene g = contiguous_gene(corpus_, text_, c.first, c.length);
    g.occurrences = places_.size();
    g.score = c.score;
    std::uint32_t graph = 0, graph_end = 0, taken = 0;
    for (const std::uint32_t p : places_) {
      if (p >= graph_end) {
        graph = text_.graph_at(p);
        graph_end = graph + 1 < text_.starts.size() ? text_.starts[graph + 1] : gone;
        found_.occurrences.push_back({graph, index, 0});
        ++g.models;
      }
      if (p < taken) continue;
      taken = p + c.length;
      take_out(p, c.length);
      if (how_.places) found_.places.push_back({graph, index, nodes_at(p, c.length)});
      taken_out_ += c.length;
      ++found_.occurrences.back().count;
    }
    found_.genes.push_back(std::move(g));
    if (how_.progress) how_.progress(taken_out_, order_.size());
  }

  void take_out(std::uint32_t p, std::uint8_t length) {
    std::fill_n(room_.begin() + p, length, std::uint8_t{0});
    for (std::uint32_t back = 1; back <= p && room_[p - back] > back; ++back)
      room_[p - back] = static_cast<std::uint8_t>(back);
  }

  [[nodiscard]] std::vector<std::uint32_t> nodes_at(std::uint32_t p, std::uint8_t length) const {
    std::vector<std::uint32_t> nodes;
    for (const std::uint32_t end = p + length; p < end; ++p) {
      const std::uint32_t repeats = std::max(text_.repeats[text_.symbols[p]], 1u);
      for (std::uint32_t i = 0; i < repeats; ++i) nodes.push_back(nodes_[p] + i);
    }
    return nodes;
  }

  struct row {
    std::uint32_t count, first;
  };

  const corpus& corpus_;
  const std::uint8_t min_length_, max_length_;
  const contiguous_options& how_;
  unsigned threads_ = 1;
  std::vector<std::uint32_t> nodes_;  // at the places of the text, where they are asked for
  token_text text_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint8_t> room_;
  std::vector<candidate> heap_;
  std::vector<std::uint32_t> places_;
  row counts_[longest + 1];
  std::uint64_t taken_out_ = 0;
  findings found_;
};

}  // namespace

gene contiguous_gene(const corpus& of, const token_text& text, std::uint32_t first,
                     std::uint32_t length) {
  gene g;
  for (std::uint32_t i = 0; i < length; ++i) {
    const std::uint32_t token = text.symbols[first + i], repeats = text.repeats[token];
    const token_text::place at = text.tokens[token];
    const std::uint32_t kind = of[at.graph].kinds[at.node];
    g.labels.push_back(kind);
    g.repeats.push_back(repeats);
    std::vector<std::int32_t>& inputs = g.inputs.emplace_back();
    if (i != 0) g.code += ' ';
    if (repeats != 0) g.code += std::to_string(repeats) + 'x';
    g.code += std::to_string(kind) + '(';
    for (const std::uint32_t back : text.inputs_of(token)) {
      if (back <= i) g.edges.push_back({i - back, i, static_cast<std::uint32_t>(inputs.size())});
      if (!inputs.empty()) g.code += ',';
      inputs.push_back(-static_cast<std::int32_t>(back));
      g.code += std::to_string(inputs.back());
    }
    g.code += ')';
  }
  return g;
}

findings mine_contiguous(const corpus& of, const contiguous_options& how) {
  const std::uint32_t min_length = std::max(how.min_length, 1u);
  const std::uint32_t max_length = std::min(how.max_length, longest);
  if (min_length > max_length) return {};
  return search(of, how, static_cast<std::uint8_t>(min_length),
                static_cast<std::uint8_t>(max_length))
      .run();
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
