// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Reading and writing: what survives, what is made, what is refused.

#include "samples.hpp"
// Keeps the line above where it is.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tessera/core/bytes.hpp>
#include <tuple>

#include "build.hpp"

namespace {

using samples::alir::interval;
using samples::alir::model;
using samples::alir::opcode;
using samples::alir::spelling;
using tessera::errc;
using tessera::error;
using Words = std::vector<std::int32_t>;

/// The operation in `row`, which follows one that reads an input.
samples::alir::operation row(const std::string& text, int version = 2) {
  const std::string input =
      version == 2 ? "[0,-1,-1,0,[-8,7,1],0,0]," : "[[],-1,[0],[-8,7,1],0,0],";
  return samples::model(samples::with_rows(input + text, version)).ops[1];
}
std::string rewritten(const std::string& json) { return samples::json(samples::model(json)); }

/// A version 2 file as write_json writes it, around the operations of one model.
std::string canonical(const std::string& rows, const std::string& tables = "null") {
  return R"({"model":[[1,1],[0],[0],[0],[false],[)" + rows + "],-1,-1," + tables +
         R"(],"meta":"ALIRModel","spec_version":2})";
}

}  // namespace

TEST_CASE("alir/write: canonical files survive byte for byte", "[alir]") {
  std::size_t count = 0;
  for (const samples::file& f : samples::good()) {
    INFO(f.name << '.' << f.form);
    const model m = samples::model(f.content, f.is_bytecode());
    CHECK(m.spec_version == f.form[1] - '0');
    CHECK(m == samples::model(f.content, f.is_bytecode()));
    const std::string& json = samples::good(f.name, "v2.json");
    const std::string& bytecode = samples::good(f.name, "v2.bc");
    if (!f.is_bytecode()) {
      // Numbers of version 3 and 4 rows stand as in version 2, but for what is packed into data.
      if (f.form == "v2.json") CHECK(samples::json(m) == json);
      const model two = samples::model(json);
      if (samples::json(m) != json) {
        // An unsigned spelling of data has no place in versions 3 and 4.
        model plain = two;
        for (auto& o : plain.ops)
          o.spelled = static_cast<std::uint8_t>(o.spelled & ~spelling::unsigned_data);
        CHECK(m == plain);
      } else {
        CHECK(m == two);
      }
    }
    CHECK(samples::bytecode(m) == bytecode);
    ++count;
  }
  CHECK(count == 5 * 23);
}

TEST_CASE("alir/write: traced networks survive byte for byte", "[alir]") {
  const auto folder = std::filesystem::path(TESSERA_SAMPLES_DIR) / "alir" / "ok";
  if (!std::filesystem::exists(folder)) {
    WARN("left out: no folder " << folder.string() << " (TESSERA_SAMPLES_DIR)");
    return;
  }
  for (const char* const name : {"alk_docs_example", "alk_mlp_16_16_16_8"}) {
    INFO(name);
    const std::string stem = (folder / name).string();
    const std::string json = samples::load(stem + ".v2.json");
    model m = samples::model(json);
    CHECK(samples::json(m) == json);
    CHECK(samples::bytecode(m) == samples::load(stem + ".v2.bc"));
    CHECK(samples::json(samples::model(samples::load(stem + ".v4.json"))) == json);
    // Every table's spec is one that we make ourselves.
    for (auto& table : m.tables) table.has_spec = false;
    CHECK(samples::json(m) == json);
    for (const auto& o : m.ops) {
      if (o.code != opcode::lookup) continue;
      const auto& table = m.tables[static_cast<std::size_t>(o.data)];
      CHECK(samples::alir::table_hash(entries(m, table), type_of(o.qint).f) == hash(m, table));
    }
  }
}

TEST_CASE("alir/write: bytecode to JSON and back", "[alir]") {
  for (const samples::file& f : samples::good()) {
    if (!f.is_bytecode()) continue;
    INFO(f.name << '.' << f.form);
    const model m = samples::model(f.content, true);
    const model again = samples::model(samples::json(m));
    CHECK(again.ops == m.ops);
    CHECK(samples::bytecode(again) == samples::good(f.name, "v2.bc"));
    // Only the specs that the writer made distinguish the two.
    REQUIRE(again.tables.size() == m.tables.size());
    for (std::size_t i = 0; i < m.tables.size(); ++i) {
      CHECK(again.tables[i].has_spec);
      CHECK(again.tables[i].first == m.tables[i].first);
      CHECK(again.tables[i].count == m.tables[i].count);
    }
    CHECK(samples::json(again) == samples::json(m));
  }
}

