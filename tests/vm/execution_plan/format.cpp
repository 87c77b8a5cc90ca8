// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// str.format as Python 3.11 does it: the texts are what it printed.

#include "vm/execution_plan/format.hpp"

#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace std::string_view_literals;
using namespace tessera;
using vm::nac::plan_value;
using vm::nac::tensor;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Makes values in one memory.
struct maker {
  vm::nac::memory arena{1 << 20};

  static plan_value null() { return {}; }
  static plan_value truth(bool v) { return plan_value::boolean(v); }
  static plan_value whole(std::int64_t v) { return plan_value::whole(v); }
  static plan_value real(double v) { return plan_value::real(v); }
  plan_value str(std::string_view v) { return plan_value::string(arena, v); }
  plan_value data(std::string_view v) { return plan_value::bytes(arena, v); }
  template <class T>
  tensor row(const std::vector<T>& v) {
    constexpr bool real = std::is_same_v<T, double>;
    tensor t = vm::nac::make_tensor(arena, real ? nac::data_type::float64 : nac::data_type::int64,
                                    {static_cast<std::int64_t>(v.size())});
    for (std::size_t i = 0; i < v.size(); ++i) t.as<T>()[i] = v[i];
    return t;
  }
  template <class T>
  plan_value list_of(const std::vector<T>& v) {
    return plan_value::list(row(v));
  }
  template <class T>
  plan_value tuple_of(const std::vector<T>& v) {
    return plan_value::tuple(row(v));
  }
};

struct formatted {
  errc code = errc::ok;
  std::string text;
};
[[nodiscard]] formatted format(std::string_view f, const std::vector<plan_value>& values,
                               std::uint64_t limit = 1 << 20) {
  vm::nac::limited_text out(limit);
  try {
    vm::nac::append_formatted(out, f, values);
  } catch (const vm::nac::fault& e) {
    return {e.code, e.text};
  }
  return {errc::ok, std::string(out.view())};
}

template <void (*Append)(vm::nac::limited_text&, const plan_value&)>
[[nodiscard]] formatted written(const plan_value& v) {
  vm::nac::limited_text out(1 << 20);
  try {
    Append(out, v);
  } catch (const vm::nac::fault& e) {
    return {e.code, e.text};
  }
  return {errc::ok, std::string(out.view())};
}

struct good_row {
  std::string_view format;
  std::vector<plan_value> values;
  std::string_view expected;
};
struct bad_row {
  std::string_view format;
  std::vector<plan_value> values;
};

