// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What including a header costs: preprocessed lines, which are exact, and the compiler's CPU time
// as a ratio to `#include <vector>`.
//
//   include_cost COMPILER INCLUDE_DIR SCRATCH_DIR [HEADER RATIO]...
//
// CPU time and not wall time, the fastest of several runs, the header and <vector> in turns: what a
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

constexpr long max_lines = 26000;
constexpr int min_rounds = 3;
constexpr int max_rounds = 25;
constexpr double hopeless = 1.2;  // beyond this much over the limit, more runs change nothing

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "include_cost: %s\n", what.c_str());
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

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) fail("usage: include_cost COMPILER INCLUDE_DIR SCRATCH_DIR [HEADER RATIO]...");
  const std::string scratch = argv[3];
  const std::string lines_file = scratch + "/lines.txt";
  const std::string vector_unit = scratch + "/vector.cpp";
  const std::string header_unit = scratch + "/header.cpp";
  std::ofstream(vector_unit) << "#include <vector>\nint main() {}\n";

  const std::vector<std::string> base = {argv[1], "-std=c++20", std::string("-I") + argv[2]};
  const auto with = [&base](std::initializer_list<std::string> more) {
    std::vector<std::string> command = base;
    command.insert(command.end(), more);
    return command;
  };

  bool good = true;
  for (int i = 4; i + 1 < argc; i += 2) {
    const double max_ratio = std::atof(argv[i + 1]);
    std::ofstream(header_unit) << "#include \"" << argv[i] << "\"\nint main() {}\n";
    run(with({"-E", "-P", header_unit}), lines_file);
    const long lines = count_lines(lines_file);

    double header = 1e9;
    double vector = 1e9;
    int rounds = 0;
    while (rounds < min_rounds || (header > max_ratio * vector &&
                                   header < hopeless * max_ratio * vector && rounds < max_rounds)) {
      vector = std::min(vector, run(with({"-fsyntax-only", vector_unit}), lines_file));
      header = std::min(header, run(with({"-fsyntax-only", header_unit}), lines_file));
      ++rounds;
    }
    std::printf("%s: %ld lines (at most %ld), %.3f s, %.2f times <vector> (at most %.2f)\n",
                argv[i], lines, max_lines, header, header / vector, max_ratio);
    good = good && lines <= max_lines && header <= max_ratio * vector;
  }
  return good ? 0 : 1;
}
