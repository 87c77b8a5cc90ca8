// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tessera 0.9.0: tessera/alir.hpp and all that it includes, in one file.
//
// Made by cmake/amalgamate.cmake. To change something, change the header it comes from, then run
// `cmake --build build --target single`.

// ---- tessera/alir.hpp
//
// ALIR, alkaid's low-level IR: fixed-point dataflow programs as JSON and as bytecode.
//
//   auto model = tessera::alir::read(source);                      // JSON or bytecode
//   if (!model) return fail(describe(model.error(), source));
//   std::cout << tessera::alir::print(*model);
//   auto program = tessera::alir::verify(std::move(*model));       // what a VM takes
//   auto json = tessera::alir::write_json(program->model());       // or write
//
//   read            any encoding, or a forced one                 alir/read.hpp
//   read_json       versions 2, 3 and 4 of the JSON form          alir/read_json.hpp
//   read_bytecode   int32 words (2) and bytes (3 and 4)           alir/read_bytecode.hpp
//   verify          proves that a model can run                   alir/verify.hpp
//   write           versions 2, 3 and 4 in both encodings         alir/write.hpp
//   to_version      the same program in another version           alir/versions.hpp
//   print           a human-readable listing                      alir/print.hpp
//   read_pipeline, write_pipeline   programs with registers       alir/pipeline.hpp
//   describe        an error with line, column, path and caret    core/describe.hpp
//
// Lifetime:   models and programs own themselves; no view outlives its owner unnoticed.
// Errors:     values; codes, with their offsets and messages, are in core/error_table_alir.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: at most 24 × input + 64 KiB to read.


// ---- tessera/version.hpp
//
// The version of Tessera, once (CMake reads it from here), and the two modes.
//
//   header-only  the default: every definition is inline
//   compiled     TESSERA_COMPILED is defined for every file of the program: headers declare, and
//                definitions are compiled once. Link the CMake target tessera::compiled, or define
//                TESSERA_IMPLEMENTATION too in one source file that includes what the others use.
//
// Everything lives in `tessera::inline TESSERA_ABI`, which differs by version and mode: two of them
// linked into one program keep apart. In one translation unit they cannot, so that is an error; the
// checks are outside the guard because a guard would skip them exactly when they matter.

#if defined(TESSERA_VERSION) && TESSERA_VERSION != 900
#error "two versions of Tessera are included in one translation unit"
#endif
#if defined(TESSERA_VERSION_HPP) && defined(TESSERA_COMPILED) != TESSERA_IS_COMPILED
#error "TESSERA_COMPILED must be defined before the first header of Tessera"
#endif
#if defined(TESSERA_IMPLEMENTATION) && !defined(TESSERA_COMPILED)
#error "TESSERA_IMPLEMENTATION without TESSERA_COMPILED: define the latter for the whole program"
#endif

#ifndef TESSERA_VERSION_HPP
#define TESSERA_VERSION_HPP

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "Tessera needs C++20 (-std=c++20)"
#elif !defined(__GNUC__)
#error "Tessera needs GCC 12, Clang 14, or a compiler that has their builtins"
#elif defined(__clang__) && __clang_major__ < 14
#error "Tessera needs Clang 14 or later"
#elif !defined(__clang__) && __GNUC__ < 12
#error "Tessera needs GCC 12 or later"
#endif

#define TESSERA_VERSION 900  // major * 10000 + minor * 100 + patch
#define TESSERA_VERSION_STRING "0.9.0"

// TESSERA_ABI: the namespace of every entity. TESSERA_INLINE: before a definition that an interface
// declares.
#ifdef TESSERA_COMPILED
#define TESSERA_IS_COMPILED 1
#define TESSERA_ABI v0_9_0_compiled
#define TESSERA_INLINE
#else
#define TESSERA_IS_COMPILED 0
#define TESSERA_ABI v0_9_0
#define TESSERA_INLINE inline
#endif

#endif  // TESSERA_VERSION_HPP

#ifndef TESSERA_ALIR_HPP
#define TESSERA_ALIR_HPP


// ---- tessera/alir/format.hpp
//
// What ALIR is: opcodes, fixed-point types, operations, and the model that readers fill.
//
//   alir::model m;
//   m.n_inputs = m.n_outputs = 1;
//   m.inp_shifts = {0}, m.out_idxs = {1}, m.out_shifts = {0}, m.out_negs = {0};
//   m.ops = {{.id0 = 0, .code = alir::opcode::input, .qint = {-8, 7.5, 0.5}},
//            {.id0 = 0, .code = alir::opcode::negate, .qint = {-7.5, 8, 0.5}}};
//
// Every operation i writes one value buf[i], an integer v that means v * 2^-f, where f comes
// from the operation's quantization interval. In JSON (version 2) an operation is a row
//
//   [id0, id1, opcode, data, [min, max, step], latency, cost]
//
// and in versions 3 and 4 a row [addresses, opcode, data, [min, max, step], latency, cost], in
// which addresses and data are arrays. All are read into the struct `operation`:
//
//   opcode         id0   id1   data           shift                value
//   negate         x                                               -x
//   input          n                                               input n, quantized
//   add, subtract  a     b     s                                   a ± b·2^s, s in data
//   relu           x                                               max(x, 0), quantized
//   quantize       x                          s (version 4)        x·2^s, quantized
//   add_constant   x           c              s                    x + c·2^-s
//   constant                   c                                   c (times the step)
//   mux            a     b     condition      s                    condition's msb ? a : b·2^s
//   multiply       a     b                                         a·b
//   lookup         x           table                               table[x - min(x)/step(x)]
//   bit_unary      x           0, 1, 2                             not, any, all
//   bit_binary     a     b     0, 1, 2 << 24  s                    a and, or, xor b·2^s
//   sum            first count                                     sum of `terms` (3 and 4 only)
//
// Unused ids are -1. Quantizing wraps around and truncates: bits are dropped at both ends.
//
// Lifetime:   model owns everything.
// Errors:     none here.
// Limits:     ids are int32.
// Allocation: pools, which double.

#ifndef TESSERA_ALIR_FORMAT_HPP
#define TESSERA_ALIR_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/core/pool.hpp
//
// Growing arrays of plain values, which models consist of.
//
//   tessera::pool<std::int32_t> p = {1, 2};
//   p.push_back(3);
//   std::span<const std::int32_t> s = p;   // or tessera::view, which is cheaper to include
//
// The part of std::vector's interface that models need, for trivially copyable elements only.
// Those can be grown by copying bytes, so one function that isn't a template serves every type;
// with std::vector, instantiating its members would cost more than all the rest of including a
// format.
//
// Lifetime:   owns; iterators, spans and references last until it grows.
// Errors:     std::bad_alloc where the host has exceptions. Indices are not checked.
// Limits:     none.
// Allocation: at most twice the elements held.

#ifndef TESSERA_CORE_POOL_HPP
#define TESSERA_CORE_POOL_HPP

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace detail {

/// Growing bytes: shared by pools and texts, compiled once.
class block {
 public:
  block() noexcept = default;
  block(const block& other) { append(other.data_, other.size_); }
  block(block&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  block& operator=(const block& other) { return *this = block(other); }
  block& operator=(block&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~block() { ::operator delete(data_); }

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void set_size(std::size_t size) noexcept { size_ = size; }
  [[nodiscard]] std::size_t available() const noexcept { return capacity_ - size_; }
  /// The end, with capacity for `count` more bytes. Capacity doubles, so that appending is linear
  /// overall.
  [[nodiscard]] void* prepare(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return static_cast<char*>(data_) + size_;
  }
  void append(const void* from, std::size_t count) {
    if (count == 0) return;
    if (capacity_ - size_ < count) return append_growing(from, count);
    if (data_ == nullptr) __builtin_unreachable();  // where there is room, there is memory
    std::memcpy(static_cast<char*>(data_) + size_, from, count);
    size_ += count;
  }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) take(::operator new(capacity), capacity);
  }
  /// False, without a change, where there is no memory.
  [[nodiscard]] bool try_reserve(std::size_t capacity) noexcept {
    if (capacity <= capacity_) return true;
    void* const data = ::operator new(capacity, std::nothrow);
    if (data != nullptr) take(data, capacity);
    return data != nullptr;
  }

 private:
  /// Goes on in other memory.
  void take(void* data, std::size_t capacity) noexcept {
    if (size_ != 0) std::memcpy(data, data_, size_);
    ::operator delete(data_);
    data_ = data;
    capacity_ = capacity;
  }
  /// The capacity that makes room for `count` more bytes. Of more than there are, no memory: a sum
  /// that overflows on a host of 32 bits would be a small one.
  [[nodiscard]] std::size_t grown(std::size_t count) const noexcept {
    const std::size_t doubled = capacity_ * 2, needed = size_ + count;
    if (needed < count) return ~std::size_t{0};
    return doubled > needed ? doubled : needed < 64 ? 64 : needed;
  }
  [[gnu::cold]] [[gnu::noinline]] void grow(std::size_t count) { reserve(grown(count)); }

 protected:
  [[gnu::cold]] [[gnu::noinline]] void append_growing(const void* from, std::size_t count) {
    block to;
    to.reserve(grown(count));  // if it throws: no change
    to.append(data_, size_);
    to.append(from, count);  // which may be in this block
    *this = std::move(to);
  }

  void* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace detail

/// Elements of a pool or of any other contiguous range: a std::span<const T> without its
/// concepts, which converts to one. Lifetime: borrows.
template <class T>
class view {
 public:
  constexpr view() noexcept = default;
  /// The `size` elements from `data` on.
  constexpr view(const T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  /// The first element; may be null where there are none.
  [[nodiscard]] constexpr const T* data() const noexcept { return data_; }
  /// How many elements there are.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  /// Whether there are none.
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  /// Element i, which must exist.
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  /// The elements in their order.
  ///@{
  [[nodiscard]] constexpr const T* begin() const noexcept { return data_; }
  [[nodiscard]] constexpr const T* end() const noexcept { return data_ + size_; }
  ///@}

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A growing array of elements that can be copied as bytes, by few instructions of the compiler.
template <class T>
class pool : private detail::block {
  // Members of the block are used directly: each call that is inlined costs the compiler.
  static_assert(__is_trivially_copyable(T) && alignof(T) <= alignof(std::max_align_t));

 public:
  /// The type of the elements.
  using value_type = T;

  pool() noexcept = default;
  /// Copies the values.
  pool(std::initializer_list<T> values) { append(values.begin(), values.size()); }

  /// All elements. Borrows from the pool.
  operator view<T>() const& noexcept { return {data(), size()}; }
  operator view<T>() const&& = delete;

  /// How many elements there are.
  [[nodiscard]] std::size_t size() const noexcept { return size_ / sizeof(T); }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// The first element; may be null where there are none.
  ///@{
  [[nodiscard]] T* data() noexcept { return static_cast<T*>(data_); }
  [[nodiscard]] const T* data() const noexcept { return static_cast<const T*>(data_); }
  ///@}
  /// Element i, which must exist.
  ///@{
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return static_cast<T*>(data_)[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    return static_cast<const T*>(data_)[i];
  }
  ///@}
  /// The last element, which must exist.
  ///@{
  [[nodiscard]] T& back() noexcept { return static_cast<T*>(data_)[size_ / sizeof(T) - 1]; }
  [[nodiscard]] const T& back() const noexcept {
    return static_cast<const T*>(data_)[size_ / sizeof(T) - 1];
  }
  ///@}
  /// The elements in their order; invalid as soon as the pool grows.
  ///@{
  [[nodiscard]] T* begin() noexcept { return static_cast<T*>(data_); }
  [[nodiscard]] T* end() noexcept { return static_cast<T*>(data_) + size_ / sizeof(T); }
  [[nodiscard]] const T* begin() const noexcept { return static_cast<const T*>(data_); }
  [[nodiscard]] const T* end() const noexcept {
    return static_cast<const T*>(data_) + size_ / sizeof(T);
  }
  ///@}

  /// Appends a copy.
  void push_back(const T& value) {
    if (capacity_ - size_ < sizeof(T)) return append_growing(&value, sizeof(T));
    ::new (static_cast<void*>(data() + size())) T(value);
    advance(1);
  }
  /// Appends copies of `count` elements from `values` on.
  void append(const T* values, std::size_t count) { block::append(values, bytes_of(count)); }
  /// Removes the last element, which must exist.
  void pop_back() noexcept { size_ -= sizeof(T); }
  /// Removes all elements; the memory stays.
  void clear() noexcept { size_ = 0; }
  /// Room for `count` more elements; write them there, then say how many with advance().
  [[nodiscard]] T* prepare(std::size_t count) {
    return static_cast<T*>(block::prepare(bytes_of(count)));
  }
  /// Counts elements that were written to what prepare() returned.
  void advance(std::size_t count) noexcept { size_ += count * sizeof(T); }
  /// How many more elements fit before it grows.
  [[nodiscard]] std::size_t available() const noexcept { return (capacity_ - size_) / sizeof(T); }
  /// Allocates for `count` elements in all.
  void reserve(std::size_t count) { block::reserve(bytes_of(count)); }
  /// New elements are value-initialized.
  void resize(std::size_t count) {
    if (count > size()) (void)block::prepare(bytes_of(count - size()));
    for (std::size_t i = size(); i < count; ++i) ::new (static_cast<void*>(data() + i)) T();
    size_ = count * sizeof(T);
  }

  /// Keeps the first `count` elements; there must be at least as many.
  void shrink(std::size_t count) noexcept { size_ = count * sizeof(T); }

  /// Equal in size and in each element.
  friend bool operator==(const pool& a, const pool& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(a[i] == b[i])) return false;
    return true;
  }

 private:
  /// Hosts of 64 bits have no memory for so many elements that this overflows; those of 32 bits may.
  [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t count) noexcept {
    if constexpr (sizeof count < 8) {  // unreachable: there is no such host among those of coverage
      if (count > ~std::size_t{0} / sizeof(T)) return ~std::size_t{0};
    }
    return count * sizeof(T);
  }
};

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_POOL_HPP

// ---- tessera/core/text.hpp
//
// Text that grows, UTF-8, and places in a text.
//
//   tessera::text out;
//   out << "line " << 7;
//   std::string_view v = out;
//   std::cout << out;                                            // or any stream with write()
//   tessera::line_column at = tessera::locate(source, offset);   // 1-based
//
// `text` is what writers and printers return: characters in one block that isn't cleared before it
// is written, so that a writer can reserve a record's bound once and then store through a pointer.
// It replaces std::string, which would cost more to include than the rest of the library.
//
// Lifetime:   text owns; view() and the conversion borrow from it.
// Errors:     none; std::bad_alloc where the host has exceptions.
// Limits:     none.
// Allocation: at most twice the characters held.

#ifndef TESSERA_CORE_TEXT_HPP
#define TESSERA_CORE_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>


// ---- tessera/core/digits.hpp
//
// Integers as decimal digits, stored through a pointer.
//
//   char line[tessera::integer_capacity];
//   char* end = tessera::put_integer(line, -1234);   // "-1234"
//
// Small numbers come from a table of 4 KB. Of others eight digits are made at a time, side by side in
// one word, by multiplications: no loop and no branch depends on the number of digits, which
// is unpredictable in real files.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_DIGITS_HPP
#define TESSERA_CORE_DIGITS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>


// ---- tessera/core/load_store.hpp
//
// Numbers in memory: little-endian loads and stores of any alignment, and checked arithmetic.
//
//   auto length = tessera::load_le<std::uint32_t>(data.data() + 4);
//   tessera::store_le(out, std::int64_t{-1});
//   if (!checked_add(offset, size, end)) return too_large;
//
// Lifetime:   values.
// Errors:     none: the caller ensures that there are enough bytes.
// Limits:     none.
// Allocation: none, except for the growth of a pool.

#ifndef TESSERA_CORE_LOAD_STORE_HPP
#define TESSERA_CORE_LOAD_STORE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>


namespace tessera::inline TESSERA_ABI {
namespace detail {

template <std::size_t Size>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of_size<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of_size<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of_size<8> {
  using type = std::uint64_t;
};

template <class T>
[[nodiscard]] constexpr T byte_swapped(T v) noexcept {
  T out = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out = static_cast<T>(static_cast<std::uint64_t>(out) << 8 | (v & 0xffu));
    v = static_cast<T>(static_cast<std::uint64_t>(v) >> 8);
  }
  return out;
}

}  // namespace detail

/// A little-endian integer or float at `from`, which needs no alignment. `sizeof(T)` bytes.
template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
[[nodiscard]] inline T load_le(const void* from) noexcept {
  typename detail::unsigned_of_size<sizeof(T)>::type raw;
  std::memcpy(&raw, from, sizeof raw);
  if constexpr (std::endian::native == std::endian::big) raw = detail::byte_swapped(raw);
  return std::bit_cast<T>(raw);
}

/// Writes `value` little-endian to `to`, which needs no alignment. `sizeof(T)` bytes.
template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
inline void store_le(void* to, T value) noexcept {
  auto raw = std::bit_cast<typename detail::unsigned_of_size<sizeof(T)>::type>(value);
  if constexpr (std::endian::native == std::endian::big) raw = detail::byte_swapped(raw);
  std::memcpy(to, &raw, sizeof raw);
}

/// Appends `value` little-endian to a pool of bytes.
template <class Pool, class T>
inline void append_le(Pool& to, T value) {
  std::byte raw[sizeof(T)];
  store_le(raw, value);
  to.append(raw, sizeof raw);
}

/// A number as std::size_t; a larger one loses its upper bits.
[[nodiscard]] constexpr std::size_t to_size(std::uint64_t n) noexcept { return n & SIZE_MAX; }

/// `out = a + b`; false, and `out` unspecified, when that doesn't fit.
template <class T>
[[nodiscard]] constexpr bool checked_add(T a, T b, T& out) noexcept {
  return !__builtin_add_overflow(a, b, &out);
}

/// `out = a * b`; false, and `out` unspecified, when that doesn't fit.
template <class T>
[[nodiscard]] constexpr bool checked_mul(T a, T b, T& out) noexcept {
  return !__builtin_mul_overflow(a, b, &out);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_LOAD_STORE_HPP

namespace tessera::inline TESSERA_ABI {

/// The size that put_integer needs: a sign and 20 digits. All of it may be overwritten, whatever
/// the number's length.
inline constexpr std::size_t integer_capacity = 21;

namespace detail {

inline constexpr std::uint64_t eight_zeros = 0x3030303030303030;  // the characters

/// The characters of each number below 1000, the first in the lowest byte, and their count in the
/// highest: most numbers in real files are small.
struct small_numbers {
  std::uint32_t at[1000] = {};
  consteval small_numbers() noexcept {
    for (std::uint32_t n = 0; n < 1000; ++n) {
      const std::uint32_t padded = (n / 100 | n / 10 % 10 << 8 | n % 10 << 16) + 0x303030;
      at[n] = n < 10    ? padded >> 16 | 1u << 24
              : n < 100 ? padded >> 8 | 2u << 24
                        : padded | 3u << 24;
    }
  }
};
inline constexpr small_numbers below_1000;

/// The digits of n < 10^8 as eight numbers, the first in the lowest byte.
[[nodiscard]] constexpr std::uint64_t eight_digits(std::uint32_t n) noexcept {
  // Every lane is cut in two, the quotient in its low half and the remainder in its high half:
  // (lane << half) - quotient * ((divisor << half) - 1). The quotients come from multiplications
  // by rounded reciprocals that are exact below 10^4 and 10^2.
  const std::uint64_t high = n / 10000;
  const std::uint64_t fours = (std::uint64_t{n} << 32) - high * ((std::uint64_t{10000} << 32) - 1);
  const std::uint64_t hundreds = fours * 10486 >> 20 & 0x0000007f0000007f;
  const std::uint64_t twos = (fours << 16) - hundreds * ((100u << 16) - 1);
  const std::uint64_t tens = twos * 103 >> 10 & 0x000f000f000f000f;
  return (twos << 8) - tens * ((10u << 8) - 1);
}

/// n < 10^8 in eight characters.
inline void put_eight(char* to, std::uint32_t n) noexcept {
  store_le(to, eight_digits(n) | eight_zeros);
}

/// n < 1000; four characters are overwritten.
inline char* put_small(char* to, std::uint32_t n) noexcept {
  const std::uint32_t entry = below_1000.at[n];
  store_le(to, entry);
  return to + (entry >> 24);
}

/// n < 10^8 without leading zeros; eight characters are overwritten.
inline char* put_up_to_eight(char* to, std::uint32_t n) noexcept {
  const std::uint64_t digits = eight_digits(n);
  // Bits before the first nonzero digit, in whole bytes; the last digit always counts.
  const auto leading =
      static_cast<unsigned>(std::countr_zero(digits | std::uint64_t{1} << 56)) & 56;
  store_le(to, (digits | eight_zeros) >> leading);
  return to + (8 - leading / 8);
}

inline char* put_magnitude(char* to, std::uint64_t n) noexcept {
  constexpr std::uint64_t unit = 100000000;
  if (n < 1000) return put_small(to, static_cast<std::uint32_t>(n));
  if (n < unit) return put_up_to_eight(to, static_cast<std::uint32_t>(n));
  const std::uint64_t high = n / unit;
  if (high < unit) {
    to = put_up_to_eight(to, static_cast<std::uint32_t>(high));
  } else {
    to = put_up_to_eight(to, static_cast<std::uint32_t>(high / unit));
    put_eight(to, static_cast<std::uint32_t>(high % unit));
    to += 8;
  }
  put_eight(to, static_cast<std::uint32_t>(n % unit));
  return to + 8;
}

}  // namespace detail

/// Writes any integer in decimal and returns the end. `to` has `integer_capacity` bytes.
template <class Int>
  requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
inline char* put_integer(char* to, Int value) noexcept {
  auto magnitude = static_cast<std::uint64_t>(value);
  if constexpr (std::is_signed_v<Int>) {
    const bool negative = value < 0;
    *to = '-';  // overwritten by a digit when there is no sign, as that is unpredictable too
    to += negative ? 1 : 0;
    magnitude = negative ? 0 - magnitude : magnitude;
  }
  return detail::put_magnitude(to, magnitude);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DIGITS_HPP

namespace tessera::inline TESSERA_ABI {

/// Growing characters. Movable and copyable; not terminated by a zero.
class text {
 public:
  text() noexcept = default;
  /// Copies the characters.
  explicit text(std::string_view from) { *this << from; }

  /// The first character; may be null where there are none.
  [[nodiscard]] const char* data() const noexcept {
    return static_cast<const char*>(block_.data());
  }
  /// How many characters there are.
  [[nodiscard]] std::size_t size() const noexcept { return block_.size(); }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return block_.size() == 0; }
  /// All characters. Borrows from the text.
  [[nodiscard]] std::string_view view() const& noexcept { return {data(), size()}; }
  std::string_view view() const&& = delete;
  /// All characters. Borrows from the text.
  operator std::string_view() const& noexcept { return view(); }
  operator std::string_view() const&& = delete;

  /// Removes all characters; the memory stays.
  void clear() noexcept { block_.set_size(0); }
  /// Keeps the first `size` characters.
  void truncate(std::size_t size) noexcept {
    if (size < block_.size()) block_.set_size(size);
  }

  /// Room for `count` more characters; write them there, then say how many with advance().
  [[nodiscard]] char* prepare(std::size_t count) {
    return static_cast<char*>(block_.prepare(count));
  }
  /// Counts characters that were written to what prepare() returned.
  void advance(std::size_t count) noexcept { block_.set_size(block_.size() + count); }
  /// How many more characters fit before it grows.
  [[nodiscard]] std::size_t available() const noexcept { return block_.available(); }
  /// Allocates for `size` characters in all.
  void reserve(std::size_t size) { block_.reserve(size); }
  /// False, without a change, where there is no memory.
  [[nodiscard]] bool try_reserve(std::size_t size) noexcept { return block_.try_reserve(size); }

  /// Appends the characters.
  text& operator<<(std::string_view s) { return block_.append(s.data(), s.size()), *this; }
  /// Appends one character.
  text& operator<<(char c) {
    *prepare(1) = c;
    return advance(1), *this;
  }
  /// Any integer, in decimal.
  template <class Int>
    requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
  text& operator<<(Int value) {
    char* const to = prepare(integer_capacity);
    return advance(static_cast<std::size_t>(put_integer(to, value) - to)), *this;
  }
  /// Not implicitly converted to char; see append_double.
  template <class Value>
    requires(std::is_same_v<Value, bool> || std::is_floating_point_v<Value>)
  text& operator<<(Value) = delete;
  /// Appends the characters up to the terminating zero.
  text& operator<<(const char* s) { return *this << std::string_view(s); }

  /// Writes to a std::ostream, or to anything else with `write(data, size)`.
  template <class Stream>
    requires requires(Stream& out, const char* data) { out.write(data, 1); }
  friend Stream& operator<<(Stream& out, const text& t) {
    out.write(t.data(), static_cast<std::ptrdiff_t>(t.size()));
    return out;
  }

 private:
  detail::block block_;
};

/// Whether the characters are the same.
[[nodiscard]] inline bool operator==(const text& a, std::string_view b) noexcept {
  return a.view() == b;
}
[[nodiscard]] inline bool operator==(const text& a, const text& b) noexcept {
  return a.view() == b.view();
}

/// Decodes the UTF-8 sequence at `at`, which holds at least one byte before `end`. Returns its
/// length, 1 to 4, or 0 when it is truncated, overlong, a surrogate, or above U+10FFFF.
[[nodiscard]] constexpr unsigned utf8_length(const char* at, const char* end) noexcept {
  const auto byte = [at](std::ptrdiff_t i) { return static_cast<unsigned char>(at[i]); };
  const auto tail = [&byte](std::ptrdiff_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const std::ptrdiff_t left = end - at;
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;  // a continuation byte, or an overlong two-byte form
  if (lead < 0xe0) return left >= 2 && tail(1) ? 2 : 0;
  if (lead < 0xf0) {
    if (left < 3 || !tail(1) || !tail(2)) return 0;
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;  // overlong
    if (lead == 0xed && byte(1) > 0x9f) return 0;  // surrogate
    return 3;
  }
  if (lead > 0xf4 || left < 4 || !tail(1) || !tail(2) || !tail(3)) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;  // overlong
  if (lead == 0xf4 && byte(1) > 0x8f) return 0;  // above U+10FFFF
  return 4;
}

/// Whether all of a text is UTF-8.
[[nodiscard]] constexpr bool is_utf8(std::string_view s) noexcept {
  const char* const end = s.data() + s.size();
  for (const char* at = s.data(); at != end;) {
    const unsigned length = utf8_length(at, end);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

/// Writes the UTF-8 form of a code point up to U+10FFFF to `to`, which has room for 4 bytes, and
/// returns its length.
constexpr unsigned utf8_encode(std::uint32_t code_point, char* to) noexcept {
  const auto put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (code_point < 0x80) return put(code_point), 1;
  if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    return put(0x80 | (code_point & 0x3f)), 2;
  }
  if (code_point < 0x10000) {
    put(0xe0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3f));
    return put(0x80 | (code_point & 0x3f)), 3;
  }
  put(0xf0 | code_point >> 18);
  put(0x80 | (code_point >> 12 & 0x3f));
  put(0x80 | (code_point >> 6 & 0x3f));
  return put(0x80 | (code_point & 0x3f)), 4;
}

/// The number of bytes at `at`, at least one before `end`, that must not reach a terminal
/// unescaped: a control of C0, C1 or DEL, a byte that isn't UTF-8, or a character that turns text
/// around, has no width or ends a line (U+061C, U+200B to U+200F, U+2028 to U+202E, U+2060 to
/// U+206F, U+FEFF). 0 for all others.
[[nodiscard]] constexpr unsigned unsafe_length(const char* at, const char* end) noexcept {
  const auto byte = [at](std::ptrdiff_t i) -> std::uint32_t {
    return static_cast<unsigned char>(at[i]);
  };
  if (byte(0) < 0x80) return byte(0) < 0x20 || byte(0) == 0x7f ? 1 : 0;
  const unsigned length = utf8_length(at, end);
  if (length == 0) return 1;
  if (length == 2) {
    const std::uint32_t c = (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
    return c < 0xa0 || c == 0x61c ? 2 : 0;
  }
  if (length == 4) return 0;
  const std::uint32_t c = (byte(0) & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  const bool unsafe = (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
                      (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
  return unsafe ? 3 : 0;
}

/// Appends `s` for display: what unsafe_length finds becomes `\n`, `\t`, `\r`, `\x1b` (of a byte)
/// or `\u{202e}` (of a character), except for the ASCII characters in `kept`.
void append_shown(text& out, std::string_view s, std::string_view kept = {});

/// A place in a text, both from 1; the column counts bytes, as compilers do.
struct line_column {
  std::uint64_t line = 1;    ///< from 1
  std::uint64_t column = 1;  ///< from 1, in bytes
  friend constexpr bool operator==(const line_column&, const line_column&) = default;
};

/// The line and column of a byte offset; an offset past the end counts as the end.
[[nodiscard]] constexpr line_column locate(std::string_view source, std::uint64_t offset) noexcept {
  line_column at;
  const std::size_t end = offset < source.size() ? to_size(offset) : source.size();
  for (std::size_t i = 0; i < end; ++i) {
    ++at.column;
    if (source[i] == '\n') at = {at.line + 1, 1};
  }
  return at;
}

}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_CORE_TEXT_HPP

// X(enumerator, code, mnemonic, ids, addresses, data values), sorted by code. `ids` is how many of
// id0 and id1 are used; addresses and data values are those of a row in version 4 (-1: any number).
#define TESSERA_ALIR_OPCODES(X)                                                                    \
  X(negate, -2, "neg", 1, 1, 0)                                                                    \
  X(input, -1, "input", 1, 0, 1)                                                                   \
  X(add, 0, "add", 2, 2, 1)                                                                        \
  X(subtract, 1, "sub", 2, 2, 1)                                                                   \
  X(relu, 2, "relu", 1, 1, 0)                                                                      \
  X(quantize, 3, "quantize", 1, 1, 1)                                                              \
  X(add_constant, 4, "add_const", 1, 1, 2)                                                         \
  X(constant, 5, "const", 0, 0, 1)                                                                 \
  X(mux, 6, "mux", 2, 3, 1)                                                                        \
  X(multiply, 7, "mul", 2, 2, 0)                                                                   \
  X(lookup, 8, "lookup", 1, 1, 1)                                                                  \
  X(bit_unary, 9, "bit_unary", 1, 1, 1)                                                            \
  X(bit_binary, 10, "bit_binary", 2, 2, 2)                                                         \
  X(sum, 11, "sum", 2, -1, -1)

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// The two encodings of a model; `automatic` lets a reader look at the first bytes.
enum class encoding : std::uint8_t { automatic, json, bytecode };

/// Operation codes (specification, "Operation Codes"; `sum` is code 11 of versions 3 and 4).
enum class opcode : std::int8_t {
#define TESSERA_X(name, code, mnemonic, ids, addresses, data) name = code,
  TESSERA_ALIR_OPCODES(TESSERA_X)
#undef TESSERA_X
};

/// One row of the table of opcodes.
struct opcode_row {
  opcode code;  ///< the number in files
  /// In JSON and C++, and in listings.
  std::string_view name, mnemonic;
  /// How many operands, addresses and values of data the operation has.
  std::int8_t ids, addresses, data_values;
};
/// A row per opcode, in ascending order of codes.
inline constexpr opcode_row opcode_table[] = {
#define TESSERA_X(name, code, mnemonic, ids, addresses, data)                                      \
  {opcode::name, #name, mnemonic, ids, addresses, data},
    TESSERA_ALIR_OPCODES(TESSERA_X)
#undef TESSERA_X
};
/// The range of codes that files may hold.
inline constexpr std::int32_t first_opcode = -2, last_opcode = 11;
static_assert(std::size(opcode_table) == last_opcode - first_opcode + 1);

/// The row of an opcode.
[[nodiscard]] constexpr const opcode_row& info(opcode code) noexcept {
  return opcode_table[static_cast<int>(code) - first_opcode];
}

/// The sub-operations of bit_unary and bit_binary.
enum class unary_bits : std::uint8_t { invert, any, all };
/// The sub-operations of bit_binary: and, or, xor.
enum class binary_bits : std::uint8_t { conjunction, disjunction, exclusive };

/// A quantization interval: the values min, min + step, … max. A promise of the producer; only
/// input, relu, quantize and mux force a value into the type that it implies.
struct interval {
  /// The bounds, both included, and the distance of neighbouring values.
  double min = 0, max = 0, step = 1;
  friend bool operator==(const interval&, const interval&) = default;
};

/// A fixed-point type: sign bit, integer bits without the sign, fraction bits. Both counts may be
/// negative; a value v of the type means v * 2^-f.
struct fixed_type {
  bool k = false;      ///< has a sign bit
  std::int16_t i = 0;  ///< integer bits, without the sign
  std::int16_t f = 0;  ///< fraction bits
  /// All bits, with the sign.
  [[nodiscard]] constexpr int width() const noexcept { return (k ? 1 : 0) + i + f; }
  friend constexpr bool operator==(const fixed_type&, const fixed_type&) = default;
};

/// Which numbers of an operation were in the file as integers (10) rather than floats (10.0), and
/// whether data was an unsigned pattern: needed to rewrite a file byte for byte.
struct spelling {
  /// Flags of an operation's or a table's members, to be combined.
  static constexpr std::uint8_t min = 1, max = 2, step = 4, latency = 8, cost = 16,
                                unsigned_data = 32;
};

/// One operation; the table at the top says what each field means for each opcode.
struct operation {
  /// first operand: an index into `ops`, or an input's for `input`; -1: none
  std::int32_t id0 = -1;
  std::int32_t id1 = -1;           ///< second operand; -1: none
  opcode code = opcode::constant;  ///< what it computes
  std::uint8_t spelled = 0;        ///< flags of `spelling`
  std::int32_t shift = 0;          ///< in bits; `code` decides of what
  /// what the opcode makes of it: a constant, a table's index, a packed sub-operation
  std::int64_t data = 0;
  interval qint = {};  ///< the values that the result may have
  double latency = 0;  ///< estimated time at which the value is ready
  double cost = 0;     ///< estimated cost; neither is used to execute
  friend bool operator==(const operation&, const operation&) = default;
};
static_assert(sizeof(operation) == 64);

/// One term of a `sum`: ± buf[id]·2^shift.
struct term {
  std::int32_t id = 0;     ///< index into model::ops
  std::int32_t shift = 0;  ///< to the left, in bits
  bool negative = false;   ///< subtracted rather than added
  friend bool operator==(const term&, const term&) = default;
};

/// A lookup table: `count` entries of model::table_data from `first`, for the codes of the
/// producer's interval in ascending order.
struct lookup_table {
  std::uint64_t first = 0, count = 0;  ///< indices of model::table_data
  bool has_spec = false;     ///< the file had the other members; else the writer makes them
  std::uint8_t spelled = 0;  ///< min, max and step of out_qint
  /// Index into model::hashes of the table's name: equal hashes mean equal tables.
  std::uint64_t hash_first = 0, hash_size = 0;
  interval out_qint = {};      ///< interval of the entries
  std::int64_t inp_width = 0;  ///< bits of the operand, by the file
  friend bool operator==(const lookup_table&, const lookup_table&) = default;
};

/// Where the parts of a model were in their source: verify() reports these as offsets.
/// Empty for a model that was built in code; empty it when you change a model that was read.
struct source_map {
  /// Where an operation starts, and how many bytes later id1, the condition of a mux, data and the
  /// interval are. A distance of 127 or more is kept as 0, so that the start is reported.
  struct place {
    std::uint64_t start : 36;  ///< offset of the operation, in bytes
    /// Bytes from `start` to the member.
    std::uint64_t id1 : 7, condition : 7, data : 7, qint : 7;
  };
  bool is_bytecode = false;  ///< by which offsets are explained
  /// Offset of each list, in bytes.
  std::uint64_t shape = 0, inp_shifts = 0, out_idxs = 0, out_shifts = 0, out_negs = 0;
  pool<place> ops;              ///< of each operation
  pool<std::uint64_t> outputs;  ///< of each entry of out_idxs
  pool<std::uint64_t> tables;   ///< offset of each table
};

/// A CombLogic program as read from a file, not yet verified (see verify).
struct model {
  std::int32_t spec_version = 2;             ///< of the file it came from: 2, 3 or 4
  std::int64_t n_inputs = 0, n_outputs = 0;  ///< lengths of a sample and of its result
  pool<std::int32_t> inp_shifts;             ///< left shift of each input, in bits
  /// For each output the index of its operation; negative: the output is 0.0.
  pool<std::int32_t> out_idxs;    ///< negative: the output is 0.0
  pool<std::int32_t> out_shifts;  ///< left shift of each output, in bits
  /// 1: the output is negated, 0: it isn't
  pool<std::uint8_t> out_negs;                    ///< 0 or 1
  pool<operation> ops;                            ///< in the order of execution
  std::int64_t carry_size = -1, adder_size = -1;  ///< of the cost model; not used to execute
  pool<lookup_table> tables;                      ///< those that lookups refer to
  pool<std::int32_t> table_data;                  ///< the entries of all tables
  text hashes;                                    ///< the names of all tables
  pool<term> terms;                               ///< of all sums
  source_map source;                              ///< empty if built in code
};
/// Equal in everything but spec_version and places in the source.
[[nodiscard]] bool operator==(const model& a, const model& b);

/// The entries of one table, of a model that was read or verified.
[[nodiscard]] inline view<std::int32_t> entries(const model& m, const lookup_table& t) noexcept {
  return {m.table_data.data() + t.first, static_cast<std::size_t>(t.count)};
}
/// The hash of a table with a spec, of a model that was read.
[[nodiscard]] std::string_view hash(const model& m, const lookup_table& t) noexcept;
/// The terms of a `sum`, of a model that was read or verified.
[[nodiscard]] inline view<term> terms(const model& m, const operation& sum) noexcept {
  return {m.terms.data() + sum.id0, static_cast<std::size_t>(sum.id1)};
}

/// The type of an interval whose bounds are finite and whose step is a power of two (or any, when
/// both bounds are 0). The width may come out beyond what verify() accepts.
[[nodiscard]] fixed_type type_of(const interval& q) noexcept;

/// Where a lookup table starts within its producer's type, for intervals that verify() accepts: the distance from the lowest integer of
/// the type to that of the interval. The format's bytecode calls it the pad.
[[nodiscard]] double table_pad(const interval& q, fixed_type t) noexcept;

/// What is subtracted from a producer's integer to index a lookup table; as table_pad.
[[nodiscard]] std::int64_t table_base(const interval& q, fixed_type t) noexcept;

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_ALIR_OPCODES


#endif  // TESSERA_ALIR_FORMAT_HPP

// ---- tessera/alir/pipeline.hpp
//
// Pipelines: ALIR programs one after the other, with registers between them.
//
//   tessera::result<alir::pipeline> p = alir::read_pipeline(source);
//   if (!p) return fail(describe(p.error(), source));
//   tessera::result<alir::staged> s = alir::verify(std::move(*p));   // what a VM takes
//
//   form     written by          text
//   fsm      alkaid 0.8          {"meta":"ALIRFSM","spec_version":4,
//                                 "fsm":{"logic":{name:BLOCK,...},"conns":[CONNECTION,...],
//                                        "signal_order":[name,...]}}
//   nested   alkaid 0.7          [[BLOCK,...]], a Pipeline as its JSON encoder writes it
//   list     alkaid 0.7          [BLOCK,...], the stages of one
//
//   BLOCK        the array of a model (read_json.hpp); in fsm version 4, else the rows show which
//   CONNECTION   {"src":SIGNAL,"dst":SIGNAL,"enable_if":null,"alt_src":null}
//   SIGNAL       [name,exposed,[[signed,integers,fractionals],...],rst_if,rst_to,reg,schedule,mode,
//                 attributes,[first,end],index]
//
// The blocks' ports are the signals INTERNAL_name_inp and INTERNAL_name_outp. The state machine of an
// fsm is read when it is a pipeline: the connections are one chain from an exposed signal of mode "r"
// through every block to one of mode "w", with a register between two blocks, and perhaps one before the
// first and one at the output. Other state machines (resets, enables, parts of signals) are refused.
// A signal's types are those of the port that it carries the values of, and the schedule of the output
// is [[n],1], n registers after the input's. Names of signals and blocks are not kept: they are written
// as alkaid's to_pipeline gives them.
//
// Values pass from block to block as they are: a block's inputs wrap them to their own types. So a
// pipeline computes what its blocks compute one after the other, latency() cycles later.
//
// Lifetime:   a pipeline owns everything.
// Errors:     reading: json_*, alir_pipeline_form to alir_fsm_schedule, and those of read_json();
//             verifying: alir_pipeline_stages, alir_stage_inputs, and those of verify(model).
// Limits:     as read_json; max_items blocks and connections.
// Allocation: at most 64 × input + 64 KiB to read.

#ifndef TESSERA_ALIR_PIPELINE_HPP
#define TESSERA_ALIR_PIPELINE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/core/limits.hpp
//
// The limits of readers and runs, in one place and on by default.
//
//   alir::read_json(text, {.max_bytes = 1 << 20});   // refuse files over 1 MiB
//
// Each is far above the needs of real files and far below what hurts: an untrusted file costs at
// most a multiple of its own size (each format's header gives the multiple).
//
// Lifetime:   a value.
// Errors:     input_too_large, too_many_items, json_depth, budget_steps, budget_memory.
// Limits:     these.
// Allocation: none.

#ifndef TESSERA_CORE_LIMITS_HPP
#define TESSERA_CORE_LIMITS_HPP

#include <cstdint>


namespace tessera::inline TESSERA_ABI {

/// The limits of a reader. A value equal to the limit is accepted, one more is refused.
struct limits {
  std::uint64_t max_bytes = std::uint64_t{1} << 32;  ///< length of the input
  std::uint64_t max_items = std::uint64_t{1} << 27;  ///< entries of any one list
  std::uint32_t max_depth = 64;                      ///< nesting of containers
};

/// The limits of a run. A step is an element that is read or written, or about a nanosecond of
/// other work, charged before it is done: by default a run ends within seconds, whatever its input.
struct budget {
  std::uint64_t max_steps = std::uint64_t{1} << 32;   ///< elements touched
  std::uint64_t max_memory = std::uint64_t{1} << 32;  ///< bytes of working memory
};

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_LIMITS_HPP

// ---- tessera/core/result.hpp
//
// A value or an error, without exceptions: `std::expected` for C++20, with one kind of
// error.
//
//   tessera::result<alir::model> m = alir::read_json(text);
//   if (!m) return report(m.error());
//   use(*m);
//
// True means success. Accessing the value of an error traps: that is a bug of the caller, and
// continuing with an invalid value is how such bugs become vulnerabilities.
//
// Lifetime:   owns its value; `*r` of a temporary moves it out.
// Errors:     error() is {ok, 0} on success.
// Limits:     none.
// Allocation: none except the value's own.

#ifndef TESSERA_CORE_RESULT_HPP
#define TESSERA_CORE_RESULT_HPP

#include <new>
#include <type_traits>
#include <utility>


// ---- tessera/core/error.hpp
//
// The error value that every reader, verifier and writer returns, and its tables of messages.
//
//   tessera::error e{tessera::errc::json_depth, 64};
//   e.message();  // "containers are nested deeper than limits::max_depth"
//   e.name();     // "json_depth"
//
// One code per check: programs switch on the code, tests pin code and offset, and the same input
// gives the same pair on every platform. A message states what was expected; `describe` (see
// describe.hpp) adds values, line, column, path and a caret from the source.
//
//   range         owner
//      1 -   99   bytes, limits, files
//    100 -  199   JSON text
//   1000 - 1999   ALIR
//   2000 - 2999   ARK; most are its rules: ark_g06_cycle is rule G06
//   3000 - 3999   NAC
//   4000 - 4999   NEM; its rules: nem_con_001_duplicate is rule CON-001
//   5000 - 5999   NAC v1.2: genome
//   6000 - 6999   PT2
//
// The codes of all formats are here. Names and messages come with the format: a program that
// neither includes nor links nac.hpp doesn't contain NAC's, and reports its codes as "unknown".
//
// Lifetime:   messages and names are constants.

#ifndef TESSERA_CORE_ERROR_HPP
#define TESSERA_CORE_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/core/error_table.hpp
//
// All codes of errors with their values and messages, which core/error.hpp makes an enumeration of.
//
//   #define X(name, value, message) …
//   TESSERA_ERRORS(X)
//
// Undefine TESSERA_ERRORS after use.
//
// Lifetime:   none.
// Errors:     these.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_ERROR_TABLE_HPP
#define TESSERA_CORE_ERROR_TABLE_HPP


// ---- tessera/core/error_table_alir.hpp
//
// The errors of ALIR. Part of the table of all codes: core/error_table.hpp.
//
//   #define X(name, value, message) …
//   TESSERA_ALIR_ERRORS(X)

#ifndef TESSERA_CORE_ERROR_TABLE_ALIR_HPP
#define TESSERA_CORE_ERROR_TABLE_ALIR_HPP

// X(enumerator, value, what was expected)
#define TESSERA_ALIR_ERRORS(X)                                                                     \
  X(alir_version_1, 1000, "ALIR versions 0 and 1 (DAIS) are not supported: expected 2, 3 or 4")    \
  X(alir_version_unknown, 1001, "unknown ALIR spec_version: expected 2, 3 or 4")                   \
  X(alir_meta, 1002, "expected meta to be \"ALIRModel\" or \"DAISModel\"")                         \
  X(alir_missing_meta, 1003, "expected a member \"meta\"")                                         \
  X(alir_missing_version, 1004, "expected a member \"spec_version\"")                              \
  X(alir_missing_model, 1005, "expected a member \"model\"")                                       \
  X(alir_model_fields, 1006, "expected a model array of 8 or 9 elements")                          \
  X(alir_operation_fields, 1007,                                                                   \
    "expected 7 fields in an operation (spec_version 2) or 6 (3 and 4)")                           \
  X(alir_operation_form, 1008,                                                                     \
    "the operation's fields don't match spec_version: 7 fields in version 2, 6 in 3 and 4")        \
  X(alir_opcode, 1009, "unknown opcode: expected -2 to 10, or 11 in versions 3 and 4")             \
  X(alir_addresses, 1010,                                                                          \
    "wrong number of addresses: expected 0 for input and constant, 3 for mux, 2 for add, "         \
    "subtract, multiply and bit_binary, any for a sum, 1 for other opcodes")                       \
  X(alir_data, 1011,                                                                               \
    "wrong number of data values: expected 0 for negate, relu, multiply and a quantize of "        \
    "version 3, 2 for add_constant, bit_binary and a lookup in bytecode, 2 per term for a sum, 1 " \
    "for other opcodes")                                                                           \
  X(alir_sum_sign, 1012, "expected a sign of 0 (minus) or 1 (plus)")                               \
  X(alir_number_precision, 1013, "expected an integer below 2^53, which a double holds exactly")   \
  X(alir_table_values, 1014, "expected a lookup table with a member \"table\"")                    \
  X(alir_table_spec, 1015, "expected a table spec with hash, out_qint and inp_width")              \
  X(alir_table_interval, 1016, "expected an interval with min, max and step")                      \
                                                                                                   \
  X(alir_bytecode_alignment, 1030,                                                                 \
    "the length is not a multiple of 4 bytes: expected 32-bit words")                              \
  X(alir_bytecode_truncated, 1031, "the bytecode ends before its last field")                      \
  X(alir_bytecode_trailing, 1032, "bytes after the last field; expected the end of the bytecode")  \
  X(alir_bytecode_count, 1033,                                                                     \
    "the count is negative or exceeds what the remaining bytes can hold")                          \
  X(alir_bytecode_flag, 1034, "expected a flag of 0 or 1")                                         \
  X(alir_bytecode_type, 1035,                                                                      \
    "invalid type; expected integer and fraction bits from -1000 to 1000, in all 0 to 64 bits, "   \
    "with bounds that a double can hold")                                                          \
  X(alir_bytecode_pad, 1036, "the table pad is out of range for the operand's type")               \
  X(alir_bytecode_pad_conflict, 1037, "all lookups of one operand must have the same table pad")   \
                                                                                                   \
  X(alir_shape, 1050, "expected two counts, each 0 to 2^31 - 1")                                   \
  X(alir_inp_shifts_count, 1051, "expected as many inp_shifts as inputs")                          \
  X(alir_out_idxs_count, 1052, "expected as many out_idxs as outputs")                             \
  X(alir_out_shifts_count, 1053, "expected as many out_shifts as outputs")                         \
  X(alir_out_negs_count, 1054, "expected as many out_negs as outputs")                             \
  X(alir_output_index, 1055, "an output must be -1 or the index of an operation")                  \
  X(alir_input_index, 1056, "no such input; expected an index from 0 to the number of inputs - 1") \
  X(alir_id0, 1057, "id0 must refer to an earlier operation")                                      \
  X(alir_id1, 1058, "id1 must refer to an earlier operation")                                      \
  X(alir_condition, 1059, "the condition must refer to an earlier operation")                      \
  X(alir_unused_id0, 1060, "id0 is not used by this opcode and must be -1")                        \
  X(alir_unused_id1, 1061, "id1 is not used by this opcode and must be -1")                        \
  X(alir_interval, 1062, "expected finite bounds with min <= max")                                 \
  X(alir_step, 1063, "the step must be a power of two from 2^-126 to 2^127")                       \
  X(alir_width, 1064, "the type is wider than 63 bits unsigned or 64 bits signed")                 \
  X(alir_shift, 1065, "the operation would shift by more than 63 bits")                            \
  X(alir_mux_alignment, 1066, "only one operand of a mux may need a shift, but both do")           \
  X(alir_table_index, 1067,                                                                        \
    "no such lookup table; expected an index from 0 to the number of tables - 1")                  \
  X(alir_table_empty, 1068,                                                                        \
    "expected a lookup table of at least one entry, none of them shared with another table")       \
  X(alir_sub_operation, 1069, "expected a sub-operation of 0, 1 or 2")                             \
  X(alir_sum_terms, 1070,                                                                          \
    "expected a sum of at least two terms, not shared with another sum, each an earlier "          \
    "operation")                                                                                   \
  X(alir_table_base, 1071, "the operand's interval starts at an index outside the range of int32") \
  X(alir_unused_shift, 1072, "shift is not used by this opcode and must be 0")                     \
                                                                                                   \
  X(alir_not_version_2, 1080, "spec_version 2 can't express this operation")                       \
  X(alir_not_finite, 1081, "JSON can't express a number that is not finite")                       \
  X(alir_bytecode_range, 1082, "the value does not fit its field of the bytecode")                 \
  X(alir_not_version_3, 1083, "spec_version 3 can't express this operation")                       \
                                                                                                   \
  X(alir_lookup_range, 1090, "the value is outside the range of the lookup table")                 \
                                                                                                   \
  X(alir_overflow, 1100, "values lie outside the declared interval")                               \
  X(alir_table_short, 1101, "the lookup table has no entries for some values of its operand")      \
  X(alir_dead_operation, 1102, "no output needs the operation")                                    \
  X(alir_duplicate_operation, 1103, "an earlier operation computes the same")                      \
  X(alir_constant_output, 1104, "the output is the same for all inputs")                           \
  X(alir_shifted_out, 1105, "all bits of an operand are shifted out")                              \
  X(alir_latency_order, 1106, "the latency is less than that of an operand")                       \
  X(alir_negative_cost, 1107, "the latency or the cost is negative")                               \
                                                                                                   \
  X(alir_pipeline_form, 1120,                                                                      \
    "expected a pipeline: an object with meta \"ALIRFSM\", or an array of blocks")                 \
  X(alir_fsm_version, 1121, "expected spec_version 4, the only one of ALIRFSM files")              \
  X(alir_fsm_member, 1122,                                                                         \
    "expected the members \"logic\", \"conns\" and \"signal_order\" of \"fsm\"")                   \
  X(alir_fsm_signal, 1123,                                                                         \
    "expected a signal of 11 fields: name, exposed, types, rst_if, rst_to, reg, schedule, mode, "  \
    "attributes, view and index")                                                                  \
  X(alir_fsm_connection, 1124, "expected a connection with the members \"src\" and \"dst\"")       \
  X(alir_fsm_not_pipeline, 1125,                                                                   \
    "a state machine that is no pipeline: resets, enables, alternative sources, attributes and "   \
    "views of part of a signal are not supported")                                                 \
  X(alir_fsm_chain, 1126,                                                                          \
    "the connections must be one chain: input, blocks with a register between them, output")       \
  X(alir_fsm_type, 1127, "the signal's types must be those of the block's inputs or outputs")      \
  X(alir_fsm_schedule, 1128,                                                                       \
    "expected a schedule of one sample per cycle, delayed by the registers before the signal")     \
  X(alir_pipeline_stages, 1129, "expected a pipeline of at least one block")                       \
  X(alir_stage_inputs, 1130,                                                                       \
    "a block must have as many inputs as the block before it has outputs")                         \
  X(alir_fsm_order, 1131, "expected signal_order to name each signal of the connections once")

#endif  // TESSERA_CORE_ERROR_TABLE_ALIR_HPP

// ---- tessera/core/error_table_ark.hpp
//
// The errors of ARK. Part of the table of all codes: core/error_table.hpp.
//
//   #define X(name, value, message) …
//   TESSERA_ARK_ERRORS(X)

#ifndef TESSERA_CORE_ERROR_TABLE_ARK_HPP
#define TESSERA_CORE_ERROR_TABLE_ARK_HPP

// X(enumerator, value, message)
#define TESSERA_ARK_ERRORS(X)                                                                      \
  X(ark_s01_root, 2001, "the root of a model is not an object")                                    \
  X(ark_s02_root_member, 2002, "missing member of the root; expected Rank, WorldSize and Nodes")   \
  X(ark_s03_world, 2003, "expected integers with WorldSize >= 1 and 0 <= Rank < WorldSize")        \
  X(ark_s04_nodes, 2004, "expected Nodes as an array of objects")                                  \
  X(ark_s05_node_member, 2005,                                                                     \
    "expected a node with Id (an integer), ProducerNodeIds and ConsumerNodeIds (arrays of "        \
    "integers)")                                                                                   \
  X(ark_s06_op_or_ops, 2006,                                                                       \
    "a node has neither Op nor Ops, both, or another one than the nodes before; expected Op (an "  \
    "object) in every node, or Ops (an array) in every node")                                      \
  X(ark_s07_no_ops, 2007, "expected at least one operation")                                       \
  X(ark_s08_op_member, 2008,                                                                       \
    "expected an operation with Type and Name (strings), IsVirtual (a boolean), ReadTensors, "     \
    "WriteTensors and ResultTensors (arrays) and Args (an object)")                                \
  X(ark_s09_tensor_member, 2009,                                                                   \
    "expected a tensor with Id (an integer), DataType (a string), Shape, Strides, Offsets, "       \
    "PaddedShape or Pads (arrays of integers) and Buffer (an object)")                             \
  X(ark_s10_buffer_member, 2010,                                                                   \
    "expected a buffer with Id and Rank (integers), SendTags and RecvTags (arrays) and, "          \
    "optionally, IsExternal (a boolean)")                                                          \
  X(ark_s12_unknown_member, 2012, "unknown member")                                                \
  X(ark_s13_integer, 2013, "expected an integer; Ids are at least 0")                              \
  X(ark_g01_node_id, 2021, "duplicate node Id")                                                    \
  X(ark_g02_node_index, 2022, "a node's Id differs from its index in Nodes")                       \
  X(ark_g03_edge_target, 2023, "expected the Id of a node in this file")                           \
  X(ark_g04_edge_mirror, 2024, "only one of its two nodes lists the edge")                         \
  X(ark_g05_self_edge, 2025, "a node lists itself as producer or consumer")                        \
  X(ark_g06_cycle, 2026, "dependency cycle")                                                       \
  X(ark_g07_order, 2027, "node precedes one of its producers")                                     \
  X(ark_g08_repeated_edge, 2028, "the edge is listed twice")                                       \
  X(ark_g09_missing_edge, 2029, "a node uses a result and does not list its producer")             \
  X(ark_g10_second_producer, 2030, "a tensor is the result of more than one operation")            \
  X(ark_g12_own_result, 2032, "an operation reads or writes its own result")                       \
  X(ark_g13_use_before_result, 2033, "the tensor is used before the operation that makes it")      \
  X(ark_g14_unordered_access, 2034, "no dependency orders conflicting accesses to the same bytes") \
  X(ark_t01_rank, 2041,                                                                            \
    "wrong number of dimensions; expected 1 to 4, the same number in Shape, Strides, Offsets and " \
    "PaddedShape")                                                                                 \
  X(ark_t02_dimension, 2042, "expected dimensions of at least 1")                                  \
  X(ark_t03_offset, 2043, "expected offsets of at least 0")                                        \
  X(ark_t04_padding, 2044, "PaddedShape is smaller than Shape")                                    \
  X(ark_t05_strides, 2045, "Strides are smaller than Offsets + PaddedShape")                       \
  X(ark_t06_data_type, 2046,                                                                       \
    "unknown DataType; expected FP32, FP16, BF16, INT32, UINT32, INT8, UINT8, BYTE, FP8_E4M3 or "  \
    "FP8_E5M2")                                                                                    \
  X(ark_t07_size, 2047, "expected a tensor of fewer than 2^63 bytes")                              \
  X(ark_t08_tensor_differs, 2048, "two descriptions of one tensor Id differ")                      \
  X(ark_b01_buffer_differs, 2051,                                                                  \
    "two descriptions of one buffer Id differ in Rank, tags or IsExternal")                        \
  X(ark_b02_buffer_rank, 2052, "expected -1 or a rank below WorldSize as a buffer's Rank")         \
  X(ark_b03_tags, 2053,                                                                            \
    "malformed tags; expected pairs [RemoteRank, Tag] of 32-bit integers, ascending and unique")   \
  X(ark_b04_tag_rank, 2054,                                                                        \
    "expected another rank in a local buffer's tags, and -1 or this file's rank in a remote "      \
    "one's")                                                                                       \
  X(ark_b05_tag_reused, 2055, "two buffers have the same tag for one rank")                        \
  X(ark_o01_type, 2061, "unknown operation Type")                                                  \
  X(ark_o02_virtual, 2062,                                                                         \
    "expected IsVirtual to be true for Tensor, Placeholder and Reshape only")                      \
  X(ark_o03_arity, 2063, "wrong number of tensors for the operation")                              \
  X(ark_o04_argument, 2064,                                                                        \
    "the arguments don't match the operation's Type: one is missing, unknown or of another TYPE")  \
  X(ark_o05_argument_form, 2065,                                                                   \
    "malformed argument; expected {TYPE: value} with a TYPE of INT, INT64, UINT64, UINT32, BOOL, " \
    "FLOAT, DIMS, TENSOR or OFFSET and a value in its range")                                      \
  X(ark_o06_data_types, 2066, "the operation does not take these DataTypes")                       \
  X(ark_o07_shape, 2067, "the shapes do not broadcast to that of the output")                      \
  X(ark_o08_result_view, 2068, "the result is a different view than the output tensor")            \
  X(ark_o09_view_buffer, 2069, "a view is in a different buffer than its tensor")                  \
  X(ark_o10_reduction, 2070,                                                                       \
    "expected an Axis of the tensor, and a result that is reduced along it")                       \
  X(ark_o11_permutation, 2071,                                                                     \
    "expected a permutation of the axes, and a result with Shape[i] = input "                      \
    "Shape[Permutation[i]]")                                                                       \
  X(ark_o12_matmul, 2072, "the shapes do not fit a matrix multiplication")                         \
  X(ark_o13_embedding, 2073,                                                                       \
    "expected indices of up to 3 dimensions, a table of 2, and rows of the table as result")       \
  X(ark_o14_overlap, 2074, "an input overlaps the output")                                         \
  X(ark_o15_rope, 2075, "expected an even last dimension that is not broadcast")                   \
  X(ark_c01_send, 2081, "expected a send from a local buffer to a remote one with a common tag")   \
  X(ark_c02_recv, 2082,                                                                            \
    "expected a receive from a remote buffer into a local one with a common tag")                  \
  X(ark_c03_packet, 2083,                                                                          \
    "expected packet buffers of UINT8 of twice the payload, and as many elements sent as "         \
    "received")                                                                                    \
  X(ark_c04_peers, 2084, "NPeers, Rank, the scratch buffer and the order of peers disagree")       \
  X(ark_c05_sync, 2085, "expected the file's Rank, and WorldSize - 1 as PeerNum")                  \
  X(ark_c06_single, 2086, "a model of a single rank has a communication operation")                \
  X(ark_c07_remote, 2087, "compute operations require local buffers")                              \
  X(ark_m01_ranks, 2091, "expected one file for each rank, all with the same WorldSize")           \
  X(ark_m02_owner, 2092,                                                                           \
    "a remote buffer's RecvTags do not match exactly one buffer of its owner")                     \
  X(ark_m03_label, 2093, "a remote buffer's SendTags do not match one buffer of its owner")        \
  X(ark_m04_partner, 2094, "no buffer of the other rank has the tag")                              \
  X(ark_m05_size, 2095, "a remote buffer is larger than its owner's buffer")                       \
  X(ark_m06_transfer, 2096, "a send and its receive differ in DataType or number of elements")     \
  X(ark_m07_count, 2097, "expected as many sends as receives of each tag")                         \
  X(ark_m08_deadlock, 2098, "deadlock: the ranks wait for each other")                             \
  X(ark_m09_syncs, 2099, "expected the same number of DeviceSyncs on every rank")                  \
  X(ark_dialect, 2110,                                                                             \
    "the dialect can't express the model: D3 has one operation per node, D1a has no padding, and " \
    "only D2x and D3x have IsExternal")                                                            \
  X(ark_not_finite, 2111, "expected a finite FLOAT; JSON has no infinities and NaNs")              \
  X(ark_too_large, 2112,                                                                           \
    "the model has more elements than 32-bit indices can number, or an index outside its list")    \
  X(ark_unsupported, 2113, "the machine does not support this operation or DataType")              \
  X(ark_division, 2114, "the operation divides an integer by zero")                                \
  X(ark_index, 2115, "index outside the rows of the table")                                        \
  X(ark_pool_index, 2116,                                                                          \
    "invalid model: an index is outside its pool, or an enumerator is unknown")                    \
  X(ark_plan_member, 2121,                                                                         \
    "a member of the plan is missing or not of its type, or a number in it is out of range")       \
  X(ark_plan_architecture, 2122, "expected ANY, CUDA or ROCM with a known version")                \
  X(ark_plan_range, 2123,                                                                          \
    "expected a range [begin, end] or [begin, end, step] with 0 <= begin <= end")                  \
  X(ark_plan_parent, 2124, "a range exceeds that of its parent")                                   \
  X(ark_plan_task, 2125, "duplicate or unknown task Id")                                           \
  X(ark_plan_tiles, 2126, "the task groups do not cover each tile of the task exactly once")       \
  X(ark_plan_resources, 2127, "a task needs more warps or memory than its resource group has")     \
  X(ark_plan_config, 2128,                                                                         \
    "malformed Config; expected an object with NumWarps, SramBytes and NumTasks, integers of at "  \
    "least 0, for each operation")                                                                 \
  X(ark_plan_model, 2129, "the operations of the plan and its model differ")                       \
  X(ark_to_nac_operation, 2140, "NAC has no form for this operation")                              \
  X(ark_to_nac_type, 2141, "NAC has no code for this data type")                                   \
  X(ark_to_nac_memory, 2142, "NAC has no form for this use of memory")                             \
  X(ark_to_nac_limit, 2143, "more instructions or names than a NAC container can number")

#endif  // TESSERA_CORE_ERROR_TABLE_ARK_HPP

// ---- tessera/core/error_table_genome.hpp
//
// The codes of NAC v1.2, a part of the table in error_table.hpp.
//
//   TESSERA_GENOME_ERRORS(X)
//
// Lifetime:   none.
// Errors:     these.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_ERROR_TABLE_GENOME_HPP
#define TESSERA_CORE_ERROR_TABLE_GENOME_HPP

// X(enumerator, value, what was expected)
#define TESSERA_GENOME_ERRORS(X)                                                                   \
  X(genome_node_truncated, 5000,                                                                   \
    "the stream ends inside a node: expected 5 bytes and 2 for each input")                        \
  X(genome_base64_character, 5001, "expected a base64 character: A-Z, a-z, 0-9, + or /")           \
  X(genome_base64_end, 5002, "expected base64 in groups of 4, padded with = and zero bits")        \
                                                                                                   \
  X(genome_registry_member, 5010,                                                                  \
    "unknown member of the registry; expected one of its eleven maps, such as "                    \
    "canonical_to_index, patterns or rules")                                                       \
  X(genome_registry_key, 5011, "expected an id as the key: a decimal number from 0 to 65535")      \
  X(genome_registry_id, 5012, "expected an id from 0 to 65535")                                    \
  X(genome_constant_member, 5013, "expected a constant with a type and a value")                   \
  X(genome_rule_member, 5014,                                                                      \
    "malformed rule; expected probability, count, b64_repr and, optionally, exceptions in a "      \
    "transition, or count elsewhere")                                                              \
  X(genome_rule_probability, 5015, "expected a probability from 0 to 1, as a string or a number")  \
                                                                                                   \
  X(genome_id_range, 5020, "the id is outside the range of the node field that holds it")          \
  X(genome_id_repeated, 5021, "duplicate id in this map")                                          \
  X(genome_name_repeated, 5022, "duplicate name in this map")                                      \
  X(genome_maps_differ, 5023, "forward and reverse maps disagree")                                 \
  X(genome_special_name, 5024, "ids 0 to 9 are reserved for the commands, under their own names")  \
  X(genome_variation_form, 5025, "expected a variation such as \"in0,in1\"")                       \
  X(genome_group_form, 5026, "expected a group such as \"arg1=10;dim=11\", its keys ascending")    \
  X(genome_group_constant, 5027, "the group refers to a constant that is not in the registry")     \
  X(genome_constant_type, 5028, "unknown type of constant")                                        \
  X(genome_constant_value, 5029, "the value does not match the constant's type")                   \
  X(genome_pattern_empty, 5030, "a pattern must have at least one node")                           \
  X(genome_pattern_absolute, 5031, "references inside a pattern must be relative: below 0")        \
  X(genome_pattern_recursion, 5032, "the pattern contains itself")                                 \
  X(genome_pattern_size, 5033, "the pattern expands to more than limits::max_items nodes")         \
  X(genome_pattern_command, 5034, "a pattern can't contain an INPUT, OUTPUT or PAD of a graph")    \
  X(genome_pattern_order, 5035,                                                                    \
    "the pattern refers to a node before the start of the graph, or to one without a result")      \
                                                                                                   \
  X(genome_command, 5040,                                                                          \
    "A is reserved; expected 1 to 8 (a command) or 10 to 255 (an operation)")                      \
  X(genome_operation_unknown, 5041, "the registry has no operation with the node's id")            \
  X(genome_variation_unknown, 5042, "the registry has no variation with the node's id")            \
  X(genome_constant_unknown, 5043, "the registry has no constant with the node's id")              \
  X(genome_group_unknown, 5044, "the registry has no constant group with the node's id")           \
  X(genome_parameter_unknown, 5045, "the registry has no parameter with the node's id")            \
  X(genome_pattern_unknown, 5046, "the registry has no pattern with the node's id")                \
  X(genome_special_form, 5047,                                                                     \
    "malformed command; expected B = 1 and C = 0 (in a PATTERN, the low byte of C), and inputs "   \
    "only in an OUTPUT")                                                                           \
  X(genome_copy_form, 5048,                                                                        \
    "malformed COPY; expected a count C of at least 1, and nodes without inputs: their A in B, "   \
    "their B and C as the two entries of D")                                                       \
  X(genome_control_form, 5049,                                                                     \
    "malformed CONTROL_FLOW; expected B = 1 (IF) or 2 (WHILE), C = 0, and in D first the lengths " \
    "of two blocks")                                                                               \
  X(genome_block_length, 5050,                                                                     \
    "expected blocks of at least 1 node that end inside the block around them")                    \
  X(genome_reference, 5051, "expected the id of an earlier node")                                  \
  X(genome_reference_scope, 5052, "the node is in a block that has ended")                         \
  X(genome_relative, 5053, "expected an absolute id: relative references stay inside a block")     \
  X(genome_reference_external, 5054,                                                               \
    "a block may only use outside nodes that its IF or WHILE lists in D")                          \
  X(genome_variation_inputs, 5055, "the variation refers to an input that the node does not have") \
  X(genome_input_count, 5056, "the node has more inputs than its operation's node_args")           \
  X(genome_block_input, 5057, "the block has more DATA_INPUTs than its IF or WHILE lists")         \
  X(genome_loop_state, 5058, "expected a loop body to end in an OUTPUT of each loop variable")     \
  X(genome_reference_nothing, 5059, "PAD and OUTPUT have no result to refer to")                   \
                                                                                                   \
  X(genome_expansion_size, 5060, "the expansion exceeds limits::max_items nodes or inputs")        \
  X(genome_reference_range, 5061,                                                                  \
    "a reference must be an id up to 32767 or an offset down to -32768")                           \
  X(genome_node_inputs, 5062, "a node can have at most 255 inputs")                                \
  X(genome_operations_full, 5063, "a registry can have at most 246 operations or variations")      \
  X(genome_ids_full, 5064, "a registry can have at most 32758 constants, groups or parameters")    \
  X(genome_pattern_result, 5066, "expected the index of a node of the pattern")                    \
                                                                                                   \
  X(genome_counterpart, 5070,                                                                      \
    "v1.2 has no equivalent: CONVERGENCE, or an input, exit or result that crosses a branch")      \
                                                                                                   \
  X(genome_run_operation, 5080, "the machine does not implement this operation")                   \
  X(genome_run_arguments, 5081, "the node's arguments don't match the operation's signature")      \
  X(genome_run_parameter, 5082, "the graph needs a parameter that was not given")                  \
  X(genome_run_constant, 5083, "the machine does not support constants of this type")              \
  X(genome_run_condition, 5084, "expected a condition with one element")

#endif  // TESSERA_CORE_ERROR_TABLE_GENOME_HPP

// ---- tessera/core/error_table_nac.hpp
//
// The errors of NAC. Part of the table of all codes: core/error_table.hpp.
//
//   #define X(name, value, message) …
//   TESSERA_NAC_ERRORS(X)

#ifndef TESSERA_CORE_ERROR_TABLE_NAC_HPP
#define TESSERA_CORE_ERROR_TABLE_NAC_HPP

// X(enumerator, value, what was expected)
#define TESSERA_NAC_ERRORS(X)                                                                      \
  X(nac_magic, 3000, "expected the bytes \"NAC\" at the start")                                    \
  X(nac_version, 3001, "expected container version 1 or 2")                                        \
  X(nac_header_truncated, 3002, "the file ends inside its header")                                 \
  X(nac_header_90, 3003,                                                                           \
    "headers of 90 bytes (version 1.5, before January 2026) aren't supported; expected 88, 92 "    \
    "or 100 bytes")                                                                                \
  X(nac_quantization, 3004,                                                                        \
    "unknown quantization method; expected 0 (none), 1 (fp16), 2 (int8_tensor), 3 (int8_channel) " \
    "or 4 (block_fp8)")                                                                            \
  X(nac_section_offset, 3005,                                                                      \
    "the section's offset is inside the header or past the end of the file")                       \
  X(nac_section_repeated, 3006, "duplicate section: another slot has a section with the same tag") \
  X(nac_count, 3007, "the section is too short for its number of records")                         \
  X(nac_truncated, 3008, "the section ends inside a record")                                       \
  X(nac_signature_unknown, 3009, "no signature in PERM has the instruction's id")                  \
  X(nac_input_variant, 3010, "expected an INPUT of variant 0 to 3, or 4 and 5 in version 2")       \
  X(nac_output_variant, 3011, "expected an OUTPUT of variant 0 to 2, or 3 and 4 in version 2")     \
  X(nac_constant_type, 3012, "unknown type of constant; expected 0 (null) to 6 (list[float32])")   \
  X(nac_constant_length, 3013, "expected a length of 8 for an int64 or float64 constant")          \
  X(nac_data_type, 3014, "unknown data type; expected 0 (f32) to 9 (bool)")                        \
  X(nac_tensor_quantization, 3015,                                                                 \
    "unknown quantization of a tensor; expected 0 (none), 1 (fp16), 2 (int8_tensor), 3 "           \
    "(int8_channel) or 4 (block_fp8)")                                                             \
  X(nac_tensor_metadata, 3016, "the tensor's metadata are longer or shorter than their fields")    \
  X(nac_block_size, 3017, "expected a block of at least 1 element")                                \
                                                                                                   \
  X(nac_no_instructions, 3100, "expected an OPS section with at least one instruction")            \
  X(nac_operation_reserved, 3101, "operations 0, 1, 4, 5, 8 and 9 are reserved and can't run")     \
  X(nac_operation_unknown, 3102,                                                                   \
    "the operation has no name in CMAP, and this version predefines none")                         \
  X(nac_operation_unsupported, 3103, "unsupported operation: the program can't run")               \
  X(nac_argument_count, 3104, "wrong number of arguments for the operation")                       \
  X(nac_argument_type, 3105, "wrong kind of argument for the operation")                           \
  X(nac_input_place, 3106, "INPUT variants 4 and 5 belong in TRNG")                                \
  X(nac_output_place, 3107, "OUTPUT variant 2 is reserved, and 3 and 4 belong in TRNG")            \
  X(nac_convergence_threshold, 3108, "expected a threshold of 0 to 100")                           \
  X(nac_saved_result, 3109, "INPUT of variant 4: expected the index of an instruction of OPS")     \
  X(nac_reference, 3110, "expected the offset of an earlier instruction: 0 <= index + D < index")  \
  X(nac_reference_zero, 3111,                                                                      \
    "expected the offset of a result: this argument can't be a constant")                          \
  X(nac_constant_count, 3112, "expected as many constants as D has zeros")                         \
  X(nac_constant_id, 3113, "no constant in CNST has the instruction's id")                         \
  X(nac_branch_length, 3114, "expected branches that end inside the program")                      \
  X(nac_convergence_input, 3115,                                                                   \
    "expected a CONVERGENCE with one word in C: the offset of its input")                          \
  X(nac_convergence_end, 3116,                                                                     \
    "expected an end of 0, or one after the CONVERGENCE and inside the program")                   \
  X(nac_convergence_count, 3117,                                                                   \
    "expected a CONVERGENCE of at least 1 branch where its end isn't 0")                           \
  X(nac_convergence_branch, 3118,                                                                  \
    "expected branches in ascending order, before the CONVERGENCE's end")                          \
  X(nac_source_read, 3120, "the bytes of the container could not be read")                         \
                                                                                                   \
  X(nac_branch_nesting, 3130, "the branches end after the end of the branch around them")          \
  X(nac_branch_result, 3131,                                                                       \
    "a branch's result is used outside the branch: it is absent if the branch doesn't run")        \
  X(nac_prefix, 3132,                                                                              \
    "unusual prefix; expected the number of words that follow, counting itself or not")            \
  X(nac_output_missing, 3133, "no OUTPUT of variant 0: the last result is the model's output")     \
  X(nac_id_repeated, 3134, "duplicate id; the last record is used")                                \
  X(nac_input_count, 3135,                                                                         \
    "expected at least as many INPUTs of variant 0 as the header has inputs")                      \
  X(nac_input_name, 3136, "expected the index of an INPUT of variant 0 or 3")                      \
  X(nac_parameter_unnamed, 3137, "no parameter in DATA has the instruction's id")                  \
  X(nac_parameter_tensor, 3138, "DATA holds no tensor for the parameter")                          \
  X(nac_weights_elsewhere, 3139, "the weights are in another file, which was not given")           \
  X(nac_external_missing, 3140, "the external weights have no tensor with the parameter's name")   \
  X(nac_external_type, 3141, "the external tensor's dtype or shape isn't one that NAC supports")   \
  X(nac_tensor_repeated, 3142, "duplicate tensor for this parameter")                              \
  X(nac_tensor_unnamed, 3143, "no parameter in DATA has the tensor's id")                          \
  X(nac_tensor_size, 3144, "the tensor has more or fewer bytes than its shape and type need")      \
  X(nac_tensor_type, 3145, "expected i8 elements for an int8 code, f16 elements for code 1")       \
  X(nac_tensor_axis, 3146, "expected an axis below the tensor's rank")                             \
  X(nac_tensor_scales, 3147, "expected one scale for each index of the axis, or for each block")   \
  X(nac_tensor_padding, 3148,                                                                      \
    "expected one dimension: the original elements, padded to whole blocks")                       \
  X(nac_array_size, 3149, "the array has more or fewer bytes than its shape and type need")        \
  X(nac_name_repeated, 3150, "duplicate name of a resource or array")                              \
  X(nac_tick, 3160, "expected the index of an instruction of OPS as a tick")                       \
  X(nac_tick_repeated, 3161, "duplicate record for this tick")                                     \
  X(nac_action, 3162,                                                                              \
    "unknown action; expected 10 (save_result), 15 (save_for_grad), 20 (free), 25 "                \
    "(free_after_trng), 30 (forward) or 40 (preload)")                                             \
  X(nac_target, 3163, "expected the index of an instruction of OPS as a target")                   \
  X(nac_save_target, 3164, "save_result: expected the tick's own instruction")                     \
  X(nac_forward_target, 3165, "forward: expected the only instruction that uses the result")       \
  X(nac_preload_target, 3166, "preload: expected an INPUT of variant 1")                           \
  X(nac_preload_late, 3167, "preload: the INPUT has already run")                                  \
  X(nac_free_early, 3168, "free: the result doesn't exist yet")                                    \
  X(nac_free_needed, 3169, "free: a later instruction uses the result")                            \
  X(nac_free_twice, 3170, "free: the result is already freed")                                     \
  X(nac_training_version, 3180, "containers of version 1 have no TRNG section")                    \
  X(nac_training_flag, 3181, "bit 6 of byte 4 disagrees with the presence of a TRNG section")      \
  X(nac_reserved_bytes, 3182, "expected 0 in the header's reserved bytes")                         \
  X(nac_slack, 3183, "unused bytes after the last record of the section")                          \
                                                                                                   \
  X(nac_too_many_instructions, 3200,                                                               \
    "expected at most 65,535 instructions, as many as references can number")                      \
  X(nac_write_form, 3201, "expected a header of 88, 92 or 100 bytes to write")                     \
  X(nac_write_quantization, 3202, "the header's quantization method isn't one of the format's")    \
  X(nac_write_training, 3203,                                                                      \
    "a container of version 1 has no training section and no flag for it")                         \
  X(nac_write_arrays, 3204, "only a header of 100 bytes has a slot for arrays")                    \
  X(nac_write_weights, 3205, "there are tensors, but internal_weights is false")                   \
  X(nac_write_absent, 3206,                                                                        \
    "there are training instructions or a manifest, but has_training or has_manifest is false")    \
  X(nac_write_count, 3207, "a list holds at most 4,294,967,295 records")                           \
  X(nac_write_range, 3208, "a range or payload of the record is outside its pool")                 \
  X(nac_write_operation_name, 3209, "the name of an operation has at most 255 bytes")              \
  X(nac_write_operation_id, 3210, "expected an operation id of at most 255")                       \
  X(nac_write_signature, 3211, "a signature has at most 255 letters")                              \
  X(nac_write_signature_id, 3212, "expected a signature id of at most 255")                        \
  X(nac_write_name, 3213,                                                                          \
    "the name of a parameter, input, resource or array has at most 65,535 bytes")                  \
  X(nac_write_commands, 3214, "a tick has at most 255 commands")                                   \
  X(nac_write_signature_unknown, 3215, "no signature of the parts has the instruction's id")       \
  X(nac_write_arguments, 3216, "expected as many words in D as the signature has letters")         \
  X(nac_write_constants, 3217, "the signature has no letter for constants, but C has words")       \
  X(nac_write_long_c, 3218, "C is longer than its 16-bit prefix can count")                        \
  X(nac_write_id, 3219, "expected an id of at most 32,767 for a constant or parameter in C")       \
  X(nac_write_input, 3220, "the container's version has no INPUT of this variant")                 \
  X(nac_write_output, 3221, "the container's version has no OUTPUT of this variant")               \
  X(nac_write_words, 3222,                                                                         \
    "C or D of a system instruction has more or fewer words than its kind needs")                  \
  X(nac_write_constant_type, 3223, "the constant's type isn't one of the format's")                \
  X(nac_write_string, 3224, "a string constant has at most 65,535 bytes")                          \
  X(nac_write_list, 3225, "a list constant has at most 65,535 elements")                           \
  X(nac_write_data_type, 3226, "the data type isn't one of the format's")                          \
  X(nac_write_tensor_quantization, 3227, "the tensor's quantization isn't one of the format's")    \
  X(nac_write_rank, 3228, "a shape has at most 255 dimensions")                                    \
  X(nac_write_block_size, 3229, "a tensor of block_fp8 has blocks of at least 1 element")          \
  X(nac_write_tensor_fields, 3230,                                                                 \
    "the tensor has scales, an axis, a block or an original shape that its quantization "          \
    "doesn't store")                                                                               \
  X(nac_write_metadata, 3231, "the tensor's metadata exceeds 4,294,967,295 bytes")                 \
  X(nac_write_bytecode, 3232, "a manifest or an execution plan has at most 4,294,967,295 bytes")   \
  X(nac_write_resource, 3233, "a resource has at most 4,294,967,295 bytes")                        \
  X(nac_write_size, 3234, "the container exceeds what memory or 64-bit offsets can address")       \
  X(nac_write_stopped, 3235, "the sink stopped writing")                                           \
  X(nac_convert_training, 3250, "version 1 can't hold training: remove it before the conversion")  \
  X(nac_convert_arrays, 3251,                                                                      \
    "only version 1.8 can hold arrays: remove them before the conversion")                         \
  X(nac_convert_input, 3252, "version 1 has no INPUT of variant 4 or 5 (saved result, target)")    \
  X(nac_convert_output, 3253, "version 1 has no OUTPUT of variant 3 or 4")                         \
  X(nac_convert_operation, 3254,                                                                   \
    "an operation without a name can't be converted: ids mean other operations in another "        \
    "version")                                                                                     \
  X(nac_convert_operations, 3255,                                                                  \
    "expected at most 224 operations that the version doesn't predefine")                          \
                                                                                                   \
  X(nac_mep_opcode, 3300, "unknown opcode in the execution plan")                                  \
  X(nac_mep_reserved, 3301, "reserved opcode in the execution plan: it can't run")                 \
  X(nac_mep_truncated, 3302, "the execution plan ends inside an instruction")                      \
  X(nac_mep_operation, 3303, "unknown operation number in the execution plan's instruction")       \
  X(nac_mep_prompt_type, 3304, "expected an answer of type 0 (string), 1 (int) or 2 (float)")      \
  X(nac_mep_file_type, 3305,                                                                       \
    "expected a file of type 2 (npy), or 3 (image) with a path from a slot")                       \
  X(nac_mep_extern_kind, 3306,                                                                     \
    "expected an external object of kind 0 (tokenizer) or 1 (constant)")                           \
  X(nac_mep_unload_kind, 3307, "expected 0 (a model) or 1 (a slot) to unload")                     \
  X(nac_mep_data_type, 3308,                                                                       \
    "unknown data type in the execution plan; expected 0 (f32) to 9 (bool)")                       \
  X(nac_mep_create_kind, 3309,                                                                     \
    "expected a tensor made of 0 (a value), 1 (a range), 2 (ones) or 3 (zeros)")                   \
  X(nac_mep_loss, 3310, "expected a loss of 0 (cross-entropy), 1 (mse) or 255 (none)")             \
  X(nac_mep_format, 3311, "expected an object as 0 (text), 1 (JSON) or 2 (PNG)")                   \
  X(nac_mep_destination, 3312, "expected a destination of 0 (stdout), 1 (stderr) or 2 (a file)")   \
  X(nac_mep_write_mode, 3313, "unknown write mode; expected 0 (line), 1 (append) or 2 (bare)")     \
  X(nac_mep_constant, 3314, "no constant of the execution plan has this id")                       \
  X(nac_mep_constant_string, 3315, "expected a string constant of the execution plan")             \
  X(nac_mep_constant_model, 3316,                                                                  \
    "expected a constant of the execution plan that is a model's number, 0 to 255")                \
  X(nac_mep_jump, 3317,                                                                            \
    "expected a jump to the start of an instruction or to the end of the execution plan")          \
  X(nac_mep_jump_into_loop, 3318, "the jump leads into a loop from outside")                       \
  X(nac_mep_loop_end, 3319, "flow_loop_end without a flow_loop_start")                             \
  X(nac_mep_loop_open, 3320, "flow_loop_start without a flow_loop_end")                            \
  X(nac_mep_loop_back, 3321, "expected flow_loop_end to jump back into its loop")                  \
  X(nac_mep_break, 3322, "flow_break_loop_if outside a loop")                                      \
  X(nac_mep_break_target, 3323, "expected flow_break_loop_if to jump past the end of its loop")    \
  X(nac_mep_mnemonic, 3330, "expected an instruction of the execution plan, a label, or bytes")    \
  X(nac_mep_label_unknown, 3331, "undefined label in the execution plan")                          \
  X(nac_mep_label_repeated, 3332, "duplicate label in the execution plan")                         \
  X(nac_mep_jump_range, 3333, "the jump is longer than 32 KiB")                                    \
  X(nac_mep_operand_range, 3334,                                                                   \
    "the operand doesn't fit its field of the execution plan's instruction")                       \
  X(nac_mep_operand_count, 3335,                                                                   \
    "expected as many operands as the execution plan's instruction has")                           \
  X(nac_mep_choice, 3336, "expected one of this operand's names, or a number")                     \
  X(nac_mep_constants, 3337, "an execution plan has at most 65,536 constants")                     \
  X(nac_mep_list, 3338, "a list has at most 255 slots")                                            \
  X(nac_hex, 3339, "expected hex digits after 0x, two for each byte")                              \
                                                                                                   \
  X(nac_tisa_magic, 3350, "expected the bytes \"TISA\" and a version")                             \
  X(nac_tisa_truncated, 3351, "the manifest ends inside an instruction")                           \
  X(nac_tisa_opcode, 3352, "unknown instruction of the tokenizer")                                 \
  X(nac_tisa_payload_short, 3353, "the tokenizer's instruction ends inside one of its fields")     \
  X(nac_tisa_payload_long, 3354,                                                                   \
    "there are bytes after the last field of the tokenizer's instruction")                         \
  X(nac_tisa_json, 3355,                                                                           \
    "obsolete form: the payload is JSON, as old tokenizers wrote it; export the model again")      \
  X(nac_tisa_normal_form, 3356, "expected one of NFC NFD NFKC NFKD")                               \
  X(nac_tisa_category, 3357, "expected a general category of Unicode, such as Mn")                 \
  X(nac_tisa_utf8, 3358, "expected UTF-8 in the tokenizer's instruction")                          \
  X(nac_tisa_rule_flags, 3359, "expected only flags 1, 2 and 4 for a partition rule")              \
  X(nac_tisa_item_kind, 3360, "expected a kind of 0 or 1 for an item of compose")                  \
  X(nac_tisa_partition, 3361,                                                                      \
    "the encoder has no text to encode: expected partition_rules before it")                       \
  X(nac_tisa_string, 3362, "the string is too long for its field in the tokenizer's instruction")  \
  X(nac_tisa_list, 3363, "the list is too long for its field in the tokenizer's instruction")      \
  X(nac_tisa_name, 3370, "expected an instruction of the tokenizer, op, or bytes")                 \
  X(nac_tisa_rule, 3371, "expected protected, remove, isolate, behaviour or trim")                 \
  X(nac_tisa_item, 3372, "expected a token in quotes, its id, or ids")                             \
                                                                                                   \
  X(nac_text_syntax, 3400, "expected a section, a key or a statement of the assembly")             \
  X(nac_text_mark, 3401,                                                                           \
    "unexpected character; expected a mark such as ( ) [ ] { } = : or a comma")                    \
  X(nac_text_line_end, 3402, "expected the end of the line")                                       \
  X(nac_text_word, 3403, "expected a name")                                                        \
  X(nac_text_integer, 3404, "expected an integer: decimal digits, or hex digits after 0x")         \
  X(nac_text_range, 3405, "the integer is outside the range of its field")                         \
  X(nac_text_string, 3406, "expected a string in quotes")                                          \
  X(nac_text_string_end, 3407, "the string has no closing quote on its line")                      \
  X(nac_text_escape, 3408, "expected one of \\\" \\\\ \\n \\r \\t \\xHH in assembly")              \
  X(nac_text_section, 3410, "unknown section")                                                     \
  X(nac_text_section_repeated, 3411, "duplicate section")                                          \
  X(nac_text_key, 3412, "unknown key in the header")                                               \
  X(nac_text_key_repeated, 3413, "duplicate key in the header")                                    \
  X(nac_text_version, 3414, "expected 1.6, 1.7 or 1.8")                                            \
  X(nac_text_quantization, 3415, "expected none, fp16, int8_tensor, int8_channel or block_fp8")    \
  X(nac_text_weights, 3416, "expected internal or external")                                       \
  X(nac_text_boolean, 3417, "expected a boolean: true or false")                                   \
  X(nac_text_length, 3418, "the string is longer than its length field can count")                 \
  X(nac_text_end, 3419, "expected 'end' after the section's body")                                 \
  X(nac_text_instruction, 3420, "expected an operation's name or the word of an instruction")      \
  X(nac_text_value_reserved, 3421, "this word is a constant, so it can't name a result")           \
  X(nac_text_value_repeated, 3422, "duplicate name of a result")                                   \
  X(nac_text_value_undefined, 3423, "undefined result")                                            \
  X(nac_text_value_own, 3424, "an instruction can't use its own result")                           \
  X(nac_text_distance, 3425, "the result is more than 32,767 instructions away")                   \
  X(nac_text_result, 3426, "expected a result: its name, or @ and an offset")                      \
  X(nac_text_arguments, 3427, "an instruction has at most 255 arguments")                          \
  X(nac_text_signature, 3428, "expected a signature's id, or its codes as a string")               \
  X(nac_text_signature_arguments, 3429, "the signature doesn't match the instruction's arguments") \
  X(nac_text_outputs, 3430, "expected as many results as the container has outputs")               \
  X(nac_text_input_name, 3431,                                                                     \
    "conflicting name for this input, or a name for an INPUT that can't have one")                 \
  X(nac_text_parameter, 3432, "no parameter has this name")                                        \
  X(nac_text_operations, 3433, "all 256 ids of operations are in use")                             \
  X(nac_text_signatures, 3434, "all 256 ids of signatures are in use")                             \
  X(nac_text_constants, 3435, "all ids of constants are in use")                                   \
  X(nac_text_parameters, 3436, "all ids of parameters are in use")                                 \
  X(nac_text_constant, 3440,                                                                       \
    "expected a constant: null, true, false, a number, a string or a list")                        \
  X(nac_text_float, 3441, "expected a decimal number, inf, -inf or nan")                           \
  X(nac_text_float_range, 3442, "the number is too large for its type")                            \
  X(nac_text_nan, 3443, "expected the bits of a NaN after 0x")                                     \
  X(nac_text_list, 3444, "the list is longer than its length field can count")                     \
  X(nac_text_data_type, 3445, "expected f32, f64, f16, bf16, i32, i64, i16, i8, u8 or bool")       \
  X(nac_text_rank, 3446, "expected a shape of at most 255 dimensions")                             \
  X(nac_text_quantization_field, 3447,                                                             \
    "expected the next field of the quantization, such as scale or axis")                          \
  X(nac_text_payload, 3450,                                                                        \
    "expected hex { digits }, values [ numbers ], or file and a place in it")                      \
  X(nac_text_hex, 3451, "expected pairs of hexadecimal digits")                                    \
  X(nac_text_hex_size, 3452, "more or fewer hex digits than the shape or size needs")              \
  X(nac_text_payload_unresolved, 3453, "the referenced bytes can't be found")                      \
  X(nac_text_payload_size, 3454, "the reference finds more or fewer bytes than expected")          \
  X(nac_text_values, 3455, "expected as many values as the shape has elements")                    \
  X(nac_text_action, 3460, "expected an action, such as save_result, free, forward or preload")    \
  X(nac_text_commands, 3461, "an instruction has at most 255 commands")                            \
  X(nac_text_self_counting, 3462, "expected none, or some of input, output and control_flow")      \
                                                                                                   \
  X(nac_safetensors_header, 3500, "expected the length of a JSON header that fits the file")       \
  X(nac_safetensors_large_header, 3501,                                                            \
    "the header of a safetensors file has at most 100,000,000 bytes")                              \
  X(nac_safetensors_brace, 3502, "expected '{' as the first byte of the header")                   \
  X(nac_safetensors_type, 3503, "expected a type of safetensors files, such as F32")               \
  X(nac_safetensors_member, 3504, "expected dtype, shape and data_offsets of the tensor")          \
  X(nac_safetensors_offsets, 3505, "expected two ascending data_offsets inside the file")          \
  X(nac_safetensors_size, 3506, "data_offsets span more or fewer bytes than shape and dtype need") \
  X(nac_safetensors_overlap, 3507, "the tensor overlaps the one before it")                        \
  X(nac_safetensors_hole, 3508, "there are unused bytes before the tensor")                        \
  X(nac_safetensors_trailing, 3509, "there are unused bytes after the last tensor")                \
  X(nac_safetensors_method, 3510,                                                                  \
    "expected a quant_code of 0 to 4, or a quant_type that names a method")                        \
  X(nac_safetensors_scales, 3511,                                                                  \
    "expected one scale for int8_tensor; block_size and orig_shape for block_fp8")                 \
  X(nac_external_text, 3512, "expected UTF-8 in names of tensors and strings of metadata")         \
  X(nac_external_repeated, 3513, "duplicate name of a tensor or key of the metadata")              \
  X(nac_external_reserved, 3514, "\"__metadata__\" is reserved: a tensor can't have this name")    \
  X(nac_external_size, 3515,                                                                       \
    "the payload has more or fewer bytes than the tensor's shape and type need")                   \
  X(nac_external_large, 3516,                                                                      \
    "the safetensors file is larger than its header or memory can address")                        \
                                                                                                   \
  X(nac_tensor_range, 3535, "the range extends past the tensor's last value")                      \
  X(nac_tensor_shapes, 3536, "the tensors have different numbers of values")                       \
  X(nac_quantize_method, 3540,                                                                     \
    "expected a method of quantization other than none, and a shape of rank 1 or more")            \
  X(nac_quantize_block, 3541, "expected blocks of at least 1 element to quantize")                 \
  X(nac_quantize_shape, 3542, "expected a value for each element of the shape")                    \
  X(nac_quantize_float16, 3543, "the value is too large for float16")                              \
  X(nac_quantize_finite, 3544, "infinities and NaN can't be quantized")                            \
                                                                                                   \
  X(nac_weights_inside, 3550, "the weights are already inside the container")                      \
  X(nac_weights_outside, 3551, "the weights are already outside the container")                    \
  X(nac_weights_unnamed, 3552, "no parameter of DATA has the tensor's id")                         \
  X(nac_weights_absent, 3553, "the container has no tensor for the parameter")                     \
  X(nac_weights_tied, 3554, "parameters with the same name have different tensors")                \
  X(nac_weights_scale, 3555, "a scale is infinite or NaN, which JSON can't express")               \
  X(nac_weights_missing, 3556, "the safetensors file has no tensor with the parameter's name")     \
  X(nac_weights_form, 3557, "a container can't hold the external tensor's type or shape")          \
  X(nac_weights_made, 3558,                                                                        \
    "the elements are computed while they are written: convert the original parts instead")        \
  X(nac_weights_blocks, 3559, "the padded elements or the scales exceed 32 bits")                  \
                                                                                                   \
  X(nac_run_weights, 3600, "the program's weights are in another file, which was not given")       \
  X(nac_run_input, 3601, "an input of the program was not given")                                  \
  X(nac_run_rank, 3602, "expected tensors of at most 16 dimensions")                               \
  X(nac_run_shape, 3603, "the operation isn't defined for operands of these shapes")               \
  X(nac_run_type, 3604, "the operation isn't defined for operands of these data types")            \
  X(nac_run_axis, 3605, "expected an axis that the tensor has, from -rank to rank - 1")            \
  X(nac_run_index, 3606, "expected an index inside the tensor")                                    \
  X(nac_run_argument, 3607, "invalid argument value")                                              \
  X(nac_run_kind, 3608, "wrong kind of value for the operation")                                   \
  X(nac_run_division, 3609, "integer division by zero")                                            \
  X(nac_run_absent, 3610, "the result comes from a branch that didn't run")                        \
  X(nac_run_state, 3611, "the program has no state with this id")                                  \
  X(nac_run_outputs, 3612, "expected as many outputs as the header counts")                        \
  X(nac_run_in_place, 3613, "the in-place change can't be tracked")                                \
  X(nac_run_strides, 3614, "the operation depends on strides, which NAC doesn't store")            \
                                                                                                   \
  X(nac_plan_slot, 3620,                                                                           \
    "the slot holds the wrong kind of value for the execution plan's instruction")                 \
  X(nac_plan_training, 3621,                                                                       \
    "training isn't supported: model_train_step and model_save_weights are refused")               \
  X(nac_plan_prompt, 3622, "the execution plan prompts for an answer, and none is left")           \
  X(nac_plan_answer, 3623, "expected an answer of the prompt's type")                              \
  X(nac_plan_model, 3624, "the execution plan uses a model that it hasn't loaded")                 \
  X(nac_plan_path, 3625, "the path is outside the folder that the execution plan may use")         \
  X(nac_plan_file, 3626, "the execution plan's file can't be read or written")                     \
  X(nac_plan_array, 3627, "the container has no array with this name")                             \
  X(nac_plan_format, 3628, "the format string doesn't match its values")                           \
  X(nac_plan_outputs, 3629, "the model has fewer outputs than the execution plan uses")            \
  X(nac_plan_image, 3630, "the file isn't an image of a supported format")                         \
  X(nac_plan_unavailable, 3631,                                                                    \
    "this build doesn't support what the execution plan's instruction needs")                      \
  X(nac_plan_inputs, 3632, "the model has fewer inputs than the execution plan gives")             \
  X(nac_plan_write, 3633, "the execution plan has no permission to write this file")               \
                                                                                                   \
  X(nac_tokenizer_missing, 3640, "the container has no tokenizer manifest")                        \
  X(nac_tokenizer_resource, 3641, "the tokenizer's vocabulary or merges are missing or malformed") \
  X(nac_tokenizer_expression, 3642, "the tokenizer's regular expression can't be compiled")        \
  X(nac_tokenizer_match, 3643, "the tokenizer's regular expression takes too long to match")       \
  X(nac_tokenizer_utf8, 3644, "expected text in UTF-8")                                            \
  X(nac_tokenizer_unavailable, 3645, "the tokenizer needs a library that this build doesn't have") \
  X(nac_tokenizer_import, 3646, "a tokenizer's manifest has no form for this")                     \
  X(nac_tokenizer_json, 3647, "malformed tokenizer file: a value is missing or of another type")   \
                                                                                                   \
  X(nac_to_ark_operation, 3650, "ARK has no operation for this")                                   \
  X(nac_to_ark_argument, 3651, "ARK has no form for this argument")                                \
  X(nac_to_ark_type, 3652, "ARK has no data type for these elements")                              \
  X(nac_to_ark_shape, 3653, "expected 1 to 4 dimensions, none of them 0, as ARK has them")         \
  X(nac_to_ark_input, 3654, "expected the shape of each input")                                    \
  X(nac_to_ark_limit, 3655, "the conversion needs more work or memory than its options allow")     \
                                                                                                   \
  X(nac_lower_operation, 3660, "the operation can't be lowered to the device")                     \
  X(nac_lower_shape, 3661, "lowering needs the shapes of all inputs")                              \
  X(nac_lower_device, 3662, "the device lacks what the network needs")                             \
  X(nac_lower_memory, 3663, "the device's memory is too small")

#endif  // TESSERA_CORE_ERROR_TABLE_NAC_HPP

// ---- tessera/core/error_table_nem.hpp
//
// The rules of NEM, each with its error code: nem_con_001_duplicate is rule CON-001.
//
//   #define X(name, value, message, phase, severity) …
//   TESSERA_NEM_RULES(X)
//
// A row states the rule's phase (which of reading or verifying finds it) and its severity in the
// default profile; `nem::rule` (nem/rule.hpp) knows what other profiles change. Part of the
// table of all codes: core/error_table.hpp. Rules RT are those of runs; verification never finds them.
//
// Lifetime:   none.
// Errors:     these.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_ERROR_TABLE_NEM_HPP
#define TESSERA_CORE_ERROR_TABLE_NEM_HPP

// X(enumerator, value, what was expected, phase, severity)
#define TESSERA_NEM_RULES(X)                                                                       \
  X(nem_lex_001_character, 4001, "unexpected character", lex, error)                               \
  X(nem_lex_002_string, 4002, "the string isn't closed before the end of its line", lex, error)    \
  X(nem_lex_003_escape, 4003,                                                                      \
    "unknown escape: expected one of \\n \\t \\\\ \\\" (it is kept as it is)", lex, warning)       \
  X(nem_lex_004_number, 4004,                                                                      \
    "malformed number: expected digits, or digits '.' digits and an exponent", lex, error)         \
  X(nem_lex_005_integer, 4005, "the integer exceeds 2^63 - 1", lex, error)                         \
                                                                                                   \
  X(nem_syn_001_token, 4006, "unexpected token", parse, error)                                     \
  X(nem_syn_002_loop, 4007, "expected endloop: the loop isn't closed", parse, error)               \
  X(nem_syn_003_endloop, 4008, "endloop without a loop", parse, error)                             \
  X(nem_syn_004_include, 4009, "expected include before everything else", parse, error)            \
  X(nem_syn_005_directive, 4010,                                                                   \
    "expected one device directive, before the program header and all statements", parse, error)   \
  X(nem_syn_006_header, 4011, "expected one program header, before all statements", parse, error)  \
  X(nem_syn_007_mixed, 4012, "a file holds either configuration or a program", parse, error)       \
  X(nem_syn_008_statement, 4013, "expected a declaration, a task or a loop", parse, error)         \
  X(nem_syn_009_comma, 4014, "expected ',' between type attributes", parse, error)                 \
  X(nem_syn_010_type_attribute, 4015, "duplicate type attribute, or both layout and strides",      \
    parse, error)                                                                                  \
  X(nem_syn_011_argument, 4016, "duplicate argument", parse, error)                                \
  X(nem_syn_012_missing, 4017, "missing required argument", parse, error)                          \
  X(nem_syn_013_reserved, 4018, "a reserved word can't be a name", parse, error)                   \
  X(nem_syn_014_depth, 4019, "nested deeper than 256", parse, error)                               \
  X(nem_syn_017_line_operator, 4020,                                                               \
    "the expression continues on a new line, where other readers end it", parse, warning)          \
  X(nem_syn_018_upstream_reserved, 4021, "the name is reserved by other readers", parse, warning)  \
  X(nem_syn_019_trailing_comma, 4022, "a trailing comma or an empty list is an extension", parse,  \
    warning)                                                                                       \
  X(nem_syn_020_inner_type, 4023, "type attributes belong after the parentheses of region", parse, \
    warning)                                                                                       \
                                                                                                   \
  X(nem_con_001_duplicate, 4024, "duplicate constant declaration", const_, error)                  \
  X(nem_con_002_forward, 4025,                                                                     \
    "the constant expression uses a name that isn't declared before it", const_, error)            \
  X(nem_con_003_not_constant, 4026, "the constant expression uses a name that isn't a constant",   \
    const_, error)                                                                                 \
  X(nem_con_004_division, 4027, "division by zero in a constant expression", const_, error)        \
  X(nem_con_005_in_loop, 4028, "const declaration not permitted inside loop body", const_, error)  \
  X(nem_con_006_conflict, 4029, "the constant's name is used for something else", const_, error)   \
  X(nem_con_007_float, 4030, "const declarations must be integer", const_, error)                  \
  X(nem_con_008_overflow, 4031, "the constant expression exceeds the range of 64 bits", const_,    \
    error)                                                                                         \
                                                                                                   \
  X(nem_exp_001_float, 4032, "expected an integer", eval, error)                                   \
  X(nem_exp_002_name, 4033, "the name isn't declared", eval, error)                                \
  X(nem_exp_003_division, 4034, "division by zero", eval, error)                                   \
  X(nem_exp_004_overflow, 4035, "the expression exceeds the range of 64 bits", eval, error)        \
  X(nem_exp_005_kind, 4036, "expected a number, found the name of something else", eval, error)    \
  X(nem_exp_006_negative, 4037, "'/' and mod of negative operands differ between implementations", \
    eval, warning)                                                                                 \
                                                                                                   \
  X(nem_nam_001_duplicate, 4038, "the name is already declared in this scope", names, error)       \
  X(nem_nam_002_shadow, 4039, "the declaration hides one of an outer scope", names, warning)       \
  X(nem_nam_003_buffer, 4040, "region of a buffer that isn't declared", names, error)              \
  X(nem_nam_004_not_buffer, 4041, "expected a buffer in region(...)", names, error)                \
  X(nem_nam_005_operand, 4042, "the operand isn't declared before its use", names, error)          \
  X(nem_nam_006_not_region, 4043, "expected a region as operand", names, error)                    \
                                                                                                   \
  X(nem_buf_001_size, 4044, "expected size= in the buffer's properties", buffer, error)            \
  X(nem_buf_002_positive, 4045, "expected a buffer size of at least 1 byte", buffer, error)        \
  X(nem_buf_003_align, 4046, "expected an alignment that is a power of two", buffer, error)        \
  X(nem_buf_004_engine, 4047, "the device has no such engine", buffer, error)                      \
  X(nem_buf_005_loop_variable, 4048, "a buffer's properties can't depend on a loop variable",      \
    buffer, error)                                                                                 \
  X(nem_buf_006_unindexed, 4049, "L1 without an index means L1[0] on a device of several engines", \
    buffer, warning)                                                                               \
  X(nem_buf_007_in_loop, 4050,                                                                     \
    "a buffer in a loop body is allocated once, not for each iteration", buffer, warning)          \
                                                                                                   \
  X(nem_cap_001_l1, 4051, "the buffers of an L1 exceed l1_size_bytes", device, error)              \
  X(nem_cap_002_l2, 4052, "the buffers of L2 exceed l2_size_bytes", device, error)                 \
  X(nem_cap_003_tokens, 4053, "more tokens can be live than SEQ.max_active_tokens", device,        \
    warning)                                                                                       \
                                                                                                   \
  X(nem_reg_001_offset, 4054, "expected a region offset of at least 0", region, error)             \
  X(nem_reg_002_extent, 4055, "expected a region extent of at least 1 byte", region, error)        \
  X(nem_reg_003_bounds, 4056, "the region extends past the end of its buffer", region, error)      \
  X(nem_reg_004_too_small, 4057, "the extent is smaller than the elements of the shape", region,   \
    error)                                                                                         \
  X(nem_reg_005_strides, 4058, "the strides reach past the extent", region, error)                 \
  X(nem_reg_006_stride_count, 4059, "expected as many strides as dimensions", region, error)       \
  X(nem_reg_007_layout, 4060,                                                                      \
    "the layout has more or fewer letters than the shape has dimensions", region, warning)         \
  X(nem_reg_008_dimension, 4061, "expected shape dimensions of at least 1", region, error)         \
  X(nem_reg_009_negative_stride, 4062, "expected strides of at least 0", region, error)            \
  X(nem_reg_010_overlapping_elements, 4063,                                                        \
    "a task writes a region whose elements overlap one another", region, error)                    \
  X(nem_reg_011_unaligned, 4064, "the offset isn't a multiple of the element's size", region,      \
    warning)                                                                                       \
                                                                                                   \
  X(nem_typ_001_element, 4065, "expected an element type: i4 i8 i16 i32 u8 u16 u32 f16 bf16 f32",  \
    parse, error)                                                                                  \
  X(nem_typ_002_extension, 4066, "the element type is an extension that no type family knows",     \
    region, warning)                                                                               \
  X(nem_typ_003_untyped, 4067,                                                                     \
    "expected elem, shape and layout or strides on an operand of a compute task", type, error)     \
                                                                                                   \
  X(nem_qnt_001_channels, 4068, "expected a scale and a zero point for each element of the axis",  \
    region, error)                                                                                 \
  X(nem_qnt_002_groups, 4069, "expected a scale and a zero point for each group of the axis",      \
    region, error)                                                                                 \
  X(nem_qnt_003_group_size, 4070, "group_size must be positive", region, error)                    \
  X(nem_qnt_004_axis, 4071, "expected a quantization axis from 0 to rank - 1", region, error)      \
  X(nem_qnt_005_scale, 4072, "expected a scale that is positive and finite", region, error)        \
  X(nem_qnt_006_zero_point, 4073, "expected an integer as zero point", region, error)              \
  X(nem_qnt_007_zero_range, 4074, "the zero point is out of range for the element type", region,   \
    warning)                                                                                       \
  X(nem_qnt_008_float, 4075, "a floating-point region carries a quantization descriptor", region,  \
    warning)                                                                                       \
  X(nem_qnt_009_mixed, 4076,                                                                       \
    "some operands carry a quantization descriptor and others don't: raw integers are used", type, \
    warning)                                                                                       \
  X(nem_qnt_010_bias, 4077,                                                                        \
    "an i32 bias needs a descriptor where the weight's scale varies along a reduced axis", type,   \
    error)                                                                                         \
  X(nem_qnt_011_output, 4078,                                                                      \
    "an integer output without a descriptor gets scale 1 and zero point 0", type, warning)         \
  X(nem_qnt_012_copied, 4079, "values are copied between regions of different descriptors", type,  \
    warning)                                                                                       \
  X(nem_qnt_013_cast, 4080, "cast ignores quantization descriptors", type, warning)                \
  X(nem_qnt_014_function, 4081, "a transcendental function of integers without a descriptor",      \
    type, warning)                                                                                 \
                                                                                                   \
  X(nem_opc_001_opcode, 4082, "unknown opcode", opcode, error)                                     \
  X(nem_opc_002_few_inputs, 4083, "too few inputs for the opcode", opcode, error)                  \
  X(nem_opc_003_many_inputs, 4084, "too many inputs for the opcode", opcode, error)                \
  X(nem_opc_004_outputs, 4085, "wrong number of outputs for the opcode", opcode, error)            \
  X(nem_opc_005_missing, 4086, "missing required attribute", opcode, error)                        \
  X(nem_opc_006_unknown, 4087, "the opcode has no such attribute", opcode, error)                  \
  X(nem_opc_007_repeated, 4088, "duplicate attribute", parse, error)                               \
  X(nem_opc_008_kind, 4089, "wrong kind of value for the attribute", opcode, error)                \
  X(nem_opc_009_range, 4090, "the attribute's value is out of range", opcode, error)               \
  X(nem_opc_010_future, 4091, "no hardware executes the opcode yet", opcode, warning)              \
  X(nem_opc_011_generic, 4092, "binders may reject the generic compute opcode", opcode, warning)   \
                                                                                                   \
  X(nem_shp_001_rank, 4093, "wrong rank of an operand", shape, error)                              \
  X(nem_shp_002_identical, 4094, "shapes must be identical", shape, error)                         \
  X(nem_shp_003_inner, 4095, "the inner dimensions, batch dimensions or channels differ", shape,   \
    error)                                                                                         \
  X(nem_shp_004_output, 4096, "the output's shape differs from the one that the inputs give",      \
    shape, error)                                                                                  \
  X(nem_shp_005_bias, 4097, "wrong shape of the bias or scale", shape, error)                      \
  X(nem_shp_006_layout, 4098, "wrong layout of an operand", shape, error)                          \
  X(nem_shp_007_count, 4099, "reshape must preserve the number of elements", shape, error)         \
  X(nem_shp_008_parts, 4100, "the parts of concat or split don't add up", shape, error)            \
  X(nem_shp_009_groups, 4101, "groups must divide the channels of input and output", shape, error) \
  X(nem_shp_010_padding, 4102, "the padding of a pool must be smaller than its kernel", shape,     \
    error)                                                                                         \
                                                                                                   \
  X(nem_fam_001_variant, 4103, "no variant of a type family takes operands of these types", type,  \
    error)                                                                                         \
  X(nem_fam_002_device, 4104, "the target device doesn't support the variant", device, error)      \
  X(nem_fam_003_accum, 4105, "accum_type differs from that of the type family", type, error)       \
  X(nem_fam_004_quant, 4106,                                                                       \
    "the type family's condition on quantization descriptors is violated", type, error)            \
  X(nem_fam_005_elements, 4107, "element types must match", type, error)                           \
  X(nem_fam_006_ungoverned, 4108, "no type family governs the opcode", type, note)                 \
                                                                                                   \
  X(nem_fdl_001_duplicate, 4109, "the type family is already defined", config, error)              \
  X(nem_fdl_002_type, 4110, "expected an element type, a parameter, absent or any_supported",      \
    config, error)                                                                                 \
  X(nem_fdl_003_instance, 4111, "the instantiation doesn't fit the family's parameters", config,   \
    error)                                                                                         \
  X(nem_fdl_004_variant, 4112, "the variant is already defined", config, error)                    \
  X(nem_fdl_005_no_variants, 4113, "expected at least one variant", config, error)                 \
  X(nem_fdl_006_parameter, 4114, "the type parameter is already declared", config, error)          \
  X(nem_fdl_007_twice, 4115, "the instantiation is already classified", config, error)             \
                                                                                                   \
  X(nem_dev_001_spec_version, 4116, "expected spec_version in a device that extends none", device, \
    error)                                                                                         \
  X(nem_dev_002_inherited, 4117, "spec_version is inherited: a derived device can't set it",       \
    device, error)                                                                                 \
  X(nem_dev_003_topology, 4118, "the target device has no topology", device, error)                \
  X(nem_dev_004_engines, 4119, "expected num_engines of at least 1", device, error)                \
  X(nem_dev_005_units, 4120, "expected at least 1 unit of each type in an engine", device, error)  \
  X(nem_dev_006_memory, 4121, "memory sizes must be > 0, and num_engines and per_engine given",    \
    device, error)                                                                                 \
  X(nem_dev_007_mandatory, 4122, "opcode.mandatory lacks a variant that every device must have",   \
    device, error)                                                                                 \
  X(nem_dev_008_extended, 4123,                                                                    \
    "the variant is already mandatory: its entry in opcode.extended is ignored", device, warning)  \
  X(nem_dev_009_variant, 4124, "unknown variant of a type family", device, error)                  \
  X(nem_dev_010_redundant, 4125, "duplicate variant: already listed or inherited", device,         \
    warning)                                                                                       \
  X(nem_dev_011_unit_block, 4126, "the unit type doesn't belong in this block", parse, error)      \
  X(nem_dev_012_repeated, 4127, "duplicate block or field", parse, error)                          \
  X(nem_dev_013_parent, 4128, "the parent device isn't defined before this device", device, error) \
  X(nem_dev_014_cycle, 4129, "the device extends itself", device, error)                           \
  X(nem_dev_015_duplicate, 4130, "the device is already defined", device, error)                   \
  X(nem_dev_016_unknown, 4131, "unknown device: neither defined here nor in an included file",     \
    device, error)                                                                                 \
  X(nem_dev_017_file, 4132, "expected one device in the file, or one with the name of the file",   \
    device, error)                                                                                 \
  X(nem_dev_018_omitted, 4133, "per_engine omits a unit type", device, warning)                    \
  X(nem_dev_019_no_mandatory, 4134, "expected opcode.mandatory in a device that extends none",     \
    device, error)                                                                                 \
  X(nem_dev_020_version, 4135, "unknown spec_version: expected \"NEM-1.0\"", device, warning)      \
                                                                                                   \
  X(nem_inc_001_missing, 4136, "the file can't be found", include, error)                          \
  X(nem_inc_002_circular, 4137, "the file includes itself", include, error)                        \
  X(nem_inc_003_invalid, 4138, "the included file isn't a valid document", include, error)         \
  X(nem_inc_004_program, 4139, "the program in the included file is ignored", include, warning)    \
                                                                                                   \
  X(nem_dec_001_unknown, 4140, "unknown decorator", decorator, error)                              \
  X(nem_dec_002_target, 4141, "the decorator doesn't apply here", decorator, error)                \
  X(nem_dec_003_arguments, 4142, "wrong arguments for the decorator", decorator, error)            \
  X(nem_dec_004_repeated, 4143, "duplicate decorator", decorator, warning)                         \
  X(nem_dec_005_access, 4144, "readonly and writeonly exclude each other", decorator, error)       \
  X(nem_dec_006_in_flight, 4145, "expected at least 1 iteration in flight", decorator, error)      \
  X(nem_dec_007_readonly, 4146, "the task writes what is marked readonly", decorator, error)       \
  X(nem_dec_008_writeonly, 4147, "the task reads what is marked writeonly", decorator, error)      \
                                                                                                   \
  X(nem_res_001_invalid, 4148, "the unit type isn't a valid @resource target", decorator, error)   \
  X(nem_res_002_unknown, 4149, "unknown unit type: expected NMU, CSTL, DMA or VPU", decorator,     \
    error)                                                                                         \
  X(nem_res_003_negative, 4150, "expected a unit index of at least 0", decorator, error)           \
  X(nem_res_004_eligible, 4151, "the unit type can't execute the operation", decorator, error)     \
  X(nem_res_005_remapped, 4152, "the device has fewer units: another unit of this type is used",   \
    decorator, note)                                                                               \
  X(nem_res_006_translated, 4153, "the device has no unit of the type: another type is used",      \
    decorator, warning)                                                                            \
  X(nem_res_007_system_dma, 4154, "an engine's DMA is bound to a transfer that touches DDR",       \
    decorator, warning)                                                                            \
  X(nem_res_008_no_system_dma, 4155, "the task moves DDR data, and the device declares no sDMA",   \
    place, warning)                                                                                \
                                                                                                   \
  X(nem_tok_001_unknown, 4156, "no task assigns the token", token, error)                          \
  X(nem_tok_002_early, 4157, "the token isn't produced before this use, or isn't visible here",    \
    token, error)                                                                                  \
  X(nem_tok_004_kind, 4158, "expected a token", token, error)                                      \
  X(nem_tok_005_wait, 4159, "wait produces no token", token, error)                                \
  X(nem_tok_007_repeated, 4160, "duplicate token", token, warning)                                 \
                                                                                                   \
  X(nem_xfr_001_small, 4161, "the destination is smaller than the source", transfer, error)        \
  X(nem_xfr_002_large, 4162, "the destination is larger than the source: its tail isn't written",  \
    transfer, warning)                                                                             \
  X(nem_xfr_003_element, 4163, "source and destination have different element types", transfer,    \
    error)                                                                                         \
  X(nem_xfr_004_shape, 4164, "source and destination have different shapes", transfer, warning)    \
  X(nem_xfr_005_layout, 4165,                                                                      \
    "bytes are copied in order between different layouts, without rearranging elements", transfer, \
    warning)                                                                                       \
  X(nem_xfr_006_overlap, 4166, "source and destination overlap without @memmove", transfer, error) \
  X(nem_xfr_007_quant, 4167, "source and destination have different quantization descriptors",     \
    transfer, warning)                                                                             \
  X(nem_xfr_008_nearer, 4168, "store moves data to a nearer memory level", transfer, warning)      \
                                                                                                   \
  X(nem_plc_001_engines, 4169, "the task references L1 memories of several engines", place, error) \
  X(nem_plc_002_pinned, 4170,                                                                      \
    "the task is pinned to a different engine than the one its L1 memory belongs to", place,       \
    error)                                                                                         \
  X(nem_plc_003_no_engine, 4171, "the device has no engine with this index", place, error)         \
                                                                                                   \
  X(nem_haz_001_unordered, 4172, "the tasks touch the same bytes, and nothing orders them",        \
    hazard, error)                                                                                 \
  X(nem_haz_002_iterations, 4173, "iterations in flight together touch the same bytes", hazard,    \
    error)                                                                                         \
  X(nem_haz_003_rewritten, 4174,                                                                   \
    "iterations in flight together write the same data to the same bytes", hazard, warning)        \
  X(nem_haz_004_in_place, 4175, "the output overlaps an input of its task", hazard, error)         \
  X(nem_haz_006_unwritten, 4176, "the task reads bytes of L1 that no earlier task wrote", hazard,  \
    warning)                                                                                       \
                                                                                                   \
  X(nem_lop_001_empty, 4177, "the loop ends before it begins: expected last >= first", loop,       \
    error)                                                                                         \
                                                                                                   \
  X(nem_haz_005_partial, 4178,                                                                     \
    "the loops are too long to be expanded: only part of them is searched for hazards", hazard,    \
    note)                                                                                          \
                                                                                                   \
  X(nem_rt_div0, 4179, "an integer element is divided by zero", run, error)                        \
  X(nem_rt_index, 4180, "expected an index inside the operand", run, error)                        \
  X(nem_rt_acc, 4181, "a sum exceeds the 32 bits of its accumulator and wraps around", run,        \
    warning)                                                                                       \
  X(nem_rt_uninit, 4182, "the task reads bytes that nothing wrote or bound", run, warning)         \
  X(nem_rt_race, 4183, "the tasks of the run touch the same bytes, unordered", run, error)         \
  X(nem_rt_unsupported, 4184, "the machine doesn't implement this operation", run, error)          \
  X(nem_rt_mem, 4185, "the buffers exceed the memory limit of the run", run, error)

#endif  // TESSERA_CORE_ERROR_TABLE_NEM_HPP

// ---- tessera/core/error_table_pt2.hpp
//
// The codes of PT2 archives, a part of the table in error_table.hpp.
//
//   TESSERA_PT2_ERRORS(X)
//
// Lifetime:   none.
// Errors:     these.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_ERROR_TABLE_PT2_HPP
#define TESSERA_CORE_ERROR_TABLE_PT2_HPP

// X(enumerator, value, what was expected)
#define TESSERA_PT2_ERRORS(X)                                                                      \
  X(pt2_end, 6000, "no end record of a zip archive: the file is truncated, or no PT2 archive")     \
  X(pt2_split, 6001, "the archive is split into several files; expected one")                      \
  X(pt2_zip64, 6002, "malformed zip64 record, or it contradicts the 32-bit fields")                \
  X(pt2_directory, 6003, "expected the directory right before its end record")                     \
  X(pt2_entry_count, 6004, "the directory's size and its number of entries disagree")              \
  X(pt2_entry, 6005, "expected a complete directory entry")                                        \
  X(pt2_extra, 6006, "malformed extra field")                                                      \
  X(pt2_encrypted, 6007, "encrypted or patched members are not supported")                         \
  X(pt2_method, 6008, "unknown compression method; expected 0 (stored) or 8 (deflated)")           \
  X(pt2_name, 6009,                                                                                \
    "unsafe member name; expected UTF-8 without '..', '\\\\', a leading '/' or zero bytes")        \
  X(pt2_sizes, 6010, "the sizes of the member can't be right for its compression method")          \
  X(pt2_local_header, 6011, "expected a local header, before the directory")                       \
  X(pt2_local_differs, 6012, "the local header differs from the directory entry")                  \
  X(pt2_descriptor, 6013, "the data descriptor differs from the directory entry")                  \
  X(pt2_bounds, 6014, "the member extends past the start of the directory")                        \
  X(pt2_overlap, 6015, "the member overlaps another one")                                          \
  X(pt2_duplicate_member, 6016, "duplicate member name")                                           \
  X(pt2_checksum, 6017, "wrong checksum (CRC-32) of the member")                                   \
  X(pt2_deflated, 6018,                                                                            \
    "the member is deflated; expected stored members, or an inflater in the read options")         \
  X(pt2_deflate_data, 6019, "invalid deflate data, or of another size")                            \
                                                                                                   \
  X(pt2_root, 6030, "a member outside the archive's root folder")                                  \
  X(pt2_no_format, 6031, "no member archive_format: not a PT2 archive")                            \
  X(pt2_format, 6032, "unknown archive_format; expected pt2")                                      \
  X(pt2_version, 6033, "unknown or missing archive_version; expected 0")                           \
  X(pt2_byte_order, 6034, "unsupported byteorder; expected little")                                \
  X(pt2_torch_2_4, 6035, "an archive of PyTorch 2.4 or earlier; save it again with 2.5 or later")  \
  X(pt2_compiled, 6037, "the archive holds compiled code only (AOTInductor) and no graph")         \
  X(pt2_no_program, 6038, "no such program in the archive (models/NAME.json)")                     \
  X(pt2_choose_program, 6039, "several programs and none is called model; name one of them")       \
  X(pt2_no_config, 6040, "the program's weights or constants configuration is missing")            \
  X(pt2_no_payload, 6041, "the payload of this weight or constant is missing")                     \
                                                                                                   \
  X(pt2_missing, 6050, "the object lacks a required member")                                       \
  X(pt2_union, 6051, "expected an object with exactly one member")                                 \
  X(pt2_variant, 6052, "unknown variant of this union")                                            \
  X(pt2_schema_major, 6053,                                                                        \
    "unsupported major version of the schema; expected 8 (7 in archives of 2.5)")                  \
  X(pt2_real, 6054, "expected a number, \"Infinity\", \"-Infinity\" or \"NaN\"")                   \
  X(pt2_none, 6055, "expected true as the value of as_none ([] in schema 7)")                      \
  X(pt2_config_symbolic, 6056, "a stored tensor can't have symbolic sizes")                        \
  X(pt2_expression, 6057, "malformed shape expression")                                            \
  X(pt2_tree, 6058, "malformed tree of arguments")                                                 \
                                                                                                   \
  X(pt2_pickle_missing, 6060, "the inner archive has no data.pkl, which lists its tensors")        \
  X(pt2_inner_deflated, 6061, "a member of an inner archive is deflated; expected stored members") \
  X(pt2_pickle_protocol, 6062, "expected a pickle of protocol 2")                                  \
  X(pt2_pickle_end, 6063, "expected complete opcodes up to STOP at the end of the pickle")         \
  X(pt2_pickle_opcode, 6064, "tensors don't need this opcode; pickles are never executed")         \
  X(pt2_pickle_global, 6065, "tensors don't need this global; pickles are never executed")         \
  X(pt2_pickle_text, 6066, "invalid UTF-8 in a string of the pickle")                              \
  X(pt2_pickle_integer, 6067, "an integer of the pickle has more than 64 bits")                    \
  X(pt2_pickle_operand, 6068, "the opcode's operands are missing or of another kind")              \
  X(pt2_pickle_memo, 6069, "no such number in the pickle's memo")                                  \
  X(pt2_pickle_storage, 6070,                                                                      \
    "malformed reference to a storage, or it contradicts an earlier one")                          \
  X(pt2_storage_size, 6071, "the storage's size isn't that of its elements")                       \
  X(pt2_pickle_tensor, 6072, "malformed description of a tensor")                                  \
  X(pt2_pickle_root, 6073, "expected a dictionary from names to tensors")                          \
  X(pt2_pickle_key, 6074, "duplicate name of a tensor")                                            \
  X(pt2_flat_version, 6075, "malformed or missing version; expected that of the schema, as 8.7")   \
                                                                                                   \
  X(pt2_value_unknown, 6100, "no value of that name in this graph")                                \
  X(pt2_value_late, 6101,                                                                          \
    "the value is used before the node that defines it: a cycle, or a wrong order")                \
  X(pt2_value_repeated, 6102, "the value is defined twice")                                        \
  X(pt2_value_no_meta, 6103, "the value has no metadata in this graph")                            \
  X(pt2_value_kind, 6104, "the value is of another kind than the argument")                        \
  X(pt2_result_kind, 6105, "an argument of this kind can't be a result")                           \
  X(pt2_spec_count, 6106, "the signature and the graph differ in the number of inputs or outputs") \
  X(pt2_spec_name, 6107, "the signature and the graph differ in the name of an input or output")   \
  X(pt2_spec_target, 6108, "no such parameter, buffer or input to change")                         \
  X(pt2_spec_repeated, 6109, "two inputs are bound to the same name")                              \
  X(pt2_weight_unknown, 6110, "no such weight or constant in the archive")                         \
  X(pt2_weight_differs, 6111, "the stored tensor and the graph's input differ in type or size")    \
  X(pt2_weight_strides, 6112, "the stored tensor and the graph's input differ in strides")         \
  X(pt2_weight_unused, 6113, "no input uses this weight or constant")                              \
  X(pt2_pickled, 6114,                                                                             \
    "the program uses a pickled weight or constant, which is never opened; expected raw data")     \
  X(pt2_payload_short, 6115, "the payload is too short for the tensor")                            \
  X(pt2_payload_units, 6116, "the payload's size is no multiple of the size of an element")        \
  X(pt2_payload_empty, 6117, "empty payload: weights were not saved (fake tensors)")               \
  X(pt2_element_type, 6118, "unknown element type")                                                \
  X(pt2_layout, 6119, "unsupported layout; expected 7 (strided)")                                  \
  X(pt2_extent, 6120, "negative or overflowing sizes, strides or offset")                          \
  X(pt2_rank, 6121, "sizes and strides differ in number")                                          \
  X(pt2_range, 6122, "empty range: the minimum is above the maximum")                              \
  X(pt2_tree_leaves, 6123,                                                                         \
    "the tree of arguments and the signature differ in the number of user inputs or outputs")      \
  X(pt2_no_call, 6124, "the module call graph doesn't begin with the program and its signature")   \
  X(pt2_code, 6125, "unknown code of a layout, memory format or element type")                     \
  X(pt2_target, 6126, "malformed target of a node")                                                \
  X(pt2_body, 6127, "arguments of control flow that don't fit the body's inputs")                  \
  X(pt2_argument_unknown, 6130, "the operator has no argument of that name")                       \
  X(pt2_argument_repeated, 6131, "the argument is given twice")                                    \
  X(pt2_argument_missing, 6132, "a required argument of the operator is missing")                  \
  X(pt2_argument_kind, 6133, "the operator's argument is of another type")                         \
  X(pt2_result, 6134, "the operator's results are of another number or type")                      \
  X(pt2_index, 6140, "an index of the model is out of range")                                      \
                                                                                                   \
  X(pt2_note_minor, 6150,                                                                          \
    "the schema is newer than any that is known; unknown members are ignored")                     \
  X(pt2_note_prefix, 6151, "the archive has bytes before its first member")                        \
  X(pt2_note_root, 6152, "the archive has no root folder; PyTorch doesn't load it")                \
  X(pt2_note_byte_order, 6153,                                                                     \
    "the archive doesn't state its byte order; little-endian is assumed")                          \
                                                                                                   \
  X(pt2_write_stopped, 6160, "the sink refused to take more bytes")                                \
  X(pt2_write_programs, 6161, "one of several programs with pickled weights can't be written")     \
                                                                                                   \
  X(pt2_import_control, 6170, "NAC has no form for this control flow")                             \
  X(pt2_import_argument, 6171, "NAC has no form for this argument")                                \
  X(pt2_import_type, 6172, "NAC has no code for this element type")                                \
  X(pt2_import_limit, 6173, "more than a NAC container can number")                                \
  X(pt2_import_output, 6174, "NAC has no form for this output")

#endif  // TESSERA_CORE_ERROR_TABLE_PT2_HPP

// X(enumerator, value, what was expected, and for NEM's rules also the phase and the severity)
#define TESSERA_CORE_ERRORS(X)                                                                     \
  X(ok, 0, "no error")                                                                             \
  X(input_too_large, 1, "the input is longer than limits::max_bytes")                              \
  X(too_many_items, 2, "a list holds more than limits::max_items entries")                         \
  X(budget_steps, 3, "the program needs more steps than the budget allows")                        \
  X(budget_memory, 4, "the program needs more memory than the budget allows")                      \
                                                                                                   \
  X(json_unexpected_end, 100, "the text ends inside a JSON value")                                 \
  X(json_expected_value, 101, "expected a JSON value")                                             \
  X(json_expected_object, 102, "expected an object")                                               \
  X(json_expected_array, 103, "expected an array")                                                 \
  X(json_expected_string, 104, "expected a string")                                                \
  X(json_expected_integer, 105, "expected an integer without fraction or exponent")                \
  X(json_expected_number, 106, "expected a number")                                                \
  X(json_expected_boolean, 107, "expected true or false")                                          \
  X(json_expected_null, 108, "expected null")                                                      \
  X(json_expected_key, 109, "expected a key in quotes")                                            \
  X(json_expected_colon, 110, "expected ':' after the key")                                        \
  X(json_expected_comma_or_bracket, 111, "expected ',' or ']'")                                    \
  X(json_expected_comma_or_brace, 112, "expected ',' or '}'")                                      \
  X(json_bad_literal, 113, "unknown literal; expected true, false, null or another JSON value")    \
  X(json_leading_zero, 114, "superfluous leading zero; expected a number such as 0, 0.5 or 7")     \
  X(json_expected_digit, 115, "expected a digit")                                                  \
  X(json_number_range, 116, "the number is outside the range of a double")                         \
  X(json_integer_range, 117, "the integer is out of range for this field")                         \
  X(json_bad_escape, 118,                                                                          \
    "unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")                   \
  X(json_lone_surrogate, 119,                                                                      \
    "unpaired surrogate; expected \\uD800 to \\uDBFF followed by \\uDC00 to \\uDFFF")              \
  X(json_bad_utf8, 120, "the string is not valid UTF-8")                                           \
  X(json_control_character, 121,                                                                   \
    "unescaped control character in a string; expected an escape such as \\u001f")                 \
  X(json_depth, 122, "containers are nested deeper than limits::max_depth")                        \
  X(json_duplicate_key, 123, "duplicate key in this object")                                       \
  X(json_trailing_bytes, 124, "text after the JSON value; expected only white space")              \
  X(json_unexpected_element, 125, "too many elements; expected ']'")                               \
  X(json_missing_element, 126, "too few elements; expected another one before ']'")

// And of all owners.
#define TESSERA_ERRORS(X)                                                                          \
  TESSERA_CORE_ERRORS(X)                                                                           \
  TESSERA_ALIR_ERRORS(X)                                                                           \
  TESSERA_ARK_ERRORS(X)                                                                            \
  TESSERA_NAC_ERRORS(X)                                                                            \
  TESSERA_NEM_RULES(X)                                                                             \
  TESSERA_GENOME_ERRORS(X)                                                                         \
  TESSERA_PT2_ERRORS(X)

#endif  // TESSERA_CORE_ERROR_TABLE_HPP

namespace tessera::inline TESSERA_ABI {

/// The kind of error: one enumerator per check, stable within a version.
enum class errc : std::uint16_t {
#define TESSERA_X(name, value, ...) name = value,
  TESSERA_ERRORS(TESSERA_X)
#undef TESSERA_X
};

/// One row of a table of codes.
struct errc_row {
  errc code;                 ///< its value is 1000 · owner + a number
  std::string_view name;     ///< the enumerator's name
  std::string_view message;  ///< one sentence without the values
};
struct error;
class text;
/// The codes of one owner, in ascending order.
struct errc_table {
  const errc_row* rows = nullptr;  ///< `size` of them
  std::size_t size = 0;            ///< how many rows there are
  /// For binary formats: appends the place of an error's offset, such as "instruction 12,
  /// argument 2"; nothing if it is unknown.
  void (*append_place)(text& to, const error& e, const std::byte* source,
                       std::size_t size) = nullptr;
  /// For texts in JSON: appends the message of an error that the source decides, such as which
  /// member is missing; nothing where the code's own message says all. `path` leads to its place.
  void (*append_message)(text& to, const error& e, std::string_view source,
                         std::string_view path) = nullptr;
  /// Whether a binary source is of this format, which then appends the places of core's errors too.
  bool (*is_mine)(const std::byte* source, std::size_t size) = nullptr;

  /// The rows, in ascending order of codes.
  ///@{
  [[nodiscard]] const errc_row* begin() const noexcept { return rows; }
  [[nodiscard]] const errc_row* end() const noexcept { return rows + size; }
  ///@}
};

namespace detail {
/// Owners: core, then the formats.
inline constexpr std::size_t owners = 7;
/// The table of the codes from 1000 · owner on, which its format sets when the program starts.
[[nodiscard]] errc_table& table_of(std::size_t owner) noexcept;
}  // namespace detail

/// Calls `visitor(const errc_row&)` for each code that this program knows by name, in ascending order.
template <class Visitor>
void for_each_errc(Visitor&& visitor) {
  for (std::size_t i = 0; i < detail::owners; ++i)
    for (const errc_row& row : detail::table_of(i)) visitor(row);
}

// X(enumerator, its name in messages)
#define TESSERA_ERROR_INDICES(X)                                                                   \
  X(none, "offset")                                                                                \
  X(whole, "the whole")                                                                            \
  X(operation, "operation")                                                                        \
  X(output, "output")                                                                              \
  X(table, "table")                                                                                \
  X(node, "node")                                                                                  \
  X(task, "task")                                                                                  \
  X(processor_group, "processor group")                                                            \
  X(instruction, "instruction")                                                                    \
  X(training_instruction, "training instruction")                                                  \
  X(tick, "tick")                                                                                  \
  X(signature, "signature")                                                                        \
  X(variation, "variation")                                                                        \
  X(parameter, "parameter")                                                                        \
  X(input_name, "input name")                                                                      \
  X(constant, "constant")                                                                          \
  X(plan_constant, "plan constant")                                                                \
  X(group, "group")                                                                                \
  X(tensor, "tensor")                                                                              \
  X(record, "record")                                                                              \
  X(metadata, "metadata entry")                                                                    \
  X(resource, "resource")                                                                          \
  X(array, "array")                                                                                \
  X(pattern, "pattern")                                                                            \
  X(rule, "rule")                                                                                  \
  X(block, "block")

/// The meaning of error::offset: bytes of a source or, without a source, the model as a whole or
/// the index of an element.
enum class error_index : std::uint8_t {
#define TESSERA_X(name, text) name,
  TESSERA_ERROR_INDICES(TESSERA_X)
#undef TESSERA_X
};
/// The name of an element in messages: "operation".
[[nodiscard]] constexpr std::string_view name(error_index i) noexcept {
  constexpr std::string_view names[] = {
#define TESSERA_X(name, text) text,
      TESSERA_ERROR_INDICES(TESSERA_X)
#undef TESSERA_X
  };
  return names[static_cast<std::size_t>(i)];
}
#undef TESSERA_ERROR_INDICES

/// An error: what and where. Not convertible to bool, so that it can't be read inverted.
struct error {
  errc code = errc::ok;                   ///< `ok`: no error
  error_index index = error_index::none;  ///< `none`: the offset counts bytes
  /// Byte offset into the source that was read, at most its length. For a model built in code,
  /// which has no source: the index of the wrong element, of the kind given by `index`.
  std::uint64_t offset = 0;

  /// No error.
  constexpr error() noexcept = default;
  /// At offset 0.
  constexpr explicit error(errc c) noexcept : code(c) {}
  /// At an offset, or at an element if `of` isn't `none`.
  constexpr error(errc c, std::uint64_t at, error_index of = error_index::none) noexcept
      : code(c), index(of), offset(at) {}

  /// This error located in an element of the given kind; unchanged if it is ok.
  [[nodiscard]] constexpr error in(error_index kind) const noexcept {
    return code == errc::ok ? *this : error(code, offset, kind);
  }

  /// The message of the code, as text.
  [[nodiscard]] std::string_view message() const noexcept;
  /// The enumerator's name.
  [[nodiscard]] std::string_view name() const noexcept;

  /// The same code at the same offset; comparable for one model.
  friend constexpr bool operator==(const error& a, const error& b) noexcept {
    return a.code == b.code && a.offset == b.offset;
  }
};

}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_ERRORS


#endif  // TESSERA_CORE_ERROR_HPP

namespace tessera::inline TESSERA_ABI {

/// A value or an error, with the interface of std::expected. Reading the value of an error traps.
template <class T>
class [[nodiscard]] result {
  static_assert(!std::is_same_v<T, bool>, "a result<bool> would be read as its own truth value");
  static_assert(!std::is_same_v<T, tessera::error> && !std::is_reference_v<T>);

 public:
  /// A value.
  result(T value) noexcept : value_(std::move(value)), has_value_(true) {}
  /// An error, whose code shouldn't be `ok`.
  result(tessera::error e) noexcept : error_(e), has_value_(false) {}

  /// Takes the value or the error.
  result(result&& other) noexcept : has_value_(other.has_value_) {
    if (has_value_)
      ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
    else
      error_ = other.error_;
  }
  result(const result&) = delete;
  result& operator=(const result&) = delete;
  /// Takes the value or the error.
  result& operator=(result&& other) noexcept {
    if (this != &other) {
      this->~result();
      ::new (static_cast<void*>(this)) result(std::move(other));
    }
    return *this;
  }
  ~result() {
    if (has_value_) value_.~T();
  }

  /// Whether there is a value.
  [[nodiscard]] explicit operator bool() const noexcept { return has_value_; }
  /// Whether there is a value.
  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  /// The value, which must exist.
  ///@{
  [[nodiscard]] T& value() & noexcept { return **this; }
  [[nodiscard]] const T& value() const& noexcept { return **this; }
  [[nodiscard]] T&& value() && noexcept { return *std::move(*this); }
  ///@}
  /// The value, or `other` if there is none.
  template <class U>
  [[nodiscard]] T value_or(U&& other) const& {
    return has_value_ ? value_ : static_cast<T>(std::forward<U>(other));
  }
  template <class U>
  [[nodiscard]] T value_or(U&& other) && {
    return has_value_ ? std::move(value_) : static_cast<T>(std::forward<U>(other));
  }
  /// The value, which must exist.
  ///@{
  [[nodiscard]] T& operator*() & noexcept { return checked(), value_; }
  [[nodiscard]] const T& operator*() const& noexcept { return checked(), value_; }
  [[nodiscard]] T&& operator*() && noexcept { return checked(), std::move(value_); }
  ///@}
  /// A member of the value, which must exist.
  ///@{
  [[nodiscard]] T* operator->() & noexcept { return checked(), &value_; }
  [[nodiscard]] const T* operator->() const& noexcept { return checked(), &value_; }
  ///@}
  T* operator->() && = delete;  // it would dangle at the end of the statement
  /// The error; its code is `ok` if there is a value.
  [[nodiscard]] tessera::error error() const noexcept {
    return has_value_ ? tessera::error{} : error_;
  }

 private:
  void checked() const noexcept {
    if (!has_value_) __builtin_trap();
  }

  union {
    T value_;
    tessera::error error_;
  };
  bool has_value_;
};

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_RESULT_HPP

// ---- tessera/alir/print.hpp
//
// A listing of ALIR: one line per operation, with its type, operands and value range.
//
//   tessera::text listing = alir::print(model);
//
//   alir 2: 2 inputs, 13 outputs, 18 operations, 1 table
//   %0 = input 0                        : fixed<1,3,1> [-8.0, 7.5] step 0.5
//   %3 = add %0, %1 << -1               : fixed<1,4,1> [-8.0, 9.0] step 0.5
//   %9 = mux %0 ? %5 : %1 << -1         : fixed<0,2,1> [0.0, 3.5] step 0.5; latency 2.0, cost 2.5
//   table 0: 4 entries [1, -2, -3, -2]
//   output 3 = -%9 << -2
//
// `<<` multiplies by a power of two; fixed<k,i,f> is sign, integer and fraction bits. A model that
// verify() would refuse prints too, with `?` for a type that doesn't exist.
//
// Lifetime:   the text owns itself.
// Errors:     none.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_ALIR_PRINT_HPP
#define TESSERA_ALIR_PRINT_HPP


// ---- tessera/alir/verify.hpp
//
// The proof that an ALIR model can run, and `program`, which only verify() can make.
//
//   tessera::report found;
//   tessera::result<alir::program> p = alir::verify(std::move(model), {}, &found);
//   if (!p) std::cerr << describe(found, sources);   // every fault; p.error() is the first
//
// Proven of a program (specification, "CombLogic Payload"):
//
//   shape        inp_shifts, out_idxs, out_shifts and out_negs have their lengths; outputs exist
//   causality    operands, the condition of a mux and the terms of a sum are earlier operations;
//                ids that an opcode doesn't use are -1; inputs exist
//   types        intervals are finite with min <= max, steps are powers of two, types have at most
//                64 bits signed or 63 unsigned
//   shifts       no value is shifted by more than 63 bits; at most one operand of a mux is shifted
//   tables       exist, hold at least one entry, and start at an index that int32 can hold
//
// Each fault is found once: of an operation whose operands or type are wrong, no faults are
// reported that depend on them. Operations that no output needs are fine. An interval is a promise
// that is not enforced, so one trap remains for running: alir_lookup_range, a lookup outside its
// table.
//
// Lifetime:   a program owns its model; what it returns borrows from it.
// Errors:     alir_shape to alir_unused_shift: lists and outputs, tables, then operations in order.
// Limits:     those of the format: ids are int32, types at most 64 bits; verify_options.
// Allocation: 6 bytes for each operation, and the report's.

#ifndef TESSERA_ALIR_VERIFY_HPP
#define TESSERA_ALIR_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>


// ---- tessera/core/report.hpp
//
// What reading or verifying found: a list of diagnostics, of one type for all formats.
//
//   tessera::report found;
//   auto program = nem::verify(std::move(*model), {}, &found);
//   const tessera::source_file file{"tiles.nem", source};
//   std::cerr << describe(found, {&file, 1});
//
//   tiles.nem:4:32: error: expected ',' between type attributes [SYN-009]
//     let R = region(B, 0, 8) elem=i8 shape=[8], layout=C
//                                     ^~~~~
//                                    ,
//   tiles.nem:7:7: error: duplicate constant declaration N [CON-001]
//     const N = 8
//           ^
//   tiles.nem:2:7: note: declared here first
//     const N = 4
//           ^
//
//   rank0.json:1:812: error: consumer 99 does not exist; expected the Id of a node in this file
//     [G03] at $.Nodes[3].ConsumerNodeIds[0], offset 811
//     …
//
//   net.nac: error: v12 = aten.linear.default: 4 arguments; expected 2 or 3
//     [nac_argument_count] at instruction 12, offset 780 (0x30c)
//     00000300: 00 00 00 00 04 00 00 00 01 00 00 00
//                                                   ^
//
// Below the caret is the text that a fix would insert, or replace the underlined text with. A model
// that was built in code has no source: "<input>: error: … [CON-001] at node 5".
//
// Lifetime:   a report owns its texts; a listing borrows the report and the sources.
// Errors:     none: any place can be shown.
// Limits:     a report keeps the first `max_diagnostics` of the options, and counts all; at most 78
//             columns of a line are shown.
// Allocation: 128 bytes and the texts for each diagnostic that is kept.

#ifndef TESSERA_CORE_REPORT_HPP
#define TESSERA_CORE_REPORT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {

/// How bad a finding is; only errors make a file invalid.
enum class severity : std::uint8_t { error, warning, note };
/// How many severities there are.
inline constexpr std::size_t severity_count = static_cast<std::size_t>(severity::note) + 1;
/// Of a severity, in messages: "error".
[[nodiscard]] constexpr std::string_view name(severity s) noexcept {
  return s == severity::error ? "error" : s == severity::warning ? "warning" : "note";
}

/// A range of a source: of file 0, which was read or verified, or of another one.
struct place {
  std::uint32_t file = 0;    ///< 0, or 1 + the index in report::files
  std::uint64_t offset = 0;  ///< in bytes, or the number of an element where `index` isn't `none`
  std::uint32_t length = 0;  ///< in bytes
  error_index index = error_index::none;  ///< `none`: the offset counts bytes
};

/// A range of report::characters.
struct text_range {
  std::uint32_t first = 0, size = 0;  ///< in bytes
  friend bool operator==(const text_range&, const text_range&) = default;
};

/// One finding.
struct diagnostic {
  errc code = errc::ok;                                   ///< the check that found it
  tessera::severity severity = tessera::severity::error;  ///< how bad it is
  bool has_note = false, has_fix = false;                 ///< whether `note` or `fix` is meant
  place where;                                            ///< what is wrong
  text_range rule;  ///< "CON-001", "G06"; empty where the code's name is the rule
  text_range path;  ///< "$.Nodes[3].Op", or in a binary "instruction 12, argument 2"; where it and
                    ///< `rule` are empty, descriptions look for it in JSON sources
  text_range text;  ///< one sentence
  place related;    ///< what the note is about; length 0 for a note about no place
  text_range note;  ///< a second sentence, about `related`
  place fix;        ///< the part that `replacement` replaces, empty where it is inserted
  text_range replacement;  ///< the text to put there
};

/// What was found, in the order in which it was found.
struct report {
  pool<diagnostic> diagnostics;  ///< in the order in which they were found
  text characters;               ///< all texts of the diagnostics
  pool<text_range> files;        ///< the names of the files after file 0, where the format has them
  std::uint64_t errors = 0, warnings = 0, notes = 0;  ///< also those that were not kept
  bool is_bounded = false;  ///< a search stopped at the limit that the options set

  /// The characters of a range. Borrows from the report.
  [[nodiscard]] std::string_view text_of(text_range r) const& noexcept {
    return {characters.data() + r.first, r.size};
  }
  std::string_view text_of(text_range) const&& = delete;
  /// The rule of a finding, or the name of its code. Borrows from the report.
  [[nodiscard]] std::string_view rule_of(const diagnostic& d) const& noexcept {
    return d.rule.size != 0 ? text_of(d.rule) : tessera::error{d.code}.name();
  }
  std::string_view rule_of(const diagnostic&) const&& = delete;
};

/// A file that diagnostics are about, with its name as it is to be shown.
struct source_file {
  std::string_view name;   ///< as it is to be shown
  std::string_view text;   ///< all of its bytes
  bool is_binary = false;  ///< shown by path, not by line
};

/// Shows the diagnostics of a report, one by one.
class listing {
 public:
  /// `sources` are file 0 and those that it includes, in the order of report::files; files that are
  /// missing there are named without their lines.
  listing(const report& found, view<source_file> sources);
  listing(const report&&, view<source_file>) = delete;

  /// The line and column where a place begins; 1, 1 in files without a source.
  [[nodiscard]] line_column locate(const place& p) const noexcept;
  /// The name of the file that a place is in.
  [[nodiscard]] std::string_view file_name(const place& p) const noexcept;
  /// The path of a diagnostic of the report, looked up in JSON sources; empty where there is none.
  [[nodiscard]] std::string_view path_of(const diagnostic& d) const noexcept;
  /// A diagnostic of the report with its line, its note and its fix.
  [[nodiscard]] text describe(const diagnostic& d) const;

 private:
  [[nodiscard]] bool has_source(const place& p) const noexcept {
    return p.index == error_index::none && p.file < sources_.size();
  }

  void find_paths();

  const report& found_;
  view<source_file> sources_;
  pool<std::uint64_t> lines_;      // where each line of each file begins
  pool<std::size_t> first_lines_;  // of each file, in lines_
  text characters_;                // paths that the report lacks
  pool<text_range> paths_;         // of each diagnostic, in characters_
};

/// All diagnostics of a report.
[[nodiscard]] text describe(const report& found, view<source_file> sources);

}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_CORE_REPORT_HPP

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// How far operands and result are shifted; to the left, or to the right when negative (dropping
/// bits, which rounds down). value = result(a·2^a op b·2^b).
struct alignment {
  std::int64_t a = 0, b = 0, result = 0;  ///< in bits
};

/// How much is reported.
struct verify_options {
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps; all are counted
};

class program;
/// Checks everything static about a model and takes it into a program. `found` receives all
/// findings.
[[nodiscard]] result<program> verify(alir::model m, const verify_options& options = {},
                                     report* found = nullptr);

/// A verified model.
class program {
 public:
  /// The model that was verified. Borrows from the program.
  [[nodiscard]] const alir::model& model() const& noexcept { return model_; }
  const alir::model& model() const&& = delete;
  /// Releases the model, to be changed: without its source map, which would no longer hold.
  [[nodiscard]] alir::model release() && noexcept;

  /// How many operations there are.
  [[nodiscard]] std::size_t size() const noexcept { return model_.ops.size(); }
  /// Operation i, which must exist.
  [[nodiscard]] const operation& op(std::size_t i) const noexcept { return model_.ops[i]; }
  /// The type of operation i's value.
  [[nodiscard]] fixed_type type(std::size_t i) const noexcept { return types_[i]; }
  /// The shifts of operation i; of a sum, only `result` (see term_shift).
  [[nodiscard]] alignment shifts(std::size_t i) const noexcept { return align(model_, types_, i); }
  /// The fraction bits to which the terms of the sum i are brought before adding.
  [[nodiscard]] std::int64_t sum_fraction(std::size_t i) const noexcept {
    return common_fraction(model_, types_, op(i));
  }
  /// How far a term of a sum with that `sum_fraction` is shifted to the left; never negative.
  [[nodiscard]] std::int64_t term_shift(std::int64_t sum_fraction, const term& t) const noexcept {
    return sum_fraction - fraction(types_, t);
  }
  /// What the lookup i subtracts from its operand to index its table.
  [[nodiscard]] std::int64_t base(std::size_t i) const noexcept;

 private:
  friend result<program> verify(alir::model m, const verify_options& options, report* found);
  using types = pool<fixed_type>;

  explicit program(alir::model&& m) noexcept : model_(std::move(m)) {}

  [[nodiscard]] static std::int64_t fraction(const types& t, const term& x) noexcept {
    return std::int64_t{t[static_cast<std::size_t>(x.id)].f} - x.shift;
  }
  [[nodiscard]] static std::int64_t common_fraction(const alir::model& m, const types& t,
                                                    const operation& sum) noexcept;
  [[nodiscard]] static alignment align(const alir::model& m, const types& t,
                                       std::size_t i) noexcept;

  alir::model model_;
  types types_;
};

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ALIR_VERIFY_HPP

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// What a listing shows.
struct print_options {
  bool costs = true;  ///< latency and cost of the operations that have them
};

/// The listing of a model.
[[nodiscard]] text print(const model& m, const print_options& options = {});

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ALIR_PRINT_HPP

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// Values of a type that can't be copied as bytes, in a row.
template <class T>
class sequence {
 public:
  sequence() noexcept = default;
  /// Copies each element, or takes all of them.
  ///@{
  // Delegates, so that what was copied goes away when a copy throws.
  sequence(const sequence& other) : sequence() {
    reserve(other.size_);
    for (const T& v : other) push_back(T(v));
  }
  sequence(sequence&& other) noexcept { *this = std::move(other); }
  sequence& operator=(const sequence& other) { return *this = sequence(other); }
  sequence& operator=(sequence&& other) noexcept {
    ///@}
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~sequence() {
    for (std::size_t i = 0; i < size_; ++i) data_[i].~T();
    ::operator delete(data_);
  }

  /// Appends a value; references to elements become invalid where it grows.
  void push_back(T&& v) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 4 : 2 * capacity_);
    ::new (static_cast<void*>(data_ + size_)) T(std::move(v));
    ++size_;
  }
  /// Allocates for so many elements in all.
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    T* const data = static_cast<T*>(::operator new(capacity * sizeof(T)));
    for (std::size_t i = 0; i < size_; ++i) {
      ::new (static_cast<void*>(data + i)) T(std::move(data_[i]));
      data_[i].~T();
    }
    ::operator delete(data_);
    data_ = data;
    capacity_ = capacity;
  }
  /// How many elements there are.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Element i, which must exist.
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  /// The elements in their order.
  ///@{
  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  ///@}

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// How a file holds its blocks: members of a state machine, nested models, or an array.
enum class pipeline_form : std::uint8_t { fsm, nested, list };

/// A pipeline as read from a file, not yet verified.
struct pipeline {
  pipeline_form form = pipeline_form::fsm;             ///< of the file it came from
  bool input_register = true, output_register = true;  ///< only an fsm can lack them
  sequence<model> blocks;                              ///< in the order in which values pass
};
/// Equal in everything but versions and places in the source.
[[nodiscard]] bool operator==(const pipeline& a, const pipeline& b);

/// Cycles from a sample at the input to its result: the number of registers.
[[nodiscard]] inline std::uint64_t latency(const pipeline& p) noexcept {
  return p.blocks.size() - (p.blocks.empty() ? 0u : 1u) + (p.input_register ? 1u : 0u) +
         (p.output_register ? 1u : 0u);
}

/// The type of a register for the values of an interval. Unlike type_of() it counts ranges of more than
/// 2^24 codes exactly, as the tools do that write state machines.
[[nodiscard]] fixed_type register_type(const interval& q) noexcept;

/// Bits of all registers of a pipeline, each as wide as the type of what it holds.
[[nodiscard]] std::uint64_t register_bits(const pipeline& p);

/// Whether JSON text starts as a pipeline does: with a member "fsm" or the meta "ALIRFSM" early on,
/// or with an array of blocks. A look at the first bytes: the reader has the last word.
[[nodiscard]] bool starts_pipeline(std::string_view source) noexcept;

/// Reads a pipeline of any form.
[[nodiscard]] result<pipeline> read_pipeline(std::string_view source, const limits& limit = {});

class staged;
/// Verifies every block, and that they fit together. In a report, the faults of all blocks.
[[nodiscard]] result<staged> verify(pipeline p, const verify_options& options = {},
                                    report* found = nullptr);

/// A verified pipeline.
class staged {
 public:
  /// How the file held its blocks.
  [[nodiscard]] pipeline_form form() const noexcept { return form_; }
  /// Whether a sample is kept in a register before the first block.
  [[nodiscard]] bool input_register() const noexcept { return input_register_; }
  /// Whether the result is kept in a register after the last block.
  [[nodiscard]] bool output_register() const noexcept { return output_register_; }
  /// How many blocks there are.
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
  /// Block i, which must exist.
  [[nodiscard]] const program& block(std::size_t i) const& noexcept { return blocks_[i]; }
  const program& block(std::size_t i) const&& = delete;
  /// Cycles from a sample at the input to its result.
  [[nodiscard]] std::uint64_t latency() const noexcept {
    return blocks_.size() - 1 + (input_register_ ? 1u : 0u) + (output_register_ ? 1u : 0u);
  }
  /// Releases the pipeline, to be changed: without its source maps.
  [[nodiscard]] pipeline release() && noexcept;

 private:
  friend result<staged> verify(pipeline p, const verify_options& options, report* found);
  staged() noexcept = default;

  pipeline_form form_ = pipeline_form::fsm;
  bool input_register_ = true, output_register_ = true;
  sequence<program> blocks_;
};

/// The pipeline in its form, byte for byte as alkaid writes it. `version` is that of the rows, for
/// arrays of blocks: 2, 3 or 4, and 0 for each block's own. An fsm has version 4 only.
/// Errors: alir_fsm_version, alir_pipeline_stages, and those of write_json().
[[nodiscard]] result<text> write_pipeline(const pipeline& p, std::int32_t version = 0);

/// The listing of a pipeline: that of each block after a line that says which registers are before it.
[[nodiscard]] text print(const pipeline& p, const print_options& options = {});

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ALIR_PIPELINE_HPP

// ---- tessera/alir/read.hpp
//
// ALIR models from any of their encodings.
//
//   tessera::result<alir::model> m = alir::read(source);
//   if (!m) return fail(describe(m.error(), source));
//
//   first bytes                          encoding    read by
//   "ALIR"                               bytecode    alir/read_bytecode.hpp: bytes, versions 3 and 4
//   four bytes with a zero among them    bytecode    the same: int32 words, version 2
//   anything else                        JSON        alir/read_json.hpp
//
// JSON text holds no zero byte, and an int32 version below 2^24 always does.
//
// Lifetime:   the model owns itself; the source may go.
// Errors:     those of the encoding's reader.
// Limits:     read_options::limit.
// Allocation: that of the encoding's reader.

#ifndef TESSERA_ALIR_READ_HPP
#define TESSERA_ALIR_READ_HPP

#include <cstdint>
#include <string_view>


// ---- tessera/core/bytes.hpp
//
// Bytes of files: borrowed views, and the same memory viewed as text.
//
//   tessera::bytes in = tessera::as_bytes(source);
//   auto n = tessera::load_le<std::uint32_t>(in.data() + 8);        // core/load_store.hpp
//
// Nothing in Tessera lays a struct over a file: values are copied out with memcpy, so alignment
// and the byte order of the host don't matter.
//
// Lifetime:   `bytes` borrows.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_BYTES_HPP
#define TESSERA_CORE_BYTES_HPP

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>


namespace tessera::inline TESSERA_ABI {

/// Borrowed bytes.
using bytes = std::span<const std::byte>;

/// A temporary owner of bytes: a view of it would dangle.
template <class Owner>
concept temporary_bytes =
    !std::is_lvalue_reference_v<Owner> && std::is_convertible_v<const Owner&, bytes> &&
    !std::is_same_v<std::remove_cvref_t<Owner>, bytes> &&
    !std::ranges::enable_borrowed_range<std::remove_cvref_t<Owner>>;

/// The same for text: a temporary std::string, but not a view or a literal.
template <class Owner>
concept temporary_text =
    !std::is_lvalue_reference_v<Owner> && std::is_convertible_v<const Owner&, std::string_view> &&
    !std::is_same_v<std::remove_cvref_t<Owner>, std::string_view> &&
    !std::is_pointer_v<std::remove_cvref_t<Owner>>;

/// The same memory viewed as bytes or as text.
[[nodiscard]] inline bytes as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
/// The same bytes as characters. Borrows.
[[nodiscard]] inline std::string_view as_text(bytes b) noexcept {
  return {reinterpret_cast<const char*>(b.data()), b.size()};
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_BYTES_HPP

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// How to read, and how much.
struct read_options {
  alir::encoding encoding = alir::encoding::automatic;  ///< `automatic` detects it
  limits limit = {};                                    ///< of bytes, items and depth
};

/// The encoding that the first bytes show: json or bytecode.
[[nodiscard]] encoding detect(bytes source) noexcept;
[[nodiscard]] inline encoding detect(std::string_view source) noexcept {
  return detect(as_bytes(source));
}

/// Reads a model.
[[nodiscard]] result<model> read(bytes source, const read_options& options = {});
[[nodiscard]] inline result<model> read(std::string_view source, const read_options& options = {}) {
  return read(as_bytes(source), options);
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ALIR_READ_HPP

// ---- tessera/alir/read_bytecode.hpp
//
// ALIR from bytecode: the int32 words of version 2 and the byte form of versions 3 and 4.
//
//   tessera::result<alir::model> m = alir::read_bytecode(file);     // bytes of a file
//   tessera::result<alir::model> n = alir::read_bytecode(words);    // words of this host
//
//   version 2: int32 words, little-endian in files
//     2 firmware n_in n_out n_ops n_tables
//     inp_shifts[n_in] out_idxs[n_out] out_shifts[n_out] out_negs[n_out]
//     ops[n_ops][8]: opcode id0 id1 data_low data_high signed integers fractionals
//     table_sizes[n_tables], then the entries of all tables
//
//   versions 3 and 4: little-endian bytes
//     "ALIR", u32 version n_in n_out n_ops n_tables
//     i32 inp_shifts[n_in] out_idxs[n_out] out_shifts[n_out], u8 out_negs[n_out]
//     operations: i8 opcode, u8 signed, i8 integers fractionals, u16 n_addr n_data,
//                 u32 addr[n_addr], i64 data[n_data] (a lookup's pad is its second data value)
//     tables: u32 size, i32 entries[size]
//
// The firmware version is ignored. Bytecode holds types where JSON holds intervals, latency and
// cost: the model gets the widest interval of each type, and 0.0 twice. The interval of a lookup's
// operand starts where the lookup's pad says.
//
// Lifetime:   the model owns itself; the source may go.
// Errors:     alir_bytecode_*, alir_version_*, and those of versions 3 and 4 for operations;
//             offsets are bytes, also for words.
// Limits:     max_bytes, max_items for each list.
// Allocation: at most 24 × input + 64 KiB.

#ifndef TESSERA_ALIR_READ_BYTECODE_HPP
#define TESSERA_ALIR_READ_BYTECODE_HPP

#include <cstdint>
#include <span>
#include <string_view>


// ---- tessera/alir/read_json.hpp
//
// ALIR from JSON: versions 2 (normative), 3 and 4 into one model.
//
//   tessera::result<alir::model> m = alir::read_json(source);
//   if (!m) std::cerr << describe(m.error(), source, "model.json");
//
//   {"model":[shape,inp_shifts,out_idxs,out_shifts,out_negs,ops,carry_size,adder_size,
//             lookup_tables],
//    "meta":"ALIRModel","spec_version":2}
//
//   shape          [n_inputs, n_outputs]
//   out_negs       booleans; integers are read too, and non-zero is true
//   ops            [id0,id1,opcode,data,[min,max,step],latency,cost]           version 2
//                  [[id,...],opcode,[data,...],[min,max,step],latency,cost]    versions 3 and 4
//   data           version 2: [-2^63, 2^64), modulo 2^64, whichever way it is spelled
//   lookup_tables  null, absent, or [{"spec":{"hash":s,"out_qint":{"min":d,"max":d,"step":d},
//                  "inp_width":n},"table":[n,...]},...]; "spec" may be absent
//
// "meta" may also be "DAISModel", the format's former name, which its own tools load as the same.
// Members come in any order, and unknown ones are checked as JSON and dropped. Version 1 (DAIS) is
// a bare array with other opcodes; it and unknown versions are refused by name, even when the model
// in such a file would not read either. Integers where the specification has fractions are
// remembered (see `spelling`); fractions in place of integers are refused, 2.0 included.
//
// Lifetime:   the model owns itself; the source may go.
// Errors:     json_*, alir_version_* to alir_table_interval, too_many_items; offsets are bytes.
// Limits:     max_bytes (and below 2^36), max_items for each list, max_depth.
// Allocation: at most 24 × input + 64 KiB.

#ifndef TESSERA_ALIR_READ_JSON_HPP
#define TESSERA_ALIR_READ_JSON_HPP

#include <string_view>


// ---- tessera/core/json_rows.hpp
//
// Rows of numbers in JSON, many bytes at a time: the fast path of readers whose files are mostly that.
//
//   struct { bool operator()(const json::row& r); } sink;
//   const auto read =
//       json::find_row_reader<json::row_form::flat, decltype(sink)>(is_spaced, json::row_path::best);
//   if (read != nullptr) at = read(at, end, is_spaced, sink);  // past the last row that it accepted
//
//   flat        [integer,integer,integer,integer,[number,number,number],number,number]
//   lists       [[integer,...],integer,[integer,...],[number,number,number],number,number],
//               with up to three integers in the first list, and two in the second
//   both        without white space, or with one space after each comma
//   integer     -?digits, in 32 bits; the fourth, or those of the second list, up to 18 digits
//   number      -?digits or -?digits.digits, of up to 18 digits
//
// It is optimistic: a row with anything else in it, or with more digits than a path supports, is
// left to json::reader, which also finds the error if there is one. With or without it the results
// are the same, bit for bit. Both paths first map a stretch of the text, one bit for each byte that
// is , . [ or ], so that no token of a row waits for the one before it to be read:
//
//   portable    the map and the numbers by integers of 64 bits, eight digits at a time
//   AVX2        the map by vectors, and the digits of all tokens of a row become numbers together.
//               Needs x86-64 with AVX2 and BMI, detected at run time; tokens that it leaves are
//               converted by the other path
//
// Lifetime:   borrows the text for the call.
// Errors:     none; it stops before an unsupported row.
// Limits:     16 bytes of text precede the first row; rows that start in the last 512 bytes
//             are left.
// Allocation: none.

#ifndef TESSERA_CORE_JSON_ROWS_HPP
#define TESSERA_CORE_JSON_ROWS_HPP

#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>


// ---- tessera/core/number.hpp
//
// Decimal text to doubles: correctly rounded, independent of the locale.
//
//   double v = tessera::decimal_to_double({.digits = "25", .exponent = -1});   // 2.5
//
// std::from_chars for doubles is missing from libc++ before version 20, so nothing here uses
// <charconv>. Common numbers take one multiplication or division whose result is exact; the
// rest uses plain big-integer arithmetic that reads like the definition. The inverse is in
// shortest.hpp.
//
// Lifetime:   values.
// Errors:     none; a magnitude beyond the largest double gives infinity, for the caller to reject.
// Limits:     none: any number of digits is rounded correctly.
// Allocation: none.

#ifndef TESSERA_CORE_NUMBER_HPP
#define TESSERA_CORE_NUMBER_HPP

#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {

/// A decimal number: its digits, read as one integer, times 10^exponent.
struct decimal {
  std::string_view digits = {};  ///< '0' to '9', and at most one '.', which is skipped
  std::int64_t exponent = 0;     ///< power of ten of the last digit; |exponent| <= 2^60
};

namespace detail {

inline constexpr double infinity = std::bit_cast<double>(std::uint64_t{0x7ff} << 52);

inline constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline constexpr std::uint64_t powers_of_ten[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
};

/// An unsigned integer of up to 8192 bits: enough for 800 digits times 10^1200.
class big_integer {
 public:
  explicit big_integer(std::uint64_t v = 0) noexcept {
    for (; v != 0; v >>= 32) limbs_[size_++] = static_cast<std::uint32_t>(v);
  }

  /// this = this * factor + addend
  void multiply_add(std::uint32_t factor, std::uint32_t addend) noexcept {
    std::uint64_t carry = addend;
    for (unsigned i = 0; i < size_; ++i) {
      carry += std::uint64_t{limbs_[i]} * factor;
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
  }
  void multiply_power_of_ten(unsigned exponent) noexcept {
    for (; exponent >= 9; exponent -= 9) multiply_add(1000000000u, 0);
    for (; exponent > 0; --exponent) multiply_add(10, 0);
  }
  void shift_left(unsigned count) noexcept {
    if (size_ == 0) return;
    const unsigned words = count / 32;
    if (words != 0) {
      std::memmove(limbs_ + words, limbs_, size_ * sizeof *limbs_);
      std::memset(limbs_, 0, words * sizeof *limbs_);
      size_ += words;
    }
    if (count % 32 != 0) multiply_add(1u << count % 32, 0);
  }
  /// this -= other, which must not be larger
  void subtract(const big_integer& other) noexcept {
    std::uint64_t borrow = 0;
    for (unsigned i = 0; i < size_; ++i) {
      const std::uint64_t take = borrow + (i < other.size_ ? other.limbs_[i] : 0u);
      borrow = limbs_[i] < take ? 1 : 0;
      limbs_[i] = static_cast<std::uint32_t>(limbs_[i] - take);
    }
    while (size_ != 0 && limbs_[size_ - 1] == 0) --size_;
  }
  void add(const big_integer& other) noexcept {
    std::uint64_t carry = 0;
    for (unsigned i = 0; i < other.size_ || carry != 0; ++i) {
      if (i >= size_) limbs_[size_++] = 0;
      carry += std::uint64_t{limbs_[i]} + (i < other.size_ ? other.limbs_[i] : 0u);
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  [[nodiscard]] int compare(const big_integer& other) const noexcept {
    if (size_ != other.size_) return size_ < other.size_ ? -1 : 1;
    for (unsigned i = size_; i-- > 0;)
      if (limbs_[i] != other.limbs_[i]) return limbs_[i] < other.limbs_[i] ? -1 : 1;
    return 0;
  }
  [[nodiscard]] bool is_zero() const noexcept { return size_ == 0; }
  [[nodiscard]] int bit_length() const noexcept {
    return size_ == 0 ? 0 : static_cast<int>(32 * size_) - std::countl_zero(limbs_[size_ - 1]);
  }

 private:
  unsigned size_ = 0;
  std::uint32_t limbs_[256];
};

/// (significand + a bit of rest) × 2^exponent rounded to nearest even; the significand has 64 bits.
[[nodiscard]] inline double round_to_double(std::uint64_t significand, bool rest,
                                            int exponent) noexcept {
  // 11 bits go for a normal number, more for a subnormal one, all or more for zero.
  int dropped = 11;
  if (exponent + dropped < -1074) dropped = -1074 - exponent;
  if (dropped > 64) return 0.0;
  std::uint64_t kept = dropped == 64 ? 0 : significand >> dropped;
  const std::uint64_t tie = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t lost = dropped == 64 ? significand : significand & ((tie << 1) - 1);
  if (lost > tie || (lost == tie && (rest || (kept & 1) != 0))) ++kept;
  const int unit = exponent + dropped;  // the power of two of the last kept bit
  if (unit > 971 || (unit == 971 && kept >> 53 != 0)) return infinity;
  // The carry of rounding up runs into the exponent field, where it belongs.
  const std::uint64_t biased = kept >> 52 != 0 ? static_cast<std::uint64_t>(unit + 1074) : 0;
  return std::bit_cast<double>((biased << 52) + kept);
}

/// The double nearest to m / 10^k, ties to even, for m > 0 and k <= 18, from a quotient that is at
/// most one step and a half off: what dividing the rounded m by the exact power gives. The
/// remainder decides; it is small, so that arithmetic modulo 2^64 finds it.
[[nodiscard]] inline double nearest_quotient(std::uint64_t m, double quotient,
                                             unsigned k) noexcept {
  auto bits = std::bit_cast<std::uint64_t>(quotient);
  const std::uint64_t significand = (bits & 0xfffffffffffffu) | std::uint64_t{1} << 52;
  const int exponent = static_cast<int>(bits >> 52) - 1075;  // quotient = significand * 2^exponent
  // In units of 2^exponent, or of 1 where that is above 1.
  const int up = exponent > 0 ? exponent : 0, down = exponent < 0 ? -exponent : 0;
  const std::uint64_t step = powers_of_ten[k] << up;
  std::uint64_t rest = (down < 64 ? m << down : 0) - significand * step;
  const bool above = rest >> 63 == 0;
  if (!above) rest = 0 - rest;
  if (!above && significand == std::uint64_t{1} << 52) rest *= 2;  // steps below it are half
  while (2 * rest > step || (2 * rest == step && (bits & 1) != 0)) {
    bits = above ? bits + 1 : bits - 1;
    if (rest < step) break;
    rest -= step;
  }
  return std::bit_cast<double>(bits);
}

/// m / 10^k, correctly rounded, for m < 2^63 and k <= 18.
[[nodiscard, gnu::always_inline]] inline double quotient_by_power_of_ten(std::uint64_t m,
                                                                         unsigned k) noexcept {
  const double quotient =
      static_cast<double>(static_cast<std::int64_t>(m)) / exact_powers_of_ten[k];
  // Two exact operands, one operation: rounded by IEEE 754, where the host computes in doubles.
  const bool rounded = m == 0 || (FLT_EVAL_METHOD == 0 && m >> 53 == 0);
  return rounded ? quotient : nearest_quotient(m, quotient, k);
}

/// The definition: numerator / denominator as big integers, 64 bits of quotient, one rounding.
[[nodiscard, gnu::cold]] inline double decimal_to_double_exact(const decimal& d) noexcept {
  // Beyond 800 digits the rest only means "a little more": the halfway points between doubles
  // have at most 767 significant digits.
  constexpr unsigned max_digits = 800;
  big_integer numerator;
  std::int64_t exponent = d.exponent;
  unsigned taken = 0;
  bool more = false;
  for (const char c : d.digits) {
    if (c == '.' || (taken == 0 && c == '0')) continue;
    if (taken < max_digits) {
      numerator.multiply_add(10, static_cast<std::uint32_t>(c - '0'));
      ++taken;
    } else {
      more = more || c != '0';
      ++exponent;
    }
  }
  if (numerator.is_zero()) return 0.0;
  if (more) {
    numerator.multiply_add(10, 1);
    --exponent;
  }
  if (exponent + taken > 310) return infinity;
  if (exponent + taken < -330) return 0.0;
  big_integer denominator(1);
  if (exponent >= 0)
    numerator.multiply_power_of_ten(static_cast<unsigned>(exponent));
  else
    denominator.multiply_power_of_ten(static_cast<unsigned>(-exponent));
  // Scale so that the quotient lies in [2^63, 2^65), then divide bit by bit.
  int scale = 64 - (numerator.bit_length() - denominator.bit_length());
  if (scale >= 0)
    numerator.shift_left(static_cast<unsigned>(scale));
  else
    denominator.shift_left(static_cast<unsigned>(-scale));
  denominator.shift_left(64);
  std::uint64_t quotient = 0;
  bool top = false;
  for (int bit = 64; bit >= 0; --bit) {
    const bool one = numerator.compare(denominator) >= 0;
    if (one) numerator.subtract(denominator);
    if (bit == 64)
      top = one;
    else
      quotient |= std::uint64_t{one ? 1u : 0u} << bit;
    numerator.shift_left(1);
  }
  bool rest = !numerator.is_zero();
  if (top) {  // 65 bits: the last joins the rest
    rest = rest || (quotient & 1) != 0;
    quotient = quotient >> 1 | std::uint64_t{1} << 63;
    --scale;
  }
  return round_to_double(quotient, rest, -scale);
}

}  // namespace detail

/// The double nearest to d, ties to even; infinity beyond the largest, 0 below the smallest. The
/// value of the digits is known, and below 2^64.
[[nodiscard]] inline double decimal_to_double(const decimal& d,
                                              std::uint64_t significand) noexcept {
  if (significand == 0) return 0.0;
  const std::int64_t e = d.exponent;
  // Two exact operands and one operation: correctly rounded by IEEE 754, where doubles are doubles.
  if (FLT_EVAL_METHOD == 0 && significand >> 53 == 0 && e >= -22 && e <= 22) {
    const auto v = static_cast<double>(significand);
    return e < 0 ? v / detail::exact_powers_of_ten[-e] : v * detail::exact_powers_of_ten[e];
  }
  if (e < 0 && e >= -18) {
    const volatile double quotient =  // a double also where the host computes wider
        static_cast<double>(significand) / detail::exact_powers_of_ten[-e];
    return detail::nearest_quotient(significand, quotient, static_cast<unsigned>(-e));
  }
  return detail::decimal_to_double_exact(d);
}

/// The same for any digits.
[[nodiscard]] inline double decimal_to_double(const decimal& d) noexcept {
  std::uint64_t significand = 0;
  unsigned taken = 0;
  for (const char c : d.digits) {
    if (c == '.') continue;
    if (significand != 0 || c != '0') ++taken;
    if (taken > 19) return detail::decimal_to_double_exact(d);
    significand = significand * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return decimal_to_double(d, significand);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_NUMBER_HPP

#if defined(__x86_64__) && defined(__clang__)
#if __clang_major__ < 20 || __has_builtin(__builtin_ia32_pmaddubsw256)  // 19 says no without -mavx2
#define TESSERA_HAS_AVX2_PATH 1
#endif
#elif defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_HAS_AVX2_PATH 1
#endif
#ifdef TESSERA_HAS_AVX2_PATH
#define TESSERA_AVX2 [[gnu::target("avx2,bmi,bmi2")]]
#define TESSERA_AVX2_INLINE [[gnu::always_inline, gnu::target("avx2,bmi,bmi2")]] inline
#endif

namespace tessera::inline TESSERA_ABI {
namespace json {

/// What is before the numbers of a row: `i,i,i,i` or `[i,...],i,[i,...]`.
enum class row_form : std::uint8_t { flat, lists };

/// One row of either form: up to three integers, one, up to two, and [n,n,n],n,n.
struct row {
  const char* at;             ///< what follows the row's own bracket
  std::uint32_t first_at[3];  ///< bytes from there to each of the first integers
  /// Bytes from `at` to the second list, or its integer, and to [n,n,n].
  std::uint32_t second_at, group_at;
  /// How many integers are in the first and the second list; 2 and 1 in a flat row.
  std::uint32_t first_count, second_count;
  std::int32_t integers[4];  ///< two of the first, the one between, and the third of the first
  std::int64_t second[2];    ///< `second_count` of them
  double numbers[5];         ///< the three of the group, and the two that follow it
  std::uint32_t integral;    ///< bit k: numbers[k] has no fraction
};

namespace detail {

/// No row is read further than this from its start.
inline constexpr std::ptrdiff_t reach = 512;

/// Which bytes of a text from `base` on are one of , . [ ]
struct delimiter_map {
  static constexpr std::ptrdiff_t word = 64, most = 32 * word, row = 4 * word;

  const char* base;
  std::ptrdiff_t size = 0;
  char bits[most / 8];  // from the lowest of each byte on

  /// Whether a row at `at` is on the map as a whole.
  [[nodiscard]] bool holds(const char* at) const noexcept { return at - base <= size - row; }
  [[gnu::always_inline]] void add(std::uint64_t delimiters) noexcept {
    store_le(bits + size / 8, delimiters);
    size += word;
  }
};

/// The delimiters of 57 bytes, one after the other.
struct sight {
  const char* base;
  std::uint64_t left;

  [[gnu::always_inline]] sight(const char* at, const delimiter_map& map) noexcept : base(at) {
    const auto offset = static_cast<std::size_t>(at - map.base);
    left = load_le<std::uint64_t>(map.bits + offset / 8) >> offset % 8;
  }
  /// base + 64 when there is none: callers look at what they found.
  [[gnu::always_inline]] const char* next() noexcept {
    const char* const found = base + static_cast<unsigned>(std::countr_zero(left));
    left &= left - 1;
    return found;
  }
};

/// `size` bytes before `end`.
struct token {
  const char* end;
  std::size_t size;
};
struct number_tokens {
  token whole, fraction;
};
/// The tokens of a row, but for its brackets; those that a list has not are -1 and 0.
struct row_tokens {
  token first[3], between, second[2];
  number_tokens numbers[5];
  std::size_t sizes;  ///< of all but the second and the last, or'ed: the vectors convert up to 7
};
inline constexpr char absent[] = "000000000000000000000-1";
inline constexpr token minus_one{absent + sizeof absent - 1, 2},
    zero{absent + sizeof absent - 3, 1};

/// Where the tokens of a row are found one after the other. `Spaced` is bool, or std::bool_constant
/// for a finder of its own.
template <class Spaced>
struct token_finder {
  const char* at;
  sight s;
  const delimiter_map& map;
  Spaced is_spaced;

  /// Looks at the bytes from here on.
  [[gnu::always_inline]] void look() noexcept { s = sight(at, map); }
  /// Moves past the delimiter at `end`, which must be a comma, and a space.
  [[gnu::always_inline]] bool comma(const char* end) noexcept {
    at = end + 1 + (is_spaced ? 1 : 0);
    return *end == ',' && at[-1] == (is_spaced ? ' ' : ',');
  }
  [[gnu::always_inline]] bool close(const char* end, char c) noexcept {
    if (c == ',') return comma(end);
    at = end + 1;
    return *end == c;
  }
  /// An integer and the comma after it.
  [[gnu::always_inline]] bool integer(token& t) noexcept {
    const char* const end = s.next();
    t = {end, static_cast<std::size_t>(end - at)};
    return comma(end);
  }
  /// A number and what ends it.
  [[gnu::always_inline]] bool number(char end_of_it, row& r, row_tokens& t,
                                     unsigned index) noexcept {
    number_tokens& n = t.numbers[index];
    const char* const start = at;
    const char* end = s.next();
    n.whole = {end, static_cast<std::size_t>(end - start)};
    n.fraction = {end, 0};
    if (*end == '.') {
      end = s.next();
      n.fraction = {end, static_cast<std::size_t>(end - n.whole.end) - 1};
      if (n.fraction.size - 1 > 15) {
        if (n.fraction.size - 1 > 17) return false;
        t.sizes |= 8;
      }
    } else {
      r.integral |= 1u << index;
      if (*start == '-' && start[1] == '0') --n.whole.size;  // an integer has no -0
    }
    t.sizes |= n.whole.size;
    return close(end, end_of_it);
  }
  /// A list of integers and the comma after it.
  template <unsigned Most>
  [[gnu::always_inline]] bool list(token (&tokens)[Most], std::uint32_t (&distances)[Most],
                                   std::uint32_t& count, const char* start) noexcept {
    if (*at != '[' || s.next() != at++) return false;
    for (count = 0;;) {
      const char* const end = s.next();
      const auto size = static_cast<std::size_t>(end - at);
      if (size == 0) {
        if (count != 0 || *end != ']') return false;
      } else {
        if (count == Most) return false;
        distances[count] = static_cast<std::uint32_t>(at - start);
        tokens[count++] = {end, size};
      }
      at = end + 1;
      if (*end == ']') break;
      if (!comma(end)) return false;
    }
    return s.next() == at && comma(at);
  }
  /// What is before [n,n,n].
  template <row_form Form>
  [[gnu::always_inline]] bool integers(row& r, row_tokens& t) noexcept {
    const auto here = [&] { return static_cast<std::uint32_t>(at - r.at); };
    if constexpr (Form == row_form::flat) {
      r.first_at[0] = 0;
      r.first_count = 2;
      r.second_count = 1;
      if (!integer(t.first[0])) return false;
      r.first_at[1] = here();
      if (!integer(t.first[1]) || !integer(t.between)) return false;
      r.second_at = here();
      if (!integer(t.second[0])) return false;
    } else {
      std::uint32_t second_at[2];
      t.first[0] = t.first[1] = minus_one;
      t.second[0] = zero;
      if (!list(t.first, r.first_at, r.first_count, r.at) || !integer(t.between)) return false;
      r.second_at = here();
      if (!list(t.second, second_at, r.second_count, r.at)) return false;
    }
    t.sizes = t.first[0].size | t.first[1].size | t.between.size;
    r.group_at = here();
    return *at++ == '[';
  }
};

/// Finds the tokens of the row whose bracket is at `at`. Returns what follows the closing one, or null.
template <row_form Form, class Spaced>
[[gnu::always_inline]] inline const char* find_row(const char* at, Spaced is_spaced,
                                                   const delimiter_map& map, row& r,
                                                   row_tokens& t) noexcept {
  if (*at != '[') return nullptr;
  r.at = ++at;
  r.integral = 0;
  token_finder<Spaced> f{at, sight(at, map), map, is_spaced};
  if (!f.template integers<Form>(r, t)) return nullptr;
  const char* const group = f.at;
  f.look();
  if (!f.number(',', r, t, 0) || !f.number(',', r, t, 1)) return nullptr;
  if (f.at - group > 32) f.look();  // a long row
  if (!f.number(']', r, t, 2) || !f.comma(f.at)) return nullptr;
  f.look();
  return f.number(',', r, t, 3) && f.number(']', r, t, 4) ? f.at : nullptr;
}

// Zeros, then ones: loaded from + n on, they keep the last n bytes.
struct masks {
  unsigned char of_8[8 + 8], of_16[16 + 16];
};
inline constexpr masks last = [] {
  masks m{};
  for (unsigned i = 8; i < sizeof m.of_8; ++i) m.of_8[i] = 255;
  for (unsigned i = 16; i < sizeof m.of_16; ++i) m.of_16[i] = 255;
  return m;
}();

/// Makes numbers of tokens, eight digits at a time, and keeps what tells whether they are digits.
class token_reader {
 public:
  /// Whether as many digits are 1 to `most`, and don't begin with 0 and something like a digit.
  [[gnu::always_inline]] static bool is_whole(const char* end, std::size_t size,
                                              std::size_t most) noexcept {
    return size - 1 < most && (load_le<std::uint16_t>(end - size) & 0xf0ff) != 0x3030;
  }
  [[nodiscard]] bool good() const noexcept { return (others_ & 0x8080808080808080u) == 0; }

  /// -?digits, up to 18.
  template <class Int>
  [[gnu::always_inline]] bool integer(const token& t, Int& value) noexcept {
    const std::uint64_t negative = *(t.end - t.size) == '-' ? 1 : 0;
    const std::size_t size = t.size - static_cast<std::size_t>(negative);
    if (!is_whole(t.end, size, 18)) return false;
    std::uint64_t v = 0;
    if (size <= 8) [[likely]] {
      v = number_of(digits(t.end, size));
    } else {
      v = long_number(t.end, size);
    }
    if (v >> (8 * sizeof(Int) - 1) != 0) return false;
    value = static_cast<Int>((v ^ (0 - negative)) + negative);
    return true;
  }
  [[gnu::always_inline]] bool number(const number_tokens& n, row& r, unsigned index) noexcept {
    const std::uint64_t negative = *(n.whole.end - n.whole.size) == '-' ? 1 : 0;
    const std::size_t size = n.whole.size - static_cast<std::size_t>(negative),
                      after = n.fraction.size;
    if (!is_whole(n.whole.end, size, 7)) return false;
    const std::uint64_t whole = digits(n.whole.end, size);
    if (size + after <= 8) {
      // Without the point between them they are one number.
      const std::uint64_t both = whole >> (8 * after) | digits(n.fraction.end, after);
      if (!good()) return false;
      const std::uint64_t m = number_of(both);
      // Below 2^53: one operation rounds it, where the host computes in doubles.
      const auto power = static_cast<unsigned>(after);
      double v = static_cast<double>(static_cast<std::int64_t>(m)) /
                 tessera::detail::exact_powers_of_ten[power];
      if constexpr (FLT_EVAL_METHOD != 0)
        v = tessera::detail::quotient_by_power_of_ten(m, power);  // unreachable: with SSE2
      r.numbers[index] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) | negative << 63);
      return true;
    }
    // Of other bytes than digits, numbers would be beyond what can be divided.
    const std::uint64_t fraction = long_number(n.fraction.end, after);
    return good() && assemble(n, number_of(whole), fraction, negative != 0, r.numbers[index]);
  }
  /// whole.fraction. False beyond 18 digits.
  [[gnu::always_inline]] static bool assemble(const number_tokens& n, std::uint64_t whole,
                                              std::uint64_t fraction, bool negative,
                                              double& value) noexcept {
    if (n.whole.size + n.fraction.size > 18 + (negative ? 1u : 0u)) return false;
    const std::uint64_t m = whole * tessera::detail::powers_of_ten[n.fraction.size] + fraction;
    const double v =
        tessera::detail::quotient_by_power_of_ten(m, static_cast<unsigned>(n.fraction.size));
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) | std::uint64_t{negative} << 63);
    return true;
  }

 private:
  /// The last `size`, up to 8, before `end`: from 0, the last in the highest byte.
  [[gnu::always_inline]] std::uint64_t digits(const char* end, std::size_t size) noexcept {
    const std::uint64_t w = (load_le<std::uint64_t>(end - 8) ^ 0x3030303030303030u) &
                            load_le<std::uint64_t>(last.of_8 + size);
    others_ |= w | (w + 0x7676767676767676u);  // above 9 sets a top bit; a carry only goes up
    return w;
  }
  [[gnu::always_inline]] static std::uint64_t number_of(std::uint64_t w) noexcept {
    w = w * (10 * 256 + 1) >> 8;
    w = (w & 0x00ff00ff00ff00ffu) * (100 * 65536 + 1) >> 16;
    return (w & 0x0000ffff0000ffffu) * (10000 * 4294967296 + 1) >> 32;
  }
  [[gnu::always_inline]] std::uint64_t long_number(const char* end, std::size_t size) noexcept {
    const std::size_t more = (size - 1) / 8;  // groups of eight that follow the first
    const char* at = end - 8 * more;
    std::uint64_t v = number_of(digits(at, size - 8 * more));
    while (at != end) v = v * 100000000 + number_of(digits(at += 8, 8));
    return v;
  }

  std::uint64_t others_ = 0;
};

/// Converts the integers that few rows have.
[[gnu::always_inline]] inline bool convert_rest(token_reader& in, const row_tokens& t,
                                                row& r) noexcept {
  return (r.first_count < 3 || in.integer(t.first[2], r.integers[3])) &&
         (r.second_count < 2 || in.integer(t.second[1], r.second[1])) && in.good();
}

/// Converts all tokens of a row. Not inlined: all readers share it.
[[gnu::noinline]] inline bool convert(const row_tokens& t, row& r) noexcept {
  token_reader in;
  if (!in.integer(t.first[0], r.integers[0]) || !in.integer(t.first[1], r.integers[1]) ||
      !in.integer(t.between, r.integers[2]) || !in.integer(t.second[0], r.second[0]))
    return false;
#pragma GCC unroll 1
  for (unsigned k = 0; k < 5; ++k)
    if (!in.number(t.numbers[k], r, k)) return false;
  return convert_rest(in, t, r);
}

/// Of 64 bytes: those with bit 6, or bit 3 without 4 and 0; never a digit, a minus or a space.
[[nodiscard, gnu::always_inline]] inline std::uint64_t delimiters(const char* p) noexcept {
  std::uint64_t bits = 0;
  for (unsigned k = 0; k < 8; ++k) {
    const auto w = load_le<std::uint64_t>(p + 8 * k);
    const std::uint64_t found = ((w << 3 & ~(w << 2 | w << 6)) | w) & 0x4040404040404040u;
    bits |= found * 0x0004081020408102u >> 56 << (8 * k);
  }
  return bits;
}

/// Maps the text from `at` on.
inline void draw(delimiter_map& map, const char* at, const char* end) noexcept {
  map.base = at;
  for (map.size = 0; map.size < map.most && end - at >= map.word; at += map.word)
    map.add(delimiters(at));
}

template <row_form Form, class Sink>
const char* read_rows(const char* at, const char* end, bool is_spaced, Sink& sink) {
  const char* done = at;
  delimiter_map map;
  row r{};
  row_tokens t;
  while (end - at >= reach) {
    if (map.size == 0 || !map.holds(at)) draw(map, at, end);
    const char* const next = find_row<Form>(at, is_spaced, map, r, t);
    if (next == nullptr || !convert(t, r) || !sink(r)) break;
    done = next;
    if (*next != ',' || (is_spaced && next[1] != ' ')) break;
    at = next + (is_spaced ? 2 : 1);
  }
  return done;
}

}  // namespace detail

#ifdef TESSERA_HAS_AVX2_PATH
namespace detail::avx2 {

// Vectors by their lanes. The builtins need signed ones, and `chars` for bytes.
using bytes [[gnu::vector_size(32)]] = unsigned char;
using chars [[gnu::vector_size(32)]] = char;
using shorts [[gnu::vector_size(32)]] = short;
using ints [[gnu::vector_size(32)]] = int;
using longs [[gnu::vector_size(32)]] = long long;
using doubles [[gnu::vector_size(32)]] = double;
using bytes_16 [[gnu::vector_size(16)]] = unsigned char;
using ints_16 [[gnu::vector_size(16)]] = int;

template <class Value>
TESSERA_AVX2_INLINE Value load(const void* from) noexcept {
  Value v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

/// The top bits of all bytes.
TESSERA_AVX2_INLINE std::uint32_t top_bits(bytes b) noexcept {
  return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb256(__builtin_bit_cast(chars, b)));
}
TESSERA_AVX2_INLINE std::uint32_t sign_bits(longs v) noexcept {
  return static_cast<std::uint32_t>(__builtin_ia32_movmskpd256(__builtin_bit_cast(doubles, v)));
}
/// All ones where two bytes are equal.
TESSERA_AVX2_INLINE bytes is(bytes a, bytes b) noexcept {
  return __builtin_bit_cast(bytes, a == b);
}

/// Bit n is set when byte n is one of , . [ ]
TESSERA_AVX2_INLINE std::uint64_t delimiters(const char* p) noexcept {
  // By the low half of a byte, the one delimiter that it can be; or one that it can't be.
  constexpr chars known = {',', ',', ',', ',', ',', ',', ',', ',', ',', ',', ',',
                           '[', ',', ']', '.', ',', ',', ',', ',', ',', ',', ',',
                           ',', ',', ',', ',', ',', '[', ',', ']', '.', ','};
  const auto low = load<chars>(p), high = load<chars>(p + 32);
  const auto low_known = __builtin_ia32_pshufb256(known, low);
  const auto high_known = __builtin_ia32_pshufb256(known, high);
  return top_bits(__builtin_bit_cast(bytes, low_known == low)) |
         std::uint64_t{top_bits(__builtin_bit_cast(bytes, high_known == high))} << 32;
}

TESSERA_AVX2_INLINE void draw(delimiter_map& map, const char* at, const char* end) noexcept {
  map.base = at;
  for (map.size = 0; map.size < map.most && end - at >= map.word; at += map.word)
    map.add(delimiters(at));
}

TESSERA_AVX2_INLINE long long text_8(const token& t) noexcept { return load<long long>(t.end - 8); }
TESSERA_AVX2_INLINE long long mask_8(const token& t) noexcept {
  return load<long long>(last.of_8 + t.size);
}

/// Four tokens -?digits of up to 7 bytes.
struct signed_tokens {
  bytes digits;    // from 0, with zeros before them
  bytes negative;  // ones where there is a minus sign
  bytes wrong;     // not zero for an invalid token, except for bytes that aren't digits

  TESSERA_AVX2_INLINE signed_tokens(const token& a, const token& b, const token& c,
                                    const token& d) noexcept {
    const longs text = {text_8(a), text_8(b), text_8(c), text_8(d)};
    const longs mask = {mask_8(a), mask_8(b), mask_8(c), mask_8(d)};
    const auto first = __builtin_bit_cast(bytes, mask & ~(mask << 8));
    const auto all = (__builtin_bit_cast(bytes, text) - '0') & __builtin_bit_cast(bytes, mask);
    negative = is(all, bytes{} + static_cast<unsigned char>('-' - '0'));
    digits = all & ~negative;
    const auto first_digit =
        (first & ~negative) | __builtin_bit_cast(bytes, __builtin_bit_cast(longs, negative) << 8);
    constexpr unsigned char f = 255;  // a zero may come last, and a minus may not
    constexpr bytes but_last = {f, f, f, f, f, f, f, 0, f, f, f, f, f, f, f, 0,
                                f, f, f, f, f, f, f, 0, f, f, f, f, f, f, f, 0};
    wrong = (negative & ~(first & but_last)) | (is(digits, bytes{}) & first_digit & but_last) |
            __builtin_bit_cast(bytes, mask == 0);
  }
  /// All ones in the lane of each negative token.
  [[nodiscard]] TESSERA_AVX2_INLINE longs signs() const noexcept {
    return __builtin_bit_cast(longs, negative) != 0;
  }
};

TESSERA_AVX2_INLINE bytes join(bytes_16 low, bytes_16 high) noexcept {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}
/// The digits of two tokens of up to 16, from 0.
TESSERA_AVX2_INLINE bytes digits_of(const token& a, const token& b) noexcept {
  const bytes text = join(load<bytes_16>(a.end - 16), load<bytes_16>(b.end - 16));
  const bytes mask = join(load<bytes_16>(last.of_16 + a.size), load<bytes_16>(last.of_16 + b.size));
  return (text - '0') & mask;
}

/// The larger of two, byte for byte.
TESSERA_AVX2_INLINE bytes larger(bytes a, bytes b) noexcept { return a > b ? a : b; }

/// Groups of four digits to numbers below 10,000.
TESSERA_AVX2_INLINE ints fours(bytes digits) noexcept {
  constexpr chars tens = {10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1,
                          10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1};
  constexpr shorts hundreds = {100, 1, 100, 1, 100, 1, 100, 1, 100, 1, 100, 1, 100, 1, 100, 1};
  const shorts twos = __builtin_ia32_pmaddubsw256(__builtin_bit_cast(chars, digits), tens);
  return __builtin_ia32_pmaddwd256(twos, hundreds);
}
/// Groups of eight digits to numbers below 10^8: two of `a` and two of `b`, in each half.
TESSERA_AVX2_INLINE ints eights(ints a, ints b) noexcept {
  constexpr shorts ten_thousands = {10000, 1, 10000, 1, 10000, 1, 10000, 1,
                                    10000, 1, 10000, 1, 10000, 1, 10000, 1};
  return __builtin_ia32_pmaddwd256(__builtin_ia32_packusdw256(a, b), ten_thousands);
}
/// Groups of sixteen digits.
TESSERA_AVX2_INLINE longs sixteens(ints of_eight) noexcept {
  constexpr ints factor = {100000000, 0, 100000000, 0, 100000000, 0, 100000000, 0};
  using naturals [[gnu::vector_size(32)]] = unsigned long long;
  const naturals low = __builtin_bit_cast(naturals, of_eight) >> 32;
  return __builtin_ia32_pmuludq256(of_eight, factor) + __builtin_bit_cast(longs, low);
}

TESSERA_AVX2_INLINE double scale(const number_tokens& n) noexcept {
  return tessera::detail::exact_powers_of_ten[n.fraction.size];
}

/// Converts the tokens of a row. False for what it doesn't take. Not inlined, as above.
TESSERA_AVX2 [[gnu::noinline]] inline bool convert(const row_tokens& t, row& r) noexcept {
  const auto& numbers = t.numbers;
  const token& cost = numbers[4].whole;
  if (t.sizes > 7 || !token_reader::is_whole(cost.end, cost.size, 7)) return false;
  const bool is_long = t.second[0].size > 7;
  const signed_tokens whole(numbers[0].whole, numbers[1].whole, numbers[2].whole, numbers[3].whole);
  const signed_tokens other(t.first[0], t.first[1], t.between, is_long ? zero : t.second[0]);
  const bytes even_digits = digits_of(numbers[0].fraction, numbers[2].fraction);
  const bytes odd_digits = digits_of(numbers[1].fraction, numbers[3].fraction);
  const bytes last_digits = digits_of(cost, numbers[4].fraction);
  const bytes largest = larger(larger(whole.digits, other.digits),
                               larger(larger(even_digits, odd_digits), last_digits));
  const bytes nine = bytes{} + 9;
  if (top_bits(whole.wrong | other.wrong | ~is(larger(largest, nine), nine)) != 0) return false;

  const ints eight = eights(fours(whole.digits), fours(other.digits));
  const ints_16 integral_parts = __builtin_shufflevector(eight, eight, 0, 1, 4, 5);
  const longs fraction = sixteens(eights(fours(even_digits), fours(odd_digits)));
  const ints last_fours = fours(last_digits);
  const longs last_two = sixteens(eights(last_fours, last_fours));

  // whole * 10^size + fraction is exact below 2^53, and so is a fraction below 2^52 whose bits
  // become those of 2^52 + fraction; then one division rounds.
  const doubles scales = {scale(numbers[0]), scale(numbers[1]), scale(numbers[2]),
                          scale(numbers[3])};
  constexpr longs two_to_52 = {0x4330000000000000, 0x4330000000000000, 0x4330000000000000,
                               0x4330000000000000};
  const doubles small = __builtin_bit_cast(doubles, fraction | two_to_52) - 0x1p52;
  const doubles sum = __builtin_convertvector(integral_parts, doubles) * scales + small;
  const longs signs = whole.signs();
  const auto value = __builtin_bit_cast(longs, sum / scales) ^ (signs << 63);
  std::memcpy(r.numbers, &value, sizeof value);
  const longs unusual = (sum >= 0x1p53) | (fraction >= (1LL << 52));
  if (sign_bits(unusual) != 0) {
    for (unsigned k = 0; k < 4; ++k)
      if (!token_reader::assemble(numbers[k], static_cast<std::uint32_t>(integral_parts[k]),
                                  static_cast<std::uint64_t>(fraction[k]), signs[k] != 0,
                                  r.numbers[k]))
        return false;
  }
  if (!token_reader::assemble(numbers[4], static_cast<std::uint64_t>(last_two[0]),
                              static_cast<std::uint64_t>(last_two[2]), false, r.numbers[4]))
    return false;
  const ints_16 negative = __builtin_convertvector(other.signs(), ints_16);
  const ints_16 values = (__builtin_shufflevector(eight, eight, 2, 3, 6, 7) ^ negative) - negative;
  std::memcpy(r.integers, &values, sizeof values);
  r.second[0] = values[3];
  token_reader rest;
  return (!is_long || rest.integer(t.second[0], r.second[0])) && convert_rest(rest, t, r);
}

template <row_form Form, class Spaced, class Sink>
TESSERA_AVX2 const char* read_rows(const char* at, const char* end, bool, Sink& sink) {
  constexpr Spaced is_spaced;
  const char* done = at;
  delimiter_map map;
  row r{};
  row_tokens t;
  while (end - at >= reach) {
    if (map.size == 0 || !map.holds(at)) avx2::draw(map, at, end);
    const char* const next = find_row<Form>(at, is_spaced, map, r, t);
    if (next == nullptr || !(avx2::convert(t, r) || json::detail::convert(t, r)) || !sink(r)) break;
    done = next;
    if (*next != ',' || (is_spaced && next[1] != ' ')) break;
    at = next + (is_spaced ? 2 : 1);
  }
  return done;
}

}  // namespace detail::avx2
#endif

/// How rows are read: not at all, with plain integers, or with the processor's vectors. It only
/// affects speed.
enum class row_path : std::uint8_t { none, portable, best };

/// Reads rows from the bracket at `at` on, calling `sink(row)` for each, until one is unusual or the
/// sink returns false for it. Returns what follows the last row that was accepted, or `at`. `is_spaced`
/// is that of find_row_reader.
template <class Sink>
using row_reader = const char* (*)(const char* at, const char* end, bool is_spaced, Sink& sink);

/// A reader of rows with or without a space after each comma; null for `none`.
template <row_form Form, class Sink>
[[nodiscard]] row_reader<Sink> find_row_reader([[maybe_unused]] bool is_spaced,
                                               row_path path) noexcept {
  if (path == row_path::none) return nullptr;
#ifdef TESSERA_HAS_AVX2_PATH
  if (path == row_path::best && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2"))
    return is_spaced ? detail::avx2::read_rows<Form, std::true_type, Sink>
                     : detail::avx2::read_rows<Form, std::false_type, Sink>;
#endif
  return detail::read_rows<Form, Sink>;
}

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_HAS_AVX2_PATH
#undef TESSERA_AVX2
#undef TESSERA_AVX2_INLINE

#endif  // TESSERA_CORE_JSON_ROWS_HPP

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// Reads a model from JSON text (specification, "CombLogic Payload"; facts of versions 3 and 4).
/// `rows` chooses among paths that differ in nothing but time.
[[nodiscard]] result<model> read_json(std::string_view source, const limits& limit = {},
                                      json::row_path rows = json::row_path::best);

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ALIR_READ_JSON_HPP

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// Reads a model from the bytes of a bytecode file, in either form.
[[nodiscard]] result<model> read_bytecode(bytes source, const limits& limit = {});
[[nodiscard]] inline result<model> read_bytecode(std::string_view source,
                                                 const limits& limit = {}) {
  return read_bytecode(as_bytes(source), limit);
}
/// Reads a model from version 2 words in the byte order of this host, as interpreters pass them in
/// memory. Offsets of errors are 4 times the index of the word.
[[nodiscard]] result<model> read_bytecode(std::span<const std::int32_t> words,
                                          const limits& limit = {});

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ALIR_READ_BYTECODE_HPP

// ---- tessera/alir/versions.hpp
//
// The same ALIR program in another version of the format.
//
//   tessera::result<alir::model> old = alir::to_version(model, 2);
//   if (!old) return fail(describe(old.error(), source));   // at the operation without a counterpart
//
//   version 3 lacks   a quantize with a shift
//   version 2 lacks   that, sums, and constants of add_constant beyond int32
//
// Each of these becomes operations that compute the same integer for every input, also where an
// interval promises too much:
//
//   quantize(x·2^s)    multiply x by a constant 2^s (an integer 1 with -s fraction bits: it only moves
//                      the point), then quantize
//   sum of ±x·2^s      add and subtract one term after the other; where no term is positive and
//                      unshifted, the first is negated or multiplied by a constant ±2^s
//   x + c·2^-s         add a constant
//
// New operations have the latency of what they replace, and no cost. One is refused when its type or
// step would be none that verify() accepts. What means nothing to an opcode has no place in versions 3
// and 4: the reserved bits of a bit_binary, data of opcodes without data, and whether data was
// spelled as an unsigned pattern.
//
// Lifetime:   the result owns itself.
// Errors:     alir_not_version_2, alir_not_version_3, and those of verify() for what versions 3 and 4
//             have no place for (unused ids) or what the rewriting relies on (ids, intervals); the
//             offset is the operation's place in the source.
// Limits:     ids are int32.
// Allocation: the result.

#ifndef TESSERA_ALIR_VERSIONS_HPP
#define TESSERA_ALIR_VERSIONS_HPP

#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace alir {

/// The model as version 2, 3 or 4, without places in the source. Operations keep their order, and
/// also their indices where nothing is rewritten.
[[nodiscard]] result<model> to_version(const model& m, std::int32_t version);

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ALIR_VERSIONS_HPP

// ---- tessera/alir/write.hpp
//
// ALIR to any of its versions: the JSON that the format's own tools save, byte for byte, and bytecode.
//
//   tessera::result<tessera::text> json = alir::write(model);
//   tessera::result<tessera::text> two = alir::write(model, {.version = 2});
//   tessera::result<tessera::text> bytes = alir::write(model, {.encoding = alir::encoding::bytecode});
//   tessera::result<tessera::pool<std::int32_t>> words = alir::write_bytecode(model);
//
// A model is written in its own version unless another is given. Operations that this one lacks are
// rewritten as versions.hpp says. A table without a spec (bytecode has none) gets one: out_qint from
// its entries, and the SHA-256 hash that the format's compiler would give it.
//
// What the bytecode drops: latency, cost, intervals beyond their types, carry_size, adder_size,
// and everything about tables but their entries.
//
// Lifetime:   results own themselves.
// Errors:     those of to_version(), alir_not_finite, alir_bytecode_range, and those of verify() for
//             what each writer relies on (bytecode: shape, ids, intervals and tables); the
//             offset is the operation's or table's place in the source. Nothing is written then.
// Limits:     those of the format; in bytes, types of int8 bits and sums of 32767 terms.
// Allocation: the result, at most twice, and a copy of the model where operations are rewritten.

#ifndef TESSERA_ALIR_WRITE_HPP
#define TESSERA_ALIR_WRITE_HPP

#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace alir {

/// What file to make.
struct write_options {
  alir::encoding encoding = alir::encoding::json;  ///< `automatic` is JSON
  std::int32_t version = 0;                        ///< 2, 3 or 4; 0 is model::spec_version
};

/// The model as a file: JSON, or bytecode (version 2: little-endian words, 3 and 4: bytes).
[[nodiscard]] result<text> write(const model& m, const write_options& options = {});

/// The model as JSON: keys in canonical order, no white space, no newline at the end. `version` is
/// write_options::version.
[[nodiscard]] result<text> write_json(const model& m, std::int32_t version = 0);

/// The model as version 2 bytecode: words in the byte order of this host (specification, "External
/// Bytecode Representation").
[[nodiscard]] result<pool<std::int32_t>> write_bytecode(const model& m);

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ALIR_WRITE_HPP

// ---- tessera/core/describe.hpp
//
// Errors as text, with their place in the source.
//
//   model.json:1:48: error: unknown opcode: expected -2 to 10, or 11 in versions 3 and 4
//     [alir_opcode] at $.model[5][3][2], offset 47
//     [[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0],[0,1,12,-1,[-8.0,9.0,0.5],1.0,6.0]]
//                                              ^
//
//   program.bc: error: the bytecode ends before its last field
//     [alir_bytecode_truncated] at offset 780 (0x30c)
//     00000300: 00 00 00 00 04 00 00 00 01 00 00 00
//                                                   ^
//
// A model built in code has no source to show; the element is named instead:
//
//   describe(alir::verify(std::move(model)).error(), "")
//   // <input>: error: id0 must refer to an earlier operation
//   //   [alir_id0] at operation 2
//
// Lifetime:   the returned text owns its characters.
// Errors:     none: any offset can be shown.
// Limits:     at most 78 columns of a line are shown.
// Allocation: the text, and what json::reader needs to find a path.

#ifndef TESSERA_CORE_DESCRIBE_HPP
#define TESSERA_CORE_DESCRIBE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/core/json_path.hpp
//
// JSON paths, both ways: the path of the value at an offset, and the offset of the value at a path.
//
//   json::path(R"({"a":[1,{"b":2}]})", 14);            // $.a[1].b
//   json::find(R"({"a":[1,{"b":2}]})", "$.a[1].b");    // 14
//
// Lifetime:   texts that are returned own themselves.
// Errors:     none: in broken text, what comes before the place where it breaks.
// Limits:     those of json::reader.
// Allocation: the text, and what json::reader needs.

#ifndef TESSERA_CORE_JSON_PATH_HPP
#define TESSERA_CORE_JSON_PATH_HPP

#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace json {

/// Appends the component of a path for a member: `.key`, or `["any key"]` when it isn't plain.
[[gnu::cold]] void append_key(text& out, std::string_view key);

/// The JSON path (`$.model[5][3]`) of the innermost value that starts at `offset` or contains it;
/// in broken text, of the last value before the place where reading stops.
[[nodiscard, gnu::cold]] text path(std::string_view source, std::uint64_t offset,
                                   const limits& limit = {});

inline constexpr std::uint64_t no_offset = 0xffffffffffffffff;  ///< not found

/// The offsets of the values at paths, the inverse of path(): one walk for all of them. Paths start
/// with '$', spelled as path() spells them, and refer to the first value of `source`, whatever
/// follows it; what isn't there gets no_offset.
[[gnu::cold]] void find(std::string_view source, tessera::view<std::string_view> paths,
                        std::uint64_t* offsets, const limits& limit = {});
/// The offset of the value at one path, or no_offset.
[[nodiscard, gnu::cold]] std::uint64_t find(std::string_view source, std::string_view path,
                                            const limits& limit = {});

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_CORE_JSON_PATH_HPP

namespace tessera::inline TESSERA_ABI {

/// An error in a text source, with line, column, caret and, when the text is JSON, the path.
/// `name` is the file's name for display. A source with zero bytes is shown as a binary if the error
/// is one of a binary format's reader.
[[nodiscard]] text describe(error e, std::string_view source, std::string_view name = "<input>",
                            const limits& limit = {});

/// The message of an error in a text source: that of its code or, where the source decides it, which
/// member is missing or which kind of value was found. Empty `path`: it is looked up.
[[nodiscard]] text message_of(error e, std::string_view source, std::string_view path = {},
                              const limits& limit = {});

/// An error in a binary source, with the 16 bytes around it and a caret.
[[nodiscard]] text describe(error e, bytes source, std::string_view name = "<input>");

}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_CORE_DESCRIBE_HPP

#endif  // TESSERA_ALIR_HPP

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)

// ---- tessera/core/detail/text.hpp
//
// The bodies of core/text.hpp.

#ifndef TESSERA_CORE_DETAIL_TEXT_HPP
#define TESSERA_CORE_DETAIL_TEXT_HPP


namespace tessera::inline TESSERA_ABI {

[[gnu::cold]] TESSERA_INLINE void append_shown(text& out, std::string_view s,
                                               std::string_view kept) {
  const auto hex = [&out](unsigned v) { out << "0123456789abcdef"[v & 15]; };
  const char* plain = s.data();
  const char* const end = plain + s.size();
  const auto flush = [&](const char* at) {
    out << std::string_view(plain, static_cast<std::size_t>(at - plain));
  };
  for (const char* at = plain; at != end;) {
    const auto lead = static_cast<unsigned char>(*at);
    if (lead >= 0x20 && lead < 0x7f) {
      ++at;
      continue;
    }
    const unsigned length = unsafe_length(at, end);
    if (length == 0 || (lead < 0x80 && kept.find(*at) != kept.npos)) {
      at += length == 0 ? utf8_length(at, end) : 1;
      continue;
    }
    flush(at);
    if (lead == '\n' || lead == '\t' || lead == '\r') {
      out << '\\' << (lead == '\n' ? 'n' : lead == '\t' ? 't' : 'r');
    } else if (length == 1) {
      out << "\\x";
      hex(lead >> 4);
      hex(lead);
    } else {
      const auto tail = [at](int i) { return static_cast<unsigned char>(at[i]) & 0x3fu; };
      const unsigned c = length == 2 ? (lead & 0x1fu) << 6 | tail(1)
                                     : (lead & 0xfu) << 12 | tail(1) << 6 | tail(2);
      out << "\\u{";
      for (int shift = c > 0xfff ? 12 : c > 0xff ? 8 : 4; shift >= 0; shift -= 4) hex(c >> shift);
      out << '}';
    }
    plain = at += length;
  }
  flush(end);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_TEXT_HPP

// ---- tessera/alir/detail/errors.hpp
//
// The names and messages of ALIR's codes, made known to core.

#ifndef TESSERA_ALIR_DETAIL_ERRORS_HPP
#define TESSERA_ALIR_DETAIL_ERRORS_HPP


// ---- tessera/core/detail/error.hpp
//
// The bodies of core/error.hpp, and core's own messages.

#ifndef TESSERA_CORE_DETAIL_ERROR_HPP
#define TESSERA_CORE_DETAIL_ERROR_HPP


namespace tessera::inline TESSERA_ABI {
namespace detail {

inline constexpr errc_row core_rows[] = {
#define TESSERA_X(name, value, text) {errc::name, #name, text},
    TESSERA_CORE_ERRORS(TESSERA_X)
#undef TESSERA_X
};
inline constexpr errc_row unknown_code{errc::ok, "unknown", "unknown error"};

TESSERA_INLINE errc_table& table_of(std::size_t owner) noexcept {
  static errc_table tables[owners] = {{core_rows, sizeof core_rows / sizeof core_rows[0]}};
  return tables[owner];
}

[[nodiscard]] inline const errc_row& row_of(errc code) noexcept {
  const std::size_t owner = static_cast<std::size_t>(code) / 1000;
  if (owner < owners)
    for (const errc_row& row : table_of(owner))
      if (row.code == code) return row;
  return unknown_code;
}

}  // namespace detail

TESSERA_INLINE std::string_view error::message() const noexcept {
  return detail::row_of(code).message;
}
TESSERA_INLINE std::string_view error::name() const noexcept { return detail::row_of(code).name; }

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_ERROR_HPP

// ---- tessera/alir/detail/bytecode_place.hpp
//
// What an offset into bytecode is in: "operation 12 (lookup)", "inp_shifts[3]", "table 0".

#ifndef TESSERA_ALIR_DETAIL_BYTECODE_PLACE_HPP
#define TESSERA_ALIR_DETAIL_BYTECODE_PLACE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

/// Walks the parts of bytecode up to an offset; appends nothing where it doesn't get there.
inline void append_bytecode_place(text& to, const error& e, const std::byte* source,
                                  std::size_t size) {
  constexpr std::uint64_t header = 24;
  if (e.offset < header || size < header) return;
  const bool words = std::memcmp(source, "ALIR", 4) != 0;
  const auto count = [&](std::size_t at) -> std::uint64_t {
    return load_le<std::uint32_t>(source + at);
  };
  const std::uint64_t inputs = count(8), outputs = count(12), operations = count(16),
                      tables = count(20);
  std::uint64_t at = header;
  // Whether the offset is in a list of `n` entries; else moves past it.
  const auto is_in = [&](std::uint64_t n, std::uint64_t entry_size) {
    if (e.offset < at + n * entry_size) return true;
    at += n * entry_size;
    return false;
  };
  const auto entry = [&](std::string_view list, std::uint64_t entry_size) {
    to << list << '[' << (e.offset - at) / entry_size << ']';
  };
  if (is_in(inputs, 4)) return entry("inp_shifts", 4);
  if (is_in(outputs, 4)) return entry("out_idxs", 4);
  if (is_in(outputs, 4)) return entry("out_shifts", 4);
  const std::uint64_t flag_size = words ? 4 : 1;
  if (is_in(outputs, flag_size)) return entry("out_negs", flag_size);

  const auto operation = [&](std::uint64_t index, std::int32_t code) {
    to << "operation " << index;
    if (code >= first_opcode && code <= last_opcode)
      to << " (" << info(static_cast<opcode>(code)).mnemonic << ')';
  };
  if (words) {
    if (is_in(operations, 32)) {
      const std::uint64_t index = (e.offset - at) / 32, start = at + index * 32;
      if (start + 4 <= size) operation(index, load_le<std::int32_t>(source + to_size(start)));
    } else if (is_in(tables, 4)) {
      to << "table " << (e.offset - at) / 4;
    }
    return;
  }
  for (std::uint64_t i = 0; i < operations; ++i) {
    if (at + 8 > size) return;
    const std::byte* const start = source + to_size(at);
    const std::uint64_t length = 8 + 4 * std::uint64_t{load_le<std::uint16_t>(start + 4)} +
                                 8 * std::uint64_t{load_le<std::uint16_t>(start + 6)};
    if (is_in(1, length)) return operation(i, load_le<std::int8_t>(start));
  }
  for (std::uint64_t t = 0; t < tables; ++t) {
    if (at + 4 > size) return;
    if (is_in(1, 4 + 4 * count(to_size(at)))) {
      to << "table " << t;
      return;
    }
  }
}

}  // namespace alir::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_BYTECODE_PLACE_HPP

namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

inline constexpr errc_row error_rows[] = {
#define TESSERA_X(name, value, text) {errc::name, #name, text},
    TESSERA_ALIR_ERRORS(TESSERA_X)
#undef TESSERA_X
};

// One store when the program starts: it is what lets a program without this format go without its
// messages. Nothing but names and messages depends on it, hence neither on the order of such stores.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
[[gnu::used]] inline const errc_table& known_errors = tessera::detail::table_of(1) = {
    error_rows, sizeof error_rows / sizeof error_rows[0], append_bytecode_place};
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace alir::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_ERRORS_HPP

// ---- tessera/alir/detail/format.hpp
//
// The bodies of alir/format.hpp.

#ifndef TESSERA_ALIR_DETAIL_FORMAT_HPP
#define TESSERA_ALIR_DETAIL_FORMAT_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace alir {

TESSERA_INLINE bool operator==(const model& a, const model& b) {
  return a.n_inputs == b.n_inputs && a.n_outputs == b.n_outputs && a.inp_shifts == b.inp_shifts &&
         a.out_idxs == b.out_idxs && a.out_shifts == b.out_shifts && a.out_negs == b.out_negs &&
         a.ops == b.ops && a.carry_size == b.carry_size && a.adder_size == b.adder_size &&
         a.tables == b.tables && a.table_data == b.table_data &&
         a.hashes.view() == b.hashes.view() && a.terms == b.terms;
}

TESSERA_INLINE std::string_view hash(const model& m, const lookup_table& t) noexcept {
  return m.hashes.view().substr(static_cast<std::size_t>(t.hash_first),
                                static_cast<std::size_t>(t.hash_size));
}

}  // namespace alir
namespace alir::detail {

/// ceil(log2(v)) of the float nearest to v > 0. That it goes by way of float is what the format's
/// compiler does: a range of 2^24 + 1 codes gets 24 bits, and rounding here keeps types equal.
[[nodiscard]] inline int ceil_log2(double v) noexcept {
  if (!(v <= 0x1p127)) return 128;  // wider than any type, and beyond float
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(v));
  return static_cast<int>(bits >> 23 & 255) - 127 + ((bits & 0x7fffff) != 0 ? 1 : 0);
}

/// v rounded to an integer, halves away from zero; |v| < 2^63 is not required.
[[nodiscard]] inline double round_half_away(double v) noexcept {
  if (!(v < 4503599627370496.0 && v > -4503599627370496.0)) return v;  // 2^52: an integer already
  const double whole = static_cast<double>(static_cast<std::int64_t>(v));
  const double rest = v - whole;
  return whole + (rest >= 0.5 ? 1.0 : rest <= -0.5 ? -1.0 : 0.0);
}

[[nodiscard]] inline bool is_finite(double v) noexcept { return v - v == 0.0; }

/// A power of two that a float holds as a normal number.
[[nodiscard]] inline bool is_step(double v) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const std::uint64_t exponent = bits >> 52;  // with the sign bit, which must be 0
  return (bits & 0xfffffffffffffu) == 0 && exponent >= 1023 - 126 && exponent <= 1023 + 127;
}

/// v rounded to a double also where the host computes wider (x87), so that types are the same on
/// every platform.
[[nodiscard]] inline double stored(double v) noexcept {
  const volatile double s = v;
  return s;
}

/// 2^exponent for -1022 <= exponent <= 1023.
[[nodiscard]] inline double power_of_two(int exponent) noexcept {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE fixed_type type_of(const interval& q) noexcept {
  if (q.min == 0.0 && q.max == 0.0) return {};
  const double low = detail::round_half_away(q.min / q.step);
  double high = detail::round_half_away(q.max / q.step);
  if (high < 0x1p53) high += 1;  // beyond, one more doesn't change what rounding to float gives
  const double codes = (low < 0 ? -low : low) > high ? (low < 0 ? -low : low) : high;
  const int f = -detail::ceil_log2(q.step);
  const int bits = codes > 0 ? detail::ceil_log2(codes) : 0;
  return {q.min < 0, static_cast<std::int16_t>(bits - f), static_cast<std::int16_t>(f)};
}

TESSERA_INLINE double table_pad(const interval& q, fixed_type t) noexcept {
  if (t.width() == 0) return 0;
  const double from = detail::stored(q.min + (t.k ? detail::power_of_two(t.i) : 0.0));
  return detail::round_half_away(from / q.step);
}

TESSERA_INLINE std::int64_t table_base(const interval& q, fixed_type t) noexcept {
  const auto pad = static_cast<std::int64_t>(table_pad(q, t));
  const std::uint64_t lowest = t.k && t.width() > 0 ? std::uint64_t{1} << (t.width() - 1) : 0;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(pad) - lowest);
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_FORMAT_HPP

// ---- tessera/core/detail/report.hpp
//
// The bodies of core/report.hpp.

#ifndef TESSERA_CORE_DETAIL_REPORT_HPP
#define TESSERA_CORE_DETAIL_REPORT_HPP


// ---- tessera/core/detail/json_path.hpp
//
// The bodies of core/json_path.hpp.

#ifndef TESSERA_CORE_DETAIL_JSON_PATH_HPP
#define TESSERA_CORE_DETAIL_JSON_PATH_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/core/json.hpp
//
// JSON, both ways: json::reader, json::writer, and copying from one to the other.
//
//   json::copy(in, out);   // a member that the schema doesn't know survives in the new layout
//
// Lifetime:   see reader and writer.
// Errors:     those of the reader; what was written until then stays.
// Limits:     those of the reader.
// Allocation: a byte for each open container.

#ifndef TESSERA_CORE_JSON_HPP
#define TESSERA_CORE_JSON_HPP

#include <string_view>


// ---- tessera/core/json_read.hpp
//
// A strict pull reader for JSON (RFC 8259), directed by the caller's schema.
//
//   json::reader in(source);
//   std::string_view key;
//   for (in.object(); in.key(key);) {
//     if (key == "values")
//       for (in.array(); in.element();) values.push_back(in.int64());
//     else
//       in.skip();
//   }
//   if (error e = in.finish(); e.code != errc::ok) return e;
//
// The first error sticks: from then on every loop ends, every value is 0, and finish() reports it.
// So a schema reads like the format's documentation, with one check at the end.
//
//   accepted    RFC 8259, and a UTF-8 byte order mark before the value
//   rejected    anything else, duplicate keys of one object (compared after unescaping), numbers
//               beyond a double, invalid UTF-8, unpaired surrogates, bytes after the value
//   integers    exact: int64, uint64, or a 64-bit pattern; never by way of a double
//   doubles     correctly rounded, whatever the locale
//
// Lifetime:   borrows the source; strings it returns borrow from the source or, when they hold
//             escapes, from the reader until its next string or key.
// Errors:     json_* and input_too_large, at the first wrong byte. A duplicate key is
//             reported when its object closes, at the second of the two.
// Limits:     max_bytes, max_depth. Nothing here recurses.
// Allocation: 24 bytes for each key of the objects that are open, and the longest escaped string;
//             each at most twice (see pool).

#ifndef TESSERA_CORE_JSON_READ_HPP
#define TESSERA_CORE_JSON_READ_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>


// ---- tessera/core/sort.hpp
//
// Sorting, stable, and searching, for plain values in a row.
//
//   tessera::sort(edges.data(), edges.size(), [](const edge& a, const edge& b) {
//     return a.from < b.from;
//   });
//
//   std::size_t i = tessera::first_not_below(edges.data(), edges.size(),
//                                            [&](const edge& e) { return e.from < wanted; });
//
// Sorting merges existing runs, so that values in order cost one pass. Both replace
// the standard algorithms, which cost more to include than all the rest.
//
// Lifetime:   nothing is kept.
// Errors:     std::bad_alloc where the host has exceptions.
// Limits:     none; no recursion, and never more than n log n comparisons to sort, log n to find.
// Allocation: to sort, the size of the values once more, unless they are in order.

#ifndef TESSERA_CORE_SORT_HPP
#define TESSERA_CORE_SORT_HPP

#include <cstddef>
#include <cstring>


namespace tessera::inline TESSERA_ABI {

namespace detail {

/// Sorts `count` elements of `size` bytes. One function for all types: each of its own costs the
/// compiler more than it gains.
[[gnu::noinline]] inline void sort_bytes(void* values, std::size_t count, std::size_t size,
                                         bool (*less)(const void* context, const void* a,
                                                      const void* b),
                                         const void* context) {
  block other;
  other.append(values, count * size);
  char *from = static_cast<char*>(values), *to = static_cast<char*>(other.data());
  const std::size_t end = count * size;
  for (std::size_t width = size; width < end; width *= 2) {
    for (std::size_t first = 0; first < end; first += 2 * width) {
      const std::size_t middle = end - first > width ? first + width : end;
      const std::size_t last = end - first > 2 * width ? first + 2 * width : end;
      std::size_t a = first, b = middle;
      for (std::size_t i = first; i < last; i += size) {
        const bool is_a = a < middle && (b == last || !less(context, from + b, from + a));
        std::memcpy(to + i, from + (is_a ? a : b), size);
        (is_a ? a : b) += size;
      }
    }
    char* const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != values) std::memcpy(values, from, end);
}

}  // namespace detail

/// Puts `count` values in ascending order; equal ones keep their order.
template <class T, class Less>
void sort(T* values, std::size_t count, Less less) {
  std::size_t ordered = 1;
  while (ordered < count && !less(values[ordered], values[ordered - 1])) ++ordered;
  if (ordered >= count) return;

  detail::sort_bytes(
      values, count, sizeof(T),
      [](const void* context, const void* a, const void* b) {
        return static_cast<bool>((*static_cast<const Less*>(context))(*static_cast<const T*>(a),
                                                                      *static_cast<const T*>(b)));
      },
      &less);
}

/// The index of the first value that isn't below the one sought; `count` if all are. `below` is
/// true for a prefix of the values and false for the rest.
template <class T, class Below>
[[nodiscard]] constexpr std::size_t first_not_below(const T* values, std::size_t count,
                                                    Below below) {
  std::size_t first = 0;
  while (count != 0) {
    const std::size_t half = count / 2;
    if (below(values[first + half])) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_SORT_HPP

namespace tessera::inline TESSERA_ABI {
namespace json {

/// The kind of the next value, by its first character.
enum class kind : std::uint8_t { none, object, array, string, number, boolean, null };

/// A number as it is in the text.
struct number {
  double value = 0;             ///< rounded to the nearest double
  bool integral = false;        ///< the token has neither fraction nor exponent
  std::string_view token = {};  ///< verbatim, for writing it back unchanged
};

/// Reads one document from its start to its end. The first error stops it, and finish() returns that.
class reader {
 public:
  /// Starts at the first value, after a byte order mark if there is one. Borrows `source`.
  explicit reader(std::string_view source, const limits& limit = {})
      : begin_(source.data()), at_(begin_), end_(begin_ + source.size()), limit_(limit) {
    if (source.size() > limit.max_bytes)
      fail(errc::input_too_large, limit.max_bytes);
    else if (source.substr(0, 3) == "\xEF\xBB\xBF")
      at_ += 3;
  }
  /// A temporary string would be destroyed before the first value is read.
  template <class Owner>
    requires(!std::is_lvalue_reference_v<Owner> && !std::is_trivially_copyable_v<Owner>)
  explicit reader(Owner&& source, const limits& limit = {}) = delete;

  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  /// Enters an array. Then call element() before each value, until it returns false.
  void array() { open('[', errc::json_expected_array); }
  /// True when another element follows, which must then be read; false after the ']'.
  [[nodiscard]] bool element() { return next(']', errc::json_expected_comma_or_bracket); }
  /// The same for arrays of fixed length: an element must follow.
  void require_element(errc code = errc::json_missing_element) {
    const char* const at = token();
    if (!element()) fail_at(code, at);
  }
  /// Leaves an array, which must end here.
  void end_array(errc code = errc::json_unexpected_element) {
    const char* const at = token();
    if (element()) fail_at(code, at);
  }

  /// Enters an object. Then call key() before each member, until it returns false.
  void object() {
    open('{', errc::json_expected_object);
    if (!failed()) object_keys_.push_back(keys_.size());
  }
  /// True when another member follows: its key, unescaped, is in `out` and its value is to be read.
  [[nodiscard]] bool key(std::string_view& out) {
    if (object_keys_.empty() && !failed()) __builtin_trap();  // without object()
    if (!next('}', errc::json_expected_comma_or_brace)) {
      close_object();
      return false;
    }
    skip_space();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), false;
    if (*at_ != '"') return fail_at(errc::json_expected_key, at_), false;
    const char* const start = at_;
    bool escaped = false;
    out = quoted(escaped);
    if (failed()) return false;
    keys_.push_back({hash(out), start, std::uint64_t{out.size()} << 1 | (escaped ? 1u : 0u)});
    skip_space();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), false;
    if (*at_ != ':') return fail_at(errc::json_expected_colon, at_), false;
    ++at_;
    return true;
  }

  /// The kind of the value that comes next; `none` at the end of the text and for other bytes.
  [[nodiscard]] kind peek() {
    skip_space();
    if (at_ == end_) return kind::none;
    switch (*at_) {
      case '{': return kind::object;
      case '[': return kind::array;
      case '"': return kind::string;
      case 't':
      case 'f': return kind::boolean;
      case 'n': return kind::null;
      default: return *at_ == '-' || is_digit(*at_) ? kind::number : kind::none;
    }
  }

  /// An integer in [-2^63, 2^63).
  [[nodiscard]] std::int64_t int64() {
    bool above = false;
    const char* const start = token();
    const std::int64_t v = int64_pattern(above);
    if (above) fail_at(errc::json_integer_range, start);
    return failed() ? 0 : v;
  }
  /// An integer in [low, high].
  template <class Int>
  [[nodiscard]] Int integer(Int low, Int high) {
    const char* const start = token();
    const std::int64_t v = int64();
    if (!failed() && (v < std::int64_t{low} || v > std::int64_t{high}))
      fail_at(errc::json_integer_range, start);
    return failed() ? Int{} : static_cast<Int>(v);
  }
  /// An integer in [-2^31, 2^31).
  [[nodiscard]] std::int32_t int32() { return integer<std::int32_t>(INT32_MIN, INT32_MAX); }
  /// An integer in [0, 2^64).
  [[nodiscard]] std::uint64_t uint64() {
    const char* const start = token();
    bool above = false;
    const std::int64_t v = int64_pattern(above);
    if (v < 0 && !above) fail_at(errc::json_integer_range, start);
    return failed() ? 0 : static_cast<std::uint64_t>(v);
  }
  /// An integer in [-2^63, 2^64) modulo 2^64; `above_int64` is set from 2^63 on.
  [[nodiscard]] std::int64_t int64_pattern(bool& above_int64) {
    above_int64 = false;
    const scan s = scan_number(errc::json_expected_integer);
    if (failed()) return 0;
    if (!s.integral) return fail_at(errc::json_expected_integer, s.first), 0;
    const std::uint64_t magnitude = s.significand;
    // A 20-digit number that starts with 1 and is 2^64 or more has wrapped to less than 2 * 10^18.
    if (s.digits.size() > 20 ||
        (s.digits.size() == 20 && (s.digits[0] != '1' || magnitude < 10000000000000000000u)))
      return fail_at(errc::json_integer_range, s.first), 0;
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    if (s.negative && magnitude > half) return fail_at(errc::json_integer_range, s.first), 0;
    above_int64 = !s.negative && magnitude >= half;
    return static_cast<std::int64_t>(s.negative ? 0 - magnitude : magnitude);
  }
  /// Any number, correctly rounded.
  [[nodiscard]] json::number number() {
    const scan s = scan_number(errc::json_expected_number);
    if (failed()) return {};
    const decimal d{s.digits, s.exponent};
    const double magnitude =
        s.digits.size() <= 19 ? decimal_to_double(d, s.significand) : decimal_to_double(d);
    if (magnitude > DBL_MAX) return fail_at(errc::json_number_range, s.first), json::number{};
    return {s.negative ? -magnitude : magnitude,
            s.integral,
            {s.first, static_cast<std::size_t>(at_ - s.first)}};
  }
  /// A number that a float can hold, rounded to a double and then to a float, as readers do that
  /// read JSON by way of doubles.
  [[nodiscard]] float float32() {
    const char* const start = token();
    const double v = number().value;
    constexpr double largest = 0x1.fffffep127;
    if (v > largest || v < -largest) fail_at(errc::json_number_range, start);
    return failed() ? 0.0f : static_cast<float>(v);
  }
  /// True or false.
  [[nodiscard]] bool boolean() {
    token();
    if (accept("true")) return true;
    if (!accept("false")) fail_literal(errc::json_expected_boolean);
    return false;
  }
  /// Reads a null.
  void null() {
    token();
    if (!accept("null")) fail_literal(errc::json_expected_null);
  }
  /// A string, unescaped. Valid until the next string or key.
  [[nodiscard]] std::string_view string() {
    token();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), std::string_view{};
    if (*at_ != '"') return fail_at(errc::json_expected_string, at_), std::string_view{};
    bool escaped = false;
    return quoted(escaped);
  }

  /// Reads over one value of any kind, checking all of it, and returns its text.
  std::string_view skip() {
    const char* const start = token();
    pool<bool> objects;  // the containers that this value has opened
    std::string_view ignored;
    do {
      switch (peek()) {
        case kind::object: object(), objects.push_back(true); break;
        case kind::array: array(), objects.push_back(false); break;
        case kind::string: (void)string(); break;
        case kind::number: skip_number(); break;
        case kind::boolean:
        case kind::null: literal(); break;
        case kind::none: fail_value(); break;
      }
      while (!objects.empty() && !(objects.back() ? key(ignored) : element())) objects.pop_back();
    } while (!objects.empty());
    return failed() ? std::string_view{}
                    : std::string_view(start, static_cast<std::size_t>(at_ - start));
  }

  /// The text from the value that comes next, for reading parts of it by other means.
  [[nodiscard]] std::string_view rest() {
    const char* const at = token();
    return {at, static_cast<std::size_t>(end_ - at)};
  }
  /// Continues at `at`, after the value or the elements of the open array that were read from
  /// rest().
  void resume(const char* at) noexcept { at_ = at; }
  /// Where the last value ended.
  [[nodiscard]] const char* place() const noexcept { return at_; }
  /// How many containers inside one another may still be opened.
  [[nodiscard]] std::uint32_t depth_left() const noexcept { return limit_.max_depth - depth_; }

  /// Byte offset of the value or bracket that comes next.
  [[nodiscard]] std::uint64_t offset() {
    skip_space();
    return offset_of(at_);
  }

  /// Reports an error of the schema; the first error of any kind wins.
  void fail(errc code, std::uint64_t offset) {
    if (error_.code == errc::ok) error_ = {code, offset};
    end_ = at_;  // every later step finds the end of the text, and the first error stays
  }
  /// Whether there was an error; all values after it are zero or empty.
  [[nodiscard]] bool failed() const noexcept { return error_.code != errc::ok; }
  /// The first error, `errc::ok` if there is none.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }

  /// Checks that nothing but white space follows, and returns the first error.
  [[nodiscard]] tessera::error finish() {
    skip_space();
    if (at_ != end_) fail_at(errc::json_trailing_bytes, at_);
    return error_;
  }

 private:
  struct scan {
    const char* first = nullptr;
    std::string_view digits;        // may hold a '.'
    std::uint64_t significand = 0;  // their value modulo 2^64
    std::int64_t exponent = 0;
    bool negative = false;
    bool integral = true;
  };
  struct seen_key {
    std::uint64_t hash;
    const char* start;     // the opening quote
    std::uint64_t packed;  // its length when unescaped, times 2, and 1 when it holds escapes

    [[nodiscard]] bool escaped() const noexcept { return (packed & 1) != 0; }
    [[nodiscard]] std::uint64_t length() const noexcept { return packed >> 1; }
  };

  [[nodiscard]] static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  [[nodiscard]] std::uint64_t offset_of(const char* at) const noexcept {
    return error_.code != errc::ok ? error_.offset : static_cast<std::uint64_t>(at - begin_);
  }

  void skip_space() noexcept {
    while (at_ != end_ && *at_ <= ' ' &&
           (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'))
      ++at_;
  }
  const char* token() noexcept {
    skip_space();
    return at_;
  }

  void fail_at(errc code, const char* at) { fail(code, static_cast<std::uint64_t>(at - begin_)); }

  bool accept(std::string_view literal) noexcept {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    if (rest.substr(0, literal.size()) != literal) return false;
    at_ += literal.size();
    return true;
  }
  void literal() {
    if (!accept("true") && !accept("false") && !accept("null"))
      fail_literal(errc::json_bad_literal);
  }
  /// None of the expected literals: fails, unless the text ends inside one.
  void fail_literal(errc code) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    for (const std::string_view whole : {"true", "false", "null"})
      if (rest.size() < whole.size() && whole.substr(0, rest.size()) == rest)
        return fail_at(errc::json_unexpected_end, end_);
    fail_at(code, at_);
  }
  void fail_value() {
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_);
    const bool letter = (*at_ >= 'a' && *at_ <= 'z') || (*at_ >= 'A' && *at_ <= 'Z');
    fail_at(letter ? errc::json_bad_literal : errc::json_expected_value, at_);
  }

  void open(char bracket, errc code) {
    token();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_);
    if (*at_ != bracket) return fail_at(code, at_);
    if (depth_ >= limit_.max_depth) return fail_at(errc::json_depth, at_);
    ++depth_;
    ++at_;
    fresh_ = true;
  }
  bool next(char bracket, errc code) {
    token();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), false;
    if (*at_ == bracket) {
      ++at_;
      --depth_;
      fresh_ = false;
      return false;
    }
    if (fresh_) return fresh_ = false, true;
    if (*at_ != ',') return fail_at(code, at_), false;
    ++at_;
    return true;
  }

  scan scan_number(errc code) {
    scan s;
    const char* p = s.first = token();
    if (p == end_) return fail_at(errc::json_unexpected_end, p), s;
    if (*p == '-') {
      s.negative = true;
      ++p;
    } else if (!is_digit(*p)) {
      return fail_at(code, p), s;
    }
    const char* const digits = p;
    if (!scan_digits(p, s.significand)) return s;
    if (*digits == '0' && p - digits > 1) return fail_at(errc::json_leading_zero, digits), s;
    if (p != end_ && *p == '.') {
      s.integral = false;
      const char* const point = ++p;
      if (!scan_digits(p, s.significand)) return s;
      s.exponent = -(p - point);
    }
    s.digits = {digits, static_cast<std::size_t>(p - digits)};
    if (p != end_ && (*p == 'e' || *p == 'E')) {
      s.integral = false;
      ++p;
      bool negative = false;
      if (p != end_ && (*p == '+' || *p == '-')) negative = *p++ == '-';
      const char* const power = p;
      std::uint64_t any = 0;
      if (!scan_digits(p, any)) return s;
      std::int64_t value = 0;
      for (const char* q = power; q != p; ++q)  // beyond 2^50 it no longer matters how much
        if (value < std::int64_t{1} << 50) value = value * 10 + (*q - '0');
      s.exponent += negative ? -value : value;
    }
    at_ = p;
    return s;
  }
  /// Reads over a number. Below 10^308 it is in range whatever its digits are, so only what may not
  /// be is converted.
  void skip_number() {
    const scan s = scan_number(errc::json_expected_number);
    if (s.exponent + static_cast<std::int64_t>(s.digits.size()) <= 308 || failed()) return;
    if (decimal_to_double({s.digits, s.exponent}) > DBL_MAX)
      fail_at(errc::json_number_range, s.first);
  }
  /// Appends digits to `value`, modulo 2^64.
  bool scan_digits(const char*& p, std::uint64_t& value) {
    if (p == end_) return fail_at(errc::json_unexpected_end, p), false;
    if (!is_digit(*p)) return fail_at(errc::json_expected_digit, p), false;
    for (; p != end_ && is_digit(*p); ++p)
      value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    return true;
  }

  /// The string at at_, which is a quote.
  std::string_view quoted(bool& escaped) {
    const char* const start = ++at_;
    const char* const close = scan_string(start, escaped);
    if (close == nullptr) return {};
    at_ = close + 1;
    if (!escaped) return {start, static_cast<std::size_t>(close - start)};
    unescape(start, close, unescaped_);
    return unescaped_;
  }
  /// The closing quote of the string whose first character is at p, all of it checked.
  const char* scan_string(const char* p, bool& escaped) {
    while (p != end_) {
      const auto c = static_cast<unsigned char>(*p);
      if (c == '"') return p;
      if (c == '\\') {
        escaped = true;
        if (!scan_escape(p)) return nullptr;
      } else if (c < 0x20) {
        return fail_at(errc::json_control_character, p), nullptr;
      } else if (c < 0x80) {
        ++p;
      } else {
        const unsigned length = utf8_length(p, end_);
        if (length == 0) return fail_at(errc::json_bad_utf8, p), nullptr;
        p += length;
      }
    }
    return fail_at(errc::json_unexpected_end, p), nullptr;
  }
  bool scan_escape(const char*& p) {
    if (end_ - p < 2) return fail_at(errc::json_unexpected_end, end_), false;
    if (p[1] != 'u') {
      constexpr std::string_view letters = "\"\\/bfnrt";
      if (letters.find(p[1]) == std::string_view::npos)
        return fail_at(errc::json_bad_escape, p), false;
      return p += 2, true;
    }
    const char* const start = p;
    std::uint32_t unit = 0;
    if (!scan_unit(p, unit)) return false;
    if (unit < 0xd800 || unit > 0xdfff) return true;
    std::uint32_t low = 0;
    if (unit > 0xdbff) return fail_at(errc::json_lone_surrogate, start), false;
    if (p == end_ || (*p == '\\' && end_ - p < 2))
      return fail_at(errc::json_unexpected_end, end_), false;
    if (*p != '\\' || p[1] != 'u') return fail_at(errc::json_lone_surrogate, start), false;
    if (!scan_unit(p, low)) return false;
    if (low < 0xdc00 || low > 0xdfff) return fail_at(errc::json_lone_surrogate, start), false;
    return true;
  }
  /// \uXXXX at p, after a backslash and a u.
  bool scan_unit(const char*& p, std::uint32_t& unit) {
    const char* const start = p;
    p += 2;
    for (int i = 0; i < 4; ++i, ++p) {
      if (p == end_) return fail_at(errc::json_unexpected_end, p), false;
      const int digit = hex(*p);
      if (digit < 0) return fail_at(errc::json_bad_escape, start), false;
      unit = unit << 4 | static_cast<std::uint32_t>(digit);
    }
    return true;
  }
  [[nodiscard]] static constexpr int hex(char c) noexcept {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  }
  /// A string that scan_string accepted.
  static void unescape(const char* p, const char* close, text& out) {
    out.clear();
    const auto unit = [](const char* digits) {
      std::uint32_t v = 0;
      for (int i = 0; i < 4; ++i) v = v << 4 | static_cast<std::uint32_t>(hex(digits[i]));
      return v;
    };
    while (p != close) {
      const char* const plain = p;
      while (p != close && *p != '\\') ++p;
      out << std::string_view(plain, static_cast<std::size_t>(p - plain));
      if (p == close) return;
      constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
      if (p[1] != 'u') {
        out << meant[letters.find(p[1])];
        p += 2;
        continue;
      }
      std::uint32_t code_point = unit(p + 2);
      p += 6;
      if (code_point >= 0xd800 && code_point <= 0xdbff) {
        code_point = 0x10000 + ((code_point - 0xd800) << 10) + (unit(p + 2) - 0xdc00);
        p += 6;
      }
      out.advance(utf8_encode(code_point, out.prepare(4)));
    }
  }

  [[nodiscard]] static std::uint64_t hash(std::string_view s) noexcept {
    std::uint64_t h = 0xcbf29ce484222325u;  // FNV-1a; collisions only cost time in sorting
    for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
  }
  /// Order by hash, then by length, then by unescaped key. Only keys of one length are compared
  /// again, so a long key costs no more than its own length however many short ones there are.
  [[nodiscard]] static int compare_keys(const seen_key& a, const seen_key& b) {
    if (a.hash != b.hash) return a.hash < b.hash ? -1 : 1;
    if (a.length() != b.length()) return a.length() < b.length() ? -1 : 1;
    text left, right;
    return key_text(a, left).compare(key_text(b, right));
  }
  static std::string_view key_text(const seen_key& k, text& storage) {
    const char* const first = k.start + 1;
    if (!k.escaped()) return {first, to_size(k.length())};
    const char* close = first;
    for (; *close != '"'; ++close)
      if (*close == '\\') ++close;
    unescape(first, close, storage);
    return storage;
  }
  [[nodiscard]] static bool before(const seen_key& a, const seen_key& b) {
    const int order = compare_keys(a, b);
    return order != 0 ? order < 0 : a.start < b.start;
  }

  /// After the '}': looks for duplicate keys. Sorting keeps hostile keys from costing more than
  /// n log n.
  void close_object() {
    if (failed()) return;
    const std::size_t base = object_keys_.back();
    seen_key* const k = keys_.data() + base;
    const std::size_t count = keys_.size() - base;
    object_keys_.pop_back();
    sort(k, count, [](const seen_key& a, const seen_key& b) { return before(a, b); });
    const char* duplicate = nullptr;
    for (std::size_t i = 1; i < count; ++i)
      if (k[i].hash == k[i - 1].hash && compare_keys(k[i], k[i - 1]) == 0 &&
          (duplicate == nullptr || k[i].start < duplicate))
        duplicate = k[i].start;
    keys_.resize(base);
    if (duplicate != nullptr) fail_at(errc::json_duplicate_key, duplicate);
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  limits limit_;
  tessera::error error_;
  std::uint32_t depth_ = 0;
  bool fresh_ = false;             // just after an opening bracket
  pool<std::size_t> object_keys_;  // where the keys of each open object start
  pool<seen_key> keys_;
  text unescaped_;
};

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_JSON_READ_HPP

// ---- tessera/core/json_write.hpp
//
// A JSON writer: commas, indentation, escapes, and numbers that read back as the same value.
//
//   tessera::text out;
//   json::writer w(out, json::compact);
//   w.begin_object().key("step").number(0.5).key("ids").begin_array().integer(7).end().end();
//   // {"step":0.5,"ids":[7]}
//
//   json::compact    {"a":[1,2]}          no white space
//   json::spaced     {"a": [1, 2]}        one line, as Python's json.dumps writes by default
//   json::indented   two spaces per level, one member or element per line, "key": value
//
// Within `indented`, a container begun with `one_line` is written compact, with its contents;
// that is how the ARK serializer lays out tensors, arguments and lists of numbers.
//
// A record of numbers, whose text has a bound, is faster through a pointer; compact in any layout:
//
//   w.record(json::number_capacity + 2, [](json::cursor to) {
//     return to.literal("[").number(0.5).literal("]");
//   });
//
// Lifetime:   borrows the text it appends to.
// Errors:     none: the caller pairs begin and end, writes finite doubles and valid UTF-8.
// Limits:     none.
// Allocation: the growth of the text.

#ifndef TESSERA_CORE_JSON_WRITE_HPP
#define TESSERA_CORE_JSON_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>


// ---- tessera/core/shortest.hpp
//
// Doubles to decimal text: the shortest that reads back as the same double, and the nearest of those.
//
//   tessera::text out;
//   tessera::append_double(out, 0.1, tessera::double_style::python);   // 0.1
//
// Three ways, each exact, the quickest that can prove its answer first:
//
//   up to 15 digits, 8 of them after the point      one multiplication, one division as a check
//   any but the smallest doubles                     v and its rounding interval in 128 bits
//   what is too close to a tie for that              big integers
//
// std::to_chars for doubles is missing from libc++ before version 14 and costs <charconv>.
//
// Lifetime:   values.
// Errors:     none; the caller passes finite doubles.
// Limits:     none.
// Allocation: none but the text that is appended to.

#ifndef TESSERA_CORE_SHORTEST_HPP
#define TESSERA_CORE_SHORTEST_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>


namespace tessera::inline TESSERA_ABI {

/// How a double is laid out. Both write the shortest digits that read back as the same double, a
/// fraction or an exponent always, and two exponent digits or more with a sign.
enum class double_style : std::uint8_t {
  python,  ///< repr(): plain for 1e-4 <= |v| < 1e16
  json15,  ///< plain for 1e-4 <= |v| < 1e15, as common C++ JSON libraries write
};

/// What put_double may write to. All of it may be overwritten, whatever the number's length.
inline constexpr std::size_t double_capacity = 40;

namespace detail {

inline constexpr std::uint64_t powers_of_five[] = {1u,
                                                   5u,
                                                   25u,
                                                   125u,
                                                   625u,
                                                   3125u,
                                                   15625u,
                                                   78125u,
                                                   390625u,
                                                   1953125u,
                                                   9765625u,
                                                   48828125u,
                                                   244140625u,
                                                   1220703125u,
                                                   6103515625u,
                                                   30517578125u,
                                                   152587890625u,
                                                   762939453125u,
                                                   3814697265625u,
                                                   19073486328125u,
                                                   95367431640625u,
                                                   476837158203125u,
                                                   2384185791015625u,
                                                   11920928955078125u,
                                                   59604644775390625u,
                                                   298023223876953125u,
                                                   1490116119384765625u,
                                                   7450580596923828125u};

struct word_pair {
  std::uint64_t high, low;
};

/// 5^(27 * i) for i from -11 to 12: the first 128 bits, cut.
inline constexpr word_pair powers_of_five_27[] = {
    {0xa76c582338ed2621, 0xaf2af2b80af6f24e}, {0x873e4f75e2224e68, 0x5a7744a6e804a291},
    {0xda7f5bf590966848, 0xaf39a475506a899e}, {0xb080392cc4349dec, 0xbd8d794d96aacfb3},
    {0x8e938662882af53e, 0x547eb47b7282ee9c}, {0xe65829b3046b0afa, 0x0cb4a5a3112a5112},
    {0xba121a4650e4ddeb, 0x92f34d62616ce413}, {0x964e858c91ba2655, 0x3a6a07f8d510f86f},
    {0xf2d56790ab41c2a2, 0xfae27299423fb9c3}, {0xc428d05aa4751e4c, 0xaa97e14c3c26b886},
    {0x9e74d1b791e07e48, 0x775ea264cf55347d}, {0x8000000000000000, 0x0000000000000000},
    {0xcecb8f27f4200f3a, 0x0000000000000000}, {0xa70c3c40a64e6c51, 0x999090b65f67d924},
    {0x86f0ac99b4e8dafd, 0x69a028bb3ded71a3}, {0xda01ee641a708de9, 0xe80e6f4820cc9495},
    {0xb01ae745b101e9e4, 0x5ec05dcff72e7f8f}, {0x8e41ade9fbebc27d, 0x14588f13be847307},
    {0xe5d3ef282a242e81, 0x8f1668c8a86da5fa}, {0xb9a74a0637ce2ee1, 0x6d953e2bd7173692},
    {0x95f83d0a1fb69cd9, 0x4abdaf101564f98e}, {0xf24a01a73cf2dccf, 0xbc633b39673c8cec},
    {0xc3b8358109e84f07, 0x0a862f80ec4700c8}, {0x9e19db92b4e31ba9, 0x6c07a2c26a8346d1}};

/// 0.ddddddddddddddddd * 10^point: a significand of exactly 17 digits.
struct decimal_17 {
  std::uint64_t significand;
  int point;
};

/// Shortest digits of a finite v > 0 and the power of ten of the last: Steele and White's free
/// format algorithm in the form of Dragon4. Returns the number of digits, at most 17.
[[gnu::cold]] inline unsigned shortest_digits_exact(double v, char* digits,
                                                    int& exponent) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const int biased = static_cast<int>(bits >> 52);
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  const std::uint64_t significand = biased != 0 ? fraction | std::uint64_t{1} << 52 : fraction;
  const int binary = (biased != 0 ? biased : 1) - 1075;
  const bool closed = (significand & 1) == 0;       // ties to even read back as v
  const bool uneven = fraction == 0 && biased > 1;  // the gap below v is half the gap above
  const unsigned twice = uneven ? 2 : 1;
  // v = r / s; below and above: half the gaps to the neighbours, over s
  big_integer r(significand), s(1), below(1), above(1);
  r.shift_left(twice + static_cast<unsigned>(binary > 0 ? binary : 0));
  s.shift_left(twice + static_cast<unsigned>(binary < 0 ? -binary : 0));
  if (binary > 0) {
    below.shift_left(static_cast<unsigned>(binary));
    above.shift_left(static_cast<unsigned>(binary));
  }
  if (uneven) above.shift_left(1);
  // Scale by the power of ten k with 10^(k-1) <= v + above < 10^k: guess from the bit length, low.
  const int log2 = 63 - std::countl_zero(significand) + binary;
  int k = static_cast<int>((static_cast<long long>(log2) * 1233) >> 12);
  if (k >= 0) {
    s.multiply_power_of_ten(static_cast<unsigned>(k));
  } else {
    r.multiply_power_of_ten(static_cast<unsigned>(-k));
    below.multiply_power_of_ten(static_cast<unsigned>(-k));
    above.multiply_power_of_ten(static_cast<unsigned>(-k));
  }
  const auto reaches = [&](const big_integer& limit) {  // v + above >= limit, or > when open
    big_integer high = r;
    high.add(above);
    return high.compare(limit) >= (closed ? 0 : 1);
  };
  while (reaches(s)) {
    s.multiply_add(10, 0);
    ++k;
  }
  unsigned count = 0;
  for (;;) {
    r.multiply_add(10, 0);
    below.multiply_add(10, 0);
    above.multiply_add(10, 0);
    char digit = '0';
    while (r.compare(s) >= 0) {
      r.subtract(s);
      ++digit;
    }
    --k;
    const bool low = r.compare(below) < (closed ? 1 : 0);
    const bool high = reaches(s);
    if (!low && !high) {
      digits[count++] = digit;
      continue;
    }
    r.shift_left(1);
    const int half = r.compare(s);  // both ends fit: the nearer one, ties to the even digit
    const bool up = high && (!low || half > 0 || (half == 0 && ((digit - '0') & 1) != 0));
    digits[count++] = static_cast<char>(digit + (up ? 1 : 0));
    exponent = k;
    return count;
  }
}

/// a * b
[[nodiscard]] inline word_pair multiply(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
  __extension__ using wide = unsigned __int128;
  const wide p = wide{a} * b;
  return {static_cast<std::uint64_t>(p >> 64), static_cast<std::uint64_t>(p)};
#else
  constexpr std::uint64_t half = 0xffffffffu;
  const std::uint64_t first = (a & half) * (b & half);
  const std::uint64_t second = (a >> 32) * (b & half) + (first >> 32);
  const std::uint64_t third = (a & half) * (b >> 32) + (second & half);
  return {(a >> 32) * (b >> 32) + (second >> 32) + (third >> 32), third << 32 | (first & half)};
#endif
}
/// a * b / 2^64, cut
[[nodiscard]] inline word_pair multiply_high(word_pair a, std::uint64_t b) noexcept {
  word_pair p = multiply(a.high, b);
  const std::uint64_t carried = multiply(a.low, b).high;
  p.low += carried;
  p.high += p.low < carried ? 1 : 0;
  return p;
}

/// (high * 2^64 + low) * 2^exponent
struct binary_128 {
  word_pair bits;
  int exponent;
};

/// 5^power for powers from -297 to 350, of 127 or 128 bits: exact from 0 to 27, else cut, with an
/// error below 3 in the last bit.
[[nodiscard]] inline binary_128 power_of_five(int power) noexcept {
  const auto from_table = [](int i) -> binary_128 {
    const int zeros = std::countl_zero(powers_of_five[i]);
    return {{powers_of_five[i] << zeros, 0}, -64 - zeros};
  };
  if (power >= 0 && power <= 27) return from_table(power);
  const int coarse = (power + 297) / 27 - 11;
  const binary_128 fine = from_table((power + 297) % 27);
  // 1217359 / 2^19 is just above log2(5).
  return {multiply_high(powers_of_five_27[coarse + 11], fine.bits.high),
          (27 * coarse * 1217359 >> 19) - 127 + fine.exponent + 128};
}

[[nodiscard]] inline decimal_17 shortest_by_big_integers(double v) noexcept {
  char digits[20];
  int exponent = 0;
  const unsigned count = shortest_digits_exact(v, digits, exponent);
  std::uint64_t significand = 0;
  for (unsigned i = 0; i < 17; ++i)
    significand = significand * 10 + static_cast<std::uint64_t>(i < count ? digits[i] - '0' : 0);
  return {significand, static_cast<int>(count) + exponent};
}

/// Shortest digits of a finite v > 0, the nearest to v of those.
[[nodiscard]] inline decimal_17 shortest(double v) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const int biased = static_cast<int>(bits >> 52);
  if (biased < 2) return shortest_by_big_integers(v);  // fewer bits, and even gaps at 2^-1022
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  const std::uint64_t significand = fraction | std::uint64_t{1} << 52;
  const int binary = biased - 1075;  // v = significand * 2^binary
  // The least scale by which v's rounding interval, times 10^scale, is as wide as 1, so that it
  // holds an integer; it is narrower than 10. The width is one ulp, or 3/4 at a power of two.
  // 315653 / 2^20 is just above log10(2), and -1 / 8 near enough to log10(3/4).
  const bool nearer = fraction == 0;  // the double below
  const int scale = -((binary * 315653 - (nearer ? 1 << 17 : 0)) >> 20);
  const binary_128 five = power_of_five(scale);
  const bool exact = five.bits.low == 0;
  // v * 10^scale with 64 bits after the point, and half an ulp in the same form, half of that
  // below a power of two. The significand is shifted by what five.exponent leaves: 1 to 5 bits.
  const int shift = 128 + binary + scale + five.exponent;
  word_pair value = multiply(five.bits.high, significand << shift);
  if (!exact) value = multiply_high(five.bits, significand << shift);
  const std::uint64_t above_high = (five.bits.high >> 1) >> (64 - shift);
  const std::uint64_t above_low =
      five.bits.high << (shift - 1) | (five.bits.low >> 1) >> (64 - shift);
  const std::uint64_t below_high = nearer ? above_high >> 1 : above_high;
  const std::uint64_t below_low = nearer ? above_high << 63 | above_low >> 1 : above_low;
  const std::uint64_t end = value.low + above_low, begin = value.low - below_low;
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  if (!exact) {
    // These three are off by less than 3: too close to an integer or to a half, that could decide.
    const auto close = [](std::uint64_t low) { return low + 16 < 32; };
    if (close(begin) || close(end) || close(value.low - half)) return shortest_by_big_integers(v);
  }
  // The integers within. Ties to even: the ends read back as v when the significand is even.
  const std::uint64_t odd = significand & 1;
  const std::uint64_t high =
      value.high + above_high + (end < above_low ? 1 : 0) - (end < odd ? 1 : 0);
  const std::uint64_t low =
      value.high - below_high - (value.low < below_low ? 1 : 0) + ((begin | odd) != 0 ? 1 : 0);
  // A multiple of ten has a digit less. There is one at most, with any zeros that go with it.
  std::uint64_t nearest = high / 10 * 10;
  if (nearest < low) {
    nearest = value.high;
    if (value.low > half || (value.low == half && (nearest & 1) != 0)) ++nearest;
    nearest = nearest < low ? low : nearest > high ? high : nearest;
  }
  const bool has_16 = nearest < powers_of_ten[16];
  return {has_16 ? nearest * 10 : nearest, (has_16 ? 16 : 17) - scale};
}

/// How many of eight digits there are up to the last that isn't 0; there is one.
[[nodiscard]] inline unsigned up_to_last(std::uint64_t digits) noexcept {
  return (static_cast<unsigned>(std::countl_zero(digits) ^ 63) >> 3) + 1;
}

/// n < 10^16 in 16 characters. Returns how many there are without the zeros at the end.
inline unsigned put_sixteen(char* to, std::uint64_t n) noexcept {
  const std::uint64_t high = eight_digits(static_cast<std::uint32_t>(n / 100000000));
  const std::uint64_t low = eight_digits(static_cast<std::uint32_t>(n % 100000000));
  store_le(to, high | eight_zeros);
  store_le(to + 8, low | eight_zeros);
  return low != 0 ? 8 + up_to_last(low) : high != 0 ? up_to_last(high) : 0;
}

/// Writes a finite v > 0 whatever its digits, and returns the end. Not inline, so that the common
/// way saves no registers for it.
[[gnu::noinline]] inline char* put_shortest(char* to, double v, double_style style) noexcept {
  const decimal_17 d = shortest(v);
  const std::uint64_t first = d.significand / powers_of_ten[16];
  const std::uint64_t others = d.significand % powers_of_ten[16];
  if (d.point < -3 || d.point > (style == double_style::python ? 16 : 15)) {
    *to++ = static_cast<char>('0' + first);
    const unsigned count = put_sixteen(to + 1, others);
    *to = '.';
    to += count == 0 ? 0 : count + 1;
    *to++ = 'e';
    *to++ = d.point < 1 ? '-' : '+';
    const auto power = static_cast<std::uint32_t>(d.point < 1 ? 1 - d.point : d.point - 1);
    if (power < 10) *to++ = '0';
    return put_up_to_eight(to, power);
  }
  if (d.point <= 0) {
    std::memcpy(to, "0.000", 5);
    to += 2 - d.point;
    *to++ = static_cast<char>('0' + first);
    return to + put_sixteen(to, others);
  }
  // The digits before the point are those of v cut to an integer: rounding never reaches the next
  // integer, as integers below 2^53 are doubles, and larger ones are written in full.
  const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
  const auto point = static_cast<unsigned>(d.point);
  const std::uint64_t rest = d.significand - whole * powers_of_ten[17 - point];
  to = put_magnitude(to, whole);
  *to++ = '.';
  const unsigned count = put_sixteen(to, rest * powers_of_ten[point - 1]);
  return to + (count == 0 ? 1 : count);
}

}  // namespace detail

/// Writes a finite double and returns the end. `to` has `double_capacity` bytes.
inline char* put_double(char* to, double v, double_style style) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  *to = '-';
  to += bits >> 63;
  v = std::bit_cast<double>(bits & ~(std::uint64_t{1} << 63));
  // At most 15 digits that read back as v are the shortest there are. Where doubles are computed
  // with more bits than they have, the quotient equals v in fewer cases, none of them wrong.
  const double scaled = v * 1e8;
  if (scaled < 1e15) {
    const auto n = static_cast<std::int64_t>(scaled + 0.5);
    // Not what is too small for this layout, 10^-8 to 10^-4, but zero.
    if (static_cast<double>(n) / 1e8 == v && static_cast<std::uint64_t>(n) - 1 >= 9999) {
      const auto whole = static_cast<std::uint32_t>(v);
      to = whole < 1000 ? detail::put_small(to, whole) : detail::put_up_to_eight(to, whole);
      *to++ = '.';
      const std::uint64_t digits =
          detail::eight_digits(static_cast<std::uint32_t>(n - std::int64_t{whole} * 100000000));
      store_le(to, digits | detail::eight_zeros);
      return to + detail::up_to_last(digits | 1);  // one digit at least
    }
  }
  return detail::put_shortest(to, v, style);
}

/// Appends a finite double.
inline void append_double(text& out, double v, double_style style) {
  char* const to = out.prepare(double_capacity);
  out.advance(static_cast<std::size_t>(put_double(to, v, style) - to));
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_SHORTEST_HPP

namespace tessera::inline TESSERA_ABI {
namespace json {

/// The white space of a document.
struct layout {
  unsigned indent;                ///< spaces a level; 0 writes one line
  std::string_view comma, colon;  ///< what separates members, and a key from its value
  double_style doubles = double_style::python;  ///< how doubles are spelled
};
/// One line without a space.
inline constexpr layout compact{0, ",", ":"};
/// One line, as Python's json.dumps writes it.
inline constexpr layout spaced{0, ", ", ": "};
/// A line for each value, two spaces a level.
inline constexpr layout indented{2, ",", ": "};

/// Appends `s` in quotes. Escapes only what JSON requires; other controls as `\u00xx`.
inline void append_quoted(text& out, std::string_view s) {
  out << '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out << s.substr(plain, i - plain) << '\\';
    plain = i + 1;
    switch (c) {
      case '\b': out << 'b'; break;
      case '\f': out << 'f'; break;
      case '\n': out << 'n'; break;
      case '\r': out << 'r'; break;
      case '\t': out << 't'; break;
      case '"':
      case '\\': out << s[i]; break;
      default:
        out << "u00"
            << "0123456789abcdef"[c >> 4] << "0123456789abcdef"[c & 15];
    }
  }
  out << s.substr(plain) << '"';
}

/// Most characters of one cursor::integer or cursor::number.
inline constexpr std::size_t number_capacity =
    double_capacity;  ///< of one cursor::integer or number

/// Where the next character of a record goes. Each call stores and returns the next position: by
/// value, so that it stays in registers. Nothing checks the capacity there.
class cursor {
 public:
  /// Stores at `to`, where there must be space for all that follows.
  cursor(char* to, double_style doubles) noexcept : to_(to), doubles_(doubles) {}

  /// In decimal.
  template <class Int>
  [[nodiscard]] cursor integer(Int v) const noexcept {
    return {put_integer(to_, v), doubles_};
  }
  /// The shortest decimal number that reads as this double.
  [[nodiscard]] cursor number(double v) const noexcept {
    return {put_double(to_, v, doubles_), doubles_};
  }
  /// Verbatim JSON: brackets, commas, keys.
  template <std::size_t Size>
  [[nodiscard]] cursor literal(const char (&json)[Size]) const noexcept {
    std::memcpy(to_, json, Size - 1);
    return {to_ + Size - 1, doubles_};
  }
  /// Where the next character goes.
  [[nodiscard]] char* place() const noexcept { return to_; }

 private:
  char* to_;
  double_style doubles_;
};

/// Writes one document in the order of the calls, with the white space that its layout asks for.
class writer {
 public:
  /// Appends to `out`, which must outlive the writer.
  explicit writer(text& out, const layout& how = compact) noexcept : out_(out), layout_(how) {}

  /// Opens a container; `one_line` keeps all of it on one line, whatever the layout.
  ///@{
  writer& begin_object(bool one_line = false) { return begin('{', '}', one_line); }
  writer& begin_array(bool one_line = false) { return begin('[', ']', one_line); }
  ///@}
  /// Closes the innermost container.
  writer& end() {
    const bool is_object = (kinds_.view().back() == '}');
    kinds_.truncate(kinds_.size() - 1);
    if (!fresh_ && one_line_ == 0) new_line();
    if (one_line_ != 0) --one_line_;
    out_ << (is_object ? '}' : ']');
    fresh_ = false;
    return *this;
  }
  /// The key of the next member.
  writer& key(std::string_view name) {
    separate();
    append_quoted(out_, name);
    out_ << (one_line_ > 0 && layout_.indent != 0 ? std::string_view(":") : layout_.colon);
    after_key_ = true;
    return *this;
  }

  /// An integer, in decimal.
  template <class Int>
    requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
  writer& integer(Int v) { return separate(), out_ << v, *this; }
  /// A double in the layout's style; it must be finite.
  writer& number(double v) { return separate(), append_double(out_, v, layout_.doubles), *this; }
  /// A string, quoted and escaped.
  writer& string(std::string_view v) { return separate(), append_quoted(out_, v), *this; }
  /// True or false.
  writer& boolean(bool v) { return raw(v ? "true" : "false"); }
  /// A null.
  writer& null() { return raw("null"); }
  /// A value that is already JSON text, such as a number's token.
  writer& raw(std::string_view json) { return separate(), out_ << json, *this; }
  /// A value of at most `max_size` bytes that `write(cursor)` stores; it returns the end of the
  /// value.
  template <class Write>
  writer& record(std::size_t max_size, Write write) {
    separate();
    char* const begin = out_.prepare(max_size);
    const cursor end = write(cursor(begin, layout_.doubles));
    return out_.advance(static_cast<std::size_t>(end.place() - begin)), *this;
  }

 private:
  writer& begin(char bracket, char close, bool one_line) {
    separate();
    out_ << bracket;
    kinds_ << close;
    if (one_line || one_line_ != 0 || layout_.indent == 0) ++one_line_;
    fresh_ = true;
    return *this;
  }
  void separate() {
    if (after_key_) {
      after_key_ = false;
    } else if (kinds_.size() != 0) {
      if (!fresh_) {
        if (layout_.comma.size() == 1 || (one_line_ != 0 && layout_.indent != 0))
          out_ << ',';
        else
          out_ << layout_.comma;
      }
      if (one_line_ == 0) new_line();
    }
    fresh_ = false;
  }
  void new_line() {
    const std::size_t spaces = kinds_.size() * layout_.indent;
    char* const to = out_.prepare(1 + spaces);
    *to = '\n';
    std::memset(to + 1, ' ', spaces);
    out_.advance(1 + spaces);
  }

  text& out_;
  layout layout_;
  text kinds_;                // the closing brackets that are due
  std::size_t one_line_ = 0;  // the number of innermost containers on one line
  bool fresh_ = false, after_key_ = false;
};

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_JSON_WRITE_HPP

namespace tessera::inline TESSERA_ABI {
namespace json {

/// Copies one value of any kind: order of members and tokens of numbers as they were, white space
/// and escapes as the writer lays them out.
inline void copy(reader& in, writer& out) {
  pool<bool> objects;  // the containers that this value has opened
  std::string_view name;
  do {
    switch (in.peek()) {
      case kind::object:
        in.object(), out.begin_object();
        objects.push_back(true);
        break;
      case kind::array:
        in.array(), out.begin_array();
        objects.push_back(false);
        break;
      case kind::string: out.string(in.string()); break;
      default: out.raw(in.skip());
    }
    while (!objects.empty() && !(objects.back() ? in.key(name) : in.element())) {
      out.end();
      objects.pop_back();
    }
    if (!objects.empty() && objects.back()) out.key(name);
  } while (!objects.empty());
}

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_JSON_HPP

namespace tessera::inline TESSERA_ABI {
namespace json {
namespace detail {

/// Where the component of a path that starts at `at` ends.
[[nodiscard]] constexpr std::size_t component_end(std::string_view path, std::size_t at) noexcept {
  std::size_t i = at + 1;
  if (path.substr(at, 2) == "[\"") {
    for (++i; i < path.size() && path[i] != '"'; ++i)
      if (path[i] == '\\') ++i;
    ++i;
  }
  if (path.substr(at, 1) == "[") {
    while (i < path.size() && path[i] != ']') ++i;
    ++i;
  } else {
    while (i < path.size() && path[i] != '.' && path[i] != '[') ++i;
  }
  return i < path.size() ? i : path.size();
}
/// Some order of components, in which indices ascend.
[[nodiscard, gnu::cold]] constexpr int compare_components(std::string_view a,
                                                          std::string_view b) noexcept {
  const auto is_index = [](std::string_view c) {
    return c.size() > 1 && c[0] == '[' && c[1] >= '0' && c[1] <= '9';
  };
  if (is_index(a) && is_index(b) && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}
/// Some order of paths, in which those to one container are neighbours and it is before them.
[[nodiscard, gnu::cold]] constexpr int compare_paths(std::string_view a,
                                                     std::string_view b) noexcept {
  std::size_t at = 0;
  while (at < a.size() && at < b.size()) {
    const std::size_t end_a = component_end(a, at), end_b = component_end(b, at);
    const int order = compare_components(a.substr(at, end_a - at), b.substr(at, end_b - at));
    if (order != 0) return order;
    at = end_a;
  }
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

}  // namespace detail

TESSERA_INLINE void append_key(text& out, std::string_view key) {
  bool plain = !key.empty();
  for (const char c : key)
    plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                      (c >= '0' && c <= '9'));
  if (plain) {
    out << '.' << key;
  } else {
    out << '[';
    append_quoted(out, key);
    out << ']';
  }
}

namespace detail {

/// Finds the paths of values, at ascending offsets, in one walk.
class path_finder {
 public:
  path_finder(std::string_view source, const limits& limit) : in_(source, limit) {}

  /// Appends the path of the innermost value that starts at `offset` or contains it.
  void append(text& out, std::uint64_t offset) {
    advance(offset);
    out << '$';
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const step& s = steps_[i];
      if (s.count == 0) break;  // after the opening bracket, before the first value
      if (!s.is_object) {
        out << '[' << s.count - 1 << ']';
        continue;
      }
      const std::size_t end = i + 1 < steps_.size() ? steps_[i + 1].key_first : keys_.size();
      append_key(out, keys_.view().substr(s.key_first, end - s.key_first));
    }
  }

 private:
  struct step {
    bool is_object;
    std::uint64_t count;    // members or elements that were entered; the last is the current one
    std::size_t key_first;  // in `keys_`, up to the next step's
  };

  void advance(std::uint64_t offset) {
    bool found = has_ended_ || (is_at_value_ ? in_.offset() >= offset : in_.offset() > offset);
    while (!found) {
      if (is_at_value_) {
        is_at_value_ = false;
        switch (in_.peek()) {
          case kind::object: in_.object(), steps_.push_back({true, 0, keys_.size()}); break;
          case kind::array: in_.array(), steps_.push_back({false, 0, keys_.size()}); break;
          default: in_.skip(), found = in_.offset() > offset;
        }
      }
      // On to the next value; containers that end on the way are left.
      while (!found && !is_at_value_ && !steps_.empty()) {
        std::string_view name;
        is_at_value_ = steps_.back().is_object ? in_.key(name) : in_.element();
        if (in_.failed()) {
          found = has_ended_ = true;
        } else if (is_at_value_) {
          ++steps_.back().count;
          keys_.truncate(steps_.back().key_first);
          keys_ << name;
          found = in_.offset() >= offset;
        } else {
          found = in_.offset() > offset;
          keys_.truncate(steps_.back().key_first);
          steps_.pop_back();
        }
      }
      if (steps_.empty()) found = has_ended_ = true;
    }
  }

  reader in_;
  pool<step> steps_;
  text keys_;
  bool is_at_value_ = true, has_ended_ = false;
};

/// Whether a text may be JSON, for which paths mean something.
[[nodiscard]] inline bool is_json(std::string_view source) noexcept {
  const std::size_t start = source.find_first_not_of(" \n\r\t\xEF\xBB\xBF");
  return start != source.npos && (source[start] == '{' || source[start] == '[');
}

}  // namespace detail

TESSERA_INLINE text path(std::string_view source, std::uint64_t offset, const limits& limit) {
  text out;
  detail::path_finder(source, limit).append(out, offset);
  return out;
}

TESSERA_INLINE void find(std::string_view source, tessera::view<std::string_view> paths,
                         std::uint64_t* offsets, const limits& limit) {
  // Sorted, the paths that a container holds are neighbours, by the members or elements they go to.
  pool<std::uint32_t> order;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    offsets[i] = no_offset;
    order.push_back(static_cast<std::uint32_t>(i));
  }
  sort(order.data(), order.size(), [&](std::uint32_t a, std::uint32_t b) {
    return detail::compare_paths(paths[a], paths[b]) < 0;
  });

  struct level {
    bool is_object;
    std::uint64_t count;      // elements that were entered
    std::size_t first, last;  // the paths into this container
    std::size_t prefix;       // how much of these paths leads here
  };
  pool<level> levels;
  text component;
  reader in(source, limit);
  std::size_t found = 0;
  const auto value = [&](std::size_t first, std::size_t last, std::size_t prefix) {
    const std::uint64_t at = in.offset();
    for (; first < last && paths[order[first]].size() == prefix; ++first, ++found)
      offsets[order[first]] = at;
    const kind k = in.peek();
    if (first == last || (k != kind::object && k != kind::array)) {
      in.skip();
      return;
    }
    if (k == kind::object)
      in.object();
    else
      in.array();
    levels.push_back({k == kind::object, 0, first, last, prefix});
  };
  const auto leads = [&](std::size_t i) {  // others than those that start with '$' lead nowhere
    const std::string_view path = paths[order[i]];
    return path.substr(0, 1) == "$" && detail::component_end(path, 0) == 1;
  };
  std::size_t first_path = 0, last_path = order.size();
  while (first_path < last_path && !leads(first_path)) ++first_path;
  while (first_path < last_path && !leads(last_path - 1)) --last_path;
  value(first_path, last_path, 1);

  std::string_view name;
  while (!levels.empty() && !in.failed() && found < order.size()) {
    level& l = levels.back();
    if (l.is_object ? !in.key(name) : !in.element()) {
      levels.pop_back();
      continue;
    }
    component.clear();
    if (l.is_object)
      append_key(component, name);
    else
      component << '[' << l.count++ << ']';
    const auto order_of = [&](std::size_t i) {
      const std::string_view path = paths[order[i]];
      const std::size_t end = detail::component_end(path, l.prefix);
      return detail::compare_components(path.substr(l.prefix, end - l.prefix), component);
    };
    std::size_t first = l.first, last = l.last;
    while (first < last) {  // to the first that is not before the component
      const std::size_t middle = first + (last - first) / 2;
      if (order_of(middle) < 0)
        first = middle + 1;
      else
        last = middle;
    }
    while (last < l.last && order_of(last) == 0) ++last;
    value(first, last, l.prefix + component.size());
  }
}
TESSERA_INLINE std::uint64_t find(std::string_view source, std::string_view path,
                                  const limits& limit) {
  std::uint64_t offset = no_offset;
  find(source, {&path, 1}, &offset, limit);
  return offset;
}

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_JSON_PATH_HPP

// ---- tessera/core/detail/caret.hpp
//
// A line of a source with a caret below, at the end of descriptions of errors.
//
//   detail::append_caret(out, "let R = rgion(B, 0, 8)", 8, 5, "region", 8);
//   //   let R = rgion(B, 0, 8)
//   //           ^~~~~
//   //           region
//
// Lifetime:   none.
// Errors:     none: any offset can be shown.
// Limits:     at most 78 bytes of a line are shown.
// Allocation: the text.

#ifndef TESSERA_CORE_DETAIL_CARET_HPP
#define TESSERA_CORE_DETAIL_CARET_HPP

#include <cstddef>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace detail {

inline constexpr std::size_t shown_columns = 78;

/// The line that holds `offset`, cut around it to the width, and below it a caret under the first
/// of `length` characters and tildes under the others, with the text to be `inserted` on a third
/// line. Characters unsafe for a terminal become escapes (see append_shown); tabs and carriage
/// returns are spaces.
inline void append_caret(text& out, std::string_view source, std::size_t offset,
                         std::size_t length = 1, std::string_view inserted = {},
                         std::size_t inserted_at = 0) {
  std::size_t first = offset, last = offset;
  while (first > 0 && source[first - 1] != '\n' && offset - first <= shown_columns) --first;
  while (last < source.size() && source[last] != '\n' &&
         last - first < offset - first + shown_columns)
    ++last;
  const auto tail = [&](std::size_t i) {
    return (static_cast<unsigned char>(source[i]) & 0xc0u) == 0x80u;
  };
  if (last - first > shown_columns) {
    const std::size_t before = shown_columns / 2;
    if (offset - first > before) first = offset - before;
    while (first < offset && tail(first)) ++first;
    if (last - first > shown_columns) last = first + shown_columns;
  }
  while (last > offset && last < source.size() && tail(last)) --last;
  text part;
  // Whole characters: one that `to` cuts is part of it.
  const auto shown = [&](std::size_t from, std::size_t to) {
    part.clear();
    while (from < to) {
      const unsigned valid = utf8_length(source.data() + from, source.data() + source.size());
      const std::size_t size = valid != 0 ? valid : 1;
      if (source[from] == '\t' || source[from] == '\r')
        part << ' ';
      else
        append_shown(part, source.substr(from, size));
      from += size;
    }
    return part.view();
  };
  const auto repeat = [&](char c, std::size_t from, std::size_t to) {
    for (const char of : shown(from, to))
      if ((static_cast<unsigned char>(of) & 0xc0u) != 0x80u) out << c;
  };
  const auto indent = [&](std::size_t to) {
    out << "\n  ";
    repeat(' ', first, to);
  };
  out << "  " << shown(first, last);
  indent(offset);
  out << '^';
  std::size_t second = offset + 1;
  while (second < last && tail(second)) ++second;
  repeat('~', second, last - offset < length ? last : offset + length);
  if (!inserted.empty() && inserted_at >= first && inserted_at <= last) {
    indent(inserted_at);
    out << inserted;
  }
  out << '\n';
}

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_CARET_HPP

// ---- tessera/core/detail/hex.hpp
//
// A place in a binary source, at the end of descriptions of errors.

#ifndef TESSERA_CORE_DETAIL_HEX_HPP
#define TESSERA_CORE_DETAIL_HEX_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace detail {

inline void append_hex(text& out, std::uint64_t v, unsigned digits) {
  for (unsigned i = digits; i-- > 0;) out << "0123456789abcdef"[v >> 4 * i & 15];
}

/// " (0x30c)"
inline void append_offset_in_hex(text& out, std::uint64_t offset) {
  out << " (0x";
  unsigned digits = 1;
  while (digits < 16 && offset >> 4 * digits != 0) ++digits;
  append_hex(out, offset, digits);
  out << ')';
}

/// The 16 bytes around an offset, and a caret below the byte at the offset.
inline void append_hex_line(text& out, bytes source, std::size_t offset) {
  out << "  ";
  const std::size_t first =
      offset == source.size() && offset != 0 ? (offset - 1) / 16 * 16 : offset / 16 * 16;
  append_hex(out, first, 8);
  out << ':';
  for (std::size_t i = first; i < source.size() && i < first + 16; ++i) {
    out << ' ';
    append_hex(out, static_cast<std::uint64_t>(source[i]), 2);
  }
  out << "\n  ";
  for (std::size_t i = 0; i < 10 + 3 * (offset - first); ++i) out << ' ';
  out << "^\n";
}

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_HEX_HPP

namespace tessera::inline TESSERA_ABI {

TESSERA_INLINE listing::listing(const report& found, view<source_file> sources)
    : found_(found), sources_(sources) {
  for (const source_file& s : sources) {
    first_lines_.push_back(lines_.size());
    lines_.push_back(0);
    if (s.is_binary) continue;
    for (std::size_t i = s.text.find('\n'); i != s.text.npos; i = s.text.find('\n', i + 1))
      lines_.push_back(i + 1);
  }
  first_lines_.push_back(lines_.size());
  find_paths();
}

TESSERA_INLINE void listing::find_paths() {
  pool<std::uint32_t> order;
  for (std::size_t i = 0; i < found_.diagnostics.size(); ++i) {
    const diagnostic& d = found_.diagnostics[i];
    paths_.push_back(d.path);
    if (d.path.size == 0 && d.rule.size == 0 && has_source(d.where))
      order.push_back(static_cast<std::uint32_t>(i));
  }
  const auto where = [&](std::uint32_t i) -> const place& { return found_.diagnostics[i].where; };
  sort(order.data(), order.size(), [&](std::uint32_t a, std::uint32_t b) {
    const place &p = where(a), &q = where(b);
    return p.file != q.file ? p.file < q.file : p.offset < q.offset;
  });
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    const std::uint32_t file = where(order[first]).file;
    while (last < order.size() && where(order[last]).file == file) ++last;
    const source_file& s = sources_[file];
    if (s.is_binary || !json::detail::is_json(s.text)) continue;
    json::detail::path_finder finder(s.text, {});
    for (std::size_t i = first; i < last; ++i) {
      text_range& path = paths_[order[i]];
      path.first = static_cast<std::uint32_t>(characters_.size());
      finder.append(characters_, where(order[i]).offset);
      path.size = static_cast<std::uint32_t>(characters_.size()) - path.first;
    }
  }
}

TESSERA_INLINE std::string_view listing::path_of(const diagnostic& d) const noexcept {
  if (d.path.size != 0) return found_.text_of(d.path);
  const auto i = static_cast<std::size_t>(&d - found_.diagnostics.data());
  return {characters_.data() + paths_[i].first, paths_[i].size};
}

TESSERA_INLINE line_column listing::locate(const place& p) const noexcept {
  if (!has_source(p)) return {};
  std::size_t first = first_lines_[p.file], last = first_lines_[p.file + 1];
  const std::size_t begin = first;
  while (last - first > 1) {  // the last line that begins at or before the place
    const std::size_t middle = first + (last - first) / 2;
    if (lines_[middle] <= p.offset)
      first = middle;
    else
      last = middle;
  }
  return {first - begin + 1, p.offset - lines_[first] + 1};
}

TESSERA_INLINE std::string_view listing::file_name(const place& p) const noexcept {
  if (p.file < sources_.size()) return sources_[p.file].name;
  if (p.file == 0 || p.file > found_.files.size()) return "<input>";
  return found_.text_of(found_.files[p.file - 1]);
}

TESSERA_INLINE text listing::describe(const diagnostic& d) const {
  text out;
  const auto begin = [&](const place& p, std::string_view severity, std::string_view message) {
    out << file_name(p);
    if (has_source(p) && !sources_[p.file].is_binary) {
      const line_column at = locate(p);
      out << ':' << at.line << ':' << at.column;
    }
    out << ": " << severity << ": " << message;
  };
  const auto end = [&out](const place& p) {
    if (p.index != error_index::none && p.index != error_index::whole)
      out << " at " << tessera::name(p.index) << ' ' << p.offset;
  };
  const auto excerpt = [&](const place& p, std::string_view inserted, std::uint64_t inserted_at) {
    if (!has_source(p)) return;
    const source_file& s = sources_[p.file];
    const std::size_t offset = p.offset < s.text.size() ? to_size(p.offset) : s.text.size();
    if (s.is_binary)
      detail::append_hex_line(out, as_bytes(s.text), offset);
    else
      detail::append_caret(out, s.text, offset, p.length, inserted, to_size(inserted_at));
  };

  begin(d.where, tessera::name(d.severity), found_.text_of(d.text));
  const bool is_element = d.where.index != error_index::none;
  const bool is_binary = has_source(d.where) && sources_[d.where.file].is_binary;
  const std::string_view path = path_of(d);
  if (path.empty() && !is_binary) {
    out << " [" << found_.rule_of(d) << ']';
    end(d.where);
    out << '\n';
  } else {
    out << "\n  [" << found_.rule_of(d) << "] at ";
    append_shown(out, path);
    if (!is_element) {
      out << (!path.empty() ? ", offset " : "offset ") << d.where.offset;
      if (is_binary) detail::append_offset_in_hex(out, d.where.offset);
    }
    out << '\n';
  }
  const std::string_view replacement = found_.text_of(d.replacement);
  const bool is_shown = d.has_fix && d.fix.file == d.where.file && !replacement.empty() &&
                        replacement.find('\n') == replacement.npos;
  excerpt(d.where, is_shown ? replacement : std::string_view(), d.fix.offset);
  if (d.has_note) {
    if (d.related.length == 0) {
      out << "  note: " << found_.text_of(d.note) << '\n';
    } else {
      begin(d.related, "note", found_.text_of(d.note));
      end(d.related);
      out << '\n';
      excerpt(d.related, {}, 0);
    }
  }
  return out;
}

TESSERA_INLINE text describe(const report& found, view<source_file> sources) {
  const listing list(found, sources);
  text out;
  for (const diagnostic& d : found.diagnostics) {
    const text one = list.describe(d);
    out << one.view();
  }
  return out;
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_REPORT_HPP

// ---- tessera/alir/detail/verify.hpp
//
// The bodies of alir/verify.hpp.

#ifndef TESSERA_ALIR_DETAIL_VERIFY_HPP
#define TESSERA_ALIR_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>


// ---- tessera/core/findings.hpp
//
// How verifiers fill a report, and keep the first error even without one.
//
//   detail::findings found(report, options.max_diagnostics);
//   found.error(errc::nac_argument_count, {.offset = at})
//       << name << ": " << count << " arguments; expected " << least << " or " << most;
//   found.warning(errc::nac_id_repeated, {.offset = at}).path() << "instruction " << i;
//   if (found.failed()) return found.first_error();
//
// Without a message of its own, a finding has the general message of its code.
//
// Lifetime:   borrows the report.
// Errors:     none.
// Limits:     a report keeps `max_diagnostics` and a gibibyte of text, and counts all findings; a
//             text written into a message is cut to 200 bytes.
// Allocation: the report's.

#ifndef TESSERA_CORE_FINDINGS_HPP
#define TESSERA_CORE_FINDINGS_HPP

#include <cstdint>
#include <string_view>
#include <type_traits>


namespace tessera::inline TESSERA_ABI {
namespace detail {

class findings {
 public:
  /// Appends to every message: which iteration of a loop it is about.
  struct ending {
    void (*append)(const void* context, const diagnostic& d, text& to) = nullptr;
    const void* context = nullptr;
  };

  findings(report* to, std::uint64_t max_diagnostics) noexcept : to_(to), max_(max_diagnostics) {}
  /// Ends the texts of the latest diagnostic, which lose their end where there is no memory.
  ~findings() { close_or_cut(); }
  findings(const findings&) = delete;
  findings& operator=(const findings&) = delete;

  /// Writes the texts of the latest diagnostic: the message first, then, each at most once and in any
  /// order, a path, a note and a fix. One pointer, null without a report or where the diagnostic isn't
  /// kept; whoever adds the next finding ends its texts, so a call costs its caller the least.
  class writer {
   public:
    explicit writer(findings* to = nullptr) noexcept : to_(to) {}

    [[gnu::cold]] friend writer operator<<(writer w, std::string_view part) { return w.put(part); }
    [[gnu::cold]] friend writer operator<<(writer w, const char* part) {
      return w << std::string_view(part);
    }
    [[gnu::cold]] friend writer operator<<(writer w, const text& part) { return w << part.view(); }
    [[gnu::cold]] friend writer operator<<(writer w, char part) {
      return w << std::string_view(&part, 1);
    }
    template <class Int>
      requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
    friend writer operator<<(writer w, Int part) {
      if constexpr (std::is_signed_v<Int>)
        return w.put_signed(part);
      else
        return w.put_unsigned(part);
    }
    /// Whatever else can be written into a text, as it is.
    template <class Part>
      requires(std::is_class_v<Part> && !std::is_convertible_v<const Part&, std::string_view> &&
               !std::is_same_v<Part, text>)
    friend writer operator<<(writer w, const Part& part) {
      if (w.to_ != nullptr) w.characters() << part;
      return w;
    }
    /// What follows is the path, written as it is.
    const writer& path() const { return start_path(), *this; }
    /// What follows is the note, about `related`.
    const writer& note(place related = {}) const { return start_note(related), *this; }
    /// What follows replaces `range`, as it is.
    const writer& fix(place range) const { return start_fix(range), *this; }

   private:
    [[nodiscard]] text& characters() const noexcept { return to_->to_->characters; }
    [[gnu::cold]] writer put(std::string_view part) const;
    [[gnu::cold]] void start_path() const;
    [[gnu::cold]] void start_note(const place& related) const;
    [[gnu::cold]] void start_fix(const place& range) const;
    [[gnu::cold]] writer put_signed(std::int64_t part) const;
    [[gnu::cold]] writer put_unsigned(std::uint64_t part) const;

    findings* to_;
  };

  /// Adds a finding, whose texts are written into the result. `rule` is the id of the rule where that
  /// isn't the code's name; a path that is known already can be given here.
  [[gnu::cold]] writer add(errc code, severity s, place where, std::string_view rule = {},
                           std::string_view path = {});
  writer error(errc code, place where) { return add(code, severity::error, where); }
  writer warning(errc code, place where) { return add(code, severity::warning, where); }
  writer note(errc code, place where) { return add(code, severity::note, where); }
  /// Adds an error with its general message.
  [[gnu::cold]] void error(const tessera::error& e) { error(e.code, {0, e.offset, 0, e.index}); }

  [[nodiscard]] bool failed() const noexcept { return first_.code != errc::ok; }
  [[nodiscard]] const tessera::error& first_error() const noexcept { return first_; }
  /// The number of errors.
  [[nodiscard]] std::uint64_t errors() const noexcept { return errors_; }
  /// Ends the texts of the latest diagnostic. Needed only to look at them while this lives.
  [[gnu::cold]] void close();

 protected:
  report* to_;
  std::uint64_t max_;
  std::uint64_t errors_ = 0;
  tessera::error first_;
  ending ending_;

 private:
  [[nodiscard]] diagnostic& last() const noexcept { return to_->diagnostics.back(); }
  void open(text_range& range) noexcept;
  [[gnu::cold]] void close_or_cut() noexcept;

  text_range* range_ = nullptr;  // the one that is written now, of the latest diagnostic
  bool is_verbatim_ = false;
  text end_, path_;  // of its message; its path, written after that
};

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)

// ---- tessera/core/detail/findings.hpp
//
// The bodies of core/findings.hpp.

#ifndef TESSERA_CORE_DETAIL_FINDINGS_HPP
#define TESSERA_CORE_DETAIL_FINDINGS_HPP


namespace tessera::inline TESSERA_ABI {
namespace detail {

TESSERA_INLINE auto findings::add(errc code, severity s, place where, std::string_view rule,
                                  std::string_view path) -> writer {
  if (s == severity::error) {
    ++errors_;
    if (first_.code == errc::ok) first_ = {code, where.offset, where.index};
  }
  if (to_ == nullptr) return writer();
  close();
  ++(s == severity::error ? to_->errors : s == severity::warning ? to_->warnings : to_->notes);
  constexpr std::size_t max_characters = std::size_t{1} << 30;
  if (to_->diagnostics.size() >= max_ || to_->characters.size() > max_characters) return writer();
  to_->diagnostics.push_back({});
  diagnostic& d = last();
  d.code = code;
  d.severity = s;
  d.where = where;
  d.rule = {static_cast<std::uint32_t>(to_->characters.size()),
            static_cast<std::uint32_t>(rule.size())};
  to_->characters << rule;
  if (ending_.append != nullptr) ending_.append(ending_.context, d, end_);
  path_ << path;
  open(d.text);
  return writer(this);
}

TESSERA_INLINE void findings::writer::start_path() const {
  if (to_ == nullptr) return;
  to_->close();
  to_->open(to_->last().path);
  to_->is_verbatim_ = true;
}

TESSERA_INLINE void findings::writer::start_note(const place& related) const {
  if (to_ == nullptr) return;
  to_->close();
  diagnostic& d = to_->last();
  d.has_note = true;
  d.related = related;
  to_->open(d.note);
}

TESSERA_INLINE void findings::writer::start_fix(const place& range) const {
  if (to_ == nullptr) return;
  to_->close();
  diagnostic& d = to_->last();
  d.has_fix = true;
  d.fix = range;
  to_->open(d.replacement);
  to_->is_verbatim_ = true;
}

TESSERA_INLINE auto findings::writer::put_signed(std::int64_t part) const -> writer {
  if (to_ != nullptr) characters() << part;
  return *this;
}

TESSERA_INLINE auto findings::writer::put_unsigned(std::uint64_t part) const -> writer {
  if (to_ != nullptr) characters() << part;
  return *this;
}

TESSERA_INLINE auto findings::writer::put(std::string_view part) const -> writer {
  if (to_ == nullptr) return *this;
  constexpr std::size_t max_shown = 200;
  text& out = characters();
  if (to_->is_verbatim_) {
    out << part;
    return *this;
  }
  std::size_t size = part.size();
  if (size > max_shown)  // cut between characters of UTF-8
    for (size = max_shown; size > 0 && (static_cast<unsigned char>(part[size]) & 0xc0u) == 0x80u;)
      --size;
  append_shown(out, part.substr(0, size));
  if (size < part.size()) out << "...";
  return *this;
}

TESSERA_INLINE void findings::open(text_range& range) noexcept {
  range_ = &range;
  range_->first = static_cast<std::uint32_t>(to_->characters.size());
  is_verbatim_ = false;
}

TESSERA_INLINE void findings::close() {
  if (range_ == nullptr) return;
  text& out = to_->characters;
  if (range_ == &last().text) {
    if (out.size() == range_->first) out << tessera::error{last().code}.message();
    out << end_;
    end_.clear();
  }
  const auto end = static_cast<std::uint32_t>(out.size());
  range_->size = end - range_->first;
  range_ = nullptr;
  if (path_.empty()) return;
  out << path_;
  last().path = {end, static_cast<std::uint32_t>(path_.size())};
  path_.clear();
}

TESSERA_INLINE void findings::close_or_cut() noexcept {
  if (range_ == nullptr) return;
  text& out = to_->characters;
  const std::size_t message = tessera::error{last().code}.message().size();
  if (!out.try_reserve(out.size() + message + end_.size() + path_.size())) {
    end_.clear();
    path_.clear();
    if (out.size() == range_->first) range_ = nullptr;  // not even a message
  }
  close();
}

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_FINDINGS_HPP
#endif

#endif  // TESSERA_CORE_FINDINGS_HPP

namespace tessera::inline TESSERA_ABI {
namespace alir {

TESSERA_INLINE alir::model program::release() && noexcept {
  model_.source = {};
  return std::move(model_);
}

TESSERA_INLINE std::int64_t program::base(std::size_t i) const noexcept {
  const auto x = static_cast<std::size_t>(op(i).id0);
  return table_base(op(x).qint, type(x));
}

TESSERA_INLINE std::int64_t program::common_fraction(const alir::model& m, const types& t,
                                                     const operation& sum) noexcept {
  std::int64_t most = INT64_MIN;
  for (const term& x : terms(m, sum))
    if (fraction(t, x) > most) most = fraction(t, x);
  return most;
}

TESSERA_INLINE alignment program::align(const alir::model& m, const types& t,
                                        std::size_t i) noexcept {
  const operation& o = m.ops[i];
  const auto f_of = [&t](std::int64_t id) -> std::int64_t {
    return t[static_cast<std::size_t>(id)].f;
  };
  // Brings b·2^s to the finer of the two grids, then to the result's.
  const auto meet = [](std::int64_t f_a, std::int64_t f_b) -> alignment {
    const std::int64_t apart = f_a - f_b;
    return {apart < 0 ? -apart : 0, apart > 0 ? apart : 0, apart < 0 ? f_b : f_a};
  };
  const std::int64_t f = t[i].f;
  alignment s;
  switch (o.code) {
    case opcode::add:
    case opcode::subtract:
      s = meet(f_of(o.id0), f_of(o.id1) - o.data);
      s.result = f - s.result;
      break;
    case opcode::add_constant:
      s = meet(f_of(o.id0), o.shift);
      s.result = f - s.result;
      break;
    case opcode::bit_binary:
      s = meet(f_of(o.id0), f_of(o.id1) - o.shift);
      s.result = 0;
      break;
    case opcode::relu: s.result = f - f_of(o.id0); break;
    case opcode::quantize: s.result = f - f_of(o.id0) + o.shift; break;
    case opcode::mux: s = {f - f_of(o.id0), f - f_of(o.id1) + o.shift, 0}; break;
    case opcode::sum: s.result = f - common_fraction(m, t, o); break;
    case opcode::negate:
    case opcode::input:
    case opcode::constant:
    case opcode::multiply:
    case opcode::lookup:
    case opcode::bit_unary: break;
  }
  return s;
}

}  // namespace alir
namespace alir::detail {

/// Whether verify() accepts an interval.
[[nodiscard]] inline errc check_interval(const interval& q) noexcept {
  if (!is_finite(q.min) || !is_finite(q.max) || !(q.min <= q.max)) return errc::alir_interval;
  if (q.min == 0.0 && q.max == 0.0) return errc::ok;
  if (!is_step(q.step)) return errc::alir_step;
  const fixed_type t = type_of(q);
  if (q.min / q.step < -9223372036854775808.0) return errc::alir_width;
  // 2^63 codes and more: the float rule of type_of would hide the bit that is missing.
  if (!t.k && q.max / q.step >= 9223372036854775808.0) return errc::alir_width;
  return t.width() > (t.k ? 64 : 63) ? errc::alir_width : errc::ok;
}

/// An error about operation `index`; `distance` of its place in the source is added.
template <class Distance>
[[nodiscard]] error error_at(const model& m, errc code, std::size_t index, Distance distance) {
  if (index >= m.source.ops.size()) return {code, index, error_index::operation};
  const source_map::place& p = m.source.ops[index];
  return {code, p.start + distance(p)};
}

[[nodiscard]] inline error error_at(const model& m, errc code, std::size_t index) {
  return error_at(m, code, index, [](const source_map::place&) { return std::uint64_t{0}; });
}

[[nodiscard]] inline error error_at_table(const model& m, errc code, std::size_t index) {
  if (index >= m.source.tables.size()) return {code, index, error_index::table};
  return {code, m.source.tables[index]};
}

/// One about a list as a whole. No list is at the start of a source.
[[nodiscard]] inline error error_at_list(errc code, std::uint64_t offset) {
  return {code, offset, offset == 0 ? error_index::whole : error_index::none};
}

/// Whether a table's entries lie within model::table_data, after those of the table before. That
/// none is shared bounds the size of what is written.
[[nodiscard]] inline bool holds_entries(const model& m, std::size_t table) noexcept {
  const lookup_table& t = m.tables[table];
  const std::uint64_t used = table == 0 ? 0 : m.tables[table - 1].first + m.tables[table - 1].count;
  return t.first >= used && t.first <= m.table_data.size() &&
         t.count <= m.table_data.size() - t.first;
}

/// What is wrong with the ids of an operation, in the order in which it is reported.
struct id_faults {
  errc list[3] = {};
  std::size_t count = 0;

  void add(errc code) noexcept { list[count++] = code; }
  [[nodiscard]] errc first() const noexcept { return list[0]; }
};

[[nodiscard]] inline id_faults check_ids(const model& m, std::size_t index) noexcept {
  const operation& o = m.ops[index];
  const auto earlier = [index](std::int64_t id) {
    return id >= 0 && static_cast<std::uint64_t>(id) < index;
  };
  id_faults out;
  if (o.code == opcode::sum) {
    const auto count = static_cast<std::int64_t>(m.terms.size());
    bool sound = o.id0 >= 0 && o.id1 >= 2 && o.id0 <= count && o.id1 <= count - o.id0;
    if (sound)
      for (const term& t : terms(m, o)) sound = sound && earlier(t.id);
    if (!sound) out.add(errc::alir_sum_terms);
    return out;
  }
  const int ids = info(o.code).ids;
  if (o.code == opcode::input) {
    if (o.id0 < 0 || o.id0 >= m.n_inputs) out.add(errc::alir_input_index);
  } else if (ids > 0 ? !earlier(o.id0) : o.id0 != -1) {
    out.add(ids > 0 ? errc::alir_id0 : errc::alir_unused_id0);
  }
  if (ids < 2 ? o.id1 != -1 : !earlier(o.id1))
    out.add(ids < 2 ? errc::alir_unused_id1 : errc::alir_id1);
  if (o.code == opcode::mux && !earlier(o.data)) out.add(errc::alir_condition);
  return out;
}

/// Sub-operations and tables.
[[nodiscard]] inline errc check_data(const model& m, const operation& o) noexcept {
  const bool shifts = o.code == opcode::quantize || o.code == opcode::add_constant ||
                      o.code == opcode::mux || o.code == opcode::bit_binary;
  if (!shifts && o.shift != 0) return errc::alir_unused_shift;
  switch (o.code) {
    case opcode::add:
    case opcode::subtract:
      return o.data < INT32_MIN || o.data > INT32_MAX ? errc::alir_shift : errc::ok;
    case opcode::bit_unary: return o.data < 0 || o.data > 2 ? errc::alir_sub_operation : errc::ok;
    case opcode::bit_binary:
      return o.data < 0 || o.data >> 24 > 2 ? errc::alir_sub_operation : errc::ok;
    case opcode::lookup: {
      if (o.data < 0 || static_cast<std::uint64_t>(o.data) >= m.tables.size())
        return errc::alir_table_index;
      return errc::ok;
    }
    default: return errc::ok;
  }
}

[[nodiscard]] inline errc check_shifts(const program& p, std::size_t index) noexcept {
  const operation& o = p.op(index);
  const auto possible = [](std::int64_t shift) { return shift >= -63 && shift <= 63; };
  if (o.code == opcode::sum) {
    const std::int64_t common = p.sum_fraction(index);
    for (const term& t : terms(p.model(), o))
      if (!possible(p.term_shift(common, t))) return errc::alir_shift;
  }
  const alignment s = p.shifts(index);
  if (!possible(s.a) || !possible(s.b) || !possible(s.result)) return errc::alir_shift;
  return o.code == opcode::mux && s.a != 0 && s.b != 0 ? errc::alir_mux_alignment : errc::ok;
}

/// Calls `fault(error, index)` for what is wrong with lengths, outputs and tables.
template <class Fault>
void for_each_interface_fault(const model& m, Fault&& fault) {
  const auto count = [](std::int64_t n) { return n >= 0 && n <= INT32_MAX; };
  const bool has_counts = count(m.n_inputs) && count(m.n_outputs);
  if (!has_counts) fault(error_at_list(errc::alir_shape, m.source.shape), std::size_t{0});
  const auto list = [&](std::size_t size, std::int64_t expected, errc code, std::uint64_t offset) {
    if (has_counts && size != static_cast<std::size_t>(expected))
      fault(error_at_list(code, offset), std::size_t{0});
  };
  list(m.inp_shifts.size(), m.n_inputs, errc::alir_inp_shifts_count, m.source.inp_shifts);
  list(m.out_idxs.size(), m.n_outputs, errc::alir_out_idxs_count, m.source.out_idxs);
  list(m.out_shifts.size(), m.n_outputs, errc::alir_out_shifts_count, m.source.out_shifts);
  list(m.out_negs.size(), m.n_outputs, errc::alir_out_negs_count, m.source.out_negs);
  for (std::size_t j = 0; j < m.out_idxs.size(); ++j)
    if (m.out_idxs[j] >= 0 && static_cast<std::size_t>(m.out_idxs[j]) >= m.ops.size())
      fault(j < m.source.outputs.size() ? error{errc::alir_output_index, m.source.outputs[j]}
                                        : error{errc::alir_output_index, j, error_index::output},
            j);
  for (std::size_t t = 0; t < m.tables.size(); ++t)
    if (m.tables[t].count == 0 || !holds_entries(m, t))
      fault(error_at_table(m, errc::alir_table_empty, t), t);
}
/// The first of them.
[[nodiscard]] inline error check_interface(const model& m) {
  error first;
  for_each_interface_fault(m, [&first](const error& e, std::size_t) {
    if (first.code == errc::ok) first = e;
  });
  return first;
}

/// Any number, as Python prints it.
inline void print_number(text& out, double v) {
  if (is_finite(v))
    append_double(out, v, double_style::python);
  else
    out << (v > 0 ? "inf" : v < 0 ? "-inf" : "nan");
}

/// Finds all faults of a model, and the types of its operations.
class verifier {
 public:
  verifier(program& p, pool<fixed_type>& types, tessera::detail::findings& found) noexcept
      : p_(p), m_(p.model()), types_(types), found_(found) {}

  void run() {
    for_each_interface_fault(
        m_, [this](const error& e, std::size_t index) { interface_fault(e, index); });
    types_.reserve(m_.ops.size());
    for (std::size_t i = 0; i < m_.ops.size(); ++i) operation_faults(i);
  }

 private:
  void operation_faults(std::size_t i) {
    const operation& o = m_.ops[i];
    types_.push_back(unknown);
    if (static_cast<int>(o.code) < first_opcode || static_cast<int>(o.code) > last_opcode)
      return fault(errc::alir_opcode, i);
    const id_faults ids = check_ids(m_, i);
    for (std::size_t k = 0; k < ids.count; ++k) fault(ids.list[k], i);
    bool has_ids = ids.count == 0;
    if (has_ids && o.code == opcode::sum) {  // terms of its own: sharing would make this quadratic
      if (o.id0 < terms_used_)
        fault(errc::alir_sum_terms, i), has_ids = false;
      else
        terms_used_ = std::int64_t{o.id0} + o.id1;
    }
    if (const errc e = check_interval(o.qint); e != errc::ok)
      fault(e, i);
    else
      types_[i] = type_of(o.qint);
    if (const errc e = check_data(m_, o); e != errc::ok) return fault(e, i);
    if (!has_ids || !has_types(i)) return;
    if (const errc e = check_shifts(p_, i); e != errc::ok) return fault(e, i);
    if (o.code == opcode::lookup) {
      const auto x = static_cast<std::size_t>(o.id0);
      const double pad = table_pad(m_.ops[x].qint, types_[x]);
      if (!(pad >= INT32_MIN && pad <= INT32_MAX)) fault(errc::alir_table_base, i);
    }
  }

  /// Whether an operation, whose ids are sound, and its operands have types.
  [[nodiscard]] bool has_types(std::size_t i) const noexcept {
    const operation& o = m_.ops[i];
    const auto has = [this](std::int64_t id) {
      return !(types_[static_cast<std::size_t>(id)] == unknown);
    };
    bool all = has(static_cast<std::int64_t>(i));
    if (o.code == opcode::sum)
      for (const term& t : terms(m_, o)) all = all && has(t.id);
    else if (o.code != opcode::input)
      all = all && (info(o.code).ids < 1 || has(o.id0)) && (info(o.code).ids < 2 || has(o.id1));
    return all;
  }

  /// Of the parts of an operation, the one that a fault is about.
  [[nodiscard]] std::uint64_t distance(errc code, const source_map::place& s) const noexcept {
    switch (code) {
      case errc::alir_condition: return s.condition;
      case errc::alir_input_index: return m_.spec_version != 2 ? s.data : 0;
      case errc::alir_id1:
      case errc::alir_unused_id1: return s.id1;
      case errc::alir_interval:
      case errc::alir_step:
      case errc::alir_width: return s.qint;
      case errc::alir_shift:
      case errc::alir_mux_alignment:
      case errc::alir_table_index:
      case errc::alir_sub_operation:
      case errc::alir_unused_shift:
      case errc::alir_table_base: return s.data;
      default: return 0;
    }
  }

  [[gnu::cold]] [[gnu::noinline]] void fault(errc code, std::size_t i) {
    const error e = error_at(m_, code, i, [&](const source_map::place& s) -> std::uint64_t {
      return distance(code, s);
    });
    auto out = found_.error(code, {0, e.offset, 0, e.index});
    const operation& o = m_.ops[i];
    const auto earlier = [&](std::string_view what, std::int64_t id) {
      out << what << " is " << id << "; expected an earlier operation, ";
      if (i == 0)
        out << "of which there is none";
      else
        out << "0 to " << i - 1;
    };
    switch (code) {
      case errc::alir_opcode:
        out << "unknown opcode " << static_cast<int>(o.code) << "; expected " << first_opcode
            << " to " << last_opcode;
        return;
      case errc::alir_input_index: absent(out << "input " << o.id0, m_.n_inputs); break;
      case errc::alir_id0: earlier("id0", o.id0); break;
      case errc::alir_id1: earlier("id1", o.id1); break;
      case errc::alir_condition: earlier("the condition", o.data); break;
      case errc::alir_unused_id0: unused(out, "id0", o, o.id0, -1); break;
      case errc::alir_unused_id1: unused(out, "id1", o, o.id1, -1); break;
      case errc::alir_unused_shift: unused(out, "shift", o, o.shift, 0); break;
      case errc::alir_interval:
      case errc::alir_step:
      case errc::alir_width:
        out << "[";
        number(out, o.qint.min), out << ", ";
        number(out, o.qint.max), out << ", ";
        number(out, o.qint.step), out << "]: " << error{code}.message();
        break;
      case errc::alir_shift: shift(out, i); break;
      case errc::alir_mux_alignment:
        out << "the operands would be shifted by " << p_.shifts(i).a << " and by " << p_.shifts(i).b
            << "; at most one may be shifted";
        break;
      case errc::alir_table_index:
        absent(out << "lookup table " << o.data, static_cast<std::int64_t>(m_.tables.size()));
        break;
      case errc::alir_table_base: {
        const auto x = static_cast<std::size_t>(o.id0);
        number(out << "the table would begin at index ", table_pad(m_.ops[x].qint, types_[x]));
        out << " of the operand; expected -2147483648 to 2147483647";
        break;
      }
      case errc::alir_sub_operation:
        out << "sub-operation "
            << (o.code == opcode::bit_binary && o.data >= 0 ? o.data >> 24 : o.data)
            << "; expected 0, 1 or 2";
        break;
      case errc::alir_sum_terms:
        if (o.id1 < 2) {
          out << "the sum has " << o.id1 << (o.id1 == 1 ? " term" : " terms")
              << "; expected at least 2";
          break;
        }
        [[fallthrough]];
      default: out << error{code}.message();
    }
    if (m_.source.is_bytecode)
      out.path() << "operation " << i << " (" << info(o.code).mnemonic << ')';
  }

  using writer = tessera::detail::findings::writer;

  static void unused(writer out, std::string_view what, const operation& o, std::int64_t found,
                     int expected) {
    out << what << " is " << found << "; expected " << expected << ", as " << info(o.code).mnemonic
        << " does not use it";
  }
  /// After an index.
  static void absent(writer out, std::int64_t count) {
    out << " does not exist; ";
    if (count <= 0)
      out << "the model has none";
    else
      out << "expected 0 to " << count - 1;
  }
  static void number(writer out, double v) {
    text shown;
    print_number(shown, v);
    out << shown.view();
  }
  void shift(writer out, std::size_t i) const {
    const operation& o = m_.ops[i];
    const auto farther = [](std::int64_t a, std::int64_t b) {
      return (a < 0 ? -a : a) < (b < 0 ? -b : b) ? b : a;
    };
    if ((o.code == opcode::add || o.code == opcode::subtract) &&
        (o.data < INT32_MIN || o.data > INT32_MAX)) {
      out << "the operand is shifted by " << o.data << "; expected at most 63 bits";
      return;
    }
    const alignment s = p_.shifts(i);
    std::int64_t worst = farther(farther(s.a, s.b), s.result);
    if (o.code == opcode::sum)
      for (const term& t : terms(m_, o))
        worst = farther(worst, p_.term_shift(p_.sum_fraction(i), t));
    out << "the operation shifts by " << (worst < 0 ? -worst : worst)
        << " bits; expected at most 63";
  }

  [[gnu::cold]] [[gnu::noinline]] void interface_fault(const error& e, std::size_t index) {
    auto out = found_.error(e.code, {0, e.offset, 0, e.index});
    const auto counts = [&](std::string_view list, std::size_t size, std::int64_t expected,
                            std::string_view of) {
      out << list << " has " << size << (size == 1 ? " entry" : " entries") << "; expected "
          << expected << ", one for each " << of;
    };
    switch (e.code) {
      case errc::alir_shape:
        out << m_.n_inputs << " inputs and " << m_.n_outputs
            << " outputs; expected 0 to 2147483647 of each";
        break;
      case errc::alir_inp_shifts_count:
        counts("inp_shifts", m_.inp_shifts.size(), m_.n_inputs, "input");
        break;
      case errc::alir_out_idxs_count:
        counts("out_idxs", m_.out_idxs.size(), m_.n_outputs, "output");
        break;
      case errc::alir_out_shifts_count:
        counts("out_shifts", m_.out_shifts.size(), m_.n_outputs, "output");
        break;
      case errc::alir_out_negs_count:
        counts("out_negs", m_.out_negs.size(), m_.n_outputs, "output");
        break;
      case errc::alir_output_index:
        out << "output " << index << " refers to operation " << m_.out_idxs[index]
            << "; expected -1 (none)";
        if (!m_.ops.empty()) out << " or 0 to " << m_.ops.size() - 1;
        if (m_.source.is_bytecode) out.path() << "out_idxs[" << index << ']';
        break;
      case errc::alir_table_empty:
        if (m_.tables[index].count == 0)
          out << "table " << index << " has no entries; expected at least 1";
        else
          out << "table " << index << " shares entries with another table or has some outside "
              << "table_data; expected entries of its own";
        if (m_.source.is_bytecode) out.path() << "table " << index;
        break;
      default: out << e.message();  // unreachable: interfaces have no other fault
    }
  }

  static constexpr fixed_type unknown = {false, INT16_MIN, INT16_MIN};

  const program& p_;
  const model& m_;
  pool<fixed_type>& types_;
  tessera::detail::findings& found_;
  std::int64_t terms_used_ = 0;
};

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<program> verify(alir::model m, const verify_options& options, report* found) {
  program p(std::move(m));
  tessera::detail::findings findings(found, options.max_diagnostics);
  detail::verifier(p, p.types_, findings).run();
  if (findings.failed()) return findings.first_error();
  return p;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_VERIFY_HPP

// ---- tessera/alir/detail/print.hpp
//
// The bodies of alir/print.hpp.

#ifndef TESSERA_ALIR_DETAIL_PRINT_HPP
#define TESSERA_ALIR_DETAIL_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

inline void print_count(text& out, std::int64_t n, std::string_view noun) {
  out << n << ' ' << noun << (n == 1 ? "" : "s");
}

/// Mnemonic and operands. `terms_used` is how many terms earlier sums have printed: a model that
/// shares them doesn't verify, and its listing must not grow with their product.
inline void print_operation(text& out, const model& m, const operation& o,
                            std::int64_t& terms_used) {
  if (static_cast<int>(o.code) < first_opcode || static_cast<int>(o.code) > last_opcode) {
    out << "? " << static_cast<int>(o.code);
    return;
  }
  const auto shifted = [&out](std::int64_t by) {
    if (by != 0) out << " << " << by;
  };
  if (o.code == opcode::bit_unary && o.data >= 0 && o.data <= 2) {
    constexpr std::string_view names[] = {"not", "any", "all"};
    out << names[o.data] << " %" << o.id0;
    return;
  }
  if (o.code == opcode::bit_binary && o.data >= 0 && o.data >> 24 <= 2) {
    constexpr std::string_view names[] = {"and", "or", "xor"};
    out << names[o.data >> 24] << " %" << o.id0 << ", %" << o.id1;
    return shifted(o.shift);
  }
  out << info(o.code).mnemonic << ' ';
  switch (o.code) {
    case opcode::input: out << o.id0; break;
    case opcode::add:
    case opcode::subtract:
      out << '%' << o.id0 << ", %" << o.id1;
      shifted(o.data);
      break;
    case opcode::negate:
    case opcode::relu: out << '%' << o.id0; break;
    case opcode::quantize:
      out << '%' << o.id0;
      shifted(o.shift);
      break;
    case opcode::add_constant:
      out << '%' << o.id0 << ", " << o.data;
      shifted(-std::int64_t{o.shift});
      break;
    case opcode::constant: out << o.data; break;
    case opcode::mux:
      out << '%' << o.data << " ? %" << o.id0 << " : %" << o.id1;
      shifted(o.shift);
      break;
    case opcode::multiply: out << '%' << o.id0 << ", %" << o.id1; break;
    case opcode::lookup: out << '%' << o.id0 << ", table " << o.data; break;
    case opcode::bit_unary: out << '%' << o.id0 << ", " << o.data; break;
    case opcode::bit_binary:
      out << '%' << o.id0 << ", %" << o.id1;
      shifted(o.shift);
      out << ", " << o.data;
      break;
    case opcode::sum: {
      const auto size = static_cast<std::int64_t>(m.terms.size());
      if (o.id0 < terms_used || o.id1 < 0 || o.id0 > size || o.id1 > size - o.id0) {
        out << '?';
        break;
      }
      terms_used = std::int64_t{o.id0} + o.id1;
      std::string_view between;
      for (const term& t : terms(m, o)) {
        out << between << (t.negative ? "-%" : "%") << t.id;
        shifted(t.shift);
        between = ", ";
      }
      break;
    }
  }
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE text print(const model& m, const print_options& options) {
  text out;
  out << "alir " << m.spec_version << ": ";
  detail::print_count(out, m.n_inputs, "input");
  out << ", ";
  detail::print_count(out, m.n_outputs, "output");
  out << ", ";
  detail::print_count(out, static_cast<std::int64_t>(m.ops.size()), "operation");
  out << ", ";
  detail::print_count(out, static_cast<std::int64_t>(m.tables.size()), "table");
  out << '\n';
  for (std::size_t j = 0; j < m.inp_shifts.size(); ++j)
    if (m.inp_shifts[j] != 0) out << "input " << j << " << " << m.inp_shifts[j] << '\n';
  std::int64_t terms_used = 0;
  for (std::size_t i = 0; i < m.ops.size(); ++i) {
    constexpr std::size_t type_column = 36;
    const operation& o = m.ops[i];
    const std::size_t start = out.size();
    out << '%' << i << " = ";
    detail::print_operation(out, m, o, terms_used);
    do out << ' ';
    while (out.size() - start < type_column);
    out << ": ";
    if (detail::check_interval(o.qint) == errc::ok) {
      const fixed_type t = type_of(o.qint);
      out << "fixed<" << (t.k ? 1 : 0) << ',' << t.i << ',' << t.f << "> [";
    } else {
      out << "? [";
    }
    detail::print_number(out, o.qint.min);
    out << ", ";
    detail::print_number(out, o.qint.max);
    out << "] step ";
    detail::print_number(out, o.qint.step);
    if (options.costs && (o.latency != 0.0 || o.cost != 0.0)) {
      out << "; latency ";
      detail::print_number(out, o.latency);
      out << ", cost ";
      detail::print_number(out, o.cost);
    }
    out << '\n';
  }
  for (std::size_t i = 0; i < m.tables.size(); ++i) {
    constexpr std::size_t shown = 16;
    const lookup_table& t = m.tables[i];
    out << "table " << i << ": " << t.count << (t.count == 1 ? " entry [" : " entries [");
    if (detail::holds_entries(m, i)) {
      const view<std::int32_t> values = entries(m, t);
      for (std::size_t j = 0; j < values.size() && j < shown; ++j)
        out << (j == 0 ? "" : ", ") << values[j];
      if (values.size() > shown) out << ", ...";
    } else {
      out << '?';
    }
    out << "]\n";
  }
  for (std::size_t j = 0; j < m.out_idxs.size(); ++j) {
    out << "output " << j << " = ";
    if (m.out_idxs[j] < 0) {
      out << "0\n";
      continue;
    }
    out << (j < m.out_negs.size() && m.out_negs[j] != 0 ? "-%" : "%") << m.out_idxs[j];
    if (j < m.out_shifts.size() && m.out_shifts[j] != 0) out << " << " << m.out_shifts[j];
    out << '\n';
  }
  return out;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_PRINT_HPP

// ---- tessera/alir/detail/pipeline.hpp
//
// The bodies of alir/pipeline.hpp.

#ifndef TESSERA_ALIR_DETAIL_PIPELINE_HPP
#define TESSERA_ALIR_DETAIL_PIPELINE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/alir/detail/read_json.hpp
//
// The bodies of alir/read_json.hpp.

#ifndef TESSERA_ALIR_DETAIL_READ_JSON_HPP
#define TESSERA_ALIR_DETAIL_READ_JSON_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

[[nodiscard]] constexpr bool is_int32(std::int64_t v) noexcept {
  return v >= INT32_MIN && v <= INT32_MAX;
}

/// Splits the 64-bit data of version 2 into the fields of an operation.
constexpr void unpack_data(operation& o, std::int64_t raw) noexcept {
  const auto low = static_cast<std::int32_t>(raw);
  const auto high = static_cast<std::int32_t>(raw >> 32);
  switch (o.code) {
    case opcode::add_constant:
    case opcode::mux: o.data = low, o.shift = high; break;
    case opcode::bit_binary: o.data = static_cast<std::uint32_t>(high), o.shift = low; break;
    default: o.data = raw;
  }
}

/// Fills an operation from the addresses and data values of versions 3 and 4, whose numbers have
/// been checked against the opcode. Terms of a sum go to `m`.
inline errc set_addresses_and_data(model& m, operation& o, view<std::int32_t> ids,
                                   view<std::int64_t> data) {
  const auto shift = [&o](std::int64_t v) {
    o.shift = static_cast<std::int32_t>(v);
    return is_int32(v) ? errc::ok : errc::alir_shift;
  };
  if (o.code == opcode::sum) {
    o.id0 = static_cast<std::int32_t>(m.terms.size());
    o.id1 = static_cast<std::int32_t>(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (data[2 * i] != 0 && data[2 * i] != 1) return errc::alir_sum_sign;
      if (!is_int32(data[2 * i + 1])) return errc::alir_shift;
      m.terms.push_back({ids[i], static_cast<std::int32_t>(data[2 * i + 1]), data[2 * i] == 0});
    }
    return errc::ok;
  }
  if (ids.size() > 0) o.id0 = ids[0];
  if (ids.size() > 1) o.id1 = ids[1];
  if (data.size() > 0) o.data = data[0];
  switch (o.code) {
    case opcode::input:
      o.data = 0;
      if (!is_int32(data[0])) return errc::alir_input_index;
      o.id0 = static_cast<std::int32_t>(data[0]);
      return errc::ok;
    case opcode::quantize: o.data = 0; return data.empty() ? errc::ok : shift(data[0]);
    case opcode::add_constant: return shift(data[1]);
    case opcode::mux: o.data = ids[2]; return shift(data[0]);
    case opcode::bit_binary:
      if (data[1] < 0 || data[1] > 2) return errc::alir_sub_operation;
      o.data = data[1] << 24;
      return shift(data[0]);
    default: return errc::ok;
  }
}

/// Whether a row of versions 3 and 4 has as many addresses and data values as its opcode wants.
/// (A quantize has no value in version 3 and one in version 4.)
[[nodiscard]] constexpr errc check_counts(opcode code, std::size_t ids, std::size_t data) noexcept {
  const opcode_row& row = info(code);
  if (code == opcode::sum) return data == 2 * ids ? errc::ok : errc::alir_data;
  if (ids != static_cast<std::size_t>(row.addresses)) return errc::alir_addresses;
  if (code == opcode::quantize && data == 0) return errc::ok;
  return data == static_cast<std::size_t>(row.data_values) ? errc::ok : errc::alir_data;
}

/// What read_json and the byte form of read_bytecode hold against the version at the end.
[[nodiscard]] constexpr errc check_version(std::int64_t version) noexcept {
  if (version == 0 || version == 1) return errc::alir_version_1;
  return version >= 2 && version <= 4 ? errc::ok : errc::alir_version_unknown;
}

/// Where the fast path puts operations. It leaves what is wrong, or to be noted, to the reader.
struct operation_sink {
  operation* ops;
  source_map::place* places;
  const char* text;
  std::size_t count = 0, most = 0;

  /// In its place, field by field: assembling it elsewhere and copying takes twice the time.
  [[gnu::always_inline]] operation& next(const json::row& r) noexcept {
    operation& o = *::new (static_cast<void*>(ops + count)) operation;
    o.code = static_cast<opcode>(r.integers[2]);
    o.spelled = static_cast<std::uint8_t>(r.integral);
    o.qint = {r.numbers[0], r.numbers[1], r.numbers[2]};
    o.latency = r.numbers[3];
    o.cost = r.numbers[4];
    return o;
  }
  [[gnu::always_inline]] bool takes(const json::row& r) const noexcept {
    return r.integers[2] >= first_opcode && r.integers[2] < last_opcode && count != most;
  }
  [[gnu::always_inline]] bool add(const char* at, source_map::place place) noexcept {
    place.start = static_cast<std::uint64_t>(at - text) & ((std::uint64_t{1} << 36) - 1);
    places[count++] = place;
    return true;
  }
};

static_assert(spelling::min == 1 && spelling::max == 2 && spelling::step == 4 &&
                  spelling::latency == 8 && spelling::cost == 16,
              "row_numbers::integral has the bits of spelling");

/// Version 2.
struct plain_sink : operation_sink {
  [[gnu::always_inline]] bool operator()(const json::row& r) noexcept {
    if (!takes(r)) return false;
    operation& o = next(r);
    o.id0 = r.integers[0];
    o.id1 = r.integers[1];
    unpack_data(o, r.second[0]);
    source_map::place at{};
    at.id1 = r.first_at[1] & 127;
    at.data = at.condition = r.second_at & 127;
    at.qint = r.group_at & 127;
    return add(r.at, at);
  }
};

/// Versions 3 and 4, but for sums.
struct variadic_sink : operation_sink {
  model& m;
  bool unshifted_quantize, shifted_quantize;  // whether the first of these has been noted

  [[gnu::always_inline]] bool operator()(const json::row& r) {
    if (!takes(r)) return false;
    operation& o = next(r);
    // What a list has not is -1 and 0, as in an operation.
    const std::int32_t ids[] = {r.integers[0], r.integers[1], r.integers[3]};
    if (check_counts(o.code, r.first_count, r.second_count) != errc::ok ||
        (o.code == opcode::quantize &&
         !(r.second_count == 0 ? unshifted_quantize : shifted_quantize)) ||
        set_addresses_and_data(m, o, {ids, 3}, {r.second, 2}) != errc::ok)
      return false;
    source_map::place at{};
    if (r.first_count > 1) at.id1 = r.first_at[1] & 127;
    if (r.first_count > 2) at.condition = r.first_at[2] & 127;
    at.data = (r.second_at + (o.code == opcode::input ? 1u : 0u)) & 127;
    at.qint = r.group_at & 127;
    return add(r.at, at);
  }
};

class json_model_reader {
 public:
  json_model_reader(std::string_view source, const limits& limit, json::row_path rows)
      : in_(source, limit), limit_(limit), size_(source.size()), rows_(rows) {}

  result<model> read() {
    if (size_ >> 36 != 0) return error{errc::input_too_large, std::uint64_t{1} << 36};
    const std::uint64_t start = in_.offset();
    if (in_.peek() == json::kind::array) {
      in_.skip();
      const error e = in_.finish();
      return e.code != errc::ok ? e : error{errc::alir_version_1, start};
    }
    bool has_model = false, has_meta = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "model") {
        reserve_operations();
        read_model();
        has_model = true;
      } else if (key == "meta") {
        const std::uint64_t at = in_.offset();
        const std::string_view meta = in_.string();
        if (meta != "ALIRModel" && meta != "DAISModel") in_.fail(errc::alir_meta, at);
        has_meta = true;
      } else if (key == "spec_version") {
        version_at_ = in_.offset();
        version_ = in_.int64();
        if (const errc e = check_version(version_); e != errc::ok) in_.fail(e, version_at_);
      } else {
        in_.skip();
      }
    }
    if (!has_model) in_.fail(errc::alir_missing_model, start);
    if (!has_meta) in_.fail(errc::alir_missing_meta, start);
    if (version_ < 0) in_.fail(errc::alir_missing_version, start);
    check_form();
    if (const error e = in_.finish(); e.code != errc::ok) return e;
    m_.spec_version = static_cast<std::int32_t>(version_);
    return std::move(m_);
  }

 protected:
  static constexpr std::uint64_t nowhere = UINT64_MAX;
  static constexpr std::uint64_t near_mask = 127;

  /// A distance as source_map::place holds it.
  [[nodiscard]] static constexpr std::uint64_t near(std::uint64_t distance) noexcept {
    return distance < near_mask ? distance : 0;
  }

  /// Appends unless the list, which starts at `first`, is full.
  template <class T>
  void append(pool<T>& list, std::uint64_t at, T value, std::uint64_t first = 0) {
    if (list.size() - first >= limit_.max_items || list.size() >= INT32_MAX)
      in_.fail(errc::too_many_items, at);
    else
      list.push_back(std::move(value));
  }
  void read_int32s(pool<std::int32_t>& list, pool<std::uint64_t>* places = nullptr) {
    const std::uint64_t first = list.size();
    for (in_.array(); in_.element();) {
      if (places == nullptr && read_small_integers(list, first)) continue;
      const std::uint64_t at = in_.offset();
      append(list, at, in_.int32(), first);
      if (places != nullptr) places->push_back(at);
    }
  }
  /// Takes integers of up to 9 digits that commas follow, as many as there are: most of a table.
  bool read_small_integers(pool<std::int32_t>& list, std::uint64_t first) {
    if (rows_ == json::row_path::none) return false;
    const std::string_view rest = in_.rest();
    const char* done = rest.data();
    const char* const end = done + rest.size();
    for (const char* p = done; end - p > 16;) {
      const bool negative = *p == '-';
      if (negative) ++p;
      const char* const digits = p;
      std::int32_t v = 0;
      for (; *p >= '0' && *p <= '9' && p - digits < 9; ++p) v = v * 10 + (*p - '0');
      if (p == digits || *p != ',' || (*digits == '0' && p - digits > 1) ||
          list.size() - first >= limit_.max_items || list.size() >= INT32_MAX)
        break;
      list.push_back(negative ? -v : v);
      done = p++;
      if (*p == ' ') ++p;
    }
    in_.resume(done);
    return done != rest.data();
  }
  void field() { in_.require_element(errc::alir_model_fields); }

  /// About as many as a text has that holds one model.
  void reserve_operations() {
    m_ = model{};
    m_.ops.reserve(to_size(size_ / 48));
    m_.source.ops.reserve(to_size(size_ / 48));
  }

  void read_model() {
    in_.array();
    field();
    read_shape();
    field();
    m_.source.inp_shifts = in_.offset();
    read_int32s(m_.inp_shifts);
    field();
    m_.source.out_idxs = in_.offset();
    read_int32s(m_.out_idxs, &m_.source.outputs);
    field();
    m_.source.out_shifts = in_.offset();
    read_int32s(m_.out_shifts);
    field();
    m_.source.out_negs = in_.offset();
    for (in_.array(); in_.element();) {
      const std::uint64_t at = in_.offset();
      const bool negative = in_.peek() == json::kind::number ? in_.int64() != 0 : in_.boolean();
      append(m_.out_negs, at, static_cast<std::uint8_t>(negative));
    }
    field();
    for (in_.array(); in_.element();)
      if (!read_rows()) read_operation();
    field();
    m_.carry_size = in_.int64();
    field();
    m_.adder_size = in_.int64();
    if (!in_.element()) return;
    if (in_.peek() == json::kind::null)
      in_.null();
    else
      for (in_.array(); in_.element();) read_table();
    in_.end_array(errc::alir_model_fields);
  }

  void read_shape() {
    m_.source.shape = in_.offset();
    in_.array();
    in_.require_element();
    m_.n_inputs = in_.int64();
    in_.require_element();
    m_.n_outputs = in_.int64();
    in_.end_array();
  }

  /// A float, or an integer in its place, which sets `flag` in `spelled`.
  double read_number(std::uint8_t& spelled, std::uint8_t flag) {
    const std::uint64_t at = in_.offset();
    const json::number n = in_.number();
    if (!n.integral) return n.value;
    if (n.value >= 9007199254740992.0 || n.value <= -9007199254740992.0)
      in_.fail(errc::alir_number_precision, at);
    spelled = static_cast<std::uint8_t>(spelled | flag);
    return n.value + 0.0;  // the integer -0 is 0
  }

  [[nodiscard]] opcode read_opcode(std::int32_t last) {
    const std::uint64_t at = in_.offset();
    const std::int64_t code = in_.int64();
    if (code < first_opcode || code > last) in_.fail(errc::alir_opcode, at);
    return in_.failed() ? opcode::constant : static_cast<opcode>(code);
  }

  /// Reads operations in their usual spelling, as many as the fast path takes; false when the one
  /// that comes next is none of them.
  bool read_rows() {
    const std::string_view rest = in_.rest();
    const std::uint64_t offset = in_.offset();
    if (offset < 16 || rest.size() < 2 || in_.depth_left() < 2) return false;
    operation_sink to{m_.ops.prepare(64), m_.source.ops.prepare(64), rest.data() - offset};
    std::uint64_t most = max_operations() - m_.ops.size();
    for (const std::size_t room : {m_.ops.available(), m_.source.ops.available()})
      if (room < most) most = room;
    to.most = to_size(most);
    if (rest[1] == '[')
      return read_rows<json::row_form::lists>(
          rest, variadic_,
          variadic_sink{to, m_, unshifted_quantize_ != nowhere, shifted_quantize_ != nowhere});
    return read_rows<json::row_form::flat>(rest, plain_, plain_sink{to});
  }
  template <json::row_form Form, class Sink>
  bool read_rows(std::string_view rest, std::uint64_t& first_row, Sink sink) {
    const std::uint64_t offset = in_.offset();
    const std::size_t comma = rest.substr(0, 64).find(',');
    const bool spaced = rest.substr(comma == std::string_view::npos ? 0 : comma + 1, 1) == " ";
    const auto read = json::find_row_reader<Form, Sink>(spaced, rows_);
    if (read == nullptr) return false;
    in_.resume(read(rest.data(), rest.data() + rest.size(), spaced, sink));
    m_.ops.advance(sink.count);
    m_.source.ops.advance(sink.count);
    if (sink.count != 0 && first_row == nowhere) first_row = offset;
    return sink.count != 0;
  }
  [[nodiscard]] std::uint64_t max_operations() const noexcept {
    return limit_.max_items < INT32_MAX ? limit_.max_items : INT32_MAX;
  }

  void read_operation() {
    const auto part = [this] { in_.require_element(errc::alir_operation_fields); };
    const std::uint64_t row = in_.offset();
    operation o;
    source_map::place place{};
    in_.array();
    part();
    const std::uint64_t start = in_.offset();
    const auto distance = [this, start] { return near(in_.offset() - start); };
    if (in_.peek() == json::kind::array) {
      if (variadic_ == nowhere) variadic_ = row;
      read_addresses_and_data(o, place);
    } else {
      if (plain_ == nowhere) plain_ = row;
      o.id0 = in_.int32();
      part();
      place.id1 = distance() & near_mask;
      o.id1 = in_.int32();
      part();
      o.code = read_opcode(last_opcode - 1);
      part();
      place.data = place.condition = distance() & near_mask;
      bool above = false;
      unpack_data(o, in_.int64_pattern(above));
      if (above) o.spelled = spelling::unsigned_data;
    }
    place.start = start & ((std::uint64_t{1} << 36) - 1);
    part();
    place.qint = distance() & near_mask;
    in_.array();
    in_.require_element();
    o.qint.min = read_number(o.spelled, spelling::min);
    in_.require_element();
    o.qint.max = read_number(o.spelled, spelling::max);
    in_.require_element();
    o.qint.step = read_number(o.spelled, spelling::step);
    in_.end_array();
    part();
    o.latency = read_number(o.spelled, spelling::latency);
    part();
    o.cost = read_number(o.spelled, spelling::cost);
    in_.end_array(errc::alir_operation_fields);
    append(m_.ops, row, o);
    m_.source.ops.push_back(place);
  }

  /// `[id,...],opcode,[data,...]` of versions 3 and 4.
  void read_addresses_and_data(operation& o, source_map::place& place) {
    const std::uint64_t start = in_.offset();
    const auto distance = [start](std::uint64_t at) { return near(at - start); };
    ids_.clear();
    data_.clear();
    for (in_.array(); in_.element();) {
      const std::uint64_t at = in_.offset();
      if (ids_.size() == 1) place.id1 = distance(at) & near_mask;
      if (ids_.size() == 2) place.condition = distance(at) & near_mask;
      append(ids_, at, in_.int32());
    }
    in_.require_element(errc::alir_operation_fields);
    o.code = read_opcode(last_opcode);
    in_.require_element(errc::alir_operation_fields);
    const std::uint64_t data_at = in_.offset();
    place.data = distance(data_at) & near_mask;
    for (in_.array(); in_.element();) {
      const std::uint64_t at = in_.offset();
      if (data_.empty() && o.code == opcode::input) place.data = distance(at) & near_mask;
      append(data_, at, in_.int64());
    }
    if (in_.failed()) return;
    if (o.code == opcode::quantize) {
      std::uint64_t& first = data_.empty() ? unshifted_quantize_ : shifted_quantize_;
      if (first == nowhere) first = data_at;
    }
    errc e = check_counts(o.code, ids_.size(), data_.size());
    if (e == errc::ok && m_.terms.size() + ids_.size() > INT32_MAX) e = errc::too_many_items;
    if (e == errc::ok) e = set_addresses_and_data(m_, o, ids_, data_);
    if (e != errc::ok) in_.fail(e, e == errc::alir_addresses ? start : data_at);
  }

  void read_table() {
    const std::uint64_t at = in_.offset();
    lookup_table t;
    t.first = m_.table_data.size();
    bool has_table = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "table") {
        read_int32s(m_.table_data);
        t.count = m_.table_data.size() - t.first;
        has_table = true;
      } else if (key == "spec") {
        read_table_spec(t);
      } else {
        in_.skip();
      }
    }
    if (!has_table) in_.fail(errc::alir_table_values, at);
    append(m_.tables, at, t);
    m_.source.tables.push_back(at);
  }
  void read_table_spec(lookup_table& t) {
    const std::uint64_t at = in_.offset();
    bool has_hash = false, has_interval = false, has_width = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "hash") {
        const std::string_view hash = in_.string();
        t.hash_first = m_.hashes.size();
        t.hash_size = hash.size();
        m_.hashes << hash;
        has_hash = true;
      } else if (key == "out_qint") {
        read_table_interval(t);
        has_interval = true;
      } else if (key == "inp_width") {
        t.inp_width = in_.int64();
        has_width = true;
      } else {
        in_.skip();
      }
    }
    if (!has_hash || !has_interval || !has_width) in_.fail(errc::alir_table_spec, at);
    t.has_spec = true;
  }
  void read_table_interval(lookup_table& t) {
    const std::uint64_t at = in_.offset();
    std::uint8_t seen = 0;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      const std::uint8_t flag = key == "min"    ? spelling::min
                                : key == "max"  ? spelling::max
                                : key == "step" ? spelling::step
                                                : std::uint8_t{0};
      if (flag == 0) {
        in_.skip();
        continue;
      }
      double& value = flag == spelling::min   ? t.out_qint.min
                      : flag == spelling::max ? t.out_qint.max
                                              : t.out_qint.step;
      value = read_number(t.spelled, flag);
      seen = static_cast<std::uint8_t>(seen | flag);
    }
    if (seen != (spelling::min | spelling::max | spelling::step))
      in_.fail(errc::alir_table_interval, at);
  }

  /// The version may come after the model, so rows are checked against it at the end.
  void check_form() {
    const std::uint64_t row = version_ == 2 ? variadic_ : plain_;
    if (row != nowhere) in_.fail(errc::alir_operation_form, row);
    const std::uint64_t quantize = version_ == 3 ? shifted_quantize_ : unshifted_quantize_;
    if (version_ != 2 && quantize != nowhere) in_.fail(errc::alir_data, quantize);
  }

  /// The array of a model that is one of several in a text, whose rows are checked against
  /// `version`; 0: against the version that they show. A copy of what is needed: blocks are many.
  [[nodiscard]] model read_block(std::int32_t version) {
    for (pool<std::int32_t>* list : {&m_.inp_shifts, &m_.out_idxs, &m_.out_shifts, &m_.table_data})
      list->clear();
    m_.out_negs.clear(), m_.ops.clear(), m_.tables.clear(), m_.terms.clear();
    m_.hashes.truncate(0);
    m_.source.ops.clear(), m_.source.outputs.clear(), m_.source.tables.clear();
    plain_ = variadic_ = unshifted_quantize_ = shifted_quantize_ = nowhere;
    read_model();
    version_ = version;
    if (version == 0) version_ = variadic_ == nowhere ? 2 : unshifted_quantize_ != nowhere ? 3 : 4;
    check_form();
    m_.spec_version = static_cast<std::int32_t>(version_);
    return m_;
  }

  json::reader in_;
  limits limit_;
  std::uint64_t size_;
  json::row_path rows_;
  model m_;
  std::int64_t version_ = -1;
  std::uint64_t version_at_ = 0;
  // First places of the forms by which versions differ.
  std::uint64_t plain_ = nowhere, variadic_ = nowhere;
  std::uint64_t unshifted_quantize_ = nowhere, shifted_quantize_ = nowhere;
  pool<std::int32_t> ids_;
  pool<std::int64_t> data_;
};

/// The error that names an unsupported spec_version, if the text as a whole is JSON and has one.
[[nodiscard]] inline error version_error(std::string_view source, const limits& limit) {
  json::reader in(source, limit);
  error found;
  std::string_view key;
  for (in.object(); in.key(key);) {
    const std::uint64_t at = in.offset();
    if (key == "spec_version" && in.peek() == json::kind::number)
      found = {check_version(in.int64()), at};
    else
      in.skip();
  }
  return in.finish().code == errc::ok ? found : error{};
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<model> read_json(std::string_view source, const limits& limit,
                                       json::row_path rows) {
  result<model> m = detail::json_model_reader(source, limit, rows).read();
  if (m) return m;
  // A file of another version fails somewhere in its model; what its reader needs to hear is that.
  if (const error e = detail::version_error(source, limit); e.code != errc::ok) return e;
  return m;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_READ_JSON_HPP

// ---- tessera/alir/detail/write.hpp
//
// The bodies of alir/write.hpp.

#ifndef TESSERA_ALIR_DETAIL_WRITE_HPP
#define TESSERA_ALIR_DETAIL_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <utility>


// ---- tessera/alir/detail/versions.hpp
//
// The bodies of alir/versions.hpp.

#ifndef TESSERA_ALIR_DETAIL_VERSIONS_HPP
#define TESSERA_ALIR_DETAIL_VERSIONS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

[[nodiscard]] constexpr bool is_opcode(opcode code) noexcept {
  return static_cast<int>(code) >= first_opcode && static_cast<int>(code) <= last_opcode;
}

/// Whether a version has an operation's opcode, but not for what it computes.
[[nodiscard]] constexpr bool needs_rewriting(const operation& o, std::int32_t version) noexcept {
  if (version < 4 && o.code == opcode::quantize && o.shift != 0) return true;
  return version == 2 &&
         (o.code == opcode::sum || (o.code == opcode::add_constant && !is_int32(o.data)));
}

/// What no rewriting helps against. `terms_used` is how many terms earlier sums have.
[[nodiscard]] inline errc check_form(const model& m, const operation& o, std::int32_t version,
                                     std::int64_t& terms_used) noexcept {
  if (!is_opcode(o.code)) return errc::alir_opcode;
  if (o.code == opcode::sum) {
    const auto count = static_cast<std::int64_t>(m.terms.size());
    if (o.id0 < terms_used || o.id1 < 0 || o.id0 > count || o.id1 > count - o.id0)
      return errc::alir_sum_terms;
    terms_used = std::int64_t{o.id0} + o.id1;
    return errc::ok;
  }
  if (version == 2) {
    if ((o.code == opcode::mux && !is_int32(o.data)) ||
        (o.code == opcode::bit_binary && (o.data < 0 || o.data > UINT32_MAX)))
      return errc::alir_not_version_2;
    return errc::ok;
  }
  const int ids = info(o.code).ids;
  if (ids < 1 && o.id0 != -1) return errc::alir_unused_id0;
  if (ids < 2 && o.id1 != -1) return errc::alir_unused_id1;
  if (o.code == opcode::mux && !is_int32(o.data)) return errc::alir_condition;
  if (o.code == opcode::bit_binary && (o.data < 0 || o.data >> 24 > 2))
    return errc::alir_sub_operation;
  return errc::ok;
}

/// Leaves out what versions 3 and 4 have no place for and no opcode reads.
inline void drop_unread(operation& o) noexcept {
  o.spelled = static_cast<std::uint8_t>(o.spelled & ~spelling::unsigned_data);
  if (o.code == opcode::bit_binary) o.data = o.data >> 24 << 24;
  if (o.code == opcode::input || o.code == opcode::quantize ||
      (o.code != opcode::sum && info(o.code).data_values == 0))
    o.data = 0;
}

/// Rewrites a model operation by operation. Each new one remembers from which old one it came.
class version_writer {
 public:
  version_writer(const model& m, std::int32_t version) noexcept : m_(m), version_(version) {}

  /// The new model, or an error at an old operation.
  [[nodiscard]] result<model> run() {
    copy_interface();
    std::int64_t terms_used = 0;
    ids_.reserve(m_.ops.size());
    for (std::size_t i = 0; i < m_.ops.size(); ++i) {
      index_ = i;
      errc e = check_form(m_, m_.ops[i], version_, terms_used);
      if (e == errc::ok) e = write(m_.ops[i]);
      if (e == errc::ok && out_.ops.size() > INT32_MAX) e = errc::too_many_items;
      if (e != errc::ok) return error_at(m_, e, i);
      ids_.push_back(static_cast<std::int32_t>(out_.ops.size()) - 1);
    }
    for (std::int32_t& id : out_.out_idxs) id = new_id(id);
    return std::move(out_);
  }
  [[nodiscard]] const pool<std::int32_t>& origins() const noexcept { return origins_; }

 private:
  void copy_interface() {
    out_.spec_version = version_;
    out_.n_inputs = m_.n_inputs, out_.n_outputs = m_.n_outputs;
    out_.inp_shifts = m_.inp_shifts, out_.out_idxs = m_.out_idxs;
    out_.out_shifts = m_.out_shifts, out_.out_negs = m_.out_negs;
    out_.carry_size = m_.carry_size, out_.adder_size = m_.adder_size;
    out_.tables = m_.tables, out_.table_data = m_.table_data, out_.hashes = m_.hashes;
    out_.ops.reserve(m_.ops.size());
    origins_.reserve(m_.ops.size());
  }

  /// Of operations that were written; what refers to none stays as it is.
  [[nodiscard]] std::int32_t new_id(std::int64_t id) const noexcept {
    return id >= 0 && static_cast<std::uint64_t>(id) < ids_.size()
               ? ids_[static_cast<std::size_t>(id)]
               : static_cast<std::int32_t>(id);
  }
  std::int32_t add(const operation& o) {
    out_.ops.push_back(o);
    origins_.push_back(static_cast<std::int32_t>(index_));
    return static_cast<std::int32_t>(out_.ops.size()) - 1;
  }
  [[nodiscard]] errc refused() const noexcept {
    return version_ == 2 ? errc::alir_not_version_2 : errc::alir_not_version_3;
  }

  errc write(const operation& o) {
    if (needs_rewriting(o, version_)) {
      if (const errc e = check_operands(); e != errc::ok) return e;
      if (o.code == opcode::quantize) return write_quantize(o);
      return o.code == opcode::sum ? write_sum(o) : write_constant(o);
    }
    operation n = o;
    if (version_ != 2) drop_unread(n);
    if (o.code == opcode::sum) {
      n.id0 = static_cast<std::int32_t>(out_.terms.size());
      for (term t : terms(m_, o)) {
        t.id = new_id(t.id);
        out_.terms.push_back(t);
      }
    } else {
      if (o.code != opcode::input) n.id0 = new_id(o.id0);
      n.id1 = new_id(o.id1);
      if (o.code == opcode::mux) n.data = new_id(o.data);
    }
    add(n);
    return errc::ok;
  }

  /// That the operation's operands exist and have types.
  [[nodiscard]] errc check_operands() const noexcept {
    const operation& o = m_.ops[index_];
    if (const errc e = check_ids(m_, index_).first(); e != errc::ok) return e;
    if (o.code != opcode::sum) return check_interval(m_.ops[static_cast<std::size_t>(o.id0)].qint);
    for (const term& t : terms(m_, o))
      if (const errc e = check_interval(m_.ops[static_cast<std::size_t>(t.id)].qint); e != errc::ok)
        return e;
    return errc::ok;
  }

  /// The types that an interval has no room for: an operation of this one can't be written.
  [[nodiscard]] static bool has_fraction(const interval& q, std::int64_t f) noexcept {
    return check_interval(q) == errc::ok && type_of(q).f == f;
  }
  [[nodiscard]] static bool is_exponent(std::int64_t e) noexcept { return e >= -126 && e <= 127; }
  /// An interval with `f` fraction bits, also where both bounds are 0.
  [[nodiscard]] static interval interval_of(double min, double max, std::int64_t f) noexcept {
    const double step = power_of_two(static_cast<int>(-f));
    if (min == 0.0 && max == 0.0) return {0, step / 4, step};
    return {min + 0.0, max + 0.0, step};
  }

  /// The constant ±2^exponent, an integer of 1 or -1. Made once.
  [[nodiscard]] std::int32_t power(std::int64_t exponent, bool negative) {
    if (powers_.empty()) powers_.resize(2 * 254);  // of 0, which no power is
    std::int32_t& known =
        powers_[static_cast<std::size_t>(2 * (exponent + 126) + (negative ? 1 : 0))];
    if (known == 0) {
      const double step = power_of_two(static_cast<int>(exponent)), v = negative ? -step : step;
      known = 1 + add({.code = opcode::constant, .data = negative ? -1 : 1, .qint = {v, v, step}});
    }
    return known - 1;
  }

  /// ±x·2^shift as an operation; `out` gets its new index and `q` its interval.
  [[nodiscard]] bool write_scaled(std::int32_t x, std::int64_t shift, bool negative,
                                  std::int32_t& out, interval& q) {
    const operation& from = m_.ops[static_cast<std::size_t>(x)];
    const std::int64_t f = type_of(from.qint).f - shift;
    if (!is_exponent(shift) || !is_exponent(-f)) return false;
    const double by = power_of_two(static_cast<int>(shift));
    const double low = from.qint.min * by, high = from.qint.max * by;
    q = negative ? interval_of(-high, -low, f) : interval_of(low, high, f);
    if (!has_fraction(q, f)) return false;
    const std::int32_t factor = power(shift, negative);
    out = add({.id0 = new_id(x),
               .id1 = factor,
               .code = opcode::multiply,
               .qint = q,
               .latency = from.latency});
    return true;
  }

  errc write_quantize(const operation& o) {
    operation n = o;
    interval q;
    if (!write_scaled(o.id0, o.shift, false, n.id0, q)) return refused();
    n.shift = 0;
    add(n);
    return errc::ok;
  }

  errc write_constant(const operation& o) {
    const std::int64_t f = o.shift;
    if (!is_exponent(-f)) return refused();
    const double v = static_cast<double>(o.data) * power_of_two(static_cast<int>(-f));
    operation c = {.code = opcode::constant, .data = o.data, .qint = interval_of(v, v, f)};
    if (!has_fraction(c.qint, f)) return refused();
    operation n = o;
    n.code = opcode::add;
    n.id0 = new_id(o.id0);
    n.id1 = add(c);
    n.data = n.shift = 0;
    add(n);
    return errc::ok;
  }

  /// The term that a chain of additions starts from: a positive one without a shift, or else one
  /// without a shift, or else the first.
  [[nodiscard]] static std::size_t first_of(view<term> all) noexcept {
    std::size_t best = 0;
    for (std::size_t k = all.size(); k-- > 0;)
      if (all[k].shift == 0 && (!all[k].negative || all[best].negative || all[best].shift != 0))
        best = k;
    return best;
  }

  errc write_sum(const operation& o) {
    const view<term> all = terms(m_, o);
    const std::size_t first = first_of(all);
    std::int32_t sum = new_id(all[first].id);
    interval q = m_.ops[static_cast<std::size_t>(all[first].id)].qint;
    std::int64_t f = type_of(q).f;
    if (all[first].shift == 0 && all[first].negative) {
      q = interval_of(-q.max, -q.min, f);
      if (!has_fraction(q, f)) return refused();
      sum = add({.id0 = sum, .code = opcode::negate, .qint = q, .latency = o.latency});
    } else if (all[first].shift != 0) {
      if (!write_scaled(all[first].id, all[first].shift, all[first].negative, sum, q))
        return refused();
      f -= all[first].shift;
    }
    std::size_t left = all.size() - 1;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k == first) continue;
      const term& t = all[k];
      operation n = o;
      n.code = t.negative ? opcode::subtract : opcode::add;
      n.id0 = sum, n.id1 = new_id(t.id);
      n.data = t.shift;
      if (--left != 0) {
        const interval& b = m_.ops[static_cast<std::size_t>(t.id)].qint;
        const std::int64_t f_b = type_of(b).f - std::int64_t{t.shift};
        f = f_b > f ? f_b : f;
        if (!is_exponent(-f) || !is_exponent(t.shift)) return refused();
        const double by = power_of_two(t.shift), low = b.min * by, high = b.max * by;
        q = t.negative ? interval_of(q.min - high, q.max - low, f)
                       : interval_of(q.min + low, q.max + high, f);
        if (!has_fraction(q, f)) return refused();
        n.qint = q;
        n.spelled = 0, n.cost = 0;
      }
      sum = add(n);
    }
    return errc::ok;
  }

  const model& m_;
  std::int32_t version_;
  model out_;
  pool<std::int32_t> ids_;      // of each old operation, its new one
  pool<std::int32_t> origins_;  // of each new operation, its old one
  pool<std::int32_t> powers_;   // of ±2^exponent, its operation + 1
  std::size_t index_ = 0;
};

[[nodiscard]] inline bool is_version(std::int32_t version) noexcept {
  return version >= 2 && version <= 4;
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<model> to_version(const model& m, std::int32_t version) {
  if (!detail::is_version(version)) return error{errc::alir_version_unknown, 0, error_index::whole};
  return detail::version_writer(m, version).run();
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_VERSIONS_HPP

// ---- tessera/alir/detail/table_hash.hpp
//
// The name that ALIR gives a lookup table: SHA-256 over its entries and fraction bits.
//
//   tessera::text hash = alir::table_hash(entries, 7);   // 64 hexadecimal digits
//
//   hashed   entries as little-endian int32, then the fraction bits of the lookup in decimal
//
// Equal hashes mean equal tables; no reader checks them. The format's compiler also hashes a mask
// of entries that are never reached when a table has one; files don't keep the mask, so such a
// table's hash can't be made again. SHA-256 is that of FIPS 180-4.
//
// Lifetime:   the text owns itself.
// Errors:     none.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_ALIR_DETAIL_TABLE_HASH_HPP
#define TESSERA_ALIR_DETAIL_TABLE_HASH_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace alir {
namespace detail {

class sha256 {
 public:
  void update(bytes data) noexcept {
    for (const std::byte b : data) {
      block_[size_++ % 64] = static_cast<std::uint8_t>(b);
      if (size_ % 64 == 0) compress();
    }
  }
  [[nodiscard]] text hex() {
    const std::uint64_t bits = size_ * 8;
    const std::byte one{0x80}, zero{0};
    update({&one, 1});
    while (size_ % 64 != 56) update({&zero, 1});
    for (unsigned i = 8; i-- > 0;) {
      const auto b = static_cast<std::byte>(bits >> 8 * i);
      update({&b, 1});
    }
    text out;
    for (const std::uint32_t word : state_)
      for (unsigned i = 8; i-- > 0;) out << "0123456789abcdef"[word >> 4 * i & 15];
    return out;
  }

 private:
  void compress() noexcept {
    static constexpr std::uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    std::uint32_t w[64];
    for (unsigned i = 0; i < 16; ++i)
      w[i] = std::uint32_t{block_[4 * i]} << 24 | std::uint32_t{block_[4 * i + 1]} << 16 |
             std::uint32_t{block_[4 * i + 2]} << 8 | block_[4 * i + 3];
    for (unsigned i = 16; i < 64; ++i)
      w[i] = w[i - 16] + w[i - 7] +
             (std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3) +
             (std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
    std::uint32_t s[8];
    std::memcpy(s, state_, sizeof s);
    for (unsigned i = 0; i < 64; ++i) {
      const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const std::uint32_t one = s[7] +
                                (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                                choice + k[i] + w[i];
      const std::uint32_t two =
          (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
      std::memmove(s + 1, s, 7 * sizeof *s);
      s[4] += one;
      s[0] = one + two;
    }
    for (unsigned i = 0; i < 8; ++i) state_[i] += s[i];
  }

  std::uint32_t state_[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::uint8_t block_[64];
  std::uint64_t size_ = 0;
};

}  // namespace detail

/// The hash of a table whose lookup has `fraction_bits` fraction bits.
[[nodiscard]] inline text table_hash(view<std::int32_t> entries, int fraction_bits) {
  detail::sha256 hash;
  for (const std::int32_t v : entries) {
    std::byte raw[4];
    store_le(raw, v);
    hash.update({raw, 4});
  }
  text f;
  f << fraction_bits;
  hash.update(as_bytes(f));
  return hash.hex();
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_TABLE_HASH_HPP

namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

/// The 64-bit data of version 2: the inverse of unpack_data.
[[nodiscard]] constexpr std::int64_t pack_data(const operation& o) noexcept {
  const auto join = [](std::int64_t high, std::int64_t low) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(high) << 32 |
                                     static_cast<std::uint32_t>(low));
  };
  switch (o.code) {
    case opcode::add_constant:
    case opcode::mux: return join(o.shift, o.data);
    case opcode::bit_binary: return join(o.data, o.shift);
    default: return o.data;
  }
}

/// A model, or what it becomes in a version that lacks some of its operations.
class in_version {
 public:
  /// `version` 0 is that of the model.
  in_version(const model& m, std::int32_t version)
      : original_(m), version_(version == 0 ? m.spec_version : version) {
    if (!is_version(version_)) {
      error_ = {errc::alir_version_unknown, 0, error_index::whole};
      return;
    }
    for (const operation& o : m.ops) is_rewritten_ = is_rewritten_ || needs_rewriting(o, version_);
    if (!is_rewritten_) return;
    version_writer rewriting(m, version_);
    result<model> made = rewriting.run();
    error_ = made.error();
    if (made) made_ = std::move(*made);
    origins_ = rewriting.origins();
  }
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  [[nodiscard]] std::int32_t version() const noexcept { return version_; }
  [[nodiscard]] const model& operator*() const noexcept {
    return is_rewritten_ ? made_ : original_;
  }
  /// An error about an operation, at the place of the one that it was made from.
  [[nodiscard]] tessera::error at(errc code, std::size_t index) const {
    return error_at(original_, code,
                    is_rewritten_ ? static_cast<std::size_t>(origins_[index]) : index);
  }

 private:
  const model& original_;
  std::int32_t version_;
  bool is_rewritten_ = false;
  model made_;
  pool<std::int32_t> origins_;
  tessera::error error_;
};

/// What JSON says about a table besides its entries.
struct table_spec {
  text hash;
  interval out_qint;
  std::uint8_t spelled = 0;
  std::int64_t inp_width = 0;
};

/// The fraction bits of each table's entries, those of the first lookup in it; 0 without one.
[[nodiscard]] inline pool<std::int16_t> table_fractions(const model& m) {
  pool<std::int16_t> fractions;
  fractions.resize(m.tables.size());
  for (std::size_t i = m.ops.size(); i-- > 0;) {
    const operation& o = m.ops[i];
    if (o.code == opcode::lookup && o.data >= 0 &&
        static_cast<std::uint64_t>(o.data) < fractions.size())
      fractions[static_cast<std::size_t>(o.data)] =
          check_interval(o.qint) == errc::ok ? type_of(o.qint).f : std::int16_t{0};
  }
  return fractions;
}

/// That of the file, or one made for a table that came without; `f` is its entries' fraction bits.
[[nodiscard]] inline table_spec spec_of(const model& m, std::size_t index, int f) {
  const lookup_table& t = m.tables[index];
  if (t.has_spec) return {text(hash(m, t)), t.out_qint, t.spelled, t.inp_width};
  const view<std::int32_t> values = entries(m, t);
  std::int32_t low = 0, high = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    low = i == 0 || values[i] < low ? values[i] : low;
    high = i == 0 || values[i] > high ? values[i] : high;
  }
  const double step = power_of_two(-f);
  return {table_hash(values, f),
          {low * step + 0.0, high * step + 0.0, step},
          0,
          values.size() < 2 ? 1 : 64 - std::countl_zero(std::uint64_t{values.size() - 1})};
}

/// Whether to write an integer because the file had one; a value that was changed since may no
/// longer have that form.
[[nodiscard]] inline bool is_integral(double v, bool was_integral) noexcept {
  constexpr double limit = 9007199254740992.0;  // 2^53, from which the reader refuses integers
  return was_integral && v > -limit && v < limit && round_half_away(v) == v;
}

/// At most what write_row() and write_variadic_row() store: eleven numbers, brackets and commas.
inline constexpr std::size_t row_capacity = 11 * json::number_capacity + 24;

/// `[min,max,step],latency,cost]`.
[[nodiscard]] inline json::cursor write_row_end(json::cursor to, const operation& o) noexcept {
  const auto number = [&o](json::cursor at, double v, std::uint8_t flag) {
    return is_integral(v, (o.spelled & flag) != 0) ? at.integer(static_cast<std::int64_t>(v))
                                                   : at.number(v);
  };
  to = number(to.literal("["), o.qint.min, spelling::min);
  to = number(to.literal(","), o.qint.max, spelling::max);
  to = number(to.literal(","), o.qint.step, spelling::step);
  to = number(to.literal("],"), o.latency, spelling::latency);
  return number(to.literal(","), o.cost, spelling::cost).literal("]");
}

/// A row of version 2.
[[nodiscard]] inline json::cursor write_row(json::cursor to, const operation& o) noexcept {
  to = to.literal("[").integer(o.id0).literal(",").integer(o.id1).literal(",");
  to = to.integer(static_cast<std::int32_t>(o.code)).literal(",");
  const std::int64_t data = pack_data(o);
  to = (o.spelled & spelling::unsigned_data) != 0 ? to.integer(static_cast<std::uint64_t>(data))
                                                  : to.integer(data);
  return write_row_end(to.literal(","), o);
}

/// The addresses and data values of an operation in versions 3 and 4, but for a sum's: the inverse
/// of set_addresses_and_data.
struct addresses_and_data {
  std::int64_t ids[3] = {};
  std::int64_t data[2] = {};
  std::size_t n_ids = 0, n_data = 0;

  addresses_and_data(const operation& o, std::int32_t version) noexcept
      : ids{o.id0, o.id1, o.data},
        data{o.data, o.shift},
        n_ids(static_cast<std::size_t>(info(o.code).addresses)),
        n_data(static_cast<std::size_t>(info(o.code).data_values)) {
    switch (o.code) {
      case opcode::input: data[0] = o.id0; break;
      case opcode::mux: data[0] = o.shift; break;
      case opcode::quantize:
        data[0] = o.shift;
        if (version == 3) n_data = 0;
        break;
      case opcode::bit_binary: data[0] = o.shift, data[1] = o.data >> 24; break;
      default: break;
    }
  }
};

/// A row of versions 3 and 4 that is no sum.
[[nodiscard]] inline json::cursor write_variadic_row(json::cursor to, const operation& o,
                                                     std::int32_t version) noexcept {
  const addresses_and_data parts(o, version);
  const auto list = [](json::cursor at, const std::int64_t* values, std::size_t count) {
    at = at.literal("[");
    for (std::size_t i = 0; i < count; ++i) at = (i == 0 ? at : at.literal(",")).integer(values[i]);
    return at.literal("]");
  };
  to = list(to.literal("["), parts.ids, parts.n_ids).literal(",");
  to = to.integer(static_cast<std::int32_t>(o.code)).literal(",");
  return write_row_end(list(to, parts.data, parts.n_data).literal(","), o);
}

/// A sum, whose row has no bound.
inline void write_sum_row(json::writer& w, const model& m, const operation& o) {
  w.begin_array().begin_array();
  for (const term& t : terms(m, o)) w.integer(t.id);
  w.end().integer(static_cast<std::int32_t>(o.code)).begin_array();
  for (const term& t : terms(m, o)) w.integer(t.negative ? 0 : 1).integer(t.shift);
  w.end();
  // The row's end is written as one record, whose last bracket is that of begin_array().
  w.record(row_capacity, [&o](json::cursor to) {
    const json::cursor end = write_row_end(to, o);
    return json::cursor(end.place() - 1, double_style::python);
  });
  w.end();
}

inline void write_operation(json::writer& w, const model& m, const operation& o,
                            std::int32_t version) {
  if (o.code == opcode::sum) return write_sum_row(w, m, o);
  w.record(row_capacity, [&o, version](json::cursor to) {
    return version == 2 ? write_row(to, o) : write_variadic_row(to, o, version);
  });
}

/// What no JSON holds, and what the version of the text has no form for.
[[nodiscard]] inline error check_json(const in_version& source) {
  const model& m = *source;
  std::int64_t terms_used = 0;
  for (std::size_t i = 0; i < m.ops.size(); ++i) {
    const operation& o = m.ops[i];
    errc e = check_form(m, o, source.version(), terms_used);
    // A sum of zeros, unless one of them is infinite or no number.
    const double zero =
        0.0 * o.qint.min + 0.0 * o.qint.max + 0.0 * o.qint.step + 0.0 * o.latency + 0.0 * o.cost;
    if (!is_finite(zero)) e = errc::alir_not_finite;
    if (e != errc::ok) return source.at(e, i);
  }
  for (std::size_t i = 0; i < m.tables.size(); ++i) {
    const lookup_table& t = m.tables[i];
    errc e =
        holds_entries(m, i) && t.hash_first <= m.hashes.size() ? errc::ok : errc::alir_table_empty;
    for (const double v : {t.out_qint.min, t.out_qint.max, t.out_qint.step})
      if (!is_finite(v)) e = errc::alir_not_finite;
    if (e != errc::ok) return error_at_table(m, e, i);
  }
  return {};
}

inline void write_table(json::writer& w, const model& m, std::size_t index, int f) {
  const table_spec t = spec_of(m, index, f);
  const auto number = [&](const char* key, double v, std::uint8_t flag) {
    w.key(key);
    if (is_integral(v, (t.spelled & flag) != 0))
      w.integer(static_cast<std::int64_t>(v));
    else
      w.number(v);
  };
  w.begin_object().key("spec").begin_object().key("hash").string(t.hash);
  w.key("out_qint").begin_object();
  number("min", t.out_qint.min, spelling::min);
  number("max", t.out_qint.max, spelling::max);
  number("step", t.out_qint.step, spelling::step);
  w.end().key("inp_width").integer(t.inp_width).end();
  w.key("table").begin_array();
  for (const std::int32_t v : entries(m, m.tables[index])) w.integer(v);
  w.end().end();
}

/// The array of a model: what is in "model", and a block of a pipeline.
inline void write_block(json::writer& w, const model& m, std::int32_t version) {
  const auto integers = [&w](const pool<std::int32_t>& list) {
    w.begin_array();
    for (const std::int32_t v : list) w.integer(v);
    w.end();
  };
  w.begin_array();
  w.begin_array().integer(m.n_inputs).integer(m.n_outputs).end();
  integers(m.inp_shifts);
  integers(m.out_idxs);
  integers(m.out_shifts);
  w.begin_array();
  for (const std::uint8_t negative : m.out_negs) w.boolean(negative != 0);
  w.end();
  w.begin_array();
  for (const operation& o : m.ops) write_operation(w, m, o, version);
  w.end().integer(m.carry_size).integer(m.adder_size);
  if (m.tables.empty()) {
    w.null();
  } else {
    const pool<std::int16_t> fractions = table_fractions(m);
    w.begin_array();
    for (std::size_t i = 0; i < m.tables.size(); ++i) write_table(w, m, i, fractions[i]);
    w.end();
  }
  w.end();
}

/// What every form of bytecode wants of an operation; `pad` gets a lookup's.
[[nodiscard]] inline errc check_bytecode(const model& m, std::size_t index, std::int64_t& pad) {
  const operation& o = m.ops[index];
  errc e = check_ids(m, index).first();
  if (e == errc::ok) e = check_interval(o.qint);
  if (e != errc::ok) return e;
  const bool is_shift = o.code == opcode::add || o.code == opcode::subtract;
  if (is_shift && !is_int32(o.data)) return errc::alir_bytecode_range;
  if (o.code != opcode::lookup) return errc::ok;
  const interval& x = m.ops[static_cast<std::size_t>(o.id0)].qint;
  const double p = table_pad(x, type_of(x));
  if (o.data < 0 || o.data > INT32_MAX || !(p >= INT32_MIN && p <= INT32_MAX))
    return errc::alir_bytecode_range;
  pad = static_cast<std::int64_t>(p);
  return errc::ok;
}

/// Words of version 2.
[[nodiscard]] inline result<pool<std::int32_t>> write_words(const in_version& source) {
  if (source.error().code != errc::ok) return source.error();
  const model& m = *source;
  if (const error e = check_interface(m); e.code != errc::ok) return e;
  pool<std::int32_t> words;
  words.reserve(6 + m.inp_shifts.size() + 3 * m.out_idxs.size() + 8 * m.ops.size() +
                m.tables.size() + m.table_data.size());
  const auto word = [&words](std::int64_t v) { words.push_back(static_cast<std::int32_t>(v)); };
  const auto all = [&words](view<std::int32_t> list) { words.append(list.data(), list.size()); };
  for (const std::int64_t v : {std::int64_t{2}, std::int64_t{0}, m.n_inputs, m.n_outputs}) word(v);
  word(static_cast<std::int64_t>(m.ops.size()));
  word(static_cast<std::int64_t>(m.tables.size()));
  for (const pool<std::int32_t>* list : {&m.inp_shifts, &m.out_idxs, &m.out_shifts})
    words.append(list->data(), list->size());
  for (const std::uint8_t negative : m.out_negs) word(negative != 0 ? 1 : 0);
  std::int64_t terms_used = 0;
  for (std::size_t i = 0; i < m.ops.size(); ++i) {
    const operation& o = m.ops[i];
    std::int64_t pad = 0;
    errc e = check_form(m, o, 2, terms_used);
    if (e == errc::ok) e = check_bytecode(m, i, pad);
    if (e != errc::ok) return source.at(e, i);
    const std::int64_t data =
        o.code == opcode::lookup ? static_cast<std::int64_t>(static_cast<std::uint64_t>(pad) << 32 |
                                                             static_cast<std::uint64_t>(o.data))
                                 : pack_data(o);
    const fixed_type t = type_of(o.qint);
    for (const std::int64_t v :
         {static_cast<std::int64_t>(o.code), std::int64_t{o.id0}, std::int64_t{o.id1}, data,
          data >> 32, std::int64_t{t.k}, std::int64_t{t.i}, std::int64_t{t.f}})
      word(v);
  }
  for (const lookup_table& t : m.tables) word(static_cast<std::int64_t>(t.count));
  for (const lookup_table& t : m.tables) all(entries(m, t));
  return words;
}

/// Appends integers as little-endian bytes.
class byte_writer {
 public:
  explicit byte_writer(text& out) noexcept : out_(out) {}

  template <class Int>
  void put(std::int64_t v) {
    store_le(out_.prepare(sizeof(Int)), static_cast<Int>(v));
    out_.advance(sizeof(Int));
  }
  void put_int32s(view<std::int32_t> list) {
    for (const std::int32_t v : list) put<std::int32_t>(v);
  }

 private:
  text& out_;
};

/// One operation of the byte form.
[[nodiscard]] inline errc put_operation(byte_writer& to, const model& m, std::size_t index,
                                        std::int32_t version) {
  const operation& o = m.ops[index];
  std::int64_t pad = 0;
  if (const errc e = check_bytecode(m, index, pad); e != errc::ok) return e;
  const fixed_type t = type_of(o.qint);
  const bool is_sum = o.code == opcode::sum;
  if (t.i < INT8_MIN || t.i > INT8_MAX || t.f < INT8_MIN || t.f > INT8_MAX ||
      (is_sum && o.id1 > UINT16_MAX / 2))
    return errc::alir_bytecode_range;
  to.put<std::int8_t>(static_cast<std::int64_t>(o.code));
  to.put<std::uint8_t>(t.k ? 1 : 0);
  to.put<std::int8_t>(t.i);
  to.put<std::int8_t>(t.f);
  if (is_sum) {
    to.put<std::uint16_t>(o.id1);
    to.put<std::uint16_t>(2 * std::int64_t{o.id1});
    for (const term& x : terms(m, o)) to.put<std::uint32_t>(x.id);
    for (const term& x : terms(m, o)) {
      to.put<std::int64_t>(x.negative ? 0 : 1);
      to.put<std::int64_t>(x.shift);
    }
    return errc::ok;
  }
  addresses_and_data parts(o, version);
  if (o.code == opcode::lookup) parts.data[parts.n_data++] = pad;
  to.put<std::uint16_t>(static_cast<std::int64_t>(parts.n_ids));
  to.put<std::uint16_t>(static_cast<std::int64_t>(parts.n_data));
  for (std::size_t i = 0; i < parts.n_ids; ++i) to.put<std::uint32_t>(parts.ids[i]);
  for (std::size_t i = 0; i < parts.n_data; ++i) to.put<std::int64_t>(parts.data[i]);
  return errc::ok;
}

/// Bytes of versions 3 and 4.
[[nodiscard]] inline result<text> write_bytes(const in_version& source) {
  const model& m = *source;
  if (const error e = check_interface(m); e.code != errc::ok) return e;
  text out;
  (void)out.prepare(32 * m.ops.size());
  byte_writer to(out);
  out << "ALIR";
  for (const std::int64_t v :
       {std::int64_t{source.version()}, m.n_inputs, m.n_outputs,
        static_cast<std::int64_t>(m.ops.size()), static_cast<std::int64_t>(m.tables.size())})
    to.put<std::uint32_t>(v);
  for (const pool<std::int32_t>* list : {&m.inp_shifts, &m.out_idxs, &m.out_shifts})
    to.put_int32s(*list);
  for (const std::uint8_t negative : m.out_negs) to.put<std::uint8_t>(negative != 0 ? 1 : 0);
  std::int64_t terms_used = 0;
  for (std::size_t i = 0; i < m.ops.size(); ++i) {
    errc e = check_form(m, m.ops[i], source.version(), terms_used);
    if (e == errc::ok) e = put_operation(to, m, i, source.version());
    if (e != errc::ok) return source.at(e, i);
  }
  for (const lookup_table& t : m.tables) {
    to.put<std::uint32_t>(static_cast<std::int64_t>(t.count));
    to.put_int32s(entries(m, t));
  }
  return out;
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<text> write_json(const model& m, std::int32_t version) {
  const detail::in_version source(m, version);
  if (source.error().code != errc::ok) return source.error();
  if (const error e = detail::check_json(source); e.code != errc::ok) return e;
  text out;
  (void)out.prepare(64 *
                    (*source).ops.size());  // about what the operations take: 36 bytes at least
  json::writer w(out);
  w.begin_object().key("model");
  detail::write_block(w, *source, source.version());
  w.key("meta").string("ALIRModel").key("spec_version").integer(source.version()).end();
  return out;
}

TESSERA_INLINE result<pool<std::int32_t>> write_bytecode(const model& m) {
  return detail::write_words(detail::in_version(m, 2));
}

TESSERA_INLINE result<text> write(const model& m, const write_options& options) {
  if (options.encoding != encoding::bytecode) return write_json(m, options.version);
  const detail::in_version source(m, options.version);
  if (source.error().code != errc::ok) return source.error();
  if (source.version() != 2) return detail::write_bytes(source);
  const result<pool<std::int32_t>> words = detail::write_words(source);
  if (!words) return words.error();
  text out;
  out.reserve(4 * words->size());
  detail::byte_writer(out).put_int32s(*words);
  return out;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_WRITE_HPP

namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

/// The types of a block's inputs: each that of the last operation that reads it.
inline void append_input_types(pool<fixed_type>& to, const model& m) {
  const std::size_t first = to.size();
  to.resize(first + m.inp_shifts.size());
  for (const operation& o : m.ops)
    if (o.code == opcode::input && o.id0 >= 0 &&
        static_cast<std::size_t>(o.id0) < m.inp_shifts.size())
      to[first + static_cast<std::size_t>(o.id0)] = register_type(o.qint);
}

/// Equal to any type: of an output that is 0.
inline constexpr fixed_type any_type = {false, INT16_MIN, INT16_MIN};

/// The types of a block's outputs: those of the operations, scaled and negated.
inline void append_output_types(pool<fixed_type>& to, const model& m) {
  for (std::size_t j = 0; j < m.out_idxs.size(); ++j) {
    const auto i = static_cast<std::size_t>(m.out_idxs[j]);
    const std::int32_t shift = j < m.out_shifts.size() ? m.out_shifts[j] : 0;
    if (m.out_idxs[j] < 0 || i >= m.ops.size() || shift < -1000 || shift > 1000) {
      to.push_back(any_type);
      continue;
    }
    const interval& q = m.ops[i].qint;
    const bool negative = j < m.out_negs.size() && m.out_negs[j] != 0;
    fixed_type t = register_type(negative ? interval{0.0 - q.max, 0.0 - q.min, q.step} : q);
    if (q.min != 0.0 || q.max != 0.0) {
      t.i = static_cast<std::int16_t>(t.i + shift);
      t.f = static_cast<std::int16_t>(t.f - shift);
    }
    to.push_back(t);
  }
}

/// How a text is taken for a pipeline of arrays: four brackets to the first number in the nested form.
[[nodiscard]] inline std::size_t leading_brackets(std::string_view source) noexcept {
  std::size_t count = 0;
  for (const char c : source) {
    if (c == '[')
      ++count;
    else if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
      break;
  }
  return count;
}

/// A signal at one end of a connection.
struct fsm_signal {
  std::uint64_t offset = 0, types_at = 0, schedule_at = 0;
  std::uint64_t name_first = 0, name_size = 0;    // in the reader's names
  std::uint64_t types_first = 0, types_size = 0;  // in the reader's types
  std::int64_t delay = 0;
  bool is_exposed = false, is_register = false, is_scheduled = false;
  char mode = 0;  // r, w, or 0
};

class json_pipeline_reader : json_model_reader {
 public:
  json_pipeline_reader(std::string_view source, const limits& limit)
      : json_model_reader(source, limit, json::row_path::best) {}

  result<pipeline> read() {
    if (size_ >> 36 != 0) return error{errc::input_too_large, std::uint64_t{1} << 36};
    if (in_.peek() == json::kind::array)
      read_arrays();
    else
      read_object();
    if (const error e = in_.finish(); e.code != errc::ok) return e;
    if (p_.form == pipeline_form::fsm) {
      if (const error e = resolve(); e.code != errc::ok) return e;
    }
    return std::move(p_);
  }

 private:
  struct connection {
    fsm_signal from, to;
  };
  struct name_range {
    std::uint64_t first = 0, size = 0, offset = 0;
  };

  // ---- reading

  void read_arrays() {
    const std::size_t depth = leading_brackets(in_.rest());
    if (depth < 3) return in_.fail(errc::alir_pipeline_form, in_.offset());
    p_.form = depth == 3 ? pipeline_form::list : pipeline_form::nested;
    in_.array();
    if (p_.form == pipeline_form::nested) {
      in_.require_element();
      in_.array();
    }
    while (in_.element()) append_block(0);
    if (p_.form == pipeline_form::nested) in_.end_array(errc::alir_pipeline_form);
  }
  void append_block(std::int32_t version) {
    if (p_.blocks.size() >= limit_.max_items) return in_.fail(errc::too_many_items, in_.offset());
    p_.blocks.push_back(read_block(version));
  }

  void read_object() {
    const std::uint64_t start = in_.offset();
    bool has_meta = false, has_version = false, has_fsm = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      const std::uint64_t at = in_.offset();
      if (key == "meta") {
        if (in_.string() != "ALIRFSM") in_.fail(errc::alir_pipeline_form, at);
        has_meta = true;
      } else if (key == "spec_version") {
        if (in_.int64() != 4) in_.fail(errc::alir_fsm_version, at);
        has_version = true;
      } else if (key == "fsm") {
        read_fsm();
        has_fsm = true;
      } else {
        in_.skip();
      }
    }
    if (!has_meta) in_.fail(errc::alir_missing_meta, start);
    if (!has_version) in_.fail(errc::alir_missing_version, start);
    if (!has_fsm) in_.fail(errc::alir_fsm_member, start);
  }

  void read_fsm() {
    const std::uint64_t start = in_.offset();
    bool has_logic = false, has_connections = false, has_order = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "logic") {
        std::string_view name;
        for (in_.object(); in_.key(name);) {
          block_names_.push_back(keep(name, in_.offset()));
          append_block(4);
        }
        has_logic = true;
      } else if (key == "conns") {
        connections_at_ = in_.offset();
        for (in_.array(); in_.element();) read_connection();
        has_connections = true;
      } else if (key == "signal_order") {
        order_at_ = in_.offset();
        for (in_.array(); in_.element();) {
          const std::uint64_t at = in_.offset();
          append(order_, at, keep(in_.string(), at));
        }
        has_order = true;
      } else {
        in_.skip();
      }
    }
    if (!has_logic || !has_connections || !has_order) in_.fail(errc::alir_fsm_member, start);
  }

  [[nodiscard]] name_range keep(std::string_view name, std::uint64_t offset) {
    const name_range r{names_.size(), name.size(), offset};
    names_ << name;
    return r;
  }

  void read_connection() {
    const std::uint64_t start = in_.offset();
    connection c;
    bool has_from = false, has_to = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "src")
        c.from = read_signal(), has_from = true;
      else if (key == "dst")
        c.to = read_signal(), has_to = true;
      else if (key == "enable_if" || key == "alt_src")
        require_null();
      else
        in_.skip();
    }
    if (!has_from || !has_to) in_.fail(errc::alir_fsm_connection, start);
    append(connections_, start, c);
  }
  void require_null() {
    const std::uint64_t at = in_.offset();
    if (in_.peek() == json::kind::null)
      in_.null();
    else
      in_.fail(errc::alir_fsm_not_pipeline, at);
  }

  [[nodiscard]] fsm_signal read_signal() {
    const auto field = [this] { in_.require_element(errc::alir_fsm_signal); };
    fsm_signal s;
    s.offset = in_.offset();
    in_.array();
    field();
    const name_range name = keep(in_.string(), s.offset);
    s.name_first = name.first, s.name_size = name.size;
    field();
    s.is_exposed = in_.boolean();
    field();
    s.types_at = in_.offset();
    read_types(s);
    for (int k = 0; k < 2; ++k) field(), require_null();  // resets
    field();
    s.is_register = in_.boolean();
    field();
    s.schedule_at = in_.offset();
    read_schedule(s);
    field();
    const std::string_view mode = in_.string();
    s.mode = mode.size() == 1 ? mode[0] : '\0';
    field();
    require_null();  // attributes
    field();
    read_view(s);
    field();
    require_null();  // an index that is computed
    in_.end_array(errc::alir_fsm_signal);
    return s;
  }
  void read_types(fsm_signal& s) {
    s.types_first = types_.size();
    for (in_.array(); in_.element();) {
      const std::uint64_t at = in_.offset();
      fixed_type t;
      in_.array();
      in_.require_element();
      t.k = in_.boolean();
      in_.require_element();
      t.i = in_.integer<std::int16_t>(-2000, 2000);
      in_.require_element();
      t.f = in_.integer<std::int16_t>(-2000, 2000);
      in_.end_array();
      append(types_, at, t, s.types_first);
    }
    s.types_size = types_.size() - s.types_first;
  }
  /// null, or [[delay],period].
  void read_schedule(fsm_signal& s) {
    if (in_.peek() == json::kind::null) return in_.null();
    s.is_scheduled = true;
    in_.array();
    in_.require_element();
    in_.array();
    in_.require_element(errc::alir_fsm_schedule);
    s.delay = in_.int64();
    in_.end_array(errc::alir_fsm_schedule);
    in_.require_element();
    const std::uint64_t at = in_.offset();
    const std::int64_t period = in_.int64();
    if (period < 0 || period > 1) in_.fail(errc::alir_fsm_schedule, at);
    in_.end_array();
  }
  /// The whole signal: [0,size].
  void read_view(const fsm_signal& s) {
    const std::uint64_t at = in_.offset();
    in_.array();
    in_.require_element();
    const std::int64_t first = in_.int64();
    in_.require_element();
    const std::int64_t end = in_.int64();
    in_.end_array();
    if (first != 0 || end < 0 || static_cast<std::uint64_t>(end) != s.types_size)
      in_.fail(errc::alir_fsm_not_pipeline, at);
  }

  // ---- the chain

  [[nodiscard]] std::string_view text_of(std::uint64_t first, std::uint64_t size) const noexcept {
    return names_.view().substr(to_size(first), to_size(size));
  }
  [[nodiscard]] std::string_view name_of(const fsm_signal& s) const noexcept {
    return text_of(s.name_first, s.name_size);
  }
  [[nodiscard]] std::string_view name_of(const name_range& n) const noexcept {
    return text_of(n.first, n.size);
  }

  /// Indices sorted by names, for searching.
  template <class NameOf>
  [[nodiscard]] static pool<std::uint64_t> sorted(std::size_t count, NameOf name_of) {
    pool<std::uint64_t> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(i);
    sort(out.data(), out.size(), [&](std::uint64_t a, std::uint64_t b) {
      return name_of(to_size(a)) < name_of(to_size(b));
    });
    return out;
  }
  static constexpr std::size_t none = SIZE_MAX;
  template <class NameOf>
  [[nodiscard]] static std::size_t find(const pool<std::uint64_t>& by_name, std::string_view name,
                                        NameOf name_of) {
    const std::size_t at = first_not_below(by_name.data(), by_name.size(), [&](std::uint64_t i) {
      return name_of(to_size(i)) < name;
    });
    if (at == by_name.size() || name_of(to_size(by_name[at])) != name) return none;
    return to_size(by_name[at]);
  }

  /// The block whose port a name is: INTERNAL_block_inp.
  [[nodiscard]] std::size_t block_of(std::string_view port, std::string_view ending) const {
    constexpr std::string_view start = "INTERNAL_";
    if (!port.starts_with(start) || !port.ends_with(ending) ||
        port.size() < start.size() + ending.size())
      return none;
    port = port.substr(start.size(), port.size() - start.size() - ending.size());
    return find(blocks_by_name_, port, [this](std::size_t i) { return name_of(block_names_[i]); });
  }
  [[nodiscard]] std::size_t connection_from(std::string_view name) const {
    return find(by_source_, name, [this](std::size_t i) { return name_of(connections_[i].from); });
  }

  [[nodiscard]] bool carries(const fsm_signal& s, const pool<fixed_type>& carried) const {
    if (s.types_size != carried.size()) return false;
    for (std::size_t i = 0; i < carried.size(); ++i)
      if (!(carried[i] == any_type) && !(types_[to_size(s.types_first) + i] == carried[i]))
        return false;
    return true;
  }
  [[nodiscard]] static error at(errc code, std::uint64_t offset) noexcept { return {code, offset}; }

  /// Puts the blocks in the order of the chain.
  [[nodiscard]] error resolve() {
    by_source_ = sorted(connections_.size(),
                        [this](std::size_t i) { return name_of(connections_[i].from); });
    blocks_by_name_ =
        sorted(block_names_.size(), [this](std::size_t i) { return name_of(block_names_[i]); });
    for (std::size_t i = 1; i < by_source_.size(); ++i) {
      const fsm_signal& s = connections_[to_size(by_source_[i])].from;
      if (name_of(s) == name_of(connections_[to_size(by_source_[i - 1])].from))
        return at(errc::alir_fsm_chain, s.offset);
    }
    std::size_t input = none;
    for (std::size_t i = 0; i < connections_.size() && input == none; ++i)
      if (connections_[i].from.is_exposed && connections_[i].from.mode == 'r') input = i;
    if (input == none) return at(errc::alir_fsm_chain, connections_at_);
    if (const error e = follow(input); e.code != errc::ok) return e;
    return check_order();
  }

  /// Follows the connections from that of the input.
  [[nodiscard]] error follow(std::size_t input) {
    const fsm_signal& first = connections_[input].from;
    if (first.is_register) return at(errc::alir_fsm_chain, first.offset);
    if (!first.is_scheduled || first.delay != 0)
      return at(errc::alir_fsm_schedule, first.schedule_at);
    pool<std::uint64_t> order;    // of the blocks
    pool<fixed_type> carried;     // after the first block
    std::uint64_t registers = 0;  // since the last block
    std::size_t used = 0;
    for (std::size_t i = input;; ++used) {
      if (i == none || used == connections_.size())
        return at(errc::alir_fsm_chain, connections_at_);
      const connection& c = connections_[i];
      const fsm_signal& s = c.to;
      if (used != 0 && (c.from.is_exposed || c.from.is_scheduled))
        return at(errc::alir_fsm_chain, c.from.offset);
      if (order.size() != 0 && !carries(c.from, carried))
        return at(errc::alir_fsm_type, c.from.types_at);
      const std::size_t block = block_of(name_of(s), "_inp");
      if (block != none) {
        if (s.is_exposed || s.is_register || s.is_scheduled || order.size() == p_.blocks.size() ||
            (order.size() == 0 ? registers > 1 : registers != 1))
          return at(errc::alir_fsm_chain, s.offset);
        if (const error e = enter(block, input, i, order.size() == 0, carried); e.code != errc::ok)
          return e;
        if (order.size() == 0) p_.input_register = registers == 1;
        order.push_back(block);
        registers = 0;
        text out;
        out << "INTERNAL_" << name_of(block_names_[block]) << "_outp";
        i = connection_from(out.view());
        continue;
      }
      if (s.is_exposed) {
        ++used;
        return finish(s, order, registers, carried, used);
      }
      if (!s.is_register || s.is_scheduled) return at(errc::alir_fsm_chain, s.offset);
      if (order.size() != 0 && !carries(s, carried)) return at(errc::alir_fsm_type, s.types_at);
      ++registers;
      i = connection_from(name_of(s));
    }
  }

  /// At the inputs of a block, which connection `last` leads to; `carried` becomes what it gives.
  [[nodiscard]] error enter(std::size_t block, std::size_t input, std::size_t last, bool is_first,
                            pool<fixed_type>& carried) {
    pool<fixed_type> inputs;
    append_input_types(inputs, p_.blocks[block]);
    if (is_first) {
      for (const fsm_signal* s :
           {&connections_[input].from, &connections_[input].to, &connections_[last].from})
        if (!carries(*s, inputs)) return at(errc::alir_fsm_type, s->types_at);
    }
    const fsm_signal& port = connections_[last].to;
    if (!carries(port, inputs)) return at(errc::alir_fsm_type, port.types_at);
    carried.clear();
    append_output_types(carried, p_.blocks[block]);
    return {};
  }

  [[nodiscard]] error finish(const fsm_signal& s, const pool<std::uint64_t>& order,
                             std::uint64_t registers, const pool<fixed_type>& carried,
                             std::size_t used) {
    if (s.mode != 'w' || registers != 0) return at(errc::alir_fsm_chain, s.offset);
    if (order.size() != p_.blocks.size() || used != connections_.size())
      return at(errc::alir_fsm_chain, connections_at_);
    if (!carries(s, carried)) return at(errc::alir_fsm_type, s.types_at);
    p_.output_register = s.is_register;
    if (!s.is_scheduled || static_cast<std::uint64_t>(s.delay) != latency(p_))
      return at(errc::alir_fsm_schedule, s.schedule_at);
    sequence<model> blocks;
    blocks.reserve(order.size());
    for (const std::uint64_t i : order) blocks.push_back(std::move(p_.blocks[to_size(i)]));
    p_.blocks = std::move(blocks);
    return {};
  }

  /// That signal_order names each signal once.
  [[nodiscard]] error check_order() const {
    const auto of_order = [this](std::size_t i) { return name_of(order_[i]); };
    const auto of_signal = [this](std::size_t i) {
      const connection& c = connections_[i / 2];
      return name_of(i % 2 == 0 ? c.from : c.to);
    };
    const pool<std::uint64_t> named = sorted(order_.size(), of_order),
                              signals = sorted(2 * connections_.size(), of_signal);
    std::size_t k = 0;
    for (std::size_t i = 0; i < signals.size();) {
      const std::string_view name = of_signal(to_size(signals[i]));
      if (k == named.size()) return at(errc::alir_fsm_order, order_at_);
      if (of_order(to_size(named[k])) != name)
        return at(errc::alir_fsm_order, order_[to_size(named[k])].offset);
      ++k;
      while (i < signals.size() && of_signal(to_size(signals[i])) == name) ++i;
    }
    return k == named.size() ? error{} : at(errc::alir_fsm_order, order_[to_size(named[k])].offset);
  }

  pipeline p_;
  text names_;
  pool<fixed_type> types_;
  pool<name_range> block_names_, order_;
  pool<connection> connections_;
  pool<std::uint64_t> by_source_, blocks_by_name_;
  std::uint64_t connections_at_ = 0, order_at_ = 0;
};

// ---- writing

/// A signal as alkaid lays it out.
class fsm_writer {
 public:
  fsm_writer(json::writer& w, const pipeline& p) : w_(w), p_(p) {
    for (const model& m : p.blocks) {
      inputs_.push_back(types_.size());
      append_input_types(types_, m);
      outputs_.push_back(types_.size());
      append_output_types(types_, m);
    }
    inputs_.push_back(types_.size());
  }

  /// Wires first, then what a clock moves on.
  void write_connections() {
    const std::size_t last = p_.blocks.size() - 1;
    w_.begin_array();
    for (std::size_t i = 0; i <= last; ++i) {
      const auto source = [&] { i == 0 ? input(p_.input_register) : stage(i); };
      connect(source, [&] { port(i, false); });
    }
    const auto to_output = [&] { connect([&] { port(last, true); }, [&] { output(); }); };
    if (!p_.output_register) to_output();
    if (p_.input_register) connect([&] { input(false); }, [&] { input(true); });
    for (std::size_t i = 0; i < last; ++i) connect([&] { port(i, true); }, [&] { stage(i + 1); });
    if (p_.output_register) to_output();
    w_.end();
  }
  void write_order() {
    w_.begin_array().string("model_inp");
    if (p_.input_register) w_.string("model_inp_reg");
    for (std::size_t i = 0; i < p_.blocks.size(); ++i) {
      const text stage = stage_name(i), inputs = port_name(i, false), outputs = port_name(i, true);
      if (i != 0) w_.string(stage.view());
      w_.string(inputs.view()).string(outputs.view());
    }
    w_.string("model_out").end();
  }

 private:
  template <class From, class To>
  void connect(From from, To to) {
    w_.begin_object().key("src");
    from();
    w_.key("dst");
    to();
    w_.key("enable_if").null().key("alt_src").null().end();
  }
  [[nodiscard]] static text stage_name(std::size_t i) {
    text out;
    out << "stage" << i << "_inp";
    return out;
  }
  [[nodiscard]] static text port_name(std::size_t block, bool is_output) {
    text out;
    out << "INTERNAL_logic" << block << (is_output ? "_outp" : "_inp");
    return out;
  }

  void input(bool is_register) {
    write(is_register ? "model_inp_reg" : "model_inp", !is_register, inputs_[0], outputs_[0],
          is_register, is_register ? "rw" : "r", 0);
  }
  void output() {
    const std::size_t last = p_.blocks.size() - 1;
    write("model_out", true, outputs_[last], inputs_[last + 1], p_.output_register, "w",
          latency(p_));
  }
  void stage(std::size_t i) {
    const text name = stage_name(i);
    write(name.view(), false, outputs_[i - 1], inputs_[i], true, "rw", 0);
  }
  void port(std::size_t i, bool is_output) {
    const text name = port_name(i, is_output);
    if (is_output)
      write(name.view(), false, outputs_[i], inputs_[i + 1], false, "rw", 0);
    else
      write(name.view(), false, inputs_[i], outputs_[i], false, "rw", 0);
  }
  void write(std::string_view name, bool is_exposed, std::uint64_t first, std::uint64_t end,
             bool is_register, std::string_view mode, std::uint64_t delay) {
    w_.begin_array().string(name).boolean(is_exposed).begin_array();
    for (std::uint64_t i = first; i < end; ++i) {
      const fixed_type t = types_[to_size(i)] == any_type ? fixed_type{} : types_[to_size(i)];
      w_.begin_array().boolean(t.k).integer(t.i).integer(t.f).end();
    }
    w_.end().null().null().boolean(is_register);
    if (is_exposed) {
      w_.begin_array().begin_array().integer(delay).end();
      w_.integer(latency(p_) == 0 ? 0 : 1).end();
    } else {
      w_.null();
    }
    w_.string(mode).null().begin_array().integer(0).integer(end - first).end().null().end();
  }

  json::writer& w_;
  const pipeline& p_;
  pool<fixed_type> types_;
  pool<std::uint64_t> inputs_, outputs_;  // where those of each block start
};

/// Appends a block, in `version` or its own.
[[nodiscard]] inline error append_block(json::writer& w, const model& m, std::int32_t version) {
  const in_version source(m, version);
  if (source.error().code != errc::ok) return source.error();
  if (const error e = check_json(source); e.code != errc::ok) return e;
  write_block(w, *source, source.version());
  return {};
}

[[nodiscard]] inline error append_fsm(json::writer& w, const pipeline& p) {
  w.begin_object().key("meta").string("ALIRFSM").key("spec_version").integer(4);
  w.key("fsm").begin_object().key("logic").begin_object();
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    text name;
    name << "logic" << i;
    w.key(name.view());
    if (const error e = append_block(w, p.blocks[i], 4); e.code != errc::ok) return e;
  }
  w.end().key("conns");
  fsm_writer signals(w, p);
  signals.write_connections();
  w.key("signal_order");
  signals.write_order();
  w.end().end();
  return {};
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE bool operator==(const pipeline& a, const pipeline& b) {
  bool same = a.form == b.form && a.input_register == b.input_register &&
              a.output_register == b.output_register && a.blocks.size() == b.blocks.size();
  for (std::size_t i = 0; i < a.blocks.size() && same; ++i) same = a.blocks[i] == b.blocks[i];
  return same;
}

TESSERA_INLINE fixed_type register_type(const interval& q) noexcept {
  if (detail::check_interval(q) != errc::ok || (q.min == 0.0 && q.max == 0.0)) return {};
  const double low = detail::round_half_away(q.min / q.step),
               high = detail::round_half_away(q.max / q.step) + 1;
  const double codes = -low > high ? -low : high;
  const auto bits = std::bit_cast<std::uint64_t>(codes);
  const bool is_power = (bits & 0xfffffffffffffu) == 0;
  const int f = type_of(q).f;
  const int width = codes > 0 ? static_cast<int>(bits >> 52) - 1023 + (is_power ? 0 : 1) : 0;
  return {q.min < 0, static_cast<std::int16_t>(width - f), static_cast<std::int16_t>(f)};
}

TESSERA_INLINE std::uint64_t register_bits(const pipeline& p) {
  pool<fixed_type> held;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    if (i == 0 && p.input_register) detail::append_input_types(held, p.blocks[i]);
    if (i + 1 < p.blocks.size() || p.output_register)
      detail::append_output_types(held, p.blocks[i]);
  }
  std::uint64_t bits = 0;
  for (const fixed_type& t : held)
    if (t.width() > 0) bits += static_cast<std::uint64_t>(t.width());
  return bits;
}

TESSERA_INLINE bool starts_pipeline(std::string_view source) noexcept {
  if (source.substr(0, 3) == "\xEF\xBB\xBF") source.remove_prefix(3);
  if (detail::leading_brackets(source) != 0) return detail::leading_brackets(source) >= 3;
  constexpr std::size_t near = 4096;
  constexpr std::string_view meta = "\"ALIRFSM\"";
  return source.substr(0, near).find(meta) != source.npos ||
         source.substr(source.size() < near ? 0 : source.size() - near).find(meta) != source.npos;
}

TESSERA_INLINE result<pipeline> read_pipeline(std::string_view source, const limits& limit) {
  return detail::json_pipeline_reader(source, limit).read();
}

TESSERA_INLINE pipeline staged::release() && noexcept {
  pipeline out;
  out.form = form_;
  out.input_register = input_register_, out.output_register = output_register_;
  out.blocks.reserve(blocks_.size());
  for (program& p : blocks_) out.blocks.push_back(std::move(p).release());
  return out;
}

TESSERA_INLINE result<staged> verify(pipeline p, const verify_options& options, report* found) {
  tessera::detail::findings findings(found, options.max_diagnostics);
  if (p.blocks.empty()) findings.error({errc::alir_pipeline_stages, 0, error_index::whole});
  for (std::size_t i = 1; i < p.blocks.size(); ++i) {
    const model &before = p.blocks[i - 1], &m = p.blocks[i];
    if (m.n_inputs == before.n_outputs) continue;
    error e{errc::alir_stage_inputs, m.source.shape};
    if (e.offset == 0) e.offset = i, e.index = error_index::block;
    findings.error(e.code, {0, e.offset, 0, e.index})
        << "block " << i << " has " << m.n_inputs << (m.n_inputs == 1 ? " input" : " inputs")
        << "; expected " << before.n_outputs << ", the outputs of block " << i - 1;
  }
  findings.close();
  error first = findings.first_error();
  staged out;
  out.form_ = p.form;
  out.input_register_ = p.input_register, out.output_register_ = p.output_register;
  out.blocks_.reserve(p.blocks.size());
  for (model& m : p.blocks) {
    result<program> block = verify(std::move(m), options, found);
    if (block)
      out.blocks_.push_back(std::move(*block));
    else if (first.code == errc::ok)
      first = block.error();
  }
  if (first.code != errc::ok) return first;
  return out;
}

TESSERA_INLINE result<text> write_pipeline(const pipeline& p, std::int32_t version) {
  if (p.blocks.empty()) return error{errc::alir_pipeline_stages, 0, error_index::whole};
  text out;
  json::writer w(out);
  if (p.form == pipeline_form::fsm) {
    if (version != 0 && version != 4) return error{errc::alir_fsm_version, 0, error_index::whole};
    if (const error e = detail::append_fsm(w, p); e.code != errc::ok) return e;
    return out;
  }
  w.begin_array();
  if (p.form == pipeline_form::nested) w.begin_array();
  for (const model& m : p.blocks)
    if (const error e = detail::append_block(w, m, version); e.code != errc::ok) return e;
  w.end();
  if (p.form == pipeline_form::nested) w.end();
  return out;
}

TESSERA_INLINE text print(const pipeline& p, const print_options& options) {
  text out;
  out << "pipeline: " << p.blocks.size() << (p.blocks.size() == 1 ? " block, " : " blocks, ")
      << latency(p) << (latency(p) == 1 ? " register\n" : " registers\n");
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    if (i != 0 || p.input_register) out << "register\n";
    const text block = print(p.blocks[i], options);
    out << "block " << i << '\n' << block;
  }
  if (p.output_register) out << "register\n";
  return out;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_PIPELINE_HPP

// ---- tessera/alir/detail/read.hpp
//
// The bodies of alir/read.hpp.

#ifndef TESSERA_ALIR_DETAIL_READ_HPP
#define TESSERA_ALIR_DETAIL_READ_HPP

#include <cstddef>


// ---- tessera/alir/detail/read_bytecode.hpp
//
// The bodies of alir/read_bytecode.hpp.

#ifndef TESSERA_ALIR_DETAIL_READ_BYTECODE_HPP
#define TESSERA_ALIR_DETAIL_READ_BYTECODE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

/// The widest interval of a type, or false when no interval has the type.
[[nodiscard]] inline bool widest_interval(fixed_type t, interval& q) noexcept {
  if (t.f < -127 || t.f > 126 || t.width() < 0 || t.width() > (t.k ? 64 : 63)) return false;
  const double step = power_of_two(-t.f), end = power_of_two(t.i);
  if (t.width() == 0)  // below half a step from zero, unless it is zero
    q = t.f == 0 ? interval{} : interval{0, step / 4, step};
  else  // above 53 bits, end - step is no double, and end would need one more bit
    q = {t.k ? -end : 0.0, t.width() <= 53 ? end - step : end * (1 - 0x1p-53), step};
  return type_of(q) == t;
}

/// Makes the interval of a lookup's operand start so that its table pad is `pad`.
[[nodiscard]] inline bool set_pad(interval& q, std::int64_t pad) noexcept {
  const fixed_type t = type_of(q);
  if (t.width() == 0) return pad == 0;
  q.min = stored(static_cast<double>(pad) * q.step - (t.k ? power_of_two(t.i) : 0.0));
  if (t.k && q.min == 0.0) q.min = -q.step / 4;  // rounds to 0 as well, and keeps the type signed
  if (q.min > q.max) q.max = q.min;              // the float rule of type_of can leave the top out
  return type_of(q) == t && table_pad(q, t) == static_cast<double>(pad);
}

/// Reads values one after the other; past the end everything is 0 and an error sticks.
class byte_cursor {
 public:
  byte_cursor(bytes source, bool host_order) noexcept : source_(source), host_order_(host_order) {}

  template <class T>
  [[nodiscard]] T take() noexcept {
    if (remaining() < sizeof(T)) {
      fail(errc::alir_bytecode_truncated, source_.size());
      offset_ = source_.size();
      return T{};
    }
    T v;
    if (host_order_)
      std::memcpy(&v, source_.data() + offset_, sizeof v);
    else
      v = load_le<T>(source_.data() + offset_);
    offset_ += sizeof v;
    return v;
  }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  [[nodiscard]] std::uint64_t remaining() const noexcept { return source_.size() - offset_; }
  void fail(errc code, std::uint64_t offset) noexcept {
    if (error_.code == errc::ok) error_ = {code, offset};
  }
  [[nodiscard]] bool failed() const noexcept { return error_.code != errc::ok; }
  [[nodiscard]] tessera::error error() const noexcept { return error_; }

 private:
  bytes source_;
  bool host_order_;
  std::size_t offset_ = 0;
  tessera::error error_;
};

class bytecode_reader {
 public:
  bytecode_reader(bytes source, bool host_order, const limits& limit) noexcept
      : in_(source, host_order), host_order_(host_order), size_(source.size()), limit_(limit) {}

  result<model> read() {
    if (size_ > limit_.max_bytes) return error{errc::input_too_large, limit_.max_bytes};
    if (size_ >> 36 != 0) return error{errc::input_too_large, std::uint64_t{1} << 36};
    const auto first = in_.take<std::uint32_t>();
    if (in_.failed()) return in_.error();
    const bool words = host_order_ || first != magic;
    if (words && size_ % 4 != 0) return error{errc::alir_bytecode_alignment, size_ / 4 * 4};
    const std::uint64_t version_at = in_.offset() - (words ? 4 : 0);
    const std::int64_t version = words ? std::int64_t{static_cast<std::int32_t>(first)}
                                       : std::int64_t{in_.take<std::uint32_t>()};
    if (in_.failed()) return in_.error();
    errc e = check_version(version);
    if (e == errc::ok && (version == 2) != words) e = errc::alir_version_unknown;
    if (e != errc::ok) return error{e, version_at};
    if (size_ < header_size) return error{errc::alir_bytecode_truncated, size_};
    m_.spec_version = static_cast<std::int32_t>(version);
    m_.source.is_bytecode = true;
    if (words)
      read_words();
    else
      read_bytes();
    if (!in_.failed() && in_.remaining() != 0) in_.fail(errc::alir_bytecode_trailing, in_.offset());
    if (in_.failed()) return in_.error();
    return std::move(m_);
  }

 private:
  static constexpr std::uint32_t magic = 0x52494c41;  // "ALIR"
  static constexpr std::uint64_t header_size = 24;    // of both forms

  /// A count of items of at least `size` bytes each, which the remaining bytes must be able to
  /// hold together with the `claimed` bytes of the counts before it.
  [[nodiscard]] std::int64_t take_count(std::uint64_t size) {
    const std::uint64_t at = in_.offset();
    const auto n = in_.take<std::int32_t>();
    claimed_ += size * static_cast<std::uint32_t>(n);
    if (n < 0 || claimed_ > size_)
      in_.fail(errc::alir_bytecode_count, at);
    else if (static_cast<std::uint64_t>(n) > limit_.max_items)
      in_.fail(errc::too_many_items, at);
    return in_.failed() ? 0 : n;
  }
  void take_int32s(pool<std::int32_t>& list, std::int64_t count) {
    if (list.empty()) list.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count && !in_.failed(); ++i)
      list.push_back(in_.take<std::int32_t>());
  }
  template <class Flag>
  [[nodiscard]] bool take_flag() {
    const std::uint64_t at = in_.offset();
    const auto v = in_.take<Flag>();
    if (v != 0 && v != 1) in_.fail(errc::alir_bytecode_flag, at);
    return v == 1;
  }

  /// Counts, shifts and outputs: the same in both forms but for the size of the flags.
  template <class Flag>
  void read_interface(std::uint64_t operation_size) {
    m_.source.shape = in_.offset();
    m_.n_inputs = take_count(4);
    m_.n_outputs = take_count(8 + sizeof(Flag));
    operations_ = take_count(operation_size);
    tables_ = take_count(4);
    m_.source.inp_shifts = in_.offset();
    take_int32s(m_.inp_shifts, m_.n_inputs);
    m_.source.out_idxs = in_.offset();
    for (std::int64_t i = 0; i < m_.n_outputs; ++i)
      m_.source.outputs.push_back(in_.offset() + 4 * static_cast<std::uint64_t>(i));
    take_int32s(m_.out_idxs, m_.n_outputs);
    m_.source.out_shifts = in_.offset();
    take_int32s(m_.out_shifts, m_.n_outputs);
    m_.source.out_negs = in_.offset();
    for (std::int64_t i = 0; i < m_.n_outputs && !in_.failed(); ++i)
      m_.out_negs.push_back(take_flag<Flag>() ? 1 : 0);
    m_.ops.reserve(static_cast<std::size_t>(operations_));
    m_.source.ops.reserve(static_cast<std::size_t>(operations_));
    m_.tables.reserve(static_cast<std::size_t>(tables_));
    m_.source.tables.reserve(static_cast<std::size_t>(tables_));
  }

  void set_opcode(operation& o, std::int32_t code, std::int32_t last, std::uint64_t at) {
    if (code < first_opcode || code > last)
      in_.fail(errc::alir_opcode, at);
    else
      o.code = static_cast<opcode>(code);
  }
  template <class Int, class Flag>
  void take_type(operation& o) {
    const std::uint64_t at = in_.offset();
    const bool k = take_flag<Flag>();
    const std::int32_t i = in_.take<Int>(), f = in_.take<Int>();
    if (in_.failed()) return;
    if (i < -1000 || i > 1000 || f < -1000 || f > 1000 ||
        !widest_interval({k, static_cast<std::int16_t>(i), static_cast<std::int16_t>(f)}, o.qint))
      in_.fail(errc::alir_bytecode_type, at);
  }
  /// The pad of a lookup, `at` its place; the operand gets the interval that it implies.
  void take_pad(const operation& lookup, std::int64_t pad, std::uint64_t at) {
    if (lookup.id0 < 0 || static_cast<std::size_t>(lookup.id0) >= m_.ops.size()) return;
    const auto x = static_cast<std::size_t>(lookup.id0);
    if (padded_.empty()) padded_.resize(static_cast<std::size_t>(operations_));
    interval q = m_.ops[x].qint;
    if (!is_int32(pad) || !set_pad(q, pad))
      in_.fail(errc::alir_bytecode_pad, at);
    else if (padded_[x] != 0 && !(q == m_.ops[x].qint))
      in_.fail(errc::alir_bytecode_pad_conflict, at);
    m_.ops[x].qint = q;
    padded_[x] = 1;
  }

  void read_words() {
    (void)in_.take<std::int32_t>();  // the firmware version says nothing about the program
    claimed_ = header_size;
    read_interface<std::int32_t>(32);
    for (std::int64_t n = 0; n < operations_ && !in_.failed(); ++n) {
      const std::uint64_t at = in_.offset();
      operation o;
      set_opcode(o, in_.take<std::int32_t>(), last_opcode - 1, at);
      o.id0 = in_.take<std::int32_t>();
      o.id1 = in_.take<std::int32_t>();
      const auto low = in_.take<std::int32_t>(), high = in_.take<std::int32_t>();
      const bool low_only =
          o.code == opcode::add || o.code == opcode::subtract || o.code == opcode::lookup;
      unpack_data(o, low_only ? std::int64_t{low}
                              : static_cast<std::int64_t>(
                                    std::uint64_t{static_cast<std::uint32_t>(high)} << 32 |
                                    static_cast<std::uint32_t>(low)));
      take_type<std::int32_t, std::int32_t>(o);
      if (o.code == opcode::lookup) take_pad(o, high, at + 16);
      m_.ops.push_back(o);
      m_.source.ops.push_back(
          {.start = (at + 4) & place_mask, .id1 = 4, .condition = 8, .data = 8, .qint = 16});
    }
    pool<std::int32_t> sizes;
    const std::uint64_t sizes_at = in_.offset();
    take_int32s(sizes, in_.failed() ? 0 : tables_);
    for (std::size_t t = 0; t < sizes.size() && !in_.failed(); ++t)
      read_entries(sizes[t], sizes_at + 4 * t);
  }

  void read_bytes() {
    claimed_ = header_size;
    read_interface<std::uint8_t>(8);
    pool<std::int32_t> ids;
    pool<std::int64_t> data;
    for (std::int64_t n = 0; n < operations_ && !in_.failed(); ++n) {
      const std::uint64_t at = in_.offset();
      operation o;
      set_opcode(o, in_.take<std::int8_t>(), last_opcode, at);
      take_type<std::int8_t, std::uint8_t>(o);
      const std::uint64_t ids_at = in_.offset();
      const std::uint64_t n_ids = in_.take<std::uint16_t>(), n_data = in_.take<std::uint16_t>();
      if (4 * n_ids + 8 * n_data > in_.remaining())
        in_.fail(errc::alir_bytecode_truncated, size_);
      else if (n_ids > limit_.max_items || n_data > limit_.max_items)
        in_.fail(errc::too_many_items, ids_at);
      if (in_.failed()) return;
      ids.clear(), data.clear();
      const std::uint64_t start = in_.offset();
      for (std::uint64_t i = 0; i < n_ids; ++i) ids.push_back(in_.take<std::int32_t>());
      const std::uint64_t data_at = in_.offset();
      for (std::uint64_t i = 0; i < n_data; ++i) data.push_back(in_.take<std::int64_t>());
      // Bytecode stores the pad of a lookup after its table; the model derives it.
      const bool pad = o.code == opcode::lookup && data.size() == 2;
      if (o.code == opcode::lookup && !pad) return in_.fail(errc::alir_data, ids_at);
      const std::int64_t pad_value = pad ? data[1] : 0;
      if (pad) data.pop_back();
      errc e = check_counts(o.code, ids.size(), data.size());
      if (o.code == opcode::quantize && data.empty() != (m_.spec_version == 3)) e = errc::alir_data;
      if (e == errc::ok && m_.terms.size() + ids.size() > INT32_MAX) e = errc::too_many_items;
      if (e != errc::ok) return in_.fail(e, ids_at);
      e = set_addresses_and_data(m_, o, ids, data);
      if (e != errc::ok) return in_.fail(e, data_at);
      if (pad) take_pad(o, pad_value, data_at + 8);
      m_.ops.push_back(o);
      m_.source.ops.push_back({.start = start & place_mask,
                               .id1 = 4,
                               .condition = 8,
                               .data = data_at - start < 127 ? (data_at - start) & 127 : 0,
                               .qint = 0});
    }
    for (std::int64_t t = 0; t < tables_ && !in_.failed(); ++t) {
      const std::uint64_t at = in_.offset();
      read_entries(in_.take<std::int32_t>(), at);
    }
  }

  /// The entries of one table; its size was at `at`. (table_data grows by doubling: an exact
  /// reserve for each of many small tables would be quadratic.)
  void read_entries(std::int32_t size, std::uint64_t at) {
    if (in_.failed()) return;
    const auto n = static_cast<std::uint32_t>(size);
    if (size < 0 || std::uint64_t{n} * 4 > in_.remaining())
      return in_.fail(errc::alir_bytecode_count, at);
    if (n > limit_.max_items) return in_.fail(errc::too_many_items, at);
    lookup_table t;
    t.first = m_.table_data.size();
    t.count = n;
    for (std::uint32_t i = 0; i < n; ++i) m_.table_data.push_back(in_.take<std::int32_t>());
    m_.tables.push_back(t);
    m_.source.tables.push_back(at);
  }

  static constexpr std::uint64_t place_mask = (std::uint64_t{1} << 36) - 1;

  byte_cursor in_;
  bool host_order_;  // words of this host, which can't be the byte form
  std::uint64_t size_;
  limits limit_;
  model m_;
  std::uint64_t claimed_ = 0;
  std::int64_t operations_ = 0, tables_ = 0;
  pool<std::uint8_t> padded_;
};

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<model> read_bytecode(bytes source, const limits& limit) {
  return detail::bytecode_reader(source, false, limit).read();
}

TESSERA_INLINE result<model> read_bytecode(std::span<const std::int32_t> words,
                                           const limits& limit) {
  return detail::bytecode_reader(std::as_bytes(words), true, limit).read();
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_READ_BYTECODE_HPP

namespace tessera::inline TESSERA_ABI {
namespace alir {

TESSERA_INLINE encoding detect(bytes source) noexcept {
  if (as_text(source).substr(0, 4) == "ALIR") return encoding::bytecode;
  if (source.size() < 4) return encoding::json;
  for (std::size_t i = 0; i < 4; ++i)
    if (source[i] == std::byte{0}) return encoding::bytecode;
  return encoding::json;
}

TESSERA_INLINE result<model> read(bytes source, const read_options& options) {
  const encoding e = options.encoding == encoding::automatic ? detect(source) : options.encoding;
  return e == encoding::json ? read_json(as_text(source), options.limit)
                             : read_bytecode(source, options.limit);
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_READ_HPP

// ---- tessera/core/detail/describe.hpp
//
// The bodies of core/describe.hpp.

#ifndef TESSERA_CORE_DETAIL_DESCRIBE_HPP
#define TESSERA_CORE_DETAIL_DESCRIBE_HPP


namespace tessera::inline TESSERA_ABI {

namespace detail {

/// The table of the format that an error is of.
[[nodiscard]] inline errc_table table_of(error e) noexcept {
  const std::size_t owner = static_cast<std::size_t>(e.code) / 1000;
  return owner < owners ? table_of(owner) : errc_table();
}
/// Likewise for a binary source, where core's errors have their places from the source's format.
[[nodiscard]] inline errc_table table_of(error e, bytes source) noexcept {
  errc_table table = table_of(e);
  for (std::size_t i = 1; i < owners && table.append_place == nullptr; ++i)
    if (const errc_table& other = table_of(i);
        other.is_mine != nullptr && other.is_mine(source.data(), source.size()))
      table = other;
  return table;
}
inline void append_message(text& out, error e, std::string_view message) {
  out << ": error: " << message << "\n  [" << e.name() << ']';
}
/// Whether JSON was expected where a comment begins.
[[nodiscard]] inline bool is_comment(error e, std::string_view source) noexcept {
  if (e.code < errc::json_unexpected_end || e.code > errc::json_missing_element ||
      e.offset >= source.size())
    return false;
  const std::string_view at = source.substr(to_size(e.offset));
  return at.starts_with("//") || at.starts_with("/*") || at.starts_with('#');
}
/// An error of a model built in code.
[[nodiscard]] inline text describe_element(error e, std::string_view name) {
  text out(name);
  append_message(out, e, e.message());
  if (e.index == error_index::whole)
    out << '\n';
  else
    out << " at " << tessera::name(e.index) << ' ' << e.offset << '\n';
  return out;
}

}  // namespace detail

TESSERA_INLINE text message_of(error e, std::string_view source, std::string_view path,
                               const limits& limit) {
  text out;
  const auto append = detail::table_of(e).append_message;
  if (append != nullptr && e.index == error_index::none && json::detail::is_json(source)) {
    text looked_up;
    if (path.empty()) {
      looked_up = json::path(source, e.offset, limit);
      path = looked_up;
    }
    append(out, e, source, path);
  }
  if (out.size() == 0) out << e.message();
  if (detail::is_comment(e, source)) out << "; JSON has no comments";
  return out;
}

TESSERA_INLINE text describe(error e, std::string_view source, std::string_view name,
                             const limits& limit) {
  if (e.index != error_index::none) return detail::describe_element(e, name);
  // Binaries may come as characters, too; no text of a format has a zero byte.
  if (detail::table_of(e).append_place != nullptr && source.find('\0') != source.npos)
    return describe(e, as_bytes(source), name);
  const std::size_t offset = e.offset < source.size() ? to_size(e.offset) : source.size();
  const line_column at = locate(source, offset);
  text out(name);
  out << ':' << at.line << ':' << at.column;
  const bool is_json = json::detail::is_json(source);
  text path;
  if (is_json) path = json::path(source, offset, limit);
  const text message = message_of(e, source, path, limit);
  detail::append_message(out, e, message);
  if (is_json) {
    append_shown(out << " at ", path);
    out << ", offset ";
  } else {
    out << " at offset ";
  }
  out << offset << '\n';
  detail::append_caret(out, source, offset);
  return out;
}

TESSERA_INLINE text describe(error e, bytes source, std::string_view name) {
  if (e.index != error_index::none) return detail::describe_element(e, name);
  const std::size_t offset = e.offset < source.size() ? to_size(e.offset) : source.size();
  text out(name);
  detail::append_message(out, e, e.message());
  out << " at ";
  if (const auto append_place = detail::table_of(e, source).append_place; append_place != nullptr) {
    const std::size_t before = out.size();
    append_place(out, e, source.data(), source.size());
    if (out.size() != before) out << ", ";
  }
  out << "offset " << offset;
  detail::append_offset_in_hex(out, offset);
  out << '\n';
  detail::append_hex_line(out, source, offset);
  return out;
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_DESCRIBE_HPP

#endif  // the bodies

// ---- LICENSE
//
// MIT License
//
// Copyright (c) 2026 The Tessera authors
//
// Permission is hereby granted, free of charge, to any person obtaining a copy
// of this software and associated documentation files (the "Software"), to deal
// in the Software without restriction, including without limitation the rights
// to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
// copies of the Software, and to permit persons to whom the Software is
// furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all
// copies or substantial portions of the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
// IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
// FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
// AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
// LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
// OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
// SOFTWARE.
