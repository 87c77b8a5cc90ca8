// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

namespace vn = vm::nac;

[[nodiscard]] std::string form_of(const vn::tensor& t) {
  return std::string(nac::name(t.type)) + ' ' + std::string(t.dims.text());
}

/// Of what one output is; empty: nothing differs.
[[nodiscard]] std::string difference(const vn::value& before, const vn::value& after) {
  if (before.what() != after.what()) return "is of another kind";
  if (!before.is_tensor()) return {};
  const vn::tensor &a = before.as_tensor(), &b = after.as_tensor();
  if (a.type != b.type || !(a.dims == b.dims))
    return "is " + form_of(b) + "; expected " + form_of(a);
  const double by = distance(a, b);
  if (!(by > rounding_of(a.type))) return {};
  char shown[32];
  std::snprintf(shown, sizeof shown, "%.2g", by);
  return "differs by " + std::string(shown) + " of its largest magnitude";
}

}  // namespace

double rounding_of(vn::data_type t) noexcept {
  if (t == vn::data_type::float64) return 1e-10;
  if (t == vn::data_type::float32) return 1e-5;
  if (t == vn::data_type::float16) return 2e-3;
  if (t == vn::data_type::bfloat16) return 2e-2;
  return 0;
}

double distance(const vn::tensor& a, const vn::tensor& b) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (!vn::is_floating(a.type))
    return a.size() == 0 || std::memcmp(a.data, b.data, a.bytes()) == 0 ? 0 : infinite;
  double worst = 0, largest = 0;
  vn::visit_float(a.type, [&]<class T>(vn::of<T>) {
    const T *const x = a.as<T>(), *const y = b.as<T>();
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto u = vn::convert<double>(x[i]), v = vn::convert<double>(y[i]);
      if (std::isfinite(u)) largest = std::max(largest, std::abs(u));
      if (u == v || (std::isnan(u) && std::isnan(v))) continue;
      worst = std::isfinite(u - v) ? std::max(worst, std::abs(u - v)) : infinite;
    }
  });
  return largest == 0 ? worst : worst / largest;
}

std::string difference(std::span<const vn::value> before, std::span<const vn::value> after) {
  if (before.size() != after.size())
    return std::to_string(after.size()) + " outputs; expected " + std::to_string(before.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    if (const std::string why = difference(before[i], after[i]); !why.empty())
      return "output " + std::to_string(i) + ' ' + why;
  return {};
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
