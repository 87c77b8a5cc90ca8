// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Verifying containers: the table of operations, what a program holds, options, reports, costs. The
// checks one by one stand in tests/data/nac/conformance.tsv.

#include "nac/support.hpp"
// support.hpp comes first.
#include <set>
#include <utility>

#include "support/allocations.hpp"
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#include <tessera/core/bytes.hpp>
#define TESSERA_TESTS_PAGES 1
#else
#define TESSERA_TESTS_PAGES 0
#endif

using namespace tessera;
using namespace nac_tests;
using nac::operation;

namespace {

/// A container around OPS and MMAP, which are given without their tags, of version 1.
[[nodiscard]] std::vector<std::byte> around(const std::vector<std::byte>& ops,
                                            const std::vector<std::byte>& mmap,
                                            unsigned outputs = 1) {
  std::vector<std::byte> out = from_hex("4e414301 80 0000 0000 00 0000");
  out.resize(88);
  store_le(out.data() + 7, static_cast<std::uint16_t>(outputs));
  const auto add = [&out](std::size_t slot, std::string_view tag, const std::vector<std::byte>& b) {
    store_le(out.data() + 12 + 8 * slot, std::uint64_t{out.size()});
    for (const char c : tag) out.push_back(static_cast<std::byte>(c));
    out.insert(out.end(), b.begin(), b.end());
  };
  add(0, "MMAP", mmap);
  add(1, "OPS ", ops);
  add(4, "PERM", from_hex("02000000 0100 01 54 0200 02 5454"));
  return out;
}

/// One letter for each argument: r a result, 0 null, w a whole number, n another, s a string, W and N
/// lists of them.
[[nodiscard]] std::vector<nac::argument_form> forms(std::string_view letters) {
  std::vector<nac::argument_form> out;
  for (const char c : letters)
    out.push_back(static_cast<nac::argument_form>(std::string_view("r0wnsWN").find(c)));
  return out;
}

[[nodiscard]] nac::match meet(operation o, std::string_view letters, nac::binding& b) {
  const auto given = forms(letters);
  return nac::bind(nac::pattern(o), {given.data(), given.size()}, b);
}

}  // namespace

TEST_CASE("nac/verify: the table of operations", "[nac]") {
  std::set<std::string_view> names;
  for (std::size_t i = 1; i < nac::operation_count; ++i) {
    const auto o = static_cast<operation>(i);
    std::size_t letters = 0;
    bool optional = false;
    char before = '?';
    for (const char c : nac::pattern(o)) {
      INFO(nac::name(o) << ' ' << nac::pattern(o));
      if (c == '?') CHECK_FALSE(std::exchange(optional, true));
      if (c == '*') CHECK((before != '?' && before != '*'));
      if (c != '?' && c != '*') {
        ++letters;
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        CHECK(std::string_view("txnibvlrsd").find(lower) != std::string_view::npos);
      }
      before = c;
    }
    CHECK((letters >= 1 && letters <= nac::max_letters));
    std::istringstream all{std::string(nac::operations[i].names)};
    for (std::string name; all >> name;) {
      INFO(name);
      CHECK(nac::find_operation(name) == o);
      CHECK(names
                .emplace(nac::operations[i].names.substr(nac::operations[i].names.find(name),
                                                         name.size()))
                .second);
    }
    CHECK(nac::name(o) == nac::operations[i].names.substr(0, nac::name(o).size()));
  }
  for (const std::string_view name : nac::predefined_operations) {
    INFO(name);
    CHECK(nac::find_operation(name) != operation::unknown);
  }
  CHECK(nac::name(operation::gelu) == "aten.gelu.default");
  CHECK(nac::find_operation("aten.lt.Scalar") == operation::lt);
  CHECK(nac::find_operation("aten.lt.Tensor") == operation::lt);
  CHECK(nac::find_operation("aten.lt") == operation::unknown);
  // In place: the overload with the same name, which may be another operation, or none.
  CHECK(nac::find_operation("aten.round_.decimals") == operation::round_decimals);
  CHECK(nac::find_operation("aten.scatter_.reduce") == operation::scatter_by_word);
  CHECK(nac::find_operation("aten.scatter_.value_reduce") == operation::scatter_by_word);
  CHECK(nac::find_operation("aten.scatter_.value") == operation::scatter);
  CHECK(nac::find_operation("aten.divide_.Tensor_mode") == operation::div_mode);
  CHECK(nac::find_operation("aten.divide_.Scalar_mode") == operation::div_mode);
  CHECK(nac::find_operation("aten.divide_.Scalar") == operation::div);
  CHECK(nac::find_operation("aten.floor_divide_.Tensor") == operation::floor_divide);
  CHECK(nac::find_operation("aten.transpose_.default") == operation::transpose);
  CHECK(nac::find_operation("aten.pow_.Tensor") == operation::pow);
  CHECK(nac::find_operation("aten.relu_.other") == operation::unknown);
  CHECK(nac::find_operation("") == operation::unknown);
  CHECK(nac::find_operation(" ") == operation::unknown);
}

