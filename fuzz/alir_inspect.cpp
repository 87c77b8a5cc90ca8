// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What is said about ALIR programs: every value of a run lies in its range, every example of a
// warning is one, a program doesn't differ from itself, and traces and pictures are made of all of
// it. What doesn't verify is the seed of a random program.

#include <algorithm>
#include <span>
#include <string_view>
#include <tessera/alir.hpp>
#include <utility>
#include <vector>

#include "alir_random.hpp"
#include "mutate_json.hpp"
#include "require.hpp"
#include "tessera/inspect/alir/diff.hpp"
#include "tessera/inspect/alir/dot.hpp"
#include "tessera/inspect/alir/lint.hpp"
#include "tessera/inspect/alir/ranges.hpp"
#include "tessera/inspect/alir/statistics.hpp"
#include "tessera/inspect/alir/trace.hpp"
#include "tests/vm/alir/naive.hpp"

using namespace tessera;
using inspect::alir_assumption;
using inspect::alir_range;
using inspect::alir_ranges;

namespace {

constexpr std::size_t samples = 4;

/// The values of each sample, up to a trap.
[[nodiscard]] std::vector<naive::evaluation> run(const alir::program& p,
                                                 std::span<const double> inputs) {
  const std::size_t n = inputs.size() / samples;
  std::vector<naive::evaluation> out;
  for (std::size_t s = 0; s < samples; ++s)
    out.push_back(naive::evaluate(p.model(), inputs.subspan(s * n, n)));
  return out;
}

void check_ranges(const alir::program& p, const std::vector<naive::evaluation>& runs) {
  const alir_ranges any(p), kept(p, alir_assumption::intervals);
  for (std::size_t i = 0; i < p.size(); ++i)
    fuzz::require(any[i].low <= any[i].high && kept[i].low <= kept[i].high, "ranges aren't empty");
  for (const naive::evaluation& e : runs) {
    bool promised = true;
    for (std::size_t i = 0; i < e.values.size(); ++i) {
      const std::int64_t v = e.values[i];
      fuzz::require(any[i].contains(v), "a value lies in its range");
      const bool is_input = p.op(i).code == alir::opcode::input;
      fuzz::require(!promised || is_input || kept[i].contains(v),
                    "a value lies in its range, as long as all before keep to their intervals");
      promised = promised && kept.declared(i).contains(v);
    }
  }
}

void check_lint(const alir::program& p, std::size_t seed) {
  report found;
  inspect::lint(p, found, {.max_diagnostics = 50, .seed = seed});
  fuzz::require(found.errors == 0 && found.diagnostics.size() <= 50, "a lint has no errors");
  const alir_ranges kept(p, alir_assumption::intervals);
  std::vector<inspect::alir_search> wanted;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (const alir_range d = kept.declared(i); !kept[i].within(d))
      wanted.push_back({i, d.low, d.high});
  const auto examples = inspect::find_examples(p, wanted, seed);
  fuzz::require(examples.size() == wanted.size(), "an answer for each question");
  for (std::size_t k = 0; k < std::min<std::size_t>(wanted.size(), 8); ++k) {
    if (!examples[k].found) continue;
    const naive::evaluation e = naive::evaluate(p.model(), examples[k].inputs);
    fuzz::require(e.values.size() > wanted[k].operation &&
                      e.values[wanted[k].operation] == examples[k].value &&
                      (examples[k].value < wanted[k].low || examples[k].value > wanted[k].high),
                  "an example is one");
  }
}

void check_trace(const alir::program& p, const std::vector<double>& inputs,
                 const std::vector<naive::evaluation>& runs) {
  inspect::alir_recorder seen(p, inputs, samples);
  (void)seen.run();
  std::size_t lines = 1;
  for (const naive::evaluation& e : runs) {
    lines += e.trap >= 0 ? static_cast<std::size_t>(e.trap) : p.size();
    if (e.trap >= 0) break;
  }
  text csv, table, json, vcd;
  seen.append_csv(csv);
  fuzz::require(
      static_cast<std::size_t>(std::count(csv.data(), csv.data() + csv.size(), '\n')) == lines,
      "a line for each operation, up to a trap");
  seen.append_table(table);
  seen.append_json(json);
  seen.append_vcd(vcd);
}

}  // namespace

TESSERA_FUZZ_PROGRAM_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  const std::size_t seed = fuzz::below(source, std::size_t{1} << 30);
  fuzz::turns turn(source);
  const auto p = fuzz::program_of(source, turn, [&] { return fuzz::random_model(seed, 80); });
  if (!p) return 0;
  if (p->size() > 4000) return 0;
  const std::vector<double> inputs = random_program::inputs(p->model(), seed, samples);
  const std::vector<naive::evaluation> runs = run(*p, inputs);
  if (turn.one_in(2)) check_ranges(*p, runs);
  if (turn.one_in(8)) check_lint(*p, seed);
  if (turn.one_in(8)) check_trace(*p, inputs, runs);
  if (turn.one_in(8)) {
    const inspect::alir_difference d = inspect::diff(*p, *p);
    fuzz::require(d.same() && d.unchanged == p->size(), "a program is the same as itself");
  }
  if (!turn.one_in(8)) return 0;
  const inspect::alir_statistics facts(*p);
  fuzz::require(facts.critical_path.size() <= std::size_t{facts.depth} + 1,
                "no path is longer than the longest");
  const bool fold = seed % 2 == 0;
  const text drawn = inspect::dot(inspect::draw(*p, inspect::alir_draw_options{fold, 100}));
  fuzz::require(!drawn.empty(), "a picture");
  return 0;
}
