// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tokenizers: a container's manifest (TISA) executed with its vocabulary, from text to ids and back.
//
//   const vm::nac::tokenizer t(file);              // from nac::read
//   if (!t.made()) return report(t.made());
//   std::vector<std::int32_t> ids;
//   if (const auto done = t.encode("Hello, world!", ids); !done) return report(done);
//   std::string text;
//   (void)t.decode(std::vector<std::int64_t>(ids.begin(), ids.end()), text);
//
//   lowercase         as Python's str.lower: İ becomes two characters, Σ at the end of a word ς
//   unicode_norm      NFC, NFD, NFKC, NFKD
//   replace           every occurrence, from the left; the empty text is found around each
//                     character
//   filter_category   drops the characters of these general categories
//   prepend           unless the text begins so
//   partition_rules   fragments: see partition.hpp. None for a match without characters.
//   byte_encode       bytes of fragments that aren't protected as GPT-2's printable characters
//   *_encode          ids of all fragments: see encoders.hpp; another encoder begins anew
//   compose           ids and fixed ids; a token that the vocabulary lacks has the id 2
//
// Decoding leaves out tokens of the forms <…> and […], unless they are to be kept, and numbers that
// no token has as its id. By the vocabulary, the first that holds:
//   a token has a ▁   the tokens joined, ▁ as a space, without spaces at the ends
//   there are merges  the same, bytes for GPT-2's characters if the manifest has byte_encode (other
//                     characters dropped, what isn't UTF-8 as U+FFFD), then </w> as a space
//   there are scores  as the first
//   ## in front       tokens with spaces between, none before ## (dropped) and . , ! ? " '
//   else              tokens with spaces between
//
// For the files that a tokenizer reads see vocabulary.hpp.
//
// Lifetime:   borrows the bytes of the file and of options.files. Threads can share one.
// Errors:     nac_tokenizer_* and nac_tisa_*, budget_steps, budget_memory.
// Limits:     tokenizer_options; of expressions, match_limit and 64 MiB.
// Allocation: vocabulary and merges without the texts that are in the file; of a call, text,
//             fragments and ids with what encoders need, within max_memory.

#ifndef TESSERA_VM_TOKENIZER_TOKENIZER_HPP
#define TESSERA_VM_TOKENIZER_TOKENIZER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/nac/all.hpp"
#include "trouble.hpp"
#include "vm/meter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace model = tessera::nac;

/// A file of a tokenizer: its name, as in RSRC, and what it holds.
struct tokenizer_file {
  std::string_view name;
  bytes data;
};

struct tokenizer_options {
  /// Bytes of the tokenizer, and of a call beside it.
  std::uint64_t max_memory = budget{}.max_memory;
  /// Of a call, and of making the tokenizer: about characters looked at, many times over where
  /// expressions backtrack.
  std::uint64_t max_steps = budget{}.max_steps;
  /// Charged besides, where something else has a budget for all calls; outlives the tokenizer.
  vm::meter* steps = nullptr;
  /// Steps of an expression at one place of a text.
  std::uint32_t match_limit = 1'000'000;
  /// In place of RSRC where the container has none, as when its weights are beside it.
  std::span<const tokenizer_file> files = {};
};

/// What a manifest needs of libraries that a build lacks: "unicode_norm (needs utf8proc)". Empty where
/// it needs none of them, and of a container without a tokenizer.
[[nodiscard]] std::string missing_library(bytes manifest, bool unicode, bool expressions);
/// Likewise of this build.
[[nodiscard]] std::string missing_library(bytes manifest);

class tokenizer {
 public:
  explicit tokenizer(const model::model& f, const tokenizer_options& how = {});
  tokenizer(tokenizer&&) noexcept;
  tokenizer& operator=(tokenizer&&) noexcept;
  ~tokenizer();

  /// Whether it can be used; if not, all calls return this.
  [[nodiscard]] const trouble& made() const noexcept { return made_; }
  /// The ids of a text, which replace what is in `ids`; none after a failure.
  [[nodiscard]] trouble encode(std::string_view text, std::vector<std::int32_t>& ids) const;
  /// The text of ids, which replaces what is in `text`; empty after a failure.
  [[nodiscard]] trouble decode(std::span<const std::int64_t> ids, std::string& text,
                               bool keep_special = false) const;
  [[nodiscard]] std::optional<std::int32_t> id_of(std::string_view token) const;
  /// The token of an id.
  [[nodiscard]] std::optional<std::string_view> token_of(std::int64_t id) const;
  /// Tokens in the vocabulary.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  struct parts;
  std::unique_ptr<const parts> parts_;
  trouble made_;
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_TOKENIZER_TOKENIZER_HPP
