// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Reads and writes the elements of tensors of all formats: dense, little-endian, in C order.
//
//   .npy   the tensor's type (BF16 as u2, i4 as i1) and shape, up to dimensions of 1
//   .csv   a line for each row of the last dimension; numbers are rounded to the tensor's type
//   raw    the elements, little-endian
//
// In memory an i4 element has one byte.

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

/// Element types, floats first.
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
inline constexpr std::size_t element_type_count =
    static_cast<std::size_t>(element_type::boolean) + 1;
[[nodiscard]] std::size_t size_of(element_type t) noexcept;
/// The .npy type of an element type.
[[nodiscard]] io::element_kind npy_kind(element_type t) noexcept;
/// The element type of a .npy type; none if there is none.
[[nodiscard]] std::optional<element_type> type_of(io::element_kind k) noexcept;

/// The type and shape of the elements of a tensor, or of the bytes of a buffer.
struct element_shape {
  element_type type = element_type::u8;
  std::string_view name = "bytes";  ///< of the type, for messages
  std::vector<std::uint64_t> shape = {};
  bool any_type = false;   ///< accept .npy files of any type and shape, as bytes
  bool any_shape = false;  ///< accept .npy files of any shape with as many elements

  [[nodiscard]] std::uint64_t count() const noexcept;
  /// Of the last dimension.
  [[nodiscard]] std::uint64_t rows() const noexcept;
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
/// Stores a number rounded to the type; false if an integer type can't represent it.
[[nodiscard]] bool store_element(std::span<std::byte> dense, element_type type, std::size_t i,
                                 double value);

/// A summary of the elements of a result.
struct element_summary {
  element_summary(std::span<const std::byte> dense, element_type type);
  double min = 0, max = 0, mean = 0;  ///< of the finite elements, if `any`
  std::uint64_t nans = 0, infinities = 0, negative_infinities = 0;
  std::uint64_t checksum = 0xcbf29ce484222325u;  ///< FNV-1a of the bytes
  bool any = false;

  [[nodiscard]] std::uint64_t not_finite() const noexcept {
    return nans + infinities + negative_infinities;
  }
  /// Two lines: "min …, max …, mean …" and the numbers of NaN and infinities; the first elements.
  void show(text& out, std::span<const std::byte> dense, const element_shape& what) const;
  /// The members "min" to "checksum" of an object.
  void write(json::writer& w) const;
};

/// A random number in [low, high), or an integer in [low, high]; the same on every machine.
[[nodiscard]] double random_number(std::uint64_t& state, double low, double high, bool whole);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_VALUES_HPP
