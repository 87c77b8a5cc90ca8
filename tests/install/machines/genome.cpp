// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loads a registry and a NAC v1.2 stream, verifies them, runs the stream, reads an output.

#include <cstdio>
#include <tessera/vm/genome.hpp>

#include "file.hpp"

int main(int, char** paths) {
  auto registry = tessera::genome::read_registry(file(paths[1]));
  if (!registry) return 1;
  const auto library = tessera::genome::verify(std::move(*registry));
  auto stream = tessera::genome::read_base64(file(paths[2]));
  if (!library || !stream) return 1;
  const auto program = tessera::genome::verify(std::move(*stream), *library);
  if (!program) return 1;
  tessera::vm::genome::machine vm(*program);
  const float three = 3, one = 1;
  vm.set_input(0, {{}, std::span(&three, 1)});
  vm.set_input(1, {{}, std::span(&one, 1)});
  if (const auto done = vm.run(); !done) return 1;
  std::printf("%g\n", static_cast<double>(vm.output(0).elements<float>()[0]));
}
