// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "sort.hpp"

#include <algorithm>
#include <bit>

#include "tensor/element_rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {
namespace {

constexpr std::uint64_t sign = std::uint64_t{1} << 63;

[[nodiscard]] std::uint64_t key_of(std::int64_t v) noexcept {
  return static_cast<std::uint64_t>(v) ^ sign;
}
[[nodiscard]] std::uint64_t key_of(double v) noexcept {
  if (v != v) return sort_key::nan;
  const auto bits = std::bit_cast<std::uint64_t>(v == 0 ? 0.0 : v);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

template <class A>
void read(element_type type, const std::byte* data, std::int64_t first, std::int64_t step,
          sort_key* to, std::size_t n) noexcept {
  constexpr std::size_t part = 256;
  A row[part];
  for (std::size_t i = 0; i < n; i += part) {
    const std::size_t count = std::min(part, n - i);
    load_row(type, data, first + static_cast<std::int64_t>(i) * step, step, row, count);
    for (std::size_t k = 0; k < count; ++k)
      to[i + k] = {key_of(row[k]), static_cast<std::int64_t>(i + k)};
  }
}

void invert(sort_key* keys, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) keys[i].key = ~keys[i].key;
}

}  // namespace

void read_keys(element_type type, const std::byte* data, std::int64_t first, std::int64_t step,
               sort_key* to, std::size_t n) noexcept {
  const bool is_real = visit(type, []<class T>(of<T>) { return is_float<T>; });
  (is_real ? read<double> : read<std::int64_t>)(type, data, first, step, to, n);
}

void sort_keys(sort_key* keys, std::size_t n, bool descending) noexcept {
  if (descending) invert(keys, n);
  std::sort(keys, keys + n);
}

void select_keys(sort_key* keys, std::size_t n, std::size_t taken, bool descending,
                 bool sorted) noexcept {
  if (taken == 0) return;
  if (descending) invert(keys, n);
  const auto before = [](const sort_key& a, const sort_key& b) { return a.key < b.key; };
  if (taken <= n / 64) return std::partial_sort(keys, keys + taken, keys + n, before);
  std::nth_element(keys, keys + taken - 1, keys + n, before);
  if (sorted) std::sort(keys, keys + taken - 1, before);
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
