// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tessera/transform/optimize_alir.hpp"
#include "tessera/vm/alir.hpp"
#include "transform/alir_values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using alir::opcode;
using vm::alir::range;

/// One operation, with the terms of a sum beside it.
struct alir_node {
  alir::operation op;
  std::vector<alir::term> terms;

  template <class Visit>
  void each_operand(Visit visit) {
    if (op.code == opcode::sum) {
      for (alir::term& t : terms) visit(t.id);
      return;
    }
    if (op.code == opcode::input) return;
    if (op.id0 >= 0) visit(op.id0);
    if (op.id1 >= 0) visit(op.id1);
    if (op.code == opcode::mux) {
      auto condition = static_cast<std::int32_t>(op.data);
      visit(condition);
      op.data = condition;
    }
  }
};

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
    for (std::size_t i = 0; i < p.size(); ++i) {
      alir_node n{p.op(i), {}};
      if (n.op.code == opcode::sum)
        for (const alir::term& t : alir::terms(p.model(), n.op)) n.terms.push_back(t);
      nodes_.push_back(std::move(n));
    }
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
    for (const alir_node& n : nodes_) {
      alir::operation o = n.op;
      if (o.code == opcode::sum) {
        o.id0 = static_cast<std::int32_t>(m.terms.size());
        o.id1 = static_cast<std::int32_t>(n.terms.size());
        for (const alir::term& t : n.terms) m.terms.push_back(t);
      }
      m.ops.push_back(o);
    }
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

  /// What readers of an operation see, and what it is computed from.
  [[nodiscard]] static std::vector<std::uint64_t> key_of(const alir_node& n) {
    const alir::operation& o = n.op;
    std::vector<std::uint64_t> key = {
        static_cast<std::uint64_t>(o.code), std::bit_cast<std::uint64_t>(o.qint.min),
        std::bit_cast<std::uint64_t>(o.qint.max), std::bit_cast<std::uint64_t>(o.qint.step)};
    if (o.code != opcode::sum) {
      std::int32_t a = o.id0, b = o.id1;
      if (o.code == opcode::multiply && a > b) std::swap(a, b);
      for (const std::int64_t x : {std::int64_t{a}, std::int64_t{b}, std::int64_t{o.shift}, o.data})
        key.push_back(static_cast<std::uint64_t>(x));
    }
    for (const alir::term& t : n.terms)
      for (const std::int64_t x :
           {std::int64_t{t.id}, std::int64_t{t.shift}, std::int64_t{t.negative ? 1 : 0}})
        key.push_back(static_cast<std::uint64_t>(x));
    return key;
  }

  /// Operations that are equal, after their operands, and have equal intervals.
  std::uint64_t merge() {
    std::map<std::vector<std::uint64_t>, std::int32_t> known;
    std::vector<std::int32_t> first(nodes_.size());
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      bool changed = false;
      nodes_[i].each_operand([&](std::int32_t& x) {
        changed = changed || first[static_cast<std::size_t>(x)] != x;
        x = first[static_cast<std::size_t>(x)];
      });
      if (changed) ++count;
      const auto [at, is_new] = known.try_emplace(key_of(nodes_[i]), static_cast<std::int32_t>(i));
      first[i] = at->second;
      is_copy_[i] = !is_new;
    }
    for (std::int32_t& x : outputs_) {
      if (x < 0 || first[static_cast<std::size_t>(x)] == x) continue;
      x = first[static_cast<std::size_t>(x)];
      ++count;
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

/// Samples for two programs with the same inputs: codes of the types that read an input, corners of
/// these first, and numbers that no type holds.
class alir_sampler {
 public:
  alir_sampler(const alir::program& p, std::uint64_t seed) : state_(seed) {
    types_.resize(static_cast<std::size_t>(p.model().n_inputs));
    for (std::size_t i = 0; i < p.size(); ++i)
      if (p.op(i).code == opcode::input) {
        const auto input = static_cast<std::size_t>(p.op(i).id0);
        types_[input].push_back({p.type(i), p.model().inp_shifts[input]});
      }
  }
  void draw(std::span<double> sample) {
    for (std::size_t j = 0; j < sample.size(); ++j)
      sample[j] = types_[j].empty() ? 0.0 : number(types_[j][bits() % types_[j].size()]);
  }

 private:
  struct reader {
    alir::fixed_type type;
    std::int32_t shift;
  };
  std::uint64_t bits() noexcept {  // SplitMix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  [[nodiscard]] double number(const reader& r) {
    constexpr double far[] = {std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(),
                              1e300,
                              -1e300,
                              0x1p63,
                              -0x1p63,
                              5e-324};
    const std::uint64_t way = bits() % 32;
    if (way == 0) return far[bits() % 8];
    const int width = std::max(r.type.width(), 1);
    const double half = std::ldexp(1.0, width - (r.type.k ? 1 : 0)), low = r.type.k ? -half : 0;
    const double corners[] = {0, 1, -1, low, half - 1, half, low - 1, half / 2};
    const double random = std::ldexp(static_cast<double>(bits() >> 11), width - 53) + low;
    const double code = way < 12 ? corners[bits() % 8] : random;
    const std::int64_t exponent = -std::int64_t{r.type.f} - r.shift;
    return std::ldexp(code, static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000)));
  }

  std::vector<std::vector<reader>> types_;
  std::uint64_t state_;
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

alir_disagreement compare(const alir::program& a, const alir::program& b, std::uint64_t samples,
                          std::uint64_t seed) {
  vm::alir::machine first(a), second(b);
  if (first.inputs() != second.inputs() || first.outputs() != second.outputs()) return {false, 0};
  alir_sampler sampler(a, seed);
  std::vector<double> in(first.inputs()), one(first.outputs()), two(first.outputs());
  for (std::uint64_t s = 0; s < samples; ++s) {
    sampler.draw(in);
    const vm::alir::outcome x = first.run(in, one, 1), y = second.run(in, two, 1);
    bool same = x.code == y.code && (x || x.code == errc::alir_lookup_range);
    for (std::size_t j = 0; same && x && j < one.size(); ++j)
      same = std::bit_cast<std::uint64_t>(one[j]) == std::bit_cast<std::uint64_t>(two[j]);
    if (!same) return {false, s};
  }
  return {};
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
