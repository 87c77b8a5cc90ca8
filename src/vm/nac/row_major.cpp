// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "row_major.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "schedule.hpp"
#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

[[nodiscard]] bool asks_for_strides(model::operation o) {
  return o == model::operation::as_strided || o == model::operation::as_strided_scatter ||
         o == model::operation::sym_stride || o == model::operation::sym_storage_offset ||
         o == model::operation::sym_is_contiguous || o == model::operation::resize;
}

}  // namespace

void check_strides(const model::program& p, std::uint32_t& at) {
  const view<model::step> steps = p.code().steps;
  const auto asks = [](const model::step& s) {
    return s.a >= model::first_regular_op && asks_for_strides(model::program::operation_of(s));
  };
  if (std::none_of(steps.begin(), steps.end(), asks)) return;
  std::vector<bool> known(steps.size());
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const model::step& s = steps[i];
    if (s.a < model::first_regular_op) {
      known[i] = s.a == model::op_input;
      continue;
    }
    const model::operation o = model::program::operation_of(s);
    const std::string_view name = p.model().operation_name(s.a);
    const view<model::argument> given = p.code().arguments_of(s);
    if (asks(s) && !given.empty() && !given[0].is_constant() && !known[given[0].index()]) {
      at = i;
      fail(errc::nac_run_strides, std::string(name) + ": its result depends on the strides of v" +
                                      std::to_string(given[0].index()) +
                                      ", which may not have been row-major when it was exported");
    }
    const model::order how = model::order_of(o);
    known[i] = how == model::order::row_major || name.find(".contiguous.") != name.npos ||
               (how == model::order::kept &&
                std::all_of(given.begin(), given.end(), [&](const model::argument& a) {
                  return a.is_constant() || known[a.index()];
                }));
  }
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
