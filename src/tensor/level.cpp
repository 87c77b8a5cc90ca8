// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "level.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

namespace tessera::inline TESSERA_ABI {
namespace tensors {

namespace {

level find_level() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  // __builtin_cpu_supports asks the system about the registers too; Clang 14's knows no F16C.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const bool f16c = __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
  if (!f16c || __builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0)
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

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
