// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Assembling containers: round trips, programs written by hand, every error at its place.

#include "nac/support.hpp"
// nac/support.hpp comes first.
#include <filesystem>
#include <tessera/core/bytes.hpp>

#include "support/allocations.hpp"

using namespace tessera;
using namespace nac_tests;

namespace {

/// The container that a text is.
[[nodiscard]] std::vector<std::byte> container(std::string_view source,
                                               const nac::resolver& resolver = {}) {
  const auto parts = nac::assemble(source, {.resolver = resolver});
  INFO(source << "\n" << static_cast<int>(parts.error().code) << " at " << parts.error().offset);
  REQUIRE(parts);
  const auto written = nac::write(*parts);
  INFO("writing: " << static_cast<int>(written.error().code) << " at " << written.error().offset);
  REQUIRE(written);
  return {written->data(), written->data() + written->size()};
}

/// How a text is printed once it was assembled.
[[nodiscard]] std::string again(std::string_view source) {
  const auto all = container(source);
  const auto file = nac::read(bytes(all));
  REQUIRE(file);
  const text listing = nac::print(*file);
  return std::string(listing.view());
}

/// The lines between a section's name and the next section.
[[nodiscard]] std::string section(const std::string& listing, const std::string& name) {
  const std::size_t first = listing.find("\n" + name + ":\n");
  if (first == std::string::npos) return "none";
  std::istringstream in(listing.substr(first + name.size() + 3));
  std::string all;
  for (std::string line; std::getline(in, line) && line[0] == ' ';) all += line + '\n';
  return all;
}

/// Finds what lies in one place.
struct one_source {
  std::string name;
  bytes content;
  static bool find(void* context, const nac::payload_reference& which, bytes& out) {
    const auto& s = *static_cast<const one_source*>(context);
    if (which.name != s.name || which.offset > s.content.size()) return false;
    const std::size_t left = s.content.size() - static_cast<std::size_t>(which.offset);
    out = s.content.subspan(static_cast<std::size_t>(which.offset),
                            which.size < left ? static_cast<std::size_t>(which.size) : left);
    return true;
  }
  [[nodiscard]] nac::resolver resolver() { return {this, find}; }
};

}  // namespace

TEST_CASE("nac/assemble: what is printed is assembled as it was", "[nac]") {
  for (const char* name : {"mini_v16", "mini_v17", "mini_v18", "two_outputs", "everything"}) {
    const auto source = hex_file(name);
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    one_source self{"self", bytes(source)};
    const auto wanted = nac::write(nac::parts_of(*file));
    REQUIRE(wanted);
    for (const auto way : {nac::print_options::automatic, nac::print_options::inline_hex,
                           nac::print_options::by_reference}) {
      INFO(name << ' ' << static_cast<int>(way));
      const text listing = nac::print(*file, {"self", way, true});
      // Of "everything", prefixes of TRNG follow another rule than those of OPS.
      CHECK(container(listing, self.resolver()) ==
            std::vector<std::byte>(wanted->data(), wanted->data() + wanted->size()));
      if (std::string_view(name) != "everything")
        CHECK(container(listing, self.resolver()) == source);
    }
  }
}

TEST_CASE("nac/assemble: the text says where it isn't what new containers have", "[nac]") {
  const auto header = [](const std::string& lines) {
    const std::string all = again(lines +
                                  "code:\n  x = input\n  w = parameter \"w\"\n"
                                  "  output(x)\ntensors:\n  \"w\" = u8 [0] hex {}\n");
    const std::size_t first = all.find("d_model 0\n") + 10;
    return all.substr(first, all.find("signatures:") == all.npos ? all.find("constants:") - first
                                                                 : all.find("signatures:") - first);
  };
  CHECK(header("") == "");
  CHECK(header("nac 1.8\n") == "");
  CHECK(header("self_counting control_flow input output\n") == "");
  CHECK(header("nac 1.7\nself_counting control_flow\n") == "");
  CHECK(header("self_counting control_flow\n") == "self_counting control_flow\n");
  // Of what isn't there, the version's.
  CHECK(header("self_counting none\n") == "self_counting control_flow\n");
  CHECK(header("nac 1.8\nself_counting output\n") == "self_counting output control_flow\n");
  CHECK(header("order MMAP OPS CMAP CNST PERM DATA PROC RSRC ORCH\n") == "");
  CHECK(header("order OPS MMAP\n") == "order OPS MMAP CMAP CNST PERM DATA ORCH\n");
}

