// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "join.hpp"

#include <string>

namespace tessera::inline TESSERA_ABI {
namespace genomics {

optional_id registry_join::constant(const genome::library& from, std::uint32_t id) {
  const genome::constant& c = *from.constant(id);
  return ids_.constant(from.registry().name_of(c.type), from.registry().name_of(c.value));
}

optional_id registry_join::group(const genome::library& from, std::uint32_t id) {
  std::string name;
  genome::group_parts parts(from.group(id));
  for (genome::group_part p; parts.next(p);) {
    const optional_id part = constant(from, p.constant);
    if (!part) return std::nullopt;
    if (!name.empty()) name += ';';
    name.append(p.key).append(1, '=').append(std::to_string(*part));
  }
  return ids_.group(name);
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
    const optional_id id = ids_.parameter(name);
    if (!id) return errc::genome_ids_full;
    c = static_cast<std::int16_t>(*id);
  }
  if (n.what() != genome::command::operation) return errc::ok;
  const optional_id of = ids_.operation(from.operation(a));
  if (!of) return errc::genome_operations_full;
  a = static_cast<std::uint8_t>(*of);
  if (b != genome::no_variation) {
    const optional_id id = ids_.variation(from.variation(b));
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
