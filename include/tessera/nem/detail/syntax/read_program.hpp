// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The part of the reader of NEM that reads declarations, tasks and loops. Ends of lines mean
// nothing, so what follows `X =` decides whether it is an attribute or the next statement.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_PROGRAM_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/error.hpp"
#include "../../../core/load_store.hpp"
#include "../../../core/pool.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "lexer.hpp"
#include "reader.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

// --- declarations ---

inline bool reader::constant_statement(word start) {
  const std::uint32_t i = put(node_kind::constant, 0, at_);
  take_word(start);
  any_assignment_ = true;
  word w;
  if (!declared_name(w, "the name of a constant")) return false;
  nodes_[i].value = intern(w);
  take_word(w);
  if (!expect('=')) return false;
  if (at_word() && is_call(at_)) [[unlikely]]
    return declared_task(i, w);
  if (at('[') || at('"')) [[unlikely]]
    return unexpected("an expression", ": lists and strings are declared with let");
  if (!expression()) return false;
  finish(i);
  return true;
}

inline bool reader::let_statement(word start) {
  const std::uint32_t i = put(node_kind::let, 0, at_);
  take_word(start);
  word w;
  if (!declared_name(w, "a name")) return false;
  nodes_[i].value = intern(w);
  take_word(w);
  if (!expect('=')) return false;
  if (at_word()) {
    const word v = peek_word();
    if (at_region(v)) return region_declaration(v, i);
    if (is_call(at_)) [[unlikely]]
      return declared_task(i, w);
  }
  any_assignment_ = true;
  if (!value()) return false;
  finish(i);
  return true;
}

inline bool reader::region_declaration(word start, std::uint32_t i) {
  if (!region(start, region_place::declaration) || !decorators()) return false;
  finish(i);
  return true;
}

inline bool reader::buffer_statement(word start) {
  const std::uint32_t i = put(node_kind::buffer, 0, at_);
  take_word(start);
  word w;
  if (!declared_name(w, "the name of a buffer")) return false;
  nodes_[i].value = intern(w);
  take_word(w);
  if (!expect(':') || !any_word(w, "DDR, L2 or L1")) return false;
  switch (w.key) {
    case make_key("DDR"): nodes_[i].detail = static_cast<std::uint8_t>(level::ddr); break;
    case make_key("L2"): nodes_[i].detail = static_cast<std::uint8_t>(level::l2); break;
    case make_key("L1"): nodes_[i].detail = static_cast<std::uint8_t>(level::l1); break;
    default:
      if (!bad_level(i, w)) return false;
  }
  take_word(w);
  if (w.key == make_key("L1") && at('[')) {
    const std::uint32_t index = put(node_kind::level_index, 0, at_);
    const char* const open = at_;
    take();
    if (!expression() || !expect_closing(']', open)) return false;
    finish(index);
  }
  const char* const open = at_;
  if (at('[')) [[unlikely]]
    return unexpected("'('", ": only L1 has an index, which is its engine's");
  if (!expect('(')) return false;
  if (!at(')') && !buffer_properties(i)) return false;
  if (!expect_closing(')', open) || !decorators()) return false;
  finish(i);
  return true;
}

inline bool reader::buffer_properties(std::uint32_t buffer) {
  fields given;
  do {
    word w = at_word() ? peek_word() : word{};
    if (w.key != make_key("size") && w.key != make_key("align") && !bad_property(buffer, w))
      return false;
    const bool is_size = w.key == make_key("size");
    once(given, is_size ? 0 : 1, w, errc::nem_syn_011_argument);
    const std::uint32_t i = put(is_size ? node_kind::size : node_kind::align, 0, at_);
    take_word(w);
    if (!expect('=') || !expression()) return false;
    finish(i);
  } while (comma_before(
      [](word next) { return next.key == make_key("size") || next.key == make_key("align"); }));
  return true;
}

