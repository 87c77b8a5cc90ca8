// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "compile.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "vm/meter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {
namespace {

using model::data_type;
using model::op_type;
using name = model::argument_name;

/// Products of sizes, which stay at the largest number once they reach it.
[[nodiscard]] std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}
[[nodiscard]] std::uint64_t elements(const std::uint64_t (&shape)[4]) noexcept {
  return times(times(shape[0], shape[1]), times(shape[2], shape[3]));
}
[[nodiscard]] std::uint64_t aligned(std::uint64_t bytes) noexcept {
  return plus(bytes, 63) & ~std::uint64_t{63};
}

/// Stretches a patch to a shape; false when it doesn't broadcast to it.
[[nodiscard]] bool stretch(patch& p, const std::uint64_t (&shape)[4]) noexcept {
  for (std::size_t d = 0; d < 4; ++d) {
    if (p.shape[d] == shape[d]) continue;
    if (p.shape[d] != 1) return false;
    p.shape[d] = shape[d];
    p.step[d] = 0;
  }
  return true;
}

/// Whether each element of `a` lies where that of `b` does.
[[nodiscard]] bool same_elements(const patch& a, const patch& b) noexcept {
  bool same = a.start.storage == b.start.storage && a.start.offset == b.start.offset &&
              a.element == b.element;
  for (std::size_t d = 0; d < 4; ++d)
    same = same && a.shape[d] == b.shape[d] && (a.shape[d] == 1 || a.step[d] == b.step[d]);
  return same;
}

/// Loops over `out` and what is stretched to it. With `whole_rows`, the last dimension stays as it
/// is.
[[nodiscard]] loops merge(const patch& out, std::initializer_list<const patch*> in,
                          bool whole_rows = false) {
  loops l;
  loops::operand* to[4] = {&l.out};
  const patch* from[4] = {&out};
  std::size_t operands = 1;
  for (const patch* p : in) {
    to[operands] = &l.in[operands - 1];
    from[operands++] = p;
  }
  for (std::size_t i = 0; i < operands; ++i) {
    to[i]->start = from[i]->start;
    to[i]->used = true;
    to[i]->step[3] = from[i]->element;
  }
  std::size_t at = 4;  // the dimension of l that was filled last
  for (std::size_t d = 4; d-- > 0;) {
    if (out.shape[d] == 1 && !(whole_rows && d == 3)) continue;
    bool joins = at < 4 && !(whole_rows && at == 3);
    for (std::size_t i = 0; joins && i < operands; ++i)
      joins = from[i]->step[d] == to[i]->step[at] * static_cast<std::ptrdiff_t>(l.size[at]);
    if (joins) {
      l.size[at] *= out.shape[d];
      continue;
    }
    --at;
    l.size[at] = out.shape[d];
    for (std::size_t i = 0; i < operands; ++i) to[i]->step[at] = from[i]->step[d];
  }
  for (std::size_t i = 0; i < operands; ++i)
    to[i]->step[3] /= static_cast<std::ptrdiff_t>(from[i]->element);
  return l;
}

/// Steps of an element: its time in rows of two, the worst case, and of the slowest type.
[[nodiscard]] std::uint64_t element_steps(op_type type) noexcept {
  switch (type) {
    case op_type::matmul:
    case op_type::matmul_gelu:
    case op_type::matmul_scale:
    case op_type::matmul_add:
    case op_type::mma: return 1;  // which are counted by themselves
    case op_type::div:
    case op_type::exp:
    case op_type::sqrt:
    case op_type::rsqrt:
    case op_type::sigmoid:
    case op_type::gelu:
    case op_type::softmax:
    case op_type::layer_norm:
    case op_type::rope: return 16;
    case op_type::tensor:
    case op_type::placeholder:
    case op_type::reshape:
    case op_type::noop:
    case op_type::add:
    case op_type::sub:
    case op_type::mul:
    case op_type::scalar_add:
    case op_type::scalar_mul:
    case op_type::scalar_assign:
    case op_type::copy:
    case op_type::cast:
    case op_type::relu:
    case op_type::reduce_sum:
    case op_type::reduce_max:
    case op_type::reduce_mean:
    case op_type::transpose:
    case op_type::embedding:
    case op_type::send:
    case op_type::send_done:
    case op_type::recv:
    case op_type::send_packet:
    case op_type::recv_packet:
    case op_type::recv_reduce_send_packet:
    case op_type::recv_reduce_send:
    case op_type::device_sync:
    case op_type::store:
    case op_type::kv_cache_slot:
    case op_type::unknown: break;
  }
  return 8;
}

