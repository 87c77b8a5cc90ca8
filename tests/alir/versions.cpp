// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Every version from every other: what stays, what is rewritten, what is refused.

#include "samples.hpp"
// Keeps the line above where it is.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../vm/alir/naive.hpp"
#include "../vm/alir/random_program.hpp"
#include "build.hpp"

namespace {

using samples::alir::encoding;
using samples::alir::interval;
using samples::alir::model;
using samples::alir::opcode;
using samples::alir::operation;
using samples::alir::term;
using samples::alir::to_version;
using tessera::errc;
using tessera::error;
using tessera::error_index;

std::string bytes_of(const model& m, std::int32_t version = 0) {
  const auto out = samples::alir::write(m, {.encoding = encoding::bytecode, .version = version});
  if (!out) FAIL("write: " << std::string(out.error().name()) << " at " << out.error().offset);
  return std::string(out->view());
}
model converted(const model& m, std::int32_t version) {
  auto out = to_version(m, version);
  if (!out) FAIL("to_version: " << std::string(out.error().name()));
  return std::move(*out);
}
/// Without the specs that bytecode has no place for.
model without_specs(model m) {
  for (auto& t : m.tables) {
    const auto first = t.first, count = t.count;
    t = {};
    t.first = first, t.count = count;
  }
  m.hashes = {};
  return m;
}

/// Whether two models give the same bits for some samples, lookups outside their tables included.
bool same_outputs(const model& a, const model& b, std::uint64_t seed) {
  const std::vector<double> in = random_program::inputs(a, seed, 8);
  const auto n = static_cast<std::size_t>(a.n_inputs);
  for (std::size_t s = 0; s < 8; ++s) {
    const auto sample = std::span<const double>(in).subspan(s * n, n);
    const naive::evaluation x = naive::evaluate(a, sample), y = naive::evaluate(b, sample);
    if ((x.trap < 0) != (y.trap < 0)) return false;
    if (x.trap >= 0) continue;
    for (std::size_t j = 0; j < x.outputs.size(); ++j)
      if (std::bit_cast<std::uint64_t>(x.outputs[j]) != std::bit_cast<std::uint64_t>(y.outputs[j]))
        return false;
  }
  return true;
}

/// A model of version 4: inputs with 1, 0 and 3 fraction bits.
build::sketch three_inputs() {
  build::sketch p;
  p.model.spec_version = 4;
  p.input(build::bits(4, 1)), p.input(build::bits(6)), p.input(build::unsigned_bits(5, 3));
  return p;
}
std::int32_t add_sum(build::sketch& p, std::initializer_list<term> terms, const interval& q) {
  operation o{.code = opcode::sum, .qint = q, .latency = 2, .cost = 5};
  o.id0 = static_cast<std::int32_t>(p.model.terms.size());
  o.id1 = static_cast<std::int32_t>(terms.size());
  for (const term& t : terms) p.model.terms.push_back(t);
  return p.op(o);
}
std::vector<opcode> codes_of(const model& m) {
  std::vector<opcode> out;
  for (std::size_t i = 3; i < m.ops.size(); ++i) out.push_back(m.ops[i].code);
  return out;
}
using codes = std::vector<opcode>;

}  // namespace

TEST_CASE("alir/versions: canonical files survive byte for byte in every version", "[alir]") {
  for (const samples::file& f : samples::good()) {
    INFO(f.name << '.' << f.form);
    const model m = samples::model(f.content, f.is_bytecode());
    const auto own = samples::alir::write(
        m, {.encoding = f.is_bytecode() ? encoding::bytecode : encoding::json});
    REQUIRE(own.error() == error{});
    CHECK(own->view() == f.content);
    CHECK(bytes_of(m, 2) == samples::good(f.name, "v2.bc"));
    CHECK(bytes_of(m, 4) == samples::good(f.name, "v4.bc"));
    const std::string three = bytes_of(m, 3);
    CHECK(bytes_of(samples::model(three, true)) == three);
    if (f.is_bytecode()) continue;
    for (const int version : {3, 4})
      CHECK(samples::json(m, version) ==
            samples::good(f.name, "v" + std::to_string(version) + ".json"));
  }
}

