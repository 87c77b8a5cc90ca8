// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/device.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace tessera;

namespace {

const std::string_view devices = R"(
include "npm_baseline_1.0.nem"
device small extends npm_baseline_1_0 {
  topology { num_engines = 1 l2_size_bytes = 4096 device_units { sDMA = 1 } per_engine {
    NMU = 1 CSTL = 2 DMA = 1 VPU = 1 SEQ = 1 l1_size_bytes = 1024 } }
  unit_characteristics { NMU { int8_macs = 8 lanes = 2 } }
  opcode.mandatory { eltwise<f32>.default }
}
device large extends small {
  topology { num_engines = 2 l2_size_bytes = 4096 device_units { sDMA = 1 } per_engine {
    NMU = 1 CSTL = 2 DMA = 1 VPU = 1 SEQ = 1 l1_size_bytes = 2048 } }
  unit_characteristics { NMU { int8_macs = 16 } SEQ { max_active_tokens = 4 } }
  opcode.extended { view<bf16>.default }
}
device same extends large { }
)";

struct devices_of {
  explicit devices_of(std::string_view source, nem::verify_options options = {}) {
    result<nem::model> d = nem::read(source);
    REQUIRE(d);
    result<nem::program> p = nem::verify(std::move(*d), options);
    if (!p) FAIL(p.error().name());
    program.emplace(std::move(*p));
  }
  [[nodiscard]] inspect::device_summary summary(std::string_view name) const {
    const nem::catalog& c = program->catalog();
    for (const nem::device& d : c.devices)
      if (c.text_of(d.name) == name) return {c, d};
    FAIL("no device " << name);
    return {c, c.devices[0]};
  }
  std::optional<nem::program> program;
};

std::string variant(const inspect::device_summary& s, std::string_view reference) {
  for (const inspect::device_summary::variant& v : s.variants)
    if (v.reference == reference)
      return (v.is_mandatory ? "mandatory, " : "extended, ") + std::string(v.from);
  return "";
}
std::string number(const inspect::device_summary& s, nem::unit u, std::string_view key) {
  for (const inspect::device_summary::number& n : s.numbers)
    if (n.unit == u && n.key == key) return std::to_string(n.value) + ", " + std::string(n.from);
  return "";
}

/// What a device has that extends two others, whether it is a target, and so resolved, or not.
void check(const inspect::device_summary& s) {
  CHECK(s.spec_version == "NEM-1.0");
  CHECK(s.ancestors == std::vector<std::string_view>{"large", "small", "npm_baseline_1_0"});
  CHECK(s.has_topology);
  CHECK(s.topology_from == "large");
  CHECK(s.topology.engines == 2);
  CHECK(s.variants.size() == 19);
  CHECK(variant(s, "cast.default") == "mandatory, npm_baseline_1_0");
  CHECK(variant(s, "eltwise<f32>.default") == "mandatory, small");
  CHECK(variant(s, "view<bf16>.default") == "extended, large");
  CHECK(s.numbers.size() == 3);
  CHECK(number(s, nem::unit::nmu, "int8_macs") == "16, large");
  CHECK(number(s, nem::unit::nmu, "lanes") == "2, small");
  CHECK(number(s, nem::unit::seq, "max_active_tokens") == "4, large");
}

}  // namespace

TEST_CASE("inspect/nem: a device with what it inherits, and from where", "[inspect_nem]") {
  check(devices_of(devices).summary("same"));
  check(devices_of(devices, {.device = "same"}).summary("same"));
  const inspect::device_summary base = devices_of(devices).summary("npm_baseline_1_0");
  CHECK(base.ancestors.empty());
  CHECK_FALSE(base.has_topology);
  CHECK(base.topology_from.empty());
  CHECK(base.variants.size() == 17);
}

TEST_CASE("inspect/nem: the opcodes of a family", "[inspect_nem]") {
  CHECK(inspect::opcodes_of("gemm.float") == "gemm, matmul");
  CHECK(inspect::opcodes_of("gemm") == "");
}

TEST_CASE("inspect/nem: what differs between devices", "[inspect_nem]") {
  const devices_of all(devices);
  CHECK(inspect::diff(all.summary("large"), all.summary("same")).lines.empty());
  const inspect::device_difference d = inspect::diff(all.summary("small"), all.summary("large"));
  std::string lines;
  for (const inspect::device_difference::line& l : d.lines)
    lines += l.what + ' ' + l.before + '>' + l.after + '\n';
  CHECK(lines ==
        "num_engines 1>2\nl1_size_bytes 1024>2048\nNMU.int8_macs 8>16\n"
        "SEQ.max_active_tokens >4\nview<bf16>.default >extended\n");
  const inspect::device_difference base =
      inspect::diff(all.summary("npm_baseline_1_0"), all.summary("small"));
  CHECK(base.lines.front().what == "num_engines");
  CHECK(base.lines.front().before.empty());
}