TEST_CASE("nac/assemble: what verification finds has its place in the text", "[nac]") {
  struct row {
    errc code;
    std::string_view text;  // a ` precedes the statement
  };
  for (const row& r : {
           row{errc::nac_reference,
               "code:\n x = input\n `y = nac.add(x, z)\n z = nac.neg(y)\n output(z)\n"},
           row{errc::nac_operation_unsupported,
               "constants:\n 1 = null\ncode:\n x = input\n `y = my.op(\n  x,\n  3)\n output(y)"},
           row{errc::nac_operation_reserved, "code:\n x = input\n `raw 0 0\n output(x)\n"},
           row{errc::nac_no_instructions, "`nac 1.6\n"},
           row{errc::nac_no_instructions, "nac 1.6\n`code:\n"},
           row{errc::nac_input_count, "`inputs 2\ncode:\n x = input\n output(x)\n"},
           row{errc::nac_input_name,
               "input_names:\n 0 = \"x\"\n `1 = \"y\"\ncode:\n x = input\n output(x)\n"},
           row{errc::nac_tensor_repeated,
               "parameters:\n 1 = \"w\"\ntensors:\n 1 = u8 [1] hex { 00 }\n `1 = u8 [1] hex { 00 "
               "}\n"
               "code:\n x = parameter \"w\"\n output(x)\n"},
           row{errc::nac_parameter_tensor,
               "tensors:\n 7 = u8 [1] hex { 00 }\ncode:\n `x = parameter \"w\"\n output(x)\n"},
           row{errc::nac_name_repeated,
               "code:\n x = input\n output(x)\nresources:\n \"r\" = hex {}\n `\"r\" = hex {}\n"},
           row{errc::nac_name_repeated,
               "nac 1.8\ncode:\n x = input\n output(x)\narrays:\n \"r\" = u8 [0] hex {}\n"
               " `\"r\" = u8 [0] hex {}\n \"s\" = u8 [0] hex {}\n"},
           row{errc::nac_mep_jump,
               "code:\n x = input\n output(x)\nplan:\n exec_halt\n `flow_branch_if $0, 99\nend\n"},
           row{errc::nac_mep_constant_string,
               "code:\n x = input\n output(x)\nplan_constants:\n 0 = 1\nplan:\n l:\n"
               " src_constant $0, #0\n `res_load_model 0, #0\nend\n"},
           row{errc::nac_reference_zero,
               "nac 1.8\ncode:\n x = input\n output(x)\ntraining:\n g = input\n"
               " `step 1 (@0, g)\n"},
           row{errc::nac_tisa_opcode,
               "code:\n x = input\n output(x)\ntokenizer:\n version 1\n lowercase\n `op 254\n"
               " lowercase\nend\n"},
       }) {
    INFO(r.text);
    const std::size_t place = r.text.find('`');
    REQUIRE(place != r.text.npos);
    const std::string source =
        std::string(r.text.substr(0, place)) + std::string(r.text.substr(place + 1));
    nac::text_map map;
    const auto parts = nac::assemble(source, {}, &map);
    REQUIRE(parts);
    const auto written = nac::write(*parts);
    REQUIRE(written);
    const auto file = nac::read(bytes(written->data(), written->size()));
    REQUIRE(file);
    tessera::report found;
    const bool valid = static_cast<bool>(nac::verify(*file, {}, &found));
    CHECK(valid == (r.code == errc::nac_operation_unsupported));
    bool is_found = false;
    for (const tessera::diagnostic& d : found.diagnostics) {
      if (d.code != r.code || is_found) continue;
      is_found = true;
      CHECK(map.offset_of(*file, d.where.offset) == place);
    }
    CHECK(is_found);
  }
}

TEST_CASE("nac/assemble: a byte of a record or of the header is at its statement", "[nac]") {
  const std::string source = R"(nac 1.8
inputs 1
outputs 1
operations:
  40 = "my.op"
signatures:
  9 = "TT"
constants:
  4 = 7
parameters:
  3 = "w"
code:
  x = input
  output(x)
plan_constants:
  0 = 5
plan:
  exec_halt
end
)";
  nac::text_map map;
  const auto parts = nac::assemble(source, {}, &map);
  REQUIRE(parts);
  const auto written = nac::write(*parts);
  REQUIRE(written);
  const auto file = nac::read(bytes(written->data(), written->size()));
  REQUIRE(file);
  const auto line = [&](std::uint64_t offset) {
    const auto at = static_cast<std::size_t>(map.offset_of(*file, offset));
    return source.substr(at, source.find('\n', at) - at);
  };
  CHECK(line(0) == "nac 1.8");
  CHECK(line(5) == "inputs 1");
  CHECK(line(7) == "outputs 1");
  CHECK(line(8) == "outputs 1");
  CHECK(line(9) == "nac 1.8");
  CHECK(line(file->operations().offset()) == "40 = \"my.op\"");
  CHECK(line(file->signatures().offset()) == "9 = \"TT\"");
  CHECK(line(file->constants().offset()) == "4 = 7");
  CHECK(line(file->parameters().offset()) == "3 = \"w\"");
  CHECK(line(file->plan_constants().offset() + 1) == "0 = 5");
}

