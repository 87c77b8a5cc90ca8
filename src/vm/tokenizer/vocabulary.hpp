// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A tokenizer's vocabulary and merges, from the files of RSRC.
//
//   vocabulary v;
//   merges m;
//   read_resources(files, v, m, use);
//   if (const token* t = v.find("hello")) use_id(t->id);
//
//   vocab.b         u32 n, n × u32 place, records { u16 size, token, i32 id, f32 score }; places
//                   count from the end of their table
//   vidx.b          u32 n, n × u32 place in vocab.b of the token with that id; 0 also where
//                   there is none. Says which of several tokens an id means.
//   merges.b        u32 n, n × { u16 size, a, u16 size, b }; may end early, between two
//   tokenizer.json  model.vocab, an object of ids or a list of [token, score]; model.merges, a list
//                   of "a b" or [a, b]; added_tokens that model.vocab doesn't have
//   vocab.json      an object of ids
//   merges.txt      lines of "a b"; those that begin with # don't count
//
// The vocabulary is that of the first of vocab.b, tokenizer.json and vocab.json, merges those of the
// first of merges.b, tokenizer.json and merges.txt that has some. Of files with the same name the
// last counts, of equal merges too. An id means the last of the tokens that have it.
//
// Lifetime:   borrows the files.
// Errors:     throws a trouble: nac_tokenizer_resource with the file, the place and what is there;
//             budget_memory, budget_steps.
// Limits:     2^31 tokens.
// Allocation: at most 64 bytes for each token and 80 for each merge, and texts with escapes.

#ifndef TESSERA_VM_TOKENIZER_VOCABULARY_HPP
#define TESSERA_VM_TOKENIZER_VOCABULARY_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meter.hpp"
#include "tessera/core/bytes.hpp"
#include "tokenizer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// A hash of texts that can be made longer byte by byte: a polynomial modulo 2^31 - 1 at a
/// secret point, so that no file can be made to be slow to look up in.
class text_hash {
 public:
  text_hash() noexcept = default;
  explicit text_hash(std::string_view s) noexcept { add(s); }
  void add(char c) noexcept {
    std::uint64_t h = value_ * point() + static_cast<unsigned char>(c) + 1;
    h = (h & prime) + (h >> 31);
    value_ = (h & prime) + (h >> 31);
  }
  void add(std::string_view s) noexcept {
    for (const char c : s) add(c);
  }
  [[nodiscard]] std::uint32_t value() const noexcept { return static_cast<std::uint32_t>(value_); }
  /// Chosen anew in each process.
  [[nodiscard]] static std::uint64_t point() noexcept { return secret; }

 private:
  static constexpr std::uint64_t prime = 0x7fffffff;
  static const std::uint64_t secret;
  std::uint64_t value_ = 1;
};

/// Which of some elements has a key: open addressing, and at most half full.
class index_table {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Room for `count` elements.
  void reserve(std::uint64_t count, meter& use) {
    if (count * 2 <= slots_.size()) return;
    const std::vector<slot> old = std::move(slots_);
    slots_ = {};
    use.resize(slots_, std::bit_ceil(count * 2 + 8));
    for (const slot& s : old)
      if (s.index != none) slots_[free_slot(s.hash)] = s;
  }
  template <class Equal>
  [[nodiscard]] std::uint32_t find(std::uint32_t hash, Equal&& equal) const {
    if (slots_.empty()) return none;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = place(hash);; i = (i + 1) & mask) {
      const slot& s = slots_[i];
      if (s.index == none || (s.hash == hash && equal(s.index))) return s.index;
    }
  }
  /// Where there is room: see reserve.
  void insert(std::uint32_t hash, std::uint32_t index) { slots_[free_slot(hash)] = {hash, index}; }

 private:
  struct slot {
    std::uint32_t hash = 0, index = none;
  };
  [[nodiscard]] std::size_t place(std::uint32_t hash) const noexcept {
    return static_cast<std::size_t>(hash * (text_hash::point() | 1) >> 20) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t free_slot(std::uint32_t hash) const noexcept {
    std::size_t i = place(hash);
    while (slots_[i].index != none) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  std::vector<slot> slots_;
};

struct token {
  std::string_view text;
  double score = 0;  ///< 0: none
  std::int32_t id = 0;
};

class vocabulary {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return tokens_.size(); }
  [[nodiscard]] std::span<const token> tokens() const noexcept { return tokens_; }
  [[nodiscard]] const token* find(std::string_view text) const {
    return find(text_hash(text), text.size(), [text](std::string_view s) { return s == text; });
  }
  /// The token of this hash and size that is equal.
  template <class Equal>
  [[nodiscard]] const token* find(text_hash hash, std::size_t size, Equal&& equal) const {
    const std::uint32_t i = by_text_.find(hash.value(), [&](std::uint32_t k) {
      return tokens_[k].text.size() == size && equal(tokens_[k].text);
    });
    return i == index_table::none ? nullptr : &tokens_[i];
  }
  [[nodiscard]] const token* of_id(std::int64_t id) const;
  /// Makes `t`, which is one of these, the token of its id.
  void prefer(const token* t);
  /// Bytes of the longest token.
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }
  [[nodiscard]] bool has_scores() const noexcept { return has_scores_; }

  void reserve(std::uint64_t count, meter& use);
  /// Adds a token with a text that stays. False where there is one with this text.
  [[nodiscard]] bool add(const token& t, meter& use);
  /// Keeps a text for add().
  [[nodiscard]] std::string_view keep(std::string_view s, meter& use);

 private:
  [[nodiscard]] static std::uint32_t id_hash(std::int32_t id) noexcept {
    return static_cast<std::uint32_t>(id) * 0x9e3779b1u;
  }
  std::vector<token> tokens_;
  index_table by_text_, by_id_;
  std::vector<std::uint32_t> of_id_;  // tokens in the order of by_id_
  std::deque<std::string> kept_;
  std::size_t longest_ = 0;
  bool has_scores_ = false;
};