TEST_CASE("alir/read: words in memory are those of a file", "[alir]") {
  for (const samples::file& f : samples::good()) {
    if (f.form != "v2.bc") continue;
    INFO(f.name);
    Words words(f.content.size() / 4);
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = tessera::load_le<std::int32_t>(f.content.data() + 4 * i);
    const auto m = samples::alir::read_bytecode(words);
    REQUIRE(m.error() == error{});
    CHECK(*m == samples::model(f.content, true));
    CHECK(*samples::alir::read_bytecode(std::string_view(f.content)) == *m);
    const auto written = samples::alir::write_bytecode(*m);
    REQUIRE(written.error() == error{});
    CHECK(std::equal(written->begin(), written->end(), words.begin(), words.end()));
    words.push_back(0);
    CHECK(samples::alir::read_bytecode(words).error() ==
          error{errc::alir_bytecode_trailing, f.content.size()});
  }
  CHECK(samples::alir::read_bytecode(Words{}).error() == error{errc::alir_bytecode_truncated, 0});
  CHECK(samples::alir::read_bytecode(Words{3, 0, 0, 0, 0, 0}).error() ==
        error{errc::alir_version_unknown, 0});
}

TEST_CASE("alir/write: how numbers were spelled is kept", "[alir]") {
  // clang-format off
  const std::string rows =
      "[0,-1,-1,0,[-8,7.5,0.5],0,10],"
      "[0,-1,-1,0,[-8.0,7,1],0.0,10.0],"
      "[0,-1,-1,0,[-0.0,7.0,1.0],-0.0,1e+16],"
      "[0,-1,-1,0,[0.0,1.5,0.0001220703125],3e-05,11.322000000000001],"
      "[-1,-1,5,9223372036854775807,[0.0,1.0,1.0],0.0,0.0],"
      "[-1,-1,5,9223372036854775808,[0.0,1.0,1.0],0.0,0.0],"
      "[-1,-1,5,-9223372036854775808,[0.0,1.0,1.0],0.0,0.0],"
      "[-1,-1,5,18446744073709551615,[0.0,1.0,1.0],0.0,0.0],"
      "[0,0,6,18446744060824649730,[0.0,1.0,1.0],0.0,0.0]";
  // clang-format on
  CHECK(rewritten(canonical(rows)) == canonical(rows));
  const model m = samples::model(canonical(rows));
  CHECK(m.ops[0].spelled == (spelling::min | spelling::latency | spelling::cost));
  CHECK(m.ops[1].spelled == (spelling::max | spelling::step));
  CHECK(std::signbit(m.ops[2].qint.min));
  CHECK(std::signbit(m.ops[2].latency));
  CHECK(m.ops[5].data == INT64_MIN);
  CHECK(m.ops[5].spelled == spelling::unsigned_data);
  CHECK(m.ops[6].data == INT64_MIN);
  CHECK(m.ops[6].spelled == 0);
  CHECK(m.ops[7].data == -1);
  CHECK(m.ops[8].data == 2);
  CHECK(m.ops[8].shift == -3);

  // Layout is not kept: this is what a float looks like.
  CHECK(rewritten(canonical("[0,-1,-1,0,[-80e-1,1.50,5e-1],1E2,-0]")) ==
        canonical("[0,-1,-1,0,[-8.0,1.5,0.5],100.0,0]"));
  // The spec of a table keeps its spelling too.
  const std::string tables =
      R"([{"spec":{"hash":"\"\u00e9","out_qint":{"min":-3,"max":0.0,"step":1},"inp_width":-5},)"
      R"("table":[-2147483648,2147483647]}])";
  const std::string input = "[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0]";
  CHECK(samples::model(rewritten(canonical(input, tables))).tables ==
        samples::model(canonical(input, tables)).tables);
  CHECK(rewritten(canonical(input, samples::with(tables, R"(\"\u00e9)", "00"))) ==
        canonical(input, samples::with(tables, R"(\"\u00e9)", "00")));
}

