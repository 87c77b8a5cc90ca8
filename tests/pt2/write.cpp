// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Archives that are written.

#include "pt2/samples.hpp"
// Keeps the line above where it is.
#include <functional>

using namespace tessera;

namespace {

[[nodiscard]] std::string written(const pt2::model& m) {
  const auto out = pt2::write(m);
  if (!out) FAIL("write: " << std::string(out.error().name()) << " at " << out.error().offset);
  return std::string(pt2_samples::text_of({out->data(), out->size()}));
}

}  // namespace

TEST_CASE("pt2/write: archives of PyTorch survive byte for byte", "[pt2]") {
  for (const char* const name : pt2_samples::names) {
    INFO(name);
    const std::string source = pt2_samples::source_of(name);
    const pt2::model m = pt2_samples::model(source);
    CHECK(written(m) == source);
    CHECK(pt2::write_program(m) ==
          pt2_samples::text_of(content(m, m.members[find_member(m, pt2_samples::program_json)])));
    // From another layout, the same.
    pt2_samples::archive a = pt2_samples::open(name);
    const std::string other = a.zip();
    CHECK(written(pt2_samples::model(other)) == source);
  }
  const std::string both = pt2_samples::source_of("programs");
  CHECK(written(pt2_samples::model(both, {.program = "first"})) == both);
  CHECK(written(pt2_samples::model(both, {.program = "second"})) == both);
}

TEST_CASE("pt2/write: what was written is a fixpoint", "[pt2]") {
  pt2_samples::archive a = pt2_samples::open("tree");
  a.replace(pt2_samples::program_json, R"({"name": "self", "arg")",
            "{\"unknown\": [1], \n\"name\" : \"self\", \"arg\"");
  a.replace(pt2_samples::program_json, R"({"as_bool": false})",
            R"({"as_complex": {"real": 0, "imag": -1e400}})");
  const std::string too_large = a.zip();
  CHECK(pt2::read(too_large).error().code == errc::json_number_range);
  a.replace(pt2_samples::program_json, "-1e400", "\"-Infinity\"");
  const std::string source = a.zip();
  const std::string once = written(pt2_samples::model(source));
  CHECK(once != source);
  CHECK(once.find("unknown") == once.npos);
  CHECK(once.find(R"({"as_complex": {"real": 0.0, "imag": "-Infinity"}})") != once.npos);
  CHECK(written(pt2_samples::model(once)) == once);
}

