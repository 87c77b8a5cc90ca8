// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "graphs.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"

using namespace tessera;
using graphs::library_of;
using graphs::numbers;
using graphs::row;
using graphs::stream_of;
using graphs::text_of;

namespace {

const row input{2, 1, 0, {}};
const row relu{20, 1, 0, {-1}};

genome::program program_of(const genome::library& l, const std::vector<row>& rows) {
  auto p = genome::verify(stream_of(rows), l);
  CAPTURE(p.error());
  REQUIRE(p);
  return *std::move(p);
}
std::string expanded(const genome::library& l, const std::vector<row>& rows,
                     const genome::expand_options& how = {}) {
  const auto s = genome::expand(program_of(l, rows), how);
  return s ? text_of(*s)
           : std::string(s.error().name()) + " at " + std::to_string(s.error().offset);
}
std::string printed(const std::vector<row>& rows) {
  const genome::stream s = stream_of(rows);
  return text_of(s);
}

/// Pattern 18 of a real registry, with its operations, constants and group.
const std::vector<row> pattern_18 = {
    {23, 10, 55, {-3}},  {55, 10, 48, {-1}},    {23, 10, 55, {-4}}, {55, 10, 48, {-1}},
    {23, 10, 55, {-5}},  {55, 10, 48, {-1}},    {17, 10, 20, {-5}}, {17, 10, 20, {-4}},
    {24, 10, -27, {-1}}, {53, 11, 0, {-3, -1}},
};

}  // namespace

TEST_CASE("genome/expand: a pattern's offsets count flat nodes", "[genome]") {
  const genome::library l = library_of({{18, pattern_18}});
  // Three nodes that the pattern's first, third and fifth views take, and one of its result.
  const std::vector<row> rows = {
      input, {5, 1, 11, {}}, {5, 1, 12, {}}, {6, 18, 0, {0, 1, 2}}, {4, 1, 0, {3}}};
  CHECK(expanded(l, rows) == printed({input,
                                      {5, 1, 11, {}},
                                      {5, 1, 12, {}},
                                      {23, 10, 55, {0}},
                                      {55, 10, 48, {3}},
                                      {23, 10, 55, {1}},
                                      {55, 10, 48, {5}},
                                      {23, 10, 55, {2}},
                                      {55, 10, 48, {7}},
                                      {17, 10, 20, {4}},
                                      {17, 10, 20, {6}},
                                      {24, 10, -27, {10}},
                                      {53, 11, 0, {9, 11}},
                                      {4, 1, 0, {12}}}));
  // Its other sink, node 5, can be what others take.
  const genome::pattern_result sink[] = {{18, 9}, {18, 5}};
  CHECK(expanded(l, rows, {.results = {sink, 2}}).ends_with("(4 1 0 | 8)\n"));
}

TEST_CASE("genome/expand: copies", "[genome]") {
  const genome::library l = library_of({{10, {{7, 5, 3, {1, 10}}, {30, 1, 0, {-1, -2, -3}}}}});
  // 0702000402 0001 0000: four inputs.
  const std::vector<row> rows = {{7, 2, 4, {1, 0}},
                                 {20, 1, 0, {0}},
                                 {6, 10, 0, {0, 1}},
                                 {30, 1, 0, {0, 1, 2}},
                                 {4, 1, 0, {3}}};
  const row parameter{5, 1, 10, {}};
  CHECK(expanded(l, rows) == printed({input,
                                      input,
                                      input,
                                      input,
                                      {20, 1, 0, {0}},
                                      parameter,
                                      parameter,
                                      parameter,
                                      {30, 1, 0, {5, 4, 0}},
                                      {30, 1, 0, {0, 4, 8}},
                                      {4, 1, 0, {9}}}));
  CHECK(expanded(l, rows, {.copies = false}) == printed({{7, 2, 4, {1, 0}},
                                                         {20, 1, 0, {0}},
                                                         {7, 5, 3, {1, 10}},
                                                         {30, 1, 0, {2, 1, 0}},
                                                         {30, 1, 0, {0, 1, 3}},
                                                         {4, 1, 0, {4}}}));
}

TEST_CASE("genome/expand: patterns inside of patterns", "[genome]") {
  // 11 is 12 between two nodes, and 13 is 11 under another name.
  const genome::library l = library_of({{11, {relu, {6, 12, 0, {}}, {21, 1, 0, {-1, -3, -4}}}},
                                        {12, {{22, 1, 0, {-2}}, {23, 1, 0, {-1}}}},
                                        {13, {{6, 11, 0, {}}}}});
  const std::string flat = printed({input,
                                    input,
                                    {20, 1, 0, {1}},
                                    {22, 1, 0, {1}},
                                    {23, 1, 0, {3}},
                                    {21, 1, 0, {4, 2, 1}},
                                    {4, 1, 0, {5}}});
  CHECK(expanded(l, {input, input, {6, 11, 0, {1}}, {4, 1, 0, {2}}}) == flat);
  CHECK(expanded(l, {input, input, {6, 13, 0, {1}}, {4, 1, 0, {2}}}) == flat);
}

