// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// alir::read: which encoding it takes a file for, and forcing one; alir::write, its inverse.

#include <string>
#include <string_view>
#include <tessera/alir.hpp>
#include <tessera/core/describe.hpp>
#include <tessera/core/report.hpp>
#include <vector>

#include "../support/catch.hpp"
#include "build.hpp"

using namespace tessera;
using alir::encoding;
using namespace std::string_view_literals;

namespace {

/// x + 2, and x out of a table.
alir::model small() {
  build::sketch p;
  const auto x = p.input({0, 3, 1});
  p.op({.id0 = x, .code = alir::opcode::add_constant, .data = 2, .qint = {2, 5, 1}});
  p.op({.id0 = x, .code = alir::opcode::lookup, .qint = {0, 3, 1}});
  p.table({1, 2, 3, 0});
  p.output(1);
  return p.model;
}

/// The same in the byte form of version 4.
std::string byte_form() {
  std::string out = "ALIR";
  const auto u32 = [&out](std::uint32_t v) {
    for (int i = 0; i < 4; ++i) out += static_cast<char>(v >> 8 * i & 255);
  };
  for (const std::uint32_t v : {4u, 1u, 1u, 1u, 0u}) u32(v);
  u32(0), u32(0), u32(0);
  out += '\0';                          // out_negs
  out += "\xff\x01\x02\x00\0\0\1\0"sv;  // input, a signed type of 2 integer bits, 0 ids, 1 datum
  out += "\0\0\0\0\0\0\0\0"sv;          // input 0
  return out;
}

}  // namespace

TEST_CASE("alir/read: encodings are recognised by their first bytes", "[alir]") {
  const auto of = [](std::string_view s) {
    CHECK(alir::detect(s) == alir::detect(as_bytes(s)));
    return alir::detect(as_bytes(s));
  };
  CHECK(of("ALIR") == encoding::bytecode);
  CHECK(of("ALI") == encoding::json);
  CHECK(of("\2\0\0\0"sv) == encoding::bytecode);
  CHECK(of("\2\0\0"sv) == encoding::json);
  CHECK(of("") == encoding::json);
  CHECK(of("{\"model\":[]}") == encoding::json);
  CHECK(of(" [1]") == encoding::json);
}

TEST_CASE("alir/read: what is written reads back, in every encoding", "[alir]") {
  const alir::model m = small();
  const result<text> json = alir::write(m), bytecode = alir::write(m, {encoding::bytecode});
  REQUIRE((json && bytecode));
  const result<text> same = alir::write_json(m);
  CHECK(*json == *same);
  const result<pool<std::int32_t>> words = alir::write_bytecode(m);
  CHECK(bytecode->size() == 4 * words->size());
  for (const result<text>* source : {&json, &bytecode}) {
    const result<alir::model> back = alir::read((*source)->view());
    REQUIRE(back);
    const result<text> again = alir::write(*back, {encoding::bytecode});
    CHECK(*again == *bytecode);
  }
  const result<alir::model> back = alir::read(json->view());
  const result<text> twice = alir::write(*back);
  CHECK(*twice == *json);
  CHECK(alir::read(byte_form()));
}

TEST_CASE("alir/read: a forced encoding is the one that is read", "[alir]") {
  const alir::model m = small();
  const result<text> json = alir::write(m), bytecode = alir::write(m, {encoding::bytecode});
  const auto code = [](std::string_view s, encoding e) {
    return alir::read(s, {.encoding = e}).error().code;
  };
  CHECK(code(*json, encoding::json) == errc::ok);
  CHECK(code(*bytecode, encoding::bytecode) == errc::ok);
  CHECK(code(*json, encoding::bytecode) == errc::alir_version_unknown);
  CHECK(code(*bytecode, encoding::json) == errc::json_expected_object);
  CHECK(code(byte_form(), encoding::json) == errc::json_expected_object);
  CHECK(code(byte_form(), encoding::bytecode) == errc::ok);
  CHECK(alir::read("", {.encoding = encoding::bytecode}).error() ==
        error{errc::alir_bytecode_truncated, 0});
  CHECK(alir::read("").error().offset == 0);
}

TEST_CASE("alir/read: limits hold whatever the encoding", "[alir]") {
  const result<text> json = alir::write(small()), code = alir::write(small(), {encoding::bytecode});
  for (const result<text>* source : {&json, &code}) {
    const std::uint64_t size = (*source)->size();
    CHECK(alir::read((*source)->view(), {.limit = {.max_bytes = size}}));
    CHECK(alir::read((*source)->view(), {.limit = {.max_bytes = size - 1}}).error().code ==
          errc::input_too_large);
  }
}

