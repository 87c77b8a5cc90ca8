// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rows of numbers: each path either leaves a row alone or reads what json::reader reads, bit for
// bit, and takes those that files are made of.

#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <tessera/core/json.hpp>
#include <tessera/core/json_read.hpp>
#include <tessera/core/json_rows.hpp>
#include <utility>
#include <vector>

#include "../support/catch.hpp"
#include "../support/guard_page.hpp"

using namespace tessera;

namespace {

using std::string;
using std::string_view;

constexpr std::size_t before = 16, reach = 512;  // "Limits" at the top of json_rows.hpp

using json::row_form;
constexpr std::pair<row_form, bool> kinds[] = {{row_form::flat, false},
                                               {row_form::flat, true},
                                               {row_form::lists, false},
                                               {row_form::lists, true}};

/// What json::reader finds in the row that `text` starts with, and its length; 0 if it isn't one.
std::size_t read_plainly(string_view text, row_form form, json::row& r) {
  json::reader in(text);
  const auto place = [&in, text] {
    return static_cast<std::uint32_t>(static_cast<std::size_t>(in.rest().data() - text.data()) - 1);
  };
  const bool lists = form == row_form::lists;
  const auto first = [&](unsigned k) {
    r.first_at[k] = place();
    r.integers[k == 2 ? 3 : k] = in.int32();
  };
  r.integers[0] = r.integers[1] = -1;
  r.first_count = r.second_count = 0;
  in.array();
  in.require_element();
  if (lists) {
    for (in.array(); in.element() && r.first_count < 3;) first(r.first_count++);
  } else {
    first(r.first_count++);
    in.require_element();
    first(r.first_count++);
  }
  in.require_element();
  r.integers[2] = in.int32();
  in.require_element();
  r.second_at = place();
  if (lists)
    for (in.array(); in.element() && r.second_count < 2;) r.second[r.second_count++] = in.int64();
  else
    r.second[r.second_count++] = in.int64();
  in.require_element();
  r.group_at = place();
  in.array();
  r.integral = 0;
  for (unsigned k = 0; k < 5; ++k) {
    if (k == 3) in.end_array();
    in.require_element();
    const json::number n = in.number();
    r.numbers[k] = n.integral ? n.value + 0.0 : n.value;  // the integer -0 is 0
    r.integral |= n.integral ? 1u << k : 0u;
  }
  in.end_array();
  if (in.failed()) return 0;
  return text.substr(0, text.size() - in.rest().size()).find_last_of(']') + 1;
}

bool same(const json::row& a, const json::row& b) {
  if (a.first_count != b.first_count || a.second_count != b.second_count) return false;
  const auto equal = [](const auto* x, const auto* y, std::size_t count) {
    return std::memcmp(x, y, count * sizeof *x) == 0;
  };
  return equal(a.first_at, b.first_at, a.first_count) && a.second_at == b.second_at &&
         a.group_at == b.group_at && equal(a.integers, b.integers, a.first_count == 3 ? 4 : 3) &&
         equal(a.second, b.second, a.second_count) && equal(a.numbers, b.numbers, 5) &&
         a.integral == b.integral;
}

/// Keeps what it is given, up to `most`.
struct keeper {
  std::vector<json::row> rows;
  std::size_t most = 1;
  bool operator()(const json::row& r) {
    if (rows.size() == most) return false;
    rows.push_back(r);
    return true;
  }
};

constexpr json::row_path paths[] = {json::row_path::portable, json::row_path::best};

json::row_reader<keeper> reader_of(row_form form, bool spaced, json::row_path path) {
  return form == row_form::flat ? json::find_row_reader<row_form::flat, keeper>(spaced, path)
                                : json::find_row_reader<row_form::lists, keeper>(spaced, path);
}

/// Reads rows by both paths, from memory with guarded pages around it.
class rows {
 public:
  /// The text of a row goes between 16 bytes and as many as make it reach just far enough.
  rows(row_form form, bool spaced) : form_(form), spaced_(spaced) {}

