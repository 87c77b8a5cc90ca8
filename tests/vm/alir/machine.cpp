// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The machine as a whole: the expected results of real files, agreement with the naive evaluator
// on random programs, batches, traps and budgets. vm_opcodes.cpp has the single opcodes.

#include "alir/samples.hpp"
// Keeps the line above where it is.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tessera/core/bytes.hpp>
#include <utility>
#include <vector>

#include "alir/build.hpp"
#include "io/compress.hpp"
#include "naive.hpp"
#include "random_program.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "tessera/vm/alir.hpp"

namespace {

using build::bits;
using build::unsigned_bits;
using tessera::errc;
using tessera::alir::opcode;
using tessera::vm::alir::level;
using tessera::vm::alir::machine;
using tessera::vm::alir::machine_options;
using tessera::vm::alir::observed_machine;
using tessera::vm::alir::outcome;

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// A file's content, decompressed; empty when it isn't there.
std::optional<tessera::io::content> load(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  auto file = tessera::io::load(path.string());
  if (!file) FAIL(path.string());
  return std::move(*file);
}

/// All values of a file of little-endian numbers.
template <class T>
std::vector<T> numbers(const std::filesystem::path& path) {
  std::vector<T> out;
  if (const auto file = load(path))
    for (std::size_t at = 0; at < file->size(); at += sizeof(T))
      out.push_back(tessera::load_le<T>(file->view().data() + at));
  return out;
}

tessera::alir::program verified(tessera::alir::model m) {
  auto p = tessera::alir::verify(std::move(m));
  if (!p) FAIL("not verified: " << std::string(p.error().name()) << " at " << p.error().offset);
  return std::move(*p);
}

tessera::alir::program read(const std::filesystem::path& path) {
  const auto file = load(path);
  return verified(samples::model(tessera::as_text(file->view()), path.extension() == ".bc"));
}

/// Runs `samples` in calls of `batch` samples.
std::vector<double> run_in_batches(machine& vm, std::span<const double> in, std::size_t samples,
                                   std::size_t batch) {
  std::vector<double> out(samples * vm.outputs(), not_a_number);
  for (std::size_t first = 0; first < samples; first += batch) {
    const std::size_t count = std::min(batch, samples - first);
    const outcome done =
        vm.run(in.subspan(first * vm.inputs(), count * vm.inputs()),
               std::span(out).subspan(first * vm.outputs(), count * vm.outputs()), count);
    if (!done || done.steps != vm.size() * count) out.assign(out.size(), not_a_number);
  }
  return out;
}

/// What all operations write, [samples][operations], and whether they were observed in order.
std::pair<std::vector<std::int64_t>, bool> observed(observed_machine& vm,
                                                    std::span<const double> in,
                                                    std::uint64_t samples) {
  std::vector<std::int64_t> all(samples * vm.size(), -1);
  std::vector<double> out(samples * vm.outputs());
  std::size_t next = 0;
  std::uint64_t first_of_block = 0, end_of_block = 0;
  bool in_order = true;
  const outcome done = vm.run(in, out, samples, {}, [&](const tessera::vm::alir::event& at) {
    const auto [index, first, values] = at;
    if (next == 0) first_of_block = end_of_block, end_of_block += values.size();
    in_order = in_order && index == next && first == first_of_block &&
               first + values.size() == end_of_block;
    next = (next + 1) % vm.size();
    for (std::size_t s = 0; in_order && s < values.size(); ++s)
      all[(first + s) * vm.size() + index] = values[s];
  });
  in_order = in_order && next == 0 && (vm.size() == 0 || end_of_block == samples);
  return {std::move(all), in_order && done};
}

std::vector<std::size_t> batch_sizes() {
  std::vector<std::size_t> sizes = {64, 100, 255, 256, 257};
  for (std::size_t n = 1; n <= 33; ++n) sizes.push_back(n);
  return sizes;
}

/// Runs all forms of the sample `folder`/`name` against its expected results.
void check_sample(const std::filesystem::path& folder, const std::string& name) {
  INFO(name);
  const auto in = numbers<double>(folder / (name + ".in.f64"));
  const auto expected = numbers<double>(folder / (name + ".out.f64"));
  const auto values = numbers<std::int64_t>(folder / (name + ".buf.i64"));
  std::size_t forms = 0;
  for (const char* const form :
       {".v2.json", ".v2.json.gz", ".v2.bc", ".v3.json", ".v4.json", ".v4.json.gz", ".v4.bc"}) {
    const std::filesystem::path path = folder / (name + form);
    if (!std::filesystem::exists(path)) continue;
    if (path.extension() == ".gz" && !tessera::io::is_supported(tessera::io::codec::gzip)) continue;
    INFO(form);
    const tessera::alir::program p = read(path);
    machine vm(p);
    ++forms;
    const std::size_t samples = vm.inputs() == 0 ? 0 : in.size() / vm.inputs();
    if (samples == 0) continue;  // there to be loaded
    REQUIRE(expected.size() == samples * vm.outputs());
    CHECK(same_bits(run_in_batches(vm, in, samples, samples), expected));
    observed_machine shown(p);
    if (!values.empty()) CHECK(observed(shown, in, samples) == std::pair(values, true));
    if (forms != 1) continue;
    // The samples again and again, so that large batches fill up.
    std::vector<double> more_in, more_expected;
    std::size_t more = 0;
    for (; more < 300; more += samples) {
      more_in.insert(more_in.end(), in.begin(), in.end());
      more_expected.insert(more_expected.end(), expected.begin(), expected.end());
    }
    for (const std::size_t batch : batch_sizes()) {
      INFO("batch " << batch);
      CHECK(same_bits(run_in_batches(vm, more_in, more, batch), more_expected));
    }
  }
  if (forms == 0) WARN(name << ": left out, this build reads no gzip");
}

/// Compares the machine with the naive evaluator. Empty when they agree, else what differs first.
std::string disagreement(const random_program::options& how) {
  tessera::alir::model m = random_program::make(how);
  random_program::generator draw(how.seed ^ 0xba7c4);
  const auto samples = static_cast<std::size_t>(m.ops.size() > 300 ? 3
                                                : draw.chance(10)  ? draw.between(60, 140)
                                                                   : draw.between(1, 20));
  const std::vector<double> in = random_program::inputs(m, how.seed, samples);
  const auto inputs = static_cast<std::size_t>(m.n_inputs);
  const auto outputs = static_cast<std::size_t>(m.n_outputs);

  std::vector<double> expected;
  std::vector<std::int64_t> values;
  std::int64_t trap = -1;
  std::size_t good = 0;
  for (; good < samples; ++good) {
    const naive::evaluation e = naive::evaluate(m, std::span(in).subspan(good * inputs, inputs));
    trap = e.trap;
    if (trap >= 0) break;
    expected.insert(expected.end(), e.outputs.begin(), e.outputs.end());
    values.insert(values.end(), e.values.begin(), e.values.end());
  }
  if (trap >= 0 && !how.may_trap) return "a trap that the generator should have ruled out";

  auto proven = tessera::alir::verify(std::move(m));
  if (!proven) return "not verified: " + std::string(proven.error().name());
  // As it comes, and in one of the other ways.
  std::vector<machine_options> ways = {{}, {.min_lane_bits = draw.chance(50) ? 32 : 64}};
  ways[1].instructions = static_cast<level>(how.seed % 3);
  if (how.seed % 4 == 0) ways[1].threads = 2;
  for (const machine_options& way : ways) {
    machine vm(*proven, way);
    std::vector<double> out(samples * outputs, not_a_number);
    const outcome done = vm.run(in, out, samples);
    if (done.operation != trap) return "operation " + std::to_string(done.operation) + " trapped";
    if (trap >= 0 && done.sample != good) return "trapped at " + std::to_string(done.sample);
    if (done.steps != good * vm.size()) return "steps";
    if (!same_bits(std::span(out).first(expected.size()), expected)) return "outputs";
    for (std::size_t at = expected.size(); at < out.size(); ++at)
      if (!std::isnan(out[at])) return "an output after the trap";
  }
  observed_machine shown(*proven);
  const auto [seen, in_order] = observed(shown, in, samples);
  if (in_order != (trap < 0)) return "order of observation";
  for (std::size_t at = 0; at < values.size(); ++at)
    if (seen[at] != values[at])
      return "operation " + std::to_string(at % shown.size()) + " of sample " +
             std::to_string(at / shown.size());
  return {};
}

random_program::options options_of(std::uint64_t seed) {
  return {.seed = seed,
          .density = seed % 3 == 0 ? random_program::mix::dense : random_program::mix::mixed,
          .max_ops = seed % 250 == 0 ? 2000 : 50,
          .may_trap = seed % 2 == 0,
          .sums = seed % 5 != 0};
}

/// Two lookups of inputs 0 and 1, which both stay inside their tables for 1 to 3 and not for 0.
build::sketch two_lookups() {
  build::sketch p;
  const std::int64_t table = p.table({10, 20, 30});
  const auto x = p.input({1, 3, 1}), y = p.input({1, 3, 1});
  const auto a = p.lookup(x, table), b = p.lookup(y, table);
  p.output(p.op({.id0 = a, .id1 = b, .code = opcode::add, .data = 3, .qint = bits(16)}));
  return p;
}
constexpr std::int64_t first_lookup = 2, second_lookup = 3;

/// Samples [count][2] for it, all 1.0 and 2.0.
std::vector<double> good_rows(std::size_t count) {
  std::vector<double> in;
  for (std::size_t s = 0; s < count; ++s) in.insert(in.end(), {1.0, 2.0});
  return in;
}
constexpr double good_output = 10 + 20 * 8;

}  // namespace

