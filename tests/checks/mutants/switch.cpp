// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Linked to every program of the mutated tree.
//
//   TESSERA_MUTANT   the mutant to run, from 1 on; none by default
//   TESSERA_REACHED  a file of one byte for each mutant: those that were reached become 1. Programs
//                    that run one another share it.

#include "switch.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdlib>

namespace tessera_mutants {
namespace {

struct settings {
  unsigned mutant = 0;
  unsigned char* reached = nullptr;
  std::size_t size = 0;

  settings() noexcept {
    if (const char* const text = std::getenv("TESSERA_MUTANT"))
      mutant = static_cast<unsigned>(std::strtoul(text, nullptr, 10));
    const char* const path = std::getenv("TESSERA_REACHED");
    const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
    struct stat status = {};
    if (file < 0 || ::fstat(file, &status) != 0) return;
    size = static_cast<std::size_t>(status.st_size);
    void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at != MAP_FAILED) reached = static_cast<unsigned char*>(at);
  }
};

}  // namespace

bool reach(unsigned mutant) noexcept {
  static const settings how;
  if (how.reached != nullptr && mutant < how.size) how.reached[mutant] = 1;
  return mutant == how.mutant;
}

}  // namespace tessera_mutants
