// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rules about types: the variant of a type family that an instance of an opcode matches.
//
//   family_rules rules;                 // one for a verification: it keeps what it worked out
//   rules.check(c, t, a);               // operands are typed
//
//   FAM-001    no variant takes these types               "Type Family Matching Rule"
//   FAM-002    the target has none of the matches         "Device Validity Rule"
//   FAM-003    accum_type                                 "Type Families and Matching"
//   FAM-004    quantization descriptors                   "Quantization Constraints"
//   FAM-005    element types of one operation             "Elementwise Operations"
//   FAM-006    nothing governs the opcode                 opcode registry
//
// For each opcode that occurs, the instances of its families become rows: one type for each operand
// by position, so that matching compares a few bytes. What was asked once is remembered.
//
// Lifetime:   borrows nothing between calls; belongs to one catalog and one target.
// Errors:     those above.
// Limits:     none.
// Allocation: 16 bytes for each instance of the families of an opcode that occurs, 16 bytes for
//             each combination of types.

#ifndef TESSERA_NEM_DETAIL_RULES_FAMILY_HPP
#define TESSERA_NEM_DETAIL_RULES_FAMILY_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/text.hpp"
#include "../../../version.hpp"
#include "../../catalog.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "../../visitor.hpp"
#include "../keyed_rows.hpp"
#include "attribute.hpp"
#include "attributes.hpp"
#include "context.hpp"
#include "evaluate_attributes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The operands of an opcode by position: up to three inputs, then the output. Operands of one
/// variadic list share a role.
inline constexpr std::size_t role_count = 4, output_role = 3;

/// What a variant takes in one role: an element type (element::none: nothing), or one of these.
enum role_form : std::uint8_t {
  role_optional = 0x40,   ///< bit: an element type, or nothing
  role_supported = 0x80,  ///< any of the ten element types
  role_free = 0x81,       ///< anything
};
[[nodiscard]] constexpr bool takes(std::uint8_t form, element e) noexcept {
  if (form == static_cast<std::uint8_t>(e) || form == role_free) return true;
  if (form == role_supported) return e != element::none && !is_extension(e);
  return (form & role_optional) != 0 && form < role_supported &&
         (e == element::none || static_cast<std::uint8_t>(e) == (form ^ role_optional));
}

inline constexpr std::uint32_t max_listed = 12;  ///< variants that a note lists

/// An instance as an opcode sees it.
struct candidate {
  std::uint32_t instance = 0;  ///< in catalog::instances
  std::uint8_t role[role_count] = {};
  element accum = element::none;
  std::uint8_t quantized = 0;  ///< bit n: role n must carry a descriptor
  bool refuses_quant = false, is_supported = false;
};

/// The roles and the types of a task's operands.
struct typed_task {
  element role[role_count] = {element::none, element::none, element::none, element::none};
  std::uint8_t quantized = 0;  ///< bit n: an operand in role n carries a descriptor
  element accum = element::none;
};

class family_rules {
 public:
  [[gnu::cold]] void check(context& c, const task& t, const attributes& a) {
    if (t.opcode == opcode::compute) return;
    const opcode_row& r = row(t.opcode);
    const std::string_view families = governing(t.opcode);
    if (r.families.empty())
      c.report(errc::nem_fam_006_ungoverned, opcode_node(c, t))
          << "no type family governs " << r.name;
    if (!check_elements(c, t) || families.empty()) return;
    typed_task types;
    if (!roles_of(c, t, types)) return;
    if (a.has(attribute::accum_type)) types.accum = a.accum_type;
    const found_row best = find(c, t.opcode, types);
    if (best.row == no_index) return;  // the catalog has none of the families
    if (best.differing != 0) return no_variant(c, t, types, best.row);
    conditions(c, t, types, rows_[best.row]);
  }

 private:
  struct found_row {
    std::uint32_t row = no_index, differing = 0;
  };
  struct memo {
    std::uint64_t key = 0;
    found_row value;
  };

