// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Evaluates the attributes of a compute task.
//
//   nem::attributes a;
//   detail::evaluate_attributes(c, t.node, t.opcode, a);      // lists are in c.v.numbers
//
//   OPC-008    a value of the wrong kind, which then counts as not given
//
// Attributes that the opcode doesn't take are left alone, and so are names that are words: types,
// true and false, modes.
//
// Lifetime:   lists borrow from values::numbers, until it grows.
// Errors:     OPC-008, and what evaluating expressions reports.
// Limits:     none.
// Allocation: 8 bytes for each number of a list.

#ifndef TESSERA_NEM_DETAIL_RULES_EVALUATE_ATTRIBUTES_HPP
#define TESSERA_NEM_DETAIL_RULES_EVALUATE_ATTRIBUTES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "attributes.hpp"
#include "context.hpp"
#include "evaluate.hpp"
#include "scope.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The value of a task's attribute, or no_node.
[[nodiscard]] inline std::uint32_t attribute_value(const model& d, std::uint32_t task,
                                                   attribute a) noexcept {
  const std::uint32_t i = child(d, task, node_kind::attribute, static_cast<std::uint8_t>(a));
  return i == no_node ? no_node : i + 1;
}
/// Number `index` of a task's attribute where it is spelled out, else the whole value.
[[nodiscard, gnu::cold]] inline std::uint32_t attribute_element(const model& d, std::uint32_t task,
                                                                attribute a,
                                                                std::size_t index) noexcept {
  const std::uint32_t value = attribute_value(d, task, a);
  if (value == no_node || d.nodes[value].kind != node_kind::list) return value;
  for (const std::uint32_t i : children(d, value))
    if (index-- == 0) return i;
  return value;  // unreachable: it has as many as were evaluated
}

/// Evaluates one task's attributes.
class attribute_reader {
 public:
  attribute_reader(context& c, attributes& to) noexcept : c_(c), to_(to), numbers_(c.v.numbers) {}

  [[gnu::cold]] void read(std::uint32_t task, opcode op) {
    if (op == opcode::unknown) return;
    const std::uint32_t known = signature(op).attributes;
    if (known == 0) return;
    for (const std::uint32_t i : children(c_.d, task)) {
      if (c_[i].kind != node_kind::attribute) continue;
      const auto a = static_cast<attribute>(c_[i].detail);
      if (a == attribute::unknown || (known & attributes::bit(a)) == 0 || to_.has(a)) continue;
      if (one(a, i + 1)) to_.given |= attributes::bit(a);
    }
    // The pool doesn't grow any more: now lists can be named by their places.
    for (std::size_t k = 0; k < lists_; ++k)
      to_.list(list_[k].which) = {numbers_.data() + list_[k].first, list_[k].size};
  }

 private:
  [[nodiscard, gnu::cold]] bool one(attribute a, std::uint32_t value) {
    const node& n = c_[value];
    switch (attribute_table[static_cast<std::size_t>(a)].kind) {
      case attribute_kind::integer:
        return integer(a, value, a == attribute::groups ? to_.groups : to_.axis);
      case attribute_kind::real: return real(a, value, to_.real(a));
      case attribute_kind::integers: return integers(a, value);
      case attribute_kind::element:
        to_.accum_type =
            n.kind == node_kind::name ? find_element(c_.name(value)) : nem::element::none;
        if (to_.accum_type != nem::element::none && !is_extension(to_.accum_type)) return true;
        break;
      case attribute_kind::boolean:
        if (n.kind != node_kind::name) break;
        to_.keepdims = c_.name(value) == "true";
        if (to_.keepdims || c_.name(value) == "false") return true;
        break;
      case attribute_kind::word:
        if (n.kind != node_kind::name) break;
        to_.mode = pad_mode::unknown;
        for (std::size_t m = 0; m < sizeof pad_mode_names / sizeof *pad_mode_names; ++m)
          if (pad_mode_names[m] == c_.name(value)) to_.mode = static_cast<pad_mode>(m);
        return true;
      case attribute_kind::string:
        if (n.kind != node_kind::string) break;
        to_.op = n.value;
        return true;
    }
    return wrong(a, value);
  }

