// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of alir/write.hpp.

#ifndef TESSERA_ALIR_DETAIL_WRITE_HPP
#define TESSERA_ALIR_DETAIL_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/json_write.hpp"
#include "../../core/result.hpp"
#include "../format.hpp"
#include "../write.hpp"
#include "table_hash.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

/// The 64-bit data of version 2: the inverse of unpack_data.
[[nodiscard]] constexpr std::int64_t pack_data(const operation& o) noexcept {
  const auto join = [](std::int64_t high, std::int64_t low) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(high) << 32 |
                                     static_cast<std::uint32_t>(low));
  };
  switch (o.code) {
    case opcode::add_constant:
    case opcode::mux: return join(o.shift, o.data);
    case opcode::bit_binary: return join(o.data, o.shift);
    default: return o.data;
  }
}

/// Whether version 2 can hold an operation.
[[nodiscard]] constexpr errc check_version_2(const operation& o) noexcept {
  if (static_cast<int>(o.code) < first_opcode || static_cast<int>(o.code) > last_opcode)
    return errc::alir_opcode;
  const bool data_is_low_word = o.code == opcode::add_constant || o.code == opcode::mux;
  if (o.code == opcode::sum || (o.code == opcode::quantize && o.shift != 0) ||
      (data_is_low_word && (o.data < INT32_MIN || o.data > INT32_MAX)) ||
      (o.code == opcode::bit_binary && (o.data < 0 || o.data > UINT32_MAX)))
    return errc::alir_not_version_2;
  return errc::ok;
}

/// What JSON says about a table besides its entries.
struct table_spec {
  text hash;
  interval out_qint;
  std::uint8_t spelled = 0;
  std::int64_t inp_width = 0;
};

/// The fraction bits of each table's entries, those of the first lookup in it; 0 without one.
[[nodiscard]] inline pool<std::int16_t> table_fractions(const model& m) {
  pool<std::int16_t> fractions;
  fractions.resize(m.tables.size());
  for (std::size_t i = m.ops.size(); i-- > 0;) {
    const operation& o = m.ops[i];
    if (o.code == opcode::lookup && o.data >= 0 &&
        static_cast<std::uint64_t>(o.data) < fractions.size())
      fractions[static_cast<std::size_t>(o.data)] =
          check_interval(o.qint) == errc::ok ? type_of(o.qint).f : std::int16_t{0};
  }
  return fractions;
}

/// That of the file, or one made for a table that came without; `f` is its entries' fraction bits.
[[nodiscard]] inline table_spec spec_of(const model& m, std::size_t index, int f) {
  const lookup_table& t = m.tables[index];
  if (t.has_spec) return {text(hash(m, t)), t.out_qint, t.spelled, t.inp_width};
  const view<std::int32_t> values = entries(m, t);
  std::int32_t low = 0, high = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    low = i == 0 || values[i] < low ? values[i] : low;
    high = i == 0 || values[i] > high ? values[i] : high;
  }
  const double step = power_of_two(-f);
  return {table_hash(values, f),
          {low * step + 0.0, high * step + 0.0, step},
          0,
          values.size() < 2 ? 1 : 64 - std::countl_zero(std::uint64_t{values.size() - 1})};
}

/// Whether to write an integer because the file had one; a value that was changed since may no
/// longer have that form.
[[nodiscard]] inline bool is_integral(double v, bool was_integral) noexcept {
  constexpr double limit = 9007199254740992.0;  // 2^53, from which the reader refuses integers
  return was_integral && v > -limit && v < limit && round_half_away(v) == v;
}

/// At most what write_row() stores: nine numbers, brackets and commas.
inline constexpr std::size_t row_capacity = 9 * json::number_capacity + 16;

