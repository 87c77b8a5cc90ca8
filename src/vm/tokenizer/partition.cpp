// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "partition.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {
namespace {

namespace model = tessera::nac;

constexpr std::string_view optional_space = "(?: ?)";
/// The longest expression that rules are joined to: PCRE2's code has its limits.
constexpr std::size_t longest_joined = 8192;

struct source {
  std::string pattern;
  std::uint32_t index = 0;  ///< of the first rule in it
  bool plain = false;       ///< can be joined with others
};

/// Whether an expression means the same among others: it has no groups, and so no numbers of them.
[[nodiscard]] bool is_plain(std::string_view pattern) noexcept {
  if (pattern.starts_with(optional_space)) pattern.remove_prefix(optional_space.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
      if (i < pattern.size() && pattern[i] >= '0' && pattern[i] <= '9') return false;
    } else if (pattern[i] == '(') {
      return false;
    }
  }
  return true;
}

}  // namespace

partition::partition(const model::tokenizer_instruction& i, std::uint32_t match_limit, meter& use) {
  const auto compile = [&](const source& s) {
    try {
      expression e(s.pattern, match_limit);
      use.hold(e.bytes());
      return e;
    } catch (trouble& t) {
      if (t.code == errc::nac_tokenizer_expression)
        t.text = "rule " + std::to_string(s.index) + ": " + t.text;
      throw;
    }
  };
  model::rule_reader in(i);
  std::vector<source> group;
  treatment how;  // of the group
  // Joined expressions are tried at a place in their order, as they would be one by one; where
  // joining fails, each half is tried, and at last the one that PCRE2 doesn't like.
  const auto add = [&](auto&& self, std::size_t first, std::size_t last) -> void {
    if (first == last) return;
    source s = group[first];
    for (std::size_t k = first + 1; k < last; ++k) s.pattern += "|" + group[k].pattern;
    use.work(s.pattern.size());
    if (last - first > 1) {
      const std::size_t half = first + (last - first) / 2;
      try {
        rules_.push_back({compile(s), how});
      } catch (const trouble& t) {
        if (t.code != errc::nac_tokenizer_expression) throw;
        self(self, first, half);
        self(self, half, last);
      }
      return;
    }
    rules_.push_back({compile(s), how});
  };
  std::size_t joined = 0;
  std::uint32_t index = 0;
  for (model::partition_rule r; in.next(r); ++index) {
    const treatment its{(r.flags & model::partition_rule::protects) != 0,
                        r.behaviour == model::partition_rule::remove, r.trim};
    std::string pattern;
    try {
      pattern = python_syntax(r.expression);
    } catch (trouble& t) {
      t.text = "rule " + std::to_string(index) + ": " + t.text;
      throw;
    }
    if (its.is_protected && (r.expression.starts_with('<') || r.expression.starts_with('[')))
      pattern.insert(0, optional_space);
    use.work(pattern.size());
    const bool plain = is_plain(pattern);
    if (!group.empty() &&
        (!plain || !group.back().plain || its != how || joined > longest_joined)) {
      add(add, 0, group.size());
      group.clear();
      joined = 0;
    }
    how = its;
    joined += pattern.size();
    group.push_back({std::move(pattern), index, plain});
  }
  add(add, 0, group.size());
}

void partition::run(std::string_view text, std::vector<fragment>& out, meter& use) const {
  out.clear();
  if (rules_.empty()) return use.push(out, {0, text.size(), false});
  // For each rule the place of its next match, or up to where there is none.
  struct known {
    bool has = false;
    found match = {};
    std::size_t none_before = 0;
  };
  std::vector<known> states;
  use.resize(states, rules_.size());
  expression::matcher matcher;
  std::size_t at = 0;  // after the last match
  for (bool some = false;;) {
    // Later rules only count where they match further left.
    std::size_t end = text.size() + 1, best = rules_.size();
    for (std::size_t k = 0; k < rules_.size() && at < end; ++k) {
      known& state = states[k];
      if (state.has && (state.match.first < at || (some && state.match.last == at))) {
        state.has = false;
        state.none_before = at;
      }
      if (!state.has) {
        const std::size_t from = std::max(at, state.none_before);
        if (from >= end) continue;
        state.has = rules_[k].matches.search(text, from, end, some && from == at, matcher, use,
                                             state.match);
        if (!state.has) state.none_before = end;
      }
      if (state.has && state.match.first < end) {
        end = state.match.first;
        best = k;
      }
    }
    use.work(rules_.size());
    if (best == rules_.size()) break;
    const treatment& how = rules_[best].how;
    const found match = states[best].match;
    std::string_view gap = text.substr(at, match.first - at);
    if (!how.trim.empty() && gap.ends_with(how.trim)) gap.remove_suffix(how.trim.size());
    if (!gap.empty()) use.push(out, {at, gap.size(), false});
    if (!how.removes && match.last > match.first) {
      fragment f{match.first, match.last - match.first, how.is_protected};
      if (how.is_protected && f.size > 1 && text[f.first] == ' ') {
        ++f.first;
        --f.size;
      }
      use.push(out, f);
    }
    at = match.last;
    some = match.last == match.first;
  }
  if (at < text.size()) use.push(out, {at, text.size() - at, false});
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
