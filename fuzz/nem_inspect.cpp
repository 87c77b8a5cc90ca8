// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What is shown of NEM texts: symbols and their uses lie in the text, and each use leads to what
// declares it; statements are found by their nodes, in their order; traces and pages are JSON and UTF-8,
// whatever the text is.

#include <string_view>
#include <tessera/core/json.hpp>
#include <tessera/inspect/nem/device.hpp>
#include <tessera/inspect/nem/statements.hpp>
#include <tessera/inspect/nem/symbols.hpp>
#include <tessera/inspect/nem/timeline_trace.hpp>
#include <tessera/inspect/page.hpp>
#include <tessera/inspect/page_of.hpp>
#include <tessera/nem.hpp>
#include <tessera/vm/nem.hpp>
#include <tessera/vm/nem_timing.hpp>
#include <utility>

#include "mutate_nem.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

void check_symbols(std::string_view source) {
  const nem::model d = inspect::read_partly(source);
  const inspect::nem_symbols all(d, source);
  for (const inspect::nem_symbol& s : all.symbols())
    fuzz::require(s.name.end() <= source.size() && s.node < d.nodes.size() && !name(s.kind).empty(),
                  "a symbol is in its text");
  std::uint32_t before = 0;
  for (const inspect::nem_name& n : all.names()) {
    fuzz::require(n.where.offset >= before && n.where.end() <= source.size(), "names are in order");
    before = n.where.offset;
    fuzz::require(all.at(n.where.offset) != nullptr, "a name is found at its offset");
    if (n.symbol == nem::no_index) continue;
    fuzz::require(n.symbol < all.symbols().size(), "a name has a symbol");
    const inspect::nem_symbol& s = all.symbols()[n.symbol];
    fuzz::require(source.substr(s.name.offset, s.name.length) ==
                      source.substr(n.where.offset, n.where.length),
                  "a use is written as its declaration");
  }
  for (const std::uint32_t s : all.visible(d, static_cast<std::uint32_t>(source.size() / 2)))
    fuzz::require(s < all.symbols().size(), "what is visible is a symbol");
}

void check_statements(const nem::model& d, std::string_view source) {
  const inspect::task_statements tasks(d, source);
  for (const inspect::task_statement& s : tasks.all()) {
    fuzz::require(tasks.find(s.node) == &s, "a statement is found by its node");
    fuzz::require(s.line == locate(source, d.nodes[s.node].offset).line, "on its line");
    for (const std::uint32_t loop : tasks.loops(s))
      fuzz::require(loop < s.node && d.nodes[loop].kind == nem::node_kind::loop, "in its loops");
  }
}

void check_timeline(const nem::program& p, std::string_view source) {
  vm::nem::machine machine(p, {.max_memory = 1 << 18});
  inspect::timeline_recorder seen(p, source);
  vm::nem::timing_profile costs;
  (void)costs.set(source.substr(0, source.find_first_of(" \n")), 3);
  fuzz::require(costs.set("bandwidth", 1 + source.size() % 8), "costs are set by their names");
  vm::nem::timeline when(p, costs, seen);
  (void)machine.run(nullptr, &when, {1 << 18, 1 << 18});
  text trace, csv, report;
  seen.append_trace(trace, when.report());
  json::reader in(trace);
  in.skip();
  fuzz::require(in.finish().code == errc::ok, "a trace is JSON");
  seen.append_csv(csv);
  inspect::append_json(report, when.report());
  json::reader of(report);
  of.skip();
  fuzz::require(of.finish().code == errc::ok, "a report is JSON");
}

void check_page(const inspect::page& p) {
  const text page = inspect::html(p);
  fuzz::require(is_utf8(page), "a page is UTF-8");
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_nem)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  fuzz::turns turn(source);
  if (turn.one_in(2)) check_symbols(source);
  (void)inspect::opcodes_of(source.substr(0, 12));
  result<nem::model> d = nem::read(source);
  if (!d) return 0;
  if (turn.one_in(4)) check_statements(*d, source);
  if (!turn.one_in(4)) return 0;
  const nem::model before = *d;
  report found;
  nem::verify_options options;
  options.max_instances = 200;
  options.hazard_steps = 2000;
  const result<nem::program> p = nem::verify(std::move(*d), options, &found);
  if (turn.one_in(16)) check_page(inspect::page_of(p ? &*p : nullptr, source, &found));
  if (!p) return 0;
  if (turn.one_in(16)) check_page(inspect::page_of_difference(before, *p, source, &found));
  for (const nem::device& device : p->catalog().devices) {
    const inspect::device_summary facts(p->catalog(), device);
    fuzz::require(facts.variants.size() <= 10000, "a device has its variants");
    fuzz::require(p->catalog().characteristic(device, nem::unit::none, source.substr(0, 5), 7) == 7,
                  "what isn't there is as it is asked for");
  }
  if (turn.one_in(4)) check_timeline(*p, source);
  return 0;
}
