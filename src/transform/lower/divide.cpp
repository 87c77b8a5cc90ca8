// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/divide.hpp"

#include <algorithm>

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

std::size_t follower(const access& a, std::size_t dimension) noexcept {
  for (std::size_t k = 0; k < a.follows.size(); ++k)
    if (a.follows[k] == static_cast<std::int32_t>(dimension)) return k;
  return no_dimension;
}

namespace {

template <class F>
void each_access(step& s, F&& f) {
  for (access& a : s.reads) f(a);
  f(s.write);
}

void drop_dimension(step& s, std::size_t d) {
  s.dims.erase(s.dims.begin() + static_cast<std::ptrdiff_t>(d));
  each_access(s, [d](access& a) {
    if (const std::size_t k = follower(a, d); k != no_dimension) {
      a.of = without(a.of, k);
      a.follows.erase(a.follows.begin() + static_cast<std::ptrdiff_t>(k));
    }
    for (std::int32_t& f : a.follows)
      if (f > static_cast<std::int32_t>(d)) --f;
  });
}

/// Whether dimensions d and d + 1 are one for an access.
[[nodiscard]] bool is_one(const access& a, std::size_t d) noexcept {
  const std::size_t k = follower(a, d), n = follower(a, d + 1);
  if (k == no_dimension && n == no_dimension) return true;
  return k != no_dimension && n == k + 1 && a.of.strides[k] == a.of.strides[n] * a.of.shape[n];
}

}  // namespace

void merge_dimensions(step& s) {
  for (std::size_t d = s.dims.size(); d-- != 0;)
    if (s.dims[d] == 1 && s.dims.size() > 1) drop_dimension(s, d);
  for (std::size_t d = s.dims.size() - 1; d-- != 0;) {
    bool all = is_one(s.write, d);
    for (const access& a : s.reads) all = all && is_one(a, d);
    if (!all) continue;
    each_access(s, [d](access& a) {
      if (const std::size_t k = follower(a, d); k != no_dimension)
        a.of.shape[k + 1] *= a.of.shape[k];
    });
    s.dims[d + 1] *= s.dims[d];
    drop_dimension(s, d);
  }
}

void add_dimension(step& s) {
  s.dims.insert(s.dims.begin(), 1);
  each_access(s, [](access& a) {
    for (std::int32_t& f : a.follows)
      if (f >= 0) ++f;
  });
  s.window.dimension += 1;
}

step by_blocks(const step& from, std::int64_t size) {
  step s = from;
  const auto last = static_cast<std::int32_t>(s.dims.size());
  const std::int64_t blocks = s.dims.back() / size;
  add_dimension(s);
  s.dims.front() = blocks;
  s.dims.back() = size;
  each_access(s, [&](access& a) {
    const std::size_t k = follower(a, static_cast<std::size_t>(last));
    if (k == no_dimension) return;
    const std::int64_t stride = a.of.strides[k];
    a.of.shape[k] = size;
    a.of.shape.insert(a.of.shape.begin(), blocks);
    a.of.strides.insert(a.of.strides.begin(), stride * size);
    a.follows.insert(a.follows.begin(), 0);
  });
  return s;
}