TEST_CASE("alir/read: order of members, unknown members and absent tables change nothing",
          "[alir]") {
  const std::string rows = "[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0]";
  const std::string all = canonical(rows);
  const std::string array = all.substr(9, all.find(",\"meta\"") - 9);
  const model m = samples::model(all);
  CHECK(samples::model(R"({"spec_version":2,"meta":"ALIRModel","model":)" + array + "}") == m);
  CHECK(samples::model(R"({"meta":"ALIRModel","model":)" + array + R"(,"spec_version":2})") == m);
  CHECK(samples::model(samples::with(all, "\"meta\"", R"("x":[{"model":3}],"y":"","meta")")) == m);
  CHECK(samples::model("\xEF\xBB\xBF" + all) == m);
  CHECK(samples::model(samples::with(all, ",null]", "]")) == m);
  CHECK(samples::model(samples::with(all, ",null]", ",[]]")) == m);
  CHECK(rewritten(samples::with(all, ",null]", ",[]]")) == all);

  const std::string spec =
      R"("spec":{"hash":"0","out_qint":{"min":1.0,"max":2.0,"step":1.0},"inp_width":1})";
  const model with_table = samples::model(canonical(rows, "[{" + spec + R"(,"table":[1,2]}])"));
  REQUIRE(with_table.tables.size() == 1);
  CHECK(samples::model(canonical(rows, R"([{"table":[1,2],)" + spec + "}]")) == with_table);
  CHECK(samples::model(canonical(rows, R"([{"a":1,)" + spec + R"(,"table":[1,2]}])")) ==
        with_table);
  CHECK(samples::model(canonical(
            rows, R"([{"table":[1,2],"spec":{"inp_width":1,"z":0,"out_qint":{"step":1.0,"y":0,)"
                  R"("max":2.0,"min":1.0},"hash":"0"}}])")) == with_table);
}

TEST_CASE("alir/read: out_negs are booleans, or integers that are not zero", "[alir]") {
  const std::string all =
      samples::with(canonical("[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0]"), "[[1,1],[0],[0],[0],[false]",
                    "[[1,5],[0],[0,0,0,-7,-1],[0,0,0,0,0],[false,true,0,7,-1]");
  const model m = samples::model(all);
  CHECK(m.out_negs == tessera::pool<std::uint8_t>{0, 1, 0, 1, 1});
  CHECK(samples::json(m).find("[false,true,false,true,true]") != std::string::npos);
  CHECK(m.out_idxs == tessera::pool<std::int32_t>{0, 0, 0, -7, -1});
}

TEST_CASE("alir/read: data is split by its opcode", "[alir]") {
  using Fields = std::tuple<std::int64_t, std::int32_t>;  // data, shift
  const auto fields = [](const samples::alir::operation& o) { return Fields{o.data, o.shift}; };
  const std::string q = ",[0.0,1.0,1.0],0.0,0.0]";
  CHECK(fields(row("[0,0,0,-5" + q)) == Fields{-5, 0});
  CHECK(fields(row("[0,-1,4,12884901885" + q)) == Fields{-3, 2});
  CHECK(fields(row("[0,-1,4,-12884901885" + q)) == Fields{3, -3});
  CHECK(fields(row("[-1,-1,5,1099511627776" + q)) == Fields{1099511627776, 0});
  CHECK(fields(row("[0,0,6,-4294967296" + q)) == Fields{0, -1});
  CHECK(fields(row("[0,0,10,144115192370823167" + q)) == Fields{2 << 24, -1});
  // The reserved bits of a bit_binary are kept.
  CHECK(fields(row("[0,0,10,72058693549555712" + q)) == Fields{(1 << 24) + 256, 0});
  CHECK(rewritten(canonical("[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0],[0,0,10,72058693549555712" + q)) ==
        canonical("[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0],[0,0,10,72058693549555712" + q));

  CHECK(fields(row("[[0,0],0,[-5]" + q, 4)) == Fields{-5, 0});
  CHECK(fields(row("[[0],3,[-5]" + q, 4)) == Fields{0, -5});
  CHECK(fields(row("[[0],3,[]" + q, 3)) == Fields{0, 0});
  CHECK(fields(row("[[0],4,[1099511627776,2]" + q, 4)) == Fields{1099511627776, 2});
  CHECK(fields(row("[[0,0,0],6,[-1]" + q, 4)) == Fields{0, -1});
  CHECK(fields(row("[[0,0],10,[-1,2]" + q, 4)) == Fields{2 << 24, -1});
}

