// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What ALIR is: opcodes, fixed-point types, operations, and the model that readers fill.
//
//   alir::model m;
//   m.n_inputs = m.n_outputs = 1;
//   m.inp_shifts = {0}, m.out_idxs = {1}, m.out_shifts = {0}, m.out_negs = {0};
//   m.ops = {{.id0 = 0, .code = alir::opcode::input, .qint = {-8, 7.5, 0.5}},
//            {.id0 = 0, .code = alir::opcode::negate, .qint = {-7.5, 8, 0.5}}};
//
// Every operation i writes one value buf[i], an integer v that means v * 2^-f, where f comes
// from the operation's quantization interval. In JSON (version 2) an operation is a row
//
//   [id0, id1, opcode, data, [min, max, step], latency, cost]
//
// and in versions 3 and 4 a row [addresses, opcode, data, [min, max, step], latency, cost], in
// which addresses and data are arrays. All are read into the struct `operation`:
//
//   opcode         id0   id1   data           shift                value
//   negate         x                                               -x
//   input          n                                               input n, quantized
//   add, subtract  a     b     s                                   a ± b·2^s, s in data
//   relu           x                                               max(x, 0), quantized
//   quantize       x                          s (version 4)        x·2^s, quantized
//   add_constant   x           c              s                    x + c·2^-s
//   constant                   c                                   c (times the step)
//   mux            a     b     condition      s                    condition's msb ? a : b·2^s
//   multiply       a     b                                         a·b
//   lookup         x           table                               table[x - min(x)/step(x)]
//   bit_unary      x           0, 1, 2                             not, any, all
//   bit_binary     a     b     0, 1, 2 << 24  s                    a and, or, xor b·2^s
//   sum            first count                                     sum of `terms` (3 and 4 only)
//
// Unused ids are -1. Quantizing wraps around and truncates: bits are dropped at both ends.
//
// Lifetime:   model owns everything.
// Errors:     none here.
// Limits:     ids are int32.
// Allocation: pools, which double.

#ifndef TESSERA_ALIR_FORMAT_HPP
#define TESSERA_ALIR_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"

// X(enumerator, code, mnemonic, ids, addresses, data values), sorted by code. `ids` is how many of
// id0 and id1 are used; addresses and data values are those of a row in version 4 (-1: any number).
#define TESSERA_ALIR_OPCODES(X)                                                                    \
  X(negate, -2, "neg", 1, 1, 0)                                                                    \
  X(input, -1, "input", 1, 0, 1)                                                                   \
  X(add, 0, "add", 2, 2, 1)                                                                        \
  X(subtract, 1, "sub", 2, 2, 1)                                                                   \
  X(relu, 2, "relu", 1, 1, 0)                                                                      \
  X(quantize, 3, "quantize", 1, 1, 1)                                                              \
  X(add_constant, 4, "add_const", 1, 1, 2)                                                         \
  X(constant, 5, "const", 0, 0, 1)                                                                 \
  X(mux, 6, "mux", 2, 3, 1)                                                                        \
  X(multiply, 7, "mul", 2, 2, 0)                                                                   \
  X(lookup, 8, "lookup", 1, 1, 1)                                                                  \
  X(bit_unary, 9, "bit_unary", 1, 1, 1)                                                            \
  X(bit_binary, 10, "bit_binary", 2, 2, 2)                                                         \
  X(sum, 11, "sum", 2, -1, -1)

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// The two encodings of a model; `automatic` lets a reader look at the first bytes.
enum class encoding : std::uint8_t { automatic, json, bytecode };

/// Operation codes (specification, "Operation Codes"; `sum` is code 11 of versions 3 and 4).
enum class opcode : std::int8_t {
#define TESSERA_X(name, code, mnemonic, ids, addresses, data) name = code,
  TESSERA_ALIR_OPCODES(TESSERA_X)
#undef TESSERA_X
};

