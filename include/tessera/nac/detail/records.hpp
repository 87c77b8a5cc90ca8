// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/model.hpp.

#ifndef TESSERA_NAC_DETAIL_RECORDS_HPP
#define TESSERA_NAC_DETAIL_RECORDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Bytes that elements of a type and shape take; all ones when that doesn't fit.
template <class Shape>
[[nodiscard]] inline std::uint64_t shape_bytes(data_type type, const Shape& shape) noexcept {
  std::uint64_t size = 0;
  return count_elements(shape, size) && checked_mul(size, std::uint64_t{size_of(type)}, size)
             ? size
             : ~std::uint64_t{0};
}

TESSERA_INLINE bytes cursor::take_bytes(std::uint64_t count) noexcept {
  const bytes b(data(), to_size(count));
  at_ += count;
  return b;
}

template <class Length>
[[nodiscard]] inline error parse_named(cursor& in, named& out) noexcept {
  if (!in.has(2 + sizeof(Length))) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  out.id = in.take<std::uint16_t>();
  const Length length = in.take<Length>();
  if (!in.has(length)) return in.fail(errc::nac_truncated);
  out.text = as_text(in.take_bytes(length));
  return {};
}

TESSERA_INLINE error short_named::parse(cursor& in, named& out) noexcept {
  return parse_named<std::uint8_t>(in, out);
}

TESSERA_INLINE error long_named::parse(cursor& in, named& out) noexcept {
  return parse_named<std::uint16_t>(in, out);
}

/// u8 type, u8 rank, rank × u32.
template <class Record>
[[nodiscard]] inline error parse_shape(cursor& in, Record& out, errc truncated) noexcept {
  if (!in.has(2)) return in.fail(truncated);
  const auto type = load_le<std::uint8_t>(in.data());
  if (type >= data_type_count) return in.fail(errc::nac_data_type);
  out.type = static_cast<data_type>(in.take<std::uint8_t>());
  const auto rank = load_le<std::uint8_t>(in.data());
  if (!in.has(1 + 4 * std::uint64_t{rank})) return in.fail(truncated);
  (void)in.take<std::uint8_t>();
  out.shape = in.take_packed<std::uint32_t>(rank);
  return {};
}

[[nodiscard]] inline error parse_scales(cursor& in, tensor& out) noexcept {
  if (!in.has(4)) return in.fail(errc::nac_tensor_metadata);
  const auto count = load_le<std::uint32_t>(in.data());
  if (!in.has(4 + 4 * std::uint64_t{count})) return in.fail(errc::nac_tensor_metadata);
  (void)in.take<std::uint32_t>();
  out.scales = in.take_packed<float>(count);
  return {};
}

/// A tensor's metadata, which fill `in` exactly.
[[nodiscard]] inline error parse_metadata(cursor in, tensor& out) noexcept {
  if (const error e = parse_shape(in, out, errc::nac_tensor_metadata); e.code != errc::ok) return e;
  if (!in.has(1)) return in.fail(errc::nac_tensor_metadata);
  if (load_le<std::uint8_t>(in.data()) >= quantization_count)
    return in.fail(errc::nac_tensor_quantization);
  out.quantization = static_cast<quantization>(in.take<std::uint8_t>());
  error e;
  switch (out.quantization) {
    case quantization::none:
    case quantization::fp16: break;
    case quantization::int8_tensor:
      if (!in.has(4)) return in.fail(errc::nac_tensor_metadata);
      out.scales = in.take_packed<float>(1);
      break;
    case quantization::int8_channel:
      if (!in.has(1)) return in.fail(errc::nac_tensor_metadata);
      out.axis = in.take<std::uint8_t>();
      e = parse_scales(in, out);
      break;
    case quantization::block_fp8: {
      if (!in.has(3)) return in.fail(errc::nac_tensor_metadata);
      if (load_le<std::uint16_t>(in.data()) == 0) return in.fail(errc::nac_block_size);
      out.block = in.take<std::uint16_t>();
      const auto rank = load_le<std::uint8_t>(in.data());
      if (!in.has(1 + 4 * std::uint64_t{rank})) return in.fail(errc::nac_tensor_metadata);
      (void)in.take<std::uint8_t>();
      out.original_shape = in.take_packed<std::uint32_t>(rank);
      e = parse_scales(in, out);
      break;
    }
  }
  if (e.code == errc::ok && in.left() != 0) return in.fail(errc::nac_tensor_metadata);
  return e;
}

