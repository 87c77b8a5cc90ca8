// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <tessera/core/json.hpp>
#include <tessera/core/json_read.hpp>
#include <vector>

#include "../support/allocations.hpp"
#include "../support/catch.hpp"
#include "../support/guard_page.hpp"

using namespace tessera;
using json::reader;

namespace {

struct row {
  void (*read)(reader&);
  std::string_view source;
  errc code;
  std::uint64_t offset;
};

error read(void (*how)(reader&), std::string_view source, const limits& limit = {}) {
  tessera_tests::guard_page memory(source.size());
  reader in(memory.place(source), limit);
  how(in);
  return in.finish();
}

void any(reader& in) { (void)in.skip(); }
void object(reader& in) {
  std::string_view key;
  for (in.object(); in.key(key);) (void)in.skip();
}
void array(reader& in) {
  for (in.array(); in.element();) (void)in.skip();
}
void pair(reader& in) {  // exactly two integers
  in.array();
  in.require_element();
  (void)in.int64();
  in.require_element();
  (void)in.int64();
  in.end_array();
}
void none(reader& in) {
  in.array();
  in.end_array();
}
void string(reader& in) { (void)in.string(); }
void int64(reader& in) { (void)in.int64(); }
void uint64(reader& in) { (void)in.uint64(); }
void int32(reader& in) { (void)in.int32(); }
void digit(reader& in) { (void)in.integer<std::int8_t>(-3, 9); }
void pattern(reader& in) {
  bool above = false;
  (void)in.int64_pattern(above);
}
void number(reader& in) { (void)in.number(); }
void boolean(reader& in) { (void)in.boolean(); }
void null(reader& in) { in.null(); }

/// An offset of 0 is the one that is also a null pointer.
template <class Reader>
constexpr bool fails_at_literal_zero = requires(Reader& in) {
  in.fail(errc::json_depth, 0);
};

using namespace std::string_view_literals;

// Every error of the reader: what is read, from what, the code and the first byte that is wrong.
// clang-format off
const row errors[] = {
    {any, "", errc::json_unexpected_end, 0},
    {any, " \n\t\r", errc::json_unexpected_end, 4},
    {any, "\xEF\xBB\xBF", errc::json_unexpected_end, 3},
    {any, "[", errc::json_unexpected_end, 1},
    {any, "[1", errc::json_unexpected_end, 2},
    {any, "[1,", errc::json_unexpected_end, 3},
    {any, "{", errc::json_unexpected_end, 1},
    {any, "{\"a\"", errc::json_unexpected_end, 4},
    {any, "{\"a\":", errc::json_unexpected_end, 5},
    {any, "{\"a\":1", errc::json_unexpected_end, 6},
    {any, "{\"a\":1,", errc::json_unexpected_end, 7},
    {any, "\"", errc::json_unexpected_end, 1},
    {any, "\"a", errc::json_unexpected_end, 2},
    {any, "\"\\", errc::json_unexpected_end, 2},
    {any, "\"\\u", errc::json_unexpected_end, 3},
    {any, "\"\\u00e", errc::json_unexpected_end, 6},
    {any, "\"\\ud800", errc::json_unexpected_end, 7},
    {any, "\"\\ud800\\", errc::json_unexpected_end, 8},
    {any, "\"\\ud800\\u", errc::json_unexpected_end, 9},
    {any, "\"\\ud800\\udc0", errc::json_unexpected_end, 12},
    {any, "-", errc::json_unexpected_end, 1},
    {any, "1.", errc::json_unexpected_end, 2},
    {any, "1e", errc::json_unexpected_end, 2},
    {any, "1E-", errc::json_unexpected_end, 3},
    {any, "tru", errc::json_unexpected_end, 3},
    {any, " f", errc::json_unexpected_end, 2},
    {any, "nul", errc::json_unexpected_end, 3},
    {boolean, "", errc::json_unexpected_end, 0},
    {boolean, "fals", errc::json_unexpected_end, 4},
    {null, "n", errc::json_unexpected_end, 1},
    {string, "", errc::json_unexpected_end, 0},
    {number, " ", errc::json_unexpected_end, 1},
    {int64, "", errc::json_unexpected_end, 0},
    {object, "", errc::json_unexpected_end, 0},
    {pair, "[1", errc::json_unexpected_end, 2},

    {any, "]", errc::json_expected_value, 0},
    {any, "[,1]", errc::json_expected_value, 1},
    {any, "[1,]", errc::json_expected_value, 3},
    {any, "[1,,2]", errc::json_expected_value, 3},
    {any, "[}", errc::json_expected_value, 1},
    {any, "{\"a\":}", errc::json_expected_value, 5},
    {any, "+1", errc::json_expected_value, 0},
    {any, ".5", errc::json_expected_value, 0},
    {any, "'a'", errc::json_expected_value, 0},
    {any, "/**/1", errc::json_expected_value, 0},
    {any, "\f1", errc::json_expected_value, 0},
    {any, "\0"sv, errc::json_expected_value, 0},
    {any, "\xEF\xBB", errc::json_expected_value, 0},
    {any, "\xEF\xBB\xBF\xEF\xBB\xBF" "1", errc::json_expected_value, 3},
    {any, " \xEF\xBB\xBF" "1", errc::json_expected_value, 1},
    {any, "\xC2\xA0" "1", errc::json_expected_value, 0},

    {object, "[]", errc::json_expected_object, 0},
    {object, " 1", errc::json_expected_object, 1},
    {array, "{}", errc::json_expected_array, 0},
    {array, "\"[]\"", errc::json_expected_array, 0},
    {string, "1", errc::json_expected_string, 0},
    {string, " 'a'", errc::json_expected_string, 1},

    {int64, "1.0", errc::json_expected_integer, 0},
    {int64, " 1e2", errc::json_expected_integer, 1},
    {int64, "-0.5", errc::json_expected_integer, 0},
    {uint64, "1E0", errc::json_expected_integer, 0},
    {int32, "5.0", errc::json_expected_integer, 0},
    {digit, "5.0", errc::json_expected_integer, 0},
    {pattern, "5.0", errc::json_expected_integer, 0},

    {number, "\"1\"", errc::json_expected_number, 0},
    {number, "+1", errc::json_expected_number, 0},
    {number, ".5", errc::json_expected_number, 0},
    {number, "NaN", errc::json_expected_number, 0},
    {int64, " true", errc::json_expected_integer, 1},
    {uint64, "[]", errc::json_expected_integer, 0},

    {boolean, "1", errc::json_expected_boolean, 0},
    {boolean, "null", errc::json_expected_boolean, 0},
    {boolean, " True", errc::json_expected_boolean, 1},
    {boolean, "falze", errc::json_expected_boolean, 0},
    {null, "0", errc::json_expected_null, 0},
    {null, "nil", errc::json_expected_null, 0},
    {null, "false", errc::json_expected_null, 0},

    {any, "{1:2}", errc::json_expected_key, 1},
    {any, "{a:2}", errc::json_expected_key, 1},
    {any, "{,}", errc::json_expected_key, 1},
    {any, "{\"a\":1,}", errc::json_expected_key, 7},
    {any, "{]", errc::json_expected_key, 1},
    {object, "{null:1}", errc::json_expected_key, 1},
    {any, "{\"a\" 1}", errc::json_expected_colon, 5},
    {any, "{\"a\",1}", errc::json_expected_colon, 4},
    {any, "{\"a\"}", errc::json_expected_colon, 4},
    {any, "[1 2]", errc::json_expected_comma_or_bracket, 3},
    {any, "[1}", errc::json_expected_comma_or_bracket, 2},
    {any, "[1:2]", errc::json_expected_comma_or_bracket, 2},
    {any, "[truex]", errc::json_expected_comma_or_bracket, 5},
    {any, "[0x1]", errc::json_expected_comma_or_bracket, 2},
    {any, "{\"a\":1 \"b\":2}", errc::json_expected_comma_or_brace, 7},
    {any, "{\"a\":1]", errc::json_expected_comma_or_brace, 6},
    {any, "{\"a\":1:2}", errc::json_expected_comma_or_brace, 6},

    {any, "truth", errc::json_bad_literal, 0},
    {any, "[1,fals]", errc::json_bad_literal, 3},
    {any, "nulL", errc::json_bad_literal, 0},
    {any, "NaN", errc::json_bad_literal, 0},
    {any, "Infinity", errc::json_bad_literal, 0},
    {any, "[True]", errc::json_bad_literal, 1},
    {any, "undefined", errc::json_bad_literal, 0},

    {any, "00", errc::json_leading_zero, 0},
    {any, "[-01]", errc::json_leading_zero, 2},
    {number, "01.5", errc::json_leading_zero, 0},
    {int64, " 007", errc::json_leading_zero, 1},
    {any, "-x", errc::json_expected_digit, 1},
    {any, "-Infinity", errc::json_expected_digit, 1},
    {any, "--1", errc::json_expected_digit, 1},
    {any, "[1.]", errc::json_expected_digit, 3},
    {any, "1.e5", errc::json_expected_digit, 2},
    {any, "[1e]", errc::json_expected_digit, 3},
    {any, "1e+-2", errc::json_expected_digit, 3},
    {any, "1e5.", errc::json_trailing_bytes, 3},

    {number, "1e309", errc::json_number_range, 0},
    {number, " -1.7976931348623159e308", errc::json_number_range, 1},
    {any, "[1e99999999999999999999]", errc::json_number_range, 1},

    {int64, "9223372036854775808", errc::json_integer_range, 0},
    {int64, " -9223372036854775809", errc::json_integer_range, 1},
    {int64, "18446744073709551616", errc::json_integer_range, 0},
    {int64, "100000000000000000000000", errc::json_integer_range, 0},
    {uint64, "18446744073709551616", errc::json_integer_range, 0},
    {uint64, "-1", errc::json_integer_range, 0},
    {uint64, " -9223372036854775808", errc::json_integer_range, 1},
    {uint64, "99999999999999999999", errc::json_integer_range, 0},
    {uint64, "184467440737095516150", errc::json_integer_range, 0},
    {pattern, "18446744073709551616", errc::json_integer_range, 0},
    {pattern, "-9223372036854775809", errc::json_integer_range, 0},
    {int32, "2147483648", errc::json_integer_range, 0},
    {int32, "-2147483649", errc::json_integer_range, 0},
    {digit, " 10", errc::json_integer_range, 1},
    {digit, " -4", errc::json_integer_range, 1},

    {any, "\"\\x41\"", errc::json_bad_escape, 1},
    {any, "\"a\\'\"", errc::json_bad_escape, 2},
    {any, "\"\\\n\"", errc::json_bad_escape, 1},
    {any, "\"\\U0041\"", errc::json_bad_escape, 1},
    {any, "\"\\u12g4\"", errc::json_bad_escape, 1},
    {any, "\"\\u+123\"", errc::json_bad_escape, 1},
    {any, "\"\\u12\"", errc::json_bad_escape, 1},
    {any, "\"\\ud800\\u12x4\"", errc::json_bad_escape, 7},
    {any, "{\"\\a\":1}", errc::json_bad_escape, 2},

    {any, "\"\\ud800\"", errc::json_lone_surrogate, 1},
    {any, "\"a\\udbff.\"", errc::json_lone_surrogate, 2},
    {any, "\"\\udc00\"", errc::json_lone_surrogate, 1},
    {any, "\"\\uDFFF\\uD800\"", errc::json_lone_surrogate, 1},
    {any, "\"\\ud800\\n\"", errc::json_lone_surrogate, 1},
    {any, "\"\\ud800\\u0041\"", errc::json_lone_surrogate, 1},
    {any, "\"\\ud800\\ud800\"", errc::json_lone_surrogate, 1},
    {any, "\"\\ud800\\ue000\"", errc::json_lone_surrogate, 1},

    {any, "\"\x80\"", errc::json_bad_utf8, 1},              // a continuation byte alone
    {any, "\"a\xbf\"", errc::json_bad_utf8, 2},
    {any, "\"\xc0\x80\"", errc::json_bad_utf8, 1},          // overlong forms
    {any, "\"\xc1\xbf\"", errc::json_bad_utf8, 1},
    {any, "\"\xe0\x80\x80\"", errc::json_bad_utf8, 1},
    {any, "\"\xe0\x9f\xbf\"", errc::json_bad_utf8, 1},
    {any, "\"\xf0\x80\x80\x80\"", errc::json_bad_utf8, 1},
    {any, "\"\xf0\x8f\xbf\xbf\"", errc::json_bad_utf8, 1},
    {any, "\"\xed\xa0\x80\"", errc::json_bad_utf8, 1},      // surrogates
    {any, "\"\xed\xbf\xbf\"", errc::json_bad_utf8, 1},
    {any, "\"\xf4\x90\x80\x80\"", errc::json_bad_utf8, 1},  // above U+10FFFF
    {any, "\"\xf5\x80\x80\x80\"", errc::json_bad_utf8, 1},
    {any, "\"\xf8\x88\x80\x80\x80\"", errc::json_bad_utf8, 1},
    {any, "\"\xff\"", errc::json_bad_utf8, 1},
    {any, "\"\xfe\"", errc::json_bad_utf8, 1},
    {any, "\"\xc3\"", errc::json_bad_utf8, 1},              // cut short by the quote
    {any, "\"\xc3x\"", errc::json_bad_utf8, 1},
    {any, "\"\xe2\x82\"", errc::json_bad_utf8, 1},
    {any, "\"\xe2\x28\xa1\"", errc::json_bad_utf8, 1},
    {any, "\"\xf0\x9f\x98\"", errc::json_bad_utf8, 1},
    {any, "\"\xf0\x9f\x98x\"", errc::json_bad_utf8, 1},
    {any, "\"\xc3\xa9\xc3\"", errc::json_bad_utf8, 3},
    {any, "\"\\n\xff\"", errc::json_bad_utf8, 3},
    {any, "{\"\xff\":1}", errc::json_bad_utf8, 2},

    {any, "\"\n\"", errc::json_control_character, 1},
    {any, "\"a\tb\"", errc::json_control_character, 2},
    {any, "\"\0\""sv, errc::json_control_character, 1},
    {any, "\"\x1f\"", errc::json_control_character, 1},
    {any, "{\"a\rb\":1}", errc::json_control_character, 3},

    {any, "{\"a\":1,\"a\":2}", errc::json_duplicate_key, 7},
    {any, "{\"\":1,\"\":2}", errc::json_duplicate_key, 6},
    {any, "{\"a\":1,\"\\u0061\":2}", errc::json_duplicate_key, 7},
    {any, "{\"\\u0061\":1,\"b\":0, \"a\":2}", errc::json_duplicate_key, 19},
    {any, "{\"\\/\":1,\"/\":2}", errc::json_duplicate_key, 8},
    {any, "{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}", errc::json_duplicate_key, 18},
    {any, "{\"\\\"\":1,\"\\u0022\":2}", errc::json_duplicate_key, 8},
    {any, "[{\"x\":{\"b\":1,\"c\":2,\"b\":3}}]", errc::json_duplicate_key, 19},
    {any, "{\"a\":1,\"b\":1,\"b\":1,\"a\":1}", errc::json_duplicate_key, 13},
    {any, "{\"a\":1,\"a\":2,\"a\":3}", errc::json_duplicate_key, 7},
    {any, "{\"a\":{\"b\":1},\"b\":2,\"a\":3}", errc::json_duplicate_key, 19},
    {object, "{\"a\":1,\"a\":2}", errc::json_duplicate_key, 7},
    {any, "{\"a\":1,\"a\":2,", errc::json_unexpected_end, 13},  // reported when the object closes

    {any, "1 2", errc::json_trailing_bytes, 2},
    {any, "[]]", errc::json_trailing_bytes, 2},
    {any, "{},", errc::json_trailing_bytes, 2},
    {any, "nullnull", errc::json_trailing_bytes, 4},
    {any, "1\0"sv, errc::json_trailing_bytes, 1},
    {any, "\"\"\"", errc::json_trailing_bytes, 2},
    {any, "1/**/", errc::json_trailing_bytes, 1},

    {pair, "[1,2,3]", errc::json_unexpected_element, 4},
    {pair, "[1,2 , 3]", errc::json_unexpected_element, 5},
    {none, "[1]", errc::json_unexpected_element, 1},
    {none, "[ [] ]", errc::json_unexpected_element, 2},
    {pair, "[]", errc::json_missing_element, 1},
    {pair, "[1]", errc::json_missing_element, 2},
    {pair, "[1 ]", errc::json_missing_element, 3},
    {pair, "[1;2]", errc::json_expected_comma_or_bracket, 2},
    {pair, "[1,2;]", errc::json_expected_comma_or_bracket, 4},
};
// clang-format on

}  // namespace