TEST_CASE("nac/verify: arguments that files give are taken", "[nac]") {
  // As compilers write them: T r, i w, f n, b w, S W, s s, c 0 or s.
  const struct {
    const char* name;
    std::initializer_list<const char*> arguments;
  } seen[] = {
      {"nac.pass", {"r", "rnw"}},
      {"nac.add", {"rr", "rw", "rn", "rrw", "wr"}},
      {"nac.sub", {"rr", "rw", "nr"}},
      {"nac.where", {"rrr", "rnr", "rrn", "rnn", "rwr"}},
      {"nac.clone", {"r", "rs"}},
      {"nac.view", {"rW", "rrw", "rwr", "rw"}},
      {"nac.arange", {"wsw", "wwsw", "w", "wwwsw", "rsw", "w0s0w"}},
      {"nac.transpose", {"r", "rww"}},
      {"nac.zeros", {"Wsssw", "Ws", "rwsw"}},
      {"nac.zeros_like", {"r", "rsw"}},
      {"nac.new_zeros", {"rW", "rWsssw", "rrwr0sw"}},
      {"nac.full", {"Wn", "Ww", "Wnssw", "rwnsw", "rww"}},
      {"nac.full_like", {"rn", "rnssw"}},
      {"getitem", {"rw"}},
      {"aten.gelu.default", {"r", "rs"}},
      {"aten.clamp.default", {"rnn", "rn0", "r0n", "rn"}},
      {"aten.linear.default", {"rr", "rrr", "rr0"}},
      {"aten.addmm.default", {"rrr"}},
      {"aten.conv2d.default", {"rrr", "rr0", "rrrW", "rrrWW", "rr0WW", "rrrWWWw", "rr0WWWw"}},
      {"nac.conv2d_precomputed", {"rrrW"}},
      {"aten._native_batch_norm_legit_no_training.default", {"rrrrrnn"}},
      {"aten.layer_norm.default", {"rWrrn", "rWrr", "rW"}},
      {"aten.group_norm.default", {"rwrrn"}},
      {"aten.softmax.int", {"rw", "rw0", "rws"}},
      {"aten.scaled_dot_product_attention.default",
       {"rrr", "rrrr", "rrr0nw", "rrrrn", "rrrn", "rrrrwwn"}},
      {"aten.embedding.default", {"rr", "rrw", "rrwww"}},
      {"aten.slice.Tensor", {"rwww", "rww", "rw", "rwwww", "rw00"}},
      {"aten.select.int", {"rww"}},
      {"aten.slice_scatter.default", {"rrwww", "rrwwww"}},
      {"aten.index.Tensor", {"rr", "rrr", "r0r"}},
      {"aten.expand.default", {"rW", "rwrw"}},
      {"aten.permute.default", {"rW"}},
      {"aten.cat.default", {"rrw", "rrrrrrrrrrw", "rr"}},
      {"aten.split.Tensor", {"rww", "rw"}},
      {"aten.mean.dim", {"rW", "rWw"}},
      {"aten.sum.dim_IntList", {"rW", "rWw", "rWws"}},
      {"aten.cumsum.default", {"rw", "rws"}},
      {"aten.triu.default", {"r", "rw"}},
      {"aten.pad.default", {"rW", "rWsn", "rWs0"}},
      {"aten.max_pool2d.default", {"rW", "rWW", "rWWW", "rWWWWw"}},
      {"aten.adaptive_avg_pool2d.default", {"rW"}},
      {"aten.upsample_nearest2d.vec", {"r0N", "rW0", "r0W", "rrw0"}},
      {"aten._to_copy.default", {"rs", "rsss"}},
      {"aten.scalar_tensor.default", {"n", "ns"}},
      {"aten.lstm_cell.default", {"rrrrrrr"}},
  };
  for (const auto& row : seen)
    for (const char* arguments : row.arguments) {
      INFO(row.name << ' ' << arguments);
      nac::binding b;
      const nac::match m = meet(nac::find_operation(row.name), arguments, b);
      CHECK(m.what == nac::match::kind::fits);
      // Every argument belongs to one letter, in order.
      std::size_t given = 0;
      for (std::size_t k = 0; k < nac::max_letters; ++k) {
        if (b.count[k] != 0) CHECK(b.first[k] == given);
        given += b.count[k];
      }
      CHECK(given == std::string_view(arguments).size());
    }
}

