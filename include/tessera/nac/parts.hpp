// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC containers in parts: everything that a file holds, to be changed and written.
//
//   nac::parts p = nac::parts_of(*file);
//   p.form = nac::header::v1_8;
//   p.resources.push_back({p.add_string("merges.b"), nac::parts::borrow(merges)});
//   auto bytes = nac::write(p);                                   // nac/write.hpp
//
// Flat pools; lists inside records are ranges of `words`, `numbers` and `characters`. The order of
// the sections and what prefixes count are one rule for all (nac/layout.hpp), no part of records.
//
// Lifetime:   owns all but payloads that were given as bytes (elements, resources, bytecode) or with
//             a source, which it borrows; parts_of borrows them from the file's bytes.
// Errors:     none: parts may hold what no file can, and `write` tells.
// Limits:     2^32 characters, words and numbers.
// Allocation: of parts_of, at most 12 × what isn't payload.

#ifndef TESSERA_NAC_PARTS_HPP
#define TESSERA_NAC_PARTS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "file.hpp"
#include "format.hpp"
#include "layout.hpp"
#include "records.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// A part of one of the pools of `parts`.
struct range {
  std::uint32_t first = 0, size = 0;

  template <class Pool>
  [[nodiscard]] bool is_inside(const Pool& of) const noexcept {
    return first <= of.size() && size <= of.size() - first;
  }
};

/// Makes the bytes of payloads while they are written, so that they need no memory.
struct payload_source {
  const void* context = nullptr;
  /// Writes bytes `first` to `first + count` - 1 of the payload `key` to `to`; `first` is a multiple
  /// of 8, and so is `count` unless the payload ends there. False: it can't.
  bool (*read)(const void* context, std::uint64_t key, std::uint64_t first, std::byte* to,
               std::size_t count) = nullptr;
};

/// Bytes that a file carries and nobody looks into: borrowed, in parts::own_bytes from `first`, or
/// those that `source` makes for the key `first`.
struct payload {
  const std::byte* borrowed = nullptr;
  std::uint64_t first = 0, size = 0;
  const payload_source* source = nullptr;
};

/// A row of CMAP, PERM, or of DATA's blocks 1 and 2.
struct named_part {
  std::uint16_t id = 0;
  range text;  ///< in parts::characters
};

struct constant_part {
  std::uint16_t id = 0;
  constant_type type = constant_type::null;
  std::uint64_t bits = 0;  ///< of a boolean, an int64 or a float64
  range values;            ///< a string in parts::characters; elements in parts::numbers

  [[nodiscard]] std::int64_t int64() const noexcept { return std::bit_cast<std::int64_t>(bits); }
  [[nodiscard]] double float64() const noexcept { return std::bit_cast<double>(bits); }
};

struct instruction_part {
  std::uint8_t a = 0, b = 0;
  range c, d;  ///< in parts::words; C without its prefix
};

struct command_part {
  action what = action::save_result;
  std::uint16_t target = 0;
};

struct tick_part {
  std::uint16_t instruction = 0;
  range commands;  ///< in parts::commands
};

struct tensor_part {
  std::uint16_t id = 0;
  data_type type = data_type::float32;
  nac::quantization quantization = nac::quantization::none;
  std::uint8_t axis = 0;
  std::uint16_t block = 0;
  range shape, original_shape;  ///< in parts::numbers
  range scales;                 ///< in parts::numbers, as bits of float32
  payload data;
};

struct resource_part {
  range name;  ///< in parts::characters
  payload data;
};

struct array_part {
  range name;  ///< in parts::characters
  data_type type = data_type::float32;
  range shape;  ///< in parts::numbers
  payload data;
};

/// A container in parts.
struct parts {
  nac::header form = nac::header::v1_6;
  nac::quantization quantization = nac::quantization::none;
  bool internal_weights = true;
  bool training_flag = false;  ///< bit 6 of byte 4; version 2
  std::uint16_t inputs = 0, outputs = 0, d_model = 0;
  nac::layout layout;  ///< of a file that was read; else the version's

  pool<tick_part> schedule;
  pool<command_part> commands;
  pool<instruction_part> instructions, training;
  pool<named_part> operations, signatures, parameters, input_names;
  pool<constant_part> constants, plan_constants;
  pool<tensor_part> tensors;
  payload manifest, plan;
  pool<resource_part> resources;
  pool<array_part> arrays;
  bool has_manifest = false, has_training = false, has_resources = false;

  text characters;
  pool<std::uint16_t> words;
  pool<std::uint32_t> numbers;
  pool<std::byte> own_bytes;

  [[nodiscard]] std::string_view string(range r) const noexcept {
    return characters.view().substr(r.first, r.size);
  }
  [[nodiscard]] view<std::uint16_t> words_of(range r) const noexcept {
    return {words.data() + r.first, r.size};
  }
  [[nodiscard]] view<std::uint32_t> numbers_of(range r) const noexcept {
    return {numbers.data() + r.first, r.size};
  }
  /// None for a payload with a source.
  [[nodiscard]] bytes data_of(const payload& p) const noexcept {
    if (p.size == 0 || p.source != nullptr) return {};
    return {p.borrowed != nullptr ? p.borrowed : own_bytes.data() + p.first,
            static_cast<std::size_t>(p.size)};
  }

  // ---- building; what is added stands behind what is there

