// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// alir::read_json, and all that takes an unproven model: for any text a value or an error with an
// offset inside, the same one every time; no proper prefix of a model is a model. Rows are read the
// same with and without json_rows.hpp.

#include <string>
#include <tessera/alir.hpp>
#include <tessera/core/bytes.hpp>
#include <tessera/core/describe.hpp>

#include "alir_paths.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

/// Lower limits refuse more, change nothing about what they accept, and hide no other error.
void check_limits(std::string_view source, const result<alir::model>& m) {
  const result<alir::model> low = alir::read_json(source, {.max_items = 4, .max_depth = 5});
  if (low) {
    fuzz::require(m && *low == *m, "what lower limits accept reads the same");
    return;
  }
  fuzz::require_error(low.error(), source.size());
  const errc code = low.error().code;
  const errc wide = m.error().code;
  if (code == errc::too_many_items || code == errc::json_depth) return;
  // A text that breaks off under lower limits can't be searched for its version any more.
  if (wide == errc::alir_version_1 || wide == errc::alir_version_unknown) return;
  fuzz::require(low.error() == m.error(), "lower limits add only errors of their own");
}

/// Rows in the last 512 bytes are left to the reader, so white space follows to move them up.
void check_paths(std::string_view source) {
  const std::string more = std::string(source) + std::string(600, ' ');
  const fuzz::exact padded(more);
  fuzz::require(fuzz::paths_agree(source), "every path reads the same");
  fuzz::require(fuzz::paths_agree(padded.text()), "every path reads the same before white space");
  fuzz::require(fuzz::paths_agree(padded.text(), {.max_items = 4, .max_depth = 5}),
                "every path reads the same within lower limits");
}

void check_prefix(std::string_view source) {
  const std::size_t kept = fuzz::below(source, source.size());
  if (source.find_first_not_of(" \t\r\n", kept) == std::string_view::npos) return;
  const fuzz::exact prefix(source.substr(0, kept));
  const result<alir::model> m = alir::read_json(prefix.text());
  fuzz::require(!m, "a proper prefix is an error");
  fuzz::require_error(m.error(), kept);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  fuzz::turns turn(source);
  result<alir::model> m = alir::read_json(source);
  if (turn.one_in(64)) check_paths(source);
  if (turn.one_in(16)) check_limits(source, m);
  if (!m) {
    fuzz::require_error(m.error(), size);
    if (turn.one_in(16))
      fuzz::require(!describe(m.error(), source).empty(), "every error can be described");
    return 0;
  }
  if (turn.one_in(16)) check_prefix(source);
  if (turn.one_in(32)) (void)alir::print(*m);
  for (const std::int32_t version : {2, 3, 4}) {  // of models that verify() refuses too
    if (turn.one_in(32)) (void)alir::write_json(*m, version);
    if (turn.one_in(32))
      (void)alir::write(*m, {.encoding = alir::encoding::bytecode, .version = version});
  }
  if (!turn.one_in(4)) return 0;
  report found;
  const result<alir::program> p = alir::verify(std::move(*m), {}, &found);
  if (!p) {
    fuzz::require_error(p.error(), size);
    fuzz::require(!describe(p.error(), source).empty(), "every error can be described");
  }
  fuzz::require_report(found, p.error(), {"fuzz", source, false});
  return 0;
}