TEST_CASE("genome/expand: blocks grow", "[genome]") {
  const genome::library l = library_of({{11, {relu, {21, 1, 0, {-1, -2}}}}});
  const std::vector<row> rows = {
      {7, 2, 3, {1, 0}},  {20, 1, 0, {0}}, {8, 1, 0, {2, 1, 1, 0}},  // IF 1, which takes 0
      {22, 1, 0, {0}},                                               //   then
      {6, 11, 0, {-1}},                                              //
      {7, 5, 3, {1, 10}},                                            //   else
      {4, 1, 0, {2}},
  };
  CHECK(expanded(l, rows) == printed({input,
                                      input,
                                      input,
                                      {20, 1, 0, {0}},
                                      {8, 1, 0, {3, 3, 3, 0}},
                                      {22, 1, 0, {0}},
                                      {20, 1, 0, {-1}},
                                      {21, 1, 0, {-1, -2}},
                                      {5, 1, 10, {}},
                                      {5, 1, 10, {}},
                                      {5, 1, 10, {}},
                                      {4, 1, 0, {4}}}));
}

TEST_CASE("genome/expand: blocks inside of patterns", "[genome]") {
  // Its result is the IF, not the last node, which is in a block.
  const genome::library l = library_of(
      {{11, {relu, {8, 1, 0, {1, 2, -1, -2}}, {22, 1, 0, {-3}}, {23, 1, 0, {-4}}, {6, 12, 0, {}}}},
       {12, {{24, 1, 0, {-1}}, {25, 1, 0, {-1}}}}});
  const std::vector<row> rows = {input, input, {6, 11, 0, {1}}, {26, 1, 0, {2}}, {4, 1, 0, {3}}};
  CHECK(expanded(l, rows) == printed({input,
                                      input,
                                      {20, 1, 0, {1}},
                                      {8, 1, 0, {1, 3, 2, 1}},
                                      {22, 1, 0, {1}},
                                      {23, 1, 0, {1}},
                                      {24, 1, 0, {-1}},
                                      {25, 1, 0, {-1}},
                                      {26, 1, 0, {3}},
                                      {4, 1, 0, {8}}}));
  const genome::pattern_result in_a_block[] = {{12, 0}, {11, 4}};
  CHECK(expanded(l, rows, {.results = {in_a_block, 2}}) == "genome_pattern_result at 1");
}

TEST_CASE("genome/expand: references that a pattern can't have", "[genome]") {
  const genome::library l = library_of({{11, {{20, 1, 0, {-3}}}}, {12, {{6, 11, 0, {}}}}});
  const auto wrong = [&](std::vector<row> rows, std::uint64_t node) {
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < node; ++i) offset += 5 + 2 * rows[i].d.size();
    CHECK(expanded(l, rows) == "genome_pattern_order at " + std::to_string(offset));
  };
  wrong({{4, 1, 0, {}}, input, input, {6, 11, 0, {}}}, 3);  // an OUTPUT
  wrong({{1, 1, 0, {}}, input, input, {6, 11, 0, {}}}, 3);  // a PAD
  wrong({input, {8, 1, 0, {1, 1, 0}}, {5, 1, 10, {}}, {5, 1, 10, {}}, input, {6, 11, 0, {}}}, 5);
  CHECK(expanded(l, {input, input, input, {6, 12, 0, {}}}).ends_with("(20 1 0 | 0)\n"));
}

TEST_CASE("genome/expand: an IF lists what patterns in its blocks take", "[genome]") {
  const genome::library l = library_of({{11, {{20, 1, 0, {-5}}}}, {12, {relu, {6, 11, 0, {}}}}});
  const auto in_if = [](std::vector<int> d) {
    return std::vector<row>{input,          input,          input,          {8, 1, 0, std::move(d)},
                            {5, 1, 10, {}}, {6, 12, 0, {}}, {5, 1, 10, {}}, {4, 1, 0, {3}}};
  };
  CHECK(expanded(l, in_if({2, 1, 0, 1})).find("(20 1 0 | 1)") != std::string::npos);
  CHECK(expanded(l, in_if({2, 1, 1, 0})).find("(20 1 0 | 1)") != std::string::npos);
  CHECK(expanded(l, in_if({2, 1, 0, 2})) == "genome_reference_external at 33");
  // A WHILE may take anything that isn't in a block that has ended; but not itself.
  std::vector<row> loop = in_if({2, 1, 0});
  loop[3].b = 2;
  CHECK(expanded(l, loop).find("(20 1 0 | 1)") != std::string::npos);
  loop.insert(loop.begin() + 4, {{5, 1, 10, {}}, {5, 1, 10, {}}});
  loop[3].d[0] = 4;
  CHECK(expanded(l, loop) == "genome_pattern_order at 41");
}

