// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/shapes.hpp.

#ifndef TESSERA_ARK_DETAIL_SHAPES_HPP
#define TESSERA_ARK_DETAIL_SHAPES_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"
#include "../shapes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE text& operator<<(text& out, const dimensions& d) {
  out << '[';
  for (std::uint32_t i = 0; i < d.rank; ++i) out << (i == 0 ? "" : ",") << d.size[i];
  return out << ']';
}

TESSERA_INLINE bool broadcast(const dimensions& a, const dimensions& b, dimensions& out) noexcept {
  const dimensions x = extended(a), y = extended(b);
  dimensions four = x;
  for (std::size_t i = 0; i < max_rank; ++i) {
    if (x.size[i] != y.size[i] && x.size[i] != 1 && y.size[i] != 1) return false;
    if (x.size[i] == 1) four.size[i] = y.size[i];
  }
  out = last_of(four, a.rank > b.rank ? a.rank : b.rank);
  return true;
}

TESSERA_INLINE dimensions extended(const dimensions& d) noexcept {
  dimensions out;
  out.rank = max_rank;
  for (std::uint32_t i = 0; i < d.rank; ++i) out.size[max_rank - d.rank + i] = d.size[i];
  return out;
}

TESSERA_INLINE dimensions last_of(const dimensions& four, std::uint32_t rank) noexcept {
  dimensions out;
  out.rank = rank;
  for (std::uint32_t i = 0; i < rank; ++i) out.size[i] = four.size[max_rank - rank + i];
  return out;
}

TESSERA_INLINE bool reduced(const dimensions& in, std::int64_t axis, bool keep,
                            dimensions& out) noexcept {
  const std::int64_t rank = in.rank;
  if (axis < -rank || axis >= rank) return false;
  const auto at = static_cast<std::uint32_t>(axis < 0 ? axis + rank : axis);
  out = in;
  out.size[at] = 1;
  if (keep || in.rank == 1) return true;
  for (std::uint32_t i = at; i + 1 < in.rank; ++i) out.size[i] = in.size[i + 1];
  out.size[--out.rank] = 1;
  return true;
}

TESSERA_INLINE bool permuted(const dimensions& in, view<std::int64_t> permutation,
                             dimensions& out) noexcept {
  if (permutation.size() != in.rank) return false;
  out = in;
  unsigned seen = 0;
  for (std::uint32_t i = 0; i < in.rank; ++i) {
    const std::int64_t from = permutation[i];
    if (from < 0 || from >= std::int64_t{in.rank} || (seen >> from & 1) != 0) return false;
    seen |= 1u << from;
    out.size[i] = in.size[from];
  }
  return true;
}

TESSERA_INLINE bool multiply(const dimensions& a, const dimensions& b, bool transpose_a,
                             bool transpose_b, matmul_shape& m) noexcept {
  dimensions x = extended(a), y = extended(b);
  if (b.rank == 1) {  // a column, where the first operand would be a row
    y.size[2] = b.size[0];
    y.size[3] = 1;
  }
  m.rows = x.size[transpose_a ? 3 : 2];
  m.inner = x.size[transpose_a ? 2 : 3];
  m.columns = y.size[transpose_b ? 2 : 3];
  const std::int64_t other = y.size[transpose_b ? 3 : 2];
  for (std::size_t i = 2; i < max_rank; ++i) x.size[i] = y.size[i] = 1;
  dimensions four;
  const bool fits = broadcast(x, y, four);
  if (fits) {
    four.size[2] = m.rows;
    four.size[3] = m.columns;
    const std::uint32_t rank = a.rank > b.rank ? a.rank : b.rank;
    m.out = last_of(four, rank < 2 ? 2 : rank);
  }
  return fits && m.inner == other;
}

TESSERA_INLINE bool looked_up(const dimensions& indices, const dimensions& table,
                              dimensions& out) noexcept {
  if (indices.rank > 3 || table.rank != 2) return false;
  const dimensions four = extended(indices);
  out.rank = max_rank;
  for (std::size_t i = 0; i < 3; ++i) out.size[i] = four.size[i + 1];
  out.size[3] = table.size[1];
  return true;
}

TESSERA_INLINE bool is_looked_up(const dimensions& indices, const dimensions& table,
                                 const dimensions& out) noexcept {
  dimensions four;
  return looked_up(indices, table, four) && (out == four || out == last_of(four, indices.rank + 1));
}

TESSERA_INLINE argument_name older_name(argument_name name, op_type op) noexcept {
  switch (name) {
    case argument_name::factor:
      return op == op_type::scalar_add || op == op_type::scalar_mul ? argument_name::value
                                                                    : argument_name::other;
    case argument_name::value:
      return op == op_type::scalar_assign ? argument_name::factor : argument_name::other;
    case argument_name::transpose_input:
      return op == op_type::matmul ? argument_name::is_input_column_major : argument_name::other;
    case argument_name::transpose_other:
      return op == op_type::matmul ? argument_name::is_other_column_major : argument_name::other;
    default: return argument_name::other;
  }
}

TESSERA_INLINE const argument* argument_of(const model& g, const op& o,
                                           argument_name name) noexcept {
  if (const argument* const a = find_argument(g, o, name)) return a;
  const argument_name older = older_name(name, o.type);
  return older == argument_name::other ? nullptr : find_argument(g, o, older);
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_SHAPES_HPP