/// Makes the steps of one rank.
class compiler {
 public:
  compiler(const model::world& w, std::size_t rank, compiled_program& out)
      : world_(w), rank_(rank), program_(w.rank(rank)), g_(program_.model()), out_(out) {}

  outcome make() {
    for (std::size_t n = 0; n < g_.nodes.size(); ++n) {
      node_ = static_cast<std::uint32_t>(n);
      const model::range ops = g_.nodes[n].ops;
      for (op_ = ops.first; op_ < ops.first + ops.count; ++op_) {
        const std::size_t first = out_.steps.size();
        busy_ = 0;
        cost_ = 1;
        if (const errc code = add(g_.ops[op_]); code != errc::ok)
          return {{.code = code,
                   .text = g_.ops[op_].type == op_type::unknown
                               ? unknown_types()
                               : std::string(type_name(g_, g_.ops[op_]))},
                  {.rank = static_cast<std::uint32_t>(rank_), .node = node_, .op = op_}};
        if (out_.steps.size() == first) continue;
        for (std::size_t s = first; s + 1 < out_.steps.size(); ++s) out_.steps[s].last = false;
        cost_ = sum_of_steps(product_of_steps(cost_, element_steps(g_.ops[op_].type)),
                             instruction_steps);
        out_.costs.back() = cost_;
        out_.cost = sum_of_steps(out_.cost, cost_);
        out_.scratch = std::max(out_.scratch, busy_);
      }
    }
    push(step_kind::end, 0);
    return {};
  }

 private:
  /// All that the model names, sorted.
  [[nodiscard]] std::string unknown_types() const {
    std::set<std::string_view> names;
    for (const model::op& o : g_.ops)
      if (o.type == op_type::unknown) names.insert(type_name(g_, o));
    std::string all;
    for (const std::string_view type : names) all.append(all.empty() ? "" : ", ").append(type);
    return all;
  }
  void push(step_kind kind, std::size_t index) {
    out_.steps.push_back({kind, true, static_cast<std::uint32_t>(index), node_, op_});
    out_.costs.push_back(0);
  }
  template <class List, class Step>
  void push(step_kind kind, List& list, Step&& s) {
    push(kind, list.size());
    list.push_back(std::forward<Step>(s));
  }

  [[nodiscard]] std::uint32_t read(const model::op& o, std::size_t i) const {
    return reads(g_, o)[i];
  }
  [[nodiscard]] std::uint32_t write(const model::op& o, std::size_t i) const {
    return writes(g_, o)[i];
  }
  [[nodiscard]] bool is_set(const model::op& o, name which) const {
    const model::argument* const a = argument_of(g_, o, which);
    return a != nullptr && a->integer != 0;
  }
  [[nodiscard]] float real(const model::op& o, name which) const {
    const model::argument* const a = argument_of(g_, o, which);
    return a != nullptr ? a->real : 0;
  }

  /// Scratch memory for this operation.
  [[nodiscard]] std::uint64_t take(std::uint64_t bytes) {
    const std::uint64_t offset = busy_;
    busy_ = plus(busy_, aligned(bytes));
    return offset;
  }

