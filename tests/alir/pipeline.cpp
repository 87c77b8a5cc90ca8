// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Pipelines: what alkaid writes survives byte for byte, and what is none is refused at its place.

#include "samples.hpp"
// Keeps the line above where it is.
#include <string>
#include <string_view>
#include <vector>

#include "build.hpp"

namespace {

using samples::alir::interval;
using samples::alir::model;
using samples::alir::opcode;
using samples::alir::pipeline;
using samples::alir::pipeline_form;
using samples::alir::read_pipeline;
using samples::alir::staged;
using samples::alir::verify;
using samples::alir::write_pipeline;
using tessera::errc;
using tessera::error;
using tessera::error_index;

struct pipeline_file {
  std::string name, content;
};
const std::vector<pipeline_file>& files() {
  static const std::vector<pipeline_file> all = [] {
    std::vector<pipeline_file> list;
    for (const auto& entry : std::filesystem::directory_iterator(samples::folder() / "pipelines"))
      if (entry.path().extension() == ".json")
        list.push_back({entry.path().filename().string(), samples::load(entry.path())});
    return list;
  }();
  return all;
}
std::string content(std::string_view name) {
  for (const pipeline_file& f : files())
    if (f.name == name) return f.content;
  FAIL("no pipeline " << std::string(name));
  return {};
}
pipeline read(std::string_view text) {
  auto p = read_pipeline(text);
  if (!p) FAIL(std::string(p.error().name()) << " at " << p.error().offset);
  return std::move(*p);
}
std::string written(const pipeline& p, std::int32_t version = 0) {
  auto out = write_pipeline(p, version);
  if (!out) FAIL("write_pipeline: " << std::string(out.error().name()));
  return std::string(out->view());
}

/// One block, without a register, and what is around it.
constexpr std::string_view block =
    R"([[1,1],[0],[0],[0],[false],[[[],-1,[0],[-8.0,7.5,0.5],0.0,0.0]],-1,-1,null])";
std::string small() {
  pipeline p;
  p.input_register = p.output_register = false;
  p.blocks.push_back(samples::model(R"({"model":)" + std::string(block) +
                                    R"(,"meta":"ALIRModel","spec_version":4})"));
  return written(p);
}
/// The error of `text` with the first `from` replaced, and that it is `at` bytes after that one.
error changed(const std::string& text, std::string_view from, std::string_view to) {
  return read_pipeline(samples::with(text, from, to)).error();
}
void check(const std::string& text, std::string_view from, std::string_view to, errc code,
           std::string_view at) {
  const std::string wrong = samples::with(text, from, to);
  INFO(wrong);
  const std::size_t place = wrong.find(at);
  REQUIRE(place != std::string::npos);
  CHECK(read_pipeline(wrong).error() == error{code, place});
}

}  // namespace

TEST_CASE("alir/pipeline: files survive byte for byte", "[alir]") {
  REQUIRE(files().size() == 7);
  for (const pipeline_file& f : files()) {
    INFO(f.name);
    CHECK(samples::alir::starts_pipeline(f.content));
    const pipeline p = read(f.content);
    CHECK(written(p) == f.content);
    CHECK(read(written(p)) == p);
    auto s = verify(pipeline(p));
    REQUIRE(s.error() == error{});
    CHECK(s->size() == p.blocks.size());
    CHECK(s->latency() == latency(p));
    const pipeline released = std::move(*s).release();
    CHECK(released == p);
    CHECK(released.blocks[0].source.ops.empty());
    CHECK_FALSE(samples::alir::print(p).empty());
    // No proper prefix is a pipeline.
    for (std::size_t n = 0; n < f.content.size(); n += 1 + f.content.size() / 211)
      if (const error e = read_pipeline(std::string_view(f.content).substr(0, n)).error();
          e == error{} || e.offset > n)
        FAIL("cut to " << n);
  }
  for (const samples::file& f : samples::good())
    CHECK_FALSE(samples::alir::starts_pipeline(f.content));
  CHECK_FALSE(samples::alir::starts_pipeline("[[1,1],[0]]"));
  CHECK(samples::alir::starts_pipeline("\xEF\xBB\xBF [ [[1,1]"));
}

