// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The program that the reference VM of ALIR runs: fewer, decoded instructions over rows that are
// reused, and the number of bits that each value needs.
//
//   const compiled_program p = compile(program);
//   p.lane_bits;   // 16: no value that counts is wider, whatever its interval claims
//
// Three things make a compiled program smaller than its program. Chains of additions, each with one reader,
// become one sum with a list of terms. Operations are ordered depth first from the outputs, and a
// value gives its row to a later one after its last reader. Unused operations are left out, unless
// they are lookups that may trap.
//
// Width. Lanes of L bits compute modulo 2^L, and additions, products, left shifts and bit
// operations give the same low bits at any L. So a lane is wide enough when those numbers fit it
// that are used in full: shifted to the right, tested, used as an index or written out. Bounds for
// these start where values are forced into a type (input, relu, quantize, mux), at
// the entries of tables and at constants; never at an interval, which is a promise.
//
// Lifetime:   a compiled program keeps nothing of the program, and may be shared between threads.
// Errors:     none.
// Limits:     2^26 rows; a compiled program that needs more reports the maximum as its memory.
// Allocation: some 50 bytes for each operation while compiling, less for the result.

#ifndef TESSERA_VM_ALIR_COMPILE_HPP
#define TESSERA_VM_ALIR_COMPILE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::alir {

/// One decoded instruction. Rows are `to`, `a`, `b`, `c`, where nothing else is said.
struct instruction {
  enum class kind : std::uint8_t {
    sum,       ///< constant + terms: `a` of them are added, then `b` are subtracted
    quantize,  ///< a sum, shifted right and wrapped
    relu,      ///< a sum or 0, whichever is more, shifted and wrapped
    mux,       ///< bit `bit` of c is `bit_value` ? a : b shifted; wrapped
    multiply,
    lookup,       ///< entry a - constant of table b; outside, operation c traps
    safe_lookup,  ///< the same where none can be outside
    invert,       ///< with all but the low `width` bits 0, or not when that is 64
    any,
    all,          ///< of the low `width` bits
    conjunction,  ///< of a and b << left; so are the next two
    disjunction,
    exclusive,
    input,  ///< does nothing: inputs come first; it is there to be observed
    end     ///< after the last instruction, so that the loop needs no count
  };

  kind what = kind::end;
  std::uint8_t right = 0, left = 0;  ///< of the result, then; of a mux and bit operations, of b
  std::uint8_t width = 64;           ///< of the type to wrap to
  bool is_signed = false;            ///< so is that type
  std::uint8_t bit = 0;
  bool bit_value = true;
  std::uint32_t to = 0, a = 0, b = 0, c = 0;
  std::int64_t constant = 0;

  /// The type to wrap to as masks, in arithmetic modulo 2^64.
  [[nodiscard]] std::uint64_t mask() const noexcept {
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  }
  [[nodiscard]] std::uint64_t sign() const noexcept {
    return is_signed && width > 0 ? std::uint64_t{1} << (width - 1) : 0;
  }
};

/// row << left, as part of a sum.
struct term {
  std::uint32_t left : 6, row : 26;
};
inline constexpr std::uint32_t max_rows = std::uint32_t{1} << 26;

/// 2^exponent, as a factor where a double can hold it.
struct scale {
  int exponent = 0;
  double factor = 0;
  [[nodiscard]] double operator()(double v) const noexcept {
    return factor != 0 ? v * factor : std::ldexp(v, exponent);
  }
};

/// An input operation.
struct input {
  std::uint32_t index = 0, row = 0;
  scale to_grid;
  std::uint64_t mask = 0, sign = 0;  ///< of the type to wrap to
  /// floor(v), or INT64_MIN where v has no int64 (not a number, too large); wrapped.
  [[nodiscard]] std::uint64_t converted(double v) const noexcept {
    constexpr double end = 9223372036854775808.0;
    v = std::floor(to_grid(v));
    const std::int64_t whole = v >= -end && v < end ? static_cast<std::int64_t>(v) : INT64_MIN;
    return ((static_cast<std::uint64_t>(whole) & mask) ^ sign) - sign;
  }
};

/// Its entries among those of all tables.
struct table {
  std::uint64_t first = 0, count = 0;
};

struct output {
  std::uint32_t row = 0;
  std::uint8_t negative = 0;
  bool zero = true;  ///< there is no row
  scale to_double;
};

struct compiled_program {
  /// Bytes of a row in the widest blocks: 256 lanes of 16 bits, 128 of 32, 64 of 64.
  static constexpr std::size_t row_bytes = 512;

  std::vector<instruction> code;
  std::vector<term> terms;  ///< of all sums, in order
  std::vector<input> inputs;
  std::vector<output> outputs;
  std::vector<table> tables;
  std::vector<std::int32_t> table_data;
  std::size_t n_inputs = 0;
  std::size_t operations = 0;  ///< of the program
  std::uint64_t rows = 0;
  int lane_bits = 64;     ///< 16, 32 or 64
  bool can_trap = false;  ///< there is a lookup that isn't safe

  /// Bytes of the compiled program, and those of the rows of one thread.
  [[nodiscard]] std::uint64_t memory() const noexcept {
    return code.size() * sizeof(instruction) + terms.size() * sizeof(term) +
           inputs.size() * sizeof(input) + outputs.size() * sizeof(output) +
           tables.size() * sizeof(tables[0]) + table_data.size() * sizeof(table_data[0]);
  }
  [[nodiscard]] std::uint64_t memory_of_rows() const noexcept {
    return rows > max_rows ? UINT64_MAX : rows * row_bytes;
  }
};

struct compile_options {
  /// One instruction for each operation, in their order, and lanes of 64 bits.
  bool one_to_one = false;
  int min_lane_bits = 16;  ///< for tests
};

[[nodiscard]] compiled_program compile(const tessera::alir::program& p,
                                       const compile_options& how = {});

}  // namespace vm::alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ALIR_COMPILE_HPP
