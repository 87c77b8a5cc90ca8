// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whole files by every path through their rows (json::row_path): equal models, places and errors.

#include "samples.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/generate.hpp"
#include "fuzz/alir_paths.hpp"

namespace {

using samples::alir::model;
using samples::alir::opcode;
using tessera::errc;
using tessera::error;
using tessera::limits;
using tessera::json::row_path;

/// Reads by every path; fails the test unless all agree.
tessera::result<model> read(std::string_view source, const limits& limit = {}) {
  if (!fuzz::paths_agree(source, limit)) {
    const auto with = [&](row_path path) {
      return Catch::StringMaker<error>::convert(
          samples::alir::read_json(source, limit, path).error());
    };
    FAIL("none: " << with(row_path::none) << ", portable: " << with(row_path::portable)
                  << ", best: " << with(row_path::best) << " in " << source.substr(0, 300));
  }
  return samples::alir::read_json(source, limit);
}

std::string spaced(std::string_view compact) {
  std::string s;
  for (const char c : compact) {
    s += c;
    if (c == ',' || c == ':') s += ' ';
  }
  return s;
}

std::string file_of(const std::vector<std::string>& rows) {
  std::string all;
  for (const std::string& row : rows) all += (all.empty() ? "" : ",") + row;
  return samples::with_rows(all);
}

/// Rows as they are usual, each a little different.
std::vector<std::string> usual_rows(unsigned count) {
  std::vector<std::string> rows;
  for (unsigned i = 0; i < count; ++i)
    rows.push_back("[" + std::to_string(i) + ",-1,2," + std::to_string(i * i * 1000003) +
                   ",[-8.0," + std::to_string(i / 16.0) + ",0.0625]," + std::to_string(i * 1.15) +
                   ",0]");
  return rows;
}

}  // namespace

TEST_CASE("alir/rows: generated programs", "[alir]") {
  for (const bench::mix mix : {bench::mix::dense, bench::mix::mixed})
    for (const bench::decimals decimals : {bench::decimals::shortened, bench::decimals::full}) {
      model m = bench::generate({.mix = mix, .operations = 300, .decimals = decimals});
      m.ops[40].data = INT64_MIN;
      m.ops[60].data = INT64_MAX;
      m.ops[70].spelled = samples::alir::spelling::unsigned_data;
      m.ops[70].data = -1;
      m.ops[80].id1 = INT32_MIN;
      m.ops[90].latency = 1e-7;
      m.ops[100].latency = 9007199254740993.0;
      m.ops[110].qint.max = 0.1 + 0.2;
      m.ops[120].qint.min = -0.0;
      m.ops[130].spelled = samples::alir::spelling::min;
      m.ops[130].qint.min = 0;
      const std::string json = samples::json(m);
      const auto compact = read(json), loose = read(spaced(json)),
                 marked = read("\xEF\xBB\xBF" + json);
      REQUIRE(compact.error() == error{});
      REQUIRE(loose.error() == error{});
      REQUIRE(marked.error() == error{});
      CHECK(samples::json(*compact) == json);
      CHECK(*loose == *compact);
      CHECK(*marked == *compact);
      CHECK(marked->source.ops[200].start == compact->source.ops[200].start + 3);
      for (std::size_t i = 0; i < m.ops.size(); ++i)
        if (json.substr(compact->source.ops[i].start - 1, 1) != "[") FAIL("place of row " << i);
      // Where the rows end, and where the last 512 bytes do.
      for (std::size_t cut = json.size() - 700; cut < json.size(); cut += 19)
        CHECK_FALSE(read(std::string_view(json).substr(0, cut)));
    }
}

