// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "execute.hpp"

#include <algorithm>
#include <cstring>

#include "tensor/element_rows.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/strided.hpp"
#include "tensor/strided_rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {
namespace {

using model::data_type;
using model::op_type;

[[nodiscard]] std::byte* at(const patch& p, std::uint64_t i, std::uint64_t j, std::uint64_t k,
                            std::uint64_t l) noexcept {
  return p.start.data + static_cast<std::ptrdiff_t>(i) * p.step[0] +
         static_cast<std::ptrdiff_t>(j) * p.step[1] + static_cast<std::ptrdiff_t>(k) * p.step[2] +
         static_cast<std::ptrdiff_t>(l) * p.step[3];
}

/// Calls f(a's offset, b's offset, count) for the runs of elements that are neighbours in both of two
/// patches of one shape, in C order. Offsets are bytes from their starts.
template <class F>
void for_runs(const patch& a, const patch& b, F&& f) {
  std::int64_t shape[4];
  std::copy_n(a.shape, 4, shape);
  const std::int64_t steps[2][4] = {{a.step[0], a.step[1], a.step[2], a.step[3]},
                                    {b.step[0], b.step[1], b.step[2], b.step[3]}};
  const tensors::rows<2, 4> rows(shape, {steps[0], steps[1]});
  const auto [a_step, b_step] = rows.steps();
  rows.each([&, a_by = a_step, b_by = b_step](const auto& first, std::int64_t n) {
    const bool one_run = n == 1 || (a_by == a.element && b_by == b.element);
    const std::int64_t run = one_run ? n : 1;
    for (std::int64_t i = 0; i < n; i += run)
      f(static_cast<std::uint64_t>(first[0] + i * a_by),
        static_cast<std::uint64_t>(first[1] + i * b_by), static_cast<std::size_t>(run));
  });
}

/// Elements of one patch to another of the same shape.
[[nodiscard]] tensors::walk walk_of(const patch& from, const patch& to) noexcept {
  tensors::walk w;
  for (std::size_t d = 0; d < 4; ++d)
    w.add(static_cast<std::int64_t>(from.shape[d]), from.step[d] / from.element,
          to.step[d] / to.element);
  return w;
}
}  // namespace

void gather(const patch& from, std::byte* to) {
  walk_of(from, dense({}, from.shape, from.element)).copy(to, from.start.data, from.element);
}
void scatter(const std::byte* from, const patch& to) {
  walk_of(dense({}, to.shape, to.element), to).copy(to.start.data, from, to.element);
}

