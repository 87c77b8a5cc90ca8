// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NEM's tables: element types, memory levels, units, decorators, attributes and the opcodes.
//
//   nem::opcode op = nem::find_opcode("conv2d");        // opcode::conv2d
//   nem::opcode_table[std::size_t(op)].inputs;          // "X W B?"
//   nem::signature(op).required_inputs;                 // 2
//   nem::bitwidth(nem::element::i4);                    // 4
//
//   element     i4 … f32, and three extensions            "Element Types"
//   level       DDR, L2, L1                               "Memory Levels"
//   unit        NMU, CSTL, DMA, VPU, SEQ, sDMA, WDM       "Execution Units"
//   opcode      49 with operands, attributes, families    opcode registry, contract 1.0
//   attribute   22 with the kind of their value           opcode registry
//   decorator   10 with what they apply to                "Decorators"
//
// Operand names are positional. "B?" may be missing (and all after it), "X*" is one or
// more; an attribute "groups?" has a default. Families are those whose variants govern the types.
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NEM_FORMAT_HPP
#define TESSERA_NEM_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

// X(enumerator, bits, class): "extension" types belong to other readers, no family knows them.
#define TESSERA_NEM_ELEMENTS(X)                                                                    \
  X(i4, 4, integer)                                                                                \
  X(i8, 8, integer)                                                                                \
  X(i16, 16, integer)                                                                              \
  X(i32, 32, integer)                                                                              \
  X(u8, 8, integer)                                                                                \
  X(u16, 16, integer)                                                                              \
  X(u32, 32, integer)                                                                              \
  X(f16, 16, floating)                                                                             \
  X(bf16, 16, floating)                                                                            \
  X(f32, 32, floating)                                                                             \
  X(tf32, 32, extension)                                                                           \
  X(f64, 64, extension)                                                                            \
  X(bool_, 8, extension)

/// The type of an element; `none` where no type was given.
enum class element : std::uint8_t {
#define TESSERA_X(name, bits, kind) name,
  TESSERA_NEM_ELEMENTS(TESSERA_X)
#undef TESSERA_X
      none,
};
/// What an element is. No family has `extension` types, which other readers know.
enum class element_class : std::uint8_t { integer, floating, extension };

