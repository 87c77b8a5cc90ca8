// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/diff.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <tessera/core/shortest.hpp>
#include <utility>
#include <vector>

#include "operands.hpp"
#include "tessera/inspect/alir/statistics.hpp"
#include "value_numbers.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using alir::opcode;

constexpr std::int32_t no_partner = alir_operation_difference::none;

[[nodiscard]] std::vector<std::int64_t> operands_of(const alir::program& p, std::size_t i) {
  std::vector<std::int64_t> out;
  each_operand(p, i, [&out](std::size_t x) { out.push_back(static_cast<std::int64_t>(x)); });
  return out;
}

[[nodiscard]] std::string number(double v) {
  text out;
  append_double(out, v, double_style::python);
  return std::string(out.view());
}

/// Pairs the operations of two programs.
class operation_pairs {
 public:
  operation_pairs(const alir::program& a, const alir::program& b)
      : a_(a),
        b_(b),
        how_(a.model().source.is_bytecode || b.model().source.is_bytecode
                 ? value_numbers::equal::types
                 : value_numbers::equal::text),
        partner_of_a_(a.size(), no_partner),
        partner_of_b_(b.size(), no_partner) {
    pair_equal();
    pair_similar();
  }

  [[nodiscard]] std::int32_t of_a(std::size_t i) const noexcept { return partner_of_a_[i]; }
  [[nodiscard]] std::int32_t of_b(std::size_t j) const noexcept { return partner_of_b_[j]; }
  /// Whether two operations are a pair, or compute the same: of equal ones any may be the partner.
  [[nodiscard]] bool same(std::size_t a, std::size_t b) const noexcept {
    return partner_of_a_[a] == static_cast<std::int32_t>(b) || numbers_a_[a] == numbers_b_[b];
  }
  [[nodiscard]] bool types_only() const noexcept { return how_ == value_numbers::equal::types; }

 private:
  /// Lists of operations of the first program, by number.
  class waiting {
   public:
    void add(std::uint32_t number, std::size_t operation) {
      if (number >= lists_.size()) lists_.resize(number + 1);
      lists_[number].operations.push_back(static_cast<std::int32_t>(operation));
    }
    /// The next that is still free.
    template <class Free>
    [[nodiscard]] std::int32_t take(std::uint32_t number, Free is_free) {
      if (number >= lists_.size()) return no_partner;
      list& l = lists_[number];
      while (l.next < l.operations.size())
        if (const std::int32_t x = l.operations[l.next++]; is_free(x)) return x;
      return no_partner;
    }

   private:
    struct list {
      std::vector<std::int32_t> operations;
      std::size_t next = 0;
    };
    std::vector<list> lists_;
  };

  void join(std::int32_t a, std::size_t b) {
    partner_of_a_[static_cast<std::size_t>(a)] = static_cast<std::int32_t>(b);
    partner_of_b_[b] = a;
  }
  [[nodiscard]] std::int32_t take(waiting& from, std::uint32_t number) const {
    return from.take(number, [this](std::int32_t x) {
      return partner_of_a_[static_cast<std::size_t>(x)] == no_partner;
    });
  }

