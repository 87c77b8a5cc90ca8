// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The longest of many sequences that starts at each place of a text, in one pass over the text.
//
//   detail::sequence_matcher m;
//   m.add({tokens, 3}, 7);                   // tokens are numbers from 1 on
//   m.build();
//   std::uint32_t state = 0;
//   for (std::size_t i = text.size(); i-- != 0;) {
//     state = m.step(state, text[i]);
//     auto found = m.longest(state, room);   // that starts at i and has at most `room` tokens
//   }
//
// An automaton of Aho and Corasick over the sequences from back to front, which therefore reads the
// text from back to front. Its states are the nodes of a trie in the order of their depth, so that
// the children of one are consecutive, tokens ascending, and are found by bisection. Shorter
// sequences that start at the same place are found through links that skip more and more of them.
//
// Lifetime:   owns copies of the tokens.
// Errors:     none.
// Limits:     2^32 - 2 tokens in all.
// Allocation: 80 bytes for each token at most. Time is linear in the tokens and in the
//             text, but for a logarithm of the number of sequences.

#ifndef TESSERA_GENOME_DETAIL_SEQUENCE_MATCHER_HPP
#define TESSERA_GENOME_DETAIL_SEQUENCE_MATCHER_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {

class sequence_matcher {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Which sequence was found; none where none was.
  struct found {
    std::uint32_t name = none;
    std::uint32_t size = 0;
  };

  /// Of equal sequences the first that was added is found. `tokens` has at least one.
  void add(view<std::uint32_t> tokens, std::uint32_t name) {
    sequences_.push_back({static_cast<std::uint32_t>(tokens_.size()),
                          static_cast<std::uint32_t>(tokens.size()), name});
    tokens_.append(tokens.data(), tokens.size());
  }

  void build() {
    sort(sequences_.data(), sequences_.size(),
         [this](const sequence& x, const sequence& y) { return is_below(x, y); });
    make_states();
    tokens_ = {};
    link();
  }

  /// The state after one more token, to the left of those before.
  [[nodiscard]] std::uint32_t step(std::uint32_t from, std::uint32_t token) const noexcept {
    for (;;) {
      const std::uint32_t next = child(from, token);
      if (next != 0 || from == 0) return next;
      from = states_[from].shorter;
    }
  }

  [[nodiscard]] found longest(std::uint32_t from, std::size_t room) const noexcept {
    std::uint32_t at = states_[from].longest;
    while (states_[at].depth > room) {
      const link_of& l = links_[states_[at].link];
      at = states_[l.far].depth > room ? l.far : l.near;
    }
    return at == 0 ? found{} : found{links_[states_[at].link].name, states_[at].depth};
  }

 private:
  struct sequence {
    std::uint32_t first, size, name;
  };
  struct state {
    std::uint32_t token = 0, parent = 0, depth = 0;
    std::uint32_t shorter = 0;  ///< the longest state that this one's sequence starts with
    std::uint32_t longest = 0;  ///< the state of the longest whole sequence that it starts with
    std::uint32_t link = 0;     ///< where a sequence ends: its row in links_
  };
  /// A sequence and shorter ones that it starts with: the next, and one farther away.
  struct link_of {
    std::uint32_t near = 0, far = 0, rank = 0, name = none;
  };

  /// The token of a sequence that comes `depth` before its last.
  [[nodiscard]] std::uint32_t token(const sequence& s, std::size_t depth) const noexcept {
    return tokens_[s.first + (s.size - 1 - depth)];
  }
  [[nodiscard]] bool is_below(const sequence& x, const sequence& y) const noexcept {
    const std::size_t depth = shared(x, y);
    if (depth == x.size || depth == y.size) return x.size < y.size;
    return token(x, depth) < token(y, depth);
  }
  [[nodiscard]] std::size_t shared(const sequence& x, const sequence& y) const noexcept {
    std::size_t depth = 0;
    while (depth < x.size && depth < y.size && token(x, depth) == token(y, depth)) ++depth;
    return depth;
  }

  /// The trie. Sequences come sorted, so each adds states to the path of the one before; sorting
  /// those by depth, stable, puts the children of each in a row.
  void make_states() {
    pool<state> made;
    made.reserve(tokens_.size() + 1);
    made.push_back({});
    pool<std::uint32_t> path = {0}, ends, counts, places;
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      const sequence& s = sequences_[i];
      const std::size_t kept = i == 0 ? 0 : shared(sequences_[i - 1], s);
      path.shrink(kept + 1);
      for (std::size_t d = kept; d < s.size; ++d) {
        made.push_back({token(s, d), path.back(), static_cast<std::uint32_t>(d + 1)});
        path.push_back(static_cast<std::uint32_t>(made.size() - 1));
      }
      ends.push_back(path.back());
    }
    for (const state& s : made) {
      if (counts.size() <= s.depth + std::size_t{1}) counts.resize(s.depth + std::size_t{2});
      ++counts[s.depth + std::size_t{1}];
    }
    for (std::size_t d = 1; d < counts.size(); ++d) counts[d] += counts[d - 1];
    places.resize(made.size());
    states_.resize(made.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      places[i] = counts[made[i].depth]++;
      states_[places[i]] = made[i];
      states_[places[i]].parent = places[made[i].parent];
    }
    links_ = {{}};
    for (std::size_t i = 0; i < ends.size(); ++i) {
      state& s = states_[places[ends[i]]];
      if (s.link != 0) continue;
      s.link = static_cast<std::uint32_t>(links_.size());
      links_.push_back({0, 0, 0, sequences_[i].name});
    }
    firsts_.resize(states_.size() + 1);
    for (std::size_t i = 1; i < states_.size(); ++i) ++firsts_[states_[i].parent + std::size_t{1}];
    std::uint32_t first = 1;  // after the root
    for (std::uint32_t& f : firsts_) f = first += f;
  }

  void link() {
    for (std::uint32_t i = 1; i < states_.size(); ++i) {
      state& s = states_[i];
      if (s.parent != 0) s.shorter = step(states_[s.parent].shorter, s.token);
      const std::uint32_t near = states_[s.shorter].longest;
      s.longest = s.link == 0 ? near : i;
      if (s.link == 0) continue;
      const link_of& before = links_[states_[near].link];
      const link_of& far = links_[states_[before.far].link];
      link_of& l = links_[s.link];
      l.near = near;
      l.rank = before.rank + 1;
      const bool doubled = before.rank - far.rank == far.rank - links_[states_[far.far].link].rank;
      l.far = doubled ? far.far : near;
    }
  }

  [[nodiscard]] std::uint32_t child(std::uint32_t of, std::uint32_t token) const noexcept {
    const std::uint32_t first = firsts_[of], count = firsts_[of + std::size_t{1}] - first;
    const std::size_t at = first_not_below(states_.data() + first, count,
                                           [token](const state& s) { return s.token < token; });
    return at < count && states_[first + at].token == token ? first + static_cast<std::uint32_t>(at)
                                                            : 0;
  }

  pool<std::uint32_t> tokens_;
  pool<sequence> sequences_;
  pool<state> states_;          // the first is the start
  pool<std::uint32_t> firsts_;  // children of each state, and the end
  pool<link_of> links_;         // the first is that of none
};

}  // namespace detail
}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_SEQUENCE_MATCHER_HPP
