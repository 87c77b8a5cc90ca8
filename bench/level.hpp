// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which instructions the kernels may use, from the environment.
//
//   TESSERA_LEVEL=baseline bench_matmul        baseline, avx2 or avx512: at most these

#ifndef TESSERA_BENCH_LEVEL_HPP
#define TESSERA_BENCH_LEVEL_HPP

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "ratios.hpp"
#include "tensor/level.hpp"

namespace bench {

inline tessera::tensors::level chosen_level() {
  using tessera::tensors::level;
  const level best = tessera::tensors::best_level();
  const char* const name = std::getenv("TESSERA_LEVEL");
  if (name == nullptr) return best;
  const std::string_view l = name;
  require(l == "baseline" || l == "avx2" || l == "avx512",
          "TESSERA_LEVEL is baseline, avx2 or avx512");
  return std::min(best, l == "baseline" ? level::baseline
                        : l == "avx2"   ? level::avx2
                                        : level::avx512);
}

}  // namespace bench

#endif  // TESSERA_BENCH_LEVEL_HPP
