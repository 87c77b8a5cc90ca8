// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Compiling: bounds of all values, what is needed, what becomes part of a sum, and then, depth first
// from the outputs, instructions and their rows. Each step looks at each operand once.

#include "compile.hpp"

#include <algorithm>
#include <utility>

#include "range.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::alir {

namespace {

using tessera::alir::alignment;
using tessera::alir::fixed_type;
using tessera::alir::opcode;
using tessera::alir::operation;
using tessera::alir::program;

/// Terms of a sum at most. All their rows are in use when it starts, so that a long chain of
/// additions must not become one sum; and more terms gain next to nothing.
constexpr unsigned max_terms = 64;

[[nodiscard]] scale make_scale(std::int64_t exponent) noexcept {
  const auto near = static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000));
  return {near, near >= -1022 && near <= 1023 ? std::ldexp(1.0, near) : 0.0};
}

class compiler {
 public:
  compiler(const program& p, const compile_options& how)
      : p_(p), m_(p.model()), how_(how), nodes_(p.size()) {}

  compiled_program make() {
    find_ranges();
    find_readers();
    place_inputs();
    // Lookups that no output needs run too, for they may trap.
    for (const std::int32_t x : m_.out_idxs)
      if (x >= 0 && !how_.one_to_one) emit_from(static_cast<std::uint32_t>(x));
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (how_.one_to_one || (nodes_[i].traps && !nodes_[i].visited)) emit_from(i);
    add_outputs();
    program_.code.push_back({});
    for (const tessera::alir::lookup_table& t : m_.tables)
      program_.tables.push_back({t.first, t.count});
    program_.table_data.assign(m_.table_data.begin(), m_.table_data.end());
    program_.n_inputs = static_cast<std::size_t>(m_.n_inputs);
    program_.operations = p_.size();
    program_.rows = row_count_;
    program_.lane_bits = lane_bits();
    return std::move(program_);
  }

 private:
  using kind = instruction::kind;
  using id = std::uint32_t;
  static constexpr std::uint32_t no_row = UINT32_MAX;

  struct node {
    range values;
    std::uint32_t readers = 0;  ///< operands and outputs that name it and haven't been emitted
    std::uint32_t row = no_row;
    std::uint8_t terms = 1;  ///< of the sum that it is
    bool linear = false;     ///< a sum of terms and constants without a shift to the right
    bool joined = false;     ///< part of the sum of its one reader
    bool traps = false;      ///< a lookup that isn't proven
    bool visited = false;
  };

  [[nodiscard]] node& at(std::int64_t x) noexcept { return nodes_[static_cast<std::size_t>(x)]; }
  [[nodiscard]] int width_of(std::int64_t x) const noexcept {
    return p_.type(static_cast<std::size_t>(x)).width();
  }

  /// The operations whose values operation i reads, each once or more.
  template <class Visit>
  void each_operand(id i, Visit visit) const {
    const operation& o = p_.op(i);
    switch (o.code) {
      case opcode::input:
      case opcode::constant: return;
      case opcode::sum:
        for (const tessera::alir::term& t : terms(m_, o)) visit(static_cast<id>(t.id));
        return;
      case opcode::negate:
      case opcode::add:
      case opcode::subtract:
      case opcode::relu:
      case opcode::quantize:
      case opcode::add_constant:
      case opcode::mux:
      case opcode::multiply:
      case opcode::lookup:
      case opcode::bit_unary:
      case opcode::bit_binary:
        visit(static_cast<id>(o.id0));
        if (o.id1 >= 0) visit(static_cast<id>(o.id1));
        if (o.code == opcode::mux) visit(static_cast<id>(o.data));
    }
  }

  // The bits that lanes need ---------------------------------------------------------------------

  /// These numbers are looked at as a whole, so lanes must hold them.
  void need(const range& r) noexcept { needed_ = either(needed_, r); }
  /// A shift by so many bits must be possible.
  void need_shift(std::int64_t by) noexcept { max_shift_ = std::max(max_shift_, by); }

  [[nodiscard]] int lane_bits() const noexcept {
    if (how_.one_to_one) return 64;
    for (const int bits : {16, 32})
      if (bits >= how_.min_lane_bits && fits(needed_, bits) && max_shift_ < bits) return bits;
    return 64;
  }

  // Where a sum is shifted to the right, and which numbers that shift sees.
  [[nodiscard]] range finished(const range& r, std::int64_t by) noexcept {
    if (by < 0) {
      need(r);
      need_shift(-by);
    }
    return shifted(r, by);
  }

