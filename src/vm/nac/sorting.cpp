// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Elements along an axis in order.

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

template <class A>
struct entry {
  A v;
  std::int64_t index;
};

/// Ascending, or descending; NaNs as the greatest, equals in their order.
template <bool Descending, class A>
[[nodiscard]] inline bool precedes(const entry<A>& a, const entry<A>& b) noexcept {
  if constexpr (std::is_floating_point_v<A>) {
    const bool a_nan = a.v != a.v, b_nan = b.v != b.v;
    if (a_nan != b_nan) return Descending ? a_nan : b_nan;
  }
  if (a.v < b.v) return !Descending;
  if (b.v < a.v) return Descending;
  return a.index < b.index;
}

/// The first `taken` values in order along an axis, and their indices.
[[nodiscard]] value ordered(call& c, const tensor& x, std::size_t axis, std::int64_t taken,
                            bool descending, bool with_values) {
  shape dims = x.dims;
  if (x.rank() != 0) dims[axis] = taken;
  tensor indices = make_tensor(c.arena, data_type::int64, dims);
  tensor values = with_values ? make_tensor(c.arena, x.type, dims) : tensor{};
  const groups g = along(x.dims, axis);
  if (indices.size() != 0)
    visit(x.type, [&]<class T>(of<T>) {
      using A = compute<T>;
      using item = entry<A>;
      const storage scratch = c.arena.take(static_cast<std::uint64_t>(g.count) * sizeof(item));
      item* const all = static_cast<item*>(static_cast<void*>(scratch.data()));
      for (std::int64_t i = 0; i < g.results(); ++i) {
        const std::int64_t o = i / g.inner, k = i % g.inner;
        const T* const from = x.template as<T>() + o * g.count * g.inner + k;
        for (std::int64_t j = 0; j < g.count; ++j)
          new (all + j) item{static_cast<A>(from[j * g.inner]), j};
        const auto arrange = [&](auto before) {
          if (taken == g.count)
            std::sort(all, all + g.count, before);
          else
            std::partial_sort(all, all + taken, all + g.count, before);
        };
        if (descending)
          arrange(precedes<true, A>);
        else
          arrange(precedes<false, A>);
        const std::int64_t to = o * taken * g.inner + k;
        for (std::int64_t j = 0; j < taken; ++j) {
          indices.template as<std::int64_t>()[to + j * g.inner] = all[j].index;
          if (with_values) values.template as<T>()[to + j * g.inner] = from[all[j].index * g.inner];
        }
      }
    });
  if (!with_values) return indices;
  return value(std::vector<value>{std::move(values), std::move(indices)});
}

[[nodiscard]] value sorted(call& c, bool with_values) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_of(c.whole_or(1, -1), x.rank());
  return ordered(c, x, axis, along(x.dims, axis).count, c.truth_or(2, false), with_values);
}

}  // namespace

value topk(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean) fail(errc::nac_run_type, "bool");
  const std::int64_t k = c.whole(1);
  const std::size_t axis = axis_of(c.whole_or(2, -1), x.rank());
  const std::int64_t count = along(x.dims, axis).count;
  if (k < 0 || k > count)
    fail(errc::nac_run_argument,
         "k = " + std::to_string(k) + " of " + std::to_string(count) + " elements");
  return ordered(c, x, axis, x.rank() == 0 ? 1 : k, c.truth_or(3, true), true);
}
value sort(call& c) { return sorted(c, true); }
value argsort(call& c) { return sorted(c, false); }

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
