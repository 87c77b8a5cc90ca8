// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The shapes that follow from the operands of an operation, for builders.
//
//   element-wise   numpy's broadcasting            transpose   shape[i] = a.shape[permutation[i]]
//   reduce         the axis becomes 1, or goes     matmul      [..,M,N], of PaddedShape too
//   embedding      four dimensions: three of the indices, the table's columns
//
// Lifetime:   borrows the model.
// Errors:     the codes of the rules of verify().
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_ARK_DETAIL_BUILD_RULES_HPP
#define TESSERA_ARK_DETAIL_BUILD_RULES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../../version.hpp"
#include "../build.hpp"
#include "../format.hpp"
#include "../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// The shape rules of operations, for one model.
class shape_rules {
 public:
  explicit shape_rules(const model& g) noexcept : model_(g) {}

  /// Rules T02 to T07.
  [[nodiscard]] static errc check_place(const layout& l, data_type type) noexcept {
    if (static_cast<std::size_t>(type) >= std::size(data_type_table))
      return errc::ark_t06_data_type;
    std::int64_t room = INT64_MAX / info(type).bytes;
    for (std::size_t d = 0; d < l.rank; ++d) {
      if (l.shape[d] < 1) return errc::ark_t02_dimension;
      if (l.offsets[d] < 0) return errc::ark_t03_offset;
      if (l.padded_shape[d] < l.shape[d]) return errc::ark_t04_padding;
      if (l.strides[d] < l.padded_shape[d] || l.strides[d] - l.padded_shape[d] < l.offsets[d])
        return errc::ark_t05_strides;
      if ((room /= l.strides[d]) == 0) return errc::ark_t07_size;
    }
    return errc::ok;
  }
  /// The shape of a transposed tensor.
  [[nodiscard]] static errc permute(const layout& a, const op_options& o, layout& out) {
    const setting* const p = find(o.args, argument_name::permutation);
    if (p == nullptr) return errc::ark_o04_argument;
    if (p->dims.count != a.rank) return errc::ark_o11_permutation;
    unsigned seen = 0;
    out.rank = a.rank;
    for (std::uint32_t d = 0; d < a.rank; ++d) {
      const std::int64_t from = p->dims.at[d];
      if (from < 0 || from >= a.rank || (seen >> from & 1) != 0) return errc::ark_o11_permutation;
      seen |= 1u << from;
      out.shape[d] = a.shape[from];
    }
    return errc::ok;
  }
  /// The layout and type of what an operation writes, by the rules of its kind.
  [[nodiscard]] errc derive(op_type type, view<value> reads, const op_options& o, layout& out,
                            data_type& of) const {
    const auto read = [&](std::size_t i) -> const layout& {
      return layout_of(model_, reads[i].index);
    };
    const auto type_of = [&](std::size_t i) { return model_.tensors[reads[i].index].type; };
    const auto plain = [&out] {
      for (std::size_t d = 0; d < max_rank; ++d) {
        if (d >= out.rank) out.shape[d] = 1;
        out.strides[d] = out.padded_shape[d] = out.shape[d];
      }
      return errc::ok;
    };
    if (!reads.empty()) of = type_of(0);
    switch (info(type).kind) {
      case op_kind::unary:
      case op_kind::layer_norm:
        if (type == op_type::cast) of = o.type;
        return (void)broadcast(read(0), read(0), out), plain();
      case op_kind::binary:
        if (type_of(1) != of) return errc::ark_o06_data_types;
        return broadcast(read(0), read(1), out) ? plain() : errc::ark_o07_shape;
      case op_kind::reduce: {
        const setting* const axis = find(o.args, argument_name::axis);
        const setting* const keep = find(o.args, argument_name::keep_dim);
        if (axis == nullptr || keep == nullptr) return errc::ark_o04_argument;
        const layout& a = read(0);
        if (axis->integer < 0 || axis->integer >= a.rank) return errc::ark_o10_reduction;
        for (std::uint32_t d = 0; d < a.rank; ++d) {
          if (d != axis->integer)
            out.shape[out.rank++] = a.shape[d];
          else if (keep->integer != 0 || a.rank == 1)
            out.shape[out.rank++] = 1;
        }
        return plain();
      }
      case op_kind::transpose: {
        const errc code = permute(read(0), o, out);
        return code == errc::ok ? plain() : code;
      }
      case op_kind::matmul: {
        const auto flag = [&](argument_name n) {
          const setting* const s = find(o.args, n);
          return s != nullptr && s->integer != 0;
        };
        const bool ta = flag(argument_name::transpose_input),
                   tb = flag(argument_name::transpose_other);
        if (type_of(1) != of) return errc::ark_o06_data_types;
        errc code = matmul_shape(read(0), read(1), &layout::shape, ta, tb, out.rank, out.shape);
        if (code == errc::ok)
          code = matmul_shape(read(0), read(1), &layout::padded_shape, ta, tb, out.rank,
                              out.padded_shape);
        for (std::size_t d = 0; d < max_rank; ++d) out.strides[d] = out.padded_shape[d];
        return code;
      }
      case op_kind::embedding: {
        const layout &rows = read(0), &table = read(1);
        if (rows.rank > 3 || table.rank != 2) return errc::ark_o13_embedding;
        if (of != data_type::int32) return errc::ark_o06_data_types;
        of = type_of(1);
        out.rank = max_rank;
        for (std::uint32_t d = 0; d < 3; ++d) out.shape[d] = from_end(rows.shape, rows.rank, 2 - d);
        out.shape[3] = table.shape[1];
        return plain();
      }
      case op_kind::fill:
      case op_kind::kv_cache_slot:
      case op_kind::communication:
      case op_kind::none:
      case op_kind::view:
      case op_kind::unknown: break;
    }
    return errc::ark_o03_arity;  // the output doesn't follow from the inputs
  }
  /// Whether tensors that were given may be written.
  [[nodiscard]] errc fits(op_type type, view<value> reads, const op_options& o,
                          const pool<value>& written) const {
    const op_kind kind = info(type).kind;
    if (kind == op_kind::fill || kind == op_kind::communication || kind == op_kind::none ||
        kind == op_kind::kv_cache_slot)
      return errc::ok;
    const layout& w = layout_of(model_, written[0].index);
    const data_type target = model_.tensors[written[0].index].type;
    layout made, both;
    data_type of = target;
    op_options wanted = o;
    wanted.type = target;
    if (const errc code = derive(type, reads, wanted, made, of); code != errc::ok) return code;
    if (of != target) return errc::ark_o06_data_types;
    bool same = kind == op_kind::unary ? broadcast(made, w, both) : made.rank == w.rank;
    for (std::size_t d = 0; d < max_rank; ++d)
      same = same && (kind == op_kind::unary ? both.shape[d] : made.shape[d]) == w.shape[d];
    for (std::size_t d = 0; d < max_rank && kind == op_kind::matmul; ++d)
      same = same && made.padded_shape[d] == w.padded_shape[d];
    return same ? errc::ok : kind == op_kind::matmul ? errc::ark_o12_matmul : errc::ark_o07_shape;
  }
  [[nodiscard]] static errc arguments_complete(op_type type, view<setting> args) noexcept {
    for (const argument_row& row : argument_table) {
      if (row.op != type || row.use != argument_use::required) continue;
      const setting* const s = find(args, row.name);
      if (s == nullptr || s->type != row.type) return errc::ark_o04_argument;
    }
    return errc::ok;
  }

