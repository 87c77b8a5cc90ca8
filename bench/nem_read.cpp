// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NEM text into its syntax tree, names interned: against a PEGTL grammar whose actions make the same
// tree, node for node. And verification of the same program, in times of reading it.

#include <memory>
#include <string>
#include <tessera/nem.hpp>
#include <utility>

#include "nem_generate.hpp"
#include "nem_pegtl.hpp"
#include "ratios.hpp"

namespace {

using namespace tessera;

bool same(const nem::model& a, const nem::model& b) {
  if (a.nodes.size() != b.nodes.size() || !(a.names == b.names) ||
      !(a.characters == b.characters) || !(a.integers == b.integers) || !(a.reals == b.reals))
    return false;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const nem::node &x = a.nodes[i], &y = b.nodes[i];
    if (x.kind != y.kind || x.detail != y.detail || x.length != y.length || x.offset != y.offset ||
        x.value != y.value || x.next != y.next)
      return false;
  }
  return true;
}

void add_case(const std::string& name, std::string text) {
  const auto source = std::make_shared<std::string>(std::move(text));
  {
    auto ours = nem::read(*source);
    bench::require(static_cast<bool>(ours), name + ": nem::read refuses it");
    bench::require(same(*ours, bench::read_with_pegtl(*source)), name + ": the trees differ");
    tessera::report found;
    const auto program = nem::verify(std::move(*ours), {}, &found);
    bench::require(program && found.diagnostics.empty(), name + ": not without findings");
  }
  const auto megabytes = static_cast<double>(source->size());
  bench::add_contender(name + "/read/tessera", source, "bytes", megabytes,
                       [](const std::string& s) { benchmark::DoNotOptimize(nem::read(s)); });
  bench::add_contender(name + "/read/pegtl", source, "bytes", megabytes, [](const std::string& s) {
    benchmark::DoNotOptimize(bench::read_with_pegtl(s));
  });
  const auto document = std::make_shared<nem::model>(std::move(*nem::read(*source)));
  struct both {
    std::shared_ptr<std::string> source;
    std::shared_ptr<nem::model> document;
  };
  const auto shared = std::make_shared<both>(both{source, document});
  bench::add_contender(name + "/verify/tessera", shared, "bytes", megabytes, [](const both& b) {
    nem::model copy = *b.document;
    benchmark::DoNotOptimize(nem::verify(std::move(copy)));
  });
  bench::add_contender(name + "/verify/read", shared, "bytes", megabytes,
                       [](const both& b) { benchmark::DoNotOptimize(nem::read(*b.source)); });
}

}  // namespace

void bench::add_cases(bool quick) {
  if (quick) return add_case("nem_20k", nem_program(20'000));
  add_case("nem_200k", nem_program(200'000));
  add_case("nem_8m", nem_program(8'000'000));
}

int main(int count, char** arguments) {
  return bench::main(count, arguments, [](const std::string& path) {
    add_case(bench::name_of(path), bench::content_of(path));
  });
}
