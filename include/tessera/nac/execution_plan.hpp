// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The orchestrator's bytecode (MEP): the table of its instructions, an iterator, a writer.
//
//   nac::plan_reader in(file.execution_plan());
//   for (nac::plan_instruction i; in.next(i);)
//     for (const nac::plan_operand& o : i.operands())
//       std::cout << i.row->name << ' ' << o.value << '\n';
//   if (in.error().code != tessera::errc::ok) return in.error();
//
//   ORCH         u32 bytes of code, u32 number of constants, code, constants
//   instruction  u8 opcode, operands by the row's layout; one letter each:
//     i o        u8 slot that is read, that is written;  z: written, 0 for none
//     v x        u8 n, then n of i, n of o
//     m b        u8 number of a model; u8 without a meaning of its own
//     c s n w    u16 id of a constant; which is a string; a model's number; a string, 0 for none
//     j          i16 distance from the end of this operand
//     A to Z     u8 with names: `plan_choices`; some decide which operands follow the layout
//
// Lifetime:   borrows the bytecode.
// Errors:     nac_mep_*; offsets into the bytecode; of a writer, the index of the instruction.
// Limits:     none.
// Allocation: none to read; of the writer: what it writes, and 16 bytes for each label and jump.

#ifndef TESSERA_NAC_EXECUTION_PLAN_HPP
#define TESSERA_NAC_EXECUTION_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/report.hpp"
#include "../core/text.hpp"
#include "detail/execution_plan_rows.hpp"
#include "parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The orchestrator's instructions.
enum class plan_op : std::uint8_t {
#define TESSERA_X(name, code, since, layout) name = code,
  TESSERA_NAC_PLAN_OPS(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of the orchestrator's instructions.
struct plan_op_row {
  plan_op op;          ///< the instruction; its value is the opcode
  std::uint8_t since;  ///< 6, 7 or 8 for versions 1.6 to 1.8; 0: reserved, its size is all there is
  std::string_view name;    ///< the mnemonic in text, such as "flow_loop_end"
  std::string_view layout;  ///< a letter for each operand, explained above; a choice may add some
};
/// All instructions, by ascending opcode.
inline constexpr plan_op_row plan_ops[] = {
#define TESSERA_X(name, code, since, layout) {plan_op::name, since, #name, layout},
    TESSERA_NAC_PLAN_OPS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_PLAN_OPS

/// A value of an operand that has names, and the operands that follow the layout with it.
struct plan_choice {
  char set;               ///< the letter of the operand
  std::uint8_t value;     ///< the byte in the bytecode
  std::uint8_t since;     ///< 6, 7 or 8, for versions 1.6 to 1.8
  std::string_view name;  ///< the word in text
  /// The letters of the operands that follow the row's own; may be empty.
  std::string_view more = {};
};
/// All named values; those of one letter are next to each other.
inline constexpr plan_choice plan_choices[] = {
#define TESSERA_X(set, value, since, name, more) {set, value, since, name, more},
    TESSERA_NAC_PLAN_CHOICES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_PLAN_CHOICES

namespace detail {

/// The row of each opcode in plan_ops, and of each set in plan_choices.
struct plan_tables {
  std::uint8_t row[256], first[26], size[26];
  bool decides[26];  ///< whether the choice says which operands follow
};
inline constexpr std::uint8_t no_row = 255;
inline constexpr plan_tables plan_table = [] {
  plan_tables t{};
  for (std::uint8_t& row : t.row) row = no_row;
  std::uint8_t n = 0;
  for (const plan_op_row& r : plan_ops) t.row[static_cast<std::size_t>(r.op)] = n++;
  n = 0;
  for (const plan_choice& c : plan_choices) {
    const auto set = static_cast<std::size_t>(c.set - 'A');
    if (t.size[set]++ == 0) t.first[set] = n;
    t.decides[set] = t.decides[set] || !c.more.empty();
    ++n;
  }
  return t;
}();

}  // namespace detail

/// An opcode's row; null for an unknown one.
[[nodiscard]] constexpr const plan_op_row* plan_row(std::uint8_t opcode) noexcept {
  const std::uint8_t row = detail::plan_table.row[opcode];
  return row == detail::no_row ? nullptr : &plan_ops[row];
}
/// The mnemonic of an instruction; empty for an unknown opcode.
[[nodiscard]] constexpr std::string_view name(plan_op op) noexcept {
  const plan_op_row* const row = plan_row(static_cast<std::uint8_t>(op));
  return row != nullptr ? row->name : std::string_view();
}
/// A choice by its operand's letter and value; null where there is none.
[[nodiscard]] constexpr const plan_choice* find_choice(char set, std::int64_t value) noexcept {
  const auto s = static_cast<std::size_t>(set - 'A');
  const std::size_t first = detail::plan_table.first[s];
  for (std::size_t i = 0; i < detail::plan_table.size[s]; ++i)
    if (plan_choices[first + i].value == value) return &plan_choices[first + i];
  return nullptr;
}

/// Whether an operand's letter is one of A to Z, whose values have names in plan_choices.
[[nodiscard]] constexpr bool is_choice_operand(char kind) noexcept {
  return kind >= 'A' && kind <= 'Z';
}
/// Whether an operand is a list of slots: v, which are read, or x, which are written.
[[nodiscard]] constexpr bool is_list_operand(char kind) noexcept {
  return kind == 'v' || kind == 'x';
}
/// Whether an operand is the id of a constant of the plan: c, s, n or w.
[[nodiscard]] constexpr bool is_constant_operand(char kind) noexcept {
  return kind == 'c' || kind == 's' || kind == 'n' || kind == 'w';
}
/// Whether an operand is a single slot: i, o or z.
[[nodiscard]] constexpr bool is_slot_operand(char kind) noexcept {
  return kind == 'i' || kind == 'o' || kind == 'z';
}
/// Bytes of an operand; of a list, only of its count.
[[nodiscard]] constexpr std::uint32_t operand_size(char kind) noexcept {
  return is_constant_operand(kind) || kind == 'j' ? 2 : 1;
}

/// Walks along an instruction's operands: a list's count, then each of its slots.
class plan_layout {
 public:
  constexpr plan_layout() noexcept = default;
  /// Begins at the first operand of an instruction.
  explicit constexpr plan_layout(const plan_op_row& row) noexcept : left_(row.layout) {}
  /// The letter of the next operand; 0 after the last.
  [[nodiscard]] constexpr char kind() const noexcept {
    return slots_ != 0 ? slot_ : left_.empty() ? '\0' : left_[0];
  }
  /// Slots of the list that are still to come.
  [[nodiscard]] constexpr std::uint32_t slots() const noexcept { return slots_; }
  /// Skips the operand, whose value decides what follows. False, without skipping it, where it
  /// decides by a choice that doesn't exist.
  constexpr bool pass(std::int64_t value) noexcept {
    if (slots_ != 0) return --slots_, true;
    const char k = left_[0];
    if (is_list_operand(k)) {
      slots_ = static_cast<std::uint32_t>(value);
      slot_ = k == 'v' ? 'i' : 'o';
    } else if (is_choice_operand(k) && detail::plan_table.decides[k - 'A']) {
      const plan_choice* const c = find_choice(k, value);
      if (c == nullptr) return false;
      more_ = c->more;
    }
    left_.remove_prefix(1);
    if (left_.empty()) {
      left_ = more_;
      more_ = {};
    }
    return true;
  }

 private:
  std::string_view left_, more_;
  std::uint32_t slots_ = 0;
  char slot_ = 'i';
};

/// An operand of an instruction.
struct plan_operand {
  char kind = '\0';  ///< the letter of the layout
  /// The byte or word in the bytecode; of a jump with a sign, the distance from the operand's end.
  std::int32_t value = 0;
  std::uint64_t offset = 0;  ///< into the bytecode

  /// Where a jump goes, an offset into the bytecode.
  [[nodiscard]] std::int64_t target() const noexcept {
    return static_cast<std::int64_t>(offset) + 2 + value;
  }
};

/// The operands of an instruction, each slot of a list on its own after the list's count.
class plan_operands {
 public:
  /// Decodes an operand at a time.
  class iterator {
   public:
    /// At the end of any instruction's operands.
    iterator() noexcept = default;
    /// At the operand of `l` that begins at `at`, byte `offset` of the bytecode.
    iterator(plan_layout l, const std::byte* at, std::uint64_t offset) noexcept;
    /// The current operand, which lasts until the iterator moves.
    [[nodiscard]] const plan_operand& operator*() const noexcept { return now_; }
    /// The same.
    [[nodiscard]] const plan_operand* operator->() const noexcept { return &now_; }
    /// Moves to the next operand.
    iterator& operator++() noexcept;
    /// Whether both are at the same operand, or at the end.
    [[nodiscard]] friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.now_.kind == b.now_.kind && a.at_ == b.at_;
    }

   private:
    void read() noexcept;
    plan_layout layout_;
    const std::byte* at_ = nullptr;
    plan_operand now_;
  };

  /// The operands of a row that begin at `at`, byte `offset` of the bytecode.
  /// plan_instruction::operands makes them from what was checked.
  plan_operands(const plan_op_row& row, const std::byte* at, std::uint64_t offset) noexcept
      : layout_(row), at_(at), offset_(offset) {}
  /// The first operand.
  [[nodiscard]] iterator begin() const noexcept { return {layout_, at_, offset_}; }
  /// After the last operand.
  [[nodiscard]] iterator end() const noexcept { return {}; }

 private:
  plan_layout layout_;
  const std::byte* at_;
  std::uint64_t offset_;
};

/// An instruction, all of whose operands are there.
struct plan_instruction {
  std::uint64_t offset = 0;          ///< into the bytecode
  std::uint32_t size = 0;            ///< its bytes, with the opcode
  const plan_op_row* row = nullptr;  ///< never null
  const std::byte* data = nullptr;   ///< its opcode, which its operands follow

  /// The instruction.
  [[nodiscard]] plan_op op() const noexcept { return row->op; }
  /// Whether no version runs it: only its size is known.
  [[nodiscard]] bool reserved() const noexcept { return row->since == 0; }
  /// Its operands in the order of their bytes.
  [[nodiscard]] plan_operands operands() const noexcept { return {*row, data + 1, offset + 1}; }
};

/// Walks over any bytes as instructions, and stops at the first that can't be one.
class plan_reader {
 public:
  /// At the first instruction of `code`, which it borrows.
  explicit plan_reader(bytes code) noexcept : code_(code) {}
  explicit plan_reader(std::string_view code) noexcept : code_(as_bytes(code)) {}
  /// The next instruction. False at the end, and where the bytes are none: see error().
  [[nodiscard]] bool next(plan_instruction& out) noexcept;
  /// What is wrong with the bytes that ended it, and their offset; errc::ok at a proper end.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  /// The end of the last instruction.
  [[nodiscard]] std::uint64_t offset() const noexcept { return at_; }

 private:
  bool fail(errc code, std::uint64_t offset) noexcept;
  bytes code_;
  std::size_t at_ = 0;
  tessera::error error_;
};

/// Writes a plan and its constants into parts.
///
///   nac::plan_writer w(p);
///   const auto again = w.new_label();
///   w.emit(nac::plan_op::src_constant, {0, w.int64(3)});
///   w.emit(nac::plan_op::flow_loop_start, {0});
///   w.place(again);
///   w.emit(nac::plan_op::string_format, {1, w.string("{}"), 1, 0});    // a list: its count, slots
///   w.emit(nac::plan_op::io_write, {1, 0, 0, 0});
///   w.emit(nac::plan_op::flow_loop_end, {again});                      // a jump: its label
///   if (const error e = w.finish(); e.code != errc::ok) return e;      // now p.plan holds it
class plan_writer {
 public:
  /// Constants are appended to those that `to` has, with ids above theirs.
  explicit plan_writer(parts& to);

  // ---- constants: each returns the id of a new one

  /// Adds a null.
  std::uint16_t null() { return add(constant_type::null, 0, {}); }
  /// Adds a boolean.
  std::uint16_t boolean(bool v) { return add(constant_type::boolean, v ? 1 : 0, {}); }
  /// Adds an integer of 64 bits.
  std::uint16_t int64(std::int64_t v) {
    return add(constant_type::int64, static_cast<std::uint64_t>(v), {});
  }
  /// Adds a float of 64 bits.
  std::uint16_t float64(double v) {
    return add(constant_type::float64, std::bit_cast<std::uint64_t>(v), {});
  }
  /// Adds a string; containers hold 65,535 bytes of it.
  std::uint16_t string(std::string_view v) {
    return add(constant_type::string, 0, to_.add_string(v));
  }
  /// Adds a list of integers; containers hold 65,535 of them.
  std::uint16_t int32_list(view<std::int32_t> v) { return add_list(constant_type::int32_list, v); }
  /// Adds a list of floats; containers hold 65,535 of them.
  std::uint16_t float32_list(view<float> v) { return add_list(constant_type::float32_list, v); }

  // ---- code

  /// A place to jump to, which `place` sets before or after its jumps.
  [[nodiscard]] std::uint32_t new_label();
  /// Puts a label at the end of the code so far. Where it is put twice, the second place counts.
  void place(std::uint32_t label) noexcept {
    if (label < labels_.size()) labels_[label] = code_.size();
  }
  /// Appends an instruction: its operands in the order of the layout. After an error: nothing.
  void emit(plan_op op, view<std::int64_t> operands);
  void emit(plan_op op, std::initializer_list<std::int64_t> operands = {}) {
    emit(op, view<std::int64_t>(operands.begin(), operands.size()));
  }

  /// Bytes of code so far.
  [[nodiscard]] std::uint64_t size() const noexcept { return code_.size(); }
  /// The first error so far: nac_mep_*, with the index of the instruction.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  /// Sets the jumps and puts the code where the plan of the parts was. The writer is empty then.
  [[nodiscard]] tessera::error finish();

 private:
  static constexpr std::uint64_t unplaced = ~std::uint64_t{0};
  struct jump {
    std::uint64_t offset;
    std::uint32_t label;
    std::uint32_t instruction;
  };

  void fail(errc code) noexcept { error_ = {code, count_}; }
  std::uint16_t add(constant_type type, std::uint64_t bits, range values);
  template <class T>
  std::uint16_t add_list(constant_type type, view<T> values) {
    const range r{static_cast<std::uint32_t>(to_.numbers.size()),
                  static_cast<std::uint32_t>(values.size())};
    for (const T v : values) to_.numbers.push_back(std::bit_cast<std::uint32_t>(v));
    return add(type, 0, r);
  }

  parts& to_;
  pool<std::byte> code_;
  pool<std::uint64_t> labels_;
  pool<jump> jumps_;
  std::uint32_t count_ = 0, next_id_ = 0;
  tessera::error error_;
};

// ---- Verification: what machines rely on and don't check while the plan runs.
//
//   if (const auto e = nac::verify_execution_plan(file); e.code != tessera::errc::ok) return e;
//
//   every instruction  known and not reserved, complete, its named values among those in the table
//   constants          in the pool; strings where a path, a prompt, a format or a name is wanted
//   jumps              onto an instruction or exactly to the end, and not into a loop from outside
//   loops              every start has its end, which jumps back into the loop; a break is in a
//                      loop and jumps past its end
//
// Not checked: what slots hold when they are read, files, and what a branch out of a loop does to
// the loop's count. Of constants with the same id, the last counts.
//
// Lifetime:   nothing is kept.
// Errors:     nac_mep_*; offsets into the file. The first one is returned, all go into the report.
// Limits:     a report keeps the first 1000; time n log n of the bytecode.
// Allocation: at most 32 × the bytecode, where it consists of starts of loops only, and 200 KiB.

/// Checks the plan of a container; without one there is nothing to check. Offsets into the file.
[[nodiscard]] error verify_execution_plan(const model& f, report* found = nullptr);

// ---- The plan as text, which assemble reads back to the same bytes.
//
//       src_constant $0, #0 ; 3
//       flow_loop_start $0
//     L1:
//       string_format $1, #1, [$0] ; "n={}"
//       io_write $1, stdout, $0, line
//       flow_loop_end L1
//       exec_halt
//
//   $n          a slot                       #n      a constant of the plan by its id
//   [$1, $2]    a list of slots              none    no slot or no constant, where that can be
//   word        what the table calls a value, or the label that a jump goes to; any word but `end`
//   n           a model, a value without a name, or a jump's distance from the end of its operand
//   bytes 0x…   what is no instruction: from the first bytes that can't be one to the end
//
// Operands have the order of their bytes. Every byte is printed, so that a broken plan is read back
// unchanged, too; values of constants are in comments.
//
// Lifetime:   nothing is kept but the bytes that parts own.
// Errors:     of parsing: nac_mep_* and nac_text_*, at the token.
// Limits:     a jump reaches 32 KiB; labels and jumps are in the first 4 GiB of the text.
// Allocation: to print, 6 × the bytecode and 100 bytes for each constant, beside the text;
//             to parse, at most 20 × the text, where it consists of labels only.

/// Prints bytecode: labels are indented by two spaces, instructions by four.
void print_execution_plan(text& out, bytes code, const constants& pool_of);
inline void print_execution_plan(text& out, std::string_view code, const constants& pool_of) {
  print_execution_plan(out, as_bytes(code), pool_of);
}

}  // namespace nac

}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/execution_plan.hpp"
#include "detail/execution_plan_text.hpp"
#include "detail/execution_plan_verify.hpp"
#endif

#endif  // TESSERA_NAC_EXECUTION_PLAN_HPP
