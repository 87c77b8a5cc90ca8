// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// alir::read_json against the readers of json_peers.hpp, all filling the same model. `portable` is
// ours without vector instructions.

#include <cstdint>
#include <memory>
#include <string>
#include <tessera/alir.hpp>

#include "generate.hpp"
#include "json_peers.hpp"
#include "ratios.hpp"

namespace {

using namespace tessera;

/// Registers one contender, which reads `source`.
template <class Read>
void add(const std::string& name, std::size_t size, Read read) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    for (auto _ : state) {
      alir::model m = read();
      benchmark::DoNotOptimize(m.ops.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
  });
}

/// The text with a space after each comma, as Python's json.dumps writes by default.
[[nodiscard]] std::string spaced(std::string_view source) {
  std::string out;
  for (const char c : source) {
    out += c;
    if (c == ',') out += ' ';
  }
  return out;
}

void add_case(const std::string& name, std::string text, bool measure, std::int32_t version = 2) {
  const auto source = std::make_shared<std::string>(std::move(text));
  const auto padded = std::make_shared<simdjson::padded_string>(*source);
  const auto parser = std::make_shared<bench::ondemand::parser>();
  const auto ours_by = [source](json::row_path path) {
    return [source, path] {
      result<alir::model> read = alir::read_json(*source, {}, path);
      return *std::move(read);
    };
  };
  const auto best = ours_by(json::row_path::best), portable = ours_by(json::row_path::portable);
  const auto on_demand = [padded, parser, version] {
    return bench::read_on_demand(*parser, *padded, version != 2);
  };
  alir::model expected = best();
  bench::require(portable() == expected, name + ": the portable path reads another model");
  // The others don't know which numbers were integers.
  for (alir::operation& o : expected.ops) o.spelled = 0;
  for (alir::lookup_table& t : expected.tables) t.spelled = 0;
  bench::require(on_demand() == expected, name + ": On-Demand reads another model");
  if (measure) {
    add(name + "/tessera", source->size(), best);
    add(name + "/portable", source->size(), portable);
    add(name + "/simdjson", source->size(), on_demand);
  }
#if defined(TESSERA_BENCH_NLOHMANN)
  if (version != 2) return;
  const auto nlohmann = [source] { return bench::read_nlohmann(*source); };
  bench::require(nlohmann() == expected, name + ": nlohmann reads another model");
  if (measure) add(name + "/nlohmann", source->size(), nlohmann);
#endif
}

}  // namespace

void bench::add_cases(bool quick) {
  for (const mix m : {mix::dense, mix::mixed})
    for (const std::size_t operations : {1000u, 4000u, 40000u, 180000u})  // 4000: about 200 KB
      for (const decimals d : {decimals::shortened, decimals::full}) {
        if (quick ? operations > 1000 : operations == 1000) continue;
        const recipe r{.mix = m, .operations = operations, .decimals = d};
        const alir::model made = generate(r);
        for (const std::int32_t version : {2, 3, 4}) {
          const result<text> written = alir::write_json(made, version);
          require(static_cast<bool>(written), name(r) + ": can't be written");
          const std::string stem = name(r) + (version == 2 ? "" : "_v" + std::to_string(version));
          add_case(stem, std::string(written->view()), !quick, version);
          if (quick || version == 2)
            add_case(stem + "_spaced", spaced(written->view()), !quick, version);
        }
      }
}

int main(int count, char** arguments) {
  return bench::main(count, arguments, [](const std::string& path) {
    const std::string text = bench::content_of(path);
    const result<alir::model> read = alir::read_json(text);
    bench::require(static_cast<bool>(read), path + ": no ALIR JSON");
    add_case(bench::name_of(path), text, true, read->spec_version);
  });
}