TEST_CASE("alir/describe: an error in bytecode names what it is in", "[alir]") {
  const auto place = [](std::string_view source, std::uint64_t offset) {
    const text all = describe(error{errc::alir_id0, offset}, as_bytes(source));
    const std::string s(all.view());
    const std::size_t from = s.find(" at ") + 4;
    return s.substr(from, s.find(", offset ") == s.npos ? 0 : s.find(", offset ") - from);
  };
  const result<text> words = alir::write(small(), {encoding::bytecode});
  const std::string_view w = *words;  // 24 header, 4 lists of one entry, 3 operations, a table
  CHECK(place(w, 23).empty());
  CHECK(place(w, 24) == "inp_shifts[0]");
  CHECK(place(w, 28) == "out_idxs[0]");
  CHECK(place(w, 35) == "out_shifts[0]");
  CHECK(place(w, 36) == "out_negs[0]");
  CHECK(place(w, 40) == "operation 0 (input)");
  CHECK(place(w, 71) == "operation 0 (input)");
  CHECK(place(w, 72) == "operation 1 (add_const)");
  CHECK(place(w, 135) == "operation 2 (lookup)");
  CHECK(place(w, 136) == "table 0");
  CHECK(place(w, 140).empty());
  const std::string b = byte_form();  // 24 header, lists of 4, 4, 4 and 1 bytes, an operation
  CHECK(place(b, 36) == "out_negs[0]");
  CHECK(place(b, 37) == "operation 0 (input)");
  CHECK(place(b, b.size() - 1) == "operation 0 (input)");
  CHECK(place(b, b.size()).empty());
  CHECK(place(b.substr(0, 40), 39).empty());
}

TEST_CASE("alir/verify: a report has every fault, with its place", "[alir]") {
  constexpr std::string_view source =
      R"({"model":[[1,3],[0],[0,7,1],[0,0,0],[false,false],)"
      R"([[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0],[1,-1,2,0,[0.0,1.0,0.3],0.0,0.0],)"
      R"([0,5,0,0,[0.0,1.0,1.0],0.0,0.0],[0,-1,8,4,[0.0,1.0,1.0],0.0,0.0]],-1,-1,null],)"
      R"("meta":"ALIRModel","spec_version":2})";
  result<alir::model> m = alir::read(source);
  REQUIRE(m);
  report found;
  const result<alir::program> p = alir::verify(std::move(*m), {}, &found);
  REQUIRE_FALSE(p);
  CHECK(p.error().code == errc::alir_out_negs_count);
  CHECK(p.error().offset == found.diagnostics[0].where.offset);
  const source_file file{"m.json", source};
  const listing list(found, {&file, 1});
  const struct {
    std::string_view message, rule, path;
  } expected[] = {
      {"out_negs has 2 entries; expected 3, one for each output", "alir_out_negs_count",
       "$.model[4]"},
      {"output 1 refers to operation 7; expected -1 (none) or 0 to 3", "alir_output_index",
       "$.model[2][1]"},
      {"id0 is 1; expected an earlier operation, 0 to 0", "alir_id0", "$.model[5][1][0]"},
      {"[0.0, 1.0, 0.3]: the step must be a power of two from 2^-126 to 2^127", "alir_step",
       "$.model[5][1][4]"},
      {"id1 is 5; expected an earlier operation, 0 to 1", "alir_id1", "$.model[5][2][1]"},
      {"lookup table 4 does not exist; the model has none", "alir_table_index", "$.model[5][3][3]"},
  };
  REQUIRE(found.diagnostics.size() == std::size(expected));
  CHECK(found.errors == std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const diagnostic& d = found.diagnostics[i];
    CHECK(found.text_of(d.text) == expected[i].message);
    CHECK(found.rule_of(d) == expected[i].rule);
    CHECK(list.path_of(d) == expected[i].path);
  }
}

TEST_CASE("alir/verify: findings of bytecode and of models built in code", "[alir]") {
  alir::model m = small();
  m.ops[1].id0 = 3;
  m.out_idxs[0] = 9;
  report found;
  REQUIRE_FALSE(alir::verify(m, {}, &found));
  text all = describe(found, {});
  CHECK(std::string(all.view()) ==
        "<input>: error: output 0 refers to operation 9; expected -1 (none) or 0 to 2 "
        "[alir_output_index] "
        "at output 0\n"
        "<input>: error: id0 is 3; expected an earlier operation, 0 to 0 [alir_id0] at operation "
        "1\n");
  const result<text> words = alir::write(small(), {encoding::bytecode});
  std::string bytecode(words->view());
  bytecode[72 + 4] = 3;
  bytecode[28] = 9;
  result<alir::model> read = alir::read(bytecode);
  REQUIRE(read);
  report again;
  REQUIRE_FALSE(alir::verify(std::move(*read), {.max_diagnostics = 1}, &again));
  CHECK(again.errors == 2);
  REQUIRE(again.diagnostics.size() == 1);
  const source_file file{"m.bc", bytecode, true};
  all = describe(again, {&file, 1});
  CHECK(std::string(all.view()).find("] at out_idxs[0], offset 28 (0x1c)\n") != std::string::npos);
}
