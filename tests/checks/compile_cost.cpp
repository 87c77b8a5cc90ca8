// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a format costs the compiler of a caller, as ratios to `#include <vector>` in the same run:
// including its header, and calling read and verify at -O2 in header-only and in compiled mode.
// Preprocessed lines, too, which are exact.
//
//   compile_cost COMPILER INCLUDE_DIR SCRATCH_DIR [HEADER CALLS LINES INCLUDE HEADER_ONLY COMPILED]...
//
// CALLS is the body of a function of the source `s`; the last four are the most that is allowed.
// CPU time and not wall time, the fastest of several runs, the unit and <vector> in turns: what a
// busy machine adds, it adds to both. Runs are added until the verdict is in or the patience is
// out.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

extern char** environ;

namespace {

constexpr int bases = 3;  // <vector> is short, so it is compiled more often
constexpr int max_rounds = 25;
constexpr double max_seconds = 25;
constexpr double hopeless = 1.2;  // beyond this much over the limit, more runs change nothing

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "compile_cost: %s\n", what.c_str());
  std::exit(1);
}

// Runs a command with its output in `output`, and returns the CPU seconds it took.
double run(std::vector<std::string> command, const std::string& output) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail("cannot run " + command[0]);
  // wait4 counts what the compiler driver waited for, too: the compiler itself.
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail(command[0] + " failed");
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long count_lines(const std::string& path) {
  std::ifstream file(path);
  long lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  return lines;
}

/// The fastest of two commands in turns.
struct pair_of_times {
  double unit = 1e9, vector = 1e9;
};
pair_of_times time_of(const std::vector<std::string>& unit, const std::vector<std::string>& vector,
                      const std::string& output, double max_ratio) {
  pair_of_times best;
  double spent = 0;
  for (int rounds = 0; rounds == 0 || (best.unit > max_ratio * best.vector &&
                                       best.unit < hopeless * max_ratio * best.vector &&
                                       rounds < max_rounds && spent < max_seconds);
       ++rounds) {
    for (int base = 0; base < bases; ++base)
      best.vector = std::min(best.vector, run(vector, output));
    const double time = run(unit, output);
    best.unit = std::min(best.unit, time);
    spent += time;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int parameters = 6;
  if (argc < 4 + parameters || (argc - 4) % parameters != 0)
    fail(
        "usage: compile_cost COMPILER INCLUDE_DIR SCRATCH_DIR "
        "[HEADER CALLS LINES INCLUDE HEADER_ONLY COMPILED]...");
  const std::string scratch = argv[3];
  const std::string output = scratch + "/output.txt", object = scratch + "/unit.o";
  const std::string vector_unit = scratch + "/vector.cpp", header_unit = scratch + "/header.cpp",
                    calls_unit = scratch + "/calls.cpp";
  std::ofstream(vector_unit) << "#include <vector>\nint main() {}\n";

  const auto command = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = {argv[1], "-std=c++20", std::string("-I") + argv[2]};
    all.insert(all.end(), more);
    return all;
  };

  bool good = true;
  for (int i = 4; i < argc; i += parameters) {
    const std::string header = argv[i];
    std::ofstream(header_unit) << "#include \"" << header << "\"\nint main() {}\n";
    std::ofstream(calls_unit) << "#include <string_view>\n#include <utility>\n#include \"" << header
                              << "\"\nbool calls(std::string_view s);\n"
                              << "bool calls(std::string_view s) { " << argv[i + 1] << " }\n";
    run(command({"-E", "-P", header_unit}), output);
    const long lines = count_lines(output), max_lines = std::atol(argv[i + 2]);
    std::printf("%s: %ld lines (at most %ld)\n", header.c_str(), lines, max_lines);
    good = good && lines <= max_lines;

    const auto compare = [&](const char* what, const std::vector<std::string>& unit,
                             const std::vector<std::string>& vector, double max_ratio) {
      const pair_of_times best = time_of(unit, vector, output, max_ratio);
      std::printf("  %-20s %.2f s, %.2f times <vector> (at most %.2f)\n", what, best.unit,
                  best.unit / best.vector, max_ratio);
      good = good && best.unit <= max_ratio * best.vector;
    };
    compare("included", command({"-fsyntax-only", header_unit}),
            command({"-fsyntax-only", vector_unit}), std::atof(argv[i + 3]));
    const std::vector<std::string> vector = command({"-O2", "-c", vector_unit, "-o", object});
    compare("called, header-only", command({"-O2", "-c", calls_unit, "-o", object}), vector,
            std::atof(argv[i + 4]));
    compare("called, compiled",
            command({"-O2", "-DTESSERA_COMPILED", "-c", calls_unit, "-o", object}), vector,
            std::atof(argv[i + 5]));
  }
  return good ? 0 : 1;
}
