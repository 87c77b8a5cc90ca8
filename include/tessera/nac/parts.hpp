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
// the sections and what prefixes count are one rule for all (nac/parts.hpp), no part of records.
//
// Lifetime:   owns all but payloads that were given as bytes (elements, resources, bytecode) or
//             with a source, which it borrows; parts_of borrows them from the file's bytes.
// Errors:     none: parts may hold what no container can; `write` refuses that.
// Limits:     2^32 characters, words and numbers.
// Allocation: of parts_of, at most 12 × what isn't payload.

#ifndef TESSERA_NAC_PARTS_HPP
#define TESSERA_NAC_PARTS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

// ---- Layout, in which writers of the same parts differ: the order of the sections, and whether
// prefixes count themselves.
//
//   nac::layout how = nac::layout_of(*file);
//   nac::counts_itself(how.inputs, nac::op_input, file->header());     // INPUT 1-3 begin with 2
//
//   prefix of           1.6, the specification's   1.7 and 1.8, the compiler's
//   INPUT 1-3           2                          1
//   OUTPUT 0-2          outputs + 1                outputs
//   OUTPUT 3            1                          1
//   CONTROL_FLOW        3                          3
//   all others          how many words follow      how many words follow
//
// New containers are written so; parts of a container that was read keep its layout. The first
// prefix of an operation that is right by either rule decides; where there is none, INPUT follows
// OUTPUT's rule and the reverse.
//
//   order               MMAP OPS CMAP CNST PERM DATA PROC ORCH TRNG RSRC ARRS
//   order of 1.6        … PROC RSRC ORCH
//
// Lifetime:   owns its list.
// Errors:     none.
// Limits:     none.
// Allocation: the order, where it isn't the version's.

/// Whether the prefixes of an operation count themselves, too.
enum class self_count : std::uint8_t { by_version, no, yes };

/// The ways in which the same parts can be laid out.
struct layout {
  self_count inputs = self_count::by_version;    ///< INPUT 1-3
  self_count outputs = self_count::by_version;   ///< OUTPUT 0-2
  self_count branches = self_count::by_version;  ///< CONTROL_FLOW
  /// Sections in the order in which they appear; those that it leaves out follow them, in the order
  /// of the version.
  pool<section> order;
};

/// The effect of a rule on an operation: `a` is op_input, op_output or op_control_flow.
[[nodiscard]] constexpr bool counts_itself(self_count rule, std::uint8_t a, header form) noexcept {
  if (rule != self_count::by_version) return rule == self_count::yes;
  return a == op_control_flow || form == header::v1_6;
}

/// The sections of a version in the order that its compiler writes them in: 0 to section_count - 1.
[[nodiscard]] constexpr section section_in_order(header form, std::size_t place) noexcept {
  constexpr section last_of_1_6[] = {section::rsrc, section::orch, section::trng};
  constexpr auto first = static_cast<std::size_t>(section::orch);
  if (form == header::v1_6 && place >= first && place < first + 3)
    return last_of_1_6[place - first];
  return static_cast<section>(place);
}

/// How a file is laid out.
[[nodiscard]] layout layout_of(const model& f);

/// A part of one of the pools of `parts`.
struct range {
  std::uint32_t first = 0, size = 0;  ///< index of the first element, and how many

  /// Whether a pool has all elements of the range.
  template <class Pool>
  [[nodiscard]] bool is_inside(const Pool& of) const noexcept {
    return first <= of.size() && size <= of.size() - first;
  }
};

/// Makes the bytes of payloads while they are written, so that they need no memory.
struct payload_source {
  const void* context = nullptr;  ///< passed to `read`
  /// Writes bytes `first` to `first + count` - 1 of the payload `key` to `to`; `first` is a
  /// multiple of 8, and so is `count` unless the payload ends there. False: it can't.
  bool (*read)(const void* context, std::uint64_t key, std::uint64_t first, std::byte* to,
               std::size_t count) = nullptr;
};

