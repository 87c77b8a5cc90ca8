// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "io/compress.hpp"

#include <array>
#include <tessera/core/bytes.hpp>

#include "../support/allocations.hpp"
#include "../support/catch.hpp"
#include "../support/guard_page.hpp"
#include "support.hpp"

using namespace tessera;
using tessera_tests::data_path;
using tessera_tests::message_of;
using tessera_tests::slurp;
using tessera_tests::spill;
using tessera_tests::string_of;
using tessera_tests::temporary_folder;

namespace {

constexpr std::string_view plain = "Tessera: one tile of a mosaic.\n";

/// Compressible, and not constant.
[[nodiscard]] std::string pattern(std::size_t size) {
  std::string out;
  for (unsigned i = 0; out.size() < size; ++i) out += std::to_string(i * i) + ",";
  out.resize(size);
  return out;
}

[[nodiscard]] std::string compressed(std::string_view source, io::codec which) {
  const auto out = io::compress(as_bytes(source), which);
  REQUIRE(out);
  return string_of(out->view());
}

/// The decompressed text, or the message in brackets.
[[nodiscard]] std::string decompressed(std::string_view source, const limits& limit = {}) {
  const auto out = io::decompress(as_bytes(source), limit);
  return out ? string_of(out->view()) : "[" + out.error().message() + "]";
}

[[nodiscard]] std::string recorded(std::string_view name) {
  const std::string out = slurp(data_path(name));
  REQUIRE(!out.empty());
  return out;
}

/// The codecs of this build, with what the tests need to know of each.
struct codec_case {
  io::codec which;
  std::string_view name, ending, sample, zeros;
};
[[nodiscard]] std::vector<codec_case> cases() {
  std::vector<codec_case> out;
  if (io::is_supported(io::codec::gzip))
    out.push_back({io::codec::gzip, "gzip", ".gz", "plain.gz", "zeros_1000000.gz"});
  if (io::is_supported(io::codec::zstd))
    out.push_back({io::codec::zstd, "zstd", ".zst", "checked.zst", "zeros_1000000.zst"});
  return out;
}

}  // namespace

TEST_CASE("compress: codecs are known by content and by ending", "[io]") {
  using io::codec;
  CHECK(io::codec_of_content(as_bytes("\x1f\x8b")) == codec::gzip);
  CHECK(io::codec_of_content(as_bytes("\x1f")) == codec::none);
  CHECK(io::codec_of_content(as_bytes("\x28\xb5\x2f\xfd")) == codec::zstd);
  CHECK(io::codec_of_content(as_bytes("\x28\xb5\x2f")) == codec::none);
  CHECK(io::codec_of_content({}) == codec::none);
  CHECK(io::codec_of_content(as_bytes("{\"meta\"")) == codec::none);
  CHECK(io::codec_of_name("a.json.gz") == codec::gzip);
  CHECK(io::codec_of_name(".zst") == codec::zstd);
  CHECK(io::codec_of_name("a.gz.json") == codec::none);
  CHECK(io::codec_of_name("gz") == codec::none);
  CHECK(io::without_codec("a.b.gz") == "a.b");
  CHECK(io::without_codec("a.npy.zst") == "a.npy");
  CHECK(io::without_codec("a.npy") == "a.npy");
  CHECK(io::is_supported(codec::none));
  CHECK(decompressed("plain") == "[byte 0: expected gzip or zstd data]");
}

TEST_CASE("compress: a build without a package names it", "[io]") {
  if (!io::is_supported(io::codec::gzip)) {
    CHECK(decompressed("\x1f\x8b") ==
          "[gzip needs the package libdeflate, which this build does not have]");
    CHECK(!io::compress({}, io::codec::gzip));
  }
  if (!io::is_supported(io::codec::zstd)) {
    CHECK(decompressed("\x28\xb5\x2f\xfd") ==
          "[zstd needs the package libzstd, which this build does not have]");
    CHECK(!io::compress({}, io::codec::zstd));
  }
}

