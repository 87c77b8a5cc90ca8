// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Recurrent networks and their cells. 16-bit floats are computed in float and rounded at the end.

#include <cmath>
#include <utility>
#include <vector>

#include "multiply.hpp"
#include "operations.hpp"
#include "sequences.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

/// What a cell computes. Its gates lie side by side, as many columns each as it has states.
enum class unit : std::uint8_t { lstm, gru, tanh, relu };

[[nodiscard]] std::int64_t gates_of(unit u) noexcept {
  switch (u) {
    case unit::lstm: return 4;
    case unit::gru: return 3;
    case unit::tanh:
    case unit::relu: break;
  }
  return 1;
}

/// The weights of one layer in one direction; what is missing has no data.
struct layer {
  tensor w_x, w_h, b_x, b_h;
  tensor w_r;  ///< projects the hidden state of an LSTM
};
[[nodiscard]] const tensor* or_null(const tensor& t) noexcept {
  return t.data == nullptr ? nullptr : &t;
}
/// What goes from one step to the next: [rows, columns], of LSTMs two.
struct state {
  tensor hidden, cell;
};

void expect_dims(const tensor& t, const shape& dims) {
  if (!(t.dims == dims))
    fail(errc::nac_run_shape, "a weight or state has shape ", t.dims, "; expected ", dims);
}

/// Refuses weights of other shapes than a unit with these states has for inputs of so many columns.
void expect_layer(unit u, const layer& l, std::int64_t inputs, const state& s) {
  const std::int64_t hidden = s.hidden.dim(1), size = u == unit::lstm ? s.cell.dim(1) : hidden;
  if (size > max_size)
    fail(errc::nac_run_shape, "hidden size is ", size, "; expected at most ", max_size);
  const std::int64_t gates = gates_of(u) * size;
  expect_dims(l.w_x, {gates, inputs});
  expect_dims(l.w_h, {gates, hidden});
  for (const tensor* b : {&l.b_x, &l.b_h})
    if (or_null(*b) != nullptr) expect_dims(*b, {gates});
  if (or_null(l.w_r) != nullptr)
    expect_dims(l.w_r, {hidden, size});
  else if (hidden != size)
    refuse_shapes(s.hidden, s.cell);
}

/// A row's step: the sums that are the input's and the state's share of the gates, `n` columns each.
/// `before` is the hidden state, `to` the next one; an LSTM's cell changes in place.
template <class T>
void step(unit u, const T* x, const T* h, const T* before, T* cell, T* to, std::size_t n) noexcept {
  const auto sigmoid = [](T v) { return 1 / (1 + std::exp(-v)); };
  for (std::size_t j = 0; j < n; ++j) {
    const auto gate = [&](std::size_t k) { return x[k * n + j] + h[k * n + j]; };
    switch (u) {
      case unit::lstm:
        cell[j] = sigmoid(gate(1)) * cell[j] + sigmoid(gate(0)) * std::tanh(gate(2));
        to[j] = sigmoid(gate(3)) * std::tanh(cell[j]);
        break;
      case unit::gru: {
        const T now = std::tanh(x[2 * n + j] + sigmoid(gate(0)) * h[2 * n + j]);
        to[j] = now + sigmoid(gate(1)) * (before[j] - now);
        break;
      }
      case unit::tanh: to[j] = std::tanh(gate(0)); break;
      case unit::relu: to[j] = gate(0) < 0 ? T{} : gate(0); break;
    }
  }
}

/// The state after a step; `x` is the input's share of the gates, [rows, gates * columns].
[[nodiscard]] state next_of(call& c, unit u, const tensor& x, const layer& l, const state& s) {
  const tensor share = linear_of(c, s.hidden, l.w_h, or_null(l.b_h));
  const auto rows = count_of(x.dim(0)), gates = count_of(x.dim(1));
  const std::size_t n = gates / count_of(gates_of(u));
  state next;
  next.hidden = make_tensor(c.arena, x.type, {x.dim(0), static_cast<std::int64_t>(n)});
  if (u == unit::lstm) {
    next.cell = make_tensor(c.arena, x.type, s.cell.dims);
    cast(x.type, s.cell.data, x.type, next.cell.data, next.cell.size());
  }
  visit_wide(x.type, [&]<class T>(of<T>) {
    for (std::size_t i = 0; i < rows; ++i)
      step<T>(u, x.as<T>() + i * gates, share.as<T>() + i * gates,
              u == unit::lstm ? nullptr : s.hidden.as<T>() + i * n,
              u == unit::lstm ? next.cell.as<T>() + i * n : nullptr, next.hidden.as<T>() + i * n,
              n);
  });
  if (or_null(l.w_r) != nullptr) next.hidden = linear_of(c, next.hidden, l.w_r, nullptr);
  return next;
}

