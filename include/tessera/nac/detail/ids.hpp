// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Sets and tables of 16-bit ids: of constants, parameters and instructions.
//
//   detail::id_set seen;
//   if (seen.has(c.id)) …
//   const detail::id_table rows(file.parameters());       // the last record of an id counts
//   if (rows[7] != detail::no_index) …                        // its index in the list
//
// Lifetime:   owns; refers to records by their indices.
// Errors:     none.
// Limits:     ids up to 65,535.
// Allocation: of a set none, it has 8 KiB; of a table 4 to 8 bytes for each id up to the largest.

#ifndef TESSERA_NAC_DETAIL_IDS_HPP
#define TESSERA_NAC_DETAIL_IDS_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/pool.hpp"
#include "../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// A set of ids.
class id_set {
 public:
  void insert(std::uint16_t id) noexcept { words_[id >> 6] |= std::uint64_t{1} << (id & 63); }
  [[nodiscard]] bool has(std::uint16_t id) const noexcept {
    return (words_[id >> 6] >> (id & 63) & 1) != 0;
  }
  /// 1 or 0.
  [[nodiscard]] std::uint32_t lacks(std::uint16_t id) const noexcept {
    return static_cast<std::uint32_t>(~words_[id >> 6] >> (id & 63) & 1);
  }

 private:
  std::uint64_t words_[1024] = {};
};

inline constexpr std::uint32_t no_index = ~std::uint32_t{0};

/// From ids to indices, as far as the largest id reaches.
class id_table {
 public:
  id_table() noexcept = default;
  /// Of records with ids.
  template <class List>
  explicit id_table(const List& records) {
    std::uint32_t index = 0;
    for (const auto& r : records) set(r.id, index++);
  }
  /// The index of an id's record; none where there is none.
  [[nodiscard]] std::uint32_t operator[](std::uint32_t id) const noexcept {
    return id < next_.size() ? next_[id] - 1 : no_index;
  }
  void set(std::uint16_t id, std::uint32_t index) {
    if (next_.size() <= id) next_.resize(std::size_t{id} + 1);
    next_[id] = index + 1;
  }
  /// One more than the largest id.
  [[nodiscard]] std::uint32_t end() const noexcept {
    return static_cast<std::uint32_t>(next_.size());
  }

 private:
  pool<std::uint32_t> next_;  // indices plus 1, so that 0 is no_index
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_IDS_HPP
