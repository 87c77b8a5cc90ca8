// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Builds a model in code.
//
//   ark::builder b;
//   const ark::value x = b.tensor({4, 8}, ark::data_type::fp32);
//   const ark::value w = b.tensor({16, 8}, ark::data_type::fp32);
//   const ark::value y = b.relu(b.matmul(x, w, {.transpose_other = true}));   // [4,16]
//   b.reduce_sum(y, -1, {.name = "total", .keep_dim = true});
//   auto model = b.finish();                                // D3, as the format compresses it
//
// Every operation writes a fresh tensor, whose shape follows from its inputs, or the tensor `to`. It
// returns the result: a new tensor over the same memory. Use results rather than the tensors they
// were written to, because a node depends on the nodes whose results it uses.
//
//   tensor          new memory                refer, shard, reshape     views of the same memory
//   relu add …      one operation each        op                        any operation of the table
//   send recv       with their tags           send_tag recv_tag         tags for op() and packets
//
// Views are not operations; a node that uses one depends on the node that made the viewed tensor.
// Names are those given, or the Type in snake_case, made unique by "_1", "_2", …
//
// Lifetime:   the builder owns the model until finish(); values are numbers.
// Errors:     the first one is kept, and finish() returns it; later calls do nothing. The offset is
//             the number of operations before the refused one.
// Limits:     32-bit indices.
// Allocation: the model, an edge for each use of a result, and the names.

#ifndef TESSERA_ARK_BUILD_HPP
#define TESSERA_ARK_BUILD_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../version.hpp"
#include "convert.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// A tensor of a builder: its index in model::tensors, which is its Id too.
struct value {
  std::uint32_t index = none;  ///< `none`: no tensor
};

/// Up to four dimensions; a longer list is kept as too long.
struct dims {
  std::int64_t at[max_rank] = {};  ///< the first `count`
  std::uint32_t count = 0;         ///< more than max_rank: too long

  constexpr dims() noexcept = default;
  /// A list such as {2, 3, 4}.
  constexpr dims(std::initializer_list<std::int64_t> list) noexcept {
    for (const std::int64_t v : list) {
      if (count < max_rank) at[count] = v;
      ++count;
    }
  }
};

/// An argument for builder::op.
struct setting {
  argument_name name = argument_name::other;  ///< a name of the table
  argument_type type = argument_type::int32;  ///< decides which of the values below counts
  std::int64_t integer = 0;                   ///< of integers and booleans
  float real = 0;                             ///< of float32
  ark::dims dims = {};                        ///< of dims
};

/// What most operations can be given besides their operands.
struct op_options {
  std::string_view name = {};        ///< of the operation; empty: made from its Type
  value to = {};                     ///< the output, if not a fresh tensor
  view<value> writes = {};           ///< the same, for operations that write several
  view<setting> args = {};           ///< for builder::op
  data_type type = data_type::fp32;  ///< for builder::op: of a fresh tensor that Cast writes
};

/// The layout of a tensor, where it isn't the plain case.
struct tensor_options {
  dims strides = {};       ///< default: PaddedShape; for refer(), those of the viewed tensor
  dims offsets = {};       ///< else zeros
  dims padded_shape = {};  ///< else the shape
  std::int32_t rank = -1;  ///< the owner; of another rank: a remote buffer
};

/// The options of a reduction along an axis.
struct reduce_options {
  std::string_view name = {};  ///< of the operation; empty: made from its Type
  value to = {};               ///< the output, if not a fresh tensor
  bool keep_dim = true;        ///< keep the reduced dimension, as 1
};
/// The options of a matrix product.
struct matmul_options {
  std::string_view name = {};  ///< of the operation; empty: made from its Type
  value to = {};               ///< the output, if not a fresh tensor
  /// Transpose the last two dimensions of that operand.
  bool transpose_input = false, transpose_other = false;
};

/// Builds the model of one rank, one node for each operation, in the order of the calls.
class builder {
 public:
  /// For rank `rank` of `world_size`.
  explicit builder(std::int32_t rank = 0, std::int32_t world_size = 1);
  builder(const builder&) = delete;
  builder& operator=(const builder&) = delete;

  /// New memory.
  value tensor(const dims& shape, data_type type, const tensor_options& o = {});
  /// Another view of the memory of `of`.
  value refer(value of, const dims& shape, const tensor_options& o = {});
  /// Equal parts along an axis, `size` each.
  pool<value> shard(value of, std::int32_t axis, std::int64_t size);
  /// The same elements in another shape; they must be contiguous.
  value reshape(value of, const dims& shape);