TEST_CASE("nac/assemble: real containers survive their text and being written", "[nac]") {
  const std::filesystem::path folder = std::filesystem::path(TESSERA_SAMPLES_DIR) / "nac";
  if (!std::filesystem::exists(folder)) {
    WARN("left out: no folder " << folder.string() << " (TESSERA_SAMPLES_DIR)");
    return;
  }
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".nac") continue;
    INFO(entry.path().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(in), {}};
    const std::vector<std::byte> source(as_bytes(all).begin(), as_bytes(all).end());
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    const auto written = nac::write(nac::parts_of(*file));
    REQUIRE(written);
    CHECK(std::vector<std::byte>(written->begin(), written->end()) == source);
    one_source self{"self", bytes(source)};
    const text listing = nac::print(*file, {"self"});
    CHECK(container(listing, self.resolver()) == source);
    ++count;
  }
  CHECK(count > 100);
}

TEST_CASE("nac/assemble: a program by hand is the file that a compiler makes of it", "[nac]") {
  const char* const source = R"(
; y = x·Wᵀ + b + 1.5
nac 1.7
d_model 3
code:
  x = input
  w = parameter "fc.weight"
  b = parameter "fc.bias"
  h = aten.linear.default(x, w, b)
  y = nac.add(h, 1.5)
  output(y)
tensors:
  "fc.weight" = f32 [2, 3] hex { 0000803f00000040 00004040 00008040 0000a040
                                 0000c040 }
  "fc.bias"   = f32 [2] hex { 00 00 00 3f 000000bf }
signatures:            ; which the first compiler has for the output, too
  1 = "TTT"
  2 = "Tf"
  3 = "T"
)";
  CHECK(container(source) == hex_file("mini_v17"));
}

TEST_CASE("nac/assemble: a CONVERGENCE names its end and where its branches begin", "[nac]") {
  const auto listed = [](std::string_view code) {
    const std::string source = "code:\n  x = input\n" + std::string(code) + "  output(m)\n";
    const auto parts = nac::assemble(source);
    if (!parts) return std::string(parts.error().name()) + std::to_string(parts.error().offset);
    const auto made = nac::write(*parts);
    REQUIRE(made);
    const text all = nac::print(*nac::read(bytes(*made)));
    const std::size_t at = all.view().find("code:\n") + 6;
    return std::string(all.view().substr(at));
  };
  CHECK(listed("  m = convergence(x)\n") ==
        "  v0 = input  ; \"x\"\n  v1 = convergence(v0)\n  v2 = output(v1)\n");
  const std::string branches = "  a = nac.pass(x)\n  c = nac.add(x, x)\n  e = nac.neg(m)\n";
  CHECK(listed("  m = convergence(x, e, a, c)\n" + branches) ==
        "  v0 = input  ; \"x\"\n  v1 = convergence(v0, v4, v2, v3)\n  v2 = nac.pass(v0)\n"
        "  v3 = nac.add(v0, v0)\n  v4 = nac.neg(v1)\n  v5 = output(v1)\n");
  CHECK(listed("  m = convergence(x, e)\n" + branches).find("convergence(v0, v4)\n") !=
        std::string::npos);
  CHECK(listed("  m = convergence(x, e, f)\n" + branches) == "nac_text_value_undefined42");
}

TEST_CASE("nac/assemble: what is left out follows from the code", "[nac]") {
  const std::string all = again(R"(
code:
  a = input
  input "second"
  c = relu(a)
  d = mine.op(c, null, true, 3, 0.5, "s", [1], [1.0], 3, null)
  e = relu(d)
  f = nac.mul(e, 3)          ; which version 1.6 has no id for
  output(e, f)
)");
  CHECK(all.substr(0, all.find("operations:")) ==
        "nac 1.6\nquantization none\nweights internal\ninputs 2\noutputs 2\nd_model 0\n");
  CHECK(section(all, "operations") == "  32 = \"relu\"\n  33 = \"mine.op\"\n  34 = \"nac.mul\"\n");
  CHECK(section(all, "signatures") == "  1 = \"T\"\n  2 = \"TcbifsSSic\"\n  3 = \"Ti\"\n");
  CHECK(section(all, "constants") ==
        "  1 = null\n  2 = true\n  3 = 3\n  4 = 0.5\n  5 = \"s\"\n  6 = [1]\n  7 = [1.0]\n");
  CHECK(section(all, "input_names") == "  0 = \"a\"\n  1 = \"second\"\n");

  SECTION("weights lie outside where there are parameters and no tensors") {
    CHECK(again("code:\n a = parameter \"w\"\n").find("\nweights external\n") != std::string::npos);
    CHECK(again("").find("\nweights internal\n") != std::string::npos);
  }
  SECTION("the training flag") {
    const auto flag = [](std::string_view t) {
      const auto b = container(t);
      return (static_cast<unsigned>(b[4]) & 0x40u) != 0;
    };
    CHECK(flag("nac 1.8\ntraining:\n"));
    CHECK_FALSE(flag("nac 1.8\ntraining_flag false\ntraining:\n"));
    CHECK(flag("nac 1.8\ntraining_flag true\n"));
    CHECK_FALSE(flag("nac 1.8\n"));
    CHECK(again("nac 1.8\ntraining_flag true\n").find("training_flag true\n") != std::string::npos);
  }
}

