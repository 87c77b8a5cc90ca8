// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rules about the parts of a compute task: its opcode, its operands and its attributes.
//
//   if (check_signature(c, t)) …        // as many operands as the opcode takes
//   range_rules(c, t, a).check();       // takes values that are out of range from a.given
//
//   OPC-001 OPC-010 OPC-011    opcode          "Compute Tasks"
//   OPC-002 OPC-003 OPC-004    operands        opcode registry
//   OPC-005 OPC-006 OPC-009    attributes      opcode registry
//
// Lifetime:   nothing is kept.
// Errors:     those above.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_ATTRIBUTE_HPP
#define TESSERA_NEM_DETAIL_RULES_ATTRIBUTE_HPP

#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/suggest.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "../../visitor.hpp"
#include "attributes.hpp"
#include "context.hpp"
#include "evaluate_attributes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The node that names a task's opcode.
[[nodiscard]] inline std::uint32_t opcode_node(const context& c, const task& t) noexcept {
  const std::uint32_t i = child(c.d, t.node, node_kind::opcode);
  return i == no_node ? t.node : i;
}

/// Whether a task has as many operands as its opcode takes.
[[nodiscard]] inline bool has_operands(const task& t) noexcept {
  const opcode_signature& s = signature(t.opcode);
  return t.inputs >= s.required_inputs && (s.variadic_inputs || t.inputs <= s.inputs) &&
         (s.variadic_outputs ? t.outputs >= 1 : t.outputs == s.outputs);
}

/// The name that the registry gives an operand; operands of variadic lists share one.
[[nodiscard]] constexpr std::string_view registry_name(opcode op, bool is_output,
                                                       std::size_t index) noexcept {
  std::string_view list = is_output ? row(op).outputs : row(op).inputs, word = next_word(list);
  for (; index > 0 && !list.empty(); --index) word = next_word(list);
  if (!word.empty() && (word.back() == '?' || word.back() == '*')) word.remove_suffix(1);
  return word;
}

/// OPC-005 and OPC-006.
[[gnu::cold]] inline void check_attribute_names(context& c, const task& t, std::uint32_t at) {
  const opcode_signature& s = signature(t.opcode);
  const std::string_view op = name(t.opcode);
  std::uint32_t given = 0, unknown = 0, meant = 0;
  for (const std::uint32_t i : children(c.d, t.node)) {
    if (c[i].kind != node_kind::attribute) continue;
    const auto a = static_cast<attribute>(c[i].detail);
    const std::uint32_t bit = a == attribute::unknown ? 0 : attributes::bit(a);
    given |= bit;
    unknown += (s.attributes & bit) == 0;
  }
  std::uint32_t missing = s.required_attributes & ~given;
  if (unknown != 0 && t.opcode != opcode::compute)
    for (const std::uint32_t i : children(c.d, t.node)) {
      if (c[i].kind != node_kind::attribute) continue;
      const auto a = static_cast<attribute>(c[i].detail);
      if (a != attribute::unknown && (s.attributes & attributes::bit(a)) != 0) continue;
      place where = c.at(i);
      if (c.name(i).size() < where.length)
        where.length = static_cast<std::uint32_t>(c.name(i).size());
      auto&& w = c.found.add(errc::nem_opc_006_unknown, where);
      w << op << " has no attribute " << c.name(i);
      suggestion near(c.name(i));
      for (std::size_t k = 0; k < attribute_count; ++k)
        if (((s.attributes & ~given) >> k & 1) != 0) near.offer(attribute_table[k].name);
      if (near.word().empty() && !std::has_single_bit(missing)) near.offer("deps");
      // One that is unknown is the one that is missing.
      const bool is_other = near.word().empty() && unknown == 1 && std::has_single_bit(missing);
      for (std::size_t k = 0; k < attribute_count; ++k)
        if (is_other ? missing == 1u << k : near.word() == attribute_table[k].name)
          meant |= 1u << k;
      if (is_other) {
        w.note() << "did you mean " << attribute_table[std::countr_zero(missing)].name << '?';
      } else if (!near.word().empty()) {
        w.note() << "did you mean " << near.word() << '?';
      } else if (s.attributes != 0) {
        w.note() << op << " takes";
        for (std::string_view list = row(t.opcode).attributes; !list.empty();) {
          std::string_view word = next_word(list);
          if (word.back() == '?') word.remove_suffix(1);
          w << ' ' << word << (list.empty() ? "" : ",");
        }
      }
    }
  missing &= ~meant;
  if (missing == 0) return;
  auto&& w = c.report(errc::nem_opc_005_missing, at);
  w << op << ':';
  bool is_first = true;
  for (std::size_t k = 0; k < attribute_count; ++k) {
    if ((missing >> k & 1) == 0) continue;
    w << (is_first ? " " : ", ") << attribute_table[k].name << " is required";
    is_first = false;
  }
}