TEST_CASE("alir/versions: what was written is what to_version makes", "[alir]") {
  for (const samples::file& f : samples::good()) {
    const model m = samples::model(f.content, f.is_bytecode());
    for (const int version : {2, 3, 4}) {
      INFO(f.name << '.' << f.form << " as " << version);
      const model as = converted(m, version);
      CHECK(as.spec_version == version);
      CHECK(as.source.ops.empty());
      CHECK(converted(as, version) == as);
      if (version == 2) CHECK(as == m);
      CHECK(without_specs(samples::model(samples::json(m, version))) == without_specs(as));
      const model again = samples::model(bytes_of(m, version), true);
      CHECK(again.spec_version == version);
      CHECK(bytes_of(again) == bytes_of(m, version));
      REQUIRE(again.ops.size() == as.ops.size());
      for (std::size_t i = 0; i < as.ops.size(); ++i) {
        CHECK(again.ops[i].code == as.ops[i].code);
        CHECK(again.ops[i].data == as.ops[i].data);
        CHECK(type_of(again.ops[i].qint) == type_of(as.ops[i].qint));
      }
    }
  }
}

TEST_CASE("alir/versions: older versions compute the same values", "[alir]") {
  std::size_t rewritten = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const model m = random_program::make({.seed = seed, .may_trap = seed % 4 == 0});
    for (const int version : {2, 3}) {
      INFO("seed " << seed << " as " << version);
      const auto as = to_version(m, version);
      if (!as) {
        CHECK(as.error().code ==
              (version == 2 ? errc::alir_not_version_2 : errc::alir_not_version_3));
        ++refused;
        continue;
      }
      rewritten += as->ops.size() != m.ops.size() ? 1u : 0u;
      const auto proven = samples::alir::verify(model(*as));
      CHECK(proven.error() == error{});
      CHECK(same_outputs(m, *as, seed));
      CHECK(samples::model(samples::json(m, version)).ops == as->ops);
      for (const operation& o : as->ops) {
        CHECK((o.code != opcode::quantize || o.shift == 0));
        CHECK((version == 3 || o.code != opcode::sum));
      }
    }
  }
  CHECK(rewritten > 300);
  CHECK(refused < 60);
}

TEST_CASE("alir/versions: a shifted quantize becomes a product and a quantize", "[alir]") {
  build::sketch p = three_inputs();
  p.op({.id0 = 1, .code = opcode::quantize, .shift = -2, .qint = build::bits(4, 1), .cost = 3});
  p.op({.id0 = 0, .code = opcode::quantize, .shift = -2, .qint = build::bits(4, 1)});
  p.op({.id0 = 3, .id1 = 4, .code = opcode::mux, .data = 4, .qint = build::bits(4, 1)});
  p.output(3), p.output(5);
  for (const int version : {2, 3}) {
    const model m = converted(p.model, version);
    // The constant is shared.
    CHECK(codes_of(m) == codes{opcode::constant, opcode::multiply, opcode::quantize,
                               opcode::multiply, opcode::quantize, opcode::mux});
    CHECK(m.ops[3] == operation{.code = opcode::constant, .data = 1, .qint = {0.25, 0.25, 0.25}});
    CHECK(m.ops[4] ==
          operation{.id0 = 1, .id1 = 3, .code = opcode::multiply, .qint = {-8, 7.75, 0.25}});
    CHECK(m.ops[5] ==
          operation{.id0 = 4, .code = opcode::quantize, .qint = build::bits(4, 1), .cost = 3});
    CHECK(m.ops[6].id1 == 3);
    CHECK(m.ops[8].id0 == 5);
    CHECK(m.ops[8].data == 7);
    CHECK(m.out_idxs == tessera::pool<std::int32_t>{5, 8});
    CHECK(same_outputs(p.model, m, 1));
  }
  CHECK(converted(p.model, 4) == p.model);
}

