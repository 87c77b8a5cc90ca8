// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a first user writes: reads a program, proves it sound, says what it is. TESSERA_INCLUDE
// names the header in the way that the consumer under test gets at it, EXPECT_COMPILED its mode.

#include TESSERA_INCLUDE

#include <cstdio>
#include <string_view>
#include <utility>

static_assert(TESSERA_IS_COMPILED == EXPECT_COMPILED, "the other mode than the one under test");

int main() {
  // One input of four bits, its negation as output.
  constexpr std::string_view source =
      R"({"model":[[1,1],[0],[1],[0],[false],)"
      R"([[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0],[0,-1,-2,0,[-7.5,8.0,0.5],0.0,0.0]],-1,-1,null],)"
      R"("meta":"ALIRModel","spec_version":2})";

  auto model = tessera::alir::read(source);
  if (!model) {
    const std::string_view message = model.error().message();
    std::printf("%.*s\n", static_cast<int>(message.size()), message.data());
    return 1;
  }
  const std::size_t operations = model->ops.size();
  auto program = tessera::alir::verify(std::move(*model));
  if (!program) return 1;

  // A file that is cut short is an error with a place, and nothing worse.
  auto broken = tessera::alir::read(source.substr(0, source.size() / 2));
  if (broken || broken.error().offset > source.size() / 2) return 1;

  std::printf("Tessera %s: %zu operations\n", TESSERA_VERSION_STRING, operations);
  return 0;
}
