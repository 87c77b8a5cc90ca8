// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loads a NEM program, verifies it, binds its inputs, runs it, reads a buffer.

#include <cstdio>
#include <tessera/vm/nem.hpp>
#include <vector>

#include "file.hpp"

int main(int, char** paths) {
  auto model = tessera::nem::read(file(paths[1]));
  if (!model) return 1;
  const auto program = tessera::nem::verify(std::move(*model));
  if (!program) return 1;
  tessera::vm::nem::machine vm(*program);
  const auto one = [](std::size_t i) {
    return std::byte{i % 2 == 0 ? std::uint8_t{0} : std::uint8_t{0x3c}};
  };
  for (const char* name : {"left", "right"})  // matrices of float16: 1 is 0x3c00
    for (std::size_t i = 0; i < vm.find(name)->size; ++i) vm.bytes(*vm.find(name))[i] = one(i);
  if (const auto done = vm.run(); !done) return 1;
  const auto y = vm.bytes(*vm.find("result"));
  std::printf("%02x%02x\n", std::to_integer<unsigned>(y[1]), std::to_integer<unsigned>(y[0]));
}