// ---- cells

[[nodiscard]] state cell_of(call& c, unit u) {
  // Letters: the input, the states, then the weights.
  const std::size_t weights = u == unit::lstm ? 3 : 2;
  const tensor& given = c.tensor_at(0);
  const data_type type = given.type;
  if (!is_floating(type)) refuse_type(type, "a floating-point type");
  const auto wide = [&](std::size_t letter) {
    if (!c.has(letter)) return tensor{};
    const tensor& t = c.tensor_at(letter);
    expect_type(t, type);
    return cast(c.arena, t, widened(type));
  };
  const tensor x = wide(0);
  state s{wide(1), u == unit::lstm ? wide(2) : tensor{}};
  const layer l{wide(weights), wide(weights + 1), wide(weights + 2), wide(weights + 3), {}};
  if (x.rank() != 2 || s.hidden.rank() != 2 || x.dim(0) != s.hidden.dim(0))
    refuse_shapes(x, s.hidden);
  if (u == unit::lstm) expect_dims(s.cell, s.hidden.dims);
  expect_layer(u, l, x.dim(1), s);
  s = next_of(c, u, linear_of(c, x, l.w_x, or_null(l.b_x)), l, s);
  s.hidden = cast(c.arena, s.hidden, type);
  if (u == unit::lstm) s.cell = cast(c.arena, s.cell, type);
  return s;
}

// ---- networks

/// Steps that each step in time takes besides what is charged for its tensors.
constexpr std::uint64_t time_steps = 512;

/// What the flat list of tensors is: the input, of packed sequences also the sizes of their batches,
/// the states and the layers' weights.
struct network {
  unit u;
  bool packed;
  std::size_t layers, directions, tensors_of_layer;
  bool biased, projected;
  [[nodiscard]] std::size_t states() const noexcept { return u == unit::lstm ? 2 : 1; }
  [[nodiscard]] std::size_t first_state() const noexcept { return packed ? 2 : 1; }
};

[[nodiscard]] network network_of(call& c, unit u, bool packed) {
  network n{};
  n.u = u;
  n.packed = packed;
  n.biased = c.truth_or(1, true);
  n.directions = c.truth_or(5, false) ? 2 : 1;
  const std::int64_t layers = c.whole(2);
  if (layers < 1 || layers > 255)
    fail(errc::nac_run_argument, "num_layers is ", layers, "; expected 1 to 255");
  n.layers = count_of(layers);
  if (c.truth_or(4, false) && c.real(3) != 0)
    fail(errc::nac_run_argument, "dropout of ", c.real(3), " is not deterministic; expected 0");
  const std::size_t states = n.first_state(), first = states + n.states();
  if (c.count(0) < first)
    fail(errc::nac_run_argument, c.count(0), " tensors; expected at least ", first);
  for (std::size_t k = 0; k < c.count(0); ++k) {
    const tensor& t = c.tensor_at(0, k);
    if (packed && k == 1) continue;
    expect_type(t, c.tensor_at(0).type);
    const std::size_t rank = packed && k == 0 ? 2 : 3;
    if (k < first && t.rank() != rank)
      fail(errc::nac_run_shape, "tensor ", k, " has shape ", t.dims, "; expected rank ", rank);
  }
  n.projected =
      u == unit::lstm && c.tensor_at(0, states).dim(2) != c.tensor_at(0, states + 1).dim(2);
  n.tensors_of_layer = (n.biased ? 4u : 2u) + (n.projected ? 1u : 0u);
  const std::size_t expected = first + n.layers * n.directions * n.tensors_of_layer;
  if (c.count(0) != expected)
    fail(errc::nac_run_argument, c.count(0), " tensors; expected ", expected);
  return n;
}