inline bool reader::comma_before(bool (*is_field)(word)) {
  if (take_if(',')) return true;
  if (!at_word() || !is_field(peek_word()) || equals_after(peek_word()) == nullptr) return false;
  missing("',' or ')'", ",");
  return true;
}

// --- loops ---

inline bool reader::loop_statement(word start) {
  const std::uint32_t i = put(node_kind::loop, 0, at_);
  if (loops_ + excess_loops_ >= max_nesting) {
    if (excess_loops_++ == 0 && may_report()) {
      auto out = found_.add(errc::nem_syn_014_depth, token());
      out << "loops are nested deeper than " << max_nesting;
      out.note({0, nodes_[open_loops_[0].loop].offset, 4}) << "the outermost loop begins here";
    }
  } else {
    open_loops_[loops_++] = {i, no_node};
  }
  take_word(start);
  const bool sound = loop_header(i);
  if (!sound && at('{')) {  // a loop as other languages have it: without endloop, that is
    ++other_loops_;
    if (excess_loops_ != 0)
      --excess_loops_;
    else
      --loops_;
    form_ = {};
    take();
    return true;
  }
  const std::uint32_t body = put(node_kind::body, 0, at_end() ? last_ : at_);
  if (excess_loops_ == 0) open_loops_[loops_ - 1].body = body;
  return sound;
}

inline bool reader::loop_header(std::uint32_t i) {
  word w;
  if (!declared_name(w, "the name of a loop variable")) return false;
  nodes_[i].value = intern(w);
  take_word(w);
  if (w.key != make_key("in") || !at('[')) {  // else the name is missing, which has been reported
    if (!at_word()) return unexpected("'in'");
    w = peek_word();
    if (w.key != make_key("in") && !is_upper_case(w, "in")) return unexpected("'in'");
    take_word(w);
  }
  const char* const open = at_;
  if (!expect('[') || !expression()) return false;
  if (at_range())
    take(2);
  else if (!bad_range())
    return false;
  if (!expression()) return false;
  if (!take_if(']')) return unclosed(']', open, at_word() ? ": loops count up by 1" : "");
  if (!decorators()) return false;
  return take_if(':') || bad_loop_end();
}

inline void reader::end_loop(word w) {
  if (excess_loops_ != 0) {
    --excess_loops_;
  } else if (loops_ == 0 && other_loops_ != 0) {
    --other_loops_;
  } else if (loops_ == 0) {
    if (may_report())
      found_.add(errc::nem_syn_003_endloop, range_of(w)) << "endloop without a loop";
  } else {
    const open_loop o = open_loops_[--loops_];
    if (nodes_[o.body].offset < offset_of(at_))
      finish(o.body);
    else
      nodes_[o.body].next = count_;
    take_word(w);
    finish(o.loop);
    return;
  }
  take_word(w);
}

[[gnu::cold]] inline void reader::check_loops() {
  if (loops_ == 0 || !may_report()) return;
  auto out = found_.add(errc::nem_syn_002_loop, token());
  out << "expected endloop, got the end of the file";
  if (loops_ > 1) out << "; " << loops_ << " loops aren't closed";
  out.note({0, nodes_[open_loops_[loops_ - 1].loop].offset, 4})
      << (loops_ > 1 ? "the innermost loop begins here" : "the loop begins here");
}

// --- tasks ---

inline bool reader::assigned_statement(word w, keyword k, const char* equals) {
  const char* const first = at_;
  const char* const value = after_blanks(equals + 1);
  if (value >= end_ || !is(*value, class_letter)) return no_statement();
  const word callee = scan_word(value, end_);
  const keyword called = keyword_of(callee);
  const bool is_region = called == keyword::region;
  if (!is_region && called != keyword::transfer && called != keyword::store &&
      called != keyword::wait) {
    const char* const next = after_blanks(callee.last());
    if (next >= end_ || *next != '.' || is_reserved(called)) return no_statement();
  }
  constexpr std::string_view of_region = "the name of a region", of_token = "the name of a token";
  const std::string_view what = is_region ? of_region : of_token;
  if (is_reserved(k))
    reserved(w, what);
  else
    (void)questionable_name(w, k, what);  // others reserve it at most
  const std::uint32_t name = intern(w);
  take_to(equals + 1);
  if (is_region) return region_declaration(callee, put(node_kind::let, 0, first, name));
  return task(first, name, callee, called);
}