  void pair_equal() {
    value_numbers same(how_);
    waiting list;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      numbers_a_.push_back(same.number(a_, i, numbers_a_));
      list.add(numbers_a_.back(), i);
    }
    for (std::size_t j = 0; j < b_.size(); ++j) {
      numbers_b_.push_back(same.number(b_, j, numbers_b_));
      // Of several that are equal the one at its old place, so that its twins keep theirs.
      if (j < a_.size() && numbers_a_[j] == numbers_b_[j]) join(static_cast<std::int32_t>(j), j);
    }
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (partner_of_b_[j] != no_partner) continue;
      if (const std::int32_t a = take(list, numbers_b_[j]); a != no_partner) join(a, j);
    }
  }

  /// What makes operations similar, the best first.
  enum class similarity : std::uint8_t { opcode_and_operands, operands, first, second };
  static constexpr similarity similarities[] = {
      similarity::opcode_and_operands, similarity::operands, similarity::first, similarity::second};

  /// The number of what an operation has in that respect; `ids` are those of operands in both
  /// programs. False if it has nothing there.
  [[nodiscard]] bool similar(similarity what, const alir::program& p, std::size_t i,
                             const std::vector<std::uint32_t>& ids, std::uint32_t& out) {
    const std::vector<std::int64_t> operands = operands_of(p, i);
    const alir::operation& o = p.op(i);
    row_.assign(1, static_cast<std::uint64_t>(what));
    if (what != similarity::operands)
      row_.push_back(static_cast<std::uint64_t>(static_cast<std::int64_t>(o.code)));
    if (o.code == opcode::input) row_.push_back(static_cast<std::uint64_t>(o.id0));
    const auto id_of = [&](std::size_t k) {
      return std::uint64_t{ids[static_cast<std::size_t>(operands[k])]};
    };
    switch (what) {
      case similarity::operands:
        if (operands.empty()) return false;
        [[fallthrough]];
      case similarity::opcode_and_operands:
        for (std::size_t k = 0; k < operands.size(); ++k) row_.push_back(id_of(k));
        break;
      case similarity::first:
        if (operands.empty()) return false;
        row_.push_back(id_of(0));
        break;
      case similarity::second:
        if (operands.size() < 2) return false;
        row_.push_back(id_of(1));
        break;
    }
    out = rows_.number(row_);
    return true;
  }

  void pair_similar() {
    // Ids that both programs share: numbers; what only the second has takes that of its partner.
    const std::vector<std::uint32_t>& ids_a = numbers_a_;
    std::vector<std::uint32_t> ids_b;
    value_numbers same(how_);
    waiting equal, alike;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (partner_of_a_[i] != no_partner) continue;
      equal.add(same.number(a_, i, ids_a), i);
      std::uint32_t n = 0;
      for (const similarity s : similarities)
        if (similar(s, a_, i, ids_a, n)) alike.add(n, i);
    }
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (partner_of_b_[j] == no_partner) {
        std::int32_t a = take(equal, same.number(b_, j, ids_b));
        std::uint32_t n = 0;
        for (const similarity s : similarities)
          if (a == no_partner && similar(s, b_, j, ids_b, n)) a = take(alike, n);
        if (a != no_partner) join(a, j);
      }
      ids_b.push_back(partner_of_b_[j] != no_partner ? static_cast<std::uint32_t>(partner_of_b_[j])
                                                     : static_cast<std::uint32_t>(a_.size() + j));
    }
  }

  const alir::program& a_;
  const alir::program& b_;
  value_numbers::equal how_;
  std::vector<std::int32_t> partner_of_a_, partner_of_b_;
  std::vector<std::uint32_t> numbers_a_, numbers_b_;
  row_numbers rows_;
  std::vector<std::uint64_t> row_;
};

class comparison {
 public:
  comparison(const alir::program& a, const alir::program& b) : a_(a), b_(b), pairs_(a, b) {}