TEST_CASE("alir/rows: unusual ones among the usual", "[alir]") {
  const char* const unusual[] = {
      "[0,-1,2,0,[-8e0,7.9375,6.25E-2],0,0]",
      "[ 0,-1,2,0,[-8.0,7.9375,0.0625],0,0]",
      "[0 ,-1,2,0,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2,0,[-8.0,7.9375,0.0625],0,0 ]",
      "[0,-1,2,0,[-8.0,7.9375,0.0625] ,0,0]",
      "[0,\n-1,\t2,0,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2,0,[-8,7,1],0,0]",
      "[0,-1,2,0,[-0,-0.0,1],-0,-0]",
      "[-0,-1,2,-0,[0,0,1],0,0]",
      "[2147483647,-2147483648,2,9223372036854775807,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2,-9223372036854775808,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2,18446744073709551615,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,10,999999999999999999,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,6,-999999999999999999,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2,0,[-8.0000000000000000000,7.93750000000000000000000000000001,0.0625],0,0]",
      "[0,-1,2,0,[12345678.0,123456789.5,1234567890123456.5],9007199254740991,0]",
      "[12345678,87654321,2,1234567812345678,[-8.12345678,7.1234567812345678,0.0625],0,0]",
      "[0,-1,-2,0,[-8.0,7.9375,0.0625],0,0]",
      // refused
      "[0,-1,11,0,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,-3,0,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2000000,0,[-8.0,7.9375,0.0625],0,0]",
      "[2147483648,-1,2,0,[-8.0,7.9375,0.0625],0,0]",
      "[0,-2147483649,2,0,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2,18446744073709551616,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2,0,[-8.0,7.9375,0.0625],0]",
      "[0,-1,2,0,[-8.0,7.9375,0.0625],0,0,0]",
      "[0,-1,2,0,[-8.0,7.9375],0,0]",
      "[0,-1,2,0,[-8.0,7.9375,0.0625,0],0,0]",
      "[0,-1,2,0,-8.0,7.9375,0.0625,0,0]",
      "[0,-1,2,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2,0,[NaN,7.9375,0.0625],0,0]",
      "[0,-1,2,0,[-8.0,Infinity,0.0625],0,0]",
      "[0,-1,2,0,[-8.0,1e999,0.0625],0,0]",
      "[0,-1,2,0,[-8.0,9007199254740992,0.0625],0,0]",
      "[00,-1,2,0,[-8.0,7.9375,0.0625],0,0]",
      "[0,-01,2,0,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2,0,[-08.0,7.9375,0.0625],0,0]",
      "[0,-1,2,0,[-8.,7.9375,0.0625],0,0]",
      "[0,-1,2,0,[-.8,7.9375,0.0625],0,0]",
      "[0,-1,2,0.0,[-8.0,7.9375,0.0625],0,0]",
      "[0.0,-1,2,0,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2,0,[-8.0,7.9375,0.0625],0,0",
      "[0,-1,2,0,[-8.0,7.9375,0.0625,0,0]",
      "0,-1,2,0,[-8.0,7.9375,0.0625],0,0]",
      "[0,-1,2,0,[-8.0,7.9375,0.0625],0,0]]",
      "[0,-1,2,0,[-8.0,7.9375,0.0625],0,\xff]",
      "[[0],2,[],[-8.0,7.9375,0.0625],0,0]",
      "{}",
      "null",
      "",
  };
  for (const std::string row : unusual) {
    for (const std::size_t every : {1u, 2u, 7u}) {
      std::vector<std::string> rows = usual_rows(every == 1 ? 20 : 40);
      for (std::size_t i = every - 1; i < rows.size(); i += every) rows[i] = row;
      (void)read(file_of(rows));
      (void)read(spaced(file_of(rows)));
    }
    // After a row that the fast path takes, and in front of one.
    std::vector<std::string> rows = usual_rows(40);
    rows[5] = row;
    (void)read(file_of(rows));
    rows.erase(rows.begin(), rows.begin() + 5);
    (void)read(file_of(rows));
  }
}

TEST_CASE("alir/rows: max_items and max_depth", "[alir]") {
  const std::vector<std::string> rows = usual_rows(90);
  const std::string json = file_of(rows);
  for (std::uint64_t most = 0; most <= 91; ++most) {
    const auto m = read(json, {.max_items = most});
    if (most >= rows.size())
      CHECK(m.error() == error{});
    else if (most >= 4)
      CHECK(m.error() ==
            error{errc::too_many_items, json.find(rows[static_cast<std::size_t>(most)])});
  }
  for (std::uint32_t depth = 0; depth <= 7; ++depth) {
    const auto m = read(json, {.max_depth = depth});
    CHECK(m.error().code == (depth < 5 ? errc::json_depth : errc::ok));
    if (depth == 4) CHECK(m.error().offset == json.find("[-8.0"));
    if (depth == 3) CHECK(m.error().offset == json.find(rows[0]));
  }
  CHECK(read(json, {.max_bytes = json.size() - 1}).error().code == errc::input_too_large);
}

