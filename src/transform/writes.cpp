// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writes in place that nothing observes.

#include <algorithm>

#include "transform/passes.hpp"
#include "vm/nac/in_place.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using nac::operation;

/// "aten.relu.default" of "aten.relu_.default"; empty where there is no such operation.
[[nodiscard]] std::string without_write(std::string_view name) {
  const std::size_t end = name.rfind("_.");
  if (end == name.npos || name.substr(0, end).ends_with("_")) return {};
  std::string out = std::string(name.substr(0, end)) + std::string(name.substr(end + 1));
  const operation o = nac::find_operation(out);
  if (o == operation::unknown || o != nac::find_operation(name) || nac::is_in_place(out)) return {};
  return out;
}

/// Whether the result has the type of the target, which a write in place never changes.
[[nodiscard]] bool keeps_target_type(const graph& g, const std::vector<fact>& facts,
                                     std::uint32_t n) {
  const graph::node& of = g[n];
  const fact& x = facts[of.operands[0].node];
  using enum operation;
  switch (of.op) {
    case relu:
    case neg:
    case abs: return x.is_tensor;
    case relu6:
    case hardtanh:
    case leaky_relu:
    case elu:
    case silu:
    case gelu:
    case mish:
    case sigmoid:
    case tanh:
    case exp:
    case sqrt:
    case rsqrt:
    case hardswish:
    case hardsigmoid:
    case clamp: return x.is_tensor && x.what == fact::kind::floating;
    case add:
    case sub:
    case mul:
    case div: {
      if (!x.is_tensor || x.what != fact::kind::floating || of.operands.size() < 2) return false;
      const graph::operand& y = of.operands[1];
      // A number changes no type of floats, nor does a tensor of the same one.
      if (y.node == graph::none) return true;
      return facts[y.node].is_tensor && x.type && facts[y.node].type == x.type;
    }
    default: return false;
  }
}

}  // namespace

void make_results_of_writes(graph& g, pass_context& c) {
  const sharing shared(g);
  if (!shared.any()) return;
  const std::vector<fact> facts = facts_of(g);
  const std::vector<bool> left_alone = in_convergence(g);
  const std::vector<std::uint32_t> place = g.places();
  std::vector<std::uint32_t> last_use(g.size(), 0);
  for (std::uint32_t n = g.first(); n != graph::none; n = g[n].next)
    for (const graph::operand& o : g[n].operands)
      if (o.node != graph::none) last_use[o.node] = place[n];
  // By family: the last use of all members so far, which is beyond the program for a state.
  std::vector<std::uint32_t> last_of_family(g.size(), 0);
  for (std::uint32_t n = g.first(); n != graph::none; n = g[n].next) {
    std::uint32_t& last = last_of_family[shared.family(n)];
    if (g[n].is_in_place && !left_alone[n] && g[n].operands[0].node != graph::none &&
        last <= place[n] && keeps_target_type(g, facts, n)) {
      if (const std::string name = without_write(g.name(n)); !name.empty()) {
        c.changed(g, n, std::string(g.name(n)) + ": " + name);
        g.rename(n, name);
      }
    }
    last = std::max(last, g.is_input(n, nac::input::state) ? graph::none : last_use[n]);
  }
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