TEST_CASE("nac/assemble: new ids are the least that are free", "[nac]") {
  const std::string all = again(R"(
code:
  a = op 33()
  b = x.op(a)            ; 32
  c = y.op(b, 7)         ; 34
  d = nac.add:1(a, b)
  e = nac.add(d, #3)
  f = nac.add(e, 2.5)
  g = parameter 1
  h = parameter "named"
constants:
  2 = 1
  5 = 1
  9 = 7
)");
  CHECK(section(all, "operations") == "  32 = \"x.op\"\n  34 = \"y.op\"\n");
  // 1 is what the text says itself.
  CHECK(section(all, "signatures") ==
        "  2 = \"T\"\n  3 = \"Ti\"\n  1 = \"TT\"\n  4 = \"Tc\"\n  5 = \"Tf\"\n");
  CHECK(section(all, "constants") == "  2 = 1\n  5 = 1\n  9 = 7\n  4 = 2.5\n");
  CHECK(section(all, "parameters") == "  2 = \"named\"\n");
}

TEST_CASE("nac/assemble: values are exact", "[nac]") {
  const auto constant = [](const std::string& value) {
    return section(again("constants:\n 1 = " + value), "constants").substr(6);
  };
  for (const std::string same : {"null",
                                 "true",
                                 "false",
                                 "0",
                                 "-9223372036854775808",
                                 "9223372036854775807",
                                 "0.1",
                                 "-0.0",
                                 "5e-324",
                                 "1.7976931348623157e+308",
                                 "inf",
                                 "-inf",
                                 "nan",
                                 "nan 0x7ff0000000000001",
                                 "nan 0xffffffffffffffff",
                                 R"("a\x00\n\"\\ö")",
                                 "[]",
                                 "floats []",
                                 "[1, -2147483648]",
                                 "[0.1, 3.4028235e+38, 1e-45, nan, nan 0xffc00000, -inf, -0.0]"})
    CHECK(constant(same) == same + '\n');
  CHECK(constant("0x10") == "16\n");
  CHECK(constant("-0x10") == "-16\n");
  CHECK(constant("1e2") == "100.0\n");
  CHECK(constant("2E-1") == "0.2\n");
  CHECK(constant("0.1000000000000000055511151231257827") == "0.1\n");
  CHECK(constant("floats [1, 2]") == "[1.0, 2.0]\n");
  CHECK(constant("ints [1]") == "[1]\n");
  CHECK(constant("[1, 2.5]") == "[1.0, 2.5]\n");
  CHECK(constant("[16777217.0]") == "[16777216.0]\n");
  CHECK(constant("[nan 0x7fc00000]") == "[nan]\n");
}

TEST_CASE("nac/assemble: more constants than arguments take are raw, and of no argument", "[nac]") {
  const std::string line = "raw 11 3 c [4, 4] d [-1, 0]";
  const std::string source = "signatures:\n 3 = \"Ti\"\nconstants:\n 4 = 1\ncode:\n x = input\n " +
                             line + "\n output(x)\n";
  CHECK(again(source).find(line + '\n') != std::string::npos);
  const auto all = container(source);
  const auto file = nac::read(bytes(all));
  REQUIRE(file);
  for (const nac::instruction& i : file->instructions()) {
    if (i.index != 1) continue;
    const auto is_of = [&](std::size_t k, std::string_view place) {
      const text shown = describe(error{errc::nac_constant_count, i.c_offset(k)}, bytes(all), "x");
      INFO(shown.view());
      return shown.view().find(place) != std::string_view::npos;
    };
    CHECK(is_of(0, "instruction 1 (nac.add), argument 1, offset"));
    CHECK(is_of(1, "instruction 1 (nac.add), offset"));
  }
}

TEST_CASE("nac/assemble: a tensor may say that it isn't quantized", "[nac]") {
  const std::string all =
      again("code:\n x = input\n output(x)\ntensors:\n 1 = u8 [1] none hex {00}");
  CHECK(section(all, "tensors") == "  1 = u8 [1] hex { 00 }\n");
}

