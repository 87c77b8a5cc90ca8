// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loops that are proven without being expanded: what must hold of them, where it doesn't, and that
// proofs and expansions of small loops agree.

#include "tessera/nem/detail/rules/affine.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/nem/read.hpp>
#include <tessera/nem/verify.hpp>
#include <utility>

#include "nem/random_loops.hpp"
#include "nem/verified.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

namespace nem = tessera::nem;
using nem_test::verified;

namespace {

[[nodiscard]] nem::program program_of(std::string_view source, nem::verify_options options = {}) {
  auto model = nem::read(source);
  REQUIRE(model);
  tessera::report found;
  auto p = nem::verify(std::move(*model), options, &found);
  for (const tessera::diagnostic& d : found.diagnostics) UNSCOPED_INFO(found.text_of(d.text));
  REQUIRE(p);
  return std::move(*p);
}
/// A loop of 10^9 iterations over tiles of 64 bytes, with these statements.
[[nodiscard]] std::string tiles(std::string_view body, std::string_view decorators = "",
                                std::string_view before = "") {
  return "buffer A : DDR (size=64000000000)\nbuffer C : DDR (size=64000000000)\n"
         "buffer B : L2 (size=256)\nbuffer S : L1 (size=256)\n" +
         std::string(before) + "loop i in [0..999999999]" + std::string(decorators) + ":\n" +
         std::string(body) + "\nendloop\n";
}
constexpr std::string_view copies =
    "t = transfer.async(dst=region(B, 0, 64), src=region(A, i * 64, 64))\n"
    "u = transfer.async(dst=region(C, i * 64, 64), src=region(B, 0, 64), deps=[t])";

/// Whether verification proves all of a program that it finds valid.
[[nodiscard]] bool is_proven(std::string_view source) {
  const nem_test::outcome o = verified(source);
  UNSCOPED_INFO(o.lines);
  return o.is_valid && !o.is_partial && !o.has("HAZ-005");
}
/// Whether the only error is this one.
[[nodiscard]] bool fails(std::string_view source, std::string_view line) {
  const nem_test::outcome o = verified(source);
  UNSCOPED_INFO(o.lines);
  return !o.is_valid && o.report.errors == 1 && o.lines.find(line) != std::string::npos;
}

}  // namespace

TEST_CASE("nem/proofs: loops of any size are proven", "[nem]") {
  const nem::program p = program_of(tiles(copies));
  CHECK_FALSE(p.is_partial());
  CHECK(p.has_all_hazards());
  CHECK(p.iterations() == 10);
  CHECK(p.iterations() + p.proven_iterations() == 1000000000);
  CHECK(p.tasks() + p.proven_tasks() == 2000000000);

  // Wherever the loop begins.
  const nem::program later = program_of(
      "buffer A : DDR (size=64000000000)\nbuffer B : L2 (size=64)\nloop i in [7..1000000006]:\n"
      "transfer.sync(dst=region(B, 0, 64), src=region(A, i * 64 - 448, 64))\nendloop");
  CHECK(later.iterations() == 10);
  CHECK(later.iterations() + later.proven_iterations() == 1000000000);

  // Inner loops too; counts of 2^64 or more saturate.
  const nem::program nested = program_of(
      "buffer A : DDR (size=6400000000000)\nbuffer B : L2 (size=64)\n"
      "loop i in [0..99999]: loop j in [0..999999]:\n"
      "transfer.sync(dst=region(B, 0, 64), src=region(A, (i * 1000000 + j) * 64, 64))\n"
      "endloop endloop");
  CHECK(nested.has_all_hazards());
  CHECK(nested.tasks() == 100);
  CHECK(nested.tasks() + nested.proven_tasks() == 100000000000);
  CHECK(nested.iterations() + nested.proven_iterations() == 100000100000);
  const nem::program endless = program_of(
      "buffer A : L2 (size=64)\nbuffer B : L2 (size=64)\n"
      "loop i in [-9223372036854775807 - 1..9223372036854775807]: "
      "loop j in [-9223372036854775807 - 1..9223372036854775807]:\n"
      "transfer.sync(dst=region(B, 0, 64), src=region(A, 0, 64))\nendloop endloop");
  CHECK(endless.has_all_hazards());
  CHECK(endless.proven_tasks() == ~std::uint64_t{0});

  // Beside bytes that an earlier task still writes; not if they are the loop's.
  const auto beside = [](const char* first) {
    return tiles(copies, "",
                 "o = transfer.async(dst=region(B, " + std::string(first) +
                     ", 64), src=region(A, 0, 64))\n");
  };
  CHECK(is_proven(beside("64")));
  CHECK_FALSE(is_proven(beside("63")));

  // Where iterations overlap, they have regions of a ring.
  const std::string_view ring =
      "let R = region(B, (i mod 4) * 64, 64)\n"
      "t = transfer.async(dst=R, src=region(A, i * 64, 64)) @resource(DMA[i mod 2])\n"
      "u = transfer.async(dst=region(C, i * 64, 64), src=R, deps=[t])";
  CHECK(is_proven(tiles(ring, " @max_in_flight(4)")));
  CHECK(verified(tiles(ring, " @max_in_flight(5)")).has("HAZ-002"));
  CHECK(verified(tiles(copies, " @max_in_flight(2)")).has("HAZ-002"));
}

