// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of alir/read_json.hpp.

#ifndef TESSERA_ALIR_DETAIL_READ_JSON_HPP
#define TESSERA_ALIR_DETAIL_READ_JSON_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/json_read.hpp"
#include "../read_json.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

[[nodiscard]] constexpr bool is_int32(std::int64_t v) noexcept {
  return v >= INT32_MIN && v <= INT32_MAX;
}

/// Splits the 64-bit data of version 2 into the fields of an operation.
constexpr void unpack_data(operation& o, std::int64_t raw) noexcept {
  const auto low = static_cast<std::int32_t>(raw);
  const auto high = static_cast<std::int32_t>(raw >> 32);
  switch (o.code) {
    case opcode::add_constant:
    case opcode::mux: o.data = low, o.shift = high; break;
    case opcode::bit_binary: o.data = static_cast<std::uint32_t>(high), o.shift = low; break;
    default: o.data = raw;
  }
}

/// Fills an operation from the addresses and data values of versions 3 and 4, whose numbers have
/// been checked against the opcode. Terms of a sum go to `m`.
inline errc set_addresses_and_data(model& m, operation& o, view<std::int32_t> ids,
                                   view<std::int64_t> data) {
  const auto shift = [&o](std::int64_t v) {
    o.shift = static_cast<std::int32_t>(v);
    return is_int32(v) ? errc::ok : errc::alir_shift;
  };
  if (o.code == opcode::sum) {
    o.id0 = static_cast<std::int32_t>(m.terms.size());
    o.id1 = static_cast<std::int32_t>(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (data[2 * i] != 0 && data[2 * i] != 1) return errc::alir_sum_sign;
      if (!is_int32(data[2 * i + 1])) return errc::alir_shift;
      m.terms.push_back({ids[i], static_cast<std::int32_t>(data[2 * i + 1]), data[2 * i] == 0});
    }
    return errc::ok;
  }
  if (ids.size() > 0) o.id0 = ids[0];
  if (ids.size() > 1) o.id1 = ids[1];
  if (data.size() > 0) o.data = data[0];
  switch (o.code) {
    case opcode::input:
      o.data = 0;
      if (!is_int32(data[0])) return errc::alir_input_index;
      o.id0 = static_cast<std::int32_t>(data[0]);
      return errc::ok;
    case opcode::quantize: o.data = 0; return data.empty() ? errc::ok : shift(data[0]);
    case opcode::add_constant: return shift(data[1]);
    case opcode::mux: o.data = ids[2]; return shift(data[0]);
    case opcode::bit_binary:
      if (data[1] < 0 || data[1] > 2) return errc::alir_sub_operation;
      o.data = data[1] << 24;
      return shift(data[0]);
    default: return errc::ok;
  }
}

/// Whether a row of versions 3 and 4 has as many addresses and data values as its opcode wants.
/// (A quantize has no value in version 3 and one in version 4.)
[[nodiscard]] constexpr errc check_counts(opcode code, std::size_t ids, std::size_t data) noexcept {
  const opcode_row& row = info(code);
  if (code == opcode::sum) return data == 2 * ids ? errc::ok : errc::alir_data;
  if (ids != static_cast<std::size_t>(row.addresses)) return errc::alir_addresses;
  if (code == opcode::quantize && data == 0) return errc::ok;
  return data == static_cast<std::size_t>(row.data_values) ? errc::ok : errc::alir_data;
}

/// What read_json and the byte form of read_bytecode hold against the version at the end.
[[nodiscard]] constexpr errc check_version(std::int64_t version) noexcept {
  if (version == 0 || version == 1) return errc::alir_version_1;
  return version >= 2 && version <= 4 ? errc::ok : errc::alir_version_unknown;
}

/// Where the fast path puts operations. It leaves what is wrong, or to be noted, to the reader.
struct operation_sink {
  operation* ops;
  source_map::place* places;
  const char* text;
  std::size_t count = 0, most = 0;

  /// In its place, field by field: assembling it elsewhere and copying takes twice the time.
  [[gnu::always_inline]] operation& next(const json::row& r) noexcept {
    operation& o = *::new (static_cast<void*>(ops + count)) operation;
    o.code = static_cast<opcode>(r.integers[2]);
    o.spelled = static_cast<std::uint8_t>(r.integral);
    o.qint = {r.numbers[0], r.numbers[1], r.numbers[2]};
    o.latency = r.numbers[3];
    o.cost = r.numbers[4];
    return o;
  }
  [[gnu::always_inline]] bool takes(const json::row& r) const noexcept {
    return r.integers[2] >= first_opcode && r.integers[2] < last_opcode && count != most;
  }
  [[gnu::always_inline]] bool add(const char* at, source_map::place place) noexcept {
    place.start = static_cast<std::uint64_t>(at - text) & ((std::uint64_t{1} << 36) - 1);
    places[count++] = place;
    return true;
  }
};

