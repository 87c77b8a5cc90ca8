// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Reads a file of FORMAT and writes it again, which every format does with the same two calls.
// TESSERA_INCLUDE names the header, EXPECT_COMPILED its mode.

#include TESSERA_INCLUDE

#include <cstdio>

#include "file.hpp"

static_assert(TESSERA_IS_COMPILED == EXPECT_COMPILED, "the other mode than the one under test");

int main(int, char** paths) {
  namespace format = tessera::FORMAT;
  const std::string source = file(paths[1]);
  const auto model = format::read(source);
  if (!model) return 1;
  const auto written = format::write(*model);
  if (!written) return 1;
  std::printf("%zu\n", written->size());
}
