// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of alir/versions.hpp.

#ifndef TESSERA_ALIR_DETAIL_VERSIONS_HPP
#define TESSERA_ALIR_DETAIL_VERSIONS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/pool.hpp"
#include "../../core/result.hpp"
#include "../format.hpp"
#include "../read_json.hpp"
#include "../verify.hpp"
#include "../versions.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

[[nodiscard]] constexpr bool is_opcode(opcode code) noexcept {
  return static_cast<int>(code) >= first_opcode && static_cast<int>(code) <= last_opcode;
}

/// Whether a version has an operation's opcode, but not for what it computes.
[[nodiscard]] constexpr bool needs_rewriting(const operation& o, std::int32_t version) noexcept {
  if (version < 4 && o.code == opcode::quantize && o.shift != 0) return true;
  return version == 2 &&
         (o.code == opcode::sum || (o.code == opcode::add_constant && !is_int32(o.data)));
}

/// What no rewriting helps against. `terms_used` is how many terms earlier sums have.
[[nodiscard]] inline errc check_form(const model& m, const operation& o, std::int32_t version,
                                     std::int64_t& terms_used) noexcept {
  if (!is_opcode(o.code)) return errc::alir_opcode;
  if (o.code == opcode::sum) {
    const auto count = static_cast<std::int64_t>(m.terms.size());
    if (o.id0 < terms_used || o.id1 < 0 || o.id0 > count || o.id1 > count - o.id0)
      return errc::alir_sum_terms;
    terms_used = std::int64_t{o.id0} + o.id1;
    return errc::ok;
  }
  if (version == 2) {
    if ((o.code == opcode::mux && !is_int32(o.data)) ||
        (o.code == opcode::bit_binary && (o.data < 0 || o.data > UINT32_MAX)))
      return errc::alir_not_version_2;
    return errc::ok;
  }
  const int ids = info(o.code).ids;
  if (ids < 1 && o.id0 != -1) return errc::alir_unused_id0;
  if (ids < 2 && o.id1 != -1) return errc::alir_unused_id1;
  if (o.code == opcode::mux && !is_int32(o.data)) return errc::alir_condition;
  if (o.code == opcode::bit_binary && (o.data < 0 || o.data >> 24 > 2))
    return errc::alir_sub_operation;
  return errc::ok;
}

/// Leaves out what versions 3 and 4 have no place for and no opcode reads.
inline void drop_unread(operation& o) noexcept {
  o.spelled = static_cast<std::uint8_t>(o.spelled & ~spelling::unsigned_data);
  if (o.code == opcode::bit_binary) o.data = o.data >> 24 << 24;
  if (o.code == opcode::input || o.code == opcode::quantize ||
      (o.code != opcode::sum && info(o.code).data_values == 0))
    o.data = 0;
}

/// Rewrites a model operation by operation. Each new one remembers from which old one it came.
class version_writer {
 public:
  version_writer(const model& m, std::int32_t version) noexcept : m_(m), version_(version) {}

  /// The new model, or an error at an old operation.
  [[nodiscard]] result<model> run() {
    copy_interface();
    std::int64_t terms_used = 0;
    ids_.reserve(m_.ops.size());
    for (std::size_t i = 0; i < m_.ops.size(); ++i) {
      index_ = i;
      errc e = check_form(m_, m_.ops[i], version_, terms_used);
      if (e == errc::ok) e = write(m_.ops[i]);
      if (e == errc::ok && out_.ops.size() > INT32_MAX) e = errc::too_many_items;
      if (e != errc::ok) return error_at(m_, e, i);
      ids_.push_back(static_cast<std::int32_t>(out_.ops.size()) - 1);
    }
    for (std::int32_t& id : out_.out_idxs) id = new_id(id);
    return std::move(out_);
  }
  [[nodiscard]] const pool<std::int32_t>& origins() const noexcept { return origins_; }

 private:
  void copy_interface() {
    out_.spec_version = version_;
    out_.n_inputs = m_.n_inputs, out_.n_outputs = m_.n_outputs;
    out_.inp_shifts = m_.inp_shifts, out_.out_idxs = m_.out_idxs;
    out_.out_shifts = m_.out_shifts, out_.out_negs = m_.out_negs;
    out_.carry_size = m_.carry_size, out_.adder_size = m_.adder_size;
    out_.tables = m_.tables, out_.table_data = m_.table_data, out_.hashes = m_.hashes;
    out_.ops.reserve(m_.ops.size());
    origins_.reserve(m_.ops.size());
  }

