// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR as Verilog: the test benches of many programs pass in Icarus Verilog and in Verilator, and fail
// where the module is another.

#include "alir/build.hpp"
#include "alir_emitted.hpp"
#include "tessera/core/text.hpp"
#include "tessera/transform/emit.hpp"

namespace {

using tessera::alir::opcode;
namespace transform = tessera::transform;

template <class Program>
void write_module(const emitted::folder& at, const std::string& name, const Program& p,
                  std::size_t vectors = 64) {
  const tessera::text module = transform::to_verilog(p, name);
  const tessera::text bench = transform::to_verilog_test_bench(p, name, vectors);
  at.write(name + ".v", module);
  at.write(name + "_tb.v", bench);
}

std::string icarus(const std::string& name) {
  return "iverilog -g2001 -Wall -o " + name + ".vvp " + name + ".v " + name + "_tb.v && vvp -N " +
         name + ".vvp";
}
/// Verilator, for a top module and the files that it needs.
std::string verilator(const std::string& top, const std::string& files) {
  return "verilator --binary --timing -CFLAGS -O0 -MAKEFLAGS 'OPT_FAST=-O0 OPT_SLOW=-O0 "
         "OPT_GLOBAL=-O0' --Mdir " +
         top + "_v --top-module " + top + " " + files + " && ./" + top + "_v/V" + top;
}

/// Whether a program's test bench passes in a simulator, given how that is run.
void check_passes(const emitted::folder& at, const std::string& name, const std::string& command) {
  const int status = at.run(command);
  const std::string log = at.read("log.txt");
  INFO(log.substr(0, 4000));
  CHECK(status == 0);
  CHECK(log.find("PASS " + name + ": 64 vectors") != log.npos);
  CHECK(log.find("warning") == log.npos);
}

/// x + y/2 as it is, or as a difference.
tessera::alir::program sum_or_difference(opcode which) {
  build::sketch p;
  const auto x = p.input(build::bits(5, 1)), y = p.input(build::unsigned_bits(3));
  p.output(p.op({.id0 = x, .id1 = y, .code = which, .data = -1, .qint = build::bits(6, 1)}));
  return p.verified();
}

/// -x * 8 leaves the first block; the second one takes half of it, an eighth, and a 0.
tessera::alir::staged scaled() {
  build::sketch first, second;
  const auto x = first.input(build::bits(6, 1));
  first.output(x, 3, true), first.output(x, -3), first.output(-1);
  const auto a = second.input(build::bits(5, -1), -1), b = second.input(build::bits(7, 5)),
             zero = second.input(build::bits(3));
  for (const std::int32_t y : {a, b, zero}) second.output(y);
  second.output(second.op({.id0 = 1, .code = opcode::input, .qint = build::unsigned_bits(4, 1)}));
  tessera::alir::pipeline p;
  p.form = tessera::alir::pipeline_form::list;
  p.blocks.push_back(std::move(first.model));
  p.blocks.push_back(std::move(second.model));
  auto s = tessera::alir::verify(std::move(p));
  if (!s) FAIL("not verified");
  return std::move(*s);
}
std::vector<emitted::staged_subject> all_pipelines(std::uint64_t random_ones) {
  std::vector<emitted::staged_subject> all = emitted::pipelines(random_ones);
  all.push_back({"scaled", scaled()});
  return all;
}

}  // namespace

TEST_CASE("transform/alir_verilog: test benches pass in Icarus Verilog", "[transform][.compile]") {
  const emitted::folder at("icarus");
  if (!at.has("iverilog")) {
    WARN("left out: there is no iverilog");
    return;
  }
  std::size_t count = 0;
  for (const emitted::subject& s : emitted::subjects(80)) {
    INFO(s.name);
    // Some programs leave a table whatever they are given.
    const tessera::text bench = transform::to_verilog_test_bench(s.program, s.name, 64);
    if (bench.view().find("count = 64;") == std::string_view::npos) continue;
    write_module(at, s.name, s.program);
    check_passes(at, s.name, icarus(s.name));
    ++count;
  }
  CHECK(count >= 90);
  std::size_t pipelines = 0;
  for (const emitted::staged_subject& s : all_pipelines(40)) {
    INFO(s.name);
    const tessera::text bench = transform::to_verilog_test_bench(s.pipeline, s.name, 64);
    if (bench.view().find("count = 64") == std::string_view::npos) continue;
    write_module(at, s.name, s.pipeline);
    check_passes(at, s.name, icarus(s.name));
    ++pipelines;
  }
  CHECK(pipelines >= 40);
  // One that comes a cycle early fails.
  write_module(at, "early", scaled());
  CHECK(at.run(icarus("early")) == 0);
  tessera::alir::pipeline early = scaled().release();
  early.output_register = false;
  const tessera::text sooner =
      transform::to_verilog(*tessera::alir::verify(std::move(early)), "early");
  at.write("early.v", sooner);
  CHECK(at.run(icarus("early")) != 0);
  CHECK(at.read("log.txt").find("FAIL early") != std::string::npos);
  // One that is wrong fails, with a status.
  write_module(at, "wrong", sum_or_difference(opcode::add));
  CHECK(at.run(icarus("wrong")) == 0);
  const tessera::text other = transform::to_verilog(sum_or_difference(opcode::subtract), "wrong");
  at.write("wrong.v", other);
  CHECK(at.run(icarus("wrong")) != 0);
  CHECK(at.read("log.txt").find("FAIL wrong: ") != std::string::npos);
}

