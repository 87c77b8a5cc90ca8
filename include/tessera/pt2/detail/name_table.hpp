// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A table of names and what each is the name of.

#ifndef TESSERA_PT2_DETAIL_NAME_TABLE_HPP
#define TESSERA_PT2_DETAIL_NAME_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/keyed_hash.hpp"
#include "../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

class name_table {
 public:
  /// For up to `count` names of a model.
  name_table(const model& m, std::size_t count) : m_(m) {
    std::size_t size = 8;
    while (size < count * 2) size *= 2;
    slots_.resize(size);
  }

  /// False if the name is there already.
  bool insert(string name, std::uint32_t index) {
    slot& s = slots_[place_of(text_of(m_, name))];
    if (s.index != none) return false;
    s = {name, index};
    return true;
  }
  /// `none` where there is no such name.
  [[nodiscard]] std::uint32_t find(std::string_view name) const noexcept {
    return slots_[place_of(name)].index;
  }

 private:
  struct slot {
    string name;
    std::uint32_t index = none;
  };
  [[nodiscard]] std::size_t place_of(std::string_view name) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = to_size(key_(name)) & mask;
    while (slots_[i].index != none && text_of(m_, slots_[i].name) != name) i = (i + 1) & mask;
    return i;
  }

  const model& m_;
  hash_key key_;
  pool<slot> slots_;
};

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_NAME_TABLE_HPP