step by_slices(const step& from, std::int64_t slices) {
  step s = from;
  for (std::size_t r = 0; r < 2; ++r) {
    access& a = s.reads[from.tasks[0].in[r].index];
    const std::size_t k = a.of.rank() - 1 - r;
    a.of.shape[k] /= slices;
    a.of.strides.insert(a.of.strides.begin(), a.of.strides[k] * a.of.shape[k]);
    a.of.shape.insert(a.of.shape.begin(), slices);
    a.follows.insert(a.follows.begin(), slice_dimension);
  }
  return s;
}
step by_columns(const step& from, std::int64_t slices) {
  step s = from;
  const std::size_t last = s.dims.size() - 1;
  s.dims.back() /= slices;
  each_access(s, [&](access& a) {
    const std::size_t k = follower(a, last);
    if (k == no_dimension) return;
    a.of.shape[k] /= slices;
    a.of.strides.insert(a.of.strides.begin(), a.of.strides[k] * a.of.shape[k]);
    a.of.shape.insert(a.of.shape.begin(), slices);
    a.follows.insert(a.follows.begin(), slice_dimension);
  });
  return s;
}
bool has_product_of_columns(const step& s) noexcept {
  if (!s.can_split || s.dims.size() < 2 || s.tasks.empty()) return false;
  const tile_task& t = s.tasks[0];
  return (t.op == nem::opcode::conv2d || t.op == nem::opcode::gemm) &&
         t.in[0].what == task_operand::kind::read &&
         follower(s.reads[t.in[0].index], s.dims.size() - 1) == no_dimension;
}
std::int64_t terms_of(const step& s, const target& device) {
  if (s.tasks.empty() || !s.can_split) return 1;
  const tile_task& t = s.tasks[0];
  const bool is_image = t.op == nem::opcode::conv2d;
  if ((!is_image && t.op != nem::opcode::gemm) || t.in[0].what != task_operand::kind::read ||
      t.in[1].what != task_operand::kind::read || t.in[0].index == t.in[1].index)
    return 1;
  // Sums of slices are other sums than those of all terms at once.
  const nem::element type = form_of(s, t.in[1]).type;
  if (t.is_deterministic || !nem::is_floating(type) || form_of(s, t.out).type != type ||
      !device.has(is_image ? "conv2d.float" : "gemm.float", {&type, 1}, "no_bias") ||
      !device.has("eltwise", {&type, 1}, "default") || !device.has("view", {&type, 1}, "default"))
    return 1;
  const access &x = s.reads[t.in[0].index], &w = s.reads[t.in[1].index];
  const std::size_t a = x.of.rank() - 1, b = w.of.rank() - 2;
  const bool is_apart = x.follows[a] == -1 && w.follows[b] == -1;
  return is_apart && x.of.shape[a] == w.of.shape[b] ? x.of.shape[a] : 1;
}

std::vector<segment> segments_of(const step& s, std::uint32_t d, std::int64_t size) {
  const std::int64_t rows = s.dims[d];
  const window& w = s.window;
  std::int64_t in = 0;
  if (w.exists) in = s.reads[w.read].of.shape[follower(s.reads[w.read], w.dimension)];
  std::vector<segment> out;
  for (std::int64_t j = 0; j < ceil_div(rows, size); ++j) {
    segment g{j, 1, std::min(size, rows - j * size), 0, 0, 0, 0};
    if (w.exists && w.dimension == d) {
      const std::int64_t first = j * size * w.stride - w.before;
      const std::int64_t end = first + (g.rows - 1) * w.stride + w.extent;
      g.in_first = std::max<std::int64_t>(first, 0);
      g.in_rows = std::min(end, in) - g.in_first;
      g.top = g.in_first - first;
      g.bottom = std::max<std::int64_t>(end - in, 0);
    } else if (w.exists) {
      g.in_rows = in;
      g.top = w.before;
      // What the last window doesn't reach is no padding.
      g.bottom = (s.dims[w.dimension] - 1) * w.stride + w.extent - w.before - in;
      if (g.bottom < 0) {
        g.in_rows += g.bottom;
        g.bottom = 0;
      }
    }
    const bool same = !out.empty() && out.back().rows == g.rows &&
                      out.back().in_rows == g.in_rows && out.back().top == g.top &&
                      out.back().bottom == g.bottom && g.top == 0;
    if (same)
      ++out.back().count;
    else
      out.push_back(g);
  }
  return out;
}

std::vector<tile_run> runs_of(const std::vector<segment>& all) {
  const std::size_t n = all.size();
  std::int64_t tiles = 0;
  for (const segment& g : all) tiles += g.count;
  if (n == 1) return {{0, 0, 0, tiles}};
  if (n == 2 && all[0].count == 1) return {{0, 1, 1, tiles}};
  if (n == 2 && all[1].count == 1) return {{0, 0, 1, tiles}};
  if (n == 3 && all[0].count == 1 && all[2].count == 1) return {{0, 1, 2, tiles}};
  std::vector<tile_run> out;
  for (std::size_t k = 0; k < n; ++k) out.push_back({k, k, k, all[k].count});
  return out;
}

std::vector<std::int64_t> tile_sizes(std::int64_t n) {
  std::vector<std::int64_t> out;
  for (std::int64_t parts = 1; parts <= n;) {
    const std::int64_t size = ceil_div(n, parts);
    if (out.empty() || out.back() != size) out.push_back(size);
    parts += std::max<std::int64_t>(1, parts / 4);
  }
  if (out.back() != 1) out.push_back(1);
  return out;
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
