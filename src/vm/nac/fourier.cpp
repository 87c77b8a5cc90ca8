// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Complex tensors and Fourier transforms: by powers of two, other lengths as convolutions of such
// (Bluestein). Transforms are computed in FP64 and rounded once.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <iterator>
#include <numbers>
#include <vector>

#include "complex.hpp"
#include "multiply.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

using model::operation;
using complex_number = std::complex<double>;

[[nodiscard]] value list_of(std::span<const std::int64_t> v) {
  return value::int_list(std::vector<std::int64_t>(v.begin(), v.end()));
}

// ---- complex tensors

// ---- transforms of a line

/// The discrete Fourier transform of some length: X[k] = sum of x[j] e^(-2 pi i j k / n).
class transform {
 public:
  transform(memory& arena, std::size_t n) : n_(n), padded_(1) {
    while (padded_ < (is_power(n) ? n : 2 * n - 1)) padded_ *= 2;
    room_ = make_tensor(arena, data_type::float64,
                        {7, static_cast<std::int64_t>(std::max(padded_, n))});
    double* const all = room_.as<double>();
    const std::size_t step = 2 * std::max(padded_, n);
    roots_ = as_complex(all);  // half as many
    chirp_ = as_complex(all + step / 2);
    kernel_ = as_complex(all + step / 2 + step);
    scratch_ = as_complex(all + step / 2 + 2 * step);
    for (std::size_t k = 0; k < padded_ / 2; ++k) roots_[k] = root(k, padded_);
    if (is_power(n)) return;
    // jk = (j^2 + k^2 - (k - j)^2) / 2
    for (std::size_t k = 0; k < n; ++k) chirp_[k] = root(k * k % (2 * n), 2 * n);
    std::fill_n(kernel_, padded_, complex_number());
    for (std::size_t k = 0; k < n; ++k)
      kernel_[k] = kernel_[(padded_ - k) % padded_] = std::conj(chirp_[k]);
    by_powers(kernel_);
  }
  /// In place; the inverse isn't divided by n.
  void run(complex_number* x, bool inverse) const noexcept {
    if (inverse) conjugate(x);
    if (is_power(n_)) {
      by_powers(x);
    } else {
      for (std::size_t k = 0; k < n_; ++k) scratch_[k] = times(x[k], chirp_[k]);
      std::fill(scratch_ + n_, scratch_ + padded_, complex_number());
      by_powers(scratch_);
      for (std::size_t k = 0; k < padded_; ++k)
        scratch_[k] = std::conj(times(scratch_[k], kernel_[k]));
      by_powers(scratch_);
      const double scale = 1 / static_cast<double>(padded_);
      for (std::size_t k = 0; k < n_; ++k) x[k] = times(std::conj(scratch_[k]), chirp_[k]) * scale;
    }
    if (inverse) conjugate(x);
  }
  /// Steps of one line.
  [[nodiscard]] std::uint64_t steps() const noexcept {
    std::uint64_t levels = 1;
    while ((std::size_t{1} << levels) < padded_) ++levels;
    return (is_power(n_) ? 4 : 12) * padded_ * levels + 64;
  }