  /// Convolutions without families of their own follow conv2d.
  [[nodiscard]] static std::string_view governing(opcode op) noexcept {
    return row(op).category == opcode_category::convolution ? row(opcode::conv2d).families
                                                            : row(op).families;
  }
  [[nodiscard]] static const region& of(const context& c, const operand& o) noexcept {
    return c.v.regions[o.region];
  }

  /// FAM-005. False where types are wrong.
  [[nodiscard, gnu::cold]] static bool check_elements(context& c, const task& t) {
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    const element first = of(c, in[0]).element;
    switch (row(t.opcode).category) {
      case opcode_category::elementwise_unary:
      case opcode_category::elementwise_binary:
      case opcode_category::elementwise_other:
      case opcode_category::pooling:
      case opcode_category::reduction: break;
      default: return true;
    }
    const operand& y = out[0];
    const element made = of(c, y).element;
    if (t.opcode == opcode::argmax || t.opcode == opcode::argmin) {
      if (is_integer(made) && made != element::i4) return true;
      auto&& w = c.report(errc::nem_fam_005_elements, y.node);
      w << "element types must match: " << name(t.opcode)
        << " gives indices of i8, i16, i32, u8, u16 or u32, not " << name(made);
      return false;
    }
    if (in.size() > 1 && of(c, in[1]).element != first) {
      const bool first_is_odd = of(c, in[1]).element == made;
      mismatch(c, t, in[first_is_odd ? 0 : 1], first_is_odd ? 0 : 1, in[first_is_odd ? 1 : 0],
               first_is_odd ? 1 : 0);
      return false;
    }
    if (made == first) return true;
    mismatch(c, t, y, output_role, in[0], 0);
    return false;
  }
  [[gnu::cold]] static void mismatch(context& c, const task& t, const operand& odd,
                                     std::size_t odd_role, const operand& other,
                                     std::size_t other_role) {
    auto&& w = c.report(errc::nem_fam_005_elements, odd.node);
    w << "element types must match: " << role_name(t.opcode, odd_role) << " is "
      << name(of(c, odd).element) << ", " << role_name(t.opcode, other_role) << " is "
      << name(of(c, other).element);
    w.note(c.at(other.node)) << role_name(t.opcode, other_role) << " is here";
  }
  [[nodiscard]] static std::string_view role_name(opcode op, std::size_t role) noexcept {
    return role == output_role ? registry_name(op, true, 0) : registry_name(op, false, role);
  }

  /// Fills in the types by roles. False after FAM-001, which operands of one list give that differ
  /// from one another, and indices that aren't integers.
  [[nodiscard, gnu::cold]] static bool roles_of(context& c, const task& t, typed_task& to) {
    const opcode_signature& s = signature(t.opcode);
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    for (std::size_t i = 0; i < in.size(); ++i)
      if (!put(c, t, in[i], s.variadic_inputs ? 0 : i, to)) return false;
    for (const operand& o : out)
      if (!put(c, t, o, output_role, to)) return false;
    if (t.opcode != opcode::gather || is_integer(to.role[1])) return true;
    c.report(errc::nem_fam_001_variant, in[1].node)
        << "gather takes indices of an integer type, not " << name(to.role[1]);
    return false;
  }
  [[nodiscard, gnu::cold]] static bool put(context& c, const task& t, const operand& o,
                                           std::size_t role, typed_task& to) {
    const region& r = of(c, o);
    if (r.quant != no_index) to.quantized = static_cast<std::uint8_t>(to.quantized | 1u << role);
    if (to.role[role] == element::none || to.role[role] == r.element)
      return to.role[role] = r.element, true;
    c.report(errc::nem_fam_001_variant, o.node)
        << "no variant of " << name(t.opcode) << " takes " << name(r.element) << " beside "
        << name(to.role[role]);
    return false;
  }