TEST_CASE("nem/proofs: regions of what is no buffer are reported once", "[nem]") {
  for (const std::string_view name : {"k", "i", "R"}) {
    INFO(name);
    CHECK(fails(
        tiles("transfer.sync(dst=region(B, 0, 64), src=region(" + std::string(name) + ", 0, 64))",
              "", "const k = 3\nlet R = region(A, 0, 64)\n"),
        "NAM-004"));
  }
}

TEST_CASE("nem/proofs: the first iteration that fails", "[nem]") {
  // the last one, and one less
  const std::string up =
      "buffer A : DDR (size=SIZE)\nbuffer B : L2 (size=64)\n"
      "loop i in [0..999999999]: transfer.sync(dst=region(B, 0, 64), src=region(A, i * 64, 64)) "
      "endloop";
  const auto of_size = [&](std::string text, std::string_view size) {
    return text.replace(text.find("SIZE"), 4, size);
  };
  CHECK(is_proven(of_size(up, "64000000000")));
  CHECK(fails(of_size(up, "63999999999"), "where i is 999999999"));
  CHECK(fails(of_size(up, "32000000063"), "where i is 500000000"));
  CHECK(is_proven(tiles("let R = region(A, 63999999936 - i * 64, 64)")));
  CHECK(fails(tiles("let R = region(A, 63999999872 - i * 64, 64)"), "where i is 999999999"));
  CHECK(fails(tiles("let R = region(A, 6400000 - i * 64, 64)"), "REG-001"));
  CHECK(fails(tiles("let R = region(A, 6400000 - i * 64, 64)"), "where i is 100001"));
  // overflow: 2^63 - 1 is 9223372036854775807
  CHECK(is_proven(tiles("let a = i * 9223372036 + 787")));
  CHECK(is_proven(tiles("let a = 9223372035854775808 + i")));
  CHECK(fails(tiles("let a = 9223372035854775809 + i"), "where i is 999999999"));
  CHECK(fails(tiles("let a = -9223372036854775807 - i"), "where i is 2"));
  // and of inner loops
  CHECK(
      fails("buffer A : DDR (size=6399999999)\nloop i in [0..9999]: loop j in [0..9999]: "
            "let R = region(A, i * 640000 + j * 64, 64) endloop endloop",
            "where i is 9999 and j is 9999"));
  CHECK(
      fails("buffer A : DDR (size=3200640063)\nloop i in [0..9999]: loop j in [0..9999]: "
            "let R = region(A, i * 640000 + j * 64, 64) endloop endloop",
            "where i is 5001 and j is 0"));
}

