// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nac/diff.hpp"

#include <chrono>
#include <string>

#include "containers.hpp"

namespace {

using namespace nac_tools_tests;
using tessera::inspect::diff;
using tessera::inspect::file_difference;
using item_kind = tessera::inspect::item_difference::kind;

constexpr std::uint32_t none = lookup::none;

/// "what: before -> after" of each part, in lines.
template <class Parts>
std::string text(const Parts& parts) {
  std::string out;
  for (const auto& p : parts) out += p.what + ": " + p.before + " -> " + p.after + '\n';
  return out;
}

}  // namespace

TEST_CASE("nac/diff: the same, whatever the ids and the order of tables", "[inspect_nac]") {
  const container a(layers);
  CHECK(diff(a, a).same());
  CHECK(diff(a, a).unchanged == 9);
  std::string other = with(layers, "40 = ", "99 = ");
  other = with(other, "  2 = 1.5\n  3 = \"relu\"\n  4 = [1, -1]", "  7 = [1, -1]");
  other = with(other, "  1 = \"TT\"\n  2 = \"TS\"", "  9 = \"TS\"\n  5 = \"TT\"");
  for (int i = 0; i < 4; ++i)
    other = with(other, i % 2 == 0 ? "mul:1(" : "add:1(", i % 2 == 0 ? "mul:5(" : "add:5(");
  other = with(other, "  1 = \"w\"\n  2 = \"b\"", "  8 = \"b\"\n  7 = \"w\"");
  other = with(other, "  1 = f32", "  7 = f32");
  other = with(other, "  2 = f32", "  8 = f32");
  other = with(other, "parameter 1", "parameter 7");
  other = with(other, "parameter 2", "parameter 8");
  const container b(other);
  const file_difference d = diff(a, b);
  CHECK(d.same());
  CHECK(d.unchanged == 9);
}

TEST_CASE("nac/diff: a constant changes only one instruction", "[inspect_nac]") {
  const container a(layers),
      b(with(layers, "v7 = nac.view(v6, [1, -1])", "v7 = nac.view(v6, [2])"));
  const file_difference d = diff(a, b);
  CHECK(d.properties.empty());
  CHECK(d.items.empty());
  REQUIRE(d.instructions.size() == 1);
  CHECK(d.instructions[0].before == 7);
  CHECK(d.instructions[0].after == 7);
  CHECK(text(d.instructions[0].parts) == "argument 2: [1, -1] -> [2]\n");
  CHECK((d.changed == 1 && d.added == 0 && d.removed == 0 && d.unchanged == 8));
}

TEST_CASE("nac/diff: what is put in between moves nothing else", "[inspect_nac]") {
  const container a(layers),
      b(with(layers, "  v5 = nac.mul:1(v4, v1)", "  w = nac.neg(v4)\n  v5 = nac.mul:1(w, v1)"));
  const file_difference d = diff(a, b);
  REQUIRE(d.instructions.size() == 2);
  CHECK(d.instructions[0].before == none);
  CHECK(d.instructions[0].after == 5);
  CHECK(d.instructions[1].before == 5);
  CHECK(d.instructions[1].after == 6);
  CHECK(text(d.instructions[1].parts) == "argument 1: v4 -> v5\n");
  CHECK((d.changed == 1 && d.added == 1 && d.removed == 0 && d.unchanged == 8));
  // The schedule is about the same instructions, so that only the text of its indices differs.
  CHECK(text(d.properties) == "schedule: 2 commands, 1 of its own -> 2 commands, 1 of its own\n");

  const file_difference back = diff(b, a);
  CHECK((back.changed == 1 && back.added == 0 && back.removed == 1 && back.unchanged == 8));
}

