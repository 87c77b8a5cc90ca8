// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Verified ALIR programs of any input.

#ifndef TESSERA_FUZZ_ALIR_RANDOM_HPP
#define TESSERA_FUZZ_ALIR_RANDOM_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tessera/alir.hpp>
#include <utility>

#include "alir_any.hpp"
#include "mutate.hpp"
#include "require.hpp"
#include "tests/vm/alir/random_program.hpp"

namespace fuzz {

/// A random program that belongs to the seed.
[[nodiscard]] inline tessera::alir::model random_model(std::size_t seed, std::int64_t max_ops) {
  return random_program::make(
      {.seed = seed,
       .density = seed % 4 == 0 ? random_program::mix::dense : random_program::mix::mixed,
       .max_ops = max_ops,
       .may_trap = seed % 2 == 0});
}

/// The input's program where it is one that verifies. Of the others one in 16 is the seed of a random one;
/// what the rest reaches is forgotten.
template <class Random>
[[nodiscard]] std::optional<tessera::alir::program> program_of(std::string_view source, turns& turn,
                                                               Random&& random) {
  using namespace tessera;
  if (result<alir::model> m = read_any(source)) {
    result<alir::program> p = alir::verify(std::move(*m));
    if (p) return std::move(*p);
  }
  if (!turn.one_in(16)) return reject(), std::nullopt;
  result<alir::program> p = alir::verify(random());
  require(static_cast<bool>(p), "random programs verify");
  return std::move(*p);
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_ALIR_RANDOM_HPP