 private:
  /// Dimension `back` from the end, with ones in front.
  [[nodiscard]] static std::int64_t from_end(const std::int64_t* d, std::uint32_t rank,
                                             std::uint32_t back) noexcept {
    return back < rank ? d[rank - 1 - back] : 1;
  }
  /// out = a and b broadcast to each other; false when they don't fit.
  [[nodiscard]] static bool broadcast(const layout& a, const layout& b, layout& out) noexcept {
    out.rank = a.rank > b.rank ? a.rank : b.rank;
    for (std::uint32_t back = 0; back < out.rank; ++back) {
      const std::int64_t x = from_end(a.shape, a.rank, back), y = from_end(b.shape, b.rank, back);
      if (x != y && x != 1 && y != 1) return false;
      out.shape[out.rank - 1 - back] = x == 1 ? y : x;
    }
    return true;
  }
  [[nodiscard]] static const setting* find(view<setting> args, argument_name name) noexcept {
    for (const setting& s : args)
      if (s.name == name) return &s;
    return nullptr;
  }
  /// What the operation's rule makes of shapes: those of the data, or the padded ones.
  [[nodiscard]] static errc matmul_shape(const layout& a, const layout& b,
                                         const std::int64_t (layout::*shape)[max_rank],
                                         bool transpose_a, bool transpose_b, std::uint32_t& rank,
                                         std::int64_t* out) noexcept {
    const std::int64_t *x = a.*shape, *y = b.*shape;
    const std::int64_t m = from_end(x, a.rank, transpose_a ? 0 : 1);
    const std::int64_t k = from_end(x, a.rank, transpose_a ? 1 : 0);
    const bool column = b.rank == 1;  // a vector on the right is a column
    const std::int64_t n =
        column ? (transpose_b ? y[0] : 1) : from_end(y, b.rank, transpose_b ? 1 : 0);
    const std::int64_t other =
        column ? (transpose_b ? 1 : y[0]) : from_end(y, b.rank, transpose_b ? 0 : 1);
    if (k != other) return errc::ark_o12_matmul;
    rank = a.rank > b.rank ? a.rank : b.rank;
    if (rank < 2) rank = 2;
    out[rank - 1] = n;
    out[rank - 2] = m;
    for (std::uint32_t back = 2; back < rank; ++back) {
      const std::int64_t p = from_end(x, a.rank, back), q = from_end(y, b.rank, back);
      if (p != q && p != 1 && q != 1) return errc::ark_o12_matmul;
      out[rank - 1 - back] = p == 1 ? q : p;
    }
    return errc::ok;
  }

  const ark::model& model_;
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_BUILD_RULES_HPP
