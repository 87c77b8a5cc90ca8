// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations that arrange elements anew. Where the order in memory stays, results share them.

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "elementwise.hpp"
#include "indexing.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

using int_list = std::span<const std::int64_t>;

[[nodiscard]] std::string text_of(int_list list) {
  std::string out = "[";
  for (std::size_t i = 0; i < list.size() && i < 2 * max_rank; ++i) {
    if (i != 0) out += ", ";
    out += std::to_string(list[i]);
  }
  return out + (list.size() > 2 * max_rank ? ", …]" : "]");
}

/// The product of two dimensions; throws nac_run_shape for negative ones, and where it overflows.
[[nodiscard]] std::int64_t product(std::int64_t a, std::int64_t b) {
  if (a < 0 || b < 0)
    fail(errc::nac_run_shape, "dimension is ", a < 0 ? a : b, "; expected at least 0");
  if (a != 0 && b > INT64_MAX / a)
    fail(errc::nac_run_shape, "size ", a, " repeated ", b, " times exceeds 2^63 - 1");
  return a * b;
}

void need_dimensions(const tensor& x) {
  if (x.rank() == 0) fail(errc::nac_run_axis, "rank is 0; expected at least 1");
}

/// Copies of all of `x`, repeats[i] along axis i of as many axes.
[[nodiscard]] tensor repeated(memory& arena, const tensor& x, int_list repeats) {
  if (repeats.size() > max_rank) fail(errc::nac_run_rank);
  shape dims, inner;
  const std::size_t added = repeats.size() - x.rank();
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    inner.push_back(i < added ? 1 : x.dim(i - added));
    dims.push_back(product(repeats[i], inner[i]));
  }
  if (dims == inner) return x.with_shape(dims);
  tensor out = make_tensor(arena, x.type, dims);
  if (out.size() == 0) return out;
  const strides from(inner), to(dims);
  walk w;
  for (std::size_t i = 0; i < dims.rank(); ++i) {
    w.add(repeats[i], 0, to[i] * inner[i]);
    w.add(inner[i], from[i], to[i]);
  }
  w.copy(out.data, x.data, model::size_of(x.type));
  return out;
}

/// Parts of `x` along an axis, `count` of them; size_of_part(i) elements each.
template <class Size>
[[nodiscard]] value parts_of(memory& arena, const tensor& x, std::size_t axis, std::int64_t count,
                             bool keep_axis, Size&& size_of_part) {
  if (count > INT64_MAX / static_cast<std::int64_t>(sizeof(value)))
    fail(errc::budget_memory, "a list of ", count, " parts");
  storage counted = arena.take(static_cast<std::uint64_t>(count) * sizeof(value));
  std::vector<value> list;
  list.reserve(static_cast<std::size_t>(count));
  std::int64_t start = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t size = size_of_part(i);
    tensor part = narrowed(arena, x, axis, start, size);
    if (!keep_axis) part.dims.erase(axis);
    list.emplace_back(std::move(part));
    start += size;
  }
  return value(std::move(list), std::move(counted));
}

/// Parts of `size` elements along an axis; the last one is what remains.
[[nodiscard]] value equal_parts(memory& arena, const tensor& x, std::size_t axis,
                                std::int64_t size) {
  const std::int64_t all = x.dim(axis);
  if (size < 0 || (size == 0 && all != 0))
    fail(errc::nac_run_argument, "the size of the parts is ", size, "; expected at least 1");
  const std::int64_t count = all == 0 ? 1 : (all - 1) / size + 1;
  return parts_of(arena, x, axis, count, true,
                  [&](std::int64_t i) { return i + 1 < count ? size : all - (count - 1) * size; });
}

