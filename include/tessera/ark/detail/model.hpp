// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/model.hpp.

#ifndef TESSERA_ARK_DETAIL_MODEL_HPP
#define TESSERA_ARK_DETAIL_MODEL_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE std::size_t model::memory() const noexcept {
  return nodes.size() * sizeof(node) + ops.size() * sizeof(op) + uses.size() * 4 +
         arguments.size() * sizeof(argument) + tensors.size() * sizeof(tensor) +
         layouts.size() * sizeof(layout) + buffers.size() * sizeof(buffer) +
         tags.size() * sizeof(tag) + integers.size() * 8 + members.size() * sizeof(member) +
         characters.size();
}

TESSERA_INLINE std::string_view name(const model& g, const argument& a) noexcept {
  return a.name == argument_name::other ? text_of(g, a.other_name)
                                        : argument_names[static_cast<std::size_t>(a.name)];
}

TESSERA_INLINE const argument* find_argument(const model& g, const op& o,
                                             argument_name name) noexcept {
  for (const argument& a : arguments(g, o))
    if (a.name == name) return &a;
  return nullptr;
}

TESSERA_INLINE string interner::characters(std::string_view s) {
  const string out{index(model_.characters.size()), index(s.size())};
  model_.characters << s;
  return out;
}

TESSERA_INLINE std::uint32_t interner::layout(const ark::layout& l) {
  if (recent_.empty()) recent_.resize(recent_layouts);
  const std::uint64_t hash = hash_of(l);
  std::uint32_t& slot = recent_[recent_slot(hash)];
  if (slot != 0 && same(model_.layouts[slot - 1], l)) return slot - 1;
  std::uint32_t& latest = layout_hashes_.latest(static_cast<std::int64_t>(hash));
  if (latest == none || !same(model_.layouts[latest], l)) {
    replaced_layouts_ += latest != none ? 1 : 0;
    note(layout_hashes_, static_cast<std::int64_t>(hash), latest);
    latest = index(model_.layouts.size());
    model_.layouts.push_back(l);
  }
  slot = latest + 1;
  return latest;
}

TESSERA_INLINE std::uint32_t interner::buffer(const ark::buffer& b, std::size_t first_tag) {
  std::uint32_t& latest = buffer_ids_.latest(b.id);
  if (latest != none && same(model_.buffers[latest], b)) {
    model_.tags.resize(first_tag);
    return latest;
  }
  note(buffer_ids_, b.id, latest);
  latest = index(model_.buffers.size());
  model_.buffers.push_back(b);
  return latest;
}

TESSERA_INLINE std::uint32_t interner::tensor(const ark::tensor& t) {
  std::uint32_t& latest = tensor_ids_.latest(t.id);
  if (latest != none) {
    const ark::tensor& known = model_.tensors[latest];
    if (known.type == t.type && known.buffer == t.buffer &&
        same_members(known.members, t.members) &&
        (known.layout == t.layout || same(model_.layouts[known.layout], model_.layouts[t.layout])))
      return latest;
  }
  note(tensor_ids_, t.id, latest);
  latest = index(model_.tensors.size());
  model_.tensors.push_back(t);
  return latest;
}

TESSERA_INLINE auto interner::set_mark() noexcept -> mark {
  journal_.clear();
  noting_ = true;
  return inner_mark();
}

TESSERA_INLINE auto interner::inner_mark() const noexcept -> mark {
  const model& g = model_;
  return {g.nodes.size(),    g.ops.size(),     g.uses.size(),       g.arguments.size(),
          g.tensors.size(),  g.layouts.size(), g.buffers.size(),    g.tags.size(),
          g.integers.size(), g.members.size(), g.characters.size(), journal_.size()};
}

TESSERA_INLINE void interner::go_back(const mark& to) {
  for (; journal_.size() > to.changes; journal_.pop_back())
    journal_.back().map->latest(journal_.back().key) = journal_.back().entry;
  const auto forget = [](id_map& map, std::int64_t key, std::size_t size) {
    if (std::uint32_t& latest = map.latest(key); latest >= size) latest = none;
  };
  model& g = model_;
  for (std::size_t i = to.tensors; i < g.tensors.size(); ++i)
    forget(tensor_ids_, g.tensors[i].id, to.tensors);
  for (std::size_t i = to.buffers; i < g.buffers.size(); ++i)
    forget(buffer_ids_, g.buffers[i].id, to.buffers);
  for (std::size_t i = to.layouts; i < g.layouts.size(); ++i) {
    const std::uint64_t hash = hash_of(g.layouts[i]);
    forget(layout_hashes_, static_cast<std::int64_t>(hash), to.layouts);
    recent_[recent_slot(hash)] = 0;
  }
  g.nodes.resize(to.nodes);
  g.ops.resize(to.ops);
  g.uses.resize(to.uses);
  g.arguments.resize(to.arguments);
  g.tensors.resize(to.tensors);
  g.layouts.resize(to.layouts);
  g.buffers.resize(to.buffers);
  g.tags.resize(to.tags);
  g.integers.resize(to.integers);
  g.members.resize(to.members);
  g.characters.truncate(to.characters);
}

