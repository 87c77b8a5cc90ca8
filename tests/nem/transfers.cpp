// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <string>
#include <string_view>

#include "rule_check.hpp"
#include "support/catch.hpp"

using namespace tessera;
using rule_check::check;
using rule_check::finds;
using rule_check::passes;

namespace {

const std::string two = "buffer A : L2 (size=64)\nbuffer B : L2 (size=64)\n";

/// A transfer from a region of A to one of B, of 8 bytes each, with these types.
std::string typed(std::string_view dst, std::string_view src) {
  return two + "let D = region(B, 0, 8)" + std::string(dst) + "\nlet S = region(A, 0, 8)" +
         std::string(src) + "\ntransfer.sync(dst=`D, src=S)";
}

}  // namespace

TEST_CASE("nem/transfers: XFR-001 the destination is smaller", "[nem]") {
  const auto c = check(two + "transfer.sync(dst=`region(B, 0, 4), src=region(A, 0, 8))");
  REQUIRE(c.rules() == "XFR-001");
  CHECK(c.first("XFR-001")->where.offset == c.mark);
  CHECK(c.text("XFR-001") == "the destination region of B has 4 bytes, the source region of A 8");
  CHECK(c.note("XFR-001") == "the source has 8 bytes");
  CHECK(c.related("XFR-001") == "region(A, 0, 8)");
  CHECK(finds("XFR-001", two + "store.sync(dst=`region(B, 0, 7), src=region(A, 0, 8))") == "");
  CHECK(passes(two + "transfer.sync(dst=region(B, 0, 8), src=region(A, 0, 8))") == "");
}

TEST_CASE("nem/transfers: XFR-002 the destination is larger", "[nem]") {
  const auto c = check(two + "transfer.sync(dst=`region(B, 0, 8), src=region(A, 0, 5))");
  REQUIRE(c.rules() == "XFR-002");
  CHECK(c.first("XFR-002")->where.offset == c.mark);
  CHECK(c.first("XFR-002")->severity == tessera::severity::warning);
  CHECK(c.text("XFR-002") ==
        "the destination region of B has 8 bytes, the source region of A 5: the last 3 aren't "
        "written");
}

TEST_CASE("nem/transfers: XFR-003 element types", "[nem]") {
  const std::string f16 = " elem=f16, shape=[4], layout=C";
  CHECK(finds("XFR-003", typed(f16, " elem=bf16, shape=[4], layout=C")) == "");
  CHECK(passes(typed(f16, f16)) == "");
  // Another shape follows from another type; bytes have none.
  CHECK(finds("XFR-003", typed(f16, " elem=i8, shape=[8], layout=C")) == "");
  CHECK(passes(typed(f16, "")) == "");
  CHECK(passes(typed("", f16)) == "");
}

TEST_CASE("nem/transfers: XFR-004 shapes", "[nem]") {
  const auto c = check(typed(" elem=i8, shape=[2, 4], layout=MK", " elem=i8, shape=[8], layout=C"));
  REQUIRE(c.rules() == "XFR-004");
  CHECK(c.first("XFR-004")->where.offset == c.mark);
  CHECK(c.text("XFR-004") == "the destination D has shape [2, 4], the source S [8]");
  CHECK(c.first("XFR-004")->severity == tessera::severity::warning);
  CHECK(finds("XFR-004", typed(" elem=i8, shape=[2, 4], layout=MK",
                               " elem=i8, shape=[4, 2], layout=MK")) == "");
  CHECK(passes(two + "const N = 4\nlet D = region(B, 0, 8) elem=i8, shape=[N / 2, N], layout=MK\n"
                     "let S = region(A, 0, 8) elem=i8, shape=[2, 4], layout=MK\n"
                     "transfer.sync(dst=D, src=S)") == "");
}

TEST_CASE("nem/transfers: XFR-005 layouts and strides", "[nem]") {
  CHECK(finds("XFR-005", typed(" elem=i8, shape=[2, 4], layout=MK",
                               " elem=i8, shape=[2, 4], layout=KM")) == "");
  CHECK(finds("XFR-005", typed(" elem=i8, shape=[2, 3], strides=[4, 1]",
                               " elem=i8, shape=[2, 3], strides=[3, 1]")) == "");
  CHECK(finds("XFR-005", typed(" elem=i8, shape=[2, 4], layout=MK",
                               " elem=i8, shape=[2, 4], strides=[1, 2]")) == "");
  // Strides that say what no strides say.
  CHECK(passes(typed(" elem=i8, shape=[2, 4], layout=MK",
                     " elem=i8, shape=[2, 4], strides=[4, 1]")) == "");
  CHECK(passes(typed(" elem=i8, shape=[2, 1, 4], strides=[4, 4, 1]",
                     " elem=i8, shape=[2, 1, 4], layout=MCK")) == "");
  CHECK(check(typed(" elem=i8, shape=[2, 3], strides=[4, 1]", " elem=i8, shape=[2, 3], layout=MK"))
            .note("XFR-005") == "the source is contiguous");
}

