// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC assembly: how instructions are printed.
//
//   v0 = input  ; "x"
//   v1 = parameter 1  ; "fc.weight" f16 [2, 3]
//   v2 = nac.add(v0, 1.5)
//   v3 = nac.view(v2, #7)  ; [1, 6]
//   v4 = output(v3)
//
//   vN           the result of instruction N; @-3: an offset that leads to no instruction
//   1.5 "cpu"    the constant of the least id with this value; any other, and a long one: #ID
//   nac.add      the operation of the least id with this name; any other: op ID
//   nac.add:3    the signature's id, where the arguments' own codes aren't those of the signature
//                of the least id: T for a result, c b i f s S for constants by their types
//   raw          A B c [words] d [words]: what has no other form
//
// Lifetime:   borrows the file.
// Errors:     none.
// Limits:     none.
// Allocation: tables of ids, at most 16 × the sections that name them; the schedule's beside the
//             code, at most 20 × that.

#ifndef TESSERA_NAC_DETAIL_PRINT_CODE_HPP
#define TESSERA_NAC_DETAIL_PRINT_CODE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../model.hpp"
#include "../print.hpp"
#include "ids.hpp"
#include "lexer.hpp"
#include "print_values.hpp"
#include "short_index.hpp"
#include "words.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// What two constants of equal values have in common.
struct constant_value {
  constant_type type = constant_type::null;
  bytes value;
};
[[nodiscard]] inline bool less(const constant_value& a, const constant_value& b) noexcept {
  if (a.type != b.type) return a.type < b.type;
  if (a.value.size() != b.value.size()) return a.value.size() < b.value.size();
  return !a.value.empty() && std::memcmp(a.value.data(), b.value.data(), a.value.size()) < 0;
}
[[nodiscard]] inline constant_value value_of(const constant& c) noexcept {
  static constexpr std::byte booleans[] = {std::byte{0}, std::byte{1}};
  switch (c.type) {
    case constant_type::null: break;
    case constant_type::boolean: return {c.type, bytes(booleans + (c.boolean() ? 1 : 0), 1)};
    case constant_type::int64:
    case constant_type::float64: return {c.type, bytes(c.payload, 8)};
    case constant_type::string: return {c.type, bytes(c.payload, c.length)};
    case constant_type::int32_list:
    case constant_type::float32_list: return {c.type, bytes(c.payload, std::size_t{4} * c.length)};
  }
  return {};
}

/// Records by their ids; the last of an id counts.
template <class Record>
class record_table {
 public:
  template <class List>
  explicit record_table(const List& records) {
    records_.reserve(records.size());
    for (const Record& r : records) {
      rows_.set(r.id, static_cast<std::uint32_t>(records_.size()));
      records_.push_back(r);
    }
  }
  [[nodiscard]] const Record* find(std::uint32_t id) const noexcept {
    return rows_[id] != no_index ? &records_[rows_[id]] : nullptr;
  }
  [[nodiscard]] std::uint32_t end() const noexcept { return rows_.end(); }

 private:
  id_table rows_;
  pool<Record> records_;
};

/// Whether a text is one word to the lexer.
[[nodiscard]] constexpr bool is_word(std::string_view s) noexcept {
  if (s.empty() || !starts_word(s[0])) return false;
  for (const char c : s)
    if (!is_in_word(c)) return false;
  return true;
}

inline void print_commands(text& out, const commands& all) {
  bool first = true;
  for (const command& c : all) {
    if (!first) out << ", ";
    first = false;
    if (name(c.what).empty())
      out << word_action << ' ' << static_cast<unsigned>(c.what);
    else
      out << name(c.what);
    out << ' ' << c.target;
  }
}

class code_printer {
 public:
  code_printer(text& out, const model& f, const print_options& options)
      : out_(out),
        model_(f),
        constants_(f.constants()),
        parameters_(f.parameters()),
        tensors_(f.tensors()),
        input_names_(f.input_names()) {
    for (std::uint32_t id = first_regular_op; id < 256; ++id) {
      const std::string_view n = f.operation_name(static_cast<std::uint8_t>(id));
      if (!n.empty()) operations_.set(static_cast<std::uint16_t>(id), n);
    }
    signatures_.set(0, {});
    for (const named& n : f.signatures()) signatures_.set(n.id, n.text);
    find_inline();
    if (options.schedule_beside) find_ticks();
  }

