// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Inputs for which a value is outside of given bounds: some that push one operation to its end, by
// the sign with which each input counts, then corners and random ones. All run through the machine,
// so that an example is one.

#include <algorithm>
#include <cmath>
#include <vector>

#include "io/random.hpp"
#include "tessera/inspect/alir/lint.hpp"
#include "tessera/inspect/alir/ranges.hpp"
#include "tessera/vm/alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using alir::opcode;

/// The numbers that an input may be: those of [low, high] times 2^-scale.
struct input_domain {
  std::int64_t low = 0, high = 0, scale = 0;
  bool is_read = false;

  [[nodiscard]] double at(std::int64_t v) const noexcept {
    return std::ldexp(static_cast<double>(v), static_cast<int>(-scale));
  }
  [[nodiscard]] std::int64_t nearest_zero() const noexcept {
    return std::clamp<std::int64_t>(0, low, high);
  }
};

/// What all operations that read an input take for a number within their intervals, on the finest
/// of their grids.
[[nodiscard]] std::vector<input_domain> domains_of(const alir::program& p) {
  constexpr std::int64_t most = std::int64_t{1} << 53, far = 1000;
  std::vector<input_domain> out(p.model().inp_shifts.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.op(i).code != opcode::input) continue;
    input_domain& d = out[static_cast<std::size_t>(p.op(i).id0)];
    const alir_range r = declared_range(p, i);
    const std::int64_t scale = std::clamp(
        std::int64_t{p.model().inp_shifts[static_cast<std::size_t>(p.op(i).id0)]} + p.type(i).f,
        -far, far);
    input_domain now{std::max(r.low, -most), std::min(r.high, most), scale, true};
    if (now.low > now.high) now.low = now.high = r.low > 0 ? r.low : r.high;
    if (!d.is_read) {
      d = now;
      continue;
    }
    input_domain& coarse = d.scale < now.scale ? d : now;
    const std::int64_t finer = std::max(d.scale, now.scale) - coarse.scale;
    if (finer > 9 || coarse.low < -(most >> finer) || coarse.high >= most >> finer) continue;
    const std::int64_t step = std::int64_t{1} << finer;
    coarse.low *= step;
    coarse.high = (coarse.high + 1) * step - 1;
    coarse.scale += finer;
    if (std::max(d.low, now.low) > std::min(d.high, now.high)) continue;
    d.low = std::max(d.low, now.low), d.high = std::min(d.high, now.high);
  }
  return out;
}

class sampler {
 public:
  sampler(const alir::program& p, std::uint64_t seed)
      : p_(p),
        ranges_(p, alir_assumption::intervals),
        domains_(domains_of(p)),
        weights_(p.size()),
        state_(seed) {}

  [[nodiscard]] const alir_ranges& ranges() const noexcept { return ranges_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] const std::vector<double>& rows() const noexcept { return rows_; }

  void add_corners() {
    add([](const input_domain& d) { return d.low; });
    add([](const input_domain& d) { return d.high; });
    add([](const input_domain& d) { return d.nearest_zero(); });
  }
  void add_random() {
    const bool corners = count_ % 2 == 0;
    add([this, corners](const input_domain& d) {
      const std::uint64_t bits = io::next_bits(state_);
      if (corners && bits % 4 < 3)
        return bits % 4 == 0 ? d.nearest_zero() : bits % 4 == 1 ? d.low : d.high;
      return d.low + static_cast<std::int64_t>((bits >> 8) %
                                               (static_cast<std::uint64_t>(d.high - d.low) + 1));
    });
  }
  /// The inputs that seem to make an operation as large as it can be, or as small.
  void add_towards(std::size_t operation, bool up) {
    pull_.assign(domains_.size(), 0);
    weights_[operation] = up ? 1 : -1;
    for (std::size_t i = operation + 1; i-- > 0;)
      if (const double w = std::exchange(weights_[i], 0); w != 0)
        share(i, std::clamp(w, -1e200, 1e200));
    std::size_t j = 0;
    add([this, &j](const input_domain& d) {
      const double w = pull_[j++];
      return w > 0 ? d.high : w < 0 ? d.low : d.nearest_zero();
    });
  }

