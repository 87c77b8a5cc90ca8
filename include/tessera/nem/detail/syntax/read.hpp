// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/read.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../../core/error.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "../../read.hpp"
#include "lexer.hpp"
#include "read_config.hpp"
#include "read_mistakes.hpp"
#include "read_program.hpp"
#include "read_token.hpp"
#include "read_value.hpp"
#include "reader.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

inline reader::reader(std::string_view source, const read_options& options, tessera::report* found)
    : lexer(source),
      names_(d_, source.size()),
      found_(found, options.profile, max_findings),
      max_errors_(found_.errors() + (options.max_errors != 0 ? options.max_errors : 1)),
      max_nodes_(options.limit.max_items >= no_node ? no_node - 1
                 : options.limit.max_items == 0
                     ? 1
                     : static_cast<std::uint32_t>(options.limit.max_items)),
      progress_(options.progress),
      next_report_(options.progress.passed == nullptr ? end_ : source.data()) {
  grow(source.size() / 6);
}

inline result<model> reader::read() {
  while (!at_end()) {
    const char* const first = at_;
    if (first > next_report_) [[unlikely]]
      report_progress();
    if (!statement()) after_error(first);
  }
  check_loops();
  if (failure_.code != errc::ok && !found_.failed()) return failure_;
  if (found_.failed()) return found_.first_error();
  d_.nodes.advance(count_ - d_.nodes.size());
  return std::move(d_);
}

[[gnu::cold]] inline void reader::report_progress() {
  constexpr std::ptrdiff_t step = 1 << 20;
  progress_.passed(progress_.self, static_cast<std::uint64_t>(at_ - source_));
  next_report_ = end_ - at_ > step ? at_ + step : end_;
}

// --- statements ---

inline bool reader::statement() {
  if (!at_word()) {
    if (at(';')) return take(), true;
    if (at('}') && other_loops_ != 0) return --other_loops_, take(), true;
    return bad_mark();
  }
  const word w = scan_word(at_, end_);
  const keyword k = keyword_of(w);
  any_assignment_ = false;
  if (k >= keyword::const_ && k <= keyword::wait && k != keyword::endloop) begin_statement();
  switch (k) {
    case keyword::const_: return constant_statement(w);
    case keyword::let: return let_statement(w);
    case keyword::buffer: return buffer_statement(w);
    case keyword::loop: return loop_statement(w);
    case keyword::endloop: return end_loop(w), true;
    case keyword::include: return include(w);
    case keyword::program: return header(w);
    case keyword::device: return device_or_directive(w);
    case keyword::type_family: return begin_family(), type_family_declaration(w), true;
    default: break;
  }
  if (const char* const equals = equals_after(w); equals != nullptr) {
    begin_statement();
    const char* const before = at_;
    if (assigned_statement(w, k, equals)) return true;
    if (at_ == before) take_word(w);
    return false;
  }
  const char* const p = after_blanks(w.last());
  if (k == keyword::transfer || k == keyword::store || k == keyword::wait ||
      (!is_reserved(k) && p < end_ && *p == '.')) {
    begin_statement();
    return task(at_, no_name, w, k);
  }
  return bad_statement(w, p);
}

inline void reader::begin_first_statement() {
  mix_with_config();
  if (first_other_ == none) first_other_ = here();
  first_statement_ = here();
}

// --- the head of a model ---

