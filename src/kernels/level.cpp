// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "level.hpp"

namespace tessera::inline TESSERA_ABI {
namespace kernels {

namespace {

level find_level() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0 ||
      __builtin_cpu_supports("f16c") == 0)
    return level::baseline;
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                 __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0
             ? level::avx512
             : level::avx2;
#else
  return level::baseline;
#endif
}

}  // namespace

level best_level() noexcept {
  static const level best = find_level();
  return best;
}

}  // namespace kernels
}  // namespace tessera::inline TESSERA_ABI