struct all_rows : maker {
  // clang-format off
  const std::vector<good_row> good = {
      {"{}", {whole(3)}, "3"},
      {"{} {}", {whole(1), str("a"sv)}, "1 a"},
      {"{1} {0}", {str("a"sv), str("b"sv)}, "b a"},
      {"{{}} {{{}}}", {whole(5)}, "{} {5}"},
      {"{!r}", {str("it's"sv)}, "\"it's\""},
      {"{!r}", {str("a\"'\012\011\\\000\177\303\251"sv)}, "'a\"\\'\\n\\t\\\\\\x00\\x7f\303\251'"},
      {"{!s:>6}", {truth(true)}, "  True"},
      {"{!a}", {str("\303\251\342\202\254\360\237\230\200"sv)}, "'\\xe9\\u20ac\\U0001f600'"},
      {"{!r:*^7}", {str("ab"sv)}, "*'ab'**"},
      {"{:5}|{:<5}|{:>5}|{:^5}|{:=5}", {whole(42), whole(42), whole(42), whole(42), whole(-42)}, "   42|42   |   42| 42  |-  42"},
      {"{:05d}", {whole(-42)}, "-0042"},
      {"{:+d} {: d} {:-d}", {whole(7), whole(7), whole(7)}, "+7  7 7"},
      {"{:#x} {:#X} {:#o} {:#b}", {whole(255), whole(255), whole(8), whole(5)}, "0xff 0XFF 0o10 0b101"},
      {"{:#010x}", {whole(255)}, "0x000000ff"},
      {"{:,}", {whole(1234567)}, "1,234,567"},
      {"{:_}", {whole(1234567)}, "1_234_567"},
      {"{:_x}", {whole(305419896)}, "1234_5678"},
      {"{:_b}", {whole(1000)}, "11_1110_1000"},
      {"{:010,}", {whole(1234)}, "00,001,234"},
      {"{:08,}", {whole(1234)}, "0,001,234"},
      {"{:09,d}", {whole(1234)}, "0,001,234"},
      {"{:012,.2f}", {real(1234.5)}, "0,001,234.50"},
      {"{:*>12,}", {whole(1234567)}, "***1,234,567"},
      {"{:c}{:c}", {whole(65), whole(8364)}, "A\342\202\254"},
      {"{:5c}|", {whole(65)}, "    A|"},
      {"{:n}", {whole(1234567)}, "1234567"},
      {"{:n}", {real(1234.5)}, "1234.5"},
      {"{:d}", {whole(INT64_MIN)}, "-9223372036854775808"},
      {"{:x}", {whole(-255)}, "-ff"},
      {"{:b}", {whole(INT64_MIN)}, "-1000000000000000000000000000000000000000000000000000000000000000"},
      {"{}", {real(1.0)}, "1.0"},
      {"{}", {real(0.1)}, "0.1"},
      {"{}", {real(1e+16)}, "1e+16"},
      {"{}", {real(1e-05)}, "1e-05"},
      {"{}", {real(-0.0)}, "-0.0"},
      {"{}", {real(infinity)}, "inf"},
      {"{}", {real(not_a_number)}, "nan"},
      {"{}", {real(123456789012345.0)}, "123456789012345.0"},
      {"{}", {real(5e-324)}, "5e-324"},
      {"{}", {real(1.7976931348623157e+308)}, "1.7976931348623157e+308"},
      {"{:f}", {real(1.5)}, "1.500000"},
      {"{:.3f}", {real(2.0005)}, "2.001"},
      {"{:.0f}", {real(2.5)}, "2"},
      {"{:#.0f}", {real(2.5)}, "2."},
      {"{:.10f}", {real(0.1)}, "0.1000000000"},
      {"{:F}", {real(infinity)}, "INF"},
      {"{:E}", {real(12345.678)}, "1.234568E+04"},
      {"{:e}", {real(0.0)}, "0.000000e+00"},
      {"{:.0e}", {real(12345.0)}, "1e+04"},
      {"{:#.0e}", {real(12345.0)}, "1.e+04"},
      {"{:.20f}", {real(0.1)}, "0.10000000000000000555"},
      {"{:g}", {real(1000000.0)}, "1e+06"},
      {"{:g}", {real(999999.5)}, "1e+06"},
      {"{:g}", {real(0.0001)}, "0.0001"},
      {"{:g}", {real(1e-05)}, "1e-05"},
      {"{:G}", {real(1e-10)}, "1E-10"},
      {"{:#g}", {real(1.0)}, "1.00000"},
      {"{:.3g}", {real(1234.5)}, "1.23e+03"},
      {"{:#.3g}", {real(1234.5)}, "1.23e+03"},
      {"{:.0g}", {real(2.5)}, "2"},
      {"{:g}", {real(0.0)}, "0"},
      {"{:#g}", {real(0.0)}, "0.00000"},
      {"{:.15g}", {real(0.1)}, "0.1"},
      {"{:.3}", {real(123.0)}, "1.23e+02"},
      {"{:.3}", {real(12.0)}, "12.0"},
      {"{:.4}", {real(123.0)}, "123.0"},
      {"{:.1}", {real(0.00012)}, "0.0001"},
      {"{:.5}", {real(10000000000.0)}, "1e+10"},
      {"{:#}", {real(1e+20)}, "1.e+20"},
      {"{:10}|", {real(1.5)}, "       1.5|"},
      {"{:<10}|", {real(1.5)}, "1.5       |"},
      {"{:+}", {real(1.5)}, "+1.5"},
      {"{:.2%}", {real(0.12345)}, "12.35%"},
      {"{:%}", {real(1.5)}, "150.000000%"},
      {"{:.0%}", {real(0.5)}, "50%"},
      {"{:#.0%}", {real(0.5)}, "50.%"},
      {"{:8.1%}|", {real(0.256)}, "   25.6%|"},
      {"{:05}", {real(infinity)}, "00inf"},
      {"{:010,}", {real(infinity)}, "0000000inf"},
      {"{:+.1f}", {real(not_a_number)}, "+nan"},
      {"{:+}", {real(-infinity)}, "-inf"},
      {"{:,.3f}", {real(1234567.891)}, "1,234,567.891"},
      {"{:_.1f}", {real(-1234567.0)}, "-1_234_567.0"},
      {"{:,}", {real(1000000.0)}, "1,000,000.0"},
      {"{:,}", {real(1e+20)}, "1e+20"},
      {"{:020,.3f}", {real(-1234567.891)}, "-000,001,234,567.891"},
      {"{:015_.2e}", {real(123456.0)}, "0_000_001.23e+05"},
      {"{:f}", {whole(3)}, "3.000000"},
      {"{:.2f}", {truth(true)}, "1.00"},
      {"{:e}", {whole(10)}, "1.000000e+01"},
      {"{:g}", {whole(1000000000000000000)}, "1e+18"},
      {"{:%}", {whole(1)}, "100.000000%"},
      {"{}", {truth(true)}, "True"},
      {"{:d}", {truth(true)}, "1"},
      {"{:5}|", {truth(true)}, "    1|"},
      {"{:x}", {truth(true)}, "1"},
      {"{:s>4}", {whole(1)}, "sss1"},
      {"{:s}", {str("ab"sv)}, "ab"},
      {"{:5}|", {str("ab"sv)}, "ab   |"},
      {"{:>5}|", {str("ab"sv)}, "   ab|"},
      {"{:^6}|", {str("ab"sv)}, "  ab  |"},
      {"{:.1}", {str("ab"sv)}, "a"},
      {"{:\303\251^5}|", {str("ab"sv)}, "\303\251ab\303\251\303\251|"},
      {"{:5.2s}|", {str("h\303\251\303\251"sv)}, "h\303\251   |"},
      {"{:05}|", {str("ab"sv)}, "ab000|"},
      {"{:\342\202\254<4}", {str("\303\251"sv)}, "\303\251\342\202\254\342\202\254\342\202\254"},
      {"{:<1}", {str("ab"sv)}, "ab"},
      {"{:{}}|", {whole(5), whole(8)}, "       5|"},
      {"{:{}.{}f}|", {real(3.14159), whole(8), whole(2)}, "    3.14|"},
      {"{0:{1}}|", {whole(5), whole(8)}, "       5|"},
      {"{:{}{}}|", {str("a"sv), str(">"sv), whole(4)}, "   a|"},
      {"{}", {null()}, "None"},
      {"{!s:6}|", {null()}, "None  |"},
      {"{}", {list_of<std::int64_t>({1, 2})}, "[1, 2]"},
      {"{}", {list_of<std::int64_t>({})}, "[]"},
      {"{}", {tuple_of<std::int64_t>({1})}, "(1,)"},
      {"{}", {tuple_of<std::int64_t>({1, 3})}, "(1, 3)"},
      {"{}", {list_of<double>({0.5, 1e+20})}, "[0.5, 1e+20]"},
      {"{!r:>12}|", {list_of<std::int64_t>({1, 2})}, "      [1, 2]|"},
      {"{}", {data("a'\000\377"sv)}, "b\"a'\\x00\\xff\""},
      {"{}", {tuple_of<std::int64_t>({})}, "()"},
  };
  // Python takes four of these: attributes, indices, and a width and a precision of 10^9.
  const std::vector<bad_row> bad = {
      {"{", {}},
      {"}", {}},
      {"{}", {}},
      {"{} {0}", {whole(1)}},
      {"{0} {}", {whole(1), whole(2)}},
      {"{1}", {whole(1)}},
      {"{name}", {whole(1)}},
      {"{0.real}", {whole(1)}},
      {"{0[0]}", {list_of<std::int64_t>({1})}},
      {"{!x}", {whole(1)}},
      {"{!r", {whole(1)}},
      {"{!}", {whole(1)}},
      {"{:", {whole(1)}},
      {"{:d}", {real(1.5)}},
      {"{:d}", {str("a"sv)}},
      {"{:s}", {whole(1)}},
      {"{:.2d}", {whole(1)}},
      {"{:+s}", {str("a"sv)}},
      {"{:=5}", {str("a"sv)}},
      {"{:,}", {str("a"sv)}},
      {"{:#}", {str("a"sv)}},
      {"{:,x}", {whole(1)}},
      {"{:,_}", {whole(1)}},
      {"{:,c}", {whole(65)}},
      {"{:+c}", {whole(65)}},
      {"{:#c}", {whole(65)}},
      {"{:c}", {whole(-1)}},
      {"{:c}", {whole(1114112)}},
      {"{:5}", {null()}},
      {"{:5}", {list_of<std::int64_t>({1})}},
      {"{:z}", {whole(1)}},
      {"{:ff}", {real(1.0)}},
      {"{:.f}", {real(1.0)}},
      {"{:c}", {real(1.5)}},
      {"{:{:{}}}", {whole(1), whole(2), whole(3)}},
      {"{:b}", {real(1.5)}},
      {"{:,n}", {whole(1)}},
      {"{{}", {}},
      {"{:1000000000}", {whole(1)}},
      {"{:.1000000000f}", {real(1.0)}},
      {"{99999999999999999999}", {whole(1)}},
      {"{:{}}", {whole(1), str("}"sv)}},
  };
  // clang-format on
};

}  // namespace