/// Bytes that a file carries and that nothing interprets: borrowed, in parts::own_bytes from
/// `first`, or those that `source` makes for the key `first`.
struct payload {
  /// Where the bytes are that the parts don't own; else null.
  const std::byte* borrowed = nullptr;
  std::uint64_t first = 0, size = 0;  ///< where the bytes begin, or their key; how many there are
  const payload_source* source = nullptr;  ///< null for bytes in memory
};

/// A row of CMAP, PERM, or of DATA's blocks 1 and 2.
struct named_part {
  std::uint16_t id = 0;  ///< its key
  range text;            ///< in parts::characters
};

/// A row of CNST or of the orchestrator's pool.
struct constant_part {
  std::uint16_t id = 0;                      ///< its key, by which instructions name it
  constant_type type = constant_type::null;  ///< decides which of the following has the value
  std::uint64_t bits = 0;                    ///< of a boolean, an int64 or a float64
  range values;  ///< a string in parts::characters; elements in parts::numbers

  /// The value of an int64.
  [[nodiscard]] std::int64_t int64() const noexcept { return std::bit_cast<std::int64_t>(bits); }
  /// The value of a float64.
  [[nodiscard]] double float64() const noexcept { return std::bit_cast<double>(bits); }
};

/// An instruction of OPS or TRNG.
struct instruction_part {
  /// A and B, as in `instruction`: the operation, and its signature or variant.
  std::uint8_t a = 0, b = 0;
  range c, d;  ///< in parts::words; C without its prefix
};

/// A command of a tick.
struct command_part {
  action what = action::save_result;  ///< what is to be done
  std::uint16_t target = 0;           ///< the index of an instruction
};

/// A tick of MMAP.
struct tick_part {
  std::uint16_t instruction = 0;  ///< its index in parts::instructions
  range commands;                 ///< in parts::commands
};

/// A tensor of DATA.
struct tensor_part {
  std::uint16_t id = 0;                 ///< of its parameter
  data_type type = data_type::float32;  ///< of the elements as they are stored
  /// Decides which fields of the metadata are stored.
  nac::quantization quantization = nac::quantization::none;
  std::uint8_t axis = 0;        ///< int8_channel: the axis that scales run along
  std::uint16_t block = 0;      ///< block_fp8: elements of one scale, 1 or more
  range shape, original_shape;  ///< in parts::numbers
  range scales;                 ///< in parts::numbers, as bits of float32
  payload data;                 ///< the elements
};

/// A file of RSRC.
struct resource_part {
  range name;    ///< in parts::characters
  payload data;  ///< its content
};

/// An array of ARRS.
struct array_part {
  range name;                           ///< in parts::characters
  data_type type = data_type::float32;  ///< of the elements
  range shape;                          ///< in parts::numbers
  payload data;                         ///< the elements
};

/// A container in parts.
struct parts {
  nac::header form = nac::header::v1_6;  ///< of the header, hence the version that is written
  /// The method that the header names; each tensor has its own.
  nac::quantization quantization = nac::quantization::none;
  bool internal_weights = true;  ///< bit 7 of byte 4: the weights are in the file
  bool training_flag = false;    ///< bit 6 of byte 4; version 2
  std::uint16_t inputs = 0, outputs = 0, d_model = 0;  ///< as the header states them
  nac::layout layout;  ///< of a file that was read; else the version's

  pool<tick_part> schedule;                       ///< of MMAP
  pool<command_part> commands;                    ///< of all ticks
  pool<instruction_part> instructions, training;  ///< of OPS; of TRNG
  /// Rows of CMAP, of PERM, and of DATA's blocks 1 and 2.
  pool<named_part> operations, signatures, parameters, input_names;
  pool<constant_part> constants, plan_constants;  ///< of CNST; of the orchestrator's pool
  pool<tensor_part> tensors;                      ///< of DATA's block 3
  payload manifest, plan;                         ///< the content of PROC; the bytecode of ORCH
  pool<resource_part> resources;                  ///< of RSRC
  pool<array_part> arrays;                        ///< of ARRS
  /// Whether PROC, TRNG and RSRC are written even without records. A manifest and training
  /// instructions can't do without theirs.
  bool has_manifest = false, has_training = false, has_resources = false;

