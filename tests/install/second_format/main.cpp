// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Single headers of two formats, and the header tree, meet in one translation unit. ORDER says
// which comes first: whoever does brings the core, and the others skip it.

// clang-format off: the order is the point.
#if ORDER == 1
#include <tessera/tessera.hpp>
#include "second_format.hpp"
#include "tessera_alir.hpp"
#elif ORDER == 2
#include <tessera/tessera.hpp>
#include "second_format.hpp"
#include "tessera_alir.hpp"
#else
#include <tessera/tessera.hpp>
#include "second_format.hpp"
#include "tessera_alir.hpp"
#endif

// clang-format on

#include <cstdio>

int main() {
  auto model = tessera::alir::read_json("[]");
  if (model || tessera::second_format::sum("[1, 2, 39]") != 42) return 1;
  std::printf("42\n");
  return 0;
}