  /// Whether each path (bit 0 portable, bit 1 best) takes the row that `text` starts with. Whatever
  /// it takes must be right.
  unsigned operator()(string_view text, char filler = ' ') {
    char content[before + reach];
    std::memset(content, filler, sizeof content);
    std::memcpy(content + before, text.data(), text.size());
    const string_view placed = at_start_ ? memory_.place_first({content, sizeof content})
                                         : memory_.place({content, sizeof content});
    at_start_ = !at_start_;
    return check(placed);
  }
  /// The same for every byte that may stand at each place of `text`.
  void change_each_byte(string_view text, char filler) {
    char content[before + reach];
    std::memset(content, filler, sizeof content);
    std::memcpy(content + before, text.data(), text.size());
    const string_view placed = memory_.place({content, sizeof content});
    char* const at = const_cast<char*>(placed.data()) + before;  // memory_'s
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char kept = at[i];
      for (int c = 0; c < 256; ++c) at[i] = static_cast<char>(c), (void)check(placed);
      at[i] = kept;
    }
  }

  unsigned wrong = 0, taken = 0, count = 0;
  string first_wrong;

 private:
  unsigned check(string_view placed) {
    const char* const at = placed.data() + before;
    const char* const end = placed.data() + placed.size();
    unsigned done = 0;
    ++count;
    for (unsigned p = 0; p < 2; ++p) {
      keeper kept;
      const auto read = reader_of(form_, spaced_, paths[p]);
      const char* const after = read(at, end, spaced_, kept);
      if (after == at && kept.rows.empty()) continue;
      ++taken;
      done |= 1u << p;
      json::row expected{};
      const std::size_t size = read_plainly({at, reach}, form_, expected);
      if (size == 0 || kept.rows.size() != 1 || kept.rows[0].at != at + 1 || after != at + size ||
          !same(kept.rows[0], expected))
        if (wrong++ == 0) first_wrong = (p == 0 ? "portable: " : "best: ") + string(at, 160);
    }
    return done;
  }

  row_form form_;
  bool spaced_;
  bool at_start_ = false;
  tessera_tests::guard_page memory_{before + reach};
};

/// The row of nine tokens.
string row_of(const std::vector<string>& tokens, row_form form, bool spaced) {
  const string comma = spaced ? ", " : ",";
  const string open = form == row_form::lists ? "[" : "",
               close = form == row_form::lists ? "]" : "";
  string s = "[" + open + tokens[0] + comma + tokens[1] + close + comma + tokens[2] + comma;
  s += open + tokens[3] + close + comma;
  s += '[' + tokens[4] + comma + tokens[5] + comma + tokens[6] + ']' + comma;
  return s + tokens[7] + comma + tokens[8] + ']';
}
/// The same from a flat row without spaces.
string in_form(const string& flat, row_form form) {
  if (form == row_form::flat) return flat;
  string s = flat;
  std::size_t comma = 0;
  for (int k = 0; k < 4; ++k) {
    comma = s.find(',', comma + 1);
    if (k == 1 || k == 3) s.insert(comma++, "]");
    if (k == 2) s.insert(++comma, "[");
  }
  return "[" + s;
}
const std::vector<string> plain_row = {"40", "-1", "-1", "7", "-8.0", "7.9375", "0.0625", "2", "0"};

string with_spaces(string s) {
  for (std::size_t i = 0; (i = s.find(',', i)) != string::npos; ++i) s.replace(i, 1, ", ");
  return s;
}

/// -?digits, without a zero in front.
bool is_integer(string_view s) {
  if (s.substr(0, 1) == "-") s.remove_prefix(1);
  return !s.empty() && s.find_first_not_of("0123456789") == string_view::npos &&
         (s.size() == 1 || s[0] != '0');
}
/// -?digits and -?digits.digits.
bool is_number(string_view s) {
  const std::size_t point = s.find('.');
  return is_integer(s.substr(0, point)) &&
         (point == string_view::npos ||
          (point + 1 < s.size() && is_integer(string("1").append(s.substr(point + 1)))));
}

/// What is between bars.
std::vector<string> list(string_view all) {
  std::vector<string> parts;
  for (;;) {
    const std::size_t bar = all.find('|');
    parts.emplace_back(all.substr(0, bar));
    if (bar == string_view::npos) return parts;
    all.remove_prefix(bar + 1);
  }
}

