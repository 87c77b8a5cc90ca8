// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC assembly: its words, a table for each kind, which print, assemble and dictionaries share.
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

#ifndef TESSERA_NAC_DETAIL_WORDS_HPP
#define TESSERA_NAC_DETAIL_WORDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../version.hpp"
#include "../format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

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

}  // namespace assembly
namespace detail {
using namespace assembly;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_WORDS_HPP