  [[nodiscard]] range add_string(std::string_view s) {
    const range r{static_cast<std::uint32_t>(characters.size()),
                  static_cast<std::uint32_t>(s.size())};
    characters << s;
    return r;
  }
  [[nodiscard]] range add_numbers(view<std::uint32_t> values) {
    const range r{static_cast<std::uint32_t>(numbers.size()),
                  static_cast<std::uint32_t>(values.size())};
    numbers.append(values.data(), values.size());
    return r;
  }
  [[nodiscard]] range add_words(view<std::uint16_t> values) {
    const range r{static_cast<std::uint32_t>(words.size()),
                  static_cast<std::uint32_t>(values.size())};
    words.append(values.data(), values.size());
    return r;
  }
  /// Borrows `b`.
  [[nodiscard]] static payload borrow(bytes b) noexcept { return {b.data(), 0, b.size(), nullptr}; }
  /// Copies `b`.
  [[nodiscard]] payload keep(bytes b) {
    const payload p{nullptr, own_bytes.size(), b.size(), nullptr};
    own_bytes.append(b.data(), b.size());
    return p;
  }
  void add_name(pool<named_part>& to, std::uint16_t id, std::string_view name) {
    to.push_back({id, add_string(name)});
  }
};

namespace detail {

struct part_maker {
  parts& out;

  template <class T>
  [[nodiscard]] range numbers(packed<T> values) const {
    const range r{static_cast<std::uint32_t>(out.numbers.size()), values.size()};
    for (std::uint32_t i = 0; i < values.size(); ++i)
      out.numbers.push_back(load_le<std::uint32_t>(values.data() + std::size_t{i} * 4));
    return r;
  }
  template <class T>
  [[nodiscard]] range words(packed<T> values) const {
    const range r{static_cast<std::uint32_t>(out.words.size()), values.size()};
    for (std::uint32_t i = 0; i < values.size(); ++i)
      out.words.push_back(load_le<std::uint16_t>(values.data() + std::size_t{i} * 2));
    return r;
  }
  void code(const nac::instructions& from, pool<instruction_part>& to) const {
    to.reserve(from.size());
    for (const instruction& i : from) {
      const range c = words(i.c);
      to.push_back({i.a, i.b, c, words(i.d)});
    }
  }
  void constants(const nac::constants& from, pool<constant_part>& to) const {
    to.reserve(from.size());
    for (const constant& c : from) {
      constant_part p{c.id, c.type, 0, {}};
      switch (c.type) {
        case constant_type::null: break;
        case constant_type::boolean: p.bits = c.boolean() ? 1 : 0; break;
        case constant_type::int64:
        case constant_type::float64: p.bits = load_le<std::uint64_t>(c.payload); break;
        case constant_type::string: p.values = out.add_string(c.string()); break;
        case constant_type::int32_list: p.values = numbers(c.int32_list()); break;
        case constant_type::float32_list: p.values = numbers(c.float32_list()); break;
      }
      to.push_back(p);
    }
  }
  template <class Names>
  void names(const Names& from, pool<named_part>& to) const {
    to.reserve(from.size());
    for (const named& n : from) out.add_name(to, n.id, n.text);
  }
};

}  // namespace detail

/// What a file holds, in parts. Not kept: slack, reserved bytes, unknown sections, and prefixes that
/// follow no rule.
[[nodiscard]] inline parts parts_of(const file& f) {
  parts p;
  const detail::part_maker make{p};
  p.form = f.header();
  p.quantization = f.quantization();
  p.internal_weights = f.has_internal_weights();
  p.training_flag = f.has_training_flag();
  p.inputs = f.inputs();
  p.outputs = f.outputs();
  p.d_model = f.d_model();
  p.layout = layout_of(f);
  p.schedule.reserve(f.schedule().size());
  for (const tick& t : f.schedule()) {
    p.schedule.push_back(
        {t.instruction, {static_cast<std::uint32_t>(p.commands.size()), t.commands.size()}});
    for (const command& c : t.commands) p.commands.push_back({c.what, c.target});
  }
  make.code(f.instructions(), p.instructions);
  make.code(f.training(), p.training);
  make.names(f.operations(), p.operations);
  make.names(f.signatures(), p.signatures);
  make.names(f.parameters(), p.parameters);
  make.names(f.input_names(), p.input_names);
  make.constants(f.constants(), p.constants);
  make.constants(f.plan_constants(), p.plan_constants);
  p.tensors.reserve(f.tensors().size());
  for (const tensor& t : f.tensors()) {
    const range shape = make.numbers(t.shape), original = make.numbers(t.original_shape);
    p.tensors.push_back({t.id, t.type, t.quantization, t.axis, t.block, shape, original,
                         make.numbers(t.scales), parts::borrow(t.data)});
  }
  p.has_manifest = f.has(section::proc);
  p.manifest = parts::borrow(f.manifest());
  p.plan = parts::borrow(f.plan());
  p.has_training = f.has(section::trng);
  p.has_resources = f.has(section::rsrc);
  p.resources.reserve(f.resources().size());
  for (const resource& r : f.resources())
    p.resources.push_back({p.add_string(r.name), parts::borrow(r.data)});
  p.arrays.reserve(f.arrays().size());
  for (const array& a : f.arrays()) {
    const range name = p.add_string(a.name);
    p.arrays.push_back({name, a.type, make.numbers(a.shape), parts::borrow(a.data)});
  }
  return p;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_PARTS_HPP
