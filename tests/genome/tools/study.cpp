// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// 200 real architectures (tests/data/genome/study): how much exact compression keeps of what a
// compressor that loses inner results reaches with the same patterns.

#include <string>
#include <utility>

#include "genome/contiguous.hpp"
#include "genome/convert.hpp"
#include "genome/lossy_compress.hpp"
#include "genome/patterns.hpp"
#include "genome/reorder.hpp"
#include "genome/tools/registries.hpp"
#include "genome/tools/show.hpp"
#include "tessera/core/json.hpp"

namespace {

using namespace tessera;
using genome_tests::library_of;
using genome_tests::program_of;
using genomics::corpus;

[[nodiscard]] corpus read_study() {
  const std::string folder = TESSERA_TESTS_DATA_DIR "/genome/study/";
  const std::string registry = genome_tests::content_of(folder + "registry.json");
  const std::string signatures = genome_tests::content_of(folder + "signatures.json");
  result<genome::registry> r = genome::read_registry(registry);
  REQUIRE(r);
  const genome::library library = library_of(std::move(*r));
  corpus all;
  json::reader in(signatures);
  std::string_view name;
  for (in.object(); in.key(name);) {
    const std::string key(name);
    result<genome::stream> s = genome::read_base64(in.string());
    REQUIRE(s);
    REQUIRE(add_graph(all, key, program_of(std::move(*s), library)).code == errc::ok);
  }
  REQUIRE(in.finish().code == errc::ok);
  return all;
}

struct placed {
  std::size_t macros = 0, saved = 0, nodes = 0;
};
/// Macros of two nodes or more, and the nodes that they save.
void count(const genome::stream& s, const genome::library& l, placed& to) {
  to.nodes += s.size();
  for (const genome::node& n : s.nodes) {
    if (n.what() != genome::command::pattern) continue;
    const std::uint32_t size = l.flat_size(l.find_pattern(n.pattern_id()));
    to.macros += size > 1;
    to.saved += size - 1;
  }
}

struct comparison {
  placed lossy, exact, extended;  // `extended`: with patterns of one node where they pay
  std::size_t patterns = 0, added = 0;
};

[[nodiscard]] comparison compare(const corpus& all, const genomics::findings& found) {
  comparison out;
  result<genomics::signatures> made = signatures_of(all);
  REQUIRE(made);
  const genome::library none = library_of(made->registry);
  for (const std::uint32_t id : add_patterns(*made, all, found)) REQUIRE(id != 0);
  const std::size_t given = out.patterns = made->registry.patterns.size();
  const genome::library mined = library_of(made->registry);
  const genome::compressor by_mined(mined);
  graphs::lossy_compressor lossy(mined);
  genomics::missing_pattern_table table;
  for (const genome::stream& s : made->streams) {
    const genome::program flat = program_of(s, mined);
    count(*by_mined.run(flat), mined, out.exact);
    table.add(*by_mined.missing(flat));
    const genome::stream runs = *genome::compress(program_of(s, none));
    const graphs::lossy l = lossy.run(runs);
    out.lossy.macros += l.macros;
    out.lossy.saved += l.saved;
    out.lossy.nodes += l.rows.size();
  }
  genome::registry grown = made->registry;
  table.add_to(grown);
  out.added = grown.patterns.size() - given;
  const genome::library extended = library_of(std::move(grown));
  const genome::compressor by_extended(extended);
  for (const genome::stream& s : made->streams) {
    genome::stream small = *by_extended.run(program_of(s, extended));
    count(small, extended, out.extended);
    const auto back = genome::expand(program_of(std::move(small), extended));
    REQUIRE(back);
    REQUIRE(*back == s);
  }
  return out;
}

}  // namespace

TEST_CASE("genome/study: exact compression keeps 80 % of the macros that lossy compression has",
          "[genome_tools]") {
  const corpus all = read_study();
  const genomics::findings found = mine_contiguous(all, {.places = true});
  const comparison plain = compare(all, found);
  const genomics::reordered first = parameters_first(all, found);
  const comparison moved = compare(first.graphs, first.genes);
  for (const comparison* const c : {&plain, &moved}) {
    CAPTURE(c == &moved, c->patterns, c->added, c->lossy.macros, c->lossy.saved, c->lossy.nodes);
    CAPTURE(c->exact.macros, c->exact.saved, c->extended.macros, c->extended.saved,
            c->extended.nodes);
    CHECK(c->extended.macros * 100 >= c->lossy.macros * 80);
    CHECK(c->extended.saved * 100 >= c->lossy.saved * 80);
    CHECK(c->exact.macros <= c->extended.macros);
    CHECK(c->added < 700);
  }
  // The same graphs, in far fewer nodes: parameters aren't in the way.
  CHECK(plain.lossy.macros > 500);
  CHECK(moved.extended.macros > 3800);
  CHECK(moved.extended.saved > 65000);
}
