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

/// Consecutive ids, at least one.
class id_range {
 public:
  id_range(std::uint16_t first, std::uint16_t last) noexcept
      : first_(first), last_after_first_(static_cast<std::uint16_t>(last - first)) {}
  [[nodiscard]] std::uint16_t first() const noexcept { return first_; }
  [[nodiscard]] std::uint16_t last_after_first() const noexcept { return last_after_first_; }
  /// 1 or 0.
  [[nodiscard]] std::uint32_t lacks(std::uint16_t id) const noexcept {
    return ((std::uint32_t{id} - first_) & 0xffff) > last_after_first_ ? 1 : 0;
  }

 private:
  std::uint16_t first_, last_after_first_;
};

/// A set of ids.
class id_set {
 public:
  void insert(std::uint16_t id) noexcept {
    count_ += lacks(id);
    words_[id >> 6] |= std::uint64_t{1} << (id & 63);
    first_ = id < first_ ? id : first_;
    last_ = id > last_ ? id : last_;
  }
  [[nodiscard]] bool has(std::uint16_t id) const noexcept {
    return (words_[id >> 6] >> (id & 63) & 1) != 0;
  }
  /// 1 or 0.
  [[nodiscard]] std::uint32_t lacks(std::uint16_t id) const noexcept {
    return static_cast<std::uint32_t>(~words_[id >> 6] >> (id & 63) & 1);
  }
  /// Whether range() is the same.
  [[nodiscard]] bool is_range() const noexcept {
    return count_ != 0 && count_ == last_ - std::uint32_t{first_} + 1;
  }
  [[nodiscard]] id_range range() const noexcept { return {first_, last_}; }
  [[nodiscard]] std::uint16_t first() const noexcept { return first_; }

 private:
  std::uint64_t words_[1024] = {};
  std::uint32_t count_ = 0;
  std::uint16_t first_ = 0xffff, last_ = 0;
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
