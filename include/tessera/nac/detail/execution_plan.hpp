// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/execution_plan.hpp.

#ifndef TESSERA_NAC_DETAIL_EXECUTION_PLAN_HPP
#define TESSERA_NAC_DETAIL_EXECUTION_PLAN_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../execution_plan.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// What is wrong with a value that a set of choices doesn't have.
[[nodiscard]] constexpr errc choice_error(char set) noexcept {
  switch (set) {
    case 'P': return errc::nac_mep_prompt_type;
    case 'F':
    case 'G': return errc::nac_mep_file_type;
    case 'R': return errc::nac_mep_extern_kind;
    case 'U': return errc::nac_mep_unload_kind;
    case 'T': return errc::nac_mep_data_type;
    case 'K': return errc::nac_mep_create_kind;
    case 'E': return errc::nac_mep_loss;
    case 'S': return errc::nac_mep_format;
    case 'D': return errc::nac_mep_destination;
    case 'W': return errc::nac_mep_write_mode;
    default: return errc::nac_mep_operation;
  }
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE plan_operands::iterator::iterator(plan_layout l, const std::byte* at,
                                                 std::uint64_t offset) noexcept
    : layout_(l), at_(at) {
  now_.offset = offset;
  read();
}

TESSERA_INLINE auto plan_operands::iterator::operator++() noexcept -> iterator& {
  const std::uint32_t size = operand_size(now_.kind);
  (void)layout_.pass(now_.value);  // which the reader has found to be possible
  at_ += size;
  now_.offset += size;
  read();
  return *this;
}

TESSERA_INLINE void plan_operands::iterator::read() noexcept {
  now_.kind = layout_.kind();
  if (now_.kind == '\0') {
    at_ = nullptr;
  } else {
    now_.value = now_.kind == 'j'               ? load_le<std::int16_t>(at_)
                 : operand_size(now_.kind) == 2 ? load_le<std::uint16_t>(at_)
                                                : load_le<std::uint8_t>(at_);
  }
}

TESSERA_INLINE bool plan_reader::next(plan_instruction& out) noexcept {
  if (at_ == code_.size() || error_.code != errc::ok) return false;
  const plan_op_row* const row = plan_row(load_le<std::uint8_t>(code_.data() + at_));
  if (row == nullptr) return fail(errc::nac_mep_opcode, at_);
  std::size_t at = at_ + 1;
  for (plan_layout layout(*row); layout.kind() != '\0';) {
    const std::uint32_t size = operand_size(layout.kind());
    if (code_.size() - at < size) return fail(errc::nac_mep_truncated, at);
    const auto value = load_le<std::uint8_t>(code_.data() + at);  // of a word: decides nothing
    if (!layout.pass(value)) return fail(detail::choice_error(layout.kind()), at);
    at += size;
  }
  out = {at_, static_cast<std::uint32_t>(at - at_), row, code_.data() + at_};
  at_ = at;
  return true;
}

TESSERA_INLINE bool plan_reader::fail(errc code, std::uint64_t offset) noexcept {
  error_ = {code, offset};
  return false;
}

TESSERA_INLINE plan_writer::plan_writer(parts& to) : to_(to) {
  for (const constant_part& c : to.plan_constants)
    if (c.id >= next_id_) next_id_ = std::uint32_t{c.id} + 1;
}

TESSERA_INLINE std::uint32_t plan_writer::new_label() {
  labels_.push_back(unplaced);
  return static_cast<std::uint32_t>(labels_.size() - 1);
}

TESSERA_INLINE void plan_writer::emit(plan_op op, view<std::int64_t> operands) {
  if (error_.code != errc::ok) return;
  const plan_op_row* const row = plan_row(static_cast<std::uint8_t>(op));
  if (row == nullptr) return fail(errc::nac_mep_opcode);
  if (row->since == 0) return fail(errc::nac_mep_reserved);
  code_.push_back(static_cast<std::byte>(op));
  plan_layout layout(*row);
  for (const std::int64_t value : operands) {
    const char kind = layout.kind();
    if (kind == '\0') return fail(errc::nac_mep_operand_count);
    if (is_choice_operand(kind) && find_choice(kind, value) == nullptr)
      return fail(detail::choice_error(kind));
    if (value < 0 || value > (operand_size(kind) == 2 && kind != 'j' ? 0xffff
                              : kind == 'j'                          ? 0xffffffff
                                                                     : 0xff))
      return fail(errc::nac_mep_operand_range);
    if (kind == 'j') jumps_.push_back({code_.size(), static_cast<std::uint32_t>(value), count_});
    std::byte word[2] = {};
    if (operand_size(kind) == 1)
      word[0] = static_cast<std::byte>(value);
    else if (kind != 'j')
      store_le(word, static_cast<std::uint16_t>(value));
    code_.append(word, operand_size(kind));
    (void)layout.pass(value);
  }
  if (layout.kind() != '\0') return fail(errc::nac_mep_operand_count);
  ++count_;
}

TESSERA_INLINE tessera::error plan_writer::finish() {
  for (const jump& j : jumps_) {
    if (error_.code != errc::ok) break;
    if (j.label >= labels_.size() || labels_[j.label] == unplaced) {
      error_ = {errc::nac_mep_label_unknown, j.instruction};
      break;
    }
    const std::int64_t distance =
        static_cast<std::int64_t>(labels_[j.label]) - static_cast<std::int64_t>(j.offset) - 2;
    if (distance < -0x8000 || distance > 0x7fff)
      error_ = {errc::nac_mep_jump_range, j.instruction};
    else
      store_le(code_.data() + j.offset, static_cast<std::int16_t>(distance));
  }
  const tessera::error e = error_;
  if (e.code == errc::ok) to_.plan = to_.keep(bytes(code_.data(), code_.size()));
  code_.clear();
  labels_.clear();
  jumps_.clear();
  count_ = 0;
  error_ = {};
  return e;
}

TESSERA_INLINE std::uint16_t plan_writer::add(constant_type type, std::uint64_t bits,
                                              range values) {
  if (next_id_ > 0xffff) {
    if (error_.code == errc::ok) fail(errc::nac_mep_constants);
    return 0;
  }
  const auto id = static_cast<std::uint16_t>(next_id_++);
  to_.plan_constants.push_back({id, type, bits, values});
  return id;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_EXECUTION_PLAN_HPP
