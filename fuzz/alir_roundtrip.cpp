// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What was read can be written in every version and read again. Through JSON nothing is lost but that
// a table had no spec; through bytecode types, tables and operations stay, and every second writing
// is the first.

#include <tessera/alir.hpp>
#include <tessera/core/bytes.hpp>
#include <utility>
#include <vector>

#include "alir_any.hpp"
#include "mutate_json.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

/// The two models are equal, but for the specs that the writer had to make up for `before`.
[[nodiscard]] bool same(alir::model before, alir::model after) {
  if (before.tables.size() != after.tables.size()) return false;
  for (std::size_t i = 0; i < before.tables.size(); ++i) {
    alir::lookup_table& a = before.tables[i];
    const alir::lookup_table& b = after.tables[i];
    if (a.has_spec && hash(before, a) != hash(after, b)) return false;
    a.hash_first = b.hash_first;
    a.hash_size = b.hash_size;
    if (a.has_spec) continue;
    a.has_spec = b.has_spec;
    a.spelled = b.spelled;
    a.out_qint = b.out_qint;
    a.inp_width = b.inp_width;
  }
  before.hashes = after.hashes;
  return before == after;
}

/// What may be wrong with a model that was read when it is to be written in a version.
[[nodiscard]] bool is_refusal(errc e, std::int32_t from, std::int32_t version) {
  if (e == errc::alir_not_finite) return true;
  // The spec of a table and rewriting need types, which an unproven model may not have.
  if (e == errc::alir_interval || e == errc::alir_step || e == errc::alir_width) return true;
  if (version == 2 && e == errc::alir_not_version_2) return true;
  if (version == 3 && e == errc::alir_not_version_3) return true;
  // Operands, as verify() would say: what is rewritten relies on them.
  if (version < 4 && from > 2 && (e == errc::alir_id0 || e == errc::alir_sum_terms)) return true;
  // Versions 3 and 4 have no place for what only a wrong version 2 row has.
  return version > 2 && from == 2 &&
         (e == errc::alir_unused_id0 || e == errc::alir_unused_id1 || e == errc::alir_condition ||
          e == errc::alir_sub_operation);
}

void check_json(const alir::model& m, std::int32_t version) {
  const result<text> written = alir::write_json(m, version);
  if (!written) {
    fuzz::require(is_refusal(written.error().code, m.spec_version, version),
                  "JSON refuses what the version has no form for, and nothing else");
    return;
  }
  const fuzz::exact source(written->view());
  const result<alir::model> again = alir::read_json(source.text());
  fuzz::require(static_cast<bool>(again), "written JSON reads");
  fuzz::require(again->spec_version == version, "JSON is of the version asked for");
  const result<alir::model> as = alir::to_version(m, version);
  fuzz::require(static_cast<bool>(as), "what can be written can be converted");
  fuzz::require(same(version == m.spec_version ? m : *as, *again),
                "written JSON reads as the same model");
  if (version == m.spec_version) {
    const text first = alir::print(m), second = alir::print(*again);
    fuzz::require(first.view() == second.view(), "equal models print alike");
  }
  const result<text> rewritten = alir::write_json(*again);
  fuzz::require(rewritten && rewritten->view() == written->view(), "JSON is written byte for byte");
}

[[nodiscard]] result<text> as_bytecode(const alir::model& m, std::int32_t version = 0) {
  return alir::write(m, {.encoding = alir::encoding::bytecode, .version = version});
}

void check_bytecode(const alir::program& p, std::int32_t version) {
  const result<text> written = as_bytecode(p.model(), version);
  if (!written) {
    const errc e = written.error().code;
    fuzz::require(e == errc::alir_bytecode_range || e == errc::alir_not_version_2 ||
                      e == errc::alir_not_version_3,
                  "bytecode refuses what the version has no form for, and nothing else");
    return;
  }
  const fuzz::exact source(written->view());
  result<alir::model> again = alir::read_bytecode(source.bytes());
  fuzz::require(static_cast<bool>(again), "written bytecode reads");
  const result<alir::program> q = alir::verify(std::move(*again));
  fuzz::require(q && q->size() >= p.size(), "written bytecode verifies");
  for (std::size_t i = 0; i < p.size() && q->size() == p.size(); ++i) {
    fuzz::require(p.type(i) == q->type(i), "bytecode keeps types");
    if (p.op(i).code == alir::opcode::lookup)
      fuzz::require(p.base(i) == q->base(i), "bytecode keeps where tables start");
  }
  const result<text> rewritten = as_bytecode(q->model());
  fuzz::require(rewritten && rewritten->view() == written->view(),
                "bytecode is written byte for byte");
}

/// Words of this host read as those of a file do.
void check_words(const alir::program& p) {
  const auto words = alir::write_bytecode(p.model());
  if (!words) return;
  const result<text> written = as_bytecode(p.model(), 2);
  fuzz::require(written && fuzz::little_endian(*words) == written->view(), "words are a file's");
  const result<alir::model> from_file = alir::read_bytecode(written->view());
  const result<alir::model> from_words = alir::read_bytecode(std::span<const std::int32_t>(*words));
  fuzz::require(from_words && from_file && *from_words == *from_file, "words read as bytes do");
}

/// Bytecode that was read is written as it was, but for what says nothing in version 2: the firmware
/// version, and the high word of a shift.
void check_own_bytes(std::string_view source, const alir::program& p) {
  result<text> written = as_bytecode(p.model());
  fuzz::require(written && written->size() == source.size(), "bytecode is written as it was read");
  std::string own(written->view());
  if (p.model().spec_version == 2) {
    const std::size_t rows = 24 + 4 * p.model().inp_shifts.size() + 12 * p.model().out_idxs.size();
    const auto take = [&](std::size_t at) { own.replace(at, 4, source.substr(at, 4)); };
    take(4);
    for (std::size_t i = 0; i < p.size(); ++i)
      if (const alir::opcode c = p.op(i).code;
          c == alir::opcode::add || c == alir::opcode::subtract)
        take(rows + 32 * i + 16);
  }
  fuzz::require(own == source, "bytecode is written as it was read");
}

void check_detected(std::string_view source, const result<alir::model>& m) {
  const alir::encoding form = alir::detect(source);
  const result<alir::model> detected = alir::read(source);
  fuzz::require((form == alir::encoding::json) == fuzz::starts_json(source) || (!m && !detected),
                "the first bytes show the encoding");
  fuzz::require(static_cast<bool>(m) == static_cast<bool>(detected) && (!m || *m == *detected),
                "what is detected is read the same");
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  fuzz::turns turn(source);
  result<alir::model> m = fuzz::read_any(source);
  if (turn.one_in(16)) check_detected(source, m);
  if (!m) return 0;
  for (const std::int32_t version : {2, 3, 4})
    if (turn.one_in(24)) check_json(*m, version);
  if (!turn.one_in(4)) return 0;
  const result<alir::program> p = alir::verify(std::move(*m));
  if (!p) return 0;
  for (const std::int32_t version : {2, 3, 4})
    if (turn.one_in(6)) check_bytecode(*p, version);
  if (turn.one_in(8)) check_words(*p);
  if (!fuzz::starts_json(source) && turn.one_in(4)) check_own_bytes(source, *p);
  return 0;
}
