// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC containers: what the format's numbers mean, a table for each.
//
//   nac::name(nac::data_type::bfloat16);          // "bf16"
//   nac::size_of(nac::data_type::int64);          // 8
//   nac::predefined_operation(11, 1);             // "nac.add"
//
//   offset  size  header (version 1: 88 bytes; version 2: 92 or 100)
//   0       3     "NAC"
//   3       1     version: 1 or 2
//   4       1     bit 7: weights inside; version 2, bit 6: TRNG present; the rest: quantization
//   5       2     number of named inputs
//   7       2     number of outputs
//   9       1     0
//   10      2     d_model
//   12      8·N   section offsets, 0 where absent; N = 9, 10 or 11
//   84      4     0; only version 1
//
//   slot    88 bytes   92 and 100 bytes
//   0-7     MMAP OPS CMAP CNST PERM DATA PROC ORCH
//   8       RSRC       TRNG
//   9                  RSRC
//   10                 ARRS; only 100 bytes
//
// A section is its tag of four bytes and a body; what bounds it is the next section's offset or the
// end of the file. Integers are little-endian.
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NAC_FORMAT_HPP
#define TESSERA_NAC_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/text.hpp"
#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The three headers that are read and written, by the version of the format that has them.
enum class header : std::uint8_t { v1_6, v1_7, v1_8 };
/// How many headers there are.
inline constexpr std::size_t header_count = static_cast<std::size_t>(header::v1_8) + 1;
/// The versions' names, by header.
inline constexpr std::string_view header_names[header_count] = {"1.6", "1.7", "1.8"};
inline constexpr std::uint32_t header_sizes[header_count] = {88, 92, 100};  ///< bytes, by header
/// How many section offsets a header has, by header.
inline constexpr std::uint32_t header_slots[header_count] = {9, 10, 11};
/// The version that a header belongs to: "1.6".
[[nodiscard]] constexpr std::string_view name(header h) noexcept {
  return header_names[static_cast<std::size_t>(h)];
}
inline constexpr std::uint32_t first_slot = 12;  ///< byte offset of the section offsets
/// The version byte of a header: 1 for version 1.6, 2 for 1.7 and 1.8.
[[nodiscard]] constexpr std::uint8_t container_version(header h) noexcept {
  return h == header::v1_6 ? 1 : 2;
}

// X(enumerator, tag), in the order of writing; 1.6 has another one (nac/parts.hpp)
#define TESSERA_NAC_SECTIONS(X)                                                                    \
  X(mmap, "MMAP")                                                                                  \
  X(ops, "OPS ")                                                                                   \
  X(cmap, "CMAP")                                                                                  \
  X(cnst, "CNST")                                                                                  \
  X(perm, "PERM")                                                                                  \
  X(data, "DATA")                                                                                  \
  X(proc, "PROC")                                                                                  \
  X(orch, "ORCH")                                                                                  \
  X(trng, "TRNG")                                                                                  \
  X(rsrc, "RSRC")                                                                                  \
  X(arrs, "ARRS")