  /// Whether an expression names a real number; such a number is never an integer.
  [[nodiscard]] bool has_real(std::uint32_t value) const noexcept {
    if (c_[value].kind != node_kind::expression) return c_[value].kind == node_kind::real;
    for (const std::uint32_t i : children(c_.d, value))
      if (c_[i].kind == node_kind::real) return true;
    return false;
  }
  [[nodiscard]] static bool is_number(node_kind k) noexcept {
    return k == node_kind::integer || k == node_kind::wide_integer || k == node_kind::real ||
           k == node_kind::name || k == node_kind::expression;
  }
  [[nodiscard]] bool integer(attribute a, std::uint32_t value, std::int64_t& to) {
    if (c_[value].kind == node_kind::integer) return to = c_[value].value, true;
    if (!is_number(c_[value].kind) || has_real(value) || names_other(value, false))
      return wrong(a, value);
    return evaluate_integer(c_, value, to);
  }
  [[nodiscard]] bool real(attribute a, std::uint32_t value, double& to) {
    if (c_[value].kind == node_kind::real) return to = c_.d.reals[c_[value].value], true;
    if (!is_number(c_[value].kind) || names_other(value, true)) return wrong(a, value);
    return evaluate_real(c_, value, to);
  }
  [[nodiscard, gnu::cold]] bool integers(attribute a, std::uint32_t value) {
    if (c_[value].kind == node_kind::name && c_.names != nullptr) {
      const binding b = (*c_.names)[c_[value].value];
      if (b.kind == binding_kind::integers && b.is_known) {
        list_[lists_++] = {a, b.index, c_.names->list_of(b).count};
        return true;
      }
      if (b.kind != binding_kind::none) return b.is_known && wrong(a, value);
      std::int64_t none = 0;
      return evaluate_integer(c_, value, none);  // which reports it
    }
    if (c_[value].kind != node_kind::list) return wrong(a, value);
    const std::size_t first = numbers_.size();
    bool good = true;
    for (const std::uint32_t i : children(c_.d, value)) {
      std::int64_t number = 0;
      if (!integer(a, i, number)) good = false;
      numbers_.push_back(number);
    }
    if (!good) return numbers_.resize(first), false;
    list_[lists_++] = {a, first, numbers_.size() - first};
    return true;
  }
  /// Whether a name means something other than a number; such a name is of the wrong kind.
  [[nodiscard, gnu::cold]] bool names_other(std::uint32_t value, bool real_too) const noexcept {
    if (c_[value].kind != node_kind::name || c_.names == nullptr) return false;
    switch ((*c_.names)[c_[value].value].kind) {
      case binding_kind::none:
      case binding_kind::constant:
      case binding_kind::integer:
      case binding_kind::loop_variable: return false;
      case binding_kind::real: return !real_too;
      default: return true;
    }
  }

  /// Whether a value is a real number, by itself or as a name.
  [[nodiscard]] bool is_real(std::uint32_t value) const noexcept {
    if (c_[value].kind != node_kind::name || c_.names == nullptr) return has_real(value);
    return (*c_.names)[c_[value].value].kind == binding_kind::real;
  }
  static void suggest_element(findings::writer w, std::string_view word) {
    const nem::element meant = element_meant(word);
    if (meant != nem::element::none) w.note() << "did you mean " << nem::name(meant) << '?';
  }
  [[nodiscard, gnu::cold]] bool wrong(attribute a, std::uint32_t value) {
    static constexpr std::string_view kinds[attribute_kind_count] = {
        "an integer",         "a number", "true or false", "one of the ten element types",
        "a list of integers", "a string", "a name"};
    const attribute_row& row = attribute_table[static_cast<std::size_t>(a)];
    if ((row.kind == attribute_kind::integer || row.kind == attribute_kind::integers) &&
        is_real(value)) {
      c_.report(errc::nem_exp_001_float, value) << row.name << " must be integer";
      return false;
    }
    auto&& w = c_.report(errc::nem_opc_008_kind, value);
    w << row.name << " takes " << kinds[static_cast<std::size_t>(row.kind)] << ", not ";
    switch (c_[value].kind) {
      case node_kind::name:
        w << c_.name(value);
        if (row.kind == attribute_kind::element) suggest_element(w, c_.name(value));
        break;
      case node_kind::string: w << "the string \"" << c_.name(value) << '"'; break;
      case node_kind::list: w << "a list"; break;
      case node_kind::integer: w << c_[value].value; break;
      default: w << (has_real(value) ? "a floating-point number" : "an expression"); break;
    }
    return false;
  }

  context& c_;
  attributes& to_;
  pool<std::int64_t>& numbers_;
  struct {
    attribute which;
    std::size_t first, size;
  } list_[attribute_count];  ///< each attribute is given once
  std::size_t lists_ = 0;
};

/// Evaluates what an opcode's signature names of a task's attributes; others are left alone.
inline void evaluate_attributes(context& c, std::uint32_t task, opcode op, attributes& to) {
  attribute_reader(c, to).read(task, op);
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_EVALUATE_ATTRIBUTES_HPP
