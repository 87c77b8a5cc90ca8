// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of alir/read_bytecode.hpp.

#ifndef TESSERA_ALIR_DETAIL_READ_BYTECODE_HPP
#define TESSERA_ALIR_DETAIL_READ_BYTECODE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "../../core/bytes.hpp"
#include "../../core/limits.hpp"
#include "../../core/result.hpp"
#include "../format.hpp"
#include "../read_bytecode.hpp"
#include "../read_json.hpp"
#include "../verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

/// The widest interval of a type, or false when no interval has the type.
[[nodiscard]] inline bool widest_interval(fixed_type t, interval& q) noexcept {
  if (t.f < -127 || t.f > 126 || t.width() < 0 || t.width() > (t.k ? 64 : 63)) return false;
  const double step = power_of_two(-t.f), end = power_of_two(t.i);
  if (t.width() == 0)  // below half a step from zero, unless it is zero
    q = t.f == 0 ? interval{} : interval{0, step / 4, step};
  else  // above 53 bits, end - step is no double, and end would need one more bit
    q = {t.k ? -end : 0.0, t.width() <= 53 ? end - step : end * (1 - 0x1p-53), step};
  return type_of(q) == t;
}

/// Makes the interval of a lookup's operand start so that its table pad is `pad`.
[[nodiscard]] inline bool set_pad(interval& q, std::int64_t pad) noexcept {
  const fixed_type t = type_of(q);
  if (t.width() == 0) return pad == 0;
  q.min = stored(static_cast<double>(pad) * q.step - (t.k ? power_of_two(t.i) : 0.0));
  if (t.k && q.min == 0.0) q.min = -q.step / 4;  // rounds to 0 as well, and keeps the type signed
  if (q.min > q.max) q.max = q.min;              // the float rule of type_of can leave the top out
  return type_of(q) == t && table_pad(q, t) == static_cast<double>(pad);
}

/// Reads values one after the other; past the end everything is 0 and an error sticks.
class byte_cursor {
 public:
  byte_cursor(bytes source, bool host_order) noexcept : source_(source), host_order_(host_order) {}

  template <class T>
  [[nodiscard]] T take() noexcept {
    if (remaining() < sizeof(T)) {
      fail(errc::alir_bytecode_truncated, source_.size());
      offset_ = source_.size();
      return T{};
    }
    T v;
    if (host_order_)
      std::memcpy(&v, source_.data() + offset_, sizeof v);
    else
      v = load_le<T>(source_.data() + offset_);
    offset_ += sizeof v;
    return v;
  }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  [[nodiscard]] std::uint64_t remaining() const noexcept { return source_.size() - offset_; }
  void fail(errc code, std::uint64_t offset) noexcept {
    if (error_.code == errc::ok) error_ = {code, offset};
  }
  [[nodiscard]] bool failed() const noexcept { return error_.code != errc::ok; }
  [[nodiscard]] tessera::error error() const noexcept { return error_; }

 private:
  bytes source_;
  bool host_order_;
  std::size_t offset_ = 0;
  tessera::error error_;
};

class bytecode_reader {
 public:
  bytecode_reader(bytes source, bool host_order, const limits& limit) noexcept
      : in_(source, host_order), host_order_(host_order), size_(source.size()), limit_(limit) {}

  result<model> read() {
    if (size_ > limit_.max_bytes) return error{errc::input_too_large, limit_.max_bytes};
    if (size_ >> 36 != 0) return error{errc::input_too_large, std::uint64_t{1} << 36};
    const auto first = in_.take<std::uint32_t>();
    if (in_.failed()) return in_.error();
    const bool words = host_order_ || first != magic;
    if (words && size_ % 4 != 0) return error{errc::alir_bytecode_alignment, size_ / 4 * 4};
    const std::uint64_t version_at = in_.offset() - (words ? 4 : 0);
    const std::int64_t version = words ? std::int64_t{static_cast<std::int32_t>(first)}
                                       : std::int64_t{in_.take<std::uint32_t>()};
    if (in_.failed()) return in_.error();
    errc e = check_version(version);
    if (e == errc::ok && (version == 2) != words) e = errc::alir_version_unknown;
    if (e != errc::ok) return error{e, version_at};
    if (size_ < header_size) return error{errc::alir_bytecode_truncated, size_};
    m_.spec_version = static_cast<std::int32_t>(version);
    m_.source.is_bytecode = true;
    if (words)
      read_words();
    else
      read_bytes();
    if (!in_.failed() && in_.remaining() != 0) in_.fail(errc::alir_bytecode_trailing, in_.offset());
    if (in_.failed()) return in_.error();
    return std::move(m_);
  }

 private:
  static constexpr std::uint32_t magic = 0x52494c41;  // "ALIR"
  static constexpr std::uint64_t header_size = 24;    // of both forms