  text characters;              ///< of all strings and names
  pool<std::uint16_t> words;    ///< C and D of all instructions; offsets as their bits
  pool<std::uint32_t> numbers;  ///< dimensions; elements of lists, and scales, as their bits
  pool<std::byte> own_bytes;    ///< the payloads that `keep` copied

  /// The text of a range of `characters`. Borrows.
  [[nodiscard]] std::string_view string(range r) const noexcept {
    return characters.view().substr(r.first, r.size);
  }
  /// The elements of a range of `words`. Borrows.
  [[nodiscard]] view<std::uint16_t> words_of(range r) const noexcept {
    return {words.data() + r.first, r.size};
  }
  /// The elements of a range of `numbers`. Borrows.
  [[nodiscard]] view<std::uint32_t> numbers_of(range r) const noexcept {
    return {numbers.data() + r.first, r.size};
  }
  /// None for a payload with a source.
  [[nodiscard]] bytes data_of(const payload& p) const noexcept;

  // ---- building: everything is appended

  /// Appends to `characters`, up to 2^32 of them.
  [[nodiscard]] range add_string(std::string_view s);
  /// Appends to `numbers`, up to 2^32 of them.
  [[nodiscard]] range add_numbers(view<std::uint32_t> values);
  /// Appends to `words`, up to 2^32 of them.
  [[nodiscard]] range add_words(view<std::uint16_t> values);
  /// Borrows `b`.
  [[nodiscard]] static payload borrow(bytes b) noexcept { return {b.data(), 0, b.size(), nullptr}; }
  [[nodiscard]] static payload borrow(std::string_view s) noexcept { return borrow(as_bytes(s)); }
  /// Copies `b`.
  [[nodiscard]] payload keep(bytes b);
  [[nodiscard]] payload keep(std::string_view s) { return keep(as_bytes(s)); }
  /// Appends a row to one of the tables of names.
  void add_name(pool<named_part>& to, std::uint16_t id, std::string_view name) {
    to.push_back({id, add_string(name)});
  }
};

/// What a file holds, in parts. Not kept: slack, reserved bytes, unknown sections, and prefixes
/// that follow no rule.
[[nodiscard]] parts parts_of(const model& f);

// ---- Brings the parts of a NAC container into another version of the format.
//
//   auto older = nac::convert(nac::parts_of(*file), nac::header::v1_6);
//   if (!older) return fail(older.error());
//   auto bytes = nac::write(*older);
//
//   operation in use            its id
//   the version predefines it   that one, and no row in CMAP
//   another one                 its own where that is 32 or more, else the least free one from 32 on
//
// An operation is its name, so two ids of one name become one. CMAP holds what is in use, by
// ascending id: it depends on nothing but the instructions and their names, and converting once
// more changes nothing. What stays: everything else.
//
//   to v1_6   refused: TRNG, the training flag, arrays, INPUT 4 and 5, OUTPUT 3 and 4
//   to v1_7   refused: arrays
//
// Lifetime:   as of the parts that were given: borrowed payloads stay borrowed.
// Errors:     nac_convert_*; the offset is the index of an instruction, or 0. nac_write_range,
//             nac_write_form.
// Limits:     224 operations that the version doesn't predefine.
// Allocation: none but the names of predefined operations that need a row now.

/// The parts of a container of another version that computes the same.
/// Move the parts in to save a copy of them.
[[nodiscard]] result<parts> convert(parts p, header to);

}  // namespace nac

}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/conversion.hpp"
#include "detail/layout.hpp"
#include "detail/parts.hpp"
#endif

#endif  // TESSERA_NAC_PARTS_HPP
