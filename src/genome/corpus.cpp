// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "corpus.hpp"

#include <limits>
#include <stdexcept>
#include <tessera/core/bytes.hpp>

#include "tessera/core/keyed_hash.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

[[nodiscard]] std::uint32_t next_number(std::size_t count) {
  if (count >= std::numeric_limits<std::uint32_t>::max()) throw std::length_error("corpus");
  return static_cast<std::uint32_t>(count);
}

}  // namespace

std::string_view name_table::operator[](std::uint32_t i) const noexcept {
  return {characters_.data() + firsts_[i], static_cast<std::size_t>(firsts_[i + 1] - firsts_[i])};
}

std::uint32_t name_table::find(std::string_view name) const {
  const auto [first, last] = by_hash_.equal_range(keyed_hash(name));
  for (auto at = first; at != last; ++at)
    if ((*this)[at->second] == name) return at->second;
  return size();
}

std::uint32_t name_table::add(std::string_view name) {
  const std::uint32_t found = find(name);
  if (found != size()) return found;
  const std::uint32_t added = next_number(size());
  characters_.insert(characters_.end(), name.begin(), name.end());
  firsts_.push_back(characters_.size());
  by_hash_.emplace(keyed_hash(name), added);
  return added;
}

std::uint64_t name_table::memory() const noexcept {
  constexpr std::uint64_t entry = 4 * sizeof(void*) + sizeof(void*);  // a node and its bucket
  return characters_.capacity() + firsts_.capacity() * sizeof(firsts_[0]) + by_hash_.size() * entry;
}

vocabulary::vocabulary() {
  for (const std::string_view command : genome::command_names) (void)operations_.add(command);
  (void)variations_.add("");
  (void)constants_.add("");
}

std::uint32_t vocabulary::kind(std::string_view operation, std::string_view variation,
                               std::span<const argument> constants) {
  std::string joined;  // each part after its length
  for (const argument& a : constants)
    for (const std::string_view part : {a.key, a.type, a.value}) {
      char size[4];
      store_le(size, next_number(part.size()));
      joined.append(size, 4).append(part);
    }
  return kinds_.add(
      {operations_.add(operation), variations_.add(variation), constants_.add(joined)});
}

std::vector<argument> vocabulary::arguments(std::uint32_t constants) const {
  std::string_view rest = constants_[constants];
  const auto part = [&rest] {
    const std::string_view found = rest.substr(4, load_le<std::uint32_t>(rest.data()));
    rest.remove_prefix(4 + found.size());
    return found;
  };
  std::vector<argument> out;
  while (!rest.empty()) {
    argument& a = out.emplace_back();
    a.key = part();
    a.type = part();
    a.value = part();
  }
  return out;
}

std::string_view vocabulary::target(std::uint32_t operation) const noexcept {
  return genome::operation_name(operations_[operation]).target;
}

std::uint64_t vocabulary::memory() const noexcept {
  return operations_.memory() + variations_.memory() + constants_.memory() + kinds_.memory();
}

void corpus::begin(std::string_view name) {
  if (!graphs_.empty()) {
    stored& last = graphs_.back();
    last.kinds.shrink_to_fit();
    last.firsts.shrink_to_fit();
    last.inputs.shrink_to_fit();
  }
  graphs_.emplace_back().name = name;
}

void corpus::add(std::uint32_t kind, std::span<const std::uint32_t> inputs) {
  stored& last = graphs_.back();
  last.kinds.push_back(kind);
  last.inputs.insert(last.inputs.end(), inputs.begin(), inputs.end());
  last.firsts.push_back(next_number(last.inputs.size()));
  ++nodes_;
}

void corpus::drop_last() {
  nodes_ -= graphs_.back().kinds.size();
  graphs_.pop_back();
}

corpus::graph corpus::operator[](std::size_t i) const noexcept {
  const stored& s = graphs_[i];
  return {s.kinds, s.firsts, s.inputs};
}

std::uint64_t corpus::memory() const noexcept {
  std::uint64_t words = 0;
  for (const stored& s : graphs_)
    words += s.kinds.capacity() + s.firsts.capacity() + s.inputs.capacity();
  return words * sizeof(std::uint32_t) + graphs_.capacity() * sizeof(stored) + names_.memory();
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