/// Rows as they stand in files.
const char* const usual[] = {
    "[0,-1,-1,0,[-8.0,7.9375,0.0625],0,0]",
    "[0,-1,-1,0,[0,15,1],0,0]",
    "[9,3,0,2,[-40.0,39.6875,0.0625],1.322265625,9]",
    "[9,3,1,-2,[-40.0,39.6875,0.0625],12.25,10.0]",
    "[31,-1,2,0,[0.0,15.9375,0.0625],1.149999976158142,2.0]",
    "[31,-1,-2,0,[0.0,15.9375,0.0625],13.799999713897705,2.0]",
    "[-1,-1,5,-3,[-3.0,-3.0,1.0],0.0,0.0]",
    "[100234,99871,6,4294968295,[-2.5,2.25,0.25],7.5,11]",
    "[100234,99871,10,72057594037927936,[-2.5,2.25,0.25],7.5,11]",
    "[12,-1,4,-4294967296,[-16.0,31.9375,0.0625],1.0,8.0]",
    "[12,-1,4,100000000000000000,[-16.0,31.9375,0.0625],1.0,8.0]",
    "[12,-1,8,7,[-0.5,0.4921875,0.0078125],0.7000000000000001,8.0]",
    "[12,-1,8,7,[-0.0,0.0,1.0],3.0517578125e-05,8.0]",
    "[12,-1,3,0,[-1024.0,1023.9998779296875,0.0001220703125],99.1234567890123,123456]",
};
/// The one among them that no path takes.
bool has_exponent(string_view row) { return row.find("e-") != string_view::npos; }

// As in json_rows.hpp, which takes its macro back.
#if defined(__x86_64__) && defined(__clang__)
#if __clang_major__ < 20 || __has_builtin(__builtin_ia32_pmaddubsw256)
#define TESSERA_TESTS_AVX2_PATH 1
#endif
#elif defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_TESTS_AVX2_PATH 1
#endif

#ifdef TESSERA_TESTS_AVX2_PATH
/// Only the AVX2 path: row_path::best passes refused rows on, so refusals would go unnoticed.
template <row_form Form, bool Spaced>
[[gnu::target("avx2,bmi,bmi2")]] const char* read_by_vectors(const char* at, const char* end,
                                                             json::row& r) {
  namespace detail = json::detail;
  detail::delimiter_map map;
  detail::row_tokens tokens;
  detail::avx2::draw(map, at, end);
  const char* const after =
      detail::find_row<Form>(at, std::bool_constant<Spaced>{}, map, r, tokens);
  return after != nullptr && detail::avx2::convert(tokens, r) ? after : nullptr;
}
template <row_form Form>
void check_vectors(bool spaced) {
  for (const string row : usual) {
    const string compact = in_form(row, Form), text = spaced ? with_spaces(compact) : compact;
    const string padded = string(before, ' ') + text + string(reach, ' ');
    const char* const at = padded.data() + before;
    const char* const end = padded.data() + padded.size();
    json::row r{}, expected{};
    const char* const after =
        spaced ? read_by_vectors<Form, true>(at, end, r) : read_by_vectors<Form, false>(at, end, r);
    CAPTURE(text);
    CHECK(after == (has_exponent(row) ? nullptr : at + text.size()));
    if (after == nullptr) continue;
    CHECK(read_plainly({at, reach}, Form, expected) == text.size());
    CHECK(same(r, expected));
  }
}
#endif

}  // namespace

#ifdef TESSERA_TESTS_AVX2_PATH
TEST_CASE("json_rows: AVX2 takes what files are made of by itself", "[core]") {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2")) {
    WARN("left out: this processor has no AVX2");
    return;
  }
  for (const bool spaced : {false, true}) {
    check_vectors<row_form::flat>(spaced);
    check_vectors<row_form::lists>(spaced);
  }
}
#endif

TEST_CASE("json_rows: what files are made of is taken", "[core]") {
  for (const auto& [form, spaced] : kinds) {
    rows check(form, spaced);
    for (const string usual_row : usual) {
      const string row = in_form(usual_row, form);
      CAPTURE(row);
      for (const char filler : {' ', ',', '[', ']', '0', '.', '\xff'}) {
        CHECK(check(spaced ? with_spaces(row) : row, filler) == (has_exponent(row) ? 0u : 3u));
        CHECK(check(spaced ? row : with_spaces(row), filler) == 0);
      }
    }
    CAPTURE(check.first_wrong);
    CHECK(check.wrong == 0);
  }
}

