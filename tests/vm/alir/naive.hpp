// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What an ALIR program means, said in the plainest way: one sample, one operation after another.
//
//   naive::evaluation e = naive::evaluate(model, sample);
//   e.values[7];   // the integer that operation 7 wrote
//   e.outputs[0];  // or e.trap, the operation whose lookup left its table
//
// The virtual machine and its rewrites are checked against it, so it shares nothing with them:
// it computes types by itself and takes nothing of the format's headers but the structs. It expects
// a model that alir::verify accepts. All integer arithmetic is modulo 2^64.
//
// Lifetime:   an evaluation owns everything.
// Errors:     a lookup out of range, as evaluation::trap.
// Limits:     none.
// Allocation: vectors.

#ifndef TESSERA_TESTS_ALIR_NAIVE_HPP
#define TESSERA_TESTS_ALIR_NAIVE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <tessera/alir/format.hpp>
#include <vector>

namespace naive {

/// Sign bit, integer bits, fraction bits. A value v of the type means v * 2^-f.
struct type {
  int k = 0, i = 0, f = 0;
  [[nodiscard]] int width() const { return k + i + f; }
};

/// ceil(log2(x)), of x > 0 rounded to float first: 2^24 + 1 counts as 2^24.
[[nodiscard]] inline int ceil_log2(double x) {
  int exponent = 0;
  const float fraction = std::frexp(static_cast<float>(x), &exponent);  // in [0.5, 1)
  return fraction == 0.5f ? exponent - 1 : exponent;
}

/// The type that an interval implies.
[[nodiscard]] inline type type_for(const tessera::alir::interval& q) {
  if (q.min == 0 && q.max == 0) return {};
  type t;
  t.k = q.min < 0 ? 1 : 0;
  t.f = -ceil_log2(q.step);
  const double codes =
      std::fmax(std::fabs(std::round(q.min / q.step)), std::round(q.max / q.step) + 1);
  t.i = ceil_log2(codes) - t.f;
  return t;
}

[[nodiscard]] inline std::int64_t to_signed(std::uint64_t v) {
  return static_cast<std::int64_t>(v);
}
[[nodiscard]] inline std::uint64_t to_unsigned(std::int64_t v) {
  return static_cast<std::uint64_t>(v);
}

/// v * 2^s for s >= 0, and floor(v * 2^s) for s < 0.
[[nodiscard]] inline std::int64_t scaled(std::int64_t v, std::int64_t s) {
  for (; s > 0; --s) v = to_signed(to_unsigned(v) * 2);
  for (; s < 0; ++s) v = v >> 1;
  return v;
}

/// The lowest `width` bits, all ones.
[[nodiscard]] inline std::uint64_t mask(int width) {
  std::uint64_t m = 0;
  for (int bit = 0; bit < width; ++bit) m = m * 2 + 1;
  return m;
}

/// v forced into a type: bits above its width are dropped, and its top bit is the sign's.
[[nodiscard]] inline std::int64_t wrapped(std::int64_t v, const type& t) {
  const int width = t.width();
  if (width == 0) return 0;
  const std::uint64_t kept = to_unsigned(v) & mask(width);
  const bool top = (kept >> (width - 1) & 1) != 0;
  return to_signed(t.k == 1 && top ? kept | ~mask(width) : kept);
}

/// x * 2^s as a double, rounded once.
[[nodiscard]] inline double times_power_of_two(double x, std::int64_t s) {
  const std::int64_t far = 5000;  // beyond it every x but 0 overflows or vanishes
  return std::ldexp(x, static_cast<int>(s > far ? far : s < -far ? -far : s));
}

/// floor(x * 2^s) as an integer; what doesn't fit, and NaN, give the lowest integer.
[[nodiscard]] inline std::int64_t converted(double x, std::int64_t s) {
  const double y = std::floor(times_power_of_two(x, s));
  const bool fits = y >= -9223372036854775808.0 && y < 9223372036854775808.0;
  return fits ? static_cast<std::int64_t>(y) : std::numeric_limits<std::int64_t>::min();
}

struct evaluation {
  std::vector<std::int64_t> values;  ///< of every operation, or of those before the trap
  std::vector<double> outputs;       ///< empty after a trap
  std::int64_t trap = -1;            ///< the operation whose lookup left its table
};

/// The model's operations and outputs for one sample, inputs[n_inputs].
[[nodiscard]] inline evaluation evaluate(const tessera::alir::model& m,
                                         std::span<const double> inputs) {
  using tessera::alir::opcode;
  evaluation result;
  std::vector<std::int64_t>& buf = result.values;
  const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
  const auto type_at = [&](std::int64_t index) { return type_for(m.ops[at(index)].qint); };

  for (const tessera::alir::operation& op : m.ops) {
    const type own = type_for(op.qint);
    std::int64_t v = 0;
    switch (op.code) {
      case opcode::input: {
        const std::int64_t index = op.id0;
        const std::int64_t shift = m.inp_shifts[at(index)];
        v = wrapped(converted(inputs[at(index)], shift + own.f), own);
        break;
      }
      case opcode::negate: v = to_signed(0 - to_unsigned(buf[at(op.id0)])); break;
      case opcode::add:
      case opcode::subtract: {
        const int fa = type_at(op.id0).f;
        const int fb = type_at(op.id1).f - static_cast<int>(op.data);  // of b * 2^data
        const int finest = fa > fb ? fa : fb;
        const std::uint64_t a = to_unsigned(scaled(buf[at(op.id0)], finest - fa));
        const std::uint64_t b = to_unsigned(scaled(buf[at(op.id1)], finest - fb));
        v = scaled(to_signed(op.code == opcode::add ? a + b : a - b), own.f - finest);
        break;
      }
      case opcode::relu: {
        const std::int64_t x = buf[at(op.id0)];
        v = wrapped(scaled(x < 0 ? 0 : x, own.f - type_at(op.id0).f), own);
        break;
      }
      case opcode::quantize: {
        const int fx = type_at(op.id0).f - op.shift;  // of x * 2^shift
        v = wrapped(scaled(buf[at(op.id0)], own.f - fx), own);
        break;
      }
      case opcode::add_constant: {
        const int fx = type_at(op.id0).f;
        const int finest = fx > op.shift ? fx : op.shift;
        const std::uint64_t x = to_unsigned(scaled(buf[at(op.id0)], finest - fx));
        const std::uint64_t c = to_unsigned(scaled(op.data, finest - op.shift));
        v = scaled(to_signed(x + c), own.f - finest);
        break;
      }
      case opcode::constant: v = op.data; break;
      case opcode::mux: {
        const int width = type_at(op.data).width();
        const bool top = width > 0 && (buf[at(op.data)] >> (width - 1) & 1) != 0;
        const std::int64_t a = scaled(buf[at(op.id0)], own.f - type_at(op.id0).f);
        const std::int64_t b = scaled(buf[at(op.id1)], own.f - type_at(op.id1).f + op.shift);
        v = wrapped(top ? a : b, own);
        break;
      }
      case opcode::multiply:
        v = to_signed(to_unsigned(buf[at(op.id0)]) * to_unsigned(buf[at(op.id1)]));
        break;
      case opcode::lookup: {
        // The pad counts the codes of the operand's type below its interval.
        const tessera::alir::interval& q = m.ops[at(op.id0)].qint;
        const type x = type_for(q);
        const double lowest = x.k == 1 ? -std::ldexp(1.0, x.i) : 0.0;
        const double pad = x.width() == 0 ? 0.0 : std::round((q.min - lowest) / q.step);
        const std::uint64_t half = x.k == 1 ? to_unsigned(scaled(1, x.width() - 1)) : 0;
        const std::uint64_t index =
            to_unsigned(buf[at(op.id0)]) + half - to_unsigned(static_cast<std::int64_t>(pad));
        const tessera::alir::lookup_table& table = m.tables[at(op.data)];
        if (index >= table.count) {
          result.trap = static_cast<std::int64_t>(buf.size());
          return result;
        }
        v = m.table_data[table.first + index];
        break;
      }
      case opcode::bit_unary: {
        const std::int64_t x = buf[at(op.id0)];
        const std::uint64_t all = mask(type_at(op.id0).width());
        if (op.data == 0)
          v = own.k == 1 ? ~x : to_signed(~to_unsigned(x) & all);
        else if (op.data == 1)
          v = x != 0 ? 1 : 0;
        else
          v = (to_unsigned(x) & all) == all ? 1 : 0;
        break;
      }
      case opcode::bit_binary: {
        const int fa = type_at(op.id0).f;
        const int fb = type_at(op.id1).f - op.shift;
        const int finest = fa > fb ? fa : fb;
        const std::int64_t a = scaled(buf[at(op.id0)], finest - fa);
        const std::int64_t b = scaled(buf[at(op.id1)], finest - fb);
        const std::int64_t which = op.data >> 24 & 255;
        v = which == 0 ? (a & b) : which == 1 ? (a | b) : (a ^ b);
        break;
      }
      case opcode::sum: {
        std::span<const tessera::alir::term> terms(m.terms.data() + op.id0, at(op.id1));
        int finest = std::numeric_limits<int>::min();
        for (const tessera::alir::term& t : terms) {
          const int f = type_at(t.id).f - t.shift;
          if (f > finest) finest = f;
        }
        std::uint64_t total = 0;
        for (const tessera::alir::term& t : terms) {
          const int f = type_at(t.id).f - t.shift;
          const std::uint64_t x = to_unsigned(scaled(buf[at(t.id)], finest - f));
          total = t.negative ? total - x : total + x;
        }
        v = scaled(to_signed(total), own.f - finest);
        break;
      }
    }
    buf.push_back(v);
  }

  for (std::size_t j = 0; j < m.out_idxs.size(); ++j) {
    const std::int32_t index = m.out_idxs[j];
    if (index < 0) {
      result.outputs.push_back(0.0);
      continue;
    }
    std::int64_t v = buf[at(index)];
    if (m.out_negs[j] != 0) v = to_signed(0 - to_unsigned(v));
    const std::int64_t shift = m.out_shifts[j];
    result.outputs.push_back(times_power_of_two(static_cast<double>(v), shift - type_at(index).f));
  }
  return result;
}

}  // namespace naive

#endif  // TESSERA_TESTS_ALIR_NAIVE_HPP