TEST_CASE("alir/rows: more of them than a file's length suggests", "[alir]") {
  // The shortest row: room is made for one operation per 48 bytes of the file.
  const std::vector<std::string> rows(3000, "[0,0,0,0,[0,0,0],0,0]");
  const auto m = read(file_of(rows));
  REQUIRE(m.error() == error{});
  REQUIRE(m->ops.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!(m->ops[i] == m->ops[0]) || m->source.ops[i].start != m->source.ops[0].start + 22 * i)
      FAIL("row " << i);
  const auto loose = read(spaced(file_of(rows)));
  REQUIRE(loose.error() == error{});
  CHECK(loose->ops == m->ops);
}

TEST_CASE("alir/rows: files whose operations come early, twice, or in another form", "[alir]") {
  // A row can't stand in the first 16 bytes of a file, which the fast path looks back on.
  const std::string shortest = R"({"model":[[1,1],[],[],[],[],[)";
  CHECK(shortest.size() >= 16);
  std::string rows;
  for (const std::string& row : usual_rows(40)) rows += (rows.empty() ? "" : ",") + row;
  const std::string tail = R"(],-1,-1],"meta":"ALIRModel","spec_version":)";
  CHECK(read(shortest + rows + tail + "2}").error() == error{});
  // In versions 3 and 4 the first row of the old form is the error, whichever path read it.
  CHECK(read(shortest + rows + tail + "4}").error() ==
        error{errc::alir_operation_form, shortest.size()});
  const std::string first = "[[],-1,[0],[-8,7,1],0,0],";
  CHECK(read(shortest + first + rows + tail + "4}").error() ==
        error{errc::alir_operation_form, shortest.size() + first.size()});
  CHECK(read(shortest + first + rows + tail + "2}").error() ==
        error{errc::alir_operation_form, shortest.size()});
  CHECK(read(R"({"model":1,)" + (shortest + rows + tail + "2}").substr(1)).error().code ==
        errc::json_expected_array);
  CHECK(read((shortest + rows + "],-1,-1]," + (shortest + rows + tail + "2}").substr(1)))
            .error()
            .code == errc::json_duplicate_key);
}

