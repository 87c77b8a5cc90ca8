// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <string>
#include <string_view>
#include <tessera/core/suggest.hpp>
#include <tessera/nem/format.hpp>

#include "support/catch.hpp"

using namespace tessera;

namespace {

std::string_view one(std::string_view word, std::string_view candidate) {
  suggestion s(word);
  s.offer(candidate);
  return s.word();
}

}  // namespace

TEST_CASE("nem/suggest: each kind of step, within the tables", "[nem]") {
  CHECK(nearest("rleu", nem::opcode_table) == "relu");        // two swapped
  CHECK(nearest("reluu", nem::opcode_table) == "relu");       // one too many
  CHECK(nearest("reshap", nem::opcode_table) == "reshape");   // one missing
  CHECK(nearest("softmix", nem::opcode_table) == "softmax");  // one replaced
  CHECK(nearest("cstl", nem::unit_names) == "CSTL");          // only the case differs
  CHECK(nearest("read_only", nem::decorator_table) == "readonly");
  CHECK(nearest("max_inflight", nem::decorator_table) == "max_in_flight");
  CHECK(nearest("stride", nem::attribute_table) == "strides");
  CHECK(nearest("GPU", nem::unit_names) == "VPU");
  CHECK(nearest("matrixmultiply", nem::opcode_table).empty());
  CHECK(nearest("", nem::opcode_table).empty());
  static_assert(nearest("transpos", nem::opcode_table) == "transpose");
}

TEST_CASE("nem/suggest: at most a third of the longer word", "[nem]") {
  CHECK(one("ab", "abc") == "abc");  // 1 of 3
  CHECK(one("ab", "ac").empty());    // 1 of 2
  CHECK(one("abcdef", "abcdxy") == "abcdxy");
  CHECK(one("abcdef", "abcxyz").empty());
  CHECK(one("AB", "ab") == "ab");
  CHECK(one("abcdef", "").empty());
}

TEST_CASE("nem/suggest: the nearest one, and of equal ones the first", "[nem]") {
  suggestion s("npm_lite_v3");
  s.offer("npm_lite_v12");
  CHECK(s.word() == "npm_lite_v12");
  s.offer("npm_lite_v1");
  CHECK(s.word() == "npm_lite_v1");
  s.offer("npm_lite_v2");
  CHECK(s.word() == "npm_lite_v1");
  s.offer("NPM_lite_v3");
  s.offer("npm_lite_v3");
  CHECK(s.word() == "NPM_lite_v3");
}

TEST_CASE("nem/suggest: words of 32 characters and longer", "[nem]") {
  const std::string longest(32, 'a'), longer(33, 'a');
  CHECK(one(longest, longest) == longest);
  CHECK(one(std::string(31, 'a'), longest) == longest);
  CHECK(one(longer, longer).empty());
  CHECK(one(longer, longest).empty());
  CHECK(one(longest, longer).empty());
}
