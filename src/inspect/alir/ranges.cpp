// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear_form.hpp"
#include "value_set.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using alir::opcode;

[[nodiscard]] std::int64_t nearest_integer(double v) noexcept {
  if (v >= 0x1p63) return INT64_MAX;
  if (v < -0x1p63) return INT64_MIN;
  return static_cast<std::int64_t>(std::round(v));
}

[[nodiscard]] vm::alir::range declared_integers(const alir::program& p, std::size_t i) noexcept {
  const alir::interval& q = p.op(i).qint;
  if (q.min == 0 && q.max == 0) return {};
  const vm::alir::range type = vm::alir::values_of(p.type(i));
  const vm::alir::range r{std::max(nearest_integer(q.min / q.step), type.low),
                          std::min(nearest_integer(q.max / q.step), type.high)};
  return r.low <= r.high ? r : type;
}

[[nodiscard]] bool same(const vm::alir::range& a, const vm::alir::range& b) noexcept {
  return a.low == b.low && a.high == b.high;
}
/// What is in both. Both hold all values, so nothing is in both only where there are none: no input
/// keeps its promise.
[[nodiscard]] vm::alir::range both(const vm::alir::range& a, const vm::alir::range& b) noexcept {
  const vm::alir::range r{std::max(a.low, b.low), std::min(a.high, b.high)};
  return r.low <= r.high ? r : a;
}

class range_pass {
 public:
  range_pass(const alir::program& p, alir_assumption assumed)
      : p_(p),
        m_(p.model()),
        assumed_(assumed),
        scans_(4 * (m_.table_data.size() + p.size())),
        work_(1024 * std::uint64_t{p.size()} + (1 << 14)),
        forms_(p, kept_) {}

  void run(std::vector<alir_range>& reach) {
    whole_tables_.reserve(m_.tables.size());
    for (const alir::lookup_table& t : m_.tables) {
      const auto list = entries(m_, t);
      const auto [low, high] = std::minmax_element(list.begin(), list.end());
      whole_tables_.push_back({*low, *high});
    }
    kept_.reserve(p_.size());
    reach.reserve(p_.size());
    for (std::size_t i = 0; i < p_.size(); ++i) {
      value_set x = value_of(i);
      if (assumed_ == alir_assumption::intervals) {
        limits_ = declared_integers(p_, i);
        forms_.find_dropped_bits(static_cast<std::int32_t>(i),
                                 [this](std::uint64_t n) { return spend(n); });
        if (x.wraps || !x.r.within(limits_)) x = refined(i, x);
      }
      reach.push_back({x.r.low, x.r.high, x.ends, x.wraps});
      if (assumed_ == alir_assumption::intervals) x = clipped(x, limits_);
      x.wraps = false;
      kept_.push_back(x);
    }
  }

 private:
  [[nodiscard]] const value_set& at(std::int64_t id) const noexcept {
    return kept_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] int width_of(std::int64_t id) const noexcept {
    return p_.type(static_cast<std::size_t>(id)).width();
  }

  [[nodiscard]] value_set value_of(std::size_t i) {
    const alir::operation& o = p_.op(i);
    const alir::alignment s = p_.shifts(i);
    switch (o.code) {
      case opcode::input: return input(i);
      case opcode::constant: return single(o.data);
      case opcode::negate: return negated(at(o.id0));
      case opcode::add:
      case opcode::subtract: return shifted(added(o, s), s.result);
      case opcode::add_constant:
        return shifted(add(shifted(at(o.id0), s.a), shifted(single(o.data), s.b)), s.result);
      case opcode::sum: return shifted(summed(i), s.result);
      case opcode::relu: return wrapped(shifted(not_negative(at(o.id0)), s.result), p_.type(i));
      case opcode::quantize: return wrapped(shifted(at(o.id0), s.result), p_.type(i));
      case opcode::mux: return chosen(i);
      case opcode::multiply:
        return o.id0 == o.id1 ? square(at(o.id0)) : multiply(at(o.id0), at(o.id1));
      case opcode::lookup: return looked_up(i);
      case opcode::bit_unary: return unary(i);
      case opcode::bit_binary: return binary(o, s);
    }
    return somewhere(vm::alir::anything, 0);
  }

  /// Every number of the type is one for some double, if it and the scale are such that doubles
  /// hold it.
  [[nodiscard]] value_set input(std::size_t i) const noexcept {
    const auto n = static_cast<std::size_t>(p_.op(i).id0);
    value_set x = single(0);
    x.r = assumed_ == alir_assumption::intervals ? declared_integers(p_, i)
                                                 : vm::alir::values_of(p_.type(i));
    if (x.is_single()) return single(x.r.low);
    const std::int64_t scale = std::int64_t{m_.inp_shifts[n]} + p_.type(i).f;
    x.ends = x.full = std::abs(scale) < 900 && vm::alir::fits(x.r, 54);
    x.inputs = std::uint64_t{1} << n % 64;
    return x;
  }