TEST_CASE("pt2/write: members that later versions have are left out", "[pt2]") {
  const struct {
    const char *archive, *before;  ///< the new member is inserted there
    std::string_view member = pt2_samples::program_json;
  } places[] = {{"dynamic", R"("expr_str": "Symbol('s77')"},
                {"dynamic", R"("min_val": 2)"},
                {"tree", R"("name": "mode", "value")"},
                {"branches", R"("name": "true_graph_0")"},
                {"two", R"("path_name")", pt2_samples::weights_json}};
  for (const auto& p : places) {
    INFO(p.archive << ' ' << p.before);
    const std::string usual = pt2_samples::source_of(p.archive);
    pt2_samples::archive a = pt2_samples::open(p.archive);
    a.replace(p.member, p.before, R"("new": [{}], )" + std::string(p.before));
    const std::string source = a.zip();
    CHECK(written(pt2_samples::model(source)) == usual);
  }
  pt2_samples::archive a = pt2_samples::open("tree");
  a.replace(pt2_samples::program_json, R"({"as_bool": false})",
            R"({"as_complex": {"new": 1, "real": 0, "imag": 1}})");
  const std::string source = a.zip();
  CHECK(written(pt2_samples::model(source)).find(R"({"real": 0.0, "imag": 1.0})") !=
        std::string::npos);
}

TEST_CASE("pt2/write: every kind of argument", "[pt2]") {
  constexpr std::string_view arguments[] = {
      R"({"as_none": true})",
      R"({"as_tensor": {"name": "x"}})",
      R"({"as_tensors": [{"name": "x"}, {"name": "p_w"}]})",
      R"({"as_tensors": []})",
      R"({"as_int": -9223372036854775808})",
      R"({"as_ints": [1, 2]})",
      R"({"as_ints": []})",
      R"({"as_float": 1e-05})",
      R"({"as_float": "NaN"})",
      R"({"as_float": -0.0})",
      R"({"as_floats": [0.5, "Infinity"]})",
      R"({"as_string": "a\"\u00e9\ud83d\ude00\u007f\n"})",
      R"({"as_strings": ["", "b"]})",
      R"({"as_sym_int": {"as_int": 3}})",
      R"({"as_sym_ints": [{"as_int": 3}]})",
      R"({"as_scalar_type": 7})",
      R"({"as_memory_format": 1})",
      R"({"as_layout": 7})",
      R"({"as_device": {"type": "cuda", "index": 0}})",
      R"({"as_device": {"type": "cpu", "index": null}})",
      R"({"as_bool": true})",
      R"({"as_bools": [true, false]})",
      R"({"as_sym_bool": {"as_bool": true}})",
      R"({"as_sym_bools": [{"as_bool": false}]})",
      R"({"as_optional_tensors": [{"as_none": true}, {"as_tensor": {"name": "x"}}]})",
      R"({"as_operator": "torch.ops.aten.add.Tensor"})",
      R"({"as_sym_float": {"as_float": 0.5}})",
      R"({"as_sym_floats": [{"as_float": 2.0}]})",
      R"({"as_optional_tensor": {"as_tensor": {"name": "x"}}})",
      R"({"as_optional_tensor": {"as_none": true}})",
      R"({"as_complex": {"real": 1.0, "imag": 2.0}})",
      R"({"as_nested_tensors": [[{"name": "x"}], []]})",
      R"({"as_int_lists": [[1], [], [2, 3]]})",
      R"({"as_string_to_argument": {"a": {"as_int": 1}, "b": {"as_string_to_argument": {}}}})",
      R"({"as_float_lists": [[0.5], []]})"};
  for (const std::string_view argument : arguments) {
    INFO(argument);
    pt2_samples::archive a = pt2_samples::open("two");
    a.replace(pt2_samples::program_json, R"({"as_tensor": {"name": "p_w"}}, "kind")",
              std::string(argument) + R"(, "kind")");
    const std::string source = a.zip();
    const pt2::model m = pt2_samples::model(source);
    CHECK(pt2::write_program(m) == a.at(pt2_samples::program_json).content);
    // Of an operator that takes anything.
    a.replace(pt2_samples::program_json, "torch.ops.aten.add.Tensor", "torch.ops.mine.op.default");
    const std::string other = a.zip();
    CHECK(pt2::verify(pt2_samples::model(other)));
    CHECK(!pt2::print(m).empty());
  }
}

