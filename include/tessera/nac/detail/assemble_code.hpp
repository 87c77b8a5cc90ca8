// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC assembly: how instructions are read.
//
//   statement   [NAME =] instruction
//   instruction OPERATION [:SIGNATURE] (argument, …)      OPERATION: a word, a string, or op ID
//               input [STRING]                            the name of the input
//               parameter ID | parameter STRING
//               state ID | lifted constant | saved RESULT | saved INDEX | target ID
//               output (result, …) [filler [WORD, …]]     subgraph_output, reserved_output too
//               step ID|STRING (result, result)           a gradient and a learning rate
//               end_training ( [result] )
//               control_flow [:B] (result, INTEGER, INTEGER)
//               convergence [:B] (result [, end, branch …])
//               raw A B [c [WORD, …]] [d [OFFSET, …]]
//   argument    result | constant | #ID
//   result      NAME | @OFFSET, from this instruction
//   SIGNATURE   an id, or its codes as a string; without it: T for each result, and c b i f s S for
//               null, booleans, integers, floats, strings and lists
//
// Results may be named before they are defined. Lines end statements, but not inside of brackets.
//
// Lifetime:   borrows the text.
// Errors:     nac_text_*, at the token that is wrong.
// Limits:     255 arguments; results within 32,767 instructions.
// Allocation: at most 64 bytes for each name and value.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLE_CODE_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLE_CODE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../assembly.hpp"
#include "../parts.hpp"
#include "../print.hpp"
#include "assemble_names.hpp"
#include "assemble_values.hpp"
#include "lexer.hpp"
#include "words.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// Whether a section begins here: a word, a colon and the end of the line.
[[nodiscard]] inline bool at_section(const lexer& in) noexcept {
  if (in.peek().kind != token_kind::word) return false;
  lexer ahead = in;
  ahead.next();
  return ahead.accept(':') && ahead.at_line_end();
}

/// Reads OPS and TRNG.
class code_assembler {
 public:
  lexer& in;
  parts& out;
  value_reader read;
  short_ids operations, signatures;
  constant_values constants;
  parameter_names parameters;
  bool has_input_names = false, has_outputs = false;

  code_assembler(lexer& from, parts& to, const resolver& r, text_map* map)
      : in(from), out(to), read{from, to, r}, map_(map) {}

  /// Before anything else reads the code: what ids it names by themselves.
  void look_over() {
    while (!in.failed() && in.peek().kind != token_kind::end && !at_section(in)) {
      while (!in.failed() && !in.at_line_end()) {
        const token t = in.next();
        const token n = in.peek();
        std::uint32_t id = 0;
        if (n.kind != token_kind::number || !small(n.text, id)) continue;
        if (t.text == "op") operations.reserve(id);
        if (t.text == ":") signatures.reserve(id);
        if (t.text == "#") constants.ids.add(static_cast<std::uint16_t>(id));
        if (t.text == "parameter" || t.text == "step")
          parameters.ids.add(static_cast<std::uint16_t>(id));
      }
      in.skip_lines();
    }
  }

  /// Everything up to the next section.
  void code(bool is_training) {
    is_training_ = is_training;
    to_ = is_training ? &out.training : &out.instructions;
    scope& names = is_training ? training_ : forward_;
    in.skip_lines();
    while (!in.failed() && in.peek().kind != token_kind::end && !at_section(in)) {
      index_ = static_cast<std::uint32_t>(to_->size());
      name_ = {};
      if (map_ != nullptr)
        map_->add(is_training ? text_section::training : text_section::code, index_, in.offset());
      if (in.peek().kind == token_kind::word) {
        lexer ahead = in;
        const token first = ahead.next();
        if (ahead.accept('=')) {
          if (word_of(reserved_words, first.text) != not_a_word)
            return in.fail(errc::nac_text_value_reserved);
          names.define(first.text, index_, first.offset);
          name_ = first.text;
          in = ahead;
        }
      }
      statement();
      in.end_line();
    }
    if (in.failed()) return;
    names.close(in);
    for (const reference& r : references_) {
      const std::uint32_t target = names.find(in, r.name, r.offset);
      if (in.failed()) return;
      if (r.is_index) {
        if (target > 0xffff) return in.fail(errc::nac_text_range, r.offset);
        out.words[r.word] = static_cast<std::uint16_t>(target);
        continue;
      }
      const std::int64_t distance = std::int64_t{target} - r.from;
      if (distance == 0) return in.fail(errc::nac_text_value_own, r.offset);
      if (distance < -0x8000 || distance > 0x7fff)
        return in.fail(errc::nac_text_distance, r.offset);
      out.words[r.word] = static_cast<std::uint16_t>(distance);
    }
    references_.clear();
  }

