// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "join.hpp"

#include <algorithm>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

constexpr std::uint32_t max_byte = 255, max_positive = 32767;

/// Type and value, as one name.
[[nodiscard]] std::string name_of(const genome::registry& r, const genome::constant& c) {
  return std::string(r.name_of(c.type)).append(1, '\0').append(r.name_of(c.value));
}

}  // namespace

void registry_join::map::insert(std::string name, std::uint32_t id) {
  ids.emplace(std::move(name), id);
  next = std::max(next, id + 1);
}

registry_join::registry_join(genome::registry& to) : to_(to) {
  const auto fill = [this](map& m, const pool<genome::entry>& entries) {
    for (const genome::entry& e : entries) m.insert(std::string(to_.name_of(e)), e.id);
  };
  fill(operations_, to_.operations);
  fill(variations_, to_.variations);
  fill(groups_, to_.groups);
  fill(parameters_, to_.parameters);
  for (const genome::constant& c : to_.constants) constants_.insert(name_of(to_, c), c.id);
}

registry_join::optional_id registry_join::operation(std::string_view name) {
  std::string key(name);
  if (const auto known = operations_.ids.find(key); known != operations_.ids.end())
    return known->second;
  const std::uint32_t id = operations_.next;
  if (id > max_byte) return std::nullopt;
  // Registries list the commands too, in front.
  to_.add_operation(id, name);
  operations_.insert(std::move(key), id);
  return id;
}

registry_join::optional_id registry_join::variation(std::string_view name) {
  std::string key(name);
  if (const auto known = variations_.ids.find(key); known != variations_.ids.end())
    return known->second;
  const std::uint32_t id = variations_.next;
  if (id > max_byte) return std::nullopt;
  to_.add_variation(id, name);
  variations_.insert(std::move(key), id);
  return id;
}

registry_join::optional_id registry_join::constant(const genome::library& from, std::uint32_t i) {
  const genome::constant& c = *from.constant(i);
  std::string key = name_of(from.registry(), c);
  if (const auto known = constants_.ids.find(key); known != constants_.ids.end())
    return known->second;
  const std::uint32_t id = constants_.next;
  if (id > max_positive) return std::nullopt;
  to_.add_constant(id, from.registry().name_of(c.type), from.registry().name_of(c.value));
  constants_.insert(std::move(key), id);
  return id;
}

registry_join::optional_id registry_join::group(const genome::library& from, std::uint32_t i) {
  std::string name;
  genome::group_parts parts(from.group(i));
  for (genome::group_part p; parts.next(p);) {
    const optional_id id = constant(from, p.constant);
    if (!id) return std::nullopt;
    if (!name.empty()) name += ';';
    name.append(p.key).append(1, '=').append(std::to_string(*id));
  }
  if (const auto known = groups_.ids.find(name); known != groups_.ids.end()) return known->second;
  const std::uint32_t id = groups_.next;
  if (id > max_positive) return std::nullopt;
  to_.add_group(id, name);
  groups_.insert(std::move(name), id);
  return id;
}

registry_join::optional_id registry_join::parameter(std::string_view name) {
  std::string key(name);
  if (const auto known = parameters_.ids.find(key); known != parameters_.ids.end())
    return known->second;
  const std::uint32_t id = parameters_.next;
  if (id > max_positive) return std::nullopt;
  to_.add_parameter(id, name);
  parameters_.insert(std::move(key), id);
  return id;
}

errc registry_join::move(const genome::library& from, std::uint8_t& a, std::uint8_t& b,
                         std::int16_t& c) {
  genome::node n;
  n.a = a;
  n.c = c;
  if (n.what() == genome::command::pattern) return errc::genome_pattern_unknown;
  if (n.what() == genome::command::const_ref) {
    const std::string_view name = from.parameter(static_cast<std::uint16_t>(c));
    if (name.empty()) return errc::ok;  // of 0, say
    const optional_id id = parameter(name);
    if (!id) return errc::genome_ids_full;
    c = static_cast<std::int16_t>(*id);
  }
  if (n.what() != genome::command::operation) return errc::ok;
  const optional_id of = operation(from.operation(a));
  if (!of) return errc::genome_operations_full;
  a = static_cast<std::uint8_t>(*of);
  if (b >= genome::first_id) {
    const optional_id id = variation(from.variation(b));
    if (!id) return errc::genome_operations_full;
    b = static_cast<std::uint8_t>(*id);
  }
  if (c != 0) {
    const optional_id id =
        n.has_group() ? group(from, n.group_id()) : constant(from, static_cast<std::uint16_t>(c));
    if (!id) return errc::genome_ids_full;
    const auto number = static_cast<std::int32_t>(*id);
    c = static_cast<std::int16_t>(n.has_group() ? -number - 1 : number);
  }
  return errc::ok;
}

error registry_join::add(const genome::library& from, genome::stream& s) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    genome::node& n = s.nodes[i];
    errc code = errc::ok;
    if (n.what() == genome::command::copy) {  // A in B, B and C in D
      std::int32_t* const d = s.inputs.data() + n.first;
      auto b = static_cast<std::uint8_t>(d[0]);
      auto c = static_cast<std::int16_t>(d[1]);
      code = move(from, n.b, b, c);
      d[0] = b;
      d[1] = c;
    } else {
      code = move(from, n.a, n.b, n.c);
    }
    if (code != errc::ok) return {code, i};
  }
  return {};
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
