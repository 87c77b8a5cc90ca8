// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How rules report: places in a graph, which become paths and offsets only when they are kept.
//
//   findings found({&graph, 1}, {&source, 1}, options, report);
//   found.add(errc::ark_t02_dimension, severity::error, use_of(n, o, list::reads, 1).in("Shape"),
//             [&](text& out) { out << "Shape " << … << " holds a dimension below 1"; });
//   found.finish();                                  // looks the offsets up, one walk a node
//
// Lifetime:   borrows the graph, the report and the source.
// Errors:     error(): that of the first error, kept or not.
// Limits:     verify_options::max_diagnostics are kept, all are counted.
// Allocation: see report; to look offsets up, a path and 16 bytes for each.

#ifndef TESSERA_ARK_FINDINGS_HPP
#define TESSERA_ARK_FINDINGS_HPP

#include <cstddef>
#include <cstdint>

#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// What verification minds and what it may cost.
struct verify_options {
  bool strict = false;   ///< unknown Types are errors, unknown members warnings
  bool fp8 = false;      ///< FP8 data types are warnings rather than errors
  bool of_plan = false;  ///< the graph is a plan's (plan_model): T08 and G10 are warnings
  bool hazards = true;   ///< look for accesses that no dependency orders (rule G14)
  std::uint64_t hazard_steps = std::uint64_t{1} << 24;  ///< what G14 may cost; see report
  std::size_t max_diagnostics = 1000;                   ///< how many a report keeps
};

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/findings.hpp"
#endif

#endif  // TESSERA_ARK_FINDINGS_HPP