inline bool reader::task(const char* first, std::uint32_t token_name, word callee, keyword k) {
  if (k == keyword::transfer) return transfer(node_kind::transfer, first, token_name, callee);
  if (k == keyword::store) return transfer(node_kind::store, first, token_name, callee);
  if (k == keyword::wait) return wait(first, token_name, callee);
  return compute(first, token_name, callee);
}

inline bool reader::mode_of(std::uint32_t i) {
  constexpr std::uint64_t async = make_key(".async");
  if (end_ - at_ >= 8 && (load_le<std::uint64_t>(at_) & ((std::uint64_t{1} << 48) - 1)) == async &&
      !is(at_[6], class_letter | class_digit)) [[likely]] {
    take(6);
    return true;
  }
  if (!take_if('.')) return bad_mode(i);
  const word w = at_word() ? peek_word() : word{};
  if (w.key == make_key("sync"))
    nodes_[i].detail = static_cast<std::uint8_t>(mode::sync);
  else if (w.key != make_key("async")) [[unlikely]]
    return bad_mode(i);
  take_word(w);
  return true;
}

inline bool reader::transfer(node_kind kind, const char* first, std::uint32_t token_name,
                             word callee) {
  const std::uint32_t i = put(kind, 0, first, token_name);
  take_word(callee);
  if (!mode_of(i)) return false;
  const char* const open = at_;
  if (!expect('(')) return false;
  fields given;
  bool more = !at(')');
  while (more) {
    if (!at_word()) return unexpected("dst=, src= or deps=");
    const word w = scan_word(at_, end_);
    unsigned field = argument_of(w);
    const char* equals = equals_after(w);
    if (field == 3 || equals == nullptr) [[unlikely]]
      if (!bad_argument(w, field, equals)) return false;
    once(given, field, w, errc::nem_syn_011_argument);
    if (field == 2) {
      if (!deps(equals)) return false;
    } else {
      const std::uint32_t argument =
          put(field == 0 ? node_kind::destination : node_kind::source, 0, at_);
      take_to(equals + 1);
      if (!operand(region_place::argument)) return false;
      finish(argument);
    }
    more = comma_before([](word next) { return argument_of(next) != 3; });
  }
  if (!expect_closing(')', open)) return false;
  if ((given.seen & 3) != 3) [[unlikely]]
    missing_arguments(i, given.seen);
  if (!decorators()) return false;
  finish(i);
  return true;
}

inline void reader::missing_arguments(std::uint32_t i, std::uint32_t seen) {
  if (may_report())
    found_.add(errc::nem_syn_012_missing, range(source_ + nodes_[i].offset, last_))
        << nem::name(nodes_[i].kind) << " needs "
        << ((seen & 3) == 0   ? "dst= and src="
            : (seen & 1) == 0 ? "dst="
                              : "src=");
}

inline unsigned reader::argument_of(word w) noexcept {
  return w.key == make_key("dst")    ? 0
         : w.key == make_key("src")  ? 1
         : w.key == make_key("deps") ? 2
                                     : 3;
}

inline bool reader::deps(const char* equals) {
  const std::uint32_t i = put(node_kind::deps, 0, at_);
  take_to(equals + 1);
  const char* const open = at_;
  if (!take_if('[')) [[unlikely]] {
    if (!bad_deps()) return false;
  } else {
    if (!at(']') && !tokens()) return false;
    if (!expect_closing(']', open)) return false;
  }
  finish(i);
  return true;
}

