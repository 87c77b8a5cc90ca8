// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The archives of tests/data/pt2, and archives with other members, made by a zip writer that shares
// nothing with the library's.
//
//   samples::archive a = samples::open("two");
//   a.replace("models/model.json", R"("major": 8)", R"("major": 9)");
//   const std::string source = a.zip();
//
// Lifetime:   values.
// Errors:     a file that can't be read, or a text that isn't there, fails the test.
// Limits:     none.
// Allocation: strings.

#ifndef TESSERA_TESTS_PT2_SAMPLES_HPP
#define TESSERA_TESTS_PT2_SAMPLES_HPP

#include "pt2.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "../support/catch.hpp"

namespace pt2_samples {

namespace pt2 = tessera::pt2;

inline constexpr const char* names[] = {"two",        "network",  "network_core",
                                        "dynamic",    "branches", "cache",
                                        "cache_core", "storages", "tree"};
inline constexpr std::string_view program_json = "models/model.json";
inline constexpr std::string_view weights_json = "data/weights/model_weights_config.json";
inline constexpr std::string_view constants_json = "data/constants/model_constants_config.json";

[[nodiscard]] inline std::string load(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) FAIL("cannot open " << path.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
[[nodiscard]] inline std::filesystem::path folder() { return TESSERA_TESTS_DATA_DIR "/pt2"; }
[[nodiscard]] inline std::string source_of(const std::string& name) {
  return load(folder() / (name + ".pt2"));
}

/// What must be readable. The source must outlive it.
[[nodiscard]] inline pt2::model model(const std::string& source,
                                      const pt2::read_options& options = {}) {
  auto m = pt2::read(source, options);
  if (!m) FAIL(std::string(m.error().name()) << " at " << m.error().offset);
  return std::move(*m);
}
[[nodiscard]] inline std::string_view text_of(tessera::bytes b) { return tessera::as_text(b); }

/// The CRC-32 of zip archives, bit by bit.
[[nodiscard]] inline std::uint32_t crc32(std::string_view s) {
  std::uint32_t c = 0xffffffff;
  for (const char byte : s) {
    c ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? c >> 1 ^ 0xedb88320 : c >> 1;
  }
  return ~c;
}

inline void put(std::string& to, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) to += static_cast<char>(value >> 8 * i & 0xff);
}

struct entry {
  std::string name, content;
  bool is_deflated = false;
  std::string inflated = {};  ///< what a deflated content is the form of
};

/// A plain zip: no descriptors, no padding, no zip64.
struct archive {
  std::vector<entry> entries;
  std::vector<std::size_t> headers;  ///< where zip() put the local header of each entry
  std::size_t directory = 0;         ///< and the directory

  [[nodiscard]] entry& at(std::string_view ending) {
    for (entry& e : entries)
      if (e.name.ends_with("/" + std::string(ending)) || e.name == ending) return e;
    FAIL("no member " << ending);
    return entries[0];
  }
  void replace(std::string_view member, std::string_view from, std::string_view to) {
    std::string& s = at(member).content;
    const std::size_t found = s.find(from);
    if (found == s.npos) FAIL("no " << from << " in " << member);
    s.replace(found, from.size(), to);
  }
  void remove(std::string_view ending) {
    const entry& gone = at(ending);
    entries.erase(entries.begin() + (&gone - entries.data()));
  }
  /// Deflates a member, as one block that is stored.
  void deflate(std::string_view member) {
    entry& e = at(member);
    e.is_deflated = true;
    e.inflated = e.content;
    e.content = "\1";
    put(e.content, e.inflated.size(), 2), put(e.content, ~e.inflated.size(), 2);
    e.content += e.inflated;
  }
  /// Where the content of a member begins, after zip().
  [[nodiscard]] std::size_t data_of(std::string_view member) {
    const entry& e = at(member);
    return headers[static_cast<std::size_t>(&e - entries.data())] + 30 + e.name.size();
  }

  [[nodiscard]] std::string zip() {
    std::string out, central;
    headers.clear();
    for (const entry& e : entries) {
      headers.push_back(out.size());
      std::string both;  // what the header and the entry have in common
      put(both, 20, 2), put(both, 0x800, 2), put(both, e.is_deflated ? 8 : 0, 2), put(both, 0, 4);
      const std::string& content = e.is_deflated ? e.inflated : e.content;
      put(both, crc32(content), 4), put(both, e.content.size(), 4), put(both, content.size(), 4);
      put(both, e.name.size(), 2), put(both, 0, 2);
      central += "PK\1\2";
      put(central, 20, 2);
      central += both;
      put(central, 0, 8), put(central, 0, 2), put(central, out.size(), 4);
      central += e.name;
      out += "PK\3\4" + both + e.name + e.content;
    }
    directory = out.size();
    out += central;
    out += "PK\5\6";
    put(out, 0, 4), put(out, entries.size(), 2), put(out, entries.size(), 2);
    put(out, central.size(), 4), put(out, directory, 4), put(out, 0, 2);
    return out;
  }
};

/// Inflates what archive::deflate makes.
[[nodiscard]] inline bool inflate(void*, tessera::bytes from, std::byte* to, std::size_t size) {
  if (from.size() != size + 5 || from[0] != std::byte{1}) return false;
  std::memcpy(to, from.data() + 5, size);
  return true;
}

/// The members of an archive of the folder.
[[nodiscard]] inline archive open(const std::string& name) {
  const std::string source = source_of(name);
  const pt2::model m = model(source);
  archive out;
  for (std::size_t i = 0; i < m.members_by_name.size(); ++i)
    out.entries.push_back({std::string(text_of(m, m.members[i].name)),
                           std::string(text_of(content(m, m.members[i])))});
  return out;
}
/// Those of the archive that torch.save makes, which has no more than stored members with
/// descriptors, in the order of its directory.
[[nodiscard]] inline archive open_inner(std::string_view source) {
  const auto number = [&](std::size_t at, int size) {
    std::size_t value = 0;
    for (int i = size; i-- != 0;)
      value = value << 8 | static_cast<unsigned char>(source[at + static_cast<std::size_t>(i)]);
    return value;
  };
  archive out;
  for (std::size_t at = number(source.size() - 6, 4); number(at, 4) == 0x02014b50;) {
    const std::size_t name = number(at + 28, 2), header = number(at + 42, 4);
    const std::size_t data = header + 30 + number(header + 26, 2) + number(header + 28, 2);
    out.entries.push_back({std::string(source.substr(at + 46, name)),
                           std::string(source.substr(data, number(at + 24, 4)))});
    at += 46 + name + number(at + 30, 2) + number(at + 32, 2);
  }
  return out;
}

}  // namespace pt2_samples

#endif  // TESSERA_TESTS_PT2_SAMPLES_HPP