TEST_CASE("json_rows: many in a row, until one is unusual", "[core]") {
  for (const auto& kind : kinds) {
    const row_form form = kind.first;
    const bool spaced = kind.second;
    const string comma = spaced ? ", " : ",";
    string text(before, '!');
    std::vector<std::size_t> starts, ends;
    for (unsigned i = 0; i < 100; ++i) {
      std::vector<string> tokens = plain_row;
      tokens[0] = std::to_string(i * i);
      tokens[7] = std::to_string(i / 8.0);
      starts.push_back(text.size());
      text += row_of(tokens, form, spaced);
      ends.push_back(text.size());
      text += comma;
    }
    for (const json::row_path path : paths) {
      const auto read = reader_of(form, spaced, path);
      const auto length = [&](string_view s, std::size_t from, std::size_t most,
                              std::size_t& count) {
        keeper kept{{}, most};
        const char* const after = read(s.data() + from, s.data() + s.size(), spaced, kept);
        count = kept.rows.size();
        for (std::size_t i = 0; i < count; ++i) {
          json::row expected{};
          const char* const at = kept.rows[i].at;
          if (read_plainly({at - 1, static_cast<std::size_t>(s.data() + s.size() - at)}, form,
                           expected) == 0 ||
              !same(kept.rows[i], expected))
            FAIL("row " << i);
        }
        return static_cast<std::size_t>(after - s.data());
      };
      std::size_t count = 0;
      // Those that start in the last 512 bytes are left.
      const std::size_t end = length(text, before, 1000, count);
      REQUIRE(count > 80);
      CHECK(end == ends[count - 1]);
      CHECK(text.size() - starts[count - 1] >= reach);
      CHECK(text.size() - starts[count] < reach);
      // The sink says how many.
      CHECK(length(text, before, 5, count) == ends[4]);
      CHECK(count == 5);
      CHECK(length(text, before, 0, count) == before);
      CHECK(length(text, starts[7], 3, count) == ends[9]);
      // What follows a row isn't read as one.
      for (const char c : string_view(" ]}x\0[", 6)) {
        string other = text;
        other[ends[20]] = c;
        CHECK(length(other, before, 1000, count) == ends[20]);
        CHECK(count == 21);
        other = text;
        other[starts[20]] = c;
        CHECK(length(other, before, 1000, count) == (c == '[' ? end : ends[19]));
      }
      // A short text isn't read at all.
      CHECK(length(string_view(text).substr(0, before + reach - 1), before, 1000, count) == before);
      CHECK(length(string_view(text).substr(0, before + reach), before, 1000, count) == ends[0]);
      CHECK(count == 1);
    }
  }
}

TEST_CASE("json_rows: no path", "[core]") {
  for (const auto& [form, spaced] : kinds)
    CHECK(reader_of(form, spaced, json::row_path::none) == nullptr);
}

TEST_CASE("json_rows: integers of every length, in each place", "[core]") {
  std::vector<string> tokens = list(
      "|-|+1|--1|1-|-1-|1-1|.|1.|1.0|0.0|1e1|0x1| 1|1 |- 1|-0|00|-00|01|-01|0-|/|:|1/|1:|"
      "2147483647|2147483648|4294967296|-2147483648|-2147483649|9223372036854775807|"
      "[1]|[]|null|\"1\"|1,1|1]|1,");
  for (std::size_t length = 1; length <= 21; ++length)
    for (const char* const sign : {"", "-"})
      for (const char* const digits :
           {"123456789012345678901", "999999999999999999999", "100000000000000000000",
            "012345678901234567890", "000000000000000000000", "909090909090909090909"})
        tokens.push_back(sign + string(digits, length));
  for (const auto& [form, spaced] : kinds) {
    rows check(form, spaced);
    for (std::size_t k = 0; k < 4; ++k)
      for (const string& token : tokens) {
        std::vector<string> row = plain_row;
        row[k] = token;
        const unsigned done = check(row_of(row, form, spaced), ',');
        INFO(token << " in place " << k);
        // Lists may have one more, or none.
        const bool is_list =
            form == row_form::lists && (token == "1,1" || (token.empty() && k == 3));
        if (!is_integer(token) && !is_list) CHECK(done == 0);
        const std::size_t digits = token.size() - (token[0] == '-' ? 1 : 0);
        if (is_integer(token) && (k == 3 ? digits <= 18 : token.size() <= 9)) CHECK(done == 3);
      }
    CAPTURE(check.first_wrong);
    CHECK(check.wrong == 0);
  }
}