/// One row of the table of opcodes.
struct opcode_row {
  opcode code;  ///< the number in files
  /// In JSON and C++, and in listings.
  std::string_view name, mnemonic;
  /// How many operands, addresses and values of data the operation has.
  std::int8_t ids, addresses, data_values;
};
/// A row per opcode, in ascending order of codes.
inline constexpr opcode_row opcode_table[] = {
#define TESSERA_X(name, code, mnemonic, ids, addresses, data)                                      \
  {opcode::name, #name, mnemonic, ids, addresses, data},
    TESSERA_ALIR_OPCODES(TESSERA_X)
#undef TESSERA_X
};
/// The range of codes that files may hold.
inline constexpr std::int32_t first_opcode = -2, last_opcode = 11;
static_assert(std::size(opcode_table) == last_opcode - first_opcode + 1);

/// The row of an opcode.
[[nodiscard]] constexpr const opcode_row& info(opcode code) noexcept {
  return opcode_table[static_cast<int>(code) - first_opcode];
}

/// The sub-operations of bit_unary and bit_binary.
enum class unary_bits : std::uint8_t { invert, any, all };
/// The sub-operations of bit_binary: and, or, xor.
enum class binary_bits : std::uint8_t { conjunction, disjunction, exclusive };

/// A quantization interval: the values min, min + step, … max. A promise of the producer; only
/// input, relu, quantize and mux force a value into the type that it implies.
struct interval {
  /// The bounds, both included, and the distance of neighbouring values.
  double min = 0, max = 0, step = 1;
  friend bool operator==(const interval&, const interval&) = default;
};

/// A fixed-point type: sign bit, integer bits without the sign, fraction bits. Both counts may be
/// negative; a value v of the type means v * 2^-f.
struct fixed_type {
  bool k = false;      ///< has a sign bit
  std::int16_t i = 0;  ///< integer bits, without the sign
  std::int16_t f = 0;  ///< fraction bits
  /// All bits, with the sign.
  [[nodiscard]] constexpr int width() const noexcept { return (k ? 1 : 0) + i + f; }
  friend constexpr bool operator==(const fixed_type&, const fixed_type&) = default;
};

/// Which numbers of an operation were in the file as integers (10) rather than floats (10.0), and
/// whether data was an unsigned pattern: needed to rewrite a file byte for byte.
struct spelling {
  /// Flags of an operation's or a table's members, to be combined.
  static constexpr std::uint8_t min = 1, max = 2, step = 4, latency = 8, cost = 16,
                                unsigned_data = 32;
};

/// One operation; the table at the top says what each field means for each opcode.
struct operation {
  /// first operand: an index into `ops`, or an input's for `input`; -1: none
  std::int32_t id0 = -1;
  std::int32_t id1 = -1;           ///< second operand; -1: none
  opcode code = opcode::constant;  ///< what it computes
  std::uint8_t spelled = 0;        ///< flags of `spelling`
  std::int32_t shift = 0;          ///< in bits; `code` decides of what
  /// what the opcode makes of it: a constant, a table's index, a packed sub-operation
  std::int64_t data = 0;
  interval qint = {};  ///< the values that the result may have
  double latency = 0;  ///< estimated time at which the value is ready
  double cost = 0;     ///< estimated cost; neither is used to execute
  friend bool operator==(const operation&, const operation&) = default;
};
static_assert(sizeof(operation) == 64);

/// One term of a `sum`: ± buf[id]·2^shift.
struct term {
  std::int32_t id = 0;     ///< index into model::ops
  std::int32_t shift = 0;  ///< to the left, in bits
  bool negative = false;   ///< subtracted rather than added
  friend bool operator==(const term&, const term&) = default;
};

/// A lookup table: `count` entries of model::table_data from `first`, for the codes of the
/// producer's interval in ascending order.
struct lookup_table {
  std::uint64_t first = 0, count = 0;  ///< indices of model::table_data
  bool has_spec = false;     ///< the file had the other members; else the writer makes them
  std::uint8_t spelled = 0;  ///< min, max and step of out_qint
  /// Index into model::hashes of the table's name: equal hashes mean equal tables.
  std::uint64_t hash_first = 0, hash_size = 0;
  interval out_qint = {};      ///< interval of the entries
  std::int64_t inp_width = 0;  ///< bits of the operand, by the file
  friend bool operator==(const lookup_table&, const lookup_table&) = default;
};

/// Where the parts of a model were in their source: verify() reports these as offsets.
/// Empty for a model that was built in code; empty it when you change a model that was read.
struct source_map {
  /// Where an operation starts, and how many bytes later id1, the condition of a mux, data and the
  /// interval are. A distance of 127 or more is kept as 0, so that the start is reported.
  struct place {
    std::uint64_t start : 36;  ///< offset of the operation, in bytes
    /// Bytes from `start` to the member.
    std::uint64_t id1 : 7, condition : 7, data : 7, qint : 7;
  };
  bool is_bytecode = false;  ///< by which offsets are explained
  /// Offset of each list, in bytes.
  std::uint64_t shape = 0, inp_shifts = 0, out_idxs = 0, out_shifts = 0, out_negs = 0;
  pool<place> ops;              ///< of each operation
  pool<std::uint64_t> outputs;  ///< of each entry of out_idxs
  pool<std::uint64_t> tables;   ///< offset of each table
};

/// A CombLogic program as read from a file, not yet verified (see verify).
struct model {
  std::int32_t spec_version = 2;             ///< of the file it came from: 2, 3 or 4
  std::int64_t n_inputs = 0, n_outputs = 0;  ///< lengths of a sample and of its result
  pool<std::int32_t> inp_shifts;             ///< left shift of each input, in bits
  /// For each output the index of its operation; negative: the output is 0.0.
  pool<std::int32_t> out_idxs;    ///< negative: the output is 0.0
  pool<std::int32_t> out_shifts;  ///< left shift of each output, in bits
  /// 1: the output is negated, 0: it isn't
  pool<std::uint8_t> out_negs;                    ///< 0 or 1
  pool<operation> ops;                            ///< in the order of execution
  std::int64_t carry_size = -1, adder_size = -1;  ///< of the cost model; not used to execute
  pool<lookup_table> tables;                      ///< those that lookups refer to
  pool<std::int32_t> table_data;                  ///< the entries of all tables
  text hashes;                                    ///< the names of all tables
  pool<term> terms;                               ///< of all sums
  source_map source;                              ///< empty if built in code
};
/// Equal in everything but spec_version and places in the source.
[[nodiscard]] bool operator==(const model& a, const model& b);

/// The entries of one table, of a model that was read or verified.
[[nodiscard]] inline view<std::int32_t> entries(const model& m, const lookup_table& t) noexcept {
  return {m.table_data.data() + t.first, static_cast<std::size_t>(t.count)};
}
/// The hash of a table with a spec, of a model that was read.
[[nodiscard]] std::string_view hash(const model& m, const lookup_table& t) noexcept;
/// The terms of a `sum`, of a model that was read or verified.
[[nodiscard]] inline view<term> terms(const model& m, const operation& sum) noexcept {
  return {m.terms.data() + sum.id0, static_cast<std::size_t>(sum.id1)};
}

/// The type of an interval whose bounds are finite and whose step is a power of two (or any, when
/// both bounds are 0). The width may come out beyond what verify() accepts.
[[nodiscard]] fixed_type type_of(const interval& q) noexcept;

/// Where a lookup table starts within its producer's type, for intervals that verify() accepts: the distance from the lowest integer of
/// the type to that of the interval. The format's bytecode calls it the pad.
[[nodiscard]] double table_pad(const interval& q, fixed_type t) noexcept;

/// What is subtracted from a producer's integer to index a lookup table; as table_pad.
[[nodiscard]] std::int64_t table_base(const interval& q, fixed_type t) noexcept;

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_ALIR_OPCODES

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/errors.hpp"
#include "detail/format.hpp"
#endif

#endif  // TESSERA_ALIR_FORMAT_HPP