/// A row of the table of element types.
struct element_row {
  std::string_view name;  ///< the enumerator; name() gives the word of programs
  std::uint32_t bits;     ///< of one element: 4 for i4
  element_class kind;     ///< integer, floating or extension
};
/// The rows of all element types, by enumerator; `none` has no row.
inline constexpr element_row element_table[] = {
#define TESSERA_X(name, bits, kind) {#name, bits, element_class::kind},
    TESSERA_NEM_ELEMENTS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NEM_ELEMENTS
/// How many element types there are, without `none`.
inline constexpr std::size_t element_count = sizeof element_table / sizeof element_table[0];

/// The word in programs: "f16"; "untyped" for none.
[[nodiscard]] constexpr std::string_view name(element e) noexcept {
  return e == element::none    ? std::string_view("untyped")
         : e == element::bool_ ? std::string_view("bool")
                               : element_table[static_cast<std::size_t>(e)].name;
}
/// Bits of one element (specification, "Element Bitwidth"); 0 for none.
[[nodiscard]] constexpr std::uint32_t bitwidth(element e) noexcept {
  return e == element::none ? 0 : element_table[static_cast<std::size_t>(e)].bits;
}
/// Whether it is one of i4, i8, i16, i32, u8, u16 and u32.
[[nodiscard]] constexpr bool is_integer(element e) noexcept {
  return e != element::none &&
         element_table[static_cast<std::size_t>(e)].kind == element_class::integer;
}
/// Whether it is one of f16, bf16 and f32.
[[nodiscard]] constexpr bool is_floating(element e) noexcept {
  return e != element::none &&
         element_table[static_cast<std::size_t>(e)].kind == element_class::floating;
}
/// Whether it is one of tf32, f64 and bool_, which no type family knows.
[[nodiscard]] constexpr bool is_extension(element e) noexcept {
  return e != element::none &&
         element_table[static_cast<std::size_t>(e)].kind == element_class::extension;
}
/// The element type of a word of a program, or none.
[[nodiscard]] constexpr element find_element(std::string_view word) noexcept {
  for (std::size_t i = 0; i < element_count; ++i)
    if (name(static_cast<element>(i)) == word) return static_cast<element>(i);
  return element::none;
}

/// The element type that a word of another language means, such as int8, fp16 or F32; or none.
[[nodiscard, gnu::cold]] constexpr element element_meant(std::string_view word) noexcept {
  constexpr std::string_view prefixes[][2] = {
      {"i", "i"}, {"int", "i"}, {"s", "i"},     {"u", "u"},   {"uint", "u"},
      {"f", "f"}, {"fp", "f"},  {"float", "f"}, {"bf", "bf"}, {"bfloat", "bf"}};
  char lower[8] = {};
  std::size_t letters = 0;
  for (; letters < word.size() && letters < 8 && (word[letters] < '0' || word[letters] > '9');
       ++letters)
    lower[letters] = static_cast<char>(word[letters] | 0x20);
  const std::string_view bits = word.substr(letters);
  for (const auto& p : prefixes)
    for (std::size_t i = 0; i < element_count && p[0] == std::string_view(lower, letters); ++i) {
      const std::string_view known = element_table[i].name;
      if (known.size() == p[1].size() + bits.size() && known.substr(0, p[1].size()) == p[1] &&
          known.substr(p[1].size()) == bits && !is_extension(static_cast<element>(i)))
        return static_cast<element>(i);
    }
  return element::none;
}

/// Where a buffer lies, from far to near.
enum class level : std::uint8_t { ddr, l2, l1 };
/// How many levels there are.
inline constexpr std::size_t level_count = static_cast<std::size_t>(level::l1) + 1;
/// The word in programs: "DDR".
[[nodiscard]] constexpr std::string_view name(level l) noexcept {
  return l == level::ddr ? "DDR" : l == level::l2 ? "L2" : "L1";
}

/// Whether the issuing stream goes on at once, or waits for the task.
enum class mode : std::uint8_t { async, sync };
/// The suffix of a task in programs: "async" or "sync".
[[nodiscard]] constexpr std::string_view name(mode m) noexcept {
  return m == mode::async ? "async" : "sync";
}

/// Execution units: five of an engine, then two of the device.
enum class unit : std::uint8_t { nmu, cstl, dma, vpu, seq, sdma, wdm, none };
/// The words in programs, by unit.
inline constexpr std::string_view unit_names[] = {"NMU", "CSTL", "DMA", "VPU",
                                                  "SEQ", "sDMA", "WDM"};
/// How many types of units there are, without `none`.
inline constexpr std::size_t unit_count = sizeof unit_names / sizeof unit_names[0];
/// The word in programs: "sDMA"; "none" for none.
[[nodiscard]] constexpr std::string_view name(unit u) noexcept {
  return u == unit::none ? std::string_view("none") : unit_names[static_cast<std::size_t>(u)];
}
/// The unit of a word of a program, or none.
[[nodiscard]] constexpr unit find_unit(std::string_view word) noexcept {
  for (std::size_t i = 0; i < unit_count; ++i)
    if (unit_names[i] == word) return static_cast<unit>(i);
  return unit::none;
}
/// Whether the unit belongs to an engine, not to the device.
[[nodiscard]] constexpr bool is_per_engine(unit u) noexcept { return u <= unit::seq; }

/// The forms of a quantization descriptor ("Quantization Descriptor").
enum class quantization : std::uint8_t { per_tensor, per_channel, per_group };
/// The word in programs: "per_channel".
[[nodiscard]] constexpr std::string_view name(quantization q) noexcept {
  return q == quantization::per_tensor    ? "per_tensor"
         : q == quantization::per_channel ? "per_channel"
                                          : "per_group";
}
/// The fields of a descriptor, in canonical order. `scale` and `zero_point` are those of
/// per_tensor.
enum class quant_field : std::uint8_t { axis, group_size, scale, zero_point, scales, zero_points };
/// The words in programs, by field.
inline constexpr std::string_view quant_field_names[] = {"axis",       "group_size", "scale",
                                                         "zero_point", "scales",     "zero_points"};

/// What an attribute's value is.
enum class attribute_kind : std::uint8_t {
  integer,
  real,
  boolean,
  element,
  integers,
  string,
  word
};
/// How many kinds there are.
inline constexpr std::size_t attribute_kind_count =
    static_cast<std::size_t>(attribute_kind::word) + 1;

// X(enumerator, kind)
#define TESSERA_NEM_ATTRIBUTES(X)                                                                  \
  X(accum_type, element)                                                                           \
  X(pads, integers)                                                                                \
  X(strides, integers)                                                                             \
  X(dilations, integers)                                                                           \
  X(groups, integer)                                                                               \
  X(kernel_shape, integers)                                                                        \
  X(alpha, real)                                                                                   \
  X(min_val, real)                                                                                 \
  X(max_val, real)                                                                                 \
  X(perm, integers)                                                                                \
  X(target_shape, integers)                                                                        \
  X(starts, integers)                                                                              \
  X(ends, integers)                                                                                \
  X(axes, integers)                                                                                \
  X(steps, integers)                                                                               \
  X(axis, integer)                                                                                 \
  X(split_sizes, integers)                                                                         \
  X(mode, word)                                                                                    \
  X(constant_value, real)                                                                          \
  X(keepdims, boolean)                                                                             \
  X(epsilon, real)                                                                                 \
  X(op, string)

/// The attributes of the registry; `unknown` for others.
enum class attribute : std::uint8_t {
#define TESSERA_X(name, kind) name,
  TESSERA_NEM_ATTRIBUTES(TESSERA_X)
#undef TESSERA_X
      unknown,
};
/// A row of the table of attributes.
struct attribute_row {
  std::string_view name;  ///< the word in programs
  attribute_kind kind;    ///< of its value
};
/// The rows of all attributes, by enumerator; `unknown` has no row.
inline constexpr attribute_row attribute_table[] = {
#define TESSERA_X(name, kind) {#name, attribute_kind::kind},
    TESSERA_NEM_ATTRIBUTES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NEM_ATTRIBUTES
/// How many attributes there are, without `unknown`.
inline constexpr std::size_t attribute_count = sizeof attribute_table / sizeof attribute_table[0];
/// The word in programs: "pads"; "unknown" for unknown.
[[nodiscard]] constexpr std::string_view name(attribute a) noexcept {
  return a == attribute::unknown ? std::string_view("unknown")
                                 : attribute_table[static_cast<std::size_t>(a)].name;
}
/// The attribute of a word of a program, or unknown.
[[nodiscard]] constexpr attribute find_attribute(std::string_view word) noexcept {
  for (std::size_t i = 0; i < attribute_count; ++i)
    if (attribute_table[i].name == word) return static_cast<attribute>(i);
  return attribute::unknown;
}

/// The groups of the registry's opcodes.
enum class opcode_category : std::uint8_t {
  data_movement,
  linear_algebra,
  convolution,
  elementwise_unary,
  elementwise_binary,
  elementwise_other,
  pooling,
  layout,
  reduction,
  normalization,
  softmax,
  type_conversion,
  generic
};
/// The registry's words, by category.
inline constexpr std::string_view opcode_category_names[] = {"data_movement",
                                                             "linear_algebra",
                                                             "convolution",
                                                             "elementwise_unary",
                                                             "elementwise_binary",
                                                             "elementwise_other",
                                                             "pooling",
                                                             "layout",
                                                             "reduction",
                                                             "normalization",
                                                             "softmax",
                                                             "type_conversion",
                                                             "generic"};
/// The registry's word: "linear_algebra".
[[nodiscard]] constexpr std::string_view name(opcode_category c) noexcept {
  return opcode_category_names[static_cast<std::size_t>(c)];
}
/// The registry's status of an opcode. A `future` one is legal, but current hardware rejects it.
enum class opcode_status : std::uint8_t { stable, future };
/// How far current hardware supports an opcode ("NPM Hardware Support Status").
enum class hardware_status : std::uint8_t {
  supported,    ///< by current hardware
  future,       ///< by none yet
  partial,      ///< in part: conversions, while CSTL stores
  escape_hatch  ///< generic compute, whose `op` a device may not know
};

// clang-format off
// X(enumerator, category, status, inputs, outputs, attributes, families, unit, hardware)
#define TESSERA_NEM_OPCODES(X)                                                                     \
  X(transfer, data_movement, stable, "src", "dst", "", "", dma, supported)                         \
  X(store, data_movement, stable, "src", "dst", "", "", dma, supported)                            \
  X(gemm, linear_algebra, stable, "A B C?", "Y", "accum_type",                                     \
    "gemm.float gemm.int8 gemm.int4", nmu, supported)                                              \
  X(matmul, linear_algebra, stable, "A B", "Y", "accum_type",                                      \
    "gemm.float gemm.int8 gemm.int4", nmu, supported)                                              \
  X(conv2d, convolution, stable, "X W B?", "Y", "pads strides dilations groups? accum_type",       \
    "conv2d.float conv2d.int8 conv2d.int4", nmu, supported)                                        \
  X(conv1d, convolution, future, "X W B?", "Y", "pads strides dilations groups? accum_type",       \
    "", nmu, future)                                                                               \
  X(conv3d, convolution, future, "X W B?", "Y", "pads strides dilations groups? accum_type",       \
    "", nmu, future)                                                                               \
  X(depthwise_conv2d, convolution, future, "X W B?", "Y", "pads strides dilations accum_type",     \
    "", nmu, future)                                                                               \
  X(relu, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                     \
  X(leaky_relu, elementwise_unary, stable, "X", "Y", "alpha", "eltwise", cstl, supported)          \
  X(sigmoid, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                  \
  X(tanh, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                     \
  X(exp, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                      \
  X(log, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                      \
  X(sqrt, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                     \
  X(abs, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                      \
  X(neg, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                      \
  X(gelu, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                     \
  X(silu, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                     \
  X(add, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(sub, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(mul, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(div, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(min, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(max, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(pow, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(clamp, elementwise_other, stable, "X", "Y", "min_val max_val", "eltwise", cstl, supported)     \
  X(maxpool, pooling, stable, "X", "Y", "kernel_shape pads strides", "", cstl, supported)          \
  X(avgpool, pooling, stable, "X", "Y", "kernel_shape pads strides", "", cstl, supported)          \
  X(transpose, layout, stable, "X", "Y", "perm", "view", cstl, supported)                          \
  X(reshape, layout, stable, "X", "Y", "target_shape", "view", cstl, supported)                    \
  X(slice, layout, stable, "X", "Y", "starts ends axes steps", "view", cstl, supported)            \
  X(concat, layout, stable, "X*", "Y", "axis", "view", cstl, supported)                            \
  X(split, layout, stable, "X", "Y*", "axis split_sizes", "view", cstl, supported)                 \
  X(pad, layout, stable, "X", "Y", "pads mode constant_value?", "view", cstl, supported)           \
  X(gather, layout, stable, "X indices", "Y", "axis", "view", cstl, supported)                     \
  X(reduce_sum, reduction, future, "X", "Y", "axes keepdims", "", cstl, future)                    \
  X(reduce_max, reduction, future, "X", "Y", "axes keepdims", "", cstl, future)                    \
  X(reduce_min, reduction, future, "X", "Y", "axes keepdims", "", cstl, future)                    \
  X(argmax, reduction, future, "X", "Y", "axis keepdims", "", cstl, future)                        \
  X(argmin, reduction, future, "X", "Y", "axis keepdims", "", cstl, future)                        \
  X(layernorm, normalization, stable, "X scale? bias?", "Y", "axis epsilon",                       \
    "norm", cstl, supported)                                                                       \
  X(rmsnorm, normalization, stable, "X scale?", "Y", "axis epsilon", "norm", cstl, supported)      \
  X(softmax, softmax, stable, "X", "Y", "axis", "softmax", cstl, supported)                        \
  X(log_softmax, softmax, stable, "X", "Y", "axis", "softmax", cstl, supported)                    \
  X(cast, type_conversion, stable, "X", "Y", "", "cast", cstl, partial)                            \
  X(quantize, type_conversion, stable, "X", "Y", "", "quantize", cstl, partial)                    \
  X(dequantize, type_conversion, stable, "X", "Y", "", "dequantize", cstl, partial)                \
  X(compute, generic, stable, "X*", "Y*", "op", "", none, escape_hatch)
// clang-format on

/// The opcodes of the registry; `unknown` for others.
enum class opcode : std::uint8_t {
#define TESSERA_X(name, ...) name,
  TESSERA_NEM_OPCODES(TESSERA_X)
#undef TESSERA_X
      unknown,
};
/// A row of the registry.
struct opcode_row {
  std::string_view name;                         ///< the word in programs
  opcode_category category;                      ///< its group in the registry
  opcode_status status;                          ///< of the opcode in the registry
  std::string_view inputs, outputs, attributes;  ///< in the registry's order, blanks between
  std::string_view families;                     ///< of the variants that govern the types
  nem::unit unit;                                ///< as the registry has it; see default_unit
  hardware_status hardware;  ///< of NPM hardware ("NPM Hardware Support Status")
};
/// The rows of all opcodes, by enumerator; `unknown` has no row.
inline constexpr opcode_row opcode_table[] = {
#define TESSERA_X(name, category, status, inputs, outputs, attributes, families, unit_, hardware)  \
  {#name,                                                                                          \
   opcode_category::category,                                                                      \
   opcode_status::status,                                                                          \
   inputs,                                                                                         \
   outputs,                                                                                        \
   attributes,                                                                                     \
   families,                                                                                       \
   unit::unit_,                                                                                    \
   hardware_status::hardware},
    TESSERA_NEM_OPCODES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NEM_OPCODES
/// How many opcodes there are, without `unknown`.
inline constexpr std::size_t opcode_count = sizeof opcode_table / sizeof opcode_table[0];
/// The row of an opcode; not of `unknown`.
[[nodiscard]] constexpr const opcode_row& row(opcode op) noexcept {
  return opcode_table[static_cast<std::size_t>(op)];
}
/// The word in programs: "conv2d"; "unknown" for unknown.
[[nodiscard]] constexpr std::string_view name(opcode op) noexcept {
  return op == opcode::unknown ? std::string_view("unknown") : row(op).name;
}
/// The opcode of a word of a program, or unknown.
[[nodiscard]] constexpr opcode find_opcode(std::string_view word) noexcept {
  for (std::size_t i = 0; i < opcode_count; ++i)
    if (opcode_table[i].name == word) return static_cast<opcode>(i);
  return opcode::unknown;
}

/// Removes the next word from a blank-separated list; empty at its end.
[[nodiscard]] constexpr std::string_view next_word(std::string_view& list) noexcept {
  std::size_t size = 0;
  while (size < list.size() && list[size] != ' ') ++size;
  const std::string_view word = list.substr(0, size);
  list.remove_prefix(size < list.size() ? size + 1 : size);
  return word;
}

/// What a row of the table says, in numbers.
struct opcode_signature {
  std::uint8_t required_inputs = 0, inputs = 0;  ///< of variadic ones at least `required_inputs`
  std::uint8_t outputs = 0;  ///< named ones; of variadic ones at least that many
  bool variadic_inputs = false, variadic_outputs = false;  ///< whether the last one may be repeated
  std::uint32_t required_attributes = 0, attributes = 0;   ///< bit n is attribute n
};
namespace detail {
[[nodiscard]] consteval opcode_signature signature_of(const opcode_row& r) noexcept {
  opcode_signature s;
  for (std::string_view list = r.inputs; !list.empty();) {
    const std::string_view word = next_word(list);
    s.inputs = static_cast<std::uint8_t>(s.inputs + 1);
    if (word.back() != '?') s.required_inputs = s.inputs;
    s.variadic_inputs = s.variadic_inputs || word.back() == '*';
  }
  for (std::string_view list = r.outputs; !list.empty();) {
    const std::string_view word = next_word(list);
    s.outputs = static_cast<std::uint8_t>(s.outputs + 1);
    s.variadic_outputs = s.variadic_outputs || word.back() == '*';
  }
  for (std::string_view list = r.attributes; !list.empty();) {
    std::string_view word = next_word(list);
    const bool optional = word.back() == '?';
    if (optional) word.remove_suffix(1);
    const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(find_attribute(word));
    s.attributes |= bit;
    if (!optional) s.required_attributes |= bit;
  }
  return s;
}
struct signatures {
  opcode_signature of[opcode_count];
};
[[nodiscard]] consteval signatures all_signatures() noexcept {
  signatures all;
  for (std::size_t i = 0; i < opcode_count; ++i) all.of[i] = signature_of(opcode_table[i]);
  return all;
}
inline constexpr signatures signature_table = all_signatures();
}  // namespace detail
/// What the row of an opcode says, in numbers; not of `unknown`.
[[nodiscard]] constexpr const opcode_signature& signature(opcode op) noexcept {
  return detail::signature_table.of[static_cast<std::size_t>(op)];
}

/// A set of units: bit n is unit n.
using unit_set = std::uint8_t;
/// The set with one unit.
[[nodiscard]] constexpr unit_set units(unit u) noexcept {
  return static_cast<unit_set>(1u << static_cast<unsigned>(u));
}

/// The unit that executes an opcode where no `@resource` says otherwise. Where the specification
/// and the registry differ (reductions, conversions, store), the specification decides. Transfers
/// that touch DDR go to sDMA instead.
[[nodiscard]] constexpr unit default_unit(opcode op) noexcept {
  if (op == opcode::unknown) return unit::none;
  if (op == opcode::store) return unit::cstl;
  const opcode_category c = row(op).category;
  if (c == opcode_category::reduction || c == opcode_category::type_conversion) return unit::vpu;
  return row(op).unit;
}
/// The units that `@resource` may bind an opcode to.
[[nodiscard]] constexpr unit_set eligible_units(opcode op) noexcept {
  constexpr unit_set n = units(unit::nmu), c = units(unit::cstl), d = units(unit::dma),
                     v = units(unit::vpu);
  if (op == opcode::unknown || op == opcode::compute) return n | c | d | v;
  if (op == opcode::store) return c | d;
  switch (row(op).category) {
    case opcode_category::data_movement: return d;
    case opcode_category::linear_algebra:
    case opcode_category::convolution: return n | v;
    case opcode_category::layout: return c | d | v;
    default: return c | v;
  }
}

/// What a decorator applies to; bits of decorator_row::targets.
enum decorator_target : std::uint8_t {
  on_buffer = 1,
  on_region = 2,
  on_operand = 4,
  on_transfer = 8,
  on_compute = 16,
  on_loop = 32,
  on_wait = 64
};
/// What a decorator takes in parentheses.
enum class decorator_argument : std::uint8_t { none, integer, unit, tag };

// X(enumerator, targets, argument)
#define TESSERA_NEM_DECORATORS(X)                                                                  \
  X(materialized, on_region | on_operand, none)                                                    \
  X(readonly, on_buffer | on_region | on_operand, none)                                            \
  X(writeonly, on_buffer | on_region | on_operand, none)                                           \
  X(deterministic, on_transfer | on_compute | on_loop, none)                                       \
  X(memmove, on_transfer, none)                                                                    \
  X(max_in_flight, on_loop, integer)                                                               \
  X(resource, on_transfer | on_compute, unit)                                                      \
  X(seq_engine, on_transfer | on_compute, integer)                                                 \
  X(debug, 127, tag)                                                                               \
  X(profile, 127, tag)

/// The decorators of the language; `unknown` for others.
enum class decorator : std::uint8_t {
#define TESSERA_X(name, targets, argument) name,
  TESSERA_NEM_DECORATORS(TESSERA_X)
#undef TESSERA_X
      unknown,
};
/// A row of the table of decorators.
struct decorator_row {
  std::string_view name;        ///< the word in programs, without '@'
  std::uint8_t targets;         ///< a sum of decorator_target
  decorator_argument argument;  ///< what it takes in parentheses
};
/// The rows of all decorators, by enumerator; `unknown` has no row.
inline constexpr decorator_row decorator_table[] = {
#define TESSERA_X(name, targets, argument) {#name, targets, decorator_argument::argument},
    TESSERA_NEM_DECORATORS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NEM_DECORATORS
/// How many decorators there are, without `unknown`.
inline constexpr std::size_t decorator_count = sizeof decorator_table / sizeof decorator_table[0];
/// The word in programs, without its '@': "readonly"; "unknown" for unknown.
[[nodiscard]] constexpr std::string_view name(decorator d) noexcept {
  return d == decorator::unknown ? std::string_view("unknown")
                                 : decorator_table[static_cast<std::size_t>(d)].name;
}
/// The decorator of a word of a program, without its '@', or unknown.
[[nodiscard]] constexpr decorator find_decorator(std::string_view word) noexcept {
  for (std::size_t i = 0; i < decorator_count; ++i)
    if (decorator_table[i].name == word) return static_cast<decorator>(i);
  return decorator::unknown;
}

/// Reserved words, which can't be names, besides element types and DDR, L1, L2.
inline constexpr std::string_view reserved_words[] = {
    "program", "device",   "include", "const", "buffer", "let", "loop", "endloop",
    "region",  "transfer", "store",   "wait",  "in",     "out", "mod",  "type_family"};
/// Words that other readers reserve: accepted as names, with a warning.
inline constexpr std::string_view upstream_reserved_words[] = {
    "extends", "opcode", "topology", "mandatory", "extended", "spec_version", "size",  "align",
    "elem",    "shape",  "layout",   "strides",   "quant",    "deps",         "async", "sync"};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_FORMAT_HPP
