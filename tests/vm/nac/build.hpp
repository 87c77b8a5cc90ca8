// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What tests of the NAC machine share: programs built from operations by name.
//
//   builder b;
//   const auto x = b.input();
//   const auto y = b.op("aten.softmax.int", {x, b.whole(-1)});
//   b.output({y});
//   const built made = b.build();             // verified; REQUIREs that it is
//   vm::nac::machine vm(*made.program);

#ifndef TESSERA_TESTS_VM_NAC_BUILD_HPP
#define TESSERA_TESTS_VM_NAC_BUILD_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "tessera/nac/all.hpp"
#include "vm/nac/interpreter.hpp"
#include "vm/nac/part_builder.hpp"

namespace vm_nac_tests {

namespace vm = tessera::vm::nac;

/// A verified program, and all that it borrows.
struct built {
  std::unique_ptr<tessera::pool<std::byte>> bytes;
  std::unique_ptr<nac::program> program;
};

class builder : public part_builder {
 public:
  [[nodiscard]] built build() const {
    built out;
    tessera::result<tessera::pool<std::byte>> written = bytes();
    INFO((written ? std::string_view() : written.error().message()));
    REQUIRE(written);
    out.bytes = std::make_unique<tessera::pool<std::byte>>(*std::move(written));
    const auto file = nac::read(tessera::bytes(out.bytes->data(), out.bytes->size()));
    REQUIRE(file);
    auto program = nac::verify(*file);
    INFO((program ? std::string_view() : program.error().message()));
    REQUIRE(program);
    out.program = std::make_unique<nac::program>(*std::move(program));
    return out;
  }
};

}  // namespace vm_nac_tests

#endif  // TESSERA_TESTS_VM_NAC_BUILD_HPP
