// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "samples.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <limits>
#include <random>

#include "build.hpp"

namespace {

using samples::alir::model;
using samples::alir::opcode;

std::string printed(const model& m) {
  const tessera::text out = samples::alir::print(m);
  return std::string(out.view());
}

}  // namespace

TEST_CASE("alir/print: a listing of every opcode", "[alir]") {
  const std::string rows =
      R"([[],-1,[0],[-8.0,7.5,0.5],0.0,0.0],[[],-1,[1],[0.0,3.0,1.0],0.0,0.0],)"
      R"([[0],-2,[],[-7.5,8.0,0.5],0.0,0.0],[[0,1],0,[-1],[-8,9,0.5],1.09375,6.0],)"
      R"([[0,1],1,[1],[-14.0,7.5,0.5],1,0],[[4],2,[],[0.0,3.5,0.5],0.0,3.0],)"
      R"([[3],3,[-1],[-2.0,1.0,1.0],0.0,0.0],[[6],4,[-3,2],[-2.75,0.25,0.25],0.0,0.0],)"
      R"([[],5,[5],[1.25,1.25,0.25],0.0,0.0],[[5,1,0],6,[-1],[0.0,3.5,0.5],0.0,0.0],)"
      R"([[7,6],7,[],[-2.75,5.5,0.25],0.0,0.0],[[6],8,[0],[-1.5,0.5,0.5],0.0,0.0],)"
      R"([[1],9,[0],[0.0,3.0,1.0],0.0,0.0],[[1],9,[1],[0.0,1.0,1.0],0.0,0.0],)"
      R"([[6],9,[2],[0.0,1.0,1.0],0.0,0.0],[[0,1],10,[-1,2],[-8.0,7.5,0.5],0.0,0.0],)"
      R"([[0,8],10,[0,0],[-8.0,7.75,0.25],0.0,0.0],[[1,5],10,[1,1],[0.0,7.0,1.0],0.0,0.0],)"
      R"([[0,1,2],11,[1,0,0,2,1,-1],[-64.0,64.0,0.25],0.0,0.0])";
  const std::string json =
      R"({"model":[[2,4],[0,-3],[2,3,18,-1],[0,1,-2,0],[false,true,false,true],[)" + rows +
      R"(],-1,1,[{"table":[1,-2,-3,-2]},{"table":[7]},)"
      R"({"table":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}]],"meta":"ALIRModel","spec_version":4})";
  CHECK(printed(samples::model(json)) == R"(alir 4: 2 inputs, 4 outputs, 19 operations, 3 tables
input 1 << -3
%0 = input 0                        : fixed<1,3,1> [-8.0, 7.5] step 0.5
%1 = input 1                        : fixed<0,2,0> [0.0, 3.0] step 1.0
%2 = neg %0                         : fixed<1,4,1> [-7.5, 8.0] step 0.5
%3 = add %0, %1 << -1               : fixed<1,4,1> [-8.0, 9.0] step 0.5; latency 1.09375, cost 6.0
%4 = sub %0, %1 << 1                : fixed<1,4,1> [-14.0, 7.5] step 0.5; latency 1.0, cost 0.0
%5 = relu %4                        : fixed<0,2,1> [0.0, 3.5] step 0.5; latency 0.0, cost 3.0
%6 = quantize %3 << -1              : fixed<1,1,0> [-2.0, 1.0] step 1.0
%7 = add_const %6, -3 << -2         : fixed<1,2,2> [-2.75, 0.25] step 0.25
%8 = const 5                        : fixed<0,1,2> [1.25, 1.25] step 0.25
%9 = mux %0 ? %5 : %1 << -1         : fixed<0,2,1> [0.0, 3.5] step 0.5
%10 = mul %7, %6                    : fixed<1,3,2> [-2.75, 5.5] step 0.25
%11 = lookup %6, table 0            : fixed<1,1,1> [-1.5, 0.5] step 0.5
%12 = not %1                        : fixed<0,2,0> [0.0, 3.0] step 1.0
%13 = any %1                        : fixed<0,1,0> [0.0, 1.0] step 1.0
%14 = all %6                        : fixed<0,1,0> [0.0, 1.0] step 1.0
%15 = xor %0, %1 << -1              : fixed<1,3,1> [-8.0, 7.5] step 0.5
%16 = and %0, %8                    : fixed<1,3,2> [-8.0, 7.75] step 0.25
%17 = or %1, %5 << 1                : fixed<0,3,0> [0.0, 7.0] step 1.0
%18 = sum %0, -%1 << 2, %2 << -1    : fixed<1,7,2> [-64.0, 64.0] step 0.25
table 0: 4 entries [1, -2, -3, -2]
table 1: 1 entry [7]
table 2: 17 entries [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ...]
output 0 = %2
output 1 = -%3 << 1
output 2 = %18 << -2
output 3 = 0
)");
}

