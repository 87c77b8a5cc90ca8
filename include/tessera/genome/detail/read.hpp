// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/read.hpp.

#ifndef TESSERA_GENOME_DETAIL_READ_HPP
#define TESSERA_GENOME_DETAIL_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../read.hpp"
#include "base64.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

[[nodiscard]] inline std::uint8_t byte_at(bytes source, std::size_t at) noexcept {
  return std::to_integer<std::uint8_t>(source[at]);
}

[[nodiscard]] inline std::int16_t int16_at(bytes source, std::size_t at) noexcept {
  return static_cast<std::int16_t>(
      static_cast<std::uint16_t>(byte_at(source, at) << 8 | byte_at(source, at + 1)));
}

/// Appends the nodes of `source`.
[[nodiscard]] inline error read_nodes(bytes source, const limits& limit, stream& out) {
  if (source.size() > limit.max_bytes) return {errc::input_too_large, limit.max_bytes};
  const std::uint64_t most = limit.max_items < UINT32_MAX ? limit.max_items : UINT32_MAX;
  std::size_t nodes = 0, inputs = 0;
  for (std::size_t at = 0; at < source.size(); ++nodes) {
    const std::size_t left = source.size() - at;
    const std::size_t count = left < 5 ? 0 : byte_at(source, at + 4);
    if (left < 5 + 2 * count) return {errc::genome_node_truncated, at};
    inputs += count;
    if (nodes >= most || inputs > most) return {errc::too_many_items, at};
    at += 5 + 2 * count;
  }
  (void)out.nodes.prepare(nodes);  // which doubles: registries append stream after stream
  (void)out.inputs.prepare(inputs);
  for (std::size_t at = 0; at < source.size();) {
    node n{.a = byte_at(source, at),
           .b = byte_at(source, at + 1),
           .c = int16_at(source, at + 2),
           .count = byte_at(source, at + 4),
           .first = static_cast<std::uint32_t>(out.inputs.size())};
    out.nodes.push_back(n);
    at += 5;
    for (std::uint32_t k = 0; k < n.count; ++k, at += 2) out.inputs.push_back(int16_at(source, at));
  }
  return {};
}

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE encoding detect(bytes source) noexcept {
  return detail::is_base64(as_text(source)) ? encoding::base64 : encoding::bytes;
}

TESSERA_INLINE result<stream> read(bytes source, const read_options& options) {
  const encoding stored =
      options.encoding == encoding::automatic ? detect(source) : options.encoding;
  if (stored == encoding::base64) return read_base64(as_text(source), options);
  stream out;
  if (const error e = detail::read_nodes(source, options.limit, out); e.code != errc::ok) return e;
  return out;
}

TESSERA_INLINE result<stream> read_base64(std::string_view source, const read_options& options) {
  const limits& limit = options.limit;
  if (source.size() > limit.max_bytes) return error{errc::input_too_large, limit.max_bytes};
  const std::string_view inner = detail::without_space(source);
  const auto first = static_cast<std::size_t>(inner.data() - source.data());
  pool<std::byte> raw;
  raw.reserve(inner.size() / 4 * 3 + 3);
  error e = detail::decode_base64(inner, raw);
  if (e.code != errc::ok) return error{e.code, first + e.offset};
  stream out;
  e = detail::read_nodes({raw.data(), raw.size()}, limit, out);
  if (e.code != errc::ok) return error{e.code, first + detail::base64_group(e.offset)};
  return out;
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_READ_HPP
