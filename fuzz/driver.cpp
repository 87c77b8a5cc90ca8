// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A main() for fuzz targets where there is no libFuzzer: replays files and all in directories, each copied
// to memory between guarded pages, and then runs a few mutations of them.
//
//   fuzz_alir_run fuzz/corpus/alir_run                        every file once
//   fuzz_alir_run --runs 10000 --seed 7 fuzz/corpus/alir_run  and 10000 mutations of them
//   fuzz_alir_run --runs 1 --first 812 --seed 7 ...           only mutation 812 of these
//   fuzz_alir_run --failures 300 fuzz/corpus/alir_run         every file 300 times, another allocation fails
//   fuzz_alir_run --threads 3 fuzz/corpus/alir_run            every file in three threads at a time
//
// Mutation n of a seed is the same everywhere and in every run. An input that ends the program is
// written to ./crash.<target> first.

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mutate.hpp"
#include "require.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/guard_page.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
#if defined(__GNUC__)
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed)
    __attribute__((weak));
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));
#endif

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_size = std::size_t{1} << 22;
constexpr std::size_t max_cut = 9;         // bytes at the end of a file that are left out, in turn
constexpr std::size_t max_mutated = 4096;  // as in libFuzzer runs

/// What is being run, for the file that a crash leaves.
std::string crash_file;
thread_local std::string_view current;
thread_local bool running = false;

void save_current() {
  if (!running) return;
  running = false;
  std::FILE* const file = std::fopen(crash_file.c_str(), "wb");
  if (file == nullptr) return;
  std::fwrite(current.data(), 1, current.size(), file);
  std::fclose(file);
  std::fprintf(stderr, "the input is in %s\n", crash_file.c_str());
}

void on_signal(int number) {
  save_current();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void run(std::string_view input) {
  current = input;
  running = true;
  fuzz::depends_on_time = false;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
  running = false;
}

// ---- allocations that fail

using tessera_tests::allocations;

/// Ends the program unless all memory is back.
void require_no_leak(const allocations& used, std::uint64_t failing) {
  if (used.live() == 0) return;
  std::fprintf(stderr, "%lld bytes are lost once allocation %llu has failed\n",
               static_cast<long long>(used.live()), static_cast<unsigned long long>(failing));
  std::abort();
}

/// Runs an input while allocation `at` fails, with or without those after it.
void run_failing(std::string_view input, std::uint64_t at, bool all_after) {
  const allocations used;
  try {
    const tessera_tests::failing_allocations failing(at, all_after);
    fuzz::lacks_memory = true;
    run(input);
  } catch (const std::bad_alloc&) {
    running = false;
  }
  fuzz::lacks_memory = false;
  running = true;
  require_no_leak(used, at);
  running = false;
}

/// Has `max_failures` different allocations fail, in turn: all of them if there are so few, or else all of
/// the first third, then evenly spread ones. Then the input has to run as before.
std::uint64_t run_failures(std::string_view input, std::uint64_t max_failures) {
  run(input);  // makes what lives as long as the program
  const allocations first;
  run(input);
  const std::uint64_t count = first.count(), all = std::min(count, max_failures / 3);
  require_no_leak(first, count);
  std::uint64_t failures = 0;
  const std::uint64_t rest = count - all, spread = std::min(rest, max_failures - all);
  for (std::uint64_t i = 0; i < all + spread; ++i, ++failures) {
    const std::uint64_t at = i < all ? i : all + (i - all) * rest / spread;
    run_failing(input, at, false);
    run_failing(input, at, true);
  }
  const allocations again;
  run(input);
  if (again.count() != count && !fuzz::depends_on_time) {
    std::fprintf(stderr, "%llu allocations, and %llu after some have failed\n",
                 static_cast<unsigned long long>(count),
                 static_cast<unsigned long long>(again.count()));
    std::abort();
  }
  return failures;
}

/// What inputs are made of: a generator that begins anew for each of them, and all seeds.
fuzz::generator draw(0);
std::vector<std::string> seeds;

/// A small change, some of them taken from another seed.
void change(std::string& s) {
  constexpr std::string_view pieces[] = {"0",
                                         "-1",
                                         "1e9",
                                         "0.5",
                                         "-0.0",
                                         "9223372036854775808",
                                         "[",
                                         "]",
                                         "{",
                                         "}",
                                         ",",
                                         ":",
                                         "\"",
                                         "\\",
                                         "null",
                                         "\xff\xff\xff\xff",
                                         "\xff\xff\xff\x7f"};
  const std::size_t at = draw.below(s.size() + 1);
  const std::size_t count = 1 + draw.below(draw.below(4) == 0 ? 64 : 4);
  switch (draw.below(7)) {
    case 0:
      if (at < s.size()) s[at] = static_cast<char>(s[at] ^ 1 << draw.below(8));
      break;
    case 1:
      if (at < s.size()) s[at] = static_cast<char>(draw.bits());
      break;
    case 2: s.erase(at, count); break;
    case 3: s.insert(at, s.substr(draw.below(s.size() + 1), count)); break;
    case 4: s.insert(at, pieces[draw.below(std::size(pieces))]); break;
    case 5: s.replace(at, count, pieces[draw.below(std::size(pieces))]); break;
    default:
      if (!seeds.empty()) {
        const std::string& other = seeds[draw.below(seeds.size())];
        s.replace(at, count, other.substr(draw.below(other.size() + 1), count));
      }
  }
}

/// One to four changes of a seed, by the target's own mutator where it has one.
std::string mutate() {
  std::string s = seeds.empty() ? std::string() : seeds[draw.below(seeds.size())];
  for (std::size_t n = 1 + draw.below(4); n > 0; --n) {
#if defined(__GNUC__)
    if (&LLVMFuzzerCustomMutator != nullptr) {
      const std::size_t size = s.size();
      s.resize(std::max(size, max_mutated));
      s.resize(LLVMFuzzerCustomMutator(reinterpret_cast<std::uint8_t*>(s.data()), size, s.size(),
                                       static_cast<unsigned>(draw.bits())));
      continue;
    }
#endif
    change(s);
  }
  if (s.size() > max_mutated) s.resize(max_mutated);
  return s;
}

/// All seeds in each of some threads, which begin together, half of them with the same one.
void run_in_threads(std::uint64_t threads) {
  std::atomic<std::uint64_t> waiting{threads};
  std::vector<std::thread> all;
  for (std::uint64_t t = 0; t < threads; ++t)
    all.emplace_back([&waiting, first = t / 2 * seeds.size() / threads] {
      --waiting;
      while (waiting != 0) std::this_thread::yield();
      for (std::size_t i = 0; i < seeds.size(); ++i) run(seeds[(first + i) % seeds.size()]);
    });
  for (std::thread& t : all) t.join();
}

/// The files that an argument names, in an order that doesn't depend on the file system.
std::vector<fs::path> files_of(const fs::path& argument) {
  std::vector<fs::path> files;
  if (!fs::is_directory(argument)) return {argument};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argument))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<std::string> contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