inline bool reader::tokens() {
  do {
    if (!at_word()) [[unlikely]] {
      if (!bad_token()) return false;
      continue;
    }
    word id;
    if (!used_name(id, "the name of a token")) return false;
    put_name(id);
  } while (take_if(','));
  return true;
}

inline bool reader::wait(const char* first, std::uint32_t token_name, word callee) {
  const std::uint32_t i = put(node_kind::wait, 0, first, token_name);
  take_word(callee);
  const char* const open = at_;
  if (!expect('(')) return false;
  if (!tokens()) return false;
  if (!expect_closing(')', open) || !decorators()) return false;
  finish(i);
  return true;
}

inline bool reader::operand(region_place where) {
  constexpr std::string_view expected = "a region";
  if (!at_word()) [[unlikely]]
    return unexpected(expected);
  const word w = scan_word(at_, end_);
  if (at_region(w)) {
    if (!region(w, where)) return false;
  } else {
    if (!is_usable(w, expected)) return false;
    put_name(w);
  }
  return !at('@') || decorators();
}

inline bool reader::operands(node_kind kind, std::string_view expected) {
  const bool is_input = kind == node_kind::input;
  if (!at_word()) return unexpected(expected);
  const word w = scan_word(at_, end_);
  constexpr std::uint64_t in = make_key("in"), out = make_key("out");
  if (w.key != (is_input ? in : out) && !is_upper_case(w, is_input ? "in" : "out"))
    return unexpected(expected);
  take_word(w);
  do {
    const std::uint32_t i = put(kind, 0, at_);
    if (!operand(region_place::operand)) return false;
    finish(i);
    last_operand_ = i;
    if (!take_if(',')) return true;
  } while (!is_input || !at('o') || !at_word_out());
  comma_before_out();
  return true;
}

inline bool reader::compute(const char* first, std::uint32_t token_name, word callee) {
  const std::uint32_t i = put(node_kind::compute, 0, first, token_name);
  put_leaf(node_kind::opcode, opcode_words.find(callee, static_cast<std::uint8_t>(opcode::unknown)),
           callee.last(), intern(callee));
  if (!mode_of(i)) return false;
  if (at('(')) [[unlikely]] {
    keyword meant = keyword::none;
    if (!no_operands(callee, meant)) return false;
    count_ = i;
    at_ = callee.first;
    return task(first, token_name, callee, meant);
  }
  if (!operands(node_kind::input, "'in'") || !operands(node_kind::output, "',' or 'out'") ||
      (at('=') && !attribute_as_operand(i)))
    return false;
  const std::uint32_t output = last_operand_;
  bool has_attributes = false;
  seen_attributes_ = 0;
  next_marks();
  for (;;) {
    if (at(',') && !stray_comma()) return false;
    if (!at_word()) break;
    const word w = scan_word(at_, end_);
    const char* const equals = equals_after(w);
    if (equals == nullptr || is_call(after_blanks(equals + 1))) break;
    const keyword k = keyword_of(w);
    if (begins_statement(k)) break;
    has_attributes = true;
    if (!attribute_of_task(w, k, equals)) return false;
  }
  if (!has_attributes)
    hoist(output);
  else if (!decorators())
    return false;
  finish(i);
  return true;
}

// --- attributes ---

inline bool reader::attribute_of_task(word w, keyword k, const char* equals) {
  if (w.key == make_key("deps")) {
    note_attribute(w, no_name);
    return deps(equals);
  }
  if (w.key == make_key("attrs")) {
    const char* const brace = after_blanks(equals + 1);
    if (brace < end_ && *brace == '{') return attributes_in_braces(equals);
  }
  return named_attribute(w, k, equals);
}

