// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What tests of kernels share: the levels to run, and floats that end or begin where memory does.
//
//   for (const level l : levels()) ...
//   guarded<float> x(n);         // x[n] ends the program
//   guarded<float> y(n, true);   // and so does y[-1]

#ifndef TESSERA_TESTS_KERNELS_SUPPORT_HPP
#define TESSERA_TESTS_KERNELS_SUPPORT_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "../support/guard_page.hpp"
#include "tensor/level.hpp"

namespace tessera_tests {

/// The levels that this processor has.
inline std::vector<tessera::tensors::level> levels() {
  using tessera::tensors::level;
  std::vector<level> all;
  for (const level l : {level::baseline, level::avx2, level::avx512})
    if (l <= tessera::tensors::best_level()) all.push_back(l);
  return all;
}

/// Whole numbers without pattern, the same at every place.
class random_numbers {
 public:
  std::uint32_t operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  /// From -1 to 1.
  float real() { return static_cast<float>(static_cast<std::int32_t>((*this)())) * 0x1p-31f; }

 private:
  std::uint64_t state_ = 1;
};

/// `capacity` elements between two pages that nobody may touch, next to the last or the first.
template <class T>
class guarded {
 public:
  explicit guarded(std::size_t capacity, bool at_start = false)
      : memory_(capacity * sizeof(T)), at_start_(at_start) {}

  /// Where n elements end, or begin, at the guarded page. They hold what they held.
  [[nodiscard]] T* at(std::size_t n) {
    const char* const edge = at_start_ ? memory_.place_first(std::string_view()).data()
                                       : memory_.place(std::string_view()).data() - n * sizeof(T);
    return static_cast<T*>(const_cast<void*>(static_cast<const void*>(edge)));
  }

 private:
  guard_page memory_;
  bool at_start_;
};

}  // namespace tessera_tests

#endif  // TESSERA_TESTS_KERNELS_SUPPORT_HPP