  /// Where an operation that reads `inputs` writes: where the file says, unless that changes what is
  /// read later. Then to scratch memory, and finish() copies it. Inputs that lie exactly as the
  /// output does are no obstacle where `in_order`: each element is read before it is written.
  [[nodiscard]] patch target(const model::op& o, std::initializer_list<std::uint32_t> inputs,
                             std::initializer_list<const patch*> patches, bool in_order) {
    const std::uint32_t out = write(o, 0);
    const patch p = patch_of(program_, out);
    auto stretched = patches.begin();
    bool clear = true;
    for (const std::uint32_t t : inputs) {
      const patch* const as = stretched != patches.end() ? *stretched++ : nullptr;
      if (in_order && as != nullptr && same_elements(*as, p)) continue;
      clear = clear && (patch_of(program_, t).start.storage != p.start.storage ||
                        !overlap(region_of(program_, t), region_of(program_, out)));
    }
    if (clear) return p;
    return dense({.offset = take(times(elements(p.shape), p.element))}, p.shape, p.element);
  }
  void finish(const model::op& o, const patch& written) {
    if (written.start.storage != place::scratch) return;
    const patch to = patch_of(program_, write(o, 0));
    map_step s;
    s.over = merge(to, {&written});
    s.function = row_of(op_type::copy, g_.tensors[write(o, 0)].type);
    push(step_kind::map, out_.maps, s);
  }

  [[nodiscard]] errc add(const model::op& o) {
    if (const errc code = check(o); code != errc::ok) return code;
    switch (o.type) {
      case op_type::tensor:
      case op_type::placeholder:
      case op_type::reshape:
      case op_type::noop:
      case op_type::send_done: return errc::ok;
      case op_type::add:
      case op_type::sub:
      case op_type::mul:
      case op_type::div:
      case op_type::rope: return add_binary(o);
      case op_type::scalar_add:
      case op_type::scalar_mul:
      case op_type::copy:
      case op_type::cast:
      case op_type::exp:
      case op_type::sqrt:
      case op_type::rsqrt:
      case op_type::relu:
      case op_type::sigmoid:
      case op_type::gelu:
      case op_type::softmax:
      case op_type::store: return add_unary(o);
      case op_type::scalar_assign: return add_fill(o);
      case op_type::reduce_sum:
      case op_type::reduce_max:
      case op_type::reduce_mean: return add_reduce(o);
      case op_type::transpose: return add_transpose(o);
      case op_type::matmul:
      case op_type::matmul_gelu:
      case op_type::matmul_scale:
      case op_type::matmul_add:
      case op_type::mma: return add_matmul(o);
      case op_type::embedding: return add_embedding(o);
      case op_type::layer_norm: return add_layer_norm(o);
      case op_type::kv_cache_slot: return add_cache(o);
      case op_type::send:
      case op_type::send_packet: return add_send(o, patch_of(program_, read(o, 0)), 0);
      case op_type::recv: add_wait(); return errc::ok;
      case op_type::recv_packet: return add_recv_packet(o);
      case op_type::recv_reduce_send_packet:
      case op_type::recv_reduce_send: return add_recv_reduce_send(o);
      case op_type::device_sync: push(step_kind::sync, 0); return errc::ok;
      case op_type::unknown: break;
    }
    return errc::ark_unsupported;
  }

  /// What verification lets pass with a warning, and a machine doesn't: FP8, and operations whose
  /// meaning is unknown.
  [[nodiscard]] errc check(const model::op& o) const {
    if (o.type == op_type::unknown) return errc::ark_unsupported;
    const model::op_row& row = info(o.type);
    if (row.kind == model::op_kind::view || row.kind == model::op_kind::none) return errc::ok;
    for (const std::uint32_t t : uses(g_, o)) {
      if (info(g_.tensors[t].type).kind == model::data_kind::fp8) return errc::ark_unsupported;
      if (row.kind != model::op_kind::communication && !is_local(g_, buffer_of(g_, t)))
        return errc::ark_c07_remote;
    }
    return errc::ok;
  }

