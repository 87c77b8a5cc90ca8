// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules of compute tasks, put together: opcode, attributes, shapes, types, descriptors.
//
//   detail::compute_rules rules;          // one for a verification
//   rules.check(c, t);                    // each instance of each compute task, evaluated
//
//   once for each task of the text     signature, types, descriptors    OPC TYP FAM QNT
//   in each iteration                  attributes and shapes            OPC-009 SHP
//
// What an operand is typed as doesn't depend on loop variables; its sizes may.
//
// Lifetime:   keeps nothing of the context between calls.
// Errors:     those of the headers that it includes, and TYP-003.
// Limits:     those of the headers that it includes.
// Allocation: a bit for each node of the model; none for a task whose like was checked before.

#ifndef TESSERA_NEM_DETAIL_RULES_COMPUTE_HPP
#define TESSERA_NEM_DETAIL_RULES_COMPUTE_HPP

#include <cstddef>
#include <cstdint>

#include "../../../core/pool.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../visitor.hpp"
#include "attribute.hpp"
#include "attributes.hpp"
#include "context.hpp"
#include "descriptor.hpp"
#include "family.hpp"
#include "shape.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class compute_rules {
 public:
  [[gnu::cold]] void check(context& c, const task& t) {
    if (t.opcode == opcode::transfer || t.opcode == opcode::store) return;
    const bool is_new = !is_done(t.node);
    if (is_new ? !check_signature(c, t) : !has_operands(t)) return;
    attributes& a = c.v.attributes;
    range_rules(c, t, a).check();
    if (!are_sound(c, t)) return;
    if (is_new && !check_typed(c, t)) return;
    shape_rules(c, t, a).check();
    if (!is_new) return;
    families_.check(c, t, a);
    descriptors_.check(c, t, a);
    set_done(c, t.node);
  }

 private:
  [[nodiscard]] static bool are_sound(const context& c, const task& t) noexcept {
    for (std::size_t i = 0; i < t.inputs + t.outputs; ++i) {
      const std::uint32_t r = c.v.operands[t.first_operand + i].region;
      if (r == no_index || !c.v.regions[r].is_sound) return false;
    }
    return true;
  }
  /// TYP-003.
  [[nodiscard, gnu::cold]] static bool check_typed(context& c, const task& t) {
    bool is_typed = true;
    for (std::size_t i = 0; i < t.inputs + t.outputs; ++i) {
      const operand& o = c.v.operands[t.first_operand + i];
      const region& r = c.v.regions[o.region];
      if (r.element != element::none && r.has_shape && (r.layout != no_name || r.has_strides))
        continue;
      is_typed = false;
      auto&& w = c.report(errc::nem_typ_003_untyped, o.node);
      w << "an operand of " << name(t.opcode) << " needs ";
      const char* before = "";
      if (r.element == element::none) w << "elem", before = ", ";
      if (!r.has_shape) w << before << "shape", before = ", ";
      if (r.layout == no_name && !r.has_strides) w << before << "layout (or strides)";
      if (r.declaration != no_node) w.note(c.at(r.node)) << "declared here";
    }
    return is_typed;
  }

  [[nodiscard]] bool is_done(std::uint32_t node) const noexcept {
    return node / 64 < done_.size() && (done_[node / 64] >> node % 64 & 1) != 0;
  }
  void set_done(const context& c, std::uint32_t node) {
    if (done_.empty()) done_.resize(c.d.nodes.size() / 64 + 1);
    done_[node / 64] |= std::uint64_t{1} << node % 64;
  }

  pool<std::uint64_t> done_;
  family_rules families_;
  descriptor_rules descriptors_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_COMPUTE_HPP