TEST_CASE("nem/proofs: accesses that move differently", "[nem]") {
  // They meet at i = 500000: 64 * i and 32000000.
  const auto both = [](std::string_view at, std::string_view deps) {
    return tiles(
        "t = transfer.async(dst=region(C, i * 64, 64), src=region(A, 0, 64))\n"
        "u = transfer.async(dst=region(C, " +
        std::string(at) + ", 64), src=region(A, 0, 64)" + std::string(deps) + ")");
  };
  CHECK(fails(both("32000000", ""), "HAZ-001"));
  CHECK(is_proven(both("32000000", ", deps=[t]")));
  CHECK(is_proven(both("63999999936 - i * 64", "")));  // they cross between tiles
  CHECK(fails(both("32000000016 - i * 32", ""), "HAZ-001"));
  CHECK(is_proven(both("32000000016 - i * 32", ", deps=[t]")));
  // source and destination of one transfer
  const auto inside = [](std::string_view to, std::string_view more) {
    return tiles("transfer.sync(dst=region(A, " + std::string(to) +
                 ", 64), src=region(A, i * 64, 64))" + std::string(more));
  };
  CHECK(fails(inside("6400000", ""), "where i is 100000"));
  CHECK(fails(inside("6400001", ""), "where i is 100000"));
  CHECK(is_proven(inside("6400000", " @memmove")));
  // Beside those that move alike, one that never meets them, in iterations that overlap.
  CHECK(is_proven(
      tiles("t = transfer.async(dst=region(E, i * 64, 64), src=region(A, i * 64, 64))\n"
            "u = transfer.async(dst=region(C, i * 64, 64), src=region(E, i * 64, 64), deps=[t])\n"
            "v = transfer.async(dst=region(F, i * 64, 64), src=region(E, 64000000000, 64))",
            " @max_in_flight(2)",
            "buffer E : DDR (size=64000000064)\nbuffer F : DDR (size=64000000000)\n")));
}

TEST_CASE("nem/proofs: what is left to expansion", "[nem]") {
  const auto is_left = [](const std::string& source) {
    const nem_test::outcome o = verified(source);
    UNSCOPED_INFO(o.lines);
    return o.is_valid && o.is_partial && o.has("HAZ-005");
  };
  CHECK(is_left(tiles("let a = i / 2")));
  CHECK(is_left(tiles("let a = i mod 1025")));
  CHECK(is_proven(tiles("let a = i mod 1024")));
  CHECK(is_left("loop i in [0..99999999]: let a = i * i endloop"));
  CHECK(
      is_left("loop i in [0..9999]: loop j in [0..i]: loop k in [0..9]: endloop endloop endloop"));
  nem::verify_options expanding;
  expanding.proves = false;
  CHECK(verified(tiles(copies), expanding).is_partial);

  // A task before the loop is still writing what an iteration in the middle reads.
  const std::string_view open =
      "o = transfer.async(dst=region(A, 63000000000, 8), src=region(B, 0, 8))\n";
  CHECK(
      is_left(tiles("transfer.sync(dst=region(B, 64, 64), src=region(A, i * 64, 64))", "", open)));
  CHECK(is_proven(tiles("transfer.sync(dst=region(B, 64, 64), src=region(A, i * 64, 64))", "",
                        std::string(open) + "wait(o)\n")));
  // It writes what follows the loop's bytes, and one byte less.
  const auto up_to = [](std::string_view last) {
    return tiles("transfer.sync(dst=region(B, 64, 64), src=region(E, i * 64, 64))", "",
                 "buffer E : DDR (size=64000000008)\no = transfer.async(dst=region(E, " +
                     std::string(last) + ", 8), src=region(B, 0, 8))\n");
  };
  CHECK(is_proven(up_to("64000000000")));
  CHECK(is_left(up_to("63000000000")));
  // It reads what an iteration in the middle writes.
  const std::string_view reader =
      "o = transfer.async(dst=region(B, 0, 8), src=region(A, 63000000000, 8))\n";
  const std::string_view writes = "transfer.sync(dst=region(A, i * 64, 64), src=region(B, 64, 64))";
  CHECK(is_left(tiles(writes, "", reader)));
  CHECK(is_proven(tiles(writes, "", std::string(reader) + "wait(o)\n")));
  // Both read.
  CHECK(is_proven(
      tiles("transfer.sync(dst=region(B, 64, 64), src=region(A, i * 64, 64))", "", reader)));

  // Inner loops of overlapping iterations: apart, and one byte too near.
  const auto tables = [](std::string_view step) {
    return "buffer A : DDR (size=100000000000)\nbuffer B : DDR (size=64)\n"
           "loop i in [0..9999] @max_in_flight(3): loop j in [0..9999]:\n"
           "transfer.sync(dst=region(A, i * " +
           std::string(step) + " + j * 64, 64), src=region(B, 0, 64))\nendloop endloop";
  };
  CHECK(is_proven(tables("640000")));
  CHECK_FALSE(is_proven(tables("639999")));
}

