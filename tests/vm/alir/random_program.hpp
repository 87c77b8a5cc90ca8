// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Random ALIR models that alir::verify accepts, and inputs that look for trouble.
//
//   random_program::options how{.seed = 7, .max_ops = 200};
//   tessera::alir::model m = random_program::make(how);
//   std::vector<double> in = random_program::inputs(m, 7, 64);  // [64][n_inputs]
//
// The same options give the same model on every platform. Operations are proposed at random and
// kept when their shifts are legal, so that every rule of the format is met at its edges: shifts by
// 63, widths 0 and 64, intervals that are wider or narrower than the values, operations that
// nothing reads, operands that are used twice.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: vectors.

#ifndef TESSERA_TESTS_ALIR_RANDOM_PROGRAM_HPP
#define TESSERA_TESTS_ALIR_RANDOM_PROGRAM_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <tessera/alir/format.hpp>
#include <utility>
#include <vector>

#include "naive.hpp"

namespace random_program {

/// What the operations are drawn from. `dense` is mostly adders, `mixed` every opcode alike.
enum class mix { dense, mixed };

struct options {
  std::uint64_t seed = 0;
  mix density = mix::mixed;
  std::int64_t max_ops = 40;  ///< fewer are likelier
  bool may_trap = false;      ///< whether a lookup may leave its table
  bool sums = true;           ///< whether opcode 11 and relative shifts of opcode 3 may occur
};

/// SplitMix64.
class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed * 2 + 1) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// low <= result <= high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t offset = count == 0 ? bits() : bits() % count;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }
  int small(int low, int high) { return static_cast<int>(between(low, high)); }
  bool chance(int percent) { return between(0, 99) < percent; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }
  /// An integer of any magnitude, both signs.
  std::int64_t any_integer() {
    const auto v = static_cast<std::int64_t>(bits() >> between(0, 63));
    return chance(50) ? v : naive::to_signed(0 - naive::to_unsigned(v));
  }

 private:
  std::uint64_t state_;
};

class builder {
 public:
  explicit builder(const options& how) : how_(how), draw_(how.seed) {
    model_.spec_version = 4;
    max_width_ = draw_.one_of({4, 8, 12, 14, 20, 30, 32, 33, 48, 64});
    spread_ = draw_.one_of({0, 1, 3, 3, 6, 12, 63});
    honest_ = how.density == mix::dense ? draw_.chance(80) : draw_.chance(40);
  }

  tessera::alir::model finish() {
    model_.n_inputs = draw_.chance(5) ? 0 : draw_.small(1, 6);
    for (std::int64_t j = 0; j < model_.n_inputs; ++j) {
      const int far = draw_.one_of({0, 0, 0, 2, 2, 70});
      model_.inp_shifts.push_back(draw_.chance(1) ? extreme_shift() : draw_.small(-far, far));
    }
    const std::int64_t bound = draw_.chance(75) ? how_.max_ops / 4 : how_.max_ops;
    const std::int64_t count = draw_.chance(3) ? 0 : draw_.between(0, bound);
    while (static_cast<std::int64_t>(model_.ops.size()) < count) add_operation();
    add_outputs();
    return std::move(model_);
  }

