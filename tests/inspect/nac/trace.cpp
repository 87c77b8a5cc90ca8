// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nac/trace.hpp"

#include <array>

#include "containers.hpp"

namespace {

using namespace nac_tools_tests;
using tessera::inspect::run_recorder;

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("inspect/nac/trace: a span for each instruction that runs", "[inspect_nac]") {
  const container c(layers);
  const tessera::result<nac::program> p = nac::verify(c->model());
  REQUIRE(p);
  tessera::vm::nac::machine vm(*p);
  run_recorder seen(*p);
  const std::array<std::int64_t, 1> shape = {2}, wrong = {3};
  const float x[] = {1, 2, 3};
  REQUIRE(vm.set_input(0, {wrong, std::span<const float>(x)}));
  CHECK_FALSE(vm.run({}, seen));  // a run that fails leaves instructions without an end
  REQUIRE(vm.set_input(0, {shape, std::span<const float>(x, 2)}));
  REQUIRE(vm.run({}, seen));
  tessera::text out;
  seen.append_trace(out, "x\xff");
  const std::string_view all = out.view();
  CHECK(count(all, "\"ph\":\"X\"") == 9 + 3);
  CHECK(count(all, "\"name\":\"v2 nac.mul\"") == 2);
  CHECK(count(all, "\"name\":\"v7 nac.view\"") == 1);
  CHECK(count(all, "{\"arguments\":\"v6, [1, -1]\"}") == 1);
  CHECK(count(all, "{\"name\":\"x\xEF\xBF\xBD\"}") == 1);
}

TEST_CASE("inspect/nac/trace: commands of the memory schedule and loads", "[inspect_nac]") {
  const container c(layers);
  const tessera::result<nac::program> p = nac::verify(c->model());
  REQUIRE(p);
  run_recorder seen(*p);
  seen.command(nac::action::free, 4);
  seen.preloaded(3, run_recorder::clock::now(), run_recorder::clock::now());
  tessera::text out;
  seen.append_trace(out, "layers");
  CHECK(count(out.view(), "\"name\":\"free v4 nac.add\",\"cat\":\"memory\",\"s\":\"t\"") == 1);
  CHECK(count(out.view(), "\"tid\":3") == 2);
}