  [[nodiscard]] value_set added(const alir::operation& o, const alir::alignment& s) const noexcept {
    const bool minus = o.code == opcode::subtract;
    if (o.id0 == o.id1 && s.a < 62 && s.b < 62) {
      const std::int64_t a = std::int64_t{1} << s.a, b = std::int64_t{1} << s.b;
      return scaled(at(o.id0), minus ? a - b : a + b);
    }
    const value_set a = shifted(at(o.id0), s.a), b = shifted(at(o.id1), s.b);
    return minus ? subtract(a, b) : add(a, b);
  }

  [[nodiscard]] value_set summed(std::size_t i) const noexcept {
    value_set total = single(0);
    const std::int64_t common = p_.sum_fraction(i);
    for (const alir::term& t : terms(m_, p_.op(i))) {
      const value_set x = shifted(at(t.id), p_.term_shift(common, t));
      total = t.negative ? subtract(total, x) : add(total, x);
    }
    return total;
  }

  [[nodiscard]] value_set chosen(std::size_t i) const noexcept {
    const alir::operation& o = p_.op(i);
    const alir::alignment s = p_.shifts(i);
    const value_set a = wrapped(shifted(at(o.id0), s.a), p_.type(i));
    const value_set b = wrapped(shifted(at(o.id1), s.b), p_.type(i));
    const auto condition = static_cast<std::size_t>(o.data);
    const value_set& c = kept_[condition];
    const alir::fixed_type t = p_.type(condition);
    if (t.width() == 0) return b;
    // Where a value is outside its type the bit is that of another number.
    const bool in_type = c.r.within(vm::alir::values_of(t));
    const std::int64_t first_set = t.k ? 0 : std::int64_t{1} << (t.width() - 1);
    if (in_type && (t.k ? c.r.high < 0 : c.r.low >= first_set)) return a;
    if (in_type && (t.k ? c.r.low >= 0 : c.r.high < first_set)) return b;
    value_set x = either(a, b);
    x.inputs |= c.inputs;
    // Both ways are taken if the ends on both sides of the bit's change are.
    if (!in_type || !c.ends || !independent(a, c) || !independent(b, c)) x.ends = x.full = false;
    return x;
  }

  [[nodiscard]] value_set looked_up(std::size_t i) {
    const alir::operation& o = p_.op(i);
    const auto table = static_cast<std::size_t>(o.data);
    const auto list = entries(m_, m_.tables[table]);
    const auto last = static_cast<std::int64_t>(list.size()) - 1;
    const value_set operand = at(o.id0);
    const value_set index = clipped(subtract(operand, single(p_.base(i))), {0, last});
    const std::uint64_t steps = index.span() >> index.grid;
    if (steps > scans_) return somewhere(whole_tables_[table], index.inputs);
    scans_ -= steps;
    const std::int64_t step = std::int64_t{1} << std::min<unsigned>(index.grid, 32);
    vm::alir::range r{INT32_MAX, INT32_MIN};
    for (std::int64_t k = index.r.low; k <= index.r.high; k += step) {
      const std::int64_t v = list[static_cast<std::size_t>(k)];
      r = {std::min(r.low, v), std::max(r.high, v)};
    }
    value_set x = single(r.low);
    if (r.low == r.high) return x;
    x.r = r;
    x.ends = index.full;
    x.full = index.full && static_cast<std::uint64_t>(r.high - r.low) == 1;
    x.inputs = index.inputs;
    return x;
  }

  [[nodiscard]] value_set unary(std::size_t i) const noexcept {
    const alir::operation& o = p_.op(i);
    const value_set& x = at(o.id0);
    const int width = width_of(o.id0);
    const vm::alir::range bits{0, width == 64 ? -1 : vm::alir::signed_bits(width + 1).high};
    const auto what = static_cast<alir::unary_bits>(o.data);
    if (what == alir::unary_bits::invert) {
      if (p_.type(i).k || width == 64) return subtract(single(-1), x);
      if (x.r.within(bits)) return subtract(single(bits.high), x);
      if (x.r.high < 0 && x.r.low >= ~bits.high) return subtract(single(-1), x);
      return somewhere(bits, x.inputs);
    }
    // One of two numbers: whether the operand is 0, or not all ones.
    const bool any = what == alir::unary_bits::any;
    if (!any && width == 0) return single(1);
    const bool is_signed = p_.type(static_cast<std::size_t>(o.id0)).k;
    if (!any && !x.r.within(vm::alir::values_of(p_.type(static_cast<std::size_t>(o.id0)))))
      return somewhere({0, 1}, x.inputs);
    const std::int64_t special = any ? 0 : is_signed ? -1 : bits.high;
    const std::int64_t if_so = any ? 0 : 1;
    if (!x.holds(special)) return single(1 - if_so);
    if (x.is_constant()) return single(if_so);
    value_set out = somewhere({0, 1}, x.inputs);
    out.ends = out.full = x.full || (x.ends && (x.r.low == special || x.r.high == special));
    return out;
  }

