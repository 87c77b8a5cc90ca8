// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <tessera/core/text.hpp>
#include <utility>

#include "../support/allocations.hpp"
#include "../support/catch.hpp"
#include "../support/guard_page.hpp"

using namespace tessera;

namespace {

template <class Int>
std::string written(Int v) {
  text t;
  t << v;
  return std::string(t.view());
}

}  // namespace

TEST_CASE("text: appends characters, strings and integers", "[core]") {
  text t;
  CHECK(t.empty());
  CHECK(t == "");
  t << "line " << 7 << ':' << std::string_view("\0x", 2);
  CHECK(t == std::string_view("line 7:\0x", 9));
  CHECK(t.size() == 9);
  t.truncate(4);
  CHECK(t == "line");
  t.truncate(400);
  CHECK(t == "line");
  t.clear();
  CHECK(t.empty());
}

TEST_CASE("text: goes to a stream as it is", "[core]") {
  text t;
  t << "a" << 1 << std::string_view("\0b", 2);
  std::ostringstream out;
  out << t << '!';
  CHECK(out.str() == std::string("a1\0b!", 5));
}

TEST_CASE("text: integers of every type, at their ends", "[core]") {
  CHECK(written(0) == "0");
  CHECK(written(std::int8_t{-128}) == "-128");
  CHECK(written(std::uint8_t{255}) == "255");
  CHECK(written(std::numeric_limits<std::int16_t>::min()) == "-32768");
  CHECK(written(std::numeric_limits<std::int32_t>::min()) == "-2147483648");
  CHECK(written(std::numeric_limits<std::uint32_t>::max()) == "4294967295");
  CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(written(std::numeric_limits<std::int64_t>::max()) == "9223372036854775807");
  CHECK(written(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  for (std::uint64_t power = 1; power < 1000000000000000000u; power *= 10) {
    CHECK(written(power) == std::to_string(power));
    CHECK(written(power - 1) == std::to_string(power - 1));
  }
}

TEST_CASE("text: copies are independent, moves leave nothing behind", "[core]") {
  text a("first");
  text b = a;
  b << '!';
  CHECK(a == "first");
  CHECK(b == "first!");
  text c = std::move(b);
  CHECK(c == "first!");
  CHECK(b.empty());
  b << "again";
  CHECK(b == "again");
  c = a;
  CHECK(c == "first");
  text& same = c;
  c = same;
  CHECK(c == "first");
  c = std::move(a);
  CHECK(c == "first");
}

TEST_CASE("text: appends a part of itself", "[core]") {
  text t("0123456789");
  std::string expected = "0123456789";
  for (int i = 0; i < 8; ++i) {
    t << t.view();
    expected += expected;
  }
  CHECK(t == expected);
}

TEST_CASE("text: prepare gives room and keeps what is there", "[core]") {
  text t("ab");
  char* const to = t.prepare(100);
  for (int i = 0; i < 100; ++i) to[i] = 'x';
  t.advance(3);
  CHECK(t == "abxxx");
}

TEST_CASE("text: holds at most twice its characters, in few allocations", "[core]") {
  const tessera_tests::allocations used;
  {
    text t;
    for (int i = 0; i < 100000; ++i) t << 'x';
    const auto live = used.live();
    CHECK(live <= 200000);
    CHECK(live >= 100000);
  }
  CHECK(used.count() <= 13);
  CHECK(used.live() == 0);
}

TEST_CASE("text: UTF-8 of every code point decodes to its own length", "[core]") {
  std::uint32_t wrong = 0;
  for (std::uint32_t c = 0; c <= 0x10ffff; ++c) {
    char buffer[4] = {};
    const unsigned length = utf8_encode(c, buffer);
    const unsigned expected = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    const bool surrogate = c >= 0xd800 && c <= 0xdfff;
    const unsigned decoded = utf8_length(buffer, buffer + length);
    if (length != expected || decoded != (surrogate ? 0u : expected)) ++wrong;
    for (unsigned cut = 1; cut < length; ++cut)
      if (utf8_length(buffer, buffer + cut) != 0) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("text: UTF-8 code points have the bytes of the standard", "[core]") {
  const auto encoded = [](std::uint32_t c) {
    char buffer[4] = {};
    return std::string(buffer, utf8_encode(c, buffer));
  };
  CHECK(encoded(0x24) == "\x24");
  CHECK(encoded(0xa3) == "\xc2\xa3");
  CHECK(encoded(0x20ac) == "\xe2\x82\xac");
  CHECK(encoded(0x10348) == "\xf0\x90\x8d\x88");
  CHECK(encoded(0x10ffff) == "\xf4\x8f\xbf\xbf");
}

// An independent count: the table of well-formed sequences in the Unicode standard, multiplied out.
TEST_CASE("text: of all byte sequences exactly the well-formed ones are accepted", "[core]") {
  tessera_tests::guard_page memory(4);
  std::uint32_t two = 0, three = 0, four = 0, wrong = 0;
  for (unsigned lead = 0; lead < 256; ++lead) {
    char s[4] = {static_cast<char>(lead)};
    const std::string_view alone = memory.place(std::string_view(s, 1));
    if (utf8_length(alone.data(), alone.data() + 1) != (lead < 0x80 ? 1u : 0u)) ++wrong;
    for (unsigned second = 0; second < 256; ++second) {
      s[1] = static_cast<char>(second);
      if (lead >= 0x80 && utf8_length(s, s + 2) == 2) ++two;
      for (const int third : {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff}) {
        s[2] = static_cast<char>(third);
        if (lead >= 0x80 && utf8_length(s, s + 3) == 3) ++three;
        for (const int fourth : {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff}) {
          s[3] = static_cast<char>(fourth);
          if (lead >= 0x80 && utf8_length(s, s + 4) == 4) ++four;
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(two == 30 * 64);
  CHECK(three == (32 + 12 * 64 + 32 + 2 * 64) * 2);
  CHECK(four == (48 + 3 * 64 + 16) * 2 * 2);
}

TEST_CASE("text: lines and columns count from 1, columns in bytes", "[core]") {
  constexpr std::string_view source = "ab\n\xc3\xa9x\n\nend";
  const auto at = [&](std::uint64_t offset, std::uint64_t line, std::uint64_t column) {
    INFO(offset);
    CHECK(locate(source, offset) == line_column{line, column});
  };
  at(0, 1, 1);
  at(2, 1, 3);
  at(3, 2, 1);
  at(5, 2, 3);
  at(7, 3, 1);
  at(8, 4, 1);
  at(11, 4, 4);
  at(12, 4, 4);
  at(UINT64_MAX, 4, 4);
  static_assert(locate("", 5) == line_column{1, 1});
  static_assert(locate("\r\n", 2) == line_column{2, 1});
}

TEST_CASE("text: what no terminal is to get as it is", "[core]") {
  const auto is_unsafe = [](std::uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
  };
  for (std::uint32_t c = 0; c < 0x11000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    char bytes[4];
    const unsigned length = utf8_encode(c, bytes);
    INFO("U+" << std::hex << c);
    REQUIRE(unsafe_length(bytes, bytes + length) == (is_unsafe(c) ? length : 0));
    text shown;
    append_shown(shown, {bytes, length});
    REQUIRE((shown == std::string_view(bytes, length)) == !is_unsafe(c));
  }
  for (unsigned byte = 0x80; byte < 0x100; ++byte) {  // none of them is UTF-8 by itself
    const char c = static_cast<char>(byte);
    REQUIRE(unsafe_length(&c, &c + 1) == 1);
  }
}

TEST_CASE("text: how it is shown", "[core]") {
  const auto shown = [](std::string_view s, std::string_view kept = {}) {
    text out("> ");
    append_shown(out, s, kept);
    return std::string(out.view());
  };
  CHECK(shown("") == "> ");
  CHECK(shown("a \\ \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "> a \\ \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  CHECK(shown("\x1b[31m\x7f\r\n\t\b") == "> \\x1b[31m\\x7f\\r\\n\\t\\x08");
  CHECK(shown(std::string_view("\0", 1)) == "> \\x00");
  CHECK(shown("\xc2\x85 \xd8\x9c \xe2\x80\xae \xef\xbb\xbf") ==
        "> \\u{85} \\u{61c} \\u{202e} \\u{feff}");
  CHECK(shown("\x9b\xff\xe2\x80") == "> \\x9b\\xff\\xe2\\x80");
  CHECK(shown("a\n\tb\r\x1b\xe2\x80\xa8", "\n\t") == "> a\n\tb\\r\\x1b\\u{2028}");
}

TEST_CASE("is_utf8: all of a text", "[core]") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  CHECK_FALSE(is_utf8("a\xc3"));
  CHECK_FALSE(is_utf8("\x80z"));
  CHECK_FALSE(is_utf8("z\xed\xa0\x80"));
}
