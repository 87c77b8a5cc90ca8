// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Shared by tests of sums of products: random tensors, and comparison with loops in double.
//
//   random_tensors of(1);
//   const vm::value x = of.make(b, data_type::float16, {2, 3});
//   check_nearly(b.run("aten.relu.default", {x}), {2, 3}, expected);   // a vector of doubles
//
// Elements are small multiples of 1/8, which every type with floats holds, or whole ones.

#ifndef TESSERA_TESTS_VM_NAC_NEARLY_HPP
#define TESSERA_TESTS_VM_NAC_NEARLY_HPP

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "vm/nac/calls.hpp"

namespace vm_nac_tests {

class random_tensors {
 public:
  explicit random_tensors(unsigned seed) : random_(seed) {}
  [[nodiscard]] std::vector<double> numbers(std::size_t n, data_type type) {
    std::uniform_int_distribution<int> of(type == data_type::uint8 ? 0 : -16, 16);
    std::vector<double> out(n);
    for (double& v : out) v = of(random_) * (tessera::nac::is_floating(type) ? 0.125 : 1.0);
    return out;
  }
  [[nodiscard]] vm::value make(bench& b, data_type type, const vm::shape& dims) {
    return b.make(type, dims, numbers(static_cast<std::size_t>(dims.elements()), type));
  }
  [[nodiscard]] std::int64_t below(std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_);
  }

 private:
  std::mt19937 random_;
};

/// The precision of a type, and what an integer of it keeps of a sum.
[[nodiscard]] inline double precision_of(data_type type) {
  switch (type) {
    case data_type::float32: return 1e-6;
    case data_type::float64: return 1e-14;
    case data_type::float16: return 1.0 / 1024;
    case data_type::bfloat16: return 1.0 / 128;
    default: return 0;
  }
}
[[nodiscard]] inline double wrapped(double v, data_type type) {
  return vm::visit(type, [&]<class T>(vm::of<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return static_cast<double>(static_cast<T>(static_cast<std::int64_t>(v)));
    else
      return v;
  });
}

/// The shape, and each element within a few units of the type's precision, of the largest one.
inline void check_nearly(const vm::value& got, const vm::shape& dims,
                         const std::vector<double>& expected, double units = 4) {
  REQUIRE(got.is_tensor());
  const vm::tensor& t = got.as_tensor();
  REQUIRE(t.dims.text() == dims.text());
  REQUIRE(t.size() == expected.size());
  const std::vector<double> values = numbers(t);
  double largest = 1;
  for (const double v : expected) largest = std::max(largest, std::abs(v));
  const double allowed = units * precision_of(t.type) * largest;
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double wanted = wrapped(expected[i], t.type);
    if (std::abs(values[i] - wanted) <= allowed) continue;
    if (std::isnan(values[i]) && std::isnan(wanted)) continue;
    if (values[i] == wanted) continue;
    if (wrong++ == 0)
      first = "element " + std::to_string(i) + " is " + std::to_string(values[i]) + ", not " +
              std::to_string(wanted);
  }
  INFO(first);
  CHECK(wrong == 0);
}

inline constexpr data_type floats[] = {data_type::float32, data_type::float64, data_type::float16,
                                       data_type::bfloat16};
inline constexpr data_type with_products[] = {
    data_type::float32,  data_type::float64, data_type::float16,
    data_type::bfloat16, data_type::int64,   data_type::int32,
    data_type::int16,    data_type::int8,    data_type::uint8};

}  // namespace vm_nac_tests

#endif  // TESSERA_TESTS_VM_NAC_NEARLY_HPP
