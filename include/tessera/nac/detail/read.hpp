// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/read.hpp.

#ifndef TESSERA_NAC_DETAIL_READ_HPP
#define TESSERA_NAC_DETAIL_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../read.hpp"
#include "lengths.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Reads into a file, section by section. The header needs no more than the first bytes, the size of
/// all, and the tags where sections start.
struct maker {
  using tag_reader = bool (*)(const void* context, std::uint64_t offset, std::byte* tag);

  model& out;
  const limits& limit;
  bytes head;  ///< the first 100 bytes, or all
  std::uint64_t file_size;
  const void* context = nullptr;
  tag_reader read_tag = nullptr;  ///< four bytes, which are inside; null: they are in the file

  [[nodiscard]] model::extent& part(section s) const noexcept {
    return out.parts_[static_cast<std::size_t>(s)];
  }
  [[nodiscard]] std::uint64_t slot(std::uint32_t i) const noexcept {
    return load_le<std::uint64_t>(head.data() + first_slot + 8 * i);
  }

  /// The section whose tag is at an offset, most likely `guess`; section_count for another tag.
  [[nodiscard]] std::size_t tag_at(std::uint64_t offset, section guess) const noexcept {
    std::byte read[4];
    if (read_tag != nullptr && !read_tag(context, offset, read)) return section_count;
    const auto tag =
        load_le<std::uint32_t>(read_tag == nullptr ? out.source_.data() + offset : read);
    const auto is = [tag](std::size_t i) {
      return load_le<std::uint32_t>(section_tags[i].data()) == tag;
    };
    if (is(static_cast<std::size_t>(guess))) return static_cast<std::size_t>(guess);
    std::size_t i = 0;
    while (i < section_count && !is(i)) ++i;
    return i;
  }
  [[nodiscard]] bool fits(std::uint64_t offset) const noexcept {
    return offset <= file_size && file_size - offset >= 4;
  }

  [[nodiscard]] error header() noexcept {
    for (std::size_t i = 0; i < 3; ++i)
      if (i >= file_size || head[i] != static_cast<std::byte>("NAC"[i]))
        return {file_size > i ? errc::nac_magic : errc::nac_header_truncated, i};
    if (file_size < 4) return {errc::nac_header_truncated, file_size};
    const auto version = load_le<std::uint8_t>(head.data() + 3);
    if (version != 1 && version != 2) return {errc::nac_version, 3};
    if (file_size < header_sizes[0]) return {errc::nac_header_truncated, file_size};

    std::uint64_t first = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < header_slots[0]; ++i)
      if (slot(i) != 0 && slot(i) < first) first = slot(i);
    if (version == 1) {
      if (first == 90) return {errc::nac_header_90, first_slot};
      out.header_ = nac::header::v1_6;
    } else {
      out.header_ = is_v1_7(first) ? nac::header::v1_7 : nac::header::v1_8;
    }
    const auto form = static_cast<std::size_t>(out.header_);
    if (file_size < header_sizes[form]) return {errc::nac_header_truncated, file_size};