 private:
  [[nodiscard]] static bool is_power(std::size_t n) noexcept { return (n & (n - 1)) == 0; }
  [[nodiscard]] static complex_number* as_complex(double* p) noexcept {
    return static_cast<complex_number*>(static_cast<void*>(p));
  }
  [[nodiscard]] static complex_number root(std::size_t k, std::size_t n) noexcept {
    return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  }
  /// Without what IEEE 754 asks of infinite factors.
  [[nodiscard]] static complex_number times(complex_number a, complex_number b) noexcept {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
  void conjugate(complex_number* x) const noexcept {
    for (std::size_t k = 0; k < n_; ++k) x[k] = std::conj(x[k]);
  }
  void by_powers(complex_number* x) const noexcept {
    for (std::size_t i = 1, j = 0; i < padded_; ++i) {
      std::size_t bit = padded_ / 2;
      for (; (j & bit) != 0; bit /= 2) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(x[i], x[j]);
    }
    for (std::size_t half = 1; half < padded_; half *= 2)
      for (std::size_t first = 0; first < padded_; first += 2 * half)
        for (std::size_t k = 0; k < half; ++k) {
          complex_number &a = x[first + k], &b = x[first + k + half];
          const complex_number turned = times(b, roots_[k * (padded_ / (2 * half))]);
          b = a - turned;
          a += turned;
        }
  }

  std::size_t n_, padded_;
  tensor room_;
  complex_number *roots_, *chirp_, *kernel_, *scratch_;
};

// ---- transforms of tensors

/// Pairs of doubles with an axis of another length: its end is cut off, or zeros follow.
[[nodiscard]] tensor resized(call& c, const tensor& pairs, std::size_t axis, std::int64_t size) {
  shape dims = pairs.dims;
  const groups g = along(pairs.dims, axis);
  dims[axis] = size;
  const tensor out = make_tensor(c.arena, data_type::float64, dims);
  std::fill_n(out.as<double>(), out.size(), 0.0);
  walk w;
  w.add(g.outer, g.count * g.inner, size * g.inner);
  w.add(std::min(g.count, size) * g.inner, 1, 1);
  w.copy(out.data, pairs.data, sizeof(double));
  return out;
}

/// Transforms all lines along an axis of pairs that nothing else holds.
void transform_axis(call& c, const tensor& pairs, std::size_t axis, bool inverse) {
  const groups g = along(pairs.dims, axis);
  const auto n = count_of(g.count), inner = count_of(g.inner / 2);
  if (pairs.size() == 0 || n == 1) return;
  const transform of_line(c.arena, n);
  const std::uint64_t lines = static_cast<std::uint64_t>(g.outer) * inner;
  c.arena.charge(product_of_steps(lines, of_line.steps()));
  const tensor line = make_tensor(c.arena, data_type::float64, {g.count, 2});
  auto* const x = static_cast<complex_number*>(static_cast<void*>(line.data));
  auto* const all = static_cast<complex_number*>(static_cast<void*>(pairs.data));
  for (std::size_t i = 0; i < lines; ++i) {
    complex_number* const first = all + i / inner * n * inner + i % inner;
    for (std::size_t k = 0; k < n; ++k) x[k] = first[k * inner];
    of_line.run(x, inverse);
    for (std::size_t k = 0; k < n; ++k) first[k * inner] = x[k];
  }
}

/// All of an axis of `size`, of which there is the first half: the others are conjugates of those.
[[nodiscard]] tensor mirrored(call& c, const tensor& half, std::size_t axis, std::int64_t size) {
  const tensor out = resized(c, half, axis, size);
  const groups g = along(out.dims, axis);
  const auto n = count_of(size), inner = count_of(g.inner / 2);
  auto* const all = static_cast<complex_number*>(static_cast<void*>(out.data));
  for (std::size_t o = 0; o < count_of(g.outer); ++o)
    for (std::size_t k = 0; k <= n / 2 && k < n; ++k)
      for (std::size_t i = 0; i < inner; ++i) {
        complex_number& from = all[(o * n + k) * inner + i];
        if (k == 0 || 2 * k == n) from = from.real();
        if (k != 0) all[(o * n + n - k) * inner + i] = std::conj(from);
      }
  return out;
}

/// What a transform does: which axes, the sizes they get before (negative: as they are), the factor.
enum class kind : std::uint8_t { complex, real_input, real_output };
struct request {
  kind what = kind::complex;
  bool inverse = false;
  bool onesided = true;  ///< of real input only the half from which the other follows
  std::vector<std::size_t> axes = {};
  std::vector<std::int64_t> sizes = {};
  double exponent = 0;  ///< of the number of elements, in the factor
};

/// Clears the imaginary parts that are zero for real input, but for rounding: those of the sum and of the
/// alternating sum. The angle of a negative one depends on the sign.
void clear_imaginary(const tensor& pairs, std::size_t axis) noexcept {
  const groups g = along(pairs.dims, axis);
  const auto count = count_of(g.count), inner = count_of(g.inner);
  double* const all = pairs.as<double>();
  for (std::size_t k = 0; k < count_of(g.outer); ++k)
    for (std::size_t i = 1; i < inner; i += 2) {
      all[k * count * inner + i] = 0;
      if (count % 2 == 0) all[(k * count + count / 2) * inner + i] = 0;
    }
}

[[nodiscard]] value transformed(call& c, const value& given, const request& r) {
  if (given.is_complex() && r.what == kind::real_input)
    fail(errc::nac_run_kind, "a complex tensor; expected a real one");
  const tensor& x = given.is_complex() ? given.as_tensor() : decayed(given).as_tensor();
  const data_type type = as_float(x.type);
  if (type != data_type::float32 && type != data_type::float64) refuse_type(type, "f32 or f64");
  const tensor real = cast(c.arena, x, data_type::float64);
  tensor pairs = given.is_complex() ? real : without_imaginary(c, real).as_tensor();
  double elements = 1;
  const std::size_t count = r.axes.size();
  for (std::size_t step = 0; step < count; ++step) {
    // The last axis is the one that has half of a real input's or output's elements.
    const bool is_real = r.what == kind::real_input;
    const std::size_t k = is_real ? count - 1 - step : step;
    const bool is_half = r.what == kind::real_output && k + 1 == count;
    std::int64_t size = r.sizes[k], held = pairs.dim(r.axes[k]);
    if (size < 0) size = is_half ? 2 * (held - 1) : held;
    if (size < 1 || size > max_size)
      fail(errc::nac_run_argument, "a transform of ", size, " elements; expected 1 to ", max_size);
    elements *= static_cast<double>(size);
    pairs = is_half ? mirrored(c, resized(c, pairs, r.axes[k], size / 2 + 1), r.axes[k], size)
                    : resized(c, pairs, r.axes[k], size);
    transform_axis(c, pairs, r.axes[k], r.inverse);
    if (is_real && step == 0) clear_imaginary(pairs, r.axes[k]);
  }
  const double factor = std::pow(elements, r.exponent);
  for (double& v : pairs.elements<double>()) v *= factor;
  if (r.what == kind::real_output) return cast(c.arena, part_of(c, pairs, 0), type);
  if (r.what == kind::real_input && r.onesided && count != 0) {
    const std::size_t last = r.axes[count - 1];
    pairs = resized(c, pairs, last, pairs.dim(last) / 2 + 1);
  }
  return value::complex(cast(c.arena, pairs, type));
}

/// The exponent of the factor that a norm names.
[[nodiscard]] double exponent_of(call& c, std::size_t letter, bool inverse) {
  const std::string_view norm = c.string_or(letter, "backward");
  if (norm == "ortho") return -0.5;
  if (norm == "backward") return inverse ? -1 : 0;
  if (norm == "forward") return inverse ? 0 : -1;
  fail(errc::nac_run_argument, "norm is \"", norm, "\"; expected backward, ortho or forward");
}
[[nodiscard]] double exponent_of(std::int64_t normalisation) {
  if (normalisation < 0 || normalisation > 2)
    fail(errc::nac_run_argument, "normalization is ", normalisation, "; expected 0 to 2");
  return -0.5 * static_cast<double>(normalisation);
}

[[nodiscard]] std::size_t rank_of(call& c) {
  const value& v = c.at(0);
  return v.is_complex() ? v.as_tensor().rank() - 1 : c.tensor_at(0).rank();
}
[[nodiscard]] std::size_t checked_axis(std::int64_t axis, std::size_t rank) {
  if (rank == 0)
    fail(errc::nac_run_axis, "axis ", axis, " of a tensor of rank 0; expected rank 1 or more");
  return axis_of(axis, rank);
}

/// Letters: self n dim norm.
[[nodiscard]] value of_one_axis(call& c, kind what, bool inverse) {
  request r{what, inverse};
  const std::size_t rank = rank_of(c);
  r.axes = {checked_axis(c.whole_or(2, -1), rank)};
  r.sizes = {c.whole_or(1, -1)};
  if (c.has(1) && r.sizes[0] < 1)
    fail(errc::nac_run_argument, "n is ", r.sizes[0], "; expected at least 1");
  r.exponent = exponent_of(c, 3, inverse);
  return transformed(c, c.at(0), r);
}

/// Letters: self s dim norm.
[[nodiscard]] value of_axes(call& c, kind what, bool inverse, std::vector<std::int64_t> otherwise) {
  request r{what, inverse};
  const std::size_t rank = rank_of(c);
  const std::span<const std::int64_t> sizes = c.int_list(1), given = c.int_list(2);
  std::vector<std::int64_t> axes(given.begin(), given.end());
  if (!c.has(2)) axes = std::move(otherwise);
  if (!c.has(2) && axes.empty()) {
    const std::size_t count = c.has(1) ? sizes.size() : rank;
    if (count > rank)
      fail(errc::nac_run_axis, count, " sizes; expected at most ", rank, ", one per dimension");
    for (std::size_t i = rank - count; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  }
  if (c.has(1) && sizes.size() != axes.size())
    fail(errc::nac_run_argument, sizes.size(), " sizes; expected ", axes.size(), ", one per axis");
  if (axes.empty() && what != kind::complex)
    fail(errc::nac_run_axis, "no axes; expected at least 1");
  (void)axes_of(axes, rank);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    r.axes.push_back(axis_of(axes[k], rank));
    r.sizes.push_back(c.has(1) ? sizes[k] : -1);
  }
  r.exponent = exponent_of(c, 3, inverse);
  return transformed(c, c.at(0), r);
}

/// Letters: self dim normalization, and what is different.
[[nodiscard]] request by_axes(call& c, kind what, bool inverse) {
  request r{what, inverse};
  const std::span<const std::int64_t> axes = c.int_list(1);
  (void)axes_of(axes, rank_of(c));
  if (axes.empty()) fail(errc::nac_run_axis, "no axes; expected at least 1");
  for (const std::int64_t a : axes) r.axes.push_back(axis_of(a, rank_of(c)));
  r.sizes.assign(r.axes.size(), -1);
  r.exponent = exponent_of(c.whole(2));
  return r;
}

/// Rolls axes by half their length: the one in the middle becomes the first, or the other way round.
[[nodiscard]] value shifted(call& c, bool back) {
  const value& given = c.at(0);
  const tensor& x = given.is_complex() ? given.as_tensor() : c.tensor_at(0);
  const std::size_t rank = rank_of(c);
  const std::span<const std::int64_t> list = c.int_list(1);
  const std::uint32_t axes = c.has(1) ? axes_of(list, rank) : ~std::uint32_t{0};
  std::vector<std::int64_t> by, along_axes;
  for (std::size_t i = 0; i < rank; ++i)
    if (names(axes, i)) {
      along_axes.push_back(static_cast<std::int64_t>(i));
      by.push_back((x.dim(i) + (back ? 1 : 0)) / 2);
    }
  const tensor out =
      by.empty()
          ? x
          : tensor_of(c, operation::roll,
                      {x, value::int_list(std::move(by)), value::int_list(std::move(along_axes))});
  return given.is_complex() ? value::complex(out) : value(out);
}

// ---- windows

/// Values of f(position), which is 0 at the start and 1 after one period.
template <class F>
[[nodiscard]] value window(call& c, std::size_t letter_of_type, bool periodic, F&& f) {
  const std::int64_t n = c.whole(0);
  const data_type type = c.type_or(letter_of_type, data_type::float32);
  if (!is_floating(type)) refuse_type(type, "a floating-point type");
  if (n < 0) fail(errc::nac_run_argument, "window_length is ", n, "; expected at least 0");
  const tensor out = make_tensor(c.arena, data_type::float64, {n});
  const double period = static_cast<double>(periodic ? n : n - 1);
  for (std::int64_t i = 0; i < n; ++i)
    out.as<double>()[i] = n == 1 ? 1.0 : f(static_cast<double>(i) / period);
  return cast(c.arena, out, type);
}
[[nodiscard]] double cosine(double position) noexcept {
  return std::cos(2 * std::numbers::pi * position);
}
[[nodiscard]] double hann(double position) noexcept { return 0.5 - 0.5 * cosine(position); }
[[nodiscard]] double blackman(double position) noexcept {
  return 0.42 - 0.5 * cosine(position) + 0.08 * cosine(2 * position);
}
[[nodiscard]] double bartlett(double position) noexcept {
  return position < 0.5 ? 2 * position : 2 - 2 * position;
}

/// Of the elements of a transform: those from 0 on, then, unless there is only half, the negative
/// ones. Letters: n d dtype.
[[nodiscard]] value frequencies(call& c, bool half) {
  const std::int64_t n = c.whole(0);
  const data_type type = c.type_or(2, data_type::float32);
  if (!is_floating(type)) refuse_type(type, "a floating-point type");
  if (n < 0 || n > max_size) fail(errc::nac_run_argument, "n is ", n, "; expected 0 to ", max_size);
  const std::int64_t count = half ? n / 2 + 1 : n, negative = half ? count : (n + 1) / 2;
  const tensor whole_ones = make_tensor(c.arena, data_type::float64, {count});
  for (std::int64_t i = 0; i < count; ++i)
    whole_ones.as<double>()[i] = static_cast<double>(i < negative ? i : i - n);
  const double by = 1 / (static_cast<double>(n) * c.real_or(1, 1));
  return result_of(c, operation::mul, {cast(c.arena, whole_ones, type), make_number(c.arena, by)});
}

/// The window of a short-time transform, in the middle of zeros; ones where none is given.
[[nodiscard]] tensor window_of(call& c, std::int64_t size, data_type type) {
  const std::int64_t length = c.whole_or(3, size);
  const tensor* const given = c.optional(4);
  if (length < 1 || length > size)
    fail(errc::nac_run_argument, "win_length is ", length, "; expected 1 to ", size,
         ", the size of the frames");
  if (given != nullptr && !(given->dims == shape{length}))
    fail(errc::nac_run_shape, "window has shape ", given->dims, "; expected ", shape{length});
  const tensor out = make_tensor(c.arena, type, {size});
  std::memset(out.data, 0, out.bytes());
  std::byte* const to = out.data + count_of((size - length) / 2) * model::size_of(type);
  const tensor ones =
      given != nullptr ? *given : tensor_of(c, operation::ones, {list_of(std::vector{length})});
  cast(ones.type, ones.data, type, to, count_of(length));
  return out;
}

}  // namespace

