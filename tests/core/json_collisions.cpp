// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Keys made to collide under FNV-1a, the hash that finds duplicates. What they may cost is time
// and memory in proportion to n log n. The work isn't timed but counted: comparing escaped keys
// unescapes them, so bytes allocated means bytes compared.

#include <bit>
#include <cstdint>
#include <string>
#include <tessera/core/json.hpp>
#include <tessera/core/json_read.hpp>

#include "../support/allocations.hpp"
#include "../support/catch.hpp"

using namespace tessera;

namespace {

std::uint64_t fnv1a(std::string_view s) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

// Either half of any row leads to the same state, so that n rows make 2^n keys of one hash.
constexpr std::string_view blocks[][2] = {
    {"P09H5b99SaQR", "QX9D9d99cTFC"}, {"SI7k9L7Jza7f", "R77Y5JK4xllW"},
    {"qD7j9jA3XZnQ", "pL7Z5d13VM7B"}, {"f22Z8I90PpIB", "eZ4zRQ92bmh1"},
    {"3S9N6X52SabZ", "099F8r90ct3i"}, {"tD2S5G15Td4A", "uL4m9WE1Zykp"},
    {"197j4OK7ZDE3", "2G7zVo77LoRB"}, {"V71m9916Jusj", "W55g5UE4xBBy"},
    {"JU2YQh25FV1P", "K74G9vD5Lafa"}, {"u81A1J67RqCN", "tP1K9D87Db2y"},
    {"uZ7U4EI9ql2G", "v27oVU99eaa6"}, {"A14F1mB4DbOE", "BW6B9m46ZuT4"}};

std::string colliding(unsigned choice, unsigned rows) {
  std::string key;
  for (unsigned i = 0; i < rows; ++i) key += blocks[i][choice >> i & 1];
  return key;
}

// Both hash to 0, where zero bytes keep it.
constexpr std::string_view zero_hash[] = {"!0IC=VloaY", "77kepQFQ8Kl"};

struct cost {
  error result;
  std::uint64_t allocated;
};

cost read(const std::string& source) {
  const tessera_tests::allocations used;
  json::reader in(source);
  in.skip();
  const error e = in.finish();
  return {e, used.total()};
}

/// One key of half the document among keys that are short, placed so that a heap of all keys
/// compares the long one with half of the others.
std::string one_long_key(unsigned count) {
  std::string long_key(zero_hash[0]);
  for (unsigned i = 0; i < 2 * count; ++i) long_key += "\\u0000";
  std::string s = "{";
  for (unsigned i = 0; i < count; ++i) {
    unsigned side = i;
    while (side > 2) side = (side - 1) / 2;
    s += '"';
    s += i == 2 ? std::string_view(long_key) : zero_hash[side == 2 ? 0 : 1];
    s += "\":0,";
  }
  s.back() = '}';
  return s;
}

/// Keys of one hash that differ only in their length.
std::string zeros_of_every_length(unsigned count) {
  std::string s = "{", zeros;
  for (unsigned i = 0; i < count; ++i) {
    s += '"' + std::string(zero_hash[0]) + zeros + "\":0,";
    zeros += "\\u0000";
  }
  s.back() = '}';
  return s;
}

/// 2^rows keys of one hash and one length, each with an escape.
std::string blocks_of(unsigned rows) {
  std::string s = "{";
  for (unsigned i = 0; i < 1u << rows; ++i) s += "\"" + colliding(i, rows) + "\\n\":0,";
  s.back() = '}';
  return s;
}

}  // namespace

TEST_CASE("json/collisions: the keys of these tests do collide", "[core]") {
  CHECK(fnv1a(zero_hash[0]) == 0);
  CHECK(fnv1a(zero_hash[1]) == 0);
  for (unsigned choice = 1; choice < 1u << 12; choice *= 2)
    CHECK(fnv1a(colliding(choice, 12)) == fnv1a(colliding(0, 12)));
}

TEST_CASE("json/collisions: keys of one hash are distinguished", "[core]") {
  std::string s = "{";
  for (unsigned i = 0; i < 4096; ++i) s += "\"" + colliding(i, 12) + "\":0,";
  s.back() = '}';
  CHECK(read(s).result == error{});
  const std::uint64_t again = s.size();
  s.back() = ',';
  s += "\"" + colliding(1234, 12) + "\":0}";
  CHECK(read(s).result == error{errc::json_duplicate_key, again});
}

TEST_CASE("json/collisions: cost n log n", "[core]") {
  const auto grows = [](auto generator, unsigned small, unsigned large) {
    const std::string a = generator(small), b = generator(large);
    const double ratio = static_cast<double>(b.size()) / static_cast<double>(a.size());
    const double cost_a = static_cast<double>(read(a).allocated) + 1;
    const double cost_b = static_cast<double>(read(b).allocated) + 1;
    CAPTURE(a.size(), b.size(), cost_a, cost_b);
    CHECK(cost_b / cost_a <= 1.5 * ratio);
    // Two comparisons for each of the 11 levels of a heap of 2^11 keys, each of two keys that are
    // unescaped into blocks of up to twice their length, for building and for emptying it.
    CHECK(cost_b <= 2.0 * 11 * 2 * 2 * 2 * static_cast<double>(b.size()));
  };
  grows(one_long_key, 255, 1023);
  grows(zeros_of_every_length, 100, 200);
  grows(blocks_of, 9, 11);
}
