// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writing containers: the vectors both ways, every refusal, sinks, conversion between versions.

#include "nac/support.hpp"

using namespace tessera;
using namespace nac_tests;

namespace {

[[nodiscard]] std::vector<std::byte> vector_of(bytes b) { return {b.begin(), b.end()}; }
[[nodiscard]] bytes bytes_of(const pool<std::byte>& p) { return {p.data(), p.size()}; }

}  // namespace

TEST_CASE("nac/write: containers of the first compiler come out as they were", "[nac]") {
  for (const char* name : {"mini_v16", "mini_v17", "mini_v18", "two_outputs"}) {
    INFO(name);
    const auto source = hex_file(name);
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    const nac::parts p = nac::parts_of(*file);
    const auto same = nac::write(p, {.upstream_prefixes = true});
    REQUIRE(same);
    CHECK(vector_of(bytes_of(*same)) == source);
    CHECK(*nac::written_size(p) == source.size());
  }
}