TEST_CASE("json/read: each error has its code and the offset of the first wrong byte", "[core]") {
  for (const row& r : errors) {
    CAPTURE(r.source);
    CHECK(read(r.read, r.source) == error{r.code, r.offset});
  }
}

TEST_CASE("json/read: the table above holds every error of JSON", "[core]") {
  std::set<errc> seen{errc::json_depth};  // in a case of its own
  for (const row& r : errors) seen.insert(r.code);
  for_each_errc([&](const errc_row& r) {
    CAPTURE(r.name);
    if (r.name.starts_with("json_")) CHECK(seen.count(r.code) == 1);
  });
}

TEST_CASE("json/read: all forms of the standard are accepted", "[core]") {
  for (const std::string_view source : {"{}",
                                        "[]",
                                        "\"\"",
                                        "0",
                                        "-0",
                                        "true",
                                        "false",
                                        "null",
                                        " \t\r\n[ \t\r\n] \t\r\n",
                                        "{ \"a\" : { } , \"b\" : [ ] }",
                                        "[1,-1,0.5,1e5,1E5,1e+5,1e-5,0e0,0.0,-0.0e-0,1.5E+300]",
                                        "[[[[[]]]],{\"\":{\"\":[]}}]",
                                        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\uFFFF\\uabcd\"",
                                        "\"\\ud800\\udc00\\udbff\\udfff\"",
                                        "\"\x7f\xc2\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf\"",
                                        "\xEF\xBB\xBF[1]",
                                        "\xEF\xBB\xBF \n{}",
                                        "{\"a\":1,\"A\":2,\"aa\":3,\"\":4}",
                                        "{\"a\":{\"a\":{\"a\":1}}}",
                                        "[{\"a\":1},{\"a\":1}]",
                                        "1e-400",
                                        "123456789012345678901234567890"}) {
    CAPTURE(source);
    CHECK(read(any, source) == error{});
  }
}

