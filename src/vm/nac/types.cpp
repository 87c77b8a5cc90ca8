// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "types.hpp"

#include <algorithm>

#include "elementwise.hpp"
#include "tensor/element_rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {
namespace {

/// Booleans, integers, floats.
[[nodiscard]] int kind_of(data_type t) noexcept {
  return t == data_type::boolean ? 0 : is_integral(t) ? 1 : 2;
}
[[nodiscard]] int width_of(data_type t) noexcept { return static_cast<int>(model::size_of(t)); }

/// What operands of one priority give together; `any`: whether there are some.
struct gathered {
  bool any = false;
  data_type type = data_type::boolean;

  void add(data_type t) noexcept {
    type = any ? promote(type, t) : t;
    any = true;
  }
  /// This, unless what has less priority is of a higher kind.
  [[nodiscard]] gathered over(const gathered& lower) const noexcept {
    if (!any) return lower;
    if (!lower.any || kind_of(lower.type) <= kind_of(type)) return *this;
    return lower;
  }
};

}  // namespace

data_type promote(data_type a, data_type b) noexcept {
  if (a == b) return a;
  if (kind_of(a) != kind_of(b)) return kind_of(a) > kind_of(b) ? a : b;
  if (kind_of(a) == 2) {
    if (width_of(a) == width_of(b)) return data_type::float32;  // both halves
    return width_of(a) > width_of(b) ? a : b;
  }
  const bool mixed_signs = (a == data_type::uint8) != (b == data_type::uint8);
  if (mixed_signs && width_of(a) == width_of(b)) return data_type::int16;
  return width_of(a) > width_of(b) ? a : b;
}

data_type promote(std::span<const tensor* const> operands) noexcept {
  gathered with_dims, rank_0, numbers;
  for (const tensor* t : operands) {
    if (t->is_number)
      numbers.add(is_floating(t->type) ? data_type::float32 : t->type);
    else
      (t->rank() == 0 ? rank_0 : with_dims).add(t->type);
  }
  return with_dims.over(rank_0.over(numbers)).type;
}

void cast(data_type from_type, const std::byte* from, data_type to_type, std::byte* to,
          std::size_t count) noexcept {
  if (from_type == to_type) {
    if (count != 0 && from != to) std::memcpy(to, from, count * model::size_of(from_type));
    return;
  }
  const auto by_way_of = [&]<class A>(of<A>) {
    const tensors::element_type loaded = element_of(from_type), stored = element_of(to_type);
    // At once where one of both is what the other becomes.
    const bool apart = from != to;
    if (apart && stored == tensors::type_of<A>)
      return tensors::load_row(loaded, from, 0, 1, lanes<A>(to), count);
    if (apart && loaded == tensors::type_of<A>)
      return tensors::store_row<tensors::nac_semantics>(stored, to, 0, 1, lanes<A>(from), count);
    constexpr std::size_t part = 256;
    A row[part];
    for (std::size_t i = 0; i < count; i += part) {
      const std::size_t n = std::min(part, count - i);
      const auto first = static_cast<std::int64_t>(i);
      tensors::load_row(loaded, from, first, 1, row, n);
      tensors::store_row<tensors::nac_semantics>(stored, to, first, 1, row, n);
    }
  };
  const auto has_kernel = [](data_type half_type, data_type wide) {
    return wide == data_type::float32 && widened(half_type) != half_type;
  };
  if (has_kernel(from_type, to_type))
    return from_type == data_type::float16
               ? tensors::widen(of<half>{}, lanes<std::uint16_t>(from), lanes<float>(to), count)
               : tensors::widen(of<bfloat>{}, lanes<std::uint16_t>(from), lanes<float>(to), count);
  if (has_kernel(to_type, from_type))
    return to_type == data_type::float16
               ? tensors::narrow(of<half>{}, lanes<float>(from), lanes<std::uint16_t>(to), count)
               : tensors::narrow(of<bfloat>{}, lanes<float>(from), lanes<std::uint16_t>(to), count);
  if (is_floating(to_type) && !is_floating(from_type))
    return to_type == data_type::float64 ? by_way_of(of<double>{}) : by_way_of(of<float>{});
  visit_numbers(from_type, by_way_of);
}

tensor cast(memory& arena, const tensor& x, data_type to) {
  if (x.type == to) {
    tensor same = x;
    same.is_number = false;
    return same;
  }
  tensor out = make_tensor(arena, to, x.dims);
  cast(x.type, x.data, to, out.data, x.size());
  return out;
}

shape broadcast(const shape& a, const shape& b) {
  const shape& longer = a.rank() >= b.rank() ? a : b;
  const shape& shorter = a.rank() >= b.rank() ? b : a;
  shape out = longer;
  const std::size_t skipped = longer.rank() - shorter.rank();
  for (std::size_t i = 0; i < shorter.rank(); ++i) {
    const std::int64_t x = longer[skipped + i], y = shorter[i];
    if (x != y && x != 1 && y != 1)
      fail(errc::nac_run_shape, a, " and ", b,
           " don't broadcast; expected equal sizes, or 1, where ", x, " meets ", y);
    out[skipped + i] = x == 1 ? y : x;
  }
  return out;
}

void refuse_axis(std::int64_t axis, std::size_t rank) {
  fail(errc::nac_run_axis, "axis is ", axis, "; expected ",
       rank == 0 ? -1 : -static_cast<std::int64_t>(rank), " to ", rank == 0 ? 0 : rank - 1);
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