TEST_CASE("nac/verify: which argument belongs to which letter", "[nac]") {
  nac::binding b;
  // full(shape …, value): the last number is the value.
  REQUIRE(meet(operation::full, "rwwsw", b).what == nac::match::kind::fits);
  CHECK((b.first[0] == 0 && b.count[0] == 2 && b.first[1] == 2 && b.count[1] == 1));
  CHECK((b.first[2] == 3 && b.count[2] == 2));
  // A fraction ends the shape by itself.
  REQUIRE(meet(operation::full, "wwn", b).what == nac::match::kind::fits);
  CHECK((b.count[0] == 2 && b.first[1] == 2));
  // pad without a mode: the value is the last letter.
  REQUIRE(meet(operation::pad, "rWn", b).what == nac::match::kind::fits);
  CHECK((b.count[2] == 0 && b.count[3] == 1 && b.first[3] == 2));
  // attention without a mask but with a scale.
  REQUIRE(meet(operation::attention, "rrrn", b).what == nac::match::kind::fits);
  CHECK((b.count[3] == 0 && b.count[4] == 1));
  REQUIRE(meet(operation::cat, "rrrw", b).what == nac::match::kind::fits);
  CHECK((b.count[0] == 3 && b.first[1] == 3));

  const struct {
    operation o;
    const char* arguments;
    nac::match::kind what;
    std::size_t argument;
  } wrong[] = {
      {operation::neg, "", nac::match::kind::count, 0},
      {operation::neg, "rr", nac::match::kind::count, 1},
      {operation::relu, "w", nac::match::kind::form, 0},
      {operation::linear, "r", nac::match::kind::count, 1},
      {operation::linear, "rw", nac::match::kind::form, 1},
      {operation::linear, "rrs", nac::match::kind::form, 2},
      {operation::linear, "rrrr", nac::match::kind::count, 3},
      {operation::full, "w", nac::match::kind::count, 1},
      {operation::full, "Ws", nac::match::kind::form, 1},
      {operation::getitem, "rn", nac::match::kind::form, 1},
      {operation::view, "rN", nac::match::kind::form, 1},
      {operation::unsqueeze, "r0", nac::match::kind::form, 1},
      {operation::cat, "0", nac::match::kind::form, 0},
      {operation::gelu, "rr", nac::match::kind::form, 1},
      {operation::conv2d, "rrrs", nac::match::kind::form, 3},
      {operation::unknown, "r", nac::match::kind::count, 0},
  };
  for (const auto& row : wrong) {
    INFO(nac::name(row.o) << ' ' << row.arguments);
    const nac::match m = meet(row.o, row.arguments, b);
    CHECK(m.what == row.what);
    CHECK(m.argument == row.argument);
  }
  // 255 arguments, as many as a signature has letters.
  CHECK(meet(operation::cat, std::string(255, 'r'), b).what == nac::match::kind::fits);
  CHECK(b.count[0] == 255);
}

TEST_CASE("nac/verify: constants are interchangeable as far as their values allow", "[nac]") {
  using form = nac::argument_form;
  const auto of = [](const char* hex) {
    static std::vector<std::byte> record;
    record = from_hex(hex);
    nac::detail::cursor in(record.data(), 0, record.size());
    nac::constant c;
    REQUIRE(nac::detail::constant_form::parse(in, c).code == errc::ok);
    return nac::form_of(c);
  };
  CHECK(of("0100 00 0000") == form::null);
  CHECK(of("0100 01 0100 01") == form::integer);
  CHECK(of("0100 02 0800 feffffffffffffff") == form::integer);
  CHECK(of("0100 03 0800 000000000000f03f") == form::integer);  // 1.0
  CHECK(of("0100 03 0800 000000000000e043") == form::number);   // 2^63
  CHECK(of("0100 03 0800 000000000000e0c3") == form::integer);  // -2^63
  CHECK(of("0100 03 0800 000000000000f83f") == form::number);   // 1.5
  CHECK(of("0100 03 0800 000000000000f07f") == form::number);   // infinite
  CHECK(of("0100 03 0800 000000000000f87f") == form::number);   // not a number
  CHECK(of("0100 04 0300 637075") == form::string);
  CHECK(of("0100 05 0000") == form::int_list);
  CHECK(of("0100 05 0100 ffffffff") == form::int_list);
  CHECK(of("0100 06 0200 0000803f 000000c0") == form::int_list);     // 1, -2
  CHECK(of("0100 06 0200 0000803f 0000003f") == form::number_list);  // 1, 0.5
}