TEST_CASE("nem/transfers: XFR-006 overlap", "[nem]") {
  const auto c = check(two + "t = transfer.sync(dst=`region(B, 0, 8), src=region(B, 4, 8))\n");
  REQUIRE(c.rules() == "XFR-006");
  CHECK(c.first("XFR-006")->where.offset == c.mark);
  CHECK(c.text("XFR-006").find("share bytes [4, 8) of B") != std::string_view::npos);
  CHECK(c.fixed("XFR-006") ==
        two + "t = transfer.sync(dst=region(B, 0, 8), src=region(B, 4, 8)) @memmove\n");
  CHECK(passes(c.fixed("XFR-006")) == "");
  const auto decorated =
      check(two + "store.sync(dst=region(B, 4, 8), src=region(B, 4, 8)) @debug(a)\nlet k = 1\n");
  REQUIRE(decorated.rules() == "XFR-006");
  CHECK(decorated.fixed("XFR-006") ==
        two +
            "store.sync(dst=region(B, 4, 8), src=region(B, 4, 8)) @debug(a) @memmove\nlet k = 1\n");
  CHECK(passes(two + "transfer.sync(dst=region(B, 0, 8), src=region(B, 8, 8))") == "");
  CHECK(passes(two + "transfer.sync(dst=region(B, 8, 8), src=region(B, 0, 8))") == "");
  CHECK(passes(two + "transfer.sync(dst=region(A, 0, 8), src=region(B, 4, 8))") == "");
}

TEST_CASE("nem/transfers: XFR-006 in one of many iterations, reported once", "[nem]") {
  CHECK(finds("XFR-006", two + "loop i in [0..3]:\n  transfer.sync(dst=`region(B, 24 - 8 * i, 8), "
                               "src=region(B, 8 * i, 8))\n  transfer.sync(dst=region(A, 8 * i, 8), "
                               "src=region(B, 8 * i, 8))\nendloop")
            .find("found") == 0);
  CHECK(finds("XFR-006", two + "loop i in [0..2]:\n  transfer.sync(dst=`region(B, 8 * i, 8), "
                               "src=region(B, 16 - 8 * i, 8))\nendloop") == "");
}

TEST_CASE("nem/transfers: XFR-007 quantization descriptors by value", "[nem]") {
  const std::string i8 = " elem=i8, shape=[2, 4], layout=MK";
  const std::string half = i8 + ", quant=per_tensor(scale=0.5, zero_point=0)";
  CHECK(finds("XFR-007", typed(half, i8)) == "");
  CHECK(finds("XFR-007", typed(i8, half)) == "");
  CHECK(finds("XFR-007", typed(half, i8 + ", quant=per_tensor(scale=0.25, zero_point=0)")) == "");
  CHECK(finds("XFR-007", typed(half, i8 + ", quant=per_tensor(scale=0.5, zero_point=1)")) == "");
  CHECK(finds("XFR-007", typed(half, i8 + ", quant=per_channel(axis=0, scales=[0.5, 0.5], "
                                          "zero_points=[0, 0])")) == "");
  CHECK(finds("XFR-007", typed(i8 + ", quant=per_group(axis=1, group_size=2, scales=[0.5, 0.25], "
                                    "zero_points=[0, 0])",
                               i8 + ", quant=per_group(axis=1, group_size=3, scales=[0.5, 0.25], "
                                    "zero_points=[0, 0])")) == "");
  CHECK(passes(typed(half, half)) == "");
  CHECK(passes(typed(half, i8 + ", quant=per_tensor(scale=5.0e-1, zero_point=1 - 1)")) == "");
  CHECK(passes(typed(half, "")) == "");
  CHECK(passes(two + "let s = [0.5, 0.25]\n" +
               typed(i8 + ", quant=per_channel(axis=0, scales=s, zero_points=[0, 0])",
                     i8 + ", quant=per_channel(axis=0, scales=[0.5, 0.25], zero_points=[0, 0])")
                   .substr(two.size())) == "");
}

TEST_CASE("nem/transfers: XFR-008 stores go away from the engine", "[nem]") {
  const std::string three =
      "buffer D : DDR (size=8)\nbuffer A : L2 (size=8)\nbuffer B : L1 (size=8)\n"
      "transfer.sync(dst=region(B, 0, 8), src=region(A, 0, 8))\n";
  struct {
    const char *to, *from;
    bool is_nearer;
  } const table[] = {{"D", "D", false}, {"D", "A", false}, {"D", "B", false},
                     {"A", "D", true},  {"A", "A", false}, {"A", "B", false},
                     {"B", "D", true},  {"B", "A", true},  {"B", "B", false}};
  for (const auto& row : table) {
    const std::string task = std::string(".sync(dst=`region(") + row.to + ", 0, 8), src=region(" +
                             row.from + ", 0, 8)) @memmove";
    INFO(task);
    CHECK(finds(row.is_nearer ? "XFR-008" : "", three + "store" + task) == "");
    CHECK(passes(three + "transfer" + task) == "");
  }
}

TEST_CASE("nem/transfers: a region's errors aren't reported again", "[nem]") {
  CHECK(check(two + "transfer.sync(dst=region(B, 60, 8), src=region(A, 0, 4))").rules() ==
        "REG-003");
  CHECK(check(two + "transfer.sync(dst=Q, src=region(A, 0, 4))").rules() == "NAM-005");
}