TEST_CASE("json_rows: numbers of every length, in each place", "[core]") {
  constexpr string_view some = "123456789012345678901", nines = "999999999999999999999",
                        power = "100000000000000000000", zeros = "000000000000000000000";
  std::mt19937_64 random(31);
  for (const auto& [form, spaced] : kinds) {
    rows check(form, spaced);
    for (std::size_t whole = 0; whole <= 9; ++whole)
      for (std::size_t fraction = 0; fraction <= 19; ++fraction)
        for (const char* const sign : {"", "-"})
          for (unsigned way = 0; way < 8; ++way) {
            string a((way == 0 ? some : way == 1 ? nines : power).substr(0, whole));
            string b((way == 1 ? nines : way == 2 ? zeros : some).substr(0, fraction));
            if (way >= 3 && whole == 1) a = way == 3 ? "0" : std::to_string(random() % 10);
            if (way >= 4)
              for (char& c : b) c = static_cast<char>('0' + random() % 10);
            if (way == 5 && fraction != 0) b.back() = '5';
            if (way == 6) a.insert(0, "0");
            const string token = sign + a + (way == 7 || fraction != 0 ? "." : "") + b;
            const std::size_t k = 4 + random() % 5;
            std::vector<string> row = plain_row;
            row[k] = token;
            const unsigned done = check(row_of(row, form, spaced), ',');
            INFO(token << " in place " << k);
            if (!is_number(token)) CHECK(done == 0);
            if (is_number(token) && a.size() <= 7 && a.size() + fraction <= 18) CHECK(done == 3);
          }
    for (const string& token :
         list("-|-0|-0.0|-0.|-.5|.|..|1..2|1.2.3|1.-2|1.+2|1.2-|--1|-1-1|+1.5|1e5|1E5|1.5e3|1.5E-3|"
              "NaN|N.\"version\":|z.zzzzzzzzzzzzzzzz|9.zzzzzzzzzzzzzzzz|zzzzzzz.99999999999|"
              "-Infinity|null|\"1\"|[1]|1,2|1 .5|1. 5|1.5 | 1.5|0x1|0.5f|1_000.5|0/5|0:5|0.5/|0.5:|"
              "1234567.0|-123456.0|0.9007199254740993|9.007199254740993|9007199.254740993|"
              "9999999.99999999999|0.0000000000000001|0.4503599627370496|0.4503599627370497"))
      for (std::size_t k = 4; k < 9; ++k) {
        std::vector<string> row = plain_row;
        row[k] = token;
        INFO(token << " in place " << k);
        CHECK(check(row_of(row, form, spaced), ',') == (is_number(token) ? 3u : 0u));
      }
    CAPTURE(check.first_wrong);
    CHECK(check.wrong == 0);
    CHECK(check.taken > 2500);
  }
}

TEST_CASE("json_rows: tokens anywhere among the 64 bytes that are looked at together", "[core]") {
  std::mt19937_64 random(32);
  const auto digits = [&random](std::size_t count) {
    string s;
    while (s.size() < count) s += static_cast<char>('0' + random() % 10);
    if (s.size() > 1 && s[0] == '0') s[0] = '7';
    return s;
  };
  const auto integer = [&](std::size_t most) {
    const string s = digits(1 + random() % most);
    return random() % 3 == 0 && s.size() < most ? '-' + s : s;
  };
  for (const auto& [form, spaced] : kinds) {
    rows check(form, spaced);
    std::size_t longest = 0;
    for (int i = 0; i < 8000; ++i) {
      const std::size_t whole = 1 + random() % 7, after = random() % 17;
      std::vector<string> row;
      for (int k = 0; k < 3; ++k) row.push_back(integer(7));
      row.push_back(integer(18));
      for (int k = 0; k < 5; ++k) {
        const string a = integer(whole), b = digits(after == 0 ? 0 : 1 + random() % after);
        row.push_back(b.empty() || a.size() + b.size() > 18 ? (a == "-0" ? "0" : a) : a + '.' + b);
      }
      const string text = row_of(row, form, spaced);
      longest = text.size() > longest ? text.size() : longest;
      const unsigned done = check(text, i % 2 == 0 ? ',' : ' ');
      INFO(text);
      CHECK(done == 3);
    }
    CAPTURE(check.first_wrong);
    CHECK(check.wrong == 0);
    CHECK(longest > 128);
  }
}

TEST_CASE("json_rows: every byte in each place", "[core]") {
  const char* const texts[] = {
      "[0,-1,-1,0,[-8.0,7.9375,0.0625],0,0]",
      "[1234567,123456,-1,123456789012345678,[-0.0,0.1234567890123456,1],12345.678,0.5]",
      "[5,-12,6,-1234567890123456,[-12,10,1],1.149999976158142,-7]",
      "[0,0,0,0,[0,0,0],0,0]",
  };
  for (const auto& [form, spaced] : kinds) {
    rows check(form, spaced);
    for (const string flat : texts)
      for (const string text = in_form(flat, form); const char filler : {' ', ']'})
        check.change_each_byte(spaced ? with_spaces(text) : text, filler);
    CAPTURE(check.first_wrong);
    CHECK(check.wrong == 0);
    CHECK(check.taken > 5000);
    CHECK(check.count > 100000);
  }
}