TEST_CASE("nac/assemble: signatures are derived, or chosen", "[nac]") {
  const char* const table = "signatures:\n 3 = \"TT\"\n 5 = \"TT\"\n 7 = \"TA\"\n 9 = \"\"\n";
  const auto line = [&](const std::string& instruction) {
    const std::string all =
        section(again(table + ("code:\n a = input\n b = " + instruction)), "code");
    return all.substr(all.find("v1 = ") + 5);
  };
  CHECK(line("nac.add(a, a)") == "nac.add(v0, v0)\n");
  CHECK(line("nac.add:3(a, a)") == "nac.add(v0, v0)\n");
  CHECK(line("nac.add:5(a, a)") == "nac.add:5(v0, v0)\n");
  CHECK(line("nac.add:\"TA\"(a, 2)") == "nac.add:7(v0, 2)\n");
  CHECK(line("nac.add:\"TQ\"(a, a)") == "nac.add:1(v0, v0)\n");
  CHECK(line("nac.add()") == "nac.add()\n");
  CHECK(line("nac.add:9()") == "nac.add:9()\n");
  CHECK(line("nac.add:12(a, 1)") == "nac.add(v0, 1)\n");  // 12 = "Ti" is new
  CHECK(line("\"two words\"(a)") == "\"two words\"(v0)\n");
  CHECK(line("\"nac.add\"(a)") == "nac.add(v0)\n");
  CHECK(line("op 11(a, @-1)") == "nac.add(v0, v0)\n");
}

TEST_CASE("nac/assemble: names may stand before what they name", "[nac]") {
  const std::string all = again(R"(nac 1.8
schedule:
  y: free x, forward 0
training:
  g = saved y
  step "w"(g, later)
  later = target 0
  end_training()
code:
  y = nac.pass(x)
  x = input
  s = saved x
  output(y)
)");
  CHECK(section(all, "schedule") == "  0: free 1, forward 0\n");
  CHECK(section(all, "training") ==
        "  v0 = saved v0\n  v1 = step 1(v0, v2)  ; \"w\"\n  v2 = target 0\n"
        "  v3 = end_training()\n");
  CHECK(section(all, "code") ==
        "  v0 = nac.pass(v1)\n  v1 = input  ; \"x\"\n  v2 = saved v1\n  v3 = output(v0)\n");
}

TEST_CASE("nac/assemble: elements may stand as values", "[nac]") {
  struct row {
    const char *text, *hex;
  };
  for (const row& r :
       {row{"f32 [2, 1] values [0.5, -1]", "0000003f000080bf"},
        row{"f64 [1] values [0.1]", "9a9999999999b93f"},
        row{"f16 [3] values [1.5, -2, 65520.0]", "003e00c0007c"},
        row{"bf16 [2] values [1.5, -inf]", "c03f80ff"},
        row{"i32 [2] values [-1, 2]", "ffffffff02000000"},
        row{"i64 [] values [-9223372036854775808]", "0000000000000080"},
        row{"i16 [1] values [-32768]", "0080"}, row{"i8 [2] values [-128, 127]", "807f"},
        row{"u8 [2] values [255, 0x10]", "ff10"}, row{"bool [3] values [true, false, 1]", "010001"},
        row{"i8 [0, 7] values []", ""}}) {
    INFO(r.text);
    const auto p = nac::assemble(std::string("tensors:\n 1 = ") + r.text);
    REQUIRE(p);
    const bytes data = p->data_of(p->tensors[0].data);
    CHECK(std::vector<std::byte>(data.begin(), data.end()) == from_hex(r.hex));
  }
}

TEST_CASE("nac/assemble: payloads are found", "[nac]") {
  const auto content = from_hex("000102030405060708");
  one_source s{"data \"1\"", bytes(content)};
  const char* const source = R"(resources:
  "a" = file "data \"1\"" 0x2 3
  "b" = hex 2 { 0aFF }
)";
  const auto all = container(source, s.resolver());
  const auto file = nac::read(bytes(all));
  REQUIRE(file);
  std::vector<std::byte> found;
  for (const nac::resource& r : file->resources())
    found.insert(found.end(), r.data.begin(), r.data.end());
  CHECK(found == from_hex("0203040aff"));
}

