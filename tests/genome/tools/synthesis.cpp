// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Networks drawn from a grammar: what the rules of a registry become, and that all that is drawn runs.

#include "genome/synthesis.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "genome/convert.hpp"
#include "genome/grammar.hpp"
#include "genome/less_by_element.hpp"
#include "genome/rules.hpp"
#include "genome/tools/registries.hpp"
#include "import/recorded.hpp"

namespace {

using namespace tessera;
using genome_tests::library_of;
using genomics::grammar;
using genomics::synthesized;
using genomics::synthesizer;

constexpr const char* relu = "aten.relu.default:node_args(1):kwargs()";
constexpr const char* add = "nac.add:node_args(2):kwargs()";

[[nodiscard]] genome::registry registry_of_two() {
  return genome_tests::registry_of({relu, add}, {"in0", "in0,in1"});
}
void transition(genome::registry& r, const std::string& text, std::uint64_t count,
                const std::vector<std::string>& exceptions = {}) {
  genome::transition_rule t;
  t.text = r.add_characters(text);
  t.probability = r.add_characters("1.00");
  t.count = count;
  t.first_exception = static_cast<std::uint32_t>(r.exceptions.size());
  t.exceptions = static_cast<std::uint32_t>(exceptions.size());
  for (const std::string& e : exceptions) r.exceptions.push_back(r.add_characters(e));
  t.first = static_cast<std::uint32_t>(r.pattern_nodes.nodes.size());
  t.nodes = 2;
  r.pattern_nodes.add({.a = 10, .b = 10}, {});
  r.pattern_nodes.add({.a = 10, .b = 10}, {0});
  r.transitions.push_back(t);
}
void counted(genome::registry& r, pool<genome::counted_rule>& to, const std::string& text,
             std::uint64_t count) {
  genome::counted_rule c;
  c.text = r.add_characters(text);
  c.count = count;
  to.push_back(c);
}
[[nodiscard]] std::string shown(const grammar& g, std::uint32_t before) {
  std::string out;
  for (const grammar::production& p : g.after(before)) {
    out += std::string(g.name(p.name).substr(0, g.name(p.name).find(':'))) + '(';
    for (const std::uint32_t in : p.inputs)
      out += in == grammar::source      ? "source "
             : in == grammar::any       ? "any "
             : in == grammar::parameter ? "weight "
                                        : std::string(g.name(in).substr(0, 10)) + ' ';
    out += ") " + std::to_string(std::lround(p.count * 100)) + '\n';
  }
  return out;
}

/// The rules of networks that PyTorch exported, without thresholds.
[[nodiscard]] genome::library learned(
    const std::vector<std::string>& names,
    std::set<std::vector<std::uint32_t>, genomics::less_by_element>* known = nullptr) {
  genomics::corpus all;
  for (const std::string& name : names) {
    const import_tests::imported made(import_tests::data("networks/" + name + ".pt2"));
    REQUIRE(made);
    REQUIRE(add_graph(all, name, made.program()).code == errc::ok);
  }
  result<genomics::signatures> streams = genomics::signatures_of(all);
  REQUIRE(streams);
  const genome::library flat = library_of(std::move(streams->registry));
  genomics::rule_miner miner(
      flat,
      {.min_probability = -1, .min_transitions = 0, .min_compositions = 0, .min_structures = 0});
  for (genome::stream& s : streams->streams) {
    const result<genome::program> p = genome::verify(std::move(s), flat);
    REQUIRE(p);
    miner.add(*p);
  }
  genome::registry found = flat.registry();
  REQUIRE(miner.finish(found));
  if (known != nullptr)
    for (std::size_t k = 0; k < all.size(); ++k)
      known->insert({all[k].kinds.begin(), all[k].kinds.end()});
  return library_of(std::move(found));
}

struct container {
  pool<std::byte> bytes_of;
  std::optional<nac::program> program;