  /// How many operands of a task a row doesn't take.
  [[nodiscard]] static std::uint32_t differing(const candidate& r, const typed_task& t) noexcept {
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < role_count; ++i) n += takes(r.role[i], t.role[i]) ? 0u : 1u;
    return n;
  }
  [[nodiscard]] static bool accepts_accum(const candidate& r, const typed_task& t) noexcept {
    return t.accum == element::none || r.accum == element::none || r.accum == t.accum;
  }
  [[nodiscard]] static bool accepts_quant(const candidate& r, const typed_task& t) noexcept {
    return (r.quantized & ~t.quantized) == 0 && !(r.refuses_quant && t.quantized != 0);
  }
  /// How unlike two types are: of another kind, then by how often the width doubles.
  [[nodiscard, gnu::cold]] static std::uint32_t difference(element a, element b) noexcept {
    const auto is_real = [](element e) {
      return is_floating(e) || e == element::tf32 || e == element::f64;
    };
    const auto doublings = [](element e) { return static_cast<int>(std::bit_width(bitwidth(e))); };
    const int apart = doublings(a) - doublings(b);
    return (is_real(a) == is_real(b) && (a == element::bool_) == (b == element::bool_) ? 0u : 8u) +
           static_cast<std::uint32_t>(apart < 0 ? -apart : apart);
  }
  /// How far a row is from a task: first by how many operands differ, then by how much, then by
  /// accum_type, descriptors and whether the target has it.
  [[nodiscard, gnu::cold]] static std::uint32_t distance(const context& c, const candidate& r,
                                                         const typed_task& t) noexcept {
    std::uint32_t all = 0, inputs = 0, others = 0, unlike = 0;
    for (std::size_t i = 0; i < role_count; ++i) {
      if (takes(r.role[i], t.role[i])) continue;
      ++all;
      if (i != output_role) ++inputs;
      // One operand more, or one less, is a greater change than another type.
      if (t.role[i] == element::none || r.role[i] == static_cast<std::uint8_t>(element::none))
        ++others;
      else if (r.role[i] < element_count)
        unlike += difference(static_cast<element>(r.role[i]), t.role[i]);
    }
    return ((all * 16 + others * 4 + inputs) * 64 + unlike) * 16 + (accepts_accum(r, t) ? 0u : 8u) +
           (accepts_quant(r, t) ? 0u : 4u) + (r.is_supported ? 0u : 2u) +
           (c.types.instances[r.instance].is_must ? 0u : 1u);
  }

  /// The nearest row for a task, from memory where it was asked before.
  [[nodiscard, gnu::cold]] found_row find(const context& c, opcode op, const typed_task& t) {
    const auto k = static_cast<std::size_t>(op);
    if (!is_built_[k]) build(c, op);
    std::uint64_t key = k + 1;
    for (const element e : t.role) key = key << 8 | static_cast<std::uint64_t>(e);
    key = key << 16 | static_cast<std::uint64_t>(t.accum) << 8 | t.quantized;
    const auto [m, is_new] = memos_.find(key);
    if (is_new) {
      std::uint32_t least = no_index;
      for (std::uint32_t i = first_[k]; i < first_[k] + size_[k]; ++i) {
        const std::uint32_t far = distance(c, rows_[i], t);
        if (far < least) least = far, m.value = {i, differing(rows_[i], t)};
      }
    }
    return m.value;
  }

  /// Makes the rows of an opcode.
  [[gnu::cold]] void build(const context& c, opcode op) {
    const auto k = static_cast<std::size_t>(op);
    is_built_[k] = true;
    first_[k] = static_cast<std::uint32_t>(rows_.size());
    for (std::string_view list = governing(op); !list.empty();) {
      const std::string_view wanted = next_word(list);
      for (const type_family& f : c.types.families)
        if (c.types.text_of(f.name) == wanted) {
          for (std::uint32_t v = 0; v < f.variants; ++v)
            build(c, op, f, c.types.variants[f.first_variant + v]);
          break;
        }
    }
    size_[k] = static_cast<std::uint32_t>(rows_.size()) - first_[k];
  }
  /// What a family, or a variant before it, says of a name; null for nothing.
  [[nodiscard, gnu::cold]] static const operand_type* type_named(const context& c,
                                                                 const type_family& f,
                                                                 const variant& v,
                                                                 std::string_view name) noexcept {
    for (std::uint32_t i = 0; i < v.operands; ++i)
      if (c.types.text_of(c.types.operand_types[v.first_operand + i].operand) == name)
        return &c.types.operand_types[v.first_operand + i];
    for (std::uint32_t i = 0; i < f.operands; ++i)
      if (c.types.text_of(c.types.operand_types[f.first_operand + i].operand) == name)
        return &c.types.operand_types[f.first_operand + i];
    return nullptr;
  }
  /// The roles that the opcode has: bit n.
  [[nodiscard]] static std::uint8_t roles(opcode op) noexcept {
    const std::uint8_t inputs = signature(op).inputs;
    return static_cast<std::uint8_t>(((1u << (inputs < output_role ? inputs : output_role)) - 1) |
                                     1u << output_role);
  }
  [[nodiscard, gnu::cold]] static const operand_type* type_of_role(const context& c, opcode op,
                                                                   const type_family& f,
                                                                   const variant& v,
                                                                   std::size_t role) noexcept {
    if (const operand_type* own = type_named(c, f, v, role_name(op, role))) return own;
    if (op == opcode::gather && role == 1) return nullptr;  // indices
    const bool is_output = role == output_role;
    if (const operand_type* all = type_named(c, f, v, is_output ? "output" : "input")) return all;
    return type_named(c, f, v, is_output ? "dst" : "src");
  }
  /// Whether a variant demands an operand that the opcode doesn't have, as matmul has no C.
  [[nodiscard, gnu::cold]] static bool demands_other(const context& c, opcode op,
                                                     const variant& v) noexcept {
    for (std::uint32_t i = 0; i < v.operands; ++i) {
      const operand_type& o = c.types.operand_types[v.first_operand + i];
      const std::string_view name = c.types.text_of(o.operand);
      bool is_known = o.form == type_form::absent || name == "input" || name == "output" ||
                      name == "src" || name == "dst";
      for (std::size_t r = 0; r < role_count && !is_known; ++r)
        is_known = (roles(op) >> r & 1) != 0 && role_name(op, r) == name;
      if (!is_known) return true;
    }
    return false;
  }

  [[gnu::cold]] void build(const context& c, opcode op, const type_family& f, const variant& v) {
    if (demands_other(c, op, v)) return;
    const operand_type* types[role_count] = {};
    const opcode_signature& s = signature(op);
    candidate all;
    bool has_i4 = false;
    for (std::size_t r = 0; r < role_count; ++r) {
      if ((roles(op) >> r & 1) == 0) {
        all.role[r] = static_cast<std::uint8_t>(element::none);
        continue;
      }
      types[r] = type_of_role(c, op, f, v, r);
      if (types[r] == nullptr) all.role[r] = role_free;
      has_i4 = has_i4 || (types[r] != nullptr && types[r]->form == type_form::element &&
                          types[r]->element == element::i4);
    }
    all.accum = f.accum;
    all.refuses_quant = f.quant == quant_condition::absent;
    for (std::size_t r = 0; r < role_count; ++r) {
      bool must = false;
      if (f.quant == quant_condition::required) {  // of the weight of int4, else of the data inputs
        const bool is_i4 = types[r] != nullptr && types[r]->form == type_form::element &&
                           types[r]->element == element::i4;
        must = has_i4 ? is_i4 : r < s.required_inputs && r != output_role;
      } else if (f.quant == quant_condition::required_on) {
        must = types[r] != nullptr &&
               (c.types.text_of(types[r]->operand) == c.types.text_of(f.quant_operand));
      }
      if (must) all.quantized = static_cast<std::uint8_t>(all.quantized | 1u << r);
    }
    for (std::uint32_t i = v.first_instance; i < v.first_instance + v.instances; ++i) {
      const instance& x = c.types.instances[i];
      candidate r = all;
      r.instance = i;
      r.is_supported = c.target != nullptr && c.types.supports(*c.target, i);
      bool is_whole = true;
      for (std::size_t k = 0; k < role_count; ++k) {
        if (types[k] == nullptr) continue;
        const operand_type& o = *types[k];
        element e = element::none;
        switch (o.form) {
          case type_form::element: e = o.element; break;
          case type_form::parameter:
            is_whole = is_whole && o.parameter < x.types;
            if (is_whole) e = c.types.types[x.first_type + o.parameter];
            break;
          case type_form::absent: break;
          case type_form::any_supported: break;
        }
        const bool is_optional = k != output_role && k >= s.required_inputs &&
                                 c.types.text_of(o.operand) != role_name(op, k);
        r.role[k] = o.form == type_form::any_supported
                        ? std::uint8_t{role_supported}
                        : static_cast<std::uint8_t>(
                              static_cast<unsigned>(e) |
                              (is_optional && e != element::none ? unsigned{role_optional} : 0u));
      }
      if (is_whole) rows_.push_back(r);
    }
  }

  /// The operand in a role, or null.
  [[nodiscard]] static const operand* operand_of(const context& c, const task& t,
                                                 std::size_t role) noexcept {
    if (role == output_role) return c.v.outputs(t).data();
    return role < t.inputs ? &c.v.inputs(t)[role] : nullptr;
  }
  [[nodiscard]] static std::string_view form_name(std::uint8_t form) noexcept {
    if (form == role_supported) return "any element type";
    if (form == role_free) return "anything";
    return name(static_cast<element>(form & ~unsigned{role_optional}));
  }

  [[nodiscard]] static text reference_of(const context& c, const candidate& r) {
    text reference;
    c.types.append_reference(reference, c.types.instances[r.instance]);
    return reference;
  }
  static void refer(findings::writer out, const context& c, const candidate& r) {
    const text reference = reference_of(c, r);
    out << reference;
  }
  /// What nobody will read needn't be worked out.
  [[nodiscard]] static bool is_heard(context& c) noexcept {
    return c.found.report().diagnostics.size() < c.options.max_diagnostics;
  }
  /// How a task's operand differs from what a row takes: "A must be i8".
  [[gnu::cold]] static void append_difference(findings::writer out, opcode op, std::size_t role,
                                              std::uint8_t form, element found) {
    out << role_name(op, role);
    if (form == static_cast<std::uint8_t>(element::none))
      out << " must be left out";
    else if (found == element::none)
      out << " of " << form_name(form) << " must be given";
    else
      out << " must be " << form_name(form) << ", not " << name(found);
  }
  /// The types of all operands: "A: i8, B: i8, Y: i8".
  [[gnu::cold]] static void append_types(findings::writer out, opcode op, const candidate& r) {
    bool is_first = true;
    for (std::size_t i = 0; i < role_count; ++i) {
      if (r.role[i] == static_cast<std::uint8_t>(element::none) || r.role[i] == role_free) continue;
      out << (is_first ? "" : ", ") << role_name(op, i) << ": " << form_name(r.role[i]);
      is_first = false;
    }
  }
  /// The nearest row; of those that the target has, where it has any.
  [[nodiscard, gnu::cold]] std::uint32_t nearest_available(const context& c, opcode op,
                                                           const typed_task& types) const {
    const auto k = static_cast<std::size_t>(op);
    bool only_supported = false;
    for (std::uint32_t i = first_[k]; i < first_[k] + size_[k]; ++i)
      only_supported = only_supported || rows_[i].is_supported;
    std::uint32_t best = no_index, least = no_index;
    for (std::uint32_t i = first_[k]; i < first_[k] + size_[k]; ++i) {
      if (only_supported && !rows_[i].is_supported) continue;
      const std::uint32_t far = distance(c, rows_[i], types);
      if (far < least) least = far, best = i;
    }
    return best;
  }
  /// The nearest variant with its types, then the other ones that there are.
  [[gnu::cold]] void append_variants(findings::writer out, const context& c, opcode op,
                                     std::uint32_t nearest) const {
    const auto k = static_cast<std::size_t>(op);
    const bool only_supported = rows_[nearest].is_supported;
    out << "the nearest variant";
    if (only_supported) out << " of device " << c.types.text_of(c.target->name);
    out << " is ";
    refer(out, c, rows_[nearest]);
    out << " (";
    append_types(out, op, rows_[nearest]);
    out << ')';
    std::uint32_t others = 0;
    for (std::uint32_t i = first_[k]; i < first_[k] + size_[k]; ++i) {
      if (i == nearest || (only_supported && !rows_[i].is_supported)) continue;
      if (++others > max_listed) continue;
      out << (others == 1 ? "; others are " : ", ");
      refer(out, c, rows_[i]);
    }
    if (others > max_listed) out << " and " << others - max_listed << " more";
  }

  /// FAM-001.
  [[gnu::cold]] void no_variant(context& c, const task& t, const typed_task& types,
                                std::uint32_t best) {
    const bool is_shown = is_heard(c);
    const std::uint32_t near = is_shown ? nearest_available(c, t.opcode, types) : best;
    const candidate& r = rows_[near];
    std::size_t role = 0;
    while (role < output_role && takes(r.role[role], types.role[role])) ++role;
    const operand* const o = operand_of(c, t, role);
    auto&& w = c.report(errc::nem_fam_001_variant, o == nullptr ? opcode_node(c, t) : o->node);
    if (!is_shown) return;
    w << "no variant of " << name(t.opcode) << " takes ";
    bool is_first = true;
    for (std::size_t i = 0; i < role_count; ++i) {
      if (types.role[i] == element::none) continue;
      w << (is_first ? "" : ", ") << role_name(t.opcode, i) << ": " << name(types.role[i]);
      is_first = false;
    }
    w << ": ";
    append_difference(w, t.opcode, role, r.role[role], types.role[role]);
    w << " in ";
    refer(w, c, r);
    append_variants(w.note(), c, t.opcode, near);
  }

  /// FAM-002, FAM-003 and FAM-004 of a task whose operands match.
  [[gnu::cold]] void conditions(context& c, const task& t, const typed_task& types,
                                const candidate& r) {
    if (accepts_accum(r, types) && accepts_quant(r, types) &&
        (c.target == nullptr || r.is_supported))
      return;
    const text reference = reference_of(c, r);
    if (!accepts_accum(r, types)) {
      c.report(errc::nem_fam_003_accum, attribute_value(c.d, t.node, attribute::accum_type))
          << "accum_type must equal " << name(r.accum) << " of " << reference.view() << ", not "
          << name(types.accum);
      return;
    }
    if (!accepts_quant(r, types)) descriptors(c, t, r, reference);
    // Opcodes that borrow another's families aren't what devices list.
    if (c.target == nullptr || r.is_supported || row(t.opcode).families.empty()) return;
    const bool is_shown = is_heard(c);
    const findings::writer w = c.report(errc::nem_fam_002_device, opcode_node(c, t));
    if (!is_shown) return;
    w << "device " << c.types.text_of(c.target->name) << " doesn't support " << reference.view();
    // Every device has a variant of each operation that families govern: DEV-007.
    append_variants(w.note(c.target->where), c, t.opcode, nearest_available(c, t.opcode, types));
  }
  /// FAM-004, for each operand.
  [[gnu::cold]] static void descriptors(context& c, const task& t, const candidate& r,
                                        const text& reference) {
    const auto check = [&](const operand& o, std::size_t role) {
      const bool has_quant = of(c, o).quant != no_index;
      if (r.refuses_quant && has_quant)
        c.report(errc::nem_fam_004_quant, o.node)
            << reference.view() << " takes no quantization descriptor on "
            << role_name(t.opcode, role);
      else if ((r.quantized >> role & 1) != 0 && !has_quant)
        c.report(errc::nem_fam_004_quant, o.node)
            << reference.view() << " requires a quantization descriptor on "
            << role_name(t.opcode, role);
    };
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    for (std::size_t i = 0; i < in.size(); ++i)
      check(in[i], signature(t.opcode).variadic_inputs ? 0 : i);
    for (const operand& o : out) check(o, output_role);
  }

  pool<candidate> rows_;
  keyed_rows<memo> memos_;
  bool is_built_[opcode_count] = {};
  std::uint32_t first_[opcode_count] = {}, size_[opcode_count] = {};
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_FAMILY_HPP
