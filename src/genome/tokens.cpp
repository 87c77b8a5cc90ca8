// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tokens.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace genomics {
namespace {

constexpr std::uint32_t max_symbols = 0x7fffffff;

enum class role : std::uint8_t { token, left_out, stop };

role role_of(std::uint32_t operation) noexcept {
  if (operation >= genome::first_id) return role::token;
  switch (static_cast<genome::command>(operation)) {
    case genome::command::none:
    case genome::command::pad:
    case genome::command::data_input:
    case genome::command::param_input:
    case genome::command::output:
    case genome::command::const_ref: return role::left_out;
    default: return role::stop;
  }
}

/// Where the blocks of the IF or WHILE `i` end: its kind's constant has their lengths.
void add_block_ends(const vocabulary& names, std::uint32_t kind, std::uint32_t i,
                    std::vector<std::uint64_t>& ends) {
  for (const argument& a : names.arguments(names[kind].constants)) {
    if (a.type != "blocks") continue;
    std::uint64_t end = std::uint64_t{i} + 1, length = 0;
    bool digits = false;
    for (std::size_t k = 0; k <= a.value.size(); ++k) {
      const char c = k < a.value.size() ? a.value[k] : ',';
      if (c >= '0' && c <= '9') {
        length = std::min<std::uint64_t>(length * 10 + static_cast<unsigned>(c - '0'), ~0u);
        digits = true;
      } else if (digits) {
        ends.push_back(end += std::exchange(length, 0));
        digits = false;
      }
    }
  }
}

/// Numbers of nodes that say the same: an open hash table, at most half full.
class interner {
 public:
  interner(const corpus& of, std::vector<token_text::place>& tokens)
      : corpus_(of), tokens_(tokens), slots_(1024) {}

  std::uint32_t add(const corpus::graph& g, token_text::place at) {
    const std::uint32_t hash = hash_of(g, at.node);
    std::size_t i = hash & (slots_.size() - 1);
    for (; slots_[i] != 0; i = (i + 1) & (slots_.size() - 1)) {
      const std::uint32_t token = slots_[i] - 1;
      if (hashes_[token] == hash && same(g, at.node, tokens_[token])) return token;
    }
    tokens_.push_back(at);
    hashes_.push_back(hash);
    slots_[i] = static_cast<std::uint32_t>(tokens_.size());
    if (tokens_.size() * 2 > slots_.size()) grow();
    return static_cast<std::uint32_t>(tokens_.size() - 1);
  }

 private:
  static std::uint32_t hash_of(const corpus::graph& g, std::uint32_t node) noexcept {
    std::uint64_t h = g.kinds[node];
    for (const std::uint32_t input : g.inputs(node))
      h = (h ^ h >> 29) * 0x9e3779b97f4a7c15u + (node - input);
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return static_cast<std::uint32_t>(h >> 32);
  }
  [[nodiscard]] bool same(const corpus::graph& g, std::uint32_t node,
                          token_text::place as) const noexcept {
    const corpus::graph other = corpus_[as.graph];
    const std::span<const std::uint32_t> a = g.inputs(node), b = other.inputs(as.node);
    if (g.kinds[node] != other.kinds[as.node] || a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (node - a[k] != as.node - b[k]) return false;
    return true;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::size_t token = 0; token < hashes_.size(); ++token) {
      std::size_t i = hashes_[token] & (slots_.size() - 1);
      while (slots_[i] != 0) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = static_cast<std::uint32_t>(token + 1);
    }
  }

  const corpus& corpus_;
  std::vector<token_text::place>& tokens_;
  std::vector<std::uint32_t> hashes_;  // of tokens
  std::vector<std::uint32_t> slots_;   // tokens plus 1; 0 is free
};

}  // namespace

token_text::token_text(const corpus& of) {
  const vocabulary& names = of.names();
  std::vector<role> roles(names.size());
  for (std::uint32_t kind = 0; kind < names.size(); ++kind)
    roles[kind] = role_of(names[kind].operation);

  // Breaks are ~0 until the number of tokens is known.
  constexpr std::uint32_t any_break = ~std::uint32_t{0};
  const auto stop = [&] {
    if (!symbols.empty() && symbols.back() != any_break) symbols.push_back(any_break);
  };
  interner number(of, tokens);
  std::vector<std::uint64_t> ends;
  starts.reserve(of.size());
  symbols.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(of.nodes(), max_symbols)));
  for (std::uint32_t g = 0; g < of.size(); ++g) {
    const corpus::graph graph = of[g];
    starts.push_back(static_cast<std::uint32_t>(symbols.size()));
    ends.clear();
    for (std::uint32_t i = 0; i < graph.size(); ++i)
      if (names[graph.kinds[i]].operation ==
          static_cast<std::uint32_t>(genome::command::control_flow))
        add_block_ends(names, graph.kinds[i], i, ends);
    std::sort(ends.begin(), ends.end());

    std::size_t end = 0;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      for (; end < ends.size() && ends[end] <= i; ++end) stop();
      const role r = roles[graph.kinds[i]];
      if (r == role::token)
        symbols.push_back(number.add(graph, {g, i}));
      else if (r == role::stop)
        stop();
      if (symbols.size() >= max_symbols) throw std::length_error("token_text");
    }
    stop();
  }

  for (std::uint32_t& s : symbols)
    if (s == any_break) s = static_cast<std::uint32_t>(tokens.size()) + breaks++;
}

std::uint32_t token_text::graph_at(std::uint32_t p) const noexcept {
  const auto after = std::upper_bound(starts.begin(), starts.end(), p);
  return static_cast<std::uint32_t>(after - starts.begin()) - 1;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