  [[nodiscard]] errc add_binary(const model::op& o) {
    patch a = patch_of(program_, read(o, 0)), b = patch_of(program_, read(o, 1));
    const patch shape = patch_of(program_, write(o, 0));
    if (!stretch(a, shape.shape) || !stretch(b, shape.shape)) return errc::ark_o07_shape;
    const bool pairs = o.type == op_type::rope;
    if (pairs && (shape.shape[3] % 2 != 0 || a.step[3] == 0 || b.step[3] == 0))
      return errc::ark_o15_rope;
    const patch out = target(o, {read(o, 0), read(o, 1)}, {&a, &b}, true);
    const data_type type = g_.tensors[write(o, 0)].type;
    map_step s;
    s.over = merge(out, {&a, &b}, pairs);
    s.type = type;
    s.function = row_of(o.type, type);
    s.divides = o.type == op_type::div && info(type).kind == model::data_kind::integer;
    cost_ = elements(shape.shape);
    push(step_kind::map, out_.maps, s);
    finish(o, out);
    return errc::ok;
  }

  [[nodiscard]] errc add_unary(const model::op& o) {
    patch a = patch_of(program_, read(o, 0));
    const patch shape = patch_of(program_, write(o, 0));
    if (!stretch(a, shape.shape)) return errc::ark_o07_shape;
    const patch out = target(o, {read(o, 0)}, {&a}, true);
    const data_type type = g_.tensors[write(o, 0)].type;
    map_step s;
    s.over = merge(out, {&a}, o.type == op_type::softmax);
    s.type = type;
    s.function = o.type == op_type::cast ? cast_row(g_.tensors[read(o, 0)].type, type)
                                         : row_of(o.type, type);
    if (o.type == op_type::scalar_add || o.type == op_type::scalar_mul)
      round_scalar(type, real(o, name::factor), s.scalar);
    cost_ = elements(shape.shape);
    push(step_kind::map, out_.maps, s);
    finish(o, out);
    return errc::ok;
  }

  [[nodiscard]] errc add_fill(const model::op& o) {
    const patch out = patch_of(program_, write(o, 0));
    const data_type type = g_.tensors[write(o, 0)].type;
    map_step s;
    s.over = merge(out, {});
    s.type = type;
    s.function = row_of(o.type, type);
    round_scalar(type, real(o, name::value), s.scalar);
    cost_ = elements(out.shape);
    push(step_kind::map, out_.maps, s);
    return errc::ok;
  }

  [[nodiscard]] errc add_reduce(const model::op& o) {
    const std::uint32_t from = read(o, 0);
    patch a = patch_of(program_, from);
    const std::int64_t rank = layout_of(g_, from).rank;
    const model::argument* const argument = argument_of(g_, o, name::axis);
    std::int64_t axis = argument != nullptr ? argument->integer : 0;
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return errc::ark_o10_reduction;
    const auto d = static_cast<std::size_t>(axis + 4 - rank);
    const patch out = target(o, {from}, {}, false);
    const data_type type = g_.tensors[write(o, 0)].type;
    reduce_step s;
    s.op = o.type;
    s.type = type;
    s.depth = static_cast<std::size_t>(a.shape[d]);
    s.step = a.step[d] / a.element;
    cost_ = elements(a.shape);
    a.shape[d] = 1;
    a.step[d] = 0;
    // Without KeepDim the dimensions before the axis move by one.
    patch results = out;
    if (layout_of(g_, write(o, 0)).rank < static_cast<std::uint64_t>(rank))
      for (std::size_t i = 0; i <= d; ++i) {
        results.shape[i] = i == d ? 1 : out.shape[i + 1];
        results.step[i] = i == d ? 0 : out.step[i + 1];
      }
    if (!std::equal(a.shape, a.shape + 4, results.shape)) return errc::ark_o10_reduction;
    s.over = merge(results, {&a});
    push(step_kind::reduce, out_.reductions, s);
    finish(o, out);
    return errc::ok;
  }

  [[nodiscard]] errc add_transpose(const model::op& o) {
    const std::uint32_t from = read(o, 0);
    const patch a = patch_of(program_, from);
    const std::size_t rank = layout_of(g_, from).rank, first = 4 - rank;
    const model::argument* const p = argument_of(g_, o, name::permutation);
    const patch out = target(o, {from}, {}, false);
    patch turned = a;
    for (std::size_t d = 0; d < rank; ++d) {
      const auto source = static_cast<std::size_t>(integers(g_, p->integers)[d]);
      turned.shape[first + d] = a.shape[first + source];
      turned.step[first + d] = a.step[first + source];
    }
    map_step s;
    s.over = merge(out, {&turned});
    s.function = row_of(o.type, g_.tensors[write(o, 0)].type);
    cost_ = elements(out.shape);
    push(step_kind::map, out_.maps, s);
    finish(o, out);
    return errc::ok;
  }

