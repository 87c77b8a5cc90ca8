// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Numbers for operations: equal where they compute the same from the same, whatever their ids.
//
//   value_numbers same(value_numbers::equal::values);
//   std::vector<std::uint32_t> numbers;
//   for (std::size_t i = 0; i < p.size(); ++i) numbers.push_back(same.number(p, i, numbers));
//
// Operations of several programs can be numbered together.
//
// Lifetime:   values; programs are needed only while their operations are numbered.
// Errors:     none.
// Limits:     2^32 - 1 operations.
// Allocation: 100 bytes for each operation.

#ifndef TESSERA_INSPECT_ALIR_VALUE_NUMBERS_HPP
#define TESSERA_INSPECT_ALIR_VALUE_NUMBERS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "tessera/alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Numbers rows of words: equal ones alike, in the order in which they come.
class row_numbers {
 public:
  row_numbers() : rows_(16, hasher{this}, hasher{this}) {}
  row_numbers(const row_numbers&) = delete;
  row_numbers& operator=(const row_numbers&) = delete;
  [[nodiscard]] std::uint32_t number(std::span<const std::uint64_t> row);

 private:
  struct hasher {
    const row_numbers* of;
    std::size_t operator()(std::uint32_t row) const noexcept;
    bool operator()(std::uint32_t a, std::uint32_t b) const noexcept;
  };
  [[nodiscard]] std::span<const std::uint64_t> at(std::uint32_t row) const noexcept {
    return std::span(words_).subspan(starts_[row], starts_[row + 1] - starts_[row]);
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::size_t> starts_{0};
  std::unordered_set<std::uint32_t, hasher, hasher> rows_;
};

class value_numbers {
 public:
  enum class equal : std::uint8_t {
    values,  ///< the same value for all inputs, whatever the file says about it
    text,    ///< also the same interval, and operands in the same order
    types,   ///< likewise, but of an interval only the type, which is all that bytecode has
  };
  explicit value_numbers(equal how) : how_(how) {}

  /// That of operation i, given those of the operations before.
  [[nodiscard]] std::uint32_t number(const alir::program& p, std::size_t i,
                                     std::span<const std::uint32_t> earlier);

 private:
  [[nodiscard]] std::uint32_t table_number(const alir::model& m, std::size_t table);
  void add_operands(const alir::program& p, std::size_t i, std::span<const std::uint32_t> earlier);
  void add_type(const alir::program& p, std::size_t i);
  void add(std::int64_t v) { row_.push_back(static_cast<std::uint64_t>(v)); }
  void add(double v);
  void add(const alir::fixed_type& t);

  equal how_;
  row_numbers rows_, tables_;
  const alir::model* numbered_ = nullptr;  ///< whose tables have these numbers:
  std::vector<std::uint32_t> table_numbers_;
  std::vector<std::uint64_t> row_;
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_VALUE_NUMBERS_HPP
