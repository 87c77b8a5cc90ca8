// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/blocks.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

[[nodiscard]] std::uint64_t mixed(std::uint64_t h, std::uint64_t v) noexcept {
  h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdu;
  return h ^ (h >> 32);
}
[[nodiscard]] std::uint64_t mixed(std::uint64_t h, std::string_view s) noexcept {
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mixed(h, s.size());
}

/// The immediate post-dominators of instructions, as they become known from the outputs on.
class post_dominators {
 public:
  explicit post_dominators(std::size_t instructions)
      : exit_(static_cast<std::uint32_t>(instructions)), depth_(instructions + 1) {
    for (std::vector<std::uint32_t>& level : ancestors_) level.assign(instructions + 1, exit_);
  }
  /// Of what all users of `instruction` pass: users were added before.
  void add(std::uint32_t instruction, const std::vector<std::uint32_t>& users) {
    std::uint32_t meet = users.empty() ? exit_ : users[0];
    for (const std::uint32_t u : users) meet = common(meet, u);
    depth_[instruction] = depth_[meet] + 1;
    ancestors_[0][instruction] = meet;
    for (std::size_t k = 1; k < levels; ++k)
      ancestors_[k][instruction] = ancestors_[k - 1][ancestors_[k - 1][instruction]];
  }
  [[nodiscard]] std::uint32_t exit() const noexcept { return exit_; }
  [[nodiscard]] std::uint32_t of(std::uint32_t instruction) const {
    return ancestors_[0][instruction];
  }

 private:
  static constexpr std::size_t levels = 32;

  [[nodiscard]] std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    if (depth_[a] < depth_[b]) std::swap(a, b);
    for (std::size_t k = levels; k-- > 0;)
      if (depth_[a] - depth_[b] >= std::uint64_t{1} << k) a = ancestors_[k][a];
    if (a == b) return a;
    for (std::size_t k = levels; k-- > 0;)
      if (ancestors_[k][a] != ancestors_[k][b]) {
        a = ancestors_[k][a];
        b = ancestors_[k][b];
      }
    return ancestors_[0][a];
  }

  std::uint32_t exit_;
  std::vector<std::uint32_t> depth_;
  std::vector<std::uint32_t> ancestors_[levels];  // [k]: 2^k steps away
};

}  // namespace

network_blocks::network_blocks(const nac::program& p)
    : program_(p), operations_(p.size()), needs_(p.size()), used_by_(p.size()) {
  parameter_of_.assign(65536, none);
  const view<nac::parameter> parameters = p.parameters();
  for (std::uint32_t k = 0; k < parameters.size(); ++k) parameter_of_[parameters[k].id] = k;
  connect();
  std::vector<std::uint32_t> roots;
  for (std::uint32_t i = 0; i < p.size(); ++i)
    if (used_by_[i].empty() && !is_parameter(i)) roots.push_back(i);
  sort_roots(roots);
  find_surroundings();
  cut(visit(roots));
}

bool network_blocks::is_parameter(std::uint32_t instruction) const noexcept {
  const nac::step& s = program_.code().steps[instruction];
  return s.a == nac::op_input && s.b == static_cast<std::uint8_t>(nac::input::parameter);
}

/// Fills needs_, used_by_ and operations_.
void network_blocks::connect() {
  const nac::code& code = program_.code();
  const auto add = [this](std::uint32_t user, std::uint32_t of) {
    needs_[user].push_back(of);
    used_by_[of].push_back(user);
  };
  for (std::uint32_t i = 0; i < code.steps.size(); ++i) {
    const nac::step& s = code.steps[i];
    const view<nac::argument> given = code.arguments_of(s);
    const bool is_regular = s.a >= nac::first_regular_op;
    std::uint64_t h = mixed(s.a < nac::first_regular_op ? s.a : 0, s.operation);
    if (is_regular && nac::program::operation_of(s) == nac::operation::unknown)
      h = mixed(h, program_.model().operation_name(s.a));
    if (!is_regular) h = mixed(h, s.b);
    const bool has_branches = s.a == nac::op_control_flow || s.a == nac::op_convergence;
    const std::size_t operands =
        has_branches ? std::min<std::size_t>(given.size(), 1) : given.size();
    for (std::size_t k = 0; k < operands; ++k) {
      if (given[k].is_constant()) {
        h = mixed(h, 1);
        continue;
      }
      const std::uint32_t from = given[k].index();
      h = mixed(h, is_parameter(from) ? 2 : 3);
      if (!is_parameter(from)) add(i, from);
    }
    operations_[i] = h;
    // The result of branches is that of their last instruction.
    if (s.a == nac::op_control_flow) {
      const std::uint32_t second = i + given[1].index() + 1, end = second + given[2].index();
      for (const std::uint32_t last : {second - 1, end - 1})
        if (last > i && !is_parameter(last)) add(i, last);
    } else if (s.a == nac::op_convergence && given.size() > 2) {
      for (std::size_t k = 3; k <= given.size(); ++k) {
        const std::uint32_t end = given[k < given.size() ? k : 1].index();
        if (end > i + 1 && !is_parameter(end - 1)) add(i, end - 1);
      }
    }
  }
}

