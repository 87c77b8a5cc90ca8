// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The ALIR programs whose source text is compiled and run by tests, and what such tests need: files
// and commands.
//
//   for (emitted::subject& s : emitted::subjects()) ...
//   emitted::folder at("cpp");
//   at.write("a.hpp", text), at.run("c++ -c a.hpp");
//
// Lifetime:   values; a folder is emptied when it is made, and kept.
// Errors:     fail the test.
// Limits:     none.
// Allocation: vectors.

#ifndef TESSERA_TESTS_TRANSFORM_ALIR_EMITTED_HPP
#define TESSERA_TESTS_TRANSFORM_ALIR_EMITTED_HPP

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <tessera/alir.hpp>
#include <utility>
#include <vector>

#include "alir/samples.hpp"
#include "support/catch.hpp"
#include "tessera/transform/pipeline_alir.hpp"
#include "tessera/vm/alir.hpp"
#include "vm/alir/random_program.hpp"

namespace emitted {

struct subject {
  std::string name;
  tessera::alir::program program;
  std::vector<double> inputs;  ///< [samples][n_inputs]
  std::size_t samples = 0;
};

[[nodiscard]] inline tessera::alir::program verified(tessera::alir::model m) {
  auto p = tessera::alir::verify(std::move(m));
  if (!p) FAIL("not verified: " << std::string(p.error().name()));
  return std::move(*p);
}

/// Random programs over all opcodes, and all samples of tests/data.
[[nodiscard]] inline std::vector<subject> subjects(std::uint64_t random_ones) {
  std::vector<subject> all;
  for (std::uint64_t seed = 0; seed < random_ones; ++seed) {
    tessera::alir::model m = random_program::make(
        {.seed = seed,
         .density = seed % 3 == 0 ? random_program::mix::dense : random_program::mix::mixed,
         .max_ops = seed % 10 == 9 ? 600 : 150,
         .may_trap = seed % 4 == 0});
    const std::size_t samples = 1 + seed * 7 % 90;
    std::vector<double> in = random_program::inputs(m, seed, samples);
    all.push_back(
        {"random_" + std::to_string(seed), verified(std::move(m)), std::move(in), samples});
  }
  for (const samples::file& file : samples::good()) {
    if (file.form != "v4.json") continue;
    tessera::alir::model m = samples::model(file.content);
    std::vector<double> in = random_program::inputs(m, 1, 50);
    all.push_back({file.name, verified(std::move(m)), std::move(in), 50});
  }
  return all;
}

struct staged_subject {
  std::string name;
  tessera::alir::staged pipeline;
};

/// Pipelines cut from random programs, with and without registers at their ends, and those of tests/data.
[[nodiscard]] inline std::vector<staged_subject> pipelines(std::uint64_t random_ones) {
  std::vector<staged_subject> all;
  const auto add = [&all](std::string name, tessera::alir::pipeline&& p) {
    auto s = tessera::alir::verify(std::move(p));
    if (!s) FAIL("not verified: " << name);
    all.push_back({std::move(name), std::move(*s)});
  };
  for (std::uint64_t seed = 0; all.size() < random_ones; ++seed) {
    tessera::alir::model m = random_program::make(
        {.seed = seed,
         .density = seed % 3 == 0 ? random_program::mix::dense : random_program::mix::mixed,
         .max_ops = seed % 10 == 9 ? 600 : 150,
         .may_trap = seed % 4 == 0});
    random_program::set_latencies(m, seed);
    auto made = tessera::transform::to_pipeline(
        verified(std::move(m)), {.latency_cutoff = 0.375 + static_cast<double>(seed % 3) / 8,
                                 .input_register = seed % 2 == 0,
                                 .output_register = seed % 4 < 2});
    if (!made.refusal.empty() || (made.pipeline.blocks.size() < 2 && seed % 5 != 0)) continue;
    add("cut_" + std::to_string(seed), std::move(made.pipeline));
  }
  for (const auto& entry : std::filesystem::directory_iterator(samples::folder() / "pipelines")) {
    if (entry.path().extension() != ".json") continue;
    auto p = tessera::alir::read_pipeline(samples::load(entry.path()));
    if (!p) FAIL("not read: " << entry.path());
    const std::string whole = entry.path().filename().string();
    add("file_" + whole.substr(0, whole.find('.')), std::move(*p));
  }
  return all;
}

/// What the machine gives: the outputs of the samples before the first that traps.
struct expectation {
  std::vector<double> outputs;
  std::size_t ran = 0;
};
[[nodiscard]] inline expectation expected_of(const tessera::alir::program& p,
                                             const std::vector<double>& in, std::size_t samples,
                                             double unset) {
  tessera::vm::alir::machine vm(p);
  expectation e{std::vector<double>(samples * vm.outputs(), unset), samples};
  const tessera::vm::alir::outcome done = vm.run(in, e.outputs, samples);
  if (!done) e.ran = static_cast<std::size_t>(done.sample);
  return e;
}

class folder {
 public:
  explicit folder(std::string_view name)
      : path_(std::filesystem::current_path() / "emitted" / name) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  [[nodiscard]] std::string path(std::string_view name) const { return (path_ / name).string(); }

  void write(std::string_view name, std::string_view content) const {
    std::ofstream file(path_ / name, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    REQUIRE(file.good());
  }
  [[nodiscard]] std::string read(std::string_view name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The status of a command in this folder; what it prints is in `log`.
  [[nodiscard]] int run(const std::string& command, std::string_view log = "log.txt") const {
    return std::system(
        ("cd '" + path_.string() + "' && " + command + " >" + std::string(log) + " 2>&1 </dev/null")
            .c_str());
  }
  /// Whether there is such a program.
  [[nodiscard]] bool has(const std::string& program) const {
    return run("command -v " + program) == 0;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace emitted

#endif  // TESSERA_TESTS_TRANSFORM_ALIR_EMITTED_HPP
