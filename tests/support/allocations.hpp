// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Counts what this program takes from the heap, by way of operator new.
//
//   const allocations used;
//   read(source);
//   CHECK(used.count() == 0);
//
//   const failing_allocations none(7);                  // the eighth from now on throws std::bad_alloc
//
// Over-aligned allocations aren't counted, and don't fail.

#ifndef TESSERA_TESTS_SUPPORT_ALLOCATIONS_HPP
#define TESSERA_TESTS_SUPPORT_ALLOCATIONS_HPP

#include <cstdint>

namespace tessera_tests {

/// What was allocated since construction, by all threads. One at a time: constructing one starts
/// the measurement of the peak anew.
class allocations {
 public:
  allocations() noexcept;
  /// Calls of operator new.
  [[nodiscard]] std::uint64_t count() const noexcept;
  /// Bytes of all those calls together, freed since or not.
  [[nodiscard]] std::uint64_t total() const noexcept;
  /// The most bytes that were held at one time, over those held at construction.
  [[nodiscard]] std::uint64_t peak() const noexcept;
  /// Bytes held now, over those held at construction.
  [[nodiscard]] std::int64_t live() const noexcept;

 private:
  std::uint64_t count_, total_;
  std::int64_t live_;
};

/// While it lives, one allocation fails: the one before which `at` others succeed; or all from that one
/// on. The others are as they were. One at a time.
class failing_allocations {
 public:
  explicit failing_allocations(std::uint64_t at, bool all_after = false) noexcept;
  failing_allocations(const failing_allocations&) = delete;
  failing_allocations& operator=(const failing_allocations&) = delete;
  ~failing_allocations();
};

}  // namespace tessera_tests

#endif  // TESSERA_TESTS_SUPPORT_ALLOCATIONS_HPP