TEST_CASE("alir/pipeline: registers and forms", "[alir]") {
  const auto of = [](std::string_view name) { return read(content(name)); };
  const pipeline dense = of("dense.fsm.json"), table = of("table.fsm.json");
  CHECK((dense.blocks.size() == 3 && dense.input_register && dense.output_register));
  CHECK(latency(dense) == 4);
  CHECK((table.blocks.size() == 2 && !table.input_register && table.output_register));
  CHECK(latency(table) == 2);
  const pipeline wire = of("wire.fsm.json"), late = of("late.fsm.json");
  CHECK((wire.blocks.size() == 1 && !wire.input_register && !wire.output_register));
  CHECK(latency(wire) == 0);
  CHECK((late.blocks.size() == 4 && late.input_register && !late.output_register));
  CHECK(latency(late) == 4);
  const pipeline nested = of("nested.blocks.json"), list = of("list.blocks.json");
  CHECK(nested.form == pipeline_form::nested);
  const auto verified = verify(nested);
  REQUIRE(verified);
  CHECK(verified->form() == pipeline_form::nested);
  CHECK(list.form == pipeline_form::list);
  CHECK(latency(nested) == 4);
  CHECK(latency(list) == 3);
  CHECK(nested.blocks[0].spec_version == 2);
  CHECK(latency(pipeline{}) == 2);

  // Arrays in every version, and as a state machine.
  for (const int version : {2, 3, 4}) {
    const pipeline as = read(written(nested, version));
    CHECK(as.blocks[0].spec_version ==
          (version == 2 ? 2 : 4));  // without a quantize, 3 looks like 4
    CHECK(as == nested);
  }
  pipeline moved = nested;
  moved.form = pipeline_form::fsm;
  CHECK(read(written(moved)) == moved);
  CHECK(write_pipeline(moved, 3).error() == error{errc::alir_fsm_version, 0, error_index::whole});
  moved.form = pipeline_form::list;
  CHECK(written(moved) ==
        samples::with(written(nested), "[[[[", "[[[").substr(0, written(nested).size() - 2));
}

TEST_CASE("alir/pipeline: a listing", "[alir]") {
  const tessera::text out = samples::alir::print(read(content("table.fsm.json")), {.costs = false});
  const std::string shown(out.view());
  CHECK(shown.starts_with("pipeline: 2 blocks, 2 registers\nblock 0\nalir 4: 2 inputs, "));
  CHECK(shown.find("\nregister\nblock 1\nalir 4: ") != std::string::npos);
  CHECK(shown.ends_with("\nregister\n"));
}

TEST_CASE("alir/pipeline: order, names and unknown members change nothing", "[alir]") {
  const std::string text = content("dense.fsm.json");
  const pipeline p = read(text);
  CHECK(read(samples::with(text, R"("meta":"ALIRFSM",)", R"("x":[{}],"meta":"ALIRFSM",)")) == p);
  CHECK(read(samples::with(text, R"("fsm":{)", R"("fsm":{"y":null,)")) == p);
  // Blocks by any name, in any order; connections in any order.
  std::string renamed = text;
  for (std::size_t at = 0; (at = renamed.find("logic1", at)) != std::string::npos;)
    renamed.replace(at, 6, "b\\u0022");
  CHECK(read(renamed) == p);
  CHECK(written(read(renamed)) == text);
  const std::size_t conns = text.find("\"conns\":[") + 9, second = text.find(",{\"src\"", conns);
  const std::size_t end = text.find("],\"signal_order\"");
  const std::string turned = text.substr(0, conns) + text.substr(second + 1, end - second - 1) +
                             "," + text.substr(conns, second - conns) + text.substr(end);
  CHECK(read(turned) == p);
  CHECK(written(read(turned)) == text);
}