namespace {

[[nodiscard]] errc map(const map_step& s) {
  if (s.divides) {
    bool zero = false;
    for_rows(s.over, s.scalar,
             [&](const row& r, std::uint64_t) { zero = zero || has_zero(s.type, r); });
    if (zero) return errc::ark_division;
  }
  for_rows(s.over, s.scalar, [&s](const row& r, std::uint64_t) { s.function(r); });
  return errc::ok;
}

[[nodiscard]] errc look_up(const look_up_step& s) {
  const std::uint64_t rows = s.table.shape[2];
  const auto index_at = [&s](std::uint64_t i, std::uint64_t j, std::uint64_t k) {
    std::int32_t index = 0;
    std::memcpy(&index, at(s.indices, 0, i, j, k), sizeof index);
    return static_cast<std::int64_t>(index);
  };
  const auto for_indices = [&s](auto&& f) {
    for (std::uint64_t i = 0; i < s.out.shape[0]; ++i)
      for (std::uint64_t j = 0; j < s.out.shape[1]; ++j)
        for (std::uint64_t k = 0; k < s.out.shape[2]; ++k) f(i, j, k);
  };
  // -1 is the last row. Beyond that, nothing is written.
  const auto row_of_index = [rows](std::int64_t index) {
    return static_cast<std::uint64_t>(index < 0 ? index + static_cast<std::int64_t>(rows) : index);
  };
  bool inside = true;
  for_indices([&](std::uint64_t i, std::uint64_t j, std::uint64_t k) {
    inside = inside && row_of_index(index_at(i, j, k)) < rows;
  });
  if (!inside) return errc::ark_index;
  for_indices([&](std::uint64_t i, std::uint64_t j, std::uint64_t k) {
    std::memcpy(at(s.out, i, j, k, 0), at(s.table, 0, 0, row_of_index(index_at(i, j, k)), 0),
                static_cast<std::size_t>(s.out.shape[3]) * s.out.element);
  });
  return errc::ok;
}

[[nodiscard]] errc cache(const cache_step& s, std::byte* workspace) {
  std::int32_t position = 0;
  std::memcpy(&position, s.position_in.start.data, sizeof position);
  if (position < 0 || static_cast<std::uint64_t>(position) >= s.slots) return errc::ark_index;
  std::byte* const token = workspace + s.workspace;
  gather(s.token, token);
  patch slot = s.cache;
  slot.start.data += position * s.slot_step;
  scatter(token, slot);
  scatter(token, s.out);
  ++position;
  std::memcpy(s.position_out.start.data, &position, sizeof position);
  return errc::ok;
}

void send(const send_step& s, std::byte* workspace, transport& to) {
  std::byte* const room = workspace + s.workspace;
  const std::uint64_t bytes = s.from.count() * s.from.element, start = s.to.start.offset;
  if (s.packets) {
    gather(s.from, room);
    to_packets(room, bytes, s.flag, room + bytes);
    to.put(s.rank, s.storage, start, room + bytes, static_cast<std::size_t>(bytes) * 2);
  } else if (s.reshapes) {  // in C order, up to the end of the shorter one
    gather(s.from, room);
    std::uint64_t done = 0;
    for_runs(s.to, s.to, [&](std::uint64_t offset, std::uint64_t, std::size_t count) {
      const std::uint64_t part = std::min<std::uint64_t>(bytes - done, count * s.to.element);
      if (part != 0)
        to.put(s.rank, s.storage, start + offset, room + done, static_cast<std::size_t>(part));
      done += part;
    });
  } else {
    for_runs(s.from, s.to, [&](std::uint64_t from, std::uint64_t offset, std::size_t count) {
      to.put(s.rank, s.storage, start + offset, s.from.start.data + from, count * s.to.element);
    });
  }
}

// ---- products

/// A matrix of a patch that kernels can read: its rows or its columns are contiguous.
[[nodiscard]] tensors::matrix matrix_of(const std::byte* data, std::ptrdiff_t row_step,
                                        std::ptrdiff_t column_step, bool transposed) noexcept {
  const std::ptrdiff_t stride = transposed ? column_step : row_step;
  return {static_cast<const float*>(static_cast<const void*>(data)),
          static_cast<std::size_t>(stride) / sizeof(float), transposed};
}

class product {
 public:
  product(const multiply_step& s, std::byte* workspace, bool fast, tensors::matmul_workspace* room)
      : s_(s), fast_(fast), room_(room), type_(type_of(s.type)) {
    copies_ = s.type != data_type::fp32;
    direct_ = !copies_ && (s.op == op_type::matmul || s.op == op_type::mma);
    std::byte* to = workspace + s.workspace;
    const auto take = [&to](std::size_t rows, std::size_t columns) {
      std::byte* const start = to;
      to += (rows * columns * sizeof(float) + 63) / 64 * 64;
      return static_cast<float*>(static_cast<void*>(start));
    };
    if (copies_) a_ = take(s.m, s.k);
    if (copies_) b_ = take(s.k, s.n);
    if (!direct_) c_ = take(s.m, s.n);
  }

  void run() {
    for (std::uint64_t i = 0; i < s_.c.shape[0]; ++i)
      for (std::uint64_t j = 0; j < s_.c.shape[1]; ++j) multiply(i, j);
  }

