// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A mutator of zip archives of stored members, as PT2's are: members are changed, renamed, repeated,
// swapped and removed, and written with the sizes, checksums and directory that belong to them. Members
// that are archives or JSON are changed as such.
//
//   fuzz::mutate_zip(archive, draw);    // false, and the bytes as they were, for any others

#ifndef TESSERA_FUZZ_MUTATE_ZIP_HPP
#define TESSERA_FUZZ_MUTATE_ZIP_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <utility>
#include <vector>

#include "mutate_json.hpp"
#include "tests/support/zip.hpp"

namespace fuzz {

struct zip_member {
  std::string name, content;
};

/// The members by the directory; empty where one isn't stored, or lies outside.
[[nodiscard]] inline std::vector<zip_member> zip_members(std::string_view archive) {
  std::vector<zip_member> all;
  const std::size_t end = archive.rfind("PK\5\6");
  if (end == std::string_view::npos || archive.size() - end < 22) return {};
  const auto number = [&]<class T>(std::size_t at, T) -> std::size_t {
    return tessera::load_le<T>(archive.data() + at);
  };
  std::size_t at = number(end + 16, std::uint32_t{});
  for (std::size_t left = number(end + 10, std::uint16_t{}); left != 0; --left) {
    if (at > end || end - at < 46) return {};
    const std::size_t method = number(at + 10, std::uint16_t{});
    const std::size_t size = number(at + 24, std::uint32_t{});
    const std::size_t name = number(at + 28, std::uint16_t{});
    const std::size_t more = number(at + 30, std::uint16_t{}) + number(at + 32, std::uint16_t{});
    const std::size_t header = number(at + 42, std::uint32_t{});
    if (method != 0 || header > end || end - header < 30) return {};
    const std::size_t content =
        header + 30 + number(header + 26, std::uint16_t{}) + number(header + 28, std::uint16_t{});
    if (content > end || size > end - content || name > end - at - 46) return {};
    all.push_back(
        {std::string(archive.substr(at + 46, name)), std::string(archive.substr(content, size))});
    at += 46 + name + more;
  }
  return all;
}

[[nodiscard]] inline bool mutate_zip(std::string& archive, generator& draw) {
  std::vector<zip_member> all = zip_members(archive);
  if (all.empty()) return false;
  zip_member& m = all[draw.below(all.size())];
  zip_member& other = all[draw.below(all.size())];
  switch (draw.below(12)) {
    case 0: std::swap(m.content, other.content); break;
    case 1: m.name = other.name; break;
    case 2: mutate_part(m.name, 0, m.name.size(), m.name.size() + 4); break;
    case 3: all.push_back(m); break;
    case 4: all.erase(all.begin() + (&m - all.data())); break;
    default:
      if (mutate_zip(m.content, draw) || mutate_json(m.content, draw)) break;
      mutate_part(m.content, 0, m.content.size(), m.content.size() + 8);
  }
  test_zip::zip z;
  for (const zip_member& each : all) z.add(each.name, each.content);
  archive = z.finish();
  return true;
}

/// Archives by their members, and texts that hold JSON by that.
[[nodiscard]] inline bool mutate_zip_or_json(std::string& input, generator& draw) {
  return mutate_zip(input, draw) || mutate_json(input, draw);
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_MUTATE_ZIP_HPP
