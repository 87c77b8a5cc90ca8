// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writes safetensors files: one form for what they hold.
//
//   nac::external_parts weights;
//   weights.add("bias", nac::data_type::float32, shape, nac::parts::borrow(data));
//   weights.add_metadata("format", "pt");
//   auto bytes = nac::write_safetensors(weights);       // or to a sink, without a copy
//
//   0      u64    bytes of the header, a multiple of 8
//   8      text   compact JSON, "__metadata__" first where there is some, spaces behind it
//   8+n           elements, without gaps
//
// Tensors stand as the reference implementation writes them: by type, from the last row of
// safetensors_types to the first, so that all are aligned, and then by name in the order of bytes.
// Metadata stand in the order given.
//
// Lifetime:   borrows the parts while it writes; payloads go to a sink without a copy.
// Errors:     nac_external_*, nac_write_data_type, nac_write_range: all before the first byte. The
//             offset is the index of the tensor, or of the metadata; nac_write_stopped, offset 0.
// Limits:     a header of 100,000,000 bytes.
// Allocation: at most 8 × the header, and 24 bytes a tensor; without a sink the file, once.

#ifndef TESSERA_NAC_SAFETENSORS_WRITE_HPP
#define TESSERA_NAC_SAFETENSORS_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "safetensors.hpp"
#include "sink.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

struct external_part {
  range name;  ///< in external_parts::characters
  data_type type = data_type::float32;
  range shape;   ///< in external_parts::numbers
  payload data;  ///< borrowed or with a source
};

struct external_metadata_part {
  range key, value;  ///< in external_parts::characters
};

/// A safetensors file in parts.
struct external_parts {
  pool<external_part> tensors;
  pool<external_metadata_part> metadata;
  text characters;
  pool<std::uint32_t> numbers;

  [[nodiscard]] std::string_view string(range r) const noexcept {
    return characters.view().substr(r.first, r.size);
  }
  [[nodiscard]] view<std::uint32_t> numbers_of(range r) const noexcept {
    return {numbers.data() + r.first, r.size};
  }
  void add(std::string_view name, data_type type, view<std::uint32_t> shape, const payload& data);
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
#include "detail/safetensors_write.hpp"
#endif

#endif  // TESSERA_NAC_SAFETENSORS_WRITE_HPP
