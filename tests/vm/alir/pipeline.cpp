// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Pipelines run as alkaid runs them: bit for bit, sample by sample and cycle by cycle.

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../../alir/build.hpp"
#include "../../alir/samples.hpp"
#include "tessera/vm/alir_pipeline.hpp"

namespace {

namespace vm = tessera::vm::alir;
using tessera::errc;
using tessera::alir::opcode;
using tessera::alir::pipeline;
using tessera::alir::staged;

std::vector<double> doubles(const std::filesystem::path& path) {
  const std::string raw = samples::load(path);
  std::vector<double> out(raw.size() / 8);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = tessera::load_le<double>(raw.data() + 8 * i);
  return out;
}
bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}
staged verified(pipeline p) {
  auto s = tessera::alir::verify(std::move(p));
  if (!s) FAIL("not verified: " << std::string(s.error().name()));
  return std::move(*s);
}
/// Calls `check(name, pipeline, inputs, outputs)` for each of the files.
template <class Check>
void for_each_file(Check check) {
  const auto folder = samples::folder() / "pipelines";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const std::string whole = entry.path().filename().string(),
                      name = whole.substr(0, whole.find('.'));
    INFO(whole);
    auto p = tessera::alir::read_pipeline(samples::load(entry.path()));
    REQUIRE(p.error() == tessera::error{});
    check(verified(std::move(*p)), doubles(folder / (name + ".in.f64")),
          doubles(folder / (name + ".out.f64")));
    ++count;
  }
  CHECK(count == 7);
}

/// A block that looks its input up in a table of `size` entries from 0, and adds 1 to what it finds.
tessera::alir::model looking_up(std::int32_t size) {
  build::sketch p;
  const std::int32_t x = p.input(build::unsigned_bits(5));
  p.model.ops[0].qint = {0, 31, 1};
  tessera::alir::lookup_table t;
  t.count = static_cast<std::uint64_t>(size);
  for (std::int32_t i = 0; i < size; ++i) p.model.table_data.push_back(i + 1);
  p.model.tables.push_back(t);
  p.output(p.lookup(x, 0));
  return p.model;
}
staged looking_up(std::initializer_list<std::int32_t> sizes, bool input_register,
                  bool output_register) {
  pipeline p;
  p.input_register = input_register, p.output_register = output_register;
  for (const std::int32_t size : sizes) p.blocks.push_back(looking_up(size));
  return verified(std::move(p));
}

}  // namespace

TEST_CASE("vm/alir/pipeline: samples", "[vm_alir]") {
  for_each_file([](const staged& p, const std::vector<double>& in, const std::vector<double>& out) {
    vm::pipeline_machine machine(p);
    CHECK(machine.blocks() == p.size());
    CHECK(machine.latency() == p.latency());
    const std::uint64_t n = in.size() / machine.inputs();
    REQUIRE(out.size() == n * machine.outputs());
    std::vector<double> got(out.size());
    const auto done = machine.run(in, got, n);
    CHECK(static_cast<bool>(done));
    CHECK(done.steps == n * machine.size());
    CHECK(same_bits(got, out));
    // More samples than pass at once.
    std::vector<double> many_in, many_out;
    for (int k = 0; k < 1000; ++k) {
      many_in.insert(many_in.end(), in.begin(), in.end());
      many_out.insert(many_out.end(), out.begin(), out.end());
    }
    std::vector<double> many_got(many_out.size());
    CHECK(machine.run(many_in, many_got, 1000 * n, {.max_steps = UINT64_MAX}));
    CHECK(same_bits(many_got, many_out));
  });
}

TEST_CASE("vm/alir/pipeline: cycles", "[vm_alir]") {
  for_each_file([](const staged& p, const std::vector<double>& in, const std::vector<double>& out) {
    vm::pipeline_machine machine(p);
    const std::size_t n_in = machine.inputs(), n_out = machine.outputs(), n = in.size() / n_in;
    const std::size_t late = p.latency() == 0 ? 0 : static_cast<std::size_t>(p.latency()) - 1;
    std::vector<double> seen(n_out);
    for (int round = 0; round < 2; ++round) {
      for (std::size_t t = 0; t < n + late + 2; ++t) {
        INFO("cycle " << t);
        const std::span<const double> sample =
            t < n ? std::span<const double>(in).subspan(t * n_in, n_in) : std::span<const double>();
        const auto now = machine.step(sample, seen);
        CHECK(static_cast<bool>(now));
        REQUIRE(now.has_output == (t >= late && t - late < n));
        if (now.has_output)
          CHECK(same_bits(seen, std::span(out).subspan((t - late) * n_out, n_out)));
      }
    }
    (void)machine.step(std::span(in).first(n_in), seen);
    machine.reset();
    if (late != 0) CHECK_FALSE(machine.step({}, seen).has_output);
  });
}

