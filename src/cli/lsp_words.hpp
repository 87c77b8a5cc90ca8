// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The words and marks of a NEM text, whether it reads or not, and what a word means by what is around
// it.
//
//   for (word_scanner in(text); in.next();) use(in.token());
//   const std::vector<scanned> before = tokens_before(text, cursor);
//
// Lifetime:   tokens borrow the text.
// Errors:     none.
// Limits:     none.
// Allocation: none; tokens_before: 12 bytes for each token.

#ifndef TESSERA_CLI_LSP_WORDS_HPP
#define TESSERA_CLI_LSP_WORDS_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "tessera/core/json_write.hpp"
#include "tessera/nem/format.hpp"
#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

enum class token_kind : std::uint8_t { word, number, string, comment, mark };
struct scanned {
  token_kind kind = token_kind::mark;
  std::uint32_t offset = 0, length = 0;
  [[nodiscard]] std::uint32_t end() const noexcept { return offset + length; }
  [[nodiscard]] std::string_view in(std::string_view text) const noexcept {
    return text.substr(offset, length);
  }
};

/// Goes through the tokens of a text.
class word_scanner {
 public:
  explicit word_scanner(std::string_view text, std::uint32_t at = 0) noexcept
      : text_(text), at_(at) {}
  /// False at the end.
  [[nodiscard]] bool next() noexcept;
  [[nodiscard]] const scanned& token() const noexcept { return token_; }

 private:
  std::string_view text_;
  std::uint32_t at_;
  scanned token_;
};

/// The tokens before an offset, comments aside. `is_hidden`: the offset is in a comment.
[[nodiscard]] std::vector<scanned> tokens_before(std::string_view text, std::uint32_t offset,
                                                 bool& is_hidden);
/// The word at an offset, or that ends there; length 0 where there is none, and in comments and
/// strings. `before` and `after` are the characters around it, blanks aside.
struct word_in_place {
  scanned word;
  char before = 0, after = 0;
};
[[nodiscard]] word_in_place word_at(std::string_view text, std::uint32_t offset);

/// What a word of the language is.
enum class word_class : std::uint8_t {
  none,
  keyword,
  opcode,
  mode,
  decorator,
  attribute,
  element,
  level,
  unit
};
/// The class of a word by itself and by the characters before and after it.
[[nodiscard]] word_class class_of(std::string_view word, char before, char after) noexcept;

/// The types and modifiers of semantic tokens.
void write_legend(json::writer& to);

}  // namespace cli::lsp
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_LSP_WORDS_HPP
