// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/write.hpp.

#ifndef TESSERA_GENOME_DETAIL_WRITE_HPP
#define TESSERA_GENOME_DETAIL_WRITE_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/bytes.hpp"
#include "../write.hpp"
#include "base64.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

/// Whether the format holds a stream: the first node that it doesn't.
[[nodiscard]] inline error check_writable(const stream_view& s) noexcept {
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.nodes[i].count > max_node_inputs) return {errc::genome_node_inputs, i, error_index::node};
    for (const std::int32_t d : s.inputs_of(i))
      if (d > max_absolute || d < min_relative)
        return {errc::genome_reference_range, i, error_index::node};
  }
  return {};
}

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE result<pool<std::byte>> write(const stream_view& s, const write_options& options) {
  if (options.encoding == encoding::base64) {
    const result<text> base64 = write_base64(s);
    if (!base64) return base64.error();
    const bytes characters = as_bytes(base64->view());
    pool<std::byte> out;
    out.append(characters.data(), characters.size());
    return out;
  }
  if (const error e = detail::check_writable(s); e.code != errc::ok) return e;
  std::size_t size = 0;
  for (const node& n : s.nodes) size += 5 + 2 * std::size_t{n.count};
  pool<std::byte> out;
  out.reserve(size);
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<std::byte>(byte)); };
  const auto put_int16 = [&put](std::int32_t v) {
    const auto raw = static_cast<std::uint16_t>(v);
    put(raw >> 8);
    put(raw & 0xffu);
  };
  for (std::size_t i = 0; i < s.size(); ++i) {
    const node& n = s.nodes[i];
    put(n.a);
    put(n.b);
    put_int16(n.c);
    put(n.count);
    for (const std::int32_t d : s.inputs_of(i)) put_int16(d);
  }
  return out;
}

TESSERA_INLINE result<text> write_base64(const stream_view& s) {
  const result<pool<std::byte>> raw = write(s);
  if (!raw) return raw.error();
  text out;
  out.reserve((raw->size() + 2) / 3 * 4);
  detail::encode_base64({raw->data(), raw->size()}, out);
  return out;
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_WRITE_HPP