  void find_ranges() {
    table_ranges_.reserve(m_.tables.size());
    for (const tessera::alir::lookup_table& t : m_.tables) {
      const auto list = entries(m_, t);
      const auto [low, high] = std::minmax_element(list.begin(), list.end());
      table_ranges_.push_back({*low, *high});
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].values = range_of(i);
    for (std::size_t j = 0; j < m_.out_idxs.size(); ++j) {
      if (m_.out_idxs[j] < 0) continue;
      const range& r = at(m_.out_idxs[j]).values;
      need(m_.out_negs[j] != 0 ? either(r, subtract({}, r)) : r);
    }
  }

  /// The values that operation i can have, given those of its operands. Marks what is linear and
  /// what may trap.
  [[nodiscard]] range range_of(std::size_t i) {
    const operation& o = p_.op(i);
    const alignment s = p_.shifts(i);
    node& n = nodes_[i];
    const range a =
        o.id0 >= 0 && o.code != opcode::input && o.code != opcode::sum ? at(o.id0).values : range{};
    const range b = o.id1 >= 0 && o.code != opcode::sum ? at(o.id1).values : range{};
    const range own = values_of(p_.type(i));
    const auto wrapped = [&own](const range& r) { return r.within(own) ? r : own; };
    n.linear = s.result >= 0;
    switch (o.code) {
      case opcode::input: n.linear = false; return own;
      case opcode::negate: return subtract({}, a);
      case opcode::add: return finished(add(shifted(a, s.a), shifted(b, s.b)), s.result);
      case opcode::subtract: return finished(subtract(shifted(a, s.a), shifted(b, s.b)), s.result);
      case opcode::add_constant:
        return finished(add(shifted(a, s.a), shifted({o.data, o.data}, s.b)), s.result);
      case opcode::sum: {
        range total;
        for (const std::int64_t common = p_.sum_fraction(i);
             const tessera::alir::term& t : terms(m_, o)) {
          const range x = shifted(at(t.id).values, p_.term_shift(common, t));
          total = t.negative ? subtract(total, x) : add(total, x);
        }
        return finished(total, s.result);
      }
      case opcode::constant: return {o.data, o.data};
      case opcode::quantize: {
        const range r = finished(a, s.result);
        n.linear = n.linear && r.within(own);
        return wrapped(r);
      }
      case opcode::relu: {
        need(a);
        need_shift(-s.result);
        n.linear = n.linear && a.low >= 0 && shifted(a, s.result).within(own);
        return wrapped(shifted(
            {std::max<std::int64_t>(a.low, 0), std::max<std::int64_t>(a.high, 0)}, s.result));
      }
      case opcode::mux: {
        n.linear = false;
        need_shift(width_of(o.data) - 1);
        if (s.a > 0 || s.b > 0) need_shift(std::max(s.a, s.b));
        return wrapped(either(finished(a, s.a), finished(b, s.b)));
      }
      case opcode::multiply: n.linear = false; return multiply(a, b);
      case opcode::lookup: {
        n.linear = false;
        const range index = subtract(a, {p_.base(i), p_.base(i)});
        const auto table = static_cast<std::size_t>(o.data);
        // At least one entry, and at most 2^27 of them: see limits.
        n.traps = !index.within({0, static_cast<std::int64_t>(m_.tables[table].count - 1)});
        need(a);
        need(index);
        return table_ranges_[table];
      }
      case opcode::bit_unary:
        n.linear = false;
        if (o.data != 0) {
          need(a);
          return {0, 1};
        }
        return p_.type(i).k || width_of(o.id0) == 64
                   ? range{~a.high, ~a.low}
                   : range{0, signed_bits(width_of(o.id0) + 1).high};
      case opcode::bit_binary:
        n.linear = false;
        need_shift(std::max(s.a, s.b));
        return bitwise(shifted(a, s.a), shifted(b, s.b));
    }
    return anything;
  }

  // What is needed, and by whom ------------------------------------------------------------------

  /// Whether an operation computes its value from a sum of its operands: an operand that is a sum
  /// can be merged into it, even if the result is then shifted, tested and wrapped.
  [[nodiscard]] static bool takes_terms(opcode code) noexcept {
    return code == opcode::negate || code == opcode::add || code == opcode::subtract ||
           code == opcode::relu || code == opcode::quantize || code == opcode::add_constant ||
           code == opcode::sum;
  }

