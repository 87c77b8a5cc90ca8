// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC verification of DATA and ARRS: that tensors hold what their metadata say.
//
//   errc  of                a tensor that
//   nac_tensor_size         elements × size of one isn't the number of its bytes
//   nac_tensor_type         int8 codes hold int8, code 1 holds float16
//   nac_tensor_axis         the axis of its scales isn't one of its dimensions
//   nac_tensor_scales       it hasn't one scale for each index of the axis, or for each block
//   nac_tensor_padding      block_fp8: not one dimension, the original elements and less than a
//                           block more
//
// Lifetime:   for the time of a call.
// Errors:     values; of internal tensors, the offset is that of the field that is wrong.
// Limits:     none of its own: all arithmetic is checked.
// Allocation: none.

#ifndef TESSERA_NAC_DETAIL_RULES_DATA_HPP
#define TESSERA_NAC_DETAIL_RULES_DATA_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "rules_report.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// "; f32 [3, 4] needs 48", after a number of bytes.
template <class Out, class Shape>
[[gnu::cold]] void put_expected_size(Out& to, data_type type, const Shape& shape) {
  const std::uint64_t size = shape_bytes(type, shape);
  to << "; ";
  put_type(to, type, shape);
  if (size == ~std::uint64_t{0})
    to << " needs more than 2^64 - 1";
  else
    to << " needs " << size;
}

/// What is wrong with a tensor; the offset counts from its record in block 3.
[[nodiscard]] inline error tensor_fault(const tensor& t) noexcept {
  constexpr std::uint64_t size_field = 6, type_field = 14, shape_field = 16;
  const std::uint64_t payload = shape_field + 4 * std::uint64_t{t.shape.size()} + 1;
  switch (t.quantization) {
    case quantization::none: break;
    case quantization::fp16:
      if (t.type != data_type::float16) return {errc::nac_tensor_type, type_field};
      break;
    case quantization::int8_tensor:
    case quantization::int8_channel:
    case quantization::block_fp8:
      if (t.type != data_type::int8) return {errc::nac_tensor_type, type_field};
      break;
  }
  if (shape_bytes(t.type, t.shape) != t.data.size()) return {errc::nac_tensor_size, size_field};
  if (t.quantization == quantization::int8_tensor) {
    if (t.scales.size() != 1) return {errc::nac_tensor_scales, payload};
  } else if (t.quantization == quantization::int8_channel) {
    if (t.axis >= t.shape.size()) return {errc::nac_tensor_axis, payload};
    if (t.scales.size() != t.shape[t.axis]) return {errc::nac_tensor_scales, payload + 1};
  } else if (t.quantization == quantization::block_fp8) {
    if (t.shape.size() != 1) return {errc::nac_tensor_padding, type_field + 1};
    const std::uint64_t padded = t.shape[0];
    std::uint64_t wanted = 0;
    if (!count_elements(t.original_shape, wanted) || wanted > padded || padded - wanted >= t.block)
      return {errc::nac_tensor_padding, payload + 2};
    if (padded != std::uint64_t{t.scales.size()} * t.block)
      return {errc::nac_tensor_scales, payload + 3 + 4 * std::uint64_t{t.original_shape.size()}};
  }
  return {};
}

/// Says what is wrong with a tensor of which tensor_fault found the code.
template <class Out>
[[gnu::cold]] void put_tensor_fault(Out& to, errc code, const tensor& t) {
  switch (code) {
    case errc::nac_tensor_size:
      to << t.data.size() << " bytes of elements";
      put_expected_size(to, t.type, t.shape);
      break;
    case errc::nac_tensor_type:
      to << name(t.type) << " elements with quantization " << name(t.quantization) << "; expected "
         << (t.quantization == quantization::fp16 ? "f16" : "i8");
      break;
    case errc::nac_tensor_axis:
      to << "axis " << unsigned{t.axis} << " of a tensor of rank " << t.shape.size()
         << "; expected an axis below the rank";
      break;
    case errc::nac_tensor_scales:
      put_count(to, t.scales.size(), "scale");
      if (t.quantization == quantization::int8_channel)
        to << "; expected " << t.shape[t.axis] << ", one for each index of axis "
           << unsigned{t.axis};
      else if (t.quantization == quantization::block_fp8)
        to << " for " << t.shape[0] << " elements in blocks of " << t.block
           << "; expected one for each block";
      break;  // whole tensors have one wherever they are read
    case errc::nac_tensor_padding:
      to << "stored as ";
      put_type(to, t.type, t.shape);
      to << "; expected one dimension: the elements of ";
      put_type(to, t.type, t.original_shape);
      to << ", padded to whole blocks of " << t.block;
      break;
    default: break;  // unreachable: no other faults
  }
}

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_DATA_HPP