  [[nodiscard]] errc add_matmul(const model::op& o) {
    multiply_step s;
    s.op = o.type;
    s.type = g_.tensors[write(o, 0)].type;
    s.transpose_a = is_set(o, name::transpose_input);
    s.transpose_b = is_set(o, name::transpose_other);
    s.scale = real(o, name::scale);
    s.a = patch_of(program_, read(o, 0));
    s.b = patch_of(program_, read(o, 1));
    patch &a = s.a, &b = s.b;
    if (layout_of(g_, read(o, 1)).rank == 1) {  // a column; on the left, vectors are rows
      std::swap(b.shape[2], b.shape[3]);
      std::swap(b.step[2], b.step[3]);
    }
    if (s.transpose_a) {
      std::swap(a.shape[2], a.shape[3]);
      std::swap(a.step[2], a.step[3]);
    }
    if (s.transpose_b) {
      std::swap(b.shape[2], b.shape[3]);
      std::swap(b.step[2], b.step[3]);
    }
    const patch to = patch_of(program_, write(o, 0));
    const std::uint64_t m = to.shape[2], n = to.shape[3], k = a.shape[3];
    if (a.shape[2] != m || b.shape[3] != n || b.shape[2] != k) return errc::ark_o12_matmul;
    if (!stretch(a, {to.shape[0], to.shape[1], m, k}) ||
        !stretch(b, {to.shape[0], to.shape[1], k, n}))
      return errc::ark_o12_matmul;
    s.m = static_cast<std::size_t>(m);
    s.n = static_cast<std::size_t>(n);
    s.k = static_cast<std::size_t>(k);
    const bool adds = o.type == op_type::matmul_add, plain = o.type == op_type::matmul;
    const bool real_numbers = info(s.type).kind == model::data_kind::floating;
    if (!real_numbers && (o.type == op_type::matmul_gelu || o.type == op_type::matmul_scale))
      return errc::ark_unsupported;
    if (adds) {
      s.residual = patch_of(program_, read(o, 2));
      if (!stretch(s.residual, to.shape)) return errc::ark_o12_matmul;
      s.c = target(o, {read(o, 2), read(o, 0), read(o, 1)}, {&s.residual}, true);
    } else {
      s.c = target(o, {read(o, 0), read(o, 1)}, {}, false);
    }
    if (real_numbers) {
      const bool copies = s.type != data_type::fp32;
      s.workspace = take(0);
      if (copies) static_cast<void>(take(times(times(m, k), 4)));
      if (copies) static_cast<void>(take(times(times(k, n), 4)));
      if (copies || !(plain || o.type == op_type::mma))
        static_cast<void>(take(times(times(m, n), 4)));
      out_.multiplies = true;
    }
    // Sums are FP64; those that FP16 and BF16 would round twice are made anew, one after another.
    cost_ = product_of_steps(times(to.shape[0], to.shape[1]),
                             product_steps(m, n, k, s.type == data_type::fp32 ? 2 : 1));
    push(step_kind::multiply, out_.products, s);
    finish(o, s.c);
    return errc::ok;
  }

  [[nodiscard]] errc add_embedding(const model::op& o) {
    look_up_step s{patch_of(program_, read(o, 0)), patch_of(program_, read(o, 1)), {}};
    const data_type type = g_.tensors[write(o, 0)].type;
    if (g_.tensors[read(o, 0)].type != data_type::int32 || g_.tensors[read(o, 1)].type != type)
      return errc::ark_o06_data_types;
    s.out = target(o, {read(o, 0), read(o, 1)}, {}, false);
    // Indices [1, i, j, k] to results [i, j, k, columns].
    if (s.indices.shape[0] != 1 || s.table.shape[0] != 1 || s.table.shape[1] != 1 ||
        s.table.shape[3] != s.out.shape[3] ||
        !std::equal(s.indices.shape + 1, s.indices.shape + 4, s.out.shape))
      return errc::ark_o13_embedding;
    cost_ = elements(s.out.shape);
    push(step_kind::look_up, out_.look_ups, s);
    finish(o, s.out);
    return errc::ok;
  }

