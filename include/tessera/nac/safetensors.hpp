// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Safetensors files, in which NAC containers keep their weights outside.
//
//   auto weights = nac::read_safetensors(mapped);
//   if (!weights) return fail(describe(weights.error(), mapped));
//   if (const std::size_t i = weights->find("encoder.weight"); i != weights->size())
//     use((*weights)[i].as);                    // a nac::tensor, with its quantization
//
//   0      u64    bytes of the header, n
//   8      n      JSON, from '{' on, then white space:
//                 {"__metadata__":{KEY:STRING},NAME:{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}
//   8+n           elements, little-endian; the offsets count from here
//
// All that the format promises is checked: each name once, a type of the format, offsets that
// ascend inside the file and span what shape and type need, and that each byte belongs to one
// tensor. Tensors of types that NAC doesn't have are there, but have no `as`. Members of a tensor
// that the format doesn't know are skipped.
//
// How a tensor is quantized is in the metadata, where three conventions use different places;
// where a tensor is in several, the first counts:
//   1. "nac_quant_meta":  JSON, {NAME: {"quant_code": 3, "axis": 0, "scales": [1, 0.5]}}
//   2. NAME:              JSON, {"quant_type": "INT8_CHANNEL", "axis": 0, "scales": [1, 0.5]}
//   3. "metadata":        JSON, {NAME: the JSON of 2. in a string}
// Members: quant_code or quant_type; scale, scales or block_scales; axis; block_size; orig_shape or
// original_shape. Texts that don't begin with '{' are ignored.
//
// Lifetime:   borrows the bytes; what it gives borrows from them and from it.
// Errors:     json_*, nac_safetensors_*, too_many_items, input_too_large. The offset is that of the
//             JSON value that is wrong; for JSON inside a string, of the string.
// Limits:     a header of 100,000,000 bytes, as in the reference; max_items tensors; max_depth.
// Allocation: at most 20 × the header, which metadata of short strings come near; nothing grows
//             with the elements.

#ifndef TESSERA_NAC_SAFETENSORS_HPP
#define TESSERA_NAC_SAFETENSORS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/error.hpp"
#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "model.hpp"
#include "read.hpp"
#include "write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// A type of safetensors files.
struct safetensors_type {
  std::string_view name;  ///< as files have it: "BF16"
  std::uint8_t bits;      ///< of an element
};
/// All types, in the order of the reference implementation: tensors are written from the last type
/// to the first, so that elements are aligned.
inline constexpr safetensors_type safetensors_types[] = {
    {"BOOL", 8}, {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},
    {"U16", 16}, {"F16", 16},    {"BF16", 16},   {"I32", 32},    {"U32", 32},
    {"F32", 32}, {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
};
inline constexpr std::size_t safetensors_type_count = 20;  ///< rows of safetensors_types
/// The row of a type's name; safetensors_type_count where there is none.
[[nodiscard]] constexpr std::size_t safetensors_row(std::string_view name) noexcept {
  std::size_t i = 0;
  while (i < safetensors_type_count && safetensors_types[i].name != name) ++i;
  return i;
}

inline constexpr std::uint64_t max_safetensors_header = 100'000'000;  ///< bytes
/// The key of the header whose value is the metadata; no tensor can have this name.
inline constexpr std::string_view safetensors_metadata = "__metadata__";
/// The key of the metadata whose value has how each tensor is quantized.
inline constexpr std::string_view nac_quantization_key = "nac_quant_meta";

/// A tensor of a safetensors file.
struct external_tensor {
  std::uint64_t offset = 0;    ///< of its JSON object
  std::string_view name;       ///< unique in the file; escapes are resolved
  std::string_view type;       ///< "F32", …
  bool representable = false;  ///< NAC has its type, and its shape fits: `as` has type and shape
  tensor as;                   ///< `data` and `data_offset` always; `id` and `metadata` never
};

/// A string of the metadata.
struct external_metadata {
  std::uint64_t offset = 0;     ///< of the value's string
  std::string_view key, value;  ///< with their escapes resolved
};

namespace detail {
struct safetensors_maker;
}

/// A safetensors file. Only `read_safetensors` makes one that isn't empty.
class safetensors {
 public:
  /// All bytes that were read.
  [[nodiscard]] bytes source() const noexcept { return source_; }
  /// How many tensors there are.
  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return records_.empty(); }
  /// The tensors in the order of their elements.
  [[nodiscard]] external_tensor operator[](std::size_t i) const noexcept;
  /// The index of a tensor; size() where there is none. Logarithmic.
  [[nodiscard]] std::size_t find(std::string_view name) const noexcept;
  /// How many strings `__metadata__` has.
  [[nodiscard]] std::size_t metadata_size() const noexcept { return metadata_.size(); }
  /// String i of `__metadata__`, in the order of the file.
  [[nodiscard]] external_metadata metadata(std::size_t i) const noexcept {
    return {metadata_[i].offset, string(metadata_[i].key), string(metadata_[i].value)};
  }

 private:
  friend struct detail::safetensors_maker;
  struct part {
    std::uint32_t first = 0, size = 0;
  };
  struct record {
    std::uint64_t offset = 0, offsets_offset = 0, first = 0, end = 0;
    part name, shape, original_shape, scales;
    std::uint16_t block = 0;
    std::uint8_t row = 0, axis = 0;
    data_type type = data_type::float32;
    nac::quantization quantization = nac::quantization::none;
    bool representable = true;
  };
  struct metadata_record {
    std::uint64_t offset = 0;
    part key, value;
  };

  [[nodiscard]] std::string_view string(part p) const noexcept {
    return characters_.view().substr(p.first, p.size);
  }
  template <class T>
  [[nodiscard]] packed<T> numbers(part p) const noexcept {
    return {numbers_.data() + std::size_t{p.first} * 4, p.size};
  }

  bytes source_;
  std::uint64_t data_ = 0;  // offset of the first element
  pool<record> records_;    // by the offset of their elements
  pool<std::uint32_t> by_name_;
  pool<metadata_record> metadata_;
  pool<std::byte> numbers_;  // of 4 bytes each, little-endian
  text characters_;
};

