// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The part of the reader of NEM that says what is wrong with a statement, and what was meant.
//
//   // comment          expected a declaration, a task or a loop, got '/': comments begin with '#'
//   y = gemm in a, b    ...: gemm is written as gemm.async or .sync
//   tranfer.async(      expected 'in', got '(': only transfer and store take parentheses
//   relu.sync IN a      expected 'in', got 'IN': keywords are in lower case
//
// Lifetime:   borrows the source.
// Errors:     SYN-001, SYN-008.
// Limits:     none.
// Allocation: texts of findings.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_ERRORS_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_ERRORS_HPP

#include <cstddef>
#include <string_view>

#include "../../../core/error.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "lexer.hpp"
#include "read_value.hpp"
#include "suggest.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class statement_errors : protected value_reader {
 protected:
  using value_reader::value_reader;

  /// Whether a word is `in` or `out` in upper case, as older texts have it. It is reported, and
  /// reading goes on.
  bool is_upper_case(word w, std::string_view lower) {
    if (w.size != lower.size()) return false;
    for (std::size_t i = 0; i < lower.size(); ++i)
      if ((w.first[i] | 0x20) != lower[i]) return false;
    if (may_report()) {
      auto out = found_.add(errc::nem_syn_001_token, range_of(w));
      out << "expected '" << lower << "', got '" << w.text() << "': keywords are in lower case";
      out.fix(range_of(w)) << lower;
    }
    return true;
  }
  /// What a word that begins no statement may mean.
  void no_statement(findings::writer& out, word w) {
    if (const char* const equals = equals_behind(w); equals != nullptr) {
      const char* const value = behind_blanks(equals + 1);
      const word callee = value < end_ && is(*value, class_letter) ? word_at(value) : word{};
      if (opcode_words.find(callee, 255) != 255)
        out << ": " << callee.text() << " is written as " << callee.text() << ".async or .sync";
      else
        out << ": only regions and tasks are assigned without const or let";
      return;
    }
    for (const std::string_view known : {"elem", "shape", "layout", "strides", "quant"})
      if (w.text() == known) out << ": type attributes are written as " << known << "=...";
    suggestion near(w.text());
    for (const std::string_view known :
         {"const", "let", "buffer", "loop", "endloop", "transfer", "store", "wait"})
      near.offer(known);
    const std::string_view meant = w.key == make_key("end")   ? "endloop"
                                   : w.key == make_key("for") ? "loop"
                                                              : near.word();
    if (!meant.empty()) out.note() << "did you mean " << meant << '?';
  }
  /// The error for a word that begins no statement. Returns false.
  [[gnu::cold, gnu::noinline]] bool no_statement() {
    if (not_a_token() || !may_report()) return false;
    auto out = found_.add(errc::nem_syn_008_statement, token());
    out << "expected a declaration, a task or a loop, got " << here_is();
    if (at_other_comment()) {
      out << ": comments begin with '#'";
      if (at_[1] == '/') out.fix(range(at_, at_ + 2)) << '#';
    } else if (at('@')) {
      out << ": those of a loop precede its ':'";
    } else if (at_word()) {
      no_statement(out, peek_word());
    }
    return false;
  }
  /// Parentheses after what isn't a transfer. Returns false.
  [[gnu::cold, gnu::noinline]] bool no_operands(word callee) {
    if (!may_report()) return false;
    auto out = found_.add(errc::nem_syn_001_token, token());
    out << "expected 'in', got '(': only transfer and store take parentheses";
    suggestion near(callee.text());
    near.offer("transfer");
    near.offer("store");
    if (!near.word().empty()) out.note() << "did you mean " << near.word() << '?';
    return false;
  }
  /// A comma between attributes: reported, and where an attribute follows reading goes on.
  [[gnu::cold, gnu::noinline]] bool stray_comma() {
    if (!may_report()) return false;
    const place comma = token();
    const char* const next = behind_blanks(at_ + 1);
    const char* const equals =
        next < end_ && is(*next, class_letter) ? equals_behind(word_at(next)) : nullptr;
    const bool goes_on = equals != nullptr && !is_call(behind_blanks(equals + 1));
    auto out = found_.add(errc::nem_syn_001_token, comma);
    out << "expected an attribute or a statement, got ','";
    if (goes_on) out << ": attributes have blanks between them";
    if (goes_on) out.fix(comma) << "";
    if (goes_on) take();
    return goes_on;
  }
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_ERRORS_HPP
