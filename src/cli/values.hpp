// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Elements of tensors from files and to files, whatever the format of the model: dense,
// little-endian, in C order.
//
//   .npy   of the tensor's type, BF16 as u2 (its bits), i4 as i1; of its shape, or of its shape
//          without the ones
//   .csv   a row for each row of its last dimension; numbers are rounded to the tensor's type
//   raw    its elements, little-endian
//
// Here i4 takes a byte an element.

#ifndef TESSERA_CLI_VALUES_HPP
#define TESSERA_CLI_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/arrays.hpp"
#include "io/npy.hpp"
#include "tessera/core/json_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// Types of elements, floats first.
enum class element_type : std::uint8_t {
  f64,
  f32,
  f16,
  bf16,
  i64,
  i32,
  i16,
  i8,
  i4,
  u32,
  u16,
  u8,
  boolean
};
[[nodiscard]] std::size_t size_of(element_type t) noexcept;
/// How .npy files hold a type.
[[nodiscard]] io::element_kind npy_kind(element_type t) noexcept;
/// The type that a file of that kind holds; none where no tensor has it.
[[nodiscard]] std::optional<element_type> type_of(io::element_kind k) noexcept;

/// What elements are: of a tensor, or the bytes of a buffer.
struct element_shape {
  element_type type = element_type::u8;
  std::string_view name = "bytes";  ///< of the type, in messages
  std::vector<std::uint64_t> shape = {};
  bool any_type = false;  ///< .npy files of any type and shape will do, as bytes

  [[nodiscard]] std::uint64_t count() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept { return count() * size_of(type); }
};

/// "[2, 3]".
[[nodiscard]] std::string text_of(const std::vector<std::uint64_t>& shape);

[[nodiscard]] io::expected<std::vector<std::byte>> read_elements(const std::string& path,
                                                                 io::array_format format,
                                                                 const element_shape& what);
[[nodiscard]] text encode_elements(std::span<const std::byte> dense, io::array_format format,
                                   const element_shape& what);

/// One element as a number.
[[nodiscard]] double element(std::span<const std::byte> dense, element_type type, std::size_t i);
/// Stores a number rounded to the type; false when it is out of an integer's range, or no integer.
[[nodiscard]] bool store_element(std::span<std::byte> dense, element_type type, std::size_t i,
                                 double value);

/// What a result's elements are, in short.
struct element_summary {
  element_summary(std::span<const std::byte> dense, element_type type);
  double least = 0, most = 0, mean = 0;  ///< of those that are finite, if `any` is
  std::uint64_t nans = 0, infinities = 0, negative_infinities = 0;
  std::uint64_t checksum = 0xcbf29ce484222325u;  ///< FNV-1a of the bytes
  bool any = false;

  [[nodiscard]] std::uint64_t not_finite() const noexcept {
    return nans + infinities + negative_infinities;
  }
  /// "min …, max …, mean …" and the first elements, on two lines; where not all are finite, that
  /// these numbers leave some out, and how many.
  void show(text& out, std::span<const std::byte> dense, const element_shape& what) const;
  /// The members "min" to "checksum" of an object.
  void write(json::writer& w) const;
};

/// A random number of [low, high), or a whole one of [low, high]: the same everywhere.
[[nodiscard]] double random_number(std::uint64_t& state, double low, double high, bool whole);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_VALUES_HPP