TEST_CASE("alir/versions: a sum becomes additions", "[alir]") {
  const auto become = [](std::initializer_list<term> terms) {
    build::sketch p = three_inputs();
    p.output(add_sum(p, terms, build::bits(20, 4)));
    const model m = converted(p.model, 2);
    CHECK(m.terms.empty());
    CHECK(m.ops[m.ops.size() - 1].cost == 5);
    CHECK(m.ops[m.ops.size() - 2].cost == 0);
    CHECK(m.ops[m.ops.size() - 1].qint == build::bits(20, 4));
    CHECK(same_outputs(p.model, m, 2));
    CHECK(codes_of(converted(p.model, 3)) == codes{opcode::sum});
    return codes_of(m);
  };
  const auto constant = opcode::constant, add = opcode::add, subtract = opcode::subtract;
  CHECK(become({{0, 0, false}, {1, 2, false}, {2, -1, true}}) == codes{add, subtract});
  // The first positive one without a shift is where it starts, or a negative one.
  CHECK(become({{0, 1, false}, {1, 0, true}, {2, 0, false}}) == codes{add, subtract});
  CHECK(become({{0, 1, false}, {1, 0, true}}) == codes{opcode::negate, add});
  CHECK(become({{0, -1, true}, {1, 3, false}}) == codes{constant, opcode::multiply, add});
  CHECK(become({{0, 2, false}, {1, 3, true}, {0, 2, false}}) ==
        codes{constant, opcode::multiply, subtract, add});
}

TEST_CASE("alir/versions: a large constant is added", "[alir]") {
  build::sketch p = three_inputs();
  p.output(p.op({.id0 = 0,
                 .code = opcode::add_constant,
                 .shift = 30,
                 .data = INT64_C(1) << 31,
                 .qint = build::bits(40, 30),
                 .latency = 1,
                 .cost = 2}));
  const model m = converted(p.model, 2);
  CHECK(codes_of(m) == codes{opcode::constant, opcode::add});
  CHECK(m.ops[3] ==
        operation{.code = opcode::constant, .data = INT64_C(1) << 31, .qint = {2, 2, 0x1p-30}});
  CHECK(m.ops[4] == operation{.id0 = 0,
                              .id1 = 3,
                              .code = opcode::add,
                              .qint = build::bits(40, 30),
                              .latency = 1,
                              .cost = 2});
  CHECK(same_outputs(p.model, m, 3));
  p.model.ops[3].data = INT32_MAX;
  CHECK(codes_of(converted(p.model, 2)) == codes{opcode::add_constant});
  p.model.ops[3].data = INT64_C(1) << 31;
  CHECK(codes_of(converted(p.model, 3)) == codes{opcode::add_constant});
}

