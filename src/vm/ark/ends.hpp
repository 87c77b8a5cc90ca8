// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a model gets from outside and what it leaves behind, which its files don't say.
//
//   for (const end_point& in : inputs(world)) fill(in.rank, in.tensor);
//   vm.run();
//   for (const end_point& out : outputs(world)) show(out.rank, out.tensor);
//
//   input    something of it is read, and nothing writes there before
//   output   it is written, and neither read nor written over later
//
// Views, Noop, SendDone and DeviceSync read nothing. What other ranks write counts as written before
// all else.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     a buffer with more than 256 views that differ counts as one piece.
// Allocation: linear in the graphs.

#ifndef TESSERA_VM_ARK_ENDS_HPP
#define TESSERA_VM_ARK_ENDS_HPP

#include <cstdint>
#include <vector>

#include "tessera/ark.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

struct end_point {
  std::uint32_t rank = 0;
  std::uint32_t tensor = 0;  ///< in the rank's graph().tensors
  std::uint32_t buffer = 0;  ///< in its graph().buffers
  friend bool operator==(const end_point&, const end_point&) = default;
};

/// By rank, in the order in which they are read; of tensors that lie alike, the first.
[[nodiscard]] std::vector<end_point> inputs(const tessera::ark::world& w);
/// By rank, in the order of their operations; results rather than what is written.
[[nodiscard]] std::vector<end_point> outputs(const tessera::ark::world& w);

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ARK_ENDS_HPP