 private:
  template <class Choose>
  void add(Choose choose) {
    for (const input_domain& d : domains_) rows_.push_back(d.at(choose(d)));
    ++count_;
  }

  void give(std::int64_t id, double w) noexcept { weights_[static_cast<std::size_t>(id)] += w; }
  [[nodiscard]] double end(std::int64_t id, bool upper) const noexcept {
    const auto i = static_cast<std::size_t>(id);
    const alir_range declared = ranges_.declared(i);
    return static_cast<double>(upper ? std::min(ranges_[i].high, declared.high)
                                     : std::max(ranges_[i].low, declared.low));
  }

  /// Hands the weight of operation i to its operands.
  void share(std::size_t i, double w) noexcept {
    const alir::operation& o = p_.op(i);
    const alir::alignment s = p_.shifts(i);
    const auto scaled = [&](std::int64_t by) {
      return std::ldexp(w, static_cast<int>(by + s.result));
    };
    switch (o.code) {
      case opcode::input: pull_[static_cast<std::size_t>(o.id0)] += w; return;
      case opcode::constant: return;
      case opcode::negate: return give(o.id0, -w);
      case opcode::add:
      case opcode::subtract:
        give(o.id0, scaled(s.a));
        return give(o.id1, o.code == opcode::add ? scaled(s.b) : -scaled(s.b));
      case opcode::relu:
      case opcode::quantize:
      case opcode::add_constant: return give(o.id0, scaled(s.a));
      case opcode::mux: return share_mux(o, s, w);
      case opcode::multiply: return share_product(o, w);
      case opcode::lookup: {
        const auto list = entries(p_.model(), p_.model().tables[static_cast<std::size_t>(o.data)]);
        return give(o.id0, list[0] < list[list.size() - 1] ? w : -w);
      }
      case opcode::bit_unary: return give(o.id0, o.data == 0 ? -w : w);
      case opcode::bit_binary: give(o.id0, scaled(s.a)); return give(o.id1, scaled(s.b));
      case opcode::sum: {
        const std::int64_t common = p_.sum_fraction(i);
        for (const alir::term& t : terms(p_.model(), o)) {
          const double part = scaled(p_.term_shift(common, t));
          give(t.id, t.negative ? -part : part);
        }
        return;
      }
    }
  }
  /// To the operand that reaches farther, and so that the condition chooses it.
  void share_mux(const alir::operation& o, const alir::alignment& s, double w) noexcept {
    const double a = std::ldexp(end(o.id0, w > 0), static_cast<int>(s.a));
    const double b = std::ldexp(end(o.id1, w > 0), static_cast<int>(s.b));
    const bool first = w > 0 ? a > b : a < b;
    give(first ? o.id0 : o.id1, std::ldexp(w, static_cast<int>(first ? s.a : s.b)));
    const bool is_signed = p_.type(static_cast<std::size_t>(o.data)).k;
    give(o.data, (first == is_signed ? -1 : 1) * std::abs(w));
  }
  void share_product(const alir::operation& o, double w) noexcept {
    bool best_a = false, best_b = false;
    double most = -HUGE_VAL;
    for (const bool a : {false, true})
      for (const bool b : {false, true}) {
        if (o.id0 == o.id1 && a != b) continue;
        const double v = w * end(o.id0, a) * end(o.id1, b);
        if (v > most) most = v, best_a = a, best_b = b;
      }
    const double a = std::abs(w * end(o.id1, best_b)), b = std::abs(w * end(o.id0, best_a));
    give(o.id0, best_a ? a : -a);
    give(o.id1, best_b ? b : -b);
  }

  const alir::program& p_;
  alir_ranges ranges_;
  std::vector<input_domain> domains_;
  std::vector<double> weights_, pull_, rows_;
  std::size_t count_ = 0;
  std::uint64_t state_;
};

