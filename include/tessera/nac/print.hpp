// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC containers as text: everything that a file holds, in a form that assemble reads back.
//
//   tessera::text listing = nac::print(*file, {.source_name = "model.nac"});
//
//     nac 1.6
//     quantization none
//     weights internal
//     inputs 1
//     outputs 1
//     d_model 3
//     operations:
//       20 = "aten.linear.default"
//     constants:
//       2 = 1.5
//     tensors:
//       1 = f32 [2] hex { 0000003f 000000bf }
//     code:
//       v0 = input  ; "x"
//       v1 = nac.add(v0, 1.5)
//       v2 = output(v1)
//
// The grammar is in assembly.hpp. What follows from the rest is left out only where assemble
// would find exactly the same, so nothing is lost but slack, reserved bytes, unknown sections and
// prefixes that follow no rule. Comments name inputs, parameters and constants where those are short.
//
// Lifetime:   borrows the file while it runs.
// Errors:     none: any file that was read has a text.
// Limits:     none.
// Allocation: the text, and tables of ids; payloads by reference are never looked at.

#ifndef TESSERA_NAC_PRINT_HPP
#define TESSERA_NAC_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/text.hpp"
#include "../version.hpp"
#include "format.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

// ---- NAC assembly as tokens: what assemble and its parts read from, and how strings are printed.
//
//   nac::detail::lexer in(source);
//   if (in.accept("schedule")) in.expect(':');
//   const std::int64_t tick = in.integer(0, 65535);
//   in.end_line();
//   if (in.failed()) return in.error();
//
//   word      a letter, '_' or '<', then letters, digits and _ . < >      nac.add  <INPUT>
//   number    a digit or '-', then letters, digits and + - . _            -1  1e-5  0x1f  -inf
//   string    "…" with \" \\ \n \r \t \xHH                                "fc.weight"
//   mark      any other character by itself                               ( ) [ ] { } = : , #
//   line end  ends a statement, but for those inside of brackets
//   comment   from ';' to the end of the line
//
// The first error stays, and everything after it is refused without effect.
//
// Lifetime:   borrows the source.
// Errors:     nac_text_*, at the token that is wrong.
// Limits:     none.
// Allocation: what is asked for: decoded strings.
namespace detail {

/// A string in quotes, as the lexer reads it; what may not reach a terminal is escaped byte by byte.
void print_string(text& out, std::string_view s);

}  // namespace detail

using detail::print_string;

// ---- NAC assembly: its words, a table for each kind, which print, assemble and dictionaries share.
//
//   nac::assembly::word_of(nac::assembly::section_words, "code");    // its index, or not_a_word
//
//   keys          of the header: nac 1.6, quantization none, weights internal, inputs 1 …
//   sections      operations: signatures: constants: parameters: input_names: tensors: code: …
//   instructions  those of the system: input, parameter, output …; raw and op for any other
//   fields        of tensors and payloads: scale, scales, axis, block, shape; hex, values, file
//
// Names of data types, quantization methods and actions are those of format.hpp.
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

