// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "value_numbers.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/core/keyed_hash.hpp>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

using alir::opcode;

std::size_t row_numbers::hasher::operator()(std::uint32_t row) const noexcept {
  const auto words = of->at(row);
  return static_cast<std::size_t>(keyed_hash(as_text(std::as_bytes(words))));
}
bool row_numbers::hasher::operator()(std::uint32_t a, std::uint32_t b) const noexcept {
  const auto x = of->at(a), y = of->at(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

std::uint32_t row_numbers::number(std::span<const std::uint64_t> row) {
  const auto next = static_cast<std::uint32_t>(starts_.size() - 1);
  words_.insert(words_.end(), row.begin(), row.end());
  starts_.push_back(words_.size());
  const auto [at, is_new] = rows_.insert(next);
  if (!is_new) {
    starts_.pop_back();
    words_.resize(starts_.back());
  }
  return *at;
}

void value_numbers::add(double v) {
  row_.push_back(v == 0 ? 0 : std::bit_cast<std::uint64_t>(v));  // -0.0 is 0.0
}
void value_numbers::add(const alir::fixed_type& t) {
  add(std::int64_t{t.k} << 40 | (std::int64_t{t.i} + 32768) << 20 | (std::int64_t{t.f} + 32768));
}

/// Each table is looked at once, however many lookups it has.
std::uint32_t value_numbers::table_number(const alir::model& m, std::size_t table) {
  if (std::exchange(numbered_, &m) != &m) {
    table_numbers_.clear();
    for (const alir::lookup_table& t : m.tables) {
      const auto list = entries(m, t);
      const std::vector<std::uint64_t> words(list.begin(), list.end());
      table_numbers_.push_back(tables_.number(words));
    }
  }
  return table_numbers_[table];
}

void value_numbers::add_operands(const alir::program& p, std::size_t i,
                                 std::span<const std::uint32_t> earlier) {
  const alir::operation& o = p.op(i);
  const auto number_of = [&](std::int64_t id) {
    return std::int64_t{earlier[static_cast<std::size_t>(id)]};
  };
  const auto type_of = [&](std::int64_t id) { return p.type(static_cast<std::size_t>(id)); };
  switch (o.code) {
    case opcode::input: add(std::int64_t{o.id0}); return;
    case opcode::constant: return;
    case opcode::sum: {
      std::vector<std::pair<std::int64_t, std::int64_t>> list;
      for (const alir::term& t : terms(p.model(), o))
        list.emplace_back(number_of(t.id), std::int64_t{t.shift} * 2 + (t.negative ? 1 : 0));
      if (how_ == equal::values) std::sort(list.begin(), list.end());
      for (const auto& [id, how] : list) add(id), add(how);
      return;
    }
    case opcode::mux: add(number_of(o.data)), add(type_of(o.data)); break;
    case opcode::lookup: {
      add(std::int64_t{table_number(p.model(), static_cast<std::size_t>(o.data))}), add(p.base(i));
      break;
    }
    case opcode::bit_unary: add(type_of(o.id0)); break;
    case opcode::negate:
    case opcode::add:
    case opcode::subtract:
    case opcode::relu:
    case opcode::quantize:
    case opcode::add_constant:
    case opcode::multiply:
    case opcode::bit_binary: break;
  }
  std::int64_t a = number_of(o.id0), b = o.id1 >= 0 ? number_of(o.id1) : -1;
  const bool commutes = o.code == opcode::multiply || (o.code == opcode::add && o.data == 0) ||
                        (o.code == opcode::bit_binary && o.shift == 0);
  if (how_ == equal::values && commutes && b < a) std::swap(a, b);
  add(a), add(b);
}

void value_numbers::add_type(const alir::program& p, std::size_t i) {
  const alir::interval& q = p.op(i).qint;
  const alir::fixed_type t = p.type(i);
  switch (how_) {
    case equal::types: add(t); return;
    case equal::text:
      add(t), add(q.min), add(q.max), add(q.min == 0 && q.max == 0 ? 0.0 : q.step);
      return;
    case equal::values: break;
  }
  switch (p.op(i).code) {
    case opcode::input:
    case opcode::relu:
    case opcode::quantize:
    case opcode::mux:
    case opcode::bit_unary: add(t); return;
    case opcode::negate:
    case opcode::add:
    case opcode::subtract:
    case opcode::add_constant:
    case opcode::constant:
    case opcode::multiply:
    case opcode::lookup:
    case opcode::bit_binary:
    case opcode::sum: add(std::int64_t{t.f}); return;
  }
}

std::uint32_t value_numbers::number(const alir::program& p, std::size_t i,
                                    std::span<const std::uint32_t> earlier) {
  const alir::operation& o = p.op(i);
  row_.clear();
  add(static_cast<std::int64_t>(o.code));
  add_operands(p, i, earlier);
  const bool has_data = o.code == opcode::add || o.code == opcode::subtract ||
                        o.code == opcode::add_constant || o.code == opcode::constant ||
                        o.code == opcode::bit_unary || o.code == opcode::bit_binary;
  add(has_data ? o.data : 0);
  add(std::int64_t{o.shift});
  add_type(p, i);
  return rows_.number(row_);
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
