// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "io/arrays.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <tessera/core/bytes.hpp>

#include "../support/catch.hpp"
#include "io/compress.hpp"
#include "support.hpp"

using namespace tessera;
using tessera_tests::data_path;
using tessera_tests::message_of;
using tessera_tests::slurp;
using tessera_tests::spill;
using tessera_tests::temporary_folder;

namespace {

const io::matrix sample{2, 3, {0, 1, -2, 3.5, -0.0, 100}};

/// The endings of the compressions that this build has, and none.
[[nodiscard]] std::vector<std::string> endings() {
  std::vector<std::string> out{""};
  if (io::is_supported(io::codec::gzip)) out.emplace_back(".gz");
  if (io::is_supported(io::codec::zstd)) out.emplace_back(".zst");
  return out;
}

}  // namespace

TEST_CASE("arrays: the ending of a name is its format", "[io]") {
  using io::array_format;
  CHECK(io::array_format_of_name("a.npy") == array_format::npy);
  CHECK(io::array_format_of_name("a.npy.gz") == array_format::npy);
  CHECK(io::array_format_of_name("a.csv") == array_format::csv);
  CHECK(io::array_format_of_name("dir.npy/a.csv.zst") == array_format::csv);
  for (const char* name : {"a.f64", "a", "-", "npy", "a.npy.bin", "a.gz", "a.csv.gz.gz"}) {
    INFO(name);
    CHECK(io::array_format_of_name(name) == array_format::raw);
  }
}

TEST_CASE("arrays: every format, plain and compressed, comes back", "[io]") {
  const temporary_folder folder;
  for (const std::string name : {"a.npy", "a.csv", "a.f64"})
    for (const std::string& ending : endings()) {
      const std::string path = folder / (name + ending);
      INFO(path);
      REQUIRE(io::write_matrix(path, sample));
      CHECK(io::codec_of_content(as_bytes(slurp(path))) == io::codec_of_name(path));
      const auto m = io::read_matrix(path, 3);
      REQUIRE(message_of(m) == "");
      CHECK(m->rows == 2);
      CHECK(m->columns == 3);
      CHECK(m->values == sample.values);
      CHECK(std::signbit(m->values[4]));
    }
}

TEST_CASE("arrays: compressed .npy and .csv are known by their content", "[io]") {
  if (!io::is_supported(io::codec::gzip)) return;
  const temporary_folder folder;
  for (const std::string name : {"a.npy", "a.csv"}) {
    REQUIRE(io::write_matrix(folder / (name + ".gz"), sample));
    std::filesystem::rename(folder / (name + ".gz"), folder / name);
    CHECK(io::read_matrix(folder / name, 3));
  }
}

TEST_CASE("arrays: raw numbers that begin like a compressed file are numbers", "[io]") {
  const temporary_folder folder;
  const std::string gzip_magic("\x1f\x8b\x08\0\0\0\xf0\x3f", 8);
  spill(folder / "a.f64", gzip_magic);
  const auto m = io::read_matrix(folder / "a.f64", 1);
  REQUIRE(m);
  CHECK(std::bit_cast<std::uint64_t>(m->values[0]) == 0x3ff00000'00088b1fu);
  spill(folder / "a.f64.gz", gzip_magic);
  CHECK(!io::read_matrix(folder / "a.f64.gz", 1));
}

TEST_CASE("arrays: raw numbers are whole rows", "[io]") {
  using io::array_format;
  const auto raw = [](std::string_view source, std::uint64_t columns, const limits& limit = {}) {
    return io::decode_matrix(as_bytes(source), array_format::raw, columns, limit);
  };
  const text encoded = io::encode_matrix(sample, array_format::raw);
  const std::string_view all = encoded.view();
  REQUIRE(all.size() == 48);
  CHECK(all.substr(8, 8) == std::string_view("\0\0\0\0\0\0\xf0\x3f", 8));
  for (const std::uint64_t columns : {1u, 2u, 3u, 6u}) {
    const auto m = raw(all, columns);
    REQUIRE(m);
    CHECK(m->rows == 6 / columns);
    CHECK(m->values == sample.values);
  }
  CHECK(message_of(raw(all, 4)) ==
        "expected whole rows of 4 little-endian doubles, found 48 bytes");
  CHECK(message_of(raw(all, 0)) ==
        "expected whole rows of 0 little-endian doubles, found 48 bytes");
  CHECK(!raw(all, std::numeric_limits<std::uint64_t>::max()));
  for (std::size_t size = 0; size < all.size(); ++size)
    CHECK(static_cast<bool>(raw(all.substr(0, size), 3)) == (size % 24 == 0));
  CHECK(raw("", 5)->rows == 0);
  CHECK(raw("", 0)->rows == 0);
  CHECK(raw(all, 3, {.max_items = 6}));
  CHECK(message_of(raw(all, 3, {.max_items = 5})) == "more than the limit of 5 values");
}

TEST_CASE("arrays: text and archives are no raw numbers", "[io]") {
  const auto read = [](std::string_view s) {
    return message_of(io::decode_matrix(as_bytes(s), io::array_format::raw, 1));
  };
  const std::string why =
      "expected little-endian doubles, found text or an archive; for these use a name "
      "that ends in .csv or .npy";
  for (const std::string_view s :
       {std::string_view("1,2\n3,4\n5,6\n7,8\n"), std::string_view("12345678"),
        std::string_view("\x93NUMPY\1\0", 8), std::string_view("PK\3\4....")})
    CHECK(read(s) == why);
  // Eight bytes of which one isn't printable are a double.
  const auto number =
      io::decode_matrix(as_bytes(std::string_view("1234567\xc0", 8)), io::array_format::raw, 1);
  REQUIRE(number);
  CHECK(number->values.size() == 1);
}

TEST_CASE("arrays: failures name the file", "[io]") {
  const temporary_folder folder;
  CHECK(message_of(io::read_matrix(folder / "no.npy", 3)) ==
        folder / "no.npy" + ": cannot open: No such file or directory");
  spill(folder / "a.csv", "1,2\n3,x\n");
  CHECK(message_of(io::read_matrix(folder / "a.csv", 2)) ==
        folder / "a.csv" + ": line 2, column 3: expected a number, found \"x\"");
  CHECK(message_of(io::read_matrix(data_path("rank0.npy"), 3)) ==
        data_path("rank0.npy") + ": byte 60: expected an array of rank 1 or 2, found rank 0");
  CHECK(message_of(io::read_matrix(folder / "a.csv", 2, {.max_bytes = 7})) ==
        folder / "a.csv" + ": longer than the limit of 7 bytes");
  CHECK(!io::write_matrix(folder / "no/a.npy", sample));
}