TEST_CASE("nac/assemble: every error is at its token", "[nac]") {
  struct row {
    errc code;
    const char* text;  // ` before the token
  };
  const row rows[] = {
      {errc::nac_text_syntax, "`7"},
      {errc::nac_text_syntax, "plan:\nend\n`7"},
      {errc::nac_text_integer, "constants:\n `foo = 1"},
      {errc::nac_text_mark, "constants:\n 1 `: 2"},
      {errc::nac_text_mark, "code:\n nac.add`\n"},
      {errc::nac_text_mark, "code:\n a = input\n nac.add(a `a)"},
      {errc::nac_text_line_end, "inputs 1 `2"},
      {errc::nac_text_line_end, "code:\n a = input `input"},
      {errc::nac_text_integer, "inputs `x"},
      {errc::nac_text_integer, "inputs `1x"},
      {errc::nac_text_range, "inputs `65536"},
      {errc::nac_text_range, "constants:\n `-1 = 1"},
      {errc::nac_text_range, "code:\n op `9()"},
      {errc::nac_text_range, "code:\n op `256()"},
      {errc::nac_text_range, "code:\n a = nac.neg(@`32768)"},
      {errc::nac_text_range, "constants:\n 1 = [`2147483648]"},
      {errc::nac_text_range, "constants:\n 1 = `9223372036854775808"},
      {errc::nac_text_range, "tensors:\n 1 = f32 [`4294967296] hex {}"},
      {errc::nac_text_range, "code:\n raw 11 1 d [`32768]"},
      {errc::nac_text_string, "operations:\n 1 = `name"},
      {errc::nac_text_string_end, "operations:\n 1 = `\"name"},
      {errc::nac_text_escape, "operations:\n 1 = \"a\\`q\""},
      {errc::nac_text_section, "`codes:\n"},
      {errc::nac_text_section_repeated, "code:\na = input\n`code:\n"},
      {errc::nac_text_section_repeated, "constants:\n`constants:\n"},
      {errc::nac_text_key, "`version 1.6"},
      {errc::nac_text_key_repeated, "inputs 1\n`inputs 1"},
      {errc::nac_text_version, "nac `1.5"},
      {errc::nac_text_quantization, "quantization `fp8"},
      {errc::nac_text_weights, "weights `1"},
      {errc::nac_text_boolean, "training_flag `1"},
      {errc::nac_text_self_counting, "self_counting `"},
      {errc::nac_text_self_counting, "self_counting `all"},
      {errc::nac_text_self_counting, "self_counting input `none"},
      {errc::nac_text_line_end, "self_counting none `input"},
      {errc::nac_text_section, "order `"},
      {errc::nac_text_section, "order MMAP `ops"},
      {errc::nac_text_section_repeated, "order OPS MMAP `OPS"},
      {errc::nac_text_end, "plan:\n`"},
      {errc::nac_text_end, "tokenizer:\n`"},
      {errc::nac_text_instruction, "code:\n `7"},
      {errc::nac_text_instruction, "code:\n a = `(b)"},
      {errc::nac_text_instruction, "code:\n a = `\"\"()"},
      {errc::nac_text_value_reserved, "code:\n `null = input"},
      {errc::nac_text_value_repeated, "code:\n a = input\n b = input\n `a = input"},
      {errc::nac_text_value_undefined, "code:\n a = input\n nac.add(a, `b)"},
      {errc::nac_text_value_undefined, "nac 1.8\ncode:\n a = input\ntraining:\n b = nac.neg(`a)"},
      {errc::nac_text_value_undefined, "code:\n a = input\nschedule:\n 0: free `b"},
      {errc::nac_text_value_own, "code:\n a = nac.neg(`a)"},
      {errc::nac_text_value_own, "code:\n a = nac.neg(@`0)"},
      {errc::nac_text_result, "code:\n a = output(`7)"},
      {errc::nac_text_result, "code:\n a = control_flow(`null, 1, 2)"},
      {errc::nac_text_signature, "code:\n nac.add:`x()"},
      {errc::nac_text_range, "code:\n nac.add:`256()"},
      {errc::nac_text_signature_arguments,
       "signatures:\n 1 = \"TT\"\ncode:\n a = input\n nac.add:`1(a)"},
      {errc::nac_text_signature_arguments,
       "signatures:\n 1 = \"TT\"\ncode:\n a = input\n nac.add:`1(a, 2)"},
      {errc::nac_text_signature_arguments, "code:\n a = input\n nac.add:`\"TT\"(a, 2)"},
      {errc::nac_text_outputs, "outputs 1\ncode:\n a = input\n `output(a, a)"},
      {errc::nac_text_outputs, "code:\n a = input\n output(a)\n `output()"},
      {errc::nac_text_outputs, "code:\n a = input\n output(a) `filler [1, 2]"},
      {errc::nac_text_input_name, "input_names:\n 0 = \"b\"\ncode:\n input `\"a\""},
      {errc::nac_text_input_name, "nac 1.8\ntraining:\n input `\"a\""},
      {errc::nac_text_parameter, "parameters:\n 1 = \"a\"\ncode:\n parameter `\"b\""},
      {errc::nac_text_parameter, "parameters:\ntensors:\n `\"b\" = f32 [] hex {00000000}"},
      {errc::nac_text_constant, "constants:\n 1 = `nil"},
      {errc::nac_text_constant, "constants:\n 1 = `(1)"},
      {errc::nac_text_constant, "code:\n a = nac.neg(`]"},
      {errc::nac_text_float, "constants:\n 1 = `1.2.3"},
      {errc::nac_text_float, "constants:\n 1 = `1e"},
      {errc::nac_text_float, "constants:\n 1 = [1.0, `true]"},
      {errc::nac_text_float_range, "constants:\n 1 = `1e309"},
      {errc::nac_text_float_range, "constants:\n 1 = [1.0, `3.5e38]"},
      {errc::nac_text_nan, "constants:\n 1 = nan `0x7ff0000000000000"},
      {errc::nac_text_nan, "constants:\n 1 = nan `0x17ff8000000000000"},
      {errc::nac_text_nan, "constants:\n 1 = [nan `0x7ff8000000000000]"},
      {errc::nac_text_data_type, "tensors:\n 1 = `f8 [1] hex {}"},
      {errc::nac_text_quantization_field, "tensors:\n 1 = i8 [1] int8_tensor `1.0 hex {00}"},
      {errc::nac_text_quantization_field, "tensors:\n 1 = i8 [1] int8_channel axis 0 `hex {00}"},
      {errc::nac_text_range,
       "tensors:\n 1 = i8 [1] block_fp8 block `0 shape [1] scales [] hex {00}"},
      {errc::nac_text_payload, "tensors:\n 1 = f32 [1] `fp8 hex {00}"},
      {errc::nac_text_hex, "tensors:\n 1 = i8 [1] hex { 0`g }"},
      {errc::nac_text_hex, "tensors:\n 1 = i8 [1] hex { `000 }"},
      {errc::nac_text_hex, "tensors:\n 1 = i8 [1] hex { 00 `, 00 }"},
      {errc::nac_text_hex_size, "tensors:\n 1 = f16 [2] `hex { 000000 }"},
      {errc::nac_text_hex_size, "tensors:\n 1 = f16 [2] `hex 4 { 000000 }"},
      {errc::nac_text_hex_size, "arrays:\n \"a\" = i64 [] `hex {}"},
      {errc::nac_text_hex_size, "arrays:\n \"a\" = i64 [4294967295, 4294967295, 9] `hex {}"},
      {errc::nac_text_values, "tensors:\n 1 = i8 [2] `values [1]"},
      {errc::nac_text_values, "tensors:\n 1 = f32 [0] `values [1]"},
      {errc::nac_text_range, "tensors:\n 1 = u8 [1] values [`256]"},
      {errc::nac_text_range, "tensors:\n 1 = bool [1] values [`2]"},
      {errc::nac_text_payload, "resources:\n \"a\" = `values [1]"},
      {errc::nac_text_payload_unresolved, "resources:\n \"a\" = `file \"b\" 0 1"},
      {errc::nac_text_action, "schedule:\n 0: `keep 1"},
  };
  for (const row& r : rows) {
    std::string source = r.text;
    INFO(source);
    const std::size_t offset = source.find('`');
    REQUIRE(offset != std::string::npos);
    source.erase(offset, 1);
    const auto parts = nac::assemble(source);
    REQUIRE_FALSE(parts);
    CHECK(parts.error().offset == offset);
    CHECK(static_cast<int>(parts.error().code) == static_cast<int>(r.code));
  }
}