TEST_CASE("alir/versions: what has no counterpart is refused", "[alir]") {
  const auto refused = [](auto change, int version) {
    build::sketch p = three_inputs();
    change(p);
    return to_version(p.model, version).error();
  };
  const error third2{errc::alir_not_version_2, 3, error_index::operation};
  const error third3{errc::alir_not_version_3, 3, error_index::operation};
  // The scaled operand has 126 fraction bits at most, -127 at least; the constant has its limits too.
  const auto quantize = [](std::int32_t x, std::int32_t shift) {
    return [=](build::sketch& p) {
      p.op({.id0 = x, .code = opcode::quantize, .shift = shift, .qint = build::bits(4)});
    };
  };
  CHECK(refused(quantize(0, -125), 2) == error{});
  CHECK(refused(quantize(0, -126), 2) == third2);
  CHECK(refused(quantize(0, -126), 3) == third3);
  CHECK(refused(quantize(1, -126), 3) == error{});
  CHECK(refused(quantize(1, -127), 2) == third2);
  CHECK(refused(quantize(0, 127), 2) == error{});
  CHECK(refused(quantize(0, 128), 3) == third3);
  CHECK(refused(quantize(0, 128), 4) == error{});
  const auto sum = [](std::int32_t first, std::int32_t second) {
    return [=](build::sketch& p) {
      add_sum(p, {{0, first, false}, {1, second, true}, {2, 0, true}}, build::bits(8));
    };
  };
  CHECK(refused(sum(-58, 0), 2) == third2);  // the sum of two would have 65 bits
  CHECK(refused(sum(-57, 0), 2) == error{});
  CHECK(refused(sum(-127, 1), 2) == third2);
  CHECK(refused(sum(-58, 0), 3) == error{});
  const auto all_shifted = [](std::int32_t first) {
    return [=](build::sketch& p) {
      p.model.ops[0].qint = {0.0, 0.0, 1.0};
      add_sum(p, {{0, first, false}, {1, 1, false}}, build::bits(8));
    };
  };
  CHECK(refused(all_shifted(127), 2) == error{});
  CHECK(refused(all_shifted(128), 2) == third2);
  // The shift too where the operand is always 0.
  const auto with_zero = [](std::int32_t shift) {
    return [=](build::sketch& p) {
      p.model.ops[1].qint = {0.0, 0.0, 1.0};
      add_sum(p, {{0, 0, false}, {1, shift, false}, {2, 0, false}}, build::bits(8));
    };
  };
  CHECK(refused(with_zero(127), 2) == error{});
  CHECK(refused(with_zero(128), 2) == third2);
  // What is summed has to have a type.
  const auto without_type = [](std::size_t i) {
    return [=](build::sketch& p) {
      p.model.ops[i].qint.step = 0.3;
      add_sum(p, {{0, 0, false}, {1, 0, false}}, build::bits(8));
    };
  };
  CHECK(refused(without_type(0), 2) == error{errc::alir_step, 3, error_index::operation});
  CHECK(refused(without_type(1), 2) == error{errc::alir_step, 3, error_index::operation});
  CHECK(refused(without_type(2), 2) == error{});
  const auto constant = [](std::int64_t c, std::int32_t shift) {
    return [=](build::sketch& p) {
      p.op({.id0 = 0,
            .code = opcode::add_constant,
            .shift = shift,
            .data = c,
            .qint = build::bits(8)});
    };
  };
  CHECK(refused(constant(INT64_MIN, 0), 2) == error{});
  CHECK(refused(constant(INT64_MAX, 0), 2) == third2);  // no type has 64 bits without a sign
  CHECK(refused(constant(INT64_C(1) << 40, 126), 2) == error{});
  CHECK(refused(constant(INT64_C(1) << 40, 127), 2) == third2);
  CHECK(refused(constant(INT64_C(1) << 40, -127), 2) == error{});
  CHECK(refused(constant(INT64_C(1) << 40, -128), 2) == third2);
}

