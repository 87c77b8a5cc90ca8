// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which items of two sequences are the same ones: those that are unique in both are matched first, then
// what surrounds them.
//
//   sequence_matcher<std::string> m(before, after);
//   std::vector<std::size_t> partner = m.run();   // for each of `before`, its equal in `after`; or none
//
// Partners ascend: nothing is moved.
//
// Lifetime:   borrows the sequences.
// Errors:     std::bad_alloc.
// Limits:     64 rounds, each between the matches of the last one; what is left then has no partner.
// Allocation: linear in the items.

#ifndef TESSERA_INSPECT_SEQUENCE_MATCH_HPP
#define TESSERA_INSPECT_SEQUENCE_MATCH_HPP

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Item: what std::hash takes.
template <class Item>
class sequence_matcher {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  sequence_matcher(const std::vector<Item>& a, const std::vector<Item>& b)
      : a_(a), b_(b), partner_(a.size(), none) {}

  /// For each item of `a`, its equal in `b`; ascending.
  [[nodiscard]] std::vector<std::size_t> run() {
    open_.push_back({0, a_.size(), 0, b_.size(), 0});
    while (!open_.empty()) {
      span s = open_.back();
      open_.pop_back();
      trim(s);
      if (s.a != s.a_end && s.b != s.b_end && s.depth < max_depth) split(s);
    }
    return std::move(partner_);
  }

 private:
  static constexpr unsigned max_depth = 64;
  struct span {
    std::size_t a, a_end, b, b_end;
    unsigned depth;
  };

  void trim(span& s) {
    while (s.a < s.a_end && s.b < s.b_end && a_[s.a] == b_[s.b]) partner_[s.a++] = s.b++;
    while (s.a < s.a_end && s.b < s.b_end && a_[s.a_end - 1] == b_[s.b_end - 1])
      partner_[--s.a_end] = --s.b_end;
  }

  /// Matches what is unique on both sides, and leaves the spans between.
  void split(const span& s) {
    struct place {
      std::size_t a = none, b = none;
      bool twice = false;
    };
    std::unordered_map<Item, place> places;
    for (std::size_t i = s.a; i < s.a_end; ++i) {
      place& p = places[a_[i]];
      p.twice = p.twice || p.a != none;
      p.a = i;
    }
    for (std::size_t i = s.b; i < s.b_end; ++i)
      if (const auto at = places.find(b_[i]); at != places.end()) {
        at->second.twice = at->second.twice || at->second.b != none;
        at->second.b = i;
      }
    std::vector<std::pair<std::size_t, std::size_t>> unique;
    for (std::size_t i = s.a; i < s.a_end; ++i)
      if (const place& p = places[a_[i]]; !p.twice && p.b != none) unique.emplace_back(i, p.b);
    span rest = s;
    ++rest.depth;
    bool any = false;
    for (const auto& [a, b] : ascending(unique)) {
      any = true;
      partner_[a] = b;
      open_.push_back({rest.a, a, rest.b, b, rest.depth});
      rest.a = a + 1;
      rest.b = b + 1;
    }
    if (any) open_.push_back(rest);
  }

  using pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  /// A longest subsequence whose second members ascend.
  [[nodiscard]] static pairs ascending(const pairs& of) {
    std::vector<std::size_t> piles, before(of.size(), none);
    for (std::size_t i = 0; i < of.size(); ++i) {
      const auto at = std::lower_bound(
          piles.begin(), piles.end(), of[i].second,
          [&of](std::size_t pile, std::size_t value) { return of[pile].second < value; });
      if (at != piles.begin()) before[i] = *(at - 1);
      if (at == piles.end())
        piles.push_back(i);
      else
        *at = i;
    }
    pairs out;
    for (std::size_t i = piles.empty() ? none : piles.back(); i != none; i = before[i])
      out.push_back(of[i]);
    std::reverse(out.begin(), out.end());
    return out;
  }

  const std::vector<Item>& a_;
  const std::vector<Item>& b_;
  std::vector<std::size_t> partner_;
  std::vector<span> open_;
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_SEQUENCE_MATCH_HPP