TEST_CASE("nac/assemble: what is too much for the format's fields", "[nac]") {
  const auto refused = [](const std::string& source) {
    const auto parts = nac::assemble(source);
    return parts ? error{} : parts.error();
  };
  const auto repeated = [](int count, const std::string& what) {
    std::string all;
    for (int i = 0; i < count; ++i) all += what;
    return all;
  };
  const auto numbered = [](int count, const std::string& before, const std::string& after) {
    std::string all;
    for (int i = 0; i < count; ++i) all += before + std::to_string(i) + after;
    return all;
  };
  const auto check = [&](errc code, const std::string& fits, const std::string& more,
                         std::uint64_t offset) {
    CHECK(refused(fits) == error{});
    const error e = refused(more);
    CHECK(static_cast<int>(e.code) == static_cast<int>(code));
    CHECK(e.offset == offset);
  };

  const std::string long_name(255, 'n');
  check(errc::nac_text_length, "operations:\n1 = \"" + long_name + "\"",
        "operations:\n1 = \"" + long_name + "n\"", 16);
  check(errc::nac_text_length, "code:\n" + long_name + "()", "code:\n" + long_name + "n()", 6);
  const std::string long_text(65535, 't');
  check(errc::nac_text_length, "constants:\n1 = \"" + long_text + "\"",
        "constants:\n1 = \"" + long_text + "t\"", 15);
  check(errc::nac_text_length, "parameters:\n1 = \"" + long_text + "\"",
        "parameters:\n1 = \"" + long_text + "t\"", 16);
  check(errc::nac_text_length, "tensors:\n\"" + long_text + "\" = i8 [0] hex {}",
        "tensors:\n\"" + long_text + "t\" = i8 [0] hex {}", 9);

  const std::string arguments = "code:\na=input\nnac.x(a" + repeated(254, ",a");
  check(errc::nac_text_arguments, arguments + ")", arguments + ",a)", arguments.size() + 1);
  const std::string rank = "tensors:\n1 = i8 [0" + repeated(254, ",0");
  check(errc::nac_text_rank, rank + "] hex {}", rank + ",0] hex {}", rank.size() + 1);
  const std::string list = "constants:\n1 = [0" + repeated(65534, ",0");
  check(errc::nac_text_list, list + "]", list + ",0]", list.size() + 1);
  const std::string commands = "schedule:\n0: free 0" + repeated(254, ", free 0");
  check(errc::nac_text_commands, commands, commands + ", free 0", commands.size() + 2);

  const std::string operations = "code:\n" + numbered(224, "op_", "()\n");
  check(errc::nac_text_operations, operations, operations + "more()", operations.size());
  std::string signatures = "code:\na=input\n";
  for (int i = 1; i <= 255; ++i) signatures += "nac.x(a" + repeated(i - 1, ",a") + ")\n";
  check(errc::nac_text_signatures, signatures, signatures + "nac.x(a, 1)", signatures.size() + 5);
  std::string constants = "code:\na=input\n" + numbered(32766, "nac.x(a,", ")\n");
  check(errc::nac_text_constants, constants, constants + "nac.x(a,-1)", constants.size() + 8);
  std::string parameters = "code:\n" + numbered(32767, "parameter\"", "\"\n");
  check(errc::nac_text_parameters, parameters, parameters + "parameter\"x\"",
        parameters.size() + 9);

  const std::string far = "code:\na=input\n" + repeated(32766, "raw 0 0\n");
  check(errc::nac_text_distance, far + "nac.x(b)\nb=input\nnac.x(b)",
        far + "raw 0 0\n nac.x(a)\nraw 0 0\nraw 0 0\nnac.x(a)",
        far.size() + std::string("raw 0 0\n nac.x(a)\nraw 0 0\nraw 0 0\nnac.x(").size());
}