TEST_CASE("nac/verify: what an operation takes instead", "[nac]") {
  const auto said = [](std::string_view call) {
    const auto parts = nac::assemble("code:\n  x = input\n  y = " + std::string(call) + "\n");
    REQUIRE(parts);
    const auto written = nac::write(*parts);
    REQUIRE(written);
    const auto file = nac::read(bytes(*written));
    REQUIRE(file);
    report found;
    CHECK_FALSE(nac::verify(*file, {}, &found));
    return std::string(found.text_of(found.diagnostics[0].text));
  };
  CHECK(said("nac.neg(x, x)") == "v1 = nac.neg: 2 arguments; expected 1");
  CHECK(said("nac.add(x, x, x, x)") == "v1 = nac.add: 4 arguments; expected 2 or 3");
  CHECK(said("aten.stack.default()") ==
        "v1 = aten.stack.default: 0 arguments; expected at least 1");
  CHECK(said("aten.cat.default(x, x, 1, 2)") ==
        "v1 = aten.cat.default: 4 arguments; argument 3 is unexpected");
  CHECK(said("aten.cat.default(1)") ==
        "v1 = aten.cat.default: argument 0 is an integer; expected a result");
  CHECK(said("nac.neg(null)") == "v1 = nac.neg: argument 0 is null; expected a result or a number");
  CHECK(
      said("nac.view(x, \"a\")") ==
      "v1 = nac.view: argument 1 is a string; expected a result, an integer or a list of integers");
  CHECK(said("aten.clamp.default(x, [1])") ==
        "v1 = aten.clamp.default: argument 1 is a list of integers; "
        "expected a result, null or a number");
}

TEST_CASE("nac/verify: operations that write their first operand", "[nac]") {
  for (const char* const name :
       {"aten.add_.Tensor", "aten.__iand__.Tensor", "aten.__ior__.Scalar", "aten.__ixor__.Tensor",
        "aten.__ilshift__.Tensor", "aten.__irshift__.Tensor"}) {
    CAPTURE(name);
    CHECK(nac::is_in_place(name));
  }
  for (const char* const name : {"aten.add.Tensor", "aten.__and__.Tensor", "aten.__inot__.Tensor",
                                 "aten.__i__.Tensor", "nac.add", ""}) {
    CAPTURE(name);
    CHECK_FALSE(nac::is_in_place(name));
  }
}

TEST_CASE("nac/verify: what a program holds", "[nac]") {
  const auto source = hex_file("mini_v16");
  tessera::report found;
  // The program keeps a copy of the view: the file may go.
  auto made = nac::verify(*nac::read(bytes(source)), {}, &found);
  REQUIRE(made);
  CHECK((found.errors == 0 && found.warnings == 0 && found.diagnostics.empty()));
  const nac::program p = *std::move(made);

  CHECK(p.model().instructions().size() == 6);
  REQUIRE(p.size() == 6);
  CHECK(p.operation_of(p.code().steps[0]) == operation::unknown);
  CHECK(p.operation_of(p.code().steps[3]) == operation::linear);
  CHECK(p.operation_of(p.code().steps[4]) == operation::add);
  const nac::binding b = p.binding_of(p.code().steps[4]);
  CHECK((b.count[0] == 1 && b.first[1] == 1 && b.count[1] == 1 && b.count[2] == 0));
  CHECK(p.binding_of(p.code().steps[5]).count[0] == 0);

  const nac::argument second = p.code().arguments_of(p.code().steps[4])[1];
  REQUIRE(second.is_constant());
  CHECK(p.form(second) == nac::argument_form::number);
  CHECK(p.constant(second.id()).float64() == 1.5);
  CHECK(p.has_constant(1));
  CHECK_FALSE(p.has_constant(0));
  CHECK_FALSE(p.has_constant(65535));

  CHECK(p.has_weights());
  REQUIRE(p.parameters().size() == 2);
  REQUIRE(p.has_parameter(2));
  CHECK_FALSE(p.has_parameter(3));
  CHECK(p.parameter(2).name == "fc.bias");
  CHECK(p.parameter(2).value.data.size() == 8);
  CHECK(p.parameter(2).value.shape[0] == 2);
  REQUIRE(p.inputs().size() == 1);
  CHECK(p.inputs()[0].instruction == 0);
  CHECK(p.inputs()[0].name == "x");

  const std::uint32_t last[] = {3, 3, 3, 4, 5, 5};
  for (std::size_t i = 0; i < 6; ++i) CHECK(p.last_use(i) == last[i]);
  CHECK(p.peak_results() == 4);  // input, weight, bias, and what linear makes of them
  CHECK(p.training().steps.empty());
}