/// What the text of a task shows without evaluating anything. Returns whether its operands can be
/// looked at.
[[gnu::cold]] inline bool check_signature(context& c, const task& t) {
  const std::uint32_t at = opcode_node(c, t);
  if (t.opcode == opcode::unknown) {
    const std::string_view word = c[at].kind == node_kind::opcode ? c.name(at) : "";
    auto&& w = c.report(errc::nem_opc_001_opcode, at);
    w << "unknown opcode " << word;
    const std::string_view near = nearest(word, opcode_table);
    if (!near.empty()) w.note() << "did you mean " << near << '?';
    return false;
  }
  const opcode_signature& s = signature(t.opcode);
  const opcode_row& r = row(t.opcode);
  const auto operands = [](std::uint32_t n, bool are_inputs) {
    return are_inputs ? (n == 1 ? " input" : " inputs") : (n == 1 ? " output" : " outputs");
  };
  if (r.hardware == hardware_status::future)
    c.report(errc::nem_opc_010_future, at) << "no hardware executes " << r.name << " yet";
  if (t.opcode == opcode::compute)
    c.report(errc::nem_opc_011_generic, at)
        << "compute is the generic opcode: binders may reject it";
  if (t.inputs < s.required_inputs) {
    auto&& w = c.report(errc::nem_opc_002_few_inputs, at);
    w << r.name << " takes "
      << (s.inputs == s.required_inputs && !s.variadic_inputs ? "" : "at least ")
      << unsigned{s.required_inputs} << operands(s.required_inputs, true) << ", not " << t.inputs;
    w.note() << "missing: " << registry_name(t.opcode, false, t.inputs);
  } else if (!s.variadic_inputs && t.inputs > s.inputs) {
    c.report(errc::nem_opc_003_many_inputs, c.v.inputs(t)[s.inputs].node)
        << r.name << " takes " << (s.inputs == s.required_inputs ? "" : "at most ")
        << unsigned{s.inputs} << operands(s.inputs, true) << ", not " << t.inputs;
  }
  if (!s.variadic_outputs && t.outputs != s.outputs) {
    const std::uint32_t node = t.outputs > s.outputs ? c.v.outputs(t)[s.outputs].node : at;
    c.report(errc::nem_opc_004_outputs, node)
        << r.name << " has " << unsigned{s.outputs} << operands(s.outputs, false) << ", not "
        << t.outputs;
  }
  check_attribute_names(c, t, at);
  return has_operands(t);
}

/// The ranges of attributes that depend on nothing but the opcode. Lists that are longer than any
/// operand needs aren't looked through: a `let` gives the same one to many tasks, and its length is
/// wrong.
class range_rules {
 public:
  range_rules(context& c, const task& t, attributes& a) noexcept : c_(c), t_(t), a_(a) {}

  [[gnu::cold]] void check() {
    if (a_.given == 0) return;
    const std::size_t axes = t_.opcode == opcode::conv1d ? 1 : t_.opcode == opcode::conv3d ? 3 : 2;
    switch (t_.opcode) {
      case opcode::conv1d:
      case opcode::conv2d:
      case opcode::conv3d:
      case opcode::depthwise_conv2d:
      case opcode::maxpool:
      case opcode::avgpool:
        list(attribute::pads, a_.pads, 0, 2 * axes);
        list(attribute::strides, a_.strides, 1, axes);
        list(attribute::dilations, a_.dilations, 1, axes);
        list(attribute::kernel_shape, a_.kernel_shape, 1, axes);
        if (a_.has(attribute::groups) && a_.groups < 1)
          reject(attribute::groups) << "groups is " << a_.groups << "; expected at least 1";
        break;
      case opcode::pad:
        if (a_.pads.size() <= 2 * max_rank) list(attribute::pads, a_.pads, 0, a_.pads.size());
        if (a_.mode == pad_mode::unknown) mode();
        finite(attribute::constant_value, a_.constant_value);
        break;
      case opcode::leaky_relu: finite(attribute::alpha, a_.alpha); break;
      case opcode::clamp:
        finite(attribute::min_val, a_.min_val);
        finite(attribute::max_val, a_.max_val);
        if (a_.has(attribute::min_val) && a_.has(attribute::max_val) && a_.min_val > a_.max_val)
          reject(attribute::min_val) << "min_val is above max_val; expected min_val <= max_val";
        break;
      case opcode::layernorm:
      case opcode::rmsnorm:
        if (finite(attribute::epsilon, a_.epsilon) && a_.epsilon < 0)
          reject(attribute::epsilon) << "epsilon is negative; expected at least 0";
        break;
      case opcode::transpose: permutation(); break;
      case opcode::reshape: target_shape(); break;
      case opcode::slice: slice(); break;
      case opcode::split:
        if (a_.split_sizes.size() == t_.outputs)
          list(attribute::split_sizes, a_.split_sizes, 1, t_.outputs);
        break;
      default: break;
    }
  }