// ---- complex tensors

value view_as_real(call& c) {
  fail(errc::nac_run_kind, "a real tensor of shape ", c.tensor_at(0).dims,
       "; expected a complex one");
}
value imag(call& c) { return view_as_real(c); }
value real(call& c) { return c.tensor_at(0); }
value conj(call& c) { return c.tensor_at(0); }

value view_as_complex(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.type != data_type::float32 && x.type != data_type::float64)
    refuse_type(x.type, "f32 or f64");
  if (x.rank() == 0 || x.dim(x.rank() - 1) != 2)
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected a last axis of 2");
  return value::complex(x);
}

value complex(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  expect_type(b, a.type);
  if (a.type != data_type::float32 && a.type != data_type::float64)
    refuse_type(a.type, "f32 or f64");
  const shape dims = broadcast(a.dims, b.dims);
  const auto expanded = [&](const tensor& t) {
    return tensor_of(c, operation::expand, {t, list_of(dims.dims())});
  };
  return value::complex(paired(c, expanded(a), expanded(b)));
}

// ---- transforms

value fft(call& c) { return of_one_axis(c, kind::complex, false); }
value ifft(call& c) { return of_one_axis(c, kind::complex, true); }
value rfft(call& c) { return of_one_axis(c, kind::real_input, false); }
value irfft(call& c) { return of_one_axis(c, kind::real_output, true); }
value fft2(call& c) { return of_axes(c, kind::complex, false, {-2, -1}); }
value ifft2(call& c) { return of_axes(c, kind::complex, true, {-2, -1}); }
value rfft2(call& c) { return of_axes(c, kind::real_input, false, {-2, -1}); }
value irfft2(call& c) { return of_axes(c, kind::real_output, true, {-2, -1}); }
value fftn(call& c) { return of_axes(c, kind::complex, false, {}); }
value ifftn(call& c) { return of_axes(c, kind::complex, true, {}); }
value rfftn(call& c) { return of_axes(c, kind::real_input, false, {}); }
value irfftn(call& c) { return of_axes(c, kind::real_output, true, {}); }
value hfft(call& c) { return of_one_axis(c, kind::real_output, false); }
value ihfft(call& c) { return of_one_axis(c, kind::real_input, true); }
value hfft2(call& c) { return of_axes(c, kind::real_output, false, {-2, -1}); }
value ihfft2(call& c) { return of_axes(c, kind::real_input, true, {-2, -1}); }
value hfftn(call& c) { return of_axes(c, kind::real_output, false, {}); }
value ihfftn(call& c) { return of_axes(c, kind::real_input, true, {}); }

