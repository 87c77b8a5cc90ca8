// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <array>
#include <cstdint>
#include <limits>
#include <tessera/core/bytes.hpp>

#include "../support/catch.hpp"
#include "../support/guard_page.hpp"

using namespace tessera;

namespace {

constexpr std::array<unsigned char, 8> pattern{0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8};

/// `T` at every alignment, the last ending at a guarded page.
template <class T>
void at_every_alignment(T expected) {
  tessera_tests::guard_page memory(64);
  for (std::size_t slack = 0; slack < 8; ++slack) {
    std::array<unsigned char, 32> buffer{};
    unsigned char* const at = buffer.data() + 8 + slack;
    std::memcpy(at, pattern.data(), sizeof(T));
    CHECK(load_le<T>(at) == expected);
    std::memset(at, 0xee, sizeof(T));
    store_le(at, expected);
    CHECK(std::memcmp(at, pattern.data(), sizeof(T)) == 0);
    CHECK(at[-1] == 0);
    CHECK(at[sizeof(T)] == 0);
  }
  const bytes all = std::as_bytes(std::span(pattern)).first(sizeof(T));
  CHECK(load_le<T>(memory.place(all).data()) == expected);
}

}  // namespace

TEST_CASE("bytes: integers of every width are little-endian and need no alignment", "[core]") {
  at_every_alignment<std::uint8_t>(0x81);
  at_every_alignment<std::uint16_t>(0x9281);
  at_every_alignment<std::uint32_t>(0xb4a39281u);
  at_every_alignment<std::uint64_t>(0xf8e7d6c5b4a39281u);
  at_every_alignment<std::int8_t>(-0x7f);
  at_every_alignment<std::int16_t>(-0x6d7f);
  at_every_alignment<std::int32_t>(-0x4b5c6d7f);
  at_every_alignment<std::int64_t>(-0x0718293a4b5c6d7f);
}

TEST_CASE("bytes: floats go by their bit pattern", "[core]") {
  at_every_alignment<float>(std::bit_cast<float>(0xb4a39281u));
  at_every_alignment<double>(std::bit_cast<double>(0xf8e7d6c5b4a39281u));
  std::array<unsigned char, 8> buffer{};
  store_le(buffer.data(), 1.0);
  CHECK(buffer == std::array<unsigned char, 8>{0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
}

TEST_CASE("bytes: swapping reverses every width", "[core]") {
  static_assert(detail::byte_swapped<std::uint16_t>(0x8102) == 0x0281);
  CHECK(detail::byte_swapped<std::uint8_t>(0x81) == 0x81);
  CHECK(detail::byte_swapped<std::uint16_t>(0x8102) == 0x0281);
  CHECK(detail::byte_swapped<std::uint32_t>(0x81020304u) == 0x04030281u);
  CHECK(detail::byte_swapped<std::uint64_t>(0x8102030405060708u) == 0x0807060504030281u);
}

TEST_CASE("bytes: bytes and text are the same memory", "[core]") {
  const std::string_view text("a\0\xff", 3);
  const bytes b = as_bytes(text);
  REQUIRE(b.size() == 3);
  CHECK(b[2] == std::byte{0xff});
  CHECK(as_text(b).data() == text.data());
  CHECK(as_text(b) == text);
}

TEMPLATE_TEST_CASE("bytes: checked arithmetic at n and n + 1", "[core]", std::uint32_t,
                   std::uint64_t, std::int32_t, std::int64_t) {
  using limit = std::numeric_limits<TestType>;
  constexpr TestType top = limit::max(), bottom = limit::min();
  TestType out = 0;
  CHECK((checked_add<TestType>(top - 1, 1, out) && out == top));
  CHECK_FALSE(checked_add<TestType>(top, 1, out));
  CHECK((checked_add<TestType>(top, 0, out) && out == top));
  CHECK((checked_mul<TestType>(top / 3, 3, out) && out == top / 3 * 3));
  CHECK_FALSE(checked_mul<TestType>(top / 3 + 1, 3, out));
  CHECK((checked_mul<TestType>(top, 0, out) && out == 0));
  CHECK((checked_mul<TestType>(top, 1, out) && out == top));
  if constexpr (limit::is_signed) {
    CHECK((checked_add<TestType>(bottom + 1, -1, out) && out == bottom));
    CHECK_FALSE(checked_add<TestType>(bottom, -1, out));
    CHECK_FALSE(checked_mul<TestType>(bottom, -1, out));
    CHECK((checked_mul<TestType>(top, -1, out) && out == -top));
  }
}