/// Elements of `x` up to (`upper`: from) a diagonal, others 0.
[[nodiscard]] value triangle(call& c, bool upper) {
  const tensor& x = c.tensor_at(0);
  if (x.rank() < 2) fail(errc::nac_run_rank, "shape is ", x.dims, "; expected rank 2 or more");
  tensor out = make_tensor(c.arena, x.type, x.dims);
  if (out.size() == 0) return out;
  const std::int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  // Row i has its diagonal element in column i + diagonal; what lies farther out changes nothing.
  const std::int64_t diagonal = std::clamp(c.whole_or(1, 0), -rows, columns);
  const std::int64_t matrices = x.dims.product(0, x.rank() - 2);
  const std::size_t size = model::size_of(x.type);
  const std::byte* from = x.data;
  std::byte* to = out.data;
  const std::size_t row = static_cast<std::size_t>(columns) * size;
  for (std::int64_t m = 0; m < matrices; ++m) {
    for (std::int64_t i = 0; i < rows; ++i, from += row, to += row) {
      const std::int64_t end = std::clamp(i + diagonal + (upper ? 0 : 1), std::int64_t{0}, columns);
      const std::size_t split = static_cast<std::size_t>(end) * size;
      if (upper) {
        std::memset(to, 0, split);
        std::memcpy(to + split, from + split, row - split);
      } else {
        std::memcpy(to, from, split);
        std::memset(to + split, 0, row - split);
      }
    }
  }
  return out;
}

/// How much is added before and after one axis.
struct margin {
  std::int64_t before = 0, after = 0;
};

/// The size of a padded axis; throws nac_run_shape below 0, and where more is cut off than there is.
[[nodiscard]] std::int64_t padded_size(std::int64_t size, margin m) {
  // None of these is beyond 2^62 in size, so that the sum doesn't overflow.
  constexpr std::int64_t max_margin = std::int64_t{1} << 60;
  if (m.before < -max_margin || m.before > max_margin || m.after < -max_margin ||
      m.after > max_margin)
    fail(errc::nac_run_argument, "padding is ", m.before, " and ", m.after,
         "; expected -2^60 to 2^60");
  const std::int64_t kept =
      size + std::min(m.before, std::int64_t{0}) + std::min(m.after, std::int64_t{0});
  if (kept < 0)
    fail(errc::nac_run_shape, "padding is ", m.before, " and ", m.after, " for an axis of ", size,
         " elements; expected to remove at most as many");
  return size + m.before + m.after;
}

/// `x` among elements of one value; negative margins cut off.
[[nodiscard]] tensor padded(memory& arena, const tensor& x, const margin* margins, scalar fill) {
  shape dims = x.dims;
  for (std::size_t i = 0; i < dims.rank(); ++i) dims[i] = padded_size(dims[i], margins[i]);
  tensor out = make_tensor(arena, x.type, dims);
  if (out.size() == 0) return out;
  nac::fill(out, fill);
  tensor_part from(x.dims), to(dims);
  for (std::size_t i = 0; i < dims.rank(); ++i) {
    const std::int64_t cut = std::max(-margins[i].before, std::int64_t{0});
    const std::int64_t kept = x.dim(i) - cut - std::max(-margins[i].after, std::int64_t{0});
    if (kept == 0) return out;
    from.cut(i, cut, kept);
    to.cut(i, std::max(margins[i].before, std::int64_t{0}), kept);
  }
  copy(x, from, out, to);
  return out;
}

enum class border { reflect, replicate, circular };

/// `x` longer along one axis, by elements of its own.
[[nodiscard]] tensor bordered(memory& arena, const tensor& x, std::size_t axis, margin m,
                              border how) {
  const std::int64_t size = x.dim(axis);
  shape dims = x.dims;
  dims[axis] = padded_size(size, m);
  const bool fits = how == border::reflect    ? m.before < size && m.after < size
                    : how == border::circular ? m.before <= size && m.after <= size
                                              : size != 0;
  if (!fits || (dims[axis] == 0 && how != border::circular))
    fail(errc::nac_run_shape, "padding is ", m.before, " and ", m.after, " for an axis of ", size,
         " elements; expected ",
         how == border::reflect    ? "less than the size"
         : how == border::circular ? "at most the size"
                                   : "a size of at least 1",
         ", and a result that isn't empty");
  tensor out = make_tensor(arena, x.type, dims);
  if (out.size() == 0) return out;
  const std::int64_t outer = dims.product(0, axis);
  const std::int64_t inner =
      dims.product(axis + 1, dims.rank()) * static_cast<std::int64_t>(model::size_of(x.type));
  std::byte* to = out.data;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t k = 0; k < dims[axis]; ++k, to += inner) {
      std::int64_t i = k - m.before;
      switch (how) {
        case border::reflect: i = i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i; break;
        case border::replicate: i = std::clamp(i, std::int64_t{0}, size - 1); break;
        case border::circular: i = i < 0 ? i + size : i >= size ? i - size : i; break;
      }
      std::memcpy(to, x.data + (o * size + i) * inner, static_cast<std::size_t>(inner));
    }
  return out;
}