TEST_CASE("vm/alir: files give their expected results in every form and batch", "[vm_alir]") {
  const std::filesystem::path folder = samples::folder() / "ok";
  std::size_t count = 0;
  for (const samples::file& file : samples::good()) {
    if (file.form != "v2.json") continue;
    check_sample(folder, file.name);
    ++count;
  }
  CHECK(count == 23);
}

TEST_CASE("vm/alir: traced networks give their expected results", "[vm_alir]") {
  const std::filesystem::path folder = std::filesystem::path(TESSERA_SAMPLES_DIR) / "alir" / "ok";
  if (!std::filesystem::exists(folder)) {
    WARN("left out: no folder " << folder.string() << " (TESSERA_SAMPLES_DIR)");
    return;
  }
  for (const char* const name : {"alk_docs_example", "alk_jet_16_64_32_32_5", "alk_mlp_16_16_16_8"})
    check_sample(folder, name);
}

TEST_CASE("vm/alir: agrees with the naive evaluator on random programs", "[vm_alir]") {
  for (std::uint64_t seed = 0; seed < 2500; ++seed)
    if (const std::string what = disagreement(options_of(seed)); !what.empty())
      FAIL("seed " << seed << ": " << what);
  SUCCEED();
}

// TESSERA_PROGRAMS says how many, TESSERA_FIRST_SEED where to start.
TEST_CASE("vm/alir: agrees with the naive evaluator on many random programs", "[.long][vm_alir]") {
  const auto number_in = [](const char* name, std::uint64_t otherwise) {
    const char* const value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
  };
  const std::uint64_t first = number_in("TESSERA_FIRST_SEED", 10000);
  const std::uint64_t count = number_in("TESSERA_PROGRAMS", 200000);
  for (std::uint64_t seed = first; seed - first < count; ++seed)
    if (const std::string what = disagreement(options_of(seed)); !what.empty())
      FAIL("seed " << seed << ": " << what);
  SUCCEED();
}

