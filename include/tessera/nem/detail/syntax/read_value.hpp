// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The part of the reader of NEM that reads values, decorators and regions.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_VALUE_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_VALUE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/error.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "lexer.hpp"
#include "reader.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

// --- expressions ---

inline bool reader::expression(bool words) {
  const char* const first = at_;
  const std::uint32_t slot = count_;
  if (!is_leaf_here()) [[unlikely]] {
    put(node_kind::expression, 0, first);
    return operators(slot, first, 0, false, words);
  }
  if (!leaf(words)) return false;
  return !at_operator() || expression_after(slot, words);
}

inline bool reader::value(bool words) {
  const char c = peek();
  if (c == '[') return list(words);
  if (c == '"') return string_leaf();
  return expression(words);
}

[[gnu::cold]] inline bool reader::string_leaf() {
  const char* const first = at_;
  std::uint32_t index;
  if (!string_value(index, "a string")) return false;
  const std::uint32_t i = put(node_kind::string, 0, first, index);
  finish(i);
  return true;
}

// --- decorators ---

inline bool reader::decorators() {
  while (at('@'))
    if (!decorator()) return false;
  return true;
}

// --- regions ---

inline bool reader::region(word start, region_place where) {
  const std::uint32_t i = put(node_kind::region, 0, start.first);
  take_word(start);
  const char* const open = at_;
  word w;
  if (!expect('(') || !used_name(w, "the name of a buffer")) return as_in(example_of_region);
  nodes_[i].value = intern(w);
  take_word(w);
  if (!expect(',') || !expression() || !expect(',') || !expression())
    return as_in(example_of_region);
  attributes_.seen = 0;
  if (at(',') && !inner_type_attributes()) return false;
  if (!expect_closing(')', open)) return false;
  if (!type_attributes(where)) return false;
  finish(i);
  return attributes_.seen == 0 || check_type(i);
}

inline bool reader::at_region(word w) const noexcept {
  if (w.key != make_key("region")) return false;
  const char* const p = after_blanks(w.last());
  return p < end_ && *p == '(';
}

inline bool reader::element_leaf(node_kind kind) {
  word w;
  if (!any_word(w, "an element type")) return false;
  const element e = element_of(w);
  put_leaf(kind, static_cast<unsigned>(e), w.last(), 0);
  return true;
}

inline element reader::element_of(word w) {
  const auto e =
      static_cast<element>(element_words.find(w, static_cast<std::uint8_t>(element::none)));
  if (e == element::none) [[unlikely]]
    unknown_element(w);
  return e;
}

inline void reader::unknown_element(word w) {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_typ_001_element, range_of(w));
  out << "unknown element type '" << w.text() << "', expected one of";
  for (std::size_t k = 0; k < element_count; ++k)
    if (element_table[k].kind != element_class::extension) out << ' ' << element_table[k].name;
  const element meant = element_meant(w.text());
  if (meant != element::none) out.note() << "did you mean " << name(meant) << '?';
}

// --- expressions ---

inline bool reader::expression_after(std::uint32_t slot, bool words) {
  const char* const first = source_ + nodes_[slot].offset;
  put(node_kind::expression, 0, first);  // before the leaf, which moves
  if (stopped_) return false;
  const node e = nodes_[slot + 1];
  nodes_[slot + 1] = nodes_[slot];
  nodes_[slot] = e;
  nodes_[slot + 1].next = slot + 2;
  open_[0] = take_operator(first);
  const char* const second = at_;
  if (!is_leaf_here()) return operators(slot, second, 1, false, words);
  if (!leaf(words)) return false;
  if (at_operator()) return operators(slot, second, 1, true, words);
  set_end(put(open_[0].kind, 0, first), last_);
  finish(slot);
  return true;
}

inline bool reader::leaf(bool words) {
  if (is(*at_, class_digit)) return number();
  const word w = scan_word(at_, end_);
  if (may_be_keyword(w) && !is_leaf_keyword(w, words)) return false;
  put_name(w);
  return true;
}

[[gnu::noinline]] inline bool reader::is_leaf_keyword(word w, bool words) {
  const keyword k = find_keyword(w);
  if (k == keyword::none || k == keyword::upstream) return true;
  if (k == keyword::element || k == keyword::level) {
    if (!words || k == keyword::level) reserved(w, "an expression");
    return true;
  }
  if (k != keyword::region) return unexpected("an expression");
  if (may_report())
    found_.add(errc::nem_syn_001_token, range_of(w))
        << "expected an expression, got 'region': regions are operands, or "
           "follow 'let X ='";
  return false;
}

