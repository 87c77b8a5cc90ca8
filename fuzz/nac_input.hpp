// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Inputs for NAC programs of any content.

#ifndef TESSERA_FUZZ_NAC_INPUT_HPP
#define TESSERA_FUZZ_NAC_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "vm/nac/tensor.hpp"
#include "vm/nac/types.hpp"

namespace fuzz {

/// An input that depends on the content and on its number.
[[nodiscard]] inline tessera::vm::nac::tensor nac_input(tessera::vm::nac::memory& arena,
                                                        std::size_t seed) {
  using namespace tessera;
  static const vm::nac::shape shapes[] = {{},        {3},          {1, 3},          {2, 3},
                                          {1, 1, 4}, {1, 3, 8, 8}, {2, 2, 3, 3, 2}, {0, 3}};
  constexpr nac::data_type types[] = {nac::data_type::float32, nac::data_type::float32,
                                      nac::data_type::int64,   nac::data_type::boolean,
                                      nac::data_type::float16, nac::data_type::int32};
  vm::nac::tensor t = vm::nac::make_tensor(arena, types[seed / 8 % std::size(types)],
                                           shapes[seed % std::size(shapes)]);
  vm::nac::visit(t.type, [&]<class T>(vm::nac::of<T>) {
    for (std::size_t i = 0; i < t.size(); ++i)
      t.as<T>()[i] = vm::nac::convert<T>(static_cast<std::int64_t>((i * 7 + seed) % 5) - 1);
  });
  return t;
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_NAC_INPUT_HPP