/// Runs samples and keeps the first that answers each question.
class example_runs {
 public:
  example_runs(const alir::program& p, std::span<const alir_search> wanted)
      : p_(p), wanted_(wanted), examples_(wanted.size()), is_wanted_(p.size()) {
    for (std::uint32_t k = 0; k < wanted.size(); ++k) {
      order_.push_back(k);
      is_wanted_[wanted[k].operation] = true;
    }
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return wanted[a].operation < wanted[b].operation;
    });
  }

  [[nodiscard]] std::vector<alir_example> run(const sampler& samples) && {
    constexpr std::uint64_t max_memory = std::uint64_t{1} << 30;
    constexpr int max_traps = 16;  // each costs running a block again
    vm::alir::observed_machine machine(p_, max_memory);
    const std::span<const double> in = samples.rows();
    std::vector<double> out(samples.size() * machine.outputs());
    std::uint64_t first = 0;
    for (int traps = 0; first < samples.size() && traps < max_traps; ++traps) {
      candidates_.clear();
      const auto done =
          machine.run(in.subspan(static_cast<std::size_t>(first) * machine.inputs()), out,
                      samples.size() - first, {.max_steps = UINT64_MAX, .max_memory = max_memory},
                      [this](const vm::alir::event& at) { look(at); });
      if (!done && done.code != errc::alir_lookup_range) break;
      for (const candidate& c : candidates_)
        if (done || c.sample < done.sample ||
            (c.sample == done.sample &&
             wanted_[c.wanted].operation < static_cast<std::size_t>(done.operation)))
          keep(c, in.subspan(static_cast<std::size_t>(first + c.sample) * machine.inputs(),
                             machine.inputs()));
      if (done) break;
      first += done.sample + 1;
    }
    return std::move(examples_);
  }

 private:
  struct candidate {
    std::uint32_t wanted;
    std::uint64_t sample;
    std::int64_t value;
  };

  void look(const vm::alir::event& at) {
    if (!is_wanted_[at.operation]) return;
    auto k = std::lower_bound(order_.begin(), order_.end(), at.operation,
                              [this](std::uint32_t x, std::size_t operation) {
                                return wanted_[x].operation < operation;
                              });
    for (; k != order_.end() && wanted_[*k].operation == at.operation; ++k) {
      const alir_search& w = wanted_[*k];
      if (examples_[*k].found) continue;
      const auto v = std::find_if(at.values.begin(), at.values.end(),
                                  [&w](std::int64_t x) { return x < w.low || x > w.high; });
      if (v == at.values.end()) continue;
      candidates_.push_back({*k, at.first + static_cast<std::uint64_t>(v - at.values.begin()), *v});
    }
  }
  void keep(const candidate& c, std::span<const double> in) {
    alir_example& e = examples_[c.wanted];
    if (e.found) return;
    e.inputs.assign(in.begin(), in.end());
    e.value = c.value;
    e.found = true;
  }

  const alir::program& p_;
  std::span<const alir_search> wanted_;
  std::vector<alir_example> examples_;
  std::vector<bool> is_wanted_;  ///< by operation
  std::vector<std::uint32_t> order_;
  std::vector<candidate> candidates_;
};

}  // namespace

std::vector<alir_example> find_examples(const alir::program& p, std::span<const alir_search> wanted,
                                        std::uint64_t seed) {
  if (wanted.empty() || p.size() == 0) return std::vector<alir_example>(wanted.size());
  constexpr std::size_t values = std::size_t{1} << 28, random = 256, directed = 256, least = 32;
  const std::size_t width = p.size() + p.model().inp_shifts.size() + p.model().out_idxs.size();
  sampler samples(p, seed);
  samples.add_corners();
  const std::size_t most = std::min(directed, values / 2 / width);
  for (const alir_search& w : wanted) {
    if (samples.size() >= most) break;
    const alir_range& r = samples.ranges()[w.operation];
    if (r.high > w.high) samples.add_towards(w.operation, true);
    if (r.low < w.low) samples.add_towards(w.operation, false);
  }
  const std::size_t all = samples.size() + std::clamp(values / width, least, random);
  while (samples.size() < all) samples.add_random();
  return example_runs(p, wanted).run(samples);
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
