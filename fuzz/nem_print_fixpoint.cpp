// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// nem::print and nem::reformat: what they write reads again, and writing that changes nothing;
// reformat keeps every comment.

#include <tessera/core/bytes.hpp>
#include <tessera/core/json.hpp>
#include <tessera/nem.hpp>

#include "mutate_nem.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

/// The comments of a text without trailing blanks, joined.
[[nodiscard]] text comments_of(std::string_view s) {
  text out;
  bool quoted = false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (quoted) {
      if (c == '\\' && i + 1 < s.size())
        ++i;
      else if (c == '"')
        quoted = false;
      continue;
    }
    quoted = c == '"';
    if (c != '#') continue;
    std::size_t end = s.find('\n', i);
    if (end == s.npos) end = s.size();
    std::size_t last = end;
    while (last > i && (s[last - 1] == ' ' || s[last - 1] == '\t' || s[last - 1] == '\r')) --last;
    out << s.substr(i, last - i) << '\n';
    i = end;
  }
  return out;
}

void check_printed(const nem::model& d) {
  const text printed = nem::print(d);
  const result<nem::model> again = nem::read(printed);
  fuzz::require(static_cast<bool>(again), "printed text reads");
  fuzz::require(nem::print(*again) == printed, "printed text is a fixpoint");
}

void check_formatted(const nem::model& d, std::string_view source) {
  const text laid_out = nem::reformat(d, source);
  const result<nem::model> same = nem::read(laid_out);
  fuzz::require(static_cast<bool>(same), "formatted text reads");
  fuzz::require(nem::print(*same) == nem::print(d), "formatting changes no meaning");
  fuzz::require(nem::reformat(*same, laid_out) == laid_out, "formatted text is a fixpoint");
  fuzz::require(comments_of(laid_out) == comments_of(source), "formatting keeps comments");
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_nem)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  const result<nem::model> d = nem::read(source);
  if (!d) return 0;
  fuzz::turns turn(source);
  if (turn.one_in(2)) check_printed(*d);
  if (turn.one_in(2)) check_formatted(*d, source);
  if (!turn.one_in(16)) return 0;
  const text tree = nem::write_json(*d);
  limits deep;
  deep.max_depth = 100000;  // a sum of n numbers is n objects deep
  json::reader in(tree, deep);
  in.skip();
  fuzz::require(!in.failed(), "the tree is JSON");
  return 0;
}
