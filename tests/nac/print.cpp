// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Containers as text: listings written by hand, payloads by reference, numbers, names, its cost.

#include <tessera/core/number.hpp>
#include "nac/support.hpp"

using namespace tessera;
using namespace nac_tests;

namespace {

[[nodiscard]] std::string printed(bytes source, const nac::print_options& options = {}) {
  const auto file = nac::read(source);
  REQUIRE(file);
  const text listing = nac::print(*file, options);
  return std::string(listing.view());
}

/// The lines of a listing that hold `part`.
[[nodiscard]] std::string lines_with(const std::string& listing, const std::string& part) {
  std::istringstream in(listing);
  std::string all;
  for (std::string line; std::getline(in, line);)
    if (line.find(part) != std::string::npos) all += line + '\n';
  return all;
}

/// A container of version 1.6 with one constant.
[[nodiscard]] std::string constant_text(nac::constant_part c, std::string_view string = {},
                                        std::vector<std::uint32_t> numbers = {}) {
  nac::parts p;
  c.id = 7;
  if (c.type == nac::constant_type::string) c.values = p.add_string(string);
  if (c.type > nac::constant_type::string)
    c.values = p.add_numbers({numbers.data(), numbers.size()});
  p.constants.push_back(c);
  const auto written = nac::write(p);
  REQUIRE(written);
  const std::string all = lines_with(printed({written->data(), written->size()}), "  7 = ");
  REQUIRE(all.size() > 7);
  return all.substr(6, all.size() - 7);
}
[[nodiscard]] std::string float64_text(std::uint64_t bits) {
  return constant_text({0, nac::constant_type::float64, bits, {}});
}
[[nodiscard]] std::string float32_text(std::vector<std::uint32_t> bits) {
  return constant_text({0, nac::constant_type::float32_list, 0, {}}, {}, bits);
}

}  // namespace

TEST_CASE("nac/print: listings of small files, and of one with everything", "[nac]") {
  for (const char* name : {"mini_v17", "two_outputs", "everything"}) {
    INFO(name);
    CHECK(printed(bytes(hex_file(name))) == text_file(std::string(name) + ".txt"));
  }
}

TEST_CASE("nac/print: what differs between versions is the header and the operations", "[nac]") {
  const std::string a = printed(bytes(hex_file("mini_v16")));
  const std::string c = printed(bytes(hex_file("mini_v18")));
  CHECK(a.substr(0, 8) == "nac 1.6\n");
  CHECK(c.substr(0, 8) == "nac 1.8\n");
  CHECK(lines_with(a, "linear") ==
        "  20 = \"aten.linear.default\"\n  v3 = aten.linear.default(v0, v1, v2)\n");
  CHECK(lines_with(c, "linear") ==
        "  32 = \"aten.linear.default\"\n  v3 = aten.linear.default(v0, v1, v2)\n");
}

TEST_CASE("nac/print: instructions of the system have words", "[nac]") {
  CHECK(nac::system_word(nac::op_input, 0) == "input");
  CHECK(nac::system_word(nac::op_output, 0) == "output");
  CHECK(nac::system_word(nac::op_control_flow, 0) == "control_flow");
  CHECK(nac::system_word(nac::op_convergence, 0) == "convergence");
  CHECK(nac::system_word(40, 1).empty());
}

TEST_CASE("nac/print: payloads by reference", "[nac]") {
  const auto source = hex_file("mini_v16");
  const auto tensors = [&](nac::print_options::payloads p, std::string_view name) {
    return lines_with(printed(bytes(source), {.source_name = name, .payload = p}), "= f32");
  };
  const std::string inlined =
      "  1 = f32 [2, 3] hex { 0000803f 00000040 00004040 00008040 0000a040 0000c040 }\n"
      "  2 = f32 [2] hex { 0000003f 000000bf }\n";
  const std::string referred =
      "  1 = f32 [2, 3] file \"m.nac\" 0x125 24\n  2 = f32 [2] file \"m.nac\" 0x152 8\n";
  CHECK(tensors(nac::print_options::automatic, "m.nac") == inlined);
  CHECK(tensors(nac::print_options::by_reference, "m.nac") == referred);
  CHECK(tensors(nac::print_options::inline_hex, "m.nac") == inlined);
  CHECK(tensors(nac::print_options::by_reference, "") == inlined);

  // From 65 bytes on a payload goes by reference, or over lines of 32.
  nac::parts p;
  std::vector<std::byte> data(65, std::byte{0xab});
  p.has_resources = true;
  p.resources.push_back({p.add_string("a"), nac::parts::borrow({data.data(), 64})});
  p.resources.push_back({p.add_string("b"), nac::parts::borrow({data.data(), 65})});
  const auto written = nac::write(p);
  REQUIRE(written);
  const bytes container(written->data(), written->size());
  const std::string with = printed(container, {.source_name = "f"});
  CHECK(lines_with(with, "\"a\"") == "  \"a\" = hex {\n");
  CHECK(lines_with(with, "\"b\"") == "  \"b\" = file \"f\" 0x" + [&] {
    char number[20];
    std::snprintf(number, sizeof number, "%zx", container.size() - 65 - 12);  // and an empty plan
    return std::string(number);
  }() + " 65\n");
  std::string line = "   ";
  for (int i = 0; i < 8; ++i) line += " abababab";
  CHECK(printed(container).find("  \"b\" = hex {\n" + line + '\n' + line + "\n    ab\n  }\n") !=
        std::string::npos);
}