/// Elements of a tensor by sizes, strides and an offset, letters `first` to first + 2.
[[nodiscard]] tensor_part strided_part_of(call& c, const tensor& x, std::size_t first) {
  tensor_part p;
  p.dims = shape(c.int_list(first));
  p.first = c.whole_or(first + 2, 0);
  const int_list steps = c.int_list(first + 1);
  if (steps.size() != p.dims.rank())
    fail(errc::nac_run_argument, steps.size(), " strides; expected ", p.dims.rank(),
         ", one per dimension");
  if (p.first < 0)
    fail(errc::nac_run_argument, "storage_offset is ", p.first, "; expected at least 0");
  const auto size = static_cast<std::int64_t>(x.size());
  std::int64_t rest = size - 1 - p.first;  // elements after the last one that is taken
  bool any = true;
  for (std::size_t i = 0; i < p.dims.rank(); ++i) {
    const std::int64_t gaps = std::max<std::int64_t>(p.dims[i] - 1, 0);
    any = any && p.dims[i] != 0;
    if (steps[i] < 0) fail(errc::nac_run_argument, "stride is ", steps[i], "; expected at least 0");
    if (gaps != 0 && rest >= 0) rest = steps[i] > rest / gaps ? -1 : rest - gaps * steps[i];
    p.steps[i] = steps[i];
  }
  if (any && rest < 0)
    fail(errc::nac_run_index, "size ", p.dims, " with strides ", text_of(steps), " from element ",
         p.first, " extends past the end of ", size, " elements");
  return p;
}

}  // namespace

value view(call& c) {
  const tensor& x = c.tensor_at(0);
  const int_list wanted = c.int_list(1);
  const auto refuse = [&] {
    fail(errc::nac_run_shape, x.dims, " can't be viewed as ", text_of(wanted), "; expected ",
         x.size(), " elements, and -1 at most once");
  };
  if (wanted.size() > max_rank) fail(errc::nac_run_rank);
  const auto all = static_cast<std::int64_t>(x.size());
  constexpr std::size_t none = max_rank;
  std::size_t open = none;
  std::int64_t known = 1;
  bool empty = false;
  shape dims;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::int64_t d = wanted[i];
    if (d == -1 && open == none) {
      open = i;
      d = 1;
    }
    if (d < 0) refuse();
    if (d == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(known, d, &known) || known > std::int64_t{1} << 48) {
      refuse();
    }
    dims.push_back(d);
  }
  if (open != none) {
    if (empty || all % known != 0) refuse();
    dims[open] = all / known;
  } else if ((empty ? 0 : known) != all) {
    refuse();
  }
  return x.with_shape(dims);
}

value transpose(call& c) {
  const tensor& x = c.tensor_at(0);
  std::size_t order[max_rank];
  for (std::size_t i = 0; i < x.rank(); ++i) order[i] = i;
  if (!c.has(1)) {
    if (x.rank() > 2)
      fail(errc::nac_run_rank, "shape is ", x.dims,
           "; expected at most rank 2 where no axes are given");
    if (x.rank() == 2) std::swap(order[0], order[1]);
  } else {
    if (!c.has(2)) fail(errc::nac_run_argument, "one axis to swap; expected 2");
    const std::size_t a = axis_of(c.whole(1), x.rank()), b = axis_of(c.whole(2), x.rank());
    if (x.rank() != 0) std::swap(order[a], order[b]);
  }
  return permuted(c.arena, x, order);
}