TEST_CASE("pt2/write: objects, tokens, and every kind of output", "[pt2]") {
  const auto survives = [](pt2_samples::archive a, std::string_view line) {
    const std::string source = a.zip();
    const pt2::model m = pt2_samples::model(source);
    CHECK(pt2::write_program(m) == a.at(pt2_samples::program_json).content);
    const text listing = pt2::print(m);
    INFO(listing.view());
    CHECK(listing.view().find(line) != std::string_view::npos);
    report found;
    return pt2::verify(pt2_samples::model(source), {}, &found).error().code;
  };
  pt2_samples::archive a = pt2_samples::open("two");
  constexpr std::string_view o = R"({"name": "o", "class_fqn": "mine.Class"})";
  const std::string_view json = pt2_samples::program_json;
  a.replace(json, R"("custom_obj_values": {})",
            R"("custom_obj_values": {"o": )" + std::string(o) + '}');
  a.replace(json, R"({"inputs": [)", R"({"inputs": [{"as_custom_obj": )" + std::string(o) + "}, ");
  a.replace(json, R"("input_specs": [)",
            R"("input_specs": [{"custom_obj": {"arg": )" + std::string(o) +
                R"(, "custom_obj_name": "packed"}}, )");
  CHECK(survives(a, "o: mine.Class = object \"packed\"") == errc::pt2_weight_unknown);
  a = pt2_samples::open("two");
  a.replace(json, R"({"user_input": {"arg": {"as_tensor": {"name": "x"}}}})",
            R"({"token": {"arg": {"name": "x"}}})");
  CHECK(survives(a, "x: f32[2,3] = token\n") == errc::pt2_tree_leaves);  // calls pass an x
  a = pt2_samples::open("two");
  a.replace(json, "user_output", "loss_output");
  a.replace(json, R"({"arg": {"as_tensor": {"name": "relu"}}})", R"({"arg": {"name": "relu"}})");
  CHECK(survives(a, "return relu\n") == errc::ok);
  const struct {
    std::string_view kind, member, good;
  } outputs[] = {{"token", {}, {}},
                 {"gradient_to_parameter", "parameter_name", "w"},
                 {"parameter_mutation", "parameter_name", "w"},
                 {"gradient_to_user_input", "user_input_name", "x"},
                 {"user_input_mutation", "user_input_name", "x"}};
  for (const auto& [kind, member, good] : outputs)
    for (const std::string_view target : {good, std::string_view("q")}) {
      INFO(kind << ' ' << target);
      a = pt2_samples::open("two");
      std::string spec = "{\"" + std::string(kind) + R"(": {"arg": {"name": "add"})";
      if (!member.empty())
        spec += ", \"" + std::string(member) + "\": \"" + std::string(target) + '"';
      a.replace(json, R"({"name": "relu"}}], "nodes")",
                R"({"name": "relu"}}, {"as_tensor": {"name": "add"}}], "nodes")");
      a.replace(json, R"({"user_output": {"arg": {"as_tensor": {"name": "relu"}}}})",
                R"({"user_output": {"arg": {"as_tensor": {"name": "relu"}}}}, )" + spec + "}}");
      CHECK(survives(a, "return relu, add\n") ==
            (member.empty() || target == good ? errc::ok : errc::pt2_spec_target));
    }
}

TEST_CASE("pt2/write: a boolean's hint, and a weight without a description", "[pt2]") {
  pt2_samples::archive a = pt2_samples::open("two");
  a.replace(pt2_samples::program_json, R"("sym_bool_values": {})",
            R"x("sym_bool_values": {"b": {"as_expr": {"expr_str": "Symbol('s0')", )x"
            R"x("hint": {"as_bool": true}}}})x");
  std::string& weights = a.at(pt2_samples::weights_json).content;
  const std::size_t meta = weights.find("{\"dtype\"");
  weights.replace(meta, weights.size() - meta, "null}}}");
  const std::string source = a.zip();
  const pt2::model m = pt2_samples::model(source);
  CHECK(pt2::write_program(m) == a.at(pt2_samples::program_json).content);
  CHECK(m.stored[0].meta == pt2::none);
  CHECK(written(m).find(weights) != std::string::npos);
}

TEST_CASE("pt2/write: changed models", "[pt2]") {
  const std::string source = pt2_samples::source_of("two");
  pt2::model m = pt2_samples::model(source);
  float values[] = {5, 6, 7};
  std::byte raw[12];
  for (std::size_t i = 0; i < 3; ++i) store_le(raw + 4 * i, values[i]);
  set_content(m, m.stored[0].member, raw);
  m.tensors[m.stored[0].meta].requires_grad = false;
  const std::string out = written(m);
  const pt2::model again = pt2_samples::model(out, {.checksums = true});
  CHECK(load_le<float>(payload(again, again.stored[0]).data() + 8) == 7.0f);
  CHECK_FALSE(again.tensors[again.stored[0].meta].requires_grad);
  CHECK(pt2::write_program(again) == pt2::write_program(m));
}

TEST_CASE("pt2/write: deflated members are written stored, unless they were never opened",
          "[pt2]") {
  pt2_samples::archive a = pt2_samples::open("two");
  a.deflate(pt2_samples::program_json);
  a.deflate("data/sample_inputs/model.pt");
  const std::string source = a.zip();
  const pt2::model m = pt2_samples::model(source, {.inflate = {pt2_samples::inflate}});
  const std::string out = written(m);
  const pt2::model again = pt2_samples::model(out);
  const pt2::member& kept = again.members[find_member(again, "data/sample_inputs/model.pt")];
  CHECK(kept.is_deflated);
  CHECK(out.substr(static_cast<std::size_t>(kept.data_offset),
                   static_cast<std::size_t>(kept.stored_size)) ==
        a.at("data/sample_inputs/model.pt").content);
  CHECK_FALSE(again.members[find_member(again, pt2_samples::program_json)].is_deflated);
}