  [[nodiscard]] errc add_layer_norm(const model::op& o) {
    const patch shape = patch_of(program_, write(o, 0));
    patch in[3];
    for (std::size_t i = 0; i < 3; ++i) {
      in[i] = patch_of(program_, read(o, i));
      if (g_.tensors[read(o, i)].type != g_.tensors[write(o, 0)].type)
        return errc::ark_o06_data_types;
      if (!stretch(in[i], shape.shape)) return errc::ark_o07_shape;
    }
    const patch out =
        target(o, {read(o, 0), read(o, 1), read(o, 2)}, {&in[0], &in[1], &in[2]}, true);
    map_step s;
    s.over = merge(out, {&in[0], &in[1], &in[2]}, true);
    s.function = row_of(o.type, g_.tensors[write(o, 0)].type);
    cost_ = elements(shape.shape);
    push(step_kind::map, out_.maps, s);
    finish(o, out);
    return errc::ok;
  }

  /// The token is copied first, so that it may lie in the cache or in the output.
  [[nodiscard]] errc add_cache(const model::op& o) {
    cache_step s;
    s.token = patch_of(program_, read(o, 0));
    s.position_in = patch_of(program_, read(o, 1));
    s.cache = patch_of(program_, write(o, 0));
    s.position_out = patch_of(program_, write(o, 1));
    s.out = patch_of(program_, write(o, 2));
    const data_type type = g_.tensors[read(o, 0)].type;
    for (const std::uint32_t t : {read(o, 1), write(o, 1)})
      if (g_.tensors[t].type != data_type::int32 || patch_of(program_, t).count() != 1)
        return errc::ark_o06_data_types;
    if (g_.tensors[write(o, 0)].type != type || g_.tensors[write(o, 2)].type != type)
      return errc::ark_o06_data_types;
    // A slot is one index of the cache's first dimension.
    const std::size_t first = 4 - layout_of(g_, write(o, 0)).rank;
    s.slots = s.cache.shape[first];
    s.slot_step = s.cache.step[first];
    s.cache.shape[first] = 1;
    s.cache.step[first] = 0;
    const std::uint64_t count = elements(s.token.shape);
    if (elements(s.cache.shape) != count || elements(s.out.shape) != count)
      return errc::ark_o07_shape;
    s.workspace = take(times(count, s.token.element));
    cost_ = count;
    push(step_kind::cache, out_.caches, s);
    return errc::ok;
  }

  // ---- communication

  void add_wait() {
    const auto list = world_.receives(rank_, op_);
    push(step_kind::wait, out_.waits, wait_step{{list.data(), list.size()}});
  }