/// Merges of BPE: pairs of symbols. A symbol is the index of a token, or, from the size of the
/// vocabulary on, of another text that merges have.
class merges {
 public:
  static constexpr std::uint32_t none = index_table::none;
  struct pair {
    std::uint32_t a = 0, b = 0, merged = 0, rank = 0;
  };

  /// Of a vocabulary that stays and has all of its tokens before the first merge.
  explicit merges(const vocabulary& v) : v_(v) {}

  [[nodiscard]] std::size_t size() const noexcept { return ranks_; }
  /// The symbol of a text, or none.
  [[nodiscard]] std::uint32_t symbol(std::string_view text) const {
    return symbol(text_hash(text), text, {});
  }
  /// The merge of two symbols, or null.
  [[nodiscard]] const pair* find(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t i = by_pair_.find(
        pair_hash(a, b), [&](std::uint32_t k) { return pairs_[k].a == a && pairs_[k].b == b; });
    return i == none ? nullptr : &pairs_[i];
  }
  /// The token that a symbol is, or null.
  [[nodiscard]] const token* token_of(std::uint32_t symbol) const {
    return symbol < v_.size() ? &v_.tokens()[symbol] : nullptr;
  }

  void reserve(std::uint64_t count, meter& use);
  /// Adds the merge of the next rank, of texts that stay.
  void add(std::string_view a, std::string_view b, meter& use);
  [[nodiscard]] std::string_view keep(std::string_view s, meter& use);

 private:
  [[nodiscard]] static std::uint32_t pair_hash(std::uint32_t a, std::uint32_t b) noexcept {
    const std::uint64_t key = (std::uint64_t{a} << 32 | b) ^ text_hash::point();
    return static_cast<std::uint32_t>((key * 0x9e3779b97f4a7c15u * (text_hash::point() | 1)) >> 32);
  }
  /// The symbol of two texts joined, or none.
  [[nodiscard]] std::uint32_t symbol(text_hash hash, std::string_view a, std::string_view b) const {
    const auto equal = [a, b](std::string_view s) {
      return s.size() == a.size() + b.size() && s.starts_with(a) && s.ends_with(b);
    };
    if (const token* const t = v_.find(hash, a.size() + b.size(), equal))
      return static_cast<std::uint32_t>(t - v_.tokens().data());
    const std::uint32_t i =
        by_text_.find(hash.value(), [&](std::uint32_t k) { return equal(others_[k]); });
    return i == none ? none : static_cast<std::uint32_t>(v_.size()) + i;
  }
  /// A new symbol, of a text that stays.
  [[nodiscard]] std::uint32_t add_symbol(text_hash hash, std::string_view text, meter& use);

  const vocabulary& v_;
  std::vector<std::string_view> others_;
  std::vector<pair> pairs_;
  index_table by_text_, by_pair_;
  std::deque<std::string> kept_;
  std::uint32_t ranks_ = 0;
};

/// Reads what of these files there is; of several with one name the last. Merges are read if they
/// are wanted.
void read_resources(std::span<const tokenizer_file> files, bool wants_merges, vocabulary& v,
                    merges& m, meter& use);

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_TOKENIZER_VOCABULARY_HPP
