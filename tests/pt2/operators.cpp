// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The table of operators.

#include "pt2/samples.hpp"

using namespace tessera;

TEST_CASE("pt2/operators: rows are sorted, and all of their parts are known", "[pt2]") {
  const view<pt2::operator_row> all = pt2::operators();
  CHECK(all.size() > 400);
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].name);
    if (i != 0) CHECK(all[i - 1].name < all[i].name);
    CHECK(pt2::find_operator(all[i].name) == &all[i]);
    pt2::signature s(all[i]);
    bool had_default = false;
    for (pt2::parameter p; s.next(p);) {
      CHECK(!p.name.empty());
      CHECK(p.type != pt2::parameter_type::other);
      had_default = had_default || p.has_default;
      if (p.has_default) CHECK(!p.default_value.empty());
      if (p.has_default && p.default_value == "None") CHECK(p.is_optional);
    }
    for (pt2::parameter r; s.next_result(r);) CHECK(r.name.empty());
  }
  CHECK(pt2::find_operator("aten.add") == nullptr);
  CHECK(pt2::find_operator("") == nullptr);
  CHECK(pt2::find_operator("zzz") == nullptr);
}

TEST_CASE("pt2/operators: the parts of signatures", "[pt2]") {
  const pt2::operator_row* const row = pt2::find_operator("aten.add_.Tensor");
  REQUIRE(row != nullptr);
  pt2::signature s(*row);
  pt2::parameter p;
  REQUIRE(s.next(p));
  CHECK(p.name == "self");
  CHECK(p.type == pt2::parameter_type::tensor);
  CHECK(p.is_written);
  CHECK(p.is_aliased);
  REQUIRE(s.next(p));
  CHECK_FALSE(p.is_written);
  REQUIRE(s.next(p));
  CHECK(p.name == "alpha");
  CHECK(p.type == pt2::parameter_type::number);
  CHECK(p.default_value == "1");
  CHECK_FALSE(s.next(p));
  REQUIRE(s.next_result(p));
  CHECK(p.is_written);
  CHECK_FALSE(s.next_result(p));

  pt2::signature index(*pt2::find_operator("aten.index.Tensor"));
  REQUIRE(index.next(p));
  REQUIRE(index.next(p));
  CHECK(p.is_list);
  CHECK(p.has_optional_elements);
  CHECK_FALSE(p.is_optional);
  pt2::signature split(*pt2::find_operator("aten.split.Tensor"));
  REQUIRE(split.next(p));
  CHECK(p.is_aliased);
  CHECK_FALSE(p.is_written);
  REQUIRE(split.next_result(p));
  CHECK(p.is_list);
  pt2::signature check(*pt2::find_operator("aten._assert_scalar.default"));
  CHECK_FALSE(check.next_result(p));
  while (check.next(p)) CHECK(!p.name.empty());
}