  [[nodiscard]] alir_difference run() && {
    compare_models();
    compare_outputs();
    for (std::size_t i = 0; i < a_.size(); ++i) {
      const std::int32_t j = pairs_.of_a(i);
      alir_operation_difference d{static_cast<std::int32_t>(i), j, {}};
      if (j != no_partner) compare(d);
      if (j != no_partner && d.parts.empty()) {
        ++out_.unchanged;
        continue;
      }
      ++(j == no_partner ? out_.removed : out_.changed);
      out_.operations.push_back(std::move(d));
    }
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (pairs_.of_b(j) != no_partner) continue;
      ++out_.added;
      out_.operations.push_back({no_partner, static_cast<std::int32_t>(j), {}});
    }
    return std::move(out_);
  }

 private:
  using properties = std::vector<alir_property_difference>;

  static void note(properties& to, std::string what, std::string before, std::string after) {
    if (before != after) to.push_back({std::move(what), std::move(before), std::move(after)});
  }

  void compare_models() {
    const alir::model& a = a_.model();
    const alir::model& b = b_.model();
    note(out_.model, "inputs", std::to_string(a.n_inputs), std::to_string(b.n_inputs));
    note(out_.model, "outputs", std::to_string(a.n_outputs), std::to_string(b.n_outputs));
    for (std::size_t j = 0; j < std::min(a.inp_shifts.size(), b.inp_shifts.size()); ++j)
      note(out_.model, "shift of input " + std::to_string(j), std::to_string(a.inp_shifts[j]),
           std::to_string(b.inp_shifts[j]));
    if (pairs_.types_only()) return;
    note(out_.model, "carry_size", std::to_string(a.carry_size), std::to_string(b.carry_size));
    note(out_.model, "adder_size", std::to_string(a.adder_size), std::to_string(b.adder_size));
    const alir_statistics of_a(a_), of_b(b_);
    note(out_.model, "latency", number(of_a.latency), number(of_b.latency));
    note(out_.model, "cost", number(of_a.cost), number(of_b.cost));
  }

  [[nodiscard]] static std::string output(const alir::model& m, std::size_t j) {
    if (j >= m.out_idxs.size()) return {};
    if (m.out_idxs[j] < 0) return "0";
    std::string out = (m.out_negs[j] != 0 ? "-%" : "%") + std::to_string(m.out_idxs[j]);
    if (m.out_shifts[j] != 0) out += " << " + std::to_string(m.out_shifts[j]);
    return out;
  }
  void compare_outputs() {
    const alir::model& a = a_.model();
    const alir::model& b = b_.model();
    for (std::size_t j = 0; j < std::max(a.out_idxs.size(), b.out_idxs.size()); ++j) {
      const bool both = j < a.out_idxs.size() && j < b.out_idxs.size();
      if (both && (a.out_idxs[j] < 0
                       ? b.out_idxs[j] < 0
                       : b.out_idxs[j] >= 0 && are_pair(a.out_idxs[j], b.out_idxs[j]) &&
                             a.out_negs[j] == b.out_negs[j] && a.out_shifts[j] == b.out_shifts[j]))
        continue;
      out_.outputs.push_back({"output " + std::to_string(j), output(a, j), output(b, j)});
    }
  }

  [[nodiscard]] bool are_pair(std::int64_t a, std::int64_t b) const noexcept {
    return pairs_.same(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  }

  void compare(alir_operation_difference& d) const {
    const auto i = static_cast<std::size_t>(d.before), j = static_cast<std::size_t>(d.after);
    const alir::operation& a = a_.op(i);
    const alir::operation& b = b_.op(j);
    note(d.parts, "opcode", std::string(name_of(a)), std::string(name_of(b)));
    if (a.code == opcode::input && b.code == opcode::input)
      note(d.parts, "input", std::to_string(a.id0), std::to_string(b.id0));
    compare_operands(d, i, j);
    if (a.code == b.code) compare_data(d, a, b);
    if (pairs_.types_only())
      note(d.parts, "type", type(a_.type(i)), type(b_.type(j)));
    else
      note(d.parts, "interval", interval(a.qint), interval(b.qint));
  }

  void compare_operands(alir_operation_difference& d, std::size_t i, std::size_t j) const {
    const std::vector<std::int64_t> a = operands_of(a_, i), b = operands_of(b_, j);
    for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
      if (k < a.size() && k < b.size() && are_pair(a[k], b[k])) continue;
      // An operand may have kept its number and be another one.
      d.parts.push_back({"operand " + std::to_string(k),
                         k < a.size() ? '%' + std::to_string(a[k]) : std::string(),
                         k < b.size() ? '%' + std::to_string(b[k]) : std::string()});
    }
  }

  void compare_data(alir_operation_difference& d, const alir::operation& a,
                    const alir::operation& b) const {
    switch (a.code) {
      case opcode::add:
      case opcode::subtract:
        return note(d.parts, "shift", std::to_string(a.data), std::to_string(b.data));
      case opcode::add_constant:
      case opcode::constant:
        note(d.parts, "constant", std::to_string(a.data), std::to_string(b.data));
        break;
      case opcode::lookup: {
        const auto of = [](const alir::program& p, const alir::operation& o) {
          return entries(p.model(), p.model().tables[static_cast<std::size_t>(o.data)]);
        };
        const auto x = of(a_, a), y = of(b_, b);
        if (!std::equal(x.begin(), x.end(), y.begin(), y.end()))
          d.parts.push_back({"table", shown(x), shown(y)});
        return;
      }
      case opcode::sum: {
        const auto x = terms(a_.model(), a), y = terms(b_.model(), b);
        for (std::size_t k = 0; k < std::min(x.size(), y.size()); ++k) {
          note(d.parts, "sign of operand " + std::to_string(k), x[k].negative ? "-" : "+",
               y[k].negative ? "-" : "+");
          note(d.parts, "shift of operand " + std::to_string(k), std::to_string(x[k].shift),
               std::to_string(y[k].shift));
        }
        return;
      }
      case opcode::negate:
      case opcode::input:
      case opcode::relu:
      case opcode::quantize:
      case opcode::mux:
      case opcode::multiply:
      case opcode::bit_unary:
      case opcode::bit_binary: break;
    }
    note(d.parts, "shift", std::to_string(a.shift), std::to_string(b.shift));
  }

  /// The first entries.
  [[nodiscard]] static std::string shown(view<std::int32_t> list) {
    constexpr std::size_t few = 8;
    std::string out = std::to_string(list.size()) + (list.size() == 1 ? " entry [" : " entries [");
    for (std::size_t k = 0; k < std::min(few, list.size()); ++k)
      out.append(k == 0 ? "" : ", ").append(std::to_string(list[k]));
    return out + (list.size() > few ? ", ...]" : "]");
  }
  [[nodiscard]] static std::string type(const alir::fixed_type& t) {
    return "fixed<" + std::to_string(int{t.k}) + ',' + std::to_string(t.i) + ',' +
           std::to_string(t.f) + '>';
  }
  [[nodiscard]] static std::string interval(const alir::interval& q) {
    const bool is_zero = q.min == 0 && q.max == 0;  // whose step counts for nothing
    if (is_zero) return "[0.0, 0.0]";
    return '[' + number(q.min) + ", " + number(q.max) + "] step " + number(q.step);
  }

  const alir::program& a_;
  const alir::program& b_;
  operation_pairs pairs_;
  alir_difference out_;
};

}  // namespace

alir_difference diff(const alir::program& before, const alir::program& after) {
  return comparison(before, after).run();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
