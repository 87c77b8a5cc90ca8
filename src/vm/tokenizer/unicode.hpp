// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Unicode for tokenizers, by utf8proc: lower case, normal forms, general categories.
//
//   lowercase(text, out, use);                    // as Python's str.lower
//   normalise(text, "NFKC", out, use);
//   category_set marks;
//   marks.insert("Mn");
//   marks.drop(text, out, use);
//
// Texts are UTF-8 and stay so. Python's white space and code points need no utf8proc.
//
// Lifetime:   borrows nothing.
// Errors:     throws a trouble: budget_memory, budget_steps; nac_tokenizer_unavailable without
//             utf8proc.
// Limits:     none.
// Allocation: the result; of normal forms 4 bytes for each code point beside it.

#ifndef TESSERA_VM_TOKENIZER_UNICODE_HPP
#define TESSERA_VM_TOKENIZER_UNICODE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "meter.hpp"
#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// The code point at the beginning of UTF-8, and the bytes that it takes.
struct code_point {
  std::uint32_t value = 0;
  std::size_t size = 0;
};
[[nodiscard]] inline code_point first_code_point(std::string_view s) noexcept {
  const auto byte = [s](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(s[i]);
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xe0) return {(lead & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  if (lead < 0xf0) return {(lead & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
  return {(lead & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f),
          4};
}
/// The bytes of a code point, by its first one.
[[nodiscard]] inline std::size_t code_point_size(char lead) noexcept {
  const auto b = static_cast<unsigned char>(lead);
  return b < 0x80 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
}

/// Without the white space at its ends that Python's str.strip takes off.
[[nodiscard]] std::string_view stripped(std::string_view s) noexcept;

/// Whether this build has utf8proc.
[[nodiscard]] bool has_unicode() noexcept;

/// Full lower case without a language. `out` is another string than the text.
void lowercase(std::string_view text, std::string& out, meter& use);
/// NFC, NFD, NFKC or NFKD.
void normalise(std::string_view text, std::string_view form, std::string& out, meter& use);

/// General categories.
class category_set {
 public:
  /// By the name of two letters.
  void insert(std::string_view name) noexcept;
  /// What is left of a text without the characters of these categories.
  void drop(std::string_view text, std::string& out, meter& use) const;

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_TOKENIZER_UNICODE_HPP
