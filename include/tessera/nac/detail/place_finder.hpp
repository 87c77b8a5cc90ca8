// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What an offset of a NAC container is in, for describe(error, bytes): the container is read again, up to
// there. The words are those of the findings of verify (places.hpp).
//
// Lifetime:   for the time of a call.
// Errors:     none: nothing is said of what can't be decoded.
// Limits:     those of places.hpp.
// Allocation: the text's.

#ifndef TESSERA_NAC_DETAIL_PLACE_FINDER_HPP
#define TESSERA_NAC_DETAIL_PLACE_FINDER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/text.hpp"
#include "../execution_plan.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../read.hpp"
#include "../tokenizer.hpp"
#include "errors.hpp"
#include "places.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Reads a container again, as far as an offset in it.
struct place_finder {
  text& to;
  const model& f;  ///< as far as it could be read
  std::uint64_t offset;

  [[nodiscard]] cursor records_of(section s) const noexcept {
    const model::extent& e = f.part(s);
    return {f.source_.data(), e.offset + 4, e.end};
  }

  /// Takes how many records follow; false: the offset is in that number, or there is none.
  [[nodiscard, gnu::cold]] bool count(cursor& in, std::string_view plural, std::uint32_t& n) {
    if (!in.has(4) || offset < in.offset() + 4) {
      to << "number of " << plural;
      return false;
    }
    n = in.take<std::uint32_t>();
    return true;
  }
  /// Looks through `n` records; `put(index, record)` gets that of the offset, and null for one that
  /// can't be read. Whether it was there.
  template <class Form, class Put>
  [[nodiscard, gnu::cold]] bool find(cursor& in, std::uint32_t n, Put&& put) {
    for (std::uint32_t index = 0; index != n; ++index) {
      typename Form::record r{};
      if (Form::parse(in, r).code != errc::ok) return put(index, nullptr), true;
      if (offset < in.offset()) return put(index, &r), true;
    }
    return false;
  }
  template <class Form, class Put>
  [[nodiscard, gnu::cold]] bool find(cursor& in, std::string_view plural, Put&& put) {
    std::uint32_t n = 0;
    return !count(in, plural, n) || find<Form>(in, n, put);
  }
  /// Records with names.
  template <class Form>
  [[nodiscard, gnu::cold]] bool find_named(cursor& in, std::string_view kind,
                                           std::string_view plural) {
    return find<Form>(in, plural, [&](std::uint32_t index, const named* r) {
      put_named(to, kind, index, r != nullptr ? r->text : std::string_view());
    });
  }
  [[nodiscard, gnu::cold]] bool find_constant(cursor& in, std::uint32_t n, std::string_view kind) {
    return find<constant_form>(in, n, [&](std::uint32_t index, const constant* c) {
      if (c != nullptr)
        put_constant(to, kind, index, *c);
      else
        to << kind << ' ' << index;
    });
  }

  [[nodiscard, gnu::cold]] bool in_code(section s) {
    cursor in = records_of(s);
    std::uint32_t n = 0;
    if (!count(in, "instructions", n)) return true;
    const bool training = s == section::trng;
    for (instruction i; i.index != n; ++i.index) {
      const std::uint64_t start = in.offset();
      const bool has_name = in.has(2);
      if (parse_instruction(f, in, i).code == errc::ok) {
        if (offset >= in.offset()) continue;
        put_instruction(to, f, i, offset, training);
      } else if (has_name) {
        put_instruction(to, f, i.index, i.a, training);
        if (offset == start + 1) put_instruction_part(to, i, offset);
      } else {
        to << (training ? "training instruction " : "instruction ") << i.index;
      }
      return true;
    }
    return false;
  }
  [[nodiscard, gnu::cold]] bool in_data() {
    cursor in = records_of(section::data);
    return find_named<long_named>(in, "parameter", "parameters") ||
           find_named<long_named>(in, "input name", "input names") ||
           (f.has_internal_weights() &&
            find<tensor_form>(in, "tensors", [&](std::uint32_t index, const tensor* t) {
              if (t != nullptr)
                put_tensor(to, index, *t, offset);
              else
                to << "tensor " << index;
            }));
  }
  [[nodiscard, gnu::cold]] bool in_manifest() {
    cursor in = records_of(section::proc);
    const auto size = in.has(4) ? in.take<std::uint32_t>() : std::uint32_t{0};
    if (!in.has(size) || offset < in.offset()) {
      to << "size of the manifest";
      return true;
    }
    const std::uint64_t at = offset - in.offset();
    manifest_reader manifest(in.take_bytes(size));
    if (at > size) return false;
    std::uint32_t index = 0;
    tokenizer_instruction i;
    for (; manifest.next(i); ++index)
      if (at < manifest.offset() || (at == size && at == manifest.offset())) {
        put_tokenizer_instruction(to, index, i);
        return true;
      }
    if (manifest.error().code == errc::nac_tisa_magic)
      to << "start of the manifest";
    else
      to << "tokenizer instruction " << index;
    return true;
  }
  [[nodiscard, gnu::cold]] bool in_plan() {
    cursor in = records_of(section::orch);
    if (!in.has(8) || offset < in.offset() + 8) {
      to << (offset < in.offset() + 4 ? "size of the execution plan" : "number of its constants");
      return true;
    }
    const auto size = in.take<std::uint32_t>(), constants = in.take<std::uint32_t>();
    if (!in.has(size)) return false;
    const std::uint64_t at = offset - in.offset();
    plan_reader code(in.take_bytes(size));
    if (at > size || (at == size && size == 0))
      return find_constant(in, constants, "plan constant");
    std::uint32_t index = 0;
    plan_instruction i;
    for (; code.next(i); ++index)
      if (at < code.offset()) {
        put_plan_instruction(to, index, i, at);
        return true;
      }
    if (code.error().code == errc::ok) return find_constant(in, constants, "plan constant");
    to << "plan instruction " << index;
    return true;
  }