TEST_CASE("vm/alir/pipeline: a bubble passes like a sample", "[vm_alir]") {
  for (const bool in : {false, true})
    for (const bool out : {false, true}) {
      INFO(in << out);
      vm::pipeline_machine machine(looking_up({32, 32, 32}, in, out));
      const std::size_t late = 1 + (in ? 1u : 0u) + (out ? 1u : 0u);
      std::vector<double> seen(1);
      for (std::size_t t = 0; t < 20; ++t) {
        const double x = static_cast<double>(t);
        const auto now =
            machine.step(t % 3 != 0 ? std::span(&x, 1) : std::span<const double>(), seen);
        REQUIRE(now.has_output == (t >= late && (t - late) % 3 != 0));
        if (now.has_output) CHECK(seen[0] == static_cast<double>(t - late + 3));
      }
    }
}

TEST_CASE("vm/alir/pipeline: the first sample that traps, in whichever block", "[vm_alir]") {
  // The first block has no entry from 10, the second none for what follows entry 5.
  vm::pipeline_machine machine(looking_up({10, 7, 32}, true, true));
  const auto run = [&machine](std::vector<double> in) {
    std::vector<double> out(in.size(), -1);
    const auto done = machine.run(in, out, in.size());
    CHECK(done.code == errc::alir_lookup_range);
    CHECK(done.operation == 1);
    for (std::size_t i = 0; i < in.size(); ++i) CHECK(out[i] == (i < done.sample ? in[i] + 3 : -1));
    CHECK(done.steps == 6 * done.sample);
    return std::pair(done.block, done.sample);
  };
  CHECK(run({1, 2, 10, 3}) == std::pair<std::size_t, std::uint64_t>(0, 2));
  CHECK(run({1, 6, 10, 3}) == std::pair<std::size_t, std::uint64_t>(1, 1));
  CHECK(run({1, 2, 3, 5, 31, 6}) == std::pair<std::size_t, std::uint64_t>(0, 4));
  std::vector<double> late(5000, 1.0);
  late[4500] = 6;
  CHECK(run(late) == std::pair<std::size_t, std::uint64_t>(1, 4500));

  // In cycles, a sample that traps is lost.
  std::vector<double> seen(1), outputs;
  int traps = 0;
  for (const double x : {1.0, 10.0, 2.0, 6.0, 3.0, 0.0, 0.0, 0.0}) {
    const auto now = machine.step(std::span(&x, 1), seen);
    if (!now) {
      CHECK(now.code == errc::alir_lookup_range);
      CHECK(now.block == (traps == 0 ? 0u : 1u));
      ++traps;
    }
    if (now.has_output) outputs.push_back(seen[0]);
  }
  CHECK(traps == 2);
  CHECK(outputs == std::vector<double>{4, 5, 6});
}

TEST_CASE("vm/alir/pipeline: budgets", "[vm_alir]") {
  vm::pipeline_machine machine(looking_up({32, 32}, true, true));
  const std::vector<double> in(3, 1.0);
  std::vector<double> out(3, -1);
  CHECK(machine.size() == 4);
  CHECK(machine.run(in, out, 3, {.max_steps = 12}));
  const auto steps = machine.run(in, out, 3, {.max_steps = 11});
  CHECK(steps.code == errc::budget_steps);
  CHECK(steps.steps == 0);
  CHECK(machine.run(in, out, 3, {.max_memory = machine.memory()}));
  CHECK(machine.run(in, out, 3, {.max_memory = machine.memory() - 1}).code == errc::budget_memory);

  // The machine's own limit is for all blocks together, and no run's budget raises it.
  const std::uint64_t memory = machine.memory();
  vm::pipeline_machine fits(looking_up({32, 32}, true, true), {.max_memory = memory});
  CHECK(fits.run(in, out, 3));
  vm::pipeline_machine small(looking_up({32, 32}, true, true), {.max_memory = memory - 1});
  CHECK(small.run(in, out, 3).code == errc::budget_memory);
  CHECK(small.run(in, out, 3, {.max_memory = memory}).code == errc::budget_memory);
}