TEST_CASE("pt2/write: sizes from 2^32 - 1 on are in the fields of ZIP64", "[pt2]") {
  constexpr std::string_view name = "data/sample_inputs/model.pt";
  pt2_samples::archive a = pt2_samples::open("two");
  a.deflate(std::string(name));
  const std::string source = a.zip();
  pt2::model m = pt2_samples::model(source);
  for (const std::uint64_t size : {0xfffffffeu, 0xffffffffu}) {
    m.members[find_member(m, name)].size = size;
    const std::string out = written(m);
    const bytes extra = as_bytes(std::string_view(out).substr(out.find(name) + name.size()));
    const bool is_wide = load_le<std::uint16_t>(extra.data()) == 1;
    CHECK(is_wide == (size == 0xffffffff));
    if (is_wide) CHECK(load_le<std::uint16_t>(extra.data() + 2) == 16);
  }
}

TEST_CASE("pt2/write: what is refused, before the first byte", "[pt2]") {
  std::string source = pt2_samples::source_of("two");
  const pt2::model clean = pt2_samples::model(source);
  const auto at = static_cast<std::size_t>(clean.members[0].data_offset);
  source[at] ^= 1;
  const pt2::model m = pt2_samples::model(source);
  bool called = false;
  const pt2::sink to{&called, [](void* context, bytes) {
                       *static_cast<bool*>(context) = true;
                       return false;
                     }};
  CHECK(pt2::write(m, to) == error(errc::pt2_checksum, at));
  CHECK_FALSE(called);
  CHECK(pt2::write(m, to, {.checksums = false}) == error(errc::pt2_write_stopped, 0));
  CHECK(called);
}

TEST_CASE("pt2/write: indices of models built in code are checked", "[pt2]") {
  const std::string source = pt2_samples::source_of("branches");
  const std::function<void(pt2::model&)> changes[] = {
      [](pt2::model& m) { m.graphs[0].nodes.count += 100; },
      [](pt2::model& m) { m.graphs[0].inputs.first = pt2::none; },
      [](pt2::model& m) { m.graphs.clear(); },
      [](pt2::model& m) { m.nodes[0].inputs.count = 1000; },
      [](pt2::model& m) { m.nodes[0].target.size = 1u << 30; },
      [](pt2::model& m) { m.arguments[0].text.first = pt2::none; },
      [](pt2::model& m) { m.values[0].meta = 100000; },
      [](pt2::model& m) { m.tensors[0].storage_offset = 100000; },
      [](pt2::model& m) { m.inputs[0].argument = 100000; },
      [](pt2::model& m) { m.stored[0].member = 100000; },
      [](pt2::model& m) { m.members[0].size = m.members[0].stored_size = 100000; },
      [](pt2::model& m) { m.weights.count = 100000; },
      [](pt2::model& m) {  // a graph that contains itself
        for (pt2::argument& a : m.arguments)
          if (a.kind == pt2::argument_kind::graph) a.integer = 0;
      },
      [](pt2::model& m) {  // and one that two nodes have
        for (pt2::argument& a : m.arguments)
          if (a.kind == pt2::argument_kind::graph) a.integer = 1;
      },
      [](pt2::model& m) {  // a list that contains itself
        for (std::uint32_t i = 0; i < m.arguments.size(); ++i)
          if (m.arguments[i].kind == pt2::argument_kind::tensors) m.arguments[i].items.first = i;
      },
  };
  for (const auto& change : changes) {
    INFO(&change - changes);
    pt2::model m = pt2_samples::model(source);
    change(m);
    CHECK(check(m).code == errc::pt2_index);
    CHECK(pt2::write(m).error().code == errc::pt2_index);
    CHECK(pt2::print(m) == std::string_view("pt2: pt2_index\n"));
    report found;
    const auto p = pt2::verify(std::move(m), {}, &found);
    CHECK(p.error().code == errc::pt2_index);
    CHECK(found.errors == 1);
  }
}