TEST_CASE("alir/pipeline: state machines that are none are refused", "[alir]") {
  const std::string text = small();
  REQUIRE(read_pipeline(text).error() == error{});
  const errc none = errc::alir_fsm_not_pipeline, chain = errc::alir_fsm_chain,
             schedule = errc::alir_fsm_schedule, type = errc::alir_fsm_type;
  check(text, R"("enable_if":null)", R"("enable_if":[7])", none, "[7]");
  check(text, R"("alt_src":null)", R"("alt_src":"x")", none, "\"x\"");
  check(text, "]],null,null,false", "]],\"rst\",null,false", none, "\"rst\"");
  check(text, "]],null,null,false", "]],null,[0.5],false", none, "[0.5]");
  check(text, R"("r",null,[0,1],null])", R"("r",{},[0,1],null])", none, "{},[0,1]");
  check(text, R"("r",null,[0,1],null])", R"("r",null,[0,1],9])", none, "9]");
  check(text, R"("r",null,[0,1],null])", R"("r",null,[0,2],null])", none, "[0,2]");
  check(text, R"("r",null,[0,1],null])", R"("r",null,[1,1],null])", none, "[1,1],null]");
  check(text, "[[0],0],\"r\"", "[[1],0],\"r\"", schedule, "[[1],0]");
  check(text, "[[0],0],\"r\"", "null,\"r\"", schedule, "null,\"r\"");
  check(text, "[[0],0],\"r\"", "[[0,2],0],\"r\"", schedule, ",2]");
  check(text, "[[0],0],\"r\"", "[[],0],\"r\"", schedule, "],0],\"r\"");
  check(text, "[[0],0],\"r\"", "[[0],2],\"r\"", schedule, "2],\"r\"");
  check(text, "[[0],0],\"w\"", "[[1],0],\"w\"", schedule, "[[1],0]");
  check(text, "[[0],0],\"w\"", "null,\"w\"", schedule, "null,\"w\"");
  // Types: of the input, of the ports, of the output.
  check(text, R"("model_inp",true,[[true,3,1]])", R"("model_inp",true,[[true,4,1]])", type,
        "[[true,4,1]]");
  check(text, R"("INTERNAL_logic0_inp",false,[[true,3,1]])",
        R"("INTERNAL_logic0_inp",false,[[true,3,0]])", type, "[[true,3,0]]");
  check(text, R"("INTERNAL_logic0_outp",false,[[true,3,1]])",
        R"("INTERNAL_logic0_outp",false,[[false,3,1]])", type, "[[false,3,1]]");
  check(text, R"("model_out",true,[[true,3,1]])", R"("model_out",true,[[true,2,1]])", type,
        "[[true,2,1]]");
  // The chain.
  const std::size_t conns = text.find("[{\"src\"");
  CHECK(changed(text, "\"r\"", "\"q\"") == error{chain, conns});
  check(text, "\"w\"", "\"q\"", chain, R"(["model_out")");
  check(text, "null,null,false,[[0],0],\"r\"", "null,null,true,[[0],0],\"r\"", chain,
        R"(["model_inp")");
  CHECK(changed(text, R"("src":["INTERNAL_logic0_outp")", R"("src":["INTERNAL_logic0_out")") ==
        error{chain, conns});
  check(text, R"(["INTERNAL_logic0_inp")", R"(["INTERNAL_logic9_inp")", chain,
        R"(["INTERNAL_logic9_inp")");
  const std::string spare = R"("spare":)" + std::string(block) + ",";
  CHECK(changed(text, R"("logic0":)", spare + R"("logic0":)") ==
        error{chain, conns + spare.size()});
  const std::string again = text.substr(conns + 1, text.find("},{\"src\"") - conns);
  const std::string twice =
      samples::with(text, "],\"signal_order\"", "," + again + "],\"signal_order\"");
  CHECK(read_pipeline(twice).error() == error{chain, twice.rfind(R"(["model_inp",true)")});
  // The order of signals.
  check(text, R"("signal_order":["model_inp",)", R"("signal_order":[)", errc::alir_fsm_order,
        R"("model_out"])");
  check(text, R"("signal_order":["model_inp",)", R"("signal_order":["model_inp","z",)",
        errc::alir_fsm_order, R"("z")");
  CHECK(changed(text, R"(,"model_out"]})", "]}") ==
        error{errc::alir_fsm_order, text.find("[\"model_inp\",\"INTERNAL")});
}

TEST_CASE("alir/pipeline: between two blocks is one register", "[alir]") {
  const std::string text = content("bare.fsm.json");
  const auto renamed = [&](std::string from, std::string to) {
    std::string out = text;
    for (std::size_t at = 0; (at = out.find(from, at)) != std::string::npos; at += to.size())
      out.replace(at, from.size(), to);
    return read_pipeline(out).error();
  };
  CHECK(renamed("stage1_inp", "s") == error{});
  CHECK(renamed("\"stage1_inp\",false,", "\"stage1_inp\",true,").code == errc::alir_fsm_chain);
  // Straight from one block to the next: no register.
  CHECK(renamed("stage1_inp", "INTERNAL_logic0_outp").code == errc::alir_fsm_chain);
  // What is inside the chain is nobody else's.
  for (const char* const inside : {"INTERNAL_logic0_inp", "INTERNAL_logic0_outp",
                                   "INTERNAL_logic1_inp", "INTERNAL_logic1_outp"}) {
    const std::string name = '"' + std::string(inside) + "\",";
    CAPTURE(name);
    CHECK(renamed(name + "false", name + "true").code == errc::alir_fsm_chain);
  }
  std::string wire = text;
  const std::size_t stage = wire.rfind("\"stage1_inp\",false");  // as the end of a connection
  const std::size_t flag = wire.find("null,null,true", stage);
  wire.replace(flag + 10, 4, "false");
  CHECK(read_pipeline(wire).error() == error{errc::alir_fsm_chain, stage - 1});
}