inline bool reader::at_mod() const noexcept {
  return end_ - at_ >= 3 && at_[1] == 'o' && at_[2] == 'd' &&
         (end_ - at_ == 3 || !is(at_[3], class_letter | class_digit));
}

inline reader::open_operator reader::take_operator(const char* operand) {
  const char c = *at_;
  const node_kind kind = c == '+'   ? node_kind::add
                         : c == '-' ? node_kind::subtract
                         : c == '*' ? node_kind::multiply
                         : c == '/' ? node_kind::divide
                                    : node_kind::modulo;
  if (on_new_line()) [[unlikely]]
    warn_line_operator();
  take(c == 'm' ? 3 : 1);
  return {kind, precedence_of(c), operand};
}

inline bool reader::operators(std::uint32_t slot, const char* operand, std::uint32_t depth,
                              bool has_operand, bool words) {
  std::uint32_t nested = lists_;
  const auto reduce = [&](unsigned precedence) {
    while (depth != 0 && open_[depth - 1].precedence >= precedence) {
      const open_operator& o = open_[--depth];
      set_end(put(o.kind, 0, o.first), last_);
      operand = o.first;
      if (o.kind == node_kind::negate) --nested;
    }
  };
  for (;;) {
    if (!has_operand) {
      for (char c; (c = peek()) == '-' || c == '(';) {
        if (++nested > max_nesting) return too_deep("parentheses, signs and lists");
        if (c == '-')
          open_[depth++] = {node_kind::negate, 3, at_};
        else
          open_[depth++] = {node_kind::expression, 0, at_};
        take();
      }
      operand = at_;
      if (!is_leaf_here()) return unexpected("an expression");
      if (!leaf(words)) return false;
    }
    has_operand = false;
    for (; at(')'); take()) {
      reduce(1);
      if (depth == 0) break;
      operand = open_[--depth].first;
      --nested;
    }
    if (!at_operator()) break;
    reduce(precedence_of(*at_));
    open_[depth++] = take_operator(operand);
  }
  reduce(1);
  if (depth != 0) return unclosed(')', open_[depth - 1].first);
  if (count_ == slot + 2) {  // parentheses around a leaf
    nodes_[slot] = nodes_[slot + 1];
    nodes_[slot].next = slot + 1;
    --count_;
  } else {
    finish(slot);
  }
  return true;
}

inline void reader::warn_line_operator() {
  if (may_warn(errc::nem_syn_017_line_operator))
    found_.add(errc::nem_syn_017_line_operator, token())
        << "operator at the beginning of a line: other readers of NEM end the "
           "expression before "
           "it";
}

inline bool reader::too_deep(std::string_view what) {
  if (may_report())
    found_.add(errc::nem_syn_014_depth, token()) << what << " nested deeper than " << max_nesting;
  return false;
}

// --- lists ---

inline bool reader::list(bool words) {
  lists_ = 0;
  const bool sound = list_items(words);
  lists_ = 0;
  return sound;
}

inline bool reader::list_items(bool words) {
  for (;;) {
    if (at('[')) {
      if (lists_ == max_nesting) return too_deep("lists");
      open_lists_[lists_++] = put(node_kind::list, 0, at_);
      take();
      if (!at(']')) continue;
    } else if (at('"') ? !string_leaf() : !expression(words)) {
      return false;
    }
    for (;;) {  // after a value, or at the end of an empty list
      if (at(']')) {
        take();
        finish(open_lists_[--lists_]);
        if (lists_ == 0) return true;
        continue;
      }
      if (!at(',')) return unclosed_list(nodes_[open_lists_[lists_ - 1]].offset);
      take();
      if (!at(']')) break;
      trailing_comma();
    }
  }
}

inline void reader::trailing_comma() {
  if (!may_warn(errc::nem_syn_019_trailing_comma)) return;
  const place comma = range(last_ - 1, last_);
  auto out = found_.add(errc::nem_syn_019_trailing_comma, comma);
  out << "a trailing comma is an extension";
  out.fix(comma) << "";
}