TEST_CASE("compress: files of the codecs' own tools are read", "[io]") {
  if (io::is_supported(io::codec::gzip)) {
    for (const char* name : {"plain.gz", "all_fields.gz", "stored.gz"}) {
      INFO(name);
      CHECK(decompressed(recorded(name)) == plain);
    }
    CHECK(decompressed(recorded("zeros_1000000.gz")) == std::string(1000000, '\0'));
  }
  if (io::is_supported(io::codec::zstd)) {
    for (const char* name : {"plain.zst", "checked.zst"}) {
      INFO(name);
      CHECK(decompressed(recorded(name)) == plain);
    }
    CHECK(decompressed(recorded("skippable.zst")) == std::string(plain) + std::string(plain));
    CHECK(decompressed(recorded("zeros_1000000.zst")) == std::string(1000000, '\0'));
  }
}

TEST_CASE("compress: what is compressed comes back, and the same each time", "[io]") {
  for (const codec_case& c : cases()) {
    for (const std::size_t size : {0u, 1u, 1000u, 65536u, 300000u}) {
      const std::string source = pattern(size);
      const std::string packed = compressed(source, c.which);
      CHECK(io::codec_of_content(as_bytes(packed)) == c.which);
      CHECK(compressed(source, c.which) == packed);
      CHECK(decompressed(packed) == source);
    }
  }
  if (io::is_supported(io::codec::gzip)) {
    const std::string packed = compressed("x", io::codec::gzip);
    CHECK(packed.substr(3, 5) == std::string(5, '\0'));  // no flags: no name; no time
  }
}

TEST_CASE("compress: members and frames are concatenated", "[io]") {
  for (const codec_case& c : cases()) {
    std::string packed, expected;
    for (const std::size_t size : {10u, 0u, 200000u, 1u}) {  // the last declares less than all
      packed += compressed(pattern(size), c.which);
      expected += pattern(size);
    }
    CHECK(decompressed(packed) == expected);
    std::string many, letters;
    for (int i = 0; i < 2000; ++i) {
      many += compressed("ab", c.which);
      letters += "ab";
    }
    CHECK(decompressed(many) == letters);
  }
}

TEST_CASE("compress: an archive in an archive stays one", "[io]") {
  for (const codec_case& c : cases()) {
    const std::string once = compressed("inner", c.which);
    CHECK(decompressed(compressed(once, c.which)) == once);
  }
}

TEST_CASE("compress: a limit of n takes n bytes and refuses n + 1", "[io]") {
  for (const codec_case& c : cases()) {
    for (const std::size_t size : {1u, 65536u, 70000u, 500000u}) {
      INFO(c.name << " " << size);
      const std::string packed = compressed(pattern(size), c.which);
      CHECK(decompressed(packed, {.max_bytes = size}).size() == size);
      CHECK(decompressed(packed, {.max_bytes = size - 1}) ==
            "[decompresses to more than the limit of " + std::to_string(size - 1) + " bytes]");
    }
    const std::string two = compressed("abc", c.which) + compressed("de", c.which);
    CHECK(decompressed(two, {.max_bytes = 5}) == "abcde");
    CHECK(decompressed(two, {.max_bytes = 4}) ==
          "[decompresses to more than the limit of 4 bytes]");
    CHECK(decompressed(compressed("", c.which), {.max_bytes = 0}).empty());
    CHECK(decompressed(recorded(c.zeros), {.max_bytes = 999999}) ==
          "[decompresses to more than the limit of 999999 bytes]");
  }
}

TEST_CASE("compress: a declared size is only a hint", "[io]") {
  if (io::is_supported(io::codec::gzip)) {
    std::string packed = recorded("plain.gz");
    for (const char last : {'\0', '\x7f', '\xff'}) {
      packed.back() = last;
      const auto out = io::decompress(as_bytes(packed));
      if (last == '\0')
        CHECK(out);
      else
        CHECK(!out);
    }
  }
  if (io::is_supported(io::codec::zstd)) {
    // A single-segment frame that declares 2^40 bytes and holds one raw block of one.
    const std::string packed("\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\1\0\0\x09\0\0x", 17);
    CHECK(decompressed(packed) == "[the zstd data that starts at byte 0 is corrupt or truncated]");
    // Many frames of unknown size: a window of 2^30 is claimed, and not allocated.
    const std::string unknown("\x28\xb5\x2f\xfd\x00\xa0\x09\0\0x", 10);
    CHECK(decompressed(unknown) == "x");
  }
}

