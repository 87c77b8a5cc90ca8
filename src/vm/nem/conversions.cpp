// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// From one element type to another.

#include <cmath>

#include "elements.hpp"
#include "operations.hpp"
#include "pairs.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

verdict cast(const call& c, workspace&) {
  const tensor &x = c.inputs[0], &y = c.outputs[0];
  const auto as_it_is = [](auto*, std::size_t) {};
  if (x.is_integer() && y.is_integer()) {
    each_row<std::int64_t>(x, y, as_it_is);
  } else if (y.is_integer()) {
    each_row<float>(x, y, [](float* row, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) row[i] = std::trunc(row[i]);
    });
  } else if (x.element == element::i32 || x.element == element::u32) {
    each_row<double>(x, y, as_it_is);
  } else {
    each_row<float>(x, y, as_it_is);
  }
  return {};
}

verdict quantize(const call& c, workspace&) {
  const tensor &x = c.inputs[0], &y = c.outputs[0];
  pairs of_y(y);
  float real[part_size];
  double row[part_size];
  const rows<3> r(y.shape, {x.strides, y.strides, of_y.strides()});
  each_part(r, [&](const auto& at, std::size_t n) {
    of_y.find(at[2], r.steps()[2], n);
    load(x, at[0], r.steps()[0], real, n);
    for (std::size_t i = 0; i < n; ++i) {
      const float quotient = real[i] / static_cast<float>(of_y.scale(i));
      const double q = rounded(double{quotient}) + of_y.zero(i);
      row[i] = q == q ? q : of_y.zero(i);
    }
    store(y, at[1], r.steps()[1], row, n);
  });
  return {};
}

verdict dequantize(const call& c, workspace&) {
  const tensor &x = c.inputs[0], &y = c.outputs[0];
  pairs of_x(x);
  double row[part_size];
  float real[part_size];
  const rows<3> r(y.shape, {x.strides, y.strides, of_x.strides()});
  each_part(r, [&](const auto& at, std::size_t n) {
    of_x.find(at[2], r.steps()[2], n);
    load(x, at[0], r.steps()[0], row, n);
    for (std::size_t i = 0; i < n; ++i)
      real[i] = static_cast<float>((row[i] - of_x.zero(i)) * of_x.scale(i));
    store(y, at[1], r.steps()[1], real, n);
  });
  return {};
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
