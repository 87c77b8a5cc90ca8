// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "strided.hpp"

#include <cstring>
#include <string>

#include "types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {
std::uint32_t axes_of(std::span<const std::int64_t> list, std::size_t rank) {
  std::uint32_t set = 0;
  for (const std::int64_t a : list) {
    const std::uint32_t bit = std::uint32_t{1} << axis_of(a, rank);
    if ((set & bit) != 0) fail(errc::nac_run_axis, "duplicate axis ", a);
    set |= bit;
  }
  return set;
}

tensor copied(memory& arena, const tensor& x) {
  tensor out = make_tensor(arena, x.type, x.dims);
  if (out.size() != 0) std::memcpy(out.data, x.data, x.bytes());
  return out;
}

void copy(const tensor& x, const tensor_part& from, const tensor& out,
          const tensor_part& to) noexcept {
  const std::size_t size = model::size_of(x.type);
  walk w;
  for (std::size_t i = 0; i < from.dims.rank(); ++i)
    w.add(from.dims[i], from.steps[i], to.steps[i]);
  w.copy(out.data + to.first * static_cast<std::int64_t>(size),
         x.data + from.first * static_cast<std::int64_t>(size), size);
}
tensor taken(memory& arena, const tensor& x, const tensor_part& p) {
  tensor out = make_tensor(arena, x.type, p.dims);
  if (out.size() != 0) copy(x, p, out, tensor_part(p.dims));
  return out;
}
tensor replaced(memory& arena, const tensor& x, const tensor_part& p, const tensor& source) {
  tensor out = copied(arena, x);
  if (source.size() != 0) copy(source, tensor_part(p.dims), out, p);
  return out;
}

void join(const tensor& out, std::size_t axis, std::span<const tensor* const> all) {
  const auto outer = static_cast<std::size_t>(out.dims.product(0, axis));
  std::byte* to = out.data;
  for (std::size_t o = 0; o < outer; ++o)
    for (const tensor* t : all) {
      const std::size_t n = t->size() / outer;
      if (n != 0) cast(t->type, t->data + o * n * model::size_of(t->type), out.type, to, n);
      to += n * model::size_of(out.type);
    }
}

tensor permuted(memory& arena, const tensor& x, const std::size_t* order) {
  shape dims = x.dims;
  // Axes of one element may go anywhere.
  bool same = true;
  std::size_t before = 0;
  for (std::size_t i = 0; i < dims.rank(); ++i) {
    dims[i] = x.dim(order[i]);
    if (dims[i] == 1) continue;
    same = same && order[i] >= before;
    before = order[i];
  }
  if (same) return x.with_shape(dims);
  const strides step(x.dims);
  tensor_part p;
  for (std::size_t i = 0; i < dims.rank(); ++i) p.add(dims[i], step[order[i]]);
  return taken(arena, x, p);
}

tensor expanded(memory& arena, const tensor& x, const shape& dims) {
  const std::int64_t all = dims.elements();
  if (all == static_cast<std::int64_t>(x.size())) return x.with_shape(dims);
  const std::size_t added = dims.rank() - x.rank();
  const strides step(x.dims);
  tensor_part p;
  for (std::size_t i = 0; i < dims.rank(); ++i)
    p.add(dims[i], i < added || x.dim(i - added) == 1 ? 0 : step[i - added]);
  return taken(arena, x, p);
}

tensor narrowed(memory& arena, const tensor& x, std::size_t axis, std::int64_t start,
                std::int64_t count) {
  const std::int64_t whole = x.dim(axis);
  shape dims = x.dims;
  dims[axis] = count;
  if (count == whole) return x.with_shape(dims);
  const auto size = static_cast<std::int64_t>(model::size_of(x.type));
  const std::int64_t inner = dims.product(axis + 1, dims.rank()) * size;
  if (count != 0 && dims.product(0, axis) == 1) {
    tensor out = x.with_shape(dims);
    out.data += start * inner;
    return out;
  }
  tensor out = make_tensor(arena, x.type, dims);
  if (out.size() == 0) return out;
  const std::int64_t outer = dims.product(0, axis);
  for (std::int64_t i = 0; i < outer; ++i)
    std::memcpy(out.data + i * count * inner, x.data + (i * whole + start) * inner,
                static_cast<std::size_t>(count * inner));
  return out;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