  /// An index into OPS: itself, or the name of its result.
  [[nodiscard]] std::uint16_t forward_index() {
    const token t = in.peek();
    if (t.kind != token_kind::word) return static_cast<std::uint16_t>(in.integer(0, 0xffff));
    in.next();
    const std::uint32_t index = forward_.find(in, t.text, t.offset);
    if (index > 0xffff) in.fail(errc::nac_text_range, t.offset);
    return static_cast<std::uint16_t>(index);
  }

  /// After the last instruction: the tables, and those that the text leaves out.
  void close(bool has_parameters) {
    if (!in.failed()) constants.close(in, out);
    if (!in.failed()) parameters.close(in, out, has_parameters);
    if (!in.failed()) input_names_.close(in, out);
  }
  [[nodiscard]] std::uint32_t inputs() const noexcept { return inputs_; }

 private:
  struct reference {
    std::string_view name;
    std::uint64_t offset;
    std::uint32_t from, word;
    bool is_index;  // the word is an instruction's index, no distance
  };
  /// Up to five digits, decimal or hex after 0x.
  [[nodiscard]] static bool small(std::string_view digits, std::uint32_t& id) noexcept {
    const bool hex = digits.substr(0, 2) == "0x";
    if (hex) digits.remove_prefix(2);
    id = 0;
    for (const char c : digits) {
      const unsigned d = hex_digit(c);
      if (d >= (hex ? 16u : 10u)) return false;
      id = id * (hex ? 16 : 10) + d;
      if (id > 0xffff) return false;
    }
    return !digits.empty();
  }

  void statement() {
    c_.clear();
    d_.clear();
    first_reference_ = references_.size();
    const token t = in.peek();
    instruction_part i;
    if (t.kind == token_kind::string) {
      regular(i, t);
    } else if (t.kind != token_kind::word) {
      return in.fail(errc::nac_text_instruction);
    } else if (const instruction_word* const w = instruction_word_of(t.text); w == nullptr) {
      regular(i, t);
    } else {
      in.next();
      i.a = w->a;
      i.b = w->b;
      system(i, *w, t);
    }
    if (in.failed()) return;
    i.c = out.add_words(c_);
    i.d = out.add_words(d_);
    to_->push_back(i);
    // Places in C and D become places in the words of all.
    for (std::size_t k = first_reference_; k < references_.size(); ++k) {
      std::uint32_t& word = references_[k].word;
      word = (word & in_c) != 0 ? i.c.first + (word & ~in_c) : i.d.first + word;
    }
    for (const value_use& u : values_) constants.add(u.constant, i.c.first + u.word, u.offset);
    for (const value_use& u : parameter_uses_)
      parameters.add(name_text_.view(), i.c.first + u.word, false, u.offset);
    values_.clear();
    parameter_uses_.clear();
  }

  // ---- operands

  static constexpr std::uint32_t in_c = std::uint32_t{1} << 31;

  /// A result, into D or C.
  void result(pool<std::uint16_t>& to, bool zero_allowed) {
    const token t = in.peek();
    if (in.accept('@')) {
      const std::uint64_t offset = in.offset();
      const std::int64_t distance = in.integer(-0x8000, 0x7fff);
      if (distance == 0 && !zero_allowed) in.fail(errc::nac_text_value_own, offset);
      return to.push_back(static_cast<std::uint16_t>(distance));
    }
    if (t.kind != token_kind::word || word_of(reserved_words, t.text) != not_a_word)
      return in.fail(errc::nac_text_result);
    in.next();
    const auto word = static_cast<std::uint32_t>(to.size());
    references_.push_back({t.text, t.offset, index_, &to == &c_ ? word | in_c : word, false});
    to.push_back(0);
  }
  /// # and an id, or a value; returns its code.
  char constant() {
    const std::uint64_t offset = in.offset();
    if (in.accept('#')) {
      c_.push_back(static_cast<std::uint16_t>(in.integer(0, 0xffff)));
      return code_of(constants.type_of(out, c_.back()));
    }
    const constant_part c = read.constant();
    values_.push_back({c, static_cast<std::uint32_t>(c_.size()), offset});
    c_.push_back(0);
    return code_of(c.type);
  }
  void number() { c_.push_back(static_cast<std::uint16_t>(in.integer(0, 0xffff))); }
  void parameter() {
    if (in.peek().kind != token_kind::string) return number();
    parameter_uses_.push_back({{}, static_cast<std::uint32_t>(c_.size()), in.offset()});
    const std::uint64_t offset = in.offset();
    name_text_.clear();
    in.string(name_text_);
    if (name_text_.size() > 0xffff) in.fail(errc::nac_text_length, offset);
    c_.push_back(0);
  }
  void variant(instruction_part& i) {
    if (in.accept(':')) i.b = static_cast<std::uint8_t>(in.integer(0, 255));
  }
  void words(std::int64_t min, std::int64_t max, pool<std::uint16_t>& to) {
    read.list(0xffff, errc::nac_text_list,
              [&] { to.push_back(static_cast<std::uint16_t>(in.integer(min, max))); });
  }
  template <class Each>
  void parentheses(Each&& each) {
    if (!in.expect('(') || in.accept(')')) return;
    while (!in.failed()) {
      each();
      if (in.accept(')')) return;
      in.expect(',');
    }
  }

