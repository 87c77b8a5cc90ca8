// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The sums of products.

#include <algorithm>
#include <cmath>

#include "products.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

/// A range of k within which scales and zero points are one, and sums fit 32 bits.
struct segment {
  std::size_t first = 0, end = 0;
  bool ends_run = false;  ///< another scale follows, or nothing
};

/// Parts k, from left to right.
class segments {
 public:
  segments(const product& p, std::size_t max_sum) noexcept : p_(p), max_size_(max_sum) {}

  [[nodiscard]] bool next(segment& s) const noexcept {
    if (s.end == p_.k) return false;
    s.first = s.end;
    const std::size_t limit = p_.k - s.first < max_size_ ? p_.k : s.first + max_size_;
    s.end = s.first + 1;
    if (is_even_)
      s.end = limit;
    else
      while (s.end < limit && !has_other_scale(s.end) && !has_other_zeros(s.end)) ++s.end;
    s.ends_run = s.end == p_.k || has_other_scale(s.end);
    return true;
  }
  /// Whether there is more than one run.
  [[nodiscard]] bool has_runs() const noexcept {
    for (std::size_t k = 1; k < p_.k_scales.size(); ++k)
      if (has_other_scale(k)) return true;
    return false;
  }

 private:
  [[nodiscard]] bool has_other_scale(std::size_t k) const noexcept {
    return !p_.k_scales.empty() && p_.k_scales[k] != p_.k_scales[k - 1];
  }
  [[nodiscard]] bool has_other_zeros(std::size_t k) const noexcept {
    return (!p_.a_k_zeros.empty() && p_.a_k_zeros[k] != p_.a_k_zeros[k - 1]) ||
           (!p_.b_k_zeros.empty() && p_.b_k_zeros[k] != p_.b_k_zeros[k - 1]);
  }
  const product& p_;
  std::size_t max_size_;
  bool is_even_ = p_.k_scales.empty() && p_.a_k_zeros.empty() && p_.b_k_zeros.empty();
};

[[nodiscard]] std::int64_t zero_of_a(const product& p, const product_row& row,
                                     std::size_t k) noexcept {
  return p.a_k_zeros.empty() ? p.a_quant->zero_point(row.a_pair) : p.a_k_zeros[k];
}
[[nodiscard]] std::int64_t zero_of_b(const product& p, std::size_t column, std::size_t k) noexcept {
  if (!p.b_k_zeros.empty()) return p.b_k_zeros[k];
  return p.b_quant->zero_point(
      p.b_by_column ? p.b_quant->pair(static_cast<std::int64_t>(p.first_column + column))
                    : p.b_pair);
}
void add_sums(const std::int32_t* from, std::uint64_t* to, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i)
    to[i] += static_cast<std::uint64_t>(static_cast<std::int64_t>(from[i]));
}
/// sums -= factor * of, modulo 2^32.
void subtract(std::int32_t* sums, const std::int32_t* of, std::uint32_t factor,
              std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i)
    sums[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) -
                                        static_cast<std::uint32_t>(of[i]) * factor);
}

/// Sums over k of a factor's rows (A) or columns (B): of m lines, element (i, k) at i * line + k *
/// step; one of them is 1.
void add_up(const std::int8_t* from, std::size_t lines, std::size_t line, std::size_t k,
            std::size_t step, std::int32_t* to) noexcept {
  if (step == 1) {
    for (std::size_t i = 0; i < lines; ++i) {
      const std::int8_t* const x = from + i * line;
      std::int32_t sum = 0;
      for (std::size_t j = 0; j < k; ++j) sum += x[j];
      to[i] = sum;
    }
    return;
  }
  std::fill_n(to, lines, 0);
  for (std::size_t j = 0; j < k; ++j) {
    const std::int8_t* const x = from + j * step;
    for (std::size_t i = 0; i < lines; ++i) to[i] += x[i];
  }
}