static_assert(spelling::min == 1 && spelling::max == 2 && spelling::step == 4 &&
                  spelling::latency == 8 && spelling::cost == 16,
              "row_numbers::integral has the bits of spelling");

/// Version 2.
struct plain_sink : operation_sink {
  [[gnu::always_inline]] bool operator()(const json::row& r) noexcept {
    if (!takes(r)) return false;
    operation& o = next(r);
    o.id0 = r.integers[0];
    o.id1 = r.integers[1];
    unpack_data(o, r.second[0]);
    source_map::place at{};
    at.id1 = r.first_at[1] & 127;
    at.data = at.condition = r.second_at & 127;
    at.qint = r.group_at & 127;
    return add(r.at, at);
  }
};

/// Versions 3 and 4, but for sums.
struct variadic_sink : operation_sink {
  model& m;
  bool unshifted_quantize, shifted_quantize;  // whether the first of these has been noted

  [[gnu::always_inline]] bool operator()(const json::row& r) {
    if (!takes(r)) return false;
    operation& o = next(r);
    // What a list has not is -1 and 0, as in an operation.
    const std::int32_t ids[] = {r.integers[0], r.integers[1], r.integers[3]};
    if (check_counts(o.code, r.first_count, r.second_count) != errc::ok ||
        (o.code == opcode::quantize &&
         !(r.second_count == 0 ? unshifted_quantize : shifted_quantize)) ||
        set_addresses_and_data(m, o, {ids, 3}, {r.second, 2}) != errc::ok)
      return false;
    source_map::place at{};
    if (r.first_count > 1) at.id1 = r.first_at[1] & 127;
    if (r.first_count > 2) at.condition = r.first_at[2] & 127;
    at.data = (r.second_at + (o.code == opcode::input ? 1u : 0u)) & 127;
    at.qint = r.group_at & 127;
    return add(r.at, at);
  }
};

class json_model_reader {
 public:
  json_model_reader(std::string_view source, const limits& limit, json::row_path rows)
      : in_(source, limit), limit_(limit), size_(source.size()), rows_(rows) {}

