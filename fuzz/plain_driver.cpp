// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A main() for fuzz targets that replays files and all in directories, and asks nothing of the C++ library:
// under MemorySanitizer, where that isn't instrumented, a main() that did would end the program.
//
//   fuzz_nem_read fuzz/corpus/nem_read

#include <dirent.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Mutators are linked, and never called.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t limit);
std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) { return size; }

namespace {

constexpr std::size_t max_size = std::size_t{1} << 22, max_path = 4096, max_cut = 9;

/// Runs a copy that has no byte more, so that what is read beyond it is uninitialised.
void run_copy(const std::uint8_t* from, std::size_t size) {
  auto* const copy = static_cast<std::uint8_t*>(std::malloc(size == 0 ? 1 : size));
  if (copy == nullptr) std::abort();
  std::memcpy(copy, from, size);
  LLVMFuzzerTestOneInput(copy, size);
  std::free(copy);
}

/// Runs a file and what is left of it without some bytes at its end. False: it can't be read.
bool run_file(const char* path) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) return false;
  auto* const content = static_cast<std::uint8_t*>(std::malloc(max_size + 1));
  if (content == nullptr) std::abort();
  const std::size_t size = std::fread(content, 1, max_size + 1, file);
  const bool is_read = std::ferror(file) == 0 && size <= max_size;
  std::fclose(file);
  for (std::size_t cut = 0; is_read && cut <= max_cut && cut <= size; ++cut)
    run_copy(content, size - cut);
  std::free(content);
  return is_read;
}

/// Runs a file, or all files of a directory; counts them.
bool run_all(const char* path, unsigned& count) {
  DIR* const directory = opendir(path);
  if (directory == nullptr) return ++count, run_file(path);
  bool all_read = true;
  while (const dirent* const entry = readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    char inner[max_path];
    std::snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
    all_read = run_all(inner, count) && all_read;
  }
  closedir(directory);
  return all_read;
}

}  // namespace

int main(int count, char** arguments) {
  unsigned files = 0;
  for (int i = 1; i < count; ++i)
    if (!run_all(arguments[i], files)) {
      std::fprintf(stderr, "%s: can't be read, or holds more than %zu bytes\n", arguments[i],
                   max_size);
      return 3;
    }
  std::printf("%u files ran\n", files);
  return files == 0 ? 2 : 0;
}