inline bool reader::unclosed_list(std::uint32_t open) {
  if (not_a_token() || !may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected ',' or ']', got " << here_is();
  out.note({0, open, 1}) << "to match this '['";
  return false;
}

inline bool reader::dimensions(std::uint32_t i, std::string_view what) {
  const char* const open = at_;
  if (!expect('[')) return false;
  if (at(']')) [[unlikely]]
    empty_dimensions(open, what);
  while (!at(']')) {
    if (!expression()) return false;
    if (!at(',')) break;
    take();
    if (at(']')) trailing_comma();
  }
  if (!at(']')) return unclosed_list(offset_of(open));
  take();
  finish(i);
  return true;
}

inline void reader::empty_dimensions(const char* open, std::string_view what) {
  if (may_warn(errc::nem_syn_019_trailing_comma))
    found_.add(errc::nem_syn_019_trailing_comma, range(open, at_ + 1))
        << "empty " << what << " is an extension: rank 0";
}

// --- decorators ---

inline bool reader::decorator() {
  const std::uint32_t i = put(node_kind::decorator, 0, at_);
  take();
  word w;
  if (!any_word(w, "the name of a decorator")) return false;
  nodes_[i].detail = decorator_words.find(w, static_cast<std::uint8_t>(decorator::unknown));
  nodes_[i].value = intern(w);
  take_word(w);
  if (at('(')) {
    const char* const open = at_;
    take();
    if (at_word() && at_unit_index()) {
      if (!unit_index()) return false;
    } else if (at(')')) {
      if (!empty_argument(w)) return false;
    } else {
      do {
        if (!value()) return false;
      } while (take_if(','));
    }
    if (!take_if(')')) return unclosed(')', open, decorator_form(w));
  } else if (at_decorator_argument(w)) {
    bad_decorator_argument(w);
  }
  finish(i);
  return true;
}

inline bool reader::at_unit_index() const noexcept {
  const char* const p = after_blanks(peek_word().last());
  return p < end_ && *p == '[';
}

[[gnu::cold]] inline bool reader::unit_index() {
  word w;
  if (!used_name(w, "a unit")) return false;
  const std::uint32_t i = put(node_kind::unit_index, 0, at_, intern(w));
  take_word(w);
  const char* const open = at_;
  take();
  if (!expression() || !expect_closing(']', open)) return false;
  finish(i);
  return true;
}

// --- type attributes ---

inline reader::type_field reader::type_field_of(word w) noexcept {
  switch (w.key) {
    case make_key("elem"): return f_elem;
    case make_key("shape"): return f_shape;
    case make_key("layout"): return f_layout;
    case make_key("strides"): return f_strides;
    case make_key("quant"): return f_quant;
    default: return f_none;
  }
}

inline bool reader::is_type_attribute(type_word& t, const char* p,
                                      bool after_comma) const noexcept {
  t.field = f_none;
  if (p >= end_ || !is(*p, class_letter)) return false;
  t.name = scan_word(p, end_);
  t.field = type_field_of(t.name);
  if (t.field == f_none) return false;
  t.equals = equals_after(t.name);
  return t.equals != nullptr && (after_comma || !is_call(after_blanks(t.equals + 1)));
}

inline bool reader::inner_type_attributes() {
  take();
  const char* const first = at_;
  type_word t;
  if (!is_type_attribute(t, first, true)) return unexpected("a type attribute or ')'");
  if (!type_attributes(region_place::argument, true)) return false;
  if (may_warn(errc::nem_syn_020_inner_type))
    found_.add(errc::nem_syn_020_inner_type, range(first, last_))
        << "type attributes belong after the parentheses of region";
  return true;
}

inline bool reader::type_attributes(region_place where, bool after_comma) {
  type_word t;
  const char* p = at_;
  for (bool is_first = true;; is_first = false) {
    if (!is_type_attribute(t, p, after_comma) && (t.field == f_none || !no_equals(t))) {
      if (is_first && (at(',') || at(':')) && where == region_place::declaration &&
          mark_before_type())
        return type_attributes(where);
      if (is_first || !after_comma || where != region_place::declaration) return true;
      take();
      return unexpected("one of elem=, shape=, layout=, strides= and quant=");
    }
    if (is_first) {
      if (where == region_place::operand && t.field != f_elem) return true;
    } else if (!after_comma) {
      // Without a comma, `strides` may be the attribute of a task.
      if (where == region_place::operand && t.field == f_strides) return true;
      missing_comma();
      if (at_end()) return true;
    }
    at_ = p;
    once(attributes_, t.field, t.name, errc::nem_syn_010_type_attribute);
    const unsigned both = 1u << f_layout | 1u << f_strides;
    if ((both >> t.field & 1) != 0 && (attributes_.seen & both) == both) [[unlikely]]
      layout_and_strides(t.name, t.field == f_layout ? f_strides : f_layout);
    if (!type_attribute(t)) return as_in(examples_of_types[t.field]);
    after_comma = at(',');
    p = after_comma ? after_blanks(at_ + 1) : at_;
  }
}

inline void reader::missing_comma() {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_syn_009_comma, token());
  out << "expected ',' between type attributes, got " << here_is();
  out.fix(range(last_, last_)) << ',';
}

