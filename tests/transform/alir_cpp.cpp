// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR as C++: headers of many programs, compiled by each compiler that there is, give what the machine
// gives, bit for bit; and names.

#include <cstring>
#include <span>

#include "alir/build.hpp"
#include "alir_emitted.hpp"
#include "tessera/core/text.hpp"
#include "tessera/transform/emit.hpp"

namespace {

using tessera::alir::opcode;
namespace transform = tessera::transform;

constexpr double not_written = -7.25;

/// Its main() runs each program over its inputs: as a batch, then sample by sample.
constexpr std::string_view program_text = R"(
#include <cstdio>
#include <vector>

template <class Batch, class One>
void check(const char* name, std::size_t inputs, std::size_t outputs, std::size_t samples, Batch batch,
           One one) {
  std::vector<double> in(samples * inputs + 1), out(samples * outputs + 1, -7.25);
  std::FILE* from = std::fopen((std::string(name) + ".in").c_str(), "rb");
  if (from == nullptr || std::fread(in.data(), 8, samples * inputs, from) != samples * inputs) return;
  std::fclose(from);
  std::FILE* to = std::fopen((std::string(name) + ".out").c_str(), "wb");
  auto ran = static_cast<unsigned char>(batch(in.data(), out.data(), samples));
  std::fwrite(&ran, 1, 1, to);
  std::fwrite(out.data(), 8, samples * outputs, to);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = -7.25;
  for (ran = 0; ran < samples && one(in.data() + ran * inputs, out.data() + ran * outputs);) ++ran;
  std::fwrite(&ran, 1, 1, to);
  std::fwrite(out.data(), 8, samples * outputs, to);
  std::fclose(to);
}

int main() {
)";

/// The output files of a program as it must be.
std::string results_of(const emitted::subject& s) {
  const emitted::expectation e = emitted::expected_of(s.program, s.inputs, s.samples, not_written);
  std::string out(1, static_cast<char>(e.ran));
  if (!e.outputs.empty())
    out.append(reinterpret_cast<const char*>(e.outputs.data()), e.outputs.size() * 8);
  return out + out;
}

void check_compiler(const std::string& command, const std::vector<emitted::subject>& subjects,
                    const emitted::folder& at) {
  INFO(command);
  const int status = at.run(command +
                            " -std=c++20 -Wall -Wextra -Wpedantic -Wconversion "
                            "-Wsign-conversion -Wshadow -Wold-style-cast -Werror main.cpp "
                            "-o main");
  INFO(at.read("log.txt").substr(0, 4000));
  REQUIRE(status == 0);
  REQUIRE(at.run("./main") == 0);
  for (const emitted::subject& s : subjects) {
    INFO(s.name);
    CHECK(at.read(s.name + ".out") == results_of(s));
  }
}

}  // namespace

TEST_CASE("transform/alir_cpp: headers give what the machine gives", "[transform][.compile]") {
  const std::vector<emitted::subject> subjects = emitted::subjects(60);
  const emitted::folder at("cpp");
  std::string text = "#include <string>\n", body;
  std::size_t traps = 0;
  for (const emitted::subject& s : subjects) {
    const tessera::text header = transform::to_cpp(s.program, s.name);
    at.write(s.name + ".hpp", header);
    at.write(s.name + ".in", {reinterpret_cast<const char*>(s.inputs.data()), s.inputs.size() * 8});
    text += "#include \"" + s.name + ".hpp\"\n";
    const std::string& n = s.name;
    body += "  check(\"" + n + "\", " + n + "::inputs, " + n + "::outputs, " +
            std::to_string(s.samples) +
            ",\n        [](const double* in, double* out, std::size_t n) { return " + n +
            "::run(in, out, n); },\n        [](const double* in, double* out) { return " + n +
            "::run(in, out); });\n";
    if (emitted::expected_of(s.program, s.inputs, s.samples, not_written).ran < s.samples) ++traps;
  }
  CHECK(traps >= 3);
  // At compile time, too.
  body +=
      "  constexpr double result = [] {\n"
      "    const double in[2] = {-3.3, 1.0};\n    double out[13] = {};\n"
      "    return all_ops::run(in, out) ? out[1] : 0.0;\n  }();\n"
      "  static_assert(result == 6.0);\n}\n";
  at.write("main.cpp", text + std::string(program_text) + body);
  std::size_t compilers = 0;
  for (const std::string& compiler : {std::string("g++"), std::string("clang++")})
    if (at.has(compiler)) {
      ++compilers;
      check_compiler(compiler + " -O1 -ftree-vectorize", subjects, at);
      check_compiler(compiler + " -O0 -fsanitize=undefined,address -fno-sanitize-recover=all",
                     subjects, at);
    }
  if (compilers == 0) WARN("left out: there is no g++ and no clang++");
}

TEST_CASE("transform/alir_cpp: names", "[transform]") {
  using transform::identifier_of;
  CHECK(identifier_of("trigger") == "trigger");
  CHECK(identifier_of("my-prog 1") == "my_prog_1");
  CHECK(identifier_of("9a") == "p9a");
  CHECK(identifier_of("__a__b__") == "a_b");
  CHECK(identifier_of("") == "program");
  CHECK(identifier_of("\xc3\xa9") == "program");
  CHECK(identifier_of("namespace") == "namespace_");
  CHECK(identifier_of("module") == "module_");
  CHECK(identifier_of("a\n#include <x>") == "a_include_x");
  CHECK(identifier_of("std") == "std_");
  CHECK(identifier_of(std::string(1000, 'a')).size() == 200);
}

TEST_CASE("transform/alir_cpp: the text of a small program", "[transform]") {
  build::sketch p;
  const auto x = p.input(build::bits(4, 1)), y = p.input(build::unsigned_bits(3));
  const auto sum = p.op({.id0 = x, .id1 = y, .code = opcode::add, .qint = build::bits(6, 1)});
  p.output(p.op({.id0 = sum, .code = opcode::relu, .qint = build::unsigned_bits(3)}), 1, true);
  const tessera::text made = transform::to_cpp(p.verified(), "a::b");
  const std::string_view text = made;
  CHECK(text.find("namespace a_b {") != text.npos);
  CHECK(text.find("inputs = 2, outputs = 1, operations = 4;") != text.npos);
  CHECK(text.find("can_trap = false;") != text.npos);
  CHECK(text.find("static_cast<lane>(shift_right(positive(static_cast<lane>(v0 + "
                  "static_cast<lane>(v1 << 1))), 1) & 7)") != text.npos);
}
