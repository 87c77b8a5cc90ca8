// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC containers to measure with.
//
//   std::vector<std::byte> file = bench::nac_program(1'000'000);   // INPUTs, operations, one OUTPUT
//
// An instruction takes 8.4 bytes and has 2.2 arguments on average, in an order that no branch
// predictor learns; there may be more of them than compilers number. Weights are what
// nac_index.cpp is about.
//
// The same count gives the same bytes everywhere.

#ifndef TESSERA_BENCH_NAC_GENERATE_HPP
#define TESSERA_BENCH_NAC_GENERATE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "generate.hpp"

namespace bench {

/// Bytes of a container, appended to.
class nac_bytes {
 public:
  std::vector<std::byte> bytes = std::vector<std::byte>(88);

  template <class Int>
  void put(Int value) {
    for (std::size_t i = 0; i < sizeof(Int); ++i)
      bytes.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff));
  }
  void put(std::string_view text) {
    for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  }
  template <class Int>
  void put_at(std::size_t offset, Int value) {
    for (std::size_t i = 0; i < sizeof(Int); ++i)
      bytes[offset + i] =
          static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff);
  }
  /// Begins a section, whose slot is that of version 1.
  void section(std::size_t slot, std::string_view tag) {
    put_at<std::uint64_t>(12 + 8 * slot, bytes.size());
    put(tag);
  }
  void header(bool weights) {
    const std::string_view magic = "NAC";
    for (std::size_t i = 0; i < 3; ++i) bytes[i] = static_cast<std::byte>(magic[i]);
    put_at<std::uint8_t>(3, 1);
    put_at<std::uint8_t>(4, weights ? 0x80 : 0);
    put_at<std::uint16_t>(7, 1);
  }
};

[[nodiscard]] inline std::vector<std::byte> nac_program(std::uint32_t instructions) {
  // How often, in percent, and how many of the signature's constants are in CNST.
  struct kind {
    std::string_view signature;
    unsigned weight, constants;
  };
  constexpr kind kinds[] = {{"", 15, 0},   {"T", 10, 0},  {"TT", 25, 0}, {"TTT", 12, 0},
                            {"Tf", 10, 1}, {"TS", 8, 1},  {"Tii", 8, 2}, {"TSTTf", 6, 2},
                            {"TTf", 3, 0}, {"TTTT", 3, 0}};
  constexpr std::uint16_t constants = 200;
  generator random(instructions);
  nac_bytes out;
  out.header(false);
  out.section(0, "MMAP");
  out.put<std::uint32_t>(0);
  out.section(1, "OPS ");
  out.put(instructions);
  for (std::uint32_t index = 0; index + 1 < instructions; ++index) {
    std::size_t k = 0;
    for (unsigned left = static_cast<unsigned>(random.bits() % 100); left >= kinds[k].weight; ++k)
      left -= kinds[k].weight;
    const kind& chosen = kinds[index < 8 ? 0 : k];
    if (chosen.signature.empty()) {  // INPUT of a parameter
      out.put<std::uint8_t>(2);
      out.put<std::uint8_t>(1);
      out.put<std::uint16_t>(2);
      out.put(static_cast<std::uint16_t>(1 + index % 1000));
      continue;
    }
    out.put(static_cast<std::uint8_t>(random.between(10, 200)));
    out.put(static_cast<std::uint8_t>(k));
    bool has_constants = false;
    for (const char code : chosen.signature) has_constants = has_constants || code != 'T';
    if (has_constants) out.put(static_cast<std::uint16_t>(chosen.constants));
    for (unsigned i = 0; i < chosen.constants; ++i)
      out.put(static_cast<std::uint16_t>(random.between(1, constants)));
    unsigned left = chosen.constants;
    for (const char code : chosen.signature) {
      const bool is_constant = code != 'T' && left != 0;
      left -= is_constant ? 1 : 0;
      const int most = static_cast<int>(index < 1000 ? index : 1000);
      const int d = is_constant ? 0 : -random.between(1, random.bits() % 4 ? 8 : most);
      out.put(static_cast<std::int16_t>(d));
    }
  }
  out.put<std::uint8_t>(3);
  out.put<std::uint8_t>(0);
  out.put<std::uint16_t>(2);
  out.put<std::uint16_t>(0);
  out.put<std::int16_t>(-1);
  out.section(3, "CNST");
  out.put<std::uint32_t>(constants);
  for (std::uint16_t id = 1; id <= constants; ++id) {
    out.put(id);
    out.put<std::uint8_t>(2);
    out.put<std::uint16_t>(8);
    out.put<std::uint64_t>(id);
  }
  out.section(4, "PERM");
  out.put<std::uint32_t>(std::size(kinds) - 1);
  for (std::size_t k = 1; k < std::size(kinds); ++k) {
    out.put(static_cast<std::uint16_t>(k));
    out.put(static_cast<std::uint8_t>(kinds[k].signature.size()));
    out.put(kinds[k].signature);
  }
  return std::move(out.bytes);
}

}  // namespace bench

#endif  // TESSERA_BENCH_NAC_GENERATE_HPP
