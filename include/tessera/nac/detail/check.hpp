// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/write.hpp.

#ifndef TESSERA_NAC_DETAIL_CHECK_HPP
#define TESSERA_NAC_DETAIL_CHECK_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../format.hpp"
#include "../write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// What PERM says of a signature's instructions.
struct signature_shape {
  bool known = false, has_constants = false;
  std::uint32_t arguments = 0;
};

/// Finds what a container can't hold.
class part_checker {
 public:
  explicit part_checker(const parts& p) noexcept : p_(p) {}

  [[nodiscard]] error all() noexcept {
    using enum error_index;
    error e = header().in(whole);
    if (e.code == errc::ok) e = texts();
    if (e.code == errc::ok) e = schedule().in(tick);
    if (e.code == errc::ok) e = code(p_.instructions).in(instruction);
    if (e.code == errc::ok) e = code(p_.training).in(training_instruction);
    if (e.code == errc::ok) e = constants(p_.constants).in(constant);
    if (e.code == errc::ok) e = constants(p_.plan_constants).in(plan_constant);
    if (e.code == errc::ok) e = tensors().in(tensor);
    if (e.code == errc::ok) e = files();
    return e;
  }
  [[nodiscard]] const signature_shape& signature(std::uint8_t b) const noexcept {
    return signatures_[b];
  }

 private:
  [[nodiscard]] bool inside(const payload& d) const noexcept {
    return d.size == 0 || d.borrowed != nullptr || d.source != nullptr ||
           (d.first <= p_.own_bytes.size() && d.size <= p_.own_bytes.size() - d.first);
  }
  [[nodiscard]] static constexpr bool fits_u32(std::uint64_t n) noexcept { return n <= UINT32_MAX; }

  [[nodiscard]] error header() const noexcept {
    if (p_.form > nac::header::v1_8) return {errc::nac_write_form, 0};
    if (static_cast<std::size_t>(p_.quantization) >= quantization_count)
      return {errc::nac_write_quantization, 0};
    if (container_version(p_.form) == 1 && (p_.training_flag || p_.has_training))
      return {errc::nac_write_training, 0};
    if (p_.form != nac::header::v1_8 && !p_.arrays.empty()) return {errc::nac_write_arrays, 0};
    if (!p_.internal_weights && !p_.tensors.empty()) return {errc::nac_write_weights, 0};
    if ((!p_.has_training && !p_.training.empty()) || (!p_.has_manifest && p_.manifest.size != 0))
      return {errc::nac_write_absent, 0};
    if (p_.instructions.size() > max_instructions || p_.training.size() > max_instructions)
      return {errc::nac_too_many_instructions, max_instructions};
    for (const std::size_t n :
         {p_.schedule.size(), p_.operations.size(), p_.signatures.size(), p_.parameters.size(),
          p_.input_names.size(), p_.constants.size(), p_.plan_constants.size(), p_.tensors.size(),
          p_.resources.size(), p_.arrays.size()})
      if (!fits_u32(n)) return {errc::nac_write_count, UINT32_MAX};
    return {};
  }

