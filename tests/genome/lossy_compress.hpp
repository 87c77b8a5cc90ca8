// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the compressor of the tools that made NAC v1.2 does: an oracle of how many macros there could
// be, not of what they mean.
//
// One pass from left to right over a flat graph, patterns longest first, of equal ones the first in
// the registry. The first that matches becomes a macro, whose D is all that the range takes from
// outside. All ids of the range become the macro's: which of its nodes was meant is lost. D of every
// node is ascending, each entry once.

#ifndef TESSERA_TESTS_GENOME_LOSSY_COMPRESS_HPP
#define TESSERA_TESTS_GENOME_LOSSY_COMPRESS_HPP

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "genome/graphs.hpp"

namespace graphs {

struct lossy {
  std::vector<row> rows;
  std::size_t macros = 0;
  std::size_t saved = 0;  ///< nodes
};

class lossy_compressor {
 public:
  explicit lossy_compressor(const genome::library& l) {
    const genome::registry& r = l.registry();
    for (std::uint32_t p = 0; p < r.patterns.size(); ++p) {
      std::vector<int> text;
      for (const flat_node& n : naive_pattern(l, p)) {
        row token = n.node;
        for (const long d : n.refs) token.d.push_back(static_cast<int>(d));
        text.push_back(number(token));
      }
      patterns_.push_back({text, r.patterns[p].id});
    }
    std::stable_sort(patterns_.begin(), patterns_.end(), [](const pattern& x, const pattern& y) {
      return x.text.size() > y.text.size();
    });
    for (std::size_t p = 0; p < patterns_.size(); ++p) starts_[patterns_[p].text[0]].push_back(p);
  }

  /// `flat` has no blocks; a COPY is one node.
  [[nodiscard]] lossy run(const genome::stream_view& flat) {
    const std::vector<row> rows = rows_of(flat);
    std::vector<int> text, ids;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      row token = rows[i];
      if (token.a != 7)
        for (int& d : token.d) d -= static_cast<int>(i);
      text.push_back(number(token));
    }
    lossy out;
    for (std::size_t i = 0; i < rows.size();) {
      const pattern* const p = match(text, i);
      const std::size_t end = p == nullptr ? i + 1 : i + p->text.size();
      row r = rows[i];
      if (p != nullptr)
        r = {6, static_cast<int>(p->id & 0xff), static_cast<int>(p->id & 0xff00), {}};
      std::set<int> taken;
      for (std::size_t k = i; k < end; ++k)
        for (const int d : rows[k].d)
          if (rows[k].a != 7 && d < static_cast<int>(i))
            taken.insert(ids[static_cast<std::size_t>(d)]);
      if (r.a != 7) r.d.assign(taken.begin(), taken.end());
      ids.insert(ids.end(), end - i, static_cast<int>(out.rows.size()));
      out.rows.push_back(r);
      out.macros += p != nullptr;
      out.saved += end - i - 1;
      i = end;
    }
    return out;
  }

 private:
  struct pattern {
    std::vector<int> text;
    std::uint32_t id;
  };
  [[nodiscard]] int number(const row& r) {
    std::vector<int> key = {r.a, r.b, r.c};
    key.insert(key.end(), r.d.begin(), r.d.end());
    return numbers_.try_emplace(key, static_cast<int>(numbers_.size())).first->second;
  }
  [[nodiscard]] const pattern* match(const std::vector<int>& text, std::size_t i) const {
    const auto at = starts_.find(text[i]);
    if (at == starts_.end()) return nullptr;
    for (const std::size_t p : at->second) {
      const std::vector<int>& t = patterns_[p].text;
      if (t.size() <= text.size() - i &&
          std::equal(t.begin(), t.end(), text.begin() + static_cast<std::ptrdiff_t>(i)))
        return &patterns_[p];
    }
    return nullptr;
  }

  std::map<std::vector<int>, int> numbers_;
  std::vector<pattern> patterns_;
  std::map<int, std::vector<std::size_t>> starts_;  // patterns by their first token, longest first
};

}  // namespace graphs

#endif  // TESSERA_TESTS_GENOME_LOSSY_COMPRESS_HPP
