// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// alir::read_bytecode in both of its forms, and all that takes an unproven model: for any bytes a
// value or an error with an offset inside; no proper prefix is a model; words read as bytes do.

#include <cstring>
#include <tessera/alir.hpp>
#include <tessera/core/bytes.hpp>
#include <tessera/core/describe.hpp>
#include <vector>

#include "require.hpp"

using namespace tessera;

namespace {

/// The words of this host read like the bytes of a file, unless those are in the byte form.
void check_words(bytes source, const result<alir::model>& m) {
  if (std::endian::native != std::endian::little || source.size() % 4 != 0) return;
  if (as_text(source).starts_with("ALIR")) return;
  std::vector<std::int32_t> words(source.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), source.data(), source.size());
  const result<alir::model> w = alir::read_bytecode(std::span<const std::int32_t>(words));
  fuzz::require(static_cast<bool>(w) == static_cast<bool>(m), "words read when bytes do");
  fuzz::require(w.error() == m.error(), "words fail as bytes do");
  if (w) fuzz::require(*w == *m, "words read as bytes do");
}

void check_limits(bytes source, const result<alir::model>& m) {
  const result<alir::model> low = alir::read_bytecode(source, {.max_items = 4});
  if (low) {
    fuzz::require(m && *low == *m, "what lower limits accept reads the same");
  } else {
    fuzz::require_error(low.error(), source.size());
    if (low.error().code != errc::too_many_items)
      fuzz::require(low.error() == m.error(), "lower limits add only errors of their own");
  }
}

void check_prefix(bytes source) {
  const fuzz::exact prefix(source.first(fuzz::below(as_text(source), source.size())));
  const result<alir::model> cut = alir::read_bytecode(prefix.bytes());
  fuzz::require(!cut, "a proper prefix is an error");
  fuzz::require_error(cut.error(), prefix.bytes().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bytes source = as_bytes(fuzz::as_text(data, size));
  fuzz::turns turn(as_text(source));
  result<alir::model> m = alir::read_bytecode(source);
  if (turn.one_in(16)) check_words(source, m);
  if (turn.one_in(16)) check_limits(source, m);
  if (!m) {
    fuzz::require_error(m.error(), size);
    if (turn.one_in(32))
      fuzz::require(!describe(m.error(), source).empty(), "every error can be described");
    return 0;
  }
  if (turn.one_in(16)) check_prefix(source);
  if (turn.one_in(64)) (void)alir::print(*m);
  for (const std::int32_t version : {2, 3, 4}) {  // of models that verify() refuses too
    if (turn.one_in(64)) (void)alir::write_json(*m, version);
    if (turn.one_in(64))
      (void)alir::write(*m, {.encoding = alir::encoding::bytecode, .version = version});
  }
  if (!turn.one_in(8)) return 0;
  report found;
  const result<alir::program> p = alir::verify(std::move(*m), {}, &found);
  if (!p) {
    fuzz::require_error(p.error(), size);
    fuzz::require(!describe(p.error(), source).empty(), "every error can be described");
  }
  fuzz::require_report(found, p.error(), {"fuzz", as_text(source), true});
  return 0;
}