TEST_CASE("json/read: a schema reads like the document", "[core]") {
  constexpr std::string_view source =
      R"( { "values" : [1, -2,3 ], "skipped": {"x":[{}]}, "name":"\u00e9t\u00e9",)"
      R"( "on" : true, "off":false, "none": null, "x": 2.5 } )";
  tessera_tests::guard_page memory(source.size());
  reader in(memory.place(source));
  std::vector<std::int64_t> values;
  std::string name;
  bool on = false, off = true;
  json::number x;
  std::string_view key;
  for (in.object(); in.key(key);) {
    if (key == "values") {
      for (in.array(); in.element();) values.push_back(in.int64());
    } else if (key == "name") {
      name = in.string();
    } else if (key == "on") {
      on = in.boolean();
    } else if (key == "off") {
      off = in.boolean();
    } else if (key == "none") {
      in.null();
    } else if (key == "x") {
      x = in.number();
    } else {
      CHECK(key == "skipped");
      CHECK(in.skip() == R"({"x":[{}]})");
    }
  }
  CHECK(in.finish() == error{});
  CHECK(values == std::vector<std::int64_t>{1, -2, 3});
  CHECK(name == "\xc3\xa9t\xc3\xa9");
  CHECK((on && !off));
  CHECK((x.value == 2.5 && !x.integral));
}