value fft_r2c(call& c) {
  request r = by_axes(c, kind::real_input, false);
  r.onesided = c.truth_or(3, true);
  if (const data_type type = c.tensor_at(0).type; !is_floating(type))
    refuse_type(type, "a floating-point type");
  return transformed(c, c.at(0), r);
}
value fft_c2r(call& c) {
  request r = by_axes(c, kind::real_output, true);
  r.sizes.back() = c.whole(3);
  if (r.sizes.back() < 1)
    fail(errc::nac_run_argument, "last_dim_size is ", r.sizes.back(), "; expected at least 1");
  return transformed(c, c.at(0), r);
}
value fft_c2c(call& c) {
  return transformed(c, c.at(0), by_axes(c, kind::complex, !c.truth_or(3, true)));
}
value fftshift(call& c) { return shifted(c, false); }
value ifftshift(call& c) { return shifted(c, true); }

// Frames of the signal, the axis of which is the last one, become columns.
value stft(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::int64_t size = c.whole(1), hop = c.whole_or(2, size / 4);
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  if (x.rank() < 1 || x.rank() > 2)
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected rank 1 or 2");
  if (!c.has(7))
    fail(errc::nac_run_argument, "return_complex isn't given; expected it for real input");
  const std::int64_t length = x.dim(x.rank() - 1);
  if (size < 1 || size > length || size > max_size || hop < 1)
    fail(errc::nac_run_argument, "n_fft is ", size, " and hop_length ", hop,
         "; expected n_fft of 1 to ", length,
         ", the length of the input, and hop_length of at least 1");
  const std::int64_t rows = x.rank() == 1 ? 1 : x.dim(0), count = 1 + (length - size) / hop;
  const tensor frames = make_tensor(c.arena, x.type, {rows, count, size});
  walk w;
  w.add(rows, length, count * size);
  w.add(count, hop, size);
  w.add(size, 1, 1);
  w.copy(frames.data, x.data, model::size_of(x.type));
  request r{kind::real_input, false};
  r.onesided = c.truth_or(6, true);
  r.axes = {2};
  r.sizes = {-1};
  r.exponent = c.truth_or(5, false) ? -0.5 : 0;
  const value all =
      transformed(c, tensor_of(c, operation::mul, {frames, window_of(c, size, x.type)}), r);
  const std::size_t order[] = {0, 2, 1, 3};
  tensor pairs = permuted(c.arena, all.as_tensor(), order);
  if (x.rank() == 1) pairs.dims.erase(0);
  return c.truth_or(7, true) ? value::complex(pairs) : value(pairs);
}

