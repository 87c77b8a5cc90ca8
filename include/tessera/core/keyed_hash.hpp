// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Hashes of values from files, keyed with a number per process that no file can predict.
//
//   std::size_t slot = keyed_hash(name) & mask;
//   std::size_t other = keyed_hash(x, y) & mask;     // of two numbers
//   hash_key key;                                    // keep one when hashing often
//
// Names that collide in one process don't in the next, so no file can make a table slow. Nothing
// that is read or written may depend on a hash: tables are for lookup, not for iteration, and a
// hash is never stored where another library could use it.
//
// The key combines a cycle counter, where the processor has one, and addresses, which systems
// randomize for each process. That hides it from files; it isn't cryptography.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_KEYED_HASH_HPP
#define TESSERA_CORE_KEYED_HASH_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../version.hpp"
#include "load_store.hpp"

namespace tessera::inline TESSERA_ABI {
namespace detail {

/// A product of 128 bits.
struct wide_product {
  std::uint64_t low, high;
  [[nodiscard]] std::uint64_t folded() const noexcept { return low ^ high; }
};
[[nodiscard, gnu::always_inline]] inline wide_product multiplied(std::uint64_t x,
                                                                 std::uint64_t y) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(x) * y;
  return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
#else
  const std::uint64_t low_half = 0xffffffff;
  const std::uint64_t low = (x & low_half) * (y & low_half), a = (x >> 32) * (y & low_half),
                      b = (x & low_half) * (y >> 32), high = (x >> 32) * (y >> 32);
  const std::uint64_t middle = (low >> 32) + (a & low_half) + (b & low_half);
  return {middle << 32 | (low & low_half), high + (a >> 32) + (b >> 32) + (middle >> 32)};
#endif
}

/// What the key of a process is made of.
struct hash_entropy {
  std::uint64_t a = 0, b = 0;

  hash_entropy() noexcept {
    static const char place = 0;
    a = mixed(cycles() ^ std::bit_cast<std::uintptr_t>(&place));
    const volatile char on_the_stack = 0;
    b = mixed(a ^ std::bit_cast<std::uintptr_t>(&on_the_stack));
  }
  [[nodiscard]] static std::uint64_t cycles() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t count = 0;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return 0;
#endif
  }
  [[nodiscard]] static std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 30) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
};
[[nodiscard, gnu::noinline]] inline const hash_entropy& process_entropy() noexcept {
  static const hash_entropy once;
  return once;
}

}  // namespace detail

/// The key of this process.
class hash_key {
 public:
  hash_key() noexcept : hash_key(detail::process_entropy()) {}

  /// All bits are equally good. Multiplied twice: with an unlucky key, the products of values in an
  /// arithmetic progression collide.
  [[nodiscard, gnu::always_inline]] std::uint64_t operator()(std::uint64_t x,
                                                             std::uint64_t y) const noexcept {
    const detail::wide_product p = detail::multiplied(x ^ a_, y ^ b_);
    return detail::multiplied(p.low ^ a_, p.high ^ b_).folded();
  }
  /// The hash of characters; other seeds give other hashes.
  [[nodiscard]] std::uint64_t operator()(std::string_view s,
                                         std::uint64_t seed = 0) const noexcept {
    std::uint64_t h = (*this)(s.size(), seed);
    for (; s.size() > 16; s.remove_prefix(16))
      h = detail::multiplied(load_le<std::uint64_t>(s.data()) ^ a_,
                             load_le<std::uint64_t>(s.data() + 8) ^ h)
              .folded();
    char last[16] = {};
    if (!s.empty()) std::memcpy(last, s.data(), s.size());
    return (*this)(load_le<std::uint64_t>(last) ^ h, load_le<std::uint64_t>(last + 8));
  }

 private:
  explicit hash_key(const detail::hash_entropy& from) noexcept : a_(from.a), b_(from.b) {}

  std::uint64_t a_, b_;
};

/// The hash of two numbers, with the key of this process.
[[nodiscard]] inline std::uint64_t keyed_hash(std::uint64_t x, std::uint64_t y = 0) noexcept {
  return hash_key()(x, y);
}
/// `seed` separates names of one kind from those of another.
[[nodiscard]] inline std::uint64_t keyed_hash(std::string_view s, std::uint64_t seed = 0) noexcept {
  return hash_key()(s, seed);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_KEYED_HASH_HPP
