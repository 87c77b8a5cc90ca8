// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// When outputs count as the same.

#include "transform/agreement.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

#include "support/catch.hpp"
#include "vm/nac/types.hpp"

namespace vn = tessera::vm::nac;
using tessera::transform::difference;
using tessera::transform::distance;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

class tensors {
 public:
  [[nodiscard]] vn::tensor make(vn::data_type type, std::initializer_list<double> values) {
    vn::tensor t =
        vn::make_tensor(arena_, type, vn::shape({static_cast<std::int64_t>(values.size())}));
    vn::visit(type, [&]<class T>(vn::of<T>) {
      T* to = t.template as<T>();
      for (const double v : values) *to++ = vn::convert<T>(v);
    });
    return t;
  }
  [[nodiscard]] double between(std::initializer_list<double> a, std::initializer_list<double> b,
                               vn::data_type type = vn::data_type::float64) {
    return distance(make(type, a), make(type, b));
  }

 private:
  vn::memory arena_{std::uint64_t{1} << 20};
};

}  // namespace

TEST_CASE("transform/agreement: differences against the largest magnitude", "[transform]") {
  tensors t;
  CHECK(t.between({1, -4, 2}, {1, -4, 2}) == 0);
  CHECK(t.between({1, -4, 2}, {1, -4, 1}) == 0.25);
  CHECK(t.between({1, -4, 2}, {0.5, -4, 4}) == 0.5);
  CHECK(t.between({0, 0}, {0, 3}) == 3);
  CHECK(t.between({infinity, 2}, {infinity, 1}) == 0.5);
  CHECK(t.between({}, {}) == 0);
}

TEST_CASE("transform/agreement: infinities and NaN are at the same places", "[transform]") {
  tensors t;
  CHECK(t.between({not_a_number, infinity, -infinity}, {not_a_number, infinity, -infinity}) == 0);
  CHECK(t.between({not_a_number, 1}, {1, 1}) == infinity);
  CHECK(t.between({1, 1}, {not_a_number, 1}) == infinity);
  CHECK(t.between({infinity, 1}, {-infinity, 1}) == infinity);
  CHECK(t.between({infinity, 1}, {1, 1}) == infinity);
}

TEST_CASE("transform/agreement: integers are equal or not", "[transform]") {
  tensors t;
  CHECK(t.between({1, 2}, {1, 2}, vn::data_type::int32) == 0);
  CHECK(t.between({1, 2}, {1, 3}, vn::data_type::int32) == infinity);
  CHECK(t.between({}, {}, vn::data_type::int32) == 0);
}

TEST_CASE("transform/agreement: what differs", "[transform]") {
  tensors t;
  using enum vn::data_type;
  const auto why = [](vn::value a, vn::value b) { return difference({&a, 1}, {&b, 1}); };
  CHECK(why(t.make(float32, {1}), t.make(float32, {1})).empty());
  CHECK(why(t.make(float32, {1}), t.make(float32, {1 + 0x1p-17})).empty());
  CHECK(why(t.make(float32, {1}), t.make(float32, {2})) ==
        "output 0 differs by 1 of its largest magnitude");
  CHECK(why(t.make(float32, {1}), t.make(float64, {1})) == "output 0 is f64 [1]; expected f32 [1]");
  CHECK(why(t.make(float32, {1}), t.make(float32, {1, 2})) ==
        "output 0 is f32 [2]; expected f32 [1]");
  CHECK(why(t.make(float32, {1}), vn::value()) == "output 0 is of another kind");
  const vn::value one = t.make(float32, {1});
  CHECK(difference({&one, 1}, {}) == "0 outputs; expected 1");
}
