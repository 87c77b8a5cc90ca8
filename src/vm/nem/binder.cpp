// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "binder.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

template <class T>
[[nodiscard]] std::span<const T> spanned(view<T> of) noexcept {
  return {of.data(), of.size()};
}
[[nodiscard]] bool ends_in(std::string_view layout, std::string_view two) noexcept {
  return layout.size() >= 2 && layout.substr(layout.size() - 2) == two;
}

}  // namespace

void make_strides(shape_view shape, std::int64_t* to) noexcept {
  std::int64_t n = 1;
  for (std::size_t i = shape.size(); i-- != 0; n *= shape[i]) to[i] = n;
}

bound_task& binder::bind(const model::values& v, const model::task& t) {
  const std::size_t count = std::size_t{t.inputs} + t.outputs;
  const bool is_move = t.opcode == opcode::transfer || t.opcode == opcode::store;
  tensors_.resize(count);
  buffers_.resize(count);
  if (!is_move) {
    // Room for all, so that what was made stays where it is.
    std::size_t strides = 0, scales = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const model::region& r = v.regions[v.operands[t.first_operand + i].region];
      if (!r.has_strides) strides += r.rank;
      if (r.quant != model::no_index) scales += v.quants[r.quant].scales;
    }
    descriptors_.resize(count);
    strides_.clear();
    strides_.reserve(strides);
    scales_.clear();
    scales_.reserve(scales);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const model::region& r = v.regions[v.operands[t.first_operand + i].region];
    const model::buffer& b = v.buffers[r.buffer];
    buffers_[i] = {r.buffer, b.level, b.level == model::level::l1 ? b.engine : -1,
                   static_cast<std::uint64_t>(b.size)};
    tensors_[i] = {};
    tensors_[i].data = bases_[r.buffer] + r.offset;
    tensors_[i].extent = r.extent;
    tensors_[i].element = r.element;
    if (!is_move) bind_type(v, r, i);
  }
  if (t.opcode == opcode::gemm || t.opcode == opcode::matmul)
    for (std::size_t i = 0; i < 2 && i < t.inputs; ++i) {
      const std::uint32_t layout = v.regions[v.operands[t.first_operand + i].region].layout;
      tensors_[i].is_transposed =
          layout != model::no_name && ends_in(document_.name(layout), i == 0 ? "KM" : "NK");
    }
  bound_.task = t;
  bound_.buffers = buffers_;
  bound_.operands = tensors_;
  call& c = bound_.what;
  c.opcode = t.opcode;
  c.inputs = std::span<const tensor>(tensors_).first(t.inputs);
  c.outputs = std::span<const tensor>(tensors_).subspan(t.inputs);
  c.is_memmove = t.is_memmove;
  if (!is_move) {
    c.attributes = v.attributes;
    c.op = v.attributes.op != model::no_name ? document_.name(v.attributes.op) : std::string_view();
  }
  return bound_;
}

void binder::bind_type(const model::values& v, const model::region& r, std::size_t i) {
  tensor& x = tensors_[i];
  x.shape = spanned(v.shape(r));
  if (r.has_strides) {
    x.strides = spanned(v.strides(r));
  } else {
    const std::size_t first = strides_.size();
    strides_.resize(first + r.rank);
    make_strides(x.shape, strides_.data() + first);
    x.strides = std::span<const std::int64_t>(strides_).subspan(first);
  }
  if (r.quant == model::no_index) return;
  const model::quant& q = v.quants[r.quant];
  descriptor& d = descriptors_[i];
  d.form = q.form;
  d.axis = static_cast<std::size_t>(q.axis < 0 ? q.axis + std::int64_t{r.rank} : q.axis);
  d.group_size = q.group_size;
  const std::size_t first = scales_.size();
  for (const double s : v.scales(q)) scales_.push_back(static_cast<float>(s));
  d.scales = std::span<const float>(scales_).subspan(first);
  d.zero_points = spanned(v.zero_points(q));
  x.quant = &d;
}

// ---- kept tasks

