// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rows by 64-bit keys: what verification remembers, by open addressing.
//
//   struct memo { std::uint64_t key = 0; bool varies = false; };
//   detail::keyed_rows<memo> memos;
//   const auto [row, is_new] = memos.find(key);       // is_new: it has nothing but its key
//
// Lifetime:   a row lasts until the next call of find().
// Errors:     none.
// Limits:     keys other than 0.
// Allocation: 2 to 4 rows for each key.

#ifndef TESSERA_NEM_DETAIL_KEYED_ROWS_HPP
#define TESSERA_NEM_DETAIL_KEYED_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/keyed_hash.hpp"
#include "../../core/pool.hpp"
#include "../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

template <class Row>
class keyed_rows {
 public:
  struct found {
    Row& row;
    bool is_new;
  };
  /// The row of a key, which is added where there is none.
  found find(std::uint64_t key) {
    if (2 * (count_ + 1) > rows_.size()) grow();
    Row& row = slot(key);
    if (row.key == key) return {row, false};
    row.key = key;
    ++count_;
    return {row, true};
  }

 private:
  void grow() {
    const pool<Row> old = std::exchange(rows_, {});
    rows_.resize(old.empty() ? 32 : old.size() * 2);
    for (const Row& r : old)
      if (r.key != 0) slot(r.key) = r;
  }
  [[nodiscard]] Row& slot(std::uint64_t key) noexcept {
    const std::size_t mask = rows_.size() - 1;
    std::size_t i = static_cast<std::uint32_t>(hash_(key, 0)) & mask;
    while (rows_[i].key != 0 && rows_[i].key != key) i = (i + 1) & mask;
    return rows_[i];
  }

  hash_key hash_;
  pool<Row> rows_;
  std::size_t count_ = 0;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_KEYED_ROWS_HPP