TEST_CASE("nac/diff: another source, signature, operation, order", "[inspect_nac]") {
  const container a(layers);
  const container source(with(layers, "nac.mul:1(v4, v1)", "nac.mul:1(v4, v3)"));
  CHECK(text(diff(a, source).instructions.at(0).parts) == "argument 2: v1 -> v3\n");
  const container operation(with(layers, "v7 = nac.view(", "v7 = nac.sub("));
  const file_difference d = diff(a, operation);
  REQUIRE(d.instructions.size() == 3);
  CHECK((d.added == 1 && d.removed == 1 && d.changed == 1));
  CHECK(text(d.instructions.back().parts) == "argument 1: v7 -> v7 (another one)\n");

  const container first(
      "code:\n  x = input\n  a = nac.neg(x)\n  b = nac.clone(x)\n"
      "  c = nac.add(a, b)\n  output(c)\n");
  const container swapped(
      "code:\n  x = input\n  b = nac.clone(x)\n  a = nac.neg(x)\n"
      "  c = nac.add(a, b)\n  output(c)\n");
  CHECK(diff(first, swapped).same());
}

TEST_CASE("nac/diff: the header, parameters, payloads", "[inspect_nac]") {
  const container a(layers);
  const container header("d_model 7\n" + layers);
  CHECK(text(diff(a, header).properties) == "d_model: 0 -> 7\n");

  const container weight(with(layers, "0000003f 000000bf", "0000003f 000000be"));
  const file_difference d = diff(a, weight);
  REQUIRE(d.items.size() == 1);
  CHECK(d.items[0].name == "b");
  CHECK(text(d.items[0].parts) == "elements: 8 bytes -> 8 bytes, others from byte 7\n");
  CHECK(d.items[0].note == "values at most 0.375 apart, RMS 0.2652");  // 0.375 / sqrt 2
  CHECK(diff(a, weight, {.weights = false}).same());

  const container shape(with(layers, "1 = f32 [2] hex", "1 = f32 [1, 2] hex"));
  CHECK(text(diff(a, shape).items.at(0).parts) == "shape: [2] -> [1, 2]\n");
  CHECK(diff(a, shape).items.at(0).note == "values the same");
  const container half(
      with(layers, "1 = f32 [2] hex { 0000803f 00000040 }", "1 = f16 [2] hex { 003c0040 }"));
  CHECK(text(diff(a, half).items.at(0).parts) == "type: f32 -> f16\n");
  CHECK(diff(a, half).items.at(0).note == "values the same");

  const container renamed(with(layers, "1 = \"w\"", "1 = \"weight\""));
  const file_difference r = diff(a, renamed);
  REQUIRE(r.items.size() == 2);
  CHECK((r.items[0].name == "w" && r.items[0].in_before && !r.items[0].in_after));
  CHECK((r.items[1].name == "weight" && !r.items[1].in_before && r.items[1].in_after));
  CHECK(text(r.instructions.at(0).parts) == "argument 1: w -> weight\n");
  CHECK(r.changed == 1);

  const container resources(layers + "resources:\n  \"a\" = hex { 01 }\n  \"b\" = hex { 02 }\n");
  const container others(layers + "resources:\n  \"b\" = hex { 02 03 }\n  \"a\" = hex { 01 }\n");
  const file_difference f = diff(resources, others);
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].what == item_kind::resource);
  CHECK(text(f.items[0].parts) == "content: 1 byte -> 2 bytes, others from byte 1\n");
}

TEST_CASE("nac/diff: payloads that were compared are reported", "[inspect_nac]") {
  const container a(layers), b(layers);
  std::size_t compared = 0;
  CHECK(diff(a, b,
             {.done = [](void* to,
                         tessera::bytes part) { *static_cast<std::size_t*>(to) += part.size(); },
              .context = &compared})
            .same());
  CHECK(compared >= 32);  // both tensors of both
}

TEST_CASE("nac/diff: long programs of equal instructions take little time", "[inspect_nac]") {
  std::string many = "code:\n  v0 = input\n", more = many;
  for (int i = 0; i < 20000; ++i) {
    const std::string line =
        "  v" + std::to_string(i + 1) + " = nac.neg(v" + std::to_string(i) + ")\n";
    many += line;
    more += line;
  }
  many += "  output(v20000)\n";
  more = with(more, "nac.neg(v0)", "nac.clone(v0)") + "  output(v19999)\n";
  const container a(many), b(more);
  const file_difference d = diff(a, b);
  CHECK(d.unchanged == 19999);
  CHECK((d.added == 1 && d.removed == 1 && d.changed == 2));
}