value expand(call& c) {
  const tensor& x = c.tensor_at(0);
  const int_list wanted = c.int_list(1);
  const auto refuse = [&] {
    fail(errc::nac_run_shape, x.dims, " can't be expanded to ", text_of(wanted),
         "; expected other sizes for dimensions of 1 only");
  };
  if (wanted.size() > max_rank) fail(errc::nac_run_rank);
  if (wanted.size() < x.rank()) refuse();
  const std::size_t added = wanted.size() - x.rank();
  shape dims;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::int64_t d = wanted[i];
    if (i >= added) {
      const std::int64_t have = x.dim(i - added);
      if (d == -1) d = have;
      if (d != have && have != 1) refuse();
    }
    if (d < 0) refuse();
    dims.push_back(d);
  }
  return expanded(c.arena, x, dims);
}

value repeat(call& c) {
  const tensor& x = c.tensor_at(0);
  const int_list repeats = c.int_list(1);
  if (repeats.size() < x.rank())
    fail(errc::nac_run_shape, "repeats are ", text_of(repeats), "; expected at least ", x.rank(),
         ", one per dimension");
  return repeated(c.arena, x, repeats);
}

value tile(call& c) {
  const tensor& x = c.tensor_at(0);
  const int_list given = c.int_list(1);
  if (given.size() >= x.rank()) return repeated(c.arena, x, given);
  std::int64_t repeats[max_rank];
  const std::size_t added = x.rank() - given.size();
  for (std::size_t i = 0; i < x.rank(); ++i) repeats[i] = i < added ? 1 : given[i - added];
  return repeated(c.arena, x, {repeats, x.rank()});
}

value permute(call& c) {
  const tensor& x = c.tensor_at(0);
  const int_list list = c.int_list(1);
  if (list.size() != x.rank())
    fail(errc::nac_run_axis, "axes are ", text_of(list), "; expected each of the ", x.rank(),
         " dimensions once");
  (void)axes_of(list, x.rank());
  std::size_t order[max_rank];
  for (std::size_t i = 0; i < list.size(); ++i) order[i] = axis_of(list[i], x.rank());
  return permuted(c.arena, x, order);
}

value flip(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::uint32_t axes = axes_of(c.int_list(1), x.rank());
  tensor_part p(x.dims);
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (names(axes, i)) p.cut(i, x.dim(i) - 1, x.dim(i), -1);
  return taken(c.arena, x, p);
}

value roll(call& c) {
  const tensor& given = c.tensor_at(0);
  const int_list shifts = c.int_list(1), list = c.int_list(2);
  if (shifts.empty() || (list.empty() ? shifts.size() != 1 : shifts.size() != list.size()))
    fail(errc::nac_run_argument, "shifts are ", text_of(shifts), " for axes ", text_of(list),
         "; expected one per axis, or one shift without axes");
  if (given.size() == 0) return given.with_shape(given.dims);
  // Without axes, all elements in a row.
  const tensor x =
      list.empty() ? given.with_shape({static_cast<std::int64_t>(given.size())}) : given;
  if (!list.empty()) need_dimensions(x);
  std::int64_t by[max_rank] = {};
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const std::size_t axis = list.empty() ? 0 : axis_of(list[i], x.rank());
    const std::int64_t size = x.dim(axis);
    by[axis] = (by[axis] + (shifts[i] % size + size) % size) % size;
  }
  tensor out = make_tensor(c.arena, x.type, x.dims);
  std::size_t rolled[max_rank], count = 0;
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (by[i] != 0) rolled[count++] = i;
  // Each rolled axis in two parts: there are no more of them than elements.
  for (std::uint32_t second = 0; second >> count == 0; ++second) {
    tensor_part from(x.dims), to(x.dims);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = rolled[k];
      const std::int64_t cut = x.dim(i) - by[i], size = names(second, k) ? by[i] : cut;
      from.cut(i, names(second, k) ? cut : 0, size);
      to.cut(i, names(second, k) ? 0 : by[i], size);
    }
    copy(x, from, out, to);
  }
  return out.with_shape(given.dims);
}