TEST_CASE("vm/alir: a batch that isn't full doesn't trap where no sample does", "[vm_alir]") {
  // A lane without a sample, filled with 0, would leave the tables.
  machine vm(two_lookups().verified());
  for (std::size_t count = 1; count <= 260; ++count) {
    const std::vector<double> out = run_in_batches(vm, good_rows(count), count, count);
    INFO(count);
    REQUIRE(same_bits(out, std::vector<double>(count, good_output)));
  }
}

TEST_CASE("vm/alir: a trap names the first sample and its first operation", "[vm_alir]") {
  struct zero {
    std::size_t sample, input;
  };
  struct row {
    std::vector<zero> zeros;
    std::size_t sample;
    std::int64_t operation;
  };
  std::vector<row> rows = {
      {{{9, 0}, {3, 1}}, 3, second_lookup},
      {{{3, 0}, {9, 1}}, 3, first_lookup},
      {{{5, 0}, {5, 1}}, 5, first_lookup},
      {{{5, 0}, {4, 1}, {6, 1}}, 4, second_lookup},
      {{{70, 0}, {3, 1}}, 3, second_lookup},
      {{{130, 0}, {129, 1}, {128, 0}, {127, 1}}, 127, second_lookup},
      {{{0, 1}, {299, 0}}, 0, second_lookup},
  };
  for (const std::size_t sample :
       {0u, 1u, 2u, 7u, 8u, 15u, 16u, 31u, 32u, 63u, 64u, 65u, 127u, 128u, 255u, 256u, 299u})
    for (const std::size_t input : {0u, 1u})
      rows.push_back({{{sample, input}}, sample, input == 0 ? first_lookup : second_lookup});

  machine vm(two_lookups().verified());
  const std::size_t count = 300;
  for (const row& now : rows) {
    std::vector<double> in = good_rows(count), out(count, not_a_number);
    for (const zero& z : now.zeros) in[z.sample * 2 + z.input] = 0;
    const outcome done = vm.run(in, out, count);
    INFO("sample " << now.sample << ", operation " << now.operation);
    CHECK(!done);
    CHECK(done.code == errc::alir_lookup_range);
    CHECK(done.sample == now.sample);
    CHECK(done.operation == now.operation);
    CHECK(done.steps == now.sample * vm.size());
    CHECK(
        same_bits(std::span(out).first(now.sample), std::vector<double>(now.sample, good_output)));
    // The machine is as good as new.
    CHECK(same_bits(run_in_batches(vm, good_rows(count), count, count),
                    std::vector<double>(count, good_output)));
  }
}