TEST_CASE("json/read: integers are exact up to the ends of their range", "[core]") {
  const auto at = [](std::string_view source, auto how) {
    tessera_tests::guard_page memory(source.size());
    reader in(memory.place(source));
    const auto v = how(in);
    CAPTURE(source);
    CHECK(in.finish() == error{});
    return v;
  };
  const auto int64 = [](reader& in) { return in.int64(); };
  const auto uint64 = [](reader& in) { return in.uint64(); };
  const auto int32 = [](reader& in) { return in.int32(); };
  CHECK(at("9223372036854775807", int64) == INT64_MAX);
  CHECK(at("-9223372036854775808", int64) == INT64_MIN);
  CHECK(at("9007199254740993", int64) == 9007199254740993);
  CHECK(at("-0", int64) == 0);
  CHECK(at("18446744073709551615", uint64) == UINT64_MAX);
  CHECK(at("9223372036854775808", uint64) == std::uint64_t{1} << 63);
  CHECK(at("-0", uint64) == 0);
  CHECK(at("2147483647", int32) == INT32_MAX);
  CHECK(at("-2147483648", int32) == INT32_MIN);
  CHECK(at("9", [](reader& in) { return in.integer<std::int8_t>(-3, 9); }) == 9);
  CHECK(at("-3", [](reader& in) { return in.integer<std::int8_t>(-3, 9); }) == -3);
  struct pattern {
    std::int64_t value;
    bool above;
    bool operator==(const pattern&) const = default;
  };
  const auto pattern_of = [](reader& in) {
    pattern p{};
    p.value = in.int64_pattern(p.above);
    return p;
  };
  CHECK(at("9223372036854775807", pattern_of) == pattern{INT64_MAX, false});
  CHECK(at("9223372036854775808", pattern_of) == pattern{INT64_MIN, true});
  CHECK(at("18446744073709551615", pattern_of) == pattern{-1, true});
  CHECK(at("18446744060824649736", pattern_of) == pattern{-12884901880, true});
  CHECK(at("-9223372036854775808", pattern_of) == pattern{INT64_MIN, false});
  CHECK(at("-1", pattern_of) == pattern{-1, false});
}