TEST_CASE("nac/verify: inputs without names, results that nobody takes", "[nac]") {
  // 0 INPUT, 1 INPUT, 2 neg(0), 3 neg(0), 4 OUTPUT 2
  const auto source = around(from_hex("05000000 0200 0200 0e01feff 0e01fdff 030002000000feff"),
                             from_hex("00000000"));
  const auto p = nac::verify(*nac::read(bytes(source)));
  REQUIRE(p);
  REQUIRE(p->inputs().size() == 2);
  CHECK(p->inputs()[1].instruction == 1);
  CHECK(p->inputs()[1].name.empty());
  CHECK(p->last_use(0) == 3);
  CHECK(p->last_use(1) == 1);
  CHECK(p->last_use(3) == 3);
  // At 1: both inputs, of which 1 isn't needed; at 3: 0, 2 and 3.
  CHECK(p->peak_results() == 3);
}

TEST_CASE("nac/verify: the last record of an id counts", "[nac]") {
  auto source = hex_file("mini_v16");
  // Constant 1 becomes another constant 2, before the one of 1.5; the null stays unused.
  store_le(source.data() + 0xb6, std::uint16_t{2});
  tessera::report found;
  const auto p = nac::verify(*nac::read(bytes(source)), {}, &found);
  REQUIRE(p);
  CHECK(found.warnings == 1);
  CHECK(p->constant(2).float64() == 1.5);
  CHECK_FALSE(p->has_constant(1));
}

TEST_CASE("nac/verify: strict prefixes", "[nac]") {
  auto source = hex_file("mini_v16");
  for (const int prefix : {1, 2, 0, 3, -1}) {
    INFO(prefix);
    store_le(source.data() + 0x6c, static_cast<std::int16_t>(prefix));
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    tessera::report found;
    const bool usual = prefix == 1 || prefix == 2;
    CHECK(nac::verify(*file, {}, &found));
    CHECK(found.warnings == (usual ? 0 : 1));
    if (!usual)
      CHECK(std::string(found.text_of(found.diagnostics[0].text)) ==
            "prefix " + std::to_string(prefix) + "; expected 1, or 2 where it counts itself");
    nac::verify_options strict;
    strict.strict_prefixes = true;
    CHECK(nac::verify(*file, strict).error() == (usual ? error{} : error{errc::nac_prefix, 0x6c}));
  }
}

TEST_CASE("nac/verify: weights elsewhere", "[nac]") {
  auto source = hex_file("mini_v16");
  source[4] = std::byte{0};
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  tessera::report found;
  CHECK(nac::verify(*file, {}, &found).error() == error{errc::nac_weights_elsewhere, 0x6e});
  CHECK(found.errors == 1);  // once, not for each parameter
  nac::verify_options later;
  later.weights_elsewhere = true;
  auto p = nac::verify(*file, later);
  REQUIRE(p);
  CHECK_FALSE(p->has_weights());
  CHECK(p->parameter(1).name == "fc.weight");
  CHECK_FALSE(p->parameter(1).has_value);

  std::vector<std::byte> outside(8);
  const std::string json =
      "{\"fc.weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
      "\"fc.bias\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[24,32]}}";
  store_le(outside.data(), std::uint64_t{json.size()});
  for (const char c : json) outside.push_back(static_cast<std::byte>(c));
  outside.resize(outside.size() + 32);
  const auto weights = nac::read_safetensors(bytes(outside));
  REQUIRE(weights);
  nac::verify_options given;
  given.weights = &*weights;
  p = nac::verify(*file, given);
  REQUIRE(p);
  CHECK(p->has_weights());
  CHECK(p->parameter(2).id == 2);
  CHECK(p->parameter(2).value.data.data() == outside.data() + 8 + json.size() + 24);
}

