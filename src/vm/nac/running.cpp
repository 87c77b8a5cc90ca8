// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations whose results are those of the elements up to each one along an axis.

#include <utility>
#include <vector>

#include "operations.hpp"
#include "reduce.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

/// Floats in FP64, integers in 64 bits.
[[nodiscard]] value scan(call& c, tensors::running by, data_type to) {
  const tensor& given = c.tensor_at(0);
  const std::size_t axis = axis_of(c.whole(1), given.rank());
  if (to == data_type::boolean) fail(errc::nac_run_type, "dtype is bool; expected a numeric type");
  const tensor x = cast(c.arena, given, to);
  tensor out = make_tensor(c.arena, to, x.dims);
  if (out.size() == 0) return out;
  visit_sums(to, [&]<class A>(of<A>) {
    tensors::scan<A>(
        by, along(x.dims, axis), elements_of(x),
        [&](const row_place& at, const A* row, std::size_t n) { store(out, at, row, n); });
  });
  return out;
}
[[nodiscard]] value running_numbers(call& c, tensors::running by) {
  const data_type from = c.tensor_at(0).type;
  return scan(c, by, c.type_or(2, is_floating(from) ? from : data_type::int64));
}

/// The greatest or the smallest so far, the last one of equals, and its index.
[[nodiscard]] value running_extreme(call& c, bool greatest) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_of(c.whole(1), x.rank());
  tensor values = make_tensor(c.arena, x.type, x.dims);
  tensor indices = make_tensor(c.arena, data_type::int64, x.dims);
  if (x.size() != 0)
    visit_sums(x.type, [&]<class A>(of<A>) {
      tensors::scan_best<A>(greatest, along(x.dims, axis), elements_of(x),
                            put_best<A>(&values, indices));
    });
  return value(std::vector<value>{std::move(values), std::move(indices)});
}

}  // namespace

value cumsum(call& c) { return running_numbers(c, tensors::running::sum); }
value cumprod(call& c) { return running_numbers(c, tensors::running::prod); }
value cummax(call& c) { return running_extreme(c, true); }
value cummin(call& c) { return running_extreme(c, false); }
value logcumsumexp(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type))
    fail(errc::nac_run_type, "input is ", x.type, "; expected a floating-point type");
  return scan(c, tensors::running::logaddexp, x.type);
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