/// The weights of a layer in a direction, counted in that order.
[[nodiscard]] layer layer_at(call& c, const network& n, std::size_t index) {
  std::size_t k = n.first_state() + n.states() + index * n.tensors_of_layer;
  const auto next = [&](bool there) {
    if (!there) return tensor{};
    const tensor& t = c.tensor_at(0, k++);
    return cast(c.arena, t, widened(t.type));
  };
  layer l;
  l.w_x = next(true);
  l.w_h = next(true);
  l.b_x = next(n.biased);
  l.b_h = next(n.biased);
  l.w_r = next(n.projected);
  return l;
}

/// Copies [rows, columns] into columns of [rows, width] that begin at `to`.
void put_columns(const tensor& from, std::byte* to, std::int64_t width) {
  walk w;
  w.add(from.dim(0), from.dim(1), width);
  w.add(from.dim(1), 1, 1);
  w.copy(to, from.data, model::size_of(from.type));
}

/// One layer in one direction over `x`, [steps, rows, inputs]; its hidden states are columns of
/// `out`, [steps, rows, width], from column `column` on. The state at the end.
[[nodiscard]] state along_time(call& c, unit u, const tensor& x, const layer& l, state s,
                               bool backwards, const tensor& out, std::int64_t column) {
  const tensor shares = linear_of(c, x, l.w_x, or_null(l.b_x));
  const std::int64_t steps = x.dim(0), rows = x.dim(1), width = out.dim(2);
  for (std::int64_t i = 0; i < steps; ++i) {
    c.arena.charge(time_steps);
    const std::int64_t t = backwards ? steps - 1 - i : i;
    const tensor share = narrowed(c.arena, shares, 0, t, 1).with_shape({rows, shares.dim(2)});
    s = next_of(c, u, share, l, s);
    put_columns(s.hidden, out.data + count_of(t * rows * width + column) * model::size_of(out.type),
                width);
  }
  return s;
}

/// Copies states over the first rows of others, as many as they have.
void put_rows(const tensor& from, const tensor& to) noexcept {
  if (from.data != nullptr) cast(from.type, from.data, to.type, to.data, from.size());
}
/// The same over packed sequences, `x` being [rows, inputs], and `out` [rows, width]: a step has the
/// first rows of the state, so that those of sequences that end before keep theirs, and those that
/// begin later, backwards, have it still.
[[nodiscard]] state along_packed(call& c, unit u, const tensor& x, const layer& l,
                                 const state& from, bool backwards, const tensor& out,
                                 std::int64_t column, std::span<const std::int64_t> sizes) {
  const tensor shares = linear_of(c, x, l.w_x, or_null(l.b_x));
  const std::int64_t width = out.dim(1);
  state all;
  all.hidden = make_tensor(c.arena, from.hidden.type, from.hidden.dims);
  put_rows(from.hidden, all.hidden);
  if (u == unit::lstm) {
    all.cell = make_tensor(c.arena, from.cell.type, from.cell.dims);
    put_rows(from.cell, all.cell);
  }
  std::int64_t start = backwards ? x.dim(0) : 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    c.arena.charge(time_steps);
    const std::int64_t rows = sizes[backwards ? sizes.size() - 1 - i : i];
    if (backwards) start -= rows;
    state s;
    s.hidden = narrowed(c.arena, all.hidden, 0, 0, rows);
    if (u == unit::lstm) s.cell = narrowed(c.arena, all.cell, 0, 0, rows);
    s = next_of(c, u, narrowed(c.arena, shares, 0, start, rows), l, s);
    put_columns(s.hidden, out.data + count_of(start * width + column) * model::size_of(out.type),
                width);
    put_rows(s.hidden, all.hidden);
    put_rows(s.cell, all.cell);
    if (!backwards) start += rows;
  }
  return all;
}

/// The hidden state of all steps, [steps, rows, directions * hidden], and the states at the end.
[[nodiscard]] value run_network(call& c, unit u, bool packed = false) {
  const network n = network_of(c, u, packed);
  const tensor& given = c.tensor_at(0);
  const data_type type = given.type, wide = widened(type);
  if (!is_floating(type)) refuse_type(type, "a floating-point type");
  const bool batch_first = !packed && c.truth_or(6, false);
  const std::size_t turned[] = {1, 0, 2};
  tensor x = cast(c.arena, batch_first ? permuted(c.arena, given, turned) : given, wide);
  std::span<const std::int64_t> sizes;
  if (packed) sizes = batch_sizes_of(c, c.tensor_at(0, 1), given.dim(0));
  const std::int64_t rows = packed ? sizes[0] : x.dim(1);
  if (x.dim(0) == 0)
    fail(errc::nac_run_shape, "input has shape ", given.dims,
         ", without steps; expected at least 1");
  const auto both = static_cast<std::int64_t>(n.layers * n.directions);
  state before, after;
  tensor* const firsts[] = {&before.hidden, &before.cell};
  tensor* const lasts[] = {&after.hidden, &after.cell};
  for (std::size_t k = 0; k < n.states(); ++k) {
    const tensor& h = c.tensor_at(0, n.first_state() + k);
    if (h.dim(0) != both || h.dim(1) != rows) refuse_shapes(given, h);
    *firsts[k] = cast(c.arena, h, wide);
    *lasts[k] = make_tensor(c.arena, wide, h.dims);
  }
  const std::int64_t hidden = before.hidden.dim(2);
  if (hidden > max_size)
    fail(errc::nac_run_shape, "hidden size is ", hidden, "; expected at most ", max_size);
  std::int64_t index = 0;
  for (std::size_t level = 0; level < n.layers; ++level) {
    shape dims = leading(x.dims, 1);
    dims.push_back(hidden * static_cast<std::int64_t>(n.directions));
    const tensor out = make_tensor(c.arena, wide, dims);
    for (std::size_t d = 0; d < n.directions; ++d, ++index) {
      state s;
      tensor* const now[] = {&s.hidden, &s.cell};
      for (std::size_t k = 0; k < n.states(); ++k)
        *now[k] = narrowed(c.arena, *firsts[k], 0, index, 1).with_shape({rows, firsts[k]->dim(2)});
      const layer l = layer_at(c, n, count_of(index));
      expect_layer(u, l, x.dim(x.rank() - 1), s);
      const std::int64_t column = static_cast<std::int64_t>(d) * hidden;
      s = packed ? along_packed(c, u, x, l, s, d == 1, out, column, sizes)
                 : along_time(c, u, x, l, s, d == 1, out, column);
      for (std::size_t k = 0; k < n.states(); ++k)
        cast(wide, now[k]->data, wide, lasts[k]->data + count_of(index) * now[k]->bytes(),
             now[k]->size());
    }
    x = out;
  }
  std::vector<value> results;
  results.emplace_back(cast(c.arena, batch_first ? permuted(c.arena, x, turned) : x, type));
  for (std::size_t k = 0; k < n.states(); ++k) results.emplace_back(cast(c.arena, *lasts[k], type));
  return value(std::move(results));
}

}  // namespace

// The new hidden and cell states, as PyTorch's own operation gives them: a list of two tensors.
value lstm_cell(call& c) {
  state s = cell_of(c, unit::lstm);
  return value(std::vector<value>{std::move(s.hidden), std::move(s.cell)});
}
value gru_cell(call& c) { return cell_of(c, unit::gru).hidden; }
value rnn_tanh_cell(call& c) { return cell_of(c, unit::tanh).hidden; }
value rnn_relu_cell(call& c) { return cell_of(c, unit::relu).hidden; }

value lstm(call& c) { return run_network(c, unit::lstm); }
value gru(call& c) { return run_network(c, unit::gru); }
value rnn_tanh(call& c) { return run_network(c, unit::tanh); }
value rnn_relu(call& c) { return run_network(c, unit::relu); }
value lstm_packed(call& c) { return run_network(c, unit::lstm, true); }
value gru_packed(call& c) { return run_network(c, unit::gru, true); }
value rnn_tanh_packed(call& c) { return run_network(c, unit::tanh, true); }
value rnn_relu_packed(call& c) { return run_network(c, unit::relu, true); }

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
