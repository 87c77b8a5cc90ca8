// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Recurrent networks, unrolled: the share of the input in all gates is one product; a step in time is a
// product with the hidden state, then chains over columns of both.

#include <optional>

#include "transform/lower/map_chains.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

using nem::opcode;
using value = chain::value;
using o = nac::operation;

enum class cell : std::uint8_t { lstm, gru, tanh, relu };

/// The weights of one layer in one direction.
struct layer {
  tensor_view w_x, w_h;  ///< [inputs, gates], [hidden, gates]
  std::optional<tensor_view> b_x, b_h;
  std::optional<tensor_view> w_r;  ///< projects the hidden state of an LSTM: [size, hidden]
};
/// [rows, columns]; an LSTM has two.
struct state {
  tensor_view hidden;
  std::optional<tensor_view> memory;
};

[[nodiscard]] tensor_view linear_of(mapper& m, const tensor_view& x, const tensor_view& w,
                                    const std::optional<tensor_view>& bias) {
  return product_with(m, x, w, bias ? &*bias : nullptr);
}

/// The input's and the state's share of a gate, of `size` columns.
struct gates {
  tensor_view x, h;
  std::int64_t size;
  [[nodiscard]] value of_input(chain& c, std::int64_t gate) const {
    return c.input(narrowed(x, 1, gate * size, size));
  }
  [[nodiscard]] value of_state(chain& c, std::int64_t gate) const {
    return c.input(narrowed(h, 1, gate * size, size));
  }
  [[nodiscard]] value sum(chain& c, std::int64_t gate) const {
    return c.add(of_input(c, gate), of_state(c, gate));
  }
  [[nodiscard]] value sigmoid(chain& c, std::int64_t gate) const {
    return c.apply(opcode::sigmoid, {sum(c, gate)});
  }
};

/// The hidden state after a step; it is written to `to`, if that has a home. An LSTM's cell changes.
[[nodiscard]] tensor_view next_hidden(mapper& m, cell kind, const gates& g, state& s,
                                      const tensor_view* to) {
  const dimensions shape = {g.x.shape[0], g.size};
  if (kind == cell::lstm) {
    chain c(m, shape);
    const value kept = c.mul(g.sigmoid(c, 1), c.input(*s.memory));
    const value added = c.mul(g.sigmoid(c, 0), c.apply(opcode::tanh, {g.sum(c, 2)}));
    s.memory = c.result(c.add(kept, added));
  }
  chain c(m, shape);
  std::optional<value> next;
  switch (kind) {
    case cell::lstm:
      next = c.mul(g.sigmoid(c, 3), c.apply(opcode::tanh, {c.input(*s.memory)}));
      break;
    case cell::gru: {
      const value reset = c.mul(g.sigmoid(c, 0), g.of_state(c, 2));
      const value now = c.apply(opcode::tanh, {c.add(g.of_input(c, 2), reset)});
      const value apart = c.apply(opcode::sub, {c.input(s.hidden), now});
      next = c.add(now, c.mul(g.sigmoid(c, 1), apart));
      break;
    }
    case cell::tanh: next = c.apply(opcode::tanh, {g.sum(c, 0)}); break;
    case cell::relu: next = c.apply(opcode::relu, {g.sum(c, 0)}); break;
  }
  if (to == nullptr) return c.result(*next);
  c.store(*next, *to);
  return *to;
}

/// The state after a step; `x` is the input's share of the gates, [rows, gates · size].
void advance(mapper& m, cell kind, const tensor_view& x, const layer& l, state& s,
             const tensor_view* to) {
  const std::int64_t count = kind == cell::lstm ? 4 : kind == cell::gru ? 3 : 1;
  const gates g{x, linear_of(m, s.hidden, l.w_h, l.b_h), x.shape[1] / count};
  if (!l.w_r) {
    s.hidden = next_hidden(m, kind, g, s, to);
    return;
  }
  s.hidden = product_with(m, next_hidden(m, kind, g, s, nullptr), *l.w_r, nullptr);
  if (to != nullptr) m.copy(s.hidden, *to);
}

// ---- networks

struct shape_of_network {
  std::size_t layers = 1, directions = 1, states = 1;
  bool has_biases = true, is_projected = false;
};

[[nodiscard]] layer layer_at(mapper& m, const shape_of_network& n, std::size_t index) {
  const std::size_t each = (n.has_biases ? 4u : 2u) + (n.is_projected ? 1u : 0u);
  std::size_t k = 1 + n.states + index * each;
  layer l{permuted(m.operand(0, k), {1, 0}), permuted(m.operand(0, k + 1), {1, 0}), {}, {}, {}};
  k += 2;
  if (n.has_biases) {
    l.b_x = m.operand(0, k);
    l.b_h = m.operand(0, k + 1);
    k += 2;
  }
  if (n.is_projected) l.w_r = permuted(m.operand(0, k), {1, 0});
  return l;
}