TEST_CASE("vm/alir: a lookup that no output needs traps too", "[vm_alir]") {
  build::sketch p;
  p.lookup(p.constant(1, unsigned_bits(1)), p.table({7}));
  machine vm(p.verified());
  CHECK(vm.run({}, {}, 0));
  const outcome done = vm.run({}, {}, 1);
  CHECK(done.code == errc::alir_lookup_range);
  CHECK(done.operation == 1);
  CHECK(done.sample == 0);
}

TEST_CASE("vm/alir: budgets hold at n and stop at n - 1", "[vm_alir]") {
  machine vm(two_lookups().verified());
  for (const std::size_t count : {1u, 10u, 64u, 65u, 200u}) {
    const std::vector<double> in = good_rows(count);
    const std::uint64_t steps = vm.size() * count;
    std::vector<double> out(count, not_a_number);
    CHECK(vm.run(in, out, count, {.max_steps = steps, .max_memory = vm.memory()}));
    CHECK(same_bits(out, std::vector<double>(count, good_output)));

    out.assign(count, -1);
    const outcome slow = vm.run(in, out, count, {.max_steps = steps - 1});
    CHECK(slow.code == errc::budget_steps);
    const outcome large = vm.run(in, out, count, {.max_memory = vm.memory() - 1});
    CHECK(large.code == errc::budget_memory);
    for (const outcome& done : {slow, large}) {
      CHECK(!done);
      CHECK(done.operation == -1);
      CHECK(done.steps == 0);
    }
    CHECK(same_bits(out, std::vector<double>(count, -1)));  // nothing ran
  }
  // More steps than a number can say.
  CHECK(vm.run({}, {}, std::numeric_limits<std::uint64_t>::max()).code == errc::budget_steps);
  CHECK(vm.run({}, {}, 0, {.max_steps = 0}));
}

TEST_CASE("vm/alir: programs without inputs, outputs or operations", "[vm_alir]") {
  build::sketch constant;
  constant.output(constant.constant(5, bits(8, 1)), 1);
  machine vm(constant.verified());
  std::vector<double> out(100, not_a_number);
  CHECK(vm.run({}, out, 100).steps == 100);
  CHECK(same_bits(out, std::vector<double>(100, 5.0)));

  build::sketch silent;
  silent.input(bits(8));
  machine sink(silent.verified());
  CHECK(sink.run(std::vector<double>(100, 1.0), {}, 100).steps == 100);

  machine nothing(verified({}));
  CHECK(nothing.run({}, {}, 1000));
  CHECK(nothing.run({}, {}, 0));

  build::sketch zeros;
  zeros.output(-1);
  zeros.output(-7, 3, true);
  machine zero(zeros.verified());
  std::vector<double> two(200, not_a_number);
  CHECK(zero.run({}, two, 100));
  CHECK(same_bits(two, std::vector<double>(200, 0.0)));
}

TEST_CASE("vm/alir: a machine outlives its program and can be copied", "[vm_alir]") {
  std::optional<machine> first;
  {
    const tessera::alir::program p = two_lookups().verified();
    first.emplace(p);
  }
  machine second = *first;
  first.reset();
  CHECK(same_bits(run_in_batches(second, good_rows(70), 70, 70),
                  std::vector<double>(70, good_output)));
}

TEST_CASE("vm/alir: run allocates nothing", "[vm_alir]") {
  const std::size_t count = 300;
  std::vector<double> in = good_rows(count), out(count);
  const tessera::alir::program p = two_lookups().verified();
  machine vm(p);
  observed_machine shown(p);
  std::uint64_t allocated = 0;
  {
    const tessera_tests::allocations used;
    vm.run(in, out, count);
    vm.run(in, out, 1);
    in[50] = 0;
    vm.run(in, out, count);  // traps
    vm.run(in, out, count, {.max_steps = 1});
    shown.run(in, out, 5, {}, [](auto...) {});
    allocated = used.count();
  }
  CHECK(allocated == 0);

  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const tessera::alir::model m = random_program::make(options_of(seed));
    const std::vector<double> rows = random_program::inputs(m, seed, 70);
    std::vector<double> results(70 * static_cast<std::size_t>(m.n_outputs));
    machine random(verified(m));
    const tessera_tests::allocations used;
    random.run(rows, results, 70);
    allocated += used.count();
  }
  CHECK(allocated == 0);
}