  /// Counts readers, and makes operands part of the sum that reads them. Where they are linear no
  /// bit is lost on the way, whatever the lane, because all of it is arithmetic modulo 2^L. Their
  /// own values are not kept, so they have one reader; and these need not fit, so they add nothing
  /// to need(). Backwards, so that all readers of an operation come before it.
  void find_readers() {
    for (const std::int32_t x : m_.out_idxs)
      if (x >= 0) ++at(x).readers;
    for (id i = static_cast<id>(nodes_.size()); i-- > 0;) {
      node& n = nodes_[i];
      if (n.readers == 0 && !n.traps && !how_.one_to_one) continue;
      const operation& o = p_.op(i);
      const bool is_sum = takes_terms(o.code);
      const auto count = static_cast<std::uint32_t>(o.code == opcode::sum ? o.id1
                                                    : o.id1 >= 0          ? 2
                                                                          : 1);
      // Until it has a row, an operation keeps there the sum that it could join.
      const id wanted = std::exchange(n.row, no_row);
      id sum = i;
      if (wanted != no_row && is_sum && n.linear && n.readers == 1 && !how_.one_to_one &&
          nodes_[wanted].terms + count - 1 <= max_terms) {
        n.joined = true;
        sum = wanted;
        nodes_[sum].terms = static_cast<std::uint8_t>(nodes_[sum].terms + count - 1);
      } else {
        n.terms = static_cast<std::uint8_t>(std::min(count, max_terms));
      }
      if (!is_sum) sum = no_row;
      each_operand(i, [this, sum](id x) {
        ++nodes_[x].readers;
        nodes_[x].row = sum;
      });
    }
  }

  // Rows -----------------------------------------------------------------------------------------

  [[nodiscard]] std::uint32_t take_row() {
    if (free_.empty()) return row_count_++;
    const std::uint32_t row = free_.back();
    free_.pop_back();
    return row;
  }
  /// One reader of x is done.
  void release(id x) {
    node& n = nodes_[x];
    if (--n.readers == 0 && n.row != no_row) free_.push_back(n.row);
  }
  /// The row of an operand. A constant has one from its first reader on.
  [[nodiscard]] std::uint32_t row_of(std::int64_t x) {
    node& n = at(x);
    if (n.row == no_row) {
      n.row = take_row();
      program_.code.push_back(
          {.what = kind::sum, .to = n.row, .constant = p_.op(static_cast<std::size_t>(x)).data});
    }
    return n.row;
  }

  void place_inputs() {
    for (id i = 0; i < nodes_.size(); ++i) {
      node& n = nodes_[i];
      const operation& o = p_.op(i);
      if (o.code != opcode::input || (n.readers == 0 && !how_.one_to_one)) continue;
      n.row = take_row();
      const fixed_type t = p_.type(i);
      const instruction type{.width = static_cast<std::uint8_t>(t.width()), .is_signed = t.k};
      program_.inputs.push_back(
          {.index = static_cast<std::uint32_t>(o.id0),
           .row = n.row,
           .to_grid =
               make_scale(std::int64_t{m_.inp_shifts[static_cast<std::size_t>(o.id0)]} + t.f),
           .mask = type.mask(),
           .sign = type.sign()});
    }
    // As they are in a sample, which is how they are read fastest.
    std::stable_sort(program_.inputs.begin(), program_.inputs.end(),
                     [](const input& a, const input& b) { return a.index < b.index; });
  }

  void add_outputs() {
    program_.outputs.reserve(m_.out_idxs.size());
    for (std::size_t j = 0; j < m_.out_idxs.size(); ++j) {
      const std::int32_t x = m_.out_idxs[j];
      if (x < 0) {
        program_.outputs.push_back({});
        continue;
      }
      program_.outputs.push_back({.row = row_of(x),
                                  .negative = m_.out_negs[j],
                                  .zero = false,
                                  .to_double = make_scale(std::int64_t{m_.out_shifts[j]} -
                                                          p_.type(static_cast<std::size_t>(x)).f)});
    }
  }

  // Instructions ---------------------------------------------------------------------------------