TEST_CASE("nac/verify: a report counts more than it keeps", "[nac]") {
  // Operation 4 is reserved, ten times.
  std::vector<std::byte> ops = from_hex("0b000000 0200");
  for (int i = 0; i < 10; ++i) ops.insert(ops.end(), {std::byte{4}, std::byte{0}});
  const auto source = around(ops, from_hex("00000000"));
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  tessera::report found;
  const error e = nac::verify(*file, {.max_diagnostics = 3}, &found).error();
  CHECK(e == error{errc::nac_operation_reserved, file->instructions().offset() + 2});
  CHECK(found.errors == 10);
  CHECK(found.warnings == 1);  // no OUTPUT
  REQUIRE(found.diagnostics.size() == 3);
  const tessera::diagnostic& d = found.diagnostics[2];
  CHECK((d.code == errc::nac_operation_reserved && d.severity == tessera::severity::error));
  CHECK(d.where.offset == e.offset + 4);
  CHECK(found.text_of(d.text) == "operation 4 is reserved and can't run");
  CHECK(found.text_of(d.path) == "instruction 3 (operation 4)");
}

/// Where describe(error, bytes) says that reading fails.
[[nodiscard]] std::string place_of_read_error(const std::vector<std::byte>& source) {
  const auto file = nac::read(bytes(source));
  if (file) return "nowhere";
  const tessera::text shown = describe(file.error(), bytes(source), "x");
  const std::string all{std::string_view(shown)};
  const std::size_t first = all.find("] at ") + 5;
  return all.substr(first, all.find(" (0x", first) - first);
}

TEST_CASE("nac/places: where reading fails", "[nac]") {
  const std::vector<std::byte> none = from_hex("00000000");
  CHECK(place_of_read_error(around(from_hex("04000000 0200 0e01ffff 0e01feff 0e01"), none)) ==
        "OPS, instruction 3 (nac.neg), offset 116");
  CHECK(place_of_read_error(around(from_hex("03000000 0200 0e01ffff 0e"), none)) ==
        "OPS, instruction 2, offset 110");
  CHECK(place_of_read_error(around(from_hex("02000000 0200 0e07ffff"), none)) ==
        "OPS, instruction 1 (nac.neg), signature, offset 107");
  CHECK(place_of_read_error(around(from_hex("02000000 0200 02090000"), none)) ==
        "OPS, instruction 1 (INPUT), variant, offset 107");
  CHECK(place_of_read_error(around(from_hex("ff000000 0200"), none)) ==
        "OPS, number of instructions, offset 100");
  CHECK(place_of_read_error(around(from_hex("01000000 0200"), from_hex("01000000 0500 0214"))) ==
        "MMAP, tick 0, offset 99");
  const auto mini = hex_file("mini_v16");
  const auto edit = [&mini](std::size_t at, unsigned value) {
    auto source = mini;
    source[at] = static_cast<std::byte>(value);
    return place_of_read_error(source);
  };
  CHECK(place_of_read_error({mini.begin(), mini.begin() + 2}) == "offset 2");  // no container
  CHECK(place_of_read_error({mini.begin(), mini.begin() + 30}) ==
        "header, offset of CMAP, offset 30");
  CHECK(edit(3, 7) == "header, version, offset 3");
  CHECK(edit(4, 0x85) == "header, flags, offset 4");
  CHECK(edit(12 + 8 * 4 + 4, 1) == "header, offset of PERM, offset 44");
  CHECK(edit(12 + 8 * 8, 1) == "header, offset of RSRC, offset 76");
  const auto later = hex_file("mini_v18");
  const auto change = [&later](std::size_t at, unsigned value) {
    auto source = later;
    source[at] = static_cast<std::byte>(value);
    return place_of_read_error(source);
  };
  CHECK(change(362, 0xff) == "ORCH, size of the execution plan, offset 362");
  CHECK(change(366, 0xff) == "ORCH, number of its constants, offset 366");
  auto half = later;  // floats that would be of 16 bits
  half[304] = std::byte{1};
  report found;
  CHECK(nac::verify(*nac::read(bytes(half)), {}, &found).error() ==
        error{errc::nac_tensor_type, 294});
  CHECK(std::string(found.text_of(found.diagnostics[0].path)) == "tensor 0, data type");
}