int usage(const char* program) {
  std::fprintf(stderr,
               "usage: %s [--runs N] [--first N] [--seed S] [--failures N] [--threads N] "
               "FILE|DIRECTORY...\n",
               program);
  return 2;
}

}  // namespace

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t limit) {
  std::string s(reinterpret_cast<const char*>(data), size);
  change(s);
  if (s.size() > limit) s.resize(limit);
  if (!s.empty()) std::memcpy(data, s.data(), s.size());
  return s.size();
}

int main(int count, char** arguments) {
  std::uint64_t runs = 0, first = 0, seed = 1, failures = 0, threads = 0;
  std::vector<fs::path> files;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    std::uint64_t* const option = word == "--runs"       ? &runs
                                  : word == "--first"    ? &first
                                  : word == "--seed"     ? &seed
                                  : word == "--failures" ? &failures
                                  : word == "--threads"  ? &threads
                                                         : nullptr;
    if (option != nullptr) {
      if (++i == count) return usage(arguments[0]);
      const std::string_view value = arguments[i];
      const auto got = std::from_chars(value.data(), value.data() + value.size(), *option);
      if (got.ec != std::errc() || got.ptr != value.data() + value.size())
        return usage(arguments[0]);
    } else if (word.substr(0, 2) == "--" || !fs::exists(word)) {
      std::fprintf(stderr, "%s: no such option or file: %s\n", arguments[0], arguments[i]);
      return usage(arguments[0]);
    } else {
      for (fs::path& file : files_of(word)) files.push_back(std::move(file));
    }
  }
  if (files.empty() && runs == 0) return usage(arguments[0]);

  crash_file = "crash." + fs::path(arguments[0]).filename().string();
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
    std::signal(number, on_signal);
#if defined(__GNUC__)
  if (&__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(save_current);
#endif

  tessera_tests::guard_page memory(max_size);
  std::uint64_t failed = 0;
  fuzz::checks_all = true;
  for (const fs::path& file : files) {
    std::optional<std::string> content = contents_of(file);
    if (!content || content->size() > max_size) {
      std::fprintf(stderr, "%s: can't be read, or holds more than %zu bytes\n", file.c_str(),
                   max_size);
      return 3;
    }
    if (threads != 0) {  // only there, so that threads see what is made at the first use
      seeds.push_back(*std::move(content));
      continue;
    }
    // So that neither the byte before the input nor the one after it can be read, whatever is left for
    // the last step of a loop that takes several bytes.
    run(memory.place_first(*content));
    run(memory.place(*content));
    const std::string_view whole = *content;
    for (std::size_t cut = 1; cut <= std::min(max_cut, whole.size()); ++cut)
      run(memory.place(whole.substr(0, whole.size() - cut)));
    if (failures != 0) failed += run_failures(memory.place(*content), failures);
    seeds.push_back(*std::move(content));
  }
  run_in_threads(threads);
  fuzz::checks_all = false;
  for (std::uint64_t n = 0; n < runs; ++n) {
    draw = fuzz::generator((seed << 32) + first + n);
    draw.bits();
    run(memory.place(mutate()));
  }
  std::printf("%zu files and %llu mutations of them ran, and %llu allocations failed\n",
              seeds.size(), static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(failed));
  return 0;
}