TEST_CASE("vm/execution_plan/format: str.format gives what Python gives", "[vm_execution_plan]") {
  const all_rows rows;
  for (const good_row& r : rows.good) {
    CAPTURE(std::string(r.format));
    const formatted f = format(r.format, r.values);
    CHECK(f.code == errc::ok);
    CHECK(f.text == r.expected);
  }
}

TEST_CASE("vm/execution_plan/format: what Python refuses is refused", "[vm_execution_plan]") {
  const all_rows rows;
  for (const bad_row& r : rows.bad) {
    CAPTURE(std::string(r.format));
    CHECK(format(r.format, r.values).code == errc::nac_plan_format);
  }
}

TEST_CASE("vm/execution_plan/format: tensors of one element are that element",
          "[vm_execution_plan]") {
  maker make;
  tensor one = vm::nac::make_tensor(make.arena, nac::data_type::float32, {1, 1});
  *one.as<float>() = 0.1f;
  CHECK(format("{:.2f}", {one}).text == "0.10");
  CHECK(format("{}", {one}).text == "0.10000000149011612");
  const tensor two = make.row<std::int64_t>({1, 2}).with_shape({1, 2});
  CHECK(format("{}", {two}).code == errc::nac_plan_format);
  CHECK(format("{}", {two}).text == "a tensor of shape [1, 2]; expected one element");
  CHECK(written<vm::nac::append_str>(two).text == "[[1, 2]]");
  CHECK(written<vm::nac::append_str>(make.row<std::int64_t>({1, 2}).with_shape({2, 1, 1})).text ==
        "[[[1]], [[2]]]");
  CHECK(written<vm::nac::append_str>(make.row<double>({}).with_shape({0, 3})).text == "[]");
}