  /// Emits operation i after all operations that it needs and that aren't emitted yet.
  void emit_from(id i) {
    path_.push_back({i, false});
    while (!path_.empty()) {
      auto& [x, opened] = path_.back();
      if (opened || nodes_[x].visited) {
        const bool now = opened;
        const id done = x;
        path_.pop_back();
        if (now && !nodes_[done].joined) emit(done);
        continue;
      }
      opened = nodes_[x].visited = true;
      const std::size_t first = path_.size();
      each_operand(x, [this](id operand) {
        __builtin_prefetch(&nodes_[operand]);
        __builtin_prefetch(&p_.op(operand));
        path_.push_back({operand, false});
      });
      std::reverse(path_.begin() + static_cast<std::ptrdiff_t>(first), path_.end());
    }
  }

  static void wrap(instruction& i, const fixed_type& t) noexcept {
    i.width = static_cast<std::uint8_t>(t.width());
    i.is_signed = t.k;
  }

  void add_sum(id x, instruction& i) {
    const std::int64_t result = p_.shifts(x).result;
    i.what = result < 0 ? kind::quantize : kind::sum;
    i.right = static_cast<std::uint8_t>(result < 0 ? -result : 0);
    flatten(x, i, std::max<std::int64_t>(result, 0));
  }

  /// A relu or quantize, which is a sum where it changes nothing but the scale.
  void add_rounded(id x, instruction& i) {
    if (nodes_[x].linear && !how_.one_to_one) return add_sum(x, i);
    const std::int64_t result = p_.shifts(x).result;
    const bool is_relu = p_.op(x).code == opcode::relu;
    wrap(i, p_.type(x));
    i.what = is_relu ? kind::relu : kind::quantize;
    i.right = static_cast<std::uint8_t>(result < 0 ? -result : 0);
    // What a sum is shifted to the left its terms are, unless its sign is looked at between.
    if (is_relu && result > 0) {
      i.left = static_cast<std::uint8_t>(result);
      need_shift(result);
    }
    flatten(x, i, is_relu ? 0 : std::max<std::int64_t>(result, 0));
  }

  void add_mux(id x, instruction& i) {
    const operation& o = p_.op(x);
    const alignment s = p_.shifts(x);
    wrap(i, p_.type(x));
    const int width = width_of(o.data);
    if (width == 0) {  // a type without bits has none that is 1
      i.what = kind::quantize;
      i.right = static_cast<std::uint8_t>(s.b < 0 ? -s.b : 0);
      i.a = 1;
      const auto left = static_cast<std::uint32_t>(std::max<std::int64_t>(s.b, 0));
      program_.terms.push_back({left & 63u, row_of(o.id1) & (max_rows - 1)});
      return;
    }
    i.what = kind::mux;
    i.bit = static_cast<std::uint8_t>(width - 1);
    i.c = row_of(o.data);
    // The shifted operand is the second.
    const bool swap = s.a != 0;
    const std::int64_t by = swap ? s.a : s.b;
    i.bit_value = !swap;
    i.a = row_of(swap ? o.id1 : o.id0);
    i.b = row_of(swap ? o.id0 : o.id1);
    i.left = static_cast<std::uint8_t>(by > 0 ? by : 0);
    i.right = static_cast<std::uint8_t>(by < 0 ? -by : 0);
  }

  void emit(id x) {
    const operation& o = p_.op(x);
    const alignment s = p_.shifts(x);
    instruction i;
    switch (o.code) {
      case opcode::input:
        if (!how_.one_to_one) return;
        i.what = kind::input;
        i.to = nodes_[x].row;
        program_.code.push_back(i);
        if (nodes_[x].readers == 0) free_.push_back(i.to);
        return;
      case opcode::constant:
        if (!how_.one_to_one) return;
        i.constant = o.data;
        i.what = kind::sum;
        break;
      case opcode::relu:
      case opcode::quantize: add_rounded(x, i); break;
      case opcode::negate:
      case opcode::add:
      case opcode::subtract:
      case opcode::add_constant:
      case opcode::sum: add_sum(x, i); break;
      case opcode::mux: add_mux(x, i); break;
      case opcode::multiply:
        i.what = kind::multiply;
        i.a = row_of(o.id0);
        i.b = row_of(o.id1);
        break;
      case opcode::lookup:
        i.what = nodes_[x].traps ? kind::lookup : kind::safe_lookup;
        program_.can_trap = program_.can_trap || nodes_[x].traps;
        i.a = row_of(o.id0);
        i.b = static_cast<std::uint32_t>(o.data);
        i.c = x;
        i.constant = p_.base(x);
        break;
      case opcode::bit_unary: {
        constexpr kind kinds[] = {kind::invert, kind::any, kind::all};
        i.what = kinds[o.data];
        i.a = row_of(o.id0);
        // A signed result keeps the sign bits that inverting sets.
        i.width = static_cast<std::uint8_t>(o.data == 0 && p_.type(x).k ? 64 : width_of(o.id0));
        break;
      }
      case opcode::bit_binary: {
        constexpr kind kinds[] = {kind::conjunction, kind::disjunction, kind::exclusive};
        i.what = kinds[o.data >> 24];
        i.a = row_of(s.a != 0 ? o.id1 : o.id0);
        i.b = row_of(s.a != 0 ? o.id0 : o.id1);
        i.left = static_cast<std::uint8_t>(std::max(s.a, s.b));
        break;
      }
    }
    if (!takes_terms(o.code)) each_operand(x, [this](id operand) { release(operand); });
    i.to = nodes_[x].row = take_row();
    program_.code.push_back(i);
    if (nodes_[x].readers == 0) free_.push_back(i.to);
  }

