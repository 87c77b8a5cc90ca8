// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What tests of NAC share: bytes from hex, the files of tests/data/nac.

#ifndef TESSERA_TESTS_NAC_SUPPORT_HPP
#define TESSERA_TESTS_NAC_SUPPORT_HPP

#include "nac/nac.hpp"
// nac.hpp comes first.
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace nac_tests {

using tessera::bytes;

/// Bytes from hex digits; everything else is skipped.
[[nodiscard]] inline std::vector<std::byte> from_hex(std::string_view digits) {
  std::vector<std::byte> out;
  unsigned value = 0, count = 0;
  for (const char c : digits) {
    const unsigned d = c >= '0' && c <= '9'   ? unsigned(c - '0')
                       : c >= 'a' && c <= 'f' ? unsigned(c - 'a') + 10
                                              : 16;
    if (d == 16) continue;
    value = value << 4 | d;
    if (++count % 2 == 0) out.push_back(static_cast<std::byte>(value & 0xff));
  }
  return out;
}

/// A text file of tests/data/nac.
[[nodiscard]] inline std::string text_file(const std::string& name) {
  std::ifstream in(TESSERA_TESTS_DATA_DIR "/nac/" + name, std::ios::binary);
  REQUIRE(in);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

/// A file that tests/data/nac holds in hex: "mini_v16", "mini_v17", "mini_v18", "two_outputs".
[[nodiscard]] inline std::vector<std::byte> hex_file(const std::string& name) {
  return from_hex(text_file(name + ".hex"));
}

/// Whether a finding of verify has a message, and the place that describe(error, bytes) names.
[[nodiscard]] inline bool is_described(const tessera::report& found, const tessera::diagnostic& d,
                                       const std::vector<std::byte>& source) {
  if (static_cast<unsigned>(d.code) < 3000) return true;  // core's codes have no places
  tessera::text wanted("] at ");
  append_shown(wanted, found.text_of(d.path));
  wanted << (d.path.size != 0 ? ", offset " : "offset ") << d.where.offset << " (";
  const tessera::text shown =
      describe(tessera::error{d.code, d.where.offset}, bytes(source), "container");
  const bool is_found =
      std::string_view(shown).find(std::string_view(wanted)) != std::string_view::npos;
  if (!is_found) UNSCOPED_INFO(std::string_view(wanted) << " isn't in " << std::string_view(shown));
  return is_found && d.text.size != 0;
}

}  // namespace nac_tests

#endif  // TESSERA_TESTS_NAC_SUPPORT_HPP