TESSERA_INLINE error constant_form::parse(cursor& in, constant& out) noexcept {
  if (!in.has(5)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  out.id = in.take<std::uint16_t>();
  const auto type = load_le<std::uint8_t>(in.data());
  if (type >= constant_type_count) return in.fail(errc::nac_constant_type);
  out.type = static_cast<constant_type>(in.take<std::uint8_t>());
  out.length = load_le<std::uint16_t>(in.data());
  std::uint64_t size = 0;
  switch (out.type) {
    case constant_type::null: break;
    case constant_type::boolean: size = 1; break;
    case constant_type::int64:
    case constant_type::float64:
      if (out.length != 8) return in.fail(errc::nac_constant_length);
      size = 8;
      break;
    case constant_type::string: size = out.length; break;
    case constant_type::int32_list:
    case constant_type::float32_list: size = std::uint64_t{4} * out.length; break;
  }
  (void)in.take<std::uint16_t>();
  if (!in.has(size)) return in.fail(errc::nac_truncated);
  out.payload = in.take_bytes(size).data();
  return {};
}

TESSERA_INLINE error tensor_form::parse(cursor& in, tensor& out) noexcept {
  out = {};
  if (!in.has(14)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  out.id = in.take<std::uint16_t>();
  const auto metadata = load_le<std::uint32_t>(in.data());
  if (in.left() - 12 < metadata) return in.fail(errc::nac_truncated);
  (void)in.take<std::uint32_t>();
  const auto data = load_le<std::uint64_t>(in.data());
  if (in.left() - 8 - metadata < data) return in.fail(errc::nac_truncated);
  (void)in.take<std::uint64_t>();
  out.metadata = bytes(in.data(), metadata);
  const cursor part(in.data() - in.offset(), in.offset(), in.offset() + metadata);
  if (const error e = parse_metadata(part, out); e.code != errc::ok) return e;
  (void)in.take_bytes(metadata);
  out.data_offset = in.offset();
  out.data = in.take_bytes(data);
  return {};
}

TESSERA_INLINE error resource_form::parse(cursor& in, resource& out) noexcept {
  if (!in.has(2)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  const auto length = in.take<std::uint16_t>();
  if (!in.has(length)) return in.fail(errc::nac_truncated);
  out.name = as_text(in.take_bytes(length));
  if (!in.has(4)) return in.fail(errc::nac_truncated);
  const auto size = load_le<std::uint32_t>(in.data());
  if (in.left() - 4 < size) return in.fail(errc::nac_truncated);
  (void)in.take<std::uint32_t>();
  out.data_offset = in.offset();
  out.data = in.take_bytes(size);
  return {};
}

TESSERA_INLINE error array_form::parse(cursor& in, array& out) noexcept {
  if (!in.has(2)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  const auto length = in.take<std::uint16_t>();
  if (!in.has(length)) return in.fail(errc::nac_truncated);
  out.name = as_text(in.take_bytes(length));
  if (const error e = parse_shape(in, out, errc::nac_truncated); e.code != errc::ok) return e;
  if (!in.has(8)) return in.fail(errc::nac_truncated);
  const auto size = load_le<std::uint64_t>(in.data());
  if (in.left() - 8 < size) return in.fail(errc::nac_truncated);
  (void)in.take<std::uint64_t>();
  out.data_offset = in.offset();
  out.data = in.take_bytes(size);
  return {};
}

TESSERA_INLINE error command_form::parse(cursor& in, command& out) noexcept {
  if (!in.has(3)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  out.what = static_cast<action>(in.take<std::uint8_t>());
  out.target = in.take<std::uint16_t>();
  return {};
}

TESSERA_INLINE error tick_form::parse(cursor& in, tick& out) noexcept {
  if (!in.has(3)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  out.instruction = in.take<std::uint16_t>();
  const auto count = in.take<std::uint8_t>();
  if (!in.has(3 * std::uint64_t{count})) return in.fail(errc::nac_truncated);
  out.commands = {in, count};
  (void)in.take_bytes(3 * std::uint64_t{count});
  return {};
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RECORDS_HPP