TEST_CASE("alir/pipeline: what is no pipeline", "[alir]") {
  const std::string text = small();
  check(text, "\"ALIRFSM\"", "\"ALIRModel\"", errc::alir_pipeline_form, "\"ALIRModel\"");
  check(text, "\"spec_version\":4", "\"spec_version\":3", errc::alir_fsm_version, "3,\"fsm\"");
  CHECK(changed(text, "\"meta\":\"ALIRFSM\",", "") == error{errc::alir_missing_meta, 0});
  CHECK(changed(text, "\"spec_version\":4,", "") == error{errc::alir_missing_version, 0});
  CHECK(changed(text, "\"fsm\"", "\"fsn\"") == error{errc::alir_fsm_member, 0});
  for (const char* const member : {"\"logic\"", "\"conns\"", "\"signal_order\""})
    CHECK(changed(text, member, "\"q\"") == error{errc::alir_fsm_member, text.find("{\"logic\"")});
  CHECK(changed(text, "\"src\"", "\"sre\"") ==
        error{errc::alir_fsm_connection, text.find("{\"src\"")});
  CHECK(changed(text, "\"dst\"", "\"dsv\"") ==
        error{errc::alir_fsm_connection, text.find("{\"src\"")});
  check(text, R"([0,1],null])", R"([0,1]])", errc::alir_fsm_signal, R"(],"dst")");
  check(text, R"([0,1],null])", R"([0,1],null,8])", errc::alir_fsm_signal, ",8]");
  // A block of another version.
  check(text, "[[],-1,[0],", "[0,-1,-1,0,", errc::alir_operation_form, "[0,-1,-1,0,");
  const error form{errc::alir_pipeline_form, 0};
  CHECK(read_pipeline("[]").error() == form);
  CHECK(read_pipeline("[[1,1],[0]]").error() == form);
  const std::string two = "[[" + std::string(block) + "],3]";
  CHECK(read_pipeline(two).error() == error{errc::alir_pipeline_form, two.size() - 3});
  CHECK(read_pipeline("[" + std::string(block) + "," + std::string(block) + "]").error() ==
        error{});
  CHECK(read_pipeline("7").error().code == errc::json_expected_object);
  CHECK(read_pipeline("").error() == error{errc::json_unexpected_end, 0});
  CHECK(read_pipeline(text, {.max_bytes = 10}).error() == error{errc::input_too_large, 10});
  const std::string many = "[" + std::string(block) + "," + std::string(block) + "]";
  CHECK(read_pipeline(many, {.max_items = 1}).error() ==
        error{errc::too_many_items, block.size() + 2});
}

TEST_CASE("alir/pipeline: verification is of every block, and of what passes", "[alir]") {
  const pipeline good = read(content("dense.fsm.json"));
  tessera::report found;
  pipeline p = good;
  p.blocks[1].ops[0].qint.step = 3;
  p.blocks[2].out_idxs[0] = 1000;
  CHECK(verify(pipeline(p), {}, &found).error().code == errc::alir_step);
  CHECK(found.errors == 2);
  p = good;
  const std::uint64_t at = p.blocks[1].source.shape;
  ++p.blocks[1].n_inputs;
  p.blocks[1].inp_shifts.push_back(0);
  found = {};
  CHECK(verify(pipeline(p), {}, &found).error() == error{errc::alir_stage_inputs, at});
  CHECK(std::string(found.text_of(found.diagnostics[0].text)).find("; expected ") !=
        std::string::npos);
  p.blocks[1].source = {};
  CHECK(verify(pipeline(p)).error() == error{errc::alir_stage_inputs, 1, error_index::block});
  CHECK(verify(pipeline{}).error() == error{errc::alir_pipeline_stages, 0, error_index::whole});
  CHECK(write_pipeline(pipeline{}).error() ==
        error{errc::alir_pipeline_stages, 0, error_index::whole});
}

TEST_CASE("alir/pipeline: types of ports", "[alir]") {
  // Several operations read an input: the last counts. None: a type without bits. Outputs are scaled
  // and negated; one without an operation may have any type.
  model m = samples::model(
      R"({"model":[[3,5],[0,1,0],[0,0,1,2,-1],[0,-1,0,1,3],[false,true,true,false,true],[)"
      R"([[],-1,[0],[-4.0,3.0,0.5],0.0,0.0],[[],-1,[0],[0.0,15.0,0.25],0.0,0.0],)"
      R"([[],-1,[1],[-16777217.0,0.0,1.0],0.0,0.0]],-1,-1,null],"meta":"ALIRModel","spec_version":4})");
  pipeline p;
  p.input_register = p.output_register = false;
  p.blocks.push_back(std::move(m));
  const std::string text = written(p);
  CHECK(text.find("[\"model_inp\",true,[[false,4,2],[true,25,0],[false,0,0]],") !=
        std::string::npos);
  CHECK(text.find("[\"model_out\",true,[[true,2,1],[true,2,2],[true,4,2],[true,26,-1],"
                  "[false,0,0]],") != std::string::npos);
  CHECK(read(text) == p);
  CHECK(read(samples::with(text, "[false,0,0]],null,null,false,[[0],0],\"w\"",
                           "[false,7,-2]],null,null,false,[[0],0],\"w\"")) == p);
}
