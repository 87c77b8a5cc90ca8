// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Registries that tests write down, and what is verified over them.

#ifndef TESSERA_TESTS_GENOME_TOOLS_REGISTRIES_HPP
#define TESSERA_TESTS_GENOME_TOOLS_REGISTRIES_HPP

#include <initializer_list>
#include <string_view>
#include <utility>

#include "support/catch.hpp"
#include "tessera/genome.hpp"
#include "tessera/genome/verify.hpp"

namespace genome_tests {

namespace genome = tessera::genome;

/// Ids from 10 on, in the order in which names come.
[[nodiscard]] inline genome::registry registry_of(
    std::initializer_list<std::string_view> operations,
    std::initializer_list<std::string_view> variations) {
  genome::registry r;
  std::uint32_t id = genome::first_id;
  for (const std::string_view name : operations) r.add_operation(id++, name);
  id = genome::first_id;
  for (const std::string_view name : variations) r.add_variation(id++, name);
  return r;
}

[[nodiscard]] inline genome::library library_of(genome::registry r) {
  tessera::result<genome::library> l = genome::verify(std::move(r));
  INFO((l ? std::string_view() : l.error().name()));
  REQUIRE(l);
  return std::move(*l);
}
[[nodiscard]] inline genome::program program_of(genome::stream s, const genome::library& l) {
  tessera::result<genome::program> p = genome::verify(std::move(s), l);
  INFO((p ? std::string_view() : p.error().name()));
  REQUIRE(p);
  return std::move(*p);
}

}  // namespace genome_tests

#endif  // TESSERA_TESTS_GENOME_TOOLS_REGISTRIES_HPP
