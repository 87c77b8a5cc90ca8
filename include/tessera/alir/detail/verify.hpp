// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of alir/verify.hpp.

#ifndef TESSERA_ALIR_DETAIL_VERIFY_HPP
#define TESSERA_ALIR_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/findings.hpp"
#include "../../core/number.hpp"
#include "../../core/shortest.hpp"
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

/// Whether a table's entries lie within model::table_data, after those of the table before. That
/// none is shared bounds the size of what is written.
[[nodiscard]] inline bool holds_entries(const model& m, std::size_t table) noexcept {
  const lookup_table& t = m.tables[table];
  const std::uint64_t used = table == 0 ? 0 : m.tables[table - 1].first + m.tables[table - 1].count;
  return t.first >= used && t.first <= m.table_data.size() &&
         t.count <= m.table_data.size() - t.first;
}

/// What is wrong with the ids of an operation, in the order in which it is reported.
struct id_faults {
  errc list[3] = {};
  std::size_t count = 0;

  void add(errc code) noexcept { list[count++] = code; }
  [[nodiscard]] errc first() const noexcept { return list[0]; }
};

[[nodiscard]] inline id_faults check_ids(const model& m, std::size_t index) noexcept {
  const operation& o = m.ops[index];
  const auto earlier = [index](std::int64_t id) {
    return id >= 0 && static_cast<std::uint64_t>(id) < index;
  };
  id_faults out;
  if (o.code == opcode::sum) {
    const auto count = static_cast<std::int64_t>(m.terms.size());
    bool sound = o.id0 >= 0 && o.id1 >= 2 && o.id0 <= count && o.id1 <= count - o.id0;
    if (sound)
      for (const term& t : terms(m, o)) sound = sound && earlier(t.id);
    if (!sound) out.add(errc::alir_sum_terms);
    return out;
  }
  const int ids = info(o.code).ids;
  if (o.code == opcode::input) {
    if (o.id0 < 0 || o.id0 >= m.n_inputs) out.add(errc::alir_input_index);
  } else if (ids > 0 ? !earlier(o.id0) : o.id0 != -1) {
    out.add(ids > 0 ? errc::alir_id0 : errc::alir_unused_id0);
  }
  if (ids < 2 ? o.id1 != -1 : !earlier(o.id1))
    out.add(ids < 2 ? errc::alir_unused_id1 : errc::alir_id1);
  if (o.code == opcode::mux && !earlier(o.data)) out.add(errc::alir_condition);
  return out;
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

/// Calls `fault(error, index)` for what is wrong with lengths, outputs and tables.
template <class Fault>
void for_each_interface_fault(const model& m, Fault&& fault) {
  const auto count = [](std::int64_t n) { return n >= 0 && n <= INT32_MAX; };
  const bool has_counts = count(m.n_inputs) && count(m.n_outputs);
  if (!has_counts) fault(error_at_list(errc::alir_shape, m.source.shape), std::size_t{0});
  const auto list = [&](std::size_t size, std::int64_t expected, errc code, std::uint64_t offset) {
    if (has_counts && size != static_cast<std::size_t>(expected))
      fault(error_at_list(code, offset), std::size_t{0});
  };
  list(m.inp_shifts.size(), m.n_inputs, errc::alir_inp_shifts_count, m.source.inp_shifts);
  list(m.out_idxs.size(), m.n_outputs, errc::alir_out_idxs_count, m.source.out_idxs);
  list(m.out_shifts.size(), m.n_outputs, errc::alir_out_shifts_count, m.source.out_shifts);
  list(m.out_negs.size(), m.n_outputs, errc::alir_out_negs_count, m.source.out_negs);
  for (std::size_t j = 0; j < m.out_idxs.size(); ++j)
    if (m.out_idxs[j] >= 0 && static_cast<std::size_t>(m.out_idxs[j]) >= m.ops.size())
      fault(j < m.source.outputs.size() ? error{errc::alir_output_index, m.source.outputs[j]}
                                        : error{errc::alir_output_index, j, error_index::output},
            j);
  for (std::size_t t = 0; t < m.tables.size(); ++t)
    if (m.tables[t].count == 0 || !holds_entries(m, t))
      fault(error_at_table(m, errc::alir_table_empty, t), t);
}
/// The first of them.
[[nodiscard]] inline error check_interface(const model& m) {
  error first;
  for_each_interface_fault(m, [&first](const error& e, std::size_t) {
    if (first.code == errc::ok) first = e;
  });
  return first;
}

/// Any number, as Python prints it.
inline void print_number(text& out, double v) {
  if (is_finite(v))
    append_double(out, v, double_style::python);
  else
    out << (v > 0 ? "inf" : v < 0 ? "-inf" : "nan");
}

/// Finds all faults of a model, and the types of its operations.
class verifier {
 public:
  verifier(program& p, pool<fixed_type>& types, tessera::detail::findings& found) noexcept
      : p_(p), m_(p.model()), types_(types), found_(found) {}

  void run() {
    for_each_interface_fault(
        m_, [this](const error& e, std::size_t index) { interface_fault(e, index); });
    types_.reserve(m_.ops.size());
    for (std::size_t i = 0; i < m_.ops.size(); ++i) operation_faults(i);
  }

 private:
  void operation_faults(std::size_t i) {
    const operation& o = m_.ops[i];
    types_.push_back(unknown);
    if (static_cast<int>(o.code) < first_opcode || static_cast<int>(o.code) > last_opcode)
      return fault(errc::alir_opcode, i);
    const id_faults ids = check_ids(m_, i);
    for (std::size_t k = 0; k < ids.count; ++k) fault(ids.list[k], i);
    bool has_ids = ids.count == 0;
    if (has_ids && o.code == opcode::sum) {  // terms of its own: sharing would make this quadratic
      if (o.id0 < terms_used_)
        fault(errc::alir_sum_terms, i), has_ids = false;
      else
        terms_used_ = std::int64_t{o.id0} + o.id1;
    }
    if (const errc e = check_interval(o.qint); e != errc::ok)
      fault(e, i);
    else
      types_[i] = type_of(o.qint);
    if (const errc e = check_data(m_, o); e != errc::ok) return fault(e, i);
    if (!has_ids || !has_types(i)) return;
    if (const errc e = check_shifts(p_, i); e != errc::ok) return fault(e, i);
    if (o.code == opcode::lookup) {
      const auto x = static_cast<std::size_t>(o.id0);
      const double pad = table_pad(m_.ops[x].qint, types_[x]);
      if (!(pad >= INT32_MIN && pad <= INT32_MAX)) fault(errc::alir_table_base, i);
    }
  }

  /// Whether an operation, whose ids are sound, and its operands have types.
  [[nodiscard]] bool has_types(std::size_t i) const noexcept {
    const operation& o = m_.ops[i];
    const auto has = [this](std::int64_t id) {
      return !(types_[static_cast<std::size_t>(id)] == unknown);
    };
    bool all = has(static_cast<std::int64_t>(i));
    if (o.code == opcode::sum)
      for (const term& t : terms(m_, o)) all = all && has(t.id);
    else if (o.code != opcode::input)
      all = all && (info(o.code).ids < 1 || has(o.id0)) && (info(o.code).ids < 2 || has(o.id1));
    return all;
  }

  /// Of the parts of an operation, the one that a fault is about.
  [[nodiscard]] std::uint64_t distance(errc code, const source_map::place& s) const noexcept {
    switch (code) {
      case errc::alir_condition: return s.condition;
      case errc::alir_input_index: return m_.spec_version != 2 ? s.data : 0;
      case errc::alir_id1:
      case errc::alir_unused_id1: return s.id1;
      case errc::alir_interval:
      case errc::alir_step:
      case errc::alir_width: return s.qint;
      case errc::alir_shift:
      case errc::alir_mux_alignment:
      case errc::alir_table_index:
      case errc::alir_sub_operation:
      case errc::alir_unused_shift:
      case errc::alir_table_base: return s.data;
      default: return 0;
    }
  }

  [[gnu::cold]] [[gnu::noinline]] void fault(errc code, std::size_t i) {
    const error e = error_at(m_, code, i, [&](const source_map::place& s) -> std::uint64_t {
      return distance(code, s);
    });
    auto out = found_.error(code, {0, e.offset, 0, e.index});
    const operation& o = m_.ops[i];
    const auto earlier = [&](std::string_view what, std::int64_t id) {
      out << what << " is " << id << "; expected an earlier operation, ";
      if (i == 0)
        out << "of which there is none";
      else
        out << "0 to " << i - 1;
    };
    switch (code) {
      case errc::alir_opcode:
        out << "unknown opcode " << static_cast<int>(o.code) << "; expected " << first_opcode
            << " to " << last_opcode;
        return;
      case errc::alir_input_index: absent(out << "input " << o.id0, m_.n_inputs); break;
      case errc::alir_id0: earlier("id0", o.id0); break;
      case errc::alir_id1: earlier("id1", o.id1); break;
      case errc::alir_condition: earlier("the condition", o.data); break;
      case errc::alir_unused_id0: unused(out, "id0", o, o.id0, -1); break;
      case errc::alir_unused_id1: unused(out, "id1", o, o.id1, -1); break;
      case errc::alir_unused_shift: unused(out, "shift", o, o.shift, 0); break;
      case errc::alir_interval:
      case errc::alir_step:
      case errc::alir_width:
        out << "[";
        number(out, o.qint.min), out << ", ";
        number(out, o.qint.max), out << ", ";
        number(out, o.qint.step), out << "]: " << error{code}.message();
        break;
      case errc::alir_shift: shift(out, i); break;
      case errc::alir_mux_alignment:
        out << "the operands would be shifted by " << p_.shifts(i).a << " and by " << p_.shifts(i).b
            << "; at most one may be shifted";
        break;
      case errc::alir_table_index:
        absent(out << "lookup table " << o.data, static_cast<std::int64_t>(m_.tables.size()));
        break;
      case errc::alir_table_base: {
        const auto x = static_cast<std::size_t>(o.id0);
        number(out << "the table would begin at index ", table_pad(m_.ops[x].qint, types_[x]));
        out << " of the operand; expected -2147483648 to 2147483647";
        break;
      }
      case errc::alir_sub_operation:
        out << "sub-operation "
            << (o.code == opcode::bit_binary && o.data >= 0 ? o.data >> 24 : o.data)
            << "; expected 0, 1 or 2";
        break;
      case errc::alir_sum_terms:
        if (o.id1 < 2) {
          out << "the sum has " << o.id1 << (o.id1 == 1 ? " term" : " terms")
              << "; expected at least 2";
          break;
        }
        [[fallthrough]];
      default: out << error{code}.message();
    }
    if (m_.source.is_bytecode)
      out.path() << "operation " << i << " (" << info(o.code).mnemonic << ')';
  }

  using writer = tessera::detail::findings::writer;

  static void unused(writer out, std::string_view what, const operation& o, std::int64_t found,
                     int expected) {
    out << what << " is " << found << "; expected " << expected << ", as " << info(o.code).mnemonic
        << " does not use it";
  }
  /// After an index.
  static void absent(writer out, std::int64_t count) {
    out << " does not exist; ";
    if (count <= 0)
      out << "the model has none";
    else
      out << "expected 0 to " << count - 1;
  }
  static void number(writer out, double v) {
    text shown;
    print_number(shown, v);
    out << shown.view();
  }
  void shift(writer out, std::size_t i) const {
    const operation& o = m_.ops[i];
    const auto farther = [](std::int64_t a, std::int64_t b) {
      return (a < 0 ? -a : a) < (b < 0 ? -b : b) ? b : a;
    };
    if ((o.code == opcode::add || o.code == opcode::subtract) &&
        (o.data < INT32_MIN || o.data > INT32_MAX)) {
      out << "the operand is shifted by " << o.data << "; expected at most 63 bits";
      return;
    }
    const alignment s = p_.shifts(i);
    std::int64_t worst = farther(farther(s.a, s.b), s.result);
    if (o.code == opcode::sum)
      for (const term& t : terms(m_, o))
        worst = farther(worst, p_.term_shift(p_.sum_fraction(i), t));
    out << "the operation shifts by " << (worst < 0 ? -worst : worst)
        << " bits; expected at most 63";
  }

  [[gnu::cold]] [[gnu::noinline]] void interface_fault(const error& e, std::size_t index) {
    auto out = found_.error(e.code, {0, e.offset, 0, e.index});
    const auto counts = [&](std::string_view list, std::size_t size, std::int64_t expected,
                            std::string_view of) {
      out << list << " has " << size << (size == 1 ? " entry" : " entries") << "; expected "
          << expected << ", one for each " << of;
    };
    switch (e.code) {
      case errc::alir_shape:
        out << m_.n_inputs << " inputs and " << m_.n_outputs
            << " outputs; expected 0 to 2147483647 of each";
        break;
      case errc::alir_inp_shifts_count:
        counts("inp_shifts", m_.inp_shifts.size(), m_.n_inputs, "input");
        break;
      case errc::alir_out_idxs_count:
        counts("out_idxs", m_.out_idxs.size(), m_.n_outputs, "output");
        break;
      case errc::alir_out_shifts_count:
        counts("out_shifts", m_.out_shifts.size(), m_.n_outputs, "output");
        break;
      case errc::alir_out_negs_count:
        counts("out_negs", m_.out_negs.size(), m_.n_outputs, "output");
        break;
      case errc::alir_output_index:
        out << "output " << index << " refers to operation " << m_.out_idxs[index]
            << "; expected -1 (none)";
        if (!m_.ops.empty()) out << " or 0 to " << m_.ops.size() - 1;
        if (m_.source.is_bytecode) out.path() << "out_idxs[" << index << ']';
        break;
      case errc::alir_table_empty:
        if (m_.tables[index].count == 0)
          out << "table " << index << " has no entries; expected at least 1";
        else
          out << "table " << index << " shares entries with another table or has some outside "
              << "table_data; expected entries of its own";
        if (m_.source.is_bytecode) out.path() << "table " << index;
        break;
      default: out << e.message();  // unreachable: interfaces have no other fault
    }
  }

  static constexpr fixed_type unknown = {false, INT16_MIN, INT16_MIN};

  const program& p_;
  const model& m_;
  pool<fixed_type>& types_;
  tessera::detail::findings& found_;
  std::int64_t terms_used_ = 0;
};

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<program> verify(alir::model m, const verify_options& options, report* found) {
  program p(std::move(m));
  tessera::detail::findings findings(found, options.max_diagnostics);
  detail::verifier(p, p.types_, findings).run();
  if (findings.failed()) return findings.first_error();
  return p;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_VERIFY_HPP