TEST_CASE("alir/read: sums of version 4, in both forms", "[alir]") {
  const std::string input = "[[],-1,[0],[-8.0,7.0,1.0],0.0,0.0]";
  const std::string sum = "[[0,1,0],11,[1,0,0,2,1,-1],[-64.0,63.5,0.5],1.0,2.0]";
  const std::string json = samples::with_rows(input + ',' + input + ',' + sum + ',' + sum, 4);
  const model m = samples::model(json);
  using samples::alir::term;
  REQUIRE(m.terms.size() == 6);
  CHECK(m.ops[2].id0 == 0);
  CHECK(m.ops[2].id1 == 3);
  CHECK(m.ops[3].id0 == 3);
  CHECK(m.terms[3] == term{0, 0, false});
  CHECK(m.terms[4] == term{1, 2, true});
  CHECK(m.terms[5] == term{0, -1, false});
  const auto proven = samples::alir::verify(samples::model(json));
  REQUIRE(proven.error() == error{});
  const std::int64_t common = proven->sum_fraction(3);
  CHECK(common == 1);
  CHECK(proven->term_shift(common, m.terms[3]) == 1);
  CHECK(proven->term_shift(common, m.terms[4]) == 3);
  CHECK(proven->term_shift(common, m.terms[5]) == 0);
  CHECK(proven->shifts(3).result == 0);

  CHECK(samples::json(m, 4).find("," + sum + "," + sum + "],-1,-1,") != std::string::npos);
  const auto bytes = samples::alir::write(m, {.encoding = samples::alir::encoding::bytecode});
  REQUIRE(bytes.error() == error{});
  CHECK(samples::model(bytes->view(), true).terms == m.terms);
}

TEST_CASE("alir/write: models that no file can hold", "[alir]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  build::sketch good;
  good.output(good.input({-8, 7, 1}));
  good.op({.id0 = 0, .code = opcode::negate, .qint = {-7, 8, 1}});
  REQUIRE(samples::alir::write_json(good.model).error() == error{});
  const auto refused = [&good](auto change) {
    model m = good.model;
    change(m);
    return samples::alir::write_json(m).error();
  };
  const error second{errc::alir_not_finite, 1};
  CHECK(refused([&](model& m) { m.ops[1].qint.min = -infinity; }) == second);
  CHECK(refused([&](model& m) { m.ops[1].qint.max = infinity; }) == second);
  CHECK(refused([&](model& m) { m.ops[1].qint.step = nan; }) == second);
  CHECK(refused([&](model& m) { m.ops[1].latency = nan; }) == second);
  CHECK(refused([&](model& m) { m.ops[1].cost = infinity; }) == second);
  const auto with_table = [](double interval::*field, double value) {
    return [=](model& m) {
      m.tables.resize(2);
      m.tables[1].out_qint.*field = value;
    };
  };
  CHECK(refused(with_table(&interval::min, nan)) == second);
  CHECK(refused(with_table(&interval::max, infinity)) == second);
  CHECK(refused(with_table(&interval::step, nan)) == second);

  // The operation's index is the offset of a model without a source.
  const auto not_version_2 = [&refused](opcode code, std::int64_t data, std::int32_t shift) {
    return refused([&](model& m) {
      m.ops.push_back({.id0 = 0, .id1 = 0, .code = code, .shift = shift, .data = data, .qint = {}});
    });
  };
  const error third{errc::alir_not_version_2, 2};
  CHECK(not_version_2(opcode::mux, INT32_MAX, 0) == error{});
  CHECK(not_version_2(opcode::mux, INT64_C(1) << 31, 0) == third);
  CHECK(not_version_2(opcode::bit_binary, -1, 0) == third);
}

TEST_CASE("alir/write: bytecode keeps what it has room for and drops the rest", "[alir]") {
  const std::string json = canonical(
      "[0,-1,-1,0,[-3.0,3.0,1.0],1.5,2.5],[-1,-1,5,-1099511627777,[0.0,0.0,0.3],0.0,0.0]");
  const model m = samples::model(samples::bytecode(samples::model(json)), true);
  CHECK(m.ops[0].qint == interval{-4, 3, 1});  // the widest of its type
  CHECK(m.ops[0].latency == 0.0);
  CHECK(m.ops[0].cost == 0.0);
  CHECK(m.ops[1].data == -1099511627777);
  CHECK(m.ops[1].qint == interval{});
  CHECK(m.carry_size == -1);
  CHECK(m.adder_size == -1);

  // Words: the row of the second operation, after header, interface and the first.
  const std::string raw = samples::bytecode(samples::model(json));
  Words second;
  for (std::size_t at = 4 * (6 + 4 + 8); at < raw.size(); at += 4)
    second.push_back(tessera::load_le<std::int32_t>(raw.data() + at));
  CHECK(second == Words{5, -1, -1, -1, -257, 0, 0, 0});
}