  // ---- operations

  void regular(instruction_part& i, const token& t) {
    if (t.kind == token_kind::string) {
      name_text_.clear();
      in.string(name_text_);
      if (name_text_.empty()) in.fail(errc::nac_text_instruction, t.offset);
      if (!in.failed()) i.a = operation(name_text_.view(), t.offset);
    } else {
      in.next();
      i.a = operation(t.text, t.offset);
    }
    arguments(i);
  }
  [[nodiscard]] std::uint8_t operation(std::string_view name, std::uint64_t offset) {
    std::uint32_t id = operations.find(name);
    if (id < 256) return static_cast<std::uint8_t>(id);
    if (name.size() > 255) in.fail(errc::nac_text_length, offset);
    id = operations.free(first_custom_op);
    if (id > 255) in.fail(errc::nac_text_operations, offset);
    if (in.failed()) return 0;
    out.add_name(out.operations, static_cast<std::uint16_t>(id), name);
    operations.set(static_cast<std::uint8_t>(id), name);
    return static_cast<std::uint8_t>(id);
  }

  void arguments(instruction_part& i) {
    const std::uint64_t offset = in.offset();
    bool is_explicit = false, is_number = false;
    token chosen;
    std::uint32_t id = 0;
    if (in.accept(':')) {
      is_explicit = true;
      chosen = in.peek();
      is_number = chosen.kind == token_kind::number;
      if (is_number) {
        id = static_cast<std::uint32_t>(in.integer(0, 255));
      } else if (chosen.kind == token_kind::string) {
        name_text_.clear();
        in.string(name_text_);
      } else {
        return in.fail(errc::nac_text_signature);
      }
    }
    char derived[255];
    std::size_t count = 0;
    parentheses([&] {
      if (count == 255) return in.fail(errc::nac_text_arguments);
      const token t = in.peek();
      const bool is_result =
          (t.kind == token_kind::mark && t.text == "@") ||
          (t.kind == token_kind::word && word_of(reserved_words, t.text) == not_a_word);
      if (is_result) {
        derived[count++] = 'T';
        return result(d_, false);
      }
      derived[count++] = constant();
      d_.push_back(0);
    });
    if (in.failed()) return;
    const std::string_view codes(derived, count);
    if (!is_explicit) {
      i.b = signature(codes, offset);
    } else if (is_number && !signatures.has(id)) {
      add_signature(id, codes);
      i.b = static_cast<std::uint8_t>(id);
    } else {
      i.b = is_number ? static_cast<std::uint8_t>(id) : signature(name_text_.view(), chosen.offset);
      if (in.failed()) return;
      const std::string_view known = signatures[i.b];
      if (known.size() != count || !(c_.empty() || takes_constants(known)))
        in.fail(errc::nac_text_signature_arguments, chosen.offset);
    }
  }
  [[nodiscard]] std::uint8_t signature(std::string_view codes, std::uint64_t offset) {
    std::uint32_t id = signatures.find(codes);
    if (id < 256) return static_cast<std::uint8_t>(id);
    if (codes.size() > 255) in.fail(errc::nac_text_length, offset);
    id = signatures.free(1);
    if (id > 255) in.fail(errc::nac_text_signatures, offset);
    if (!in.failed()) add_signature(id, codes);
    return static_cast<std::uint8_t>(id);
  }
  void add_signature(std::uint32_t id, std::string_view codes) {
    out.add_name(out.signatures, static_cast<std::uint16_t>(id), codes);
    signatures.set(static_cast<std::uint8_t>(id), codes);
  }