TEST_CASE("json/read: numbers carry their sign and kind of token", "[core]") {
  const auto number = [](std::string_view source) {
    reader in(source);
    const json::number n = in.number();
    CAPTURE(source);
    CHECK(in.finish() == error{});
    return n;
  };
  CHECK(std::signbit(number("-0").value));
  CHECK(number("-0").integral);
  CHECK_FALSE(std::signbit(number("0").value));
  CHECK(number("-2.5e-1").value == -0.25);
  CHECK_FALSE(number("1e2").integral);
  CHECK_FALSE(number("1.0").integral);
  CHECK(number("9007199254740993").value == 9007199254740992.0);
  // 19 digits fit 64 bits, 20 don't.
  CHECK(number("9999999999999999999").value == 1e19);
  CHECK(number("99999999999999999999").value == 1e20);
  CHECK(number("18446744073709551617").value == 18446744073709551616.0);
  CHECK(number("1.8446744073709551617").value == 1.8446744073709551617);
  CHECK(number("1.7976931348623157e308").value == DBL_MAX);
  CHECK(number("1.7976931348623158079e308").value == DBL_MAX);
  CHECK(number("5e-324").value == std::numeric_limits<double>::denorm_min());
  CHECK(number("0." + std::string(10000, '0') + "1e10001").value == 1.0);
  CHECK(number("1e-99999999999999999999999").value == 0.0);
  CHECK(number("0e99999999999999999999999").value == 0.0);
}