 private:
  using opcode = tessera::alir::opcode;
  using operation = tessera::alir::operation;
  using interval = tessera::alir::interval;

  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(model_.ops.size()); }
  [[nodiscard]] const operation& at(std::int64_t id) const {
    return model_.ops[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] naive::type type_at(std::int64_t id) const { return naive::type_for(at(id).qint); }

  /// An earlier operation: a recent one, any one, or the same again.
  std::int32_t operand() {
    const int way = draw_.small(0, 9);
    if (way == 0 && last_ >= 0) return last_;
    const std::int32_t window = way < 7 && count() > 16 ? 16 : count();
    return last_ = count() - 1 - draw_.small(0, window - 1);
  }

  /// A shift that is applied to a double, which every int32 may be.
  std::int32_t extreme_shift() {
    using limit = std::numeric_limits<std::int32_t>;
    return draw_.one_of(
        {limit::min(), -5000, -1100, -1050, -1000, 900, 1000, 1023, 1100, 5000, limit::max()});
  }

  int near(int f) { return f + draw_.small(-spread_, spread_); }

  /// An interval with the given fraction bits (other ones when it comes out as [0, 0]).
  interval any_interval(int f) {
    if (f < -100 || f > 100) f = 0;
    const double step = std::ldexp(1.0, -f);
    for (;;) {
      const bool k = draw_.chance(60);
      const int width = draw_.chance(15) ? draw_.small(0, 64) : draw_.small(0, max_width_);
      const int bits = width - (k ? 1 : 0);  // of the magnitude
      if (bits < 0) continue;
      const double half = std::ldexp(1.0, bits);
      const double part = static_cast<double>(draw_.bits() >> 11) * 0x1p-53;
      double low = k ? -half : 0, high = half - 1;
      switch (draw_.small(0, 15)) {
        case 0: low = std::floor(low * part); break;
        case 1: high = std::floor(high * part); break;
        case 2: low = std::floor(high * part); break;  // no zero inside
        case 3: high = k ? -std::floor(half * part) : high; break;
        case 4: low = high; break;
        case 5: high += 0.5; break;  // not on the grid of the step
        case 6: low += 0.25; break;
        case 7: low = high = draw_.chance(50) ? 0.0 : -0.0; break;
        default: break;  // all of the type
      }
      const interval q{low * step, high * step, step};
      if (acceptable(q)) return q;
    }
  }

  [[nodiscard]] static bool acceptable(const interval& q) {
    if (!(q.min <= q.max)) return false;
    if (!(q.step >= 0x1p-126 && q.step <= 0x1p127)) return false;
    if (!(q.min / q.step >= -0x1p63 && q.max / q.step < 0x1p63)) return false;
    const naive::type t = naive::type_for(q);
    return t.width() <= 63 + t.k;
  }

  /// [low, high] of operation `id` times 2^shift, in units of 1.
  [[nodiscard]] interval scaled_range(std::int64_t id, int shift) const {
    const interval& q = at(id).qint;
    return {std::ldexp(q.min, shift), std::ldexp(q.max, shift), std::ldexp(q.step, shift)};
  }
  [[nodiscard]] static interval sum_of(const interval& a, const interval& b, bool minus) {
    const double step = a.step < b.step ? a.step : b.step;
    if (minus) return {a.min - b.max, a.max - b.min, step};
    return {a.min + b.min, a.max + b.max, step};
  }

  /// Gives the operation the interval that its operands imply, or a random one around the fraction
  /// bits that it would have.
  void set_interval(operation& op, int natural_f, interval implied) {
    if (honest_ && draw_.chance(95) && acceptable(implied) &&
        naive::type_for(implied).width() <= max_width_ + 4) {
      op.qint = implied;
      return;
    }
    op.qint = any_interval(draw_.chance(60) ? natural_f : near(natural_f));
  }

  [[nodiscard]] static bool shifts_by(int s) { return s >= -63 && s <= 63; }

  /// Whether every shift that the operation applies is at most 63 bits.
  [[nodiscard]] bool legal(const operation& op) const {
    const naive::type own = naive::type_for(op.qint);
    switch (op.code) {
      case opcode::add:
      case opcode::subtract: {
        const int fa = type_at(op.id0).f, fb = type_at(op.id1).f - static_cast<int>(op.data);
        return shifts_by(fa - fb) && shifts_by((fa > fb ? fa : fb) - own.f);
      }
      case opcode::bit_binary: return shifts_by(type_at(op.id0).f - type_at(op.id1).f + op.shift);
      case opcode::relu:
      case opcode::quantize: return shifts_by(type_at(op.id0).f - op.shift - own.f);
      case opcode::add_constant: {
        const int fx = type_at(op.id0).f;
        const int finest = fx > op.shift ? fx : op.shift;
        return shifts_by(fx - op.shift) && shifts_by(finest - own.f);
      }
      case opcode::mux: {
        const int a = own.f - type_at(op.id0).f, b = own.f - type_at(op.id1).f + op.shift;
        return (a == 0 || b == 0) && shifts_by(a) && shifts_by(b);
      }
      case opcode::sum: {
        int finest = std::numeric_limits<int>::min(), coarsest = std::numeric_limits<int>::max();
        for (const tessera::alir::term& t : tessera::alir::terms(model_, op)) {
          const int f = type_at(t.id).f - t.shift;
          finest = f > finest ? f : finest;
          coarsest = f < coarsest ? f : coarsest;
        }
        return shifts_by(finest - coarsest) && shifts_by(finest - own.f);
      }
      default: return true;
    }
  }

  void add_operation() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      const opcode code = pick_opcode();
      if (code == opcode::lookup) return add_lookup();
      const std::size_t terms = model_.terms.size();
      const operation op = propose(code);
      if (legal(op)) return model_.ops.push_back(op);
      model_.terms.resize(terms);
    }
    model_.ops.push_back(propose(opcode::constant));
  }

  opcode pick_opcode() {
    const bool can_read = model_.n_inputs > 0;
    if (count() == 0) return can_read ? opcode::input : opcode::constant;
    const opcode code = how_.density == mix::dense ? dense_opcode() : mixed_opcode();
    if (code == opcode::input && !can_read) return opcode::constant;
    if (code == opcode::sum && !how_.sums) return opcode::add;
    return code;
  }
  opcode dense_opcode() {
    const int way = draw_.small(0, 99);
    if (way < 12) return opcode::input;
    if (way < 42) return opcode::add;
    if (way < 68) return opcode::subtract;
    if (way < 73) return opcode::negate;
    if (way < 79) return opcode::add_constant;
    if (way < 85) return opcode::sum;
    if (way < 90) return opcode::quantize;
    if (way < 96) return opcode::relu;
    return way < 98 ? opcode::mux : opcode::constant;
  }
  opcode mixed_opcode() {
    return tessera::alir::opcode_table[draw_.between(0, std::size(tessera::alir::opcode_table) - 1)]
        .code;
  }

  operation propose(opcode code) {
    operation op;
    op.code = code;
    switch (code) {
      case opcode::input:
        op.id0 = draw_.small(0, static_cast<int>(model_.n_inputs) - 1);
        op.qint = any_interval(near(0));
        break;
      case opcode::negate: {
        op.id0 = operand();
        const interval q = at(op.id0).qint;
        set_interval(op, type_at(op.id0).f, {-q.max, -q.min, q.step});
        break;
      }
      case opcode::add:
      case opcode::subtract: {
        op.id0 = operand(), op.id1 = operand();
        const int fa = type_at(op.id0).f, difference = fa - type_at(op.id1).f;
        const int shift = draw_.chance(2) ? edge_shift(difference) : near(0);
        const int fb = type_at(op.id1).f - shift;
        op.data = shift;
        set_interval(
            op, fa > fb ? fa : fb,
            sum_of(scaled_range(op.id0, 0), scaled_range(op.id1, shift), code == opcode::subtract));
        break;
      }
      case opcode::relu:
      case opcode::quantize: {
        op.id0 = operand();
        if (code == opcode::quantize && how_.sums && draw_.chance(50)) op.shift = near(0);
        const int fx = type_at(op.id0).f - op.shift;
        op.qint = any_interval(draw_.chance(2) ? fx + draw_.one_of({-63, 63}) : near(fx));
        break;
      }
      case opcode::add_constant: {
        op.id0 = operand();
        op.data = draw_.chance(70) ? draw_.between(-1000, 1000) : draw_.any_integer();
        op.shift = near(type_at(op.id0).f);
        if (!how_.sums) op.data = static_cast<std::int32_t>(op.data);
        const int fx = type_at(op.id0).f;
        const double c = std::ldexp(static_cast<double>(op.data), -op.shift);
        set_interval(op, fx > op.shift ? fx : op.shift,
                     sum_of(scaled_range(op.id0, 0), {c, c, std::ldexp(1.0, -op.shift)}, false));
        break;
      }
      case opcode::constant: {
        op.data = draw_.chance(70) ? draw_.between(-1000, 1000) : draw_.any_integer();
        const int f = near(0);
        const double c = std::ldexp(static_cast<double>(op.data), -f);
        set_interval(op, f, {c, c, std::ldexp(1.0, -f)});
        break;
      }
      case opcode::mux: {
        op.id0 = operand(), op.id1 = operand(), op.data = operand();
        const int fa = type_at(op.id0).f, fb = type_at(op.id1).f;
        const bool first_stays = draw_.chance(50);
        op.shift = near(draw_.chance(50) ? fb - fa : 0);
        op.qint = any_interval(first_stays ? fa : fb - op.shift);
        break;
      }
      case opcode::multiply: {
        op.id0 = operand(), op.id1 = operand();
        const interval a = at(op.id0).qint, b = at(op.id1).qint;
        const double w = a.min * b.min, x = a.min * b.max, y = a.max * b.min, z = a.max * b.max;
        set_interval(op, type_at(op.id0).f + type_at(op.id1).f,
                     {std::fmin(std::fmin(w, x), std::fmin(y, z)),
                      std::fmax(std::fmax(w, x), std::fmax(y, z)), a.step * b.step});
        break;
      }
      case opcode::bit_unary:
        op.id0 = operand();
        op.data = draw_.small(0, 2);
        if (op.data == 0)
          set_interval(op, type_at(op.id0).f, at(op.id0).qint);
        else
          set_interval(op, 0, {0, 1, 1});
        break;
      case opcode::bit_binary: {
        op.id0 = operand(), op.id1 = operand();
        op.data = draw_.between(0, 2) << 24;
        op.shift = near(0);
        if (draw_.chance(2)) op.shift = edge_shift(type_at(op.id0).f - type_at(op.id1).f);
        const int fa = type_at(op.id0).f, fb = type_at(op.id1).f - op.shift;
        op.qint = any_interval(fa > fb ? fa : fb);
        break;
      }
      case opcode::sum: {
        op.id0 = static_cast<std::int32_t>(model_.terms.size());
        op.id1 = draw_.small(2, draw_.chance(10) ? 40 : 6);
        interval range;
        int finest = std::numeric_limits<int>::min();
        for (std::int32_t j = 0; j < op.id1; ++j) {
          const tessera::alir::term t{operand(), near(0), draw_.chance(40)};
          model_.terms.push_back(t);
          const interval x = scaled_range(t.id, t.shift);
          range = j == 0 ? sum_of({0, 0, x.step}, x, t.negative) : sum_of(range, x, t.negative);
          const int f = type_at(t.id).f - t.shift;
          finest = f > finest ? f : finest;
        }
        set_interval(op, finest, range);
        break;
      }
      case opcode::lookup: break;  // see add_lookup
    }
    return op;
  }

  /// The `data` of an add whose operands differ by `d` fraction bits and that aligns by ±63.
  int edge_shift(int d) { return draw_.one_of({-63, 63}) - d; }

  /// A lookup of an operation that stays inside its type, with an entry for each code of the type.
  /// When traps are welcome, there may be fewer entries, or the operation may leave its type.
  void add_lookup() {
    operation op;
    op.code = opcode::lookup;
    op.id0 = how_.may_trap && draw_.chance(10) ? operand() : add_small();
    op.qint = any_interval(near(0));
    const naive::type x = type_at(op.id0);
    if (x.width() > 12) return model_.ops.push_back(propose(opcode::constant));
    std::uint64_t entries = std::uint64_t{1} << x.width();
    if (how_.may_trap && draw_.chance(20)) entries -= draw_.bits() % entries;
    op.data = table_of(entries);
    model_.ops.push_back(op);
  }

  /// Adds an operation whose value is always a code of its interval, which has at most 128.
  std::int32_t add_small() {
    operation op = propose(draw_.chance(80) ? opcode::quantize : opcode::bit_unary);
    if (op.code == opcode::bit_unary) {
      op.data = draw_.small(1, 2);
      op.qint = {0, 1, 1};
    } else {
      const double step = type_at(op.id0).width() == 0 ? 1.0 : at(op.id0).qint.step;
      const double half = std::ldexp(1.0, draw_.small(0, 6));
      op.qint = {draw_.chance(50) ? -half * step : 0.0, (half - 1) * step, step};
      op.shift = 0;
      // Values below the interval's least code are what its table has no entries for.
      if (how_.may_trap && draw_.chance(15)) op.qint.min = op.qint.max;
      if (!acceptable(op.qint) || !legal(op))
        op = propose(opcode::constant), op.qint = {0, 0, 1}, op.data = 0;
    }
    model_.ops.push_back(op);
    return count() - 1;
  }

  /// A table with at least so many entries: one that is there, or a new one.
  std::int64_t table_of(std::uint64_t entries) {
    if (!model_.tables.empty() && draw_.chance(40)) {
      const auto index = draw_.between(0, static_cast<std::int64_t>(model_.tables.size()) - 1);
      if (model_.tables[static_cast<std::size_t>(index)].count >= entries) return index;
    }
    tessera::alir::lookup_table table;
    table.first = model_.table_data.size();
    table.count = entries + (draw_.chance(20) ? draw_.bits() % 5 : 0);
    const int width = draw_.one_of({1, 4, 8, 12, 16, 31});
    for (std::uint64_t j = 0; j < table.count; ++j)
      model_.table_data.push_back(
          static_cast<std::int32_t>(naive::scaled(draw_.any_integer(), width - 63)));
    model_.tables.push_back(std::move(table));
    return static_cast<std::int64_t>(model_.tables.size()) - 1;
  }

  void add_outputs() {
    model_.n_outputs = draw_.chance(5) ? 0 : draw_.small(1, 8);
    for (std::int64_t j = 0; j < model_.n_outputs; ++j) {
      const bool none = count() == 0 || draw_.chance(5);
      model_.out_idxs.push_back(none               ? -1
                                : draw_.chance(60) ? operand()
                                                   : draw_.small(0, count() - 1));
      model_.out_shifts.push_back(draw_.chance(5) ? extreme_shift() : draw_.small(-12, 12));
      model_.out_negs.push_back(draw_.chance(30) ? 1 : 0);
    }
  }

  options how_;
  generator draw_;
  tessera::alir::model model_;
  int max_width_, spread_;
  bool honest_;
  std::int32_t last_ = -1;
};

