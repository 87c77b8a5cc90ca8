// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Shapes, indices and strides, for tests that go through tensors element by element.

#ifndef TESSERA_TESTS_VM_NEM_INDICES_HPP
#define TESSERA_TESTS_VM_NEM_INDICES_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensors.hpp"

namespace test {

using numbers = std::vector<std::int64_t>;

/// To the next index, in the order of the shape; false after the last.
inline bool advance(numbers& at, const numbers& shape) {
  for (std::size_t d = shape.size(); d-- != 0;) {
    if (++at[d] < shape[d]) return true;
    at[d] = 0;
  }
  return false;
}
inline std::int64_t count_of(const numbers& shape) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  return n;
}
/// Which element of a shape an index is.
inline std::size_t number_of(const numbers& at, const numbers& shape) {
  std::int64_t n = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) n = n * shape[d] + at[d];
  return static_cast<std::size_t>(n);
}
/// Strides of three kinds: without gaps; with a gap after each row; with gaps, and the first
/// dimension innermost.
inline numbers strides_of(int kind, const numbers& shape) {
  if (kind == 0) return {};
  numbers strides(shape.size());
  std::int64_t n = 2;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t d = kind == 2 ? i : shape.size() - 1 - i;
    strides[d] = n;
    n = n * shape[d] + 1;
  }
  return strides;
}
/// Whether the bits that no element has are as they were made; those after an odd number of i4
/// without gaps are 0.
inline bool keeps_gaps(const held& h) {
  const std::size_t bits = nem::bitwidth(h.type);
  std::vector<bool> is_used(h.memory.size() * 8);
  numbers at(h.shape.size());
  do {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < h.shape.size(); ++d) to += at[d] * h.strides[d];
    for (std::size_t b = 0; b < bits; ++b) is_used[static_cast<std::size_t>(to) * bits + b] = true;
  } while (advance(at, h.shape));
  const auto elements = static_cast<std::size_t>(count_of(h.shape));
  const bool has_half = bits == 4 && elements % 2 != 0 && h.memory.size() == (elements + 1) / 2;
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    const unsigned made = has_half && i / 4 == elements ? 0 : 0xa5u;
    if (!is_used[i] && ((std::to_integer<unsigned>(h.memory[i / 8]) ^ made) >> i % 8 & 1) != 0)
      return false;
  }
  return true;
}
/// Numbers that a type has, that differ, and are of both signs where it has them.
inline std::vector<double> values_of(element e, std::int64_t n, std::uint32_t seed = 1) {
  std::vector<double> out;
  const bool is_integer = held(e, {1}).tensor().is_integer();
  const vm::nem::integer_range r = vm::nem::range_of(e);
  for (std::int64_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    if (is_integer)
      out.push_back(static_cast<double>(r.least + static_cast<std::int64_t>(seed >> 4) %
                                                      (r.greatest - r.least + 1)));
    else
      out.push_back((static_cast<double>(seed >> 24) - 128) / 16);
  }
  return out;
}

}  // namespace test

#endif  // TESSERA_TESTS_VM_NEM_INDICES_HPP