  /// Names with ids: `longest` bytes each, ids up to `last`.
  [[nodiscard]] error names(const pool<named_part>& rows, std::size_t longest, errc too_long,
                            std::uint16_t last, errc too_large) const noexcept {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i].text.is_inside(p_.characters)) return {errc::nac_write_range, i};
      if (rows[i].text.size > longest) return {too_long, i};
      if (rows[i].id > last) return {too_large, i};
    }
    return {};
  }

  [[nodiscard]] error texts() noexcept {
    error e =
        names(p_.operations, 255, errc::nac_write_operation_name, 255, errc::nac_write_operation_id)
            .in(error_index::operation);
    if (e.code == errc::ok)
      e = names(p_.signatures, 255, errc::nac_write_signature, 255, errc::nac_write_signature_id)
              .in(error_index::signature);
    for (const pool<named_part>* rows : {&p_.parameters, &p_.input_names})
      if (e.code == errc::ok)
        e = names(*rows, 65535, errc::nac_write_name, 65535, errc::ok)
                .in(rows == &p_.parameters ? error_index::parameter : error_index::input_name);
    if (e.code != errc::ok) return e;
    for (const named_part& row : p_.signatures) {
      signature_shape& s = signatures_[row.id];  // of several, the last counts
      s = {true, takes_constants(p_.string(row.text)), row.text.size};
    }
    return {};
  }

  [[nodiscard]] error schedule() const noexcept {
    for (std::size_t i = 0; i < p_.schedule.size(); ++i) {
      if (!p_.schedule[i].commands.is_inside(p_.commands)) return {errc::nac_write_range, i};
      if (p_.schedule[i].commands.size > 255) return {errc::nac_write_commands, i};
    }
    return {};
  }

  [[nodiscard]] error code(const pool<instruction_part>& list) const noexcept {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].c.is_inside(p_.words) || !list[i].d.is_inside(p_.words))
        return {errc::nac_write_range, i};
      const errc e =
          list[i].a < first_regular_op ? system_instruction(list[i]) : regular_instruction(list[i]);
      if (e != errc::ok) return {e, i};
    }
    return {};
  }

  [[nodiscard]] errc regular_instruction(const instruction_part& i) const noexcept {
    const signature_shape& s = signatures_[i.b];
    if (i.b != 0 && !s.known) return errc::nac_write_signature_unknown;
    if (i.d.size != s.arguments) return errc::nac_write_arguments;
    if (i.c.size != 0 && !s.has_constants) return errc::nac_write_constants;
    if (i.c.size > 32767) return errc::nac_write_long_c;
    for (const std::uint16_t id : p_.words_of(i.c))
      if (id > max_id) return errc::nac_write_id;
    return errc::ok;
  }

  [[nodiscard]] errc system_instruction(const instruction_part& i) const noexcept {
    if (!has_variant(i.a, i.b, container_version(p_.form)))
      return i.a == op_input ? errc::nac_write_input : errc::nac_write_output;
    system_words words = system_words_of(i.a, i.b, p_.outputs);
    if (i.a == op_output && words.c > 32766)
      return errc::nac_write_long_c;  // for its prefix counts itself
    if (i.a == op_convergence) {
      if (i.c.size > 32767) return errc::nac_write_long_c;
      words.c = i.c.size;
      words.d = convergence_offsets(p_.words_of(i.d));
    }
    if (i.c.size != words.c || i.d.size != words.d) return errc::nac_write_words;
    const bool is_id = (i.a == op_input && i.b < 4) || (i.a == op_output && i.b == 3);
    if (is_id && words.c == 1 && p_.words[i.c.first] > max_id) return errc::nac_write_id;
    return errc::ok;
  }

  /// How many words a reader takes for D of a CONVERGENCE that begins like this.
  [[nodiscard]] static std::uint32_t convergence_offsets(view<std::uint16_t> d) noexcept {
    if (d.empty() || d[0] == 0) return 1;
    if (d.size() < 2) return 2;
    return 2 + (d[1] < 0x8000 ? std::uint32_t{d[1]} : 0);
  }

  [[nodiscard]] error constants(const pool<constant_part>& list) const noexcept {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const constant_part& c = list[i];
      if (static_cast<std::size_t>(c.type) >= constant_type_count)
        return {errc::nac_write_constant_type, i};
      if (c.type == constant_type::string) {
        if (!c.values.is_inside(p_.characters)) return {errc::nac_write_range, i};
        if (c.values.size > 65535) return {errc::nac_write_string, i};
      } else if (c.type > constant_type::string) {
        if (!c.values.is_inside(p_.numbers)) return {errc::nac_write_range, i};
        if (c.values.size > 65535) return {errc::nac_write_list, i};
      }
    }
    return {};
  }

  [[nodiscard]] error tensors() const noexcept {
    for (std::size_t i = 0; i < p_.tensors.size(); ++i)
      if (const errc e = tensor(p_.tensors[i]); e != errc::ok) return {e, i};
    return {};
  }
  [[nodiscard]] errc tensor(const tensor_part& t) const noexcept {
    if (!t.shape.is_inside(p_.numbers) || !t.original_shape.is_inside(p_.numbers) ||
        !t.scales.is_inside(p_.numbers) || !inside(t.data))
      return errc::nac_write_range;
    if (static_cast<std::size_t>(t.type) >= data_type_count) return errc::nac_write_data_type;
    if (static_cast<std::size_t>(t.quantization) >= quantization_count)
      return errc::nac_write_tensor_quantization;
    if (t.shape.size > 255 || t.original_shape.size > 255) return errc::nac_write_rank;
    const bool whole = t.quantization == quantization::int8_tensor,
               channel = t.quantization == quantization::int8_channel,
               block = t.quantization == quantization::block_fp8;
    if (block && t.block == 0) return errc::nac_write_block_size;
    if ((!channel && t.axis != 0) || (!block && (t.block != 0 || t.original_shape.size != 0)) ||
        (!channel && !block && t.scales.size != (whole ? 1 : 0)))
      return errc::nac_write_tensor_fields;
    if (!fits_u32(metadata_size(t))) return errc::nac_write_metadata;
    return errc::ok;
  }

 public:
  [[nodiscard]] static std::uint64_t metadata_size(const tensor_part& t) noexcept {
    const std::uint64_t shape = 3 + 4 * std::uint64_t{t.shape.size},
                        scales = 4 * std::uint64_t{t.scales.size};
    switch (t.quantization) {
      case quantization::none:
      case quantization::fp16: break;
      case quantization::int8_tensor: return shape + scales;
      case quantization::int8_channel: return shape + 5 + scales;
      case quantization::block_fp8:
        return shape + 7 + 4 * std::uint64_t{t.original_shape.size} + scales;
    }
    return shape;
  }

 private:
  [[nodiscard]] error files() const noexcept {
    for (const payload* b : {&p_.manifest, &p_.plan}) {
      if (!inside(*b)) return {errc::nac_write_range, 0, error_index::whole};
      if (!fits_u32(b->size)) return {errc::nac_write_bytecode, 0, error_index::whole};
    }
    for (std::size_t i = 0; i < p_.resources.size(); ++i) {
      const resource_part& r = p_.resources[i];
      if (!r.name.is_inside(p_.characters) || !inside(r.data))
        return {errc::nac_write_range, i, error_index::resource};
      if (r.name.size > 65535) return {errc::nac_write_name, i, error_index::resource};
      if (!fits_u32(r.data.size)) return {errc::nac_write_resource, i, error_index::resource};
    }
    for (std::size_t i = 0; i < p_.arrays.size(); ++i) {
      const array_part& a = p_.arrays[i];
      if (!a.name.is_inside(p_.characters) || !a.shape.is_inside(p_.numbers) || !inside(a.data))
        return {errc::nac_write_range, i, error_index::array};
      if (a.name.size > 65535) return {errc::nac_write_name, i, error_index::array};
      if (static_cast<std::size_t>(a.type) >= data_type_count)
        return {errc::nac_write_data_type, i, error_index::array};
      if (a.shape.size > 255) return {errc::nac_write_rank, i, error_index::array};
    }
    return {};
  }

  const parts& p_;
  signature_shape signatures_[256];
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE error check(const parts& p) noexcept { return detail::part_checker(p).all(); }

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_CHECK_HPP
