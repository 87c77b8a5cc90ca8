// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Regular expressions of tokenizers: the syntax of Python's `regex`, matched by PCRE2 within limits.
//
//   const expression e(python_syntax("\\s+(?!\\S)|\\s+"), 1'000'000);
//   expression::matcher m;
//   if (found where; e.search(text, 0, text.size() + 1, false, m, use, where)) ...
//
// python_syntax translates what the two don't have in common:
//   \s \S \w \W \b \B   Python's sets of white space and of word characters
//   \Z \v \uXXXX        the end, U+000B, a code point
//   {,n}                {0,n}
//   \p{Script}          the script itself, without its extensions
//   refused             \C \G \K \L \N \Q \E, flags but i m s x, flags inside, fuzzy matching, verbs,
//                       callouts, [:names:] of sets
//
// Lifetime:   an expression owns its code, a matcher what PCRE2 needs while it matches. Threads
//             can share an expression.
// Errors:     throws a trouble: nac_tokenizer_expression with what PCRE2 says and where;
//             nac_tokenizer_match beyond the match limit at one place, or 64 MiB; budget_steps;
//             nac_tokenizer_unavailable without PCRE2.
// Limits:     those of PCRE2: 64 KiB of compiled code, parentheses in one another 250 deep.
// Allocation: the code; while it matches, within 64 MiB.

#ifndef TESSERA_VM_TOKENIZER_EXPRESSION_HPP
#define TESSERA_VM_TOKENIZER_EXPRESSION_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "meter.hpp"
#include "tessera/core/error.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// Whether this build has PCRE2.
[[nodiscard]] bool has_expressions() noexcept;

/// An expression of Python's `regex` as PCRE2 has it.
[[nodiscard]] std::string python_syntax(std::string_view expression);

/// A match: bytes of the text.
struct found {
  std::size_t first = 0, last = 0;
};

class expression {
 public:
  /// What one caller at a time needs to match.
  class matcher {
   public:
    matcher();
    ~matcher();
    matcher(const matcher&) = delete;
    matcher& operator=(const matcher&) = delete;

   private:
    friend class expression;
    struct state;
    std::unique_ptr<state> state_;
  };

  /// Compiles an expression as PCRE2 has it.
  expression(std::string_view pattern, std::uint32_t match_limit);
  expression(expression&&) noexcept;
  expression& operator=(expression&&) noexcept;
  ~expression();

  /// The first match that begins in [first, end), where `first` is the place of a character and
  /// `end` at most one past the text, which is UTF-8. With `some`, it isn't empty at `first`.
  [[nodiscard]] bool search(std::string_view text, std::size_t first, std::size_t end, bool some,
                            matcher& with, meter& use, found& out) const;
  /// Of the code.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  struct code;
  std::unique_ptr<code> code_;
  std::uint32_t match_limit_ = 0;
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_TOKENIZER_EXPRESSION_HPP
