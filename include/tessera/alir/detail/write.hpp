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
#include "../../core/load_store.hpp"
#include "../../core/result.hpp"
#include "../format.hpp"
#include "../versions.hpp"
#include "../write.hpp"
#include "table_hash.hpp"
#include "versions.hpp"

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

/// A model, or what it becomes in a version that lacks some of its operations.
class in_version {
 public:
  /// `version` 0 is that of the model.
  in_version(const model& m, std::int32_t version)
      : original_(m), version_(version == 0 ? m.spec_version : version) {
    if (!is_version(version_)) {
      error_ = {errc::alir_version_unknown, 0, error_index::whole};
      return;
    }
    for (const operation& o : m.ops) is_rewritten_ = is_rewritten_ || needs_rewriting(o, version_);
    if (!is_rewritten_) return;
    version_writer rewriting(m, version_);
    result<model> made = rewriting.run();
    error_ = made.error();
    if (made) made_ = std::move(*made);
    origins_ = rewriting.origins();
  }
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  [[nodiscard]] std::int32_t version() const noexcept { return version_; }
  [[nodiscard]] const model& operator*() const noexcept {
    return is_rewritten_ ? made_ : original_;
  }
  /// An error about an operation, at the place of the one that it was made from.
  [[nodiscard]] tessera::error at(errc code, std::size_t index) const {
    return error_at(original_, code,
                    is_rewritten_ ? static_cast<std::size_t>(origins_[index]) : index);
  }

 private:
  const model& original_;
  std::int32_t version_;
  bool is_rewritten_ = false;
  model made_;
  pool<std::int32_t> origins_;
  tessera::error error_;
};

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

/// At most what write_row() and write_variadic_row() store: eleven numbers, brackets and commas.
inline constexpr std::size_t row_capacity = 11 * json::number_capacity + 24;

/// `[min,max,step],latency,cost]`.
[[nodiscard]] inline json::cursor write_row_end(json::cursor to, const operation& o) noexcept {
  const auto number = [&o](json::cursor at, double v, std::uint8_t flag) {
    return is_integral(v, (o.spelled & flag) != 0) ? at.integer(static_cast<std::int64_t>(v))
                                                   : at.number(v);
  };
  to = number(to.literal("["), o.qint.min, spelling::min);
  to = number(to.literal(","), o.qint.max, spelling::max);
  to = number(to.literal(","), o.qint.step, spelling::step);
  to = number(to.literal("],"), o.latency, spelling::latency);
  return number(to.literal(","), o.cost, spelling::cost).literal("]");
}

/// A row of version 2.
[[nodiscard]] inline json::cursor write_row(json::cursor to, const operation& o) noexcept {
  to = to.literal("[").integer(o.id0).literal(",").integer(o.id1).literal(",");
  to = to.integer(static_cast<std::int32_t>(o.code)).literal(",");
  const std::int64_t data = pack_data(o);
  to = (o.spelled & spelling::unsigned_data) != 0 ? to.integer(static_cast<std::uint64_t>(data))
                                                  : to.integer(data);
  return write_row_end(to.literal(","), o);
}

/// The addresses and data values of an operation in versions 3 and 4, but for a sum's: the inverse
/// of set_addresses_and_data.
struct addresses_and_data {
  std::int64_t ids[3] = {};
  std::int64_t data[2] = {};
  std::size_t n_ids = 0, n_data = 0;

  addresses_and_data(const operation& o, std::int32_t version) noexcept
      : ids{o.id0, o.id1, o.data},
        data{o.data, o.shift},
        n_ids(static_cast<std::size_t>(info(o.code).addresses)),
        n_data(static_cast<std::size_t>(info(o.code).data_values)) {
    switch (o.code) {
      case opcode::input: data[0] = o.id0; break;
      case opcode::mux: data[0] = o.shift; break;
      case opcode::quantize:
        data[0] = o.shift;
        if (version == 3) n_data = 0;
        break;
      case opcode::bit_binary: data[0] = o.shift, data[1] = o.data >> 24; break;
      default: break;
    }
  }
};

/// A row of versions 3 and 4 that is no sum.
[[nodiscard]] inline json::cursor write_variadic_row(json::cursor to, const operation& o,
                                                     std::int32_t version) noexcept {
  const addresses_and_data parts(o, version);
  const auto list = [](json::cursor at, const std::int64_t* values, std::size_t count) {
    at = at.literal("[");
    for (std::size_t i = 0; i < count; ++i) at = (i == 0 ? at : at.literal(",")).integer(values[i]);
    return at.literal("]");
  };
  to = list(to.literal("["), parts.ids, parts.n_ids).literal(",");
  to = to.integer(static_cast<std::int32_t>(o.code)).literal(",");
  return write_row_end(list(to, parts.data, parts.n_data).literal(","), o);
}

