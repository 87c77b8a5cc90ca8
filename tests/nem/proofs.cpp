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

  // Where iterations overlap, they have regions of a ring.
  const std::string_view ring =
      "let R = region(B, (i mod 4) * 64, 64)\n"
      "t = transfer.async(dst=R, src=region(A, i * 64, 64)) @resource(DMA[i mod 2])\n"
      "u = transfer.async(dst=region(C, i * 64, 64), src=R, deps=[t])";
  CHECK(is_proven(tiles(ring, " @max_in_flight(4)")));
  CHECK(verified(tiles(ring, " @max_in_flight(5)")).has("HAZ-002"));
  CHECK(verified(tiles(copies, " @max_in_flight(2)")).has("HAZ-002"));
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
          CHECK(at == expected);
        }
        expected = 11;
        const std::int64_t p = 1 + (limit + 40) % 7, q = 1 + (limit + 40) % 5;
        for (std::int64_t i = 10; i >= -10; --i)
          if (slope * i + rest < q && slope * i + rest + p > 0) expected = i;
        const bool meets = first_meeting(slope, rest, p, q, loop, at);
        if (meets != (expected != 11) || (meets && at != expected)) {
          INFO(slope << " * i + " << rest << " meets " << p << ", " << q);
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
  int proven = 0, valid = 0, invalid = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
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
  CHECK(proven > 100);
  CHECK(valid > 50);
  CHECK(invalid > 30);
}