  [[nodiscard, gnu::cold]] bool in_section(section s) {
    cursor in = records_of(s);
    switch (s) {
      case section::mmap:
        return find<tick_form>(in, "ticks", [&](std::uint32_t index, const tick* t) {
          if (t != nullptr)
            put_tick(to, index, *t, offset);
          else
            to << "tick " << index;
        });
      case section::ops:
      case section::trng: return in_code(s);
      case section::cmap: return find_named<short_named>(in, "operation", "operations");
      case section::perm: return find_named<short_named>(in, "signature", "signatures");
      case section::cnst: {
        std::uint32_t n = 0;
        return !count(in, "constants", n) || find_constant(in, n, "constant");
      }
      case section::data: return in_data();
      case section::proc: return in_manifest();
      case section::orch: return in_plan();
      case section::rsrc:
        return find<resource_form>(in, "resources", [&](std::uint32_t index, const resource* r) {
          put_named(to, "resource", index, r != nullptr ? r->name : std::string_view());
        });
      case section::arrs:
        return find<array_form>(in, "arrays", [&](std::uint32_t index, const array* a) {
          if (a != nullptr)
            put_array(to, index, *a, offset);
          else
            to << "array " << index;
        });
    }
    return false;  // unreachable: all sections are above
  }

  [[gnu::cold]] void in_header() {
    const std::uint64_t slot = offset < first_slot ? 0 : (offset - first_slot) / 8;
    to << "header, ";
    if (offset < 3)
      to << "magic";
    else if (offset < 4)
      to << "version";
    else if (offset < 5)
      to << "flags";
    else if (offset < 7)
      to << "number of inputs";
    else if (offset < 9)
      to << "number of outputs";
    else if (offset == 9)
      to << "reserved byte";
    else if (offset < first_slot)
      to << "d_model";
    else if (slot < header_slots[static_cast<std::size_t>(f.header())])
      to << "offset of "
         << section_name(section_of_slot(f.header(), static_cast<std::uint32_t>(slot)));
    else
      to << "reserved bytes";
  }

  /// `why` is the error at the offset, `read` what reading ends with.
  [[gnu::cold]] void append(errc why, const error& read) {
    if (why == errc::nac_no_instructions && offset == 0) return;  // no section
    if (offset < header_sizes[static_cast<std::size_t>(f.header())]) return in_header();
    const bool is_tag = why == errc::nac_no_instructions || why == errc::nac_output_missing ||
                        why == errc::nac_training_version || why == errc::nac_section_offset;
    for (std::size_t i = 0; i < section_count; ++i) {
      const auto s = static_cast<section>(i);
      const model::extent& e = f.part(s);
      if (e.offset == 0) continue;
      if (is_tag ? offset != e.offset : offset <= e.offset || offset > e.end) continue;
      if (is_tag || offset < e.offset + 4) {
        to << section_name(s);
      } else {
        if (read.code != errc::ok) to << section_name(s) << ", ";
        if (why == errc::nac_slack || !in_section(s)) put_slack(to, s);
      }
      return;
    }
  }
};

/// Appends what an offset of a container is in; nothing where that isn't known.
[[gnu::cold]] inline void append_place(text& to, const error& e, const std::byte* source,
                                       std::size_t size) {
  const auto code = static_cast<unsigned>(e.code);
  const bool is_of_container = code < 3400;  // rather than of assembly, weights or a run
  if (!is_of_container || e.offset > size || size < 3 || as_text(bytes(source, 3)) != "NAC") return;
  model f;
  limits any;
  any.max_bytes = ~std::uint64_t{0};
  any.max_items = ~std::uint64_t{0};
  const error read = maker::make(bytes(source, size), any, f);
  text found;
  place_finder{found, f, e.offset}.append(e.code, read);
  append_shown(to, found);
}

// The second store into NAC's table, always after that of errors.hpp, which is before it in every
// file that has both.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
[[gnu::used]] inline const auto& known_places = tessera::detail::table_of(3).append_place =
    append_place;
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PLACE_FINDER_HPP