namespace {

constexpr std::size_t alignment = 16;  // of new

template <class T>
[[nodiscard]] std::size_t room_of(std::span<const T> x) noexcept {
  return (x.size_bytes() + alignment - 1) / alignment * alignment;
}
/// Calls f with all lists of a task's attributes.
template <class Attributes, class F>
void each_list(Attributes& a, F&& f) {
  for (auto* l : {&a.pads, &a.strides, &a.dilations, &a.kernel_shape, &a.perm, &a.target_shape,
                  &a.starts, &a.ends, &a.axes, &a.steps, &a.split_sizes})
    f(*l);
}

/// A transfer or a store: of its operands only the bytes. The values and the nodes of its loops follow.
struct kept_move {
  struct operand {
    std::byte* data;
    std::int64_t extent;
    element type;
  };
  model::task task;
  operand operands[2];
  touched_buffer buffers[2];
  std::uint32_t depth;
  bool is_memmove, is_deterministic;
};
/// Another task. Its attributes follow if they aren't the defaults, then its operands, their buffers, the
/// values and the nodes of its loops, and what operands and attributes point to.
struct kept_compute {
  model::task task;
  std::string_view op;
  std::uint32_t depth;
  bool is_memmove, is_deterministic, has_attributes;
};
[[nodiscard]] bool has_defaults(const model::attributes& a) noexcept {
  bool has_lists = false;
  each_list(a, [&](const view<std::int64_t>& l) { has_lists = has_lists || !l.empty(); });
  const model::attributes none;
  return !has_lists && a.given == none.given && a.accum_type == none.accum_type &&
         a.mode == none.mode && a.keepdims == none.keepdims && a.op == none.op &&
         a.axis == none.axis && a.groups == none.groups && a.alpha == none.alpha &&
         a.min_val == none.min_val && a.max_val == none.max_val &&
         a.constant_value == none.constant_value && a.epsilon == none.epsilon;
}
[[nodiscard]] bool is_plain_move(const bound_task& t) noexcept {
  const bool moves = t.what.opcode == opcode::transfer || t.what.opcode == opcode::store;
  return moves && t.what.inputs.size() == 1 && t.what.outputs.size() == 1;
}

/// Memory that is filled, or read, from its beginning.
class block {
 public:
  explicit block(std::byte* first) noexcept : at_(first) {}
  template <class T>
  std::span<T> copy(std::span<const T> from) noexcept {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignment);
    std::byte* const at = at_;
    at_ += room_of(from);
    return {std::uninitialized_copy_n(from.data(), from.size(), reinterpret_cast<T*>(at)) -
                static_cast<std::ptrdiff_t>(from.size()),
            from.size()};
  }
  /// What was copied to here.
  template <class T>
  [[nodiscard]] std::span<T> next(std::size_t count) noexcept {
    const std::span<T> list(std::launder(reinterpret_cast<T*>(at_)), count);
    at_ += room_of(std::span<const T>(list));
    return list;
  }

 private:
  std::byte* at_;
};

}  // namespace

std::byte* kept_memory::get(std::size_t bytes) {
  constexpr std::size_t chunk = std::size_t{1} << 16;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (bytes > chunk / 4) {
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    return chunks_.back().get();
  }
  if (bytes > left_) {
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk));
    at_ = chunks_.back().get();
    left_ = chunk;
  }
  std::byte* const out = at_;
  at_ += bytes;
  left_ -= bytes;
  return out;
}

/// What it had isn't given back: each time there is twice as much, so that this is no more.
void kept_task::reserve(std::size_t bytes, kept_memory& memory) {
  if (bytes <= capacity_) return;
  capacity_ = std::max(bytes, 2 * capacity_);
  memory_ = memory.get(capacity_);
}

void kept_task::keep(const bound_task& t, kept_memory& memory) {
  node_ = t.task.node;
  is_move_ = is_plain_move(t);
  if (is_move_)
    keep_move(t, memory);
  else
    keep_compute(t, memory);
}

void kept_task::keep_move(const bound_task& t, kept_memory& memory) {
  kept_move m;
  m.task = t.task;
  for (std::size_t i = 0; i < 2; ++i) {
    m.operands[i] = {t.operands[i].data, t.operands[i].extent, t.operands[i].element};
    m.buffers[i] = t.buffers[i];
  }
  m.depth = static_cast<std::uint32_t>(t.loops.size());
  m.is_memmove = t.what.is_memmove;
  m.is_deterministic = t.what.is_deterministic;
  const std::span<const kept_move> one(&m, 1);
  reserve(room_of(one) + room_of(t.iteration) + room_of(t.loops), memory);
  block to(memory_);
  (void)to.copy(one);
  (void)to.copy(t.iteration);
  (void)to.copy(t.loops);
}

