// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "schedule.hpp"

#include <algorithm>

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

using model::action;

// ---- branches

blocks::blocks(const model::program& p) {
  const model::code& code = p.code();
  const auto n = static_cast<std::uint32_t>(p.size());
  of_.resize(n);
  all_.push_back({0, n, n, 0, 0, 0});
  std::vector<std::uint32_t> open;  // blocks that begin later, or hold the instruction; inner last
  open.push_back(0);
  for (std::uint32_t i = 0; i < n; ++i) {
    while (all_[open.back()].end <= i) open.pop_back();
    of_[i] = open.back();
    const model::step& s = code.steps[i];
    if (s.a != model::op_control_flow && s.a != model::op_convergence) continue;
    const view<model::argument> given = code.arguments_of(s);
    const std::uint32_t after = end_of_branches(p, i);
    std::vector<std::uint32_t> starts = {i + 1};  // of CONVERGENCE, also of what no branch holds
    if (s.a == model::op_control_flow) {
      starts.push_back(i + 1 + given[1].index());
    } else {
      for (std::size_t k = 2; k < given.size(); ++k) starts.push_back(given[k].index());
    }
    const std::uint32_t parent = of_[i];
    std::uint32_t end = after;
    for (std::size_t k = starts.size(); k-- > 0; end = starts[k]) {
      if (starts[k] >= end) continue;
      open.push_back(static_cast<std::uint32_t>(all_.size()));
      // Far ones in steps whose lengths are those of a skew binary number.
      const block& p1 = all_[parent];
      const block& p2 = all_[p1.far];
      const bool same = p1.depth - p2.depth == p2.depth - all_[p2.far].depth;
      all_.push_back({starts[k], end, after, parent, same ? p2.far : parent, p1.depth + 1});
    }
  }
}

std::uint32_t blocks::around(std::uint32_t b, std::uint32_t i,
                             std::uint32_t& after) const noexcept {
  while (!contains(b, i)) {
    if (!contains(all_[b].far, i)) {
      b = all_[b].far;
    } else {
      after = all_[b].after;
      b = all_[b].parent;
    }
  }
  return b;
}

// ---- the schedule

namespace {

class scheduler {
 public:
  explicit scheduler(const model::program& p)
      : p_(p), in_(p), n_(static_cast<std::uint32_t>(p.size())) {}

