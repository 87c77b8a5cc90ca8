// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the elements of a NAC container are called, in reports and by describe(error, bytes).
//
//   instruction 12 (aten.linear.default), argument 2      training instruction 0 (INPUT), id
//   parameter 7 "fc1.weight"       constant 5 (id 9)      tick 4 (instruction 9), command 2
//   tensor 3, data size            array 0 "mean", size   plan instruction 3 (flow_branch_if)
//   header, offset of OPS          OPS, instruction 3     CNST, number of constants
//
// All numbers count from 0. The section is named where reading stops in it.
//
// Lifetime:   for the time of a call.
// Errors:     none.
// Limits:     64 bytes of a name are shown.
// Allocation: the text's.

#ifndef TESSERA_NAC_DETAIL_PLACES_HPP
#define TESSERA_NAC_DETAIL_PLACES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/text.hpp"
#include "../execution_plan.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../tokenizer.hpp"
#include "rules_execution_plan.hpp"
#include "rules_tokenizer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

// `Out` is a text, or the writer of a finding.

[[nodiscard]] constexpr std::string_view system_operation_name(std::uint8_t a) noexcept {
  return a == op_input          ? "INPUT"
         : a == op_output       ? "OUTPUT"
         : a == op_control_flow ? "CONTROL_FLOW"
         : a == op_convergence  ? "CONVERGENCE"
                                : "";
}

/// "aten.add.Tensor", "INPUT", or "operation 77" where it has no name.
template <class Out>
[[gnu::cold]] void put_operation(Out& to, const model& f, std::uint8_t a) {
  const std::string_view name =
      a < first_regular_op ? system_operation_name(a) : f.operation_name(a);
  if (name.empty())
    to << "operation " << unsigned{a};
  else
    to << name;
}
template <class Out>
[[gnu::cold]] void put_instruction(Out& to, const model& f, std::uint32_t index, std::uint8_t a,
                                   bool training) {
  to << (training ? "training instruction " : "instruction ") << index << " (";
  put_operation(to, f, a);
  to << ')';
}

/// Which argument the k-th constant of a regular instruction is.
[[nodiscard]] inline std::size_t argument_of_constant(const instruction& i,
                                                      std::size_t k) noexcept {
  for (std::size_t at = 0; at < i.d.size(); ++at)
    if (i.d[at] == 0 && k-- == 0) return at;
  return i.d.size();
}
/// The part of an instruction that an offset is in.
template <class Out>
[[gnu::cold]] void put_instruction_part(Out& to, const instruction& i, std::uint64_t offset) {
  const bool regular = i.a >= first_regular_op;
  if (offset <= i.offset) return;
  if (offset == i.offset + 1) {
    to << (regular ? ", signature" : i.a == op_convergence ? ", threshold" : ", variant");
  } else if (offset < i.c_offset(0)) {
    to << ", prefix";
  } else if (offset < i.d_offset(0)) {
    const std::uint64_t k = (offset - i.c_offset(0)) / 2;
    if (regular) {
      const std::size_t argument = argument_of_constant(i, to_size(k));
      if (argument < i.d.size()) to << ", argument " << argument;
    } else if (i.a == op_control_flow) {
      to << (k == 0 ? ", length of the true branch" : ", length of the false branch");
    } else if (i.a == op_convergence) {
      to << ", input";
    } else if (i.a == op_input || i.b == static_cast<std::uint8_t>(output::step)) {
      to << ", id";
    }
  } else {
    const std::uint64_t k = (offset - i.d_offset(0)) / 2;
    if (i.a == op_control_flow)
      to << ", predicate";
    else if (i.a != op_convergence)
      to << (i.a == op_output ? ", output " : ", argument ") << k;
    else if (k < 2)
      to << (k == 0 ? ", end" : ", number of branches");
    else
      to << ", branch " << k - 2;
  }
}
template <class Out>
[[gnu::cold]] void put_instruction(Out& to, const model& f, const instruction& i,
                                   std::uint64_t offset, bool training) {
  put_instruction(to, f, i.index, i.a, training);
  put_instruction_part(to, i, offset);
}

/// "parameter 7 \"fc1.weight\"".
template <class Out>
[[gnu::cold]] void put_named(Out& to, std::string_view kind, std::uint32_t index,
                             std::string_view name) {
  constexpr std::size_t max_shown = 64;
  to << kind << ' ' << index;
  if (name.empty()) return;
  to << " \"" << name.substr(0, max_shown) << (name.size() > max_shown ? "...\"" : "\"");
}
template <class Out>
[[gnu::cold]] void put_constant(Out& to, std::string_view kind, std::uint32_t index,
                                const constant& c) {
  to << kind << ' ' << index << " (id " << c.id << ')';
}
template <class Out>
[[gnu::cold]] void put_tick(Out& to, std::uint32_t index, const tick& t, std::uint64_t offset) {
  to << "tick " << index << " (instruction " << t.instruction << ')';
  if (offset >= t.offset + 3) to << ", command " << (offset - t.offset - 3) / 3;
}
template <class Out>
[[gnu::cold]] void put_tensor(Out& to, std::uint32_t index, const tensor& t, std::uint64_t offset) {
  to << "tensor " << index;
  const std::uint64_t at = offset - t.offset, quantization = 16 + 4 * std::uint64_t{t.shape.size()};
  if (at < 2) return;
  to << (at < 6                        ? ", metadata size"
         : at < 14                     ? ", data size"
         : at == 14                    ? ", data type"
         : at < quantization           ? ", shape"
         : at < 14 + t.metadata.size() ? ", quantization"
                                       : ", data");
}
template <class Out>
[[gnu::cold]] void put_array(Out& to, std::uint32_t index, const array& a, std::uint64_t offset) {
  put_named(to, "array", index, a.name);
  if (offset == a.data_offset - 8) to << ", size";
}
/// "OPS", without the blank that fills the tag.
[[nodiscard]] constexpr std::string_view section_name(section s) noexcept {
  const std::string_view all = tag(s);
  return all.substr(0, all.find(' '));
}
template <class Out>
[[gnu::cold]] void put_slack(Out& to, section s) {
  to << section_name(s) << ", after the last record";
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PLACES_HPP