TEST_CASE("genome/expand: results that no pattern has", "[genome]") {
  const genome::library l = library_of({{18, pattern_18}});
  const std::vector<row> rows = {input, input, input, {6, 18, 0, {}}};
  for (const genome::pattern_result wrong :
       {genome::pattern_result{18, 10}, genome::pattern_result{19, 0}}) {
    const genome::pattern_result results[] = {{18, 9}, wrong};
    CHECK(expanded(l, rows, {.results = {results, 2}}) == "genome_pattern_result at 1");
  }
}

TEST_CASE("genome/expand: as many nodes and inputs as limits::max_items", "[genome]") {
  const genome::library l =
      library_of({{11, {{20, 1, 0, {-1}}, {7, 5, 90, {1, 10}}, {21, 1, 0, {-1, -1, -1, -1}}}}});
  const std::vector<row> rows = {input, {7, 2, 7, {1, 0}}, {6, 11, 0, {0}}};  // 1 + 7 + 92 nodes
  CHECK(expanded(l, rows, {.limit = {.max_items = 99}}) == "genome_expansion_size at 14");
  CHECK(expanded(l, rows, {.limit = {.max_items = 100}}).size() > 1000);
  CHECK(expanded(l, rows, {.limit = {.max_items = 7}}) == "genome_expansion_size at 5");
  const genome::library wide = library_of({{11, {{20, 1, 0, {-1, -1, -1, -1, -1, -1, -1}}}}});
  const std::vector<row> few = {input, {6, 11, 0, {}}, {21, 1, 0, {1, 1, 1}}};  // 10 inputs
  CHECK(expanded(wide, few, {.limit = {.max_items = 9}}) == "genome_expansion_size at 10");
  CHECK(expanded(wide, few, {.limit = {.max_items = 10}}) ==
        printed({input, {20, 1, 0, {0, 0, 0, 0, 0, 0, 0}}, {21, 1, 0, {1, 1, 1}}}));
}

TEST_CASE("genome/expand: bombs", "[genome]") {
  // 2^20 flat nodes, each a COPY of 2^15, used 2^15 times: more than 2^50 nodes.
  genome::registry r = graphs::names();
  graphs::add_pattern(r, 10, {{7, 5, 32767, {1, 10}}});
  for (int id = 11; id <= 30; ++id)
    graphs::add_pattern(r, static_cast<std::uint32_t>(id),
                        {{6, id - 1, 0, {}}, {6, id - 1, 0, {}}});
  const genome::library l = *genome::verify(std::move(r));
  std::vector<row> rows(32767, row{6, 30, 0, {}});
  rows.insert(rows.begin(), input);
  CHECK(expanded(l, rows) == "genome_expansion_size at 5");
  CHECK(expanded(l, {{7, 5, 32767, {1, 10}}, {6, 24, 0, {}}}) == "genome_expansion_size at 9");
  CHECK(expanded(l, std::vector<row>(3, row{6, 18, 0, {}}), {.limit = {.max_items = 1 << 23}}) ==
        "genome_expansion_size at 5");  // 2^8 × 32767 fit once
}

TEST_CASE("genome/expand: memory is what is stated, and none is spent on bombs", "[genome]") {
  genome::registry r = graphs::names();
  graphs::add_pattern(r, 10, {relu, relu});
  for (int id = 11; id <= 30; ++id)
    graphs::add_pattern(r, static_cast<std::uint32_t>(id),
                        {{6, id - 1, 0, {}}, {6, id - 1, 0, {}}});
  const genome::library l = *genome::verify(std::move(r));
  const std::size_t patterns = 21;
  {
    std::vector<row> rows(1000, row{6, 30, 0, {}});  // 2^21 nodes each
    rows.insert(rows.begin(), input);
    const genome::program bomb = program_of(l, rows);
    const tessera_tests::allocations used;
    CHECK(genome::expand(bomb).error() == error{errc::genome_expansion_size, 5 + 5 * 63});
    CHECK(used.peak() <= 2 * (32 + 160) * patterns + 1024);
  }
  const genome::program p = program_of(l, {input, {6, 26, 0, {0}}});
  const tessera_tests::allocations used;
  const auto flat = genome::expand(p);
  REQUIRE(flat);
  const std::uint64_t nodes = flat->size();
  CHECK(nodes == 1 + (1 << 17));
  CHECK(used.peak() >= 16 * nodes);
  CHECK(used.peak() <= (12 + 4 + 8) * nodes + 4 * 2 + 2 * (32 + 160) * patterns + 1024);
}

