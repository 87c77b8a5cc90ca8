// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Two libraries of one program were built with two versions of Tessera: each keeps its own.

#include "tessera_alir.hpp"

#include <cstdio>
#include <string_view>

const char* other_version();
bool other_reads(std::string_view source);

int main() {
  constexpr std::string_view source = R"({"meta":"ALIRModel","spec_version":2,"model":7})";
  auto model = tessera::alir::read_json(source);
  if (model || other_reads(source)) return 1;
  std::printf("%s and %s\n", TESSERA_VERSION_STRING, other_version());
  return 0;
}
