// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "grammar.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "less_by_element.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

/// Takes a rule's text apart, from left to right.
class scanner {
 public:
  explicit scanner(std::string_view s) : rest_(s) {}

  [[nodiscard]] bool skip(std::string_view s) {
    if (!rest_.starts_with(s)) return false;
    rest_.remove_prefix(s.size());
    return true;
  }
  /// What comes before `end`, which is skipped.
  [[nodiscard]] std::optional<std::string_view> until(std::string_view end) {
    const std::size_t at = rest_.find(end);
    if (at == rest_.npos) return {};
    const std::string_view out = rest_.substr(0, at);
    rest_.remove_prefix(at + end.size());
    return out;
  }
  template <class T>
  [[nodiscard]] std::optional<T> number() {
    T out{};
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (read.ec != std::errc()) return {};
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    return out;
  }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

struct grammar::reader {
  grammar& to;
  const genome::library& library;
  const genome::registry& from;
  std::map<std::string, std::uint32_t, std::less<>> number_of;
  using numbers = std::vector<std::int64_t>;
  using names = std::vector<std::uint32_t>;
  /// Structures without one of their inputs: the name, that input's name, and the distances of the
  /// others, ascending. What the others' names are, and how often.
  std::map<std::tuple<std::uint32_t, std::uint32_t, numbers>,
           std::map<names, std::uint64_t, less_by_element>>
      structures;
  /// Transitions: the source, the name, and the connection's text.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::uint64_t> edges;
  std::map<std::tuple<std::uint32_t, std::uint32_t, names>, double, less_by_element> productions;

  void read() {
    for (const std::string_view name : {"<DATA_INPUT>", "<CONST_REF>", "<OUTPUT>"}) add(name, 0);
    for (const genome::entry& e : from.operations)
      if (e.id >= genome::first_id) add(from.name_of(e), static_cast<std::uint8_t>(e.id));
    to.after_.resize(to.names_.size());
    to.compositions_.resize(to.names_.size());
    for (const genome::counted_rule& r : from.compositions)
      if (r.count != 0) composition_of(r);
    for (const genome::counted_rule& r : from.structures)
      if (r.count != 0) structure_of(r);
    for (const genome::transition_rule& r : from.transitions) transition_of(r);
    for (const auto& [edge, count] : edges)
      produce(std::get<0>(edge), std::get<1>(edge), std::get<2>(edge), count);
    for (const auto& [key, count] : productions)
      to.after_[std::get<0>(key)].push_back({std::get<1>(key), std::get<2>(key), count});
  }

 private:
  void add(std::string_view name, std::uint8_t a) {
    number_of.emplace(name, static_cast<std::uint32_t>(to.names_.size()));
    to.names_.emplace_back(name);
    to.operations_.push_back(a);
  }
  [[nodiscard]] std::optional<std::uint32_t> find(std::optional<std::string_view> name) const {
    if (!name) return {};
    const auto at = number_of.find(*name);
    if (at == number_of.end()) return {};
    return at->second;
  }

  // Composition: Op='X', Var=10, Const='g[12]'
  void composition_of(const genome::counted_rule& r) {
    scanner s(from.name_of(r.text));
    if (!s.skip("Composition: Op='")) return;
    const auto name = find(s.until("', Var="));
    const auto variation = s.number<std::uint8_t>();
    if (!name || !variation || !s.skip(", Const='")) return;
    if (library.variation(*variation).empty()) return;
    std::int16_t c = 0;
    if (!s.skip("None'")) {
      const bool is_group = s.skip("g[");
      if (!is_group && !s.skip("c[")) return;
      const auto id = s.number<std::int16_t>();
      if (!id || *id < 0) return;
      // Texts of rules aren't proven, as nodes are.
      const auto known = static_cast<std::uint32_t>(*id);
      if (is_group ? library.group(known).empty() : library.constant(known) == nullptr) return;
      c = static_cast<std::int16_t>(is_group ? -*id - 1 : *id);
    }
    to.compositions_[*name].push_back({*variation, c, r.count});
  }

