// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "linear_form.hpp"

#include <algorithm>
#include <bit>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using alir::opcode;

/// by · 2^left, if that fits.
[[nodiscard]] bool times(std::int64_t by, std::int64_t left, std::int64_t& out) noexcept {
  return left < 62 && !__builtin_mul_overflow(by, std::int64_t{1} << left, &out);
}

/// Where the term of an operation is, or goes.
[[nodiscard]] auto term_of(std::int32_t id, linear_form& in) {
  return std::lower_bound(in.terms.begin(), in.terms.end(), id,
                          [](const linear_form::term& t, std::int32_t x) { return t.id < x; });
}

}  // namespace

bool linear_forms::add(linear_form& to, std::int32_t id, std::int64_t by) const {
  if (by == 0) return true;
  const auto at = term_of(id, to);
  if (at == to.terms.end() || at->id != id) {
    if (to.terms.size() == max_terms) return false;
    to.terms.insert(at, {id, by});
    return true;
  }
  if (__builtin_add_overflow(at->by, by, &at->by)) return false;
  if (at->by == 0) to.terms.erase(at);
  return true;
}

bool linear_forms::add_scaled(linear_form& to, const linear_form& form, std::int64_t by) const {
  std::int64_t scaled = 0;
  if (__builtin_mul_overflow(form.constant, by, &scaled) ||
      __builtin_add_overflow(to.constant, scaled, &to.constant))
    return false;
  for (const linear_form::term& t : form.terms)
    if (__builtin_mul_overflow(t.by, by, &scaled) || !add(to, t.id, scaled)) return false;
  return true;
}

bool linear_forms::open(linear_form& to, std::int32_t i, std::int64_t by) const {
  const auto index = static_cast<std::size_t>(i);
  const alir::operation& o = p_.op(index);
  const alir::alignment s = p_.shifts(index);
  const auto term = [&](std::int32_t id, std::int64_t left, bool minus) {
    std::int64_t scaled = 0;
    return times(by, left, scaled) && scaled != INT64_MIN && add(to, id, minus ? -scaled : scaled);
  };
  const auto number = [&](std::int64_t v, std::int64_t left) {
    std::int64_t scaled = 0;
    return times(by, left, scaled) && !__builtin_mul_overflow(scaled, v, &scaled) &&
           !__builtin_add_overflow(to.constant, scaled, &to.constant);
  };
  switch (o.code) {
    case opcode::constant: return number(o.data, 0);
    case opcode::negate: return term(o.id0, 0, true);
    case opcode::add:
    case opcode::subtract:
      return term(o.id0, s.a, false) && term(o.id1, s.b, o.code == opcode::subtract);
    case opcode::add_constant: return term(o.id0, s.a, false) && number(o.data, s.b);
    case opcode::sum: {
      const std::int64_t common = p_.sum_fraction(index);
      const auto list = terms(p_.model(), o);
      return list.size() <= max_terms &&
             std::all_of(list.begin(), list.end(), [&](const alir::term& t) {
               return term(t.id, p_.term_shift(common, t), t.negative);
             });
    }
    case opcode::quantize:
    case opcode::relu: return term(o.id0, 0, false);
    case opcode::input:
    case opcode::mux:
    case opcode::multiply:
    case opcode::lookup:
    case opcode::bit_unary:
    case opcode::bit_binary: break;
  }
  return false;
}

bool linear_forms::is_exact_sum(std::int32_t id) const noexcept {
  const auto i = static_cast<std::size_t>(id);
  const alir::operation& o = p_.op(i);
  const std::int64_t result = p_.shifts(i).result;
  switch (o.code) {
    case opcode::constant:
    case opcode::negate: return true;
    case opcode::add:
    case opcode::subtract:
    case opcode::add_constant:
    case opcode::sum: return result >= 0 || drops_only_zeros_[i];
    case opcode::quantize:
    case opcode::relu: {  // where they change nothing but the scale
      const value_set& x = values_[static_cast<std::size_t>(o.id0)];
      return result >= 0 && (o.code == opcode::quantize || x.r.low >= 0) &&
             shifted(x, result).r.within(vm::alir::values_of(p_.type(i)));
    }
    case opcode::input:
    case opcode::mux:
    case opcode::multiply:
    case opcode::lookup:
    case opcode::bit_unary:
    case opcode::bit_binary: break;
  }
  return false;
}

std::int32_t linear_forms::last(const linear_form& of) const noexcept {
  for (std::size_t k = of.terms.size(); k-- > 0;)
    if (is_exact_sum(of.terms[k].id)) return of.terms[k].id;
  return none;
}

bool linear_forms::expand(linear_form& in, std::int32_t id) const {
  const auto at = term_of(id, in);
  if (at == in.terms.end() || at->id != id) return true;
  const std::int64_t result = p_.shifts(static_cast<std::size_t>(id)).result;
  std::int64_t by = at->by;
  in.terms.erase(at);
  if (result >= 0) return times(by, result, by) && open(in, id, by);
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(by));
  if (const auto missing = static_cast<int>(-result) - zeros; missing > 0) {
    if (!times(by, missing, by) || !double_all(in, missing)) return false;
  }
  return open(in, id, by >> -result);
}

bool linear_forms::double_all(linear_form& in, int power) noexcept {
  constexpr int most = 40;  // far more than any file needs, and possible shifts
  in.halved += power;
  if (in.halved > most) return false;
  bool fits = times(in.constant, power, in.constant);
  for (linear_form::term& t : in.terms) fits = fits && times(t.by, power, t.by);
  return fits;
}

bool linear_forms::is_multiple(const linear_form& of, int power) const noexcept {
  if (power + of.halved > 60) return false;
  const std::uint64_t mask = (std::uint64_t{1} << (power + of.halved)) - 1;
  std::uint64_t rest = static_cast<std::uint64_t>(of.constant);
  for (const linear_form::term& t : of.terms) {
    const value_set& x = values_[static_cast<std::size_t>(t.id)];
    const auto by = static_cast<std::uint64_t>(t.by);
    if (!x.is_single() && ((by << x.grid) & mask) != 0) return false;
    rest += by * static_cast<std::uint64_t>(x.r.low);
  }
  return (rest & mask) == 0;
}

value_set linear_forms::values(const linear_form& of) const noexcept {
  value_set total = single(of.constant);
  for (const linear_form::term& t : of.terms)
    total = inspect::add(total, scaled(values_[static_cast<std::size_t>(t.id)], t.by));
  return shifted(total, -of.halved);
}

bool linear_forms::bounds(const linear_form& of, vm::alir::range& out) const noexcept {
  std::int64_t low = of.constant, high = of.constant;
  for (const linear_form::term& t : of.terms) {
    const vm::alir::range& r = values_[static_cast<std::size_t>(t.id)].r;
    std::int64_t a = 0, b = 0;
    if (__builtin_mul_overflow(r.low, t.by, &a) || __builtin_mul_overflow(r.high, t.by, &b))
      return false;
    if (__builtin_add_overflow(low, std::min(a, b), &low) ||
        __builtin_add_overflow(high, std::max(a, b), &high))
      return false;
  }
  // Ends that aren't values are rounded inwards.
  const std::int64_t rest = (std::int64_t{1} << of.halved) - 1;
  if (__builtin_add_overflow(low, rest, &low)) return false;
  out = {low >> of.halved, high >> of.halved};
  return true;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