TEST_CASE("alir/print: what verify would refuse", "[alir]") {
  const double infinity = std::numeric_limits<double>::infinity();
  model m;
  m.n_inputs = -1;
  m.ops.push_back({.id0 = -7, .code = opcode::negate, .qint = {-infinity, infinity, 3}});
  m.ops.push_back({.id0 = 5, .code = opcode::bit_unary, .data = -9, .qint = {1, 0, 1}});
  m.ops.push_back({.id0 = 5, .id1 = 6, .code = opcode::bit_binary, .data = -1, .qint = {}});
  m.ops.push_back(  // the first number above xor's
      {.id0 = 5, .id1 = 6, .code = opcode::bit_binary, .data = INT64_C(3) << 24, .qint = {}});
  m.ops.push_back({.id0 = 0, .id1 = 2, .code = opcode::sum, .qint = {}});
  m.tables.resize(1);
  m.tables[0].count = 2;
  m.out_idxs = {9};
  CHECK(printed(m) == R"(alir 2: -1 inputs, 0 outputs, 5 operations, 1 table
%0 = neg %-7                        : ? [-inf, inf] step 3.0
%1 = bit_unary %5, -9               : ? [1.0, 0.0] step 1.0
%2 = bit_binary %5, %6, -1          : fixed<0,0,0> [0.0, 0.0] step 1.0
%3 = bit_binary %5, %6, 50331648    : fixed<0,0,0> [0.0, 0.0] step 1.0
%4 = sum ?                          : fixed<0,0,0> [0.0, 0.0] step 1.0
table 0: 2 entries [?]
output 0 = %9
)");
}

TEST_CASE("alir/print: any model at all prints", "[alir]") {
  std::mt19937_64 draw(1);
  const auto any = [&draw](auto& field) {
    const std::uint64_t bits = draw() >> draw() % 64;
    field =
        static_cast<std::remove_reference_t<decltype(field)>>(draw() % 2 == 0 ? bits : 0 - bits);
  };
  const auto any_double = [&draw](double& field) {
    const double special[] = {0,
                              -0.0,
                              1,
                              -1,
                              0.5,
                              5e-324,
                              1e300,
                              -1e300,
                              0x1p63,
                              0x1p-127,
                              std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()};
    field = draw() % 3 == 0 ? std::bit_cast<double>(draw()) : special[draw() % std::size(special)];
  };
  for (int round = 0; round < 300; ++round) {
    model m;
    any(m.spec_version), any(m.n_inputs), any(m.n_outputs);
    m.inp_shifts.resize(draw() % 4), m.out_idxs.resize(draw() % 4);
    m.out_shifts.resize(draw() % 4), m.out_negs.resize(draw() % 4);
    m.terms.resize(draw() % 4), m.table_data.resize(draw() % 4);
    for (auto& v : m.inp_shifts) any(v);
    for (auto& v : m.out_idxs) any(v);
    for (auto& v : m.out_shifts) any(v);
    for (auto& v : m.out_negs) any(v);
    for (auto& t : m.terms) any(t.id), any(t.shift);
    m.ops.resize(draw() % 8), m.tables.resize(draw() % 4);
    for (auto& o : m.ops) {
      any(o.id0), any(o.id1), any(o.spelled), any(o.shift), any(o.data);
      std::int8_t code = 0;
      any(code);
      o.code = static_cast<opcode>(code);  // also one that doesn't exist
      for (double* d : {&o.qint.min, &o.qint.max, &o.qint.step, &o.latency, &o.cost})
        any_double(*d);
    }
    for (auto& t : m.tables) any(t.first), any(t.count);
    CHECK_FALSE(samples::alir::print(m).empty());
  }
}

TEST_CASE("alir/print: writing and reading again changes no listing", "[alir]") {
  for (const samples::file& f : samples::good()) {
    INFO(f.name << '.' << f.form);
    model m = samples::model(f.content, f.is_bytecode());
    m.spec_version = 2;
    const std::string listing = printed(m);
    CHECK(printed(samples::model(samples::json(m))) == listing);
    if (f.is_bytecode()) CHECK(printed(samples::model(samples::bytecode(m), true)) == listing);
    CHECK(std::count(listing.begin(), listing.end(), '\n') >=
          static_cast<std::ptrdiff_t>(1 + m.ops.size() + m.tables.size() + m.out_idxs.size()));
  }
}