TEST_CASE("alir/write: bytecode of a model that is not verified", "[alir]") {
  build::sketch p;
  p.output(p.input({-8, 7, 1}));
  REQUIRE(samples::alir::write_bytecode(p.model).error() == error{});
  model m = p.model;
  m.out_idxs[0] = 1;
  CHECK(samples::alir::write_bytecode(m).error() == error{errc::alir_output_index, 0});
  m = p.model;
  m.ops[0].qint.step = 3;
  CHECK(samples::alir::write_bytecode(m).error() == error{errc::alir_step, 0});
  m = p.model;
  m.ops[0].id0 = 1;
  CHECK(samples::alir::write_bytecode(m).error() == error{errc::alir_input_index, 0});
}

TEST_CASE("alir/write: an opcode or a shift that version 2 has no room for", "[alir]") {
  model m = samples::model(samples::good("all_ops", "v2.json"));
  m.source = {};
  m.ops[3].data = std::int64_t{1} << 33;  // an add
  CHECK(samples::alir::write_bytecode(m).error() == error{errc::alir_bytecode_range, 3});
  m.ops[2].code = static_cast<opcode>(12);
  CHECK(samples::alir::write_json(m).error() == error{errc::alir_opcode, 2});
  CHECK(samples::alir::write_bytecode(m).error() == error{errc::alir_opcode, 2});
}

TEST_CASE("alir/write: tables without a spec get the one of the format's compiler", "[alir]") {
  const std::string& json = samples::good("lookup", "v2.json");
  model m = samples::model(json);
  REQUIRE_FALSE(m.tables.empty());
  for (auto& table : m.tables) table.has_spec = false;
  const model made = samples::model(samples::json(m));
  for (const auto& o : m.ops) {
    if (o.code != opcode::lookup) continue;
    const auto& table = made.tables[static_cast<std::size_t>(o.data)];
    CHECK(table.has_spec);
    CHECK(samples::alir::table_hash(entries(made, table), type_of(o.qint).f) == hash(made, table));
  }
  // Entries 1, -2, -3, -2 with one fraction bit.
  model all_ops = samples::model(samples::good("all_ops", "v2.json"));
  const auto documented = all_ops.tables[0];
  all_ops.tables[0].has_spec = false;
  all_ops.tables[0].out_qint = {};
  CHECK(samples::model(samples::json(all_ops)).tables[0].out_qint == documented.out_qint);
  CHECK(samples::model(samples::json(all_ops)).tables[0].inp_width == 2);
  const tessera::text hash_of_all_ops = samples::alir::table_hash(entries(all_ops, documented), 1);
  CHECK(samples::json(all_ops).find("\"hash\":\"" + std::string(hash_of_all_ops.view()) + '"') !=
        std::string::npos);

  // Nobody looks it up: no fraction bits. One entry: one bit of input all the same.
  const model unused = samples::model(rewritten(canonical("", R"([{"table":[7]}])")));
  CHECK(unused.tables[0].out_qint == interval{7, 7, 1});
  CHECK(unused.tables[0].inp_width == 1);
  const model five = samples::model(rewritten(canonical("", R"([{"table":[1,2,3,4,5]}])")));
  CHECK(five.tables[0].out_qint == interval{1, 5, 1});
  CHECK(five.tables[0].inp_width == 3);
}

TEST_CASE("alir/table_hash: SHA-256", "[alir]") {
  // The class itself, against the vectors of FIPS 180-4.
  const auto digest = [](std::string_view s) {
    samples::alir::detail::sha256 hash;
    hash.update(tessera::as_bytes(s));
    const tessera::text hex = hash.hex();
    return std::string(hex.view());
  };
  CHECK(digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(digest(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  // A table is its entries as little-endian words, then the fraction bits in decimal.
  const tessera::pool<std::int32_t> entries = {1, -2};
  const std::string raw{"\1\0\0\0\xfe\xff\xff\xff-12", 11};
  using samples::alir::table_hash;
  CHECK(table_hash(entries, -12) == digest(raw));
  const tessera::pool<std::int32_t> four = {1, -2, -3, -2};
  CHECK(table_hash(four, 1) == "814ffd833dc01a71718bd6ed5a728dd372a483512182c30ce5f65ec888e4be57");
}