TEST_CASE("compress: every proper prefix is an error", "[io]") {
  for (const codec_case& c : cases()) {
    const std::string packed = recorded(c.sample);
    tessera_tests::guard_page memory(packed.size());
    for (std::size_t size = 0; size < packed.size(); ++size) {
      INFO(c.name << " " << size);
      const auto out = io::decompress(memory.place(as_bytes(packed).first(size)));
      REQUIRE(!out);
      CHECK(out.error().kind == io::fault::content);
      if (size >= 4)
        CHECK(message_of(out) ==
              "the " + std::string(c.name) + " data that starts at byte 0 is corrupt or truncated");
    }
    CHECK(decompressed(string_of(memory.place(as_bytes(packed)))) == plain);
  }
}

TEST_CASE("compress: a changed byte is found or does no harm", "[io]") {
  for (const codec_case& c : cases()) {
    const std::string packed = recorded(c.sample);
    for (std::size_t i = 0; i < packed.size(); ++i)
      for (const int change : {1, 0x10, 0x80}) {
        std::string changed = packed;
        changed[i] = static_cast<char>(changed[i] ^ change);
        const std::string out = decompressed(changed, {.max_bytes = 100000});
        CHECK((out == plain || out.starts_with("[")));
      }
  }
}

TEST_CASE("compress: bytes after the last member are an error with their offset", "[io]") {
  for (const codec_case& c : cases()) {
    const std::string packed = compressed("abc", c.which);
    for (const std::string_view tail : {std::string_view("x"), std::string_view("\0\0\0\0", 4),
                                        std::string_view("\x1f"), std::string_view("\x28\xb5\x2f")})
      CHECK(decompressed(packed + std::string(tail)) == "[byte " + std::to_string(packed.size()) +
                                                            ": expected the end, or more " +
                                                            std::string(c.name) + " data]");
    CHECK(decompressed(packed + packed.substr(0, packed.size() - 1)) ==
          "[the " + std::string(c.name) + " data that starts at byte " +
              std::to_string(packed.size()) + " is corrupt or truncated]");
  }
}

TEST_CASE("compress: what may be mapped at any length is decompressed to the limit", "[io]") {
  const temporary_folder folder;
  for (const codec_case& c : cases()) {
    std::string packed = compressed(pattern(50000), c.which);
    // A byte that says nothing, where the header of a container begins.
    if (c.which == io::codec::gzip) packed[8] = '{';
    spill(folder / "f", packed);
    for (const io::input_rule& rule : {io::main_input, io::side_input})
      CHECK(message_of(io::load(folder / "f", {.max_bytes = 49999}, rule)) ==
            folder / "f" + ": decompresses to more than the limit of 49999 bytes");
  }
}

TEST_CASE("compress: files are loaded by content and stored by name", "[io]") {
  const temporary_folder folder;
  spill(folder / "plain.gz", "not compressed");
  const auto mapped = io::load(folder / "plain.gz");
  REQUIRE(mapped);
  CHECK(mapped->is_mapped());
  CHECK(string_of(mapped->view()) == "not compressed");
  CHECK(message_of(io::load(folder / "missing")) ==
        folder / "missing" + ": cannot open: No such file or directory");
  REQUIRE(io::store(folder / "same", as_bytes("same")));
  CHECK(slurp(folder / "same") == "same");

  for (const codec_case& c : cases()) {
    const std::string path = folder / ("f" + std::string(c.ending));
    const std::string source = pattern(50000);
    REQUIRE(io::store(path, as_bytes(source)));
    CHECK(slurp(path) == compressed(source, c.which));
    std::filesystem::rename(path, folder / "other.name");
    const auto file = io::load(folder / "other.name");
    REQUIRE(file);
    CHECK(string_of(file->view()) == source);
    CHECK(message_of(io::load(folder / "other.name", {.max_bytes = 49999})) ==
          folder / "other.name" + ": decompresses to more than the limit of 49999 bytes");
    CHECK(!io::store(folder / ("no/f" + std::string(c.ending)), as_bytes(source)));
  }
}
