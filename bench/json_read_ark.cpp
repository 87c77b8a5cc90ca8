// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ark::read against the readers of ark_peers.hpp, all filling the same graph. `plain` is ours
// without the fast path. `verify` is what verification takes, `hazards` the same with rule G14.

#include <cstdint>
#include <memory>
#include <string>
#include <tessera/ark.hpp>

#include "ark_generate.hpp"
#include "ark_peers.hpp"
#include "fuzz/ark_paths.hpp"
#include "ratios.hpp"

namespace {

using namespace tessera;

/// Registers one contender, which reads `source`.
template <class Read>
void add(const std::string& name, std::size_t size, Read read) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    for (auto _ : state) {
      ark::model g = read();
      benchmark::DoNotOptimize(g.nodes.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
  });
}

/// Registers verification as one, which should take no longer than reading.
void add_verify(const std::string& name, const std::shared_ptr<std::string>& source, bool hazards) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    result<ark::model> g = ark::read(*source);
    for (auto _ : state) {
      tessera::report found;
      result<ark::program> p =
          ark::verify(std::move(*g), {.hazards = hazards, .source = *source}, &found);
      bench::require(static_cast<bool>(p), name + ": isn't valid");
      *g = std::move(*p).release();
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(source->size()));
  });
}

/// The text with more after each of these.
[[nodiscard]] std::string with(std::string_view more, std::string_view after,
                               std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = text.find(after, at);
    const std::size_t end = found == std::string_view::npos ? text.size() : found + after.size();
    out += text.substr(at, end - at);
    if (end != text.size()) out += more;
    at = end;
  }
  return out;
}

/// `known` is the same without members that the peers don't know; empty where there are none.
void add_case(const std::string& name, std::string text, bool ordered, bool measure,
              const std::string& known = {}) {
  const auto source = std::make_shared<std::string>(std::move(text));
  const auto padded = std::make_shared<simdjson::padded_string>(*source);
  const auto parser = std::make_shared<bench::ondemand::parser>();
  const auto ours_by = [source](ark::read_path path) {
    return [source, path] {
      result<ark::model> read = ark::read(*source, {.path = path});
      return *std::move(read);
    };
  };
  const auto best = ours_by(ark::read_path::best), plain = ours_by(ark::read_path::plain);
  const auto on_demand = [padded, parser, ordered] {
    return bench::read_on_demand(*parser, *padded, ordered);
  };
  bench::require(fuzz::same_graph(plain(), best()), name + ": the plain path reads another graph");
  const ark::model expected = known.empty() ? best() : *ark::read(known);
  bench::require(fuzz::same_graph(on_demand(), expected, false),
                 name + ": On-Demand reads another graph");
  if (measure) {
    add(name + "/tessera", source->size(), best);
    add(name + "/plain", source->size(), plain);
    add(name + "/simdjson", source->size(), on_demand);
    if (ark::verify(best())) {  // Ids of `long` are others than the references to them
      add_verify(name + "/verify", source, false);
      add_verify(name + "/hazards", source, true);
    }
    std::printf("%s: %zu bytes, graph %.2f of it\n", name.c_str(), source->size(),
                static_cast<double>(expected.memory()) / static_cast<double>(source->size()));
  }
#if defined(TESSERA_BENCH_NLOHMANN)
  if (source->size() > 20'000'000) return;
  const auto nlohmann = [source] { return bench::read_nlohmann_graph(*source); };
  bench::require(fuzz::same_graph(nlohmann(), expected, false),
                 name + ": nlohmann reads another graph");
  if (measure) add(name + "/nlohmann", source->size(), nlohmann);
#endif
}

}  // namespace

void bench::add_cases(bool quick) {
  const struct {
    const char* name;
    ark_recipe recipe;
  } models[] = {{"small", {.layers = 2, .heads = 4, .ranks = 2}},
                {"10MB", {.heads = 36, .ranks = 2}},
                {"45MB", {.heads = 44, .batch = 4, .ranks = 2}}};
  const struct {
    const char* name;
    ark_style style;
  } styles[] = {{"compact", {spread::compact}},
                {"spaced", {spread::spaced}},
                {"ark", {spread::ark}},
                {"deep", {spread::deep}},
                {"compact_sorted", {spread::compact, key_order::sorted}},
                {"compact_reversed", {spread::compact, key_order::reversed}},
                {"ark_sorted", {spread::ark, key_order::sorted}},
                {"ark_reversed", {spread::ark, key_order::reversed}}};
  for (const auto& model : models) {
    if (quick && model.recipe.layers > 2) continue;
    const ark::model g = ark_transformer(model.recipe);
    for (const auto& style : styles)
      add_case(std::string(model.name) + "/" + style.name, ark_text(g, style.style),
               style.style.order == key_order::natural, !quick);
    const std::string name = std::string(model.name) + "/", text = ark_text(g);
    add_case(name + "escaped", with("\\u005f", "\"Name\":\"", text), true, !quick);
    add_case(name + "long", with("12345678901234", "}}},{\"Id\":", text), true, !quick);
    add_case(name + "members", with("\"Line\":12,", "\"Op\":{", text), true, !quick, text);
  }
}

int main(int count, char** arguments) {
  return bench::main(count, arguments, [](const std::string& path) {
    const std::string text = bench::content_of(path);
    bench::require(static_cast<bool>(ark::read(text)), path + ": no ARK model");
    add_case(bench::name_of(path), text, true, true);
  });
}
