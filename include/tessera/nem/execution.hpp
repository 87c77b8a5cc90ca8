// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The building blocks of verification, for machines that check a program as they execute it. Not
// part of the facade.
//
//   tessera::report report;
//   nem::verify_options options;
//   nem::findings found(&report, program.profile(), options.max_diagnostics);
//   nem::context c{program.model(), options, found, program.catalog(), program.target()};
//   nem::walker<machine>(c, m, ~std::uint64_t{0}).run();    // for_each_task, with the context
//
//   walker           calls a visitor with all that a program does       nem/visitor.hpp
//   findings         collects diagnostics                               nem/rule.hpp
//   context          what rules share
//   compute_rules    OPC, SHP, FAM and QNT of a compute task
//   check_transfer   XFR of a transfer or a store
//   hazards          HAZ and CAP-003, as the program proceeds
//
// verify() looks at a bounded number of iterations; a machine executes them all, so it meets tasks
// that no rule has seen.
//
// Lifetime:   a context borrows the program, the options and the findings.
// Errors:     findings.
// Limits:     those of each part.
// Allocation: those of each part.

#ifndef TESSERA_NEM_EXECUTION_HPP
#define TESSERA_NEM_EXECUTION_HPP

#include "../version.hpp"
#include "detail/order/hazards.hpp"
#include "detail/rules/compute.hpp"
#include "detail/rules/context.hpp"
#include "detail/rules/decorator.hpp"
#include "detail/rules/transfer.hpp"
#include "detail/rules/walk.hpp"
#include "rule.hpp"
#include "verify_options.hpp"
#include "visitor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

using detail::check_transfer;
using detail::compute_rules;
using detail::context;
using detail::find_decorator;
using detail::findings;
using detail::hazards;
using detail::number_list;
using detail::place_of;

/// Calls a visitor with all that a program does, in the order in which a device issues it.
template <class Visitor>
using walker = detail::walker<Visitor, false>;

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_EXECUTION_HPP
