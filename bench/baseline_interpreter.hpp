// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What one writes first: an interpreter of ALIR with one row of 64-bit integers for each live
// value, 16 samples in a row, one switch for each operation, rows used again after their last
// reader. It is what the reference machine is measured against.

#ifndef TESSERA_BENCH_BASELINE_INTERPRETER_HPP
#define TESSERA_BENCH_BASELINE_INTERPRETER_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tessera/alir.hpp>
#include <vector>

namespace bench {

class baseline_interpreter {
 public:
  static constexpr std::size_t lanes = 16;

  explicit baseline_interpreter(const tessera::alir::program& p) : program_(p) {
    const tessera::alir::model& m = p.model();
    assign_rows();
    for (const tessera::alir::lookup_table& t : m.tables)
      tables_.push_back(std::span(m.table_data.data(), m.table_data.size())
                            .subspan(index(t.first), index(t.count)));
    for (std::size_t i = 0; i < p.size(); ++i) {
      const tessera::alir::operation& o = p.op(i);
      const tessera::alir::alignment s = p.shifts(i);
      const tessera::alir::fixed_type t = p.type(i);
      step x{.code = o.code,
             .is_signed = t.k,
             .width = narrow(t.width()),
             .a_shift = narrow(s.a),
             .b_shift = narrow(s.b),
             .result_shift = narrow(s.result),
             .to = row_[i],
             .data = o.data};
      if (o.code != opcode::input && o.code != opcode::sum) {
        if (o.id0 >= 0) x.a = row_[index(o.id0)];
        if (o.id1 >= 0) x.b = row_[index(o.id1)];
      }
      switch (o.code) {
        case opcode::input:
          x.a = static_cast<std::uint32_t>(o.id0);
          x.b = static_cast<std::uint32_t>(scales_.size());
          scales_.push_back(std::ldexp(1.0, m.inp_shifts[index(o.id0)] + t.f));
          break;
        case opcode::mux:
          x.c = row_[index(o.data)];
          x.condition_width = narrow(p.type(index(o.data)).width());
          break;
        case opcode::lookup:
          x.c = static_cast<std::uint32_t>(o.data);
          x.data = p.base(i);
          break;
        case opcode::bit_unary: x.mask = low_bits(p.type(index(o.id0)).width()); break;
        default: break;
      }
      x.down = static_cast<std::int8_t>(x.result_shift < 0 ? -x.result_shift : 0);
      x.up = static_cast<std::int8_t>(x.result_shift > 0 ? x.result_shift : 0);
      x.type = low_bits(x.width);
      x.sign = sign_bit(x);
      steps_.push_back(x);
    }
    values_.resize(std::size_t{row_count_} * lanes);
    for (std::size_t j = 0; j < m.out_idxs.size(); ++j) {
      const std::int32_t id = m.out_idxs[j];
      output_scales_.push_back(id < 0 ? 0.0
                                      : std::ldexp(1.0, m.out_shifts[j] - p.type(index(id)).f));
    }
  }

  /// False when a lookup leaves its table.
  bool run(std::span<const double> in, std::span<double> out, std::size_t samples) {
    const auto n_in = index(program_.model().n_inputs), n_out = index(program_.model().n_outputs);
    for (std::size_t first = 0; first < samples; first += lanes) {
      const std::size_t n = std::min(lanes, samples - first);
      if (!run_block(in.subspan(first * n_in), n, n_in)) return false;
      write_outputs(out.subspan(first * n_out), n, n_out);
    }
    return true;
  }

 private:
  using opcode = tessera::alir::opcode;

  /// One operation: rows of its result and operands (of an input, its index and that of its scale;
  /// of a lookup, `c` is the table and `data` what is subtracted).
  struct step {
    opcode code = opcode::constant;
    bool is_signed = false;
    std::int8_t width = 0, condition_width = 0;
    std::int8_t a_shift = 0, b_shift = 0, result_shift = 0, down = 0, up = 0;
    std::uint32_t to = 0, a = 0, b = 0, c = 0;
    std::int64_t data = 0;
    std::uint64_t mask = 0, type = 0, sign = 0;
  };

