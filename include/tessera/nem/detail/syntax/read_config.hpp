// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The part of the reader of NEM that reads type families and devices.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_CONFIG_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_CONFIG_HPP

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

inline void reader::type_family_declaration(word start) {
  braces_ = 0;
  if (!type_family(start)) (void)leave_blocks(0);
}

inline void reader::device_declaration(word start) {
  braces_ = 0;
  if (!device(start)) (void)leave_blocks(0);
}

// --- blocks ---

inline bool reader::open_block() {
  if (!expect('{')) return false;
  ++braces_;
  return true;
}

inline bool reader::close_block() {
  if (!expect('}')) return false;
  --braces_;
  return true;
}

[[gnu::cold]] inline bool reader::leave_blocks(std::uint32_t depth) {
  while (!at_end()) {
    if (braces_ == 0 && depth == 0 && at_declaration()) return true;
    if (at('}')) {
      if (braces_ <= depth) {
        if (depth != 0) return true;
        take();
        continue;
      }
      take();
      // The braces of a parameter's types end no declaration.
      if (--braces_ == depth && (depth != 0 || at_word() || at(';'))) return true;
    } else if (at('{')) {
      ++braces_;
      take();
    } else if (at_word()) {
      const word w = peek_word();
      if (braces_ == 1 && depth == 1 && item_of(w) != item_none) return true;
      if (on_new_line() && at_declaration()) return false;
      take_word(w);
    } else {
      take_to(token_end());
    }
  }
  return false;
}

[[gnu::cold]] inline bool reader::dotted_name(std::uint32_t& index, std::string_view what) {
  word w;
  if (!any_word(w, what)) return false;
  const char* const first = at_;
  take_word(w);
  if (!at('.')) {
    index = names_.of(w);
    return true;
  }
  take();
  word second;
  if (!any_word(second, what)) return false;
  take_word(second);
  const std::size_t size = std::size_t{w.size} + 1 + second.size;
  if (static_cast<std::size_t>(second.last() - first) == size) {
    index = names_.of_text({first, size});
  } else {
    joined_.clear();
    joined_ << w.text() << '.' << second.text();
    index = names_.of_text(joined_);
  }
  return true;
}

// --- type families ---

