// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "bench/nac_networks.hpp"

#include <cstring>

#include "support/catch.hpp"

namespace {

namespace nac = tessera::nac;
namespace vm = tessera::vm::nac;

/// Runs the network in all ways to free results; what they give is that of PyTorch, and the same
/// bits.
void check(const bench::network& net, const std::string& name) {
  const bench::recorded expected(TESSERA_TESTS_DATA_DIR "/nac/networks.txt", name);
  CHECK(net.operation_lines() == expected.operations);
  std::vector<float> first;
  vm::statistics never;
  for (const vm::freeing frees :
       {vm::freeing::never, vm::freeing::computed, vm::freeing::as_filed}) {
    for (const bool keep : {true, false}) {
      vm::interpreter machine(net.program(), {.frees = frees, .keep_parameters = keep});
      net.set_inputs(machine);
      const vm::outcome done = machine.run();
      INFO(tessera::error({done.code, 0}).name() << ' ' << done.text);
      REQUIRE(done);
      REQUIRE(machine.outputs().size() == 1);
      const vm::tensor& y = machine.outputs()[0].as_tensor();
      // PyTorch's own float32 is off by 3 to 5 of 2^-23 here.
      CHECK(expected.difference(y) < 0x1.0p-23 * 16);
      const vm::statistics& figures = machine.figures();
      if (first.empty()) {
        first.assign(y.as<float>(), y.as<float>() + y.size());
        never = figures;
        CHECK(never.peak == never.peak_unfreed);
        continue;
      }
      REQUIRE(first.size() == y.size());
      CHECK(std::memcmp(first.data(), y.data, y.bytes()) == 0);
      CHECK(figures.parameters == never.parameters);
      if (frees == vm::freeing::never) continue;
      CHECK(figures.peak_unfreed == never.peak_unfreed);
      // Less than a third of the results at once; and of all else less than half of the parameters.
      if (keep)
        CHECK((figures.peak - figures.parameters) * 3 < never.peak - never.parameters);
      else
        CHECK(figures.peak * 2 < never.parameters);
    }
  }
}

}  // namespace

TEST_CASE("vm/nac/networks: a residual CNN of 18 layers gives what PyTorch does", "[vm_nac]") {
  check(bench::network(bench::residual{.size = 32, .classes = 10, .widths = {8, 16, 32, 64}}),
        "residual_narrow");
}

TEST_CASE("vm/nac/networks: an encoder of 6 layers gives what PyTorch does", "[vm_nac]") {
  check(bench::network(bench::encoder{.layers = 6,
                                      .width = 32,
                                      .heads = 4,
                                      .sequence = 16,
                                      .feed_forward = 64,
                                      .vocabulary = 50}),
        "encoder_narrow");
}