  [[nodiscard]] value_set binary(const alir::operation& o,
                                 const alir::alignment& s) const noexcept {
    const auto what = static_cast<alir::binary_bits>(o.data >> 24);
    if (o.id0 == o.id1 && s.a == 0 && s.b == 0)
      return what == alir::binary_bits::exclusive ? single(0) : at(o.id0);
    return bitwise(what, shifted(at(o.id0), s.a), shifted(at(o.id1), s.b));
  }

  // What intervals alone don't show --------------------------------------------------------------

  /// An operation that seems to exceed its interval, by its operands' operands.
  [[nodiscard]] value_set refined(std::size_t i, const value_set& plain) {
    const opcode code = p_.op(i).code;
    if (code == opcode::mux) return refined_mux(i, plain);
    linear_form sum;
    if (code == opcode::relu || code == opcode::quantize ||
        !forms_.open(sum, static_cast<std::int32_t>(i), 1))
      return plain;
    const std::int64_t result = p_.shifts(i).result;
    vm::alir::range best = plain.r, now;
    bool wraps = plain.wraps;
    while ((wraps || !best.within(limits_)) && spend(sum.terms.size())) {
      const std::int32_t next = forms_.last(sum);
      if (next == linear_forms::none) break;
      if (!forms_.expand(sum, next))
        return wraps || same(best, plain.r) ? plain : somewhere(best, plain.inputs);
      if (!forms_.bounds(sum, now) ||
          (result > 0 && !vm::alir::fits(now, 64 - static_cast<int>(result))))
        continue;
      wraps = false;
      best = both(best, vm::alir::shifted(now, result));
    }
    if (wraps) return plain;
    const value_set x = shifted(forms_.values(sum), result);
    return same(x.r, best) && !x.wraps ? x : somewhere(best, plain.inputs);
  }

  [[nodiscard]] bool spend(std::uint64_t n) noexcept {
    const bool enough = work_ > n;
    work_ -= enough ? n + 1 : 0;
    return enough;
  }

  /// A mux of which one operand or both depend on the condition.
  [[nodiscard]] value_set refined_mux(std::size_t i, const value_set& plain) {
    const alir::operation& o = p_.op(i);
    const alir::alignment s = p_.shifts(i);
    const auto condition = static_cast<std::size_t>(o.data);
    const alir::fixed_type t = p_.type(condition);
    const vm::alir::range c = kept_[condition].r;
    if (t.width() == 0 || !c.within(vm::alir::values_of(t))) return plain;
    const std::int64_t first_set = t.k ? 0 : std::int64_t{1} << (t.width() - 1);
    const vm::alir::range set =
        t.k ? vm::alir::range{c.low, -1} : vm::alir::range{first_set, c.high};
    const vm::alir::range clear =
        t.k ? vm::alir::range{0, c.high} : vm::alir::range{c.low, first_set - 1};
    if (set.low > set.high || clear.low > clear.high) return plain;
    const value_set a = branch(o.id0, s.a, condition, set),
                    b = branch(o.id1, s.b, condition, clear);
    value_set x = either(wrapped(a, p_.type(i)), wrapped(b, p_.type(i)));
    if (!x.r.within(plain.r)) return plain;
    x.inputs |= plain.inputs;
    x.ends = x.full = false;
    return x;
  }

  /// The values of an operand, shifted, while the condition is within `given`.
  [[nodiscard]] value_set branch(std::int32_t operand, std::int64_t by, std::size_t condition,
                                 const vm::alir::range& given) {
    const value_set linear = linear_branch(operand, by, condition, given);
    const value_set again = shifted(evaluated_again(operand, condition, given), by);
    return again.r.within(linear.r) ? again : clipped(linear, again.r);
  }

