// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whether a file could hold a plan.

#ifndef TESSERA_ARK_DETAIL_PLAN_CHECK_HPP
#define TESSERA_ARK_DETAIL_PLAN_CHECK_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/text.hpp"
#include "../check.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../plan.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

class plan_check {
 public:
  explicit plan_check(const plan& p) noexcept : p_(p) {}

  [[nodiscard]] error all() const {
    const graph_check parts(p_.parts);
    if (static_cast<std::size_t>(p_.parts.form) >= std::size(dialect_table))
      return {errc::ark_dialect, 0, error_index::whole};
    if (p_.parts.rank < 0 || p_.parts.rank >= p_.parts.world_size)
      return {errc::ark_s03_world, 0, error_index::whole};
    if (const errc code = parts.tables(); code != errc::ok) return {code, 0, error_index::whole};
    if (p_.num_processors < 0 || p_.num_warps_per_processor < 0)
      return {errc::ark_plan_member, 0, error_index::whole};
    if (p_.configs.size() != p_.parts.ops.size())
      return {errc::ark_plan_config, 0, error_index::whole};
    if (p_.place != architecture_place::absent)
      if (const errc code = words(p_.architecture); code != errc::ok)
        return {code, 0, error_index::whole};
    if ((p_.null_tasks && !p_.tasks.empty()) || (p_.null_groups && !p_.processor_groups.empty()))
      return {errc::ark_plan_member, 0, error_index::whole};
    for (const plan_task& t : p_.tasks)
      if (const errc code = task(t, parts); code != errc::ok)
        return error_in(p_.tasks, t, code, error_index::task);
    for (const processor_group& g : p_.processor_groups)
      if (const errc code = one(g); code != errc::ok)
        return error_in(p_.processor_groups, g, code, error_index::processor_group);
    return {};
  }

 private:
  [[nodiscard]] errc task(const plan_task& t, const graph_check& parts) const {
    if (t.id < 0 || t.num_warps < 0 || t.sram_bytes < 0) return errc::ark_plan_member;
    if (!inside(t.ops, p_.parts.ops.size()) || !listed(t.members)) return errc::ark_too_large;
    for (const op& o : operations(p_, t))
      if (const errc code = parts.operation(o); code != errc::ok) return code;
    for (const plan_config& c : configs(p_, t)) {
      if (const errc code = words(c.text); code != errc::ok) return code;
      if (const std::string_view text = text_of(p_.parts, c.text); text.empty() || text[0] != '{')
        return errc::ark_plan_config;
    }
    return errc::ok;
  }
  [[nodiscard]] errc one(const processor_group& g) const {
    if (negative(g.processors)) return errc::ark_plan_range;
    if (!inside(g.resource_groups, p_.resource_groups.size()) || !listed(g.members))
      return errc::ark_too_large;
    for (const resource_group& r : resource_groups(p_, g)) {
      if (negative(r.processors) || negative(r.warps) || negative(r.sram))
        return errc::ark_plan_range;
      if (!inside(r.task_groups, p_.task_groups.size()) || !listed(r.members))
        return errc::ark_too_large;
      for (const task_group& t : task_groups(p_, r)) {
        if (negative(t.tasks)) return errc::ark_plan_range;
        if (t.task_id < 0 || t.granularity < 0) return errc::ark_plan_member;
        if (!listed(t.members)) return errc::ark_too_large;
      }
    }
    return errc::ok;
  }
  [[nodiscard]] static bool negative(const plan_range& r) noexcept {
    return r.begin < 0 || r.end < 0 || r.step < 0;
  }
  [[nodiscard]] static bool inside(range r, std::size_t size) noexcept {
    return std::uint64_t{r.first} + r.count <= size;
  }
  [[nodiscard]] bool listed(std::uint32_t first) const noexcept {
    return first == none || first < p_.parts.members.size();
  }
  [[nodiscard]] errc words(string s) const noexcept {
    if (!inside({s.first, s.size}, p_.parts.characters.size())) return errc::ark_too_large;
    return is_utf8(text_of(p_.parts, s)) ? errc::ok : errc::json_bad_utf8;
  }

  const plan& p_;
};

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_CHECK_HPP
