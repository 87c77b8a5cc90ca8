// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <map>

#include "convert.hpp"
#include "convert_parts.hpp"
#include "registry_ids.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

using genome::command;

constexpr std::string_view nameless = "parameter";

/// Takes "2,1" apart.
[[nodiscard]] bool take_sizes(std::string_view s, std::uint64_t (&out)[2]) noexcept {
  std::size_t at = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t first = at;
    for (out[k] = 0; at < s.size() && s[at] >= '0' && s[at] <= '9' && at - first < 10; ++at)
      out[k] = out[k] * 10 + static_cast<std::uint64_t>(s[at] - '0');
    if (at == first || (k == 0 && (at == s.size() || s[at++] != ','))) return false;
  }
  return at == s.size();
}

/// Fills a registry with what nodes need; ids in the order of their first use.
class encoder {
 public:
  encoder(const vocabulary& names, genome::registry& to) : names_(names), ids_(with_commands(to)) {}

  /// A, B and C of an operation's or CONST_REF's kind.
  [[nodiscard]] errc node_of(std::uint32_t kind, std::size_t inputs, genome::node& out) {
    const std::uint64_t key = std::uint64_t{kind} << 1 | (inputs != 0 ? 1 : 0);
    if (const auto at = known_.find(key); at != known_.end()) {
      out = at->second;
      return errc::ok;
    }
    const errc e = new_node(names_[kind], inputs, out);
    if (e == errc::ok) known_.emplace(key, out);
    return e;
  }

 private:
  [[nodiscard]] static genome::registry& with_commands(genome::registry& r) {
    for (std::uint32_t a = 0; a < genome::first_id; ++a)
      r.add_operation(a, genome::command_names[a]);
    return r;
  }

  [[nodiscard]] errc new_node(const vocabulary::kind_row& row, std::size_t inputs,
                              genome::node& out) {
    out = {};
    out.b = genome::no_variation;
    const std::vector<argument> given = names_.arguments(row.constants);
    if (row.operation < genome::first_id) {
      out.a = static_cast<std::uint8_t>(row.operation);
      return out.what() == command::const_ref ? parameter(given, out) : errc::ok;
    }
    const std::string_view operation = names_.operations()[row.operation];
    const std::string_view variation = names_.variations()[row.variation];
    const optional_id a = ids_.operation(operation);
    if (!a) return errc::genome_operations_full;
    out.a = static_cast<std::uint8_t>(*a);
    if (!variation.empty()) {
      const optional_id b = ids_.variation(variation);
      if (!b) return errc::genome_operations_full;
      out.b = static_cast<std::uint8_t>(*b);
    }
    if (given.empty()) return errc::ok;
    return constants(
        given, genome::single_constant_key(operation, genome::tensor_arguments(variation, inputs)),
        out);
  }

  [[nodiscard]] errc parameter(const std::vector<argument>& given, genome::node& out) {
    const std::string_view name = given.empty() ? nameless : given[0].value;
    const optional_id c = ids_.parameter(name);
    if (!c) return errc::genome_ids_full;
    out.c = static_cast<std::int16_t>(*c);
    return errc::ok;
  }

  [[nodiscard]] errc constants(const std::vector<argument>& given,
                               const genome::constant_key& alone, genome::node& out) {
    std::string group;
    optional_id id;
    for (const argument& a : given) {
      id = ids_.constant(a.type, a.value);
      if (!id) return errc::genome_ids_full;
      if (!group.empty()) group += ';';
      group.append(a.key).append("=").append(std::to_string(*id));
    }
    const std::string rule =
        alone.keyword.empty() ? key_of(alone.position) : std::string(alone.keyword);
    if (given.size() == 1 && (given[0].key.empty() || given[0].key == rule)) {
      out.c = static_cast<std::int16_t>(*id);
      return errc::ok;
    }
    id = ids_.group(group);
    if (!id) return errc::genome_ids_full;
    out.c = static_cast<std::int16_t>(-static_cast<std::int32_t>(*id) - 1);
    return errc::ok;
  }

  const vocabulary& names_;
  registry_ids ids_;
  std::map<std::uint64_t, genome::node> known_;
};

/// Writes one graph.
class stream_writer {
 public:
  stream_writer(const vocabulary& names, encoder& e, const corpus::graph& g, genome::stream& to)
      : names_(names), encoder_(e), g_(g), to_(to) {}