  /// Of operations that were written; what refers to none stays as it is.
  [[nodiscard]] std::int32_t new_id(std::int64_t id) const noexcept {
    return id >= 0 && static_cast<std::uint64_t>(id) < ids_.size()
               ? ids_[static_cast<std::size_t>(id)]
               : static_cast<std::int32_t>(id);
  }
  std::int32_t add(const operation& o) {
    out_.ops.push_back(o);
    origins_.push_back(static_cast<std::int32_t>(index_));
    return static_cast<std::int32_t>(out_.ops.size()) - 1;
  }
  [[nodiscard]] errc refused() const noexcept {
    return version_ == 2 ? errc::alir_not_version_2 : errc::alir_not_version_3;
  }

  errc write(const operation& o) {
    if (needs_rewriting(o, version_)) {
      if (const errc e = check_operands(); e != errc::ok) return e;
      if (o.code == opcode::quantize) return write_quantize(o);
      return o.code == opcode::sum ? write_sum(o) : write_constant(o);
    }
    operation n = o;
    if (version_ != 2) drop_unread(n);
    if (o.code == opcode::sum) {
      n.id0 = static_cast<std::int32_t>(out_.terms.size());
      for (term t : terms(m_, o)) {
        t.id = new_id(t.id);
        out_.terms.push_back(t);
      }
    } else {
      if (o.code != opcode::input) n.id0 = new_id(o.id0);
      n.id1 = new_id(o.id1);
      if (o.code == opcode::mux) n.data = new_id(o.data);
    }
    add(n);
    return errc::ok;
  }

  /// That the operation's operands exist and have types.
  [[nodiscard]] errc check_operands() const noexcept {
    const operation& o = m_.ops[index_];
    if (const errc e = check_ids(m_, index_).first(); e != errc::ok) return e;
    if (o.code != opcode::sum) return check_interval(m_.ops[static_cast<std::size_t>(o.id0)].qint);
    for (const term& t : terms(m_, o))
      if (const errc e = check_interval(m_.ops[static_cast<std::size_t>(t.id)].qint); e != errc::ok)
        return e;
    return errc::ok;
  }

  /// The types that an interval has no room for: an operation of this one can't be written.
  [[nodiscard]] static bool has_fraction(const interval& q, std::int64_t f) noexcept {
    return check_interval(q) == errc::ok && type_of(q).f == f;
  }
  [[nodiscard]] static bool is_exponent(std::int64_t e) noexcept { return e >= -126 && e <= 127; }
  /// An interval with `f` fraction bits, also where both bounds are 0.
  [[nodiscard]] static interval interval_of(double min, double max, std::int64_t f) noexcept {
    const double step = power_of_two(static_cast<int>(-f));
    if (min == 0.0 && max == 0.0) return {0, step / 4, step};
    return {min + 0.0, max + 0.0, step};
  }

  /// The constant ±2^exponent, an integer of 1 or -1. Made once.
  [[nodiscard]] std::int32_t power(std::int64_t exponent, bool negative) {
    if (powers_.empty()) powers_.resize(2 * 254);  // of 0, which no power is
    std::int32_t& known =
        powers_[static_cast<std::size_t>(2 * (exponent + 126) + (negative ? 1 : 0))];
    if (known == 0) {
      const double step = power_of_two(static_cast<int>(exponent)), v = negative ? -step : step;
      known = 1 + add({.code = opcode::constant, .data = negative ? -1 : 1, .qint = {v, v, step}});
    }
    return known - 1;
  }

