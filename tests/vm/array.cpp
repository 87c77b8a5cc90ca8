// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/vm/array.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

using tessera::vm::array_view;

TEST_CASE("vm/array: elements have the type of the array", "[vm]") {
  const std::vector<std::int64_t> shape = {3};
  const std::vector<float> values = {1, 2, 3};
  const array_view a(shape, std::span(values));
  CHECK(a.type == tessera::nac::data_type::float32);
  CHECK(a.bytes.size() == 12);
  REQUIRE(a.elements<float>().size() == 3);
  CHECK(a.elements<float>()[2] == 3);
  CHECK(a.elements<std::int32_t>().empty());
  const array_view raw(tessera::nac::data_type::uint8, shape, a.bytes.first(3));
  CHECK(raw.elements<std::uint8_t>().size() == 3);
  CHECK(raw.elements<float>().empty());
  const array_view none;
  CHECK((none.shape.empty() && none.bytes.empty()));
}