  // clang-format off
  /// Element-wise on one tensor.
  ///@{
  value copy(value a, const op_options& o = {}) { return op(op_type::copy, {a}, o); }
  value exp(value a, const op_options& o = {}) { return op(op_type::exp, {a}, o); }
  value sqrt(value a, const op_options& o = {}) { return op(op_type::sqrt, {a}, o); }
  value rsqrt(value a, const op_options& o = {}) { return op(op_type::rsqrt, {a}, o); }
  value relu(value a, const op_options& o = {}) { return op(op_type::relu, {a}, o); }
  value sigmoid(value a, const op_options& o = {}) { return op(op_type::sigmoid, {a}, o); }
  value gelu(value a, const op_options& o = {}) { return op(op_type::gelu, {a}, o); }
  ///@}
  /// Element-wise on two tensors, which are broadcast.
  ///@{
  value add(value a, value b, const op_options& o = {}) { return op(op_type::add, {a, b}, o); }
  value sub(value a, value b, const op_options& o = {}) { return op(op_type::sub, {a, b}, o); }
  value mul(value a, value b, const op_options& o = {}) { return op(op_type::mul, {a, b}, o); }
  value div(value a, value b, const op_options& o = {}) { return op(op_type::div, {a, b}, o); }
  ///@}
  /// Rotary position embedding of `x` by the factors `f`.
  value rope(value x, value f, const op_options& o = {}) { return op(op_type::rope, {x, f}, o); }
  /// Rows of `table` by the indices `rows`.
  value embedding(value rows, value table, const op_options& o = {}) { return op(op_type::embedding, {rows, table}, o); }
  /// Every element and the number `f`.
  ///@{
  value scalar_add(value a, float f, const op_options& o = {}) { return scalar(op_type::scalar_add, a, f, o); }
  value scalar_mul(value a, float f, const op_options& o = {}) { return scalar(op_type::scalar_mul, a, f, o); }
  ///@}
  /// Reduces an axis; -1 is the last.
  ///@{
  value reduce_sum(value a, std::int32_t axis, const reduce_options& o = {}) { return reduce(op_type::reduce_sum, a, axis, o); }
  value reduce_max(value a, std::int32_t axis, const reduce_options& o = {}) { return reduce(op_type::reduce_max, a, axis, o); }
  value reduce_mean(value a, std::int32_t axis, const reduce_options& o = {}) { return reduce(op_type::reduce_mean, a, axis, o); }
  ///@}
  // clang-format on
  /// Every element as another type.
  value cast(value a, data_type to, op_options o = {});
  /// Every element of `to` becomes `v`.
  value scalar_assign(value to, float v, op_options o = {});
  /// Dimension i of the result is dimension permutation[i] of `a`.
  value transpose(value a, const dims& permutation, const op_options& o = {});
  /// The matrix product of the last two dimensions; those before are broadcast.
  value matmul(value a, value b, const matmul_options& o = {});
  /// Keeps `a` alive; has no result.
  void noop(value a, const op_options& o = {}) { (void)op(op_type::noop, {a}, o); }

  /// Copies `data` into memory of rank `to_rank`: a fresh remote buffer, unless `to` is given.
  value send(value data, std::int32_t to_rank, std::int32_t tag, op_options o = {});
  /// Waits until the send has completed.
  value send_done(value sent, const op_options& o = {}) {
    return op(op_type::send_done, {sent}, o);
  }
  /// Waits until rank `from_rank` has written `to`.
  value recv(value to, std::int32_t from_rank, std::int32_t tag, op_options o = {});
  /// A barrier of all ranks.
  value device_sync(value a, op_options o = {});
  /// A tag for the buffer of `of`: that it is sent to rank `rank`.
  void send_tag(value of, std::int32_t rank, std::int32_t number) { add_tag(of, 0, rank, number); }
  /// A tag for the buffer of `of`: that it is received from rank `rank`.
  void recv_tag(value of, std::int32_t rank, std::int32_t number) { add_tag(of, 1, rank, number); }

  /// Any operation of the table, with its arguments in options.args.
  value op(op_type type, std::initializer_list<value> reads, const op_options& o = {}) {
    return op(type, {reads.begin(), reads.size()}, o);
  }
  /// Any operation of the table, with its arguments in options.args.
  value op(op_type type, view<value> reads, const op_options& o);

  /// The first error of any call.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  /// The model. Later calls fail.
  [[nodiscard]] result<model> finish();

 private:
  struct pending_tag {
    std::uint32_t buffer, list;  // 0: sends, 1: receives
    tag what;
  };
  struct base_name {
    string name;
    std::uint32_t uses;
  };

  value fail(errc code);
  [[nodiscard]] bool known(value v);
  [[nodiscard]] bool other_rank(std::int32_t rank);
  [[nodiscard]] bool normalise(std::int32_t& axis, std::uint32_t rank);
  [[nodiscard]] static setting boolean(argument_name name, bool v) noexcept {
    return {.name = name, .type = argument_type::boolean, .integer = v ? 1 : 0};
  }

  /// The layout for a shape and options, of a view of `shown` if there is one.
  [[nodiscard]] bool place(const dims& shape, const tensor_options& o, const layout* shown,
                           data_type type, layout& l);
  std::uint32_t add_buffer(std::int32_t rank);
  value add_tensor(const layout& l, data_type type, std::uint32_t buffer, std::uint32_t maker);
  void add_tag(value of, std::uint32_t list, std::int32_t rank, std::int32_t number) {
    if (known(of)) tags_.push_back({model_.tensors[of.index].buffer, list, {rank, number}});
  }

  value with(op_type type, view<value> reads, op_options o, const setting* s, std::size_t count);
  value scalar(op_type type, value a, float f, const op_options& o);
  value reduce(op_type type, value a, std::int32_t axis, const reduce_options& o);

  value append(op_type type, view<value> reads, const pool<value>& written, const op_options& o);

  /// The name, or the Type in snake_case, with a number appended from the second use on.
  [[nodiscard]] string unique_name(op_type type, std::string_view given);
  [[nodiscard]] std::size_t find_base(std::string_view base) const noexcept;
  void grow_bases();

  model model_;
  interner names_{model_};
  pool<std::uint32_t> maker_;  // of each tensor: the node whose result it is, or shows
  pool<detail::edge> edges_;
  pool<pending_tag> tags_;
  pool<base_name> bases_;  // an open hash table: base names and how often each was used
  std::size_t bases_used_ = 0;
  tessera::error error_;
};

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/build.hpp"
#endif

#endif  // TESSERA_ARK_BUILD_HPP