  /// What operation `o` sends by its tensor `which` of those it writes.
  [[nodiscard]] errc add_send(const model::op& o, const patch& from, std::size_t which) {
    const std::uint32_t to = write(o, which);
    const model::buffer& b = buffer_of(g_, to);
    if (is_local(g_, b) || b.rank < 0 || static_cast<std::size_t>(b.rank) >= world_.size())
      return errc::ark_c01_send;
    const std::uint32_t entry = world_.owner_buffer(rank_, g_.tensors[to].buffer);
    if (entry == model::none) return errc::ark_m02_owner;
    const model::program& owner = world_.rank(static_cast<std::size_t>(b.rank));
    send_step s;
    s.rank = static_cast<std::uint32_t>(b.rank);
    s.storage = owner.storage(entry);
    s.from = from;
    s.to = patch_of(program_, to);
    // The patch is in this file's remote buffer; its bytes, in the owner's buffer.
    if (region_of(program_, to).end > owner.bytes(s.storage)) return errc::ark_m05_size;
    s.packets = o.type == op_type::send_packet || o.type == op_type::recv_reduce_send_packet;
    const std::uint64_t bytes = times(elements(from.shape), from.element);
    if (s.packets) {
      if (s.to.element != 1 || elements(s.to.shape) != times(bytes, 2) || !is_dense(s.to))
        return errc::ark_c03_packet;
      const model::argument* const flag = argument_of(g_, o, name::flag);
      s.flag = flag != nullptr ? static_cast<std::uint32_t>(flag->integer) : 0;
      s.workspace = take(times(bytes, 3));
    } else if (from.element != s.to.element ||
               !std::equal(from.shape, from.shape + 4, s.to.shape)) {
      s.reshapes = true;
      s.workspace = take(bytes);
    }
    if (which + 1 == o.writes) {
      const auto list = world_.sends(rank_, op_);
      s.signals = {list.data(), list.size()};
    }
    cost_ = std::max(cost_, elements(from.shape));
    push(step_kind::send, out_.sends, s);
    return errc::ok;
  }

  /// Whether the elements lie in a row, in C order.
  [[nodiscard]] static bool is_dense(const patch& p) {
    const loops l = merge(p, {});
    return l.size[0] == 1 && l.size[1] == 1 && l.size[2] == 1 && l.out.step[3] == 1;
  }
  [[nodiscard]] bool is_here(std::uint32_t tensor) const {
    return is_local(g_, buffer_of(g_, tensor));
  }

  [[nodiscard]] errc add_recv_packet(const model::op& o) {
    if (!is_here(read(o, 1)) || !is_here(write(o, 0))) return errc::ark_c07_remote;
    unpack_step s;
    s.packets = patch_of(program_, read(o, 1));
    const patch to = patch_of(program_, write(o, 0));
    const std::uint64_t bytes = times(elements(to.shape), to.element);
    if (s.packets.element != 1 || elements(s.packets.shape) != times(bytes, 2) ||
        !is_dense(s.packets))
      return errc::ark_c03_packet;
    add_wait();
    s.out = to;
    s.workspace = take(bytes);
    cost_ = elements(to.shape);
    push(step_kind::unpack, out_.unpacks, s);
    return errc::ok;
  }

  [[nodiscard]] errc add_recv_reduce_send(const model::op& o) {
    const bool packets = o.type == op_type::recv_reduce_send_packet;
    if (!is_here(read(o, 0)) || !is_here(read(o, 1)) || !is_here(write(o, 0)))
      return errc::ark_c07_remote;
    patch data = patch_of(program_, read(o, 0));
    const patch scratch = patch_of(program_, read(o, 1)), to = patch_of(program_, write(o, 0));
    const data_type type = g_.tensors[read(o, 0)].type;
    if (g_.tensors[write(o, 0)].type != type) return errc::ark_o06_data_types;
    if (!stretch(data, to.shape)) return errc::ark_o07_shape;
    const std::uint64_t bytes = times(elements(to.shape), to.element);
    sum_step s;
    s.segments = scratch.start;
    s.list.packets = packets;
    s.list.count = o.writes - 1;
    s.list.distance = packets ? times(bytes, 2) : bytes;
    if (times(elements(scratch.shape), scratch.element) != times(s.list.distance, s.list.count) ||
        !is_dense(scratch))
      return errc::ark_c04_peers;
    add_wait();
    const patch out = target(o, {read(o, 0), read(o, 1)}, {&data}, true);
    s.over = merge(out, {&data});
    s.type = type;
    cost_ = times(elements(to.shape), o.writes);
    push(step_kind::sum, out_.sums, s);
    finish(o, out);
    for (std::size_t i = 1; i < o.writes; ++i)
      if (const errc code = add_send(o, to, i); code != errc::ok) return code;
    return errc::ok;
  }

  const model::world& world_;
  std::size_t rank_;
  const model::program& program_;
  const model::model& g_;
  compiled_program& out_;
  std::uint32_t node_ = 0, op_ = 0;
  std::uint64_t busy_ = 0, cost_ = 1;
};

}  // namespace

