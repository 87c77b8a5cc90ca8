// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Registries and streams that tests of the genome share.

#ifndef TESSERA_TESTS_GENOME_REGISTRY_SAMPLES_HPP
#define TESSERA_TESTS_GENOME_REGISTRY_SAMPLES_HPP

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <tessera/genome.hpp>
#include <utility>

#include "support/catch.hpp"

namespace genome_samples {

/// A file of tests/data/genome.
[[nodiscard]] inline std::string load(const std::string& name) {
  std::ifstream in(TESSERA_TESTS_DATA_DIR "/genome/" + name, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The library of tests/data/genome/registry.json.
[[nodiscard]] inline tessera::genome::library library() {
  tessera::result<tessera::genome::registry> r =
      tessera::genome::read_registry(load("registry.json"));
  REQUIRE(r);
  tessera::result<tessera::genome::library> l = tessera::genome::verify(std::move(*r));
  REQUIRE(l);
  return std::move(*l);
}

/// A text in which an @ marks an error.
struct marked {
  std::string text;
  std::uint64_t offset;
  explicit marked(std::string_view with_mark) : text(with_mark), offset(with_mark.find('@')) {
    REQUIRE(offset != std::string_view::npos);
    text.erase(static_cast<std::size_t>(offset), 1);
  }
};

/// A node from numbers, and its D.
struct node {
  int a = 0, b = 1, c = 0;
  std::initializer_list<std::int32_t> d = {};
};
[[nodiscard]] inline tessera::genome::stream stream(std::initializer_list<node> nodes) {
  tessera::genome::stream s;
  for (const node& n : nodes) {
    tessera::genome::node made;
    made.a = static_cast<std::uint8_t>(n.a);
    made.b = static_cast<std::uint8_t>(n.b);
    made.c = static_cast<std::int16_t>(n.c);
    s.add(made, n.d);
  }
  return s;
}
[[nodiscard]] inline std::string base64(std::initializer_list<node> nodes) {
  const tessera::genome::stream s = stream(nodes);
  const tessera::result<tessera::text> t = tessera::genome::write_base64(s);
  REQUIRE(t);
  return std::string(t->view());
}

}  // namespace genome_samples

#endif  // TESSERA_TESTS_GENOME_REGISTRY_SAMPLES_HPP