/// The sections of a container.
enum class section : std::uint8_t {
#define TESSERA_X(name, tag) name,
  TESSERA_NAC_SECTIONS(TESSERA_X)
#undef TESSERA_X
};
/// The four bytes that a section begins with, by section.
inline constexpr std::string_view section_tags[] = {
#define TESSERA_X(name, tag) tag,
    TESSERA_NAC_SECTIONS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_SECTIONS
/// How many kinds of sections there are.
inline constexpr std::size_t section_count = sizeof section_tags / sizeof section_tags[0];
/// The four bytes that a section begins with; "OPS " has a space.
[[nodiscard]] constexpr std::string_view tag(section s) noexcept {
  return section_tags[static_cast<std::size_t>(s)];
}
/// The section that a slot of a header is for; the tag at the offset decides what it is.
[[nodiscard]] constexpr section section_of_slot(header h, std::uint32_t slot) noexcept {
  if (h == header::v1_6 && slot == 8) return section::rsrc;
  return static_cast<section>(slot);
}

// X(enumerator, code, name in text)
#define TESSERA_NAC_QUANTIZATIONS(X)                                                               \
  X(none, 0, "none")                                                                               \
  X(fp16, 1, "fp16")                                                                               \
  X(int8_tensor, 2, "int8_tensor")                                                                 \
  X(int8_channel, 3, "int8_channel")                                                               \
  X(block_fp8, 4, "block_fp8")

/// How weights are stored. `block_fp8` is int8 with a scale for each block: no FP8 format is in it.
enum class quantization : std::uint8_t {
#define TESSERA_X(name, code, text) name = code,
  TESSERA_NAC_QUANTIZATIONS(TESSERA_X)
#undef TESSERA_X
};
/// The words in text, by code.
inline constexpr std::string_view quantization_names[] = {
#define TESSERA_X(name, code, text) text,
    TESSERA_NAC_QUANTIZATIONS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_QUANTIZATIONS
/// How many methods there are; codes from here on are unknown.
inline constexpr std::size_t quantization_count =
    sizeof quantization_names / sizeof quantization_names[0];
/// The word in text.
[[nodiscard]] constexpr std::string_view name(quantization q) noexcept {
  return quantization_names[static_cast<std::size_t>(q)];
}

// X(enumerator, code, bytes, name in text, name in constants and safetensors files)
#define TESSERA_NAC_DATA_TYPES(X)                                                                  \
  X(float32, 0, 4, "f32", "F32")                                                                   \
  X(float64, 1, 8, "f64", "F64")                                                                   \
  X(float16, 2, 2, "f16", "F16")                                                                   \
  X(bfloat16, 3, 2, "bf16", "BF16")                                                                \
  X(int32, 4, 4, "i32", "I32")                                                                     \
  X(int64, 5, 8, "i64", "I64")                                                                     \
  X(int16, 6, 2, "i16", "I16")                                                                     \
  X(int8, 7, 1, "i8", "I8")                                                                        \
  X(uint8, 8, 1, "u8", "U8")                                                                       \
  X(boolean, 9, 1, "bool", "BOOL")

/// The types of tensor elements.
enum class data_type : std::uint8_t {
#define TESSERA_X(name, code, size, text, safetensors) name = code,
  TESSERA_NAC_DATA_TYPES(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of data types.
struct data_type_row {
  std::string_view name;         ///< in text: "f32"
  std::string_view safetensors;  ///< in safetensors files: "F32"
  std::uint8_t size;             ///< bytes of an element
};
/// All types, by code.
inline constexpr data_type_row data_types[] = {
#define TESSERA_X(name, code, size, text, safetensors) {text, safetensors, size},
    TESSERA_NAC_DATA_TYPES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_DATA_TYPES
/// How many types there are; codes from here on are unknown.
inline constexpr std::size_t data_type_count = sizeof data_types / sizeof data_types[0];
/// The name in text: "f32".
[[nodiscard]] constexpr std::string_view name(data_type t) noexcept {
  return data_types[static_cast<std::size_t>(t)].name;
}
/// Bytes of one element.
[[nodiscard]] constexpr std::uint32_t size_of(data_type t) noexcept {
  return data_types[static_cast<std::size_t>(t)].size;
}
/// Whether a type is float32, float64, float16 or bfloat16.
[[nodiscard]] constexpr bool is_floating(data_type t) noexcept { return t <= data_type::bfloat16; }

// X(enumerator, code, name in text)
#define TESSERA_NAC_CONSTANT_TYPES(X)                                                              \
  X(null, 0, "null")                                                                               \
  X(boolean, 1, "bool")                                                                            \
  X(int64, 2, "int64")                                                                             \
  X(float64, 3, "float64")                                                                         \
  X(string, 4, "string")                                                                           \
  X(int32_list, 5, "list[int32]")                                                                  \
  X(float32_list, 6, "list[float32]")

/// The types of constants (section 5.3.2).
enum class constant_type : std::uint8_t {
#define TESSERA_X(name, code, text) name = code,
  TESSERA_NAC_CONSTANT_TYPES(TESSERA_X)
#undef TESSERA_X
};
/// The names in text, by code.
inline constexpr std::string_view constant_type_names[] = {
#define TESSERA_X(name, code, text) text,
    TESSERA_NAC_CONSTANT_TYPES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_CONSTANT_TYPES
/// How many types there are; codes from here on are unknown.
inline constexpr std::size_t constant_type_count =
    sizeof constant_type_names / sizeof constant_type_names[0];
/// The name in text: "list[int32]".
[[nodiscard]] constexpr std::string_view name(constant_type t) noexcept {
  return constant_type_names[static_cast<std::size_t>(t)];
}

// X(enumerator, code, name in text)
#define TESSERA_NAC_ACTIONS(X)                                                                     \
  X(save_result, 10, "save_result")                                                                \
  X(save_for_grad, 15, "save_for_grad")                                                            \
  X(free, 20, "free")                                                                              \
  X(free_after_trng, 25, "free_after_trng")                                                        \
  X(forward, 30, "forward")                                                                        \
  X(preload, 40, "preload")

/// What the memory coprocessor does at a tick (section 4.5). 15 and 25 came with version 1.7.
enum class action : std::uint8_t {
#define TESSERA_X(name, code, text) name = code,
  TESSERA_NAC_ACTIONS(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of actions.
struct action_row {
  action what;            ///< the action; its value is the code
  std::string_view name;  ///< the word in text
};
/// All actions, by ascending code.
inline constexpr action_row actions[] = {
#define TESSERA_X(name, code, text) {action::name, text},
    TESSERA_NAC_ACTIONS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_ACTIONS
/// Empty for a code that isn't one.
[[nodiscard]] constexpr std::string_view name(action a) noexcept {
  for (const action_row& row : actions)
    if (row.what == a) return row.name;
  return {};
}

/// System operations: A below 10 (section 7).
inline constexpr std::uint8_t op_none = 0, op_input = 2, op_output = 3, op_control_flow = 6,
                              op_convergence = 7, first_regular_op = 10;

/// What an INPUT is (B; section 7.1).
enum class input : std::uint8_t {
  user,             ///< what the caller gives
  parameter,        ///< the parameter that C names
  state,            ///< a state of the runtime, which C numbers
  lifted_constant,  ///< the constant that C names
  saved_result,     ///< of TRNG: the result of the instruction of OPS that C numbers; version 2
  target            ///< of TRNG: what the loss is measured against, which C numbers; version 2
};
/// What an OUTPUT is (B).
enum class output : std::uint8_t {
  model,     ///< the model's results
  subgraph,  ///< the results of a branch
  reserved,  ///< without a meaning; it has the words of the others
  step,      ///< the fused gradient step, of one parameter; version 2
  end        ///< the end of TRNG; version 2
};

/// Whether a container of a version has an operation below 10 with this B.
[[nodiscard, gnu::always_inline]] constexpr bool has_variant(std::uint8_t a, std::uint8_t b,
                                                             std::uint32_t version) noexcept {
  if (a == op_input) return b < (version == 1 ? 4 : 6);
  return a != op_output || b < (version == 1 ? 3 : 5);
}
/// What follows A and B of an operation below 10: a prefix, words of C and words of D. How many a
/// CONVERGENCE has, the words themselves say: `d` at least. Asked for each instruction that is
/// read, hence inlined.
struct system_words {
  bool has_prefix = false;     ///< whether a 16-bit prefix comes first
  std::uint32_t c = 0, d = 0;  ///< 16-bit words of C and of D, after the prefix
};
/// The words of the operation `a` with variant `b`, where the header counts `outputs` outputs.
[[nodiscard, gnu::always_inline]] constexpr system_words system_words_of(
    std::uint8_t a, std::uint8_t b, std::uint16_t outputs) noexcept {
  if (a == op_input && b != 0) return {true, 1, 0};
  if (a == op_output && b < 3) return {true, outputs, outputs};
  if (a == op_output) return b == 3 ? system_words{true, 1, 2} : system_words{false, 0, 1};
  if (a == op_control_flow) return {true, 2, 1};
  if (a == op_convergence) return {true, 0, 1};
  return {};
}

/// The operations with fixed ids, from 10 upwards; version 1 knows the first ten.
inline constexpr std::string_view predefined_operations[] = {
    "nac.pass",      "nac.add",       "nac.sub",   "nac.gt",         "nac.neg",       "nac.where",
    "nac.clone",     "nac.view",      "nac.le",    "nac.arange",     "nac.mul",       "nac.div",
    "nac.matmul",    "nac.transpose", "nac.zeros", "nac.zeros_like", "nac.new_zeros", "nac.ones",
    "nac.ones_like", "nac.new_ones",  "nac.full",  "nac.full_like",
};
/// Operations that aren't predefined get ids from here on: free in both versions.
inline constexpr std::uint32_t first_custom_op = 32;
/// Empty where a container of this version has no operation with that id.
[[nodiscard]] constexpr std::string_view predefined_operation(std::uint32_t id,
                                                              std::uint32_t version) noexcept {
  const std::uint32_t end = version == 1 ? 20 : 32;
  return id < first_regular_op || id >= end ? std::string_view()
                                            : predefined_operations[id - first_regular_op];
}

/// Whether a signature's code takes a constant where D is 0 (section 5.2.3). Other letters, unknown
/// ones too, are results.
[[nodiscard]] constexpr bool is_constant_code(char code) noexcept {
  return code == 'S' || code == 'A' || code == 'f' || code == 'i' || code == 'b' || code == 's' ||
         code == 'c';
}
/// Whether the instructions of a signature have a list of constants.
[[nodiscard]] constexpr bool takes_constants(std::string_view signature) noexcept {
  for (const char code : signature)
    if (is_constant_code(code)) return true;
  return false;
}

inline constexpr std::uint32_t max_instructions = 65535;  ///< that 16-bit references can number
inline constexpr std::uint32_t max_id = 32767;            ///< of constants and parameters, written

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/errors.hpp"
#endif

#endif  // TESSERA_NAC_FORMAT_HPP
