// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/inspect/alir/duplicates.hpp"
#include "tessera/transform/optimize_alir.hpp"
#include "transform/alir_node.hpp"
#include "transform/alir_values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using alir::opcode;
using vm::alir::range;

/// One round of the passes over a verified program.
class alir_round {
 public:
  alir_round(const alir::program& p, const alir_optimize_options& options, alir_optimized& to)
      : p_(p),
        options_(options),
        to_(to),
        values_(vm::alir::compile(p, {.one_to_one = true})),
        value_of_(p.size()),
        is_copy_(p.size()) {
    for (std::uint32_t v = 0; v < values_.list.size(); ++v)
      if (values_[v].operation != alir_values::none) value_of_[values_[v].operation] = v;
    for (std::size_t i = 0; i < p.size(); ++i) nodes_.emplace_back(p.model(), i);
    outputs_.assign(p.model().out_idxs.begin(), p.model().out_idxs.end());
  }

  /// Whether anything changed.
  [[nodiscard]] bool run() {
    std::uint64_t changes = 0;
    const auto pass = [&](alir_pass which, std::uint64_t (alir_round::*make)()) {
      const auto index = static_cast<std::size_t>(which);
      if ((options_.passes >> index & 1) == 0) return;
      const std::uint64_t count = (this->*make)();
      to_.changes[index] += count;
      changes += count;
    };
    pass(alir_pass::folding, &alir_round::fold);
    pass(alir_pass::common, &alir_round::merge);
    if (p_.model().spec_version >= 3) pass(alir_pass::fusion, &alir_round::fuse);
    pass(alir_pass::dead_code, &alir_round::remove_dead);
    return changes != 0;
  }

  [[nodiscard]] alir::model model() const {
    alir::model m = p_.model();
    m.source = {};
    m.ops.clear();
    m.terms.clear();
    for (const alir_node& n : nodes_) n.append_to(m);
    for (std::size_t j = 0; j < outputs_.size(); ++j) m.out_idxs[j] = outputs_[j];
    return m;
  }

 private:
  [[nodiscard]] const alir_values::value& value(std::size_t i) const noexcept {
    return values_[value_of_[i]];
  }
  /// A lookup that is not proven to stay inside its table.
  [[nodiscard]] bool may_trap(std::size_t i) const noexcept {
    return p_.op(i).code == opcode::lookup &&
           value(i).how.what == vm::alir::instruction::kind::lookup;
  }

