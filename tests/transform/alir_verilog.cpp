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

void write_module(const emitted::folder& at, const std::string& name,
                  const tessera::alir::program& p, std::size_t vectors = 64) {
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
  for (const emitted::subject& s : emitted::subjects(12)) {
    const tessera::text bench = transform::to_verilog_test_bench(s.program, s.name, 16);
    if (bench.view().find("count = 16;") == std::string_view::npos) continue;
    write_module(at, s.name, s.program, 16);
    at.write(s.name + "_tb.v", samples::with(std::string(bench.view()), " $finish;", ""));
    names.push_back(s.name);
    files += s.name + ".v " + s.name + "_tb.v ";
    top += "  " + s.name + "_tb " + s.name + "_tb();\n";
  }
  CHECK(names.size() >= 25);
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