TEST_CASE("nac/places: of any offset", "[nac]") {
  const auto place = [](const std::vector<std::byte>& source, std::uint64_t offset) {
    const tessera::text shown =
        describe(error{errc::nac_constant_count, offset}, bytes(source), "x");
    const std::string all{std::string_view(shown)};
    const std::size_t first = all.find("] at ") + 5;
    return all.substr(first, all.find(", offset ", first) - first);
  };
  const auto whole = hex_file("everything");
  const auto file = nac::read(bytes(whole));
  REQUIRE(file);
  CHECK(place(whole, 0) == "header, magic");
  CHECK(place(whole, 10) == "header, d_model");
  CHECK(place(whole, file->offset(nac::section::proc) + 5) == "size of the manifest");
  CHECK(place(whole, file->plan_constants().offset() + 1) == "plan constant 0 (id 0)");
  CHECK(place(around(from_hex("02000000 0200 0b01ffff 0000"), from_hex("00000000")), 111) ==
        "OPS, after the last record");
  // Records with an unknown type have a number, and nothing else.
  const auto broken = [&](std::uint64_t record, std::uint64_t type) {
    auto source = whole;
    source[static_cast<std::size_t>(record + type)] = std::byte{99};
    return place(source, record + type);
  };
  CHECK(broken(file->constants().offset(), 2) == "CNST, constant 0");
  CHECK(broken(file->tensors().offset(), 2) == "DATA, tensor 0");
  CHECK(broken(file->arrays().offset(), 3) == "ARRS, array 0");
}

TEST_CASE("nac/verify: limits are those of resolving", "[nac]") {
  const auto source = hex_file("mini_v16");
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  tessera::report found;
  nac::verify_options few;
  few.limit.max_items = 1;
  CHECK(nac::verify(*file, few, &found).error().code == errc::too_many_items);
  CHECK(found.errors == 1);
}

TEST_CASE("nac/verify: a file with several mistakes shows all of them", "[nac]") {
  // 0 INPUT, 1 neg(99), 2 INPUT, 3 add(0), 4 neg(4), 5 operation 9, 6 OUTPUT 5
  const auto source =
      around(from_hex("07000000 0200 0e016300 0200 0b01fdff 0e010000 0901 030002000000ffff"),
             from_hex("01000000 0100 02 14 0200 1e 6300"));
  report found;
  CHECK(nac::verify(*nac::read(bytes(source)), {}, &found).error().code == errc::nac_reference);
  std::string all;
  for (const diagnostic& d : found.diagnostics) {
    all += std::string(name(d.severity)) + ": " + std::string(found.text_of(d.text)) + " at " +
           std::string(found.text_of(d.path)) + '\n';
    CHECK(is_described(found, d, source));
  }
  CHECK(all ==
        "error: offset 99 leads to instruction 100; expected an earlier one, from 0 on at "
        "instruction 1 (nac.neg), argument 0\n"
        "error: offset 0 leads to the instruction itself; expected an earlier one at "
        "instruction 4 (nac.neg), argument 0\n"
        "error: v3 = nac.add: 1 argument; expected 2 or 3 at instruction 3 (nac.add), signature\n"
        "error: operation 9 is reserved and can't run at instruction 5 (operation 9)\n");
  CHECK((found.errors == 4 && found.warnings == 0));
}

TEST_CASE("nac/verify: the schedule against who takes what", "[nac]") {
  auto source = hex_file("mini_v16");
  // The empty schedule makes room for one command: the section is put after the others.
  store_le(source.data() + 12, std::uint64_t{source.size()});
  const std::size_t at = source.size();
  for (const std::byte b : from_hex("4d4d4150 01000000 0000 01 00 0000")) source.push_back(b);
  const std::uint32_t taken_by[] = {3, 3, 3, 4, 5, 9};
  for (std::uint16_t tick = 0; tick < 6; ++tick)
    for (std::uint16_t target = 0; target < 6; ++target)
      for (const nac::action what : {nac::action::save_result, nac::action::free,
                                     nac::action::forward, nac::action::preload}) {
        INFO(tick << ' ' << nac::name(what) << ' ' << target);
        store_le(source.data() + at + 8, tick);
        source[at + 11] = static_cast<std::byte>(what);
        store_le(source.data() + at + 12, target);
        const bool right =
            what == nac::action::save_result ? target == tick
            : what == nac::action::free
                ? target <= tick && (taken_by[target] == 9 || taken_by[target] <= tick)
            : what == nac::action::forward ? taken_by[tick] == target
                                           : (target == 1 || target == 2) && target >= tick;
        const auto file = nac::read(bytes(source));
        REQUIRE(file);
        tessera::report found;
        const auto p = nac::verify(*file, {}, &found);
        REQUIRE(p);  // it is advice
        CHECK(found.warnings == (right ? 0u : 1u));
        REQUIRE(p->schedule().size() == (right ? 1u : 0u));
        if (!right) {
          CHECK(std::string(found.text_of(found.diagnostics[0].path)) ==
                "tick 0 (instruction " + std::to_string(tick) + "), command 0");
          continue;
        }
        CHECK(p->schedule()[0].tick == tick);
        CHECK(p->schedule()[0].target == target);
        CHECK(p->schedule()[0].what == what);
      }
}