// What stft's frames overlap to, divided by the sum of the windows' squares.
value istft(call& c) {
  if (!c.at(0).is_complex())
    fail(errc::nac_run_kind, "a real tensor where a complex one is expected");
  const tensor& pairs = c.at(0).as_tensor();
  const std::int64_t size = c.whole(1), hop = c.whole_or(2, size / 4);
  const std::size_t rank = pairs.rank() - 1;
  if (rank != 2 && rank != 3)
    fail(errc::nac_run_shape, "shape is ", dims_of(pairs), "; expected 2 or 3 dimensions");
  if (c.truth_or(9, false)) fail(errc::nac_run_argument, "return_complex is true; expected false");
  const std::int64_t rows = rank == 2 ? 1 : pairs.dim(0), held = pairs.dim(rank - 2);
  const std::int64_t count = pairs.dim(rank - 1);
  if (size < 1 || size > max_size || hop < 1 || hop > c.whole_or(3, size) || pairs.size() == 0)
    fail(errc::nac_run_argument, "frames of ", size, " at every ", hop,
         "; expected frames that overlap");
  const bool onesided = c.truth_or(7, held != size);
  if (held != (onesided ? size / 2 + 1 : size))
    fail(errc::nac_run_shape, held, " frequencies of frames of ", size, "; expected ",
         onesided ? size / 2 + 1 : size);
  const std::size_t order[] = {0, 2, 1, 3};
  const tensor frames_of = permuted(c.arena, pairs.with_shape({rows, held, count, 2}), order);
  request r{onesided ? kind::real_output : kind::complex, true};
  r.axes = {2};
  r.sizes = {size};
  r.exponent = c.truth_or(6, false) ? -0.5 : -1;
  const value all = transformed(c, value::complex(frames_of), r);
  const tensor real = onesided ? all.as_tensor() : part_of(c, all.as_tensor(), 0);
  const tensor frames = cast(c.arena, real, data_type::float64);
  const tensor window = cast(c.arena, window_of(c, size, pairs.type), data_type::float64);
  // A signal, and the sum of the squares.
  std::int64_t length = 0;
  if (__builtin_mul_overflow(hop, count - 1, &length) || length > max_size)
    fail(errc::budget_memory, "a signal of more than ", max_size, " elements");
  length += size;
  const tensor sums = make_tensor(c.arena, data_type::float64, {rows + 1, length});
  std::fill_n(sums.as<double>(), sums.size(), 0.0);
  c.arena.charge(product_of_steps(frames.size(), 2));
  const double *const w = window.as<double>(), *from = frames.as<double>();
  double* const squares = sums.as<double>() + rows * length;
  for (std::int64_t b = 0; b < rows; ++b)
    for (std::int64_t t = 0; t < count; ++t, from += size)
      for (std::int64_t k = 0; k < size; ++k) {
        sums.as<double>()[b * length + t * hop + k] += from[k] * w[k];
        if (b == 0) squares[t * hop + k] += w[k] * w[k];
      }
  const std::int64_t start = c.truth_or(5, true) ? size / 2 : 0;
  const std::int64_t wanted = c.whole_or(8, length - 2 * start);
  if (wanted < 1 || wanted > max_size)
    fail(errc::nac_run_argument, "length is ", wanted, "; expected 1 to ", max_size);
  const tensor out = make_tensor(c.arena, data_type::float64, {rows, wanted});
  std::fill_n(out.as<double>(), out.size(), 0.0);
  for (std::int64_t i = 0; i < std::min(wanted, length - start); ++i) {
    const double square = squares[start + i];
    if (!(std::fabs(square) >= 1e-11))
      fail(errc::nac_run_argument, "the windows' squares add up to ", square, " at ", start + i,
           "; expected overlapping windows");
    for (std::int64_t b = 0; b < rows; ++b)
      out.as<double>()[b * wanted + i] = sums.as<double>()[b * length + start + i] / square;
  }
  tensor signal = cast(c.arena, out, pairs.type);
  return rank == 2 ? signal.with_shape({wanted}) : signal;
}

value fftfreq(call& c) { return frequencies(c, false); }
value rfftfreq(call& c) { return frequencies(c, true); }

value hann_window(call& c) { return window(c, 1, true, hann); }
value hann_window_by_mode(call& c) { return window(c, 2, c.truth_or(1, true), hann); }
value hamming_window(call& c) {
  return window(c, 1, true, [](double p) { return 0.54 - 0.46 * cosine(p); });
}
value blackman_window(call& c) { return window(c, 1, true, blackman); }
value hamming_window_by_mode(call& c) {
  const double alpha = c.real_or(2, 0.54), beta = c.real_or(3, 0.46);
  return window(c, 4, c.truth_or(1, true), [&](double p) { return alpha - beta * cosine(p); });
}
value blackman_window_by_mode(call& c) { return window(c, 2, c.truth_or(1, true), blackman); }
value bartlett_window_by_mode(call& c) { return window(c, 2, c.truth_or(1, true), bartlett); }
value bartlett_window(call& c) { return window(c, 1, true, bartlett); }

}  // namespace vm::nac::operations

}  // namespace tessera::inline TESSERA_ABI
