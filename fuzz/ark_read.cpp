// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ark::read, and all that takes an unproven graph: for any text a value or an error with an offset
// inside, the same one every time and by every path; no proper prefix of a model is a model.

#include <string>
#include <tessera/ark.hpp>
#include <tessera/core/bytes.hpp>
#include <tessera/core/describe.hpp>

#include "ark_paths.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

/// Lower limits refuse more, change nothing about what they accept, and hide no other error.
void check_limits(std::string_view source, const result<ark::model>& g) {
  const result<ark::model> low = ark::read(source, {.limit = {.max_items = 4, .max_depth = 9}});
  if (low) {
    fuzz::require(g && ark::print(*low) == ark::print(*g),
                  "what lower limits accept reads the same");
    return;
  }
  fuzz::require_error(low.error(), source.size());
  const errc code = low.error().code;
  if (code == errc::too_many_items || code == errc::json_depth) return;
  fuzz::require(low.error() == g.error(), "lower limits add only errors of their own");
}

void check_prefix(std::string_view source) {
  const std::size_t kept = fuzz::below(source, source.size());
  if (source.find_first_not_of(" \t\r\n", kept) == std::string_view::npos) return;
  const fuzz::exact prefix(source.substr(0, kept));
  const result<ark::model> g = ark::read(prefix.text());
  fuzz::require(!g, "a proper prefix is an error");
  fuzz::require_error(g.error(), kept);
}

/// White space in front moves offsets and nothing else.
void check_moved(std::string_view source, const ark::model& g) {
  const std::string moved = " " + std::string(source);
  if (const result<ark::model> same = ark::read(moved); source.substr(0, 1) != "\xef")
    fuzz::require(same && ark::print(*same) == ark::print(g), "white space changes nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact copy(fuzz::as_text(data, size));
  const std::string_view source = copy.text();
  fuzz::turns turn(source);
  if (turn.one_in(32))
    fuzz::require(
        fuzz::paths_agree(source) && fuzz::paths_agree(source, {.max_items = 4, .max_depth = 9}),
        "all paths through the nodes read the same");
  result<ark::model> g = ark::read(source);
  if (turn.one_in(16)) check_limits(source, g);
  if (!g) {
    fuzz::require_error(g.error(), size);
    if (turn.one_in(16))
      fuzz::require(!describe(g.error(), source).empty(), "every error can be described");
    return 0;
  }
  if (turn.one_in(16)) check_prefix(source);
  if (turn.one_in(4)) fuzz::require(ark::check(*g) == error{}, "what was read is a graph");
  if (turn.one_in(32)) fuzz::require(!ark::print(*g).empty(), "every graph can be printed");
  if (turn.one_in(32)) check_moved(source, *g);
  if (!turn.one_in(4)) return 0;
  tessera::report found;
  const result<ark::program> p = ark::verify(std::move(*g), {.source = source}, &found);
  if (!p) {
    fuzz::require_error(p.error(), size);
    fuzz::require(!describe(p.error(), source).empty(), "every error can be described");
  }
  return 0;
}
