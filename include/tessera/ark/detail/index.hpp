// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Finding things by their Id.
//
//   id_index nodes(g.nodes.data(), g.nodes.size());
//   nodes.first(7);        // the first node whose Id is 7, or none
//   nodes.first_of(3);     // the first node that has the Id of node 3
//
// Ids that are nearly dense, as writers make them, index an array; any others are sorted.
//
// Lifetime:   an index keeps no reference to its source.
// Errors:     none.
// Limits:     32-bit indices.
// Allocation: 4 bytes for each thing and for each Id in their range, or 20 bytes for each thing.

#ifndef TESSERA_ARK_DETAIL_INDEX_HPP
#define TESSERA_ARK_DETAIL_INDEX_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../../version.hpp"
#include "../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

class id_index {
 public:
  id_index() noexcept = default;
  template <class Thing>
  id_index(const Thing* things, std::size_t count) {
    if (count == 0) return;
    std::int64_t low = things[0].id, high = low;
    for (std::size_t i = 1; i < count; ++i) {
      if (things[i].id < low) low = things[i].id;
      if (things[i].id > high) high = things[i].id;
    }
    low_ = static_cast<std::uint64_t>(low);
    const std::uint64_t range = static_cast<std::uint64_t>(high) - low_;
    firsts_.reserve(count);
    if (range < 4 * std::uint64_t{count} + 1024) {
      dense_.resize(static_cast<std::size_t>(range) + 1);  // index + 1
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t& slot = dense_[static_cast<std::size_t>(number(things[i].id))];
        if (slot == 0) slot = static_cast<std::uint32_t>(i) + 1;
        firsts_.push_back(slot - 1);
      }
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      sorted_.push_back({number(things[i].id), static_cast<std::uint32_t>(i)});
    sort_ids();
  }

  /// The first thing with that Id, or none.
  [[nodiscard]] std::uint32_t first(std::int64_t id) const noexcept {
    const std::uint64_t n = number(id);
    if (sorted_.empty()) {
      if (n >= dense_.size()) return none;
      return dense_[static_cast<std::size_t>(n)] - 1;  // 0 - 1 is none
    }
    std::size_t from = 0, to = sorted_.size();
    while (from < to) {
      const std::size_t middle = from + (to - from) / 2;
      if (sorted_[middle].number < n)
        from = middle + 1;
      else
        to = middle;
    }
    return from < sorted_.size() && sorted_[from].number == n ? sorted_[from].index : none;
  }
  /// The first thing with the Id of thing `i`.
  [[nodiscard]] std::uint32_t first_of(std::size_t i) const noexcept { return firsts_[i]; }
  /// first_of all things.
  [[nodiscard]] const pool<std::uint32_t>& firsts() const noexcept { return firsts_; }

 private:
  struct entry {
    std::uint64_t number;
    std::uint32_t index;
  };
  [[nodiscard]] std::uint64_t number(std::int64_t id) const noexcept {
    return static_cast<std::uint64_t>(id) - low_;
  }
  /// Leaves the first entry of each Id in `sorted_`.
  [[gnu::noinline]] void sort_ids() {
    const std::size_t count = sorted_.size();
    sort(sorted_.data(), count, [](const entry& a, const entry& b) { return a.number < b.number; });
    firsts_.resize(count);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (kept == 0 || sorted_[kept - 1].number != sorted_[i].number) sorted_[kept++] = sorted_[i];
      firsts_[sorted_[i].index] = sorted_[kept - 1].index;
    }
    sorted_.resize(kept);
  }

  std::uint64_t low_ = 0;
  pool<std::uint32_t> dense_, firsts_;
  pool<entry> sorted_;
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_INDEX_HPP