  // ---- the system's

  void system(instruction_part& i, const instruction_word& w, const token& t) {
    switch (w.what) {
      case operands::name: input(); break;
      case operands::parameter: parameter(); break;
      case operands::number: number(); break;
      case operands::constant: (void)constant(); break;
      case operands::saved: saved(); break;
      case operands::values: outputs(t); break;
      case operands::step:
        parameter();
        in.expect('(');
        result(d_, true);
        in.expect(',');
        result(d_, true);
        in.expect(')');
        break;
      case operands::end:
        parentheses([&] {
          if (!d_.empty()) return in.fail(errc::nac_text_mark);
          result(d_, true);
        });
        if (d_.empty()) d_.push_back(0);
        break;
      case operands::branch:
        variant(i);
        in.expect('(');
        result(d_, true);
        in.expect(',');
        number();
        in.expect(',');
        number();
        in.expect(')');
        break;
      case operands::convergence: convergence(i); break;
      case operands::raw:
        i.a = static_cast<std::uint8_t>(in.integer(0, 255));
        i.b = static_cast<std::uint8_t>(in.integer(0, 255));
        if (in.accept(word_c)) words(-0x8000, 0xffff, c_);
        if (in.accept(word_d)) words(-0x8000, 0x7fff, d_);
        break;
      case operands::operation:
        i.a = static_cast<std::uint8_t>(in.integer(first_regular_op, 255));
        arguments(i);
        break;
    }
  }
  void input() {
    if (!is_training_) ++inputs_;
    const std::uint64_t offset = in.offset();
    range name;
    if (in.peek().kind == token_kind::string) {
      name = read.string(0xffff);
      if (index_ > 0xffff || is_training_) in.fail(errc::nac_text_input_name, offset);
    } else if (is_training_ || has_input_names || name_.empty() || index_ > 0xffff ||
               name_.size() > 0xffff) {
      return;
    } else {
      name = out.add_string(name_);
    }
    input_names_.add(name, index_, offset);
  }
  void saved() {
    const token t = in.peek();
    if (is_training_ || t.kind != token_kind::word) return c_.push_back(forward_index());
    in.next();  // names that follow aren't known yet
    references_.push_back({t.text, t.offset, index_, in_c, true});
    c_.push_back(0);
  }
  void outputs(const token& t) {
    parentheses([&] {
      if (d_.size() == 0xffff) return in.fail(errc::nac_text_outputs, t.offset);
      result(d_, true);
    });
    if (!has_outputs) {
      has_outputs = true;
      out.outputs = static_cast<std::uint16_t>(d_.size());
    }
    if (d_.size() != out.outputs) in.fail(errc::nac_text_outputs, t.offset);
    const std::uint64_t offset = in.offset();
    if (in.accept(word_filler)) {
      words(0, 0xffff, c_);
      if (c_.size() != out.outputs) in.fail(errc::nac_text_outputs, offset);
    }
    if (!in.failed()) c_.resize(out.outputs);
  }
  /// C: where the value comes from; D: the end, how many branches there are, and each.
  void convergence(instruction_part& i) {
    variant(i);
    in.expect('(');
    result(c_, true);
    if (!in.failed() && in.accept(',')) {
      result(d_, false);
      d_.push_back(0);
      while (!in.failed() && in.accept(',')) {
        if (d_.size() == 2 + 0x7fff) return in.fail(errc::nac_text_list);
        result(d_, true);
      }
      if (!in.failed()) d_[1] = static_cast<std::uint16_t>(d_.size() - 2);
    } else {
      d_.push_back(0);
    }
    in.expect(')');
  }

  struct value_use {
    constant_part constant;
    std::uint32_t word;
    std::uint64_t offset;
  };

  text_map* map_;
  pool<instruction_part>* to_ = nullptr;
  scope forward_, training_;
  bool is_training_ = false;
  std::uint32_t index_ = 0, inputs_ = 0;
  std::string_view name_;  // of the result
  text name_text_;         // decoded: an operation, a signature or a parameter
  pool<std::uint16_t> c_, d_;
  pool<reference> references_;
  pool<value_use> values_, parameter_uses_;
  input_names input_names_;
  std::size_t first_reference_ = 0;
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLE_CODE_HPP