TEST_CASE("nac/verify: no element of a tensor is read", "[nac]") {
#if TESSERA_TESTS_PAGES
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // mini_v16 up to its first tensor, which gets three pages of elements, and ORCH after.
  std::vector<std::byte> source = hex_file("mini_v16");
  const std::vector<std::byte> tail(source.begin() + 0x13d, source.end());
  source.resize(0x125);
  store_le(source.data() + 0x112, std::uint64_t{3 * page});
  store_le(source.data() + 0x11c, static_cast<std::uint32_t>(3 * page / 4 / 2));
  store_le(source.data() + 0x120, std::uint32_t{2});
  const std::size_t first = source.size(), size = first + 3 * page + tail.size();
  auto* const mapped = static_cast<std::byte*>(
      mmap(nullptr, 5 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(static_cast<void*>(mapped) != MAP_FAILED);
  std::copy(source.begin(), source.end(), mapped);
  std::copy(tail.begin(), tail.end(), mapped + first + 3 * page);
  store_le(mapped + 68, std::uint64_t{size - 12});
  // The two pages that hold only elements can't be read any more.
  REQUIRE(first < page);
  REQUIRE(mprotect(mapped + page, 2 * page, PROT_NONE) == 0);
  const auto file = nac::read(bytes(mapped, size));
  REQUIRE(file);
  const auto p = nac::verify(*file);
  CHECK(p.error() == error{});
  CHECK(p->parameter(1).value.data.size() == 3 * page);
  munmap(mapped, 5 * page);
#endif
}

TEST_CASE("nac/verify: an output of everything, all of it forwarded, costs no more than it is",
          "[nac]") {
  const std::uint32_t n = 30000;
  std::vector<std::byte> ops(4), mmap(4);
  store_le(ops.data(), n + 1);
  store_le(mmap.data(), n);
  for (std::uint32_t i = 0; i < n; ++i) {
    ops.insert(ops.end(), {std::byte{2}, std::byte{0}});
    std::byte tick[6] = {};
    store_le(tick, static_cast<std::uint16_t>(i));
    tick[2] = std::byte{1};
    tick[3] = static_cast<std::byte>(nac::action::forward);
    store_le(tick + 4, static_cast<std::uint16_t>(n));
    mmap.insert(mmap.end(), tick, tick + 6);
  }
  std::vector<std::byte> output(2 + 2 * (n + 1) + 2 * n);
  output[0] = std::byte{3};
  store_le(output.data() + 2, static_cast<std::uint16_t>(n));
  for (std::uint32_t i = 0; i < n; ++i)
    store_le(
        output.data() + 4 + 2 * n + 2 * i,
        static_cast<std::int16_t>(static_cast<std::int32_t>(i) - static_cast<std::int32_t>(n)));
  ops.insert(ops.end(), output.begin(), output.end());
  const auto source = around(ops, mmap, n);
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  const tessera_tests::allocations before;
  const auto p = nac::verify(*file);
  CHECK(p.error() == error{});
  CHECK(p->peak_results() == n + 1);
  CHECK(before.peak() < 200 * (n + 1));
}

TEST_CASE("nac/verify: any one changed byte is an error or a program", "[nac]") {
  for (const char* name : {"mini_v16", "mini_v18", "two_outputs"}) {
    const auto original = hex_file(name);
    auto source = original;
    for (std::size_t i = 0; i < source.size(); ++i)
      for (const unsigned bits : {0x01u, 0x80u, 0xffu, 0x06u, 0x20u}) {
        source[i] = original[i] ^ static_cast<std::byte>(bits);
        const auto file = nac::read(bytes(source));
        if (file) {
          tessera::report found;
          const auto p = nac::verify(*file, {}, &found);
          bool right = static_cast<bool>(p) == (found.errors == 0);
          for (const tessera::diagnostic& d : found.diagnostics)
            right = right && d.where.offset <= source.size() && is_described(found, d, source);
          if (p)
            for (const nac::step& s : p->code().steps) {
              for (const nac::argument a : p->code().arguments_of(s))
                right = right && (a.is_constant() || a.index() <= p->size());
              (void)p->binding_of(s);
            }
          if (!right) FAIL_CHECK(name << " at " << i << " ^ " << bits);
        }
        source[i] = original[i];
      }
  }
}