  // Node 'Y' is formed by inputs from ['X' (at rel -2), 'Z' (at rel -1)]
  void structure_of(const genome::counted_rule& r) {
    scanner s(from.name_of(r.text));
    if (!s.skip("Node '")) return;
    const auto name = find(s.until("' is formed by inputs from ["));
    if (!name) return;
    std::vector<std::pair<std::int64_t, std::uint32_t>> parents;  // distances and names
    do {
      if (!s.skip("'")) return;
      const auto of = find(s.until("' (at rel "));
      const auto distance = s.number<std::int64_t>();
      if (!of || !distance || !s.skip(")") || parents.size() == max_parents) return;
      parents.emplace_back(*distance, *of);
    } while (s.skip(", "));
    std::sort(parents.begin(), parents.end());
    for (std::size_t left_out = 0; left_out < parents.size(); ++left_out) {
      numbers distances;
      names others;
      for (std::size_t k = 0; k < parents.size(); ++k) {
        if (k == left_out) continue;
        distances.push_back(parents[k].first);
        others.push_back(parents[k].second);
      }
      structures[{*name, parents[left_out].second, std::move(distances)}][std::move(others)] +=
          r.count;
    }
  }

  // After 'X' -> 'Y' with connection 'in0=SOURCE'; -> 'Z' with conn 'in0=SOURCE' (2 times)
  void transition_of(const genome::transition_rule& r) {
    scanner s(from.name_of(r.text));
    if (!s.skip("After '")) return;
    const auto before = find(s.until("' -> '"));
    const auto name = find(s.until("' with connection '"));
    const auto connection = s.until("'");
    if (!before) return;
    if (name && connection) note(*before, *name, *connection, r.count);
    for (std::uint32_t k = 0; k < r.exceptions; ++k) {
      scanner e(from.name_of(from.exceptions[r.first_exception + k]));
      if (!e.skip("-> '")) continue;
      const auto other = find(e.until("' with conn '"));
      const auto how = e.until("' (");
      const auto count = e.number<std::uint64_t>();
      if (other && how && count) note(*before, *other, *how, *count);
    }
  }
  /// An edge may be the exception of several rules.
  void note(std::uint32_t before, std::uint32_t name, std::string_view connection,
            std::uint64_t count) {
    if (count == 0) return;
    std::uint64_t& most = edges[{before, name, std::string(connection)}];
    most = std::max(most, count);
  }

  /// The distances of a connection's inputs, 0 that of the source.
  [[nodiscard]] static std::optional<std::vector<std::int64_t>> distances_of(
      std::string_view text) {
    std::vector<std::int64_t> out;
    scanner s(text);
    do {
      if (!s.until("=")) return {};
      if (s.skip("SOURCE")) {
        out.push_back(0);
        continue;
      }
      if (!s.skip("rel_")) return {};
      const auto distance = s.number<std::int64_t>();
      if (!distance || *distance >= 0) return {};
      out.push_back(*distance);
    } while (s.skip(","));
    if (!s.at_end() || std::count(out.begin(), out.end(), 0) != 1) return {};
    return out;
  }
  void produce(std::uint32_t before, std::uint32_t name, const std::string& connection,
               std::uint64_t count) {
    if (name == data_input || name == parameter) return;
    const auto distances = distances_of(connection);
    if (!distances) return;
    std::vector<std::size_t> order;  // of the other inputs, by distance
    for (std::size_t k = 0; k < distances->size(); ++k)
      if ((*distances)[k] != 0) order.push_back(k);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return (*distances)[a] < (*distances)[b]; });
    numbers sorted;
    for (const std::size_t k : order) sorted.push_back((*distances)[k]);
    names inputs(distances->size(), any);
    inputs[static_cast<std::size_t>(std::find(distances->begin(), distances->end(), 0) -
                                    distances->begin())] = source;
    const auto found = structures.find({name, before, std::move(sorted)});
    if (found == structures.end()) {
      productions[{before, name, std::move(inputs)}] += static_cast<double>(count);
      return;
    }
    double all = 0;
    for (const auto& [others, part] : found->second) all += static_cast<double>(part);
    for (const auto& [others, part] : found->second) {
      for (std::size_t k = 0; k < order.size(); ++k) inputs[order[k]] = others[k];
      productions[{before, name, inputs}] +=
          static_cast<double>(count) * static_cast<double>(part) / all;
    }
  }

  static constexpr std::size_t max_parents = 16;
};

grammar::grammar(const genome::library& of) {
  reader{*this, of, of.registry(), {}, {}, {}, {}}.read();
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
