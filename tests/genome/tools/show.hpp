// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What tests of corpora share: graphs as lines of text, and programs from text.
//
//   nac.add:node_args(1):kwargs() in0 {arg1 int 2} [0]      operation, variation, constants, inputs

#ifndef TESSERA_TESTS_GENOME_TOOLS_SHOW_HPP
#define TESSERA_TESTS_GENOME_TOOLS_SHOW_HPP

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "genome/corpus.hpp"
#include "support/catch.hpp"
#include "tessera/nac/all.hpp"

namespace genome_tests {

namespace genomics = tessera::genomics;
namespace nac = tessera::nac;

[[nodiscard]] inline std::string show_kind(const genomics::vocabulary& names, std::uint32_t kind) {
  const genomics::vocabulary::kind_row& row = names[kind];
  std::string out(names.operations()[row.operation]);
  if (row.variation != 0) out.append(" ").append(names.variations()[row.variation]);
  std::string inside;
  for (const genomics::argument& a : names.arguments(row.constants)) {
    if (!inside.empty()) inside += "; ";
    if (!a.key.empty()) inside.append(a.key).append(" ");
    inside.append(a.type).append(" ").append(a.value);
  }
  if (!inside.empty()) out.append(" {").append(inside).append("}");
  return out;
}

[[nodiscard]] inline std::vector<std::string> show(const genomics::corpus& c, std::size_t graph) {
  std::vector<std::string> out;
  const genomics::corpus::graph g = c[graph];
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    std::string line = show_kind(c.names(), g.kinds[i]);
    if (!g.inputs(i).empty()) {
      line += " [";
      for (const std::uint32_t from : g.inputs(i)) line.append(std::to_string(from)).append(" ");
      line.back() = ']';
    }
    out.push_back(line);
  }
  return out;
}

/// Bytes of a container that was read and verified.
struct nac_program {
  tessera::pool<std::byte> bytes;
  std::unique_ptr<nac::program> program;
  std::unique_ptr<nac::model> file;
};
[[nodiscard]] inline nac_program nac_of_bytes(tessera::pool<std::byte> bytes) {
  nac_program out;
  out.bytes = std::move(bytes);
  const auto file = nac::read(tessera::bytes(out.bytes.data(), out.bytes.size()));
  REQUIRE(file);
  out.file = std::make_unique<nac::model>(*file);
  auto program = nac::verify(*out.file, {.weights_elsewhere = true});
  INFO((program ? std::string_view() : program.error().name()));
  REQUIRE(program);
  out.program = std::make_unique<nac::program>(*std::move(program));
  return out;
}
[[nodiscard]] inline nac_program nac_of_text(std::string_view text) {
  const auto parts = nac::assemble(text);
  INFO((parts ? std::string_view() : parts.error().name()));
  REQUIRE(parts);
  auto bytes = nac::write(*parts);
  REQUIRE(bytes);
  return nac_of_bytes(*std::move(bytes));
}

[[nodiscard]] inline std::string content_of(const std::filesystem::path& p) {
  std::ifstream in(p, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace genome_tests

#endif  // TESSERA_TESTS_GENOME_TOOLS_SHOW_HPP
