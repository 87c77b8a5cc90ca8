// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The tokenizer's manifest (TISA): the table of its instructions, an iterator, a writer, checks.
//
//   nac::manifest_reader in(file.manifest());
//   for (nac::tokenizer_instruction i; in.next(i);)
//     if (i.op() == nac::tokenizer_op::replace) use(i.first_string(), i.second_string());
//   if (in.error().code != tessera::errc::ok) return in.error();
//
//   manifest     "TISA", u8 version, instructions to the end
//   instruction  u8 opcode, u32 size of the payload, payload by the row's form:
//     none       nothing
//     short_text s8; of bpe_encode: s8, or nothing, as version 1.6 has it
//     long_text  s16;  long_texts: s16, s16
//     categories u8 n, n × s8
//     rules      u16 n, n × { u8 flags, s16 expression, [u8 behaviour], [s8 trim] }
//     items      u8 n, n × { u8 0 } or { u8 1, u8 0, s8 } or { u8 1, u8 1, i32 }
//   s8, s16      u8 or u16 bytes, and those in UTF-8
//
// Lifetime:   borrows the manifest.
// Errors:     nac_tisa_*; offsets into the manifest; of a writer, the index of the instruction.
// Limits:     none.
// Allocation: none to read; of the writer, what it writes.

#ifndef TESSERA_NAC_TOKENIZER_HPP
#define TESSERA_NAC_TOKENIZER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/report.hpp"
#include "../core/text.hpp"
#include "detail/payload_reader.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The form of an instruction's payload, as it is laid out above.
enum class tokenizer_form : std::uint8_t {
  none,
  short_text,
  long_text,
  long_texts,
  categories,
  rules,
  items
};

// X(name, opcode, form of the payload, whether it encodes)
// clang-format off
#define TESSERA_NAC_TOKENIZER_OPS(X)                \
  X(lowercase,        0x01, none,       false)      \
  X(unicode_norm,     0x02, short_text, false)      \
  X(replace,          0x03, long_texts, false)      \
  X(filter_category,  0x04, categories, false)      \
  X(prepend,          0x07, long_text,  false)      \
  X(partition_rules,  0x10, rules,      false)      \
  X(byte_encode,      0x15, none,       false)      \
  X(bpe_encode,       0x20, short_text, true)       \
  X(wordpiece_encode, 0x21, short_text, true)       \
  X(unigram_encode,   0x22, none,       true)       \
  X(compose,          0x30, items,      false)
// clang-format on