  [[nodiscard]] std::vector<scheduled> make() {
    find_uses();
    find_ends();
    for (std::uint32_t i = 0; i < n_; ++i) {
      const model::step& s = p_.code().steps[i];
      if (s.a == model::op_output) continue;
      if (s.a == model::op_input && s.b == static_cast<std::uint8_t>(model::input::parameter))
        preload(i);
      if (returned_[i]) continue;
      const bool computed = s.a != model::op_input, taken = first_[i] != none;
      if (s.a >= model::first_regular_op && first_[i] == i + 1 && last_[i] == i + 1 &&
          in_.of(i) == in_.of(i + 1) && operands_are_results(i + 1)) {
        out_.push_back({i, i + 1, action::forward});
        continue;
      }
      if (computed && taken) out_.push_back({i, i, action::save_result});
      if (const std::uint32_t tick = tick_to_free(i); tick < n_)
        out_.push_back({tick, i, action::free});
    }
    std::sort(out_.begin(), out_.end(), [](const scheduled& a, const scheduled& b) {
      if (a.tick != b.tick) return a.tick < b.tick;
      if (a.what != b.what) return rank(a.what) < rank(b.what);
      return a.target < b.target;
    });
    return std::move(out_);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint32_t operations_ahead = 2, instructions_ahead = 64;

  [[nodiscard]] static int rank(action a) noexcept {
    return a == action::forward ? 0 : a == action::free ? 1 : a == action::save_result ? 2 : 3;
  }
  /// Whether the instruction needs no operand any more once it has run.
  [[nodiscard]] bool operands_are_results(std::uint32_t i) const noexcept {
    return p_.code().steps[i].a >= model::first_regular_op;
  }

  /// The instructions that use each result; a branch's value is used after all branches.
  void find_uses() {
    first_.assign(n_, none);
    last_.resize(n_);
    returned_.assign(n_, false);
    for (std::uint32_t i = 0; i < n_; ++i) {
      last_[i] = std::max(last_[i], i);
      const model::step& s = p_.code().steps[i];
      const view<model::argument> given = p_.code().arguments_of(s);
      const blocks::block& around = in_[in_.of(i)];
      const bool top = in_.of(i) == 0;
      for (std::size_t k = 0; k < operands_of(s); ++k) {
        if (given[k].is_constant()) continue;
        const std::uint32_t from = given[k].index();
        if (first_[from] == none) first_[from] = i;
        std::uint32_t until = i;
        if (s.a == model::op_convergence) until = std::max(i, end_of_branches(p_, i) - 1);
        if (s.a == model::op_output) {
          if (s.b == static_cast<std::uint8_t>(model::output::model) || top) returned_[from] = true;
          until = around.after - 1;
        }
        last_[from] = std::max(last_[from], until);
      }
      const bool opens = s.a == model::op_control_flow || s.a == model::op_convergence;
      const std::uint32_t done = opens ? end_of_branches(p_, i) : i + 1;
      if (done != around.end) continue;
      if (top) returned_[i] = true;
      last_[i] = std::max(last_[i], around.after - 1);
    }
  }

  /// For each block, the first instruction after its branches that belongs to a block around it.
  void find_ends() {
    ends_.resize(in_.size(), n_);
    for (std::uint32_t b = 1; b < in_.size(); ++b)
      ends_[b] = in_[b].after == in_[in_[b].parent].end ? ends_[in_[b].parent] : in_[b].after;
  }

  /// The tick after the last use of the result, where it is certain that none follows; n_: never.
  [[nodiscard]] std::uint32_t tick_to_free(std::uint32_t i) const noexcept {
    std::uint32_t tick = last_[i] + 1;
    const std::uint32_t b = in_.around(in_.of(last_[i]), i, tick);
    if (tick == in_[b].end) return ends_[b];
    const std::uint32_t there = in_.of(tick);  // a branch that begins, or b
    return there == b ? tick : ends_[there];
  }

  void preload(std::uint32_t input) {
    std::uint32_t tick = input, left = operations_ahead;
    const std::uint32_t first = in_[in_.of(input)].first;
    for (std::uint32_t i = input; i > first && left != 0 && input - i < instructions_ahead;) {
      --i;
      if (in_.of(i) != in_.of(input)) break;
      if (p_.code().steps[i].a < model::first_regular_op) continue;
      tick = i;
      --left;
    }
    if (tick != input) out_.push_back({tick, input, action::preload});
  }

  const model::program& p_;
  blocks in_;
  std::uint32_t n_;
  std::vector<std::uint32_t> first_, last_;  // that take a result
  std::vector<std::uint32_t> ends_;          // by block
  std::vector<bool> returned_;
  std::vector<scheduled> out_;
};

}  // namespace

std::vector<scheduled> make_schedule(const model::program& p) { return scheduler(p).make(); }

error schedule(const model::program& p, model::parts& to) {
  constexpr std::uint32_t max_ticks = 0x10000, max_commands = 255;
  if (to.instructions.size() != p.size()) return {errc::nac_no_instructions, 0};
  to.schedule.clear();
  to.commands.clear();
  const blocks in(p);
  const std::vector<scheduled> made = make_schedule(p);
  std::vector<scheduled> waiting;  // FREEs that found no place
  std::size_t next = 0;
  for (std::uint32_t tick = 0; tick < p.size() && tick < max_ticks; ++tick) {
    model::tick_part record;
    record.instruction = static_cast<std::uint16_t>(tick);
    record.commands.first = static_cast<std::uint32_t>(to.commands.size());
    std::vector<scheduled> later;
    const auto put = [&](const scheduled& s) {
      if (s.target >= max_ticks) return;
      if (record.commands.size == max_commands) {
        if (s.what == action::free) later.push_back(s);
        return;
      }
      to.commands.push_back({s.what, static_cast<std::uint16_t>(s.target)});
      ++record.commands.size;
    };
    if (tick != 0 && in.of(tick) != in.of(tick - 1)) waiting.clear();
    for (const scheduled& s : waiting) put(s);
    for (; next < made.size() && made[next].tick == tick; ++next) put(made[next]);
    waiting = std::move(later);
    if (record.commands.size != 0) to.schedule.push_back(record);
  }
  return {};
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
