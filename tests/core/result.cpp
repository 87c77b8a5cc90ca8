// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <memory>
#include <tessera/core/result.hpp>
#include <utility>

#include "../support/catch.hpp"
#include "../support/child.hpp"

using namespace tessera;

namespace {

using owner = result<std::unique_ptr<int>>;

/// Counts how many of its kind are alive.
struct counted {
  explicit counted(int& n) : alive(&n) { ++*alive; }
  counted(counted&& other) noexcept : alive(other.alive) { ++*alive; }
  counted& operator=(counted&&) = delete;
  ~counted() { --*alive; }
  int* alive;
};

}  // namespace

static_assert(std::is_move_constructible_v<owner> && std::is_move_assignable_v<owner>);
static_assert(std::is_nothrow_move_constructible_v<owner> &&
              std::is_nothrow_move_assignable_v<owner>);
static_assert(!std::is_copy_constructible_v<owner> && !std::is_copy_assignable_v<owner>);
static_assert(!std::is_copy_constructible_v<result<int>>);
static_assert(!std::is_convertible_v<owner, bool> && std::is_constructible_v<bool, owner>);
static_assert(std::is_convertible_v<error, owner> && std::is_convertible_v<int, result<int>>);
static_assert(!std::is_convertible_v<owner, std::unique_ptr<int>>);
static_assert(std::is_same_v<decltype(*std::declval<owner>()), std::unique_ptr<int>&&>);
static_assert(std::is_same_v<decltype(*std::declval<const owner&>()), const std::unique_ptr<int>&>);

TEST_CASE("result: a value is true, an error false", "[core]") {
  const result<int> value = 0;  // false as an int, but still a value
  CHECK(static_cast<bool>(value));
  CHECK(*value == 0);
  CHECK(value.error() == error{});
  const result<int> wrong = error{errc::json_depth, 9};
  CHECK_FALSE(static_cast<bool>(wrong));
  CHECK(wrong.error() == error{errc::json_depth, 9});
}

TEST_CASE("result: a move-only value moves out", "[core]") {
  owner r = std::make_unique<int>(7);
  CHECK(**r == 7);
  CHECK(*r->get() == 7);
  owner other = std::move(r);
  REQUIRE(other);
  const std::unique_ptr<int> p = *std::move(other);
  CHECK(*p == 7);
}

TEST_CASE("result: assignment replaces either side by either", "[core]") {
  const error e{errc::json_bad_utf8, 3};
  owner r = e;
  r = owner(std::make_unique<int>(1));
  REQUIRE(r);
  CHECK(**r == 1);
  r = owner(std::make_unique<int>(2));
  CHECK(**r == 2);
  r = owner(e);
  CHECK_FALSE(r);
  r = owner(error{errc::json_depth, 4});
  CHECK(r.error() == error{errc::json_depth, 4});
  owner& same = r;
  r = std::move(same);
  CHECK(r.error() == error{errc::json_depth, 4});
  r = owner(std::make_unique<int>(5));
  r = std::move(same);
  REQUIRE(r);
  CHECK(**r == 5);
}

TEST_CASE("result: values are destroyed once", "[core]") {
  int alive = 0;
  {
    result<counted> a = counted(alive);
    CHECK(alive == 1);
    result<counted> b = std::move(a);
    CHECK(alive == 2);
    b = result<counted>(error{errc::json_depth, 0});
    CHECK(alive == 1);
    b = std::move(a);
    CHECK(alive == 2);
  }
  CHECK(alive == 0);
}

#if TESSERA_TESTS_CHILD
TEST_CASE("result: looking at a value that isn't there traps", "[core]") {
  const result<int> wrong = error{errc::json_depth, 0};
  volatile int seen = 0;
  CHECK(tessera_tests::traps([&] { seen = *wrong; }));
  result<std::unique_ptr<int>> empty = error{errc::json_depth, 0};
  CHECK(tessera_tests::traps([&] { seen = empty->get() != nullptr; }));
  CHECK(tessera_tests::traps([&] { seen = *std::move(empty) != nullptr; }));
}
#endif

TEST_CASE("result: has_value, value and value_or are those of std::expected", "[core]") {
  result<int> seven = 7;
  CHECK(seven.has_value());
  CHECK(seven.value() == 7);
  CHECK(seven.value_or(9) == 7);
  seven.value() = 8;
  CHECK(*seven == 8);
  const result<int> wrong = error{errc::json_depth, 9};
  CHECK_FALSE(wrong.has_value());
  CHECK(wrong.value_or(9) == 9);
  owner moved = std::make_unique<int>(5);
  const std::unique_ptr<int> p = std::move(moved).value_or(nullptr);
  REQUIRE(p != nullptr);
  CHECK(*p == 5);
}
