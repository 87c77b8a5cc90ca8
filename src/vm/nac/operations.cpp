// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

#include <string_view>
#include <vector>

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

[[noreturn]] value unsupported(call&) { fail(errc::nac_operation_unsupported); }

}  // namespace

constexpr std::array<function, model::operation_count> functions = {
    unsupported,  // verified programs have none
#define TESSERA_X(name, ...) operations::name,
    TESSERA_NAC_OPERATIONS(TESSERA_X)
#undef TESSERA_X
};

element_steps steps_of(model::operation o) noexcept {
  using enum model::work;
  switch (model::work_of(o)) {
    case part: return {0, 2};
    case parts: return {0, 8};
    case pick: return {0, 4};
    case each: return {1, 2};
    case move: return {2, 4};
    case root: return {2, 4};
    case function: return {4, 16};
    case fold: return {8, 8};
    case product: return {4, 4};
    case passes: return {16, 16};
    case compare: return {64, 32};
    case uniform: return {0, 16};
    case normal: return {0, 64};
    case draw: return {1, 16};
  }
  return {1, 2};
}

value run(call& c) {
  const element_steps each = steps_of(c.operation);
  if (each.read != 0) c.charge_operands(each.read);
  c.arena.set_weight(each.written);
  value out = c.is_complex() ? run_complex(c) : functions[static_cast<std::size_t>(c.operation)](c);
  if (c.makes_complex() && out.is_tensor()) out = without_imaginary(c, out.as_tensor());
  c.arena.set_weight(1);
  return out;
}

value result_of(call& c, model::operation o, std::span<const value> arguments) {
  std::vector<const value*> given;
  model::binding b;
  std::string_view letters = model::pattern(o);
  std::size_t slot = 0;
  for (const value& v : arguments) {
    if (letters.starts_with('?')) letters.remove_prefix(1);
    const bool repeats = letters.substr(1).starts_with('*');
    letters.remove_prefix(repeats ? 2 : 1);
    b.first[slot] = static_cast<std::uint8_t>(given.size());
    if (repeats && v.is_list() &&
        !v.as_list().empty())  // an empty one is refused by what wants a tensor
      for (const value& item : v.as_list()) given.push_back(&item);
    else
      given.push_back(&v);
    b.count[slot] = static_cast<std::uint8_t>(given.size() - b.first[slot]);
    ++slot;
  }
  call inner(c.arena, c.work, o, b, given);
  value out = run(inner);
  c.arena.set_weight(steps_of(c.operation).written);
  return out;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