[[nodiscard]] inline json::cursor write_row(json::cursor to, const operation& o) noexcept {
  const auto number = [&o](json::cursor at, double v, std::uint8_t flag) {
    return is_integral(v, (o.spelled & flag) != 0) ? at.integer(static_cast<std::int64_t>(v))
                                                   : at.number(v);
  };
  to = to.literal("[").integer(o.id0).literal(",").integer(o.id1).literal(",");
  to = to.integer(static_cast<std::int32_t>(o.code)).literal(",");
  const std::int64_t data = pack_data(o);
  to = (o.spelled & spelling::unsigned_data) != 0 ? to.integer(static_cast<std::uint64_t>(data))
                                                  : to.integer(data);
  to = number(to.literal(",["), o.qint.min, spelling::min);
  to = number(to.literal(","), o.qint.max, spelling::max);
  to = number(to.literal(","), o.qint.step, spelling::step);
  to = number(to.literal("],"), o.latency, spelling::latency);
  return number(to.literal(","), o.cost, spelling::cost).literal("]");
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<text> write_json(const model& m) {
  for (std::size_t i = 0; i < m.ops.size(); ++i) {
    const operation& o = m.ops[i];
    errc e = detail::check_version_2(o);
    // A sum of zeros, unless one of them is infinite or no number.
    const double zero =
        0.0 * o.qint.min + 0.0 * o.qint.max + 0.0 * o.qint.step + 0.0 * o.latency + 0.0 * o.cost;
    if (!detail::is_finite(zero)) e = errc::alir_not_finite;
    if (e != errc::ok) return detail::error_at(m, e, i);
  }
  for (std::size_t i = 0; i < m.tables.size(); ++i) {
    const lookup_table& t = m.tables[i];
    errc e = detail::holds_entries(m, i) && t.hash_first <= m.hashes.size()
                 ? errc::ok
                 : errc::alir_table_empty;
    for (const double v : {t.out_qint.min, t.out_qint.max, t.out_qint.step})
      if (!detail::is_finite(v)) e = errc::alir_not_finite;
    if (e != errc::ok) return detail::error_at_table(m, e, i);
  }
  text out;
  (void)out.prepare(64 * m.ops.size());  // about what the operations take: 36 bytes at least
  json::writer w(out);
  const auto integers = [&w](const pool<std::int32_t>& list) {
    w.begin_array();
    for (const std::int32_t v : list) w.integer(v);
    w.end();
  };
  w.begin_object().key("model").begin_array();
  w.begin_array().integer(m.n_inputs).integer(m.n_outputs).end();
  integers(m.inp_shifts);
  integers(m.out_idxs);
  integers(m.out_shifts);
  w.begin_array();
  for (const std::uint8_t negative : m.out_negs) w.boolean(negative != 0);
  w.end();

  w.begin_array();
  for (const operation& o : m.ops)
    w.record(detail::row_capacity, [&o](json::cursor to) { return detail::write_row(to, o); });
  w.end().integer(m.carry_size).integer(m.adder_size);

  if (m.tables.empty()) {
    w.null();
  } else {
    const pool<std::int16_t> fractions = detail::table_fractions(m);
    w.begin_array();
    for (std::size_t i = 0; i < m.tables.size(); ++i) {
      const detail::table_spec t = detail::spec_of(m, i, fractions[i]);
      const auto number = [&](const char* key, double v, std::uint8_t flag) {
        w.key(key);
        if (detail::is_integral(v, (t.spelled & flag) != 0))
          w.integer(static_cast<std::int64_t>(v));
        else
          w.number(v);
      };
      w.begin_object().key("spec").begin_object().key("hash").string(t.hash);
      w.key("out_qint").begin_object();
      number("min", t.out_qint.min, spelling::min);
      number("max", t.out_qint.max, spelling::max);
      number("step", t.out_qint.step, spelling::step);
      w.end().key("inp_width").integer(t.inp_width).end();
      w.key("table").begin_array();
      for (const std::int32_t v : entries(m, m.tables[i])) w.integer(v);
      w.end().end();
    }
    w.end();
  }
  w.end().key("meta").string("ALIRModel").key("spec_version").integer(2).end();
  return out;
}

TESSERA_INLINE result<pool<std::int32_t>> write_bytecode(const model& m) {
  if (const error e = detail::check_interface(m); e.code != errc::ok) return e;
  pool<std::int32_t> words;
  words.reserve(6 + m.inp_shifts.size() + 3 * m.out_idxs.size() + 8 * m.ops.size() +
                m.tables.size() + m.table_data.size());
  const auto word = [&words](std::int64_t v) { words.push_back(static_cast<std::int32_t>(v)); };
  const auto all = [&words](view<std::int32_t> list) { words.append(list.data(), list.size()); };
  for (const std::int64_t v : {std::int64_t{2}, std::int64_t{0}, m.n_inputs, m.n_outputs}) word(v);
  word(static_cast<std::int64_t>(m.ops.size()));
  word(static_cast<std::int64_t>(m.tables.size()));
  for (const pool<std::int32_t>* list : {&m.inp_shifts, &m.out_idxs, &m.out_shifts})
    words.append(list->data(), list->size());
  for (const std::uint8_t negative : m.out_negs) word(negative != 0 ? 1 : 0);
  for (std::size_t i = 0; i < m.ops.size(); ++i) {
    const operation& o = m.ops[i];
    errc e = detail::check_version_2(o);
    if (e == errc::ok) e = detail::check_ids(m, i).first();
    if (e == errc::ok) e = detail::check_interval(o.qint);
    std::int64_t data = detail::pack_data(o);
    const bool low_only = o.code == opcode::add || o.code == opcode::subtract;
    if (e == errc::ok && low_only && (o.data < INT32_MIN || o.data > INT32_MAX))
      e = errc::alir_bytecode_range;
    if (e == errc::ok && o.code == opcode::lookup) {
      const interval& x = m.ops[static_cast<std::size_t>(o.id0)].qint;
      const double pad = table_pad(x, type_of(x));
      if (o.data < 0 || o.data > INT32_MAX || !(pad >= INT32_MIN && pad <= INT32_MAX))
        e = errc::alir_bytecode_range;
      else
        data = static_cast<std::int64_t>(pad) << 32 | o.data;
    }
    if (e != errc::ok) return detail::error_at(m, e, i);
    const fixed_type t = type_of(o.qint);
    for (const std::int64_t v :
         {static_cast<std::int64_t>(o.code), std::int64_t{o.id0}, std::int64_t{o.id1}, data,
          data >> 32, std::int64_t{t.k}, std::int64_t{t.i}, std::int64_t{t.f}})
      word(v);
  }
  for (const lookup_table& t : m.tables) word(static_cast<std::int64_t>(t.count));
  for (const lookup_table& t : m.tables) all(entries(m, t));
  return words;
}

TESSERA_INLINE result<text> write(const model& m, const write_options& options) {
  if (options.encoding != encoding::bytecode) return write_json(m);
  const result<pool<std::int32_t>> words = write_bytecode(m);
  if (!words) return words.error();
  text out;
  std::byte word[4];
  out.reserve(4 * words->size());
  for (const std::int32_t v : *words) {
    store_le(word, v);
    out << as_text(bytes(word, sizeof word));
  }
  return out;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_WRITE_HPP