TEST_CASE("alir/rows: versions 3 and 4", "[alir]") {
  const std::string head = R"({"model":[[20,1],[],[],[],[],[)";
  const auto file = [&head](const std::vector<std::string>& rows, char version) {
    std::string all;
    for (const std::string& row : rows) all += (all.empty() ? "" : ",") + row;
    return head + all + R"(],-1,-1],"meta":"ALIRModel","spec_version":)" + version + '}';
  };
  const std::vector<std::string> usual = {
      "[[],-1,[14],[-8.0,7.9375,0.0625],0,0]",
      "[[],5,[5],[1.25,1.25,0.25],0.0,0.0]",
      "[[0],-2,[],[-7.5,8.0,0.5],0.0,0.0]",
      "[[1,0],0,[-2],[-10.0,9.921875,0.015625],1.322265625,9]",
      "[[0,0],1,[3],[-71.5,71.9375,0.0625],1.34765625,10]",
      "[[3],2,[],[0.0,15.75,0.25],6.9921875,9.99]",
      "[[2],4,[-1,-2],[-50.9140625,42.71875,0.00390625],6.9921875,0]",
      "[[5,1,0],6,[-1],[0.0,3.5,0.5],2.09375,2.5]",
      "[[4,2],7,[],[-2.75,5.5,0.25],3.09375,15.0]",
      "[[1],8,[0],[-1.5,0.5,0.5],4.59375,20.0]",
      "[[1],9,[0],[0.0,3.0,1.0],0.0,0.0]",
      "[[0,1],10,[-1,2],[-8.0,7.5,0.5],0.5,2.0]",
  };
  const std::string quantize_3 = "[[0],3,[],[-256.0,255.9375,0.0625],9.515625,0]",
                    quantize_4 = "[[0],3,[-3],[-256.0,255.9375,0.0625],9.515625,0]",
                    sum = "[[0,1,0],11,[0,1,1,2,0,3],[-256.0,255.9375,0.0625],9.5,0]";
  for (const char version : {'3', '4'}) {
    const std::string& quantize = version == '3' ? quantize_3 : quantize_4;
    std::vector<std::string> rows;
    for (unsigned i = 0; i < 5; ++i) {
      rows.insert(rows.end(), usual.begin(), usual.end());
      rows.insert(rows.end(), {quantize, quantize, sum});
    }
    for (const std::string& text : {file(rows, version), spaced(file(rows, version))}) {
      const auto m = read(text);
      REQUIRE(m.error() == error{});
      CHECK(m->ops.size() == rows.size());
    }
    // A quantize of the other version, first and after others.
    for (const std::size_t at : {0u, 20u}) {
      std::vector<std::string> mixed = rows;
      mixed[at] = version == '3' ? quantize_4 : quantize_3;
      CHECK(read(file(mixed, version)).error().code == errc::alir_data);
    }
    // Every byte of every row another one, in one version or the other; and rows that lists make too long, short or wrong.
    for (std::vector<std::string> changed(rows.begin(), rows.begin() + 26);
         const std::string& row : usual) {
      for (std::size_t i = version == '3' ? 0 : 1; i < row.size(); i += 2)
        for (const char c : std::string_view("09-,[] \"")) {
          changed[13] = row;
          changed[13][i] = c;
          if (!fuzz::paths_agree(file(changed, version))) FAIL(changed[13]);
        }
    }
    for (const char* const row :
         {"[[0,1,2,3],0,[1],[0.0,1.0,1.0],0,0]", "[[0,1],0,[1,2],[0.0,1.0,1.0],0,0]",
          "[[0,1],0,[1,2,3],[0.0,1.0,1.0],0,0]", "[[0,],0,[1],[0.0,1.0,1.0],0,0]",
          "[[,0],0,[1],[0.0,1.0,1.0],0,0]", "[[0],-1,[3000000000],[0.0,1.0,1.0],0,0]",
          "[[],-1,[3000000000],[0.0,1.0,1.0],0,0]", "[[0,1],0,[3000000000],[0.0,1.0,1.0],0,0]",
          "[[0,1],10,[0,3],[0.0,1.0,1.0],0,0]", "[[0],4,[9223372036854775807,1],[0,1,1],0,0]",
          "[[0],4,[1,2147483648],[0,1,1],0,0]", "[[2147483648],4,[1,2],[0,1,1],0,0]",
          "[[0],12,[],[0,1,1],0,0]", "[[0],-3,[],[0,1,1],0,0]", "[0,-1,2,0,[0.0,1.0,1.0],0,0]"}) {
      std::vector<std::string> changed = rows;
      changed[13] = row;
      (void)read(file(changed, version));
      (void)read(spaced(file(changed, version)));
    }
  }
}

TEST_CASE("alir/rows: lists of integers", "[alir]") {
  const auto file = [](const std::string& list, const std::string& comma) {
    std::string table = "1,-2,0,-0,999999999,-999999999,1000000000,2147483647,-2147483648";
    for (int i = 0; i < 40; ++i) table += comma + std::to_string(i * i - 300);
    return R"({"model":[[1,0],[0],[],[],[],[],-1,-1,[{"table":[)" + table + comma + list + comma +
           table + R"(]}]],"meta":"ALIRModel","spec_version":2})";
  };
  for (const std::string comma : {",", ", ", " ,", ",\n", ",  "}) {
    const auto m = read(file("7", comma));
    REQUIRE(m.error() == error{});
    REQUIRE(m->table_data.size() == 99);
    CHECK(m->table_data[3] == 0);
    CHECK(m->table_data[5] == -999999999);
    CHECK(m->table_data[49] == 7);
    for (const char* const list :
         {"01", "-01", "2147483648", "-2147483649", "1.0", "1e3", "-", "", "1,,2", "x", "\"1\"",
          "[1]", "1 2", "- 1", "+1", "12345678901234567890", "null", "1]", "1}"})
      CHECK_FALSE(read(file(list, comma)));
    for (std::uint64_t most = 95; most <= 101; ++most)
      CHECK(read(file("7", comma), {.max_items = most}).error().code ==
            (most < 99 ? errc::too_many_items : errc::ok));
    for (const std::string json = file("7", comma); const std::size_t back : {3u, 40u, 60u, 90u})
      CHECK_FALSE(read(std::string_view(json).substr(0, json.size() - back)));
  }
}