void kept_task::keep_compute(const bound_task& t, kept_memory& memory) {
  const model::attributes& attributes = t.what.attributes;
  const kept_compute k{t.task,
                       t.what.op,
                       static_cast<std::uint32_t>(t.loops.size()),
                       t.what.is_memmove,
                       t.what.is_deterministic,
                       !has_defaults(attributes)};
  const std::span<const kept_compute> one(&k, 1);
  const std::span<const model::attributes> given(&attributes, k.has_attributes ? 1u : 0u);
  const std::span<const tensor> tensors = t.operands;
  std::size_t size = room_of(one) + room_of(given) + room_of(tensors) + room_of(t.buffers) +
                     room_of(t.iteration) + room_of(t.loops);
  for (const tensor& x : tensors) {
    size += room_of(x.shape) + room_of(x.strides);
    if (x.quant != nullptr)
      size +=
          room_of(std::span(x.quant, 1)) + room_of(x.quant->scales) + room_of(x.quant->zero_points);
  }
  each_list(attributes, [&](const view<std::int64_t>& l) { size += room_of(spanned(l)); });
  reserve(size, memory);

  block to(memory_);
  (void)to.copy(one);
  const std::span<model::attributes> own_attributes = to.copy(given);
  const std::span<tensor> operands = to.copy(tensors);
  (void)to.copy(t.buffers);
  (void)to.copy(t.iteration);
  (void)to.copy(t.loops);
  for (tensor& x : operands) {
    x.shape = to.copy(x.shape);
    x.strides = to.copy(x.strides);
    if (x.quant == nullptr) continue;
    descriptor& d = to.copy(std::span(x.quant, 1))[0];
    d.scales = to.copy(d.scales);
    d.zero_points = to.copy(d.zero_points);
    x.quant = &d;
  }
  for (model::attributes& a : own_attributes)
    each_list(a, [&](view<std::int64_t>& l) {
      const std::span<const std::int64_t> at = to.copy(spanned(l));
      l = {at.data(), at.size()};
    });
}

bound_task& kept_task::restore(restored_task& to) const {
  return is_move_ ? restore_move(to) : restore_compute(to);
}

bound_task& kept_task::restore_move(restored_task& to) const {
  block from(memory_);
  const kept_move& m = from.next<kept_move>(1)[0];
  bound_task& t = to.move;
  t.task = m.task;
  for (std::size_t i = 0; i < 2; ++i) {
    to.operands[i].data = m.operands[i].data;
    to.operands[i].extent = m.operands[i].extent;
    to.operands[i].element = m.operands[i].type;
  }
  t.operands = to.operands;
  t.what.opcode = m.task.opcode;
  t.what.inputs = std::span<const tensor>(to.operands).first(1);
  t.what.outputs = std::span<const tensor>(to.operands).subspan(1);
  t.what.is_memmove = m.is_memmove;
  t.what.is_deterministic = m.is_deterministic;
  t.buffers = m.buffers;
  t.iteration = from.next<std::int64_t>(m.depth);
  t.loops = from.next<std::uint32_t>(m.depth);
  return t;
}

bound_task& kept_task::restore_compute(restored_task& to) const {
  block from(memory_);
  const kept_compute& k = from.next<kept_compute>(1)[0];
  bound_task& t = to.compute;
  t.task = k.task;
  t.what.opcode = k.task.opcode;
  t.what.op = k.op;
  t.what.is_memmove = k.is_memmove;
  t.what.is_deterministic = k.is_deterministic;
  t.what.attributes = k.has_attributes ? from.next<model::attributes>(1)[0] : model::attributes();
  const std::size_t operands = std::size_t{k.task.inputs} + k.task.outputs;
  t.operands = from.next<tensor>(operands);
  t.what.inputs = std::span<const tensor>(t.operands).first(k.task.inputs);
  t.what.outputs = std::span<const tensor>(t.operands).subspan(k.task.inputs);
  t.buffers = from.next<touched_buffer>(operands);
  t.iteration = from.next<std::int64_t>(k.depth);
  t.loops = from.next<std::uint32_t>(k.depth);
  return t;
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