TESSERA_INLINE std::uint32_t interner::index(std::size_t size) noexcept {
  overflown_ = overflown_ || size >= none;
  return static_cast<std::uint32_t>(size);
}

TESSERA_INLINE std::uint32_t& interner::id_map::latest(std::int64_t id) {
  const auto number = static_cast<std::uint64_t>(id);
  if (lookups_++ == 0) base_ = number > 512 ? number - 512 : 0;
  const std::uint64_t i = number - base_;
  if (i < dense_.size()) return dense_[static_cast<std::size_t>(i)];
  if (i < 1024 + 2 * lookups_) {
    const std::size_t first = dense_.size();
    dense_.resize(1024 + 4 * to_size(lookups_));
    for (std::size_t j = first; j < dense_.size(); ++j) dense_[j] = none;
    for (const leaf& l : tree_)
      if (static_cast<std::uint64_t>(l.id) - base_ - first < dense_.size() - first)
        dense_[to_size(static_cast<std::uint64_t>(l.id) - base_)] = l.entry;
    return dense_[static_cast<std::size_t>(i)];
  }
  std::uint32_t at = tree_.empty() ? none : 0, parent = none;
  std::uint64_t bits = mixed(number);
  std::size_t side = 0;
  for (; at != none; bits <<= 1) {
    if (tree_[at].id == id) return tree_[at].entry;
    parent = at;
    side = to_size(bits >> 63);
    at = tree_[at].child[side];
  }
  if (parent != none) tree_[parent].child[side] = static_cast<std::uint32_t>(tree_.size());
  tree_.push_back({id, {none, none}, none});
  return tree_.back().entry;
}

TESSERA_INLINE std::uint32_t interner::id_map::find(std::int64_t id) const noexcept {
  const auto number = static_cast<std::uint64_t>(id);
  const std::uint64_t i = number - base_;
  if (i < dense_.size()) return dense_[static_cast<std::size_t>(i)];
  std::uint64_t bits = mixed(number);
  for (std::uint32_t at = tree_.empty() ? none : 0; at != none; bits <<= 1) {
    if (tree_[at].id == id) return tree_[at].entry;
    at = tree_[at].child[bits >> 63];
  }
  return none;
}

TESSERA_INLINE std::uint64_t interner::id_map::mixed(std::uint64_t number) noexcept {
  const std::uint64_t bits = number * 0x9e3779b97f4a7c15u;
  return bits ^ bits >> 32;
}

TESSERA_INLINE std::uint64_t interner::hash_of(const ark::layout& l) noexcept {
  std::uint64_t hash = l.rank;
  for (std::size_t d = 0; d < l.rank && d < max_rank; ++d)
    for (const std::int64_t v : {l.shape[d], l.strides[d], l.offsets[d], l.padded_shape[d]})
      hash = std::rotl(hash ^ static_cast<std::uint64_t>(v), 23) * 0x9e3779b97f4a7c15u;
  return hash;
}

TESSERA_INLINE bool interner::same(const ark::layout& a, const ark::layout& b) const noexcept {
  if (!same_dimensions(a, b) || (a.pads == none) != (b.pads == none)) return false;
  for (std::uint32_t d = 0; a.pads != none && d < a.rank; ++d)
    if (model_.integers[a.pads + d] != model_.integers[b.pads + d]) return false;
  return true;
}

TESSERA_INLINE bool interner::same(const ark::buffer& a, const ark::buffer& b) const noexcept {
  return a.rank == b.rank && a.external == b.external && same(a.send_tags, b.send_tags) &&
         same(a.recv_tags, b.recv_tags) && same_members(a.members, b.members);
}

TESSERA_INLINE bool interner::same_members(std::uint32_t a, std::uint32_t b) const noexcept {
  for (; a != none && b != none; a = model_.members[a].next, b = model_.members[b].next)
    if (text_of(model_, model_.members[a].key) != text_of(model_, model_.members[b].key) ||
        text_of(model_, model_.members[a].value) != text_of(model_, model_.members[b].value))
      return false;
  return a == b;
}

TESSERA_INLINE bool interner::same(range a, range b) const noexcept {
  if (a.count != b.count) return false;
  for (std::uint32_t i = 0; i < a.count; ++i)
    if (!(model_.tags[a.first + i] == model_.tags[b.first + i])) return false;
  return true;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_MODEL_HPP
