// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The main() of the benchmarks. Contenders of one case are named <case>/<contender>, ours
// `tessera`; they run interleaved at random, and the table after the usual report shows how many
// times as fast ours is, by the medians of their CPU times (of wall times, where a case asks for
// them), and the geometric means of cases <program>/<group>.
//
//   void bench::add_cases(bool quick) {
//     require(ours() == theirs(), "dense_1000: results differ");
//     benchmark::RegisterBenchmark("dense_1000/tessera", ...);
//     benchmark::RegisterBenchmark("dense_1000/simdjson", ...);
//   }
//
//   bench_json_read                       everything, 9 times
//   bench_json_read --check               compares results of small cases and measures nothing
//   bench_json_read --benchmark_filter=dense_1000 --benchmark_repetitions=21
//   bench_json_read FILE...               files of yours instead

#ifndef TESSERA_BENCH_RATIOS_HPP
#define TESSERA_BENCH_RATIOS_HPP

#include <benchmark/benchmark.h>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// Compares the contenders of every case and registers them. Quick means only small cases.
void add_cases(bool quick);

/// Ends the program when contenders disagree: times of different results say nothing.
inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

/// What the contenders are called whose names have `contender` in them, in what `bench_all` writes.
inline void name_peer(const std::string& contender, const std::string& label) {
  benchmark::AddCustomContext("peer " + contender, label);
}

#define TESSERA_BENCH_TEXT(x) TESSERA_BENCH_QUOTED(x)
#define TESSERA_BENCH_QUOTED(x) #x
#define TESSERA_BENCH_VERSION(name, x, y, z)                                                       \
  name " " TESSERA_BENCH_TEXT(x) "." TESSERA_BENCH_TEXT(y) "." TESSERA_BENCH_TEXT(z)

/// Those whose headers precede this one. The contender of load_alir is zlib with simdjson.
inline void name_included_peers() {
#if defined(SIMDJSON_VERSION)
  name_peer("simdjson", "simdjson " TESSERA_BENCH_TEXT(SIMDJSON_VERSION));
#endif
#if defined(ZLIB_VERSION)
  name_peer("zlib", "zlib " ZLIB_VERSION);
#endif
#if defined(NLOHMANN_JSON_VERSION_MAJOR)
  name_peer("nlohmann",
            TESSERA_BENCH_VERSION("nlohmann", NLOHMANN_JSON_VERSION_MAJOR,
                                  NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH));
#endif
#if defined(RAPIDJSON_VERSION_STRING)
  name_peer("rapidjson", "rapidjson " RAPIDJSON_VERSION_STRING);
#endif
#if defined(TAO_PEGTL_VERSION)
  name_peer("pegtl", "PEGTL " TAO_PEGTL_VERSION);
#endif
#if defined(DNNL_VERSION_MAJOR)
  name_peer("onednn", TESSERA_BENCH_VERSION("oneDNN", DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR,
                                            DNNL_VERSION_PATCH));
#endif
}

#undef TESSERA_BENCH_VERSION
#undef TESSERA_BENCH_QUOTED
#undef TESSERA_BENCH_TEXT

/// A contender that works on what it shares with others of its case: `run` takes that. The counter is
/// how much of `amount` there is in a second.
template <class Setting, class Run>
void add_contender(const std::string& name, const std::shared_ptr<Setting>& s, const char* counter,
                   double amount, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), [s, counter, amount, run](benchmark::State& state) {
    for (auto _ : state) {
      run(*s);
      benchmark::ClobberMemory();
    }
    state.counters[counter] =
        benchmark::Counter(amount, benchmark::Counter::kIsIterationInvariantRate);
  });
}

/// The usual table, and then the ratios.
class reporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.error_occurred || run.aggregate_name != "median") continue;
      const std::string name = run.run_name.function_name;
      const std::size_t slash = name.rfind('/');
      if (slash != std::string::npos)
        times_[name.substr(0, slash)][name.substr(slash + 1)] =
            run.run_name.time_type.empty() ? run.GetAdjustedCPUTime() : run.GetAdjustedRealTime();
    }
  }
  void Finalize() override {
    std::map<std::string, std::vector<double>> groups;
    for (const auto& [name, contenders] : times_) {
      const auto ours = contenders.find("tessera");
      if (ours == contenders.end()) continue;
      for (const auto& [contender, time] : contenders) {
        if (contender == "tessera") continue;
        const double ratio = time / ours->second;
        GetOutputStream() << name << ": " << ratio << " times as fast as " << contender << '\n';
        if (const std::size_t slash = name.rfind('/'); slash != std::string::npos)
          groups[name.substr(slash + 1) + ": %g times as fast as " + contender].push_back(ratio);
      }
    }
    for (const auto& [what, ratios] : groups) {
      if (ratios.size() < 2) continue;
      double sum = 0;
      for (const double ratio : ratios) sum += std::log(ratio);
      const std::size_t value = what.find("%g");
      GetOutputStream() << what.substr(0, value)
                        << std::exp(sum / static_cast<double>(ratios.size()))
                        << what.substr(value + 2) << ", the geometric mean of " << ratios.size()
                        << '\n';
    }
  }

 private:
  std::map<std::string, std::map<std::string, double>> times_;
};

/// Freed memory stays with the program, for all contenders: the first touch of a page can cost more
/// than what is measured, and who gets used pages would be chance.
inline void keep_memory() {
#if defined(__GLIBC__) && defined(M_MMAP_MAX)
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

[[nodiscard]] inline std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  require(in.good(), path + ": cannot open");
  return {std::istreambuf_iterator<char>(in), {}};
}

[[nodiscard]] inline std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// `add_file` adds the cases of a file of the caller's; null where a benchmark has no use for one.
inline int main(int count, char** arguments, void (*add_file)(const std::string& path) = nullptr) {
  keep_memory();
  std::vector<std::string> files;
  count = static_cast<int>(std::stable_partition(arguments + 1, arguments + count,
                                                 [](const char* a) { return a[0] == '-'; }) -
                           arguments);
  for (char** file = arguments + count; *file != nullptr; ++file) files.emplace_back(*file);
  require(files.empty() || add_file != nullptr, "this benchmark makes its own data; no files");
  if (count == 2 && std::string_view(arguments[1]) == "--check") {
    add_cases(true);
    std::puts("all contenders agree");
    return 0;
  }
  // Defaults come first, so that those of the command line win.
  static char interleave[] = "--benchmark_enable_random_interleaving=true";
  static char repeat[] = "--benchmark_repetitions=9";
  static char duration[] = "--benchmark_min_time=0.1";
  static char aggregate[] = "--benchmark_display_aggregates_only=true";
  std::vector<char*> all{arguments[0], interleave, repeat, duration, aggregate};
  all.insert(all.end(), arguments + 1, arguments + count);
  int all_count = static_cast<int>(all.size());
  benchmark::Initialize(&all_count, all.data());
  if (benchmark::ReportUnrecognizedArguments(all_count, all.data())) return 2;
  name_included_peers();
#if defined(__VERSION__)
  benchmark::AddCustomContext("compiler", __VERSION__);
#endif
  for (const std::string& file : files) add_file(file);
  if (files.empty()) add_cases(false);
  reporter report;
  benchmark::RunSpecifiedBenchmarks(&report);
  return 0;
}

}  // namespace bench

#endif  // TESSERA_BENCH_RATIOS_HPP
