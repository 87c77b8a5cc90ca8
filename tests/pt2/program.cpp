// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Programs that were verified, walked as an importer walks them.

#include "pt2/samples.hpp"
// Keeps the line above where it is.
#include <map>

using namespace tessera;

namespace {

[[nodiscard]] pt2::program program(const std::string& source) {
  report found;
  auto p = pt2::verify(pt2_samples::model(source), {}, &found);
  if (!p) FAIL(std::string(p.error().name()) << " at " << p.error().offset);
  CHECK(found.diagnostics.empty());
  return std::move(*p);
}

}  // namespace

TEST_CASE("pt2/program: arguments, values and where they come from", "[pt2]") {
  const std::string source = pt2_samples::source_of("two");
  const pt2::program p = program(source);
  const pt2::model& m = p.model();
  const view<pt2::node> nodes = pt2::nodes(m, m.graphs[0]);
  REQUIRE(nodes.size() == 2);
  CHECK(text_of(m, nodes[0].target) == "torch.ops.aten.add.Tensor");
  CHECK(short_target(m, nodes[1]) == "aten.relu.default");
  CHECK(text_of(m, nodes[1].name) == "relu");
  CHECK(metadata(m, nodes[0], "nn_module_stack") == "L__self__,,__main__.Two");
  CHECK(metadata(m, nodes[0], "stack_trace").ends_with("caf\u00e9 \U0001f600 = add"));
  CHECK(metadata(m, nodes[0], "none").empty());
  const view<pt2::argument> in = arguments(m, nodes[0].inputs);
  REQUIRE(in.size() == 2);
  CHECK(text_of(m, in[1].name) == "other");
  CHECK(in[1].how == pt2::passing::positional);
  const std::uint32_t w = p.value_of(in[1]);
  REQUIRE(w != pt2::none);
  CHECK(text_of(m, m.values[w].name) == "p_w");
  const pt2::definition& of_w = p.definition_of(w);
  CHECK(of_w.node == pt2::none);
  CHECK(of_w.position == 0);
  CHECK(of_w.uses == 1);
  const std::uint32_t add = p.value_of(arguments(m, nodes[1].inputs)[0]);
  CHECK(p.definition_of(add).node == 0);
  CHECK(p.value_of(m.inputs[0].argument) == w);
  const std::uint32_t stored = p.stored_of(0);
  REQUIRE(stored != pt2::none);
  CHECK(text_of(m, m.stored[stored].name) == "w");
  CHECK(m.stored[stored].is_parameter);
  CHECK(p.stored_of(1) == pt2::none);
  const pt2::tensor_meta& meta = m.tensors[m.values[add].meta];
  CHECK(meta.type == pt2::element_type::float32);
  CHECK(scalars(m, meta.sizes)[1].integer == 3);
  CHECK(text_of(m, m.torch_version) == "2.13.0+cpu");
  const text listing = pt2::print(m);
  const pt2::model out = program(source).release();
  CHECK(pt2::print(out) == listing);
}

TEST_CASE("pt2/program: symbolic sizes and the numbers made of them", "[pt2]") {
  const std::string source = pt2_samples::source_of("dynamic");
  const pt2::program p = program(source);
  const pt2::model& m = p.model();
  std::map<std::string, std::string, std::less<>> expressions;
  for (const pt2::value& v : m.values) {
    if (v.kind == pt2::value_kind::tensor) continue;
    const pt2::scalar& s = m.scalars[v.meta];
    const auto e = pt2::read_expression(text_of(m, s.expression));
    REQUIRE(e);
    const text shown = pt2::print(*e);
    expressions.emplace(text_of(m, v.name), shown.view());
  }
  CHECK(expressions["add"] == "s17 + 2*s77");
  CHECK(expressions["mul_1"] == "0.5*ToFloat(s17 + 2*s77)");
  bool has_range = false;
  for (const pt2::range_constraint& c : m.constraints)
    if (text_of(m, c.symbol) == "s77") has_range = c.has_max && c.max == 64 && c.min == 2;
  CHECK(has_range);
}