  [[nodiscard]] error run() {
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      while (!blocks_.empty() && blocks_.back().end <= i) blocks_.pop_back();
      d_.clear();
      const errc e = add(i);
      if (e != errc::ok) return {e, i};
    }
    return {};
  }

 private:
  struct block {
    std::uint64_t first, end;
  };

  [[nodiscard]] errc add(std::uint32_t i) {
    const vocabulary::kind_row& row = names_[g_.kinds[i]];
    genome::node n;
    std::uint64_t sizes[2] = {};
    const bool opens = row.operation == static_cast<std::uint32_t>(command::control_flow);
    if (opens) {
      if (const errc e = control_flow(i, row, sizes, n); e != errc::ok) return e;
    } else if (is_a_node(row.operation)) {
      if (const errc e = encoder_.node_of(g_.kinds[i], g_.inputs(i).size(), n); e != errc::ok)
        return e;
    } else {
      return errc::genome_command;
    }
    if (const errc e = references(i); e != errc::ok) return e;
    to_.add(n, {d_.data(), d_.size()});
    if (opens) {
      const std::uint64_t middle = i + 1 + sizes[0];
      blocks_.push_back({middle, middle + sizes[1]});
      blocks_.push_back({std::uint64_t{i} + 1, middle});
    }
    return errc::ok;
  }

  /// Whether a flat stream holds nodes of it.
  [[nodiscard]] static bool is_a_node(std::uint32_t operation) noexcept {
    return operation >= genome::first_id ||
           (operation >= static_cast<std::uint32_t>(command::pad) &&
            operation <= static_cast<std::uint32_t>(command::const_ref));
  }

  [[nodiscard]] errc control_flow(std::uint32_t i, const vocabulary::kind_row& row,
                                  std::uint64_t (&sizes)[2], genome::node& n) {
    const std::vector<argument> given = names_.arguments(row.constants);
    const std::string_view which = names_.variations()[row.variation];
    if ((which != "IF" && which != "WHILE") || given.size() != 1 ||
        !take_sizes(given[0].value, sizes))
      return errc::genome_control_form;
    const std::uint64_t end = blocks_.empty() ? g_.size() : blocks_.back().end;
    if (sizes[0] == 0 || sizes[1] == 0 || i + 1 + sizes[0] + sizes[1] > end)
      return errc::genome_block_length;
    n.a = static_cast<std::uint8_t>(command::control_flow);
    n.b = which == "IF" ? genome::if_else : genome::while_loop;
    for (const std::uint64_t size : sizes) {
      if (size > genome::max_absolute) return errc::genome_reference_range;
      d_.push_back(static_cast<std::int32_t>(size));
    }
    return errc::ok;
  }

  [[nodiscard]] errc references(std::uint32_t i) {
    const std::span<const std::uint32_t> inputs = g_.inputs(i);
    if (d_.size() + inputs.size() > genome::max_node_inputs) return errc::genome_node_inputs;
    for (const std::uint32_t from : inputs) {
      if (from >= i) return errc::genome_reference;
      const bool is_relative = !blocks_.empty() && from >= blocks_.back().first;
      const std::int64_t d = is_relative ? std::int64_t{from} - i : std::int64_t{from};
      if (d < genome::min_relative || d > genome::max_absolute) return errc::genome_reference_range;
      d_.push_back(static_cast<std::int32_t>(d));
    }
    return errc::ok;
  }

  const vocabulary& names_;
  encoder& encoder_;
  corpus::graph g_;
  genome::stream& to_;
  std::vector<block> blocks_;
  std::vector<std::int32_t> d_;
};

}  // namespace

result<signature> signature_of(const corpus& from, std::size_t graph) {
  signature out;
  encoder e(from.names(), out.registry);
  if (const error why = stream_writer(from.names(), e, from[graph], out.stream).run();
      why.code != errc::ok)
    return why;
  return out;
}

result<signatures> signatures_of(const corpus& from, std::size_t* failed) {
  signatures out;
  encoder e(from.names(), out.registry);
  for (std::size_t g = 0; g < from.size(); ++g) {
    const error why = stream_writer(from.names(), e, from[g], out.streams.emplace_back()).run();
    if (why.code == errc::ok) continue;
    if (failed != nullptr) *failed = g;
    return why;
  }
  return out;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
