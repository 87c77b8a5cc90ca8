// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Elements of tensors from files and to files: dense, little-endian, in C order.
//
//   .npy   of the type that goes with the tensor's: FP32 f4, FP16 f2, BF16 u2 (its bits), INT32 i4,
//          UINT32 u4, INT8 i1, UINT8 and BYTE u1; of its Shape, or of its Shape without the ones
//   .csv   a row for each row of its last dimension; numbers are rounded to the tensor's type
//   raw    its elements, little-endian

#ifndef TESSERA_CLI_ARK_VALUES_HPP
#define TESSERA_CLI_ARK_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/arrays.hpp"
#include "tessera/ark.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// What elements are: of a tensor, or the bytes of a buffer.
struct element_shape {
  ark::data_type type = ark::data_type::byte;
  std::vector<std::uint64_t> shape;
  bool any_type = false;  ///< .npy files of any type and shape will do, as bytes

  [[nodiscard]] std::uint64_t count() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};
[[nodiscard]] element_shape elements_of(const ark::graph& g, std::uint32_t tensor);

[[nodiscard]] io::expected<std::vector<std::byte>> read_elements(const std::string& path,
                                                                 io::array_format format,
                                                                 const element_shape& what);
[[nodiscard]] text encode_elements(std::span<const std::byte> dense, io::array_format format,
                                   const element_shape& what);

/// One element as a number.
[[nodiscard]] double element(std::span<const std::byte> dense, ark::data_type type, std::size_t i);
/// Stores a number rounded to the type; false when it is out of an integer's range, or no integer.
[[nodiscard]] bool store_element(std::span<std::byte> dense, ark::data_type type, std::size_t i,
                                 double value);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_ARK_VALUES_HPP