  [[nodiscard]] static std::int8_t narrow(std::int64_t v) { return static_cast<std::int8_t>(v); }
  template <class Int>
  [[nodiscard]] static std::size_t index(Int v) {
    return static_cast<std::size_t>(v);
  }
  [[nodiscard]] static std::uint64_t low_bits(int n) {
    return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
  }
  [[nodiscard]] static std::int64_t left(std::int64_t v, int by) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(v) << by);
  }
  [[nodiscard]] static std::int64_t shifted(std::int64_t v, int by) {
    return by >= 0 ? left(v, by) : v >> -by;
  }
  [[nodiscard]] static std::int64_t sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  [[nodiscard]] static std::int64_t difference(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }

  void assign_rows() {
    const std::size_t size = program_.size();
    std::vector<std::size_t> last(size, 0);
    std::vector<std::uint32_t> free;
    const auto each_operand = [this](std::size_t i, auto visit) {
      const tessera::alir::operation& o = program_.op(i);
      if (o.code == opcode::input || o.code == opcode::constant) return;
      if (o.code == opcode::sum) {
        for (const tessera::alir::term& t : terms(program_.model(), o)) visit(index(t.id));
        return;
      }
      visit(index(o.id0));
      if (o.id1 >= 0) visit(index(o.id1));
      if (o.code == opcode::mux) visit(index(o.data));
    };
    for (std::size_t i = 0; i < size; ++i) {
      last[i] = i;
      each_operand(i, [&](std::size_t x) { last[x] = i; });
    }
    for (const std::int32_t x : program_.model().out_idxs)
      if (x >= 0) last[index(x)] = size;
    row_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      // The result's row comes first: operands stay whole while it is written.
      if (free.empty()) {
        row_[i] = row_count_++;
      } else {
        row_[i] = free.back();
        free.pop_back();
      }
      each_operand(i, [&](std::size_t x) {
        if (last[x] != i) return;
        last[x] = size + 1;
        free.push_back(row_[x]);
      });
      if (last[i] == i) free.push_back(row_[i]);
    }
  }

  // Row by row, all 16 lanes always, so that the loops have a constant count. A result's row is
  // never that of an operand.
  template <class Value>
  static void fill(std::int64_t* to, Value value) {
#pragma omp simd
    for (std::size_t s = 0; s < lanes; ++s) to[s] = value(to[s]);
  }
  template <class Value>
  static void unary(std::int64_t* __restrict to, const std::int64_t* __restrict a, Value value) {
#pragma omp simd
    for (std::size_t s = 0; s < lanes; ++s) to[s] = value(a[s]);
  }
  template <class Value>
  static void binary(std::int64_t* __restrict to, const std::int64_t* __restrict a,
                     const std::int64_t* __restrict b, Value value) {
#pragma omp simd
    for (std::size_t s = 0; s < lanes; ++s) to[s] = value(a[s], b[s]);
  }
  template <class Value>
  static void ternary(std::int64_t* __restrict to, const std::int64_t* __restrict a,
                      const std::int64_t* __restrict b, const std::int64_t* __restrict c,
                      Value value) {
#pragma omp simd
    for (std::size_t s = 0; s < lanes; ++s) to[s] = value(a[s], b[s], c[s]);
  }
  static void shift_row(std::int64_t* to, int by) {
    if (by > 0) fill(to, [by](std::int64_t v) { return left(v, by); });
    if (by < 0) fill(to, [by](std::int64_t v) { return v >> -by; });
  }
  [[nodiscard]] static std::uint64_t sign_bit(const step& x) {
    return x.is_signed && x.width > 0 ? std::uint64_t{1} << (x.width - 1) : 0;
  }
  static void wrap_row(std::int64_t* to, const step& x) {
    const std::uint64_t mask = low_bits(x.width);
    const std::uint64_t sign = sign_bit(x);
    fill(to, [mask, sign](std::int64_t v) {
      return static_cast<std::int64_t>(((static_cast<std::uint64_t>(v) & mask) ^ sign) - sign);
    });
  }

  bool run_block(std::span<const double> in, std::size_t n, std::size_t n_in) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const step& x = steps_[i];
      std::int64_t* const to = values_.data() + index(x.to) * lanes;
      const std::int64_t* const a = values_.data() + index(x.a) * lanes;
      const std::int64_t* const b = values_.data() + index(x.b) * lanes;
      const int by_a = x.a_shift, by_b = x.b_shift;
      const std::int64_t data = x.data;
      const std::uint64_t mask = x.mask;
      const int down = x.down, up = x.up;
      const std::uint64_t type = x.type, sign = x.sign;
      const auto shifted_once = [=](std::int64_t v) { return left(v >> down, up); };
      const auto wrapped = [=](std::int64_t v) {
        return static_cast<std::int64_t>(((static_cast<std::uint64_t>(v) & type) ^ sign) - sign);
      };
      switch (x.code) {
        case opcode::input:
          for (std::size_t s = 0; s < n; ++s) {
            const double v = std::floor(in[s * n_in + x.a] * scales_[x.b]);
            to[s] = std::fabs(v) < 0x1p63 ? static_cast<std::int64_t>(v) : INT64_MIN;
          }
          wrap_row(to, x);
          break;
        case opcode::negate: unary(to, a, [=](std::int64_t l) { return difference(0, l); }); break;
        // One of the operands is shifted at most.
        case opcode::add:
          if (by_a != 0)
            binary(to, a, b,
                   [=](std::int64_t l, std::int64_t r) { return sum(left(l, by_a), r) >> down; });
          else
            binary(to, a, b,
                   [=](std::int64_t l, std::int64_t r) { return sum(l, left(r, by_b)) >> down; });
          if (down == 0) shift_row(to, x.result_shift);
          break;
        case opcode::subtract:
          if (by_a != 0)
            binary(to, a, b, [=](std::int64_t l, std::int64_t r) {
              return difference(left(l, by_a), r) >> down;
            });
          else
            binary(to, a, b, [=](std::int64_t l, std::int64_t r) {
              return difference(l, left(r, by_b)) >> down;
            });
          if (down == 0) shift_row(to, x.result_shift);
          break;
        case opcode::relu:
          unary(to, a, [=](std::int64_t l) { return wrapped(shifted_once(l < 0 ? 0 : l)); });
          break;
        case opcode::quantize:
          unary(to, a, [=](std::int64_t l) { return wrapped(shifted_once(l)); });
          break;
        case opcode::add_constant: {
          const std::int64_t constant = left(data, by_b);
          unary(to, a, [=](std::int64_t l) { return sum(left(l, by_a), constant) >> down; });
          if (down == 0) shift_row(to, x.result_shift);
          break;
        }
        case opcode::constant: fill(to, [=](std::int64_t) { return data; }); break;
        case opcode::mux: {
          const std::int64_t* const c = values_.data() + index(x.c) * lanes;
          const std::int64_t top =
              x.condition_width > 0
                  ? static_cast<std::int64_t>(std::uint64_t{1} << (x.condition_width - 1))
                  : 0;
          if (by_a == 0 && by_b == 0)
            ternary(to, a, b, c, [=](std::int64_t l, std::int64_t r, std::int64_t m) {
              return (m & top) != 0 ? l : r;
            });
          else
            ternary(to, a, b, c, [=](std::int64_t l, std::int64_t r, std::int64_t m) {
              return (m & top) != 0 ? shifted(l, by_a) : shifted(r, by_b);
            });
          wrap_row(to, x);
          break;
        }
        case opcode::multiply:
          binary(to, a, b, [=](std::int64_t l, std::int64_t r) {
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(l) *
                                             static_cast<std::uint64_t>(r));
          });
          break;
        case opcode::lookup:
          for (std::size_t s = 0; s < n; ++s) {
            const auto at = static_cast<std::uint64_t>(difference(a[s], data));
            if (at >= tables_[x.c].size()) return false;
            to[s] = tables_[x.c][at];
          }
          break;
        case opcode::bit_unary:
          if (data == 0 && x.is_signed)
            unary(to, a, [=](std::int64_t l) { return ~l; });
          else if (data == 0)
            unary(to, a, [=](std::int64_t l) {
              return static_cast<std::int64_t>(~static_cast<std::uint64_t>(l) & mask);
            });
          else if (data == 1)
            unary(to, a, [=](std::int64_t l) { return std::int64_t{l != 0}; });
          else
            unary(to, a, [=](std::int64_t l) {
              return std::int64_t{(static_cast<std::uint64_t>(l) & mask) == mask};
            });
          break;
        case opcode::bit_binary:
          switch (data >> 24) {
            case 0:
              binary(to, a, b,
                     [=](std::int64_t l, std::int64_t r) { return left(l, by_a) & left(r, by_b); });
              break;
            case 1:
              binary(to, a, b,
                     [=](std::int64_t l, std::int64_t r) { return left(l, by_a) | left(r, by_b); });
              break;
            default:
              binary(to, a, b,
                     [=](std::int64_t l, std::int64_t r) { return left(l, by_a) ^ left(r, by_b); });
          }
          break;
        case opcode::sum: add_terms(i, to); break;
      }
    }
    return true;
  }

  void add_terms(std::size_t i, std::int64_t* to) const {
    std::fill(to, to + lanes, 0);
    const std::int64_t fraction = program_.sum_fraction(i);
    for (const tessera::alir::term& t : terms(program_.model(), program_.op(i))) {
      const std::int64_t* const v = values_.data() + std::size_t{row_[index(t.id)]} * lanes;
      const auto by = static_cast<int>(program_.term_shift(fraction, t));
      for (std::size_t s = 0; s < lanes; ++s)
        to[s] = t.negative ? difference(to[s], left(v[s], by)) : sum(to[s], left(v[s], by));
    }
    shift_row(to, steps_[i].result_shift);
  }

  void write_outputs(std::span<double> out, std::size_t n, std::size_t n_out) const {
    const tessera::alir::model& m = program_.model();
    for (std::size_t j = 0; j < n_out; ++j) {
      const std::int32_t id = m.out_idxs[j];
      const std::int64_t* const v = values_.data() + (id < 0 ? 0 : index(row_[index(id)]) * lanes);
      const double scale = output_scales_[j];
      for (std::size_t s = 0; s < n; ++s)
        out[s * n_out + j] =
            id < 0 ? 0.0
                   : static_cast<double>(m.out_negs[j] != 0 ? difference(0, v[s]) : v[s]) * scale;
    }
  }

  const tessera::alir::program& program_;
  std::vector<std::uint32_t> row_;
  std::uint32_t row_count_ = 0;
  std::vector<step> steps_;
  std::vector<double> scales_, output_scales_;
  std::vector<std::span<const std::int32_t>> tables_;
  std::vector<std::int64_t> values_;
};

}  // namespace bench

#endif  // TESSERA_BENCH_BASELINE_INTERPRETER_HPP