/// A sum, whose row has no bound.
inline void write_sum_row(json::writer& w, const model& m, const operation& o) {
  w.begin_array().begin_array();
  for (const term& t : terms(m, o)) w.integer(t.id);
  w.end().integer(static_cast<std::int32_t>(o.code)).begin_array();
  for (const term& t : terms(m, o)) w.integer(t.negative ? 0 : 1).integer(t.shift);
  w.end();
  // The row's end is written as one record, whose last bracket is that of begin_array().
  w.record(row_capacity, [&o](json::cursor to) {
    const json::cursor end = write_row_end(to, o);
    return json::cursor(end.place() - 1, double_style::python);
  });
  w.end();
}

inline void write_operation(json::writer& w, const model& m, const operation& o,
                            std::int32_t version) {
  if (o.code == opcode::sum) return write_sum_row(w, m, o);
  w.record(row_capacity, [&o, version](json::cursor to) {
    return version == 2 ? write_row(to, o) : write_variadic_row(to, o, version);
  });
}

/// What no JSON holds, and what the version of the text has no form for.
[[nodiscard]] inline error check_json(const in_version& source) {
  const model& m = *source;
  std::int64_t terms_used = 0;
  for (std::size_t i = 0; i < m.ops.size(); ++i) {
    const operation& o = m.ops[i];
    errc e = check_form(m, o, source.version(), terms_used);
    // A sum of zeros, unless one of them is infinite or no number.
    const double zero =
        0.0 * o.qint.min + 0.0 * o.qint.max + 0.0 * o.qint.step + 0.0 * o.latency + 0.0 * o.cost;
    if (!is_finite(zero)) e = errc::alir_not_finite;
    if (e != errc::ok) return source.at(e, i);
  }
  for (std::size_t i = 0; i < m.tables.size(); ++i) {
    const lookup_table& t = m.tables[i];
    errc e =
        holds_entries(m, i) && t.hash_first <= m.hashes.size() ? errc::ok : errc::alir_table_empty;
    for (const double v : {t.out_qint.min, t.out_qint.max, t.out_qint.step})
      if (!is_finite(v)) e = errc::alir_not_finite;
    if (e != errc::ok) return error_at_table(m, e, i);
  }
  return {};
}