/// The largest difference of a value and one of the zero points.
[[nodiscard]] std::int64_t reach_of(const descriptor& d, std::int64_t bits) noexcept {
  const std::int64_t least = -(std::int64_t{1} << (bits - 1));
  std::int64_t reach = -least;
  for (const std::int64_t z : d.zero_points) reach = std::max({reach, z - least, -least - 1 - z});
  return reach;
}
[[nodiscard]] bool is_zero(const descriptor& d) noexcept {
  return std::all_of(d.zero_points.begin(), d.zero_points.end(),
                     [](std::int64_t z) { return z == 0; });
}

/// The factors from column k on.
[[nodiscard]] byte_rows columns_from(const byte_rows& a, std::size_t k) noexcept {
  return {a.data + (a.transposed ? k * a.stride : k), a.stride, a.transposed};
}
[[nodiscard]] byte_rows rows_from(const byte_rows& b, std::size_t k) noexcept {
  return {b.data + (b.transposed ? k : k * b.stride), b.stride, b.transposed};
}

/// What multiply_bytes knows of a segment: sums of columns of B with their zero points, sums of rows
/// of A.
class corrections {
 public:
  corrections(const product& p, std::size_t rows, workspace& scratch)
      : p_(p),
        has_a_(!is_zero(*p.a_quant)),
        has_b_(!is_zero(*p.b_quant)),
        columns_(scratch.integers(slots::a, has_a_ || has_b_ ? p.n : 0)),
        zeros_(scratch.integers(slots::b, has_b_ ? p.n : 0)),
        rows_(scratch.integers(slots::row, has_b_ ? rows : 0)) {}

  void set(const segment& s, const byte_rows& a, const byte_rows& b, std::size_t rows) {
    const std::size_t k = s.end - s.first;
    if (has_b_) {
      for (std::size_t j = 0; j < p_.n; ++j)
        zeros_[j] = static_cast<std::int32_t>(zero_of_b(p_, j, s.first));
      add_up(a.data, rows, a.transposed ? 1 : a.stride, k, a.transposed ? a.stride : 1,
             rows_.data());
    }
    if (!has_a_) return;
    add_up(b.data, p_.n, b.transposed ? b.stride : 1, k, b.transposed ? 1 : b.stride,
           columns_.data());
    if (has_b_) subtract(columns_.data(), zeros_.data(), static_cast<std::uint32_t>(k), p_.n);
  }
  void apply(const segment& s, const product_row& row, std::size_t i,
             std::int32_t* sums) const noexcept {
    if (has_a_)
      if (const std::int64_t z = zero_of_a(p_, row, s.first); z != 0)
        subtract(sums, columns_.data(), static_cast<std::uint32_t>(z), p_.n);
    apply_b(i, sums);
  }
  /// Where there is but one segment: rows of sums to their ends.
  void finish(const segment& s, std::span<const product_row> rows, std::span<std::int32_t> sums,
              std::int64_t reach, results& out) const {
    const std::int64_t max_sum = reach * static_cast<std::int64_t>(s.end - s.first);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::int32_t* const row = sums.data() + i * p_.n;
      if (out.fits(rows[i], max_sum)) {
        apply_b(i, row);
        out.finish(rows[i], row, columns_.data(), has_a_ ? zero_of_a(p_, rows[i], s.first) : 0);
      } else {
        apply(s, rows[i], i, row);
        out.finish(rows[i], row);
      }
    }
  }

 private:
  void apply_b(std::size_t i, std::int32_t* sums) const noexcept {
    if (has_b_) subtract(sums, zeros_.data(), static_cast<std::uint32_t>(rows_[i]), p_.n);
  }

  const product& p_;
  bool has_a_, has_b_;
  std::span<std::int32_t> columns_, zeros_, rows_;
};

}  // namespace

