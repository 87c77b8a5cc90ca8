// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/parts.hpp.

#ifndef TESSERA_NAC_DETAIL_CONVERSION_HPP
#define TESSERA_NAC_DETAIL_CONVERSION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../format.hpp"
#include "../parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Gives the operations of a container the ids of another version.
class operation_mover {
 public:
  operation_mover(parts& p, header to) noexcept : p_(p), to_(container_version(to)) {}

  [[nodiscard]] error move() {
    if (const error e = find_names(); e.code != errc::ok) return e;
    for (const pool<instruction_part>* list : {&p_.instructions, &p_.training})
      for (std::size_t i = 0; i < list->size(); ++i)
        if (const std::uint8_t a = (*list)[i].a; a >= first_regular_op && !operation_[a].used) {
          if (operation_[a].name.empty()) return {errc::nac_convert_operation, i};
          operation_[a].used = true;
          operation_[a].first_use = i;
        }
    if (const error e = choose_ids(); e.code != errc::ok) return e;
    for (pool<instruction_part>* list : {&p_.instructions, &p_.training})
      for (instruction_part& i : *list)
        if (i.a >= first_regular_op) i.a = operation_[i.a].id;
    rewrite_rows();
    return {};
  }

 private:
  struct operation {
    std::string_view name;  // in parts::characters, or a predefined one
    range text;             // of its row; an empty one where there is none
    std::size_t first_use = 0;
    std::uint8_t id = 0;  // the new one
    bool used = false;
  };

  [[nodiscard]] error find_names() noexcept {
    for (std::uint32_t id = 0; id < 256; ++id)
      operation_[id].name = predefined_operation(id, container_version(p_.form));
    for (std::size_t i = 0; i < p_.operations.size(); ++i) {
      const named_part& row = p_.operations[i];
      if (!row.text.is_inside(p_.characters)) return {errc::nac_write_range, i};
      if (row.id > 255) continue;  // which no instruction can name
      operation_[row.id].name = p_.string(row.text);
      operation_[row.id].text = row.text;
    }
    return {};
  }

  /// The new id that another operation of this name has already; 0 if none has.
  [[nodiscard]] std::uint8_t chosen(std::string_view name) const noexcept {
    for (const operation& o : operation_)
      if (o.id != 0 && o.name == name) return o.id;
    return 0;
  }
  [[nodiscard]] std::uint8_t predefined(std::string_view name) const noexcept {
    for (std::uint32_t id = first_regular_op; id < first_custom_op; ++id)
      if (predefined_operation(id, to_) == name) return static_cast<std::uint8_t>(id);
    return 0;
  }

  [[nodiscard]] error choose_ids() noexcept {
    bool taken[256] = {};
    for (std::uint32_t id = first_regular_op; id < 256; ++id) {
      operation& o = operation_[id];
      if (!o.used) continue;
      if (std::uint8_t found = predefined(o.name); found != 0)
        o.id = found;
      else if (found = chosen(o.name); found != 0)
        o.id = found;
      else if (id >= first_custom_op)
        taken[o.id = static_cast<std::uint8_t>(id)] = true;
    }
    std::uint32_t free = first_custom_op;
    for (std::uint32_t id = first_regular_op; id < first_custom_op; ++id) {
      operation& o = operation_[id];
      if (!o.used || o.id != 0) continue;
      if (const std::uint8_t found = chosen(o.name); found != 0) {
        o.id = found;
        continue;
      }
      while (free < 256 && taken[free]) ++free;
      if (free == 256) return {errc::nac_convert_operations, o.first_use};
      taken[o.id = static_cast<std::uint8_t>(free)] = true;
    }
    return {};
  }

  void rewrite_rows() {
    range rows[256];
    for (operation& o : operation_) {
      if (!o.used || o.id < first_custom_op || rows[o.id].size != 0) continue;
      rows[o.id] = o.text.size != 0 ? o.text : p_.add_string(o.name);
    }
    p_.operations.clear();
    for (std::uint32_t id = first_custom_op; id < 256; ++id)
      if (rows[id].size != 0) p_.operations.push_back({static_cast<std::uint16_t>(id), rows[id]});
  }

  parts& p_;
  std::uint32_t to_;
  operation operation_[256];
};

[[nodiscard]] inline error has_form(const parts& p, header to) noexcept {
  if (to > header::v1_8 || p.form > header::v1_8) return {errc::nac_write_form, 0};
  if (to != header::v1_8 && !p.arrays.empty()) return {errc::nac_convert_arrays, 0};
  if (to != header::v1_6) return {};
  if (p.has_training || !p.training.empty() || p.training_flag)
    return {errc::nac_convert_training, 0};
  for (std::size_t i = 0; i < p.instructions.size(); ++i) {
    const std::uint8_t a = p.instructions[i].a, b = p.instructions[i].b;
    if (!has_variant(a, b, 1))
      return {a == op_input ? errc::nac_convert_input : errc::nac_convert_output, i};
  }
  return {};
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<parts> convert(parts p, header to) {
  if (const error e = detail::has_form(p, to); e.code != errc::ok) return e;
  if (const error e = detail::operation_mover(p, to).move(); e.code != errc::ok) return e;
  p.form = to;
  return result<parts>(std::move(p));
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_CONVERSION_HPP
