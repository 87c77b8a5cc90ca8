// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tokens.hpp"

#include <algorithm>
#include <stdexcept>
#include <tessera/core/bytes.hpp>
#include <utility>

#include "tessera/core/keyed_hash.hpp"

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
  interner(const corpus& of, token_text& text) : corpus_(of), text_(text), slots_(1024) {
    text_.first_input.push_back(0);
  }

  /// The node's number; `inputs` says how far each of its inputs is before it.
  std::uint32_t add(token_text::place at, std::uint32_t kind, std::uint32_t repeats,
                    std::span<const std::uint32_t> inputs) {
    const std::uint32_t hash = hash_of(kind, repeats, inputs);
    std::size_t i = hash & (slots_.size() - 1);
    for (; slots_[i] != 0; i = (i + 1) & (slots_.size() - 1)) {
      const std::uint32_t token = slots_[i] - 1;
      if (hashes_[token] == hash && same(kind, repeats, inputs, token)) return token;
    }
    text_.tokens.push_back(at);
    text_.repeats.push_back(repeats);
    text_.inputs.insert(text_.inputs.end(), inputs.begin(), inputs.end());
    if (text_.inputs.size() >= max_symbols) throw std::length_error("token_text");
    text_.first_input.push_back(static_cast<std::uint32_t>(text_.inputs.size()));
    hashes_.push_back(hash);
    slots_[i] = static_cast<std::uint32_t>(text_.tokens.size());
    if (text_.tokens.size() * 2 > slots_.size()) grow();
    return static_cast<std::uint32_t>(text_.tokens.size() - 1);
  }

 private:
  static std::uint32_t hash_of(std::uint32_t kind, std::uint32_t repeats,
                               std::span<const std::uint32_t> inputs) noexcept {
    return static_cast<std::uint32_t>(
        keyed_hash(as_text(std::as_bytes(inputs)), std::uint64_t{repeats} << 32 | kind));
  }
  [[nodiscard]] bool same(std::uint32_t kind, std::uint32_t repeats,
                          std::span<const std::uint32_t> inputs,
                          std::uint32_t token) const noexcept {
    const token_text::place as = text_.tokens[token];
    const std::span<const std::uint32_t> others = text_.inputs_of(token);
    return corpus_[as.graph].kinds[as.node] == kind && text_.repeats[token] == repeats &&
           std::equal(inputs.begin(), inputs.end(), others.begin(), others.end());
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
  token_text& text_;
  std::vector<std::uint32_t> hashes_;  // of tokens
  std::vector<std::uint32_t> slots_;   // tokens plus 1; 0 is free
};

/// The runs of a graph that become COPYs, and the indices of its nodes with each as one.
class run_finder {
 public:
  explicit run_finder(const vocabulary& names) {
    repeats_.resize(names.size());
    for (std::uint32_t kind = 0; kind < names.size(); ++kind) {
      const std::uint32_t operation = names[kind].operation;
      repeats_[kind] = operation >= genome::first_id ||
                       operation == static_cast<std::uint32_t>(genome::command::data_input) ||
                       operation == static_cast<std::uint32_t>(genome::command::param_input) ||
                       operation == static_cast<std::uint32_t>(genome::command::const_ref);
    }
  }

  /// `ends`: of blocks, ascending.
  void find(const corpus::graph& g, const std::vector<std::uint64_t>& ends) {
    // What a run never goes over: nodes that are used, and the last of blocks, which are their value.
    used_.assign(g.size(), 0);
    for (std::uint32_t i = 0; i < g.size(); ++i)
      for (const std::uint32_t input : g.inputs(i)) used_[input] = 1;
    for (const std::uint64_t end : ends)
      if (end != 0 && end <= g.size()) used_[static_cast<std::size_t>(end - 1)] = 1;
    index_.resize(g.size());
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < g.size(); ++next) {
      std::uint32_t last = i;
      if (repeats_[g.kinds[i]] && g.inputs(i).empty()) {
        const bool ends_here = std::binary_search(ends.begin(), ends.end(), std::uint64_t{i} + 1);
        while (!ends_here && last + 1 < g.size() && last - i + 1 < 32767 && used_[last + 1] == 0 &&
               g.kinds[last + 1] == g.kinds[i] && g.inputs(last + 1).empty())
          ++last;
        if (last - i < 2) last = i;
      }
      for (const std::uint32_t first = i; i <= last; ++i) {
        index_[i] = next;
        used_[i] = last != first ? 1 : 0;
      }
    }
  }
  [[nodiscard]] std::uint32_t index(std::uint32_t node) const noexcept { return index_[node]; }
  /// Nodes of the run that begins at a node; 0 where none does.
  [[nodiscard]] std::uint32_t length(std::uint32_t node) const noexcept {
    if (used_[node] == 0) return 0;
    std::uint32_t end = node + 1;
    while (end < index_.size() && index_[end] == index_[node]) ++end;
    return end - node;
  }

 private:
  std::vector<bool> repeats_;        // by kind
  std::vector<unsigned char> used_;  // once runs are found: in one of them
  std::vector<std::uint32_t> index_;
};

}  // namespace

token_text::token_text(const corpus& of, std::vector<std::uint32_t>* nodes) {
  const vocabulary& names = of.names();
  std::vector<role> roles(names.size());
  for (std::uint32_t kind = 0; kind < names.size(); ++kind)
    roles[kind] = role_of(names[kind].operation);

  // Breaks are ~0 until the number of tokens is known.
  constexpr std::uint32_t any_break = ~std::uint32_t{0};
  const auto stop = [&] {
    if (!symbols.empty() && symbols.back() != any_break) symbols.push_back(any_break);
  };
  interner number(of, *this);
  run_finder runs(names);
  std::vector<std::uint32_t> back;
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
    runs.find(graph, ends);

    std::size_t end = 0;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      const std::uint32_t first = i;
      for (; end < ends.size() && ends[end] <= i; ++end) stop();
      const role r = roles[graph.kinds[i]];
      if (const std::uint32_t length = runs.length(i); length != 0) {
        symbols.push_back(number.add({g, i}, graph.kinds[i], length, {}));
        i += length - 1;
      } else if (r == role::stop) {
        stop();
      } else if (r == role::token) {
        back.clear();
        for (const std::uint32_t input : graph.inputs(i))
          back.push_back(runs.index(i) - runs.index(input));
        symbols.push_back(number.add({g, i}, graph.kinds[i], 0, back));
      }
      if (symbols.size() >= max_symbols) throw std::length_error("token_text");
      if (nodes != nullptr) nodes->resize(symbols.size(), first);
    }
    stop();
    if (nodes != nullptr) nodes->resize(symbols.size());
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
