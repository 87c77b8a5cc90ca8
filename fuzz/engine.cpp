// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How libFuzzer and AddressSanitizer work for all targets, where the command line and ASAN_OPTIONS don't
// say something else.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "require.hpp"

/// Stacks of allocations, and 256 MB that wait before they are used again, take a third of the time.
/// Reproduce with ASAN_OPTIONS=malloc_context_size=30 to see where memory comes from.
extern "C" const char* __asan_default_options() {
  return "malloc_context_size=1:quarantine_size_mb=16";
}

/// Whether an argument is one that replays: no new inputs, or a file.
[[nodiscard]] static bool replays(const std::vector<char*>& arguments) {
  bool has_file = false;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (std::strcmp(arguments[i], "-runs=0") == 0) return true;
    if (arguments[i][0] == '-') continue;
    std::FILE* const file = std::fopen(arguments[i], "rb");  // of a directory this works, too
    has_file = file != nullptr && std::fgetc(file) != EOF;
    if (file != nullptr) std::fclose(file);
  }
  return has_file;
}

/// Entropic schedules take up to half of the time, most of it for features of the first seconds; and a
/// corpus that only this process writes needn't be read again each second.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  static std::vector<char*> all(*arguments, *arguments + *count);
  static char no_entropy[] = "-entropic=0", no_reload[] = "-reload=0";
  fuzz::checks_all = replays(all);
  all.insert(all.begin() + 1, {no_entropy, no_reload});
  all.push_back(nullptr);
  *count = static_cast<int>(all.size()) - 1;
  *arguments = all.data();
  return 0;
}

// This file has no counters of its own: where there are some, these names are the compiler's.
extern "C" __attribute__((weak, visibility("hidden"))) std::uint8_t __start___sancov_cntrs[];
extern "C" __attribute__((weak, visibility("hidden"))) std::uint8_t __stop___sancov_cntrs[];

extern "C" void tessera_fuzz_forget() {
  std::uint8_t* const first = __start___sancov_cntrs;
  std::uint8_t* const end = __stop___sancov_cntrs;
  if (first != end) std::memset(first, 0, static_cast<std::size_t>(end - first));
}