/// The tokenizer's instructions.
enum class tokenizer_op : std::uint8_t {
#define TESSERA_X(name, code, form, encodes) name = code,
  TESSERA_NAC_TOKENIZER_OPS(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of the tokenizer's instructions.
struct tokenizer_op_row {
  tokenizer_op op;        ///< the instruction; its value is the opcode
  tokenizer_form form;    ///< of the payload
  bool encodes;           ///< whether it makes ids of fragments
  std::string_view name;  ///< in text: "bpe_encode"
};
/// All instructions, by ascending opcode.
inline constexpr tokenizer_op_row tokenizer_ops[] = {
#define TESSERA_X(name, code, form, encodes)                                                       \
  {tokenizer_op::name, tokenizer_form::form, encodes, #name},
    TESSERA_NAC_TOKENIZER_OPS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_TOKENIZER_OPS
/// An opcode's row; null for an unknown one.
[[nodiscard]] constexpr const tokenizer_op_row* tokenizer_row(std::uint8_t opcode) noexcept {
  for (const tokenizer_op_row& row : tokenizer_ops)
    if (static_cast<std::uint8_t>(row.op) == opcode) return &row;
  return nullptr;
}

/// The normal forms of Unicode that unicode_norm can name.
inline constexpr std::string_view normal_forms[] = {"NFC", "NFD", "NFKC", "NFKD"};
/// The general categories of Unicode.
inline constexpr std::string_view general_categories[] = {
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
    "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"};

/// A rule of partition_rules. A match is a fragment, unless it is removed.
struct partition_rule {
  /// Flags: encoders look up a match as a whole; `behaviour` counts; `trim` counts. Others are
  /// errors.
  static constexpr std::uint8_t protects = 1, has_behaviour = 2, has_trim = 4;
  static constexpr std::uint8_t remove = 1, isolate = 2;  ///< behaviours; others mean nothing
  std::uint8_t flags = 0;                                 ///< a sum of the flags above
  std::uint8_t behaviour = 0;                             ///< with its flag
  std::string_view expression;  ///< regular, in the syntax of Python's `regex`
  std::string_view trim = {};   ///< with its flag: taken off the end of the text before a match
};

/// A part of what compose puts together.
struct compose_item {
  /// What an item adds to the ids.
  enum kind_type : std::uint8_t { ids, token, id };
  kind_type kind = ids;         ///< the text's ids, the id of a token, or an id
  std::string_view token_text;  ///< of a token
  std::int32_t number = 0;      ///< of an id
};

/// An instruction with its payload, which may be anything: what is missing in it reads as empty.
struct tokenizer_instruction {
  std::uint64_t offset = 0;               ///< into the manifest
  std::uint8_t opcode = 0;                ///< as in the manifest
  const tokenizer_op_row* row = nullptr;  ///< null for an unknown opcode
  bytes payload;                          ///< without the opcode and the size

  /// The instruction; of an unknown opcode its number, which is no enumerator.
  [[nodiscard]] tokenizer_op op() const noexcept { return static_cast<tokenizer_op>(opcode); }
  /// Where the payload begins in the manifest: after the opcode and the size.
  [[nodiscard]] std::uint64_t payload_offset() const noexcept { return offset + 5; }
  /// A reader of the payload's fields.
  [[nodiscard]] detail::payload_reader fields() const noexcept {
    return {payload, payload_offset()};
  }
  /// The normal form, what is prepended, WordPiece's marker, BPE's suffix; a replacement's pattern.
  [[nodiscard]] std::string_view first_string() const noexcept;
  /// What a replacement puts there.
  [[nodiscard]] std::string_view second_string() const noexcept;
};

/// The categories of filter_category, one after another.
using category_reader = detail::payload_list<std::uint8_t, std::string_view, detail::read_category>;
/// The rules of partition_rules, one after another.
using rule_reader = detail::payload_list<std::uint16_t, partition_rule, detail::read_rule>;
/// The items of compose, one after another.
using item_reader = detail::payload_list<std::uint8_t, compose_item, detail::read_item>;

/// Walks over a manifest's instructions, unknown ones too, whose sizes are known.
class manifest_reader {
 public:
  /// At the first instruction of `manifest`, which it borrows; nac_tisa_magic where that doesn't
  /// begin with "TISA" and a version.
  explicit manifest_reader(bytes manifest) noexcept;
  explicit manifest_reader(std::string_view manifest) noexcept
      : manifest_reader(as_bytes(manifest)) {}
  /// The byte after "TISA", which nothing depends on.
  [[nodiscard]] std::uint8_t version() const noexcept {
    return at_ < 5 ? std::uint8_t{0} : load_le<std::uint8_t>(in_.data() + 4);
  }
  /// The next instruction. False at the end, and where there is none: see error().
  [[nodiscard]] bool next(tokenizer_instruction& out) noexcept;
  /// What is wrong with the bytes that ended it, and their offset; errc::ok at a proper end.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  /// The end of the last instruction.
  [[nodiscard]] std::uint64_t offset() const noexcept { return at_; }

 private:
  bool fail(std::size_t offset) noexcept;
  bytes in_;
  std::size_t at_ = 0;
  tessera::error error_;
};

/// Checks all that a tokenizer relies on: known instructions, complete payloads of strings that can
/// be used, and rules that make fragments before an encoder wants some. Regular expressions aren't
/// compiled. `offset` is added to the offsets of errors. Returns the first error; all go into the
/// report, which keeps the first 1000.
[[nodiscard]] error verify_manifest(bytes manifest, std::uint64_t offset, report* found = nullptr);
[[nodiscard]] inline error verify_manifest(std::string_view manifest, std::uint64_t offset,
                                           report* found = nullptr) {
  return verify_manifest(as_bytes(manifest), offset, found);
}

/// Writes a manifest.
///
///   nac::manifest_writer w;
///   w.replace(" ", "\u2581");
///   const nac::partition_rule rules[] = {{nac::partition_rule::protects, 0, "</s>"}};
///   w.partition_rules({rules, 1});
///   w.unigram_encode();
///   if (w.error().code == tessera::errc::ok) p.manifest = p.keep(w.view());
class manifest_writer {
 public:
  /// A manifest without instructions: "TISA" and its version.
  explicit manifest_writer(std::uint8_t version = 1);

  /// Appends an instruction that makes all letters lower case.
  void lowercase() { end(begin(tokenizer_op::lowercase)); }
  /// Appends an instruction that normalizes the text; `form` is one of normal_forms.
  void unicode_norm(std::string_view form) { one<std::uint8_t>(tokenizer_op::unicode_norm, form); }
  /// Appends an instruction that replaces each occurrence of `pattern`, which is no expression, by
  /// `value`; both have up to 65,535 bytes.
  void replace(std::string_view pattern, std::string_view value);
  /// Appends an instruction that drops the characters of some of the general_categories.
  void filter_category(view<std::string_view> categories);
  /// Appends an instruction that puts a string of up to 65,535 bytes in front of the text.
  void prepend(std::string_view s) { one<std::uint16_t>(tokenizer_op::prepend, s); }
  /// Appends an instruction that splits the text into fragments; up to 65,535 rules.
  void partition_rules(view<partition_rule> rules);
  /// Appends an instruction that replaces bytes by GPT-2's printable characters, in fragments that
  /// aren't protected.
  void byte_encode() { end(begin(tokenizer_op::byte_encode)); }
  /// Appends a BPE encoder with an empty payload, as version 1.6 writes it.
  void bpe_encode() { end(begin(tokenizer_op::bpe_encode)); }
  /// Appends a BPE encoder with a suffix of words, as later versions write it; an empty one is
  /// none.
  void bpe_encode(std::string_view suffix) { one<std::uint8_t>(tokenizer_op::bpe_encode, suffix); }
  /// Appends a WordPiece encoder; its marker, such as "##", precedes all pieces of a word but the
  /// first.
  void wordpiece_encode(std::string_view marker) {
    one<std::uint8_t>(tokenizer_op::wordpiece_encode, marker);
  }
  /// Appends a Unigram encoder.
  void unigram_encode() { end(begin(tokenizer_op::unigram_encode)); }
  /// Appends an instruction that makes the final list of ids; up to 255 items.
  void compose(view<compose_item> items);
  /// Any instruction at all.
  void raw(std::uint8_t opcode, bytes payload);
  void raw(std::uint8_t opcode, std::string_view payload) { raw(opcode, as_bytes(payload)); }

  /// The manifest so far. Borrows from the writer.
  [[nodiscard]] bytes view() const& noexcept { return {out_.data(), out_.size()}; }
  bytes view() const&& = delete;
  /// The first string or list that didn't fit.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }

 private:
  void fail(errc code) noexcept {
    if (error_.code == errc::ok) error_ = {code, count_};
  }
  template <class T>
  void number(T value) {
    append_le(out_, value);
  }
  template <class Count>
  void count(std::size_t n) {
    if (n > static_cast<Count>(~Count{0})) fail(errc::nac_tisa_list);
    number(static_cast<Count>(n));
  }
  template <class Length>
  void string(std::string_view s) {
    if (s.size() > static_cast<Length>(~Length{0})) fail(errc::nac_tisa_string);
    number(static_cast<Length>(s.size()));
    out_.append(as_bytes(s).data(), s.size());
  }
  template <class Length>
  void one(tokenizer_op op, std::string_view s) {
    const std::size_t at = begin(op);
    string<Length>(s);
    end(at);
  }
  [[nodiscard]] std::size_t begin(tokenizer_op op);
  void end(std::size_t payload);

  pool<std::byte> out_;
  std::uint64_t count_ = 0;
  tessera::error error_;
};

// ---- The tokenizer's manifest as human-readable text, and read back to the same bytes.
//
//     version 1
//     unicode_norm "NFD"
//     filter_category "Mn", "Cf"
//     replace " ", "▁"
//     partition_rules
//       rule "</s>" protected trim "▁"
//       rule "\\s+" remove
//     bpe_encode "</w>"
//     compose "<s>", ids, 2
//
//   rule        of the partition_rules above it; remove and isolate are behaviours 1 and 2, others
//               are printed as `behaviour 7`
//   compose     tokens in quotes, ids by number, and where the text's own ids go
//   op 7 0x00…  an instruction by its number and payload, which isn't in the table or not complete
//   bytes 0x…   what is no manifest, or no instruction: from there to the end
//
// Lifetime:   nothing is kept but the bytes that parts own.
// Errors:     of parsing: nac_tisa_* and nac_text_*, at the token.
// Limits:     what the fields can hold.
// Allocation: to parse, at most 8 × the text.

/// Prints a manifest, each line indented by two spaces.
void print_manifest(text& out, bytes manifest);
inline void print_manifest(text& out, std::string_view manifest) {
  print_manifest(out, as_bytes(manifest));
}

}  // namespace nac

}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/errors.hpp"
#include "detail/tokenizer.hpp"
#include "detail/tokenizer_text.hpp"
#endif

#endif  // TESSERA_NAC_TOKENIZER_HPP
