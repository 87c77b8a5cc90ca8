// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// That the ways of ark::read (ark::read_path) differ in nothing.

#ifndef TESSERA_FUZZ_ARK_PATHS_HPP
#define TESSERA_FUZZ_ARK_PATHS_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tessera/ark.hpp>

namespace fuzz {

namespace ark = tessera::ark;

[[nodiscard]] inline bool same(ark::string a, ark::string b) {
  return a.first == b.first && a.size == b.size;
}
[[nodiscard]] inline bool same(ark::range a, ark::range b) {
  return a.first == b.first && a.count == b.count;
}
[[nodiscard]] inline bool same(const ark::op& a, const ark::op& b) {
  return a.type == b.type && a.is_virtual == b.is_virtual && a.args == b.args &&
         same(a.unknown_type, b.unknown_type) && same(a.name, b.name) &&
         a.first_use == b.first_use && a.reads == b.reads && a.writes == b.writes &&
         a.results == b.results && same(a.arguments, b.arguments) && a.members == b.members;
}
[[nodiscard]] inline bool same(const ark::argument& a, const ark::argument& b) {
  return a.name == b.name && a.type == b.type && same(a.other_name, b.other_name) &&
         same(a.token, b.token) &&
         std::bit_cast<std::uint32_t>(a.real) == std::bit_cast<std::uint32_t>(b.real) &&
         same(a.integers, b.integers) && a.integer == b.integer;
}
[[nodiscard]] inline bool same(const ark::tensor& a, const ark::tensor& b) {
  return a.id == b.id && a.layout == b.layout && a.buffer == b.buffer && a.members == b.members &&
         a.type == b.type;
}
[[nodiscard]] inline bool same(const ark::layout& a, const ark::layout& b) {
  return ark::same_dimensions(a, b) && a.pads == b.pads;
}
[[nodiscard]] inline bool same(const ark::buffer& a, const ark::buffer& b) {
  return a.id == b.id && a.rank == b.rank && same(a.send_tags, b.send_tags) &&
         same(a.recv_tags, b.recv_tags) && a.members == b.members && a.external == b.external;
}
[[nodiscard]] inline bool same(const ark::member& a, const ark::member& b) {
  return same(a.key, b.key) && same(a.value, b.value) && a.next == b.next;
}
template <class T, class Same>
[[nodiscard]] bool same(const tessera::pool<T>& a, const tessera::pool<T>& b, Same same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

/// Equal in every entry of every pool, at the same index; node::offset only when asked for.
[[nodiscard]] inline bool same_graph(const ark::model& a, const ark::model& b,
                                     bool offsets = true) {
  const auto each = [](const auto& x, const auto& y) { return fuzz::same(x, y); };
  const auto node = [offsets](const ark::node& x, const ark::node& y) {
    return x.id == y.id && (!offsets || x.offset == y.offset) && same(x.producers, y.producers) &&
           same(x.consumers, y.consumers) && same(x.ops, y.ops) && x.members == y.members;
  };
  return a.rank == b.rank && a.world_size == b.world_size && a.form == b.form &&
         a.own_members == b.own_members && same(a.nodes, b.nodes, node) &&
         same(a.ops, b.ops, each) && a.uses == b.uses && same(a.arguments, b.arguments, each) &&
         same(a.tensors, b.tensors, each) && same(a.layouts, b.layouts, each) &&
         same(a.buffers, b.buffers, each) && a.tags == b.tags && a.integers == b.integers &&
         same(a.members, b.members, each) && a.characters == b.characters;
}

/// Reads by every path. True when all give the same graph, or the same error.
[[nodiscard]] inline bool paths_agree(std::string_view source, const tessera::limits& limit = {}) {
  const auto best = ark::read(source, {.limit = limit});
  const auto plain = ark::read(source, {.limit = limit, .path = ark::read_path::plain});
  return best && plain ? same_graph(*best, *plain)
                       : !best && !plain && best.error() == plain.error();
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_ARK_PATHS_HPP