/// The words of NAC assembly.
namespace assembly {

// X(word)
#define TESSERA_NAC_KEYS(X)                                                                        \
  X(nac)                                                                                           \
  X(quantization)                                                                                  \
  X(weights)                                                                                       \
  X(inputs)                                                                                        \
  X(outputs)                                                                                       \
  X(d_model)                                                                                       \
  X(training_flag)                                                                                 \
  X(self_counting)                                                                                 \
  X(order)

/// The header's keys, one line each.
enum class key : std::uint8_t {
#define TESSERA_X(word) word,
  TESSERA_NAC_KEYS(TESSERA_X)
#undef TESSERA_X
};
inline constexpr std::string_view key_words[] = {
#define TESSERA_X(word) #word,
    TESSERA_NAC_KEYS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_KEYS

// X(word), in the order of printing
#define TESSERA_NAC_TEXT_SECTIONS(X)                                                               \
  X(operations)                                                                                    \
  X(signatures)                                                                                    \
  X(constants)                                                                                     \
  X(parameters)                                                                                    \
  X(input_names)                                                                                   \
  X(tensors)                                                                                       \
  X(code)                                                                                          \
  X(schedule)                                                                                      \
  X(training)                                                                                      \
  X(arrays)                                                                                        \
  X(resources)                                                                                     \
  X(plan_constants)                                                                                \
  X(plan)                                                                                          \
  X(tokenizer)

/// The sections of the text; plan and tokenizer close with the word `end`.
enum class text_section : std::uint8_t {
#define TESSERA_X(word) word,
  TESSERA_NAC_TEXT_SECTIONS(TESSERA_X)
#undef TESSERA_X
};
inline constexpr std::string_view section_words[] = {
#define TESSERA_X(word) #word,
    TESSERA_NAC_TEXT_SECTIONS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_TEXT_SECTIONS

/// The operands of an instruction's word.
enum class operands : std::uint8_t {
  name,       ///< nothing, or the name of an input
  parameter,  ///< an id, or a parameter's name
  number,
  constant,     ///< # and an id, or the constant itself
  saved,        ///< an index into OPS, or its value
  values,       ///< (values), and `filler [words]` where C isn't zeros
  step,         ///< a parameter, and (gradient, learning rate)
  end,          ///< (), or (value)
  branch,       ///< (predicate, length if true, length if false)
  convergence,  ///< (input), or (input, end, branches …)
  raw,          ///< A B, c [words] and d [words]
  operation     ///< an operation's id, and its arguments
};

// X(word, A, B, operands)
#define TESSERA_NAC_INSTRUCTION_WORDS(X)                                                           \
  X("input", 2, 0, name)                                                                           \
  X("parameter", 2, 1, parameter)                                                                  \
  X("state", 2, 2, number)                                                                         \
  X("lifted", 2, 3, constant)                                                                      \
  X("saved", 2, 4, saved)                                                                          \
  X("target", 2, 5, number)                                                                        \
  X("output", 3, 0, values)                                                                        \
  X("subgraph_output", 3, 1, values)                                                               \
  X("reserved_output", 3, 2, values)                                                               \
  X("step", 3, 3, step)                                                                            \
  X("end_training", 3, 4, end)                                                                     \
  X("control_flow", 6, 0, branch)                                                                  \
  X("convergence", 7, 0, convergence)                                                              \
  X("raw", 0, 0, raw)                                                                              \
  X("op", 0, 0, operation)

struct instruction_word {
  std::string_view word;
  std::uint8_t a, b;
  operands what;
};
inline constexpr instruction_word instruction_words[] = {
#define TESSERA_X(word, a, b, what) {word, a, b, operands::what},
    TESSERA_NAC_INSTRUCTION_WORDS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_INSTRUCTION_WORDS

[[nodiscard]] constexpr const instruction_word* instruction_word_of(
    std::string_view word) noexcept {
  for (const instruction_word& w : instruction_words)
    if (w.word == word) return &w;
  return nullptr;
}
/// Of a system instruction; null where it has no word of its own.
[[nodiscard]] constexpr const instruction_word* instruction_word_of(std::uint8_t a,
                                                                    std::uint8_t b) noexcept {
  for (const instruction_word& w : instruction_words)
    if (w.a != 0 && w.a == a && (w.b == b || a == op_control_flow || a == op_convergence))
      return &w;
  return nullptr;
}

inline constexpr std::string_view header_words[] = {"1.6", "1.7", "1.8"};
inline constexpr std::string_view weights_words[] = {"external", "internal"};
inline constexpr std::string_view boolean_words[] = {"false", "true"};
/// Operations whose prefixes may count themselves.
inline constexpr std::string_view counting_words[] = {"input", "output", "control_flow"};

inline constexpr std::string_view word_hex = "hex", word_values = "values", word_file = "file",
                                  word_end = "end", word_c = "c", word_d = "d",
                                  word_filler = "filler", word_action = "action",
                                  word_scale = "scale", word_scales = "scales", word_axis = "axis",
                                  word_block = "block", word_shape = "shape", word_ints = "ints",
                                  word_floats = "floats", word_null = "null", word_nan = "nan",
                                  word_none = "none", word_infinity = "inf",
                                  word_minus_infinity = "-inf";

/// Words that arguments may be, and so no value's name.
inline constexpr std::string_view reserved_words[] = {
    word_null,     boolean_words[0], boolean_words[1], word_nan,
    word_infinity, word_ints,        word_floats,      word_end};

/// A section's tag without the space at the end of one of them.
[[nodiscard]] constexpr std::string_view tag_word(section s) noexcept {
  const std::string_view t = tag(s);
  return t.substr(0, t.back() == ' ' ? 3 : 4);
}

inline constexpr std::size_t not_a_word = ~std::size_t{0};
template <std::size_t N>
[[nodiscard]] constexpr std::size_t word_of(const std::string_view (&words)[N],
                                            std::string_view word) noexcept {
  for (std::size_t i = 0; i < N; ++i)
    if (words[i] == word) return i;
  return not_a_word;
}

/// Texts of CMAP or PERM by their ids, and the least id of a text.
class short_index {
 public:
  short_index() noexcept = default;
  /// The last record of an id counts; ids above 255 name nothing.
  void set(std::uint16_t id, std::string_view text) noexcept;
  [[nodiscard]] bool has(std::uint32_t id) const noexcept { return id < 256 && present_[id]; }
  [[nodiscard]] std::string_view operator[](std::uint8_t id) const noexcept { return texts_[id]; }
  /// The least id whose text this is; 256 when there is none.
  [[nodiscard]] std::uint32_t find(std::string_view text) noexcept;

 private:
  static constexpr std::uint32_t slot_count = 1024;  // a quarter full at most
  static constexpr std::uint16_t empty = 0xffff;
  [[nodiscard]] static std::uint32_t hash(std::string_view text) noexcept;
  void rebuild() noexcept;
  std::string_view texts_[256];
  std::uint16_t slots_[slot_count] = {};
  bool present_[256] = {};
  bool stale_ = true;
};

}  // namespace assembly
namespace detail {
using namespace assembly;
}

/// The assembly's word for a system instruction; empty where it has none of its own.
[[nodiscard]] constexpr std::string_view system_word(std::uint8_t a, std::uint8_t b) noexcept {
  const assembly::instruction_word* const w = assembly::instruction_word_of(a, b);
  return w == nullptr ? std::string_view() : w->word;
}

/// How a container is printed.
struct print_options {
  /// How payloads are printed.
  enum payloads : std::uint8_t {
    automatic,     ///< up to 64 bytes inline, more by reference if there is a source name
    inline_hex,    ///< all inline
    by_reference,  ///< none inline, unless there is no source name
  };
  std::string_view source_name = {};  ///< of the file, for references into it; none: all inline
  payloads payload = automatic;
  bool schedule_beside = false;  ///< the schedule's commands as comments beside the code, too
};

/// The text of a container.
[[nodiscard]] text print(const model& f, const print_options& options = {});

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/lexer.hpp"
#include "detail/print.hpp"
#include "detail/words.hpp"
#endif

#endif  // TESSERA_NAC_PRINT_HPP
