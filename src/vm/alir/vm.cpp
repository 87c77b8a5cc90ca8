// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Planning: from a verified program to instructions over rows that are used again.

#include "vm.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::alir {

namespace {

using tessera::alir::alignment;
using tessera::alir::fixed_type;
using tessera::alir::opcode;
using tessera::alir::operation;
using tessera::alir::program;

[[nodiscard]] shift make_shift(std::int64_t left) noexcept {
  return {static_cast<std::uint8_t>(left > 0 ? left : 0),
          static_cast<std::uint8_t>(left < 0 ? -left : 0)};
}

[[nodiscard]] std::uint64_t low_bits(int count) noexcept {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// The operations whose values operation i reads, each once or more.
template <class Visit>
void each_operand(const program& p, std::size_t i, Visit visit) {
  const operation& o = p.op(i);
  switch (o.code) {
    case opcode::input:
    case opcode::constant: return;
    case opcode::sum:
      for (const tessera::alir::term& t : terms(p.model(), o))
        visit(static_cast<std::size_t>(t.id));
      return;
    default:
      visit(static_cast<std::size_t>(o.id0));
      if (o.id1 >= 0) visit(static_cast<std::size_t>(o.id1));
      if (o.code == opcode::mux) visit(static_cast<std::size_t>(o.data));
  }
}

/// Gives each value a row for as long as it is needed.
class row_allocator {
 public:
  explicit row_allocator(const program& p)
      : program_(p), last_reader_(p.size(), 0), row_(p.size()) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      last_reader_[i] = i;  // a value that nobody reads is dead at once
      each_operand(p, i, [this, i](std::size_t x) { last_reader_[x] = i; });
    }
    for (const std::int32_t x : p.model().out_idxs)
      if (x >= 0) last_reader_[static_cast<std::size_t>(x)] = p.size();
  }
  /// The row of operation i's value, which may be that of an operand that dies here.
  std::uint32_t place(std::size_t i) {
    each_operand(program_, i, [this, i](std::size_t x) { free_if_last(x, i); });
    if (free_.empty()) {
      row_[i] = count_++;
    } else {
      row_[i] = free_.back();
      free_.pop_back();
    }
    const std::uint32_t row = row_[i];
    free_if_last(i, i);
    return row;
  }
  [[nodiscard]] std::uint32_t operator[](std::int64_t i) const {
    return row_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

 private:
  void free_if_last(std::size_t x, std::size_t reader) {
    if (last_reader_[x] != reader) return;
    last_reader_[x] = program_.size() + 1;  // an operand that stands twice is freed once
    free_.push_back(row_[x]);
  }

  const program& program_;
  std::vector<std::size_t> last_reader_;
  std::vector<std::uint32_t> row_;
  std::vector<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

}  // namespace

machine::scale machine::make_scale(std::int64_t exponent) noexcept {
  const auto near = static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000));
  return {near, near >= -1022 && near <= 1023 ? std::ldexp(1.0, near) : 0.0};
}