/// Outputs first; others, which change states, by what they compute, and then by where the outputs need
/// what they do.
void network_blocks::sort_roots(std::vector<std::uint32_t>& roots) {
  const auto is_output = [this](std::uint32_t i) {
    return program_.code().steps[i].a == nac::op_output;
  };
  const auto others = std::stable_partition(roots.begin(), roots.end(), is_output);
  const std::uint32_t last_output = others == roots.begin() ? none : *(others - 1);
  struct key {
    std::uint64_t computed = 0;
    std::uint32_t place = 0;  // the last one above that an output needs
  };
  std::vector<key> keys(program_.size());
  std::uint32_t place = 0;
  bool is_needed = last_output != none;
  for (const std::uint32_t i : visit(roots)) {
    key& k = keys[i];
    k.computed = operations_[i];
    for (const weight& w : weights_of(i)) {
      const nac::packed<std::uint32_t> shape = program_.parameters()[w.parameter].value.shape;
      for (std::uint32_t d = 0; d < shape.size(); ++d) k.computed = mixed(k.computed, shape[d]);
    }
    for (const std::uint32_t from : needs_[i]) {
      k.computed = mixed(k.computed, keys[from].computed);
      k.place = std::max(k.place, keys[from].place);
    }
    if (is_needed) k.place = ++place;
    is_needed &= i != last_output;
  }
  std::stable_sort(roots.begin(), roots.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (is_output(a) || is_output(b)) return is_output(a) && !is_output(b);
    const key &x = keys[a], &y = keys[b];
    return x.computed != y.computed ? x.computed < y.computed : x.place < y.place;
  });
}

std::vector<std::uint32_t> network_blocks::visit(const std::vector<std::uint32_t>& roots) const {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(program_.size());
  std::vector<std::pair<std::uint32_t, std::size_t>> open;  // an instruction, and its next operand
  for (const std::uint32_t root : roots) {
    if (seen[root]) continue;
    seen[root] = true;
    open.emplace_back(root, 0);
    while (!open.empty()) {
      auto& [i, next] = open.back();
      if (next == needs_[i].size()) {
        order.push_back(i);
        open.pop_back();
        continue;
      }
      const std::uint32_t from = needs_[i][next++];
      if (seen[from]) continue;
      seen[from] = true;
      open.emplace_back(from, 0);
    }
  }
  return order;
}

void network_blocks::find_surroundings() {
  const std::vector<std::uint64_t>*up = &operations_, *down = &operations_;
  for (std::uint32_t r = 0; r < max_distance; ++r) {
    above_[r] = below_[r] = operations_;
    for (std::uint32_t i = 0; i < program_.size(); ++i) {
      for (const std::uint32_t from : needs_[i]) above_[r][i] = mixed(above_[r][i], (*up)[from]);
      // Users have no order.
      std::uint64_t users = 0;
      for (const std::uint32_t to : used_by_[i]) users += mixed(7, (*down)[to]);
      below_[r][i] = mixed(below_[r][i], users);
    }
    up = &above_[r];
    down = &below_[r];
  }
}

void network_blocks::cut(const std::vector<std::uint32_t>& order) {
  post_dominators known(program_.size());
  std::vector<std::uint32_t> place(program_.size(), none), later;
  for (std::uint32_t k = 0; k < order.size(); ++k) place[order[k]] = k;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    later.clear();
    for (const std::uint32_t user : used_by_[*i])
      if (place[user] > place[*i]) later.push_back(user);
    known.add(*i, later);
  }
  std::vector<bool> is_cut(program_.size() + 1);
  is_cut[known.exit()] = true;
  for (const std::uint32_t i : order) {
    const nac::step& s = program_.code().steps[i];
    if (s.a != nac::op_input || s.b != static_cast<std::uint8_t>(nac::input::user)) continue;
    for (std::uint32_t at = i; !is_cut[at]; at = known.of(at)) is_cut[at] = true;
  }
  std::vector<std::uint32_t> block_of(program_.size() + 1, none);
  std::uint32_t count = 0;
  for (const std::uint32_t i : order)
    if (is_cut[i]) block_of[i] = count++;
  block_of[known.exit()] = count++;
  for (auto i = order.rbegin(); i != order.rend(); ++i)
    if (!is_cut[*i]) block_of[*i] = block_of[known.of(*i)];
  blocks_.resize(count);
  for (const std::uint32_t i : order) blocks_[block_of[i]].instructions.push_back(i);
  if (blocks_.back().instructions.empty()) blocks_.pop_back();
  for (block& b : blocks_) b.gene = gene_of(b);
}

std::uint64_t network_blocks::gene_of(const block& b) const {
  std::unordered_map<std::uint32_t, std::uint64_t> number;
  std::uint64_t h = b.instructions.size();
  for (const std::uint32_t i : b.instructions) {
    h = mixed(h, operations_[i]);
    for (const std::uint32_t from : needs_[i]) {
      const auto inside = number.find(from);
      h = mixed(h, inside == number.end() ? 0 : inside->second);
    }
    const std::uint64_t own = number.size() + 1;
    number[i] = own;
  }
  return h;
}

std::vector<network_blocks::weight> network_blocks::weights_of(std::uint32_t instruction) const {
  std::vector<weight> out;
  const nac::code& code = program_.code();
  const nac::step& s = code.steps[instruction];
  const view<nac::argument> given = code.arguments_of(s);
  const bool has_branches = s.a == nac::op_control_flow || s.a == nac::op_convergence;
  for (std::uint32_t k = 0; k < (has_branches ? 1 : given.size()); ++k) {
    if (given[k].is_constant() || !is_parameter(given[k].index())) continue;
    const nac::step& asked = code.steps[given[k].index()];
    out.push_back({k, parameter_of_[code.arguments_of(asked)[0].id()]});
  }
  return out;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