 private:
  findings::writer reject(attribute a) {
    a_.given &= ~attributes::bit(a);
    return c_.report(errc::nem_opc_009_range, attribute_value(c_.d, t_.node, a));
  }
  findings::writer reject(attribute a, std::size_t index) {
    a_.given &= ~attributes::bit(a);
    return c_.report(errc::nem_opc_009_range, attribute_element(c_.d, t_.node, a, index));
  }

  bool finite(attribute a, double value) {
    if (!a_.has(a)) return false;
    if (value >= -DBL_MAX && value <= DBL_MAX) return true;
    reject(a) << name(a) << " must be finite";
    return false;
  }
  [[gnu::cold]] void list(attribute a, view<std::int64_t> values, std::int64_t least,
                          std::size_t size) {
    if (!a_.has(a)) return;
    if (values.size() != size) {
      reject(a) << name(a) << " of " << row(t_.opcode).name << " has " << values.size()
                << (values.size() == 1 ? " number" : " numbers") << "; expected " << size;
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] < least) {
        reject(a, i) << name(a) << " has " << values[i] << "; expected at least " << least;
        return;
      }
  }
  [[gnu::cold]] void mode() {
    const std::uint32_t value = attribute_value(c_.d, t_.node, attribute::mode);
    auto&& w = reject(attribute::mode);
    w << "unknown mode " << c_.name(value) << "; expected constant, reflect, edge or wrap";
    const std::string_view near = nearest(c_.name(value), pad_mode_names);
    if (!near.empty()) w.note() << "did you mean " << near << '?';
  }
  /// Each of 0 to n - 1 once. Lists that are longer than any rank are refused with the rank.
  [[gnu::cold]] void permutation() {
    if (!a_.has(attribute::perm)) return;
    const view<std::int64_t> p = a_.perm;
    if (p.size() > max_rank) return;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const bool is_axis = p[i] >= 0 && static_cast<std::uint64_t>(p[i]) < p.size();
      const std::uint64_t bit = is_axis ? std::uint64_t{1} << p[i] : 0;
      if (is_axis && (seen & bit) == 0) {
        seen |= bit;
        continue;
      }
      reject(attribute::perm, i) << "perm must contain each of 0 to " << p.size() - 1 << " once; "
                                 << p[i] << (is_axis ? " is repeated" : " is out of range");
      return;
    }
  }
  [[gnu::cold]] void target_shape() {
    if (!a_.has(attribute::target_shape)) return;
    if (a_.target_shape.size() > max_rank) {
      reject(attribute::target_shape) << "target_shape has " << a_.target_shape.size()
                                      << " dimensions; expected at most " << max_rank;
      return;
    }
    bool is_inferred = false;
    for (std::size_t i = 0; i < a_.target_shape.size(); ++i) {
      const std::int64_t size = a_.target_shape[i];
      if (size > 0) continue;
      if (size == -1 && !is_inferred) {
        is_inferred = true;
        continue;
      }
      auto&& w = reject(attribute::target_shape, i);
      if (size == -1)
        w << "target_shape has more than one -1";
      else
        w << "target_shape has " << size << "; expected positive sizes and at most one -1";
      return;
    }
  }
  [[gnu::cold]] void slice() {
    static constexpr attribute four[] = {attribute::starts, attribute::ends, attribute::axes,
                                         attribute::steps};
    const std::size_t size = a_.starts.size();
    for (const attribute a : four) {
      if (!a_.has(attribute::starts) || !a_.has(a) || a_.list(a).size() == size) continue;
      reject(a) << name(a) << " has " << a_.list(a).size() << " numbers; expected " << size
                << ", as many as starts";
      return;
    }
    if (!a_.has(attribute::steps) || size > max_rank) return;
    for (std::size_t i = 0; i < a_.steps.size(); ++i)
      if (a_.steps[i] == 0) {
        reject(attribute::steps, i) << "steps has a 0; expected other numbers";
        return;
      }
  }

  context& c_;
  const task& t_;
  attributes& a_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_ATTRIBUTE_HPP