TEST_CASE("nem/proofs: L1 is written before it is read", "[nem]") {
  const auto l1 = [](std::string_view before, std::string_view body, std::string_view after = "") {
    return "buffer A : DDR (size=64)\nbuffer S : L1 (size=64000000000)\n" + std::string(before) +
           "loop i in [0..999999999]:\n" + std::string(body) + "endloop\n" + std::string(after);
  };
  const std::string_view write = "transfer.sync(dst=region(S, i * 64, 64), src=region(A, 0, 64))\n";
  const std::string_view read = "transfer.sync(dst=region(A, 0, 64), src=region(S, i * 64, 64))\n";
  const auto warns = [](const std::string& source) { return verified(source).has("HAZ-006"); };
  CHECK(is_proven(l1("", std::string(write) + std::string(read))));
  CHECK_FALSE(warns(l1("", std::string(write) + std::string(read))));
  CHECK(warns(l1("", read)));
  CHECK(is_proven(l1("", write, "transfer.sync(dst=region(A, 0, 64), src=region(S, 6400, 64))\n")));
  CHECK_FALSE(
      warns(l1("", write, "transfer.sync(dst=region(A, 0, 64), src=region(S, 6400, 64))\n")));
  // The first iterations read what was written before the loop: how far isn't known.
  CHECK_FALSE(
      is_proven(l1("transfer.sync(dst=region(S, 0, 64000), src=region(S, 64000, 64000))\n", read)));
  CHECK(
      is_proven(l1("transfer.sync(dst=region(S, 0, 64000000000), src=region(S, 0, "
                   "64000000000)) @memmove\n",
                   read)));
}

namespace {

/// A loop, small enough to be expanded, in which something is wrong that only iterations in the middle
/// show: a proof that left out one of its conditions would not visit them.
struct hidden {
  std::string_view rule;  ///< what the expansion finds
  std::string_view body, after = "", before = "", decorators = "";
};
[[nodiscard]] std::string text_of(const hidden& h) {
  return "buffer A : DDR (size=1000000)\nbuffer C : DDR (size=1000000)\n"
         "buffer D : DDR (size=1000000)\nbuffer E : DDR (size=3264)\n"
         "buffer B : L2 (size=64)\nbuffer S : L1 (size=16384)\nbuffer T : L1 (size=16384)\n" +
         std::string(h.before) + "\nloop i in [0..99]" + std::string(h.decorators) + ":\n" +
         std::string(h.body) + "\nendloop\n" + std::string(h.after) + "\n";
}
/// Checks that the expansion finds the rule, and that what is proven agrees with it.
void check_hidden(const hidden& h) {
  CAPTURE(h.body, h.before, h.after);
  nem::verify_options expanding;
  expanding.proves = false;
  expanding.max_instances = 1 << 20;
  const nem_test::outcome o = verified(text_of(h), expanding);
  CAPTURE(o.lines);
  CHECK(o.has(h.rule));
  CHECK(nem_test::compare(text_of(h), 30).difference == "");
}

}  // namespace