TEST_CASE("alir/versions: models that no file can hold", "[alir]") {
  const auto refused = [](const operation& o, int version) {
    build::sketch p = three_inputs();
    p.op(o);
    p.model.terms.resize(2);
    const auto e = to_version(p.model, version).error();
    CHECK(samples::alir::write_json(p.model, version).error() == e);
    return e;
  };
  const auto third = [](errc code) { return error{code, 3, error_index::operation}; };
  const std::int64_t wide = INT64_C(1) << 31;
  CHECK(refused({.id0 = 0, .code = static_cast<opcode>(12)}, 4) == third(errc::alir_opcode));
  CHECK(refused({.id0 = 0, .id1 = 1, .code = opcode::mux, .data = wide}, 2) ==
        third(errc::alir_not_version_2));
  CHECK(refused({.id0 = 0, .id1 = 1, .code = opcode::mux, .data = wide}, 4) ==
        third(errc::alir_condition));
  CHECK(refused({.id0 = 0, .id1 = 1, .code = opcode::bit_binary, .data = wide * 2}, 2) ==
        third(errc::alir_not_version_2));
  CHECK(refused({.id0 = 0, .id1 = 1, .code = opcode::bit_binary, .data = 3 << 24}, 2) == error{});
  CHECK(refused({.id0 = 0, .id1 = 1, .code = opcode::bit_binary, .data = 3 << 24}, 3) ==
        third(errc::alir_sub_operation));
  CHECK(refused({.id0 = 0, .id1 = 1, .code = opcode::negate}, 4) == third(errc::alir_unused_id1));
  CHECK(refused({.id0 = 0, .id1 = 1, .code = opcode::negate}, 2) == error{});
  CHECK(refused({.id0 = 0, .code = opcode::constant}, 4) == third(errc::alir_unused_id0));
  CHECK(refused({.id0 = 0, .id1 = 3, .code = opcode::sum}, 4) == third(errc::alir_sum_terms));
  CHECK(refused({.id0 = 1, .id1 = 2, .code = opcode::sum}, 4) == third(errc::alir_sum_terms));
  CHECK(refused({.id0 = 1, .id1 = 1, .code = opcode::sum}, 4) == error{});
  CHECK(refused({.id0 = 0, .id1 = -1, .code = opcode::sum}, 4) == third(errc::alir_sum_terms));
  CHECK(refused({.id0 = 0, .id1 = 0, .code = opcode::sum}, 4) == error{});
  CHECK(refused({.id0 = 0, .id1 = 0, .code = opcode::sum}, 2) == third(errc::alir_sum_terms));
  CHECK(refused({.id0 = 3, .code = opcode::quantize, .shift = 1}, 2) == third(errc::alir_id0));
  CHECK(refused({.id0 = 3, .code = opcode::quantize, .shift = 1}, 4) == error{});

  // Terms that two sums share.
  build::sketch p = three_inputs();
  const std::int32_t first = add_sum(p, {{0, 0, false}, {1, 0, false}}, build::bits(8));
  p.op(p.model.ops[static_cast<std::size_t>(first)]);
  CHECK(to_version(p.model, 4).error() == error{errc::alir_sum_terms, 4, error_index::operation});
  CHECK(to_version(p.model, 2).error() == error{errc::alir_sum_terms, 4, error_index::operation});
  CHECK(samples::alir::write(p.model, {.encoding = encoding::bytecode}).error() ==
        error{errc::alir_sum_terms, 4, error_index::operation});

  const error unknown{errc::alir_version_unknown, 0, error_index::whole};
  for (const int version : {1, 5, -1}) {
    CHECK(to_version(p.model, version).error() == unknown);
    CHECK(samples::alir::write_json(p.model, version).error() == unknown);
    CHECK(samples::alir::write(p.model, {.encoding = encoding::bytecode, .version = version})
              .error() == unknown);
  }
  p.model.spec_version = 0;
  CHECK(samples::alir::write_json(p.model).error() == unknown);
}

TEST_CASE("alir/versions: an error after rewriting is at the operation of the source", "[alir]") {
  build::sketch p = three_inputs();
  p.op({.id0 = 0, .code = opcode::quantize, .shift = 1, .qint = build::bits(4)});
  p.op({.id0 = 3,
        .code = opcode::negate,
        .qint = build::bits(5),
        .latency = std::numeric_limits<double>::infinity()});
  CHECK(samples::alir::write_json(p.model, 2).error() ==
        error{errc::alir_not_finite, 4, error_index::operation});
  p.model.ops[4].latency = 0;
  p.model.ops[4].qint.step = 3;
  CHECK(samples::alir::write_bytecode(p.model).error() ==
        error{errc::alir_step, 4, error_index::operation});
}

TEST_CASE("alir/versions: bytes have room for types of int8 bits and 32767 terms", "[alir]") {
  const auto refused = [](const build::sketch& p) {
    const auto out = samples::alir::write(p.model, {.encoding = encoding::bytecode, .version = 4});
    return out.error();
  };
  const auto with_type = [](int width, int fraction) {
    build::sketch p;
    p.input(build::bits(width, fraction));
    return p;
  };
  const error first{errc::alir_bytecode_range, 0, error_index::operation};
  CHECK(refused(with_type(28, -100)) == error{});  // 127 integer bits
  CHECK(refused(with_type(29, -100)) == first);
  CHECK(refused(with_type(1, 126)) == error{});  // -126 of them
  build::sketch p;
  p.input(build::bits(4));
  operation o{.id0 = 0, .id1 = 32767, .code = opcode::sum, .qint = build::bits(20)};
  p.op(o);
  p.model.terms.resize(32768);
  CHECK(refused(p) == error{});
  CHECK(samples::model(bytes_of(p.model, 4), true).terms.size() == 32767);
  p.model.ops[1].id1 = 32768;
  CHECK(refused(p) == error{errc::alir_bytecode_range, 1, error_index::operation});
}