 private:
  /// The rows in memory, or a copy of them in FP32.
  [[nodiscard]] tensors::matrix matrix(const patch& p, const std::byte* data, bool transposed,
                                       float* copy, const std::byte*& copied) {
    if (!copies_) return matrix_of(data, p.step[2], p.step[3], transposed);
    const std::size_t rows = static_cast<std::size_t>(p.shape[transposed ? 3 : 2]);
    const std::size_t columns = static_cast<std::size_t>(p.shape[transposed ? 2 : 3]);
    const std::ptrdiff_t step = p.step[transposed ? 3 : 2];
    const std::ptrdiff_t inner = p.step[transposed ? 2 : 3] / p.element;
    for (std::size_t r = 0; copied != data && r < rows; ++r)
      tensors::load_row(type_, data + static_cast<std::ptrdiff_t>(r) * step, 0, inner,
                        copy + r * columns, columns);
    copied = data;
    return {copy, columns, transposed};
  }

  void multiply(std::uint64_t i, std::uint64_t j) {
    const tensors::matrix a = matrix(s_.a, at(s_.a, i, j, 0, 0), s_.transpose_a, a_, copied_a_);
    const tensors::matrix b = matrix(s_.b, at(s_.b, i, j, 0, 0), s_.transpose_b, b_, copied_b_);
    std::byte* const to = at(s_.c, i, j, 0, 0);
    tensors::product c{c_, s_.n};
    if (direct_)
      c = {static_cast<float*>(static_cast<void*>(to)),
           static_cast<std::size_t>(s_.c.step[2]) / sizeof(float)};
    if (fast_)
      tensors::matmul(s_.m, s_.n, s_.k, a, b, c, *room_);
    else
      tensors::matmul_reference(s_.m, s_.n, s_.k, a, b, c, *room_);
    for (std::size_t r = 0; !direct_ && r < s_.m; ++r) {
      float* const from = c_ + r * s_.n;
      std::byte* const row = to + static_cast<std::ptrdiff_t>(r) * s_.c.step[2];
      finish(from, i, j, r);
      tensors::store_row<tensors::ark_semantics>(type_, row, 0, 1, from, s_.n);
      if (fast_ || (s_.op != op_type::matmul && s_.op != op_type::mma)) continue;
      // Rounding to FP32 first matters only in the middle between two numbers.
      for (std::size_t column = 0; column < s_.n; ++column) {
        if (!rounds_twice(s_.type, from[column])) continue;
        const double sum = dot(a, b, r, column);
        tensors::store_row<tensors::ark_semantics>(type_, row, static_cast<std::int64_t>(column), 1,
                                                   &sum, 1);
      }
    }
  }

  /// One element in FP64, in order.
  [[nodiscard]] double dot(const tensors::matrix& a, const tensors::matrix& b, std::size_t i,
                           std::size_t j) const noexcept {
    const float* const x = a.data + (a.transposed ? i : i * a.stride);
    const float* const y = b.data + (b.transposed ? j * b.stride : j);
    const std::size_t x_step = a.transposed ? a.stride : 1, y_step = b.transposed ? 1 : b.stride;
    double sum = 0;
    for (std::size_t p = 0; p < s_.k; ++p)
      sum += static_cast<double>(x[p * x_step]) * static_cast<double>(y[p * y_step]);
    return sum;
  }

  /// What the fused forms do with a row of the product, in FP32.
  void finish(float* row, std::uint64_t i, std::uint64_t j, std::size_t r) const noexcept {
    if (s_.op == op_type::matmul_gelu) {
      tensors::apply(tensors::unary::gelu, row, row, s_.n);
    } else if (s_.op == op_type::matmul_scale) {
      tensors::apply(tensors::binary::mul, row, s_.scale, row, s_.n);
    } else if (s_.op == op_type::matmul_add) {
      constexpr std::size_t part = 512;
      float added[part];
      for (std::size_t column = 0; column < s_.n; column += part) {
        const std::size_t count = std::min(part, s_.n - column);
        tensors::load_row(type_, at(s_.residual, i, j, r, column), 0,
                          s_.residual.step[3] / s_.residual.element, added, count);
        tensors::apply(tensors::binary::add, row + column, added, row + column, count);
      }
    }
  }

