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

}  // namespace

template <class T>
std::span<T> kept_task::copy(std::span<const T> from) {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignment);
  std::byte* const at = memory_.get() + size_;
  size_ += room_of(from);
  return {std::uninitialized_copy_n(from.data(), from.size(), reinterpret_cast<T*>(at)) -
              static_cast<std::ptrdiff_t>(from.size()),
          from.size()};
}

void kept_task::keep(const bound_task& t) {
  const bool is_move = t.what.opcode == opcode::transfer || t.what.opcode == opcode::store;
  task_.task = t.task;
  if (is_move) {  // which have no attributes: most of a call
    task_.what.opcode = t.what.opcode;
    task_.what.is_memmove = t.what.is_memmove;
    task_.what.is_deterministic = t.what.is_deterministic;
  } else {
    task_.what = t.what;
  }
  const std::span<const tensor> tensors = t.operands;
  std::size_t size =
      room_of(tensors) + room_of(t.buffers) + room_of(t.iteration) + room_of(t.loops);
  for (const tensor& x : tensors) {
    size += room_of(x.shape) + room_of(x.strides);
    if (x.quant != nullptr)
      size +=
          room_of(std::span(x.quant, 1)) + room_of(x.quant->scales) + room_of(x.quant->zero_points);
  }
  if (!is_move)
    each_list(t.what.attributes, [&](const view<std::int64_t>& l) { size += room_of(spanned(l)); });
  if (size > capacity_) {
    memory_ = std::make_unique_for_overwrite<std::byte[]>(size);
    capacity_ = size;
  }
  size_ = 0;

  task_.operands = copy(tensors);
  task_.what.inputs = std::span<const tensor>(task_.operands).first(t.what.inputs.size());
  task_.what.outputs = std::span<const tensor>(task_.operands).subspan(t.what.inputs.size());
  task_.buffers = copy(t.buffers);
  task_.iteration = copy(t.iteration);
  task_.loops = copy(t.loops);
  if (is_move) return;
  for (tensor& x : task_.operands) {
    x.shape = copy(x.shape);
    x.strides = copy(x.strides);
    if (x.quant == nullptr) continue;
    descriptor& d = copy(std::span(x.quant, 1))[0];
    d.scales = copy(d.scales);
    d.zero_points = copy(d.zero_points);
    x.quant = &d;
  }
  each_list(task_.what.attributes, [&](view<std::int64_t>& l) {
    const std::span<const std::int64_t> at = copy(spanned(l));
    l = {at.data(), at.size()};
  });
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