TEST_CASE("json/read: strings are unescaped, and borrowed when they need not be", "[core]") {
  const auto string = [](std::string_view source) {
    tessera_tests::guard_page memory(source.size());
    reader in(memory.place(source));
    std::string s(in.string());
    CAPTURE(source);
    CHECK(in.finish() == error{});
    return s;
  };
  CHECK(string(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(string(R"("a\u0041b\u00e9c\u20ACd\ud83D\uDe00e")") ==
        "aAb\xc3\xa9"
        "c\xe2\x82\xac"
        "d\xf0\x9f\x98\x80"
        "e");
  CHECK(string(R"("\u0000\u001f\u007f\uffff")") == "\0\x1f\x7f\xef\xbf\xbf"sv);
  CHECK(string(R"("\ud800\udc00\udbff\udfff")") == "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
  CHECK(string(R"("\\u0041")") == "\\u0041");
  CHECK(string("\"" + std::string(1000, 'x') + "\\n" + std::string(1000, 'y') + "\"") ==
        std::string(1000, 'x') + "\n" + std::string(1000, 'y'));

  constexpr std::string_view plain = R"(["caf)"
                                     "\xc3\xa9"
                                     R"("])";
  const tessera_tests::allocations used;
  reader in(plain);
  in.array();
  const bool first = in.element();
  const std::string_view s = in.string();
  const auto count = used.count();
  CHECK(first);
  CHECK(s.data() == plain.data() + 2);
  CHECK(count == 0);
}