/// Elements of the row-major ones of `x`: check_strides() has seen that PyTorch has them so.
value as_strided(call& c) {
  const tensor& x = c.tensor_at(0);
  return taken(c.arena, x, strided_part_of(c, x, 1));
}
value as_strided_scatter(call& c) {
  const tensor &x = c.tensor_at(0), &from = c.tensor_at(1);
  if (from.type != x.type) fail(errc::nac_run_type, "the operands have two types; expected one");
  const tensor_part p = strided_part_of(c, x, 2);
  if (!(from.dims == p.dims))
    fail(errc::nac_run_shape, "src has shape ", from.dims, "; expected ", p.dims, ", the size");
  return replaced(c.arena, x, p, from);
}

value squeeze(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::uint32_t axes = c.has(1) ? axes_of(c.int_list(1), x.rank()) : ~std::uint32_t{0};
  shape dims;
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (x.dim(i) != 1 || !names(axes, i)) dims.push_back(x.dim(i));
  return x.with_shape(dims);
}

value unsqueeze(call& c) {
  const tensor& x = c.tensor_at(0);
  shape dims = x.dims;
  dims.insert(axis_of(c.whole(1), x.rank() + 1), 1);
  return x.with_shape(dims);
}

value cat(call& c) {
  const std::size_t count = c.count(0);
  const tensor* all[255];
  const tensor* first = nullptr;
  const auto is_skipped = [](const tensor& t) { return t.rank() == 1 && t.dim(0) == 0; };
  for (std::size_t k = 0; k < count; ++k) {
    const tensor& t = *(all[k] = &c.tensor_at(0, k));
    if (t.rank() == 0) fail(errc::nac_run_shape, "operand ", k, " has rank 0; expected at least 1");
    if (first == nullptr && !is_skipped(t)) first = &t;
  }
  const data_type type = promote({all, count});
  if (first == nullptr) {
    (void)axis_of(c.whole_or(1, 0), 1);
    return make_tensor(c.arena, type, {0});
  }
  const std::size_t axis = axis_of(c.whole_or(1, 0), first->rank());
  shape dims = first->dims;
  dims[axis] = 0;
  std::size_t used = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const tensor& t = *all[k];
    if (is_skipped(t)) continue;
    bool fits = t.rank() == dims.rank();
    for (std::size_t i = 0; fits && i < dims.rank(); ++i) fits = i == axis || t.dim(i) == dims[i];
    if (!fits || t.dim(axis) > INT64_MAX - dims[axis])
      fail(errc::nac_run_shape, "an operand has shape ", t.dims, "; expected ", first->dims,
           " except along axis ", axis);
    dims[axis] += t.dim(axis);
    all[used++] = &t;
  }
  if (used == 1) return cast(c.arena, *first, type);
  tensor out = make_tensor(c.arena, type, dims);
  if (out.size() == 0) return out;
  join(out, axis, {all, used});
  return out;
}

value stack(call& c) {
  const std::size_t count = c.count(0);
  const tensor* all[255];
  for (std::size_t k = 0; k < count; ++k) {
    all[k] = &c.tensor_at(0, k);
    if (!(all[k]->dims == all[0]->dims))
      fail(errc::nac_run_shape, "operand ", k, " has shape ", all[k]->dims, "; expected ",
           all[0]->dims, ", that of operand 0");
  }
  const data_type type = promote({all, count});
  shape dims = all[0]->dims;
  const std::size_t axis = axis_of(c.whole_or(1, 0), dims.rank() + 1);
  dims.insert(axis, static_cast<std::int64_t>(count));
  tensor out = make_tensor(c.arena, type, dims);
  if (out.size() == 0) return out;
  join(out, axis, {all, count});
  return out;
}