  /// ±x·2^shift as an operation; `out` gets its new index and `q` its interval.
  [[nodiscard]] bool write_scaled(std::int32_t x, std::int64_t shift, bool negative,
                                  std::int32_t& out, interval& q) {
    const operation& from = m_.ops[static_cast<std::size_t>(x)];
    const std::int64_t f = type_of(from.qint).f - shift;
    if (!is_exponent(shift) || !is_exponent(-f)) return false;
    const double by = power_of_two(static_cast<int>(shift));
    const double low = from.qint.min * by, high = from.qint.max * by;
    q = negative ? interval_of(-high, -low, f) : interval_of(low, high, f);
    if (!has_fraction(q, f)) return false;
    const std::int32_t factor = power(shift, negative);
    out = add({.id0 = new_id(x),
               .id1 = factor,
               .code = opcode::multiply,
               .qint = q,
               .latency = from.latency});
    return true;
  }

  errc write_quantize(const operation& o) {
    operation n = o;
    interval q;
    if (!write_scaled(o.id0, o.shift, false, n.id0, q)) return refused();
    n.shift = 0;
    add(n);
    return errc::ok;
  }

  errc write_constant(const operation& o) {
    const std::int64_t f = o.shift;
    if (!is_exponent(-f)) return refused();
    const double v = static_cast<double>(o.data) * power_of_two(static_cast<int>(-f));
    operation c = {.code = opcode::constant, .data = o.data, .qint = interval_of(v, v, f)};
    if (!has_fraction(c.qint, f)) return refused();
    operation n = o;
    n.code = opcode::add;
    n.id0 = new_id(o.id0);
    n.id1 = add(c);
    n.data = n.shift = 0;
    add(n);
    return errc::ok;
  }

  /// The term that a chain of additions starts from: a positive one without a shift, or else one
  /// without a shift, or else the first.
  [[nodiscard]] static std::size_t first_of(view<term> all) noexcept {
    std::size_t best = 0;
    for (std::size_t k = all.size(); k-- > 0;)
      if (all[k].shift == 0 && (!all[k].negative || all[best].negative || all[best].shift != 0))
        best = k;
    return best;
  }

  errc write_sum(const operation& o) {
    const view<term> all = terms(m_, o);
    const std::size_t first = first_of(all);
    std::int32_t sum = new_id(all[first].id);
    interval q = m_.ops[static_cast<std::size_t>(all[first].id)].qint;
    std::int64_t f = type_of(q).f;
    if (all[first].shift == 0 && all[first].negative) {
      q = interval_of(-q.max, -q.min, f);
      if (!has_fraction(q, f)) return refused();
      sum = add({.id0 = sum, .code = opcode::negate, .qint = q, .latency = o.latency});
    } else if (all[first].shift != 0) {
      if (!write_scaled(all[first].id, all[first].shift, all[first].negative, sum, q))
        return refused();
      f -= all[first].shift;
    }
    std::size_t left = all.size() - 1;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k == first) continue;
      const term& t = all[k];
      operation n = o;
      n.code = t.negative ? opcode::subtract : opcode::add;
      n.id0 = sum, n.id1 = new_id(t.id);
      n.data = t.shift;
      if (--left != 0) {
        const interval& b = m_.ops[static_cast<std::size_t>(t.id)].qint;
        const std::int64_t f_b = type_of(b).f - std::int64_t{t.shift};
        f = f_b > f ? f_b : f;
        if (!is_exponent(-f) || !is_exponent(t.shift)) return refused();
        const double by = power_of_two(t.shift), low = b.min * by, high = b.max * by;
        q = t.negative ? interval_of(q.min - high, q.max - low, f)
                       : interval_of(q.min + low, q.max + high, f);
        if (!has_fraction(q, f)) return refused();
        n.qint = q;
        n.spelled = 0, n.cost = 0;
      }
      sum = add(n);
    }
    return errc::ok;
  }

  const model& m_;
  std::int32_t version_;
  model out_;
  pool<std::int32_t> ids_;      // of each old operation, its new one
  pool<std::int32_t> origins_;  // of each new operation, its old one
  pool<std::int32_t> powers_;   // of ±2^exponent, its operation + 1
  std::size_t index_ = 0;
};

[[nodiscard]] inline bool is_version(std::int32_t version) noexcept {
  return version >= 2 && version <= 4;
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<model> to_version(const model& m, std::int32_t version) {
  if (!detail::is_version(version)) return error{errc::alir_version_unknown, 0, error_index::whole};
  return detail::version_writer(m, version).run();
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_VERSIONS_HPP