  void print(const instructions& all, bool is_training) {
    count_ = all.size();
    for (const instruction& i : all) {
      comment_.clear();
      out_ << "  v" << i.index << " = ";
      if (i.a >= first_regular_op)
        regular(i);
      else
        system(i, is_training);
      if (!is_training && i.index < ticks_.size()) {
        for (std::uint32_t t = ticks_[i.index]; t != 0; t = next_[t - 1]) {
          remark();
          print_commands(comment_, of_tick_[t - 1]);
        }
      }
      if (!comment_.empty()) out_ << "  ; " << comment_.view();
      out_ << '\n';
    }
  }

 private:
  /// Marks the constants that are printed by value instead of id: short ones, each with the least id of its value.
  void find_inline() {
    struct row {
      constant_value value;
      std::uint32_t id;
    };
    pool<row> rows;
    rows.reserve(constants_.end());
    for (std::uint32_t id = 0; id < constants_.end(); ++id)
      if (const constant* const c = constants_.find(id); c != nullptr && is_short(*c))
        rows.push_back({value_of(*c), id});
    tessera::sort(rows.data(), rows.size(),
                  [](const row& a, const row& b) { return less(a.value, b.value); });
    inline_.resize(constants_.end());
    for (std::size_t i = 0; i < rows.size(); ++i)
      inline_[rows[i].id] = i == 0 || less(rows[i - 1].value, rows[i].value);
  }
  void find_ticks() {
    for (const tick& t : model_.schedule()) of_tick_.push_back(t.commands);
    next_.resize(of_tick_.size());
    if (!of_tick_.empty()) ticks_.resize(65536);
    pool<std::uint32_t> last;
    last.resize(ticks_.size());
    std::uint32_t number = 0;
    for (const tick& t : model_.schedule()) {
      ++number;
      std::uint32_t& before = last[t.instruction];
      (before == 0 ? ticks_[t.instruction] : next_[before - 1]) = number;
      before = number;
    }
  }

  void remark() {
    if (!comment_.empty()) comment_ << "; ";
  }
  void index(std::uint32_t at, std::int16_t offset) {
    const std::int64_t target = std::int64_t{at} + offset;
    if (offset != 0 && target >= 0 && target < count_)
      out_ << 'v' << target;
    else
      out_ << '@' << offset;
  }
  void constant_argument(std::uint16_t id) {
    if (id < inline_.size() && inline_[id]) return print_constant(out_, *constants_.find(id));
    out_ << '#' << id;
    const constant* const c = constants_.find(id);
    if (c == nullptr || !is_short(*c)) return;
    remark();
    print_constant(comment_, *c);
  }
  void variant(std::uint8_t b) { out_ << ':' << b; }

  void regular(const instruction& i) {
    char derived[256];
    std::uint32_t constant = 0;
    const std::uint32_t size = i.d.size();  // at most 255
    for (std::uint32_t k = 0; k < size; ++k) {
      derived[k] = 'T';
      if (i.d[k] != 0) continue;
      const nac::constant* const c =
          constant < i.c.size() ? constants_.find(i.c[constant]) : nullptr;
      derived[k] = code_of(c == nullptr ? constant_type::null : c->type);
      ++constant;
    }
    if (constant != i.c.size()) return raw(i);
    operation(i.a);
    const std::string_view codes(derived, size);
    if (signatures_[i.b] != codes || signatures_.find(codes) != i.b) variant(i.b);
    out_ << '(';
    constant = 0;
    for (std::uint32_t k = 0; k < size; ++k) {
      if (k != 0) out_ << ", ";
      if (i.d[k] != 0)
        index(i.index, i.d[k]);
      else
        constant_argument(i.c[constant++]);
    }
    out_ << ')';
  }
  void operation(std::uint8_t a) {
    const std::string_view n = model_.operation_name(a);
    if (n.empty() || operations_.find(n) != a)
      out_ << "op " << a;
    else if (is_word(n) && instruction_word_of(n) == nullptr)
      out_ << n;
    else
      print_string(out_, n);
  }

