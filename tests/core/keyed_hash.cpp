// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Keys that have a shape, into as many slots: no slot gets more than it would of random ones. The key
// of the hash is another one each time. That 24 of 4096 random ones meet anywhere happens once in
// 10^20 times.

#include <algorithm>
#include <set>
#include <string>
#include <tessera/core/keyed_hash.hpp>
#include <vector>

#include "../support/catch.hpp"

using tessera::keyed_hash;

namespace {

constexpr std::size_t keys = 4096, most_in_one = 24;

template <class Hash>
std::size_t fullest_slot(Hash hash, unsigned shift) {
  std::vector<std::size_t> slots(keys);
  for (std::size_t i = 0; i < keys; ++i) ++slots[(hash(i) >> shift) % keys];
  return *std::max_element(slots.begin(), slots.end());
}
template <class Hash>
void check(Hash hash) {
  for (const unsigned shift : {0u, 20u, 32u, 52u}) {
    INFO(shift);
    CHECK(fullest_slot(hash, shift) < most_in_one);
  }
}

}  // namespace

TEST_CASE("keyed_hash: numbers of any shape fill all slots alike", "[core]") {
  for (unsigned bit = 0; bit <= 52; bit += 4) {
    INFO(bit);
    const auto number = [bit](std::size_t i) { return std::uint64_t{i} << bit; };
    check([&](std::size_t i) { return keyed_hash(number(i)); });
    check([&](std::size_t i) { return keyed_hash(0, number(i)); });
    check([&](std::size_t i) { return keyed_hash(number(i), number(i)); });
    check([&](std::size_t i) { return keyed_hash(number(i % 64), number(i / 64)); });
  }
  constexpr std::uint64_t inverse = 0xf1de83e19937733d;  // of a factor that many hashes have
  check([](std::size_t i) { return keyed_hash(i * inverse); });
}

TEST_CASE("keyed_hash: texts of any shape fill all slots alike", "[core]") {
  const auto digits = [](std::size_t i) {
    std::string s(4, '0');
    for (char& c : s) c = static_cast<char>('0' + i % 8), i /= 8;
    return s;
  };
  for (std::size_t size = 0; size < 40; ++size) {
    INFO(size);
    const std::string same(size, 'x');
    check([&](std::size_t i) { return keyed_hash(same + digits(i)); });
    check([&](std::size_t i) { return keyed_hash(digits(i) + same); });
    check([&](std::size_t i) { return keyed_hash(same, i); });
  }
  check([](std::size_t i) { return keyed_hash(std::string(i, '\0')); });
}

TEST_CASE("keyed_hash: what is equal has one hash, what differs another", "[core]") {
  std::set<std::uint64_t> hashes;
  std::string s;
  for (int i = 0; i < 100; ++i, s += static_cast<char>(i)) {
    CHECK(keyed_hash(s) == keyed_hash(std::string(s)));
    CHECK(keyed_hash(s) == tessera::hash_key()(s));
    hashes.insert(keyed_hash(s));
    hashes.insert(keyed_hash(s, 1));
    hashes.insert(keyed_hash(s + '\0'));
  }
  CHECK(hashes.size() == 300);
}