inline void reader::layout_and_strides(word w, type_field other) {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_syn_010_type_attribute, range_of(w));
  out << "layout and strides exclude each other; expected one of them";
  out.note({0, attributes_.first[other], attributes_.length[other]}) << "the other is given here";
}

inline bool reader::type_attribute(const type_word& t) {
  constexpr node_kind kinds[] = {node_kind::elem, node_kind::shape, node_kind::layout,
                                 node_kind::strides, node_kind::quant};
  const std::uint32_t i = put(kinds[t.field], 0, t.name.first);
  take_to(t.equals + 1);
  word v;
  switch (t.field) {
    case f_shape: return dimensions(i, "shape");
    case f_strides: return dimensions(i, "strides");
    case f_quant: return quant(i);
    case f_elem:
      if (!any_word(v, "an element type")) return false;
      nodes_[i].detail = static_cast<std::uint8_t>(element_of(v));
      break;
    default:
      if (!any_word(v, "the name of a layout")) return false;
      nodes_[i].value = intern(v);
  }
  take_word(v);
  finish(i);
  return true;
}

inline bool reader::check_type(std::uint32_t i) {
  const std::uint32_t both = 1u << f_elem | 1u << f_shape;
  if ((attributes_.seen & both) != both) [[unlikely]]
    incomplete_type(i);
  return true;
}

inline void reader::incomplete_type(std::uint32_t i) {
  if (may_report())
    found_.add(errc::nem_syn_012_missing, range_of(i))
        << ((attributes_.seen & 1u << f_elem) == 0 ? "elem=" : "shape=")
        << " is missing: type attributes need both elem and shape";
}

// --- quantization ---

[[gnu::cold]] inline bool reader::quant(std::uint32_t i) {
  word w;
  if (!any_word(w, "per_tensor, per_channel or per_group")) return false;
  unsigned form = 0;
  while (form < 3 && w.text() != name(static_cast<quantization>(form))) ++form;
  if (form == 3) return unexpected("per_tensor, per_channel or per_group");
  nodes_[i].detail = static_cast<std::uint8_t>(form);
  take_word(w);
  constexpr std::uint32_t axis = 1, group_size = 2, scalars = 12, lists = 48;
  constexpr std::uint32_t required[] = {scalars, axis | lists, axis | group_size | lists};
  const char* const open = at_;
  fields given;
  bool sound = true;
  if (!expect('(')) return false;
  do {
    if (!any_word(w, "a field of the descriptor")) return false;
    unsigned field = 0;
    while (field < 6 && w.text() != quant_field_names[field]) ++field;
    if (field == 6 || (required[form] >> field & 1) == 0) {
      sound = false;
      unknown_field(required[form], static_cast<quantization>(form));
      field = 0;
    } else {
      once(given, field, w, errc::nem_syn_011_argument);
    }
    const std::uint32_t f = put(node_kind::quant_field, field, at_);
    take_word(w);
    if (!expect('=') || !value()) return false;
    finish(f);
  } while (take_if(','));
  if (!expect_closing(')', open)) return false;
  finish(i);
  const std::uint32_t absent = required[form] & ~given.seen;
  if (absent == 0 || !sound || !may_report()) return true;
  auto out = found_.add(errc::nem_syn_012_missing, range_of(i));
  out << name(static_cast<quantization>(form)) << " needs";
  for (unsigned field = 0; field < 6; ++field)
    if ((absent >> field & 1) != 0) out << ' ' << quant_field_names[field] << '=';
  return true;
}

inline void reader::unknown_field(std::uint32_t known, quantization form) {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected a field of " << name(form) << " (";
  const char* separator = "";
  for (unsigned field = 0; field < 6; ++field)
    if ((known >> field & 1) != 0) out << separator << quant_field_names[field], separator = ", ";
  out << "), got " << here_is();
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_VALUE_HPP