  explicit container(const nac::parts& parts) {
    result<pool<std::byte>> written = nac::write(parts);
    REQUIRE(written);
    bytes_of = std::move(*written);
    const result<nac::model> model = nac::read(bytes(bytes_of.data(), bytes_of.size()));
    REQUIRE(model);
    result<nac::program> p = nac::verify(*model);
    REQUIRE(p);
    program.emplace(std::move(*p));
  }
};
/// The largest magnitude of what a network gives for ones.
[[nodiscard]] double run(const container& c, const synthesized& n) {
  vm::nac::machine machine(*c.program);
  std::size_t count = 1;
  for (const std::int64_t d : n.input) count *= static_cast<std::size_t>(d);
  const std::vector<float> ones(count, 1.0F);
  const std::vector<std::int64_t> ids(count, 1);
  const bool is_float = n.input_type == nac::data_type::float32;
  REQUIRE(machine.set_input(0, is_float ? vm::array_view(n.input, std::span(ones))
                                        : vm::array_view(n.input, std::span(ids))));
  const auto done = machine.run();
  INFO(error{done.code}.name() << ' ' << done.text);
  REQUIRE(done);
  const vm::array_view y = machine.output(0);
  double largest = 0;
  if (y.type == nac::data_type::float32)
    for (const float x : y.elements<float>())
      largest = std::max(largest, static_cast<double>(std::fabs(x)));
  return largest;
}

}  // namespace

TEST_CASE("genome/grammar: what the texts of rules say", "[genome][synthesis]") {
  genome::registry r = registry_of_two();
  const std::string after_relu = "After '" + std::string(relu) + "' -> '";
  transition(r, "After '<DATA_INPUT>' -> '" + std::string(relu) + "' with connection 'in0=SOURCE'",
             7);
  transition(
      r, after_relu + add + "' with connection 'in0=rel_-3,in1=SOURCE'", 8,
      {"-> '" + std::string(relu) + "' with conn 'in0=SOURCE' (2 times)",
       "-> '<OUTPUT>' with conn 'in0=SOURCE' (1 times)", "-> 'x' with conn 'in0=SOURCE' (9 times)",
       "-> '" + std::string(relu) + "' with conn 'in1=' (2 times)", "nonsense"});
  transition(r, after_relu + add + "' with connection 'in0=SOURCE,in1=rel_-9'", 4,
             {"-> '" + std::string(relu) + "' with conn 'in0=SOURCE' (2 times)"});
  transition(r, "nonsense", 4);
  const std::string node = "Node '" + std::string(add) + "' is formed by inputs from ['";
  counted(r, r.structures, node + relu + "' (at rel -3), '" + relu + "' (at rel -1)]", 3);
  counted(r, r.structures, node + "<CONST_REF>' (at rel -3), '" + relu + "' (at rel -2)]", 1);
  counted(r, r.structures, node + "<CONST_REF>' (at rel -3), 'x' (at rel -2)]", 1);
  counted(r, r.structures, node, 1);
  counted(r, r.structures, node + "<CONST_REF>' (at rel -9), '" + relu + "' (at rel -5)]", 0);
  counted(r, r.compositions, "Composition: Op='" + std::string(add) + "', Var=11, Const='None'", 5);
  counted(r, r.compositions, "Composition: Op='" + std::string(add) + "', Var=11, Const='g[0]'", 6);
  counted(r, r.compositions, "Composition: Op='" + std::string(add) + "', Var=11, Const='c[10]'",
          7);
  counted(r, r.compositions, "Composition: Op='" + std::string(add) + "', Var=300, Const='c[10]'",
          8);
  r.add_group(0, "arg1=10");
  r.add_constant(10, "int", "1");
  const genome::library l = library_of(std::move(r));
  const grammar g(l);
  CHECK_FALSE(g.empty());
  CHECK(shown(g, grammar::data_input) == "aten.relu.default(source ) 700\n");
  // Eight sums: of three of four another ReLU's, of one a weight's; where no structure fits, any.
  CHECK(shown(g, 3) ==
        "<OUTPUT>(source ) 100\naten.relu.default(source ) 200\n"
        "nac.add(weight source ) 200\nnac.add(aten.relu. source ) 600\nnac.add(source any ) 400\n");
  REQUIRE(g.compositions(4).size() == 3);
  CHECK(g.compositions(4)[0].constants == 0);
  CHECK(g.compositions(4)[1].constants == -1);
  CHECK(g.compositions(4)[2].constants == 10);
  CHECK(g.operation(4) == 11);
}

