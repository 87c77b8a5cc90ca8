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

/// The rows of a text of version 2 as version 4 has them.
[[nodiscard]] std::string as_version_4(const alir::model& m, std::string_view source) {
  const auto start = [&m](std::size_t i) {
    return static_cast<std::size_t>(m.source.ops[i].start);
  };
  std::string out(source.substr(0, start(0) - 1));
  std::size_t end = 0;  // of the row
  for (std::size_t i = 0; i < m.ops.size(); ++i) {
    const alir::operation& o = m.ops[i];
    std::string ids, data = std::to_string(o.data);
    if (o.code == alir::opcode::input) data = std::to_string(o.id0);
    if (o.code != alir::opcode::input && o.id0 >= 0) ids = std::to_string(o.id0);
    if (o.id1 >= 0) ids += ',' + std::to_string(o.id1);
    if (o.code == alir::opcode::mux) ids += ',' + data;
    switch (o.code) {
      case alir::opcode::quantize:
      case alir::opcode::mux: data = std::to_string(o.shift); break;
      case alir::opcode::add_constant: data += ',' + std::to_string(o.shift); break;
      case alir::opcode::bit_binary:
        data = std::to_string(o.shift) + ',' + std::to_string(o.data >> 24);
        break;
      case alir::opcode::negate:
      case alir::opcode::relu:
      case alir::opcode::multiply: data.clear(); break;
      default: break;
    }
    const std::size_t interval = source.find('[', start(i));
    end = source.find(']', source.find(']', interval) + 1) + 1;
    out += (i == 0 ? "[[" : ",[[") + ids + "]," + std::to_string(static_cast<int>(o.code)) + ",[" +
           data + "],";
    out += source.substr(interval, end - interval);
  }
  out += source.substr(end);
  out[out.rfind('2')] = '4';
  return out;
}

void add_case(const std::string& name, std::string text, bool measure, bool version_4 = false) {
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
  const auto on_demand = [padded, parser, version_4] {
    return bench::read_on_demand(*parser, *padded, version_4);
  };
  const alir::model expected = best();
  bench::require(portable() == expected, name + ": the portable path reads another model");
  bench::require(on_demand() == expected, name + ": On-Demand reads another model");
  if (measure) {
    add(name + "/tessera", source->size(), best);
    add(name + "/portable", source->size(), portable);
    add(name + "/simdjson", source->size(), on_demand);
  }
#if defined(TESSERA_BENCH_NLOHMANN)
  if (version_4) return;
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
        const result<text> written = alir::write_json(generate(r));
        require(static_cast<bool>(written), name(r) + ": can't be written");
        add_case(name(r), std::string(written->view()), !quick);
        add_case(name(r) + "_spaced", spaced(written->view()), !quick);
        const result<alir::model> read = alir::read_json(written->view());
        add_case(name(r) + "_v4", as_version_4(*read, written->view()), !quick, true);
      }
}

int main(int count, char** arguments) {
  return bench::main(count, arguments, [](const std::string& path) {
    const std::string text = bench::content_of(path);
    const result<alir::model> read = alir::read_json(text);
    bench::require(static_cast<bool>(read), path + ": no ALIR JSON");
    add_case(bench::name_of(path), text, true, read->spec_version != 2);
  });
}
