// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Containers from their text.

#ifndef TESSERA_TESTS_NAC_TOOLS_CONTAINERS_HPP
#define TESSERA_TESTS_NAC_TOOLS_CONTAINERS_HPP

#include <memory>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "tessera/inspect/nac/lookup.hpp"

namespace nac_tools_tests {

namespace nac = tessera::nac;
using tessera::inspect::lookup;

/// A container with all that borrows from it.
class container {
 public:
  explicit container(std::string_view text) {
    const tessera::result<nac::parts> parts = nac::assemble(text);
    INFO(text << '\n' << parts.error().message() << " at " << parts.error().offset);
    REQUIRE(parts);
    tessera::result<tessera::pool<std::byte>> written = nac::write(*parts);
    REQUIRE(written);
    bytes_ = std::move(*written);
    const tessera::bytes all(bytes_.data(), bytes_.size());
    tessera::result<nac::model> read = nac::read(all);
    REQUIRE(read);
    file_ = std::make_unique<nac::model>(*read);
    lookup_ = std::make_unique<lookup>(*file_);
  }
  operator const lookup&() const { return *lookup_; }
  const lookup* operator->() const { return lookup_.get(); }

 private:
  tessera::pool<std::byte> bytes_;
  std::unique_ptr<nac::model> file_;
  std::unique_ptr<lookup> lookup_;
};

/// A text with `from` replaced by `to`, which must stand there.
[[nodiscard]] inline std::string with(std::string text, std::string_view from,
                                      std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

/// x · w + b, twice, and what is done with memory.
inline const std::string layers = R"(
parameters:
  1 = "w"
  2 = "b"
tensors:
  1 = f32 [2] hex { 0000803f 00000040 }
  2 = f32 [2] hex { 0000003f 000000bf }
constants:
  1 = null
  2 = 1.5
  3 = "relu"
  4 = [1, -1]
code:
  v0 = input
  v1 = parameter 1
  v2 = nac.mul:1(v0, v1)
  v3 = parameter 2
  v4 = nac.add:1(v2, v3)
  v5 = nac.mul:1(v4, v1)
  v6 = nac.add:1(v5, v3)
  v7 = nac.view(v6, [1, -1])
  v8 = output(v7)
signatures:
  1 = "TT"
  2 = "TS"
schedule:
  2: forward 4
  5: free 4
operations:
  40 = "nac.mul"
)";

}  // namespace nac_tools_tests

#endif  // TESSERA_TESTS_NAC_TOOLS_CONTAINERS_HPP