void scales_of(const product& p, const product_row& row, std::size_t k, std::span<double> to) {
  double first = p.k_scales.empty() ? 1.0 : p.k_scales[k];
  if (!p.scales_of_a_in_k) first *= p.a_quant->scale(row.a_pair);
  if (!p.b_by_column && !p.scales_of_b_in_k) first *= p.b_quant->scale(p.b_pair);
  for (std::size_t j = 0; j < to.size(); ++j) {
    to[j] = first;
    if (p.b_by_column)
      to[j] *= p.b_quant->scale(p.b_quant->pair(static_cast<std::int64_t>(p.first_column + j)));
  }
}

std::size_t rows_of_block(std::size_t n) noexcept {
  return std::max<std::size_t>((std::size_t{1} << 18) / std::max<std::size_t>(n, 1), 1);
}

void multiply_floats(const product& p, std::span<const product_row> rows, const float_rows& a,
                     const float_rows& b, results& out) {
  workspace& scratch = out.scratch();
  // Into Y itself, where its rows are as far from one another as the next ones.
  const std::size_t m = rows.size();
  if (is_in_place<float>(*p.y) && p.y_step == 1) {
    const std::int64_t stride = m > 1 ? rows[1].y - rows[0].y : static_cast<std::int64_t>(p.n);
    bool is_even = stride >= static_cast<std::int64_t>(p.n);
    for (std::size_t i = 2; i < m && is_even; ++i) is_even = rows[i].y - rows[i - 1].y == stride;
    if (is_even) {
      float* const y = static_cast<float*>(static_cast<void*>(p.y->data)) + rows[0].y;
      const auto step = static_cast<std::size_t>(stride);
      tensors::matmul(m, p.n, p.k, a, b, {y, step}, scratch.products());
      for (std::size_t i = 0; i < m; ++i) out.finish(rows[i], y + i * step);
      return;
    }
  }
  const std::span<float> sums = scratch.floats(slots::sums, m * p.n);
  tensors::matmul(m, p.n, p.k, a, b, {sums.data(), p.n}, scratch.products());
  for (std::size_t i = 0; i < m; ++i) out.finish(rows[i], sums.data() + i * p.n);
}

void multiply_in_order(const product& p, std::span<const product_row> rows, const float_rows& a,
                       const float_rows& b, std::size_t part, const std::int8_t* is_there,
                       results& out) {
  workspace& scratch = out.scratch();
  float_rows right = b;
  if (b.transposed) {
    const std::span<float> turned = scratch.floats(slots::scale, p.k * p.n);
    for (std::size_t k = 0; k < p.k; ++k)
      for (std::size_t j = 0; j < p.n; ++j) turned[k * p.n + j] = b.data[j * b.stride + k];
    right = {turned.data(), p.n};
  }
  const std::span<float> sums = scratch.floats(slots::sums, p.n);
  const std::size_t a_row = a.transposed ? 1 : a.stride, a_k = a.transposed ? a.stride : 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (std::size_t first = 0; first < p.k; first += part) {
      if (is_there != nullptr && *is_there++ == 0) continue;
      for (std::size_t k = first; k < first + part; ++k) {
        const float x = a.data[i * a_row + k * a_k];
        const float* const w = right.data + k * right.stride;
        float* const to = sums.data();
        for (std::size_t j = 0; j < p.n; ++j) {
          const float product = x * w[j];
          to[j] = to[j] + product;
        }
      }
    }
    out.finish(rows[i], sums.data());
  }
}