  /// An operand of a sum that is a sum itself: ± x << left.
  struct part {
    id x;
    std::int64_t left;
    bool negative;
  };

  /// The terms of operation x, shifted to the left, with those of the operands that joined it.
  void flatten(id x, instruction& i, std::int64_t left) {
    const std::size_t first = program_.terms.size();
    subtracted_.clear();
    read_.clear();
    constant_ = 0;
    open({x, left, false}, p_.shifts(x));
    while (!parts_.empty()) {
      part now = parts_.back();
      parts_.pop_back();
      const alignment s = p_.shifts(now.x);
      now.left += s.result;  // never to the right: it is linear
      open(now, s);
    }
    i.constant = static_cast<std::int64_t>(constant_);
    i.a = static_cast<std::uint32_t>(program_.terms.size() - first);
    i.b = static_cast<std::uint32_t>(subtracted_.size());
    program_.terms.insert(program_.terms.end(), subtracted_.begin(), subtracted_.end());
    for (const id operand : read_) release(operand);
  }

  void open(const part& sum, const alignment& s) {
    const operation& o = p_.op(sum.x);
    if (o.code == opcode::sum) {
      for (const std::int64_t common = p_.sum_fraction(sum.x);
           const tessera::alir::term& t : terms(m_, o))
        add_part({static_cast<id>(t.id), sum.left + p_.term_shift(common, t),
                  t.negative != sum.negative});
      return;
    }
    add_part({static_cast<id>(o.id0), sum.left + s.a, sum.negative != (o.code == opcode::negate)});
    if (o.id1 >= 0)
      add_part(
          {static_cast<id>(o.id1), sum.left + s.b, sum.negative != (o.code == opcode::subtract)});
    if (o.code == opcode::add_constant) add_constant(o.data, sum.left + s.b, sum.negative);
  }

  void add_part(const part& now) {
    if (nodes_[now.x].joined) {
      parts_.push_back(now);
      return;
    }
    read_.push_back(now.x);
    if (const operation& o = p_.op(now.x); o.code == opcode::constant && !how_.one_to_one) {
      add_constant(o.data, now.left, now.negative);
    } else if (now.left < 64) {  // beyond, all bits of the term are 0
      need_shift(now.left);
      const auto by = static_cast<std::uint32_t>(now.left);
      (now.negative ? subtracted_ : program_.terms)
          .push_back({by & 63u, row_of(now.x) & (max_rows - 1)});
    }
  }

  void add_constant(std::int64_t v, std::int64_t by, bool negative) noexcept {
    if (by > 63) return;
    const std::uint64_t c = static_cast<std::uint64_t>(v) << by;
    constant_ = negative ? constant_ - c : constant_ + c;
  }

  const program& p_;
  const tessera::alir::model& m_;
  compile_options how_;
  compiled_program program_;
  std::vector<node> nodes_;
  std::vector<range> table_ranges_;
  range needed_;
  std::int64_t max_shift_ = 0;
  std::vector<std::uint32_t> free_;
  std::uint32_t row_count_ = 0;
  std::vector<std::pair<id, bool>> path_;
  std::vector<part> parts_;
  std::vector<term> subtracted_;
  std::vector<id> read_;
  std::uint64_t constant_ = 0;
};

}  // namespace

compiled_program compile(const program& p, const compile_options& how) {
  return compiler(p, how).make();
}

}  // namespace vm::alir
}  // namespace tessera::inline TESSERA_ABI
