// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What an offset into bytecode is in: "operation 12 (lookup)", "inp_shifts[3]", "table 0".

#ifndef TESSERA_ALIR_DETAIL_BYTECODE_PLACE_HPP
#define TESSERA_ALIR_DETAIL_BYTECODE_PLACE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/load_store.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

/// Walks the parts of bytecode up to an offset; appends nothing where it doesn't get there.
inline void append_bytecode_place(text& to, const error& e, const std::byte* source,
                                  std::size_t size) {
  constexpr std::uint64_t header = 24;
  if (e.offset < header || size < header) return;
  const bool words = std::memcmp(source, "ALIR", 4) != 0;
  const auto count = [&](std::size_t at) -> std::uint64_t {
    return load_le<std::uint32_t>(source + at);
  };
  const std::uint64_t inputs = count(8), outputs = count(12), operations = count(16),
                      tables = count(20);
  std::uint64_t at = header;
  // Whether the offset is in a list of `n` entries; else moves past it.
  const auto is_in = [&](std::uint64_t n, std::uint64_t entry_size) {
    if (e.offset < at + n * entry_size) return true;
    at += n * entry_size;
    return false;
  };
  const auto entry = [&](std::string_view list, std::uint64_t entry_size) {
    to << list << '[' << (e.offset - at) / entry_size << ']';
  };
  if (is_in(inputs, 4)) return entry("inp_shifts", 4);
  if (is_in(outputs, 4)) return entry("out_idxs", 4);
  if (is_in(outputs, 4)) return entry("out_shifts", 4);
  const std::uint64_t flag_size = words ? 4 : 1;
  if (is_in(outputs, flag_size)) return entry("out_negs", flag_size);

  const auto operation = [&](std::uint64_t index, std::int32_t code) {
    to << "operation " << index;
    if (code >= first_opcode && code <= last_opcode)
      to << " (" << info(static_cast<opcode>(code)).mnemonic << ')';
  };
  if (words) {
    if (is_in(operations, 32)) {
      const std::uint64_t index = (e.offset - at) / 32, start = at + index * 32;
      if (start + 4 <= size) operation(index, load_le<std::int32_t>(source + to_size(start)));
    } else if (is_in(tables, 4)) {
      to << "table " << (e.offset - at) / 4;
    }
    return;
  }
  for (std::uint64_t i = 0; i < operations; ++i) {
    if (at + 8 > size) return;
    const std::byte* const start = source + to_size(at);
    const std::uint64_t length = 8 + 4 * std::uint64_t{load_le<std::uint16_t>(start + 4)} +
                                 8 * std::uint64_t{load_le<std::uint16_t>(start + 6)};
    if (is_in(1, length)) return operation(i, load_le<std::int8_t>(start));
  }
  for (std::uint64_t t = 0; t < tables; ++t) {
    if (at + 4 > size) return;
    if (is_in(1, 4 + 4 * count(to_size(at)))) {
      to << "table " << t;
      return;
    }
  }
}

}  // namespace alir::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_BYTECODE_PLACE_HPP