TEST_CASE("genome/expand: patterns that only wrap others cost nothing", "[genome]") {
  genome::registry r = graphs::names();
  const auto id = [](int i) { return row{6, i & 0xff, i & 0xff00, {}}; };
  graphs::add_pattern(r, 10, {relu});
  for (int i = 11; i < 20000; ++i)
    graphs::add_pattern(r, static_cast<std::uint32_t>(i), {id(i - 1)});
  const genome::library l = *genome::verify(std::move(r));
  std::vector<row> rows(20001, id(19999));
  rows[0] = input;  // one by one, this would be 400 million steps
  const auto flat = genome::expand(program_of(l, rows));
  REQUIRE(flat);
  REQUIRE(flat->size() == rows.size());
  CHECK(flat->nodes[20000].a == 20);
  CHECK(flat->inputs[19999] == 19999);
}

TEST_CASE("genome/expand: more nodes than ids in files", "[genome]") {
  const genome::library l = library_of({});
  const auto flat = genome::expand(program_of(
      l, {{7, 5, 32767, {1, 10}}, {7, 5, 32767, {1, 11}}, {20, 1, 0, {1}}, {4, 1, 0, {2}}}));
  REQUIRE(flat);
  CHECK(flat->inputs == pool<std::int32_t>{32767, 65534});
}

TEST_CASE("genome/expand: random programs, as an expansion by lists has them", "[genome]") {
  int good = 0, bad = 0;
  for (std::uint64_t seed = 1; seed <= 700; ++seed) {
    numbers any(seed);
    const auto operation = [&](std::vector<int> d) {
      return row{10 + any.below(5), 1, 0, std::move(d)};
    };
    std::vector<graphs::pattern_rows> patterns;
    for (int p = 0; p < 5; ++p) {
      std::vector<row> rows;
      for (int k = 1 + any.below(4); k > 0; --k) {
        const int what = any.below(8);
        if (what == 0)
          rows.push_back({7, 5, 1 + any.below(4), {1, 10}});
        else if (what == 1)
          rows.push_back({5, 1, 11, {}});
        else if (what < 4 && p > 0)
          rows.push_back({6, 10 + any.below(p), 0, {}});
        else
          rows.push_back(operation({-1 - any.below(9), -1}));
      }
      if (any.one_in(3)) {
        rows.push_back({8, 1, 0, {1, 2, -1, -2}});
        rows.push_back(operation({-3}));
        rows.push_back({7, 5, 2, {1, 12}});
        rows.push_back(p > 0 ? row{6, 10 + any.below(p), 0, {}} : operation({-1}));
      }
      patterns.emplace_back(10 + p, rows);
    }
    genome::registry r = graphs::names();
    for (const auto& [id, rows] : patterns) graphs::add_pattern(r, id, rows);
    auto l = genome::verify(std::move(r));
    if (!l) continue;  // a reference into a block that has ended
    std::vector<row> rows = {{7, 2, 1 + any.below(5), {1, 0}}};
    for (int k = any.below(15); k > 0; --k) rows.push_back({5, 1, 10, {}});
    for (int k = 0; k < 12; ++k) {
      const int self = static_cast<int>(rows.size());
      const int last = self - 1;
      if (any.one_in(2)) {
        rows.push_back({6, 10 + any.below(5), 0, {}});
      } else if (any.one_in(5)) {
        row head{8, 1, 0, {2, 2, last}};
        for (int to = last; to >= 0 && to > last - 12; --to)
          if (rows[static_cast<std::size_t>(to)].a != 8) head.d.push_back(to);
        rows.push_back(head);
        for (int part = 0; part < 2; ++part) {
          rows.push_back(operation({last}));
          rows.push_back(any.one_in(2) ? row{6, 10 + any.below(5), 0, {-1}} : operation({-1}));
        }
        rows.push_back(operation({self}));
      } else {
        rows.push_back(operation({last, any.one_in(2) ? 0 : last}));
      }
    }
    rows.push_back({4, 1, 0, {static_cast<int>(rows.size()) - 1}});
    auto p = genome::verify(stream_of(rows), *l);
    if (!p) continue;
    for (const bool copies : {true, false}) {
      const auto flat = genome::expand(*p, {.copies = copies});
      const auto naive = graphs::naive_expand(*p, copies);
      CAPTURE(seed, copies, text_of(p->stream()), flat.error());
      REQUIRE(static_cast<bool>(flat) == naive.has_value());
      ++(flat ? good : bad);
      if (!flat)
        CHECK((flat.error().code == errc::genome_pattern_order ||
               flat.error().code == errc::genome_reference_external));
      else
        REQUIRE(text_of(*flat) == text_of(*naive));
    }
  }
  CHECK(good > 100);
  CHECK(bad > 50);
}
