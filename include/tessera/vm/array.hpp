// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A dense array that a machine takes or gives: elements of one type in C order, as this host has them.
//
//   const std::int64_t shape[] = {2, 3};
//   const float elements[] = {1, 2, 3, 4, 5, 6};
//   vm.set_input(0, {shape, std::span(elements)});
//   for (const float y : vm.output(0).elements<float>()) use(y);
//
// Lifetime:   borrows the shape and the elements.
// Errors:     elements<T>() is empty where the elements have another type.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_VM_ARRAY_HPP
#define TESSERA_VM_ARRAY_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "../nac.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm {

/// The data type of a C++ type; float32 for all that have none. float16 and bfloat16 have no type of
/// C++20: their arrays are made of bytes.
template <class T>
inline constexpr nac::data_type data_type_of = nac::data_type::float32;
template <>
inline constexpr nac::data_type data_type_of<double> = nac::data_type::float64;
template <>
inline constexpr nac::data_type data_type_of<std::int64_t> = nac::data_type::int64;
template <>
inline constexpr nac::data_type data_type_of<std::int32_t> = nac::data_type::int32;
template <>
inline constexpr nac::data_type data_type_of<std::int16_t> = nac::data_type::int16;
template <>
inline constexpr nac::data_type data_type_of<std::int8_t> = nac::data_type::int8;
template <>
inline constexpr nac::data_type data_type_of<std::uint8_t> = nac::data_type::uint8;
template <>
inline constexpr nac::data_type data_type_of<bool> = nac::data_type::boolean;
/// Whether a C++ type is that of the elements of arrays.
template <class T>
inline constexpr bool is_element =
    std::is_same_v<T, float> || data_type_of<T> != nac::data_type::float32;

/// A dense array. With an empty shape it is a scalar; where its bytes are empty, too, it is no array.
struct array_view {
  nac::data_type type = nac::data_type::float32;  ///< of the elements
  std::span<const std::int64_t> shape = {};       ///< borrowed
  std::span<const std::byte> bytes = {};          ///< the elements in C order, borrowed

  /// No array.
  array_view() noexcept = default;
  /// Of any type: nac::size_of(type) bytes for each element; truth values are bytes 0 and 1.
  array_view(nac::data_type of, std::span<const std::int64_t> dims,
             std::span<const std::byte> data) noexcept
      : type(of), shape(dims), bytes(data) {}
  /// Of a C++ type.
  template <class T, std::size_t Count>
  array_view(std::span<const std::int64_t> dims, std::span<T, Count> elements) noexcept
      : type(data_type_of<std::remove_const_t<T>>), shape(dims), bytes(std::as_bytes(elements)) {
    static_assert(is_element<std::remove_const_t<T>>, "no element type of a tensor");
  }

  /// The elements; empty where they have another type.
  template <class T>
  [[nodiscard]] std::span<const T> elements() const noexcept {
    static_assert(is_element<T>, "no element type of a tensor");
    if (type != data_type_of<T>) return {};
    return {static_cast<const T*>(static_cast<const void*>(bytes.data())),
            bytes.size() / sizeof(T)};
  }
};

}  // namespace vm
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ARRAY_HPP