TEST_CASE("json/read: depth at the limit and one more", "[core]") {
  const auto nested = [](std::string_view open, std::string_view close, std::size_t depth) {
    std::string s;
    for (std::size_t i = 0; i < depth; ++i) s += open;
    if (open.back() == ':') s += '0';
    for (std::size_t i = 0; i < depth; ++i) s += close;
    return s;
  };
  CHECK(read(any, nested("[", "]", 64)) == error{});
  CHECK(read(any, nested("[", "]", 65)) == error{errc::json_depth, 64});
  CHECK(read(any, nested("{\"\":", "}", 64)) == error{});
  CHECK(read(any, nested("{\"\":", "}", 65)) == error{errc::json_depth, 4 * 64});
  CHECK(read(any, nested("[", "]", 1), {.max_depth = 0}) == error{errc::json_depth, 0});
  CHECK(read(any, "1", {.max_depth = 0}) == error{});
  CHECK(read(array, nested("[", "]", 3), {.max_depth = 3}) == error{});
  CHECK(read(array, nested("[", "]", 3), {.max_depth = 2}) == error{errc::json_depth, 2});
  CHECK(read(object, "{\"a\":{}}", {.max_depth = 1}) == error{errc::json_depth, 5});
  // Depth counts what is open, not what was.
  CHECK(read(any, "[[],[],[{}],{\"a\":[]}]", {.max_depth = 3}) == error{});
}

TEST_CASE("json/read: a million levels need no stack", "[core]") {
  constexpr std::size_t depth = 1000000;
  const limits deep{.max_depth = depth};
  const std::string arrays(depth, '[');
  CHECK(read(any, arrays + std::string(depth, ']'), deep) == error{});
  CHECK(read(any, arrays, deep) == error{errc::json_unexpected_end, depth});
  CHECK(read(any, arrays, {}) == error{errc::json_depth, 64});
  CHECK(read(any, arrays + "[", deep) == error{errc::json_depth, depth});
  std::string objects;
  for (std::size_t i = 0; i < depth; ++i) objects += "{\"\":";
  CHECK(read(any, objects + "0" + std::string(depth, '}'), deep) == error{});
}

TEST_CASE("json/read: the length at the limit and one more", "[core]") {
  CHECK(read(any, "[1,2]", {.max_bytes = 5}) == error{});
  CHECK(read(any, "[1,2]", {.max_bytes = 4}) == error{errc::input_too_large, 4});
  CHECK(read(any, "1    ", {.max_bytes = 1}) == error{errc::input_too_large, 1});
  CHECK(read(any, "", {.max_bytes = 0}) == error{errc::json_unexpected_end, 0});
  CHECK(read(any,
             "\xEF\xBB\xBF"
             "1",
             {.max_bytes = 4}) == error{});
}

TEST_CASE("json/read: nothing is read of a text that is too long", "[core]") {
  for (const std::string_view source : {"\xEF\xBB\xBF     ",
                                        "\xEF\xBB\xBF"
                                        "12345",
                                        "\xEF\xBB\xBF\"abcd", "\xEF\xBB\xBF[[[[[", "[[[[[["})
    for (std::uint64_t max = 0; max < source.size(); ++max) {
      CAPTURE(source, max);
      for (auto* const how : {any, array, object, string, number, boolean, null})
        CHECK(read(how, source, {.max_bytes = max}) == error{errc::input_too_large, max});
    }
}

TEST_CASE("json/read: the first error sticks, and everything after it is empty", "[core]") {
  reader in("[1,x,{\"a\":2}]");
  in.array();
  REQUIRE(in.element());
  CHECK(in.int64() == 1);
  REQUIRE(in.element());
  CHECK(in.int64() == 0);
  REQUIRE(in.failed());
  const error first{errc::json_expected_integer, 3};
  CHECK(in.error() == first);
  CHECK(in.offset() == 3);
  std::string_view key;
  CHECK_FALSE(in.element());
  CHECK_FALSE(in.key(key));
  in.array();
  in.object();
  in.require_element();
  in.end_array();
  in.null();
  CHECK(in.peek() == json::kind::none);
  CHECK(in.string().empty());
  CHECK(in.skip().empty());
  CHECK(in.number().value == 0);
  CHECK(in.int64() == 0);
  CHECK(in.uint64() == 0);
  CHECK(in.int32() == 0);
  CHECK(in.integer<std::int8_t>(5, 9) == 0);
  bool above = true;
  CHECK(in.int64_pattern(above) == 0);
  CHECK_FALSE(above);
  CHECK_FALSE(in.boolean());
  in.fail(errc::alir_meta, std::uint64_t{0});
  CHECK(in.error() == first);
  CHECK(in.finish() == first);
}