TEST_CASE("nac/assemble: payloads that aren't as they are said to be", "[nac]") {
  struct cut {
    static bool find(void*, const nac::payload_reference& which, bytes& out) {
      static const std::byte some[4] = {};
      out = bytes(some, 4);
      return which.name == "it";
    }
  };
  const nac::resolver r{nullptr, cut::find};
  CHECK(nac::assemble("resources:\n\"a\" = file \"it\" 0 4", {.resolver = r}));
  CHECK(nac::assemble("resources:\n\"a\" = file \"it\" 0 5", {.resolver = r}).error() ==
        error{errc::nac_text_payload_size, 17});
  CHECK(nac::assemble("resources:\n\"a\" = file \"other\" 0 4", {.resolver = r}).error() ==
        error{errc::nac_text_payload_unresolved, 17});
}

TEST_CASE("nac/assemble: limits", "[nac]") {
  const std::string source = "nac 1.6\n";
  CHECK(nac::assemble(source, {.limit = {.max_bytes = 8}}));
  CHECK(nac::assemble(source, {.limit = {.max_bytes = 7}}).error() ==
        error{errc::input_too_large, 7});
}

TEST_CASE("nac/assemble: memory stays in proportion to the text", "[nac]") {
  std::string references = "code:\na=input\n", values = "code:\n", names = "code:\n";
  for (int i = 0; i < 100; ++i) {
    references += "f(a";
    values += "f(0";
    for (int k = 1; k < 255; ++k) {
      references += ",a";
      values += "," + std::to_string(k % 10);
    }
    references += ")\n";
    values += ")\n";
    names += "parameter\"" + std::to_string(i) + "\"\n";
  }
  for (const std::string& source : {references, values, names}) {
    const tessera_tests::allocations used;
    const auto parts = nac::assemble(source);
    CHECK(used.peak() <= 60 * source.size() + 300000);  // and the tables of 256 ids
    REQUIRE(parts);
    const auto written = nac::write(*parts);
    REQUIRE(written);
    const auto file = nac::read(bytes(written->data(), written->size()));
    REQUIRE(file);
    const tessera_tests::allocations printing;
    const text listing = nac::print(*file);
    CHECK(printing.peak() <= 3 * listing.size() + 16 * written->size());
  }
}

TEST_CASE("nac/assemble: every beginning of a text is assembled or refused within it", "[nac]") {
  const std::string whole = text_file("everything.txt");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string part = whole.substr(0, size);
    const auto parts = nac::assemble(part);
    if (!parts && parts.error().offset > size) FAIL(size);
  }
}