patch patch_of(const model::program& p, std::uint32_t tensor) {
  const model::model& g = p.model();
  const model::layout& l = layout_of(g, tensor);
  patch out;
  out.element = info(g.tensors[tensor].type).bytes;
  out.start.storage = p.storage(g.tensors[tensor].buffer);
  std::uint64_t distance = out.element;
  for (std::size_t d = 4, i = l.rank; i-- > 0;) {
    --d;
    out.shape[d] = static_cast<std::uint64_t>(l.shape[i]);
    out.step[d] = static_cast<std::ptrdiff_t>(distance);
    out.start.offset += static_cast<std::uint64_t>(l.offsets[i]) * distance;
    distance *= static_cast<std::uint64_t>(l.strides[i]);
  }
  return out;
}

patch dense(const place& start, const std::uint64_t (&shape)[4], std::uint8_t element) {
  patch out;
  out.start = start;
  out.element = element;
  std::ptrdiff_t distance = element;
  for (std::size_t d = 4; d-- > 0;) {
    out.shape[d] = shape[d];
    out.step[d] = distance;
    // Sizes that overflow never get memory.
    if (__builtin_mul_overflow(distance, static_cast<std::ptrdiff_t>(shape[d]), &distance))
      distance = 0;
  }
  return out;
}

region region_of(const model::program& p, std::uint32_t tensor) {
  const patch t = patch_of(p, tensor);
  region out{&layout_of(p.model(), tensor), t.element, t.start.offset, t.start.offset + t.element};
  for (std::size_t d = 0; d < 4; ++d)
    out.end += (t.shape[d] - 1) * static_cast<std::uint64_t>(t.step[d]);
  return out;
}

bool alike(const region& a, const region& b) noexcept {
  bool same = a.layout->rank == b.layout->rank && a.element == b.element;
  // The first of the strides has no influence on where elements are.
  for (std::size_t d = 1; d < model::max_rank; ++d)
    same = same && a.layout->strides[d] == b.layout->strides[d];
  return same;
}
bool overlap(const region& a, const region& b) noexcept {
  if (a.first >= b.end || b.first >= a.end) return false;
  const model::layout &k = *a.layout, &l = *b.layout;
  for (std::size_t d = 0; alike(a, b) && d < k.rank; ++d)
    if (k.offsets[d] + k.shape[d] <= l.offsets[d] || l.offsets[d] + l.shape[d] <= k.offsets[d])
      return false;
  return true;
}

outcome compile(const model::world& w, std::size_t rank, compiled_program& out) {
  return compiler(w, rank, out).make();
}

void compiled_program::place_at(std::span<std::byte* const> storages, std::byte* scratch_memory) {
  const auto set = [&](place& p) {
    p.data = p.storage == place::scratch   ? scratch_memory
             : p.storage < storages.size() ? storages[p.storage]
                                           : nullptr;
    if (p.data != nullptr) p.data += p.offset;
  };
  const auto set_loops = [&set](loops& l) {
    for (loops::operand& o : l.in)
      if (o.used) set(o.start);
    set(l.out.start);
  };
  workspace = scratch_memory;
  for (map_step& s : maps) set_loops(s.over);
  for (reduce_step& s : reductions) set_loops(s.over);
  for (multiply_step& s : products)
    for (patch* const p : {&s.a, &s.b, &s.residual, &s.c}) set(p->start);
  for (look_up_step& s : look_ups)
    for (patch* const p : {&s.indices, &s.table, &s.out}) set(p->start);
  for (cache_step& s : caches)
    for (patch* const p : {&s.position_in, &s.position_out, &s.token, &s.cache, &s.out})
      set(p->start);
  for (send_step& s : sends) set(s.from.start);
  for (unpack_step& s : unpacks)
    for (patch* const p : {&s.packets, &s.out}) set(p->start);
  for (sum_step& s : sums) {
    set_loops(s.over);
    set(s.segments);
    s.list.data = s.segments.data;
  }
}

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI
