// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "strided.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "element_type.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {
namespace {

using index = std::int64_t;

template <class T>
[[nodiscard]] T get(const std::byte* at) noexcept {
  T v;
  std::memcpy(&v, at, sizeof v);
  return v;
}
template <class T>
void put(std::byte* at, T v) noexcept {
  std::memcpy(at, &v, sizeof v);
}

/// Elements one after another; strides in bytes.
template <class T>
void row(std::byte* to, const std::byte* from, index n, index to_step, index from_step) noexcept {
  if (from_step == 0 && to_step == sizeof(T)) {
    const T v = get<T>(from);
    for (index i = 0; i < n; ++i) put(to + i * static_cast<index>(sizeof(T)), v);
    return;
  }
  if (to_step == sizeof(T)) {
    for (index i = 0; i < n; ++i)
      put(to + i * static_cast<index>(sizeof(T)), get<T>(from + i * from_step));
    return;
  }
  for (index i = 0; i < n; ++i) put(to + i * to_step, get<T>(from + i * from_step));
}

typedef std::uint32_t quad [[gnu::vector_size(16)]];

/// 4 x 4 elements of 4 bytes.
inline void block_of_words(std::byte* to, const std::byte* from, index to_step,
                           index from_step) noexcept {
  const auto a = get<quad>(from), b = get<quad>(from + from_step);
  const auto c = get<quad>(from + 2 * from_step), d = get<quad>(from + 3 * from_step);
  const quad ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5);
  const quad ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
  const quad bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5);
  const quad bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
  put<quad>(to, __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5));
  put<quad>(to + to_step, __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7));
  put<quad>(to + 2 * to_step, __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5));
  put<quad>(to + 3 * to_step, __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7));
}

/// to[i][k] = from[k][i] for four of i and `columns` of k, elements of 4 bytes.
inline void transpose_fours(std::byte* to, const std::byte* from, index columns, index to_step,
                            index from_step) noexcept {
  index k = 0;
  for (; k + 4 <= columns; k += 4)
    block_of_words(to + k * 4, from + k * from_step, to_step, from_step);
  for (; k < columns; ++k)
    for (index j = 0; j < 4; ++j)
      put(to + j * to_step + k * 4, get<std::uint32_t>(from + k * from_step + j * 4));
}

/// to[i][k] = from[k][i] for `rows` of i and `columns` of k; rows are so many bytes apart.
template <class T>
void transpose(std::byte* to, const std::byte* from, index rows, index columns, index to_step,
               index from_step) noexcept {
  constexpr index tile = sizeof(T) == 1 ? 16 : 32, size = sizeof(T);
  for (index i0 = 0; i0 < rows; i0 += tile) {
    const index i1 = std::min(i0 + tile, rows);
    for (index k0 = 0; k0 < columns; k0 += tile) {
      const index k1 = std::min(k0 + tile, columns);
      index i = i0;
      if constexpr (sizeof(T) == 4) {
        for (; i + 4 <= i1; i += 4)
          transpose_fours(to + i * to_step + k0 * size, from + k0 * from_step + i * size, k1 - k0,
                          to_step, from_step);
      }
      for (; i < i1; ++i)
        for (index k = k0; k < k1; ++k)
          put(to + i * to_step + k * size, get<T>(from + k * from_step + i * size));
    }
  }
}

}  // namespace

void walk::add(std::int64_t size, std::int64_t from, std::int64_t to) noexcept {
  if (size == 0) empty_ = true;
  if (size == 1 || empty_) return;
  // One axis with the one before where both sides go on regularly.
  if (count_ != 0) {
    axis& outer = axes_[count_ - 1];
    std::int64_t both = 0;  // more than 64 bits count, where strides are 0
    if (outer.from == from * size && outer.to == to * size &&
        !__builtin_mul_overflow(outer.size, size, &both)) {
      outer = {both, from, to};
      return;
    }
  }
  axes_[count_++] = {size, from, to};
}

void walk::copy(std::byte* to, const std::byte* from, std::size_t element_size) const noexcept {
  if (empty_) return;
  if (count_ == 0 || (count_ == 1 && axes_[0].from == 1 && axes_[0].to == 1)) {
    std::memmove(to, from,
                 element_size * static_cast<std::size_t>(count_ == 0 ? 1 : axes_[0].size));
    return;
  }
  const auto size = static_cast<index>(element_size);
  axis axes[max_axes];
  std::size_t outer = count_;
  for (std::size_t i = 0; i < count_; ++i)
    axes[i] = {axes_[i].size, axes_[i].from * size, axes_[i].to * size};

  // The axes of the innermost loops are taken from the others.
  enum class inner { run, blocks, elements } how = inner::elements;
  axis last = axes[--outer], other = {};
  if (last.from == size && last.to == size) {
    how = inner::run;
  } else {
    for (std::size_t i = outer; i-- != 0;) {
      const bool blocks =
          last.to == size ? axes[i].from == size : last.from == size && axes[i].to == size;
      if (!blocks) continue;
      how = inner::blocks;
      other = axes[i];
      for (std::size_t k = i + 1; k < outer; ++k) axes[k - 1] = axes[k];
      --outer;
      if (other.to == size) std::swap(last, other);
      break;
    }
  }

  index at[max_axes];
  for (std::size_t i = 0; i < outer; ++i) at[i] = 0;
  for (;;) {
    if (how == inner::run) {
      std::memmove(to, from, static_cast<std::size_t>(last.size * size));
    } else {
      with_word(element_size, [&]<class T>(of<T>) {
        if (how == inner::blocks)
          transpose<T>(to, from, other.size, last.size, other.to, last.from);
        else
          row<T>(to, from, last.size, last.to, last.from);
      });
    }
    std::size_t i = outer;
    for (; i != 0; --i) {
      const axis& a = axes[i - 1];
      if (++at[i - 1] != a.size) {
        to += a.to;
        from += a.from;
        break;
      }
      at[i - 1] = 0;
      to -= a.to * (a.size - 1);
      from -= a.from * (a.size - 1);
    }
    if (i == 0) return;
  }
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