TEST_CASE("json_rows: nothing is read outside of the text", "[core]") {
  // 16 bytes in front and 512 from the bracket on are all there is; what could be read as one long
  // token, or as a row that never ends, goes on to the last byte.
  for (const auto& [form, spaced] : kinds) {
    rows check(form, spaced);
    std::vector<string> starts = {
        "", "[", "[-", "[1,", "[1,1,1,1,", "[1,1,1,1,[", "[1,1,1,1,[1.0,"};
    starts.push_back(row_of(plain_row, form, spaced));
    starts.push_back(row_of({"1234567", "1234567", "1234567", "123456789012345678",
                             "-123456.123456789012", "-123456.123456789012", "123456.12345678901",
                             "-123456.123456789012", "-123456.123456789012"},
                            form, spaced));
    for (const string& start : starts)
      for (std::size_t size = start.size() > 12 ? start.size() - 12 : 0; size <= start.size();
           ++size)
        for (int filler = 0; filler < 256; ++filler) {
          (void)check(string_view(start).substr(0, size), static_cast<char>(filler));
          (void)check(string_view(start).substr(0, size), static_cast<char>(filler));
        }
    CHECK(check.wrong == 0);
    CHECK(check.taken > 0);
  }
}

TEST_CASE("json_rows: lists of every length", "[core]") {
  std::mt19937_64 random(33);
  const auto integers = [&random](std::size_t count, std::size_t digits) {
    string s;
    for (std::size_t k = 0; k < count; ++k) {
      string number = std::to_string(1 + random() % 9);
      for (std::size_t size = random() % digits; size > 0; --size)
        number += static_cast<char>('0' + random() % 10);
      s += (k == 0 ? "" : ",") + string(random() % 3 == 0 ? "-" : "") + number;
    }
    return s;
  };
  for (const bool spaced : {false, true}) {
    rows check(row_form::lists, spaced);
    for (std::size_t first = 0; first <= 4; ++first)
      for (std::size_t second = 0; second <= 3; ++second)
        for (int i = 0; i < 200; ++i) {
          const string text = "[[" + integers(first, 6) + "]," + integers(1, 6) + ",[" +
                              integers(second, i % 2 == 0 ? 3 : 18) +
                              "],[-8.0,7.9375,0.0625],2.5,0]";
          CAPTURE(text);
          const unsigned done = check(spaced ? with_spaces(text) : text, ',');
          if (first > 3 || second > 2) CHECK(done == 0);
          if (first <= 3 && second <= 2 && (second < 2 || i % 2 == 0)) CHECK(done == 3);
        }
    for (const string text :
         {"[[7,-1234567,0],-2,[123456789012345678,-5],[-8.0,7.9375,0.0625],1.25,3]",
          "[[],5,[14],[0.0,1.0,1.0],0,0.5]", "[[1],2,[],[0.0,1.0,1.0],0,0]",
          "[[1,2],10,[-1,2],[0.0,1.0,1.0],0,0]"}) {
      const string compact = spaced ? with_spaces(text) : text;
      CHECK(check(compact, ' ') == 3);
      check.change_each_byte(compact, ',');
    }
    for (const char* const text :
         {"[[,1],2,[],[0.0,1.0,1.0],0,0]", "[[1,],2,[],[0.0,1.0,1.0],0,0]",
          "[[1,,2],2,[],[0.0,1.0,1.0],0,0]", "[[1]2,[],[0.0,1.0,1.0],0,0]",
          "[[1],2[],[0.0,1.0,1.0],0,0]", "[[1],2,[][0.0,1.0,1.0],0,0]",
          "[1,2,[],[0.0,1.0,1.0],0,0]", "[[1],2,3,[0.0,1.0,1.0],0,0]",
          "[[1.5],2,[],[0.0,1.0,1.0],0,0]", "[[[1],2,[],[0.0,1.0,1.0],0,0]",
          "[[1]],2,[],[0.0,1.0,1.0],0,0]", "[[],,[],[0.0,1.0,1.0],0,0]"})
      CHECK(check(spaced ? with_spaces(text) : string(text), ' ') == 0);
    CAPTURE(check.first_wrong);
    CHECK(check.wrong == 0);
  }
}