  /// A count of items of at least `size` bytes each, which the remaining bytes must be able to
  /// hold together with the `claimed` bytes of the counts before it.
  [[nodiscard]] std::int64_t take_count(std::uint64_t size) {
    const std::uint64_t at = in_.offset();
    const auto n = in_.take<std::int32_t>();
    claimed_ += size * static_cast<std::uint32_t>(n);
    if (n < 0 || claimed_ > size_)
      in_.fail(errc::alir_bytecode_count, at);
    else if (static_cast<std::uint64_t>(n) > limit_.max_items)
      in_.fail(errc::too_many_items, at);
    return in_.failed() ? 0 : n;
  }
  void take_int32s(pool<std::int32_t>& list, std::int64_t count) {
    if (list.empty()) list.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count && !in_.failed(); ++i)
      list.push_back(in_.take<std::int32_t>());
  }
  template <class Flag>
  [[nodiscard]] bool take_flag() {
    const std::uint64_t at = in_.offset();
    const auto v = in_.take<Flag>();
    if (v != 0 && v != 1) in_.fail(errc::alir_bytecode_flag, at);
    return v == 1;
  }

  /// Counts, shifts and outputs: the same in both forms but for the size of the flags.
  template <class Flag>
  void read_interface(std::uint64_t operation_size) {
    m_.source.shape = in_.offset();
    m_.n_inputs = take_count(4);
    m_.n_outputs = take_count(8 + sizeof(Flag));
    operations_ = take_count(operation_size);
    tables_ = take_count(4);
    m_.source.inp_shifts = in_.offset();
    take_int32s(m_.inp_shifts, m_.n_inputs);
    m_.source.out_idxs = in_.offset();
    for (std::int64_t i = 0; i < m_.n_outputs; ++i)
      m_.source.outputs.push_back(in_.offset() + 4 * static_cast<std::uint64_t>(i));
    take_int32s(m_.out_idxs, m_.n_outputs);
    m_.source.out_shifts = in_.offset();
    take_int32s(m_.out_shifts, m_.n_outputs);
    m_.source.out_negs = in_.offset();
    for (std::int64_t i = 0; i < m_.n_outputs && !in_.failed(); ++i)
      m_.out_negs.push_back(take_flag<Flag>() ? 1 : 0);
    m_.ops.reserve(static_cast<std::size_t>(operations_));
    m_.source.ops.reserve(static_cast<std::size_t>(operations_));
    m_.tables.reserve(static_cast<std::size_t>(tables_));
    m_.source.tables.reserve(static_cast<std::size_t>(tables_));
  }

  void set_opcode(operation& o, std::int32_t code, std::int32_t last, std::uint64_t at) {
    if (code < first_opcode || code > last)
      in_.fail(errc::alir_opcode, at);
    else
      o.code = static_cast<opcode>(code);
  }
  template <class Int, class Flag>
  void take_type(operation& o) {
    const std::uint64_t at = in_.offset();
    const bool k = take_flag<Flag>();
    const std::int32_t i = in_.take<Int>(), f = in_.take<Int>();
    if (in_.failed()) return;
    if (i < -1000 || i > 1000 || f < -1000 || f > 1000 ||
        !widest_interval({k, static_cast<std::int16_t>(i), static_cast<std::int16_t>(f)}, o.qint))
      in_.fail(errc::alir_bytecode_type, at);
  }
  /// The pad of a lookup, `at` its place; the operand gets the interval that it implies.
  void take_pad(const operation& lookup, std::int64_t pad, std::uint64_t at) {
    if (lookup.id0 < 0 || static_cast<std::size_t>(lookup.id0) >= m_.ops.size()) return;
    const auto x = static_cast<std::size_t>(lookup.id0);
    if (padded_.empty()) padded_.resize(static_cast<std::size_t>(operations_));
    interval q = m_.ops[x].qint;
    if (!is_int32(pad) || !set_pad(q, pad))
      in_.fail(errc::alir_bytecode_pad, at);
    else if (padded_[x] != 0 && !(q == m_.ops[x].qint))
      in_.fail(errc::alir_bytecode_pad_conflict, at);
    m_.ops[x].qint = q;
    padded_[x] = 1;
  }

  void read_words() {
    (void)in_.take<std::int32_t>();  // the firmware version says nothing about the program
    claimed_ = header_size;
    read_interface<std::int32_t>(32);
    for (std::int64_t n = 0; n < operations_ && !in_.failed(); ++n) {
      const std::uint64_t at = in_.offset();
      operation o;
      set_opcode(o, in_.take<std::int32_t>(), last_opcode - 1, at);
      o.id0 = in_.take<std::int32_t>();
      o.id1 = in_.take<std::int32_t>();
      const auto low = in_.take<std::int32_t>(), high = in_.take<std::int32_t>();
      const bool low_only =
          o.code == opcode::add || o.code == opcode::subtract || o.code == opcode::lookup;
      unpack_data(o, low_only ? std::int64_t{low}
                              : static_cast<std::int64_t>(
                                    std::uint64_t{static_cast<std::uint32_t>(high)} << 32 |
                                    static_cast<std::uint32_t>(low)));
      take_type<std::int32_t, std::int32_t>(o);
      if (o.code == opcode::lookup) take_pad(o, high, at + 16);
      m_.ops.push_back(o);
      m_.source.ops.push_back(
          {.start = (at + 4) & place_mask, .id1 = 4, .condition = 8, .data = 8, .qint = 16});
    }
    pool<std::int32_t> sizes;
    const std::uint64_t sizes_at = in_.offset();
    take_int32s(sizes, in_.failed() ? 0 : tables_);
    for (std::size_t t = 0; t < sizes.size() && !in_.failed(); ++t)
      read_entries(sizes[t], sizes_at + 4 * t);
  }

  void read_bytes() {
    claimed_ = header_size;
    read_interface<std::uint8_t>(8);
    pool<std::int32_t> ids;
    pool<std::int64_t> data;
    for (std::int64_t n = 0; n < operations_ && !in_.failed(); ++n) {
      const std::uint64_t at = in_.offset();
      operation o;
      set_opcode(o, in_.take<std::int8_t>(), last_opcode, at);
      take_type<std::int8_t, std::uint8_t>(o);
      const std::uint64_t ids_at = in_.offset();
      const std::uint64_t n_ids = in_.take<std::uint16_t>(), n_data = in_.take<std::uint16_t>();
      if (4 * n_ids + 8 * n_data > in_.remaining())
        in_.fail(errc::alir_bytecode_truncated, size_);
      else if (n_ids > limit_.max_items || n_data > limit_.max_items)
        in_.fail(errc::too_many_items, ids_at);
      if (in_.failed()) return;
      ids.clear(), data.clear();
      const std::uint64_t start = in_.offset();
      for (std::uint64_t i = 0; i < n_ids; ++i) ids.push_back(in_.take<std::int32_t>());
      const std::uint64_t data_at = in_.offset();
      for (std::uint64_t i = 0; i < n_data; ++i) data.push_back(in_.take<std::int64_t>());
      // Bytecode stores the pad of a lookup after its table; the model derives it.
      const bool pad = o.code == opcode::lookup && data.size() == 2;
      if (o.code == opcode::lookup && !pad) return in_.fail(errc::alir_data, ids_at);
      const std::int64_t pad_value = pad ? data[1] : 0;
      if (pad) data.pop_back();
      errc e = check_counts(o.code, ids.size(), data.size());
      if (o.code == opcode::quantize && data.empty() != (m_.spec_version == 3)) e = errc::alir_data;
      if (e == errc::ok && m_.terms.size() + ids.size() > INT32_MAX) e = errc::too_many_items;
      if (e != errc::ok) return in_.fail(e, ids_at);
      e = set_addresses_and_data(m_, o, ids, data);
      if (e != errc::ok) return in_.fail(e, data_at);
      if (pad) take_pad(o, pad_value, data_at + 8);
      m_.ops.push_back(o);
      m_.source.ops.push_back({.start = start & place_mask,
                               .id1 = 4,
                               .condition = 8,
                               .data = data_at - start < 127 ? (data_at - start) & 127 : 0,
                               .qint = 0});
    }
    for (std::int64_t t = 0; t < tables_ && !in_.failed(); ++t) {
      const std::uint64_t at = in_.offset();
      read_entries(in_.take<std::int32_t>(), at);
    }
  }

  /// The entries of one table; its size was at `at`. (table_data grows by doubling: an exact
  /// reserve for each of many small tables would be quadratic.)
  void read_entries(std::int32_t size, std::uint64_t at) {
    if (in_.failed()) return;
    const auto n = static_cast<std::uint32_t>(size);
    if (size < 0 || std::uint64_t{n} * 4 > in_.remaining())
      return in_.fail(errc::alir_bytecode_count, at);
    if (n > limit_.max_items) return in_.fail(errc::too_many_items, at);
    lookup_table t;
    t.first = m_.table_data.size();
    t.count = n;
    for (std::uint32_t i = 0; i < n; ++i) m_.table_data.push_back(in_.take<std::int32_t>());
    m_.tables.push_back(t);
    m_.source.tables.push_back(at);
  }

  static constexpr std::uint64_t place_mask = (std::uint64_t{1} << 36) - 1;

  byte_cursor in_;
  bool host_order_;  // words of this host, which can't be the byte form
  std::uint64_t size_;
  limits limit_;
  model m_;
  std::uint64_t claimed_ = 0;
  std::int64_t operations_ = 0, tables_ = 0;
  pool<std::uint8_t> padded_;
};

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE result<model> read_bytecode(bytes source, const limits& limit) {
  return detail::bytecode_reader(source, false, limit).read();
}

TESSERA_INLINE result<model> read_bytecode(std::span<const std::int32_t> words,
                                           const limits& limit) {
  return detail::bytecode_reader(std::as_bytes(words), true, limit).read();
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_READ_BYTECODE_HPP