void multiply_bytes(const product& p, std::span<const product_row> rows, const byte_rows& a,
                    const byte_rows& b, results& out) {
  workspace& scratch = out.scratch();
  const std::size_t m = rows.size(), n = p.n, count = m * n;
  const std::int64_t reach = reach_of(*p.a_quant, 8) * reach_of(*p.b_quant, p.b_bits);
  const segments parts(p, static_cast<std::size_t>(INT32_MAX / reach));
  const bool has_runs = parts.has_runs();
  corrections fix(p, m, scratch);
  const std::span<std::int32_t> sums = scratch.integers(slots::sums, count);
  std::span<std::uint64_t> wide;
  std::span<double> reals, scales;
  if (has_runs) {
    scales = scratch.doubles(slots::scale, n);
    reals = scratch.doubles(slots::sums, count);
    std::fill(reals.begin(), reals.end(), 0.0);
  }
  bool is_first = true;
  segment s;
  while (parts.next(s)) {
    const byte_rows left = columns_from(a, s.first), right = rows_from(b, s.first);
    tensors::matmul_int8(m, n, s.end - s.first, left, right, {sums.data(), n},
                         scratch.int8_products());
    fix.set(s, left, right, m);
    const bool is_whole = is_first && s.ends_run;  // the run is this segment
    if (is_whole && !has_runs) return fix.finish(s, rows, sums, reach, out);
    for (std::size_t i = 0; i < m; ++i) fix.apply(s, rows[i], i, sums.data() + i * n);
    if (!is_whole) {
      if (is_first) {
        wide = scratch.wide_sums(count);
        std::fill(wide.begin(), wide.end(), 0);
      }
      add_sums(sums.data(), wide.data(), count);
    }
    is_first = s.ends_run;
    if (!s.ends_run) continue;
    if (!has_runs) {
      for (std::size_t i = 0; i < m; ++i) out.finish(rows[i], wide.data() + i * n, nullptr);
      return;
    }
    if (!is_whole)
      for (std::size_t i = 0; i < count; ++i) sums[i] = out.wrapped(wide[i]);
    for (std::size_t i = 0; i < m; ++i) {
      if (i == 0 || rows[i].a_pair != rows[i - 1].a_pair) scales_of(p, rows[i], s.first, scales);
      double* const to = reals.data() + i * n;
      const std::int32_t* const from = sums.data() + i * n;
      for (std::size_t j = 0; j < n; ++j) to[j] += from[j] * scales[j];
    }
  }
  for (std::size_t i = 0; i < m; ++i) out.finish(rows[i], reals.data() + i * n);
}

void multiply_wide(const product& p, const product_row& row, const std::int64_t* a,
                   const wide_factor& b, results& out) {
  workspace& scratch = out.scratch();
  const std::size_t n = p.n;
  const segments parts(p, p.k);
  const bool has_runs = parts.has_runs();
  const std::span<std::uint64_t> sums = scratch.wide_sums(n);
  const std::span<double> about = scratch.doubles(slots::scale, n);
  const std::span<std::int64_t> values = scratch.wide_integers(slots::b, n);
  std::span<double> reals, scales;
  if (has_runs) {
    scales = scratch.doubles(slots::block, n);
    reals = scratch.doubles(slots::sums, n);
    std::fill(reals.begin(), reals.end(), 0.0);
  }
  segment s;
  bool is_first = true;
  while (parts.next(s)) {
    if (is_first) {
      std::fill(sums.begin(), sums.end(), 0);
      std::fill(about.begin(), about.end(), 0.0);
    }
    const std::int64_t a_zero = zero_of_a(p, row, s.first);
    for (std::size_t k = s.first; k < s.end; ++k) {
      const std::uint64_t x = static_cast<std::uint64_t>(a[k]) - static_cast<std::uint64_t>(a_zero);
      if (x == 0) continue;
      const double about_x = static_cast<double>(a[k]) - static_cast<double>(a_zero);
      load(*b.of, b.index(static_cast<std::int64_t>(k)), b.column_step, values.data(), n);
      for (std::size_t j = 0; j < n; ++j) {
        const std::int64_t zero = zero_of_b(p, j, k);
        sums[j] += x * (static_cast<std::uint64_t>(values[j]) - static_cast<std::uint64_t>(zero));
        about[j] += about_x * (static_cast<double>(values[j]) - static_cast<double>(zero));
      }
    }
    is_first = s.ends_run;
    if (!s.ends_run || !has_runs) continue;
    scales_of(p, row, s.first, scales);
    for (std::size_t j = 0; j < n; ++j) reals[j] += out.wrapped(sums[j], about[j]) * scales[j];
  }
  if (has_runs)
    out.finish(row, reals.data());
  else
    out.finish(row, sums.data(), about.data());
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