TEST_CASE("transform/alir_verilog: test benches pass in Verilator", "[transform][.compile]") {
  const emitted::folder at("verilator");
  if (!at.has("verilator")) {
    WARN("left out: there is no verilator");
    return;
  }
  // All in one design, for each takes long to build: so it's the design that ends.
  std::string files, top = "module all_tb;\n  initial #1000 $finish;\n";
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, const auto& p) {
    const tessera::text bench = transform::to_verilog_test_bench(p, name, 16);
    if (bench.view().find("count = 16") == std::string_view::npos) return;
    write_module(at, name, p, 16);
    at.write(name + "_tb.v", samples::with(std::string(bench.view()), " $finish;", ""));
    names.push_back(name);
    files += name + ".v " + name + "_tb.v ";
    top += "  " + name + "_tb " + name + "_tb();\n";
  };
  for (const emitted::subject& s : emitted::subjects(12)) add(s.name, s.program);
  CHECK(names.size() >= 25);
  const std::size_t programs = names.size();
  for (const emitted::staged_subject& s : all_pipelines(20)) add(s.name, s.pipeline);
  CHECK(names.size() >= programs + 20);
  at.write("all_tb.v", top + "endmodule\n");
  const int status = at.run(verilator("all_tb", files + "all_tb.v"));
  const std::string log = at.read("log.txt");
  INFO(log.substr(0, 4000));
  CHECK(status == 0);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(log.find("PASS " + name + ": 16 vectors") != log.npos);
  }
  write_module(at, "wrong", sum_or_difference(opcode::add));
  const tessera::text other = transform::to_verilog(sum_or_difference(opcode::subtract), "wrong");
  at.write("wrong.v", other);
  CHECK(at.run(verilator("wrong_tb", "wrong.v wrong_tb.v")) != 0);
  CHECK(at.read("log.txt").find("FAIL wrong: ") != std::string::npos);
}

TEST_CASE("transform/alir_verilog: the text of a small program", "[transform]") {
  const tessera::text made = transform::to_verilog(sum_or_difference(opcode::add), "wire");
  const std::string_view text = made;
  CHECK(text.find("module wire_ (\n  input signed [4:0] x0,\n  input [2:0] x1,\n"
                  "  output signed [5:0] y0);") != text.npos);
  CHECK(text.find("  wire signed [3:0] v1 = x1;\n  wire signed [5:0] v2 = v0 + v1;\n") !=
        text.npos);
  CHECK(text.find("//   x0: input 0, e = 1\n") != text.npos);
  CHECK(text.find("//   y0: output 0, e = -1\n") != text.npos);
}

TEST_CASE("transform/alir_verilog: the text of a small pipeline", "[transform]") {
  const tessera::text made = transform::to_verilog(scaled(), "wires");
  const std::string_view text = made;
  CHECK(
      text.find(
          "\nmodule wires (\n  input clk,\n  input signed [5:0] x0,\n  output signed [4:0] y0,") !=
      text.npos);
  CHECK(text.find("after 2 more.") != text.npos);
  CHECK(text.find("  reg signed [5:0] r0_x0;\n  always @(posedge clk) r0_x0 <= x0;\n") !=
        text.npos);
  // Where scales differ it's shifted, and only there.
  CHECK(text.find(" r1_x0 <= b0_y0;\n") != text.npos);
  CHECK(
      text.find("  reg signed [6:0] r1_x1_v1;\n  always @(posedge clk) r1_x1_v1 <= b0_y1 <<< 1;") !=
      text.npos);
  CHECK(text.find("  assign y0 = r_y0;\n") != text.npos);
  const tessera::text bench = transform::to_verilog_test_bench(scaled(), "wires", 8);
  CHECK(bench.view().find("parameter count = 8, later = 2;\n  reg clk;") != text.npos);
}
