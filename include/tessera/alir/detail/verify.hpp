// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of alir/verify.hpp.

#ifndef TESSERA_ALIR_DETAIL_VERIFY_HPP
#define TESSERA_ALIR_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

TESSERA_INLINE alir::model program::release() && noexcept {
  model_.source = {};
  return std::move(model_);
}

TESSERA_INLINE std::int64_t program::base(std::size_t i) const noexcept {
  const auto x = static_cast<std::size_t>(op(i).id0);
  return table_base(op(x).qint, type(x));
}

TESSERA_INLINE std::int64_t program::common_fraction(const alir::model& m, const types& t,
                                                     const operation& sum) noexcept {
  std::int64_t most = INT64_MIN;
  for (const term& x : terms(m, sum))
    if (fraction(t, x) > most) most = fraction(t, x);
  return most;
}

TESSERA_INLINE alignment program::align(const alir::model& m, const types& t,
                                        std::size_t i) noexcept {
  const operation& o = m.ops[i];
  const auto f_of = [&t](std::int64_t id) -> std::int64_t {
    return t[static_cast<std::size_t>(id)].f;
  };
  // Brings b·2^s to the finer of the two grids, then to the result's.
  const auto meet = [](std::int64_t f_a, std::int64_t f_b) -> alignment {
    const std::int64_t apart = f_a - f_b;
    return {apart < 0 ? -apart : 0, apart > 0 ? apart : 0, apart < 0 ? f_b : f_a};
  };
  const std::int64_t f = t[i].f;
  alignment s;
  switch (o.code) {
    case opcode::add:
    case opcode::subtract:
      s = meet(f_of(o.id0), f_of(o.id1) - o.data);
      s.result = f - s.result;
      break;
    case opcode::add_constant:
      s = meet(f_of(o.id0), o.shift);
      s.result = f - s.result;
      break;
    case opcode::bit_binary:
      s = meet(f_of(o.id0), f_of(o.id1) - o.shift);
      s.result = 0;
      break;
    case opcode::relu: s.result = f - f_of(o.id0); break;
    case opcode::quantize: s.result = f - f_of(o.id0) + o.shift; break;
    case opcode::mux: s = {f - f_of(o.id0), f - f_of(o.id1) + o.shift, 0}; break;
    case opcode::sum: s.result = f - common_fraction(m, t, o); break;
    case opcode::negate:
    case opcode::input:
    case opcode::constant:
    case opcode::multiply:
    case opcode::lookup:
    case opcode::bit_unary: break;
  }
  return s;
}

}  // namespace alir
namespace alir::detail {

/// Whether verify() accepts an interval.
[[nodiscard]] inline errc check_interval(const interval& q) noexcept {
  if (!is_finite(q.min) || !is_finite(q.max) || !(q.min <= q.max)) return errc::alir_interval;
  if (q.min == 0.0 && q.max == 0.0) return errc::ok;
  if (!is_step(q.step)) return errc::alir_step;
  const fixed_type t = type_of(q);
  if (q.min / q.step < -9223372036854775808.0) return errc::alir_width;
  // 2^63 codes and more: the float rule of type_of would hide the bit that is missing.
  if (!t.k && q.max / q.step >= 9223372036854775808.0) return errc::alir_width;
  return t.width() > (t.k ? 64 : 63) ? errc::alir_width : errc::ok;
}

/// An error about operation `index`; `distance` of its place in the source is added.
template <class Distance>
[[nodiscard]] error error_at(const model& m, errc code, std::size_t index, Distance distance) {
  if (index >= m.source.ops.size()) return {code, index, error_index::operation};
  const source_map::place& p = m.source.ops[index];
  return {code, p.start + distance(p)};
}

[[nodiscard]] inline error error_at(const model& m, errc code, std::size_t index) {
  return error_at(m, code, index, [](const source_map::place&) { return std::uint64_t{0}; });
}

[[nodiscard]] inline error error_at_table(const model& m, errc code, std::size_t index) {
  if (index >= m.source.tables.size()) return {code, index, error_index::table};
  return {code, m.source.tables[index]};
}

/// One about a list as a whole. No list is at the start of a source.
[[nodiscard]] inline error error_at_list(errc code, std::uint64_t offset) {
  return {code, offset, offset == 0 ? error_index::whole : error_index::none};
}

/// Whether a table's entries lie within model::table_data, behind those of the table before. That
/// none is shared bounds the size of what is written.
[[nodiscard]] inline bool holds_entries(const model& m, std::size_t table) noexcept {
  const lookup_table& t = m.tables[table];
  const std::uint64_t used = table == 0 ? 0 : m.tables[table - 1].first + m.tables[table - 1].count;
  return t.first >= used && t.first <= m.table_data.size() &&
         t.count <= m.table_data.size() - t.first;
}

[[nodiscard]] inline errc check_ids(const model& m, std::size_t index) noexcept {
  const operation& o = m.ops[index];
  const auto earlier = [index](std::int64_t id) {
    return id >= 0 && static_cast<std::uint64_t>(id) < index;
  };
  switch (o.code) {
    case opcode::input:
      if (o.id0 < 0 || o.id0 >= m.n_inputs) return errc::alir_input_index;
      break;
    case opcode::sum: {
      const auto count = static_cast<std::int64_t>(m.terms.size());
      if (o.id0 < 0 || o.id1 < 2 || o.id0 > count || o.id1 > count - o.id0)
        return errc::alir_sum_terms;
      for (const term& t : terms(m, o))
        if (!earlier(t.id)) return errc::alir_sum_terms;
      return errc::ok;
    }
    default:
      if (info(o.code).ids > 0 && !earlier(o.id0)) return errc::alir_id0;
  }
  if (info(o.code).ids == 0 && o.id0 != -1) return errc::alir_unused_id0;
  if (info(o.code).ids < 2 && o.id1 != -1) return errc::alir_unused_id1;
  if (info(o.code).ids == 2 && !earlier(o.id1)) return errc::alir_id1;
  if (o.code == opcode::mux && !earlier(o.data)) return errc::alir_condition;
  return errc::ok;
}

/// Sub-operations and tables.
[[nodiscard]] inline errc check_data(const model& m, const operation& o) noexcept {
  const bool shifts = o.code == opcode::quantize || o.code == opcode::add_constant ||
                      o.code == opcode::mux || o.code == opcode::bit_binary;
  if (!shifts && o.shift != 0) return errc::alir_unused_shift;
  switch (o.code) {
    case opcode::add:
    case opcode::subtract:
      return o.data < INT32_MIN || o.data > INT32_MAX ? errc::alir_shift : errc::ok;
    case opcode::bit_unary: return o.data < 0 || o.data > 2 ? errc::alir_sub_operation : errc::ok;
    case opcode::bit_binary:
      return o.data < 0 || o.data >> 24 > 2 ? errc::alir_sub_operation : errc::ok;
    case opcode::lookup: {
      if (o.data < 0 || static_cast<std::uint64_t>(o.data) >= m.tables.size())
        return errc::alir_table_index;
      return errc::ok;
    }
    default: return errc::ok;
  }
}

[[nodiscard]] inline errc check_shifts(const program& p, std::size_t index) noexcept {
  const operation& o = p.op(index);
  const auto possible = [](std::int64_t shift) { return shift >= -63 && shift <= 63; };
  if (o.code == opcode::sum) {
    const std::int64_t common = p.sum_fraction(index);
    for (const term& t : terms(p.model(), o))
      if (!possible(p.term_shift(common, t))) return errc::alir_shift;
  }
  const alignment s = p.shifts(index);
  if (!possible(s.a) || !possible(s.b) || !possible(s.result)) return errc::alir_shift;
  return o.code == opcode::mux && s.a != 0 && s.b != 0 ? errc::alir_mux_alignment : errc::ok;
}

/// Lengths and outputs: what is not about one operation.
[[nodiscard]] inline error check_interface(const model& m) noexcept {
  const auto count = [](std::int64_t n) { return n >= 0 && n <= INT32_MAX; };
  if (!count(m.n_inputs) || !count(m.n_outputs))
    return error_at_list(errc::alir_shape, m.source.shape);
  const auto inputs = static_cast<std::size_t>(m.n_inputs);
  const auto outputs = static_cast<std::size_t>(m.n_outputs);
  if (m.inp_shifts.size() != inputs)
    return error_at_list(errc::alir_inp_shifts_count, m.source.inp_shifts);
  if (m.out_idxs.size() != outputs)
    return error_at_list(errc::alir_out_idxs_count, m.source.out_idxs);
  if (m.out_shifts.size() != outputs)
    return error_at_list(errc::alir_out_shifts_count, m.source.out_shifts);
  if (m.out_negs.size() != outputs)
    return error_at_list(errc::alir_out_negs_count, m.source.out_negs);
  for (std::size_t j = 0; j < outputs; ++j)
    if (m.out_idxs[j] >= 0 && static_cast<std::size_t>(m.out_idxs[j]) >= m.ops.size())
      return j < m.source.outputs.size() ? error{errc::alir_output_index, m.source.outputs[j]}
                                         : error{errc::alir_output_index, j, error_index::output};
  for (std::size_t t = 0; t < m.tables.size(); ++t)
    if (m.tables[t].count == 0 || !holds_entries(m, t))
      return error_at_table(m, errc::alir_table_empty, t);
  return {};
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<program> verify(alir::model m) {
  if (const error e = detail::check_interface(m); e.code != errc::ok) return e;
  program p(std::move(m));
  const alir::model& checked = p.model_;
  p.types_.reserve(p.size());
  const auto at = [&checked](errc code, std::size_t index, auto distance) {
    return detail::error_at(checked, code, index, distance);
  };
  using place = source_map::place;
  std::int64_t terms_used = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const operation& o = checked.ops[i];
    if (static_cast<int>(o.code) < first_opcode || static_cast<int>(o.code) > last_opcode)
      return detail::error_at(checked, errc::alir_opcode, i);
    if (const errc e = detail::check_ids(checked, i); e != errc::ok)
      return at(e, i, [e, variadic = checked.spec_version != 2](const place& s) -> std::uint64_t {
        if (e == errc::alir_condition) return s.condition;
        if (e == errc::alir_input_index) return variadic ? s.data : 0;
        return e == errc::alir_id1 || e == errc::alir_unused_id1 ? s.id1 : 0;
      });
    if (o.code == opcode::sum) {  // terms of its own: shared ones would make verifying quadratic
      if (o.id0 < terms_used) return detail::error_at(checked, errc::alir_sum_terms, i);
      terms_used = std::int64_t{o.id0} + o.id1;
    }
    if (const errc e = detail::check_interval(o.qint); e != errc::ok)
      return at(e, i, [](const place& s) { return s.qint; });
    p.types_.push_back(type_of(o.qint));
    errc e = detail::check_data(checked, o);
    if (e == errc::ok) e = detail::check_shifts(p, i);
    if (e != errc::ok) return at(e, i, [](const place& s) { return s.data; });
    if (o.code == opcode::lookup) {
      const auto x = static_cast<std::size_t>(o.id0);
      const double pad = table_pad(checked.ops[x].qint, p.type(x));
      if (!(pad >= INT32_MIN && pad <= INT32_MAX))
        return at(errc::alir_table_base, i, [](const place& s) { return s.data; });
    }
  }
  return p;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_VERIFY_HPP