[[gnu::cold]] inline bool reader::include(word w) {
  if (first_other_ != none && may_report()) {
    auto out = found_.add(errc::nem_syn_004_include, range_of(w));
    out << "includes must precede everything else";
    note_first(out, first_other_, "the first other statement is here");
  }
  const std::uint32_t i = put(node_kind::include, 0, at_);
  take_word(w);
  std::uint32_t path;
  if (!string_value(path, "the path of a file, a string")) return false;
  nodes_[i].value = path;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::header(word w) {
  if (first_header_ != none || first_statement_ != none) {
    if (may_report()) {
      auto out = found_.add(errc::nem_syn_006_header, range_of(w));
      if (first_header_ != none)
        note_first(out << "duplicate program header; expected one per file", first_header_,
                   "the first is here");
      else
        note_first(out << "the program header must precede all statements", first_statement_,
                   "the first statement is here");
    }
  } else {
    mix_with_config();
  }
  if (first_header_ == none) first_header_ = here();
  if (first_other_ == none) first_other_ = here();
  const std::uint32_t i = put(node_kind::program, 0, at_);
  take_word(w);
  word n;
  if (!declared_name(n, "the name of the program")) return false;
  nodes_[i].value = intern(n);
  take_word(n);
  if (!at(':') && !is_other_mark(':')) {
    if (!at_end() && !at_word() && !on_new_line()) return unexpected("':'");
    missing("':'", ":");
    finish(i);
    return at_end() || on_new_line();
  }
  (void)take_if(':');
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::device_or_directive(word w) {
  const char* p = after_blanks(w.last());
  bool is_inline = false;
  if (p < end_ && is(*p, class_letter)) {
    p = after_blanks(word_at(p).last());
    is_inline = p < end_ && (*p == '{' || (is(*p, class_letter) && is_extends(word_at(p))));
  }
  if (is_inline) {
    if (first_header_ != none || first_statement_ != none || first_directive_ != none)
      bad_directive(w);
    ++devices_;
    if (first_device_ == none) first_device_ = here();
    if (first_other_ == none) first_other_ = here();
    return device_declaration(w), true;
  }
  if (first_header_ != none || first_statement_ != none || first_directive_ != none ||
      (devices_ == 1 && first_family_ == none))
    bad_directive(w);
  else
    mix_with_config();
  if (first_directive_ == none) first_directive_ = here();
  if (first_other_ == none) first_other_ = here();
  const std::uint32_t i = put(node_kind::device_file, 0, at_);
  take_word(w);
  if (at_word()) {
    const word n = peek_word();
    if (begins_statement(keyword_of(n)) && on_new_line())
      return unexpected("the name of a device, or a file");
    nodes_[i].kind = node_kind::device_name;
    nodes_[i].value = intern(n);
    take_word(n);
    if (at('.') || at('/')) return unexpected("a program", ": the names of files are in quotes");
  } else {
    std::uint32_t path;
    if (!string_value(path, "the name of a device, or a file")) return false;
    nodes_[i].value = path;
  }
  finish(i);
  return true;
}

inline void reader::bad_directive(word w) {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_syn_005_directive, range_of(w));
  if (first_header_ != none)
    note_first(out << "the device must precede the program header", first_header_,
               "the header is here");
  else if (first_statement_ != none)
    note_first(out << "the device must precede all statements", first_statement_,
               "the first statement is here");
  else
    note_first(out << "duplicate device directive; expected one per program",
               first_directive_ != none ? first_directive_ : first_device_, "the first is here");
}

inline void reader::note_first(findings::writer out, std::uint32_t first, std::string_view text) {
  const char* const p = source_ + first;
  out.note(range(p, is(*p, class_letter) ? word_at(p).last() : p + 1)) << text;
}

[[gnu::cold]] inline void reader::mix_with_config() {
  if (first_family_ == none && devices_ < 2) [[likely]]
    return;
  mixed(
      "type families and several devices belong in files of their own, not "
      "in a program",
      first_family_ != none ? first_family_ : first_device_, "the configuration is here");
}

inline void reader::begin_family() {
  const std::uint32_t first = first_directive_ != none ? first_directive_
                              : first_header_ != none  ? first_header_
                                                       : first_statement_;
  if (first != none)
    mixed("type families belong in files of their own, not in a program", first,
          "the program is here");
  if (first_other_ == none) first_other_ = here();
  if (first_family_ == none) first_family_ = here();
}

inline void reader::mixed(std::string_view text, std::uint32_t first, std::string_view note) {
  if (is_mixed_ || !may_report()) return;
  is_mixed_ = true;
  auto out = found_.add(errc::nem_syn_007_mixed, token());
  out << text;
  note_first(out, first, note);
}

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE result<model> read(std::string_view source, const read_options& options,
                                  report* found) {
  constexpr std::uint64_t max_offset = 0xffffffff;
  const std::uint64_t max_size =
      options.limit.max_bytes < max_offset ? options.limit.max_bytes : max_offset;
  if (source.size() > max_size) {
    detail::findings f(found, options.profile, detail::max_findings);
    f.add(errc::input_too_large, {}) << "the source is longer than " << max_size << " bytes";
    return f.first_error();
  }
  return detail::reader(source, options, found).read();
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_HPP
