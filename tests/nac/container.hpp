// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Containers around sections in hex, for tests of single records.
//
//   const auto source = container(nac::header::v1_6, {"434d4150 01000000 1400 01 61"});
//   const auto file = nac::read(bytes(source));      // the other sections are empty
//   section_offset(source, nac::section::cmap);      // 96

#ifndef TESSERA_TESTS_NAC_CONTAINER_HPP
#define TESSERA_TESTS_NAC_CONTAINER_HPP

#include "nac/support.hpp"
// support.hpp comes first.
#include <initializer_list>
#include <tessera/core/bytes.hpp>

namespace nac_tests {

namespace nac = tessera::nac;

struct container_header {
  std::uint8_t flags = 0x80;
  std::uint16_t inputs = 0, outputs = 1;
};

[[nodiscard]] inline std::vector<std::byte> hex_tag(nac::section s) {
  const bytes tag = tessera::as_bytes(nac::tag(s));
  return {tag.begin(), tag.end()};
}

/// A container of the given sections (hex with their tags); those that are always there and aren't
/// given are empty.
[[nodiscard]] inline std::vector<std::byte> container(
    nac::header form, std::initializer_list<std::string_view> sections,
    const container_header& h = {}) {
  std::vector<std::byte> given[nac::section_count];
  for (std::size_t i = 0; i < nac::section_count; ++i) {
    const auto s = static_cast<nac::section>(i);
    if (s == nac::section::proc || s == nac::section::trng || s == nac::section::rsrc) continue;
    if (s == nac::section::arrs && form != nac::header::v1_8) continue;
    given[i] = hex_tag(s);
    const std::size_t zeros = s == nac::section::orch   ? 8
                              : s == nac::section::data ? (h.flags & 0x80u) != 0 ? 12 : 8
                                                        : 4;
    given[i].resize(4 + zeros);
  }
  for (const std::string_view hex : sections) {
    const std::vector<std::byte> section = from_hex(hex);
    bool known = false;
    for (std::size_t i = 0; i < nac::section_count; ++i)
      if (tessera::as_text(bytes(section).first(4)) == nac::section_tags[i]) {
        given[i] = section;
        known = true;
      }
    REQUIRE(known);
  }
  const auto version = nac::container_version(form);
  std::vector<std::byte> out = from_hex("4e4143");
  const auto byte = [&out](unsigned value) { out.push_back(static_cast<std::byte>(value & 0xff)); };
  for (const unsigned value :
       {unsigned{version}, unsigned{h.flags}, unsigned{h.inputs}, unsigned{h.inputs} >> 8,
        unsigned{h.outputs}, unsigned{h.outputs} >> 8, 0u, 0u, 0u})
    byte(value);
  const std::size_t size = nac::header_sizes[static_cast<std::size_t>(form)];
  out.resize(size);
  for (std::uint32_t slot = 0; slot < nac::header_slots[static_cast<std::size_t>(form)]; ++slot) {
    const auto i = static_cast<std::size_t>(nac::section_of_slot(form, slot));
    if (given[i].empty()) continue;
    tessera::store_le(out.data() + nac::first_slot + 8 * slot, std::uint64_t{out.size()});
    out.insert(out.end(), given[i].begin(), given[i].end());
  }
  return out;
}

/// What the header says.
[[nodiscard]] inline std::uint64_t section_offset(const std::vector<std::byte>& source,
                                                  nac::header form, nac::section s) {
  for (std::uint32_t slot = 0; slot < nac::header_slots[static_cast<std::size_t>(form)]; ++slot)
    if (nac::section_of_slot(form, slot) == s)
      return tessera::load_le<std::uint64_t>(source.data() + nac::first_slot + 8 * slot);
  return 0;
}

/// The source with other bytes at an offset.
[[nodiscard]] inline std::vector<std::byte> edited(std::vector<std::byte> source, std::size_t at,
                                                   std::string_view hex) {
  for (const std::byte b : from_hex(hex)) {
    REQUIRE(at < source.size());
    source[at++] = b;
  }
  return source;
}

}  // namespace nac_tests

#endif  // TESSERA_TESTS_NAC_CONTAINER_HPP
