// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cstdlib>

#include "opcodes.hpp"
#include "operations.hpp"
#include "reals.hpp"
#include "tensor/reductions.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

namespace reductions = tensors::reductions;

constexpr std::int64_t block = 512;  ///< elements at once

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
  [[nodiscard]] rows<4> kept() const noexcept {
    return {
        kept_.of(kept_.shape),
        {kept_.of(kept_.x), kept_.of(kept_.x_index), kept_.of(kept_.y), kept_.of(kept_.y_index)}};
  }
  [[nodiscard]] rows<2> reduced() const noexcept {
    return {reduced_.of(reduced_.shape), {reduced_.of(reduced_.x), reduced_.of(reduced_.x_index)}};
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

/// For each element that is kept: a sum that begins with `start`, add(sum, value, n) for the n-th of
/// those that are reduced to it, in the order of the shape, then finish(place, sums, count) for a row
/// of sums. Goes along what is kept where those elements lie closer to one another.
template <class Value, class Sum, class Load, class Add, class Finish>
void fold(const folding& f, const Sum& start, Load&& load, Add&& add, Finish&& finish) {
  std::array<Value, block> row;
  std::array<Sum, block> sums;
  const rows<4> kept = f.kept();
  const rows<2> reduced = f.reduced();
  const auto step = kept.steps();
  const auto inner = reduced.steps();
  const bool by_kept =
      kept.length() > 1 && (reduced.length() == 1 || std::abs(step[0]) < std::abs(inner[0]));
  // The sums of n elements that are kept, from those places on.
  const auto sum_by_kept = [&](std::int64_t x, std::int64_t index, std::int64_t n) {
    std::int64_t k = 0;
    reduced.each([&](const auto& at, std::int64_t length) {
      for (std::int64_t j = 0; j < length; ++j, ++k) {
        load({x + at[0] + j * inner[0], step[0], index + at[1] + j * inner[1], step[1]}, row.data(),
             n);
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) add(sums[i], row[i], k);
      }
    });
  };
  const auto sum_of_one = [&](std::int64_t x, std::int64_t index) {
    std::int64_t k = 0;
    Sum sum = start;
    reduced.each([&](const auto& at, std::int64_t length) {
      for (std::int64_t j = 0; j < length; j += block) {
        const std::int64_t some = std::min(block, length - j);
        load({x + at[0] + j * inner[0], inner[0], index + at[1] + j * inner[1], inner[1]},
             row.data(), some);
        for (std::size_t m = 0; m < static_cast<std::size_t>(some); ++m, ++k) add(sum, row[m], k);
      }
    });
    return sum;
  };
  kept.each([&](const auto& first, std::int64_t all) {
    for (std::int64_t from = 0; from < all; from += block) {
      const std::int64_t n = std::min(block, all - from);
      const std::int64_t x = first[0] + from * step[0], index = first[1] + from * step[1];
      std::fill_n(sums.begin(), n, start);
      if (by_kept)
        sum_by_kept(x, index, n);
      else
        for (std::int64_t i = 0; i < n; ++i)
          sums[static_cast<std::size_t>(i)] = sum_of_one(x + i * step[0], index + i * step[1]);
      finish({first[2] + from * step[2], step[2], first[3] + from * step[3], step[3]}, sums.data(),
             n);
    }
  });
}

/// The same by a reduction.
template <class R, class A, class Value = A, class Load, class Finish>
void fold_by(const folding& f, Load&& load_row, Finish&& finish) {
  fold<Value, A>(
      f, R::template start<A>(), load_row,
      [](A& a, Value v, std::int64_t) { a = R::template step<A>(a, static_cast<A>(v)); }, finish);
}

/// Sums modulo 2^64, of which the output takes its low bits.
void sum_integers(const call& c, const folding& f) {
  fold_by<reductions::sum, std::uint64_t, std::int64_t>(
      f,
      [&](const row_place& at, std::int64_t* to, std::int64_t n) {
        load(c.inputs[0], at.first, at.step, to, static_cast<std::size_t>(n));
      },
      [&](const row_place& at, const std::uint64_t* sums, std::int64_t n) {
        std::array<std::int64_t, block> row;
        const auto count = static_cast<std::size_t>(n);
        std::copy_n(sums, count, row.begin());
        wrap(c.outputs[0], at.first, at.step, row.data(), count);
      });
}

[[nodiscard]] verdict find_extremum(const call& c) {
  // The output is an index, not a quantized value: only the input's descriptor gives its meaning.
  reals x(c.inputs[0], integers::quantized), y(c.outputs[0], integers::plain);
  const folding f(c, x, y);
  const bool greatest = c.opcode == opcode::argmax;
  const std::int64_t max_index = range_of(c.outputs[0].element).greatest;
  struct best {
    double value = 0;
    std::int64_t index = 0;
  };
  verdict found;
  std::int64_t element = 0;  // of the output: rows come in its order
  fold<double, best>(
      f, {}, [&](const row_place& at, double* to, std::int64_t n) { x.load(at, to, n); },
      [greatest](best& b, double v, std::int64_t k) {
        if (k == 0 ||
            (greatest ? reductions::beats<true>(v, b.value) : reductions::beats<false>(v, b.value)))
          b = {v, k};
      },
      [&](const row_place& at, const best* all, std::int64_t n) {
        std::array<std::int64_t, block> indices;
        for (std::int64_t i = 0; i < n; ++i, ++element) {
          std::int64_t index = all[i].index;
          if (index > max_index) {
            if (found)
              found = {.code = errc::nem_rt_index,
                       .element = element,
                       .index = index,
                       .size = max_index};
            index = 0;
          }
          indices[static_cast<std::size_t>(i)] = index;
        }
        wrap(c.outputs[0], at.first, at.step, indices.data(), static_cast<std::size_t>(n));
      });
  return found;
}

}  // namespace

verdict reduce(const call& c, workspace&) {
  if (model::is_extension(c.inputs[0].element)) return {.code = errc::nem_rt_unsupported};
  const integers as = is_quantized(c) ? integers::quantized : integers::plain;
  reals x(c.inputs[0], as), y(c.outputs[0], as);
  const folding f(c, x, y);
  const auto load_row = [&](const row_place& at, double* to, std::int64_t n) { x.load(at, to, n); };
  const auto store_row = [&](const row_place& at, double* from, std::int64_t n) {
    y.store(at, from, n);
  };
  switch (nem::as<reduction_opcode>(c.opcode)) {
    case reduction_opcode::max:
      fold_by<reductions::ordered_max, double>(f, load_row, store_row);
      break;
    case reduction_opcode::min:
      fold_by<reductions::ordered_min, double>(f, load_row, store_row);
      break;
    case reduction_opcode::argmax:
    case reduction_opcode::argmin: return find_extremum(c);
    case reduction_opcode::sum:
      if (!c.outputs[0].is_integer() || as == integers::quantized)
        fold_by<reductions::sum, double>(f, load_row, store_row);
      else
        sum_integers(c, f);
      break;
  }
  return {};
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