  /// An operand that is computed from the condition by a few operations, of whatever kind: these
  /// once more.
  [[nodiscard]] value_set evaluated_again(std::int32_t operand, std::size_t condition,
                                          const vm::alir::range& given) {
    const auto first = static_cast<std::int32_t>(condition);
    if (operand < first) return at(operand);
    std::vector<std::int32_t> cone{operand};
    for (std::size_t k = 0; k < cone.size() && cone.size() <= max_cone; ++k) {
      const alir::operation& o = p_.op(static_cast<std::size_t>(cone[k]));
      if (cone[k] == first || o.code == opcode::input || o.code == opcode::sum) continue;
      for (const std::int64_t id : {std::int64_t{o.id0}, std::int64_t{o.id1},
                                    o.code == opcode::mux ? o.data : std::int64_t{-1}})
        if (id >= first && std::find(cone.begin(), cone.end(), id) == cone.end())
          cone.push_back(static_cast<std::int32_t>(id));
    }
    if (cone.size() > max_cone || !spend(cone.size() * 8)) return at(operand);
    std::sort(cone.begin(), cone.end());
    if (cone.front() != first) return at(operand);
    std::vector<value_set> before;
    for (const std::int32_t id : cone) {
      const auto x = static_cast<std::size_t>(id);
      before.push_back(kept_[x]);
      kept_[x] =
          id == first ? clipped(kept_[x], given) : clipped(value_of(x), declared_integers(p_, x));
      kept_[x].wraps = false;
      kept_[x].ends = kept_[x].full = false;
      kept_[x].inputs |= before.back().inputs;
    }
    const value_set out = at(operand);
    for (std::size_t k = 0; k < cone.size(); ++k)
      kept_[static_cast<std::size_t>(cone[k])] = before[k];
    return out;
  }

  [[nodiscard]] value_set linear_branch(std::int32_t operand, std::int64_t by,
                                        std::size_t condition, const vm::alir::range& given) {
    const value_set plain = shifted(at(operand), by);
    if (by < 0) return plain;
    linear_form value, c;
    if (by > 61 || !forms_.add(value, operand, std::int64_t{1} << by) ||
        !forms_.add(c, static_cast<std::int32_t>(condition), 1))
      return plain;
    vm::alir::range best = plain.r;
    for (int steps = 0; steps < max_branch_steps; ++steps) {
      if (!spend(4 * (value.terms.size() + c.terms.size()))) break;
      tighten(best, value, c, given);
      const std::int32_t next = std::max(forms_.last(value), forms_.last(c));
      if (next == linear_forms::none || !forms_.expand(value, next) || !forms_.expand(c, next))
        break;
    }
    return same(best, plain.r) ? plain : somewhere(best, plain.inputs);
  }

  /// value = p/q·c + rest, for multiples of c that take a term away.
  void tighten(vm::alir::range& best, const linear_form& value, const linear_form& c,
               const vm::alir::range& given) const {
    if (value.halved > 20 || c.halved > 20) return;
    int tries = 0;
    for (const linear_form::term& t : value.terms) {
      const auto at =
          std::lower_bound(c.terms.begin(), c.terms.end(), t.id,
                           [](const linear_form::term& x, std::int32_t id) { return x.id < id; });
      if (at == c.terms.end() || at->id != t.id) continue;
      if (++tries > 4) return;
      if (std::abs(t.by) >> 40 != 0 || std::abs(at->by) >> 40 != 0) continue;
      const std::int64_t common = std::gcd(t.by, at->by);
      const std::int64_t p = at->by < 0 ? -t.by / common : t.by / common;
      const std::int64_t q = std::abs(at->by / common);
      linear_form rest;
      if (!forms_.add_scaled(rest, value, q) || !forms_.add_scaled(rest, c, -p)) continue;
      vm::alir::range r, now;
      if (!forms_.bounds(rest, r)) continue;
      const std::int64_t by_c = p * (std::int64_t{1} << c.halved);
      const vm::alir::range of_c = vm::alir::multiply(given, {by_c, by_c});
      now = vm::alir::add(r, of_c);
      if (same(of_c, vm::alir::anything) || same(now, vm::alir::anything)) continue;
      const std::int64_t of_value = q * (std::int64_t{1} << value.halved);
      now = {ceiling(now.low, of_value), floor(now.high, of_value)};
      if (now.low <= best.high && now.high >= best.low) best = both(best, now);
    }
  }
  [[nodiscard]] static std::int64_t floor(std::int64_t a, std::int64_t b) noexcept {
    return a / b - (a % b < 0 ? 1 : 0);
  }
  [[nodiscard]] static std::int64_t ceiling(std::int64_t a, std::int64_t b) noexcept {
    return a / b + (a % b > 0 ? 1 : 0);
  }

  static constexpr int max_branch_steps = 32;
  static constexpr std::size_t max_cone = 8;

  const alir::program& p_;
  const alir::model& m_;
  alir_assumption assumed_;
  std::uint64_t scans_;  ///< table entries that may still be looked at one by one
  std::uint64_t work_;   ///< terms of linear forms that may still be looked at
  vm::alir::range limits_;
  std::vector<value_set> kept_;
  linear_forms forms_;
  std::vector<vm::alir::range> whole_tables_;
};

}  // namespace

alir_range declared_range(const alir::program& p, std::size_t i) noexcept {
  const vm::alir::range r = declared_integers(p, i);
  return {r.low, r.high, false, false};
}

alir_ranges::alir_ranges(const alir::program& p, alir_assumption assumed) : program_(&p) {
  range_pass(p, assumed).run(reach_);
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