  std::uint64_t fold() {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      alir::operation& o = nodes_[i].op;
      const range& r = value(i).bounds;
      if (o.code == opcode::constant || r.low != r.high || may_trap(i)) continue;
      alir::operation made;
      made.qint = o.qint;
      made.spelled = o.spelled & (alir::spelling::min | alir::spelling::max | alir::spelling::step);
      made.data = r.low;
      o = made;
      nodes_[i].terms.clear();
      ++count;
    }
    return count;
  }

  /// Operations with the value of an earlier one. Who depends on the interval of what it reads takes the
  /// first of those with the same one.
  std::uint64_t merge() {
    const inspect::alir_duplicates same(p_);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      is_copy_[i] = same.with_value(i) != i;
      if (nodes_[i].op.code == opcode::constant) continue;  // folded, perhaps
      bool changed = false;
      const auto of = [](std::int32_t x) { return static_cast<std::size_t>(x); };
      nodes_[i].each_operand([&](std::int32_t& x) {
        const bool by_interval = inspect::depends_on_interval(p_, i, of(x));
        const auto to = static_cast<std::int32_t>(by_interval ? same.with_interval(of(x))
                                                              : same.with_value(of(x)));
        changed = changed || to != x;
        x = to;
      });
      if (changed) ++count;
    }
    for (std::int32_t& x : outputs_) {
      if (x < 0) continue;
      const auto to = static_cast<std::int32_t>(same.with_interval(static_cast<std::size_t>(x)));
      if (to != x) ++count;
      x = to;
    }
    return count;
  }

  // Sums of three terms --------------------------------------------------------------------------

  [[nodiscard]] static bool is_addition(const alir::operation& o) noexcept {
    return o.code == opcode::add || o.code == opcode::subtract;
  }
  /// Whether the exact result of an addition of the program fits 64 bits, before any shift to the right.
  [[nodiscard]] bool is_exact(std::size_t i) const noexcept {
    const alir::operation& o = p_.op(i);
    const alir::alignment by = p_.shifts(i);
    const range a = vm::alir::shifted(value(static_cast<std::size_t>(o.id0)).bounds, by.a);
    const range b = vm::alir::shifted(value(static_cast<std::size_t>(o.id1)).bounds, by.b);
    range r = o.code == opcode::add ? vm::alir::add(a, b) : vm::alir::subtract(a, b);
    if (by.result > 0) r = vm::alir::shifted(r, by.result);
    return is_bounded(a) && is_bounded(b) && is_bounded(r);
  }
  [[nodiscard]] static bool is_bounded(const range& r) noexcept {
    return r.low != INT64_MIN || r.high != INT64_MAX;
  }

  std::uint64_t fuse() {
    std::vector<std::uint32_t> readers(nodes_.size());
    for (alir_node& n : nodes_)
      n.each_operand([&](std::int32_t& x) { ++readers[static_cast<std::size_t>(x)]; });
    for (const std::int32_t x : outputs_)
      if (x >= 0) ++readers[static_cast<std::size_t>(x)];
    const auto inner = [&](std::int32_t x) {
      const auto i = static_cast<std::size_t>(x);
      return readers[i] == 1 && is_addition(nodes_[i].op) && p_.shifts(i).result >= 0 &&
             is_exact(i);
    };
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const alir::operation& o = nodes_[i].op;
      if (!is_addition(o) || !is_exact(i)) continue;
      const bool in_a = inner(o.id0);
      if (!in_a && !inner(o.id1)) continue;
      if (join(i, in_a)) ++count;
    }
    return count;
  }

  /// Makes the addition i and its operand, which is one too, a sum, if that can be.
  [[nodiscard]] bool join(std::size_t i, bool in_a) {
    alir::operation& o = nodes_[i].op;
    const auto x = static_cast<std::size_t>(in_a ? o.id0 : o.id1);
    const alir::operation& with = nodes_[x].op;
    const bool minus = o.code == opcode::subtract, inner_minus = with.code == opcode::subtract;
    const auto outer_shift = static_cast<std::int32_t>(o.data);
    // Shifts of the format are int32; of two together, int64.
    const std::int64_t base = in_a ? 0 : o.data, both = base + with.data;
    if (both < INT32_MIN || both > INT32_MAX) return false;
    std::vector<alir::term> terms;
    if (!in_a) terms.push_back({o.id0, 0, false});
    terms.push_back({with.id0, static_cast<std::int32_t>(base), !in_a && minus});
    terms.push_back({with.id1, static_cast<std::int32_t>(both), (!in_a && minus) != inner_minus});
    if (in_a) terms.push_back({o.id1, outer_shift, minus});
    std::int64_t finest = INT64_MIN, coarsest = INT64_MAX;
    for (const alir::term& t : terms) {
      const std::int64_t f = std::int64_t{p_.type(static_cast<std::size_t>(t.id)).f} - t.shift;
      finest = std::max(finest, f);
      coarsest = std::min(coarsest, f);
    }
    const std::int64_t result = p_.type(i).f - finest;
    if (finest - coarsest > 63 || result < -63 || result > 63) return false;
    o.cost += with.cost;
    if ((with.spelled & alir::spelling::cost) == 0)
      o.spelled &= static_cast<std::uint8_t>(~alir::spelling::cost);
    o.code = opcode::sum;
    o.data = 0;
    nodes_[i].terms = std::move(terms);
    return true;
  }

  std::uint64_t remove_dead() {
    std::vector<bool> is_needed(nodes_.size());
    for (const std::int32_t x : outputs_)
      if (x >= 0) is_needed[static_cast<std::size_t>(x)] = true;
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      if (may_trap(i) && !is_copy_[i]) is_needed[i] = true;  // a copy traps when the first one does
      if (is_needed[i])
        nodes_[i].each_operand(
            [&](std::int32_t& x) { is_needed[static_cast<std::size_t>(x)] = true; });
    }
    std::vector<std::int32_t> moved(nodes_.size());
    std::vector<alir_node> kept;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!is_needed[i]) continue;
      moved[i] = static_cast<std::int32_t>(kept.size());
      nodes_[i].each_operand([&](std::int32_t& x) { x = moved[static_cast<std::size_t>(x)]; });
      kept.push_back(std::move(nodes_[i]));
    }
    for (std::int32_t& x : outputs_)
      if (x >= 0) x = moved[static_cast<std::size_t>(x)];
    const std::uint64_t count = nodes_.size() - kept.size();
    nodes_ = std::move(kept);
    return count;
  }

  const alir::program& p_;
  const alir_optimize_options& options_;
  alir_optimized& to_;
  alir_values values_;
  std::vector<std::uint32_t> value_of_;
  std::vector<bool> is_copy_;  ///< of an earlier operation
  std::vector<alir_node> nodes_;
  std::vector<std::int32_t> outputs_;
};

}  // namespace

result<alir_optimized> optimize(const alir::program& p, const alir_optimize_options& options) {
  alir_optimized out;
  out.model = p.model();
  out.model.source = {};
  std::optional<alir::program> made;
  while (out.rounds < options.max_rounds) {
    ++out.rounds;
    alir_round round(made ? *made : p, options, out);
    if (!round.run()) break;
    out.model = round.model();
    result<alir::program> next = alir::verify(out.model);
    if (!next) return next.error();
    made.emplace(std::move(*next));
  }
  return out;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