/// [steps, rows, inputs] through one layer in one direction; hidden states are written to `out`,
/// [steps, rows, hidden].
void along_time(mapper& m, cell kind, const tensor_view& x, const layer& l, state& s,
                bool is_backwards, const tensor_view& out) {
  const tensor_view shares = linear_of(m, x, l.w_x, l.b_x);
  const std::int64_t steps = x.shape[0];
  for (std::int64_t i = 0; i < steps; ++i) {
    const std::int64_t t = is_backwards ? steps - 1 - i : i;
    const tensor_view to = without(narrowed(out, 0, t, 1), 0);
    advance(m, kind, without(narrowed(shares, 0, t, 1), 0), l, s, &to);
  }
}

template <cell Kind>
void recurrent(mapper& m, opcode) {
  if (m.args().truth_or(4, false) && m.args().real(3) != 0) m.refuse("dropout in training");
  shape_of_network n;
  n.has_biases = m.args().truth_or(1, true);
  n.layers = static_cast<std::size_t>(m.args().whole(2));
  n.directions = m.args().truth_or(5, false) ? 2 : 1;
  n.states = Kind == cell::lstm ? 2 : 1;
  const bool batch_first = m.args().truth_or(6, false);
  tensor_view x = m.operand(0, 0);
  if (batch_first) x = permuted(x, {1, 0, 2});
  const tensor_view first = m.operand(0, 1);
  std::optional<tensor_view> memory;
  if (n.states == 2) memory = m.operand(0, 2);
  n.is_projected = memory && memory->shape[2] != first.shape[2];
  const std::int64_t hidden = first.shape[2];
  m.need("view", "default");
  const tensor_view last = m.make(first.shape);
  std::optional<tensor_view> last_memory;
  if (memory) last_memory = m.make(memory->shape);
  const auto at = [](const tensor_view& v, std::size_t k) {
    return without(narrowed(v, 0, static_cast<std::int64_t>(k), 1), 0);
  };
  for (std::size_t level = 0; level < n.layers; ++level) {
    const tensor_view out =
        m.make({x.shape[0], x.shape[1], hidden * static_cast<std::int64_t>(n.directions)});
    for (std::size_t d = 0; d < n.directions; ++d) {
      const std::size_t k = level * n.directions + d;
      state s{at(first, k), {}};
      if (memory) s.memory = at(*memory, k);
      along_time(m, Kind, x, layer_at(m, n, k), s, d == 1,
                 narrowed(out, 2, static_cast<std::int64_t>(d) * hidden, hidden));
      m.copy(s.hidden, at(last, k));
      if (memory) m.copy(*s.memory, at(*last_memory, k));
    }
    x = out;
  }
  std::vector<tensor_view> all = {batch_first ? permuted(x, {1, 0, 2}) : x, last};
  if (last_memory) all.push_back(*last_memory);
  m.give_all(std::move(all));
}

/// One step: letters are the input, the states, then the weights.
template <cell Kind>
void one_cell(mapper& m, opcode) {
  const std::size_t states = Kind == cell::lstm ? 2 : 1;
  layer l{
      permuted(m.operand(states + 1), {1, 0}), permuted(m.operand(states + 2), {1, 0}), {}, {}, {}};
  if (m.has(states + 3)) l.b_x = m.operand(states + 3);
  if (m.has(states + 4)) l.b_h = m.operand(states + 4);
  state s{m.operand(1), {}};
  if (Kind == cell::lstm) s.memory = m.operand(2);
  advance(m, Kind, linear_of(m, m.operand(0), l.w_x, l.b_x), l, s, nullptr);
  std::vector<tensor_view> all = {s.hidden};
  if (s.memory) all.push_back(*s.memory);
  m.give_all(std::move(all));
}

constexpr mapping sequence_rows[] = {
    {o::lstm, recurrent<cell::lstm>, opcode::gemm},
    {o::gru, recurrent<cell::gru>, opcode::gemm},
    {o::rnn_tanh, recurrent<cell::tanh>, opcode::gemm},
    {o::rnn_relu, recurrent<cell::relu>, opcode::gemm},
    {o::lstm_cell, one_cell<cell::lstm>, opcode::gemm},
    {o::gru_cell, one_cell<cell::gru>, opcode::gemm},
    {o::rnn_tanh_cell, one_cell<cell::tanh>, opcode::gemm},
    {o::rnn_relu_cell, one_cell<cell::relu>, opcode::gemm},
};

}  // namespace

std::span<const mapping> sequence_mappings() noexcept { return sequence_rows; }

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
