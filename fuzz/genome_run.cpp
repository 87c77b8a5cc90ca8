// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The machine of v1.2: a verified stream ends within its budgets, twice with the same result; so do
// its expansion and what that compresses to, wherever all of them end well.
//
// The input is a stream over the names of genome_names.hpp. Its pattern 10 is the nodes after the
// first <PAD>, where there are some.

#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/genome.hpp>
#include <tessera/vm/genome.hpp>
#include <utility>
#include <vector>

#include "genome_names.hpp"
#include "require.hpp"
#include "statistic.hpp"

using namespace tessera;

namespace {

constexpr std::uint64_t max_steps = 20000;
constexpr std::uint64_t max_memory = 1 << 18;

/// Values that depend on nothing but the number of what they are given to.
class given {
 public:
  explicit given(std::size_t number) {
    static const std::vector<std::int64_t> shapes[] = {{2, 3},       {3},    {3, 3},
                                                       {1, 2, 4, 4}, {1, 3}, {}};
    shape_ = shapes[number % 6];
    std::size_t count = 1;
    for (const std::int64_t extent : shape_) count *= static_cast<std::size_t>(extent);
    for (std::size_t i = 0; i < count; ++i) {
      floats_.push_back(static_cast<float>((i * 7 + number) % 5) - 1);
      integers_.push_back(static_cast<std::int64_t>((i + number) % 3));
    }
    is_integer_ = number % 4 == 3;
  }
  [[nodiscard]] vm::array_view view() const {
    if (is_integer_) return {shape_, std::span(integers_)};
    return {shape_, std::span(floats_)};
  }

 private:
  std::vector<std::int64_t> shape_;
  std::vector<float> floats_;
  std::vector<std::int64_t> integers_;
  bool is_integer_ = false;
};

struct ending {
  errc code = errc::ok;
  std::uint64_t steps = 0;
  std::string outputs;
};

[[nodiscard]] ending run(const genome::program& p) {
  vm::genome::machine m(p, {.max_memory = max_memory, .max_nodes = 2000});
  for (std::size_t i = 0; i < m.inputs() && i < 100; ++i) (void)m.set_input(i, given(i).view());
  for (const std::uint32_t id : m.parameters())
    if (!m.set_parameter(id, given(id).view()))
      fuzz::require(!m.set_parameter(p.library().parameter(id), given(id).view()),
                    "ids and names lead to one parameter");
  const vm::genome::outcome done = m.run({.max_steps = max_steps, .max_memory = max_memory});
  fuzz::require(done.steps <= max_steps, "steps are limited");
  fuzz::require(done.offset <= offset_of(p.stream(), p.stream().size()),
                "a run ends at one of the nodes");
  ending e{done.code, done.steps, {}};
  if (!done) return e;
  for (std::size_t i = 0; i < m.outputs(); ++i) {
    const vm::array_view x = m.output(i);
    for (const std::int64_t extent : x.shape) e.outputs += std::to_string(extent) + ",";
    e.outputs += std::to_string(static_cast<int>(x.type)) + ":";
    e.outputs += as_text(x.bytes);
  }
  return e;
}

/// The nodes after the first <PAD>, as pattern 10.
[[nodiscard]] result<genome::library> names_with(const genome::stream& pattern) {
  genome::registry r = fuzz::genome_names();
  r.add_pattern(10, pattern);
  return genome::verify(std::move(r), {.limit = {.max_items = 2000}});
}

void check_same(result<genome::stream> other, const genome::library& l, const ending& first,
                const char* law) {
  if (!other) return;
  const result<genome::program> p = genome::verify(*std::move(other), l);
  if (!p) return;  // in what can't be seen before: a node takes a pattern for several of its inputs
  const ending e = run(*p);
  if (e.code == errc::ok && first.code == errc::ok) fuzz::require(e.outputs == first.outputs, law);
}

[[nodiscard]] std::pair<genome::stream, genome::stream> split(const genome::stream& all) {
  std::pair<genome::stream, genome::stream> parts;
  bool is_pattern = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_pattern && all.nodes[i].what() == genome::command::pad) {
      is_pattern = true;
      continue;
    }
    (is_pattern ? parts.second : parts.first)
        .add(all.nodes[i], genome::stream_view(all).inputs_of(i));
  }
  return parts;
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_genome)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bytes source = as_bytes(fuzz::as_text(data, size));
  const result<genome::stream> all = genome::read(source, {.encoding = genome::encoding::bytes});
  if (!all) return 0;
  auto [nodes, pattern] = split(*all);
  static const result<genome::library> plain = genome::verify(fuzz::genome_names());
  fuzz::require(static_cast<bool>(plain), "the names are a valid registry");
  const result<genome::library> with =
      pattern.size() == 0 ? result<genome::library>(error(errc::ok, 0)) : names_with(pattern);
  if (pattern.size() != 0 && !with) return 0;
  const genome::library& l = pattern.size() == 0 ? *plain : *with;
  const result<genome::program> p = genome::verify(std::move(nodes), l);
  if (!p) return 0;

  const ending first = run(*p);
  fuzz::count_run(first.code == errc::ok);
  const genome::expand_options how{.limit = {.max_items = 2000}};
  switch (fuzz::below(as_text(source), 3)) {  // one each, because making machines takes long
    case 0: {
      const ending second = run(*p);
      fuzz::require(first.code == second.code && first.steps == second.steps &&
                        first.outputs == second.outputs,
                    "a program always runs alike");
      break;
    }
    case 1: check_same(genome::expand(*p, how), l, first, "an expansion computes the same"); break;
    default:
      check_same(genome::compress(*p, how), l, first, "what is compressed computes the same");
  }
  return 0;
}