namespace detail {
struct safetensors_maker;

}  // namespace detail

/// A safetensors file over `in`, all of whose header was checked; no element is looked at.
[[nodiscard]] result<safetensors> read_safetensors(bytes in, const read_options& options = {});
[[nodiscard]] inline result<safetensors> read_safetensors(std::string_view in,
                                                          const read_options& options = {}) {
  return read_safetensors(as_bytes(in), options);
}
/// A temporary owner would be destroyed before the file is used.
template <class Owner>
  requires(temporary_bytes<Owner> || temporary_text<Owner>)
result<safetensors> read_safetensors(Owner&& in, const read_options& = {})
= delete;

// ---- Writes safetensors files: one form for what they hold.
//
//   nac::external_parts weights;
//   weights.add("bias", nac::data_type::float32, shape, nac::parts::borrow(data));
//   weights.add_metadata("format", "pt");
//   auto bytes = nac::write_safetensors(weights);       // or to a sink, without a copy
//
//   0      u64    bytes of the header, a multiple of 8
//   8      text   compact JSON, "__metadata__" first where there is some, then spaces
//   8+n           elements, without gaps
//
// Tensors have the order of the reference implementation: by type, from the last row of
// safetensors_types to the first, so that all are aligned, and then by name in the order of bytes.
// Metadata have the order given.
//
// Lifetime:   borrows the parts while it writes; payloads go to a sink without a copy.
// Errors:     nac_external_*, nac_write_data_type, nac_write_range: all before the first byte. The
//             offset is the index of the tensor, or of the metadata; nac_write_stopped, offset 0.
// Limits:     a header of 100,000,000 bytes.
// Allocation: at most 8 × the header, and 24 bytes per tensor; without a sink the file, once.

/// A tensor of a file that is written.
struct external_part {
  range name;                           ///< in external_parts::characters
  data_type type = data_type::float32;  ///< of the elements, as they are written
  range shape;                          ///< in external_parts::numbers
  payload data;                         ///< borrowed or with a source
};

/// A string of the metadata of a file that is written.
struct external_metadata_part {
  range key, value;  ///< in external_parts::characters
};

/// A safetensors file in parts.
struct external_parts {
  pool<external_part> tensors;            ///< in any order: writing sorts them
  pool<external_metadata_part> metadata;  ///< in the order of writing
  text characters;                        ///< of names, keys and values
  pool<std::uint32_t> numbers;            ///< of shapes

  /// The text of a range of `characters`. Borrows.
  [[nodiscard]] std::string_view string(range r) const noexcept {
    return characters.view().substr(r.first, r.size);
  }
  /// The elements of a range of `numbers`. Borrows.
  [[nodiscard]] view<std::uint32_t> numbers_of(range r) const noexcept {
    return {numbers.data() + r.first, r.size};
  }
  /// Appends a tensor; copies its name and shape, and the payload as it is given.
  void add(std::string_view name, data_type type, view<std::uint32_t> shape, const payload& data);
  /// Appends a copy of a string of the metadata.
  void add_metadata(std::string_view key, std::string_view value);

 private:
  [[nodiscard]] range keep(std::string_view s);
};

/// Hands a safetensors file to `to`, piece by piece; every check comes before the first.
[[nodiscard]] error write_safetensors(const external_parts& p, const sink& to);

/// A safetensors file of these parts.
[[nodiscard]] result<pool<std::byte>> write_safetensors(const external_parts& p);

}  // namespace nac

}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/safetensors.hpp"
#include "detail/safetensors_write.hpp"
#endif

#endif  // TESSERA_NAC_SAFETENSORS_HPP