TEST_CASE("nem/proofs: values that aren't what a proof takes them for", "[nem]") {
  const hidden all[] = {
      {"SHP-002",
       "relu.sync in region(A, 0, 64) elem=i8, shape=[64], layout=C out region(C, 0, 64) "
       "elem=i8, shape=[64 - i / 50], layout=C"},
      {"REG-004", "let R = region(A, 0, 64) elem=i8, shape=[i + 1], layout=C"},
      {"RES-003",
       "transfer.sync(dst=region(C, 0, 64), src=region(B, 0, 64)) @resource(DMA[50 - i])"},
      {"OPC-009",
       "softmax.sync in region(A, 0, 64) elem=f16, shape=[4, 8], layout=NC out "
       "region(C, 0, 64) elem=f16, shape=[4, 8], layout=NC axis=(i / 50) * 5"},
      {"REG-003", "let R = region(E, i * 64 + (i mod 4) * 64, 64)"},
      {"EXP-004", "let a = 9223372036854775757 + i"},
      {"REG-003", "let k = (0 - 7) mod 4\nlet R = region(E, i * 64 + k * 64, 64)"},
      {"REG-003", "let R = region(E, (100 mod (i + 1)) * 100, 64)"},
      // Two rings of 7 and 8 places meet where i is 34.
      {"HAZ-001",
       "p = transfer.async(dst=region(C, (i mod 7) * 64, 64), src=region(B, 0, 64))\n"
       "q = transfer.async(dst=region(C, 384 + ((i + 6) mod 8) * 64, 64), "
       "src=region(B, 0, 64))"},
      // What moves meets the last place of a ring, or the first.
      {"HAZ-001",
       "p = transfer.async(dst=region(C, 3328 + (i mod 4) * 64, 64), "
       "src=region(B, 0, 64))\n"
       "q = transfer.async(dst=region(C, 3600 - i / 3 * 2, 64), src=region(B, 0, 64))"},
      {"HAZ-001",
       "p = transfer.async(dst=region(C, (i mod 4) * 64 + 3008, 64), "
       "src=region(B, 0, 64))\n"
       "q = transfer.async(dst=region(C, 6336 - i * 64, 64), src=region(B, 0, 64))"},
      {"HAZ-001",
       "p = transfer.async(dst=region(C, 3200, 64 + (i mod 2) * 64), "
       "src=region(A, 0, 64 + (i mod 2) * 64))\n"
       "q = transfer.async(dst=region(C, 6336 - i * 64, 64), src=region(B, 0, 64))"},
      {"HAZ-001",
       "q = transfer.async(dst=region(C, 6336 - i * 64, 64), src=region(B, 0, 64))\n"
       "p = transfer.async(dst=region(C, 3200, 64 + (i mod 2) * 64), "
       "src=region(A, 0, 64 + (i mod 2) * 64))"},
      {"HAZ-001",
       "p = transfer.async(dst=region(C, 0, i * 64 + 64), "
       "src=region(A, 0, i * 64 + 64))\n"
       "q = transfer.async(dst=region(C, 3200, 64), src=region(B, 0, 64))"},
  };
  for (const hidden& h : all) check_hidden(h);
}