TEST_CASE("genome/synthesis: without rules there are no networks", "[genome][synthesis]") {
  const genome::library l = library_of(registry_of_two());
  const synthesizer draw(l);
  CHECK_FALSE(draw.has_rules());
  CHECK_FALSE(draw(1));
}

TEST_CASE("genome/synthesis: all networks run, and none is like another", "[genome][synthesis]") {
  const std::vector<std::string> names = {"resnet",        "unet",           "mlp",
                                          "encoder_layer", "gated",          "squeeze_excite",
                                          "depthwise",     "patch_embedding"};
  std::set<std::vector<std::uint32_t>, genomics::less_by_element> known;
  const genome::library l = learned(names, &known);
  genomics::synthesis_options how;
  how.max_parameters = 50000;
  how.max_macs = 2000000;
  how.max_memory = 1 << 22;
  how.max_width = 24;
  how.min_operations = 5;
  how.max_operations = 30;
  const synthesizer draw(l, how);
  std::set<std::string> all;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    INFO("seed " << seed);
    const std::optional<synthesized> n = draw(seed);
    REQUIRE(n);
    const container c(n->parts);
    CHECK(std::isfinite(run(c, *n)));
    CHECK(n->operations >= 5);
    CHECK(n->operations <= 30);
    CHECK(n->repaired <= n->operations);
    CHECK(n->parameters <= how.max_parameters);
    CHECK(n->macs <= how.max_macs);
    CHECK(n->peak_memory <= how.max_memory);
    CHECK(n->log_likelihood <= 0);
    std::uint64_t parameters = 0, operations = 0;
    for (const nac::tensor& t : c.program->model().tensors()) {
      parameters += t.data.size() / nac::size_of(t.type);
      if (t.shape.size() > 3) CHECK(t.shape[0] <= 64);
    }
    CHECK(parameters == n->parameters);
    for (const nac::step& s : c.program->code().steps)
      operations += s.a >= nac::first_regular_op ? 1 : 0;
    CHECK(operations == n->operations);
    all.insert(std::string(as_text(bytes(c.bytes_of.data(), c.bytes_of.size()))));
    genomics::corpus made;
    REQUIRE(add_graph(made, "made", *c.program).code == errc::ok);
    CHECK(genomics::signature_of(made, 0));
    const std::optional<synthesized> again = draw(seed);
    REQUIRE(again);
    const container same(again->parts);
    CHECK(as_text(bytes(same.bytes_of.data(), same.bytes_of.size())) ==
          as_text(bytes(c.bytes_of.data(), c.bytes_of.size())));
  }
  CHECK(all.size() == 150);
}

TEST_CASE("genome/synthesis: shapes that are given, and what isn't accepted",
          "[genome][synthesis]") {
  const genome::library l = learned({"resnet"});
  genomics::synthesis_options how;
  how.input = {2, 3, 24, 24};
  how.attempts = 40;
  const synthesizer draw(l, how);
  const std::optional<synthesized> n = draw(3);
  REQUIRE(n);
  CHECK(n->input == how.input);
  std::uint32_t asked = 0;
  CHECK_FALSE(draw(3, [&](const synthesized& s) {
    ++asked;
    return s.operations > 40;
  }));
  CHECK(asked > 0);
  CHECK(asked <= 40);
  how.input = {7};
  CHECK_FALSE(synthesizer(l, how)(1));
}