machine::machine(const program& p, std::uint64_t max_memory)
    : table_data_(p.model().table_data.begin(), p.model().table_data.end()) {
  const tessera::alir::model& m = p.model();
  inputs_ = static_cast<std::size_t>(m.n_inputs);
  for (const tessera::alir::lookup_table& t : m.tables)
    tables_.push_back({static_cast<std::size_t>(t.first), static_cast<std::size_t>(t.count)});

  row_allocator rows(p);
  code_.reserve(p.size() + 1);
  for (std::size_t index = 0; index < p.size(); ++index) {
    const operation& o = p.op(index);
    const fixed_type t = p.type(index);
    const alignment s = p.shifts(index);
    instruction i;
    i.a_shift = make_shift(s.a);
    i.b_shift = make_shift(s.b);
    i.result_shift = make_shift(s.result);
    i.mask = low_bits(t.width());
    i.sign = t.k ? std::uint64_t{1} << (t.width() - 1) : 0;
    const auto operands = [&](kind what) {
      i.what = what;
      i.a = rows[o.id0];
      if (o.id1 >= 0) i.b = rows[o.id1];
    };
    const auto width_of = [&p](std::int64_t x) {
      return p.type(static_cast<std::size_t>(x)).width();
    };
    switch (o.code) {
      case opcode::input:
        i.what = kind::input;
        i.a = static_cast<std::uint32_t>(o.id0);
        i.b = static_cast<std::uint32_t>(scales_.size());
        scales_.push_back(
            make_scale(std::int64_t{m.inp_shifts[static_cast<std::size_t>(o.id0)]} + t.f));
        break;
      case opcode::negate: operands(kind::negate); break;
      case opcode::add: operands(kind::add); break;
      case opcode::subtract: operands(kind::subtract); break;
      case opcode::relu: operands(kind::relu); break;
      case opcode::quantize: operands(kind::quantize); break;
      case opcode::add_constant:
        operands(kind::add_constant);
        i.constant = static_cast<std::uint64_t>(o.data) << i.b_shift.left;
        break;
      case opcode::constant:
        i.what = kind::constant;
        i.constant = static_cast<std::uint64_t>(o.data);
        break;
      case opcode::mux: {
        operands(kind::mux);
        i.c = rows[o.data];
        const int width = width_of(o.data);
        i.constant = width > 0 ? std::uint64_t{1} << (width - 1) : 0;
        break;
      }
      case opcode::multiply: operands(kind::multiply); break;
      case opcode::lookup:
        operands(kind::lookup);
        i.b = static_cast<std::uint32_t>(o.data);
        i.constant = static_cast<std::uint64_t>(p.base(index));
        break;
      case opcode::bit_unary: {
        constexpr kind kinds[] = {kind::invert, kind::any, kind::all};
        operands(kinds[o.data]);
        // A signed result keeps the sign bits that inverting sets.
        i.mask = o.data == 0 && t.k ? low_bits(64) : low_bits(width_of(o.id0));
        break;
      }
      case opcode::bit_binary: {
        constexpr kind kinds[] = {kind::conjunction, kind::disjunction, kind::exclusive};
        operands(kinds[o.data >> 24]);
        break;
      }
      case opcode::sum:
        i.what = kind::sum;
        i.a = static_cast<std::uint32_t>(terms_.size());
        for (const std::int64_t common = p.sum_fraction(index);
             const tessera::alir::term& x : terms(m, o))
          terms_.push_back(
              {rows[x.id], static_cast<std::uint8_t>(p.term_shift(common, x)), x.negative});
        i.b = static_cast<std::uint32_t>(terms_.size());
        break;
    }
    i.to = rows.place(index);
    code_.push_back(i);
  }
  code_.push_back({});
  rows_ = rows.count();
  for (std::size_t j = 0; j < m.out_idxs.size(); ++j) {
    output o;
    if (m.out_idxs[j] >= 0) {
      const auto x = static_cast<std::size_t>(m.out_idxs[j]);
      o = {std::int64_t{rows[m.out_idxs[j]]}, m.out_negs[j] != 0,
           make_scale(std::int64_t{m.out_shifts[j]} - p.type(x).f)};
    }
    outputs_.push_back(o);
  }
  if (memory() <= max_memory) values_.resize(static_cast<std::size_t>(rows_ * lanes));
}

outcome machine::run(std::span<const double> in, std::span<double> out, std::uint64_t samples,
                     const budget& limit) {
  return run_observed(in, out, samples, limit, no_observer{});
}

void machine::write_outputs(double* out, std::size_t n) const noexcept {
  for (std::size_t j = 0; j < outputs_.size(); ++j) {
    const output& o = outputs_[j];
    const std::uint64_t* const row =
        values_.data() + static_cast<std::size_t>(o.row < 0 ? 0 : o.row) * lanes;
    for (std::size_t s = 0; s < n; ++s) {
      const auto v = o.row < 0 ? 0 : static_cast<std::int64_t>(o.negative ? 0 - row[s] : row[s]);
      out[s * outputs_.size() + j] = o.to_double(static_cast<double>(v));
    }
  }
}

}  // namespace vm::alir
}  // namespace tessera::inline TESSERA_ABI
