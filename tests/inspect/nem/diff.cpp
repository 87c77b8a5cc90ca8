// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/diff.hpp"

#include <string>
#include <string_view>

#include "support/catch.hpp"

using namespace tessera;

namespace {

inspect::program_difference diff(std::string_view before, std::string_view after) {
  const result<nem::model> a = nem::read(before), b = nem::read(after);
  REQUIRE(a);
  REQUIRE(b);
  return inspect::diff(*a, *b);
}

/// Constants of these names, one per line.
std::string constants(std::string_view names) {
  std::string out;
  for (const char c : names) out.append("const ").append(1, c).append(" = 1\n");
  return out;
}

}  // namespace

TEST_CASE("nem/diff: comments and layout make no difference", "[inspect_nem]") {
  const inspect::program_difference d =
      diff("const N = 4\nbuffer A : L2 (size=64, align=16)\n",
           "# x\nconst N=4 buffer A:L2(size = 64, align = 16) # y\n");
  CHECK(d.same());
  CHECK(d.unchanged == 2);
  CHECK(diff("", "").same());
}

TEST_CASE("nem/diff: added, removed and changed statements", "[inspect_nem]") {
  const inspect::program_difference d =
      diff("const N = 4\nbuffer A : L2 (size=64)\nconst M = 2\n",
           "const N = 5\nbuffer A : L2 (size=64)\nbuffer B : L2 (size=64)\n");
  REQUIRE(d.statements.size() == 3);
  CHECK(d.statements[0].before == "const N = 4");
  CHECK(d.statements[0].after == "const N = 5");
  CHECK(d.statements[1].before == "const M = 2");
  CHECK(d.statements[1].after.empty());
  CHECK(d.statements[2].after == "buffer B : L2 (size=64)");
  CHECK((d.changed == 1 && d.removed == 1 && d.added == 1 && d.unchanged == 1));
}

TEST_CASE("nem/diff: the counts add up, whatever the order", "[inspect_nem]") {
  for (const auto& [before, after] :
       {std::pair<std::string_view, std::string_view>{"abcdefgh", "hgfedcba"},
        {"abcd", "bcda"},
        {"", "abc"},
        {"abc", ""},
        {"abcdef", "xabcyefz"},
        {"ab", "ba"}}) {
    CAPTURE(before, after);
    const inspect::program_difference d = diff(constants(before), constants(after));
    CHECK(d.removed + d.changed + d.unchanged == before.size());
    CHECK(d.added + d.changed + d.unchanged == after.size());
    CHECK(d.statements.size() == d.added + d.removed + d.changed);
  }
  // What moved is removed in one place and added in another.
  const inspect::program_difference moved = diff(constants("abcd"), constants("bcda"));
  CHECK((moved.unchanged == 3 && moved.added == 1 && moved.removed == 1));
}

TEST_CASE("nem/diff: equal statements around what is unique", "[inspect_nem]") {
  const std::string loop = "loop i in [0..3]:\nendloop\n";
  const inspect::program_difference d =
      diff(loop + "const a = 1\n" + loop, loop + loop + "const a = 1\n" + loop);
  CHECK((d.added == 2 && d.removed == 0 && d.changed == 0 && d.unchanged == 5));
}