  void system(const instruction& i, bool is_training) {
    const instruction_word* const w = instruction_word_of(i.a, i.b);
    if (w == nullptr || (i.a == op_convergence && !is_plain_convergence(i))) return raw(i);
    out_ << w->word;
    switch (w->what) {
      case operands::name:
        if (const named* const n = input_names_.find(i.index); !is_training && n != nullptr)
          named_comment(n->text);
        break;
      case operands::parameter:
        out_ << ' ' << i.c[0];
        parameter_comment(i.c[0]);
        break;
      case operands::number: out_ << ' ' << i.c[0]; break;
      case operands::constant: out_ << ' ', constant_argument(i.c[0]); break;
      case operands::saved:
        out_ << ' ';
        if (i.c[0] < model_.instructions().size()) out_ << 'v';
        out_ << i.c[0];
        break;
      case operands::values: {
        indices(i);
        bool plain = true;
        for (std::uint32_t k = 0; k < i.c.size(); ++k) plain = plain && i.c[k] == 0;
        if (plain) break;
        out_ << ' ' << word_filler << ' ';
        print_integers(out_, i.c);
        break;
      }
      case operands::step:
        out_ << ' ' << i.c[0];
        indices(i);
        parameter_comment(i.c[0]);
        break;
      case operands::end:
        out_ << '(';
        if (i.d[0] != 0) index(i.index, i.d[0]);
        out_ << ')';
        break;
      case operands::branch:
        if (i.b != 0) variant(i.b);
        out_ << '(';
        index(i.index, i.d[0]);
        out_ << ", " << i.c[0] << ", " << i.c[1] << ')';
        break;
      case operands::convergence:
        if (i.b != 0) variant(i.b);
        out_ << '(';
        index(i.index, static_cast<std::int16_t>(i.c[0]));
        for (std::uint32_t k = 0; k < i.d.size() && i.d.size() > 1; ++k) {
          if (k == 1) continue;  // their number
          out_ << ", ";
          index(i.index, i.d[k]);
        }
        out_ << ')';
        break;
      case operands::raw:               // unreachable: no instruction's own
      case operands::operation: break;  // unreachable: nor this
    }
  }
  [[nodiscard]] static bool is_plain_convergence(const instruction& i) noexcept {
    return i.c.size() == 1 &&
           (i.d.size() == 1 ||
            static_cast<std::uint32_t>(static_cast<std::uint16_t>(i.d[1])) == i.d.size() - 2);
  }
  void indices(const instruction& i) {
    out_ << '(';
    for (std::uint32_t k = 0; k < i.d.size(); ++k) {
      if (k != 0) out_ << ", ";
      index(i.index, i.d[k]);
    }
    out_ << ')';
  }
  void raw(const instruction& i) {
    out_ << "raw " << i.a << ' ' << i.b;
    if (!i.c.empty()) {
      out_ << ' ' << word_c << ' ';
      print_integers(out_, i.c);
    }
    if (!i.d.empty()) {
      out_ << ' ' << word_d << ' ';
      print_integers(out_, i.d);
    }
  }

  void named_comment(std::string_view n) {
    if (n.size() > 2 * short_text) return;
    remark();
    print_string(comment_, n);
  }
  void parameter_comment(std::uint16_t id) {
    if (const named* const n = parameters_.find(id); n != nullptr) named_comment(n->text);
    const tensor* const t = tensors_.find(id);
    if (t == nullptr || t->value_shape().size() > short_list) return;
    comment_ << (comment_.empty() ? "" : " ") << name(t->type) << ' ';
    print_integers(comment_, t->value_shape());
  }

  text& out_;
  const model& model_;
  text comment_;
  std::uint32_t count_ = 0;
  short_index operations_, signatures_;
  record_table<constant> constants_;
  record_table<named> parameters_;
  record_table<tensor> tensors_;
  record_table<named> input_names_;
  pool<bool> inline_;
  pool<std::uint32_t> ticks_, next_;  // from 1: the first of an instruction, and the next of one
  pool<commands> of_tick_;
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PRINT_CODE_HPP