TEST_CASE("vm/execution_plan/format: texts have a limit", "[vm_execution_plan]") {
  maker make;
  CHECK(format("{:10}", {make.whole(1)}, 10).text == "         1");
  CHECK(format("{:11}", {make.whole(1)}, 10).code == errc::budget_memory);
  CHECK(format("{:.60000f}", {make.real(1)}, 1000).code == errc::budget_memory);
  CHECK(format("{:.65535f}", {make.real(1)}).text.size() == 65537);
  CHECK(format("{:65536}", {make.whole(1)}).code == errc::nac_plan_format);
  CHECK(format("{}{}", {make.str("12345"), make.str("678901")}, 10).code == errc::budget_memory);
}

TEST_CASE("vm/execution_plan/format: JSON as json.dumps writes it", "[vm_execution_plan]") {
  maker make;
  const auto json = [](const plan_value& v) { return written<vm::nac::append_json>(v).text; };
  CHECK(json({}) == "null");
  CHECK(json(make.truth(true)) == "true");
  CHECK(json(make.real(1e22)) == "1e+22");
  CHECK(json(make.real(not_a_number)) == "NaN");
  CHECK(json(make.real(-infinity)) == "-Infinity");
  CHECK(json(make.tuple_of<std::int64_t>({1})) == "[1]");
  CHECK(json(make.list_of<double>({1, 0.5})) == "[1.0, 0.5]");
  CHECK(json(make.str("a\"\\/\b\f\n\r\t\x01\x7f\u00e9\u20ac\U0001f600"sv)) ==
        "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u007f\\u00e9\\u20ac\\ud83d\\ude00\""sv);
  CHECK(written<vm::nac::append_json>(make.str("\xff")).code == errc::nac_plan_slot);
  CHECK(written<vm::nac::append_json>(make.data("a")).code == errc::nac_plan_slot);
}
