// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/fit.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tensor/element_type.hpp"
#include "tessera/core/bytes.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using shape = std::vector<std::uint64_t>;

[[nodiscard]] shape shape_of(const nac::tensor& t) {
  shape out;
  for (std::uint32_t d = 0; d < t.shape.size(); ++d) out.push_back(t.shape[d]);
  return out;
}
[[nodiscard]] std::uint64_t count_of(const shape& s) {
  std::uint64_t out = 1;
  for (const std::uint64_t d : s) out *= d;
  return out;
}

[[nodiscard]] bool is_float(nac::data_type t) {
  return vm::nac::visit(t, []<class T>(vm::nac::of<T>) { return tensors::is_float<T>; });
}
/// Floats are little-endian in files.
template <class T>
[[nodiscard]] double load(const std::byte* at) {
  if constexpr (tensors::is_half<T>) {
    T value{};
    value.bits = load_le<std::uint16_t>(at);
    return static_cast<float>(value);
  } else {
    return load_le<T>(at);
  }
}
template <class T>
void store(std::byte* at, double value) {
  if constexpr (tensors::is_half<T>)
    store_le(at, T(static_cast<float>(value)).bits);
  else
    store_le(at, static_cast<T>(value));
}

/// The part that both shapes have, of elements of `size` bytes; the rest are zeros.
[[nodiscard]] pool<std::byte> overlap(bytes from, const shape& a, const shape& b,
                                      std::size_t size) {
  pool<std::byte> out;
  out.resize(static_cast<std::size_t>(count_of(b)) * size);
  if (!out.empty()) std::memset(out.data(), 0, out.size());
  shape common(a);
  for (std::size_t d = 0; d < a.size(); ++d) common[d] = std::min(a[d], b[d]);
  if (count_of(common) == 0) return out;
  const std::size_t row = a.empty() ? size : static_cast<std::size_t>(common.back()) * size;
  shape at(a.size());
  for (;;) {
    std::uint64_t source = 0, target = 0;
    for (std::size_t d = 0; d < a.size(); ++d) {
      source = source * a[d] + at[d];
      target = target * b[d] + at[d];
    }
    std::memcpy(out.data() + target * size, from.data() + source * size, row);
    std::size_t d = a.size() < 2 ? 0 : a.size() - 1;
    while (d != 0 && ++at[d - 1] == common[d - 1]) at[--d] = 0;
    if (d == 0) return out;
  }
}

/// Dimension d of `values`, scaled to `size` elements; the ends of both are the same ends.
[[nodiscard]] std::vector<double> scaled(const std::vector<double>& values, shape& of,
                                         std::size_t d, std::uint64_t size) {
  std::uint64_t outer = 1, inner = 1;
  for (std::size_t k = 0; k < d; ++k) outer *= of[k];
  for (std::size_t k = d + 1; k < of.size(); ++k) inner *= of[k];
  const std::uint64_t old = of[d];
  const double ratio = static_cast<double>(old) / static_cast<double>(size);
  std::vector<double> out(static_cast<std::size_t>(outer * size * inner));
  for (std::uint64_t i = 0; i < size; ++i) {
    const double place =
        std::clamp((static_cast<double>(i) + 0.5) * ratio - 0.5, 0.0, static_cast<double>(old - 1));
    const auto low = static_cast<std::uint64_t>(place);
    const std::uint64_t high = std::min(low + 1, old - 1);
    const double part = place - static_cast<double>(low);
    for (std::uint64_t o = 0; o < outer; ++o)
      for (std::uint64_t k = 0; k < inner; ++k) {
        const auto at = [&](std::uint64_t n, std::uint64_t place_of) {
          return static_cast<std::size_t>((o * n + place_of) * inner + k);
        };
        const double a = values[at(old, low)], b = values[at(old, high)];
        out[at(size, i)] = a + (b - a) * part;
      }
  }
  of[d] = size;
  return out;
}

[[nodiscard]] std::vector<double> loaded(bytes from, nac::data_type type) {
  return vm::nac::visit_float(type, [&]<class T>(vm::nac::of<T>) {
    std::vector<double> out(from.size() / sizeof(T));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = load<T>(from.data() + i * sizeof(T));
    return out;
  });
}
[[nodiscard]] pool<std::byte> stored(const std::vector<double>& values, nac::data_type type) {
  return vm::nac::visit_float(type, [&]<class T>(vm::nac::of<T>) {
    pool<std::byte> out;
    out.resize(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) store<T>(out.data() + i * sizeof(T), values[i]);
    return out;
  });
}

}  // namespace

graft_kind fit(const nac::tensor& from, const nac::tensor& to, const transplant_options& options,
               pool<std::byte>& out) {
  shape a = shape_of(from);
  const shape b = shape_of(to);
  const bool same_type = from.type == to.type;
  if (!same_type && (!options.convert || !is_float(from.type) || !is_float(to.type)))
    return graft_kind::other_type;
  if (a.size() != b.size()) return graft_kind::other_shape;
  bool has_more = false, has_less = false;
  for (std::size_t d = 0; d < a.size(); ++d) {
    has_more |= a[d] > b[d];
    has_less |= a[d] < b[d];
  }
  const bool differs = has_more || has_less;
  const bool scales =
      differs && options.interpolate && is_float(from.type) && count_of(a) != 0 && count_of(b) != 0;
  if (!scales && ((has_more && !options.slice) || (has_less && !options.pad)))
    return graft_kind::other_shape;

  bytes data = from.data;
  if (differs && !scales) {
    out = overlap(data, a, b, nac::size_of(from.type));
    if (same_type) return graft_kind::fitted;
    data = {out.data(), out.size()};
  }
  std::vector<double> values = loaded(data, from.type);
  for (std::size_t d = 0; scales && d < a.size(); ++d)
    if (a[d] != b[d]) values = scaled(values, a, d, b[d]);
  out = stored(values, to.type);
  return graft_kind::fitted;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
