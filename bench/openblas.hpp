// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// OpenBLAS as a contender on one thread, with kernels for the instructions that ours use. It reads
// its environment before main(), and falls back to SSE3 on processors that it doesn't know: so a
// program sets OPENBLAS_NUM_THREADS and, unless it is there, OPENBLAS_CORETYPE, and starts itself
// again.
//
//   int main(int count, char** arguments) {
//     bench::start_again_with_openblas_set(arguments);

#ifndef TESSERA_BENCH_OPENBLAS_HPP
#define TESSERA_BENCH_OPENBLAS_HPP

#include <cblas.h>
#include <unistd.h>

#include <cstdlib>

#include "level.hpp"
#include "ratios.hpp"

namespace bench {

/// The kernels of OpenBLAS for the same instructions.
inline const char* core_type(tessera::tensors::level l) {
#if defined(__x86_64__)
  using tessera::tensors::level;
  if (l == level::avx512) return "SkylakeX";
  if (l == level::avx2) return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
  return "Prescott";
#else
  (void)l;
  return nullptr;
#endif
}

inline void start_again_with_openblas_set(char** arguments) {
  if (std::getenv("TESSERA_BENCH_STARTED") != nullptr) {
    const std::string configuration = openblas_get_config();  // OpenBLAS 0.3.21 NO_LAPACKE ...
    name_peer("openblas",
              configuration.substr(0, configuration.find(' ', 9)) + ", " + openblas_get_corename());
    return;
  }
  setenv("TESSERA_BENCH_STARTED", "1", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  if (const char* const core = core_type(chosen_level()); core != nullptr)
    setenv("OPENBLAS_CORETYPE", core, 0);
  execvp(arguments[0], arguments);
  require(false, "can't start again");
}

}  // namespace bench

#endif  // TESSERA_BENCH_OPENBLAS_HPP
