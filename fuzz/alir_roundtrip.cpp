// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What was read can be written and read again. Through JSON nothing is lost but that a table had no
// spec; through bytecode types, tables and operations stay, and every second writing is the first.

#include <tessera/alir.hpp>
#include <tessera/core/bytes.hpp>
#include <utility>
#include <vector>

#include "alir_any.hpp"
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

/// A listing after its first line, which names the version of the file.
[[nodiscard]] std::string_view body(const text& listing) {
  const std::string_view all = listing.view();
  return all.substr(all.find('\n') == std::string_view::npos ? all.size() : all.find('\n'));
}

void check_json(const alir::model& m) {
  const result<text> written = alir::write_json(m);
  if (!written) {
    const errc e = written.error().code;
    const bool no_form = e == errc::alir_not_version_2 || e == errc::alir_not_finite;
    // The spec of a table needs the type of its lookup, which an unproven model may not have.
    const bool no_type = e == errc::alir_interval || e == errc::alir_step || e == errc::alir_width;
    fuzz::require(no_form || no_type,
                  "JSON refuses what version 2 has no form for, and nothing else");
    return;
  }
  const fuzz::exact source(written->view());
  const result<alir::model> again = alir::read_json(source.text());
  fuzz::require(static_cast<bool>(again), "written JSON reads");
  fuzz::require(same(m, *again), "written JSON reads as the same model");
  const text first = alir::print(m), second = alir::print(*again);
  fuzz::require(body(first) == body(second), "equal models print alike");
  const result<text> rewritten = alir::write_json(*again);
  fuzz::require(rewritten && rewritten->view() == written->view(), "JSON is written byte for byte");
}

void check_bytecode(const alir::program& p) {
  const auto words = alir::write_bytecode(p.model());
  if (!words) {
    const errc e = words.error().code;
    fuzz::require(e == errc::alir_not_version_2 || e == errc::alir_bytecode_range,
                  "bytecode refuses what version 2 has no form for, and nothing else");
    return;
  }
  const fuzz::exact source(fuzz::little_endian(*words));
  result<alir::model> again = alir::read_bytecode(source.bytes());
  fuzz::require(static_cast<bool>(again), "written bytecode reads");
  const result<alir::model> from_words = alir::read_bytecode(std::span<const std::int32_t>(*words));
  fuzz::require(from_words && *from_words == *again, "words read as bytes do");
  const result<alir::program> q = alir::verify(std::move(*again));
  fuzz::require(q && q->size() == p.size(), "written bytecode verifies");
  for (std::size_t i = 0; i < p.size(); ++i) {
    fuzz::require(p.type(i) == q->type(i), "bytecode keeps types");
    if (p.op(i).code == alir::opcode::lookup)
      fuzz::require(p.base(i) == q->base(i), "bytecode keeps where tables start");
  }
  const auto rewritten = alir::write_bytecode(q->model());
  fuzz::require(rewritten && *rewritten == *words, "bytecode is written word for word");
}

/// Words that were read are written as they were, but for what says nothing: the firmware version,
/// and the high word of a shift.
void check_words(std::string_view source, const alir::program& p) {
  if (p.model().spec_version != 2 || source.size() < 24 || source.size() % 4 != 0) return;
  auto words = alir::write_bytecode(p.model());
  fuzz::require(words && words->size() * 4 == source.size(), "bytecode is written as it was read");
  const std::size_t rows = 6 + p.model().inp_shifts.size() + 3 * p.model().out_idxs.size();
  const auto original = [source](std::size_t i) {
    return load_le<std::int32_t>(source.data() + 4 * i);
  };
  (*words)[1] = original(1);
  for (std::size_t i = 0; i < p.size(); ++i)
    if (const alir::opcode c = p.op(i).code; c == alir::opcode::add || c == alir::opcode::subtract)
      (*words)[rows + 8 * i + 4] = original(rows + 8 * i + 4);
  fuzz::require(fuzz::little_endian(*words) == source, "bytecode is written as it was read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  result<alir::model> m = fuzz::read_any(source);
  if (!m) return 0;
  check_json(*m);
  const result<alir::program> p = alir::verify(std::move(*m));
  if (!p) return 0;
  check_bytecode(*p);
  if (!fuzz::starts_json(source)) check_words(source, *p);
  return 0;
}
