// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/execution_plan.hpp.

#ifndef TESSERA_NAC_DETAIL_EXECUTION_PLAN_VERIFY_HPP
#define TESSERA_NAC_DETAIL_EXECUTION_PLAN_VERIFY_HPP

#include <cstddef>
#include <cstdint>

#include "../execution_plan.hpp"
#include "../model.hpp"
#include "rules_execution_plan.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE error verify_execution_plan(const model& f, report* found) {
  detail::findings all(found, 1000);
  if (!f.execution_plan().empty())
    detail::plan_checker(f.execution_plan(), f.plan_constants(), all, detail::plan_offset(f))
        .check();
  return all.first_error();
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_EXECUTION_PLAN_VERIFY_HPP