value split(call& c) {
  const tensor& x = c.tensor_at(0);
  need_dimensions(x);
  return equal_parts(c.arena, x, axis_of(c.whole_or(2, 0), x.rank()), c.whole(1));
}

value split_with_sizes(call& c) {
  const tensor& x = c.tensor_at(0);
  const int_list sizes = c.int_list(1);
  need_dimensions(x);
  const std::size_t axis = axis_of(c.whole_or(2, 0), x.rank());
  std::int64_t rest = x.dim(axis);
  for (const std::int64_t s : sizes) {
    if (s < 0 || s > rest)
      fail(errc::nac_run_argument, "sizes are ", text_of(sizes),
           "; expected sizes of at least 0 that add up to ", x.dim(axis));
    rest -= s;
  }
  if (rest != 0)
    fail(errc::nac_run_argument, "sizes are ", text_of(sizes),
         "; expected sizes of at least 0 that add up to ", x.dim(axis));
  return parts_of(c.arena, x, axis, static_cast<std::int64_t>(sizes.size()), true,
                  [&](std::int64_t i) { return sizes[static_cast<std::size_t>(i)]; });
}

value chunk(call& c) {
  const tensor& x = c.tensor_at(0);
  need_dimensions(x);
  const std::int64_t chunks = c.whole(1);
  if (chunks <= 0) fail(errc::nac_run_argument, chunks, " chunks; expected at least 1");
  const std::size_t axis = axis_of(c.whole_or(2, 0), x.rank());
  const std::int64_t all = x.dim(axis);
  if (all == 0)
    return parts_of(c.arena, x, axis, chunks, true, [](std::int64_t) { return std::int64_t{0}; });
  return equal_parts(c.arena, x, axis, (all - 1) / chunks + 1);
}

value unbind(call& c) {
  const tensor& x = c.tensor_at(0);
  need_dimensions(x);
  const std::size_t axis = axis_of(c.whole_or(1, 0), x.rank());
  return parts_of(c.arena, x, axis, x.dim(axis), false,
                  [](std::int64_t) { return std::int64_t{1}; });
}

value triu(call& c) { return triangle(c, true); }
value tril(call& c) { return triangle(c, false); }

value pad(call& c) {
  const tensor& x = c.tensor_at(0);
  const int_list list = c.int_list(1);
  const std::string_view mode = c.string_or(2, "constant");
  // Pairs, those of the last axis first.
  if (list.size() % 2 != 0 || list.size() / 2 > x.rank())
    fail(errc::nac_run_argument, "padding is ", text_of(list), "; expected pairs for at most ",
         x.rank(), " dimensions");
  const std::size_t axes = list.size() / 2;
  margin margins[max_rank];
  for (std::size_t k = 0; k < axes; ++k) margins[x.rank() - 1 - k] = {list[2 * k], list[2 * k + 1]};
  if (mode == "constant") return padded(c.arena, x, margins, c.has(3) ? c.number(3) : scalar{});
  border how = border::reflect;
  if (mode == "replicate") {
    how = border::replicate;
  } else if (mode == "circular") {
    how = border::circular;
  } else if (mode != "reflect") {
    fail(errc::nac_run_argument, "mode is \"", mode.substr(0, 32),
         "\"; expected constant, reflect, replicate or circular");
  }
  if (c.has(3) && c.number(3).real != 0)
    fail(errc::nac_run_argument, "mode \"", mode, "\" takes no value");
  if (axes < 1 || axes > 3 || (x.rank() != axes + 1 && x.rank() != axes + 2))
    fail(errc::nac_run_shape, "padding is ", text_of(list), " for shape ", x.dims, " in mode \"",
         mode, "\"; expected 1 to 3 pairs, and 1 or 2 dimensions more than pairs");
  if (x.type == data_type::boolean && how != border::circular)
    fail(errc::nac_run_type, "mode \"", mode, "\" does not support bool");
  tensor out = x.with_shape(x.dims);
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t axis = x.rank() - 1 - k;
    out = bordered(c.arena, out, axis, margins[axis], how);
  }
  return out;
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