[[gnu::cold]] inline bool reader::type_family(word start) {
  const std::uint32_t i = put(node_kind::type_family, 0, at_);
  take_word(start);
  std::uint32_t name;
  if (!dotted_name(name, "the name of a type family")) return false;
  nodes_[i].value = name;
  if (at('<') && !type_parameters()) return false;
  if (!open_block()) return false;
  for (;;) {
    word w;
    if (!any_word(w, "a binding, or 'variants:'")) return false;
    if (w.size == 8 && w.key == make_key("variants")) break;
    if (!family_binding(w)) return false;
  }
  take(8);
  if (!expect(':')) return false;
  while (at_word())
    if (!variant()) return false;
  if (!at('}')) return unexpected("a variant or '}'");
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::type_parameters() {
  const char* const open = at_;
  take();
  do {
    word w;
    if (!any_word(w, "the name of a type parameter")) return false;
    const std::uint32_t i = put(node_kind::type_parameter, 0, at_, intern(w));
    take_word(w);
    if (!expect(':')) return false;
    const char* const brace = at_;
    if (!expect('{')) return false;
    do {
      if (!element_leaf(node_kind::element_type)) return false;
    } while (take_if(','));
    if (!expect_closing('}', brace)) return false;
    finish(i);
  } while (take_if(','));
  return expect_closing('>', open);
}

[[gnu::cold]] inline bool reader::type_leaf() {
  word w;
  if (!any_word(w, "a type")) return false;
  const std::uint8_t e = element_words.find(w, static_cast<std::uint8_t>(element::none));
  if (e != static_cast<std::uint8_t>(element::none))
    put_leaf(node_kind::element_type, e, w.last(), 0);
  else
    put_name(w);
  return true;
}

[[gnu::cold]] inline bool reader::family_binding(word w) {
  const std::uint32_t i = put(node_kind::binding, 0, at_, intern(w));
  take_word(w);
  if (take_if(':')) {
    if (!type_leaf()) return false;
    finish(i);
    return true;
  }
  if (!at('=')) return unexpected("':' or '='");
  take();
  nodes_[i].kind = node_kind::condition;
  if (!type_leaf()) return false;
  if (at_word() && at_on()) {
    const std::uint32_t on = put(node_kind::on, 0, at_);
    take(2);
    word operand;
    if (!any_word(operand, "the name of an operand")) return false;
    nodes_[on].value = intern(operand);
    take_word(operand);
    finish(on);
  }
  finish(i);
  return true;
}

inline bool reader::at_on() const noexcept {
  const word w = peek_word();
  if (w.key != make_key("on")) return false;
  const char* const p = after_blanks(w.last());
  return p >= end_ || (*p != ':' && *p != '=');
}

[[gnu::cold]] inline bool reader::variant() {
  const word w = peek_word();
  const std::uint32_t i = put(node_kind::variant, 0, at_, intern(w));
  take_word(w);
  if (!expect(':') || !open_block()) return false;
  while (at_word()) {
    const word operand = peek_word();
    const std::uint32_t b = put(node_kind::binding, 0, at_, intern(operand));
    take_word(operand);
    if (!expect(':') || !type_leaf()) return false;
    finish(b);
  }
  if (!at('}')) return unexpected("a binding or '}'");
  if (!close_block()) return false;
  if (!at_word() || peek_word().text() != "conformance") return unexpected("'conformance'");
  take_word(peek_word());
  if (!expect(':') || !open_block()) return false;
  while (at_word()) {
    const word c = peek_word();
    const bool must = c.key == make_key("MUST");
    if (!must && c.key != make_key("MAY")) return unexpected("MUST, MAY or '}'");
    const std::uint32_t k = put(node_kind::conformance, must ? 1 : 0, at_);
    take_word(c);
    if (at('<') && !instantiation()) return false;
    finish(k);
  }
  if (!at('}')) return unexpected("MUST, MAY or '}'");
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::instantiation() {
  const char* const open = at_;
  take();
  do {
    if (!element_leaf(node_kind::element_type)) return false;
  } while (take_if(','));
  return expect_closing('>', open);
}

// --- devices ---

[[gnu::cold]] inline reader::device_item reader::item_of(word w) noexcept {
  const std::string_view s = w.text();
  return s == "opcode"                 ? item_opcode
         : s == "topology"             ? item_topology
         : s == "spec_version"         ? item_spec_version
         : s == "unit_characteristics" ? item_characteristics
                                       : item_none;
}

[[gnu::cold]] inline bool reader::device(word start) {
  const std::uint32_t i = put(node_kind::device, 0, at_);
  take_word(start);
  word w;
  if (!any_word(w, "the name of a device")) return false;
  nodes_[i].value = intern(w);
  take_word(w);
  if (at_word()) {
    const word e = peek_word();
    if (e.size != 7 || e.key != make_key("extends")) return unexpected("'extends' or '{'");
    const std::uint32_t x = put(node_kind::extends, 0, at_);
    take_word(e);
    if (!any_word(w, "the name of a device")) return false;
    nodes_[x].value = intern(w);
    take_word(w);
    finish(x);
  }
  if (!open_block()) return false;
  fields given;
  while (!at('}')) {
    if (at_end()) return unexpected("'}'");
    if (!item_of_device(given) && !leave_blocks(1)) return false;
  }
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::item_of_device(fields& given) {
  constexpr std::string_view expected =
      "spec_version, topology, unit_characteristics, opcode or '}'";
  if (!at_word()) return unexpected(expected);
  const word w = peek_word();
  const char* const first = at_;
  const device_item kind = item_of(w);
  if (kind == item_none) return unexpected(expected);
  if (kind == item_opcode) return variant_references(given);
  once(given, kind, w, errc::nem_dev_012_repeated);
  take_word(w);
  if (kind == item_topology) return topology(first);
  if (kind == item_characteristics) return characteristics(first);
  const std::uint32_t i = put(node_kind::spec_version, 0, first);
  std::uint32_t index;
  if (!expect('=') || !string_value(index, "a string")) return false;
  nodes_[i].value = index;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::topology(const char* first) {
  const std::uint32_t i = put(node_kind::topology, 0, first);
  if (!open_block()) return false;
  fields given;
  while (at_word()) {
    const word w = peek_word();
    const std::string_view s = w.text();
    const unsigned field = s == "num_engines"     ? 0
                           : s == "l2_size_bytes" ? 1
                           : s == "device_units"  ? 2
                           : s == "per_engine"    ? 3
                                                  : 4;
    if (field == 4) break;
    once(given, field, w, errc::nem_dev_012_repeated);
    if (field >= 2) {
      if (!units_block(w, field == 3)) return false;
      continue;
    }
    const std::uint32_t n = put(field == 0 ? node_kind::num_engines : node_kind::l2_size, 0, at_);
    take_word(w);
    if (!expect('=') || !(field == 0 ? count() : expression())) return false;
    finish(n);
  }
  if (!at('}')) return unexpected("num_engines, l2_size_bytes, device_units, per_engine or '}'");
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::count() {
  if (at_end() || !is(*at_, class_digit)) return unexpected("an integer");
  const std::uint32_t i = count_;
  if (!number()) return false;
  if (nodes_[i].kind != node_kind::real) return true;
  if (may_report())
    found_.add(errc::nem_syn_001_token, range_of(i))
        << "expected an integer, got a floating-point number";
  return true;
}

[[gnu::cold]] inline bool reader::units_block(word start, bool per_engine) {
  const std::uint32_t i = put(per_engine ? node_kind::per_engine : node_kind::device_units, 0, at_);
  take_word(start);
  if (!open_block()) return false;
  fields given;
  const std::string_view expected =
      per_engine ? "NMU, CSTL, DMA, VPU, SEQ, l1_size_bytes or '}'" : "sDMA, WDM or '}'";
  while (at_word()) {
    const word w = peek_word();
    const unit u = find_unit(w.text());
    const bool is_size = per_engine && w.text() == "l1_size_bytes";
    if (u == unit::none && !is_size) return unexpected(expected);
    if (u != unit::none && is_per_engine(u) != per_engine)
      wrong_block(w, u);
    else
      once(given, is_size ? 7u : static_cast<unsigned>(u), w, errc::nem_dev_012_repeated);
    const std::uint32_t n = is_size
                                ? put(node_kind::l1_size, 0, at_)
                                : put(node_kind::unit, static_cast<unsigned>(u), at_, intern(w));
    take_word(w);
    if (!expect('=') || !(is_size ? expression() : count())) return false;
    finish(n);
  }
  if (!at('}')) return unexpected(expected);
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline void reader::wrong_block(word w, unit u) {
  if (may_report())
    found_.add(errc::nem_dev_011_unit_block, range_of(w))
        << w.text() << " belongs in "
        << (is_per_engine(u) ? "per_engine, not in device_units"
                             : "device_units, not in per_engine");
}

[[gnu::cold]] inline bool reader::characteristics(const char* first) {
  const std::uint32_t i = put(node_kind::unit_characteristics, 0, first);
  if (!open_block()) return false;
  fields given;
  while (at_word()) {
    const word w = peek_word();
    const unit u = find_unit(w.text());
    if (u == unit::none) break;
    once(given, static_cast<unsigned>(u), w, errc::nem_dev_012_repeated);
    const std::uint32_t group =
        put(node_kind::unit_group, static_cast<unsigned>(u), at_, intern(w));
    take_word(w);
    if (!open_block()) return false;
    next_marks();
    while (at_word()) {
      const word k = peek_word();
      const std::uint32_t name = intern(k);
      if (mark(name)) repeated_characteristic(k, group, name);
      const std::uint32_t c = put(node_kind::characteristic, 0, at_, name);
      take_word(k);
      if (!expect('=') || !count()) return false;
      finish(c);
    }
    if (!at('}')) return unexpected("a characteristic or '}'");
    if (!close_block()) return false;
    finish(group);
  }
  if (!at('}')) return unexpected("NMU, CSTL, DMA, VPU, SEQ, sDMA, WDM or '}'");
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline void reader::repeated_characteristic(word w, std::uint32_t group,
                                                          std::uint32_t name) {
  std::uint32_t i = group + 1;
  while (i < count_ && (nodes_[i].kind != node_kind::characteristic || nodes_[i].value != name))
    ++i;
  const std::uint32_t offset = i < count_ ? nodes_[i].offset : offset_of(w.first);
  repeated(errc::nem_dev_012_repeated, range_of(w), w.text(), {0, offset, w.size});
}

[[gnu::cold]] inline bool reader::variant_references(fields& given) {
  const char* const first = at_;
  take(6);
  word w;
  if (!expect('.') || !any_word(w, "mandatory or extended")) return false;
  const bool extended = w.text() == "extended";
  if (!extended && w.text() != "mandatory") return unexpected("mandatory or extended");
  once(given, extended ? item_extended : item_opcode, w, errc::nem_dev_012_repeated);
  const std::uint32_t i = put(extended ? node_kind::extended : node_kind::mandatory, 0, first);
  take_word(w);
  if (!open_block()) return false;
  while (at_word())
    if (!variant_reference()) return false;
  if (!at('}')) return unexpected("a variant or '}'");
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::variant_reference() {
  const std::uint32_t i = put(node_kind::variant_ref, 0, at_);
  const word first = peek_word();
  take_word(first);
  word second, last;
  if (!at('<')) {
    if (!expect('.') || !any_word(second, "the name of a variant")) return false;
    take_word(second);
    if (!at('.') && !at('<')) {  // two words
      nodes_[i].value = intern(first);
      put_taken(second);
      finish(i);
      return true;
    }
  }
  if (second.size == 0) {
    nodes_[i].value = intern(first);
  } else {
    joined_.clear();
    joined_ << first.text() << '.' << second.text();
    nodes_[i].value = names_.of_text(joined_);
  }
  if (at('<') && !instantiation()) return false;
  if (!expect('.') || !any_word(last, "the name of a variant")) return false;
  put_name(last);
  finish(i);
  return true;
}

inline void reader::put_taken(word w) {
  const std::uint32_t i = put(node_kind::name, 0, w.first, intern(w));
  set_end(i, w.last());
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_CONFIG_HPP
