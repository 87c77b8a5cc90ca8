// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Programs of generate.hpp as C++, by the recipes that they were made with.

#ifndef TESSERA_BENCH_ALIR_CPP_PROGRAMS_HPP
#define TESSERA_BENCH_ALIR_CPP_PROGRAMS_HPP

#include <cstddef>

#include "generate.hpp"

namespace bench {

struct emitted_program {
  recipe how;
  std::size_t (*run)(const double* in, double* out, std::size_t samples);
};
extern const emitted_program emitted_programs[6];

}  // namespace bench

#endif  // TESSERA_BENCH_ALIR_CPP_PROGRAMS_HPP