TEST_CASE("nem/proofs: iterations in flight meet in the middle", "[nem]") {
  const auto inner = [](std::string_view at) {
    return "loop j in [0..99]:\ntransfer.sync(dst=region(C, " + std::string(at) +
           ", 64), src=region(A, i * 6400 + j * 64, 64))\nendloop\n";
  };
  const auto check = [&](const std::string& body, std::string_view in_flight = "2") {
    const std::string decorators = " @max_in_flight(" + std::string(in_flight) + ")";
    check_hidden({"HAZ-002", body, "", "", decorators});
  };
  // Tables of 100 places, each of which begins in the middle of another one.
  check(inner("i * 3200 + j * 64"));
  check(inner("500000 - i * 3200 + j * 64"));
  check(inner("i * 3200 + j * 64"), "3");
  // A task beside the table of the next iteration, or of the one after that.
  const auto beside = [](std::string_view at) {
    return "transfer.sync(dst=region(C, " + std::string(at) + ", 64), src=region(B, 0, 64))";
  };
  check(inner("i * 6400 + j * 64") + beside("i * 6400 + 9600"));
  check(inner("700000 - i * 6400 + j * 64") + beside("696800 - i * 6400"));
  check(inner("i * 6400 + j * 64") + beside("i * 6400 + 16000"), "3");
  // A task in the middle of the table of the iteration before.
  check(inner("i * 6400 + 6400 + j * 64") + beside("i * 6400 + 3200"));
  // Tables that move differently.
  check(inner("i * 6400 + j * 64") + inner("i * 3200 + j * 64 + 73600"));
  // A table that all iterations write, of which each reads a place.
  check(inner("j * 64") + "transfer.sync(dst=region(D, i * 64, 64), src=region(C, 3200, 64))");
  // What moves meets what the iterations around it read.
  check(
      "t = transfer.async(dst=region(C, i * 64, 64), src=region(B, 0, 64))\n"
      "u = transfer.async(dst=region(D, i * 64, 64), src=region(C, 3200, 64), deps=[t])");
  // An inner loop whose iterations overlap only in the middle of the outer one.
  check_hidden({"HAZ-002",
                "loop j in [0..9] @max_in_flight(i * (100 - i) / 2000 + 1):\n"
                "transfer.async(dst=region(C, 0, 64), src=region(A, j * 64, 64))\nendloop"});
  // A task that an inner loop doesn't wait for.
  check_hidden({"HAZ-001",
                "transfer.async(dst=region(C, 12800 - i * 128, 64), "
                "src=region(B, 0, 64))\n" +
                    inner("j * 64")});
  // Inner loops whose bounds depend on the outer one are counted as they are.
  for (const std::string_view range : {"i..99", "0..i", "5..3"}) {
    const std::string source = text_of({"", "loop j in [" + std::string(range) +
                                                "]:\ntransfer.sync(dst=region(B, 0, 64), "
                                                "src=region(A, j * 64, 64))\nendloop"});
    CAPTURE(source);
    CHECK(nem_test::compare(source, 30).difference == "");
  }
}

TEST_CASE("nem/proofs: bytes of L1 that only one iteration reads unwritten", "[nem]") {
  // All tiles but one are written before the loop.
  const std::string_view most =
      "transfer.sync(dst=region(S, 0, 3200), src=region(A, 0, 3200))\n"
      "transfer.sync(dst=region(S, 3264, 13120), src=region(A, 0, 13120))";
  const auto reads = [](std::string_view write, std::string_view at) {
    return std::string(write) + "\ntransfer.sync(dst=region(D, 0, 64), src=region(S, " +
           std::string(at) + ", 64))";
  };
  const auto write = [](std::string_view to, std::string_view extent) {
    return "transfer.sync(dst=region(" + std::string(to) + ", " + std::string(extent) +
           "), src=region(A, 0, " + std::string(extent) + "))";
  };
  const std::string bodies[] = {
      reads("", "i * 64"),
      // It is written by the task that reads it, in another buffer, in part, or elsewhere.
      "relu.sync in region(S, i * 64, 64) elem=i8, shape=[64], layout=C out region(S, i * 64, 64) "
      "elem=i8, shape=[64], layout=C",
      reads(write("T, i * 64", "64"), "i * 64"),
      reads(write("S, i * 64", "32"), "i * 64"),
      reads(write("S, i * 64 + 8", "56"), "i * 64"),
      reads(write("S, i * 64", "64"), "i * 128"),
      reads(write("S, i * 64 + (i mod 2) * 64", "64"), "i * 64"),
  };
  for (std::size_t n = 0; n < sizeof bodies / sizeof bodies[0]; ++n) {
    // The last writes all places but that of an even tile.
    const std::string_view before =
        n == 6 ? "transfer.sync(dst=region(S, 0, 3264), src=region(A, 0, 3264))\n"
                 "transfer.sync(dst=region(S, 3328, 13056), src=region(A, 0, 13056))"
               : most;
    check_hidden({"HAZ-006", bodies[n], "", before});
  }
  // Gaps between what the loop writes, which a task after it reads.
  const auto gap = [&](const std::string& body, std::string_view at) {
    check_hidden({"HAZ-006", body,
                  "transfer.sync(dst=region(D, 0, 1), src=region(S, " + std::string(at) + ", 1))"});
  };
  gap(write("S, i * 128", "64"), "6464");
  gap(write("S, i * 65", "64"), "3314");
  gap(write("S, i * 64 + (i mod 2) * 64", "64"), "3264");
  gap(write("S, i * 64", "32 + (i mod 2) * 32"), "3232");
  gap("loop j in [0..3]:\n" + write("S, i * 160 + j * 32", "32") + "\nendloop", "8144");
  gap(write("S, (i mod 100) * 64", "64"), "6400");
  CHECK(is_proven(
      text_of({"", "loop j in [0..3]:\n" + write("S, i * 128 + j * 32", "32") + "\nendloop"})));
}