TEST_CASE("json/read: a schema's own error ends the reading too", "[core]") {
  reader in("[1,2]");
  in.array();
  REQUIRE(in.element());
  const std::uint64_t at = in.offset();
  CHECK(in.int64() == 1);
  in.fail(errc::alir_opcode, at);
  CHECK_FALSE(in.element());
  CHECK(in.finish() == error{errc::alir_opcode, 1});

  CHECK(fails_at_literal_zero<reader>);
}

TEST_CASE("json/read: peek, offset and skip", "[core]") {
  const auto kind_of = [](std::string_view source) {
    reader in(source);
    return in.peek();
  };
  CHECK(kind_of(" {") == json::kind::object);
  CHECK(kind_of("[") == json::kind::array);
  CHECK(kind_of("\"") == json::kind::string);
  CHECK(kind_of("-") == json::kind::number);
  CHECK(kind_of("0") == json::kind::number);
  CHECK(kind_of("9") == json::kind::number);
  CHECK(kind_of("t") == json::kind::boolean);
  CHECK(kind_of("f") == json::kind::boolean);
  CHECK(kind_of("n") == json::kind::null);
  for (const std::string_view s : {"", " ", "]", "}", ",", ":", "+", "x", "\x80", "/"})
    CHECK(kind_of(s) == json::kind::none);

  reader in(" [ {\"a\" : [1]} , \"\\n\" ,12.50e1, true ] ");
  CHECK(in.offset() == 1);
  in.array();
  CHECK(in.offset() == 3);
  std::vector<std::string> values;
  while (in.element()) values.emplace_back(in.skip());
  CHECK(in.finish() == error{});
  CHECK(values == std::vector<std::string>{"{\"a\" : [1]}", "\"\\n\"", "12.50e1", "true"});
}

TEST_CASE("json/read: memory is in proportion to the keys that are open", "[core]") {
  // 24 bytes a key, and what a growing vector holds beyond that while it moves: 3/2 of the new
  // block, which is less than twice what is needed.
  constexpr std::uint64_t per_key = 24 * 3;
  const auto peak = [](const std::string& s, std::uint32_t depth = 64) {
    const tessera_tests::allocations used;
    reader in(s, {.max_depth = depth});
    in.skip();
    const error e = in.finish();
    const std::uint64_t bytes = used.peak();
    CHECK((e == error{} || e.code == errc::json_duplicate_key));
    return bytes;
  };
  constexpr std::uint64_t count = 100000;
  std::string keys = "{", objects = "[", nested;
  for (std::uint64_t i = 0; i < count; ++i) {
    keys += "\"\":0,";
    objects += "{\"a\":0,\"b\":0},";
    nested += "{\"\":";
  }
  keys.back() = '}';
  objects.back() = ']';
  nested += "0" + std::string(count, '}');
  CHECK(peak(keys) <= per_key * count + 1024);
  CHECK(peak(keys) <= 15 * keys.size());  // the worst that a byte of text can cost
  CHECK(peak(objects) <= 1024);
  CHECK(peak(nested, count) <= (per_key + 8 * 3 + 1) * count + 1024);
  CHECK(peak("[" + std::string(count, ' ') + "]") <= 64);
  CHECK(peak("[\"" + std::string(count, 'x') + "\"]") <= 64);
  CHECK(peak("[\"\\n" + std::string(count, 'x') + "\"]") <= 3 * count + 256);
}

TEST_CASE("json/read: numbers keep their token, and floats their range", "[core]") {
  tessera::json::reader in("[ 1.50e0 ,-7, 3.4028235677973366e38, 3.4028236e38]");
  in.array();
  in.require_element();
  const tessera::json::number n = in.number();
  CHECK(n.token == "1.50e0");
  CHECK(n.value == 1.5);
  CHECK_FALSE(n.integral);
  in.require_element();
  CHECK(in.number().token == "-7");
  in.require_element();
  CHECK(in.float32() == 0.0f);  // above the largest float, though nearer to it than to infinity
  CHECK(in.error() == tessera::error{tessera::errc::json_number_range, 14});

  tessera::json::reader fits("[0.1, -3.4028234663852886e38]");
  fits.array();
  fits.require_element();
  CHECK(fits.float32() == 0.1f);
  fits.require_element();
  CHECK(fits.float32() == -3.4028234663852886e38f);
  fits.end_array();
  CHECK(fits.finish() == tessera::error{});
}
