// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Arrays of callers as values of the NAC interpreter, and back.
//
// Lifetime:   array_of borrows the value.
// Errors:     value_of: faults: nac_run_shape, nac_run_rank, budget_memory.
// Limits:     those of tensors.
// Allocation: the value.

#ifndef TESSERA_VM_NAC_ARRAYS_HPP
#define TESSERA_VM_NAC_ARRAYS_HPP

#include "tensor.hpp"
#include "tessera/vm/array.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

[[nodiscard]] value value_of(memory& arena, const array_view& x);
/// Empty for values that aren't tensors; of a list, its first tensor.
[[nodiscard]] array_view array_of(const value& v) noexcept;

/// Runs f(); a fault becomes the outcome.
template <class Outcome, class F>
[[nodiscard]] Outcome caught(F&& f) {
  Outcome done;
  try {
    done.code = f();
  } catch (fault& why) {
    done.code = why.code;
    done.text = std::move(why.text);
  } catch (const std::bad_alloc&) {
    done.code = errc::budget_memory;
  }
  return done;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_ARRAYS_HPP
