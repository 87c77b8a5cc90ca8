// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Two networks end to end (nac_networks.hpp) against nothing but their products of matrices by
// OpenBLAS, which has all matrices already; both on one thread. The counter is in floating-point
// operations per second, of the products. Before, a table for each network of what its operations
// take. Results are compared with PyTorch's (tests/data/nac/networks.txt), by --check too.
//
//   resnet18   a picture of 224x224 to 1000 classes
//   encoder    6 layers of 256, 4 heads, 128 words

#include "nac_networks.hpp"

#include <chrono>
#include <cstdio>
#include <map>
#include <random>

#include "openblas.hpp"
#include "ratios.hpp"

namespace {

namespace nac = tessera::nac;
namespace vm = tessera::vm::nac;

/// Seconds of each instruction in one run; the commands after it are included.
struct stopwatch : vm::no_observer {
  explicit stopwatch(std::size_t instructions) : seconds(instructions) {}
  void begin(const vm::event&) noexcept { start = clock::now(); }
  void end(const vm::event& at) noexcept {
    seconds[at.instruction] = std::chrono::duration<double>(clock::now() - start).count();
  }
  clock::time_point start;
  std::vector<double> seconds;
};

struct setting {
  setting(bench::network of, const std::string& name) : net(std::move(of)), machine(net.program()) {
    net.set_inputs(machine);
    run(name);
    const bench::recorded expected(TESSERA_TESTS_DATA_DIR "/nac/networks.txt", name);
    bench::require(net.operation_lines() == expected.operations, name + ": other operations");
    // PyTorch's own float32 is off by 3 to 5 of 2^-23 here.
    const double off = expected.difference(machine.outputs()[0].as_tensor());
    bench::require(off < 0x1.0p-23 * 16, name + " is off by " + std::to_string(off * 0x1p23));
  }
  void run(const std::string& name) {
    const vm::outcome done = machine.run();
    bench::require(static_cast<bool>(done), name + " doesn't run: " + done.text);
  }

  bench::network net;
  vm::interpreter machine;
};

/// The medians of some runs, by operation.
void report(setting& s, const std::string& name) {
  constexpr std::size_t runs = 15;
  const nac::program& program = s.net.program();
  const std::size_t instructions = program.code().steps.size();
  std::vector<std::vector<double>> seconds(instructions);
  for (std::size_t i = 0; i < runs; ++i) {
    stopwatch watch(instructions);
    (void)s.machine.run({}, watch);
    for (std::size_t k = 0; k < instructions; ++k) seconds[k].push_back(watch.seconds[k]);
  }
  struct row {
    std::size_t count = 0;
    double seconds = 0;
  };
  std::map<std::string, row> rows;
  double all = 0;
  for (std::size_t k = 0; k < instructions; ++k) {
    std::vector<double>& of = seconds[k];
    std::nth_element(of.begin(), of.begin() + runs / 2, of.end());
    const std::uint8_t a = program.code().steps[k].a;
    row& r = rows[a == nac::op_input    ? "INPUT"
                  : a == nac::op_output ? "OUTPUT"
                                        : std::string(program.model().operation_name(a))];
    ++r.count;
    r.seconds += of[runs / 2];
    all += of[runs / 2];
  }
  std::vector<std::pair<std::string, row>> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  std::printf("%-52s %6s %9s %7s\n", name.c_str(), "count", "ms", "share");
  for (const auto& [operation, r] : sorted)
    std::printf("  %-50s %6zu %9.3f %6.2f%%\n", operation.c_str(), r.count, r.seconds * 1e3,
                r.seconds / all * 100);
  const vm::statistics& figures = s.machine.figures();
  std::printf("  %-50s %6zu %9.3f\n", "all", instructions, all * 1e3);
  const auto mb = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  std::printf("  at most %.1f MB at once, %.1f MB without the schedule; parameters %.1f MB\n\n",
              mb(figures.peak), mb(figures.peak_unfreed), mb(figures.parameters));
}

/// Matrices for all products of a network.
class products {
 public:
  explicit products(const bench::network& net) : all_(net.products()) {
    std::size_t a = 0, b = 0, c = 0;
    for (const bench::product& p : all_) {
      a = std::max(a, p.m * p.k * p.how_often);
      b += p.k * p.n * p.how_often;
      c = std::max(c, p.m * p.n * p.how_often);
    }
    std::mt19937 random(1);
    std::uniform_real_distribution<float> values(-1, 1);
    a_.resize(a);
    b_.resize(b);
    c_.resize(c);
    for (float& v : a_) v = values(random);
    for (float& v : b_) v = values(random);
  }
  /// Second ones, which for linear layers are the weights, are read from memory of their own.
  void multiply() {
    const float* b = b_.data();
    const auto i = [](std::size_t size) { return static_cast<blasint>(size); };
    for (const bench::product& p : all_)
      for (std::size_t k = 0; k < p.how_often; ++k, b += p.k * p.n)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, p.transposed ? CblasTrans : CblasNoTrans, i(p.m),
                    i(p.n), i(p.k), 1.0f, a_.data() + k * p.m * p.k, i(p.k), b,
                    i(p.transposed ? p.k : p.n), 0.0f, c_.data() + k * p.m * p.n, i(p.n));
  }

 private:
  std::vector<bench::product> all_;
  std::vector<float> a_, b_, c_;
};

template <class Run>
void add_case(const std::string& name, double operations, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), [run, operations](benchmark::State& state) {
    for (auto _ : state) {
      run();
      benchmark::ClobberMemory();
    }
    state.counters["flops"] =
        benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate);
  })->Unit(benchmark::kMillisecond);
}

void add(const std::string& name, bench::network net, const std::string& recorded, bool quick) {
  const auto s = std::make_shared<setting>(std::move(net), recorded);
  if (quick) return;
  report(*s, name);
  const double operations = s->net.operations();
  add_case(name + "/tessera", operations, [s, name] { s->run(name); });
  const auto theirs = std::make_shared<products>(s->net);
  add_case(name + "/openblas", operations, [theirs] { theirs->multiply(); });
}

}  // namespace

void bench::add_cases(bool quick) {
  require(chosen_level() == tessera::tensors::best_level(), "the machine chooses the level itself");
  add("resnet18", network(residual{}), "residual", quick);
  add("encoder", network(encoder{}), "encoder", quick);
}

int main(int count, char** arguments) {
  bench::start_again_with_openblas_set(arguments);
  return bench::main(count, arguments);
}