  result<model> read() {
    if (size_ >> 36 != 0) return error{errc::input_too_large, std::uint64_t{1} << 36};
    const std::uint64_t start = in_.offset();
    if (in_.peek() == json::kind::array) {
      in_.skip();
      const error e = in_.finish();
      return e.code != errc::ok ? e : error{errc::alir_version_1, start};
    }
    bool has_model = false, has_meta = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "model") {
        reserve_operations();
        read_model();
        has_model = true;
      } else if (key == "meta") {
        const std::uint64_t at = in_.offset();
        const std::string_view meta = in_.string();
        if (meta != "ALIRModel" && meta != "DAISModel") in_.fail(errc::alir_meta, at);
        has_meta = true;
      } else if (key == "spec_version") {
        version_at_ = in_.offset();
        version_ = in_.int64();
        if (const errc e = check_version(version_); e != errc::ok) in_.fail(e, version_at_);
      } else {
        in_.skip();
      }
    }
    if (!has_model) in_.fail(errc::alir_missing_model, start);
    if (!has_meta) in_.fail(errc::alir_missing_meta, start);
    if (version_ < 0) in_.fail(errc::alir_missing_version, start);
    check_form();
    if (const error e = in_.finish(); e.code != errc::ok) return e;
    m_.spec_version = static_cast<std::int32_t>(version_);
    return std::move(m_);
  }

 protected:
  static constexpr std::uint64_t nowhere = UINT64_MAX;
  static constexpr std::uint64_t near_mask = 127;

  /// A distance as source_map::place holds it.
  [[nodiscard]] static constexpr std::uint64_t near(std::uint64_t distance) noexcept {
    return distance < near_mask ? distance : 0;
  }

  /// Appends unless the list, which starts at `first`, is full.
  template <class T>
  void append(pool<T>& list, std::uint64_t at, T value, std::uint64_t first = 0) {
    if (list.size() - first >= limit_.max_items || list.size() >= INT32_MAX)
      in_.fail(errc::too_many_items, at);
    else
      list.push_back(std::move(value));
  }
  void read_int32s(pool<std::int32_t>& list, pool<std::uint64_t>* places = nullptr) {
    const std::uint64_t first = list.size();
    for (in_.array(); in_.element();) {
      if (places == nullptr && read_small_integers(list, first)) continue;
      const std::uint64_t at = in_.offset();
      append(list, at, in_.int32(), first);
      if (places != nullptr) places->push_back(at);
    }
  }
  /// Takes integers of up to 9 digits that commas follow, as many as there are: most of a table.
  bool read_small_integers(pool<std::int32_t>& list, std::uint64_t first) {
    if (rows_ == json::row_path::none) return false;
    const std::string_view rest = in_.rest();
    const char* done = rest.data();
    const char* const end = done + rest.size();
    for (const char* p = done; end - p > 16;) {
      const bool negative = *p == '-';
      if (negative) ++p;
      const char* const digits = p;
      std::int32_t v = 0;
      for (; *p >= '0' && *p <= '9' && p - digits < 9; ++p) v = v * 10 + (*p - '0');
      if (p == digits || *p != ',' || (*digits == '0' && p - digits > 1) ||
          list.size() - first >= limit_.max_items || list.size() >= INT32_MAX)
        break;
      list.push_back(negative ? -v : v);
      done = p++;
      if (*p == ' ') ++p;
    }
    in_.resume(done);
    return done != rest.data();
  }
  void field() { in_.require_element(errc::alir_model_fields); }

  /// About as many as a text has that holds one model.
  void reserve_operations() {
    m_ = model{};
    m_.ops.reserve(to_size(size_ / 48));
    m_.source.ops.reserve(to_size(size_ / 48));
  }

  void read_model() {
    in_.array();
    field();
    read_shape();
    field();
    m_.source.inp_shifts = in_.offset();
    read_int32s(m_.inp_shifts);
    field();
    m_.source.out_idxs = in_.offset();
    read_int32s(m_.out_idxs, &m_.source.outputs);
    field();
    m_.source.out_shifts = in_.offset();
    read_int32s(m_.out_shifts);
    field();
    m_.source.out_negs = in_.offset();
    for (in_.array(); in_.element();) {
      const std::uint64_t at = in_.offset();
      const bool negative = in_.peek() == json::kind::number ? in_.int64() != 0 : in_.boolean();
      append(m_.out_negs, at, static_cast<std::uint8_t>(negative));
    }
    field();
    for (in_.array(); in_.element();)
      if (!read_rows()) read_operation();
    field();
    m_.carry_size = in_.int64();
    field();
    m_.adder_size = in_.int64();
    if (!in_.element()) return;
    if (in_.peek() == json::kind::null)
      in_.null();
    else
      for (in_.array(); in_.element();) read_table();
    in_.end_array(errc::alir_model_fields);
  }

  void read_shape() {
    m_.source.shape = in_.offset();
    in_.array();
    in_.require_element();
    m_.n_inputs = in_.int64();
    in_.require_element();
    m_.n_outputs = in_.int64();
    in_.end_array();
  }

  /// A float, or an integer in its place, which sets `flag` in `spelled`.
  double read_number(std::uint8_t& spelled, std::uint8_t flag) {
    const std::uint64_t at = in_.offset();
    const json::number n = in_.number();
    if (!n.integral) return n.value;
    if (n.value >= 9007199254740992.0 || n.value <= -9007199254740992.0)
      in_.fail(errc::alir_number_precision, at);
    spelled = static_cast<std::uint8_t>(spelled | flag);
    return n.value + 0.0;  // the integer -0 is 0
  }

  [[nodiscard]] opcode read_opcode(std::int32_t last) {
    const std::uint64_t at = in_.offset();
    const std::int64_t code = in_.int64();
    if (code < first_opcode || code > last) in_.fail(errc::alir_opcode, at);
    return in_.failed() ? opcode::constant : static_cast<opcode>(code);
  }

  /// Reads operations in their usual spelling, as many as the fast path takes; false when the one
  /// that comes next is none of them.
  bool read_rows() {
    const std::string_view rest = in_.rest();
    const std::uint64_t offset = in_.offset();
    if (offset < 16 || rest.size() < 2 || in_.depth_left() < 2) return false;
    operation_sink to{m_.ops.prepare(64), m_.source.ops.prepare(64), rest.data() - offset};
    std::uint64_t most = max_operations() - m_.ops.size();
    for (const std::size_t room : {m_.ops.available(), m_.source.ops.available()})
      if (room < most) most = room;
    to.most = to_size(most);
    if (rest[1] == '[')
      return read_rows<json::row_form::lists>(
          rest, variadic_,
          variadic_sink{to, m_, unshifted_quantize_ != nowhere, shifted_quantize_ != nowhere});
    return read_rows<json::row_form::flat>(rest, plain_, plain_sink{to});
  }
  template <json::row_form Form, class Sink>
  bool read_rows(std::string_view rest, std::uint64_t& first_row, Sink sink) {
    const std::uint64_t offset = in_.offset();
    const std::size_t comma = rest.substr(0, 64).find(',');
    const bool spaced = rest.substr(comma == std::string_view::npos ? 0 : comma + 1, 1) == " ";
    const auto read = json::find_row_reader<Form, Sink>(spaced, rows_);
    if (read == nullptr) return false;
    in_.resume(read(rest.data(), rest.data() + rest.size(), spaced, sink));
    m_.ops.advance(sink.count);
    m_.source.ops.advance(sink.count);
    if (sink.count != 0 && first_row == nowhere) first_row = offset;
    return sink.count != 0;
  }
  [[nodiscard]] std::uint64_t max_operations() const noexcept {
    return limit_.max_items < INT32_MAX ? limit_.max_items : INT32_MAX;
  }

  void read_operation() {
    const auto part = [this] { in_.require_element(errc::alir_operation_fields); };
    const std::uint64_t row = in_.offset();
    operation o;
    source_map::place place{};
    in_.array();
    part();
    const std::uint64_t start = in_.offset();
    const auto distance = [this, start] { return near(in_.offset() - start); };
    if (in_.peek() == json::kind::array) {
      if (variadic_ == nowhere) variadic_ = row;
      read_addresses_and_data(o, place);
    } else {
      if (plain_ == nowhere) plain_ = row;
      o.id0 = in_.int32();
      part();
      place.id1 = distance() & near_mask;
      o.id1 = in_.int32();
      part();
      o.code = read_opcode(last_opcode - 1);
      part();
      place.data = place.condition = distance() & near_mask;
      bool above = false;
      unpack_data(o, in_.int64_pattern(above));
      if (above) o.spelled = spelling::unsigned_data;
    }
    place.start = start & ((std::uint64_t{1} << 36) - 1);
    part();
    place.qint = distance() & near_mask;
    in_.array();
    in_.require_element();
    o.qint.min = read_number(o.spelled, spelling::min);
    in_.require_element();
    o.qint.max = read_number(o.spelled, spelling::max);
    in_.require_element();
    o.qint.step = read_number(o.spelled, spelling::step);
    in_.end_array();
    part();
    o.latency = read_number(o.spelled, spelling::latency);
    part();
    o.cost = read_number(o.spelled, spelling::cost);
    in_.end_array(errc::alir_operation_fields);
    append(m_.ops, row, o);
    m_.source.ops.push_back(place);
  }

  /// `[id,...],opcode,[data,...]` of versions 3 and 4.
  void read_addresses_and_data(operation& o, source_map::place& place) {
    const std::uint64_t start = in_.offset();
    const auto distance = [start](std::uint64_t at) { return near(at - start); };
    ids_.clear();
    data_.clear();
    for (in_.array(); in_.element();) {
      const std::uint64_t at = in_.offset();
      if (ids_.size() == 1) place.id1 = distance(at) & near_mask;
      if (ids_.size() == 2) place.condition = distance(at) & near_mask;
      append(ids_, at, in_.int32());
    }
    in_.require_element(errc::alir_operation_fields);
    o.code = read_opcode(last_opcode);
    in_.require_element(errc::alir_operation_fields);
    const std::uint64_t data_at = in_.offset();
    place.data = distance(data_at) & near_mask;
    for (in_.array(); in_.element();) {
      const std::uint64_t at = in_.offset();
      if (data_.empty() && o.code == opcode::input) place.data = distance(at) & near_mask;
      append(data_, at, in_.int64());
    }
    if (in_.failed()) return;
    if (o.code == opcode::quantize) {
      std::uint64_t& first = data_.empty() ? unshifted_quantize_ : shifted_quantize_;
      if (first == nowhere) first = data_at;
    }
    errc e = check_counts(o.code, ids_.size(), data_.size());
    if (e == errc::ok && m_.terms.size() + ids_.size() > INT32_MAX) e = errc::too_many_items;
    if (e == errc::ok) e = set_addresses_and_data(m_, o, ids_, data_);
    if (e != errc::ok) in_.fail(e, e == errc::alir_addresses ? start : data_at);
  }

  void read_table() {
    const std::uint64_t at = in_.offset();
    lookup_table t;
    t.first = m_.table_data.size();
    bool has_table = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "table") {
        read_int32s(m_.table_data);
        t.count = m_.table_data.size() - t.first;
        has_table = true;
      } else if (key == "spec") {
        read_table_spec(t);
      } else {
        in_.skip();
      }
    }
    if (!has_table) in_.fail(errc::alir_table_values, at);
    append(m_.tables, at, t);
    m_.source.tables.push_back(at);
  }
  void read_table_spec(lookup_table& t) {
    const std::uint64_t at = in_.offset();
    bool has_hash = false, has_interval = false, has_width = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "hash") {
        const std::string_view hash = in_.string();
        t.hash_first = m_.hashes.size();
        t.hash_size = hash.size();
        m_.hashes << hash;
        has_hash = true;
      } else if (key == "out_qint") {
        read_table_interval(t);
        has_interval = true;
      } else if (key == "inp_width") {
        t.inp_width = in_.int64();
        has_width = true;
      } else {
        in_.skip();
      }
    }
    if (!has_hash || !has_interval || !has_width) in_.fail(errc::alir_table_spec, at);
    t.has_spec = true;
  }
  void read_table_interval(lookup_table& t) {
    const std::uint64_t at = in_.offset();
    std::uint8_t seen = 0;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      const std::uint8_t flag = key == "min"    ? spelling::min
                                : key == "max"  ? spelling::max
                                : key == "step" ? spelling::step
                                                : std::uint8_t{0};
      if (flag == 0) {
        in_.skip();
        continue;
      }
      double& value = flag == spelling::min   ? t.out_qint.min
                      : flag == spelling::max ? t.out_qint.max
                                              : t.out_qint.step;
      value = read_number(t.spelled, flag);
      seen = static_cast<std::uint8_t>(seen | flag);
    }
    if (seen != (spelling::min | spelling::max | spelling::step))
      in_.fail(errc::alir_table_interval, at);
  }

  /// The version may come after the model, so rows are checked against it at the end.
  void check_form() {
    const std::uint64_t row = version_ == 2 ? variadic_ : plain_;
    if (row != nowhere) in_.fail(errc::alir_operation_form, row);
    const std::uint64_t quantize = version_ == 3 ? shifted_quantize_ : unshifted_quantize_;
    if (version_ != 2 && quantize != nowhere) in_.fail(errc::alir_data, quantize);
  }

  /// The array of a model that is one of several in a text, whose rows are checked against
  /// `version`; 0: against the version that they show. A copy of what is needed: blocks are many.
  [[nodiscard]] model read_block(std::int32_t version) {
    for (pool<std::int32_t>* list : {&m_.inp_shifts, &m_.out_idxs, &m_.out_shifts, &m_.table_data})
      list->clear();
    m_.out_negs.clear(), m_.ops.clear(), m_.tables.clear(), m_.terms.clear();
    m_.hashes.truncate(0);
    m_.source.ops.clear(), m_.source.outputs.clear(), m_.source.tables.clear();
    plain_ = variadic_ = unshifted_quantize_ = shifted_quantize_ = nowhere;
    read_model();
    version_ = version;
    if (version == 0) version_ = variadic_ == nowhere ? 2 : unshifted_quantize_ != nowhere ? 3 : 4;
    check_form();
    m_.spec_version = static_cast<std::int32_t>(version_);
    return m_;
  }

  json::reader in_;
  limits limit_;
  std::uint64_t size_;
  json::row_path rows_;
  model m_;
  std::int64_t version_ = -1;
  std::uint64_t version_at_ = 0;
  // First places of the forms by which versions differ.
  std::uint64_t plain_ = nowhere, variadic_ = nowhere;
  std::uint64_t unshifted_quantize_ = nowhere, shifted_quantize_ = nowhere;
  pool<std::int32_t> ids_;
  pool<std::int64_t> data_;
};

/// The error that names an unsupported spec_version, if the text as a whole is JSON and has one.
[[nodiscard]] inline error version_error(std::string_view source, const limits& limit) {
  json::reader in(source, limit);
  error found;
  std::string_view key;
  for (in.object(); in.key(key);) {
    const std::uint64_t at = in.offset();
    if (key == "spec_version" && in.peek() == json::kind::number)
      found = {check_version(in.int64()), at};
    else
      in.skip();
  }
  return in.finish().code == errc::ok ? found : error{};
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<model> read_json(std::string_view source, const limits& limit,
                                       json::row_path rows) {
  result<model> m = detail::json_model_reader(source, limit, rows).read();
  if (m) return m;
  // A file of another version fails somewhere in its model; what its reader needs to hear is that.
  if (const error e = detail::version_error(source, limit); e.code != errc::ok) return e;
  return m;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_READ_JSON_HPP