TEST_CASE("nem/proofs: where affine values pass a limit", "[nem]") {
  using nem::detail::first_above;
  using nem::detail::first_meeting;
  const nem::detail::loop_range loop{-10, 10};
  std::int64_t at = 0;
  for (int slope = -7; slope <= 7; ++slope)
    for (int rest = -30; rest <= 30; ++rest)
      for (int limit = -40; limit <= 40; limit += 3) {
        std::int64_t expected = 11;
        for (std::int64_t i = 10; i >= -10; --i)
          if (slope * i + rest > limit) expected = i;
        const bool found = first_above(slope, rest, limit, loop, at);
        if (found != (expected != 11) || (found && at != expected)) {
          INFO(slope << " * i + " << rest << " > " << limit);
          CHECK(found == (expected != 11));
          CHECK(at == expected);
        }
        expected = 11;
        const std::int64_t p = 1 + (limit + 40) % 7, q = 1 + (limit + 40) % 5;
        for (std::int64_t i = 10; i >= -10; --i)
          if (slope * i + rest < q && slope * i + rest + p > 0) expected = i;
        const bool meets = first_meeting(slope, rest, p, q, loop, at);
        if (meets != (expected != 11) || (meets && at != expected)) {
          INFO(slope << " * i + " << rest << " meets " << p << ", " << q);
          CHECK(meets == (expected != 11));
          CHECK(at == expected);
        }
      }
  nem::detail::affine a = nem::detail::affine::constant(INT64_MAX);
  CHECK_FALSE(a.add(nem::detail::affine::constant(1)));
  a = {};
  a.slopes[0] = nem::detail::affine::max_slope;
  CHECK(a.scale(-1));
  CHECK_FALSE(a.scale(2));
}

TEST_CASE("nem/proofs: proofs and expansions agree", "[nem]") {
  constexpr std::uint64_t few[] = {1, 30, 150};
  constexpr std::uint64_t seeds = test::sanitized ? 120 : 600;
  std::uint64_t proven = 0, valid = 0, invalid = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const nem_test::random_loops p(seed);
    const nem_test::comparison c = nem_test::compare(p.text(), few[seed % 3]);
    proven += c.is_proven;
    valid += c.is_proven && c.is_valid;
    invalid += c.is_proven && !c.is_valid;
    if (!c.difference.empty()) {
      INFO("seed " << seed << ": " << p.text());
      CHECK(c.difference == "");
    }
  }
  CHECK(proven > seeds / 6);
  CHECK(valid > seeds / 12);
  CHECK(invalid > seeds / 20);
}
