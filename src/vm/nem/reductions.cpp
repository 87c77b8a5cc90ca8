// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>

#include "opcodes.hpp"
#include "operations.hpp"
#include "reals.hpp"
#include "tensor/fold.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

/// The input of a reduction as rows of what is kept and of what is reduced.
class folding {
 public:
  folding(const call& c, const reals& x, const reals& y) {
    std::uint64_t reduced = 0;
    const std::size_t rank = x.shape().size();
    const auto add = [&](std::int64_t axis) {
      reduced |= std::uint64_t{1} << axis_from(axis, rank);
    };
    if (c.opcode == opcode::argmax || c.opcode == opcode::argmin)
      add(c.attributes.axis);
    else if (c.attributes.axes.empty())
      reduced = ~std::uint64_t{0};
    else
      for (const std::int64_t axis : c.attributes.axes) add(axis);

    std::size_t to = 0;  // the dimension of y
    for (std::size_t d = 0; d < rank; ++d) {
      const bool is_reduced = (reduced >> d & 1) != 0;
      part& p = is_reduced ? reduced_ : kept_;
      p.shape[p.rank] = x.shape()[d];
      p.x[p.rank] = x.strides()[d];
      p.x_index[p.rank] = x.indices()[d];
      if (!is_reduced) {
        p.y[p.rank] = y.strides()[to];
        p.y_index[p.rank] = y.indices()[to];
      }
      if (!is_reduced || c.attributes.keepdims) ++to;
      ++p.rank;
    }
  }
  [[nodiscard]] tensors::fold_rows rows() const noexcept {
    return {
        {kept_.of(kept_.shape),
         {kept_.of(kept_.x), kept_.of(kept_.x_index), kept_.of(kept_.y), kept_.of(kept_.y_index)}},
        {reduced_.of(reduced_.shape), {reduced_.of(reduced_.x), reduced_.of(reduced_.x_index)}}};
  }

 private:
  using numbers = std::array<std::int64_t, model::max_rank>;
  struct part {
    std::size_t rank = 0;
    numbers shape = {}, x = {}, x_index = {}, y = {}, y_index = {};
    [[nodiscard]] shape_view of(const numbers& n) const noexcept { return {n.data(), rank}; }
  };
  part kept_, reduced_;
};

/// Sums modulo 2^64, of which the output takes its low bits.
void sum_integers(const call& c, const folding& f) {
  tensors::fold<std::int64_t>(
      tensors::reduction::sum, f.rows(),
      [&](const row_place& at, std::int64_t* to, std::size_t n) {
        load(c.inputs[0], at.first, at.step, to, n);
      },
      [&](const row_place& at, const std::int64_t* sums, std::size_t n) {
        wrap(c.outputs[0], at.first, at.step, sums, n);
      });
}

[[nodiscard]] verdict find_extremum(const call& c) {
  // The output is an index, not a quantized value: only the input's descriptor gives its meaning.
  reals x(c.inputs[0], integers::quantized), y(c.outputs[0], integers::plain);
  const folding f(c, x, y);
  const std::int64_t max_index = range_of(c.outputs[0].element).greatest;
  verdict found;
  std::int64_t element = 0;  // of the output: rows come in its order
  const auto load_row = [&](const row_place& at, double* to, std::size_t n) { x.load(at, to, n); };
  tensors::fold_best<double>(
      c.opcode == opcode::argmax, f.rows(), load_row,
      [&](const row_place& at, const double*, std::int64_t* indices, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i, ++element) {
          if (indices[i] <= max_index) continue;
          if (found)
            found = {.code = errc::nem_rt_index,
                     .element = element,
                     .index = indices[i],
                     .size = max_index};
          indices[i] = 0;
        }
        wrap(c.outputs[0], at.first, at.step, indices, n);
      });
  return found;
}

}  // namespace

verdict reduce(const call& c, workspace&) {
  if (model::is_extension(c.inputs[0].element)) return {.code = errc::nem_rt_unsupported};
  const integers as = is_quantized(c) ? integers::quantized : integers::plain;
  reals x(c.inputs[0], as), y(c.outputs[0], as);
  const folding f(c, x, y);
  const auto load_row = [&](const row_place& at, double* to, std::size_t n) { x.load(at, to, n); };
  const auto fold = [&](tensors::reduction by) {
    tensors::fold<double>(
        by, f.rows(), load_row,
        [&](const row_place& at, double* from, std::size_t n) { y.store(at, from, n); });
  };
  switch (nem::as<reduction_opcode>(c.opcode)) {
    case reduction_opcode::max: fold(tensors::reduction::ordered_max); break;
    case reduction_opcode::min: fold(tensors::reduction::ordered_min); break;
    case reduction_opcode::argmax:
    case reduction_opcode::argmin: return find_extremum(c);
    case reduction_opcode::sum:
      if (!c.outputs[0].is_integer() || as == integers::quantized)
        fold(tensors::reduction::sum);
      else
        sum_integers(c, f);
      break;
  }
  return {};
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