  const multiply_step& s_;
  bool fast_, copies_ = false, direct_ = false;
  tensors::matmul_workspace* room_;
  tensors::element_type type_;
  float *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
  const std::byte *copied_a_ = nullptr, *copied_b_ = nullptr;
};

void multiply(const multiply_step& s, std::byte* workspace, bool fast,
              tensors::matmul_workspace* room) {
  if (info(s.type).kind == model::data_kind::floating)
    return product(s, workspace, fast, room).run();
  const auto view = [](const patch& p, const std::byte* data) {
    return matrix_view{data, p.step[2] / p.element, p.step[3] / p.element};
  };
  for (std::uint64_t i = 0; i < s.c.shape[0]; ++i)
    for (std::uint64_t j = 0; j < s.c.shape[1]; ++j)
      multiply_integers(s.type, s.m, s.n, s.k, view(s.a, at(s.a, i, j, 0, 0)),
                        view(s.b, at(s.b, i, j, 0, 0)), at(s.c, i, j, 0, 0),
                        s.c.step[2] / s.c.element);
}

}  // namespace

std::span<const std::uint32_t> runner::waiting_channels() const noexcept {
  const step& s = waiting_step();
  return s.kind == step_kind::wait ? program_->waits[s.index].channels
                                   : std::span<const std::uint32_t>();
}

state runner::advance(transport& to, const observer_ref<event>& see) {
  for (;; ++next_) {
    const step& s = program_->steps[next_];
    if (!begun_ && s.kind != step_kind::end) {
      begun_ = true;
      see.begin({rank_, s.node, s.op});
    }
    switch (s.kind) {
      case step_kind::map:
      case step_kind::reduce:
      case step_kind::multiply:
      case step_kind::look_up:
      case step_kind::cache:
      case step_kind::send:
      case step_kind::unpack:
      case step_kind::sum:
        if (done_.code = compute(s, to); done_.code != errc::ok) {
          done_.node = s.node;
          done_.op = s.op;
          return state::trapped;
        }
        break;
      case step_kind::wait:
        if (!to.take(waiting_channels())) return state::waiting;
        break;
      case step_kind::sync:
        if (!waits_) ++syncs_;
        waits_ = !to.sync(rank_, syncs_);
        if (waits_) return state::waiting;
        break;
      case step_kind::end: return state::finished;
    }
    if (!s.last) continue;
    done_.steps += program_->costs[next_];
    begun_ = false;
    see.end({rank_, s.node, s.op});
  }
}

errc runner::compute(const step& s, transport& to) {
  const compiled_program& p = *program_;
  switch (s.kind) {
    case step_kind::map: return map(p.maps[s.index]);
    case step_kind::reduce: {
      const reduce_step& r = p.reductions[s.index];
      for_rows(r.over, {}, [&r](const row& results, std::uint64_t) {
        reduce(r.op, r.type, results, r.depth, r.step);
      });
      return errc::ok;
    }
    case step_kind::multiply:
      multiply(p.products[s.index], p.workspace, fast_, room_);
      return errc::ok;
    case step_kind::look_up: return look_up(p.look_ups[s.index]);
    case step_kind::cache: return cache(p.caches[s.index], p.workspace);
    case step_kind::send: {
      const send_step& out = p.sends[s.index];
      send(out, p.workspace, to);
      to.flush(out.rank);
      for (const std::uint32_t c : out.signals) to.signal(c);
      return errc::ok;
    }
    case step_kind::unpack: {
      const unpack_step& u = p.unpacks[s.index];
      const std::uint64_t bytes = u.out.count() * u.out.element;
      from_packets(u.packets.start.data, 0, bytes, p.workspace + u.workspace);
      scatter(p.workspace + u.workspace, u.out);
      return errc::ok;
    }
    case step_kind::sum: {
      const sum_step& m = p.sums[s.index];
      for_rows(m.over, {},
               [&m](const row& r, std::uint64_t first) { sum_segments(m.type, r, m.list, first); });
      return errc::ok;
    }
    case step_kind::wait:
    case step_kind::sync:
    case step_kind::end: break;
  }
  return errc::ok;
}

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI
