// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Plans: for any text a plan or an error with an offset inside; what is written reads back and is
// written the same again; verification, with and without a model, returns, and says the same with
// and without the text; a plan's model is one that verify() and write() take; a timeline has no more
// tiles than work, and its trace is JSON; no proper prefix of a plan is a plan.

#include <string_view>
#include <tessera/ark.hpp>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json.hpp>
#include <tessera/inspect/ark/plan_timeline.hpp>
#include <utility>

#include "mutate_json.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

void check_written(const ark::plan& p) {
  for (const bool pretty : {true, false}) {
    const result<text> first = ark::write_plan(p, {.pretty = pretty});
    fuzz::require(bool(first), "what was read can be written");
    const result<ark::plan> again = ark::read_plan(*first);
    fuzz::require(bool(again), "what was written can be read");
    const result<text> second = ark::write_plan(*again, {.pretty = pretty});
    fuzz::require(second && *second == *first, "what was written is written the same again");
    fuzz::require(ark::print(*again) == ark::print(p), "and printed the same");
  }
}

void check_report(const tessera::report& found, bool ok, std::string_view source) {
  fuzz::require(ok == (found.errors == 0), "errors and the answer agree");
  for (const tessera::diagnostic& d : found.diagnostics) {
    fuzz::require(d.where.offset <= source.size(), "diagnostics are inside the text");
    fuzz::require(found.text_of(d.path).substr(0, 1) == "$", "diagnostics have a path");
  }
}

void check_timeline(const ark::plan& p) {
  constexpr std::uint64_t work = 4096;
  const inspect::plan_timeline all(p, work);
  std::uint64_t tiles = 0;
  for (const inspect::plan_run& r : all.runs()) {
    tiles += r.tiles;
    fuzz::require(r.start < r.end && r.end <= all.end(), "tiles take time");
    fuzz::require(r.waited <= r.start, "and wait no longer than there was time");
  }
  fuzz::require(tiles <= work, "tiles are work");
  text trace;
  const ark::plan* const ranks[] = {&p};
  inspect::append_trace(trace, ranks, work);
  json::reader in(trace);
  (void)in.skip();
  fuzz::require(in.finish().code == errc::ok, "a trace is JSON");
}

void check_verified(const ark::plan& p, std::string_view source, fuzz::turns& turn) {
  tessera::report found, blind;
  const bool ok = ark::verify_plan(p, {.source = source}, &found).code == errc::ok;
  check_report(found, ok, source);
  if (turn.one_in(8)) {
    fuzz::require((ark::verify_plan(p, {}, &blind).code == errc::ok) == ok,
                  "the text changes no answer");
    fuzz::require(blind.diagnostics.size() == found.diagnostics.size(), "nor how much is found");
  }
  if (ok && turn.one_in(4)) check_timeline(p);
}

void check_model(const ark::plan& p, std::string_view source) {
  ark::model made = ark::plan_model(p);
  fuzz::require(bool(ark::write(made)), "a plan's model can be written");
  const result<ark::program> program = ark::verify(std::move(made));
  if (!program) return;
  tessera::report matched;
  const bool same =
      ark::verify_plan(p, {.model = &*program, .source = source}, &matched).code == errc::ok;
  check_report(matched, same, source);
  for (const tessera::diagnostic& d : matched.diagnostics)
    fuzz::require(d.code != errc::ark_plan_model, "a plan matches its own model");
}

void check_limits(std::string_view source, const result<ark::plan>& p) {
  const result<ark::plan> low = ark::read_plan(source, {.limit = {.max_items = 2, .max_depth = 9}});
  if (low) {
    fuzz::require(bool(p), "lower limits accept no more");
    return;
  }
  fuzz::require_error(low.error(), source.size());
}

void check_prefix(std::string_view source) {
  const std::size_t kept = fuzz::below(source, source.size());
  if (source.find_first_not_of(" \t\r\n", kept) == std::string_view::npos) return;
  const fuzz::exact prefix(source.substr(0, kept));
  const result<ark::plan> p = ark::read_plan(prefix.text());
  fuzz::require(!p, "a proper prefix is an error");
  fuzz::require_error(p.error(), kept);
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  fuzz::turns turn(source);
  const result<ark::plan> p = ark::read_plan(source);
  if (turn.one_in(16)) check_limits(source, p);
  if (!p) {
    fuzz::require_error(p.error(), size);
    return 0;
  }
  if (turn.one_in(4)) fuzz::require(ark::check(*p) == error{}, "what was read is a plan");
  if (turn.one_in(8)) check_written(*p);
  check_verified(*p, source, turn);
  if (turn.one_in(8)) check_model(*p, source);
  if (turn.one_in(16)) check_prefix(source);
  return 0;
}
