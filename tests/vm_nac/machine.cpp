// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "vm/nac/machine.hpp"

#include "vm_nac/build.hpp"

using namespace vm_nac_tests;

TEST_CASE("vm_nac/machine: an input that is missing is told with its instruction", "[vm_nac]") {
  builder b;
  const operand x = b.input(), y = b.input();
  b.output({x, y});
  const built made = b.build();
  vm::machine machine(*made.program);
  machine.set_input(0, vm::make_tensor(machine.room(), nac::data_type::float32, {2}));
  const vm::outcome done = machine.run();
  CHECK(done.code == tessera::errc::nac_run_input);
  CHECK(done.instruction == 1);
}
