// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A JSON text as a tree, for files whose members may come in any order.
//
//   const result<json_value> root = read_json_value(source);
//   const json_value& type = (*root)["model"]["type"];    // absent ones have the kind none
//
// Lifetime:   owns its strings.
// Errors:     json_*.
// Limits:     those of json::reader.
// Allocation: 112 bytes for each value, and its text; twice that while an array grows.

#ifndef TESSERA_IMPORT_JSON_VALUE_HPP
#define TESSERA_IMPORT_JSON_VALUE_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/json_read.hpp"
#include "tessera/core/result.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

struct json_value {
  json::kind kind = json::kind::none;
  bool boolean = false;
  bool is_integer = false;
  double number = 0;
  std::uint64_t offset = 0;  ///< in the text
  std::string text;          ///< of a string
  std::vector<std::string> keys;
  std::vector<json_value> elements;  ///< of an array; values of an object, in the order of `keys`

  [[nodiscard]] bool is(json::kind k) const noexcept { return kind == k; }
  [[nodiscard]] bool is_null() const noexcept {
    return kind == json::kind::none || kind == json::kind::null;
  }
  [[nodiscard]] bool is_true() const noexcept { return kind == json::kind::boolean && boolean; }
  [[nodiscard]] bool is_text(std::string_view s) const noexcept {
    return kind == json::kind::string && text == s;
  }
  /// A member, or an absent value.
  [[nodiscard]] const json_value& operator[](std::string_view key) const noexcept {
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] == key) return elements[i];
    static const json_value absent;
    return absent;
  }
};

[[nodiscard]] result<json_value> read_json_value(std::string_view source);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IMPORT_JSON_VALUE_HPP