inline void write_table(json::writer& w, const model& m, std::size_t index, int f) {
  const table_spec t = spec_of(m, index, f);
  const auto number = [&](const char* key, double v, std::uint8_t flag) {
    w.key(key);
    if (is_integral(v, (t.spelled & flag) != 0))
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
  for (const std::int32_t v : entries(m, m.tables[index])) w.integer(v);
  w.end().end();
}

/// The array of a model: what is in "model", and a block of a pipeline.
inline void write_block(json::writer& w, const model& m, std::int32_t version) {
  const auto integers = [&w](const pool<std::int32_t>& list) {
    w.begin_array();
    for (const std::int32_t v : list) w.integer(v);
    w.end();
  };
  w.begin_array();
  w.begin_array().integer(m.n_inputs).integer(m.n_outputs).end();
  integers(m.inp_shifts);
  integers(m.out_idxs);
  integers(m.out_shifts);
  w.begin_array();
  for (const std::uint8_t negative : m.out_negs) w.boolean(negative != 0);
  w.end();
  w.begin_array();
  for (const operation& o : m.ops) write_operation(w, m, o, version);
  w.end().integer(m.carry_size).integer(m.adder_size);
  if (m.tables.empty()) {
    w.null();
  } else {
    const pool<std::int16_t> fractions = table_fractions(m);
    w.begin_array();
    for (std::size_t i = 0; i < m.tables.size(); ++i) write_table(w, m, i, fractions[i]);
    w.end();
  }
  w.end();
}

/// What every form of bytecode wants of an operation; `pad` gets a lookup's.
[[nodiscard]] inline errc check_bytecode(const model& m, std::size_t index, std::int64_t& pad) {
  const operation& o = m.ops[index];
  errc e = check_ids(m, index).first();
  if (e == errc::ok) e = check_interval(o.qint);
  if (e != errc::ok) return e;
  const bool is_shift = o.code == opcode::add || o.code == opcode::subtract;
  if (is_shift && !is_int32(o.data)) return errc::alir_bytecode_range;
  if (o.code != opcode::lookup) return errc::ok;
  const interval& x = m.ops[static_cast<std::size_t>(o.id0)].qint;
  const double p = table_pad(x, type_of(x));
  if (o.data < 0 || o.data > INT32_MAX || !(p >= INT32_MIN && p <= INT32_MAX))
    return errc::alir_bytecode_range;
  pad = static_cast<std::int64_t>(p);
  return errc::ok;
}

/// Words of version 2.
[[nodiscard]] inline result<pool<std::int32_t>> write_words(const in_version& source) {
  if (source.error().code != errc::ok) return source.error();
  const model& m = *source;
  if (const error e = check_interface(m); e.code != errc::ok) return e;
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
  std::int64_t terms_used = 0;
  for (std::size_t i = 0; i < m.ops.size(); ++i) {
    const operation& o = m.ops[i];
    std::int64_t pad = 0;
    errc e = check_form(m, o, 2, terms_used);
    if (e == errc::ok) e = check_bytecode(m, i, pad);
    if (e != errc::ok) return source.at(e, i);
    const std::int64_t data =
        o.code == opcode::lookup ? static_cast<std::int64_t>(static_cast<std::uint64_t>(pad) << 32 |
                                                             static_cast<std::uint64_t>(o.data))
                                 : pack_data(o);
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

/// Appends integers as little-endian bytes.
class byte_writer {
 public:
  explicit byte_writer(text& out) noexcept : out_(out) {}

  template <class Int>
  void put(std::int64_t v) {
    store_le(out_.prepare(sizeof(Int)), static_cast<Int>(v));
    out_.advance(sizeof(Int));
  }
  void put_int32s(view<std::int32_t> list) {
    for (const std::int32_t v : list) put<std::int32_t>(v);
  }

 private:
  text& out_;
};

/// One operation of the byte form.
[[nodiscard]] inline errc put_operation(byte_writer& to, const model& m, std::size_t index,
                                        std::int32_t version) {
  const operation& o = m.ops[index];
  std::int64_t pad = 0;
  if (const errc e = check_bytecode(m, index, pad); e != errc::ok) return e;
  const fixed_type t = type_of(o.qint);
  const bool is_sum = o.code == opcode::sum;
  if (t.i < INT8_MIN || t.i > INT8_MAX || t.f < INT8_MIN || t.f > INT8_MAX ||
      (is_sum && o.id1 > UINT16_MAX / 2))
    return errc::alir_bytecode_range;
  to.put<std::int8_t>(static_cast<std::int64_t>(o.code));
  to.put<std::uint8_t>(t.k ? 1 : 0);
  to.put<std::int8_t>(t.i);
  to.put<std::int8_t>(t.f);
  if (is_sum) {
    to.put<std::uint16_t>(o.id1);
    to.put<std::uint16_t>(2 * std::int64_t{o.id1});
    for (const term& x : terms(m, o)) to.put<std::uint32_t>(x.id);
    for (const term& x : terms(m, o)) {
      to.put<std::int64_t>(x.negative ? 0 : 1);
      to.put<std::int64_t>(x.shift);
    }
    return errc::ok;
  }
  addresses_and_data parts(o, version);
  if (o.code == opcode::lookup) parts.data[parts.n_data++] = pad;
  to.put<std::uint16_t>(static_cast<std::int64_t>(parts.n_ids));
  to.put<std::uint16_t>(static_cast<std::int64_t>(parts.n_data));
  for (std::size_t i = 0; i < parts.n_ids; ++i) to.put<std::uint32_t>(parts.ids[i]);
  for (std::size_t i = 0; i < parts.n_data; ++i) to.put<std::int64_t>(parts.data[i]);
  return errc::ok;
}

/// Bytes of versions 3 and 4.
[[nodiscard]] inline result<text> write_bytes(const in_version& source) {
  const model& m = *source;
  if (const error e = check_interface(m); e.code != errc::ok) return e;
  text out;
  (void)out.prepare(32 * m.ops.size());
  byte_writer to(out);
  out << "ALIR";
  for (const std::int64_t v :
       {std::int64_t{source.version()}, m.n_inputs, m.n_outputs,
        static_cast<std::int64_t>(m.ops.size()), static_cast<std::int64_t>(m.tables.size())})
    to.put<std::uint32_t>(v);
  for (const pool<std::int32_t>* list : {&m.inp_shifts, &m.out_idxs, &m.out_shifts})
    to.put_int32s(*list);
  for (const std::uint8_t negative : m.out_negs) to.put<std::uint8_t>(negative != 0 ? 1 : 0);
  std::int64_t terms_used = 0;
  for (std::size_t i = 0; i < m.ops.size(); ++i) {
    errc e = check_form(m, m.ops[i], source.version(), terms_used);
    if (e == errc::ok) e = put_operation(to, m, i, source.version());
    if (e != errc::ok) return source.at(e, i);
  }
  for (const lookup_table& t : m.tables) {
    to.put<std::uint32_t>(static_cast<std::int64_t>(t.count));
    to.put_int32s(entries(m, t));
  }
  return out;
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<text> write_json(const model& m, std::int32_t version) {
  const detail::in_version source(m, version);
  if (source.error().code != errc::ok) return source.error();
  if (const error e = detail::check_json(source); e.code != errc::ok) return e;
  text out;
  (void)out.prepare(64 *
                    (*source).ops.size());  // about what the operations take: 36 bytes at least
  json::writer w(out);
  w.begin_object().key("model");
  detail::write_block(w, *source, source.version());
  w.key("meta").string("ALIRModel").key("spec_version").integer(source.version()).end();
  return out;
}

TESSERA_INLINE result<pool<std::int32_t>> write_bytecode(const model& m) {
  return detail::write_words(detail::in_version(m, 2));
}

TESSERA_INLINE result<text> write(const model& m, const write_options& options) {
  if (options.encoding != encoding::bytecode) return write_json(m, options.version);
  const detail::in_version source(m, options.version);
  if (source.error().code != errc::ok) return source.error();
  if (source.version() != 2) return detail::write_bytes(source);
  const result<pool<std::int32_t>> words = detail::write_words(source);
  if (!words) return words.error();
  text out;
  out.reserve(4 * words->size());
  detail::byte_writer(out).put_int32s(*words);
  return out;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_WRITE_HPP
