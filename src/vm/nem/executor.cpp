// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "executor.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

[[nodiscard]] bool is_move(const bound_task& t) noexcept {
  return t.what.opcode == opcode::transfer || t.what.opcode == opcode::store;
}

/// Calls f(first, last) with the bytes that a tensor's elements take, relative to its first one.
template <class F>
void each_range(const tensor& x, F&& f) {
  const std::int64_t bits = model::bitwidth(x.element);
  const rows<1> r(x.shape, {x.strides});
  r.each([&](const auto& first, std::int64_t n) {
    const std::int64_t step = r.steps()[0];
    const std::int64_t runs = step == 1 ? 1 : n, length = step == 1 ? n : 1;
    for (std::int64_t i = 0; i < runs; ++i) {
      const std::int64_t at = first[0] + i * step;
      f(static_cast<std::uint64_t>(at * bits / 8),
        static_cast<std::uint64_t>(((at + length) * bits + 7) / 8));
    }
  });
}

}  // namespace

bool executor::execute(bound_task& t) {
  found_.set(t);
  if (how_.is_dry) {
    ++tasks_;
    return true;
  }
  check_inputs(t);
  if (is_move(t)) {
    (void)nem::execute(t.what, scratch_);
    const std::uint64_t first = offset(t, 1);
    const std::int64_t bytes = std::min(t.operands[0].extent, t.operands[1].extent);
    buffers_[t.buffers[1].index].written.mark(first, first + static_cast<std::uint64_t>(bytes));
    ++tasks_;
    return true;
  }
  for (const tensor& x : t.operands)
    if (model::is_extension(x.element)) {
      found_.unsupported(t, x.element);
      if (!how_.keep_going) return false;
      clear_outputs(t);
      mark_outputs(t);
      ++tasks_;
      return true;
    }
  const verdict v = compute(t);
  if (v.has_wrapped) found_.wrapped(t);
  if (!v) {
    found_.failed(t, v);
    if (!how_.keep_going || v.code == errc::nem_rt_mem) return false;
    if (v.code == errc::nem_rt_unsupported) clear_outputs(t);
  }
  mark_outputs(t);
  ++tasks_;
  return true;
}

verdict executor::compute(const bound_task& t) {
  if (t.what.opcode != opcode::compute) return nem::execute(t.what, scratch_);
  verdict v;
  if (!how_.host || !how_.host(t.what, v)) v = {.code = errc::nem_rt_unsupported};
  return v;
}

void executor::check_inputs(const bound_task& t) {
  if (reported_[t.task.node] != 0) return;
  for (std::size_t i = 0; i < t.what.inputs.size(); ++i) {
    const tensor& x = t.operands[i];
    const std::uint32_t buffer = t.buffers[i].index;
    const marked_bytes& written = buffers_[buffer].written;
    const std::uint64_t first = offset(t, i);
    byte_range missing = written.missing(first, first + static_cast<std::uint64_t>(x.extent));
    if (missing.empty()) continue;
    if (!is_move(t)) {  // not all bytes of the region may be elements
      missing = {};
      each_range(x, [&](std::uint64_t from, std::uint64_t to) {
        if (missing.empty()) missing = written.missing(first + from, first + to);
      });
      if (missing.empty()) continue;
    }
    found_.unwritten(t, places_[buffer].name, missing);
    reported_[t.task.node] = 1;
    return;
  }
}

void executor::mark_outputs(const bound_task& t) {
  for (std::size_t i = t.what.inputs.size(); i < t.operands.size(); ++i) {
    const tensor& y = t.operands[i];
    marked_bytes& written = buffers_[t.buffers[i].index].written;
    const std::uint64_t first = offset(t, i);
    if (written.missing(first, first + static_cast<std::uint64_t>(y.extent)).empty()) continue;
    each_range(
        y, [&](std::uint64_t from, std::uint64_t to) { written.mark(first + from, first + to); });
  }
}
void executor::clear_outputs(const bound_task& t) {
  for (const tensor& y : t.what.outputs)
    each_range(y, [&](std::uint64_t from, std::uint64_t to) {
      std::memset(y.data + from, 0, static_cast<std::size_t>(to - from));
    });
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