inline bool reader::named_attribute(word w, keyword k, const char* equals) {
  if (is_reserved(k)) reserved(w, "the name of an attribute");
  const std::uint8_t a = attribute_words.find(w, static_cast<std::uint8_t>(attribute::unknown));
  const std::uint32_t index = intern(w);
  note_attribute(w, index);
  const std::uint32_t i = put(node_kind::attribute, a, at_, index);
  take_to(equals + 1);
  if (!value(true)) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::attributes_in_braces(const char* equals) {
  take_to(equals + 1);
  const char* const open = at_;
  take();
  while (!at('}')) {
    if (!at_word()) return expect_closing('}', open);
    const word k = peek_word();
    const char* const value = equals_after(k);
    if (value == nullptr) {
      take_word(k);
      return unexpected("'='");
    }
    if (k.key == make_key("deps")) {
      note_attribute(k, no_name);
      if (!deps(value)) return false;
    } else if (!named_attribute(k, keyword_of(k), value)) {
      return false;
    }
    (void)take_if(',');
  }
  take();
  return true;
}

inline void reader::note_attribute(word w, std::uint32_t name_index) {
  bool again;
  if (name_index == no_name) {
    again = (seen_attributes_ & 1) != 0;
    seen_attributes_ |= 1;
  } else {
    again = mark(name_index);
  }
  if (again) [[unlikely]]
    repeated_attribute(w, name_index);
}

inline bool reader::mark(std::uint32_t name_index) {
  if (marks_.size() <= name_index) grow_marks();
  const bool again = marks_[name_index] == mark_;
  marks_[name_index] = mark_;
  return again;
}

inline void reader::repeated_attribute(word w, std::uint32_t name_index) {
  const node_kind kind = name_index == no_name ? node_kind::deps : node_kind::attribute;
  std::uint32_t i = last_operand_;
  while (i < count_ &&
         (nodes_[i].kind != kind || (name_index != no_name && nodes_[i].value != name_index)))
    ++i;
  const std::uint32_t offset = i < count_ ? nodes_[i].offset : offset_of(w.first);
  repeated(errc::nem_opc_007_repeated, range_of(w), w.text(), {0, offset, w.size});
}

// --- decorators after the last operand ---

inline bool reader::is_of_task(const node& n) noexcept {
  switch (static_cast<nem::decorator>(n.detail)) {
    case decorator::resource:
    case decorator::deterministic:
    case decorator::memmove:
    case decorator::seq_engine:
    case decorator::debug:
    case decorator::profile: return true;
    default: return false;
  }
}

inline void reader::hoist(std::uint32_t output) {
  std::uint32_t first = nodes_[output + 1].next, moved = 0, kept = 0;
  bool in_order = true;
  for (std::uint32_t c = first; c < count_; c = nodes_[c].next) {
    if (is_of_task(nodes_[c])) {
      ++moved;
    } else {
      in_order = in_order && moved == 0;
      ++kept;
    }
  }
  if (moved == 0) return;
  if (!in_order) partition(first);
  std::uint32_t last_kept = output + 1;
  for (std::uint32_t c = first; kept != 0; --kept) last_kept = c, c = nodes_[c].next;
  nodes_[output].next = nodes_[last_kept].next;
  const node& n = nodes_[last_kept];
  const std::uint32_t length = n.offset - nodes_[output].offset + n.length;
  nodes_[output].length = static_cast<std::uint16_t>(length < 65535 ? length : 65535);
}

inline void reader::partition(std::uint32_t first) {
  pool<node> old;
  old.append(nodes_ + first, count_ - first);
  std::uint32_t to = first;
  for (const bool of_task : {false, true}) {
    for (std::uint32_t c = 0; c < old.size();) {
      const std::uint32_t next = old[c].next - first;
      const std::uint32_t shift = to - (first + c);
      if (is_of_task(old[c]) == of_task)
        for (std::uint32_t k = c; k < next; ++k) {
          nodes_[to] = old[k];
          nodes_[to++].next += shift;
        }
      c = next;
    }
  }
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_PROGRAM_HPP
