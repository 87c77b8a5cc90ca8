// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR inputs of any form, for the targets that start from a model.

#ifndef TESSERA_FUZZ_ALIR_ANY_HPP
#define TESSERA_FUZZ_ALIR_ANY_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tessera/alir.hpp>
#include <tessera/core/bytes.hpp>

namespace fuzz {

/// Whether an input starts as JSON does.
[[nodiscard]] inline bool starts_json(std::string_view source) {
  const std::size_t first = source.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos &&
         (source[first] == '{' || source[first] == '[' || source[first] == '\xef');
}

/// Reads JSON when the input starts as JSON does, and bytecode else.
[[nodiscard]] inline tessera::result<tessera::alir::model> read_any(std::string_view source) {
  if (starts_json(source)) return tessera::alir::read_json(source);
  return tessera::alir::read_bytecode(tessera::as_bytes(source));
}

/// Words as a file holds them.
[[nodiscard]] inline std::string little_endian(std::span<const std::int32_t> words) {
  std::string out(words.size() * 4, '\0');
  for (std::size_t i = 0; i < words.size(); ++i) tessera::store_le(out.data() + 4 * i, words[i]);
  return out;
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_ALIR_ANY_HPP