    const auto flags = load_le<std::uint8_t>(head.data() + 4);
    out.internal_weights_ = (flags & 0x80u) != 0;
    out.training_flag_ = version == 2 && (flags & 0x40u) != 0;
    const auto method = static_cast<std::uint8_t>(flags & (version == 1 ? 0x7fu : 0x3fu));
    if (method >= quantization_count) return {errc::nac_quantization, 4};
    out.quantization_ = static_cast<nac::quantization>(method);
    out.inputs_ = load_le<std::uint16_t>(head.data() + 5);
    out.outputs_ = load_le<std::uint16_t>(head.data() + 7);
    out.d_model_ = load_le<std::uint16_t>(head.data() + 10);
    return sections(header_sizes[form], header_slots[form]);
  }

  /// Whether a header of version 2 has 10 slots: `first` is the least of slots 0 to 8.
  [[nodiscard]] bool is_v1_7(std::uint64_t first) const noexcept {
    const std::uint64_t ninth = file_size >= 92 ? slot(9) : 0;
    if (ninth != 0 && ninth < first) first = ninth;
    if (first < header_sizes[2]) return first >= header_sizes[1];
    if (first == header_sizes[2] || file_size < header_sizes[2]) return false;
    // A gap after the header: the last slot of the larger one holds a section's offset, or none.
    const std::uint64_t last = slot(10);
    return last != 0 &&
           !(last >= header_sizes[2] && fits(last) && tag_at(last, section::arrs) < section_count);
  }

  [[nodiscard]] error sections(std::uint32_t header_size, std::uint32_t count) noexcept {
    struct place {
      std::uint64_t offset;
      std::size_t section;
    } places[11];  // by offset, which is the order that files mostly have
    std::size_t n = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t offset = slot(i);
      if (offset == 0) continue;
      const std::uint64_t where = first_slot + 8 * i;
      if (offset < header_size || !fits(offset)) return {errc::nac_section_offset, where};
      const std::size_t s = tag_at(offset, section_of_slot(out.header_, i));
      if (s != section_count) {
        if (out.parts_[s].offset != 0) return {errc::nac_section_repeated, where};
        out.parts_[s].offset = offset;
      }
      std::size_t at = n++;
      for (; at != 0 && places[at - 1].offset > offset; --at) places[at] = places[at - 1];
      places[at] = {offset, s};
    }
    std::uint64_t end = file_size;
    while (n-- != 0) {
      const std::uint64_t offset = places[n].offset;
      if (places[n].section != section_count) {
        if (end - offset < 4) return {errc::nac_section_offset, offset};
        model::extent& e = out.parts_[places[n].section];
        e.end = end;
        e.first = e.used = offset + 4;
      }
      end = offset;
    }
    return {};
  }

  /// A u32 that counts records of `least` bytes or more.
  [[nodiscard]] error count(cursor& in, std::uint64_t least, std::uint32_t& n) const noexcept {
    if (!in.has(4)) return in.fail(errc::nac_truncated);
    n = load_le<std::uint32_t>(in.data());
    if (n > limit.max_items) return in.fail(errc::too_many_items);
    if (n * least > in.left() - 4) return in.fail(errc::nac_count);
    (void)in.take<std::uint32_t>();
    return {};
  }

  template <class Form, class Each>
  [[nodiscard]] error records(cursor& in, std::uint32_t n, list<Form>& found, Each&& each) {
    found = {in, n};
    for (typename Form::record r; n != 0; --n) {
      if (const error e = Form::parse(in, r); e.code != errc::ok) return e;
      each(r);
    }
    return {};
  }
  template <class Form, class Each>
  [[nodiscard]] error counted(cursor& in, list<Form>& found, Each&& each) {
    std::uint32_t n = 0;
    if (const error e = count(in, Form::least, n); e.code != errc::ok) return e;
    return records(in, n, found, each);
  }
  template <class Form>
  [[nodiscard]] error counted(cursor& in, list<Form>& found) {
    return counted(in, found, [](const auto&) {});
  }
  /// A section that is one list.
  template <class Form, class Each>
  [[nodiscard]] error one_list(section s, Each&& each) {
    if (!out.has(s)) return {};
    cursor in = out.at(s);
    list<Form> found;
    const error e = counted(in, found, each);
    part(s).first = found.offset();
    part(s).count = found.size();
    part(s).used = in.offset();
    return e;
  }
  template <class Form>
  [[nodiscard]] error one_list(section s) {
    return one_list<Form>(s, [](const auto&) {});
  }

  [[nodiscard]] error names(section s, model::short_texts& texts) {
    const error e = one_list<short_named>(s, [&](const named& n) {
      if (n.id > 255) return;  // which no instruction can name
      texts.offset[n.id] = static_cast<std::uint32_t>(n.offset + 3 - part(s).offset);
      texts.size[n.id] = static_cast<std::uint8_t>(n.text.size());
      texts.has_constants[n.id] = takes_constants(n.text);
    });
    if (e.code != errc::ok || part(s).used - part(s).offset <= UINT32_MAX) return e;
    // The offsets above have 32 bits.
    return {errc::too_many_items, part(s).offset + 4};  // unreachable: below 4 GiB of names
  }

  [[nodiscard]] error code(section s) noexcept {
    if (!out.has(s)) return {};
    cursor in = out.at(s);
    std::uint32_t n = 0;
    if (const error e = count(in, 2, n); e.code != errc::ok) return e;
    part(s).first = in.offset();
    part(s).count = n;
    waypoints& noted = out.waypoints_[s == section::ops ? 0 : 1];
    if (const error e = skip_instructions(out, in, n, noted); e.code != errc::ok) return e;
    part(s).used = in.offset();
    return {};
  }

  [[nodiscard]] error data() {
    if (!out.has(section::data)) return {};
    cursor in = out.at(section::data);
    long_names parameters;
    error e = counted(in, parameters);
    if (e.code == errc::ok) e = counted(in, out.input_names_);
    if (e.code == errc::ok && out.internal_weights_) e = counted(in, out.tensors_);
    part(section::data).first = parameters.offset();
    part(section::data).count = parameters.size();
    part(section::data).used = in.offset();
    return e;
  }

  [[nodiscard]] error tokenizer() noexcept {
    if (!out.has(section::proc)) return {};
    cursor in = out.at(section::proc);
    if (!in.has(4)) return in.fail(errc::nac_truncated);
    const auto size = load_le<std::uint32_t>(in.data());
    if (size > in.left() - 4) return in.fail(errc::nac_truncated);
    (void)in.take<std::uint32_t>();
    out.manifest_ = in.take_bytes(size);
    part(section::proc).used = in.offset();
    return {};
  }

  [[nodiscard]] error orchestrator() {
    if (!out.has(section::orch)) return {};
    cursor in = out.at(section::orch);
    if (!in.has(8)) return in.fail(errc::nac_truncated);
    const auto size = load_le<std::uint32_t>(in.data());
    const auto n = load_le<std::uint32_t>(in.data() + 4);
    if (size > in.left() - 8) return in.fail(errc::nac_truncated);
    (void)in.take<std::uint32_t>();
    if (n > limit.max_items) return in.fail(errc::too_many_items);
    if (n * constant_form::least > in.left() - 4 - size) return in.fail(errc::nac_count);
    (void)in.take<std::uint32_t>();
    out.plan_ = in.take_bytes(size);
    const error e = records(in, n, out.plan_constants_, [](const auto&) {});
    part(section::orch).used = in.offset();
    return e;
  }

  [[nodiscard]] error all() {
    error e = header();
    if (e.code == errc::ok) e = names(section::perm, out.signatures_);
    if (e.code == errc::ok) e = names(section::cmap, out.operations_);
    if (e.code == errc::ok) e = one_list<constant_form>(section::cnst);
    if (e.code == errc::ok) e = one_list<tick_form>(section::mmap);
    if (e.code == errc::ok) e = code(section::ops);
    if (e.code == errc::ok) e = data();
    if (e.code == errc::ok) e = tokenizer();
    if (e.code == errc::ok) e = orchestrator();
    if (e.code == errc::ok) e = code(section::trng);
    if (e.code == errc::ok) e = one_list<resource_form>(section::rsrc);
    if (e.code == errc::ok) e = one_list<array_form>(section::arrs);
    return e;
  }

  static error make(bytes in, const limits& limit, model& out) {
    out.source_ = in;
    if (in.size() > limit.max_bytes) return {errc::input_too_large, limit.max_bytes};
    return maker{out, limit, in.first(in.size() < 100 ? in.size() : 100), in.size()}.all();
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<model> read(bytes in, const read_options& options) {
  result<model> out{model()};
  if (const error e = detail::maker::make(in, options.limit, *out); e.code != errc::ok) out = e;
  return out;  // the one object: a file isn't copied here
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#include "place_finder.hpp"  // uses what is above

#endif  // TESSERA_NAC_DETAIL_READ_HPP
