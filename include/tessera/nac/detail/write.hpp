// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/write.hpp.

#ifndef TESSERA_NAC_DETAIL_WRITE_HPP
#define TESSERA_NAC_DETAIL_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../format.hpp"
#include "../parts.hpp"
#include "../write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Counts what would be written.
class part_counter {
 public:
  template <class T>
  void put(T) noexcept {
    add(sizeof(T));
  }
  void put_text(std::string_view s) noexcept { add(s.size()); }
  void put_payload(bytes, const payload& p) noexcept { add(p.size); }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool overflowed() const noexcept { return overflowed_; }

 private:
  void add(std::uint64_t n) noexcept {
    if (!checked_add(size_, n, size_)) overflowed_ = true;
  }
  std::uint64_t size_ = 0;
  bool overflowed_ = false;
};

/// Puts checked parts out, section by section: once to count, once to write.
class part_writer {
 public:
  explicit part_writer(const parts& p) noexcept : p_(p), checked_(p) {}

  /// All checks, and the offsets of the sections.
  [[nodiscard]] error prepare() noexcept {
    if (const error e = checked_.all(); e.code != errc::ok) return e;
    size_ = header_sizes[static_cast<std::size_t>(p_.form)];
    order();
    for (const section s : order_) {
      if (!present(s)) continue;
      part_counter count;
      put_section(count, s);
      offsets_[static_cast<std::size_t>(s)] = size_;
      if (count.overflowed() || !checked_add(size_, count.size(), size_))
        return {errc::nac_write_size, 0, error_index::whole};
    }
    return {};
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  [[nodiscard]] error write(const sink& to) const {
    part_stream out(to);
    put_header(out);
    for (const section s : order_)
      if (offsets_[static_cast<std::size_t>(s)] != 0 && !out.stopped()) put_section(out, s);
    out.flush();
    return {out.stopped() ? errc::nac_write_stopped : errc::ok, 0};
  }

 private:
  void order() noexcept {
    bool placed[section_count] = {};
    std::size_t count = 0;
    const auto place = [&](section s) {
      if (static_cast<std::size_t>(s) >= section_count || placed[static_cast<std::size_t>(s)])
        return;
      placed[static_cast<std::size_t>(s)] = true;
      order_[count++] = s;
    };
    for (const section s : p_.layout.order) place(s);
    for (std::size_t i = 0; i < section_count; ++i) place(section_in_order(p_.form, i));
  }

  [[nodiscard]] bool present(section s) const noexcept {
    switch (s) {
      case section::proc: return p_.has_manifest;
      case section::trng: return p_.has_training;
      case section::rsrc: return p_.has_resources || !p_.resources.empty();
      case section::arrs: return p_.form == header::v1_8;
      default: return true;
    }
  }

  template <class Out>
  void put_header(Out& out) const {
    out.put_text("NAC");
    out.put(container_version(p_.form));
    out.put(static_cast<std::uint8_t>((p_.internal_weights ? 0x80u : 0u) |
                                      (p_.training_flag ? 0x40u : 0u) |
                                      static_cast<unsigned>(p_.quantization)));
    out.put(p_.inputs);
    out.put(p_.outputs);
    out.put(std::uint8_t{0});
    out.put(p_.d_model);
    for (std::uint32_t i = 0; i < header_slots[static_cast<std::size_t>(p_.form)]; ++i)
      out.put(offsets_[static_cast<std::size_t>(section_of_slot(p_.form, i))]);
    if (p_.form == header::v1_6) out.put(std::uint32_t{0});
  }

  template <class Out>
  void put_section(Out& out, section s) const {
    out.put_text(tag(s));
    switch (s) {
      case section::mmap: return put_schedule(out);
      case section::ops: return put_code(out, p_.instructions);
      case section::cmap: return put_names<std::uint8_t>(out, p_.operations);
      case section::cnst: put_count(out, p_.constants); return put_constants(out, p_.constants);
      case section::perm: return put_names<std::uint8_t>(out, p_.signatures);
      case section::data: return put_data(out);
      case section::proc:
        out.put(static_cast<std::uint32_t>(p_.manifest.size));
        return out.put_payload(p_.data_of(p_.manifest), p_.manifest);
      case section::orch:
        out.put(static_cast<std::uint32_t>(p_.plan.size));
        put_count(out, p_.plan_constants);
        out.put_payload(p_.data_of(p_.plan), p_.plan);
        return put_constants(out, p_.plan_constants);
      case section::trng: return put_code(out, p_.training);
      case section::rsrc: return put_resources(out);
      case section::arrs: return put_arrays(out);
    }
  }

  template <class Out, class Pool>
  void put_count(Out& out, const Pool& of) const {
    out.put(static_cast<std::uint32_t>(of.size()));
  }
  template <class Out>
  void put_numbers(Out& out, range r) const {
    for (const std::uint32_t n : p_.numbers_of(r)) out.put(n);
  }

  template <class Out>
  void put_schedule(Out& out) const {
    put_count(out, p_.schedule);
    for (const tick_part& t : p_.schedule) {
      out.put(t.instruction);
      out.put(static_cast<std::uint8_t>(t.commands.size));
      for (std::uint32_t i = 0; i < t.commands.size; ++i) {
        const command_part& c = p_.commands[t.commands.first + i];
        out.put(static_cast<std::uint8_t>(c.what));
        out.put(c.target);
      }
    }
  }

  template <class Out>
  void put_code(Out& out, const pool<instruction_part>& list) const {
    put_count(out, list);
    for (const instruction_part& i : list) {
      out.put(i.a);
      out.put(i.b);
      if (has_prefix(i)) out.put(prefix(i));
      for (const std::uint16_t word : p_.words_of(i.c)) out.put(word);
      for (const std::uint16_t word : p_.words_of(i.d)) out.put(word);
    }
  }
  [[nodiscard]] bool has_prefix(const instruction_part& i) const noexcept {
    if (i.a >= first_regular_op) return checked_.signature(i.b).has_constants;
    return system_words_of(i.a, i.b, p_.outputs).has_prefix;
  }
  [[nodiscard]] std::uint16_t prefix(const instruction_part& i) const noexcept {
    const self_count* const rule = i.a < first_regular_op ? rule_of(p_.layout, i.a, i.b) : nullptr;
    const bool itself = rule != nullptr && counts_itself(*rule, i.a, p_.form);
    return static_cast<std::uint16_t>(i.c.size + (itself ? 1 : 0));
  }

  template <class Length, class Out>
  void put_names(Out& out, const pool<named_part>& rows) const {
    put_count(out, rows);
    for (const named_part& row : rows) {
      out.put(row.id);
      out.put(static_cast<Length>(row.text.size));
      out.put_text(p_.string(row.text));
    }
  }

  template <class Out>
  void put_constants(Out& out, const pool<constant_part>& list) const {
    for (const constant_part& c : list) {
      out.put(c.id);
      out.put(static_cast<std::uint8_t>(c.type));
      switch (c.type) {
        case constant_type::null: out.put(std::uint16_t{0}); break;
        case constant_type::boolean:
          out.put(std::uint16_t{1});
          out.put(static_cast<std::uint8_t>(c.bits != 0));
          break;
        case constant_type::int64:
        case constant_type::float64:
          out.put(std::uint16_t{8});
          out.put(c.bits);
          break;
        case constant_type::string:
          out.put(static_cast<std::uint16_t>(c.values.size));
          out.put_text(p_.string(c.values));
          break;
        case constant_type::int32_list:
        case constant_type::float32_list:
          out.put(static_cast<std::uint16_t>(c.values.size));
          put_numbers(out, c.values);
          break;
      }
    }
  }

  template <class Out>
  void put_data(Out& out) const {
    put_names<std::uint16_t>(out, p_.parameters);
    put_names<std::uint16_t>(out, p_.input_names);
    if (!p_.internal_weights) return;
    put_count(out, p_.tensors);
    for (const tensor_part& t : p_.tensors) {
      out.put(t.id);
      out.put(static_cast<std::uint32_t>(part_checker::metadata_size(t)));
      out.put(t.data.size);
      put_shape(out, t.type, t.shape);
      out.put(static_cast<std::uint8_t>(t.quantization));
      if (t.quantization == quantization::int8_channel) out.put(t.axis);
      if (t.quantization == quantization::block_fp8) {
        out.put(t.block);
        out.put(static_cast<std::uint8_t>(t.original_shape.size));
        put_numbers(out, t.original_shape);
      }
      if (t.quantization >= quantization::int8_channel) out.put(t.scales.size);
      put_numbers(out, t.scales);
      out.put_payload(p_.data_of(t.data), t.data);
    }
  }
  template <class Out>
  void put_shape(Out& out, data_type type, range shape) const {
    out.put(static_cast<std::uint8_t>(type));
    out.put(static_cast<std::uint8_t>(shape.size));
    put_numbers(out, shape);
  }

  template <class Out>
  void put_resources(Out& out) const {
    put_count(out, p_.resources);
    for (const resource_part& r : p_.resources) {
      out.put(static_cast<std::uint16_t>(r.name.size));
      out.put_text(p_.string(r.name));
      out.put(static_cast<std::uint32_t>(r.data.size));
      out.put_payload(p_.data_of(r.data), r.data);
    }
  }

  template <class Out>
  void put_arrays(Out& out) const {
    put_count(out, p_.arrays);
    for (const array_part& a : p_.arrays) {
      out.put(static_cast<std::uint16_t>(a.name.size));
      out.put_text(p_.string(a.name));
      put_shape(out, a.type, a.shape);
      out.put(a.data.size);
      out.put_payload(p_.data_of(a.data), a.data);
    }
  }

  const parts& p_;
  part_checker checked_;
  section order_[section_count] = {};
  std::uint64_t offsets_[section_count] = {};
  std::uint64_t size_ = 0;
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<std::uint64_t> written_size(const parts& p) {
  detail::part_writer out(p);
  if (const error e = out.prepare(); e.code != errc::ok) return e;
  return out.size();
}

TESSERA_INLINE error write(const parts& p, const sink& to) {
  detail::part_writer out(p);
  const error e = out.prepare();
  return e.code == errc::ok ? out.write(to) : e;
}

TESSERA_INLINE result<pool<std::byte>> write(const parts& p) {
  detail::part_writer writer(p);
  error e = writer.prepare();
  if (e.code != errc::ok) return e;
  if (writer.size() > SIZE_MAX) return error{errc::nac_write_size, 0};
  pool<std::byte> out;
  out.reserve(to_size(writer.size()));
  e = writer.write(detail::sink_into(out));
  if (e.code != errc::ok) return e;
  return out;
}

TESSERA_INLINE result<pool<std::byte>> write(const model& f, const write_options& options) {
  parts p = parts_of(f);
  if (!options.keep_layout) p.layout = {};
  return write(p);
}

TESSERA_INLINE error write(const model& f, const sink& to, const write_options& options) {
  parts p = parts_of(f);
  if (!options.keep_layout) p.layout = {};
  return write(p, to);
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_WRITE_HPP