TEST_CASE("pt2/program: bodies of control flow", "[pt2]") {
  const std::string source = pt2_samples::source_of("branches");
  const pt2::program p = program(source);
  const pt2::model& m = p.model();
  CHECK(m.graphs.size() == 5);
  std::size_t bodies = 0;
  for (const pt2::node& n : pt2::nodes(m, m.graphs[0]))
    for (const pt2::argument& a : arguments(m, n.inputs))
      if (a.kind == pt2::argument_kind::graph) {
        const pt2::graph& body = m.graphs[static_cast<std::size_t>(a.integer)];
        CHECK(body.inputs.count >= 2);
        // Names of a body are its own.
        for (const pt2::argument& input : arguments(m, body.inputs)) {
          const std::uint32_t v = p.value_of(input);
          CHECK(p.definition_of(v).graph == static_cast<std::uint32_t>(a.integer));
        }
        ++bodies;
      }
  CHECK(bodies == 4);
}

TEST_CASE("pt2/program: a finding in a body names its graph, and its node there", "[pt2]") {
  for (const auto& [target, path] :
       {std::pair("torch.ops.aten.linear.default", "graph 1, node 0 (linear: )"),
        {"torch.ops.aten.sub.Tensor", "graph 2, node 0 (sub: )"},
        {"torch.ops.aten.mul.Tensor", "graph 4, node 1 (mul: )"},
        {"torch.ops.aten.gt.Scalar", "node 1 (gt: )"}}) {
    pt2_samples::archive a = pt2_samples::open("branches");
    a.replace(pt2_samples::program_json, '"' + std::string(target) + '"', "\"\"");
    const std::string source = a.zip();
    report found;
    CHECK(pt2::verify(pt2_samples::model(source), {}, &found).error().code == errc::pt2_target);
    CHECK(std::string(found.text_of(found.diagnostics[0].path)) == path);
  }
}

TEST_CASE("pt2/program: buffers, mutations and constants", "[pt2]") {
  const std::string source = pt2_samples::source_of("cache_core");
  const pt2::program p = program(source);
  const pt2::model& m = p.model();
  std::size_t mutations = 0;
  for (const pt2::output_spec& s : m.outputs)
    if (s.kind == pt2::output_kind::buffer_mutation) {
      CHECK((text_of(m, s.target) == "cache" || text_of(m, s.target) == "position"));
      ++mutations;
    }
  CHECK(mutations == 2);
  for (std::uint32_t i = 0; i < m.inputs.size(); ++i)
    if (m.inputs[i].kind == pt2::input_kind::buffer && !m.inputs[i].is_persistent) {
      CHECK(text_of(m, m.stored[p.stored_of(i)].name) == "scale");
      CHECK(p.stored_of(i) >= m.constants.first);
    }
}

TEST_CASE("pt2/program: trees of inputs and outputs", "[pt2]") {
  const std::string source = pt2_samples::source_of("tree");
  const pt2::program p = program(source);
  const pt2::model& m = p.model();
  const auto in = pt2::read_tree(text_of(m, m.calls[0].in_spec));
  REQUIRE(in);
  CHECK(in->leaves == 6);
  CHECK(in->type(in->nodes[0]) == "builtins.tuple");
  CHECK(in->nodes[0].children == 2);
  const pt2::tree::node& keywords = in->nodes[1 + in->nodes[1].size];
  CHECK(in->type(keywords) == "builtins.dict");
  CHECK(in->context(keywords) == R"(["options", "mode", "flag", "nothing"])");
  std::size_t constants = 0;
  for (const pt2::input_spec& s : m.inputs)
    constants += s.kind == pt2::input_kind::constant_input ? 1u : 0u;
  CHECK(constants == 3);
}

TEST_CASE("pt2/program: tied weights and slices share a payload", "[pt2]") {
  const std::string source = pt2_samples::source_of("storages");
  const pt2::program p = program(source);
  const pt2::model& m = p.model();
  std::map<std::string, const pt2::stored_tensor*, std::less<>> by_name;
  for (const pt2::stored_tensor& t : m.stored) by_name.emplace(text_of(m, t.name), &t);
  CHECK(by_name["a"]->member == by_name["tied"]->member);
  CHECK(by_name["a"]->member == by_name["b"]->member);
  CHECK(payload(m, *by_name["b"]).size() == 48);
  const pt2::tensor_meta& b = m.tensors[by_name["b"]->meta];
  CHECK(m.scalars[b.storage_offset].integer == 3);
  CHECK(scalars(m, b.strides)[0].integer == 1);
  CHECK(m.tensors[by_name["wave"]->meta].type == pt2::element_type::complex64);
  CHECK(payload(m, *by_name["empty"]).empty());
}
