// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The operations of the NAC machine, one function for each row of tessera/nac/operations.hpp, with
// PyTorch's semantics.
//
//   value y = run(call);                     // whatever the call's operation is
//   value y = operations::softmax(call);     // this one
//   tensor y = tensor_of(call, operation::mul, {x, make_number(call.arena, 2.0)});    // another one
//
// A result may share its elements with an operand.
//
// run() charges what an operation reads, and memory each element that it writes; the steps of an
// element follow from the row's kind of work. Products and windows charge what they do besides that,
// before they do it.
//
// Lifetime:   results borrow nothing but memory.
// Errors:     faults: nac_run_rank … nac_run_division, budget_memory, budget_steps.
// Limits:     none of their own.
// Allocation: results, and what each needs meanwhile, from the call's memory.

#ifndef TESSERA_VM_NAC_OPERATIONS_HPP
#define TESSERA_VM_NAC_OPERATIONS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <tessera/nac/operations.hpp>

#include "call.hpp"
#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// What runs an operation.
using function = value (*)(call&);
/// Those of all operations, in their order.
extern const std::array<function, model::operation_count> functions;
/// Steps for each element that an operation reads, and for each that it writes: measured as the time
/// that the slowest type and layout takes, in steps of about a nanosecond.
struct element_steps {
  std::uint8_t read, written;
};
[[nodiscard]] element_steps steps_of(model::operation o) noexcept;
/// Runs the call's operation, which isn't `unknown`.
[[nodiscard]] value run(call& c);
/// The same for a call with complex arguments.
[[nodiscard]] value run_complex(call& c);
/// A real tensor as a complex one.
[[nodiscard]] value without_imaginary(call& c, const tensor& real);
/// What another operation gives, for those that are made of others: one argument for each letter of
/// its pattern; a list of tensors is all that a repeated letter gets. Charges what run() charges.
[[nodiscard]] value result_of(call& c, model::operation o, std::span<const value> arguments);
[[nodiscard]] inline value result_of(call& c, model::operation o,
                                     std::initializer_list<value> arguments) {
  return result_of(c, o, std::span(arguments.begin(), arguments.size()));
}
/// The same where the result is one tensor.
[[nodiscard]] inline tensor tensor_of(call& c, model::operation o,
                                      std::initializer_list<value> arguments) {
  return result_of(c, o, arguments).as_tensor();
}

namespace operations {

/// An integer as an argument.
[[nodiscard]] inline value whole(call& c, std::int64_t v) { return make_number(c.arena, v); }

#define TESSERA_X(name, ...) [[nodiscard]] value name(call& c);
TESSERA_NAC_OPERATIONS(TESSERA_X)
#undef TESSERA_X

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_OPERATIONS_HPP
