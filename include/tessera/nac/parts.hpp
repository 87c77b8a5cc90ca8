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

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "layout.hpp"

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
  [[nodiscard]] bytes data_of(const payload& p) const noexcept;

  // ---- building; what is added stands behind what is there

  [[nodiscard]] range add_string(std::string_view s);
  [[nodiscard]] range add_numbers(view<std::uint32_t> values);
  [[nodiscard]] range add_words(view<std::uint16_t> values);
  /// Borrows `b`.
  [[nodiscard]] static payload borrow(bytes b) noexcept { return {b.data(), 0, b.size(), nullptr}; }
  /// Copies `b`.
  [[nodiscard]] payload keep(bytes b);
  void add_name(pool<named_part>& to, std::uint16_t id, std::string_view name) {
    to.push_back({id, add_string(name)});
  }
};

/// What a file holds, in parts. Not kept: slack, reserved bytes, unknown sections, and prefixes that
/// follow no rule.
[[nodiscard]] parts parts_of(const model& f);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/parts.hpp"
#endif

#endif  // TESSERA_NAC_PARTS_HPP