TEST_CASE("nac/print: the schedule beside the code", "[nac]") {
  const auto source = hex_file("everything");
  const std::string beside = printed(bytes(source), {.schedule_beside = true});
  CHECK(lines_with(beside, "v5 = ") == "  v5 = nac.add(v4, 1.5)  ; action 99 7, forward 6\n");
  std::string without = beside;
  without.replace(without.find("  ; action 99 7"), 26, "");
  CHECK(without == text_file("everything.txt"));
}

TEST_CASE("nac/print: numbers have the shortest form that reads back", "[nac]") {
  CHECK(float64_text(0x3ff0000000000000) == "1.0");
  CHECK(float64_text(0x8000000000000000) == "-0.0");
  CHECK(float64_text(0x3fb999999999999a) == "0.1");
  CHECK(float64_text(0x0000000000000001) == "5e-324");
  CHECK(float64_text(0x7fefffffffffffff) == "1.7976931348623157e+308");
  CHECK(float64_text(0x7ff0000000000000) == "inf");
  CHECK(float64_text(0xfff0000000000000) == "-inf");
  CHECK(float64_text(0x7ff8000000000000) == "nan");
  CHECK(float64_text(0xfff8000000000000) == "nan 0xfff8000000000000");
  CHECK(float64_text(0x7ff0000000000001) == "nan 0x7ff0000000000001");
  CHECK(float32_text({}) == "floats []");
  CHECK(float32_text({0x3dcccccd, 0x3eaaaaab, 0x40490fdb}) == "[0.1, 0.33333334, 3.1415927]");
  CHECK(float32_text({0x7f7fffff, 0x00000001, 0x00800000, 0x80000000}) ==
        "[3.4028235e+38, 1e-45, 1.1754944e-38, -0.0]");
  CHECK(float32_text({0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000}) ==
        "[inf, -inf, nan, nan 0xffc00000]");
  CHECK(float32_text({0x4b800000, 0x4b800001, 0x501502f9}) ==
        "[16777216.0, 16777218.0, 10000000000.0]");
  CHECK(constant_text({0, nac::constant_type::int32_list, 0, {}}, {}, {1, 0xffffffff}) ==
        "[1, -1]");
  CHECK(constant_text({0, nac::constant_type::int32_list, 0, {}}) == "[]");
  CHECK(constant_text({0, nac::constant_type::string, 0, {}}, "a\n\"\x01") == R"("a\n\"\x01")");
  CHECK(constant_text({0, nac::constant_type::string, 0, {}}, "\xe2\x80\xae\xc2\x85\x9b") ==
        R"("\xe2\x80\xae\xc2\x85\x9b")");
}

TEST_CASE("nac/print: every float32 reads back", "[nac]") {
  // A few of each exponent, and all bit patterns around powers of two.
  for (std::uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (const std::uint32_t fraction :
         {0u, 1u, 0x7fffffu, 0x400000u, 0x2aaaaau, exponent * 31337u}) {
      const std::uint32_t bits = exponent << 23 | (fraction & 0x7fffff);
      text out;
      nac::detail::print_float(out, bits);
      double value = 0;
      REQUIRE(nac::detail::parse_double(out.view(), value));
      const float back = std::strtof(std::string(out.view()).c_str(), nullptr);
      if (std::bit_cast<std::uint32_t>(nac::detail::float_from_double(value)) != bits ||
          std::bit_cast<std::uint32_t>(back) != bits)
        FAIL(bits << ' ' << out.view());
    }
  }
}

TEST_CASE("nac/print: long values and names stand once", "[nac]") {
  // As often as they are used, they would make a text of the square of the file's size.
  nac::parts p;
  const std::string name(60000, 'n'), value(60000, 'v');
  p.add_name(p.parameters, 1, name);
  p.constants.push_back({1, nac::constant_type::string, 0, p.add_string(value)});
  p.add_name(p.signatures, 1, "s");
  const std::uint16_t one = 1, zero = 0;
  const nac::range c = p.add_words({&one, 1}), d = p.add_words({&zero, 1});
  for (int i = 0; i < 1000; ++i) {
    p.instructions.push_back({nac::op_input, 1, c, {}});
    p.instructions.push_back({10, 1, c, d});
  }
  const auto written = nac::write(p);
  REQUIRE(written);
  const std::string listing = printed({written->data(), written->size()});
  CHECK(listing.size() < 200000);
  CHECK(lines_with(listing, "v0 = ") == "  v0 = parameter 1\n");
  CHECK(lines_with(listing, "v1 = ") == "  v1 = nac.pass(#1)\n");
}