/// A model that verifies.
[[nodiscard]] inline tessera::alir::model make(const options& how) { return builder(how).finish(); }

/// Inputs [samples][n_inputs]: codes in and around the types that read them, and what no type
/// holds.
[[nodiscard]] inline std::vector<double> inputs(const tessera::alir::model& m, std::uint64_t seed,
                                                std::uint64_t samples) {
  using limit = std::numeric_limits<double>;
  generator draw(seed ^ 0x5eed);
  std::vector<naive::type> types(static_cast<std::size_t>(m.n_inputs));
  for (const tessera::alir::operation& op : m.ops)
    if (op.code == tessera::alir::opcode::input && (draw.chance(50)))
      types[static_cast<std::size_t>(op.id0)] = naive::type_for(op.qint);
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(samples) * types.size());
  for (std::uint64_t s = 0; s < samples; ++s)
    for (std::size_t j = 0; j < types.size(); ++j) {
      const std::int64_t exponent = -types[j].f - std::int64_t{m.inp_shifts[j]};
      const int width = types[j].width();
      double code = 0;
      switch (draw.small(0, 9)) {
        case 0:
          out.push_back(draw.one_of({limit::quiet_NaN(), limit::infinity(), -limit::infinity(),
                                     1e300, -1e300, limit::denorm_min(), -limit::denorm_min(), -0.0,
                                     0.0, 0x1p63, -0x1p63, 0x1p64, 0x1.fffffffffffffp62, 1e19,
                                     -1e19, limit::max(), limit::lowest(), 0x1p-1022}));
          continue;
        case 1: code = std::ldexp(draw.one_of({-1.0, 1.0}), width - draw.small(0, 1)); break;
        case 2: code = std::ldexp(draw.one_of({-1.0, 1.0}), width - 1) - 1; break;
        case 3: code = std::ldexp(draw.one_of({-1.0, 1.0}), draw.small(61, 64)); break;
        case 4: code = static_cast<double>(draw.any_integer()); break;
        default: code = std::ldexp(static_cast<double>(draw.any_integer()), width - 64); break;
      }
      if (draw.chance(30)) code += draw.one_of({-0.5, 0.25, 0.5, 0.999});
      out.push_back(naive::times_power_of_two(code, exponent));
    }
  return out;
}

/// Gives the operations latencies that add up: each takes 0 to 3 steps of 1/8 longer than its operands.
inline void set_latencies(tessera::alir::model& m, std::uint64_t seed) {
  generator draw(seed);
  for (tessera::alir::operation& op : m.ops) {
    double latest = 0;
    const auto see = [&](std::int64_t x) {
      if (x >= 0) latest = std::fmax(latest, m.ops[static_cast<std::size_t>(x)].latency);
    };
    using tessera::alir::opcode;
    if (op.code == opcode::sum) {
      for (const tessera::alir::term& t : tessera::alir::terms(m, op)) see(t.id);
    } else if (op.code != opcode::input) {
      see(op.id0), see(op.id1);
      if (op.code == opcode::mux) see(op.data);
    }
    const bool is_source = op.code == opcode::input || op.code == opcode::constant;
    op.latency = is_source ? 0.0 : latest + draw.small(0, 3) / 8.0;
  }
}

}  // namespace random_program

#endif  // TESSERA_TESTS_ALIR_RANDOM_PROGRAM_HPP
