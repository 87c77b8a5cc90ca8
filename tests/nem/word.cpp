// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tessera/nem/detail/syntax/lexer.hpp>
#include <tessera/nem/detail/syntax/read_names.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace tessera::nem;

TEST_CASE("nem/word: sixteen bytes at once are as each alone", "[nem]") {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool in_word = detail::is(c, detail::class_letter | detail::class_digit);
    const bool is_blank = detail::is(c, detail::class_blank);
    for (unsigned at = 0; at < 16; ++at) {
      char word[16], blanks[16];
      std::memset(word, 'a', 16);
      std::memset(blanks, ' ', 16);
      word[at] = blanks[at] = c;
      if (detail::word_bytes(word) != (in_word ? 16 : at) ||
          detail::blank_bytes(blanks) != (is_blank ? 16 : at))
        FAIL("byte " << byte << " at " << at);
    }
  }
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    detail::truth_lanes holds;
    for (unsigned i = 0; i < 16; ++i) holds[i] = (bits >> i & 1) != 0 ? -1 : 0;
    const auto count = static_cast<unsigned>(std::countr_one(bits));
    if (detail::leading(holds) != count || detail::leading_anywhere(holds) != count)
      FAIL("truths " << bits);
  }
}

TEST_CASE("nem/word: words of any size, anywhere before the end", "[nem]") {
  const std::string letters = "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  for (std::size_t size = 1; size <= letters.size(); ++size)
    for (std::size_t after = 0; after < 20; ++after) {
      const std::string source = letters.substr(0, size) + std::string(after, '.');
      const std::vector<char> exact(source.begin(), source.end());
      const detail::word w = detail::scan_word(exact.data(), exact.data() + exact.size());
      const std::string_view text(exact.data(), size);
      INFO(source);
      REQUIRE(w.text() == text);
      REQUIRE(w.key == detail::key_of(text));
      REQUIRE(w.more == (size > 8 ? detail::key_of(text.substr(8)) : 0));
    }
}

TEST_CASE("nem/word: reserved words and no others", "[nem]") {
  const auto of = [](std::string_view s) { return detail::keyword_of(detail::word_of(s)); };
  CHECK(of("let") == detail::keyword::let);
  CHECK(of("type_family") == detail::keyword::type_family);
  CHECK(of("spec_version") == detail::keyword::upstream);
  CHECK(of("f16") == detail::keyword::element);
  for (const std::string_view s :
       {"le", "lets", "Let", "type_familx", "type_family_", "s123", "region_of_sixteen", "x", ""})
    CHECK(of(s) == detail::keyword::none);
}

TEST_CASE("nem/word: names of all sizes are distinguished", "[nem]") {
  model d;
  detail::name_index names(d, 100);
  std::vector<std::string> all = {""};
  for (std::size_t size = 1; size < 40; ++size)
    for (std::size_t at = 0; at < size; ++at) {
      all.push_back(std::string(size, 'a'));
      all.back()[at] = 'b';
    }
  for (int i = 0; i < 3000; ++i) all.push_back("a_name_that_is_long_" + std::to_string(i));
  // Only the last character, of names that fill the table near each other.
  for (const std::string_view before : {"x", "y1", "z_letter", "z_letters", "n_of_fifteen_ch"})
    for (char last = 'A'; last <= 'z'; ++last) all.push_back(std::string(before) + last);
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      INFO(all[i]);
      REQUIRE(names.of_text(all[i]) == i);
      REQUIRE(d.name(i) == all[i]);
    }
}
